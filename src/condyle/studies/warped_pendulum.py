"""A falling flexible pendulum whose sections may warp.

A bar of rubber falls from rest about a pin at its end, as planar beams whose sections stay straight and whose sections warp, in
two thicknesses. The axis hardly notices the difference; the stretch across the section does. Both are compared with a
geometrically exact, shear-deformable beam. Plane stress is assumed where the source does not say; the deflection of the middle
is its distance from the line between the ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import condyle as cd

PARAMETERS = {
    "length": cd.Parameter(1.2, "length of the bar", "m"),
    "height": cd.Parameter(0.04, "side of the square section", "m"),
    "thin": cd.Parameter(0.02, "side of the section of the thinner bar", "m"),
    "young": cd.Parameter(7e6, "Young's modulus", "Pa"),
    "poisson": cd.Parameter(0.3, "Poisson's ratio"),
    "density": cd.Parameter(5540.0, "density", "kg/m³"),
    "coarse": cd.Parameter(6, "elements of the coarse bar"),
    "elements": cd.Parameter(8, "elements"),
    "fine": cd.Parameter(16, "elements for the area of the section"),
    "dt": cd.Parameter(1e-3, "time step", "s"),
    "end": cd.Parameter(1.1, "time simulated", "s"),
}
QUICK = {"end": 0.4, "dt": 4e-3}
INPUTS = ("young", "density", "height")
EARLY = 0.6  # s: until then the motion is smooth


def bar(p: cd.Parameters, sections: str, height: float, elements: int, poisson: float | None = None) -> cd.Model:
    """The bar, horizontal, with a pin at its start. sections: 'straight', 'warped' or 'exact'."""
    model = cd.Model("falling bar", dimension=2, gravity=(0.0, -9.81))
    nu = p.poisson if poisson is None else poisson
    section = cd.RectangularSection(height, height, cd.StVenantKirchhoff(p.young, nu, p.density))
    line = [(0.0, 0.0), (p.length, 0.0)]
    if sections == "exact":
        beam: Any = cd.Beam("bar", line, elements, section)
    else:
        beam = cd.PlanarBeam("bar", line, elements, section, sections=sections)
    model.add(beam)
    model.add(cd.Pin("pin", beam.point("start"), model.ground, at=(0.0, 0.0)))
    return model


def sag(p: cd.Parameters, sections: str, weight: float = 1e-5) -> float:
    """How far the tip sinks where the start is clamped and gravity is small, per gravity [s²]; no Poisson's ratio."""
    model = cd.Model("clamped bar", dimension=2, gravity=(0.0, -weight))
    section = cd.RectangularSection(p.height, p.height, cd.StVenantKirchhoff(p.young, 0.0, p.density))
    beam = model.add(cd.PlanarBeam("bar", [(0.0, 0.0), (p.length, 0.0)], p.fine, section, sections=sections))
    model.add(cd.Tie("clamp", beam, "start", "ground"))
    return float(-cd.solve_static(model, steps=1).displacement("bar.end")[-1, 1] / weight)


