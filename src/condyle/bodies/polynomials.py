"""Deformations of a body as polynomials of its coordinates: x = r + Σ ξ_i d_i + Σ φ_α(ξ) g_α with monomials φ_α."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import Body, FrameAnchor
from condyle.model.part import Part
from condyle.model.point import Point
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


class Monomials:
    """φ_α = ξ^α/ℓ^(|α| − 1) of degrees 2 … order, each a length: their rows are pure numbers, as directors are."""

    def __init__(self, order: int, d: int, length: float) -> None:
        picks = [pick for n in range(2, order + 1) for pick in combinations_with_replacement(range(d), n)]
        self.powers = np.array([[pick.count(i) for i in range(d)] for pick in picks], dtype=np.int64).reshape(-1, d)
        self._scale = length ** (1.0 - self.powers.sum(axis=1))

    def at(self, xi: Array) -> Array:
        """Values at places ξ (…, d), shape (…, monomials)."""
        return np.asarray(self._scale * np.prod(xi[..., None, :] ** self.powers, axis=-1))

    def gradients(self, xi: Array) -> Array:
        """∂φ_α/∂ξ_i, shape (…, d, monomials)."""
        d = self.powers.shape[1]
        out = []
        for i in range(d):
            lower = self.powers.copy()
            lower[:, i] = np.maximum(lower[:, i] - 1, 0)
            out.append(self._scale * self.powers[:, i] * np.prod(xi[..., None, :] ** lower, axis=-1))
        return np.stack(out, axis=-2)


class PolynomialAnchor(FrameAnchor):
    """Points of a body with rows r, d_i and g_α."""

    def __init__(
        self, builder: Builder, body: Body, r: int, directors: tuple[int, ...], more: list[int], shapes: Monomials
    ) -> None:
        super().__init__(builder, body, r, directors)
        self.more, self.shapes = more, shapes

    def at(self, xi: Array) -> Weights:
        """The place of local coordinates ξ [m]."""
        return Weights([self.r, *self.directors, *self.more], [1.0, *xi, *self.shapes.at(np.asarray(xi, dtype=float))])

    def position(self, point: Point, wanted_by: Part) -> Weights:
        return self.at(self.coordinates(point, wanted_by))

    def direction(self, point: Point, vector: Array, frame: str, wanted_by: Part) -> Weights:
        """F v at the point: the gradient of the deformation there."""
        local = self._inverse @ vector if frame == "world" else np.asarray(vector, dtype=float)
        bend = local @ self.shapes.gradients(self.coordinates(point, wanted_by))
        return Weights([*self.directors, *self.more], [*local, *bend])

    def nodal(self) -> list[list[Weights]]:
        return [[Weights([row], [1.0]) for row in (self.r, *self.directors, *self.more)]]

    def outline(self) -> list[list[Weights]]:
        return [[self.at(xi) for xi in line] for line in self.body.outline_lines()]

    def polygons(self) -> tuple[list[Weights], list[list[int]]]:
        shown = self.body.shown_faces()
        return [self.at(np.asarray(xi, dtype=float)) for xi in shown["points"]], shown["cells"]


def gauss_box(size: Array, order: int) -> tuple[Array, Array]:
    """Gauss points (k, d) and volumes (k,) of a box, exact for masses and for stresses of degree 2·order."""
    at, weight = np.polynomial.legendre.leggauss(order + 1)
    axes = np.meshgrid(*(0.5 * s * at for s in size), indexing="ij")
    volumes = np.meshgrid(*(0.5 * s * weight for s in size), indexing="ij")
    return np.stack([a.ravel() for a in axes], axis=1), np.prod([v.ravel() for v in volumes], axis=0)
