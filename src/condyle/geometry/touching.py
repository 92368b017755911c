"""Contact points of pairs of shapes on bodies whose rows are given, each in a place of its own from step to step.

A pair has a block of K places. A contact point goes to the place whose point it was before, seen from one of the two bodies;
so the forces of a box's corners stay with the corners. What is left is given to places that are free.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from condyle.geometry.batch import load_pair, points_of_pair
from condyle.geometry.features import SLANT, thin_out
from condyle.geometry.kinds import CLOSEST, EDGES, FLAT_A, FLAT_B, MESH, ON_CORNER, ON_MESH, RUNS, SLOPE, STAYS
from condyle.geometry.signatures import SHAPES, WORK, b1, count, f2, f3, flag, number
from condyle.geometry.spread import ALONG, FLAT, spread, spread_of_mesh
from condyle.geometry.vectors import cross, normalised, to_world
from condyle.laws.kernel import kernel, separate

# Columns of a contact point: gap, common point c, normal from A to B, axes e₁ and e₂, coordinates of c in A and in B, `spread`
# of A and of B at c, and how the vector that e₁ follows leans towards the normal (a·n over a·e₁). Where c runs over edges of
# two flat sides: whose normal it has (1 of A, 2 of B, 0 elsewhere), and how the gap changes by the way of B against A along e₁
# and e₂.
GAP, POINT, NORMAL, FIRST, SECOND, IN_A, IN_B, SPREAD_A, SPREAD_B, LEAN = 0, 1, 4, 7, 10, 13, 16, 19, 22, 25
HELD, STEEP = 26, 27
WIDTH = 29
# What a place remembers of its point: whether there was one, where on A, on B, and the vector that e₁ follows.
FEATURES = 10


@kernel
def frames_of_bodies(x, rows, frames, poses, turning):
    """Rows of bodies (b, 1 + d) in space: frames (b, 4, 3) as they are, poses with the nearest rotation, and by how much it
    turns.

    The middle of a step has directors that are a little too short. With the polar decomposition D = R U, changes δd_i of the
    directors turn R by A Σ r_i × δd_i, A = R (tr U − U)⁻¹ Rᵀ; turning: A (b, 3, 3).
    """
    d = x.shape[1]
    U, V = np.empty((3, 3)), np.empty((3, 3))
    for b in range(rows.shape[0]):
        F, P, A = frames[b], poses[b], turning[b]
        for k in range(4):
            for a in range(3):
                F[k, a] = x[rows[b, k], a] if k <= d and a < d else 0.0
        if d == 2:
            F[3, 2] = 1.0
        for k in range(4):
            for a in range(3):
                P[k, a] = F[k, a]
        R = P[1:]
        for _ in range(30):  # R = ½ (R + R⁻ᵀ); the error is squared each time
            cofactors(R, A)
            det = R[0, 0] * A[0, 0] + R[0, 1] * A[0, 1] + R[0, 2] * A[0, 2]
            change = 0.0
            for i in range(3):
                for j in range(3):
                    new = 0.5 * (R[i, j] + A[i, j] / det)
                    change = max(change, abs(new - R[i, j]))
                    R[i, j] = new
            if change < 1e-9:
                break
        for i in range(3):  # components r_i · d_j
            for j in range(3):
                U[i, j] = R[i, 0] * F[1 + j, 0] + R[i, 1] * F[1 + j, 1] + R[i, 2] * F[1 + j, 2]
        trace = U[0, 0] + U[1, 1] + U[2, 2]
        for i in range(3):
            for j in range(3):
                V[i, j] = (trace if i == j else 0.0) - 0.5 * (U[i, j] + U[j, i])
        cofactors(V, U)
        det = V[0, 0] * U[0, 0] + V[0, 1] * U[0, 1] + V[0, 2] * U[0, 2]
        for i in range(3):
            for j in range(3):
                V[i, j] = (U[i, 0] * R[0, j] + U[i, 1] * R[1, j] + U[i, 2] * R[2, j]) / det
        for i in range(3):
            for j in range(3):
                A[i, j] = R[0, i] * V[0, j] + R[1, i] * V[1, j] + R[2, i] * V[2, j]


@kernel
def cofactors(A, out):
    """Cofactors of a matrix (3, 3): those of its inverse transposed, times the determinant."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            p, q = (m + 1) % 3, (m + 2) % 3
            out[i, m] = A[j, p] * A[k, q] - A[j, q] * A[k, p]


