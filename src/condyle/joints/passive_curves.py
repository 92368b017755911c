"""Passive moments of human joints over their angle: published ones, and stand-ins that are marked as such.

A curve is the moment [N m] with which the joint resists at an angle [rad], ∂U/∂q, as for `CoordinateSpring`; angles count
flexion (of the ankle dorsiflexion) as positive, from the straight limb.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.part import did_you_mean

Array = NDArray[np.float64]


class PassiveCurve(NamedTuple):
    """Angles [rad] and resisting moments [N m], (n,) each; their source; whether they only stand in for a measurement."""

    angles: Array
    moments: Array
    source: str
    stand_in: bool


def passive_curve(joint: str) -> PassiveCurve:
    """The passive flexion moment of 'hip', 'knee' or 'ankle' (riener-1999), or a stand-in for 'shoulder', 'elbow' or 'wrist'.

    Published moments of the leg depend on the neighbouring joints too; these are of straight ones (0°), tabulated over a usual
    range. Stand-ins are made of the usual range of motion and an assumed shape: 1 N m at either end of the range, e times
    as much for every further 5°.
    """
    if joint in PUBLISHED:
        low, high, moment = PUBLISHED[joint]
        degrees = np.linspace(low, high, 2 * (high - low) // 5 + 1)
        return PassiveCurve(np.radians(degrees), moment(degrees), "riener-1999", False)
    if joint in RANGES:
        low, high = RANGES[joint]
        degrees = np.linspace(low - 15, high + 15, 2 * (high - low + 30) // 5 + 1)
        moments = np.exp((degrees - high) / 5.0) - np.exp((low - degrees) / 5.0)
        return PassiveCurve(np.radians(degrees), moments, f"stand-in: range of motion {low}° to {high}°", True)
    raise InputError(f"there is no passive curve '{joint}'{did_you_mean(joint, (*PUBLISHED, *RANGES))}")


def _hip(q: Array) -> Array:
    return -(np.exp(1.4655 - 0.0750 * q) - np.exp(1.3403 + 0.0305 * q) + 8.072)


def _knee(q: Array) -> Array:
    return -(np.exp(1.800 - 0.0352 * q) - np.exp(-3.971 + 0.0495 * q) - 4.820 + np.exp(2.220 - 0.150 * q))


def _ankle(q: Array) -> Array:  # printed over plantarflexion, whose moment has the other sign too
    return np.exp(2.1016 + 0.0843 * q) - np.exp(-7.9763 - 0.1949 * q) - 1.792


PUBLISHED = {"hip": (-10, 110, _hip), "knee": (0, 120, _knee), "ankle": (-40, 20, _ankle)}  # degrees
RANGES = {"shoulder": (-60, 180), "elbow": (0, 150), "wrist": (-70, 80)}  # extension and flexion in degrees
