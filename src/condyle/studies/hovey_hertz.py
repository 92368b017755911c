"""A rigid cylinder pressed into a half space in ten loads, against Hertz (App. B.4.1 a).

Hovey's static test of the contact element: a cylinder of 1 m radius, as an exact circle and as 21 cubic Hermite facets,
pressed into a quarter disk of 1560 plane-strain elements (St. Venant–Kirchhoff) by 0.1 to 1 dN, which is half of the
load of the closed form by symmetry. The arc of the mesh is fixed and its grading is ours: neither is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

CM = 0.01
DN = 0.1  # a decinewton
B41A = "appendix B.4.1 a, Hertz's closed form"
MESH = {
    "cells": cd.Parameter((40, 39), "cells along the surface and down"),
    "grading": cd.Parameter(1.7, "power by which cells get finer towards the contact"),
    "mesh_radius": cd.Parameter(8 * CM, "radius of the quarter disk", "m"),
    "cylinder_radius": cd.Parameter(100 * CM, "radius of the cylinder", "m"),
    "facets": cd.Parameter(21, "cubic pieces of the Hermite target"),
    "young": cd.Parameter(100 * DN / CM**2, "Young's modulus (100 dN/cm per cm of depth)", "Pa"),
    "poisson": cd.Parameter(0.3, "Poisson's ratio"),
    "depth": cd.Parameter(1 * CM, "depth of the plane model", "m"),
}

PARAMETERS = {
    **MESH,
    "largest_load": cd.Parameter(1.0 * DN, "tenth load on the half model", "N"),
}
INPUTS = ("cylinder_radius", "young", "depth", "largest_load")


def half_space(p: cd.Parameters) -> cd.Mesh:
    """A quarter disk below y = 0 with x = 0 as plane of symmetry, its cells finer towards the middle of the contact."""

    def place(X: NDArray[np.float64]) -> NDArray[np.float64]:
        u, w = X[:, 0] ** p.grading, (1.0 - X[:, 1]) ** p.grading
        return p.mesh_radius * np.column_stack((u * np.sqrt(1.0 - 0.5 * w * w), -w * np.sqrt(1.0 - 0.5 * u * u)))

    mesh = cd.Mesh.block((1.0, 1.0), p.cells).mapped(place)
    mesh.sets["arc"] = np.union1d(mesh.sets["right"], mesh.sets["bottom"])
    mesh.sets["middle"] = np.setdiff1d(mesh.sets["left"], mesh.sets["arc"])
    return mesh


def target(p: cd.Parameters, kind: str) -> cd.Surface:
    """The cylinder about its own centre: a circle, or `facets` cubic Hermite pieces of an arc about its lowest point."""
    if kind == "circle":
        return cd.Sphere(p.cylinder_radius)
    reach = 1.5 * p.mesh_radius / p.cylinder_radius
    angle = -0.5 * np.pi + reach * np.linspace(-1.0, 1.0, p.facets + 3)
    return cd.HermiteCurve(p.cylinder_radius * np.column_stack((np.cos(angle), np.sin(angle))), 0.5, closed=False)


def half_model(p: cd.Parameters, kind: str, mass: float, gap: float) -> cd.Model:
    """The half space, without mass, and the cylinder, guided along y, `gap` [m] above it."""
    m = cd.Model("cylinder on a half space", dimension=2, gravity=(0.0, -9.81))
    law = cd.StVenantKirchhoff(p.young, p.poisson, 0.0, plane="strain")
    body = m.add(cd.Solid.from_mesh("half space", half_space(p), law, thickness=p.depth, quasi_static=True))
    m.add(cd.Tie("arc", body, "arc", m.ground))
    m.add(cd.Hold("symmetry", body, "middle", (1, 0)))
    cylinder = m.add(cd.RigidBody("cylinder", mass, inertia=mass, position=(0.0, p.cylinder_radius + gap)))
    m.add(cd.Slider("guide", m.ground, cylinder, axis=(0, 1)))
    m.add(cd.Contact("contact", body, "top", cylinder, target(p, kind)))
    return m


def pressed(p: cd.Parameters, kind: str) -> cd.Model:
    """Under a load of its own, without weight; the load on the half model is half of that on the whole cylinder."""
    m = half_model(p, kind, 1.0, 0.0)
    m.add(cd.Load("load", cd.Point("cylinder", (0.0, 0.0)), (0.0, -p.largest_load)))
    m.add(cd.Gravity("no weight", 0.0))
    return m


def hertz(p: cd.Parameters, load: NDArray[np.float64]) -> tuple[Any, Any]:
    """Half width a [m] and largest pressure p0 [Pa] under the whole load [N]: a = √(4 (1 − ν²) P R / (π E))."""
    per_depth = np.asarray(load) / p.depth
    a = np.sqrt(4.0 * (1.0 - p.poisson**2) * per_depth * p.cylinder_radius / (np.pi * p.young))
    return a, 2.0 * per_depth / (np.pi * a)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Both targets, ten loads each."""
    for kind in ("circle", "Hermite"):
        result = cd.solve_static(pressed(p, kind), steps=10)
        contact = result.contact("contact")
        loads = 2.0 * p.largest_load * result.times[1:]
        a, peak = hertz(p, loads)
        x, pressure = contact.places[1:, :, 0], contact.pressure[1:]
        inside = np.abs(x) < 0.9 * a[:, None]
        profile = peak[:, None] * np.sqrt(np.maximum(1.0 - (x / a[:, None]) ** 2, 0.0))
        width = np.array([row[on].max() for row, on in zip(x, contact.active[1:], strict=True)])
        spacing = np.diff(np.sort(x[-1])).max(initial=0.0, where=np.sort(x[-1])[1:] < 1.2 * a[-1])
        found = {
            "peak": pressure.max(axis=1) / peak,
            "profile": float((np.abs(pressure - profile) / peak[:, None])[inside].max()),
            "width": float(np.abs(width - a).max() / spacing),
            "resultant": float(np.abs(contact.resultant[1:, 1] / (0.5 * loads) + 1.0).max()),
            "iterations": result.iterations,
            "x": x, "pressure": pressure, "a": a, "p0": peak,
        }  # fmt: skip
        yield {kind: found}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Pressures of the ten loads over the closed form."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 3.8))
    ax = figure.subplots()
    o = outcome["circle"]
    for a, peak, x, pressure in zip(o["a"], o["p0"], o["x"], o["pressure"], strict=True):
        s = np.linspace(0.0, a, 60)
        ax.plot(s / CM, peak * np.sqrt(1.0 - (s / a) ** 2), color="0.6", linewidth=0.9)
        order = np.argsort(x)
        ax.plot(x[order] / CM, pressure[order], ".", markersize=4)
    ax.set(xlabel="distance from the middle (cm)", ylabel="contact pressure (Pa)", xlim=(0.0, 1.4 * o["a"][-1] / CM))
    return {"pressure": figure}


