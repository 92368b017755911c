"""Quasi-static bodies in compiled steps of methods that balance the end of a step (`generalized_alpha.py`).

They have no inertia, so their velocities are how they have moved, and they have no accelerations. Where velocities and
accelerations of all else are made consistent with the constraints, they stay as they are, and so do the multipliers of what
holds and presses them: those follow from balance.
"""

from __future__ import annotations

from typing import NamedTuple

from condyle.integrators.step_tables import STEP
from condyle.laws.columns import Integers, table
from condyle.laws.kernel import kernel

# What is carried from step to step beyond `newmark.IN_CONTACT`: velocities that the next step is guessed with, and those of the
# polynomial through the last two steps.
CARRIED = (("next velocity", "smooth velocity"), ())
MEAN, NEXT, SMOOTH = 2, 4, 5  # places among all that is carried of rows


@table
class Still(NamedTuple):
    """What stays as it is while all else gets consistent velocities and accelerations; empty without quasi-static bodies."""

    rows: Integers  # of quasi-static bodies
    places: Integers  # in a vector of the blocks: their unknowns, and those of the multipliers below
    multipliers: Integers  # of constraints on them and of contacts that press them
    entries: Integers  # of the matrix, that couple any of these with others
    diagonal: Integers  # of the matrix, of `places`


@kernel
def are_still(still):
    """Has the model quasi-static bodies?"""
    return still.rows.size > 0


@kernel
def move_still(still, h, step, v, true, algorithmic):
    """Velocities of quasi-static rows are how they have moved in the step; they have no accelerations."""
    for i in still.rows:
        for a in range(v.shape[1]):
            v[i, a] = step[i, a] / h
            true[i, a] = algorithmic[i, a] = 0.0


@kernel
def hold_still(still, A):
    """Let the equations of all that stays as it is say so: rows and columns of the unit matrix."""
    for k in still.entries:
        A[k] = 0.0
    for k in still.diagonal:
        A[k] = 1.0


@kernel
def leave_still(still, r, wanted):
    """No residual, and no rate of a constraint, where all stays as it is."""
    for k in still.places:
        r[k] = 0.0
    for k in still.multipliers:
        wanted[k] = 0.0


@kernel
def guess_next(still, h, elastic, freed, now, after, w):
    """Keep velocities to guess the next step with, as `generalized_alpha.py:_Step._carried` does.

    Without inertia to smooth them, forces are as good as places are: all rows go on as their last two steps say, if that would
    have been the better guess for this step. freed: have all points opened? What springs back without inertia is at rest then.
    """
    step, last, smooth, mean = w.rows[STEP], now.rows[MEAN], now.rows[SMOOTH], after.rows[MEAN]
    going_on, found = after.rows[NEXT], after.rows[SMOOTH]
    for i in range(step.shape[0]):
        for a in range(step.shape[1]):
            mean[i, a] = step[i, a] / h
    if freed:
        for i in still.rows:
            for a in range(step.shape[1]):
                mean[i, a] = 0.0
    missed = other = 0.0
    for i in range(step.shape[0]):
        for a in range(step.shape[1]):
            guess = last[i, a] if elastic[i] > 0.0 else now.v[i, a] + 0.5 * h * now.rows[0, i, a]
            missed = max(missed, abs(mean[i, a] - smooth[i, a]))
            other = max(other, abs(mean[i, a] - guess))
            found[i, a] = 2.0 * mean[i, a] - last[i, a]
    for i in range(step.shape[0]):
        for a in range(step.shape[1]):
            if missed < other and not freed:
                going_on[i, a] = found[i, a]
            else:
                going_on[i, a] = mean[i, a] if elastic[i] > 0.0 else after.v[i, a] + 0.5 * h * after.rows[0, i, a]
