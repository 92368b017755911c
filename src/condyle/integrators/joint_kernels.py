"""Runge–Kutta steps in joint coordinates as a kernel; the coordinates are those of `assembly/joint_tree.py`."""

from typing import NamedTuple

import numpy as np

from condyle.integrators.account import ERROR
from condyle.integrators.contact_steps import are_there, begin_contacts, keep_soft, press
from condyle.integrators.convergence import CONVERGED, NOT_CONVERGED, OVERFLOWN, SURVEY, TOUCHED
from condyle.integrators.explicit_kernels import record_state, work_over_step
from condyle.laws.columns import Flags, Integers2, Numbers, Numbers2, Numbers3, table
from condyle.laws.kernel import kernel
from condyle.system.assembly import NO_MAP, assemble_compiled
from condyle.system.assembly.articulated import accelerate_rows, accelerate_tree, bear
from condyle.system.assembly.closing import (
    Closing,
    ClosingRoom,
    close_at,
    factor_closing,
    hold_rows,
    solve_closing,
    take_back,
)
from condyle.system.assembly.joint_tree import Tree, TreeRoom, place_tree, start_tree
from condyle.system.assembly.maps import normalise_directors
from condyle.system.assembly.places import family, find_turns, keep
from condyle.system.assembly.row_form import constraint_rates
from condyle.system.tables import END, NOWHERE, MassTable, WholeSystem
from condyle.system.touching.tables import STALE, Touching


@table
class TreeProblem(NamedTuple):
    """A system as these steps take it."""

    tree: Tree
    room: TreeRoom
    closing: Closing
    whole: WholeSystem
    mass: MassTable
    weight: Numbers2  # (n, d) gravity of rows [N]
    translation: Numbers  # (n,)
    angles: Integers2  # (angles, 3) see `loop.Problem`
    acts: Flags  # (1,) does anything act but gravity?
    coefficients: Numbers2  # (stages, stages) of the method
    weights: Numbers  # (stages,)
    size: Numbers  # (1,) of the model [m]
    sweeps: Flags  # (1,) do stages depend on later ones, so that they are found by sweeps?
    touch: Touching  # contacts, all of them soft; its columns are empty where there are none


@table
class TreeWork(NamedTuple):
    """Arrays that a step works on."""

    rows: Numbers3  # (7, n, d): place and velocity at a stage, forces, no accelerations, middle, step, mean velocity
    q: Numbers2  # (stages + 2, coordinates): at the start, at a stage, then their rates at all stages
    u: Numbers2  # (stages + 2, rates)
    gathered: Numbers2  # (2, d)
    values: Numbers  # (m,)
    turns: Numbers
    touch: Numbers2  # (2, numbers) what contacts remember as a step begins, and after it
    closing: ClosingRoom


MOST_SWEEPS = 100
MOST_CLOSINGS = 12  # iterations until loops are closed
CLOSED = 1e-8  # of the size of the model: loops that are open by more were not closed by a step
X, V, FORCE, STILL, MIDDLE, STEP, RATE = range(7)


