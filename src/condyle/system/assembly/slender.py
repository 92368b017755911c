"""Elements with few strains, written out: cables, and bodies whose strains are linear in the Gram matrix (beams, shells).

The general kernel (`energies.py`) works on G and its fourth-order stiffness. Here the same equations stand in the strains
themselves: with the gradients B_k = ∂g_k/∂x of what the energy depends on, forces are Σ s_k B_k and the stiffness is
Σ B_k h_kl B_l with a part of the stress, s = ∂ψ/∂g, h = ∂²ψ/∂g∂g. Results are the same; measured per
element, cables take a quarter to a sixth of the time, beams and shells about half.

The stress s* of the geometric part is extrapolated from the previous iterate (`add_energies`): s* = s − h:(δy δyᵀ), which is
exact where ψ is quadratic in G.
"""

import numpy as np
from numba import types

from condyle.laws.ancf import axial_law, cable_energy, cable_law, cable_moduli
from condyle.laws.codes import CABLE, LINEAR_STRAINS, REELED_CABLE
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.weighing import scatter_element
from condyle.system.signatures import LAWS, ROWS, count, f1, f2, flag, number
from condyle.system.tables import END

_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])
COLLAPSED = 1e-4  # square of the stretch below which a line counts as collapsed


@kernel(forceinline=True)
def gather_vectors(weights, at, ny, nr, d, nodes, y):
    """y_k = Σ_r w_kr x_r."""
    for k in range(ny):
        for a in range(d):
            value = 0.0
            for r in range(nr):
                value += weights[at + k * nr + r] * nodes[r, a]
            y[k, a] = value


