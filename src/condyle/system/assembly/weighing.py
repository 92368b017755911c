"""From a law's derivatives to blocks of rows: weights on both sides, then the maps."""

from condyle.laws.kernel import kernel
from condyle.system.assembly.maps import scatter


@kernel
def law_stiffness(ny, d, measure, kappa, S, H, yt, y1, Ky):
    """∂f_ka/∂y_lb = 2 κ S_kl δ_ab + 4 Σ_ij yt_ia H_kilj y1_jb."""
    for k in range(ny):
        for m in range(ny):
            for a in range(d):
                for b in range(d):
                    value = 0.0
                    for i in range(ny):
                        for j in range(ny):
                            value += yt[i, a] * H[k, i, m, j] * y1[j, b]
                    Ky[k, a, m, b] = measure * 4.0 * value
                Ky[k, a, m, a] += measure * 2.0 * kappa * S[k, m]


@kernel
def weigh(ny, nr, d, weights, at, Ky, Kyr, K):
    """K_rs += Σ_kl w_kr w_ls Ky_kl."""
    for k in range(ny):
        for s in range(nr):
            for a in range(d):
                for b in range(d):
                    value = 0.0
                    for m in range(ny):
                        value += weights[at + m * nr + s] * Ky[k, a, m, b]
                    Kyr[k, a, s, b] = value
    for r in range(nr):
        for k in range(ny):
            w = weights[at + k * nr + r]
            if w != 0.0:
                for s in range(nr):
                    for a in range(d):
                        for b in range(d):
                            K[r, s, a, b] += w * Kyr[k, a, s, b]


@kernel
def scatter_instance(table, i, rows, x_test, x1, K, A):
    d = x1.shape[1]
    first = table.row_start[i]
    nr = table.row_start[i + 1] - first
    for r in range(nr):
        row = table.rows[first + r]
        for s in range(nr):
            slot = table.slots[table.slot_start[i] + r * nr + s]
            if slot >= 0:
                other = table.rows[first + s]
                scatter(A, slot, rows.stride[row], rows.kind[row], rows.kind[other], x_test[row], x1[other], K[r, s], d)
