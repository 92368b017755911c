"""Scalar constraints c(G) = 0, held by multipliers or penalties."""

import numpy as np

from condyle.laws.codes import DOT_PRODUCT
from condyle.laws.gram import discrete_gradient, gram_law
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.links import body_arm
from condyle.system.assembly.maps import (
    mean_row_of,
    row_of,
    scatter,
    scatter_scalar,
    scatter_vector,
    share_of_row,
)
from condyle.system.assembly.places import blend, clear, gather, gram, mean_row, most_vectors
from condyle.system.assembly.weighing import law_stiffness, weigh
from condyle.system.signatures import LAWS, ROWS, count, f1, f2, flag
from condyle.system.tables import AUGMENTED, CONSERVING, DIRECTOR, END, FIXED, FREE, MIDPOINT, MULTIPLIER, PENALTY


@kernel
def add_constraints(
    table, rows, x0, x1, targets, multipliers, stiffness, where, tangent, q, q_scale, q_noise, c, c_scale, A
):
    """Scalar constraints c(G) = 0 with one multiplier each.

    A driven constraint c(G) = f(t) takes f from `targets` (values of all functions at both ends of the step, (2, nf)).
    Force on y_k: μ 2 Σ S_kj yt_j with μ = λ, λ + η c1 (augmented) or the penalty force; the multiplier's line of the
    matrix is the gradient of what is held: c at n+1, or c at mid-step for MIDPOINT.
    """
    d = x1.shape[1]
    share = 1.0 if where == END else 0.5
    left_over = False
    for i in range(table.law.size):
        if _turns(table, i, rows, where, d):
            mu = multipliers[table.channel[i]]
            _add_turning(table, i, rows, x0, x1, mu, share, tangent, q, q_scale, c, c_scale, A)
        else:
            left_over = True
    if left_over:
        _add_others(
            table, rows, x0, x1, targets, multipliers, stiffness, where, tangent, q, q_scale, q_noise, c, c_scale, A
        )


