"""Cables, written out in their strains: force and stiffness of an element, and what compliant steps take of them.

A point is taken in its two vectors r' and r'' first: the force on them, and with the tangent a matrix of 2d × 2d. Their weights
come last, for all points of an element at once. An element of four rows in the plane has eight coordinates, which are
taken side by side (`laws/lanes.py`).
"""

import numpy as np

from condyle.laws.ancf import axial_law, axial_modulus, cable_energy, cable_law, cable_moduli
from condyle.laws.kernel import kernel
from condyle.laws.lanes import absolute, add_product, add_scaled, four_twice, lanes_at, no_lanes, put_lanes, two_by_four
from condyle.system.assembly.inverted import COLLAPSED, line_collapsed
from condyle.system.assembly.places import gather_vectors
from condyle.system.tables import END

_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])


@kernel(forceinline=True)
def cable_views(ends, y, lines, T, beside):
    """The parts of the work arrays by themselves: making them for every element takes longer than the element."""
    return ends[0], ends[1], ends[2], ends[3], y[0], y[1], y[2], y[3], y[4], lines, T, beside


@kernel(forceinline=True)
def cable_element(table, i, nr, d, how, f, K, reach, work):
    """Force f and stiffness K of a cable in g = (a, b, c), a = r'·r', b = r'·r'', c = r''·r''.

    The force on r' is 2 ψ_a r' + ψ_b r'', on r'' ψ_b r' + 2 ψ_c r''.
    """
    where, kappa, kappa_dot, tangent, _ = how
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    beta = table.damping[i]
    start, end, old, moving, y0, y1, yt, yo, yd, lines, T, beside = work
    weights = table.weights
    eight = nr == 4 and d == 2
    if eight:
        _put_beside(start, end, old, moving, beside)
    first, last = table.point_start[i], table.point_start[i + 1]
    for point in range(first, last):
        measure, at = table.measure[point], table.weight_start[point]
        w = weights[at : at + 2 * nr]
        if eight:
            _gather_beside(w, beside, y0, y1, yo, yd)
        else:
            gather_vectors(w, 0, 2, nr, d, end, y1)
            gather_vectors(w, 0, 2, nr, d, start, y0)
        g0, g1 = dot_products(d, y0, y0), dot_products(d, y1, y1)
        if where == END:
            s0, s1, s2, h = _at_end(p, g1)
        else:
            s0, s1, s2, h = _discrete(p, g0, g1)
        for k in range(2):
            for a in range(d):
                yt[k, a] = y1[k, a] if where == END else 0.5 * (y0[k, a] + y1[k, a])
        if line_collapsed(d, y0, y1, COLLAPSED):
            s0 = np.nan  # no force then, and the step is shortened
        m0, m1, m2 = s0, s1, s2
        if tangent:
            if not eight:
                gather_vectors(w, 0, 2, nr, d, old, yo)
            for k in range(2):
                for a in range(d):
                    yo[k, a] = y1[k, a] - yo[k, a]
            v0, v1, v2 = dot_products(d, yo, yo)
            m0 -= h[0] * v0 + h[1] * v1 + h[2] * v2
            m1 -= h[3] * v0 + h[4] * v1 + h[5] * v2
            m2 -= h[6] * v0 + h[7] * v1 + h[8] * v2
        axial = bend = u_a = u_b = u_c = modulus = amount = 0.0
        turn = (0.0, 0.0, 0.0, 0.0)
        if beta > 0.0:
            if not eight:
                gather_vectors(w, 0, 2, nr, d, moving, yd)
            share = 1.0 if where == END else 0.5
            a0 = share * g1[0] + (1.0 - share) * g0[0]
            r0, r1, r2 = dot_products(d, yd, yt)
            if d == 2:  # the curvature has a sign in the plane, and its rate is smooth
                axial = axial_modulus(p, beta, a0)
                turn, modulus = plane_curvature_rate(yt, p[1]), measure * beta * p[4]
                amount = turn[0] * yd[0, 0] + turn[1] * yd[0, 1] + turn[2] * yd[1, 0] + turn[3] * yd[1, 1]
                amount *= modulus
            else:
                b0, c0 = share * g1[1] + (1.0 - share) * g0[1], share * g1[2] + (1.0 - share) * g0[2]
                axial, bend, u_a, u_b, u_c = cable_moduli(p, beta, a0, b0, c0)
            along = 2.0 * bend * (u_a * r0 + u_b * r1 + u_c * r2)
            e0, e1, e2 = 2.0 * axial * r0 + along * u_a, along * u_b, along * u_c
            s0, s1, s2 = s0 + e0, s1 + e1, s2 + e2
            m0, m1, m2 = m0 + e0, m1 + e1, m2 + e2
        _cable_force(nr, d, measure, w, 0, (s0, s1, s2), h, g1, yt, (amount, turn), reach, beside, f)
        if tangent:
            _cable_lines(d, y1, h, lines)
            if beta > 0.0:  # δĠ = κ̇ (δy y1ᵀ + y1 δyᵀ), at the end of the step also δy ẏᵀ + ẏ δyᵀ
                for b in range(d):
                    z0, z1 = kappa_dot * y1[0, b], kappa_dot * y1[1, b]
                    if where == END:
                        z0, z1 = z0 + yd[0, b], z1 + yd[1, b]
                    lines[0, 0, b] += 2.0 * axial * z0
                    if d == 3:
                        one, two = bend * (2.0 * u_a * z0 + u_b * z1), bend * (u_b * z0 + 2.0 * u_c * z1)
                        lines[0, 0, b] += u_a * one
                        lines[0, 1, b] += u_a * two
                        lines[1, 0, b] += u_b * one
                        lines[1, 1, b] += u_b * two
                        lines[2, 0, b] += u_c * one
                        lines[2, 1, b] += u_c * two
            geometric = (2.0 * kappa * measure * m0, kappa * measure * m1, 2.0 * kappa * measure * m2)
            c, rates = 2 * (point - first), (modulus * kappa_dot, turn)
            _weigh_right(nr, d, measure, w, 0, yt, lines, geometric, rates, beside, T[c], T[c + 1])
    if eight:
        for r in range(4):
            for a in range(2):
                for j in range(3):
                    f[j, r, a] = beside[4 + j, 4 * a + r]
        if tangent:
            _weigh_left_8(2 * (last - first), weights, table.weight_start[first], T, K)
    elif tangent:
        _weigh_left(nr, d, 2 * (last - first), weights, table.weight_start[first], T, K)


