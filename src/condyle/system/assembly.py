"""Residual and tangent of the whole system: gather, evaluate the laws, scatter through the tangent maps.

Forces are first summed into the row residual q (n, d); `project` turns q into the residual of the unknowns. The scale
arrays collect the absolute values of what was added, so that convergence can be judged against the forces at hand and
against round-off.
"""

from __future__ import annotations

import numpy as np

from condyle.laws.coordinates import angle_near
from condyle.laws.forces import force_law
from condyle.laws.gram import discrete_gradient, gram_law
from condyle.laws.kernel import kernel
from condyle.system.tables import AUGMENTED, DIRECTOR, FIXED, FREE, MULTIPLIER, PENALTY

# Where the laws are evaluated within a step.
END = 0  # everything at n+1
CONSERVING = 1  # discrete gradients between n and n+1 on the mid configuration; constraints hold at n+1
MIDPOINT = 2  # constraints and their gradients at the mid configuration

NO_MAP = np.zeros((0, 2, 3))  # rates of directors follow from κ̇, not from maps of their own


@kernel
def scatter(A, slot, stride, kind_r, kind_s, left, right, K, d):
    """A += P_rᵀ K P_s for one pair of rows; `left` and `right` are the directors the maps are taken at.

    δd = δθ × d, so P_rᵀ k = d × k for each column k of K, and k·P_s = d × k for each row.
    """
    if kind_r == FREE and kind_s == FREE:
        for a in range(d):
            for b in range(d):
                A[slot + a * stride + b] += K[a, b]
    elif d == 2:
        if kind_r == FREE:
            for a in range(2):
                A[slot + a * stride] += K[a, 1] * right[0] - K[a, 0] * right[1]
        elif kind_s == FREE:
            for b in range(2):
                A[slot + b] += left[0] * K[1, b] - left[1] * K[0, b]
        else:
            k0 = left[0] * K[1, 0] - left[1] * K[0, 0]
            k1 = left[0] * K[1, 1] - left[1] * K[0, 1]
            A[slot] += k1 * right[0] - k0 * right[1]
    else:
        for i in range(3):
            if kind_r == DIRECTOR:
                j, m = (i + 1) % 3, (i + 2) % 3
                k0 = left[j] * K[m, 0] - left[m] * K[j, 0]
                k1 = left[j] * K[m, 1] - left[m] * K[j, 1]
                k2 = left[j] * K[m, 2] - left[m] * K[j, 2]
            else:
                k0, k1, k2 = K[i, 0], K[i, 1], K[i, 2]
            at = slot + i * stride
            if kind_s == DIRECTOR:
                A[at] += right[1] * k2 - right[2] * k1
                A[at + 1] += right[2] * k0 - right[0] * k2
                A[at + 2] += right[0] * k1 - right[1] * k0
            else:
                A[at] += k0
                A[at + 1] += k1
                A[at + 2] += k2


@kernel
def scatter_mapped(A, slot, stride, kind_r, left, K, right, d):
    """A += P_rᵀ K R_s where R_s (d, 3) is the given derivative of a director's rate by δθ (in 2D its last column)."""
    k = 3 if d == 3 else 1
    for b in range(k):
        column = b if d == 3 else 2
        v0 = v1 = v2 = 0.0
        for a in range(d):
            v0 += K[0, a] * right[a, column]
            v1 += K[1, a] * right[a, column]
            if d == 3:
                v2 += K[2, a] * right[a, column]
        if kind_r == FREE:
            A[slot + b] += v0
            A[slot + stride + b] += v1
            if d == 3:
                A[slot + 2 * stride + b] += v2
        elif d == 2:
            A[slot + b] += left[0] * v1 - left[1] * v0
        else:
            A[slot + b] += left[1] * v2 - left[2] * v1
            A[slot + stride + b] += left[2] * v0 - left[0] * v2
            A[slot + 2 * stride + b] += left[0] * v1 - left[1] * v0


@kernel
def scatter_vector(A, slot, step, kind, director, g, d):
    """A[slot + i·step] += (Pᵀ g)_i: a constraint gradient, as a column (step = stride) or a line (step = 1)."""
    if kind == FREE:
        for a in range(d):
            A[slot + a * step] += g[a]
    elif d == 2:
        A[slot] += director[0] * g[1] - director[1] * g[0]
    else:
        A[slot] += director[1] * g[2] - director[2] * g[1]
        A[slot + step] += director[2] * g[0] - director[0] * g[2]
        A[slot + 2 * step] += director[0] * g[1] - director[1] * g[0]


@kernel
def clear(K, nr, d):
    """K[:nr, :nr] = 0."""
    for r in range(nr):
        for s in range(nr):
            for a in range(d):
                for b in range(d):
                    K[r, s, a, b] = 0.0


