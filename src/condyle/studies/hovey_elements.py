"""The element tests of Hovey's appendix B that need no contact: rigid body, double pendulum, tie, dashpot, moment actuator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import condyle as cd

SOURCE = "Hovey 2000, appendix B"


def damped() -> Any:
    """The damped rule of the source, of first order, joints held in positions only."""
    return cd.Newmark(beta=0.3025, gamma=0.6, hold="positions")


def trapezoidal() -> Any:
    """The trapezoidal rule, joints held in positions only."""
    return cd.Newmark(beta=0.25, gamma=0.5, hold="positions")


# --- B.2.1: a rigid body under given forces ---------------------------------------------------------------------------


def flying_body(p: Any) -> cd.Model:
    """A planar body under F = (2.5, 4.905 t) N, M = 39.4784 sin 2πt N m and gravity."""
    model = cd.Model("flying body", dimension=2, gravity=(0.0, -9.81))
    body = model.add(
        cd.RigidBody("body", p.mass, inertia=p.inertia, position=(3.0, 4.0), rotation=np.pi,
                     velocity=(30 * np.sqrt(2), 30 * np.sqrt(2)), angular_velocity=-0.1 * np.pi)
    )  # fmt: skip
    model.add(cd.Load("push", body, (2.5, 0.0)))
    model.add(cd.Load("lift", body, (0.0, 4.905), scale=cd.Function(lambda t: t)))
    model.add(cd.Torque("twist", body, 4.0 * np.pi**2, scale=cd.Harmonic(1.0, 1.0)))
    return model


def exact_flight(p: Any, t: Any) -> Any:
    """Places and angle, shape (3, times) (B.1–B.3)."""
    speed = 30.0 * np.sqrt(2.0)
    return np.array([
        0.25 * t**2 + speed * t + 3.0,
        9.81 * (t**3 / 60.0 - 0.5 * t**2) + speed * t + 4.0,
        -np.sin(2 * np.pi * t) / p.inertia + (-0.1 * np.pi + 2 * np.pi / p.inertia) * t + np.pi,
    ])  # fmt: skip


def run_flight(p: Any, context: cd.Context) -> dict[str, Any]:
    """The trapezoidal rule with the published step, and with half of it."""
    outcome: dict[str, Any] = {}
    for name, dt in (("published step", p.dt), ("half step", 0.5 * p.dt)):
        result = context.simulate(name, flying_body(p), end=p.end, dt=dt, integrator=trapezoidal())
        motion = np.vstack((result.position("body").T, np.pi + result.angle("body")))
        outcome[name] = {"t": result.times, "motion": motion, "iterations": result.iterations[1:].max(),
                         "error": np.abs(motion - exact_flight(p, result.times)).max(axis=1)}  # fmt: skip
    return outcome


def draw_flight(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """The three coordinates beside the exact ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 6.0))
    run = outcome["published step"]
    exact = exact_flight(p, run["t"])
    labels = ("x (m)", "y (m)", "angle (rad)")
    for k, panel in enumerate(figure.subplots(3, 1, sharex=True)):
        panel.plot(run["t"], run["motion"][k], label=f"trapezoidal rule, step {p.dt:g} s")
        panel.plot(run["t"][::10], exact[k][::10], "k.", markersize=4, label="exact (B.1–B.3)")
        panel.set(ylabel=labels[k], xlim=(0.0, p.end))
    panel.set(xlabel="time (s)")
    panel.legend(loc="upper left", fontsize="small")
    return {"flying_body": figure}


FLIGHT = cd.Study(
    name="hovey-rigid-body",
    title="A rigid body under given forces follows the exact solution",
    source="hovey-2000",
    summary=(
        "Hovey's test B.2.1 of the rigid element: a planar body under a constant, a growing and an oscillating load, "
        "200 steps of the trapezoidal rule against the exact motion."
    ),
    parameters={
        "mass": cd.Parameter(5.0, "mass", "kg"),
        "inertia": cd.Parameter(1.04167, "moment of inertia", "kg m²"),
        "dt": cd.Parameter(0.05, "time step", "s"),
        "end": cd.Parameter(10.0, "time simulated", "s"),
    },
    run=run_flight,
    claims=[
        cd.Claim("place x: largest error", "exact for a constant force", lambda o: o["published step"]["error"][0], unit="m",
                 tolerance=1e-9, origin=f"{SOURCE}.2.1; closed form"),
        cd.Claim("place y: largest error", "the exact curve", lambda o: o["published step"]["error"][1], unit="m",
                 tolerance=0.05, origin=f"{SOURCE}.2.1; closed form"),
        cd.Claim("angle: largest error", "the exact curve", lambda o: o["published step"]["error"][2], unit="rad",
                 tolerance=0.6, origin=f"{SOURCE}.2.1; closed form: 1 % of 60 rad is what (2π h)²/12 gives at this step"),
        cd.Claim("angle: order of convergence", 2.0,
                 lambda o: np.log2(o["published step"]["error"][2] / o["half step"]["error"][2]), tolerance=0.1,
                 origin="the trapezoidal rule is of second order"),
        cd.Claim("Newton iterations per step", (1.0, 2.0), lambda o: o["published step"]["iterations"],
                 origin=f"{SOURCE}.2.1: 2"),
    ],
    figures=draw_flight,
)  # fmt: skip

