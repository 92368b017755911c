"""Laxity of a knee, with and without each ligament, and tension of a graft.

A knee rests on two condyles in equilibrium at several angles of flexion. Small loads draw the tibia forward, open the knee to
both sides and turn the tibia inwards, with all ligaments and without each of them. Then the tension of an anterior cruciate
graft is found over flexion, with its femoral tunnel at three places. The sites are near the axis of flexion, so that ligaments
keep their length. Their laws have a toe region, and the condyles are elastic. All of this is statics. The claims say which
ligament first restrains a motion, and what part of the force of a drawer the anterior cruciate takes: with the turns of the
knee held, that is the force which is missing at the same drawer once it is cut.
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
    "travel": cd.Parameter(5e-3, "by which the tibia is drawn where the share of a ligament is read", "m"),
    "sweep": cd.Parameter((0.0, 20.0, 40.0, 60.0, 80.0, 100.0), "flexion at which the graft is read", "°"),
}
QUICK = {"angles": (30.0,), "sweep": (0.0, 60.0)}
INPUTS = ("strain", "drawer", "press")
# Femoral and distal site [m], stiffness [N per unit strain], after blankevoort-1991.
SITES = {
    "acl": ((-0.004, -0.007, 0.021), (0.014, 0.002, -0.001), 10000.0),
    "pcl": ((0.002, 0.006, 0.015), (-0.024, 0.000, -0.006), 18000.0),
    "mcl": ((0.0, 0.038, 0.018), (0.004, 0.034, -0.060), 8250.0),
    "lcl": ((0.0, -0.038, 0.018), (-0.018, -0.036, -0.045), 6000.0),
}
LOADS = ("drawer", "valgus", "varus", "inwards")


def model(
    p: cd.Parameters,
    flexion: float,
    load: str = "",
    without: str = "",
    femoral: tuple[float, float, float] | None = None,
) -> cd.Model:
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


def posture(p: cd.Parameters, *case: Any, **options: Any) -> tuple[dict[str, float], Any]:
    """Clinical coordinates [m, rad] in equilibrium, and the result."""
    result = cd.solve_static(model(p, *case, **options))
    return {name: float(values[-1]) for name, values in cd.clinical_motion(result, "knee").items()}, result


def drawn(
    p: cd.Parameters, flexion: float, without: str = "", held: Mapping[str, float] | None = None
) -> tuple[Any, dict[str, float]]:
    """Equilibrium with the place along x [m] and the turns [rad] of the femur held, free by default; and what they are."""
    m = model(p, flexion, "", without)
    across = ("across 1", "across 2")  # it may go anywhere: only the coordinate of this joint is wanted
    m.add(cd.PointOnLine("line", m.ground, "femur", at=(0.0, 0.0, 0.018), axis=(1.0, 0.0, 0.0), released=across))
    names = ("line.position", "knee.rotation", "knee.abduction")
    for name in names if held else ():
        m.add(cd.Drive(f"hold {name.split('.')[1]}", name, motion=cd.Ramp(0.0, 1.0, 0.0, held[name] if held else 0.0)))
    result = cd.solve_static(m, at=1.0)
    return result, {name: float(result.coordinate(name)[-1]) for name in names}


def share(p: cd.Parameters, flexion: float, ligament: str) -> float:
    """Part of the force of a drawer that a ligament takes: how much is missing at the same drawer once it is cut."""
    _, rest = drawn(p, flexion)
    there = rest | {"line.position": rest["line.position"] - p.travel}
    forces = [
        float(drawn(p, flexion, without, there)[0].multipliers("hold position")["drive"][-1])
        for without in ("", ligament)
    ]
    return 1.0 - forces[1] / forces[0]


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Laxity in all cases as a table; graft tension over flexion."""
    what = {"drawer": ("drawer", -1e3), "valgus": ("abduction", np.degrees(1.0)), "varus": ("abduction", -np.degrees(1.0)),
            "inwards": ("rotation", np.degrees(1.0))}  # fmt: skip
    table: dict[tuple[float, str, str], float] = {}
    for flexion in p.angles:
        for without in ("", *SITES):
            rest, _ = posture(p, flexion, "", without)
            for load, (coordinate, factor) in what.items():
                moved, result = posture(p, flexion, load, without)
                if load == "drawer" and not without:
                    held = np.abs(result.joint_force("held tibia")[-1])
                table[flexion, without, load] = factor * (moved[coordinate] - rest[coordinate])
    graft: dict[str, list[float]] = {}
    first: dict[str, float] = {}  # tension as the straight knee is drawn, before it finds its equilibrium
    site = np.array(SITES["acl"][0])
    for name, move in (("at the site", (0, 0, 0)), ("forward", (p.shift, 0, 0)), ("backward", (-p.shift, 0, 0))):
        femoral = tuple((site + move).tolist())
        pulls = [posture(p, a, femoral=femoral)[1].path("acl")["tension"] for a in p.sweep]
        graft[name] = [float(pull[-1]) for pull in pulls]
        first[name] = float(pulls[0][0])
    if context.out is not None:
        context.out.mkdir(parents=True, exist_ok=True)
        path = context.out / "laxity.csv"
        rows = [f"{a:g},{w or 'none'},{load},{value:.3f}" for (a, w, load), value in table.items()]
        path.write_text("\n".join(["flexion (°),without,load,motion (mm or °)", *rows]) + "\n", encoding="utf-8")
        context.files.append(path)
    shares = {a: {name: share(p, a, name) for name in SITES} for a in p.angles}
    return {"table": table, "graft": graft, "angles": p.angles, "first": first, "held": held, "shares": shares}


