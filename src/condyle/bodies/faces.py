"""Polygons that show rigid bodies: points [m] in body coordinates, and for each polygon the numbers of its points."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.elements import blocks_of, outer_facets
from condyle.errors import InputError

Faces = dict[str, list[Any]]  # {"points": (n, d), "cells": lists of numbers}
AROUND, ALONG = 24, 12  # pieces of a circle, and from pole to pole


def checked_faces(faces: Any, label: str) -> Faces:
    """The same as plain lists; an error if they are no polygons."""
    wrong = f"{label}: faces are {{'points': places [m], 'cells': lists of at least three numbers of points}}"
    try:
        points = np.asarray(faces["points"], dtype=float)
        cells = [[int(k) for k in cell] for cell in faces["cells"]]
    except (TypeError, ValueError, KeyError, IndexError):
        raise InputError(wrong) from None
    inside = all(len(cell) >= 3 and min(cell) >= 0 and max(cell) < len(points) for cell in cells)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or not np.isfinite(points).all() or not inside:
        raise InputError(wrong)
    return {"points": points.tolist(), "cells": cells}


def of_polygon(corners: ArrayLike) -> Faces:
    """One flat polygon."""
    X = np.asarray(corners, dtype=float)
    return {"points": X.tolist(), "cells": [list(range(len(X)))]}


def of_box(half: NDArray[np.float64]) -> Faces:
    """A rectangle, or the six sides of a box, of half edge lengths `half`, seen from outside."""
    if half.size == 2:
        return of_polygon(half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    corners = half * np.array(list(product((-1, 1), repeat=3)))  # number 4 i + 2 j + k
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return {"points": corners.tolist(), "cells": sides}


def of_cylinder(radius: float, length: float) -> Faces:
    """Ends and side of a cylinder along the third axis."""
    turn = 2.0 * math.pi * np.arange(AROUND) / AROUND
    ring = radius * np.column_stack((np.cos(turn), np.sin(turn)))
    points = np.vstack([np.column_stack((ring, np.full(AROUND, s * length))) for s in (-0.5, 0.5)])
    side = [[k, n, AROUND + n, AROUND + k] for k, n in _round()]
    ends = [list(range(AROUND))[::-1], list(range(AROUND, 2 * AROUND))]
    return {"points": points.tolist(), "cells": ends + side}


def of_ball(radius: float, dimension: int) -> Faces:
    """A disk in the plane, or a sphere by circles of latitude."""
    turn = 2.0 * math.pi * np.arange(AROUND) / AROUND
    if dimension == 2:
        return of_polygon(radius * np.column_stack((np.cos(turn), np.sin(turn))))
    points, rings = [[0.0, 0.0, -radius]], []
    for height in math.pi * (np.arange(1, ALONG) / ALONG - 0.5):
        rings.append(len(points))
        r, z = radius * math.cos(height), radius * math.sin(height)
        points += [[r * math.cos(t), r * math.sin(t), z] for t in turn]
    points.append([0.0, 0.0, radius])
    cells = [[0, rings[0] + n, rings[0] + k] for k, n in _round()]
    cells += [[a + k, a + n, b + n, b + k] for a, b in pairwise(rings) for k, n in _round()]
    cells += [[rings[-1] + k, rings[-1] + n, len(points) - 1] for k, n in _round()]
    return {"points": points, "cells": cells}


def of_mesh(nodes: NDArray[np.float64], cells: NDArray[np.int64], kind: str, label: str) -> Faces:
    """The outer faces of a mesh in space, its cells in the plane, with only the nodes that they need."""
    blocks = blocks_of(cells, kind, label)
    flat = blocks[0].kind.dimension == 2
    shown = [(b.kind, b.cells) for b in blocks] if flat else outer_facets(blocks)
    polygons = [polygon for one, faces in shown for polygon in faces[:, one.ring].tolist()]
    used = sorted({k for polygon in polygons for k in polygon})
    number = {k: i for i, k in enumerate(used)}
    return {"points": nodes[used].tolist(), "cells": [[number[k] for k in polygon] for polygon in polygons]}


def _round() -> list[tuple[int, int]]:
    return [(k, (k + 1) % AROUND) for k in range(AROUND)]
