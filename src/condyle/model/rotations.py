"""Rotations as people write them, turned into matrices. No equation of the engine uses angles."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError, InputWarning
from condyle.model.fields import numbers

if TYPE_CHECKING:
    from condyle.model.given import VectorLike

TURNS = 12.6  # [rad], two of them


def rotation(
    *,
    axis: VectorLike | None = None,
    angle: float = 0.0,
    euler: str = "",
    angles: VectorLike = (),
    quaternion: VectorLike | None = None,
) -> np.ndarray:
    """A rotation matrix, shape (3, 3), from axis and angle [rad], Euler angles, or a quaternion (w, x, y, z).

    `rotation(axis=(0, 0, 1), angle=0.3)`, `rotation(euler="zxz", angles=(a, b, c))` (intrinsic: about the turned axes).
    """
    if quaternion is not None:
        given = numbers(quaternion, "rotation: quaternion", shape=(4,))
        length = float(np.linalg.norm(given))
        if abs(length - 1.0) > 1e-3:
            raise InputError(f"rotation: a quaternion (w, x, y, z) has length 1, not {length:.6g}: {quaternion!r}")
        w, x, y, z = given / length
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    if euler:
        if not isinstance(euler, str) or np.shape(angles) != (len(euler),) or set(euler.lower()) - set("xyz"):
            raise InputError(f"rotation: '{euler}' needs one angle for each of its axes x, y, z")
        result = np.eye(3)
        for letter, value in zip(euler.lower(), angles, strict=True):
            result = result @ rotation(axis=np.eye(3)["xyz".index(letter)].tolist(), angle=value)
        return result
    if axis is None:
        return np.eye(3)
    n = numbers(axis, "rotation: axis", shape=(3,))
    if not n.any():
        raise InputError(f"rotation: axis must be a non-zero vector of 3 numbers, not {axis!r}")
    angle = float(numbers(angle, "rotation: angle", shape=(), unit=" [rad]"))
    n = n / np.linalg.norm(n)
    S = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S


def as_rotation_matrix(value: object, dimension: int, label: str) -> np.ndarray:
    """`value` (None, angle in 2D; matrix, rotation vector or quaternion in 3D) as a rotation matrix (d, d)."""
    if value is None:
        return np.eye(dimension)
    array = numbers(value, f"{label}: rotation")
    if dimension == 2 and array.ndim == 0:
        _doubt_degrees(float(array), label)
        c, s = np.cos(float(array)), np.sin(float(array))
        return np.array([[c, -s], [s, c]])
    if dimension == 3 and array.shape == (3,):
        angle = float(np.linalg.norm(array))
        _doubt_degrees(angle, label)
        return rotation(axis=array.tolist(), angle=angle) if angle > 0 else np.eye(3)
    if dimension == 3 and array.shape == (4,):
        try:
            return rotation(quaternion=array.tolist())
        except InputError as error:
            raise InputError(f"{label}: {error}") from None
    if array.shape == (dimension, dimension):
        return _nearest_rotation(array, label)
    expected = "an angle [rad] or a 2×2 matrix" if dimension == 2 else "a 3×3 matrix, rotation vector or quaternion"
    raise InputError(f"{label}: rotation must be {expected}, got shape {array.shape}")


def _nearest_rotation(given: np.ndarray, label: str) -> np.ndarray:
    """A matrix that is a rotation but for the digits it was written with: the nearest rotation, R ← R (3 − RᵀR)/2."""
    square = given.T @ given
    off = max(abs(value - (i == j)) for i, row in enumerate(square.tolist()) for j, value in enumerate(row))
    if not off <= 1e-6 or _determinant(given.tolist()) < 0:
        raise InputError(f"{label}: the rotation matrix is not a proper rotation (columns orthonormal, det = +1)")
    near = given.copy()
    while off > 1e-15:
        near, off = 1.5 * near - 0.5 * near @ square, off * off
        square = near.T @ near
    return near


def _determinant(rows: list[list[float]]) -> float:
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)


def _doubt_degrees(angle: float, label: str) -> None:
    """A place at the start is the same after a full turn, so an angle of many turns was hardly meant."""
    if abs(angle) > TURNS:
        warnings.warn(
            f"{label}: its rotation of {angle:g} rad is more than two turns; angles are in radians, for degrees write "
            f"math.radians({angle:g})",
            InputWarning,
            stacklevel=2,
        )
