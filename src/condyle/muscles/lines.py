"""Where paths run, for pictures: lines through their points and round the surfaces that they wrap over.

The direction of a path at its ends is the gradient of its length; from it follow the points where it touches a surface.
Between them it is a geodesic of the quadric xᵀ Q x = 1: x'' = −(x'ᵀ Q x' / |Q x|²) Q x.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.laws.codes import CONDITIONAL, MOVING, WRAP_CYLINDER
from condyle.muscles.path import ConditionalPoint, CylinderWrap, EllipsoidWrap, MovingPoint, SphereWrap
from condyle.muscles.reading import PathReader

if TYPE_CHECKING:
    from condyle.system.system import System

Array = NDArray[np.float64]
STEPS = 24  # of the way round a surface


class _Segment(NamedTuple):
    first: Any
    over: Any  # a surface or a conditional point, None if straight
    second: Any
    kind: int
    reader: PathReader


class PathLine:
    """The line of a path at states, and the outlines of its surfaces."""

    def __init__(self, part: Any, system: System) -> None:
        self.part = part
        self._builder = system.builder
        between = ConditionalPoint | SphereWrap | CylinderWrap | EllipsoidWrap
        places = [k for k, entry in enumerate(part.path) if not isinstance(entry, between)]
        self._segments = []
        for (i, j), term in zip(pairwise(places), part.terms(system.builder), strict=True):
            over = part.path[i + 1] if j > i + 1 else None
            kind = term.coordinate.kind
            self._segments.append(_Segment(part.path[i], over, part.path[j], kind, PathReader([term])))

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
            if isinstance(segment.over, SphereWrap | CylinderWrap | EllipsoidWrap):
                centre = self._place(segment.over.centre, x)
                axes, semi = self._frame(segment, x)
                reach = [(self._place(p, x) - centre) @ axes[-1] for p in (segment.first, segment.second)]
                out += [centre + line for line in _outline(axes, semi, reach)]
        return out

    def _place(self, point: Any, x: Array) -> Array:
        return self._builder.position(point, self.part).at(x)

    def _places(self, segment: _Segment, x: Array) -> list[Array]:
        """The line of one segment."""
        length, gradient = segment.reader.at(x)
        if segment.kind == MOVING:  # its gradient points from the other end to it
            if isinstance(segment.first, MovingPoint):
                end = self._place(segment.second, x)
                return [end + length * gradient[0], end]
            start = self._place(segment.first, x)
            return [start, start + length * gradient[0]]
        start, end = self._place(segment.first, x), self._place(segment.second, x)
        straight = float(np.linalg.norm(end - start))
        if segment.kind == CONDITIONAL:
            via = self._place(segment.over.point, x)
            round_it = float(np.linalg.norm(via - start) + np.linalg.norm(end - via))
            return [start, via, end] if abs(length - round_it) < abs(length - straight) else [start, end]
        if segment.over is None or length <= (1.0 + 1e-12) * straight:
            return [start, end]
        centre = self._place(segment.over.centre, x)
        axes, semi = self._frame(segment, x)
        Q = sum(np.outer(a, a) / s**2 for a, s in zip(axes, semi, strict=True) if np.isfinite(s))
        return [start, *(centre + p for p in _way(Q, length, start - centre, end - centre, *self._ends(segment, gradient))),
                end]  # fmt: skip

    def _ends(self, segment: _Segment, gradient: Array) -> tuple[Array, Array]:
        """Directions of the path at its ends, away from the surface."""
        return gradient[0], gradient[3 if segment.kind == WRAP_CYLINDER else 1]

    def _frame(self, segment: _Segment, x: Array) -> tuple[Array, Array]:
        """Axes (rows) and semi-axes [m] of a surface; along a cylinder, its last axis, the semi-axis is infinite."""
        d, wrap = x.shape[1], segment.over
        vectors = [v.at(x) for v in segment.reader.vectors]
        if isinstance(wrap, EllipsoidWrap):
            return np.array(vectors[2:5]), np.array(wrap.semi_axes)
        if isinstance(wrap, SphereWrap) or d == 2:
            return np.eye(d), np.full(d, wrap.radius)
        u, w = vectors[1], vectors[2]
        return np.array([u, w, np.cross(u, w)]), np.array([wrap.radius, wrap.radius, np.inf])


def _way(Q: Any, length: float, p: Array, s: Array, from_p: Array, from_s: Array) -> Array:
    """Points of the geodesic between the points of touch, the ends p and s being seen from the centre."""
    first, last = (float(t @ Q @ e / (t @ Q @ t)) for t, e in ((from_p, p), (from_s, s)))
    h = (length - first - last) / STEPS
    y = np.array([p - first * from_p, -from_p])
    out = [y[0]]

    def rate(y: Array) -> Array:
        normal = Q @ y[0]
        return np.array([y[1], -(y[1] @ Q @ y[1]) / (normal @ normal) * normal])

    for _ in range(STEPS):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(y + h * k3))
        out.append(y[0])
    return np.array(out)


def _outline(axes: Array, semi: Array, reach: list[float]) -> list[Array]:
    """Lines of a quadric about the origin: ellipses in its planes; of a cylinder two rings and four lines."""
    angle = np.linspace(0.0, 2.0 * np.pi, 49)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    if len(axes) == 2:
        return [semi[0] * (c * axes[0] + s * axes[1])]
    if not np.isfinite(semi[2]):
        low, high = min(reach) - 0.5 * semi[0], max(reach) + 0.5 * semi[0]
        ring = semi[0] * (c * axes[0] + s * axes[1])
        sides = [np.array([p + low * axes[2], p + high * axes[2]]) for p in ring[:-1:12]]
        return [ring + low * axes[2], ring + high * axes[2], *sides]
    return [semi[i] * c * axes[i] + semi[j] * s * axes[j] for i, j in ((0, 1), (1, 2), (2, 0))]