@kernel
def blend(ny, d, y0, y1, share, y):
    """y = (1 − share) y0 + share y1."""
    for k in range(ny):
        for a in range(d):
            y[k, a] = (1.0 - share) * y0[k, a] + share * y1[k, a]


@kernel
def mean_row(x0, x1, row, share, out):
    """A row between the two ends of a step: where left maps are taken."""
    for a in range(x1.shape[1]):
        out[a] = (1.0 - share) * x0[row, a] + share * x1[row, a]


@kernel
def gather(table, instance, point, x, y):
    """y_k = Σ_r w_kr x[row_r]."""
    first, last = table.row_start[instance], table.row_start[instance + 1]
    at = table.weight_start[point]
    d = x.shape[1]
    for k in range(table.vectors[instance]):
        for a in range(d):
            y[k, a] = 0.0
        for r in range(first, last):
            w = table.weights[at]
            at += 1
            if w != 0.0:
                for a in range(d):
                    y[k, a] += w * x[table.rows[r], a]


@kernel
def gram(ny, d, y, G):
    """G = y yᵀ."""
    for i in range(ny):
        for j in range(i + 1):
            value = 0.0
            for a in range(d):
                value += y[i, a] * y[j, a]
            G[i, j] = value
            G[j, i] = value


@kernel
def add_inertia(mass, rows, acceleration, x_dot, x_test, x1, factor, kappa_dot, maps, tangent, q, q_scale, A):
    """q += m (ẍ + α ẋ), α the mass-proportional damping of the row; A += Pᵀ m (factor + α κ̇) P.

    factor = ∂ẍ/∂x1 [1/s²], κ̇ = ∂ẋ/∂x1 [1/s]; directors take both derivatives from `maps` where they are given.
    """
    accel_map, rate_map = maps
    d = x1.shape[1]
    K = np.zeros((d, d))
    for e in range(mass.value.size):
        i, j, m = mass.first[e], mass.second[e], mass.value[e]
        for a in range(d):
            force = m * (acceleration[j, a] + rows.drag[j] * x_dot[j, a])
            q[i, a] += force
            q_scale[i, a] += abs(force)
        if tangent and mass.slot[e] >= 0:
            for a in range(d):
                K[a, a] = (factor + rows.drag[j] * kappa_dot) * m
            if accel_map.shape[0] > 0 and rows.kind[j] == DIRECTOR:
                for a in range(d):
                    K[a, a] = m
                scatter_mapped(A, mass.slot[e], rows.stride[i], rows.kind[i], x_test[i], K, accel_map[j], d)
                if rows.drag[j] > 0.0:
                    for a in range(d):
                        K[a, a] = m * rows.drag[j]
                    scatter_mapped(A, mass.slot[e], rows.stride[i], rows.kind[i], x_test[i], K, rate_map[j], d)
            else:
                scatter(A, mass.slot[e], rows.stride[i], rows.kind[i], rows.kind[j], x_test[i], x1[j], K, d)


