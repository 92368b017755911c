"""Steps in compiled code: one loop, one Newton's method and one account of energy for every scheme.

Nothing between two steps needs Python here, so a small model takes microseconds per step. What may ask for Python (functions of
time, prescribed rows) is tabulated for a block of steps beforehand. `newmark` is None for energy–momentum steps; the compiler
then leaves out what only generalized-α needs, and the other way round. Contacts are behind addresses (`contact_steps.py`). Each
of the large kernels is called from one place, and parts of the loop are put in as they stand: compiled code has them once, and
that is most of the time that it takes to compile.
"""

from __future__ import annotations

from numba import types

from condyle.integrators.account import ITERATIONS, LEVEL, STORED, TOTAL, WORK, force_level, is_kept
from condyle.integrators.contact_steps import (
    are_there,
    begin_contacts,
    go_on_with_contacts,
    meet_or_part,
    stored_in_contacts,
)
from condyle.integrators.convergence import (
    CONVERGED,
    COUNT,
    COUPLED,
    EVALUATE,
    FACTORISE,
    FORESEEING,
    KEPT,
    LAST,
    MADE,
    OVERFLOWN,
    SINGULAR,
    SURVEY,
    TANGENT,
    TOUCHED,
    TURNED,
    UNBALANCED,
    begin,
    decide,
    go_on,
    goes_astray,
    judge,
    next_correction,
)
from condyle.integrators.differences import are_of_second_order
from condyle.integrators.elimination import assembled, correct, factorise, share
from condyle.integrators.extrapolation import (
    RESTART,
    extrapolate,
    forget,
    forget_motion,
    forget_other_steps,
    is_known,
    remember,
    usual_factorisations,
)
from condyle.integrators.finishing import finish_step, pressing
from condyle.integrators.midpoint import guess_midpoint, move_midpoint
from condyle.integrators.newmark import (
    BY_INERTIA,
    BY_RATE,
    TRUE,
    Newmark,
    guess_newmark,
    move_newmark,
    start_newmark,
)
from condyle.integrators.step_tables import (
    ACCELERATION,
    BORNE,
    C_SCALE,
    DRIVE,
    GUESS,
    HELD_OLD,
    HOLD,
    LIVE,
    MEAN,
    MIDDLE,
    PLACE,
    Q_SCALE,
    RATE,
    SOLVED,
    STEP,
    STEP_OLD,
    VALUES,
    VALUES_BEFORE,
    WEIGHT,
    X_OLD,
    C,
    Motion,
    Problem,
    Q,
    Record,
    Scheme,
    Tables,
    Work,
)
from condyle.integrators.step_work import (
    driven_rates_work,
    driving_work,
    record_energies,
    soft_forces,
    support_work,
    work_of_forces,
)
from condyle.integrators.still import are_still
from condyle.integrators.turning import first_beyond, hold_back
from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel
from condyle.system.assembly import NO_MAP, assemble_compiled
from condyle.system.assembly.constraints import constraint_values
from condyle.system.assembly.maps import (
    first_step,
    move_step,
    normalise_directors,
    place,
    project_sizes,
    row_of,
    set_row,
)
from condyle.system.assembly.places import family, find_states, find_turns, keep, set_pace
from condyle.system.signatures import count, f1, number
from condyle.system.tables import CONSERVING, PENALTY
from condyle.system.touching.conditions import CONSERVING as WHOLE
from condyle.system.touching.conditions import END as AT_END
from condyle.system.touching.conditions import MEAN as MEAN_OF_STEP
from condyle.system.touching.coupled import solve_coupled
from condyle.system.touching.points import add_touching
from condyle.system.touching.tables import CHANGES, FORCED, FULL, LEFT, STALE, Touching

UNSOLVED = 1e3  # a point is taken for what its forces do not say: nothing is solved yet
KEEP = 1e-2  # of the residual is left by a correction with whose factors shapes that meet go on
MOST_CHANGES = 12  # of the status of points within a step: then other guesses are Python's


