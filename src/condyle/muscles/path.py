"""Paths: from an origin over via points and surfaces to an insertion.

A path is a list. Its entries are points of bodies, points that move or act only at times, and between two points surfaces
that the path wraps over, one after the other. Its length is a sum of terms like joint coordinates, so everything that acts on a
joint coordinate could act on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.laws.codes import ANGLE, CONDITIONAL, CONDITIONAL_TO_MOVING, DISTANCE, MOVING, SLIDE, TILT
from condyle.model.given import Given, Numbers, OnBody, OnPoint, PointLike, means
from condyle.model.part import Part, rows
from condyle.model.point import Point, as_point
from condyle.model.quantities import declared, quantity
from condyle.muscles.surfaces import (
    SURFACES,
    CylinderWrap,
    EllipsoidWrap,
    SphereWrap,
    TorusWrap,
    check_surface,
    covered,
    over_surfaces,
)
from condyle.system.coordinate import Coordinate, Term, find, spline_table, split
from condyle.system.weights import combination

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from condyle.model.model import Model
    from condyle.system.points import Points
    from condyle.system.weights import Weights


@declared(frozen=True)
class MovingPoint(Part):
    """A via point whose place in its body follows a joint coordinate, as over a patella.

    values: of the coordinate [rad or m], increasing; places: of the point then, in body axes [m], shape (values, d). Between
    them natural cubic splines, or with slopes (shape of places, per unit of the coordinate) cubics that have them there; beyond
    them straight lines.
    """

    body: OnBody
    coordinate: str
    values: Numbers
    places: Numbers = quantity("m")
    slopes: Numbers = quantity("(m per unit of the coordinate)", default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "body", getattr(self.body, "name", self.body))
        rows(self, "values")
        rows(self, "places")
        if len(np.shape(self.places)) != 2 or len(self.places) != len(self.values):
            raise InputError(f"MovingPoint on '{self.body}': give one place for each of its {len(self.values)} values")
        rows(self, "slopes")
        if len(self.slopes) and np.shape(self.slopes) != np.shape(self.places):
            raise InputError(f"MovingPoint on '{self.body}': give one slope for each coordinate of its places")
        self.splines(f"MovingPoint on '{self.body}'")

    def splines(self, label: str) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Knots and coefficients of each coordinate of the place."""
        slopes = np.transpose(self.slopes) if len(self.slopes) else [None] * np.shape(self.places)[1]
        return [
            spline_table(self.values, column, label, slope)
            for column, slope in zip(np.transpose(self.places), slopes, strict=True)
        ]


