"""Lengths of paths: segments to points that move or act only at times, and segments that wrap over surfaces.

Each length is a function of a few entries of the Gram matrix. Its derivatives are carried along as jets: an array
J (n + 1, n + 1) holds the value at [0, 0], the gradient in row 0, second derivatives in the rest, by n entries of G.
"""

import numpy as np
from numba import types

from condyle.laws.codes import (
    ANGLE,
    CONDITIONAL,
    CONDITIONAL_TO_MOVING,
    MOVING,
    SLIDE,
    TILT,
    WRAP_CYLINDER,
    WRAP_SPHERE,
    WRAP_SURFACES,
)
from condyle.laws.kernel import kernel, separate
from condyle.laws.strings import NUMBERS, count_of_numbers
from condyle.laws.ways import length_over_surfaces


@kernel
def jet_of(n, k, value):
    """The variable number k, counted from 0."""
    J = np.zeros((n + 1, n + 1))
    J[0, 0] = value
    J[0, k + 1] = 1.0
    return J


@kernel
def jet_product(n, a, b):
    """The jet of a product a b."""
    J = np.zeros((n + 1, n + 1))
    J[0, 0] = a[0, 0] * b[0, 0]
    for i in range(1, n + 1):
        J[0, i] = a[0, 0] * b[0, i] + a[0, i] * b[0, 0]
        for j in range(1, n + 1):
            J[i, j] = a[0, 0] * b[i, j] + a[i, j] * b[0, 0] + a[0, i] * b[0, j] + a[0, j] * b[0, i]
    return J


@kernel
def jet_function(n, a, value, slope, bend):
    """f(a) with f, f' and f'' at a."""
    J = np.zeros((n + 1, n + 1))
    J[0, 0] = value
    for i in range(1, n + 1):
        J[0, i] = slope * a[0, i]
        for j in range(1, n + 1):
            J[i, j] = slope * a[i, j] + bend * a[0, i] * a[0, j]
    return J


@kernel
def jet_root(n, a):
    """The jet of a square root √a."""
    root = np.sqrt(a[0, 0])
    return jet_function(n, a, root, 0.5 / root, -0.25 / (root * a[0, 0]))


@kernel
def jet_angle(n, cos, sin, near):
    """The angle with this cosine and sine (up to a common factor) on the turn nearest to `near`."""
    c, s = cos[0, 0], sin[0, 0]
    square = c * c + s * s
    J = np.zeros((n + 1, n + 1))
    J[0, 0] = near + np.arctan2(s * np.cos(near) - c * np.sin(near), c * np.cos(near) + s * np.sin(near))
    qc, qs = -s / square, c / square
    qcc, qcs = 2.0 * c * s / (square * square), (s * s - c * c) / (square * square)
    for i in range(1, n + 1):
        J[0, i] = qc * cos[0, i] + qs * sin[0, i]
        for j in range(1, n + 1):
            J[i, j] = qc * cos[i, j] + qs * sin[i, j] + qcc * (cos[0, i] * cos[0, j] - sin[0, i] * sin[0, j])
            J[i, j] += qcs * (cos[0, i] * sin[0, j] + sin[0, i] * cos[0, j])
    return J


@kernel
def tangent_part(n, square, radius):
    """a − R acos(R/ρ), ρ² = `square`: from a point to where its tangent touches a circle, less the arc to below it."""
    P = square[0, 0]
    a = np.sqrt(P - radius * radius)
    return jet_function(
        n, square, a - radius * np.arccos(radius / np.sqrt(P)), 0.5 * a / P, 0.25 / (a * P) - 0.5 * a / P**2
    )


