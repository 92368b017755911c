"""A Runge–Kutta step on the accelerations of the constrained system in row form as a kernel, for models of a few bodies."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from typing import NamedTuple

import numpy as np

from condyle.integrators.contact_steps import are_there, begin_contacts, keep_soft, press
from condyle.integrators.convergence import CONVERGED, NOT_CONVERGED, SURVEY
from condyle.integrators.joint_kernels import MOST_SWEEPS, stands_still
from condyle.laws.columns import Flags, Integers, Numbers, Numbers2, Numbers3, Numbers4, table
from condyle.laws.kernel import kernel
from condyle.system.assembly.places import keep
from condyle.system.assembly.row_form import (
    close_positions,
    constraint_rates,
    contradict,
    row_accelerations,
    solve_saddle,
)
from condyle.system.touching.tables import FULL, STALE


@table
class Tableau(NamedTuple):
    """A method with s stages."""

    coefficients: Numbers2  # (s, s)
    weights: Numbers  # (s,)
    sweeps: Flags  # (1,) do stages depend on later ones, so that they are found by sweeps?


@table
class Courses(NamedTuple):
    """What is known beforehand at all stages of a step, then at its end, then at its start: s + 2 instants."""

    applied: Numbers3  # (s + 2, n, d) forces on rows [N]
    functions: Numbers3  # (s + 2, 2, nf) functions of time, each twice
    rates: (
        Numbers3  # (s + 2, 3, nf) functions of time, their first and second derivatives, where a constraint follows one
    )
    prescribed: Integers  # rows that move as prescribed
    driven: Numbers4  # (3, s + 2, n, d) their places, velocities and accelerations


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
        if not _accelerate(system, touch, courses, stages + 1, step, x1, v1, found[0], mu, out):
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
    _prescribe(courses, stages, x1, v1)
    if mu.size and not _close(system, courses, stages, x1, v1, mu, out):
        return NOT_CONVERGED
    if not _accelerate(system, touch, courses, stages, step, x1, v1, a1, mu, out):
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
