"""Energies of one vector, as that of a spring is: the equations of `general.py`, whose matrices are numbers here.

y = Σ w_r x_r, ψ(g) with g = y·y, S = ψ' and H = ψ''. The force on y is 2 S y, with S between both ends of the step where
energy is kept, and y their mean; the stiffness is 4 H y yᵀ + 2 κ S* 1.
"""

import numpy as np

from condyle.laws.gram import is_quadratic
from condyle.laws.kernel import kernel, separate
from condyle.laws.table import call_gram
from condyle.system.assembly.elements import (
    ADDS_ELEMENTS,
    SPRING,
    begin_instance,
    element_arrays,
    finish_instance,
    kind_of,
    most_rows,
)
from condyle.system.assembly.places import gather_vectors
from condyle.system.assembly.weighing import clear_element
from condyle.system.tables import END

_FIRST, _SECOND = 0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)  # Gauss' rule on [0, 1]


@separate(ADDS_ELEMENTS)
def add_springs(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A):
    """What `add_energies` adds for laws of one vector, instance by instance."""
    d = x1.shape[1]
    most_r, _ = most_rows(table, SPRING, d)
    ends, f, K = element_arrays(most_r, d)
    # y0, y1, y_test, y_old; G, S and H, as laws take them
    work = (np.zeros((4, 1, d)), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1, 1, 1)))
    for i in range(table.law.size):
        if kind_of(table, i, d) == SPRING:
            taken = begin_instance(table, rows, i, how, x0, x1, x_old, x_dot, ends)
            _element(table, i, d, taken, ends, f, K, work)
            finish_instance(table, rows, i, how, x_test, x1, f, K, q, q_scale, q_noise, A)
    return 0


@kernel(forceinline=True)
def _square(d, y):
    total = 0.0
    for a in range(d):
        total += y[0, a] * y[0, a]
    return total


@kernel
def _law(law, g, p, work):
    """ψ, ψ' and ψ'' at g."""
    _, G, S, H = work
    G[0, 0] = g
    psi = call_gram(law, 1, G, p, S, H)
    return psi, S[0, 0], H[0, 0, 0, 0]


@kernel
def _stress(law, where, quadratic, g0, g1, p, work):
    """S at the end of the step, or its discrete gradient (`laws.gram.discrete_gradient`), and the derivative of it by g1."""
    if where == END:
        _, s, h = _law(law, g1, p, work)
        return s, h
    if quadratic:
        _, s, h = _law(law, 0.5 * (g0 + g1), p, work)
        return s, 0.5 * h
    change = g1 - g0
    _, s, h = _law(law, g0 + _FIRST * change, p, work)
    _, other, slope = _law(law, g0 + _SECOND * change, p, work)
    s, h = 0.5 * (s + other), 0.5 * (_FIRST * h + _SECOND * slope)
    square = change * change
    if square <= 4e-7 * g1 * g1:
        return s, h
    before, _, _ = _law(law, g0, p, work)
    after, end, _ = _law(law, g1, p, work)
    defect = after - before - s * change
    along = (end - s - change * h) / square - 2.0 * defect * change / (square * square)
    return s + defect / square * change, h + change * along + defect / square


@kernel(forceinline=True)
def _element(table, i, d, how, ends, f, K, work):
    """Force f and stiffness K of one instance, over its points."""
    where, kappa, _, tangent, _ = how
    y = work[0]
    y0, y1, yt, yo = y[0], y[1], y[2], y[3]
    nr = table.row_start[i + 1] - table.row_start[i]
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    law, weights = table.law[i], table.weights
    quadratic = is_quadratic(law, 1)
    clear_element(nr, d, tangent, f, K)
    for point in range(table.point_start[i], table.point_start[i + 1]):
        measure, at = table.measure[point], table.weight_start[point]
        gather_vectors(weights, at, 1, nr, d, ends[0], y0)
        gather_vectors(weights, at, 1, nr, d, ends[1], y1)
        g0, g1 = _square(d, y0), _square(d, y1)
        for a in range(d):
            yt[0, a] = y1[0, a] if where == END else 0.5 * (y0[0, a] + y1[0, a])
        s, h = _stress(law, where, quadratic, g0, g1, p, work)
        _add_force(nr, d, 2.0 * measure, weights, at, s, h, np.sqrt(g1), yt[0], ends, f)
        if tangent:  # the part of the stress without the square of δy = y1 − y_old, as in `general._extrapolate`
            gather_vectors(weights, at, 1, nr, d, ends[2], yo)
            square = along = 0.0
            for a in range(d):
                step = y1[0, a] - yo[0, a]
                square += step * step
                along += step * yo[0, a]
            if quadratic:
                mixed = s - h * square
            else:
                mixed, slope = _stress(law, where, quadratic, g0, _square(d, yo), p, work)
                mixed += 2.0 * slope * along
            _add_stiffness(nr, d, measure, kappa, weights, at, mixed, h, yt[0], y1[0], K)


@kernel(forceinline=True)
def _add_force(nr, d, twice, weights, at, s, h, length, y, ends, f):
    """f_r += w_r 2 S y, its size, and its noise: its change when y changes by what it is gathered from."""
    gathered = 0.0
    for r in range(nr):
        reach = 0.0
        for a in range(d):
            reach = max(reach, abs(ends[0, r, a]), abs(ends[1, r, a]))
        gathered += abs(weights[at + r]) * reach
    noise = twice * gathered * (2.0 * abs(h) * length * length + abs(s))
    for r in range(nr):
        w = weights[at + r]
        for a in range(d):
            value = w * twice * s * y[a]
            f[0, r, a] += value
            f[1, r, a] += abs(value)
            f[2, r, a] += abs(w) * noise


@kernel(forceinline=True)
def _add_stiffness(nr, d, measure, kappa, weights, at, s, h, left, right, K):
    """K_ra,ob += w_r w_o (4 H left_a right_b + 2 κ S δ_ab)."""
    for a in range(d):
        for b in range(d):
            value = 4.0 * measure * h * left[a] * right[b]
            if a == b:
                value += 2.0 * measure * kappa * s
            for r in range(nr):
                w = weights[at + r] * value
                for o in range(nr):
                    K[r * d + a, b * nr + o] += w * weights[at + o]
