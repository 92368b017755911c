"""Points where two rigid shapes meet, in the equations: forces on the rows of both bodies, and how all of it changes.

The shapes A and B have the gap g and the normal n, from A to B, at the common point c, halfway between their closest points.
Both forces act there, so that they have no moment. c has the coordinates ζ in each body, r + Σ ζ_i d_i = c, and the weights ω
= (1, ζ) of B, −(1, ζ) of A on their rows make w = Σ ω x, how far the material points at c have come apart; δg = n·Σ ω δx. As
bodies move, n turns and c moves over both of them. With the velocities v of the bodies at c, their rotations δθ, a = δθ × n
and the matrices C of geometry/spread.py, all in the tangent plane,

    (C_A + C_B) δn = v_B − v_A + C_A a_A + C_B a_B,
    δc − v_A = C_A (δn − a_A) + ½ δg n,      δc − v_B = −C_B (δn − a_B) − ½ δg n.

Where an edge t_A of a flat side crosses an edge t_B of another, seen along n, n turns with the side it belongs to, and c runs
along both edges:

    δc − v_A − ½ g (δn − a_A) along t_A,     δc − v_B + ½ g (δn − a_B) along t_B.

e₁ follows a vector of A, e₂ = n × e₁. Slip is the way s = Σ ω (x1 − x0) of the material points that meet at the test
configuration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.geometry.touching import (
    FIRST,
    GAP,
    HELD,
    IN_A,
    IN_B,
    LEAN,
    NORMAL,
    POINT,
    SECOND,
    SPREAD_A,
    SPREAD_B,
    STEEP,
    cofactors,
)
from condyle.geometry.vectors import cross, dot
from condyle.laws.columns import Numbers2, Numbers3, Numbers4, table
from condyle.laws.kernel import kernel
from condyle.system.touching.entries import place_of


@table
class Sides(NamedTuple):
    """Room for one point: its two bodies A and B, how their rows change by nu unknowns, and what follows from that."""

    frames: Numbers3  # (2, 4, 3)
    poses: Numbers3  # (2, 4, 3)
    turning: Numbers3  # (2, 3, 3)
    inverse: Numbers3  # (2, 3, 3)
    left: Numbers4  # (2, 4, 3, nu) at the test configuration
    right: Numbers4  # (2, 4, 3, nu) at the end
    speeds: Numbers4  # (2, 4, 3, 1)
    varied: Numbers3  # (9, 3, nu)
    varied_once: Numbers3  # (9, 3, 1)
    lines: Numbers3  # (5, 3, nu)
    gradient: Numbers2  # (3, nu)
    stiffness: Numbers2  # (nu, nu)
    small: Numbers3  # (7, 2, 3)


def make_sides(nu: int) -> Sides:
    """Room for points with nu unknowns."""
    zeros = np.zeros
    return Sides(
        zeros((2, 4, 3)), zeros((2, 4, 3)), zeros((2, 3, 3)), zeros((2, 3, 3)), zeros((2, 4, 3, nu)), zeros((2, 4, 3, nu)),
        zeros((2, 4, 3, 1)), zeros((9, 3, nu)), zeros((9, 3, 1)), zeros((5, 3, nu)), zeros((3, nu)), zeros((nu, nu)),
        zeros((7, 2, 3)),
    )  # fmt: skip


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
def vary(point, sides, changes, out):
    """How a contact point changes with its bodies, by nu parameters each.

    sides: A and B, see `Sides`; changes of their rows (2, 4, 3, nu). out (9, 3, nu): δn, δe₁, δe₂, then of A and B δζ,
    Σ (1, ζ) δx, and δθ.
    """
    nu, poses = changes.shape[3], sides.poses
    n, e1, e2 = point[NORMAL : NORMAL + 3], point[FIRST : FIRST + 3], point[SECOND : SECOND + 3]
    arms, velocity, moved, inverse = sides.small[0], sides.small[1], sides.small[2], sides.inverse
    turn, held = sides.small[3], int(point[HELD])
    away = 0.5 * point[GAP] if held == 1 else -0.5 * point[GAP]
    for side in range(2):
        _turned(poses[side], sides.turning[side], changes[side], nu, out[7 + side])
        for k in range(3):
            arms[side, k] = point[POINT + k] - poses[side, 0, k]
        cofactors(sides.frames[side, 1:], inverse[side])
        f = sides.frames[side]
        det = f[1, 0] * inverse[side, 0, 0] + f[1, 1] * inverse[side, 0, 1] + f[1, 2] * inverse[side, 0, 2]
        for i in range(3):
            for k in range(3):
                inverse[side, i, k] /= det
    a11, a12, a22 = point[SPREAD_A], point[SPREAD_A + 1], point[SPREAD_A + 2]
    b11, b12, b22 = point[SPREAD_B], point[SPREAD_B + 1], point[SPREAD_B + 2]
    s11, s12, s22 = a11 + b11, a12 + b12, a22 + b22
    det = s11 * s22 - s12 * s12
    i11, i12, i22 = s22 / det, -s12 / det, s11 / det
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
        rise = o1 = o2 = 0.0
        if held > 0:  # the normal is that of a side, and c is over an edge of the other that is half a gap off
            o1, o2, d1, d2 = away * d1, away * d2, 0.0, 0.0
            v1, v2 = v1 + o1, v2 + o2
            rise = point[STEEP] * v1 + point[STEEP + 1] * v2
            rise = 0.5 * rise if held == 1 else -0.5 * rise
        p1, p2 = v1 + b11 * d1 + b12 * d2, v2 + b12 * d1 + b22 * d2
        q1, q2 = v1 - a11 * d1 - a12 * d2, v2 - a12 * d1 - a22 * d2
        p1, p2 = i11 * p1 + i12 * p2, i12 * p1 + i22 * p2
        q1, q2 = i11 * q1 + i12 * q2, i12 * q1 + i22 * q2
        n1, n2 = (turn[0, 0] + p1, turn[0, 1] + p2) if a11 + a22 > b11 + b22 else (turn[1, 0] + q1, turn[1, 1] + q2)
        if held > 0:
            n1, n2 = turn[held - 1, 0], turn[held - 1, 1]
        f1, f2 = a11 * p1 + a12 * p2, a12 * p1 + a22 * p2
        g1, g2 = -(b11 * q1 + b12 * q2), -(b12 * q1 + b22 * q2)
        if held == 1:
            g1, g2 = g1 + o1, g2 + o2
        elif held == 2:
            f1, f2 = f1 - o1, f2 - o2
        across = p2 if held == 0 else n2 - turn[0, 1]
        lean = dot(n[0], n[1], n[2], out[7, 0, u], out[7, 1, u], out[7, 2, u]) - point[LEAN] * across
        for k in range(3):
            out[0, k, u] = n1 * e1[k] + n2 * e2[k]
            out[1, k, u] = -n1 * n[k] + lean * e2[k]
            out[2, k, u] = -n2 * n[k] - lean * e1[k]
            moved[0, k] = velocity[0, k] + f1 * e1[k] + f2 * e2[k] + (rise + 0.5 * gap) * n[k]
            moved[1, k] = velocity[1, k] + g1 * e1[k] + g2 * e2[k] + (rise - 0.5 * gap) * n[k]
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
    """`body_changes` of bodies, (b, 4, 3, nc)."""
    for b in range(rows.shape[0]):
        body_changes(x, rows[b], kind[b], whole, 0, out[b])


@kernel
def body_changes(x, rows, kind, whole, first, out):
    """Changes of the rows of a body by its unknowns (4, 3, …), from the column `first` on; 0 in all others.

    Places change by their own, directors by δθ, or by their own. whole: directors have unknowns of their own, 0 if none has;
    FREE rows 0, DIRECTOR rows 1, others do not move.
    """
    d = x.shape[1]
    for k in range(4):
        for a in range(3):
            for u in range(out.shape[2]):
                out[k, a, u] = 0.0
    for k in range(d + 1):
        row = rows[k]
        if kind[k] == 0:
            at = first + (k * d if whole or k == 0 else 0)
            for a in range(d):
                out[k, a, at + a] = 1.0
        elif kind[k] == 1:
            at = first + (k * d if whole else d)
            if d == 2:
                out[k, 0, at], out[k, 1, at] = -x[row, 1], x[row, 0]
            else:
                y0, y1, y2 = x[row, 0], x[row, 1], x[row, 2]
                out[k, 0, at + 1], out[k, 0, at + 2] = y2, -y1
                out[k, 1, at + 2], out[k, 1, at] = y0, -y2
                out[k, 2, at], out[k, 2, at + 1] = y1, -y0


@kernel
def take_sides(sides, bodies, frames, poses, turning):
    """Put the two bodies of a point into `sides`."""
    for side in range(2):
        b = bodies[side]
        for k in range(4):
            for a in range(3):
                sides.frames[side, k, a], sides.poses[side, k, a] = frames[b, k, a], poses[b, k, a]
        for k in range(3):
            for a in range(3):
                sides.turning[side, k, a] = turning[b, k, a]


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
    d, bodies, test, end, frames, poses, turning, back, ahead, left, right, kappa, base, by_place, push, bent, on, sides,
    gradient, K,
):  # fmt: skip
    """The matrix of some points (K, (n, nu, nu)), and ∂(g, s)/∂(unknowns) (gradient, (n, d, nu)). Unknowns: of B, then of A.

    test, end: the points at the test configuration and at the end of the step; frames, poses, turning of all bodies at the test
    configuration; back, ahead: frames at both ends of the step; left, right: `row_changes` at test and end; kappa: what the
    test configuration moves when the end does; base: forces F (n, d) along n, e₁, e₂; by_place: ∂F/∂(g, s); push, bent: of the
    discrete gradient, force σ κ w with σ and κ (n,). on: which points; sides: room.
    """
    nc = right.shape[3]
    for m in range(on.shape[0]):
        k = on[m]
        take_sides(sides, bodies[k], frames, poses, turning)
        for side in range(2):
            body, at = bodies[k, side], nc if side == 0 else 0
            for r in range(4):
                for i in range(3):
                    for u in range(nc):
                        sides.left[side, r, i, at + u] = left[body, r, i, u]
                        sides.right[side, r, i, at + u] = right[body, r, i, u]
        a, b = bodies[k, 0], bodies[k, 1]
        point_stiffness(
            d, test[k], end[k], sides, (back[a], back[b]), (ahead[a], ahead[b]), kappa, base[k], by_place[k], push[k], bent[k]
        )  # fmt: skip
        for u in range(2 * nc):
            for j in range(d):
                gradient[k, j, u] = sides.gradient[j, u]
            for v in range(2 * nc):
                K[k, u, v] = sides.stiffness[u, v]


@kernel
def point_stiffness(d, p, q, sides, back, ahead, kappa, base, by_place, push, bent):
    """Of one point, in `sides`: its matrix (`stiffness`), ∂(g, s)/∂(unknowns) (`gradient`) and what F in the world works on.

    Bodies and changes of their rows are in `sides`; back, ahead: frames of A and B at both ends of the step. Else as above.
    """
    out, right, left = sides.varied, sides.right, sides.left
    nu = right.shape[3]
    vary(p, sides, right, out)
    H, Z, L, Y = sides.lines[0], sides.lines[1], sides.lines[2], sides.gradient
    G, w, f = sides.lines[3:5], sides.small[4, 0], sides.small[4, 1]
    way(p, back[0], ahead[0], back[1], ahead[1], w)
    square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    w0, w1, w2 = w[0], w[1], w[2]
    point_lifts(q, right, L)
    y0 = q[NORMAL] + q[STEEP] * q[FIRST] + q[STEEP + 1] * q[SECOND]
    y1 = q[NORMAL + 1] + q[STEEP] * q[FIRST + 1] + q[STEEP + 1] * q[SECOND + 1]
    y2 = q[NORMAL + 2] + q[STEEP] * q[FIRST + 2] + q[STEEP + 1] * q[SECOND + 2]
    for u in range(nu):
        Y[0, u] = y0 * L[0, u] + y1 * L[1, u] + y2 * L[2, u]
    if q[HELD] > 0.0:
        away = 0.5 * q[GAP] if q[HELD] == 1.0 else -0.5 * q[GAP]
        for i in range(3):
            about = away * (q[STEEP] * q[SECOND + i] - q[STEEP + 1] * q[FIRST + i])
            for u in range(nu):
                Y[0, u] += about * (out[8, i, u] - out[7, i, u])
    A0, A1, A2, B0, B1, B2 = out[3, 0], out[3, 1], out[3, 2], out[4, 0], out[4, 1], out[4, 2]
    for i in range(3):
        row, of_a, of_b = H[i], out[5, i], out[6, i]
        a0, a1, a2 = _ways(kappa, back[0], ahead[0], i)
        b0, b1, b2 = _ways(kappa, back[1], ahead[1], i)
        for u in range(nu):
            row[u] = of_b[u] + b0 * B0[u] + b1 * B1[u] + b2 * B2[u] - of_a[u] - a0 * A0[u] - a1 * A1[u] - a2 * A2[u]
    H0, H1, H2 = H[0], H[1], H[2]
    for j in range(1, d):
        row, e, turned = Y[j], p[NORMAL + 3 * j : NORMAL + 3 * j + 3], out[j]
        for u in range(nu):
            row[u] = (
                kappa * (w0 * turned[0, u] + w1 * turned[1, u] + w2 * turned[2, u])
                + e[0] * H0[u] + e[1] * H1[u] + e[2] * H2[u]
            )  # fmt: skip
    for i in range(3):
        row = Z[i]
        for u in range(nu):
            row[u] = 0.0
        for j in range(d):
            turned, press, of = out[j, i], 0.0, Y[j]
            for r in range(d):
                press += p[NORMAL + 3 * r + i] * by_place[r, j]
            for u in range(nu):
                row[u] += kappa * base[j] * turned[u] + press * of[u]
    if bent != 0.0:
        for u in range(nu):
            miss, along = Y[0, u], 0.0
            for i in range(3):
                miss -= p[NORMAL + i] * H[i, u] + kappa * out[0, i, u] * w[i]
                along += w[i] * H[i, u]
            for i in range(3):
                Z[i, u] += push * (w[i] * miss / square + bent * (H[i, u] - 2.0 * w[i] * along / square))
    for i in range(3):
        f[i] = push * bent * w[i]
        for j in range(d):
            f[i] += base[j] * p[NORMAL + 3 * j + i]
    point_lifts(p, left, L)
    for side in range(2):
        sign = -1.0 if side == 0 else 1.0
        for j in range(3):
            row, change = G[side, j], left[side, 1 + j]
            for u in range(nu):
                row[u] = sign * kappa * (f[0] * change[0, u] + f[1] * change[1, u] + f[2] * change[2, u])
    Z0, Z1, Z2 = Z[0], Z[1], Z[2]
    for u in range(nu):
        side = 0 if G[0, 0, u] != 0.0 or G[0, 1, u] != 0.0 or G[0, 2, u] != 0.0 else 1  # an unknown is of one body
        row, Y0, Y1, Y2 = sides.stiffness[u], out[3 + side, 0], out[3 + side, 1], out[3 + side, 2]
        l0, l1, l2, g0, g1, g2 = L[0, u], L[1, u], L[2, u], G[side, 0, u], G[side, 1, u], G[side, 2, u]
        for v in range(nu):
            row[v] = l0 * Z0[v] + l1 * Z1[v] + l2 * Z2[v] + g0 * Y0[v] + g1 * Y1[v] + g2 * Y2[v]


@kernel
def _ways(kappa, back, ahead, i):
    """Component i of the ways of the three directors of a frame, times κ."""
    return (
        kappa * (ahead[1, i] - back[1, i]), kappa * (ahead[2, i] - back[2, i]), kappa * (ahead[3, i] - back[3, i])
    )  # fmt: skip


@kernel
def point_lifts(p, left, out):
    """How far the material points at a point move apart by the unknowns (3, nu); left: changes of rows (2, 4, 3, nu)."""
    A, B = left[0], left[1]
    a0, a1, a2, b0, b1, b2 = p[IN_A], p[IN_A + 1], p[IN_A + 2], p[IN_B], p[IN_B + 1], p[IN_B + 2]
    for i in range(3):
        row = out[i]
        for u in range(row.size):
            value = B[0, i, u] + b0 * B[1, i, u] + b1 * B[2, i, u] + b2 * B[3, i, u]
            row[u] = value - A[0, i, u] - a0 * A[1, i, u] - a1 * A[2, i, u] - a2 * A[3, i, u]


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
def rates_of_points(d, on, bodies, points, frames, poses, turning, speeds, sides, rate, bend):
    """Rates of gap and slip along n, e₁, e₂ (n, d) of the points `on`, and how they change at constant velocities of the rows.

    speeds: velocities of the rows of all bodies (b, 4, 3); sides: room.
    """
    for k in on:
        take_sides(sides, bodies[k], frames, poses, turning)
        for side in range(2):
            for r in range(4):
                for i in range(3):
                    sides.speeds[side, r, i, 0] = speeds[bodies[k, side], r, i]
        point_rates(d, points[k], sides, rate[k], bend[k])


@kernel
def point_rates(d, p, sides, rate, bend):
    """Of one point, with bodies and velocities of their rows in `sides`."""
    out, speeds = sides.varied_once, sides.speeds
    vary(p, sides, speeds, out)
    for j in range(d):
        axis = NORMAL + 3 * j
        rate[j] = bend[j] = 0.0
        for i in range(3):
            apart = out[6, i, 0] - out[5, i, 0]
            sliding = 0.0
            for r in range(3):
                sliding += out[4, r, 0] * speeds[1, 1 + r, i, 0] - out[3, r, 0] * speeds[0, 1 + r, i, 0]
            rate[j] += p[axis + i] * apart
            bend[j] += out[j, i, 0] * apart + p[axis + i] * sliding


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
                place = place_of(at[v], indices, indptr[at[u]], indptr[at[u] + 1])
                if place < 0:
                    return False
                values[place] += value
    return True
