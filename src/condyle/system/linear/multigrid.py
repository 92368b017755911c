"""Iterations with a multigrid cycle before each, for large meshes: conjugate gradients, or GMRES.

A symmetric positive definite matrix, as in statics, generalized-α and BDF without multipliers, gets conjugate gradients, which
are flexible (notay-2000), since the cycle is rounded to single precision and differs a little each time. A matrix that is not
symmetric, as in energy–momentum, gets flexible GMRES (saad-1993). Where the iteration does not get on (nearly incompressible,
badly shaped), a direct solver takes over.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from condyle.system.linear.coarsening import Blocks
from condyle.system.linear.hierarchy import Hierarchy, each_domain, split
from condyle.system.linear.kernels import row_not_finite
from condyle.system.linear.smoothing import (
    add_directions,
    as_single,
    asymmetry,
    block_product,
    block_product_3,
    dot,
    go,
    is_blocked,
    node_graph,
    orthogonalise,
    take_blocks,
    turn_direction,
)
from condyle.system.linear.solver import LinearSolver, Vector
from condyle.system.pattern import Pattern

__all__ = ["MultigridSolver"]

ACCURACY = 1e-11  # residual relative to the right-hand side
MOST = 300  # iterations, after which a direct solver is cheaper
WORN = 1.7  # a hierarchy is made anew when it needs this many times the iterations of its first use
SAMPLE = 500  # rows of nodes that are compared with their columns
SYMMETRIC = 1e-10  # by which they may differ, relative to the largest entry
RESTART = 40  # directions that GMRES keeps


class MultigridSolver(LinearSolver):
    """Smoothed aggregation with the rigid motions of the mesh; coarser systems are kept over matrices while they serve well.

    modes() gives the rigid motions, shape (n, 3 or 6); block: unknowns per node; direct() makes the solver that takes over.
    """

    name = "amg"

    def __init__(
        self, pattern: Pattern, modes: Callable[[], Vector], block: int, direct: Callable[[], LinearSolver]
    ) -> None:
        super().__init__(pattern)
        self._modes, self._block, self._make_direct = modes, block, direct
        self._direct: LinearSolver | None = None
        self._hierarchy: Hierarchy | None = None
        self._first = self._last = 0  # iterations with the present hierarchy: of its first use, of the last one
        self._values = np.zeros(0)
        self._unit = 1.0  # of the entries in single precision
        self._is_symmetric = True
        self.iterations = 0
        """Of the last solution."""
        self._fine: Blocks | None = None
        if is_blocked(pattern.indptr, pattern.indices, block):
            ptr, col = node_graph(pattern.indptr, pattern.indices, block)
            self._fine = Blocks(ptr, col, np.zeros((len(col), block, block), dtype=np.float32))
            self._domains = split(self._fine)

    def factor(self, values: Any) -> None:
        entries = np.ascontiguousarray(values, dtype=np.float64)
        self._factored = False
        bad = row_not_finite(entries.reshape(-1, 1))
        if bad >= 0:
            row = int(np.searchsorted(self.pattern.indptr, bad, side="right") - 1)
            raise self._singular("the matrix has an entry that is not finite", row)
        self._values = entries.copy()  # the caller goes on to write into its own
        if self._direct is not None:
            self._direct.factor(self._values)
        elif self._fine is None or not (entries[self._diagonal] > 0.0).all():
            self._give_up()
        else:
            self._is_symmetric = self._compare(self._fine) <= SYMMETRIC
            self._refresh(self._fine)
        self._factored = True

    def solve(self, rhs: Any) -> Vector:
        return self._by_columns(rhs, self._direct, self._solve_one)

    def _solve_one(self, b: Vector) -> Vector:
        if self._direct is not None:  # given up at an earlier right-hand side
            return self._direct.solve(b)
        if not np.isfinite(b).all():
            raise self._singular("the right-hand side is not finite", int(np.argmin(np.isfinite(b))))
        x = self._conjugate_gradients(b) if self._is_symmetric else self._gmres(b)
        if x is None:
            self._give_up()
            return self.solve(b)
        self._first, self._last = self._first or self.iterations, self.iterations
        return x

    def _conjugate_gradients(self, b: Vector) -> Vector | None:
        assert self._hierarchy is not None
        x, r, before, p, Ap = np.zeros_like(b), b.copy(), b.copy(), np.zeros_like(b), np.empty_like(b)
        single = np.empty((len(b) // self._block, self._block), dtype=np.float32)
        size, passed = math.sqrt(dot(b, b)), 0.0
        target = ACCURACY * size
        for self.iterations in range(MOST):
            if size <= target:
                return x
            as_single(r, 1.0 / size, single)
            passed = turn_direction(self._hierarchy.cycle(single), size * self._unit, r, before, passed, p)
            self._times(p, Ap)
            curvature = dot(p, Ap)
            if not (0.0 < passed < math.inf and curvature > 0.0):
                return None
            size = math.sqrt(go(passed / curvature, p, Ap, x, r, before))
        return None

    def _gmres(self, b: Vector) -> Vector | None:
        assert self._hierarchy is not None
        x, r = np.zeros_like(b), b.copy()
        single = np.empty((len(b) // self._block, self._block), dtype=np.float32)
        V = np.empty((RESTART + 1, len(b)))
        Z = np.empty((RESTART, *single.shape), dtype=np.float32)
        target, self.iterations = ACCURACY * math.sqrt(dot(b, b)), 0
        while self.iterations < MOST:
            size = math.sqrt(dot(r, r))
            if not size > target:
                return x if size <= target else None
            V[0] = r / size
            H, h, k, left = np.zeros((RESTART + 1, RESTART)), np.zeros(RESTART + 1), 0, size
            while k < RESTART and left > target:
                as_single(V[k], 1.0, single)
                Z[k] = self._hierarchy.cycle(single)
                self._times(self._unit * Z[k].astype(np.float64).ravel(), V[k + 1])
                orthogonalise(V, k, h)
                H[: k + 2, k] = h[: k + 2]
                k += 1
                y, left = _least_squares(H[: k + 1, :k], size)
                self.iterations += 1
            if not np.isfinite(y).all():
                return None
            add_directions(y, self._unit, Z, x)
            self._times(x, r)
            r = b - r
        return None

    def _times(self, x: Vector, y: Vector) -> None:
        p, fine, b = self.pattern, self._fine, self._block
        assert fine is not None
        if b == 3:
            each_domain(self._domains, lambda low, high: block_product_3(
                p.indptr, self._values, fine.ptr, fine.col, x, low, high, y
            ))  # fmt: skip
        else:
            each_domain(self._domains, lambda low, high: block_product(
                p.indptr, self._values, fine.ptr, fine.col, b, x, low, high, y
            ))  # fmt: skip

    @property
    def used(self) -> str:
        """The name of the solver that gave the last solution; empty if there was none."""
        return super().used if self._direct is None else f"{self._direct.used}, for amg did not get on"

    @property
    def memory(self) -> int:
        """Bytes of the coarser systems and of the matrix in single precision."""
        return 0 if self._hierarchy is None else self._hierarchy.memory

    def reset(self) -> None:
        super().reset()
        self._hierarchy = None

    def _factor(self, values: Vector) -> bool:
        raise TypeError("MultigridSolver factorises nothing")

    def _solve(self, rhs: Vector) -> Vector:
        raise TypeError("MultigridSolver factorises nothing")

    def _compare(self, fine: Blocks) -> float:
        """How much the matrix differs from its transpose, at some of its rows."""
        every, p = max(1, fine.nodes // SAMPLE), self.pattern
        return float(asymmetry(p.indptr, self._values, fine.ptr, fine.col, self._block, every))

    def _refresh(self, fine: Blocks) -> None:
        """The finest system always has the present matrix; coarser ones are made anew when they are worn."""
        self._unit = 1.0 / float(self._values[self._diagonal].max())
        indptr = self.pattern.indptr
        each_domain(self._domains, lambda low, high: take_blocks(
            indptr, self._values, self._unit, low, high, fine.ptr, fine.val
        ))  # fmt: skip
        if self._hierarchy is None or self._last > WORN * self._first + 5:
            modes = self._modes().reshape(fine.nodes, self._block, -1).astype(np.float32)
            self._hierarchy = Hierarchy(fine, modes, self._domains)
            self._first = self._last = 0
        else:
            self._hierarchy.levels[0].set_up()

    def _give_up(self) -> None:
        """From here on the direct solver."""
        self._direct, self._hierarchy = self._make_direct().told(self), None
        self._direct.factor(self._values)


def _least_squares(H: Vector, size: float) -> tuple[Vector, float]:
    """y that makes |size e₁ − H y| least, and what is left."""
    first = np.zeros(len(H))
    first[0] = size
    y: Vector = np.asarray(np.linalg.lstsq(H, first, rcond=None)[0], dtype=np.float64)
    return y, float(np.linalg.norm(first - H @ y))
