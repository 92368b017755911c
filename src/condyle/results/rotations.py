"""Rotations, angles and spins read out of directors. Directors are the columns of matrices of shape (frames, d, d)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError

Array = NDArray[np.float64]


def nearest_rotation(directors: Array) -> Array:
    """The rotation in a deformation (polar decomposition); removes round-off from the directors of rigid bodies."""
    u, _, vt = np.linalg.svd(directors)
    flip = np.sign(np.linalg.det(u @ vt))
    u[..., -1] *= flip[:, None]
    return u @ vt


def spin(directors: Array, rates: Array) -> Array:
    """Angular velocity [rad/s], shape (frames,) in 2D, (frames, 3) in 3D: the skew part of Ḋ D⁻¹."""
    gradient = rates @ np.linalg.inv(directors)
    skew = 0.5 * (gradient - np.swapaxes(gradient, 1, 2))
    if directors.shape[1] == 2:
        return skew[:, 1, 0]
    return np.stack((skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]), axis=1)


def angle_in_plane(directors: Array) -> Array:
    """Angle of the first director [rad], in (−π, π], shape (frames,)."""
    return np.arctan2(directors[:, 1, 0], directors[:, 0, 0])


def since_start(rotations: Array) -> Array:
    """The rotation from the first frame to each, in world axes: R(t) R(0)ᵀ."""
    return rotations @ rotations[0].T


def angle_about(turned: Array, axis: Sequence[float]) -> Array:
    """The part of a rotation about an axis (its twist) [rad], in (−π, π], shape (frames,).

    With e1, e2 normal to the axis: atan2(e2·R e1 − e1·R e2, e1·R e1 + e2·R e2). Not defined where the axis is
    turned over.
    """
    e1, e2, _ = _triad(axis)
    image1, image2 = turned @ e1, turned @ e2
    return np.arctan2(image1 @ e2 - image2 @ e1, image1 @ e1 + image2 @ e2)


def unwrapped(angle: Array, rate: Array, times: Array, neighbours: NDArray[np.bool_]) -> Array:
    """A continuous angle [rad] that starts at zero.

    Between frames that are neighbouring steps the smaller turn is meant; between others (every = 10, say), the turn
    that is closest to what the rate [rad/s] gives.
    """
    if len(angle) < 2:
        return np.zeros(len(angle))
    expected = np.where(neighbours, 0.0, 0.5 * (rate[1:] + rate[:-1]) * np.diff(times))
    turn = np.diff(angle)
    turn += 2.0 * np.pi * np.round((expected - turn) / (2.0 * np.pi))
    return np.concatenate(([0.0], np.cumsum(turn)))


def euler_angles(rotations: Array, sequence: str) -> Array:
    """Euler angles [rad] about the turned axes, shape (frames, 3); the first and last are continuous in time."""
    from scipy.spatial.transform import Rotation

    letters = sequence.lower()
    if len(letters) != 3 or set(letters) - set("xyz") or letters[0] == letters[1] or letters[1] == letters[2]:
        raise InputError(f"Euler angles '{sequence}': give three of the axes x, y, z, for example 'zxz' or 'zyx'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # where two axes coincide, the last angle is set to zero
        angles = np.asarray(Rotation.from_matrix(rotations).as_euler(letters.upper()))  # type: ignore[call-overload]
    angles[:, [0, 2]] = np.unwrap(angles[:, [0, 2]], axis=0)
    return angles


def quaternions(rotations: Array) -> Array:
    """Unit quaternions (w, x, y, z), shape (frames, 4), continuous in time."""
    from scipy.spatial.transform import Rotation

    q = np.roll(np.asarray(Rotation.from_matrix(rotations).as_quat()), 1, axis=1)
    turned_over = np.sum(q[1:] * q[:-1], axis=1) < 0
    sign = np.concatenate(([1.0 if q[0, 0] >= 0 else -1.0], np.where(turned_over, -1.0, 1.0)))
    return q * np.cumprod(sign)[:, None]


def _triad(axis: ArrayLike) -> Array:
    n = np.asarray(axis, dtype=float)
    if n.shape != (3,) or not np.isfinite(n).all() or not n.any():
        raise InputError(f"axis must be a non-zero vector of 3 numbers, not {axis!r}")
    from condyle.joints.joint import triad

    return triad(n)
