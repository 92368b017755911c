"""ANCF brick: 8 nodes with r, r_x, r_y, r_z (96 coordinates), of any material."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.measures import volume_energy, volume_mass
from condyle.bodies.ancf.meshed import MeshedBody
from condyle.bodies.ancf.meshes import EDGES, check_mesh, draw, gradients_of_mesh
from condyle.bodies.ancf.shapes import BRICK, gauss_product
from condyle.errors import InputError
from condyle.model.given import Numbers, NumbersLike, NumbersOrNone, Option, Sets, VectorLike, VectorOrNone, Wholes
from condyle.model.quantities import declared, given, quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from condyle.bodies.materials.material import Material
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


@declared
class Brick(MeshedBody):
    """A solid of ANCF bricks, in space.

    nodes [m] (n, 3), cells: 8 node numbers each (bottom face in turn, then top); material: any; gradients: r_x, r_y, r_z of
    the nodes, shape (n, 3, 3), with extents: lengths of the cells in their parameters, shape (m, 3); by default from the
    edges. sets: named lists of nodes; damping [s]. points: Gauss points per direction; 4 integrate the stiffness of a block
    exactly; 3 take less than half the time, and eigenvalues of an element come out up to 24 % too low.
    """

    name: str
    nodes: Numbers = quantity("m")
    cells: Wholes
    material: Material
    gradients: NumbersOrNone = given(default=None)
    extents: NumbersOrNone = quantity("m", default=None)
    starts: NumbersOrNone = quantity("m", default=None)
    sets: Sets = given(default_factory=dict)
    points: int = 4
    damping: float = quantity("s", default=0.0, at_least=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)

    def __post_init__(self) -> None:
        self.check_mesh_fields("gradients", "extents", "starts")
        self.check_motion()

    @classmethod
    def block(
        cls,
        name: str,
        size: NumbersLike,
        divisions: int | Sequence[int],
        material: Material,
        *,
        origin: VectorLike = (0.0, 0.0, 0.0),
        **options: Option,
    ) -> Self:
        """A rectangular block; sets left/right (x), bottom/top (y), back/front (z); at(x, y, z) from its corner."""
        o = np.asarray(origin, dtype=float)
        return cls.shape(name, lambda u, v, w: o + np.array([u, v, w]), size, divisions, material, **options)

    @classmethod
    def shape(
        cls,
        name: str,
        function: Callable[[float, float, float], VectorLike],
        size: NumbersLike,
        divisions: int | Sequence[int],
        material: Material,
        **options: Option,
    ) -> Self:
        """A curved block function(u, v, w) [m] over 0 ≤ u, v, w ≤ size."""
        drawn = draw(function, size, divisions, BRICK.slots, f"{cls.__name__} '{name}'")
        g = drawn.nodal[:, 1:]
        g[np.abs(g) < 1e-10] = 0.0
        return cls(
            name, drawn.nodal[:, 0], drawn.cells, material, gradients=g, extents=drawn.extents, starts=drawn.starts,
            sets=drawn.sets | options.pop("sets", {}), **options,
        )  # fmt: skip

    def validate(self, model: Model) -> None:
        super().validate(model)
        if model.dimension != 3:
            raise InputError(f"{self.label}: bricks are for 3D models")
        check_mesh(self, 8)
        if (self.gradients is None) != (self.extents is None):
            raise InputError(f"{self.label}: give gradients and extents together")
        self.warn_of_few_points(6 * self.points**3, 96, 6)

    def mesh(self, d: int) -> Mesh:
        X, cells = np.array(self.nodes), np.array(self.cells)
        if self.gradients is None:
            g, lengths = gradients_of_mesh(X, cells, 3)
        else:
            g, lengths = np.array(self.gradients), np.array(self.extents)
        starts = None if self.starts is None else np.array(self.starts)
        return Mesh(BRICK, np.concatenate((X[:, None], g), axis=1), cells, lengths, starts, groups=dict(self.sets))

    def held_gradients(self, mesh: Mesh, tied: set[int]) -> dict[int, set[int]]:
        """Only gradients along tied edges: strain across a tied face stays free."""
        held: dict[int, set[int]] = {i: set() for i in tied}
        for cell in mesh.cells:
            for k, edges in enumerate(EDGES[3]):
                for a, b in edges:
                    if cell[a] in tied and cell[b] in tied:
                        held[int(cell[a])].add(k)
                        held[int(cell[b])].add(k)
        return held

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        volume_energy(builder, self, mesh, e, rows, W, gauss_product([self.points] * 3))
        m = volume_mass(self, mesh, e, self.material.density, gauss_product([4] * 3))
        builder.mass.append((rows, W.T @ m @ W))
