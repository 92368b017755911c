"""Trees of rigid bodies: where everything is, from the coordinates of their joints.

A body hangs on its parent at a pivot. Its unknowns are the rate of its hinge, or its spin if it hangs on a ball joint (that of
the parent plays no part then), or spin and velocity if it hangs on nothing.

Within a step all is told from its start: D turns a body from where it was there, so that directions, moments and inertia are
D times those of the start. Hinges have an angle from there on, others a quaternion.
"""

from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Integers, Integers2, Numbers, Numbers2, Numbers3, Numbers4, table
from condyle.laws.kernel import kernel
from condyle.system.assembly.maps import row_of, set_row
from condyle.system.assembly.triples import cross, dot, line, minus, plus, scaled, set_line, set_vector, times, vector

HINGE, BALL, LOOSE = 1, 3, 6  # rates of a joint


@table
class Tree(NamedTuple):
    """The bodies of a tree, each after its parent."""

    rows: Integers2  # (bodies, d + 1) place and directors of each
    parent: Integers  # (bodies,) −1: the ground
    kind: Integers  # (bodies,) HINGE, BALL or LOOSE
    place: Integers2  # (bodies, 2) first of its coordinates and of its rates
    link: Integers  # (bodies,) its joint among the links, −1 for none
    square: Integers2  # (bodies, 2) the conditions that hold the axis of a hinge in space, −1 for none
    own: Integers2  # (bodies, 2) which of their two vectors the body carries: 1 if its axis, 0 if what is square to it
    sign: Numbers  # (bodies,) of the body's pivot in the link
    pivot: Numbers2  # (bodies, 3) coordinates of the pivot in the body [m]
    seat: Numbers2  # (bodies, 3) of the same point in the parent, or in space where that is the ground [m]
    axis: Numbers2  # (bodies, 3) axis of the hinge, along the directors of what carries it
    across: Numbers3  # (bodies, 2, 3) what is square to it, along those of the other of the two
    slant: Numbers2  # (bodies, 2) the products of both that the conditions ask for, mostly 0
    mass: Numbers  # (bodies,) [kg]
    moment: Numbers2  # (bodies, 3) first moments about the pivot, along the directors [kg m]
    euler: Numbers3  # (bodies, 3, 3) second moments likewise [kg m²]


@table
class TreeRoom(NamedTuple):
    """Arrays that an evaluation works on."""

    vectors: Numbers3  # (bodies, VECTORS, 3), see the names below
    matrices: Numbers4  # (bodies, MATRICES, 3, 3)


# At the start of a step: seat on the parent from its pivot, first moment, place from the pivot, axis; then, at a stage: seat
# and axis again; pivot and its velocity, spin, rate that the hinge adds; p_τ and p_f; α and a; A n and Bᵀ n of a hinge, and
# n·p_τ with n·A n.
SEAT_0, MOMENT_0, PLACE_0, AXIS_0, SEAT, AXIS, PIVOT, VELOCITY, SPIN, ADDED, P_T, P_F = range(12)
ALPHA, ACCELERATION, U_T, U_F, TORQUE = range(12, 17)
VECTORS = 17
# Inertia at the start; how the body has turned since; A, B, C; the inverse of A of ball joints.
INERTIA_0, TURN, A, B, C, INVERSE = range(6)
MATRICES = 6


@kernel
def start_tree(tree, x, v, room, q, u):
    """Where everything is at the start of a step; fills coordinates q and rates u.

    Returns by how much the joints are open there: gaps [m], and cosines of what should be square.
    """
    V, M, open_by = room.vectors, room.matrices, 0.0
    for i in range(tree.parent.size):
        parent, at, rate = tree.parent[i], tree.place[i, 0], tree.place[i, 1]
        r = row_of(x, tree.rows[i, 0])
        pivot, moment, spin = r, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for k in range(tree.rows.shape[1] - 1):
            d = row_of(x, tree.rows[i, k + 1])
            pivot, moment = plus(pivot, scaled(tree.pivot[i, k], d)), plus(moment, scaled(tree.moment[i, k], d))
            spin = plus(spin, scaled(0.5, cross(d, row_of(v, tree.rows[i, k + 1]))))
        _start_inertia(tree, i, x, M)
        set_vector(V, i, PIVOT, pivot)
        set_vector(V, i, MOMENT_0, moment)
        set_vector(V, i, SPIN, spin)
        set_vector(V, i, PLACE_0, minus(r, pivot))
        seat = pivot
        if tree.link[i] >= 0:
            seat = along(tree, parent, x, (tree.seat[i, 0], tree.seat[i, 1], tree.seat[i, 2]))
            seat = plus(seat, row_of(x, tree.rows[parent, 0])) if parent >= 0 else seat
            gap = minus(pivot, seat)
            open_by = max(open_by, abs(gap[0]), abs(gap[1]), abs(gap[2]))
        set_vector(V, i, SEAT_0, minus(seat, vector(V, parent, PIVOT)) if parent >= 0 else seat)
        if tree.kind[i] == HINGE:
            axis = (0.0, 0.0, 1.0)
            if tree.square[i, 0] >= 0:
                carrier, other = (i, parent) if tree.own[i, 0] == 1 else (parent, i)
                axis = along(tree, carrier, x, (tree.axis[i, 0], tree.axis[i, 1], tree.axis[i, 2]))
                for k in range(2):
                    across = (tree.across[i, k, 0], tree.across[i, k, 1], tree.across[i, k, 2])
                    open_by = max(open_by, abs(dot(along(tree, other, x, across), axis) - tree.slant[i, k]))
            axis = scaled(1.0 / np.sqrt(dot(axis, axis)), axis)
            set_vector(V, i, AXIS_0, axis)
            q[at] = 0.0
            u[rate] = dot(axis, minus(spin, vector(V, parent, SPIN)) if parent >= 0 else spin)
        else:
            q[at] = 1.0
            speed = row_of(v, tree.rows[i, 0])
            for a in range(3):
                q[at + 1 + a] = 0.0
                u[rate + a] = spin[a]
                if tree.kind[i] == LOOSE:
                    q[at + 4 + a], u[rate + 3 + a] = pivot[a], speed[a]
    return open_by


