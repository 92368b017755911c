"""The saddle-point problem of masses and constraint gradients in row form, and time derivatives of constraints.

    [m  Gᵀ] [y]   [force ]
    [G  0 ] [μ] = [wanted]

For models of a few bodies all of it is done here, with a dense factorisation; start.py knows what it is good for.
"""

import numpy as np
from numba import types

from condyle.laws.codes import DOT_PRODUCT
from condyle.laws.column_types import numba_type
from condyle.laws.dense import exchange_rows, pivot_row
from condyle.laws.gram import gram_law
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.maps import row_of, scatter_scalar, scatter_vector
from condyle.system.assembly.places import family, gather, gram, most_vectors
from condyle.system.assembly.rates import add_rates, rate_derivatives
from condyle.system.assembly.whole import NO_MAP, assemble_compiled
from condyle.system.linear.sharing import REGULARISATION, regularise
from condyle.system.signatures import WHOLE_SYSTEM, count, f1, f2, i1, j1, number
from condyle.system.tables import AUGMENTED, END, FIXED, FREE, NOWHERE, Couplings

SMALL_PIVOT = 1e-13  # of the scaled matrix: below it, the factorisation is left to a solver that tests for singularity


@kernel
def row_accelerations(whole, motion, loads, held, more, given, damping, rates, layout, factors, out, y, mu):
    """Accelerations y (n, d) of the rows that are solved for, and multipliers μ (m,); False if the matrix may be singular.

    motion, loads, held, out: as for `assemble`; more: further forces on rows; given: accelerations of rows that move as
    prescribed, else zero; damping = (2α, β²) of Baumgarte's terms; rates: all functions of time, their first and second
    derivatives (3, nf); layout: see `solve_saddle` and `saddle_matrix`.
    """
    stand_ins, pattern, first, coupled, unknown, live = layout
    x, v = motion[0], motion[3]
    q, c, c_scale, A = out[0], out[6], out[7], out[8]
    held_where = END if _is_stiff(held[1]) or _is_stiff(held[2]) else NOWHERE  # multipliers are zero here
    assemble_compiled(whole, motion, loads, held, END, held_where, (0.0, 1.0, 0.0), (NO_MAP, NO_MAP), False, out)
    force = np.zeros(q.shape)
    for i in range(q.shape[0]):
        for a in range(q.shape[1]):
            force[i, a] = more[i, a] - q[i, a]
    mass = whole.mass
    for e in range(mass.value.size):  # prescribed rows pull on those that share mass with them
        for a in range(x.shape[1]):
            force[mass.first[e], a] -= mass.value[e] * given[mass.second[e], a]
    saddle_matrix(whole, x, loads[2], stand_ins, coupled, out)
    scale, lu, pivots = factors
    if not factor_dense(pattern, A, first, scale, lu, pivots):
        return False
    wanted, speed = np.zeros(mu.size), np.zeros(mu.size)
    constraint_rates(whole, x, v, given, rates, 2, wanted)
    if damping[0] != 0.0 or damping[1] != 0.0:
        constraint_rates(whole, x, v, given, rates, 1, speed)
    for k in range(mu.size):
        wanted[k] = -wanted[k] - damping[0] * speed[k] - damping[1] * c[k]
    solve_saddle(pattern, A, first, unknown, live, factors, c_scale, force, wanted, y, mu)
    return True


@kernel
def _is_stiff(stiffness):
    """Is a penalty among them?"""
    found = False
    for k in range(stiffness.size):
        found = found or stiffness[k] != 0.0
    return found


@kernel
def saddle_matrix(whole, x, targets, stand_ins, coupled, out):
    """The matrix at x, its multipliers regularised, and the constraint values there.

    targets: functions of time (2, nf); stand_ins: slots of rows without inertia, and what is put there; coupled: where the
    constraint gradients stand, and the least stiffness (`sharing.regularise`).
    """
    _saddle_matrix(whole, x, targets[1], stand_ins, coupled, out[6], out[7], out[8])


