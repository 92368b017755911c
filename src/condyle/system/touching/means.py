"""What points over pieces that deform add to the equations, summed up for nodes: `contact/foot.py:Variation` in a kernel.

A contact of points has one node for each of them; the mortar has many points for a node, each with its share. With tangents
t_α, metric A, bending b_αβ = n·y_,αβ, distance g, w = δp − Σ N_k δx_k, ν_α = n·Σ N_k,α δx_k and μ_α = ν_α + b_αβ δu^β,

    (A_αβ − g b_αβ) δu^β = t_α·w + g ν_α,   δg = n·w,   δn = −A^{αβ} μ_α t_β,
    Δδg = −μ_α(Δ) δu^α − μ_α(δ) Δu^α + b_αβ Δu^α δu^β + g A^{αβ} μ_α(Δ) μ_β(δ).
"""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.tables import DIRECTOR, FREE


@kernel
def sum_up(where, layout, test, end, away, sharing, F, kappa, tangent, out):
    """Fill gradients of gaps and slips on rows, and (if `tangent`) by unknowns, with what they bend by, for each node.

    where = (kinds of all rows, x_test, x1); layout = (rows (q, nr), weights of the points (q, own), facet and weights of the
    pieces as the step began: (q,) and (q, K), empty without friction; cells (f, K); weights of vectors (v, each)).
    test, end: feet at both configurations (`contact/foot.py:Foot`). away (q, d): p − ȳ.
    sharing = (nodes (q, M), shares (q, M), places of rows among those of a node (q, M, nr), −1 for none, turns of slips into
    the frame of the node (q, M, p, p)). F (n, i) [N].
    out = (G, B1, both (n, i, rows, d), K (n, unknowns, unknowns)), which are added to; rows of a node have d unknowns each.
    """
    kind, xt, x1 = where
    rows, own_weights, began, began_N, cells, vector_weights = layout
    nodes, shares, places, turns = sharing
    G, B, K = out
    q, nr = rows.shape
    d, ni = xt.shape[1], F.shape[1]
    p, vectors, each = d - 1, cells.shape[1], vector_weights.shape[1]
    own, nu, rubs = own_weights.shape[1], nr * d, ni > 1
    w, anchor, edges, bends = np.zeros(nr), np.zeros(nr), np.zeros((p, nr)), np.zeros((p, p, nr))
    gradient, by_row = np.zeros((ni, nr, d)), np.zeros((ni, nr, d))
    by_unknown = by_row.reshape(ni, nu)
    f, block = np.zeros(ni), np.zeros((nu, nu))
    room1, room2 = _room(p, nu), _room(p, nu)
    lines = np.zeros((3 + 2 * p + p * p, nu))
    for i in range(q):
        facet = test[0][i]
        for r in range(own):
            w[r] = anchor[r] = own_weights[i, r]
        _weigh(i, facet, cells, vector_weights, own, test, w, edges, bends)
        if rubs:
            for k in range(vectors):
                for e in range(each):
                    anchor[own + (vectors + k) * each + e] = -began_N[i, k] * vector_weights[cells[began[i], k], e]
        _row_gradients(i, test, w, edges, gradient)
        _spread(i, nodes, shares, places, turns, gradient, G)
        if not tangent:
            continue
        pressed = _force_at(i, nodes, shares, turns, F, f)
        if pressed:
            _changes(i, test, w, edges, kind, rows[i], x1, room1)
            block[:] = 0.0
            if _turns(kind, rows[i]):  # maps of directors are others at the test configuration
                _changes(i, test, w, edges, kind, rows[i], xt, room2)
                _bend(i, test, f[0], room2, room1, block)
            else:
                _bend(i, test, f[0], room1, room1, block)
            if rubs:
                _bend_friction(i, test, f, w, edges, bends, kind, rows[i], xt, x1, room1, lines, block)
            _add_block(i, nodes, shares, places, kappa, d, block, K)
        # At the end of the step; the weights of the foot there are others where the test configuration is another.
        _weigh(i, facet, cells, vector_weights, own, end, w, edges, bends)
        lift(end[5][i, 0], w, kind, rows[i], x1, by_unknown[0])
        if rubs:
            _changes(i, end, w, edges, kind, rows[i], x1, room1)
            _slip_gradients(i, end, away[i], anchor, kind, rows[i], x1, room1, lines[0], by_unknown)
        _spread(i, nodes, shares, places, turns, by_row, B)


