"""Laxity of a knee, with and without each ligament, and tension of a graft.

A knee on two condyles in equilibrium at several angles of flexion: the tibia is drawn forward, opened to both sides and turned
inwards by small loads, with all ligaments and without each of them. Then the tension of an anterior cruciate graft over
flexion, with its femoral tunnel at three places. Sites are near the axis of flexion, so that ligaments keep their length;
their laws have a toe region, the condyles are elastic. All by statics. What is asserted is which ligament is the first
restraint of a motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import condyle as cd

PARAMETERS = {
    "angles": cd.Parameter((0.0, 30.0, 90.0), "flexion at which the knee is examined", "°"),
    "drawer": cd.Parameter(100.0, "force that draws the tibia forward", "N"),
    "turn": cd.Parameter(5.0, "moment that opens the knee to a side", "N m"),
    "twist": cd.Parameter(2.0, "moment that turns the tibia", "N m"),
    "press": cd.Parameter(50.0, "compression", "N"),
    "strain": cd.Parameter(0.02, "of all ligaments as the straight knee is drawn"),
    "shift": cd.Parameter(5e-3, "by which the femoral tunnel of a graft is moved", "m"),
    "sweep": cd.Parameter((0.0, 20.0, 40.0, 60.0, 80.0, 100.0), "flexion at which the graft is read", "°"),
}
QUICK = {"angles": (30.0,), "sweep": (0.0, 60.0)}
INPUTS = ()
# Femoral and distal site [m], stiffness [N per unit strain], after blankevoort-1991.
SITES = {
    "acl": ((-0.004, -0.007, 0.021), (0.014, 0.002, -0.001), 10000.0),
    "pcl": ((0.002, 0.006, 0.015), (-0.024, 0.000, -0.006), 18000.0),
    "mcl": ((0.0, 0.038, 0.018), (0.004, 0.034, -0.060), 8250.0),
    "lcl": ((0.0, -0.038, 0.018), (-0.018, -0.036, -0.045), 6000.0),
}
LOADS = ("drawer", "valgus", "varus", "inwards")


def model(p: Any, flexion: float, load: str = "", without: str = "", femoral: Any = None) -> Any:
    """The knee, its tibia held; loads act on the femur, the other way. femoral: another site of the anterior cruciate."""
    bundles = {}
    for name, (upper, lower, stiffness) in SITES.items():
        if name == without:
            continue
        site = femoral if femoral is not None and name == "acl" else upper
        bundles[name] = cd.Bundle(site, lower, strain=p.strain, kind="toe", stiffness=stiffness)
    knee = cd.Knee(bundles=bundles, contact="hertz", meniscus_stiffness=5e3)
    m = cd.build_knee(knee, flexion=float(np.radians(flexion)), gravity=(0.0, 0.0, 0.0))
    push = np.array((-p.drawer if load == "drawer" else 0.0, 0.0, -p.press))
    m.add(cd.Load("push", cd.Point("femur", (0.0, 0.0, -0.182)), tuple(push.tolist())))
    turn = {"valgus": (p.turn, 0.0, 0.0), "varus": (-p.turn, 0.0, 0.0), "inwards": (0.0, 0.0, -p.twist)}.get(load)
    if turn is not None:
        m.add(cd.Torque("turn", "femur", turn))
    return m


def posture(p: Any, *case: Any, **options: Any) -> tuple[dict[str, float], Any]:
    """Clinical coordinates [m, rad] in equilibrium, and the result."""
    result = cd.solve_static(model(p, *case, **options))
    return {name: float(values[-1]) for name, values in cd.clinical_motion(result, "knee").items()}, result


def run(p: Any, context: cd.Context) -> dict[str, Any]:
    """Laxity in all cases as a table; graft tension over flexion."""
    what = {"drawer": ("drawer", -1e3), "valgus": ("abduction", np.degrees(1.0)), "varus": ("abduction", -np.degrees(1.0)),
            "inwards": ("rotation", np.degrees(1.0))}  # fmt: skip
    table: dict[tuple[float, str, str], float] = {}
    for flexion in p.angles:
        for without in ("", *SITES):
            rest, _ = posture(p, flexion, "", without)
            for load, (coordinate, factor) in what.items():
                moved, _ = posture(p, flexion, load, without)
                table[flexion, without, load] = factor * (moved[coordinate] - rest[coordinate])
    graft: dict[str, list[float]] = {}
    site = np.array(SITES["acl"][0])
    for name, move in (("at the site", (0, 0, 0)), ("forward", (p.shift, 0, 0)), ("backward", (-p.shift, 0, 0))):
        femoral = tuple((site + move).tolist())
        graft[name] = [float(posture(p, a, femoral=femoral)[1].path("acl")["tension"][-1]) for a in p.sweep]
    if context.out is not None:
        context.out.mkdir(parents=True, exist_ok=True)
        path = context.out / "laxity.csv"
        rows = [f"{a:g},{w or 'none'},{load},{value:.3f}" for (a, w, load), value in table.items()]
        path.write_text("\n".join(["flexion (°),without,load,motion (mm or °)", *rows]) + "\n", encoding="utf-8")
        context.files.append(path)
    return {"table": table, "graft": graft, "angles": p.angles}


def _ratio(o: Mapping[str, Any], load: str, name: str, flexion: float | None = None) -> float:
    """Motion without a ligament over that with all, least over the angles or at one."""
    table, angles = o["table"], o["angles"] if flexion is None else (flexion,)
    return float(min(table[a, name, load] / table[a, "", load] for a in angles))


def _others(o: Mapping[str, Any], load: str, name: str) -> float:
    """Motion without a ligament over that without any other one, least over the angles up to 30°."""
    table = o["table"]
    return float(
        min(table[a, name, load] / table[a, n, load] for a in o["angles"] if a <= 30.0 for n in SITES if n != name)
    )


def figures(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Laxity as bars, one panel per load; graft tension over flexion."""
    from matplotlib.figure import Figure

    bars = Figure(figsize=(8.4, 6.0))
    labels = {
        "drawer": "tibia forward (mm)",
        "valgus": "valgus (°)",
        "varus": "varus (°)",
        "inwards": "inward rotation (°)",
    }
    cases = ("", *SITES)
    for panel, load in zip(bars.subplots(2, 2).ravel(), LOADS, strict=True):
        width = 0.8 / len(outcome["angles"])
        for k, flexion in enumerate(outcome["angles"]):
            values = [outcome["table"][flexion, name, load] for name in cases]
            panel.bar(
                np.arange(len(cases)) + k * width - 0.4 + 0.5 * width, values, width, label=f"{flexion:g}° of flexion"
            )
        panel.set_xticks(range(len(cases)), ["all", *(f"no {name.upper()}" for name in SITES)], fontsize="small")
        panel.set_ylabel(labels[load])
    bars.axes[0].legend(fontsize="small")
    graft = Figure(figsize=(5.6, 3.6))
    panel = graft.subplots()
    for name, values in outcome["graft"].items():
        panel.plot(
            p.sweep,
            values,
            "o-",
            label=f"femoral tunnel {name}" + ("" if "site" in name else f", {1e3 * p.shift:g} mm"),
        )
    panel.set(xlabel="flexion (°)", ylabel="tension of the graft (N)", ylim=(0.0, None))
    panel.legend(fontsize="small")
    return {"laxity": bars, "graft": graft}


