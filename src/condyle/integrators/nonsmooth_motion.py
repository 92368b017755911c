"""Pieces of compiled steps at the level of velocities around contact: free motion, motion, account."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from condyle.integrators.account import LEVEL, force_level
from condyle.integrators.convergence import CONVERGED, OVERFLOWN
from condyle.integrators.elimination import correct, factorise
from condyle.integrators.first_order import first_order_equations, move_rows
from condyle.integrators.loop import middle_of_step, record_step, take_over, work_of_step
from condyle.integrators.step_tables import PLACE, C
from condyle.laws.kernel import kernel
from condyle.system.assembly.geometric import add_geometric_stiffness


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
def rebounds(restitution, gap, before, rate, drive, h):
    """Does a point bounce that comes in with the velocity `before` and would leave the step with rate + drive, without contact?

    It does if it would be inside by then, and if its rebound −e u(0) is more than forces take from it in a step of h [s]. One
    that is slower would be back within the next step: it is at rest. (Otherwise points bounce for ever by what forces do in a
    step.)
    """
    if restitution == 0.0 or before >= 0.0 or gap + h * rate > 0.0:
        return False
    return -restitution * before > before - rate - drive


@kernel
def move_with(whole, x0, x, h, v, motion):
    """Move rows x by velocities v, and by a motion that has none, from x0 at the start; returns how it ended."""
    for i in range(v.size):
        motion[i] += h * v[i]
    return move_rows(whole, motion, x0, x)


@kernel
def end_step(problem, tables, s, now, after, work, iterations, first, every, record, frames, w):
    """The account of a step, and its end as the start of the next; work [J] until it began. How it ended, frames, work."""
    middle_of_step(tables.sizes[s], now, after, w)
    done = work_of_step(problem, False, 0.5, tables, s, now, after, w, False)
    record.scalars[s, LEVEL] = force_level(problem.rows[0], problem.unit, now.x, w.vectors[1])
    if not record_step(problem, tables, s, after, work + done, 1.0 + iterations, record, w):
        return OVERFLOWN, frames, work
    return CONVERGED, take_over(after, now, record, frames, first + s, every), work + done


@kernel
def fastest_translation(translation, v):
    """The largest velocity of a row that is a place [m/s]; translation: 1 for places, 0 for directions (n,)."""
    out = 0.0
    for row in range(v.shape[0]):
        if translation[row] > 0.0:
            for a in range(v.shape[1]):
                out = max(out, abs(v[row, a]))
    return out