@separate(count(LAWS, ROWS, f2, f2, f2, f1, f1, count, flag, f2, f2, f2, f1, f1, f1))
def _add_others(
    table, rows, x0, x1, targets, multipliers, stiffness, where, tangent, q, q_scale, q_noise, c, c_scale, A
):
    """Add all constraints but the dot products of directors of two bodies, which `_add_turning` adds."""
    d = x1.shape[1]
    share = 1.0 if where == END else 0.5
    most_y, most_r = 1, 1
    for i in range(table.law.size):
        most_y = max(most_y, table.vectors[i])
        most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
    y0, y1, yt, yc = np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d))
    G0, G1 = np.zeros((most_y, most_y)), np.zeros((most_y, most_y))
    S, Sc, Gw = np.zeros((most_y, most_y)), np.zeros((most_y, most_y)), np.zeros((most_y, most_y))
    S2 = np.zeros((most_y, most_y))
    H, H2 = np.zeros((most_y, most_y, most_y, most_y)), np.zeros((most_y, most_y, most_y, most_y))
    Ky = np.zeros((most_y, d, most_y, d))
    Kyr = np.zeros((most_y, d, most_r, d))
    K = np.zeros((most_r, most_r, d, d))
    g, gc = np.zeros((most_r, d)), np.zeros((most_r, d))
    test = np.zeros(d)
    for i in range(table.law.size):
        if _turns(table, i, rows, where, d):
            continue
        ny = table.vectors[i]
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        point = table.point_start[i]
        at = table.weight_start[point]
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        hold, eta, index = table.hold[i], stiffness[i], table.channel[i]
        at_end = table.at_end[i]
        held_at = END if at_end else where
        simple = hold == MULTIPLIER and where != MIDPOINT and table.drive[i] < 0 and not at_end
        if simple and table.law[i] == DOT_PRODUCT:
            _add_orthogonality(
                table, i, rows, x0, x1, multipliers[index], share, tangent, y0, y1, yt, yc, g, gc, q, q_scale, c,
                c_scale, A,
            )  # fmt: skip
            continue
        gather(table, i, point, x0, y0)
        gather(table, i, point, x1, y1)
        gram(ny, d, y0, G0)
        gram(ny, d, y1, G1)
        # yt, S: the force; yc, Sc: the gradient of what is held; κ = ∂yt/∂y1, gain = ∂yc/∂y1.
        c0 = 0.0
        if hold == PENALTY and held_at == CONSERVING:
            c0 = gram_law(table.law[i], ny, G0, p, Sc, H)
            if table.drive[i] >= 0:
                c0 -= targets[0, table.drive[i]]
        kappa, gain = 0.5, 0.5
        if held_at != MIDPOINT:
            kappa, gain = 1.0 if at_end else share, 1.0
        c1 = _law_in_step(table.law[i], ny, d, held_at, kappa, p, (y0, y1, yt, yc), (G0, G1, Gw), (S, Sc, S2), (H, H2))
        if table.drive[i] >= 0:
            aim = targets[1, table.drive[i]]
            c1 -= 0.5 * (aim + targets[0, table.drive[i]]) if held_at == MIDPOINT else aim
        mu = multipliers[index]
        slope = eta  # ∂μ/∂c1
        if hold == PENALTY:
            slope = 0.5 * eta if held_at == CONSERVING else eta
            mu = slope * (c0 + c1)
        elif hold == MULTIPLIER:
            slope = 0.0
        else:
            mu += eta * c1
        c[index] = c1
        _weigh_gradients(table, at, ny, nr, d, S, yt, Sc, yc, gain, g, gc)
        size = 0.0
        for r in range(nr):
            row = table.rows[first + r]
            part = share_of_row(rows, row, at_end, share)
            for a in range(d):
                q[row, a] += part * mu * g[r, a]
                q_scale[row, a] += abs(part * mu * g[r, a])
                size += abs(gc[r, a]) * max(abs(x1[row, a]), rows.size[row])
        c_scale[index] = size
        if slope != 0.0:
            for r in range(nr):
                for a in range(d):
                    q_noise[table.rows[first + r], a] += abs(slope * g[r, a]) * size
        if not tangent:
            continue
        clear(K, nr, d)
        law_stiffness(ny, d, mu, kappa, S, H, yt, y1, Ky)
        weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
        if slope != 0.0:
            for r in range(nr):
                for s in range(nr):
                    for a in range(d):
                        for b in range(d):
                            K[r, s, a, b] += slope * g[r, a] * gc[s, b]
        _scatter_constraint(table, i, rows, x0, x1, share, at_end, g, gc, K, test, A)
    return 0


@kernel(forceinline=True)
def _law_in_step(law, ny, d, held_at, kappa, p, y, G, S, H):
    """Value of a constraint; its gradients S at yt and Sc at yc and their derivative H, by where it is held in the step."""
    y0, y1, yt, yc = y
    G0, G1, Gw = G
    S1, Sc, S2 = S
    H1, H2 = H
    if held_at == MIDPOINT:
        blend(ny, d, y0, y1, 0.5, yt)
        gram(ny, d, yt, Gw)
        value = gram_law(law, ny, Gw, p, S1, H1)
        for k in range(ny):
            for m in range(ny):
                Sc[k, m] = S1[k, m]
                for j in range(ny):
                    for e in range(ny):
                        H1[k, m, j, e] *= 0.5
        blend(ny, d, yt, yt, 1.0, yc)
        blend(ny, d, yt, yt, 1.0, y1)
        return value
    value = gram_law(law, ny, G1, p, Sc, H1)
    blend(ny, d, y1, y1, 1.0, yc)
    blend(ny, d, y0, y1, kappa, yt)
    if held_at == END:
        for k in range(ny):
            for m in range(ny):
                S1[k, m] = Sc[k, m]
    else:
        discrete_gradient(law, ny, G0, G1, p, S1, H1, Gw, S2, H2)
    return value


