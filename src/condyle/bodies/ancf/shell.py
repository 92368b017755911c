"""ANCF shell of 24 coordinates: r and r_z per node, bilinear (Hewlett 2020), with shear and a changing thickness.

Strains are linear in the Gram matrix of (r_x, r_y, d, d_x, d_y), d = r_z: membrane r_a·r_b, bending r_a·d_b, shear r_a·d,
thickness d·d. Against locking: each shear strain is taken at mid-length of its own direction; the thickness at the nodes,
as ½ d·d − ½ + ν/(1 − ν) tr ε, which with plane stress is an exact split of the isotropic energy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.measures import Term, add_linear, plane_stress, surface_mass
from condyle.bodies.ancf.meshed import SurfaceBody
from condyle.bodies.ancf.meshes import Drawn, check_mesh, gradients_of_mesh
from condyle.bodies.ancf.shapes import SHELL, gauss, gauss_product
from condyle.errors import InputError
from condyle.model.given import Json, NumbersOrNone, Sets, VectorOrNone
from condyle.model.quantities import declared, given, quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]

# y = (r_x, r_y, d, d_x, d_y)
_BENT: list[Term] = [
    (0, 0, 0, 0.5), (1, 1, 1, 0.5), (2, 0, 1, 1.0), (3, 0, 3, 1.0), (4, 1, 4, 1.0), (5, 0, 4, 1.0), (5, 1, 3, 1.0)
]  # fmt: skip
SHEAR_FACTOR = 5.0 / 6.0


@declared
class Shell(SurfaceBody):
    """A shell of moderate thickness, in space.

    nodes [m] (n, 3), cells: 4 node numbers each, in turn; material with young, poisson, density; thickness [m]; directors:
    unit vectors through the thickness at the nodes, by default the mean normals. sets: named lists of nodes. damping [s].
    Points: node numbers, sets, and (u, v, z) for shells made by `rectangle` or `surface`.
    """

    directors: NumbersOrNone = given(default=None)
    starts: NumbersOrNone = quantity("m", default=None)
    sets: Sets = given(default_factory=dict)
    damping: float = quantity("s", default=0.0, at_least=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)

    def __post_init__(self) -> None:
        self.check_mesh_fields("directors", "starts")
        self.check_motion()

    @classmethod
    def drawn_slots(cls, options: dict[str, Json]) -> Sequence[Sequence[int]]:
        return (0, 0), (1, 0), (0, 1)

    @classmethod
    def drawn_fields(cls, drawn: Drawn) -> dict[str, Json]:
        n = np.cross(drawn.nodal[:, 1], drawn.nodal[:, 2])
        lift = np.column_stack((drawn.starts, np.zeros(len(drawn.starts))))
        return {"directors": n / np.linalg.norm(n, axis=1)[:, None], "starts": lift}

    def validate(self, model: Model) -> None:
        super().validate(model)
        if model.dimension != 3:
            raise InputError(f"{self.label}: shells are for 3D models")
        check_mesh(self, 4)
        if self.directors is not None:
            D = np.array(self.directors)
            if D.shape != (len(self.nodes), 3) or np.abs(np.linalg.norm(D, axis=1) - 1.0).max() > 1e-6:
                raise InputError(f"{self.label}: directors must be {len(self.nodes)} unit vectors")

    def mesh(self, d: int) -> Mesh:
        X, cells = np.array(self.nodes), np.array(self.cells)
        g, lengths = gradients_of_mesh(X, cells, 2)
        if self.directors is None:
            n = np.cross(g[:, 0], g[:, 1])
            n /= np.linalg.norm(n, axis=1)[:, None]
        else:
            n = np.array(self.directors)
        nodal = np.stack((X, n), axis=1)
        extents = np.column_stack((lengths, np.ones(len(cells))))
        starts = None if self.starts is None else np.array(self.starts)
        return Mesh(SHELL, nodal, cells, extents, starts, groups=dict(self.sets))

    def section_gradients(self, parameters: int) -> tuple[int, ...]:
        return (2,)

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        X = mesh.local(e)
        t, material = self.thickness, self.material
        size = float(np.prod(mesh.lengths[e]))

        def at(u: float, v: float) -> tuple[Array, Array, float]:
            y = mesh.weights(e, (u, v, 0.0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1))
            T = y[:2] @ X
            metric = T @ T.T
            area = float(np.sqrt(np.linalg.det(metric)))
            if not area > 0 or np.cross(T[0], T[1]) @ (y[2] @ X) <= 0:
                raise InputError(
                    f"{self.label}: element {e} is turned inside out; are its nodes and directors in order?"
                )
            return y, metric, area

        bent, thick = [], []
        for (u, v), w in zip(*gauss_product([2, 2]), strict=True):
            y, metric, area = at(u, v)
            C = np.zeros((6, 6))
            plane = plane_stress(material, metric)
            C[:3, :3], C[3:, 3:] = t * plane, t**3 / 12.0 * plane
            bent.append((y, w * size * area, C, None))
        add_linear(builder, self.name, rows, W, X, bent, _BENT, 3)
        lam, mu = material.lame()
        # Each shear strain at mid-length of its own direction; their coupling (skew elements) at the centre.
        shear = SHEAR_FACTOR * mu * t
        for k in range(2):
            points = []
            for s, w in zip(*gauss(2), strict=True):
                y, metric, area = at(*((0.5, s) if k == 0 else (s, 0.5)))
                points.append((y[:3], w * size * area, np.array([[shear * np.linalg.inv(metric)[k, k]]]), None))
            add_linear(builder, self.name, rows, W, X, points, [(0, k, 2, 1.0)])
        y, metric, area = at(0.5, 0.5)
        cross = shear * np.linalg.inv(metric)[0, 1]
        if abs(cross) > 1e-9 * shear:
            C = np.array([[0.0, cross], [cross, 0.0]])
            add_linear(
                builder, self.name, rows, W, X, [(y[:3], size * area, C, None)], [(0, 0, 2, 1.0), (1, 1, 2, 1.0)]
            )
        ratio = material.poisson / (1.0 - material.poisson)
        for u, v in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)):
            y, metric, area = at(u, v)
            a = np.linalg.inv(metric)
            terms: list[Term] = [
                (0, 2, 2, 0.5), (0, 0, 0, 0.5 * ratio * a[0, 0]), (0, 1, 1, 0.5 * ratio * a[1, 1]), (0, 0, 1, ratio * a[0, 1])
            ]  # fmt: skip
            thick = [(y[:3], 0.25 * size * area, np.array([[t * (lam + 2.0 * mu)]]), None)]
            add_linear(builder, self.name, rows, W, X, thick, terms)
        rho = material.density
        m = surface_mass(mesh, e, rho * t, 2, (0, 0, 0)) + surface_mass(mesh, e, rho * t**3 / 12.0, 2, (0, 0, 1))
        builder.mass.append((rows, W.T @ m @ W))
