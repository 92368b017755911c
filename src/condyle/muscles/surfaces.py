"""Surfaces that paths wrap over: spheres, cylinders, ellipsoids, tori, alone or several in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.laws.codes import CYLINDER, ELLIPSOID, SPHERE, TORUS, WRAP_CYLINDER, WRAP_SPHERE, WRAP_SURFACES
from condyle.model.given import Given, NumbersOrNone, OnPoint, Vector, VectorLike, VectorOrNone
from condyle.model.part import Part, fits, plain
from condyle.model.point import Point, as_point
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.model.rotations import as_rotation_matrix
from condyle.system.coordinate import Coordinate, Term
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.points import Points

Array = NDArray[np.float64]


class _Wrap(Part, abstract=True):
    """A surface that a path wraps over, about a point of a body; its radii are positive lengths [m]."""

    centre: OnPoint
    side: VectorOrNone

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", as_point(self.centre))


@declared(frozen=True)
class SphereWrap(_Wrap):
    """A sphere of a body that the path wraps over: centre (a point of the body), radius [m]. 3D only.

    The way is the shortest one: where the ends come to lie opposite each other it changes to the other side, as a string
    without friction does. side: a direction (world, at the start) from the centre to where the path passes; then it stays on
    that side, and goes the longer way round where the ends have passed each other.
    """

    centre: OnPoint
    radius: float = quantity("m", above=0.0)
    side: VectorOrNone = quantity(default=None, vector=True, nonzero=True)


@declared(frozen=True)
class EllipsoidWrap(_Wrap):
    """An ellipsoid of a body that the path wraps over: centre (a point of the body), semi_axes [m] along body axes. 3D only.

    axes: rotation of its axes against the world at the start (as for RigidBody.rotation), if they are not those of the body.
    The way is straight, along a geodesic, and straight again. As with the sphere it is the shortest one, or on a side.
    """

    centre: OnPoint
    semi_axes: Given[VectorLike, tuple[float, float, float]] = quantity("m", shape=(3,), above=0.0)
    side: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    axes: NumbersOrNone = quantity("rad", default=None)
    mirror = in_mirror(semi_axes="same", axes="turn")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axes", plain(self.axes))


@declared(frozen=True)
class CylinderWrap(_Wrap):
    """A cylinder of a body (2D: a disk) that the path wraps over: a point on its axis, radius [m], axis (world, at the start).

    side: a direction (world, at the start) from the axis to where the path passes; by default the side on which the
    straight line passes at the start. The path stays on that side, over any angle. The cylinder has no ends.
    """

    centre: OnPoint
    radius: float = quantity("m", above=0.0)
    axis: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    side: VectorOrNone = quantity(default=None, vector=True, nonzero=True)


@declared(frozen=True)
class TorusWrap(_Wrap):
    """A ring of a body that the path passes through, wrapping over it from inside: a loop of bone or of a sheath. 3D only.

    centre: a point of the body; ring_radius: of the circle about `axis` (world, at the start) that the ring is bent along [m];
    tube_radius: of its section [m]. side: a direction (world, at the start) from the centre to the piece of the ring that the
    path lies on; by default the piece nearest to the straight line.
    """

    centre: OnPoint
    ring_radius: float = quantity("m", above=0.0)
    tube_radius: float = quantity("m", above=0.0)
    axis: Vector = quantity(vector=True, nonzero=True)
    side: VectorOrNone = quantity(default=None, vector=True, nonzero=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.tube_radius < self.ring_radius:
            raise InputError(
                f"TorusWrap: tube_radius = {self.tube_radius:g} leaves no hole in a ring of ring_radius = "
                f"{self.ring_radius:g}; make the tube thinner"
            )


SURFACES = SphereWrap | CylinderWrap | EllipsoidWrap | TorusWrap


def check_surface(wrap: Any, model: Model, part: Part) -> None:
    """Its dimensions fit the model."""
    if model.dimension == 2 and not isinstance(wrap, CylinderWrap):
        raise InputError(
            f"{part.label}: in 2D a {type(wrap).__name__} has no meaning; use CylinderWrap(centre, radius)"
        )
    if isinstance(wrap, CylinderWrap) and model.dimension == 3 and wrap.axis is None:
        raise InputError(f"{part.label}: its CylinderWrap needs an axis in 3D")
    if isinstance(wrap, CylinderWrap | TorusWrap) and model.dimension == 3:
        fits(wrap, "axis", 3)
    fits(wrap, "side", model.dimension)


def over_surfaces(one: Point, wraps: Sequence[Any], two: Point, builder: Points, part: Part) -> Coordinate:
    """The length from one point over surfaces to another."""
    if len(wraps) == 1 and isinstance(wraps[0], SphereWrap):
        return _sphere(one, wraps[0], two, builder, part)
    if len(wraps) == 1 and isinstance(wraps[0], CylinderWrap):
        return _cylinder(one, wraps[0], two, builder, part)
    return _in_a_row(one, wraps, two, builder, part)


def _sphere(one: Point, wrap: SphereWrap, two: Point, builder: Points, part: Part) -> Coordinate:
    centre = builder.position(wrap.centre, part)
    ends = [builder.position(p, part) - centre for p in (one, two)]
    for point, end in zip((one, two), ends, strict=True):
        _outside(float(np.linalg.norm(builder.value(end))), wrap.radius, point, part)
    if wrap.side is None:
        return Coordinate(WRAP_SPHERE, ends, (wrap.radius, 0.0))
    side = _carried(wrap.centre, np.asarray(wrap.side, dtype=float), builder, part)
    return Coordinate(WRAP_SPHERE, [*ends, side], (wrap.radius, 1.0))


def _cylinder(one: Point, wrap: CylinderWrap, two: Point, builder: Points, part: Part) -> Coordinate:
    centre = builder.position(wrap.centre, part)
    ends = [builder.position(p, part) - centre for p in (one, two)]
    at = [builder.value(e) for e in ends]
    axis = np.array([0.0, 0.0, 1.0])
    if builder.d == 3 and wrap.axis is not None:  # `check_surface` asks for it
        axis = np.asarray(wrap.axis) / np.linalg.norm(wrap.axis)
    flat = [_across(p, axis) for p in at]
    for point, p in zip((one, two), flat, strict=True):
        _outside(float(np.linalg.norm(p)), wrap.radius, point, part)
    side = _passed_side(wrap, axis, at, part)
    u = side / np.linalg.norm(side)
    w = np.cross(axis, u)
    angles = [np.arctan2(p @ w, p @ u) for p in flat]
    sense = 1.0 if angles[1] > angles[0] else -1.0
    frame = [_carried(wrap.centre, v[: builder.d], builder, part) for v in (u, w)]
    vectors = [ends[0], *frame, ends[1], *frame]
    # the reference angle of the first end stands where all coordinates have theirs
    return Coordinate(WRAP_CYLINDER, vectors, (0.0, wrap.radius, sense), ((-3, 0), (0, 3)))


class _Surface(NamedTuple):
    """A surface in axes of its own: code, sizes [m], and the side in these axes over the largest size."""

    centre: Weights
    axes: list[Weights]
    code: int
    sizes: tuple[float, float, float]
    side: Array


def _in_a_row(one: Point, wraps: Sequence[Any], two: Point, builder: Points, part: Part) -> Coordinate:
    """As laws/ways.py wants it: all seen from the first surface."""
    from condyle.muscles.reading import PathReader

    d = builder.d
    ends = [builder.position(p, part) for p in (one, two)]
    surfaces = [_surface(wrap, ends, builder, part) for wrap in wraps]
    for point, end, surface in zip((one, two), ends, (surfaces[0], surfaces[-1]), strict=True):
        _outside_of(surface, end, point, builder, part)
    centre = surfaces[0].centre
    vectors = [end - centre for end in ends] + surfaces[0].axes
    params = [float(d), float(len(surfaces))]
    for k, surface in enumerate(surfaces):
        params += [float(surface.code), *surface.sizes, *surface.side]
        vectors += [surface.centre - centre, *surface.axes[: d - 1]] if k else []
    row = Coordinate(WRAP_SURFACES, vectors, tuple(map(float, params)))
    if not np.isfinite(PathReader([Term(row)]).at(builder.places())[0]):
        names = ", ".join(type(wrap).__name__ for wrap in wraps)
        raise InputError(
            f"{part.label}: no way was found from {one} over {names} to {two} in the declared pose; say on which side it "
            "passes them (side=…), or put a point between them"
        )
    return row


def _surface(wrap: Any, ends: list[Weights], builder: Points, part: Part) -> _Surface:
    d = builder.d
    centre = builder.position(wrap.centre, part)
    if isinstance(wrap, EllipsoidWrap):
        axes = builder.axes(wrap.centre, part)
        if not axes:
            raise InputError(f"{part.label}: '{wrap.centre.body}' has no axes for an EllipsoidWrap; take a rigid body")
        if wrap.axes is not None:
            turned = as_rotation_matrix(wrap.axes, 3, part.label).T
            axes = [_carried(wrap.centre, axis, builder, part) for axis in turned]
        frame = np.array([builder.value(axis) for axis in axes])
        side = np.zeros(3) if wrap.side is None else frame @ wrap.side / np.linalg.norm(wrap.side) / max(wrap.semi_axes)
        return _Surface(centre, axes, ELLIPSOID, wrap.semi_axes, side)
    if isinstance(wrap, SphereWrap):
        code, sizes, frame = SPHERE, (wrap.radius,) * 3, np.eye(3)
        side = np.zeros(3) if wrap.side is None else np.asarray(wrap.side) / np.linalg.norm(wrap.side) / wrap.radius
    else:
        axis = np.array([0.0, 0.0, 1.0]) if d == 2 else np.asarray(wrap.axis) / np.linalg.norm(wrap.axis)
        towards = _passed_side(wrap, axis, [builder.value(end - centre) for end in ends], part)
        u = towards / np.linalg.norm(towards)
        frame = np.array([u, np.cross(axis, u), axis])
        code = TORUS if isinstance(wrap, TorusWrap) else CYLINDER
        sizes = (wrap.ring_radius, wrap.tube_radius, 0.0) if code == TORUS else (wrap.radius, wrap.radius, 0.0)
        side = np.zeros(3) if code == TORUS and wrap.side is None else np.array([1.0 / sizes[0], 0.0, 0.0])
    return _Surface(centre, [_carried(wrap.centre, v[:d], builder, part) for v in frame[:d]], code, sizes, side)


def _passed_side(wrap: Any, axis: Array, ends: list[Array], part: Part) -> Array:
    """Direction across the axis to where the path passes; of a ring without a side, any direction."""
    if wrap.side is None and isinstance(wrap, TorusWrap):
        return _across(np.eye(3)[np.argmin(np.abs(axis))], axis)
    flat = [_across(end, axis) for end in ends]
    side = _across(wrap.side, axis) if wrap.side is not None else _nearest(flat[0], flat[1])
    if np.linalg.norm(side) < 1e-9 * (1.0 if wrap.side is not None else wrap.radius):
        raise InputError(
            f"{part.label}: on which side its path passes the {type(wrap).__name__} is open; give side=(…)"
        )
    return side


def _outside_of(surface: _Surface, end: Weights, point: Point, builder: Points, part: Part) -> None:
    from condyle.laws.geodesics import normal_at

    place = np.zeros(3)
    place[: builder.d] = [builder.value(axis) @ builder.value(end - surface.centre) for axis in surface.axes]
    size = 1.0 + normal_at(surface.code, np.array(surface.sizes), place, np.zeros(3))
    if surface.code == TORUS:
        off, radius = np.hypot(np.hypot(place[0], place[1]) - surface.sizes[0], place[2]), surface.sizes[1]
    else:
        off, radius = np.sqrt(size) * min(s for s in surface.sizes if s > 0.0), min(s for s in surface.sizes if s > 0.0)
    _outside(off, radius, point, part)


def covered(point: ArrayLike, wraps: Sequence[Any], points: Points, part: Part, x: Array) -> bool:
    """Does a point of a path lie inside one of its surfaces, at rows x (n, d)?"""
    from condyle.laws.geodesics import normal_at

    if not isinstance(point, Point):
        return False
    at = points.position(point, part)
    for wrap in wraps:
        surface = _surface(wrap, [at, at], points, part)
        place = np.zeros(3)
        place[: points.d] = [axis.at(x) @ (at - surface.centre).at(x) for axis in surface.axes]
        if not normal_at(surface.code, np.array(surface.sizes), place, np.zeros(3)) > 0.0:
            return True
    return False


def _across(v: Any, axis: Array) -> Array:
    out = np.zeros(3)
    out[: len(v)] = v
    return out - (out @ axis) * axis


def _nearest(p: Array, s: Array) -> Array:
    """The point of the line from p to s that is nearest to the origin."""
    along = s - p
    t = np.clip(-float(p @ along) / max(float(along @ along), 1e-300), 0.0, 1.0)
    return p + t * along


def _carried(point: Point, direction: Array, builder: Points, part: Part) -> Weights:
    return builder.direction(point, direction, part)


def _outside(distance: float, radius: float, point: Point, part: Part) -> None:
    if not distance > radius:
        raise InputError(
            f"{part.label}: {point} lies inside the surface that its path wraps over ({distance:.4g} m from its centre, "
            f"radius {radius:.4g} m); move the point out or make the surface smaller"
        )
