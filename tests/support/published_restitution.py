"""What the literature says of the laws of impact of one family: their factors and the restitution that follows, written out."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

# a = χ v₀/K over the coefficient e that is asked for, by name of the law.
FACTORS = {
    "HuntCrossley": lambda e: 3.0 * (1.0 - e) / 2.0,  # Hunt and Crossley 1975
    "HerbertMcWhannell": lambda e: 6.0 * (1.0 - e) / ((2.0 * e - 1.0) ** 2 + 3.0),  # 1977
    "LeeWang": lambda e: 3.0 * (1.0 - e) / 4.0,  # 1983
    "LankaraniNikravesh": lambda e: 3.0 * (1.0 - e**2) / 4.0,  # 1990
    "Gonthier": lambda e: (1.0 - e**2) / e,  # Gonthier et al. 2004
    "Flores": lambda e: 8.0 * (1.0 - e) / (5.0 * e),  # Flores et al. 2011
}
# e' for e = 0.9 and 0.5, the table of docs/contact.md.
TABLE = {
    "HuntCrossley": (0.909, 0.663),
    "HerbertMcWhannell": (0.901, 0.594),
    "LeeWang": (0.952, 0.799),
    "LankaraniNikravesh": (0.913, 0.725),
    "Gonthier": (0.876, 0.488),
    "Flores": (0.894, 0.470),
    "ZhangSharf": (0.900, 0.500),
}


def left_by(factor: float) -> float:
    """e' of m s″ = −K sⁿ (1 + a s′/v₀): the root of ln((1 + a)/(1 − a e')) = a (1 + e') above 0."""
    miss = lambda e: np.log((1.0 + factor) / (1.0 - factor * e)) - factor * (1.0 + e)  # noqa: E731
    return float(brentq(miss, 0.0, min(1.0, (1.0 - 1e-14) / factor), xtol=1e-14))


def restitution(law: str, e: float) -> float:
    """e' of a law of the family for the coefficient e; Zhang and Sharf's (2009) factor is the one that makes it e."""
    return e if law == "ZhangSharf" else left_by(FACTORS[law](e))
