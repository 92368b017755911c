"""The first guess of a step, extrapolated from the steps before it.

Motion that is smooth on the scale of a step goes on as a polynomial in time through the mean velocities and spins of the last
steps; one of the second or third degree saves a Newton iteration of two. Motion that is not (stiff parts that swing from
step to step) is guessed better by a constant. So the degree is the one that would have been best for the step just made.

The steps before are forgotten after every 120th step of a run, and a run is resumed after such a step: then it is the same as
one that was never stopped, bit for bit.
"""

from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Numbers, Numbers2, Numbers3, table
from condyle.laws.kernel import kernel
from condyle.system.tables import FREE

DEPTH = 4  # steps remembered
RESTART = 120  # every so many steps all are forgotten
SAME_STEP = 1e-6  # relative difference of two steps that count as equal

# Weights of the last mean velocities, the newest first, that go on to the next as polynomials of degree 0, 1, 2, 3.
GOING_ON = np.array([[1.0, 0.0, 0.0, 0.0], [2.0, -1.0, 0.0, 0.0], [3.0, -3.0, 1.0, 0.0], [4.0, -6.0, 4.0, -1.0]])

RIGID, ELASTIC = 0, 1  # groups of rows with a degree each


@table
class Past(NamedTuple):
    """The last steps, all of one length. The newest slot is followed by older ones, round the ring."""

    velocity: Numbers3  # (DEPTH, n, d) mean velocity of free rows [m/s]
    spin: Numbers3  # (DEPTH, bodies, 3) Cayley vector of a step over its length [rad/s]
    multipliers: Numbers2  # (DEPTH, m)
    row_weight: Numbers  # (n,) mass of a row [kg]
    body_weight: Numbers  # (bodies,) sum of a body's principal inertias [kg m²], as of its directors
    state: Numbers  # (6,), see the names below


# Steps known; degrees for rigid and for elastic rows; newest slot; length of the steps [s]; factorisations of the last one.
KNOWN, DEGREE, NEWEST, LENGTH, FACTORISED = 0, 1, 3, 4, 5


@kernel
def forget(past):
    """Forget all earlier steps: the next one starts without a guess."""
    forget_motion(past)
    past.state[FACTORISED] = 2.0


@kernel
def forget_motion(past):
    """Forget how earlier steps moved, but not how often they were factorised."""
    past.state[KNOWN], past.state[LENGTH] = 0.0, 0.0


@kernel
def forget_other_steps(past, h):
    """Steps of another length say nothing of the next one."""
    if abs(past.state[LENGTH] - h) > SAME_STEP * h:
        forget(past)
        past.state[LENGTH] = h


@kernel
def usual_factorisations(past):
    """How many factorisations the last step took."""
    return past.state[FACTORISED]


@kernel
def is_known(past):
    """Are there enough steps to extrapolate from?"""
    return past.state[KNOWN] == DEPTH


@kernel
def extrapolate(past, rows, elastic, step, turn, multipliers):
    """The guess: steps of free rows [m] and Cayley vectors of bodies, each group by its degree; multipliers likewise."""
    h, d = past.state[LENGTH], step.shape[1]
    newest = int(past.state[NEWEST])
    second, third, fourth = (newest + 1) % DEPTH, (newest + 2) % DEPTH, (newest + 3) % DEPTH
    of_rigid, of_elastic = GOING_ON[int(past.state[DEGREE])], GOING_ON[int(past.state[DEGREE + 1])]
    v0, v1, v2, v3 = past.velocity[newest], past.velocity[second], past.velocity[third], past.velocity[fourth]
    g0, g1, g2, g3 = of_rigid[0], of_rigid[1], of_rigid[2], of_rigid[3]
    e0, e1, e2, e3 = of_elastic[0], of_elastic[1], of_elastic[2], of_elastic[3]
    for i in range(step.shape[0]):
        if rows.kind[i] == FREE:
            if elastic[i] > 0:
                for a in range(d):
                    step[i, a] = h * (e0 * v0[i, a] + e1 * v1[i, a] + e2 * v2[i, a] + e3 * v3[i, a])
            else:
                for a in range(d):
                    step[i, a] = h * (g0 * v0[i, a] + g1 * v1[i, a] + g2 * v2[i, a] + g3 * v3[i, a])
    s0, s1, s2, s3 = past.spin[newest], past.spin[second], past.spin[third], past.spin[fourth]
    for body in range(turn.shape[0]):
        for a in range(3):
            turn[body, a] = h * (g0 * s0[body, a] + g1 * s1[body, a] + g2 * s2[body, a] + g3 * s3[body, a])
    m0, m1 = past.multipliers[newest], past.multipliers[second]
    m2, m3 = past.multipliers[third], past.multipliers[fourth]
    for k in range(multipliers.size):
        multipliers[k] = g0 * m0[k] + g1 * m1[k] + g2 * m2[k] + g3 * m3[k]


