"""Surfaces with a formula: plane, sphere, cylinder, capsule, box, ellipsoid, cone, torus."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from condyle.contact.facets import FacetSurface
from condyle.contact.surface import (
    TINY,
    Array,
    Distance,
    Surface,
    from_vector,
    half_plane,
    offset_curvature,
    revolved,
    turned_inside_out,
)
from condyle.errors import InputError
from condyle.model.given import NumbersLike, NumbersOrNone, Vector, VectorOrNone
from condyle.model.part import number, plain
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.model.rotations import as_rotation_matrix

EDGE = 0.01  # of half the smallest side of a box: so near to an edge, the face that is meant is the one that faces the body


@declared
class Plane(Surface):
    """A half space: material below the plane through `point` [m] with outward `normal`. In 2D a line."""

    normal: Vector = quantity(vector=True, nonzero=True)
    point: VectorOrNone = quantity("m", default=None, vector=True)

    def distance(self, points: Array) -> Distance:
        n = as_unit(self.normal)
        gap = (points - as_place(self.point, len(n))) @ n
        count, d = points.shape
        return Distance(gap, np.tile(n, (count, 1)), np.zeros((count, d, d)))

    def outline(self, dimension: int) -> list[NumbersLike]:
        n, a = as_unit(self.normal), as_place(self.point, dimension)
        return [np.array([a - np.array([n[1], -n[0]]), a + np.array([n[1], -n[0]])])] if dimension == 2 else []


@declared
class Sphere(Surface):
    """A sphere, in 2D a circle. inside: the material is around it (a socket)."""

    radius: float = quantity("m", above=0.0)
    centre: VectorOrNone = quantity("m", default=None, vector=True)
    inside: bool = False

    def distance(self, points: Array) -> Distance:
        v = points - as_place(self.centre, points.shape[1])
        return turned_inside_out(from_vector(v, self.radius), self.inside)

    def outline(self, dimension: int) -> list[NumbersLike]:
        return _rings(self.radius, self.radius, as_place(self.centre, dimension), dimension)


@declared
class Cylinder(Surface):
    """A cylinder about `axis` through `centre` [m]; length: with flat ends at ± length/2, None for a very long one.

    inside: the material is around it (a bore).
    """

    radius: float = quantity("m", above=0.0)
    axis: Vector = quantity(vector=True, nonzero=True)
    centre: VectorOrNone = quantity("m", default=None, vector=True)
    length: float | None = quantity("m", default=None, above=0.0)
    inside: bool = False
    dimensions: ClassVar[tuple[int, ...]] = (3,)

    def __post_init__(self) -> None:
        if self.length is not None:
            R, h = self.radius, 0.5 * self.length
            self._profile = FacetSurface([(0, -h), (R, -h), (R, h), (0, h)], [(0, 1), (1, 2), (2, 3)])

    def distance(self, points: Array) -> Distance:
        axis, centre = as_unit(self.axis), as_place(self.centre, 3)
        if self.length is not None:
            return turned_inside_out(_revolve(self._profile, points, centre, axis), self.inside)
        v = points - centre
        flat = np.tile(axis, (len(points), 1))
        return turned_inside_out(from_vector(v - (v @ axis)[:, None] * axis, self.radius, flat), self.inside)


@declared
class Capsule(Surface):
    """All points within `radius` [m] of the line from `start` to `end` [m]."""

    start: Vector = quantity("m", vector=True)
    end: Vector = quantity("m", vector=True)
    radius: float = quantity("m", above=0.0)

    def __post_init__(self) -> None:
        if np.shape(self.start) != np.shape(self.end) or self.start == self.end:
            raise InputError(f"{self.label}: start and end must be two different points; use a Sphere for one")

    def distance(self, points: Array) -> Distance:
        a, b = np.array(self.start), np.array(self.end)
        length = float(np.linalg.norm(b - a))
        u = (b - a) / length
        s = (points - a) @ u
        v = points - a - np.clip(s, 0.0, length)[:, None] * u
        along = ((s > 0.0) & (s < length))[:, None]
        return from_vector(v, self.radius, np.where(along, u, 0.0))


@declared
class Box(Surface):
    """A box, in 2D a rectangle, of sides `size` [m] about `centre` [m]; rounding: radius [m] of its edges.

    rotation: of the box in its body, as for a RigidBody.
    """

    size: Vector = quantity("m", vector=True, above=0.0)
    centre: VectorOrNone = quantity("m", default=None, vector=True)
    rotation: NumbersOrNone = quantity("rad", default=None)
    mirror = in_mirror(size="same", rotation="turn")
    rounding: float = quantity("m", default=0.0, at_least=0.0)

    def __post_init__(self) -> None:
        self.rotation = plain(self.rotation)
        if 2.0 * self.rounding > min(self.size):
            raise InputError(f"{self.label}: size must be at least twice the rounding, not {self.size}")

    def distance(self, points: Array) -> Distance:
        d = points.shape[1]
        R = as_turn(self.rotation, d)
        v = (points - as_place(self.centre, d)) @ R
        sign = np.where(v < 0.0, -1.0, 1.0)
        q = np.abs(v) - (0.5 * np.array(self.size) - self.rounding)
        out = np.maximum(q, 0.0)
        near = from_vector(out, 0.0)
        active = (q > 0.0).astype(float)
        # From an edge only the directions across it curve; from a face none.
        H = near.hessian * active[:, :, None] * active[:, None, :]
        inner = np.flatnonzero(~(q > 0.0).any(axis=1))
        gap, n = near.gap, near.normal
        if inner.size:
            face = q[inner].argmax(axis=1)
            gap[inner] = q[inner, face]
            n[inner] = np.eye(d)[face]
            H[inner] = 0.0
        H[active.sum(axis=1) == 1] = 0.0
        n = (n * sign) @ R.T
        H = np.einsum("ia,nab,jb->nij", R, H * sign[:, :, None] * sign[:, None, :], R)
        return Distance(gap - self.rounding, n, H)

    def distance_towards(self, points: Array, towards: Array) -> Distance:
        """At a sharp edge the nearest face may be any of those that meet there: the one that faces the other body is meant.

        Corners of a box that stands on another of the same size are on the edges of its sides, too.
        """
        near, d = self.distance(points), points.shape[1]
        if self.rounding > 0.0:
            return near
        R, half = as_turn(self.rotation, d), 0.5 * np.array(self.size)
        v, way = (points - as_place(self.centre, d)) @ R, towards @ R
        sign, q = np.where(v < 0.0, -1.0, 1.0), np.abs(v) - half
        reach = EDGE * float(half.min())
        close = (q > -reach) & (q < 1e-9 * half.min())
        facing = np.where(close, sign * way / half, -np.inf)
        face = facing.argmax(axis=1)
        row = np.arange(len(points))
        on = (close.sum(axis=1) > 1) & (q < 1e-9 * half.min()).all(axis=1) & (facing[row, face] > 0.0)
        unit = (np.eye(d)[face] * sign) @ R.T
        return Distance(
            np.where(on, q[row, face], near.gap),
            np.where(on[:, None], unit, near.normal),
            np.where(on[:, None, None], 0.0, near.hessian),
        )

    def outline(self, dimension: int) -> list[NumbersLike]:
        if dimension == 3:
            return []
        h = 0.5 * np.array(self.size)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * h
        return [as_place(self.centre, 2) + corners @ as_turn(self.rotation, 2).T]


@declared
class Ellipsoid(Surface):
    """An ellipsoid, in 2D an ellipse, of half axes `radii` [m] about `centre` [m]; inside: the material is around it."""

    radii: Vector = quantity("m", vector=True, above=0.0)
    centre: VectorOrNone = quantity("m", default=None, vector=True)
    rotation: NumbersOrNone = quantity("rad", default=None)
    inside: bool = False
    mirror = in_mirror(radii="same", rotation="turn")

    def __post_init__(self) -> None:
        self.rotation = plain(self.rotation)

    def distance(self, points: Array) -> Distance:
        d = points.shape[1]
        R, r = as_turn(self.rotation, d), np.array(self.radii)
        v = (points - as_place(self.centre, d)) @ R
        # In the planes of symmetry the closest point may be on either side: choose one.
        v = np.where(np.abs(v) < 1e-12 * r, 1e-12 * r, v)
        tau = self._root(v, r)
        y = r * r * v / (tau[:, None] + r * r)
        slope = y / (r * r)
        size = np.linalg.norm(slope, axis=1)
        n = slope / size[:, None]
        gap = np.sum((v - y) * n, axis=1)
        flat = np.eye(d) - n[:, :, None] * n[:, None, :]
        S = flat @ np.diag(1.0 / (r * r)) @ flat / size[:, None, None]
        near = Distance(gap, n @ R.T, np.einsum("ia,nab,jb->nij", R, offset_curvature(S, gap), R))
        return turned_inside_out(near, self.inside)

    @staticmethod
    def _root(v: Array, r: Array) -> Array:
        """The largest τ with Σ (r v / (τ + r²))² = 1: the closest point is r² v / (τ + r²).

        The sum falls with τ > −min r², so a bracket and Newton's method inside it cannot end at another point.
        """
        k = int(np.argmin(r))
        low = -(r[k] ** 2) + r[k] * np.abs(v[:, k])
        high = np.linalg.norm(r * v, axis=1) - r[k] ** 2
        high = np.maximum(high, low) + 1e-15 * r[k] ** 2
        tau = 0.5 * (low + high)
        for _ in range(80):
            terms = (r * v / (tau[:, None] + r * r)) ** 2
            f = terms.sum(axis=1) - 1.0
            slope = -2.0 * np.sum(terms / (tau[:, None] + r * r), axis=1)
            low, high = np.where(f > 0.0, tau, low), np.where(f > 0.0, high, tau)
            step = tau - f / np.minimum(slope, -TINY)
            new = np.where((step > low) & (step < high), step, 0.5 * (low + high))
            done = np.abs(new - tau) <= 1e-15 * (np.abs(tau) + r[k] ** 2)
            tau = new
            if done.all():
                break
        return tau


@declared
class Cone(Surface):
    """A cone with a flat base of `radius` [m] at `centre` [m] and its top, of radius `top`, at `height` [m] along `axis`."""

    radius: float = quantity("m", above=0.0)
    height: float = quantity("m", above=0.0)
    axis: Vector = quantity(vector=True, nonzero=True)
    centre: VectorOrNone = quantity("m", default=None, vector=True)
    top: float = quantity("m", default=0.0, at_least=0.0)
    inside: bool = False
    dimensions: ClassVar[tuple[int, ...]] = (3,)

    def __post_init__(self) -> None:
        line = [(0.0, 0.0), (self.radius, 0.0), (self.top, self.height)]
        if self.top > 0.0:
            line.append((0.0, self.height))
        self._profile = FacetSurface(line, [(k, k + 1) for k in range(len(line) - 1)])

    def distance(self, points: Array) -> Distance:
        near = _revolve(self._profile, points, as_place(self.centre, 3), as_unit(self.axis))
        return turned_inside_out(near, self.inside)


@declared
class Torus(Surface):
    """A ring about `axis`: a circle of radius `minor` [m] turned at the distance `major` [m]."""

    major: float = quantity("m")
    minor: float = quantity("m", above=0.0)
    axis: Vector = quantity(vector=True, nonzero=True)
    centre: VectorOrNone = quantity("m", default=None, vector=True)
    dimensions: ClassVar[tuple[int, ...]] = (3,)

    def __post_init__(self) -> None:
        number(self, "major", low=self.minor, strict=True)

    def distance(self, points: Array) -> Distance:
        axis = as_unit(self.axis)
        flat, rho, radial = half_plane(points, as_place(self.centre, 3), axis)
        return revolved(from_vector(flat - np.array([self.major, 0.0]), self.minor), rho, radial, axis)


def _revolve(profile: Surface, points: Array, centre: Array, axis: Array) -> Distance:
    flat, rho, radial = half_plane(points, centre, axis)
    return revolved(profile.distance(flat), rho, radial, axis)


def as_unit(v: Any) -> Array:
    a = np.asarray(v, dtype=float)
    return a / np.linalg.norm(a)


def as_place(v: Any, d: int) -> Array:
    return np.zeros(d) if v is None else np.asarray(v, dtype=float)


def as_turn(given: Any, d: int) -> Array:
    return np.eye(d) if given is None else np.asarray(as_rotation_matrix(given, d, "surface"), dtype=float)


def _rings(a: float, b: float, centre: Array, d: int) -> list[Any]:
    angle = np.linspace(0.0, 2.0 * np.pi, 61)
    ring = np.column_stack((a * np.cos(angle), b * np.sin(angle)))
    if d == 2:
        return [centre + ring]
    return [centre + np.insert(ring, k, 0.0, axis=1) for k in range(3)]
