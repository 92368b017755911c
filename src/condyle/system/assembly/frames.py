"""Elements between two rigid frames (`laws/rigid_frames.py`), in the seven sums of products l that their strains depend on.

    l_k = Σ coefficient y_i·y_j,   f = Σ s_k ∂l_k/∂x,   K = Σ ∂l_k/∂x h_km ∂l_m/∂x + Σ s_k ∂²l_k/∂x²

with ∂l_k/∂x of the rows: seven vectors on either side, and no gathered vectors in between. Viscosity adds s_v = β V l̇,
V = ∂eᵀ C ∂e.
"""

import numpy as np

from condyle.laws.codes import FRAME_STRAINS
from condyle.laws.kernel import kernel, separate
from condyle.laws.rigid_frames import (
    CONSTANT,
    COUNT,
    SUMS,
    TERMS,
    add_frame_moduli,
    add_frame_viscous_change,
    frame_energy,
    frame_law,
)
from condyle.system.assembly.discrete import MOST, discrete_gradient
from condyle.system.assembly.elements import (
    ADDS_ELEMENTS,
    FRAME,
    begin_instance,
    element_arrays,
    finish_viscous,
    is_frame,
    kind_of,
    most_rows,
    rate_array,
)
from condyle.system.assembly.inverted import is_inverted
from condyle.system.assembly.places import gather, gather_vectors
from condyle.system.assembly.sums import add_bends_of_sums, gradients_of_sums
from condyle.system.assembly.weighing import clear_element, clear_matrix
from condyle.system.signatures import LAWS, f2, number
from condyle.system.tables import END

VECTORS = 7


