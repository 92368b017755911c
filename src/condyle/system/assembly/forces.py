"""Forces f(y, ẏ, t): loads, torques, dampers, motors."""

import numpy as np

from condyle.laws.codes import DEAD_LOAD
from condyle.laws.derivatives import clear_function
from condyle.laws.forces import force_law
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.maps import scatter_mapped, share_of_row
from condyle.system.assembly.places import clear, gather, most_of
from condyle.system.assembly.weighing import scatter_instance, weigh
from condyle.system.signatures import LAWS, MAPS, ROWS, count, f1, f2, flag, number
from condyle.system.tables import DIRECTOR


@kernel
def add_forces(table, rows, x_test, x_dot, x1, amplitudes, kappa, kappa_dot, rate_map, tangent, q, q_scale, A):
    """q −= f(y, ẏ, t) at the test configuration; κ = ∂y/∂y1, κ̇ = ∂ẏ/∂y1 [1/s] (directors: `rate_map` where given).

    Forces on quasi-static bodies are taken at x1; other rows that they act on get the share κ (see `share_of_row`).
    """
    _add_forces(table, rows, x_test, x_dot, x1, amplitudes, kappa, kappa_dot, rate_map, tangent, q, q_scale, A)


@separate(count(LAWS, ROWS, f2, f2, f2, f1, number, number, MAPS, flag, f2, f2, f1))
def _add_forces(table, rows, x_test, x_dot, x1, amplitudes, kappa, kappa_dot, rate_map, tangent, q, q_scale, A):
    d = x1.shape[1]
    most_y, most_r = most_of(table)
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
        at_end = table.at_end[i]
        gather(table, i, point, x1 if at_end else x_test, y)
        gather(table, i, point, x_dot, ydot)
        clear_function(ny, d, f, Ky)
        clear_function(ny, d, f, Kv)
        amplitude = amplitudes[table.channel[i]] if table.channel[i] >= 0 else 1.0
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        force_law(table.law[i], ny, d, y, ydot, amplitude, p, f, Ky, Kv)
        for k in range(ny):
            for r in range(nr):
                w = table.weights[at + k * nr + r]
                row = table.rows[first + r]
                w *= share_of_row(rows, row, at_end, kappa)
                for a in range(d):
                    q[row, a] -= w * f[k, a]
                    q_scale[row, a] += abs(w * f[k, a])
        if tangent and table.law[i] != DEAD_LOAD:
            for k in range(ny):
                for a in range(d):
                    for m in range(ny):
                        for b in range(d):
                            Ky[k, a, m, b] *= -1.0 if at_end else -kappa
                            Kv[k, a, m, b] *= -1.0
            clear(K, nr, d)
            clear(D, nr, d)
            weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
            weigh(ny, nr, d, table.weights, at, Kv, Kyr, D)
            for r in range(nr):
                row = table.rows[first + r]
                share = share_of_row(rows, row, at_end, kappa)
                for s in range(nr):
                    slot = table.slots[table.slot_start[i] + r * nr + s]
                    other = table.rows[first + s]
                    if share != 1.0:
                        for a in range(d):
                            for b in range(d):
                                K[r, s, a, b] *= share
                                D[r, s, a, b] *= share
                    if rate_map.shape[0] > 0 and rows.kind[other] == DIRECTOR:
                        if slot >= 0:
                            scatter_mapped(
                                A, slot, rows.stride[row], rows.kind[row], x_test[row], D[r, s], rate_map[other], d
                            )
                    else:
                        rate = rows.pace[0] if rows.quasi[other] and rows.pace[0] > 0.0 else kappa_dot
                        for a in range(d):
                            for b in range(d):
                                K[r, s, a, b] += rate * D[r, s, a, b]
            scatter_instance(table, i, rows, x_test, x1, K, A)
    return 0
