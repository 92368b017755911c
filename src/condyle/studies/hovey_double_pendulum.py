"""A double pendulum needs numerical damping if joints are held in positions only.

Hovey's test B.3.1 of the pin between rigid bodies. Damped Newmark with joints held at position level follows a
Runge–Kutta reference for 3 s, the trapezoidal rule fails, as published; energy–momentum stepping needs no damping.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "mass": cd.Parameter(2.0, "mass of a rod", "kg"),
    "length": cd.Parameter(0.5, "length of a rod", "m"),
    "inertia": cd.Parameter(0.0416667, "moment of inertia of a rod", "kg m²"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(3.0, "time simulated", "s"),
}


def damped() -> cd.Newmark:
    """The damped rule of the source, of first order, joints held in positions only."""
    return cd.Newmark(beta=0.3025, gamma=0.6, hold="positions")


def trapezoidal() -> cd.Newmark:
    """The trapezoidal rule, joints held in positions only."""
    return cd.Newmark(beta=0.25, gamma=0.5, hold="positions")


def double_pendulum(p: cd.Parameters, quad: bool = False) -> cd.Model:
    """Two rods from the origin; angles from the downward vertical, the top of a rod at half its length above its centre."""
    model = cd.Model("double pendulum", dimension=2, gravity=(0.0, -p.gravity))
    place, speed = np.zeros(2), np.zeros(2)
    before: Any = model.ground
    for k, (angle, rate) in enumerate(((np.pi / 4, -1.0), (np.pi / 3, 2.0)), start=1):
        down = np.array([np.sin(angle), -np.cos(angle)])
        across = np.array([np.cos(angle), np.sin(angle)])
        half = 0.5 * p.length
        rod = model.add(
            cd.RigidBody(f"rod {k}", p.mass, inertia=p.inertia, position=place + half * down, rotation=angle,
                         velocity=speed + half * rate * across, angular_velocity=rate,
                         outline=[[(0.0, half), (0.0, -half)]])
        )  # fmt: skip
        model.add(cd.Pin(f"pin {k}", before, rod, at=place))
        place, speed, before = place + p.length * down, speed + p.length * rate * across, rod
    if quad:
        nodes = [place + s * 0.5 * p.side * across + r * p.side * down for s, r in ((-1, 0), (-1, 1), (1, 1), (1, 0))]
        material = cd.StVenantKirchhoff(young=p.young, poisson=0.3)
        swollen = 1.0 + p.swelling
        model.add(
            cd.Solid("quad", nodes, [(0, 1, 2, 3)], "quad4", material, quasi_static=True, natural_stretch=swollen)
        )
        model.add(cd.Tie("glue", "quad", [0, 3], before, enforcement="multiplier"))
    return model


def by_angles(
    times: NDArray[np.float64], angles: tuple[float, float], rates: tuple[float, float], moment: float = 0.0
) -> NDArray[np.float64]:
    """The double pendulum of the source by Lagrange's equations of its two angles, shape (2, times).

    With the numbers that are printed, by steps of Runge and Kutta so small that nothing but round-off is left. moment t²
    [N m] turns the lower rod and, the other way, the upper one.
    """
    m, length, inertia, g = 2.0, 0.5, 0.0416667, 9.81
    own, far = inertia + 0.25 * m * length**2, m * length**2

    def change(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        a, b, va, vb = y
        both, across, turn = 0.5 * far * np.cos(a - b), 0.5 * far * np.sin(a - b), moment * t * t
        mass = np.array([[own + far, both], [both, own]])
        force = np.array([-across * vb**2 - 1.5 * m * g * length * np.sin(a) - turn,
                          across * va**2 - 0.5 * m * g * length * np.sin(b) + turn])  # fmt: skip
        return np.concatenate(((va, vb), np.linalg.solve(mass, force)))

    y, out = np.array([*angles, *rates]), [np.array(angles)]
    for begin, end in pairwise(times):
        parts = max(1, round((end - begin) / 0.00125))
        h = (end - begin) / parts
        for k in range(parts):
            t = begin + k * h
            k1 = change(t, y)
            k2 = change(t + 0.5 * h, y + 0.5 * h * k1)
            k3 = change(t + 0.5 * h, y + 0.5 * h * k2)
            y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + change(t + h, y + h * k3))
        out.append(y[:2])
    return np.transpose(out)


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Damped Newmark as published against Runge–Kutta; the trapezoidal rule, which fails; the quadrilateral."""
    outcome: cd.Outcome = {}
    reference = context.simulate("reference", double_pendulum(p), end=p.end, dt=0.25 * p.dt, integrator=cd.RungeKutta())
    outcome["Runge–Kutta"] = rod_angles(reference)
    times = reference.times[::4]
    outcome["reference"] = {"t": times, "angles": by_angles(times, (np.pi / 4, np.pi / 3), (-1.0, 2.0))}
    runs = {
        "damped": (damped(), "zero-acceleration", p.dt),
        "energy–momentum": (cd.EnergyMomentum(), "consistent", p.dt),
        "energy–momentum, fine": (cd.EnergyMomentum(), "consistent", 0.5 * p.dt),
        "damped, fine": (damped(), "zero-acceleration", 0.2 * p.dt),
    }
    for name, (method, start, dt) in runs.items():
        result = context.simulate(name, double_pendulum(p), end=p.end, dt=dt, integrator=method, start=start)
        outcome[name] = rod_angles(result) | {"iterations": result.iterations[1:].max()}
    failing = context.simulate("trapezoidal", double_pendulum(p), end=p.end, dt=p.dt, integrator=trapezoidal(),
                               start="zero-acceleration", on_failure="return")  # fmt: skip
    force = np.linalg.norm(failing.joint_force("pin 1"), axis=1) if len(failing) > 1 else np.array([np.inf])
    outcome["trapezoidal"] = {"t": failing.multiplier_times, "force": force, "failed": failing.status == "failed"}
    outcome["damped"]["force"] = np.linalg.norm(context.results["damped"].joint_force("pin 1"), axis=1)
    outcome["damped"]["force t"] = context.results["damped"].multiplier_times
    return outcome


