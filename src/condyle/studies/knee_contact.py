"""A knee held together by its ligaments and its condyles.

The femur lies with two condyles on a flat plateau. Its flexion is driven to 45 degrees and back; otherwise it is free to move.
The collateral ligaments are beams, the cruciates springs with dampers, and the menisci dampers. Contact is exact, by
multipliers, or elastic by Hertz's law. The source does not give the modulus of the contact, the places of the condyles and of
the sites in the frontal plane, or the density of the tissue; they are chosen here. The viscous forces of the menisci act at
the centres of the condyles.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

import condyle as cd
from condyle.studies.knee_ligaments import INERTIA, LCL, MASS, MCL, add_ligament, knee
from condyle.studies.knee_ligaments import PARAMETERS as LIGAMENTS

PARAMETERS = {name: LIGAMENTS[name] for name in LIGAMENTS if name not in ("period", "finer", "dt", "elements")} | {
    "slow": cd.Parameter(1.0, "time of a slow flexion and extension", "s"),
    "fast": cd.Parameter(0.2, "time of a fast one", "s"),
    "cruciate": cd.Parameter(2e5, "stiffness of a cruciate ligament", "N/m"),
    "cruciate_stretch": cd.Parameter(1.05, "stretch of the cruciates at full extension"),
    "condyle": cd.Parameter(0.022, "distance of the condyles from the middle plane", "m"),
    "modulus": cd.Parameter(1e9, "contact modulus E* of the elastic contact", "Pa"),
    "load": cd.Parameter(737.0, "weight that is put on the femur", "N"),
    "press": cd.Parameter(1150.0, "compression that goes with the valgus moment", "N"),
    "valgus": cd.Parameter(10.0, "moment that opens the medial side", "N m"),
    "elements": cd.Parameter(4, "elements of each ligament, a multiple of 4"),
    "steps": cd.Parameter(200, "time steps of a cycle; twice as many where the contact is elastic"),
    "everything": cd.Parameter(1, "0: the slow motion with exact contact, and statics, only"),
}
QUICK = {"elements": 4, "steps": 24, "everything": 0}
INPUTS = ("cruciate_stretch",)

PROFILE = (0.018, -3e-4, -93.0, 15.0, 1.6e6, -6.7e4, -2.4e10)  # radius of a condyle over its width [m]
# Sites of the cruciates: on the femur from its middle, 0.2 m above the plateau, and on the tibia from the plateau [m].
CRUCIATES = {
    "acl": ((-0.012, -0.005, -0.18), (0.012, 0.003, -0.003)),
    "pcl": ((0.007, 0.010, -0.18), (-0.013, -0.005, -0.008)),
}


def lengths() -> dict[str, float]:
    """Of the cruciates at full extension [m]."""
    return {name: float(np.linalg.norm(np.add(f, (0.0, 0.0, 0.2)) - t)) for name, (f, t) in CRUCIATES.items()}


def damping(p: cd.Parameters) -> float:
    """Of a cruciate ligament: half of what is critical for the mass of the femur [N s/m]."""
    return float(2.0 * 0.5 * np.sqrt(p.cruciate * MASS))


def model(
    p: cd.Parameters,
    law: str = "hard",
    kind: str = "section",
    period: float = 1.0,
    load: float = 0.0,
    valgus: float = 0.0,
    stretch: float | None = None,
    sites: Mapping[str, Any] | None = None,
) -> cd.Model:
    """The knee; x forward, y medial, z up, from the plateau. kind: how the collateral ligaments are held, or 'cable'.

    Flexion turns the shaft of the femur backwards. sites: other sites of cruciates, with the same length at rest.
    """
    m = cd.Model("knee with condyles", gravity=(0.0, 0.0, -9.81))
    femur = m.add(cd.RigidBody("femur", MASS, inertia=INERTIA, position=(0.0, 0.0, 0.2)))
    m.add(cd.ClinicalJoint("knee", femur, m.ground, at=(0.0, 0.0, p.axis)))
    half = 0.5 * np.radians(p.flexion)
    motion = cd.Harmonic(amplitude=half, frequency=1.0 / period, phase=-0.5 * np.pi, offset=half)
    m.add(cd.Drive("flexion", "knee.flexion", motion=motion))
    for name, (femoral, distal, radii), y in (("mcl", MCL, p.side), ("lcl", LCL, -p.side)):
        ends = (distal[0], y, distal[1]), (femoral[0], y, femoral[1])
        add_ligament(m, p, name, femur, ends, radii, kind, p.elements)
    for name, (f, t) in (CRUCIATES | dict(sites or {})).items():
        rest = lengths()[name] / (p.cruciate_stretch if stretch is None else stretch)
        m.add(cd.Spring(name, femur.at(*f), cd.Point("ground", t), p.cruciate, rest_length=rest))
        m.add(cd.Damper(f"{name} damper", femur.at(*f), cd.Point("ground", t), damping(p)))
    for name, y in (("medial", p.condyle), ("lateral", -p.condyle)):
        surface = cd.RevolvedSurface(
            PROFILE, axis=(0, 1, 0), side=(0, 0, -1), centre=(0.0, y, -0.182), half_width=0.009, angles=(-1.5, 1.5)
        )
        plateau = cd.FlatSurface((0, 0, 1), extent=0.3)
        m.add(
            cd.ArticularContact(name, femur, surface, m.ground, plateau, law=law, modulus=p.modulus, overlap="resolve")
        )
        centre = cd.Point("ground", (0.0, y, 0.018))
        m.add(cd.Damper(f"{name} meniscus", femur.at(0.0, y, -0.182), centre, 50.0, along="all"))
    m.add(cd.CoordinateDamper("menisci", "knee.rotation", 100.0))
    if load:
        m.add(cd.Load("weight", femur.at(0.0, 0.0, 0.0), (0.0, 0.0, -load)))
    if valgus:
        m.add(cd.Torque("valgus", femur, (valgus, 0.0, 0.0)))
    return m


def readings(p: cd.Parameters, result: cd.Result) -> cd.Outcome:
    """Femur, contact, ligaments, and the balance of energy."""
    mcl = cd.LineHistory(result, "mcl", 3)
    out = {
        "t": result.times, "femur": result.position("femur"), "strain": mcl.axial_strain, "area": mcl.area_ratio()[:, 1],
        "length": mcl.length, "lcl strain": cd.LineHistory(result, "lcl", 3).axial_strain[:, 1],
    }  # fmt: skip
    E, W = result.energy["total"], result.energy["work"]
    out["balance"] = np.abs(E - E[0] - W + W[0]) / np.ptp(E)
    for name in ("medial", "lateral"):
        seen = result.contact(name)
        out[name], out[f"{name} gap"] = seen.normal_force[:, 0], seen.gap[:, 0]
        out[f"{name} path"] = seen.places[:, 0] if seen.places.ndim == 3 else seen.places
    for name, (f, t) in CRUCIATES.items():
        ends = result.position(cd.Point("femur", f)) - np.array(t)
        out[name] = np.linalg.norm(ends, axis=1) - lengths()[name]
    return out


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Statics with and without weight and with looser cruciates; then slow and fast motions."""
    out: cd.Outcome = {"load": p.load, "drop": 0.182 * (np.cos(np.radians(p.flexion)) - 1.0)}
    for label, options in (
        ("still", {}),
        ("loaded", {"load": p.load}),
        ("looser", {"stretch": p.cruciate_stretch - 0.01}),
        ("pressed", {"load": p.press, "valgus": p.valgus}),
    ):
        result = cd.solve_static(model(p, **options))
        medial, lateral = (float(result.contact(c).normal_force[-1, 0]) for c in ("medial", "lateral"))
        out[label], out[f"{label} tilt"] = medial + lateral, p.condyle * (lateral - medial)
    out["valgus"], out["damping"] = p.valgus, damping(p)
    cases: dict[str, Any] = {"hard": ("hard", "section", p.slow, 1, {})}
    if p.everything:
        cases |= {
            "hertz": ("hertz", "section", p.slow, 2, {}), "tangent": ("hard", "tangent", p.slow, 1, {}),
            "fast": ("hard", "section", p.fast, 1, {}), "weight": ("hard", "section", p.slow, 1, {"load": p.load}),
            "valgus motion": ("hard", "section", p.fast, 1, {"load": p.press, "valgus": p.valgus}),
        }  # fmt: skip
        out["hinge"] = _on_a_hinge(p, context)
    for label, (law, kind, period, finer, more) in cases.items():
        knee_model = model(p, law, kind, period, **more)
        # The balance of energy is read below, so the method that keeps it is taken.
        result = context.simulate(
            label, knee_model, end=period, dt=period / (finer * p.steps), every=finer, state=cd.solve_static(knee_model),
            integrator="EnergyMomentum()",
        )  # fmt: skip
        out[label] = readings(p, result)
    return out


