"""Rates that sums of rows are to have, by the smallest change in the sense of the mass, with constraints kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.system.tables import FIXED

if TYPE_CHECKING:
    from condyle.system.row_problem import RowProblem

Array = NDArray[np.float64]

SOFT = 1e-8  # of what is held, in the size of its own mass
PASSES = 5
EXACT = 1e-15  # of the largest rate


def hold_rates(
    problem: RowProblem,
    x: Array,
    v: Array,
    t: float,
    rows: NDArray[np.int64],
    gradients: Array,
    wanted: Array | None = None,
    works: Array | None = None,
) -> tuple[Array, Array]:
    """Change rates v (velocities or accelerations), so that the k sums Σ gradient·v are as wanted (0), constraints kept.

    rows: (k, nr); gradients: (k, nr, d); works: the same of forces that do not act along the gradients, if so. Returns the
    change of the constraints' multipliers (m,) and the multipliers of the sums (k,), with the sign of those of constraints.
    """
    from scipy.sparse import bmat, coo_matrix, csr_matrix, diags
    from scipy.sparse.linalg import splu

    s = problem.system
    problem.factor(x, t)
    k = len(rows)
    unknown = s.rows.unknown[rows][:, :, None] + np.arange(s.d)
    free = np.broadcast_to((s.rows.kind[rows] != FIXED)[:, :, None], unknown.shape)
    line = np.broadcast_to(np.arange(k)[:, None, None], unknown.shape)
    J, B = (
        coo_matrix((a[free], (line[free], unknown[free])), shape=(k, s.unknowns)).tocsr()
        for a in (gradients, gradients if works is None else works)
    )
    matrix: Any = csr_matrix((problem.out.A, s.pattern.indices, s.pattern.indptr), shape=(s.unknowns, s.unknowns))
    # Scale all to size 1: masses may differ by many orders.
    scale = 1.0 / np.sqrt(np.maximum(np.abs(matrix.diagonal()), 1e-300))
    scale[s.motion_unknowns :] = 0.0
    size = np.sqrt(np.maximum(J.power(2) @ scale**2, 1e-300))
    held = np.sqrt(np.maximum(matrix[s.motion_unknowns :].power(2) @ scale**2, 1e-300))
    scale[s.motion_unknowns :] = 1.0 / held
    J, B = (diags(1.0 / size) @ a @ diags(scale) for a in (J, B))
    rate = np.einsum("kra,kra->k", gradients, v[rows])
    miss = ((0.0 if wanted is None else wanted) - rate) / size
    # Softness shares the forces of what is held twice, in joints too; it is taken out of the rates again, pass by pass.
    saddle: Any = bmat([[diags(scale) @ matrix @ diags(scale), B.T], [J, csr_matrix((k, k))]], format="csr")
    own = np.arange(s.unknowns + k) >= s.unknowns
    factors = splu((saddle - diags(SOFT * own)).tocsc())
    softness, live = np.zeros(own.size), s.multiplier_unknowns[s.exact]
    softness[live] = saddle.diagonal()[live]
    given = np.concatenate((np.zeros(s.unknowns), miss))
    change, left = np.zeros_like(given), np.inf
    for _ in range(PASSES):
        rest = given - saddle @ change + softness * change
        before, left = left, float(np.abs(rest).max(initial=0.0))
        if left <= EXACT * float(np.abs(miss).max(initial=0.0)) or left > 0.5 * before:
            break
        change += factors.solve(rest)
    moved = scale * change[: s.unknowns]
    v[s.moving] += moved[problem._places]
    return s.multiplier_increments(moved), change[s.unknowns :] / size
