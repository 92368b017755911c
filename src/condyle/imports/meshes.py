"""Meshes without a model: closed surfaces (STL, PLY, OBJ, OFF) as rigid bodies, cells (.msh, .vtu, .inp, …) as solids."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.materials import NeoHookean
from condyle.bodies.mesh import Mesh
from condyle.bodies.rigid import RigidBody
from condyle.bodies.solid import Solid
from condyle.contact.facets import FacetSurface
from condyle.errors import InputError
from condyle.imports.frames import Names
from condyle.imports.imported import Imported
from condyle.imports.surfaces import ENDINGS, Surface, read_surface
from condyle.parts import Model

__all__ = ["read"]

SHOWN = 3000  # triangles that show a body; of a finer surface, a coarser one is shown
LARGE, SMALL = 5.0, 1e-4  # [m]: larger or smaller is hardly a part of a body or a machine
DIGITS = 7  # of places that are shown [m]


def read(
    path: str | Path,
    *,
    length: float = 1.0,
    density: float = 1000.0,
    mass: float | None = None,
    shape: str | None = None,
    young: float | None = None,
    poisson: float = 0.3,
) -> Imported:
    """A mesh as a body of its own, where it stands in the file.

    length [m]: unit of the file, 0.001 for mm. density [kg/m³], or mass [kg] instead. shape of a closed surface in contact:
    'facets', 'hull' (its convex hull) or None. young [Pa], poisson: of a mesh of cells, which is a neo-Hookean solid.
    """
    file = Path(path)
    if not length > 0.0 or not density > 0.0 or (mass is not None and not mass > 0.0):
        raise InputError(f"'{file}': length, density and mass must be positive")
    made = Imported(Model(file.stem, dimension=3), file, f"mesh ({file.suffix[1:].upper()})")
    name = Names().take("body", file.stem)
    if file.suffix.lower() in ENDINGS:
        _add_rigid(made, name, read_surface(file, scale=length), density, mass, shape)
    else:
        _add_solid(made, name, file, length, density, young, poisson)
    return made


def _add_rigid(
    made: Imported, name: str, surface: Surface, density: float, mass: float | None, shape: str | None
) -> None:
    unit = surface.mass_properties(1.0)
    factor = density if mass is None else mass / unit.mass
    _doubt_units(made, name, surface.points)
    for hint in surface.hints():
        made.leave_out("surface", name, hint)
    if shape not in (None, "facets", "hull"):
        raise InputError(f"{surface.label}: shape is 'facets' or 'hull', not {shape!r}")
    origin = unit.centre
    own = Surface(surface.points - origin, surface.triangles, surface.label)
    touched = None
    if shape is not None:
        used = own if shape == "facets" else own.hull()
        touched = FacetSurface(used.points.tolist(), used.triangles.tolist())
    shown = own.coarse(SHOWN)
    if shown is not own:
        made.leave_out(
            "surface",
            name,
            f"{len(shown.triangles)} of its {len(own.triangles)} triangles are shown; its mass is exact",
        )
    made.model.add(
        RigidBody(
            name,
            factor * unit.mass,
            second_moment=(factor * unit.second_moment).tolist(),
            position=origin.tolist(),
            faces={"points": np.round(shown.points, DIGITS).tolist(), "cells": shown.triangles.tolist()},
            shape=touched,
        )
    )


def _add_solid(
    made: Imported, name: str, file: Path, length: float, density: float, young: float | None, poisson: float
) -> None:
    if young is None:
        raise InputError(f"'{file}': a mesh of cells is a solid; give young=… [Pa], its modulus (--set young=1e6)")
    mesh = Mesh.read(file)
    if mesh.nodes.shape[1] == 2:
        made.model = Model(file.stem, dimension=2)
    scaled = mesh.mapped(lambda X: length * X) if length != 1.0 else mesh
    _doubt_units(made, name, scaled.nodes)
    made.model.add(Solid.from_mesh(name, scaled, NeoHookean(young, poisson, density=density)))


def _doubt_units(made: Imported, name: str, points: NDArray[np.float64]) -> None:
    span = float(np.ptp(np.asarray(points), axis=0).max())
    if not SMALL < span < LARGE:
        made.leave_out("units", name, f"it is {span:.3g} m large; if the file is not in m, give length=…, 0.001 for mm")
