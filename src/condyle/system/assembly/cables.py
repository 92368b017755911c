"""Cables, written out in their strains: force and stiffness of an element, and what compliant steps take of them."""

import numpy as np

from condyle.laws.ancf import axial_law, cable_law, cable_moduli
from condyle.laws.kernel import kernel
from condyle.system.assembly.inverted import COLLAPSED, line_collapsed
from condyle.system.assembly.places import gather_vectors
from condyle.system.tables import END

_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])


@kernel(forceinline=True)
def cable_views(ends, y, B, small, square):
    """The parts of the work arrays by themselves: making them for every element takes longer than the element."""
    return (
        (ends[0], ends[1], ends[2], ends[3], y[0], y[1], y[2], y[3], y[4]),
        (small[0], small[1], small[2], small[3], small[4], small[5], small[6]),
        (square[0], square[1], square[2], B[0], B[0, 0], B[0, 1], B[0, 2]),
    )


@kernel(forceinline=True)
def cable_element(table, i, nr, d, how, f, K, reach, work):
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
        dot_products(d, y1, y1, g1)
        if where == END:
            cable_law(p, g1[0], g1[1], g1[2], s, h)
        else:
            dot_products(d, y0, y0, g0)
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
            dot_products(d, yo, yo, v)
            for m in range(3):
                mixed[m] -= h[m, 0] * v[0] + h[m, 1] * v[1] + h[m, 2] * v[2]
        if beta > 0.0:
            gather_vectors(weights, at, 2, nr, d, moving, yd)
            if where == END:
                cable_moduli(p, beta, g1[0], g1[1], g1[2], hv)
            else:
                cable_moduli(p, beta, 0.5 * (g0[0] + g1[0]), 0.5 * (g0[1] + g1[1]), 0.5 * (g0[2] + g1[2]), hv)
            if d == 2:
                axial_only(hv)
            dot_products(d, yd, yt, rate)
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
            for r in range(nr):
                w0, w1 = measure * weights[at + r], measure * weights[at + nr + r]
                _add_row(nr, d, r, w0, w1, yt, B0, B1, B2, K)
                u0 = kappa * (2.0 * mixed[0] * w0 + mixed[1] * w1)
                u1 = kappa * (mixed[1] * w0 + 2.0 * mixed[2] * w1)
                for q in range(nr):
                    value = u0 * weights[at + q] + u1 * weights[at + nr + q]
                    for a in range(d):
                        K[r * d + a, a * nr + q] += value


@kernel(forceinline=True)
def dot_products(d, y, z, g):
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
def axial_only(h):
    """Leave bending out of the moduli of `cable_moduli`: in the plane the curvature has a sign, and its rate is smooth."""
    axial = h[0, 0]
    for m in range(3):
        for n in range(3):
            h[m, n] = 0.0
    h[0, 0] = axial


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
def cable_strains(table, i, nr, d, h, stiff, f, K, work):
    """Force f and stiffness Jᵀ C⁻¹ J of the strains of a cable, for the compliant step (`cable_strain_stiffness`).

    The curvature vector has one row in the plane: J_k = n·(…) with the unit normal n.
    """
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    beta = table.damping[i]
    _, nodes, _, _, _, y1, _, _, _ = work[0]
    _, g, s, _, _, _, _ = work[1]
    hess, _, _, B, B0, B1, B2 = work[2]
    weights = table.weights
    m = p[1]
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, 2, nr, d, nodes, y1)
        dot_products(d, y1, y1, g)
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
                axial_only(hess)
                first0, first1, second0, second1 = plane_curvature_rate(y1, m)
                for r in range(nr):
                    B0[r * d] = weights[at + r] * first0 + weights[at + nr + r] * second0
                    B0[r * d + 1] = weights[at + r] * first1 + weights[at + nr + r] * second1
                _add_square(nr, d, measure * beta / h * p[4], B0, K)
            _cable_lines(nr, d, weights, at, y1, hess, B, False)
            for r in range(nr):
                w0, w1 = measure * weights[at + r], measure * weights[at + nr + r]
                _add_row(nr, d, r, w0, w1, y1, B0, B1, B2, K)


@kernel(forceinline=True)
def _add_row(nr, d, r, w0, w1, y, B0, B1, B2, K):
    """K_ra += Σ_m ∂g_m/∂x_ra B_m for g = (y_0·y_0, y_0·y_1, y_1·y_1), the row r having the weights w0 and w1."""
    for a in range(d):
        c0, c1, c2 = 2.0 * w0 * y[0, a], w0 * y[1, a] + w1 * y[0, a], 2.0 * w1 * y[1, a]
        line = K[r * d + a]
        for j in range(nr * d):
            line[j] += c0 * B0[j] + c1 * B1[j] + c2 * B2[j]


@kernel(forceinline=True)
def _add_square(nr, d, factor, B, K):
    """K += factor B Bᵀ of a vector by rows; K has its columns by component, then by row."""
    for j in range(nr * d):
        value = factor * B[j]
        for b in range(d):
            for q in range(nr):
                K[j, b * nr + q] += value * B[q * d + b]
