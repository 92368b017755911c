"""Elements with few strains, written out: cables, and bodies whose strains are linear in the Gram matrix (beams, shells).

The general kernel (`energies.py`) works on G and its fourth-order stiffness. Here the same equations stand in the strains
themselves: with the gradients B_k = ∂g_k/∂x of what the energy depends on, forces are Σ s_k B_k and the stiffness is
Σ B_k h_kl B_l with a part of the stress, s = ∂ψ/∂g, h = ∂²ψ/∂g∂g. Results are the same; measured per
element, cables take a quarter to a sixth of the time, beams and shells about half.

The stress s* of the geometric part is extrapolated from the previous iterate (`add_energies`): s* = s − h:(δy δyᵀ), which is
exact where ψ is quadratic in G.
"""

import numpy as np

from condyle.laws.codes import CABLE, LINEAR_STRAINS
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.cables import cable_element, cable_loss, cable_stored, cable_strains, cable_views
from condyle.system.assembly.elements import ADDS_ELEMENTS, is_slender, keeps_rates_apart, rate_array
from condyle.system.assembly.inverted import is_inverted
from condyle.system.assembly.places import gather_vectors
from condyle.system.assembly.sums import add_bends_of_sums, gradients_of_sums
from condyle.system.assembly.weighing import (
    add_to_rows,
    clear_element,
    clear_matrix,
    scatter_element,
    scatter_free,
    scatter_rates,
)
from condyle.system.signatures import LAWS, f2, number
from condyle.system.tables import END, FREE


