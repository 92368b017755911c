"""What every linear solver shares: scaling before the factorisation, checks after it, and products with the matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import CondyleError
from condyle.system.linear.kernels import (
    EMPTY_COLUMN,
    EMPTY_ROW,
    NOT_FINITE,
    equilibrate,
    product,
    row_not_finite,
)
from condyle.system.pattern import Pattern

__all__ = ["LinearSolver", "SingularMatrixError", "matvec", "solve_refined"]

Vector = NDArray[np.float64]

SMALL_PIVOT = 1e-6  # a pivot of the scaled matrix below this starts the test for singularity
GOOD_DIGITS = 1e-6  # a known solution that comes back with this relative error settles it
LOST_DIGITS = 1e-3  # if one of two has a larger error than this, the matrix is singular
SHIFT = 1e-10  # added to the diagonal of a singular scaled matrix, to find its null space

SCALING_ERRORS = {
    NOT_FINITE: "the matrix has an entry that is not finite",
    EMPTY_ROW: "the matrix has an equation without any entry",
    EMPTY_COLUMN: "the matrix has an unknown without any entry",
}


class SingularMatrixError(CondyleError):
    """The linear system has no finite solution.

    Parameters
    ----------
    message : what is wrong
    unknown : index of an unknown that is not determined, or whose equation is not finite, if known
    owner : the part of the model that it belongs to, for the message
    """

    def __init__(self, message: str, *, unknown: int | None = None, owner: str = "") -> None:
        super().__init__(f"{message} at '{owner}'" if owner else message)
        self.unknown = unknown


class LinearSolver(ABC):
    """Solves A x = b for many matrices A with one pattern.

    Mechanics mixes stiffnesses of 1e9 with constraint gradients of 1, and pivoting that compares them eliminates in a
    bad order: up to twelve digits were seen to be lost. So every matrix is scaled first, A' = R A C with powers of two
    on the diagonals of R and C, such that stiffnesses and constraints are of size 1, whatever their units.

    Parameters
    ----------
    pattern : where the entries are stored
    symmetric : a promise that all matrices will be symmetric
    """

    name: ClassVar[str]

    def __init__(self, pattern: Pattern, *, symmetric: bool = False) -> None:
        self.pattern = pattern
        self.symmetric = symmetric
        self._row_scale = np.ones(pattern.n)
        self._column_scale = np.ones(pattern.n)
        self._diagonal = np.flatnonzero(pattern.rows() == pattern.indices)
        self._factored = False
        # What a system tells of its unknowns: the part each belongs to, for messages; for the scales, its lever [m] (0 of a
        # multiplier) and a stiffness [N/m] that the model has at any rate.
        self.owner: Callable[[int], str] = _nobody
        self.levers = np.zeros(pattern.n)
        self.least_stiffness = 0.0

    def told(self, other: LinearSolver) -> Self:
        """This solver, with all that another one of the same pattern was told of the unknowns."""
        self.owner, self.levers, self.least_stiffness = other.owner, other.levers, other.least_stiffness
        return self

    def factor(self, values: ArrayLike) -> None:
        """Factorise the matrix with these stored entries, shape (nnz,), in the order of the pattern.

        Raises SingularMatrixError if an entry is not finite or the matrix is singular to working precision.
        """
        entries = np.ascontiguousarray(values, dtype=np.float64)
        if entries.shape != (self.pattern.nnz,):
            raise ValueError(f"the matrix has {self.pattern.nnz} stored entries, but {entries.shape} values were given")
        self._factored = False
        if self.pattern.n:
            try:
                self._scale(entries)
                if self._factor(entries):
                    self._test_singularity(entries)
            except SingularMatrixError as error:
                where = self._undetermined_unknown(entries) if error.unknown is None else error.unknown
                raise self._singular(str(error), where) from None
        self._factored = True

    def solve(self, rhs: ArrayLike) -> Vector:
        """The solution x of A x = b, for one right-hand side b, shape (n,), or several, shape (n, k)."""
        b = self._given(rhs)
        if b.ndim not in (1, 2) or b.shape[0] != self.pattern.n:
            raise ValueError(f"a right-hand side needs {self.pattern.n} rows, but its shape is {b.shape}")
        if b.size == 0:
            return np.zeros(b.shape)
        x = _times(self._column_scale, self._solve(_times(self._row_scale, b)))
        bad = _first_not_finite(x)
        if bad >= 0:
            if np.isfinite(b).all():
                raise self._singular("the solution is not finite", bad)
            first = int(np.argmin(np.isfinite(b).reshape(len(b), -1).all(axis=1)))
            raise self._singular("the right-hand side is not finite", first)
        return x

    def _by_columns(self, rhs: ArrayLike, other: LinearSolver | None, solve_one: Callable[[Vector], Vector]) -> Vector:
        """The solution by another solver where there is one, else by a function of one right-hand side."""
        b = self._given(rhs)
        if other is not None:
            return other.solve(b)
        if b.ndim == 1:
            return solve_one(b)
        return np.stack([solve_one(column) for column in b.T], axis=1) if b.shape[1] else np.zeros(b.shape)

    def _given(self, rhs: ArrayLike) -> Vector:
        """A right-hand side as numbers; an error if there are no factors to solve with."""
        if not self._factored:
            raise RuntimeError("a linear solver was asked to solve before a matrix was factorised")
        return np.asarray(rhs, dtype=np.float64)

    @property
    def used(self) -> str:
        """The name of the solver whose factors there are; empty if there are none."""
        return self.name if self._factored else ""

    def _singular(self, message: str, unknown: int | None) -> SingularMatrixError:
        owner = "" if unknown is None else self.owner(unknown)
        return SingularMatrixError(message, unknown=unknown, owner=owner)

    @property
    def can_find_it_stable(self) -> bool:
        """May `finds_it_stable` say so of the next matrix? If not, a matrix need not be taken for that."""
        return False

    def finds_it_stable(self) -> bool:
        """Is it certain that the stiffness of the matrix is positive along all motions that constraints allow?"""
        return False

    def reset(self) -> None:
        """Forget all earlier matrices.

        PARDISO's order of the unknowns, and so its rounding, depends on the first matrix. After a reset, a run that
        goes on and a run that is restarted from the same state agree to the last bit.
        """
        self._factored = False

    @abstractmethod
    def _factor(self, values: Vector) -> bool:
        """Place the scaled entries and factorise. True if the matrix may be singular; raises if it surely is."""

    @abstractmethod
    def _solve(self, rhs: Vector) -> Vector:
        """Solve with the scaled matrix; ``rhs``, shape (n,) or (n, k), is C-contiguous and may be overwritten."""

    def _scale(self, values: Vector) -> None:
        p, r, c = self.pattern, self._row_scale, self._column_scale
        known = self.levers, self.least_stiffness
        status, unknown = equilibrate(p.indptr, p.indices, values, self.symmetric, *known, r, c)
        if status:
            raise SingularMatrixError(SCALING_ERRORS[status], unknown=int(unknown))

    def _test_singularity(self, values: Vector) -> None:
        """Solve for a known solution, then, if the error is large, for that error.

        The error made by a singular matrix lies in its null space, and so names an undetermined unknown. A second time
        it is made again; a small error by chance both times is unlikely.
        """
        error = self._error_of_known_solution(values)
        largest = np.max(np.abs(error))
        if largest < GOOD_DIGITS:
            return
        unknown = None
        if largest < np.inf:
            unknown = int(np.argmax(np.abs(error)))
            again = np.max(np.abs(self._error_of_known_solution(values, error / largest)))
            if max(largest, again) < LOST_DIGITS:
                return
        raise SingularMatrixError("the matrix is singular to working precision", unknown=unknown)

    def _undetermined_unknown(self, values: Vector) -> int | None:
        """An unknown that a singular matrix does not determine, found by factorising a nearby regular matrix."""
        shifted = values.copy()
        shift = SHIFT / (self._row_scale * self._column_scale)
        shifted[self._diagonal] += np.where(values[self._diagonal] > 0.0, shift, -shift)
        try:
            self._factor(shifted)
        except SingularMatrixError as still_singular:
            return still_singular.unknown
        error = np.abs(self._error_of_known_solution(values))
        worst = int(np.argmax(error))
        return worst if error[worst] < np.inf else None

    def _error_of_known_solution(self, values: Vector, known: Vector | None = None) -> Vector:
        """x − x̄ after solving A x = A x̄, in scaled unknowns, shape (n,); by default for a random x̄ of size 1."""
        if known is None:
            known = np.random.default_rng(0).uniform(0.5, 1.5, self.pattern.n)
            known[::2] *= -1.0
        rhs = self._row_scale * matvec(self.pattern, values, self._column_scale * known)
        error = self._solve(rhs) - known
        return np.where(np.isfinite(error), error, np.inf)


def _nobody(unknown: int) -> str:
    return ""


def matvec(pattern: Pattern, values: Vector, x: Vector) -> Vector:
    """The product A x, for x of shape (n,) or (n, k)."""
    columns = np.ascontiguousarray(x, dtype=np.float64)
    y = product(pattern.indptr, pattern.indices, values, columns.reshape(pattern.n, -1))
    return np.reshape(y, columns.shape)


def solve_refined(solver: LinearSolver, values: Vector, rhs: Vector, *, steps: int = 1) -> Vector:
    """Solve, then correct with the residual of the matrix ``values`` [(nnz,)]: x += A⁻¹ (b − A x), ``steps`` times.

    Removes most of the rounding error of the factorisation. With the values of a nearby matrix it takes a step towards
    the solution for that one, without a new factorisation.
    """
    x = solver.solve(rhs)
    for _ in range(steps):
        x += solver.solve(rhs - matvec(solver.pattern, values, x))
    return x


def _times(scale: Vector, array: Vector) -> Vector:
    with np.errstate(over="ignore"):  # what is not finite is reported
        return np.multiply(scale if array.ndim == 1 else scale[:, None], array, order="C")


def _first_not_finite(x: Vector) -> int:
    return int(row_not_finite(x.reshape(len(x), -1)))
