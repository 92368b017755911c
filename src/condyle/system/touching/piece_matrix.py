"""Closed points over pieces that deform: their forces on rows, and their matrix.

Gradients of gap and slip, and what these bend by, are those of `means.py`, whose nodes are the points.
"""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.tables import DIRECTOR, FREE
from condyle.system.touching.means import sum_up
from condyle.system.touching.nearest import feet_room, find
from condyle.system.touching.pieces import OUTSIDE, pieces_of, places_of, vectors_of
from condyle.system.touching.tables import FIRST_VECTOR, LAST_VECTOR


@kernel
def add_closed(touch, pair, table, closed, feet, away, of_law, xt, x1, kappa, share, tangent, at, A):
    """Forces of closed points on rows, with sizes and noise; their part of the matrix. share: of a mean in the balance."""
    if not closed.size:
        return
    t, first, F, q = touch.pieces, touch.first[pair], of_law[0][: closed.size], closed.size
    end, d = _some(feet, closed), away.shape[1]
    test = end
    if kappa != 1.0:
        test = feet_at(touch, pair, xt, closed)
    rows, G, B, bends = spread_out(touch, pair, table.kind, closed, test, end, away[closed], F, xt, x1, kappa, tangent)
    force, scale, noise = touch.forces[at], touch.forces[at + 1], touch.forces[at + 2]
    own, parts, s = t.point_row.shape[1], F.shape[1], t.span[pair]
    cells, each = pieces_of(touch, pair)[3], t.vector_row.shape[1]
    for k in range(q):
        i = first + closed[k]
        level = share * touch.stiffness[i] * touch.size
        for r in range(rows.shape[1]):
            row = rows[k, r]
            for a in range(d):
                push = 0.0
                for j in range(parts):
                    push += share * F[k, j] * G[k, j, r, a]
                force[row, a] += push
                scale[row, a] += abs(push)
            size = 0.0
            if r < own:
                size = abs(t.point_weight[i, r])
            elif r < own + cells.shape[1] * each:
                c, e = (r - own) // each, (r - own) % each
                size = abs(t.vector_weight[s[FIRST_VECTOR] + cells[t.facet[1, i], c], e])
            for a in range(d):
                noise[row, a] += size * level
        if tangent:
            _add_matrix(touch, i, table.kind, rows[k], G[k], B[k], bends[k], of_law, k, xt, share, A)


@kernel
def feet_at(touch, pair, x, closed):
    """The feet of closed points on the pieces that they are over now, in another configuration."""
    t, first, last = touch.pieces, touch.first[pair], touch.first[pair + 1]
    pieces, vectors, places = pieces_of(touch, pair), vectors_of(touch, pair, x), places_of(touch, pair, x)
    feet = feet_room(closed.size, x.shape[1], pieces[3].shape[1], pieces[4])
    facet, at = t.facet[1, first:last], t.foot[first:last]
    find(pieces, vectors, places[closed], facet[closed], at[closed], OUTSIDE, feet)
    return feet


