"""Runge–Kutta steps on the accelerations of the constrained system in row form as kernels, for models of a few bodies."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from typing import NamedTuple

import numpy as np

from condyle.integrators.account import ERROR
from condyle.integrators.contact_steps import are_there, begin_contacts, keep_soft, press
from condyle.integrators.convergence import CONVERGED, NOT_CONVERGED, OVERFLOWN, SURVEY
from condyle.integrators.explicit_kernels import record_state, work_over_step
from condyle.integrators.joint_kernels import MOST_SWEEPS, stands_still
from condyle.laws.columns import Flags, Integers, Numbers, Numbers2, Numbers3, Numbers4, table
from condyle.laws.kernel import kernel
from condyle.system.assembly.constraints import constraint_values
from condyle.system.assembly.inverted import first_inverted, is_near
from condyle.system.assembly.places import family, keep
from condyle.system.assembly.row_form import (
    close_positions,
    constraint_rates,
    contradict,
    row_accelerations,
    solve_saddle,
)
from condyle.system.tables import MassTable, WholeSystem
from condyle.system.touching.tables import FULL, STALE, Touching


@table
class Tableau(NamedTuple):
    """A method with s stages."""

    coefficients: Numbers2  # (s, s)
    weights: Numbers  # (s,)
    sweeps: Flags  # (1,) do stages depend on later ones, so that they are found by sweeps?


@table
class Courses(NamedTuple):
    """What is known beforehand at all stages of a step, in its middle, at its end and at its start: s + 3 instants."""

    applied: Numbers3  # (s + 3, n, d) forces on rows [N]
    functions: Numbers3  # (s + 3, 2, nf) functions of time, each twice
    rates: Numbers3  # (s + 3, 3, nf) the same and their first and second derivatives, where a constraint follows one
    prescribed: Integers  # rows that move as prescribed
    driven: Numbers4  # (3, s + 3, n, d) their places, velocities and accelerations


@table
class RowSystem(NamedTuple):
    """A system whose energies, momenta and work are put down by the kernel: nothing follows a function of time but forces."""

    whole: WholeSystem
    mass: MassTable
    weight: Numbers2  # (n, d) gravity of rows [N]
    translation: Numbers  # (n,)
    acts: Flags  # (1,) does anything act but gravity?
    weights: Numbers  # of the method (stages,)
    own: Integers  # multipliers of the row form that the system has, too
    touch: Touching  # contacts, all of them soft; its columns are empty where there are none


@table
class RowWork(NamedTuple):
    """Arrays that a step works on."""

    rows: Numbers3  # (6, n, d): x, v and accelerations at its end; the middle, how rows move and how fast
    mu: Numbers  # multipliers of the row form
    values: Numbers  # (m,) of constraints
    touch: Numbers2  # (2, numbers) what contacts remember as a step begins, and after it


@kernel(nogil=True)
def run_row_steps(problem, system, tableau, courses, sizes, functions, gravity, x, v, work, first, every, scalars, linear,
                  angular, frames, out, w):  # fmt: skip
    """As `joint_kernels.run_tree_steps`, in rows; `courses` is room."""
    kept, stages, before, after = 0, problem.weights.size, w.touch[0], w.touch[1]
    x1, v1, a1 = w.rows[0], w.rows[1], w.rows[2]
    whole, touch = problem.whole, problem.touch
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    for s in range(sizes.size):
        _at_instants(problem, functions[s], gravity[s], courses)
        status = step_in_rows(system, tableau, touch, courses, x, v, sizes[s], before, out, x1, v1, a1, w.mu, after)
        if status != CONVERGED:
            return status, s, kept, work
        if not is_near(whole.rows, x1) or first_inverted(family(whole.laws, whole.spans, 0), x, x1) >= 0:
            return NOT_CONVERGED, s, kept, work
        work += work_over_step(
            problem, sizes[s], functions[s], gravity[s], (x, x1, w.rows[3], w.rows[4], w.rows[5]), out
        )
        keep(x1, x)
        keep(v1, v)
        keep(after, before)
        if not record_state(problem, gravity[s, stages + 1], x, v, work, scalars[s], linear[s], angular[s], before):
            return OVERFLOWN, s, kept, work
        constraint_values(links, constraints, x, functions[s, stages + 1], w.values)
        for value in w.values:
            scalars[s, ERROR] = max(scalars[s, ERROR], abs(value))
        if (first + s) % every == 0 or s + 1 == sizes.size:
            places, velocities, accelerations, multipliers, _, remembered = frames
            keep(x, places[kept])
            keep(v, velocities[kept])
            keep(a1, accelerations[kept])
            keep(before, remembered[kept])
            for k in range(problem.own.size):
                multipliers[kept, k] = w.mu[problem.own[k]]
            kept += 1
    return CONVERGED, sizes.size, kept, work


@kernel
def _at_instants(problem, functions, gravity, courses):
    """Forces and functions of time at all instants of a step."""
    for k in range(gravity.size):
        for i in range(problem.weight.shape[0]):
            for a in range(problem.weight.shape[1]):
                courses.applied[k, i, a] = gravity[k] * problem.weight[i, a]
        for f in range(functions.shape[1]):
            courses.functions[k, 0, f] = courses.functions[k, 1, f] = functions[k, f]


@kernel
def step_in_rows(system, tableau, touch, courses, x0, v0, h, before, out, x1, v1, a1, mu, after):
    """One step of length h [s] and its projection onto the constraints; returns how it ended.

    system = (tables of the row form, held, layout, factors): see `row_form.row_accelerations`. before: what contacts remember
    as the step begins. Fills x1, v1, accelerations a1 and multipliers μ at the end, and `after`.
    """
    stages, coefficients = tableau.weights.size, tableau.coefficients
    if are_there(touch):
        begin_contacts(touch, x0, v0, h, before)
        if touch.flags[STALE]:
            return SURVEY
    n, d = x0.shape
    speeds, found, last = np.zeros((stages, n, d)), np.zeros((stages, n, d)), np.zeros((n, d))
    step = (x0, h, before)
    if tableau.sweeps[0]:
        keep(x0, x1)
        keep(v0, v1)
        if not _accelerate(system, touch, courses, stages + 2, step, x1, v1, found[0], mu, out):
            return NOT_CONVERGED
        for k in range(stages):
            keep(v0, speeds[k])
            keep(found[0], found[k])
    before_change = np.inf
    for sweep in range(MOST_SWEEPS):
        change = size = 0.0
        for k in range(stages):
            known = stages if tableau.sweeps[0] else k
            _combine(h, coefficients[k, :known], x0, speeds, x1)
            _combine(h, coefficients[k, :known], v0, found, v1)
            keep(v1, speeds[k])
            keep(found[k], last)
            if not _accelerate(system, touch, courses, k, step, x1, v1, found[k], mu, out):
                return NOT_CONVERGED
            for i in range(n):
                for a in range(d):
                    change += abs(found[k, i, a] - last[i, a])
                    size += abs(found[k, i, a]) + abs(speeds[k, i, a]) / h
        if not tableau.sweeps[0] or stands_still(change, size, before_change):
            break
        if sweep + 1 == MOST_SWEEPS:
            return NOT_CONVERGED
        before_change = change
    _combine(h, tableau.weights, x0, speeds, x1)
    _combine(h, tableau.weights, v0, found, v1)
    _prescribe(courses, stages + 1, x1, v1)
    if mu.size and not _close(system, courses, stages + 1, x1, v1, mu, out):
        return NOT_CONVERGED
    if not _accelerate(system, touch, courses, stages + 1, step, x1, v1, a1, mu, out):
        return NOT_CONVERGED
    return keep_soft(touch, before, after) if are_there(touch) else CONVERGED


@kernel
def _combine(h, factors, start, rates, out):
    """out = start + h Σ factors · rates."""
    for i in range(out.shape[0]):
        for a in range(out.shape[1]):
            total = 0.0
            for k in range(factors.size):
                total += factors[k] * rates[k, i, a]
            out[i, a] = start[i, a] + h * total


@kernel
def _prescribe(courses, instant, x, v):
    """Put rows that move as prescribed where they are."""
    for i in courses.prescribed:
        for a in range(x.shape[1]):
            x[i, a], v[i, a] = courses.driven[0, instant, i, a], courses.driven[1, instant, i, a]


@kernel
def _accelerate(system, touch, courses, instant, step, x, v, found, mu, out):
    """Accelerations of all rows and multipliers at x and v within a step; False if they are not determined."""
    whole, held, layout, factors = system
    x0, h, before = step
    _prescribe(courses, instant, x, v)
    still, push, given = np.zeros(x.shape), np.zeros(x.shape), courses.driven[2, instant]
    if are_there(touch):
        press(touch, whole.rows, x0, x, v, h, before, out)
        if touch.flags[FULL]:
            return False
        for i in range(x.shape[0]):
            for a in range(x.shape[1]):
                push[i, a] = -touch.forces[0, i, a]
    functions = courses.functions[instant]
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            found[i, a] = 0.0
    for k in range(mu.size):
        mu[k] = 0.0
    if not row_accelerations(
        whole, (x, x, x, v, still, x), (courses.applied[instant], functions[0], functions), held, push, given, (0.0, 0.0),
        courses.rates[instant], layout, factors, out, found, mu,
    ):  # fmt: skip
        return False
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            found[i, a] += given[i, a]
    return True


@kernel
def _close(system, courses, instant, x, v, mu, out):
    """Put places and velocities onto the constraints, by as little as possible in the sense of the mass."""
    whole, _, layout, factors = system
    _, pattern, first, _, unknown, live = layout
    if not close_positions(whole, x, courses.functions[instant], layout, factors, out):
        return False
    rates, still = courses.rates[instant], np.zeros(x.shape)
    speed, change, unused = np.zeros(mu.size), np.zeros(x.shape), np.zeros(mu.size)
    constraint_rates(whole, x, v, still, rates, 1, speed)
    solve_saddle(pattern, out[8], first, unknown, live, factors, out[7], still, -speed, change, unused)
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            v[i, a] += change[i, a]
    constraint_rates(whole, x, v, still, rates, 1, speed)
    return not contradict(speed, out[7], live, v, whole.rows.size)
