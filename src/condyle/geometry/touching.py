"""Contact points of pairs of shapes on bodies whose rows are given, each in a place of its own from step to step.

A pair has a block of K places. A contact point goes to the place whose point it was before, seen from one of the two bodies;
so the forces of a box's corners stay with the corners. What is left is given to places that are free.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from condyle.geometry.batch import load_pair, points_of_pair
from condyle.geometry.features import SLANT, thin_out
from condyle.geometry.kinds import CLOSEST, FLAT_A, FLAT_B
from condyle.geometry.spread import ALONG, FLAT, spread
from condyle.geometry.vectors import normalised, to_world
from condyle.laws.kernel import kernel

# Columns of a contact point: gap, common point c, normal from A to B, axes e₁ and e₂, coordinates of c in A and in B, `spread`
# of A and of B at c, and how the vector that e₁ follows leans towards the normal (a·n over a·e₁).
GAP, POINT, NORMAL, FIRST, SECOND, IN_A, IN_B, SPREAD_A, SPREAD_B, LEAN = 0, 1, 4, 7, 10, 13, 16, 19, 22, 25
WIDTH = 26


@kernel
def frames_of_bodies(x, rows, frames, poses, turning):
    """Rows of bodies (b, 1 + d) in space: frames (b, 4, 3) as they are, poses with the nearest rotation, and by how much it
    turns.

    The middle of a step has directors that are a little too short. With the polar decomposition D = R U, changes δd_i of the
    directors turn R by A Σ r_i × δd_i, A = R (tr U − U)⁻¹ Rᵀ; turning: A (b, 3, 3).
    """
    d = x.shape[1]
    for b in range(rows.shape[0]):
        F, P = frames[b], poses[b]
        F[:], F[3, 2] = 0.0, 1.0
        for k in range(d + 1):
            for a in range(d):
                F[k, a] = x[rows[b, k], a]
        P[:] = F
        R = P[1:]
        for _ in range(30):
            other = _inverse(R).T
            change = 0.0
            for i in range(3):
                for j in range(3):
                    new = 0.5 * (R[i, j] + other[i, j])
                    change = max(change, abs(new - R[i, j]))
                    R[i, j] = new
            if change < 1e-15:
                break
        U = R @ F[1:].T  # components r_i · d_j
        trace = U[0, 0] + U[1, 1] + U[2, 2]
        for i in range(3):
            for j in range(3):
                U[i, j] = (trace if i == j else 0.0) - 0.5 * (U[i, j] + U[j, i])
        turning[b] = R.T @ _inverse(U) @ R


@kernel
def _inverse(A):
    out = np.empty((3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            p, q = (m + 1) % 3, (m + 2) % 3
            out[m, i] = A[j, p] * A[k, q] - A[j, q] * A[k, p]
    det = A[0, 0] * out[0, 0] + A[0, 1] * out[1, 0] + A[0, 2] * out[2, 0]
    return out / det


@kernel
def touch_pairs(work, table, on_body, placed, frames, poses, pairs, within, flat, known, old, reference, there, points):
    """Contact points of all pairs in their places: there (m, K), points (m, K, WIDTH).

    flat: in the plane; points come in twos, in front and behind, of which one counts. known (m, K): places that have had a
    point, `old` (m, K, 2, 3) its coordinates in A and B; reference (m, K, 3): the vector on A that e₁ follows, set of places
    that get their first point. known and reference are changed in place.
    """
    K = there.shape[1]
    for m in range(pairs.shape[0]):
        i, j = pairs[m, 0], pairs[m, 1]
        found = points_of_pair(work, table, placed, i, j, 0.0, 0.0, 0.0, within)
        if flat:
            found = _in_plane(work.found, found)
        if found > K:
            found = thin_out(work.found, found, K)
        load_pair(work, table, placed, i, j)
        local = np.empty((found, 2, 3))
        A, B = on_body[i], on_body[j]
        for k in range(found):
            middle = 0.5 * (work.found[k, 1:4] + work.found[k, 4:7]) + placed[i, 0]
            local[k, 0] = _coordinates(frames[A], middle)
            local[k, 1] = _coordinates(frames[B], middle)
        goal = _places(local, found, K, known[m], old[m])
        for q in range(K):
            there[m, q] = False
        for k in range(found):
            q = goal[k]
            if q >= 0:
                there[m, q] = True
                for a in range(3):
                    points[m, q, POINT + a] = 0.5 * (work.found[k, 1 + a] + work.found[k, 4 + a]) + placed[i, 0, a]
                _write(work, table.vertices, poses[A], k, local[k], known[m, q], reference[m, q], flat, points[m, q])
                known[m, q] = True


@kernel
def _in_plane(found, count):
    """Of each two points that differ only in depth, the one in front, moved into the plane."""
    kept = 0
    for k in range(count):
        if found[k, 3] + found[k, 6] < -1e-9 * (abs(found[k, 3]) + abs(found[k, 6])) and count > 1:
            continue
        size = sqrt(found[k, 7] ** 2 + found[k, 8] ** 2)
        for a in range(11):
            found[kept, a] = found[k, a]
        found[kept, 3], found[kept, 6], found[kept, 9] = 0.0, 0.0, 0.0
        found[kept, 7], found[kept, 8] = found[k, 7] / size, found[k, 8] / size
        kept += 1
    return kept


@kernel
def _coordinates(frame, point):
    """ζ with frame[0] + Σ ζ_i frame[i] = point, whether the directors are orthonormal or not."""
    return _inverse(frame[1:].T.copy()) @ (point - frame[0])


@kernel
def _places(local, found, K, known, old):
    """The place of each point, −1 if there is none left: the nearest pairs of old and new first."""
    goal = np.full(found, -1, dtype=np.int64)
    taken = np.zeros(K, dtype=np.bool_)
    for _ in range(min(found, K)):
        best, at, to = 1e300, -1, -1
        for k in range(found):
            if goal[k] >= 0:
                continue
            for q in range(K):
                if taken[q] or not known[q]:
                    continue
                square = 1e300
                for side in range(2):
                    here = 0.0
                    for a in range(3):
                        here += (local[k, side, a] - old[q, side, a]) ** 2
                    square = min(square, here)
                if square < best:
                    best, at, to = square, k, q
        free = -1
        for q in range(K):
            if not known[q] and not taken[q] and free < 0:
                free = q
        if at < 0 or (free >= 0 and best > _alone(local, found, at)):
            break
        goal[at], taken[to] = to, True
    for k in range(found):
        for turn in range(2):  # rather to a place that never had a point than to one that has lost its own
            for q in range(K):
                if goal[k] < 0 and not taken[q] and (turn == 1 or not known[q]):
                    goal[k], taken[q] = q, True
    return goal


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
def _write(work, vertices, R, k, local, known, reference, flat, out):
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
    what, half = f[10], 0.5 * f[0]
    for side in range(2):
        point = f[1 + 3 * side : 4 + 3 * side]
        slack = ALONG
        if what != CLOSEST:
            slack = SLANT if what == (FLAT_A if side == 0 else FLAT_B) else 0.0
        a, b, c = spread(work, vertices, side, n * (1.0 - 2.0 * side), axes, point, slack)
        at = SPREAD_A if side == 0 else SPREAD_B
        out[at], out[at + 1], out[at + 2] = a + half, b, c + half
    _keep_regular(out, work.reach[0] + work.reach[1])


@kernel
def _keep_regular(out, size):
    """Where both sides are pointed, or overlap by more than their radii, the normal stays with A."""
    a, b = out[SPREAD_A] + out[SPREAD_B], out[SPREAD_A + 1] + out[SPREAD_B + 1]
    c = out[SPREAD_A + 2] + out[SPREAD_B + 2]
    if a <= 0.0 or c <= 0.0 or a * c - b * b <= (1e-8 * size) ** 2:
        out[SPREAD_A], out[SPREAD_A + 1], out[SPREAD_A + 2] = FLAT * size, 0.0, FLAT * size
