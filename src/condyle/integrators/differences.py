"""Backward differences in compiled steps; the equations are in `bdf.py`, the rest of a step is that of `newmark.py`."""

from __future__ import annotations

from typing import NamedTuple

from condyle.integrators.lie import inverse_left_jacobian, rotation_vector
from condyle.integrators.step_tables import STEP
from condyle.laws.columns import Numbers, table
from condyle.laws.kernel import kernel
from condyle.system.assembly.places import keep
from condyle.system.tables import FREE

# What is carried from step to step: of rows, of bodies; and the length of the last step, as the last number of `Motion.touch`.
CARRIED = (("acceleration", "previous v", "mean velocity"), ("spin rate", "previous spin", "mean spin"))
TRUE, BEFORE, MEAN = 0, 1, 2


@table
class Differences(NamedTuple):
    """Which differences are taken, and their factors in this step."""

    order: int  # 0 where Newmark's formulas are taken instead
    factors: Numbers  # see below


# u1 = AHEAD (y1 − y0) − MEANS (y0 − y₋₁)/h₋₁, u̇1 = AHEAD (u1 − u0) + BACK (u₋₁ − u0)
AHEAD, BACK, MEANS = range(3)


@kernel
def start_differences(differences, lower, h, before):
    """The factors of a step of h [s] after one of `before` [s], 0 for none; lower: is it to be of order 1 in any case?"""
    w = 0.0
    if differences.order > 1 and not lower and before > 0.0:
        w = h / before
    factors = differences.factors
    factors[AHEAD], factors[BACK] = (1.0 + 2.0 * w) / (1.0 + w) / h, w * w / (1.0 + w) / h
    factors[MEANS] = w / (1.0 + w)


@kernel
def are_of_second_order(differences):
    """Does this step look back?"""
    return differences.order > 0 and differences.factors[BACK] > 0.0


@kernel
def move_by_differences(differences, rows, step, turns, now, after, spins, jacobians):
    """Velocities and accelerations of free rows, ω and ω̇ of bodies, from how they move in the step."""
    f, d = differences.factors, step.shape[1]
    ahead, back, means = f[AHEAD], f[BACK], f[MEANS]
    v0, v1, last, mean, acceleration = now.v, after.v, now.rows[BEFORE], now.rows[MEAN], after.rows[TRUE]
    for i in range(step.shape[0]):
        if rows.kind[i] == FREE:
            for a in range(d):
                v1[i, a] = ahead * step[i, a] - means * mean[i, a]
                acceleration[i, a] = ahead * (v1[i, a] - v0[i, a]) + back * (last[i, a] - v0[i, a])
    turn, last_spin, mean_spin, rate = after.bodies[MEAN], now.bodies[BEFORE], now.bodies[MEAN], after.bodies[TRUE]
    for b in range(rows.bodies.shape[0]):
        rotation_vector(turns[b], turn[b])
        inverse_left_jacobian(turn[b], jacobians[b])
        for a in range(3):
            spins[1, b, a] = ahead * turn[b, a] - means * mean_spin[b, a]
            rate[b, a] = ahead * (spins[1, b, a] - spins[0, b, a]) + back * (last_spin[b, a] - spins[0, b, a])


@kernel
def leave_differences(rows, h, anew, spins, now, after, w):
    """Keep what the next step looks back at; anew: it is not to look back."""
    keep(now.v, after.rows[BEFORE])
    keep(spins[0], after.bodies[BEFORE])
    step, mean, mean_spin = w.rows[STEP], after.rows[MEAN], after.bodies[MEAN]
    for i in range(step.shape[0]):
        for a in range(step.shape[1]):
            mean[i, a] = step[i, a] / h
    for b in range(rows.bodies.shape[0]):
        rotation_vector(w.turns[0, b], mean_spin[b])
        for a in range(3):
            mean_spin[b, a] /= h
    after.touch[after.touch.size - 1] = 0.0 if anew else h
