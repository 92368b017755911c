"""Chains of a hundred and of a thousand bars, at steps of a hundredth of a second.

Long chains are compared with closed forms. The small swing of a hanging chain is a Bessel function. At rest between two
supports the chain is a catenary. The free end of a folded chain falls faster than a stone. First-order steps with geometric
stiffness hold such chains, even with a load of ten bars, at steps at which plain compliant joints come apart. How fast they are
is in the benchmarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

ZERO = 2.404825557695773  # the first zero of the Bessel function J₀
PARAMETERS = {
    "bars": cd.Parameter(100, "bars of a chain"),
    "many": cd.Parameter(1000, "bars of the longest chain"),
    "length": cd.Parameter(0.1, "length of a bar", "m"),
    "mass": cd.Parameter(1.0, "mass of a bar", "kg"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "short": cd.Parameter(0.0025, "time step of the folded chain", "s"),
    "compliance": cd.Parameter(1e-8, "compliance of joints under first-order steps", "m/N"),
    "amplitude": cd.Parameter(0.01, "of the small swing, over the length of the chain"),
    "span": cd.Parameter(0.6, "distance of the two supports, over the length of the chain"),
    "load": cd.Parameter(10.0, "mass of a load over that of a bar"),
}
QUICK = {"many": 200}
INPUTS = ("length", "gravity", "span")


def chain(p: cd.Parameters, points: NDArray[np.float64], *, both: bool = False, load: float = 0.0) -> cd.Model:
    """Thin bars on hinges through points (n + 1, 2), the first of them held; both ends held, or a load [kg] at the last."""
    model = cd.Model("chain", dimension=2, gravity=(0.0, -p.gravity))
    last: Any = model.ground
    for k, (a, b) in enumerate(pairwise(points)):
        turn = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
        bar = cd.RigidBody(
            f"bar {k}", p.mass, inertia=p.mass * p.length**2 / 12.0, position=0.5 * (a + b), rotation=turn
        )
        model.add(bar)
        model.add(cd.Revolute(f"hinge {k}", last, bar, at=a))
        last = bar
    if both:
        model.add(cd.Revolute("far end", model.ground, last, at=points[-1]))
    if load:
        weight = model.add(cd.PointMass("load", load, points[-1]))
        model.add(cd.Pin("hook", weight, last, at=points[-1]))
    return model


def along(p: cd.Parameters, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ends of bars from their angles to the vertical [rad], (n + 1, 2) [m]."""
    steps = p.length * np.column_stack((np.sin(angles), -np.cos(angles)))
    return np.vstack((np.zeros(2), np.cumsum(steps, axis=0)))


