"""The element of a solid in space: most of the time of a mesh is spent here, so its sizes are written out.

It does what `general.py` does for any law: forces 2 S y through the weights, stiffness 4 yᵀ H y + 2 κ S. At the end of a step
both are symmetric, so that of the nine parts K_ab (a, b: directions) six are summed, over all points at once. Conserving, S is
the discrete gradient between both ends of the step, y on the left the mean of both, and all nine are summed.
"""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.laws.lanes import absolute, add_product, add_scaled, lanes_at, no_lanes, put_lanes, sum_of_lanes
from condyle.laws.solid_gradient import law_of_step
from condyle.laws.table import BARRIER, QUADRATIC, has
from condyle.system.assembly.elements import (
    ADDS_ELEMENTS,
    SOLID_IN_SPACE,
    begin_instance,
    element_arrays,
    finish_instance,
    kind_of,
    most_rows,
)
from condyle.system.assembly.weighing import begin_element
from condyle.system.signatures import count, f1, f2, f3
from condyle.system.tables import END

# Components 11, 22, 33, 12, 13, 23 of a symmetric matrix, and where (i, j) is among them.
_PAIR = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
# The parts K_ab: these six, and 21, 31, 32 where the stiffness is not symmetric.
_A, _B = np.array([0, 1, 2, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 1, 2, 2, 0, 0, 1])
_PART = np.array([[0, 3, 4], [6, 1, 5], [7, 8, 2]])