def readings(p: cd.Parameters, result: cd.Result, height: float, elements: int) -> cd.Outcome:
    """Tip, deflection of the middle, energy and, of planar beams, what the section does at the middle."""
    tip = result.position("bar.end")
    middle = result.position(f"bar.{elements // 2}")
    chord = tip / np.linalg.norm(tip, axis=1)[:, None]
    out = {"tip": tip[:, 1], "middle": chord[:, 0] * middle[:, 1] - chord[:, 1] * middle[:, 0]}
    E = result.energy
    out["energy"] = {k: E[k] for k in ("kinetic", "stored", "gravity", "total")}
    out["drift"] = float(np.ptp(E["total"]) / np.ptp(E["kinetic"]))
    if isinstance(result.model["bar"], cd.PlanarBeam):
        seen = cd.LineHistory(result, "bar", np.array([0.5 * p.length]))
        for name, y in (("axis", 0.0), ("off", 0.4 * height)):
            out[f"area {name}"] = seen.area_ratio(y)[:, 0]
            out[f"yy {name}"] = seen.strain("yy", y)[:, 0]
        out["shear"] = seen.shear_angle()[:, 0]
    return out


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Both elements in both thicknesses, coarser and finer, and the exact beam, also without Poisson's ratio."""
    yield {"length": p.length, "sag": {kind: sag(p, kind) for kind in ("straight", "warped")}}
    cases: dict[str, tuple[str, float, int, float | None]] = {}
    for kind in ("straight", "warped"):
        cases[f"{kind} thin"] = (kind, p.thin, p.elements, None)
        for n, label in ((p.coarse, "coarse"), (p.elements, ""), (p.fine, "fine")):
            cases[f"{kind} {label}".strip()] = (kind, p.height, n, None)
    cases["exact"] = ("exact", p.height, 4 * p.elements, None)
    cases["exact thin"] = ("exact", p.thin, 4 * p.elements, None)
    cases["warped, no Poisson"] = ("warped", p.height, p.elements, 0.0)
    cases["exact, no Poisson"] = ("exact", p.height, 4 * p.elements, 0.0)
    out: cd.Outcome = {}
    for label, (kind, height, n, nu) in cases.items():
        result = context.simulate(
            label.replace(",", "").replace(" ", "-"), bar(p, kind, height, n, nu), end=p.end, dt=p.dt
        )
        out[label] = readings(p, result, height, n)
    yield out | {"t": result.times}


def _apart(o: cd.Outcome, one: str, other: str, what: str = "tip", until: float = EARLY) -> float:
    """Largest difference of two bars over their length."""
    early = o["t"] <= until + 1e-9
    return float(np.abs(o[one][what] - o[other][what])[early].max() / o["length"])


def _close(
    name: str,
    one: str,
    other: str,
    what: str = "tip",
    *,
    within: float,
    figure: str,
    words: str = "agree (of the length)",
) -> cd.Claim:
    """A published figure shows two bars together: their tips or middles differ by at most `within` of the length."""
    return cd.Claim(name, words, lambda o: _apart(o, one, other, what), tolerance=within, kind="published",
                    origin=f"section 5.5, {figure}")  # fmt: skip


def _swing(o: cd.Outcome, kind: str, what: str) -> float:
    """How far the area ratio, or strain, off the axis goes from that on it, over how far that on it changes."""
    axis, off = o[kind][f"{what} axis"], o[kind][f"{what} off"]
    return float(np.abs(off - axis).max() / np.ptp(axis))


def _area_change(o: cd.Outcome, kind: str, one: str, other: str) -> float:
    """Change of the area ratio off the axis with the mesh, over its range."""
    a, b = (o[f"{kind} {label}".strip()]["area off"] for label in (one, other))
    return float(np.sqrt(np.mean((a - b) ** 2)) / np.ptp(b))