@kernel
def gather_rows(nodes, shares, rows, real, out, known, places):
    """The rows of each node out of those of its points: fills out (n, width), how many they are, and where each row stands.

    rows, real (q, nr): of the points, and which of them count. False if there is no room.
    """
    known[:] = 0
    for i in range(rows.shape[0]):
        for k in range(nodes.shape[1]):
            if shares[i, k] <= 0.0:
                continue
            node = nodes[i, k]
            for r in range(rows.shape[1]):
                if not real[i, r]:
                    continue
                at = 0
                while at < known[node] and out[node, at] != rows[i, r]:
                    at += 1
                if at == known[node]:
                    if at == out.shape[1]:
                        return False
                    out[node, at] = rows[i, r]
                    known[node] += 1
                places[i, k, r] = at
    return True


@kernel
def _room(p, nu):
    """δu^α, μ_α, ν_α, m_α = e_α·δn, all (p, nu), and the turn ω = e_2·δe_1 of the frame, by unknowns."""
    return np.zeros((p, nu)), np.zeros((p, nu)), np.zeros((p, nu)), np.zeros((p, nu)), np.zeros(nu)


@kernel
def _turns(kind, rows):
    """Is there a director among the rows?"""
    found = False
    for row in rows:
        found = found or kind[row] == DIRECTOR
    return found


@kernel
def _weigh(i, facet, cells, vector_weights, own, foot, w, edges, bends):
    """Weights on the rows of the piece: of w = δp − Σ N δx, of δt_α and of the second derivatives."""
    N, slopes, curves = foot[2][i], foot[3][i], foot[4][i]
    p, each = slopes.shape[0], vector_weights.shape[1]
    at = own
    for k in range(cells.shape[1]):
        for e in range(each):
            weight = vector_weights[cells[facet, k], e]
            w[at] = -N[k] * weight
            for a in range(p):
                edges[a, at] = slopes[a, k] * weight
                if curves.shape[2] > 0:
                    for b in range(p):
                        bends[a, b, at] = curves[a, b, k] * weight
            at += 1


@kernel
def lift(vector, weights, kind, rows, x, out):
    """vector·(Σ weights δx_r) by unknowns."""
    d = vector.size
    for r in range(rows.size):
        row, weight = rows[r], weights[r]
        for a in range(d):
            out[r * d + a] = 0.0
        if weight == 0.0:
            continue
        if kind[row] == FREE:
            for a in range(d):
                out[r * d + a] = weight * vector[a]
        elif kind[row] == DIRECTOR:  # vector·(δθ × y) = δθ·(y × vector)
            y = x[row]
            if d == 2:
                out[r * d] = weight * (vector[1] * y[0] - vector[0] * y[1])
            else:
                out[r * d] = weight * (y[1] * vector[2] - y[2] * vector[1])
                out[r * d + 1] = weight * (y[2] * vector[0] - y[0] * vector[2])
                out[r * d + 2] = weight * (y[0] * vector[1] - y[1] * vector[0])


@kernel
def _dot(a, b):
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@kernel
def _dual(i, foot, b, out):
    """t^β."""
    t, inverse = foot[7][i], foot[9][i]
    for e in range(t.shape[1]):
        out[e] = 0.0
        for a in range(t.shape[0]):
            out[e] += inverse[b, a] * t[a, e]


@kernel
def _turned(i, foot, c):
    """c = e_α·t^β."""
    p, dual = c.shape[0], np.empty(c.shape[0] + 1)
    for b in range(p):
        _dual(i, foot, b, dual)
        for a in range(p):
            c[a, b] = _dot(foot[5][i, 1 + a], dual)


