"""First-order compliant steps in compiled code: one assembly, one elimination in blocks, geometric stiffness if wanted.

Constraints are held by their compliance, by Baumgarte's equation or by iterated multipliers (`holding_methods.py`).
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.integrators.account import LEVEL, SCALARS, STORED, TOTAL, force_level
from condyle.integrators.contact_steps import (
    are_there,
    begin_contacts,
    closes_in_contact,
    end_at_rest,
    stored_in_contacts,
)
from condyle.integrators.convergence import (
    CONVERGED,
    COUNT,
    INVERTED,
    NOT_FINITE,
    OVERFLOWN,
    SINGULAR,
    SURVEY,
    TOUCHED,
)
from condyle.integrators.elimination import assembled, correct, factorise
from condyle.integrators.first_order_contact import meet_conditions
from condyle.integrators.lie import spins
from condyle.integrators.loop import middle_of_step, record_step, set_turns, take_over, values_at_start, work_of_step
from condyle.integrators.monitor import OFF, SHARE, TARGET, constraint_energy, monitored_share
from condyle.integrators.step_tables import (
    ACCELERATION,
    LIVE,
    NONE,
    PLACE,
    RATE,
    STEP,
    VALUES,
    WANTED,
    WEIGHT,
    X_OLD,
    C,
)
from condyle.integrators.step_work import record_energies, support_work
from condyle.laws.columns import Integers, Numbers, table
from condyle.laws.kernel import kernel
from condyle.system.assembly import NO_MAP
from condyle.system.assembly.compliant import assemble_compliant
from condyle.system.assembly.geometric import add_geometric_stiffness, geometric_rate
from condyle.system.assembly.inverted import first_inverted, is_near
from condyle.system.assembly.maps import move, normalise_directors, row_of, set_row
from condyle.system.assembly.places import family, find_states, find_turns, keep, set_pace
from condyle.system.assembly.row_form import constraint_rates
from condyle.system.tables import FREE
from condyle.system.touching.tables import STALE

IMPLICIT, EXPLICIT, UNBIASED = 0, 1, 2
COMPLIANT, BAUMGARTE, AUGMENTED = 0, 1, 2  # ways to hold constraints
PACE = 0.2  # of 1/h: the rate of Baumgarte's stabilisation where none is given
STIFF = 10.0  # times effective mass/h²: the penalty of the augmented Lagrangian where none is given


@table
class Stepper(NamedTuple):
    """What first-order steps differ in."""

    compliance: float  # of constraints [m/N]
    diagonal: Integers  # places of the multipliers' own entries in the matrix
    share: float  # α of the geometric stiffness, where no monitor sets it
    bias: int
    symmetric: bool
    stressed: bool
    monitor: int
    all_energy: bool  # does the monitored energy contain that of constraints that give way?
    width: float  # [J]
    least: float
    most: float
    holding: int
    rate: float  # of Baumgarte's equation [1/s], below 0: by the step
    ratio: float
    penalty: float  # of iterated multipliers [N/m], 0: by masses and the step
    damping: float  # β of iterated multipliers [s], below 0: by the step
    inertia: float  # γ of iterated multipliers [s²], below 0: by the step
    sweeps: int
    masses: Numbers  # that multipliers move (m,) [kg]
    own: Integers  # places of the multipliers' own entries in the matrix, in their own order; −1 where there is none


@kernel(nogil=True)
def run_first_order(problem, stepper, linear, touch, tables, now, after, work, first, every, record, w):
    """As `loop.run_steps`; the target of the monitor and the last α are the last two numbers of `now.touch`."""
    frames = 0
    room, targets = np.zeros((2, *now.x.shape)), np.zeros((2, tables.ends.shape[1]))
    scalars, momentum, angular = np.zeros(SCALARS), np.zeros(now.x.shape[1]), np.zeros(3)
    monitor = now.touch.size - 2
    values_at_start(problem, tables, now, w)
    if stepper.monitor != OFF:
        record_energies(problem, tables.gravity_ends[0], now.x, now.v, w.held[VALUES], scalars, momentum, angular)
        _add_stored(touch, now, scalars)
    for s in range(tables.sizes.size):
        share = stepper.share
        if stepper.monitor != OFF:
            energy = scalars[TOTAL]
            if stepper.all_energy:
                energy += constraint_energy(w.held[VALUES], problem.multipliers[LIVE], stepper.compliance)
            share = monitored_share(
                stepper.monitor, (energy - now.touch[monitor + TARGET]) / stepper.width, stepper.least, stepper.most
            )
        w.control[COUNT] = stepper.sweeps
        status = _step(problem, stepper, linear, touch, share, tables, s, targets, room, now, after, w)
        if status != CONVERGED:
            return status, s, frames, work
        middle_of_step(tables.sizes[s], now, after, w)
        done = work_of_step(problem, False, 0.5, tables, s, now, after, w, True)
        if are_there(touch) and tables.driven.size:
            done += support_work(problem.whole.rows, touch.forces[0], w.rows[STEP])
        scalars = record.scalars[s]
        scalars[LEVEL] = force_level(problem.rows[0], problem.unit, now.x, w.vectors[1])
        if not record_step(problem, tables, s, after, work + done, w.control[COUNT], record, w):
            return OVERFLOWN, s, frames, work
        _add_stored(touch, after, scalars)
        work += done
        if stepper.monitor != OFF:
            after.touch[monitor + TARGET], after.touch[monitor + SHARE] = now.touch[monitor + TARGET] + done, share
        frames = take_over(after, now, record, frames, first + s, every)
    return CONVERGED, tables.sizes.size, frames, work


@kernel
def _add_stored(touch, motion, scalars):
    """The energy of soft contacts."""
    if are_there(touch):
        stored = stored_in_contacts(touch, motion.x, motion.touch)
        scalars[STORED], scalars[TOTAL] = scalars[STORED] + stored, scalars[TOTAL] + stored


@kernel
def _step(problem, stepper, linear, touch, share, tables, s, targets, room, now, after, w):
    """One step: its equations, their solution, the motion; returns how it ended."""
    whole, h, place = problem.whole, tables.sizes[s], problem.multipliers[PLACE]
    du = w.vectors[3]
    first_order_equations(problem, tables, s, targets, now, after, w)
    x, before = after.x, w.rows[X_OLD]
    none, penalty = w.held[NONE], w.held[WANTED]
    if share != 0.0:
        if stepper.bias == EXPLICIT or (stepper.bias == UNBIASED and share < 0.0):
            geometric_rate(whole, x, now.v, now.multipliers, stepper.symmetric, stepper.stressed, room[0], room[1], du)
            for k in range(problem.unit.size):
                w.vectors[0, k] += share * h * du[k]
        else:
            add_geometric_stiffness(whole, x, now.multipliers, share, stepper.symmetric, stepper.stressed, room[0], w.A)
    for k in range(stepper.diagonal.size):
        w.A[stepper.diagonal[k]] -= stepper.compliance
    if stepper.holding == BAUMGARTE:
        _hold_accelerations(whole, stepper, h, now, w, room[0])
    elif stepper.holding == AUGMENTED:
        _hold_rates(whole, stepper, h, now, w, penalty)
        for k in range(stepper.own.size):
            if stepper.own[k] >= 0:
                w.A[stepper.own[k]] -= 1.0 / penalty[k]
    if are_there(touch):
        return _step_in_contact(problem, linear, touch, tables, s, now, after, w)
    if not factorise(problem, w):
        return SINGULAR
    for sweep in range(stepper.sweeps):
        if stepper.holding == AUGMENTED:
            for k in range(place.size):
                if place[k] >= 0:
                    held = now.multipliers[k] if sweep == 0 else du[place[k]]
                    none[k] = w.held[C, k] + held / penalty[k]
        c = none if stepper.holding == AUGMENTED else w.held[C]
        correct(problem.schedule, place, problem.unit.size, w.vectors[0], c, w.A, w.inverse, du)
    keep(x, before)
    status = move_rows(whole, du, now.x, x)
    if status == CONVERGED:
        end_motion(problem, tables, s, du, h, now, after, w)
    return status


@kernel
def _step_in_contact(problem, linear, touch, tables, s, now, after, w):
    """The rest of a step, whose equations are assembled, of a model with contact; returns how it ended."""
    h = tables.sizes[s]
    begin_contacts(touch, now.x, now.v, h, now.touch)
    if touch.flags[STALE]:
        return SURVEY
    keep(after.x, w.rows[X_OLD])
    status = meet_conditions(problem, touch, linear, h, now, after, w)
    if status == CONVERGED:
        status = _rows_end(problem.whole, now.x, after.x)
    if status != CONVERGED:
        return status
    if closes_in_contact(touch, now):
        return TOUCHED
    end_motion(problem, tables, s, linear.motion, h, now, after, w)
    return end_at_rest(touch, problem.rows[0], now, after, h)


@kernel
def move_rows(whole, step, x0, x):
    """Move rows x by a step of the unknowns, from x0 at its start; returns how it ended."""
    move(whole.rows, step, x)
    return _rows_end(whole, x0, x)


@kernel
def _rows_end(whole, x0, x):
    """Clean rows x that a step has moved from x0; returns how it ended."""
    if not is_near(whole.rows, x):
        return NOT_FINITE
    normalise_directors(whole.rows, x)
    if first_inverted(family(whole.laws, whole.spans, 0), x0, x) >= 0:
        return INVERTED
    return CONVERGED


@kernel
def end_motion(problem, tables, s, du, length, now, after, w):
    """Velocities of rows, multipliers and states of laws at the end of a step.

    du: unknowns and multipliers; length [s]: over which du is a change, 1 where it is a velocity, and multipliers are impulses.
    """
    whole, place, angles, x = problem.whole, problem.multipliers[PLACE], problem.angles, after.x
    row_rates(whole.rows, du, length, x, w.rows[RATE], after.v)
    for k in range(place.size):
        after.multipliers[k] = tables.sizes[s] / length * du[place[k]] if place[k] >= 0 else 0.0
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            w.rows[STEP, i, a] = x[i, a] - now.x[i, a]
    if angles.shape[0]:
        find_turns(whole.laws, angles[:, 0], angles[:, 2], x, now.turns, after.turns)
        find_states(whole.laws, angles[:, 0], angles[:, 1], angles[:, 2], now.x, tables.ends[s + 1], 1.0, after.turns)


@kernel
def first_order_equations(problem, tables, s, targets, now, after, w):
    """The equations of step s: driven rows at its end, matrix and residual, with strains as compliant constraints."""
    whole, h, angles = problem.whole, tables.sizes[s], problem.angles
    set_turns(whole.laws, angles, now.turns)
    set_pace(whole.laws, angles[:, 0], angles[:, 2], 1.0 / h, 0.0)
    _prepare(problem, tables, s, targets, now, after, w)
    none = w.held[NONE]
    for k in range(none.size):
        none[k] = 0.0
    assemble_compliant(
        whole, after.x, w.rows[RATE], w.rows[ACCELERATION], (w.rows[WEIGHT], tables.ends[s + 1], targets),
        (none, problem.stiffness_l, problem.stiffness_c), h, True, (NO_MAP, NO_MAP), assembled(w),
    )  # fmt: skip


@kernel
def _hold_rates(whole, stepper, h, now, w, penalty):
    """c of the step's equations and penalties [N/m] such that c + β ċ + γ c̈ is held by iterated multipliers.

    With ċ1 = (c1 − c0)/h and c̈1 = (ċ1 − ċ0)/h it is `times` times c1, less what is known.
    """
    damping = 2.0 if stepper.damping < 0.0 else stepper.damping / h
    inertia = 1.0 if stepper.inertia < 0.0 else stepper.inertia / h**2
    change, value, c, times = np.zeros(penalty.size), w.held[VALUES], w.held[C], 1.0 + damping + inertia
    constraint_rates(whole, now.x, now.v, now.v, np.zeros((3, 0)), 1, change)
    for k in range(penalty.size):
        penalty[k] = stepper.penalty if stepper.penalty > 0.0 else STIFF * stepper.masses[k] / h**2
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    for i in range(links.law.size + constraints.law.size):
        first = links.channel[i] if i < links.law.size else constraints.channel[i - links.law.size]
        for k in range(first, first + (now.x.shape[1] if i < links.law.size else 1)):
            c[k] -= ((damping + inertia) * value[k] + inertia * h * change[k]) / times
            penalty[k] *= times


@kernel
def _hold_accelerations(whole, stepper, h, now, w, centripetal):
    """c of the step's equations such that c̈ + 2 ratio rate ċ + rate² c = 0, with all of it at the start of the step."""
    rate = PACE / h if stepper.rate < 0.0 else stepper.rate
    for i in range(now.x.shape[0]):
        for a in range(now.x.shape[1]):
            centripetal[i, a] = w.rows[ACCELERATION, i, a] + now.v[i, a] / h
    still = np.zeros((3, 0))
    along, bend, value, c = np.zeros(now.multipliers.size), np.zeros(now.multipliers.size), w.held[VALUES], w.held[C]
    constraint_rates(whole, now.x, now.v, centripetal, still, 1, along)
    constraint_rates(whole, now.x, now.v, centripetal, still, 2, bend)
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    for i in range(links.law.size + constraints.law.size):
        first = links.channel[i] if i < links.law.size else constraints.channel[i - links.law.size]
        for k in range(first, first + (now.x.shape[1] if i < links.law.size else 1)):
            c[k] = -h * along[k] + h**2 * (bend[k] + 2.0 * stepper.ratio * rate * along[k] + rate**2 * value[k])


