"""Two boxes: the axis along which they are farthest apart or least inside each other, and where they meet along it.

Of two boxes 15 axes can be that one: normals of their faces, and those across an edge of each (ericson-2005, section 4.4.1).
With R_ij = a_i · b_j, t the way between their centres in the axes of A, and half lengths α, β:

    face i of A:     s = |t_i| − α_i − Σ_j β_j |R_ij|
    face j of B:     s = |Σ_i t_i R_ij| − β_j − Σ_i α_i |R_ij|
    edges i and j:   s = (|t_m R_kj − t_k R_mj| − α_k |R_mj| − α_m |R_kj| − β_p |R_iq| − β_q |R_ip|) / |a_i × b_j|

If all are negative, the largest is the depth, and its axis the shortest way out. If one is positive, the boxes are at least
so far apart, and exactly so far where the corners or edges that meet along the axis lie opposite each other.
"""

from __future__ import annotations

from math import sqrt

from condyle.geometry.signatures import WORK, count, number
from condyle.geometry.vectors import cross, dot
from condyle.laws.kernel import kernel, separate

# What is found: farther apart than asked for; closest points; the axis only, because other points are closest along it.
APART, MET, ALONG_AXIS = 0, 1, 2
PARALLEL = 1e-13  # square of the sine between two edges that have no axis across them
SAME = 1e-9  # of the size of the boxes: an axis must be better by this than one before it