@kernel
def _row_gradients(i, foot, w, edges, out):
    """What works on the normal force, and (if it rubs) on the components of friction, on rows (i, nr, d)."""
    frame, g = foot[5][i], foot[6][i]
    p, nr = edges.shape
    d = p + 1
    for r in range(nr):
        for e in range(d):
            out[0, r, e] = w[r] * frame[0, e]
    if out.shape[0] == 1:
        return
    c = np.empty((p, p))
    _turned(i, foot, c)
    for r in range(nr):
        for a in range(p):
            lever = 0.0
            for b in range(p):
                lever += g * c[a, b] * edges[b, r]
            for e in range(d):
                out[1 + a, r, e] = w[r] * frame[1 + a, e] + lever * frame[0, e]


@kernel
def _spread(i, nodes, shares, places, turns, values, out):
    """Add values of a point (i, nr, d) to those of its nodes; slips are turned into the frames of these."""
    ni, nr, d = values.shape
    for k in range(nodes.shape[1]):
        share = shares[i, k]
        if share == 0.0:
            continue
        there = out[nodes[i, k]]
        for r in range(nr):
            at = places[i, k, r]
            if at < 0:
                continue
            for e in range(d):
                there[0, at, e] += share * values[0, r, e]
                for a in range(1, ni):
                    for b in range(1, ni):
                        there[a, at, e] += share * turns[i, k, a - 1, b - 1] * values[b, r, e]


@kernel
def _force_at(i, nodes, shares, turns, F, f):
    """The force of the nodes at a point, in its own frame; is there one?"""
    f[:] = 0.0
    for k in range(nodes.shape[1]):
        share, of_node = shares[i, k], F[nodes[i, k]]
        f[0] += share * of_node[0]
        for a in range(1, f.size):
            for b in range(1, f.size):
                f[b] += share * turns[i, k, a - 1, b - 1] * of_node[a]
    pressed = False
    for a in range(f.size):
        pressed = pressed or f[a] != 0.0
    return pressed


@kernel
def _changes(i, foot, w, edges, kind, rows, x, room):
    """δu^α, μ_α, ν_α, m_α and the turn of the frame by unknowns, see `_room`."""
    du, mu, nu, m, turn = room
    frame, g, t, curving = foot[5][i], foot[6][i], foot[7][i], foot[8][i]
    p, n = du.shape
    c, S, b = np.empty((p, p)), np.empty((p, p)), np.empty((p, p))
    _turned(i, foot, c)
    for a in range(p):
        lift(frame[0], edges[a], kind, rows, x, nu[a])
        lift(t[a], w, kind, rows, x, du[a])
        for k in range(p):
            b[a, k] = _dot(curving[a, k], frame[0])
            S[a, k] = _dot(t[a], t[k]) - g * b[a, k]
    if p == 1:
        for j in range(n):
            du[0, j] = (du[0, j] + g * nu[0, j]) / S[0, 0]
            mu[0, j] = nu[0, j] + b[0, 0] * du[0, j]
            m[0, j] = -c[0, 0] * mu[0, j]
        return
    det = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
    lift(frame[2], edges[0], kind, rows, x, turn)
    bow0, bow1, length = _dot(curving[0, 0], frame[2]), _dot(curving[0, 1], frame[2]), np.sqrt(_dot(t[0], t[0]))
    for j in range(n):
        y0, y1 = du[0, j] + g * nu[0, j], du[1, j] + g * nu[1, j]
        du[0, j], du[1, j] = (S[1, 1] * y0 - S[0, 1] * y1) / det, (S[0, 0] * y1 - S[1, 0] * y0) / det
        mu[0, j] = nu[0, j] + b[0, 0] * du[0, j] + b[0, 1] * du[1, j]
        mu[1, j] = nu[1, j] + b[1, 0] * du[0, j] + b[1, 1] * du[1, j]
        m[0, j] = -c[0, 0] * mu[0, j] - c[0, 1] * mu[1, j]
        m[1, j] = -c[1, 0] * mu[0, j] - c[1, 1] * mu[1, j]
        turn[j] = (turn[j] + bow0 * du[0, j] + bow1 * du[1, j]) / length


@kernel
def _add_product(scale, left, right, out):
    for a in range(left.size):
        value = scale * left[a]
        if value != 0.0:
            for b in range(right.size):
                out[a, b] += value * right[b]