@kernel(forceinline=True)
def _put_beside(start, end, old, moving, beside):
    """The nodes of a plane element side by side: (x0, x1, x_old, ẋ), two components each, node by node; no forces yet."""
    for r in range(4):
        for a in range(2):
            beside[r, a], beside[r, 2 + a] = start[r, a], end[r, a]
            beside[r, 4 + a], beside[r, 6 + a] = old[r, a], moving[r, a]
    for j in range(4, 7):
        put_lanes(beside, 8 * j, no_lanes())


@kernel(forceinline=True)
def _gather_beside(w, beside, y0, y1, yo, yd):
    """r' and r'' of a point at all four."""
    for k in range(2):
        y = add_scaled(no_lanes(), w[4 * k], lanes_at(beside, 0))
        y = add_scaled(y, w[4 * k + 1], lanes_at(beside, 8))
        y = add_scaled(y, w[4 * k + 2], lanes_at(beside, 16))
        put_lanes(beside, 56 + 8 * k, add_scaled(y, w[4 * k + 3], lanes_at(beside, 24)))
    for k in range(2):
        line = beside[7 + k]
        for a in range(2):
            y0[k, a], y1[k, a], yo[k, a], yd[k, a] = line[a], line[2 + a], line[4 + a], line[6 + a]


@kernel(forceinline=True)
def _weigh_left_8(vectors, weights, at, T, K):
    """`_weigh_left` of a plane element: four lines of eight at a time, whose sums stay in registers."""
    line, width = T.shape[2], K.shape[1]
    for a in range(2):
        k0 = k1 = k2 = k3 = no_lanes()
        place, o = a * line, at
        for _ in range(vectors):
            t = lanes_at(T, place)
            k0 = add_scaled(k0, weights[o], t)
            k1 = add_scaled(k1, weights[o + 1], t)
            k2 = add_scaled(k2, weights[o + 2], t)
            k3 = add_scaled(k3, weights[o + 3], t)
            place += 2 * line
            o += 4
        put_lanes(K, a * width, k0)
        put_lanes(K, (2 + a) * width, k1)
        put_lanes(K, (4 + a) * width, k2)
        put_lanes(K, (6 + a) * width, k3)