@kernel
def add_energies(table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, tangent, q, q_scale, q_noise, A):
    """q += ∂ψ/∂x for all stored energies; A += its derivative (4 yᵀ H y + 2 κ S, both through the weights).

    The geometric part uses the stress S* = S_old + H_old:δG extrapolated linearly from the previous iterate `x_old`, as if
    stress were an unknown of its own (mixed integration points, Magisano, Leonetti and Garcea 2017): slender bodies
    then converge in a few iterations where the stress of the iterate itself would be far off.

    q_noise collects what a strain of 1 would give: times machine precision it is the round-off of the force of a stiff,
    hardly strained element, which may be far above that of the force itself.

    Stiffness-proportional damping adds S_v = β H:Ġ (Kelvin–Voigt: it follows the body and does no work in rigid motion).
    """
    d = x1.shape[1]
    most_y, most_r = 1, 1
    for i in range(table.law.size):
        most_y = max(most_y, table.vectors[i])
        most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
    y0, y1, yt, yo = np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d))
    yd = np.zeros((most_y, d))
    G0, G1 = np.zeros((most_y, most_y)), np.zeros((most_y, most_y))
    S_mixed = np.zeros((most_y, most_y))
    S, S2, Gw = np.zeros((most_y, most_y)), np.zeros((most_y, most_y)), np.zeros((most_y, most_y))
    H, H2 = np.zeros((most_y, most_y, most_y, most_y)), np.zeros((most_y, most_y, most_y, most_y))
    f = np.zeros((most_y, d))
    Ky = np.zeros((most_y, d, most_y, d))
    Kyr = np.zeros((most_y, d, most_r, d))
    K = np.zeros((most_r, most_r, d, d))
    for i in range(table.law.size):
        ny = table.vectors[i]
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        if tangent:
            clear(K, nr, d)
        for point in range(table.point_start[i], table.point_start[i + 1]):
            measure = table.measure[point]
            gather(table, i, point, x1, y1)
            if where != END:
                gather(table, i, point, x0, y0)
                gram(ny, d, y0, G0)
            if tangent:
                gather(table, i, point, x_old, yo)
                gram(ny, d, yo, G1)
                if where == END:
                    gram_law(table.law[i], ny, G1, p, S, H)
                else:
                    discrete_gradient(table.law[i], ny, G0, G1, p, S, H, Gw, S2, H2)
                _extrapolate(ny, d, S, H, yo, y1, S_mixed)
            gram(ny, d, y1, G1)
            if where == END:
                gram_law(table.law[i], ny, G1, p, S, H)
                blend(ny, d, y1, y1, 1.0, yt)
            else:
                discrete_gradient(table.law[i], ny, G0, G1, p, S, H, Gw, S2, H2)
                blend(ny, d, y0, y1, 0.5, yt)
            beta = table.viscosity[i]
            if beta > 0.0:
                gather(table, i, point, x_dot, yd)
                if where != END:
                    _mean_gram(ny, G0, G1, Gw)
                    gram_law(table.law[i], ny, Gw, p, S2, H2)
                    _add_viscous(ny, d, beta, H2, yt, yd, S, S_mixed)
                    for k in range(ny):
                        for j in range(ny):
                            for m in range(ny):
                                for n in range(ny):
                                    H[k, j, m, n] += beta * kappa_dot * H2[k, j, m, n]
                else:
                    _add_viscous(ny, d, beta, H, yt, yd, S, S_mixed)
                    for k in range(ny):  # δĠ = κ̇ δG + ẏ δyᵀ + δy ẏᵀ
                        for a in range(d):
                            y1[k, a] = (1.0 + beta * kappa_dot) * y1[k, a] + beta * yd[k, a]
            at = table.weight_start[point]
            for k in range(ny):
                for a in range(d):
                    value = 0.0
                    for j in range(ny):
                        value += S[k, j] * yt[j, a]
                    f[k, a] = 2.0 * measure * value
                noise = 2.0 * measure * _unit_stress(ny, k, H, G1)
                for r in range(nr):
                    w = table.weights[at + k * nr + r]
                    if w != 0.0:
                        row = table.rows[first + r]
                        for a in range(d):
                            q[row, a] += w * f[k, a]
                            q_scale[row, a] += abs(w * f[k, a])
                            q_noise[row, a] += abs(w) * noise
            if tangent:
                _law_stiffness(ny, d, measure, kappa, S_mixed, H, yt, y1, Ky)
                _weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
        if tangent:
            _scatter_instance(table, i, rows, x_test, x1, K, A)


@kernel
def _unit_stress(ny, k, H, G):
    """Σ_j (|H|:|G|)_kj |y_j|: the size of the force on y_k before strains cancel."""
    total = 0.0
    for j in range(ny):
        value = 0.0
        for m in range(ny):
            for n in range(ny):
                value += abs(H[k, j, m, n] * G[m, n])
        total += value * np.sqrt(G[j, j])
    return total


@kernel
def _mean_gram(ny, G0, G1, out):
    for i in range(ny):
        for j in range(ny):
            out[i, j] = 0.5 * (G0[i, j] + G1[i, j])


@kernel
def _add_viscous(ny, d, beta, H, y, ydot, S, S_mixed):
    """S += β H:Ġ with Ġ = ẏ yᵀ + y ẏᵀ; at mid-step this is exactly (G1 − G0)/h."""
    for k in range(ny):
        for i in range(ny):
            value = 0.0
            for m in range(ny):
                for j in range(ny):
                    rate = 0.0
                    for a in range(d):
                        rate += ydot[m, a] * y[j, a] + y[m, a] * ydot[j, a]
                    value += H[k, i, m, j] * rate
            S[k, i] += beta * value
            S_mixed[k, i] += beta * value


@kernel
def viscous_work(table, x0, x1, h):
    """Work [J] that stiffness-proportional damping takes out over a step: Σ β ΔG:H:ΔG / h, H at the mean of G."""
    d = x0.shape[1]
    most = most_vectors(table)
    y, G0, G1 = np.zeros((most, d)), np.zeros((most, most)), np.zeros((most, most))
    G, S, H = np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most, most, most))
    total = 0.0
    for i in range(table.law.size):
        if table.viscosity[i] > 0.0:
            ny = table.vectors[i]
            p = table.params[table.param_start[i] : table.param_start[i + 1]]
            for point in range(table.point_start[i], table.point_start[i + 1]):
                gather(table, i, point, x0, y)
                gram(ny, d, y, G0)
                gather(table, i, point, x1, y)
                gram(ny, d, y, G1)
                _mean_gram(ny, G0, G1, G)
                gram_law(table.law[i], ny, G, p, S, H)
                for k in range(ny):
                    for j in range(ny):
                        for m in range(ny):
                            for n in range(ny):
                                rate = H[k, j, m, n] * (G1[k, j] - G0[k, j]) * (G1[m, n] - G0[m, n]) / h
                                total += table.viscosity[i] * table.measure[point] * rate
    return total


