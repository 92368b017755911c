"""Rigid shapes as the user declares them. Lengths in m, in the axes of the body that carries the shape.

`centre` and `rotation` (as of a RigidBody; of a matrix the columns are the axes of the shape) place a shape in its body; those
with an axis have it along z.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.geometry import kinds
from condyle.model.given import NumbersOrNone, Vector
from condyle.model.part import Part, plain
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.model.rotations import as_rotation_matrix

Array = NDArray[np.float64]
Triangles = NDArray[np.int64]


@declared
class Shape(Part, abstract=True):
    """Base of all shapes: where it is in its body. In files they are `geometry.Sphere` and so on."""

    kind: ClassVar[int]
    room: ClassVar[str] = "geometry"
    centre: Vector = quantity("m", default=(0.0, 0.0, 0.0), shape=(3,), kw_only=True)
    rotation: NumbersOrNone = quantity("rad", default=None, kw_only=True)
    mirror = in_mirror(centre="place", rotation="turn")

    def __post_init__(self) -> None:
        self.rotation = plain(self.rotation)
        as_rotation_matrix(self.rotation, 3, self.label)

    @property
    def origin(self) -> Array:
        """Where the origin of the shape is in its body [m], shape (3,)."""
        return np.array(self.centre)

    @property
    def axes(self) -> Array:
        """Axes of the shape in those of its body, the columns of a rotation matrix, shape (3, 3)."""
        return as_rotation_matrix(self.rotation, 3, self.label)

    @property
    def margin(self) -> float:
        """Radius of the sphere that is swept over the core [m]."""
        return 0.0

    def core(self) -> list[float]:
        """Sizes of the core, as the kernels want them."""
        return []

    def facets(self) -> tuple[Array, Triangles] | None:
        """Of a shape of triangles: corners in its own axes [m] (n, 3), and their numbers (t, 3), none of a convex hull."""
        return None

    def reach(self) -> float:
        """Radius of a sphere about the origin of the shape that holds it [m]."""
        raise NotImplementedError


@declared
class Sphere(Shape):
    """All points within `radius` [m] of the centre."""

    kind = kinds.SPHERE
    radius: float = quantity("m", above=0.0)

    @property
    def margin(self) -> float:
        return self.radius

    def reach(self) -> float:
        return self.radius


@declared
class Ellipsoid(Shape):
    """An ellipsoid of semi-axes `radii` [m], three numbers, along its axes."""

    kind = kinds.ELLIPSOID
    radii: Vector = quantity("m", shape=(3,), above=0.0, hint="for a disc use a small one")
    mirror = in_mirror(radii="same")

    def core(self) -> list[float]:
        return list(self.radii)

    def reach(self) -> float:
        return float(max(self.radii))


@declared
class Superellipsoid(Ellipsoid):
    """((|x/a|^(2/e₂) + |y/b|^(2/e₂))^(e₂/e₁) + |z/c|^(2/e₁) = 1 with semi-axes `radii` [m] and `exponents` (e₁, e₂).

    Exponents from 0.1, nearly a box, over 1, an ellipsoid, to 1.9, nearly an octahedron: all of these are convex.
    """

    kind = kinds.SUPERELLIPSOID
    exponents: Vector = quantity(shape=(2,), at_least=0.1, at_most=1.9)
    mirror = in_mirror(exponents="same")

    def core(self) -> list[float]:
        return [*self.radii, *self.exponents]

    def reach(self) -> float:
        return float(np.linalg.norm(self.radii))


@declared
class _Bar(Shape, abstract=True):
    """Round, of `radius` and `length` [m] along z; the centre is its middle."""

    radius: float = quantity("m", above=0.0)
    length: float = quantity("m", above=0.0)

    def core(self) -> list[float]:
        return [self.radius, 0.5 * self.length]


@declared
class Capsule(_Bar):
    """All points within `radius` [m] of a line of `length` [m] along z, whose middle is the centre."""

    kind = kinds.CAPSULE

    @property
    def margin(self) -> float:
        return self.radius

    def reach(self) -> float:
        return self.radius + 0.5 * self.length


@declared
class Cylinder(_Bar):
    """A cylinder of `radius` and `length` [m] along z, with flat ends; the centre is its middle."""

    kind = kinds.CYLINDER

    def reach(self) -> float:
        return float(np.hypot(self.radius, 0.5 * self.length))


@declared
class Cone(Shape):
    """A cone whose base, of `radius` [m], is at its centre, and whose top, of radius `top`, is `height` [m] along z."""

    kind = kinds.CONE
    radius: float = quantity("m", above=0.0)
    height: float = quantity("m", above=0.0)
    top: float = quantity("m", default=0.0, at_least=0.0)
    mirror = in_mirror(rotation="round")

    def core(self) -> list[float]:
        return [self.radius, self.height, self.top]

    def reach(self) -> float:
        return max(self.radius, float(np.hypot(self.top, self.height)))


@declared
class Box(Shape):
    """A box of sides `size` [m], three numbers; rounding: radius [m] of its edges."""

    kind = kinds.BOX
    size: Vector = quantity("m", shape=(3,), above=0.0)
    rounding: float = quantity("m", default=0.0, at_least=0.0)
    mirror = in_mirror(size="same")

    def __post_init__(self) -> None:
        super().__post_init__()
        if 2.0 * self.rounding > min(self.size):
            raise InputError(f"{self.label}: its sides must be at least twice the rounding, not {self.size}")

    @property
    def margin(self) -> float:
        return self.rounding

    def core(self) -> list[float]:
        return [0.5 * side - self.rounding for side in self.size]

    def reach(self) -> float:
        return 0.5 * float(np.linalg.norm(self.size))


@declared
class HalfSpace(Shape):
    """All that is below the plane through the centre, at right angles to `normal`, which points out."""

    kind = kinds.HALF_SPACE
    normal: Vector = quantity(default=(0.0, 0.0, 1.0), shape=(3,), nonzero=True)
    mirror = in_mirror(normal="place")

    @property
    def axes(self) -> Array:
        n = np.array(self.normal)
        n /= np.linalg.norm(n)
        across = np.eye(3)[np.argmin(np.abs(n))]
        u = np.cross(across, n)
        u /= np.linalg.norm(u)
        return np.asarray(super().axes @ np.column_stack((u, np.cross(n, u), n)))

    def reach(self) -> float:
        return 0.0
