"""Which rigid shapes are near each other, and the places that their contact points have in the table.

A point keeps its place from step to step, where its multipliers stand and what friction remembers. Places of groups of
shapes are a pool: points get them as they come and give them back as they go.
"""

from math import sqrt

import numpy as np

from condyle.geometry.batch import place_shapes
from condyle.geometry.broad import boxes_of_shapes
from condyle.geometry.kinds import HALF_SPACE, MESH
from condyle.geometry.touching import FEATURES, GAP, WIDTH, frames_of_bodies, touch_pair
from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import count, f1, f2, number
from condyle.system.touching.joint_surfaces import touch_surfaces
from condyle.system.touching.tables import (
    AHEAD,
    CURSOR,
    EACH,
    EXTENT,
    FIRST_COUPLE,
    FIRST_SHAPE,
    FULL,
    GREW,
    KEPT,
    KNOWN_WITHIN,
    LAST_COUPLE,
    LAST_SHAPE,
    LATER,
    LEFT,
    MOVES,
    SETTLED,
    SKIN,
    STALE,
    START,
    WITHIN,
    Touching,
)

SURELY = 1e-6  # of the size of two shapes: those that are farther apart by so much than they can come do not meet
OPEN_GAP = 1e3  # sizes of the pair: the gap of places without a point, as of `contact/shape_pair.py`
FEW_PLACES = 4  # one place in so many is free: they run short
NOTHING_NEW, ALL_NEW, MOVING_NEW = 0, 1, 2  # whose points get places: nobody's, everybody's, those of groups
TOUCHING = numba_type(Touching)


@separate(count(TOUCHING, f2, f2, number, f1))
def begin_meeting(touch, x0, v, h, kept):
    """A step of h [s] begins at x0 and v: which couples are near, what places remember (`kept`), and where points are."""
    m, flags = touch.meeting, touch.flags
    flags[STALE], flags[FULL] = 0, 0
    place_bodies(m, x0, START)
    boxed = False
    for k in range(m.span.shape[0]):
        span = m.span[k]
        if span[EACH] == 0:
            continue
        if span[MOVES] and not boxed:
            boxes_of_shapes(m.work, m.shapes, m.placed, m.boxes)
            boxed = True
        if span[MOVES]:
            _look_around(m, k, v, h)
            if 2.0 * _moved(m, span) + m.reach[k, WITHIN] > m.reach[k, KNOWN_WITHIN]:
                flags[STALE] = 1
        _choose_near(m, k)
        _recall(touch, k, kept)
    find_points(touch, START, MOVING_NEW)
    for k in range(m.span.shape[0]):
        if m.span[k, MOVES] and not m.span[k, SETTLED]:
            _release(touch, k)
    note_gaps(touch)
    return 0


@kernel
def place_bodies(m, x, which):
    """Frames of all bodies at a configuration, and their shapes there."""
    frames_of_bodies(x, m.rows, m.frames[which], m.poses[which], m.turning[which])
    place_shapes(m.shapes, m.on, m.poses[which], m.placed)
    if which == START:
        for s in range(m.placed.shape[0]):
            for k in range(4):
                for a in range(3):
                    m.begun[s, k, a] = m.placed[s, k, a]


@kernel
def _look_around(m, k, v, h):
    """How near points must be to count in this step: see `contact/collision_pair.py:survey`."""
    span, reach, fastest = m.span[k], m.reach[k], 0.0
    if reach[AHEAD] > 0.0:
        for s in range(span[FIRST_SHAPE], span[LAST_SHAPE]):
            body, moving, turning = m.on[s], 0.0, 0.0
            for a in range(v.shape[1]):
                moving = max(moving, abs(v[m.rows[body, 0], a]))
                for r in range(1, m.rows.shape[1]):
                    turning = max(turning, abs(v[m.rows[body, r], a]))
            fastest = max(fastest, moving + (turning * reach[EXTENT] if turning > 0.0 else 0.0))
    reach[WITHIN] = reach[SKIN] + reach[AHEAD] * fastest * h


