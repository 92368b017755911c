"""The element tests of Hovey's appendix B that need no contact: rigid body, double pendulum, tie, dashpot, moment actuator."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

import condyle as cd


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


def exact_flight(t: Any) -> Any:
    """Places and angle, shape (3, times) (B.3), with the numbers that are printed."""
    speed, inertia = 30.0 * np.sqrt(2.0), 1.04167
    return np.array([
        0.25 * t**2 + speed * t + 3.0,
        9.81 * (t**3 / 60.0 - 0.5 * t**2) + speed * t + 4.0,
        -np.sin(2 * np.pi * t) / inertia + (-0.1 * np.pi + 2 * np.pi / inertia) * t + np.pi,
    ])  # fmt: skip


def stepped_flight(t: Any, dt: float) -> Any:
    """What the trapezoidal rule makes of it: its sums of powers and of sines have closed forms, too."""
    exact, inertia = exact_flight(t), 1.04167
    exact[1] += 9.81 / 120.0 * dt**2 * t
    share = np.pi * dt / np.tan(np.pi * dt)
    turned = (-0.1 * np.pi + 2 * np.pi / inertia * share) * t - share**2 * np.sin(2 * np.pi * t) / inertia + np.pi
    return np.vstack((exact[:2], turned))


def run_flight(p: Any, context: cd.Context) -> dict[str, Any]:
    """The trapezoidal rule with the published step, and with half of it."""
    outcome: dict[str, Any] = {}
    for name, dt in (("published step", p.dt), ("half step", 0.5 * p.dt)):
        result = context.simulate(name, flying_body(p), end=p.end, dt=dt, integrator=trapezoidal())
        motion = np.vstack((result.position("body").T, np.pi + result.angle("body")))
        outcome[name] = {"t": result.times, "motion": motion, "iterations": result.iterations[1:].max(),
                         "error": np.abs(motion - exact_flight(result.times)).max(axis=1),
                         "rule": np.abs(motion - stepped_flight(result.times, dt)).max(axis=1)}  # fmt: skip
    return outcome


def draw_flight(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
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
    ],
    figures=draw_flight,
)  # fmt: skip

# --- B.3.1 and B.3.2: double pendulum, and a massless quadrilateral tied to it ----------------------------------------


def double_pendulum(p: Any, quad: bool = False) -> cd.Model:
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


def by_angles(times: Any, angles: tuple[float, float], rates: tuple[float, float], moment: float = 0.0) -> Any:
    """The double pendulum of the source by Lagrange's equations of its two angles, shape (2, times).

    With the numbers that are printed, by steps of Runge and Kutta so small that nothing but round-off is left. moment t²
    [N m] turns the lower rod and, the other way, the upper one.
    """
    m, length, inertia, g = 2.0, 0.5, 0.0416667, 9.81
    own, far = inertia + 0.25 * m * length**2, m * length**2

    def change(t: float, y: Any) -> Any:
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


def run_pendulum(p: Any, context: cd.Context) -> dict[str, Any]:
    """Damped Newmark as published against Runge–Kutta; the trapezoidal rule, which fails; the quadrilateral."""
    outcome: dict[str, Any] = {}
    reference = context.simulate("reference", double_pendulum(p), end=p.end, dt=0.25 * p.dt, integrator=cd.RungeKutta())
    outcome["Runge–Kutta"] = _angles(reference)
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


def miss(outcome: Mapping[str, Any], name: str, end: float = np.inf) -> float:
    """Largest distance of the angles from Lagrange's equations up to a time [rad]."""
    run, ref = outcome[name], outcome["reference"]
    every = round(ref["t"][1] / run["t"][1])
    apart = np.abs(run["angles"][:, ::every] - ref["angles"])
    return float(apart[:, ref["t"] <= end].max())


