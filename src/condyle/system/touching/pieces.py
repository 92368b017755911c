"""Where points are over pieces that deform: the nearest piece, feet, gaps and rates; `contact/deformable.py` in kernels.

A point keeps its piece within a step until it is clearly beyond its edge. `touch.pieces.facet` has that of the step's start and
the one now.
"""

import numpy as np

from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import count, f1, f2
from condyle.system.touching.curves import OVER_PIECES, RADIUS, SURFACE
from condyle.system.touching.feet import find_feet
from condyle.system.touching.near import nearest_facets
from condyle.system.touching.tables import (
    CELL_AT,
    COEFFICIENT_AT,
    DEPTH,
    FIRST_PIECE,
    FIRST_VECTOR,
    FLAT,
    FUNCTIONS,
    LAST_PIECE,
    LAST_VECTOR,
    OFFSET,
    POWER_AT,
    SIDE,
    START,
    VECTORS,
    Touching,
)

NEAR_LINES, NEAR_FACES = 6, 16  # flat pieces near a point that are looked at, in the plane and in space
TRIED = 4  # samples of curved pieces near a point from which the projection starts
SAMPLED = 7  # samples of a piece in each direction
BEYOND = 0.02  # of a piece: so far beyond its edge a point stays on it within a step
OUTSIDE = 0.3  # of a piece: so far beyond its edge a point may still be pressed by it
TOUCHING = numba_type(Touching)


@kernel(forceinline=True)
def is_over_pieces(touch, pair):
    """Is a pair of points over pieces that deform?"""
    return touch.pairs[pair, SURFACE] == OVER_PIECES


@kernel(forceinline=True)
def are_pieces(touch):
    """Are there any?"""
    return touch.pieces.cell.size > 0


@kernel
def pieces_of(touch, pair):
    """The pieces of a pair as `find_feet` takes them: powers, triangles, C, vectors of cells, are they flat, side."""
    t, s = touch.pieces, touch.pieces.span[pair]
    f, J, K = s[LAST_PIECE] - s[FIRST_PIECE], s[FUNCTIONS], s[VECTORS]
    powers = t.powers[s[POWER_AT] : s[POWER_AT] + J]
    triangle = t.triangle[s[FIRST_PIECE] : s[LAST_PIECE]]
    C = t.coefficients[s[COEFFICIENT_AT] : s[COEFFICIENT_AT] + f * J * K].reshape((f, J, K))
    cells = t.cell[s[CELL_AT] : s[CELL_AT] + f * K].reshape((f, K))
    return powers, triangle, C, cells, s[FLAT] > 0, t.form[pair, SIDE]


@kernel
def feet_room(n, d, K, flat):
    """Room for the feet of n points (`contact/foot.py:Foot`, but for its facet)."""
    p, curved = d - 1, 0 if flat else K
    return (
        np.empty((n, p)), np.empty((n, K)), np.empty((n, p, K)), np.empty((n, p, p, curved)), np.empty((n, d, d)),
        np.empty(n), np.empty((n, p, d)), np.empty((n, p, p, d)), np.empty((n, p, p)),
    )  # fmt: skip


@kernel
def foot_of(feet, i):
    """The foot of one of many points."""
    j = i + 1
    return (
        feet[0][i:j], feet[1][i:j], feet[2][i:j], feet[3][i:j], feet[4][i:j], feet[5][i:j], feet[6][i:j], feet[7][i:j],
        feet[8][i:j],
    )  # fmt: skip


@kernel
def gather(row, weight, x):
    """Σ w x of each (n, d)."""
    out = np.zeros((row.shape[0], x.shape[1]))
    for i in range(row.shape[0]):
        for k in range(row.shape[1]):
            for a in range(x.shape[1]):
                out[i, a] += weight[i, k] * x[row[i, k], a]
    return out


@kernel
def vectors_of(touch, pair, x):
    """The vectors of the pieces of a pair at x (v, d)."""
    t, s = touch.pieces, touch.pieces.span[pair]
    first, last = s[FIRST_VECTOR], s[LAST_VECTOR]
    return gather(t.vector_row[first:last], t.vector_weight[first:last], x)


@kernel
def places_of(touch, pair, x):
    """Places of the points of a pair in the world (n, d)."""
    t, first, last = touch.pieces, touch.first[pair], touch.first[pair + 1]
    return gather(t.point_row[first:last], t.point_weight[first:last], x)


@kernel
def find(pieces, vectors, places, facet, start, beyond, feet):
    """Feet on given pieces."""
    powers, triangle, C, cells, flat, side = pieces
    find_feet(powers, triangle, C, vectors, cells, places, facet, start, flat, side, beyond, feet)


