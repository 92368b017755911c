"""Quantities of a pedestrian legform: bending and shear of the knee, acceleration of the tibia, with their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError, unknown_name
from condyle.results.crash.curves import STANDARD_GRAVITY, Array

if TYPE_CHECKING:
    from condyle.model.given import PointLike, VectorLike
    from condyle.results.result import Result

# Bending [rad], shear [m], acceleration [m/s²]: eevc-1998 and gtr-2009.
LIMITS = {
    "eevc": {"bending": np.radians(15.0), "shear": 6e-3, "acceleration": 150.0 * STANDARD_GRAVITY},
    "gtr9": {"bending": np.radians(19.0), "shear": 6e-3, "acceleration": 170.0 * STANDARD_GRAVITY},
}


@dataclass(frozen=True)
class Legform:
    """Over `times` [s]: knee bending [rad], shear [m], tibia acceleration [m/s²], each of shape (n,), and the limits
    of the same names."""

    times: Array
    bending: Array
    shear: Array
    acceleration: Array
    limits: dict[str, float]

    @property
    def peaks(self) -> dict[str, float]:
        """The largest values."""
        return {name: float(getattr(self, name).max()) for name in self.limits}

    @property
    def passed(self) -> dict[str, bool]:
        """Which quantities stay within their limits."""
        return {name: value <= self.limits[name] for name, value in self.peaks.items()}


def knee_bending(femur_axis: Array, tibia_axis: Array) -> Array:
    """Angle between the axes of femur and tibia [rad], shape (n,), from their directions (n, d) (both upwards or both
    downwards)."""
    u, v = (np.asarray(a, dtype=float) / np.linalg.norm(a, axis=-1, keepdims=True) for a in (femur_axis, tibia_axis))
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(u - v, axis=-1), np.linalg.norm(u + v, axis=-1)))


def knee_shear(femur_end: Array, tibia_end: Array, femur_axis: Array) -> Array:
    """How far the two ends that meet in the knee have moved apart across the femur [m], shape (n,), from positions (n, d)."""
    apart = np.asarray(tibia_end, dtype=float) - np.asarray(femur_end, dtype=float)
    axis = np.asarray(femur_axis, dtype=float) / np.linalg.norm(femur_axis, axis=-1, keepdims=True)
    return np.asarray(np.linalg.norm(apart - np.sum(apart * axis, axis=-1, keepdims=True) * axis, axis=-1))


def legform(
    result: Result,
    femur: str,
    tibia: str,
    *,
    knee: tuple[PointLike, PointLike],
    accelerometer: PointLike,
    axis: VectorLike | None = None,
    limits: str = "eevc",
    channel_class: int | None = 180,
) -> Legform:
    """Legform quantities of a run.

    knee: the points of femur and tibia that meet there. accelerometer: the point of the tibia whose acceleration
    counts. axis: of both
    bodies along the leg, in body axes, by default the last. limits: 'eevc' (15°, 6 mm, 150 g; Euro NCAP too) or
    'gtr9' (19°, 6 mm,
    170 g). channel_class: filter of the acceleration, None for none; samples must be evenly spaced for it.
    """
    from condyle.results.crash.filters import cfc_filter

    if limits not in LIMITS:
        raise unknown_name("set of limits", limits, LIMITS)
    along = np.eye(result.dimension)[-1] if axis is None else np.asarray(axis, dtype=float)
    if along.shape != (result.dimension,) or not along.any():
        raise InputError(f"legform: axis must be a direction of {result.dimension} numbers, not {axis!r}")
    upper, lower = (result.rotation_matrix(body) @ along for body in (femur, tibia))
    acceleration = result.acceleration(accelerometer)
    if channel_class is not None:
        acceleration = cfc_filter(result.times, acceleration, channel_class)
    shear = knee_shear(result.position(knee[0]), result.position(knee[1]), upper)
    size = np.linalg.norm(acceleration, axis=1)
    return Legform(np.asarray(result.times), knee_bending(upper, lower), shear, size, dict(LIMITS[limits]))
