"""ANCF bodies of cells that a user gives: plates, shells and bricks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from condyle.bodies.ancf.body import AncfBody
from condyle.bodies.ancf.meshes import Drawn, draw
from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.model.given import Json, Numbers, NumbersLike, Option, Sets, VectorLike, Wholes
from condyle.model.part import rows
from condyle.model.quantities import declared, quantity


class MeshedBody(AncfBody, abstract=True):
    """Nodes, cells of nodes, named sets of nodes, and a material."""

    nodes: Numbers
    cells: Wholes
    material: Material
    sets: Sets

    def check_mesh_fields(self, *optional: str) -> None:
        """Check nodes, cells, sets, material, and tables that may be left out."""
        rows(self, "nodes")
        rows(self, "cells", whole=True)
        for name in optional:
            if getattr(self, name) is not None:
                rows(self, name)
        self.sets = {str(k): [int(i) for i in v] for k, v in self.sets.items()}
        if not isinstance(self.material, Material):
            raise InputError(f"{self.label}: give a material such as StVenantKirchhoff(young=…, poisson=…, density=…)")


@declared
class SurfaceBody(MeshedBody, abstract=True):
    """A body along a surface in space, with a thickness [m]."""

    name: str
    nodes: Numbers = quantity("m")
    cells: Wholes
    material: Material
    thickness: float = quantity("m", above=0.0)

    @classmethod
    def rectangle(
        cls,
        name: str,
        size: NumbersLike,
        divisions: int | Sequence[int],
        material: Material,
        thickness: float,
        *,
        origin: VectorLike = (0.0, 0.0, 0.0),
        axes: NumbersLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        **options: Option,
    ) -> Self:
        """A rectangle along two unit vectors `axes` from `origin`; sets left, right, bottom, top; at(u, v) in metres."""
        e, o = np.asarray(axes, dtype=float), np.asarray(origin, dtype=float)
        return cls.surface(name, lambda u, v: o + u * e[0] + v * e[1], size, divisions, material, thickness, **options)

    @classmethod
    def surface(
        cls,
        name: str,
        function: Callable[[float, float], VectorLike],
        size: NumbersLike,
        divisions: int | Sequence[int],
        material: Material,
        thickness: float,
        **options: Option,
    ) -> Self:
        """A curved surface function(u, v) [m] over 0 ≤ u, v ≤ size; sets and at(u, v) as for `rectangle`."""
        drawn = draw(function, size, divisions, cls.drawn_slots(options), f"{cls.__name__} '{name}'")
        own = {"sets": drawn.sets | options.pop("sets", {})} | cls.drawn_fields(drawn)
        return cls(name, drawn.nodal[:, 0], drawn.cells, material, thickness, **own, **options)

    @classmethod
    def drawn_slots(cls, options: dict[str, Json]) -> Sequence[Sequence[int]]:
        """Orders of the derivatives by (u, v) that it needs at the nodes, with these options."""
        raise TypeError(
            f"{cls.__name__} does not say how it is made along a surface: define drawn_slots and drawn_fields"
        )

    @classmethod
    def drawn_fields(cls, drawn: Drawn) -> dict[str, Json]:
        """Its own fields of a grid along a surface."""
        return {"starts": drawn.starts}

    def half_thickness(self) -> float:
        return 0.5 * self.thickness
