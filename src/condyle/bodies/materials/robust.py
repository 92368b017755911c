"""Hovey's robust law: its compressive stress grows with compression throughout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condyle.bodies.materials.material import LAME, Array, ModuliMaterial, solid_law


def robust(x: Array, p: Array, d: Array, dd: Array) -> float:
    """ψ = λ (J − 1 − ln J) + ¼ μ tr (C − 1)²."""
    lam, mu, J = p[0], p[1], x[2]
    d[2] = lam * (1.0 - 1.0 / J)
    d[3] = 0.25 * mu
    dd[2, 2] = lam / (J * J)
    return lam * (J - 1.0 - np.log(J)) + 0.25 * mu * x[3]


@dataclass(frozen=True)
class Robust(ModuliMaterial):
    """S = λ (J − 1) C⁻¹ + μ (C − 1): compressive stress grows with compression throughout (Hovey 2000, eq. 2.18).

    ψ = λ (J − 1 − ln J) + ¼ μ tr (C − 1)².
    """

    law = solid_law(
        "robust", robust, "λ (J − 1 − ln J) + ¼ μ tr (C − 1)²", *LAME, example=(3.0, 2.0),
        traits=("invariants", "barrier"),
    )  # fmt: skip
