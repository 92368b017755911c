"""Contact of a step between free rigid bodies in space, on their velocities: the impulses of a group and what is moved out.

Bodies that joints or springs bring together are no free bodies; their rows go through the unknowns (`nonsmooth_groups.py`).
"""

from __future__ import annotations

import numpy as np

from condyle.geometry.touching import GAP, IN_A, IN_B, NORMAL, POINT
from condyle.integrators.nonsmooth_motion import rebounds
from condyle.laws.kernel import kernel
from condyle.solvers.rigid_sweeps import (
    ANSWERS,
    ARM_A,
    ARM_B,
    COLUMNS,
    SHIFT,
    SOFT,
    drive_of,
    move_out,
    prepare,
    push_all,
    residual_of,
    slip,
    sweep,
    sweep_rigid,
)

KNOWN = 10  # columns of features, as in contact/collision_pair.py
SAME = 1e-12  # part of an answer that may differ between directions
SOFTER, SOFTENED = 10.0, 3  # times what contacts give, where sweeps do not come to an end; attempts
FOLLOWS = (
    0.1  # part of a change of its impulse that the spring of a contact takes up in a step; the rest is its damper's
)
LEFT = 0.5  # of the least overlap: what is moved out comes to this depth, so that no other point opens and falls back


@kernel
def room_for(k, bodies):
    """Room for k contacts of bodies: both bodies of each, their columns, gaps, impulses (k, 3), velocities (bodies, 6)."""
    return (
        np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64), np.empty((k, COLUMNS)), np.empty(k), np.empty((k, 3)),
        np.empty((bodies, 6)),
    )  # fmt: skip


@kernel
def lay_out(
    group, column, place, x, v0, driven, free, features, force, held, flat, chosen, answer, h, give, first, second, contacts,
    gap, p, speed, out,
):  # fmt: skip
    """The problem of all contacts, with impulses of the step before and what they do to velocities; the size of what drives it.

    column (b, 6), place (bodies,): unknowns of the bodies here, and where a body stands among them; see `part_islands`.
    out[2] becomes the deepest overlap [m]. The other arguments are those of `nonsmooth_groups.meet` and of `rigid_sweeps.py`.
    """
    k = chosen.size
    before, centre = np.empty(k), np.empty((k, 3))
    for c in range(k):
        gap[c] = flat[chosen[c], GAP]
        out[2] = max(out[2], -gap[c])
    contacts_of(
        group, place, speed.shape[0] - 1, x, v0, driven, features, flat, chosen, first, second, contacts, before
    )
    prepare(first, second, answer, give, contacts)
    velocities_of(column, free, speed)
    closing(first, second, contacts, speed, gap, before, group.numbers[4], group.numbers[6], h)
    drive = drive_of(first, second, contacts, speed)
    starting(flat, chosen, force, held, h, give, p, centre)
    springs(contacts, centre)
    push_all(first, second, contacts, answer, p, speed)
    return drive


@kernel
def hold_on(first, second, contacts, answer, mu, drive, p, speed, tolerance):
    """The residual of the impulses of the step before; if it is below the tolerance, that after one sweep.

    What is left would add up from step to step.
    """
    left = residual_of(first, second, contacts, mu, drive, p, speed)
    if left <= tolerance:
        sweep(first, second, contacts, answer, mu, p, speed)
        left = residual_of(first, second, contacts, mu, drive, p, speed)
    return left


@kernel
def sweep_all(
    group, column, place, x, v0, driven, free, features, force, held, flat, chosen, answer, h, give, tolerance, wanted, most,
    first, second, contacts, gap, p, speed, out,
):  # fmt: skip
    """Impulses by sweeps alone; out: how many, the residual, the deepest overlap. wanted: a residual below the tolerance.

    Where contacts give and sweeps do not come to an end, they give ten times more in this step, if need be a hundred times.
    """
    left = np.inf
    for _ in range(SOFTENED):
        drive = lay_out(
            group, column, place, x, v0, driven, free, features, force, held, flat, chosen, answer, h, give, first, second,
            contacts, gap, p, speed, out,
        )  # fmt: skip
        left = hold_on(first, second, contacts, answer, group.numbers[3], drive, p, speed, wanted)
        if left > wanted:
            count, left = sweep_rigid(first, second, contacts, answer, group.numbers[3], drive, p, speed, wanted, most)
            out[0] += count
        if left <= tolerance or give == 0.0:
            break
        give *= SOFTER
    out[1] = left