@kernel
def _bend(i, foot, f, of_test, of_end, block):
    """The change of what works on the normal force f."""
    inverse, g = foot[9][i], foot[6][i]
    dut, mut = of_test[0], of_test[1]
    du1, mu1, nu1 = of_end[0], of_end[1], of_end[2]
    p, n = dut.shape
    other = np.empty(n)
    for a in range(p):
        _add_product(-f, dut[a], nu1[a], block)
        for j in range(n):
            raised = 0.0
            for b in range(p):
                raised += inverse[a, b] * mu1[b, j]
            other[j] = g * raised - du1[a, j]
        _add_product(f, mut[a], other, block)


@kernel
def _bend_friction(i, foot, F, w, edges, bends, kind, rows, xt, x1, of_end, lines, block):
    """Of e_α·w + g c_α^β ν_β: each factor changes in turn."""
    frame, g, curving = foot[5][i], foot[6][i], foot[8][i]
    du1, m1, turn1 = of_end[0], of_end[3], of_end[4]
    p, n = du1.shape
    curved = foot[4].shape[3] > 0
    c, dual = np.empty((p, p)), np.empty(p + 1)
    _turned(i, foot, c)
    gap1, line = lines[0], lines[1]
    of_w, nu = lines[2 : 3 + p], lines[3 + p : 3 + 2 * p]
    along, change = lines[3 + 2 * p : 3 + 2 * p + p * p], np.empty(n)
    edge_change = np.empty((p, p, n))  # t^β·Δt_γ, with the move of the foot
    lift(frame[0], w, kind, rows, x1, gap1)
    for a in range(1 + p):
        lift(frame[a], w, kind, rows, xt, of_w[a])
    for b in range(p):
        lift(frame[0], edges[b], kind, rows, xt, nu[b])
        _dual(i, foot, b, dual)
        for k in range(p):
            lift(frame[1 + k], edges[b], kind, rows, xt, along[k * p + b])
            lift(dual, edges[k], kind, rows, x1, edge_change[b, k])
            for a in range(p):
                bow = _dot(curving[k, a], dual)
                for j in range(n):
                    edge_change[b, k, j] += bow * du1[a, j]
    for a in range(p):
        f, sign = F[1 + a], 1.0 if a == 0 else -1.0
        _add_product(-f, of_w[0], m1[a], block)
        if p == 2:
            _add_product(sign * f, of_w[2 - a], turn1, block)
        for b in range(p):
            _add_product(-f, along[a * p + b], du1[b], block)
            for j in range(n):
                change[j] = gap1[j] * c[a, b]
                for k in range(p):
                    change[j] -= g * c[a, k] * edge_change[b, k, j]
                if p == 2:
                    change[j] += sign * g * c[1 - a, b] * turn1[j]
            _add_product(f, nu[b], change, block)
            for k in range(p):
                _add_product(f * g * c[a, b], along[k * p + b], m1[k], block)
                if curved:
                    lift(frame[0], bends[b, k], kind, rows, xt, line)
                    _add_product(f * g * c[a, b], line, du1[k], block)


@kernel
def _slip_gradients(i, foot, away, anchor, kind, rows, x, room, line, out):
    """δz_α of z = e·away, where δ(away) has the weights `anchor` on rows, by unknowns; into rows 1… of out."""
    frame, m, turn = foot[5][i], room[3], room[4]
    p, n = m.shape
    normal = _dot(frame[0], away)
    for a in range(p):
        lift(frame[1 + a], anchor, kind, rows, x, line)
        across, sign = _dot(frame[2 - a], away) if p == 2 else 0.0, 1.0 if a == 0 else -1.0
        for j in range(n):
            out[1 + a, j] = line[j] - normal * m[a, j] + sign * across * turn[j]


@kernel
def _add_block(i, nodes, shares, places, kappa, d, block, K):
    """Add a block of a point to that of the node with the largest share in it, which has all of its rows."""
    heavy = 0
    for k in range(1, nodes.shape[1]):
        if shares[i, k] > shares[i, heavy]:
            heavy = k
    there, at = K[nodes[i, heavy]], places[i, heavy]
    for r in range(at.size):
        if at[r] < 0:
            continue
        for a in range(d):
            line, own = there[at[r] * d + a], block[r * d + a]
            for s in range(at.size):
                if at[s] >= 0:
                    for b in range(d):
                        line[at[s] * d + b] += kappa * own[s * d + b]
