"""A taut string from one point over several surfaces in a row to another: its equations, and the derivatives of its length.

It is straight, a geodesic, straight again, and so on. Unknown are, for each surface that is touched, the place Q where the
string meets it and the length σ of the geodesic, which goes on in the direction of the straight line to Q. There are four
equations for each: Q lies on the surface, the line to it is tangent, and the line from its end to the next point lies in the
tangent plane and along the geodesic (scholz-2016). Then the length is stationary, so that its derivative by the motion of a
surface is that of the straight lines alone: a force e_in − e_out and its moment.

All is written in axes of the first surface. Given are in z the ends p and s, then of each further surface its centre and the
first of its axes (in space, the first two), made orthonormal here: 2 d + (m − 1) d² numbers, d dimensions, m surfaces.
"""

import numpy as np
from numba import types

from condyle.laws.geodesics import follow, normal_at
from condyle.laws.kernel import kernel, separate

NUMBERS = 7  # of a surface: kind, three sizes [m], side
STEP = 1e-6  # of differences, relative to the largest size


@kernel
def count_of_numbers(d, m):
    """How many numbers z has."""
    return 2 * d + (m - 1) * d * d


@kernel
def place_surfaces(d, m, z, ends, centres, frames):
    """Ends (2, 3), centres (m, 3) and axes (m, 3, 3), in rows, from z."""
    for a in range(3):
        for b in range(3):
            frames[0, a, b] = 1.0 if a == b else 0.0
    for a in range(d):
        ends[0, a], ends[1, a] = z[a], z[d + a]
    at = 2 * d
    for k in range(1, m):
        one, two = np.zeros(3), np.zeros(3)
        for a in range(d):
            centres[k, a], one[a] = z[at + a], z[at + d + a]
            if d == 3:
                two[a] = z[at + 6 + a]
        if d == 2:
            two[0], two[1] = -one[1], one[0]
        size = np.sqrt(np.sum(one * one))
        one /= size
        two -= np.sum(two * one) * one
        size = np.sqrt(np.sum(two * two))
        two /= size
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            frames[k, 0, a], frames[k, 1, a] = one[a], two[a]
            frames[k, 2, a] = one[b] * two[c] - one[c] * two[b]
        at += d * d


@kernel
def into(frame, centre, x, out):
    """Coordinates of a point in axes of a surface."""
    for a in range(3):
        out[a] = 0.0
        for b in range(3):
            out[a] += frame[a, b] * (x[b] - centre[b])


@kernel
def out_of(frame, centre, x, out):
    """The point with these coordinates in axes of a surface."""
    for b in range(3):
        out[b] = centre[b]
        for a in range(3):
            out[b] += frame[a, b] * x[a]


@kernel
def unit(first, second, out):
    """Distance, and in `out` the direction from the first to the second point."""
    square = 0.0
    for a in range(3):
        out[a] = second[a] - first[a]
        square += out[a] * out[a]
    square = np.sqrt(square)
    for a in range(3):
        out[a] /= square
    return square


@kernel
def way_over(surfaces, touched, ends, centres, frames, U, R, pulls):
    """Length of the way with the unknowns U (n, 4) of the touched surfaces; R (n, 4): what is left of the equations.

    pulls (m + 1, 2, 3): derivative of the length by each centre, and by turns about its axes; last, by both ends.
    """
    return _way_over(surfaces, touched, ends, centres, frames, U, R, pulls)


TABLE, BLOCKS = types.Array(types.float64, 2, "C"), types.Array(types.float64, 3, "C")