@kernel(forceinline=True)
def _missed(found, v0, v1, v2, v3):
    """Squares of what the degrees 0 to 3 miss: what the one below does, less a backward difference, e_k = e_(k−1) − ∇ᵏ."""
    e0 = found - v0
    e1 = e0 - (v0 - v1)
    e2 = e1 - (v0 - 2.0 * v1 + v2)
    e3 = e2 - (v0 - 3.0 * (v1 - v2) - v3)
    return e0 * e0, e1 * e1, e2 * e2, e3 * e3


@kernel
def remember(past, rows, elastic, step, turn, multipliers, factorised):
    """Add a step that was made, and choose the degrees that would have guessed it best, by the energy of what they miss.

    factorised: how often it was factorised in it; 0, if it was right at once, says nothing of the next.
    """
    if factorised > 0.0:
        past.state[FACTORISED] = factorised
    pace, d = 1.0 / past.state[LENGTH], step.shape[1]
    known, newest = int(past.state[KNOWN]), int(past.state[NEWEST])
    second, third, fourth = (newest + 1) % DEPTH, (newest + 2) % DEPTH, (newest + 3) % DEPTH
    v0, v1, v2, v3 = past.velocity[newest], past.velocity[second], past.velocity[third], past.velocity[fourth]
    w0, w1, w2, w3 = past.spin[newest], past.spin[second], past.spin[third], past.spin[fourth]
    r0 = r1 = r2 = r3 = s0 = s1 = s2 = s3 = 0.0  # energies missed by the degrees: of rigid rows, of elastic ones
    for i in range(step.shape[0]):
        if rows.kind[i] == FREE:
            e0 = e1 = e2 = e3 = 0.0
            for a in range(d):
                found = pace * step[i, a]
                m0, m1, m2, m3 = _missed(found, v0[i, a], v1[i, a], v2[i, a], v3[i, a])
                v3[i, a] = found
                e0, e1, e2, e3 = e0 + m0, e1 + m1, e2 + m2, e3 + m3
            m = past.row_weight[i]
            if elastic[i] > 0:
                s0, s1, s2, s3 = s0 + m * e0, s1 + m * e1, s2 + m * e2, s3 + m * e3
            else:
                r0, r1, r2, r3 = r0 + m * e0, r1 + m * e1, r2 + m * e2, r3 + m * e3
    for body in range(turn.shape[0]):
        e0 = e1 = e2 = e3 = 0.0
        for a in range(3):
            found = pace * turn[body, a]
            m0, m1, m2, m3 = _missed(found, w0[body, a], w1[body, a], w2[body, a], w3[body, a])
            w3[body, a] = found
            e0, e1, e2, e3 = e0 + m0, e1 + m1, e2 + m2, e3 + m3
        m = past.body_weight[body]
        r0, r1, r2, r3 = r0 + m * e0, r1 + m * e1, r2 + m * e2, r3 + m * e3
    kept = past.multipliers[fourth]
    for k in range(multipliers.size):
        kept[k] = multipliers[k]
    past.state[DEGREE + RIGID] = _best(known, r0, r1, r2, r3)
    past.state[DEGREE + ELASTIC] = _best(known, s0, s1, s2, s3)
    past.state[NEWEST] = fourth
    past.state[KNOWN] = min(known + 1, DEPTH)


@kernel
def _best(known, e0, e1, e2, e3):
    """The degree that misses least, of those that the known steps allow."""
    best, least = 0.0, e0
    if known > 1 and e1 < least:
        best, least = 1.0, e1
    if known > 2 and e2 < least:
        best, least = 2.0, e2
    if known > 3 and e3 < least:
        best = 3.0
    return best