def _types(newmark):
    """Those of a run; newmark: the type of the factors of such a method, none for one with mean velocities."""
    tables = (numba_type(kind) for kind in (Tables, Motion, Motion))
    rest = (number, f1, count, count, numba_type(Record), numba_type(Work))
    return (numba_type(Problem), numba_type(Scheme), newmark, numba_type(Touching), *tables, *rest)


@kernel(nogil=True, ahead={"run_steps": _types(types.none), "run_steps of Newmark": _types(numba_type(Newmark))})
def run_steps(problem, scheme, newmark, touch, tables, now, after, work, account, first, every, record, w):
    """Steps until the tables end or a step fails; `now` becomes the state reached.

    touch: contacts; the columns of its table are empty where there are none.

    after: room for the end of a step, which is taken over only if all is well with it. work, account: of the run so far
    (`account.py`). first: number of the first step in the run, of which every `every`-th is kept as a frame. Returns how it
    ended, steps done, frames kept, work. Other threads go on meanwhile: runs of a batch are on all cores (`analysis/batch.py`).
    """
    whole, frames = problem.whole, 0
    if _is_soft_or_driven(problem.multipliers[HOLD], problem.multipliers[DRIVE]):
        values_at_start(problem, tables, now, w)
    for s in range(tables.sizes.size):
        scalars = record.scalars[s]
        lower = False  # is the step one of order 1, whatever the method?
        while True:
            _begin(problem, scheme, newmark, touch, tables, s, lower, now, after, w)
            status = _balance(problem, scheme, newmark, touch, tables, s, now, after, w)
            if newmark is None:
                break
            if status != CONVERGED or not _looks_back_too_far(newmark, touch, now):
                break
            lower = True
        scalars[LEVEL] = force_level(problem.rows[0], problem.unit, now.x, w.vectors[1])
        if status == CONVERGED:
            status = _finish(problem, scheme, newmark, touch, tables, s, now, after, w)
        if status != CONVERGED:
            return status, s, frames, work
        done = _work(problem, scheme, newmark, touch, tables, s, now, after, w)
        if not record_step(problem, tables, s, after, work + done, w.control[COUNT], record, w):
            return OVERFLOWN, s, frames, work
        if are_there(touch):
            stored = stored_in_contacts(touch, after.x, after.touch)
            scalars[STORED], scalars[TOTAL] = scalars[STORED] + stored, scalars[TOTAL] + stored
        if scheme.exact and not is_kept(account, scalars):
            return UNBALANCED, s, frames, work
        work += done
        frames = take_over(after, now, record, frames, first + s, every)
        remember(w.past, whole.rows, problem.rows[1], w.rows[STEP], w.turns[0], w.held[SOLVED], w.control[MADE])
        if (first + s) % RESTART == 0:
            forget(w.past)
    return CONVERGED, tables.sizes.size, frames, work


@kernel
def _looks_back_too_far(newmark, touch, now):
    """Has a contact closed or opened in a step that looks back to before it (`bdf.py`)?"""
    return are_of_second_order(newmark.differences) and are_there(touch) and meet_or_part(touch, now) > 0


@kernel
def _is_soft_or_driven(hold, drive):
    """Does work of constraints need their values at the start of a run: of penalties, or along a function of time?"""
    found = False
    for k in range(hold.size):
        found = found or hold[k] == PENALTY or drive[k] >= 0
    return found


@kernel
def values_at_start(problem, tables, now, w):
    """Values of the constraints at the start of a run, from which the account of its first step goes on."""
    whole = problem.whole
    set_turns(whole.laws, problem.angles, now.turns)
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    constraint_values(links, constraints, now.x, tables.ends[0], w.held[VALUES])


# --- the parts of a step ----------------------------------------------------------------------------------------------


