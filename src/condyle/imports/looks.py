"""How bodies of imported models look: polygons of the shapes that a file gives them, coarse, so that model files stay small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from condyle.contact.solids import as_shape
from condyle.geometry.drawing import triangulated

__all__ = ["faces_of"]

CORNERS = 12  # of a circle
DIGITS = 6  # of places [m]


def faces_of(shapes: Sequence[Any], label: str) -> dict[str, list[Any]] | None:
    """Polygons of all shapes together, as `RigidBody.faces` takes them; None if none has an end."""
    points: list[list[float]] = []
    cells: list[list[int]] = []
    for shape in shapes:
        made = triangulated(as_shape(shape, 3, label), CORNERS)
        if made is None:
            continue
        places, which = np.unique(np.round(made[0], DIGITS), axis=0, return_inverse=True)
        triangles = which.ravel()[made[1]]
        flat = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)  # at the poles of round shapes
        cells += (triangles[~flat] + len(points)).tolist()
        points += places.tolist()
    return {"points": points, "cells": cells} if cells else None
