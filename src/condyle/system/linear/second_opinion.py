"""Solvers that exchange rows within blocks only, and ask another one where that finds no pivot."""

from __future__ import annotations

from abc import abstractmethod

from numpy.typing import ArrayLike

from condyle.system.linear.solver import LinearSolver, SingularMatrixError, Vector
from condyle.system.linear.sparse import SparseSolver

__all__ = ["SecondOpinion"]

# A matrix that is called singular is tried with another solver if it has at most so many unknowns, or factors that are not much
# larger than itself, as those of mechanisms.
SMALL_ENOUGH = 10_000
LITTLE_FILL = 20.0


class SecondOpinion(LinearSolver):
    """A solver whose pivots come from blocks; among the joints of a mechanism they may have none.

    What it calls singular is tried with free exchange of rows, and so are all later matrices until a reset.
    """

    _instead: SparseSolver | None = None

    def reset(self) -> None:
        """Forget all earlier matrices, and that any of them was too difficult."""
        super().reset()
        self._instead = None

    def factor(self, values: ArrayLike) -> None:
        """Factorise the matrix with these stored entries, shape (nnz,), in the order of the pattern."""
        if self._instead is not None:
            self._instead.factor(values)
            return
        try:
            super().factor(values)
        except SingularMatrixError:
            filled = self.factor_entries() > LITTLE_FILL * self.pattern.nnz
            self.reset()  # the order depends on the values, and these were no good
            if filled and self.pattern.n > SMALL_ENOUGH:
                raise
            instead = SparseSolver(self.pattern, symmetric=self.symmetric).told(self)
            instead.factor(values)
            self._instead = instead

    def solve(self, rhs: ArrayLike) -> Vector:
        """The solution x of A x = b, for one right-hand side b, shape (n,), or several, shape (n, k)."""
        return super().solve(rhs) if self._instead is None else self._instead.solve(rhs)

    @property
    def used(self) -> str:
        """The name of the solver whose factors there are; empty if there are none."""
        return super().used if self._instead is None else f"{self._instead.used}, for {self.name} found no pivots"

    @abstractmethod
    def factor_entries(self) -> int:
        """Entries of the last factors."""
