"""Where paths run, for pictures: lines through their points and round the surfaces that they wrap over.

The direction of a path at its ends is the gradient of its length; from it follow the points where it touches a single sphere or
cylinder. Where it touches several surfaces, a ring or an ellipsoid is solved for as in its law. Between these points it is a
geodesic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.laws.codes import (
    CONDITIONAL,
    CONDITIONAL_TO_MOVING,
    CYLINDER,
    MOVING,
    SPHERE,
    WRAP_CYLINDER,
    WRAP_SURFACES,
)
from condyle.model.point import Point
from condyle.muscles.path import MovingPoint, segments
from condyle.muscles.reading import PathReader
from condyle.muscles.surfaces import SURFACES, EllipsoidWrap, SphereWrap, TorusWrap
from condyle.system.coordinate import find, spline_at

if TYPE_CHECKING:
    from condyle.system.system import System

Array = NDArray[np.float64]
STEPS = 24  # of the way round a surface


class _Segment(NamedTuple):
    first: Any
    over: tuple[Any, ...]  # surfaces or a conditional point; empty if straight
    second: Any
    kind: int
    reader: PathReader


class PathLine:
    """The line of a path at states, and the outlines of its surfaces."""

    def __init__(self, part: Any, system: System) -> None:
        self.part = part
        self._points = system.points
        self._segments = [
            _Segment(first, over, second, term.coordinate.kind, PathReader([term]))
            for (first, over, second), term in zip(segments(part.path), part.terms(system.points), strict=True)
        ]

    def at(self, x: Array) -> Array:
        """Points of the line at rows x (n, d), shape (points, d)."""
        line: list[Array] = []
        for segment in self._segments:
            places = self._places(segment, x)
            line += places[1:] if line else places
        return np.array(line)

    def surfaces(self, x: Array) -> list[Array]:
        """Lines that draw the surfaces, shape (points, d) each."""
        out = []
        for segment in self._segments:
            for k, wrap in enumerate(over for over in segment.over if isinstance(over, SURFACES)):
                centre, axes = self._place(wrap.centre, x), self._axes(segment, k, x)
                reach = [(self._place(p, x) - centre) @ axes[-1] for p in (segment.first, segment.second)]
                out += [centre + line for line in _outline(wrap, axes, reach)]
        return out

    def _place(self, point: Any, x: Array) -> Array:
        if isinstance(point, MovingPoint):
            q = float(find(self._points, point.coordinate, self.part).at(x))
            own = [spline_at(knots, coefficients, q) for knots, coefficients in point.splines(self.part.label)]
            point = Point(point.body, tuple(own))
        return self._points.position(point, self.part).at(x)

    def _places(self, segment: _Segment, x: Array) -> list[Array]:
        """The line of one segment."""
        length, gradient = segment.reader.at(x)
        if segment.kind == MOVING:
            return [self._place(segment.first, x), self._place(segment.second, x)]
        start, end = self._place(segment.first, x), self._place(segment.second, x)
        straight = float(np.linalg.norm(end - start))
        if segment.kind in (CONDITIONAL, CONDITIONAL_TO_MOVING):
            via = self._place(segment.over[0].point, x)
            round_it = float(np.linalg.norm(via - start) + np.linalg.norm(end - via))
            return [start, via, end] if abs(length - round_it) < abs(length - straight) else [start, end]
        if not segment.over or length <= (1.0 + 1e-12) * straight:
            return [start, end]
        if segment.kind == WRAP_SURFACES:
            return [start, *self._over_surfaces(segment, x), end]
        centre, axes = self._place(segment.over[0].centre, x), self._axes(segment, 0, x)
        way = _way_round(segment, length, axes, start - centre, end - centre, gradient)
        return [start, *(centre + p for p in way), end]

    def _over_surfaces(self, segment: _Segment, x: Array) -> list[Array]:
        """Points of all geodesics of a row of surfaces, as its law finds them."""
        from condyle.laws.strings import NUMBERS, place_surfaces
        from condyle.laws.ways import find_way

        d = x.shape[1]
        y = np.array([v.at(x) for v in segment.reader.vectors])
        given = segment.reader.params[6:]  # after what every coordinate has
        m = int(given[1])
        surfaces = given[2 : 2 + NUMBERS * m].reshape(m, NUMBERS).copy()
        ends, centres, frames = np.zeros((2, 3)), np.zeros((m, 3)), np.zeros((m, 3, 3))
        place_surfaces(d, m, np.ravel(np.delete(y, range(2, 2 + d), axis=0) @ y[2 : 2 + d].T), ends, centres, frames)
        U, touched = np.zeros((m, 4)), np.zeros(m, dtype=np.bool_)
        find_way(surfaces, ends, centres, frames, U, touched)
        origin, first, out, last = self._place(segment.over[0].centre, x), y[2 : 2 + d], [], ends[0]
        for k in np.flatnonzero(touched):
            Q, towards = U[k, :3], U[k, :3] - frames[k] @ (last - centres[k])
            kind, size = int(surfaces[k, 0]), surfaces[k, 1:4]
            way = [
                centres[k] + p @ frames[k] for p in _geodesic(kind, size, Q, towards / np.linalg.norm(towards), U[k, 3])
            ]
            out += [origin + p[:d] @ first for p in way]
            last = way[-1]
        return out

    def _axes(self, segment: _Segment, k: int, x: Array) -> Array:
        """Axes (rows) of the surface number k of a segment, at least two of them orthonormal."""
        d = x.shape[1]
        if segment.kind != WRAP_SURFACES and (isinstance(segment.over[0], SphereWrap) or d == 2):
            return np.eye(d)
        first = 1 if segment.kind != WRAP_SURFACES else (2 if k == 0 else 3 + d * k)
        axes = [v.at(x) for v in segment.reader.vectors[first : first + 2]]
        if d == 2:
            return np.array([axes[0], [-axes[0][1], axes[0][0]]])
        return np.array([*axes, np.cross(axes[0], axes[1])])


def _way_round(segment: _Segment, length: float, axes: Array, p: Array, s: Array, gradient: Array) -> list[Array]:
    """Points of the way round a single sphere or cylinder, the ends p and s being seen from its centre."""
    cylinder = segment.kind == WRAP_CYLINDER
    radius = segment.over[0].radius
    from_p, from_s = gradient[0], gradient[3 if cylinder else 1]
    flat = axes[:2] if cylinder else axes  # across the axis
    first, last = (float((flat @ t) @ (flat @ e) / ((flat @ t) @ (flat @ t))) for t, e in ((from_p, p), (from_s, s)))
    Q, T = np.zeros(3), np.zeros(3)
    Q[: len(p)], T[: len(p)] = axes @ (p - first * from_p), -axes @ from_p
    kind = CYLINDER if cylinder else SPHERE
    return [q[: len(p)] @ axes for q in _geodesic(kind, np.full(3, radius), Q, T, length - first - last)]


def _geodesic(kind: int, size: Array, Q: Array, T: Array, length: float) -> list[Array]:
    """Points along a geodesic from Q in the direction T."""
    from condyle.laws.geodesics import follow

    q, t = Q.copy(), T.copy()
    out = [q.copy()]
    for _ in range(STEPS):
        follow(kind, size, q, t, length / STEPS)
        out.append(q.copy())
    return out


def _outline(wrap: Any, axes: Array, reach: list[float]) -> list[Array]:
    """Lines of a surface about the origin: ellipses in its planes; of a cylinder two rings and four lines; rings of a torus."""
    angle = np.linspace(0.0, 2.0 * np.pi, 49)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    if isinstance(wrap, EllipsoidWrap | SphereWrap):
        semi = wrap.semi_axes if isinstance(wrap, EllipsoidWrap) else (wrap.radius,) * 3
        return [semi[i] * c * axes[i] + semi[j] * s * axes[j] for i, j in ((0, 1), (1, 2), (2, 0))]
    turn = c * axes[0] + s * axes[1]
    if isinstance(wrap, TorusWrap):
        ring, tube = wrap.ring_radius, wrap.tube_radius
        rings = [(ring + tube * a) * turn + tube * b * axes[2] for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1))]
        return rings + [(ring + tube * c) * u + tube * s * axes[2] for u in turn[:-1:6]]
    if len(axes) == 2:
        return [wrap.radius * turn]
    low, high = min(reach) - 0.5 * wrap.radius, max(reach) + 0.5 * wrap.radius
    rim = wrap.radius * turn
    sides = [np.array([p + low * axes[2], p + high * axes[2]]) for p in rim[:-1:12]]
    return [rim + low * axes[2], rim + high * axes[2], *sides]
