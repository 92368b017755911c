"""From a law's derivatives to blocks of rows: weights on both sides, then the maps."""

from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.maps import scatter, scatter_mapped
from condyle.system.signatures import LAWS, MAPS, ROWS, count, f1, f2, number
from condyle.system.tables import DIRECTOR, FREE


@kernel(forceinline=True)
def clear_element(nr, d, tangent, f, K):
    """Force f (3, nr, d) and, with the tangent, stiffness K (nr d, nr d) of an element before anything is added."""
    for r in range(nr):
        for a in range(d):
            f[0, r, a] = 0.0
            f[1, r, a] = 0.0
            f[2, r, a] = 0.0
    if tangent:
        clear_matrix(nr * d, K)


@kernel(forceinline=True)
def clear_matrix(n, K):
    """Clear the first n lines and columns."""
    for r in range(n):
        for s in range(n):
            K[r, s] = 0.0


@kernel(forceinline=True)
def begin_element(nr, d, ends, f, reach):
    """Clear the force f of an element and see how far its rows reach; has any of them moved since the previous iterate?"""
    moved = False
    for r in range(nr):
        reach[r] = 0.0
        for a in range(d):
            reach[r] = max(reach[r], abs(ends[0, r, a]), abs(ends[1, r, a]))
            moved = moved or ends[2, r, a] != ends[1, r, a]
            f[0, r, a] = 0.0
            f[1, r, a] = 0.0
            f[2, r, a] = 0.0
    return moved


@kernel(forceinline=True)
def add_to_rows(table, i, f, q, q_scale, q_noise):
    """Force f (3, nr, d) of an instance, with its scale and noise, to the rows."""
    first, members = table.row_start[i], table.rows
    for r in range(table.row_start[i + 1] - first):
        row = members[first + r]
        for a in range(q.shape[1]):
            q[row, a] += f[0, r, a]
            q_scale[row, a] += f[1, r, a]
            q_noise[row, a] += f[2, r, a]


@kernel(forceinline=True)
def force_of(ny, k, a, measure, S, y):
    """2 Σ_j S_kj y_j: what the stress of a point does on a component of its k-th vector."""
    value = 0.0
    for j in range(ny):
        value += S[k, j] * y[j, a]
    return 2.0 * measure * value


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
def element_stiffness(ny, d, measure, kappa, S, H, yt, y1, Ky):
    """The stiffness of an element by rows, with its two sums one after the other; written out for a solid in space."""
    if ny == 3 and d == 3:
        for k in range(3):
            for m in range(3):
                for b in range(3):
                    h0 = H[k, 0, m, 0] * y1[0, b] + H[k, 0, m, 1] * y1[1, b] + H[k, 0, m, 2] * y1[2, b]
                    h1 = H[k, 1, m, 0] * y1[0, b] + H[k, 1, m, 1] * y1[1, b] + H[k, 1, m, 2] * y1[2, b]
                    h2 = H[k, 2, m, 0] * y1[0, b] + H[k, 2, m, 1] * y1[1, b] + H[k, 2, m, 2] * y1[2, b]
                    for a in range(3):
                        Ky[k, a, m, b] = 4.0 * measure * (yt[0, a] * h0 + yt[1, a] * h1 + yt[2, a] * h2)
                for a in range(3):
                    Ky[k, a, m, a] += 2.0 * measure * kappa * S[k, m]
    else:
        law_stiffness(ny, d, measure, kappa, S, H, yt, y1, Ky)


@kernel
def weigh_right(ny, nr, d, weights, at, Ky, c, T):
    """T[c + k]_a,bs += Σ_m Ky_ka,mb w_ms: the weights of the right, for one point."""
    for k in range(ny):
        for a in range(d):
            line = T[c + k, a]
            for b in range(d):
                if ny == 3:
                    k0, k1, k2 = Ky[k, a, 0, b], Ky[k, a, 1, b], Ky[k, a, 2, b]
                    for s in range(nr):
                        line[b * nr + s] += (
                            k0 * weights[at + s] + k1 * weights[at + nr + s] + k2 * weights[at + 2 * nr + s]
                        )
                else:
                    for m in range(ny):
                        value = Ky[k, a, m, b]
                        for s in range(nr):
                            line[b * nr + s] += value * weights[at + m * nr + s]


