"""Surfaces that bound a rigid shape, as the shapes of condyle.geometry: one set of names for the user, one for the kernels.

In the plane a shape is a slice of one in space: a disk of a sphere, a rectangle of a long bar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from condyle.contact.facets import FacetSurface
from condyle.contact.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere, as_place, as_turn, as_unit
from condyle.contact.surface import Array, Surface
from condyle.errors import InputError
from condyle.geometry import mesh_shape, shape
from condyle.model.given import means

DEPTH = 10.0  # of a rectangle or polygon, over its largest side: out of the plane is never the shortest way


def as_shape(surface: Any, d: int, label: str) -> shape.Shape:
    """The rigid shape within a surface, in the axes of the body that carries it; label: of the part that asks."""
    if isinstance(surface, shape.Shape):
        return surface
    made = MADE.get(type(surface))
    if made is None:
        kinds = ", ".join(kind.__name__ for kind in MADE)
        raise InputError(
            f"{label}: a {type(surface).__name__} cannot meet another shape; those that can are {kinds}; or give points of the "
            "other body, which meet every surface"
        )
    if getattr(surface, "inside", False):
        raise InputError(
            f"{label}: a {type(surface).__name__} with inside=True is a cavity, which points can meet but no shape; give "
            "points of the other body, with a radius if they are balls"
        )
    return made(surface, d, label)


def _plane(s: Plane, d: int, label: str) -> shape.Shape:
    return shape.HalfSpace(_wide(s.normal), centre=_wide(as_place(s.point, d)))


def _sphere(s: Sphere, d: int, label: str) -> shape.Shape:
    return shape.Sphere(s.radius, centre=_wide(as_place(s.centre, d)))


def _ellipsoid(s: Ellipsoid, d: int, label: str) -> shape.Shape:
    radii = [*s.radii, min(s.radii)][:3]
    return shape.Ellipsoid(radii, centre=_wide(as_place(s.centre, d)), rotation=_turn(as_turn(s.rotation, d)))


def _box(s: Box, d: int, label: str) -> shape.Shape:
    size = [*s.size, DEPTH * max(s.size)][:3]
    R = _turn(as_turn(s.rotation, d))
    return shape.Box(size, s.rounding, centre=_wide(as_place(s.centre, d)), rotation=R)


def _capsule(s: Capsule, d: int, label: str) -> shape.Shape:
    a, b = _wide(s.start), _wide(s.end)
    length = float(np.linalg.norm(b - a))
    return shape.Capsule(s.radius, length, centre=0.5 * (a + b), rotation=along(b - a))


def _cylinder(s: Cylinder, d: int, label: str) -> shape.Shape:
    if s.length is None:
        raise InputError(f"{label}: a Cylinder without length has no end; give length [m] to let it meet another shape")
    return shape.Cylinder(s.radius, s.length, centre=_wide(as_place(s.centre, 3)), rotation=along(s.axis))


def _cone(s: Cone, d: int, label: str) -> shape.Shape:
    return shape.Cone(s.radius, s.height, s.top, centre=_wide(as_place(s.centre, 3)), rotation=along(s.axis))


def _facets(s: FacetSurface, d: int, label: str) -> shape.Shape:
    X, groups = np.array(s.nodes), s._groups()
    if d == 2:
        return _polygon(X, s, label)
    triangles = np.vstack([F[:, [0, k, k + 1]] for F in groups for k in range(1, F.shape[1] - 1)])
    return mesh_shape.TriangleMesh(X, triangles, solid=s._made.is_closed())


def _polygon(X: Array, s: FacetSurface, label: str) -> shape.Shape:
    """The bar over a convex polygon."""
    from scipy.spatial import ConvexHull

    used = X[np.unique(np.array(s.facets))]
    if not s._made.is_closed() or len(ConvexHull(used).vertices) < len(used):
        raise InputError(
            f"{label}: in the plane lines must be a closed convex polygon to meet another shape; divide it into convex ones"
        )
    depth = DEPTH * float(np.ptp(used, axis=0).max())
    return mesh_shape.ConvexMesh(np.vstack([np.insert(used, 2, z, axis=1) for z in (-0.5 * depth, 0.5 * depth)]))


def _wide(v: Any) -> Array:
    """A vector in the plane as one in space."""
    a = np.asarray(v, dtype=float)
    return np.append(a, 0.0) if a.size == 2 else a


def _turn(R: Array) -> Array:
    """A rotation in the plane as one about z."""
    out = np.eye(3)
    out[: len(R), : len(R)] = R
    return out


def along(axis: Any) -> Array:
    """A rotation that turns z to an axis."""
    n = as_unit(_wide(axis))
    u = np.cross(np.eye(3)[np.argmin(np.abs(n))], n)
    u /= np.linalg.norm(u)
    return np.column_stack((u, np.cross(n, u), n))


MADE: dict[type, Callable[[Any, int, str], shape.Shape]] = {
    Plane: _plane, Sphere: _sphere, Ellipsoid: _ellipsoid, Capsule: _capsule, Cylinder: _cylinder, Cone: _cone, Box: _box,
    FacetSurface: _facets,
}  # fmt: skip


ShapesLike: TypeAlias = (
    "Surface | shape.Shape | Sequence[Surface | shape.Shape] | None"  # a shape of a body, or several
)
means("ShapesLike", "shapes", "object", "array", "null")


def is_shape(given: Any) -> bool:
    """Is it meant as a shape rather than as points? A FacetSurface as the surface of a body has always meant its nodes."""
    return isinstance(given, shape.Shape) or (isinstance(given, Surface) and not isinstance(given, FacetSurface))