@separate(count(LAWS, ROWS, f2, f2, f2, f2, f2, types.Tuple((count, number, number, flag)), f2, f2, f2, f1))
def add_slender(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for cables and for strains linear in G, element by element.

    One call for all of them: handing the tables on costs as much as an element. With fixed numbers of rows and components
    the compiler unrolls the loops of a cable.
    """
    d = x1.shape[1]
    most_y, most_r, most_s = slender_sizes(table)
    ends, y = np.zeros((4, most_r, d)), np.zeros((5, most_y, d))  # nodes, vectors: at x0, x1, x_old (test), rates
    f, K = np.zeros((3, most_r, d)), np.zeros((most_r * d, most_r * d))
    B, reach = np.zeros((4, most_s, most_r * d)), np.zeros(most_r)
    small, square = np.zeros((8, max(most_s, most_y))), np.zeros((3, 3, 3))
    cable_work = cable_views(ends, y, B, small, square)
    tangent = how[3]
    for i in range(table.law.size):
        if not is_slender(table.law[i]):
            continue
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        for r in range(nr):
            row = table.rows[first + r]
            reach[r] = 0.0
            for a in range(d):
                ends[0, r, a] = x0[row, a]
                ends[1, r, a] = x1[row, a]
                ends[2, r, a] = x_old[row, a]
                ends[3, r, a] = x_dot[row, a]
                reach[r] = max(reach[r], abs(x0[row, a]), abs(x1[row, a]))
                f[0, r, a] = 0.0
                f[1, r, a] = 0.0
                f[2, r, a] = 0.0
        if tangent:
            for r in range(nr * d):
                for c in range(nr * d):
                    K[r, c] = 0.0
        if table.law[i] == LINEAR_STRAINS:
            _strain_element(table, i, nr, d, how, ends, y, f, K, reach, B, small)
        elif nr == 4 and d == 2:
            _cable_element(table, i, 4, 2, how, f, K, reach, cable_work)
        elif nr == 4:
            _cable_element(table, i, 4, 3, how, f, K, reach, cable_work)
        else:
            _cable_element(table, i, nr, d, how, f, K, reach, cable_work)
        for r in range(nr):
            row = table.rows[first + r]
            for a in range(d):
                q[row, a] += f[0, r, a]
                q_scale[row, a] += f[1, r, a]
                q_noise[row, a] += f[2, r, a]
        if tangent:
            scatter_element(table, i, rows, x_test, x1, K, A)
    return 0


@kernel
def slender_sizes(table):
    """Most gathered vectors, rows and strains of an instance."""
    most_y, most_r, most_s = 2, 1, 3
    for i in range(table.law.size):
        if is_slender(table.law[i]):
            most_y = max(most_y, table.vectors[i])
            most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
            if table.law[i] == LINEAR_STRAINS:
                most_s = max(most_s, int(table.params[table.param_start[i]]))
    return most_y, most_r, most_s


@kernel
def is_slender(law):
    """Is it a law of this file?"""
    return law in (CABLE, LINEAR_STRAINS)


@kernel(forceinline=True)
def cable_views(ends, y, B, small, square):
    """The parts of the work arrays by themselves: making them for every element takes longer than the element."""
    return (
        (ends[0], ends[1], ends[2], ends[3], y[0], y[1], y[2], y[3], y[4]),
        (small[0], small[1], small[2], small[3], small[4], small[5], small[6]),
        (square[0], square[1], square[2], B[0], B[0, 0], B[0, 1], B[0, 2]),
    )


@kernel(forceinline=True)
def _cable_element(table, i, nr, d, how, f, K, reach, work):
    """Force f and stiffness K of a cable in g = (a, b, c), a = r'·r', b = r'·r'', c = r''·r''.

    The force on r' is 2 ψ_a r' + ψ_b r'', on r'' ψ_b r' + 2 ψ_c r''.
    """
    where, kappa, kappa_dot, tangent = how
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    beta = table.damping[i]
    start, end, old, moving, y0, y1, yt, yo, yd = work[0]
    g0, g1, s, mixed, v, rate, spare = work[1]
    h, hv, h_work, B, B0, B1, B2 = work[2]
    weights = table.weights
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, 2, nr, d, end, y1)
        gather_vectors(weights, at, 2, nr, d, start, y0)
        _products(d, y1, y1, g1)
        if where == END:
            cable_law(p, g1[0], g1[1], g1[2], s, h)
        else:
            _products(d, y0, y0, g0)
            _cable_discrete(p, g0, g1, s, h, spare, h_work)
        for k in range(2):
            for a in range(d):
                yt[k, a] = y1[k, a] if where == END else 0.5 * (y0[k, a] + y1[k, a])
        if line_collapsed(d, y0, y1, COLLAPSED):
            s[0] = np.nan  # no force then, and the step is shortened
        for m in range(3):
            mixed[m] = s[m]
        if tangent:
            gather_vectors(weights, at, 2, nr, d, old, yo)
            for k in range(2):
                for a in range(d):
                    yo[k, a] = y1[k, a] - yo[k, a]
            _products(d, yo, yo, v)
            for m in range(3):
                mixed[m] -= h[m, 0] * v[0] + h[m, 1] * v[1] + h[m, 2] * v[2]
        if beta > 0.0:
            gather_vectors(weights, at, 2, nr, d, moving, yd)
            if where == END:
                cable_moduli(p, beta, g1[0], g1[1], g1[2], hv)
            else:
                cable_moduli(p, beta, 0.5 * (g0[0] + g1[0]), 0.5 * (g0[1] + g1[1]), 0.5 * (g0[2] + g1[2]), hv)
            if d == 2:
                _axial_only(hv)
            _products(d, yd, yt, rate)
            rate[0] *= 2.0
            rate[1] *= 2.0
            rate[2] *= 2.0
            for m in range(3):
                value = hv[m, 0] * rate[0] + hv[m, 1] * rate[1] + hv[m, 2] * rate[2]
                s[m] += value
                mixed[m] += value
        _cable_force(nr, d, measure, weights, at, s, h, g1, yt, reach, f)
        if beta > 0.0 and d == 2:
            _add_plane_bending(nr, d, measure * beta * p[4], p[1], weights, at, yt, yd, kappa_dot, tangent, f, K)
        if tangent:
            _cable_lines(nr, d, weights, at, y1, h, B, False)
            if beta > 0.0:  # δĠ = κ̇ (δy y1ᵀ + y1 δyᵀ), at the end of the step also δy ẏᵀ + ẏ δyᵀ
                for k in range(2):
                    for a in range(d):
                        y1[k, a] = kappa_dot * y1[k, a] + (yd[k, a] if where == END else 0.0)
                _cable_lines(nr, d, weights, at, y1, hv, B, True)
            n = nr * d
            for r in range(nr):
                w0, w1 = measure * weights[at + r], measure * weights[at + nr + r]
                for a in range(d):
                    c0, c1, c2 = 2.0 * w0 * yt[0, a], w0 * yt[1, a] + w1 * yt[0, a], 2.0 * w1 * yt[1, a]
                    row = r * d + a
                    for j in range(n):
                        K[row, j] += c0 * B0[j] + c1 * B1[j] + c2 * B2[j]
                u0 = kappa * (2.0 * mixed[0] * w0 + mixed[1] * w1)
                u1 = kappa * (mixed[1] * w0 + 2.0 * mixed[2] * w1)
                for q in range(nr):
                    value = u0 * weights[at + q] + u1 * weights[at + nr + q]
                    for a in range(d):
                        K[r * d + a, a * nr + q] += value


@kernel(forceinline=True)
def _products(d, y, z, g):
    """g = (y_0·z_0, ½ (y_0·z_1 + y_1·z_0), y_1·z_1)."""
    a = b = c = 0.0
    for i in range(d):
        a += y[0, i] * z[0, i]
        b += 0.5 * (y[0, i] * z[1, i] + y[1, i] * z[0, i])
        c += y[1, i] * z[1, i]
    g[0], g[1], g[2] = a, b, c


@kernel(forceinline=True)
def _cable_discrete(p, g0, g1, s, h, s_work, h_work):
    """The discrete gradient of `laws.gram.discrete_gradient` in (a, b, c): Δ:Δ of the Gram matrix is Δa² + 2 Δb² + Δc²."""
    for m in range(3):
        s[m] = 0.0
        for n in range(3):
            h[m, n] = 0.0
    for q in range(2):
        t = _GAUSS[q]
        cable_law(
            p, g0[0] + t * (g1[0] - g0[0]), g0[1] + t * (g1[1] - g0[1]), g0[2] + t * (g1[2] - g0[2]), s_work, h_work
        )
        for m in range(3):
            s[m] += 0.5 * s_work[m]
            for n in range(3):
                h[m, n] += 0.5 * t * h_work[m, n]
    d0, d1, d2 = g1[0] - g0[0], g1[1] - g0[1], g1[2] - g0[2]
    square = d0 * d0 + 2.0 * d1 * d1 + d2 * d2
    if square <= 4e-7 * (g1[0] * g1[0] + 2.0 * g1[1] * g1[1] + g1[2] * g1[2]):
        return
    before = cable_law(p, g0[0], g0[1], g0[2], s_work, h_work)
    after = cable_law(p, g1[0], g1[1], g1[2], s_work, h_work)
    defect = after - before - (s[0] * d0 + s[1] * d1 + s[2] * d2)
    e0, e1, e2 = d0 / square, 2.0 * d1 / square, d2 / square  # the direction of the correction
    for n in range(3):
        own = e0 if n == 0 else (e1 if n == 1 else e2)
        s_work[n] += -s[n] - (h[0, n] * d0 + h[1, n] * d1 + h[2, n] * d2) - 2.0 * defect * own
    for n in range(3):
        h[0, n] += e0 * s_work[n]
        h[1, n] += e1 * s_work[n]
        h[2, n] += e2 * s_work[n]
    h[0, 0] += defect / square
    h[1, 1] += 2.0 * defect / square
    h[2, 2] += defect / square
    s[0] += defect * e0
    s[1] += defect * e1
    s[2] += defect * e2


@kernel(forceinline=True)
def _axial_only(h):
    """Leave bending out of the moduli of `cable_moduli`: in the plane the curvature has a sign, and its rate is smooth."""
    stretch = h[0, 0]
    for m in range(3):
        for n in range(3):
            h[m, n] = 0.0
    h[0, 0] = stretch


@kernel(forceinline=True)
def plane_curvature_rate(y, m):
    """Derivatives of the signed curvature |r'|^−(m+1) (r'×r'') of the plane by r' and r'', as four numbers."""
    a = y[0, 0] * y[0, 0] + y[0, 1] * y[0, 1]
    b = y[0, 0] * y[1, 0] + y[0, 1] * y[1, 1]
    size = 1.0 / np.sqrt(a)
    scale = size if m == 1.0 else 1.0 / a
    n0, n1 = -y[0, 1] * size, y[0, 0] * size
    k = scale * size * (y[0, 0] * y[1, 1] - y[0, 1] * y[1, 0])
    turn, shrink = -b / a * scale, -m * k / a
    return turn * n0 + shrink * y[0, 0], turn * n1 + shrink * y[0, 1], scale * n0, scale * n1


