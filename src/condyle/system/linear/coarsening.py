"""Coarser and coarser systems for multigrid: smoothed aggregation with rigid motions (vanek-1996), on blocks of nodes.

Nodes that touch each other are put together into aggregates. Each aggregate is a node of the coarser system, whose unknowns
are the amplitudes of the rigid motions (or of what they became on coarser systems). With T, the rigid motions of the
aggregates as orthonormal columns, the coarse unknowns y move the fine ones by

    x = P y,    P = (1 − ω D⁻¹ A) T,    ω = 4 / (3 λ),    λ the largest eigenvalue of D⁻¹ A,

D being the diagonal blocks of A, and the coarse matrix is Pᵀ A P.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from condyle.laws.kernel import kernel
from condyle.system.linear.lines import (
    add_block,
    add_columns,
    line_at,
    no_line,
    no_lines,
    prefetch,
    put_line,
    totals,
    with_room,
)

__all__ = ["Blocks", "Coarsening", "aggregate", "coarsen", "galerkin", "inverse_blocks"]

Single = NDArray[np.float32]
Whole = NDArray[np.int32]

MANY = 40_000  # blocks of P from which a second thread pays
AHEAD = 1_152  # numbers ahead of their use that blocks are asked for
POWER = 12  # steps of power iteration for λ
RANK = 1e-4  # a rigid motion of an aggregate that is this near to a sum of the others is left out


@dataclass
class Blocks:
    """A sparse matrix of b × b blocks: row i holds the blocks ptr[i]:ptr[i+1], in the columns col (sorted), val (m, b, b)."""

    ptr: Whole
    col: Whole
    val: Single

    @property
    def nodes(self) -> int:
        """Number of block rows."""
        return len(self.ptr) - 1

    @property
    def size(self) -> int:
        """Unknowns of a node."""
        return int(self.val.shape[1])


@dataclass
class Coarsening:
    """The way P from a coarser system (blocks b × c in the columns `col`) and the motions on that system, (nodes, c, c)."""

    ptr: Whole
    col: Whole
    val: Single
    modes: Single
    domains: list[tuple[int, int]]
    """Ranges of coarse nodes that are summed at once."""

    def __post_init__(self) -> None:
        nodes, count = len(self.ptr) - 1, len(self.modes)
        self.shape = ((0,) * self.val.shape[1], (0,) * self.val.shape[2])
        columns = csr_matrix(
            (np.arange(len(self.col), dtype=np.int32), self.col, self.ptr), shape=(nodes, count)
        ).tocsc()
        self.start, self.row = columns.indptr, columns.indices
        self.by_column = with_room(self.val.shape, np.float32)
        """The blocks once more by coarse nodes: those of coarse node g are start[g] to start[g + 1], in the rows `row`."""
        np.take(self.val, columns.data, axis=0, out=self.by_column)


def coarsen(A: Blocks, modes: Single) -> Coarsening:
    """A coarser system for A whose unknowns are amplitudes of the modes, shape (nodes, b, c)."""
    group, count = aggregate(A.ptr, A.col)
    tentative = with_room(modes.shape, np.float32)
    coarse_modes = _tentative(group, count, modes, tentative)
    inverse = inverse_blocks(A.ptr, A.col, A.val)
    square = ((0,) * A.size, (0,) * A.size)
    omega = np.float32(4.0 / 3.0 / max(_largest_eigenvalue(square, A.ptr, A.col, A.val, inverse, POWER), 1e-6))
    touched = csr_matrix((np.ones(len(A.col), dtype=np.int8), A.col, A.ptr), shape=(A.nodes, A.nodes))
    members = csr_matrix(
        (np.ones(A.nodes, dtype=np.int8), group, np.arange(A.nodes + 1, dtype=np.int32)), shape=(A.nodes, count)
    )
    ptr, col = _sorted_pattern(touched @ members)
    val = with_room((len(col), A.size, modes.shape[2]), np.float32)
    shape = (square[0], (0,) * modes.shape[2])
    _smooth(shape, A.ptr, A.col, A.val, inverse, group, tentative, omega, ptr, col, val, count)
    halves = [(0, count)] if len(col) < MANY else [(0, count // 2), (count // 2, count)]
    return Coarsening(ptr, col, val, coarse_modes, halves)


def galerkin(A: Blocks, P: Coarsening) -> Blocks:
    """The coarse matrix Pᵀ A P."""
    count = len(P.modes)
    fine = csr_matrix((np.ones(len(A.col), dtype=np.int32), A.col, A.ptr), shape=(A.nodes, A.nodes))
    way = csr_matrix((np.ones(len(P.col), dtype=np.int32), P.col, P.ptr), shape=(A.nodes, count))
    ptr, col = _sorted_pattern(way.T @ (fine @ way))
    c = P.val.shape[2]
    val = with_room((len(col), c, c), np.float32)
    _triple_product(P.shape, A.ptr, A.col, A.val, P.ptr, P.col, P.val, ptr, col, val)
    _hold_idle(ptr, col, val)
    return Blocks(ptr, col, val)


def _sorted_pattern(matrix) -> tuple[Whole, Whole]:
    whole = matrix.tocsr()
    whole.sort_indices()
    return whole.indptr.astype(np.int32), whole.indices.astype(np.int32)


@kernel
def aggregate(ptr, col):
    """Put nodes together with their neighbours: the aggregate of each node, and how many there are.

    First each node all of whose neighbours are free takes them; then a node that is left joins the aggregate of a neighbour;
    what is still left takes the free ones among its neighbours.
    """
    n = ptr.size - 1
    group = np.full(n, -1, np.int32)
    count = np.int32(0)
    for i in range(n):
        free = group[i] < 0
        for k in range(ptr[i], ptr[i + 1]):
            free = free and group[col[k]] < 0
        if free:
            for k in range(ptr[i], ptr[i + 1]):
                group[col[k]] = count
            count += 1
    first = group.copy()
    for i in range(n):
        if group[i] < 0:
            for k in range(ptr[i], ptr[i + 1]):
                if first[col[k]] >= 0:
                    group[i] = first[col[k]]
                    break
    for i in range(n):
        if group[i] < 0:
            for k in range(ptr[i], ptr[i + 1]):
                if group[col[k]] < 0:
                    group[col[k]] = count
            group[i] = count
            count += 1
    return group, count


@kernel
def _tentative(group, count, modes, out):
    """Orthonormal motions of each aggregate by Gram–Schmidt, out (nodes, b, c); the modes in terms of them, (count, c, c).

    A motion that depends on those before it (an aggregate of one or two nodes) gets a column of zeros.
    """
    n, b, c = modes.shape
    T = modes.astype(np.float64)
    R = np.zeros((count, c, c))
    first = np.zeros(count + 1, np.int64)
    for i in range(n):
        first[group[i] + 1] += 1
    for g in range(count):
        first[g + 1] += first[g]
    member, place = np.zeros(n, np.int64), first[:-1].copy()
    for i in range(n):
        member[place[group[i]]] = i
        place[group[i]] += 1
    for g in range(count):
        own = member[first[g] : first[g + 1]]
        for q in range(c):
            length = 0.0
            for i in own:
                for a in range(b):
                    length += T[i, a, q] ** 2
            for _ in range(2):  # twice is enough for orthogonality to rounding
                for p in range(q):
                    dot = 0.0
                    for i in own:
                        for a in range(b):
                            dot += T[i, a, p] * T[i, a, q]
                    R[g, p, q] += dot
                    for i in own:
                        for a in range(b):
                            T[i, a, q] -= dot * T[i, a, p]
            rest = 0.0
            for i in own:
                for a in range(b):
                    rest += T[i, a, q] ** 2
            keep = rest > RANK**2 * length and rest > 0.0
            R[g, q, q] = np.sqrt(rest) if keep else 0.0
            for i in own:
                for a in range(b):
                    T[i, a, q] = T[i, a, q] / R[g, q, q] if keep else 0.0
    out[:] = T
    return R.astype(np.float32)


@kernel
def inverse_blocks(ptr, col, val):
    """The inverse of each diagonal block, shape (nodes, b, b); by Gauss–Jordan, in double precision."""
    n, b = ptr.size - 1, val.shape[1]
    inverse = np.zeros((n, b, b), np.float32)
    work = np.zeros((b, 2 * b))
    for i in range(n):
        for k in range(ptr[i], ptr[i + 1]):
            if col[k] == i:
                invert(val[k], work)
                for p in range(b):
                    for q in range(b):
                        inverse[i, p, q] = work[p, b + q]
    return inverse


@kernel
def invert(block, work):
    """The inverse of a positive definite block, in the right half of work, shape (b, 2 b)."""
    b = block.shape[0]
    for p in range(b):
        for q in range(b):
            work[p, q] = block[p, q]
            work[p, b + q] = 1.0 if p == q else 0.0
    for p in range(b):
        pivot = work[p, p]
        scale = 1.0 / pivot if pivot != 0.0 else 0.0
        for q in range(2 * b):
            work[p, q] *= scale
        for r in range(b):
            if r != p:
                factor = work[r, p]
                for q in range(2 * b):
                    work[r, q] -= factor * work[p, q]


@kernel
def _largest_eigenvalue(shape, ptr, col, val, inverse, steps):
    """λ of D⁻¹ A by power iteration from a start that is no eigenvector, with a tenth added for what is still missing."""
    n, b = ptr.size - 1, len(shape[0])
    x, y, t = np.zeros((n, b), np.float32), np.zeros((n, b), np.float32), np.zeros(b, np.float32)
    seed = np.uint64(12345)
    for i in range(n):
        for a in range(b):
            seed = seed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            x[i, a] = np.float64(seed >> np.uint64(11)) / 2.0**53 - 0.5
    eigenvalue = 1.0
    for _ in range(steps):
        top = 0.0
        for i in range(n):
            lines = no_lines(shape, val)
            for k in range(ptr[i], ptr[i + 1]):
                prefetch(val, b * b * k + AHEAD)
                lines = add_block(lines, val, b * b * k, b, x, b * col[k])
            put_line(t, 0, totals(lines))
            for p in range(b):
                s = np.float32(0.0)
                for q in range(b):
                    s += inverse[i, p, q] * t[q]
                y[i, p] = s
                top += np.float64(s) ** 2
        eigenvalue = np.sqrt(top)
        if not eigenvalue > 0.0:
            return 1.0
        for i in range(n):
            for p in range(b):
                x[i, p] = y[i, p] / eigenvalue
    return 1.1 * eigenvalue


@kernel
def _smooth(shape, ptr, col, val, inverse, group, T, omega, pptr, pcol, pval, count):
    """P = T − ω D⁻¹ A T, in the pattern that was found for it."""
    n, b, c = ptr.size - 1, len(shape[0]), len(shape[1])
    place = np.full(count, -1, np.int64)
    scaled, block = np.zeros((b, b), np.float32), np.zeros(b * c + 8, np.float32)
    for i in range(n):
        for k in range(pptr[i], pptr[i + 1]):
            place[pcol[k]] = k
        for k in range(ptr[i], ptr[i + 1]):
            _add_product(shape, val, b * b * k, T, b * c * col[k], pval, b * c * place[group[col[k]]])
        for p in range(b):
            for q in range(b):
                scaled[p, q] = -omega * inverse[i, p, q]
        for k in range(pptr[i], pptr[i + 1]):
            for p in range(b):
                put_line(block, c * p, line_at(shape[1], pval, c * (b * k + p)))
                put_line(pval, c * (b * k + p), no_line(shape[1], pval))
                if pcol[k] == group[i]:
                    put_line(pval, c * (b * k + p), line_at(shape[1], T, c * (b * i + p)))
            _add_product(shape, scaled, 0, block, 0, pval, b * c * k)


@kernel
def _add_product(shape, left, i, right, j, out, k):
    """Add to the b × c block from place k on the product of a b × b block from i on and a b × c block from j on."""
    b, c = len(shape[0]), len(shape[1])
    for p in range(b):
        line = add_columns(line_at(shape[1], out, k + c * p), line_at(shape[0], left, i + b * p), right, j)
        put_line(out, k + c * p, line)


@kernel
def _triple_product(shape, ptr, col, val, pptr, pcol, pval, cptr, ccol, cval):
    """Pᵀ A P, row by row of A: first (A P)_i in a work array, then Pᵀ_i (A P)_i into the places of the coarse matrix."""
    n, b, c = ptr.size - 1, len(shape[0]), len(shape[1])
    coarse = cptr.size - 1
    widest = 0
    for g in range(coarse):
        widest = max(widest, cptr[g + 1] - cptr[g])
    number, member = np.full(coarse, -1, np.int64), np.zeros(widest, np.int64)
    row = np.zeros(widest * b * c + 8, np.float32)
    across = np.zeros((c, b), np.float32)
    place = np.full(coarse, -1, np.int64)
    for i in range(n):
        count = 0
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            prefetch(val, b * b * k + AHEAD)
            for m in range(pptr[j], pptr[j + 1]):
                g = pcol[m]
                at = number[g]
                if at < 0:
                    at = number[g] = count
                    member[count] = g
                    for p in range(b):
                        put_line(row, c * (b * at + p), no_line(shape[1], row))
                    count += 1
                _add_product(shape, val, b * b * k, pval, b * c * m, row, b * c * at)
        for m in range(pptr[i], pptr[i + 1]):
            g = pcol[m]
            for k in range(cptr[g], cptr[g + 1]):
                place[ccol[k]] = k
            for q in range(c):
                for p in range(b):
                    across[q, p] = pval[m, p, q]
            for at in range(count):
                first = c * c * place[member[at]]
                for q in range(c):
                    line = line_at(shape[1], cval, first + c * q)
                    line = add_columns(line, line_at(shape[0], across, b * q), row, b * c * at)
                    put_line(cval, first + c * q, line)
        for at in range(count):
            number[member[at]] = -1


@kernel
def _hold_idle(ptr, col, val):
    """A coarse unknown that moves nothing has no stiffness: it gets one, so that it stays where it is."""
    b = val.shape[1]
    for i in range(ptr.size - 1):
        for k in range(ptr[i], ptr[i + 1]):
            if col[k] == i:
                top = 0.0
                for p in range(b):
                    top = max(top, val[k, p, p])
                for p in range(b):
                    if not val[k, p, p] > 1e-12 * top:
                        val[k, p, p] = top if top > 0.0 else 1.0
