"""What a step of a tree of rigid bodies begins with, and its momenta; the equations are in `tree_balance.py`."""

from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Numbers2, Numbers3, Numbers4, table
from condyle.laws.kernel import kernel
from condyle.system.assembly.joint_tree import HINGE, along
from condyle.system.assembly.maps import row_of
from condyle.system.assembly.triples import cross, dot, minus, plus, scaled, set_line, set_vector, spanned, vector


@table
class StepRoom(NamedTuple):
    """Arrays that a step of a tree works on."""

    vectors: Numbers3  # (bodies, VECTORS, 3), see the names below
    matrices: Numbers4  # (bodies, MATRICES, 3, 3)
    sizes: Numbers2  # (bodies, SIZES)


# At the start of a step: pivot, its lever from the place of the body and its arm from the pivot of the parent, axis and what is
# square to it, what the joint is open by, first moment H, velocity of the pivot, twice the momentum, with loads.
PIVOT, LEVER_0, ARM_0, AXIS_0, ACROSS, ACROSS_2, GAP, SLIP, MOMENT_0, VELOCITY, MOMENTUM = range(11)
# At an iterate: Cayley vector of the body and step of its place; how its pivot moves and is accelerated, mean first moment;
# lever at the end, arm and axis at mid-step and at the end; moment about the pivot and force of the body with all that hangs on
# it; shift and turn that would close its joint.
TURN, STEP, SHIFT, ACCELERATION, MOMENT, LEVER_1, ARM, ARM_1, AXIS, AXIS_1 = range(11, 21)
TORQUE, FORCE, CLOSING, ALIGNING = range(21, 25)
# In Newton's method: what is left of force and moment; columns and lines of a hinge, and the part of its axis in them; the
# correction: turn, shift of the pivot, step of the place; the iterate that it starts from; arms and axes of the matrix at hand.
PUSH, TWIST, COLUMN, COLUMN_F, LINE, LINE_F, LEAN, TURNS, MOVES, STEPS, TURN_OLD, STEP_OLD = range(25, 37)
USED_ARM, USED_ARM_1, USED_AXIS, USED_AXIS_1 = range(37, 41)
# How the moment of laws about a hinge changes as the body turns, and as its parent does (`hinge_laws.py`).
RESISTED_OWN, RESISTED_PARENT = range(41, 43)
VECTORS = 43
# P, Y, and c P + ½ Y; C; blocks of Newton's matrix of a body with all that hangs on it.
EULER, VIRIAL, STIFF, MEAN, A, B, C, D = range(8)
MATRICES = 8
# Loads, of force and moment; what round-off of velocities makes of them; what is added up in them; pivot of a hinge, and the
# moment about its axis that is left; 2 tan ½Δφ of its angle, and how the moment of laws changes with that;
# force and moment that laws between bodies would make if their vectors changed by as much as they are.
LOAD_F, LOAD_T, ROUND_F, ROUND_T, SIZE_F, SIZE_T, STIFFNESS, FREE, ROLLED, RESISTANCE, NOISE_F, NOISE_T = range(12)
SIZES = 12


@kernel
def find_gaps(tree, x, room):
    """Pivots, arms and axes at the start of a step.

    Returns by how much joints are open: the largest gap [m], and the largest cosine of what should be a right angle.
    """
    V, open_by, slip = room.vectors, 0.0, 0.0
    for i in range(tree.parent.size):
        parent = tree.parent[i]
        lever = along(tree, i, x, (tree.pivot[i, 0], tree.pivot[i, 1], tree.pivot[i, 2]))
        pivot = plus(row_of(x, tree.rows[i, 0]), lever)
        set_vector(V, i, PIVOT, pivot)
        set_vector(V, i, LEVER_0, lever)
        if tree.link[i] < 0:
            continue
        seat = (tree.seat[i, 0], tree.seat[i, 1], tree.seat[i, 2])
        if parent >= 0:
            seat = minus(seat, (tree.pivot[parent, 0], tree.pivot[parent, 1], tree.pivot[parent, 2]))
            arm = along(tree, parent, x, seat)
            set_vector(V, i, ARM_0, arm)
            seat = plus(vector(V, parent, PIVOT), arm)
        gap = minus(pivot, seat)
        set_vector(V, i, GAP, gap)
        open_by = max(open_by, abs(gap[0]), abs(gap[1]), abs(gap[2]))
        if tree.kind[i] == HINGE:
            slip = max(slip, _find_axis(tree, i, parent, x, V))
    return open_by, slip