@kernel
def touch_pairs(work, table, on_body, placed, frames, poses, pairs, within, flat, bent, features, there, points):
    """Contact points of all pairs in their places: there (m, K), points (m, K, WIDTH); features (m, K, FEATURES) change.

    bent: with what tangents need, see `touch_pair`.
    """
    for m in range(pairs.shape[0]):
        i, j = pairs[m, 0], pairs[m, 1]
        touch_pair(
            work, table, placed, frames[on_body[i]], frames[on_body[j]], poses[on_body[i]], i, j, within, flat, bent,
            features[m], there[m], points[m],
        )  # fmt: skip


@separate(count(WORK, SHAPES, f3, f2, f2, f2, count, count, number, flag, flag, f2, b1, f2))
def touch_pair(work, table, placed, frame_a, frame_b, pose_a, i, j, within, flat, bent, features, there, points):
    """Contact points of two shapes in their places: there (K,), points (K, WIDTH); the number of places that got their first.

    flat: in the plane; points come in twos, in front and behind, of which one counts. bent: with `spread` of both shapes, which
    only tangents need. features (K, FEATURES): whether a place
    has had a point, its coordinates in A and B, and the vector on A that e₁ follows, set when it gets its first one; they
    become those of the points that are there.
    """
    K = there.shape[0]
    for q in range(K):
        there[q] = False
    found = points_of_pair(work, table, placed, i, j, 0.0, 0.0, 0.0, within)
    if found == 0:
        return 0
    if flat:
        found = _in_plane(work.found, found)
    if found > K:
        found = thin_out(work.found, found, K)
    if table.kind[i] == MESH or table.kind[j] == MESH:
        load_pair(work, table, placed, i, j)  # its triangles have taken the place
    local, new, into_a, into_b = work.local, 0, work.corners[0], work.corners[1]
    _inverse(frame_a, into_a)
    _inverse(frame_b, into_b)
    for k in range(found):
        x = 0.5 * (work.found[k, 1] + work.found[k, 4]) + placed[i, 0, 0]
        y = 0.5 * (work.found[k, 2] + work.found[k, 5]) + placed[i, 0, 1]
        z = 0.5 * (work.found[k, 3] + work.found[k, 6]) + placed[i, 0, 2]
        _coordinates(frame_a, into_a, x, y, z, local[k, 0])
        _coordinates(frame_b, into_b, x, y, z, local[k, 1])
    _places(work, found, K, features)
    for k in range(found):
        q = work.goal[k]
        if q >= 0:
            there[q] = True
            for a in range(3):
                points[q, POINT + a] = 0.5 * (work.found[k, 1 + a] + work.found[k, 4 + a]) + placed[i, 0, a]
            known = features[q, 0] > 0.0
            _write(work, pose_a, k, local[k], known, features[q, 7:10], flat, points[q])
            if bent:
                _write_spread(work, table, k, points[q])
            new += 0 if known else 1
            features[q, 0] = 1.0
            for a in range(3):
                features[q, 1 + a], features[q, 4 + a] = local[k, 0, a], local[k, 1, a]
    return new


@kernel
def _in_plane(found, count):
    """Of each two points that differ only in depth, the one in front, moved into the plane."""
    kept = 0
    for k in range(count):
        if found[k, 3] + found[k, 6] < -1e-9 * (abs(found[k, 3]) + abs(found[k, 6])) and count > 1:
            continue
        size = sqrt(found[k, 7] ** 2 + found[k, 8] ** 2)
        for a in range(found.shape[1]):
            found[kept, a] = found[k, a]
        found[kept, 3], found[kept, 6], found[kept, 9] = 0.0, 0.0, 0.0
        found[kept, 7], found[kept, 8] = found[k, 7] / size, found[k, 8] / size
        kept += 1
    return kept


@kernel
def _inverse(frame, out):
    """The inverse of the directors of a frame, out (≥ 3, 3), whether they are orthonormal or not."""
    for i in range(3):
        j, k = 1 + (i + 1) % 3, 1 + (i + 2) % 3
        x, y, z = cross(frame[j, 0], frame[j, 1], frame[j, 2], frame[k, 0], frame[k, 1], frame[k, 2])
        out[i, 0], out[i, 1], out[i, 2] = x, y, z
    one = 1.0 / (out[0, 0] * frame[1, 0] + out[0, 1] * frame[1, 1] + out[0, 2] * frame[1, 2])
    for i in range(3):
        for a in range(3):
            out[i, a] *= one


