"""Pieces of compiled steps at the level of velocities around contact: free motion, motion, velocities at the end, account."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from condyle.integrators.account import LEVEL, force_level
from condyle.integrators.convergence import CONVERGED, INVERTED, NOT_FINITE
from condyle.integrators.elimination import correct, factorise
from condyle.integrators.first_order import first_order_equations, is_near, row_rates, work_of_step
from condyle.integrators.loop import record_step
from condyle.integrators.step_tables import PLACE, RATE, STEP, C
from condyle.laws.kernel import kernel
from condyle.system.assembly.geometric import add_geometric_stiffness
from condyle.system.assembly.inverted import first_inverted
from condyle.system.assembly.maps import move, normalise_directors
from condyle.system.assembly.places import family, find_states, find_turns


@kernel
def free_motion(problem, stepper, geometric, compliance, tables, s, targets, room, now, after, w):
    """Velocities without contact in `w.vectors[4]`, with factors of the matrix; False if it is singular.

    geometric: does the stiffness of joints and stresses count; compliance: of joints.
    """
    h, place, du, free = tables.sizes[s], problem.multipliers[PLACE], w.vectors[3], w.vectors[4]
    first_order_equations(problem, tables, s, targets, now, after, w)
    if geometric:
        add_geometric_stiffness(problem.whole, after.x, now.multipliers, 1.0, True, True, room[0], w.A)
    for k in range(stepper.diagonal.size):
        w.A[stepper.diagonal[k]] -= compliance
    if not factorise(problem, w):
        return False
    correct(problem.schedule, place, problem.unit.size, w.vectors[0], w.held[C], w.A, w.inverse, du)
    for i in range(du.size):
        free[i] = du[i] / h
    return True


@kernel
def move_rows(problem, now, x, h, v, motion):
    """Rows x at the end of a step with velocities v, and a motion that has none; returns how it ended."""
    whole = problem.whole
    for i in range(v.size):
        motion[i] += h * v[i]
    move(whole.rows, motion, x)
    if not is_near(whole.rows, x):
        return NOT_FINITE
    normalise_directors(whole.rows, x)
    if first_inverted(family(whole.laws, whole.spans, 0), now.x, x) >= 0:
        return INVERTED
    return CONVERGED


@kernel
def end_motion(problem, tables, s, du, now, after, w):
    """Velocities of rows, multipliers and states of laws at the end of a step; du: velocities with contact."""
    whole, h, place = problem.whole, tables.sizes[s], problem.multipliers[PLACE]
    rows, laws, angles, x = whole.rows, whole.laws, problem.angles, after.x
    row_rates(rows, du, 1.0, x, w.rows[RATE], after.v)
    for k in range(place.size):
        after.multipliers[k] = h * du[place[k]] if place[k] >= 0 else 0.0
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            w.rows[STEP, i, a] = x[i, a] - now.x[i, a]
    if angles.shape[0]:
        find_turns(laws, angles[:, 0], angles[:, 2], x, now.turns, after.turns)
        find_states(laws, angles[:, 0], angles[:, 1], angles[:, 2], now.x, tables.ends[s + 1], 1.0, after.turns)


@kernel
def put_down(problem, tables, s, now, after, work, iterations, record, w):
    """The account of a step, with work [J] until it began; False if an energy is not finite."""
    done = work_of_step(problem, 0.5, tables, s, now, after, w, False)
    record.scalars[s, LEVEL] = force_level(problem.rows[0], problem.unit, now.x, w.vectors[1])
    return record_step(problem, tables, s, after, work + done, 1.0 + iterations, record, w)