@separate(ADDS_ELEMENTS)
def add_frames(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for elements between rigid frames."""
    d = x1.shape[1]
    most_r, _ = most_rows(table, FRAME, d)
    ends, f, K = element_arrays(most_r, d)
    D = rate_array(how, K)
    y, on = np.zeros((5, VECTORS, d)), np.zeros((2, VECTORS, d))  # y0, y1, y_test, ẏ, work; forces
    v, h, slopes = np.zeros((11, MOST)), np.zeros((3, MOST, MOST)), np.zeros((3, SUMS, most_r * d))
    pairs, reach = np.zeros((3, MOST), np.int64), np.zeros(most_r)
    for k in range(SUMS):  # sums are variables of their own
        pairs[0, k] = k
    work = (y, v, h, slopes, on, pairs, reach)
    for i in range(table.law.size):
        if kind_of(table, i, d) == FRAME:
            taken = begin_instance(table, rows, i, how, x0, x1, x_old, x_dot, ends)
            _element(table, i, d, taken, ends, f, K, D, work)
            finish_viscous(table, rows, i, how, taken[4], x_test, x1, f, K, D, q, q_scale, q_noise, A)
    return 0


@kernel
def _sums(p, d, y, z, out):
    """l_k = Σ coefficient ½ (y_i·z_j + z_i·y_j), without the constant part of c."""
    for k in range(SUMS):
        out[k] = 0.0
    for q in range(int(p[COUNT])):
        k, i, j, factor = _term(p, q)
        value = 0.0
        for a in range(d):
            value += y[i, a] * z[j, a] + z[i, a] * y[j, a]
        out[k] += 0.5 * factor * value


@kernel(forceinline=True)
def _term(p, q):
    """Number of the sum, numbers of the vectors and coefficient of a term."""
    at = TERMS + 4 * q
    return int(p[at]), int(p[at + 1]), int(p[at + 2]), p[at + 3]


@kernel(forceinline=True)
def _element(table, i, d, how, ends, f, K, D, work):
    """Force f and stiffness K of one instance, over its points; D = ∂f/∂ẋ where it is kept apart."""
    where, kappa, kappa_dot, tangent, apart = how
    y, v, h, slopes, on, pairs, reach = work
    y0, y1, yt, yd, other = y[0], y[1], y[2], y[3], y[4]
    v0, v1, s, moving, noise, spare, more, rates, middle = v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]
    sizes, loose = v[9], v[10]
    ny, nr = table.vectors[i], table.row_start[i + 1] - table.row_start[i]
    p, weights = table.params[table.param_start[i] : table.param_start[i + 1]], table.weights
    beta, columns, terms, t = table.damping[i], table.gradients[i], int(p[COUNT]), p[TERMS:]
    clear_element(nr, d, tangent, f, K)
    if apart:
        clear_matrix(nr * d, D)
    for r in range(nr):
        reach[r] = 0.0
        for a in range(d):
            reach[r] = max(reach[r], abs(ends[0, r, a]), abs(ends[1, r, a]))
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, ny, nr, d, ends[0], y0)
        gather_vectors(weights, at, ny, nr, d, ends[1], y1)
        for k in range(ny):
            for a in range(d):
                yt[k, a] = y1[k, a] if where == END else 0.5 * (y0[k, a] + y1[k, a])
        _sums(p, d, y1, y1, v1)
        v1[6] += p[CONSTANT]
        _rounding(p, ny, nr, d, weights, at, reach, y1, sizes, loose, moving)
        if where == END:
            frame_law(v1, p, tangent, moving, s, h[0], noise)
        else:
            _sums(p, d, y0, y0, v0)
            v0[6] += p[CONSTANT]
            discrete_gradient(FRAME_STRAINS, SUMS, pairs, p, tangent, v0, v1, moving, s, h[0], noise, spare, more, h[1])
        if beta > 0.0:  # as all viscosity, at the middle of a step or at its end
            gather_vectors(weights, at, ny, nr, d, ends[3], yd)
            _sums(p, d, yd, yt, rates)
            for k in range(SUMS):
                rates[k] *= 2.0
                middle[k] = v1[k] if where == END else 0.5 * (v0[k] + v1[k])
                for m in range(SUMS):
                    h[2, k, m] = 0.0
            add_frame_moduli(middle, p, beta, h[2])
            for k in range(SUMS):
                for m in range(SUMS):
                    s[k] += h[2, k, m] * rates[m]
            if tangent:
                add_frame_viscous_change(middle, p, rates, beta if where == END else 0.5 * beta, h[0])
        if columns and is_inverted(columns, ny, d, y0, y1, 0.0):
            s[0] = np.nan  # sums do not tell: no force then, and the step is shortened
        _add_force(p, ny, nr, d, measure, weights, at, s, noise, yt, sizes, loose, on, f)
        if tangent:
            gradients_of_sums(nr, d, SUMS, terms, t, weights, at, yt, slopes[0], True)
            gradients_of_sums(nr, d, SUMS, terms, t, weights, at, y1, slopes[1], False)
            _add_stiffness(nr, d, measure, h[0], slopes[0], slopes[1], slopes[2], K)
            if apart:
                _add_stiffness(nr, d, measure, h[2], slopes[0], slopes[1], slopes[2], D)
            if beta > 0.0:  # δl̇ = κ̇ δl at y1, at the end of the step also that of δy at ẏ
                for k in range(ny):
                    for a in range(d):
                        other[k, a] = kappa_dot * y1[k, a] + (yd[k, a] if where == END else 0.0)
                gradients_of_sums(nr, d, SUMS, terms, t, weights, at, other, slopes[1], False)
                _add_stiffness(nr, d, measure, h[2], slopes[0], slopes[1], slopes[2], K)
            add_bends_of_sums(nr, d, terms, t, kappa * measure, weights, at, s, K)


@kernel
def _rounding(p, ny, nr, d, weights, at, reach, y, sizes, loose, moving):
    """By how much sums move if rows move by their size: moving_k = Σ |coefficient| (δ_i |y_j| + δ_j |y_i|), δ = Σ |w| |x|."""
    for k in range(ny):
        loose[k] = length = 0.0
        for r in range(nr):
            loose[k] += abs(weights[at + k * nr + r]) * reach[r]
        for a in range(d):
            length += y[k, a] * y[k, a]
        sizes[k] = np.sqrt(length)
    for k in range(SUMS):
        moving[k] = 0.0
    for q in range(int(p[COUNT])):
        k, i, j, factor = _term(p, q)
        moving[k] += abs(factor) * (loose[i] * sizes[j] + loose[j] * sizes[i])


@kernel
def _add_force(p, ny, nr, d, measure, weights, at, s, noise, yt, sizes, loose, on, f):
    """Forces coefficient · s_k y_j on y_i and s_k y_i on y_j to the rows, their scale and their noise."""
    for k in range(ny):
        for a in range(d):
            on[0, k, a] = 0.0
        on[1, k, 0] = 0.0
    for q in range(int(p[COUNT])):
        k, i, j, factor = _term(p, q)
        stress, shaken = factor * s[k], abs(factor) * noise[k]
        for a in range(d):
            on[0, i, a] += stress * yt[j, a]
            on[0, j, a] += stress * yt[i, a]
        on[1, i, 0] += shaken * sizes[j] + abs(stress) * loose[j]
        on[1, j, 0] += shaken * sizes[i] + abs(stress) * loose[i]
    for k in range(ny):
        for r in range(nr):
            w = measure * weights[at + k * nr + r]
            if w != 0.0:
                for a in range(d):
                    f[0, r, a] += w * on[0, k, a]
                    f[1, r, a] += abs(w * on[0, k, a])
                    f[2, r, a] += abs(w) * on[1, k, 0]


@kernel
def _add_stiffness(nr, d, measure, h, left, right, line, K):
    """K += Σ_k left_k ⊗ Σ_m h_km right_m."""
    n = nr * d
    for k in range(SUMS):
        out = line[k]
        for c in range(n):
            out[c] = 0.0
        for m in range(SUMS):
            value = measure * h[k, m]
            if value != 0.0:
                other = right[m]
                for c in range(n):
                    out[c] += value * other[c]
    t0, t1, t2, t3, t4, t5, t6 = line[0], line[1], line[2], line[3], line[4], line[5], line[6]
    for r in range(n):
        l0, l1, l2, l3 = left[0, r], left[1, r], left[2, r], left[3, r]
        l4, l5, l6 = left[4, r], left[5, r], left[6, r]
        out = K[r]
        for c in range(n):
            out[c] += l0 * t0[c] + l1 * t1[c] + l2 * t2[c] + l3 * t3[c] + l4 * t4[c] + l5 * t5[c] + l6 * t6[c]


@separate(number(LAWS, f2))
def frame_energies(table, x):
    """Σ ψ of all elements between rigid frames [J]."""
    d = x.shape[1]
    y, v = np.zeros((VECTORS, d)), np.zeros(SUMS)
    total = 0.0
    for i in range(table.law.size):
        if is_frame(table.law[i]):
            p = table.params[table.param_start[i] : table.param_start[i + 1]]
            for point in range(table.point_start[i], table.point_start[i + 1]):
                gather(table, i, point, x, y)
                _sums(p, d, y, y, v)
                v[6] += p[CONSTANT]
                total += table.measure[point] * frame_energy(v, p)
    return total
