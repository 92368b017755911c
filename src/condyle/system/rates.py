"""Time derivatives of prescribed functions, by finite differences on the scale of the run's step."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SHARE = (
    0.3  # of the step between the points of the widest formula: within ±1 step, so that kinks are not smeared further
)


@cache
def difference_weights(forward: bool, order: int, count: int = 7) -> tuple[float, ...]:
    """Weights of the formula of `count` points for a derivative, on the points 0, 1, … (forward) or … −1, 0, 1, …"""
    points = np.arange(float(count)) - (0 if forward else count // 2)
    powers = np.vander(points, increasing=True).T
    wanted = np.zeros(count)
    wanted[order] = float(np.prod(np.arange(1, order + 1)))
    return tuple(np.linalg.solve(powers, wanted).tolist())


def time_derivative(function: Callable[[float], Array], t: float, order: int, step: float) -> Array:
    """The derivative of a function of time; step: that of the run [s]. Times before the start t = 0 are not asked for.

    Where the step does not resolve the function, smaller distances are tried until halving them twice changes the result
    by no more than round-off explains.
    """
    h = SHARE * step
    size = float(np.abs(function(t + h)).max(initial=0.0)) + float(np.abs(function(max(t - h, 0.0))).max(initial=0.0))
    best = last = _difference(function, t, order, h)
    least = np.inf
    for _ in range(6):
        h *= 0.25
        now = _difference(function, t, order, h)
        change = float(np.abs(now - last).max(initial=0.0))
        if change <= 1e-9 * float(np.abs(now).max(initial=0.0)) + 1e-14 * size / h**order:
            return last
        if change < least:
            best, least = last, change
        last = now
    return best


def courses(function: Callable[[float], Array], t: float, step: float) -> Array:
    """A function of time, its first and its second derivative, (3, …)."""
    return np.array([function(t), *(time_derivative(function, t, order, step) for order in (1, 2))])


def _difference(function: Callable[[float], Array], t: float, order: int, h: float) -> Array:
    forward = t < 3.0 * h
    first = 0 if forward else -3
    values = [w * function(t + (first + k) * h) for k, w in enumerate(difference_weights(forward, order))]
    return np.asarray(sum(values)) / h**order