@kernel
def _extrapolate(ny, d, S, H, y_old, y, out):
    """out = S + H:δG with the linear part of δG = y yᵀ − y_old y_oldᵀ."""
    for k in range(ny):
        for i in range(ny):
            value = S[k, i]
            for m in range(ny):
                for j in range(ny):
                    change = 0.0
                    for a in range(d):
                        change += (y[m, a] - y_old[m, a]) * y_old[j, a] + y_old[m, a] * (y[j, a] - y_old[j, a])
                    value += H[k, i, m, j] * change
            out[k, i] = value


@kernel
def _law_stiffness(ny, d, measure, kappa, S, H, yt, y1, Ky):
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
def _weigh(ny, nr, d, weights, at, Ky, Kyr, K):
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
def _scatter_instance(table, i, rows, x_test, x1, K, A):
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


@kernel
def add_forces(table, rows, x_test, x_dot, x1, amplitudes, kappa, kappa_dot, rate_map, tangent, q, q_scale, A):
    """q −= f(y, ẏ, t) at the test configuration; κ = ∂y/∂y1, κ̇ = ∂ẏ/∂y1 [1/s] (directors: `rate_map` where given)."""
    d = x1.shape[1]
    most_y, most_r = 1, 1
    for i in range(table.law.size):
        most_y = max(most_y, table.vectors[i])
        most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
    y, ydot, f = np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d))
    Ky, Kv = np.zeros((most_y, d, most_y, d)), np.zeros((most_y, d, most_y, d))
    Kyr = np.zeros((most_y, d, most_r, d))
    K, D = np.zeros((most_r, most_r, d, d)), np.zeros((most_r, most_r, d, d))
    for i in range(table.law.size):
        ny = table.vectors[i]
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        point = table.point_start[i]
        at = table.weight_start[point]
        gather(table, i, point, x_test, y)
        gather(table, i, point, x_dot, ydot)
        for k in range(ny):
            for a in range(d):
                f[k, a] = 0.0
                for m in range(ny):
                    for b in range(d):
                        Ky[k, a, m, b] = 0.0
                        Kv[k, a, m, b] = 0.0
        amplitude = amplitudes[table.channel[i]] if table.channel[i] >= 0 else 1.0
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        force_law(table.law[i], ny, d, y, ydot, amplitude, p, f, Ky, Kv)
        for k in range(ny):
            for r in range(nr):
                w = table.weights[at + k * nr + r]
                row = table.rows[first + r]
                for a in range(d):
                    q[row, a] -= w * f[k, a]
                    q_scale[row, a] += abs(w * f[k, a])
        if tangent:
            for k in range(ny):
                for a in range(d):
                    for m in range(ny):
                        for b in range(d):
                            Ky[k, a, m, b] *= -kappa
                            Kv[k, a, m, b] *= -1.0
            clear(K, nr, d)
            clear(D, nr, d)
            _weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
            _weigh(ny, nr, d, table.weights, at, Kv, Kyr, D)
            for r in range(nr):
                row = table.rows[first + r]
                for s in range(nr):
                    slot = table.slots[table.slot_start[i] + r * nr + s]
                    other = table.rows[first + s]
                    if rate_map.shape[0] > 0 and rows.kind[other] == DIRECTOR:
                        if slot >= 0:
                            scatter_mapped(
                                A, slot, rows.stride[row], rows.kind[row], x_test[row], D[r, s], rate_map[other], d
                            )
                    else:
                        for a in range(d):
                            for b in range(d):
                                K[r, s, a, b] += kappa_dot * D[r, s, a, b]
            _scatter_instance(table, i, rows, x_test, x1, K, A)


