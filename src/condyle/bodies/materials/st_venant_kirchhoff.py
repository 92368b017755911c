"""St. Venant–Kirchhoff: stress linear in the Green–Lagrange strain."""

from __future__ import annotations

from condyle.bodies.materials.material import LAME, Array, IsotropicMaterial, poisson_ratio, solid_law
from condyle.model.given import Numbers
from condyle.model.quantities import choice, declared, given, quantity


def st_venant_kirchhoff(x: Array, p: Array, d: Array, dd: Array) -> float:
    """ψ = ⅛ λ (I₁ − 3)² + ¼ μ tr (C − 1)² = ½ λ (tr E)² + μ E:E, E = ½ (C − 1)."""
    lam, mu = p[0], p[1]
    d[0] = 0.25 * lam * x[0]
    d[3] = 0.25 * mu
    dd[0, 0] = 0.25 * lam
    return 0.125 * lam * x[0] ** 2 + 0.25 * mu * x[3]


@declared(frozen=True)
class StVenantKirchhoff(IsotropicMaterial):
    """S = λ tr(E) 1 + 2 μ E: linear in the Green–Lagrange strain. plane (2D): 'strain' or 'stress'."""

    young: float = quantity("Pa", above=0.0)
    poisson: float = poisson_ratio(0.0)
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)
    plane: str = choice("strain", "stress", default="strain")
    viscosity: float = quantity("Pa s", default=0.0, at_least=0.0)
    prony: Numbers = given(default=())

    law = solid_law(
        "St. Venant–Kirchhoff", st_venant_kirchhoff, "½ λ (tr E)² + μ E:E, E = ½ (C − 1)", *LAME, example=(3.0, 2.0),
        traits=("invariants", "quadratic"), sizes=(1, 2, 3, 4),
    )  # fmt: skip

    def __post_init__(self) -> None:
        self._check()

    def parameters(self, dimension: int) -> tuple[float, ...]:
        return self.setting(dimension, self.plane)[1]

    def setting(self, dimension: int, plane: str) -> tuple[int, tuple[float, ...]]:
        lam, mu = self.lame()
        if dimension == 2 and plane == "stress":
            lam = 2.0 * mu * lam / (lam + 2.0 * mu)
        return self.number, (lam, mu)