@kernel(forceinline=True)
def _add_plane_bending(nr, d, modulus, m, weights, at, y, rate, kappa_dot, tangent, f, K):
    """The damping β EI κ̇ of the signed curvature in the plane, on rows; rate: of the gathered vectors."""
    first0, first1, second0, second1 = plane_curvature_rate(y, m)
    amount = modulus * (
        first0 * rate[0, 0] + first1 * rate[0, 1] + second0 * rate[1, 0] + second1 * rate[1, 1]
    )  # fmt: skip
    for r in range(nr):
        w0, w1 = weights[at + r], weights[at + nr + r]
        on_x, on_y = w0 * first0 + w1 * second0, w0 * first1 + w1 * second1
        f[0, r, 0] += amount * on_x
        f[0, r, 1] += amount * on_y
        f[1, r, 0] += abs(amount * on_x)
        f[1, r, 1] += abs(amount * on_y)
        if tangent:
            for q in range(nr):
                v0, v1 = weights[at + q], weights[at + nr + q]
                right_x = modulus * kappa_dot * (v0 * first0 + v1 * second0)
                right_y = modulus * kappa_dot * (v0 * first1 + v1 * second1)
                K[r * d, q] += on_x * right_x
                K[r * d, nr + q] += on_x * right_y
                K[r * d + 1, q] += on_y * right_x
                K[r * d + 1, nr + q] += on_y * right_y


