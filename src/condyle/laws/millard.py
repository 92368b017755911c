"""Curves of muscle and tendon made of quintic Bézier corners, with the parameters of Millard et al. (2013).

A corner joins two points with given slopes. Its six control points are the two ends and, twice each, a point on the way from
an end to where the tangents meet: c = 0 gives nearly a straight line, c = 1 nearly the corner itself. The curve has continuous
second derivatives, and goes on straight beyond its ends.
"""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.laws.muscle_places import (
    ACTIVE_LONGEST,
    ACTIVE_SHORTEST,
    ACTIVE_SLOPE,
    ACTIVE_TURN,
    FAST_SLOPE,
    LOW_STIFFNESS,
    NEAR_FAST_SLOPE,
    NEAR_STRETCH_SLOPE,
    PASSIVE_BEND,
    PASSIVE_SLACK,
    PASSIVE_STIFFNESS,
    PASSIVE_STRAIN,
    REST_SLOPE,
    SHORTENING_BEND,
    STRETCH_SLOPE,
    STRETCHED,
    STRETCHING_BEND,
    TENDON,
    TENDON_BEND,
    TENDON_STIFFNESS,
    TENDON_TOE,
)

SHOULDER = 0.05  # half the width of the top of the active curve, in optimal lengths
NEAR = 0.9  # of the largest speeds, where the slopes near them hold


@kernel
def corner(x, x0, y0, m0, x1, y1, m1, c):
    """Value and slope at x of a curve from (x0, y0) with slope m0 to (x1, y1) with slope m1, straight beyond these ends."""
    if x <= x0:
        return y0 + m0 * (x - x0), m0
    if x >= x1:
        return y1 + m1 * (x - x1), m1
    bend = 0.1 + 0.8 * c
    meet = (y1 - y0 - x1 * m1 + x0 * m0) / (m0 - m1) if abs(m0 - m1) > 1e-8 else 0.5 * (x0 + x1)
    high = y1 + (meet - x1) * m1
    xa, xb = x0 + bend * (meet - x0), x1 + bend * (meet - x1)
    ya, yb = y0 + bend * (high - y0), y1 + bend * (high - y1)
    low, top, u = 0.0, 1.0, (x - x0) / (x1 - x0)
    for _ in range(60):  # Newton's method within a bracket; x grows with u
        place, way = _quintic(u, x0, xa, xb, x1)
        if place < x:
            low = u
        else:
            top = u
        step = (x - place) / way
        if abs(step) < 1e-15:
            break
        u += step
        if not low < u < top:
            u = 0.5 * (low + top)
    value, rise = _quintic(u, y0, ya, yb, y1)
    _, way = _quintic(u, x0, xa, xb, x1)
    return value, rise / way


@kernel
def _quintic(u, first, a, b, last):
    """Bézier curve with the control points first, a, a, b, b, last, and its derivative by u."""
    w = 1.0 - u
    value = w**4 * (w * first + 5.0 * u * a) + 10.0 * u * u * w * w * (w * a + u * b) + u**4 * (5.0 * w * b + u * last)
    # Differences of neighbouring points; two of them are zero, those of the doubled ones.
    slope = 5.0 * (w**4 * (a - first) + 6.0 * u * u * w * w * (b - a) + u**4 * (last - b))
    return value, slope


@kernel
def active_curve(x, p):
    """Active force at rest over F0 at the length x, and its slope: two limbs, a shallow part and a rounded top."""
    low, turn, most, shallow = p[ACTIVE_SHORTEST], p[ACTIVE_TURN], p[ACTIVE_LONGEST], p[ACTIVE_SLOPE]
    top = 1.0 - SHOULDER
    at_turn = 1.0 - shallow * (top - turn)
    x0, y0, m0 = low, 0.0, 0.0
    x1, y1, m1 = 0.5 * (low + turn), 0.5 * at_turn, 1.25 * at_turn / (turn - low)
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = 0.5 * (turn + top), 0.5 * (at_turn + 1.0), shallow
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = 1.0, 1.0, 0.0
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = 0.5 * (1.0 + SHOULDER + most), 0.5, -1.0 / (most - 1.0 - 2.0 * SHOULDER)
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = most, 0.0, 0.0
    return corner(x, x0, y0, m0, x1, y1, m1, 1.0)


@kernel
def passive_curve(x, p):
    """Passive force over F0 at the length x, and its slope."""
    slack, stiff = 1.0 + p[PASSIVE_SLACK], p[PASSIVE_STIFFNESS]
    one = 1.0 + p[PASSIVE_STRAIN]
    foot = 0.1 * min(1.0 / stiff, one - slack)
    x0, y0, m0 = slack, 0.0, 0.0
    x1, y1, m1 = slack + foot, 0.5 * p[LOW_STIFFNESS] * foot, p[LOW_STIFFNESS]
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = one, 1.0, stiff
    return corner(x, x0, y0, m0, x1, y1, m1, p[PASSIVE_BEND])


@kernel
def tendon_curve(x, p):
    """Force of the tendon over F0 at its length x over the slack one, and its slope; straight beyond its toe."""
    one, stiff, toe = 1.0 + np.log(6.0) / p[TENDON], p[TENDON_STIFFNESS], p[TENDON_TOE]
    end = one + (toe - 1.0) / stiff
    foot = 1.0 + 0.1 * (end - 1.0)
    middle = one + (0.5 * toe - 1.0) / stiff
    slope = 0.5 * toe / (middle - foot)
    x0, y0, m0 = 1.0, 0.0, 0.0
    x1, y1, m1 = 0.5 * (foot + middle), 0.25 * toe, slope
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = end, toe, stiff
    return corner(x, x0, y0, m0, x1, y1, m1, p[TENDON_BEND])


@kernel
def velocity_curve(x, p):
    """Force over that at rest at the speed x (−1: the largest of shortening), and its slope."""
    bend, short = p[SHORTENING_BEND], 1.0 - NEAR
    x0, y0, m0 = -1.0, 0.0, p[FAST_SLOPE]
    x1, y1, m1 = -NEAR, 0.5 * short * (p[NEAR_FAST_SLOPE] + p[FAST_SLOPE]), p[NEAR_FAST_SLOPE]
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = 0.0, 1.0, p[REST_SLOPE]
    if x > x1:
        bend = p[STRETCHING_BEND]
        x0, y0, m0 = x1, y1, m1
        x1, m1 = NEAR, p[NEAR_STRETCH_SLOPE]
        y1 = p[STRETCHED] - 0.5 * short * (p[NEAR_STRETCH_SLOPE] + p[STRETCH_SLOPE])
    if x > x1:
        x0, y0, m0 = x1, y1, m1
        x1, y1, m1 = 1.0, p[STRETCHED], p[STRETCH_SLOPE]
    return corner(x, x0, y0, m0, x1, y1, m1, bend)
