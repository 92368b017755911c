"""Neo-Hookean: compressible rubber."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condyle.bodies.materials.material import LAME, Array, ModuliMaterial, solid_law


def neo_hookean(x: Array, p: Array, d: Array, dd: Array) -> float:
    """ψ = ½ μ (I₁ − 3) − μ ln J + ½ λ (ln J)²."""
    lam, mu, J = p[0], p[1], x[2]
    log = np.log(J)
    d[0] = 0.5 * mu
    d[2] = (lam * log - mu) / J
    dd[2, 2] = (lam - lam * log + mu) / (J * J)
    return 0.5 * mu * x[0] - mu * log + 0.5 * lam * log * log


@dataclass(frozen=True)
class NeoHookean(ModuliMaterial):
    """Compressible rubber: ½ μ (I₁ − 3 − 2 ln J) + ½ λ (ln J)²."""

    law = solid_law(
        "neo-Hookean", neo_hookean, "½ μ (I₁ − 3 − 2 ln J) + ½ λ (ln J)²", *LAME, example=(3.0, 2.0),
        traits=("invariants", "barrier"),
    )  # fmt: skip
