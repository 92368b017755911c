"""Steps of piles at the level of velocities in one kernel: free motion, couples, points, impulses, motion and account.

It does for free rigid bodies in space what `nonsmooth_compiled.py` does call by call. Python takes a step in which so few
points meet that their impulses are shared, in which a body answers otherwise than a free one, and in which bodies move so far
that somebody has to look; and it looks for couples where those that are known no longer suffice.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.geometry.batch import place_shapes
from condyle.geometry.broad import boxes_of_shapes
from condyle.geometry.kinds import Table, Work
from condyle.geometry.touching import WIDTH, frames_of_bodies, touch_pairs
from condyle.integrators.convergence import CONVERGED, SINGULAR, SURVEY, TOUCHED
from condyle.integrators.first_order import end_motion
from condyle.integrators.loop import values_at_start
from condyle.integrators.nonsmooth_groups import Group, choose_points, farthest_way, fastest_body, near_couples
from condyle.integrators.nonsmooth_islands import part_islands, sweep_islands
from condyle.integrators.nonsmooth_motion import end_step, free_motion, move_with
from condyle.integrators.nonsmooth_rigid import KNOWN, answers_of_blocks, hold
from condyle.integrators.step_tables import RATE
from condyle.laws.columns import Integers, Numbers, table
from condyle.laws.kernel import kernel
from condyle.solvers.rigid_sweeps import ANSWERS
from condyle.system.touching.places import take_places

# Settings of the method: tolerance, sweeps, what contacts give, whether overlaps are moved out, compliance of joints, the way
# of a point in a step that is fast [m], rows up to which Python shares impulses; points that are few; then, of few
# points and of many, the part of overlaps that may be left, and sweeps to move them out.
TOLERANCE, SWEEPS, GIVE, STABILISE, JOINTS, FAST, FEW_ROWS, FEW, NEARLY, OUTWARDS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 10
SETTINGS = 12
# What is remembered: forces, impulses, mean forces, depth; error and count of steps that were not solved, of bodies that have
# passed; features of points; forces that contacts hold on to; and the end of all.
FORCES, IMPULSES, MEANS, DEPTH, ERROR, UNSOLVED, PASSED, FEATURED, HELD, END = range(10)


@table
class Pile(NamedTuple):
    """Free rigid bodies of one group, as kernels take them."""

    group: Group  # columns are places in a vector of the blocks
    shapes: Table
    work: Work
    lever: Numbers  # (shapes,) with which points of a shape turn [m]
    translation: Numbers  # (n,) 1 for places, 0 for directions
    memory: Integers  # where what is remembered begins
    settings: Numbers
    each: int  # points of a couple at most
    reported: int  # components of a force


@kernel
def run_pile(problem, stepper, pile, tables, now, after, work, first, every, record, out, w):
    """As `nonsmooth_loop.run_nonsmooth`; SURVEY where couples are to be looked for."""
    frames = 0
    room, targets = np.zeros((1, *now.x.shape)), np.zeros((2, tables.ends.shape[1]))
    values_at_start(problem, tables, now, w)
    for s in range(tables.sizes.size):
        status = _step(problem, stepper, pile, tables, s, targets, room, now, after, out, w)
        if status == CONVERGED:
            status, frames, work = end_step(
                problem, tables, s, now, after, work, out[0], first, every, record, frames, w
            )
        if status != CONVERGED:
            return status, s, frames, work
    return CONVERGED, tables.sizes.size, frames, work


@kernel
def _step(problem, stepper, pile, tables, s, targets, room, now, after, out, w):
    """One step; returns how it ended."""
    h, du, motion, settings = tables.sizes[s], w.vectors[3], np.zeros(w.vectors.shape[1]), pile.settings
    if not free_motion(problem, stepper, False, settings[JOINTS], tables, s, targets, room, now, after, w):
        return SINGULAR
    status = _contact(pile, now, after, w.rows[RATE], w.vectors[4], h, w.inverse, du, motion, out)
    if status != CONVERGED:
        return status
    status = move_with(problem.whole, now.x, after.x, h, du, motion)
    if status != CONVERGED:
        return status
    group = pile.group
    if farthest_way(group.rows, group.on, pile.lever, now.x, after.x) > settings[FAST]:
        return TOUCHED
    end_motion(problem, tables, s, du, 1.0, now, after, w)
    return CONVERGED


@kernel
def _contact(pile, now, after, driven, free, h, inverse, v, motion, out):
    """Velocities v with contact, and the motion that moves overlaps out; what is remembered is in `after.touch`.

    out: sweeps, residual, the deepest overlap, points, the gap up to which points count. Returns how it ended.
    """
    group, at, settings, x = pile.group, pile.memory, pile.settings, after.x
    out[:] = 0.0
    n = (at[HELD] - at[FEATURED]) // (KNOWN + 2)
    features = after.touch[at[FEATURED] : at[HELD]].reshape((n, KNOWN + 2))
    kept = now.touch[at[FEATURED] : at[HELD]]
    busy = 0
    for i in range(kept.size):
        after.touch[at[FEATURED] + i] = kept[i]
    for i in range(n):
        if features[i, 0] != 0.0:
            busy += 1
    if 0 < 3 * busy <= settings[FEW_ROWS]:
        return TOUCHED
    bodies, shapes = group.rows.shape[0], group.on.size
    frames, poses, turning = np.empty((bodies, 4, 3)), np.empty((bodies, 4, 3)), np.empty((bodies, 3, 3))
    placed, boxes = np.empty((shapes, 4, 3)), np.empty((shapes, 6))
    frames_of_bodies(x, group.rows, frames, poses, turning)
    place_shapes(pile.shapes, group.on, poses, placed)
    boxes_of_shapes(pile.work, pile.shapes, placed, boxes)
    within = group.numbers[1] + group.numbers[2] * h * fastest_body(group.rows, group.numbers[7], now.v)
    out[4] = within
    most, K = group.couples.shape[0], pile.each
    pairs, key = np.empty((most, 2), dtype=np.int64), np.empty(most, dtype=np.int64)
    m = near_couples(group, pile.shapes.kind, pile.shapes.reach, placed, boxes, within, pairs, key)
    if m < 0:
        return SURVEY
    pairs, slot, blocks = pairs[:m], np.full((m, K), -1), np.zeros((m, K, KNOWN))
    take_places(features, KNOWN, pairs, key[:m], shapes, blocks, slot)
    there, points = np.zeros((m, K), dtype=np.bool_), np.empty((m, K, WIDTH))
    touch_pairs(
        pile.work, pile.shapes, group.on, placed, frames, poses, pairs, within, False, False, blocks, there, points
    )  # fmt: skip
    flat, chosen = np.empty((n, WIDTH)), np.empty(n, dtype=np.int64)
    k = choose_points(
        group, now.v, driven, free, pile.translation, pairs, blocks, slot, there, points, features, h, flat, chosen
    )  # fmt: skip
    if k < 0 or 0 < 3 * k <= settings[FEW_ROWS]:
        return TOUCHED
    out[3] = k
    for i in range(at[IMPULSES], at[MEANS]):
        after.touch[i] = 0.0
    for i in range(v.size):
        v[i] = free[i]
    if k > 0 and not _impulses(
        pile, now, after, driven, free, features, flat, chosen[:k], h, inverse, busy, v, motion, out
    ):
        return TOUCHED
    _remember(pile, now, after, h, out)
    return CONVERGED


@kernel
def _impulses(pile, now, after, driven, free, features, flat, chosen, h, inverse, busy, v, motion, out):
    """Impulses of the points and what they do to v; False where a body does not answer as a free one does."""
    group, at, settings, n = pile.group, pile.memory, pile.settings, features.shape[0]
    start, rows, column, place = part_islands(group, features, chosen)
    answer = np.empty((column.shape[0], ANSWERS))
    if not answers_of_blocks(column, inverse, h * h, answer):
        return False
    force = now.touch[at[FORCES] : at[IMPULSES]].reshape((n, pile.reported))
    held = now.touch[at[HELD] : at[END]].reshape((n, pile.reported))
    impulse = after.touch[at[IMPULSES] : at[MEANS]].reshape((n, pile.reported))
    many = 1 if busy > settings[FEW] else 0
    sweep_islands(
        group, start, rows, column, place, after.x, now.v, driven, free, features, force, held, flat, chosen, answer, h,
        settings[GIVE], settings[TOLERANCE], int(settings[SWEEPS]), settings[STABILISE] > 0.0, int(settings[OUTWARDS + many]),
        settings[NEARLY + many], impulse, v, motion, out,
    )  # fmt: skip
    return True


@kernel
def _remember(pile, now, after, h, out):
    """Forces and impulses of all places for the next step and for results, and how well the problem was solved."""
    at, memory, before = pile.memory, after.touch, now.touch
    for i in range(at[IMPULSES] - at[FORCES]):
        force = memory[at[IMPULSES] + i] / h
        memory[at[MEANS] + i] = 0.5 * (before[at[FORCES] + i] + force)
        memory[at[FORCES] + i] = force
    forces = memory[at[FORCES] : at[IMPULSES]]
    n = (at[HELD] - at[FEATURED]) // (KNOWN + 2)
    features = memory[at[FEATURED] : at[HELD]].reshape((n, KNOWN + 2))
    hold(forces, before[at[HELD] : at[END]], features, memory[at[HELD] : at[END]])
    memory[at[DEPTH]] = max(before[at[DEPTH]], out[2])
    memory[at[ERROR]] = out[1]
    memory[at[UNSOLVED]] = before[at[UNSOLVED]] + (1.0 if out[1] > pile.settings[TOLERANCE] else 0.0)
    memory[at[PASSED]] = before[at[PASSED]]
