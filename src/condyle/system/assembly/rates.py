"""Constraints of velocities, a(y)·ẏ = b(t), with one multiplier each: rolling, blades, driven rates."""

import numpy as np

from condyle.laws.derivatives import clear_function
from condyle.laws.kernel import kernel, separate
from condyle.laws.rates import rate_law
from condyle.system.assembly.maps import scatter_vector
from condyle.system.assembly.places import clear, gather, most_of, most_vectors
from condyle.system.assembly.weighing import scatter_instance, weigh
from condyle.system.signatures import LAWS, MAPS, ROWS, count, f1, f2, flag, number
from condyle.system.tables import DIRECTOR, FIXED


@kernel
def add_rates(
    table, rows, x_test, x_dot, x1, aims, multipliers, kappa, kappa_dot, rate_map, tangent, q, q_scale, c, c_scale, A
):
    """q += λ a(y) and c = (a·ẏ − b)/κ̇ where forces are taken; κ = ∂y/∂y1, κ̇ = ∂ẏ/∂y1 [1/s] (directors: `rate_map`).

    Divided by κ̇, c is a length, and its gradient as large as that of a constraint of places. κ̇ = 0 (nothing moves): c = 0,
    and the gradient is a itself. aims: values of all functions of time.
    """
    _add_rates(
        table, rows, x_test, x_dot, x1, aims, multipliers, kappa, kappa_dot, rate_map, tangent, q, q_scale, c, c_scale, A
    )  # fmt: skip


@separate(count(LAWS, ROWS, f2, f2, f2, f1, f1, number, number, MAPS, flag, f2, f2, f1, f1, f1))
def _add_rates(
    table, rows, x_test, x_dot, x1, aims, multipliers, kappa, kappa_dot, rate_map, tangent, q, q_scale, c, c_scale, A
):
    d = x1.shape[1]
    pace = 1.0 / kappa_dot if kappa_dot > 0.0 else 0.0
    most_y, most_r = most_of(table)
    y, ydot, a, bend = (np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d)))
    Ky, Kyr = np.zeros((most_y, d, most_y, d)), np.zeros((most_y, d, most_r, d))
    K, g, turn = np.zeros((most_r, most_r, d, d)), np.zeros(d), np.zeros(d)
    for i in range(table.law.size):
        ny, first, point, index = table.vectors[i], table.row_start[i], table.point_start[i], table.channel[i]
        nr, at = table.row_start[i + 1] - first, table.weight_start[point]
        rate_at(table, i, x_test, x_dot, y, ydot, a, Ky)
        value = -aims[table.drive[i]] if table.drive[i] >= 0 else 0.0
        for k in range(ny):
            for e in range(d):
                value += a[k, e] * ydot[k, e]
                bend[k, e] = 0.0
                for m in range(ny):
                    for b in range(d):
                        bend[k, e] += kappa * pace * ydot[m, b] * Ky[m, b, k, e]
        c[index] = pace * value
        mu, size = multipliers[index], 0.0
        for r in range(nr):
            row = table.rows[first + r]
            still = rows.kind[row] == FIXED
            mapped = rate_map.shape[0] > 0 and rows.kind[row] == DIRECTOR
            for e in range(d):
                g[e] = turn[e] = 0.0
                for k in range(ny):
                    w = table.weights[at + k * nr + r]
                    g[e] += w * a[k, e]
                    turn[e] += w * bend[k, e]
                q[row, e] += mu * g[e]
                q_scale[row, e] += abs(mu * g[e])
                size += abs(g[e]) * max(abs(x1[row, e]), rows.size[row])
                if not mapped:
                    turn[e] += g[e]
            if not tangent or still:
                continue
            scatter_vector(A, table.column[first + r], rows.stride[row], rows.kind[row], x_test[row], g, d)
            scatter_vector(A, table.line[first + r], 1, rows.kind[row], x1[row], turn, d)
            if mapped:
                for b in range(3 if d == 3 else 1):
                    for e in range(d):
                        A[table.line[first + r] + b] += pace * g[e] * rate_map[row, e, b if d == 3 else 2]
        c_scale[index] = size
        if tangent and mu != 0.0:
            for k in range(ny):
                for e in range(d):
                    for m in range(ny):
                        for b in range(d):
                            Ky[k, e, m, b] *= mu * kappa
            clear(K, nr, d)
            weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
            scatter_instance(table, i, rows, x_test, x1, K, A)
    return 0


@kernel
def rate_at(table, i, x, v, y, ydot, a, K):
    """Gathers y and ẏ of an instance, and fills a and ∂a/∂y there."""
    ny, d, point = table.vectors[i], y.shape[1], table.point_start[i]
    gather(table, i, point, x, y)
    gather(table, i, point, v, ydot)
    clear_function(ny, d, a, K)
    rate_law(table.law[i], ny, d, y, table.params[table.param_start[i] : table.param_start[i + 1]], a, K)


@kernel
def rate_derivatives(table, x, v, acceleration, aims, order, out):
    """What velocities miss their constraints by (order 1), a·ẏ − b, or the derivative of that by time (order 2).

    aims: b (order 1) or ḃ (order 2) of all functions of time.
    """
    _rate_derivatives(table, x, v, acceleration, aims, order, out)


@separate(count(LAWS, f2, f2, f2, f1, count, f1))
def _rate_derivatives(table, x, v, acceleration, aims, order, out):
    d, most = x.shape[1], most_vectors(table)
    y, w, b, a = (np.zeros((most, d)), np.zeros((most, d)), np.zeros((most, d)), np.zeros((most, d)))
    K = np.zeros((most, d, most, d))
    for i in range(table.law.size):
        ny = table.vectors[i]
        rate_at(table, i, x, v, y, w, a, K)
        gather(table, i, table.point_start[i], acceleration, b)
        total = -aims[table.drive[i]] if table.drive[i] >= 0 else 0.0
        for k in range(ny):
            for e in range(d):
                if order == 1:
                    total += a[k, e] * w[k, e]
                    continue
                total += a[k, e] * b[k, e]
                for m in range(ny):
                    for f in range(d):
                        total += w[k, e] * K[k, e, m, f] * w[m, f]
        out[table.channel[i]] = total
    return 0
