"""LAPACK's LU factorisations with row pivoting: of the full matrix, and of a band around its diagonal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from condyle.system.linear.kernels import scatter_scaled
from condyle.system.linear.solver import SMALL_PIVOT, LinearSolver, SingularMatrixError, Vector
from condyle.system.linear.threads import OneThread, openblas_of_scipy
from condyle.system.pattern import Pattern

__all__ = ["BandSolver", "DenseSolver", "band_order"]

# Sizes for which OpenBLAS would start threads that gain nothing.
THREADLESS_ORDER = range(100, 1000)
THREADLESS_HALF_BAND = range(50, 200)


class DenseSolver(LinearSolver):
    """LU of the full matrix (getrf). The best for up to about a hundred unknowns, whatever couples them.

    Symmetric matrices are treated alike: sytrf saves a tenth of the time, but its solve takes twice as long.
    """

    name = "dense"

    def __init__(self, pattern: Pattern, *, symmetric: bool = False) -> None:
        super().__init__(pattern, symmetric=symmetric)
        n = pattern.n
        self._place = pattern.indices.astype(np.int64) * n + pattern.rows()
        self._one_thread = OneThread(openblas_of_scipy(), active=n in THREADLESS_ORDER)
        self._columns = np.zeros((n, n))  # transposed: LAPACK stores column after column
        self._pivots: NDArray[np.int32] = np.zeros(n, dtype=np.int32)

    def _factor(self, values: Vector) -> bool:
        p = self.pattern
        self._columns.fill(0.0)
        scatter_scaled(
            p.indptr, p.indices, values, self._row_scale, self._column_scale, self._place, self._columns.reshape(-1)
        )
        with self._one_thread:
            _, self._pivots, info = lapack.dgetrf(self._columns.T, overwrite_a=True)
        if info > 0:
            raise SingularMatrixError("the matrix is singular", unknown=info - 1)
        return bool(np.abs(self._columns.diagonal()).min() < SMALL_PIVOT)

    def _solve(self, rhs: Vector) -> Vector:
        with self._one_thread:
            x, _ = lapack.dgetrs(self._columns.T, self._pivots, rhs)
        return x


class BandSolver(LinearSolver):
    """LU of a band (gbtrf), after the unknowns are put into an order that makes the band narrow. The best for chains.

    Parameters
    ----------
    order : the old index of each new unknown, shape (n,); by default the reverse Cuthill–McKee order
    """

    name = "band"

    def __init__(self, pattern: Pattern, *, symmetric: bool = False, order: NDArray[np.integer] | None = None) -> None:
        super().__init__(pattern, symmetric=symmetric)
        n = pattern.n
        self._order = (band_order(pattern)[0] if order is None else order).astype(np.int64)
        new = np.empty(n, dtype=np.int64)
        new[self._order] = np.arange(n)
        row, column = new[pattern.rows()], new[pattern.indices]
        self._half = k = int(np.abs(row - column).max(initial=0))
        # LAPACK keeps entry (i, j) in row 2k + i − j of column j; the first k rows are room for pivoting.
        self._place = column * (3 * k + 1) + 2 * k + row - column
        self._one_thread = OneThread(openblas_of_scipy(), active=k in THREADLESS_HALF_BAND)
        self._columns = np.zeros((n, 3 * k + 1))
        self._pivots: NDArray[np.int32] = np.zeros(n, dtype=np.int32)

    def _factor(self, values: Vector) -> bool:
        p, k = self.pattern, self._half
        self._columns.fill(0.0)
        scatter_scaled(
            p.indptr, p.indices, values, self._row_scale, self._column_scale, self._place, self._columns.reshape(-1)
        )
        with self._one_thread:
            _, self._pivots, info = lapack.dgbtrf(self._columns.T, k, k, overwrite_ab=True)
        if info > 0:
            raise SingularMatrixError("the matrix is singular", unknown=int(self._order[info - 1]))
        return bool(np.abs(self._columns[:, 2 * k]).min() < SMALL_PIVOT)

    def _solve(self, rhs: Vector) -> Vector:
        k = self._half
        with self._one_thread:
            x, _ = lapack.dgbtrs(self._columns.T, k, k, rhs[self._order], self._pivots)
        out = np.empty_like(rhs)
        out[self._order] = x
        return out


def band_order(pattern: Pattern) -> tuple[NDArray[np.integer], int]:
    """An order of the unknowns that keeps entries near the diagonal (reverse Cuthill–McKee), and the half bandwidth."""
    n = pattern.n
    if n == 0:
        return np.zeros(0, dtype=np.int32), 0
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    graph = csr_array((np.ones(pattern.nnz, dtype=np.int8), pattern.indices, pattern.indptr), shape=(n, n))
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    new = np.empty(n, dtype=np.int64)
    new[order] = np.arange(n)
    return order, int(np.abs(new[pattern.rows()] - new[pattern.indices]).max())
