"""Stored energies: forces, stiffness, viscous stress."""

import numpy as np

from condyle.laws.codes import REELED_CABLE
from condyle.laws.gram import (
    discrete_gradient,
    gram_law,
    is_quadratic,
)
from condyle.laws.kernel import kernel, separate
from condyle.laws.solids import has_mean_dilatation
from condyle.laws.table import BARRIER, HAS_VISCOUS_CHANGE, has
from condyle.system.assembly.dilatation import (
    MOST,
    add_dilatation,
    add_dilatation_stiffness,
    element_pressure,
    point_pressure,
    volume_energy,
)
from condyle.system.assembly.inelastic import (
    add_hoop_viscosity,
    add_past,
    add_viscous,
    add_viscous_change,
    viscous_tensor,
)
from condyle.system.assembly.inverted import is_inverted
from condyle.system.assembly.maps import share_of_row
from condyle.system.assembly.places import blend, fades, gather, gather_vectors, gram, most_vectors
from condyle.system.assembly.slender import (
    add_slender,
    is_slender,
    slender_energy,
    slender_loss,
    slender_sizes,
)
from condyle.system.assembly.solids import is_plain_solid, solid_element, solid_work
from condyle.system.assembly.weighing import (
    add_to_rows,
    clear_element,
    element_stiffness,
    force_of,
    scatter_element,
    weigh_left,
    weigh_right,
)
from condyle.system.signatures import LAWS, ROWS, count, f1, f2, flag, number
from condyle.system.tables import CONSERVING, END


@kernel
def _element(table, i, ny, nr, d, how, work):
    """Force f and stiffness K of one instance, over its points."""
    where, kappa, kappa_dot, tangent = how
    ends, y, G, S, H, f, K, Ky, T, p_mean, pressure, size, reach = work
    y0, y1, yt, yo, yd = y[0], y[1], y[2], y[3], y[4]
    G0, G1, Gw = G[0], G[1], G[2]
    S1, S_mixed, S2 = S[0], S[1], S[2]
    H1, H2, V = H[0], H[1], H[2]
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    law = table.law[i]
    begin, last = table.point_start[i], table.point_start[i + 1]
    for r in range(nr):
        reach[r] = 0.0
        for a in range(d):
            reach[r] = max(reach[r], abs(ends[0, r, a]), abs(ends[1, r, a]))
    clear_element(nr, d, tangent, f, K)
    if tangent:
        for c in range(ny * (last - begin)):
            for a in range(d):
                for s in range(nr * d):
                    T[c, a, s] = 0.0
    mean = has_mean_dilatation(law, p)
    columns = table.gradients[i]
    if columns == 0 and ny >= d and has(law, BARRIER):
        columns = d  # energies that grow without bound as J → 0
    reel = p[0] if law == REELED_CABLE else 0.0
    quadratic = is_quadratic(law, ny)
    slope = 0.0
    if mean:
        for k in range(p.size):
            p_mean[k] = p[k]
        p = p_mean[: p.size]
        slope = element_pressure(table, i, ny, nr, d, where, p, ends, y1, Gw, S2, H2, pressure)
    beta, eta = table.damping[i], table.viscosity[i]
    for point in range(begin, last):
        measure = table.measure[point]
        at = table.weight_start[point]
        if mean:
            p_mean[2] = point_pressure(p, point - begin, pressure)
        gather_vectors(table.weights, at, ny, nr, d, ends[1], y1)
        if where != END or columns:
            gather_vectors(table.weights, at, ny, nr, d, ends[0], y0)
        if where != END:
            gram(ny, d, y0, G0)
        if tangent:
            gather_vectors(table.weights, at, ny, nr, d, ends[2], yo)
        if tangent and not quadratic:
            gram(ny, d, yo, G1)
            if where == END:
                gram_law(law, ny, G1, p, S1, H1)
            else:
                discrete_gradient(law, ny, G0, G1, p, S1, H1, Gw, S2, H2)
            _extrapolate(ny, d, S1, H1, yo, y1, True, Gw, S_mixed)
        gram(ny, d, y1, G1)
        if where == END:
            gram_law(law, ny, G1, p, S1, H1)
            blend(ny, d, y1, y1, 1.0, yt)
        else:
            discrete_gradient(law, ny, G0, G1, p, S1, H1, Gw, S2, H2)
            blend(ny, d, y0, y1, 0.5, yt)
        if tangent and quadratic:
            _extrapolate(ny, d, S1, H1, yo, y1, False, Gw, S_mixed)
        if columns and is_inverted(columns, ny, d, y0, y1, reel):
            S1[0, 0] = np.nan  # the Gram matrix does not tell: no force then, and the step is shortened
        if fades(table, i):
            add_past(table, i, where, mean, G0, G1, p, point - begin, S1, S_mixed, H1, S2, H2)
        viscous = beta > 0.0 or eta > 0.0
        if viscous:
            gather_vectors(table.weights, at, ny, nr, d, ends[3], yd)
            if where != END:
                for k in range(ny):
                    for j in range(ny):
                        Gw[k, j] = 0.5 * (G0[k, j] + G1[k, j])
                viscous_tensor(law, ny, beta, eta, Gw, p, S2, H2, V)
            else:
                viscous_tensor(law, ny, beta, eta, G1, p, S2, H2, V)
            add_viscous(ny, d, V, yt, yd, S1, S_mixed)
            if tangent and beta > 0.0 and has(law, HAS_VISCOUS_CHANGE):
                add_viscous_change(law, ny, d, beta, where, Gw if where != END else G1, p, yt, yd, S2, H2, H1)
            if ny == 4 and eta > 0.0:
                add_hoop_viscosity(d, eta, 1.0 if where == END else 0.5, Gw if where != END else G1, yt, yd, H1)
        _add_force(ny, nr, d, measure, table.weights, at, S1, H1, G1, yt, reach, size, f)
        if tangent:
            element_stiffness(ny, d, measure, kappa, S_mixed, H1, yt, y1, Ky)
            weigh_right(ny, nr, d, table.weights, at, Ky, ny * (point - begin), T)
            if viscous:  # δĠ = κ̇ (δy y1ᵀ + y1 δyᵀ), at the end of the step also δy ẏᵀ + ẏ δyᵀ
                for k in range(ny):
                    for a in range(d):
                        y1[k, a] = kappa_dot * y1[k, a] + (yd[k, a] if where == END else 0.0)
                element_stiffness(ny, d, measure, 0.0, S_mixed, V, yt, y1, Ky)
                weigh_right(ny, nr, d, table.weights, at, Ky, ny * (point - begin), T)
    if tangent:
        weigh_left(ny * (last - begin), nr, d, table.weights, table.weight_start[begin], T, K)
    if mean:
        add_dilatation_stiffness(table, i, ny, nr, d, where, tangent, p, slope, ends, y, G, S, H, reach, f, K)


