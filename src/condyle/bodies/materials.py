"""Materials as the user declares them; their energies are in `condyle.laws.energies` and `condyle.laws.hyperelastic`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from condyle.errors import InputError
from condyle.laws.codes import (
    FIBRES,
    MOONEY_RIVLIN,
    NEO_HOOKEAN,
    OGDEN,
    PLANE_STRESS,
    ROBUST,
    ST_VENANT_KIRCHHOFF,
    YEOH,
)
from condyle.model.fields import Numbers
from condyle.model.part import Part, number, one_of, vector


class Material(Part, abstract=True):
    """Base of elastic materials.

    young [Pa], poisson: moduli at small strain; density [kg/m³]; viscosity η [Pa s] adds the stress S = η Ċ
    (Kelvin–Voigt), which does no work in rigid motion. prony: pairs (g, τ [s]) of quasi-linear viscoelasticity: a sudden
    strain is answered by 1 + Σ g times the elastic stress, which fades to it with the times τ.
    """

    law: int
    young: float
    poisson: float
    density: float
    viscosity: float
    prony: Numbers
    splits = False  # into a part of the shape and a part of the volume, as mean dilatation needs

    def lame(self) -> tuple[float, float]:
        """Lamé's constants λ, μ [Pa] at small strain."""
        mu = self.young / (2.0 * (1.0 + self.poisson))
        return 2.0 * mu * self.poisson / (1.0 - 2.0 * self.poisson), mu

    def parameters(self, dimension: int) -> tuple[float, ...]:
        """Parameters of the law."""
        return self.lame()

    def setting(self, dimension: int, plane: str) -> tuple[int, tuple[float, ...]]:
        """Code and parameters of the law in a plane ('strain', 'stress', 'axisymmetric') or, in 3D, in space."""
        if dimension == 2 and plane == "stress":
            return self.law + PLANE_STRESS, self.parameters(2)
        return self.law, self.parameters(dimension)

    def _check(self) -> None:
        number(self, "density", low=0.0)
        number(self, "viscosity", low=0.0)
        _check_prony(self)


class _Isotropic(Material, abstract=True):
    """Given by Young's modulus and Poisson's ratio."""

    def _check(self) -> None:
        number(self, "young", low=0.0, strict=True)
        number(self, "poisson")
        if not -1.0 < self.poisson < 0.5:
            raise InputError(
                f"{self.label}: poisson must lie between -1 and 0.5, not {self.poisson:g}; for nearly incompressible "
                "materials stay below 0.5 (0.4999) and use a law with a bulk modulus and Solid(dilatation='mean')"
            )
        super()._check()


class _Split(Material, abstract=True):
    """Shape and volume apart: ψ(C̄) + ¼ κ (J² − 1 − 2 ln J), C̄ = J^(−2/3) C."""

    bulk: float
    splits = True

    def shear_modulus(self) -> float:
        """Shear modulus μ [Pa] at small strain."""
        raise TypeError(f"{type(self).__name__} does not say its shear modulus: define shear_modulus(self)")

    def constants(self) -> tuple[float, ...]:
        """Parameters of the law after those of the volume."""
        raise TypeError(f"{type(self).__name__} does not say its constants: define constants(self)")

    @property
    def young(self) -> float:  # type: ignore[override]
        """Young's modulus [Pa] at small strain."""
        mu = self.shear_modulus()
        return 9.0 * self.bulk * mu / (3.0 * self.bulk + mu)

    @property
    def poisson(self) -> float:  # type: ignore[override]
        """Poisson's ratio at small strain."""
        mu = self.shear_modulus()
        return (3.0 * self.bulk - 2.0 * mu) / (2.0 * (3.0 * self.bulk + mu))

    def parameters(self, dimension: int) -> tuple[float, ...]:
        return (self.bulk, 0.0, 0.0, *self.constants())

    def _check(self) -> None:
        number(self, "bulk", low=0.0, strict=True)
        super()._check()
        if not self.shear_modulus() > 0.0:
            raise InputError(
                f"{self.label}: its shear modulus at small strain is {self.shear_modulus():g}, not positive"
            )


@dataclass(frozen=True)
class StVenantKirchhoff(_Isotropic):
    """S = λ tr(E) 1 + 2 μ E: linear in the Green–Lagrange strain. plane (2D): 'strain' or 'stress'."""

    young: float
    poisson: float = 0.0
    density: float = 0.0
    plane: str = "strain"
    viscosity: float = 0.0
    prony: Numbers = ()

    law = ST_VENANT_KIRCHHOFF

    def __post_init__(self) -> None:
        self._check()
        one_of(self, "plane", ("strain", "stress"))

    def parameters(self, dimension: int) -> tuple[float, ...]:
        return self.setting(dimension, self.plane)[1]

    def setting(self, dimension: int, plane: str) -> tuple[int, tuple[float, ...]]:
        lam, mu = self.lame()
        if dimension == 2 and plane == "stress":
            lam = 2.0 * mu * lam / (lam + 2.0 * mu)
        return self.law, (lam, mu)


@dataclass(frozen=True)
class NeoHookean(_Isotropic):
    """Compressible rubber: ½ μ (I₁ − 3 − 2 ln J) + ½ λ (ln J)²."""

    young: float
    poisson: float = 0.3
    density: float = 0.0
    viscosity: float = 0.0
    prony: Numbers = ()

    law = NEO_HOOKEAN

    def __post_init__(self) -> None:
        self._check()


