"""Rigid shapes as triangles, for pictures: closed forms for the round ones, their own facets for meshes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.geometry.mesh_shape import ConvexMesh, HeightField, TriangleMesh
from condyle.geometry.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Shape, Sphere, Superellipsoid

__all__ = ["triangulated"]

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]
ROUND = 32  # corners of a circle


def triangulated(shape: Shape, corners: int = ROUND) -> tuple[Array, Triangles] | None:
    """Points [m] in the axes of the body (n, 3) and triangles of their numbers (m, 3); None of a shape without end.

    corners: of a circle, a multiple of four.
    """
    made = _in_own_axes(shape, corners)
    if made is None:
        return None
    points, triangles = made
    return points @ shape.axes.T + shape.origin, triangles


def _in_own_axes(shape: object, n: int) -> tuple[Array, Triangles] | None:
    if isinstance(shape, Superellipsoid):
        return _globe(n, np.asarray(shape.radii), *shape.exponents)
    if isinstance(shape, Ellipsoid):
        return _globe(n, np.asarray(shape.radii))
    if isinstance(shape, Sphere):
        return _globe(n, np.full(3, shape.radius))
    if isinstance(shape, Capsule):
        return _turned(n, *_capsule_profile(n, shape.radius, shape.length), sharp=False)
    if isinstance(shape, Cylinder):
        half = 0.5 * shape.length
        return _turned(n, [0.0, shape.radius, shape.radius, 0.0], [-half, -half, half, half])
    if isinstance(shape, Cone):
        return _turned(n, [0.0, shape.radius, shape.top, 0.0], [0.0, 0.0, shape.height, shape.height])
    if isinstance(shape, Box):
        return _hull(0.5 * np.asarray(shape.size) * _signs())
    if isinstance(shape, ConvexMesh):
        return _hull(shape.facets()[0])
    if isinstance(shape, TriangleMesh | HeightField):
        return shape.facets()
    return None


def _globe(n: int, radii: Array, e1: float = 1.0, e2: float = 1.0) -> tuple[Array, Triangles]:
    """A superellipsoid by latitude and longitude."""
    latitude = np.linspace(-0.5 * np.pi, 0.5 * np.pi, n // 2 + 1)
    longitude = np.linspace(0.0, 2.0 * np.pi, n + 1)
    across, up = _power(np.cos(latitude), e1), _power(np.sin(latitude), e1)
    x = radii[0] * np.outer(across, _power(np.cos(longitude), e2))
    y = radii[1] * np.outer(across, _power(np.sin(longitude), e2))
    z = radii[2] * np.outer(up, np.ones(n + 1))
    return np.stack((x, y, z), axis=-1).reshape(-1, 3), _grid(len(latitude), n + 1)


def _turned(n: int, radius: ArrayLike, height: ArrayLike, *, sharp: bool = True) -> tuple[Array, Triangles]:
    """A profile turned about z; sharp: with points of their own on both sides of its edges."""
    r, z = (np.asarray(values, dtype=float) for values in (radius, height))
    if sharp:
        r, z = np.repeat(r, 2)[1:-1], np.repeat(z, 2)[1:-1]
    angle, along = np.linspace(0.0, 2.0 * np.pi, n + 1), np.ones(n + 1)
    points = np.stack((np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle)), np.outer(z, along)), axis=-1)
    bands = _grid(len(r), n + 1).reshape(-1, 2 * n, 3)
    return points.reshape(-1, 3), (bands[::2] if sharp else bands).reshape(-1, 3)


def _capsule_profile(n: int, radius: float, length: float) -> tuple[Array, Array]:
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, n // 2 + 1)
    middle = np.where(np.arange(len(angle)) <= n // 4, -0.5 * length, 0.5 * length)
    return radius * np.cos(angle), middle + radius * np.sin(angle)


def _hull(vertices: Array) -> tuple[Array, Triangles]:
    """Facets of a convex body, outside first; each has its own points, so that edges stay sharp."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices)
    outward = []
    for corners, equation in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = vertices[corners]
        outward.append(corners if np.cross(b - a, c - a) @ equation[:3] > 0.0 else corners[::-1])
    flat = np.array(outward).reshape(-1)
    return vertices[flat], np.arange(len(flat)).reshape(-1, 3)


def _grid(n: int, m: int) -> Triangles:
    """Two triangles for each cell of a grid of n rows of m points."""
    first = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).reshape(-1)
    a, b, c, d = first, first + 1, first + m + 1, first + m
    return np.stack((a, b, c, a, c, d), axis=-1).reshape(-1, 3)


def _power(value: Array, exponent: float) -> Array:
    """|v|^e with the sign of v."""
    return np.asarray(np.sign(value) * np.abs(value) ** exponent)


def _signs() -> Array:
    return np.array([[i, j, k] for i in (-1.0, 1.0) for j in (-1.0, 1.0) for k in (-1.0, 1.0)])