@kernel(forceinline=True)
def _weigh_gradients(table, at, ny, nr, d, S, yt, Sc, yc, gain, g, gc):
    """Gradients by the rows: g of the force, from S at yt, and gc of what is held, from Sc at yc."""
    for r in range(nr):
        for a in range(d):
            g[r, a] = 0.0
            gc[r, a] = 0.0
            for k in range(ny):
                w = table.weights[at + k * nr + r]
                if w != 0.0:
                    for j in range(ny):
                        g[r, a] += 2.0 * w * S[k, j] * yt[j, a]
                        gc[r, a] += 2.0 * gain * w * Sc[k, j] * yc[j, a]


@kernel(forceinline=True)
def _scatter_constraint(table, i, rows, x0, x1, share, at_end, g, gc, K, test, A):
    """Add the stiffness K of a constraint to the matrix, and its gradients if it is held by a multiplier."""
    d = x1.shape[1]
    first = table.row_start[i]
    nr = table.row_start[i + 1] - first
    for r in range(nr):
        row = table.rows[first + r]
        if rows.kind[row] == FIXED:
            continue
        mean_row(x0, x1, row, share, test)
        part = share_of_row(rows, row, at_end, share)
        for a in range(d):
            g[r, a] *= part
            for s in range(nr):
                for b in range(d):
                    K[r, s, a, b] *= part
        for s in range(nr):
            slot = table.slots[table.slot_start[i] + r * nr + s]
            if slot >= 0:
                other = table.rows[first + s]
                scatter(A, slot, rows.stride[row], rows.kind[row], rows.kind[other], test, x1[other], K[r, s], d)
        if table.hold[i] in (MULTIPLIER, AUGMENTED):
            scatter_vector(A, table.column[first + r], rows.stride[row], rows.kind[row], test, g[r], d)
            scatter_vector(A, table.line[first + r], 1, rows.kind[row], x1[row], gc[r], d)


@kernel
def _add_orthogonality(table, i, rows, x0, x1, mu, share, tangent, y0, y1, yt, left, g, gc, q, q_scale, c, c_scale, A):
    """c = y_0·y_1 − p held by a multiplier: the most frequent scalar constraint, without the Gram matrix of the others."""
    d = x1.shape[1]
    first = table.row_start[i]
    nr = table.row_start[i + 1] - first
    at = table.weight_start[table.point_start[i]]
    index = table.channel[i]
    gather(table, i, table.point_start[i], x1, y1)
    gather(table, i, table.point_start[i], x0, y0)
    value = -table.params[table.param_start[i]]
    for a in range(d):
        value += y1[0, a] * y1[1, a]
        yt[0, a] = (1.0 - share) * y0[0, a] + share * y1[0, a]
        yt[1, a] = (1.0 - share) * y0[1, a] + share * y1[1, a]
    c[index] = value
    size = 0.0
    for r in range(nr):
        row = table.rows[first + r]
        w0, w1 = table.weights[at + r], table.weights[at + nr + r]
        for a in range(d):
            force = mu * (w0 * yt[1, a] + w1 * yt[0, a])
            q[row, a] += force
            q_scale[row, a] += abs(force)
            size += abs(w0 * y1[1, a] + w1 * y1[0, a]) * max(abs(x1[row, a]), rows.size[row])
    c_scale[index] = size
    if tangent:
        _move_orthogonality(table, i, rows, x0, x1, share, mu, yt, y1, left, g, gc, A)


@kernel(forceinline=True)
def _turns(table, i, rows, where, d):
    """Is it y_0·y_1 between directions of two rigid bodies in space, held by a multiplier?"""
    if d != 3 or table.law[i] != DOT_PRODUCT or table.hold[i] != MULTIPLIER or where == MIDPOINT or table.drive[i] >= 0:
        return False
    first, last = table.row_start[i], table.row_start[i + 1]
    bodies, unknown = 1, rows.unknown[table.rows[first]]
    for r in range(first, last):
        row = table.rows[r]
        if rows.kind[row] == FREE:
            return False
        bodies += rows.unknown[row] != unknown
        unknown = rows.unknown[row]
    return bodies <= 2