@declared(frozen=True)
class ConditionalPoint(Part):
    """A via point that holds the path only while a joint coordinate is between lower and upper [rad or m].

    The length goes over from one way to the other within `blend` [rad or m] about each limit, smoothly, so that energy is
    kept account of.
    """

    point: OnPoint
    coordinate: str
    lower: float = quantity("(that of the coordinate)", default=-1e9)
    upper: float = quantity("(that of the coordinate)", default=1e9)
    blend: float = quantity("(that of the coordinate)", default=0.05, above=0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", as_point(self.point))
        if not self.lower < self.upper:
            raise InputError(
                f"ConditionalPoint {self.point}: lower = {self.lower:g} must be below upper = {self.upper:g}"
            )


PathEntry: TypeAlias = "Point | MovingPoint | ConditionalPoint | SphereWrap | CylinderWrap | EllipsoidWrap | TorusWrap"
PathLike: TypeAlias = "Sequence[PathEntry | PointLike]"  # from origin to insertion
OnPath: TypeAlias = "Given[PathLike, tuple[PathEntry, ...]]"
means("OnPath", "a list of points and of surfaces that it goes over", "array")


class AlongPath(Part, abstract=True):
    """A part that acts along a path."""

    name: str
    path: OnPath

    def __post_init__(self) -> None:
        self.path = as_path(self.path, self.label)

    def validate(self, model: Model) -> None:
        check_path(self.path, model, self)

    def terms(self, builder: Points) -> list[Term]:
        """Its length as a sum."""
        return path_terms(self.path, builder, self)

    def obstacle(self, points: Points, x: NDArray[np.float64]) -> str:
        """Where the path has no length, as inside of a surface that it wraps over."""
        return _obstacle(self, points, x)


def as_path(entries: object, who: str) -> tuple[Any, ...]:
    """Entries of a path: points, via points and surfaces."""
    if isinstance(entries, str) or not isinstance(entries, Sequence) or len(entries) < 2:
        raise InputError(f"{who}: a path is a list of at least two points, from origin to insertion, not {entries!r}")
    kinds = MovingPoint | ConditionalPoint | SURFACES
    path = tuple(e if isinstance(e, kinds) else as_point(e) for e in entries)
    for k in (0, -1):
        if not isinstance(path[k], Point | MovingPoint):
            raise InputError(f"{who}: a path begins and ends at a point, not at a {type(path[k]).__name__}")
    for one, two in pairwise(path):
        in_a_row = isinstance(one, SURFACES) and isinstance(two, SURFACES)
        both = isinstance(one, MovingPoint | ConditionalPoint) and isinstance(two, MovingPoint | ConditionalPoint)
        if both and type(one) is not type(two):
            continue
        if not isinstance(one, Point) and not isinstance(two, Point) and not in_a_row:
            names = f"{type(one).__name__} and {type(two).__name__}"
            raise InputError(f"{who}: {names} follow each other in its path; put a fixed point between them")
    for k, entry in enumerate(path):
        if isinstance(entry, ConditionalPoint) and all(isinstance(path[k + i], MovingPoint) for i in (-1, 1)):
            raise InputError(f"{who}: a ConditionalPoint stands between two that move; put a fixed point beside it")
    return path


def _obstacle(part: AlongPath, points: Points, x: NDArray[np.float64]) -> str:
    from condyle.muscles.reading import PathReader

    for (one, between, two), term in zip(segments(part.path), part.terms(points), strict=True):
        if between and isinstance(between[0], SURFACES) and not np.isfinite(PathReader([term]).at(x)[0]):
            names = ", ".join(type(entry).__name__ for entry in between)
            inside = [point for point in (one, two) if covered(point, between, points, part, x)]
            why = f"{inside[0]} comes to lie inside" if inside else f"no way was found from {one} to {two} over"
            return (
                f"{part.label}: {why} its {names}, where the path has no length; move the point out, make the surface "
                "smaller, or keep the motion within the range for which the path was made"
            )
    return ""


def check_path(path: tuple[Any, ...], model: Model, part: Part) -> None:
    """Bodies, coordinates and dimensions of a path fit the model."""
    for entry in path:
        point = getattr(entry, "point", getattr(entry, "centre", entry))
        model.body(getattr(point, "body", point), part)
        if isinstance(entry, MovingPoint | ConditionalPoint):
            split(model, entry.coordinate, part)
        if isinstance(entry, MovingPoint) and np.shape(entry.places)[1] != model.dimension:
            raise InputError(
                f"{part.label}: places of the MovingPoint on '{entry.body}' must have {model.dimension} columns"
            )
        if isinstance(entry, SURFACES):
            check_surface(entry, model, part)


def segments(path: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...], Any]]:
    """From point to point: the first, the conditional point or the surfaces between, the second."""
    places = [k for k, entry in enumerate(path) if isinstance(entry, Point | MovingPoint)]
    for i, j in pairwise(places):
        yield path[i], path[i + 1 : j], path[j]