CLAIMS = [
    cd.Claim("circle: largest pressure under the tenth load", 0.8364, lambda o: o["circle"]["pressure"][-1].max() / 1e3,
             unit="dN/cm²", tolerance=0.005, kind="closed form", origin="equation B.6, numbers of the source, P = 2 dN"),
    cd.Claim("circle: largest pressure under the first load", 0.2645, lambda o: o["circle"]["pressure"][0].max() / 1e3,
             unit="dN/cm²", tolerance=0.0016, kind="closed form", origin="equation B.6, numbers of the source, P = 0.2 dN"),
    cd.Claim("circle: largest pressure over Hertz's, largest error of ten loads", "the same",
             lambda o: float(np.abs(o["circle"]["peak"] - 1.0).max()), tolerance=0.006, kind="closed form", origin=B41A),
    cd.Claim("Hermite: largest pressure over Hertz's, largest error of ten loads", "the same",
             lambda o: float(np.abs(o["Hermite"]["peak"] - 1.0).max()), tolerance=0.006, kind="closed form", origin=B41A),
    cd.Claim("circle: pressure inside 0.9 a against the ellipse, over p0", "the same", lambda o: o["circle"]["profile"],
             tolerance=0.025, kind="closed form", origin=B41A),
    cd.Claim("circle: half width against a, in node spacings", "within one", lambda o: o["circle"]["width"], tolerance=1.0,
             kind="closed form", origin=B41A),
    cd.Claim("Hermite: resultant over the load", "the same", lambda o: o["Hermite"]["resultant"], tolerance=1e-9,
             kind="property", origin="equilibrium"),
    cd.Claim("Hermite against circle: largest difference of the largest pressures", "none",
             lambda o: float(np.abs(o["Hermite"]["peak"] / o["circle"]["peak"] - 1.0).max()), tolerance=1e-3,
             kind="relation", origin="21 cubic facets, eq. (3.126)"),
    cd.Claim("largest number of Newton iterations after the first load", "quadratic",
             lambda o: float(max(o[k]["iterations"][1:].max() for k in ("circle", "Hermite"))), tolerance=6,
             kind="published", origin="appendix B.4.1: quadratic convergence for each load"),
    cd.Claim("Newton iterations of the first load, from one touching node", "few",
             lambda o: float(max(o[k]["iterations"][0] for k in ("circle", "Hermite"))), tolerance=10, kind="property",
             origin="contact decided in each iteration"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
