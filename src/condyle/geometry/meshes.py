"""Meshes of triangles, possibly concave, against all other shapes and against each other.

Two trees of balls are walked together (a convex shape is a tree of one leaf); triangles that are near are compared like convex
shapes. A triangle pushes outwards: where the shortest way out of it leads inwards, the way along its normal is taken.
Whether a shape that
touches no triangle is inside is told by the normal of the closest face, edge or corner (baerentzen-2005).
"""

from __future__ import annotations

from math import sqrt

from condyle.geometry.convex import centre, convex_pair, write, write_below
from condyle.geometry.features import SLANT, common_points, thin_out
from condyle.geometry.kinds import (
    CANDIDATES,
    CLOSEST,
    ELLIPSOID,
    FLAT_A,
    FLAT_B,
    FOUND,
    HALF_SPACE,
    MESH,
    ON_MESH,
    POLYGON,
    RUNS,
    SOLID,
    SPHERE,
    STAYS,
    SUPERELLIPSOID,
    TRIANGLE,
)
from condyle.geometry.signatures import SHAPES, WORK, count, flag, number
from condyle.geometry.support import support
from condyle.geometry.vectors import cross, dot, normalised, place, to_world
from condyle.laws.kernel import kernel, separate

BESIDE = 1e-6  # by how much the cosine of a normal may be outside of those of the faces about an edge or corner
TWIN = 1e-7  # of the size of a pair: points that are nearer to each other, with the same normal, are one
APART, DOUBTFUL, CROSSING = 0, 1, 2  # two triangles, or a triangle and a convex shape; the highest that is found counts


@separate(count(WORK, SHAPES, count, count, flag, number))
def mesh_pair(work, table, i, j, gather, limit):
    """Closest points of a pair with at least one mesh, in `work.answer`; gather: contact points nearer than `limit` too.

    Returns the number of contact points in `work.found`.
    """
    best = 1e300
    mesh_a, mesh_b = table.kind[i] == MESH, table.kind[j] == MESH
    if table.kind[i] == HALF_SPACE or table.kind[j] == HALF_SPACE:
        return _over_half_space(work, table, i, j, gather, limit)
    stack, found, top = work.stack, 0, 1
    stack[0, 0] = table.span[i, 4] if mesh_a else -1
    stack[0, 1] = table.span[j, 4] if mesh_b else -1
    near_a = near_b = -1
    g0 = g1 = g2 = g3 = g4 = g5 = g6 = g7 = g8 = g9 = 0.0
    # Triangles apart: the nearest counts. Those that cross: the deepest of which the way out is sure; else the least deep.
    rank, surface = APART, -work.margin[0] - work.margin[1]
    # A flat side a little askew touches over an edge; a round one there touches the neighbour, too, which is the same point.
    slack = BESIDE if _is_round(table.kind[i]) or _is_round(table.kind[j]) else 0.5 * SLANT * SLANT
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        if _bound(work, table, a, b) > max(best, limit if gather else surface):
            continue
        split_a = a >= 0 and table.tree[a, 0] >= 0
        split_b = b >= 0 and table.tree[b, 0] >= 0
        if split_a or split_b:
            if split_a and split_b:
                split_a = table.balls[a, 3] >= table.balls[b, 3]
            for child in range(2):
                if top < stack.shape[0]:
                    stack[top, 0] = table.tree[a, child] if split_a else a
                    stack[top, 1] = b if split_a else table.tree[b, child]
                    top += 1
            continue
        a0, a1 = (table.tree[a, 1], table.tree[a, 2]) if a >= 0 else (-1, 0)
        b0, b1 = (table.tree[b, 1], table.tree[b, 2]) if b >= 0 else (-1, 0)
        for ta in range(a0, a1):
            for tb in range(b0, b1):
                if ta >= 0:
                    _load_triangle(work, table, 0, ta)
                if tb >= 0:
                    _load_triangle(work, table, 1, tb)
                here = _triangle_pair(work, table, i, j, ta, tb)
                r = work.answer
                if (
                    gather
                    and r[0] <= limit
                    and (here == CROSSING or (here == APART and _is_the_way_out(work, table, ta, tb, slack)))
                ):
                    if found > CANDIDATES - POLYGON:
                        found = thin_out(work.found, found, CANDIDATES // 4)
                    before, found = found, common_points(work, table.vertices, found)
                    for k in range(before, found):
                        _mark(work, k, ta, tb)
                    found = _without_twins(work, before, found)
                if here > rank or (here == rank and (r[0] > best if here == DOUBTFUL else r[0] < best)):
                    best, near_a, near_b, rank = r[0], ta, tb, here
                    g0, g1, g2, g3, g4, g5, g6, g7, g8, g9 = (
                        r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9],
                    )  # fmt: skip
    if not gather or found == 0:
        write(work.answer, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9)
        if rank == APART:
            _sign_of_inside(work, table, i, j, near_a, near_b)
    if gather and found == 0 and work.answer[0] <= limit:
        for k in range(10):
            work.found[0, k] = work.answer[k]
        work.found[0, 10], work.found[0, RUNS] = CLOSEST, STAYS
        work.found[0, ON_MESH] = work.found[0, ON_MESH + 1] = 0.0
        if rank == APART and work.answer[0] > 0.0:
            if near_a >= 0:
                _load_triangle(work, table, 0, near_a)
            if near_b >= 0:
                _load_triangle(work, table, 1, near_b)
            _mark(work, 0, near_a, near_b)
        found = 1
    return found


