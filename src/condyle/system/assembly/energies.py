"""Stored energies: forces, stiffness, viscous stress."""

import numpy as np

from condyle.laws.gram import discrete_gradient, gram_law, viscous_moduli
from condyle.laws.kernel import kernel
from condyle.system.assembly.places import blend, clear, gather, gram, most_vectors
from condyle.system.assembly.weighing import law_stiffness, scatter_instance, weigh
from condyle.system.tables import END


@kernel
def add_energies(table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, tangent, q, q_scale, q_noise, A):
    """q += ∂ψ/∂x for all stored energies; A += its derivative (4 yᵀ H y + 2 κ S, both through the weights).

    The geometric part uses the stress S* = S_old + H_old:δG extrapolated linearly from the previous iterate `x_old`, as if
    stress were an unknown of its own (mixed integration points, Magisano, Leonetti and Garcea 2017): slender bodies
    then converge in a few iterations where the stress of the iterate itself would be far off.

    q_noise times machine precision is the round-off of the force of a stiff, hardly strained element, which may be far above
    that of the force itself: what the rounding of positions does to the gathered vectors, and they to the stress.

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
    x_size, y_size = np.zeros(most_r), np.zeros(most_y)
    for i in range(table.law.size):
        ny = table.vectors[i]
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        for r in range(nr):
            x_size[r] = 0.0
            for a in range(d):
                row = table.rows[first + r]
                x_size[r] = max(x_size[r], abs(x0[row, a]), abs(x1[row, a]))
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
                    viscous_moduli(table.law[i], ny, Gw, p, S2, H2)
                    _add_viscous(ny, d, beta, H2, yt, yd, S, S_mixed)
                    for k in range(ny):
                        for j in range(ny):
                            for m in range(ny):
                                for n in range(ny):
                                    H[k, j, m, n] += beta * kappa_dot * H2[k, j, m, n]
                else:
                    viscous_moduli(table.law[i], ny, G1, p, S2, H2)
                    _add_viscous(ny, d, beta, H2, yt, yd, S, S_mixed)
                    if tangent:  # δĠ = κ̇ δG + ẏ δyᵀ + δy ẏᵀ
                        for k in range(ny):
                            for a in range(d):
                                yd[k, a] = beta * (kappa_dot * y1[k, a] + yd[k, a])
                        law_stiffness(ny, d, measure, 0.0, S_mixed, H2, yt, yd, Ky)
                        weigh(ny, nr, d, table.weights, table.weight_start[point], Ky, Kyr, K)
            at = table.weight_start[point]
            for k in range(ny):
                y_size[k] = 0.0
                for r in range(nr):
                    y_size[k] += abs(table.weights[at + k * nr + r]) * x_size[r]
            for k in range(ny):
                for a in range(d):
                    value = 0.0
                    for j in range(ny):
                        value += S[k, j] * yt[j, a]
                    f[k, a] = 2.0 * measure * value
                noise = 2.0 * measure * _round_off(ny, k, S, H, G1, y_size)
                for r in range(nr):
                    w = table.weights[at + k * nr + r]
                    if w != 0.0:
                        row = table.rows[first + r]
                        for a in range(d):
                            q[row, a] += w * f[k, a]
                            q_scale[row, a] += abs(w * f[k, a])
                            q_noise[row, a] += abs(w) * noise
            if tangent:
                law_stiffness(ny, d, measure, kappa, S_mixed, H, yt, y1, Ky)
                weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
        if tangent:
            scatter_instance(table, i, rows, x_test, x1, K, A)


@kernel
def _round_off(ny, k, S, H, G, y_size):
    """Change of the force on y_k when all y change by `y_size`, the size Σ|w||x| of what they are gathered from."""
    total = 0.0
    for j in range(ny):
        value = 0.0
        for m in range(ny):
            for n in range(ny):
                value += abs(H[k, j, m, n]) * y_size[m] * np.sqrt(G[n, n])
        total += 2.0 * value * np.sqrt(G[j, j]) + abs(S[k, j]) * y_size[j]
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
                viscous_moduli(table.law[i], ny, G, p, S, H)
                for k in range(ny):
                    for j in range(ny):
                        for m in range(ny):
                            for n in range(ny):
                                rate = H[k, j, m, n] * (G1[k, j] - G0[k, j]) * (G1[m, n] - G0[m, n]) / h
                                total += table.viscosity[i] * table.measure[point] * rate
    return total


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