@kernel(forceinline=True)
def dot_products(d, y, z):
    """y_0·z_0, ½ (y_0·z_1 + y_1·z_0), y_1·z_1."""
    a = b = c = 0.0
    for i in range(d):
        a += y[0, i] * z[0, i]
        b += 0.5 * (y[0, i] * z[1, i] + y[1, i] * z[0, i])
        c += y[1, i] * z[1, i]
    return a, b, c


@kernel(forceinline=True)
def _at_end(p, g):
    """ψ_a, ψ_b, ψ_c and the nine second derivatives at g."""
    _, s, h = cable_law(p, g[0], g[1], g[2])
    return s[0], s[1], s[2], (h[0], h[1], h[2], h[1], h[3], h[4], h[2], h[4], h[5])


@kernel(forceinline=True)
def _discrete(p, g0, g1):
    """The discrete gradient of `laws.gram.discrete_gradient` in (a, b, c), and its nine derivatives by those of g1."""
    d0, d1, d2 = g1[0] - g0[0], g1[1] - g0[1], g1[2] - g0[2]
    t, u = _GAUSS[0], _GAUSS[1]
    _, s, k = cable_law(p, g0[0] + t * d0, g0[1] + t * d1, g0[2] + t * d2)
    _, q, m = cable_law(p, g0[0] + u * d0, g0[1] + u * d1, g0[2] + u * d2)
    s0, s1, s2 = 0.5 * (s[0] + q[0]), 0.5 * (s[1] + q[1]), 0.5 * (s[2] + q[2])
    t, u = 0.5 * t, 0.5 * u
    aa, ab, ac = t * k[0] + u * m[0], t * k[1] + u * m[1], t * k[2] + u * m[2]
    bb, bc, cc = t * k[3] + u * m[3], t * k[4] + u * m[4], t * k[5] + u * m[5]
    h = (aa, ab, ac, ab, bb, bc, ac, bc, cc)
    # Δ:Δ of the Gram matrix is Δa² + 2 Δb² + Δc²
    square = d0 * d0 + 2.0 * d1 * d1 + d2 * d2
    if square > 4e-7 * (g1[0] * g1[0] + 2.0 * g1[1] * g1[1] + g1[2] * g1[2]):
        after, q, _ = cable_law(p, g1[0], g1[1], g1[2])
        defect = after - cable_energy(p, g0[0], g0[1], g0[2]) - (s0 * d0 + s1 * d1 + s2 * d2)
        e0, e1, e2 = d0 / square, 2.0 * d1 / square, d2 / square  # the direction of the correction
        z0 = q[0] - s0 - (aa * d0 + ab * d1 + ac * d2) - 2.0 * defect * e0
        z1 = q[1] - s1 - (ab * d0 + bb * d1 + bc * d2) - 2.0 * defect * e1
        z2 = q[2] - s2 - (ac * d0 + bc * d1 + cc * d2) - 2.0 * defect * e2
        h = (
            aa + e0 * z0 + defect / square, ab + e0 * z1, ac + e0 * z2,
            ab + e1 * z0, bb + e1 * z1 + 2.0 * defect / square, bc + e1 * z2,
            ac + e2 * z0, bc + e2 * z1, cc + e2 * z2 + defect / square,
        )  # fmt: skip
        s0, s1, s2 = s0 + defect * e0, s1 + defect * e1, s2 + defect * e2
    return s0, s1, s2, h


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
def _cable_force(nr, d, measure, weights, at, s, h, g, yt, bending, reach, beside, f):
    """Forces on the rows, their scale and their noise, as `energies._add_force` has them.

    bending: β EI κ̇ of the signed curvature in the plane, and the derivatives of that by r' and r''. Those of a plane element
    of four rows are summed in `beside`.
    """
    z0 = z1 = 0.0  # sizes of what r' and r'' are gathered from
    for r in range(nr):
        z0 += abs(weights[at + r]) * reach[r]
        z1 += abs(weights[at + nr + r]) * reach[r]
    l0, l1 = np.sqrt(g[0]), np.sqrt(g[2])
    q0, q1, q2 = z0 * l0, 0.5 * (z0 * l1 + z1 * l0), z1 * l1
    v0 = abs(h[0]) * q0 + abs(h[1]) * q1 + abs(h[2]) * q2
    v1 = abs(h[3]) * q0 + abs(h[4]) * q1 + abs(h[5]) * q2
    v2 = abs(h[6]) * q0 + abs(h[7]) * q1 + abs(h[8]) * q2
    noise0 = 2.0 * measure * (2.0 * v0 * l0 + v1 * l1 + abs(s[0]) * z0 + 0.5 * abs(s[1]) * z1)
    noise1 = 2.0 * measure * (v1 * l0 + 2.0 * v2 * l1 + 0.5 * abs(s[1]) * z0 + abs(s[2]) * z1)
    amount, turn = bending
    if nr == 4 and d == 2:
        m0, m1, m2 = 2.0 * measure * s[0], measure * s[1], 2.0 * measure * s[2]
        w0, w1 = four_twice(weights, at), four_twice(weights, at + 4)
        a0, a1 = absolute(w0), absolute(w1)
        p0, p1 = m0 * yt[0, 0] + m1 * yt[1, 0], m0 * yt[0, 1] + m1 * yt[1, 1]
        q0, q1 = m1 * yt[0, 0] + m2 * yt[1, 0], m1 * yt[0, 1] + m2 * yt[1, 1]
        b0, b1, b2, b3 = amount * turn[0], amount * turn[1], amount * turn[2], amount * turn[3]
        force = add_product(lanes_at(beside, 32), two_by_four(p0 + b0, p1 + b1), w0)
        put_lanes(beside, 32, add_product(force, two_by_four(q0 + b2, q1 + b3), w1))
        size = add_product(lanes_at(beside, 40), two_by_four(abs(p0) + abs(b0), abs(p1) + abs(b1)), a0)
        put_lanes(beside, 40, add_product(size, two_by_four(abs(q0) + abs(b2), abs(q1) + abs(b3)), a1))
        put_lanes(beside, 48, add_scaled(add_scaled(lanes_at(beside, 48), noise0, a0), noise1, a1))
        return
    for a in range(d):
        F0 = measure * (2.0 * s[0] * yt[0, a] + s[1] * yt[1, a])
        F1 = measure * (s[1] * yt[0, a] + 2.0 * s[2] * yt[1, a])
        size0, size1 = abs(F0), abs(F1)
        if d == 2:
            b0, b1 = amount * (turn[0] if a == 0 else turn[1]), amount * (turn[2] if a == 0 else turn[3])
            F0, F1, size0, size1 = F0 + b0, F1 + b1, size0 + abs(b0), size1 + abs(b1)
        for r in range(nr):
            w0, w1 = weights[at + r], weights[at + nr + r]
            f[0, r, a] += w0 * F0 + w1 * F1
            f[1, r, a] += abs(w0) * size0 + abs(w1) * size1
            f[2, r, a] += abs(w0) * noise0 + abs(w1) * noise1


