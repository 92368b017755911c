"""Iterations with a multigrid cycle before each, for large meshes: conjugate gradients, or GMRES.

A symmetric positive definite matrix, as in statics, generalized-α and BDF without multipliers, gets conjugate gradients; one
that is not symmetric, as in energy–momentum, gets GMRES. Both are flexible: a cycle is rounded to single precision, and so
differs a little each time. Where the iteration does not get on (nearly incompressible, badly shaped), a direct solver takes
over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from condyle.system.linear.iterations import conjugate_gradients, gmres
from condyle.system.linear.kernels import row_not_finite
from condyle.system.linear.mesh_part import MeshPart
from condyle.system.linear.solver import LinearSolver, Vector
from condyle.system.pattern import Pattern

__all__ = ["ACCURACY", "MeshSolver", "MultigridSolver"]

ACCURACY = 1e-11  # residual relative to the right-hand side


class MeshSolver(LinearSolver):
    """What solvers with multigrid have in common: a part of the matrix is that of a mesh, and a direct solver may take over.

    direct() makes the solver that takes over.
    """

    name = "amg"

    def __init__(self, pattern: Pattern, direct: Callable[[], LinearSolver]) -> None:
        super().__init__(pattern)
        self._make_direct = direct
        self._direct: LinearSolver | None = None
        self.mesh: MeshPart | None = None
        self._values = np.zeros(0)
        self.iterations = 0
        """Of the last solution."""

    @property
    def used(self) -> str:
        """The name of the solver that gave the last solution; empty if there was none."""
        return super().used if self._direct is None else f"{self._direct.used}, for amg did not get on"

    def reset(self) -> None:
        super().reset()
        if self.mesh is not None:
            self.mesh.hierarchy = None

    def _give_up(self) -> LinearSolver:
        """From here on the direct solver."""
        self._direct, self.mesh = self._make_direct().told(self), None
        self._direct.factor(self._values)
        return self._direct


class MultigridSolver(MeshSolver):
    """Smoothed aggregation with the rigid motions of the mesh; coarser systems are kept over matrices while they serve well.

    modes() gives the rigid motions, shape (n, 3 or 6); block: unknowns per node.
    """

    def __init__(
        self, pattern: Pattern, modes: Callable[[], Vector], block: int, direct: Callable[[], LinearSolver]
    ) -> None:
        super().__init__(pattern, direct)
        self.mesh = MeshPart(pattern, block, modes) if MeshPart.fits(pattern, block) else None
        self._is_symmetric = True

    def factor(self, values: Any) -> None:
        entries = np.array(values, dtype=np.float64)  # a copy: the caller goes on to write into its own
        self._factored = False
        bad = row_not_finite(entries.reshape(-1, 1))
        if bad >= 0:
            row = int(np.searchsorted(self.pattern.indptr, bad, side="right") - 1)
            raise self._singular("the matrix has an entry that is not finite", row)
        self._values, diagonal = entries, entries[self._diagonal]
        if self._direct is not None:
            self._direct.factor(entries)
        elif self.mesh is None or not (diagonal > 0.0).all():
            self._give_up()
        else:
            self.mesh.refresh(entries, diagonal)
            self._is_symmetric = self.mesh.is_symmetric
        self._factored = True

    def solve(self, rhs: Any) -> Vector:
        return self._by_columns(rhs, self._direct, self._solve_one)

    def _solve_one(self, b: Vector) -> Vector:
        if self._direct is not None:  # given up at an earlier right-hand side
            return self._direct.solve(b)
        if not np.isfinite(b).all():
            raise self._singular("the right-hand side is not finite", int(np.argmin(np.isfinite(b))))
        assert self.mesh is not None
        method = conjugate_gradients if self._is_symmetric else gmres
        x, self.iterations = method(self.mesh.times, self.mesh.cycle, b, ACCURACY)
        if x is None:
            return self._give_up().solve(b)
        self.mesh.took(self.iterations)
        return x

    def _factor(self, values: Vector) -> bool:
        raise TypeError("MultigridSolver factorises nothing")

    def _solve(self, rhs: Vector) -> Vector:
        raise TypeError("MultigridSolver factorises nothing")
