"""A bar with modes in a moving frame beside one of elements.

A bar falls from rest about a pin at its end: as cantilever modes in a frame that turns with its tangent at the pin (a floating
frame of reference, as the source formulates bodies that deform a little), and as cables, which need no such frame. Both
say the same of a bar that bends by a hundredth of its length. Of one that bends by a sixteenth, modes that are linear in their
frame do not, unless the shortening of a bent line is put in. The equations with modes are written out here, for this bar only.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "length": cd.Parameter(1.2, "length of the bar", "m"),
    "height": cd.Parameter(0.04, "side of the square section", "m"),
    "density": cd.Parameter(5540.0, "density", "kg/m³"),
    "stiff": cd.Parameter(2e9, "Young's modulus of the stiff bar", "Pa"),
    "soft": cd.Parameter(3e8, "Young's modulus of the soft bar", "Pa"),
    "modes": cd.Parameter(3, "modes in the moving frame, at most 5"),
    "elements": cd.Parameter(8, "elements of the bar of cables"),
    "dt": cd.Parameter(5e-4, "time step", "s"),
    "end": cd.Parameter(0.6, "time simulated", "s"),
}
QUICK = {"dt": 1e-3}
INPUTS = ("stiff", "density", "height")
ROOTS = (1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349, 14.1371683910)  # of cos β cosh β = −1
GRAVITY = 9.81


class Modes:
    """Integrals of the modes of a cantilever over its length: φ φᵀ, x φ, φ, φ″ φ″ᵀ, and two of φ′ φ′ᵀ for its shortening."""

    def __init__(self, length: float, count: int) -> None:
        at, weight = np.polynomial.legendre.leggauss(60)
        x, w = 0.5 * length * (at + 1.0), 0.5 * length * weight
        shapes = np.array([_mode(root, x / length) for root in ROOTS[:count]])  # (modes, 3, points)
        f, slope, bend = shapes[:, 0], shapes[:, 1] / length, shapes[:, 2] / length**2
        self.slopes, self.weights = slope, w
        self.mass, self.first, self.mean = (f * w) @ f.T, (f * w) @ x, (f * w) @ np.ones_like(x)
        self.bending = (bend * w) @ bend.T
        self.spun, self.hung = (slope * w * 0.5 * (length**2 - x**2)) @ slope.T, (slope * w * (length - x)) @ slope.T
        self.tip = np.array([_mode(root, np.ones(1))[0, 0] for root in ROOTS[:count]])


def _mode(root: float, s: NDArray[np.float64]) -> NDArray[np.float64]:
    """A mode of a cantilever and its first and second derivative by s, from 0 to 1, as large as 1 at the end."""
    z = root * np.asarray(s)
    ratio = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
    value = np.cosh(z) - np.cos(z) - ratio * (np.sinh(z) - np.sin(z))
    slope = root * (np.sinh(z) + np.sin(z) - ratio * (np.cosh(z) - np.cos(z)))
    bend = root**2 * (np.cosh(z) + np.cos(z) - ratio * (np.sinh(z) + np.sin(z)))
    return 0.5 * np.array([value, slope, bend])


def floating(p: cd.Parameters, young: float, shortening: bool) -> cd.Outcome:
    """The bar with modes: θ of its frame and amplitudes q, by Runge and Kutta's method of fourth order.

    T = ½ ρA (θ̇² (l³/3 + qᵀ m q) + 2 θ̇ bᵀ q̇ + q̇ᵀ m q̇), V = ρA g (½ l² sin θ + cos θ cᵀ q) + ½ qᵀ K q; with shortening
    −½ ∫ v′² along the bar, K gets ρA (θ̇² k₁ − g sin θ k₂).
    """
    modes, n = Modes(p.length, p.modes), p.modes
    bending = young * p.height**2 / (12.0 * p.density) * modes.bending  # over ρA
    second = p.length**3 / 3.0

    def rate(z: NDArray[np.float64]) -> NDArray[np.float64]:
        angle, q, spin, speed = z[0], z[1 : 1 + n], z[1 + n], z[2 + n :]
        M = np.empty((1 + n, 1 + n))
        M[0, 0], M[0, 1:], M[1:, 0], M[1:, 1:] = second + q @ modes.mass @ q, modes.first, modes.first, modes.mass
        K = bending - spin**2 * modes.mass
        force = np.empty(1 + n)
        sideways = np.sin(angle) * modes.mean @ q - 0.5 * p.length**2 * np.cos(angle)
        force[0] = GRAVITY * sideways - 2.0 * spin * (q @ modes.mass @ speed)
        if shortening:
            K = K + spin**2 * modes.spun - GRAVITY * np.sin(angle) * modes.hung
            M[0, 0] -= q @ modes.spun @ q
            force[0] += 2.0 * spin * (q @ modes.spun @ speed) + 0.5 * GRAVITY * np.cos(angle) * (q @ modes.hung @ q)
        force[1:] = -K @ q - GRAVITY * np.cos(angle) * modes.mean
        return np.concatenate(([spin], speed, np.linalg.solve(M, force)))

    fine = max(1, int(np.ceil(p.dt * ROOTS[n - 1] ** 2 / p.length**2 * np.sqrt(young / (12 * p.density)) * p.height)))
    z, h, steps = np.zeros(2 + 2 * n), p.dt / fine, round(p.end / p.dt)
    out = [z]
    for _ in range(steps):
        for _ in range(fine):
            a = rate(z)
            b = rate(z + 0.5 * h * a)
            c = rate(z + 0.5 * h * b)
            z = z + h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(z + h * c))
        out.append(z)
    found = np.array(out)
    angle, bent = found[:, 0], found[:, 1 : 1 + n] @ modes.tip
    along = p.length - (0.5 * (found[:, 1 : 1 + n] @ modes.slopes) ** 2 @ modes.weights if shortening else 0.0)
    tip = np.column_stack((along * np.cos(angle) - bent * np.sin(angle), along * np.sin(angle) + bent * np.cos(angle)))
    return {"tip": tip, "bent": bent}


def elements(p: cd.Parameters, young: float, weight: float = GRAVITY, clamped: bool = False) -> cd.Model:
    """The bar of cables, horizontal, with its start on a pin or clamped."""
    model = cd.Model("falling bar", dimension=2, gravity=(0.0, -weight))
    section = cd.RectangularSection(p.height, p.height, cd.StVenantKirchhoff(young, 0.0, p.density))
    bar = model.add(cd.Cable("bar", [(0.0, 0.0), (p.length, 0.0)], p.elements, section))
    if clamped:
        model.add(cd.Tie("clamp", bar, "start", "ground"))
    else:
        model.add(cd.Pin("pin", bar.point("start"), model.ground, at=(0.0, 0.0)))
    return model


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Both bars by elements, by modes, and by modes with shortening."""
    hung = cd.solve_static(elements(p, p.stiff, 1e-3, clamped=True), steps=1)
    out: cd.Outcome = {"length": p.length, "sag": -hung.displacement("bar.end")[-1, 1] / 1e-3}
    yield out
    for name, young in (("stiff", p.stiff), ("soft", p.soft)):
        result = context.simulate(name, elements(p, young), end=p.end, dt=p.dt)
        tip = result.position("bar.end")
        slope = cd.LineHistory(result, "bar", np.array([0.0])).gradients()[:, 0, 0]
        t = slope / np.linalg.norm(slope, axis=1)[:, None]
        out[name] = {
            "elements": {"tip": tip, "bent": t[:, 0] * tip[:, 1] - t[:, 1] * tip[:, 0]},
            "modes": floating(p, young, False),
            "shortened": floating(p, young, True),
        }
        yield out | {"t": result.times}


