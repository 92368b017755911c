"""Points over pieces that deform in the equations: where they come to, what they answer, what a step leaves of them.

To the condition of a point its piece is a plane, whose coordinates are the gap and the slip since the step began, in a frame
that turns with the piece. Forces and matrix of those that are closed: `piece_matrix.py`.
"""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import ROWS, count, f1, f2, flag, number, several
from condyle.system.touching.answers import answered
from condyle.system.touching.conditions import CONSERVING, END, MEAN, approach
from condyle.system.touching.curves import MEANS, OPEN, REPORTED, RUB, SOFT
from condyle.system.touching.nearest import feet_room, find, nearest
from condyle.system.touching.piece_matrix import add_closed, feet_at, spread_out
from condyle.system.touching.pieces import (
    BEYOND,
    OUTSIDE,
    TOUCHING,
    foot_of,
    gap_at,
    is_over_pieces,
    is_reached,
    length_of,
    margin,
    pieces_of,
    places_of,
    vectors_of,
)
from condyle.system.touching.tables import CHANGED, DEPTH


@separate(count(TOUCHING, ROWS, several(f2, 4), number, count, number, number, flag, f1, f1, several(f1, 2), f1))
def add_over_pieces(touch, rows, motion, h, where, weight, damping, tangent, memory, multipliers, held, A):
    """Add all points over pieces to forces on rows, residuals and (if tangent) the matrix; are some means of the step?"""
    means, x0, x1, middle = 0, motion[0], motion[1], motion[2]
    for pair in range(touch.first.size - 1):
        if not is_over_pieces(touch, pair):
            continue
        p = touch.pairs[pair]
        at_mid = where == CONSERVING or (where == MEAN and p[MEANS] > 0.0)
        pieces, vectors, places = pieces_of(touch, pair), vectors_of(touch, pair, x1), places_of(touch, pair, x1)
        n, d = places.shape
        feet = feet_room(n, d, pieces[3].shape[1], pieces[4])
        _follow(touch, pair, pieces, vectors, places, feet)
        away = _ways(touch, pair, pieces, vectors, places)
        at = where if at_mid else END
        if p[SOFT] > 0.0 and at == CONSERVING:
            at = END  # there gaps have no exact discrete gradient: see `contact/response.py:on_pieces`
        of_law = _room_of_law(n, int(p[REPORTED]), int(p[REPORTED]) if p[SOFT] == 0.0 else 0)
        closed = _answer_all(
            touch, pair, pieces, feet, away, h, at, damping if at == MEAN else 0.0, tangent, memory, multipliers, x0, held,
            of_law, A,
        )  # fmt: skip
        xt, kappa, share = (middle, 0.5, weight) if at_mid else (x1, 1.0, 1.0)
        means += int(at_mid)
        add_closed(touch, pair, rows, closed, feet, away, of_law, xt, x1, kappa, share, tangent, 3 if at_mid else 0, A)
    return means


@kernel
def _follow(touch, pair, pieces, vectors, places, feet):
    """Feet at the end of the step; a point keeps its piece until it is clearly beyond its edge, or it would go to and fro."""
    t, first, last = touch.pieces, touch.first[pair], touch.first[pair + 1]
    n, d = places.shape
    facet, at = t.facet[1, first:last], t.foot[first:last]
    find(pieces, vectors, places, facet, at, OUTSIDE, feet)
    beyond = np.zeros(n, dtype=np.bool_)
    for k in range(n):
        inside = margin(feet[0][k], pieces[1][facet[k]])
        beyond[k] = inside < -BEYOND or gap_at(touch, pair, feet, k) <= -t.form[pair, DEPTH]
        for a in range(d - 1):
            at[k, a] = feet[0][k, a]
    if beyond.any():
        others, frame = facet.copy(), np.empty((d, d))
        nearest(pieces, t.excluded[first:last], vectors, places, beyond, others, at)
        for k in range(n):
            if beyond[k]:
                for a in range(d):
                    for e in range(d):
                        frame[a, e] = feet[4][k, a, e]
                find(pieces, vectors, places[k : k + 1], others[k : k + 1], at[k : k + 1], OUTSIDE, foot_of(feet, k))
                for a in range(d - 1):
                    at[k, a] = feet[0][k, a]
                if others[k] != facet[k]:
                    _turn(frame, feet[4][k], t.turn[first + k])
                facet[k] = others[k]
    for k in range(n):
        for a in range(d):
            for e in range(d):
                t.frame[1, first + k, a, e] = feet[4][k, a, e]


