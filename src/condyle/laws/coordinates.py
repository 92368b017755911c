"""Joint coordinates q(G): slides, angles, distances; and functions of them.

A joint coordinate is a function of the Gram matrix of a few gathered vectors, so that everything said of laws holds for it:
drivers, couplings, gears, screws, springs and limits are constraints or energies of Q = Σ g_k(q_k(G)).

Parameters of a list of coordinates: n, then for each of the n
    kind, first vector, reference angle, function (LINEAR: a | SPLINE: m, m knots, 4 (m − 1) coefficients), and for
    segments of paths what their kind needs (paths.py)
The reference angle says on which turn an angle is: it is the unwrapped angle at the start of the step.
"""

import numpy as np

from condyle.laws.codes import ANGLE, LINEAR, MOVING, SLIDE, TILT
from condyle.laws.derivatives import clear_derivatives
from condyle.laws.kernel import kernel
from condyle.laws.paths import segment, segment_entries, segment_size, spline_value


@kernel
def angle_near(sin, cos, near):
    """The angle with this sine and cosine (up to a common factor) on the turn nearest to `near`."""
    c, s = np.cos(near), np.sin(near)
    return near + np.arctan2(sin * c - cos * s, cos * c + sin * s)


@kernel
def function_value(p, at, q):
    """Value, slope and curvature of the function at p[at] of a coordinate."""
    if int(p[at]) == LINEAR:
        return p[at + 1] * q, p[at + 1], 0.0
    return spline_value(p, at + 1, q)


@kernel
def distance_outside(q, lower, upper):
    """How far q is below (< 0) or above an interval; 0 within it."""
    return q - lower if q < lower else (q - upper if q > upper else 0.0)


@kernel
def add_pair(S, H, i, j, k, m, first, second):
    """Add f_p to S at (i, j) and F_pq to H at (i, j; k, m), made symmetric; first is added only where p = q."""
    half_p = 1.0 if i == j else 0.5
    half_q = 1.0 if k == m else 0.5
    if i == k and j == m:
        S[i, j] += half_p * first
        if i != j:
            S[j, i] += half_p * first
    value = half_p * half_q * second
    H[i, j, k, m] += value
    if k != m:
        H[i, j, m, k] += value
    if i != j:
        H[j, i, k, m] += value
        if k != m:
            H[j, i, m, k] += value


@kernel
def sum_of_coordinates(ny, G, p, at, S, H):
    """Q = Σ g_k(q_k) for the list of coordinates that starts at p[at]; fills S = ∂Q/∂G and H = ∂²Q/∂G∂G."""
    clear_derivatives(ny, S, H)
    count = int(p[at])
    at += 1
    total = 0.0
    for _ in range(count):
        kind, o, near, function = int(p[at]), int(p[at + 1]), p[at + 2], int(p[at + 3])
        if kind >= MOVING:
            entries = segment_entries(kind, p, at + 5)
            pairs, length = np.zeros((entries, 2), dtype=np.int64), np.zeros((entries + 1, entries + 1))
            count_of_pairs = segment(kind, G, o, near, p, at + 5, pairs, length)
            total += p[at + 4] * length[0, 0]
            for i in range(1, count_of_pairs + 1):
                for j in range(1, count_of_pairs + 1):
                    add_pair(
                        S, H, pairs[i - 1, 0], pairs[i - 1, 1], pairs[j - 1, 0], pairs[j - 1, 1],
                        p[at + 4] * length[0, i], p[at + 4] * length[i, j],
                    )  # fmt: skip
            at += 5 + segment_size(kind, p, at + 5)
            continue
        if kind == ANGLE:
            q = angle_near(G[o, o + 2], G[o, o + 1], near)
        elif kind == SLIDE:
            q = G[o, o + 1]
        elif kind == TILT:
            q = np.arcsin(min(max(G[o, o + 1], -1.0), 1.0))
        else:
            q = np.sqrt(G[o, o])
        value, slope, bend = function_value(p, at + 3, q)
        at += 5 if function == LINEAR else 5 + 5 * int(p[at + 4]) - 4
        total += value
        if kind == ANGLE:
            c, s = G[o, o + 1], G[o, o + 2]
            r2 = c * c + s * s
            qc, qs = -s / r2, c / r2
            qcc, qcs = 2.0 * c * s / (r2 * r2), (s * s - c * c) / (r2 * r2)
            add_pair(S, H, o, o + 1, o, o + 1, slope * qc, slope * qcc + bend * qc * qc)
            add_pair(S, H, o, o + 2, o, o + 2, slope * qs, -slope * qcc + bend * qs * qs)
            add_pair(S, H, o, o + 1, o, o + 2, 0.0, slope * qcs + bend * qc * qs)
            add_pair(S, H, o, o + 2, o, o + 1, 0.0, slope * qcs + bend * qc * qs)
        elif kind == SLIDE:
            add_pair(S, H, o, o + 1, o, o + 1, slope, bend)
        elif kind == TILT:
            square = max(1.0 - G[o, o + 1] ** 2, 1e-12)
            q1 = 1.0 / np.sqrt(square)
            q2 = G[o, o + 1] * q1 / square
            add_pair(S, H, o, o + 1, o, o + 1, slope * q1, slope * q2 + bend * q1 * q1)
        else:
            add_pair(S, H, o, o, o, o, 0.5 * slope / q, 0.25 * (bend / q - slope / (q * q)) / q)
    return total