@kernel(forceinline=True)
def _cable_force(nr, d, measure, weights, at, s, h, g, yt, reach, f):
    """Forces on the rows, their scale and their noise, as `energies._add_force` has them."""
    z0 = z1 = 0.0  # sizes of what r' and r'' are gathered from
    for r in range(nr):
        z0 += abs(weights[at + r]) * reach[r]
        z1 += abs(weights[at + nr + r]) * reach[r]
    l0, l1 = np.sqrt(g[0]), np.sqrt(g[2])
    q0, q1, q2 = z0 * l0, 0.5 * (z0 * l1 + z1 * l0), z1 * l1
    v0 = abs(h[0, 0]) * q0 + abs(h[0, 1]) * q1 + abs(h[0, 2]) * q2
    v1 = abs(h[1, 0]) * q0 + abs(h[1, 1]) * q1 + abs(h[1, 2]) * q2
    v2 = abs(h[2, 0]) * q0 + abs(h[2, 1]) * q1 + abs(h[2, 2]) * q2
    noise0 = 2.0 * measure * (2.0 * v0 * l0 + v1 * l1 + abs(s[0]) * z0 + 0.5 * abs(s[1]) * z1)
    noise1 = 2.0 * measure * (v1 * l0 + 2.0 * v2 * l1 + 0.5 * abs(s[1]) * z0 + abs(s[2]) * z1)
    for a in range(d):
        F0 = measure * (2.0 * s[0] * yt[0, a] + s[1] * yt[1, a])
        F1 = measure * (s[1] * yt[0, a] + 2.0 * s[2] * yt[1, a])
        for r in range(nr):
            w0, w1 = weights[at + r], weights[at + nr + r]
            f[0, r, a] += w0 * F0 + w1 * F1
            f[1, r, a] += abs(w0 * F0) + abs(w1 * F1)
            f[2, r, a] += abs(w0) * noise0 + abs(w1) * noise1


@kernel(forceinline=True)
def _cable_lines(nr, d, weights, at, y, h, B, more):
    """B_m = Σ_n h_mn ∂g_n/∂x at y, laid out by component, then by row; `more`: in addition to what is there."""
    for m in range(3):
        for b in range(d):
            on_first = 2.0 * h[m, 0] * y[0, b] + h[m, 1] * y[1, b]
            on_second = h[m, 1] * y[0, b] + 2.0 * h[m, 2] * y[1, b]
            for q in range(nr):
                value = on_first * weights[at + q] + on_second * weights[at + nr + q]
                if more:
                    B[m, b * nr + q] += value
                else:
                    B[m, b * nr + q] = value


