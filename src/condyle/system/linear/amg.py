"""Conjugate gradients with an algebraic multigrid preconditioner (pyamg): for large meshes in balance.

The matrix must be symmetric and positive definite, as in statics, generalized-α and BDF without multipliers. Where it is not,
or where the iteration does not get on (nearly incompressible, badly shaped), the direct solver takes over.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, cg

from condyle.system.linear.solver import LinearSolver, Vector
from condyle.system.pattern import Pattern

__all__ = ["AmgSolver"]

ACCURACY = 1e-11  # residual relative to the right-hand side
MOST = 300  # iterations, after which a direct solver is cheaper
WORN = 1.7  # a hierarchy is made anew when it needs this many times the iterations of its first use


class AmgSolver(LinearSolver):
    """Smoothed aggregation with the rigid motions of the mesh; its hierarchy is kept over matrices while it serves well.

    modes() gives the rigid motions, shape (n, 3 or 6); block: unknowns per node; direct() makes the solver that takes over.
    """

    name = "amg"

    def __init__(
        self, pattern: Pattern, modes: Callable[[], Vector], block: int, direct: Callable[[], LinearSolver]
    ) -> None:
        super().__init__(pattern)
        self._modes, self._block, self._make_direct = modes, block, direct
        self._direct: LinearSolver | None = None
        self._hierarchy: Any = None
        self._first = self._last = 0  # iterations with the present hierarchy: of its first use, of the last one
        self._matrix: Any = None
        self._values = np.zeros(0)

    def factor(self, values: Any) -> None:
        entries = np.array(values, dtype=np.float64)
        self._factored = False
        bad = np.flatnonzero(~np.isfinite(entries))
        if bad.size:
            row = int(np.searchsorted(self.pattern.indptr, bad[0], side="right") - 1)
            raise self._singular("the matrix has an entry that is not finite", row)
        p = self.pattern
        self._values = entries
        self._matrix = csr_matrix((entries, p.indices, p.indptr), shape=(p.n, p.n))
        if self._direct is None and not self._symmetric_positive():
            self._give_up()
        elif self._direct is not None:
            self._direct.factor(entries)
        elif self._hierarchy is None or self._last > WORN * self._first + 5:
            self._build()
        self._factored = True

    def solve(self, rhs: Any) -> Vector:
        return self._by_columns(rhs, self._direct, self._solve_one)

    def _solve_one(self, b: Vector) -> Vector:
        if self._direct is not None:  # given up at an earlier right-hand side
            return self._direct.solve(b)
        if not np.isfinite(b).all():
            raise self._singular("the right-hand side is not finite", int(np.argmin(np.isfinite(b))))
        steps = 0

        def count(_: Any) -> None:
            nonlocal steps
            steps += 1

        preconditioner = LinearOperator(self._matrix.shape, matvec=self._hierarchy.aspreconditioner(cycle="V").matvec)
        x, failed = cg(self._matrix, b, rtol=ACCURACY, maxiter=MOST, M=preconditioner, callback=count)
        if failed or not np.isfinite(x).all():
            self._give_up()
            return self.solve(b)
        self._first, self._last = self._first or steps, steps
        return np.asarray(x)

    @property
    def used(self) -> str:
        """The name of the solver that gave the last solution; empty if there was none."""
        return super().used if self._direct is None else f"{self._direct.used}, for amg did not get on"

    def reset(self) -> None:
        super().reset()
        self._hierarchy = None

    def _factor(self, values: Vector) -> bool:
        raise TypeError("AmgSolver factorises nothing")

    def _solve(self, rhs: Vector) -> Vector:
        raise TypeError("AmgSolver factorises nothing")

    def _symmetric_positive(self) -> bool:
        if not (self._matrix.diagonal() > 0.0).all():
            return False
        probe = np.random.default_rng(0).uniform(-1.0, 1.0, self.pattern.n)
        left, right = self._matrix @ probe, self._matrix.T @ probe
        return bool(np.abs(left - right).max() <= 1e-10 * np.abs(left).max())

    def _build(self) -> None:
        import pyamg

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._hierarchy = pyamg.smoothed_aggregation_solver(
                self._matrix.tobsr((self._block, self._block)), B=self._modes(), max_coarse=600
            )
        self._first = self._last = 0

    def _give_up(self) -> None:
        """From here on the direct solver."""
        self._direct, self._hierarchy = self._make_direct().told(self), None
        self._direct.factor(self._values)
