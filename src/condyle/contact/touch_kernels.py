"""Points where two rigid shapes meet, in the equations: forces on the rows of both bodies, and how all of it changes.

The shapes A and B have the gap g and the normal n, from A to B, at the common point c, halfway between their closest points.
Both forces act there, so that they have no moment. c has the coordinates ζ in each body, r + Σ ζ_i d_i = c, and the weights ω
= (1, ζ) of B, −(1, ζ) of A on their rows make w = Σ ω x, how far the material points at c have come apart; δg = n·Σ ω δx. As
bodies move, n turns and c moves over both of them. With the velocities v of the bodies at c, their rotations δθ, a = δθ × n
and the matrices C of geometry/spread.py, all in the tangent plane,

    (C_A + C_B) δn = v_B − v_A + C_A a_A + C_B a_B,
    δc − v_A = C_A (δn − a_A) + ½ δg n,      δc − v_B = −C_B (δn − a_B) − ½ δg n.

e₁ follows a vector of A, e₂ = n × e₁. Slip is the way s = Σ ω (x1 − x0) of the material points that meet at the test
configuration.
"""

from __future__ import annotations

import numpy as np

from condyle.geometry.touching import FIRST, IN_A, IN_B, LEAN, NORMAL, POINT, SECOND, SPREAD_A, SPREAD_B
from condyle.geometry.vectors import cross, dot
from condyle.laws.kernel import kernel


@kernel
def way(point, before_a, after_a, before_b, after_b, out):
    """Σ ω (x1 − x0) with the weights of a contact point; frames (4, 3) of both bodies at both ends."""
    for k in range(3):
        value = (after_b[0, k] - before_b[0, k]) - (after_a[0, k] - before_a[0, k])
        for i in range(3):
            value += point[IN_B + i] * (after_b[1 + i, k] - before_b[1 + i, k])
            value -= point[IN_A + i] * (after_a[1 + i, k] - before_a[1 + i, k])
        out[k] = value


@kernel
def ways(points, bodies, before, after, out):
    """`way` of many points (n, 3); bodies (n, 2): A and B of each; frames of all bodies (b, 4, 3)."""
    for k in range(points.shape[0]):
        a, b = bodies[k, 0], bodies[k, 1]
        way(points[k], before[a], after[a], before[b], after[b], out[k])


@kernel
def _turned(pose, turning, change, nu, out):
    """δθ (3, nu) of a body from the changes of its rows (4, 3, nu)."""
    for u in range(nu):
        x = y = z = 0.0
        for i in range(3):
            p, q, r = cross(
                pose[1 + i, 0],
                pose[1 + i, 1],
                pose[1 + i, 2],
                change[1 + i, 0, u],
                change[1 + i, 1, u],
                change[1 + i, 2, u],
            )
            x, y, z = x + p, y + q, z + r
        for k in range(3):
            out[k, u] = turning[k, 0] * x + turning[k, 1] * y + turning[k, 2] * z


