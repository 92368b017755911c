"""Stress in a walking hip (Hovey's models M2 and M4): the walker whose stance leg carries the trunk through a soft liner."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

import condyle as cd
from condyle.studies.hovey_bartel import LINER, liner, liner_mesh
from condyle.studies.hovey_gait import (
    BODY,
    CM,
    EXTENSOR,
    FLEXOR,
    WEIGHT,
    closed_loop,
    history_of,
    moment_over_arm,
    muscle,
    walker,
)

MM = 1e-3
MPA = 1e6
PUBLISHED = "Hovey 2000, section 5.3"
INSTANTS = (0.02, 0.15, 0.30, 0.45, 0.60)  # of the motion strip [s]


def coupled(p: Any, schedule: Mapping[str, Any] | None = None, sunk: Any = (0.0, 0.0)) -> cd.Model:
    """The walker with a liner in the trunk and a head on the stance leg instead of the pin at the hip.

    schedule: functions of time [N] of the muscles, by name. sunk: place of the trunk's hip at the start relative to
    the head (2,) [m]; (0, 0) is a liner without stress, as in the source: the force in the hip begins with a jump.
    """
    model = walker(p, pinned=False, sunk=sunk)
    angle = np.radians(p.angle)
    hip = p.leg * np.array([-np.sin(angle), np.cos(angle)]) + np.asarray(sunk)
    trunk = model["trunk"]
    mesh = liner_mesh(p).mapped(lambda X: X + hip)
    soft = model.add(liner(p, mesh, quasi_static=True, velocity=trunk.velocity))
    model.add(cd.Tie("shell", soft, "outer", trunk))
    head = cd.Sphere(p.inner, centre=(0.0, p.hip_to_centre))
    model.add(cd.Contact("joint", soft, "inner", "stance leg", head))
    for name, ends in (("extensor", EXTENSOR), ("flexor", FLEXOR)):
        if schedule:
            model.add(muscle(name, ends, schedule[name]))
    return model


def sinking(p: Any, force: Any) -> Any:
    """How far the trunk sinks (2,) [m] onto the head of a leg that carries it with a force (2,) [N]: a static hip."""
    model = cd.Model("hip at rest", dimension=2)
    soft = model.add(liner(p, liner_mesh(p)))
    model.add(cd.Tie("shell", soft, "outer", model.ground))
    head = model.add(cd.RigidBody("head", 1.0, inertia=1.0))
    model.add(cd.Rotation("no turn", model.ground, head, direction_a=(1.0, 0.0), direction_b=(0.0, 1.0)))
    model.add(cd.Contact("joint", soft, "inner", head, cd.Sphere(p.inner)))
    model.add(cd.Load("push", cd.Point("head", (0.0, 0.0)), tuple(force)))
    return -cd.solve_static(model, steps=1).position("head")[-1]


def run(p: Any, context: cd.Context) -> dict[str, Any]:
    """Without muscles as the source steps it and with a second-order rule, beside the rigid hip; then with muscles."""
    published = cd.Newmark(beta=0.3025, gamma=0.6, hold="positions")  # first order, damps what is not resolved
    better = cd.GeneralizedAlpha(p.spectral_radius)
    outcome: dict[str, Any] = {}
    for name, method, start in (
        ("as published", published, "zero-acceleration"),
        ("generalized-α", better, "consistent"),
    ):
        rigid = context.simulate(f"{name}, rigid", walker(p), end=p.end, dt=p.dt, integrator=method, start=start)
        outcome[f"{name}, rigid"] = {leg: history_of(rigid, p)[leg] for leg in ("stance leg", "swing leg")}
        sunk = (0.0, 0.0)
        if start == "consistent":
            of_steps = rigid.joint_force("hip")
            at_start = 2.0 * of_steps[0] - of_steps[1]
            outcome["carried"], sunk = float(np.linalg.norm(at_start)), sinking(p, at_start)
        result = context.simulate(name, coupled(p, sunk=sunk), end=p.end, dt=p.dt, integrator=method, start=start)
        outcome[name] = _hip(result, p)
    middle = context.results["as published"]
    frame = int(np.argmin(np.abs(middle.times - 0.5 * p.end)))
    outcome["maps"] = _maps(middle, frame, p)
    outcome["middle"] = _instant(middle, 0.5 * p.end, p)
    exact = context.simulate("rigid, Runge–Kutta", walker(p), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    schedule = _schedule(exact, p)
    outcome["schedule"] = {name: table.values for name, table in schedule.items()}
    outcome["schedule t"] = schedule["extensor"].times
    strong = context.simulate(
        "with muscles", coupled(p, schedule), end=p.end, dt=p.dt, integrator=published, start="zero-acceleration"
    )
    outcome["with muscles"] = _hip(strong, p)
    outcome["strip"] = [_instant(strong, t, p, schedule) for t in INSTANTS]
    outcome["closed loop"] = _closed(p, context, better)
    if context.out is not None and find_spec("meshio") is not None:  # VTK files are an extra, condyle[mesh]
        from condyle.results.fields import write_vtk

        write_vtk(strong, "liner", context.out / "liner", every=max(1, len(strong.times) // 30))
    return outcome


def _closed(p: Any, context: cd.Context, method: Any) -> dict[str, Any]:
    """The soft hip with muscles that keep the trunk upright on their own, as they were found with the rigid one."""
    loop = closed_loop(p, context)
    pulls = {name: cd.Table(tuple(loop["force t"]), tuple(force)) for name, force in loop["force"].items()}
    sunk = sinking(p, 2.0 * loop["carried"][0] - loop["carried"][1])
    result = context.simulate("closed loop", coupled(p, pulls, sunk), end=p.end, dt=p.dt, integrator=method)
    moment = result.multipliers("upright")["rotation"]
    return _hip(result, p) | {"left": float(np.abs(moment).max()), "pulls": loop["force"], "pulls t": loop["force t"]}


def _schedule(exact: Any, p: Any) -> dict[str, cd.Table]:
    """Forces of the source: the moment that keeps the trunk upright over the arm of each muscle, where it pulls."""
    forces = moment_over_arm(exact, history_of(exact, p))
    times = exact.multiplier_times
    out = {}
    for name, values in forces.items():
        fit = np.polyfit(times, values["force"], 6)  # on to both ends, where no force of a step belongs to
        t = np.concatenate(([0.0], times, [p.end + p.dt]))
        out[name] = cd.Table(tuple(t.tolist()), tuple(np.maximum(np.polyval(fit, t), 0.0).tolist()))
    return out


def _hip(result: Any, p: Any) -> dict[str, Any]:
    """Motion, contact and iterations of a coupled run."""
    contact = result.contact("joint")
    legs = history_of(result, p)
    return {
        "t": result.times, "stance leg": legs["stance leg"], "swing leg": legs["swing leg"],
        "pressure": contact.pressure.max(axis=1), "force": np.linalg.norm(contact.resultant, axis=1),
        "area": contact.area / p.depth, "iterations": np.asarray(result.iterations),
        "ground t": legs["force t"], "ground": legs["ground"],
    }  # fmt: skip


def _maps(result: Any, frame: int, p: Any) -> dict[str, Any]:
    """Contact pressure and stress of the liner in one frame."""
    contact, fields = result.contact("joint"), result.fields("liner", frame)
    hip = result.position(cd.Point("stance leg", (0.0, p.hip_to_centre)))[frame]
    away = contact.places[frame] - hip
    cauchy = fields.cauchy[..., 1, 1]
    return {
        "t": float(result.times[frame]), "angle": np.degrees(np.arctan2(away[:, 0], away[:, 1])),
        "pressure": contact.pressure[frame], "hydrostatic": float(fields.pressure.mean(axis=1).max()),
        "von Mises": float(fields.von_mises.max()), "strain": float(np.abs(fields.principal_strains()[0]).max()),
        "upright": float(cauchy.min()), "active": int(contact.active[frame].sum()),
    }  # fmt: skip


def _instant(result: Any, t: float, p: Any, schedule: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a drawing of the walker needs: ends of legs, trunk and muscles, forces; shape, stress and contact of the liner."""
    frame = int(np.argmin(np.abs(result.times - t)))

    def place(body: str, y: float, x: float = 0.0) -> Any:
        return result.position(cd.Point(body, (x, y)))[frame]

    hip = place("stance leg", p.hip_to_centre)
    foot = p.hip_to_centre - p.leg
    pulls = {}
    for name, ends in (("extensor", EXTENSOR), ("flexor", FLEXOR)) if schedule else ():
        line = [place(b, CM * y, CM * x) for b, (x, y) in zip(("trunk", "stance leg"), ends, strict=True)]
        pulls[name] = (np.array(line), float(schedule[name](result.times[frame])))  # type: ignore[index]
    fields, contact = result.fields("liner", frame), result.contact("joint")
    return {
        "t": float(result.times[frame]), "hip": hip, "pulls": pulls,
        "stance leg": np.array([place("stance leg", foot), hip]), "swing leg": np.array([hip, place("swing leg", foot)]),
        "trunk": np.array([hip, place("trunk", p.trunk_centre)]), "nodes": fields.positions - hip,
        "pressure": fields.at_nodes(fields.pressure), "von Mises": fields.at_nodes(fields.von_mises),
        "points": contact.places[frame] - hip, "pressed": contact.pressure[frame],
    }  # fmt: skip


