"""Volume of an element by few numbers: its mean dilatation, and in quadratic elements the linear part of it.

    θ = ∫ J dV / V,   θ_a = ∫ φ_a J dV / V,   energy of the volume V (U(θ) + ½ κ₁ Σ θ_a²),   U = ¼ κ (θ² − 1 − 2 ln θ)

with functions φ_a linear in place, of mean zero and ∫ φ_a φ_b dV = V δ_ab. Within an element the pressure
p = U′(θ) + κ₁ Σ θ_a φ_a is a number at each point, and the law of the points is ψ(C̄) + p J, a law of the Gram matrix like any
other. The derivatives of U′(θ) and κ₁ θ_a add rank-one matrices.

The parameters of the law say where in them the functions stand: p[1] = at, p[at] = their number n, p[at + 1] = κ₁, and then,
point by point, the n values of φ_a.
"""

import numpy as np

from condyle.laws.codes import VOLUME
from condyle.laws.gram import discrete_gradient, gram_law
from condyle.laws.kernel import kernel, separate
from condyle.laws.volume import volume_law
from condyle.system.assembly.places import gather, gather_vectors, gram
from condyle.system.assembly.weighing import add_rank_one, force_of
from condyle.system.signatures import LAWS, count, f1, f2, f3, f4, f5, flag, number, several
from condyle.system.tables import END

MOST = 5  # numbers of one element: the mean, three linear functions, and the volume at the end
_VOLUME_AT = MOST - 1

_NONE = np.zeros(1)  # ψ = J has no parameters
_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])


@kernel(forceinline=True)
def function_at(p, q, a):
    """φ_a at point q; the first is 1."""
    at = int(p[1])
    return 1.0 if a == 0 else p[at + 1 + q * int(p[at]) + a]


@kernel
def _add_dilatation(ny, measure, p, q, G, S, H, theta):
    """theta += what point q adds to V θ, V θ_a and, at the end, V."""
    volume = measure * gram_law(VOLUME, ny, G, _NONE, S, H)
    for a in range(1 + int(p[int(p[1])])):
        theta[a] += function_at(p, q, a) * volume
    theta[_VOLUME_AT] += measure


@separate(number(LAWS, count, f2, f2, f2, f2, f4))
def volume_energy(table, i, x, y, G, S, H):
    """V (U(θ) + ½ κ₁ Σ θ_a²) of element i [J]; y, G, S, H: work arrays."""
    ny, first = table.vectors[i], table.point_start[i]
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    theta = np.zeros(MOST)
    for point in range(first, table.point_start[i + 1]):
        gather(table, i, point, x, y)
        gram(ny, x.shape[1], y, G)
        _add_dilatation(ny, table.measure[point], p, point - first, G, S, H, theta)
    at, volume = int(p[1]), theta[_VOLUME_AT]
    total, _, _ = volume_law(p[0], theta[0] / volume)
    for a in range(1, 1 + int(p[at])):
        total += 0.5 * p[at + 1] * (theta[a] / volume) ** 2
    return volume * total


@kernel(forceinline=True)
def point_pressure(p, q, pressure):
    """The pressure p of an element at its point q."""
    total = pressure[0]
    for a in range(1, 1 + int(p[int(p[1])])):
        total += pressure[a] * function_at(p, q, a)
    return total


@separate(number(LAWS, count, count, count, count, count, f1, f3, f2, f2, f2, f4, f1))
def element_pressure(table, i, ny, nr, d, where, p, ends, y, G, S, H, pressure):
    """Fills pressure = U′(θ), κ₁ θ_a; returns the derivative of U′ by θ1.

    Conserving: the quotient of U and θ between the ends of the step, and κ₁ times the mean of θ_a, so that the work of the
    pressure is the change of the energy.
    """
    at = int(p[1])
    functions = int(p[at])
    now = np.zeros(MOST)
    _dilatations(table, i, ny, nr, d, ends[1], p, y, G, S, H, now)
    if where == END:
        for a in range(1, 1 + functions):
            pressure[a] = p[at + 1] * now[a]
        pressure[0], slope = _mean_pressure(p[0], now[0], now[0], True)
        return slope
    before = np.zeros(MOST)
    _dilatations(table, i, ny, nr, d, ends[0], p, y, G, S, H, before)
    for a in range(1, 1 + functions):
        pressure[a] = 0.5 * p[at + 1] * (before[a] + now[a])
    pressure[0], slope = _mean_pressure(p[0], before[0], now[0], False)
    return slope


