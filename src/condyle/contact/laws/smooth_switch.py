"""A law that comes in smoothly before bodies touch: Špička's switch H = ½ + arctan(κ (h − d))/π on the distance d."""

from __future__ import annotations

from typing import Any

import numpy as np

from condyle.contact.laws.law import Chosen, ContactLaw, Curve, Past
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.quantities import declared, quantity

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


@declared(frozen=True)
class SmoothSwitch(ContactLaw):
    """Another soft law times H = ½ + arctan(κ (reach − d))/π, with the distance d = −s [m].

    law: SpringDashpot, Hertz, HuntCrossley, …; reach [m]: where the switch is at a half; steepness κ [1/m], or None for a jump
    from 0 to 1 there (the plain IF). By default the law
    presses by its depth max(0, −d). magnitude: by |d|, as the published figures need; then the force far away is k/(π κ), which
    must be small against what it acts on. Locating the instant of touching, as all steps here do, is the better way.
    """

    law: ContactLaw
    reach: float = quantity("m", default=0.0, at_least=0.0)
    steepness: float | None = quantity("1/m", default=1e6, above=0.0)
    magnitude: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.law, ContactLaw) or self.law.by_multipliers or isinstance(self.law, SmoothSwitch):
            raise InputError(
                f"SmoothSwitch: law must be a soft law such as SpringDashpot(1e5, damping=10), not {self.law!r}"
            )

    @property
    def remembers(self) -> bool:  # type: ignore[override]
        return bool(self.law.remembers)

    @property
    def pulls(self) -> bool:  # type: ignore[override]
        return bool(self.law.pulls)

    @property
    def rate_exponent(self) -> float:  # type: ignore[override]
        return float(self.law.rate_exponent)

    @property
    def core(self) -> ContactLaw:
        inner: ContactLaw = self.law
        return inner

    @property
    def own_stiffness(self) -> float | None:
        return self.law.own_stiffness

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        return self._switched(self.law.elastic_curve, depth, past, chosen)

    def damping_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        return self._switched(self.law.damping_curve, depth, past, chosen)

    def _switched(self, curve: Any, depth: Array, past: Past, chosen: Chosen) -> Curve:
        value, slope = self._at(curve, depth, past, chosen)
        # The primitive from far outside, in pieces that grow away from the switch.
        near = 0.0 if self.steepness is None else 10.0 / self.steepness
        edges = sorted({0.0, *(-self.reach + widths * near for widths in (-100.0, -1.0, 0.0, 1.0))})
        low = np.array(edges)[:, None]
        length = np.clip(depth, low, np.array([*edges[1:], np.inf])[:, None]) - low  # of each piece up to the depth
        places = (low + 0.5 * length)[:, None] + 0.5 * NODES[:, None] * length[:, None]
        inside = self._at(curve, places, past, chosen)[0]  # (pieces, nodes, points)
        return Curve(0.5 * np.einsum("pkn,k,pn->n", inside, WEIGHTS, length), value, slope)

    def _at(self, curve: Any, depth: Array, past: Past, chosen: Chosen) -> tuple[Array, Array]:
        sign = np.where(depth < 0.0, -1.0, 1.0) if self.magnitude else np.ones_like(depth)
        _, value, slope = curve(sign * depth, past, chosen)
        if self.steepness is None:
            on = np.where(depth > -self.reach, 1.0, 0.0)
            return on * value, on * sign * slope
        z = self.steepness * (self.reach + depth)
        H, by = 0.5 + np.arctan(z) / np.pi, self.steepness / (np.pi * (1.0 + z * z))
        return H * value, H * sign * slope + by * value
