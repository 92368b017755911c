"""Loops of a mechanism in joint coordinates: conditions that the coordinates of a tree do not fulfil by themselves.

A spanning tree has the coordinates; joints that were cut, and all other conditions c(x) = 0, close its loops. With the inertia
M of the tree and the gradients G of the conditions by its rates,

    M u̇ + Gᵀ λ = f,   G u̇ = −γ,   so that   (G M⁻¹ Gᵀ) λ = G M⁻¹ f + γ

and a column of M⁻¹ Gᵀ is what the tree does about the force of one condition: two sweeps over its bodies, with the articulated
inertia that `accelerate_tree` has left.
"""

from typing import NamedTuple

import numpy as np

from condyle.laws.column_types import numba_type
from condyle.laws.columns import Flags, Integers, Integers2, Numbers, Numbers2, table
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.joint_tree import (
    ACCELERATION,
    ALPHA,
    AXIS,
    HINGE,
    INVERSE,
    LOOSE,
    P_F,
    P_T,
    PIVOT,
    SEAT,
    TORQUE,
    TURN,
    U_F,
    U_T,
    B,
    Tree,
    TreeRoom,
)  # fmt: skip
from condyle.system.assembly.maps import row_of
from condyle.system.assembly.places import family, most_vectors
from condyle.system.assembly.row_form import constraint_pull
from condyle.system.assembly.triples import cross, dot, line, minus, plus, scaled, set_vector, times, vector
from condyle.system.signatures import WHOLE_SYSTEM, f2, number

DEPENDENT = 1e-12  # of its own size: below it a condition says nothing that others do not say


@table
class Closing(NamedTuple):
    """The conditions that close the loops of a tree: first those of links, d each, then the others."""

    link: Integers  # (links,) joints that were cut, among the links
    square: Integers  # (others,) among the constraints
    channel: Integers  # (m,) the multiplier of each condition
    start: Integers  # (m + 1,) entries of its gradient
    body: Integers  # (entries,) body of each; its row, and which of its law's rows that is
    row: Integers2  # (entries, 2)
    place: Flags  # (entries,) is it the row of a place?


@table
class ClosingRoom(NamedTuple):
    """Arrays that the conditions are solved with."""

    value: Numbers  # (m,)
    gradient: Numbers2  # (entries, 3)
    reach: Numbers2  # (m, rates) M⁻¹ Gᵀ
    matrix: Numbers2  # (m, m) G M⁻¹ Gᵀ, then its factor
    order: Integers  # (m + 1,) its pivots, and last their number
    force: Numbers  # (m,) λ
    rates: Numbers  # (multipliers,)
    rows: Numbers2  # (n, d) accelerations of rows
    courses: Numbers2  # (3, 1) functions of time that conditions follow, and their derivatives: none


CONDITIONS, ROOM = numba_type(Closing), numba_type(ClosingRoom)


@separate(number(CONDITIONS, WHOLE_SYSTEM, f2, ROOM))
def close_at(closing, whole, x, room):
    """Values and gradients of all conditions at x; returns the largest value. Only models with loops compile it."""
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    d, count = x.shape[1], 0
    for k in range(closing.link.size):
        i = closing.link[k]
        at, offset = links.weight_start[links.point_start[i]], links.param_start[i]
        for a in range(d):
            value = -links.params[offset + a]
            for r in range(links.row_start[i + 1] - links.row_start[i]):
                value += links.weights[at + r] * x[links.rows[links.row_start[i] + r], a]
            room.value[count] = value
            for e in range(closing.start[count], closing.start[count + 1]):
                for b in range(3):
                    room.gradient[e, b] = links.weights[at + closing.row[e, 1]] if a == b else 0.0
            count += 1
    most = most_vectors(constraints)
    y, pull = np.zeros((most, d)), np.zeros((most, d))
    G, S, H = np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most, most, most))
    for k in range(closing.square.size):
        i = closing.square[k]
        room.value[count] = constraint_pull(constraints, i, x, y, G, S, H, pull)
        nr, at = (
            constraints.row_start[i + 1] - constraints.row_start[i],
            constraints.weight_start[constraints.point_start[i]],
        )
        for e in range(closing.start[count], closing.start[count + 1]):
            for a in range(d):
                room.gradient[e, a] = 0.0
                for j in range(constraints.vectors[i]):
                    room.gradient[e, a] += constraints.weights[at + j * nr + closing.row[e, 1]] * pull[j, a]
        count += 1
    largest = 0.0
    for k in range(count):
        largest = max(largest, abs(room.value[k]))
    return largest


@separate(number(CONDITIONS, numba_type(Tree), f2, numba_type(TreeRoom), ROOM))
def factor_closing(closing, tree, x, tree_room, room):
    """M⁻¹ Gᵀ and the factors of G M⁻¹ Gᵀ, after `close_at` and `accelerate_tree`; accelerations of the tree are lost."""
    V, m = tree_room.vectors, room.value.size
    for k in range(m):
        _answer(closing, k, tree, x, tree_room, room.gradient, room.reach[k])
        for j in range(k + 1):
            total = 0.0
            for e in range(closing.start[j], closing.start[j + 1]):
                i, row = closing.body[e], row_of(x, closing.row[e, 0])
                moved = cross(vector(V, i, ALPHA), minus(row, vector(V, i, PIVOT)) if closing.place[e] else row)
                moved = plus(moved, vector(V, i, ACCELERATION)) if closing.place[e] else moved
                total += dot((room.gradient[e, 0], room.gradient[e, 1], room.gradient[e, 2]), moved)
            room.matrix[k, j] = room.matrix[j, k] = total
    _factor(room.matrix, room.order)
    return 0.0