@kernel(forceinline=True)
def _cable_lines(d, y, h, lines):
    """Lines (3, 2, d): Σ_n h_mn ∂g_n/∂(r', r'') at y."""
    for m in range(3):
        for b in range(d):
            lines[m, 0, b] = 2.0 * h[3 * m] * y[0, b] + h[3 * m + 1] * y[1, b]
            lines[m, 1, b] = h[3 * m + 1] * y[0, b] + 2.0 * h[3 * m + 2] * y[1, b]


@kernel(forceinline=True)
def _weigh_right(nr, d, measure, weights, at, y, lines, geometric, bending, beside, on_first, on_second):
    """The matrix of a point, Σ_m ∂g_m/∂(r', r'') at y times line m and a part of the stress, with the weights of its columns.

    on_first, on_second (d, d nr): its rows of r' and r''. Damped bending in the plane adds modulus × turn turnᵀ.
    """
    modulus, turn = bending
    for a in range(d):
        c00, c01 = 2.0 * measure * y[0, a], measure * y[1, a]
        c10, c11 = measure * y[0, a], 2.0 * measure * y[1, a]
        for b in range(d):
            k00, k01 = c00 * lines[0, 0, b] + c01 * lines[1, 0, b], c00 * lines[0, 1, b] + c01 * lines[1, 1, b]
            k10, k11 = c10 * lines[1, 0, b] + c11 * lines[2, 0, b], c10 * lines[1, 1, b] + c11 * lines[2, 1, b]
            if a == b:
                k00, k01, k10, k11 = k00 + geometric[0], k01 + geometric[1], k10 + geometric[1], k11 + geometric[2]
            if d == 2:
                t0, t1 = modulus * (turn[0] if a == 0 else turn[1]), modulus * (turn[2] if a == 0 else turn[3])
                v0, v1 = (turn[0] if b == 0 else turn[1]), (turn[2] if b == 0 else turn[3])
                k00, k01, k10, k11 = k00 + t0 * v0, k01 + t0 * v1, k10 + t1 * v0, k11 + t1 * v1
            if nr == 4 and d == 2:
                line = beside[9]
                line[b], line[2 + b], line[4 + b], line[6 + b] = k00, k01, k10, k11
                continue
            for q in range(nr):
                w0, w1 = weights[at + q], weights[at + nr + q]
                on_first[a, b * nr + q] = k00 * w0 + k01 * w1
                on_second[a, b * nr + q] = k10 * w0 + k11 * w1
        if nr == 4 and d == 2:
            line, place = beside[9], a * on_first.shape[1]
            w0, w1 = four_twice(weights, at), four_twice(weights, at + 4)
            first = add_product(no_lanes(), two_by_four(line[0], line[1]), w0)
            put_lanes(on_first, place, add_product(first, two_by_four(line[2], line[3]), w1))
            second = add_product(no_lanes(), two_by_four(line[4], line[5]), w0)
            put_lanes(on_second, place, add_product(second, two_by_four(line[6], line[7]), w1))


