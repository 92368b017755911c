"""A knee with two ligaments, as beams and cables.

The femur turns on a fixed tibia by 45 degrees and back in 0.2 s. A medial and a lateral collateral ligament start four percent
longer than at rest. They are fully parameterised beams, whose sections are held in three ways, or cables. The insertion sites
in the frontal plane, the axis of the joint and the density of the tissue are not in the source; they are parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import condyle as cd

PARAMETERS = {
    "flexion": cd.Parameter(45.0, "largest flexion", "deg"),
    "period": cd.Parameter(0.2, "time of one flexion and extension", "s"),
    "pre_stretch": cd.Parameter(1.04, "stretch of both ligaments at full extension"),
    "axis": cd.Parameter(0.017, "height of the axis of flexion over the plateau", "m"),
    "side": cd.Parameter(0.035, "distance of the insertion sites from the middle plane", "m"),
    "c10": cd.Parameter(1.44e6, "ground of the tissue", "Pa"),
    "compressibility": cd.Parameter(0.00126e-6, "inverse of the bulk modulus", "1/Pa"),
    "toe_stress": cd.Parameter(0.57e6, "C3 of the fibres", "Pa"),
    "toe_rate": cd.Parameter(48.0, "C4 of the fibres"),
    "modulus": cd.Parameter(467.1e6, "C5 of the fibres", "Pa"),
    "toe_end": cd.Parameter(1.063, "stretch at the end of the toe region"),
    "density": cd.Parameter(1000.0, "density of the tissue", "kg/m³"),
    "elements": cd.Parameter(8, "elements of each ligament, a multiple of 4"),
    "finer": cd.Parameter(12, "elements of the finer ligaments, a multiple of 4; 0: four models and no more"),
    "dt": cd.Parameter(1e-3, "time step", "s"),
    "press": cd.Parameter(1150.0, "compression of the femur, which the hinge takes", "N"),
    "valgus": cd.Parameter(10.0, "moment that opens the medial side, which the hinge takes, too", "N m"),
}
QUICK = {"elements": 4, "finer": 0, "dt": 0.01}
INPUTS = ("flexion", "pre_stretch")

# Femoral and distal site in the sagittal plane (x forward, z up, from the plateau) [m], radii of the section [m].
MCL = ((0.0, 0.0328), (0.0, -0.062), (7e-3, 2.3e-3))
LCL = ((0.0, 0.0195), (-0.0666 * np.sin(np.radians(19.0)), -0.0435), (3.4e-3, 2.3e-3))
MASS, INERTIA = 7.516, (0.354614, 0.354614, 0.004604)  # of the femur
MODELS = {
    "section": "beams, section held",
    "tangent": "beams, tangent held",
    "full": "beams, clamped",
    "cable": "cables",
}


def tissue(p: cd.Parameters) -> cd.LigamentTissue:
    """Of both ligaments."""
    return cd.LigamentTissue(
        p.c10, 1.0 / p.compressibility, p.toe_stress, p.toe_rate, p.modulus, p.toe_end, density=p.density
    )


def add_ligament(
    model: cd.Model, p: cd.Parameters, name: str, femur: cd.RigidBody, ends: tuple[Any, Any], radii: tuple[float, float],
    kind: str, elements: int, dampers: bool = True,
) -> Any:  # fmt: skip
    """From the ground, the fixed tibia, to the femur; kind: how its ends are held, or 'cable'."""
    bottom, top = ends
    if kind == "cable":
        section: Any = cd.RoundSection(float(np.sqrt(radii[0] * radii[1])), tissue(p))  # the same area
        body: Any = cd.Cable(name, [bottom, top], elements, section, pre_stretch=p.pre_stretch)
    else:
        section = cd.EllipticSection(*radii, tissue(p))
        body = cd.AncfBeam(
            name, [bottom, top], elements, section, normal=(1, 0, 0), formulation="continuum", pre_stretch=p.pre_stretch
        )
    model.add(body)
    hold = "tangent" if kind == "cable" else kind
    model.add(cd.Insertion(f"{name} distal", body.point("start"), model.ground, at=bottom, hold=hold))
    model.add(cd.Insertion(f"{name} femoral", body.point("end"), femur, at=top, hold=hold))
    if dampers:
        # The source's tissue has no viscosity: one damper from the middle to the tibia, four along the ligament.
        beside = (bottom[0], bottom[1] * 0.9, 0.5 * (bottom[2] + top[2]))
        middle = cd.Point("ground", beside, "world")
        model.add(cd.Damper(f"{name} to bone", body.point(elements // 2), middle, 5.0, along="all"))
        for k in range(4):
            a, b = k * elements // 4, (k + 1) * elements // 4
            model.add(cd.Damper(f"{name} damper {k + 1}", body.point(a), body.point(b), 1.0))
    return body


def knee(p: cd.Parameters, kind: str, elements: int, dampers: bool = True, load: float = 0.0) -> cd.Model:
    """Femur on the ground by a driven hinge, and both ligaments; the medial side is +y, x is forward.

    load: share of the compression and of the valgus moment that acts on the femur.
    """
    model = cd.Model("knee with two ligaments", gravity=(0.0, 0.0, -9.81))
    femur = model.add(cd.RigidBody("femur", MASS, inertia=INERTIA, position=(0.0, 0.0, 0.2)))
    model.add(cd.Revolute("knee", model.ground, femur, at=(0.0, 0.0, p.axis), axis=(0.0, -1.0, 0.0)))  # backwards
    half = 0.5 * np.radians(p.flexion)
    motion = cd.Harmonic(amplitude=half, frequency=1.0 / p.period, phase=-0.5 * np.pi, offset=half)
    model.add(cd.Drive("flexion", "knee.angle", motion=motion))
    for name, (femoral, distal, radii), y in (("mcl", MCL, p.side), ("lcl", LCL, -p.side)):
        ends = (distal[0], y, distal[1]), (femoral[0], y, femoral[1])
        add_ligament(model, p, name, femur, ends, radii, kind, elements, dampers)
    if load:
        model.add(cd.Load("compression", femur.at(0.0, 0.0, 0.0), (0.0, 0.0, -load * p.press)))
        model.add(cd.Torque("valgus", femur, (load * p.valgus, 0.0, 0.0)))
    return model


def site_distance(site: Any) -> float:
    """Of both insertions of a ligament in the sagittal plane [m]."""
    femoral, distal, _ = site
    return float(np.hypot(femoral[0] - distal[0], femoral[1] - distal[1]))


def straight(p: cd.Parameters, site: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]) -> float:
    """Distance of both sites of a ligament at full flexion over that at extension, with the joint as a hinge."""
    (fx, fz), (dx, dz), _ = site
    angle = np.radians(p.flexion)
    x, z = fx, fz - p.axis
    turned = np.array([x * np.cos(angle) + z * np.sin(angle), p.axis - x * np.sin(angle) + z * np.cos(angle)])
    return float(np.linalg.norm(turned - (dx, dz)) / np.hypot(fx - dx, fz - dz))


def readings(result: cd.Result, name: str) -> cd.Outcome:
    """Curves of one ligament."""
    seen = cd.LineHistory(result, name, 9)
    middle = cd.LineHistory(result, name, np.array([0.5 * seen.whole]))
    out = {
        "length": seen.length, "strain": seen.axial_strain, "area": seen.area_ratio(), "tension": middle.tension[:, 0],
    }  # fmt: skip
    if seen.gradients().shape[2] > 1:
        out |= {"yy": seen.strain("yy"), "zz": seen.strain("zz"), "xy": seen.strain("xy")}
    return out


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Four models, a finer one, and one without dampers."""
    cases = {kind: (kind, p.elements, True) for kind in MODELS}
    if p.finer:
        cases |= {"finer": ("section", p.finer, True), "undamped": ("section", p.elements, False)}
    out: cd.Outcome = {"hinge": straight(p, MCL)}
    for label, (kind, elements, dampers) in cases.items():
        model = knee(p, kind, elements, dampers)
        result = context.simulate(label, model, end=p.period, dt=p.dt, state=cd.solve_static(model))
        out[label] = {name: readings(result, name) for name in ("mcl", "lcl")}
        out[label]["middle"] = result.velocity(f"mcl.{elements // 2}")
        E, W = result.energy["total"], result.energy["work"]
        out[label]["balance"] = float(np.abs(E - E[0] - W + W[0]).max() / np.ptp(E))
        out[label]["constraints"] = float(result.constraint_error.max())
        yield out | {"t": result.times}
    out["levels"] = _levels(p, context)
    if p.finer:
        model = knee(p, "section", p.elements, load=1.0)
        result = context.simulate("loaded", model, end=p.period, dt=p.dt, state=cd.solve_static(model))
        out["loaded"] = {name: readings(result, name) for name in ("mcl", "lcl")}
    yield out


