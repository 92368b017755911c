"""What every surface answers: how far a point is from it, which way is out, how it curves.

A surface is given by its signed distance φ in the coordinates of the body that carries it, positive outside the
material. Closest point, normal and curvature follow from φ and its derivatives, and so does the exact tangent of a
contact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.model.given import NumbersLike, means
from condyle.model.part import Part

if TYPE_CHECKING:
    from condyle.geometry.shape import Shape

Array = NDArray[np.float64]
TINY = 1e-300


class Distance(NamedTuple):
    """Of n points: signed distance φ [m] (n,), its gradient, the outward unit normal (n, d), its Hessian [1/m] (n, d, d)."""

    gap: Array
    normal: Array
    hessian: Array


class Surface(Part, abstract=True):
    """Base of all surfaces. A new one is a dataclass with `distance`; `dimensions` says where it can be used."""

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)

    def distance(self, points: Array) -> Distance:
        """Signed distance of points [m], shape (n, d), with its derivatives."""
        raise TypeError(f"{type(self).__name__} does not say how far a point is: define distance(self, points)")

    def distance_towards(self, points: Array, towards: Array) -> Distance:
        """The same of points whose body lies in the directions `towards` (n, d): at edges these tell which face is meant."""
        return self.distance(points)

    def closest(self, points: ArrayLike) -> Array:
        """The closest points of the surface [m], shape (n, d)."""
        p = np.atleast_2d(np.asarray(points, dtype=float))
        near = self.distance(p)
        return p - near.gap[:, None] * near.normal

    def curvatures(self, points: ArrayLike) -> Array:
        """Principal curvatures [1/m] at the closest points, ascending, shape (n, d − 1); positive where it is convex.

        The Hessian of φ has the eigenvalues κ / (1 + κ φ) in the tangent plane.
        """
        p = np.atleast_2d(np.asarray(points, dtype=float))
        gap, normal, hessian = self.distance(p)
        # The eigenvalue of the normal is 0; a large one in its place keeps the tangential ones together.
        size = 1.0 + 2.0 * np.abs(hessian).max(axis=(1, 2))
        values = np.linalg.eigvalsh(hessian + (size[:, None] * normal)[:, :, None] * normal[:, None, :])
        bent = values[:, : p.shape[1] - 1]
        return np.asarray(bent / (1.0 - bent * gap[:, None]))

    def check_dimension(self, dimension: int, wanted_by: Part) -> None:
        """InputError if the surface does not fit the model."""
        if dimension not in self.dimensions:
            where = " and ".join(f"{d}D" for d in self.dimensions)
            raise InputError(f"{wanted_by.label}: a {type(self).__name__} is a surface in {where}, not in {dimension}D")

    def solid(self, dimension: int = 3) -> Shape | None:
        """The rigid shape that it bounds, as `condyle.geometry` has it."""
        from condyle.contact.solids import as_shape

        return as_shape(self, dimension, self.label)

    def outline(self, dimension: int) -> list[NumbersLike]:
        """Lines that draw the surface in the coordinates of its body [m], each of shape (k, d)."""
        return []


means("Surface", "a surface", "object")


def from_vector(v: Array, radius: float | Array, flat: Array | None = None) -> Distance:
    """Distance |v| − radius, where v is the vector from a point or a line; flat: unit direction of the line (n, d)."""
    rho = np.linalg.norm(v, axis=1)
    n = v / np.maximum(rho, TINY)[:, None]
    lost = rho < 1e-14 * (np.abs(v).max() + np.max(radius) + TINY)
    if lost.any():  # in the middle every direction is as good
        n[lost] = _any_normal(v.shape[1], None if flat is None else flat[lost])
    H = np.eye(v.shape[1]) - n[:, :, None] * n[:, None, :]
    if flat is not None:
        H = H - flat[:, :, None] * flat[:, None, :]
    return Distance(rho - radius, n, H / np.maximum(rho, 1e-14 * np.max(radius) + TINY)[:, None, None])


def _any_normal(d: int, flat: Array | None) -> Array:
    e = np.eye(d)[d - 1]
    if flat is None:
        return e
    out = np.where(np.abs(flat[:, d - 1 :]) < 0.9, e, np.eye(d)[0])
    out = out - np.sum(out * flat, axis=1, keepdims=True) * flat
    return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True))


def turned_inside_out(near: Distance, inside: bool) -> Distance:
    """The distance of a cavity: material where there was none."""
    return Distance(-near.gap, -near.normal, -near.hessian) if inside else near


def offset_curvature(shape_operator: Array, gap: Array) -> Array:
    """Hessian of φ at distance `gap`, S (1 + φ S)⁻¹, from the shape operator S at the foot, both (n, d, d)."""
    d = shape_operator.shape[1]
    return np.asarray(np.linalg.solve(np.eye(d) + gap[:, None, None] * shape_operator, shape_operator))


def revolved(near: Distance, radius: Array, radial: Array, axis: Array) -> Distance:
    """A distance in the half plane (radius, height) turned about `axis`; radial: unit vectors e_r of the points (n, 3)."""
    n = near.normal[:, :1] * radial + near.normal[:, 1:] * axis
    around = np.cross(axis, radial)
    H2 = near.hessian
    hoop = np.where(radius > 1e-12 * (radius.max() + TINY), near.normal[:, 0] / np.maximum(radius, TINY), H2[:, 0, 0])
    frame = np.stack((radial, np.broadcast_to(axis, radial.shape)), axis=1)
    H = np.einsum("nij,nia,njb->nab", H2, frame, frame) + hoop[:, None, None] * around[:, :, None] * around[:, None, :]
    return Distance(near.gap, n, H)


def half_plane(points: Array, centre: Array, axis: Array) -> tuple[Array, Array, Array]:
    """Radius and height of points about an axis, (n, 2), the radii (n,), and e_r (n, 3)."""
    v = points - centre
    z = v @ axis
    across = v - z[:, None] * axis
    rho = np.linalg.norm(across, axis=1)
    e = across / np.maximum(rho, TINY)[:, None]
    lost = rho < 1e-14 * (np.abs(v).max() + TINY)
    if lost.any():
        e[lost] = _any_normal(3, np.broadcast_to(axis, (int(lost.sum()), 3)))
    return np.stack((rho, z), axis=1), rho, e