@kernel
def wrap_sphere(G, o, radius, sided, pairs):
    """Way from p = y_o to s = y_{o+1} round a sphere about the origin of both: a + b + R φ, or straight.

    It is the shortest one; if `sided`, the one of the same plane whose middle lies towards y_{o+2}, which may be the longer.
    """
    for k in range(3):
        pairs[k, 0] = o + (1 if k == 1 else 0)
        pairs[k, 1] = o + (0 if k == 0 else 1)
    P, S, X = jet_of(3, 0, G[o, o]), jet_of(3, 1, G[o + 1, o + 1]), jet_of(3, 2, G[o, o + 1])
    if P[0, 0] <= radius * radius or S[0, 0] <= radius * radius:
        return np.full((4, 4), np.nan)
    root = jet_root(3, jet_product(3, P, S))
    cosine = jet_product(3, X, jet_function(3, root, 1.0 / root[0, 0], -1.0 / root[0, 0] ** 2, 2.0 / root[0, 0] ** 3))
    c = min(max(cosine[0, 0], -1.0), 1.0)
    turn, sense = np.arccos(c), 1.0
    if sided > 0.0 and G[o, o + 2] / np.sqrt(P[0, 0]) + G[o + 1, o + 2] / np.sqrt(S[0, 0]) < 0.0:
        turn, sense = 2.0 * np.pi - turn, -1.0
    around = turn - np.arccos(radius / np.sqrt(P[0, 0])) - np.arccos(radius / np.sqrt(S[0, 0]))
    if around <= 0.0:
        return jet_root(3, P + S - 2.0 * X)
    square = max(1.0 - c * c, 1e-30)
    arc = jet_function(3, cosine, turn, -sense / np.sqrt(square), -sense * c / (square * np.sqrt(square)))
    return tangent_part(3, P, radius) + tangent_part(3, S, radius) + radius * arc


@kernel
def wrap_cylinder(G, o, near_p, near_s, radius, sense, pairs):
    """Shortest way from p = y_o to s = y_{o+3} round a cylinder on one side; y_{o+1}, y_{o+2} span the plane across its axis.

    In that plane A = a + b + R φ with φ = ± (θ_s − θ_p) − acos(R/ρ_p) − acos(R/ρ_s); along the axis the way climbs evenly,
    so ℓ² = A² + z² (a cylinder can be unrolled). Angles are counted over turns: the way stays on its side.
    """
    n = 7
    index = ((0, 1), (0, 2), (3, 4), (3, 5), (0, 0), (3, 3), (0, 3))
    v = np.zeros((n, n + 1, n + 1))
    for k in range(n):
        i, j = o + index[k][0], o + index[k][1]
        pairs[k, 0], pairs[k, 1] = i, j
        v[k] = jet_of(n, k, G[i, j])
    p_square = jet_product(n, v[0], v[0]) + jet_product(n, v[1], v[1])
    s_square = jet_product(n, v[2], v[2]) + jet_product(n, v[3], v[3])
    if p_square[0, 0] <= radius * radius or s_square[0, 0] <= radius * radius:
        return np.full((n + 1, n + 1), np.nan)
    distance = v[4] + v[5] - 2.0 * v[6]
    angle = sense * (jet_angle(n, v[2], v[3], near_s) - jet_angle(n, v[0], v[1], near_p))
    around = angle[0, 0] - np.arccos(radius / np.sqrt(p_square[0, 0])) - np.arccos(radius / np.sqrt(s_square[0, 0]))
    if around <= 0.0:
        return jet_root(n, distance)
    across = tangent_part(n, p_square, radius) + tangent_part(n, s_square, radius) + radius * angle
    gap = jet_product(n, v[2] - v[0], v[2] - v[0]) + jet_product(n, v[3] - v[1], v[3] - v[1])
    return jet_root(n, jet_product(n, across, across) + distance - gap)


@kernel
def coordinate_jet(G, o, kind, near, n, k, pairs):
    """The joint coordinate of the vectors from y_o on, by the variables k, k + 1 of n."""
    pairs[k, 0], pairs[k, 1] = o, o + 1
    if kind == SLIDE:
        return jet_of(n, k, G[o, o + 1])
    if kind == TILT:
        sine = min(max(G[o, o + 1], -1.0), 1.0)
        square = max(1.0 - sine * sine, 1e-12)
        return jet_function(
            n, jet_of(n, k, sine), np.arcsin(sine), 1.0 / np.sqrt(square), sine / (square * np.sqrt(square))
        )
    pairs[k + 1, 0], pairs[k + 1, 1] = o, o + 2
    return jet_angle(n, jet_of(n, k, G[o, o + 1]), jet_of(n, k + 1, G[o, o + 2]), near)


@kernel
def moving_point(G, o, p, at, pairs):
    """|y_o + Σ_i c_i(q) y_{o+i}|: to a point whose place c in its body follows a joint coordinate q, by splines.

    p[at:] = (number m of components c_i, kind of q, its reference angle, m splines, each with its size in front)
    """
    m, kind, near = int(p[at]), int(p[at + 1]), p[at + 2]
    count = (m + 1) * (m + 2) // 2
    n = count + (2 if kind == ANGLE else 1)
    q = coordinate_jet(G, o + m + 1, kind, near, n, count, pairs)
    c = np.zeros((m + 1, n + 1, n + 1))
    c[0, 0, 0] = 1.0
    at += 3
    for i in range(m):
        value, slope, bend = spline_value(p, at, q[0, 0])
        c[i + 1] = jet_function(n, q, value, slope, bend)
        at += 5 * int(p[at]) - 3
    square = np.zeros((n + 1, n + 1))
    k = 0
    for i in range(m + 1):
        for j in range(i, m + 1):
            pairs[k, 0], pairs[k, 1] = o + i, o + j
            term = jet_product(n, jet_product(n, c[i], c[j]), jet_of(n, k, G[o + i, o + j]))
            square += (1.0 if i == j else 2.0) * term
            k += 1
    return jet_root(n, square)


