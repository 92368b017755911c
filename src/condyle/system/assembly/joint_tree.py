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
from condyle.system.assembly.places import gather

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
    own: Integers2  # (bodies, 2) which of their two vectors the body carries
    sign: Numbers  # (bodies,) of the body's pivot in the link
    pivot: Numbers2  # (bodies, 3) coordinates of the pivot in the body [m]
    mass: Numbers  # (bodies,) [kg]
    moment: Numbers2  # (bodies, 3) first moments about the pivot, along the directors [kg m]
    euler: Numbers3  # (bodies, 3, 3) second moments likewise [kg m²]


@table
class TreeRoom(NamedTuple):
    """Arrays that an evaluation works on."""

    vectors: Numbers3  # (bodies, VECTORS, 3), see the names below
    matrices: Numbers4  # (bodies, MATRICES, 3, 3)


# At the start of a step: seat on the parent from its pivot, first moment, place from the pivot, axis; then, at a stage: seat,
# moment and axis again; pivot and its velocity, spin, rate that the hinge adds; p_τ and p_f; α and a; τ and f of the joint.
SEAT_0, MOMENT_0, PLACE_0, AXIS_0, SEAT, MOMENT, AXIS, PIVOT, VELOCITY, SPIN, ADDED, P_T, P_F = range(13)
ALPHA, ACCELERATION, U_T, U_F, TORQUE, FORCE = range(13, 19)
VECTORS = 19
# Inertia at the start; how the body has turned since; A, B, C; the inverse of A of ball joints.
INERTIA_0, TURN, A, B, C, INVERSE = range(6)
MATRICES = 6


@kernel(forceinline=True)
def cross(a, b, out):
    """out = a × b."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@kernel(forceinline=True)
def add_cross(a, b, out):
    """out += a × b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@kernel(forceinline=True)
def times(m, a, out):
    """out = M a."""
    x = m[0, 0] * a[0] + m[0, 1] * a[1] + m[0, 2] * a[2]
    y = m[1, 0] * a[0] + m[1, 1] * a[1] + m[1, 2] * a[2]
    z = m[2, 0] * a[0] + m[2, 1] * a[1] + m[2, 2] * a[2]
    out[0], out[1], out[2] = x, y, z


@kernel(forceinline=True)
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def start_tree(tree, links, constraints, x, v, room, q, u, gap):
    """Where everything is at the start of a step; fills coordinates q and rates u. gap: room for gathered vectors (·, d)."""
    for i in range(tree.parent.size):
        vec, mat, parent = room.vectors[i], room.matrices[i], tree.parent[i]
        r0, r1, r2 = row_of(x, tree.rows[i, 0])
        here, s = vec[PIVOT], vec[MOMENT_0]
        here[0], here[1], here[2] = r0, r1, r2
        s[:] = 0.0
        spin = vec[SPIN]
        spin[:] = 0.0
        E = mat[INERTIA_0]
        E[:] = 0.0
        for k in range(tree.rows.shape[1] - 1):
            d0, d1, d2 = row_of(x, tree.rows[i, k + 1])
            w0, w1, w2 = row_of(v, tree.rows[i, k + 1])
            rho, moment = tree.pivot[i, k], tree.moment[i, k]
            here[0] += rho * d0
            here[1] += rho * d1
            here[2] += rho * d2
            s[0] += moment * d0
            s[1] += moment * d1
            s[2] += moment * d2
            spin[0] += 0.5 * (d1 * w2 - d2 * w1)
            spin[1] += 0.5 * (d2 * w0 - d0 * w2)
            spin[2] += 0.5 * (d0 * w1 - d1 * w0)
            for m in range(tree.rows.shape[1] - 1):
                e, (g0, g1, g2) = tree.euler[i, k, m], row_of(x, tree.rows[i, m + 1])
                E[0, 0] += e * d0 * g0
                E[0, 1] += e * d0 * g1
                E[0, 2] += e * d0 * g2
                E[1, 1] += e * d1 * g1
                E[1, 2] += e * d1 * g2
                E[2, 2] += e * d2 * g2
        xx, yy, zz = E[0, 0], E[1, 1], E[2, 2]
        E[0, 0], E[1, 1], E[2, 2] = yy + zz, xx + zz, xx + yy
        E[0, 1], E[0, 2], E[1, 2] = -E[0, 1], -E[0, 2], -E[1, 2]
        E[1, 0], E[2, 0], E[2, 1] = E[0, 1], E[0, 2], E[1, 2]
        vec[PLACE_0, 0], vec[PLACE_0, 1], vec[PLACE_0, 2] = r0 - here[0], r1 - here[1], r2 - here[2]
        seat = vec[SEAT_0]
        for a in range(3):
            seat[a] = here[a]
        if tree.link[i] >= 0:
            gather(links, tree.link[i], links.point_start[tree.link[i]], x, gap)
            for a in range(x.shape[1]):
                seat[a] -= tree.sign[i] * gap[0, a]
        if parent >= 0:
            for a in range(3):
                seat[a] -= room.vectors[parent, PIVOT, a]
        at, rate = tree.place[i, 0], tree.place[i, 1]
        if tree.kind[i] == HINGE:
            axis = vec[AXIS_0]
            axis[0], axis[1], axis[2] = 0.0, 0.0, 1.0
            if tree.square[i, 0] >= 0:
                gather(constraints, tree.square[i, 0], constraints.point_start[tree.square[i, 0]], x, gap)
                size = np.sqrt(gap[1, 0] ** 2 + gap[1, 1] ** 2 + gap[1, 2] ** 2)
                for a in range(3):
                    axis[a] = gap[1, a] / size
            q[at] = 0.0
            u[rate] = dot(axis, spin) - (dot(axis, room.vectors[parent, SPIN]) if parent >= 0 else 0.0)
        else:
            q[at] = 1.0
            q[at + 1] = q[at + 2] = q[at + 3] = 0.0
            for a in range(3):
                u[rate + a] = spin[a]
            if tree.kind[i] == LOOSE:
                v0, v1, v2 = row_of(v, tree.rows[i, 0])
                q[at + 4], q[at + 5], q[at + 6] = here[0], here[1], here[2]
                u[rate + 3], u[rate + 4], u[rate + 5] = v0, v1, v2