@separate(count(WORK, number))
def meet_boxes(work, within):
    """Gap, points on A and B and normal of two boxes without margins, in `work.answer`; APART (gap only), MET, ALONG_AXIS."""
    s, axis = _best_axis(work, within)
    answer = work.answer
    if s > within:
        answer[0] = s
        return APART
    nx, ny, nz = _normal(work, axis)
    if axis < 6:
        inside = _corner_on_face(work, axis, s, nx, ny, nz)
    else:
        inside = _edge_on_edge(work, (axis - 6) // 3, (axis - 6) % 3, s, nx, ny, nz)
    answer[0], answer[7], answer[8], answer[9] = s, nx, ny, nz
    return MET if inside else ALONG_AXIS


@kernel
def _best_axis(work, within):
    """The largest s [m] and its axis: 0 to 2 faces of A, 3 to 5 of B, 6 + 3 i + j edges; or one with s > within.

    R is left in `work.simplex[0]`, t in `work.share`.
    """
    a, b, alpha, beta = work.pose[0], work.pose[1], work.sizes[0], work.sizes[1]
    R, size, t = work.simplex[0], work.simplex[1], work.share
    x, y, z = b[0, 0] - a[0, 0], b[0, 1] - a[0, 1], b[0, 2] - a[0, 2]
    same = SAME * (work.reach[0] + work.reach[1])
    best, axis = -1e300, 0
    for i in range(3):
        t[i] = dot(a[1 + i, 0], a[1 + i, 1], a[1 + i, 2], x, y, z)
        for j in range(3):
            R[i, j] = dot(a[1 + i, 0], a[1 + i, 1], a[1 + i, 2], b[1 + j, 0], b[1 + j, 1], b[1 + j, 2])
            size[i, j] = abs(R[i, j])
    for i in range(3):
        s = abs(t[i]) - alpha[i] - beta[0] * size[i, 0] - beta[1] * size[i, 1] - beta[2] * size[i, 2]
        if s > best + same:
            best, axis = s, i
    for j in range(3):
        s = abs(t[0] * R[0, j] + t[1] * R[1, j] + t[2] * R[2, j]) - beta[j]
        s -= alpha[0] * size[0, j] + alpha[1] * size[1, j] + alpha[2] * size[2, j]
        if s > best + same:
            best, axis = s, 3 + j
    if best > within:
        return best, axis
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            p, q = (j + 1) % 3, (j + 2) % 3
            square = R[k, j] * R[k, j] + R[m, j] * R[m, j]
            if square > PARALLEL:
                s = abs(t[m] * R[k, j] - t[k] * R[m, j]) - alpha[k] * size[m, j] - alpha[m] * size[k, j]
                s = (s - beta[p] * size[i, q] - beta[q] * size[i, p]) / sqrt(square)
                if s > best + same:
                    best, axis = s, 6 + 3 * i + j
    return best, axis


@kernel
def _normal(work, axis):
    """The axis as a unit vector from A to B in the world."""
    a, b, R, t = work.pose[0], work.pose[1], work.simplex[0], work.share
    if axis < 3:
        sign = 1.0 if t[axis] >= 0.0 else -1.0
        return sign * a[1 + axis, 0], sign * a[1 + axis, 1], sign * a[1 + axis, 2]
    if axis < 6:
        j = axis - 3
        sign = 1.0 if t[0] * R[0, j] + t[1] * R[1, j] + t[2] * R[2, j] >= 0.0 else -1.0
        return sign * b[1 + j, 0], sign * b[1 + j, 1], sign * b[1 + j, 2]
    u, v = a[1 + (axis - 6) // 3], b[1 + (axis - 6) % 3]
    x, y, z = cross(u[0], u[1], u[2], v[0], v[1], v[2])
    one = 1.0 / sqrt(x * x + y * y + z * z)
    if dot(x, y, z, b[0, 0] - a[0, 0], b[0, 1] - a[0, 1], b[0, 2] - a[0, 2]) < 0.0:
        one = -one
    return one * x, one * y, one * z


@kernel
def _corner_on_face(work, axis, s, nx, ny, nz):
    """The corner that is nearest to a face along its normal, and its foot; False if that is beside the face."""
    face, side = (axis, 0) if axis < 3 else (axis - 3, 1)
    flat, other, answer = work.pose[side], work.pose[1 - side], work.answer
    sign = -1.0 if side == 0 else 1.0  # the corner of B looks back
    x, y, z = other[0, 0], other[0, 1], other[0, 2]
    for i in range(3):
        along = sign * dot(nx, ny, nz, other[1 + i, 0], other[1 + i, 1], other[1 + i, 2])
        half = work.sizes[1 - side, i] if along >= 0.0 else -work.sizes[1 - side, i]
        x, y, z = x + half * other[1 + i, 0], y + half * other[1 + i, 1], z + half * other[1 + i, 2]
    at, foot = (4, 1) if side == 0 else (1, 4)
    answer[at], answer[at + 1], answer[at + 2] = x, y, z
    answer[foot], answer[foot + 1], answer[foot + 2] = x + sign * s * nx, y + sign * s * ny, z + sign * s * nz
    slack = SAME * work.reach[side]
    inside = True
    for i in range(3):
        if i != face:
            along = dot(x - flat[0, 0], y - flat[0, 1], z - flat[0, 2], flat[1 + i, 0], flat[1 + i, 1], flat[1 + i, 2])
            inside = inside and abs(along) <= work.sizes[side, i] + slack
    return inside


@kernel
def _edge_on_edge(work, i, j, s, nx, ny, nz):
    """The points where edge i of A and j of B cross, seen along the normal; False if they do so beyond their ends."""
    a, b, alpha, beta, answer = work.pose[0], work.pose[1], work.sizes[0], work.sizes[1], work.answer
    R = work.simplex[0]
    px, py, pz = a[0, 0], a[0, 1], a[0, 2]
    qx, qy, qz = b[0, 0], b[0, 1], b[0, 2]
    for k in range(3):
        if k != i:
            half = alpha[k] if dot(nx, ny, nz, a[1 + k, 0], a[1 + k, 1], a[1 + k, 2]) >= 0.0 else -alpha[k]
            px, py, pz = px + half * a[1 + k, 0], py + half * a[1 + k, 1], pz + half * a[1 + k, 2]
        if k != j:
            half = -beta[k] if dot(nx, ny, nz, b[1 + k, 0], b[1 + k, 1], b[1 + k, 2]) >= 0.0 else beta[k]
            qx, qy, qz = qx + half * b[1 + k, 0], qy + half * b[1 + k, 1], qz + half * b[1 + k, 2]
    k, m = (i + 1) % 3, (i + 2) % 3
    square = R[k, j] * R[k, j] + R[m, j] * R[m, j]
    along_a = dot(a[1 + i, 0], a[1 + i, 1], a[1 + i, 2], qx - px, qy - py, qz - pz)
    along_b = dot(b[1 + j, 0], b[1 + j, 1], b[1 + j, 2], qx - px, qy - py, qz - pz)
    u, v = (along_a - R[i, j] * along_b) / square, (R[i, j] * along_a - along_b) / square
    slack = SAME * (work.reach[0] + work.reach[1]) / sqrt(square)
    inside = abs(u) <= alpha[i] + slack and abs(v) <= beta[j] + slack
    u, v = min(max(u, -alpha[i]), alpha[i]), min(max(v, -beta[j]), beta[j])
    for c in range(3):
        p = (px, py, pz)[c] + u * a[1 + i, c]
        q = (qx, qy, qz)[c] + v * b[1 + j, c]
        middle, half = 0.5 * (p + q), 0.5 * s * (nx, ny, nz)[c]
        answer[1 + c], answer[4 + c] = middle - half, middle + half
    return inside
