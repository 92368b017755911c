"""Rotations as people write them, turned into matrices. No equation of the engine uses angles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from condyle.errors import InputError


def rotation(
    *,
    axis: Sequence[float] | None = None,
    angle: float = 0.0,
    euler: str = "",
    angles: Sequence[float] = (),
    quaternion: Sequence[float] | None = None,
) -> np.ndarray:
    """A rotation matrix, shape (3, 3), from axis and angle [rad], Euler angles, or a quaternion (w, x, y, z).

    `rotation(axis=(0, 0, 1), angle=0.3)`, `rotation(euler="zxz", angles=(a, b, c))` (intrinsic: about the turned axes).
    """
    if quaternion is not None:
        w, x, y, z = np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion)
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
    if euler:
        if len(euler) != len(angles) or set(euler.lower()) - set("xyz"):
            raise InputError(f"rotation: '{euler}' needs one angle for each of its axes x, y, z")
        result = np.eye(3)
        for letter, value in zip(euler.lower(), angles, strict=True):
            result = result @ rotation(axis=np.eye(3)["xyz".index(letter)].tolist(), angle=value)
        return result
    if axis is None:
        return np.eye(3)
    n = np.asarray(axis, dtype=float)
    if n.shape != (3,) or not n.any():
        raise InputError(f"rotation: axis must be a non-zero vector of 3 numbers, not {axis!r}")
    n = n / np.linalg.norm(n)
    S = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S


def as_rotation_matrix(value: Any, dimension: int, label: str) -> np.ndarray:
    """`value` (None, angle in 2D; matrix, rotation vector or quaternion in 3D) as a rotation matrix (d, d)."""
    if value is None:
        return np.eye(dimension)
    array = np.asarray(value, dtype=float)
    if not np.isfinite(array).all():
        raise InputError(f"{label}: rotation must be finite, not {value!r}")
    if dimension == 2 and array.ndim == 0:
        c, s = np.cos(float(array)), np.sin(float(array))
        return np.array([[c, -s], [s, c]])
    if dimension == 3 and array.shape == (3,):
        angle = float(np.linalg.norm(array))
        return rotation(axis=array.tolist(), angle=angle) if angle > 0 else np.eye(3)
    if dimension == 3 and array.shape == (4,):
        return rotation(quaternion=array.tolist())
    if array.shape == (dimension, dimension):
        if np.abs(array.T @ array - np.eye(dimension)).max() > 1e-6 or np.linalg.det(array) < 0:
            raise InputError(f"{label}: the rotation matrix is not a proper rotation (columns orthonormal, det = +1)")
        u, _, vt = np.linalg.svd(array)
        return u @ vt
    expected = "an angle [rad] or a 2×2 matrix" if dimension == 2 else "a 3×3 matrix, rotation vector or quaternion"
    raise InputError(f"{label}: rotation must be {expected}, got shape {array.shape}")