@kernel
def _coordinates(frame, inverse, x, y, z, out):
    """ζ with frame[0] + Σ ζ_i frame[i] = (x, y, z)."""
    px, py, pz = x - frame[0, 0], y - frame[0, 1], z - frame[0, 2]
    for i in range(3):
        out[i] = inverse[i, 0] * px + inverse[i, 1] * py + inverse[i, 2] * pz


@kernel
def _places(work, found, K, features):
    """The place of each point in `work.goal`, −1 if there is none left: the nearest pairs of old and new first."""
    if _stay(work, found, K, features):
        return
    goal, taken, local = work.goal, work.taken, work.local
    for k in range(found):
        goal[k] = -1
    for q in range(K):
        taken[q] = 0
    for _ in range(min(found, K)):
        best, at, to = 1e300, -1, -1
        for k in range(found):
            if goal[k] >= 0:
                continue
            for q in range(K):
                if taken[q] or not features[q, 0] > 0.0:
                    continue
                square = _way(local[k], features[q])
                if square < best:
                    best, at, to = square, k, q
        free = -1
        for q in range(K):
            if not features[q, 0] > 0.0 and not taken[q] and free < 0:
                free = q
        if at < 0 or (free >= 0 and best > _alone(local, found, at)):
            break
        goal[at], taken[to] = to, 1
    for k in range(found):
        for reuse in (False, True):  # rather to a place that never had a point than to one that has lost its own
            for q in range(K):
                if goal[k] < 0 and not taken[q] and (reuse or not features[q, 0] > 0.0):
                    goal[k], taken[q] = q, 1


@kernel
def _way(local, feature):
    """The square of the distance of a point from that of a place, on A or on B, where it is less."""
    on_a = on_b = 0.0
    for a in range(3):
        on_a += (local[0, a] - feature[1 + a]) ** 2
        on_b += (local[1, a] - feature[4 + a]) ** 2
    return min(on_a, on_b)


@kernel
def _stay(work, found, K, features):
    """Do all points go to the places that are nearest to them, each to another one? As at rest, and then they do so."""
    goal, taken, local = work.goal, work.taken, work.local
    free = False
    for q in range(K):
        taken[q] = 0
        free = free or not features[q, 0] > 0.0
    for k in range(found):
        best, to = 1e300, -1
        for q in range(K):
            if features[q, 0] > 0.0:
                square = _way(local[k], features[q])
                if square < best:
                    best, to = square, q
        if to < 0 or taken[to] or (free and best > _alone(local, found, k)):
            return False
        goal[k], taken[to] = to, 1
    return True


@kernel
def _alone(local, found, at):
    """A quarter of the square of the distance to the nearest other point: what is farther from its place is a new one."""
    least = 1e300
    for k in range(found):
        if k != at:
            here = 0.0
            for a in range(3):
                here += (local[k, 0, a] - local[at, 0, a]) ** 2
            least = min(least, 0.25 * here)
    return least


@kernel
def _write(work, R, k, local, known, reference, flat, out):
    """One contact point but for its place, with axes that follow `reference` on A, whose pose is R."""
    f = work.found[k]
    n = f[7:10]
    out[GAP] = f[0]
    for a in range(3):
        out[NORMAL + a], out[IN_A + a], out[IN_B + a] = n[a], local[0, a], local[1, a]
    wx, wy, wz = to_world(R, reference[0], reference[1], reference[2])
    along = wx * n[0] + wy * n[1] + wz * n[2]
    size = sqrt(max(wx * wx + wy * wy + wz * wz - along * along, 0.0))
    if not known or size < 0.1:
        if flat:
            wx, wy, wz = -n[1], n[0], 0.0
        else:
            least = 0
            for a in range(3):
                if abs(n[a]) < abs(n[least]):
                    least = a
            wx, wy, wz = (1.0 if least == 0 else 0.0), (1.0 if least == 1 else 0.0), (1.0 if least == 2 else 0.0)
        along = wx * n[0] + wy * n[1] + wz * n[2]
        wx, wy, wz = normalised(wx - along * n[0], wy - along * n[1], wz - along * n[2])
        for a in range(3):
            reference[a] = R[1 + a, 0] * wx + R[1 + a, 1] * wy + R[1 + a, 2] * wz
        along, size = 0.0, 1.0
    out[LEAN] = along / size
    wx, wy, wz = normalised(wx - along * n[0], wy - along * n[1], wz - along * n[2])
    axes = out[FIRST : FIRST + 6].reshape(2, 3)
    axes[0, 0], axes[0, 1], axes[0, 2] = wx, wy, wz
    axes[1, 0], axes[1, 1], axes[1, 2] = n[1] * wz - n[2] * wy, n[2] * wx - n[0] * wz, n[0] * wy - n[1] * wx