@kernel
def _without_twins(work, before, found):
    """Leave out points from `before` on that neighbours of their triangles have found already; how many there are then."""
    near, kept = (TWIN * (work.reach[0] + work.reach[1])) ** 2, before
    for k in range(before, found):
        new, known = work.found[k], False
        for other in work.found[:before]:
            apart = 0.0
            for a in range(1, 7):
                apart += (new[a] - other[a]) ** 2
            same = dot(new[7], new[8], new[9], other[7], other[8], other[9]) > 1.0 - BESIDE
            known = known or (same and apart < near)
        if not known:
            for a in range(FOUND):
                work.found[kept, a] = new[a]
            kept += 1
    return kept


@kernel
def _mark(work, k, ta, tb):
    """Say of a contact point that is a closest one where it is on its triangles, 7 t + feature + 1; 0 of others."""
    found = work.found[k]
    for side in range(2):
        triangle, found[ON_MESH + side] = ta if side == 0 else tb, 0.0
        if triangle >= 0 and found[10] == CLOSEST:
            at, m = 1 + 3 * side, (1.0 - 2.0 * side) * work.margin[side]
            x, y, z = found[at] - m * found[7], found[at + 1] - m * found[8], found[at + 2] - m * found[9]
            found[ON_MESH + side] = 7 * triangle + _closest_feature(work, side, x, y, z) + 1


@kernel
def _is_round(kind):
    return kind in (SPHERE, ELLIPSOID, SUPERELLIPSOID)


@kernel
def _bound(work, table, a, b):
    """No point of node a is nearer to node b than this [m]; −1 stands for the convex shape of its side."""
    if a >= 0 and b >= 0:
        ax, ay, az = place(work.pose[0], table.balls[a, 0], table.balls[a, 1], table.balls[a, 2])
        bx, by, bz = place(work.pose[1], table.balls[b, 0], table.balls[b, 1], table.balls[b, 2])
        return sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2) - table.balls[a, 3] - table.balls[b, 3]
    side, node = (1, a) if a >= 0 else (0, b)
    cx, cy, cz = place(work.pose[1 - side], table.balls[node, 0], table.balls[node, 1], table.balls[node, 2])
    mx, my, mz = centre(work, side)
    ux, uy, uz = normalised(mx - cx, my - cy, mz - cz)
    px, py, pz = support(work, table.vertices, side, -ux, -uy, -uz)
    return dot(px - cx, py - cy, pz - cz, ux, uy, uz) - table.balls[node, 3] - work.margin[side]


@kernel
def _load_triangle(work, table, side, triangle):
    work.kind[side] = TRIANGLE
    for k in range(3):
        vertex = table.triangles[triangle, k]
        for x in range(3):
            work.sizes[side, 3 * k + x] = table.vertices[vertex, x]


@kernel
def _normal(work, table, side, triangle, which):
    """Outward normal in world axes: of the triangle (0), its edges (1 to 3), its corners (4 to 6)."""
    n = table.turned[triangle, which]
    return normalised(*to_world(work.pose[side], n[0], n[1], n[2]))