@separate(types.float64(TABLE, types.Array(types.int64, 1, "C"), TABLE, TABLE, BLOCKS, TABLE, TABLE, BLOCKS))
def _way_over(surfaces, touched, ends, centres, frames, U, R, pulls):
    n, m = touched.size, surfaces.shape[0]
    zero = np.zeros(3)
    last, target, Q, T, normal, e, moved = (
        ends[0].copy(), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    )  # fmt: skip
    pulls[:] = 0.0
    length = 0.0
    for i in range(n):
        k = touched[i]
        kind, size = int(surfaces[k, 0]), surfaces[k, 1:4]
        into(frames[k], centres[k], last, moved)
        for a in range(3):
            Q[a] = U[i, a]
        length += unit(moved, Q, T)
        R[i, 0], R[i, 1] = normal_at(kind, size, Q, normal), np.sum(T * normal)
        out_of(frames[k], zero, T, e)
        if i == 0:
            pulls[m, 0] = -e
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            pulls[k, 0, a] += e[a]
            pulls[k, 1, a] += Q[b] * T[c] - Q[c] * T[b]
        follow(kind, size, Q, T, U[i, 3])
        length += U[i, 3]
        if i + 1 < n:
            out_of(frames[touched[i + 1]], centres[touched[i + 1]], U[i + 1, :3], target)
        else:
            target[:] = ends[1]
        into(frames[k], centres[k], target, moved)
        unit(Q, moved, e)
        normal_at(kind, size, Q, normal)
        R[i, 2], R[i, 3] = np.sum(e * normal), 0.0
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            R[i, 3] += e[a] * (normal[b] * T[c] - normal[c] * T[b])
            pulls[k, 1, a] -= Q[b] * e[c] - Q[c] * e[b]
        out_of(frames[k], zero, e, moved)
        pulls[k, 0] -= moved
        out_of(frames[k], centres[k], Q, last)
    length += unit(last, ends[1], e)
    pulls[m, 1] = e
    if n == 0:
        pulls[m, 0] = -e
    return length


@kernel
def gradient_by_numbers(d, m, z, frames, pulls, g):
    """Derivative of the length by z, from those by places and turns."""
    for a in range(d):
        g[a], g[d + a] = pulls[m, 0, a], pulls[m, 1, a]
    at = 2 * d
    for k in range(1, m):
        one, shear = (
            0.0,
            0.0,
        )  # length of the first axis as given; of the second across it, and its part along the first
        across = 1.0
        for a in range(d):
            one += z[at + d + a] ** 2
            if d == 3:
                shear += z[at + 6 + a] * frames[k, 0, a]
        one = np.sqrt(one)
        if d == 3:
            across = 0.0
            for a in range(3):
                across += z[at + 6 + a] * frames[k, 1, a]
        turn = pulls[k, 1]
        for a in range(d):
            g[at + a] = pulls[k, 0, a]
            g[at + d + a] = (turn[2] * frames[k, 1, a] - (turn[1] + turn[0] * shear / across) * frames[k, 2, a]) / one
            if d == 3:
                g[at + 6 + a] = turn[0] * frames[k, 2, a] / across
        at += d * d


@kernel
def jacobian(surfaces, touched, ends, centres, frames, U, scale, J, pulls):
    """∂R/∂U (4 n, 4 n) by central differences."""
    n = touched.size
    ahead, behind, V = np.zeros((n, 4)), np.zeros((n, 4)), U.copy()
    for i in range(n):
        for a in range(4):
            V[i, a] = U[i, a] + STEP * scale
            way_over(surfaces, touched, ends, centres, frames, V, ahead, pulls)
            V[i, a] = U[i, a] - STEP * scale
            way_over(surfaces, touched, ends, centres, frames, V, behind, pulls)
            V[i, a] = U[i, a]
            for j in range(n):
                for b in range(4):
                    J[4 * j + b, 4 * i + a] = (ahead[j, b] - behind[j, b]) / (2.0 * STEP * scale)


@kernel
def largest_size(surfaces):
    """The largest length by which surfaces and ends are measured [m]."""
    scale = 0.0
    for k in range(surfaces.shape[0]):
        for a in range(3):
            scale = max(scale, surfaces[k, 1 + a])
    return scale
