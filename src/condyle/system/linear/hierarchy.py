"""A hierarchy of coarser systems, and the cycle through it that is nearly the inverse of a matrix.

A cycle smooths the error on a system by Gauss–Seidel forward, hands the residual to the coarser system, adds what comes back
and smooths backward, so that it is symmetric. It works in single precision: it only has to be nearly the inverse.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.system.assembly.threads import threads
from condyle.system.linear.coarsening import Blocks, Coarsening, Single, coarsen, galerkin
from condyle.system.linear.lines import with_room
from condyle.system.linear.smoothing import backward, forward, full_product, prolong, residual, restrict, set_up

__all__ = ["Hierarchy", "each_domain", "in_shares", "split"]

Domains = list[tuple[int, int]]

COARSEST = 600  # unknowns that are solved for with a full matrix
MOST_FULL = 3_000  # the same where coarsening gets no further
MOST_LEVELS = 12
SINGULAR = 1e-7  # smallest stiffness of the coarsest system, relative to its largest
DOMAIN, MOST_DOMAINS = 150_000, 4  # blocks from which a further domain pays; domains at most
MANY = 1_000_000  # numbers from which two threads pass over them


class Level:
    """One system of a hierarchy with what Gauss–Seidel needs; `way` leads to the coarser one."""

    def __init__(self, A: Blocks, domains: Domains) -> None:
        n, b = A.nodes, A.size
        self.A, self.domains = A, domains
        self.shape = ((0,) * b, (0,) * b)
        self.diagonal = np.zeros(n, dtype=np.int32)
        self.extra = np.zeros((n, b), dtype=np.float32)
        self.columns = with_room((n, b, b), np.float32)
        """Of the inverse of each diagonal block."""
        self.x, self.r, self.old = (np.zeros((n, b), dtype=np.float32) for _ in range(3))
        self.way: Coarsening | None = None
        self.set_up()

    def set_up(self) -> None:
        """Diagonal blocks, after the entries of the matrix have changed."""
        A = self.A
        each_domain(self.domains, lambda low, high: set_up(
            A.ptr, A.col, A.val, low, high, self.diagonal, self.extra, self.columns
        ))  # fmt: skip

    def down(self, rhs: Single) -> Single:
        """Smooth from zero; the residual that is left."""
        A = self.A
        each_domain(self.domains, lambda low, high: forward(
            self.shape, A.ptr, A.col, A.val, self.columns, self.diagonal, rhs, low, high, self.x
        ))  # fmt: skip
        each_domain(self.domains, lambda low, high: residual(
            self.shape, A.ptr, A.col, A.val, self.diagonal, self.extra, self.x, low, high, self.r
        ))  # fmt: skip
        return self.r

    def up(self, rhs: Single, coarse: Single) -> Single:
        """Add what the coarser system says and smooth again."""
        A, P = self.A, self.way
        assert P is not None
        each_domain(self.domains, lambda low, high: prolong(
            P.shape, P.ptr, P.col, P.val, coarse, low, high, self.x, self.old
        ))  # fmt: skip
        each_domain(self.domains, lambda low, high: backward(
            self.shape, A.ptr, A.col, A.val, self.columns, rhs, self.old, low, high, self.x
        ))  # fmt: skip
        return self.x


class Hierarchy:
    """Coarser systems for a matrix whose modes, shape (nodes, b, c), cost no energy where nothing is held."""

    def __init__(self, A: Blocks, modes: Single, domains: Domains) -> None:
        self.levels = [Level(A, domains)]
        while A.nodes * A.size > COARSEST and len(self.levels) < MOST_LEVELS:
            P = coarsen(A, modes)
            if len(P.modes) * P.modes.shape[1] > 0.8 * A.nodes * A.size:
                break  # nothing touches anything: coarser systems would not be smaller
            self.levels[-1].way = P
            A, modes = galerkin(A, P), P.modes
            self.levels.append(Level(A, split(A)))
        self.is_complete = A.nodes * A.size <= MOST_FULL
        """Is there a coarsest system? Many separate bodies cannot be coarsened, and are left to another solver."""
        inverse = _inverse(_full(A)) if self.is_complete else np.zeros((0, 0))
        self.inverse = inverse.astype(np.float32)
        self._coarsest_is_definite = _is_definite(inverse)

    def cycle(self, rhs: Single) -> Single:
        """Nearly the solution for rhs, shape (nodes, b). The array belongs to the hierarchy."""
        return self._cycle(0, rhs)

    def _cycle(self, k: int, rhs: Single) -> Single:
        level = self.levels[k]
        if level.way is None:
            full_product(self.inverse, rhs, level.x)
            return level.x
        r, P = level.down(rhs), level.way
        coarse = np.empty((len(P.modes), P.val.shape[2]), dtype=np.float32)
        each_domain(P.domains, lambda low, high: restrict(
            P.shape, P.start, P.row, P.by_column, r, low, high, coarse
        ))  # fmt: skip
        return level.up(rhs, self._cycle(k + 1, coarse))

    @property
    def is_definite(self) -> bool:
        """Is a cycle a symmetric positive definite matrix M, whatever the matrix of the finest system is?

        With N = (D + L)⁻¹ going forward, D and L of one system and B the cycle of the next coarser one,

            M = Nᵀ D N + (1 − Nᵀ A) P B Pᵀ (1 − A N),

        which is so if D is and B is. (Entries E between domains are in A, and Σ|E| is added to D in N alone: between Nᵀ and N
        then stands D + 2 Σ|E| − E, which is positive definite if D is.)
        """
        smoothed = self.levels[:-1]
        return self._coarsest_is_definite and all(_is_definite(level.A.val[level.diagonal]) for level in smoothed)

    @property
    def memory(self) -> int:
        """Bytes of all matrices."""
        return sum(
            level.A.val.nbytes + level.A.col.nbytes + (level.way.val.nbytes if level.way else 0)
            for level in self.levels
        )


def _is_definite(matrices: NDArray[Any]) -> bool:
    """Are symmetric matrices, shape (..., n, n), positive definite?"""
    given = matrices.astype(np.float64)
    try:
        np.linalg.cholesky(0.5 * (given + np.swapaxes(given, -1, -2)))
    except np.linalg.LinAlgError:
        return False
    return True


def _inverse(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of a matrix; one that is singular (a mesh that nothing holds) gets a little stiffness where it has none."""
    with contextlib.suppress(np.linalg.LinAlgError):
        inverse: NDArray[np.float64] = np.linalg.inv(A)
        if np.linalg.norm(inverse) * np.linalg.norm(A) < 1.0 / SINGULAR:
            return inverse
    left, sizes, right = np.linalg.svd(A)
    held: NDArray[np.float64] = (right.T / np.maximum(sizes, SINGULAR * sizes[0])) @ left.T
    return held


