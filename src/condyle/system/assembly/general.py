"""The element of any law of the Gram matrix, with any number of vectors, rows and points, in the plane and in space.

What only some laws have (viscosity, fading memory, averaged dilatations) is compiled on its own, when a model first has it.
"""

import numpy as np

from condyle.laws.codes import REELED_CABLE
from condyle.laws.gram import discrete_gradient, gram_law, is_quadratic
from condyle.laws.kernel import kernel, separate
from condyle.laws.solids import has_mean_dilatation
from condyle.laws.table import BARRIER, has
from condyle.system.assembly.dilatation import MOST, add_dilatation_stiffness, element_pressure, point_pressure
from condyle.system.assembly.elements import (
    ADDS_ELEMENTS,
    GENERAL,
    begin_instance,
    element_arrays,
    finish_viscous,
    is_viscous,
    kind_of,
    most_rows,
    rate_array,
)
from condyle.system.assembly.inelastic import add_past, add_viscosity
from condyle.system.assembly.inverted import is_inverted
from condyle.system.assembly.places import blend, fades, gather_vectors, gram
from condyle.system.assembly.weighing import (
    clear_element,
    clear_matrix,
    element_stiffness,
    force_of,
    weigh_left,
    weigh_right,
)
from condyle.system.tables import END


@separate(ADDS_ELEMENTS)
def add_general(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for laws that have no element of their own."""
    d = x1.shape[1]
    most_r, most_c = most_rows(table, GENERAL, d)
    most_y, most_p = 1, 1
    for i in range(table.law.size):
        if kind_of(table, i, d) == GENERAL:
            most_y = max(most_y, table.vectors[i])
            most_p = max(most_p, table.param_start[i + 1] - table.param_start[i])
    ends, f, K = element_arrays(most_r, d)
    y = np.zeros((5, most_y, d))  # y0, y1, y_test, y_old, ẏ
    G = np.zeros((3, most_y, most_y))  # G0, G1, work
    S = np.zeros((3, most_y, most_y))  # stress, extrapolated, work
    H = np.zeros((3, most_y, most_y, most_y, most_y))  # stiffness, work, viscosity
    Ky = np.zeros((most_y, d, most_y, d))
    T = np.zeros((most_c, d, most_r * d))
    D, T_rates = rate_array(how, K), rate_array(how, T)
    p_mean, pressure, size, reach = np.zeros(most_p), np.zeros(MOST), np.zeros((2, most_y)), np.zeros(most_r)
    work = (y, G, S, H, Ky, T, T_rates, p_mean, pressure, size, reach)
    for i in range(table.law.size):
        if kind_of(table, i, d) == GENERAL:
            taken = begin_instance(table, rows, i, how, x0, x1, x_old, x_dot, ends)
            _element(table, i, d, taken, ends, f, K, D, work)
            finish_viscous(table, rows, i, how, taken[4], x_test, x1, f, K, D, q, q_scale, q_noise, A)
    return 0


@kernel(forceinline=True)
def _element(table, i, d, how, ends, f, K, D, work):
    """Force f and stiffness K of one instance, over its points; D = ∂f/∂ẋ where it is kept apart."""
    where, kappa, kappa_dot, tangent, apart = how
    y, G, S, H, Ky, T, T_rates, p_mean, pressure, size, reach = work
    ny, nr = table.vectors[i], table.row_start[i + 1] - table.row_start[i]
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
        _clear_lines(ny * (last - begin), nr, d, T)
    if apart:
        _clear_lines(ny * (last - begin), nr, d, T_rates)
        clear_matrix(nr * d, D)
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
    viscous = is_viscous(table, i)
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
        if viscous:
            gather_vectors(table.weights, at, ny, nr, d, ends[3], yd)
            add_viscosity(table, i, where, tangent, p, y, G, S, H)
        _add_force(ny, nr, d, measure, table.weights, at, S1, H1, G1, yt, reach, size, f)
        if tangent:
            element_stiffness(ny, d, measure, kappa, S_mixed, H1, yt, y1, Ky)
            weigh_right(ny, nr, d, table.weights, at, Ky, ny * (point - begin), T)
            if viscous:  # δĠ = κ̇ (δy y1ᵀ + y1 δyᵀ), at the end of the step also δy ẏᵀ + ẏ δyᵀ
                if apart:
                    element_stiffness(ny, d, measure, 0.0, S_mixed, V, yt, y1, Ky)
                    weigh_right(ny, nr, d, table.weights, at, Ky, ny * (point - begin), T_rates)
                for k in range(ny):
                    for a in range(d):
                        y1[k, a] = kappa_dot * y1[k, a] + (yd[k, a] if where == END else 0.0)
                element_stiffness(ny, d, measure, 0.0, S_mixed, V, yt, y1, Ky)
                weigh_right(ny, nr, d, table.weights, at, Ky, ny * (point - begin), T)
    if tangent:
        weigh_left(ny * (last - begin), nr, d, table.weights, table.weight_start[begin], T, K)
    if apart:
        weigh_left(ny * (last - begin), nr, d, table.weights, table.weight_start[begin], T_rates, D)
    if mean:
        add_dilatation_stiffness(table, i, ny, nr, d, where, tangent, p, slope, ends, y, G, S, H, reach, f, K)


@kernel(forceinline=True)
def _clear_lines(lines, nr, d, T):
    """Clear the lines of all vectors before anything is added."""
    for c in range(lines):
        for a in range(d):
            for s in range(nr * d):
                T[c, a, s] = 0.0


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