@kernel(forceinline=True)
def _weigh_left(nr, d, vectors, weights, at, T, K):
    """K_ra = Σ_c w_cr T[c]_a over the vectors of all points, two at a time."""
    for a in range(d):
        for r in range(nr):
            line, o = K[r * d + a], at + r
            w0, w1, t0, t1 = weights[o], weights[o + nr], T[0, a], T[1, a]
            for j in range(nr * d):
                line[j] = w0 * t0[j] + w1 * t1[j]
            for c in range(2, vectors, 2):
                o += 2 * nr
                w0, w1, t0, t1 = weights[o], weights[o + nr], T[c, a], T[c + 1, a]
                for j in range(nr * d):
                    line[j] += w0 * t0[j] + w1 * t1[j]


# --- what compliant steps take --------------------------------------------------------------------------------------------


@kernel(forceinline=True)
def cable_strains(table, i, nr, d, h, stiff, f, K, B, work):
    """Force f and stiffness Jᵀ C⁻¹ J of the strains of a cable, for the compliant step (`cable_strain_stiffness`).

    What is not `stiff` has the viscous part alone: 1/h times ∂f/∂ẋ. The curvature vector has one row in the plane:
    J_k = n·(…) with the unit normal n. B: room for a line.
    """
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    beta = table.damping[i]
    nodes, y1 = work[1], work[5]
    weights = table.weights
    m = p[1]
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, 2, nr, d, nodes, y1)
        a, b, c = dot_products(d, y1, y1)
        _, s, _ = cable_law(p, a, b, c)
        for k in range(d):
            F0 = measure * (2.0 * s[0] * y1[0, k] + s[1] * y1[1, k])
            F1 = measure * (s[1] * y1[0, k] + 2.0 * s[2] * y1[1, k])
            for r in range(nr):
                f[0, r, k] += weights[at + r] * F0 + weights[at + nr + r] * F1
                f[1, r, k] += abs(weights[at + r] * F0) + abs(weights[at + nr + r] * F1)
        axial = 4.0 * axial_law(p, a)[3] if stiff else 0.0
        if stiff:
            scale = 1.0 / np.sqrt(a) if m == 1.0 else 1.0 / a
            for q in range(1 if d == 2 else 3):
                for k in range(d):
                    if d == 2:  # n = (−t_y, t_x)
                        normal = (-y1[0, 1] if k == 0 else y1[0, 0]) / np.sqrt(a)
                        bent = scale * (y1[0, 0] * y1[1, 1] - y1[0, 1] * y1[1, 0]) / np.sqrt(a)
                    else:
                        normal = (1.0 if q == k else 0.0) - y1[0, q] * y1[0, k] / a
                        bent = scale * (y1[1, q] - y1[0, q] * b / a)
                    _line_of(
                        nr, d, k, weights, at, -b / a * scale * normal - m * bent * y1[0, k] / a, scale * normal, B
                    )
                _add_square(nr, d, measure * p[4], B, K)
        if beta > 0.0:
            viscous, bend, u_a, u_b, u_c = cable_moduli(p, beta / h, a, b, c)
            axial += 4.0 * viscous
            if d == 2:
                bend = beta / h * p[4]
                turn = plane_curvature_rate(y1, m)
                for k in range(2):
                    _line_of(nr, d, k, weights, at, turn[0] if k == 0 else turn[1], turn[2] if k == 0 else turn[3], B)
            else:
                for k in range(d):
                    first, second = 2.0 * u_a * y1[0, k] + u_b * y1[1, k], u_b * y1[0, k] + 2.0 * u_c * y1[1, k]
                    _line_of(nr, d, k, weights, at, first, second, B)
            _add_square(nr, d, measure * bend, B, K)
        for k in range(d):
            _line_of(nr, d, k, weights, at, y1[0, k], 0.0, B)
        _add_square(nr, d, measure * axial, B, K)