def draw_pendulum(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
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


_RODS = {
    "mass": cd.Parameter(2.0, "mass of a rod", "kg"),
    "length": cd.Parameter(0.5, "length of a rod", "m"),
    "inertia": cd.Parameter(0.0416667, "moment of inertia of a rod", "kg m²"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
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
    ],
    figures=draw_pendulum,
)  # fmt: skip


def run_tied(p: Any, context: cd.Context) -> dict[str, Any]:
    """The pendulum with and without the quadrilateral, by the same rule; the forces of the quadrilateral at rest."""
    outcome: dict[str, Any] = {}
    for name, quad in (("alone", False), ("with quad", True)):
        result = context.simulate(name, double_pendulum(p, quad), end=p.end, dt=p.dt, integrator=damped())
        outcome[name] = _angles(result) | {"iterations": result.iterations[1:].max()}
    forces = context.results["with quad"].multipliers("glue")
    outcome["forces"] = np.stack([forces["x"], forces["y"]], axis=-1)  # (times, nodes, 2)
    outcome["force times"] = context.results["with quad"].multiplier_times
    outcome["pin"] = np.linalg.norm(context.results["with quad"].joint_force("pin 2"), axis=1)
    outcome["at rest"] = edge_force(p)
    outcome["exact"] = by_angles(outcome["alone"]["t"], (np.pi / 4, np.pi / 3), (-1.0, 2.0))
    return outcome


def edge_force(p: Any) -> float:
    """Force [N] at each of the two held nodes of the same quadrilateral at rest: it wants to be larger."""
    model = cd.Model("quad at rest", dimension=2)
    corners = [(0.0, 0.0), (0.0, -p.side), (p.side, -p.side), (p.side, 0.0)]
    material = cd.StVenantKirchhoff(young=p.young, poisson=0.3)
    model.add(cd.Solid("quad", corners, [(0, 1, 2, 3)], "quad4", material, natural_stretch=1.0 + p.swelling))
    model.add(cd.Tie("glue", "quad", [0, 3], model.ground, enforcement="multiplier"))
    held = cd.solve_static(model, steps=1).multipliers("glue")
    return float(np.hypot(held["x"], held["y"]).max())


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
    for k, line in ((0, "-"), (1, "--")):
        for axis, colour in ((0, "C0"), (1, "C1")):
            bottom.plot(outcome["force times"], outcome["forces"][:, k, axis], line, color=colour,
                        label=f"{'xy'[axis]} at node {k + 1}")  # fmt: skip
    bottom.plot(outcome["force times"], outcome["forces"].sum(axis=1)[:, 1], "k:", label="sum along y")
    bottom.set(xlabel="time (s)", ylabel="interface force (N)")
    bottom.legend(loc="upper right", fontsize="small", ncols=3)
    return {"tied_quad_b32": figure}


TIED = cd.Study(
    name="hovey-tied-quad",
    title="A massless quadrilateral tied to a pendulum changes nothing",
    source="hovey-2000",
    summary=(
        "Hovey's test B.3.2 of the pin between a deformable and a rigid body: one quadrilateral, two of its nodes tied to the "
        "end of the second rod. The motion stays the same and the interface forces balance each other. So that they are not "
        "zero anyway, the quadrilateral wants to be a little larger than it may be (ours)."
    ),
    parameters=_RODS | {
        "side": cd.Parameter(0.5, "side of the quadrilateral", "m"),
        "young": cd.Parameter(1e4, "Young's modulus (not given in the source)", "Pa"),
        "swelling": cd.Parameter(0.02, "by how much the quadrilateral would be larger if it were free"),
    },
    run=run_tied,
    claims=[
        cd.Claim("largest change of the angles", "none",
                 lambda o: np.abs(o["with quad"]["angles"] - o["alone"]["angles"]).max(), unit="rad", tolerance=1e-9,
                 kind="published", origin="appendix B.3.2: the same evolution as without it"),
        cd.Claim("largest sum of the interface forces over one of them", "zero",
                 lambda o: np.linalg.norm(o["forces"].sum(axis=1), axis=1).max() / np.linalg.norm(o["forces"], axis=2).min(),
                 tolerance=1e-9, kind="published", origin="figure B.4: the forces sum to zero"),
        cd.Claim("smallest interface force over that of the quadrilateral at rest", 1.0,
                 lambda o: np.linalg.norm(o["forces"], axis=2).min() / o["at rest"], tolerance=1e-6, kind="reference",
                 origin="the quadrilateral alone, held at two nodes; it turns with the rod"),
        cd.Claim("damped Newmark: distance from Lagrange's equations in the first second", "the curves agree",
                 lambda o: np.abs(o["with quad"]["angles"] - o["exact"])[:, :101].max(), unit="rad", tolerance=0.05,
                 kind="published", origin="figure B.2, read to 0.05 rad"),
        cd.Claim("most iterations", (1.0, 4.0), lambda o: o["with quad"]["iterations"], kind="published",
                 origin="appendix B.3.2: 4, quadratic"),
    ],
    figures=draw_tied,
    quick={"end": 1.0},
    inputs=("length", "gravity"),
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
                                 integrator=cd.methods.ScipyReference("DOP853", rtol=1e-8, atol=1e-10))  # fmt: skip
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
                 unit="m", tolerance=1e-7, kind="closed form", origin="closed form"),
        cd.Claim("as printed: distance from the closed form", "the curves agree", lambda o: apart(o, PRINTED), unit="m",
                 tolerance=0.02, kind="published", origin="figure B.5, read to 1 % of 2 m"),
        cd.Claim("as printed: most iterations, below the five of the source", "nothing turns",
                 lambda o: o[PRINTED]["iterations"], tolerance=2, kind="property", origin="almost linear"),
        cd.Claim("as meant: distance from the reference over the way down", "the curves agree",
                 lambda o: apart(o, MEANT) / np.ptp(o[MEANT]["exact"][:, 1]), tolerance=0.01, kind="published",
                 origin="figure B.5: agrees with ODE45, read to 1 %"),
        cd.Claim("as meant: most iterations", (3.0, 5.0), lambda o: o[MEANT]["iterations"], kind="published",
                 origin="appendix B.3.3: five, for the rotation"),
    ],
    figures=draw_dashpot,
)  # fmt: skip


