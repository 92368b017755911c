"""Joint coordinates by name: what they are made of, and the parts that act on them.

A coordinate is written 'joint.angle', or just 'joint' where a joint has only one. Angles are zero at the start as declared and
unwrapped: they go on counting over many turns.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError, InputWarning
from condyle.laws.codes import ANGLE, DISTANCE, LINEAR, SLIDE, SPLINE, TILT
from condyle.model.part import Part, did_you_mean
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.points import Points


DEGREES = 1000.0  # an angle beyond two turns and up to this may have been given in degrees; beyond it there is none


class Coordinate(NamedTuple):
    """kind and gathered vectors: SLIDE (v, gap), ANGLE (u, e1, e2), DISTANCE (gap) or TILT (u, v).

    Segments of paths have more: parameters, and the places of reference angles among them, each with its first vector.
    """

    kind: int
    vectors: list[Weights]
    params: tuple[float, ...] = ()
    angles: tuple[tuple[int, int], ...] = ()

    @property
    def is_angle(self) -> bool:
        """[rad], not [m]."""
        return self.kind in (ANGLE, TILT)

    def at(self, x: NDArray[np.float64]) -> Any:
        """The value at a state x (n, d), or the history (times,) for x of shape (times, n, d); angles wrapped."""
        y = [v.at(x) for v in self.vectors]
        if self.kind == SLIDE:
            return np.einsum("...d,...d->...", y[0], y[1])
        if self.kind == DISTANCE:
            return np.linalg.norm(y[0], axis=-1)
        if self.kind == TILT:
            return np.arcsin(np.clip(np.einsum("...d,...d->...", y[0], y[1]), -1.0, 1.0))
        return np.arctan2(np.einsum("...d,...d->...", y[0], y[2]), np.einsum("...d,...d->...", y[0], y[1]))

    def rate(self, x: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rate of change at a state, or its history."""
        y, w = [u.at(x) for u in self.vectors], [u.at(v) for u in self.vectors]

        def dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.einsum("...d,...d->...", a, b)

        if self.kind == SLIDE:
            return dot(w[0], y[1]) + dot(y[0], w[1])
        if self.kind == DISTANCE:
            return dot(y[0], w[0]) / np.linalg.norm(y[0], axis=-1)
        if self.kind == TILT:
            return (dot(w[0], y[1]) + dot(y[0], w[1])) / np.sqrt(1.0 - dot(y[0], y[1]) ** 2)
        c, s = dot(y[0], y[1]), dot(y[0], y[2])
        c_rate, s_rate = dot(w[0], y[1]) + dot(y[0], w[1]), dot(w[0], y[2]) + dot(y[0], w[2])
        return (c * s_rate - s * c_rate) / (c * c + s * s)


class Term(NamedTuple):
    """A coordinate times a factor, or a cubic spline of it (knots (m,), coefficients (m − 1, 4) of powers 0 … 3)."""

    coordinate: Coordinate
    factor: float = 1.0
    knots: Any = None
    coefficients: Any = None


def find(builder: Points, reference: str, wanted_by: Part) -> Coordinate:
    """The coordinate of that name."""
    joint, name = split(builder.model, reference, wanted_by)
    known = builder.model[joint].coordinates(builder)
    return known[name]


def find_for(builder: Points, reference: str, wanted_by: Part, *fields: str) -> Coordinate:
    """The coordinate of that name; a warning if it is an angle and these fields of the part are hardly in radians."""
    coordinate = find(builder, reference, wanted_by)
    for field in fields:
        value = getattr(wanted_by, field)
        if coordinate.is_angle and value is not None and 4.0 * np.pi < abs(value) <= DEGREES:
            turns = int(abs(value) / (2.0 * np.pi))
            warnings.warn(
                f"{wanted_by.label}: {field} = {value:g} rad is more than {turns} turns of '{reference}'; "
                "angles are in radians",
                InputWarning,
                stacklevel=2,
            )
    return coordinate


