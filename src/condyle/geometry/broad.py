"""Which shapes are near each other at all: their boxes, sorted into the cells of a grid. Near-linear in their number."""

from __future__ import annotations

from math import floor

import numpy as np

from condyle.geometry.batch import load_pair
from condyle.geometry.kinds import HALF_SPACE, MESH
from condyle.geometry.support import support
from condyle.geometry.vectors import place
from condyle.laws.kernel import kernel

LARGE = 4.0  # a shape longer than so many cells is compared with all others instead


@kernel
def boxes_of_shapes(work, table, placed, boxes):
    """Lower and upper corners of boxes along the world axes, (n, 6) [m]; of a half-space, everything."""
    for i in range(placed.shape[0]):
        if table.kind[i] == HALF_SPACE:
            boxes[i, :3], boxes[i, 3:] = -np.inf, np.inf
            continue
        if table.kind[i] == MESH:
            root = table.span[i, 4]
            c = place(placed[i], table.balls[root, 0], table.balls[root, 1], table.balls[root, 2])
            for k in range(3):
                boxes[i, k], boxes[i, 3 + k] = c[k] - table.balls[root, 3], c[k] + table.balls[root, 3]
            continue
        load_pair(work, table, placed, i, i)
        for k in range(3):
            ex, ey, ez = (1.0 if k == 0 else 0.0), (1.0 if k == 1 else 0.0), (1.0 if k == 2 else 0.0)
            low = support(work, table.vertices, 0, -ex, -ey, -ez)
            high = support(work, table.vertices, 0, ex, ey, ez)
            boxes[i, k] = placed[i, 0, k] + low[k] - table.margin[i]
            boxes[i, 3 + k] = placed[i, 0, k] + high[k] + table.margin[i]


@kernel
def _meet(a, b):
    return a[0] <= b[3] and b[0] <= a[3] and a[1] <= b[4] and b[1] <= a[4] and a[2] <= b[5] and b[2] <= a[5]


@kernel
def _cell(x, y, z, buckets):
    """The bucket of a cell of the grid."""
    return (x * 73856093 ^ y * 19349663 ^ z * 83492791) % buckets


@kernel
def pairs_that_meet(boxes, cell):
    """Pairs (m, 2), i < j, of boxes (n, 6) that overlap; cell: width of the grid [m]."""
    n = boxes.shape[0]
    buckets = 2 * n + 1
    large = np.zeros(n, dtype=np.bool_)
    start = np.zeros(buckets + 1, dtype=np.int64)
    for sweep in range(2):
        if sweep == 1:
            for b in range(buckets):
                start[b + 1] += start[b]
            entries = np.empty((start[buckets], 4), dtype=np.int64)
            filled = start[:-1].copy()
        for i in range(n):
            if sweep == 0:
                for k in range(3):
                    large[i] = large[i] or not (boxes[i, 3 + k] - boxes[i, k] <= LARGE * cell)
            if large[i]:
                continue
            for x in range(floor(boxes[i, 0] / cell), floor(boxes[i, 3] / cell) + 1):
                for y in range(floor(boxes[i, 1] / cell), floor(boxes[i, 4] / cell) + 1):
                    for z in range(floor(boxes[i, 2] / cell), floor(boxes[i, 5] / cell) + 1):
                        b = _cell(x, y, z, buckets)
                        if sweep == 0:
                            start[b + 1] += 1
                        else:
                            entries[filled[b], 0], entries[filled[b], 1] = i, x
                            entries[filled[b], 2], entries[filled[b], 3] = y, z
                            filled[b] += 1
    pairs = np.empty((4 * n + 16, 2), dtype=np.int64)
    count = 0
    for b in range(buckets):
        for p in range(start[b], start[b + 1]):
            for q in range(p + 1, start[b + 1]):
                if entries[p, 1] != entries[q, 1] or entries[p, 2] != entries[q, 2] or entries[p, 3] != entries[q, 3]:
                    continue
                i, j = entries[p, 0], entries[q, 0]
                if not _meet(boxes[i], boxes[j]):
                    continue
                # Two boxes may share several cells: the one with the lower corner of their overlap counts.
                first = True
                for k in range(3):
                    if floor(max(boxes[i, k], boxes[j, k]) / cell) != entries[p, 1 + k]:
                        first = False
                if first:
                    pairs, count = _add(pairs, count, i, j)
    for i in range(n):
        if large[i]:
            for j in range(n):
                if (j > i or not large[j]) and j != i and _meet(boxes[i], boxes[j]):
                    pairs, count = _add(pairs, count, i, j)
    return pairs[:count].copy()


@kernel
def _add(pairs, count, i, j):
    if count == pairs.shape[0]:
        more = np.empty((2 * count, 2), dtype=np.int64)
        more[:count] = pairs
        pairs = more
    pairs[count, 0], pairs[count, 1] = min(i, j), max(i, j)
    return pairs, count + 1