@kernel
def vary(point, frames, poses, turning, changes, out):
    """How a contact point changes with its bodies, by nu parameters each.

    Of A and B: frames, poses (2, 4, 3), turning (2, 3, 3), changes of the rows (2, 4, 3, nu). out (9, 3, nu): δn, δe₁, δe₂,
    then of A and B δζ, Σ (1, ζ) δx, and δθ.
    """
    nu = changes.shape[3]
    n, e1, e2 = point[NORMAL : NORMAL + 3], point[FIRST : FIRST + 3], point[SECOND : SECOND + 3]
    for side in range(2):
        _turned(poses[side], turning[side], changes[side], nu, out[7 + side])
    arms = np.empty((2, 3))
    inverse = np.empty((2, 3, 3))
    for side in range(2):
        arms[side] = point[POINT : POINT + 3] - poses[side, 0]
        inverse[side] = np.linalg.inv(frames[side, 1:].T.copy())
    a11, a12, a22 = point[SPREAD_A], point[SPREAD_A + 1], point[SPREAD_A + 2]
    b11, b12, b22 = point[SPREAD_B], point[SPREAD_B + 1], point[SPREAD_B + 2]
    s11, s12, s22 = a11 + b11, a12 + b12, a22 + b22
    det = s11 * s22 - s12 * s12
    i11, i12, i22 = s22 / det, -s12 / det, s11 / det
    velocity = np.empty((2, 3))
    turn = np.empty((2, 2))
    moved = np.empty((2, 3))
    for u in range(nu):
        for side in range(2):
            tx, ty, tz = out[7 + side, 0, u], out[7 + side, 1, u], out[7 + side, 2, u]
            vx, vy, vz = cross(tx, ty, tz, arms[side, 0], arms[side, 1], arms[side, 2])
            velocity[side, 0] = changes[side, 0, 0, u] + vx
            velocity[side, 1] = changes[side, 0, 1, u] + vy
            velocity[side, 2] = changes[side, 0, 2, u] + vz
            turn[side, 0] = dot(tx, ty, tz, e2[0], e2[1], e2[2])
            turn[side, 1] = -dot(tx, ty, tz, e1[0], e1[1], e1[2])
        w0, w1, w2 = velocity[1, 0] - velocity[0, 0], velocity[1, 1] - velocity[0, 1], velocity[1, 2] - velocity[0, 2]
        v1, v2 = dot(w0, w1, w2, e1[0], e1[1], e1[2]), dot(w0, w1, w2, e2[0], e2[1], e2[2])
        gap = dot(w0, w1, w2, n[0], n[1], n[2])
        # δn − a_A and δn − a_B: with a flat side, one of them is small against both.
        d1, d2 = turn[1, 0] - turn[0, 0], turn[1, 1] - turn[0, 1]
        p1, p2 = v1 + b11 * d1 + b12 * d2, v2 + b12 * d1 + b22 * d2
        q1, q2 = v1 - a11 * d1 - a12 * d2, v2 - a12 * d1 - a22 * d2
        p1, p2 = i11 * p1 + i12 * p2, i12 * p1 + i22 * p2
        q1, q2 = i11 * q1 + i12 * q2, i12 * q1 + i22 * q2
        n1, n2 = (turn[0, 0] + p1, turn[0, 1] + p2) if a11 + a22 > b11 + b22 else (turn[1, 0] + q1, turn[1, 1] + q2)
        f1, f2 = a11 * p1 + a12 * p2, a12 * p1 + a22 * p2
        g1, g2 = -(b11 * q1 + b12 * q2), -(b12 * q1 + b22 * q2)
        lean = dot(n[0], n[1], n[2], out[7, 0, u], out[7, 1, u], out[7, 2, u]) - point[LEAN] * p2
        for k in range(3):
            out[0, k, u] = n1 * e1[k] + n2 * e2[k]
            out[1, k, u] = -n1 * n[k] + lean * e2[k]
            out[2, k, u] = -n2 * n[k] - lean * e1[k]
            moved[0, k] = velocity[0, k] + f1 * e1[k] + f2 * e2[k] + 0.5 * gap * n[k]
            moved[1, k] = velocity[1, k] + g1 * e1[k] + g2 * e2[k] - 0.5 * gap * n[k]
        for side in range(2):
            zeta = IN_A if side == 0 else IN_B
            for k in range(3):
                carried = changes[side, 0, k, u]
                for i in range(3):
                    carried += point[zeta + i] * changes[side, 1 + i, k, u]
                out[5 + side, k, u] = carried
                moved[side, k] -= carried
            for i in range(3):
                value = 0.0
                for k in range(3):
                    value += inverse[side, i, k] * moved[side, k]
                out[3 + side, i, u] = value


@kernel
def row_changes(x, rows, kind, whole, out):
    """Changes of the rows of bodies by their unknowns, (b, 4, 3, nc): places by their own, directors by δθ, or by their own.

    whole: directors have unknowns of their own, 0 if none has; FREE rows 0, DIRECTOR rows 1, others do not move.
    """
    d = x.shape[1]
    out[:] = 0.0
    for b in range(rows.shape[0]):
        for k in range(d + 1):
            row = rows[b, k]
            if kind[b, k] == 0:
                first = k * d if whole or k == 0 else -1
                for a in range(d):
                    out[b, k, a, first + a] = 1.0
            elif kind[b, k] == 1:
                at = k * d if whole else d
                if d == 2:
                    out[b, k, 0, at], out[b, k, 1, at] = -x[row, 1], x[row, 0]
                else:
                    y0, y1, y2 = x[row, 0], x[row, 1], x[row, 2]
                    out[b, k, 0, at + 1], out[b, k, 0, at + 2] = y2, -y1
                    out[b, k, 1, at + 2], out[b, k, 1, at] = y0, -y2
                    out[b, k, 2, at], out[b, k, 2, at + 1] = y1, -y0