def split(model: Model, reference: str, wanted_by: Part) -> tuple[str, str]:
    """Joint and coordinate meant by 'joint.coordinate' or 'joint'; a clear error if there is none."""
    joint, _, name = str(reference).partition(".")
    part = model.get(joint)
    names: tuple[str, ...] = getattr(part, "coordinate_names", lambda d: ())(model.dimension)
    if part is None or not names:
        have = [p.name for p in model if getattr(p, "coordinate_names", lambda d: ())(model.dimension)]
        raise InputError(f"{wanted_by.label}: there is no joint with coordinates '{joint}'{did_you_mean(joint, have)}")
    if not name and len(names) == 1:
        return joint, names[0]
    if name not in names:
        choices = ", ".join(f"'{joint}.{n}'" for n in names)
        raise InputError(f"{wanted_by.label}: {part.label} has no coordinate '{name}'; it has {choices}")
    return joint, name


def pack(terms: list[Term], lead: int) -> tuple[list[Weights], list[float], tuple[tuple[int, int], ...]]:
    """Gathered vectors, parameters and places of reference angles of a list of terms; `lead` parameters come before."""
    vectors: list[Weights] = []
    params: list[float] = [float(len(terms))]
    turns = []
    for term in terms:
        kind = term.coordinate.kind
        if kind == ANGLE:
            turns.append((lead + len(params) + 2, len(vectors)))
        params += [float(kind), float(len(vectors)), 0.0]
        if term.knots is None:
            params += [float(LINEAR), float(term.factor)]
        else:
            params += [float(SPLINE), float(len(term.knots)), *np.ravel(term.knots), *np.ravel(term.coefficients)]
        turns += [(lead + len(params) + place, len(vectors) + first) for place, first in term.coordinate.angles]
        params += term.coordinate.params
        vectors += term.coordinate.vectors
    return vectors, [float(p) for p in params], tuple(turns)


def angle(u: Weights, first: Weights, second: Weights) -> Coordinate:
    """The angle of u in the plane of two directions."""
    return Coordinate(ANGLE, [u, first, second])


def slide(direction: Weights, gap: Weights) -> Coordinate:
    """The component of a gap along a direction."""
    return Coordinate(SLIDE, [direction, gap])


def spline_table(
    x: ArrayLike, y: ArrayLike, label: str, slopes: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Knots and coefficients (powers 0 … 3 from each knot) of the cubic through points with these slopes; natural without."""
    knots, values = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if knots.ndim != 1 or knots.shape != values.shape or len(knots) < 2 or not np.isfinite([knots, values]).all():
        raise InputError(f"{label}: a spline needs at least two finite points (x, y) of equal number")
    if (np.diff(knots) <= 0).any():
        raise InputError(f"{label}: the x values of a spline must increase")
    if slopes is not None and len(np.atleast_1d(slopes)):
        given = np.asarray(slopes, dtype=float)
        if given.shape != knots.shape or not np.isfinite(given).all():
            raise InputError(f"{label}: a spline has one finite slope for each of its {len(knots)} points")
        h, chord = np.diff(knots), np.diff(values) / np.diff(knots)
        bend = (3.0 * chord - 2.0 * given[:-1] - given[1:]) / h
        third = (given[:-1] + given[1:] - 2.0 * chord) / h**2
        return knots, np.column_stack((values[:-1], given[:-1], bend, third))
    if len(knots) == 2:
        slope = (values[1] - values[0]) / (knots[1] - knots[0])
        return knots, np.array([[values[0], slope, 0.0, 0.0]])
    from scipy.interpolate import CubicSpline

    return knots, CubicSpline(knots, values, bc_type="natural").c[::-1].T.copy()


def spline_at(knots: NDArray[np.float64], coefficients: NDArray[np.float64], q: float) -> float:
    """The value of a spline of `spline_table`; straight beyond its ends."""
    t = min(max(q, float(knots[0])), float(knots[-1]))
    k = int(np.clip(np.searchsorted(knots, t) - 1, 0, len(knots) - 2))
    s, c = t - knots[k], coefficients[k]
    slope = c[1] + s * (2.0 * c[2] + 3.0 * s * c[3])
    return float(c[0] + s * (c[1] + s * (c[2] + s * c[3])) + slope * (q - t))