@kernel
def _dilatations(table, i, ny, nr, d, nodes, p, y, G, S, H, theta):
    """θ and θ_a of one element."""
    first = table.point_start[i]
    for point in range(first, table.point_start[i + 1]):
        gather_vectors(table.weights, table.weight_start[point], ny, nr, d, nodes, y)
        gram(ny, d, y, G)
        _add_dilatation(ny, table.measure[point], p, point - first, G, S, H, theta)
    for a in range(_VOLUME_AT):
        theta[a] /= theta[_VOLUME_AT]


@kernel
def _mean_pressure(bulk, before, theta, at_end):
    """U′(θ), or between two dilatations (U(θ1) − U(θ0))/(θ1 − θ0), and its derivative by θ1.

    Small changes of θ take the mean of U′ by two Gauss points, which is free of cancellation.
    """
    if at_end:
        _, pressure, slope = volume_law(bulk, theta)
        return pressure, slope
    change = theta - before
    if change * change > 4e-7 * theta * theta:
        pressure = (volume_law(bulk, theta)[0] - volume_law(bulk, before)[0]) / change
        return pressure, (volume_law(bulk, theta)[1] - pressure) / change
    pressure = slope = 0.0
    for s in _GAUSS:
        _, between, steeper = volume_law(bulk, before + s * change)
        pressure += 0.5 * between
        slope += 0.5 * s * steeper
    return pressure, slope


@separate(count(LAWS, *several(count, 5), flag, f1, number, f3, f3, f3, f3, f5, f1, f3, f2))
def add_dilatation_stiffness(table, i, ny, nr, d, where, tangent, p, slope, ends, y, G, S, H, reach, f, K):
    """K += Σ_a (∂p_a/∂θ_a / V) g_a,test ⊗ g_a, g_a = ∂(V θ_a)/∂x; and the noise of the pressure.

    slope: the derivative of U′ by θ1; that of the linear part is κ₁, or half of it where the mean of both ends acts.
    """
    at = int(p[1])
    count = 1 + int(p[at])
    left, right = np.zeros((count, nr, d)), np.zeros((count, nr, d))
    volume = 0.0
    first = table.point_start[i]
    for point in range(first, table.point_start[i + 1]):
        measure = table.measure[point]
        volume += measure
        w = table.weight_start[point]
        gather_vectors(table.weights, w, ny, nr, d, ends[1], y[1])
        gram(ny, d, y[1], G[1])
        gram_law(VOLUME, ny, G[1], _NONE, S[0], H[0])
        _add_gradient(ny, nr, d, measure, p, point - first, table.weights, w, S[0], y[1], right)
        if where != END:
            gather_vectors(table.weights, w, ny, nr, d, ends[0], y[0])
            gram(ny, d, y[0], G[0])
            discrete_gradient(VOLUME, ny, G[0], G[1], _NONE, S[0], H[0], G[2], S[2], H[1])
            for k in range(ny):
                for b in range(d):
                    y[1, k, b] = 0.5 * (y[0, k, b] + y[1, k, b])
        _add_gradient(ny, nr, d, measure, p, point - first, table.weights, w, S[0], y[1], left)
    for a in range(count):
        stiffness = slope if a == 0 else p[at + 1] * (1.0 if where == END else 0.5)
        change = 0.0
        for r in range(nr):
            for b in range(d):
                change += abs(right[a, r, b]) * reach[r]
        for r in range(nr):
            for b in range(d):
                f[2, r, b] += stiffness / volume * abs(left[a, r, b]) * change
        if tangent:
            add_rank_one(nr, d, stiffness / volume, left[a], right[a], K)
    return 0


@kernel
def _add_gradient(ny, nr, d, measure, p, q, weights, at, S, y, g):
    """g_ar += measure φ_a(q) Σ_k w_kr 2 Σ_j S_kj y_j."""
    for k in range(ny):
        for b in range(d):
            value = force_of(ny, k, b, measure, S, y)
            for a in range(g.shape[0]):
                amount = value * function_at(p, q, a)
                for r in range(nr):
                    g[a, r, b] += weights[at + k * nr + r] * amount
