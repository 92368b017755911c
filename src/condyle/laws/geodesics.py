"""Geodesics of the surfaces that paths wrap over: spheres, cylinders, ellipsoids and tori, each in axes of its own.

A surface F(x) = 0 is a quadric, F = xᵀ D x − 1 with D = diag(1/a²) (a cylinder: D₃ = 0), or a torus about the third axis,
F = ((ρ − R)² + z²)/r² − 1. Its geodesics obey x'' = −(x'ᵀ F'' x') F' / |F'|², along which F stays linear: also from places
that are not on the surface, as iterations need. Great circles and helices are in closed form, the others by Butcher's rule of
order 6 (butcher-1964).
"""

import numpy as np

from condyle.laws.codes import CYLINDER, SPHERE, TORUS
from condyle.laws.kernel import kernel

STEPS = 48  # of the rule along a geodesic
LEAN = 0.2  # of the first guess towards the side: decides where the ends lie opposite each other
_STAGES = np.array([
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1 / 3, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 2 / 3, 0.0, 0.0, 0.0, 0.0],
    [1 / 12, 1 / 3, -1 / 12, 0.0, 0.0, 0.0],
    [-1 / 16, 9 / 8, -3 / 16, -3 / 8, 0.0, 0.0],
    [0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2, 0.0],
    [9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11],
])  # fmt: skip
_WEIGHTS = np.array([11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120])


@kernel
def inverse_squares(kind, size, D):
    """D of a quadric with these semi-axes; a cylinder has none along its third axis."""
    for a in range(3):
        D[a] = 0.0 if kind == CYLINDER and a == 2 else 1.0 / (size[a] * size[a])


@kernel
def normal_at(kind, size, Q, n):
    """F at Q, which is zero on the surface and positive outside; n: unit normal."""
    defect = -1.0
    if kind == TORUS:
        rho = np.sqrt(Q[0] * Q[0] + Q[1] * Q[1])
        off = rho - size[0]
        n[0], n[1], n[2] = off * Q[0] / rho, off * Q[1] / rho, Q[2]
        defect += (off * off + Q[2] * Q[2]) / (size[1] * size[1])
    else:
        D = np.zeros(3)
        inverse_squares(kind, size, D)
        for a in range(3):
            n[a] = D[a] * Q[a]
            defect += Q[a] * n[a]
    length = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    for a in range(3):
        n[a] /= length
    return defect


@kernel
def bend(kind, size, Q, T, out):
    """Q'' of a geodesic at Q with the direction T."""
    top, bottom = 0.0, 0.0
    if kind == TORUS:
        rho = np.sqrt(Q[0] * Q[0] + Q[1] * Q[1])
        off, rate = rho - size[0], (Q[0] * T[0] + Q[1] * T[1]) / rho
        out[0], out[1], out[2] = off * Q[0] / rho, off * Q[1] / rho, Q[2]
        top = rate * rate + off * (T[0] * T[0] + T[1] * T[1] - rate * rate) / rho + T[2] * T[2]
        bottom = off * off + Q[2] * Q[2]
    else:
        for a in range(3):
            D = 1.0 / (size[a] * size[a])
            out[a] = D * Q[a]
            top += T[a] * D * T[a]
            bottom += out[a] * out[a]
    for a in range(3):
        out[a] *= -top / bottom


@kernel
def follow(kind, size, Q, T, length):
    """Go along a geodesic: Q and T become place and direction at its end."""
    if kind in (SPHERE, CYLINDER):
        follow_circle(3 if kind == SPHERE else 2, Q, T, length)
        return
    h = length / STEPS
    k = np.zeros((7, 2, 3))
    q, t = np.zeros(3), np.zeros(3)
    for _ in range(STEPS):
        for stage in range(7):
            for a in range(3):
                q[a], t[a] = Q[a], T[a]
                for before in range(stage):
                    q[a] += h * _STAGES[stage, before] * k[before, 0, a]
                    t[a] += h * _STAGES[stage, before] * k[before, 1, a]
            for a in range(3):
                k[stage, 0, a] = t[a]
            bend(kind, size, q, t, k[stage, 1])
        for a in range(3):
            for stage in range(7):
                Q[a] += h * _WEIGHTS[stage] * k[stage, 0, a]
                T[a] += h * _WEIGHTS[stage] * k[stage, 1, a]


@kernel
def follow_circle(round_axes, Q, T, length):
    """Follow a geodesic on which two or three coordinates turn about the origin, and the rest goes on straight."""
    square, along = 0.0, 0.0
    for a in range(round_axes):
        square += Q[a] * Q[a]
        along += Q[a] * T[a]
    across = np.zeros(3)
    speed = 0.0
    for a in range(round_axes):
        across[a] = T[a] - along / square * Q[a]
        speed += across[a] * across[a]
    radius, speed = np.sqrt(square), np.sqrt(speed)
    angle = speed * length / radius
    c, s = np.cos(angle), np.sin(angle)
    reach = radius * s / speed if speed > 1e-12 else length
    for a in range(round_axes):
        Q[a], T[a] = c * Q[a] + reach * across[a], c * across[a] - speed * s / radius * Q[a]
    for a in range(round_axes, 3):
        Q[a] += T[a] * length


# --- first guesses ----------------------------------------------------------------------------------------------------


@kernel
def guess_way(kind, size, side, p, s, U, E):
    """A guess of the way from p to s: where it touches and how long it is there, U = (Q, σ), and its end E.

    False if the straight line is free. `side` not zero: on this side, which may be the longer way.
    """
    if kind == TORUS:
        return guess_through_ring(size[0], size[1], side, p, s, U, E)
    D = np.zeros(3)
    inverse_squares(kind, size, D)
    return guess_round_quadric(D, side, p, s, U, E)


