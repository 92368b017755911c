"""Constraints: links y = offset (vectors) and c(G) = 0 (scalars), held by multipliers or penalties."""

import numpy as np

from condyle.laws.codes import DOT_PRODUCT
from condyle.laws.gram import discrete_gradient, gram_law
from condyle.laws.kernel import kernel
from condyle.system.assembly.maps import mean_row_of, row_of, scatter, scatter_scalar, scatter_vector
from condyle.system.assembly.places import blend, clear, gather, gram, mean_row, most_vectors
from condyle.system.assembly.weighing import law_stiffness, weigh
from condyle.system.tables import AUGMENTED, CONSERVING, END, FIXED, FREE, MIDPOINT, MULTIPLIER, PENALTY


@kernel
def add_links(table, rows, x0, x1, multipliers, stiffness, where, tangent, q, q_scale, q_noise, c, c_scale, A):
    """Vector constraints c = y − offset = 0 (spherical joints): d multipliers each, gradient the weights.

    The force on y is λ + η c for the augmented forms and η ½ (c0 + c1) (conserving) or η c1 for the penalty.
    """
    d = x1.shape[1]
    y0, y1 = np.zeros((1, d)), np.zeros((1, d))
    c0, c1, force = np.zeros(d), np.zeros(d), np.zeros(d)
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
                row = table.rows[first + r]
                size += abs(table.weights[at + r]) * max(abs(x1[row, a]), rows.size[row])
            c_scale[table.channel[i] + a] = size
            if hold != MULTIPLIER:
                for r in range(nr):
                    q_noise[table.rows[first + r], a] += abs(eta * table.weights[at + r]) * size
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
                test = mean_row_of(x0, x1, row, share)
                for s in range(nr):
                    slot = table.slots[table.slot_start[i] + r * nr + s]
                    if slot >= 0:
                        other = table.rows[first + s]
                        k = half * gain * eta * table.weights[at + r] * table.weights[at + s]
                        scatter_scalar(
                            A, slot, rows.stride[row], rows.kind[row], rows.kind[other], test, x1[other], k, d
                        )
        if hold in (MULTIPLIER, AUGMENTED):
            for r in range(nr):
                row = table.rows[first + r]
                if rows.kind[row] == FIXED:
                    continue
                test, end = mean_row_of(x0, x1, row, share), row_of(x1, row)
                w, column, line = table.weights[at + r], table.column[first + r], table.line[first + r]
                scatter_scalar(A, column, rows.stride[row], rows.kind[row], FREE, test, end, w, d)
                scatter_scalar(A, line, table.width[i], FREE, rows.kind[row], test, end, gain * w, d)


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
        if table.law[i] == DOT_PRODUCT and hold == MULTIPLIER and where != MIDPOINT and table.drive[i] < 0:
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
            g[r, a] = w0 * yt[1, a] + w1 * yt[0, a]
            gc[r, a] = w0 * y1[1, a] + w1 * y1[0, a]
            q[row, a] += mu * g[r, a]
            q_scale[row, a] += abs(mu * g[r, a])
            size += abs(gc[r, a]) * max(abs(x1[row, a]), rows.size[row])
    c_scale[index] = size
    if not tangent:
        return
    for r in range(nr):
        row = table.rows[first + r]
        if rows.kind[row] == FIXED:
            continue
        mean_row(x0, x1, row, share, left[0])
        test = mean_row_of(x0, x1, row, share)
        for s in range(nr):
            slot = table.slots[table.slot_start[i] + r * nr + s]
            k = table.weights[at + r] * table.weights[at + nr + s] + table.weights[at + nr + r] * table.weights[at + s]
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