def actuated_links(p: Any) -> cd.Model:
    """Two hanging links with a moment that grows with t² between them, by an actuator on the right; that on the left rests."""
    model = cd.Model("actuated links", dimension=2, gravity=(0.0, -p.gravity))
    half = 0.5 * p.length
    one, two = (
        model.add(cd.RigidBody(name, p.mass, inertia=p.inertia, position=(0.25, y), outline=[[(0, -half), (0, half)]]))
        for name, y in (("upper", -half), ("lower", -3 * half))
    )
    model.add(cd.Pin("top", model.ground, one, at=(0.25, 0.0)))
    model.add(cd.Pin("hinge", one, two, at=(0.25, -p.length)))
    growing = cd.Function(lambda t: t * t)
    for side, x, moment in (("left", -0.25, 0.0), ("right", 0.25, p.moment)):
        model.add(cd.MomentActuator(side, one.at(x, 0.0), two.at(x, 0.0), one.at(0.0, -half), moment, growing))
    return model


def run_moment(p: Any, context: cd.Context) -> dict[str, Any]:
    """The actuator by the published rule and step, and by energy–momentum stepping in short steps."""
    runs: dict[str, tuple[float, dict[str, Any]]] = {
        "damped": (p.dt, {"integrator": damped(), "start": "zero-acceleration"}),
        "damped, fine": (0.2 * p.dt, {"integrator": damped(), "start": "zero-acceleration"}),
        "energy–momentum": (0.1 * p.dt, {}),
    }
    outcome: dict[str, Any] = {}
    for name, (dt, options) in runs.items():
        result = context.simulate(name, actuated_links(p), end=p.end, dt=dt, **options)
        angles = np.array([result.angle(b) for b in ("upper", "lower")])
        outcome[name] = {"t": result.times, "angles": angles, "iterations": result.iterations[1:].max()}
    times = outcome["damped"]["t"]
    outcome["reference"] = {"t": times, "angles": by_angles(times, (0.0, 0.0), (0.0, 0.0), moment=1.0)}
    return outcome


def draw_moment(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
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


MOMENT = cd.Study(
    name="hovey-moment-actuator",
    title="An actuator that gives a moment about a hinge, with its whole derivative",
    source="hovey-2000",
    summary=(
        "Hovey's test B.3.3 of the moment actuator: two hanging links with a moment t² between them. The tension follows the "
        "arm; with the derivative of the arm, which the source leaves out, Newton's method converges quadratically."
    ),
    parameters=_RODS | {
        "moment": cd.Parameter(1.0, "moment of the actuator over t²", "N m/s²"),
        "dt": cd.Parameter(0.05, "time step", "s"), "end": cd.Parameter(2.0, "time simulated", "s"),
    },
    run=run_moment,
    claims=[
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
    ],
    figures=draw_moment,
)  # fmt: skip

STUDIES = [FLIGHT, PENDULUM, TIED, DASHPOT, MOMENT]