@dataclass(frozen=True)
class Robust(_Isotropic):
    """S = λ (J − 1) C⁻¹ + μ (C − 1): compressive stress grows with compression throughout (Hovey 2000, eq. 2.18).

    ψ = λ (J − 1 − ln J) + ¼ μ tr (C − 1)².
    """

    young: float
    poisson: float = 0.3
    density: float = 0.0
    viscosity: float = 0.0
    prony: Numbers = ()

    law = ROBUST

    def __post_init__(self) -> None:
        self._check()


@dataclass(frozen=True)
class MooneyRivlin(_Split):
    """c10 (Ī₁ − 3) + c01 (Ī₂ − 3) + ¼ κ (J² − 1 − 2 ln J); c10, c01, bulk κ [Pa]. With c01 = 0 neo-Hookean."""

    c10: float
    c01: float
    bulk: float
    density: float = 0.0
    viscosity: float = 0.0
    prony: Numbers = ()

    law = MOONEY_RIVLIN

    def __post_init__(self) -> None:
        number(self, "c10")
        number(self, "c01")
        self._check()

    @classmethod
    def from_moduli(cls, young: float, poisson: float, density: float = 0.0, *, share: float = 0.0) -> MooneyRivlin:
        """The law with these moduli at small strain; share: how much of the shear modulus is that of c01."""
        lam, mu = NeoHookean(young, poisson).lame()
        return cls(0.5 * mu * (1.0 - share), 0.5 * mu * share, lam + 2.0 / 3.0 * mu, density)

    def shear_modulus(self) -> float:
        return 2.0 * (self.c10 + self.c01)

    def constants(self) -> tuple[float, ...]:
        return self.c10, self.c01


@dataclass(frozen=True)
class Yeoh(_Split):
    """Σ_k c_k0 (Ī₁ − 3)ᵏ + ¼ κ (J² − 1 − 2 ln J), k = 1, 2, 3; all constants [Pa]."""

    c10: float
    c20: float
    c30: float
    bulk: float
    density: float = 0.0
    viscosity: float = 0.0
    prony: Numbers = ()

    law = YEOH

    def __post_init__(self) -> None:
        for field in ("c10", "c20", "c30"):
            number(self, field)
        self._check()

    def shear_modulus(self) -> float:
        return 2.0 * self.c10

    def constants(self) -> tuple[float, ...]:
        return self.c10, self.c20, self.c30


@dataclass(frozen=True)
class Ogden(_Split):
    """Σ_k μ_k/α_k (λ̄₁^α_k + λ̄₂^α_k + λ̄₃^α_k − 3) + ¼ κ (J² − 1 − 2 ln J); moduli μ_k [Pa], exponents α_k."""

    moduli: Numbers
    exponents: Numbers
    bulk: float
    density: float = 0.0
    viscosity: float = 0.0
    prony: Numbers = ()

    law = OGDEN

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
        self._check()

    def shear_modulus(self) -> float:
        return 0.5 * sum(m * a for m, a in zip(self.moduli, self.exponents, strict=True))

    def constants(self) -> tuple[float, ...]:
        return len(self.moduli), *(c for pair in zip(self.moduli, self.exponents, strict=True) for c in pair)


@dataclass(frozen=True)
class FibreReinforced(_Split):
    """Tissue with one family of fibres: c10 (Ī₁ − 3) + ¼ κ (J² − 1 − 2 ln J) + W(λ), λ the stretch along the fibres.

    The fibres carry W′ = 0 in compression, toe_stress (e^(toe_rate (λ − 1)) − 1) in the toe region up to the stretch
    toe_end, and go on straight from there (stress per reference area [Pa]). direction: of the fibres in the reference
    shape; a Solid may give one per cell instead. About an axis its components are radial, axial and hoop.
    """

    c10: float
    bulk: float
    toe_stress: float
    toe_rate: float
    toe_end: float
    direction: Numbers = (1.0, 0.0, 0.0)
    density: float = 0.0
    viscosity: float = 0.0
    prony: Numbers = ()

    law = FIBRES

    def __post_init__(self) -> None:
        number(self, "c10")
        number(self, "toe_stress", low=0.0)
        number(self, "toe_rate", low=0.0, strict=True)
        number(self, "toe_end", low=1.0)
        vector(self, "direction", nonzero=True)
        self._check()

    def shear_modulus(self) -> float:
        return 2.0 * self.c10

    def constants(self) -> tuple[float, ...]:
        return self.c10, self.toe_stress, self.toe_rate, self.toe_end, *unit_direction(self.direction)


def _check_prony(material: Material) -> None:
    """Pairs of numbers, weights g ≥ 0 and times τ > 0."""
    try:
        pairs = np.asarray(material.prony, dtype=float).reshape(-1, 2)
    except (TypeError, ValueError):
        pairs = np.full((1, 2), np.nan)
    if not (np.isfinite(pairs).all() and (pairs[:, 0] >= 0.0).all() and (pairs[:, 1] > 0.0).all()):
        raise InputError(
            f"{material.label}: prony must be pairs (weight ≥ 0, time > 0 [s]), such as ((0.4, 0.1), (0.2, 2.0)), "
            f"not {material.prony!r}"
        )
    object.__setattr__(material, "prony", tuple(map(tuple, pairs.tolist())))


def unit_direction(vector: Any) -> tuple[float, ...]:
    """A direction of 2 or 3 components as a unit vector of 3."""
    n = np.zeros(3)
    n[: len(vector)] = vector
    return tuple((n / np.linalg.norm(n)).tolist())
