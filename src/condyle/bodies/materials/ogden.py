"""Ogden: rubber and tissue, in principal stretches."""

from __future__ import annotations

import numpy as np

from condyle.bodies.materials.material import Array, SplitMaterial, solid_law
from condyle.errors import InputError
from condyle.model.given import Numbers
from condyle.model.quantities import declared, quantity


def ogden(c: float, p: Array, w: Array) -> float:
    """w(c̄) = Σ_k μ_k/α_k (c̄^(α_k/2) − 1) of the square c̄ of a stretch. p = (number of terms, μ_1, α_1, μ_2, …)."""
    w[0] = w[1] = w[2] = 0.0
    for k in range(int(p[0])):
        mu, half = p[1 + 2 * k], 0.5 * p[2 + 2 * k]
        power = c**half
        w[0] += 0.5 * mu / half * (power - 1.0)
        w[1] += 0.5 * mu * power / c
        w[2] += 0.5 * mu * (half - 1.0) * power / (c * c)
    return w[0]


@declared(frozen=True)
class Ogden(SplitMaterial):
    """Σ_k μ_k/α_k (λ̄₁^α_k + λ̄₂^α_k + λ̄₃^α_k − 3) + ¼ κ (J² − 1 − 2 ln J); moduli μ_k [Pa], exponents α_k."""

    moduli: Numbers
    exponents: Numbers
    bulk: float = quantity("Pa")
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    law = solid_law(
        "Ogden", ogden, "Σ μ_k/α_k (λ̄₁^α_k + λ̄₂^α_k + λ̄₃^α_k − 3) + U(J)", example=(2.0, 0.9, 1.7, -0.2, -1.6),
        traits=("principal", "split", "barrier"), rest="number of terms, μ_1 [Pa], α_1, μ_2 [Pa], α_2, …",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for field in ("moduli", "exponents"):
            try:
                values = np.atleast_1d(np.asarray(getattr(self, field), dtype=float))
            except (TypeError, ValueError):
                values = np.full(1, np.nan)
            if values.ndim != 1 or not np.isfinite(values).all():
                raise InputError(f"{self.label}: {field} must be finite numbers, not {getattr(self, field)!r}")
            object.__setattr__(self, field, tuple(values.tolist()))
        if len(self.moduli) != len(self.exponents) or 0.0 in self.exponents:
            raise InputError(f"{self.label}: give as many exponents (none of them 0) as moduli")
        super().__post_init__()

    def constants(self) -> tuple[float, ...]:
        return len(self.moduli), *(c for pair in zip(self.moduli, self.exponents, strict=True) for c in pair)