@kernel
def take_over_impulses(
    group, column, free, flat, chosen, answer, first, second, contacts, gap, p, stabilise, sweeps_out, nearly_out, speed,
    impulse, v, motion, out,
):  # fmt: skip
    """What impulses p do to the unknowns v, impulses of places, and the motion by which overlaps are moved out."""
    velocities_of(column, free, speed)
    push_all(first, second, contacts, answer, p, speed)
    unknowns_of(column, speed, v)
    along_axes(flat, chosen, p, -1.0, impulse)
    if stabilise and out[2] > group.numbers[6]:
        speed[:] = 0.0
        nearly = max(nearly_out, group.numbers[6] / out[2])  # what is less deep is not worth moving
        move_out(first, second, contacts, answer, gap, LEFT * group.numbers[6], nearly, sweeps_out, speed)
        unknowns_of(column, speed, motion)


@kernel
def answers_of_blocks(column, inverse, scale, answer):
    """As `answers_of_bodies`, of bodies whose places and turns are blocks of three unknowns that nothing else is connected to.

    inverse: of all blocks (9 blocks,), see `system/linear/block_lu.py`.
    """
    for b in range(answer.shape[0]):
        for i in range(ANSWERS):
            answer[b, i] = 0.0
    for b in range(column.shape[0]):
        if column[b, 0] < 0:
            continue
        place, turn = 3 * column[b, 0], 3 * column[b, 3]
        one, at = inverse[place], 0
        for i in range(3):
            for j in range(i, 3):
                if abs(inverse[place + 3 * i + j] - (one if i == j else 0.0)) > SAME * one:
                    return False
                answer[b, 1 + at] = inverse[turn + 3 * i + j] / scale
                at += 1
        answer[b, 0] = one / scale
    return True


@kernel
def answers_of_bodies(column, islands, scale, answer):
    """1/m and I⁻¹ of bodies (b, ANSWERS), 0 of what does not move; False where one is not free."""
    for b in range(answer.shape[0]):
        for i in range(ANSWERS):
            answer[b, i] = 0.0
    for b in range(column.shape[0]):
        place, turn = column[b, 0], column[b, 3]
        if place < 0 and turn < 0:
            continue
        if place < 0 or turn < 0:
            return False
        for first in (place, turn):
            k = islands.of[first]
            n = islands.start[k + 1] - islands.start[k]
            if not islands.small[k] or not (n == 3 or (n == 6 and islands.of[place] == islands.of[turn])):
                return False
        one, at = _entry(islands, place, place), 0
        for i in range(3):
            for j in range(i, 3):
                if abs(_entry(islands, column[b, i], column[b, j]) - (one if i == j else 0.0)) > SAME * one:
                    return False
                answer[b, 1 + at] = _entry(islands, column[b, 3 + i], column[b, 3 + j]) / scale
                at += 1
        if islands.of[place] == islands.of[turn]:
            for i in range(3):
                for j in range(3):
                    mixed = _entry(islands, column[b, i], column[b, 3 + j])
                    if mixed**2 > SAME**2 * one * _entry(islands, column[b, 3 + j], column[b, 3 + j]):
                        return False
        answer[b, 0] = one / scale
    return True


@kernel
def _entry(islands, i, j):
    """An entry of the inverse of the matrix, of unknowns that one island has."""
    k = islands.of[i]
    n = islands.start[k + 1] - islands.start[k]
    return islands.inverse[islands.block[k] + n * islands.place[i] + islands.place[j]]


@kernel
def _velocity(f, inside, v, rows, out):
    """The velocity of a point, coordinates f[inside:] of a body, from those of its rows."""
    for a in range(3):
        out[a] = v[rows[0], a]
        for q in range(3):
            out[a] += f[inside + q] * v[rows[1 + q], a]