@kernel(forceinline=True)
def _add_force(ny, nr, d, measure, weights, at, S, H, G, yt, reach, size, f):
    """f_r += Σ_k w_kr 2 Σ_j S_kj y_j, and what it is judged against.

    Noise: the change of the force on y_k when all y change by the size Σ|w||x| of what they are gathered from.
    """
    for m in range(ny):
        total = 0.0
        for r in range(nr):
            total += abs(weights[at + m * nr + r]) * reach[r]
        size[0, m] = total
        size[1, m] = np.sqrt(G[m, m])
    for k in range(ny):
        noise = 0.0
        for j in range(ny):
            value = 0.0
            for m in range(ny):
                for n in range(ny):
                    value += abs(H[k, j, m, n]) * size[0, m] * size[1, n]
            noise += 2.0 * value * size[1, j] + abs(S[k, j]) * size[0, j]
        noise *= 2.0 * measure
        for a in range(d):
            value = force_of(ny, k, a, measure, S, yt)
            for r in range(nr):
                w = weights[at + k * nr + r]
                f[0, r, a] += w * value
                f[1, r, a] += abs(w * value)
                f[2, r, a] += abs(w) * noise


@kernel(forceinline=True)
def _extrapolate(ny, d, S, H, y_old, y, from_old, change, out):
    """Stress without the square of δy = y − y_old; change: work array.

    From that at y_old: out = S + H:(δy y_oldᵀ + y_old δyᵀ). For laws quadratic in G also from that at y: out = S − H:(δy δyᵀ).
    """
    for m in range(ny):
        for j in range(ny):
            value = 0.0
            for a in range(d):
                step, other = y[m, a] - y_old[m, a], y[j, a] - y_old[j, a]
                value += step * y_old[j, a] + y_old[m, a] * other if from_old else step * other
            change[m, j] = value
    _add_contraction(ny, S, H, change, 1.0 if from_old else -1.0, out)


@kernel(forceinline=True)
def _add_contraction(ny, S, H, change, sign, out):
    """out = S ± H:change."""
    for k in range(ny):
        for i in range(ny):
            value = S[k, i]
            for m in range(ny):
                for j in range(ny):
                    value += sign * H[k, i, m, j] * change[m, j]
            out[k, i] = value


@kernel
def _slender_work(table, d):
    """Arrays that `slender_energy` and `slender_loss` work on: nodes, gathered vectors, strains."""
    most_y, most_r, most_s = slender_sizes(table)
    return np.zeros((2, most_r, d)), np.zeros((3, most_y, d)), np.zeros((3, most_s))


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
    ends, z, small = _slender_work(table, d)
    square = np.zeros((3, 3))
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
            total += slender_loss(table, i, x0, x1, ends, z, small, square) / h
            continue
        if beta > 0.0 or eta > 0.0:
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
    return total


@kernel
def stored_energy(table, x):
    """Σ ψ of all stored energies [J] at x."""
    return _stored_energy(table, x) if table.law.size else 0.0