def path_terms(path: tuple[Any, ...], builder: Points, part: Part) -> list[Term]:
    """The length of the path as a sum."""
    terms: list[Coordinate] = []
    for one, between, two in segments(path):
        if isinstance(one, MovingPoint) or isinstance(two, MovingPoint):
            moving, other = (one, two) if isinstance(one, MovingPoint) else (two, one)
            if between:
                terms.append(_conditional_to_moving(moving, between[0], other, builder, part))
            else:
                terms.append(_to_moving(moving, other, builder, part))
        elif not between:
            terms.append(_straight(one, two, builder, part))
        elif isinstance(between[0], ConditionalPoint):
            terms.append(_conditional(one, between[0], two, builder, part))
        else:
            terms.append(over_surfaces(one, between, two, builder, part))
    return [Term(t) for t in terms]


def _straight(one: Point, two: Point, builder: Points, part: Part) -> Coordinate:
    span = (builder.position(two, part) - builder.position(one, part)).pruned()
    length = np.linalg.norm(builder.value(span))
    if not length > 0.0:
        raise InputError(f"{part.label}: the points {one} and {two} of its path coincide; leave one out or move it")
    return Coordinate(DISTANCE, [span])


def _driving(reference: str, builder: Points, part: Part) -> Coordinate:
    q = find(builder, reference, part)
    if q.kind not in (ANGLE, SLIDE, TILT):
        raise InputError(
            f"{part.label}: a via point follows an angle or a slide of a joint, which '{reference}' is not"
        )
    return q


def _to_moving(moving: MovingPoint, other: Point, builder: Points, part: Part) -> Coordinate:
    origin, axes, q, params = _moved(moving, builder, part)
    span = (origin - builder.position(other, part)).pruned()
    angles = ((2, builder.d + 1),) if q.kind == ANGLE else ()
    return Coordinate(MOVING, [span, *axes, *q.vectors], params, angles)


def _moved(
    moving: MovingPoint, builder: Points, part: Part
) -> tuple[Weights, Sequence[Weights], Coordinate, tuple[float, ...]]:
    """Origin and axes of the body of a moving point, its coordinate, and (dimension, kind, reference angle, splines)."""
    q = _driving(moving.coordinate, builder, part)
    middle = moving.places[len(moving.places) // 2]
    axes = builder.axes(Point(moving.body, tuple(middle)), part)
    if not axes:
        raise InputError(f"{part.label}: '{moving.body}' has no axes for a MovingPoint; take a rigid body")
    params: list[float] = [float(builder.d), float(q.kind), 0.0]
    for knots, coefficients in moving.splines(part.label):
        params += [float(len(knots)), *knots, *np.ravel(coefficients)]
    origin = builder.position(Point(moving.body, tuple(middle)), part) - combination(zip(middle, axes, strict=True))
    return origin, axes, q, tuple(map(float, params))


def _conditional_to_moving(
    moving: MovingPoint, via: ConditionalPoint, other: Point, builder: Points, part: Part
) -> Coordinate:
    origin, axes, r, moved = _moved(moving, builder, part)
    q = _driving(via.coordinate, builder, part)
    place = builder.position(via.point, part)
    spans = [place - builder.position(other, part), origin - place]
    params = (float(q.kind), 0.0, via.lower, via.upper, via.blend, *moved)
    first = 2 + len(axes)
    angles: tuple[tuple[int, int], ...] = ((1, first),) if q.kind == ANGLE else ()
    if r.kind == ANGLE:
        angles += ((7, first + len(q.vectors)),)
    vectors = [*(span.pruned() for span in spans), *axes, *q.vectors, *r.vectors]
    return Coordinate(CONDITIONAL_TO_MOVING, vectors, params, angles)


def _conditional(one: Point, via: ConditionalPoint, two: Point, builder: Points, part: Part) -> Coordinate:
    q = _driving(via.coordinate, builder, part)
    spans = [_straight(one, via.point, builder, part), _straight(via.point, two, builder, part)]
    params = (float(q.kind), 0.0, via.lower, via.upper, via.blend)
    angles = ((1, 2),) if q.kind == ANGLE else ()
    return Coordinate(CONDITIONAL, [s.vectors[0] for s in spans] + q.vectors, params, angles)