@kernel(forceinline=True)
def along(tree, i, x, a):
    """Σ a_k d_k with the directors of body i; of the ground, −1, a itself."""
    if i < 0:
        return a
    found = scaled(a[0], row_of(x, tree.rows[i, 1]))
    for k in range(1, tree.rows.shape[1] - 1):
        found = plus(found, scaled(a[k], row_of(x, tree.rows[i, k + 1])))
    return found


@kernel(forceinline=True)
def _start_inertia(tree, i, x, M):
    """I = tr(E) 1 − E in world axes, with the second moments E about the pivot."""
    xx = xy = xz = yy = yz = zz = 0.0
    for k in range(tree.rows.shape[1] - 1):
        d, e = row_of(x, tree.rows[i, k + 1]), (0.0, 0.0, 0.0)
        for m in range(tree.rows.shape[1] - 1):
            e = plus(e, scaled(tree.euler[i, k, m], row_of(x, tree.rows[i, m + 1])))
        xx, xy, xz = xx + d[0] * e[0], xy + d[0] * e[1], xz + d[0] * e[2]
        yy, yz, zz = yy + d[1] * e[1], yz + d[1] * e[2], zz + d[2] * e[2]
    set_line(M, i, INERTIA_0, 0, (yy + zz, -xy, -xz))
    set_line(M, i, INERTIA_0, 1, (-xy, xx + zz, -yz))
    set_line(M, i, INERTIA_0, 2, (-xz, -yz, xx + yy))


@kernel
def place_tree(tree, x0, q, u, room, x, v, rates):
    """Rows x at coordinates q and rates u of a stage, and v, their rates; `rates` (coordinates): q̇."""
    V, M = room.vectors, room.matrices
    for i in range(tree.parent.size):
        parent, at, rate = tree.parent[i], tree.place[i, 0], tree.place[i, 1]
        seat = vector(V, i, SEAT_0)
        pivot, velocity, spin = seat, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            seat, spin = times(M, parent, TURN, seat), vector(V, parent, SPIN)
            pivot = plus(vector(V, parent, PIVOT), seat)
            velocity = plus(vector(V, parent, VELOCITY), cross(spin, seat))
        if tree.kind[i] == HINGE:
            rates[at] = u[rate]
            n = vector(V, i, AXIS_0)
            _turn_about(i, parent, n, np.sin(q[at]), np.cos(q[at]), M)
            n = times(M, parent, TURN, n) if parent >= 0 else n
            added = scaled(u[rate], n)
            spin = plus(spin, added)
            set_vector(V, i, AXIS, n)
            set_vector(V, i, ADDED, added)
        else:
            _turn_by(i, q[at], q[at + 1], q[at + 2], q[at + 3], M)
            w, q0, q1 = (u[rate], u[rate + 1], u[rate + 2]), q[at], (q[at + 1], q[at + 2], q[at + 3])
            spin, turned = w, plus(scaled(q0, w), cross(w, q1))  # q̇ = ½ ω q, ω in world axes
            rates[at] = -0.5 * dot(w, q1)
            for a in range(3):
                rates[at + 1 + a] = 0.5 * turned[a]
            if tree.kind[i] == LOOSE:
                pivot, velocity = (q[at + 4], q[at + 5], q[at + 6]), (u[rate + 3], u[rate + 4], u[rate + 5])
                for a in range(3):
                    rates[at + 4 + a] = velocity[a]
        set_vector(V, i, SEAT, seat)
        set_vector(V, i, PIVOT, pivot)
        set_vector(V, i, VELOCITY, velocity)
        set_vector(V, i, SPIN, spin)
        for k in range(tree.rows.shape[1]):
            row = tree.rows[i, k]
            d = times(M, i, TURN, row_of(x0, row) if k else vector(V, i, PLACE_0))
            moves = cross(spin, d)
            if k == 0:
                d, moves = plus(pivot, d), plus(velocity, moves)
            set_row(x, row, d[0], d[1], d[2])
            set_row(v, row, moves[0], moves[1], moves[2])


@kernel(forceinline=True)
def _turn_about(i, parent, n, s, c, M):
    """D = D_parent (c 1 + s S(n) + (1 − c) n nᵀ)."""
    b = scaled(1.0 - c, n)
    t0 = (c + b[0] * n[0], b[0] * n[1] - s * n[2], b[0] * n[2] + s * n[1])
    t1 = (b[1] * n[0] + s * n[2], c + b[1] * n[1], b[1] * n[2] - s * n[0])
    t2 = (b[2] * n[0] - s * n[1], b[2] * n[1] + s * n[0], c + b[2] * n[2])
    if parent >= 0:
        for a in range(3):
            d = line(M, parent, TURN, a)
            set_line(M, i, TURN, a, plus(plus(scaled(d[0], t0), scaled(d[1], t1)), scaled(d[2], t2)))
    else:
        set_line(M, i, TURN, 0, t0)
        set_line(M, i, TURN, 1, t1)
        set_line(M, i, TURN, 2, t2)


@kernel(forceinline=True)
def _turn_by(i, w, x, y, z, M):
    """D of a quaternion, which need not be of length 1."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    set_line(M, i, TURN, 0, (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)))
    set_line(M, i, TURN, 1, (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)))
    set_line(M, i, TURN, 2, (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)))
