"""An elastic layer on a surface whose points press by themselves (Winkler)."""

from __future__ import annotations

from typing import ClassVar

from condyle.contact.laws.law import Chosen, ContactLaw, Curve, Past, power
from condyle.contact.surface import Array
from condyle.model.quantities import declared, quantity


@declared(frozen=True)
class Foundation(ContactLaw):
    """A layer of `thickness` [m], `young` [Pa] and `poisson` that cannot spread.

    It presses with E (1 − ν)/((1 + ν)(1 − 2ν)) × depth/thickness × (1 + c × rate of the depth) [Pa], never pulling. The
    `dissipation` c [s/m] is that of Hunt and Crossley's law, and of elastic foundations in OpenSim; 0 loses nothing.
    """

    linear: ClassVar[bool] = True
    thickness: float = quantity("m", above=0.0)
    young: float = quantity("Pa", above=0.0)
    poisson: float = quantity(at_least=0.0, below=0.5, hint="with 0.5 a thin layer cannot be compressed at all")

    dissipation: float = quantity("s/m", default=0.0, at_least=0.0)

    @property
    def layer(self) -> float:  # type: ignore[override]
        return self.thickness

    @property
    def modulus(self) -> float:
        """Stress over strain of a thin layer that cannot spread [Pa]."""
        E, nu = self.young, self.poisson
        return E * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        whole, value, slope = power(depth, 1.0)
        k = chosen.stiffness
        return Curve(k * whole, k * value, k * slope)

    def damping_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        whole, value, slope = power(depth, 1.0)
        chi = self.dissipation * chosen.stiffness
        return Curve(chi * whole, chi * value, chi * slope)
