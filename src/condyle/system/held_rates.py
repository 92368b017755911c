"""Rates that sums of rows are to have, by the smallest change in the sense of the mass, with constraints kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.system.linear import SingularMatrixError
from condyle.system.tables import FIXED

if TYPE_CHECKING:
    from condyle.system.row_problem import RowProblem

Array = NDArray[np.float64]

SOFT = 1e-8  # of what is held, in the size of its own mass
PASSES = 5
EXACT = 1e-15  # of the largest rate
FEW = 32  # unknowns up to which full matrices are taken: a rigid body on up to four points that stick


def hold_rates(
    problem: RowProblem,
    x: Array,
    v: Array,
    t: float,
    rows: NDArray[np.int64],
    gradients: Array,
    wanted: Array | None = None,
    works: Array | None = None,
) -> tuple[Array, Array]:
    """Change rates v (velocities or accelerations), so that the k sums Σ gradient·v are as wanted (0), constraints kept.

    rows: (k, nr); gradients: (k, nr, d); works: the same of forces that do not act along the gradients, if so. Returns the
    change of the constraints' multipliers (m,) and the multipliers of the sums (k,), with the sign of those of constraints.
    """
    s = problem.system
    problem.factor(x, t)
    k, few = len(rows), s.unknowns + len(rows) <= FEW
    unknown = s.rows.unknown[rows][:, :, None] + np.arange(s.d)
    free = np.broadcast_to((s.rows.kind[rows] != FIXED)[:, :, None], unknown.shape)
    line = np.broadcast_to(np.arange(k)[:, None, None], unknown.shape)[free]
    J: Any = _matrix(gradients[free], line, unknown[free], (k, s.unknowns), few)
    B: Any = J if works is None else _matrix(works[free], line, unknown[free], (k, s.unknowns), few)
    matrix: Any = _matrix(problem.out.A, s.pattern.rows(), s.pattern.indices, (s.unknowns, s.unknowns), few)
    # Scale all to size 1: masses may differ by many orders.
    scale = 1.0 / np.sqrt(np.maximum(np.abs(matrix.diagonal()), 1e-300))
    scale[s.motion_unknowns :] = 0.0
    size = _lengths(J, scale)
    scale[s.motion_unknowns :] = 1.0 / _lengths(matrix[s.motion_unknowns :], scale)
    J, B = _scaled(1.0 / size, J, scale), _scaled(1.0 / size, B, scale)
    rate = np.einsum("kra,kra->k", gradients, v[rows])
    miss = ((0.0 if wanted is None else wanted) - rate) / size
    # Softness shares the forces of what is held twice, in joints too; it is taken out of the rates again, pass by pass.
    saddle = _saddle(_scaled(scale, matrix, scale), B, J)
    own = np.arange(s.unknowns + k) >= s.unknowns
    solve = _factorised(saddle, np.where(own, SOFT, 0.0))
    softness, live = np.zeros(own.size), s.multiplier_unknowns[s.exact]
    softness[live] = saddle.diagonal()[live]
    given = np.concatenate((np.zeros(s.unknowns), miss))
    change, left = np.zeros_like(given), np.inf
    for _ in range(PASSES):
        rest = given - saddle @ change + softness * change
        before, left = left, float(np.abs(rest).max(initial=0.0))
        if left <= EXACT * float(np.abs(miss).max(initial=0.0)) or left > 0.5 * before:
            break
        change += solve(rest)
    moved = scale * change[: s.unknowns]
    v[s.moving] += moved[problem._places]
    return s.multiplier_increments(moved), change[s.unknowns :] / size


# What follows takes full matrices and sparse ones.


def _matrix(values: Array, rows: Any, columns: Any, shape: tuple[int, int], full: bool) -> Any:
    """The matrix with the sums of these entries."""
    if full:
        at = rows.astype(np.int64) * shape[1] + columns
        return np.bincount(at, weights=values, minlength=shape[0] * shape[1]).reshape(shape)
    from scipy.sparse import coo_matrix

    return coo_matrix((values, (rows, columns)), shape=shape).tocsr()


def _lengths(a: Any, weights: Array) -> Array:
    """Lengths of the rows of a matrix whose columns are weighted, never 0."""
    squares = a * a if isinstance(a, np.ndarray) else a.power(2)
    return np.asarray(np.sqrt(np.maximum(squares @ weights**2, 1e-300)))


def _scaled(left: Array, a: Any, right: Array) -> Any:
    if isinstance(a, np.ndarray):
        return left[:, None] * a * right
    from scipy.sparse import diags

    return diags(left) @ a @ diags(right)


def _saddle(A: Any, B: Any, J: Any) -> Any:
    """[[A, Bᵀ], [J, 0]]"""
    n, k = A.shape[0], J.shape[0]
    if isinstance(A, np.ndarray):
        whole = np.zeros((n + k, n + k))
        whole[:n, :n], whole[:n, n:], whole[n:, :n] = A, B.T, J
        return whole
    from scipy.sparse import bmat, csr_matrix

    return bmat([[A, B.T], [J, csr_matrix((k, k))]], format="csr")


def _factorised(a: Any, less: Array) -> Callable[[Array], Array]:
    """The solver of a − diag(less)."""
    if isinstance(a, np.ndarray):
        from scipy.linalg.lapack import dgetrf, dgetrs

        lu, pivots, lost = dgetrf(a - np.diag(less))
        if lost > 0:
            raise SingularMatrixError("rates that are held contradict each other", unknown=int(lost) - 1)
        return lambda b: np.asarray(dgetrs(lu, pivots, b)[0])
    from scipy.sparse import diags
    from scipy.sparse.linalg import splu

    factors: Any = splu((a - diags(less)).tocsc())
    return lambda b: np.asarray(factors.solve(b))
