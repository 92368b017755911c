"""Free double pendulum: constant and exact mass matrix in Euler angles, and Condyle.

Two ellipsoids on ball joints fall from a level start. The source writes them in Euler angles with moments of inertia as
a constant mass matrix, which is right in one plane only (and there with the wrong axis) and loses energy in space; the
exact matrix and Condyle agree. The source shows snapshots and no numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

BODIES = ("upper", "lower")


PARAMETERS = {
    "mass": cd.Parameter(1.0, "mass of each body", "kg"),
    "inertia": cd.Parameter((2.0, 3.0, 1.0), "principal moments of inertia", "kg m²"),
    "semi_axes": cd.Parameter((1.0, 1.0, 2.0), "semi-axes; the joints lie at the ends of the third", "m"),
    "gravity": cd.Parameter(9.81, "gravity, towards −z", "m/s²"),
    "spin": cd.Parameter((0.8, 0.3, 1.5), "rates of the Euler angles at the start that leaves the plane", "rad/s"),
    "baumgarte": cd.Parameter(10.0, "both of Baumgarte's coefficients (the source does not give them)", "1/s"),
    "dt": cd.Parameter(2.5e-3, "time step of Condyle", "s"),
    "end": cd.Parameter(2.5, "time simulated; the source shows it to 2.5 s", "s"),
}  # fmt: skip
QUICK = {"end": 1.0}
INPUTS = ("mass", "inertia", "semi_axes", "gravity", "spin")


def pendulum_model(p: cd.Parameters, spin: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> cd.Model:
    """Two ellipsoids on ball joints, level at the start (their long axis z' along −y); spin: Euler rates (ψ̇, ν̇, φ̇) [rad/s]."""
    model = cd.Model("double pendulum", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    angles = np.array([0.0, 0.5 * np.pi, 0.0])
    T = turned(angles)
    turning, reach = T @ (spin_map(angles) @ np.array(spin)), p.semi_axes[2] * T[:, 2]
    made = []
    for k, name in enumerate(BODIES):
        centre = (1 + 2 * k) * reach
        made.append(
            model.add(
                cd.RigidBody(name, p.mass, inertia=p.inertia, position=centre, rotation=T, angular_velocity=turning,
                             velocity=np.cross(turning, centre), outline=[[(0, 0, -p.semi_axes[2]), (0, 0, p.semi_axes[2])]])
            )
        )  # fmt: skip
    model.add(cd.Spherical("shoulder", model.ground, made[0], at=(0.0, 0.0, 0.0)))
    model.add(cd.Spherical("elbow", made[0], made[1], at=2.0 * reach))
    return model


# --- the equations of the source -----------------------------------------------------------------------------------------


def turned(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """T = Rz(ψ) Rx(ν) Rz(φ), (3.7)."""
    psi, nu, phi = angles
    z = (0.0, 0.0, 1.0)
    return cd.rotation(axis=z, angle=psi) @ cd.rotation(axis=(1.0, 0.0, 0.0), angle=nu) @ cd.rotation(axis=z, angle=phi)


def spin_map(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """B with ω = B (ψ̇, ν̇, φ̇) in body axes."""
    _, nu, phi = angles
    s, c = np.sin(nu), np.cos(nu)
    return np.array([[s * np.sin(phi), np.cos(phi), 0.0], [s * np.cos(phi), -np.sin(phi), 0.0], [c, 0.0, 1.0]])


def _spin_map_rate(angles: NDArray[np.float64], rates: NDArray[np.float64]) -> NDArray[np.float64]:
    _, nu, phi = angles
    _, dnu, dphi = rates
    s, c, sp, cp = np.sin(nu), np.cos(nu), np.sin(phi), np.cos(phi)
    first = (c * dnu * sp + s * dphi * cp, c * dnu * cp - s * dphi * sp, -s * dnu)
    return np.column_stack((first, (-sp * dphi, -cp * dphi, 0.0), np.zeros(3)))


def _constraints(q: NDArray[np.float64], v: NDArray[np.float64], reach: float) -> tuple[Any, Any, Any]:
    """Φ, its gradient (6, 12) and γ = −Φ̈ at zero accelerations; (3.24), (3.30), (3.32) with their signs corrected."""
    value, gradient, bias = np.zeros(6), np.zeros((6, 12)), np.zeros(6)
    gradient[0:3, 0:3] = gradient[3:6, 0:3] = np.eye(3)
    gradient[3:6, 6:9] = -np.eye(3)
    value[0:3], value[3:6] = q[0:3], q[0:3] - q[6:9]
    for k, sign in ((0, (-1.0, 1.0)), (1, (0.0, 1.0))):
        (psi, nu), (dpsi, dnu) = q[6 * k + 3 : 6 * k + 5], v[6 * k + 3 : 6 * k + 5]
        sp, cp, sn, cn = np.sin(psi), np.cos(psi), np.sin(nu), np.cos(nu)
        axis = np.array([sn * sp, -cp * sn, cn])
        slope = np.array([[cp * sn, cn * sp], [sn * sp, -cn * cp], [0.0, -sn]])
        square = dnu**2 + dpsi**2
        turn = 2.0 * cn * dnu * dpsi
        bend = np.array([-sn * sp * square + cp * turn, sn * cp * square + sp * turn, -cn * dnu**2])
        for row, factor in zip((0, 3), sign, strict=True):
            value[row : row + 3] += factor * reach * axis
            gradient[row : row + 3, 6 * k + 3 : 6 * k + 5] += factor * reach * slope
            bias[row : row + 3] -= factor * reach * bend
    return value, gradient, bias


def accelerations(q: NDArray[np.float64], v: NDArray[np.float64], p: cd.Parameters, exact: bool) -> NDArray[np.float64]:
    """(3.46): multipliers eliminated, Baumgarte's terms. exact: M = BᵀIB with its bias, else the source's constant M."""
    inertia = np.diag(p.inertia)
    M, f = np.zeros((12, 12)), np.zeros(12)
    for k in range(2):
        at = 6 * k
        M[at : at + 3, at : at + 3] = p.mass * np.eye(3)
        f[at + 2] = -p.mass * p.gravity
        turning = slice(at + 3, at + 6)
        if not exact:
            M[turning, turning] = inertia
            continue
        B, rates = spin_map(q[turning]), v[turning]
        spin = B @ rates
        M[turning, turning] = B.T @ inertia @ B
        f[turning] = -B.T @ (inertia @ _spin_map_rate(q[turning], rates) @ rates + np.cross(spin, inertia @ spin))
    value, G, bias = _constraints(q, v, p.semi_axes[2])
    bias = bias - 2.0 * p.baumgarte * (G @ v) - p.baumgarte**2 * value
    by_mass = np.linalg.solve(M, np.column_stack((G.T, f)))
    multipliers = np.linalg.solve(G @ by_mass[:, :6], bias - G @ by_mass[:, 6])
    return by_mass[:, 6] + by_mass[:, :6] @ multipliers


def in_euler_angles(
    p: cd.Parameters, spin: tuple[float, float, float], times: NDArray[np.float64], exact: bool
) -> cd.Outcome:
    """Centres (t, 2, 3) [m] and true energy [J] of a run of the equations above."""
    from scipy.integrate import solve_ivp

    start = np.zeros(12)
    rates = np.zeros(12)
    angles = np.array([0.0, 0.5 * np.pi, 0.0])
    T = turned(angles)
    turning = T @ (spin_map(angles) @ np.array(spin))
    for k in range(2):
        centre = (1 + 2 * k) * p.semi_axes[2] * T[:, 2]
        start[6 * k : 6 * k + 6] = (*centre, *angles)
        rates[6 * k : 6 * k + 6] = (*np.cross(turning, centre), *spin)

    def rate(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate((y[12:], accelerations(y[:12], y[12:], p, exact)))

    options: dict[str, Any] = {"method": "DOP853", "t_eval": times, "rtol": 1e-10, "atol": 1e-11}
    solved: Any = solve_ivp(rate, (0.0, times[-1]), np.concatenate((start, rates)), **options)
    q, v = solved.y[:12].T, solved.y[12:].T
    energy = np.zeros(len(times))
    for k in range(2):
        at = 6 * k
        spins = np.array([spin_map(a) @ r for a, r in zip(q[:, at + 3 : at + 6], v[:, at + 3 : at + 6], strict=True)])
        energy += 0.5 * p.mass * (v[:, at : at + 3] ** 2).sum(axis=1) + 0.5 * (spins**2 @ np.array(p.inertia))
        energy += p.mass * p.gravity * q[:, at + 2]
    return {"centres": np.stack((q[:, 0:3], q[:, 6:9]), axis=1), "energy": energy}


def planar(
    p: cd.Parameters,
    times: NDArray[np.float64],
    inertia: float,
    push: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> NDArray[np.float64]:
    """Centres (t, 2, 2) [m] of a double pendulum in the plane by its two angles, from a level start at rest.

    push: more forces of the angles (2,) [N m], of angles and rates (4,).
    """
    from scipy.integrate import solve_ivp

    m, g, a = p.mass, p.gravity, p.semi_axes[2]

    def rate(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        (u, w), (du, dw) = y[:2], y[2:]  # angles below the horizontal
        c, s = np.cos(u - w), np.sin(u - w)
        M = np.array([[inertia + 5.0 * m * a * a, 2.0 * m * a * a * c], [2.0 * m * a * a * c, inertia + m * a * a]])
        pull = 2.0 * m * a * a * s
        f = np.array([3.0 * m * g * a * np.cos(u) - pull * dw**2, m * g * a * np.cos(w) + pull * du**2])
        if push is not None:
            f = f + push(y)
        return np.concatenate((y[2:], np.linalg.solve(M, f)))

    options: dict[str, Any] = {"method": "DOP853", "t_eval": times, "rtol": 1e-11, "atol": 1e-12}
    if push is not None:
        options["max_step"] = 1e-3  # so that no blow is passed over
    solved: Any = solve_ivp(rate, (0.0, times[-1]), np.zeros(4), **options)
    u, w = solved.y[:2]
    first = a * np.column_stack((-np.cos(u), -np.sin(u)))
    return np.stack((first, 2.0 * first + a * np.column_stack((-np.cos(w), -np.sin(w)))), axis=1)


# --- the study ---------------------------------------------------------------------------------------------------------


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """From rest, as published, and with a spin that leaves the plane; three formulations of each."""
    outcome: cd.Outcome = {"errors": [], "starts": {}}
    for label, spin in (("at-rest", (0.0, 0.0, 0.0)), ("spinning", p.spin)):
        result = context.simulate(label, pendulum_model(p, spin), end=p.end, dt=p.dt)
        t = result.times
        place = np.stack([result.position(name) for name in BODIES], axis=1)
        outcome["starts"][label] = {
            "t": t,
            "condyle": place,
            "condyle energy": result.energy["total"],
            "kinetic at the start": float(result.energy["kinetic"][0]),
            "largest kinetic": float(result.energy["kinetic"].max()),
            "source": in_euler_angles(p, spin, t, exact=False),
            "exact": in_euler_angles(p, spin, t, exact=True),
        }
    rest = outcome["starts"]["at-rest"]
    outcome["planar"] = {
        name: planar(p, rest["t"], i) for name, i in (("exact", p.inertia[0]), ("source", p.inertia[1]))
    }
    finer = context.simulate("spinning-finer", pendulum_model(p, p.spin), end=p.end, dt=0.5 * p.dt)
    place = np.stack([finer.position(name) for name in BODIES], axis=1)
    exact = outcome["starts"]["spinning"]["exact"]["centres"]
    coarse = np.abs(outcome["starts"]["spinning"]["condyle"] - exact).max()
    outcome["order"] = float(np.log2(coarse / np.abs(place[::2] - exact).max()))
    return outcome


def apart(outcome: cd.Outcome, start: str, one: str, other: str) -> float:
    """Largest distance between two formulations [m]."""
    runs = outcome["starts"][start]
    places = [runs[name] if name == "condyle" else runs[name]["centres"] for name in (one, other)]
    return float(np.linalg.norm(places[0] - places[1], axis=2).max())


def in_plane(outcome: cd.Outcome, which: str) -> float:
    """Largest distance of the run in Euler angles from the planar double pendulum [m]."""
    place = outcome["starts"]["at-rest"][which]["centres"]
    return float(np.abs(place[:, :, 1:] - outcome["planar"][which]).max() + np.abs(place[:, :, 0]).max())


def release(outcome: cd.Outcome, body: int) -> float:
    """Angular acceleration of a body at the release from rest [rad/s²]: ½ α t² + β t⁴ through the first 0.1 s."""
    rest = outcome["starts"]["at-rest"]
    t = rest["t"][(rest["t"] > 0.0) & (rest["t"] < 0.1)]
    place = rest["condyle"][1 : len(t) + 1]
    reach = place[:, 0] if body == 0 else place[:, 1] - 2.0 * place[:, 0]
    angle = np.arctan2(-reach[:, 2], -reach[:, 1])
    return float(np.linalg.lstsq(np.column_stack((0.5 * t**2, t**4)), angle, rcond=None)[0][0])


def gained(outcome: cd.Outcome, which: str, until: float = np.inf) -> float:
    """Largest change of the true energy [J] of the start with spin, up to a time [s]."""
    spun = outcome["starts"]["spinning"]
    energy = spun[which]["energy"][spun["t"] < until + 1e-9]
    return float(np.abs(energy - energy[0]).max())


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The pendulum at the published instants, and the energy that the constant mass matrix loses and gains."""
    from matplotlib.figure import Figure

    rest, spun = outcome["starts"]["at-rest"], outcome["starts"]["spinning"]
    figure = Figure(figsize=(7.2, 3.4))
    left, right = figure.subplots(1, 2)
    for t in np.arange(0.0, p.end + 1e-9, 0.5):
        k = int(np.argmin(np.abs(rest["t"] - t)))
        first, second = rest["condyle"][k][:, 1:]
        line = np.array([(0.0, 0.0), 2.0 * first, 2.0 * second - 2.0 * first])
        left.plot(*line.T, "-o", label=f"{rest['t'][k]:.1f} s")
    left.set(xlabel="y (m)", ylabel="z (m)", aspect="equal", title="from rest")
    left.legend(fontsize="small")
    for name, label in (("source", "constant mass matrix"), ("exact", "exact, Euler angles")):
        energy = spun[name]["energy"]
        right.plot(spun["t"], energy - energy[0], label=label)
    energy = spun["condyle energy"]
    right.plot(spun["t"], energy - energy[0], "--", label="Condyle")
    right.set(xlabel="time (s)", ylabel="change of energy (J)", title="with spin")
    right.legend(fontsize="small")
    return {"spicka_pendulum": figure}


CLAIMS = [
    cd.Claim("angular acceleration of the upper body at the release", 196.2 / 68.0, lambda o: release(o, 0),
             kind="closed form", unit="rad/s²", tolerance=5e-3,
             origin="(I + 5ma²) u″ + 2ma² w″ = 3mga, 2ma² u″ + (I + ma²) w″ = mga, I = 2 kg m²"),
    cd.Claim("angular acceleration of the lower body at the release", -39.24 / 68.0, lambda o: release(o, 1),
             kind="closed form", unit="rad/s²", tolerance=5e-3, origin="the same equations"),
    cd.Claim("kinetic energy of the start that leaves the plane", 18.95,
             lambda o: o["starts"]["spinning"]["kinetic at the start"], kind="closed form", unit="J", tolerance=1e-9,
             origin="both bodies turn as one: ½·0.73·40 + 0.18 + 1.92 + 2.25"),
    cd.Claim("exact equations from rest beside a planar double pendulum", "the same", lambda o: in_plane(o, "exact"),
             kind="relation", unit="m", tolerance=1e-6, origin="two angles in the plane, inertia about x"),
    cd.Claim("equations of the source from rest beside a planar double pendulum", "the same with the second inertia",
             lambda o: in_plane(o, "source"), kind="relation", unit="m", tolerance=1e-6,
             origin="two angles in the plane, inertia about y in place of x"),
    cd.Claim("distance that the second inertia makes from rest", "not small", lambda o: apart(o, "at-rest", "source", "exact"),
             kind="relation", unit="m", tolerance=0.05, sense="above", origin="the source's matrix beside the exact one"),
    cd.Claim("Condyle beside the exact equations from rest", "the same", lambda o: apart(o, "at-rest", "condyle", "exact"),
             kind="reference", unit="m", tolerance=1e-4, origin="exact equations in Euler angles by DOP853"),
    cd.Claim("Condyle beside the exact equations with spin", "the same", lambda o: apart(o, "spinning", "condyle", "exact"),
             kind="reference", unit="m", tolerance=1e-4, origin="exact equations in Euler angles by DOP853"),
    cd.Claim("order of convergence towards the exact equations", 2.0, lambda o: o["order"], kind="property", tolerance=0.1,
             origin="steps of dt and dt/2"),
    cd.Claim("true energy gained or lost by the constant mass matrix in 1 s", 10.973, lambda o: gained(o, "source", 1.0),
             kind="reference", unit="J", tolerance=1e-3, origin="Lagrange's equations in six Euler angles with that matrix"),
    cd.Claim("true energy gained or lost by the constant mass matrix in 2 s", 29.498, lambda o: gained(o, "source", 2.0),
             kind="reference", unit="J", tolerance=1e-3, full_only=True, origin="the same equations"),
    cd.Claim("true energy gained or lost by the exact equations", "constant", lambda o: gained(o, "exact"),
             kind="property", unit="J", tolerance=1e-5, origin="conservative system"),
    cd.Claim("energy drift of Condyle over kinetic energy", "constant",
             lambda o: max(float(np.ptp(r["condyle energy"])) / r["largest kinetic"] for r in o["starts"].values()),
             kind="property", tolerance=1e-11, origin="conservative system"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="spicka-2013")
