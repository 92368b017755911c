"""Projections onto the exact cone, repeated until nothing changes: p ← Π(p − ζ r u) for all contacts at once (studer-2009).

r is 1/W_ii of each row, so that ζ has no unit. As published ζ is given (0.4) and fixed; it converges where ζ is small enough
for how strongly contacts feel each other. The adaptive form makes ζ smaller where the error grows and larger where it does not.
The other published form is ζ = a ζ₀^k in sweep k (hewlett-2020). It stops short of the solution where ζ₀ is small, because all
steps together are no longer than a/(1 − ζ₀), and helps little against steps that are too long; the source did not use it.
"""

from __future__ import annotations

import numpy as np

from condyle.errors import InputError
from condyle.solvers.dense import DIVERGED, TIRED, prox_sweeps
from condyle.solvers.problem import Array, FrictionProblem, FrictionSolution


def solve_prox(
    problem: FrictionProblem, *, zeta: float = 0.4, adaptive: bool = False, decay: float = 1.0, weights: Array | None = None,
    most: int = 500, tolerance: float = 1e-6, start: Array | None = None,
) -> FrictionSolution:  # fmt: skip
    """Impulses by Jacobi sweeps, friction projected with the new normal impulse, until they change by less than `tolerance`.

    zeta: a. decay: ζ₀, at most 1. adaptive: ζ changes by what it achieves, instead. weights: r of each row (n,) [kg] instead of
    1/W_ii: the published form weights points of a cable by their lengths.
    """
    if not zeta > 0.0:
        raise InputError(f"solve_prox: zeta is {zeta:g}; it must be positive")
    if not 0.0 < decay <= 1.0 or (adaptive and decay < 1.0):
        raise InputError(f"solve_prox: decay is {decay:g}; it must be above 0 and at most 1, and 1 with adaptive=True")
    base = problem.factors if weights is None else np.broadcast_to(np.asarray(weights, dtype=float), problem.q.shape)
    p = np.zeros(problem.size) if start is None else np.array(start, dtype=float)
    count, status = prox_sweeps(
        np.ascontiguousarray(problem.dense), problem.q, problem.normal, problem.of, problem.rows, problem.mu,
        np.ascontiguousarray(base), zeta, 0.0 if adaptive else decay, most, tolerance, p,
    )  # fmt: skip
    enough = tolerance if status else 1e2 * tolerance
    found = problem.solution(p, int(count), enough, said(status, int(count)))
    if found.converged or found.message:
        return found
    short = f"steps of projections have become too short after {count} sweeps; use a larger zeta or decay"
    return problem.solution(p, int(count), enough, short)


def said(status: int, count: int) -> str:
    """What is said of projections that did not come to rest."""
    if status == DIVERGED:
        return "the fixed point of projections diverges; use a smaller zeta"
    return f"the fixed point of projections still moves after {count} sweeps" if status == TIRED else ""
