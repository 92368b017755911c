"""Gent's rubber, whose chains lock: an energy of the first invariant (gent-1996)."""

import numpy as np

import condyle as cd


@cd.law(
    "Gent",
    kind="solid",
    traits=["split"],
    params=(
        cd.LawParameter("mu", "Pa", "shear modulus at small strain", above=0.0),
        cd.LawParameter("limit", "", "largest value of Ī₁ − 3", above=0.0),
    ),
    example=(1.2, 40.0),
)
def gent(x, p, d, dd):
    """W = −½ μ J_m ln(1 − (Ī₁ − 3)/J_m)."""
    mu, limit = p[0], p[1]
    left = 1.0 - x[0] / limit
    if left <= 0.0:
        return np.nan
    d[0] = 0.5 * mu / left
    dd[0, 0] = 0.5 * mu / (limit * left * left)
    return -0.5 * mu * limit * np.log(left)
