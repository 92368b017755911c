"""Curves through tables of torque over a joint coordinate or its rate, and the energy stored under the former.

The torque is a quadratic spline that is smooth (C¹) and rises or falls only where the table does (schumaker-1983): between two
points it has one more knot, in the middle. Its integral, the energy, is a cubic spline, exactly.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError

Array = NDArray[np.float64]
BEYOND = 100.0  # in spans of the table: how far its ends continue with their slopes


def checked_curve(curve: ArrayLike, label: str) -> list[list[float]]:
    """Coordinates and torques of a table, as lists; an error that says what is wrong with it."""
    try:
        table = np.asarray(curve, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or table.shape[0] != 2 or table.shape[1] < 2 or not np.isfinite(table).all():
        raise InputError(
            f"{label}: a curve is two lists of equal length, at least two places and the torque (or force) at each: "
            "curve=([-1, 0, 1], [-5, 0, 5])"
        )
    if (np.diff(table[0]) <= 0.0).any():
        raise InputError(f"{label}: the places of its curve must increase")
    plain: list[list[float]] = table.tolist()
    return plain


def tabulated(
    label: str, torque: Callable[[float], float], lower: float, upper: float, points: int, through: float | None = None
) -> tuple[list[float], list[float]]:
    """A curve of a Python function between lower and upper; `through` is one of its places, if it lies between them."""
    if not callable(torque):
        raise InputError(f"{label}: torque must be a function of one number, not {torque!r}")
    if not (np.isfinite([lower, upper]).all() and lower < upper and points >= 2):
        raise InputError(f"{label}: give an interval lower < upper and at least 2 points")
    places = np.linspace(lower, upper, points)
    if through is not None and lower < through < upper:
        places[1:-1][np.argmin(np.abs(places[1:-1] - through))] = through
    return places.tolist(), [torque(float(q)) for q in places]


def energy_table(curve: ArrayLike | None) -> tuple[Array, Array]:
    """Knots (m,) and coefficients (m − 1, 4) of powers 0 … 3 from each knot, of U(q) with U′ the curve and U = 0 at q = 0."""
    knots, torques, slopes = smooth_torque(*np.asarray(curve, dtype=float))
    span = BEYOND * (knots[-1] - knots[0])
    knots = np.concatenate(([knots[0] - span], knots, [knots[-1] + span]))
    torques = np.concatenate(([torques[0] - slopes[0] * span], torques, [torques[-1] + slopes[-1] * span]))
    slopes = np.concatenate((slopes[:1], slopes, slopes[-1:]))
    h = np.diff(knots)
    bend = np.diff(slopes) / h  # τ = τ_k + s_k t + ½ bend t²
    gained = h * (torques[:-1] + h * (0.5 * slopes[:-1] + h * bend / 6.0))
    zero = int(np.clip(np.searchsorted(knots, 0.0, side="right") - 1, 0, len(h) - 1))
    # Summed up from there to both sides: the far ends store so much that their rounding would be a jump in the middle.
    start = np.zeros(len(h))
    start[zero + 1 :] = np.cumsum(gained[zero:-1])
    start[:zero] = -np.cumsum(gained[:zero][::-1])[::-1]
    coefficients = np.stack((start, torques[:-1], 0.5 * slopes[:-1], bend / 6.0), axis=1)
    coefficients[:, 0] -= np.polynomial.polynomial.polyval(-knots[zero], coefficients[zero])
    return knots, coefficients


def rate_table(curve: ArrayLike, label: str) -> tuple[Array, Array]:
    """Knots (m,) and coefficients (m − 1, 4) of powers 0 … 3 from each knot, of a torque that resists a rate.

    It must never drive: no torque at rest, and none in the direction of the rate. Beyond its ends a falling curve is level.
    """
    rates, resisting = np.asarray(curve, dtype=float)
    knots, torques, slopes = smooth_torque(rates, resisting, falls_on=False)
    bend = np.diff(slopes) / np.diff(knots)
    coefficients = np.stack((torques[:-1], slopes[:-1], 0.5 * bend, np.zeros_like(bend)), axis=1)
    zero = int(np.clip(np.searchsorted(knots, 0.0, side="right") - 1, 0, len(bend) - 1))
    at_rest = np.polynomial.polynomial.polyval(-knots[zero], coefficients[zero])
    if not rates[0] <= 0.0 <= rates[-1] or abs(at_rest) > 1e-9 * np.abs(resisting).max():
        raise InputError(f"{label}: a damper has no torque at rest: its curve must go through (0, 0)")
    if (rates * resisting < 0.0).any():
        raise InputError(f"{label}: a damper resists: the torques of its curve must have the sign of the rates")
    return knots, coefficients


def smooth_torque(places: Array, values: Array, falls_on: bool = True) -> tuple[Array, Array, Array]:
    """Knots, values and slopes of the quadratic spline through a table; falls_on: its ends may have a negative slope."""
    h = np.diff(places)
    rise = np.diff(values) / h
    slopes = np.empty(len(places))
    left, right = rise[:-1], rise[1:]
    same = left * right > 0.0
    # The harmonic mean is at most twice the smaller rise: what keeps the middle knot from overshooting.
    slopes[1:-1] = np.where(same, 2.0 * left * right / np.where(same, left + right, 1.0), 0.0)
    for end, inner, nearest in ((0, 1, 0), (-1, -2, -1)):  # a single parabola there, if it does not turn back
        wanted = rise[nearest] if len(places) == 2 else 2.0 * rise[nearest] - slopes[inner]
        slopes[end] = np.clip(wanted, *sorted((0.0, 2.0 * rise[nearest])))
        slopes[end] = slopes[end] if falls_on else max(slopes[end], 0.0)
    middle = 2.0 * rise - 0.5 * (slopes[:-1] + slopes[1:])  # slope half-way, so that the parabolas meet both points
    half = values[:-1] + 0.25 * h * (slopes[:-1] + middle)
    knots, torques, bends = (np.empty(2 * len(places) - 1) for _ in range(3))
    knots[::2], torques[::2], bends[::2] = places, values, slopes
    knots[1::2], torques[1::2], bends[1::2] = places[:-1] + 0.5 * h, half, middle
    return knots, torques, bends