def _on_a_hinge(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The fast motion of the knee of `knee-ligaments`: a hinge in place of cruciates, condyles and menisci."""
    hinged = knee(SimpleNamespace(**vars(p), period=p.fast), "section", p.elements)
    result = context.simulate("hinge", hinged, end=p.fast, dt=p.fast / p.steps, state=cd.solve_static(hinged))
    return {name: cd.LineHistory(result, name, 3).axial_strain[:, 1] for name in ("mcl", "lcl")}


def _apart(o: cd.Outcome, one: str, other: str, what: str, axis: int | None = None) -> float:
    """Root mean square of the difference of two runs over the range of the first."""
    a, b = (o[k][what] if axis is None else o[k][what][:, axis] for k in (one, other))
    n = min(len(a), len(b))
    return float(np.sqrt(np.mean((a[:n] - b[:n]) ** 2)) / np.ptp(a))


def _forces(o: cd.Outcome, one: str, other: str) -> float:
    """Root mean square of the difference of the contact forces over their mean."""
    worst = 0.0
    for name in ("medial", "lateral"):
        a, b = o[one][name], o[other][name]
        n = min(len(a), len(b))
        worst = max(worst, float(np.sqrt(np.mean((a[:n] - b[:n]) ** 2)) / np.mean(a)))
    return worst


def _sum(o: cd.Outcome, label: str) -> Any:
    """Force of both condyles over time [N]."""
    return o[label]["medial"] + o[label]["lateral"]


def _strain_over_hinge(o: cd.Outcome, label: str) -> float:
    """Largest strain in the middle of the medial ligament over that of the knee on a hinge."""
    return float(o[label]["strain"][:, 1].max() / o["hinge"]["mcl"].max())


CLAIMS = [
    cd.Claim("length of the anterior cruciate ligament", 0.0342, lambda o: lengths()["acl"], unit="m", tolerance=5e-5,
             kind="published", origin="table III"),
    cd.Claim("length of the posterior cruciate ligament", 0.0375, lambda o: lengths()["pcl"], unit="m", tolerance=5e-5,
             kind="published", origin="table III"),
    cd.Claim("damper of a cruciate ligament", 1226.1, lambda o: o["damping"], unit="N s/m", tolerance=0.05, kind="published",
             origin="table III: half of critical, with the mass of the femur"),
    cd.Claim("drop of the femur's middle at full flexion less that of a condyle that rolls or slides", "none (m)",
             lambda o: abs(o["hard"]["femur"][:, 2].min() - 0.2 - o["drop"]), tolerance=5e-4, kind="closed form",
             origin="z = 0.018 + 0.182 cos θ"),
    cd.Claim("exact contact: largest gap", "closed (m)",
             lambda o: max(np.abs(o["hard"][f"{c} gap"]).max() for c in ("medial", "lateral")), tolerance=1e-7,
             kind="published", origin="section 3.4"),
    cd.Claim("exact contact: least normal force", "presses (N)",
             lambda o: min(o["hard"][c].min() for c in ("medial", "lateral")), tolerance=1.0, sense="above", kind="property",
             origin="both condyles stay on the plateau"),
    cd.Claim("weight on the femur: contact forces grow by it", "the same (of the weight)",
             lambda o: abs(o["loaded"] - o["still"] - o["load"]) / o["load"], tolerance=0.02, kind="closed form",
             origin="equilibrium; the condyles do not give way, so the ligaments hardly change"),
    cd.Claim("1150 N and a valgus moment: the lateral contact takes over the moment", "the same (of the moment)",
             lambda o: abs(o["pressed tilt"] - o["still tilt"] - o["valgus"]) / o["valgus"], tolerance=0.05, kind="closed form",
             origin="equilibrium of two condyles that stay closed"),
    cd.Claim("energy gained minus work of drive and dampers, exact contact", "balanced (relative)",
             lambda o: o["hard"]["balance"].max(), tolerance=1e-8, kind="property", origin="energy–momentum"),
    cd.Claim("exact contact: largest change of a contact force from one frame to the next, of its largest", "smooth",
             lambda o: max(np.abs(np.diff(o["hard"][c])).max() / o["hard"][c].max() for c in ("medial", "lateral")),
             tolerance=0.25, kind="property", origin="the motion starts from equilibrium"),
    cd.Claim("cruciates that start one percent less stretched: change of the contact force", "strong (relative)",
             lambda o: abs(o["looser"] / o["still"] - 1.0), tolerance=0.1, sense="above", kind="published",
             origin="section 3.7.2: it depends on their length and initial tension"),
    cd.Claim("elastic and exact contact: femur forward", "agree (of the range)",
             lambda o: _apart(o, "hard", "hertz", "femur", 0), tolerance=0.01, kind="published",
             origin="section 3.7.2, figure 20", full_only=True),
    cd.Claim("elastic and exact contact: femur down", "agree (of the range)", lambda o: _apart(o, "hard", "hertz", "femur", 2),
             tolerance=0.01, kind="published", origin="section 3.7.2, figure 21", full_only=True),
    cd.Claim("elastic and exact contact: normal forces", "agree (of their mean)", lambda o: _forces(o, "hard", "hertz"),
             tolerance=0.25, kind="published", origin="section 3.7.2, figures 22 and 23", full_only=True),
    cd.Claim("elastic and exact contact: difference of the stretch of the cruciates, of its range", (0.0, 0.1),
             lambda o: max(_apart(o, "hard", "hertz", c) for c in ("acl", "pcl")), kind="published",
             origin="section 3.7.2, figures 25 and 26", full_only=True),
    cd.Claim("elastic and exact contact: strain in the middle of the medial ligament", "agree (of the range)",
             lambda o: _apart(o, "hard", "hertz", "strain", 1), tolerance=0.15, kind="published",
             origin="section 3.7.2, figure 28", full_only=True),
    cd.Claim("elastic and exact contact: area ratio in the middle of the medial ligament", "agree (of the range)",
             lambda o: _apart(o, "hard", "hertz", "area"), tolerance=0.15, kind="published",
             origin="section 3.7.2, figure 27", full_only=True),
    cd.Claim("elastic and exact contact: sum of the normal forces", "agree (of its mean)",
             lambda o: np.sqrt(np.mean((_sum(o, "hard") - _sum(o, "hertz")) ** 2)) / _sum(o, "hard").mean(),
             tolerance=0.15, kind="published", origin="section 3.7.2, figure 24", full_only=True),
    cd.Claim("weight on the femur in motion: contact forces grow by it throughout", "the same (of the weight)",
             lambda o: np.abs(_sum(o, "weight") - _sum(o, "hard") - o["load"]).max() / o["load"], tolerance=0.01,
             kind="closed form", origin="section 3.7.4: 737 N; the plateau is level", full_only=True),
    cd.Claim("weight on the femur in motion: largest contact force", (2.0, 2.2),
             lambda o: _sum(o, "weight").max() / o["load"], unit="of the weight", kind="regression",
             origin="section 3.7.4 finds it acceptable beside a model of walking, without numbers", full_only=True),
    cd.Claim("fast motion: largest strain of the medial ligament over that of the knee on a hinge", (0.0, 1.0),
             lambda o: _strain_over_hinge(o, "fast"), kind="published", origin="section 3.7.3, figure 29", full_only=True,
             differs=cd.Differs("about a hinge 17 mm over the plateau the medial ligament is longest at extension, so its "
                                "strain is never above that of the start; free to move, the femur lifts off in this motion "
                                "and pulls at it. The source's sites in the sagittal plane are not printed", 1.1, 1.5)),
    cd.Claim("1150 N and a valgus moment in fast motion: largest strain of the medial ligament over that on a hinge",
             (0.0, 1.0), lambda o: _strain_over_hinge(o, "valgus motion"), kind="published", origin="section 3.7.4, figure 29",
             full_only=True,
             differs=cd.Differs("as for the fast motion without load", 1.1, 1.5)),
    cd.Claim("slow motion: largest strain of the medial ligament over that on a hinge", (0.95, 1.05),
             lambda o: _strain_over_hinge(o, "hard"), kind="relation", origin="without lift-off both are those of the start",
             full_only=True),
    cd.Claim("section and tangent held: femur forward", "agree (of the range)",
             lambda o: _apart(o, "hard", "tangent", "femur", 0), tolerance=0.005, kind="published",
             origin="section 4.7, figure 32", full_only=True),
    cd.Claim("section and tangent held: difference of the normal forces, of their mean", (0.0, 0.15),
             lambda o: _forces(o, "hard", "tangent"), kind="published", origin="section 4.7, figures 33 and 34", full_only=True,
             differs=cd.Differs("where its section is held, the broad medial ligament is bent and carries a moment; the "
                                "source does not say which radius lies in the plane of flexion", 0.151, 0.3)),
    cd.Claim("fast motion: largest medial over largest lateral force", (1.0, 5.0),
             lambda o: o["fast"]["medial"].max() / o["fast"]["lateral"].max(), kind="published",
             origin="section 3.7.3, figures 30 and 31", full_only=True,
             differs=cd.Differs("the condyles lift off in this motion and strike again: the largest forces are those of single "
                                "blows; in the slow motion the medial condyle carries more throughout", 0.6, 0.95)),
    cd.Claim("slow motion: least ratio of medial to lateral force", "above 1",
             lambda o: (o["hard"]["medial"] / o["hard"]["lateral"]).min(), tolerance=1.0, sense="above", kind="relation",
             origin="section 3.7.3: the medial condyle carries more"),
    cd.Claim("medial ligament: strain in its middle at extension over its largest", "largest at extension",
             lambda o: max(o["hard"]["strain"][k, 1] for k in (0, -1)) / o["hard"]["strain"][:, 1].max(), tolerance=0.9,
             sense="above", kind="published", origin="section 4.7"),
]  # fmt: skip


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Femur, contact forces and paths, cruciates and the medial ligament."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 6.6))
    axes = figure.subplots(3, 2)
    for label, line in (("hard", "-"), ("hertz", "--"), ("tangent", ":")):
        if label not in outcome:
            continue
        o = outcome[label]
        t = o["t"]
        axes[0, 0].plot(t, 1e3 * o["femur"][:, 0], line, label=label)
        axes[0, 1].plot(t, 1e3 * (o["femur"][:, 2] - 0.2), line, label=label)
        for name, colour in (("medial", "C0"), ("lateral", "C1")):
            axes[1, 0].plot(t, o[name], line, color=colour, label=f"{name}, {label}")
        for name, colour in (("acl", "C0"), ("pcl", "C1")):
            axes[1, 1].plot(t, 1e3 * o[name], line, color=colour, label=f"{name}, {label}")
        axes[2, 0].plot(t, 100.0 * o["strain"][:, 1], line, label=label)
    for name in ("medial", "lateral"):
        path = 1e3 * outcome["hard"][f"{name} path"]
        axes[2, 1].plot(path[:, 0], path[:, 1], label=name)
    labels = (
        "femur forward (mm)", "femur up (mm)", "contact force (N)", "cruciates longer by (mm)", "strain of the MCL (%)",
        "contact path, medial (mm)",
    )  # fmt: skip
    for ax, label in zip(axes.ravel(), labels, strict=True):
        ax.set_ylabel(label)
        ax.set_xlabel("forward (mm)" if "path" in label else "time (s)")
        ax.legend(fontsize="xx-small")
    figure.tight_layout()
    return {"knee_contact": figure}


STUDY = cd.Study.of_module(globals(), source="gantoi-2013")
