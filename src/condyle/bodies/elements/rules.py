"""Quadrature rules on reference cells: the cube [−1, 1]ᵈ, the simplex ξ ≥ 0, Σ ξ ≤ 1, and what is made of both."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

Rule = tuple[NDArray[np.float64], NDArray[np.float64]]


def cube(d: int, n: int) -> Rule:
    """Gauss–Legendre, n points per direction: exact for degree 2n − 1 in each."""
    x, w = np.polynomial.legendre.leggauss(n)
    points = np.array(list(product(x, repeat=d)))
    return points, np.array([np.prod(c) for c in product(w, repeat=d)])


def box(d: int, degree: int) -> Rule:
    """The cube by the degree in each direction."""
    return cube(d, degree // 2 + 1)


def simplex(d: int, degree: int) -> Rule:
    """Symmetric rules of degree 1 and 2; above that, a cube of Gauss points collapsed into the simplex."""
    volume = 1.0 / (2.0 if d == 2 else 6.0)
    if degree == 1:
        return np.full((1, d), 1.0 / (d + 1)), np.array([volume])
    if degree == 2:
        near, far = (1 / 6, 2 / 3) if d == 2 else ((5 - np.sqrt(5)) / 20, (5 + 3 * np.sqrt(5)) / 20)
        points = np.vstack((np.full((1, d), near), near + (far - near) * np.eye(d)))
        return points, np.full(d + 1, volume / (d + 1))
    # ξ_1 = u_1, ξ_2 = u_2 (1 − u_1), …: the Jacobian raises the degree by d − 1.
    points, weights = cube(d, (degree + d) // 2 + 1)
    u, weights = 0.5 * (points + 1.0), weights / 2.0**d
    xi, left = np.empty_like(u), np.ones(len(u))
    for i in range(d):
        xi[:, i] = left * u[:, i]
        weights = weights * left if i else weights
        left = left * (1.0 - u[:, i])
    return xi, weights


def six_points() -> Rule:
    """Six points on the triangle, exact for degree 4 (the symmetric rule in closed form)."""
    root, inner = np.sqrt(10.0), np.sqrt(38.0 - 44.0 * np.sqrt(0.4))
    spread = np.sqrt(213125.0 - 53320.0 * root)
    points, weights = [], []
    for sign in (1.0, -1.0):
        a = (8.0 - root + sign * inner) / 18.0
        points += [(a, a), (1.0 - 2.0 * a, a), (a, 1.0 - 2.0 * a)]
        weights += [0.5 * (620.0 + sign * spread) / 3720.0] * 3
    return np.array(points), np.array(weights)


def prism(across: int, along: int) -> Rule:
    """A triangle drawn along −1 ≤ ζ ≤ 1, exact for a degree in the triangle and one along."""
    (flat, w), (line, v) = simplex(2, across), box(1, along)
    points = np.hstack((np.tile(flat, (len(line), 1)), np.repeat(line, len(flat), axis=0)))
    return points, np.outer(v, w).ravel()


def conical(degree: int) -> Rule:
    """The pyramid over [−1, 1]² with its apex at height 1: layers of Gauss points that become smaller upwards.

    With ξ = u (1 − ζ), η = v (1 − ζ) the volume is (1 − ζ)² du dv dζ; that weight is built into the points along ζ (Jacobi
    polynomials, by the eigenvalues of their recurrence: golub-welsch-1969).
    """
    n = degree // 2 + 1
    k, m = np.arange(n), np.arange(1, n)
    beside = m * (m + 2) / ((m + 1) * np.sqrt((2 * m + 1) * (2 * m + 3)))
    x, vectors = np.linalg.eigh(np.diag(-1.0 / ((k + 1) * (k + 2))) + np.diag(beside, 1) + np.diag(beside, -1))
    height, share = 0.5 * (1.0 + x), vectors[0] ** 2 / 3.0
    flat, w = cube(2, n)
    layers = [np.column_stack((flat * (1.0 - h), np.full(len(flat), h))) for h in height]
    return np.vstack(layers), np.outer(share, w).ravel()
