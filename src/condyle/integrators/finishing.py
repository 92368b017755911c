"""The end of a step as kernels, for all methods; with contact as in `generalized_alpha.py` and `contact/ending.py`.

Soft laws give velocities their impulse and leave accelerations as they are without them; points that multipliers hold are held
at velocity and acceleration level, as joints are.
"""

from condyle.integrators.contact_steps import (
    are_there,
    end_contacts,
    keep_contacts,
    meet_anew,
    meet_or_part,
    turn_round,
)
from condyle.integrators.convergence import CONVERGED, SINGULAR, TOUCHED
from condyle.integrators.differences import leave_differences
from condyle.integrators.elimination import correct, factorise
from condyle.integrators.lie import spins as spins_of
from condyle.integrators.midpoint import finish_midpoint
from condyle.integrators.newmark import (
    ALGORITHMIC,
    MEAN_VELOCITY,
    TRUE,
    Newmark,
    accelerate,
    add_pressed,
    add_velocities,
    assemble_masses,
    finish_newmark,
    keep_pressed,
    project_velocities,
    rebuild_rates,
    take_out,
    take_out_of_directors,
)
from condyle.integrators.step_tables import GIVEN, MIDDLE, NONE, PLACE, SOLVED, STEP, Motion, Problem, Work
from condyle.integrators.still import are_still, guess_next
from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.maps import project
from condyle.system.assembly.places import keep
from condyle.system.linear.sharing import regularise
from condyle.system.signatures import count, f2, number
from condyle.system.touching.curves import SOFT, STILL
from condyle.system.touching.holding import add_held, directions, leave_open, renew_forces
from condyle.system.touching.points import gaps_at
from condyle.system.touching.steps import let_go, push_rows
from condyle.system.touching.tables import F_END, F_MEAN, LATER, NORMAL, TEST, F, Touching
from condyle.system.touching.tables import PLACE as PLACE_OF

REGULARITY = (
    1e-8  # of what is held, as of `system/held_rates.py`: with less, redundant points press each other by round-off
)


@kernel
def pressing(c):
    """Weight and damping of means of soft laws, of αm, αf, β, γ (`GeneralizedAlpha`)."""
    delta = min(c[3] - 0.5, 0.5)
    return (1.0 - c[0]) / (1.0 - c[1]) / (2.0 * c[2]), 0.5 * delta * (1.0 - delta)


@kernel
def finish_step(problem, newmark, touch, h, now, after, ends, rates, w):
    """Velocities, and all else that is carried on; returns how it ended.

    One place for all methods, so that no kernel is taken in by a call that is never made and left out for another.
    """
    touches = are_there(touch)
    if touches and meet_anew(touch, now, w.turns[0]):
        return TOUCHED
    if newmark is None:
        finish_midpoint(h, now, after, w)
        return end_contacts(touch, problem.rows[0], now, after, h) if touches else CONVERGED
    given = touches and touch.pairs[0, STILL] > 0.0  # of one contact that presses a quasi-static body, all do
    if touches and not given:
        status = finish_touching(problem, newmark, touch, h, now, after, ends, rates, w)
    else:
        if given:
            keep(touch.forces[0], w.rows[GIVEN])
        status = finish_newmark(problem, newmark, given, now, after, ends, rates, w)
    differs = newmark.differences.order > 0
    if status == CONVERGED and are_still(newmark.still) and not differs:
        guess_next(newmark.still, h, problem.rows[1], touches and let_go(touch, now.touch), now, after, w)
    if status == CONVERGED and touches:
        status = keep_contacts(touch, now, after)
    if status == CONVERGED and differs:
        anew = touches and meet_or_part(touch, now) > 0
        leave_differences(problem.whole.rows, h, anew, newmark.spins, now, after, w)
    return status


@separate(
    count(
        *(numba_type(kind) for kind in (Problem, Newmark, Touching)), number, *(numba_type(Motion),) * 2, f2, f2,
        numba_type(Work),
    )
)  # fmt: skip
def finish_touching(problem, newmark, touch, h, now, after, ends, rates, w):
    """Velocities after the forces of contact, accelerations and multipliers; returns how it ended."""
    step, mean = w.rows[STEP], after.rows[MEAN_VELOCITY]
    for i in range(step.shape[0]):
        for a in range(step.shape[1]):
            mean[i, a] = step[i, a] / h
    soft, held = _has(touch, True), _has(touch, False)
    impulses = soft and newmark.differences.order == 0
    if impulses and not _take_impulses(problem, newmark, touch, h, now, after, ends, w):
        return SINGULAR
    if held and turn_round(touch, problem.rows[0], newmark.consistent, now, after, h):
        return TOUCHED
    if soft:
        push_rows(touch, after.x, LATER, F_END, w.rows[GIVEN])
    if impulses:
        _answer_to(problem, touch, w.rows[GIVEN], after.x, w)
    if not newmark.consistent:
        if impulses:
            _add_reactions(problem, 1.0, w.vectors[3], after.multipliers)
        return CONVERGED
    if held:
        return _after_held(problem, newmark, touch, soft, impulses, now, after, ends, rates, w)
    if not impulses:
        return finish_newmark(problem, newmark, True, now, after, ends, rates, w)
    keep(w.vectors[3], w.vectors[4])
    for _ in range(2):
        project_velocities(problem, newmark, None, after, rates, w)
    accelerate(problem, newmark, None, False, after, ends, rates, w)
    _add_reactions(problem, 1.0, w.vectors[4], after.multipliers)
    rebuild_rates(problem.whole.rows, newmark.coefficients, now, after)
    return CONVERGED


