"""Box friction: each direction of slip has a bound of its own, |p_i| ≤ μ p_n of a normal impulse that is known (hewlett-2020).

Without friction first, for p_n; then with the bounds that follow, as often as asked for. With one pass this is the published
model; friction may be outside the cone by up to √2, and does not know which way a point slips.
"""

from __future__ import annotations

import numpy as np

from condyle.solvers.pivoting import Array, solve_bounded
from condyle.solvers.problem import FrictionProblem, FrictionSolution


def solve_box(
    problem: FrictionProblem, *, compliance: Array | float = 0.0, gap_speed: Array | float = 0.0, passes: int = 1,
    tolerance: float = 1e-8, start: Array | None = None,
) -> FrictionSolution:  # fmt: skip
    """Impulses of the box model.

    compliance: added to the diagonal of W (n,) [1/kg]; with C/h² the rows give way elastically. gap_speed: gap/h of each
    contact (c,) [m/s], so that a contact closes within the step instead of where it is. passes: how often bounds follow p_n.
    The residual of the answer is that of the exact cone; `converged` says whether bounds and impulses agree.
    """
    A = problem.dense.copy()
    A[np.diag_indices_from(A)] += compliance
    b = problem.q.copy()
    b[problem.normal] += gap_speed
    low, high = np.full(problem.size, -np.inf), np.full(problem.size, np.inf)
    low[problem.normal] = 0.0
    there = problem.rows >= 0
    slip = problem.rows[there]
    low[slip] = high[slip] = 0.0
    found = solve_bounded(A, b, low, high, start=None if start is None else start)
    count, message = found.iterations, ""
    for _ in range(passes):
        bound = problem.mu * np.maximum(found.z[problem.normal[problem.of]], 0.0)  # round-off may be negative
        high[slip] = np.broadcast_to(bound[:, None], there.shape)[there]
        low[slip] = -high[slip]
        before, found = found.z, solve_bounded(A, b, low, high, start=found.z)
        count += found.iterations
        if np.abs(found.z - before).max(initial=0.0) <= tolerance * np.abs(found.z).max(initial=0.0):
            break
    if not found.converged:
        message = f"block pivoting did not end in {count} rounds"
    return FrictionSolution(
        found.z, problem.velocities(found.z), count, problem.residual(found.z), found.converged, message
    )
