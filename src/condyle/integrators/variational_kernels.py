"""Steps with variational penalties in compiled code: the equations of `variational.py`, Newton's method with a line search."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.integrators.account import LEVEL, force_level
from condyle.integrators.convergence import (
    CONVERGED,
    INVERTED,
    NOT_CONVERGED,
    NOT_FINITE,
    OVERFLOWN,
    ROUND_OFF_LEVEL,
    SINGULAR,
)
from condyle.integrators.elimination import assembled, correct, factorise
from condyle.integrators.lie import spins
from condyle.integrators.loop import middle_of_step, record_step, set_turns, take_over, work_of_step
from condyle.integrators.step_tables import (
    ACCELERATION,
    C_SCALE,
    LIVE,
    NONE,
    PLACE,
    RATE,
    STEP,
    VALUES,
    WEIGHT,
    X_OLD,
    C,
    Q,
)
from condyle.laws.columns import Integers, Numbers, Numbers2, table
from condyle.laws.kernel import kernel
from condyle.system.assembly import NO_MAP, assemble_compiled
from condyle.system.assembly.constraints import constraint_values
from condyle.system.assembly.inverted import first_inverted
from condyle.system.assembly.maps import move, normalise_directors, row_of, set_row
from condyle.system.assembly.places import family, find_states, find_turns, keep, set_pace
from condyle.system.tables import END, FREE, Couplings, WholeSystem

MASS, A, B, BACK, DELTA = 0, 1, 2, 3, 4  # columns of the laws of penalties on their steps (`rescaling.Rescaled`)
LONG, BEFORE = (
    0,
    1,
)  # in `Motion.touch`: length of the step before [s]; from there on, values of constraints at its start
TOLERANCE = 1e-10  # of the residual, relative to the sizes of its terms
SAME = 1e-9  # of a step: two that differ by less are of one length
SHORTEST = 1.0 / 64.0  # share of a correction that the line search takes at least
MOST_STALLED = (
    4  # corrections one after the other along which the residual does not fall: the step has no solution near
)


@table
class Penalties(NamedTuple):
    """What steps with variational penalties have beyond others."""

    laws: Numbers2  # (steps, 5) of penalties on each step
    held: WholeSystem  # constraints and masses alone: what is not explicit
    couplings: Couplings  # where gradients of constraints stand in the matrix
    of: Integers  # (couplings,) which multiplier each of them is
    own: Integers  # (couplings,) its own entry in the matrix
    soft: Integers  # (m,) is it a penalty? 0 for constraints of velocities, which are held exactly
    gradients: Numbers  # room for those at the start of the step
    most: int  # iterations
    search: bool  # along corrections
    groups: int  # of residuals that are judged together
    stiffness_l: Numbers  # of links that the model itself holds by penalties, else 0; they are implicit
    stiffness_c: Numbers
    none_l: Numbers  # as many, all 0
    none_c: Numbers


@kernel
def run_variational(problem, penalties, tables, now, after, work, first, every, record, w):
    """As `loop.run_steps`; `now.touch` and `now.rows` hold the step before (`LONG`, `BEFORE`)."""
    whole, frames, m = problem.whole, 0, now.multipliers.size
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    room, held = np.zeros((2, *now.x.shape)), np.zeros((2, m))
    set_turns(whole.laws, problem.angles, now.turns)
    constraint_values(links, constraints, now.x, tables.ends[0], w.held[VALUES])
    for s in range(tables.sizes.size):
        status, count = _step(problem, penalties, tables, s, now, after, room, held, w)
        if status != CONVERGED:
            return status, s, frames, work
        after.touch[LONG] = tables.sizes[s]
        for k in range(m):
            after.touch[BEFORE + k] = w.held[VALUES, k]
        scalars = record.scalars[s]
        scalars[LEVEL] = force_level(problem.rows[0], problem.unit, now.x, w.vectors[1])
        middle_of_step(tables.sizes[s], now, after, w)
        done = work_of_step(problem, False, 0.0, tables, s, now, after, w, True)
        if not record_step(problem, tables, s, after, work + done, float(count), record, w):
            return OVERFLOWN, s, frames, work
        work += done
        frames = take_over(after, now, record, frames, first + s, every)
    return CONVERGED, tables.sizes.size, frames, work


@kernel
def _step(problem, penalties, tables, s, now, after, room, held, w):
    """One step: what is explicit, Newton's method, the motion; how it ended and its iterations."""
    whole, h, angles = problem.whole, tables.sizes[s], problem.angles
    rows, laws, before = whole.rows, whole.laws, now.rows[0]
    goes_on = abs(now.touch[LONG] - h) <= SAME * h
    set_turns(laws, angles, now.turns)
    set_pace(laws, angles[:, 0], angles[:, 2], 1.0 / h, 0.0)
    _explicit_forces(problem, penalties, tables, s, now, room, w)
    known = held[1]
    law = penalties.laws[s]
    inertia = law[MASS] / h**2
    for k in range(known.size):
        value = w.held[VALUES, k]
        earlier = now.touch[BEFORE + k] if goes_on else value
        known[k] = ((law[B] - 2.0 * inertia) * value + (law[BACK] + inertia) * earlier) / law[DELTA]
        after.multipliers[k] = now.multipliers[k] if penalties.soft[k] else 0.0
    status, count = _solve(problem, penalties, tables, s, goes_on, now, after, room, held, w)
    if status != CONVERGED:
        return status, count
    normalise_directors(rows, after.x)
    if first_inverted(family(laws, whole.spans, 0), now.x, after.x) >= 0:
        return INVERTED, count
    _velocities(rows, h, goes_on, tables, s, now, before, after, w)
    keep(now.x, after.rows[0])
    for i in range(now.x.shape[0]):
        for a in range(now.x.shape[1]):
            w.rows[STEP, i, a] = after.x[i, a] - now.x[i, a]
    if angles.shape[0]:
        find_turns(laws, angles[:, 0], angles[:, 2], after.x, now.turns, after.turns)
        find_states(laws, angles[:, 0], angles[:, 1], angles[:, 2], now.x, tables.ends[s], 1.0, after.turns)
    return CONVERGED, count