@kernel(forceinline=True)
def _find_axis(tree, i, parent, x, V):
    """The axis of a hinge, and the small turn that makes right what its conditions are off by; returns how much that is."""
    axis, error = (0.0, 0.0, 1.0), 0.0
    set_vector(V, i, SLIP, (0.0, 0.0, 0.0))
    if tree.square[i, 0] >= 0:
        carrier, other = (i, parent) if tree.own[i, 0] == 1 else (parent, i)
        axis = along(tree, carrier, x, (tree.axis[i, 0], tree.axis[i, 1], tree.axis[i, 2]))
        first = along(tree, other, x, (tree.across[i, 0, 0], tree.across[i, 0, 1], tree.across[i, 0, 2]))
        second = along(tree, other, x, (tree.across[i, 1, 0], tree.across[i, 1, 1], tree.across[i, 1, 2]))
        off, off_2 = dot(axis, first) - tree.slant[i, 0], dot(axis, second) - tree.slant[i, 1]
        error = max(abs(off), abs(off_2))
        u, w = shares_of(tree, i, axis, first, second)
        set_vector(V, i, SLIP, minus(scaled(-off, u), scaled(off_2, w)))
        set_vector(V, i, ACROSS, first)
        set_vector(V, i, ACROSS_2, second)
    set_vector(V, i, AXIS_0, scaled(1.0 / np.sqrt(dot(axis, axis)), axis))
    return error


@kernel(forceinline=True)
def shares_of(tree, i, axis, first, second):
    """What takes a moment square to the axis apart into those of the two conditions, by products with it.

    Their moments on the body are axis × y, or y × axis where that is the parent's.
    """
    sign = 1.0 if tree.own[i, 0] == 1 else -1.0
    m, n = scaled(sign, cross(axis, first)), scaled(sign, cross(axis, second))
    u, w = cross(n, axis), cross(axis, m)
    return scaled(1.0 / dot(u, m), u), scaled(1.0 / dot(w, n), w)


@kernel
def begin_tree_step(tree, h, loads, x, v, room):
    """What does not change within a step; loads: on rows (n, d) [N], which keep their directions. After `find_gaps`."""
    V, M, sizes = room.vectors, room.matrices, room.sizes
    pace = 2.0 / h
    c = pace / h
    for i in range(tree.parent.size):
        m, row = tree.mass[i], tree.rows[i, 0]
        d0, d1, d2 = _directors(tree, i, x)
        v0, v1, v2 = _directors(tree, i, v)
        lever, first = (tree.pivot[i, 0], tree.pivot[i, 1], tree.pivot[i, 2]), _first_moment(tree, i)
        velocity = plus(row_of(v, row), spanned(lever, v0, v1, v2))
        moment, swing = spanned(first, d0, d1, d2), spanned(first, v0, v1, v2)
        load = row_of(loads, row)
        f0, f1, f2 = _directors(tree, i, loads)
        f0, f1, f2 = (
            minus(f0, scaled(lever[0], load)),
            minus(f1, scaled(lever[1], load)),
            minus(f2, scaled(lever[2], load)),
        )
        k0, k1, k2 = _second_moments(tree, i)
        e0, e1, e2 = spanned(k0, d0, d1, d2), spanned(k1, d0, d1, d2), spanned(k2, d0, d1, d2)
        g0, g1, g2 = spanned(k0, v0, v1, v2), spanned(k1, v0, v1, v2), spanned(k2, v0, v1, v2)
        spun = _sum(g0) + _sum(g1) + _sum(g2)
        g0, g1, g2 = (
            plus(scaled(2.0, g0), scaled(h, f0)),
            plus(scaled(2.0, g1), scaled(h, f1)),
            plus(scaled(2.0, g2), scaled(h, f2)),
        )
        for a in range(3):
            parts = d0[a], d1[a], d2[a]
            p, y = spanned(parts, e0, e1, e2), spanned(parts, g0, g1, g2)
            set_line(M, i, EULER, a, p)
            set_line(M, i, VIRIAL, a, y)
            set_line(M, i, STIFF, a, plus(scaled(c, p), scaled(0.5 / h, y)))
        set_vector(V, i, MOMENT_0, moment)
        set_vector(V, i, VELOCITY, velocity)
        set_vector(V, i, MOMENTUM, plus(scaled(2.0, plus(scaled(m, velocity), swing)), scaled(h, load)))
        sizes[i, LOAD_F], sizes[i, LOAD_T] = size_of(load), size_of(f0) + size_of(f1) + size_of(f2)
        sizes[i, ROUND_F] = abs(pace) * (m * _sum(velocity) + _sum(swing))
        sizes[i, ROUND_T] = abs(pace) * (_sum(moment) * _sum(velocity) + spun)
    for i in range(tree.parent.size - 1, -1, -1):
        parent = tree.parent[i]
        if parent >= 0:
            sizes[parent, ROUND_F] += sizes[i, ROUND_F]
            sizes[parent, ROUND_T] += _sum(vector(V, i, ARM_0)) * sizes[i, ROUND_F]
            if tree.kind[i] == HINGE:
                sizes[parent, ROUND_T] += sizes[i, ROUND_T]