@kernel
def nearest(pieces, excluded, vectors, places, which, facet, at):
    """The piece that is nearest to each point, and where on it: fills facet (n,) and at (n, p) where `which` says so."""
    if not which.any():
        return
    if pieces[4]:
        _nearest_flat(pieces, excluded, vectors, places, which, facet, at)
    else:
        _nearest_curved(pieces, excluded, vectors, places, which, facet, at)


@kernel
def _nearest_flat(pieces, excluded, vectors, places, which, facet, at):
    cells, d = pieces[3], places.shape[1]
    f = cells.shape[0]
    corners, centres = np.empty(f * d * d), np.zeros((f, d))
    for k in range(f):
        for c in range(d):
            for a in range(d):
                corners[(k * d + c) * d + a] = vectors[cells[k, c], a]
                centres[k, a] += vectors[cells[k, c], a] / d
    few = min(NEAR_LINES if d == 2 else NEAR_FACES, f)
    near, far = np.empty((1, few), dtype=np.int64), np.empty(few)
    for i in range(places.shape[0]):
        if not which[i]:
            continue
        known = 0
        for k in range(f):
            known = _take_in(_apart(centres[k], places[i]), k, near[0], far, known)
        nearest_facets(corners, places[i : i + 1], near, excluded[i : i + 1], facet[i : i + 1])
        for a in range(d - 1):
            at[i, a] = 0.0


@kernel
def _apart(a, b):
    """Distance of two points."""
    square = 0.0
    for e in range(a.size):
        square += (a[e] - b[e]) ** 2
    return np.sqrt(square)


@kernel
def _take_in(distance, number, numbers, far, known):
    """Keep the nearest in order, the first of equals first; returns how many are known."""
    if known == far.size:
        if distance >= far[known - 1]:
            return known
        known -= 1
    at = known
    while at > 0 and far[at - 1] > distance:
        far[at], numbers[at] = far[at - 1], numbers[at - 1]
        at -= 1
    far[at], numbers[at] = distance, number
    return known + 1