@kernel
def _triangle_pair(work, table, i, j, ta, tb):
    """Closest points of a triangle and a convex shape or another triangle: APART, CROSSING, or DOUBTFUL.

    If the shortest way out leads inwards, or sideways through a neighbour, it is none: then the way along the normal
    is left, in doubt.
    """
    convex_pair(work, table.vertices, 0.0, 0.0, 0.0)
    r = work.answer
    core = r[0] + work.margin[0] + work.margin[1]
    if core > 0.0:
        return APART
    solid_a, solid_b = ta >= 0 and table.inside[i] == SOLID, tb >= 0 and table.inside[j] == SOLID
    if _is_the_way_out(work, table, ta if solid_a else -1, tb if solid_b else -1, BESIDE):
        return CROSSING
    if core > -1e-12 * (work.reach[0] + work.reach[1]):  # no depth: the normal may as well point the other way
        for k in range(3):
            r[1 + k] -= 2.0 * work.margin[0] * r[7 + k]
            r[4 + k] += 2.0 * work.margin[1] * r[7 + k]
            r[7 + k] = -r[7 + k]
        if _is_the_way_out(work, table, ta if solid_a else -1, tb if solid_b else -1, BESIDE):
            return CROSSING
    best = -1e300
    if solid_a:
        best = _along_normal(work, table, 0, ta, best)
    if solid_b:
        best = _along_normal(work, table, 1, tb, best)
    return DOUBTFUL


@kernel
def _along_normal(work, table, side, triangle, best):
    """The way out of a triangle along its normal, left in `work.answer` if it is shorter than `best`."""
    nx, ny, nz = _normal(work, table, side, triangle, 0)
    other = 1 - side
    px, py, pz = support(work, table.vertices, other, -nx, -ny, -nz)
    px, py, pz = px - work.margin[other] * nx, py - work.margin[other] * ny, pz - work.margin[other] * nz
    s = work.sizes[side]
    qx, qy, qz = place(work.pose[side], s[0], s[1], s[2])
    gap = dot(px - qx, py - qy, pz - qz, nx, ny, nz)
    if gap > best:
        best = gap
        qx, qy, qz = px - gap * nx, py - gap * ny, pz - gap * nz
        if side == 0:
            write(work.answer, gap, qx, qy, qz, px, py, pz, nx, ny, nz)
        else:
            write(work.answer, gap, px, py, pz, qx, qy, qz, -nx, -ny, -nz)
    return best


@kernel
def _closest_feature(work, side, x, y, z):
    """On which face (0), edge (1 to 3) or corner (4 to 6) of its triangle a point lies."""
    s, pose = work.sizes[side], work.pose[side]
    ax, ay, az = place(pose, s[0], s[1], s[2])
    bx, by, bz = place(pose, s[3], s[4], s[5])
    cx, cy, cz = place(pose, s[6], s[7], s[8])
    nx, ny, nz = cross(bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az)
    area = dot(nx, ny, nz, nx, ny, nz)
    u = dot(*cross(cx - bx, cy - by, cz - bz, x - bx, y - by, z - bz), nx, ny, nz) / area
    v = dot(*cross(ax - cx, ay - cy, az - cz, x - cx, y - cy, z - cz), nx, ny, nz) / area
    w = 1.0 - u - v
    tiny = 1e-6
    if u > 1.0 - tiny:
        return 4
    if v > 1.0 - tiny:
        return 5
    if w > 1.0 - tiny:
        return 6
    if w < tiny:
        return 1
    if u < tiny:
        return 2
    if v < tiny:
        return 3
    return 0


@kernel
def _is_the_way_out(work, table, ta, tb, slack):
    """Whether the normal lies between those of the faces about the closest edge or corner: else a neighbour is nearer."""
    r = work.answer
    for side in range(2):
        triangle = ta if side == 0 else tb
        if triangle < 0:
            continue
        sign, at = 1.0 - 2.0 * side, 1 + 3 * side
        m = sign * work.margin[side]
        which = _closest_feature(work, side, r[at] - m * r[7], r[at + 1] - m * r[8], r[at + 2] - m * r[9])
        fx, fy, fz = _normal(work, table, side, triangle, which)
        nx, ny, nz = _normal(work, table, side, triangle, 0)
        along = sign * dot(fx, fy, fz, r[7], r[8], r[9])
        if along < dot(fx, fy, fz, nx, ny, nz) - slack:
            return False
    return True