def _levels(p: cd.Parameters, context: cd.Context) -> dict[str, float]:
    """Largest violations at three levels of a knee whose sections are held, relative to size, speed and acceleration.

    By generalized-α, whose velocities and accelerations satisfy all constraints, over a tenth of the motion.
    """
    model = knee(p, "section", p.elements)
    result = context.simulate(
        "levels", model, end=0.1 * p.period, dt=p.dt, state=cd.solve_static(model),
        integrator="GeneralizedAlpha(spectral_radius=0.6)",
    )  # fmt: skip
    return dict(result.constraint_levels().relative)


def _apart(outcome: cd.Outcome, one: str, other: str, name: str, what: str, at: Any = slice(None)) -> float:
    """Largest difference of two models in a curve."""
    a, b = (np.asarray(outcome[label][name][what]) for label in (one, other))
    return float(np.abs(a - b)[..., at].max()) if a.ndim > 1 else float(np.abs(a - b).max())


def _lengths(o: cd.Outcome, one: str, other: str) -> float:
    return max(_apart(o, one, other, name, "length") / o[one][name]["length"][0] for name in ("mcl", "lcl"))


def _strains(o: cd.Outcome, one: str, other: str) -> float:
    return max(_apart(o, one, other, name, "strain", 4) for name in ("mcl", "lcl"))


