"""Generalized-α steps in compiled code: the equations of `generalized_alpha.py` on the blocks of `loop.py`, one loop around.

In each step first Newton's method for the configuration at its end, then, with one factorisation of [M Gᵀ; G 0] in (ṙ, ω), the
velocities on the constraints, and the accelerations and multipliers of the equations of motion there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.integrators.account import ITERATIONS, LEVEL, TOTAL, WORK, force_level
from condyle.integrators.convergence import judge
from condyle.integrators.extrapolation import (
    FACTORISED,
    RESTART,
    extrapolate,
    forget,
    forget_other_steps,
    is_known,
    remember,
)
from condyle.integrators.lie import director_rates, newmark_rates, spin_rates, spins
from condyle.integrators.loop import (
    CONVERGED,
    DRIVE,
    LIVE,
    NOT_CONVERGED,
    NOT_FINITE,
    OVERFLOWN,
    PLACE,
    SINGULAR,
    TURNED,
    correct,
    driving_work,
    factorise,
    inertia_sizes,
    keep,
    record_energies,
    set_turns,
    share,
    soft_forces,
    work_of_step,
)
from condyle.integrators.turning import first_beyond, hold_back
from condyle.laws.kernel import kernel
from condyle.laws.table import Numbers2, Numbers3, table
from condyle.system.assembly import NO_MAP, assemble_compiled
from condyle.system.assembly.constraints import constraint_values
from condyle.system.assembly.maps import first_step, move_step, normalise_directors, place
from condyle.system.assembly.places import family, find_turns
from condyle.system.tables import END, FREE


@table
class Motion(NamedTuple):
    """Rows and spins: velocities, accelerations, algorithmic accelerations."""

    v: Numbers2  # (n, d)
    acceleration: Numbers2
    algorithmic: Numbers2
    spin: Numbers2  # (bodies, 3)
    spin_rate: Numbers2
    spin_algorithmic: Numbers2


@table
class Frames(NamedTuple):
    """`Motion` at the instants that are kept."""

    v: Numbers3  # (frames, n, d)
    acceleration: Numbers3
    algorithmic: Numbers3
    spin: Numbers3  # (frames, bodies, 3)
    spin_rate: Numbers3
    spin_algorithmic: Numbers3


class Drive(NamedTuple):
    """What the outside does at the end of the step."""

    gravity: np.ndarray  # (n, d) [N]
    amplitudes: np.ndarray  # (functions,)
    targets: np.ndarray  # (2, functions) at both ends
    rates: np.ndarray  # (2, functions) first and second derivatives at the end
    acceleration: np.ndarray  # (n, d) of rows that move as prescribed


@table
class Maps(NamedTuple):
    """Derivatives of the directors' rates, and the formulas for derivatives of constraints along a path."""

    jacobians: Numbers3  # (bodies, 3, 3)
    rate: Numbers3  # (n, d, 3)
    acceleration: Numbers3
    weights: Numbers2  # (2, 7) of the first and second derivative
    reach: float  # of the path, over the size of the model


@table
class Rates(NamedTuple):
    """Derivatives of what the tables of `loop.py` hold, at the end of each step."""

    functions: Numbers3  # (steps, 2, functions) first and second
    velocity: Numbers3  # (steps, driven rows, d)
    acceleration: Numbers3