def _ratio(o: cd.Outcome, load: str, name: str, flexion: float | None = None) -> float:
    """Motion without a ligament over that with all, least over the angles or at one."""
    table, angles = o["table"], o["angles"] if flexion is None else (flexion,)
    return float(min(table[a, name, load] / table[a, "", load] for a in angles))


def _others(o: cd.Outcome, load: str, name: str) -> float:
    """Motion without a ligament over that without any other one, least over the angles up to 30°."""
    table = o["table"]
    return float(
        min(table[a, name, load] / table[a, n, load] for a in o["angles"] if a <= 30.0 for n in SITES if n != name)
    )


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
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
    shares = Figure(figsize=(5.6, 3.2))
    panel = shares.subplots()
    width = 0.8 / len(outcome["angles"])
    for k, flexion in enumerate(outcome["angles"]):
        values = [outcome["shares"][flexion][name] for name in SITES]
        panel.bar(np.arange(len(SITES)) + (k + 0.5) * width - 0.4, values, width, label=f"{flexion:g}° of flexion")
    panel.axhline(0.86, color="0.4", linestyle="--", linewidth=1.0, label="ACL, Butler et al. 1980")
    panel.set_xticks(range(len(SITES)), [name.upper() for name in SITES])
    panel.set_ylabel(f"share of the force at {1e3 * p.travel:g} mm of drawer")
    panel.legend(fontsize="small")
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
    return {"laxity": bars, "shares": shares, "graft": graft}


BUTLER = "Butler, Noyes and Grood 1980: the anterior cruciate is the first restraint of the drawer"
SHARE = "abstract: on average; the force that is missing at the same drawer once it is cut; ± as specimens differ"
CLAIMS = [
    cd.Claim("share of the anterior cruciate in the force of a drawer of 5 mm at 30°", 0.86, lambda o: o["shares"][30.0]["acl"],
             tolerance=0.03, kind="published", origin=SHARE),
    cd.Claim("share of the anterior cruciate in the force of a drawer of 5 mm at 90°", 0.86, lambda o: o["shares"][90.0]["acl"],
             tolerance=0.03, kind="published", origin=SHARE, full_only=True,
             differs=cd.Differs("with these sites the cruciate is slack in the flexed knee at rest, so that it takes up the "
                                "load later than the medial collateral and the menisci do; specimens have their own sites",
                                0.68, 0.80)),
    cd.Claim("share of each other ligament in the force of that drawer at 30°, largest", "secondary restraints",
             lambda o: max(v for n, v in o["shares"][30.0].items() if n != "acl"), tolerance=0.1, kind="relation",
             origin=BUTLER),
    cd.Claim("tension of the anterior cruciate as the straight knee is drawn", 100.0 / 3.0, lambda o: o["first"]["at the site"],
             unit="N", tolerance=0.01, kind="closed form", origin="k ε² / (4 ε_l) with ε_l = 0.03 (blankevoort-1991)"),
    cd.Claim("force that holds the tibia back in the drawer", 100.0, lambda o: o["held"][0], unit="N", tolerance=0.01,
             kind="closed form", origin="equilibrium of the knee"),
    cd.Claim("force that carries the tibia in the drawer", 50.0, lambda o: o["held"][2], unit="N", tolerance=0.01,
             kind="closed form", origin="equilibrium of the knee"),
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
