"""What every element has: nodes on a reference cell, their shape functions, and what follows for cells in a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.elements.cell import Cell
from condyle.bodies.elements.rules import Rule
from condyle.errors import InputError

Array = NDArray[np.float64]

APEX = 1e-100  # stands for a lifted coordinate of zero: what is divided by it there is zero too


@dataclass(frozen=True, eq=False)
class Element:
    """A basis on a reference cell, declared by its nodes, monomials and quadrature; all else follows.

    monomials: exponents of ξ (and of what the cell has lifted) that span the shape functions, as many as nodes; rule:
    quadrature points (q, d) and weights (q,) of the stored energy; mass_rule: of the mass; sides: the elements of its
    facets, one for each kind of facet. Nodes are the corners of the cell, then the middles of its edges if it has `middles`,
    then those at `inner`, ξ of nodes that belong to no facet.
    """

    name: str
    cell: Cell
    monomials: Sequence[tuple[int, ...]]
    rule: Rule
    mass_rule: Rule
    sides: tuple[Element, ...] = ()
    middles: bool = False
    inner: tuple[tuple[float, ...], ...] = ()

    # --- nodes ----------------------------------------------------------------------------------------------------------

    @cached_property
    def reference_nodes(self) -> Array:
        """ξ of the nodes, shape (nodes, d)."""
        corners = self.cell.places
        middles = [0.5 * (corners[a] + corners[b]) for a, b in self.cell.edges] if self.middles else []
        return np.array([*corners, *middles, *self.inner], dtype=float)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.reference_nodes)

    @property
    def corners(self) -> int:
        """Number of corners; they stand before all other nodes."""
        return self.cell.count

    @property
    def dimension(self) -> int:
        """Dimension of the reference cell."""
        return self.cell.dimension

    @property
    def quadratic(self) -> bool:
        """Has it nodes in the middle of its edges?"""
        return self.middles

    @cached_property
    def edges(self) -> tuple[tuple[int, ...], ...]:
        """Nodes of each edge: both ends, then its middle."""
        return tuple((a, b, *([self.corners + k] if self.middles else [])) for k, (a, b) in enumerate(self.cell.edges))

    @cached_property
    def facets(self) -> tuple[tuple[Element, tuple[int, ...]], ...]:
        """The element of each facet, and its nodes in the order of that element, seen from outside."""
        kinds = {side.corners: side for side in self.sides}
        middle = {frozenset(e[:2]): e[2:] for e in self.edges}
        found = []
        for corners in self.cell.facets if kinds else ():
            kind = kinds[len(corners)]
            between = [middle[frozenset(corners[i] for i in e)] for e in kind.cell.edges]
            found.append((kind, (*corners, *(k for m in between for k in m))))
        return tuple(found)

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """Its edges as ways through their nodes."""
        return tuple((e[0], *e[2:], e[1]) for e in self.edges)

    @cached_property
    def ring(self) -> list[int]:
        """The nodes of a flat element on the way round it: corners, and what lies between them."""
        return [k for path in self.paths for k in path[:-1]]

    @property
    def file_name(self) -> str:
        """What mesh files (meshio) call it."""
        return self.cell.file_name + (str(self.nodes) if self.nodes > self.corners else "")

    # --- shape functions ------------------------------------------------------------------------------------------------

    @property
    def points(self) -> Array:
        """Quadrature points ξ, shape (q, d)."""
        return self.rule[0]

    @property
    def weights(self) -> Array:
        """Quadrature weights, shape (q,)."""
        return self.rule[1]

    @cached_property
    def _coefficients(self) -> Array:
        """N = (monomials of ξ) @ coefficients, from N_a(ξ_b) = δ_ab."""
        return np.asarray(np.linalg.inv(powers(self.cell, self.reference_nodes, self.monomials)), dtype=float)

    def shape(self, xi: ArrayLike) -> Array:
        """N(ξ), shape (…, nodes)."""
        return np.asarray(powers(self.cell, np.asarray(xi, dtype=float), self.monomials) @ self._coefficients)

    def gradient(self, xi: ArrayLike) -> Array:
        """∂N/∂ξ, shape (…, nodes, d)."""
        at = np.asarray(xi, dtype=float)
        columns = [slopes(self.cell, at, self.monomials, i) @ self._coefficients for i in range(self.dimension)]
        return np.stack(columns, axis=-1)

    @cached_property
    def extrapolation(self) -> Array:
        """From integration points to nodes, (nodes, q): least squares of the most of the corner functions they determine."""
        d, q = self.dimension, len(self.weights)
        width = len(self.cell.monomials[0])
        monomials: Sequence[tuple[int, ...]] = [(0,) * width]
        if q >= d + 1:
            monomials = [(0,) * width, *(tuple(int(i == j) for j in range(width)) for i in range(d))]
        if q >= self.corners > d + 1:
            monomials = sorted(self.cell.monomials)
        at_points, at_nodes = (powers(self.cell, xi, monomials) for xi in (self.points, self.reference_nodes))
        return np.asarray(at_nodes @ np.linalg.pinv(at_points))

    # --- cells of a mesh ------------------------------------------------------------------------------------------------

    def reference_gradients(self, X: Array, where: str, cells: str = "element", first: int = 0) -> tuple[Array, Array]:
        """∂N/∂X at the quadrature points, shape (cells, q, d, nodes), and weight · det J, shape (cells, q).

        X: nodes of all cells [m], shape (cells, nodes, d); first: number of the first cell in its mesh.
        """
        dN = self.gradient(self.points)
        J = np.einsum("cnI,qni->cqIi", X, dN)
        det = np.linalg.det(J)
        if not (det > 0).all():
            raise InputError(_badly_shaped(X, det, where, cells, first))
        return np.einsum("cqiI,qni->cqIn", _inverses(J, det), dN, optimize=True), self.weights * det

    def mass_matrices(
        self, X: Array, where: str, cells: str = "element", radius: bool = False, first: int = 0
    ) -> Array:
        """∫ N Nᵀ dV of all cells, shape (cells, nodes, nodes); radius: with 2π times the first coordinate as thickness."""
        points, weights = self.mass_rule
        det = np.linalg.det(np.einsum("cnI,qni->cqIi", X, self.gradient(points)))
        if not (det > 0).all():
            raise InputError(_badly_shaped(X, det, where, cells, first))
        N = self.shape(points)
        volume = weights * det
        if radius:
            volume = volume * 2.0 * np.pi * (X[..., 0] @ N.T)
        return np.asarray(np.einsum("cq,qa,qb->cab", volume, N, N, optimize=True))

    def locate(self, X: Array, place: Array) -> Array:
        """Reference coordinates ξ of a place [m] in one cell by Newton's method (exact for straight simplices)."""
        xi = self.cell.centre.copy()
        for _ in range(20):
            error = X.T @ self.shape(xi) - place
            if np.abs(error).max() <= 1e-13 * max(np.ptp(X), 1e-300):
                break
            xi = xi - np.linalg.solve(X.T @ self.gradient(xi), error)
        return xi


