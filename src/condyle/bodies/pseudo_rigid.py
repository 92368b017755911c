"""Pseudo-rigid bodies: rows r, d_1 … d_d with a stored energy of the homogeneous deformation F = [d_1 … d_d].

Of higher order, the deformation is a polynomial of the body's coordinates, with a row for each further monomial, and the energy
is summed over points of the body's shape.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from condyle.bodies.body import FrameAnchor
from condyle.bodies.materials import Material
from condyle.bodies.polynomials import Monomials, PolynomialAnchor, gauss_box
from condyle.bodies.rigid import RigidBody
from condyle.errors import InputError
from condyle.model.given import NumbersLike, Option, ShapeOfBody
from condyle.model.quantities import declared, given, quantity
from condyle.system.tables import FREE
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

MOST = 8  # degree of a polynomial


@declared
class PseudoRigidBody(RigidBody):
    """A body that deforms homogeneously (Taylor 2000, §8): a rigid body whose constraints are replaced by elasticity.

    material: its law; volume [m³] (2D: area times thickness), by default mass / density of the material. In 2D give
    second_moment, not the polar inertia, because the two directors move independently.

    order: degree of the polynomial that the deformation is (1: homogeneous; 2 bends, and so on); the mass matrix is constant.
    Above 1 it needs the shape: points (k, d) in body coordinates [m] and their volumes (k,) [m³], as
    shape={'points': …, 'volumes': …}, which PseudoRigidBody.box(…, order=2) gives by itself.
    """

    material: Material = given(default=None)
    volume: float | None = quantity("m³", default=None, above=0.0)
    order: int = quantity(default=1, at_least=1, at_most=MOST)
    shape: ShapeOfBody = given(default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.material, Material):
            raise InputError(f"{self.label}: give a material such as NeoHookean(young=…, poisson=…, density=…)")
        if self.volume is None and self.material.density <= 0 and self.order == 1:
            raise InputError(f"{self.label}: give its volume, or the density of its material")
        if self.order > 1:
            self._check_shape()

    def _check_shape(self) -> None:
        """Its points and volumes as lists; an error where they do not make a shape."""
        try:
            points, volumes = (np.asarray(self.shape[name], dtype=float) for name in ("points", "volumes"))
        except (TypeError, KeyError, ValueError):
            raise InputError(
                f"{self.label}: order {self.order} needs its shape; take PseudoRigidBody.box(…, order={self.order}), or give "
                "shape={'points': …, 'volumes': …}"
            ) from None
        fits = points.ndim == 2 and points.shape[1] in (2, 3) and volumes.shape == (len(points),)
        if not (fits and np.isfinite(points).all() and (volumes > 0.0).all()):
            raise InputError(
                f"{self.label}: the points of its shape must be (k, d) places [m], its volumes k positive numbers [m³]"
            )
        count = comb(points.shape[1] + self.order, self.order)
        if np.linalg.matrix_rank(self._values(points)) < count:
            raise InputError(
                f"{self.label}: a polynomial of degree {self.order} has {count} terms, which the {len(points)} points of its "
                "shape do not tell apart; give more points"
            )
        self.shape = {"points": points.tolist(), "volumes": volumes.tolist()}

    def _monomials(self, points: Any) -> Monomials:
        return Monomials(self.order, points.shape[1], float(np.abs(points).max()))

    def _values(self, points: Any) -> Any:
        """1, ξ and the monomials at points, (k, 1 + d + monomials)."""
        return np.hstack((np.ones((len(points), 1)), points, self._monomials(points).at(points)))

    @classmethod
    def box(cls, name: str, size: NumbersLike, density: float, **options: Option) -> Self:
        order = options.get("order", 1)
        if isinstance(order, int) and 1 < order <= MOST and np.ndim(size) == 1:
            points, volumes = gauss_box(np.asarray(size, dtype=float), order)
            options.setdefault("shape", {"points": points.tolist(), "volumes": volumes.tolist()})
        return super().box(name, size, density, **options)

    def validate(self, model: Model) -> None:
        super().validate(model)
        if model.dimension == 2 and self.second_moment is None:
            raise InputError(f"{self.label}: in 2D give second_moment (2×2), or build it with PseudoRigidBody.box(…)")

    def compile(self, builder: Builder) -> FrameAnchor:
        d = builder.d
        origin, turn, velocity = self.start_frame(d)
        r, rows = builder.frame(self.name, origin, turn, velocity, self.spin(d), kind=FREE)
        if self.order > 1:
            return self._compile_polynomial(builder, r, rows)
        directors = [Weights([row], [1.0]) for row in rows]
        builder.add_mass([Weights([r], [1.0]), *directors], self.moments(d))
        volume = self.volume if self.volume is not None else self.mass / self.material.density
        law = self.material
        builder.add_energy(
            self.name,
            law.number,
            directors,
            law.parameters(d),
            volume,
            damping=law.viscosity,
            prony=law.prony,
            columns=d,
        )
        return FrameAnchor(builder, self, r, rows)

    def _compile_polynomial(self, builder: Builder, r: int, directors: tuple[int, ...]) -> PolynomialAnchor:
        """Rows of the higher monomials, which start at zero; mass and energy summed over the shape."""
        d = builder.d
        points, volumes = (np.asarray(self.shape[name]) for name in ("points", "volumes"))
        if points.shape[1] != d:
            raise InputError(
                f"{self.label}: the points of its shape have {points.shape[1]} coordinates in a {d}D model"
            )
        shapes, still = self._monomials(points), np.zeros(d)
        more = [builder.row(self.name, still, still, kind=FREE, direction=True) for _ in shapes.powers]
        builder.unit_vectors.update(more)
        values = self._values(points)
        rho = self.mass * volumes / volumes.sum()
        builder.add_mass([Weights([row], [1.0]) for row in (r, *directors, *more)], values.T @ (rho[:, None] * values))
        gradients = np.concatenate((np.broadcast_to(np.eye(d), (len(points), d, d)), shapes.gradients(points)), axis=2)
        law, scale = self.material, 1.0 if self.volume is None else self.volume / volumes.sum()
        builder.add_element(
            self.name, law.number, np.array([*directors, *more]), gradients, scale * volumes, law.parameters(d),
            damping=law.viscosity, prony=law.prony, columns=d,
        )  # fmt: skip
        return PolynomialAnchor(builder, self, r, directors, more, shapes)