def _full(A: Blocks) -> NDArray[np.float64]:
    n, b = A.nodes, A.size
    full = np.zeros((n, b, n, b))
    rows = np.repeat(np.arange(n), np.diff(A.ptr))
    full[rows, :, A.col, :] = A.val
    return full.reshape(n * b, n * b)


def split(A: Blocks) -> Domains:
    """Ranges of rows with about as many blocks each; how many follows from the matrix alone."""
    count = int(min(MOST_DOMAINS, max(1, len(A.col) // DOMAIN)))
    bounds = np.searchsorted(A.ptr, np.linspace(0, len(A.col), count + 1)[1:-1])
    edges = [0, *(int(edge) for edge in bounds), A.nodes]
    return list(itertools.pairwise(edges))


def in_shares(count: int) -> Domains:
    """Two halves of so many numbers where a second thread pays, else all of them."""
    return [(0, count)] if count < MANY else [(0, count // 2), (count // 2, count)]


def each_domain(domains: Domains, do: Callable[[int, int], None]) -> None:
    """Call do(low, high) for all domains, in threads where there are several."""
    if len(domains) == 1 or threads() == 1:
        for domain in domains:
            do(*domain)
        return
    waiting = [_pool(threads()).submit(do, *domain) for domain in domains]
    for done in waiting:
        done.result()


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="multigrid")
