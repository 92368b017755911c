"""How a rigid body that is made of a ball, box, cylinder or polygon is drawn; found when somebody draws it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies import faces

Array = NDArray[np.float64]
KEPT = 256  # different shapes whose pictures are kept
ROUND = 37  # points of a circle


def lines_of(shape: Mapping[str, Any], d: int) -> list[Array]:
    """Lines (k, d) in body coordinates [m]; shape: {'ball': radius}, {'box': size}, {'cylinder': (radius, length)} or
    {'polygon': corners}. To be read only."""
    return list(_lines(*_key(shape), d))


def faces_of(shape: Mapping[str, Any], d: int) -> faces.Faces:
    """Polygons of it, as `RigidBody.faces` are. To be read only."""
    return _faces(*_key(shape), d)


def _key(shape: Mapping[str, Any]) -> tuple[str, tuple[float, ...]]:
    """Its kind, and its numbers one after the other."""
    ((kind, numbers),) = shape.items()
    return kind, tuple(np.ravel(np.asarray(numbers, dtype=float)).tolist())


@lru_cache(KEPT)
def _lines(kind: str, numbers: tuple[float, ...], d: int) -> tuple[Array, ...]:
    if kind == "polygon":
        X = np.array(numbers).reshape(-1, 2)
        return (np.vstack((X, X[:1])),)
    if kind == "box":
        half = 0.5 * np.array(numbers)
        ring = half[:2] * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
        if d == 2:
            return (ring,)
        low, high = (np.column_stack((ring, np.full(5, s * half[2]))) for s in (-1, 1))
        return low, high, *(np.array([low[i], high[i]]) for i in range(4))
    angle = np.linspace(0.0, 2.0 * math.pi, ROUND)
    circle = numbers[0] * np.column_stack((np.cos(angle), np.sin(angle)))
    if kind == "cylinder":
        ends = [np.column_stack((circle, np.full(ROUND, s * numbers[1] / 2))) for s in (-1, 1)]
        return (*ends, *(np.array([ends[0][k], ends[1][k]]) for k in (0, 9, 18, 27)))
    if d == 2:
        return circle, np.array([[0.0, 0.0], [numbers[0], 0.0]])
    flat = np.hstack((circle, np.zeros((ROUND, 1))))
    return tuple(np.roll(flat, k, axis=1) for k in range(3))


@lru_cache(KEPT)
def _faces(kind: str, numbers: tuple[float, ...], d: int) -> faces.Faces:
    if kind == "polygon":
        return faces.of_polygon(np.array(numbers).reshape(-1, 2))
    if kind == "box":
        return faces.of_box(0.5 * np.array(numbers))
    if kind == "cylinder":
        return faces.of_cylinder(numbers[0], numbers[1])
    return faces.of_ball(numbers[0], d)
