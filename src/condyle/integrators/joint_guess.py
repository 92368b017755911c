"""The first guess of a step in joint coordinates: how these went on in the steps before (`extrapolation.py`)."""

from typing import NamedTuple

from condyle.integrators.extrapolation import DEGREE, DEPTH, FACTORISED, GOING_ON, KNOWN, LENGTH, NEWEST, best, missed
from condyle.laws.columns import Numbers, Numbers2, table
from condyle.laws.kernel import kernel
from condyle.system.assembly.joint_tree import BALL, HINGE
from condyle.system.assembly.maps import row_of
from condyle.system.assembly.tree_balance import AXIS_0, TURN
from condyle.system.assembly.triples import cross, dot, minus, plus, scaled, set_vector, vector


@table
class JointPast(NamedTuple):
    """The last steps, all of one length; see `extrapolation.Past`."""

    rate: Numbers2  # (DEPTH, unknowns) change of a coordinate in a step over its length
    weight: Numbers  # (unknowns,) inertia of the body that moves with it [kg m², kg]
    state: Numbers  # (6,) as there


@kernel
def guess_joints(tree, h, v, mean, x, V, q):
    """The guess without steps before: the acceleration of the last step goes on. V: vectors of the tree; TURN is overwritten."""
    for i in range(tree.parent.size):
        parent, at = tree.parent[i], tree.place[i, 1]
        spin = (0.0, 0.0, 0.0)
        for k in range(1, tree.rows.shape[1]):
            row = tree.rows[i, k]
            rate = minus(scaled(2.0, row_of(v, row)), row_of(mean, row))
            spin = plus(spin, scaled(0.5, cross(row_of(x, row), rate)))
        set_vector(V, i, TURN, spin)
        if tree.kind[i] == HINGE:
            q[at] = h * dot(vector(V, i, AXIS_0), minus(spin, vector(V, parent, TURN)) if parent >= 0 else spin)
            continue
        q[at], q[at + 1], q[at + 2] = scaled(h, spin)
        if tree.kind[i] != BALL:
            row = tree.rows[i, 0]
            speed = minus(scaled(2.0, row_of(v, row)), row_of(mean, row))
            q[at + 3], q[at + 4], q[at + 5] = scaled(h, speed)


@kernel
def extrapolate_joints(past, q):
    """The guess: coordinates go on as a polynomial of the degree that was best for the last step."""
    h, newest, g = past.state[LENGTH], int(past.state[NEWEST]), GOING_ON[int(past.state[DEGREE])]
    r0, r1 = past.rate[newest], past.rate[(newest + 1) % DEPTH]
    r2, r3 = past.rate[(newest + 2) % DEPTH], past.rate[(newest + 3) % DEPTH]
    g0, g1, g2, g3 = h * g[0], h * g[1], h * g[2], h * g[3]
    for k in range(q.size):
        q[k] = g0 * r0[k] + g1 * r1[k] + g2 * r2[k] + g3 * r3[k]


@kernel
def remember_joints(past, q, factorised):
    """Add a step that was made, see `extrapolation.remember`."""
    if factorised > 0.0:
        past.state[FACTORISED] = factorised
    pace, known, newest = 1.0 / past.state[LENGTH], int(past.state[KNOWN]), int(past.state[NEWEST])
    fourth = (newest + 3) % DEPTH
    r0, r1 = past.rate[newest], past.rate[(newest + 1) % DEPTH]
    r2, r3 = past.rate[(newest + 2) % DEPTH], past.rate[fourth]
    e0 = e1 = e2 = e3 = 0.0
    for k in range(q.size):
        found, w = pace * q[k], past.weight[k]
        m0, m1, m2, m3 = missed(found, r0[k], r1[k], r2[k], r3[k])
        r3[k] = found
        e0, e1, e2, e3 = e0 + w * m0, e1 + w * m1, e2 + w * m2, e3 + w * m3
    past.state[DEGREE] = best(known, e0, e1, e2, e3)
    past.state[NEWEST] = fourth
    past.state[KNOWN] = min(known + 1, DEPTH)