@kernel
def add_links(table, rows, x0, x1, multipliers, stiffness, where, tangent, q, q_scale, c, c_scale, A):
    """Vector constraints c = y − offset = 0 (spherical joints): d multipliers each, gradient the weights.

    The force on y is λ + η c for the augmented forms and η ½ (c0 + c1) (conserving) or η c1 for the penalty.
    """
    d = x1.shape[1]
    y0, y1 = np.zeros((1, d)), np.zeros((1, d))
    c0, c1, force = np.zeros(d), np.zeros(d), np.zeros(d)
    unit, test = np.zeros(d), np.zeros(d)
    K = np.zeros((d, d))
    share = 1.0 if where == END else 0.5
    for i in range(table.law.size):
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        point = table.point_start[i]
        at = table.weight_start[point]
        offset = table.param_start[i]
        hold = table.hold[i]
        eta = stiffness[i]
        gather(table, i, point, x1, y1)
        gather(table, i, point, x0, y0)
        if where == MIDPOINT:
            for a in range(d):
                y1[0, a] = 0.5 * (y0[0, a] + y1[0, a])
        gain = 1.0 if where != MIDPOINT else 0.5  # ∂c/∂x1
        for a in range(d):
            c0[a] = y0[0, a] - table.params[offset + a]
            c1[a] = y1[0, a] - table.params[offset + a]
            lam = multipliers[table.channel[i] + a]
            if hold == MULTIPLIER:
                force[a] = lam
            elif hold == PENALTY:
                force[a] = eta * (0.5 * (c0[a] + c1[a]) if where == CONSERVING else c1[a])
            else:
                force[a] = lam + eta * c1[a]
            c[table.channel[i] + a] = c1[a]
            size = 0.0
            for r in range(nr):
                size += abs(table.weights[at + r] * x1[table.rows[first + r], a])
            c_scale[table.channel[i] + a] = size
        for r in range(nr):
            w = table.weights[at + r]
            row = table.rows[first + r]
            for a in range(d):
                q[row, a] += w * force[a]
                q_scale[row, a] += abs(w * force[a])
        if not tangent:
            continue
        if hold != MULTIPLIER:
            half = 0.5 if hold == PENALTY and where == CONSERVING else 1.0
            for r in range(nr):
                row = table.rows[first + r]
                mean_row(x0, x1, row, share, test)
                for s in range(nr):
                    slot = table.slots[table.slot_start[i] + r * nr + s]
                    if slot >= 0:
                        other = table.rows[first + s]
                        for a in range(d):
                            K[a, a] = half * gain * eta * table.weights[at + r] * table.weights[at + s]
                        scatter(A, slot, rows.stride[row], rows.kind[row], rows.kind[other], test, x1[other], K, d)
        if hold in (MULTIPLIER, AUGMENTED):
            for r in range(nr):
                row = table.rows[first + r]
                if rows.kind[row] == FIXED:
                    continue
                mean_row(x0, x1, row, share, test)
                for a in range(d):
                    for b in range(d):
                        unit[b] = 0.0
                    unit[a] = table.weights[at + r]
                    column = table.column[first + r] + a
                    line = table.line[first + r] + a * table.width[i]
                    scatter_vector(A, column, rows.stride[row], rows.kind[row], test, unit, d)
                    unit[a] *= gain
                    scatter_vector(A, line, 1, rows.kind[row], x1[row], unit, d)


