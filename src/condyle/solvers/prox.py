"""Projections onto the exact cone, repeated until nothing changes: p ← Π(p − ζ r u) for all contacts at once (studer-2009).

r is 1/W_ii of each row, so that ζ has no unit. As published ζ is given (0.4) and fixed; it converges where ζ is small enough
for how strongly contacts feel each other. The adaptive form makes ζ smaller where the error grows and larger where it does not.
"""

from __future__ import annotations

import numpy as np

from condyle.errors import InputError
from condyle.solvers.problem import Array, FrictionProblem, FrictionSolution


def solve_prox(
    problem: FrictionProblem, *, zeta: float = 0.4, adaptive: bool = False, weights: Array | None = None, most: int = 500,
    tolerance: float = 1e-6, start: Array | None = None,
) -> FrictionSolution:  # fmt: skip
    """Impulses by Jacobi sweeps, friction projected with the new normal impulse, until they change by less than `tolerance`.

    weights: r of each row (n,) [kg] instead of 1/W_ii: the published form weights points of a cable by their lengths.
    """
    if not zeta > 0.0:
        raise InputError(f"solve_prox: zeta is {zeta:g}; it must be positive")
    base = problem.factors if weights is None else np.broadcast_to(np.asarray(weights, dtype=float), problem.q.shape)
    p = np.zeros(problem.size) if start is None else np.array(start, dtype=float)
    last, factor = np.inf, zeta
    for count in range(1, most + 1):
        new = problem.projected(p, problem.velocities(p), factor * base, at_once=True)
        change = float(np.linalg.norm(new - p)) / factor
        if not np.isfinite(change):
            return problem.solution(p, count, tolerance, "the fixed point of projections diverges; use a smaller zeta")
        if adaptive:
            factor = max(0.5 * factor, 1e-4 * zeta) if change > last else min(1.05 * factor, 4.0 * zeta)
        p, last = new, change
        if change * factor <= tolerance * max(float(np.linalg.norm(p)), np.finfo(float).tiny):
            return problem.solution(p, count, 1e2 * tolerance)
    return problem.solution(p, most, tolerance, f"the fixed point of projections still moves after {most} sweeps")
