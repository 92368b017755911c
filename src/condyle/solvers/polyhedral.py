"""A cone of friction with facets: forces along k fixed directions, each not negative, their sum at most μ p_n (anitescu-1997).

The polyhedron is inside the cone: friction is up to 1 − cos(π/k) too small. Where more contacts hold a body than need be, many
distributions solve the problem; which one comes out is chance, and single impulses mean nothing.
"""

from __future__ import annotations

import numpy as np

from condyle.errors import InputError
from condyle.solvers.lemke import Array, solve_lcp
from condyle.solvers.problem import FrictionProblem, FrictionSolution


def solve_polyhedral(problem: FrictionProblem, *, directions: int = 8) -> FrictionSolution:
    """Impulses of contacts and disks of one or two rows by Lemke's method; rows of joints are eliminated first.

    directions: how many there are in the plane of two rows, an even number.
    """
    if directions < 4 or directions % 2:
        raise InputError(f"solve_polyhedral: directions is {directions}; give an even number of at least 4")
    spread, of = _directions(problem, directions)
    N = np.zeros((problem.size, problem.normal.size))
    N[problem.normal, np.arange(problem.normal.size)] = 1.0
    J = np.concatenate((N, spread), axis=1)
    W, q = problem.dense, problem.q
    held = problem.joints
    if held.size:
        inner = np.linalg.pinv(W[np.ix_(held, held)], hermitian=True)
        W = W - W[:, held] @ inner @ W[held]
        q = q - problem.dense[:, held] @ (inner @ q[held])
    c, m, k = problem.normal.size, spread.shape[1], len(problem.disks)
    E = np.zeros((m, k))
    E[np.arange(m), of] = 1.0
    reach = np.zeros((k, c))
    reach[np.arange(k), problem.of] = problem.mu
    M = np.zeros((c + m + k, c + m + k))
    M[: c + m, : c + m] = J.T @ W @ J
    # Multipliers of slip are velocities and impulses are not: one size for both keeps the pivots of a size.
    size = max(float(np.abs(M).max(initial=0.0)), np.finfo(float).tiny)
    M[c : c + m, c + m :] = size * E
    M[c + m :, :c] = size * reach
    M[c + m :, c : c + m] = -size * E.T
    found = solve_lcp(M, np.concatenate((J.T @ q, np.zeros(k))))
    p = J @ found.z[: c + m]
    if held.size:
        p[held] = -inner @ (problem.dense[held] @ p + problem.q[held])
    residual = problem.residual(p)
    return FrictionSolution(
        p, problem.velocities(p), found.iterations, residual, not found.message and np.isfinite(residual), found.message
    )


def _directions(problem: FrictionProblem, directions: int) -> tuple[Array, np.ndarray]:
    """Unit impulses along all directions of all disks as columns (n, m), and the disk of each."""
    columns: list[Array] = []
    of = []
    for k, disk in enumerate(problem.disks):
        if len(disk) > 2:
            raise InputError(
                "solve_polyhedral: a disk of three rows has no directions here; use solve_cone or solve_prox"
            )
        angles = 2.0 * np.pi * np.arange(directions) / directions
        units = [(1.0,), (-1.0,)] if len(disk) == 1 else list(zip(np.cos(angles), np.sin(angles), strict=True))
        for unit in units:
            column = np.zeros(problem.size)
            column[list(disk)] = unit
            columns.append(column)
            of.append(k)
    return (np.stack(columns, axis=1) if columns else np.zeros((problem.size, 0))), np.array(of, dtype=np.int64)