@kernel(inline="always")
def _begin(problem, scheme, newmark, touch, tables, s, lower, now, after, w):
    """Turns, states, gravity and prescribed rows of step s, and its first guess; lower: is it to be of order 1?"""
    rows, laws, angles = problem.whole.rows, problem.whole.laws, problem.angles
    h, weight = tables.sizes[s], w.rows[WEIGHT]
    set_turns(laws, angles, now.turns)
    set_pace(laws, angles[:, 0], angles[:, 2], 2.0 / h, scheme.lead * h)
    keep(now.x, after.x)
    keep(now.x, w.rows[X_OLD])
    keep(now.multipliers, after.multipliers)
    gravity = tables.gravity_middle[s] if scheme.share < 1.0 else tables.gravity_ends[s + 1]
    for i in range(weight.shape[0]):
        for a in range(weight.shape[1]):
            weight[i, a] = gravity * problem.gravity[i, a]
    for k in range(tables.driven.size):
        for a in range(weight.shape[1]):
            after.x[tables.driven[k], a] = tables.motion[s, 0, k, a]
    inertia = scheme.inertia
    if newmark is not None:
        start_newmark(scheme, newmark, rows, tables, s, lower, now, after, w)
        inertia = newmark.slopes[BY_INERTIA]
    inertia_sizes(problem.mass, rows, now.x, now.v, inertia / abs(h), w.rows[Q_SCALE], w.vectors[4])
    rows.pace[0] = 1.0 / h  # rates of quasi-static bodies
    if newmark is not None and are_still(newmark.still):
        forget_motion(w.past)  # the last step has left a guess
    if are_there(touch):
        forget(w.past)  # where bodies meet, motion does not go on as before
        begin_contacts(touch, now.x, now.v, h, now.touch)
    forget_other_steps(w.past, h)
    known = is_known(w.past)
    if known:
        extrapolate(w.past, rows, problem.rows[1], w.rows[STEP], w.turns[0], after.multipliers)
    else:
        if newmark is None:
            guess_midpoint(problem.rows[1], now, w)
        else:
            guess_newmark(h, problem.rows[1], are_there(touch) or are_still(newmark.still), now, w)
        first_step(rows, w.rows[GUESS], h, now.x, after.x, w.rows[STEP], w.turns[0])
    if hold_back(w.turns[0]) or known:
        place(rows, now.x, after.x, w.rows[STEP], w.turns[0])