@kernel
def _moved(m, span):
    """How far points of shapes have moved at most [m] since couples were looked for."""
    most = 0.0
    for s in range(span[FIRST_SHAPE], span[LAST_SHAPE]):
        far = turned = 0.0
        for a in range(3):
            far += (m.placed[s, 0, a] - m.surveyed[s, 0, a]) ** 2
            for r in range(1, 4):
                turned += (m.placed[s, r, a] - m.surveyed[s, r, a]) ** 2
        most = max(most, far**0.5 + m.shapes.reach[s] * turned**0.5)
    return most


@kernel
def _choose_near(m, k):
    """Couples that are near in this step: all of them, of groups those whose boxes are not farther apart than points count."""
    span, within, chosen = m.span[k], m.reach[k, WITHIN], 0
    first, boxes = span[FIRST_COUPLE], m.boxes
    for c in range(first, span[LAST_COUPLE]):
        i, j = m.couple[c, 0], m.couple[c, 1]
        near = True
        if span[MOVES]:
            for a in range(3):
                near = near and boxes[i, a] - within <= boxes[j, 3 + a] and boxes[j, a] - within <= boxes[i, 3 + a]
            if m.shapes.kind[i] == HALF_SPACE or m.shapes.kind[j] == HALF_SPACE:
                near = _over(m, i, j) <= within if m.shapes.kind[i] == HALF_SPACE else _over(m, j, i) <= within
        m.is_near[c] = 1 if near else 0
        if near:
            m.near[first + chosen] = c
            chosen += 1
    m.near_count[k] = chosen


@kernel
def _over(m, wall, other):
    """How high the box of a shape is over a half-space at least [m]: boxes of half-spaces are everywhere."""
    height = 0.0
    for a in range(3):
        n, low, high = m.placed[wall, 3, a], m.boxes[other, a], m.boxes[other, 3 + a]
        height += n * (0.5 * (low + high) - m.placed[wall, 0, a]) - 0.5 * abs(n) * (high - low)
    return height


@kernel
def _release(touch, k):
    """Where places run short as a step begins, take back those of points that are apart or have gone."""
    m, first, last, free = touch.meeting, touch.first[k], touch.first[k + 1], 0
    for i in range(first, last):
        free += 1 if m.home[i, 0] < 0 else 0
    if FEW_PLACES * free > last - first:
        return
    for i in range(first, last):
        if m.home[i, 0] >= 0 and not (m.there[START, i] and m.points[START, i, GAP] <= 0.0):
            m.features[m.home[i, 0], m.home[i, 1], 0] = 0.0
            m.slot[m.home[i, 0], m.home[i, 1]] = -1
            m.home[i, 0], m.there[START, i] = -1, 0
    m.span[k, CURSOR] = first


@kernel
def _recall(touch, k, kept):
    """Put points into the places where they were; those of couples that are not near are forgotten."""
    m, span = touch.meeting, touch.meeting.span[k]
    K, settled, moves = span[EACH], span[SETTLED], span[MOVES]
    for c in range(span[FIRST_COUPLE], span[LAST_COUPLE]):
        for q in range(K):
            m.features[c, q, 0] = 0.0
            if not settled:
                m.slot[c, q] = -1
    span[CURSOR] = touch.first[k]
    for i in range(touch.first[k], touch.first[k + 1]):
        c, q = m.home[i, 0], m.home[i, 1]
        if not settled:
            m.home[i, 0] = -1
        known = kept[KEPT * i] > 0.0
        if known and moves:
            one, other = int(kept[KEPT * i + FEATURES]), int(kept[KEPT * i + FEATURES + 1])
            one, other = one - 1 + span[FIRST_SHAPE], other - 1 + span[FIRST_SHAPE]
            if settled:
                known = c >= 0 and m.is_near[c] > 0 and m.couple[c, 0] == one and m.couple[c, 1] == other
            else:
                c = _couple_of(m, span, one, other)
                known = c >= 0 and m.is_near[c] > 0
                q = 0
                while known and q < K and m.slot[c, q] >= 0:
                    q += 1
                known = known and q < K
                if known:
                    _settle(m, i, c, q)
        if known and c >= 0:
            for a in range(FEATURES):
                m.features[c, q, a] = kept[KEPT * i + a]


