"""What all bodies declare: a name, points by name or coordinates, and what draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError
from condyle.model.part import Part
from condyle.model.point import Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from condyle.bodies.body import Anchor
    from condyle.model.given import ShownFaces
    from condyle.system.builder import Builder


class Body(Part, abstract=True):
    """Base of all bodies."""

    name: str

    def at(self, *coordinates: float) -> Point:
        """The point at local coordinates [m]."""
        flat = coordinates[0] if len(coordinates) == 1 and not np.isscalar(coordinates[0]) else coordinates
        try:
            return Point(self.name, tuple(np.asarray(flat, dtype=float).tolist()))
        except (TypeError, ValueError):
            named = coordinates[0] if coordinates and isinstance(coordinates[0], str) else "name"
            raise InputError(
                f"'{self.name}': at({', '.join(map(repr, coordinates))}) takes coordinates [m]; a named point is "
                f"point({named!r})"
            ) from None

    def point(self, name: str | int) -> Point:
        """A named point or a node by its number."""
        return Point(self.name, name)

    def named_points(self) -> dict[str, tuple[float, ...]]:
        """Places [m] in its coordinates that have names."""
        return {}

    def outline_lines(self) -> Sequence[NDArray[np.float64]]:
        """Lines in its coordinates [m] that draw it."""
        return []

    def shown_faces(self) -> ShownFaces:
        """Polygons that show it: points [m] in its coordinates, and for each polygon the numbers of its points."""
        return {"points": [], "cells": []}

    def compile(self, builder: Builder) -> Anchor:
        """Contribute rows, mass and laws; return where points are found."""
        raise TypeError(f"{type(self).__name__} does not say how it is compiled: define compile(self, builder)")
