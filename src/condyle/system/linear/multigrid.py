"""Iterations with a multigrid cycle before each, for large meshes: conjugate gradients, or GMRES.

A symmetric positive definite matrix, as in statics, generalized-α and BDF without multipliers, gets conjugate gradients; one
that is not symmetric, as in energy–momentum, gets GMRES. Both are flexible: a cycle is rounded to single precision, and so
differs a little each time. Where the iteration does not get on (nearly incompressible, badly shaped), a direct solver takes
over.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from condyle.system.linear.hierarchy import each_domain, in_shares
from condyle.system.linear.iterations import conjugate_gradients, gmres
from condyle.system.linear.lines import with_room
from condyle.system.linear.mesh_part import MeshPart
from condyle.system.linear.mesh_rows import take_finite
from condyle.system.linear.solver import LinearSolver, Vector
from condyle.system.pattern import Pattern

__all__ = ["ACCURACY", "MeshSolver", "MultigridSolver"]

ACCURACY = 1e-11  # residual relative to the right-hand side
PAUSE = 5  # matrices that a direct solver takes after one that the iteration did not solve


class MeshSolver(LinearSolver):
    """What solvers with multigrid have in common: a part of the matrix is that of a mesh, and a direct solver may step in.

    direct() makes the direct solver. It solves what the iteration does not, and the matrices after that: `PAUSE` of them at
    first, then twice as many each time.
    """

    name = "amg"

    def __init__(self, pattern: Pattern, direct: Callable[[], LinearSolver]) -> None:
        super().__init__(pattern)
        self._make_direct = direct
        self._direct: LinearSolver | None = None
        self._is_direct, self._left, self._pause = False, 0, PAUSE
        self.mesh: MeshPart | None = None
        self._values = with_room(pattern.nnz, np.float64)
        self.iterations = 0
        """Of the last solution."""

    def factor(self, values: object) -> None:
        entries = np.asarray(values, dtype=np.float64)
        self._factored, self._is_direct = False, False
        bad: list[int] = []  # places of entries that are not finite
        # A copy: the caller goes on to write into its own.
        each_domain(
            in_shares(len(entries)), lambda low, high: bad.append(take_finite(entries, low, high, self._values))
        )
        if max(bad) >= 0:
            first = min(place for place in bad if place >= 0)
            row = int(np.searchsorted(self.pattern.indptr, first, side="right") - 1)
            raise self._singular("the matrix has an entry that is not finite", row)
        if self._left > 0:
            self._left -= 1
            self._go_direct()
        elif self.mesh is None or not self._prepare(self.mesh):
            self._hand_over()
        self._factored = True

    def solve(self, rhs: Any) -> Vector:
        return self._by_columns(rhs, self._direct if self._is_direct else None, self._solve_one)

    def _solve_one(self, b: Vector) -> Vector:
        if not self._is_direct:
            if not np.isfinite(b).all():
                raise self._singular("the right-hand side is not finite", int(np.argmin(np.isfinite(b))))
            assert self.mesh is not None
            x, self.iterations = self._iterate(self.mesh, b)
            if x is not None:
                self.mesh.took(self.iterations)
                return x
            self._hand_over()
        assert self._direct is not None
        return self._direct.solve(b)

    @abstractmethod
    def _prepare(self, mesh: MeshPart) -> bool:
        """Take the entries `_values`; False if the iteration does not suit them."""

    @abstractmethod
    def _iterate(self, mesh: MeshPart, b: Vector) -> tuple[Vector | None, int]:
        """The solution, None if it was not found, and the number of iterations."""

    def _hand_over(self) -> None:
        self._left, self._pause = self._pause, 2 * self._pause
        self._go_direct()

    def _go_direct(self) -> None:
        if self._direct is None:
            self._direct = self._make_direct().told(self)
        self._is_direct = True
        self._direct.factor(self._values)

    @property
    def used(self) -> str:
        """The name of the solver that gave the last solution; empty if there was none."""
        if self._is_direct and self._direct is not None:
            return f"{self._direct.used}, for amg did not get on"
        return super().used

    def reset(self) -> None:
        super().reset()
        self._left, self._pause = 0, PAUSE
        if self._direct is not None:
            self._direct.reset()
        if self.mesh is not None:
            self.mesh.hierarchy = None

    def _factor(self, values: Vector) -> bool:
        raise TypeError("a solver with multigrid factorises nothing")

    def _solve(self, rhs: Vector) -> Vector:
        raise TypeError("a solver with multigrid factorises nothing")


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

    def _prepare(self, mesh: MeshPart) -> bool:
        diagonal = self._values[self._diagonal]
        if not (diagonal > 0.0).all():
            return False
        if not mesh.refresh(self._values, diagonal):
            return False
        self._is_symmetric = mesh.looks_symmetric
        return True

    @property
    def can_find_it_stable(self) -> bool:
        return self.mesh is not None and self._left == 0

    def finds_it_stable(self) -> bool:
        """By conjugate gradients for a random right-hand side b, if the cycle M is positive definite (`Hierarchy.is_definite`).

        Then M^½ A M^½ has as many negative eigenvalues as A, and the iterates are those of conjugate gradients for it. With w
        one of its eigenvectors and λ the eigenvalue, the residual r has w·M^½ r = p(λ) w·M^½ b, p(λ) = Π (1 − λ/θ). All Ritz
        values θ are positive as long as the stiffness along all directions is, and then p(λ) ≥ 1 where λ < 0. So r vanishes
        only if b has nothing along M^½ w; a random b has less than 10⁻¹¹ of its length there with a probability of about
        10⁻¹¹ √n.

        An indefinite M would know of the negative stiffness itself: M = A⁻¹ has every θ = 1, and one iteration solves. That
        M is rounded to single precision shifts the iterates a little; once nothing is left of r but what is along w, the
        direction made of it has the negative stiffness, and that is summed in double precision.
        """
        mesh = self.mesh
        if self._is_direct or mesh is None or mesh.hierarchy is None:
            return False
        if not (mesh.is_symmetric and mesh.hierarchy.is_definite):
            return False
        b = np.random.default_rng(0).uniform(-1.0, 1.0, self.pattern.n)
        return conjugate_gradients(mesh.times, mesh.cycle, b, ACCURACY)[0] is not None

    def _iterate(self, mesh: MeshPart, b: Vector) -> tuple[Vector | None, int]:
        return (conjugate_gradients if self._is_symmetric else gmres)(mesh.times, mesh.cycle, b, ACCURACY)