@kernel(forceinline=True)
def _strain_element(table, i, nr, d, how, ends, y, f, K, reach, B, small):
    """Force f and stiffness K of an element with e_k = Σ coefficient y_i·y_j − e0_k, ψ = ½ e·C e (law `linear_strains`)."""
    where, kappa, kappa_dot, tangent = how
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    ny, n, terms = table.vectors[i], int(p[0]), int(p[1])
    C, rest, t = 2, 2 + n * n, 2 + n * n + n
    beta = table.damping[i]
    y0, y1, yt, yo, yd = y[0], y[1], y[2], y[3], y[4]
    e, s, mixed, square, spread = small[0], small[1], small[2], small[3], small[4]
    share = 1.0 if where == END else 0.5
    weights, size = table.weights, nr * d
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, ny, nr, d, ends[1], y1)
        gather_vectors(weights, at, ny, nr, d, ends[0], y0)
        for k in range(ny):
            for a in range(d):
                yt[k, a] = y1[k, a] if where == END else 0.5 * (y0[k, a] + y1[k, a])
        if tangent:
            gather_vectors(weights, at, ny, nr, d, ends[2], yo)
        if beta > 0.0:
            gather_vectors(weights, at, ny, nr, d, ends[3], yd)
        for k in range(n):
            e[k], square[k], spread[k] = -p[rest + k], 0.0, 0.0
        for q in range(terms):
            k, u, w, c = int(p[t + 4 * q]), int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2]), p[t + 4 * q + 3]
            now = before = change = rate = 0.0
            for a in range(d):
                now += y1[u, a] * y1[w, a]
                before += y0[u, a] * y0[w, a]
                change += (y1[u, a] - yo[u, a]) * (y1[w, a] - yo[w, a])
                rate += yd[u, a] * yt[w, a] + yt[u, a] * yd[w, a]
            e[k] += c * (now if where == END else 0.5 * (now + before))
            if tangent:
                square[k] += c * change
            if beta > 0.0:
                spread[k] += beta * c * rate
        for k in range(n):
            elastic = viscous = second = 0.0
            for m in range(n):
                elastic += p[C + k * n + m] * e[m]
                second += p[C + k * n + m] * square[m]
                viscous += p[C + k * n + m] * spread[m]
            s[k] = elastic + viscous
            mixed[k] = s[k] - share * second
        columns = table.gradients[i]
        if columns and turned_inside_out(columns, ny, d, y0, y1, 0.0):
            s[0] = np.nan
        _strain_lines(nr, d, n, terms, p[t:], weights, at, yt, B[0], True)
        _strain_force(nr, d, n, terms, p, share, measure, weights, at, s, ny, y1, reach, B[0], small, f)
        if tangent:
            _strain_lines(nr, d, n, terms, p[t:], weights, at, y1, B[1], False)
            if beta > 0.0:
                for k in range(ny):
                    for a in range(d):
                        y1[k, a] = kappa_dot * y1[k, a] + (yd[k, a] if where == END else 0.0)
                _strain_lines(nr, d, n, terms, p[t:], weights, at, y1, B[2], False)
            for k in range(n):
                line = B[3, k]
                for j in range(size):
                    line[j] = 0.0
                for m in range(n):
                    value = measure * p[C + k * n + m]
                    if value != 0.0:
                        right = B[1, m]
                        for j in range(size):
                            line[j] += share * value * right[j]
                        if beta > 0.0:
                            right = B[2, m]
                            for j in range(size):
                                line[j] += beta * value * right[j]
            for k in range(n):
                left, right = B[0, k], B[3, k]
                for r in range(size):
                    value = left[r]
                    if value != 0.0:
                        line = K[r]
                        for j in range(size):
                            line[j] += value * right[j]
            for q in range(terms):
                k, u, w = int(p[t + 4 * q]), int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2])
                value = kappa * measure * p[t + 4 * q + 3] * mixed[k]
                for r in range(nr):
                    wu, ww = value * weights[at + u * nr + r], value * weights[at + w * nr + r]
                    if wu != 0.0 or ww != 0.0:
                        for o in range(nr):
                            both = wu * weights[at + w * nr + o] + ww * weights[at + u * nr + o]
                            for a in range(d):
                                K[r * d + a, a * nr + o] += both


@kernel
def _strain_lines(nr, d, n, terms, t, weights, at, y, B, by_row):
    """B_k = ∂e_k/∂x = Σ coefficient (w_i y_j + w_j y_i), laid out row by row, or by component, then by row."""
    for k in range(n):
        for j in range(nr * d):
            B[k, j] = 0.0
    for q in range(terms):
        k, u, w, c = int(t[4 * q]), int(t[4 * q + 1]), int(t[4 * q + 2]), t[4 * q + 3]
        line = B[k]
        for r in range(nr):
            wu, ww = c * weights[at + u * nr + r], c * weights[at + w * nr + r]
            if wu != 0.0 or ww != 0.0:
                for a in range(d):
                    j = r * d + a if by_row else a * nr + r
                    line[j] += wu * y[w, a] + ww * y[u, a]