@kernel
def coordinate_constraint(ny, G, p, S, H):
    """c = Q − p_0. p = (constant, list of coordinates)."""
    return sum_of_coordinates(ny, G, p, 1, S, H) - p[0]


@kernel
def coordinate_spring(ny, G, p, S, H):
    """ψ = ½ k (distance of Q from the interval [lower, upper])². p = (k, lower, upper, list of coordinates)."""
    value = sum_of_coordinates(ny, G, p, 3, S, H)
    k = p[0]
    excess = distance_outside(value, p[1], p[2])
    for i in range(ny):
        for j in range(ny):
            for m in range(ny):
                for n in range(ny):
                    H[i, j, m, n] = k * excess * H[i, j, m, n]
    if excess != 0.0 or p[1] == p[2]:
        for i in range(ny):
            for j in range(ny):
                for m in range(ny):
                    for n in range(ny):
                        H[i, j, m, n] += k * S[i, j] * S[m, n]
    for i in range(ny):
        for j in range(ny):
            S[i, j] *= k * excess
    return 0.5 * k * excess * excess


@kernel
def held_back(elastic, stiffness, viscous, by_value, by_rate):
    """A viscous force that takes no more than the elastic one gives, so that both together never change sign.

    elastic E ≥ 0, viscous V, which has the sign of the rate: V while V ≥ −E/2, beyond that E²/(4 |V|) is left of the sum. Once
    continuously differentiable; V and what is left of it always brake. Returns it and its derivatives by value and rate.
    """
    if viscous >= -0.5 * elastic:
        return viscous, by_value, by_rate
    part = -0.5 * elastic / viscous
    return (0.5 * part - 1.0) * elastic, (part - 1.0) * stiffness + part * part * by_value, part * part * by_rate


@kernel
def coordinate_gradient(ny, d, y, p, at, grad, curvature):
    """Q, ∂Q/∂y (ny, d) and ∂²Q/∂y∂y (ny, d, ny, d) of a list of coordinates."""
    G, S = np.zeros((ny, ny)), np.zeros((ny, ny))
    H = np.zeros((ny, ny, ny, ny))
    for i in range(ny):
        for j in range(ny):
            for a in range(d):
                G[i, j] += y[i, a] * y[j, a]
    value = sum_of_coordinates(ny, G, p, at, S, H)
    for k in range(ny):
        for a in range(d):
            grad[k, a] = 0.0
            for j in range(ny):
                grad[k, a] += 2.0 * S[k, j] * y[j, a]
    by_products(ny, d, y, y, H, curvature)
    for k in range(ny):
        for m in range(ny):
            for a in range(d):
                curvature[k, a, m, a] += 2.0 * S[k, m]
    return value


@kernel
def by_products(ny, d, left, right, H, K):
    """K (ny, d, ny, d) = 4 leftᵀ H right. Of the products of vectors a law feels few, so most of H is zero."""
    for k in range(ny):
        for a in range(d):
            for m in range(ny):
                for b in range(d):
                    K[k, a, m, b] = 0.0
    for k in range(ny):
        for m in range(ny):
            for i in range(ny):
                for j in range(ny):
                    h = H[k, i, m, j]
                    if h != 0.0:
                        for a in range(d):
                            for b in range(d):
                                K[k, a, m, b] += 4.0 * left[i, a] * h * right[j, b]


@kernel
def rate_along(ny, d, grad, ydot):
    """Q̇ = ∂Q/∂y · ẏ."""
    rate = 0.0
    for k in range(ny):
        for a in range(d):
            rate += grad[k, a] * ydot[k, a]
    return rate


@kernel
def along_path(ny, d, tension, by_value, by_rate, grad, curvature, ydot, f, Ky, Kv):
    """f = −F ∂Q/∂y of a tension F(Q, Q̇), and its derivatives by y and ẏ, from those of F."""
    for m in range(ny):
        for b in range(d):
            bend = 0.0  # ∂Q̇/∂y_mb
            for k in range(ny):
                for a in range(d):
                    bend += curvature[k, a, m, b] * ydot[k, a]
            for k in range(ny):
                for a in range(d):
                    Ky[k, a, m, b] = -tension * curvature[k, a, m, b]
                    Ky[k, a, m, b] -= grad[k, a] * (by_value * grad[m, b] + by_rate * bend)
                    Kv[k, a, m, b] = -by_rate * grad[k, a] * grad[m, b]
    for k in range(ny):
        for a in range(d):
            f[k, a] = -tension * grad[k, a]