def _shake(o: cd.Outcome) -> float:
    """How much faster the middle of the medial ligament moves without dampers, at its fastest."""
    fastest = [float(np.linalg.norm(o[k]["middle"], axis=1).max()) for k in ("undamped", "section")]
    return fastest[0] / fastest[1]


CLAIMS = [
    cd.Claim("length of the medial ligament", 0.0948, lambda o: site_distance(MCL), unit="m", tolerance=5e-5,
             kind="published", origin="section 2.5; heights of its sites"),
    cd.Claim("length of the lateral ligament", 0.0666, lambda o: site_distance(LCL), unit="m", tolerance=5e-5,
             kind="published", origin="section 2.5; heights of its sites, 19 degrees"),
    cd.Claim("pull of the medial ligament at full extension", 178.18, lambda o: o["cable"]["mcl"]["tension"][0], unit="N",
             tolerance=0.05, kind="closed form", origin="the tissue at a stretch of 1.04, its volume kept"),
    cd.Claim("length of the medial ligament at full flexion over that at extension", "more than of a straight one on a hinge",
             lambda o: o["cable"]["mcl"]["length"].min() / o["cable"]["mcl"]["length"][0] - o["hinge"], tolerance=0.0,
             sense="above", kind="relation", origin="a ligament that bends is longer than the distance of its sites"),
    cd.Claim("a straight medial ligament on this hinge at full flexion", 0.9585, lambda o: o["hinge"], tolerance=5e-5,
             kind="closed form", origin="distance of its sites"),
    cd.Claim("lengths of beams (tangent held) and cables", "agree (relative)", lambda o: _lengths(o, "tangent", "cable"),
             tolerance=0.01, kind="published", origin="section 2.5, figures 7 and 8"),
    cd.Claim("lengths of beams (section held) and cables", "agree (relative)", lambda o: _lengths(o, "section", "cable"),
             tolerance=0.01, kind="published", origin="section 2.5, figures 7 and 8"),
    cd.Claim("axial strain in the middle of beams (tangent held) and cables", "agrees",
             lambda o: _strains(o, "tangent", "cable"), tolerance=0.005, kind="published",
             origin="section 2.5, figures 9 and 10"),
    cd.Claim("axial strain in the middle of beams (section held) less that of cables", (0.0, 0.005),
             lambda o: _strains(o, "section", "cable"), kind="published", origin="section 2.5, figures 9 and 10",
             differs=cd.Differs("where the sections are held, the broad ligament is bent, which a cable does not resist; the "
                                "source does not say which radius lies in the plane of flexion", 0.006, 0.02)),
    cd.Claim("clamped: strains across the section at the distal insertion", "do not change",
             lambda o: max(np.ptp(o["full"]["mcl"][c][:, 0]) for c in ("yy", "zz")), tolerance=1e-8, kind="published",
             origin="section 2.5, figures 12 and 14"),
    cd.Claim("clamped: strain across the section there", 0.5 * (1.0 / 1.04 - 1.0), lambda o: o["full"]["mcl"]["yy"][-1, 0],
             tolerance=1e-6, kind="closed form", origin="½ (1/1.04 − 1): the volume is kept"),
    cd.Claim("section held: strains across the section at the distal insertion", "change",
             lambda o: np.ptp(o["section"]["mcl"]["yy"][:, 0]), tolerance=3e-3, sense="above", kind="published",
             origin="section 2.5, figures 12 and 14"),
    cd.Claim("clamped: area in the middle over that at rest, at its largest", "below 1",
             lambda o: o["full"]["mcl"]["area"][:, 4].max(), tolerance=1.0, kind="published", origin="section 2.5, figure 15"),
    cd.Claim("clamped: largest strain in the middle of the medial ligament over that with the section held", "not above",
             lambda o: o["full"]["mcl"]["strain"][:, 4].max() / o["section"]["mcl"]["strain"][:, 4].max(), tolerance=1.0001,
             kind="published", origin="section 4.7, figure 35"),
    cd.Claim("strain in the middle of the medial ligament: at extension over its largest", "largest at extension",
             lambda o: o["section"]["mcl"]["strain"][0, 4] / o["section"]["mcl"]["strain"][:, 4].max(), tolerance=0.995,
             sense="above", kind="published", origin="section 4.7"),
    cd.Claim("without dampers: largest speed of the middle of the ligament over that with them", "swings more", _shake,
             tolerance=1.0, sense="above", kind="published", origin="section 2.5", full_only=True),
    cd.Claim("length with half as many elements again", "has converged (relative)",
             lambda o: _apart(o, "finer", "section", "mcl", "length") / o["section"]["mcl"]["length"][0], tolerance=3e-3,
             kind="published", origin="section 2.5: 8 elements", full_only=True),
    cd.Claim("energy gained minus work of drive and dampers", "balanced (relative)",
             lambda o: max(o[k]["balance"] for k in MODELS), tolerance=1e-8, kind="property", origin="energy–momentum"),
    cd.Claim("largest violation of constraints at the levels of places, velocities and accelerations, relative", "all closed",
             lambda o: max(o["levels"].values()), tolerance=1e-8, kind="published", origin="sections 2.3, 2.4 and 3.6.2"),
    cd.Claim("1150 N and a valgus moment: largest change of the strains in the middle", "none: the hinge takes them",
             lambda o: _strains(o, "loaded", "section"), tolerance=1e-6, kind="relation",
             origin="section 2.5: a hinge and a drive hold the femur", full_only=True),
    cd.Claim("largest violation of a constraint", "closed", lambda o: max(o[k]["constraints"] for k in MODELS), tolerance=1e-9,
             kind="property", origin="hinge and insertions"),
]  # fmt: skip


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Length, strain in the middle, area and pull of both ligaments."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 7.6))
    axes = figure.subplots(4, 2, sharex=True)
    rows = (
        ("length", 1e3, "length (mm)"), ("strain", 100.0, "strain, middle (%)"), ("area", 1.0, "area ratio, middle"),
        ("tension", 1.0, "pull (N)"),
    )  # fmt: skip
    for j, name in enumerate(("mcl", "lcl")):
        for ax, (what, scale, label) in zip(axes[:, j], rows, strict=True):
            for kind, words in MODELS.items():
                curve = np.asarray(outcome[kind][name][what])
                ax.plot(outcome["t"], scale * (curve[:, 4] if curve.ndim > 1 else curve), label=words, linewidth=1.2)
            ax.set_ylabel(label if j == 0 else "")
        axes[0, j].set_title({"mcl": "medial ligament", "lcl": "lateral ligament"}[name], fontsize="medium")
        axes[-1, j].set_xlabel("time (s)")
    axes[0, 0].legend(fontsize="x-small")
    figure.align_ylabels()
    return {"knee_ligaments": figure}


STUDY = cd.Study.of_module(globals(), source="gantoi-2013")
