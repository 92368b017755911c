"""Energies after a step, and the work that is done on a model from outside over it, as kernels.

Forces are taken at the middle of the step, which is exact for energy–momentum and of second order for all methods.
"""

import numpy as np

from condyle.integrators.account import ERROR, GRAVITY, KINETIC, STORED, TOTAL
from condyle.integrators.step_tables import HOLD, STIFF
from condyle.laws.kernel import kernel
from condyle.system.assembly import NO_MAP
from condyle.system.assembly.energies import stored_energy
from condyle.system.assembly.forces import add_forces
from condyle.system.assembly.inertia import momenta
from condyle.system.assembly.losses import viscous_work
from condyle.system.assembly.places import family
from condyle.system.tables import PENALTY


@kernel
def support_work(rows, q, step):
    """Work [J] of the supports that move as prescribed; q: the residual of the rows, step: how they move."""
    work = 0.0
    for i in range(rows.kind.size):
        if rows.unknown[i] < 0:
            for a in range(step.shape[1]):
                work += q[i, a] * step[i, a]
    return work


@kernel
def drag_work(mass, rows, h, step):
    """Work [J] that mass-proportional damping takes out."""
    damped, work = False, 0.0
    for i in range(rows.drag.size):
        damped = damped or rows.drag[i] > 0.0
    if damped:
        for e in range(mass.value.size):
            i, j = mass.first[e], mass.second[e]
            for a in range(step.shape[1]):
                work += mass.value[e] * rows.drag[j] * step[i, a] * step[j, a] / h
    return work


@kernel
def work_of_forces(whole, mass, weight, h, motion, middle, gravity, room):
    """Work [J] of loads, torques, dampers, viscosity and changes of gravity over a step.

    weight: gravity per row [N]; motion: x0, x1, the middle, how the rows move and how fast; middle: functions of time at
    mid-step; gravity: its factors at the start, in the middle and at the end; room: two arrays of rows, and a matrix.
    """
    x0, x1, mid, step, rate = motion
    q, scale, A = room
    energies, forces = family(whole.laws, whole.spans, 0), family(whole.laws, whole.spans, 1)
    work = -drag_work(mass, whole.rows, h, step)
    if energies.law.size:
        work -= viscous_work(energies, x0, x1, h)
    if forces.law.size:
        q[:] = 0.0
        add_forces(forces, whole.rows, mid, rate, x1, middle, 0.5, 1.0 / h, NO_MAP, False, q, scale, A)
        for i in range(q.shape[0]):
            for a in range(q.shape[1]):
                work -= q[i, a] * step[i, a]
    before, between, after = gravity
    if before != after or before != between:
        for i in range(x0.shape[0]):
            for a in range(x0.shape[1]):
                work -= weight[i, a] * (after * x1[i, a] - before * x0[i, a] - between * step[i, a])
    return work


@kernel
def driving_work(hold, drive, multipliers, before, after, ends, work):
    """Work [J] of drives: their force times what they have moved by, which a target that was set anew need not say.

    hold, drive: enforcement of each constraint, and the function of time that it follows, −1 for none; before, after: values of
    the constraints at both ends, c less target; ends: functions of time there. A penalty stores what its constraint is off by.
    Returns the sum with `work`, that of all else in the step: steps alone and in a row are to add up to the same bits.
    """
    for k in range(drive.size):
        if drive[k] >= 0:
            moved = ends[1, drive[k]] - ends[0, drive[k]]
            if hold[k] != PENALTY:
                moved += after[k] - before[k]
            work -= multipliers[k] * moved
    return work


@kernel
def driven_rates_work(rates, multipliers, middle, h):
    """Work [J] of drives of rates, a·ẏ = b: −λ b h. middle: functions of time at mid-step."""
    work = 0.0
    for i in range(rates.law.size):
        if rates.drive[i] >= 0:
            work -= multipliers[rates.channel[i]] * middle[rates.drive[i]] * h
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
    """Energies, momenta and the largest constraint error of a state; values: of the constraints. Are the energies finite?"""
    energies = family(problem.whole.laws, problem.whole.spans, 0)
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
    return np.isfinite(scalars[TOTAL])
