"""Coulomb's friction, |T| ≤ μ p: exact with multipliers, with an elastic slip in soft contacts."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from condyle.contact.laws.law import FrictionLaw, Slid, Traction
from condyle.contact.laws.stribeck import Stribeck
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.quantities import declared, quantity


@declared(frozen=True)
class Coulomb(Stribeck):
    """Coefficient μ; with `static` and `speed` [m/s], μ(v) = μ + (static − μ) exp(−(v/speed)²) (Stribeck).

    With a law by multipliers, points that stick do not move at all over the surface. In soft contacts they creep
    elastically: a spring along the surface, as stiff as the contact across it, is returned to the cone |T| ≤ μ p (of laws that
    are not linear, as stiff as at a depth of 1 % of the body; `Bristle` has a stiffness of its own). A coefficient that
    changes with the speed is that of the speed at which the step begins.
    """

    exact: ClassVar[bool] = True
    mu: float = quantity(at_least=0.0)
    static: float | None = quantity(default=None, at_least=0.0)
    speed: float | None = quantity("m/s", default=None, above=0.0)

    def __post_init__(self) -> None:
        self.check_coefficients()
        if self.static is not None and self.static < self.mu:
            raise InputError(f"Coulomb: static must be at least mu = {self.mu:g}, not {self.static:g}")

    def traction(self, slid: Slid) -> Traction:
        return returned(slid, self.coefficient(slid.speed))


@declared(frozen=True)
class Bristle(FrictionLaw):
    """Coulomb's friction with bristles of a given stiffness [N/m] per point along the surface: T = k z, at most μ p."""

    mu: float = quantity(at_least=0.0)
    bristles: float = quantity("N/m", above=0.0)

    def stiffness(self, normal: Array) -> Array:
        return np.full_like(normal, self.bristles)

    def traction(self, slid: Slid) -> Traction:
        return returned(slid, np.full_like(slid.press, self.mu))


@declared(frozen=True)
class Stronge(FrictionLaw):
    """Stronge's tangential spring: T = k z with k = ratio × the stiffness across, at most μ p.

    ratio: of elastic spheres of the same material 2 (1 − ν)/(2 − ν), Mindlin's, from `poisson` if it is given instead.
    """

    mu: float = quantity(at_least=0.0)
    ratio: float | None = quantity(default=None, above=0.0)
    poisson: float | None = quantity(default=None, at_least=-1.0, at_most=0.5)

    def __post_init__(self) -> None:
        if (self.ratio is None) == (self.poisson is None):
            raise InputError("Stronge: give either ratio (of stiffness along over that across) or poisson")

    def stiffness(self, normal: Array) -> Array:
        if self.poisson is not None:
            return np.asarray(2.0 * (1.0 - self.poisson) / (2.0 - self.poisson) * normal)
        return np.asarray(float(self.ratio or 0.0) * normal)

    def traction(self, slid: Slid) -> Traction:
        return returned(slid, np.full_like(slid.press, self.mu))


def returned(slid: Slid, mu: Array) -> Traction:
    """A spring k (z + step), returned to the cone |T| ≤ μ p where it is beyond."""
    d = slid.step.shape[1]
    unit = np.broadcast_to(np.eye(d), (len(mu), d, d))
    tau = slid.stiffness[:, None] * (slid.elastic + slid.step)
    size, bound = np.linalg.norm(tau, axis=1), mu * slid.press
    slips = ~slid.sticks & ((size > bound) | slid.slips)
    safe = np.where(size > 0.0, size, np.inf)[:, None]
    e = tau / safe
    across = (unit - e[:, :, None] * e[:, None, :]) / safe[:, :, None]
    k = slid.stiffness[:, None, None]
    by = np.where(slips[:, None, None], bound[:, None, None] * k * across, k * unit)
    force = np.where(slips[:, None], bound[:, None] * e, tau)
    by_press = np.where(slips[:, None], mu[:, None] * e, 0.0)
    return Traction(force, by, by, by_press, force / slid.stiffness[:, None], slips)