@kernel
def _turn(before, after, turn):
    """Unknowns stay what they were, in a frame that has turned with the piece: turn = after · beforeᵀ · turn."""
    d = turn.shape[0]
    by, old = np.zeros((d, d)), turn.copy()
    for a in range(d):
        for b in range(d):
            for e in range(d):
                by[a, b] += after[a, e] * before[b, e]
    for a in range(d):
        for e in range(d):
            turn[a, e] = 0.0
            for b in range(d):
                turn[a, e] += by[a, b] * old[b, e]


@kernel
def _ways(touch, pair, pieces, vectors, places):
    """p − ȳ: from where the material point is that each point stood over when the step began (n, d)."""
    t, first, cells = touch.pieces, touch.first[pair], pieces[3]
    out = places.copy()
    for k in range(out.shape[0]):
        for c in range(cells.shape[1]):
            vector = cells[t.facet[0, first + k], c]
            for a in range(out.shape[1]):
                out[k, a] -= t.weight[first + k, c] * vectors[vector, a]
    return out


@kernel
def _gap_before(touch, pair, pieces, k, x0, gap):
    """The gap of a point from the piece that it is over now, as the step began."""
    t, i = touch.pieces, touch.first[pair] + k
    before, reached = touch.begin_gap[i], t.faced[i] > 0
    if t.facet[0, i] != t.facet[1, i]:
        place, vectors = places_of(touch, pair, x0), vectors_of(touch, pair, x0)
        feet = feet_room(1, place.shape[1], pieces[3].shape[1], pieces[4])
        facet = t.facet[1, i : i + 1]
        find(pieces, vectors, place[k : k + 1], facet, t.foot[i : i + 1], OUTSIDE, feet)
        before = gap_at(touch, pair, feet, 0)
        reached = is_reached(touch, pair, margin(feet[0][0], pieces[1][facet[0]]), before)
    if reached:
        return before
    return gap if touch.pairs[pair, SOFT] > 0.0 else np.inf


@kernel
def _room_of_law(n, parts, m):
    """F, ∂F/∂ξ, ∂F/∂λ, ∂c/∂ξ, ∂c/∂λ of closed points."""
    return (
        np.zeros((n, parts)), np.zeros((n, parts, parts)), np.zeros((n, parts, m)), np.zeros((n, m, parts)),
        np.zeros((n, m, m)),
    )  # fmt: skip


@kernel
def _answer_all(touch, pair, pieces, feet, away, h, where, damping, tangent, memory, multipliers, x0, held, of_law, A):
    """Conditions of all points; the numbers of those that are closed within their pair, in order."""
    t, p, a, first, d = touch.pieces, touch.pairs[pair], touch.answer, touch.first[pair], away.shape[1]
    n, m = away.shape[0], of_law[4].shape[1]
    c, c_scale = held
    turned, closed, known = multipliers.copy(), np.empty(n, dtype=np.int64), 0
    for k in range(n):
        i, facet = first + k, t.facet[1, first + k]
        gap = gap_at(touch, pair, feet, k)
        if not is_reached(touch, pair, margin(feet[0][k], pieces[1][facet]), gap):
            gap = abs(gap) + length_of(feet, k)
        before = _gap_before(touch, pair, pieces, k, x0, gap)
        touch.gap[i] = gap
        for b in range(d):
            a.place[b] = a.step[b] = a.normal[b] = a.before[b] = 0.0
            for e in range(d):
                a.hessian[b, e] = 0.0
                if p[RUB] > 0.0 and b > 0:
                    a.step[b] += feet[4][k, b, e] * away[k, e]
        a.normal[0] = a.before[0] = 1.0
        approach(a, gap, before, False)
        at = touch.multiplier[i]
        if m > 1:
            for b in range(m):
                turned[at + b] = 0.0
                for e in range(m):
                    turned[at + b] += t.turn[i, b, e] * multipliers[at + e]
        status = answered(touch, i, p, gap, before, h, where, damping, memory, turned, c, c_scale)
        touch.flags[CHANGED] |= int(status != touch.status[i])
        touch.status[i] = status
        if status != OPEN:
            _keep_answer(a, of_law, known)
            if m > 1:
                _times(t.turn[i], of_law[2][known])
                _times(t.turn[i], of_law[4][known])
            closed[known] = k
            known += 1
        elif tangent:
            own = a.residual_by_multiplier[:m, :m]
            if m > 1:
                _times(t.turn[i], own)
            for b in range(m):
                for e in range(m):
                    A[t.slot[t.held[i] + b, t.held[i] + e]] += own[b, e]
    return closed[:known]


