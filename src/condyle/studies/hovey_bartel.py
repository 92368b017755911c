"""Hovey's validation against Bartel (§4.5): a polyethylene liner under 3000 N on the femoral head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import condyle as cd

MM = 1e-3

# The liner of all of Hovey's models. Depth, sector and mesh are inferred; young and poisson are those of the moving ones.
LINER = {
    "cells": cd.Parameter((48, 8), "cells around and across the liner"),
    "inner": cd.Parameter(14 * MM, "inner radius", "m"),
    "outer": cd.Parameter(22 * MM, "outer radius", "m"),
    "depth": cd.Parameter(10 * MM, "depth of the plane model", "m"),
    "young": cd.Parameter(974e6, "Young's modulus", "Pa"),
    "poisson": cd.Parameter(0.46, "Poisson's ratio"),
    "density": cd.Parameter(940.0, "density, without effect on a body at rest or quasi-static", "kg/m³"),
}


def liner_mesh(p: Any, cells: tuple[int, int] | None = None) -> cd.Mesh:
    """Half a ring, open downwards, about the origin; cells around and across."""
    around, across = cells or p.cells
    return cd.Mesh.annulus(p.inner, p.outer, (across, around), angle=np.pi)


def liner(p: Any, mesh: cd.Mesh, **options: Any) -> cd.Solid:
    """The polyethylene on a mesh."""
    plastic = cd.Robust(p.young, p.poisson, p.density)
    return cd.Solid.from_mesh("liner", mesh, plastic, thickness=p.depth, **options)


def model(p: Any, radius: float, cells: tuple[int, int], law: str = "augmented") -> cd.Model:
    """The liner bonded to its shell, and the head that is pressed up into it."""
    m = cd.Model("static hip", dimension=2)
    soft = m.add(liner(p, liner_mesh(p, cells)))
    m.add(cd.Tie("shell", soft, "outer", m.ground))
    # The head starts where it touches the top of the liner.
    head = m.add(cd.RigidBody("head", 0.1, inertia=1e-5, position=(0.0, p.inner - radius)))
    m.add(cd.Slider("guide", m.ground, head, axis=(0, 1)))
    m.add(cd.Load("load", head.at(0, 0), (0.0, p.load)))
    m.add(cd.Contact("joint", soft, "inner", head, cd.Sphere(radius), law=law))
    return m


def solve(p: Any, radius: float, cells: tuple[int, int]) -> dict[str, Any]:
    """Contact and stress under the whole load."""
    result = cd.solve_static(model(p, radius, cells), steps=p.load_steps)
    contact, fields = result.contact("joint"), result.fields("liner")
    places = fields.places.reshape(-1, 2)
    angle = np.abs(np.arctan2(places[:, 0], places[:, 1]))
    middle = angle < 1.01 * angle.min()
    outermost = middle & (places[:, 1] > 0.96 * p.outer)
    mises, hydrostatic = fields.von_mises.ravel(), fields.pressure.ravel()
    x, pressure = contact.places[-1, :, 0], contact.pressure[-1]
    return {
        "pressure": float(pressure.max()),
        "off centre": float(np.abs(x[pressure.argmax()])),
        "side": float(pressure[np.argsort(np.abs(x))[-2:]].max()),
        "displacement": float(result.displacement("head")[-1, 1]),
        "hydrostatic": float(hydrostatic.max()),
        "hydrostatic range": float(np.ptp(hydrostatic[middle]) / hydrostatic[middle].max()),
        "von Mises": float(mises.max()),
        "von Mises outside": float(mises[outermost].mean()),
        "strain": float(np.abs(fields.principal_strains()[0]).max()),
        "iterations": result.iterations,
        "active": int(contact.active[-1].sum()),
        "resultant": float(contact.resultant[-1, 1]),
        "x": x, "p": pressure,
    }  # fmt: skip


def run(p: Any, context: cd.Context) -> dict[str, Any]:
    """The conforming head, a finer mesh, and heads with a clearance."""
    return {
        "conforming": solve(p, p.inner, p.cells),
        "fine": solve(p, p.inner, (2 * p.cells[0], 2 * p.cells[1])),
        "clearance": [solve(p, p.inner - c, p.cells) for c in p.clearances],
    }


def figures(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Pressure over the inner surface, beside the values of the literature."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 3.8))
    ax = figure.subplots()
    cases = [("conforming", outcome["conforming"])]
    cases += [(f"clearance {c / MM:g} mm", o) for c, o in zip(p.clearances, outcome["clearance"], strict=True)]
    for name, o in cases:
        order = np.argsort(o["x"])
        ax.plot(o["x"][order] / MM, o["p"][order] / 1e6, "o-", markersize=3, label=name)
    for value, who in ((12.7, "Maxian"), (15.0, "Kurtz"), (16.4, "Bartel, finite elements")):
        ax.axhline(value, color="0.6", linestyle="--", linewidth=0.8)
        ax.annotate(who, (-0.98 * p.inner / MM, value), fontsize=7, va="bottom")
    ax.set(xlabel="across the liner (mm)", ylabel="contact pressure (MPa)")
    ax.legend(fontsize=7)
    return {"pressure": figure}


S45 = "section 4.5, published"
CLAIMS = [
    cd.Claim("largest contact pressure", 13.7, lambda o: o["conforming"]["pressure"] / 1e6, unit="MPa",
             tolerance=0.1, origin=S45),
    cd.Claim("displacement of the head", 0.053, lambda o: o["conforming"]["displacement"] / MM, unit="mm", tolerance=0.001,
             origin=S45),
    cd.Claim("distance of the largest pressure from the centreline", "at the centreline",
             lambda o: o["conforming"]["off centre"] / MM, unit="mm", tolerance=0.05, origin=S45),
    cd.Claim("pressure at the sides", "zero", lambda o: o["conforming"]["side"] / 1e6, unit="MPa", tolerance=0.01, origin=S45),
    cd.Claim("largest hydrostatic pressure", 6.0, lambda o: o["conforming"]["hydrostatic"] / 1e6, unit="MPa", tolerance=0.6,
             origin=S45 + ", about 6"),
    cd.Claim("change of the hydrostatic pressure along the centreline, relative", "no radial variation",
             lambda o: o["conforming"]["hydrostatic range"], tolerance=0.2, origin=S45),
    cd.Claim("largest von Mises stress", 10.0, lambda o: o["conforming"]["von Mises"] / 1e6, unit="MPa", tolerance=1.2,
             origin=S45 + ", about 10 under the load"),
    cd.Claim("von Mises stress at the outer radius on the centreline", 5.0,
             lambda o: o["conforming"]["von Mises outside"] / 1e6, unit="MPa", tolerance=1.0, origin=S45 + ", about 5"),
    cd.Claim("largest strain", 0.8, lambda o: 100.0 * o["conforming"]["strain"], unit="%", tolerance=0.05,
             origin=S45 + ", about 0.8 %"),
    cd.Claim("resultant of the pressures", 3000.0, lambda o: o["conforming"]["resultant"], unit="N", tolerance=1e-6,
             origin="equilibrium"),
    cd.Claim("Newton iterations per load step", "quadratic", lambda o: float(o["conforming"]["iterations"].max()), tolerance=5,
             origin="a prototype needed 4"),
    cd.Claim("change of the largest pressure with a mesh of half the size", "none",
             lambda o: abs(o["fine"]["pressure"] / o["conforming"]["pressure"] - 1.0), tolerance=0.002, origin="converged"),
    cd.Claim("pressure within the range of Bartel's analysis and finite elements", (4.0, 16.4),
             lambda o: o["conforming"]["pressure"] / 1e6, unit="MPa", origin="Bartel 1985, as quoted in section 4.5"),
    cd.Claim("pressure over Maxian's 12.7 MPa", 1.0, lambda o: o["conforming"]["pressure"] / 12.7e6, tolerance=0.1,
             origin="section 4.5, comparison"),
    cd.Claim("pressure over Kurtz's 15.0 MPa", 1.0, lambda o: o["conforming"]["pressure"] / 15.0e6, tolerance=0.1,
             origin="section 4.5, comparison"),
    cd.Claim("displacement between Bartel's bonded and unbonded finite elements", (0.047, 0.054),
             lambda o: o["conforming"]["displacement"] / MM, unit="mm", origin="section 4.5, comparison"),
    cd.Claim("pressure with the largest clearance over that of the conforming head", "higher: a clearance concentrates it",
             lambda o: o["clearance"][-1]["pressure"] / o["conforming"]["pressure"], tolerance=1.2, sense="above",
             origin="beyond the source"),
    cd.Claim("largest number of iterations of a load step with a clearance, from one touching node", "converges",
             lambda o: float(max(c["iterations"].max() for c in o["clearance"])), tolerance=15, origin="beyond the source"),
]  # fmt: skip

STUDY = cd.Study(
    name="hovey-bartel",
    title="Static hip: a polyethylene liner under 3000 N, against Bartel, Maxian and Kurtz (§4.5)",
    source="hovey-2000",
    summary=(
        "Hovey's static validation: the liner of 384 quads between radii of 14 and 22 mm, robust law, bonded to "
        "its shell, and a head that conforms to it. Depth (10 mm), sector (180°) and mesh (48 × 8) are inferred; "
        "the depth was chosen by the pressure of 13.7 MPa, so that all other numbers are independent of it. Heads "
        "with a clearance are beyond the source."
    ),
    parameters=LINER
    | {
        "young": cd.Parameter(1400e6, "Young's modulus", "Pa"),
        "poisson": cd.Parameter(0.3, "Poisson's ratio"),
        "load": cd.Parameter(3000.0, "force on the head", "N"),
        "load_steps": cd.Parameter(4, "load steps"),
        "clearances": cd.Parameter((0.01 * MM, 0.1 * MM, 0.5 * MM), "radial clearances that are tried", "m"),
    },
    run=run,
    claims=CLAIMS,
    figures=figures,
    quick={},
)