def _draw_liner(panel: Any, instant: Mapping[str, Any], values: Any, p: Any, largest: float, pressed: float) -> Any:
    """A map of the liner about the head, and the contact pressure as lines into the head; largest values of the scales."""
    cells = liner_mesh(p).cells
    triangles = np.vstack((cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]))
    shown = panel.tripcolor(*(instant["nodes"].T / MM), triangles, values / MPA, shading="gouraud", cmap="viridis",
                            vmin=0.0, vmax=largest / MPA)  # fmt: skip
    turn = np.linspace(0.0, 2.0 * np.pi, 90)
    panel.plot(p.inner / MM * np.cos(turn), p.inner / MM * np.sin(turn), color="0.3", linewidth=0.8)
    inwards = (1.0 - 0.8 * instant["pressed"] / pressed)[:, None] * instant["points"]
    for a, b in zip(instant["points"] / MM, inwards / MM, strict=True):
        panel.plot(*np.array([a, b]).T, color="C3", linewidth=0.8)
    panel.set(aspect="equal", xlim=(-23, 23), ylim=(-15, 23), xticks=(-20, 0, 20), yticks=(0, 20))
    panel.grid(False)
    return shown


def motion_strip(outcome: Mapping[str, Any], p: Any) -> Any:
    """The walker with muscles at a few instants, and its liner, enlarged, below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 4.9))
    halves: Any = figure.subfigures(2, 1, height_ratios=(1.45, 1.0))
    top, bottom = halves
    panel = top.subplots()
    strongest = max(force for instant in outcome["strip"] for _, force in instant["pulls"].values())
    for k, instant in enumerate(outcome["strip"]):
        shift = np.array([1.3 * k, 0.0]) - (instant["hip"][0], 0.0)
        for name, colour in (("swing leg", "0.75"), ("trunk", "0.4"), ("stance leg", "0.4")):
            panel.plot(*(instant[name] + shift).T, color=colour, linewidth=2.5, solid_capstyle="round")
        for name, colour in (("extensor", "C0"), ("flexor", "C1")):
            line, force = instant["pulls"][name]
            panel.plot(*(line + shift).T, color=colour, linewidth=0.5 + 4.0 * force / strongest)
        panel.plot(*(instant["hip"] + shift), "o", color="0.2", markersize=4)
        panel.annotate(f"{instant['t']:.2f} s", instant["trunk"][1] + shift, (0, 5), textcoords="offset points",
                       ha="center", fontsize="small")  # fmt: skip
        forces = ", ".join(f"{force:.0f} N" for _, force in instant["pulls"].values())
        panel.annotate(forces, instant["hip"] + shift, (9, 4), textcoords="offset points", fontsize="x-small")
    for name, colour, width in (("stance leg and trunk", "0.4", 2.5), ("swing leg", "0.75", 2.5),
                                ("extensor", "C0", 2.0), ("flexor", "C1", 2.0)):  # fmt: skip
        panel.plot([], [], color=colour, linewidth=width, label=name)
    panel.set(aspect="equal", ylabel="height (m)", ylim=(-0.05, 1.72), xticks=[], yticks=(0.0, 0.5, 1.0, 1.5))
    panel.grid(False)
    panel.annotate("forces of extensor and flexor beside the hip; published: 883 N, 0 at the start, 0, 1785 N at the end",
                   (0.5, -0.05), xycoords="axes fraction", ha="center", va="top", fontsize="x-small", color="0.3")  # fmt: skip
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=4, fontsize="small")
    panels = bottom.subplots(1, len(outcome["strip"]), sharey=True)
    largest, pressed = (max(instant[name].max() for instant in outcome["strip"]) for name in ("von Mises", "pressed"))
    bottom.suptitle(
        "the liner about the head, enlarged; lines: contact pressure, its largest value above", fontsize="small"
    )
    for panel, instant in zip(panels, outcome["strip"], strict=True):
        shown = _draw_liner(panel, instant, instant["von Mises"], p, largest, pressed)
        panel.set(xlabel="mm")
        panel.set_title(f"{instant['t']:.2f} s: {instant['pressed'].max() / MPA:.1f} MPa", fontsize="small")
    panels[0].set(ylabel="mm")
    bottom.colorbar(shown, ax=list(panels), label="von Mises\nstress (MPa)", shrink=0.8)
    return figure


def stress_maps(outcome: Mapping[str, Any], p: Any) -> Any:
    """Hydrostatic pressure and von Mises stress of the liner without muscles in the middle of the run."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 3.0))
    instant, maps = outcome["middle"], outcome["maps"]
    for panel, name, found, published in zip(
        figure.subplots(1, 2, sharey=True), ("pressure", "von Mises"), (maps["hydrostatic"], maps["von Mises"]),
        ("about 2.0", "about 1"), strict=True,
    ):  # fmt: skip
        shown = _draw_liner(panel, instant, instant[name], p, instant[name].max(), 2.0 * instant["pressed"].max())
        label = "hydrostatic pressure (MPa)" if name == "pressure" else "von Mises stress (MPa)"
        panel.set(xlabel="mm", title=f"{instant['t']:.2f} s: largest {found / MPA:.2f} MPa (published {published})")
        figure.colorbar(shown, ax=panel, label=label, shrink=0.85)
    return figure


