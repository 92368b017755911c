"""B-splines, Bézier and NURBS curves and surfaces as pieces of polynomials, in powers of the way from their first corner.

With weights, control points are taken times their weight, with the weight as one component more: all components of the
pieces are then polynomials, and a point is the first of them over the last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError

Array = NDArray[np.float64]


def even_knots(points: int, degree: int) -> Array:
    """Knots from 0 to 1 that start at the first and end at the last of `points`; degree + 1 points: those of a Bézier curve."""
    inner = np.linspace(0.0, 1.0, points - degree + 1)
    return np.concatenate((np.zeros(degree), inner, np.ones(degree)))


def checked_knots(knots: ArrayLike | None, points: int, degree: ArrayLike, label: str) -> Array:
    """The knots of a spline, given or even."""
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree < 1:
        raise InputError(f"{label}: a degree is a whole number of at least 1, not {degree!r}")
    if points <= degree:
        raise InputError(
            f"{label}: {points} control points are too few for degree {degree}; it needs at least {degree + 1}"
        )
    if knots is None:
        return even_knots(points, int(degree))
    t = np.asarray(knots, dtype=float)
    if t.shape != (points + degree + 1,) or not np.isfinite(t).all() or (np.diff(t) < 0).any():
        raise InputError(
            f"{label}: {points} control points of degree {degree} have {points + degree + 1} knots that do not fall, "
            f"not {t.shape}"
        )
    if not t[points] > t[degree]:
        raise InputError(f"{label}: its knots span nothing, from {t[degree]:g} to {t[points]:g}")
    return t


def homogeneous(control: Array, weights: ArrayLike | None, label: str) -> Array:
    """Control points times their weights, and the weights; without weights the points themselves."""
    if not np.isfinite(control).all():
        raise InputError(f"{label}: its control points must be finite")
    if weights is None:
        return control
    w = np.asarray(weights, dtype=float)
    if w.shape != control.shape[:-1] or not np.isfinite(w).all() or not (w > 0).all():
        raise InputError(f"{label}: weights are positive numbers, one per control point, {control.shape[:-1]}")
    if np.ptp(w) <= 1e-15 * w.max():
        return control  # equal weights: a polynomial
    return np.concatenate((control * w[..., None], w[..., None]), axis=-1)


def pieces_of(control: Array, degree: int, knots: Array) -> tuple[Array, Array]:
    """Breaks (m + 1,) and coefficients (m, degree + 1, …) of a spline along the first axis of its control points."""
    from math import factorial

    from scipy.interpolate import BSpline

    spline = BSpline(knots, control.reshape(len(control), -1), degree)
    kept = [k for k in range(degree, len(control)) if knots[k + 1] > knots[k]]
    breaks = np.append(knots[kept], knots[kept[-1] + 1])
    # Taylor's series at the start of each piece; splines are taken from the right of their knots.
    c = [spline(breaks[:-1], nu=order) / factorial(order) for order in range(degree + 1)]
    return breaks, np.ascontiguousarray(np.stack(c, axis=1).reshape(len(kept), degree + 1, *control.shape[1:]))


def sheet_of(control: Array, degrees: Sequence[int], knots: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Breaks along both parameters and coefficients (m, n, p + 1, q + 1, components) of a surface."""
    first, c = pieces_of(control, degrees[0], knots[0])  # (m, p + 1, l, components)
    second, c = pieces_of(np.moveaxis(c, 2, 0), degrees[1], knots[1])  # (n, q + 1, m, p + 1, components)
    return first, second, np.ascontiguousarray(np.transpose(c, (2, 0, 3, 1, 4)))
