"""Residual and matrix of the first-order compliant step (Hewlett 2020, chapter 5), in one pass at the start of the step."""

import numpy as np
from numba import types

from condyle.laws.gram import gram_law, strain_stiffness
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.constraints import add_constraints
from condyle.system.assembly.elements import is_slender
from condyle.system.assembly.forces import add_forces
from condyle.system.assembly.inelastic import viscous_tensor
from condyle.system.assembly.inertia import add_body_inertia, add_inertia
from condyle.system.assembly.links import add_links
from condyle.system.assembly.maps import project
from condyle.system.assembly.places import begin_residual, family, gather_vectors, gram
from condyle.system.assembly.rates import add_rates
from condyle.system.assembly.slender import add_slender_strains
from condyle.system.assembly.weighing import force_of, law_stiffness, scatter_element, weigh_left, weigh_right
from condyle.system.assembly.whole import OUT
from condyle.system.signatures import MAPS, WHOLE_SYSTEM, count, f1, f2, flag, number, several
from condyle.system.tables import END

_LOADS = types.Tuple((f2, f1, f2))


@kernel
def add_strains(table, rows, x, h, stiff, q, q_scale, A):
    """q += ∂ψ/∂x at x; A += Jᵀ C⁻¹ J of the strains (if `stiff`) and of their rates, Kelvin–Voigt: (1/h) Jᵀ V J.

    V is β C⁻¹ or, of a viscosity η, that of ½ η Ċ. Viscous forces belong to the velocities at the end of the step, and their
    matrix is never negative: the step stays stable however viscous the material.
    """
    add_slender_strains(table, rows, x, h, stiff, q, q_scale, A)
    d = x.shape[1]
    most_y, most_r = 1, 1
    for i in range(table.law.size):
        if not is_slender(table.law[i]):
            most_y = max(most_y, table.vectors[i])
            most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
    y, nodes = np.zeros((most_y, d)), np.zeros((most_r, d))
    G, S = np.zeros((most_y, most_y)), np.zeros((most_y, most_y))
    H, V = np.zeros((most_y, most_y, most_y, most_y)), np.zeros((most_y, most_y, most_y, most_y))
    Ky, T = np.zeros((most_y, d, most_y, d)), np.zeros((most_y, d, most_r * d))
    f, K = np.zeros((2, most_r, d)), np.zeros((most_r * d, most_r * d))
    for i in range(table.law.size):
        if is_slender(table.law[i]):
            continue
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        for r in range(nr):
            for a in range(d):
                nodes[r, a] = x[table.rows[first + r], a]
                f[0, r, a] = 0.0
                f[1, r, a] = 0.0
        for r in range(nr * d):
            for s in range(nr * d):
                K[r, s] = 0.0
        _strains(table, i, nr, d, h, stiff, nodes, y, f, K, (G, S, H, V, Ky, T))
        for r in range(nr):
            for a in range(d):
                q[table.rows[first + r], a] += f[0, r, a]
                q_scale[table.rows[first + r], a] += f[1, r, a]
        scatter_element(table, i, rows, x, x, K, A)


@kernel
def _strains(table, i, nr, d, h, stiff, nodes, y, f, K, work):
    """Force f and stiffness K of one instance of any law."""
    G, S, H, V, Ky, T = work
    law, ny = table.law[i], table.vectors[i]
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    beta, eta = table.damping[i], table.viscosity[i]
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(table.weights, at, ny, nr, d, nodes, y)
        gram(ny, d, y, G)
        gram_law(law, ny, G, p, S, H)
        for k in range(ny):
            for a in range(d):
                value = force_of(ny, k, a, measure, S, y)
                for r in range(nr):
                    w = table.weights[at + k * nr + r]
                    f[0, r, a] += w * value
                    f[1, r, a] += abs(w * value)
        for k in range(ny):
            for a in range(d):
                for s in range(nr * d):
                    T[k, a, s] = 0.0
        if stiff:
            strain_stiffness(law, ny, d, y, G, p, H, Ky)
            for k in range(ny):
                for m in range(ny):
                    for a in range(d):
                        for b in range(d):
                            Ky[k, a, m, b] *= measure
            weigh_right(ny, nr, d, table.weights, at, Ky, 0, T)
        if beta > 0.0 or eta > 0.0:
            viscous_tensor(law, ny, beta, eta, G, p, S, H, V)
            law_stiffness(ny, d, measure / h, 0.0, S, V, y, y, Ky)
            weigh_right(ny, nr, d, table.weights, at, Ky, 0, T)
        weigh_left(ny, nr, d, table.weights, at, T, K)


@kernel
def assemble_compliant(whole, x, still, acceleration, loads, held, h, stiff, maps, out):
    """Fill `out` so that A du = −r, G du = −c gives du = h v1: one linear solve per step.

    x: rows at the start of the step, driven ones at its end; still: rates of driven rows, else 0; acceleration: −v0/h and the
    part of ẍ that directors have in steady rotation; loads, held, maps, out as in `assemble`.
    """
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    arrays = (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A)
    _assemble(whole, x, still, acceleration, loads, held, h, stiff, maps, arrays)


@separate(count(WHOLE_SYSTEM, f2, f2, f2, _LOADS, several(f1, 3), number, flag, several(MAPS, 2), OUT))
def _assemble(whole, x, still, acceleration, loads, held, h, stiff, maps, out):
    rows, bodies, mass, apart = whole.rows, whole.bodies, whole.mass, whole.apart
    laws, spans = whole.laws, whole.spans
    gravity, amplitudes, targets = loads
    multipliers, stiffness_l, stiffness_c = held
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    begin_residual(gravity, True, q, q_scale, q_noise, r, r_scale, r_noise, A)
    add_body_inertia(bodies, rows, acceleration, x, x, 1.0 / (h * h), True, q, q_scale, A)
    add_inertia(mass, apart, rows, acceleration, still, x, x, 1.0 / (h * h), 1.0 / h, maps, True, q, q_scale, A)
    if spans[1] > spans[0]:
        add_strains(family(laws, spans, 0), rows, x, h, stiff, q, q_scale, A)
    if spans[2] > spans[1]:
        add_forces(family(laws, spans, 1), rows, x, still, x, amplitudes, 0.0, 1.0 / h, maps[1], True, q, q_scale, A)
    add_links(
        family(laws, spans, 2), rows, x, x, multipliers, stiffness_l, END, True, q, q_scale, q_noise, c, c_scale, A
    )  # fmt: skip
    add_constraints(
        family(laws, spans, 3), rows, x, x, targets, multipliers, stiffness_c, END, True, q, q_scale, q_noise, c, c_scale, A
    )  # fmt: skip
    if spans[5] > spans[4]:
        add_rates(
            family(laws, spans, 4), rows, x, still, x, amplitudes, multipliers, 0.0, 1.0 / h, maps[1], True, q, q_scale, c,
            c_scale, A,
        )  # fmt: skip
    project(rows, x, q, q_scale, q_noise, r, r_scale, r_noise)
    return 0