@kernel
def forces_on_rows(d, points, force, out):
    """Forces F along n, e₁, e₂ (n, d) as they act on the rows of B and A, (n, 2 (d + 1), d)."""
    for k in range(points.shape[0]):
        p = points[k]
        for a in range(d):
            f = force[k, 0] * p[NORMAL + a]
            for j in range(1, d):
                f += force[k, j] * p[FIRST + 3 * (j - 1) + a]
            out[k, 0, a], out[k, d + 1, a] = f, -f
            for i in range(d):
                out[k, 1 + i, a], out[k, d + 2 + i, a] = p[IN_B + i] * f, -p[IN_A + i] * f


@kernel
def stiffness_of_points(
    d, bodies, test, end, frames, poses, turning, back, ahead, left, right, kappa, base, by_place, push, bent, on, gradient, K,
):  # fmt: skip
    """The matrix of some points (K, (n, nu, nu)), and ∂(g, s)/∂(unknowns) (gradient, (n, d, nu)). Unknowns: of B, then of A.

    test, end: the points at the test configuration and at the end of the step; frames, poses, turning of all bodies at the test
    configuration; back, ahead: frames at both ends of the step; left, right: `row_changes` at test and end; kappa: what the
    test configuration moves when the end does; base: forces F (n, d) along n, e₁, e₂; by_place: ∂F/∂(g, s); push, bent: of the
    discrete gradient, force σ κ w with σ and κ (n,). on: which points.
    """
    nc = right.shape[3]
    nu = 2 * nc
    changes = np.zeros((2, 4, 3, nu))
    pair_frames, pair_poses, pair_turning = np.empty((2, 4, 3)), np.empty((2, 4, 3)), np.empty((2, 3, 3))
    out = np.empty((9, 3, nu))
    H, Z, f, w, Q = np.empty((3, nu)), np.empty((3, nu)), np.empty(3), np.empty(3), np.empty((3, 3))
    Y = np.empty((d, nu))
    L, G = np.zeros((3, nu)), np.zeros((2, 3, nu))
    for m in range(on.shape[0]):
        k = on[m]
        p, q = test[k], end[k]
        for side in range(2):
            body = bodies[k, side]
            at = nc if side == 0 else 0
            changes[side, :, :, at : at + nc] = right[body]
            pair_frames[side], pair_poses[side], pair_turning[side] = frames[body], poses[body], turning[body]
        vary(p, pair_frames, pair_poses, pair_turning, changes, out)
        a, b = bodies[k, 0], bodies[k, 1]
        way(p, back[a], ahead[a], back[b], ahead[b], w)
        for i in range(3):
            Q[0, i], Q[1, i], Q[2, i] = p[NORMAL + i], p[FIRST + i], p[SECOND + i]
        square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
        for u in range(nu):
            for i in range(3):
                value = out[6, i, u] - out[5, i, u]
                for j in range(3):
                    value += kappa * (ahead[b, 1 + j, i] - back[b, 1 + j, i]) * out[4, j, u]
                    value -= kappa * (ahead[a, 1 + j, i] - back[a, 1 + j, i]) * out[3, j, u]
                H[i, u] = value
            Y[0, u] = 0.0
            for i in range(3):
                there, here = changes[1, 0, i, u], changes[0, 0, i, u]
                for j in range(3):
                    there += q[IN_B + j] * changes[1, 1 + j, i, u]
                    here += q[IN_A + j] * changes[0, 1 + j, i, u]
                Y[0, u] += q[NORMAL + i] * (there - here)
            for j in range(1, d):
                Y[j, u] = 0.0
                for i in range(3):
                    Y[j, u] += kappa * out[j, i, u] * w[i] + Q[j, i] * H[i, u]
            for i in range(3):
                value = 0.0
                for j in range(d):
                    value += kappa * base[k, j] * out[j, i, u]
                    for r in range(d):
                        value += Q[j, i] * by_place[k, j, r] * Y[r, u]
                Z[i, u] = value
            if bent[k] != 0.0:
                miss, along = Y[0, u], 0.0
                for i in range(3):
                    miss -= Q[0, i] * H[i, u] + kappa * out[0, i, u] * w[i]
                    along += w[i] * H[i, u]
                for i in range(3):
                    Z[i, u] += push[k] * (w[i] * miss / square + bent[k] * (H[i, u] - 2.0 * w[i] * along / square))
            for j in range(d):
                gradient[k, j, u] = Y[j, u]
        for i in range(3):
            f[i] = 0.0
            for j in range(d):
                f[i] += base[k, j] * Q[j, i]
            f[i] += push[k] * bent[k] * w[i]
        for side in range(2):
            body, sign = bodies[k, side], (-1.0 if side == 0 else 1.0)
            at, zeta = (nc, IN_A) if side == 0 else (0, IN_B)
            for u in range(nc):
                for i in range(3):
                    value = left[body, 0, i, u]
                    for j in range(3):
                        value += p[zeta + j] * left[body, 1 + j, i, u]
                    L[i, at + u] = sign * value
                for j in range(3):
                    value = 0.0
                    for i in range(3):
                        value += left[body, 1 + j, i, u] * f[i]
                    G[side, j, at + u] = sign * kappa * value
                    G[1 - side, j, at + u] = 0.0
        for u in range(nu):
            for v in range(nu):
                value = 0.0
                for i in range(3):
                    value += L[i, u] * Z[i, v] + G[0, i, u] * out[3, i, v] + G[1, i, u] * out[4, i, v]
                K[k, u, v] = value