@separate(number(LAWS, f2))
def _stored_energy(table, x):
    total = 0.0
    d = x.shape[1]
    most = most_vectors(table)
    y, G = np.zeros((most, d)), np.zeros((most, most))
    S, H = np.zeros((most, most)), np.zeros((most, most, most, most))
    ends, z, small = _slender_work(table, d)
    theta = np.zeros(MOST)
    for i in range(table.law.size):
        if is_slender(table.law[i]):
            total += slender_energy(table, i, x, ends, z, small)
            continue
        ny = table.vectors[i]
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        mean = has_mean_dilatation(table.law[i], p)
        theta[:] = 0.0
        first = table.point_start[i]
        for point in range(first, table.point_start[i + 1]):
            gather(table, i, point, x, y)
            gram(ny, d, y, G)
            total += table.measure[point] * gram_law(table.law[i], ny, G, p, S, H)
            if mean:
                add_dilatation(ny, table.measure[point], p, point - first, G, S, H, theta)
        if mean:
            total += volume_energy(p, theta)
    return total


@kernel
def add_energies(table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, tangent, q, q_scale, q_noise, A):
    """q += ∂ψ/∂x for all stored energies; A += its derivative (4 yᵀ H y + 2 κ S, both through the weights).

    The geometric part uses the stress S* = S_old + H_old:δG extrapolated linearly from the previous iterate `x_old`, as if
    stress were an unknown of its own (mixed integration points, Magisano, Leonetti and Garcea 2017): slender bodies
    then converge in a few iterations where the stress of the iterate itself would be far off.

    q_noise times machine precision is the round-off of the force of a stiff, hardly strained element, which may be far above
    that of the force itself: what the rounding of positions does to the gathered vectors, and they to the stress.

    Viscosity adds S_v = β H:Ġ (stiffness-proportional; β > 0 in the table) or ½ η Ċ (−η < 0 in the table): both follow the body
    and do no work in rigid motion. A law with fading memory adds the stress of its past (`add_past`).

    Quasi-static bodies are taken at x1, with rates (x1 − x0)/h; other rows that they act on get the share κ.
    """
    _add_energies(table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, tangent, q, q_scale, q_noise, A)


@separate(count(LAWS, ROWS, f2, f2, f2, f2, f2, count, number, number, flag, f2, f2, f2, f1))
def _add_energies(table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, tangent, q, q_scale, q_noise, A):
    d = x1.shape[1]
    how = (where, kappa, kappa_dot, tangent)
    slender, others = False, False
    most_y, most_r, most_p, most_c = 1, 1, 1, 1
    for i in range(table.law.size):
        if is_slender(table.law[i]):
            slender = True
            continue
        others = True
        most_y = max(most_y, table.vectors[i])
        most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
        most_p = max(most_p, table.param_start[i + 1] - table.param_start[i])
        most_c = max(most_c, table.vectors[i] * (table.point_start[i + 1] - table.point_start[i]))
    if slender:
        add_slender(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    if not others:
        return 0
    ends = np.zeros((4, most_r, d))  # nodes at x0, x1, x_old, and their rates
    y = np.zeros((5, most_y, d))  # y0, y1, y_test, y_old, ẏ
    G = np.zeros((3, most_y, most_y))  # G0, G1, work
    S = np.zeros((3, most_y, most_y))  # stress, extrapolated, work
    H = np.zeros((3, most_y, most_y, most_y, most_y))  # stiffness, work, viscosity
    f = np.zeros((4, most_r, d))  # forces, their scale and noise; gradient of the volume at x1
    K = np.zeros((most_r * d, most_r * d))
    Ky = np.zeros((most_y, d, most_y, d))
    T = np.zeros((most_c, d, most_r * d))
    p_mean, pressure, size, reach = np.zeros(most_p), np.zeros(MOST), np.zeros((2, most_y)), np.zeros(most_r)
    work = (ends, y, G, S, H, f, K, Ky, T, p_mean, pressure, size, reach)
    spare = solid_work(most_c, most_r)
    pace, members = rows.pace[0], table.rows
    for i in range(table.law.size):
        if is_slender(table.law[i]):
            continue
        at_end = table.at_end[i]
        how = (where, kappa, kappa_dot, tangent)
        if at_end:
            how = (END, 1.0, pace if pace > 0.0 else kappa_dot, tangent)
        ny = table.vectors[i]
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        for r in range(nr):
            row = members[first + r]
            for a in range(d):
                ends[0, r, a] = x0[row, a]
                ends[1, r, a] = x1[row, a]
                ends[2, r, a] = x_old[row, a]
                ends[3, r, a] = (x1[row, a] - x0[row, a]) * pace if at_end and pace > 0.0 else x_dot[row, a]
        if how[0] == END and d == 3 and is_plain_solid(table, i):
            solid_element(table, i, nr, tangent, ends, f, K, spare)
        else:
            _element(table, i, ny, nr, d, how, work)
        if at_end and kappa != 1.0:
            for r in range(nr):
                share = share_of_row(rows, table.rows[first + r], at_end, kappa)
                for a in range(d):
                    f[0, r, a] *= share
                    f[1, r, a] *= share
                    if tangent:
                        for s in range(nr * d):
                            K[r * d + a, s] *= share
        add_to_rows(table, i, f, q, q_scale, q_noise)
        if tangent:
            scatter_element(table, i, rows, x_test, x1, K, A)
    return 0
