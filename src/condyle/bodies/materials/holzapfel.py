"""Holzapfel–Gasser–Ogden: walls of arteries, two families of fibres with dispersion (gasser-2006)."""

from __future__ import annotations

import numpy as np

from condyle.bodies.materials.material import Array, SplitMaterial, solid_law, unit_direction
from condyle.errors import InputError
from condyle.laws.record import LawParameter
from condyle.model.given import Numbers
from condyle.model.quantities import declared, given, quantity


def holzapfel_gasser_ogden(x: Array, p: Array, d: Array, dd: Array) -> float:
    """W = ½ c (Ī₁ − 3) + k1/(2 k2) Σ (e^(k2 E_a²) − 1), E_a = κ (Ī₁ − 3) + (1 − 3 κ) (Ī₄a − 1) where that is positive."""
    c, k1, k2, spread = p[0], p[1], p[2], p[3]
    psi = 0.5 * c * x[0]
    d[0] = 0.5 * c
    straight = 1.0 - 3.0 * spread
    for a in range(4, 6):
        strain = spread * x[0] + straight * (x[a] - 1.0)
        if strain > 0.0:
            rise = np.exp(k2 * strain * strain)
            force, slope = k1 * strain * rise, k1 * rise * (1.0 + 2.0 * k2 * strain * strain)
            psi += 0.5 * k1 / k2 * np.expm1(k2 * strain * strain)
            d[0] += force * spread
            d[a] = force * straight
            dd[0, 0] += slope * spread * spread
            dd[a, a] = slope * straight * straight
            dd[0, a] = dd[a, 0] = slope * spread * straight
    return psi


@declared(frozen=True)
class HolzapfelGasserOgden(SplitMaterial):
    """Two families of fibres in a soft ground: ½ c (Ī₁ − 3) + k1/(2 k2) Σ (e^(k2 E_a²) − 1) + ¼ κ_v (J² − 1 − 2 ln J).

    E_a = dispersion (Ī₁ − 3) + (1 − 3 dispersion) (Ī₄a − 1), Ī₄a = J^(−2/3) n_a·C n_a; a family acts while E_a is positive.
    mu: c, shear modulus of the ground [Pa]; k1 [Pa], k2: stiffness of the fibres and how fast it grows; dispersion: 0, all
    fibres along n_a, to 1/3, in all directions alike; bulk κ_v [Pa]. directions: n_1, n_2 in the reference shape; a Solid may
    give two per cell instead. About an axis their components are radial, axial and hoop.
    """

    mu: float
    k1: float
    k2: float
    dispersion: float
    bulk: float = quantity("Pa")
    directions: Numbers = given(default=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    density: float = quantity("kg/m³", default=0.0, at_least=0.0)

    ground = ("mu",)
    reinforcement = ("k1",)
    law = solid_law(
        "Holzapfel–Gasser–Ogden", holzapfel_gasser_ogden, "½ c (Ī₁ − 3) + k1/(2 k2) Σ (e^(k2 E_a²) − 1) + U(J)",
        LawParameter("mu", "Pa", "c", above=0.0), LawParameter("k1", "Pa", at_least=0.0), LawParameter("k2", above=0.0),
        LawParameter("dispersion", "", "κ of E_a", at_least=0.0, at_most=1 / 3), families=2,
        traits=("invariants", "split", "barrier", "bar fibres"), example=(1.1, 0.8, 0.6, 0.1, 0.6, 0.8, 0.0, 0.6, -0.8, 0.0),
    )  # fmt: skip

    def __post_init__(self) -> None:
        try:
            given = np.asarray(self.directions, dtype=float)
        except (TypeError, ValueError):
            given = np.zeros(0)
        if given.shape not in ((2, 2), (2, 3)) or not np.isfinite(given).all() or not given.any(axis=1).all():
            raise InputError(f"{self.label}: directions must be two vectors that are not zero, not {self.directions!r}")
        object.__setattr__(self, "directions", tuple(map(tuple, given.tolist())))
        super().__post_init__()

    def fibres(self) -> tuple[tuple[float, ...], ...]:
        return tuple(unit_direction(n) for n in self.directions)
