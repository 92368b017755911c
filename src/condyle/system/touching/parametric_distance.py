"""Distances of points from a parametric surface: its nearest point by Newton's method from the nearest of some samples.

A surface is a row of numbers: its kind, 0, then kind, pieces along both parameters, coefficients along both, components and
samples of its `SurfaceTable`, whose numbers follow; then the samples, two parameters and a place each.
"""

from math import inf, sqrt

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import f1, f2, number
from condyle.system.touching.articular import SurfaceTable, jet_of

HEAD = 9  # numbers before those of the table
MOST = 50  # iterations
AT_EDGE = 1e-7  # of a distance: sideways part at which a point lies beside the surface, not over it


@kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _distance_square(jet, point):
    return (jet[0, 0] - point[0]) ** 2 + (jet[0, 1] - point[1]) ** 2 + (jet[0, 2] - point[2]) ** 2


@kernel
def foot_step(jet, point, low, high, s, step):
    """Newton's step towards the point of a surface nearest to `point`, within low … high, into `step`; is it of any size?

    Of ½ |u − p|²: gradient u_i·(u − p), Hessian u_i·u_j + u_ij·(u − p), without the curvature where that makes it indefinite.
    """
    r = np.empty(3)
    for a in range(3):
        r[a] = jet[0, a] - point[a]
    g1, g2 = _dot(jet[1], r), _dot(jet[2], r)
    m11, m12, m22 = _dot(jet[1], jet[1]), _dot(jet[1], jet[2]), _dot(jet[2], jet[2])
    h11, h12, h22 = m11 + _dot(jet[3], r), m12 + _dot(jet[4], r), m22 + _dot(jet[5], r)
    if not (h11 > 0.05 * m11 and h22 > 0.05 * m22 and h11 * h22 - h12 * h12 > 0.05 * (m11 * m22 - m12 * m12)):
        h11, h12, h22 = m11, m12, m22
    held1 = (s[0] <= low[0] and g1 > 0.0) or (s[0] >= high[0] and g1 < 0.0)
    held2 = (s[1] <= low[1] and g2 > 0.0) or (s[1] >= high[1] and g2 < 0.0)
    step[0] = step[1] = 0.0
    if not held1 and not held2:
        det = h11 * h22 - h12 * h12
        step[0], step[1] = (h12 * g2 - h22 * g1) / det, (h12 * g1 - h11 * g2) / det
    elif not held1:
        step[0] = -g1 / h11
    elif not held2:
        step[1] = -g2 / h22
    size = 0.0
    for i in range(2):
        after = min(max(s[i] + step[i], low[i]), high[i])
        step[i] = after - s[i]
        size = max(size, abs(step[i]) / (high[i] - low[i]))
    return size > 1e-14


@kernel
def _beside(jet, r, far, normal, hessian):
    """Normal and Hessian of the distance `far` from an edge, r from its nearest point, or from a corner.

    From a curve with the unit tangent t and the curvature vector k it is (1 − n n − t t/(1 − k·r))/far.
    """
    for a in range(3):
        normal[a] = r[a] / far
    for a in range(3):
        for b in range(3):
            hessian[a, b] = ((1.0 if a == b else 0.0) - normal[a] * normal[b]) / far
    for i in range(2):
        square = _dot(jet[1 + i], jet[1 + i])
        if abs(_dot(jet[1 + i], r)) < 1e-6 * sqrt(square) * far:
            weight = square - _dot(jet[3 + 2 * i], r)
            for a in range(3):
                for b in range(3):
                    hessian[a, b] -= jet[1 + i, a] * jet[1 + i, b] / (weight * far)
            return


