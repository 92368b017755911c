"""How points that hold more than can move share their impulses, as a kernel: by their lengths or areas.

    Σ |p|²/w is least for the same motion, Jᵀ p

that is p = √w y with y in the space of the columns of √w J: what is outside of it moves nothing.
"""

from math import sqrt

import numpy as np

from condyle.laws.kernel import kernel
from condyle.solvers.cone_newton import law_error
from condyle.solvers.dense import times

SURE = 1e-4  # of the largest pivot: rows with smaller ones may depend on each other
NONE = 1e-11  # of the largest column: what is left is round-off


@kernel
def share_impulses(W, q, d, normal, of, rows, mu, r, js, jc, jv, n, weight, limit, p):
    """Impulses p (m,) shared, in place; False where nothing is to be shared, or where laws would notice."""
    m = p.size
    on, count = np.empty(m, dtype=np.int64), 0
    for i in range(0, m, d):
        if p[i] > 0.0:
            for a in range(d):
                on[count] = i + a
                count += 1
    if count <= d:
        return False
    place, columns = np.full(n, -1), 0
    for c in range(count):
        for s in range(js[on[c]], js[on[c] + 1]):
            if place[jc[s]] < 0:
                place[jc[s]] = columns
                columns += 1
    B, root = np.zeros((columns, count)), np.empty(count)  # columns of √w J, one after the other
    for c in range(count):
        root[c] = sqrt(weight[on[c] // d])
        for s in range(js[on[c]], js[on[c] + 1]):
            B[place[jc[s]], c] += root[c] * jv[s]
    if count <= columns and _independent(B):
        return False
    y, kept, shared = np.empty(count), p.copy(), np.zeros(count)
    for c in range(count):
        y[c] = p[on[c]] / root[c]
    _project(B, y, shared)
    for c in range(count):
        p[on[c]] = root[c] * shared[c]
    u = np.empty(m)
    times(W, q, p, u)
    if law_error(q, u, normal, of, rows, mu, r, p) <= limit:
        return True
    p[:] = kept
    return False


@kernel
def _independent(B):
    """Whether rows of J are clearly independent of each other, as those of different nodes are: by the pivots of B Bᵀ."""
    columns, n = B.shape
    L, least, most = np.empty((n, n)), np.inf, 0.0
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for c in range(columns):
                total += B[c, i] * B[c, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                L[i, i] = sqrt(total)
                least, most = min(least, L[i, i]), max(most, L[i, i])
            else:
                L[i, j] = total / L[j, j]
    return least > SURE * most


@kernel
def _project(B, y, out):
    """The part of y in the space of the rows of B, which are overwritten: square ones, the largest of what is left first."""
    columns, n = B.shape
    left, first = np.empty(columns), 0.0
    for step in range(min(columns, n)):
        best = step
        for c in range(step, columns):
            left[c] = 0.0
            for i in range(n):
                left[c] += B[c, i] * B[c, i]
            if left[c] > left[best]:
                best = c
        size = sqrt(left[best])
        first = max(first, size)
        if not size > NONE * first:
            return
        for i in range(n):
            B[step, i], B[best, i] = B[best, i] / size, B[step, i]
        for _ in range(2):  # once more against what came before it
            for c in range(step):
                along = 0.0
                for i in range(n):
                    along += B[c, i] * B[step, i]
                for i in range(n):
                    B[step, i] -= along * B[c, i]
        size, along = 0.0, 0.0
        for i in range(n):
            size += B[step, i] ** 2
            along += B[step, i] * y[i]
        for i in range(n):
            out[i] += along / size * B[step, i]
        for c in range(step + 1, columns):
            along = 0.0
            for i in range(n):
                along += B[step, i] * B[c, i]
            for i in range(n):
                B[c, i] -= along / size * B[step, i]