@separate(ADDS_ELEMENTS)
def add_slender(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for cables and for strains linear in G, element by element.

    One call for all of them: handing the tables on costs as much as an element. With fixed numbers of rows and components
    the compiler unrolls the loops of a cable.
    """
    d = x1.shape[1]
    ends, y, f, K, B, reach, small, cable_work = _work(table, d)
    D = rate_array(how, K)
    where, kappa, kappa_dot, rate_map, tangent = how
    kinds, strides = rows.kind, rows.stride
    for i in range(table.law.size):
        if not is_slender(table.law[i]):
            continue
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        free = True
        for r in range(nr):
            row = table.rows[first + r]
            free = free and kinds[row] == FREE
            reach[r] = 0.0
            for a in range(d):
                ends[0, r, a] = x0[row, a]
                ends[1, r, a] = x1[row, a]
                ends[2, r, a] = x_old[row, a]
                ends[3, r, a] = x_dot[row, a]
                reach[r] = max(reach[r], abs(x0[row, a]), abs(x1[row, a]))
        linear = table.law[i] == LINEAR_STRAINS
        apart = not free and keeps_rates_apart(table, rows, i, how)
        taken = (where, kappa, 0.0 if apart else kappa_dot, tangent, apart)
        if apart:
            clear_matrix(nr * d, D)
            if not linear:  # (f is made below)
                cable_strains(table, i, nr, d, 1.0, False, f, D, B[0, 0], cable_work)
        clear_element(nr, d, tangent and linear, f, K)
        if linear:
            _strain_element(table, i, nr, d, taken, ends, y, f, K, D, reach, B, small)
        elif nr == 4 and d == 2:
            cable_element(table, i, 4, 2, taken, f, K, reach, cable_work)
        elif nr == 4:
            cable_element(table, i, 4, 3, taken, f, K, reach, cable_work)
        else:
            cable_element(table, i, nr, d, taken, f, K, reach, cable_work)
        add_to_rows(table, i, f, q, q_scale, q_noise)
        if apart:
            scatter_rates(table, i, rows, x_test, kappa_dot, rate_map, D, K, A)
        if tangent and free and nr == 4 and d == 2:
            scatter_free(table, i, 4, 2, strides, K, A)
        elif tangent:
            scatter_element(table, i, rows, x_test, x1, K, A)
    return 0


@kernel(forceinline=True)
def _work(table, d):
    """Work arrays for the largest element."""
    most_y, most_r, most_s, most_p = slender_sizes(table)
    ends, y = np.zeros((4, most_r, d)), np.zeros((5, most_y, d))  # nodes, vectors: at x0, x1, x_old (test), rates
    f, K = np.zeros((3, most_r, d)), np.zeros((most_r * d, most_r * d))
    B, reach = np.zeros((4, most_s, most_r * d)), np.zeros(most_r)
    small, lines, T = np.zeros((8, max(most_s, most_y))), np.zeros((3, 2, d)), np.zeros((2 * most_p, d, most_r * d))
    return ends, y, f, K, B, reach, small, cable_views(ends, y, lines, T, np.zeros((10, 8)))


@kernel
def slender_sizes(table):
    """Most gathered vectors, rows and strains of an instance, and most points of a cable."""
    most_y, most_r, most_s, most_p = 2, 1, 3, 1
    for i in range(table.law.size):
        if is_slender(table.law[i]):
            most_y = max(most_y, table.vectors[i])
            most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
            if table.law[i] == LINEAR_STRAINS:
                most_s = max(most_s, int(table.params[table.param_start[i]]))
            else:
                most_p = max(most_p, table.point_start[i + 1] - table.point_start[i])
    return most_y, most_r, most_s, most_p


@separate(number(LAWS, f2))
def slender_energies(table, x):
    """Σ ψ of the elements of this file [J]."""
    ends, y, small = _small_work(table, x.shape[1])
    total = 0.0
    for i in range(table.law.size):
        if is_slender(table.law[i]):
            total += _slender_energy(table, i, x, ends, y, small)
    return total


@separate(number(LAWS, f2, f2))
def slender_losses(table, x0, x1):
    """h² times the mean power [J s] that viscosity takes out of the elements of this file in a step h."""
    ends, y, small = _small_work(table, x1.shape[1])
    total = 0.0
    for i in range(table.law.size):
        if table.damping[i] > 0.0 and is_slender(table.law[i]):
            total += _slender_loss(table, i, x0, x1, ends, y, small)
    return total


@kernel(forceinline=True)
def _small_work(table, d):
    """Arrays that energies and losses work on: nodes, gathered vectors, strains."""
    most_y, most_r, most_s, _ = slender_sizes(table)
    return np.zeros((2, most_r, d)), np.zeros((3, most_y, d)), np.zeros((3, most_s))


@kernel(forceinline=True)
def _strain_element(table, i, nr, d, how, ends, y, f, K, D, reach, B, small):
    """Force f and stiffness K of an element with e_k = Σ coefficient y_i·y_j − e0_k, ψ = ½ e·C e (law `linear_strains`).

    D += ∂f/∂ẋ where it is kept apart.
    """
    where, kappa, kappa_dot, tangent, apart = how
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    ny, n, terms = table.vectors[i], int(p[0]), int(p[1])
    C, rest, t = 2, 2 + n * n, 2 + n * n + n
    beta = table.damping[i]
    y0, y1, yt, yo, yd = y[0], y[1], y[2], y[3], y[4]
    e, s, mixed, square, spread = small[0], small[1], small[2], small[3], small[4]
    share = 1.0 if where == END else 0.5
    weights, size = table.weights, nr * d
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, ny, nr, d, ends[1], y1)
        gather_vectors(weights, at, ny, nr, d, ends[0], y0)
        for k in range(ny):
            for a in range(d):
                yt[k, a] = y1[k, a] if where == END else 0.5 * (y0[k, a] + y1[k, a])
        if tangent:
            gather_vectors(weights, at, ny, nr, d, ends[2], yo)
        if beta > 0.0:
            gather_vectors(weights, at, ny, nr, d, ends[3], yd)
        for k in range(n):
            e[k], square[k], spread[k] = -p[rest + k], 0.0, 0.0
        for q in range(terms):
            k, u, w, c = int(p[t + 4 * q]), int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2]), p[t + 4 * q + 3]
            now = before = change = rate = 0.0
            for a in range(d):
                now += y1[u, a] * y1[w, a]
                before += y0[u, a] * y0[w, a]
                change += (y1[u, a] - yo[u, a]) * (y1[w, a] - yo[w, a])
                rate += yd[u, a] * yt[w, a] + yt[u, a] * yd[w, a]
            e[k] += c * (now if where == END else 0.5 * (now + before))
            if tangent:
                square[k] += c * change
            if beta > 0.0:
                spread[k] += beta * c * rate
        for k in range(n):
            elastic = viscous = second = 0.0
            for m in range(n):
                elastic += p[C + k * n + m] * e[m]
                second += p[C + k * n + m] * square[m]
                viscous += p[C + k * n + m] * spread[m]
            s[k] = elastic + viscous
            mixed[k] = s[k] - share * second
        columns = table.gradients[i]
        if columns and is_inverted(columns, ny, d, y0, y1, 0.0):
            s[0] = np.nan
        gradients_of_sums(nr, d, n, terms, p[t:], weights, at, yt, B[0], True)
        _strain_force(nr, d, n, terms, p, share, measure, weights, at, s, ny, y1, reach, B[0], small, f)
        if tangent:
            gradients_of_sums(nr, d, n, terms, p[t:], weights, at, y1, B[1], False)
            if apart:
                _add_form(n, size, measure * beta, p[C:], B[0], B[1], B[3], D)
            if beta > 0.0:
                for k in range(ny):
                    for a in range(d):
                        y1[k, a] = kappa_dot * y1[k, a] + (yd[k, a] if where == END else 0.0)
                gradients_of_sums(nr, d, n, terms, p[t:], weights, at, y1, B[2], False)
                for k in range(n):
                    for j in range(size):
                        B[1, k, j] += beta / share * B[2, k, j]
            _add_form(n, size, measure * share, p[C:], B[0], B[1], B[3], K)
            add_bends_of_sums(nr, d, terms, p[t:], kappa * measure, weights, at, mixed, K)


@kernel
def _add_form(n, size, factor, C, left, right, lines, K):
    """K += factor Σ left_k ⊗ Σ_m C_km right_m."""
    for k in range(n):
        line = lines[k]
        for j in range(size):
            line[j] = 0.0
        for m in range(n):
            value = factor * C[k * n + m]
            if value != 0.0:
                other = right[m]
                for j in range(size):
                    line[j] += value * other[j]
    for k in range(n):
        on, line = left[k], lines[k]
        for r in range(size):
            value = on[r]
            if value != 0.0:
                out = K[r]
                for j in range(size):
                    out[j] += value * line[j]


@kernel
def _strain_force(nr, d, n, terms, p, share, measure, weights, at, s, ny, y, reach, B, small, f):
    """Forces on the rows, their scale and their noise: that of the strains through C, and that of their gradients."""
    C, t = 2, 2 + n * n + n
    loose, long, noise = small[5], small[6], small[7]  # what y is gathered from, its length; noise of strains
    for k in range(ny):
        total = length = 0.0
        for r in range(nr):
            total += abs(weights[at + k * nr + r]) * reach[r]
        for a in range(d):
            length += y[k, a] * y[k, a]
        loose[k], long[k] = total, np.sqrt(length)
    for k in range(n):
        noise[k] = 0.0
    for q in range(terms):
        k, u, w, c = int(p[t + 4 * q]), int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2]), abs(p[t + 4 * q + 3])
        change = c * (loose[u] * long[w] + long[u] * loose[w])
        for m in range(n):
            noise[m] += share * abs(p[C + m * n + k]) * change
    for k in range(n):
        value = measure * s[k]
        for r in range(nr):
            for a in range(d):
                force = value * B[k, r * d + a]
                f[0, r, a] += force
                f[1, r, a] += abs(force)
    for q in range(terms):
        k, u, w, c = int(p[t + 4 * q]), int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2]), abs(p[t + 4 * q + 3])
        on_u = measure * c * (noise[k] * long[w] + abs(s[k]) * loose[w])
        on_w = measure * c * (noise[k] * long[u] + abs(s[k]) * loose[u])
        for r in range(nr):
            value = abs(weights[at + u * nr + r]) * on_u + abs(weights[at + w * nr + r]) * on_w
            for a in range(d):
                f[2, r, a] += value


@kernel
def add_slender_strains(table, rows, x, h, stiff, q, q_scale, A):
    """What `add_strains` adds for cables and for strains linear in G."""
    d = x.shape[1]
    ends, y, f, K, B, reach, small, cable_work = _work(table, d)
    # Without the part of the stress (κ = 0) the stiffness of linear strains is that of the strains.
    how = (END, 0.0, 1.0 / h, True, False)
    for i in range(table.law.size):
        if not is_slender(table.law[i]):
            continue
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        for r in range(nr):
            for a in range(d):
                value = x[table.rows[first + r], a]
                ends[0, r, a], ends[1, r, a], ends[2, r, a] = value, value, value
        clear_element(nr, d, True, f, K)
        if table.law[i] == LINEAR_STRAINS:
            _strain_element(table, i, nr, d, how, ends, y, f, K, K, reach, B, small)
        elif nr == 4 and d == 2:
            cable_strains(table, i, 4, 2, h, stiff, f, K, B[0, 0], cable_work)
        elif nr == 4:
            cable_strains(table, i, 4, 3, h, stiff, f, K, B[0, 0], cable_work)
        else:
            cable_strains(table, i, nr, d, h, stiff, f, K, B[0, 0], cable_work)
        for r in range(nr):
            for a in range(d):
                q[table.rows[first + r], a] += f[0, r, a]
                q_scale[table.rows[first + r], a] += f[1, r, a]
        if stiff or table.damping[i] > 0.0:
            scatter_element(table, i, rows, x, x, K, A)


# --- sums over a run ----------------------------------------------------------------------------------------------------


@kernel
def _slender_energy(table, i, x, ends, y, small):
    """Stored energy [J] of a cable or of strains linear in G."""
    d = x.shape[1]
    first, ny = table.row_start[i], table.vectors[i]
    nr = table.row_start[i + 1] - first
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    for r in range(nr):
        for a in range(d):
            ends[0, r, a] = x[table.rows[first + r], a]
    if table.law[i] == CABLE:
        if nr == 4 and d == 2:
            return cable_stored(table, i, 4, 2, ends[0], y[0])
        return cable_stored(table, i, nr, d, ends[0], y[0])
    total = 0.0
    for point in range(table.point_start[i], table.point_start[i + 1]):
        gather_vectors(table.weights, table.weight_start[point], ny, nr, d, ends[0], y[0])
        _strains_at(p, d, y[0], small[0])
        total += table.measure[point] * (0.5 * _form(p, small[0]))
    return total


@kernel
def _slender_loss(table, i, x0, x1, ends, y, small):
    """Δg·V Δg summed over the points of a cable or of strains linear in G: over h, what viscosity takes out in a step [J]."""
    d = x0.shape[1]
    first, ny = table.row_start[i], table.vectors[i]
    nr = table.row_start[i + 1] - first
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    for r in range(nr):
        for a in range(d):
            ends[0, r, a] = x0[table.rows[first + r], a]
            ends[1, r, a] = x1[table.rows[first + r], a]
    if table.law[i] == CABLE:
        if nr == 4 and d == 2:
            return cable_loss(table, i, 4, 2, ends, y)
        return cable_loss(table, i, nr, d, ends, y)
    total = 0.0
    for point in range(table.point_start[i], table.point_start[i + 1]):
        for k in range(2):
            gather_vectors(table.weights, table.weight_start[point], ny, nr, d, ends[k], y[k])
            _strains_at(p, d, y[k], small[k])
        g0, g1, change = small[0], small[1], small[2]
        for k in range(int(p[0])):
            change[k] = g1[k] - g0[k]
        total += table.measure[point] * (table.damping[i] * _form(p, change))
    return total


@kernel(forceinline=True)
def _strains_at(p, d, y, e):
    """e_k = Σ coefficient y_i·y_j − e0_k."""
    n, terms = int(p[0]), int(p[1])
    rest, t = 2 + n * n, 2 + n * n + n
    for k in range(n):
        e[k] = -p[rest + k]
    for q in range(terms):
        u, w = int(p[t + 4 * q + 1]), int(p[t + 4 * q + 2])
        value = 0.0
        for a in range(d):
            value += y[u, a] * y[w, a]
        e[int(p[t + 4 * q])] += p[t + 4 * q + 3] * value


@kernel(forceinline=True)
def _form(p, e):
    """e·C e."""
    n = int(p[0])
    total = 0.0
    for k in range(n):
        for m in range(n):
            total += e[k] * p[2 + k * n + m] * e[m]
    return total