# --- B.3.1 and B.3.2: double pendulum, and a massless quadrilateral tied to it ----------------------------------------


def double_pendulum(p: Any, quad: bool = False) -> cd.Model:
    """Two rods from the origin; angles from the downward vertical, the top of a rod at half its length above its centre."""
    model = cd.Model("double pendulum", dimension=2, gravity=(0.0, -9.81))
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
        model.add(cd.Solid("quad", nodes, [(0, 1, 2, 3)], "quad4", material, quasi_static=True))
        model.add(cd.Tie("glue", "quad", [0, 3], before, enforcement="multiplier"))
    return model


def run_pendulum(p: Any, context: cd.Context) -> dict[str, Any]:
    """Damped Newmark as published against Runge–Kutta; the trapezoidal rule, which fails; the quadrilateral."""
    outcome: dict[str, Any] = {}
    reference = context.simulate("reference", double_pendulum(p), end=p.end, dt=0.25 * p.dt, integrator=cd.RungeKutta())
    outcome["reference"] = _angles(reference)
    runs = {
        "damped": (damped(), "zero-acceleration", p.dt),
        "energy–momentum": (cd.EnergyMomentum(), "consistent", p.dt),
        "damped, fine": (damped(), "zero-acceleration", 0.2 * p.dt),
    }
    for name, (method, start, dt) in runs.items():
        result = context.simulate(name, double_pendulum(p), end=p.end, dt=dt, integrator=method, start=start)
        outcome[name] = _angles(result) | {"iterations": result.iterations[1:].max()}
    failing = context.simulate("trapezoidal", double_pendulum(p), end=p.end, dt=p.dt, integrator=trapezoidal(),
                               start="zero-acceleration", on_failure="return")  # fmt: skip
    force = np.linalg.norm(failing.joint_force("pin 1"), axis=1) if len(failing) > 1 else np.array([np.inf])
    outcome["trapezoidal"] = {"t": failing.multiplier_times, "force": force, "failed": failing.status == "failed"}
    outcome["damped"]["force"] = np.linalg.norm(context.results["damped"].joint_force("pin 1"), axis=1)
    outcome["damped"]["force t"] = context.results["damped"].multiplier_times
    return outcome


def _angles(result: Any) -> dict[str, Any]:
    return {"t": result.times, "angles": np.array([
        start + result.angle(f"rod {k}") for k, start in ((1, np.pi / 4), (2, np.pi / 3))
    ])}  # fmt: skip


def miss(outcome: Mapping[str, Any], name: str) -> float:
    """Root mean square distance of the angles from the reference [rad]."""
    run, ref = outcome[name], outcome["reference"]
    exact = np.array([np.interp(run["t"], ref["t"], a) for a in ref["angles"]])
    return float(np.sqrt(np.mean((run["angles"] - exact) ** 2)))


