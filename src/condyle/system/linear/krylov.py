"""Matrices that are little more than their diagonal: many bodies with inertia that soft contacts couple, in short steps.

What contacts add to the tangent of a step is of the order of h² k/m beside the masses, so GMRES (saad-1986) on the matrix over
its diagonal needs a dozen products, whatever the number of bodies, where a factorisation of a pile in space fills up. Where it
needs many, a direct solver takes the matrix, and those that follow for a while.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from condyle.laws.kernel import kernel
from condyle.system.linear.solver import LinearSolver, Vector
from condyle.system.pattern import Pattern

MOST = 30  # products with the matrix
PRECISE = 1e-11  # what is left of the residual, over the diagonal
DIRECT = 20  # matrices that are factorised after one that needs too many products


class KrylovSolver(LinearSolver):
    """GMRES with the diagonal as preconditioner; `otherwise` makes the direct solver for matrices that it does not suit."""

    name = "krylov"

    def __init__(self, pattern: Pattern, otherwise: Callable[[], LinearSolver]) -> None:
        super().__init__(pattern)
        self._otherwise = otherwise
        self._direct: LinearSolver | None = None
        self._values, self._inverse = np.zeros(0), np.zeros(pattern.n)
        # The entries that are not 0: of shapes that are near each other, few touch.
        self._start = np.zeros(pattern.n + 1, dtype=np.int64)
        self._column, self._entry = np.zeros(pattern.nnz, dtype=np.int32), np.zeros(pattern.nnz)
        self._basis = np.zeros((MOST + 1, pattern.n))
        self._left = 0  # matrices that are still to be factorised
        self._is_direct = False

    @property
    def used(self) -> str:
        return (
            (self._direct.used if self._is_direct and self._direct is not None else self.name) if self._factored else ""
        )

    def factor(self, values: ArrayLike) -> None:
        self._values = np.ascontiguousarray(values, dtype=np.float64)
        diagonal = self._values[self._diagonal]
        self._is_direct, self._factored = False, True
        if self._left > 0 or not (np.abs(diagonal) > 0.0).all() or not np.isfinite(diagonal).all():
            self._left = max(self._left - 1, 0)
            self._factorise()
        else:
            self._inverse = 1.0 / diagonal
            without_zeros(
                self.pattern.indptr, self.pattern.indices, self._values, self._start, self._column, self._entry
            )

    def solve(self, rhs: ArrayLike) -> Vector:
        b = self._given(rhs)
        if not self._is_direct and b.ndim == 1 and np.isfinite(b).all():
            x = np.zeros(b.size)
            found = gmres(self._start, self._column, self._entry, self._inverse, b, self._basis, PRECISE, x)
            if found and np.isfinite(x).all():
                return x
            self._left = DIRECT
        if not self._is_direct:
            self._factorise()
        assert self._direct is not None
        return self._direct.solve(b)

    def _factorise(self) -> None:
        if self._direct is None:
            self._direct = self._otherwise().told(self)
        self._direct.factor(self._values)
        self._is_direct = True

    def reset(self) -> None:
        super().reset()
        self._left = 0
        if self._direct is not None:
            self._direct.reset()

    def _factor(self, values: Vector) -> bool:
        return False

    def _solve(self, rhs: Vector) -> Vector:
        return rhs


@kernel
def without_zeros(indptr, indices, values, start, column, entry):
    """A matrix stored by rows, without those entries that are 0."""
    at = 0
    for i in range(start.size - 1):
        start[i] = at
        for e in range(indptr[i], indptr[i + 1]):
            if values[e] != 0.0:
                column[at], entry[at] = indices[e], values[e]
                at += 1
    start[start.size - 1] = at


@kernel
def gmres(indptr, indices, values, inverse, b, V, precise, x):
    """x = A⁻¹ b by GMRES, started from 0; inverse: of the diagonal; V: room for the basis. Was it precise enough?"""
    n, most = b.size, V.shape[0] - 1
    H, turns = np.zeros((most + 1, most)), np.zeros((3, most + 1))
    for i in range(n):
        V[0, i] = b[i] * inverse[i]
    size = begin_basis(V, n, turns)
    k = 0
    while k < most and left_over(turns, k) > precise * size:
        w = V[k + 1]
        for i in range(n):
            total = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                total += values[e] * V[k, indices[e]]
            w[i] = total * inverse[i]
        if not extend_basis(V, n, k, H, turns):
            return False
        k += 1
    found = left_over(turns, k) <= precise * size
    combine_basis(V, n, k, H, turns, x)
    return found


# --- the steps of GMRES (saad-1986): an orthonormal basis, and the least residual in it ---------------------------------------
#
# turns (3, most + 1): cosines and sines of the rotations that make H triangular, and the residual in the axes of the basis.


@kernel
def begin_basis(V, n, turns):
    """The residual V[0] begins the basis; returns its size."""
    size = 0.0
    for i in range(n):
        size += V[0, i] * V[0, i]
    size = np.sqrt(size)
    if size > 0.0:
        for i in range(n):
            V[0, i] /= size
    turns[2, 0] = size
    return size


@kernel
def left_over(turns, k):
    """The size of the least residual in a basis of k vectors."""
    return abs(turns[2, k])


@kernel
def extend_basis(V, n, k, H, turns):
    """Make V[k + 1], which is A V[k], the next vector of the basis; False if it adds nothing."""
    w, c, s, g = V[k + 1], turns[0], turns[1], turns[2]
    for j in range(k + 1):
        along = 0.0
        for i in range(n):
            along += w[i] * V[j, i]
        H[j, k] = along
        for i in range(n):
            w[i] -= along * V[j, i]
    rest = 0.0
    for i in range(n):
        rest += w[i] * w[i]
    rest = np.sqrt(rest)
    if rest > 0.0:
        for i in range(n):
            w[i] /= rest
    for j in range(k):
        first = c[j] * H[j, k] + s[j] * H[j + 1, k]
        H[j + 1, k] = -s[j] * H[j, k] + c[j] * H[j + 1, k]
        H[j, k] = first
    length = np.sqrt(H[k, k] ** 2 + rest * rest)
    if length == 0.0:
        return False
    c[k], s[k] = H[k, k] / length, rest / length
    H[k, k] = length
    g[k + 1], g[k] = -s[k] * g[k], c[k] * g[k]
    return True


@kernel
def combine_basis(V, n, k, H, turns, x):
    """x = what leaves the least residual in the basis of k vectors."""
    g = turns[2]
    for i in range(n):
        x[i] = 0.0
    for j in range(k - 1, -1, -1):
        for m in range(j + 1, k):
            g[j] -= H[j, m] * g[m]
        g[j] /= H[j, j]
    for j in range(k):
        for i in range(n):
            x[i] += g[j] * V[j, i]