@separate(ADDS_ELEMENTS)
def add_solids(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for plain solids in space, element by element."""
    most_r, most_c = most_rows(table, SOLID_IN_SPACE, 3)
    ends, f, K = element_arrays(most_r, 3)
    # F and C at x1, x_old and x0 (or between); S at x1, before and mixed; H at x1 and before; moduli and their sums; reach;
    # the force of a point; forces of 8 nodes side by side, their scales and noise
    work = (
        np.zeros((3, 3, 3)), np.zeros((4, 6)), np.zeros((3, 6)), np.zeros((2, 6, 6)), np.zeros((9, 3, 3)),
        np.zeros((9, most_c, most_r)), np.zeros(most_r), np.zeros((3, 3)), np.zeros((7, 8)),
    )  # fmt: skip
    for i in range(table.law.size):
        if kind_of(table, i, 3) == SOLID_IN_SPACE:
            taken = begin_instance(table, rows, i, how, x0, x1, x_old, x_dot, ends)
            _element(table, i, taken, ends, f, K, work)
            finish_instance(table, rows, i, how, x_test, x1, f, K, q, q_scale, q_noise, A)
    return 0


@kernel(forceinline=True)
def _columns(nr, weights, x, F):
    """F[k] = Σ_r w_kr x_r: the columns of the deformation gradient."""
    for k in range(3):
        v0 = v1 = v2 = 0.0
        for r in range(nr):
            w = weights[k * nr + r]
            v0 += w * x[r, 0]
            v1 += w * x[r, 1]
            v2 += w * x[r, 2]
        F[k, 0], F[k, 1], F[k, 2] = v0, v1, v2


@kernel(forceinline=True)
def _square(F, C):
    """C = FᵀF in six components."""
    for k in range(3):
        C[k] = F[k, 0] * F[k, 0] + F[k, 1] * F[k, 1] + F[k, 2] * F[k, 2]
    C[3] = F[0, 0] * F[1, 0] + F[0, 1] * F[1, 1] + F[0, 2] * F[1, 2]
    C[4] = F[0, 0] * F[2, 0] + F[0, 1] * F[2, 1] + F[0, 2] * F[2, 2]
    C[5] = F[1, 0] * F[2, 0] + F[1, 1] * F[2, 1] + F[1, 2] * F[2, 2]


@kernel(forceinline=True)
def _determinant(F):
    det = F[0, 0] * (F[1, 1] * F[2, 2] - F[1, 2] * F[2, 1])
    det += F[0, 1] * (F[1, 2] * F[2, 0] - F[1, 0] * F[2, 2])
    return det + F[0, 2] * (F[1, 0] * F[2, 1] - F[1, 1] * F[2, 0])


@kernel(forceinline=True)
def _extrapolated(F, F_old, S, H, from_old, change, out):
    """out = S + H:δC with the linear part of δC, from S and H before; of a quadratic law S − H:(δF δFᵀ) from those at F."""
    for k in range(3):
        for m in range(k, 3):
            value = 0.0
            for a in range(3):
                step, other = F[k, a] - F_old[k, a], F[m, a] - F_old[m, a]
                value += step * F_old[m, a] + F_old[k, a] * other if from_old else -step * other
            change[_PAIR[k, m]] = value if k == m else 2.0 * value
    for i in range(6):
        value = S[i]
        for j in range(6):
            value += H[i, j] * change[j]
        out[i] = value


@kernel(forceinline=True)
def _noise(measure, S, H, C, gathered):
    """What the rounding of positions does to the force of a point, per weight; gathered: how far its vectors are made from."""
    stiffest = 0.0
    for i in range(6):
        line = H[i]
        total = abs(line[0]) + abs(line[1]) + abs(line[2]) + 2.0 * (abs(line[3]) + abs(line[4]) + abs(line[5]))
        stiffest = max(stiffest, total)
    return 2.0 * measure * gathered * (2.0 * stiffest * max(C[0], C[1], C[2]) + abs(S[0]) + abs(S[1]) + abs(S[2]))


@kernel(forceinline=True)
def _point_force(k0, k1, k2, k, measure, S, F, v):
    """v[k] = 2 Σ_j S_kj y_j, times the measure; k_j: the component (k, j)."""
    s0, s1, s2 = 2.0 * measure * S[k0], 2.0 * measure * S[k1], 2.0 * measure * S[k2]
    v[k, 0] = s0 * F[0, 0] + s1 * F[1, 0] + s2 * F[2, 0]
    v[k, 1] = s0 * F[0, 1] + s1 * F[1, 1] + s2 * F[2, 1]
    v[k, 2] = s0 * F[0, 2] + s1 * F[1, 2] + s2 * F[2, 2]


@kernel(forceinline=True)
def _add_force(nr, measure, weights, S, H, C, v, reach, f):
    """f_r += Σ_k w_kr v_k, its scale, and its noise."""
    gathered = 0.0
    for k in range(3):
        total = 0.0
        for r in range(nr):
            total += abs(weights[k * nr + r]) * reach[r]
        gathered = max(gathered, total)
    noise = _noise(measure, S, H, C, gathered)
    for k in range(3):
        v0, v1, v2 = v[k, 0], v[k, 1], v[k, 2]
        for r in range(nr):
            w = weights[k * nr + r]
            f[0, r, 0] += w * v0
            f[0, r, 1] += w * v1
            f[0, r, 2] += w * v2
            f[1, r, 0] += abs(w * v0)
            f[1, r, 1] += abs(w * v1)
            f[1, r, 2] += abs(w * v2)
            f[2, r, 0] += abs(w) * noise
    for r in range(nr):
        f[2, r, 1] = f[2, r, 2] = f[2, r, 0]


@kernel(forceinline=True)
def _add_force_8(measure, weights, S, H, C, v, reach, sums):
    """The same for 8 nodes, side by side: forces in three directions, their scales, their noise (7, 8)."""
    w0, w1, w2 = lanes_at(weights, 0), lanes_at(weights, 8), lanes_at(weights, 16)
    a0, a1, a2 = absolute(w0), absolute(w1), absolute(w2)
    far = lanes_at(reach, 0)
    g0, g1, g2 = add_product(no_lanes(), a0, far), add_product(no_lanes(), a1, far), add_product(no_lanes(), a2, far)
    gathered = max(sum_of_lanes(g0), sum_of_lanes(g1), sum_of_lanes(g2))
    noise = _noise(measure, S, H, C, gathered)
    for a in range(3):
        force = add_scaled(lanes_at(sums, a * 8), v[0, a], w0)
        put_lanes(sums, a * 8, add_scaled(add_scaled(force, v[1, a], w1), v[2, a], w2))
        scale = add_scaled(lanes_at(sums, 24 + a * 8), abs(v[0, a]), a0)
        put_lanes(sums, 24 + a * 8, add_scaled(add_scaled(scale, abs(v[1, a]), a1), abs(v[2, a]), a2))
    rounding = add_scaled(lanes_at(sums, 48), noise, a0)
    put_lanes(sums, 48, add_scaled(add_scaled(rounding, noise, a1), noise, a2))


@kernel(forceinline=True)
def _keep_force_8(sums, f):
    """Sums of 8 nodes side by side, to (3, 8, 3)."""
    for r in range(8):
        for a in range(3):
            f[0, r, a] = sums[a, r]
            f[1, r, a] = sums[3 + a, r]
            f[2, r, a] = sums[6, r]


@kernel(forceinline=True)
def _moduli(measure, F, H, S, L):
    """L[ab, k, m] = 4 Σ_ij F_ia H_kimj F_jb + 2 S_km δ_ab, times the measure; ab in the order 11, 22, 33, 12, 13, 23."""
    four, two = 4.0 * measure, 2.0 * measure
    _moduli_of(0, 0, 0, 3, 4, 0, 3, 4, four, two * S[0], F, H, L)
    _moduli_of(0, 1, 0, 3, 4, 3, 1, 5, four, two * S[3], F, H, L)
    _moduli_of(0, 2, 0, 3, 4, 4, 5, 2, four, two * S[4], F, H, L)
    _moduli_of(1, 0, 3, 1, 5, 0, 3, 4, four, two * S[3], F, H, L)
    _moduli_of(1, 1, 3, 1, 5, 3, 1, 5, four, two * S[1], F, H, L)
    _moduli_of(1, 2, 3, 1, 5, 4, 5, 2, four, two * S[5], F, H, L)
    _moduli_of(2, 0, 4, 5, 2, 0, 3, 4, four, two * S[4], F, H, L)
    _moduli_of(2, 1, 4, 5, 2, 3, 1, 5, four, two * S[5], F, H, L)
    _moduli_of(2, 2, 4, 5, 2, 4, 5, 2, four, two * S[2], F, H, L)


@kernel(forceinline=True)
def _moduli_of(k, m, k0, k1, k2, m0, m1, m2, four, geometric, F, H, L):
    """One pair k, m; k_i and m_j: the components (k, i) and (m, j)."""
    f00, f01, f02 = F[0, 0], F[0, 1], F[0, 2]
    f10, f11, f12 = F[1, 0], F[1, 1], F[1, 2]
    f20, f21, f22 = F[2, 0], F[2, 1], F[2, 2]
    h00, h01, h02 = four * H[k0, m0], four * H[k0, m1], four * H[k0, m2]
    h10, h11, h12 = four * H[k1, m0], four * H[k1, m1], four * H[k1, m2]
    h20, h21, h22 = four * H[k2, m0], four * H[k2, m1], four * H[k2, m2]
    # g_ib = Σ_j h_ij F_jb
    g0, g1, g2 = h00 * f00 + h01 * f10 + h02 * f20, h10 * f00 + h11 * f10 + h12 * f20, h20 * f00 + h21 * f10 + h22 * f20
    L[0, k, m] = f00 * g0 + f10 * g1 + f20 * g2 + geometric
    g0, g1, g2 = h00 * f01 + h01 * f11 + h02 * f21, h10 * f01 + h11 * f11 + h12 * f21, h20 * f01 + h21 * f11 + h22 * f21
    L[1, k, m] = f01 * g0 + f11 * g1 + f21 * g2 + geometric
    L[3, k, m] = f00 * g0 + f10 * g1 + f20 * g2
    g0, g1, g2 = h00 * f02 + h01 * f12 + h02 * f22, h10 * f02 + h11 * f12 + h12 * f22, h20 * f02 + h21 * f12 + h22 * f22
    L[2, k, m] = f02 * g0 + f12 * g1 + f22 * g2 + geometric
    L[4, k, m] = f00 * g0 + f10 * g1 + f20 * g2
    L[5, k, m] = f01 * g0 + f11 * g1 + f21 * g2


@kernel(forceinline=True)
def _moduli_between(measure, kappa, F_test, F, H, S, L):
    """All nine parts L[ab, k, m] = 4 Σ_ij Ft_ia H_kimj F_jb + 2 κ S_km δ_ab, times the measure."""
    four, two = 4.0 * measure, 2.0 * measure * kappa
    for k in range(3):
        h0, h1, h2 = H[_PAIR[k, 0]], H[_PAIR[k, 1]], H[_PAIR[k, 2]]
        for m in range(3):
            m0, m1, m2 = _PAIR[m, 0], _PAIR[m, 1], _PAIR[m, 2]
            geometric = two * S[_PAIR[k, m]]
            for b in range(3):
                f0, f1, f2 = four * F[0, b], four * F[1, b], four * F[2, b]
                g0 = h0[m0] * f0 + h0[m1] * f1 + h0[m2] * f2
                g1 = h1[m0] * f0 + h1[m1] * f1 + h1[m2] * f2
                g2 = h2[m0] * f0 + h2[m1] * f1 + h2[m2] * f2
                for a in range(3):
                    value = F_test[0, a] * g0 + F_test[1, a] * g1 + F_test[2, a] * g2
                    L[_PART[a, b], k, m] = value + geometric if a == b else value


@kernel(forceinline=True)
def _weigh_right(nr, parts, weights, L, c, T):
    """T[ab, c + k, s] = Σ_m L[ab, k, m] w_ms, of six or nine parts ab."""
    for ab in range(parts):
        for k in range(3):
            l0, l1, l2 = L[ab, k, 0], L[ab, k, 1], L[ab, k, 2]
            line = T[ab, c + k]
            for s in range(nr):
                line[s] = l0 * weights[s] + l1 * weights[nr + s] + l2 * weights[2 * nr + s]


@kernel(forceinline=True)
def _weigh_right_8(parts, weights, L, c, T):
    """The same for 8 nodes: a line at a time."""
    w0, w1, w2 = lanes_at(weights, 0), lanes_at(weights, 8), lanes_at(weights, 16)
    line, plane = T.shape[2], T.shape[1] * T.shape[2]
    for ab in range(parts):
        for k in range(3):
            t = add_scaled(no_lanes(), L[ab, k, 0], w0)
            t = add_scaled(t, L[ab, k, 1], w1)
            put_lanes(T, ab * plane + (c + k) * line, add_scaled(t, L[ab, k, 2], w2))


@separate(count(count, count, f1, f3, f2))
def _weigh_left_8(vectors, parts, weights, T, K):
    """K_ra,bs = Σ_c w_cr T[ab, c, s] for 8 nodes: four lines at a time, whose sums stay in registers."""
    line, plane, width = T.shape[2], T.shape[1] * T.shape[2], K.shape[1]
    for ab in range(parts):
        a, b = _A[ab], _B[ab]
        for r in range(0, 8, 4):
            k0 = k1 = k2 = k3 = no_lanes()
            at, w = ab * plane, r
            for _ in range(vectors):
                t = lanes_at(T, at)
                k0 = add_scaled(k0, weights[w], t)
                k1 = add_scaled(k1, weights[w + 1], t)
                k2 = add_scaled(k2, weights[w + 2], t)
                k3 = add_scaled(k3, weights[w + 3], t)
                at += line
                w += 8
            at = (r * 3 + a) * width + b * 8
            put_lanes(K, at, k0)
            put_lanes(K, at + 3 * width, k1)
            put_lanes(K, at + 6 * width, k2)
            put_lanes(K, at + 9 * width, k3)
        if parts == 6 and a != b:
            for r in range(8):
                for s in range(8):
                    K[s * 3 + b, a * 8 + r] = K[r * 3 + a, b * 8 + s]
    return 0


@kernel
def _weigh_left(vectors, parts, nr, weights, T, K):
    """Weigh the left side of the stiffness for an element with any number of nodes."""
    for ab in range(parts):
        a, b = _A[ab], _B[ab]
        for r in range(nr):
            out = K[r * 3 + a, b * nr : b * nr + nr]
            for s in range(nr):
                out[s] = 0.0
            for c in range(vectors):
                w = weights[c * nr + r]
                line = T[ab, c]
                for s in range(nr):
                    out[s] += w * line[s]
            if parts == 6 and a != b:
                for s in range(nr):
                    K[s * 3 + b, a * nr + r] = out[s]


@kernel(forceinline=True)
def _element(table, i, how, ends, f, K, work):
    """Force f, its scale and noise (3, nr, 3) and stiffness K_ra,bs of one element."""
    where, kappa, _, tangent, _ = how
    F, C, S, H, L, T, reach, v, sums = work
    conserving = where != END
    parts = 9 if conserving else 6
    nr = table.row_start[i + 1] - table.row_start[i]
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    law = table.law[i]
    turns_over = table.gradients[i] == 3 or (table.gradients[i] == 0 and has(law, BARRIER))
    quadratic = has(law, QUADRATIC)
    begin, last = table.point_start[i], table.point_start[i + 1]
    measures, starts, all_weights = table.measure, table.weight_start, table.weights
    first_weight = starts[begin]
    moved = begin_element(nr, 3, ends, f, reach) and tangent
    F_test = F[2] if conserving else F[0]
    if nr == 8:
        for a in range(7):
            put_lanes(sums, 8 * a, no_lanes())
    for point in range(begin, last):
        measure = measures[point]
        at = starts[point]
        weights = all_weights[at : at + 3 * nr]
        _columns(nr, weights, ends[1], F[0])
        _square(F[0], C[0])
        if conserving:
            _columns(nr, weights, ends[0], F[2])
            _square(F[2], C[3])
            for k in range(3):
                for a in range(3):
                    F[2, k, a] = 0.5 * (F[2, k, a] + F[0, k, a])
        mixed = S[0]
        if moved:
            _columns(nr, weights, ends[2], F[1])
            mixed = S[2]
        if moved and not quadratic:
            _square(F[1], C[1])
            law_of_step(law, 6, conserving, C[3], C[1], p, S[1], H[1])
            _extrapolated(F[0], F[1], S[1], H[1], True, C[2], mixed)
        law_of_step(law, 6, conserving, C[3], C[0], p, S[0], H[0])
        if moved and quadratic:
            _extrapolated(F[0], F[1], S[0], H[0], False, C[2], mixed)
        if turns_over and _determinant(F[0]) <= 0.0:
            S[0, 0] = np.nan  # turned inside out: no force, and the step is shortened
        _point_force(0, 3, 4, 0, measure, S[0], F_test, v)
        _point_force(3, 1, 5, 1, measure, S[0], F_test, v)
        _point_force(4, 5, 2, 2, measure, S[0], F_test, v)
        if nr == 8:
            _add_force_8(measure, weights, S[0], H[0], C[0], v, reach, sums)
        else:
            _add_force(nr, measure, weights, S[0], H[0], C[0], v, reach, f)
        if tangent:
            if conserving:
                _moduli_between(measure, kappa, F_test, F[0], H[0], mixed, L)
            else:
                _moduli(measure, F[0], H[0], mixed, L)
            if nr == 8:
                _weigh_right_8(parts, weights, L, 3 * (point - begin), T)
            else:
                _weigh_right(nr, parts, weights, L, 3 * (point - begin), T)
    if nr == 8:
        _keep_force_8(sums, f)
    if tangent:
        vectors = 3 * (last - begin)
        weights = all_weights[first_weight : first_weight + vectors * nr]
        if nr == 8:
            _weigh_left_8(vectors, parts, weights, T, K)
        else:
            _weigh_left(vectors, parts, nr, weights, T, K)
