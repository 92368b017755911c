"""Ligament and tendon: collagen fibres that straighten, then pull, in a soft ground (weiss-1996; gantoi-2013)."""

from __future__ import annotations

import numpy as np

from condyle.bodies.materials.material import SplitMaterial, solid_law, unit_direction
from condyle.laws.record import LawParameter
from condyle.model.given import Vector
from condyle.model.quantities import choice, declared, quantity


@declared(frozen=True)
class LigamentTissue(SplitMaterial):
    """Ligament: c10 (Ī₁ − 3) + c01 (Ī₂ − 3) + F(λ) + ¼ κ (J² − 1 − 2 ln J), λ the stretch of its fibres.

    λ F′ is 0 in compression, toe_stress (e^(toe_rate (λ − 1)) − 1) [Pa] in the toe region up to the stretch toe_end, and
    modulus λ + C₆ beyond: straight fibres, with a C₆ that makes the stress continuous (`offset`). measure: 'stretch', λ = √(a·C
    a), or 'square', λ = a·C a, as it stands in some papers. bulk κ [Pa] is 1/D. direction: of the fibres in the reference
    shape of a Solid; in an AncfBeam they run along its line.
    """

    c10: float
    bulk: float = quantity("Pa")
    toe_stress: float
    toe_rate: float
    modulus: float
    toe_end: float
    c01: float = 0.0
    measure: str = choice("stretch", "square", default="stretch")
    direction: Vector = quantity(default=(1.0, 0.0, 0.0), vector=True, nonzero=True)
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    ground = ("c10", "c01")
    reinforcement = ("toe_stress", "modulus")
    law = solid_law(
        "ligament tissue", "toe:ligament_tissue", "c10 (Ī₁ − 3) + c01 (Ī₂ − 3) + U(J) + F(λ)", LawParameter("c10", "Pa"),
        LawParameter("c01", "Pa"), LawParameter("toe_stress", "Pa", "C₃", at_least=0.0),
        LawParameter("toe_rate", "", "C₄", above=0.0), LawParameter("modulus", "Pa", "C₅", at_least=0.0),
        LawParameter("toe_end", "", "λ*", at_least=1.0), LawParameter("power", "", "½: λ = √I₄, 1: λ = I₄"),
        families=1, example=(1.1, 0.2, 0.3, 4.0, 3.0, 1.15, 0.5, 0.6, 0.8, 0.0),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()

    def constants(self) -> tuple[float, ...]:
        power = 0.5 if self.measure == "stretch" else 1.0
        return (self.c10, self.c01, self.toe_stress, self.toe_rate, self.modulus, self.toe_end, power)

    def fibres(self) -> tuple[tuple[float, ...], ...]:
        return (unit_direction(self.direction),)

    @property
    def offset(self) -> float:
        """C₆ [Pa] of the straight fibres, by continuity at the end of the toe region."""
        return float(self.toe_stress * np.expm1(self.toe_rate * (self.toe_end - 1.0)) - self.modulus * self.toe_end)

    def pull(self, stretch: float) -> tuple[float, float, float]:
        """Pulled along its fibres, the volume kept: energy [J/m³], force per area at rest [Pa], its slope [Pa]."""
        from condyle.laws.toe import fibre_line

        G, S, H = np.array([[float(stretch) ** 2]]), np.zeros((1, 1)), np.zeros((1, 1, 1, 1))
        energy = fibre_line(1, G, np.array((1.0, *self.constants())), S, H)
        return float(energy), 2.0 * float(S[0, 0]) * stretch, float(4.0 * H[0, 0, 0, 0] * stretch**2 + 2.0 * S[0, 0])