@kernel
def _explicit_forces(problem, penalties, tables, s, now, room, w):
    """Forces at the start of the step, as a load room[0], and the gradients of all constraints there."""
    h, weight, load, still = tables.sizes[s], w.rows[WEIGHT], room[0], w.rows[ACCELERATION]
    none, targets = w.held[NONE], np.zeros((2, tables.ends.shape[1]))
    for k in range(none.size):
        none[k] = 0.0
    for k in range(targets.shape[1]):
        targets[0, k] = targets[1, k] = tables.ends[s, k]
    for i in range(weight.shape[0]):
        for a in range(weight.shape[1]):
            weight[i, a] = tables.gravity_ends[s] * problem.gravity[i, a]
            still[i, a] = 0.0
    assemble_compiled(
        problem.whole, (now.x, now.x, now.x, now.v, still, now.x), (weight, tables.ends[s], targets),
        (none, penalties.none_l, penalties.none_c), END, END, (0.0, 1.0, 1.0 / h), (NO_MAP, NO_MAP), True,
        assembled(w),
    )  # fmt: skip
    for i in range(weight.shape[0]):
        for a in range(weight.shape[1]):
            load[i, a] = -w.rows[Q, i, a]
    column = penalties.couplings.column
    for e in range(column.size):
        penalties.gradients[e] = w.A[column[e]]


@kernel
def _solve(problem, penalties, tables, s, goes_on, now, after, room, held, w):
    """Newton's method from where the motion leads, with a line search; how it ended and its iterations."""
    rows, place, h = problem.whole.rows, problem.multipliers[PLACE], tables.sizes[s]
    du, x, tried, solved = w.vectors[3], after.x, room[1], held[0]
    keep(now.x, x)
    for k in range(tables.driven.size):
        for a in range(x.shape[1]):
            x[tables.driven[k], a] = tables.motion[s, 0, k, a]
    _guess(rows, h, goes_on, now, w, du)
    move(rows, du, x)
    level = _residual(problem, penalties, tables, s, goes_on, now, room[0], held[1], x, after.multipliers, w)
    least, count = level, 0
    w.residuals[:] = 0.0
    w.residuals[0] = level
    while level > 1.0:
        if count >= penalties.most:
            return NOT_CONVERGED, count
        for k in range(penalties.own.size):
            if penalties.soft[penalties.of[k]]:
                w.A[penalties.own[k]] -= 1.0 / _rigidity(penalties.laws[s], h)
        if not factorise(problem, w):
            return SINGULAR, count
        correct(problem.schedule, place, problem.unit.size, w.vectors[0], w.held[C], w.A, w.inverse, du)
        keep(x, tried)
        keep(after.multipliers, solved)
        share, before = 1.0, level
        while True:
            keep(tried, x)
            move(rows, du, x)
            for k in range(place.size):
                if place[k] >= 0:
                    after.multipliers[k] = solved[k] + du[place[k]]
            level = _residual(problem, penalties, tables, s, goes_on, now, room[0], held[1], x, after.multipliers, w)
            if not penalties.search or level < before or share <= SHORTEST:
                break
            share *= 0.5
            for k in range(du.size):
                du[k] *= 0.5
        if not np.isfinite(level):
            return NOT_FINITE, count
        count += 1
        w.residuals[count] = level
        if count > 3 and level <= ROUND_OFF_LEVEL and level >= 0.5 * least:
            break  # round-off
        least = min(least, level)
    return CONVERGED, count


