"""A material whose stored energy is a law of the user's own."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from condyle.bodies.materials.material import BULK, Array, Material, unit_direction
from condyle.errors import InputError
from condyle.laws.record import Law
from condyle.laws.user import compiled, find_law
from condyle.model.given import Numbers
from condyle.model.quantities import declared, given, quantity


@declared(frozen=True)
class LawMaterial(Material):
    """A material by a law of the user's own (see `condyle.law`): its name, its parameters by name, a density [kg/m³].

    The law is a stored energy per volume ψ [J/m³]. Of the kind 'solid' it is one of invariants, for all that built-in materials
    are for; if it splits, params has its bulk modulus too, as 'bulk' [Pa]. directions: of its families of fibres. Of the kind
    'energy' it is one of the right Cauchy–Green tensor C = FᵀF = G, of 3 vectors in 3D and 2 in 2D, in plane strain or what
    else it is written for. young, poisson: at small strain, from H at C = 1, as if isotropic.
    """

    energy: str
    params: dict[str, float] = field(default_factory=dict)
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)
    viscosity: float = quantity("Pa s", default=0.0, at_least=0.0)
    prony: Numbers = given(default=())
    directions: Numbers = given(default=())

    def __post_init__(self) -> None:
        self._check()
        law, given, bulk = self.law, self.params, {}
        if self.splits:
            if "bulk" not in given:
                shape = f"the law '{law.name}' is one of the shape alone"
                raise InputError(f"{self.label}: {shape}; give bulk [Pa] in params too")
            bulk = {"bulk": BULK.check(given["bulk"], law.name, self.label)}
            given = {name: value for name, value in given.items() if name != "bulk"}
        object.__setattr__(self, "params", bulk | law.values(given, self.label))
        count, sizes = law.families, np.shape(self.directions)
        if sizes not in ((count, 2), (count, 3)) and (count or sizes != (0,)):
            fibres = f"the law '{law.name}' has {count} families of fibres"
            raise InputError(f"{self.label}: {fibres}; give as many directions, not {self.directions!r}")
        object.__setattr__(self, "directions", tuple(tuple(float(c) for c in n) for n in self.directions))

    @property
    def law(self) -> Law:  # type: ignore[override]
        """Its record."""
        return find_law(self.energy, ("energy", "solid"), self.label)

    @property
    def number(self) -> int:
        return compiled(self.law)

    def fibres(self) -> tuple[tuple[float, ...], ...]:
        return tuple(unit_direction(n) for n in self.directions)

    def lame(self) -> tuple[float, float]:
        ny = 3 if 3 in self.law.sizes else 2
        H = self._at(np.eye(ny))[2]
        return 4.0 * float(H[0, 0, 1, 1]), 4.0 * float(H[0, 1, 0, 1])

    def state(self, C: Array, dimension: int) -> tuple[float, Array]:
        """ψ [J/m³] and ∂ψ/∂C (3, 3) at C (3, 3); in 2D the stress across the plane is that of the law with 3 vectors."""
        S = np.zeros((3, 3))
        if dimension == 2 and 3 in self.law.sizes:
            S = self._at(C)[1]
        psi, own, _ = self._at(C[:dimension, :dimension])
        S[:dimension, :dimension] = own
        return psi, S

    def _at(self, C: Array) -> tuple[float, Array, Array]:
        """ψ, S, H at C (ny, ny)."""
        from condyle.laws.gram import gram_law

        ny = len(C)
        S, H = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
        return float(gram_law(self.number, ny, np.ascontiguousarray(C), np.array(self.parameters(ny)), S, H)), S, H

    @property
    def young(self) -> float:  # type: ignore[override]
        """Young's modulus [Pa] at small strain."""
        lam, mu = self.lame()
        return mu * (3.0 * lam + 2.0 * mu) / (lam + mu)

    @property
    def poisson(self) -> float:  # type: ignore[override]
        """Poisson's ratio at small strain."""
        lam, mu = self.lame()
        return 0.5 * lam / (lam + mu)

    def parameters(self, dimension: int) -> tuple[float, ...]:
        self.law.check_size(dimension, dimension, self.label)
        own = (*(self.params[name] for name in self.law.params), *(c for n in self.fibres() for c in n))
        return (self.params["bulk"], 0.0, 0.0, *own) if self.splits else own

    def setting(self, dimension: int, plane: str) -> tuple[int, tuple[float, ...]]:
        if dimension == 2 and plane != "strain" and self.law.kind == "energy":
            raise InputError(
                f"{self.label}: plane={plane!r} is for built-in materials; a law of one's own is taken as it is written for "
                "2 vectors, so leave plane out (or write it in invariants, as a law of the kind 'solid')"
            )
        return super().setting(dimension, plane)
