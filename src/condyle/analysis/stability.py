"""Is an equilibrium stable? The number of directions in which the tangent has a negative stiffness.

Of the matrix [K Gᵀ; G −ε] with m multipliers, m eigenvalues are negative where K is positive on the motions that the
constraints allow; every one more is a direction in which the equilibrium is unstable. Their number is that of the negative
pivots of any symmetric factorisation (Sylvester's law of inertia).
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.system.linear import SingularMatrixError
from condyle.system.linear.kernels import equilibrate
from condyle.system.running import RunningSystem

Array = NDArray[np.float64]
SMALL = 1000  # unknowns up to which the full matrix is factorised
SLACK = 1e-12  # stiffness, relative to the diagonal, below which a motion counts as neutral


class StabilityWarning(UserWarning):
    """An equilibrium was found that the model would leave at the slightest disturbance."""


def unstable_directions(system: RunningSystem, A: Array) -> int:
    """Directions of negative stiffness of a tangent of statics, shape (stored entries,); 0 where they cannot be counted."""
    from scipy.sparse import csr_matrix, diags

    n, pattern = system.unknowns, system.pattern
    values = A.copy()
    system.regularise(values)
    if n > SMALL and system.solver.can_find_it_stable:
        with contextlib.suppress(SingularMatrixError):
            system.solver.factor(values)
            if system.solver.finds_it_stable():
                return 0
    matrix: Any = csr_matrix((values, pattern.indices, pattern.indptr), shape=(n, n))
    matrix = (0.5 * (matrix + matrix.T)).tocsr()
    matrix.sort_indices()
    scale, other = np.ones(n), np.ones(n)
    known = system.levers, system.least_stiffness
    if equilibrate(matrix.indptr, matrix.indices, matrix.data, True, *known, scale, other)[0]:
        return 0
    slack = np.where(np.arange(n) < system.motion_unknowns, SLACK, 0.0)
    matrix = (diags(scale) @ matrix @ diags(scale) + diags(slack)).tocsr()
    negative = _of_full_matrix(matrix.toarray()) if n <= SMALL else _of_sparse_matrix(matrix)
    return 0 if negative is None else max(0, negative - (n - system.motion_unknowns))


def _of_full_matrix(matrix: Array) -> int:
    """Negative pivots of LDLᵀ; a pivot of 2 × 2 has one of each sign (Bunch and Kaufman 1977)."""
    from scipy.linalg import ldl

    _, d, _ = ldl(matrix)
    pairs = np.flatnonzero(np.diag(d, -1) != 0.0)
    single = np.ones(len(d), dtype=bool)
    single[pairs] = single[pairs + 1] = False
    return int(np.count_nonzero(np.diag(d)[single] < 0.0)) + len(pairs)


def _of_sparse_matrix(matrix: Any) -> int | None:
    """Negative pivots of LU without exchange of rows beside that of columns; None where it needs others."""
    from scipy.sparse.linalg import splu

    try:
        lu = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # a pivot is zero
        return None
    if not np.array_equal(lu.perm_r, lu.perm_c):
        return None
    known = np.random.default_rng(0).uniform(0.5, 1.5, matrix.shape[0])
    if (
        not np.abs(lu.solve(matrix @ known) - known).max() < 1e-3
    ):  # pivots that have lost their digits have lost their sign
        return None
    return int(np.count_nonzero(lu.U.diagonal() < 0.0))
