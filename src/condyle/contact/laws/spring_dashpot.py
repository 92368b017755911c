"""Kelvin and Voigt's spring and dashpot, which is also the penalty: F = k s, c = b."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from condyle.contact.laws.law import Chosen, ContactLaw, Curve, Past, power
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.quantities import declared, quantity

SETTLING = 0.1  # of critical damping, between rigid bodies, where no damping is given: a bounce keeps 0.73 of its speed


@declared(frozen=True)
class SpringDashpot(ContactLaw):
    """p = k s + b ṡ per point, never pulling unless `pulls`. stiffness k [N/m]: chosen from what there is to press if None.

    damping b [N s/m], or ratio: of critical damping of each point with its stiffness and effective mass. If neither is given,
    ratio is 0.1 between rigid bodies, where nothing else dissipates, and 0 where bodies deform; 0 keeps energy.
    """

    linear: ClassVar[bool] = True
    stiffness: float | None = quantity("N/m", default=None, above=0.0)
    damping: float | None = quantity("N s/m", default=None, at_least=0.0)
    ratio: float | None = quantity(default=None, at_least=0.0)
    pulls: bool = False

    def __post_init__(self) -> None:
        if self.damping is not None and self.ratio is not None:
            raise InputError("SpringDashpot: give damping [N s/m] or ratio (of critical damping), not both")

    @property
    def own_stiffness(self) -> float | None:
        return self.stiffness

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        whole, value, slope = power(depth, 1.0)
        k = chosen.stiffness
        return Curve(k * whole, k * value, k * slope)

    def damping_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        inside = (depth > 0.0).astype(float)
        return Curve(chosen.damping * np.maximum(depth, 0.0), chosen.damping * inside, np.zeros_like(depth))
