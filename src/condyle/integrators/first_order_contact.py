"""Contact in compiled first-order steps: the step's linear equations, and the conditions of contact at its end.

    A u + Σ f_c(x1) = b,   gap(x1) ≥ 0 ⊥ λ ≥ 0,   friction by return mapping

as in `compliant_contact.py`, which takes over what is exceptional: points that strike, come to rest or keep changing.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from typing import NamedTuple

from condyle.integrators.contact_steps import go_on_with_contacts
from condyle.integrators.convergence import CONVERGED, COUNT, NOT_CONVERGED, SINGULAR, TOUCHED
from condyle.integrators.elimination import assembled, correct, factorise
from condyle.integrators.step_tables import C_SCALE, PLACE, C, Motion, Problem, Work
from condyle.laws.column_types import numba_type
from condyle.laws.columns import Integers, Numbers, table
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.maps import move
from condyle.system.assembly.places import keep
from condyle.system.signatures import count, number
from condyle.system.touching.conditions import END
from condyle.system.touching.points import add_touching
from condyle.system.touching.tables import CHANGES, FORCED, FULL, Touching

ITERATIONS = 60
MOST_CHANGES = 12  # of the status of points within a step: then shorter corrections and other guesses are Python's
FORCE, LENGTH = 1e-10, 1e-12  # unbalanced forces over the largest of their kind, gaps over the size of the model
ROUND_OFF = 10.0 * 2.0**-52  # as of `newton.py`


@table
class LinearPart(NamedTuple):
    """The equations of a step without contact, A u = −(r, c), and room for A u. Columns are empty where there is no contact."""

    row: Integers  # (entries,) of the matrix of the system: place in a vector,
    column: Integers
    slot: Integers  # and in the storage of blocks
    A: Numbers  # as `Work.A`
    r: Numbers  # as a vector of the blocks
    c: Numbers  # (m,)
    product: Numbers  # as a vector of the blocks
    motion: Numbers  # u, as a vector of the blocks
    lever: Numbers  # of each unknown [m], as a vector of the blocks


@separate(
    count(
        *(numba_type(kind) for kind in (Problem, Touching, LinearPart)),
        number,
        *(numba_type(Motion),) * 2,
        numba_type(Work),
    )
)
def meet_conditions(problem, touch, linear, h, now, after, w):
    """Solve the equations of a step, which are assembled, together with the conditions of contact at its end.

    Moves the rows of `after` by `linear.motion`, with the multipliers of contact at their places in it; returns how it ended,
    with the number of iterations in `w.control`.
    """
    place, motion, du, u = problem.multipliers[PLACE], problem.unit.size, w.vectors[3], linear.motion
    own = place.size - (touch.multiplier[touch.pair.size] - touch.multiplier[0])
    keep(w.A, linear.A)
    keep(w.vectors[0], linear.r)
    keep(w.held[C], linear.c)
    keep(now.multipliers, after.multipliers)
    for i in range(u.size):
        u[i] = 0.0
    for iteration in range(ITERATIONS):
        _add_linear_part(linear, place, motion, w)
        add_touching(
            touch, problem.whole.rows, now.x, after.x, now.x, now.x[:0], h, END, 1.0, 0.0, True, now.touch, after.multipliers,
            w.held[C], w.held[C_SCALE], assembled(w), w.A,
        )  # fmt: skip
        if touch.flags[FULL] or touch.flags[CHANGES] > MOST_CHANGES:
            return TOUCHED
        if iteration > 0 and not touch.flags[FORCED] and _are_met(problem, linear.lever, touch.size, own, w):
            for k in range(own, place.size):
                u[place[k]] = after.multipliers[k]
            w.control[COUNT] = iteration
            return CONVERGED
        go_on_with_contacts(touch, True, w.A)
        if not factorise(problem, w):
            return SINGULAR
        correct(problem.schedule, place, motion, w.vectors[0], w.held[C], w.A, w.inverse, du)
        for i in range(u.size):
            u[i] += du[i]
        for k in range(own, place.size):
            after.multipliers[k] += du[place[k]]
        move(problem.whole.rows, du, after.x)
    return NOT_CONVERGED


@kernel
def _add_linear_part(linear, place, motion, w):
    """Residual, its scale and the matrix of the equations without contact at the motion found so far."""
    keep(linear.A, w.A)
    product, u = linear.product, linear.motion
    for i in range(product.size):
        product[i] = 0.0
    for e in range(linear.row.size):
        product[linear.row[e]] += linear.A[linear.slot[e]] * u[linear.column[e]]
    for i in range(product.size):
        w.vectors[0, i] = linear.r[i] + product[i]
        w.vectors[1, i], w.vectors[2, i] = abs(linear.r[i]) + abs(product[i]), 0.0
    for k in range(place.size):
        if place[k] >= 0:
            w.held[C, k] = linear.c[k] + product[place[k]]


@kernel
def _are_met(problem, lever, size, own, w):
    """Are forces balanced and the conditions of contact, from multiplier `own` on, met? Round-off of moments is that of forces
    times levers."""
    r, scale, noise, unit = w.vectors[0], w.vectors[1], w.vectors[2], problem.unit
    units, largest = 0, 0.0
    for i in range(unit.size):
        units = max(units, unit[i] + 1)
        if lever[i] > 0.0:
            largest = max(largest, scale[i] / lever[i])
    for of in range(units):
        level = 0.0
        for i in range(unit.size):
            if unit[i] == of:
                level = max(level, scale[i])
        for i in range(unit.size):
            if unit[i] == of and not abs(r[i]) <= FORCE * level + ROUND_OFF * (noise[i] + lever[i] * largest):
                return False
    open_by = 0.0
    for k in range(own, w.held.shape[1]):
        open_by = max(open_by, abs(w.held[C, k]))
    return open_by <= LENGTH * size
