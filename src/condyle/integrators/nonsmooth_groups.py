"""The contact of a step between all bodies of a group, in a few kernels: search, points, rows, impulses, what is moved out.

It does what `nonsmooth_rows.py` and `nonsmooth_models.py` do for any contact, for rigid bodies with shapes, Coulomb friction
and answers of small islands. Couples of shapes that may meet are looked for now and then with a margin; which of them count
follows from the state alone, so that a resumed run is the same.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from condyle.geometry.kinds import HALF_SPACE
from condyle.geometry.touching import GAP, IN_A, IN_B, NORMAL, POINT, WIDTH
from condyle.integrators.nonsmooth_islands import part_islands, sweep_islands
from condyle.integrators.nonsmooth_kernels import count_answers, fill_answers
from condyle.integrators.nonsmooth_motion import fastest_translation, rebounds
from condyle.integrators.nonsmooth_rigid import (
    KNOWN,
    answers_of_bodies,
    hold_on,
    lay_out,
    room_for,
    take_over_impulses,
    velocities_of,
)
from condyle.laws.columns import Flags, Integers, Integers2, Numbers, Numbers3, table
from condyle.laws.kernel import kernel
from condyle.solvers.body_newton import BURST, LONGEST, MOST_BODIES, NEARER, NEWTON, ROUNDS, newton_bodies, solve_bodies
from condyle.solvers.body_sweeps import add_rows, own_blocks, residual_of, sweep_bodies, times_rows
from condyle.solvers.rigid_sweeps import ANSWERS, SHIFT, push_all, sweep_rigid
from condyle.system.touching.places import put_points, take_places

APART = 16  # places between contacts that follow each other
# What came of it: as it should be, look for couples, too few points, no place left.
DONE, SURVEY, FEW, FULL = range(4)


@table
class Group(NamedTuple):
    """A group of shapes as kernels take it; see `CollisionPair`."""

    on: Integers  # body of each shape
    rows: Integers2  # of each body (b, d + 1)
    kind: Integers2  # of these rows: 0 free, 1 turning, 2 without unknowns (b, d + 1)
    column: Integers2  # unknowns of each body, of its place and of turning, −1 without (b, d + turns)
    couples: Integers2  # shapes that may meet, in order (m, 2)
    surveyed: Numbers3  # where shapes were when couples were looked for (n, 4, 3)
    numbers: (
        Numbers  # margin of couples, skin, ahead, friction, restitution, reach in ways of a step, least overlap, size
    )


@table
class Small(NamedTuple):
    """The matrix of a step and its small islands, as of `islands.Islands`."""

    indptr: Integers
    indices: Integers
    A: Numbers
    of: Integers
    order: Integers
    start: Integers
    place: Integers
    small: Flags
    block: Integers
    inverse: Numbers


@kernel
def couples_near(group, kind, reach, placed, boxes, within, features, blocks, slot, pairs):
    """Couples of shapes that are near, pairs (m, 2), with what places remember of them; their number, −1 if others may be.

    blocks (m, K, KNOWN) and slot (m, K) have room for all couples of the group.
    """
    key = np.empty(group.couples.shape[0], dtype=np.int64)
    count = near_couples(group, kind, reach, placed, boxes, within, pairs, key)
    if count < 0:
        return -1
    take_places(features, KNOWN, pairs[:count], key[:count], kind.size, blocks[:count], slot[:count])
    return count


@kernel
def near_couples(group, kind, reach, placed, boxes, within, pairs, key):
    """Couples of shapes that are near, pairs and key with room for all of them; their number, −1 if others may be near."""
    if _is_stale(reach, placed, group.surveyed, within, group.numbers[0]):
        return -1
    return _near(group.couples, kind, placed, boxes, within, pairs, key)


@kernel
def meet(
    group, islands, x, v0, driven, free, translation, pairs, blocks, slot, there, points, features, force, held, h, scale,
    tolerance, most, finish, give, few, stabilise, sweeps_out, nearly_out, impulse, v, motion, out,
):  # fmt: skip
    """One step's contact, with the points of near couples. features (n, KNOWN + 2), impulse (n, reported), v and motion
    (unknowns,) are filled.

    x: places with driven rows at the end of the step; v0: velocities as it begins; driven: of rows that move as prescribed;
    free: velocities of unknowns without contact; force: of the step before (n, reported); held: what contacts hold on to;
    scale: (θ h)²; give: see `rigid_sweeps.py`. out: sweeps and iterations, residual, the deepest overlap, the number of points.
    Returns DONE, or why it was not done.
    """
    d, n = x.shape[1], features.shape[0]
    flat, chosen = np.empty((n, WIDTH)), np.empty(n, dtype=np.int64)
    k = choose_points(
        group, v0, driven, free, translation, pairs, blocks, slot, there, points, features, h, flat, chosen
    )
    if k < 0:
        return FULL
    out[3] = k
    if d * k <= few:
        return FEW
    bodies = group.rows.shape[0]
    column, answer = np.full((bodies + 1, group.column.shape[1]), -1), np.empty((bodies + 1, ANSWERS if d == 3 else 0))
    column[:bodies] = group.column
    if d == 3 and answers_of_bodies(column, islands, scale, answer):
        for i in range(v.size):
            v[i] = free[i]
        _solve_rigid(
            group, islands, column, x, v0, driven, free, features, force, held, flat, chosen[:k], answer, h, scale, tolerance,
            most, finish, give, stabilise, sweeps_out, nearly_out, impulse, v, motion, out,
        )  # fmt: skip
    else:
        _solve(
            group, islands, x, v0, driven, free, features, force, flat, chosen[:k], h, scale, tolerance, most, finish,
            stabilise, sweeps_out, nearly_out, impulse, v, motion, out,
        )  # fmt: skip
    return DONE


@kernel
def choose_points(group, v0, driven, free, translation, pairs, blocks, slot, there, points, features, h, flat, chosen):
    """Places that have a point which can be reached in the step, chosen (n,), with their points flat (n, WIDTH); their number.

    Points get places in `features`; −1 if there are not enough.
    """
    if not _give_places(features, pairs, there, slot, points, blocks):
        return -1
    n, k = features.shape[0], 0
    used = np.zeros(n, dtype=np.bool_)
    put_points(there, slot, points, blocks, flat, used, features, KNOWN)
    way = h * max(fastest_translation(translation, v0), fastest_translation(translation, driven))
    way = max(way, h * _fastest_unknown(group, free))
    # Contacts that follow each other should be those of other bodies: a processor then works on several at once.
    for a in range(APART):
        for i in range(a, n, APART):
            if used[i] and flat[i, GAP] <= max(group.numbers[5] * way, group.numbers[6]):
                chosen[k] = i
                k += 1
    return k


@kernel
def _solve_rigid(
    group, islands, column, x, v0, driven, free, features, force, held, flat, chosen, answer, h, scale, tolerance, most, finish,
    give, stabilise, sweeps_out, nearly_out, impulse, v, motion, out,
):  # fmt: skip
    """As `_solve`, where all bodies are free; column: their unknowns, and those of what does not move."""
    if give > 0.0 or not finish:
        start, rows, column, place = part_islands(group, features, chosen)
        answer = np.empty((column.shape[0], ANSWERS))
        answers_of_bodies(column, islands, scale, answer)
        sweep_islands(
            group, start, rows, column, place, x, v0, driven, free, features, force, held, flat, chosen, answer, h, give,
            tolerance, most, stabilise, sweeps_out, nearly_out, impulse, v, motion, out,
        )  # fmt: skip
        return
    first, second, contacts, gap, p, speed = room_for(chosen.size, answer.shape[0])
    drive = lay_out(
        group, column, np.arange(group.rows.shape[0]), x, v0, driven, free, features, force, held, flat, chosen, answer, h,
        give, first, second, contacts, gap, p, speed, out,
    )  # fmt: skip
    out[1] = hold_on(first, second, contacts, answer, group.numbers[3], drive, p, speed, tolerance)
    if out[1] > tolerance:
        out[0], out[1] = _solve_in_turns(
            group, islands, column, x, v0, driven, free, features, flat, chosen, answer, scale, tolerance, most, first, second,
            contacts, drive, p, speed,
        )  # fmt: skip
    take_over_impulses(
        group, column, free, flat, chosen, answer, first, second, contacts, gap, p, stabilise, sweeps_out, nearly_out, speed,
        impulse, v, motion, out,
    )  # fmt: skip


@kernel
def _solve_in_turns(
    group, islands, column, x, v0, driven, free, features, flat, chosen, answer, scale, tolerance, most, first, second,
    contacts, drive, p, speed,
):  # fmt: skip
    """`solve_bodies` with sweeps over free bodies: sweeps and Newton's method in turn; how many of both, and the residual."""
    k, m, mu = chosen.size, 3 * chosen.size, group.numbers[3]
    count, ends, error, burst, stalled, alone = 0, 0, 1e300, BURST, 0, group.rows.shape[0] > MOST_BODIES
    n = 0 if alone else m
    js, jc, jv = np.zeros(n + 1, dtype=np.int64), np.empty(12 * n, dtype=np.int64), np.empty(12 * n)
    ys, yc, yv, W = js, jc, jv, np.empty((n // 3, 3, 3))
    shift, rates, q, v = np.zeros(n), np.zeros(n), np.zeros(n), np.empty(free.size)
    soft, none, lever, frictions = np.zeros(n), np.zeros((0, 3), dtype=np.int64), np.zeros(0), np.full(n // 3, mu)
    while count < most:
        done, left = sweep_rigid(
            first, second, contacts, answer, mu, drive, p, speed, tolerance,
            most - count if alone else min(burst, most - count),
        )  # fmt: skip
        count += done
        if left > tolerance and not alone:
            if js[n] == 0:
                _rows(group, x, v0, driven, features, flat, chosen, js, jc, jv, np.zeros(m), np.empty(k))
                ys = count_answers(js, jc, islands.of, islands.start)
                yc, yv = np.empty(ys[m], dtype=np.int64), np.empty(ys[m])
                fill_answers(
                    js, jc, jv, islands.of, islands.order, islands.start, islands.place, islands.small, islands.block,
                    islands.inverse, 1.0 / scale, ys, yc, yv,
                )  # fmt: skip
                own_blocks(3, k, js, jc, jv, ys, yc, yv, soft, W)
                times_rows(js, jc, jv, free, rates)
                for c in range(k):
                    for a in range(3):
                        i = NORMAL + 3 * a
                        for j in range(3):
                            shift[3 * c + a] += flat[chosen[c], i + j] * contacts[c, SHIFT + j]
                for i in range(m):
                    rates[i] += shift[i]
            for c in range(k):
                for a in range(3):
                    i = NORMAL + 3 * a
                    q[3 * c + a] = 0.0
                    for j in range(3):
                        q[3 * c + a] += flat[chosen[c], i + j] * p[c, j]
            for i in range(v.size):
                v[i] = free[i]
            add_rows(ys, yc, yv, q, 1.0, v)
            more, left = newton_bodies(
                3, js, jc, jv, ys, yc, yv, W, soft, shift, soft, frictions, none, lever, rates, islands.indptr, islands.indices,
                islands.A, scale, islands.of, islands.order, islands.start, islands.place, q, v, NEARER * tolerance, NEWTON,
            )  # fmt: skip
            for c in range(k):
                for j in range(3):
                    p[c, j] = 0.0
                    for a in range(3):
                        p[c, j] += flat[chosen[c], NORMAL + 3 * a + j] * q[3 * c + a]
            velocities_of(column, free, speed)
            push_all(first, second, contacts, answer, p, speed)
            stalled = 0 if left < 0.5 * error else stalled + 1
            alone = more == 0 or stalled == ROUNDS
            ends += more
        error = left
        if left <= tolerance or done == 0:
            break
        burst = min(2 * burst, LONGEST)
    return count + ends, error


@kernel
def _solve(
    group, islands, x, v0, driven, free, features, force, flat, chosen, h, scale, tolerance, most, finish, stabilise,
    sweeps_out, nearly_out, impulse, v, motion, out,
):  # fmt: skip
    d, k = x.shape[1], chosen.size
    m, mu = d * k, np.full(chosen.size, group.numbers[3])
    js, jc, jv = np.zeros(m + 1, dtype=np.int64), np.empty(4 * d * m, dtype=np.int64), np.empty(4 * d * m)
    drive, before, gap = np.zeros(m), np.empty(k), np.empty(k)
    _rows(group, x, v0, driven, features, flat, chosen, js, jc, jv, drive, before)
    ys = count_answers(js, jc, islands.of, islands.start)
    yc, yv = np.empty(ys[m], dtype=np.int64), np.empty(ys[m])
    fill_answers(
        js, jc, jv, islands.of, islands.order, islands.start, islands.place, islands.small, islands.block, islands.inverse,
        1.0 / scale, ys, yc, yv,
    )  # fmt: skip
    rates, shift, p = np.empty(m), np.empty(m), np.zeros(m)
    times_rows(js, jc, jv, free, rates)
    reported = force.shape[1]
    for c in range(k):
        i, e = d * c, group.numbers[4]
        gap[c] = flat[chosen[c], GAP]
        for a in range(d):
            shift[i + a] = drive[i + a]
            if a < reported:
                p[i + a] = -h * force[chosen[c], a]
        p[i] = max(p[i], 0.0)
        if rebounds(e, gap[c], before[c], rates[i], shift[i], h):
            shift[i] += e * before[c]
        else:
            shift[i] = gap[c] / h if gap[c] > group.numbers[6] else 0.0
        for a in range(d):
            rates[i + a] += shift[i + a]
    soft, none, lever = np.zeros(m), np.zeros((0, 3), dtype=np.int64), np.zeros(0)
    W = np.empty((k, d, d))
    own_blocks(d, k, js, jc, jv, ys, yc, yv, soft, W)
    for i in range(v.size):
        v[i] = free[i]
    add_rows(ys, yc, yv, p, 1.0, v)
    left = residual_of(d, js, jc, jv, W, soft, shift, soft, mu, none, lever, rates, p, v)
    if left <= tolerance:
        # One sweep nevertheless: what is left would add up from step to step.
        left = sweep_bodies(d, js, jc, jv, ys, yc, yv, W, soft, shift, soft, mu, none, lever, rates, p, v, 0.0, 1)[1]
    else:
        count, ends, left = solve_bodies(
            d, js, jc, jv, ys, yc, yv, W, soft, shift, soft, mu, none, lever, rates, islands.indptr, islands.indices, islands.A,
            scale, islands.of, islands.order, islands.start, islands.place, p, v, tolerance, most, finish,
        )  # fmt: skip
        out[0] = count + ends
        for i in range(v.size):
            v[i] = free[i]
        add_rows(ys, yc, yv, p, 1.0, v)
    out[1] = left
    for c in range(k):
        out[2] = max(out[2], -gap[c])
        for a in range(reported):
            impulse[chosen[c], a] = -p[d * c + a]
    if stabilise and out[2] > group.numbers[6]:
        _move_out(d, js, jc, jv, ys, yc, yv, W, gap, sweeps_out, nearly_out, motion)


@kernel
def _move_out(d, js, jc, jv, ys, yc, yv, W, gap, sweeps_out, nearly_out, motion):
    """`nonsmooth.moving_out`: rows across alone."""
    k = gap.size
    one, zero = np.empty((k, 1, 1)), np.zeros(k)
    js1, ys1 = np.zeros(k + 1, dtype=np.int64), np.zeros(k + 1, dtype=np.int64)
    for c in range(k):
        one[c, 0, 0] = W[c, 0, 0]
        js1[c + 1] = js1[c] + js[d * c + 1] - js[d * c]
        ys1[c + 1] = ys1[c] + ys[d * c + 1] - ys[d * c]
    jc1, jv1 = np.empty(js1[k], dtype=np.int64), np.empty(js1[k])
    yc1, yv1 = np.empty(ys1[k], dtype=np.int64), np.empty(ys1[k])
    for c in range(k):
        for s in range(js1[c + 1] - js1[c]):
            jc1[js1[c] + s], jv1[js1[c] + s] = jc[js[d * c] + s], jv[js[d * c] + s]
        for s in range(ys1[c + 1] - ys1[c]):
            yc1[ys1[c] + s], yv1[ys1[c] + s] = yc[ys[d * c] + s], yv[ys[d * c] + s]
    z = np.zeros(k)
    sweep_bodies(
        1, js1, jc1, jv1, ys1, yc1, yv1, one, zero, gap, zero, zero, np.zeros((0, 3), dtype=np.int64), np.zeros(0), gap, z,
        motion, nearly_out, sweeps_out,
    )  # fmt: skip


@kernel
def _rows(group, x, v0, driven, features, flat, chosen, js, jc, jv, drive, before):
    """Rows along n, e₁, e₂ of the velocity of B over A at each point, in unknowns, columns in order."""
    d, at = x.shape[1], 0
    arm, place, other = np.zeros(3), np.zeros(3), np.empty(2, dtype=np.int64)
    for c in range(chosen.size):
        f = flat[chosen[c]]
        a_body = group.on[np.int64(features[chosen[c], KNOWN]) - 1]
        b_body = group.on[np.int64(features[chosen[c], KNOWN + 1]) - 1]
        first = group.column[a_body].max() < group.column[b_body].max()
        other[0], other[1] = (a_body, b_body) if first else (b_body, a_body)
        before[c] = 0.0
        for a in range(d):
            i = d * c + a
            axis = f[NORMAL + 3 * a : NORMAL + 3 * a + 3]
            for side in range(2):
                body = other[side]
                of_b = body == b_body
                sign, zeta = (1.0, f[IN_B : IN_B + 3]) if of_b else (-1.0, f[IN_A : IN_A + 3])
                for q in range(d + 1):
                    row, weight = group.rows[body, q], (1.0 if q == 0 else zeta[q - 1])
                    for b in range(d):
                        if a == 0:
                            before[c] += sign * weight * axis[b] * v0[row, b]
                        if group.kind[body, q] == 2:
                            drive[i] += sign * weight * axis[b] * driven[row, b]
                for q in range(d):
                    place[q] = x[group.rows[body, 0], q]
                for q in range(3):
                    arm[q] = f[POINT + q] - place[q] if q < d else 0.0
                columns = group.column[body]
                turn_first = columns[d] < columns[0]
                for part in range(2):
                    if (part == 0) == turn_first:
                        if columns[d] >= 0:
                            if d == 3:
                                for q in range(3):
                                    r, s = (q + 1) % 3, (q + 2) % 3
                                    jc[at] = columns[d + q]
                                    jv[at] = sign * (arm[r] * axis[s] - arm[s] * axis[r])
                                    at += 1
                            else:
                                jc[at], jv[at] = columns[d], sign * (arm[0] * axis[1] - arm[1] * axis[0])
                                at += 1
                    elif columns[0] >= 0:
                        for q in range(d):
                            jc[at], jv[at] = columns[q], sign * axis[q]
                            at += 1
            js[i + 1] = at


@kernel
def _give_places(features, pairs, there, slot, points, blocks):
    """Places for new points, the nearest first where there are not enough; False if one that touches has none."""
    n, free, new = features.shape[0], 0, 0
    for i in range(n):
        if not features[i, 0] > 0.0:
            free += 1
    m, K = slot.shape
    for p in range(m):
        for q in range(K):
            if there[p, q] and slot[p, q] < 0:
                new += 1
    if new == 0:
        return True
    if new > free:  # take back those that wait for a point that has gone
        for p in range(m):
            for q in range(K):
                if slot[p, q] >= 0 and not there[p, q]:
                    features[slot[p, q]] = 0.0
                    blocks[p, q] = 0.0
                    slot[p, q] = -1
                    free += 1
    gaps, at = np.empty(new), np.empty((new, 2), dtype=np.int64)
    new = 0
    for p in range(m):
        for q in range(K):
            if there[p, q] and slot[p, q] < 0:
                gaps[new], at[new, 0], at[new, 1] = points[p, q, GAP], p, q
                new += 1
    order = np.arange(new)
    if new > free:
        order = np.argsort(gaps)
        if gaps[order[free]] <= 0.0:
            return False
    i = 0
    for s in range(min(new, free)):
        while features[i, 0] > 0.0:
            i += 1
        p, q = at[order[s], 0], at[order[s], 1]
        slot[p, q] = i
        features[i, 0] = 1.0
        features[i, KNOWN], features[i, KNOWN + 1] = pairs[p, 0] + 1, pairs[p, 1] + 1
    return True


@kernel
def _near(couples, kind, placed, boxes, within, pairs, key):
    """Couples whose boxes are not farther apart than `within`, and their keys, in order; how many."""
    n, count, half = kind.size, 0, 0.5 * within
    for c in range(couples.shape[0]):
        i, j = couples[c, 0], couples[c, 1]
        near = True
        if kind[i] == HALF_SPACE or kind[j] == HALF_SPACE:
            plane, o = (i, j) if kind[i] == HALF_SPACE else (j, i)
            height = -half
            for a in range(3):
                up = placed[plane, 3, a]
                middle, wide = 0.5 * (boxes[o, a] + boxes[o, 3 + a]), 0.5 * (boxes[o, 3 + a] - boxes[o, a]) + half
                height += up * (middle - placed[plane, 0, a]) - abs(up) * wide
            near = height <= 0.0
        else:
            for a in range(3):
                near = near and boxes[i, a] - half <= boxes[j, 3 + a] + half
                near = near and boxes[j, a] - half <= boxes[i, 3 + a] + half
        if near:
            pairs[count, 0], pairs[count, 1], key[count] = i, j, i * n + j
            count += 1
    return count


@kernel
def _is_stale(reach, placed, surveyed, within, margin):
    """May shapes be near that are in no couple?"""
    most = 0.0
    for i in range(reach.size):
        way, turn = 0.0, 0.0
        for a in range(3):
            way += (placed[i, 0, a] - surveyed[i, 0, a]) ** 2
            for b in range(1, 4):
                turn += (placed[i, b, a] - surveyed[i, b, a]) ** 2
        if np.isfinite(reach[i]):
            most = max(most, sqrt(way) + reach[i] * sqrt(turn))
        elif way > 0.0 or turn > 0.0:
            return True
    return not 2.0 * most + within <= margin


@kernel
def fastest_body(rows, size, v):
    """The largest velocity of points of bodies of a size [m], about [m/s]."""
    out = 0.0
    for b in range(rows.shape[0]):
        moving, turning = 0.0, 0.0
        for a in range(v.shape[1]):
            moving = max(moving, abs(v[rows[b, 0], a]))
            for q in range(1, rows.shape[1]):
                turning = max(turning, abs(v[rows[b, q], a]))
        out = max(out, moving + size * turning)
    return out


@kernel
def _fastest_unknown(group, free):
    out, d = 0.0, group.rows.shape[1] - 1
    for b in range(group.rows.shape[0]):
        if group.column[b, 0] >= 0:
            for a in range(d):
                out = max(out, abs(free[group.column[b, a]]))
    return out


@kernel
def farthest_way(rows, on, lever, x0, x1):
    """The largest way of a point of a shape in a step [m], as `contact/passing.py` takes it."""
    out, d = 0.0, x0.shape[1]
    for s in range(on.size):
        moved, turned = 0.0, 0.0
        for q in range(d + 1):
            row = rows[on[s], q]
            for a in range(d):
                change = (x1[row, a] - x0[row, a]) ** 2
                if q == 0:
                    moved += change
                else:
                    turned += change
        out = max(out, sqrt(moved) + (sqrt(turned) * lever[s] if turned > 0.0 else 0.0))
    return out
