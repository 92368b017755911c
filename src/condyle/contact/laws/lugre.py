"""The LuGre model (Canudas de Wit, Olsson, Åström and Lischinsky 1995): bristles that bend, lag and slip."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from condyle.contact.laws.law import FrictionLaw, Slid, Traction
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.quantities import declared, quantity


@declared(frozen=True)
class LuGre(FrictionLaw):
    """T = p (σ₀ z + σ₁ ż + σ₂ v),   ż = v − σ₀ |v|/g(v) z,   g = μ + (static − μ) exp(−(v/speed)²).

    mu, static: kinetic and static coefficient; speed [m/s] of Stribeck; bristles σ₀ [1/m] and damping σ₁ [s/m] per pressing
    force, viscous σ₂ [s/m]. z follows by the implicit rule, with g of the speed at which the step begins.
    """

    rates: ClassVar[bool] = True
    mu: float = quantity(above=0.0)
    static: float = quantity(at_least=0.0)
    speed: float = quantity("m/s", above=0.0)
    bristles: float = quantity("1/m", above=0.0)
    damping: float = quantity("s/m", default=0.0, at_least=0.0)
    viscous: float = quantity("s/m", default=0.0, at_least=0.0)

    def __post_init__(self) -> None:
        if self.static < self.mu:
            raise InputError(f"LuGre: static must be at least mu = {self.mu:g}, not {self.static:g}")

    @property
    def varies(self) -> bool:
        return self.static > self.mu

    def coefficient(self, speed: Array) -> Array:
        return np.asarray(self.mu + (self.static - self.mu) * np.exp(-((speed / self.speed) ** 2)))

    def stiffness(self, normal: Array) -> Array:
        return np.zeros_like(normal)  # its elastic slip stores what depends on the pressing force

    def traction(self, slid: Slid) -> Traction:
        h = float(slid.h or np.inf)
        s, z0, g = slid.step, slid.elastic, self.coefficient(slid.speed)
        way = np.linalg.norm(s, axis=1)
        shrink = 1.0 / (1.0 + self.bristles * way / g)
        z = shrink[:, None] * (z0 + s)
        unit = np.broadcast_to(np.eye(s.shape[1]), (len(s), s.shape[1], s.shape[1]))
        e = s / np.where(way > 0.0, way, np.inf)[:, None]
        z_by_z0 = shrink[:, None, None] * unit
        z_by_s = z_by_z0 - (shrink * self.bristles / g)[:, None, None] * z[:, :, None] * e[:, None, :]
        stiff = self.bristles + self.damping / h
        ratio = stiff * z - self.damping / h * z0 + self.viscous / h * s
        p = slid.press[:, None, None]
        by_step = p * (stiff * z_by_s + self.viscous / h * unit)
        by_elastic = p * (stiff * z_by_z0 - self.damping / h * unit)
        slips = np.linalg.norm(ratio, axis=1) >= 0.999 * g
        return Traction(slid.press[:, None] * ratio, by_step, by_elastic, ratio, z, slips)
