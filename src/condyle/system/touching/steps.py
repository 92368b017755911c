"""Contacts from step to step in compiled code: what is known as a step begins, what it leaves, and when Python must take it.

What is exceptional is Python's: points that multipliers hold and that close anew (impacts), that come to stick, or would have
to be pulled, and soft laws that give way further than can be meant.
"""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.tables import DIRECTOR
from condyle.system.touching.curves import (
    ELASTIC,
    LIMIT,
    OPEN,
    REMEMBERS,
    REPORTED,
    RUB,
    SLIP,
    SOFT,
    SPEED,
    STICK,
    STRIKES,
    UNDECIDED,
    elastic,
    stiffness_along,
)
from condyle.system.touching.meeting import meeting_rates, push_meeting
from condyle.system.touching.meeting_places import keep_features
from condyle.system.touching.over_pieces import held_in_world, in_world, push_over_pieces, take_slip
from condyle.system.touching.pieces import are_pieces, gaps_over_pieces, is_over_pieces, piece_rates
from condyle.system.touching.points import begin_touching, gaps_at, has_surface, is_of_shapes, point_rate
from condyle.system.touching.tables import (
    DEPTH_AT,
    F_END,
    F_MEAN,
    FEATURES_AT,
    FORCE_AT,
    FRESH,
    LATER,
    MEAN_AT,
    NORMAL,
    PAST_AT,
    PLACE,
    RECENT_AT,
    SLIP_AFTER,
    SLIP_AT,
    START,
    F,
)

SLOW = 1e-9  # of the largest velocity: what sticks and moves no faster is at rest
NO_WAY = 1e-12  # of the size of the model: and what moves no further in a step
ROLLS = 0.25  # of the largest velocity times the square of the turn of a step [rad]: what slips no faster rolls


@kernel
def place_rate(touch, i, x, v, at, out):
    """ξ̇ of point i, of shapes and over pieces rates along n, e₁, e₂ in the configuration `at`."""
    if is_of_shapes(touch, touch.pair[i]):
        meeting_rates(touch, i, at, v, out, touch.answer.spare[0])
        return
    if is_over_pieces(touch, touch.pair[i]):
        piece_rates(touch, i, x, v, at, out)
        return
    point_rate(touch, i, x, v, out)


@kernel(inline="always")
def slip_rate(touch, i, x, v, at, normal, out):
    """The rate of the gap of point i, and how fast it slips; out: room (d,)."""
    place_rate(touch, i, x, v, at, out)
    leaving = square = 0.0
    for a in range(out.size):
        leaving += out[a] * normal[a]
    for a in range(out.size):
        square += (out[a] - leaving * normal[a]) ** 2
    return leaving, np.sqrt(square)


@kernel
def start_touching(touch, x, v, h, memory):
    """A step of h [s] begins at x and v with what is in the memory."""
    start, d = touch.start, touch.slid.shape[1]
    begin_touching(touch, x, v, h, memory[start[FEATURES_AT] :])
    closed = False
    for k in range(start[FORCE_AT], start[SLIP_AT]):
        closed = closed or memory[k] != 0.0
    touch.flags[FRESH] = 0 if closed else 1
    for i in range(touch.pair.size):
        p = touch.pairs[touch.pair[i]]
        touch.taken[i] = UNDECIDED
        if p[SOFT] > 0.0 and is_over_pieces(touch, touch.pair[i]):
            take_slip(touch, i, memory[start[SLIP_AT] + d * i : start[SLIP_AT] + d * i + d])
        touch.past[i, 0], touch.past[i, 1] = memory[start[PAST_AT] + 2 * i], memory[start[PAST_AT] + 2 * i + 1]
        comes = p[SOFT] > 0.0 and p[REMEMBERS] > 0.0 and touch.begin_gap[i] >= 0.0
        if comes or p[SPEED] > 0.0:
            leaving, along = slip_rate(touch, i, x, v, START, touch.begin[1, i], touch.answer.place)
            touch.speed[i] = along if p[SPEED] > 0.0 else 0.0
            if comes:
                touch.past[i, 0], touch.past[i, 1] = max(-leaving, 0.0), 0.0


@kernel
def closes_anew(touch, memory):
    """Has a point closed that multipliers hold, and was open before? Without inertia that is no impact, nor between bodies
    that deform, whose nodes may be light."""
    for i in range(touch.pair.size):
        if touch.pairs[touch.pair[i], STRIKES] > 0.0 and touch.status[i] > 0:
            before = False
            for k in range(touch.force[i], touch.force[i + 1]):
                before = before or memory[k] != 0.0
            if not before:
                return True
    return False


