"""An actuator that gives a moment about a hinge, with its whole derivative.

Hovey's test B.3.3 of the moment actuator: two hanging links with a moment t² between them. The tension follows the arm;
with the derivative of the arm, which the source leaves out, Newton's method converges quadratically.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import condyle as cd
from condyle.studies.hovey_double_pendulum import PARAMETERS as RODS
from condyle.studies.hovey_double_pendulum import by_angles, damped, miss

PARAMETERS = RODS | {
    "moment": cd.Parameter(1.0, "moment of the actuator over t²", "N m/s²"),
    "dt": cd.Parameter(0.05, "time step", "s"), "end": cd.Parameter(2.0, "time simulated", "s"),
}  # fmt: skip


def actuated_links(p: cd.Parameters) -> cd.Model:
    """Two hanging links with a moment that grows with t² between them, by an actuator on the right; that on the left rests."""
    model = cd.Model("actuated links", dimension=2, gravity=(0.0, -p.gravity))
    half = 0.5 * p.length
    one, two = (
        model.add(cd.RigidBody(name, p.mass, inertia=p.inertia, position=(0.25, y), outline=[[(0, -half), (0, half)]]))
        for name, y in (("upper", -half), ("lower", -3 * half))
    )
    model.add(cd.Pin("top", model.ground, one, at=(0.25, 0.0)))
    model.add(cd.Pin("hinge", one, two, at=(0.25, -p.length)))
    growing = cd.Polynomial((0.0, 0.0, 1.0))
    for side, x, moment in (("left", -0.25, 0.0), ("right", 0.25, p.moment)):
        model.add(cd.MomentActuator(side, one.at(x, 0.0), two.at(x, 0.0), one.at(0.0, -half), moment, growing))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The actuator by the published rule and step, and by energy–momentum stepping in short steps."""
    runs: dict[str, tuple[float, dict[str, Any]]] = {
        "damped": (p.dt, {"integrator": damped(), "start": "zero-acceleration"}),
        "damped, fine": (0.2 * p.dt, {"integrator": damped(), "start": "zero-acceleration"}),
        "energy–momentum": (0.1 * p.dt, {}),
    }
    outcome: cd.Outcome = {}
    for name, (dt, options) in runs.items():
        result = context.simulate(name, actuated_links(p), end=p.end, dt=dt, **options)
        angles = np.array([result.angle(b) for b in ("upper", "lower")])
        outcome[name] = {"t": result.times, "angles": angles, "iterations": result.iterations[1:].max()}
    times = outcome["damped"]["t"]
    outcome["reference"] = {"t": times, "angles": by_angles(times, (0.0, 0.0), (0.0, 0.0), moment=1.0)}
    return outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Angles of both links."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 3.8))
    panel = figure.subplots()
    for k, name in enumerate(("upper", "lower")):
        for run, line in (("energy–momentum", "-"), ("damped", "--")):
            panel.plot(outcome[run]["t"], np.degrees(outcome[run]["angles"][k]), line, color=f"C{k}",
                       label=f"{name} link, {run}")  # fmt: skip
        panel.plot(outcome["reference"]["t"][::2], np.degrees(outcome["reference"]["angles"][k][::2]), "k.", markersize=4,
                   label="Lagrange's equations, moment t² N m" if k else None)  # fmt: skip
    panel.set(xlabel="time (s)", ylabel="angle (°)", xlim=(0.0, p.end))
    panel.legend(loc="upper left", fontsize="small")
    return {"moment_actuator_b33": figure}


CLAIMS = [
    cd.Claim("energy–momentum: distance from Lagrange's equations with the moment t²", "the same motion",
             lambda o: np.degrees(miss(o, "energy–momentum")), unit="°", tolerance=0.02, kind="closed form",
             origin="two angles, solved to round-off; the motion reaches 50°"),
    cd.Claim("damped Newmark, a fifth of the step: distance over that of the whole", 0.2,
             lambda o: miss(o, "damped, fine") / miss(o, "damped"), tolerance=0.04, kind="property", origin="first order"),
    cd.Claim("damped Newmark: largest distance from Lagrange's equations", "the curves agree",
             lambda o: np.degrees(miss(o, "damped")), unit="°", tolerance=1.0, kind="published",
             origin="figure B.6, read to 1°"),
    cd.Claim("damped Newmark: most iterations", (1.0, 4.0), lambda o: o["damped"]["iterations"], kind="published",
             origin="appendix B.3.3: 4, quadratic"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