@kernel
def _couple_of(m, span, one, other):
    """The couple of two shapes, −1 if it is not known: couples of a pair stand in order."""
    low, high = span[FIRST_COUPLE], span[LAST_COUPLE]
    while low < high:
        middle = (low + high) // 2
        i, j = m.couple[middle, 0], m.couple[middle, 1]
        if i < one or (i == one and j < other):
            low = middle + 1
        else:
            high = middle
    found = low < span[LAST_COUPLE] and m.couple[low, 0] == one and m.couple[low, 1] == other
    return low if found else -1


@kernel
def _settle(m, i, c, q):
    """Place i is that of point q of a couple."""
    m.home[i, 0], m.home[i, 1], m.slot[c, q] = c, q, i
    m.bodies[i, 0], m.bodies[i, 1] = m.on[m.couple[c, 0]], m.on[m.couple[c, 1]]


@kernel
def find_points(touch, which, whose):
    """Points of all near couples in a configuration, whose bodies are placed; how many places got their first point.

    Within a step, those of soft groups are looked for only where shapes may meet. Where the step began, those that got places
    since then are put beside the others.
    """
    m, new = touch.meeting, 0
    begins, joins = which == START and whose == MOVING_NEW, which == START and whose == NOTHING_NEW
    for i in range(m.home.shape[0]):
        if not joins:
            m.there[which, i] = 0
    if which == LATER:
        touch.flags[LEFT] = 0
    for k in range(m.span.shape[0]):
        span, first = m.span[k], m.span[k, FIRST_COUPLE]
        for e in range(first, first + m.near_count[k] if span[EACH] > 0 else first):
            c = m.near[e]
            if begins:
                m.least[c], m.meets[c] = m.reach[k, WITHIN], 1
            elif which == LATER:
                m.meets[c] = 1 if not span[MOVES] or span[SETTLED] or _may_meet(m, c) else 0
            if m.meets[c] and (m.meets[c] == GREW or not joins):
                came = _points_of_couple(touch, k, c, which, whose)
                new += came
                if which == LATER and came > 0:
                    m.meets[c] = GREW
    return new


@kernel
def _points_of_couple(touch, k, c, which, whose):
    """Points of a couple of pair k in a configuration; how many places got their first point."""
    m, span, within, flat = (
        touch.meeting,
        touch.meeting.span[k],
        touch.meeting.reach[k, WITHIN],
        touch.slid.shape[1] == 2,
    )
    K, i, j = span[EACH], m.couple[c, 0], m.couple[c, 1]
    if span[MOVES] and _far(m, i, j, within):
        return 0
    keeps = whose == ALL_NEW or (whose == MOVING_NEW and span[MOVES] > 0)
    features = m.features[c][:K]
    if not keeps:
        features = m.taken[:K]
        for q in range(K):
            for a in range(FEATURES):
                features[q, a] = m.features[c, q, a]
    A, B = m.on[i], m.on[j]
    if m.surfaces.pair[k, 0] >= 0:  # the bodies of such a pair stand together
        new = touch_surfaces(
            m.surfaces, k, m.poses[which, A : A + 2], m.frames[which, A : A + 2], m.reach[k, EXTENT], features, m.is_there,
            m.found,
        )  # fmt: skip
        if which == LATER and not m.is_there[0]:
            touch.flags[LEFT] = 1
    else:
        new = touch_pair(
            m.work, m.shapes, m.placed, m.frames[which, A], m.frames[which, B], m.poses[which, A], i, j, within, flat, True,
            features, m.is_there[:K], m.found[:K],
        )  # fmt: skip
        if which == START:  # of boxes it is how far they are apart at least
            mesh = m.shapes.kind[i] == MESH or m.shapes.kind[j] == MESH
            m.least[c] = -np.inf if mesh else min(m.least[c], m.work.answer[0])
    for q in range(K):
        s = m.slot[c, q]
        if m.is_there[q] and s < 0 and keeps and (m.found[q, GAP] <= 0.0 or _has_room(touch, k)):
            s = _free_place(touch, k)
            if s >= 0:
                _settle(m, s, c, q)
            elif m.found[q, GAP] <= 0.0:
                touch.flags[FULL] = 1
        if s >= 0:
            m.there[which, s] = 1 if m.is_there[q] else 0
            for a in range(WIDTH if m.is_there[q] else 0):
                m.points[which, s, a] = m.found[q, a]
    return new


