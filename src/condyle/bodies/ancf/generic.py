"""An ANCF body from any polynomial shape functions and any quadrature: for elements that Condyle does not name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import AncfBody, Mesh
from condyle.bodies.ancf.measures import along_line, surface_energy, surface_mass, volume_energy, volume_mass
from condyle.bodies.ancf.sections import SectionPart
from condyle.bodies.ancf.shapes import Shape, gauss_product
from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.laws.codes import CABLE
from condyle.model.given import Numbers, NumbersOrNone, Sets, VectorOrNone, Wholes
from condyle.model.part import rows
from condyle.model.quantities import declared, given, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


@declared
class GenericAncf(AncfBody):
    """A body of elements given by their monomials and nodal vectors.

    powers: exponents of the monomials of ξ, shape (n, p), on the cell 0 ≤ ξ ≤ 1; corners: places of the nodes of an element,
    shape (nodes, p); slots: orders of the derivatives that are nodal vectors, shape (k, p), first (0, …, 0); n = nodes · k.
    nodal: the vectors of all nodes at rest, shape (nodes of the body, k, d); cells: node numbers; extents: lengths of the
    cells in their parameters [m], shape (m, p). One parameter: a cable with a `section`; two: a plate with `material` and
    `thickness`; as many as dimensions: a solid with a `material`. quadrature: points ξ (q, p) and their weights (sum 1), by
    default 5 Gauss points per direction. sets: named lists of nodes.
    """

    name: str
    powers: Wholes
    corners: Numbers
    slots: Wholes
    nodal: Numbers
    cells: Wholes
    extents: Numbers = quantity("m")
    section: SectionPart = given(default=None)
    material: Material = given(default=None)
    thickness: float = quantity("m", default=1.0, above=0.0)
    quadrature: NumbersOrNone = given(default=None)
    sets: Sets = given(default_factory=dict)
    damping: float = quantity("s", default=0.0, at_least=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)

    membrane = None
    bending = None

    def __post_init__(self) -> None:
        for name in ("powers", "slots", "cells"):
            rows(self, name, whole=True)
        for name in ("corners", "nodal", "extents"):
            rows(self, name)
        self.sets = {str(k): [int(i) for i in v] for k, v in self.sets.items()}
        p = len(self.powers[0])
        if p == 1 and not isinstance(self.section, SectionPart):
            raise InputError(f"{self.label}: with one parameter it is a cable and needs a section")
        if p > 1 and not isinstance(self.material, Material):
            raise InputError(f"{self.label}: with {p} parameters it needs a material")
        if self.quadrature is not None:
            points, weights = self.quadrature
            Q, w = np.array(points, dtype=float), np.array(weights, dtype=float)
            if Q.ndim != 2 or Q.shape != (w.size, p) or abs(w.sum() - 1.0) > 1e-9:
                raise InputError(f"{self.label}: quadrature must be points (q, {p}) and q weights whose sum is 1")
            self.quadrature = [Q.tolist(), w.tolist()]
        self.check_motion()
        self._shape()

    def _shape(self) -> Shape:
        def plain(values: Any) -> Any:
            return tuple(tuple(v) for v in values)

        return Shape(plain(self.powers), plain(self.corners), plain(self.slots))

    def half_thickness(self) -> float:
        return 0.5 * self.thickness

    def validate(self, model: Model) -> None:
        super().validate(model)
        d, shape = model.dimension, self._shape()
        N, cells = np.array(self.nodal), np.array(self.cells)
        if N.ndim != 3 or N.shape[1:] != (len(shape.slots), d) or not np.isfinite(N).all():
            raise InputError(f"{self.label}: nodal must have shape (nodes, {len(shape.slots)}, {d}), got {N.shape}")
        if cells.ndim != 2 or cells.shape[1] != len(shape.corners) or cells.min() < 0 or cells.max() >= len(N):
            raise InputError(f"{self.label}: cells need {len(shape.corners)} node numbers 0 … {len(N) - 1} each")
        L = np.array(self.extents)
        if L.shape != (len(cells), shape.parameters) or not (L > 0).all():
            raise InputError(f"{self.label}: extents must be {len(cells)} × {shape.parameters} positive lengths")
        if (shape.parameters == 2 and d == 2) or shape.parameters > d:
            raise InputError(f"{self.label}: {shape.parameters} parameters do not fit a {d}D model; use a Solid")
        strains = {1: 2, 2: 6, 3: 6}[shape.parameters]
        count = len(self._rule(shape.parameters)[1])
        self.warn_of_few_points(
            strains * count, len(shape.powers) * d, 5 if shape.parameters == 1 and d == 3 else 3 * d - 3
        )

    def _rule(self, p: int) -> tuple[Array, Array]:
        if self.quadrature is None:
            return gauss_product([5] * p)
        return np.array(self.quadrature[0]), np.array(self.quadrature[1])

    def mesh(self, d: int) -> Mesh:
        return Mesh(self._shape(), np.array(self.nodal), np.array(self.cells), np.array(self.extents), groups=self.sets)

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        p = mesh.shape.parameters
        rule, full = self._rule(p), gauss_product([6] * p)
        if p == 3:
            volume_energy(builder, self, mesh, e, rows, W, rule)
            m = volume_mass(self, mesh, e, self.material.density, full)
        elif p == 2:
            surface_energy(builder, self, mesh, e, rows, W, rule, order=0.0, curved=True, prestrain=0.0)
            m = surface_mass(mesh, e, self.material.density * self.thickness, 6)
        else:
            m = self._add_line(builder, mesh, e, rows, W, rule, full)
        builder.mass.append((rows, W.T @ m @ W))

    def _add_line(
        self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array, rule: Any, full: Any
    ) -> Array:
        k = self.section.at(0.5)
        X, L = mesh.local(e), float(mesh.lengths[e, 0])
        for q, w in zip(*rule, strict=True):
            y, J = along_line(mesh, e, q)
            kappa = float(np.linalg.norm((y @ X)[1]))
            kappa = kappa if kappa * L > 1e-6 else 0.0
            params = (0.0, 1.0, k.axial, 0.0, k.bending_z, kappa, 1e-6 / L)
            builder.add_element(self.name, CABLE, rows, (y @ W)[None], np.array([w * L * J]), params, columns=1)
        m = np.zeros((len(X), len(X)))
        for q, w in zip(*full, strict=True):
            (N,), (_, J) = mesh.weights(e, q, (0,)), along_line(mesh, e, q)
            m += k.mass * w * L * J * np.outer(N, N)
        return m