BUTLER = "Butler, Noyes and Grood 1980: the anterior cruciate is the first restraint of the drawer"
CLAIMS = [
    cd.Claim("drawer at 30°: without the anterior cruciate over that with all ligaments", "first restraint",
             lambda o: _ratio(o, "drawer", "acl", 30.0), tolerance=3.0, sense="above", kind="relation", origin=BUTLER),
    cd.Claim("drawer up to 30°: without it over that without any other ligament", "no other one",
             lambda o: _others(o, "drawer", "acl"), tolerance=1.5, sense="above", kind="relation", origin=BUTLER),
    cd.Claim("valgus: without the medial collateral over that with all ligaments", "first restraint",
             lambda o: _ratio(o, "valgus", "mcl"), tolerance=3.0, sense="above", kind="relation",
             origin="the medial collateral ligament holds the medial side together"),
    cd.Claim("valgus: without the lateral collateral over that with all", "no change",
             lambda o: abs(_ratio(o, "valgus", "lcl") - 1.0), tolerance=0.05, kind="relation", origin="it is slack then"),
    cd.Claim("varus: without the lateral collateral over that with all ligaments", "first restraint",
             lambda o: _ratio(o, "varus", "lcl"), tolerance=3.0, sense="above", kind="relation",
             origin="the lateral collateral ligament holds the lateral side together"),
    cd.Claim("varus: without the medial collateral over that with all", "little change",
             lambda o: abs(_ratio(o, "varus", "mcl") - 1.0), tolerance=0.2, kind="relation", origin="it shortens then"),
    cd.Claim("inward rotation: without a cruciate over that with all, least of both", "both hold",
             lambda o: min(_ratio(o, "inwards", n) for n in ("acl", "pcl")), tolerance=1.2, sense="above", kind="relation",
             origin="cruciates wind about each other as the tibia turns inwards"),
    cd.Claim("graft in the most flexed posture: tension with the tunnel forward and backward, difference", "differs",
             lambda o: abs(o["graft"]["forward"][-1] - o["graft"]["backward"][-1]), unit="N", tolerance=20.0, sense="above",
             kind="relation", origin="a tunnel off the axis of flexion makes the graft longer or slack"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