@kernel
def conditional_point(G, o, p, at, pairs):
    """(1 − w) |y_o + y_{o+1}| + w (|y_o| + |y_{o+1}|): a point that holds the path while a ≤ q ≤ b.

    w(q) goes from 0 to 1 over a `blend` about each end, twice continuously. p[at:] = (kind of q, its reference angle, a, b,
    blend)
    """
    kind, near, lower, upper, blend = int(p[at]), p[at + 1], p[at + 2], p[at + 3], p[at + 4]
    n = 3 + (2 if kind == ANGLE else 1)
    v = np.zeros((3, n + 1, n + 1))
    for k in range(3):
        pairs[k, 0], pairs[k, 1] = o + (1 if k == 1 else 0), o + (0 if k == 0 else 1)
        v[k] = jet_of(n, k, G[pairs[k, 0], pairs[k, 1]])
    weight = acting(n, coordinate_jet(G, o + 2, kind, near, n, 3, pairs), lower, upper, blend)
    straight = jet_root(n, v[0] + v[1] + 2.0 * v[2])
    return straight + jet_product(n, weight, jet_root(n, v[0]) + jet_root(n, v[1]) - straight)


@kernel
def acting(n, q, lower, upper, blend):
    """w(q): 1 between lower and upper, 0 outside, twice continuous over `blend` about each."""
    one, two = rise((q[0, 0] - lower) / blend), rise((upper - q[0, 0]) / blend)
    return jet_product(
        n,
        jet_function(n, q, one[0], one[1] / blend, one[2] / blend**2),
        jet_function(n, q, two[0], -two[1] / blend, two[2] / blend**2),
    )


@kernel
def conditional_to_moving(G, o, p, at, pairs):
    """(1 − w) |a + b| + w (|a| + |b|), a = y_o, b = y_{o+1} + Σ_i c_i(r) y_{o+1+i}: as `conditional_point`, to a moving point.

    p[at:] = (kind of q, its reference angle, lower, upper, blend, number m of components, kind of r, its reference angle,
    m splines); after the axes come the vectors of q and those of r.
    """
    kind, near, lower, upper, blend = int(p[at]), p[at + 1], p[at + 2], p[at + 3], p[at + 4]
    m, kind_r, near_r = int(p[at + 5]), int(p[at + 6]), p[at + 7]
    count = (m + 2) * (m + 3) // 2
    own, first_r = (2, o + m + 5) if kind == ANGLE else (1, o + m + 4)
    n = count + own + (2 if kind_r == ANGLE else 1)
    q = coordinate_jet(G, o + m + 2, kind, near, n, count, pairs)
    r = coordinate_jet(G, first_r, kind_r, near_r, n, count + own, pairs)
    c = np.zeros((m + 2, n + 1, n + 1))
    c[0, 0, 0] = c[1, 0, 0] = 1.0
    at += 8
    for i in range(m):
        value, slope, bend = spline_value(p, at, r[0, 0])
        c[i + 2] = jet_function(n, r, value, slope, bend)
        at += 5 * int(p[at]) - 3
    aa, bb, ab = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    k = 0
    for i in range(m + 2):
        for j in range(i, m + 2):
            pairs[k, 0], pairs[k, 1] = o + i, o + j
            term = jet_product(n, jet_product(n, c[i], c[j]), jet_of(n, k, G[o + i, o + j]))
            if j == 0:
                aa += term
            elif i == 0:
                ab += term
            else:
                bb += (1.0 if i == j else 2.0) * term
            k += 1
    straight = jet_root(n, aa + bb + 2.0 * ab)
    weight = acting(n, q, lower, upper, blend)
    return straight + jet_product(n, weight, jet_root(n, aa) + jet_root(n, bb) - straight)


@kernel
def rise(t):
    """0 below −½, 1 above ½, between them a quintic with continuous second derivative: value, slope, curvature."""
    s = min(max(t + 0.5, 0.0), 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0)), 30.0 * (s * (s - 1.0)) ** 2, 60.0 * s * (s - 1.0) * (2.0 * s - 1.0)