@kernel
def _strain_force(nr, d, n, terms, p, share, measure, weights, at, s, ny, y, reach, B, small, f):
    """Forces on the rows, their scale and their noise: that of the strains through C, and that of their gradients."""
    C, t = 2, 2 + n * n + n
    loose, long, noise = small[5], small[6], small[7]  # what y is gathered from, its length; noise of strains
    for k in range(ny):
        total = length = 0.0
        for r in range(nr):
            total += abs(weights[at + k * nr + r]) * reach[r]
        for a in range(d):
            length += y[k, a] * y[k, a]
        loose[k], long[k] = total, np.sqrt(length)
    for k in range(n):
        noise[k] = 0.0
    for q in range(terms):
        k, u, w, c = int(p[t + 4 * q]), int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2]), abs(p[t + 4 * q + 3])
        change = c * (loose[u] * long[w] + long[u] * loose[w])
        for m in range(n):
            noise[m] += share * abs(p[C + m * n + k]) * change
    for k in range(n):
        value = measure * s[k]
        for r in range(nr):
            for a in range(d):
                force = value * B[k, r * d + a]
                f[0, r, a] += force
                f[1, r, a] += abs(force)
    for q in range(terms):
        k, u, w, c = int(p[t + 4 * q]), int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2]), abs(p[t + 4 * q + 3])
        on_u = measure * c * (noise[k] * long[w] + abs(s[k]) * loose[w])
        on_w = measure * c * (noise[k] * long[u] + abs(s[k]) * loose[u])
        for r in range(nr):
            value = abs(weights[at + u * nr + r]) * on_u + abs(weights[at + w * nr + r]) * on_w
            for a in range(d):
                f[2, r, a] += value


@kernel
def add_slender_strains(table, rows, x, h, stiff, q, q_scale, A):
    """What `add_strains` adds for cables and for strains linear in G."""
    d = x.shape[1]
    most_y, most_r, most_s = slender_sizes(table)
    ends, y = np.zeros((4, most_r, d)), np.zeros((5, most_y, d))
    f, K = np.zeros((3, most_r, d)), np.zeros((most_r * d, most_r * d))
    B, reach = np.zeros((4, most_s, most_r * d)), np.zeros(most_r)
    small, square = np.zeros((8, max(most_s, most_y))), np.zeros((3, 3, 3))
    cable_work = cable_views(ends, y, B, small, square)
    # Without the part of the stress (κ = 0) the stiffness of linear strains is that of the strains.
    how = (END, 0.0, 1.0 / h, True)
    for i in range(table.law.size):
        if not is_slender(table.law[i]):
            continue
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        for r in range(nr):
            for a in range(d):
                value = x[table.rows[first + r], a]
                ends[0, r, a], ends[1, r, a], ends[2, r, a] = value, value, value
                f[0, r, a], f[1, r, a] = 0.0, 0.0
        for r in range(nr * d):
            for c in range(nr * d):
                K[r, c] = 0.0
        if table.law[i] == LINEAR_STRAINS:
            _strain_element(table, i, nr, d, how, ends, y, f, K, reach, B, small)
        elif nr == 4 and d == 2:
            _cable_strains(table, i, 4, 2, h, stiff, f, K, cable_work)
        elif nr == 4:
            _cable_strains(table, i, 4, 3, h, stiff, f, K, cable_work)
        else:
            _cable_strains(table, i, nr, d, h, stiff, f, K, cable_work)
        for r in range(nr):
            for a in range(d):
                q[table.rows[first + r], a] += f[0, r, a]
                q_scale[table.rows[first + r], a] += f[1, r, a]
        if stiff or table.damping[i] > 0.0:
            scatter_element(table, i, rows, x, x, K, A)