@kernel
def add_constraints(table, rows, x0, x1, targets, multipliers, stiffness, where, tangent, q, q_scale, c, c_scale, A):
    """Scalar constraints c(G) = 0 with one multiplier each.

    A driven constraint c(G) = f(t) takes f from `targets` (values of all functions at both ends of the step, (2, nf)).
    Force on y_k: μ 2 Σ S_kj yt_j with μ = λ, λ + η c1 (augmented) or the penalty force; the multiplier's line of the
    matrix is the gradient of what is held: c at n+1, or c at mid-step for MIDPOINT.
    """
    d = x1.shape[1]
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
    share = 1.0 if where == END else 0.5
    for i in range(table.law.size):
        ny = table.vectors[i]
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        point = table.point_start[i]
        at = table.weight_start[point]
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        hold, eta, index = table.hold[i], stiffness[i], table.channel[i]
        gather(table, i, point, x0, y0)
        gather(table, i, point, x1, y1)
        gram(ny, d, y0, G0)
        gram(ny, d, y1, G1)
        # yt, S: the force; yc, Sc: the gradient of what is held; κ = ∂yt/∂y1, gain = ∂yc/∂y1.
        c0 = 0.0
        if hold == PENALTY and where == CONSERVING:
            c0 = gram_law(table.law[i], ny, G0, p, Sc, H)
            if table.drive[i] >= 0:
                c0 -= targets[0, table.drive[i]]
        if where == MIDPOINT:
            kappa, gain = 0.5, 0.5
            blend(ny, d, y0, y1, 0.5, yt)
            gram(ny, d, yt, Gw)
            c1 = gram_law(table.law[i], ny, Gw, p, S, H)
            for k in range(ny):
                for m in range(ny):
                    Sc[k, m] = S[k, m]
                    for j in range(ny):
                        for e in range(ny):
                            H[k, m, j, e] *= 0.5
            blend(ny, d, yt, yt, 1.0, yc)
            blend(ny, d, yt, yt, 1.0, y1)
        else:
            gain = 1.0
            c1 = gram_law(table.law[i], ny, G1, p, Sc, H)
            blend(ny, d, y1, y1, 1.0, yc)
            kappa = share
            blend(ny, d, y0, y1, share, yt)
            if where == END:
                for k in range(ny):
                    for m in range(ny):
                        S[k, m] = Sc[k, m]
            else:
                discrete_gradient(table.law[i], ny, G0, G1, p, S, H, Gw, S2, H2)
        if table.drive[i] >= 0:
            aim = targets[1, table.drive[i]]
            c1 -= 0.5 * (aim + targets[0, table.drive[i]]) if where == MIDPOINT else aim
        mu = multipliers[index]
        slope = eta  # ∂μ/∂c1
        if hold == PENALTY:
            slope = 0.5 * eta if where == CONSERVING else eta
            mu = slope * (c0 + c1)
        elif hold == MULTIPLIER:
            slope = 0.0
        else:
            mu += eta * c1
        c[index] = c1
        size = 0.0
        for k in range(ny):
            size += G1[k, k]
        c_scale[index] = 0.5 * size
        for r in range(nr):
            row = table.rows[first + r]
            for a in range(d):
                g[r, a] = 0.0
                gc[r, a] = 0.0
                for k in range(ny):
                    w = table.weights[at + k * nr + r]
                    if w != 0.0:
                        for j in range(ny):
                            g[r, a] += 2.0 * w * S[k, j] * yt[j, a]
                            gc[r, a] += 2.0 * gain * w * Sc[k, j] * yc[j, a]
                q[row, a] += mu * g[r, a]
                q_scale[row, a] += abs(mu * g[r, a])
        if not tangent:
            continue
        clear(K, nr, d)
        _law_stiffness(ny, d, mu, kappa, S, H, yt, y1, Ky)
        _weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
        if slope != 0.0:
            for r in range(nr):
                for s in range(nr):
                    for a in range(d):
                        for b in range(d):
                            K[r, s, a, b] += slope * g[r, a] * gc[s, b]
        for r in range(nr):
            row = table.rows[first + r]
            if rows.kind[row] == FIXED:
                continue
            mean_row(x0, x1, row, share, test)
            for s in range(nr):
                slot = table.slots[table.slot_start[i] + r * nr + s]
                if slot >= 0:
                    other = table.rows[first + s]
                    scatter(A, slot, rows.stride[row], rows.kind[row], rows.kind[other], test, x1[other], K[r, s], d)
            if hold in (MULTIPLIER, AUGMENTED):
                scatter_vector(A, table.column[first + r], rows.stride[row], rows.kind[row], test, g[r], d)
                scatter_vector(A, table.line[first + r], 1, rows.kind[row], x1[row], gc[r], d)


@kernel
def add_curvature(rows, q, x1, kappa, A):
    """A += κ Σ_i S(q_i) S(d_i) on each rigid body's δθ block: the change of the left map (q must be complete)."""
    d = x1.shape[1]
    for body in range(rows.bodies.shape[0]):
        slot = rows.body_slot[body]
        stride = rows.stride[rows.bodies[body, 0]]
        for k in range(d):
            row = rows.bodies[body, k]
            if d == 2:
                A[slot] -= kappa * (q[row, 0] * x1[row, 0] + q[row, 1] * x1[row, 1])
            else:  # S(q) S(d) = d qᵀ − (q·d) 1
                dot = q[row, 0] * x1[row, 0] + q[row, 1] * x1[row, 1] + q[row, 2] * x1[row, 2]
                for a in range(3):
                    for b in range(3):
                        A[slot + a * stride + b] += kappa * x1[row, a] * q[row, b]
                    A[slot + a * stride + a] -= kappa * dot


@kernel
def project(rows, x_test, q, q_scale, q_noise, r, r_scale, r_noise):
    """r = P_testᵀ q: the residual of the unknowns; its scale and noise likewise with absolute values."""
    d = x_test.shape[1]
    for row in range(q.shape[0]):
        u = rows.unknown[row]
        if rows.kind[row] == FREE:
            for a in range(d):
                r[u + a] += q[row, a]
                r_scale[u + a] += q_scale[row, a]
                r_noise[u + a] += q_noise[row, a]
        elif rows.kind[row] == DIRECTOR:
            y = x_test[row]
            if d == 2:
                r[u] += y[0] * q[row, 1] - y[1] * q[row, 0]
                r_scale[u] += abs(y[0]) * q_scale[row, 1] + abs(y[1]) * q_scale[row, 0]
                r_noise[u] += abs(y[0]) * q_noise[row, 1] + abs(y[1]) * q_noise[row, 0]
            else:
                for a in range(3):
                    b, e = (a + 1) % 3, (a + 2) % 3
                    r[u + a] += y[b] * q[row, e] - y[e] * q[row, b]
                    r_scale[u + a] += abs(y[b]) * q_scale[row, e] + abs(y[e]) * q_scale[row, b]
                    r_noise[u + a] += abs(y[b]) * q_noise[row, e] + abs(y[e]) * q_noise[row, b]


