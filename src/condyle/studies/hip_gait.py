"""Stress in a walking hip: a soft liner between trunk and leg, without and with muscles.

Hovey's models M2 and M4: the rigid walker of hovey-walk, whose hip is a quasi-static polyethylene liner of 384 quads, bonded
to the trunk and in frictionless contact with the head of the stance leg. Depth, sector and mesh are inferred as in
hovey-bartel. It is run as in the source (damped Newmark, zero acceleration at the start), and by generalized-α from where a
static hip rests. Muscles first follow the schedule of the source, with the trunk held. Then, in a closed loop, muscles alone
keep the trunk upright, and their reaction on the leg is included.

Stress in a walking hip (Hovey's models M2 and M4): the walker whose stance leg carries the trunk through a soft liner.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.hovey_bartel import LINER, cell_means, draw_cells, liner, liner_mesh
from condyle.studies.hovey_gait import (
    BODY,
    CM,
    MUSCLES,
    WEIGHT,
    as_stepped,
    force_at,
    history_of,
    muscle,
    schedule,
    value_at,
    walker,
)
from condyle.studies.hovey_muscles import SCHEDULE_MISSED, UNBALANCED, closed_loop, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MM = 1e-3
MPA = 1e6
MEANS = (
    "each cell in the colour of its mean; cells within 8° of the ends of the bond do not count for the largest value"
)
INSTANTS = (0.02, 0.15, 0.30, 0.45, 0.60)  # of the motion strip [s]


PARAMETERS = BODY | LINER | {
    "beyond": cd.Parameter(True, "also by generalized-α, and with muscles that hold the trunk alone"),
    "spectral_radius": cd.Parameter(0.5, "damping of generalized-α"),
    "passes": cd.Parameter(6, "runs until the muscles carry the trunk alone"),
}  # fmt: skip
QUICK = {"beyond": False}
INPUTS = ("trunk_mass", "depth")


def coupled(
    p: cd.Parameters,
    pulls: Mapping[str, Any] | None = None,
    sunk: tuple[float, float] = (0.0, 0.0),
    bond: str = "eliminate",
) -> cd.Model:
    """The walker with a liner in the trunk and a head on the stance leg instead of the pin at the hip.

    pulls: functions of time [N] of the muscles, by name. sunk: place of the trunk's hip at the start relative to
    the head (2,) [m]; (0, 0) is a liner without stress, as in the source: the force in the hip begins with a jump.
    bond: how the liner is tied to the trunk; with 'multiplier' the forces between them are results.
    """
    model = walker(p, pinned=False, sunk=sunk)
    angle = np.radians(p.angle)
    hip = p.leg * np.array([-np.sin(angle), np.cos(angle)]) + np.asarray(sunk)
    trunk = model["trunk"]
    mesh = liner_mesh(p).mapped(lambda X: X + hip)
    soft = model.add(liner(p, mesh, quasi_static=True, velocity=trunk.velocity))
    model.add(cd.Tie("shell", soft, "outer", trunk, enforcement=bond))
    head = cd.Sphere(p.inner, centre=(0.0, p.hip_to_centre))
    model.add(cd.Contact("joint", soft, "inner", "stance leg", head))
    for name, force in (pulls or {}).items():
        model.add(muscle(name, force))
    return model


def sinking(p: cd.Parameters, force: Any) -> Any:
    """How far the trunk sinks (2,) [m] onto the head of a leg that carries it with a force (2,) [N]: a static hip."""
    model = cd.Model("hip at rest", dimension=2)
    soft = model.add(liner(p, liner_mesh(p)))
    model.add(cd.Tie("shell", soft, "outer", model.ground))
    head = model.add(cd.RigidBody("head", 1.0, inertia=1.0))
    model.add(cd.Rotation("no turn", model.ground, head, direction_a=(1.0, 0.0), direction_b=(0.0, 1.0)))
    model.add(cd.Contact("joint", soft, "inner", head, cd.Sphere(p.inner)))
    model.add(cd.Load("push", cd.Point("head", (0.0, 0.0)), tuple(force)))
    return -cd.solve_static(model, steps=1).position("head")[-1]


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Without muscles as the source steps it and with a second-order rule, beside the rigid hip; then with muscles."""
    better = {"integrator": cd.GeneralizedAlpha(p.spectral_radius)}
    outcome: cd.Outcome = {}
    ways = {"as published": as_stepped()} | ({"generalized-α": better} if p.beyond else {})
    for name, options in ways.items():
        rigid = context.simulate(f"{name}, rigid", walker(p), end=p.end, dt=p.dt, **options)
        outcome[f"{name}, rigid"] = history_of(rigid, p)
        sunk = (0.0, 0.0)
        if options is better:
            of_steps = rigid.joint_force("hip")
            at_start = 2.0 * of_steps[0] - of_steps[1]
            outcome["carried"], sunk = float(np.linalg.norm(at_start)), sinking(p, at_start)
        result = context.simulate(name, coupled(p, sunk=sunk), end=p.end, dt=p.dt, **options)
        outcome[name] = _hip(result, p)
    outcome["middle"] = _instant(context.results["as published"], 0.5 * p.end, p)
    exact = context.simulate("rigid, Runge–Kutta", walker(p), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    outcome["schedule"] = pulls = schedule(p, exact)
    strong = context.simulate("with muscles", coupled(p, pulls), end=p.end, dt=p.dt, **as_stepped())
    outcome["with muscles"] = _hip(strong, p)
    outcome["strip"] = [_instant(strong, t, p, pulls) for t in INSTANTS]
    if p.beyond:
        outcome["closed loop"] = _closed(p, context, better)
    if context.out is not None and find_spec("meshio") is not None:  # VTK files are an extra, condyle[mesh]
        strong.write_vtk("liner", context.out / "liner", every=max(1, len(strong.times) // 30))
        context.files.append(context.out / "liner")
    return outcome


def _closed(p: cd.Parameters, context: cd.Context, options: cd.Outcome) -> cd.Outcome:
    """The soft hip with muscles that keep the trunk upright on their own, as they were found with the rigid one."""
    loop = closed_loop(p, context)
    sunk = sinking(p, 2.0 * loop["carried"][0] - loop["carried"][1])
    result = context.simulate("closed loop", coupled(p, loop["force"], sunk), end=p.end, dt=p.dt, **options)
    moment = result.multipliers("upright")["rotation"]
    return _hip(result, p) | {"left": float(np.abs(moment).max()), "pulls": loop["force"]}


def _hip(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """Motion, contact and iterations of a coupled run."""
    contact = result.contact("joint")
    return history_of(result, p) | {
        "pressure": contact.pressure.max(axis=1), "force": np.linalg.norm(contact.resultant, axis=1),
        "iterations": np.asarray(result.iterations),
        "swing foot": result.position(cd.Point("swing leg", (0.0, p.hip_to_centre - p.leg)))[:, 1],
    }  # fmt: skip


def _instant(result: cd.Result, t: float, p: cd.Parameters, pulls: Mapping[str, Any] | None = None) -> cd.Outcome:
    """What a drawing of the walker needs: ends of legs, trunk and muscles, forces; shape, stress and contact of the liner."""
    frame = int(np.argmin(np.abs(result.times - t)))

    def place(body: str, y: float, x: float = 0.0) -> NDArray[np.float64]:
        return result.position(cd.Point(body, (x, y)))[frame]

    hip = place("stance leg", p.hip_to_centre)
    foot = p.hip_to_centre - p.leg
    lines = {}
    for name, force in (pulls or {}).items():
        ends = [place(b, CM * y, CM * x) for b, (x, y) in zip(("trunk", "stance leg"), MUSCLES[name], strict=True)]
        lines[name] = (np.array(ends), float(force(result.times[frame])))
    fields, contact = result.fields("liner", frame), result.contact("joint")
    cup = result.position(cd.Point("trunk", (0.0, -p.trunk_centre)))[0]
    return cell_means(fields, cup) | {
        "t": float(result.times[frame]), "hip": hip, "pulls": lines,
        "stance leg": np.array([place("stance leg", foot), hip]), "swing leg": np.array([hip, place("swing leg", foot)]),
        "trunk": np.array([hip, place("trunk", p.trunk_centre)]), "nodes": fields.positions - hip,
        "points": contact.places[frame] - hip, "pressed": contact.pressure[frame], "resultant": contact.resultant[frame],
    }  # fmt: skip


def _draw_liner(panel: Axes, instant: cd.Outcome, name: str, p: cd.Parameters, pressed: float) -> Any:
    """A map of the liner about the head, the contact pressure as lines into the head (`pressed` is as long as its radius)."""
    shown = draw_cells(panel, liner_mesh(p).cells, instant["nodes"], instant[name], instant["whole"])
    turn = np.linspace(0.0, 2.0 * np.pi, 90)
    panel.plot(p.inner / MM * np.cos(turn), p.inner / MM * np.sin(turn), color="0.3", linewidth=0.8)
    inwards = (1.0 - instant["pressed"] / pressed)[:, None] * instant["points"]
    for a, b in zip(instant["points"] / MM, inwards / MM, strict=True):
        panel.plot(*np.array([a, b]).T, color="C3", linewidth=0.8)
    push = instant["resultant"] / np.linalg.norm(instant["resultant"])
    panel.annotate("", 0.9 * p.inner / MM * push, (0.0, 0.0), arrowprops={"arrowstyle": "-|>", "color": "0.1"})
    panel.set(aspect="equal", xlim=(-23, 23), ylim=(-15, 23), xticks=(-20, 0, 20), yticks=(0, 20))
    panel.grid(False)
    return shown


def motion_strip(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    """The walker with muscles at a few instants, and its liner, enlarged, below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 4.9))
    halves: Any = figure.subfigures(2, 1, height_ratios=(1.2, 1.0))
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
        acting = [f"{name} {force:.0f} N" for name, (_, force) in instant["pulls"].items() if force > 1.0]
        panel.annotate(acting[0] if acting else "no muscle", instant["hip"] + shift, (9, 4), textcoords="offset points",
                       fontsize="x-small")  # fmt: skip
    below = outcome["strip"][-1]["swing leg"][1]
    panel.annotate(f"{-below[1] / CM:.1f} cm below", below + shift, (5, 0), textcoords="offset points", va="center",
                   fontsize="x-small", color="0.3")  # fmt: skip
    for name, colour, width in (("stance leg and trunk", "0.4", 2.5), ("swing leg", "0.75", 2.5),
                                ("extensor", "C0", 2.0), ("flexor", "C1", 2.0)):  # fmt: skip
        panel.plot([], [], color=colour, linewidth=width, label=name)
    panel.axhline(0.0, color="0.2", linewidth=0.8, zorder=0)
    panel.set(
        aspect="equal", ylabel="height (m)", xlim=(-0.6, 5.9), ylim=(-0.12, 1.72), xticks=[], yticks=(0, 0.5, 1, 1.5)
    )
    panel.spines["bottom"].set_visible(False)
    panel.grid(False)
    panel.annotate("legs have no knee and the swing foot no contact with the ground, as in the source: from "
                   f"{below_ground(outcome):.2f} s on it is below",
                   (0.5, -0.02), xycoords="axes fraction", ha="center", va="top", fontsize="x-small", color="0.3")  # fmt: skip
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=4, fontsize="small")
    panels = bottom.subplots(1, len(outcome["strip"]), sharey=True)
    pressed = 1.25 * max(instant["pressed"].max() for instant in outcome["strip"])
    for panel, instant in zip(panels, outcome["strip"], strict=True):
        relative = instant | {"von Mises": instant["von Mises"] / largest(instant, "von Mises") * MPA}
        shown = _draw_liner(panel, relative, "von Mises", p, pressed)
        panel.set(xlabel="mm")
        contact, mises = instant["pressed"].max() / MPA, largest(instant, "von Mises") / MPA
        force = np.linalg.norm(instant["resultant"])
        panel.set_title(
            f"contact {contact:.1f} MPa,\nvon Mises {mises:.1f} MPa,\nforce {force:.0f} N", fontsize="small"
        )
    panels[0].set(ylabel="mm")
    lean = np.degrees(np.arctan2(*outcome["strip"][-1]["resultant"]))
    bottom.supxlabel(
        f"{MEANS}\nlines: contact pressure, all on one scale; arrow: force of the head on the cup, "
        f"at the end {lean:.0f}° forward, so that the pressure reaches the rim",
        fontsize="x-small",
        color="0.3",
    )
    bottom.colorbar(
        shown, ax=list(panels), label="von Mises stress over\nthe value above (–)", shrink=0.8, extend="max"
    )
    return figure


def largest(instant: cd.Outcome, name: str) -> float:
    """Largest mean over a cell [Pa], without the cells at the two ends of the bond, where the stress has no bound."""
    return float(instant[name][instant["whole"]].max())


def least(history: cd.Outcome) -> float:
    """When the largest contact pressure is least, after what rings at the start [s]."""
    late = history["t"] > 0.05
    return float(history["t"][late][history["pressure"][late].argmin()])


def below_ground(outcome: cd.Outcome) -> float:
    """When the swing foot of the walker with muscles goes below the ground for good [s]."""
    history = outcome["with muscles"]
    return float(history["t"][np.flatnonzero(history["swing foot"] > 0.0)[-1] + 1])


def stress_maps(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    """Hydrostatic pressure and von Mises stress of the liner without muscles in the middle of the run."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 3.3))
    instant = outcome["middle"]
    for panel, name, published in zip(
        figure.subplots(1, 2, sharey=True), ("hydrostatic", "von Mises"), ("about 2.0", "about 1"), strict=True
    ):
        shown = _draw_liner(panel, instant, name, p, 2.5 * instant["pressed"].max())
        label = "hydrostatic pressure (MPa)" if name == "hydrostatic" else "von Mises stress (MPa)"
        lowest = instant[name].min() / MPA
        title = f"{instant['t']:.2f} s: largest {largest(instant, name) / MPA:.2f} MPa (published {published})"
        if name == "hydrostatic":
            title += f"\nmagenta: tension, down to {lowest:.2f} MPa"
        panel.set(xlabel="mm")
        panel.set_title(title, fontsize="small")
        extend = "min" if name == "hydrostatic" else "neither"
        figure.colorbar(shown, ax=panel, label=label, shrink=0.85, extend=extend)
    figure.supxlabel(MEANS, fontsize="x-small", color="0.3")
    return figure


def at(outcome: cd.Outcome, run_name: str, what: str, t: float) -> float:
    """A quantity of a coupled run at a time."""
    history = outcome[run_name]
    return float(np.interp(t, history["t"], history[what]))


def jumps(history: cd.Outcome, begin: float = 0.0, end: float = np.inf) -> float:
    """How far the contact force jumps to and fro from step to step [N]: a quarter of its second difference."""
    inside = (history["t"][2:-1] > begin) & (history["t"][2:-1] < end)
    return float(0.25 * np.abs(np.diff(history["force"][1:], 2))[inside].max())


def apart(outcome: cd.Outcome, name: str) -> float:
    """Largest difference of the legs' angles between the soft and the rigid hip [°]."""
    legs = ("stance leg", "swing leg")
    return max(
        float(np.abs(outcome[name][leg]["angle"] - outcome[f"{name}, rigid"][leg]["angle"]).max()) for leg in legs
    )


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Motion strip, pressure and hip force over time, ground reaction, muscles, pressure on the head, maps of the liner."""
    from matplotlib.figure import Figure

    runs = {name: line for name, line in LINES.items() if name in outcome}
    over_time = Figure(figsize=(6.4, 6.8))
    top, bottom = over_time.subplots(2, 1, sharex=True)
    for name, (line, label) in runs.items():
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
    for name, (line, label) in runs.items():
        for k in range(2):
            panels[k].plot(outcome[name]["force t"], outcome[name]["ground"][:, 1 - k], line, label=label)
    panels[0].plot(
        (0, 0.3, 0.6),
        (500, 700, 500),
        "ko",
        markerfacecolor="none",
        label="published, without muscles, read from a plot",
    )
    panels[1].plot((0, 0.3, 0.6), (-175, 0, 175), "ko", markerfacecolor="none")
    panels[0].set(ylabel="ground reaction, up (N)")
    panels[1].set(ylabel="ground reaction, forward (N)", xlabel="time (s)", xlim=(-0.01, p.end + 0.01))
    panels[0].legend(fontsize="small", loc="lower center", ncols=2, bbox_to_anchor=(0.5, 1.0))

    around = Figure(figsize=(6.4, 3.6))
    panel = around.subplots()
    middle = outcome["middle"]
    angle = np.degrees(np.arctan2(*middle["points"].T))
    panel.plot(angle, middle["pressed"] / MPA, ".-", label=f"contact pressure at {middle['t']:.2f} s, without muscles")
    panel.axhline(2.76, color="0.5", linestyle=":", label="published maximum, 2.76 MPa")
    panel.set(xlabel="angle from the vertical (°)", ylabel="contact pressure (MPa)", ylim=(0.0, None),
              xticks=range(-90, 91, 30))  # fmt: skip
    panel.legend(fontsize="small", loc="lower center")
    return {
        "hip_strip": motion_strip(outcome, p), "hip_pressure": over_time, "hip_ground": ground,
        "hip_muscles": muscle_forces(outcome, p), "hip_head": around, "hip_maps": stress_maps(outcome, p),
    }  # fmt: skip


LINES = {
    "as published": ("C0-", "no muscles, as the source steps it"),
    "generalized-α": ("C1--", "no muscles, generalized-α"),
    "with muscles": ("C2-.", "with muscles, trunk held (source)"),
    "closed loop": ("C3:", "muscles alone hold the trunk"),
}


def muscle_forces(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    """The schedule of the source, and muscles that hold the trunk alone."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6))
    panel = figure.subplots()
    readings = [("-", "schedule (source)", outcome["schedule"])]
    if "closed loop" in outcome:
        readings.append((":", "muscles alone hold the trunk", outcome["closed loop"]["pulls"]))
    for line, label, tables in readings:
        for name, colour in (("extensor", "C0"), ("flexor", "C1")):
            panel.plot(tables[name].times, tables[name].values, line, color=colour, label=f"{name}, {label}")
    panel.plot((0.0, 0.6), (883.0, 1785.0), "ko", markerfacecolor="none", label="published, 883 N and 1785 N")
    panel.set(xlabel="time (s)", ylabel="muscle force (N)", xlim=(-0.01, p.end + 0.01))
    panel.legend(fontsize="small", loc="upper left")
    return figure


SMALL = "section 5.2.2"


def similar_claim(way: str, k: int, t: float, missed: tuple[float, float] | None) -> cd.Claim:
    """That muscles hardly change the ground reaction; missed: between which its ratio is instead."""
    return cd.Claim(
        f"with muscles: ground reaction {way} at {t:g} s over that without", 1.0,
        lambda o: force_at(o["with muscles"], t, k) / force_at(o["as published"], t, k), tolerance=0.05, kind="published",
        origin="section 5.2.1, figure 5.8: similar, read to 5 %", differs=missed and cd.Differs(UNBALANCED, *missed),
    )  # fmt: skip


def peak_claim(run_name: str) -> cd.Claim:
    """That the hip force has no peak as that of patients, after what rings at the start."""
    return cd.Claim(
        f"{run_name}: largest hip force over weight, below the peak of patients at 3", "absent",
        lambda o: float(o[run_name]["force"][o[run_name]["t"] > 0.05].max()) / WEIGHT, tolerance=2.95, kind="published",
        origin="section 5.3, figure 5.21: the peak of about 3 body weights is absent",
    )  # fmt: skip


CLAIMS = [
    cd.Claim("largest contact pressure at 0.30 s", 2.76, lambda o: at(o, "as published", "pressure", 0.30) / MPA, unit="MPa",
             tolerance=0.005, kind="published", origin=f"{SMALL}, figure 5.14"),
    cd.Claim("largest contact pressure below those of studies with the load of a muscled hip: 10 MPa over it", 3.6,
             lambda o: 10.0 / (at(o, "as published", "pressure", 0.30) / MPA), tolerance=0.05, kind="published",
             origin="section 5.3: 3.6 to 5.8 times lower"),
    cd.Claim("the same, 16 MPa over it", 5.8, lambda o: 16.0 / (at(o, "as published", "pressure", 0.30) / MPA), tolerance=0.05,
             kind="published", origin="section 5.3: 3.6 to 5.8 times lower"),
    cd.Claim("largest hydrostatic pressure", 2.0, lambda o: largest(o["middle"], "hydrostatic") / MPA, unit="MPa",
             tolerance=0.05, kind="published", origin=f"{SMALL}, figure 5.11: approximately 2.0"),
    cd.Claim("largest strain", 1200.0, lambda o: 1e6 * largest(o["middle"], "strain"), unit="µε", tolerance=50.0,
             kind="published", origin=f"{SMALL}, figure 5.15: approximately 1,200"),
    cd.Claim("Newton iterations of a step, mean", (2.0, 6.0), lambda o: float(o["as published"]["iterations"].mean()),
             kind="published", origin="section 4.4.3: typically six; here steps begin where the last two lead"),
    cd.Claim("Newton iterations of a step with muscles, mean", (2.0, 6.0),
             lambda o: float(o["with muscles"]["iterations"].mean()), kind="published",
             origin="section 4.4.3: typically six; here steps begin where the last two lead"),
    cd.Claim("as published: jumps of the contact force in the first 0.05 s", "oscillates",
             lambda o: jumps(o["as published"], 0.0, 0.05), unit="N", tolerance=50.0, sense="above", kind="published",
             origin="section 5.3, figure 5.4"),
    cd.Claim("as published: jumps of the contact force after 0.2 s over those in the first 0.05 s", "damped out",
             lambda o: jumps(o["as published"], 0.2) / jumps(o["as published"], 0.0, 0.05), tolerance=0.02, kind="published",
             origin="section 5.3, figure 5.4; hovey-liner says when"),
    cd.Claim("generalized-α: jumps of the contact force over those of the rule of the source", "hardly any",
             lambda o: jumps(o["generalized-α"]) / jumps(o["as published"]), tolerance=0.1, kind="relation", full_only=True,
             origin="consistent start; what is left is the trunk on its liner at 200 Hz, which steps of 10 ms do not resolve"),
    cd.Claim("generalized-α: jumps of the contact force after 0.05 s", "none", lambda o: jumps(o["generalized-α"], 0.05),
             unit="N", tolerance=1.0, kind="property", full_only=True, origin="second order, damps what is not resolved"),
    cd.Claim("generalized-α: first contact force over that of the rigid hip", 1.0,
             lambda o: o["generalized-α"]["force"][0] / o["carried"], tolerance=1e-4, kind="property", full_only=True,
             origin="consistent start"),
    cd.Claim("soft against rigid hip, as published: angles of the legs", "minor role", lambda o: apart(o, "as published"),
             unit="°", tolerance=0.005, kind="published", origin="section 5.3: the liner does not change the gait"),
    cd.Claim("soft against rigid hip, generalized-α", "same motion", lambda o: apart(o, "generalized-α"), unit="°",
             tolerance=0.005, kind="relation", full_only=True, origin="second order with a consistent start"),
    cd.Claim("generalized-α: stance leg at the end", -20.0, lambda o: float(o["generalized-α"]["stance leg"]["angle"][-1]),
             unit="°", tolerance=0.05, kind="published", full_only=True,
             origin="section 5.2.1, figure 5.1; damped Newmark ends at −21.2"),
    cd.Claim("schedule: extensor at the start", 883.0, lambda o: o["schedule"]["extensor"](0.0), unit="N", tolerance=0.5,
             kind="published", origin="section 4.4.2, figure 4.10"),
    cd.Claim("schedule: flexor at the end", 1785.0, lambda o: o["schedule"]["flexor"](0.6), unit="N", tolerance=0.5,
             kind="published", origin="section 4.4.2, figure 4.10"),
    *listed("with muscles", SCHEDULE_MISSED, UNBALANCED, only=(("rate", 0.3), ("rate", 0.6), ("angle", 0.6))),
    cd.Claim("with muscles: swing leg, forward speed of the coupled model at 0.3 s", 157.0,
             lambda o: value_at(o["with muscles"], "swing leg", "forward speed", 0.3), unit="cm/s", tolerance=1.0,
             kind="published", origin="section 5.2.1, figure 5.7, read to 2 cm/s"),
    *(similar_claim(*row) for row in (
        ("up", 1, 0.3, None), ("up", 1, 0.6, (0.85, 0.88)), ("forward", 0, 0.6, (0.79, 0.82)))),
    cd.Claim("with muscles: time of the least pressure after the first 0.05 s", 0.30, lambda o: least(o["with muscles"]),
             unit="s", tolerance=0.005, kind="published", origin=f"{SMALL}, figures 5.16 and 5.20: at this exact time"),
    cd.Claim("with muscles: pressure at 0.30 s, where both are at rest, over that without", 1.0,
             lambda o: at(o, "with muscles", "pressure", 0.30) / at(o, "as published", "pressure", 0.30), tolerance=0.05,
             kind="published", origin=f"{SMALL}, figure 5.20: the largest of M2 is the least of M4, read to 5 %"),
    cd.Claim("with muscles: largest pressure of the last 0.05 s", (10.0, 16.0),
             lambda o: float(o["with muscles"]["pressure"][o["with muscles"]["t"] > 0.55].max()) / MPA, unit="MPa",
             kind="published", origin="section 5.3, figure 5.20: in the range of toe-off"),
    cd.Claim("with muscles: largest hip force of the last 0.05 s over weight, below the measured 2.8", "begins to match",
             lambda o: 2.8 - float(o["with muscles"]["force"][-1]) / WEIGHT, tolerance=0.3, kind="published",
             origin="section 5.3, figure 5.21: approximates Bergmann's 2.8–4.8 near the end"),
    *map(peak_claim, ("as published", "with muscles")),
    cd.Claim("closed loop: moment left to the constraint that holds the trunk", "nothing", lambda o: o["closed loop"]["left"],
             unit="N m", tolerance=0.5, kind="property", full_only=True,
             origin="the muscles carry the trunk alone; found with a rigid hip"),
    cd.Claim("closed loop: largest pressure at the end", (10.0, 16.0), lambda o: float(o["closed loop"]["pressure"][-1]) / MPA,
             unit="MPa", kind="published", full_only=True, origin="section 5.3, figure 5.20: in the range of toe-off"),
    cd.Claim("closed loop: hip force at the end over weight, below the measured 2.8", "begins to match",
             lambda o: 2.8 - float(o["closed loop"]["force"][-1]) / WEIGHT, tolerance=0.3, kind="published", full_only=True,
             origin="section 5.3, figure 5.21: approximates Bergmann's 2.8–4.8 near the end"),
]  # fmt: skip


STUDY = cd.Study.of_module(globals(), source="hovey-2000")
