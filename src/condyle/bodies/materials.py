"""Materials as the user declares them; their energies are in `condyle.laws.energies`."""

from __future__ import annotations

from dataclasses import dataclass

from condyle.errors import InputError
from condyle.laws.codes import NEO_HOOKEAN, ST_VENANT_KIRCHHOFF
from condyle.model.part import Part, number, one_of


class Material(Part, abstract=True):
    """Base of elastic materials given by Young's modulus [Pa], Poisson's ratio and density [kg/m³]."""

    law: int
    young: float
    poisson: float
    density: float

    def _check(self) -> None:
        number(self, "young", low=0.0, strict=True)
        number(self, "density", low=0.0)
        number(self, "poisson")
        if not -1.0 < self.poisson < 0.5:
            raise InputError(f"{self.label}: poisson must lie between -1 and 0.5, not {self.poisson:g}")

    def lame(self) -> tuple[float, float]:
        """Lamé's constants λ, μ [Pa]."""
        mu = self.young / (2.0 * (1.0 + self.poisson))
        return 2.0 * mu * self.poisson / (1.0 - 2.0 * self.poisson), mu

    def parameters(self, dimension: int) -> tuple[float, ...]:
        """Parameters of the law."""
        return self.lame()


@dataclass(frozen=True)
class StVenantKirchhoff(Material):
    """S = λ tr(E) 1 + 2 μ E: linear in the Green–Lagrange strain. plane (2D): 'strain' or 'stress'."""

    young: float
    poisson: float = 0.0
    density: float = 0.0
    plane: str = "strain"

    law = ST_VENANT_KIRCHHOFF

    def __post_init__(self) -> None:
        self._check()
        one_of(self, "plane", ("strain", "stress"))

    def parameters(self, dimension: int) -> tuple[float, ...]:
        lam, mu = self.lame()
        if dimension == 2 and self.plane == "stress":
            lam = 2.0 * mu * lam / (lam + 2.0 * mu)
        return lam, mu


@dataclass(frozen=True)
class NeoHookean(Material):
    """Compressible rubber: ½ μ (I₁ − 3 − 2 ln J) + ½ λ (ln J)²; plane strain in 2D."""

    young: float
    poisson: float = 0.3
    density: float = 0.0

    law = NEO_HOOKEAN

    def __post_init__(self) -> None:
        self._check()
