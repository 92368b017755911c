"""Parts of a matrix that know nothing of each other: bodies that only contact brings together answer each for itself.

Unknowns that the matrix connects are an island: a free rigid body, a linkage, a mesh. Small islands are inverted one by one in
compiled code; the rest is left to the linear solver of the system.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from condyle.integrators.newton import StepFailed
from condyle.integrators.nonsmooth_kernels import count_answers, fill_answers, invert, solve_islands
from condyle.solvers.body_sweeps import SparseRows
from condyle.system.linear import SingularMatrixError
from condyle.system.running import RunningSystem

Array = NDArray[np.float64]
SMALL = 48  # unknowns up to which an island is inverted
TOGETHER = 256  # right-hand sides of one call of the linear solver


class Islands:
    """The islands of a system's matrix, and answers of the system to forces: du = A⁻¹ f."""

    def __init__(self, system: RunningSystem) -> None:
        pattern = system.pattern
        n = pattern.n
        self.system = system
        ones = np.ones(pattern.nnz, dtype=np.int8)
        graph = sp.csr_array((ones, pattern.indices, pattern.indptr), shape=(n, n))
        count, of = connected_components(graph, directed=False)
        self.of = of.astype(np.int64)  # island of each unknown
        size = np.bincount(self.of, minlength=count)
        self.order = np.argsort(self.of, kind="stable").astype(np.int64)
        self.start = np.concatenate(([0], np.cumsum(size))).astype(np.int64)
        self.place = np.empty(n, dtype=np.int64)  # of each unknown within its island
        self.place[self.order] = np.arange(n) - np.repeat(self.start[:-1], size)
        self.small = size <= SMALL
        blocks = np.where(self.small, size * size, 0)
        self.block = np.concatenate(([0], np.cumsum(blocks))).astype(np.int64)
        self.inverse = np.zeros(int(self.block[-1]))
        self.values = np.zeros(pattern.nnz)  # of the matrix that was last factored
        self._lent = False  # has the linear solver the factors of another matrix?
        self.indptr, self.indices = pattern.indptr.astype(np.int64), pattern.indices.astype(np.int64)

    @property
    def all_small(self) -> bool:
        """Is there nothing for the linear solver to do?"""
        return bool(self.small.all())

    def factor(self, A: Array) -> None:
        """Take the values of a matrix."""
        self.values = A
        found = invert(
            self.indptr, self.indices, A, self.order, self.start, self.place, self.small, self.block, self.inverse
        )
        if found >= 0:
            raise StepFailed("the equations are singular", self.system.owner(int(found)))
        if not self.all_small:
            self._factor_large(A)
        self._lent = False

    def _factor_large(self, A: Array) -> None:
        try:
            self.system.solver.factor(A)
        except SingularMatrixError as error:
            raise StepFailed("the equations are singular", self.system.owner(error.unknown or 0)) from None

    def solve_with(self, values: Array, b: Array) -> Array:
        """The solution for b (n,) with other values of the whole matrix."""
        self._lent = True
        self._factor_large(values)
        return self.system.solver.solve(b)

    def _take_back(self) -> None:
        """The factors of the matrix itself, after those of others."""
        if self._lent and not self.all_small:
            self._factor_large(self.values)
        self._lent = False

    def solve(self, b: Array) -> Array:
        """A⁻¹ b (n,)."""
        self._take_back()
        out = np.zeros_like(b) if self.all_small else self.system.solver.solve(b)
        solve_islands(b, self.order, self.start, self.small, self.block, self.inverse, out)
        return out

    def answers(self, rows: SparseRows, factor: float) -> SparseRows:
        """Y = factor · A⁻¹ Jᵀ, row by row."""
        self._take_back()
        start = count_answers(rows.start, rows.column, self.of, self.start)
        column, value = np.empty(int(start[-1]), dtype=np.int64), np.empty(int(start[-1]))
        fill_answers(
            rows.start, rows.column, rows.value, self.of, self.order, self.start, self.place, self.small, self.block,
            self.inverse, factor, start, column, value,
        )  # fmt: skip
        if not self.all_small:
            self._solve_large(rows, factor, start, column, value)
        return SparseRows(start, column, value)

    def _solve_large(
        self, rows: SparseRows, factor: float, start: NDArray[np.int64], column: NDArray[np.int64], value: Array
    ) -> None:
        """Entries of Y on large islands, many rows at a time: each call of the linear solver has its price."""
        m, large = rows.start.size - 1, ~self.small[self.of]
        given = np.repeat(np.arange(m), np.diff(rows.start))
        wanted = np.unique(given[large[rows.column]])
        place = np.full(m, -1)
        place[wanted] = np.arange(wanted.size)
        here, there = place[given], place[np.repeat(np.arange(m), np.diff(start))]
        for first in range(0, wanted.size, TOGETHER):
            count = min(TOGETHER, wanted.size - first)
            force = np.zeros((self.of.size, count))
            mine = (here >= first) & (here < first + count)
            force[rows.column[mine], here[mine] - first] = rows.value[mine]
            found = self.system.solver.solve(force)
            mine = (there >= first) & (there < first + count) & large[column]
            value[mine] = factor * found[column[mine], there[mine] - first]


def product(rows: SparseRows, answers: SparseRows, n: int) -> Any:
    """W = J Yᵀ, sparse (m, m)."""
    J, Y = (sp.csr_array((a.value, a.column, a.start), shape=(a.start.size - 1, n)) for a in (rows, answers))
    W: Any = (J @ Y.T).tocsr()
    return (W + W.T) * 0.5