@kernel
def _rigidity(law, h):
    """∂λ/∂c1 [N/m] of penalties."""
    return (law[MASS] / h**2 + law[A]) / law[DELTA]


@kernel
def _residual(problem, penalties, tables, s, goes_on, now, load, known, x, multipliers, w):
    """Residual and matrix at an iterate, but for the diagonal of penalties; its size relative to what is tolerated."""
    h, rate, change, none = tables.sizes[s], w.rows[RATE], w.rows[ACCELERATION], w.held[NONE]
    before, couplings, of = now.rows[0], penalties.couplings, penalties.of
    twice = 1.0 if goes_on else 2.0  # the first step begins with the velocity, in its middle
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            step = x[i, a] - now.x[i, a]
            last = now.x[i, a] - before[i, a] if goes_on else h * now.v[i, a]
            rate[i, a] = step / h
            change[i, a] = twice * (step - last) / h**2
    targets = np.zeros((2, tables.ends.shape[1]))
    for k in range(targets.shape[1]):
        targets[0, k] = targets[1, k] = tables.ends[s + 1, k]
    assemble_compiled(
        penalties.held, (x, x, now.x, rate, change, x), (load, tables.ends[s + 1], targets),
        (none, penalties.stiffness_l, penalties.stiffness_c), END, END, (twice / h**2, 0.0, 1.0 / h), (NO_MAP, NO_MAP), True,
        assembled(w),
    )  # fmt: skip
    r, size, c, rigidity = w.vectors[0], w.vectors[1], w.held[C], _rigidity(penalties.laws[s], h)
    for k in range(of.size):
        for e in range(couplings.start[k], couplings.start[k + 1]):
            force = penalties.gradients[e] * multipliers[of[k]]
            w.A[couplings.column[e]] = penalties.gradients[e]
            r[couplings.unknown[e]] += force
            size[couplings.unknown[e]] += abs(force)
    largest, motion = np.full(penalties.groups, 1e-300), problem.unit.size
    for i in range(motion):
        largest[problem.unit[i]] = max(largest[problem.unit[i]], size[i])
    level = 0.0
    for i in range(motion):
        value = abs(r[i]) / largest[problem.unit[i]]
        if not value <= level:  # also where it is not a number
            level = value
    for k in range(multipliers.size):
        if problem.multipliers[LIVE, k] > 0:
            scale = max(w.held[C_SCALE, k], 1e-300)
            if penalties.soft[k]:
                c[k] -= (multipliers[k] - known[k]) / rigidity
                scale = max(scale, abs(multipliers[k] / rigidity))
            value = abs(c[k]) / scale
            if not value <= level:
                level = value
    return level / TOLERANCE


@kernel
def _guess(rows, h, goes_on, now, w, du):
    """Motion goes on as in the step before."""
    v, before, spin, d = w.rows[X_OLD], now.rows[0], w.turns[0], now.x.shape[1]
    for i in range(now.x.shape[0]):
        for a in range(d):
            v[i, a] = (now.x[i, a] - before[i, a]) / h if goes_on else now.v[i, a]
    for k in range(du.size):
        du[k] = 0.0
    for i in range(now.x.shape[0]):
        if rows.kind[i] == FREE:
            for a in range(d):
                du[rows.unknown[i] + a] = h * v[i, a]
    spins(rows, now.x, v, spin)
    for body in range(rows.bodies.shape[0]):
        u = rows.unknown[rows.bodies[body, 0]]
        if d == 2:
            du[u] = h * spin[body, 2]
        else:
            for a in range(3):
                du[u + a] = h * spin[body, a]


@kernel
def _velocities(rows, h, goes_on, tables, s, now, before, after, w):
    """At the end of the step, by backward differences of second order; directors turn as rigid bodies do."""
    x0, x1, v, spin, d = now.x, after.x, after.v, w.turns[0], now.x.shape[1]
    for i in range(x0.shape[0]):
        for a in range(d):
            v[i, a] = 2.0 * (x1[i, a] - x0[i, a]) / h - now.v[i, a]
            if goes_on:
                v[i, a] = (3.0 * x1[i, a] - 4.0 * x0[i, a] + before[i, a]) / (2.0 * h)
    spins(rows, x1, v, spin)
    for body in range(rows.bodies.shape[0]):
        wx, wy, wz = spin[body, 0], spin[body, 1], spin[body, 2]
        for k in range(d):
            row = rows.bodies[body, k]
            ex, ey, ez = row_of(x1, row)
            set_row(v, row, wy * ez - wz * ey, wz * ex - wx * ez, wx * ey - wy * ex)
    for k in range(tables.driven.size):
        for a in range(d):
            v[tables.driven[k], a] = tables.motion[s, 1, k, a]
