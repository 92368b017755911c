"""References to material points: a body's name and a place on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condyle.errors import InputError
from condyle.model.part import Part, one_of


@dataclass(frozen=True)
class Point(Part):
    """A material point of a body.

    at: local coordinates [m] (rigid body: in its frame; mesh and rod: in the reference shape), the name of a named
    point, a node number, or None for the body's origin. frame: 'body' or 'world' (place at the start of the run).
    """

    body: str
    at: tuple[float, ...] | str | int | None = None
    frame: str = "body"

    def __post_init__(self) -> None:
        one_of(self, "frame", ("body", "world"))
        if isinstance(self.at, list | tuple | np.ndarray):
            array = np.asarray(self.at, dtype=float)
            if array.ndim != 1 or array.size not in (2, 3) or not np.isfinite(array).all():
                raise InputError(f"Point on '{self.body}': coordinates must be 2 or 3 finite numbers, not {self.at!r}")
            object.__setattr__(self, "at", tuple(array.tolist()))

    def __str__(self) -> str:
        return self.body if self.at is None else f"{self.body}.{self.at}"


def as_point(value: Any, at: Sequence[float] | None = None) -> Point:
    """Accept a Point, a body, 'body' or 'body.name'; a bare body with `at` [m, world] means the point there."""
    if isinstance(value, Point):
        return value
    if isinstance(value, str):
        body, _, name = value.partition(".")
        if name:
            return Point(body, int(name) if name.isdigit() else name)
        value = body
    name = getattr(value, "name", value)
    if not isinstance(name, str):
        raise InputError(f"{value!r} is neither a body nor a point; write body, body.at(x, y, z) or 'body.name'")
    return Point(name, tuple(at), "world") if at is not None else Point(name)
