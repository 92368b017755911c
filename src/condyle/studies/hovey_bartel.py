"""Static hip: a polyethylene liner under 3000 N, against Bartel, Maxian and Kurtz (§4.5).

Hovey's static validation: the liner of 384 quads between radii of 14 and 22 mm, robust law, bonded to its shell, and a
head that conforms to it. Depth (10 mm), sector (180°) and mesh (48 × 8) are inferred; the depth was chosen by the
pressure of 13.7 MPa, so that this one number is no confirmation; all others are. Stress and strain are means over
cells. Heads with a clearance are beyond the source.

Hovey's validation against Bartel (§4.5): a polyethylene liner under 3000 N on the femoral head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection

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


PARAMETERS = LINER | {
    "young": cd.Parameter(1400e6, "Young's modulus", "Pa"),
    "poisson": cd.Parameter(0.3, "Poisson's ratio"),
    "load": cd.Parameter(3000.0, "force on the head", "N"),
    "load_steps": cd.Parameter(4, "load steps"),
    "clearances": cd.Parameter((0.01 * MM, 0.1 * MM, 0.5 * MM), "radial clearances that are tried", "m"),
}
QUICK = {"clearances": (0.5 * MM,)}
INPUTS = ("inner", "outer", "depth", "young", "load")


def liner_mesh(p: cd.Parameters, cells: tuple[int, int] | None = None) -> cd.Mesh:
    """Half a ring, open downwards, about the origin; cells around and across."""
    around, across = cells or p.cells
    return cd.Mesh.annulus(p.inner, p.outer, (across, around), angle=np.pi)


def liner(p: cd.Parameters, mesh: cd.Mesh, **options: Any) -> cd.Solid:
    """The polyethylene on a mesh."""
    plastic = cd.Robust(p.young, p.poisson, p.density)
    return cd.Solid.from_mesh("liner", mesh, plastic, thickness=p.depth, **options)


def model(p: cd.Parameters, radius: float, cells: tuple[int, int], law: str = "augmented") -> cd.Model:
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


def cell_means(fields: cd.SolidFields, centre: NDArray[np.float64] | tuple[float, float] = (0.0, 0.0)) -> cd.Outcome:
    """Stress [Pa] and strain of the liner as means over its cells, shape (cells,), and where these are: angle [°], radius [m].

    Means, that is at the middles, where these cells are most accurate: nearly incompressible material has pressures that
    alternate between integration points. `whole`: without the cells at both ends of the bond, where stress has no bound.
    centre: of the cup in the reference shape.
    """
    stress, strain = fields.cauchy.mean(axis=1), fields.strain.mean(axis=1)
    hydrostatic = -np.trace(stress, axis1=1, axis2=2) / 3.0
    deviator = stress + hydrostatic[:, None, None] * np.eye(3)
    away = fields.places.mean(axis=1) - np.asarray(centre)
    angle = np.degrees(np.arctan2(away[:, 0], away[:, 1]))
    principal, axes = np.linalg.eigh(strain[:, :2, :2])
    return {
        "hydrostatic": hydrostatic, "von Mises": np.sqrt(1.5 * np.sum(deviator**2, axis=(1, 2))),
        "upright": stress[:, 1, 1], "strains": principal, "axes": axes, "strain": np.abs(principal).max(axis=1),
        "angle": angle, "radius": np.linalg.norm(away, axis=1), "whole": np.abs(angle) < 82.0,
        "volume": fields.volumes.sum(axis=1),
    }  # fmt: skip


def draw_cells(
    panel: Axes,
    cells: NDArray[np.int64],
    nodes: NDArray[np.float64],
    values: NDArray[np.float64],
    whole: NDArray[np.bool_],
    unit: float = 1e6,
) -> PolyCollection:
    """Each cell in the colour of its mean over `unit`; tension, below zero, in purple; the scale is that of `whole` cells."""
    from matplotlib import colormaps
    from matplotlib.collections import PolyCollection

    colours = colormaps["viridis"].with_extremes(under="magenta")
    shown = PolyCollection(
        list(nodes[cells] / MM), array=values / unit, cmap=colours, edgecolors="face", linewidths=0.2
    )
    shown.set_clim(0.0, values[whole].max() / unit)
    panel.add_collection(shown)
    return shown


def solve(p: cd.Parameters, radius: float, cells: tuple[int, int]) -> cd.Outcome:
    """Contact and stress under the whole load."""
    result = cd.solve_static(model(p, radius, cells), steps=p.load_steps)
    contact, means = result.contact("joint"), cell_means(result.fields("liner"))
    middle = np.abs(means["angle"]) < 1.01 * np.abs(means["angle"]).min()
    outwards = np.argsort(means["radius"][middle])
    whole, mises, hydrostatic = means["whole"], means["von Mises"], means["hydrostatic"]
    x, pressure = contact.places[-1, :, 0], contact.pressure[-1]
    return {
        "pressure": float(pressure.max()),
        "off centre": float(np.abs(x[pressure.argmax()])),
        "side": float(pressure[np.argsort(np.abs(x))[-2:]].max()),
        "displacement": float(result.displacement("head")[-1, 1]),
        "hydrostatic": float(hydrostatic[whole].max()),
        "hydrostatic range": float(np.ptp(hydrostatic[middle]) / hydrostatic[middle].max()),
        "hydrostatic side": float(np.abs(hydrostatic[whole & (np.abs(means["angle"]) > 75.0)]).max()),
        "von Mises": float(mises[whole].max()),
        "von Mises angle": float(np.abs(means["angle"][whole][mises[whole].argmax()])),
        "von Mises outside": float(np.array([-0.25, -0.25, 0.75, 0.75]) @ mises[middle][outwards][-4:]),  # of two rows
        "strain": float(means["strain"][whole].max()),
        "strain axis": float(tilt(means, int(np.argmax(np.where(whole, means["strain"], 0.0))))),
        "iterations": result.iterations,
        "active": int(contact.active[-1].sum()),
        "resultant": float(contact.resultant[-1, 1]),
        "x": x, "p": pressure,
    }  # fmt: skip


def tilt(means: cd.Outcome, cell: int) -> float:
    """Angle between the axis of compression of a cell and the radius through it [°]."""
    radius = np.radians(means["angle"][cell])
    return float(np.degrees(np.arccos(min(1.0, abs(means["axes"][cell][:, 0] @ (np.sin(radius), np.cos(radius)))))))


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The conforming head, a finer mesh, and heads with a clearance."""
    return {
        "conforming": solve(p, p.inner, p.cells),
        "fine": solve(p, p.inner, (2 * p.cells[0], 2 * p.cells[1])),
        "clearance": [solve(p, p.inner - c, p.cells) for c in p.clearances],
    }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
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