def at(outcome: Mapping[str, Any], run_name: str, what: str, t: float) -> float:
    """A quantity of a coupled run at a time."""
    history = outcome[run_name]
    return float(np.interp(t, history["t"], history[what]))


def ringing(outcome: Mapping[str, Any], name: str, after: float = 0.0) -> float:
    """Largest second difference of the contact force later than `after` [s], over the weight."""
    late = outcome[name]["force"][outcome[name]["t"] > after]
    return float(np.abs(np.diff(late, 2)).max()) / WEIGHT


def apart(outcome: Mapping[str, Any], name: str) -> float:
    """Largest difference of the legs' angles between the soft and the rigid hip [°]."""
    legs = ("stance leg", "swing leg")
    return max(
        float(np.abs(outcome[name][leg]["angle"] - outcome[f"{name}, rigid"][leg]["angle"]).max()) for leg in legs
    )


def figures(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Motion strip, pressure and hip force over time, ground reaction, muscles, pressure on the head, maps of the liner."""
    from matplotlib.figure import Figure

    over_time = Figure(figsize=(6.4, 6.8))
    top, bottom = over_time.subplots(2, 1, sharex=True)
    for name, line in (("as published", "-"), ("generalized-α", "--"), ("with muscles", "-."), ("closed loop", ":")):
        label = {"as published": "no muscles, damped Newmark, q̈₀ = 0 (source)", "generalized-α": "no muscles, generalized-α",
                 "with muscles": "with muscles, trunk held (source)",
                 "closed loop": "muscles alone hold the trunk"}[name]  # fmt: skip
        history = outcome[name]
        top.plot(history["t"][1:], history["pressure"][1:] / MPA, line, label=label)
        bottom.plot(history["t"][1:], history["force"][1:] / WEIGHT, line)
    top.plot(0.3, 2.76, "ko", markerfacecolor="none", label="published, 2.76 MPa")
    top.axhspan(10.0, 16.0, color="0.92", zorder=0)
    top.annotate("other studies at toe-off, 10–16 MPa", (0.02, 15.2), fontsize="small", color="0.3")
    top.set(ylabel="largest contact pressure (MPa)", ylim=(0.0, None))
    top.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.45, 1.27), ncols=2)
    bottom.axhspan(2.8, 4.8, color="0.92", zorder=0)
    bottom.annotate("measured by Bergmann et al., 2.8–4.8", (0.02, 4.55), fontsize="small", color="0.3")
    bottom.set(xlabel="time (s)", ylabel="hip contact force over weight (–)", xlim=(0.0, p.end), ylim=(0.0, None))

    ground = Figure(figsize=(6.4, 6.0))
    panels = ground.subplots(2, 1, sharex=True)
    for name, line in (("as published", "-"), ("generalized-α", "--")):
        for k in range(2):
            label = "damped Newmark, q̈₀ = 0 (source)" if name == "as published" else "generalized-α, consistent start"
            panels[k].plot(outcome[name]["ground t"], outcome[name]["ground"][:, 1 - k], line, label=label)
    panels[0].plot((0, 0.3, 0.6), (500, 700, 500), "ko", markerfacecolor="none", label="published, from a plot")
    panels[1].plot((0, 0.3, 0.6), (-175, 0, 175), "ko", markerfacecolor="none")
    panels[0].set(ylabel="ground reaction, up (N)")
    panels[1].set(ylabel="ground reaction, forward (N)", xlabel="time (s)", xlim=(-0.01, p.end + 0.01))
    panels[0].legend(fontsize="small", loc="lower center")

    muscles = Figure(figsize=(6.4, 3.6))
    panel = muscles.subplots()
    for name, colour in (("extensor", "C0"), ("flexor", "C1")):
        panel.plot(outcome["schedule t"], outcome["schedule"][name], color=colour, label=f"{name}, schedule (source)")
        loop = outcome["closed loop"]
        panel.plot(
            loop["pulls t"], loop["pulls"][name], ":", color=colour, label=f"{name}, muscles alone hold the trunk"
        )
    panel.plot((0.0, 0.6), (883.0, 1785.0), "ko", markerfacecolor="none", label="published, 883 N and 1785 N")
    panel.set(xlabel="time (s)", ylabel="muscle force (N)", xlim=(-0.01, p.end + 0.01))
    panel.legend(fontsize="small", loc="upper left")

    around = Figure(figsize=(6.4, 3.6))
    panel = around.subplots()
    maps = outcome["maps"]
    panel.plot(maps["angle"], maps["pressure"] / MPA, ".-", label=f"contact pressure at {maps['t']:.2f} s")
    panel.axhline(2.76, color="0.5", linestyle=":", label="published maximum, 2.76 MPa")
    panel.set(xlabel="angle from the vertical (°)", ylabel="contact pressure (MPa)", ylim=(0.0, None),
              xticks=range(-90, 91, 30))  # fmt: skip
    panel.legend(fontsize="small", loc="lower center")
    return {
        "hip_strip": motion_strip(outcome, p), "hip_pressure": over_time, "hip_ground": ground, "hip_muscles": muscles,
        "hip_head": around, "hip_maps": stress_maps(outcome, p),
    }  # fmt: skip


CLAIMS = [
    cd.Claim("largest contact pressure at 0.30 s", 2.76, lambda o: at(o, "as published", "pressure", 0.30) / MPA, unit="MPa",
             tolerance=0.03, origin=PUBLISHED),
    cd.Claim("it is on the centreline: angle of the largest pressure", 0.0,
             lambda o: abs(float(o["maps"]["angle"][np.argmax(o["maps"]["pressure"])])), unit="°", tolerance=4.0,
             origin=PUBLISHED),
    cd.Claim("largest hydrostatic pressure", 2.0, lambda o: o["maps"]["hydrostatic"] / MPA, unit="MPa", tolerance=0.1,
             origin=PUBLISHED + ", about 2.0", full_only=True),
    cd.Claim("largest von Mises stress", (0.9, 1.25), lambda o: o["maps"]["von Mises"] / MPA, unit="MPa",
             origin=PUBLISHED + ", about 1 at the inner radius"),
    cd.Claim("largest strain", 1.2e-3, lambda o: o["maps"]["strain"], tolerance=1e-4, origin=PUBLISHED + ", 1200 µε"),
    cd.Claim("upright stress above the head", (-2.85, -2.0), lambda o: o["maps"]["upright"] / MPA, unit="MPa",
             origin=PUBLISHED + ", −2.5 to −2.0"),
    cd.Claim("Newton iterations per step, largest", "about 6", lambda o: float(o["as published"]["iterations"].max()),
             tolerance=6, origin="Hovey 2000, section 4.4: about 6"),
    cd.Claim("Newton iterations per step, mean", (3.0, 6.0), lambda o: float(o["as published"]["iterations"][1:].mean()),
             origin="Hovey 2000, section 4.4: about 6"),
    cd.Claim("as published: ringing of the contact force from the first step on, over the weight", (0.1, 1.0),
             lambda o: ringing(o, "as published"), origin=PUBLISHED + ": rings at the start"),
    cd.Claim("as published: ringing from 0.2 s on", "gone", lambda o: ringing(o, "as published", 0.2), tolerance=0.01,
             origin=PUBLISHED + ": dies out early in the run"),
    cd.Claim("generalized-α, consistent start: ringing from the first step on", "gone", lambda o: ringing(o, "generalized-α"),
             tolerance=0.04, origin="second order, damped, the liner pressed from the start"),
    cd.Claim("generalized-α: first contact force over that of the rigid hip", 1.0,
             lambda o: o["generalized-α"]["force"][0] / o["carried"], tolerance=1e-3, origin="consistent start"),
    cd.Claim("soft against rigid hip, as published: angles of the legs", "same motion", lambda o: apart(o, "as published"),
             unit="°", tolerance=0.01, origin="Hovey 2000, chapter 6: the liner does not change the gait"),
    cd.Claim("soft against rigid hip, generalized-α", "same motion", lambda o: apart(o, "generalized-α"), unit="°",
             tolerance=0.01, origin="second order with a consistent start"),
    cd.Claim("generalized-α: stance leg at the end", -20.0, lambda o: float(o["generalized-α"]["stance leg"]["angle"][-1]),
             unit="°", tolerance=0.1, origin="symmetric gait; first-order Newmark ends at −21.2"),
    cd.Claim("with muscles: pressure at 0.30 s, where both are at rest, over that without", 1.0,
             lambda o: at(o, "with muscles", "pressure", 0.30) / at(o, "as published", "pressure", 0.30), tolerance=0.1,
             origin=PUBLISHED + ": M4 at 0.30 s is M2"),
    cd.Claim("with muscles: largest pressure near the end", (6.0, 16.0),
             lambda o: float(o["with muscles"]["pressure"][-5:].max()) / MPA, unit="MPa",
             origin=PUBLISHED + ": approaches 10–16 MPa late"),
    cd.Claim("closed loop: moment left to the constraint that holds the trunk", "nothing", lambda o: o["closed loop"]["left"],
             unit="N m", tolerance=2.0, origin="the muscles carry the trunk alone: self-consistent reading"),
    cd.Claim("closed loop: largest pressure at the end", (9.0, 13.0), lambda o: float(o["closed loop"]["pressure"][-1]) / MPA,
             unit="MPa", origin="self-consistent reading of M4; not published"),
    cd.Claim("closed loop: hip force at the end over weight", (2.3, 2.8),
             lambda o: float(o["closed loop"]["force"][-1]) / WEIGHT,
             origin="self-consistent reading: just below the measured 2.8–4.8"),
]  # fmt: skip

STUDY = cd.Study(
    name="hip-gait",
    title="Stress in a walking hip: a soft liner between trunk and leg, without and with muscles",
    source="hovey-2000",
    summary=(
        "Hovey's models M2 and M4: the rigid walker of hovey-walk, its hip a quasi-static polyethylene liner of 384 quads "
        "bonded to the trunk, in frictionless contact with the head of the stance leg. Depth, sector and mesh are inferred "
        "as in hovey-bartel. Run as the source does (damped Newmark, zero acceleration at the start) and by generalized-α "
        "from where a static hip rests; with muscles in the reading that fits the published numbers (schedule, trunk held) "
        "and in the self-consistent one (closed loop: muscles alone keep the trunk upright, their reaction on the leg "
        "included)."
    ),
    parameters=BODY | LINER | {
        "spectral_radius": cd.Parameter(0.5, "damping of generalized-α"),
        "passes": cd.Parameter(6, "runs until the muscles carry the trunk alone"),
    },
    run=run,
    claims=CLAIMS,
    figures=figures,
    quick={},
)  # fmt: skip
