"""A sparse LU of our own, for meshes in space where PARDISO is not installed: nested dissection and full fronts."""

from __future__ import annotations

import numpy as np

from condyle.system.linear.dissection import Tree, dissect
from condyle.system.linear.fronts import Factors, Front, lay_out
from condyle.system.linear.second_opinion import SecondOpinion
from condyle.system.linear.solver import GOOD_DIGITS, SingularMatrixError, Vector, matvec
from condyle.system.pattern import Pattern

__all__ = ["MultifrontalSolver"]

WEAK = 0.1  # a diagonal of the scaled matrix below this is no good pivot
UNSTABLE = 1e-11  # residual of a known solution, relative to its size, above which the exchange of rows did not suffice
MOST_SOFT = 2000  # motions held by joints alone that are eliminated together


class MultifrontalSolver(SecondOpinion):
    """Sparse LU with exchange of rows inside full blocks, in the order of a tree of separators.

    The order depends on the pattern, on which unknowns are multipliers, and on which motions have no stiffness of their own; it
    is found anew when a matrix has others. Blocks are a few hundred unknowns large, so that nearly all work is done by products
    of full matrices.
    """

    name = "multifrontal"

    def __init__(self, pattern: Pattern, *, symmetric: bool = False) -> None:
        super().__init__(pattern, symmetric=symmetric)
        self._row = pattern.rows()
        self.reset()

    def reset(self) -> None:
        """Forget the order of the unknowns; the next matrix will set it."""
        super().reset()
        self._fronts: list[Front] | None = None
        self._weak = np.zeros(self.pattern.n, dtype=bool)
        self._factors: Factors | None = None

    def factor_entries(self) -> int:
        """Entries of the last factors."""
        return 0 if self._factors is None else self._factors.entries

    def _factor(self, values: Vector) -> bool:
        p = self.pattern
        scaled = self._row_scale[self._row] * values * self._column_scale[p.indices]
        weak = np.abs(scaled[self._diagonal]) < WEAK
        if self._fronts is None or not np.array_equal(weak, self._weak):
            self._weak = weak
            self._fronts = lay_out(p, self._order())
        try:
            self._factors = Factors(self._fronts, scaled)
        except ZeroDivisionError as zero:
            raise SingularMatrixError("the matrix is singular", unknown=zero.args[0]) from None
        error = self._error_of_known_solution(values)
        residual = np.abs(matvec(p, scaled, error)).max() if np.isfinite(error).all() else np.inf
        largest = np.abs(error).max()
        if not residual < UNSTABLE * max(1.0, largest):
            raise SingularMatrixError(
                "the matrix is singular to working precision", unknown=int(np.argmax(np.abs(error)))
            )
        return bool(largest >= GOOD_DIGITS)

    def _order(self) -> Tree:
        multiplier = self.levers == 0.0 if self.levers.any() else self._weak
        soft = self._weak & ~multiplier
        return dissect(self.pattern, multiplier, soft & (soft.sum() <= MOST_SOFT))

    def _solve(self, rhs: Vector) -> Vector:
        assert self._factors is not None
        return self._factors.solve(rhs.reshape(len(rhs), -1)).reshape(rhs.shape)