@kernel
def move(rows, du, x):
    """x ← x ∘ du: free rows add, directors turn by the Cayley rotation of δθ (exactly orthonormal)."""
    d = x.shape[1]
    for row in range(x.shape[0]):
        if rows.kind[row] == FREE:
            u = rows.unknown[row]
            for a in range(d):
                x[row, a] += du[u + a]
    spin = np.zeros(3)
    for body in range(rows.bodies.shape[0]):
        u = rows.unknown[rows.bodies[body, 0]]
        if d == 2:
            spin[2] = du[u]
        else:
            for a in range(3):
                spin[a] = du[u + a]
        _turn(rows, body, spin, x)


@kernel
def stored_energy(table, x):
    """Σ ψ of all stored energies [J] at x."""
    total = 0.0
    d = x.shape[1]
    most = most_vectors(table)
    y, G = np.zeros((most, d)), np.zeros((most, most))
    S, H = np.zeros((most, most)), np.zeros((most, most, most, most))
    for i in range(table.law.size):
        ny = table.vectors[i]
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        for point in range(table.point_start[i], table.point_start[i + 1]):
            gather(table, i, point, x, y)
            gram(ny, d, y, G)
            total += table.measure[point] * gram_law(table.law[i], ny, G, p, S, H)
    return total


@kernel
def most_vectors(table):
    """The largest number of vectors that a law of the table gathers."""
    most = 1
    for i in range(table.law.size):
        most = max(most, table.vectors[i])
    return most


@kernel
def constraint_values(links, constraints, x, targets, c):
    """All constraint values c at x, in the order of the multipliers; targets: values of all functions of time."""
    d = x.shape[1]
    most = most_vectors(constraints)
    y, G = np.zeros((most, d)), np.zeros((most, most))
    S, H = np.zeros((most, most)), np.zeros((most, most, most, most))
    for i in range(links.law.size):
        gather(links, i, links.point_start[i], x, y)
        for a in range(d):
            c[links.channel[i] + a] = y[0, a] - links.params[links.param_start[i] + a]
    for i in range(constraints.law.size):
        ny = constraints.vectors[i]
        gather(constraints, i, constraints.point_start[i], x, y)
        gram(ny, d, y, G)
        p = constraints.params[constraints.param_start[i] : constraints.param_start[i + 1]]
        value = gram_law(constraints.law[i], ny, G, p, S, H)
        if constraints.drive[i] >= 0:
            value -= targets[constraints.drive[i]]
        c[constraints.channel[i]] = value


@kernel
def normalise_directors(rows, x):
    """One Gram–Schmidt pass over the directors of each rigid body: removes accumulated round-off."""
    d = x.shape[1]
    for body in range(rows.bodies.shape[0]):
        for k in range(d):
            row = rows.bodies[body, k]
            for m in range(k):
                other = rows.bodies[body, m]
                dot = 0.0
                for a in range(d):
                    dot += x[row, a] * x[other, a]
                for a in range(d):
                    x[row, a] -= dot * x[other, a]
            size = 0.0
            for a in range(d):
                size += x[row, a] * x[row, a]
            size = np.sqrt(size)
            for a in range(d):
                x[row, a] /= size


@kernel
def regularise(indptr, indices, diagonal, first, epsilon, A):
    """Give each multiplier the diagonal −ε Σ_j A_ij² / |A_jj|: redundant constraints then share their reactions.

    The right-hand side stays exact, so the solution is unchanged where the constraints are independent.
    """
    for i in range(first, diagonal.size):
        size = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j < first and A[diagonal[j]] != 0.0:
                size += A[k] * A[k] / abs(A[diagonal[j]])
        A[diagonal[i]] -= epsilon * size