@kernel
def weigh_left(vectors, nr, d, weights, at, T, K):
    """K_ra,bs += Σ_c w_cr T[c]_a,bs over the vectors c of all points, six at a time: K is loaded and stored less often."""
    n = nr * d
    for a in range(d):
        for r in range(nr):
            line = K[r * d + a]
            c = 0
            while c + 6 <= vectors:
                o = at + c * nr + r
                w0, w1, w2 = weights[o], weights[o + nr], weights[o + 2 * nr]
                w3, w4, w5 = weights[o + 3 * nr], weights[o + 4 * nr], weights[o + 5 * nr]
                t0, t1, t2, t3, t4, t5 = T[c, a], T[c + 1, a], T[c + 2, a], T[c + 3, a], T[c + 4, a], T[c + 5, a]
                for s in range(n):
                    line[s] += w0 * t0[s] + w1 * t1[s] + w2 * t2[s] + w3 * t3[s] + w4 * t4[s] + w5 * t5[s]
                c += 6
            while c < vectors:
                w = weights[at + c * nr + r]
                if w != 0.0:
                    t0 = T[c, a]
                    for s in range(n):
                        line[s] += w * t0[s]
                c += 1


@kernel
def add_rank_one(nr, d, factor, left, right, K):
    """K_ra,bs += factor left_ra right_sb."""
    for r in range(nr):
        for a in range(d):
            for s in range(nr):
                for b in range(d):
                    K[r * d + a, b * nr + s] += factor * left[r, a] * right[s, b]


@kernel(forceinline=True)
def _add_block(d, nr, r, s, slot, stride, K, A):
    """The block of two free rows; with a constant d the compiler writes it out."""
    for a in range(d):
        for b in range(d):
            A[slot + a * stride + b] += K[r * d + a, b * nr + s]


@kernel(forceinline=True)
def scatter_free(table, i, nr, d, strides, K, A):
    """`scatter_element` of an instance with free rows alone; with constant numbers the compiler writes it out."""
    slots, at, first, members = table.slots, table.slot_start[i], table.row_start[i], table.rows
    for r in range(nr):
        stride = strides[members[first + r]]
        for s in range(nr):
            slot = slots[at + r * nr + s]
            if slot >= 0:
                _add_block(d, nr, r, s, slot, stride, K, A)


@separate(count(LAWS, count, ROWS, f2, f2, f2, f1))
def scatter_element(table, i, rows, x_test, x1, K, A):
    """A += K_ra,bs of an instance through the maps of its rows."""
    d = x1.shape[1]
    # Columns are found through an address, which for all that the compiler knows each store into A may change: once is enough.
    members, slots, kind, strides = table.rows, table.slots, rows.kind, rows.stride
    first, at = table.row_start[i], table.slot_start[i]
    nr = table.row_start[i + 1] - first
    for r in range(nr):
        row = members[first + r]
        stride = strides[row]
        for s in range(nr):
            slot = slots[at + r * nr + s]
            if slot < 0:
                continue
            other = members[first + s]
            if kind[row] == FREE and kind[other] == FREE:
                if d == 3:
                    _add_block(3, nr, r, s, slot, stride, K, A)
                else:
                    _add_block(2, nr, r, s, slot, stride, K, A)
            else:
                block = K[r * d : r * d + d, s : s + (d - 1) * nr + 1 : nr]
                scatter(A, slot, stride, kind[row], kind[other], x_test[row], x1[other], block, d)
    return 0


@separate(count(LAWS, count, ROWS, f2, number, MAPS, f2, f2, f1))
def scatter_rates(table, i, rows, x_test, kappa_dot, rate_map, D, K, A):
    """∂f/∂ẋ = D_ra,bs of an instance: A += Pᵀ D R for directors, whose rates change by R δθ, and K += κ̇ D for other rows."""
    d = x_test.shape[1]
    first, at = table.row_start[i], table.slot_start[i]
    nr = table.row_start[i + 1] - first
    for s in range(nr):
        other = table.rows[first + s]
        if rows.kind[other] != DIRECTOR:
            for r in range(nr * d):
                for b in range(d):
                    K[r, b * nr + s] += kappa_dot * D[r, b * nr + s]
            continue
        for r in range(nr):
            row, slot = table.rows[first + r], table.slots[at + r * nr + s]
            if slot >= 0:
                block = D[r * d : r * d + d, s : s + (d - 1) * nr + 1 : nr]
                scatter_mapped(A, slot, rows.stride[row], rows.kind[row], x_test[row], block, rate_map[other], d)
    return 0


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
