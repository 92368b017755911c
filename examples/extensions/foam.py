"""A contact law of one's own: foam that stiffens as it is pressed, and dissipates in proportion to its stiffness."""

from dataclasses import dataclass

import numpy as np

import condyle as cd
from condyle.contact.laws.law import Curve


@dataclass(frozen=True)
class Foam(cd.ContactLaw):
    """F = k ℓ (exp(s/ℓ) − 1) and c = τ dF/ds per point: stiffness k [N/m] at first touch, length ℓ [m], time τ [s]."""

    stiffness: float
    length: float
    time: float = 0.0

    def elastic_curve(self, depth, past, chosen):
        k, scale, s = self.stiffness, self.length, np.maximum(depth, 0.0)
        grown = np.expm1(s / scale)
        return Curve(k * scale * (scale * grown - s), k * scale * grown, k * (grown + 1.0) * (depth > 0.0))

    def damping_curve(self, depth, past, chosen):
        force = self.elastic_curve(depth, past, chosen)
        return Curve(self.time * force.value, self.time * force.slope, self.time * force.slope / self.length)
