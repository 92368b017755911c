"""Geometric stiffness of constraints: how the forces of given multipliers change as the model moves (Hewlett 2020, §3.2).

Forces of constraints are Pᵀ q with q = Σ λ ∂c/∂x on rows and the tangent maps P. With λ held, their derivative by unknowns is

    K = Pᵀ (Σ λ ∂²c/∂x∂x) P + Σ S(q_i) S(d_i)

the second derivative of every constraint, as its law gives it, and the turning of the maps: one formula for all joints. Only
the last term is unsymmetric, within the 3 × 3 block of a body, so that this is all that has to be symmetrised.
"""

import numpy as np

from condyle.laws.gram import gram_law, strain_stiffness
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.maps import add_curvature, project, row_of, turns_of
from condyle.system.assembly.places import clear, family, gather, gram, most_of
from condyle.system.assembly.rates import rate_at
from condyle.system.assembly.weighing import law_stiffness, scatter_instance, weigh
from condyle.system.signatures import WHOLE_SYSTEM, count, f1, f2, flag, number
from condyle.system.tables import PENALTY


@kernel
def add_geometric_stiffness(whole, x, multipliers, factor, symmetric, stressed, q, A):
    """A += factor K at x. stressed: with that of the present stress of elastic bodies. q: room, (n, d)."""
    _add_geometric(whole, x, x, multipliers, factor, symmetric, stressed, True, q, q, A)


@kernel
def geometric_rate(whole, x, v, multipliers, symmetric, stressed, q, rate, r):
    """r = K u, u the unknowns that move the rows with v: how fast the forces of constraints change; q, rate: room, (n, d)."""
    _add_geometric(whole, x, v, multipliers, 1.0, symmetric, stressed, False, q, rate, r)
    for k in range(r.size):
        r[k] = 0.0
    _turn_rates(whole.rows, x, v, symmetric, q, r)
    project(whole.rows, x, rate, q, q, r, np.zeros(r.size), np.zeros(r.size))


@separate(count(WHOLE_SYSTEM, f2, f2, f1, number, flag, flag, flag, f2, f2, f1))
def _add_geometric(whole, x, v, multipliers, factor, symmetric, stressed, matrix, q, rate, A):
    """Forces of constraints into q; into A their derivative, or into `rate` that along the rates v of the rows."""
    rows, laws, spans = whole.rows, whole.laws, whole.spans
    for i in range(q.shape[0]):
        for a in range(q.shape[1]):
            q[i, a] = 0.0
            rate[i, a] = 0.0
    if stressed:
        _stresses(family(laws, spans, 0), rows, x, v, factor, matrix, q, rate, A)
    _links(family(laws, spans, 2), multipliers, q)
    if spans[4] > spans[3]:
        _constraints(family(laws, spans, 3), rows, x, v, multipliers, factor, matrix, q, rate, A)
    if spans[5] > spans[4]:
        _rates(family(laws, spans, 4), rows, x, v, multipliers, factor, matrix, q, rate, A)
    if matrix:
        add_curvature(rows, q, x, factor, A)
        if symmetric and x.shape[1] == 3:
            _symmetrise(rows, x, factor, q, A)
    return 0


@kernel
def _links(table, multipliers, q):
    """Forces of links; they are linear in the rows."""
    d = q.shape[1]
    for i in range(table.law.size):
        if table.hold[i] == PENALTY:
            continue
        first, at, index = table.row_start[i], table.weight_start[table.point_start[i]], table.channel[i]
        for r in range(table.row_start[i + 1] - first):
            for a in range(d):
                q[table.rows[first + r], a] += table.weights[at + r] * multipliers[index + a]


@kernel
def _constraints(table, rows, x, v, multipliers, factor, matrix, q, rate, A):
    """λ ∂c/∂y = 2 λ S y and λ (2 S + 4 yᵀ H y) of scalar constraints."""
    d = x.shape[1]
    most_y, most_r = most_of(table)
    y, f = np.zeros((most_y, d)), np.zeros((most_y, d))
    G, S, H = np.zeros((most_y, most_y)), np.zeros((most_y, most_y)), np.zeros((most_y, most_y, most_y, most_y))
    Ky, Kyr, K = np.zeros((most_y, d, most_y, d)), np.zeros((most_y, d, most_r, d)), np.zeros((most_r, most_r, d, d))
    for i in range(table.law.size):
        mu = multipliers[table.channel[i]]
        if table.hold[i] == PENALTY or mu == 0.0:
            continue
        ny = table.vectors[i]
        gather(table, i, table.point_start[i], x, y)
        gram(ny, d, y, G)
        gram_law(table.law[i], ny, G, table.params[table.param_start[i] : table.param_start[i + 1]], S, H)
        for k in range(ny):
            for a in range(d):
                f[k, a] = 0.0
                for j in range(ny):
                    f[k, a] += 2.0 * mu * S[k, j] * y[j, a]
        law_stiffness(ny, d, mu, 1.0, S, H, y, y, Ky)
        _to_rows(table, i, table.point_start[i], rows, x, v, factor, matrix, f, Ky, Kyr, K, q, rate, A)


