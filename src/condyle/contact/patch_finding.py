"""Which parts of a line or surface are near a target, and where its contact points are: at Gauss points of each part.

Along a line a patch is an interval of its length (hewlett-2020, section 6.2). Gaps are looked at in samples, and once more
where the line can come nearer between two samples than both of them are: a gap changes by no more than the way. On a surface
a patch is a rectangle of the parameters of a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.shapes import gauss, gauss_product
from condyle.contact.material import Index, Material
from condyle.contact.surface import Array
from condyle.system.touching.patches import patches_on_shape

SAMPLES = 8  # of a cell of a line, but for the last
FINER = 6  # parts that an interval is cut into, where that matters
ROUNDS = 2  # of cutting
STRETCHED = 1.1  # a line may be longer than at rest by this
ON_SURFACE = 5  # samples of a cell of a surface in each direction

Nearness = Callable[[Index, Array], Array]  # the smallest gap in the step, at parameters of cells


class Found(NamedTuple):
    """Contact points of all patches."""

    cell: Index  # (n,)
    u: Array  # parameters (n, p)
    area: Array  # length [m] or area [m²] of each at rest (n,)
    patch: Index  # the number of its patch (n,)


class LineSamples:
    """Places along a line at which gaps are looked at."""

    def __init__(self, line: Material) -> None:
        u = np.arange(SAMPLES) / SAMPLES
        each = line.starts[:, None] + line.lengths[:, None] * u
        last = np.concatenate((~line.linked, [True]))  # cells after which the line ends, or goes on elsewhere
        s, ends = [], []
        tiny = 1e-12 * line.length
        for k, row in enumerate(each):
            s += [*row, line.starts[k] + line.lengths[k] - tiny] if last[k] else [*row]
            ends.append(len(s) - 1 if last[k] else -1)
        self.s = np.array(s)
        self.last = np.zeros(len(s), dtype=bool)  # which are the last of a line
        self.last[[e for e in ends if e >= 0]] = True


def find_on_line(
    line: Material, samples: LineSamples, near: Nearness, margin: float, count: int, longest: float
) -> Found:
    """Patches of a line where the gap is at most `margin` [m]; `count` points in each piece, no longer than `longest` [m]."""
    s = samples.s
    gap = near(*line.by_length(s))
    last = samples.last
    for _ in range(ROUNDS):
        way = np.append(np.diff(s), 0.0) * np.where(last, 0.0, STRETCHED)
        ahead = np.append(gap[1:], np.inf)
        inside = gap <= margin
        possible = 0.5 * (gap + ahead - way) <= margin
        finer = np.flatnonzero(possible & ~(inside & np.append(inside[1:], True)) & ~last)
        if not finer.size:
            break
        step = np.arange(1, FINER) / FINER
        more = (s[finer, None] + np.diff(s)[finer, None] * step).ravel()
        place = np.repeat(finer + 1, FINER - 1)
        s = np.insert(s, place, more)
        gap = np.insert(gap, place, near(*line.by_length(more)))
        last = np.insert(last, place, False)
    start, end = _intervals(s, gap, last, margin)
    if not len(start):
        return _nothing(line)
    pieces = np.maximum(np.ceil((end - start) / longest - 1e-9).astype(np.int64), 1)
    patch = np.repeat(np.arange(len(start)), pieces)
    first = np.concatenate([np.arange(k) for k in pieces])
    size = ((end - start) / pieces)[patch]
    begin = start[patch] + first * size
    at, w = rule(count)
    cell, u = line.by_length((begin[:, None] + size[:, None] * at).ravel())
    return Found(cell, u, (size[:, None] * w).ravel(), np.repeat(patch, count))


def _intervals(s: Array, gap: Array, last: NDArray[np.bool_], margin: float) -> tuple[Array, Array]:
    """Where the gap is at most `margin`, by straight lines between samples; single samples between others have a width too."""
    on = gap <= margin
    before: NDArray[np.bool_] = np.append(True, last[:-1]).astype(bool)  # no sample before it on the same line
    opens = on & (before | ~np.concatenate(([False], on[:-1])))
    closes = on & (last | ~np.concatenate((on[1:], [False])))
    i, j = np.flatnonzero(opens), np.flatnonzero(closes)

    def crossing(a: Index, b: Index) -> Array:
        """Between a sample that is near and its neighbour that is not."""
        inner, outer = gap[a], np.minimum(gap[b], 1e30)
        share = np.where(outer > inner, (margin - inner) / np.where(outer > inner, outer - inner, 1.0), 0.0)
        return np.asarray(s[a] + share * (s[b] - s[a]))

    start = np.where(before[i], s[i], crossing(i, np.maximum(i - 1, 0)))
    end = np.where(last[j], s[j], crossing(j, np.minimum(j + 1, len(s) - 1)))
    least = 1e-6 * float(np.diff(s).max())
    wide = end - start
    middle = 0.5 * (start + end)
    start, end = np.where(wide < least, middle - 0.5 * least, start), np.where(wide < least, middle + 0.5 * least, end)
    return np.clip(start, s[0], s[-1]), np.clip(end, s[0], s[-1])


def find_on_surface(surface: Material, near: Nearness, margin: float, count: int) -> Found:
    """Patches of a surface: in each cell the rectangle around its samples that are near; triangles as a whole."""
    f, m = len(surface.cells), ON_SURFACE
    line = np.linspace(0.0, 1.0, m)
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    u = np.zeros((f, m * m, surface.powers.shape[1]))
    folded = np.where(grid.sum(axis=1, keepdims=True) > 1.0, 1.0 - grid, grid)
    u[:, :, :2] = np.where(surface.triangle[:, None, None], folded, grid)
    cells = np.repeat(np.arange(f), m * m)
    gap = near(cells, u.reshape(f * m * m, -1)).reshape(f, m, m)
    on: NDArray[np.bool_] = np.asarray(gap <= margin)
    touched = np.flatnonzero(on.any(axis=(1, 2)))
    if not touched.size:
        return _nothing(surface)
    bounds = []
    for other in (2, 1):  # samples across the first parameter, then the second
        any_: NDArray[np.bool_] = np.asarray(on[touched].any(axis=other))
        low, high = any_.argmax(axis=1), m - 1 - any_[:, ::-1].argmax(axis=1)
        half = 0.5 / (m - 1)
        bounds.append((np.clip(line[low] - half, 0.0, 1.0), np.clip(line[high] + half, 0.0, 1.0)))
    points, weights = gauss_product([count, count])
    low = np.stack([b[0] for b in bounds], axis=1)
    size = np.stack([b[1] for b in bounds], axis=1) - low
    at = low[:, None] + size[:, None] * points
    share = weights * np.prod(size, axis=1)[:, None]
    flat = surface.triangle[touched]
    if flat.any():  # collapsed onto the triangle: u2 (1 − u1), with its Jacobian
        collapsed = np.stack((points[:, 0], points[:, 1] * (1.0 - points[:, 0])), axis=1)
        at = np.where(flat[:, None, None], collapsed, at)
        share = np.where(flat[:, None], weights * (1.0 - points[:, 0]), share)
    cell = np.repeat(touched, len(points))
    full = np.zeros((len(cell), surface.powers.shape[1]))
    full[:, :2] = at.reshape(-1, 2)
    return Found(cell, full, share.ravel() * surface.area(cell, full), np.repeat(np.arange(len(touched)), len(points)))


def find_on_shape(
    line: Material, samples: LineSamples, numbers: Array, frame: tuple[Array, Array], moving: tuple[Array, Array],
    radius: float, h: float, margin: float, count: int, longest: float,
) -> Found:  # fmt: skip
    """`find_on_line` of a shape that has formulas (`contact/as_numbers.py`), in one kernel.

    frame: r and directors of the shape, and their rates (d + 1, d); moving: vectors of the cells and their rates (f, K, d).
    """
    cell, u, size, patch = patches_on_shape(
        numbers, *frame, line.coefficients, line.powers, *moving, line.starts, line.lengths, radius, h, samples.s,
        samples.last, margin, STRETCHED, FINER, ROUNDS, longest, *rule(count),
    )  # fmt: skip
    full = np.zeros((len(cell), line.powers.shape[1]))
    full[:, 0] = u
    return Found(cell, full, size, patch)


rule = lru_cache(maxsize=32)(gauss)


def _nothing(material: Material) -> Found:
    whole = np.zeros(0, dtype=np.int64)
    return Found(whole, np.zeros((0, material.powers.shape[1])), np.zeros(0), whole)