@kernel(forceinline=True)
def _line_of(nr, d, k, weights, at, on_first, on_second, B):
    """Component k of a line on rows, B_rk = w_0r on_first + w_1r on_second."""
    for r in range(nr):
        B[r * d + k] = weights[at + r] * on_first + weights[at + nr + r] * on_second


@kernel(forceinline=True)
def _add_square(nr, d, factor, B, K):
    """K += factor B Bᵀ of a vector by rows; K has its columns by component, then by row."""
    for j in range(nr * d):
        value = factor * B[j]
        for b in range(d):
            for q in range(nr):
                K[j, b * nr + q] += value * B[q * d + b]


# --- sums over a run ----------------------------------------------------------------------------------------------------


@kernel(forceinline=True)
def cable_stored(table, i, nr, d, nodes, y):
    """Stored energy [J] of a cable."""
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    total = 0.0
    for point in range(table.point_start[i], table.point_start[i + 1]):
        at = table.weight_start[point]
        gather_vectors(table.weights[at : at + 2 * nr], 0, 2, nr, d, nodes, y)
        a, b, c = dot_products(d, y, y)
        total += table.measure[point] * cable_energy(p, a, b, c)
    return total


@kernel(forceinline=True)
def cable_loss(table, i, nr, d, ends, y):
    """Δg·V Δg summed over the points of a cable: over h, what viscosity takes out in a step [J]."""
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    weights, beta = table.weights, table.damping[i]
    start, end, y0, y1, middle = ends[0], ends[1], y[0], y[1], y[2]
    total = 0.0
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        w = weights[at : at + 2 * nr]
        gather_vectors(w, 0, 2, nr, d, start, y0)
        gather_vectors(w, 0, 2, nr, d, end, y1)
        g0, g1 = dot_products(d, y0, y0), dot_products(d, y1, y1)
        a = 0.5 * (g0[0] + g1[0])
        if d == 2:
            axial, bend = axial_modulus(p, beta, a), beta * p[4]
            for k in range(2):
                for c in range(2):
                    middle[k, c] = 0.5 * (y0[k, c] + y1[k, c])
            turn = plane_curvature_rate(middle, p[1])
            bent = turn[0] * (y1[0, 0] - y0[0, 0]) + turn[1] * (y1[0, 1] - y0[0, 1])
            bent += turn[2] * (y1[1, 0] - y0[1, 0]) + turn[3] * (y1[1, 1] - y0[1, 1])
        else:
            axial, bend, u_a, u_b, u_c = cable_moduli(p, beta, a, 0.5 * (g0[1] + g1[1]), 0.5 * (g0[2] + g1[2]))
            bent = u_a * (g1[0] - g0[0]) + u_b * (g1[1] - g0[1]) + u_c * (g1[2] - g0[2])
        total += measure * (axial * (g1[0] - g0[0]) ** 2 + bend * bent * bent)
    return total
