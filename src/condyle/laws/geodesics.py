"""Geodesics of the surfaces that paths wrap over: spheres, cylinders, ellipsoids and tori, each in axes of its own.

A surface F(x) = 0 is a quadric, F = xᵀ D x − 1 with D = diag(1/a²) (a cylinder: D₃ = 0), or a torus about the third axis,
F = ((ρ − R)² + z²)/r² − 1. Its geodesics obey x'' = −(x'ᵀ F'' x') F' / |F'|², along which F stays linear: also from places
that are not on the surface, as iterations need. Great circles and helices are in closed form, the others by Butcher's rule of
order 6 (butcher-1964).
"""

import numpy as np

from condyle.laws.codes import CYLINDER, ELLIPSOID, SPHERE, TORUS
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
def guess_way(kind, size, side, p, s, near, U, E):
    """A guess of the way from p to s: where it touches and how long it is there, U = (Q, σ), and its end E.

    False if the straight line is free. `side` not zero: on this side, which may be the longer way. Ellipsoids have two shortest
    ways beside each other: without a side it is the one next to the place `near`, or if this is zero, the shorter one; `near`
    becomes the middle of the way.
    """
    if kind == TORUS:
        return guess_through_ring(size[0], size[1], side, p, s, U, E)
    D = np.zeros(3)
    inverse_squares(kind, size, D)
    if not guess_round_quadric(D, side, p, s, U, E):
        return False
    if sidelong(kind, side):
        if np.sum(np.abs(near)) > 0.0:
            shortest_section(D, p, s, angle_around(D, p, s, near), 0.05, U, E, near)
        else:
            first = np.argmin(lengths_around(D, p, s))
            shortest_section(D, p, s, first * BETWEEN, 0.4 * BETWEEN, U, E, near)
    else:
        near[:] = 0.5 * (U[:3] + E)
    return True


@kernel
def sidelong(kind, side):
    """Is it open on which side of the surface the way passes, and the guess by the affine map not exact?"""
    return kind == ELLIPSOID and np.sum(np.abs(side)) == 0.0


# Ways round a quadric in planes through both ends: one for each direction across the straight line between them. They are too
# long by little, and the shortest ways lie near the shortest of them.

DIRECTIONS = 24
BETWEEN = 2.0 * np.pi / DIRECTIONS  # [rad]
PIECES = 10  # of the arc in a plane


@kernel
def across_line(D, p_at, s_at, p, c, f, e, w):
    """The ends in the affine map to a unit sphere, p and p + reach c; f: the point of their line nearest to the centre; e, w:
    two directions across it. Returns the places of the ends along c.
    """
    pc, sc, reach, least = 0.0, 0.0, 0.0, 0
    for a in range(3):
        p[a] = np.sqrt(D[a]) * p_at[a]
        c[a] = np.sqrt(D[a]) * s_at[a] - p[a]
        reach += c[a] * c[a]
    reach = np.sqrt(reach)
    for a in range(3):
        c[a] /= reach
        pc += p[a] * c[a]
        least = a if abs(c[a]) < abs(c[least]) else least
    sc = pc + reach
    size = np.sqrt(1.0 - c[least] * c[least])
    for a in range(3):
        f[a] = p[a] - pc * c[a]
        e[a] = ((1.0 if a == least else 0.0) - c[least] * c[a]) / size
    for a in range(3):
        i, j = (a + 1) % 3, (a + 2) % 3
        w[a] = c[i] * e[j] - c[j] * e[i]
    return pc, sc