def rod_angles(result: cd.Result) -> cd.Outcome:
    return {"t": result.times, "angles": np.array([
        start + result.angle(f"rod {k}") for k, start in ((1, np.pi / 4), (2, np.pi / 3))
    ])}  # fmt: skip


def miss(outcome: cd.Outcome, name: str, end: float = np.inf) -> float:
    """Largest distance of the angles from Lagrange's equations up to a time [rad]."""
    run, ref = outcome[name], outcome["reference"]
    every = round(ref["t"][1] / run["t"][1])
    apart = np.abs(run["angles"][:, ::every] - ref["angles"])
    return float(apart[:, ref["t"] <= end].max())


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Angles against the reference; the pin force of both Newmark rules."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 6.4))
    top, bottom = figure.subplots(2, 1, sharex=True)
    for k, name in enumerate(("rod 1", "rod 2")):
        top.plot(outcome["reference"]["t"], outcome["reference"]["angles"][k], "k-", linewidth=0.9,
                 label="Lagrange's equations" if k == 0 else None)  # fmt: skip
        top.plot(outcome["damped"]["t"], outcome["damped"]["angles"][k], "--", label=f"{name}, damped Newmark")
    top.set(ylabel="angle from the vertical (rad)", xlim=(0.0, p.end))
    top.legend(loc="best", fontsize="small")
    bottom.semilogy(
        outcome["trapezoidal"]["t"], outcome["trapezoidal"]["force"], label="β = ¼, γ = ½ (published: diverges)"
    )
    bottom.semilogy(outcome["damped"]["force t"], outcome["damped"]["force"], label="β = 0.3025, γ = 0.6")
    bottom.set(xlabel="time (s)", ylabel="force at the upper pin (N)")
    bottom.legend(loc="upper left", fontsize="small")
    return {"double_pendulum_b31": figure}


CLAIMS = [
    cd.Claim("Runge–Kutta: distance from Lagrange's equations", "the same motion", lambda o: miss(o, "Runge–Kutta"),
             unit="rad", tolerance=1e-5, kind="closed form", origin="appendix B.3.1, two angles, solved to round-off"),
    cd.Claim("damped Newmark: distance from Lagrange's equations in the first second", "the curves agree",
             lambda o: miss(o, "damped", 1.0), unit="rad", tolerance=0.05, kind="published",
             origin="figure B.2, read to 0.05 rad"),
    cd.Claim("damped Newmark, a fifth of the step: distance over that of the whole", 0.2,
             lambda o: miss(o, "damped, fine", 1.0) / miss(o, "damped", 1.0), tolerance=0.03, kind="property",
             origin="first order"),
    cd.Claim("damped Newmark: most iterations", (1.0, 4.0), lambda o: o["damped"]["iterations"], kind="published",
             origin="appendix B.3.1: 4, quadratic"),
    cd.Claim("trapezoidal rule: largest pin force, or failure", "diverges",
             lambda o: max(o["trapezoidal"]["force"].max(), 1e9 * o["trapezoidal"]["failed"]), unit="N", tolerance=1e4,
             sense="above", kind="published", origin="appendix B.3.1"),
    cd.Claim("energy–momentum: order of convergence", 2.0,
             lambda o: np.log2(miss(o, "energy–momentum", 1.0) / miss(o, "energy–momentum, fine", 1.0)), tolerance=0.1,
             kind="property", origin="second order, no damping"),
    cd.Claim("energy–momentum: distance from Lagrange's equations in the first second", "near",
             lambda o: miss(o, "energy–momentum", 1.0), unit="rad", tolerance=0.01, kind="closed form",
             origin="two angles, solved to round-off; second order"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