def bessel(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """J₀ for small arguments, by its series."""
    term, total = np.ones_like(x), np.ones_like(x)
    for k in range(1, 30):
        term = -term * x * x / (4.0 * k * k)
        total = total + term
    return total


def mode(p: cd.Parameters, bars: int) -> NDArray[np.float64]:
    """How far a hanging chain of length 1 is off the vertical at the ends of its bars, in its slowest swing."""
    return bessel(ZERO * np.sqrt(1.0 - np.arange(bars + 1) / bars))


def period(p: cd.Parameters, bars: int) -> float:
    """Of the slowest small swing of a hanging chain [s]."""
    return float(4.0 * np.pi / ZERO * np.sqrt(bars * p.length / p.gravity))


def small_swing(p: cd.Parameters, bars: int, method: cd.Integrator) -> cd.Outcome:
    """The slowest swing: its period over the closed form, what is left of it after half a period, its shape there."""
    size = p.amplitude * bars * p.length
    start = along(p, np.arcsin(np.diff(size * mode(p, bars)) / p.length))
    end = 0.8 * period(p, bars)
    result = cd.simulate(chain(p, start), end=end, dt=p.dt, integrator=method, every=2, energy_tolerance=np.inf)
    t, x = result.times, result.position(f"bar {bars - 1}")[:, 0]
    k = np.flatnonzero(x[1:] * x[:-1] < 0.0)[:2]
    passed = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    half = int(np.argmin(x))
    middles = np.array([result.position(f"bar {k}")[half] for k in range(bars)])
    wanted = 0.5 * (mode(p, bars)[1:] + mode(p, bars)[:-1])
    E = result.energy["total"]
    return {
        "period": float(2.0 * np.diff(passed)[0]) if len(k) == 2 else np.inf,
        "left": float(-x[half] / x[0]),
        "shape": float(np.abs(middles[:, 0] / middles[-1, 0] - wanted / wanted[-1]).max()),
        "gap": float(result.constraint_error.max()),
        "gained": float((E - E[0]).max() / np.ptp(result.energy["gravity"])),
        "middles": middles,
        "t": t,
        "x": x,
    }


def catenary(p: cd.Parameters, bars: int) -> tuple[float, float]:
    """Of a chain between level supports: horizontal pull over weight, and sag [m]."""
    length, low, high = bars * p.length, 1e-3, 1e3
    for _ in range(200):  # of a with 2 a sinh(span/2a) = length, by bisection
        a = 0.5 * (low + high) * length
        low, high = (low, a / length) if 2.0 * a * np.sinh(0.5 * p.span * length / a) < length else (a / length, high)
    return float(a / length), float(a * (np.cosh(0.5 * p.span * length / a) - 1.0))


def hanging(p: cd.Parameters, bars: int, first_order: cd.Stabilised) -> cd.Outcome:
    """A chain between two supports: relaxed from a V, then stepped from there."""
    lean = np.arcsin(p.span)
    start = along(p, np.where(np.arange(bars) < bars // 2, lean, np.pi - lean))
    rest = cd.relax(chain(p, start, both=True))
    middles = np.array([rest.position(f"bar {k}")[-1] for k in range(bars)])
    ends = [np.zeros(2)]
    for middle in middles:
        ends.append(2.0 * middle - ends[-1])
    ends[-1] = start[-1]
    moved = cd.simulate(chain(p, np.array(ends), both=True), end=1.0, dt=p.dt, integrator=first_order)
    pull, sag = catenary(p, bars)
    weight = bars * p.mass * p.gravity
    return {
        "pull": float(rest.joint_force("far end")[-1][0]),
        "sag": float(-middles[:, 1].min()),
        "of closed form": float(rest.joint_force("far end")[-1][0] / (weight * pull)),
        "sag of closed form": float(-middles[:, 1].min() / sag),
        "held": float(abs(moved.joint_force("far end")[-20:, 0].mean() / (weight * pull) - 1.0)),
        "moved": float(np.abs(moved.position(f"bar {bars // 2}") - middles[bars // 2]).max() / (bars * p.length)),
        "middles": middles,
    }


def folded(p: cd.Parameters) -> cd.Outcome:
    """A chain of which the free end is released beside the support: when it is lowest [s], and the energy by then."""
    down = p.bars // 2
    angles = np.concatenate((np.zeros(down), [0.5 * np.pi], np.full(p.bars - 1 - down, np.pi)))
    stone = float(np.sqrt(2.0 * p.bars * p.length / p.gravity))
    model = chain(p, along(p, angles))
    result = cd.simulate(model, end=0.95 * stone, dt=p.short, integrator=cd.EnergyMomentum())
    y, E = result.position(f"bar {p.bars - 1}")[:, 1], result.energy["total"]
    at = int(np.argmin(y))
    return {
        "time": float(result.times[at]),
        "t": result.times,
        "y": y,
        "drift": float(np.abs(E - E[0]).max() / np.ptp(result.energy["gravity"])),
    }


def loaded(p: cd.Parameters, bars: int, method: cd.Integrator) -> cd.Outcome:
    """A level chain with a load at its end, released: how far joints come apart, what energy appears, where the load goes."""
    model = chain(p, along(p, np.full(bars, 0.5 * np.pi)), load=p.load * p.mass)
    result = cd.simulate(model, end=1.5, dt=p.dt, integrator=method, energy_tolerance=np.inf)
    E = result.energy["total"]
    return {
        "gap": float(result.constraint_error.max()),
        "gained": float((E - E[0]).max() / np.ptp(result.energy["gravity"])),
        "path": result.position("load"),
    }


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Swings, chains at rest and loads of both lengths; the folded chain."""
    held = cd.Stabilised(compliance=p.compliance)
    sizes = {"bars": p.bars, "many": p.many}
    yield {"hanging": {name: hanging(p, bars, cd.Stabilised()) for name, bars in sizes.items()}}
    swings = {(name, "held"): small_swing(p, bars, held) for name, bars in sizes.items()}
    swings |= {(name, "conserving"): small_swing(p, bars, cd.EnergyMomentum()) for name, bars in sizes.items()}
    swings["bars", "plain"] = small_swing(p, p.bars, cd.Compliant(compliance=p.compliance))
    yield {"swing": swings, "closed": {name: period(p, bars) for name, bars in sizes.items()}}
    yield {"folded": folded(p)}
    loads = {name: loaded(p, bars, held) for name, bars in sizes.items()}
    exact = loaded(p, p.bars, cd.EnergyMomentum())["path"]
    yield {"loaded": loads, "off": float(np.abs(loads["bars"]["path"] - exact).max()), "exact": exact}


def of_closed(outcome: cd.Outcome, name: str, method: str) -> float:
    """A period over the closed form."""
    return float(outcome["swing"][name, method]["period"] / outcome["closed"][name])


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The swing of the end, the shapes of swing and rest, and the fall of a folded chain."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 3.6))
    a, b, c = figure.subplots(1, 3)
    for name, label in (("bars", p.bars), ("many", p.many)):
        swing, closed = outcome["swing"][name, "held"], outcome["closed"][name]
        a.plot(swing["t"] / closed, swing["x"] / swing["x"][0], label=f"{label} bars", linewidth=1.0)
    t = np.linspace(0.0, 0.8, 200)
    a.plot(t, np.cos(2.0 * np.pi * t), "k--", linewidth=0.8, label="closed form")
    a.set(xlabel="time over the period", ylabel="end of the chain over its start", title="small swing")
    a.legend(fontsize="small")
    middles, length = outcome["hanging"]["many"]["middles"], p.many * p.length
    b.plot(middles[:, 0] / length, middles[:, 1] / length, linewidth=1.5, label=f"{p.many} bars")
    pull, sag = catenary(p, p.many)
    x = np.linspace(-0.5 * p.span, 0.5 * p.span, 200)
    b.plot(x + 0.5 * p.span, pull * (np.cosh(x / pull) - 1.0) - sag / length, "k--", linewidth=0.8, label="catenary")
    b.set(xlabel="over the length", title="at rest", aspect="equal")
    b.legend(fontsize="small")
    fall = outcome["folded"]
    c.plot(fall["t"], fall["y"], linewidth=1.2, label="free end")
    c.plot(fall["t"], fall["y"][0] - 0.5 * p.gravity * fall["t"] ** 2, "k--", linewidth=0.8, label="a stone")
    c.set(xlabel="time (s)", ylabel="height (m)", title="folded chain")
    c.legend(fontsize="small")
    figure.tight_layout()
    return {"long_chains": figure}


SWING, REST = "4π/j₀,₁ √(L/g): small swing of a hanging chain", "catenary, 2 a sinh(span/2a) = L"
CLAIMS = [
    cd.Claim("horizontal pull of 100 bars at rest", 160.068, lambda o: o["hanging"]["bars"]["pull"], unit="N", tolerance=0.05,
             kind="closed form", origin=REST),
    cd.Claim("sag of 100 bars at rest", 3.62782, lambda o: o["hanging"]["bars"]["sag"], unit="m", tolerance=2e-3,
             kind="closed form", origin=REST),
    cd.Claim("horizontal pull of the longest chain over the closed form", 1.0,
             lambda o: o["hanging"]["many"]["of closed form"], tolerance=1e-4, kind="closed form", origin=REST),
    cd.Claim("sag of the longest chain over the closed form", 1.0, lambda o: o["hanging"]["many"]["sag of closed form"],
             tolerance=1e-4, kind="closed form", origin=REST),
    cd.Claim("pull under first-order steps, longest chain, off the closed form", "none (relative)",
             lambda o: o["hanging"]["many"]["held"], tolerance=1e-4, kind="closed form", origin=REST),
    cd.Claim("how far the longest chain moves from rest under first-order steps, of its length", "stays",
             lambda o: o["hanging"]["many"]["moved"], tolerance=1e-6, kind="property", origin="equilibrium"),
    cd.Claim("period of the small swing of 100 bars, energy–momentum", 5.27584,
             lambda o: o["swing"]["bars", "conserving"]["period"], unit="s", tolerance=1e-3, kind="closed form", origin=SWING),
    cd.Claim("period of the small swing of 100 bars, geometric stiffness", 5.27584,
             lambda o: o["swing"]["bars", "held"]["period"], unit="s", tolerance=3e-3, kind="closed form", origin=SWING),
    cd.Claim("period of the longest chain over the closed form, energy–momentum", 1.0,
             lambda o: of_closed(o, "many", "conserving"), tolerance=1e-4, kind="closed form", origin=SWING),
    cd.Claim("period of the longest chain over the closed form, geometric stiffness", 1.0,
             lambda o: of_closed(o, "many", "held"), tolerance=1e-3, kind="closed form", origin=SWING),
    cd.Claim("what is left of the swing of 100 bars after half a period, geometric stiffness", 0.98146,
             lambda o: o["swing"]["bars", "held"]["left"], tolerance=1e-3, kind="closed form",
             origin="implicit Euler's damping, exp(−ω² h T/4)"),
    cd.Claim("how far the longest chain is from a Bessel function after half a period, of its largest", "small",
             lambda o: o["swing"]["many", "held"]["shape"], tolerance=0.01, kind="closed form", origin="J₀(j₀,₁ √(1 − s/L))"),
    cd.Claim("energy that appears in the swing with geometric stiffness, of what gravity gives up", "none",
             lambda o: max(o["swing"][name, "held"]["gained"] for name in ("bars", "many")), tolerance=1e-6, kind="property",
             origin="geometric stiffness takes energy out"),
    cd.Claim("largest gap of joints in the swing with geometric stiffness", "small",
             lambda o: max(o["swing"][name, "held"]["gap"] for name in ("bars", "many")), unit="m", tolerance=1e-3,
             kind="property", origin="the same runs"),
    cd.Claim("largest gap of joints in the swing without geometric stiffness", "comes apart",
             lambda o: o["swing"]["bars", "plain"]["gap"], unit="m", tolerance=0.1, sense="above", kind="relation",
             origin="the same chain at the same step"),
    cd.Claim("time in which the free end of a folded chain falls", 1.20969, lambda o: o["folded"]["time"], unit="s",
             tolerance=0.01, kind="closed form", origin="calkin-1989: 0.847213 of the time of a stone"),
    cd.Claim("drift of its energy, of what gravity gives up", "none", lambda o: o["folded"]["drift"], tolerance=1e-8,
             kind="property", origin="energy–momentum"),
    cd.Claim("largest gap of joints with a load of ten bars", "small",
             lambda o: max(run["gap"] for run in o["loaded"].values()), unit="m", tolerance=2e-3, kind="property",
             origin="geometric stiffness"),
    cd.Claim("energy that appears with a load of ten bars, of what gravity gives up", "none",
             lambda o: max(run["gained"] for run in o["loaded"].values()), tolerance=0.01, kind="property",
             origin="geometric stiffness takes energy out"),
    cd.Claim("load of 100 bars in 1.5 s, against energy–momentum", "near", lambda o: o["off"], unit="m", tolerance=0.5,
             kind="reference", origin="energy–momentum at the same step"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