@kernel
def run_alpha(
    problem, masses, coefficients, tables, rates, x, now, multipliers, turns, maps, consistent, work, first, every,
    record, kept, x1, after, w,
):  # fmt: skip
    """Steps until the tables end or one fails, as `loop.run_steps`; x, now, multipliers and turns become those reached.

    coefficients: αm, αf, β, γ; masses: the parts without energies and forces; consistent: make
    velocities, accelerations and multipliers consistent with the constraints; kept: frames of `now`; x1, after: room.
    """
    rows, laws, spans = problem.parts.rows, problem.parts.laws, problem.parts.spans
    links, constraints = family(laws, spans, 2), family(laws, spans, 3)
    n, d = x.shape
    am, af, beta, gamma = coefficients
    gravity, driven, before = np.zeros((n, d)), np.zeros((n, d)), np.zeros(multipliers.size)
    values_before, is_driven = np.zeros(multipliers.size), (problem.multipliers[DRIVE] >= 0).any()
    values, mid, change, rate = w.held[4], w.rows[4], w.rows[5], w.rows[6]
    frames = 0
    for s in range(tables.sizes.size):
        h, ends = tables.sizes[s], tables.ends[s : s + 2]
        keep(x, x1)
        keep(now.v, after.v)
        keep(multipliers, before)
        for i in range(n):
            for a in range(d):
                gravity[i, a] = tables.gravity_ends[s + 1] * problem.gravity[i, a]
        for k in range(tables.driven.size):
            for a in range(d):
                x1[tables.driven[k], a] = tables.motion[s, k, a]
                after.v[tables.driven[k], a] = rates.velocity[s, k, a]
                driven[tables.driven[k], a] = rates.acceleration[s, k, a]
        drive = Drive(gravity, ends[1], ends, rates.functions[s], driven)
        set_turns(laws, problem.angles, turns)
        if is_driven:
            constraint_values(links, constraints, x, ends[0], values_before)
        spins(rows, x, now.v, now.spin)
        scheme = (h, am, af, beta, gamma)
        status, iterations = _balance(problem, scheme, x, now, multipliers, drive, maps, x1, after, w)
        if status == CONVERGED:
            record.scalars[s, LEVEL] = force_level(problem.rows[0], problem.unit, x, w.vectors[1])
            normalise_directors(rows, x1)
            share(problem, w, multipliers)
            remember(w.past, rows, problem.rows[1], w.rows[8], w.turns[0], multipliers)
            if consistent:
                status = _make_consistent(problem, masses, scheme, x1, now, multipliers, drive, maps, after, w)
                share(problem, w, multipliers)
        if status != CONVERGED:
            multipliers[:] = before
            return status, s, iterations, frames, work
        constraint_values(links, constraints, x1, ends[1], values)
        soft_forces(problem, values, values, multipliers)
        w.rows[0][:] = 0.0  # the work of moving supports is added where they are known
        for i in range(n):
            for a in range(d):
                mid[i, a] = 0.5 * (x[i, a] + x1[i, a])
                change[i, a] = x1[i, a] - x[i, a]
                rate[i, a] = change[i, a] / h
        for k in range(before.size):
            before[k] = 0.5 * (before[k] + multipliers[k])
        gravities = (tables.gravity_ends[s], tables.gravity_middle[s], tables.gravity_ends[s + 1])
        done = work_of_step(problem, h, x, x1, mid, change, rate, tables.middle[s], gravities, w)
        work += driving_work(problem, before, values_before, values, ends, done)
        keep(x1, x)
        _take(after, now)
        if problem.angles.shape[0]:
            find_turns(laws, problem.angles[:, 0], problem.angles[:, 2], x, turns.copy(), turns)
            set_turns(laws, problem.angles, turns)
        record.scalars[s, WORK], record.scalars[s, ITERATIONS] = work, iterations
        record_energies(
            problem,
            tables.gravity_ends[s + 1],
            x,
            now.v,
            values,
            record.scalars[s],
            record.linear[s],
            record.angular[s],
        )
        if not np.isfinite(record.scalars[s, TOTAL]):
            return OVERFLOWN, s, iterations, frames, work
        if (first + s) % every == 0:
            record.x[frames] = x
            record.multipliers[frames] = multipliers
            record.turns[frames] = turns
            kept.v[frames] = now.v
            kept.acceleration[frames] = now.acceleration
            kept.algorithmic[frames] = now.algorithmic
            kept.spin_rate[frames] = now.spin_rate
            kept.spin_algorithmic[frames] = now.spin_algorithmic
            frames += 1
        if (first + s) % RESTART == 0:
            forget(w.past)
    return CONVERGED, tables.sizes.size, 0, frames, work


@kernel
def _take(after, now):
    """The end of a step is the start of the next."""
    keep(after.v, now.v)
    keep(after.acceleration, now.acceleration)
    keep(after.algorithmic, now.algorithmic)
    keep(after.spin_rate, now.spin_rate)
    keep(after.spin_algorithmic, now.spin_algorithmic)


