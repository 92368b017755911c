"""SciPy's sparse LU (SuperLU): available everywhere, for meshes of moderate size."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.linalg import SuperLU, splu

from condyle.system.linear.kernels import scatter_scaled
from condyle.system.linear.solver import LinearSolver, SingularMatrixError, Vector
from condyle.system.pattern import Pattern

__all__ = ["SparseSolver"]

Order = Literal["NATURAL", "MMD_AT_PLUS_A", "MMD_ATA", "COLAMD"]

PIVOT_THRESHOLD = 0.1  # the diagonal is the pivot if it is this large beside the largest entry of its column
ON_THE_DIAGONAL = 1e-3  # the same where the order is that of a symmetric factorisation, which other pivots would fill
IMPRECISE = 1e-8  # relative error of a known solution above which such pivots were not good enough
LONG_ROW = 10.0  # rows this much longer than the mean would fill AᵀA


class SparseSolver(LinearSolver):
    """Sparse LU, with pivots on the diagonal as far as they serve, else with free exchange of rows.

    Patterns are symmetric: minimum degree on A with pivots on the diagonal needs half the time of an order for any exchange of
    rows. A matrix that loses digits by it, and all later ones, are factorised with exchange. The first matrix gives the
    order of the unknowns that keeps L and U sparse (it depends on the pattern only). All are stored in that order from then
    on, which saves a third to a half of the time.
    """

    name = "sparse"

    def __init__(self, pattern: Pattern, *, symmetric: bool = False) -> None:
        super().__init__(pattern, symmetric=symmetric)
        self._lu: SuperLU | None = None
        self.reset()

    def reset(self) -> None:
        """Forget the order of the unknowns; the next matrix will set it."""
        super().reset()
        self._exchange = False  # of rows, freely
        self._disorder()

    def _disorder(self) -> None:
        self._ordered = False
        self._arrange(np.arange(self.pattern.n))

    def _arrange(self, order: NDArray[np.integer]) -> None:
        """Prepare the matrix in compressed columns, with rows and columns in this order (old index of each new)."""
        p = self.pattern
        self._order = order
        new = np.empty(p.n, dtype=p.indices.dtype)
        new[order] = np.arange(p.n)
        entry = np.arange(p.nnz, dtype=np.float64)  # exact up to 2⁵³ entries
        matrix = coo_array((entry, (new[p.rows()], new[p.indices])), shape=(p.n, p.n)).tocsc()
        matrix.sort_indices()
        self._place = np.empty(p.nnz, dtype=np.int64)
        self._place[matrix.data.astype(np.int64)] = np.arange(p.nnz)
        self._matrix = matrix

    def _factor(self, values: Vector) -> bool:
        try:
            if not self._ordered:
                self._arrange(np.argsort(self._decompose(values, order=self._fill_reducing_order()).perm_c))
                self._ordered = True
            self._lu = self._decompose(values, order="NATURAL")
        except RuntimeError as error:
            if self._exchange:
                raise SingularMatrixError("the matrix is singular") from error
        else:
            if self._exchange:
                return True  # SuperLU gives no cheap access to its pivots
            if np.max(np.abs(self._error_of_known_solution(values))) < IMPRECISE:
                return False
        self._exchange = True
        self._disorder()
        return self._factor(values)

    def _solve(self, rhs: Vector) -> Vector:
        assert self._lu is not None
        out = np.empty_like(rhs)
        out[self._order] = self._lu.solve(rhs[self._order])
        return out

    def _decompose(self, values: Vector, *, order: Order) -> SuperLU:
        p = self.pattern
        scatter_scaled(p.indptr, p.indices, values, self._row_scale, self._column_scale, self._place, self._matrix.data)
        if self._exchange:
            return splu(self._matrix, permc_spec=order, diag_pivot_thresh=PIVOT_THRESHOLD)
        return splu(self._matrix, permc_spec=order, diag_pivot_thresh=ON_THE_DIAGONAL, options={"SymmetricMode": True})

    def _fill_reducing_order(self) -> Order:
        """With exchange of rows minimum degree on AᵀA gives the least fill, but a long row of A would make AᵀA full."""
        if not self._exchange:
            return "MMD_AT_PLUS_A"
        length = np.diff(self.pattern.indptr)
        return "MMD_ATA" if length.max() < LONG_ROW * length.mean() else "COLAMD"