@kernel(forceinline=True)
def _cable_strains(table, i, nr, d, h, stiff, f, K, work):
    """Force f and stiffness Jᵀ C⁻¹ J of the strains of a cable, for the compliant step (`cable_strain_stiffness`).

    The curvature vector has one row in the plane: J_k = n·(…) with the unit normal n.
    """
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    beta = table.damping[i]
    _, nodes, _, _, _, y1, _, _, _ = work[0]
    _, g, s, _, _, _, _ = work[1]
    hess, _, _, B, B0, B1, B2 = work[2]
    weights, size = table.weights, nr * d
    m = p[1]
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, 2, nr, d, nodes, y1)
        _products(d, y1, y1, g)
        a, b = g[0], g[1]
        cable_law(p, a, b, g[2], s, hess)
        for c in range(d):
            F0 = measure * (2.0 * s[0] * y1[0, c] + s[1] * y1[1, c])
            F1 = measure * (s[1] * y1[0, c] + 2.0 * s[2] * y1[1, c])
            for r in range(nr):
                f[0, r, c] += weights[at + r] * F0 + weights[at + nr + r] * F1
                f[1, r, c] += abs(weights[at + r] * F0) + abs(weights[at + nr + r] * F1)
        if stiff:
            scale = 1.0 / np.sqrt(a) if m == 1.0 else 1.0 / a
            axial = 4.0 * axial_law(p, a)[3]
            for c in range(d):
                for r in range(nr):
                    B0[r * d + c] = weights[at + r] * y1[0, c]
            _add_square(nr, d, measure * axial, B0, K)
            rows = 1 if d == 2 else 3
            for q in range(rows):
                for c in range(d):
                    if d == 2:  # n = (−t_y, t_x)
                        normal = (-y1[0, 1] if c == 0 else y1[0, 0]) / np.sqrt(a)
                        k = scale * (y1[0, 0] * y1[1, 1] - y1[0, 1] * y1[1, 0]) / np.sqrt(a)
                    else:
                        normal = (1.0 if q == c else 0.0) - y1[0, q] * y1[0, c] / a
                        k = scale * (y1[1, q] - y1[0, q] * b / a)
                    on_first = -b / a * scale * normal - m * k * y1[0, c] / a
                    for r in range(nr):
                        B0[r * d + c] = weights[at + r] * on_first + weights[at + nr + r] * scale * normal
                _add_square(nr, d, measure * p[4], B0, K)
        if beta > 0.0:
            cable_moduli(p, beta / h, a, b, g[2], hess)
            if d == 2:
                _axial_only(hess)
                first0, first1, second0, second1 = plane_curvature_rate(y1, m)
                for r in range(nr):
                    B0[r * d] = weights[at + r] * first0 + weights[at + nr + r] * second0
                    B0[r * d + 1] = weights[at + r] * first1 + weights[at + nr + r] * second1
                _add_square(nr, d, measure * beta / h * p[4], B0, K)
            _cable_lines(nr, d, weights, at, y1, hess, B, False)
            for r in range(nr):
                w0, w1 = measure * weights[at + r], measure * weights[at + nr + r]
                for c in range(d):
                    c0, c1, c2 = 2.0 * w0 * y1[0, c], w0 * y1[1, c] + w1 * y1[0, c], 2.0 * w1 * y1[1, c]
                    row = r * d + c
                    for j in range(size):
                        K[row, j] += c0 * B0[j] + c1 * B1[j] + c2 * B2[j]


@kernel(forceinline=True)
def _add_square(nr, d, factor, B, K):
    """K += factor B Bᵀ of a vector by rows; K has its columns by component, then by row."""
    for j in range(nr * d):
        value = factor * B[j]
        for b in range(d):
            for q in range(nr):
                K[j, b * nr + q] += value * B[q * d + b]


# --- sums over a run ----------------------------------------------------------------------------------------------------


@kernel
def slender_energy(table, i, x, ends, y, small):
    """Stored energy [J] of a cable or of strains linear in G."""
    d = x.shape[1]
    first, ny = table.row_start[i], table.vectors[i]
    nr = table.row_start[i + 1] - first
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    for r in range(nr):
        for a in range(d):
            ends[0, r, a] = x[table.rows[first + r], a]
    total = 0.0
    for point in range(table.point_start[i], table.point_start[i + 1]):
        gather_vectors(table.weights, table.weight_start[point], ny, nr, d, ends[0], y[0])
        if table.law[i] == CABLE:
            _products(d, y[0], y[0], small[0])
            psi = cable_energy(p, small[0, 0], small[0, 1], small[0, 2])
        else:
            _strains_at(p, d, y[0], small[0])
            psi = 0.5 * _form(p, small[0])
        total += table.measure[point] * psi
    return total


@kernel
def slender_loss(table, i, x0, x1, ends, y, small, moduli):
    """Δg·V Δg summed over the points of a cable or of strains linear in G: over h, what viscosity takes out in a step [J]."""
    d = x0.shape[1]
    first, ny = table.row_start[i], table.vectors[i]
    nr = table.row_start[i + 1] - first
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    for r in range(nr):
        for a in range(d):
            ends[0, r, a] = x0[table.rows[first + r], a]
            ends[1, r, a] = x1[table.rows[first + r], a]
    total = 0.0
    for point in range(table.point_start[i], table.point_start[i + 1]):
        for k in range(2):
            gather_vectors(table.weights, table.weight_start[point], ny, nr, d, ends[k], y[k])
            if table.law[i] == CABLE:
                _products(d, y[k], y[k], small[k])
            else:
                _strains_at(p, d, y[k], small[k])
        g0, g1, change = small[0], small[1], small[2]
        if table.law[i] == CABLE:
            cable_moduli(
                p, table.damping[i], 0.5 * (g0[0] + g1[0]), 0.5 * (g0[1] + g1[1]), 0.5 * (g0[2] + g1[2]), moduli
            )
            value = 0.0
            if d == 2:
                _axial_only(moduli)
                for k in range(2):
                    for a in range(2):
                        y[2, k, a] = 0.5 * (y[0, k, a] + y[1, k, a])
                first0, first1, second0, second1 = plane_curvature_rate(y[2], p[1])
                bend = first0 * (y[1, 0, 0] - y[0, 0, 0]) + first1 * (y[1, 0, 1] - y[0, 0, 1])
                bend += second0 * (y[1, 1, 0] - y[0, 1, 0]) + second1 * (y[1, 1, 1] - y[0, 1, 1])
                value = table.damping[i] * p[4] * bend * bend
            for m in range(3):
                for n in range(3):
                    value += (g1[m] - g0[m]) * moduli[m, n] * (g1[n] - g0[n])
        else:
            for k in range(int(p[0])):
                change[k] = g1[k] - g0[k]
            value = table.damping[i] * _form(p, change)
        total += table.measure[point] * value
    return total


