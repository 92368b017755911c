"""Yeoh: rubber that stiffens."""

from __future__ import annotations

from condyle.bodies.materials.material import Array, SplitMaterial, solid_law
from condyle.laws.record import LawParameter
from condyle.model.quantities import declared, quantity


def yeoh(x: Array, p: Array, d: Array, dd: Array) -> float:
    """W = Σ_k c_k0 (Ī₁ − 3)ᵏ, k = 1, 2, 3."""
    bar = x[0]
    d[0] = p[0] + bar * (2.0 * p[1] + 3.0 * p[2] * bar)
    dd[0, 0] = 2.0 * p[1] + 6.0 * p[2] * bar
    return bar * (p[0] + bar * (p[1] + p[2] * bar))


@declared(frozen=True)
class Yeoh(SplitMaterial):
    """Σ_k c_k0 (Ī₁ − 3)ᵏ + ¼ κ (J² − 1 − 2 ln J), k = 1, 2, 3; all constants [Pa]."""

    c10: float
    c20: float
    c30: float
    bulk: float = quantity("Pa")
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    law = solid_law(
        "Yeoh", yeoh, "Σ c_k0 (Ī₁ − 3)ᵏ + U(J)",
        LawParameter("c10", "Pa"), LawParameter("c20", "Pa"), LawParameter("c30", "Pa"), example=(1.1, -0.05, 0.02),
    )  # fmt: skip
