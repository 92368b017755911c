"""A power law with a dashpot that grows with the depth and the rate, both of given size: K sⁿ + χ s^m ṡ^q."""

from __future__ import annotations

from condyle.contact.laws.law import Chosen, ContactLaw, Curve, Past, power
from condyle.contact.surface import Array
from condyle.model.quantities import declared, quantity


@declared(frozen=True)
class NonlinearDashpot(ContactLaw):
    """p = K sⁿ + χ s^m ṡ |ṡ|^(q − 1), with a damping χ that is measured or fitted, not taken from a restitution.

    stiffness K [N/mⁿ], damping χ [N s^q/m^(m + q)], exponent n, damping_exponent m (n if None), rate_exponent q, at least 1
    (below it the force would turn round at once at the deepest point). With m = n and q = 1 an impact at the speed v loses
    what `HuntCrossley` with the factor a = χ v/K does: the faster, the more. pulls: let the law pull.
    """

    stiffness: float = quantity("(N/mⁿ)", above=0.0)
    damping: float = quantity("(N s^q/m^(m + q))", at_least=0.0)
    exponent: float = quantity(default=1.5, at_least=1.0)
    damping_exponent: float | None = quantity(default=None, at_least=1.0)
    pulls: bool = False
    rate_exponent: float = quantity(default=1.0, at_least=1.0)

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        return Curve(*(self.stiffness * a for a in power(depth, self.exponent)))

    def damping_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        m = self.exponent if self.damping_exponent is None else self.damping_exponent
        return Curve(*(self.damping * a for a in power(depth, m)))