@kernel
def place_tree(tree, x0, q, u, room, x, v, rates):
    """Rows x at coordinates q and rates u of a stage, and v, their rates; `rates` (coordinates): q̇."""
    for i in range(tree.parent.size):
        vec, mat, parent = room.vectors[i], room.matrices[i], tree.parent[i]
        turn, spin, pivot, velocity = mat[TURN], vec[SPIN], vec[PIVOT], vec[VELOCITY]
        at, rate = tree.place[i, 0], tree.place[i, 1]
        above, here = room.vectors[max(parent, 0)], room.matrices[max(parent, 0), TURN]
        if parent >= 0:
            times(here, vec[SEAT_0], vec[SEAT])
            for a in range(3):
                pivot[a] = above[PIVOT, a] + vec[SEAT, a]
                velocity[a] = above[VELOCITY, a]
            add_cross(above[SPIN], vec[SEAT], velocity)
        else:
            for a in range(3):
                vec[SEAT, a] = pivot[a] = vec[SEAT_0, a]
                velocity[a] = 0.0
        if tree.kind[i] == HINGE:
            n, added = vec[AXIS], vec[ADDED]
            rates[at] = u[rate]
            s, c = np.sin(q[at]), np.cos(q[at])
            o = vec[AXIS_0]
            # D = D_parent (c 1 + s S(n) + (1 − c) n nᵀ)
            b = 1.0 - c
            t00, t01, t02 = c + b * o[0] * o[0], b * o[0] * o[1] - s * o[2], b * o[0] * o[2] + s * o[1]
            t10, t11, t12 = b * o[1] * o[0] + s * o[2], c + b * o[1] * o[1], b * o[1] * o[2] - s * o[0]
            t20, t21, t22 = b * o[2] * o[0] - s * o[1], b * o[2] * o[1] + s * o[0], c + b * o[2] * o[2]
            if parent >= 0:
                times(here, o, n)
                for a in range(3):
                    h0, h1, h2 = here[a, 0], here[a, 1], here[a, 2]
                    turn[a, 0] = h0 * t00 + h1 * t10 + h2 * t20
                    turn[a, 1] = h0 * t01 + h1 * t11 + h2 * t21
                    turn[a, 2] = h0 * t02 + h1 * t12 + h2 * t22
                    spin[a] = above[SPIN, a] + n[a] * u[rate]
                    added[a] = n[a] * u[rate]
            else:
                turn[0, 0], turn[0, 1], turn[0, 2] = t00, t01, t02
                turn[1, 0], turn[1, 1], turn[1, 2] = t10, t11, t12
                turn[2, 0], turn[2, 1], turn[2, 2] = t20, t21, t22
                for a in range(3):
                    n[a] = o[a]
                    spin[a] = added[a] = n[a] * u[rate]
        else:
            _turn_by(q[at : at + 4], turn)
            w = u[rate : rate + 3]
            for a in range(3):
                spin[a] = w[a]
            _quaternion_rate(q[at : at + 4], w, rates[at : at + 4])
            if tree.kind[i] == LOOSE:
                for a in range(3):
                    pivot[a], velocity[a] = q[at + 4 + a], u[rate + 3 + a]
                    rates[at + 4 + a] = u[rate + 3 + a]
        _place_rows(tree, i, x0, vec, turn, x, v)


@kernel(forceinline=True)
def _turn_by(q, turn):
    """The rotation of a quaternion, which need not be of length 1."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    turn[0, 0], turn[0, 1], turn[0, 2] = 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    turn[1, 0], turn[1, 1], turn[1, 2] = s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)
    turn[2, 0], turn[2, 1], turn[2, 2] = s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)


@kernel(forceinline=True)
def _quaternion_rate(q, w, out):
    """q̇ = ½ ω q with ω in world axes."""
    out[0] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3])
    out[1] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2])
    out[2] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3])
    out[3] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1])


@kernel(forceinline=True)
def _place_rows(tree, i, x0, vec, turn, x, v):
    pivot, w = vec[PIVOT], vec[SPIN]
    for k in range(tree.rows.shape[1]):
        row = tree.rows[i, k]
        e0, e1, e2 = row_of(x0, row) if k else (vec[PLACE_0, 0], vec[PLACE_0, 1], vec[PLACE_0, 2])
        d0 = turn[0, 0] * e0 + turn[0, 1] * e1 + turn[0, 2] * e2
        d1 = turn[1, 0] * e0 + turn[1, 1] * e1 + turn[1, 2] * e2
        d2 = turn[2, 0] * e0 + turn[2, 1] * e1 + turn[2, 2] * e2
        v0, v1, v2 = w[1] * d2 - w[2] * d1, w[2] * d0 - w[0] * d2, w[0] * d1 - w[1] * d0
        if k == 0:
            u = vec[VELOCITY]
            d0, d1, d2 = d0 + pivot[0], d1 + pivot[1], d2 + pivot[2]
            v0, v1, v2 = v0 + u[0], v1 + u[1], v2 + u[2]
        set_row(x, row, d0, d1, d2)
        set_row(v, row, v0, v1, v2)
