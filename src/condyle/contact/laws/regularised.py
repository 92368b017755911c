"""Friction without stick: Coulomb's law with the jump at rest drawn out over a small speed."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from condyle.contact.laws.law import Slid, Traction
from condyle.contact.laws.stribeck import Stribeck
from condyle.model.quantities import declared, quantity


@declared(frozen=True)
class Regularised(Stribeck):
    """T = μ(v) p v/√(v² + ε²), with the slip v of a step over its length. It creeps: on a slope nothing comes to rest.

    mu; creep ε [m/s]; static and speed [m/s]: μ(v) = μ + (static − μ) exp(−(v/speed)²) (Stribeck), with v as the step begins.
    """

    rates: ClassVar[bool] = True
    mu: float = quantity(at_least=0.0)
    creep: float = quantity("m/s", above=0.0)
    static: float | None = quantity(default=None, at_least=0.0)
    speed: float | None = quantity("m/s", default=None, above=0.0)

    def __post_init__(self) -> None:
        self.check_coefficients()

    def traction(self, slid: Slid) -> Traction:
        h = float(slid.h or np.inf)
        v = slid.step / h
        size = np.sqrt(np.sum(v * v, axis=1) + self.creep**2)
        e = v / size[:, None]
        bound = self.coefficient(slid.speed) * slid.press
        unit = np.broadcast_to(np.eye(v.shape[1]), (len(v), v.shape[1], v.shape[1]))
        by_step = (bound / (h * size))[:, None, None] * (unit - e[:, :, None] * e[:, None, :])
        nothing = np.zeros_like(slid.step)
        return Traction(
            bound[:, None] * e, by_step, np.zeros_like(by_step), self.coefficient(slid.speed)[:, None] * e, nothing,
            np.ones(len(v), dtype=bool),
        )  # fmt: skip