@kernel
def assemble(parts, motion, loads, held, where, held_where, factors, maps, tangent, out):
    """Row residual q, residual r of the unknowns, constraint values c and (if `tangent`) the matrix A.

    parts = (rows, mass, energies, forces, links, constraints)
    motion = (x0, x1, x_test, x_dot, acceleration, previous iterate)
    loads = (gravity force per row, amplitudes where forces are taken, amplitudes at both ends of the step (2, nf))
    held = (multipliers, stiffness of links, stiffness of constraints)
    factors = (∂ẍ/∂x1, κ = ∂x_test/∂x1, ∂ẋ/∂x1); maps = (∂ẍ/∂δθ, ∂ẋ/∂δθ) of directors, each (n, d, 3), or empty
    out = (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A), see `Buffers`
    """
    rows, mass, energies, forces, links, constraints = parts
    x0, x1, x_test, x_dot, acceleration, x_old = motion
    gravity, amplitudes, targets = loads
    multipliers, stiffness_l, stiffness_c = held
    inertia, kappa, kappa_dot = factors
    rate_map = maps[1]
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    for i in range(r.size):
        r[i] = 0.0
        r_scale[i] = 0.0
        r_noise[i] = 0.0
    if tangent:
        for i in range(A.size):
            A[i] = 0.0
    for i in range(q.shape[0]):
        for a in range(q.shape[1]):
            q[i, a] = -gravity[i, a]
            q_scale[i, a] = abs(gravity[i, a])
            q_noise[i, a] = 0.0
    add_inertia(mass, rows, acceleration, x_dot, x_test, x1, inertia, kappa_dot, maps, tangent, q, q_scale, A)
    add_energies(energies, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, tangent, q, q_scale, q_noise, A)
    add_forces(forces, rows, x_test, x_dot, x1, amplitudes, kappa, kappa_dot, rate_map, tangent, q, q_scale, A)
    add_links(links, rows, x0, x1, multipliers, stiffness_l, held_where, tangent, q, q_scale, c, c_scale, A)
    add_constraints(
        constraints, rows, x0, x1, targets, multipliers, stiffness_c, held_where, tangent, q, q_scale, c, c_scale, A
    )
    project(rows, x_test, q, q_scale, q_noise, r, r_scale, r_noise)
    if tangent:
        add_curvature(rows, q, x1, kappa, A)


@kernel
def predict(rows, v, h, x):
    """x ← x + h v; directors turn with the angular velocity ω = ½ Σ d_i × ḋ_i by the Cayley rotation."""
    d = x.shape[1]
    for row in range(x.shape[0]):
        if rows.kind[row] == FREE:
            for a in range(d):
                x[row, a] += h * v[row, a]
    spin = np.zeros(3)
    for body in range(rows.bodies.shape[0]):
        for k in range(3):
            spin[k] = 0.0
        for k in range(d):
            y, w = x[rows.bodies[body, k]], v[rows.bodies[body, k]]
            if d == 3:
                spin[0] += 0.5 * h * (y[1] * w[2] - y[2] * w[1])
                spin[1] += 0.5 * h * (y[2] * w[0] - y[0] * w[2])
            spin[2] += 0.5 * h * (y[0] * w[1] - y[1] * w[0])
        _turn(rows, body, spin, x)


@kernel
def _turn(rows, body, spin, x):
    """Cayley rotation of one body's directors; `spin` has three components, in 2D only the last counts."""
    d = x.shape[1]
    tx, ty, tz = spin[0], spin[1], spin[2]
    scale = 1.0 / (1.0 + 0.25 * (tx * tx + ty * ty + tz * tz))
    for k in range(d):
        row = rows.bodies[body, k]
        vx, vy = x[row, 0], x[row, 1]
        vz = x[row, 2] if d == 3 else 0.0
        # v + scale (θ × v + ½ θ × (θ × v))
        ax, ay, az = ty * vz - tz * vy, tz * vx - tx * vz, tx * vy - ty * vx
        x[row, 0] = vx + scale * (ax + 0.5 * (ty * az - tz * ay))
        x[row, 1] = vy + scale * (ay + 0.5 * (tz * ax - tx * az))
        if d == 3:
            x[row, 2] = vz + scale * (az + 0.5 * (tx * ay - ty * ax))


@kernel
def momenta(mass, translation, x, v, linear, angular):
    """Kinetic energy [J]; fills the linear momentum [kg m/s] and the angular momentum about the origin [kg m²/s]."""
    d = x.shape[1]
    kinetic = 0.0
    for a in range(d):
        linear[a] = 0.0
    for a in range(3):
        angular[a] = 0.0
    for e in range(mass.value.size):
        i, j, m = mass.first[e], mass.second[e], mass.value[e]
        for a in range(d):
            kinetic += 0.5 * m * v[i, a] * v[j, a]
            linear[a] += translation[i] * m * v[j, a]
        angular[2] += m * (x[i, 0] * v[j, 1] - x[i, 1] * v[j, 0])
        if d == 3:
            angular[0] += m * (x[i, 1] * v[j, 2] - x[i, 2] * v[j, 1])
            angular[1] += m * (x[i, 2] * v[j, 0] - x[i, 0] * v[j, 2])
    return kinetic


@kernel
def find_turns(table, instance, vector, x, near, out):
    """Unwrapped angles at x of the angle coordinates of a table, each on the turn nearest to `near`.

    instance: which law instance an angle belongs to; vector: its first gathered vector there.
    """
    d = x.shape[1]
    y = np.zeros((most_vectors(table), d))
    for k in range(instance.size):
        gather(table, instance[k], table.point_start[instance[k]], x, y)
        o = vector[k]
        sin = cos = 0.0
        for a in range(d):
            cos += y[o, a] * y[o + 1, a]
            sin += y[o, a] * y[o + 2, a]
        out[k] = angle_near(sin, cos, near[k])
