"""Where points are over pieces that deform: the nearest piece, feet, gaps and rates; `contact/deformable.py` in kernels.

A point keeps its piece within a step until it is clearly beyond its edge. `touch.pieces.facet` has that of the step's start and
the one now.
"""

import numpy as np

from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import count, f1, f2
from condyle.system.touching.curves import OVER_PIECES, RADIUS, SURFACE
from condyle.system.touching.nearest import feet_room, find, nearest
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
    """The pieces of a pair as `nearest.py` takes them."""
    t, s = touch.pieces, touch.pieces.span[pair]
    f, J, K = s[LAST_PIECE] - s[FIRST_PIECE], s[FUNCTIONS], s[VECTORS]
    powers = t.powers[s[POWER_AT] : s[POWER_AT] + J]
    triangle = t.triangle[s[FIRST_PIECE] : s[LAST_PIECE]]
    C = t.coefficients[s[COEFFICIENT_AT] : s[COEFFICIENT_AT] + f * J * K].reshape((f, J, K))
    cells = t.cell[s[CELL_AT] : s[CELL_AT] + f * K].reshape((f, K))
    return powers, triangle, C, cells, s[FLAT] > 0, t.form[pair, SIDE]


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