@kernel(nogil=True)
def run_tree_steps(problem, sizes, functions, gravity, x, v, turns, work, first, every, scalars, linear, angular, frames,
                   out, w):  # fmt: skip
    """Steps until the tables end or one fails; x, v, turns and what contacts remember, `w.touch[0]`, become those reached.

    functions (steps, stages + 3, nf), gravity (steps, stages + 3): functions of time and the factor of gravity at all stages,
    in the middle, at the end and at the start of each step; frames: x, v, accelerations, multipliers, turns and what contacts
    remember of every `every`-th step, and after them of the last. Returns how it ended, steps done, frames kept and the work so
    far [J].
    """
    kept, stages, touch, before, after = 0, problem.weights.size, problem.touch, w.touch[0], w.touch[1]
    for s in range(sizes.size):
        h = sizes[s]
        if are_there(touch):
            begin_contacts(touch, x, v, h, before)
            if touch.flags[STALE]:
                return SURVEY, s, kept, work
        done, gap = _step(problem, h, functions[s], gravity[s], x, v, turns, out, w)
        if s > 0:
            scalars[s - 1, ERROR] = gap  # found where coordinates are made of the rows that the step before has left
        if not done:
            return NOT_CONVERGED, s, kept, work
        x1, v1 = w.rows[X], w.rows[V]
        if are_there(touch):
            press(touch, problem.whole.rows, x, x1, v1, h, before, out)
            if keep_soft(touch, before, after) != CONVERGED:
                return TOUCHED, s, kept, work
            keep(after, before)
        work += work_over_step(
            problem, h, functions[s], gravity[s], (x, x1, w.rows[MIDDLE], w.rows[STEP], w.rows[RATE]), out
        )
        if problem.angles.shape[0]:
            laws = problem.whole.laws
            find_turns(laws, problem.angles[:, 0], problem.angles[:, 2], x1, turns, w.turns)
            keep(w.turns, turns)
        keep(x1, x)
        keep(v1, v)
        if not record_state(problem, gravity[s, stages + 1], x, v, work, scalars[s], linear[s], angular[s], before):
            return OVERFLOWN, s, kept, work
        if (first + s) % every == 0 or s + 1 == sizes.size:
            done, scalars[s, ERROR] = _keep_frame(problem, functions[s], gravity[s], x, v, turns, frames, kept, out, w)
            if not done:
                return NOT_CONVERGED, s, kept, work
            kept += 1
    return CONVERGED, sizes.size, kept, work


@kernel
def _set_turns(problem, turns):
    laws, angles = problem.whole.laws, problem.angles
    for k in range(angles.shape[0]):
        laws.params[laws.param_start[angles[k, 0]] + angles[k, 1]] = turns[k]


@kernel
def _start(problem, x, v, w):
    gap = start_tree(problem.tree, x, v, problem.room, w.q[0], w.u[0])
    return max(gap, close_at(problem.closing, problem.whole, x, w.closing)) if problem.closing.channel.size else gap


@kernel
def _rates(problem, x0, h, q, u, functions, gravity, q_rate, u_rate, out, w):
    """q̇ and u̇ at a stage of a step of h [s]; False if they are not determined."""
    _load(problem, x0, q, u, functions, gravity, q_rate, out, w)
    if are_there(problem.touch):
        press(problem.touch, problem.whole.rows, x0, w.rows[X], w.rows[V], h, w.touch[0], out)
        _add_contacts(problem, w)
    return _accelerate(problem, u_rate, w)


@kernel
def _add_contacts(problem, w):
    """Forces of contacts where they were last taken."""
    force, pulled = w.rows[FORCE], problem.touch.forces[0]
    for i in range(force.shape[0]):
        for a in range(force.shape[1]):
            force[i, a] -= pulled[i, a]


@kernel
def _load(problem, x0, q, u, functions, gravity, q_rate, out, w):
    """Rows at coordinates and their rates, q̇, and the forces of all laws on rows."""
    x, v, force = w.rows[X], w.rows[V], w.rows[FORCE]
    place_tree(problem.tree, x0, q, u, problem.room, x, v, q_rate)
    weight = problem.weight
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            force[i, a] = gravity * weight[i, a]
    if problem.acts[0]:
        _add_laws(problem, functions, out, w)


@kernel
def _accelerate(problem, u_rate, w):
    """u̇ under the forces on rows; False if it is not determined."""
    x = w.rows[X]
    if not accelerate_tree(problem.tree, x, w.rows[FORCE], problem.room, u_rate):
        return False
    if problem.closing.channel.size:
        accelerate_rows(problem.tree, x, problem.room, w.closing.rows)
        _factor_loops(problem, w)
        _hold(problem, 2, w)
        take_back(w.closing, u_rate)
    return True


