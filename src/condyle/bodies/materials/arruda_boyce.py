"""Arruda–Boyce: rubber as a network of eight chains of finite length (arruda-boyce-1993)."""

from __future__ import annotations

import numpy as np

from condyle.bodies.materials.material import Array, SplitMaterial, solid_law
from condyle.laws.record import LawParameter
from condyle.model.quantities import declared, quantity


def arruda_boyce(x: Array, p: Array, d: Array, dd: Array) -> float:
    """W = μ λ_m² (β s + ln(β/sinh β)) less its value at rest, s = √(Ī₁/3)/λ_m the stretch of a chain over its largest.

    β is the inverse of Langevin's function, coth β − 1/β = s: not a series but Newton's method on the function itself, to the
    last digit. The law is not defined for s ≥ 1.
    """
    mu, most = p[0], p[1]
    psi = 0.0
    for rest in range(2):  # first at rest, Ī₁ = 3, then as it is
        s = (1.0 if rest == 0 else np.sqrt(1.0 + x[0] / 3.0)) / most
        if not s < 1.0:
            return np.nan
        beta = s * (3.0 - s * s) / (1.0 - s * s)
        slope = 1.0 / 3.0  # of Langevin's function
        for _ in range(30):
            b2 = beta * beta
            if beta < 0.2:  # its series: the terms of the closed form cancel
                series = (1 / 3, -1 / 45, 2 / 945, -1 / 4725, 2 / 93555, -1382 / 638512875)
                value, slope, power = 0.0, 0.0, 1.0
                for k in range(6):
                    value += series[k] * power * beta
                    slope += (2 * k + 1) * series[k] * power
                    power *= b2
            else:
                value = 1.0 / np.tanh(beta) - 1.0 / beta
                slope = 1.0 / b2 - 1.0 / np.sinh(min(beta, 300.0)) ** 2
            change = (s - value) / slope
            beta += change
            if abs(change) <= 1e-15 * beta:
                break
        # ln(β/sinh β), without overflow
        log = np.log(2.0 * beta / -np.expm1(-2.0 * beta)) - beta
        psi = mu * most * most * (beta * s + log) - psi
    d[0] = mu * beta / (6.0 * s)
    dd[0, 0] = mu * (1.0 / slope - beta / s) / (36.0 * most * most * s * s)
    return psi


@declared(frozen=True)
class ArrudaBoyce(SplitMaterial):
    """Eight chains: μ λ_m² (β s + ln(β/sinh β)) + ¼ κ (J² − 1 − 2 ln J), coth β − 1/β = s = √(Ī₁/3)/λ_m.

    mu [Pa]: n k T of the chains, a little less than the shear modulus at small strain; locking: λ_m = √N, the largest stretch
    of a chain of N links, which the network approaches with a stress without bound; bulk κ [Pa].
    """

    mu: float
    locking: float
    bulk: float = quantity("Pa")
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    law = solid_law(
        "Arruda–Boyce", arruda_boyce, "μ λ_m² (β s + ln(β/sinh β)) + U(J), coth β − 1/β = s = √(Ī₁/3)/λ_m",
        LawParameter("mu", "Pa", "n k T", above=0.0),
        LawParameter("locking", "", "largest stretch λ_m of a chain", above=1.0), example=(1.1, 8.0),
    )  # fmt: skip