@kernel
def _prepare(problem, tables, s, targets, now, after, w):
    """What the equations of a step need: driven rows at its end, their rates, weights, and ω × ḋ − v/h."""
    rows, h, d = problem.whole.rows, tables.sizes[s], now.x.shape[1]
    still, acceleration, weight = w.rows[RATE], w.rows[ACCELERATION], w.rows[WEIGHT]
    keep(now.x, after.x)
    for k in range(targets.shape[1]):
        targets[0, k] = targets[1, k] = tables.ends[s + 1, k]
    for i in range(now.x.shape[0]):
        for a in range(d):
            still[i, a] = 0.0
            acceleration[i, a] = -now.v[i, a] / h
            weight[i, a] = tables.gravity_ends[s + 1] * problem.gravity[i, a]
    for k in range(tables.driven.size):
        for a in range(d):
            after.x[tables.driven[k], a] = tables.motion[s, 0, k, a]
            still[tables.driven[k], a] = tables.motion[s, 1, k, a]
    spin = w.turns[0]
    spins(rows, now.x, now.v, spin)
    for body in range(rows.bodies.shape[0]):
        wx, wy, wz = spin[body, 0], spin[body, 1], spin[body, 2]
        for k in range(d):
            row = rows.bodies[body, k]
            vx, vy, vz = row_of(now.v, row)
            ax, ay, az = row_of(acceleration, row)
            set_row(acceleration, row, ax + wy * vz - wz * vy, ay + wz * vx - wx * vz, az + wx * vy - wy * vx)


@kernel
def row_rates(rows, du, h, x, still, v):
    """Free rows have du/h, directors ω × d at the end of the step, driven rows their own, `still`, which may be v itself."""
    d = x.shape[1]
    for i in range(x.shape[0]):
        u = rows.unknown[i]
        for a in range(d):
            v[i, a] = du[u + a] / h if rows.kind[i] == FREE else still[i, a]
    for body in range(rows.bodies.shape[0]):
        u = rows.unknown[rows.bodies[body, 0]]
        wx = du[u] / h if d == 3 else 0.0
        wy = du[u + 1] / h if d == 3 else 0.0
        wz = du[u + 2] / h if d == 3 else du[u] / h
        for k in range(d):
            row = rows.bodies[body, k]
            ex, ey, ez = row_of(x, row)
            set_row(v, row, wy * ez - wz * ey, wz * ex - wx * ez, wx * ey - wy * ex)