S45 = "section 4.5"
IN_SPACE = "another cup, in space; the plane one of the source has 13.7"

CLAIMS = [
    cd.Claim("largest contact pressure, by which the depth was chosen", 13.7, lambda o: o["conforming"]["pressure"] / 1e6,
             unit="MPa", tolerance=0.05, kind="published", origin=S45),
    cd.Claim("displacement of the head", 0.053, lambda o: o["conforming"]["displacement"] / MM, unit="mm", tolerance=0.0005,
             kind="published", origin=S45),
    cd.Claim("largest contact pressure over the displacement, whatever the depth", 13.7 / 0.053,
             lambda o: o["conforming"]["pressure"] / 1e6 / (o["conforming"]["displacement"] / MM), unit="MPa/mm", tolerance=3.4,
             kind="published", origin=S45 + ", to half a digit of both"),
    cd.Claim("distance of the largest pressure from the centreline", "at the centreline",
             lambda o: o["conforming"]["off centre"] / MM, unit="mm", tolerance=0.05, kind="published",
             origin=S45 + ", figure 4.15"),
    cd.Claim("pressure at the sides", "zero", lambda o: o["conforming"]["side"] / 1e6, unit="MPa", tolerance=0.01,
             kind="published", origin=S45 + ", figure 4.15"),
    cd.Claim("largest hydrostatic pressure", 6.0, lambda o: o["conforming"]["hydrostatic"] / 1e6, unit="MPa", tolerance=0.5,
             kind="published", origin=S45 + ", figure 4.12: approximately 6"),
    cd.Claim("change of the hydrostatic pressure along the centreline, relative", "no radial variation",
             lambda o: o["conforming"]["hydrostatic range"], tolerance=0.1, kind="published",
             origin=S45 + ", figure 4.12, within one colour"),
    cd.Claim("largest von Mises stress", 10.0, lambda o: o["conforming"]["von Mises"] / 1e6, unit="MPa", tolerance=0.5,
             kind="published", origin=S45 + ", figure 4.13: about 10",
             differs=cd.Differs("read from the colours of a plot; on a mesh of half the size it is 11.2", 10.8, 11.3)),
    cd.Claim("angle of the largest von Mises stress from the load", "under the load",
             lambda o: o["conforming"]["von Mises angle"], unit="°", tolerance=2.0, kind="published",
             origin=S45 + ", figure 4.13"),
    cd.Claim("von Mises stress at the outer radius on the centreline", 5.0,
             lambda o: o["conforming"]["von Mises outside"] / 1e6, unit="MPa", tolerance=0.5, kind="published",
             origin=S45 + ", figure 4.13: about 5"),
    cd.Claim("largest strain", 0.8, lambda o: 100.0 * o["conforming"]["strain"], unit="%", tolerance=0.05, kind="published",
             origin=S45 + ", figure 4.16: on the order of 0.8 %"),
    cd.Claim("angle between the largest compression and the contact pressure", "same orientation",
             lambda o: o["conforming"]["strain axis"], unit="°", tolerance=1.0, kind="published", origin=S45 + ", figure 4.16"),
    cd.Claim("resultant of the pressures", 3000.0, lambda o: o["conforming"]["resultant"], unit="N", tolerance=1e-6,
             kind="closed form", origin="equilibrium"),
    cd.Claim("Newton iterations per load step", "quadratic", lambda o: float(o["conforming"]["iterations"].max()), tolerance=4,
             kind="property", origin="contact decided in each iteration"),
    cd.Claim("change of the largest pressure with a mesh of half the size", "none",
             lambda o: abs(o["fine"]["pressure"] / o["conforming"]["pressure"] - 1.0), tolerance=0.0005, kind="property",
             origin="converged"),
    cd.Claim("pressure within the range of Bartel's analysis and finite elements", (4.0, 16.4),
             lambda o: o["conforming"]["pressure"] / 1e6, unit="MPa", kind="published",
             origin=S45 + ", figure 4.11: well within"),
    cd.Claim("largest contact pressure, beside Maxian's", 12.7, lambda o: o["conforming"]["pressure"] / 1e6, unit="MPa",
             tolerance=0.05, kind="reference", origin="finite elements in space, quoted in section 4.5",
             differs=cd.Differs(IN_SPACE, 13.6, 13.75)),
    cd.Claim("largest contact pressure, beside Kurtz's", 15.0, lambda o: o["conforming"]["pressure"] / 1e6, unit="MPa",
             tolerance=0.05, kind="reference", origin="finite elements in space, quoted in section 4.5",
             differs=cd.Differs(IN_SPACE, 13.6, 13.75)),
    cd.Claim("displacement between Bartel's bonded and unbonded finite elements", (0.047, 0.054),
             lambda o: o["conforming"]["displacement"] / MM, unit="mm", kind="published", origin=S45 + ", figure 4.11"),
    cd.Claim("pressure with the largest clearance over that of the conforming head", "higher: a clearance concentrates it",
             lambda o: o["clearance"][-1]["pressure"] / o["conforming"]["pressure"], tolerance=1.2, sense="above",
             kind="relation", origin="beyond the source"),
    cd.Claim("largest number of iterations of a load step with a clearance, from one touching node", "converges",
             lambda o: float(max(c["iterations"].max() for c in o["clearance"])), tolerance=15, kind="property",
             origin="beyond the source"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
