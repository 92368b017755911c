"""Three angles of a body against another: about an axis of the first, the floating axis, an axis of the second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.laws.codes import TILT
from condyle.model.part import Part
from condyle.model.point import Point
from condyle.model.rotations import as_rotation_matrix
from condyle.system.coordinate import Coordinate, angle

if TYPE_CHECKING:
    from condyle.system.points import Points

SPACE = ("angle 1", "angle 2", "angle 3")
PLANE = ("angle",)


def angle_names(dimension: int) -> tuple[str, ...]:
    """Names of the angles between two bodies."""
    return SPACE if dimension == 3 else PLANE


def triad_of(axes: ArrayLike, dimension: int, label: str) -> NDArray[np.float64]:
    """Axes in the world at the start, as rows; axes: a rotation against the axes of the world (as for RigidBody.rotation)."""
    return as_rotation_matrix(axes, dimension, label).T


def relative_angles(
    points: Points, part: Part, a: Point, b: Point, axes_a: NDArray[np.float64], axes_b: NDArray[np.float64]
) -> dict[str, Coordinate]:
    """Angles of the axes that b carries against those that a carries, given as rows in the world at the start.

    R_ij = a_i·b_j = R1(α) R2(β) R3(γ): tan α = −R23/R33, sin β = R13, tan γ = −R12/R11.
    """
    first = [points.direction(a, axis, part) for axis in axes_a]
    second = [points.direction(b, axis, part) for axis in axes_b]
    if points.d == 2:
        return {"angle": angle(second[0], first[0], first[1])}
    return {
        "angle 1": angle(second[2], first[2], -1.0 * first[1]),
        "angle 2": Coordinate(TILT, [first[0], second[2]]),
        "angle 3": angle(first[0], second[0], -1.0 * second[1]),
    }
