"""A coefficient of friction that falls with the speed (Stribeck), for laws that have one."""

from __future__ import annotations

import numpy as np

from condyle.contact.laws.law import FrictionLaw
from condyle.contact.surface import Array
from condyle.errors import InputError


class Stribeck(FrictionLaw, abstract=True):
    """μ(v) = μ + (static − μ) exp(−(v/speed)²) with `static` and `speed` [m/s]; without them μ at every speed."""

    mu: float
    static: float | None
    speed: float | None

    def check_coefficients(self) -> None:
        """Both or neither of static and speed."""
        if (self.static is None) != (self.speed is None):
            raise InputError(
                f"{self.label}: a static coefficient needs the speed [m/s] at which it is gone, and the other way round"
            )

    @property
    def varies(self) -> bool:
        return self.static is not None

    def coefficient(self, speed: Array) -> Array:
        if self.static is None or self.speed is None:
            return np.full_like(speed, self.mu)
        return np.asarray(self.mu + (self.static - self.mu) * np.exp(-((speed / self.speed) ** 2)))
