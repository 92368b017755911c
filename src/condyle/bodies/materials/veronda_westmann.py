"""Veronda–Westmann: skin and other soft tissue that stiffens exponentially (veronda-westmann-1970)."""

from __future__ import annotations

import numpy as np

from condyle.bodies.materials.material import Array, SplitMaterial, solid_law
from condyle.laws.record import LawParameter
from condyle.model.quantities import declared, quantity


def veronda_westmann(x: Array, p: Array, d: Array, dd: Array) -> float:
    """W = c1 (e^(c2 (Ī₁ − 3)) − 1) − ½ c1 c2 (Ī₂ − 3)."""
    c1, c2 = p[0], p[1]
    rise = np.exp(c2 * x[0])
    d[0], d[1] = c1 * c2 * rise, -0.5 * c1 * c2
    dd[0, 0] = c1 * c2 * c2 * rise
    return c1 * np.expm1(c2 * x[0]) - 0.5 * c1 * c2 * x[1]


@declared(frozen=True)
class VerondaWestmann(SplitMaterial):
    """c1 (e^(c2 (Ī₁ − 3)) − 1) − ½ c1 c2 (Ī₂ − 3) + ¼ κ (J² − 1 − 2 ln J); c1, bulk κ [Pa]. At small strain μ = c1 c2."""

    c1: float
    c2: float
    bulk: float = quantity("Pa")
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    law = solid_law(
        "Veronda–Westmann", veronda_westmann, "c1 (e^(c2 (Ī₁ − 3)) − 1) − ½ c1 c2 (Ī₂ − 3) + U(J)",
        LawParameter("c1", "Pa", above=0.0), LawParameter("c2", above=0.0), example=(1.1, 0.7),
    )  # fmt: skip