@kernel
def _factor_loops(problem, w):
    """Gradients of the conditions of loops and what the tree does about their forces, where it was last accelerated."""
    close_at(problem.closing, problem.whole, w.rows[X], w.closing)
    factor_closing(problem.closing, problem.tree, w.rows[X], problem.room, w.closing)


@kernel
def _hold(problem, order, w):
    """Forces λ (order 2), or impulses (1), that keep loops closed: (G M⁻¹ Gᵀ) λ = c̈, or ċ, without them."""
    room = w.closing
    constraint_rates(problem.whole, w.rows[X], w.rows[V], room.rows, room.courses, order, room.rates)
    for k in range(room.value.size):
        room.value[k] = room.rates[problem.closing.channel[k]]
    solve_closing(room, room.value)


@kernel
def _close_loops(problem, x0, w):
    """Put coordinates and rates at the end of a step onto the conditions of loops; False if that does not succeed.

    As little as possible in the sense of the mass: q −= M⁻¹ Gᵀ λ until c = 0, with λ = (G M⁻¹ Gᵀ)⁻¹ c; rates likewise.
    """
    tree, q, u, room = problem.tree, w.q[1], w.u[1], w.closing
    x, v, change, q_change = w.rows[X], w.rows[V], w.u[2], w.q[2]
    place_tree(tree, x0, q, u, problem.room, x, v, q_change)
    keep(w.rows[STILL], w.rows[FORCE])
    if not accelerate_tree(tree, x, w.rows[FORCE], problem.room, change):
        return False
    _factor_loops(problem, w)
    open_by, last = 0.0, np.inf
    for _ in range(MOST_CLOSINGS):
        open_by = close_at(problem.closing, problem.whole, x, room)
        if not open_by < 0.5 * last:
            break
        last = open_by
        solve_closing(room, room.value)
        for k in range(change.size):
            change[k] = 0.0
        take_back(room, change)
        place_tree(tree, x0, q, change, problem.room, x, v, q_change)
        for k in range(q.size):
            q[k] += q_change[k]
        place_tree(tree, x0, q, u, problem.room, x, v, q_change)
    for _ in range(2):
        _hold(problem, 1, w)
        take_back(room, u)
        place_tree(tree, x0, q, u, problem.room, x, v, q_change)
    return open_by <= CLOSED * problem.size[0]


@kernel
def _add_laws(problem, functions, out, w):
    """Forces of all laws on rows; constraints are the business of the joints."""
    x, v, force, still = w.rows[X], w.rows[V], w.rows[FORCE], w.rows[STILL]
    amplitudes, ends = functions, np.zeros((2, functions.size))
    for k in range(functions.size):
        ends[0, k] = ends[1, k] = functions[k]
    q = out[0]
    none = np.zeros(0)
    assemble_compiled(
        problem.whole, (x, x, x, v, still, x), (force, amplitudes, ends), (w.values, none, none), END, NOWHERE,
        (0.0, 1.0, 0.0), (NO_MAP, NO_MAP), False, out,
    )  # fmt: skip
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            force[i, a] = -q[i, a]


@kernel
def _sweep_stages(problem, h, x, functions, gravity, out, w):
    """Rates at all stages of a step that depend on each other; False if the sweeps do not converge."""
    stages, coefficients = problem.weights.size, problem.coefficients
    q, u = w.q[1], w.u[1]
    if not _rates(problem, x, h, w.q[0], w.u[0], functions[0], gravity[0], w.q[2], w.u[2], out, w):
        return False
    for stage in range(1, stages):
        keep(w.q[2], w.q[stage + 2])
        keep(w.u[2], w.u[stage + 2])
    last = np.inf
    for _ in range(MOST_SWEEPS):
        change, size = 0.0, 0.0
        for stage in range(stages):
            _at_stage(h, coefficients[stage], stages, w)
            before = w.u[stage + 2].copy()
            if not _rates(
                problem, x, h, q, u, functions[stage], gravity[stage], w.q[stage + 2], w.u[stage + 2], out, w
            ):
                return False
            for k in range(before.size):
                change += abs(w.u[stage + 2, k] - before[k])
                size += abs(w.u[stage + 2, k]) + abs(u[k]) / h
        if stands_still(change, size, last):
            return True
        last = change
    return False


