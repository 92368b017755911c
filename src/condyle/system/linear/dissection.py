"""Nested dissection: an order of elimination for the matrices of meshes, as a tree of separators (George 1973).

A separator cuts a mesh into two halves that know nothing of each other; it is eliminated after both, and each half is cut
again. Of a mesh in space the factors have n^(4/3) entries so and take n² operations.
Meshes are cut across their longest extension. Only the pattern of a matrix is known here, so that places are made of it: the
distances from a few vertices that are far from each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_bipartite_matching

from condyle.system.pattern import Pattern

__all__ = ["Tree", "dissect"]

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEAF = 100  # unknowns that are eliminated together, without a further cut
LANDMARKS = 16  # vertices that distances are taken from
LONG = 8.0  # rows this much longer than the mean belong to no place
AXES = 3  # directions in which a cut is tried
WIDE = 0.5  # a separator that takes this much of what it cuts is none


@dataclass
class Tree:
    """Groups of unknowns in the order of elimination, children before their parents; parent of the last one is −1."""

    own: list[Index]
    parent: list[int]


def dissect(pattern: Pattern, multiplier: Mask, soft: Mask) -> Tree:
    """A tree of separators for a symmetric pattern.

    multiplier: unknowns, shape (n,), that have a pivot only after what they hold; they follow the last of it. soft: motions
    that joints alone hold; they come last of all, and so do multipliers that hold nothing else.
    """
    vertex, graph = _vertices(pattern)
    count = graph.shape[0]
    weak, late = (np.bincount(vertex, weights=mask, minlength=count) > 0 for mask in (multiplier, soft))
    degree = np.diff(graph.indptr)
    placed = np.flatnonzero(~weak & ~late & (degree <= LONG * degree.mean()))
    following = np.flatnonzero(weak & ~late)
    held = graph[following][:, placed].tocsr()
    # All that one multiplier holds is to stand on one way to the root: as if it were connected already.
    connected = (graph[placed][:, placed] + held.T @ held).tocsr()
    group, parent = _cut(connected, np.bincount(vertex, minlength=count)[placed])
    where = np.full(count, len(parent) - 1)
    where[placed] = group
    some = np.flatnonzero(np.diff(held.indptr))
    where[following[some]] = np.maximum.reduceat(group[held.indices], held.indptr[some]) if some.size else 0
    of = where[vertex]
    order = np.argsort(of, kind="stable")
    bounds = np.searchsorted(of[order], np.arange(len(parent) + 1))
    return Tree([order[a:b] for a, b in pairwise(bounds)], parent)


def _vertices(pattern: Pattern) -> tuple[Index, Any]:
    """The vertex of each unknown, and the graph of vertices: unknowns that touch the same ones are one, as those of a node."""
    n, row = pattern.n, pattern.rows()
    sign = np.random.default_rng(0).integers(1, 2**62, n).astype(np.uint64)
    sums = np.zeros(n, dtype=np.uint64)
    np.add.at(sums, row, sign[pattern.indices])  # the sum tells sets apart
    _, first, vertex = np.unique(sums, return_index=True, return_inverse=True)
    of = np.argsort(np.argsort(first))[vertex]  # numbered as the unknowns are
    pairs = np.unique(of[row] * np.int64(len(first)) + of[pattern.indices])
    entries = (np.ones(len(pairs), dtype=np.int32), (pairs // len(first), pairs % len(first)))
    return of, coo_array(entries, shape=(len(first), len(first))).tocsr()


def _cut(graph: Any, weight: Index) -> tuple[Index, list[int]]:
    """Number of the group of each vertex, children before parents, and the parent of each group; the last is the root."""
    count = graph.shape[0]
    group = np.zeros(count, dtype=np.int64)
    parent: list[int] = []
    place = _places(graph)

    def number(part: Index) -> int:
        """Number all groups of a part of the graph; returns that of its last one."""
        halves: list[int] = []
        own = part
        if weight[part].sum() > LEAF and part.size > 1:
            own, *rest = _separate(graph, part, place[part])
            halves = [number(half) for half in rest if half.size] if own.size < WIDE * part.size else []
            own = own if halves else part
        me = len(parent)
        parent.append(-1)
        for half in halves:
            parent[half] = me
        group[own] = me
        return me

    number(np.arange(count))
    return group, parent


def _places(graph: Any) -> NDArray[np.float64]:
    """Coordinates of the vertices: distances from landmarks, smoothed, shape (vertices, LANDMARKS)."""
    count = graph.shape[0]
    steps = np.zeros((count, LANDMARKS))
    nearest = np.full(count, np.inf)
    if not count:
        return steps
    start = int(np.argmax(_distances(graph, 0)))
    for k in range(LANDMARKS):
        steps[:, k] = _distances(graph, start)
        nearest = np.minimum(nearest, steps[:, k])
        start = int(np.argmax(nearest))
    degree = np.diff(graph.indptr)
    mean = csr_array((1.0 / np.repeat(degree, degree), graph.indices, graph.indptr), shape=graph.shape)
    for _ in range(3):
        steps = mean @ steps
    return steps


def _distances(graph: Any, start: int) -> NDArray[np.float64]:
    """Steps from a vertex to all others; what is not connected is farther than everything else."""
    count = graph.shape[0]
    order, before = breadth_first_order(graph, start, directed=False)
    out = np.full(count, -1.0)
    out[start] = 0.0
    left = order[1:]
    while left.size:
        known = out[before[left]] >= 0.0
        out[left[known]] = out[before[left[known]]] + 1.0
        left = left[~known]
    out[out < 0.0] = 2.0 * out.max() + 1.0
    return out


def _separate(graph: Any, part: Index, place: NDArray[np.float64]) -> tuple[Index, Index, Index]:
    """A separator of a part of the graph, and the two halves that it leaves."""
    inside = graph[part][:, part].tocsr()
    centred = place - place.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    best, least = None, np.inf
    for axis in axes.T[::-1][:AXES]:
        along = np.empty(part.size, dtype=np.int64)
        along[np.argsort(centred @ axis, kind="stable")] = np.arange(part.size)
        upper = along >= part.size // 2
        cover = _cover(inside, upper)
        if cover.sum() < least:
            best, least = (upper, cover), cover.sum()
    assert best is not None
    upper, cover = best
    return part[cover], part[~upper & ~cover], part[upper & ~cover]


def _cover(graph: Any, upper: Mask) -> Mask:
    """The fewest vertices that touch every edge between the lower and the upper half (König's theorem)."""
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    cut = ~upper[row] & upper[graph.indices]
    low, a = np.unique(row[cut], return_inverse=True)
    high, b = np.unique(graph.indices[cut], return_inverse=True)
    cover = np.zeros(graph.shape[0], dtype=bool)
    if not low.size:
        return cover
    edges = csr_array((np.ones(a.size, dtype=np.int8), (a, b)), shape=(low.size, high.size))
    partner = maximum_bipartite_matching(edges, perm_type="column")  # of each lower vertex, −1 if there is none
    of = np.full(high.size, -1)
    of[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    # All that is reached from lower vertices without a partner, by any edge upwards and by partners back.
    reached, seen = partner < 0, np.zeros(high.size, dtype=bool)
    while True:
        now = (edges.T @ reached.astype(np.int8) > 0) & ~seen
        if not now.any():
            break
        seen |= now
        reached[of[now]] = True
    cover[low[~reached]] = True
    cover[high[seen]] = True
    return cover
