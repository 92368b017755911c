"""A rigid body under given forces follows the exact solution.

Hovey's test B.2.1 of the rigid element: a planar body under a constant, a growing and an oscillating load, 200 steps of
the trapezoidal rule against the exact motion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.hovey_double_pendulum import trapezoidal

PARAMETERS = {
    "mass": cd.Parameter(5.0, "mass", "kg"),
    "inertia": cd.Parameter(1.04167, "moment of inertia", "kg m²"),
    "dt": cd.Parameter(0.05, "time step", "s"),
    "end": cd.Parameter(10.0, "time simulated", "s"),
}


def flying_body(p: cd.Parameters) -> cd.Model:
    """A planar body under F = (2.5, 4.905 t) N, M = 39.4784 sin 2πt N m and gravity."""
    model = cd.Model("flying body", dimension=2, gravity=(0.0, -9.81))
    body = model.add(
        cd.RigidBody("body", p.mass, inertia=p.inertia, position=(3.0, 4.0), rotation=np.pi,
                     velocity=(30 * np.sqrt(2), 30 * np.sqrt(2)), angular_velocity=-0.1 * np.pi)
    )  # fmt: skip
    model.add(cd.Load("push", body, (2.5, 0.0)))
    model.add(cd.Load("lift", body, (0.0, 4.905), scale=cd.Polynomial((0.0, 1.0))))
    model.add(cd.Torque("twist", body, 4.0 * np.pi**2, scale=cd.Harmonic(1.0, 1.0)))
    return model


def exact_flight(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places and angle, shape (3, times) (B.3), with the numbers that are printed."""
    speed, inertia = 30.0 * np.sqrt(2.0), 1.04167
    return np.array([
        0.25 * t**2 + speed * t + 3.0,
        9.81 * (t**3 / 60.0 - 0.5 * t**2) + speed * t + 4.0,
        -np.sin(2 * np.pi * t) / inertia + (-0.1 * np.pi + 2 * np.pi / inertia) * t + np.pi,
    ])  # fmt: skip


def stepped_flight(t: NDArray[np.float64], dt: float) -> NDArray[np.float64]:
    """What the trapezoidal rule makes of it: its sums of powers and of sines have closed forms, too."""
    exact, inertia = exact_flight(t), 1.04167
    exact[1] += 9.81 / 120.0 * dt**2 * t
    share = np.pi * dt / np.tan(np.pi * dt)
    turned = (-0.1 * np.pi + 2 * np.pi / inertia * share) * t - share**2 * np.sin(2 * np.pi * t) / inertia + np.pi
    return np.vstack((exact[:2], turned))


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The trapezoidal rule with the published step, and with half of it."""
    outcome: cd.Outcome = {}
    for name, dt in (("published step", p.dt), ("half step", 0.5 * p.dt)):
        result = context.simulate(name, flying_body(p), end=p.end, dt=dt, integrator=trapezoidal())
        motion = np.vstack((result.position("body").T, np.pi + result.angle("body")))
        outcome[name] = {"t": result.times, "motion": motion, "iterations": result.iterations[1:].max(),
                         "error": np.abs(motion - exact_flight(result.times)).max(axis=1),
                         "rule": np.abs(motion - stepped_flight(result.times, dt)).max(axis=1)}  # fmt: skip
    return outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The three coordinates beside the exact ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 6.0))
    run = outcome["published step"]
    exact = exact_flight(run["t"])
    labels = ("x (m)", "y (m)", "angle (rad)")
    for k, panel in enumerate(figure.subplots(3, 1, sharex=True)):
        panel.plot(run["t"], run["motion"][k], label=f"trapezoidal rule, step {p.dt:g} s")
        panel.plot(run["t"][::10], exact[k][::10], "k.", markersize=4, label="exact (B.1–B.3)")
        panel.set(ylabel=labels[k], xlim=(0.0, p.end))
    panel.set(xlabel="time (s)")
    panel.legend(loc="upper left", fontsize="small")
    return {"flying_body": figure}


CLAIMS = [
    cd.Claim("place x: largest error", "exact for a constant force", lambda o: o["published step"]["error"][0], unit="m",
             tolerance=1e-9, kind="closed form", origin="equation B.3"),
    cd.Claim("place y: largest distance from what the rule makes of a growing force", "the closed form, stepped",
             lambda o: o["published step"]["rule"][1], unit="m", tolerance=1e-9, kind="closed form",
             origin="equation B.3 and (dt²/12) (a − a₀) of the trapezoidal rule"),
    cd.Claim("angle: largest distance from what the rule makes of an oscillating moment", "the closed form, stepped",
             lambda o: o["published step"]["rule"][2], unit="rad", tolerance=1e-9, kind="closed form",
             origin="equation B.3 with the trapezoidal sum of a sine, π dt cot π dt"),
    cd.Claim("angle at the end over the exact one", 1.0,
             lambda o: o["published step"]["motion"][2, -1] / exact_flight(o["published step"]["t"][-1:])[2, 0],
             tolerance=0.01, kind="published", origin="figure B.1: the curves agree, read to 1 %"),
    cd.Claim("angle: order of convergence", 2.0,
             lambda o: np.log2(o["published step"]["error"][2] / o["half step"]["error"][2]), tolerance=0.05,
             kind="property", origin="the trapezoidal rule is of second order"),
    cd.Claim("Newton iterations per step", (1.0, 2.0), lambda o: o["published step"]["iterations"], kind="published",
             origin="appendix B.2.1: two, the second of which finds nothing left to do"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