@kernel
def meets_or_parts(touch, memory):
    """Has a point of a soft law, or of a body that deforms, closed or opened in the step (`contact/ending.py`)?"""
    for i in range(touch.pair.size):
        p = touch.pairs[touch.pair[i]]
        if p[SOFT] > 0.0 or p[ELASTIC] > 0.0:
            before = False
            for k in range(touch.force[i], touch.force[i + 1]):
                before = before or memory[k] != 0.0
            if before != (touch.status[i] > 0):
                return True
    return False


@kernel
def let_go(touch, memory):
    """Have all points opened in this step?"""
    pressed = False
    for k in range(touch.start[FORCE_AT], touch.start[SLIP_AT]):
        pressed = pressed or memory[k] != 0.0
    for status in touch.status:
        pressed = pressed and status == 0
    return pressed


@kernel
def turned_at(touch, i, x0, x1):
    """How far the bodies of point i have turned in a step [rad]: the largest change of their directors."""
    d, largest = x1.shape[1], 0.0
    if is_of_shapes(touch, touch.pair[i]):
        m = touch.meeting
        for side in range(2):
            body = m.bodies[i, side]
            for r in range(1, d + 1):
                if m.kind[body, r] == 1:  # a director, as kinds are numbered there
                    largest = max(largest, _way_of(m.rows[body, r], x0, x1))
        return largest
    for k in range(touch.row_start[i], touch.row_start[i + 1]):
        if touch.kind[k] == DIRECTOR:
            largest = max(largest, _way_of(touch.row[k], x0, x1))
    return largest


@kernel
def _way_of(row, x0, x1):
    square = 0.0
    for a in range(x1.shape[1]):
        square += (x1[row, a] - x0[row, a]) ** 2
    return np.sqrt(square)


@kernel(forceinline=True)
def is_stopped(touch, pair):
    """Do points of a pair stop at once where they come to stick? Nodes on pieces that deform may be light, and creep on."""
    return touch.pairs[pair, SOFT] == 0.0 and not is_over_pieces(touch, pair)


@kernel
def slides_to_rest(touch, translation, x0, x, v, h, rolls):
    """Is there a point that sticks, by multipliers, and still moves? (x0: where the step began)

    rolls: `ROLLS`, with which a body that rolls is not meant, or 0 for methods whose steps end without slip. The place where it
    touches changes, so that a step without slip ends with a slip of second order: some percent of φ² of the largest velocity,
    φ being the turn of the step.
    """
    sticks = False
    for i in range(touch.pair.size):
        sticks = sticks or (is_stopped(touch, touch.pair[i]) and touch.status[i] == STICK)
    if not sticks:
        return False
    fastest = _fastest(translation, v)
    for i in range(touch.pair.size):
        if is_stopped(touch, touch.pair[i]) and touch.status[i] == STICK:
            _, along = slip_rate(touch, i, x, v, LATER, touch.found[NORMAL, i], touch.answer.place)
            if along > max(max(SLOW, rolls * turned_at(touch, i, x0, x) ** 2) * fastest, NO_WAY * touch.size / h):
                return True
    return False


@kernel
def turns_round(touch, x0, v0, x1, v1):
    """Is there a point that slips by multipliers, and moved the other way as the step began, or does so at its end?"""
    rate, slip = touch.answer.place, touch.found[SLIP_AFTER]  # which has no part across the surface
    for i in range(touch.pair.size):
        p = touch.pairs[touch.pair[i]]
        if is_stopped(touch, touch.pair[i]) and p[RUB] > 0.0 and touch.status[i] == SLIP:
            before = along = 0.0
            place_rate(touch, i, x0, v0, START, rate)
            for a in range(rate.size):
                before += rate[a] * slip[i, a]
            place_rate(touch, i, x1, v1, LATER, rate)
            for a in range(rate.size):
                along += rate[a] * slip[i, a]
            if before < 0.0 or along < 0.0:
                return True
    return False


@kernel
def comes_to_stick(touch, translation, x0, v0, h):
    """Is there a point that multipliers hold fast, and that slid as the step of h [s] began at x0 and v0?"""
    fastest = -1.0
    for i in range(touch.pair.size):
        p = touch.pairs[touch.pair[i]]
        if p[SOFT] == 0.0 and p[ELASTIC] == 0.0 and touch.status[i] == STICK:
            if fastest < 0.0:
                fastest = _fastest(translation, v0)
            _, along = slip_rate(touch, i, x0, v0, START, touch.begin[1, i], touch.answer.place)
            if along > max(SLOW * fastest, NO_WAY * touch.size / h):
                return True
    return False


