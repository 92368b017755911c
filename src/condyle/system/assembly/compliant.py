"""Residual and matrix of the first-order compliant step (Hewlett 2020, R38), in one pass at the start of the step."""

import numpy as np

from condyle.laws.gram import gram_law, strain_stiffness, viscous_moduli
from condyle.laws.kernel import kernel
from condyle.system.assembly.constraints import add_constraints, add_links
from condyle.system.assembly.forces import add_forces
from condyle.system.assembly.inertia import add_body_inertia, add_inertia
from condyle.system.assembly.maps import project
from condyle.system.assembly.places import clear, family, gather, gram
from condyle.system.assembly.weighing import law_stiffness, scatter_instance, weigh
from condyle.system.tables import END


@kernel
def add_strains(table, rows, x, h, stiff, q, q_scale, A):
    """q += ∂ψ/∂x at x; A += Jᵀ C⁻¹ J of the strains (if `stiff`) and of their rates, Kelvin–Voigt: (β/h) Jᵀ C⁻¹ J."""
    d = x.shape[1]
    most_y, most_r = 1, 1
    for i in range(table.law.size):
        most_y = max(most_y, table.vectors[i])
        most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
    y, f = np.zeros((most_y, d)), np.zeros((most_y, d))
    G, S, H = np.zeros((most_y, most_y)), np.zeros((most_y, most_y)), np.zeros((most_y, most_y, most_y, most_y))
    Ky, Kyr = np.zeros((most_y, d, most_y, d)), np.zeros((most_y, d, most_r, d))
    K = np.zeros((most_r, most_r, d, d))
    for i in range(table.law.size):
        ny = table.vectors[i]
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        clear(K, nr, d)
        for point in range(table.point_start[i], table.point_start[i + 1]):
            measure, at = table.measure[point], table.weight_start[point]
            gather(table, i, point, x, y)
            gram(ny, d, y, G)
            gram_law(table.law[i], ny, G, p, S, H)
            for k in range(ny):
                for a in range(d):
                    value = 0.0
                    for j in range(ny):
                        value += S[k, j] * y[j, a]
                    f[k, a] = 2.0 * measure * value
                for r in range(nr):
                    w = table.weights[at + k * nr + r]
                    for a in range(d):
                        q[table.rows[first + r], a] += w * f[k, a]
                        q_scale[table.rows[first + r], a] += abs(w * f[k, a])
            if stiff:
                strain_stiffness(table.law[i], ny, d, y, G, p, H, Ky)
                for k in range(ny):
                    for m in range(ny):
                        for a in range(d):
                            for b in range(d):
                                Ky[k, a, m, b] *= measure
                weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
            if table.viscosity[i] > 0.0:
                viscous_moduli(table.law[i], ny, G, p, S, H)
                law_stiffness(ny, d, measure * table.viscosity[i] / h, 0.0, S, H, y, y, Ky)
                weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
        scatter_instance(table, i, rows, x, x, K, A)


@kernel
def assemble_compliant(parts, x, still, acceleration, loads, held, h, stiff, maps, out):
    """Fill `out` so that A du = −r, G du = −c gives du = h v1: one linear solve per step.

    x: rows at the start of the step, driven ones at its end; still: zeros like x; acceleration: −v0/h and the part of ẍ
    that directors have in steady rotation; loads, held, maps, out as in `assemble`.
    """
    rows, bodies, mass, apart, laws, spans = parts
    gravity, amplitudes, targets = loads
    multipliers, stiffness_l, stiffness_c = held
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    for i in range(r.size):
        r[i] = 0.0
        r_scale[i] = 0.0
        r_noise[i] = 0.0
    for i in range(A.size):
        A[i] = 0.0
    for i in range(q.shape[0]):
        for a in range(q.shape[1]):
            q[i, a] = -gravity[i, a]
            q_scale[i, a] = abs(gravity[i, a])
            q_noise[i, a] = 0.0
    add_body_inertia(bodies, rows, acceleration, x, x, 1.0 / (h * h), True, q, q_scale, A)
    add_inertia(mass, apart, rows, acceleration, still, x, x, 1.0 / (h * h), 1.0 / h, maps, True, q, q_scale, A)
    add_strains(family(laws, spans, 0), rows, x, h, stiff, q, q_scale, A)
    add_forces(family(laws, spans, 1), rows, x, still, x, amplitudes, 0.0, 1.0 / h, maps[1], True, q, q_scale, A)
    add_links(
        family(laws, spans, 2), rows, x, x, multipliers, stiffness_l, END, True, q, q_scale, q_noise, c, c_scale, A
    )  # fmt: skip
    add_constraints(
        family(laws, spans, 3), rows, x, x, targets, multipliers, stiffness_c, END, True, q, q_scale, q_noise, c, c_scale, A
    )  # fmt: skip
    project(rows, x, q, q_scale, q_noise, r, r_scale, r_noise)
