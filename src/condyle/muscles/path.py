"""Paths: from an origin over via points and surfaces to an insertion.

A path is a list. Its entries are points of bodies, points that move or act only at times, and between two points a surface
that the path wraps over. Its length is a sum of terms like joint coordinates, so everything that acts on a joint coordinate
could act on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.joints.coordinate import Coordinate, Term, find, spline_table, split
from condyle.laws.codes import ANGLE, CONDITIONAL, DISTANCE, MOVING, SLIDE, WRAP_CYLINDER, WRAP_ELLIPSOID, WRAP_SPHERE
from condyle.model.fields import Numbers
from condyle.model.part import Part, fits, number, rows, vector
from condyle.model.point import Point, as_point
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass(frozen=True)
class MovingPoint(Part):
    """A via point whose place in its body follows a joint coordinate, as over a patella.

    values: of the coordinate [rad or m], increasing; places: of the point then, in body axes [m], shape (values, d). Between
    them natural cubic splines, beyond them straight lines.
    """

    body: Any
    coordinate: str
    values: Numbers
    places: Numbers

    def __post_init__(self) -> None:
        object.__setattr__(self, "body", getattr(self.body, "name", self.body))
        rows(self, "values")
        rows(self, "places")
        if len(np.shape(self.places)) != 2 or len(self.places) != len(self.values):
            raise InputError(f"MovingPoint on '{self.body}': give one place for each of its {len(self.values)} values")
        for column in np.transpose(self.places):
            spline_table(self.values, column, f"MovingPoint on '{self.body}'")


@dataclass(frozen=True)
class ConditionalPoint(Part):
    """A via point that holds the path only while a joint coordinate is between lower and upper [rad or m].

    The length goes over from one way to the other within `blend` [rad or m] about each limit, smoothly, so that energy is
    kept account of.
    """

    point: Any
    coordinate: str
    lower: float = -1e9
    upper: float = 1e9
    blend: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", as_point(self.point))
        number(self, "lower")
        number(self, "upper")
        number(self, "blend", low=0.0, strict=True)
        if not self.lower < self.upper:
            raise InputError(
                f"ConditionalPoint {self.point}: lower = {self.lower:g} must be below upper = {self.upper:g}"
            )


@dataclass(frozen=True)
class SphereWrap(Part):
    """A sphere of a body that the path wraps over: centre (a point of the body), radius [m]. 3D only.

    The way is the shortest one: where the ends come to lie opposite each other it changes to the other side, as a string
    without friction does. side: a direction (world, at the start) from the centre to where the path passes; then it stays on
    that side, and goes the longer way round where the ends have passed each other.
    """

    centre: Any
    radius: float
    side: Numbers = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", as_point(self.centre))
        number(self, "radius", low=0.0, strict=True)
        vector(self, "side", none_ok=True, nonzero=True)


@dataclass(frozen=True)
class EllipsoidWrap(Part):
    """An ellipsoid of a body that the path wraps over: centre (a point of the body), semi_axes [m] along body axes. 3D only.

    The way is straight, along a geodesic, and straight again. As with the sphere it is the shortest one, or on a side.
    """

    centre: Any
    semi_axes: Numbers
    side: Numbers = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", as_point(self.centre))
        vector(self, "semi_axes")
        vector(self, "side", none_ok=True, nonzero=True)
        if len(self.semi_axes) != 3 or min(self.semi_axes) <= 0.0:
            raise InputError(f"EllipsoidWrap: semi_axes must be 3 positive lengths [m], not {self.semi_axes}")


@dataclass(frozen=True)
class CylinderWrap(Part):
    """A cylinder of a body (2D: a disk) that the path wraps over: a point on its axis, radius [m], axis (world, at the start).

    side: a direction (world, at the start) from the axis to where the path passes; by default the side on which the
    straight line passes at the start. The path stays on that side, over any angle. The cylinder has no ends.
    """

    centre: Any
    radius: float
    axis: Numbers = None
    side: Numbers = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", as_point(self.centre))
        number(self, "radius", low=0.0, strict=True)
        vector(self, "axis", none_ok=True, nonzero=True)
        vector(self, "side", none_ok=True, nonzero=True)


def as_path(entries: Any, who: str) -> tuple[Any, ...]:
    """Entries of a path: points, via points and surfaces."""
    if isinstance(entries, str) or not isinstance(entries, Sequence) or len(entries) < 2:
        raise InputError(f"{who}: a path is a list of at least two points, from origin to insertion, not {entries!r}")
    kinds = MovingPoint | ConditionalPoint | SphereWrap | CylinderWrap | EllipsoidWrap
    path = tuple(e if isinstance(e, kinds) else as_point(e) for e in entries)
    for k in (0, -1):
        if not isinstance(path[k], Point | MovingPoint):
            raise InputError(f"{who}: a path begins and ends at a point, not at a {type(path[k]).__name__}")
    for one, two in pairwise(path):
        if not isinstance(one, Point) and not isinstance(two, Point):
            names = f"{type(one).__name__} and {type(two).__name__}"
            raise InputError(f"{who}: {names} follow each other in its path; put a fixed point between them")
    return path


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
        if isinstance(entry, SphereWrap | EllipsoidWrap) and model.dimension == 2:
            raise InputError(
                f"{part.label}: in 2D a {type(entry).__name__} has no meaning; use CylinderWrap(centre, radius)"
            )
        if isinstance(entry, SphereWrap | EllipsoidWrap):
            fits(entry, "side", 3)
        if isinstance(entry, CylinderWrap):
            if model.dimension == 3 and entry.axis is None:
                raise InputError(f"{part.label}: its CylinderWrap needs an axis in 3D")
            if model.dimension == 3:
                fits(entry, "axis", 3)
            fits(entry, "side", model.dimension)


def path_terms(path: tuple[Any, ...], builder: Builder, part: Part) -> list[Term]:
    """The length of the path as a sum."""
    terms: list[Coordinate] = []
    for k, (one, two) in enumerate(pairwise(path)):
        if isinstance(one, ConditionalPoint | SphereWrap | CylinderWrap | EllipsoidWrap):
            continue  # belongs to the segment before
        if isinstance(two, Point):
            terms.append(_to_moving(one, two, builder, part) if isinstance(one, MovingPoint)
                         else _straight(one, two, builder, part))  # fmt: skip
        elif isinstance(two, MovingPoint):
            terms.append(_to_moving(two, one, builder, part))
        else:
            terms.append(_OVER[type(two)](one, two, path[k + 2], builder, part))
    return [Term(t) for t in terms]


def _straight(one: Point, two: Point, builder: Builder, part: Part) -> Coordinate:
    span = (builder.position(two, part) - builder.position(one, part)).pruned()
    length = np.linalg.norm(builder.value(span))
    if not length > 0.0:
        raise InputError(f"{part.label}: the points {one} and {two} of its path coincide; leave one out or move it")
    return Coordinate(DISTANCE, [span])


def _driving(reference: str, builder: Builder, part: Part) -> Coordinate:
    q = find(builder, reference, part)
    if q.kind not in (ANGLE, SLIDE):
        raise InputError(
            f"{part.label}: a via point follows an angle or a slide of a joint, which '{reference}' is not"
        )
    return q


def _to_moving(moving: MovingPoint, other: Point, builder: Builder, part: Part) -> Coordinate:
    q = _driving(moving.coordinate, builder, part)
    anchor = builder.anchor(moving.body, part)
    axes = anchor.axes()
    if len(axes) != builder.d:
        raise InputError(f"{part.label}: '{moving.body}' has no axes for a MovingPoint; take a rigid body")
    span = (builder.position(Point(moving.body), part) - builder.position(other, part)).pruned()
    params: list[float] = [float(builder.d), float(q.kind), 0.0]
    for column in np.transpose(moving.places):
        knots, coefficients = spline_table(moving.values, column, part.label)
        params += [float(len(knots)), *knots, *np.ravel(coefficients)]
    angles = ((2, builder.d + 1),) if q.kind == ANGLE else ()
    return Coordinate(MOVING, [span, *axes, *q.vectors], tuple(map(float, params)), angles)


def _conditional(one: Point, via: ConditionalPoint, two: Point, builder: Builder, part: Part) -> Coordinate:
    q = _driving(via.coordinate, builder, part)
    spans = [_straight(one, via.point, builder, part), _straight(via.point, two, builder, part)]
    params = (float(q.kind), 0.0, via.lower, via.upper, via.blend)
    angles = ((1, 2),) if q.kind == ANGLE else ()
    return Coordinate(CONDITIONAL, [s.vectors[0] for s in spans] + q.vectors, params, angles)


def _sphere(one: Point, wrap: SphereWrap, two: Point, builder: Builder, part: Part) -> Coordinate:
    centre = builder.position(wrap.centre, part)
    ends = [builder.position(p, part) - centre for p in (one, two)]
    for point, end in zip((one, two), ends, strict=True):
        _outside(np.linalg.norm(builder.value(end)), wrap.radius, point, part)
    if wrap.side is None:
        return Coordinate(WRAP_SPHERE, ends, (wrap.radius, 0.0))
    side = _carried(wrap.centre, np.asarray(wrap.side, dtype=float), builder, part)
    return Coordinate(WRAP_SPHERE, [*ends, side], (wrap.radius, 1.0))


def _cylinder(one: Point, wrap: CylinderWrap, two: Point, builder: Builder, part: Part) -> Coordinate:
    centre = builder.position(wrap.centre, part)
    ends = [builder.position(p, part) - centre for p in (one, two)]
    at = [builder.value(e) for e in ends]
    axis = np.array([0.0, 0.0, 1.0]) if builder.d == 2 else np.asarray(wrap.axis) / np.linalg.norm(wrap.axis)
    flat = [_across(p, axis) for p in at]
    for point, p in zip((one, two), flat, strict=True):
        _outside(np.linalg.norm(p), wrap.radius, point, part)
    side = _across(wrap.side, axis) if wrap.side is not None else _nearest(flat[0], flat[1])
    if np.linalg.norm(side) < 1e-9 * wrap.radius or (wrap.side is not None and np.linalg.norm(side) < 1e-9):
        raise InputError(f"{part.label}: on which side its path passes the CylinderWrap is open; give side=(…)")
    u = side / np.linalg.norm(side)
    w = np.cross(axis, u)
    angles = [np.arctan2(p @ w, p @ u) for p in flat]
    sense = 1.0 if angles[1] > angles[0] else -1.0
    frame = [_carried(wrap.centre, v[: builder.d], builder, part) for v in (u, w)]
    vectors = [ends[0], *frame, ends[1], *frame]
    # the reference angle of the first end stands where all coordinates have theirs
    return Coordinate(WRAP_CYLINDER, vectors, (0.0, wrap.radius, sense), ((-3, 0), (0, 3)))


def _ellipsoid(one: Point, wrap: EllipsoidWrap, two: Point, builder: Builder, part: Part) -> Coordinate:
    centre = builder.position(wrap.centre, part)
    axes = builder.anchor(wrap.centre.body, part).axes()
    if len(axes) != 3:
        raise InputError(f"{part.label}: '{wrap.centre.body}' has no axes for an EllipsoidWrap; take a rigid body")
    ends = [builder.position(p, part) - centre for p in (one, two)]
    frame = np.array([builder.value(axis) for axis in axes])
    semi = np.array(wrap.semi_axes, dtype=float)
    for point, end in zip((one, two), ends, strict=True):
        size = float(np.linalg.norm(frame @ builder.value(end) / semi))
        _outside(size * float(semi.min()), float(semi.min()), point, part)
    side = np.zeros(3) if wrap.side is None else frame @ wrap.side / np.linalg.norm(wrap.side) / semi.max()
    return Coordinate(WRAP_ELLIPSOID, [*ends, *axes], (*wrap.semi_axes, *side.tolist()))


_OVER: dict[type, Callable[..., Coordinate]] = {
    ConditionalPoint: _conditional, SphereWrap: _sphere, CylinderWrap: _cylinder, EllipsoidWrap: _ellipsoid
}  # fmt: skip


def _across(v: Any, axis: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.zeros(3)
    out[: len(v)] = v
    return out - (out @ axis) * axis


def _nearest(p: NDArray[np.float64], s: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point of the line from p to s that is nearest to the origin."""
    along = s - p
    t = np.clip(-float(p @ along) / max(float(along @ along), 1e-300), 0.0, 1.0)
    return p + t * along


def _carried(point: Point, direction: NDArray[np.float64], builder: Builder, part: Part) -> Weights:
    return builder.direction(point, direction, part)


def _outside(distance: Any, radius: float, point: Point, part: Part) -> None:
    if not distance > radius:
        raise InputError(
            f"{part.label}: {point} lies inside the surface that its path wraps over ({distance:.4g} m from its centre, "
            f"radius {radius:.4g} m); move the point out or make the surface smaller"
        )