@kernel
def _fastest(translation, v):
    """The largest velocity of a place [m/s]; rates of directions have another unit."""
    fastest = 0.0
    for i in range(v.shape[0]):
        if translation[i] > 0.0:
            for a in range(v.shape[1]):
                fastest = max(fastest, abs(v[i, a]))
    return fastest


@kernel
def end_touching(touch, before, after, multipliers, at_end):
    """The memory after a step; at_end: are forces of soft laws those at its end? False if one is deeper than its limit.

    Multipliers of open points become 0: of round-off nobody could say whether a point that closes next was open.
    """
    start, d = touch.start, touch.slid.shape[1]
    for k in range(after.size):
        after[k] = before[k]
    fine = True
    for i in range(touch.pair.size):
        p = touch.pairs[touch.pair[i]]
        first, many = touch.force[i], int(p[REPORTED])
        depth = start[DEPTH_AT] + touch.pair[i]
        gap = touch.gap[i]
        if -gap > after[depth]:
            fine = fine and not (-gap > p[LIMIT] >= before[depth])
            after[depth] = -gap
        if p[SOFT] == 0.0:
            held = multipliers[touch.multiplier[i] : touch.multiplier[i] + many]
            if touch.status[i] == OPEN:
                held[:] = 0.0
            elif many > 1 and is_over_pieces(touch, touch.pair[i]):
                held_in_world(touch, i, held)
            for k in range(many):
                after[first + k] = held[k]
        else:
            force = touch.found[F_END if at_end else F_MEAN, i]
            if many > 1:
                for k in range(d):
                    after[first + k] = force[k]
            else:
                after[first] = 0.0
                for k in range(d):
                    after[first] += force[k] * touch.found[NORMAL, i, k]
            for k in range(d):
                after[start[SLIP_AT] + d * i + k] = touch.found[SLIP_AFTER, i, k]
            if many > 1 and is_over_pieces(touch, touch.pair[i]):
                in_world(touch, i, after[first : first + d])
                in_world(touch, i, after[start[SLIP_AT] + d * i : start[SLIP_AT] + d * i + d])
            for k in range(2):
                after[start[RECENT_AT] + 2 * i + k] = touch.recent[i, k]
            at = start[PAST_AT] + 2 * i
            after[at] = touch.past[i, 0] if gap < 0.0 else 0.0
            after[at + 1] = max(touch.past[i, 1], -gap) if gap < 0.0 else 0.0
    for k in range(start[SLIP_AT]):
        after[start[MEAN_AT] + k] = 0.5 * (before[k] + after[k])
    if touch.meeting.on.size:
        keep_features(touch, after, start[FEATURES_AT])
    return fine


@kernel
def stored_in_touching(touch, x, memory):
    """Energy [J] of soft laws and of their elastic slip."""
    a, d, start, total = touch.answer, x.shape[1], touch.start, 0.0
    soft = False
    for pair in range(touch.first.size - 1):
        soft = soft or touch.pairs[pair, SOFT] > 0.0
    if not soft:
        return 0.0
    gaps_at(touch, x, touch.found[PLACE], touch.gap, touch.found[F], a.hessian, a.step)
    if are_pieces(touch):
        gaps_over_pieces(touch, x, touch.gap)
    for i in range(touch.pair.size):
        p = touch.pairs[touch.pair[i]]
        if p[SOFT] > 0.0:
            total += elastic(p, -touch.gap[i], memory[start[PAST_AT] + 2 * i + 1], touch.stiffness[i])[0]
            if p[RUB] > 0.0:
                k = stiffness_along(p, touch.stiffness[i])
                for b in range(d):
                    total += 0.5 * k * memory[start[SLIP_AT] + d * i + b] ** 2
    return total


@kernel
def push_rows(touch, x, at, which, out):
    """out = forces on rows (n, d) of F_MEAN, F_END or F of all soft points, with the geometry of x, the configuration `at`."""
    d = x.shape[1]
    for i in range(out.shape[0]):
        for a in range(d):
            out[i, a] = 0.0
    if touch.meeting.on.size:
        push_meeting(touch, which, at, out)
    if are_pieces(touch):
        push_over_pieces(touch, which, x, out)
    for i in range(touch.pair.size):
        if not has_surface(touch, touch.pair[i]) or touch.pairs[touch.pair[i], SOFT] == 0.0:
            continue
        force = touch.found[which, i]
        last = touch.row_start[i + 1] - d
        for a in range(d):
            along = arm = 0.0
            for j in range(d):
                along += force[j] * x[touch.row[last + j], a]
            for k in range(touch.row_start[i], last):
                out[touch.row[k], a] += touch.weight[k] * along
                arm += touch.weight[k] * x[touch.row[k], a]
            for j in range(d):
                out[touch.row[last + j], a] += force[j] * arm