def _inverses(J: Array, det: Array) -> Array:
    """Inverses of many small matrices J, shape (…, d, d), from their cofactors."""
    if J.shape[-1] == 1:
        return 1.0 / J
    if J.shape[-1] == 2:
        a, b, c, d = J[..., 0, 0], J[..., 0, 1], J[..., 1, 0], J[..., 1, 1]
        return np.stack([np.stack([d, -b], -1), np.stack([-c, a], -1)], -2) / det[..., None, None]
    x, y, z = J[..., 0], J[..., 1], J[..., 2]  # columns
    return np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-2) / det[..., None, None]


def powers(cell: Cell, xi: Array, monomials: Sequence[tuple[int, ...]]) -> Array:
    """Π_i ξ_i^p_i of all monomials, shape (…, monomials)."""
    z = _lifted(cell, xi)
    return np.stack([np.prod(z ** np.array(m), axis=-1) for m in monomials], axis=-1)


def slopes(cell: Cell, xi: Array, monomials: Sequence[tuple[int, ...]], i: int) -> Array:
    """∂/∂ξ_i of all monomials, shape (…, monomials)."""
    total = _lowered(cell, xi, monomials, i)
    for k, function in enumerate(cell.lifted):
        if function[1 + i] != 0.0:
            total = total + function[1 + i] * _lowered(cell, xi, monomials, cell.dimension + k)
    return total


def _lowered(cell: Cell, xi: Array, monomials: Sequence[tuple[int, ...]], i: int) -> Array:
    """Derivatives by one coordinate, ξ_i or a lifted one, as if they were independent."""
    factor = np.array([m[i] for m in monomials], dtype=float)
    lowered = [tuple(p - (j == i and p != 0) for j, p in enumerate(m)) for m in monomials]
    return factor * powers(cell, xi, lowered)


def _lifted(cell: Cell, xi: Array) -> Array:
    """ξ, and the affine functions of it that the cell has lifted."""
    if not cell.lifted:
        return xi
    F = np.array(cell.lifted, dtype=float)
    more = F[:, 0] + xi @ F[:, 1:].T
    return np.concatenate((xi, np.where(np.abs(more) < APEX, APEX, more)), axis=-1)


def _badly_shaped(X: Array, det: Array, where: str, cells: str, first: int) -> str:
    bad = int(np.flatnonzero(~(det > 0).all(axis=1))[0])
    state = "turned inside out" if det[bad].min() < 0 else "of zero size"
    place = np.round(X[bad].mean(axis=0), 6).tolist()
    return f"{where}: {cells} {first + bad} near {place} is {state}; check its node order"
