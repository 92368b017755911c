"""Rating of a curve against a measured one (iso-rating-2014): corridor, phase, magnitude, slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.results.crash.curves import Array, curve, sampling

INNER, OUTER = 0.05, 0.5  # half widths of the corridors, of the largest value of the reference
LARGEST_SHIFT = 0.2  # of the interval: no rating beyond
LARGEST_MAGNITUDE, LARGEST_SLOPE = 0.5, 2.0  # relative errors: no rating beyond
WARPING = 0.1  # of the samples, by which points may be matched with earlier or later ones
SMOOTHING = 9  # samples over which slopes are averaged
WEIGHTS = {"corridor": 0.4, "phase": 0.2, "magnitude": 0.2, "slope": 0.2}  # of the pieces in the overall rating
GRADES = ((0.94, "excellent"), (0.80, "good"), (0.58, "fair"), (-1.0, "poor"))


@dataclass(frozen=True)
class Rating:
    """Ratings from 0 to 1, and the shift [s] by which the curve is late (positive) or early."""

    overall: float
    corridor: float
    phase: float
    magnitude: float
    slope: float
    shift: float

    @property
    def grade(self) -> str:
        """excellent (above 0.94), good (above 0.80), fair (above 0.58) or poor."""
        return next(name for least, name in GRADES if self.overall > least)


def iso_18571(times: ArrayLike, values: ArrayLike, reference: ArrayLike) -> Rating:
    """How well `values` follow `reference`, both at the same evenly spaced `times` [s]; the standard asks for 10 kHz.

    overall = 0.4 corridor + 0.2 (phase + magnitude + slope).
    """
    t, c = curve(times, values, "iso_18571")
    _, r = curve(times, reference, "iso_18571")
    if c.ndim != 1 or r.ndim != 1:
        raise InputError("iso_18571: rate one component at a time; values and reference must have shape (n,)")
    step = sampling(t, "iso_18571")
    if t.size < 2 * SMOOTHING:
        raise InputError(f"iso_18571: at least {2 * SMOOTHING} samples are needed, not {t.size}")
    if not r.any():
        raise InputError("iso_18571: the reference is zero throughout, so nothing can be measured against it")
    shift = best_shift(c, r)
    late, early = max(shift, 0), max(-shift, 0)
    moved, against = c[late : c.size - early], r[early : r.size - late]
    corridor, phase = _corridor(c, r), max(0.0, 1.0 - abs(shift) / (LARGEST_SHIFT * t.size))
    magnitude, slope = _magnitude(moved, against), _slope(moved, against)
    return Rating(weighted(corridor, phase, magnitude, slope), corridor, phase, magnitude, slope, shift * step)


def weighted(corridor: float, phase: float, magnitude: float, slope: float) -> float:
    """The overall rating of the four pieces."""
    pieces = {"corridor": corridor, "phase": phase, "magnitude": magnitude, "slope": slope}
    return sum(weight * pieces[name] for name, weight in WEIGHTS.items())


def _corridor(c: Array, r: Array) -> float:
    """1 within 5 %, 0 beyond 50 % of the largest value, between them by the square of what is left; mean over time."""
    largest = np.abs(r).max()
    left = (OUTER * largest - np.abs(c - r)) / ((OUTER - INNER) * largest)
    return float((np.clip(left, 0.0, 1.0) ** 2).mean())


def best_shift(c: Array, r: Array) -> int:
    """Samples by which a curve is later than its reference: where they correlate best, up to a fifth of the interval.

    Of equals the smallest, and rather late than early.
    """
    best, at = -np.inf, 0
    most = int(LARGEST_SHIFT * c.size)
    for shift in sorted(range(-most, most + 1), key=lambda shift: (abs(shift), -shift)):
        moved = c[max(shift, 0) : c.size + min(shift, 0)]
        against = r[max(-shift, 0) : r.size - max(shift, 0)]
        u, v = moved - moved.mean(), against - against.mean()
        size = np.sqrt((u @ u) * (v @ v))
        value = float(u @ v) / size if size > 0.0 else -1.0
        if value > best + 1e-12:
            best, at = value, shift
    return at


def _magnitude(c: Array, r: Array) -> float:
    """Relative difference of the curves after points of one have been matched with those of the other."""
    i, j = warped(c, r)
    size = np.abs(r[j]).sum()
    error = np.abs(c[i] - r[j]).sum() / size if size > 0.0 else np.inf
    return float(max(0.0, 1.0 - error / LARGEST_MAGNITUDE))


def warped(c: Array, r: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices of points of both that match at the least sum of squares, in order: dynamic time warping in a band.

    Where several ways cost the same (flat pieces of both curves), the standard goes back along the curve first, then along
    the reference, and along both last. Longer ways through flat pieces make the relative error smaller.
    """
    n = c.size
    band = max(1, int(np.ceil(WARPING * n)) - 1)
    last, before_last = np.full(n + 1, np.inf), np.full(n + 1, np.inf)  # costs by i, on the diagonals i + j before
    before_last[0] = 0.0
    moves: list[tuple[int, NDArray[np.int8]]] = []  # of each diagonal: its first i, and which way leads to each entry
    for total in range(2, 2 * n + 1):  # no entry of a diagonal needs another of it
        first = max(1, total - n, (total - band + 1) // 2)
        i = np.arange(first, min(n, total - 1, (total + band) // 2) + 1)
        ways = np.stack((last[i - 1], last[i], before_last[i - 1]))  # along the curve, along the reference, along both
        move = ways.argmin(axis=0)  # the first of equals
        moves.append((first, move.astype(np.int8)))
        before_last, last = last, np.full(n + 1, np.inf)
        last[i] = (c[i - 1] - r[total - i - 1]) ** 2 + np.take_along_axis(ways, move[None], axis=0)[0]
    a = b = n
    path = [(n - 1, n - 1)]
    while (a, b) != (1, 1):
        first, move = moves[a + b - 2]
        way = move[a - first]
        a, b = a - (way != 1), b - (way != 0)
        path.append((a - 1, b - 1))
    matched = np.array(path[::-1])
    return matched[:, 0], matched[:, 1]


def _slope(c: Array, r: Array) -> float:
    """Relative difference of slopes, averaged over nine samples, near the ends over 7, 5, 3 and 1 about each."""
    dc, dr = (_smoothed(np.gradient(values)) for values in (c, r))
    size = np.abs(dr).sum()
    if size == 0.0:
        return 1.0 if not np.abs(dc).any() else 0.0
    return float(max(0.0, 1.0 - np.abs(dc - dr).sum() / size / LARGEST_SLOPE))


def _smoothed(values: Array) -> Array:
    """Means over SMOOTHING samples about each, over as many as there are to both sides near the ends."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    here = np.arange(values.size)
    side = np.minimum(np.minimum(here, here[::-1]), SMOOTHING // 2)
    return np.asarray((total[here + side + 1] - total[here - side]) / (2 * side + 1))