@kernel
def _nearest_curved(pieces, excluded, vectors, places, which, facet, at):
    """From the nearest of samples spread over all pieces: the projection starts from several of them."""
    powers, triangle, C, cells, _, _ = pieces
    f, J, K = C.shape
    n, d = places.shape
    p = d - 1
    each = SAMPLED if p == 1 else SAMPLED * SAMPLED
    there = np.empty((f, each, d))
    centre, radius = np.zeros((f, d)), np.zeros(f)
    for k in range(f):
        for s in range(each):
            u, v = (s // SAMPLED if p == 2 else s) / (SAMPLED - 1), (s % SAMPLED) / (SAMPLED - 1)
            for a in range(d):
                there[k, s, a] = 0.0
            for j in range(J):
                m = u ** powers[j, 0] * (v ** powers[j, 1] if p == 2 else 1.0)
                for c in range(K):
                    for a in range(d):
                        there[k, s, a] += m * C[k, j, c] * vectors[cells[k, c], a]
            for a in range(d):
                centre[k, a] += there[k, s, a] / each
        for s in range(each):
            radius[k] = max(radius[k], _apart(there[k, s], centre[k]))
    near, far = np.empty(TRIED, dtype=np.int64), np.empty(TRIED)
    feet, own, start = feet_room(1, d, K, False), np.empty(1, dtype=np.int64), np.empty((1, p))
    for i in range(n):
        if not which[i]:
            continue
        known = 0
        for k in range(f):
            if known == TRIED and _apart(centre[k], places[i]) - radius[k] >= far[TRIED - 1]:
                continue
            for s in range(each):
                if not triangle[k] or s // SAMPLED + s % SAMPLED < SAMPLED:
                    known = _take_in(_apart(there[k, s], places[i]), k * each + s, near, far, known)
        least = np.inf
        for q in range(known):
            own[0], s = near[q] // each, near[q] % each
            start[0, 0] = (s // SAMPLED if p == 2 else s) / (SAMPLED - 1)
            if p == 2:
                start[0, 1] = (s % SAMPLED) / (SAMPLED - 1)
            if q == 0:
                _put(own[0], start[0], i, facet, at)
            seen = True
            for e in range(excluded.shape[1]):
                seen = seen and excluded[i, e] != own[0]
            if not seen:
                continue
            find(pieces, vectors, places[i : i + 1], own, start, 0.0, feet)
            square = 0.0
            for a in range(d):
                y = 0.0
                for c in range(K):
                    y += feet[1][0, c] * vectors[cells[own[0], c], a]
                square += (places[i, a] - y) ** 2
            if np.sqrt(square) < least * (1.0 - 1e-12):
                least = np.sqrt(square)
                _put(own[0], feet[0][0], i, facet, at)


@kernel
def _put(piece, u, i, facet, at):
    facet[i] = piece
    for a in range(u.size):
        at[i, a] = u[a]


@kernel
def gap_at(touch, pair, feet, i):
    """The distance of a point from the outer surface, less the radius of balls [m]."""
    return feet[5][i] - touch.pieces.form[pair, OFFSET] - touch.pairs[pair, RADIUS]


@kernel
def margin(u, triangle):
    """How far a foot is inside its piece, in parameters; negative beyond an edge."""
    low, high, total = u.min(), u.max(), u.sum()
    return min(low, 1.0 - (total if triangle else high))


@kernel
def is_reached(touch, pair, inside, gap):
    """Is a point over its piece, or hardly beyond, and not on the far side of the body?"""
    return inside > -OUTSIDE * (1.0 - 1e-9) and gap > -touch.pieces.form[pair, DEPTH]


@kernel
def length_of(feet, i):
    """The size of a piece [m], of which a point that no piece faces is further away."""
    square = 0.0
    for e in range(feet[6].shape[2]):
        square += feet[6][i, 0, e] ** 2
    return np.sqrt(square)


@separate(count(TOUCHING, f2, f1))
def gaps_over_pieces(touch, x, gaps):
    """Gaps from the nearest pieces at x; of points that no piece faces, the distance to the nearest one and more."""
    for pair in range(touch.first.size - 1):
        if is_over_pieces(touch, pair):
            pieces, first, last = pieces_of(touch, pair), touch.first[pair], touch.first[pair + 1]
            vectors, places = vectors_of(touch, pair, x), places_of(touch, pair, x)
            n, d = places.shape
            facet, at = np.zeros(n, dtype=np.int64), np.zeros((n, d - 1))
            nearest(pieces, touch.pieces.excluded[first:last], vectors, places, np.ones(n, dtype=np.bool_), facet, at)
            feet = feet_room(n, d, pieces[3].shape[1], pieces[4])
            find(pieces, vectors, places, facet, at, OUTSIDE, feet)
            for k in range(n):
                gap = gap_at(touch, pair, feet, k)
                if not is_reached(touch, pair, margin(feet[0][k], pieces[1][facet[k]]), gap):
                    gap = abs(gap) + length_of(feet, k)
                gaps[first + k] = gap
    return 0


@separate(count(TOUCHING, f2))
def begin_pieces(touch, x):
    """A step begins at x: the nearest pieces are looked for, and stuck points are held where they stand now."""
    t = touch.pieces
    for pair in range(touch.first.size - 1):
        if not is_over_pieces(touch, pair):
            continue
        pieces, first, last = pieces_of(touch, pair), touch.first[pair], touch.first[pair + 1]
        vectors, places = vectors_of(touch, pair, x), places_of(touch, pair, x)
        n, d = places.shape
        facet, at, K = t.facet[0, first:last], t.foot[first:last], pieces[3].shape[1]
        nearest(pieces, t.excluded[first:last], vectors, places, np.ones(n, dtype=np.bool_), facet, at)
        feet = feet_room(n, d, K, pieces[4])
        find(pieces, vectors, places, facet, at, OUTSIDE, feet)
        for k in range(n):
            i, gap = first + k, gap_at(touch, pair, feet, k)
            reached = is_reached(touch, pair, margin(feet[0][k], pieces[1][facet[k]]), gap)
            touch.begin_gap[i] = gap if reached else abs(gap) + length_of(feet, k)
            t.faced[i], t.facet[1, i] = int(reached), facet[k]
            for a in range(d - 1):
                t.foot[i, a] = feet[0][k, a]
            for c in range(K):
                t.weight[i, c] = feet[1][k, c]
            for a in range(d):
                for e in range(d):
                    t.frame[0, i, a, e] = t.frame[1, i, a, e] = t.turn[i, a, e] = feet[4][k, a, e]
    return 0


@separate(count(TOUCHING, count, f2, f2, count, f1))
def piece_rates(touch, i, x, v, at, out):
    """Rates of gap and slip of point i over its piece, along n and e_α (d,), in one of the configurations START and LATER."""
    t, pair = touch.pieces, touch.pair[i]
    pieces, first = pieces_of(touch, pair), touch.first[pair]
    vectors, rates = vectors_of(touch, pair, x), vectors_of(touch, pair, v)
    place, rate = places_of(touch, pair, x), places_of(touch, pair, v)
    d, cells, k = x.shape[1], pieces[3], i - first
    facet = t.facet[0 if at == START else 1, i : i + 1]
    feet = feet_room(1, d, cells.shape[1], pieces[4])
    find(pieces, vectors, place[k : k + 1], facet, t.foot[i : i + 1], OUTSIDE, feet)
    for j in range(d):
        out[j] = 0.0
        for a in range(d):
            relative = rate[k, a]
            for c in range(cells.shape[1]):
                relative -= feet[1][0, c] * rates[cells[facet[0], c], a]
            out[j] += feet[4][0, j, a] * relative
    return 0
