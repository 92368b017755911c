"""What all materials have in common: what the user declares, and how it becomes the parameters of a law (`laws/record.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.laws.record import MATERIALS, PLANE_STRESS, Example, Law, LawParameter, declare
from condyle.model.given import Numbers, NumbersLike, means
from condyle.model.part import Part
from condyle.model.quantities import declared, given, quantity

Array = NDArray[np.float64]

BULK = LawParameter("bulk", "Pa", "bulk modulus κ of U(J)", above=0.0)
LAME = (LawParameter("λ", "Pa"), LawParameter("μ", "Pa", above=0.0))
VOLUME = (9.0, 0.0, 0.0)  # of an example that splits: bulk modulus, no averaged dilatation, no pressure
NO_NAMES: tuple[str, ...] = ()
AVERAGED = (9.0, 1.0, 0.7)  # with the pressure of its element


def solid_law(
    name: str, function: Callable[..., float] | str, equation: str, *parameters: LawParameter, example: tuple[float, ...],
    traits: tuple[str, ...] = ("invariants", "split", "barrier"), families: int = 0, rest: str = "",
    sizes: tuple[int, ...] = (2, 3, 4),
) -> Law:  # fmt: skip
    """Declare the law of a material of the package; see `laws/solids.py` for what its function fills.

    example: its own parameters, then the unit vectors of its fibres. A law that splits is tried with averaged dilatations too.
    """
    split = "split" in traits
    examples = [Example(name, (*VOLUME, *example) if split else example, sizes)]
    if split:
        examples.append(Example(f"{name}, mean dilatation", (*AVERAGED, *example), sizes))
    make = partial(
        Law, name, "solid", function, equation, parameters, sizes, (2, 3), frozenset(traits), tuple(examples),
        rest=rest, families=families,
    )  # fmt: skip
    return declare(lambda k: make(number=k), MATERIALS)


class Material(Part, abstract=True):
    """Base of elastic materials.

    young [Pa], poisson: moduli at small strain; density [kg/m³]; viscosity η [Pa s] adds the stress S = η Ċ
    (Kelvin–Voigt), which does no work in rigid motion. prony: pairs (g, τ [s]) of quasi-linear viscoelasticity: a sudden
    strain is answered by 1 + Σ g times the elastic stress, which fades to it with the times τ.
    """

    law: ClassVar[Law]
    young: float
    poisson: float
    density: float
    viscosity: float
    prony: Numbers
    bulk: float  # of those that split

    @property
    def number(self) -> int:
        """That of its law."""
        return self.law.number

    @property
    def splits(self) -> bool:
        """Has its energy a part of the shape and a part of the volume, as mean dilatation needs?"""
        return "split" in self.law.traits

    def lame(self) -> tuple[float, float]:
        """Lamé's constants λ, μ [Pa] at small strain."""
        mu = self.young / (2.0 * (1.0 + self.poisson))
        return 2.0 * mu * self.poisson / (1.0 - 2.0 * self.poisson), mu

    def fibres(self) -> tuple[tuple[float, ...], ...]:
        """Directions of its families of fibres in the reference shape."""
        return ()

    def parameters(self, dimension: int) -> tuple[float, ...]:
        """Parameters of the law."""
        return self.lame()

    def along(self, params: tuple[float, ...], directions: NumbersLike) -> tuple[float, ...]:
        """Its parameters with other directions of the fibres, shape (d,) or (families, d)."""
        families = np.reshape(directions, (len(self.fibres()), -1))
        return (*params[: len(params) - 3 * len(families)], *(c for n in families for c in unit_direction(n)))

    def setting(self, dimension: int, plane: str) -> tuple[int, tuple[float, ...]]:
        """Number and parameters of the law in a plane ('strain', 'stress', 'axisymmetric') or, in 3D, in space."""
        flat = PLANE_STRESS if dimension == 2 and plane == "stress" else 0
        return self.number + flat, self.parameters(dimension)

    def _check(self) -> None:
        for parameter in self.law.parameters:
            if parameter.name in self.__dataclass_fields__:  # type: ignore[attr-defined]
                check_parameter(self, parameter)
        _check_prony(self)


means("Material", "a material", "object")


class IsotropicMaterial(Material, abstract=True):
    """Given by Young's modulus and Poisson's ratio."""


def poisson_ratio(default: float) -> Any:
    """A field with Poisson's ratio."""
    hint = (
        "for nearly incompressible materials stay below it (0.4999) and use a law with a bulk modulus and "
        "Solid(dilatation='mean')"
    )
    return quantity(default=default, above=-1.0, below=0.5, hint=hint)


@declared(frozen=True)
class ModuliMaterial(IsotropicMaterial, abstract=True):
    """Given by these two moduli and nothing else."""

    young: float = quantity("Pa", above=0.0)
    poisson: float = poisson_ratio(0.3)
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)
    viscosity: float = quantity("Pa s", default=0.0, at_least=0.0)
    prony: Numbers = given(default=())

    def __post_init__(self) -> None:
        self._check()


@declared(frozen=True)
class SplitMaterial(Material, abstract=True):
    """Shape and volume apart: W(C̄) + U(J), U = ¼ κ (J² − 1 − 2 ln J), C̄ = J^(−2/3) C, with the bulk modulus κ [Pa].

    ground, reinforcement: names of the parameters without which there is no ground, and there are no fibres.
    """

    ground = NO_NAMES
    reinforcement = NO_NAMES
    _: KW_ONLY
    viscosity: float = quantity("Pa s", default=0.0, at_least=0.0)
    prony: Numbers = given(default=())

    def __post_init__(self) -> None:
        self._check()

    def shear_modulus(self) -> float:
        """Shear modulus μ [Pa] at small strain: 2 (∂W/∂Ī₁ + ∂W/∂Ī₂), or 2 (w′ + w″) of a law in principal stretches."""
        p = np.array((*self.constants(), *(c for n in self.fibres() for c in n)))
        with np.errstate(all="ignore"):
            if "principal" in self.law.traits:
                w = np.zeros(3)
                self.law.python()(1.0, p, w)
                return float(2.0 * (w[1] + w[2]))
            x = np.array((0.0, 0.0, 1.0, 0.0, *(1.0 for _ in self.fibres())))
            d = np.zeros(len(x))
            self.law.python()(x, p, d, np.zeros((len(x), len(x))))
            return float(2.0 * (d[0] + d[1]))

    def constants(self) -> tuple[float, ...]:
        """Its own parameters, after those of the volume."""
        return tuple(getattr(self, name) for name in self.law.params)

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
        return (self.bulk, 0.0, 0.0, *self.constants(), *(c for n in self.fibres() for c in n))

    def without(self, names: tuple[str, ...], *, bulk: bool = True) -> tuple[float, ...]:
        """Its parameters with those of these names set to zero: the ground without its fibres, or the fibres alone."""
        own = (0.0 if name in names else value for name, value in zip(self.law.params, self.constants(), strict=True))
        return (self.bulk if bulk else 0.0, 0.0, 0.0, *own, *(c for n in self.fibres() for c in n))

    def _check(self) -> None:
        check_parameter(self, BULK)
        super()._check()
        if not self.shear_modulus() > 0.0:
            raise InputError(
                f"{self.label}: its shear modulus at small strain is {self.shear_modulus():g}, not positive"
            )


def check_parameter(material: Material, parameter: LawParameter) -> None:
    """Make the field of that name a float within its bounds."""
    given = getattr(material, parameter.name)
    object.__setattr__(material, parameter.name, parameter.check(given, material.law.name, material.label))


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
    return tuple((n / math.sqrt(float(n @ n))).tolist())