@separate(
    count(WHOLE_SYSTEM, f2, f1, types.Tuple((i1, number)), types.Tuple((numba_type(Couplings), number)), f1, f1, f1)
)
def _saddle_matrix(whole, x, targets, stand_ins, coupled, c, c_scale, A):
    """Masses and gradients alone: forces of multipliers and what changes them are no part of the matrix, so no law is either.

    Models that only start in row form then need not compile the stiffness of constraints.
    """
    for i in range(A.size):
        A[i] = 0.0
    mass, rows = whole.mass, whole.rows
    for e in range(mass.value.size):
        i, j = mass.first[e], mass.second[e]
        if mass.slot[e] >= 0:
            scatter_scalar(
                A, mass.slot[e], rows.stride[i], rows.kind[i], rows.kind[j], row_of(x, i), row_of(x, j), mass.value[e],
                x.shape[1],
            )  # fmt: skip
    _link_gradients(family(whole.laws, whole.spans, 2), rows, x, c, c_scale, A)
    _constraint_gradients(family(whole.laws, whole.spans, 3), rows, x, targets, c, c_scale, A)
    if whole.spans[5] > whole.spans[4]:
        still, unused, no_force = np.zeros(x.shape), np.zeros(c.size), np.zeros(x.shape)
        add_rates(
            family(whole.laws, whole.spans, 4), rows, x, still, x, targets, unused, 1.0, 0.0, NO_MAP, True, no_force,
            np.zeros(x.shape), c, c_scale, A,
        )  # fmt: skip
    slots, size = stand_ins
    for k in range(slots.size):
        A[slots[k]] += size
    couplings, least = coupled
    regularise(couplings, REGULARISATION, least, A)
    return 0


@kernel
def _link_gradients(table, rows, x, c, c_scale, A):
    """Values, sizes, columns and lines of the links y = offset."""
    d = x.shape[1]
    for i in range(table.law.size):
        first, at = table.row_start[i], table.weight_start[table.point_start[i]]
        index, offset = table.channel[i], table.param_start[i]
        for a in range(d):
            c[index + a] = -table.params[offset + a]
            c_scale[index + a] = 0.0
        for r in range(table.row_start[i + 1] - first):
            row, w = table.rows[first + r], table.weights[at + r]
            for a in range(d):
                c[index + a] += w * x[row, a]
                c_scale[index + a] += abs(w) * max(abs(x[row, a]), rows.size[row])
            if rows.kind[row] != FIXED and table.hold[i] <= AUGMENTED:
                here, kind = row_of(x, row), rows.kind[row]
                scatter_scalar(A, table.column[first + r], rows.stride[row], kind, FREE, here, here, w, d)
                scatter_scalar(A, table.line[first + r], table.width[i], FREE, kind, here, here, w, d)


@kernel
def _constraint_gradients(table, rows, x, targets, c, c_scale, A):
    """Values, sizes, columns and lines of the constraints c(G) = 0, with the gradient 2 Σ_j S_kj y_j by y_k."""
    d, most = x.shape[1], most_vectors(table)
    y, pull, g = np.zeros((most, d)), np.zeros((most, d)), np.zeros(d)
    G, S, H = np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most, most, most))
    for i in range(table.law.size):
        ny, first, index = table.vectors[i], table.row_start[i], table.channel[i]
        nr, at = table.row_start[i + 1] - first, table.weight_start[table.point_start[i]]
        value = constraint_pull(table, i, x, y, G, S, H, pull)
        c[index] = value - targets[table.drive[i]] if table.drive[i] >= 0 else value
        size = 0.0
        for r in range(nr):
            row = table.rows[first + r]
            for a in range(d):
                g[a] = 0.0
                for k in range(ny):
                    g[a] += table.weights[at + k * nr + r] * pull[k, a]
                size += abs(g[a]) * max(abs(x[row, a]), rows.size[row])
            if rows.kind[row] != FIXED and table.hold[i] <= AUGMENTED:
                scatter_vector(A, table.column[first + r], rows.stride[row], rows.kind[row], x[row], g, d)
                scatter_vector(A, table.line[first + r], 1, rows.kind[row], x[row], g, d)
        c_scale[index] = size


@kernel
def constraint_pull(table, i, x, y, G, S, H, pull):
    """The value of a constraint c(G), without what it follows in time; pull: its gradient 2 Σ_j S_kj y_j by each y_k."""
    ny, d = table.vectors[i], x.shape[1]
    gather(table, i, table.point_start[i], x, y)
    gram(ny, d, y, G)
    if table.law[i] == DOT_PRODUCT:
        value = G[0, 1] - table.params[table.param_start[i]]
        S[0, 0], S[0, 1], S[1, 0], S[1, 1] = 0.0, 0.5, 0.5, 0.0
    else:
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        value = gram_law(table.law[i], ny, G, p, S, H)
    for k in range(ny):
        for a in range(d):
            pull[k, a] = 0.0
            for j in range(ny):
                pull[k, a] += 2.0 * S[k, j] * y[j, a]
    return value


