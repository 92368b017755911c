"""Kinks of prescribed motions, where drives and moving supports give a blow whose work the forces of the step do not show.

A motion is taken at half steps. Its slopes change from one to the next as smoothly as it moves; where they change by far more
than a step before and a step after, it has a kink.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.errors import CondyleError
from condyle.system.running import RunningSystem

Array = NDArray[np.float64]
KINK = 4.0  # a slope that changes by so many times more than a step before and after has a kink
FLAT = 1e-6  # change of a slope, relative to the largest one, below which it is round-off
FELT = 2  # steps to either side that feel a kink: accelerations of prescribed motions are differences over so many


class PrescribedMotions:
    """The functions of time that drives and supports of a system follow."""

    def __init__(self, system: RunningSystem) -> None:
        self.system = system
        self._functions = sorted({int(k) for k in system.constraints.drive if k >= 0})

    @property
    def any(self) -> bool:
        """Do drives or supports move parts as prescribed?"""
        return bool(self._functions) or bool(self.system.driven)

    def smooth(self, times: Array) -> NDArray[np.bool_]:
        """Which of the steps between `times` [s] feel no kink.

        Where an input is set by hand, or a motion is not defined beside the steps, none of them is known to be smooth.
        """
        steps = len(times) - 1
        if not steps or any(k in self.system.overrides for k in self._functions):
            return np.zeros(steps, dtype=bool)
        first, last = times[1] - times[0], times[-1] - times[-2]
        around = 0.5 * np.arange(1, 2 * FELT + 3)
        within = np.column_stack((times[:-1], 0.5 * (times[:-1] + times[1:]))).ravel()
        at = np.concatenate((times[0] - first * around[::-1], within, [times[-1]], times[-1] + last * around))
        try:
            values = np.array([self._values(t) for t in at])
        except (CondyleError, ArithmeticError, ValueError):
            return np.zeros(steps, dtype=bool)
        slope = np.diff(values, axis=0) / np.diff(at)[:, None]
        change, fastest = np.abs(np.diff(slope, axis=0)), np.abs(slope).max(axis=0)
        beside = np.maximum(change[:-4], change[4:])
        kinked = (change[2:-2] > KINK * beside + FLAT * fastest).any(axis=1)
        felt = at[3:-3][kinked][:, None]
        reach = (FELT + 1e-6) * np.diff(times)
        touched = (felt > times[:-1] - reach) & (felt < times[1:] + reach)
        return np.asarray(~touched.any(axis=0))

    def _values(self, t: float) -> Array:
        driven = [motion(t).ravel() for _, motion in self.system.driven]
        return np.concatenate((self.system.amplitudes(t)[self._functions], *driven))