@kernel
def _answer(closing, k, tree, x, tree_room, gradient, u):
    """Rates u that a tree at rest takes on under the force of a condition, Gᵀ; α and a of its bodies likewise."""
    V, M = tree_room.vectors, tree_room.matrices
    none = (0.0, 0.0, 0.0)
    for i in range(tree.parent.size):
        set_vector(V, i, P_T, none)
        set_vector(V, i, P_F, none)
    for e in range(closing.start[k], closing.start[k + 1]):
        i, row = closing.body[e], row_of(x, closing.row[e, 0])
        f = (gradient[e, 0], gradient[e, 1], gradient[e, 2])
        if closing.place[e]:
            row = minus(row, vector(V, i, PIVOT))
            set_vector(V, i, P_F, minus(vector(V, i, P_F), f))
        set_vector(V, i, P_T, minus(vector(V, i, P_T), cross(row, f)))
    for i in range(tree.parent.size - 1, -1, -1):
        parent, torque, force = tree.parent[i], vector(V, i, P_T), vector(V, i, P_F)
        if tree.kind[i] == HINGE:
            free = dot(vector(V, i, AXIS), torque)
            V[i, TORQUE, 0] = free
            share = free / V[i, TORQUE, 1]
            torque, force = (
                minus(torque, scaled(share, vector(V, i, U_T))),
                minus(force, scaled(share, vector(V, i, U_F))),
            )
        else:
            t = times(M, i, INVERSE, torque)
            b0, b1, b2 = line(M, i, B, 0), line(M, i, B, 1), line(M, i, B, 2)
            force = minus(force, plus(plus(scaled(t[0], b0), scaled(t[1], b1)), scaled(t[2], b2)))
            if tree.kind[i] == LOOSE:
                set_vector(V, i, P_F, force)
            torque = none
        if parent >= 0:
            set_vector(V, parent, P_F, plus(vector(V, parent, P_F), force))
            torque = plus(torque, cross(vector(V, i, SEAT), force))
            set_vector(V, parent, P_T, plus(vector(V, parent, P_T), torque))
    for i in range(tree.parent.size):
        _follow(tree, i, V, M, u)


@kernel(forceinline=True)
def _follow(tree, i, V, M, u):
    """What a body does, once that of its parent is known, from rest."""
    parent, rate = tree.parent[i], tree.place[i, 1]
    alpha = acceleration = (0.0, 0.0, 0.0)
    if parent >= 0:
        alpha = vector(V, parent, ALPHA)
        acceleration = plus(vector(V, parent, ACCELERATION), cross(alpha, vector(V, i, SEAT)))
    elif tree.kind[i] == LOOSE:
        acceleration = scaled(-1.0, times(M, i, TURN, vector(V, i, P_F)))  # C⁻¹, see `articulated._go_down`
    if tree.kind[i] == HINGE:
        pushed = dot(vector(V, i, U_T), alpha) + dot(vector(V, i, U_F), acceleration) + V[i, TORQUE, 0]
        u[rate] = -pushed / V[i, TORQUE, 1]
        alpha = plus(alpha, scaled(u[rate], vector(V, i, AXIS)))
    else:
        alpha = scaled(-1.0, times(M, i, INVERSE, plus(vector(V, i, P_T), times(M, i, B, acceleration))))
        for k in range(3):
            u[rate + k] = alpha[k]
            if tree.kind[i] == LOOSE:
                u[rate + 3 + k] = acceleration[k]
    set_vector(V, i, ALPHA, alpha)
    set_vector(V, i, ACCELERATION, acceleration)


@kernel
def _factor(A, order):
    """L Lᵀ with the largest pivots first, until those that are left depend on them; order: their places and number."""
    m, rank = A.shape[0], 0
    size = np.zeros(m)
    for k in range(m):
        order[k] = k
        size[k] = A[k, k]
    for k in range(m):
        best = k
        for i in range(k, m):  # by their own sizes, because conditions have units
            if A[order[i], order[i]] * size[order[best]] > A[order[best], order[best]] * size[order[i]]:
                best = i
        order[k], order[best] = order[best], order[k]
        p = order[k]
        if not A[p, p] > DEPENDENT * size[p]:
            break
        A[p, p] = np.sqrt(A[p, p])
        for i in range(k + 1, m):
            A[order[i], p] /= A[p, p]
        for i in range(k + 1, m):
            for j in range(k + 1, i + 1):
                a, b = order[i], order[j]
                A[a, b] -= A[a, p] * A[b, p]
                A[b, a] = A[a, b]
        rank += 1
    order[m] = rank


@kernel
def solve_closing(room, wanted):
    """λ with (G M⁻¹ Gᵀ) λ = wanted into room.force; zero of conditions that depend on others."""
    A, order, f = room.matrix, room.order, room.force
    rank = order[order.size - 1]
    for i in range(f.size):
        f[i] = 0.0
    for i in range(rank):
        total = wanted[order[i]]
        for j in range(i):
            total -= A[order[i], order[j]] * f[order[j]]
        f[order[i]] = total / A[order[i], order[i]]
    for i in range(rank - 1, -1, -1):
        total = f[order[i]]
        for j in range(i + 1, rank):
            total -= A[order[j], order[i]] * f[order[j]]
        f[order[i]] = total / A[order[i], order[i]]


@kernel
def take_back(room, u):
    """u −= M⁻¹ Gᵀ λ."""
    for k in range(room.force.size):
        for j in range(u.size):
            u[j] -= room.force[k] * room.reach[k, j]


@kernel
def hold_rows(closing, room, forces):
    """forces −= Gᵀ λ on rows (n, d)."""
    for k in range(room.force.size):
        for e in range(closing.start[k], closing.start[k + 1]):
            for a in range(forces.shape[1]):
                forces[closing.row[e, 0], a] -= room.force[k] * room.gradient[e, a]
