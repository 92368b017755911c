"""Models of a knee compared: elements, insertions, contacts, meshes.

The knee with two condyles flexes to 45 degrees and back. Its collateral ligaments are cables, or beams whose sections are held
in three ways. Contact is exact, for cables also elastic, and there are fewer and more elements. One table compares lengths,
forces, strains along the ligaments and at their insertions, area ratios, contact forces and the motion of the femur; it is also
drawn and written as a CSV file. A second part asks how much the contact force depends on what is hard to measure: the strain
with which ligaments start, and where they insert.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

import condyle as cd
from condyle.studies import knee_contact
from condyle.studies.knee_contact import PARAMETERS as CONTACT

PARAMETERS = {
    name: CONTACT[name] for name in CONTACT if name not in ("everything", "fast", "load", "press", "valgus")
} | {
    "elements": cd.Parameter(8, "elements of each ligament, a multiple of 4"),
    "finer": cd.Parameter(12, "elements of the finer ligaments, a multiple of 4; 0: none"),
    "steps": cd.Parameter(40, "time steps of the cycle"),
    "models": cd.Parameter(("cable", "section", "tangent", "full"), "cables, and how sections of beams are held"),
    "contacts": cd.Parameter(("hard", "hertz"), "laws of contact"),
    "shift": cd.Parameter(2e-3, "by which insertion sites are moved", "m"),
    "strain": cd.Parameter(0.01, "by which strains at the start are changed"),
}
QUICK = {"elements": 8, "finer": 0, "steps": 24, "models": ("cable",), "contacts": ("hard",)}
INPUTS = ("flexion",)
COLUMNS = (
    "model", "contact", "elements", "length mcl (mm)", "length lcl (mm)", "strain mcl middle", "strain mcl femoral",
    "strain lcl middle", "strain lcl femoral", "area mcl middle", "area mcl femoral", "shear yz mcl", "shear yz lcl",
    "pull mcl (N)", "pull lcl (N)", "medial (N)", "lateral (N)", "femur back (mm)", "femur down (mm)", "constraints",
)  # fmt: skip


def readings(result: cd.Result) -> cd.Outcome:
    """Curves of one run: ligaments along their length, contact, joint coordinates."""
    out: cd.Outcome = {"t": result.times, "femur": result.position("femur")}
    for name in ("mcl", "lcl"):
        seen = cd.LineHistory(result, name, 9)
        out[name] = {
            "length": seen.length, "strain": seen.axial_strain, "area": seen.area_ratio(), "tension": seen.tension[:, 4],
            "along": np.linspace(0.0, 1.0, 9), "force": np.linalg.norm(result.joint_force(f"{name} femoral"), axis=1),
        }  # fmt: skip
        beam = seen.gradients().shape[2] > 1
        out[name] |= {k: seen.strain(k) if beam else np.zeros_like(seen.axial_strain) for k in ("yy", "zz", "xz", "yz")}
    for name in ("medial", "lateral"):
        contact = result.contact(name)
        out[name], out[f"{name} path"] = contact.normal_force[:, 0], contact.places[:, 0]
    out["joint"] = cd.clinical_motion(result, "knee")
    out["constraints"] = float(result.constraint_error.max())
    return out


def row(case: tuple[str, str, int], o: cd.Outcome) -> cd.Outcome:
    """What the table has of one run: largest values over the cycle."""
    kind, law, elements = case
    mcl, lcl = o["mcl"], o["lcl"]
    values = (
        kind, law, elements, 1e3 * mcl["length"].min(), 1e3 * lcl["length"].min(), mcl["strain"][:, 4].max(),
        mcl["strain"][:, 8].max(), lcl["strain"][:, 4].max(), lcl["strain"][:, 8].max(), mcl["area"][:, 4].max(),
        mcl["area"][:, 8].max(), np.abs(mcl["yz"][:, 8]).max(), np.abs(lcl["yz"][:, 8]).max(), mcl["tension"].max(),
        lcl["tension"].max(), o["medial"].max(), o["lateral"].max(), -1e3 * o["femur"][:, 0].min(),
        1e3 * (0.2 - o["femur"][:, 2].min()), o["constraints"],
    )  # fmt: skip
    return dict(zip(COLUMNS, (v if isinstance(v, str | int) else float(v) for v in values), strict=True))


def sensitivity(p: cd.Parameters) -> tuple[float, dict[str, float]]:
    """Contact force at extension [N], and over it that with one thing changed; ligaments are cables."""

    def force(change: Mapping[str, float], sites: Mapping[str, Any] | None = None) -> float:
        q = SimpleNamespace(**(vars(p) | {k: getattr(p, k) + v for k, v in change.items()} | {"elements": 4}))
        result = cd.solve_static(knee_contact.model(q, "hard", "cable", sites=sites))
        return float(sum(result.contact(c).normal_force[-1, 0] for c in ("medial", "lateral")))

    def moved(name: str, axis: int) -> cd.Outcome:
        """Femoral site moved; the free length stays that of the knee as it is."""
        femoral, distal = knee_contact.CRUCIATES[name]
        site = np.array(femoral)
        site[axis] += p.shift
        return {name: (tuple(site.tolist()), distal)}

    usual = force({})
    out = {
        f"{words} {'+' if sign > 0 else '−'}{100 * p.strain:g} %": force({what: sign * p.strain}) / usual
        for what, words in (("pre_stretch", "collaterals"), ("cruciate_stretch", "cruciates"))
        for sign in (1.0, -1.0)
    }
    for name in ("acl", "pcl"):
        for axis, way in ((0, "forward"), (2, "up")):
            out[f"{name} {1e3 * p.shift:g} mm {way}"] = force({}, moved(name, axis)) / usual
    return usual, out


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """All models; then the sensitivities."""
    cases = [
        (kind, law, p.elements) for law in p.contacts for kind in p.models if law == p.contacts[0] or kind == "cable"
    ]
    if p.finer:
        cases += [(kind, p.contacts[0], p.finer) for kind in p.models if kind == "tangent"]
    force, changes = sensitivity(p)
    yield {"sensitivity": changes, "force": force}
    found, table = {}, []
    for case in cases:
        kind, law, elements = case
        q = SimpleNamespace(**(vars(p) | {"elements": elements}))
        model = knee_contact.model(q, law, kind, p.slow)
        result = context.simulate(
            f"{kind} {law} {elements}", model, end=p.slow, dt=p.slow / p.steps, state=cd.solve_static(model),
            integrator="EnergyMomentum()",
        )  # fmt: skip
        found[case] = readings(result)
        table.append(row(case, found[case]))
        if context.out is not None:
            _write(context, table)
    yield {"cases": found, "table": table, "elements": p.elements, "finer": p.finer, "law": p.contacts[0]}


def _write(context: cd.Context, table: list[dict[str, Any]]) -> None:
    """The table as far as it is known, as comparison.csv in the output folder."""
    assert context.out is not None
    path = context.out / "comparison.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table)
    if path not in context.files:
        context.files.append(path)


def _pick(o: cd.Outcome, kind: str, elements: str = "elements", law: str | None = None) -> Any:
    return o["cases"][kind, law or o["law"], o[elements]]


def _shear(o: cd.Outcome, kind: str, name: str) -> float:
    """Largest shear of the section at the femoral site."""
    return float(np.abs(_pick(o, kind)[name]["yz"][:, 8]).max())


def _at_extension(o: cd.Outcome, name: str) -> float:
    """Strain in the middle of a ligament at extension over its largest, of all models."""
    strains = [c[name]["strain"][:, 4] for c in o["cases"].values()]
    return min(float(max(s[0], s[-1]) / s.max()) for s in strains)


def _femoral(o: cd.Outcome, name: str) -> float:
    """With the tangent held, strain at the femoral site over the largest anywhere along the ligament, at its largest."""
    strain = _pick(o, "tangent")[name]["strain"]
    return float(strain[:, 8].max() / strain.max())


def _worst(a: Any, b: Any) -> float:
    """Largest difference over the largest value of the first."""
    return float(np.abs(np.subtract(a, b)).max() / np.abs(a).max())


def _stretched(o: cd.Outcome) -> float:
    """Contact force with cruciates that are stretched more, over that before."""
    return float(next(v for k, v in o["sensitivity"].items() if k.startswith("cruciates +")))


CLAIMS = [
    cd.Claim("tangent held: shear of the section at the femoral sites", "vanishes",
             lambda o: max(_shear(o, "tangent", n) for n in ("mcl", "lcl")), tolerance=1.5e-3, kind="published",
             origin="section 4.7, figures 43 and 44", full_only=True),
    cd.Claim("section held: that of the lateral ligament over that with the tangent held", "vanishes only there",
             lambda o: _shear(o, "section", "lcl") / _shear(o, "tangent", "lcl"), tolerance=5.0, sense="above",
             kind="published", origin="section 4.7, figures 43 and 44", full_only=True),
    cd.Claim("strain in the middle of both ligaments: at extension over its largest", "largest at extension",
             lambda o: min(_at_extension(o, n) for n in ("mcl", "lcl")), tolerance=0.95, sense="above", kind="published",
             origin="section 4.7"),
    cd.Claim("tangent held: largest strain at the femoral sites over the largest along both ligaments", "at the femoral sites",
             lambda o: min(_femoral(o, n) for n in ("mcl", "lcl")), tolerance=0.95, sense="above", kind="published",
             origin="section 4.7, figures 36 to 38", full_only=True),
    cd.Claim("cables and beams (tangent held): lengths", "agree (relative)",
             lambda o: max(_worst(_pick(o, "cable")[n]["length"], _pick(o, "tangent")[n]["length"]) for n in ("mcl", "lcl")),
             tolerance=0.01, kind="published", origin="figures 7 and 8", full_only=True),
    cd.Claim("cables and beams (tangent held): femur", "agree (of the range)",
             lambda o: _worst(_pick(o, "cable")["femur"][:, 0], _pick(o, "tangent")["femur"][:, 0]), tolerance=0.01,
             kind="relation", origin="the motion hardly depends on the ligaments' elements", full_only=True),
    cd.Claim("clamped: strains across the sections at the femoral sites", "do not change",
             lambda o: max(np.ptp(_pick(o, "full")[n][k][:, 8]) for n in ("mcl", "lcl") for k in ("yy", "zz")), tolerance=1e-8,
             kind="published", origin="section 2.4", full_only=True),
    cd.Claim("clamped: largest strain in the middle of the medial ligament over that with the tangent held", "not above",
             lambda o: _pick(o, "full")["mcl"]["strain"][:, 4].max() / _pick(o, "tangent")["mcl"]["strain"][:, 4].max(),
             tolerance=1.01, kind="published", origin="section 4.7, figure 35", full_only=True),
    cd.Claim("section and tangent held: femur", "agree (of the range)",
             lambda o: _worst(_pick(o, "section")["femur"][:, 0], _pick(o, "tangent")["femur"][:, 0]), tolerance=0.01,
             kind="published", origin="section 4.7, figure 32", full_only=True),
    cd.Claim("half as many elements again: strain in the middle of the medial ligament", "has converged (relative)",
             lambda o: max(_worst(_pick(o, k)["mcl"]["strain"][:, 4], _pick(o, k, "finer")["mcl"]["strain"][:, 4])
                           for k in ("tangent",)), tolerance=0.1, kind="published", origin="section 4.7: 8 elements",
             full_only=True),
    cd.Claim("half as many elements again: medial contact force", "has converged (relative)",
             lambda o: max(_worst(_pick(o, k)["medial"], _pick(o, k, "finer")["medial"]) for k in ("tangent",)),
             tolerance=0.1, kind="published", origin="section 4.7: 8 elements", full_only=True),
    cd.Claim("largest violation of a constraint, exact contact", "closed",
             lambda o: max(c["constraints"] for (_, law, _), c in o["cases"].items() if law == "hard"), tolerance=1e-9,
             kind="property", origin="insertions, drive"),
    cd.Claim("femur comes down when flexed by 45 degrees", 53.3, lambda o: max(r["femur down (mm)"] for r in o["table"]),
             tolerance=0.5, unit="mm", kind="closed form", origin="182 mm (1 − cos 45°): its middle turns about the condyles"),
    cd.Claim("contact force at extension", (770.0, 805.0), lambda o: o["force"], unit="N", kind="regression",
             origin="pull of cruciates (5 % longer than at rest), collaterals (4 %) and weight along the shaft"),
    cd.Claim("cruciates stretched by one percent more: contact force over that before", (1.11, 1.14),
             _stretched, kind="relation",
             origin="section 3.7.2: it depends strongly on the initial tension"),
    cd.Claim("sites of the cruciates moved: largest change of the contact force", "strong (relative)",
             lambda o: max(abs(v - 1.0) for k, v in o["sensitivity"].items() if " mm " in k), tolerance=0.2, sense="above",
             kind="published", origin="section 3.7.2: it depends strongly on the insertion sites"),
]  # fmt: skip


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Ligaments over time and along their length, contact forces and paths, joint coordinates; sensitivities."""
    from matplotlib.figure import Figure

    figure, other = Figure(figsize=(8.4, 9.0)), Figure(figsize=(7.2, 3.2))
    axes = figure.subplots(4, 3)
    curves: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("length (mm)", lambda o, n: 1e3 * o[n]["length"]), ("strain, middle (%)", lambda o, n: 100 * o[n]["strain"][:, 4]),
        ("area ratio, femoral", lambda o, n: o[n]["area"][:, 8]),
    )  # fmt: skip
    for (kind, law, elements), o in outcome["cases"].items():
        if law != outcome["law"] or elements != outcome["elements"]:
            continue
        for j, name in enumerate(("mcl", "lcl")):
            for k, (label, of) in enumerate(curves):
                axes[j, k].plot(o["t"], of(o, name), label=kind, linewidth=1.1)
                axes[j, k].set_ylabel(f"{name.upper()}: {label}")
        axes[2, 0].plot(o["mcl"]["along"], 100 * o["mcl"]["strain"][len(o["t"]) // 2], label=kind)
        axes[2, 1].plot(o["t"], o["medial"], label=kind)
        axes[2, 2].plot(o["t"], o["lateral"], label=kind)
        axes[3, 0].plot(o["t"][-len(o["mcl"]["force"]) :], o["mcl"]["force"], label=kind)
        axes[3, 1].plot(1e3 * o["medial path"][:, 0], 1e3 * o["medial path"][:, 1], label=kind)
        axes[3, 2].plot(o["t"], np.degrees(o["joint"]["rotation"]), label=kind)
    names = ("MCL: strain along it, flexed (%)", "medial contact (N)", "lateral contact (N)", "MCL: force on femur (N)",
             "contact path, medial (mm)", "axial rotation (°)")  # fmt: skip
    for ax, label in zip(axes[2:].ravel(), names, strict=True):
        ax.set_ylabel(label)
    for ax in axes.ravel():
        ax.set_xlabel("time (s)")
        ax.yaxis.label.set_size("x-small")
    axes[2, 0].set_xlabel("from tibia to femur")
    axes[3, 1].set_xlabel("forward (mm)")
    axes[0, 0].legend(fontsize="xx-small")
    ax = other.subplots()
    ax.barh(list(outcome["sensitivity"]), [100 * (v - 1) for v in outcome["sensitivity"].values()])
    ax.set_xlabel("change of the contact force at extension (%)")
    ax.tick_params(axis="y", labelsize="x-small")
    return {"knee_comparison": figure, "knee_sensitivity": other}


STUDY = cd.Study.of_module(globals(), source="gantoi-2013")