@kernel
def lifts(d, bodies, points, left, out):
    """What the forces along n, e₁, e₂ work on by the unknowns, (n, d, nu); of B, then of A."""
    nc = left.shape[3]
    for k in range(points.shape[0]):
        p = points[k]
        for side in range(2):
            body, sign = bodies[k, side], (-1.0 if side == 0 else 1.0)
            at, zeta = (nc, IN_A) if side == 0 else (0, IN_B)
            for u in range(nc):
                for j in range(d):
                    axis = NORMAL + 3 * j
                    value = 0.0
                    for i in range(3):
                        here = left[body, 0, i, u]
                        for r in range(3):
                            here += p[zeta + r] * left[body, 1 + r, i, u]
                        value += here * p[axis + i]
                    out[k, j, at + u] = sign * value


@kernel
def rates_of_points(d, on, bodies, points, frames, poses, turning, speeds, rate, bend):
    """Rates of gap and slip along n, e₁, e₂ (n, d) of the points `on`, and how they change at constant velocities of the rows.

    speeds: velocities of the rows of all bodies (b, 4, 3).
    """
    changes = np.zeros((2, 4, 3, 1))
    pair_frames, pair_poses, pair_turning = np.empty((2, 4, 3)), np.empty((2, 4, 3)), np.empty((2, 3, 3))
    out = np.empty((9, 3, 1))
    for k in on:
        p = points[k]
        for side in range(2):
            body = bodies[k, side]
            changes[side, :, :, 0] = speeds[body]
            pair_frames[side], pair_poses[side], pair_turning[side] = frames[body], poses[body], turning[body]
        vary(p, pair_frames, pair_poses, pair_turning, changes, out)
        for j in range(d):
            axis = NORMAL + 3 * j
            rate[k, j] = bend[k, j] = 0.0
            for i in range(3):
                apart = out[6, i, 0] - out[5, i, 0]
                sliding = 0.0
                for r in range(3):
                    sliding += out[4, r, 0] * changes[1, 1 + r, i, 0] - out[3, r, 0] * changes[0, 1 + r, i, 0]
                rate[k, j] += p[axis + i] * apart
                bend[k, j] += out[j, i, 0] * apart + p[axis + i] * sliding


@kernel
def scatter_blocks(indptr, indices, values, columns, first, on, K, column, line, own):
    """Add the blocks of some points to a sparse matrix in rows; whether all entries have room there.

    columns (n, nu): unknowns, −1 for none; first: of the multipliers, m of each point. Diagonal entries of `own` (n, m, m) are
    left out.
    """
    nu, m = columns.shape[1], column.shape[2]
    at = np.empty(nu + m, dtype=np.int64)
    for i in range(on.shape[0]):
        k = on[i]
        for u in range(nu):
            at[u] = columns[k, u]
        for u in range(m):
            at[nu + u] = first + k * m + u
        for u in range(nu + m):
            if at[u] < 0:
                continue
            for v in range(nu + m):
                if at[v] < 0 or (u >= nu and u == v):
                    continue
                if u < nu:
                    value = K[k, u, v] if v < nu else column[k, u, v - nu]
                else:
                    value = line[k, u - nu, v] if v < nu else own[k, u - nu, v - nu]
                if value == 0.0:
                    continue
                low, high = indptr[at[u]], indptr[at[u] + 1]
                while low < high:
                    middle = (low + high) // 2
                    if indices[middle] < at[v]:
                        low = middle + 1
                    else:
                        high = middle
                if low == indptr[at[u] + 1] or indices[low] != at[v]:
                    return False
                values[low] += value
    return True
