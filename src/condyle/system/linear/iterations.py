"""Krylov methods whose preconditioner may differ a little each time: conjugate gradients and GMRES, both flexible."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from condyle.system.linear.directions import add_directions, dot, go, orthogonalise, turn_direction

__all__ = ["conjugate_gradients", "gmres"]

Vector = NDArray[np.float64]
Product = Callable[[Vector, Vector], None]  # (x, y): y = A x

MOST = 300  # iterations, after which a direct solver is cheaper
RESTART = 40  # directions that GMRES keeps


def conjugate_gradients(
    times: Product, precondition: Callable[[Vector], Vector], b: Vector, accuracy: float
) -> tuple[Vector | None, int]:
    """x with |b − A x| ≤ accuracy |b|, and the iterations; None if A is found not to be positive definite, or after `MOST`.

    Directions are kept conjugate by β = z·(r − r_before) / (z·r)_before (notay-2000), which forgives a preconditioner that is
    not quite the same matrix each time.
    """
    x, r, before, p, Ap = np.zeros_like(b), b.copy(), b.copy(), np.zeros_like(b), np.empty_like(b)
    size, passed = math.sqrt(dot(b, b)), 0.0
    target = accuracy * size
    for count in range(MOST):
        if size <= target:
            return x, count
        passed = turn_direction(precondition(r), r, before, passed, p)
        times(p, Ap)
        curvature = dot(p, Ap)
        if not (0.0 < passed < math.inf and curvature > 0.0):
            return None, count
        size = math.sqrt(go(passed / curvature, p, Ap, x, r, before))
    return None, MOST


def gmres(
    times: Product, precondition: Callable[[Vector], Vector], b: Vector, accuracy: float
) -> tuple[Vector | None, int]:
    """x with |b − A x| ≤ accuracy |b|, and the iterations; None after `MOST` (saad-1993)."""
    x, r = np.zeros_like(b), b.copy()
    V, Z = np.empty((RESTART + 1, len(b))), np.empty((RESTART, len(b)), dtype=np.float32)
    target, count = accuracy * math.sqrt(dot(b, b)), 0
    while count < MOST:
        size = math.sqrt(dot(r, r))
        if not size > target:
            return (x if size <= target else None), count
        V[0] = r / size
        H, h, k, left = np.zeros((RESTART + 1, RESTART)), np.zeros(RESTART + 1), 0, size
        sizes = np.zeros(RESTART)
        while k < RESTART and left > target:
            z = precondition(V[k])
            sizes[k] = math.sqrt(dot(z, z))
            if not 0.0 < sizes[k] < math.inf:
                return None, count
            Z[k] = z / sizes[k]  # kept in single precision, and the product is that of what is kept
            times(sizes[k] * Z[k].astype(np.float64), V[k + 1])
            orthogonalise(V, k, h)
            H[: k + 2, k] = h[: k + 2]
            k, count = k + 1, count + 1
            y, left = _least_squares(H[: k + 1, :k], size)
        if not np.isfinite(y).all():
            return None, count
        add_directions(y * sizes[:k], Z, x)
        times(x, r)
        r = b - r
    return None, count


def _least_squares(H: Vector, size: float) -> tuple[Vector, float]:
    """y that makes |size e₁ − H y| least, and what is left."""
    first = np.zeros(len(H))
    first[0] = size
    y: Vector = np.asarray(np.linalg.lstsq(H, first, rcond=None)[0], dtype=np.float64)
    return y, float(np.linalg.norm(first - H @ y))
