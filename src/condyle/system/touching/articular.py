"""Where two parametric surfaces on two bodies meet: their jets, the line that is normal to both, and the contact point.

A jet is u, u₁, u₂, u₁₁, u₁₂, u₂₂ (6, 3) of a surface at its parameters s.
"""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from condyle.geometry.spread import FLAT
from condyle.geometry.touching import (
    FIRST,
    GAP,
    HELD,
    IN_A,
    IN_B,
    LEAN,
    NORMAL,
    POINT,
    SECOND,
    SPREAD_A,
    SPREAD_B,
    STEEP,
)
from condyle.laws.dense import eliminate
from condyle.laws.kernel import kernel

PIECES, TURNED = 0, 1
CLOSE = 1e-13  # of the reach of both surfaces: what may be left of the equations


class SurfaceTable(NamedTuple):
    """A surface for kernels.

    PIECES: u = Σ c_ab (s₁ − x_i)^a (s₂ − y_j)^b in the cell (i, j) of the breaks x, y; four components: times a weight, and the
    weight. TURNED: that is a radius f(s₂) only, and u = centre + s₂ axis + f (cos s₁ side + sin s₁ across).
    """

    kind: int
    frame: Any  # (4, 3): centre, axis, side, across
    first: Any  # breaks (m + 1,)
    second: Any  # (n + 1,)
    coefficients: Any  # (m, n, p + 1, q + 1, components)
    low: Any  # (2,) least parameters
    high: Any  # (2,)


@kernel
def _cell(breaks, s):
    """The piece in which s lies; the outer ones go on."""
    low, high = 0, breaks.shape[0] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if s >= breaks[middle]:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def _polynomial(c, x, y, k, out):
    """Value and derivatives by x, y, xx, xy, yy of the component k of Σ c_ab x^a y^b."""
    v = vx = vxx = vy = vxy = vyy = 0.0
    for a in range(c.shape[0] - 1, -1, -1):
        g = g1 = g2 = 0.0
        for b in range(c.shape[1] - 1, -1, -1):
            g2 = g2 * y + 2.0 * g1
            g1 = g1 * y + g
            g = g * y + c[a, b, k]
        vxx = vxx * x + 2.0 * vx
        vx = vx * x + v
        v = v * x + g
        vxy = vxy * x + vy
        vy = vy * x + g1
        vyy = vyy * x + g2
    out[0], out[1], out[2], out[3], out[4], out[5] = v, vx, vy, vxx, vxy, vyy


@kernel
def jet_of(surface, s1, s2, out):
    """The jet of a surface in its body, out (6, 3)."""
    i, j = _cell(surface.first, s1), _cell(surface.second, s2)
    c = surface.coefficients[i, j]
    x, y = s1 - surface.first[i], s2 - surface.second[j]
    if surface.kind == TURNED:
        f = np.empty(6)
        _polynomial(c, 0.0, y, 0, f)
        co, si = cos(s1), sin(s1)
        for a in range(3):
            axis = surface.frame[1, a]
            away = co * surface.frame[2, a] + si * surface.frame[3, a]
            round_ = co * surface.frame[3, a] - si * surface.frame[2, a]
            out[0, a] = surface.frame[0, a] + s2 * axis + f[0] * away
            out[1, a], out[2, a] = f[0] * round_, axis + f[2] * away
            out[3, a], out[4, a], out[5, a] = -f[0] * away, f[2] * round_, f[5] * away
        return
    for k in range(3):
        _polynomial(c, x, y, k, out[:, k])
    if c.shape[2] == 4:
        w = np.empty(6)
        _polynomial(c, x, y, 3, w)
        for a in range(3):
            r = out[0, a] / w[0]
            r1, r2 = (out[1, a] - w[1] * r) / w[0], (out[2, a] - w[2] * r) / w[0]
            out[3, a] = (out[3, a] - 2.0 * w[1] * r1 - w[3] * r) / w[0]
            out[4, a] = (out[4, a] - w[1] * r2 - w[2] * r1 - w[4] * r) / w[0]
            out[5, a] = (out[5, a] - 2.0 * w[2] * r2 - w[5] * r) / w[0]
            out[0, a], out[1, a], out[2, a] = r, r1, r2