@kernel
def guess_round_quadric(D, side, p_at, s_at, U, E):
    """By the affine map to a unit sphere or circle, where tangents stay tangents; exact for spheres and cylinders."""
    p, s, m, lean, before = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    pp, ss, ps, pu, su = 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(3):
        root = np.sqrt(D[a])
        p[a], s[a] = root * p_at[a], root * s_at[a]
        pp, ss, ps = pp + p[a] * p[a], ss + s[a] * s[a], ps + p[a] * s[a]
        lean[a] = side[a] / root if root > 0.0 else 0.0
        pu, su = pu + p[a] * lean[a], su + s[a] * lean[a]
    alpha, beta = np.arccos(min(1.0 / np.sqrt(pp), 1.0)), np.arccos(min(1.0 / np.sqrt(ss), 1.0))
    gamma = np.arccos(min(max(ps / np.sqrt(pp * ss), -1.0), 1.0))
    sense = 1.0
    if pu / np.sqrt(pp) + su / np.sqrt(ss) < 0.0:
        gamma, sense = 2.0 * np.pi - gamma, -1.0
    around = gamma - alpha - beta
    if around <= 0.0:
        return False
    across = 0.0  # m: unit vector in the plane of p and s, square to p, towards s or away from it, a little to the side
    for a in range(3):
        m[a] = sense * (s[a] - ps / pp * p[a]) / np.sqrt(ss) + LEAN * (lean[a] - pu / pp * p[a])
        across += m[a] * m[a]
    across = max(np.sqrt(across), 1e-300)
    U[3] = 0.0
    for k in range(17):
        angle, step = alpha + around * k / 16.0, 0.0
        for a in range(3):
            E[a] = (
                (np.cos(angle) * p[a] / np.sqrt(pp) + np.sin(angle) * m[a] / across) / np.sqrt(D[a])
                if D[a] > 0.0
                else 0.0
            )
            step += (E[a] - before[a]) ** 2
            before[a] = E[a]
            if k == 0:
                U[a] = E[a]
        if k:
            U[3] += np.sqrt(step)
    if D[2] == 0.0:  # unrolled, the way climbs evenly
        before_it, after_it = np.tan(alpha) / np.sqrt(D[0]), np.tan(beta) / np.sqrt(D[0])
        slope = (s_at[2] - p_at[2]) / (before_it + U[3] + after_it)
        U[2], E[2] = p_at[2] + slope * before_it, s_at[2] - slope * after_it
        U[3] *= np.sqrt(1.0 + slope * slope)
    return True


@kernel
def guess_through_ring(ring, tube, side, p, s, U, E):
    """Through the hole of a torus, over the piece of its ring towards `side`, or over the one nearest to the straight line.

    That piece is taken for a cylinder, and turned until the middle of the way lies on it.
    """
    angle = nearest_of_ring(ring, side, p, s)
    D, hole = np.array([1.0 / tube**2, 1.0 / tube**2, 0.0]), np.array([1.0 / tube, 0.0, 0.0])
    a, b, V, F = np.zeros(3), np.zeros(3), np.zeros(4), np.zeros(3)
    for _ in range(30):
        c, n = np.cos(angle), np.sin(angle)
        for x, y in ((p, a), (s, b)):  # towards the hole, up, along the ring
            y[0], y[1], y[2] = ring - c * x[0] - n * x[1], x[2], c * x[1] - n * x[0]
        if not guess_round_quadric(D, hole, a, b, V, F):
            return False
        before, after = 0.5 * V[3], 0.5 * V[3]
        for k in range(3):
            before += abs(V[k] - a[k])
            after += abs(F[k] - b[k])
        share = before / (before + after)  # of the way that lies before its middle, which a turn moves along the ring
        reach = ring - (1.0 - share) * a[0] - share * b[0]
        turn = min(max(0.5 * (V[2] + F[2]) / max(reach, ring - tube), -0.3), 0.3)
        angle += turn
        if abs(turn) < 1e-9:
            break
    for k in range(2):
        x, out = (V[:3], U) if k == 0 else (F, E)
        rho, at = ring - x[0], angle + x[2] / (ring - x[0])
        out[0], out[1], out[2] = rho * np.cos(at), rho * np.sin(at), x[1]
    U[3] = V[3]
    return True


@kernel
def nearest_of_ring(ring, side, p, s):
    """Angle of the point of a ring about the third axis that is nearest to the line from p to s; if given, towards `side`."""
    sided = side[0] != 0.0 or side[1] != 0.0
    best, angle, at = np.inf, np.arctan2(side[1], side[0]), -1.0
    step = 1.0 / 32.0
    for _ in range(30):  # along the whole line, then about the best place of the last time
        first = 0.0 if at < 0.0 else at - 16.0 * step
        for k in range(33):
            t = min(max(first + k * step, 0.0), 1.0)
            x, y, z = p[0] + t * (s[0] - p[0]), p[1] + t * (s[1] - p[1]), p[2] + t * (s[2] - p[2])
            square = (np.sqrt(x * x + y * y) - ring) ** 2 + z * z
            if square < best and not (sided and x * side[0] + y * side[1] <= 0.0):
                best, angle, at = square, np.arctan2(y, x), t
        if at < 0.0 or step < 1e-12:
            break
        step /= 8.0
    return angle
