"""ANCF plates: r, r_x, r_y per node (thin, 36 coordinates) and r_xy as well (bicubic, 48 coordinates).

Energy of the middle surface: Green strain and curvature n·r_ab in plane stress, so that Poisson's ratio does not lock.
The bicubic plate has continuous slopes; those of the thin one jump across edges, and it converges all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.measures import surface_energy, surface_mass
from condyle.bodies.ancf.meshed import SurfaceBody
from condyle.bodies.ancf.meshes import Drawn, check_mesh, gradients_of_mesh
from condyle.bodies.ancf.shapes import BICUBIC_PLATE, THIN_PLATE, gauss_product
from condyle.bodies.ancf.splines import spline_sheet
from condyle.errors import InputError
from condyle.model.given import Json, NumbersLike, NumbersOrNone, Option, Sets, VectorOrNone
from condyle.model.quantities import choice, declared, given, quantity

if TYPE_CHECKING:
    from condyle.bodies.materials.material import Material
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


@declared
class Plate(SurfaceBody):
    """A thin plate or shell without shear, in space.

    nodes [m] (n, 3), cells: 4 node numbers each, in turn; material with young, poisson, density; thickness [m]; kind:
    'bicubic' (48 coordinates) or 'thin' (36). gradients: r_x, r_y(, r_xy) of the nodes, shape (n, 2 or 3, 3), by default
    from the edges; extents: lengths of the cells in their parameters, shape (m, 2); starts: parameters of their first
    corners. sets: named lists of nodes. membrane, bending: 3×3 stiffness on (e11, e22, 2e12) [N/m] and (κ11, κ22, 2κ12)
    [N m] of a laminate, in place of the material's. curvature: 'material' n·r_ab, or 'geometric', divided by the squared
    stretch of area. prestrain, rest ('curved', 'flat'), points (per direction) and damping as for a Cable.
    """

    kind: str = choice("bicubic", "thin", default="bicubic")
    gradients: NumbersOrNone = given(default=None)
    extents: NumbersOrNone = quantity("m", default=None)
    starts: NumbersOrNone = quantity("m", default=None)
    sets: Sets = given(default_factory=dict)
    membrane: NumbersOrNone = quantity("N/m", default=None)
    bending: NumbersOrNone = quantity("N m", default=None)
    curvature: str = choice("material", "geometric", default="material")
    prestrain: float = quantity(default=0.0, at_least=-0.5)
    rest: str = choice("curved", "flat", default="curved")
    points: int | None = None
    damping: float = quantity("s", default=0.0, at_least=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)

    def __post_init__(self) -> None:
        self.check_mesh_fields("gradients", "extents", "starts", "membrane", "bending")
        for name in ("membrane", "bending"):
            given = getattr(self, name)
            if given is not None and (np.shape(given) != (3, 3) or np.linalg.eigvalsh(np.array(given)).min() <= 0):
                raise InputError(f"{self.label}: {name} must be a symmetric positive 3×3 matrix")
        self.check_motion()

    @classmethod
    def drawn_slots(cls, options: dict[str, Json]) -> Sequence[Sequence[int]]:
        return (THIN_PLATE if options.get("kind") == "thin" else BICUBIC_PLATE).slots

    @classmethod
    def drawn_fields(cls, drawn: Drawn) -> dict[str, Json]:
        g = drawn.nodal[:, 1:]
        g[np.abs(g) < 1e-10 * np.abs(g).max()] = 0.0
        return {"gradients": g, "extents": drawn.extents, "starts": drawn.starts}

    @classmethod
    def of_spline(
        cls,
        name: str,
        control: NumbersLike,
        material: Material,
        thickness: float,
        *,
        degree: Sequence[int] = (3, 3),
        knots: Sequence[NumbersLike | None] = (None, None),
        weights: NumbersLike | None = None,
        tolerance: float = 1e-6,
        **options: Option,
    ) -> Self:
        """A bicubic plate along a B-spline, Bézier or NURBS surface (see `spline_sheet`); sets left, right, bottom, top."""
        made = spline_sheet(control, degree=degree, knots=knots, weights=weights, tolerance=tolerance)
        own: dict[str, Any] = {"gradients": made.gradients, "extents": made.extents, "starts": made.starts}
        sets = made.sets | options.pop("sets", {})
        return cls(name, made.nodes, made.cells, material, thickness, sets=sets, **own, **options)

    def validate(self, model: Model) -> None:
        super().validate(model)
        if model.dimension != 3:
            raise InputError(f"{self.label}: plates are for 3D models")
        check_mesh(self, 4)
        k = len(self._shape.slots) - 1
        if self.gradients is not None and np.shape(self.gradients) != (len(self.nodes), k, 3):
            raise InputError(
                f"{self.label}: gradients must have shape ({len(self.nodes)}, {k}, 3) for kind='{self.kind}'"
            )
        if (self.gradients is None) != (self.extents is None):
            raise InputError(f"{self.label}: give gradients and extents together")
        self.warn_of_few_points(6 * self._count**2, 12 * len(self._shape.slots), 6)

    @property
    def _shape(self) -> Any:
        return THIN_PLATE if self.kind == "thin" else BICUBIC_PLATE

    @property
    def _count(self) -> int:
        return self.points or 4

    def mesh(self, d: int) -> Mesh:
        X, cells = np.array(self.nodes), np.array(self.cells)
        if self.gradients is None:
            g, lengths = gradients_of_mesh(X, cells, 2)
            if self.kind == "bicubic":
                g = np.concatenate((g, np.zeros((len(X), 1, 3))), axis=1)
        else:
            g, lengths = np.array(self.gradients), np.array(self.extents)
        nodal = np.concatenate((X[:, None], g), axis=1)
        starts = None if self.starts is None else np.array(self.starts)
        return Mesh(self._shape, nodal, cells, lengths, starts, groups=dict(self.sets))

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        rule = gauss_product([self._count, self._count])
        order = 0.0 if self.curvature == "material" else 2.0
        surface_energy(
            builder, self, mesh, e, rows, W, rule, order=order, curved=self.rest == "curved", prestrain=self.prestrain
        )
        builder.mass.append((rows, W.T @ surface_mass(mesh, e, self.material.density * self.thickness, 4) @ W))