@kernel
def stands_still(change, size, last):
    """Have sweeps converged? To round-off, or to where they do not come closer."""
    return change <= 1e-15 * size or (change <= 1e-10 * size and change > 0.5 * last)


@kernel
def _at_stage(h, row, count, w):
    """Coordinates and rates at a stage, from the first so many rates of coordinates."""
    q, u = w.q[1], w.u[1]
    keep(w.q[0], q)
    keep(w.u[0], u)
    for j in range(count):
        c = h * row[j]
        if c != 0.0:
            for k in range(q.size):
                q[k] += c * w.q[j + 2, k]
            for k in range(u.size):
                u[k] += c * w.u[j + 2, k]


@kernel
def _step(problem, h, functions, gravity, x, v, turns, out, w):
    """One step; the rows at its end are in w.rows[X] and w.rows[V]. Is it done; how far are joints open at its start?"""
    stages, coefficients = problem.weights.size, problem.coefficients
    _set_turns(problem, turns)
    keep(x, w.rows[X])  # rows that do not move, too
    keep(v, w.rows[V])
    gap = _start(problem, x, v, w)
    q, u = w.q[1], w.u[1]
    if problem.sweeps[0]:
        if not _sweep_stages(problem, h, x, functions, gravity, out, w):
            return False, gap
    else:
        for stage in range(stages):
            _at_stage(h, coefficients[stage], stage, w)
            if not _rates(
                problem, x, h, q, u, functions[stage], gravity[stage], w.q[stage + 2], w.u[stage + 2], out, w
            ):
                return False, gap
    _at_stage(h, problem.weights, stages, w)
    if problem.closing.channel.size and not _close_loops(problem, x, w):
        return False, gap
    place_tree(problem.tree, x, q, u, problem.room, w.rows[X], w.rows[V], w.q[2])
    normalise_directors(problem.whole.rows, w.rows[X])
    return True, gap


@kernel
def _keep_frame(problem, functions, gravity, x, v, turns, frames, at, out, w):
    """The state, with accelerations and multipliers at it. Is it done; how far are joints open?

    Forces of contacts are those that the step has ended with.
    """
    whole, last = problem.whole, problem.weights.size + 1
    _set_turns(problem, turns)
    gap = _start(problem, x, v, w)
    _load(problem, x, w.q[0], w.u[0], functions[last], gravity[last], w.q[2], out, w)
    if are_there(problem.touch):
        _add_contacts(problem, w)
    if not _accelerate(problem, w.u[2], w):
        return False, gap
    places, velocities, accelerations, multipliers, angles, remembered = frames
    if problem.closing.channel.size:  # joints of the tree bear what closes the loops, too
        hold_rows(problem.closing, w.closing, w.rows[FORCE])
        place_tree(problem.tree, x, w.q[0], w.u[0], problem.room, w.rows[X], w.rows[V], w.q[2])
        accelerate_tree(problem.tree, w.rows[X], w.rows[FORCE], problem.room, w.u[2])
        for k in range(w.closing.force.size):
            multipliers[at, problem.closing.channel[k]] = w.closing.force[k]
    links, constraints = family(whole.laws, whole.spans, 2), family(whole.laws, whole.spans, 3)
    bear(problem.tree, links, constraints, x, problem.room, accelerations[at], multipliers[at], w.gathered)
    keep(x, places[at])
    keep(v, velocities[at])
    keep(turns, angles[at])
    keep(w.touch[0], remembered[at])
    return True, gap
