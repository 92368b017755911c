"""Criteria of the head: HIC (chou-1974) and the 3 ms clip (altair-2021).

Curves go straight from sample to sample, and all integrals are exact for that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from condyle.errors import InputError
from condyle.results.crash.curves import STANDARD_GRAVITY, Array, resultant


class HeadInjury(NamedTuple):
    """The head injury criterion and the interval it comes from [s]."""

    value: float
    start: float
    end: float


def hic(times: ArrayLike, acceleration: ArrayLike, window: float = 0.015) -> HeadInjury:
    """Head injury criterion: the largest (t₂ − t₁) (mean of a / g from t₁ to t₂)^2.5 with t₂ − t₁ ≤ window.

    acceleration [m/s²]: of the centre of the head, components (n, 3) or their resultant (n,). window [s]: 0.015 for
    HIC15, 0.036 for
    HIC36. All intervals between samples are tried, and those of exactly the window that start or end at one.
    """
    t, a = resultant(times, acceleration, "hic")
    if not (np.isfinite(window) and window > 0.0):
        raise InputError(f"hic: window must be positive [s], not {window!r}")
    a = a / STANDARD_GRAVITY
    total = _integral(t, a)
    best = HeadInjury(0.0, float(t[0]), float(t[0]))
    for lag in range(1, t.size):
        length = t[lag:] - t[:-lag]
        fits = length <= window * (1.0 + 1e-12)
        if not fits.any():
            break
        best = _better(best, t[:-lag][fits], t[lag:][fits], total[:-lag][fits], total[lag:][fits])
    for start in (t, t - window):
        start = start[(start >= t[0]) & (start + window <= t[-1])]
        best = _better(best, start, start + window, _at(t, a, total, start), _at(t, a, total, start + window))
    return best


def _integral(t: Array, a: Array) -> Array:
    return np.concatenate(([0.0], np.cumsum(0.5 * (a[1:] + a[:-1]) * np.diff(t))))


def _at(t: Array, a: Array, total: Array, when: Array) -> Array:
    """∫ a dt up to any time."""
    k = np.clip(np.searchsorted(t, when) - 1, 0, t.size - 2)
    s = when - t[k]
    slope = (a[k + 1] - a[k]) / (t[k + 1] - t[k])
    return np.asarray(total[k] + a[k] * s + 0.5 * slope * s * s)


def _better(best: HeadInjury, start: Array, end: Array, before: Array, after: Array) -> HeadInjury:
    if not start.size:
        return best
    length = end - start
    values = length * (np.maximum(after - before, 0.0) / length) ** 2.5
    k = int(values.argmax())
    return HeadInjury(float(values[k]), float(start[k]), float(end[k])) if values[k] > best.value else best


def clip_3ms(times: ArrayLike, acceleration: ArrayLike, *, duration: float = 0.003, contiguous: bool = False) -> float:
    """The highest acceleration [m/s²] that is reached or passed for `duration` [s], 3 ms.

    acceleration: components (n, 3) or their resultant (n,). By default the time of all parts of the curve above counts together
    (cumulative), with contiguous=True one part alone must last so long. 0 if the curve is shorter.
    """
    t, a = resultant(times, acceleration, "clip_3ms")
    if not (np.isfinite(duration) and duration > 0.0):
        raise InputError(f"clip_3ms: duration must be positive [s], not {duration!r}")
    low, high = 0.0, float(a.max())
    if t[-1] - t[0] < duration * (1.0 - 1e-12):
        return 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        lasting = _time_above(t, a, middle, contiguous)
        low, high = (middle, high) if lasting >= duration * (1.0 - 1e-12) else (low, middle)
    return 0.5 * (low + high)


def _time_above(t: Array, a: Array, level: float, contiguous: bool) -> float:
    """How long a curve of straight lines is at or above a level [s], in all or at most without a break."""
    over = a - level
    first, last, h = over[:-1], over[1:], np.diff(t)
    rise = np.where(first == last, 1.0, last - first)
    crossing = -first / rise
    share = np.where(
        (first >= 0.0) & (last >= 0.0), 1.0,
        np.where((first < 0.0) & (last < 0.0), 0.0, np.where(first >= 0.0, crossing, 1.0 - crossing)),
    )  # fmt: skip
    lasting = share * h
    if not contiguous:
        return float(lasting.sum())
    total = np.concatenate(([0.0], np.cumsum(lasting)))
    # An interval begins where the curve comes from below and ends where it goes below.
    begins = np.flatnonzero((over[1:] >= 0.0) & (over[:-1] < 0.0))
    ends = np.flatnonzero((over[1:] < 0.0) & (over[:-1] >= 0.0)) + 1
    edges = np.unique(np.concatenate(([0], begins, ends, [t.size - 1])))
    return float(np.diff(total[edges]).max())
