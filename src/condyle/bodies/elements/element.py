"""What every element has: a reference cell with nodes, polynomial shape functions, quadrature and facets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError

Array = NDArray[np.float64]
Rule = tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class Element:
    """A reference cell, declared by its nodes, its monomials and its quadrature; all else follows.

    nodes_at: reference coordinates ξ of the nodes, shape (nodes, d); monomials: exponents of ξ that span the shape
    functions, as many as nodes; rule: quadrature points (q, d) and weights (q,) of the stored energy; mass_rule: of the
    mass; faces: nodes of each facet, seen from outside (2D: counter-clockwise), in the node order of the element `facet`.
    """

    name: str
    nodes_at: ArrayLike
    monomials: Sequence[tuple[int, ...]]
    rule: Rule
    mass_rule: Rule
    faces: tuple[tuple[int, ...], ...] = ()
    facet: str = ""
    simplex: bool = False
    edges: tuple[tuple[int, ...], ...] = field(default=())

    @cached_property
    def reference_nodes(self) -> Array:
        """ξ of the nodes, shape (nodes, d)."""
        return np.asarray(self.nodes_at, dtype=float)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.reference_nodes)

    @property
    def dimension(self) -> int:
        """Dimension of the reference cell."""
        return int(self.reference_nodes.shape[1])

    @property
    def quadratic(self) -> bool:
        """Has it nodes in the middle of its edges?"""
        return any(2 in m for m in self.monomials)

    @property
    def points(self) -> Array:
        """Quadrature points ξ, shape (q, d)."""
        return self.rule[0]

    @property
    def weights(self) -> Array:
        """Quadrature weights, shape (q,)."""
        return self.rule[1]

    @cached_property
    def centre(self) -> Array:
        """The middle of the reference cell."""
        return np.full(self.dimension, 1.0 / (self.dimension + 1)) if self.simplex else np.zeros(self.dimension)

    @cached_property
    def _coefficients(self) -> Array:
        """N = (monomials of ξ) @ coefficients, from N_a(ξ_b) = δ_ab."""
        return np.asarray(np.linalg.inv(_powers(self.reference_nodes, self.monomials)), dtype=float)

    def shape(self, xi: ArrayLike) -> Array:
        """N(ξ), shape (…, nodes)."""
        return np.asarray(_powers(np.asarray(xi, dtype=float), self.monomials) @ self._coefficients)

    def gradient(self, xi: ArrayLike) -> Array:
        """∂N/∂ξ, shape (…, nodes, d)."""
        at = np.asarray(xi, dtype=float)
        columns = []
        for i in range(self.dimension):
            factor = np.array([m[i] for m in self.monomials], dtype=float)
            lowered = [tuple(max(p - (j == i), 0) for j, p in enumerate(m)) for m in self.monomials]
            columns.append((factor * _powers(at, lowered)) @ self._coefficients)
        return np.stack(columns, axis=-1)

    def reference_gradients(self, X: Array, where: str, cells: str = "element") -> tuple[Array, Array]:
        """∂N/∂X at the quadrature points, shape (cells, q, d, nodes), and weight · det J, shape (cells, q).

        X: nodes of all cells [m], shape (cells, nodes, d).
        """
        dN = self.gradient(self.points)
        J = np.einsum("cnI,qni->cqIi", X, dN)
        det = np.linalg.det(J)
        if not (det > 0).all():
            raise InputError(_badly_shaped(X, det, where, cells))
        gradients = np.linalg.solve(np.swapaxes(J, -1, -2), np.swapaxes(dN, -1, -2)[None])
        return gradients, self.weights * det

    def mass_matrices(self, X: Array, where: str, cells: str = "element", radius: bool = False) -> Array:
        """∫ N Nᵀ dV of all cells, shape (cells, nodes, nodes); radius: with 2π times the first coordinate as thickness."""
        points, weights = self.mass_rule
        det = np.linalg.det(np.einsum("cnI,qni->cqIi", X, self.gradient(points)))
        if not (det > 0).all():
            raise InputError(_badly_shaped(X, det, where, cells))
        N = self.shape(points)
        volume = weights * det
        if radius:
            volume = volume * 2.0 * np.pi * (X[..., 0] @ N.T)
        return np.asarray(np.einsum("cq,qa,qb->cab", volume, N, N, optimize=True))

    def locate(self, X: Array, place: Array) -> Array:
        """Reference coordinates ξ of a place [m] in one cell by Newton's method (exact for straight simplices)."""
        xi = self.centre.copy()
        for _ in range(20):
            error = X.T @ self.shape(xi) - place
            if np.abs(error).max() <= 1e-13 * max(np.ptp(X), 1e-300):
                break
            xi = xi - np.linalg.solve(X.T @ self.gradient(xi), error)
        return xi

    def inside(self, xi: Array, slack: float = 1e-6) -> bool:
        """Is ξ in the reference cell?"""
        if self.simplex:
            return bool(xi.min() >= -slack and xi.sum() <= 1 + slack)
        return bool(np.abs(xi).max() <= 1 + slack)


def _powers(xi: Array, monomials: Sequence[tuple[int, ...]]) -> Array:
    """Π_i ξ_i^p_i of all monomials, shape (…, monomials)."""
    return np.stack([np.prod(xi ** np.array(m), axis=-1) for m in monomials], axis=-1)


def _badly_shaped(X: Array, det: Array, where: str, cells: str) -> str:
    bad = int(np.flatnonzero(~(det > 0).all(axis=1))[0])
    state = "turned inside out" if det[bad].min() < 0 else "of zero size"
    place = np.round(X[bad].mean(axis=0), 6).tolist()
    return f"{where}: {cells} {bad} near {place} is {state}; check its node order"
