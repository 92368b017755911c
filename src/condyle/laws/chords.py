"""Discrete gradients of joint coordinates between two configurations, by the chain rule of difference quotients.

Of ψ(Q), Q = Σ g_k(q_k(G)), every link of the chain has a quotient of its own, Δψ = χ ΔQ, Δg = χ_k Δq, Δq = D:ΔG, that is
exact in closed form and free of cancellation. So there is no step that is too small or too large for it, and no length
that says which: a coordinate is conserved alike in metres and in micrometres.
"""

import numpy as np

from condyle.laws.codes import ANGLE, DISTANCE, LINEAR, MOVING, SLIDE, TILT
from condyle.laws.coordinates import add_pair, angle_near, distance_outside, sum_of_coordinates
from condyle.laws.derivatives import chain, clear_derivatives
from condyle.laws.kernel import kernel
from condyle.laws.paths import spline_value

_GAUSS = (0.5 - np.sqrt(3.0) / 6.0, 0.5 + np.sqrt(3.0) / 6.0)
_SMALL = 1e-3  # of z: series of atan(z)/z up to z⁴


@kernel
def only_coordinates(p, at):
    """Is the list of coordinates at p[at] free of segments of paths?"""
    count = int(p[at])
    at += 1
    for _ in range(count):
        if int(p[at]) >= MOVING:
            return False
        at += 5 if int(p[at + 3]) == LINEAR else 5 + 5 * int(p[at + 4]) - 4
    return True


@kernel
def _arc(x, y, near):
    """f = arc/x and its derivatives by x and y, arc = atan2(x, y) on the turn nearest to `near`."""
    square = x * x + y * y
    arc = np.arctan2(x, y)
    arc += 2.0 * np.pi * np.round((near - arc) / (2.0 * np.pi))
    z = x / y if y != 0.0 else np.inf
    if y > 0.0 and abs(z) < _SMALL and abs(arc) < 1.0:
        f = (1.0 - z * z * (1.0 / 3.0 - z * z / 5.0)) / y
        return f, -z * (2.0 / 3.0 - 0.8 * z * z) / (y * y), -1.0 / square
    f = arc / x
    return f, (y / square - f) / x, -1.0 / square


@kernel
def _piece(p, at, start, end):
    """Mean slope of the spline at p[at] between two places that no knot separates, and its derivative by `end`: the slope is
    quadratic there, so two Gauss points are exact.
    """
    mean = by_end = 0.0
    for s in _GAUSS:
        _, slope, bend = spline_value(p, at, start + s * (end - start))
        mean += 0.5 * slope
        by_end += 0.5 * s * bend
    return mean, by_end


@kernel
def function_between(p, at, q0, q1):
    """χ = (g(q1) − g(q0))/(q1 − q0) of the function at p[at], ∂χ/∂q1, and where the next one begins."""
    if int(p[at]) == LINEAR:
        return p[at + 1], 0.0, at + 2
    m = int(p[at + 1])
    after = at + 2 + 5 * m - 4
    low, high, rise = min(q0, q1), max(q0, q1), 0.0
    start = low
    for k in range(m):
        knot = p[at + 2 + k]
        if start < knot < high:
            rise += (knot - start) * _piece(p, at + 1, start, knot)[0]
            start = knot
    if start == low:
        chord, by_end = _piece(p, at + 1, q0, q1)
        return chord, by_end, after
    chord = (rise + (high - start) * _piece(p, at + 1, start, high)[0]) / (high - low)
    return chord, (spline_value(p, at + 1, q1)[1] - chord) / (q1 - q0), after


