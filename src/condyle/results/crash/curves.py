"""What every quantity of a crash test asks of a curve: times that increase, finite values, resultants of components."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError

Array = NDArray[np.float64]

STANDARD_GRAVITY = 9.80665  # m/s²


def curve(times: ArrayLike, values: ArrayLike, what: str) -> tuple[Array, Array]:
    """Times [s], shape (n,), and values, shape (n, …), as arrays; InputError if they are no curve."""
    t, v = (_numbers(given, what) for given in (times, values))
    if t.ndim != 1 or t.size < 2 or v.shape[:1] != t.shape:
        raise InputError(f"{what}: give at least two times and as many values, not shapes {t.shape} and {v.shape}")
    if not (np.isfinite(t).all() and np.isfinite(v).all()):
        raise InputError(f"{what}: times and values must be finite; cut away or repair what is missing")
    if (np.diff(t) <= 0.0).any():
        raise InputError(f"{what}: times must increase; sort them and leave out what stands twice")
    return t, v


def _numbers(given: object, what: str) -> Array:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what}: times and values must be numbers") from None


def resultant(times: ArrayLike, values: ArrayLike, what: str) -> tuple[Array, Array]:
    """A curve of magnitudes: those of components, shape (n, d), or values that are no components, shape (n,), at least 0."""
    t, v = curve(times, values, what)
    if v.ndim == 2:
        return t, np.linalg.norm(v, axis=1)
    if v.ndim != 1:
        raise InputError(f"{what}: give a resultant, shape (n,), or components, shape (n, 3), not {v.shape}")
    if (v < 0.0).any():
        raise InputError(
            f"{what}: a resultant is never negative; give the components, shape (n, 3), or the absolute value"
        )
    return t, v


def sampling(t: Array, what: str) -> float:
    """Time between samples [s]; InputError if they are not evenly spaced."""
    steps = np.diff(t)
    if np.ptp(steps) > 1e-3 * steps.mean():
        raise InputError(
            f"{what}: samples must be evenly spaced in time; use resampled(times, values, rate=10000.0) first"
        )
    return float((t[-1] - t[0]) / (t.size - 1))


def resampled(times: ArrayLike, values: ArrayLike, rate: float = 10000.0) -> tuple[Array, Array]:
    """A curve at evenly spaced times, `rate` [1/s] of them, on straight lines between its points."""
    t, v = curve(times, values, "resampled")
    if not (np.isfinite(rate) and rate > 0.0):
        raise InputError(f"resampled: rate must be positive [1/s], not {rate!r}")
    new = t[0] + np.arange(int(np.floor((t[-1] - t[0]) * rate * (1.0 + 1e-12))) + 1) / rate
    flat = v.reshape(t.size, -1)
    columns = [np.interp(new, t, column) for column in flat.T]
    return new, np.stack(columns, axis=1).reshape(new.size, *v.shape[1:])
