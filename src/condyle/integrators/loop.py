"""Energy–momentum steps in compiled code: the equations of `energy_momentum.py`, one loop around them.

Nothing between two steps needs Python here, so a small model takes microseconds per step. What may ask for Python (functions
of time, prescribed rows) is tabulated for a block of steps beforehand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.integrators.account import (
    ERROR,
    GRAVITY,
    ITERATIONS,
    KINETIC,
    LEVEL,
    STORED,
    TOTAL,
    WORK,
    force_level,
    is_kept,
)
from condyle.integrators.convergence import judge
from condyle.integrators.extrapolation import (
    FACTORISED,
    RESTART,
    Past,
    extrapolate,
    forget,
    forget_other_steps,
    is_known,
    remember,
)
from condyle.integrators.turning import first_beyond, hold_back
from condyle.laws.kernel import kernel
from condyle.laws.table import Integers, Integers2, Numbers, Numbers2, Numbers3, table
from condyle.system.assembly import NO_MAP, assemble_compiled
from condyle.system.assembly.constraints import constraint_values
from condyle.system.assembly.energies import stored_energy, viscous_work
from condyle.system.assembly.forces import add_forces
from condyle.system.assembly.inertia import momenta
from condyle.system.assembly.maps import (
    first_step,
    move_step,
    normalise_directors,
    place,
    project_sizes,
    row_of,
    set_row,
)
from condyle.system.assembly.places import family, find_states, find_turns, set_pace
from condyle.system.linear.block_lu import factor_blocks, pad_blocks, solve_blocks
from condyle.system.linear.sharing import REGULARISATION, regularise, share_reactions
from condyle.system.tables import CONSERVING, PENALTY, Couplings, MassTable, Parts, Schedule

CONVERGED, NOT_CONVERGED, SINGULAR, NOT_FINITE = 0, 1, 2, 3
OVERFLOWN = 4  # the state was taken before that was seen
TURNED, UNBALANCED = 5, 6  # a body turns too far; energy is not kept


@table
class Redundant(NamedTuple):
    """How redundant constraints share their reactions; empty arrays where none depend on each other."""

    couplings: Couplings
    multiplier: Integers  # which one each of the couplings is
    weight: Numbers  # of its square in the sum that is made the least (`system/reactions.py`)


@table
class Problem(NamedTuple):
    """What does not change from step to step."""

    parts: Parts  # with places in block storage
    schedule: Schedule  # of the block elimination
    mass: MassTable  # the mass matrix without stand-ins
    gravity: Numbers2  # (n, d) [N]
    rows: Numbers2  # (2, n): 1 for positions, 0 for directions; 1 for rows that elements act on
    unit: Integers  # (motion,) which residuals are judged together
    multipliers: Integers2  # (5, m), see the columns below
    stiffness_l: Numbers
    stiffness_c: Numbers
    angles: Integers2  # (angles, 3): law in the table of all, place of its reference in the params, first vector
    tolerances: Numbers  # force, length, round-off
    most: int  # iterations
    share: float  # of the residual: factors are kept as long as an iteration leaves less; 0 for full Newton
    redundant: Redundant


# What is known of each multiplier.
HOLD = 0  # enforcement
PLACE = 1  # in a vector of the blocks, −1 if it is not iterated
DRIVE = 2  # function of time that its constraint follows, −1 for none
LIVE = 3  # is it iterated?
STIFF = 4  # place in the stiffness of links, then of constraints


@table
class Tables(NamedTuple):
    """Functions of time and prescribed rows for a block of steps."""

    sizes: Numbers  # (steps,) length h of each step [s]
    middle: Numbers2  # (steps, functions) values at mid-step
    ends: Numbers2  # (steps + 1, functions)
    gravity_middle: Numbers  # (steps,) factor of gravity
    gravity_ends: Numbers  # (steps + 1,)
    driven: Integers  # rows
    motion: Numbers3  # (steps, driven rows, d)


@table
class Work(NamedTuple):
    """Arrays that a step works on."""

    rows: Numbers3  # (10, n, d)
    vectors: Numbers2  # (5, numbers of a vector of the blocks)
    held: Numbers2  # (5, m): constraint values, their scale, multipliers, those before, values after the last step
    turns: Numbers3  # (2, bodies, 3)
    A: Numbers
    inverse: Numbers
    residuals: Numbers  # of the last step, relative to the tolerance
    past: Past
    tangent: Numbers  # the last matrix before it was factorised, kept where constraints are redundant


@table
class Record(NamedTuple):
    """What is kept of a block of steps: numbers of every step, frames of some."""

    scalars: Numbers2  # (steps, SCALARS), see `account.py`
    linear: Numbers2  # (steps, d)
    angular: Numbers2  # (steps, 3)
    x: Numbers3  # (frames, n, d)
    v: Numbers3
    mean: Numbers3
    multipliers: Numbers2  # (frames, m)
    turns: Numbers2  # (frames, angles)


@kernel
def kinematics(h, x0, v0, x1, step, mid, rate, acceleration):
    """Mid configuration, mean velocity and mean acceleration of a step."""
    pace, size = 1.0 / h, x0.size
    x0, x1, v0, step = x0.reshape(size), x1.reshape(size), v0.reshape(size), step.reshape(size)
    mid, rate, acceleration = mid.reshape(size), rate.reshape(size), acceleration.reshape(size)
    for i in range(size):
        mean = pace * step[i]
        mid[i] = 0.5 * (x0[i] + x1[i])
        rate[i] = mean
        acceleration[i] = 2.0 * pace * (mean - v0[i])


@kernel
def keep(x, copy):
    """copy ← x."""
    flat, to = x.reshape(x.size), copy.reshape(x.size)
    for i in range(flat.size):
        to[i] = flat[i]


@kernel
def factorise(problem, w):
    """The matrix that was assembled, with what keeps redundant constraints regular; False if a pivot is lost."""
    regularise(problem.redundant.couplings, REGULARISATION, 0.0, w.A)
    pad_blocks(problem.schedule, w.A)
    return factor_blocks(problem.schedule, w.A, w.inverse)


@kernel
def share(problem, w, multipliers):
    """Share the reactions of redundant constraints, with the last matrix that was kept."""
    redundant = problem.redundant
    if redundant.multiplier.size:
        share_reactions(
            redundant.couplings, redundant.weight, redundant.multiplier, problem.schedule, w.tangent, w.A, w.inverse,
            w.vectors[3], multipliers,
        )  # fmt: skip


@kernel
def correct(schedule, place, motion, r, c, A, inverse, du):
    """du = −A⁻¹ (r, c) with the factors at hand."""
    for i in range(du.size):
        du[i] = -r[i] if i < motion else 0.0
    for k in range(place.size):
        if place[k] >= 0:
            du[place[k]] = -c[k]
    solve_blocks(schedule, A, inverse, du)


@kernel(inline="always")
def balance(problem, h, x0, v0, gravity, middle, ends, w):
    """Newton's method as in `newton.solve`; returns status and iterations. At the end one more correction is made.

    Written so that each of the large kernels is called from one place only, and put into `run_steps` as it stands: compiled
    code has them once, which is most of the time it takes to compile.
    """
    q, q_scale, q_noise, x1, mid, rate, acceleration, x_old, step, step_old = (
        w.rows[0], w.rows[1], w.rows[2], w.rows[3], w.rows[4], w.rows[5], w.rows[6], w.rows[7], w.rows[8], w.rows[9]
    )  # fmt: skip
    r, r_scale, r_noise, du, inertia = w.vectors[0], w.vectors[1], w.vectors[2], w.vectors[3], w.vectors[4]
    c, c_scale, held, held_old = w.held[0], w.held[1], w.held[2], w.held[3]
    turn, turn_old = w.turns[0], w.turns[1]
    place = problem.multipliers[PLACE]
    iterations, stalled = 0, 0
    factor, previous, best = 0.0, np.inf, np.inf
    ratio, value = 1.0, np.inf
    tangent, again, has_factors, last, enough = True, False, False, False, False
    factorised, usual = 0, int(w.past.state[FACTORISED])
    w.residuals[:] = 0.0
    while True:
        if factor > 0.0:
            if factor < 1.0:  # back, and go less far
                step[:] = step_old
                turn[:] = turn_old
                for i in range(du.size):
                    du[i] *= 0.5
            move_step(problem.parts.rows, du, x0, x1, step, turn)
            for k in range(place.size):
                if place[k] >= 0:
                    held[k] = held_old[k] + du[place[k]]
        kinematics(h, x0, v0, x1, step, mid, rate, acceleration)
        if last:
            return CONVERGED, iterations
        assemble_compiled(
            problem.parts, (x0, x1, mid, rate, acceleration, x_old), (gravity, middle, ends),
            (held, problem.stiffness_l, problem.stiffness_c), CONSERVING, CONSERVING, (2.0 / h**2, 0.5, 1.0 / h),
            (NO_MAP, NO_MAP), tangent, (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, w.A),
        )  # fmt: skip
        if tangent:
            w.tangent[:] = w.A[: w.tangent.size]
        if not again:
            value, _ = judge(
                r, r_scale, r_noise, problem.unit, inertia, c, c_scale, problem.multipliers[LIVE], problem.tolerances[0],
                problem.tolerances[1], problem.tolerances[2],
            )  # fmt: skip
            beyond = first_beyond(turn) >= 0
            if iterations > 0 and (beyond or not value < 1e9 * previous) and factor > 0.05:
                factor *= 0.5
                continue
            if beyond:
                return TURNED, iterations
            w.residuals[iterations] = value
            ratio = value / previous
            # Factors that are kept take off the same share again: is that fast, or does it end the step?
            enough = ratio < problem.share if problem.share > 0.0 else ratio * value < 0.01
            stalled = stalled + 1 if value > 0.5 * best else 0
            best = min(best, value)
            if stalled >= 2 and value <= 100.0:
                return CONVERGED, iterations
            if value <= 1.0:
                if iterations == 0:
                    return CONVERGED, 0
                last = True
            elif not np.isfinite(value):
                return NOT_FINITE, iterations
            elif iterations >= problem.most:
                return NOT_CONVERGED, iterations
        has_factors = has_factors and not tangent
        if not (has_factors and (last or enough)):
            if not tangent:
                tangent, again, factor = True, True, 0.0
                continue
            if not factorise(problem, w):
                return SINGULAR, iterations
            has_factors = True
            if not last:
                factorised += 1
                w.past.state[FACTORISED] = factorised
        again = False
        correct(problem.schedule, place, problem.unit.size, r, c, w.A, w.inverse, du)
        keep(x1, x_old)
        keep(step, step_old)
        turn_old[:] = turn
        held_old[:] = held
        factor = 1.0
        if not last:
            iterations += 1
            previous = value
            # Is a new tangent needed? After the first iteration as in the step before; then, with quadratic convergence,
            # the square of the last ratio is the next: where that ends it, a tangent would be in vain.
            needed = usual > 1 if iterations == 1 else value * ratio * ratio > 1.0
            tangent = needed and problem.share == 0.0


@kernel
def inertia_sizes(mass, rows, x, v, h, size, inertia):
    """Round-off level of inertia forces per unknown: Σ|m| |h v| ∂ẍ/∂x through the maps (`System.inertia_scale`)."""
    size[:] = 0.0
    for e in range(mass.value.size):
        i, m = mass.first[e], 2.0 / h * abs(mass.value[e])
        s0, s1, s2 = row_of(size, i)
        v0, v1, v2 = row_of(v, mass.second[e])
        set_row(size, i, s0 + m * abs(v0), s1 + m * abs(v1), s2 + m * abs(v2))
    inertia[:] = 0.0
    project_sizes(rows, x, size, inertia)


@kernel
def resisted_work(mass, rows, h, q, step):
    """Work [J] of the supports that move as prescribed, less that of mass-proportional damping."""
    d = step.shape[1]
    work = 0.0
    damped = False
    for i in range(rows.kind.size):
        if rows.unknown[i] < 0:
            for a in range(d):
                work += q[i, a] * step[i, a]
        damped = damped or rows.drag[i] > 0.0
    if damped:
        for e in range(mass.value.size):
            i, j = mass.first[e], mass.second[e]
            for a in range(d):
                work -= mass.value[e] * rows.drag[j] * step[i, a] * step[j, a] / h
    return work


@kernel
def set_turns(laws, angles, turns):
    """Say on which turn each angle is at the start of a step."""
    for k in range(angles.shape[0]):
        laws.params[laws.param_start[angles[k, 0]] + angles[k, 1]] = turns[k]


@kernel
def work_of_step(problem, h, x0, x1, mid, step, rate, middle, gravity, w):
    """Work [J] of loads, torques, dampers, moving supports and changes of gravity over a step.

    Forces are those in its middle. w.rows[0] holds the residual of the rows there, and is used up; gravity: its factors at
    the start, in the middle and at the end.
    """
    rows, laws, spans = problem.parts.rows, problem.parts.laws, problem.parts.spans
    energies, forces = family(laws, spans, 0), family(laws, spans, 1)
    q = w.rows[0]
    work = resisted_work(problem.mass, rows, h, q, step)
    if energies.law.size:
        work -= viscous_work(energies, x0, x1, h)
    if forces.law.size:
        q[:] = 0.0
        add_forces(forces, rows, mid, rate, x1, middle, 0.5, 1.0 / h, NO_MAP, False, q, w.rows[1], w.A)
        for i in range(q.shape[0]):
            for a in range(q.shape[1]):
                work -= q[i, a] * step[i, a]
    before, middle_factor, after = gravity
    if before != after or before != middle_factor:
        for i in range(q.shape[0]):
            for a in range(q.shape[1]):
                work -= problem.gravity[i, a] * (after * x1[i, a] - before * x0[i, a] - middle_factor * step[i, a])
    return work


@kernel
def driving_work(problem, multipliers, before, after, ends, work):
    """Work [J] of drives: their force times what they have moved by, which a target that was set anew need not say.

    before, after: values of the constraints at both ends, c less target. A penalty stores what its constraint is off by.
    Returns the sum with `work`, that of all else in the step: steps alone and in a row are to add up to the same bits.
    """
    drive = problem.multipliers[DRIVE]
    for k in range(drive.size):
        if drive[k] >= 0:
            moved = ends[1, drive[k]] - ends[0, drive[k]]
            if problem.multipliers[HOLD, k] != PENALTY:
                moved += after[k] - before[k]
            work -= multipliers[k] * moved
    return work


@kernel
def _softness(problem, k):
    """Stiffness [N/m] with which a constraint is held by a penalty."""
    at, links = problem.multipliers[STIFF, k], problem.stiffness_l.size
    return problem.stiffness_l[at] if at < links else problem.stiffness_c[at - links]


@kernel
def soft_forces(problem, before, after, multipliers):
    """The forces of penalty constraints, of the mean of their values at two instants."""
    for k in range(multipliers.size):
        if problem.multipliers[HOLD, k] == PENALTY:
            multipliers[k] = _softness(problem, k) * 0.5 * (before[k] + after[k])


@kernel
def record_energies(problem, gravity, x, v, values, scalars, linear, angular):
    """Energies, momenta and the largest constraint error of a state; values: of the constraints."""
    energies = family(problem.parts.laws, problem.parts.spans, 0)
    stored = stored_energy(energies, x) if energies.law.size else 0.0
    error = 0.0
    for k in range(values.size):
        if problem.multipliers[HOLD, k] == PENALTY:
            stored += 0.5 * _softness(problem, k) * values[k] ** 2
        else:
            error = max(error, abs(values[k]))
    potential = 0.0
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            potential -= gravity * problem.gravity[i, a] * x[i, a]
    kinetic = momenta(problem.mass, problem.rows[0], x, v, linear, angular)
    scalars[KINETIC], scalars[STORED], scalars[GRAVITY] = kinetic, stored, potential
    scalars[TOTAL], scalars[ERROR] = kinetic + stored + potential, error


@kernel
def run_steps(problem, tables, x, v, mean, multipliers, turns, work, account, first, every, record, w):
    """Steps until the tables end or a step fails; x, v, mean, multipliers and turns become those reached.

    account: of energy (`account.py`). first: number of the first step in the run, of which every
    `every`-th is kept as a frame. Returns status, steps done, iterations of the step that failed, frames kept, work.
    """
    rows, laws, spans = problem.parts.rows, problem.parts.laws, problem.parts.spans
    links, constraints = family(laws, spans, 2), family(laws, spans, 3)
    n, d = x.shape
    x1, mid, rate, x_old, step = w.rows[3], w.rows[4], w.rows[5], w.rows[7], w.rows[8]
    values, turn = w.held[4], w.turns[0]
    gravity, guess = np.zeros((n, d)), np.zeros((n, d))
    frames = 0
    before = np.zeros((3, n, d))  # x, v, mean: a step whose energy is not kept is taken back
    held_before, turns_before = np.zeros(multipliers.size), np.zeros(turns.size)
    if (problem.multipliers[HOLD] == PENALTY).any() or (problem.multipliers[DRIVE] >= 0).any():
        set_turns(laws, problem.angles, turns)
        constraint_values(links, constraints, x, tables.ends[0], values)
    for s in range(tables.sizes.size):
        h = tables.sizes[s]
        set_turns(laws, problem.angles, turns)
        set_pace(laws, problem.angles[:, 0], problem.angles[:, 2], 2.0 / h, 0.0)
        for i in range(n):
            for a in range(d):
                gravity[i, a] = tables.gravity_middle[s] * problem.gravity[i, a]
                guess[i, a] = mean[i, a] if problem.rows[1, i] > 0 else 2.0 * v[i, a] - mean[i, a]
                x1[i, a] = x[i, a]
                x_old[i, a] = x[i, a]
        for k in range(tables.driven.size):
            for a in range(d):
                x1[tables.driven[k], a] = tables.motion[s, k, a]
        inertia_sizes(problem.mass, rows, x, v, h, w.rows[1], w.vectors[4])
        w.held[2, :] = multipliers
        forget_other_steps(w.past, h)
        if is_known(w.past):
            extrapolate(w.past, rows, problem.rows[1], step, turn, w.held[2])
            hold_back(turn)
            place(rows, x, x1, step, turn)
        else:
            first_step(rows, guess, h, x, x1, step, turn)
            if hold_back(turn):
                place(rows, x, x1, step, turn)
        ends = tables.ends[s : s + 2]
        status, iterations = balance(problem, h, x, v, gravity, tables.middle[s], ends, w)
        if status != CONVERGED:
            return status, s, iterations, frames, work
        normalise_directors(rows, x1)
        keep(x, before[0])
        keep(v, before[1])
        keep(mean, before[2])
        held_before[:] = multipliers
        turns_before[:] = turns
        multipliers[:] = w.held[2]
        share(problem, w, multipliers)
        w.held[2, :] = multipliers
        record.scalars[s, LEVEL] = force_level(problem.rows[0], problem.unit, x, w.vectors[1])
        gravities = (tables.gravity_ends[s], tables.gravity_middle[s], tables.gravity_ends[s + 1])
        done = work_of_step(problem, h, x, x1, mid, step, rate, tables.middle[s], gravities, w)
        for i in range(n):
            for a in range(d):
                mean[i, a] = step[i, a] / h
                v[i, a] = 2.0 / h * step[i, a] - v[i, a]
                x[i, a] = x1[i, a]
        if problem.angles.shape[0]:
            find_turns(laws, problem.angles[:, 0], problem.angles[:, 2], x, turns.copy(), turns)
            find_states(
                laws,
                problem.angles[:, 0],
                problem.angles[:, 1],
                problem.angles[:, 2],
                mid,
                tables.middle[s],
                0.5,
                turns,
            )
            set_turns(laws, problem.angles, turns)
        w.held[0, :] = values
        constraint_values(links, constraints, x, ends[1], values)
        soft_forces(problem, w.held[0], values, multipliers)
        done = driving_work(problem, multipliers, w.held[0], values, ends, done)
        record.scalars[s, WORK], record.scalars[s, ITERATIONS] = work + done, iterations
        record_energies(
            problem, tables.gravity_ends[s + 1], x, v, values, record.scalars[s], record.linear[s], record.angular[s]
        )
        if not np.isfinite(record.scalars[s, TOTAL]):
            return OVERFLOWN, s, iterations, frames, work
        if not is_kept(account, record.scalars[s]):
            keep(before[0], x)
            keep(before[1], v)
            keep(before[2], mean)
            multipliers[:] = held_before
            turns[:] = turns_before
            return UNBALANCED, s, iterations, frames, work
        work += done
        remember(w.past, rows, problem.rows[1], step, turn, w.held[2])
        if (first + s) % every == 0:
            record.x[frames] = x
            record.v[frames] = v
            record.mean[frames] = mean
            record.multipliers[frames] = multipliers
            record.turns[frames] = turns
            frames += 1
        if (first + s) % RESTART == 0:
            forget(w.past)
    return CONVERGED, tables.sizes.size, 0, frames, work
