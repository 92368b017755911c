"""Mooney–Rivlin: rubber."""

from __future__ import annotations

from condyle.bodies.materials.material import Array, SplitMaterial, solid_law
from condyle.bodies.materials.neo_hookean import NeoHookean
from condyle.laws.record import LawParameter
from condyle.model.quantities import declared, quantity


def mooney_rivlin(x: Array, p: Array, d: Array, dd: Array) -> float:
    """W = c10 (Ī₁ − 3) + c01 (Ī₂ − 3)."""
    d[0], d[1] = p[0], p[1]
    return p[0] * x[0] + p[1] * x[1]


@declared(frozen=True)
class MooneyRivlin(SplitMaterial):
    """c10 (Ī₁ − 3) + c01 (Ī₂ − 3) + ¼ κ (J² − 1 − 2 ln J); c10, c01, bulk κ [Pa]. With c01 = 0 neo-Hookean."""

    c10: float
    c01: float
    bulk: float = quantity("Pa")
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    law = solid_law(
        "Mooney–Rivlin", mooney_rivlin, "c10 (Ī₁ − 3) + c01 (Ī₂ − 3) + U(J)",
        LawParameter("c10", "Pa"), LawParameter("c01", "Pa"), example=(1.1, 0.4),
    )  # fmt: skip

    @classmethod
    def from_moduli(cls, young: float, poisson: float, density: float = 0.0, *, share: float = 0.0) -> MooneyRivlin:
        """The law with these moduli at small strain; share: how much of the shear modulus is that of c01."""
        lam, mu = NeoHookean(young, poisson).lame()
        return cls(0.5 * mu * (1.0 - share), 0.5 * mu * share, lam + 2.0 / 3.0 * mu, density)