@kernel
def constraint_rates(whole, x, v, a, rates, order, out):
    """First (order 1) or second derivative by time of all constraints along x + v s + ½ a s².

    c(G): ċ = S:Ġ and c̈ = S:G̈ + Ġ:H:Ġ, with Ġ = y wᵀ + w yᵀ, G̈ = 2 w wᵀ + y bᵀ + b yᵀ, where y, w, b are gathered of x, v, a.
    rates: all functions of time, which driven constraints follow, with their first and second derivatives, (3, nf). Of a
    constraint of velocities, what it is missed by, and the derivative of that.
    """
    _constraint_rates(whole, x, v, a, rates[order], order, out)
    if whole.spans[5] > whole.spans[4]:
        rate_derivatives(family(whole.laws, whole.spans, 4), x, v, a, rates[order - 1], order, out)


@separate(count(WHOLE_SYSTEM, f2, f2, f2, f1, count, f1))
def _constraint_rates(whole, x, v, a, rates, order, out):
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    d = x.shape[1]
    most = most_vectors(constraints)
    y, w, b = np.zeros((most, d)), np.zeros((most, d)), np.zeros((most, d))
    G, S, H = np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most, most, most))
    rate = np.zeros((most, most))
    for i in range(links.law.size):
        gather(links, i, links.point_start[i], v if order == 1 else a, y)
        for k in range(d):
            out[links.channel[i] + k] = y[0, k]
    for i in range(constraints.law.size):
        ny, point = constraints.vectors[i], constraints.point_start[i]
        gather(constraints, i, point, x, y)
        gather(constraints, i, point, v, w)
        if order == 2:
            gather(constraints, i, point, a, b)
        total = 0.0
        if constraints.law[i] == DOT_PRODUCT:
            for e in range(d):
                if order == 1:
                    total += y[0, e] * w[1, e] + w[0, e] * y[1, e]
                else:
                    total += y[0, e] * b[1, e] + 2.0 * w[0, e] * w[1, e] + b[0, e] * y[1, e]
            total -= rates[constraints.drive[i]] if constraints.drive[i] >= 0 else 0.0
            out[constraints.channel[i]] = total
            continue
        gram(ny, d, y, G)
        p = constraints.params[constraints.param_start[i] : constraints.param_start[i + 1]]
        gram_law(constraints.law[i], ny, G, p, S, H)
        for k in range(ny):
            for m in range(ny):
                rate[k, m] = 0.0
                second = 0.0
                for e in range(d):
                    rate[k, m] += y[k, e] * w[m, e] + w[k, e] * y[m, e]
                    second += 2.0 * w[k, e] * w[m, e] + y[k, e] * b[m, e] + b[k, e] * y[m, e]
                total += S[k, m] * (rate[k, m] if order == 1 else second)
        if order == 2:
            for k in range(ny):
                for m in range(ny):
                    for j in range(ny):
                        for e in range(ny):
                            total += rate[k, m] * H[k, m, j, e] * rate[j, e]
        if constraints.drive[i] >= 0:
            total -= rates[constraints.drive[i]]
        out[constraints.channel[i]] = total
    return 0


@kernel
def factor_dense(pattern, A, first, scale, lu, pivots):
    """LU with row pivoting of the matrix, scaled so that masses and constraints are of size 1; False if it may be singular.

    What has no inertia is scaled as what has most: the director across a plate, which constraints alone hold.
    """
    indptr, indices, diagonal = pattern
    n, heaviest = scale.size, 0.0
    for i in range(n):
        if i < first:
            heaviest = max(heaviest, abs(A[diagonal[i]]))
        for j in range(n):
            lu[i, j] = 0.0
    for i in range(n):
        size = own = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j == i:
                own = abs(A[k])
            if i < first and j == i:
                size = own
            elif i >= first and j < first:
                size += (A[k] * scale[j]) ** 2
        if not size > 0.0:
            size = heaviest if i < first else own  # `own` of a multiplier that is put aside
        if not size > 0.0:
            return False
        scale[i] = 1.0 / np.sqrt(size)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            lu[i, indices[k]] = scale[i] * A[k] * scale[indices[k]]
    for k in range(n):
        pivots[k] = pivot_row(n, lu, k)
        if not abs(lu[pivots[k], k]) > SMALL_PIVOT:
            return False
        exchange_rows(n, lu, k, pivots[k])
        for i in range(k + 1, n):
            if lu[i, k] != 0.0:
                lu[i, k] /= lu[k, k]
                for j in range(k + 1, n):
                    lu[i, j] -= lu[i, k] * lu[k, j]
    return True