@kernel
def jet_in_world(surface, s1, s2, pose, out):
    """The jet of a surface in the world; pose (4, 3): place and axes of its body."""
    jet_of(surface, s1, s2, out)
    for k in range(6):
        x, y, z = out[k, 0], out[k, 1], out[k, 2]
        for a in range(3):
            out[k, a] = x * pose[1, a] + y * pose[2, a] + z * pose[3, a] + (pose[0, a] if k == 0 else 0.0)


@kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _cross(a, b, out):
    out[0], out[1], out[2] = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def normal_equations(t, f, E, D):
    """E = (t₁·r, t₂·r, f₁·n, f₂·n) of two jets, r from t to f, n = t₁ × t₂, and D = ∂E/∂(s of f, s of t).

    Gantoi 2013, equation 3.6, which prints the last two columns of the first rows wrongly.
    """
    r, n, n1, n2, more = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for a in range(3):
        r[a] = f[0, a] - t[0, a]
    _cross(t[1], t[2], n)
    _cross(t[3], t[2], n1)
    _cross(t[1], t[4], more)
    n1 += more
    _cross(t[4], t[2], n2)
    _cross(t[1], t[5], more)
    n2 += more
    for i in range(2):
        E[i], E[2 + i] = _dot(t[1 + i], r), _dot(f[1 + i], n)
        for j in range(2):
            D[i, j] = _dot(t[1 + i], f[1 + j])
            D[i, 2 + j] = _dot(t[3 + i + j], r) - _dot(t[1 + i], t[1 + j])
            D[2 + i, j] = _dot(f[3 + i + j], n)
        D[2 + i, 2], D[2 + i, 3] = _dot(f[1 + i], n1), _dot(f[1 + i], n2)


@kernel
def normal_step(t, f, low, high, s):
    """One step of Newton's method for the parameters s (4,), of f and then of t, inside low … high.

    Returns what was left of E, of the reach of the surfaces, and whether to go on.
    """
    E, D, n = np.empty(4), np.empty((4, 4)), np.empty(3)
    normal_equations(t, f, E, D)
    _cross(t[1], t[2], n)
    area = sqrt(_dot(n, n))
    far = 0.0
    for a in range(3):
        far += (f[0, a] - t[0, a]) ** 2
    reach = sqrt(far)
    for i in range(2):
        reach = max(reach, sqrt(_dot(t[1 + i], t[1 + i])) * (high[2 + i] - low[2 + i]))
        reach = max(reach, sqrt(_dot(f[1 + i], f[1 + i])) * (high[i] - low[i]))
    left = 0.0
    for i in range(2):
        left = max(left, abs(E[i]) / sqrt(_dot(t[1 + i], t[1 + i])))
        left = max(left, abs(E[2 + i]) * reach / (sqrt(_dot(f[1 + i], f[1 + i])) * area))
    left /= reach
    if left <= CLOSE:
        return left, False
    if not eliminate(4, D, E):
        return np.inf, False
    far = 0.0
    for i in range(4):
        far = max(far, abs(E[i]) / (high[i] - low[i]))
    shorter = min(1.0, 0.25 / max(far, 1e-300))
    change = 0.0
    for i in range(4):
        after = min(max(s[i] - shorter * E[i], low[i]), high[i])
        change = max(change, abs(after - s[i]) / (high[i] - low[i]))
        s[i] = after
    return left, change >= 1e-15


@kernel
def find_normal(first, second, poses, most, s):
    """Newton's method from s, which becomes (s of the second, s of the first); what is left of E, and the iterations."""
    t, f, low, high = np.empty((6, 3)), np.empty((6, 3)), np.empty(4), np.empty(4)
    for i in range(2):
        low[i], high[i], low[2 + i], high[2 + i] = second.low[i], second.high[i], first.low[i], first.high[i]
    left = np.inf
    for count in range(most):
        jet_in_world(first, s[2], s[3], poses[0], t)
        jet_in_world(second, s[0], s[1], poses[1], f)
        left, more = normal_step(t, f, low, high, s)
        if not more:
            return left, count + 1
    return left, most