@kernel
def _has(touch, soft):
    """Are there contacts with soft laws, or contacts that multipliers hold?"""
    found = False
    for pair in range(touch.first.size - 1):
        found = found or (touch.pairs[pair, SOFT] > 0.0) == soft
    return found


@kernel
def _take_impulses(problem, newmark, touch, h, now, after, ends, w):
    """Give velocities the impulses of soft laws, and take their forces out of what is carried; False if a pivot is lost.

    The masses are factorised then.
    """
    rows, c, du = problem.whole.rows, newmark.coefficients, w.vectors[3]
    assemble_masses(problem, newmark, after.x, ends, w)
    leave_open(touch, w.A)
    if not factorise(problem, w):
        return False
    spins, mean, place = newmark.spins[1], touch.forces[0], touch.forces[1]
    spins_of(rows, after.x, after.v, spins)
    push_rows(touch, w.rows[MIDDLE], TEST, F_MEAN, mean)
    push_rows(touch, w.rows[MIDDLE], TEST, F, place)
    share = 0.5 * c[3] / c[2]
    add_pressed(rows, h * (share - 1.0), now, spins, after.v)  # which the balance had in its velocities
    _answer_to(problem, touch, mean, w.rows[MIDDLE], w)  # with the moments that they had in the balance
    add_velocities(rows, du, h, spins, after.x, after.v)
    _answer_to(problem, touch, place, w.rows[MIDDLE], w)
    add_velocities(rows, du, -share * h, spins, after.x, after.v)
    keep_pressed(rows, du, after)
    if not newmark.consistent:  # otherwise all of this is found anew
        weight = pressing(c)[0]
        take_out(rows, du, 0.5 / c[2], after.rows[ALGORITHMIC], after.bodies[ALGORITHMIC])
        take_out(rows, du, weight, after.rows[TRUE], after.bodies[TRUE])
        take_out_of_directors(rows, du, weight, after.x, after.rows[TRUE])
        _add_reactions(problem, -weight, du, after.multipliers)
    return True


@kernel
def _add_reactions(problem, factor, du, multipliers):
    """Add factor times the reactions in a vector of unknowns to the multipliers."""
    place = problem.multipliers[PLACE]
    for k in range(multipliers.size):
        if place[k] >= 0:
            multipliers[k] += factor * du[place[k]]


@kernel
def _answer_to(problem, touch, push, x, w):
    """w.vectors[3]: accelerations and multipliers by forces −push on rows, with the factors of the masses at hand."""
    r, none = w.vectors[0], w.held[NONE]
    for k in range(r.size):
        r[k] = 0.0
    none[:] = 0.0
    project(problem.whole.rows, x, push, touch.forces[4], touch.forces[5], r, w.vectors[1], w.vectors[2])
    correct(problem.schedule, problem.multipliers[PLACE], problem.unit.size, r, none, w.A, w.inverse, w.vectors[3])


@kernel
def _after_held(problem, newmark, touch, given, without, now, after, ends, rates, w):
    """given: are there soft laws, too; without: are accelerations kept without what soft laws do, which is in w.vectors[3]?"""
    if without:
        keep(w.vectors[3], w.vectors[4])
    rows, spins = problem.whole.rows, newmark.spins[1]
    room = touch.answer
    gaps_at(touch, after.x, touch.found[PLACE_OF], touch.gap, touch.found[NORMAL], room.hessian, room.step)
    directions(touch, False)
    if not _factorise_held(problem, newmark, touch, after.x, ends, w):
        return SINGULAR
    spins_of(rows, after.x, after.v, spins)
    for _ in range(2):
        project_velocities(problem, newmark, touch, after, rates, w)
    if directions(touch, True) and not _factorise_held(problem, newmark, touch, after.x, ends, w):
        return SINGULAR
    accelerate(problem, newmark, touch, given, after, ends, rates, w)
    if without:
        take_out(rows, w.vectors[4], 1.0, after.rows[TRUE], after.bodies[TRUE])
        take_out_of_directors(rows, w.vectors[4], 1.0, after.x, after.rows[TRUE])
    if not renew_forces(touch, w.held[SOLVED], after.multipliers):
        return TOUCHED
    rebuild_rates(rows, newmark.coefficients, now, after)
    return CONVERGED


@kernel
def _factorise_held(problem, newmark, touch, x, ends, w):
    assemble_masses(problem, newmark, x, ends, w)
    add_held(touch, x, w.A)
    regularise(touch.couplings, REGULARITY, 0.0, w.A)
    return factorise(problem, w)