@kernel
def section_way(D, p_at, s_at, angle, U, E, middle):
    """Length of the way in the plane at an angle about the line from p to s, on the side to which it points; see `guess_way`.

    In the affine map to a unit sphere the plane cuts a circle. The line must run through the surface.
    """
    p, c, f, e, w = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    pc, sc = across_line(D, p_at, s_at, p, c, f, e, w)
    high, square, turn_c, turn_s = 0.0, 1.0, np.cos(angle), np.sin(angle)
    for a in range(3):
        w[a] = turn_c * e[a] + turn_s * w[a]
        high += f[a] * w[a]
    for a in range(3):
        f[a] -= high * w[a]  # centre of the circle
        square -= f[a] * f[a]
    radius = np.sqrt(max(square, 1e-30))
    start, stop = np.arctan2(high, pc), np.arctan2(high, sc)
    if start < -0.5 * np.pi:
        start += 2.0 * np.pi
    start -= np.arccos(min(radius / np.sqrt(pc * pc + high * high), 1.0))
    stop += np.arccos(min(radius / np.sqrt(sc * sc + high * high), 1.0))
    x, y = radius * np.cos(start), radius * np.sin(start)
    turn_c, turn_s = np.cos((stop - start) / PIECES), np.sin((stop - start) / PIECES)
    before, after = 0.0, 0.0
    U[3] = 0.0
    for k in range(PIECES + 1):
        step = 0.0
        for a in range(3):
            now = (f[a] + x * c[a] + y * w[a]) / np.sqrt(D[a])
            step += (now - E[a]) ** 2
            E[a] = now
        if k == 0:
            for a in range(3):
                U[a] = E[a]
        else:
            U[3] += np.sqrt(step)
        if 2 * k == PIECES:
            for a in range(3):
                middle[a] = E[a]
        x, y = turn_c * x - turn_s * y, turn_s * x + turn_c * y
    for a in range(3):
        before += (p_at[a] - U[a]) ** 2
        after += (s_at[a] - E[a]) ** 2
    return np.sqrt(before) + U[3] + np.sqrt(after)


@kernel
def lengths_around(D, p, s):
    """Lengths of the ways in planes at equal angles about the line from p to s (DIRECTIONS,)."""
    U, E, middle, out = np.zeros(4), np.zeros(3), np.zeros(3), np.zeros(DIRECTIONS)
    for k in range(DIRECTIONS):
        out[k] = section_way(D, p, s, k * BETWEEN, U, E, middle)
    return out


@kernel
def angle_around(D, p_at, s_at, near):
    """Angle about the line from p to s at which a place lies."""
    p, c, f, e, w = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    across_line(D, p_at, s_at, p, c, f, e, w)
    x, y = 0.0, 0.0
    for a in range(3):
        away = np.sqrt(D[a]) * near[a] - f[a]
        x, y = x + away * e[a], y + away * w[a]
    return np.arctan2(y, x)


@kernel
def shortest_section(D, p, s, angle, step, U, E, middle):
    """Length of the shortest way that is found downhill from an angle, at first by this step; see `section_way`."""
    length, tries = section_way(D, p, s, angle, U, E, middle), 0
    while abs(step) > 0.01 and tries < 60:
        tries += 1
        there = section_way(D, p, s, angle + step, U, E, middle)
        if not there < length:
            step = -step
            there = section_way(D, p, s, angle + step, U, E, middle)
        if there < length:
            angle, length = angle + step, there
            step *= 1.5 if abs(step) < 0.3 else 1.0
        else:
            step *= 0.3
    return section_way(D, p, s, angle, U, E, middle)


@kernel
def other_way(kind, size, turn, p, s, U, E, near):
    """A way from p to s on another side of a quadric than `near`, which becomes its middle: the other shortest one if there is.

    Returns whether there is; if not, it is the way that lies at an angle `turn` from it [rad], which is not a shortest one.
    """
    D, free = np.zeros(3), np.zeros(3)
    inverse_squares(kind, size, D)
    if not guess_round_quadric(D, free, p, s, U, E):
        return False
    angle, lengths = angle_around(D, p, s, near), lengths_around(D, p, s)
    best, there = np.inf, -1
    for k in range(DIRECTIONS):
        least = lengths[k] <= lengths[k - 1] and lengths[k] < lengths[(k + 1) % DIRECTIONS]
        away = np.abs(np.remainder(k * BETWEEN - angle + np.pi, 2.0 * np.pi) - np.pi)
        if least and away > 2.0 * BETWEEN and lengths[k] < best:
            best, there = lengths[k], k
    if there >= 0 and abs(turn) > 3.0:
        shortest_section(D, p, s, there * BETWEEN, 0.4 * BETWEEN, U, E, near)
    else:
        section_way(D, p, s, angle + turn, U, E, near)
    return there >= 0


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
