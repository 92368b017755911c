"""A cone of friction with facets: forces along k fixed directions, each not negative, their sum at most μ p_n (anitescu-1997).

The polyhedron is inside the cone: friction is up to 1 − cos(π/k) too small. Where more contacts hold a body than need be, many
distributions solve the problem; which one comes out is chance, and single impulses mean nothing.
"""

from __future__ import annotations

import numpy as np

from condyle.errors import InputError
from condyle.solvers.dense import polyhedral_pivots
from condyle.solvers.lemke import MESSAGES, SOLVED
from condyle.solvers.problem import FrictionProblem, FrictionSolution


def solve_polyhedral(problem: FrictionProblem, *, directions: int = 8) -> FrictionSolution:
    """Impulses of contacts and disks of one or two rows by Lemke's method; rows of joints are eliminated first.

    directions: how many there are in the plane of two rows, an even number.
    """
    if directions < 4 or directions % 2:
        raise InputError(f"solve_polyhedral: directions is {directions}; give an even number of at least 4")
    if (problem.rows[:, 2] >= 0).any():
        raise InputError("solve_polyhedral: a disk of three rows has no directions here; use solve_cone or solve_prox")
    W, q = np.ascontiguousarray(problem.dense), problem.q
    held = problem.joints
    if held.size:
        inner = np.linalg.pinv(W[np.ix_(held, held)], hermitian=True)
        W = W - W[:, held] @ inner @ W[held]
        q = q - problem.dense[:, held] @ (inner @ q[held])
    p = np.zeros(problem.size)
    count, status = polyhedral_pivots(W, q, problem.normal, problem.of, problem.rows, problem.mu, directions, p)
    if held.size:
        p[held] = -inner @ (problem.dense[held] @ p + problem.q[held])
    residual = problem.residual(p)
    return FrictionSolution(
        p, problem.velocities(p), int(count), residual, status == SOLVED and np.isfinite(residual), MESSAGES[status]
    )
