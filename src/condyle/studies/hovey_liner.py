"""The liner of the walking hip in detail: stress, strains and interface forces at midstance.

Hovey's model M2 without muscles, as the source steps it, with the liner tied to the trunk by multipliers, so that
pressure and shear on its outer surface are results. Contact pressure, hydrostatic pressure, von Mises stress, upright
stress and principal strains at 0.30 s, their evolution, and when they peak. Stress and strain are means over cells; the
cells at both ends of the bond, where stress has no bound, are left out of the largest values.

Hovey's model M2 at the small scale (§5.2.2): stress, strain and interface forces in the liner of the walking hip.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.hip_gait import coupled
from condyle.studies.hovey_bartel import LINER, cell_means, draw_cells, liner_mesh, tilt
from condyle.studies.hovey_gait import BODY, CM, as_stepped, history_of, walker

MM, MPA = 1e-3, 1e6
INSTANTS = (0.05, 0.15, 0.30, 0.45, 0.60)  # of the evolution [s]


PARAMETERS = BODY | LINER
QUICK = {"end": 0.31}
INPUTS = ("leg", "trunk_mass", "depth", "young")


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The walker without muscles as the source steps it, its liner tied to the trunk by multipliers; beside it M1."""
    exact = context.simulate("M1", walker(p), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    result = context.simulate("M2", coupled(p, bond="multiplier"), end=p.end, dt=p.dt, **as_stepped())
    cup = result.position(cd.Point("trunk", (0.0, -p.trunk_centre)))[0]
    contact = result.contact("joint")
    every = [cell_means(result.fields("liner", frame), cup) for frame in range(len(result.times))]
    whole = every[0]["whole"]
    return {
        "M1": history_of(exact, p), "M2": history_of(result, p), "t": result.times,
        "pressure": contact.pressure.max(axis=1), "inner radius": p.inner,
        "hydrostatic": np.array([means["hydrostatic"][whole].max() for means in every]),
        "von Mises": np.array([means["von Mises"][whole].max() for means in every]),
        "middle": _instant(result, every, 0.30, p), "strip": [_instant(result, every, t, p) for t in INSTANTS if t <= p.end],
    }  # fmt: skip


def _instant(result: cd.Result, every: list[dict[str, Any]], t: float, p: cd.Parameters) -> cd.Outcome:
    """Cells, contact and tie of one frame: pressure on and shear of the outer surface [Pa] over the angle [°]."""
    frame = int(np.argmin(np.abs(result.times - t)))
    contact, hip = result.contact("joint"), result.position(cd.Point("trunk", (0.0, -p.trunk_centre)))[frame]
    away = contact.places[frame] - hip
    tie = result.multipliers("shell")
    outer = liner_mesh(p).nodes[liner_mesh(p).sets["outer"]]
    out = outer / np.linalg.norm(outer, axis=1, keepdims=True)
    share = p.depth * p.outer * np.pi / (len(outer) - 1) * np.where(np.abs(outer[:, 1]) < 1e-9, 0.5, 1.0)
    force = np.column_stack((tie["x"][frame - 1], tie["y"][frame - 1]))  # of the liner on the trunk
    along = np.column_stack((out[:, 1], -out[:, 0]))
    fields = result.fields("liner", frame)
    pressure = -np.trace(fields.cauchy, axis1=2, axis2=3) / 3.0  # at the integration points, not their means
    return every[frame] | {
        "t": float(result.times[frame]), "nodes": fields.positions - hip, "at points": pressure[every[frame]["whole"]],
        "inner angle": np.degrees(np.arctan2(away[:, 0], away[:, 1])), "inner": contact.pressure[frame],
        "outer angle": np.degrees(np.arctan2(outer[:, 0], outer[:, 1])), "carried": force.sum(axis=0),
        "outer": np.sum(force * out, axis=1) / share, "shear": np.sum(force * along, axis=1) / share,
        "pressed": contact.resultant[frame],
    }  # fmt: skip


# --- what is claimed --------------------------------------------------------------------------------------------------


def on_centreline(instant: cd.Outcome, name: str) -> NDArray[np.float64]:
    """Means over the cells above the head from the inner to the outer radius, shape (rows,)."""
    middle = np.abs(instant["angle"]) < 1.01 * np.abs(instant["angle"]).min()
    order = np.argsort(instant["radius"][middle], kind="stable")
    return instant[name][middle][order].reshape(-1, 2).mean(axis=1)


def largest(instant: cd.Outcome, name: str) -> int:
    """The cell with the largest value, apart from those at the ends of the bond."""
    return int(np.argmax(np.where(instant["whole"], instant[name], -np.inf)))


def share_between(instant: cd.Outcome, low: float, high: float) -> float:
    """Part of the liner whose von Mises stress lies between two values [MPa]."""
    inside = (instant["von Mises"] >= low * MPA) & (instant["von Mises"] <= high * MPA)
    return float(instant["volume"][inside].sum() / instant["volume"].sum())


def at_angle(instant: cd.Outcome, which: str, angle: float) -> float:
    """A traction of the outer surface at an angle [°] from the vertical [Pa]."""
    order = np.argsort(instant["outer angle"])
    return float(np.interp(angle, instant["outer angle"][order], instant[which][order]))


def linear(instant: cd.Outcome) -> float:
    """Largest distance of the hydrostatic pressure at half thickness from a line that falls to zero at the sides, relative."""
    row = np.abs(instant["radius"] - np.median(instant["radius"])) < 0.6 * np.ptp(instant["radius"]) / 7.0
    falls = 1.0 - np.abs(instant["angle"][row]) / 90.0
    return float(np.abs(instant["hydrostatic"][row] / instant["hydrostatic"][row].max() - falls).max())


def peak_time(values: Any, times: Any) -> float:
    """When a history is largest, after what rings at the start [s]."""
    late = times > 0.15
    return float(times[late][np.argmax(values[late])])


def ringing_ends(history: cd.Outcome, part: float = 0.1) -> float:
    """From when on the ground reaction jumps by less than a part of its first jump from step to step [s]."""
    jumps = np.abs(np.diff(history["ground"][:, 1], 2))
    return float(history["force t"][np.flatnonzero(jumps > part * jumps[0])[-1] + 1])


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Evolution of the stress, tractions on both surfaces, principal strains, and the trunk beside M1."""
    from matplotlib.figure import Figure

    strip = Figure(figsize=(7.6, 2.9))
    panels = strip.subplots(2, len(outcome["strip"]), sharex=True, sharey=True, squeeze=False)
    for row, name, label in (
        (panels[0], "hydrostatic", "hydrostatic\npressure (MPa)"),
        (panels[1], "von Mises", "von Mises\nstress (MPa)"),
    ):
        scale = max(instant[name][instant["whole"]].max() for instant in outcome["strip"])
        for panel, instant in zip(row, outcome["strip"], strict=True):
            shown = draw_cells(panel, liner_mesh(p).cells, instant["nodes"], instant[name], instant["whole"])
            shown.set_clim(0.0, scale / MPA)
            panel.set(aspect="equal", xlim=(-23, 23), ylim=(-1, 23), xticks=(-20, 0, 20), yticks=(0, 20))
            panel.grid(False)
            if name == "hydrostatic":
                panel.set_title(f"{instant['t']:.2f} s", fontsize="small")
        strip.colorbar(
            shown, ax=list(row), label=label, shrink=0.9, extend="min" if name == "hydrostatic" else "neither"
        )
    for panel in panels[1]:
        panel.set_xlabel("mm")

    tractions = Figure(figsize=(6.4, 3.8))
    panel, middle = tractions.subplots(), outcome["middle"]
    panel.plot(middle["inner angle"], middle["inner"] / MPA, ".-", label="contact pressure, inner radius")
    inside = slice(1, -1)  # the ends of the bond, where the stress has no bound, are left out
    panel.plot(middle["outer angle"][inside], middle["outer"][inside] / MPA, ".-", label="pressure, outer radius")
    panel.plot(middle["outer angle"][inside], middle["shear"][inside] / MPA, ".-", label="shear, outer radius")
    panel.axhline(2.76, color="0.5", linestyle=":", label="published maximum, 2.76 MPa")
    panel.set(
        xlabel="angle from the vertical, forward (°)", ylabel="on the liner at 0.30 s (MPa)", xticks=range(-90, 91, 30)
    )
    panel.legend(fontsize="small", loc="center", bbox_to_anchor=(0.5, 0.36))

    strains = Figure(figsize=(6.4, 3.6))
    panel = strains.subplots()
    centres = middle["nodes"][liner_mesh(p).cells].mean(axis=1) / MM
    scale = 0.55 / np.abs(middle["strains"][middle["whole"]]).max()
    for k, colour, label in ((0, "C0", "smallest (compression)"), (1, "C3", "largest (tension)")):
        half = scale * middle["strains"][:, k : k + 1] * middle["axes"][:, :, k]
        lines = np.stack((centres - half, centres + half), axis=1)
        for line in lines:
            panel.plot(*line.T, color=colour, linewidth=1.0)
        panel.plot([], [], color=colour, label=label)
    found = 1e6 * middle["strain"][largest(middle, "strain")]
    panel.set(
        aspect="equal",
        xlabel="mm",
        ylabel="mm",
        title=f"principal strains at 0.30 s, up to {found:.0f} µε (published 1200)",
    )
    panel.grid(False)
    panel.legend(fontsize="small", loc="lower center")

    trunk = Figure(figsize=(6.4, 6.4))
    rows = trunk.subplots(2, 2, sharex=True)
    for name, line in (("M1", "-"), ("M2", ".")):
        history = outcome[name]
        for k in range(2):
            rows[0, k].plot(history["t"], history["trunk"]["place"][:, k] / CM, line, markersize=3, label=name)
            rows[1, k].plot(history["t"], history["trunk"]["velocity"][:, k] / CM, line, markersize=3)
    for k, axis in enumerate(("forward", "up")):
        rows[0, k].set(ylabel=f"trunk, {axis} (cm)")
        rows[1, k].set(ylabel=f"trunk, velocity {axis} (cm/s)", xlabel="time (s)")
    rows[0, 0].legend(fontsize="small")
    return {"liner_evolution": strip, "liner_tractions": tractions, "liner_strains": strains, "liner_trunk": trunk}


S522 = "section 5.2.2"


def peak_claim(name: str, label: str) -> cd.Claim:
    """That a largest value peaks when the ground reaction does."""
    return cd.Claim(
        f"time of the largest {label}, after that of the ground reaction", 0.0,
        lambda o: peak_time(o[name], o["t"]) - peak_time(o["M2"]["ground"][:, 1], o["M2"]["force t"]), unit="s",
        tolerance=0.025, kind="published", origin=f"{S522}, figures 5.9 and 5.10: corresponds to it; strips of frames",
        full_only=True,
    )  # fmt: skip


CLAIMS = [
    cd.Claim("largest contact pressure", 2.76, lambda o: o["middle"]["inner"].max() / MPA, unit="MPa", tolerance=0.005,
             kind="published", origin=f"{S522}, figure 5.14"),
    cd.Claim("angle of the largest contact pressure", "on the centreline",
             lambda o: abs(float(o["middle"]["inner angle"][o["middle"]["inner"].argmax()])), unit="°", tolerance=2.0,
             kind="published", origin=f"{S522}, figure 5.14"),
    cd.Claim("largest hydrostatic pressure", 2.0,
             lambda o: o["middle"]["hydrostatic"][largest(o["middle"], "hydrostatic")] / MPA, unit="MPa",
             tolerance=0.05, kind="published", origin=f"{S522}, figure 5.11: approximately 2.0"),
    cd.Claim("largest hydrostatic pressure at an integration point", 2.0, lambda o: o["middle"]["at points"].max() / MPA,
             unit="MPa", tolerance=0.05, kind="published", origin=f"{S522}, figure 5.11: approximately 2.0",
             differs=cd.Differs("within a cell of nearly incompressible material the pressure alternates from point to point, "
                                "which is no stress but the element; means over cells, as of all stresses here, do not", 2.10,
                                2.13)),
    cd.Claim("hydrostatic pressure on the centreline at half thickness over that at the inner radius", (0.95, 0.99),
             lambda o: on_centreline(o["middle"], "hydrostatic").min() / on_centreline(o["middle"], "hydrostatic")[0],
             kind="published", origin=f"{S522}, figure 5.11: a slight hour-glass shape"),
    cd.Claim("hydrostatic pressure on the centreline at the outer over that at the inner radius", 1.0,
             lambda o: on_centreline(o["middle"], "hydrostatic")[-1] / on_centreline(o["middle"], "hydrostatic")[0],
             tolerance=0.02, kind="published", origin=f"{S522}, figure 5.11: acts through the centre"),
    cd.Claim("hydrostatic pressure at half thickness: distance from a line to zero at the sides, relative", 0.0,
             lambda o: linear(o["middle"]), tolerance=0.1, kind="published", origin=f"{S522}, figure 5.11, to a colour",
             differs=cd.Differs("it falls as the cosine of the angle, like the contact pressure; only its flanks are lines",
                                0.19, 0.23)),
    cd.Claim("largest von Mises stress", 1.0, lambda o: o["middle"]["von Mises"][largest(o["middle"], "von Mises")] / MPA,
             unit="MPa", tolerance=0.15, kind="published", origin=f"{S522}, figure 5.12: on the order of 1"),
    cd.Claim("radius of the largest von Mises stress over the inner one", 1.0,
             lambda o: o["middle"]["radius"][largest(o["middle"], "von Mises")] / o["inner radius"], tolerance=0.05,
             kind="published", origin=f"{S522}, figure 5.12: at the inner radius"),
    cd.Claim("part of the liner with a von Mises stress of 0.5 to 0.7 MPa", "most of the cup",
             lambda o: share_between(o["middle"], 0.5, 0.7), tolerance=0.5, sense="above", kind="published",
             origin=f"{S522}, figure 5.12"),
    cd.Claim("part of the liner with a von Mises stress below 0.1 MPa", (0.01, 0.05),
             lambda o: share_between(o["middle"], 0.0, 0.1), kind="published",
             origin=f"{S522}, figure 5.12: two small regions, far anterior and posterior"),
    cd.Claim("smallest upright stress above the head", (-2.5, -2.0),
             lambda o: on_centreline(o["middle"], "upright").min() / MPA, unit="MPa", kind="published",
             origin=f"{S522}, figure 5.13",
             differs=cd.Differs("at the head it must be the contact pressure, 2.76 in the source itself; −2.5 to −2.0 is the "
                                "colour of most of the thickness", -2.75, -2.65)),
    cd.Claim("upright stress above the head, mean over the thickness", (-2.5, -2.0),
             lambda o: on_centreline(o["middle"], "upright").mean() / MPA, unit="MPa", kind="published",
             origin=f"{S522}, figure 5.13"),
    cd.Claim("upright stress at the head, from the two cells next to it, over the contact pressure", -1.0,
             lambda o: float(np.array([1.5, -0.5]) @ on_centreline(o["middle"], "upright")[:2]) / o["middle"]["inner"].max(),
             tolerance=0.01, kind="closed form", origin="balance at the surface"),
    cd.Claim("largest strain", 1200.0, lambda o: 1e6 * o["middle"]["strain"][largest(o["middle"], "strain")], unit="µε",
             tolerance=50.0, kind="published", origin=f"{S522}, figure 5.15: approximately 1,200"),
    cd.Claim("angle of the largest strain from the centreline", "just above the centreline of the head",
             lambda o: abs(o["middle"]["angle"][largest(o["middle"], "strain")]), unit="°", tolerance=4.0, kind="published",
             origin=f"{S522}, figure 5.15"),
    cd.Claim("angle between its axis and the radius", "along the pressure",
             lambda o: tilt(o["middle"], largest(o["middle"], "strain")), unit="°", tolerance=1.0,
             kind="published", origin=f"{S522}, figure 5.15; section 4.5"),
    cd.Claim("outer pressure on the centreline over the inner one", (0.75, 0.85),
             lambda o: at_angle(o["middle"], "outer", 0.0) / o["middle"]["inner"].max(), kind="regression",
             origin="0.81; figure 5.14 shows it, no number is given"),
    cd.Claim("outer shear at 60° over the outer pressure there, of the liner on the shell towards the rim", "tangential part",
             lambda o: at_angle(o["middle"], "shear", 60.0) / at_angle(o["middle"], "outer", 60.0), tolerance=0.3,
             sense="above", kind="published", origin=f"{S522}, figure 5.14: normal and tangential contributions appear"),
    cd.Claim("outer shear on the centreline over the outer pressure", "none by symmetry",
             lambda o: abs(at_angle(o["middle"], "shear", 0.0) / at_angle(o["middle"], "outer", 0.0)), tolerance=0.01,
             kind="property", origin="symmetry, up to the lean of the force"),
    cd.Claim("sum of the forces of the tie over that of the contact pressures", 1.0,
             lambda o: o["middle"]["carried"][1] / o["middle"]["pressed"][1], tolerance=2e-4, kind="property",
             origin="equilibrium of the liner, which weighs 0.04 N"),
    cd.Claim("time of the largest ground reaction", 0.30, lambda o: peak_time(o["M2"]["ground"][:, 1], o["M2"]["force t"]),
             unit="s", tolerance=0.015, kind="published", origin="section 5.2.1, figure 5.4: at midstance", full_only=True),
    peak_claim("pressure", "contact pressure"),
    peak_claim("hydrostatic", "hydrostatic pressure"),
    peak_claim("von Mises", "von Mises stress"),
    cd.Claim("trunk of M2 beside M1: largest distance over the way", "the agreement is quite good",
             lambda o: trunk_apart(o, "place") / np.ptp(o["M1"]["trunk"]["place"][:, 0]), tolerance=0.05, kind="published",
             origin="section 5.3, figure 5.2, read to 5 %", full_only=True),
    cd.Claim("trunk of M2 beside M1: largest difference of velocity over the largest", "the agreement is quite good",
             lambda o: trunk_apart(o, "velocity") / np.abs(o["M1"]["trunk"]["velocity"]).max(), tolerance=0.05,
             kind="published", origin="section 5.3, figure 5.2, read to 5 %", full_only=True),
    cd.Claim("trunk: largest angle", "zero for all time", lambda o: np.abs(o["M2"]["trunk"]["angle"]).max(), unit="°",
             tolerance=1e-6, kind="published", origin="section 5.2.1, figure 5.2"),
    cd.Claim("when the ground reaction jumps by less than a tenth of its first jump", 0.05, lambda o: ringing_ends(o["M2"]),
             unit="s", tolerance=0.02, kind="published", origin="section 5.3, figure 5.4: damped out at approximately 0.05 s",
             differs=cd.Differs("at 0.05 s it does, but a weaker beat of 20 N follows, which a plot of 800 N hardly shows",
                                0.09, 0.15)),
]  # fmt: skip


def trunk_apart(outcome: cd.Outcome, what: str) -> float:
    """Largest difference of place or velocity of the trunk between M2 and M1."""
    return float(np.abs(outcome["M2"]["trunk"][what] - outcome["M1"]["trunk"][what]).max())


STUDY = cd.Study.of_module(globals(), source="hovey-2000")
