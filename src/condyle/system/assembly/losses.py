"""What viscosity and fading memory take out of a step."""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.laws.solids import has_mean_dilatation
from condyle.system.assembly.elements import is_slender
from condyle.system.assembly.inelastic import add_past, viscous_tensor
from condyle.system.assembly.places import fades, gather, gram, most_vectors
from condyle.system.assembly.slender import slender_losses
from condyle.system.signatures import LAWS, f2, number
from condyle.system.tables import CONSERVING


@kernel
def viscous_work(table, x0, x1, h):
    """Work [J] that viscosity takes out over a step: Σ ΔG:V:ΔG / h, V at the mean of G; and that of fading stress, S:ΔG."""
    for i in range(table.law.size):
        if fades(table, i) or table.damping[i] != 0.0 or table.viscosity[i] != 0.0:
            return _viscous_work(table, x0, x1, h)
    return 0.0


@kernel
def _grams(table, i, point, x0, x1, y, G0, G1):
    """G at both ends of a step; y: work array."""
    gather(table, i, point, x0, y)
    gram(table.vectors[i], x0.shape[1], y, G0)
    gather(table, i, point, x1, y)
    gram(table.vectors[i], x0.shape[1], y, G1)


@separate(number(LAWS, f2, f2, number))
def _viscous_work(table, x0, x1, h):
    d = x0.shape[1]
    most = most_vectors(table)
    y, G0, G1 = np.zeros((most, d)), np.zeros((most, most)), np.zeros((most, most))
    G, S, H = np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most, most, most))
    V, K = np.zeros((most, most, most, most)), np.zeros((most, most, most, most))
    spare = np.zeros((most, most))
    slender = False
    total = 0.0
    for i in range(table.law.size):
        if fades(table, i):
            ny = table.vectors[i]
            p = table.params[table.param_start[i] : table.param_start[i + 1]].copy()
            for point in range(table.point_start[i], table.point_start[i + 1]):
                _grams(table, i, point, x0, x1, y, G0, G1)
                for k in range(ny):
                    for j in range(ny):
                        S[k, j] = 0.0
                mean = has_mean_dilatation(table.law[i], p)
                at = point - table.point_start[i]
                add_past(table, i, CONSERVING, mean, G0, G1, p, at, S, spare, K, G, H)
                for k in range(ny):
                    for j in range(ny):
                        total += table.measure[point] * S[k, j] * (G1[k, j] - G0[k, j])
        beta, eta = table.damping[i], table.viscosity[i]
        if beta > 0.0 and is_slender(table.law[i]):
            slender = True
        elif beta > 0.0 or eta > 0.0:
            ny = table.vectors[i]
            p = table.params[table.param_start[i] : table.param_start[i + 1]]
            for point in range(table.point_start[i], table.point_start[i + 1]):
                _grams(table, i, point, x0, x1, y, G0, G1)
                for k in range(ny):
                    for j in range(ny):
                        G[k, j] = 0.5 * (G0[k, j] + G1[k, j])
                viscous_tensor(table.law[i], ny, beta, eta, G, p, S, H, V)
                for k in range(ny):
                    for j in range(ny):
                        for m in range(ny):
                            for n in range(ny):
                                rate = V[k, j, m, n] * (G1[k, j] - G0[k, j]) * (G1[m, n] - G0[m, n]) / h
                                total += table.measure[point] * rate
    return total + slender_losses(table, x0, x1) / h if slender else total