@kernel
def sum_between(ny, G0, G1, p, at, S, H):
    """S with S:(G1 − G0) = Q1 − Q0 for the list of coordinates that starts at p[at], and H = ∂S/∂G1."""
    clear_derivatives(ny, S, H)
    count = int(p[at])
    at += 1
    for _ in range(count):
        kind, o, near = int(p[at]), int(p[at + 1]), p[at + 2]
        c0, c1 = (G0[o, o], G1[o, o]) if kind == DISTANCE else (G0[o, o + 1], G1[o, o + 1])
        if kind == ANGLE:
            # Δq = atan2(X, Y), X = c0 s1 − s0 c1 = c̄ Δs − s̄ Δc, Y = c0 c1 + s0 s1
            s0, s1 = G0[o, o + 2], G1[o, o + 2]
            q0, q1 = angle_near(s0, c0, near), angle_near(s1, c1, near)
            chi, bend, at = function_between(p, at + 3, q0, q1)
            f, f_x, f_y = _arc(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1, q1 - q0)
            f_c, f_s = -f_x * s0 + f_y * c0, f_x * c0 + f_y * s0
            r2 = c1 * c1 + s1 * s1
            c, s, q_c, q_s = 0.5 * (c0 + c1), 0.5 * (s0 + s1), -s1 / r2, c1 / r2
            add_pair(S, H, o, o + 1, o, o + 1, -chi * f * s, -s * (chi * f_c + bend * q_c * f))
            add_pair(S, H, o, o + 1, o, o + 2, 0.0, -s * (chi * f_s + bend * q_s * f) - 0.5 * chi * f)
            add_pair(S, H, o, o + 2, o, o + 2, chi * f * c, c * (chi * f_s + bend * q_s * f))
            add_pair(S, H, o, o + 2, o, o + 1, 0.0, c * (chi * f_c + bend * q_c * f) + 0.5 * chi * f)
        elif kind == SLIDE:
            chi, bend, at = function_between(p, at + 3, c0, c1)
            add_pair(S, H, o, o + 1, o, o + 1, chi, bend)
        elif kind == TILT:
            # tan ½Δq = Δg/(k0 + k1), k = √(1 − g²) = cos q
            g0, g1 = min(max(c0, -1.0), 1.0), min(max(c1, -1.0), 1.0)
            q0, q1 = np.arcsin(g0), np.arcsin(g1)
            chi, bend, at = function_between(p, at + 3, q0, q1)
            k0, k1 = np.sqrt(1.0 - g0 * g0), np.sqrt(1.0 - g1 * g1)
            f, f_x, f_y = _arc(g1 - g0, max(k0 + k1, 1e-6), 0.0)
            inside = (g1 - g0) / (c1 - c0) if c1 != c0 else 1.0  # beyond ±1 round-off has the law cut it off
            d, d_g = 2.0 * f * inside, 2.0 * (f_x - f_y * g1 / max(k1, 1e-6))
            add_pair(S, H, o, o + 1, o, o + 1, chi * d, chi * d_g + bend * d / max(k1, 1e-6))
        else:
            q0, q1 = np.sqrt(c0), np.sqrt(c1)
            chi, bend, at = function_between(p, at + 3, q0, q1)
            d = 1.0 / (q0 + q1)
            add_pair(S, H, o, o, o, o, chi * d, 0.5 * d * (bend - chi * d) / q1)


@kernel
def constraint_between(ny, G0, G1, p, S, H, work_s, work_h):
    """The discrete gradient of `coordinate_constraint`; 1 if there is one, 0 where the list has segments of paths."""
    if not only_coordinates(p, 1):
        return 0.0
    sum_between(ny, G0, G1, p, 1, S, H)
    return 1.0


@kernel
def spring_chord(Q0, Q1, k, lower, upper):
    """χ = Δψ/ΔQ of ψ = ½ k e², e the distance of Q from its interval, and ∂χ/∂Q1.

    Where Q stays on one side of a stop χ = ½ k (e0 + e1), where it meets or leaves one χ = ½ k (e1² − e0²)/ΔQ.
    """
    e0, e1 = distance_outside(Q0, lower, upper), distance_outside(Q1, lower, upper)
    if lower == upper or e0 * e1 > 0.0:
        return 0.5 * k * (e0 + e1), 0.5 * k
    if e0 == 0.0 and e1 == 0.0:
        return 0.0, 0.0
    chi = 0.5 * k * (e1 + e0) * (e1 - e0) / (Q1 - Q0)
    return chi, (k * e1 - chi) / (Q1 - Q0)


@kernel
def spring_between(ny, G0, G1, p, S, H, work_s, work_h):
    """Discrete gradient of `coordinate_spring`."""
    if not only_coordinates(p, 3):
        return 0.0
    Q0 = sum_of_coordinates(ny, G0, p, 3, work_s, work_h)
    Q1 = sum_of_coordinates(ny, G1, p, 3, work_s, work_h)
    sum_between(ny, G0, G1, p, 3, S, H)
    chi, bend = spring_chord(Q0, Q1, p[0], p[1], p[2])
    chain(ny, chi, bend, work_s, S, H)
    return 1.0