@kernel
def _rates(table, rows, x, v, multipliers, factor, matrix, q, rate, A):
    """λ a and λ ∂a/∂y of constraints of velocities."""
    d = x.shape[1]
    most_y, most_r = most_of(table)
    y, w, f = np.zeros((most_y, d)), np.zeros((most_y, d)), np.zeros((most_y, d))
    Ky, Kyr, K = np.zeros((most_y, d, most_y, d)), np.zeros((most_y, d, most_r, d)), np.zeros((most_r, most_r, d, d))
    for i in range(table.law.size):
        mu, ny = multipliers[table.channel[i]], table.vectors[i]
        rate_at(table, i, x, v, y, w, f, Ky)
        for k in range(ny):
            for a in range(d):
                f[k, a] *= mu
                for m in range(ny):
                    for b in range(d):
                        Ky[k, a, m, b] *= mu
        _to_rows(table, i, table.point_start[i], rows, x, v, factor, matrix, f, Ky, Kyr, K, q, rate, A)


@kernel
def _stresses(table, rows, x, v, factor, matrix, q, rate, A):
    """Of stored energies all of ∂²ψ/∂y∂y that the compliant step leaves out: strains are constraints, stresses their forces."""
    d = x.shape[1]
    most_y, most_r = most_of(table)
    y, f = np.zeros((most_y, d)), np.zeros((most_y, d))
    G, S, H = np.zeros((most_y, most_y)), np.zeros((most_y, most_y)), np.zeros((most_y, most_y, most_y, most_y))
    Ky, Kyr, K = np.zeros((most_y, d, most_y, d)), np.zeros((most_y, d, most_r, d)), np.zeros((most_r, most_r, d, d))
    strain = np.zeros((most_y, d, most_y, d))
    for i in range(table.law.size):
        ny, p = table.vectors[i], table.params[table.param_start[i] : table.param_start[i + 1]]
        for point in range(table.point_start[i], table.point_start[i + 1]):
            measure = table.measure[point]
            gather(table, i, point, x, y)
            gram(ny, d, y, G)
            gram_law(table.law[i], ny, G, p, S, H)
            law_stiffness(ny, d, measure, 1.0, S, H, y, y, Ky)
            for k in range(ny):
                for a in range(d):
                    f[k, a] = 0.0
                    for j in range(ny):
                        f[k, a] += 2.0 * measure * S[k, j] * y[j, a]
            strain_stiffness(table.law[i], ny, d, y, G, p, H, strain)
            for k in range(ny):
                for a in range(d):
                    for m in range(ny):
                        for b in range(d):
                            Ky[k, a, m, b] -= measure * strain[k, a, m, b]
            _to_rows(table, i, point, rows, x, v, factor, matrix, f, Ky, Kyr, K, q, rate, A)


@kernel
def _to_rows(table, i, point, rows, x, v, factor, matrix, f, Ky, Kyr, K, q, rate, A):
    """Forces f on the gathered vectors and their derivative Ky, on the rows: q and A, or q and `rate`."""
    d, ny, first = x.shape[1], table.vectors[i], table.row_start[i]
    nr, at = table.row_start[i + 1] - first, table.weight_start[point]
    for r in range(nr):
        for k in range(ny):
            w = table.weights[at + k * nr + r]
            if w != 0.0:
                for a in range(d):
                    q[table.rows[first + r], a] += w * f[k, a]
    clear(K, nr, d)
    weigh(ny, nr, d, table.weights, at, Ky, Kyr, K)
    if not matrix:
        for r in range(nr):
            for s in range(nr):
                for a in range(d):
                    for b in range(d):
                        rate[table.rows[first + r], a] += K[r, s, a, b] * v[table.rows[first + s], b]
        return
    for r in range(nr):
        for s in range(nr):
            for a in range(d):
                for b in range(d):
                    K[r, s, a, b] *= factor
    scatter_instance(table, i, rows, x, x, K, A)


@kernel
def _symmetrise(rows, x, factor, q, A):
    """S(q) S(d) = d qᵀ − (q·d) 1 becomes ½ (d qᵀ + q dᵀ) − (q·d) 1."""
    for body in range(rows.bodies.shape[0]):
        slot, stride = rows.body_slot[body], rows.stride[rows.bodies[body, 0]]
        for k in range(3):
            row = rows.bodies[body, k]
            for a in range(3):
                for b in range(3):
                    A[slot + a * stride + b] += 0.5 * factor * (q[row, a] * x[row, b] - x[row, a] * q[row, b])


@kernel
def _turn_rates(rows, x, v, symmetric, q, r):
    """The turning of the maps along v: Σ ḋ_i × q_i of each body, or what is left of it if symmetrised."""
    d = x.shape[1]
    spin = np.zeros((rows.bodies.shape[0], 3))
    turns_of(rows, x, v, 1.0, spin)
    for body in range(rows.bodies.shape[0]):
        u = rows.unknown[rows.bodies[body, 0]]
        for k in range(d):
            row = rows.bodies[body, k]
            w0, w1, w2 = row_of(v, row)
            f0, f1, f2 = row_of(q, row)
            if d == 2:
                r[u] += w0 * f1 - w1 * f0
                continue
            r[u] += w1 * f2 - w2 * f1
            r[u + 1] += w2 * f0 - w0 * f2
            r[u + 2] += w0 * f1 - w1 * f0
            if symmetric:
                along = force = 0.0
                for a in range(3):
                    along += x[row, a] * spin[body, a]
                    force += q[row, a] * spin[body, a]
                for a in range(3):
                    r[u + a] += 0.5 * (q[row, a] * along - x[row, a] * force)
