"""Rows of strains: R with Rᵀ R = Jᵀ C⁻¹ J, at every point of every stored energy; for steps that solve for strain forces."""

import numpy as np

from condyle.laws.gram import gram_law, strain_stiffness
from condyle.laws.kernel import kernel
from condyle.system.assembly.places import gather, gram, most_vectors
from condyle.system.tables import DIRECTOR

NOTHING = 1e-14  # of a diagonal entry of the stiffness: what is left of it by round-off


@kernel
def strain_count(ny, d):
    """The most strains that a law of so many vectors can have: entries of G, or components of y."""
    return min(ny * (ny + 1) // 2, ny * d)


@kernel
def strain_rows(table, rows, x, values):
    """R at x, one strain after the other, each (rows of its law, d): what stands at the unknowns of a free row; of a director
    d × g, in the plane in the first place. A law of fewer strains than it could have leaves zeros.
    """
    d, at = x.shape[1], 0
    most_y = most_vectors(table)
    y, G, S = np.zeros((most_y, d)), np.zeros((most_y, most_y)), np.zeros((most_y, most_y))
    H, K = np.zeros((most_y, most_y, most_y, most_y)), np.zeros((most_y, d, most_y, d))
    factor, left, whole = np.zeros((most_y * d, most_y * d)), np.zeros(most_y * d), np.zeros(most_y * d)
    g = np.zeros(3)
    for i in range(table.law.size):
        ny, first = table.vectors[i], table.row_start[i]
        nr = table.row_start[i + 1] - first
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        for point in range(table.point_start[i], table.point_start[i + 1]):
            weight, strains = table.weight_start[point], strain_count(ny, d)
            gather(table, i, point, x, y)
            gram(ny, d, y, G)
            gram_law(table.law[i], ny, G, p, S, H)
            strain_stiffness(table.law[i], ny, d, y, G, p, H, K)
            found = _factorise(ny, d, table.measure[point], K, factor, left, whole, strains)
            for s in range(strains):
                for r in range(nr):
                    row = table.rows[first + r]
                    for a in range(d):
                        g[a] = 0.0
                        for k in range(ny):
                            g[a] += table.weights[weight + k * nr + r] * factor[s, k * d + a]
                    if s >= found:
                        g[:] = 0.0
                    if rows.kind[row] == DIRECTOR:
                        _turn(d, x[row], g)
                    for a in range(d):
                        values[at] = g[a]
                        at += 1


@kernel
def _factorise(ny, d, measure, K, factor, left, whole, most):
    """Lines of `factor` with Fᵀ F = measure · K, by Cholesky's method with pivots; returns how many."""
    n = ny * d
    for i in range(n):
        left[i] = whole[i] = measure * K[i // d, i % d, i // d, i % d]
    for s in range(most):
        best, share = -1, NOTHING
        for i in range(n):
            if whole[i] > 0.0 and left[i] > share * whole[i]:
                best, share = i, left[i] / whole[i]
        if best < 0:
            return s
        root = np.sqrt(left[best])
        for j in range(n):
            value = measure * K[best // d, best % d, j // d, j % d]
            for e in range(s):
                value -= factor[e, best] * factor[e, j]
            factor[s, j] = value / root
            left[j] -= factor[s, j] ** 2
        left[best] = 0.0
    return most


@kernel
def _turn(d, y, g):
    """g ← y × g; in the plane its one component first."""
    if d == 2:
        g[0], g[1] = y[0] * g[1] - y[1] * g[0], 0.0
    else:
        g0, g1, g2 = g[0], g[1], g[2]
        g[0], g[1], g[2] = y[1] * g2 - y[2] * g1, y[2] * g0 - y[0] * g2, y[0] * g1 - y[1] * g0
