"""What joints have in common, and the three primitives they are made of: points meet, one translation, one rotation."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.enforcement import Enforcement, held
from condyle.errors import InputError
from condyle.laws.codes import DOT_PRODUCT
from condyle.model.given import Names, OnPoint, VectorOrNone
from condyle.model.part import Part, fits
from condyle.model.point import Point, as_point
from condyle.model.quantities import declared, given, quantity
from condyle.system.coordinate import Coordinate, angle, slide
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@declared
class Joint(Part, abstract=True):
    """Base of joints between a point of body `a` and a point of body `b`.

    a, b: bodies (then `at` [m, world, at the start] says where the joint is), or points such as body.at(…), 'body.name'.
    enforcement: 'multiplier', 'augmented', 'uzawa', 'penalty', or Augmented(…), Penalty(…) with a stiffness.
    assemble: allow points that are apart at the start; the bodies are then moved together.
    released: components (as of `result.multipliers`) that the joint does not hold: their multipliers are zero.
    """

    name: str
    a: OnPoint
    b: OnPoint
    at: VectorOrNone = quantity("m", default=None, vector=True)
    enforcement: Enforcement = field(default="multiplier", kw_only=True)
    assemble: bool = field(default=False, kw_only=True)
    released: Names = given(default=(), kw_only=True)
    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    elsewhere: ClassVar[str] = ""  # what serves in models of other dimensions

    def __post_init__(self) -> None:
        place = self.at
        self.a, self.b = self._end(self.a, place), self._end(self.b, place)
        self.at = None  # from here on the ends say where
        held(self.enforcement, self)
        given = [self.released] if isinstance(self.released, str) else self.released
        if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
            raise InputError(
                f"{self.label}: released is the name of a component or a list of names, such as ['x', 'axis 1']"
            )
        self.released = tuple(given)

    def _end(self, value: Any, place: Any) -> Point:
        point = as_point(value, place)
        return as_point(point.body, place) if place is not None and point.at is None else point

    def check_direction(self, field: str, model: Model, hint: str) -> None:
        """The direction of that name is given, with as many components as the model has dimensions."""
        if getattr(self, field) is None:
            raise InputError(f"{self.label}: {hint}")
        fits(self, field, model.dimension)

    def validate(self, model: Model) -> None:
        if model.dimension not in self.dimensions:
            other = f"; in {model.dimension}D take {self.elsewhere}" if self.elsewhere else ""
            raise InputError(f"{self.label}: this joint is for {self.dimensions[0]}D models{other}")
        for point in (self.a, self.b):
            model.body(point.body, self)
            if point.frame == "world":
                fits_point(self, point, model.dimension)
        if self.a.body == self.b.body:
            raise InputError(f"{self.label}: both ends are on '{self.a.body}'; a joint connects two bodies")

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        """Names of the joint's coordinates."""
        return ()

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        """The joint's coordinates by name."""
        return {}

    def turning(self, builder: Points, axis: NDArray[np.float64]) -> Coordinate:
        """The angle of body b about an axis of body a (rows of `axis`: a right-handed triad; in 2D the plane itself)."""
        return angle(
            self.on(builder, self.b, axis[0]), self.on(builder, self.a, axis[0]), self.on(builder, self.a, axis[1])
        )

    def sliding(self, builder: Points, direction: ArrayLike) -> Coordinate:
        """The place of b's point along a direction of body a, seen from a's point."""
        gap = builder.position(self.b, self) - builder.position(self.a, self)
        return slide(self.on(builder, self.a, np.asarray(direction, dtype=float)), gap)

    # --- primitives ---------------------------------------------------------------------------------------------------

    def meet(self, builder: Builder) -> Weights:
        """x^(a) − x^(b) = 0 (Taylor 2000, eq. 87). Returns that difference."""
        gap = builder.position(self.a, self) - builder.position(self.b, self)
        builder.add_link(self.name, gap, *held(self.enforcement, self))
        return gap

    def stay_square(self, builder: Builder, first: Weights, second: Weights, component: str) -> None:
        """v^(a)·v^(b) stays what it is at the start (eq. 98); bilinear, so energy–momentum keeps it exactly."""
        start = float(builder.value(first) @ builder.value(second))
        builder.add_constraint(
            self.name, DOT_PRODUCT, [first, second], [start], *held(self.enforcement, self), component
        )

    def share_axis(self, builder: Builder, frame: NDArray[np.float64]) -> None:
        """The last of three orthonormal directions, carried by body b, stays parallel to itself on body a (3D)."""
        shared = self.on(builder, self.b, frame[2])
        for k in (0, 1):
            self.stay_square(builder, self.on(builder, self.a, frame[k]), shared, f"axis {k + 1}")

    def stay_level(self, builder: Builder, direction: Weights, component: str, start: float | None = None) -> None:
        """v·(x^(a) − x^(b)) stays what it is at the start, v a direction of body a (eqs 90–93), not normalised."""
        gap = builder.position(self.a, self) - builder.position(self.b, self)
        value = float(builder.value(direction) @ builder.value(gap)) if start is None else start
        builder.add_constraint(
            self.name, DOT_PRODUCT, [direction, gap], [value], *held(self.enforcement, self), component
        )

    def on(self, builder: Points, end: Point, direction: ArrayLike) -> Weights:
        """A world direction at the start, carried by the body of that end."""
        return builder.direction(end, direction, self)


def fits_point(part: Part, point: Point, dimension: int) -> None:
    """The coordinates of a point have the model's dimension."""
    if isinstance(point.at, tuple) and len(point.at) != dimension:
        raise InputError(f"{part.label}: the place {point.at} must have {dimension} coordinates")


def triad(axis: ArrayLike) -> NDArray[np.float64]:
    """Three orthonormal vectors, the last along the axis; rows of a (3, 3) array."""
    n = np.asarray(axis, dtype=float)
    n = n / math.sqrt(n @ n)
    first = np.zeros(3)
    first[int(np.argmin(np.abs(n)))] = 1.0  # for the axis z: x, y, z
    first = first - (first @ n) * n
    first /= math.sqrt(first @ first)
    (a, b, c), (p, q, r) = n.tolist(), first.tolist()
    return np.array([first, (b * r - c * q, c * p - a * r, a * q - b * p), n])  # the second is n × first


__all__ = ["Joint", "fits", "triad"]
