"""Finite elements: shape functions and quadrature on the reference cell. A new element is one entry in `ELEMENTS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.part import did_you_mean

_G = 1.0 / np.sqrt(3.0)
_QUAD_CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=float)
_HEX_CORNERS = np.array([[*c, z] for z in (-1, 1) for c in _QUAD_CORNERS.tolist()], dtype=float)


@dataclass(frozen=True)
class Element:
    """A reference cell: N(ξ) of shape (nodes,), ∂N/∂ξ of shape (nodes, d), quadrature points and weights.

    edges: pairs of nodes that draw it; faces: its facets' nodes, seen from outside.
    """

    name: str
    nodes: int
    dimension: int
    shape: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    gradient: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    points: NDArray[np.float64]
    weights: NDArray[np.float64]
    mass_points: NDArray[np.float64]
    mass_weights: NDArray[np.float64]
    edges: tuple[tuple[int, int], ...]
    faces: tuple[tuple[int, ...], ...]
    centre: NDArray[np.float64]

    def reference_gradients(
        self, X: NDArray[np.float64], where: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """∂N/∂X at the quadrature points, shape (points, d, nodes), and weight · det J, shape (points,)."""
        gradients = np.empty((len(self.weights), self.dimension, self.nodes))
        volumes = np.empty(len(self.weights))
        for q, xi in enumerate(self.points):
            dN = self.gradient(xi)
            J = X.T @ dN
            det = np.linalg.det(J)
            if not det > 0:
                state = "turned inside out" if det < 0 else "of zero size"
                raise InputError(
                    f"{where} near {np.round(X.mean(axis=0), 6).tolist()} is {state}; check its node order"
                )
            gradients[q] = np.linalg.solve(J.T, dN.T)
            volumes[q] = self.weights[q] * det
        return gradients, volumes

    def mass_matrix(self, X: NDArray[np.float64], where: str) -> NDArray[np.float64]:
        """∫ N Nᵀ dV, consistent, shape (nodes, nodes); multiply by the density."""
        m = np.zeros((self.nodes, self.nodes))
        for xi, weight in zip(self.mass_points, self.mass_weights, strict=True):
            det = np.linalg.det(X.T @ self.gradient(xi))
            if not det > 0:
                raise InputError(f"{where} near {np.round(X.mean(axis=0), 6).tolist()} is inverted or of zero size")
            N = self.shape(xi)
            m += weight * det * np.outer(N, N)
        return m

    def locate(self, X: NDArray[np.float64], place: NDArray[np.float64]) -> NDArray[np.float64]:
        """Reference coordinates ξ of a place [m] by Newton's method (exact for simplices)."""
        xi = self.centre.copy()
        for _ in range(20):
            error = X.T @ self.shape(xi) - place
            if np.abs(error).max() <= 1e-13 * max(np.ptp(X), 1e-300):
                break
            xi = xi - np.linalg.solve(X.T @ self.gradient(xi), error)
        return xi

    def inside(self, xi: NDArray[np.float64], slack: float = 1e-6) -> bool:
        """Is ξ in the reference cell?"""
        if self.name in ("tri3", "tet4"):
            return bool(xi.min() >= -slack and xi.sum() <= 1 + slack)
        return bool(np.abs(xi).max() <= 1 + slack)


def _multilinear(corners: NDArray[np.float64]) -> tuple[Callable, Callable]:
    d = corners.shape[1]

    def shape(xi: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.prod(1.0 + corners * xi, axis=1) / 2.0**d

    def gradient(xi: NDArray[np.float64]) -> NDArray[np.float64]:
        factors = 1.0 + corners * xi
        columns = [corners[:, i] * np.prod(np.delete(factors, i, axis=1), axis=1) for i in range(d)]
        return np.stack(columns, axis=1) / 2.0**d

    return shape, gradient


def _gauss(d: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.array(list(product((-_G, _G), repeat=d))), np.ones(2**d)


def _cube(
    name: str, corners: NDArray[np.float64], edges: tuple[tuple[int, int], ...], faces: tuple[tuple[int, ...], ...]
) -> Element:
    d = corners.shape[1]
    shape, gradient = _multilinear(corners)
    points, weights = _gauss(d)
    return Element(name, len(corners), d, shape, gradient, points, weights, points, weights, edges, faces, np.zeros(d))


def _simplex(name: str, d: int) -> Element:
    volume = 1.0 / (2.0 if d == 2 else 6.0)
    grad = np.vstack((-np.ones((1, d)), np.eye(d)))
    near, far = (1 / 6, 2 / 3) if d == 2 else ((5 - np.sqrt(5)) / 20, (5 + 3 * np.sqrt(5)) / 20)
    mass_points = np.vstack((np.full((1, d), near), near + (far - near) * np.eye(d)))
    return Element(
        name,
        d + 1,
        d,
        lambda xi: np.concatenate(([1.0 - xi.sum()], xi)),
        lambda xi: grad,
        np.full((1, d), 1.0 / (d + 1)),
        np.array([volume]),
        mass_points,
        np.full(d + 1, volume / (d + 1)),
        tuple((i, j) for i in range(d + 1) for j in range(i + 1, d + 1)),
        ((0, 1), (1, 2), (2, 0)) if d == 2 else ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
        np.full(d, 1.0 / (d + 1)),
    )


_RING = ((0, 1), (1, 2), (2, 3), (3, 0))
ELEMENTS = {
    "tri3": _simplex("tri3", 2),
    "quad4": _cube("quad4", _QUAD_CORNERS, _RING, _RING),
    "tet4": _simplex("tet4", 3),
    "hex8": _cube(
        "hex8",
        _HEX_CORNERS,
        (*_RING, *((a + 4, b + 4) for a, b in _RING), (0, 4), (1, 5), (2, 6), (3, 7)),
        ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    ),
}


def element(kind: str, label: str) -> Element:
    """The element of that name."""
    if kind not in ELEMENTS:
        raise InputError(f"{label}: unknown element '{kind}'{did_you_mean(kind, ELEMENTS)}")
    return ELEMENTS[kind]
