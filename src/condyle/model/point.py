"""References to material points: a body's name and a place on it."""

from __future__ import annotations

from typing import TypeAlias, cast

import numpy as np

from condyle.errors import InputError
from condyle.model.given import Given, OnBody, PointLike, VectorLike
from condyle.model.part import Part
from condyle.model.quantities import choice, declared, given, in_mirror


@declared(frozen=True)
class Point(Part):
    """A material point of a body, given by itself or by its name.

    at: local coordinates [m] (rigid body: in its frame; mesh and rod: in the reference shape), the name of a named
    point, a node number, or None for the body's origin. frame: 'body' or 'world' (place at the start of the run).
    """

    body: OnBody
    at: Given[VectorLike | str | int | None, tuple[float, ...] | str | int | None] = given(default=None)
    frame: str = choice("body", "world", default="body")
    mirror = in_mirror(at="place")

    def __post_init__(self) -> None:
        if isinstance(self.body, Part):
            object.__setattr__(self, "body", getattr(self.body, "name", str(self.body)))
        if not isinstance(self.body, str):
            raise InputError(f"Point: body must be a body or the name of one, not {self.body!r}")
        if isinstance(self.at, list | tuple | np.ndarray):
            array = np.asarray(self.at, dtype=float)
            if array.ndim != 1 or array.size not in (2, 3) or not np.isfinite(array).all():
                raise InputError(f"Point on '{self.body}': coordinates must be 2 or 3 finite numbers, not {self.at!r}")
            object.__setattr__(self, "at", tuple(array.tolist()))
        elif isinstance(self.at, np.integer):
            object.__setattr__(self, "at", int(self.at))
        elif self.at is not None and (isinstance(self.at, bool) or not isinstance(self.at, str | int)):
            raise InputError(
                f"Point on '{self.body}': at must be coordinates, the name of a point or the number of a node, not {self.at!r}"
            )

    def __str__(self) -> str:
        return self.body if self.at is None else f"{self.body}.{self.at}"


def as_point(value: PointLike, at: VectorLike | None = None) -> Point:
    """Accept a Point, a body, 'body' or 'body.name'; a bare body with `at` [m, world] means the point there."""
    if isinstance(value, Point):
        return value
    if isinstance(value, str):
        body, _, name = value.partition(".")
        if name:
            return Point(body, int(name) if name.isdigit() else name)
        value = body
    own = value if isinstance(value, str) else getattr(value, "name", None)
    if not isinstance(own, str):
        raise InputError(f"{value!r} is neither a body nor a point; write body, body.at(x, y, z) or 'body.name'")
    return Point(own, tuple(at), "world") if at is not None else Point(own)


# What a law gathers: a pair of points (a, b), meaning x_b − x_a; a point and a direction of its body [-]; or a point.
Gathered: TypeAlias = Point | tuple[Point, Point] | tuple[Point, tuple[float, ...]]
GatheredLike: TypeAlias = "PointLike | tuple[PointLike, PointLike] | tuple[PointLike, VectorLike]"


def as_vector(value: GatheredLike, who: str) -> Gathered:
    """What a law gathers: a pair of points (a, b), meaning x_b − x_a; a point and a direction of its body; or a point.

    A direction is given by its components in the world at the start.
    """
    if not isinstance(value, list | tuple):
        return as_point(value)
    if len(value) != 2:
        raise InputError(f"{who}: a vector is a pair of points, or a point and a direction, not {value!r}")
    first, second = as_point(value[0]), value[1]
    if not isinstance(second, list | tuple | np.ndarray):
        return first, as_point(cast("PointLike", second))
    try:
        direction = np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        direction = np.full(0, np.nan)
    if direction.ndim != 1 or direction.size not in (2, 3) or not np.isfinite(direction).all() or not direction.any():
        raise InputError(f"{who}: a direction must be 2 or 3 finite numbers, not all zero, not {second!r}")
    return first, tuple(direction.tolist())