@kernel(forceinline=True)
def _strains_at(p, d, y, e):
    """e_k = Σ coefficient y_i·y_j − e0_k."""
    n, terms = int(p[0]), int(p[1])
    rest, t = 2 + n * n, 2 + n * n + n
    for k in range(n):
        e[k] = -p[rest + k]
    for q in range(terms):
        u, w = int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2])
        value = 0.0
        for a in range(d):
            value += y[u, a] * y[w, a]
        e[int(p[t + 4 * q])] += p[t + 4 * q + 3] * value


@kernel(forceinline=True)
def _form(p, e):
    """e·C e."""
    n = int(p[0])
    total = 0.0
    for k in range(n):
        for m in range(n):
            total += e[k] * p[2 + k * n + m] * e[m]
    return total


# --- collapsed and turned inside out ------------------------------------------------------------------------------------


@kernel
def line_collapsed(d, y0, y1, least):
    """Does |r'|², r' = y_0, fall to `least` on the straight way from the start of the step to its end?"""
    start = change = along = 0.0
    for a in range(d):
        delta = y1[0, a] - y0[0, a]
        start += y0[0, a] * y0[0, a]
        change += delta * delta
        along -= y0[0, a] * delta
    if along <= 0.0 or change == 0.0:
        return start <= least
    share = min(along / change, 1.0)
    return start - 2.0 * share * along + share * share * change <= least


@kernel
def turned_inside_out(columns, ny, d, y0, y1, reel):
    """Has a line or surface collapsed within the step, or is det F ≤ 0, F = [y_0 y_1 (y_2)], at its end?

    About an axis (ny = 4 in the plane) also where a radius is negative. A surface has turned over where its normals at
    the start and the end of the step point away from each other. reel > 0 [m]: the length of a reeled cable as drawn; y_2 is
    that at rest now.
    """
    if columns == 1:
        least = COLLAPSED
        if reel > 0.0:
            length = 0.0
            for a in range(d):
                length += y1[2, a] * y1[2, a]
            least *= length / (reel * reel)
        return line_collapsed(d, y0, y1, least)
    if d == 2:
        det = y1[0, 0] * y1[1, 1] - y1[0, 1] * y1[1, 0]
        return det <= 0.0 or (ny == 4 and y1[2, 0] * y1[3, 0] + y1[2, 1] * y1[3, 1] <= 0.0)
    along = det = 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        n1 = y1[0, b] * y1[1, c] - y1[0, c] * y1[1, b]
        if columns == 2:
            along += n1 * (y0[0, b] * y0[1, c] - y0[0, c] * y0[1, b])
        else:
            det += n1 * y1[2, a]
    return along <= 0.0 if columns == 2 else det <= 0.0


@kernel
def first_turned(table, x0, x1):
    """The first energy whose element has collapsed or is turned inside out at x1, coming from x0; −1 if none is."""
    d = x1.shape[1]
    y = np.zeros((2, 4, d))
    for i in range(table.law.size):
        columns = table.gradients[i]
        if columns == 0:
            continue
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        ny = table.vectors[i] if table.vectors[i] < 5 else 3
        reel = table.params[table.param_start[i]] if table.law[i] == REELED_CABLE else 0.0
        for point in range(table.point_start[i], table.point_start[i + 1]):
            at = table.weight_start[point]
            for k in range(ny):
                for a in range(d):
                    start = end = 0.0
                    for r in range(nr):
                        w = table.weights[at + k * nr + r]
                        start += w * x0[table.rows[first + r], a]
                        end += w * x1[table.rows[first + r], a]
                    y[0, k, a], y[1, k, a] = start, end
            if turned_inside_out(columns, ny, d, y[0], y[1], reel):
                return i
    return -1