@kernel
def _may_meet(m, c):
    """May two shapes touch at the end of the step? Their gap changes by no more than they move against each other."""
    i, j, square = m.couple[c, 0], m.couple[c, 1], 0.0
    for a in range(3):
        square += (m.placed[i, 0, a] - m.begun[i, 0, a] - m.placed[j, 0, a] + m.begun[j, 0, a]) ** 2
    surely = SURELY * (m.shapes.reach[i] + m.shapes.reach[j])
    return m.least[c] - sqrt(square) - _swept(m, i) - _swept(m, j) <= surely


@kernel
def _swept(m, s):
    """How far points of a shape have gone about its origin since the step began [m]; for a half-space there is no bound."""
    square = 0.0
    for r in range(1, 4):
        for a in range(3):
            square += (m.placed[s, r, a] - m.begun[s, r, a]) ** 2
    if m.shapes.kind[s] == HALF_SPACE:
        return 0.0 if square == 0.0 else np.inf
    return m.shapes.reach[s] * sqrt(square)


@kernel
def _far(m, i, j, within):
    """Are balls around two shapes farther apart than that?"""
    if m.shapes.kind[i] == HALF_SPACE or m.shapes.kind[j] == HALF_SPACE:
        return False
    if m.shapes.kind[i] == MESH or m.shapes.kind[j] == MESH:
        return False
    square, reach = 0.0, m.shapes.reach[i] + m.shapes.reach[j] + within
    for a in range(3):
        square += (m.placed[i, 0, a] - m.placed[j, 0, a]) ** 2
    return square > reach * reach


@kernel
def _has_room(touch, k):
    """May points that are still apart have places? Only as long as half of them are left for those that touch."""
    return 2 * (touch.meeting.span[k, CURSOR] - touch.first[k]) < touch.first[k + 1] - touch.first[k]


@kernel
def _free_place(touch, k):
    """The first place of a pair without a point, −1 if there is none left."""
    m, last = touch.meeting, touch.first[k + 1]
    i = m.span[k, CURSOR]
    while i < last and m.home[i, 0] >= 0:
        i += 1
    m.span[k, CURSOR] = i
    return i if i < last else -1


@kernel
def note_gaps(touch):
    """Gaps as the step begins."""
    m = touch.meeting
    for k in range(m.span.shape[0]):
        if m.span[k, EACH] > 0:
            for i in range(touch.first[k], touch.first[k + 1]):
                there = m.there[START, i] > 0
                touch.begin_gap[i] = m.points[START, i, GAP] if there else OPEN_GAP * m.reach[k, EXTENT]


@kernel
def keep_features(touch, after, first):
    """What places remember of their points, into a memory from `first` on."""
    m = touch.meeting
    for k in range(m.span.shape[0]):
        span = m.span[k]
        if span[EACH] == 0:
            continue
        for i in range(touch.first[k], touch.first[k + 1]):
            c, q, at = m.home[i, 0], m.home[i, 1], first + KEPT * i
            known = c >= 0 and m.features[c, q, 0] > 0.0
            for a in range(KEPT):
                after[at + a] = m.features[c, q, a] if known and a < FEATURES else 0.0
            if known and span[MOVES]:
                after[at + FEATURES] = m.couple[c, 0] - span[FIRST_SHAPE] + 1.0
                after[at + FEATURES + 1] = m.couple[c, 1] - span[FIRST_SHAPE] + 1.0
