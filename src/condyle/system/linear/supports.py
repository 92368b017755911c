"""Supports taken out of the equations before they are solved: rollers, planes of symmetry, pinned nodes.

A constraint on a single node, G du = c with a gradient that touches only the d unknowns of that node, says what the node
does along its directions. In axes R of the node some of which span the gradients, these unknowns are known, and the equations

    | A  B | | du |   | b |
    | G  0 | | λ  | = | c |,    du = R u,    u = (u_held, u_free),    G R u = G_held u_held = c

leave Rᵀ A R on the free ones: without multipliers, symmetric and positive definite where A is, so that multigrid serves it. The
reactions follow from the equations that were left out, B_held λ = (Rᵀ (b − A du))_held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from condyle.system.linear.solver import LinearSolver, Vector
from condyle.system.pattern import Pattern

__all__ = ["SupportSolver", "supported_nodes"]

Whole = NDArray[np.int64]

PARALLEL = 1e-12  # directions that differ by less than this are the same


def supported_nodes(pattern: Pattern, motion: int, block: int) -> Whole | None:
    """The node (first unknown) that each multiplier holds, if every one holds a single node; else None.

    motion: number of unknowns of motion, `block` per node; multipliers follow.
    """
    nodes = np.zeros(pattern.n - motion, dtype=np.int64)
    for i in range(motion, pattern.n):
        columns = pattern.indices[pattern.indptr[i] : pattern.indptr[i + 1]]
        own = np.unique(columns[columns < motion] // block)
        if own.size != 1 or (columns[columns >= motion] != i).any():
            return None
        nodes[i - motion] = own[0] * block
    if np.unique(nodes, return_counts=True)[1].max(initial=0) > block:
        return None
    return nodes


class SupportSolver(LinearSolver):
    """Solves without the multipliers of supports; the equations of motion go to another solver.

    nodes: from `supported_nodes`; make(pattern, modes) makes the solver of the equations of motion, and whole() that of all
    equations, which takes over where directions depend on each other or the two sides of the matrix do not fit.
    modes: rigid motions of the nodes, shape (motion, 3 or 6).
    """

    def __init__(
        self,
        pattern: Pattern,
        nodes: Whole,
        block: int,
        modes: Callable[[], Vector],
        make: Callable[[Pattern, Callable[[], Vector]], LinearSolver],
        whole: Callable[[], LinearSolver],
    ) -> None:
        super().__init__(pattern)
        self._block, self._modes, self._whole = block, modes, whole
        self._motion = pattern.n - len(nodes)
        self._layout(nodes)
        self.inner = make(self._reduced, self._free_modes)
        self._all: LinearSolver | None = None
        self._gradients = np.zeros((0, block))
        self._values = np.zeros(0)
        self._matrix: Any = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the solver that solves what is left."""
        return (self._all or self.inner).name

    @property
    def used(self) -> str:
        """The name of the solver behind it, if that has factors."""
        return (self._all or self.inner).used

    # --- where things stand ---------------------------------------------------------------------------------------------

    def _layout(self, nodes: Whole) -> None:
        p, n, d = self.pattern, self._motion, self._block
        row = p.rows()
        kept = (row < n) & (p.indices < n)
        self._kept = np.flatnonzero(kept)
        indptr = np.concatenate(([0], np.cumsum(np.bincount(row[kept], minlength=n))))
        self._reduced = Pattern(n, indptr.astype(p.indptr.dtype), p.indices[kept])
        self._nodes, self._of = np.unique(nodes, return_inverse=True)
        number = np.full(n, -1, dtype=np.int64)  # of the supported node that an unknown belongs to
        number[(self._nodes[:, None] + np.arange(d)).ravel()] = np.repeat(np.arange(len(self._nodes)), d)
        self._number = number
        # Entries of lines and columns of multipliers, in the order (multiplier, direction).
        places = csr_matrix((np.arange(1, p.nnz + 1), p.indices, p.indptr), shape=(p.n, p.n))
        own = nodes[:, None] + np.arange(d)
        multiplier = np.broadcast_to((n + np.arange(len(nodes)))[:, None], own.shape)
        self._lines = np.asarray(places[multiplier.ravel(), own.ravel()]).reshape(own.shape) - 1
        self._columns = np.asarray(places[own.ravel(), multiplier.ravel()]).reshape(own.shape) - 1
        # Entries of the reduced matrix that turn together: d rows of a node in one column, d columns of a node in one row.
        r, c = self._reduced.rows(), self._reduced.indices
        first = np.flatnonzero((number[r] >= 0) & (r % d == 0))
        length = np.diff(self._reduced.indptr)[r[first]]
        self._turn_rows = first[:, None] + length[:, None] * np.arange(d), number[r[first]]
        first = np.flatnonzero((number[c] >= 0) & (c % d == 0))
        self._turn_columns = first[:, None] + np.arange(d), number[c[first]]

    def _axes(self, G: Vector) -> bool:
        """Axes of each supported node, which of them are held, and by which multipliers. False if they are not independent."""
        d, count = self._block, len(self._nodes)
        self._R = np.tile(np.eye(d), (count, 1, 1))
        held = np.zeros((count, d), dtype=bool)
        self._groups: dict[int, list[tuple[int, Whole, Whole]]] = {}
        order = np.argsort(self._of, kind="stable")
        bounds = np.searchsorted(self._of[order], np.arange(count + 1))
        for k in range(count):
            mine = order[bounds[k] : bounds[k + 1]]
            own = G[mine]
            single = (np.abs(own) > PARALLEL * np.abs(own).max(axis=1, keepdims=True)).sum(axis=1) == 1
            axes = np.abs(own).argmax(axis=1)
            if not single.all():
                self._R[k], upper = np.linalg.qr(own.T, mode="complete")
                axes = np.arange(len(mine))
                if (np.abs(np.diag(upper)) <= 1e-9 * np.abs(own).max()).any():
                    return False
            if len(set(axes.tolist())) < len(mine):
                return False
            held[k, axes] = True
            self._groups.setdefault(len(mine), []).append((k, mine, np.sort(axes)))
        self._held = np.zeros(self._motion, dtype=bool)
        self._held[(self._nodes[:, None] + np.arange(d)).ravel()] = held.ravel()
        self._turned = bool((np.eye(d) != self._R).any())
        r, c = self._reduced.rows(), self._reduced.indices
        self._out = np.flatnonzero((self._held[r] | self._held[c]) & (r != c))
        self._known = np.flatnonzero(self._held[r] & (r == c))
        # Small square systems, of as many multipliers as a node has: nodes, multipliers, unknowns.
        self._squares = [
            (np.array([k for k, _, _ in group]), np.array([m for _, m, _ in group]),
             np.array([self._nodes[k] + a for k, _, a in group]), np.array([a for _, _, a in group]))
            for group in self._groups.values()
        ]  # fmt: skip
        return True

    def _free_modes(self) -> Vector:
        """Rigid motions in the axes of the nodes, zero where they are held."""
        modes = np.array(self._modes()[: self._motion])
        self._turn(modes)
        modes[self._held] = 0.0
        return modes

    def _turn(self, u: Vector, back: bool = False) -> None:
        """u = Rᵀ u of all supported nodes, or R u; shape (motion,) or (motion, k)."""
        if self._turned:
            at = self._nodes[:, None] + np.arange(self._block)
            u[at] = np.einsum("kij,kj...->ki..." if back else "kji,kj...->ki...", self._R, u[at])

    # --- solving ----------------------------------------------------------------------------------------------------------

    def factor(self, values: object) -> None:
        entries = np.asarray(values, dtype=np.float64)
        self._factored = False
        G, B = entries[self._lines], entries[self._columns]
        if self._all is None and not np.array_equal(G, self._gradients):
            self._gradients = G.copy()
            if not np.isfinite(G).all() or not self._axes(G):
                self._all = self._whole().told(self)
        if self._all is None:
            turned = np.einsum("mji,mj->mi", self._R[self._of], B)
            free = ~self._held[self._nodes[self._of][:, None] + np.arange(self._block)]
            if np.abs(turned[free]).max(initial=0.0) > 1e-9 * np.abs(B).max():
                self._all = self._whole().told(self)
        if self._all is not None:
            self._all.factor(entries)
            self._factored = True
            return
        A = entries[self._kept]
        if self._turned:
            for places, number in (self._turn_rows, self._turn_columns):
                A[places] = np.einsum("kji,kj->ki", self._R[number], A[places])
        p = self._reduced
        self._matrix = csr_matrix((A.copy(), p.indices, p.indptr), shape=(p.n, p.n))
        self._lead = np.einsum("mji,mj->mi", self._R[self._of], G)  # gradients in the axes of the nodes
        self._pull = turned
        A[self._out] = 0.0
        A[self._known] = np.where(A[self._known] > 0.0, A[self._known], 1.0)
        self.inner.factor(A)
        self._factored = True

    def solve(self, rhs: Any) -> Vector:
        return self._by_columns(rhs, self._all, self._solve_one)

    def _solve_one(self, b: Vector) -> Vector:
        n = self._motion
        force = b[:n].copy()
        self._turn(force)
        u = np.zeros(n)
        for _, multipliers, unknowns, axes in self._squares:
            lead = np.take_along_axis(self._lead[multipliers], axes[:, None, :], axis=2)
            u[unknowns] = np.linalg.solve(lead, b[n + multipliers][..., None])[..., 0]
        right = force - self._matrix @ u
        right[self._held] = 0.0
        change = self.inner.solve(right)
        change[self._held] = 0.0
        u += change
        left = force - self._matrix @ u
        reactions = np.zeros(len(self._of))
        for _, multipliers, unknowns, axes in self._squares:
            pull = np.take_along_axis(self._pull[multipliers], axes[:, None, :], axis=2)
            reactions[multipliers] = np.linalg.solve(np.swapaxes(pull, 1, 2), left[unknowns][..., None])[..., 0]
        self._turn(u, back=True)
        return np.concatenate((u, reactions))

    @property
    def can_find_it_stable(self) -> bool:
        return (self._all or self.inner).can_find_it_stable

    def finds_it_stable(self) -> bool:
        return (self._all or self.inner).finds_it_stable()

    def reset(self) -> None:
        super().reset()
        (self._all or self.inner).reset()

    def _factor(self, values: Vector) -> bool:
        raise TypeError("SupportSolver factorises nothing itself")

    def _solve(self, rhs: Vector) -> Vector:
        raise TypeError("SupportSolver factorises nothing itself")