@kernel(inline="always")
def _balance(problem, scheme, newmark, touch, tables, s, now, after, w):
    """Newton's method for step s, by the rule of `convergence.py`; returns how it ended."""
    rows, unknown, h = problem.whole.rows, problem.multipliers[PLACE], tables.sizes[s]
    control, du, held_old = w.control, w.vectors[3], w.held[HELD_OLD]
    ends = tables.ends[s : s + 2]
    loads = (w.rows[WEIGHT], tables.middle[s] if scheme.share < 1.0 else ends[1], ends)
    touches = are_there(touch)
    if touches and touch.flags[STALE]:
        return SURVEY
    begin(control, problem.share, problem.most, scheme.polished, True, usual_factorisations(w.past))
    # Contacts may still change, and what moving supports bear is read from the last residual.
    control[KEPT] = KEEP if touches and touch.meeting.apart else 0.0
    control[FORESEEING] = 1.0 if scheme.polished and not touches and tables.driven.size == 0 else 0.0
    w.residuals[:] = 0.0
    inertia, rate = scheme.inertia, scheme.rate
    if newmark is not None:
        inertia, rate = newmark.slopes[BY_INERTIA], newmark.slopes[BY_RATE]
    moving, action = False, FACTORISE
    while True:
        if moving:
            move_step(rows, du, now.x, after.x, w.rows[STEP], w.turns[0])
            for k in range(unknown.size):
                if unknown[k] >= 0:
                    after.multipliers[k] = held_old[k] + du[unknown[k]]
        if newmark is None:
            move_midpoint(h, now, after, w)
            motion = (now.x, after.x, w.rows[MIDDLE], w.rows[RATE], w.rows[ACCELERATION], w.rows[X_OLD])
            maps = (NO_MAP, NO_MAP)
        else:
            move_newmark(newmark, rows, h, now, after, control[TANGENT] > 0.0, w)
            motion = (now.x, after.x, after.x, after.v, after.rows[TRUE], w.rows[X_OLD])
            maps = (newmark.acceleration_map, newmark.rate_map)
        if control[LAST] > 0.0:
            return CONVERGED
        assemble_compiled(
            problem.whole, motion, loads, (after.multipliers, problem.stiffness_l, problem.stiffness_c), scheme.where,
            scheme.where, (inertia / (h * h), scheme.share, rate / h), maps, control[TANGENT] > 0.0,
            assembled(w),
        )  # fmt: skip
        if touches:
            _touch(problem, newmark, touch, h, now, after, w)
        if control[TANGENT] > 0.0:
            keep(w.A[: w.tangent.size], w.tangent)
        if action == EVALUATE:
            action = next_correction(control)
        else:
            value, _ = judge(
                w.vectors[0], w.vectors[1], w.vectors[2], problem.unit, w.vectors[4], w.held[C], w.held[C_SCALE],
                problem.multipliers[LIVE], problem.tolerances[0], problem.tolerances[1], problem.tolerances[2],
            )  # fmt: skip
            if touches and touch.flags[FORCED]:
                value = max(value, UNSOLVED)
            beyond = first_beyond(w.turns[0]) >= 0
            if goes_astray(control, value, beyond):
                keep(w.rows[STEP_OLD], w.rows[STEP])
                keep(w.turns[1], w.turns[0])
                for k in range(du.size):
                    du[k] *= 0.5
                moving = True
                continue
            if beyond:
                return TURNED
            w.residuals[int(control[COUNT])] = value
            if touches and (touch.flags[CHANGES] > MOST_CHANGES or touch.flags[FULL]):
                return TOUCHED
            if touches and touch.flags[LEFT] and value <= 1.0:
                return TOUCHED  # Python says where it has left its surface
            action = decide(control, value)
            if action < EVALUATE:
                return action
        moving = action != EVALUATE
        if moving:
            if touches:
                go_on_with_contacts(touch, action == FACTORISE, w.A)
            if action == FACTORISE and not factorise(problem, w):
                return SINGULAR
            correct(problem.schedule, unknown, problem.unit.size, w.vectors[0], w.held[C], w.A, w.inverse, du)
            if touches and not solve_coupled(touch, problem.schedule, problem.unit.size, w.A, w.inverse, du):
                return COUPLED
            keep(after.x, w.rows[X_OLD])
            keep(w.rows[STEP], w.rows[STEP_OLD])
            keep(w.turns[0], w.turns[1])
            keep(after.multipliers, held_old)
            go_on(control, 1.0)


@kernel
def _touch(problem, newmark, touch, h, now, after, w):
    """Add contacts to an iterate.

    Methods that balance the end of a step take soft laws as means over it, with a weight; backward differences as all else.
    """
    where, weight, damping = WHOLE, 1.0, 0.0
    if newmark is not None:
        if newmark.differences.order > 0:
            where = AT_END
        else:
            where, (weight, damping) = MEAN_OF_STEP, pressing(newmark.coefficients)
        _middle_place(now, after, w)
    add_touching(
        touch, problem.whole.rows, now.x, after.x, w.rows[MIDDLE], after.v[:0], h, where, weight, damping,
        w.control[TANGENT] > 0.0, now.touch, after.multipliers, w.held[C], w.held[C_SCALE], assembled(w), w.A,
    )  # fmt: skip


@kernel
def _middle_place(now, after, w):
    middle = w.rows[MIDDLE]
    for i in range(middle.shape[0]):
        for a in range(middle.shape[1]):
            middle[i, a] = 0.5 * (now.x[i, a] + after.x[i, a])