@kernel(forceinline=True)
def _add_turning(table, i, rows, x0, x1, mu, share, tangent, q, q_scale, c, c_scale, A):
    """y_0·y_1 between directions of two rigid bodies in space: all in numbers, body by body.

    With the parts u, v of y_0, y_1 on a body: the column is u_t × v̄_t + v_t × ū_t (bars: the whole vectors), the line the same
    at x1; between two bodies it is ½ μ [(u_t·v) 1 − v u_tᵀ + (v_t·u) 1 − u v_tᵀ], ½ the share of x1 in the test.
    """
    first = table.row_start[i]
    nr = table.row_start[i + 1] - first
    at = table.weight_start[table.point_start[i]]
    index = table.channel[i]
    # Of each body: y_0, y_1 at the test configuration (u, v) and at x1 (e, f).
    u, e, second = body_arm(table.rows, rows.unknown, table.weights, first, at, 0, nr, x0, x1, share)
    v, f, _ = body_arm(table.rows, rows.unknown, table.weights, first, at + nr, 0, nr, x0, x1, share)
    u2, e2, _ = body_arm(table.rows, rows.unknown, table.weights, first, at, second, nr, x0, x1, share)
    v2, f2, _ = body_arm(table.rows, rows.unknown, table.weights, first, at + nr, second, nr, x0, x1, share)
    yt, zt, y, z = _sum(u, u2), _sum(v, v2), _sum(e, e2), _sum(f, f2)
    c[index] = y[0] * z[0] + y[1] * z[1] + y[2] * z[2] - table.params[table.param_start[i]]
    size = 0.0
    for r in range(nr):
        row, w0, w1 = table.rows[first + r], table.weights[at + r], table.weights[at + nr + r]
        if w0 == 0.0 and w1 == 0.0:
            continue
        k0, k1 = mu * w0, mu * w1
        f0, f1, f3 = k0 * zt[0] + k1 * yt[0], k0 * zt[1] + k1 * yt[1], k0 * zt[2] + k1 * yt[2]
        q[row, 0] += f0
        q[row, 1] += f1
        q[row, 2] += f3
        q_scale[row, 0] += abs(f0)
        q_scale[row, 1] += abs(f1)
        q_scale[row, 2] += abs(f3)
        least = rows.size[row]
        size += abs(w0 * z[0] + w1 * y[0]) * max(abs(x1[row, 0]), least)
        size += abs(w0 * z[1] + w1 * y[1]) * max(abs(x1[row, 1]), least)
        size += abs(w0 * z[2] + w1 * y[2]) * max(abs(x1[row, 2]), least)
    c_scale[index] = size
    if not tangent:
        return
    slots, k = table.slot_start[i], share * mu
    one = rows.kind[table.rows[first]] != FIXED
    two = second < nr and rows.kind[table.rows[first + second]] != FIXED
    if one:
        stride = rows.stride[table.rows[first]]
        _add_moments(A, table.column[first], stride, u, zt, v, yt)
        _add_moments(A, table.line[first], 1, e, z, f, y)
        _couple_turns(A, table.slots[slots], stride, k, u, f, v, e)
    if two:
        stride = rows.stride[table.rows[first + second]]
        _add_moments(A, table.column[first + second], stride, u2, zt, v2, yt)
        _add_moments(A, table.line[first + second], 1, e2, z, f2, y)
        _couple_turns(A, table.slots[slots + second * nr + second], stride, k, u2, f2, v2, e2)
    if one and two:
        _couple_turns(A, table.slots[slots + second], rows.stride[table.rows[first]], k, u, f2, v, e2)
        _couple_turns(A, table.slots[slots + second * nr], rows.stride[table.rows[first + second]], k, u2, f, v2, e)


