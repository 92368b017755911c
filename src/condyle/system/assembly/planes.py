"""The element of a plane solid (plane strain), with its sizes written out, as `solids.py` is in space.

It does what `general.py` does for any law: forces 2 S y through the weights, stiffness 4 yᵀ H y + 2 κ S. At the end of a step S
and H are those of the law there; conserving, S is the discrete gradient between both ends and y on its left the mean of both.
"""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.laws.solid_gradient import law_of_step
from condyle.laws.table import BARRIER, QUADRATIC, has
from condyle.system.assembly.elements import (
    ADDS_ELEMENTS,
    PLANE_SOLID,
    begin_instance,
    element_arrays,
    finish_instance,
    kind_of,
    most_rows,
)
from condyle.system.assembly.weighing import begin_element
from condyle.system.tables import END


@separate(ADDS_ELEMENTS)
def add_planes(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for plain plane solids, element by element."""
    most_r, _ = most_rows(table, PLANE_SOLID, 2)
    ends, f, K = element_arrays(most_r, 2)
    # C at x1, x_old and x0; S at x1, before and mixed; H at x1 and before; reach of the rows
    work = np.zeros((3, 6)), np.zeros((3, 6)), np.zeros((2, 6, 6)), np.zeros(most_r)
    for i in range(table.law.size):
        if kind_of(table, i, 2) == PLANE_SOLID:
            taken = begin_instance(table, rows, i, how, x0, x1, x_old, x_dot, ends)
            _element(table, i, taken, ends, f, K, work)
            finish_instance(table, rows, i, how, x_test, x1, f, K, q, q_scale, q_noise, A)
    return 0


@kernel(forceinline=True)
def _columns(nr, weights, x):
    """The columns of the deformation gradient, Σ_r w_kr x_r, as four numbers."""
    f00 = f01 = f10 = f11 = 0.0
    for r in range(nr):
        w0, w1 = weights[r], weights[nr + r]
        f00 += w0 * x[r, 0]
        f01 += w0 * x[r, 1]
        f10 += w1 * x[r, 0]
        f11 += w1 * x[r, 1]
    return f00, f01, f10, f11


@kernel(forceinline=True)
def _square(F, C):
    """C = FᵀF in six components, C₃₃ = 1."""
    f00, f01, f10, f11 = F
    C[0], C[1], C[2] = f00 * f00 + f01 * f01, f10 * f10 + f11 * f11, 1.0
    C[3], C[4], C[5] = f00 * f10 + f01 * f11, 0.0, 0.0


@kernel(forceinline=True)
def _extrapolated(F, F_old, S, H, from_old, out):
    """out = S + H:δC with the linear part of δC, from S and H before; of a quadratic law S − H:(δF δFᵀ) from those at F."""
    f00, f01, f10, f11 = F
    o00, o01, o10, o11 = F_old
    e00, e01, e10, e11 = f00 - o00, f01 - o01, f10 - o10, f11 - o11
    if from_old:
        c0, c1 = 2.0 * (e00 * o00 + e01 * o01), 2.0 * (e10 * o10 + e11 * o11)
        c3 = 2.0 * (e00 * o10 + e01 * o11 + o00 * e10 + o01 * e11)
    else:
        c0, c1 = -e00 * e00 - e01 * e01, -e10 * e10 - e11 * e11
        c3 = -2.0 * (e00 * e10 + e01 * e11)
    for i in (0, 1, 3):
        out[i] = S[i] + H[i, 0] * c0 + H[i, 1] * c1 + H[i, 3] * c3


@kernel(forceinline=True)
def _add_force(nr, measure, weights, S, H, C, F, reach, f):
    """f_r += Σ_k w_kr 2 Σ_j S_kj y_j, its scale, and its noise: what the rounding of positions does to it."""
    f00, f01, f10, f11 = F
    stiffest = 0.0
    for i in (0, 1, 3):
        stiffest = max(stiffest, abs(H[i, 0]) + abs(H[i, 1]) + 2.0 * abs(H[i, 3]))
    first = second = 0.0
    for r in range(nr):
        first += abs(weights[r]) * reach[r]
        second += abs(weights[nr + r]) * reach[r]
    noise = 2.0 * stiffest * max(C[0], C[1]) + abs(S[0]) + abs(S[1])
    noise *= 2.0 * measure * max(first, second)
    s0, s1, s3 = 2.0 * measure * S[0], 2.0 * measure * S[1], 2.0 * measure * S[3]
    u0, u1 = s0 * f00 + s3 * f10, s0 * f01 + s3 * f11
    v0, v1 = s3 * f00 + s1 * f10, s3 * f01 + s1 * f11
    for r in range(nr):
        w0, w1 = weights[r], weights[nr + r]
        f[0, r, 0] += w0 * u0 + w1 * v0
        f[0, r, 1] += w0 * u1 + w1 * v1
        f[1, r, 0] += abs(w0 * u0) + abs(w1 * v0)
        f[1, r, 1] += abs(w0 * u1) + abs(w1 * v1)
        more = (abs(w0) + abs(w1)) * noise
        f[2, r, 0] += more
        f[2, r, 1] += more


@kernel(forceinline=True)
def _add_stiffness(nr, measure, kappa, weights, S, H, F_test, F, K):
    """K_ra,bs += Σ_km w_kr (4 Σ_ij Ft_ia H_ki,mj F_jb + 2 κ S_km δ_ab) w_ms, times the measure."""
    t00, t01, t10, t11 = F_test
    f00, f01, f10, f11 = F
    for k in range(2):
        # Components (k, 0) and (k, 1) of a symmetric matrix.
        p0, p1 = (0, 3) if k == 0 else (3, 1)
        for a in range(2):
            y0, y1 = (t00, t10) if a == 0 else (t01, t11)
            h0 = 4.0 * measure * (y0 * H[p0, 0] + y1 * H[p1, 0])
            h1 = 4.0 * measure * (y0 * H[p0, 1] + y1 * H[p1, 1])
            h3 = 4.0 * measure * (y0 * H[p0, 3] + y1 * H[p1, 3])
            g0, g1 = 2.0 * measure * kappa * S[p0], 2.0 * measure * kappa * S[p1]
            # L_m for b = 0 and for b = 1
            l00, l10 = h0 * f00 + h3 * f10, h3 * f00 + h1 * f10
            l01, l11 = h0 * f01 + h3 * f11, h3 * f01 + h1 * f11
            if a == 0:
                l00, l10 = l00 + g0, l10 + g1
            else:
                l01, l11 = l01 + g0, l11 + g1
            for s in range(nr):
                w0, w1 = weights[s], weights[nr + s]
                t0, t1 = l00 * w0 + l10 * w1, l01 * w0 + l11 * w1
                for r in range(nr):
                    w = weights[k * nr + r]
                    K[2 * r + a, s] += w * t0
                    K[2 * r + a, nr + s] += w * t1


@kernel(forceinline=True)
def _element(table, i, how, ends, f, K, work):
    """Force f, its scale and noise (3, nr, 2) and stiffness K_ra,bs of one element."""
    where, kappa, _, tangent, _ = how
    C, S, H, reach = work
    conserving = where != END
    nr = table.row_start[i + 1] - table.row_start[i]
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    law = table.law[i]
    quadratic = has(law, QUADRATIC)
    turns_over = table.gradients[i] == 2 or (table.gradients[i] == 0 and has(law, BARRIER))
    moved = begin_element(nr, 2, ends, f, reach) and tangent
    if tangent:
        for r in range(2 * nr):
            for s in range(2 * nr):
                K[r, s] = 0.0
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure = table.measure[point]
        at = table.weight_start[point]
        weights = table.weights[at : at + 2 * nr]
        F = _columns(nr, weights, ends[1])
        F_test = F
        _square(F, C[0])
        if conserving:
            F0 = _columns(nr, weights, ends[0])
            _square(F0, C[2])
            F_test = (0.5 * (F0[0] + F[0]), 0.5 * (F0[1] + F[1]), 0.5 * (F0[2] + F[2]), 0.5 * (F0[3] + F[3]))
        mixed = S[0]
        F_old = F
        if moved:
            F_old = _columns(nr, weights, ends[2])
            mixed = S[2]
        if moved and not quadratic:
            _square(F_old, C[1])
            law_of_step(law, 4, conserving, C[2], C[1], p, S[1], H[1])
            _extrapolated(F, F_old, S[1], H[1], True, mixed)
        law_of_step(law, 4, conserving, C[2], C[0], p, S[0], H[0])
        if moved and quadratic:
            _extrapolated(F, F_old, S[0], H[0], False, mixed)
        if turns_over and F[0] * F[3] - F[1] * F[2] <= 0.0:
            S[0, 0] = np.nan  # turned inside out: no force, and the step is shortened
        _add_force(nr, measure, weights, S[0], H[0], C[0], F_test, reach, f)
        if tangent and nr == 4:
            _add_stiffness(4, measure, kappa, weights, mixed, H[0], F_test, F, K)
        elif tangent:
            _add_stiffness(nr, measure, kappa, weights, mixed, H[0], F_test, F, K)