@kernel
def _spread(jet, e1, e2, n, sign, size, out):
    """How far a contact point goes as the normal turns, κ⁻¹ in tangential axes (11, 12, 22); long where the surface is flat."""
    a, b, c, d = _dot(e1, jet[1]), _dot(e1, jet[2]), _dot(e2, jet[1]), _dot(e2, jet[2])
    det = a * d - b * c
    p, q, r, s = d / det, -b / det, -c / det, a / det  # s₁, s₂ per way along e₁ and e₂
    h11, h12, h22 = -sign * _dot(jet[3], n), -sign * _dot(jet[4], n), -sign * _dot(jet[5], n)
    k11 = p * (h11 * p + h12 * r) + r * (h12 * p + h22 * r)
    k12 = p * (h11 * q + h12 * s) + r * (h12 * q + h22 * s)
    k22 = q * (h11 * q + h12 * s) + s * (h12 * q + h22 * s)
    middle, half = 0.5 * (k11 + k22), 0.5 * (k11 - k22)
    root = sqrt(half * half + k12 * k12)
    co, si = 1.0, 0.0  # of twice the angle of the first principal axis
    if root > 0.0:
        co, si = half / root, k12 / root
    least = 1.0 / (FLAT * size)
    one, two = middle + root, middle - root
    one, two = one if abs(one) >= least else least, two if abs(two) >= least else least
    mean, half = 0.5 * (1.0 / one + 1.0 / two), 0.5 * (1.0 / one - 1.0 / two)
    out[0], out[1], out[2] = mean + half * co, half * si, mean - half * co


@kernel
def write_point(t, f, poses, frames, known, reference, size, out):
    """Fill one contact point of two jets; reference (3,) is the vector on A that e₁ follows, chosen where it is not `known`."""
    n, along, e1, e2 = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _cross(t[1], t[2], n)
    n /= sqrt(_dot(n, n))
    gap = 0.0
    for a in range(3):
        gap += (f[0, a] - t[0, a]) * n[a]
        along[a] = poses[0, 1, a] * reference[0] + poses[0, 2, a] * reference[1] + poses[0, 3, a] * reference[2]
    lean = _dot(along, n)
    if not known or sqrt(max(_dot(along, along) - lean * lean, 0.0)) < 0.1:
        least = 0
        for a in range(3):
            if abs(n[a]) < abs(n[least]):
                least = a
        for a in range(3):
            along[a] = (1.0 if a == least else 0.0) - n[least] * n[a]
        along /= sqrt(_dot(along, along))
        for a in range(3):
            reference[a] = _dot(poses[0, 1 + a], along)
        lean = _dot(along, n)
    for a in range(3):
        e1[a] = along[a] - lean * n[a]
    side = sqrt(_dot(e1, e1))
    e1 /= side
    _cross(n, e1, e2)
    out[GAP], out[LEAN] = gap, lean / side
    out[HELD], out[STEEP], out[STEEP + 1] = 0.0, 0.0, 0.0
    A, b = np.empty((3, 3)), np.empty(3)
    for a in range(3):
        out[POINT + a] = 0.5 * (t[0, a] + f[0, a])
        out[NORMAL + a], out[FIRST + a], out[SECOND + a] = n[a], e1[a], e2[a]
    for which in range(2):
        frame, at = frames[which], IN_A if which == 0 else IN_B
        for a in range(3):
            b[a] = out[POINT + a] - frame[0, a]
            for k in range(3):
                A[a, k] = frame[1 + k, a]
        eliminate(3, A, b)
        for a in range(3):
            out[at + a] = b[a]
    for which in range(2):
        jet, at = t if which == 0 else f, SPREAD_A if which == 0 else SPREAD_B
        _spread(jet, e1, e2, n, 1.0 - 2.0 * which, size, b)
        out[at], out[at + 1], out[at + 2] = b[0] + 0.5 * gap, b[1], b[2] + 0.5 * gap


@kernel
def meet(first, second, poses, frames, block, size, out):
    """The contact point of two surfaces near where it was, as `block` (FEATURES,) remembers it; whether there is one.

    block: known, s of the second, s of the first, two that are free, the vector on A that e₁ follows.
    """
    s = block[1:5].copy()
    left, _ = find_normal(first, second, poses, 60, s)
    if not left <= 1e-9:
        return False
    t, f = np.empty((6, 3)), np.empty((6, 3))
    jet_in_world(first, s[2], s[3], poses[0], t)
    jet_in_world(second, s[0], s[1], poses[1], f)
    write_point(t, f, poses, frames, block[0] > 0.0, block[7:10], size, out)
    block[0] = 1.0
    block[1:5] = s
    return True