@kernel
def solve_dense(scale, lu, pivots, u):
    """u ← A⁻¹ u with the factors of `factor_dense`."""
    n = u.size
    for i in range(n):
        u[i] *= scale[i]
    for k in range(n):  # whole rows were exchanged, those of L too: first all exchanges, then L
        u[k], u[pivots[k]] = u[pivots[k]], u[k]
    for k in range(n):
        for i in range(k + 1, n):
            u[i] -= lu[i, k] * u[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            u[i] -= lu[i, j] * u[j]
        u[i] /= lu[i, i]
    for i in range(n):
        u[i] *= scale[i]


@kernel
def solve_saddle(pattern, A, first, unknown, live, factors, size, force, wanted, y, mu):
    """y (n, d) and μ (m,) with m y + Gᵀ μ = force, G y = wanted, refined until what is held holds.

    unknown: first unknown of each row, −1 where it is given; live: unknown of each multiplier, −1 where it has none; size: of
    each constraint, to which its defect is compared. The regularised diagonal of the multipliers is no part of the equations.
    """
    _solve_saddle(pattern, A, first, unknown, live, factors, size, force, wanted, y, mu)


@separate(count(types.Tuple((j1, j1, i1)), f1, count, i1, i1, types.Tuple((f1, f2, i1)), f1, f2, f1, f2, f1))
def _solve_saddle(pattern, A, first, unknown, live, factors, size, force, wanted, y, mu):
    indptr, indices, _ = pattern
    scale, lu, pivots = factors
    n, d = scale.size, force.shape[1]
    u, total, rhs, level = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for r in range(unknown.size):
        if unknown[r] >= 0:
            for a in range(d):
                rhs[unknown[r] + a] = force[r, a]
    for k in range(live.size):
        if live[k] >= 0:
            rhs[live[k]] = wanted[k]
    for i in range(n):
        u[i] = rhs[i]
    error = np.inf
    for step in range(60):
        solve_dense(scale, lu, pivots, u)
        for i in range(n):
            total[i] += u[i]
        for i in range(n):  # what is still missing
            u[i] = rhs[i]
            level[i] = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                if i < first or indices[k] != i:
                    part = A[k] * total[indices[k]]
                    u[i] -= part
                    level[i] += abs(part)
        before, error = error, 0.0
        for k in range(live.size):
            i = live[k]
            if i >= 0 and size[k] > 0.0 and abs(u[i]) > 1e-16 * level[i] + 1e-15 * abs(wanted[k]):  # beyond round-off
                error = max(error, abs(u[i]) / size[k])
        if step >= 2 and (error == 0.0 or not error <= 0.9 * before):
            break
    for r in range(unknown.size):
        if unknown[r] >= 0:
            for a in range(d):
                y[r, a] = total[unknown[r] + a]
    for k in range(live.size):
        if live[k] >= 0:
            mu[k] = total[live[k]]
    return 0


@kernel
def close_positions(whole, x, targets, layout, factors, out):
    """Move x onto the constraints, by as little as possible in the sense of the mass; leaves factors of the matrix there."""
    stand_ins, pattern, first, coupled, unknown, live = layout
    scale, lu, pivots = factors
    c, c_scale, A = out[6], out[7], out[8]
    none_force, change, mu = np.zeros(x.shape), np.zeros(x.shape), np.zeros(c.size)
    before = np.inf
    for _ in range(50):
        saddle_matrix(whole, x, targets, stand_ins, coupled, out)
        if not factor_dense(pattern, A, first, scale, lu, pivots):
            return False
        worst = 0.0
        for k in range(c.size):
            if live[k] >= 0:
                worst = max(worst, abs(c[k]) / max(c_scale[k], 1e-300))
        if worst <= 4e-15 or (worst > 0.5 * before and before <= 1e-12):  # at round-off
            return True
        if not worst < np.inf:
            return False
        solve_saddle(pattern, A, first, unknown, live, factors, c_scale, none_force, -c, change, mu)
        x += change
        before = worst
    return False


@kernel
def contradict(speed, size, live, v, row_size):
    """Do constraints still move after velocities were projected onto them, because they ask for different ones at once?"""
    fastest = 0.0
    for i in range(v.shape[0]):
        for a in range(v.shape[1]):
            fastest = max(fastest, abs(v[i, a]) / row_size[i])
    for k in range(speed.size):
        if live[k] >= 0 and not abs(speed[k]) <= max(1e-5 * fastest, 1e-9) * max(size[k], 1e-300):
            return True
    return False
