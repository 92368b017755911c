"""The account of explicit steps as kernels, in joint coordinates and in rows."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import numpy as np

from condyle.integrators.account import GRAVITY, KINETIC, LEVEL, STORED, TOTAL, WORK
from condyle.integrators.contact_steps import are_there, stored_in_contacts
from condyle.integrators.step_work import work_of_forces
from condyle.laws.kernel import kernel
from condyle.system.assembly.energies import stored_energy
from condyle.system.assembly.inertia import momenta
from condyle.system.assembly.places import family


@kernel
def work_over_step(problem, h, functions, gravity, motion, out):
    """Work [J] of loads and dampers over a step, of second order as of all methods that take forces elsewhere.

    functions, gravity: functions of time and the factor of gravity at all stages, in the middle and at the end; motion: rows at
    both ends, and room for the middle, how they move and how fast.
    """
    stages = problem.weights.size
    if not problem.acts[0] and gravity[0] == gravity[stages + 1] and gravity[0] == gravity[stages]:
        return 0.0
    x0, x1, middle, step, rate = motion
    for i in range(x0.shape[0]):
        for a in range(x0.shape[1]):
            middle[i, a] = 0.5 * (x0[i, a] + x1[i, a])
            step[i, a] = x1[i, a] - x0[i, a]
            rate[i, a] = step[i, a] / h
    return work_of_forces(
        problem.whole, problem.mass, problem.weight, h, motion, functions[stages],
        (gravity[0], gravity[stages], gravity[stages + 1]), (out[0], out[1], out[8]),
    )  # fmt: skip


@kernel
def record_state(problem, gravity, x, v, work, scalars, linear, angular, remembered):
    """Energies and momenta after a step, with what contacts remember of it; False if they are not finite."""
    whole, weight = problem.whole, problem.weight
    energies = family(whole.laws, whole.spans, 0)
    potential = level = 0.0
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            height = weight[i, a] * x[i, a]
            potential -= gravity * height
            level += abs(height)
    kinetic = momenta(problem.mass, problem.translation, x, v, linear, angular)
    stored = stored_energy(energies, x) if energies.law.size else 0.0
    if are_there(problem.touch):
        stored += stored_in_contacts(problem.touch, x, remembered)
    scalars[KINETIC], scalars[STORED], scalars[GRAVITY], scalars[WORK] = kinetic, stored, potential, work
    scalars[TOTAL], scalars[LEVEL] = kinetic + stored + potential, level
    return np.isfinite(scalars[TOTAL])