@kernel
def _keep_answer(a, of_law, at):
    """What the law says of a closed point."""
    F, by_place, by_multiplier, by_change, by_own = of_law
    parts, m = F.shape[1], by_own.shape[1]
    for i in range(parts):
        F[at, i] = a.force[i]
        for j in range(parts):
            by_place[at, i, j] = a.by_place[i, j]
        for j in range(m):
            by_multiplier[at, i, j], by_change[at, j, i] = a.by_multiplier[i, j], a.residual_by_place[j, i]
    for i in range(m):
        for j in range(m):
            by_own[at, i, j] = a.residual_by_multiplier[i, j]


@kernel
def _times(turn, matrix):
    """matrix = matrix · turn."""
    for i in range(matrix.shape[0]):
        row = matrix[i].copy()
        for j in range(matrix.shape[1]):
            matrix[i, j] = 0.0
            for k in range(row.size):
                matrix[i, j] += row[k] * turn[k, j]


@separate(count(TOUCHING, count, f2, f2))
def push_over_pieces(touch, which, x, out):
    """out += forces on rows (n, d) of F_MEAN, F_END or F of all soft points over pieces, with the geometry of x."""
    none = np.zeros(0, dtype=np.int64)
    for pair in range(touch.first.size - 1):
        if not is_over_pieces(touch, pair) or touch.pairs[pair, SOFT] == 0.0:
            continue
        first, n, parts = touch.first[pair], touch.first[pair + 1] - touch.first[pair], int(touch.pairs[pair, REPORTED])
        closed, known, d = np.empty(n, dtype=np.int64), 0, x.shape[1]
        for k in range(n):
            pressed = False
            for j in range(parts):
                pressed = pressed or touch.found[which, first + k, j] != 0.0
            if pressed:
                closed[known] = k
                known += 1
        closed = closed[:known]
        if not known:
            continue
        F, feet = np.empty((known, parts)), feet_at(touch, pair, x, closed)
        for k in range(known):
            for j in range(parts):
                F[k, j] = touch.found[which, first + closed[k], j]
        rows, G, _, _ = spread_out(touch, pair, none, closed, feet, feet, np.zeros((known, d)), F, x, x, 1.0, False)
        for k in range(known):
            for r in range(rows.shape[1]):
                for a in range(d):
                    for j in range(parts):
                        out[rows[k, r], a] += F[k, j] * G[k, j, r, a]
    return 0


@kernel
def in_world(touch, i, vector):
    """A vector in the frame of the piece of point i becomes one in the world."""
    frame, old = touch.pieces.frame[1, i], vector.copy()
    for a in range(vector.size):
        vector[a] = 0.0
        for b in range(vector.size):
            vector[a] += frame[b, a] * old[b]


@kernel
def held_in_world(touch, i, force):
    """Multipliers of friction of point i become the force that they are at the end of the step, in the world."""
    old = force.copy()
    for b in range(force.size):
        force[b] = 0.0
        for e in range(force.size):
            force[b] += touch.pieces.turn[i, b, e] * old[e]
    in_world(touch, i, force)


@kernel
def take_slip(touch, i, slip):
    """Elastic slip of point i, kept in the world (d,), in the frame of its piece as the step begins."""
    t = touch.pieces
    for a in range(slip.size):
        t.slip[i, a] = 0.0
        for e in range(slip.size):
            t.slip[i, a] += t.frame[0, i, a, e] * slip[e]