@kernel
def over_foot(jet, point, normal, hessian):
    """φ of a point with the nearest point of a surface, whose jet is given; beside the edge it is the distance from there."""
    r, n = np.empty(3), np.empty(3)
    for a in range(3):
        r[a] = point[a] - jet[0, a]
        b, c = (a + 1) % 3, (a + 2) % 3
        n[a] = jet[1, b] * jet[2, c] - jet[1, c] * jet[2, b]
    size = sqrt(_dot(n, n))
    for a in range(3):
        n[a] /= size
    gap, far = _dot(r, n), sqrt(_dot(r, r))
    if sqrt(max(far * far - gap * gap, 0.0)) > AT_EDGE * far + 1e-12 * sqrt(size):
        _beside(jet, r, far, normal, hessian)
        return far
    # Curvature κ in orthonormal axes e₁, e₂, then κ (1 + φ κ)⁻¹.
    e1, e2 = np.empty(3), np.empty(3)
    long = sqrt(_dot(jet[1], jet[1]))
    for a in range(3):
        e1[a], normal[a] = jet[1, a] / long, n[a]
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        e2[a] = n[b] * e1[c] - n[c] * e1[b]
    lean, wide = _dot(e1, jet[2]), _dot(e2, jet[2])
    b11, b12, b22 = -_dot(jet[3], n), -_dot(jet[4], n), -_dot(jet[5], n)
    k11 = b11 / (long * long)
    k12 = (b12 - lean * b11 / long) / (long * wide)
    k22 = (b22 - 2.0 * lean * b12 / long + lean * lean * b11 / (long * long)) / (wide * wide)
    a11, a12, a22 = 1.0 + gap * k11, gap * k12, 1.0 + gap * k22
    det = a11 * a22 - a12 * a12
    if abs(det) < 1e-6:  # at the middle of curvature every direction is as near
        det = 1e-6 if det >= 0.0 else -1e-6
    h11, h12 = (a22 * k11 - a12 * k12) / det, (a22 * k12 - a12 * k22) / det
    h22 = (a11 * k22 - a12 * k12) / det
    for a in range(3):
        for b in range(3):
            hessian[a, b] = h11 * e1[a] * e1[b] + h12 * (e1[a] * e2[b] + e2[a] * e1[b]) + h22 * e2[a] * e2[b]
    return gap


@kernel
def _table(p):
    """The surface in a row of numbers, and where its samples begin."""
    m, n, i, j, parts = int(p[3]), int(p[4]), int(p[5]), int(p[6]), int(p[7])
    at = HEAD
    frame = p[at : at + 12].reshape(4, 3)
    at += 12
    first = p[at : at + m + 1]
    at += m + 1
    second = p[at : at + n + 1]
    at += n + 1
    coefficients = p[at : at + m * n * i * j * parts].reshape(m, n, i, j, parts)
    at += m * n * i * j * parts
    return SurfaceTable(int(p[2]), frame, first, second, coefficients, p[at : at + 2], p[at + 2 : at + 4]), at + 4


@separate(number(f1, f1, f1, f2))
def parametric_distance(p, point, normal, hessian):
    """φ of a point (3,); fills its normal (3,) and Hessian (3, 3)."""
    surface, at = _table(p)
    nearest, best = inf, 0
    for k in range(int(p[8])):
        far = 0.0
        for a in range(3):
            far += (p[at + 5 * k + 2 + a] - point[a]) ** 2
        if far < nearest:
            nearest, best = far, k
    s, after, step, jet = np.empty(2), np.empty(2), np.empty(2), np.empty((6, 3))
    s[0], s[1] = p[at + 5 * best], p[at + 5 * best + 1]
    jet_of(surface, s[0], s[1], jet)
    now = _distance_square(jet, point)
    for _ in range(MOST):
        if not foot_step(jet, point, surface.low, surface.high, s, step):
            break
        share = 1.0
        for _ in range(8):
            for i in range(2):
                after[i] = s[i] + share * step[i]
            jet_of(surface, after[0], after[1], jet)
            there = _distance_square(jet, point)
            if there <= now + 1e-15 * nearest:
                break
            share *= 0.5
        s[0], s[1], now = after[0], after[1], there
    return over_foot(jet, point, normal, hessian)


@kernel
def parametric_distances(p, points, gaps, normals, hessians):
    """The same of many points (n, 3)."""
    for k in range(points.shape[0]):
        gaps[k] = parametric_distance(p, points[k], normals[k], hessians[k])