@kernel
def spline_value(p, at, q):
    """Value, slope and curvature of a cubic spline; beyond its ends it goes on straight."""
    m = int(p[at])
    first, last = p[at + 1], p[at + m]
    t = min(max(q, first), last)
    k = 0
    while k < m - 2 and t > p[at + 2 + k]:
        k += 1
    s = t - p[at + 1 + k]
    c = at + 1 + m + 4 * k
    value = p[c] + s * (p[c + 1] + s * (p[c + 2] + s * p[c + 3]))
    slope = p[c + 1] + s * (2.0 * p[c + 2] + 3.0 * s * p[c + 3])
    bend = 2.0 * p[c + 2] + 6.0 * s * p[c + 3]
    if q != t:
        value += slope * (q - t)
        bend = 0.0
    return value, slope, bend


@kernel
def wrap_surfaces(G, o, p, at, pairs):
    """Way from y_o to y_{o+1}, seen from the centre of the first surface, over several surfaces in a row (laws/ways.py).

    y_{o+2} … are the axes of the first surface, then follow centre and all axes but the last of each other one; all are
    resolved along the axes of the first. p[at:] = (dimensions d, number of surfaces m, numbers of each surface)
    """
    d, m = int(p[at]), int(p[at + 1])
    n = count_of_numbers(d, m)
    surfaces = np.zeros((m, NUMBERS))
    for k in range(m):
        for i in range(NUMBERS):
            surfaces[k, i] = p[at + 2 + NUMBERS * k + i]
    z, g, H, J = np.zeros(n), np.zeros(n), np.zeros((n, n)), np.zeros((n + 1, n + 1))
    for k in range(n):
        vector = k // d if k < 2 * d else k // d + d  # after both ends come the axes themselves
        pairs[k, 0], pairs[k, 1] = o + vector, o + 2 + k % d
        z[k] = G[pairs[k, 0], pairs[k, 1]]
    J[0, 0] = length_over_surfaces(d, surfaces, z, g, H)
    J[0, 1:] = g
    J[1:, 1:] = H
    return J


@kernel
def segment(kind, G, o, near, p, at, pairs, J):
    """The jet J (n + 1, n + 1) of the length of a segment by the entries of G named in `pairs` (n, 2), and how many these are.

    p[at:] is what its kind needs; n: at least `segment_entries`.
    """
    return _segment(kind, G, o, near, p, at, pairs, J)


@separate(
    types.int64(
        types.int64, types.Array(types.float64, 2, "C"), types.int64, types.float64,
        types.Array(types.float64, 1, "C", readonly=True), types.int64, types.Array(types.int64, 2, "C"),
        types.Array(types.float64, 2, "C"),
    )
)  # fmt: skip
def _segment(kind, G, o, near, p, at, pairs, J):
    if kind == WRAP_SPHERE:
        length = wrap_sphere(G, o, p[at], p[at + 1], pairs)
    elif kind == WRAP_CYLINDER:
        length = wrap_cylinder(G, o, near, p[at], p[at + 1], p[at + 2], pairs)
    elif kind == WRAP_SURFACES:
        length = wrap_surfaces(G, o, p, at, pairs)
    elif kind == MOVING:
        length = moving_point(G, o, p, at, pairs)
    elif kind == CONDITIONAL_TO_MOVING:
        length = conditional_to_moving(G, o, p, at, pairs)
    else:
        length = conditional_point(G, o, p, at, pairs)
    n = length.shape[0]
    for i in range(n):
        for j in range(n):
            J[i, j] = length[i, j]
    return n - 1


@kernel
def segment_entries(kind, p, at):
    """How many entries of G the length of a segment may depend on."""
    if kind == CONDITIONAL_TO_MOVING:
        return 19
    return count_of_numbers(int(p[at]), int(p[at + 1])) if kind == WRAP_SURFACES else 12


@kernel
def segment_size(kind, p, at):
    """How many parameters a segment has from p[at] on."""
    if kind == WRAP_SPHERE:
        return 2
    if kind == WRAP_CYLINDER:
        return 3
    if kind == WRAP_SURFACES:
        return 2 + NUMBERS * int(p[at + 1])
    if kind == CONDITIONAL:
        return 5
    size, count = (8, int(p[at + 5])) if kind == CONDITIONAL_TO_MOVING else (3, int(p[at]))
    for _ in range(count):
        size += 5 * int(p[at + size]) - 3
    return size