PLANAR = ("straight", "warped", "straight thin", "warped thin")
BENDING = "ρ A l⁴/(8 E I) + ρ A l²/(2 κ G A), κ = 5/6; no Poisson's ratio"
CLAIMS = [
    cd.Claim("straight sections: sag of the clamped bar over small gravity", 1.5399, lambda o: o["sag"]["straight"],
             tolerance=0.004, unit="s²", kind="closed form", origin=BENDING),
    cd.Claim("warped sections: sag of the clamped bar over small gravity", 1.5399, lambda o: o["sag"]["warped"],
             tolerance=0.002, unit="s²", kind="closed form", origin=BENDING),
    *(_close(f"{where}: straight and warped sections, until 0.6 s", f"straight{thin}", f"warped{thin}", where.split()[0],
             within=within, figure=figure)
      for where, thin, within, figure in (
          ("tip", "", 0.01, "figure 47"), ("tip of the thin bar", " thin", 0.02, "figure 55"),
          ("middle", "", 0.01, "figure 48"), ("middle of the thin bar", " thin", 0.02, "figure 56"))),
    *(_close(f"tip with 6 and 8 elements, {kind} sections, until 0.6 s", f"{kind} coarse", kind, within=0.01,
             figure="figures 53 and 54", words="has converged (of the length)")
      for kind in ("straight", "warped")),
    cd.Claim("energy of all bars", "constant (of the kinetic energy)", lambda o: max(o[k]["drift"] for k in PLANAR),
             tolerance=1e-11, kind="published", origin="section 5.5, figures 49 and 57"),
    cd.Claim("area ratio of straight sections off the axis less that on it", "the same",
             lambda o: float(np.abs(o["straight"]["area off"] - o["straight"]["area axis"]).max()), tolerance=1e-12,
             kind="published", origin="section 5.5, figure 50"),
    cd.Claim("area ratio on the axis: straight and warped sections, 16 elements", "agree (root mean square over the range)",
             lambda o: float(np.sqrt(np.mean((o["straight fine"]["area axis"] - o["warped fine"]["area axis"]) ** 2))
                             / np.ptp(o["straight fine"]["area axis"])), tolerance=0.15, kind="published",
             origin="section 5.5, figure 50", full_only=True),
    cd.Claim("area ratio of warped sections off the axis less that on it, over the range of that", "differs",
             lambda o: _swing(o, "warped", "area"), tolerance=0.5, sense="above", kind="published",
             origin="section 5.5, figure 50"),
    cd.Claim("strain across warped sections off the axis less that on it, over the range of that", "differs",
             lambda o: _swing(o, "warped", "yy"), tolerance=0.5, sense="above", kind="published",
             origin="section 5.5, figure 51"),
    cd.Claim("the same of the thin bar", "differs", lambda o: _swing(o, "warped thin", "yy"), tolerance=0.2, sense="above",
             kind="published", origin="section 5.5, figure 59"),
    cd.Claim("area off the axis changes more from 6 to 8 elements than from 8 to 16", "needs finer meshes",
             lambda o: _area_change(o, "warped", "coarse", "") / _area_change(o, "warped", "", "fine"), tolerance=1.0,
             sense="above", kind="property", origin="convergence with the mesh; the source takes 16 elements", full_only=True),
    *(_close(f"{where} of warped sections and a geometrically exact beam, until 0.6 s", "warped", "exact", where, within=0.02,
             figure=figure)
      for where, figure in (("tip", "figure 61"), ("middle", "figure 62"))),
    cd.Claim("the same of the tip without Poisson's ratio", "agree better (of the length)",
             lambda o: _apart(o, "warped, no Poisson", "exact, no Poisson"), tolerance=0.003, kind="reference",
             origin="geometrically exact beam: what is left is Poisson locking, 6.5 percent of the bending stiffness"),
]  # fmt: skip


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Tip and middle, energy, area of the section and shear angle."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 6.4))
    axes = figure.subplots(3, 2, sharex=True)
    t = outcome["t"]
    for kind, line in (("straight", "-"), ("warped", "--"), ("exact", ":")):
        axes[0, 0].plot(t, outcome[kind]["tip"], line, label=kind)
        axes[0, 1].plot(t, 1e3 * outcome[kind]["middle"], line, label=kind)
    for name, curve in outcome["warped"]["energy"].items():
        axes[1, 0].plot(t, curve - curve[0] * (name == "gravity"), label=name)
    axes[1, 1].plot(t, outcome["straight"]["area axis"], label="straight")
    axes[1, 1].plot(t, outcome["warped"]["area axis"], "--", label="warped, axis")
    axes[1, 1].plot(t, outcome["warped"]["area off"], ":", label="warped, 0.4 h off")
    for kind, line in (("straight", "-"), ("warped", "--")):
        axes[2, 0].plot(t, np.degrees(outcome[kind]["shear"]), line, label=kind)
        axes[2, 1].plot(t, 1e3 * outcome[f"{kind} thin"]["middle"], line, label=f"{kind}, thin bar")
    labels = ("tip (m)", "middle (mm)", "energy (J)", "area ratio, middle", "shear angle (°)", "middle (mm)")
    for ax, label in zip(axes.ravel(), labels, strict=True):
        ax.set_ylabel(label)
        ax.legend(fontsize="x-small")
    for ax in axes[-1]:
        ax.set_xlabel("time (s)")
    figure.align_ylabels()
    return {"warped_pendulum": figure}


STUDY = cd.Study.of_module(globals(), source="gantoi-2013")
