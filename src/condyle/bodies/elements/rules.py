"""Quadrature rules on reference cells: the cube [−1, 1]ᵈ, and the simplex ξ ≥ 0, Σ ξ ≤ 1."""

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