@kernel
def contacts_of(group, place, still, x, v0, driven, features, flat, chosen, first, second, table, before):
    """Bodies, normals, arms and velocities of what is driven, of all contacts; before (k,): how fast they closed at first.

    place (bodies,): of a body among those that are swept over; still: of what does not move.
    """
    of_a, of_b = np.empty(3), np.empty(3)
    for c in range(chosen.size):
        f, g = flat[chosen[c]], table[c]
        a = group.on[np.int64(features[chosen[c], KNOWN]) - 1]
        b = group.on[np.int64(features[chosen[c], KNOWN + 1]) - 1]
        first[c] = place[a] if group.column[a, 0] >= 0 else still
        second[c] = place[b] if group.column[b, 0] >= 0 else still
        before[c] = 0.0
        _velocity(f, IN_A, v0, group.rows[a], of_a)
        _velocity(f, IN_B, v0, group.rows[b], of_b)
        for i in range(3):
            g[i] = f[NORMAL + i]
            g[ARM_A + i] = f[POINT + i] - x[group.rows[a, 0], i]
            g[ARM_B + i] = f[POINT + i] - x[group.rows[b, 0], i]
            g[SHIFT + i] = 0.0
            before[c] += f[NORMAL + i] * (of_b[i] - of_a[i])
        if first[c] == still:
            _velocity(f, IN_A, driven, group.rows[a], of_a)
            for i in range(3):
                g[SHIFT + i] -= of_a[i]
        if second[c] == still:
            _velocity(f, IN_B, driven, group.rows[b], of_b)
            for i in range(3):
                g[SHIFT + i] += of_b[i]


@kernel
def closing(first, second, table, v, gap, before, restitution, least, h):
    """Shifts across: what bounces, and gaps that may close, where they are larger than round-off; v without impulses."""
    for c in range(gap.size):
        g = table[c]
        drive = g[0] * g[SHIFT] + g[1] * g[SHIFT + 1] + g[2] * g[SHIFT + 2]
        wanted = gap[c] / h if gap[c] > least else 0.0
        x, y, z = slip(g, v[first[c]], v[second[c]])
        rate = x * g[0] + y * g[1] + z * g[2] - drive
        if rebounds(restitution, gap[c], before[c], rate, drive, h):
            wanted = drive + restitution * before[c]
        for i in range(3):
            g[SHIFT + i] += (wanted - drive) * g[i]


@kernel
def springs(table, centre):
    """What gives: s −= c p₀."""
    for c in range(centre.shape[0]):
        for i in range(3):
            table[c, SHIFT + i] -= table[c, SOFT] * centre[c, i]


@kernel
def in_space(flat, chosen, force, factor, out):
    """Components of points along their axes (n, 3) as vectors (k, 3), times a factor."""
    for c in range(chosen.size):
        f = flat[chosen[c]]
        for i in range(3):
            total = 0.0
            for a in range(force.shape[1]):
                total += f[NORMAL + 3 * a + i] * force[chosen[c], a]
            out[c, i] = factor * total


@kernel
def along_axes(flat, chosen, p, factor, out):
    """Vectors (k, 3) as components of points along their axes, out (n, reported), times a factor."""
    for c in range(chosen.size):
        f = flat[chosen[c]]
        for a in range(out.shape[1]):
            n = NORMAL + 3 * a
            out[chosen[c], a] = factor * (f[n] * p[c, 0] + f[n + 1] * p[c, 1] + f[n + 2] * p[c, 2])


@kernel
def velocities_of(column, free, v):
    """Velocities of bodies (b, 6) from those of the unknowns; of what does not move 0."""
    for b in range(column.shape[0]):
        for i in range(6):
            v[b, i] = free[column[b, i]] if column[b, i] >= 0 else 0.0


@kernel
def unknowns_of(column, v, out):
    """The other way."""
    for b in range(column.shape[0]):
        for i in range(6):
            if column[b, i] >= 0:
                out[column[b, i]] = v[b, i]


@kernel
def starting(flat, chosen, force, held, h, give, p, centre):
    """Impulses to start from (k, 3), those of the step before, and what contacts that give hold on to."""
    in_space(flat, chosen, force, -h, p)
    in_space(flat, chosen, held, -h if give > 0.0 else 0.0, centre)
    for c in range(chosen.size):
        now = -force[chosen[c], 0]
        if now < 0.0:
            for i in range(3):
                p[c, i] -= h * now * flat[chosen[c], NORMAL + i]


@kernel
def hold(force, held, features, out):
    """Forces that contacts hold on to in the next step, from those that they held and have now.

    A spring and a damper side by side (Kelvin, Voigt) in a step: p = p₀ − u/c, and p₀ follows p by a part. It takes energy out
    in every step, c (1 − ½ part) |p − p₀|², where a spring alone lets a tower of boxes sway for seconds; and of a blow, which
    comes once, it keeps a part. A point that opens forgets as slowly: corners of boxes that rock open and close again. A place
    without a point, whose bodies are far from each other, holds nothing. features (places, …): of the points in all places.
    """
    each = force.size // max(1, features.shape[0])
    for i in range(force.size):
        here = features[i // each, 0] != 0.0
        out[i] = held[i] + FOLLOWS * (force[i] - held[i]) if here else 0.0
