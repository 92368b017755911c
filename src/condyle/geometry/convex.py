"""Closest points of two convex shapes: which method for which pair."""

from __future__ import annotations

from condyle.geometry.boxes import MET, meet_boxes
from condyle.geometry.closed import point_and_solid, segment_pair
from condyle.geometry.distance import walk_to_origin
from condyle.geometry.ellipsoids import ellipsoid_pair, height, shape_matrix
from condyle.geometry.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HALF_SPACE, SPHERE, TRIANGLE
from condyle.geometry.penetration import grow_polytope
from condyle.geometry.polish import is_curved, polish
from condyle.geometry.signatures import WORK, count, f2, number
from condyle.geometry.support import support
from condyle.geometry.vectors import dot, normalised, place
from condyle.laws.kernel import kernel, separate


@separate(count(WORK, f2, number, number, number))
def convex_pair(work, vertices, x, y, z):
    """Leave gap, points on A and B and the normal from A to B in `work.answer`; n: a first guess of the normal, or 0."""
    a, b = work.kind[0], work.kind[1]
    answer = work.answer
    if a == HALF_SPACE or b == HALF_SPACE:
        _half_space(work, vertices, 0 if a == HALF_SPACE else 1)
    elif (a in (SPHERE, CAPSULE)) and (b in (SPHERE, CAPSULE)):
        gap, px, py, pz, qx, qy, qz, nx, ny, nz = segment_pair(work)
        write(answer, gap, px, py, pz, qx, qy, qz, nx, ny, nz)
    elif (a in (SPHERE, ELLIPSOID)) and (b in (SPHERE, ELLIPSOID)):
        gap, nx, ny, nz = ellipsoid_pair(work, x, y, z)
        answer[0], answer[7], answer[8], answer[9] = gap, nx, ny, nz
        for side in range(2):
            h, mx, my, mz = height(shape_matrix(work, side), nx, ny, nz)
            scale = (1.0 - 2.0 * side) / h if h > 1e-300 else 0.0
            answer[1 + 3 * side] = work.pose[side, 0, 0] + scale * mx
            answer[2 + 3 * side] = work.pose[side, 0, 1] + scale * my
            answer[3 + 3 * side] = work.pose[side, 0, 2] + scale * mz
    elif a == SPHERE and (b in (BOX, CYLINDER, CONE)):
        gap, fx, fy, fz, nx, ny, nz = point_and_solid(work, 1)
        p = work.pose[0, 0]
        write(answer, gap, p[0], p[1], p[2], fx, fy, fz, -nx, -ny, -nz)
    elif b == SPHERE and (a in (BOX, CYLINDER, CONE)):
        gap, fx, fy, fz, nx, ny, nz = point_and_solid(work, 0)
        p = work.pose[1, 0]
        write(answer, gap, fx, fy, fz, p[0], p[1], p[2], nx, ny, nz)
    elif not (a == BOX and b == BOX and meet_boxes(work, 1e300) == MET):
        general_pair(work, vertices, x, y, z)
        if is_curved(a) or is_curved(b):
            polish(work, vertices)
    add_margins(work)
    return 0


@kernel
def add_margins(work):
    """From the cores to the surfaces around them."""
    answer = work.answer
    for i in range(3):
        answer[1 + i] += work.margin[0] * answer[7 + i]
        answer[4 + i] -= work.margin[1] * answer[7 + i]
    answer[0] -= work.margin[0] + work.margin[1]


@kernel
def write(answer, gap, px, py, pz, qx, qy, qz, nx, ny, nz):
    answer[0], answer[1], answer[2], answer[3], answer[4] = gap, px, py, pz, qx
    answer[5], answer[6], answer[7], answer[8], answer[9] = qy, qz, nx, ny, nz


@kernel
def write_below(answer, side, gap, px, py, pz, nx, ny, nz):
    """The answer for a point p of the other shape at a gap over a plane of this side with the normal n."""
    qx, qy, qz = px - gap * nx, py - gap * ny, pz - gap * nz
    if side == 0:
        write(answer, gap, qx, qy, qz, px, py, pz, nx, ny, nz)
    else:
        write(answer, gap, px, py, pz, qx, qy, qz, -nx, -ny, -nz)


@kernel
def _half_space(work, vertices, plane):
    """The deepest point of the other shape: an ellipsoid too has it in closed form, x = c − M n/√(nᵀMn)."""
    pose, other = work.pose[plane], 1 - plane
    nx, ny, nz = normalised(pose[3, 0], pose[3, 1], pose[3, 2])
    px, py, pz = support(work, vertices, other, -nx, -ny, -nz)
    gap = dot(px - pose[0, 0], py - pose[0, 1], pz - pose[0, 2], nx, ny, nz)
    write_below(work.answer, plane, gap, px, py, pz, nx, ny, nz)


@kernel
def general_pair(work, vertices, x, y, z):
    """Of any two convex cores, by walking to the nearest point of their difference, or growing a polytope in it."""
    answer = work.answer
    if x == 0.0 and y == 0.0 and z == 0.0:
        ax, ay, az = centre(work, 0)
        bx, by, bz = centre(work, 1)
        x, y, z = normalised(bx - ax, by - ay, bz - az)
    count, gap = walk_to_origin(work, vertices, x, y, z)
    if gap == 0.0:
        depth, nx, ny, nz = grow_polytope(work, vertices, count)
        answer[0], answer[7], answer[8], answer[9] = -depth, nx, ny, nz
        # Points that rounding has left a little beside each other meet halfway.
        for i in range(3):
            middle = 0.5 * (answer[1 + i] + answer[4 + i])
            answer[1 + i], answer[4 + i] = middle + 0.5 * depth * answer[7 + i], middle - 0.5 * depth * answer[7 + i]
        return
    answer[0] = gap
    for i in range(3):
        for side in range(2):
            value = 0.0
            for k in range(count):
                value += work.share[k] * work.simplex[side + 1, k, i]
            answer[1 + 3 * side + i] = value
    for i in range(3):
        answer[7 + i] = (answer[4 + i] - answer[1 + i]) / gap


@kernel
def centre(work, side):
    """A point inside a core, in world axes [m]."""
    s = work.sizes[side]
    if work.kind[side] == CONE:
        return place(work.pose[side], 0.0, 0.0, 0.5 * s[1])
    if work.kind[side] == TRIANGLE:
        return place(
            work.pose[side], (s[0] + s[3] + s[6]) / 3.0, (s[1] + s[4] + s[7]) / 3.0, (s[2] + s[5] + s[8]) / 3.0
        )
    return place(work.pose[side], 0.0, 0.0, 0.0)