@kernel(inline="always")
def _balance(problem, scheme, x0, before, held, drive, maps, x1, after, w):
    """Newton's method as in `newton.solve`."""
    h, am, af, beta, gamma = scheme
    rate, rate_dot = gamma / (beta * h), (1.0 - am) / (1.0 - af) / (beta * h * h)
    rows = problem.parts.rows
    n, d = x0.shape
    x_old, step, step_old = w.rows[7], w.rows[8], w.rows[9]
    r, r_scale, r_noise, du, inertia = w.vectors[0], w.vectors[1], w.vectors[2], w.vectors[3], w.vectors[4]
    c, c_scale, held_old = w.held[0], w.held[1], w.held[3]
    turn, turn_old = w.turns[0], w.turns[1]
    unknown = problem.multipliers[PLACE]
    out = (w.rows[0], w.rows[1], w.rows[2], r, r_scale, r_noise, c, c_scale, w.A)
    inertia_sizes(problem.mass, rows, x0, before.v, 2.0 / rate_dot / h, w.rows[1], inertia)
    guess = w.rows[3]
    for i in range(n):
        for a in range(d):
            guess[i, a] = before.v[i, a] + 0.5 * h * before.acceleration[i, a]
            x_old[i, a] = x0[i, a]
    forget_other_steps(w.past, h)
    if is_known(w.past):
        extrapolate(w.past, rows, problem.rows[1], step, turn, held)
        hold_back(turn)
        place(rows, x0, x1, step, turn)
    else:
        first_step(rows, guess, h, x0, x1, step, turn)
        if hold_back(turn):
            place(rows, x0, x1, step, turn)
    previous, best, stalled, iterations, factor = np.inf, np.inf, 0, 0, 1.0
    value, ratio = np.inf, 1.0
    tangent, again, has_factors, enough = True, False, False, False
    factorised, usual = 0, int(w.past.state[FACTORISED])
    while True:
        newmark_rates(
            rows, step, turn, before.v, before.algorithmic, before.spin, before.spin_algorithmic, h, beta, gamma, after.v,
            after.algorithmic, after.spin, after.spin_algorithmic, maps.jacobians,
        )  # fmt: skip
        for i in range(n):
            for a in range(d):
                after.acceleration[i, a] = (
                    (1.0 - am) * after.algorithmic[i, a]
                    + am * before.algorithmic[i, a]
                    - af * before.acceleration[i, a]
                ) / (1.0 - af)
                if rows.unknown[i] < 0:
                    after.acceleration[i, a] = drive.acceleration[i, a]
        for b in range(after.spin.shape[0]):
            for a in range(3):
                after.spin_rate[b, a] = (
                    (1.0 - am) * after.spin_algorithmic[b, a]
                    + am * before.spin_algorithmic[b, a]
                    - af * before.spin_rate[b, a]
                ) / (1.0 - af)
        director_rates(
            rows, x1, after.spin, after.spin_rate, maps.jacobians, rate, rate_dot, after.v, after.acceleration, maps.rate,
            maps.acceleration,
        )  # fmt: skip
        assemble_compiled(
            problem.parts, (x0, x1, x1, after.v, after.acceleration, x_old),
            (drive.gravity, drive.amplitudes, drive.targets), (held, problem.stiffness_l, problem.stiffness_c), END, END,
            (rate_dot, 1.0, rate), (maps.acceleration, maps.rate), tangent, out,
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
                keep(step_old, step)
                turn[:] = turn_old
                for i in range(du.size):
                    du[i] *= 0.5
                _go_on(rows, unknown, du, held_old, x0, x1, step, turn, held)
                continue
            if beyond:
                return TURNED, iterations
            w.residuals[iterations] = value
            ratio = value / previous
            # Factors that are kept take off the same share again: is that fast, or does it end the step?
            enough = ratio < problem.share if problem.share > 0.0 else ratio * value < 0.01
            stalled = stalled + 1 if value > 0.5 * best else 0
            best = min(best, value)
            if value <= 1.0 or (stalled >= 2 and value <= 100.0):
                return CONVERGED, iterations
            if not np.isfinite(value):
                return NOT_FINITE, iterations
            if iterations >= problem.most:
                return NOT_CONVERGED, iterations
        if tangent or not (has_factors and enough):
            if not tangent:
                tangent, again = True, True
                continue
            if not factorise(problem, w):
                return SINGULAR, iterations
            has_factors = True
            factorised += 1
            w.past.state[FACTORISED] = factorised
        again = False
        correct(problem.schedule, unknown, problem.unit.size, r, c, w.A, w.inverse, du)
        keep(x1, x_old)
        keep(step, step_old)
        turn_old[:] = turn
        held_old[:] = held
        previous, factor = value, 1.0
        iterations += 1
        # Is a new tangent needed? See `loop.balance`.
        needed = usual > 1 if iterations == 1 else value * ratio * ratio > 1.0
        tangent = needed and problem.share == 0.0
        _go_on(rows, unknown, du, held_old, x0, x1, step, turn, held)


@kernel
def _go_on(rows, place, du, held_old, x0, x1, step, turn, held):
    """The next iterate."""
    move_step(rows, du, x0, x1, step, turn)
    for k in range(place.size):
        if place[k] >= 0:
            held[k] = held_old[k] + du[place[k]]


@kernel(inline="always")
def _make_consistent(problem, masses, scheme, x1, before, held, drive, maps, after, w):
    """Velocities on the constraints, then accelerations and multipliers; returns the status."""
    am, af = scheme[1], scheme[2]
    rows = problem.parts.rows
    n, d = x1.shape
    path, still, there = w.rows[3], w.rows[5], w.rows[6]
    r, r_scale, r_noise, du = w.vectors[0], w.vectors[1], w.vectors[2], w.vectors[3]
    c, c_scale, none, wanted = w.held[0], w.held[1], w.held[2], w.held[4]
    place = problem.multipliers[PLACE]
    out = (w.rows[0], w.rows[1], w.rows[2], r, r_scale, r_noise, c, c_scale, w.A)
    still[:] = 0.0
    none[:] = 0.0
    loads = (still, drive.amplitudes, drive.targets)
    nothing_l, nothing_c = np.zeros(problem.stiffness_l.size), np.zeros(problem.stiffness_c.size)
    assemble_compiled(
        masses, (x1, x1, x1, still, still, x1), loads, (none, nothing_l, nothing_c), END, END, (1.0, 0.0, 0.0),
        (NO_MAP, NO_MAP), True, out,
    )  # fmt: skip
    w.tangent[:] = w.A[: w.tangent.size]
    if not factorise(problem, w):
        return SINGULAR
    # Velocities: M δu + Gᵀ μ = 0, G δu = −ċ; twice, because the second pass refines the first.
    spins(rows, x1, after.v, after.spin)
    path[:] = 0.0
    for _ in range(2):
        _along(problem, x1, after.v, path, 0, drive, maps, there, wanted)
        r[:] = 0.0
        correct(problem.schedule, place, problem.unit.size, r, wanted, w.A, w.inverse, du)
        for i in range(n):
            if rows.kind[i] == FREE:
                for a in range(d):
                    after.v[i, a] += du[rows.unknown[i] + a]
        for b in range(rows.bodies.shape[0]):
            u = rows.unknown[rows.bodies[b, 0]]
            if d == 2:
                after.spin[b, 2] += du[u]
            else:
                for a in range(3):
                    after.spin[b, a] += du[u + a]
            for k in range(d):
                _turn_rate(after.spin[b], x1[rows.bodies[b, k]], after.v[rows.bodies[b, k]])
    # Accelerations: M u̇ + Gᵀ λ = f − m (ω × (ω × d)), G u̇ = −c̈ at u̇ = 0; then again for what is left.
    for i in range(n):
        for a in range(d):
            path[i, a] = drive.acceleration[i, a] if rows.unknown[i] < 0 else 0.0
    for b in range(rows.bodies.shape[0]):
        for k in range(d):
            _turn_rate(after.spin[b], after.v[rows.bodies[b, k]], path[rows.bodies[b, k]])
    for k in range(place.size):
        if place[k] >= 0:
            held[k] = 0.0
    rate = np.zeros(3)
    for _ in range(2):
        _along(problem, x1, after.v, path, 1, drive, maps, there, wanted)
        assemble_compiled(
            problem.parts, (x1, x1, x1, after.v, path, x1), (drive.gravity, drive.amplitudes, drive.targets),
            (held, problem.stiffness_l, problem.stiffness_c), END, END, (1.0, 1.0, 0.0), (NO_MAP, NO_MAP), False, out,
        )  # fmt: skip
        correct(problem.schedule, place, problem.unit.size, r, wanted, w.A, w.inverse, du)
        for k in range(place.size):
            if place[k] >= 0:
                held[k] += du[place[k]]
        for i in range(n):
            if rows.kind[i] == FREE:
                for a in range(d):
                    path[i, a] += du[rows.unknown[i] + a]
        for b in range(rows.bodies.shape[0]):
            u = rows.unknown[rows.bodies[b, 0]]
            for a in range(3):
                rate[a] = du[u + a] if d == 3 else 0.0
            if d == 2:
                rate[2] = du[u]
            for k in range(d):
                row = rows.bodies[b, k]
                _turn_rate(rate, x1[row], there[row])
                for a in range(d):
                    path[row, a] += there[row, a]
    after.acceleration[:] = path
    spin_rates(rows, x1, after.v, after.acceleration, after.spin_rate)
    for i in range(n):
        for a in range(d):
            after.algorithmic[i, a] = (
                (1.0 - af) * after.acceleration[i, a] + af * before.acceleration[i, a] - am * before.algorithmic[i, a]
            ) / (1.0 - am)
    for b in range(after.spin.shape[0]):
        for a in range(3):
            after.spin_algorithmic[b, a] = (
                (1.0 - af) * after.spin_rate[b, a] + af * before.spin_rate[b, a] - am * before.spin_algorithmic[b, a]
            ) / (1.0 - am)
    return CONVERGED


@kernel
def _turn_rate(spin, y, out):
    """out = ω × y; in the plane with the last component of ω."""
    if y.size == 2:
        out[0], out[1] = -spin[2] * y[1], spin[2] * y[0]
    else:
        y0, y1, y2 = y[0], y[1], y[2]
        out[0] = spin[1] * y2 - spin[2] * y1
        out[1] = spin[2] * y0 - spin[0] * y2
        out[2] = spin[0] * y1 - spin[1] * y0


@kernel
def _along(problem, x, v, a, order, drive, maps, there, out):
    """First (order 0) or second (order 1) derivative of the constraints along x + v s + ½ a s², less that of their functions.

    By central differences with up to seven points, as in `RowProblem._derivative`.
    """
    n, d = x.shape
    laws, spans = problem.parts.laws, problem.parts.spans
    links, constraints = family(laws, spans, 2), family(laws, spans, 3)
    speed = 0.0
    for i in range(n):
        size = problem.parts.rows.size[i]  # of places the model's, of directions 1
        for k in range(d):
            speed = max(speed, abs(v[i, k]) / size)
            if order == 1:
                speed = max(speed, np.sqrt(abs(a[i, k]) / size))
    out[:] = 0.0
    values = np.zeros(out.size)
    if speed > 1e-100:
        h = maps.reach / speed
        for point in range(7):
            if maps.weights[order, point] == 0.0:
                continue
            s = (point - 3) * h
            for i in range(n):
                for k in range(d):
                    there[i, k] = x[i, k] + s * v[i, k] + (0.5 * s * s * a[i, k] if order == 1 else 0.0)
            constraint_values(links, constraints, there, drive.targets[1], values)
            weight = maps.weights[order, point] / (h if order == 0 else h * h)
            for k in range(out.size):
                out[k] += weight * values[k]
    for k in range(out.size):
        if problem.multipliers[DRIVE, k] >= 0:
            out[k] -= drive.rates[order, problem.multipliers[DRIVE, k]]
