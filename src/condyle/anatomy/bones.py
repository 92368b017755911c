"""Surfaces of bones as triangles: from files or arrays, for display, and to see whether an insertion lies on its bone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.contact.pieces import read_triangles
from condyle.errors import InputError

Array = NDArray[np.float64]


def bone_surface(given: Any, name: str, scale: float) -> tuple[Array, NDArray[np.int64]]:
    """Points [m] and triangles of a file (.stl, .ply, .vtk, …) or of a pair (points, triangles)."""
    if isinstance(given, str | Path):
        points, cells = read_triangles(given)
    else:
        try:
            points, cells = np.asarray(given[0], dtype=float), np.asarray(given[1], dtype=np.int64)
        except (TypeError, ValueError, IndexError):
            raise InputError(f"bone '{name}': give a file, or points (n, 3) and triangles (m, 3)") from None
    if points.ndim != 2 or points.shape[1] != 3 or cells.ndim != 2 or cells.shape[1] != 3 or not len(cells):
        raise InputError(f"bone '{name}': points are (n, 3) and triangles (m, 3), not {points.shape} and {cells.shape}")
    return scale * points, cells


def distance_to_surface(point: ArrayLike, points: Array, cells: NDArray[np.int64]) -> float:
    """Shortest distance [m] of a point from triangles."""
    p = np.asarray(point, dtype=float)
    a, b, c = (points[cells[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    square = np.maximum(np.einsum("ij,ij->i", n, n), 1e-300)
    best = np.full(len(cells), np.inf)
    inside = np.ones(len(cells), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        edge = end - start
        length = np.maximum(np.einsum("ij,ij->i", edge, edge), 1e-300)
        share = np.clip(np.einsum("ij,ij->i", p - start, edge) / length, 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(p - start - share[:, None] * edge, axis=1))
        inside &= np.einsum("ij,ij->i", np.cross(edge, p - start), n) >= 0.0
    height = np.abs(np.einsum("ij,ij->i", p - a, n)) / np.sqrt(square)
    return float(np.where(inside, np.minimum(height, best), best).min())
