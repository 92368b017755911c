"""What contacts add to the matrix of a step, and what keeps it regular."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import CollisionPair
from condyle.contact.surface import Array
from condyle.system.linear.sharing import REGULARISATION, regularise

if TYPE_CHECKING:
    from condyle.contact.pair import Terms
    from condyle.contact.problem import ContactProblem

SOFTER = 1e-3


def add_terms(problem: ContactProblem, terms: list[Terms], values: Array) -> bool:
    """Add what all pairs have in the matrix to its values; False if one has no room there."""
    for k, own in enumerate(terms):
        pair = problem.pairs[k]
        if isinstance(pair, CollisionPair):
            if not pair.scatter(own, problem, k, values):
                return False
            continue
        places = problem.fixed[k] or problem.places(k, own.columns)
        if places is None:
            return False
        m = own.column.shape[2]
        n, nu = own.columns.shape
        block = np.zeros((n, nu + m, nu + m))
        block[:, :nu, :nu] = own.stiffness
        block[:, :nu, nu:] = own.column
        block[:, nu:, :nu] = own.line
        block[:, nu:, nu:] = own.response.residual_by_multiplier
        np.add.at(values, places[0], block[places[1]])
    return True


def freeze(problem: ContactProblem, frozen: NDArray[np.bool_], values: Array) -> None:
    """Equations of unknowns that stay as they are."""
    if frozen.any():
        values[frozen[problem.pattern.rows()]] = 0.0
        values[problem.diagonal[frozen]] = 1.0


def keep_regular(problem: ContactProblem, came_back: bool, values: Array) -> None:
    """A small softness of all multipliers; more where rigid bodies rub and the status of points has come back.

    If too many points stick, forces grow step by step.
    """
    rigid = any(pair.friction > 0.0 and not pair.elastic for pair in problem.pairs)
    soft = SOFTER if rigid and came_back else REGULARISATION
    regularise(problem.couplings, soft, problem.system.least_stiffness, values)


def tidy(values: Array, diagonal: NDArray[np.integer]) -> None:
    """Round-off on the diagonal becomes 0: it would pass for the stiffness of what only a joint holds."""
    size = np.abs(values[diagonal])
    values[diagonal[size < 1e-20 * size.max(initial=0.0)]] = 0.0
