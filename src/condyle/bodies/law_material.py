"""A material whose stored energy is a law of the user's own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.laws.codes import USER
from condyle.laws.user import Law, find_law
from condyle.model.fields import Numbers

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LawMaterial(Material):
    """A material by a law of the user's own (see `condyle.law`): its name, its parameters by name, a density [kg/m³].

    The law is a stored energy per volume ψ(C) [J/m³] of the right Cauchy–Green tensor C = FᵀF = G, of 3 vectors in 3D and 2
    in 2D, in plane strain or what else it is written for. young, poisson: at small strain, from H at C = 1, as if isotropic.
    """

    energy: str
    params: dict[str, float] = field(default_factory=dict)
    density: float = 0.0
    viscosity: float = 0.0
    prony: Numbers = ()

    law = USER

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "params", self._found().values(self.params, self.label))

    def _found(self) -> Law:
        return find_law(self.energy, "energy", self.label)

    def lame(self) -> tuple[float, float]:
        ny = 3 if 3 in self._found().sizes else 2
        H = self._at(np.eye(ny))[2]
        return 4.0 * float(H[0, 0, 1, 1]), 4.0 * float(H[0, 1, 0, 1])

    def state(self, C: Array, dimension: int) -> tuple[float, Array]:
        """ψ [J/m³] and ∂ψ/∂C (3, 3) at C (3, 3); in 2D the stress across the plane is that of the law with 3 vectors."""
        S = np.zeros((3, 3))
        if dimension == 2 and 3 in self._found().sizes:
            S = self._at(C)[1]
        psi, own, _ = self._at(C[:dimension, :dimension])
        S[:dimension, :dimension] = own
        return psi, S

    def _at(self, C: Array) -> tuple[float, Array, Array]:
        """ψ, S, H at C (ny, ny)."""
        from condyle.laws.gram import gram_law

        ny = len(C)
        S, H = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
        return float(gram_law(USER, ny, np.ascontiguousarray(C), np.array(self.parameters(ny)), S, H)), S, H

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
        self._found().check_size(dimension, dimension, self.label)
        return self._found().parameters(self.params)

    def setting(self, dimension: int, plane: str) -> tuple[int, tuple[float, ...]]:
        if dimension == 2 and plane != "strain":
            raise InputError(
                f"{self.label}: plane={plane!r} is for built-in materials; a law of one's own is taken as it is written for "
                "2 vectors, so leave plane out"
            )
        return self.law, self.parameters(dimension)