@kernel
def _sign_of_inside(work, table, i, j, ta, tb):
    """A shape that touches no triangle but lies within a solid mesh is as deep as its way along the closest normal."""
    for side in range(2):
        triangle, shape = (ta, i) if side == 0 else (tb, j)
        if triangle < 0 or table.inside[shape] != SOLID:
            continue
        if ta >= 0:
            _load_triangle(work, table, 0, ta)
        if tb >= 0:
            _load_triangle(work, table, 1, tb)
        r = work.answer
        sign, at = 1.0 - 2.0 * side, 1 + 3 * side
        m = sign * work.margin[side]
        which = _closest_feature(work, side, r[at] - m * r[7], r[at + 1] - m * r[8], r[at + 2] - m * r[9])
        fx, fy, fz = _normal(work, table, side, triangle, which)
        nx, ny, nz = _normal(work, table, side, triangle, 0)
        # Straight behind the face, or between those about a concave edge; beside the border of a height field is outside.
        if sign * dot(fx, fy, fz, r[7], r[8], r[9]) <= BESIDE - dot(fx, fy, fz, nx, ny, nz):
            other, rest = 1 - side, j if side == 0 else i
            if table.kind[rest] == MESH:
                _deepest_vertex(work, table, side, triangle, rest)
            else:
                work.kind[other] = table.kind[rest]
                _along_normal(work, table, side, triangle, -1e300)
            return


@kernel
def _deepest_vertex(work, table, side, triangle, rest):
    """How far the whole mesh on the other side has to go along the normal of a triangle."""
    nx, ny, nz = _normal(work, table, side, triangle, 0)
    qx, qy, qz = place(work.pose[side], work.sizes[side, 0], work.sizes[side, 1], work.sizes[side, 2])
    gap, px, py, pz = 1e300, 0.0, 0.0, 0.0
    for k in range(table.span[rest, 0], table.span[rest, 1]):
        x, y, z = place(work.pose[1 - side], table.vertices[k, 0], table.vertices[k, 1], table.vertices[k, 2])
        here = dot(x - qx, y - qy, z - qz, nx, ny, nz)
        if here < gap:
            gap, px, py, pz = here, x, y, z
    write_below(work.answer, side, gap, px, py, pz, nx, ny, nz)


@kernel
def _over_half_space(work, table, i, j, gather, limit):
    """The vertices of a mesh over a plane: the lowest, and all below `limit`."""
    plane = 0 if table.kind[i] == HALF_SPACE else 1
    mesh, pose = (j if plane == 0 else i), work.pose[plane]
    nx, ny, nz = normalised(pose[3, 0], pose[3, 1], pose[3, 2])
    best, count = 1e300, 0
    for k in range(table.span[mesh, 0], table.span[mesh, 1]):
        x, y, z = place(work.pose[1 - plane], table.vertices[k, 0], table.vertices[k, 1], table.vertices[k, 2])
        gap = dot(x - pose[0, 0], y - pose[0, 1], z - pose[0, 2], nx, ny, nz)
        fx, fy, fz = x - gap * nx, y - gap * ny, z - gap * nz
        if gap < best:
            best = gap
            _write_either(work.answer, plane, gap, x, y, z, fx, fy, fz, nx, ny, nz)
        if gather and gap <= limit:
            if count == CANDIDATES:
                count = thin_out(work.found, count, CANDIDATES // 4)
            _write_either(work.found[count], plane, gap, x, y, z, fx, fy, fz, nx, ny, nz)
            work.found[count, 10], work.found[count, RUNS] = FLAT_B if plane == 1 else FLAT_A, STAYS
            count += 1
    return count


@kernel
def _write_either(answer, plane, gap, x, y, z, fx, fy, fz, nx, ny, nz):
    if plane == 0:
        write(answer, gap, fx, fy, fz, x, y, z, nx, ny, nz)
    else:
        write(answer, gap, x, y, z, fx, fy, fz, -nx, -ny, -nz)