@kernel
def tree_momenta(tree, x, v, linear, angular):
    """Kinetic energy [J]; fills the linear momentum [kg m/s] and the angular momentum about the origin [kg m²/s]."""
    kinetic, pushed, turned = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(tree.parent.size):
        row = tree.rows[i, 0]
        d0, d1, d2 = _directors(tree, i, x)
        v0, v1, v2 = _directors(tree, i, v)
        lever, first = (tree.pivot[i, 0], tree.pivot[i, 1], tree.pivot[i, 2]), _first_moment(tree, i)
        place, velocity = (
            plus(row_of(x, row), spanned(lever, d0, d1, d2)),
            plus(row_of(v, row), spanned(lever, v0, v1, v2)),
        )
        momentum = plus(scaled(tree.mass[i], velocity), spanned(first, v0, v1, v2))
        k0, k1, k2 = _second_moments(tree, i)
        g0 = plus(scaled(first[0], velocity), spanned(k0, v0, v1, v2))
        g1 = plus(scaled(first[1], velocity), spanned(k1, v0, v1, v2))
        g2 = plus(scaled(first[2], velocity), spanned(k2, v0, v1, v2))
        kinetic += 0.5 * (dot(v0, g0) + dot(v1, g1) + dot(v2, g2))
        turned = plus(turned, plus(cross(d0, g0), plus(cross(d1, g1), cross(d2, g2))))
        kinetic += 0.5 * dot(velocity, momentum)
        pushed, turned = plus(pushed, momentum), plus(turned, cross(place, momentum))
    for a in range(linear.size):
        linear[a] = pushed[a]
    for a in range(3):
        angular[a] = turned[a]
    return kinetic


@kernel(forceinline=True)
def _directors(tree, i, x):
    """What three rows of a body hold; in the plane the third is none."""
    first, second = row_of(x, tree.rows[i, 1]), row_of(x, tree.rows[i, 2])
    return first, second, row_of(x, tree.rows[i, 3]) if tree.rows.shape[1] == 4 else (0.0, 0.0, 0.0)


@kernel(forceinline=True)
def _first_moment(tree, i):
    return tree.moment[i, 0], tree.moment[i, 1], tree.moment[i, 2]


@kernel(forceinline=True)
def _second_moments(tree, i):
    e = tree.euler
    return (
        (e[i, 0, 0], e[i, 0, 1], e[i, 0, 2]),
        (e[i, 1, 0], e[i, 1, 1], e[i, 1, 2]),
        (e[i, 2, 0], e[i, 2, 1], e[i, 2, 2]),
    )


@kernel(forceinline=True)
def _sum(a):
    return abs(a[0]) + abs(a[1]) + abs(a[2])


@kernel(forceinline=True)
def size_of(a):
    """The largest component."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))