@kernel
def _write_spread(work, table, k, out):
    """`spread` of both shapes at a contact point that is written."""
    f = work.found[k]
    if f[RUNS] != STAYS:
        _write_run(f, FLAT * (work.reach[0] + work.reach[1]), out)
        return
    n, axes = f[7:10], out[FIRST : FIRST + 6].reshape(2, 3)
    what, half = f[10], 0.5 * f[0]
    out[HELD], out[STEEP], out[STEEP + 1] = 0.0, 0.0, 0.0
    for side in range(2):
        point = f[1 + 3 * side : 4 + 3 * side]
        slack = ALONG
        if what != CLOSEST:
            slack = SLANT if what == (FLAT_A if side == 0 else FLAT_B) else 0.0
        sign = 1.0 - 2.0 * side
        outward = (sign * n[0], sign * n[1], sign * n[2])
        if what == CLOSEST and work.kind[side] == MESH and f[ON_MESH + side] > 0.0:
            a, b, c = spread_of_mesh(work, table, side, outward, axes, int(f[ON_MESH + side]) - 1, slack)
        else:
            a, b, c = spread(work, table.vertices, side, outward, axes, point, slack)
        at = SPREAD_A if side == 0 else SPREAD_B
        out[at], out[at + 1], out[at + 2] = a + half, b, c + half
    _keep_regular(out, work.reach[0] + work.reach[1])


@kernel
def _write_run(f, large, out):
    """The same where the point runs along the edges of two flat sides, and by how much the gap changes as it does so.

    C = `large` t tᵀ of a side lets it run along its edge t, and it runs over all of a side of whose edges it is not. With C_B
    (C_A + C_B)⁻¹ w (flat side: A) it falls behind the material of B, which is that much higher along the slope of the gap.
    """
    flat = 0 if f[10] == FLAT_A else 1
    for side in range(2):
        at = SPREAD_A if side == 0 else SPREAD_B
        t1 = t2 = 0.0
        for i in range(3):
            t1 += f[EDGES + 3 * side + i] * out[FIRST + i]
            t2 += f[EDGES + 3 * side + i] * out[SECOND + i]
        a, b, c = large * t1 * t1, large * t1 * t2, large * t2 * t2
        if f[RUNS] == ON_CORNER:
            a, b, c = (0.0, 0.0, 0.0) if side == flat else (large, 0.0, large)
        out[at], out[at + 1], out[at + 2] = a, b, c
    s1 = s2 = 0.0
    for i in range(3):
        s1 += f[SLOPE + i] * out[FIRST + i]
        s2 += f[SLOPE + i] * out[SECOND + i]
    a, b = out[SPREAD_A] + out[SPREAD_B], out[SPREAD_A + 1] + out[SPREAD_B + 1]
    c = out[SPREAD_A + 2] + out[SPREAD_B + 2]
    det = a * c - b * b
    at = SPREAD_B if flat == 0 else SPREAD_A
    r1, r2 = out[at] * s1 + out[at + 1] * s2, out[at + 1] * s1 + out[at + 2] * s2
    sign = -1.0 if flat == 0 else 1.0
    out[HELD] = 1.0 + flat
    out[STEEP], out[STEEP + 1] = sign * (c * r1 - b * r2) / det, sign * (a * r2 - b * r1) / det


@kernel
def _keep_regular(out, size):
    """Where both sides are pointed, or overlap by more than their radii, the normal stays with A."""
    a, b = out[SPREAD_A] + out[SPREAD_B], out[SPREAD_A + 1] + out[SPREAD_B + 1]
    c = out[SPREAD_A + 2] + out[SPREAD_B + 2]
    if a <= 0.0 or c <= 0.0 or a * c - b * b <= (1e-8 * size) ** 2:
        out[SPREAD_A], out[SPREAD_A + 1], out[SPREAD_A + 2] = FLAT * size, 0.0, FLAT * size