def draw_pendulum(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Angles against the reference; the pin force of both Newmark rules."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 6.4))
    top, bottom = figure.subplots(2, 1, sharex=True)
    for k, name in enumerate(("rod 1", "rod 2")):
        top.plot(outcome["reference"]["t"], outcome["reference"]["angles"][k], "k-", linewidth=0.9,
                 label="Runge–Kutta" if k == 0 else None)  # fmt: skip
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


_RODS = {
    "mass": cd.Parameter(2.0, "mass of a rod", "kg"),
    "length": cd.Parameter(0.5, "length of a rod", "m"),
    "inertia": cd.Parameter(0.0416667, "moment of inertia of a rod", "kg m²"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(3.0, "time simulated", "s"),
}

PENDULUM = cd.Study(
    name="hovey-double-pendulum",
    title="A double pendulum needs numerical damping if joints are held in positions only",
    source="hovey-2000",
    summary=(
        "Hovey's test B.3.1 of the pin between rigid bodies. Damped Newmark with joints held at position level follows a "
        "Runge–Kutta reference for 3 s, the trapezoidal rule fails, as published; energy–momentum stepping needs no damping."
    ),
    parameters=_RODS,
    run=run_pendulum,
    claims=[
        cd.Claim("damped Newmark: distance from Runge–Kutta", (0.0, 0.35), lambda o: miss(o, "damped"), unit="rad",
                 origin=f"{SOURCE}.3.1: the curves agree; the rule is of first order"),
        cd.Claim("damped Newmark, a fifth of the step: distance", "five times nearer", lambda o: miss(o, "damped, fine")
                 / miss(o, "damped"), tolerance=0.25, origin="first order"),
        cd.Claim("damped Newmark: most iterations", (1.0, 4.0), lambda o: o["damped"]["iterations"],
                 origin=f"{SOURCE}.3.1: 4, quadratic"),
        cd.Claim("trapezoidal rule: largest pin force, or failure", "diverges",
                 lambda o: max(o["trapezoidal"]["force"].max(), 1e9 * o["trapezoidal"]["failed"]), unit="N", tolerance=1e4,
                 sense="above", origin=f"{SOURCE}.3.1"),
        cd.Claim("energy–momentum: distance from Runge–Kutta", (0.0, 0.05), lambda o: miss(o, "energy–momentum"), unit="rad",
                 origin="second order, no damping"),
    ],
    figures=draw_pendulum,
)  # fmt: skip


def run_tied(p: Any, context: cd.Context) -> dict[str, Any]:
    """The pendulum with and without the quadrilateral, by the same rule."""
    outcome: dict[str, Any] = {}
    for name, quad in (("alone", False), ("with quad", True)):
        result = context.simulate(name, double_pendulum(p, quad), end=p.end, dt=p.dt, integrator=damped())
        outcome[name] = _angles(result) | {"iterations": result.iterations[1:].max()}
    forces = context.results["with quad"].multipliers("glue")
    outcome["forces"] = np.stack([forces["x"], forces["y"]], axis=-1)  # (times, nodes, 2)
    outcome["force times"] = context.results["with quad"].multiplier_times
    outcome["pin"] = np.linalg.norm(context.results["with quad"].joint_force("pin 2"), axis=1)
    return outcome


def draw_tied(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Angles of both runs; sum of the interface forces."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 6.0))
    top, bottom = figure.subplots(2, 1, sharex=True)
    for k, name in enumerate(("rod 1", "rod 2")):
        top.plot(outcome["alone"]["t"], outcome["alone"]["angles"][k], label=f"{name} alone")
        top.plot(outcome["with quad"]["t"][::10], outcome["with quad"]["angles"][k][::10], "k.", markersize=4,
                 label="with the quadrilateral" if k else None)  # fmt: skip
    top.set(ylabel="angle from the vertical (rad)", xlim=(0.0, p.end))
    top.legend(loc="best", fontsize="small")
    total = np.linalg.norm(outcome["forces"].sum(axis=1), axis=1)
    bottom.semilogy(outcome["force times"], np.maximum(total, 1e-18), label="sum of the two interface forces")
    bottom.semilogy(outcome["force times"], outcome["pin"], label="force at the middle pin")
    bottom.set(xlabel="time (s)", ylabel="force (N)")
    bottom.legend(loc="center right", fontsize="small")
    return {"tied_quad_b32": figure}


TIED = cd.Study(
    name="hovey-tied-quad",
    title="A massless quadrilateral tied to a pendulum changes nothing",
    source="hovey-2000",
    summary=(
        "Hovey's test B.3.2 of the pin between a deformable and a rigid body: one quadrilateral, two of its nodes tied to the "
        "end of the second rod. The motion stays the same and the interface forces balance each other."
    ),
    parameters=_RODS | {
        "side": cd.Parameter(0.5, "side of the quadrilateral", "m"),
        "young": cd.Parameter(1e4, "Young's modulus (not given in the source)", "Pa"),
    },
    run=run_tied,
    claims=[
        cd.Claim("largest change of the angles", "none",
                 lambda o: np.abs(o["with quad"]["angles"] - o["alone"]["angles"]).max(), unit="rad", tolerance=1e-9,
                 origin=f"{SOURCE}.3.2: the motion must not change"),
        cd.Claim("largest sum of the interface forces", "zero",
                 lambda o: np.linalg.norm(o["forces"].sum(axis=1), axis=1).max() / o["pin"].max(), tolerance=1e-6,
                 origin=f"{SOURCE}.3.2: the interface forces sum to zero"),
    ],
    figures=draw_tied,
    quick={"end": 1.0},
)  # fmt: skip

# --- B.3.3: dashpot and moment actuator -------------------------------------------------------------------------------


def dashpot_model(p: Any, place: tuple[float, float]) -> cd.Model:
    """A mass on a dashpot from the origin, released at rest."""
    model = cd.Model("dashpot", dimension=2, gravity=(0.0, -p.gravity))
    model.add(cd.PointMass("mass", p.mass, position=place))
    model.add(cd.Damper("dashpot", "ground", "mass", p.damping))
    return model


READINGS = {"as printed: starts at (0, 2)": (0.0, 2.0), "as meant: starts at (2, 0)": (2.0, 0.0)}


def run_dashpot(p: Any, context: cd.Context) -> dict[str, Any]:
    """Both readings of the place at the start, each beside an adaptive solver."""
    outcome: dict[str, Any] = {}
    for k, (name, place) in enumerate(READINGS.items()):
        end = p.end if k else p.printed_end
        result = context.simulate(f"reading-{k}", dashpot_model(p, place), end=end, dt=p.dt, integrator=trapezoidal())
        exact = context.simulate(f"reference-{k}", dashpot_model(p, place), end=end, dt=p.dt,
                                 integrator=cd.ScipyReference("DOP853", rtol=1e-8, atol=1e-10))  # fmt: skip
        outcome[name] = {"t": result.times, "place": result.position("mass"), "exact": exact.position("mass"),
                         "iterations": result.iterations[1:].max()}  # fmt: skip
    return outcome


def draw_dashpot(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Places over time of both readings."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 5.6))
    for panel, (name, run) in zip(figure.subplots(2, 1), outcome.items(), strict=True):
        for k, axis in enumerate("xy"):
            panel.plot(run["t"], run["place"][:, k], label=f"{axis}, trapezoidal rule, step {p.dt:g} s")
        panel.plot(run["t"][::3], run["exact"][::3], "k.", markersize=4)
        panel.plot([], [], "k.", markersize=4, label="adaptive reference")
        panel.set(title=name, ylabel="place (m)", xlim=(0.0, run["t"][-1]))
    panel.set(xlabel="time (s)")
    panel.legend(loc="best", fontsize="small")
    return {"dashpot_b33": figure}


PRINTED, MEANT = READINGS


def apart(outcome: Mapping[str, Any], reading: str) -> float:
    """Largest distance of the mass from the reference [m]."""
    return float(np.abs(outcome[reading]["place"] - outcome[reading]["exact"]).max())


DASHPOT = cd.Study(
    name="hovey-dashpot",
    title="A dashpot between two points: two readings of the published test",
    source="hovey-2000",
    summary=(
        "Hovey's test B.3.3 of the dashpot. The printed start (0, 2) gives a straight fall with a closed form, which "
        "ends where the dashpot has no length; the rotation that the text speaks of needs the start (2, 0). Both are run."
    ),
    parameters={
        "mass": cd.Parameter(4.0, "mass", "kg"),
        "damping": cd.Parameter(50.0, "damping", "N s/m"),
        "gravity": cd.Parameter(10.0, "gravity", "m/s²"),
        "dt": cd.Parameter(0.1, "time step", "s"),
        "end": cd.Parameter(10.0, "time simulated", "s"),
        "printed_end": cd.Parameter(2.4, "time simulated of the printed reading, before the length is zero", "s"),
    },
    run=run_dashpot,
    claims=[
        cd.Claim("as printed: distance of the reference from the closed form", "2 − 0.8 t + 0.064 (1 − e^(−12.5 t))",
                 lambda o: np.abs(o[PRINTED]["exact"][:, 1] - 2.0 + 0.8 * o[PRINTED]["t"]
                                  - 0.064 * (1.0 - np.exp(-12.5 * o[PRINTED]["t"]))).max(),
                 unit="m", tolerance=1e-7, origin="closed form"),
        cd.Claim("as printed: distance from the closed form", "small", lambda o: apart(o, PRINTED), unit="m",
                 tolerance=0.02, origin=f"{SOURCE}.3.3"),
        cd.Claim("as printed: most iterations", (1.0, 2.0), lambda o: o[PRINTED]["iterations"],
                 origin="nothing turns: it is almost linear, so the published ~5 cannot belong to it"),
        cd.Claim("as meant: distance from the reference", "small", lambda o: apart(o, MEANT), unit="m",
                 tolerance=0.08, origin=f"{SOURCE}.3.3: agrees with ODE45"),
        cd.Claim("as meant: most iterations", (3.0, 6.0), lambda o: o[MEANT]["iterations"], origin=f"{SOURCE}.3.3: about 5"),
    ],
    figures=draw_dashpot,
)  # fmt: skip


def actuated_links(p: Any, actuator: bool) -> cd.Model:
    """Two hanging links with a moment t² between them: by an actuator on the right, or by torques."""
    model = cd.Model("actuated links", dimension=2, gravity=(0.0, -9.81))
    half = 0.5 * p.length
    one, two = (
        model.add(cd.RigidBody(name, p.mass, inertia=p.inertia, position=(0.25, y), outline=[[(0, -half), (0, half)]]))
        for name, y in (("upper", -half), ("lower", -3 * half))
    )
    model.add(cd.Pin("top", model.ground, one, at=(0.25, 0.0)))
    model.add(cd.Pin("hinge", one, two, at=(0.25, -p.length)))
    growing = cd.Function(lambda t: t * t)
    if not actuator:
        model.add(cd.Torque("on the lower", two, 1.0, growing))
        model.add(cd.Torque("on the upper", one, -1.0, growing))
        return model
    for side, x, moment in (("left", -0.25, 0.0), ("right", 0.25, 1.0)):
        model.add(cd.MomentActuator(side, one.at(x, 0.0), two.at(x, 0.0), one.at(0.0, -half), moment, growing))
    return model


def run_moment(p: Any, context: cd.Context) -> dict[str, Any]:
    """The actuator by the published rule, and the equivalent torques by Runge–Kutta."""
    result = context.simulate("actuator", actuated_links(p, True), end=p.end, dt=p.dt, integrator=damped(),
                              start="zero-acceleration")  # fmt: skip
    exact = context.simulate("torques", actuated_links(p, False), end=p.end, dt=0.1 * p.dt, integrator=cd.RungeKutta())
    sharp = context.simulate("actuator by energy–momentum", actuated_links(p, True), end=p.end, dt=0.1 * p.dt)
    return {
        "t": result.times, "angles": np.array([result.angle(b) for b in ("upper", "lower")]),
        "exact t": exact.times, "exact": np.array([exact.angle(b) for b in ("upper", "lower")]),
        "sharp": np.array([sharp.angle(b) for b in ("upper", "lower")]),
        "iterations": result.iterations[1:].max(), "sharp iterations": sharp.iterations[1:].max(),
    }  # fmt: skip


def draw_moment(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Angles of both links."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 3.8))
    panel = figure.subplots()
    for k, name in enumerate(("upper", "lower")):
        panel.plot(outcome["t"], np.degrees(outcome["angles"][k]), label=f"{name} link, moment actuator")
        panel.plot(outcome["exact t"][::20], np.degrees(outcome["exact"][k][::20]), "k.", markersize=4,
                   label="torques of t² N m, Runge–Kutta" if k else None)  # fmt: skip
    panel.set(xlabel="time (s)", ylabel="angle (°)", xlim=(0.0, p.end))
    panel.legend(loc="upper left", fontsize="small")
    return {"moment_actuator_b33": figure}


MOMENT = cd.Study(
    name="hovey-moment-actuator",
    title="An actuator that gives a moment about a hinge, with its whole derivative",
    source="hovey-2000",
    summary=(
        "Hovey's test B.3.3 of the moment actuator: two hanging links with a moment t² between them. The tension follows the "
        "arm; with the derivative of the arm, which the source leaves out, Newton's method converges quadratically."
    ),
    parameters=_RODS | {"dt": cd.Parameter(0.05, "time step", "s"), "end": cd.Parameter(2.0, "time simulated", "s")},
    run=run_moment,
    claims=[
        cd.Claim("damped Newmark: distance from torques by Runge–Kutta", (0.0, 8.0),
                 lambda o: np.degrees(np.abs(o["angles"] - o["exact"][:, ::10]).max()), unit="°",
                 origin=f"{SOURCE}.3.3: the curves agree; the rule is of first order"),
        cd.Claim("energy–momentum: distance from torques by Runge–Kutta", "the same motion",
                 lambda o: np.degrees(np.abs(o["sharp"] - o["exact"]).max()), unit="°", tolerance=0.02,
                 origin="an internal moment acts as two torques"),
        cd.Claim("damped Newmark: most iterations", (1.0, 4.0), lambda o: o["iterations"], origin=f"{SOURCE}.3.3: 4"),
    ],
    figures=draw_moment,
)  # fmt: skip

STUDIES = [FLIGHT, PENDULUM, TIED, DASHPOT, MOMENT]
