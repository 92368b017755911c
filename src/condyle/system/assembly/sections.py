"""Elements of ANCF beams in the frames of their sections (`laws/frames.py`), in the products of the vectors that they gather.

The general kernel (`general.py`) has the same equations in G and its fourth-order stiffness. Here they stand in the 6 or 15
products v themselves, and only a tangent asks for second derivatives. Viscosity adds s_v = β V v̇, V = ∂eᵀ C ∂e.
"""

import numpy as np

from condyle.laws.codes import SECTION_STRAINS
from condyle.laws.frames import MODULI, VISCOUS_CHANGE, across, add_viscous_form, section_pairs
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.discrete import MOST, discrete_gradient, energy_of, law_of
from condyle.system.assembly.elements import (
    ADDS_ELEMENTS,
    SECTION,
    begin_instance,
    element_arrays,
    finish_viscous,
    is_section,
    kind_of,
    most_rows,
    rate_array,
)
from condyle.system.assembly.inverted import is_inverted
from condyle.system.assembly.places import gather, gather_vectors
from condyle.system.assembly.weighing import clear_element, clear_matrix, weigh_left
from condyle.system.signatures import LAWS, f2, number
from condyle.system.tables import END

VECTORS = 5


@separate(ADDS_ELEMENTS)
def add_sections(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for the sections of beams."""
    d = x1.shape[1]
    most_r, most_c = most_rows(table, SECTION, d)
    ends, f, K = element_arrays(most_r, d)
    T, reach = np.zeros((most_c, d, most_r * d)), np.zeros(most_r)
    D, T_rates = rate_array(how, K), rate_array(how, T)
    pairs, y = np.zeros((3, MOST), np.int64), np.zeros((6, VECTORS, d))  # y0, y1, y_test, y_old, ẏ, work
    v, h = np.zeros((12, MOST)), np.zeros((3, MOST, MOST))
    right, Ky, Kv = np.zeros((MOST, VECTORS, d)), np.zeros((VECTORS, d, VECTORS, d)), np.zeros((VECTORS, d, VECTORS, d))
    work = (y, v, h, right, Ky, Kv, T, T_rates, reach)
    for i in range(table.law.size):
        if kind_of(table, i, d) == SECTION:
            taken = begin_instance(table, rows, i, how, x0, x1, x_old, x_dot, ends)
            _element(table, i, d, taken, ends, pairs, f, K, D, work)
            finish_viscous(table, rows, i, how, taken[4], x_test, x1, f, K, D, q, q_scale, q_noise, A)
    return 0


@kernel
def _products(n, pairs, d, y, z, v):
    """v_k = ½ (y_i·z_j + z_i·y_j) of all pairs."""
    for k in range(n):
        i, j, value = pairs[1, k], pairs[2, k], 0.0
        for a in range(d):
            value += y[i, a] * z[j, a] + z[i, a] * y[j, a]
        v[pairs[0, k]] = 0.5 * value


@kernel(forceinline=True)
def _element(table, i, d, how, ends, pairs, f, K, D, work):
    """Force f and stiffness K of one instance, over its points; D = ∂f/∂ẋ where it is kept apart."""
    where, kappa, kappa_dot, tangent, apart = how
    y, v, h, right, Ky, Kv, T, T_rates, reach = work
    y0, y1, yt, yo, yd, other_y = y[0], y[1], y[2], y[3], y[4], y[5]
    v0, v1, s, mixed, moving, noise, spare, other = v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
    sizes, loose, rates, middle = v[8], v[9], v[10], v[11]
    beta = table.damping[i]
    law, ny, nr = table.law[i], table.vectors[i], table.row_start[i + 1] - table.row_start[i]
    p, weights = table.params[table.param_start[i] : table.param_start[i + 1]], table.weights
    n = section_pairs(6 if law == SECTION_STRAINS else MOST, d == 2, pairs[0], pairs[1], pairs[2])
    place, one, two = pairs[0], pairs[1], pairs[2]
    begin, last, columns = table.point_start[i], table.point_start[i + 1], table.gradients[i]
    clear_element(nr, d, tangent, f, K)
    for r in range(nr):
        reach[r] = 0.0
        for a in range(d):
            reach[r] = max(reach[r], abs(ends[0, r, a]), abs(ends[1, r, a]))
    for k in range(MOST):
        moving[k] = 0.0
    across(v0)
    across(v1)
    across(middle)
    for point in range(begin, last):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, ny, nr, d, ends[1], y1)
        gather_vectors(weights, at, ny, nr, d, ends[0], y0)
        _products(n, pairs, d, y1, y1, v1)
        for k in range(ny):
            loose[k] = length = 0.0
            for r in range(nr):
                loose[k] += abs(weights[at + k * nr + r]) * reach[r]
            for a in range(d):
                length += y1[k, a] * y1[k, a]
                yt[k, a] = y1[k, a] if where == END else 0.5 * (y0[k, a] + y1[k, a])
            sizes[k] = np.sqrt(length)
        for k in range(n):
            moving[place[k]] = loose[one[k]] * sizes[two[k]] + loose[two[k]] * sizes[one[k]]
        if tangent:
            gather_vectors(weights, at, ny, nr, d, ends[2], yo)
        if where == END:
            if tangent:  # the stress goes on linearly from the previous iterate
                _products(n, pairs, d, yo, yo, v0)
                law_of(law, v0, p, True, moving, s, h[0], noise)
                _from_old(n, pairs, d, yo, y1, s, h[0], spare, mixed)
            law_of(law, v1, p, tangent, moving, s, h[0], noise)
        else:
            _products(n, pairs, d, y0, y0, v0)
            discrete_gradient(law, n, pairs, p, tangent, v0, v1, moving, s, h[0], noise, spare, other, h[1])
            if tangent:
                _without_square(n, pairs, d, yo, y1, s, h[0], spare, mixed)
        if beta > 0.0:
            gather_vectors(weights, at, ny, nr, d, ends[3], yd)
            _products(n, pairs, d, yd, yt, spare)
            for k in range(n):
                rates[k] = 2.0 * spare[place[k]]
                middle[place[k]] = v1[place[k]] if where == END else 0.5 * (v0[place[k]] + v1[place[k]])
            _add_viscosity(law, n, place, p, beta, where, tangent, middle, rates, s, mixed, h)
        if columns and is_inverted(columns, ny, d, y0, y1, 0.0):
            s[0] = np.nan  # products do not tell: no force then, and the step is shortened
        _add_force(n, pairs, ny, nr, d, measure, weights, at, s, noise, yt, sizes, loose, right, f)
        if tangent:
            c = ny * (point - begin)
            if ny == 3 and d == 3:
                _stiffness(6, pairs, 3, 3, measure, kappa, h[0], mixed, yt, y1, right, Ky)
            elif ny == 5 and d == 3:
                _stiffness(15, pairs, 5, 3, measure, kappa, h[0], mixed, yt, y1, right, Ky)
            else:
                _stiffness(n, pairs, ny, d, measure, kappa, h[0], mixed, yt, y1, right, Ky)
            if beta > 0.0:  # δv̇ = κ̇ δv at y1, at the end of the step also that of δy at ẏ
                if apart:
                    _stiffness(n, pairs, ny, d, measure, 0.0, h[2], mixed, yt, y1, right, Kv)
                    _weigh_right(ny, nr, d, weights, at, Kv, c, T_rates)
                for k in range(ny):
                    for a in range(d):
                        other_y[k, a] = kappa_dot * y1[k, a] + (yd[k, a] if where == END else 0.0)
                _stiffness(n, pairs, ny, d, measure, 0.0, h[2], mixed, yt, other_y, right, Kv)
                for k in range(ny):
                    for a in range(d):
                        for m in range(ny):
                            for b in range(d):
                                Ky[k, a, m, b] += Kv[k, a, m, b]
            if ny == 3 and d == 3 and nr == 8:
                _weigh_right(3, 8, 3, weights, at, Ky, c, T)
            elif ny == 3 and d == 3 and nr == 9:  # with a node that is held
                _weigh_right(3, 9, 3, weights, at, Ky, c, T)
            elif ny == 5 and d == 3 and nr == 8:
                _weigh_right(5, 8, 3, weights, at, Ky, c, T)
            elif ny == 5 and d == 3 and nr == 9:
                _weigh_right(5, 9, 3, weights, at, Ky, c, T)
            else:
                _weigh_right(ny, nr, d, weights, at, Ky, c, T)
    if tangent:
        weigh_left(ny * (last - begin), nr, d, weights, table.weight_start[begin], T, K)
    if apart:
        clear_matrix(nr * d, D)
        weigh_left(ny * (last - begin), nr, d, weights, table.weight_start[begin], T_rates, D)


@kernel
def _add_viscosity(law, n, place, p, beta, where, tangent, v, rates, s, mixed, h):
    """The viscous stress to s and to that of the geometric part, its change with v to h[0]; h[2] = β V.

    As all viscosity it is taken at the middle of a step or at its end.
    """
    count = 6 if law == SECTION_STRAINS else MOST
    V = h[2]
    for k in range(count):
        for m in range(count):
            V[k, m] = 0.0
    add_viscous_form(n, count, place, v, p, MODULI, beta, rates, V)
    for k in range(n):
        stress = 0.0
        for m in range(n):
            stress += V[place[k], place[m]] * rates[m]
        s[place[k]] += stress
        mixed[place[k]] += stress
    if tangent:
        add_viscous_form(n, count, place, v, p, VISCOUS_CHANGE, beta if where == END else 0.5 * beta, rates, h[0])


@kernel
def _from_old(n, pairs, d, yo, y, s, h, change, out):
    """out = s + h (δy_i·yo_j + yo_i·δy_j), δy = y − yo, with s and h of the previous iterate."""
    _products(n, pairs, d, yo, y, change)
    _products(n, pairs, d, yo, yo, out)
    for k in range(n):
        change[pairs[0, k]] = 2.0 * (change[pairs[0, k]] - out[pairs[0, k]])
    _add_change(n, pairs, s, h, change, 1.0, out)


@kernel
def _without_square(n, pairs, d, yo, y, s, h, change, out):
    """out = s − h (δy_i·δy_j), with s and h of this iterate; yo becomes δy."""
    for k in range(yo.shape[0]):
        for a in range(d):
            yo[k, a] = y[k, a] - yo[k, a]
    _products(n, pairs, d, yo, yo, change)
    _add_change(n, pairs, s, h, change, -1.0, out)


@kernel
def _add_change(n, pairs, s, h, change, sign, out):
    for k in range(n):
        a = pairs[0, k]
        value = 0.0
        for m in range(n):
            value += h[a, pairs[0, m]] * change[pairs[0, m]]
        out[a] = s[a] + sign * value


@kernel
def _add_force(n, pairs, ny, nr, d, measure, weights, at, s, noise, yt, sizes, loose, on, f):
    """Forces s_k y_j on y_i and s_k y_i on y_j to the rows, their scale and their noise (`general._add_force`)."""
    for k in range(ny):
        for a in range(d):
            on[0, k, a] = 0.0
        on[1, k, 0] = 0.0
    for k in range(n):
        stress, shaken, i, j = s[pairs[0, k]], noise[pairs[0, k]], pairs[1, k], pairs[2, k]
        for a in range(d):
            on[0, i, a] += stress * yt[j, a]
            on[0, j, a] += stress * yt[i, a]
        on[1, i, 0] += shaken * sizes[j] + abs(stress) * loose[j]
        on[1, j, 0] += shaken * sizes[i] + abs(stress) * loose[i]
    for k in range(ny):
        for r in range(nr):
            w = measure * weights[at + k * nr + r]
            if w != 0.0:
                for a in range(d):
                    f[0, r, a] += w * on[0, k, a]
                    f[1, r, a] += abs(w * on[0, k, a])
                    f[2, r, a] += abs(w) * on[1, k, 0]


@kernel(forceinline=True)
def _stiffness(n, pairs, ny, d, measure, kappa, h, mixed, yt, y1, right, Ky):
    """∂f_ia/∂y_jb = Σ ∂v_k/∂y_ia h_kl ∂v_l/∂y_jb, slopes on the left at yt and on the right at y1, and κ times the stress.

    With constant numbers the compiler writes it out.
    """
    place, one, two = pairs[0], pairs[1], pairs[2]
    for k in range(n):
        line, out = h[place[k]], right[k]
        for i in range(ny):
            for b in range(d):
                out[i, b] = 0.0
        for m in range(n):
            value, i, j = measure * line[place[m]], one[m], two[m]
            for b in range(d):
                out[i, b] += value * y1[j, b]
                out[j, b] += value * y1[i, b]
    for i in range(ny):
        for a in range(d):
            for m in range(ny):
                for b in range(d):
                    Ky[i, a, m, b] = 0.0
    for k in range(n):
        i, j, stress = one[k], two[k], kappa * measure * mixed[place[k]]
        for a in range(d):
            x, z, on_i, on_j = yt[j, a], yt[i, a], Ky[i, a], Ky[j, a]
            for m in range(ny):
                for b in range(d):
                    on_i[m, b] += x * right[k, m, b]
                    on_j[m, b] += z * right[k, m, b]
            on_i[j, a] += stress
            on_j[i, a] += stress


@kernel(forceinline=True)
def _weigh_right(ny, nr, d, weights, at, Ky, c, T):
    """`weigh_right`, which sets T instead of adding to it, with all vectors of a point at once."""
    for k in range(ny):
        for a in range(d):
            line = T[c + k, a]
            for b in range(d):
                for s in range(nr):
                    value = 0.0
                    for m in range(ny):
                        value += Ky[k, a, m, b] * weights[at + m * nr + s]
                    line[b * nr + s] = value


@separate(number(LAWS, f2))
def section_energies(table, x):
    """Σ ψ of the sections of beams [J]."""
    d = x.shape[1]
    pairs, y, v = np.zeros((3, MOST), np.int64), np.zeros((VECTORS, d)), np.zeros(MOST)
    total = 0.0
    for i in range(table.law.size):
        law = table.law[i]
        if is_section(law):
            p = table.params[table.param_start[i] : table.param_start[i + 1]]
            n = section_pairs(6 if law == SECTION_STRAINS else MOST, d == 2, pairs[0], pairs[1], pairs[2])
            across(v)
            for point in range(table.point_start[i], table.point_start[i + 1]):
                gather(table, i, point, x, y)
                _products(n, pairs, d, y, y, v)
                total += table.measure[point] * energy_of(law, v, p)
    return total