def _apart(o: cd.Outcome, bar: str, how: str, what: str = "tip") -> float:
    """Largest difference of the tip from that of elements over the length; of its deflection, over the largest one."""
    a, b = o[bar]["elements"][what], o[bar][how][what]
    n = min(len(a), len(b))
    scale = o["length"] if what == "tip" else np.abs(a).max()
    return float(np.abs(a[:n] - b[:n]).max() / scale)


CLAIMS = [
    cd.Claim("stiff bar, clamped: sag over small gravity", 5.385, lambda o: 1e3 * o["sag"], unit="ms²", tolerance=0.05,
             kind="closed form", origin="ρ A l⁴/(8 E I)"),
    cd.Claim("stiff bar: tip by three modes and by elements", "agree (of the length)", lambda o: _apart(o, "stiff", "modes"),
             tolerance=2e-3, kind="reference", origin="a floating frame of reference with modes of a cantilever"),
    cd.Claim("stiff bar: the same with the shortening of a bent line", "agree (of the length)",
             lambda o: _apart(o, "stiff", "shortened"), tolerance=3e-4, kind="reference",
             origin="a floating frame of reference, with shortening"),
    cd.Claim("stiff bar: deflection of the tip from the tangent at the pin", "agrees (of its largest)",
             lambda o: _apart(o, "stiff", "shortened", "bent"), tolerance=0.06, kind="reference",
             origin="a floating frame of reference, with shortening"),
    cd.Claim("stiff bar: largest deflection of the tip", 10.43, lambda o: 1e3 * np.abs(o["stiff"]["elements"]["bent"]).max(),
             unit="mm", tolerance=0.15, kind="reference",
             origin="by three modes with shortening, in small steps; about 1 % of the length, as modes need it"),
    cd.Claim("soft bar: deflection by modes less that by elements, of the largest", "does not agree",
             lambda o: _apart(o, "soft", "modes", "bent"), tolerance=0.5, sense="above", kind="relation",
             origin="bent by 6 % of its length, a bar in linear modes misses what stiffens it as it turns"),
    cd.Claim("soft bar: tip by modes with shortening and by elements", "agree (of the length)",
             lambda o: _apart(o, "soft", "shortened"), tolerance=2e-3, kind="reference",
             origin="a floating frame of reference, with shortening"),
]  # fmt: skip


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Deflection of the tip of both bars."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.2))
    for ax, name in zip(figure.subplots(1, 2), ("stiff", "soft"), strict=True):
        for how, line in (("elements", "-"), ("modes", "--"), ("shortened", ":")):
            curve = outcome[name][how]["bent"]
            ax.plot(outcome["t"][: len(curve)], 1e3 * curve, line, label=how)
        ax.set_title(f"{name} bar", fontsize="medium")
        ax.set_xlabel("time (s)")
        ax.set_ylabel("tip from the tangent at the pin (mm)")
        ax.legend(fontsize="x-small")
    figure.tight_layout()
    return {"floating_frame": figure}


STUDY = cd.Study.of_module(globals(), source="gantoi-2013")