@kernel(forceinline=True)
def _sum(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(forceinline=True)
def _add_moments(A, at, step, u, z, v, y):
    """A column (step: its stride) or line (1) of u × z + v × y."""
    A[at] += u[1] * z[2] - u[2] * z[1] + v[1] * y[2] - v[2] * y[1]
    A[at + step] += u[2] * z[0] - u[0] * z[2] + v[2] * y[0] - v[0] * y[2]
    A[at + 2 * step] += u[0] * z[1] - u[1] * z[0] + v[0] * y[1] - v[1] * y[0]


@kernel(forceinline=True)
def _couple_turns(A, slot, stride, k, u, f, v, e):
    """A += k [(u·f) 1 − f uᵀ + (v·e) 1 − e vᵀ], where the matrix has room for it."""
    if slot >= 0:
        if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0:
            scatter_scalar(A, slot, stride, DIRECTOR, DIRECTOR, u, f, k, 3)
        if e[0] != 0.0 or e[1] != 0.0 or e[2] != 0.0:
            scatter_scalar(A, slot, stride, DIRECTOR, DIRECTOR, v, e, k, 3)


@kernel
def _move_orthogonality(table, i, rows, x0, x1, share, mu, yt, y1, left, g, gc, A):
    """The tangent of y_0·y_1 in general, row by row."""
    d = x1.shape[1]
    first = table.row_start[i]
    nr = table.row_start[i + 1] - first
    at = table.weight_start[table.point_start[i]]
    for r in range(nr):
        row = table.rows[first + r]
        if rows.kind[row] == FIXED:
            continue
        w0, w1 = table.weights[at + r], table.weights[at + nr + r]
        for a in range(d):
            g[r, a] = w0 * yt[1, a] + w1 * yt[0, a]
            gc[r, a] = w0 * y1[1, a] + w1 * y1[0, a]
        mean_row(x0, x1, row, share, left[0])
        test = mean_row_of(x0, x1, row, share)
        for s in range(nr):
            slot = table.slots[table.slot_start[i] + r * nr + s]
            k = w0 * table.weights[at + nr + s] + w1 * table.weights[at + s]
            if slot >= 0 and k != 0.0:
                other = table.rows[first + s]
                k *= share * mu
                scatter_scalar(
                    A, slot, rows.stride[row], rows.kind[row], rows.kind[other], test, row_of(x1, other), k, d
                )
        scatter_vector(A, table.column[first + r], rows.stride[row], rows.kind[row], left[0], g[r], d)
        scatter_vector(A, table.line[first + r], 1, rows.kind[row], x1[row], gc[r], d)


@kernel
def constraint_values(links, constraints, x, targets, c):
    """All constraint values c at x, in the order of the multipliers; targets: values of all functions of time."""
    _constraint_values(links, constraints, x, targets, c)


@separate(count(LAWS, LAWS, f2, f1, f1))
def _constraint_values(links, constraints, x, targets, c):
    d = x.shape[1]
    most = most_vectors(constraints)
    y, G = np.zeros((most, d)), np.zeros((most, most))
    S, H = np.zeros((most, most)), np.zeros((most, most, most, most))
    for i in range(links.law.size):
        first, at = links.row_start[i], links.weight_start[links.point_start[i]]
        y0 = y1 = y2 = 0.0
        for r in range(links.row_start[i + 1] - first):
            w = links.weights[at + r]
            e0, e1, e2 = row_of(x, links.rows[first + r])
            y0 += w * e0
            y1 += w * e1
            y2 += w * e2
        index, offset = links.channel[i], links.param_start[i]
        c[index] = y0 - links.params[offset]
        c[index + 1] = y1 - links.params[offset + 1]
        if d == 3:
            c[index + 2] = y2 - links.params[offset + 2]
    for i in range(constraints.law.size):
        ny = constraints.vectors[i]
        gather(constraints, i, constraints.point_start[i], x, y)
        if constraints.law[i] == DOT_PRODUCT:
            value = -constraints.params[constraints.param_start[i]]
            for a in range(d):
                value += y[0, a] * y[1, a]
        else:
            gram(ny, d, y, G)
            p = constraints.params[constraints.param_start[i] : constraints.param_start[i + 1]]
            value = gram_law(constraints.law[i], ny, G, p, S, H)
        if constraints.drive[i] >= 0:
            value -= targets[constraints.drive[i]]
        c[constraints.channel[i]] = value
    return 0
