"""The loops over all pairs of a call."""

from __future__ import annotations

from condyle.geometry.boxes import ALONG_AXIS, APART, SAME, meet_boxes
from condyle.geometry.convex import add_margins, convex_pair, general_pair
from condyle.geometry.features import common_points, thin_out
from condyle.geometry.kinds import BOX, CLOSEST, FOUND, MESH
from condyle.geometry.meshes import mesh_pair
from condyle.geometry.vectors import place, to_world
from condyle.laws.kernel import kernel

NEAR = 0.05  # of the smaller shape: how much farther than the closest points others of a mesh may be in a manifold


@kernel
def place_shapes(table, body, poses, placed):
    """Poses of shapes (n, 4, 3) from those of the bodies that carry them."""
    for i in range(placed.shape[0]):
        own, pose = table.placed[i], poses[body[i]]
        placed[i, 0] = place(pose, own[0, 0], own[0, 1], own[0, 2])
        for k in range(1, 4):
            placed[i, k] = to_world(pose, own[k, 0], own[k, 1], own[k, 2])


@kernel
def load_pair(work, table, placed, i, j):
    """Put two shapes into `work`, in axes whose origin is that of the first one."""
    for side in range(2):
        k = i if side == 0 else j
        work.kind[side], work.margin[side], work.reach[side] = table.kind[k], table.margin[k], table.reach[k]
        work.span[side, 0], work.span[side, 1] = table.span[k, 0], table.span[k, 1]
        for a in range(table.sizes.shape[1]):
            work.sizes[side, a] = table.sizes[k, a]
        for a in range(3):
            work.pose[side, 0, a] = placed[k, 0, a] - placed[i, 0, a]
            for b in range(1, 4):
                work.pose[side, b, a] = placed[k, b, a]


@kernel
def closest_of_pairs(work, table, placed, pairs, guess, answers):
    """Gap, point on A, point on B and normal of each pair, (m, 10); guess: normals to start from (m, 3), 0 for none."""
    for m in range(pairs.shape[0]):
        i, j = pairs[m, 0], pairs[m, 1]
        load_pair(work, table, placed, i, j)
        if table.kind[i] == MESH or table.kind[j] == MESH:
            mesh_pair(work, table, i, j, False, 0.0)
        else:
            convex_pair(work, table.vertices, guess[m, 0], guess[m, 1], guess[m, 2])
        for k in range(10):
            answers[m, k] = work.answer[k] + (placed[i, 0, (k - 1) % 3] if 0 < k < 7 else 0.0)


@kernel
def points_of_pair(work, table, placed, i, j, x, y, z, within):
    """Contact points of two shapes in `work.found`, in axes whose origin is that of the first one; their number.

    (x, y, z): a guess of the normal, or 0. within: the largest gap [m].
    """
    load_pair(work, table, placed, i, j)
    if table.kind[i] == BOX and table.kind[j] == BOX:
        return _within(work.found, _points_of_boxes(work, table.vertices, within), within)
    mesh = table.kind[i] == MESH or table.kind[j] == MESH
    if mesh:
        mesh_pair(work, table, i, j, False, 0.0)
    else:
        convex_pair(work, table.vertices, x, y, z)
    if work.answer[0] > within:
        return 0
    if mesh:
        limit = min(within, max(work.answer[0], 0.0) + NEAR * min(table.reach[i], table.reach[j]))
        load_pair(work, table, placed, i, j)
        found = mesh_pair(work, table, i, j, True, limit)
    else:
        found = common_points(work, table.vertices, 0)
    return _within(work.found, found, within)


@kernel
def _within(found, count, within):
    """Keep the points that are not farther apart, at the front; how many."""
    kept = 0
    for k in range(count):
        if found[k, 0] <= within:
            for a in range(FOUND):
                found[kept, a] = found[k, a]
            kept += 1
    return kept


@kernel
def _points_of_boxes(work, vertices, within):
    """Contact points of two boxes that are not farther apart than `within`; how many."""
    margin = work.margin[0] + work.margin[1]
    met = meet_boxes(work, within + margin)
    if met == APART:
        return 0
    gap = work.answer[0]
    add_margins(work)
    count = common_points(work, vertices, 0)
    if met == ALONG_AXIS:
        # Flat sides that lie opposite each other meet along the axis all the same.
        nearest = 1e300
        for k in range(count):
            nearest = min(nearest, work.found[k, 0] if work.found[k, 10] != CLOSEST else 1e300)
        beside = nearest > gap - margin + SAME * (work.reach[0] + work.reach[1])
        if nearest == 1e300 or (gap > 0.0 and beside):
            general_pair(work, vertices, 0.0, 0.0, 0.0)
            add_margins(work)
            count = common_points(work, vertices, 0) if work.answer[0] <= within else 0
    return count


@kernel
def manifolds_of_pairs(work, table, placed, pairs, guess, within, count, points):
    """Up to points.shape[1] contact points of each pair, (m, p, 10), their number in `count`; within: the largest gap [m]."""
    most = points.shape[1]
    for m in range(pairs.shape[0]):
        i, j = pairs[m, 0], pairs[m, 1]
        kept = points_of_pair(work, table, placed, i, j, guess[m, 0], guess[m, 1], guess[m, 2], within)
        count[m] = thin_out(work.found, kept, most)
        for k in range(count[m]):
            for a in range(10):
                points[m, k, a] = work.found[k, a] + (placed[i, 0, (a - 1) % 3] if 0 < a < 7 else 0.0)
