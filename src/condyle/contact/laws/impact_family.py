"""Laws of impact of one family, F = K sⁿ and c = χ sⁿ: Hertz, and Hunt and Crossley's with the factors of many authors.

χ = a K/v₀, with the speed v₀ at which the point came in and a factor a of the coefficient of restitution e that is asked for.
What comes out follows from a alone, whatever K, n, masses and v₀: with e' the speed at which bodies part over that at which
they met,

    ln((1 + a)/(1 − a e')) = a (1 + e')

(m v dv = −K sⁿ (1 + a v/v₀) ds, integrated in and out). Hunt and Crossley's a suits e near 1; Gonthier's, Flores' and their
like any e; with Zhang and Sharf's, which is the root of this equation, e' is e.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from condyle.contact.laws.law import Chosen, ContactLaw, Curve, Past, power
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.part import number
from condyle.model.quantities import declared, quantity

if TYPE_CHECKING:
    from condyle.model.given import Option

SLOWEST = 1e-3  # [m/s]: slower, points do not come in but lie; χ then is that of this speed


def restitution_of(factor: float) -> float:
    """e' of the factor a: the root of ln((1 + a)/(1 − a e')) = a (1 + e') between 0 and 1."""
    if factor <= 0.0:
        return 1.0
    low, high = 0.0, min(1.0, (1.0 - 1e-15) / factor)
    for _ in range(200):
        e = 0.5 * (low + high)
        miss = math.log1p(factor) - math.log1p(-factor * e) - factor * (1.0 + e)
        low, high = (e, high) if miss < 0.0 else (low, e)
    return 0.5 * (low + high)


@lru_cache(maxsize=256)
def factor_of(restitution: float) -> float:
    """The factor a that gives e' = e exactly; above 1e6 it counts as infinite."""
    low, high = 0.0, 1e6
    for _ in range(200):
        a = 0.5 * (low + high)
        low, high = (a, high) if restitution_of(a) > restitution else (low, a)
    return 0.5 * (low + high)


@declared(frozen=True)
class Hertz(ContactLaw):
    """F = K sⁿ, elastic. stiffness K [N/mⁿ], exponent n (3/2: round bodies). `Hertz.of` takes K from materials and radii."""

    stiffness: float = quantity("(N/mⁿ)", above=0.0)
    exponent: float = quantity(default=1.5, at_least=1.0)

    def __post_init__(self) -> None:
        _power_law(self)

    @classmethod
    def of(cls, young: float, poisson: float, radii: Sequence[float], **more: Option) -> Self:
        """Two round bodies of `radii` [m] (inf: flat, negative: hollow), young [Pa] and poisson: one number, or one for each.

        K = 4/(3 (σ₁ + σ₂)) √(R₁ R₂/(R₁ + R₂)), σ = (1 − ν²)/E; inf for young is a rigid body. more: what else the law has.
        """
        E, nu = (np.broadcast_to(np.asarray(v, dtype=float), (2,)) for v in (young, poisson))
        if (E <= 0.0).any() or (np.abs(nu) > 0.5).any() or len(radii) != 2 or 0.0 in radii:
            raise InputError(
                f"{cls.__name__}.of: young must be positive, poisson at most 0.5, radii two numbers that are not 0"
            )
        give, bend = float(np.sum((1.0 - nu**2) / E)), 1.0 / float(radii[0]) + 1.0 / float(radii[1])
        if give <= 0.0 or bend <= 0.0:
            raise InputError(
                f"{cls.__name__}.of: at least one body must give way, and the bodies must not fit into each other"
            )
        return cls(4.0 / (3.0 * give) / math.sqrt(bend), **more)

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        return Curve(*(self.stiffness * a for a in power(depth, self.exponent)))


def _power_law(law: Any) -> None:
    number(law, "stiffness", low=0.0, strict=True)
    number(law, "exponent", low=1.0)


@declared(frozen=True)
class HuntCrossley(Hertz):
    """F = K sⁿ with c = χ sⁿ, χ = a K/v₀, a = 3 (1 − e)/2 (Hunt and Crossley 1975).

    stiffness K [N/mⁿ], exponent n; e: coefficient of restitution that is asked for. slowest [m/s]: v₀ is never taken smaller.
    pulls: let the law pull where bodies part faster than K sⁿ pushes them.
    """

    remembers: ClassVar[bool] = True
    e: float = quantity(default=0.8, at_least=0.0, at_most=1.0)
    slowest: float = quantity("m/s", default=SLOWEST, above=0.0)
    pulls: bool = False

    def __post_init__(self) -> None:
        _power_law(self)
        if not math.isfinite(self.factor):
            raise InputError(
                f"{type(self).__name__}: e = 0 would need infinite damping; take HuntCrossley, or Impact(0)"
            )

    @property
    def factor(self) -> float:
        """a = χ v₀/K as a function of e."""
        return 1.5 * (1.0 - self.e)

    def damping_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        chi = self.factor * self.stiffness / np.maximum(past.speed, self.slowest)
        return Curve(*(chi * a for a in power(depth, self.exponent)))


@dataclass(frozen=True)
class HerbertMcWhannell(HuntCrossley):
    """a = 6 (1 − e)/((2e − 1)² + 3) (Herbert and McWhannell 1977)."""

    @property
    def factor(self) -> float:
        return 6.0 * (1.0 - self.e) / ((2.0 * self.e - 1.0) ** 2 + 3.0)


@dataclass(frozen=True)
class LeeWang(HuntCrossley):
    """a = 3 (1 − e)/4 (Lee and Wang 1983)."""

    @property
    def factor(self) -> float:
        return 0.75 * (1.0 - self.e)


@dataclass(frozen=True)
class LankaraniNikravesh(HuntCrossley):
    """a = 3 (1 − e²)/4 (Lankarani and Nikravesh 1990)."""

    @property
    def factor(self) -> float:
        return 0.75 * (1.0 - self.e**2)


@dataclass(frozen=True)
class Gonthier(HuntCrossley):
    """a = (1 − e²)/e (Gonthier, McPhee, Lange and Piedbœuf 2004)."""

    @property
    def factor(self) -> float:
        return (1.0 - self.e**2) / self.e if self.e > 0.0 else math.inf


@dataclass(frozen=True)
class ZhangSharf(HuntCrossley):
    """a is the root of ln((1 + a)/(1 − a e)) = a (1 + e), so that e is what comes out (Zhang and Sharf 2009)."""

    @property
    def factor(self) -> float:
        return factor_of(self.e) if self.e > 0.0 else math.inf


@dataclass(frozen=True)
class Flores(HuntCrossley):
    """a = 8 (1 − e)/(5 e) (Flores, Machado, Silva and Martins 2011)."""

    @property
    def factor(self) -> float:
        return 1.6 * (1.0 - self.e) / self.e if self.e > 0.0 else math.inf
