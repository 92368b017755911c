"""The kinematics and the finish of generalized-α steps as kernels; the equations are in `generalized_alpha.py`.

After Newton's method has found the configuration at the end of a step, one factorisation of [M Gᵀ; G 0] in (ṙ, ω) gives the
velocities on the constraints, and the accelerations and multipliers of the equations of motion there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.integrators.convergence import CONVERGED, SINGULAR
from condyle.integrators.differences import AHEAD, Differences, move_by_differences, start_differences
from condyle.integrators.elimination import assembled, correct, factorise, share
from condyle.integrators.lie import director_rates, newmark_rates, spin_rates
from condyle.integrators.lie import spins as spins_of
from condyle.integrators.step_tables import (
    ACCELERATION,
    DRIVEN,
    GIVEN,
    GUESS,
    NONE,
    PLACE,
    Q_NOISE,
    Q_SCALE,
    RATE,
    SOLVED,
    STEP,
    WANTED,
    WEIGHT,
)
from condyle.integrators.still import NEXT, Still, are_still, hold_still, leave_still, move_still
from condyle.laws.columns import Numbers, Numbers3, table
from condyle.laws.kernel import kernel
from condyle.system.assembly import NO_MAP, assemble_compiled
from condyle.system.assembly.maps import project
from condyle.system.assembly.places import keep
from condyle.system.assembly.row_form import constraint_rates
from condyle.system.tables import END, FREE, WholeSystem
from condyle.system.touching.holding import add_held_forces, held_accelerations, held_rates

# What is carried from step to step: of rows, of bodies.
CARRIED = (("acceleration", "algorithmic"), ("spin rate", "spin algorithmic"))
TRUE, ALGORITHMIC = 0, 1  # accelerations of either
# Where there is contact, or bodies are quasi-static: of rows the mean velocity, of rows and bodies accelerations by soft
# contact in the last step.
IN_CONTACT = (("mean velocity", "pressed"), ("spin pressed",))
MEAN_VELOCITY, PRESSED, SPIN_PRESSED = 2, 3, 2


@table
class Newmark(NamedTuple):
    """What these steps have beyond all others."""

    coefficients: Numbers  # αm, αf, β, γ
    consistent: bool  # are velocities, accelerations and multipliers made consistent with the constraints?
    masses: WholeSystem  # the problem's, without energies and forces
    spins: Numbers3  # (2, bodies, 3) ω at both ends of a step
    jacobians: Numbers3  # (bodies, 3, 3)
    rate_map: Numbers3  # (n, d, 3) derivatives of the directors' rates by δθ; without bodies (0, d, 3)
    acceleration_map: Numbers3
    still: Still  # quasi-static bodies
    slopes: Numbers  # h ∂ẋ/∂x1 and h² ∂ẍ/∂x1 in this step
    differences: Differences  # that `bdf.py` takes in place of Newmark's formulas


BY_RATE, BY_INERTIA = range(2)


@kernel
def start_newmark(scheme, newmark, rows, tables, s, lower, now, after, w):
    """Spins at the start of step s, velocities and accelerations at its end of rows that move as prescribed.

    lower: are differences to be of order 1?
    """
    slopes, differences, h = newmark.slopes, newmark.differences, tables.sizes[s]
    slopes[BY_RATE], slopes[BY_INERTIA] = scheme.rate, scheme.inertia
    if differences.order > 0:
        start_differences(differences, lower, h, now.touch[now.touch.size - 1])
        slopes[BY_RATE] = h * differences.factors[AHEAD]
        slopes[BY_INERTIA] = slopes[BY_RATE] ** 2
    spins_of(rows, now.x, now.v, newmark.spins[0])
    driven, acceleration = tables.driven, w.rows[DRIVEN]
    keep(now.v, after.v)
    for k in range(driven.size):
        for a in range(acceleration.shape[1]):
            after.v[driven[k], a] = tables.motion[s, 1, k, a]
            acceleration[driven[k], a] = tables.motion[s, 2, k, a]


@kernel
def guess_newmark(h, elastic, pressed, now, w):
    """Velocities to guess a step with: those at its middle; of what is `pressed` and light, those of the last step.

    With quasi-static bodies the last step has left them.
    """
    guess, acceleration = w.rows[GUESS], now.rows[TRUE]
    if now.rows.shape[0] > NEXT:
        keep(now.rows[NEXT], guess)
        return
    for i in range(guess.shape[0]):
        for a in range(guess.shape[1]):
            guess[i, a] = now.v[i, a] + 0.5 * h * acceleration[i, a]
            if pressed and elastic[i] > 0.0:
                guess[i, a] = now.rows[MEAN_VELOCITY, i, a]


@kernel
def move_newmark(newmark, rows, h, now, after, tangent, w):
    """Velocities and accelerations at the end of a step, of rows and bodies, from how they move; their maps with a tangent."""
    c, slopes = newmark.coefficients, newmark.slopes
    if newmark.differences.order > 0:
        move_by_differences(
            newmark.differences, rows, w.rows[STEP], w.turns[0], now, after, newmark.spins, newmark.jacobians
        )
    else:
        newmark_rates(
            rows, w.rows[STEP], w.turns[0], now.v, now.rows[ALGORITHMIC], newmark.spins[0], now.bodies[ALGORITHMIC], h,
            c[2], c[3], after.v, after.rows[ALGORITHMIC], newmark.spins[1], after.bodies[ALGORITHMIC], newmark.jacobians,
        )  # fmt: skip
        if now.rows.shape[0] > PRESSED:
            add_pressed(rows, h * (1.0 - 0.5 * c[3] / c[2]), now, newmark.spins[1], after.v)
        _find(TRUE, ALGORITHMIC, c[1], c[0], now.rows, after.rows)
        _find(TRUE, ALGORITHMIC, c[1], c[0], now.bodies, after.bodies)
    acceleration, driven = after.rows[TRUE], w.rows[DRIVEN]
    for i in range(driven.shape[0]):
        if rows.unknown[i] < 0:
            for a in range(driven.shape[1]):
                acceleration[i, a] = driven[i, a]
    move_still(newmark.still, h, w.rows[STEP], after.v, acceleration, after.rows[ALGORITHMIC])
    if rows.bodies.shape[0]:
        director_rates(
            rows, after.x, newmark.spins[1], after.bodies[TRUE], newmark.jacobians, slopes[BY_RATE] / h,
            slopes[BY_INERTIA] / (h * h), tangent, after.v, acceleration, newmark.rate_map, newmark.acceleration_map,
        )  # fmt: skip


@kernel
def add_pressed(rows, factor, now, spins, v):
    """Add factor times the accelerations by soft contact in the last step to velocities and spins (`generalized_alpha.py`)."""
    for i in range(v.shape[0]):
        if rows.kind[i] == FREE:
            for a in range(v.shape[1]):
                v[i, a] += factor * now.rows[PRESSED, i, a]
    for b in range(spins.shape[0]):
        for a in range(3):
            spins[b, a] += factor * now.bodies[SPIN_PRESSED, b, a]


@kernel
def keep_pressed(rows, du, after):
    """Keep accelerations du of unknowns by soft contact for the next step."""
    pressed, turning = after.rows[PRESSED], after.bodies[SPIN_PRESSED]
    for i in range(pressed.shape[0]):
        for a in range(pressed.shape[1]):
            pressed[i, a] = du[rows.unknown[i] + a] if rows.kind[i] == FREE else 0.0
    for b in range(turning.shape[0]):
        turning[b, 0], turning[b, 1], turning[b, 2] = _turning(rows, b, du, pressed.shape[1])


@kernel
def _find(what, given, by_what, by_given, before, after):
    """True accelerations u̇ of the algorithmic ones a, or these of those: (1 − αm) a1 + αm a0 = (1 − αf) u̇1 + αf u̇0."""
    known0, known1, old, new = before[given], after[given], before[what], after[what]
    for i in range(new.shape[0]):
        for a in range(new.shape[1]):
            total = (1.0 - by_given) * known1[i, a] + by_given * known0[i, a] - by_what * old[i, a]
            new[i, a] = total / (1.0 - by_what)


@kernel
def finish_newmark(problem, newmark, given, now, after, ends, rates, w):
    """Velocities on the constraints, then accelerations and multipliers; returns how it ended.

    given: are there forces `w.rows[GIVEN]` on rows beside those of the model? ends, rates: functions of time at both ends of
    the step; those at its end, and their derivatives.
    """
    rows, c = problem.whole.rows, newmark.coefficients
    if not newmark.consistent:
        return CONVERGED
    assemble_masses(problem, newmark, after.x, ends, w)
    if not factorise(problem, w):
        return SINGULAR
    spins_of(rows, after.x, after.v, newmark.spins[1])
    for _ in range(2):  # the second pass refines the first
        project_velocities(problem, newmark, None, after, rates, w)
    accelerate(problem, newmark, None, given, after, ends, rates, w)
    rebuild_rates(rows, c, now, after)
    share(problem, w, after.multipliers)
    return CONVERGED


@kernel
def rebuild_rates(rows, c, now, after):
    """Spin rates and algorithmic accelerations that belong to the true ones; c: αm, αf, β, γ."""
    spin_rates(rows, after.x, after.v, after.rows[TRUE], after.bodies[TRUE])
    _find(ALGORITHMIC, TRUE, c[0], c[1], now.rows, after.rows)
    _find(ALGORITHMIC, TRUE, c[0], c[1], now.bodies, after.bodies)


@kernel
def assemble_masses(problem, newmark, x, ends, w):
    """[M Gᵀ; G 0] at x, for all that has inertia."""
    still, none = w.rows[RATE], w.held[NONE]
    still[:] = 0.0
    none[:] = 0.0
    no_l, no_c = np.zeros(problem.stiffness_l.size), np.zeros(problem.stiffness_c.size)
    assemble_compiled(
        newmark.masses, (x, x, x, still, still, x), (still, ends[1], ends), (none, no_l, no_c), END, END, (1.0, 0.0, 0.0),
        (NO_MAP, NO_MAP), True, assembled(w),
    )  # fmt: skip
    hold_still(newmark.still, w.A)
    keep(w.A[: w.tangent.size], w.tangent)


@kernel
def project_velocities(problem, newmark, touch, after, rates, w):
    """Velocities onto the constraints, those of closed contacts included: M δu + Gᵀ μ = 0, G δu = −ċ."""
    rows, r, du, wanted = problem.whole.rows, w.vectors[0], w.vectors[3], w.held[WANTED]
    constraint_rates(problem.whole, after.x, after.v, after.v, rates, 1, wanted)
    if touch is not None:
        held_rates(touch, after.x, after.v, wanted)
    r[:] = 0.0
    leave_still(newmark.still, r, wanted)
    correct(problem.schedule, problem.multipliers[PLACE], problem.unit.size, r, wanted, w.A, w.inverse, du)
    add_velocities(rows, du, 1.0, newmark.spins[1], after.x, after.v)


@kernel
def add_velocities(rows, du, factor, spins, x, v):
    """Add factor times a vector of unknowns to velocities and spins."""
    for i in range(v.shape[0]):
        if rows.kind[i] == FREE:
            for a in range(v.shape[1]):
                v[i, a] += factor * du[rows.unknown[i] + a]
    for b in range(rows.bodies.shape[0]):
        d0, d1, d2 = _turning(rows, b, du, x.shape[1])
        spins[b, 0] += factor * d0
        spins[b, 1] += factor * d1
        spins[b, 2] += factor * d2
        for k in range(x.shape[1]):
            _turn_rate(spins[b], x[rows.bodies[b, k]], v[rows.bodies[b, k]])


@kernel
def take_out(rows, du, factor, rates, spins):
    """Take factor times the accelerations in a vector of unknowns out of those of free rows and of bodies."""
    for i in range(rates.shape[0]):
        if rows.kind[i] == FREE:
            for a in range(rates.shape[1]):
                rates[i, a] -= factor * du[rows.unknown[i] + a]
    for b in range(rows.bodies.shape[0]):
        d0, d1, d2 = _turning(rows, b, du, rates.shape[1])
        spins[b, 0] -= factor * d0
        spins[b, 1] -= factor * d1
        spins[b, 2] -= factor * d2


@kernel
def take_out_of_directors(rows, du, factor, x, rates):
    """The same of directors."""
    d, turn, way = x.shape[1], np.zeros(3), np.zeros(x.shape[1])
    for b in range(rows.bodies.shape[0]):
        turn[0], turn[1], turn[2] = _turning(rows, b, du, d)
        for k in range(d):
            row = rows.bodies[b, k]
            _turn_rate(turn, x[row], way)
            for a in range(d):
                rates[row, a] -= factor * way[a]


@kernel
def accelerate(problem, newmark, touch, given, after, ends, rates, w):
    """Accelerations and multipliers: M u̇ + Gᵀ λ = f − m (ω × (ω × d)), G u̇ = −c̈ at u̇ = 0; then again for what is left."""
    rows, n, d = problem.whole.rows, after.x.shape[0], after.x.shape[1]
    still, spins, pace = newmark.still, newmark.spins[1], problem.whole.rows.pace[0]
    path, there, du, wanted = after.rows[TRUE], w.rows[ACCELERATION], w.vectors[3], w.held[WANTED]
    x, v, held, place = after.x, after.v, after.multipliers, problem.multipliers[PLACE]
    for i in range(n):
        for a in range(d):
            path[i, a] = w.rows[DRIVEN][i, a] if rows.unknown[i] < 0 else 0.0
    for b in range(rows.bodies.shape[0]):
        for k in range(d):
            _turn_rate(spins[b], v[rows.bodies[b, k]], path[rows.bodies[b, k]])
    for k in range(place.size):
        if place[k] >= 0:
            held[k] = 0.0
    for k in still.multipliers:
        held[k] = w.held[SOLVED, k]
    rate, rows.pace[0] = np.zeros(3), 0.0  # rates are those of the state
    for _ in range(2):
        constraint_rates(problem.whole, x, v, path, rates, 2, wanted)
        assemble_compiled(
            problem.whole, (x, x, x, v, path, x), (w.rows[WEIGHT], ends[1], ends),
            (held, problem.stiffness_l, problem.stiffness_c), END, END, (1.0, 1.0, 0.0), (NO_MAP, NO_MAP), False, assembled(w),
        )  # fmt: skip
        if touch is not None:
            held_accelerations(touch, x, v, path, wanted)
            add_held_forces(touch, x, held, w.vectors[0])
        if given:
            project(rows, x, w.rows[GIVEN], w.rows[Q_SCALE], w.rows[Q_NOISE], w.vectors[0], w.vectors[1], w.vectors[2])
        if are_still(still):
            leave_still(still, w.vectors[0], wanted)
        correct(problem.schedule, place, problem.unit.size, w.vectors[0], wanted, w.A, w.inverse, du)
        for k in range(place.size):
            if place[k] >= 0:
                held[k] += du[place[k]]
        _add_free(rows, du, path)
        for b in range(rows.bodies.shape[0]):
            rate[0], rate[1], rate[2] = _turning(rows, b, du, d)
            for k in range(d):
                row = rows.bodies[b, k]
                _turn_rate(rate, x[row], there[row])
                for a in range(d):
                    path[row, a] += there[row, a]
    rows.pace[0] = pace


@kernel
def _add_free(rows, du, v):
    """Add the change du of the unknowns to the velocities v of free rows."""
    for i in range(v.shape[0]):
        if rows.kind[i] == FREE:
            for a in range(v.shape[1]):
                v[i, a] += du[rows.unknown[i] + a]


@kernel(forceinline=True)
def _turning(rows, body, du, d):
    """The turning of a body in a vector of unknowns, as three numbers."""
    u = rows.unknown[rows.bodies[body, 0]]
    return (du[u], du[u + 1], du[u + 2]) if d == 3 else (0.0, 0.0, du[u])


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