@kernel
def spread_out(touch, pair, kinds, closed, test, end, away, F, xt, x1, kappa, tangent):
    """Rows of closed points (q, nr), gradients on them and by unknowns, what these bend by (`means.py:sum_up`)."""
    t, first, s = touch.pieces, touch.first[pair], touch.pieces.span[pair]
    pieces, q, d, parts = pieces_of(touch, pair), closed.size, away.shape[1], F.shape[1]
    cells, own, each = pieces[3], t.point_row.shape[1], t.vector_row.shape[1]
    K, rubs = cells.shape[1], parts > 1
    wide = own + (2 if rubs else 1) * K * each
    rows, weights = np.zeros((q, wide), dtype=np.int64), np.zeros((q, own))
    now, began, began_N = np.empty(q, dtype=np.int64), np.empty(q, dtype=np.int64), np.zeros((q, K))
    for k in range(q):
        i = first + closed[k]
        now[k], began[k] = t.facet[1, i], t.facet[0, i]
        for r in range(own):
            rows[k, r], weights[k, r] = t.point_row[i, r], t.point_weight[i, r]
        for c in range(K):
            began_N[k, c] = t.weight[i, c]
            for e in range(each):
                rows[k, own + c * each + e] = t.vector_row[s[FIRST_VECTOR] + cells[now[k], c], e]
                if rubs:
                    rows[k, own + (K + c) * each + e] = t.vector_row[s[FIRST_VECTOR] + cells[began[k], c], e]
    nodes, shares, turns = np.empty((q, 1), dtype=np.int64), np.ones((q, 1)), np.zeros((q, 1, d - 1, d - 1))
    places = np.empty((q, 1, wide), dtype=np.int64)
    for k in range(q):
        nodes[k, 0] = k
        for r in range(wide):
            places[k, 0, r] = r
        for a in range(d - 1):
            turns[k, 0, a, a] = 1.0
    G = np.zeros((q, parts, wide, d))
    B = np.zeros((q, parts, wide if tangent else 0, d))
    bends = np.zeros((q if tangent else 0, wide * d, wide * d))
    layout = (rows, weights, began, began_N, cells, t.vector_weight[s[FIRST_VECTOR] : s[LAST_VECTOR]])
    sum_up(
        (kinds, xt, x1),
        layout,
        (now, *test),
        (now, *end),
        away,
        (nodes, shares, places, turns),
        F,
        kappa,
        tangent,
        (G, B, bends),
    )
    return rows, G, B, bends


@kernel
def _some(feet, closed):
    """The feet of some points."""
    return (
        feet[0][closed], feet[1][closed], feet[2][closed], feet[3][closed], feet[4][closed], feet[5][closed],
        feet[6][closed], feet[7][closed], feet[8][closed],
    )  # fmt: skip


@kernel
def _add_matrix(touch, i, kinds, rows, G, B, bend, of_law, k, xt, share, A):
    """The matrix of a closed point: B_tᵀ ∂F/∂ξ B_1, what gradients bend by, and the lines and columns of its multipliers."""
    t, parts, d = touch.pieces, G.shape[0], G.shape[2]
    _, by_place, by_multiplier, by_change, by_own = of_law
    nr, m, width = rows.size, by_own.shape[1], rows.size * d
    where, left, right = np.full(width, -1), np.zeros((parts, width)), np.zeros((parts, width))
    for r in range(nr):
        kind, first = kinds[rows[r]], t.local[rows[r]]
        if first < 0:
            continue
        for a in range(1 if kind == DIRECTOR and d == 2 else d):
            where[r * d + a] = first + a
        for j in range(parts):
            _by_unknowns(kind, xt[rows[r]], G[j, r], left[j, r * d : r * d + d])
    for j in range(parts):
        for other in range(parts):
            for r in range(nr):
                for a in range(d):
                    right[j, r * d + a] += share * by_place[k, j, other] * B[other, r, a]
    for v in range(width):
        if where[v] < 0:
            continue
        slots = t.slot[where[v]]
        for u in range(width):
            if where[u] >= 0:
                value = share * bend[v, u]
                for j in range(parts):
                    value += left[j, v] * right[j, u]
                _put(value, slots[where[u]], A)
        for b in range(m):
            column = line = 0.0
            for j in range(parts):
                column += left[j, v] * by_multiplier[k, j, b]
                line += by_change[k, b, j] * B[j, v // d, v % d]
            _put(column, slots[t.held[i] + b], A)
            _put(line, t.slot[t.held[i] + b, where[v]], A)
    for b in range(m):
        for c in range(m):
            _put(by_own[k, b, c], t.slot[t.held[i] + b, t.held[i] + c], A)


@kernel(forceinline=True)
def _put(value, at, A):
    """Rows that only fill up a table have no weight and no place."""
    if at >= 0:
        A[at] += value


@kernel
def _by_unknowns(kind, y, vector, out):
    """vector·δy by the unknowns of a row."""
    if kind == FREE:
        for a in range(y.size):
            out[a] = vector[a]
    elif y.size == 2:  # δy = δθ × y
        out[0] = vector[1] * y[0] - vector[0] * y[1]
    else:
        out[0] = y[1] * vector[2] - y[2] * vector[1]
        out[1] = y[2] * vector[0] - y[0] * vector[2]
        out[2] = y[0] * vector[1] - y[1] * vector[0]