@kernel(inline="always")
def _finish(problem, scheme, newmark, touch, tables, s, now, after, w):
    """Reactions, turns and states, and all that the scheme carries on at the end of step s; returns how it ended."""
    laws, angles, h, ends = problem.whole.laws, problem.angles, tables.sizes[s], tables.ends[s : s + 2]
    normalise_directors(problem.whole.rows, after.x)
    share(problem, w, after.multipliers)
    keep(after.multipliers, w.held[SOLVED])
    if angles.shape[0]:
        taken = w.rows[MIDDLE] if scheme.share < 1.0 else after.x
        amplitudes = tables.middle[s] if scheme.share < 1.0 else ends[1]
        find_turns(laws, angles[:, 0], angles[:, 2], after.x, now.turns, after.turns)
        find_states(laws, angles[:, 0], angles[:, 1], angles[:, 2], taken, amplitudes, scheme.share, after.turns)
    set_turns(laws, angles, after.turns)
    if newmark is not None:
        set_pace(laws, angles[:, 0], angles[:, 2], -1.0, 0.0)  # states are held
        if are_there(touch) and tables.driven.size:
            keep(w.rows[Q], w.rows[BORNE])
    return finish_step(problem, newmark, touch, h, now, after, ends, tables.rates[s], w)


@kernel(inline="always")
def _work(problem, scheme, newmark, touch, tables, s, now, after, w):
    """Work [J] that is done from outside over step s."""
    conserving = scheme.share < 1.0
    if newmark is not None:
        middle_of_step(tables.sizes[s], now, after, w)
    balanced = newmark is not None and not are_there(touch)
    if newmark is not None and not balanced and tables.driven.size:
        keep(w.rows[BORNE], w.rows[Q])
    return work_of_step(problem, conserving, 0.0 if conserving else 0.5, tables, s, now, after, w, balanced)


@kernel
def work_of_step(problem, between, older, tables, s, now, after, w, balanced):
    """Work [J] that is done from outside over step s; penalty forces and values of constraints at its end are found, too.

    between: are forces of penalties those of both ends of the step, or of its end? older: share of the multipliers of the step
    before in those that do work: ½ where they belong to ends of steps, 0 where they belong to starts or middles. balanced: is
    what supports bear that of the middle of the step, or what the equations left there? `middle_of_step` comes before.
    """
    whole, angles, h, ends = problem.whole, problem.angles, tables.sizes[s], tables.ends[s : s + 2]
    before, values, mean, step = w.held[VALUES_BEFORE], w.held[VALUES], w.held[MEAN], w.rows[STEP]
    keep(values, before)
    constraint_values(family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3), after.x, ends[1], values)
    soft_forces(problem, before if between else values, values, after.multipliers)
    for k in range(mean.size):
        mean[k] = older * now.multipliers[k] + (1.0 - older) * after.multipliers[k]
    set_turns(whole.laws, angles, now.turns)
    set_pace(whole.laws, angles[:, 0], angles[:, 2], 2.0 / h, 0.0)
    done = 0.0
    if tables.driven.size:
        if balanced:
            _balance_middle(problem, tables, s, now, after, w)
        done += support_work(whole.rows, w.rows[Q], step)
    done += work_of_forces(
        whole, problem.mass, problem.gravity, h, (now.x, after.x, w.rows[MIDDLE], step, w.rows[RATE]), tables.middle[s],
        (tables.gravity_ends[s], tables.gravity_middle[s], tables.gravity_ends[s + 1]), (w.rows[Q], w.rows[Q_SCALE], w.A),
    )  # fmt: skip
    done += driven_rates_work(family(whole.laws, whole.spans, 4), mean, tables.middle[s], h)
    set_turns(whole.laws, angles, after.turns)
    return driving_work(problem.multipliers[HOLD], problem.multipliers[DRIVE], mean, before, values, ends, done)


