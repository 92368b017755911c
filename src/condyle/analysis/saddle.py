"""Saddle points of stiffness and constraints, solved also where the stiffness is indefinite and constraints are redundant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from condyle.system.system import System

Array = NDArray[np.float64]
SHARE = 1e-10  # compliance of a multiplier relative to that of what it holds
ROUND_OFF = 1e-13
SMALL = 5000  # unknowns
TRUSTED = 1e-6  # error of a known solution up to which a factorisation is believed


def factorised(system: System, A: Array) -> Callable[[Array], Array]:
    """rhs → A⁻¹ rhs for matrix values in the pattern of the system; SingularMatrixError names an unknown.

    The solvers of the system scale by the positive diagonals of the motion, of which there are few or none past limit points:
    digits are lost then. So SuperLU, scaled by rows and columns alike, does it where that is fast enough.
    """
    values = regularised(system, A)
    solve = _equilibrated(system, values) if system.pattern.n <= SMALL else None
    if solve is not None:
        return solve
    system.solver.factor(values)
    return system.solver.solve


def _equilibrated(system: System, values: Array) -> Callable[[Array], Array] | None:
    """SuperLU of D A D with rows and columns of largest entry 1 (Ruiz 2001); None if the matrix is singular."""
    from scipy.sparse import csr_matrix, diags
    from scipy.sparse.linalg import splu

    pattern = system.pattern
    matrix = csr_matrix((values, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))
    row, scale = pattern.rows(), np.ones(pattern.n)
    for _ in range(8):
        largest = np.zeros(pattern.n)
        size = np.abs(values) * scale[row] * scale[pattern.indices]
        np.maximum.at(largest, row, size)
        np.maximum.at(largest, pattern.indices, size)
        if not largest.min(initial=1.0) > 0:
            return None
        scale /= np.sqrt(largest)
    balanced = (diags(scale) @ matrix @ diags(scale)).tocsc()
    try:
        lu = splu(balanced)
    except RuntimeError:  # exactly singular
        return None
    known = np.random.default_rng(0).uniform(0.5, 1.5, pattern.n)
    if not np.abs(lu.solve(np.asarray(balanced @ known)) - known).max() < TRUSTED:
        return None
    return lambda rhs: scale * lu.solve(scale * rhs)


def regularised(system: System, A: Array) -> Array:
    """A copy of the matrix values with the diagonal −ε Σ_j G_ij²/k of each multiplier i.

    k is the largest stiffness among the unknowns of the same unit as j. (The stiffness of j itself, as it serves where inertia
    is part of the matrix, may be nearly zero here: one body of a mechanism is often held by its joints alone. Diagonals that
    are only round-off become zero, because the solver scales by them.)
    """
    n, pattern = system.motion_unknowns, system.pattern
    row, column = pattern.rows(), pattern.indices
    on_diagonal = np.flatnonzero(row == column)
    diagonal = np.abs(A[on_diagonal])
    out = A.copy()
    softness = np.zeros(n)
    for group in system.unknown_groups:
        largest = diagonal[group].max(initial=0.0)
        softness[group] = 1.0 / largest if largest > 0 else 0.0
        out[on_diagonal[group[diagonal[group] <= ROUND_OFF * largest]]] = 0.0
    gradient = (row >= n) & (column < n)
    amount = np.bincount(row[gradient], weights=A[gradient] ** 2 * softness[column[gradient]], minlength=pattern.n)
    out[on_diagonal[n:]] -= SHARE * amount[n:]
    return out
