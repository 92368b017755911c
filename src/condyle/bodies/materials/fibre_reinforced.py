"""Tissue with one family of fibres: ligament, tendon, muscle at rest."""

from __future__ import annotations

import numpy as np

from condyle.bodies.materials.material import Array, SplitMaterial, solid_law, unit_direction
from condyle.laws.record import LawParameter
from condyle.model.given import Vector
from condyle.model.quantities import declared, quantity


def fibre_reinforced(x: Array, p: Array, d: Array, dd: Array) -> float:
    """W = c10 (Ī₁ − 3) + w(λ), λ = √I₄.

    The force per reference area w′ is 0 for λ ≤ 1, c (e^(k (λ − 1)) − 1) in the toe region up to λ*, and straight beyond, with
    the slope reached there.
    """
    c10, c, rate, end = p[0], p[1], p[2], p[3]
    psi = c10 * x[0]
    d[0] = c10
    stretch = np.sqrt(x[4])
    if stretch > 1.0:
        toe = min(stretch, end)
        rise = np.exp(rate * (toe - 1.0))
        beyond = stretch - toe
        slope = c * rate * rise
        force = c * (rise - 1.0) + slope * beyond
        psi += c * ((rise - 1.0) / rate - (toe - 1.0)) + beyond * (c * (rise - 1.0) + 0.5 * slope * beyond)
        d[4] = 0.5 * force / stretch
        dd[4, 4] = 0.25 * (slope - force / stretch) / x[4]
    return psi


@declared(frozen=True)
class FibreReinforced(SplitMaterial):
    """Tissue with one family of fibres: c10 (Ī₁ − 3) + ¼ κ (J² − 1 − 2 ln J) + W(λ), λ the stretch along the fibres.

    The fibres carry W′ = 0 in compression, toe_stress (e^(toe_rate (λ − 1)) − 1) in the toe region up to the stretch
    toe_end, and go on straight from there (stress per reference area [Pa]). direction: of the fibres in the reference
    shape; a Solid may give one per cell instead. About an axis its components are radial, axial and hoop.
    """

    c10: float
    bulk: float = quantity("Pa")
    toe_stress: float
    toe_rate: float
    toe_end: float
    direction: Vector = quantity(default=(1.0, 0.0, 0.0), vector=True, nonzero=True)
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    ground = ("c10",)
    reinforcement = ("toe_stress",)
    law = solid_law(
        "fibres", fibre_reinforced, "c10 (Ī₁ − 3) + U(J) + W(λ)", LawParameter("c10", "Pa"),
        LawParameter("toe_stress", "Pa", at_least=0.0), LawParameter("toe_rate", above=0.0),
        LawParameter("toe_end", "", "a stretch", at_least=1.0), families=1, example=(1.1, 0.3, 4.0, 1.15, 0.6, 0.8, 0.0),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()

    def fibres(self) -> tuple[tuple[float, ...], ...]:
        return (unit_direction(self.direction),)