@kernel
def middle_of_step(h, now, after, w):
    """Mid configuration, mean velocity and mean acceleration of a step that was balanced at its end."""
    step, middle, rate, acceleration = w.rows[STEP], w.rows[MIDDLE], w.rows[RATE], w.rows[ACCELERATION]
    for i in range(step.shape[0]):
        for a in range(step.shape[1]):
            middle[i, a] = 0.5 * (now.x[i, a] + after.x[i, a])
            rate[i, a] = step[i, a] / h
            acceleration[i, a] = (after.v[i, a] - now.v[i, a]) / h


@kernel
def _balance_middle(problem, tables, s, now, after, w):
    """The residual at the middle of a step that was balanced at its end: what moving supports have to bear there."""
    h, weight = tables.sizes[s], w.rows[WEIGHT]
    for i in range(weight.shape[0]):
        for a in range(weight.shape[1]):
            weight[i, a] = tables.gravity_middle[s] * problem.gravity[i, a]
    assemble_compiled(
        problem.whole, (now.x, after.x, w.rows[MIDDLE], w.rows[RATE], w.rows[ACCELERATION], now.x),
        (weight, tables.middle[s], tables.ends[s : s + 2]), (w.held[MEAN], problem.stiffness_l, problem.stiffness_c),
        CONSERVING, CONSERVING, (2.0 / (h * h), 0.5, 1.0 / h), (NO_MAP, NO_MAP), False, assembled(w),
    )  # fmt: skip


@kernel
def record_step(problem, tables, s, after, work, iterations, record, w):
    """Put down work [J] until its end, iterations, energies and momenta of step s; False if one of them is not finite."""
    scalars = record.scalars[s]
    scalars[WORK], scalars[ITERATIONS] = work, iterations
    gravity = tables.gravity_ends[s + 1]
    return record_energies(
        problem, gravity, after.x, after.v, w.held[VALUES], scalars, record.linear[s], record.angular[s]
    )


@kernel
def take_over(after, now, record, frames, number, every):
    """The end of a step is the start of the next; every `every`-th step is kept. Returns how many frames there are."""
    _take(after, now)
    if number % every == 0:
        _keep_frame(record.frames, frames, now)
        return frames + 1
    return frames


@kernel
def _take(after, now):
    keep(after.x, now.x)
    keep(after.v, now.v)
    keep(after.multipliers, now.multipliers)
    keep(after.turns, now.turns)
    keep(after.rows, now.rows)
    keep(after.bodies, now.bodies)
    keep(after.touch, now.touch)


@kernel
def _keep_frame(frames, at, now):
    keep(now.x, frames.x[at])
    keep(now.v, frames.v[at])
    keep(now.multipliers, frames.multipliers[at])
    keep(now.turns, frames.turns[at])
    keep(now.rows, frames.rows[at])
    keep(now.bodies, frames.bodies[at])
    keep(now.touch, frames.touch[at])


@kernel
def set_turns(laws, angles, turns):
    """Say on which turn each angle is at the start of a step."""
    for k in range(angles.shape[0]):
        laws.params[laws.param_start[angles[k, 0]] + angles[k, 1]] = turns[k]


@kernel
def inertia_sizes(mass, rows, x, v, factor, size, inertia):
    """Round-off level of inertia forces per unknown, through the maps: Σ|m| |v| times factor = h ∂ẍ/∂x."""
    size[:] = 0.0
    for e in range(mass.value.size):
        i, m = mass.first[e], factor * abs(mass.value[e])
        s0, s1, s2 = row_of(size, i)
        v0, v1, v2 = row_of(v, mass.second[e])
        set_row(size, i, s0 + m * abs(v0), s1 + m * abs(v1), s2 + m * abs(v2))
    inertia[:] = 0.0
    project_sizes(rows, x, size, inertia)
