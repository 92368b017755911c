"""Newton's method for all contacts at once, on the velocities of bodies: what sweeps have begun, ended in a few iterations.

    δp = a − D J δv,   (A + Jᵀ D J) δv = Jᵀ a

a and D are those of Coulomb's law, linearised at the impulses at hand (alart-1991): points that hold have D = ρ, stiff enough
that one iteration closes them but for round-off, and never so stiff that points which hold more than can move would matter. The
matrix has a block for each body and for each two that touch; it is eliminated in an order of least degree.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from condyle.laws.kernel import kernel
from condyle.solvers.body_sweeps import add_rows, residual_of, row_speed, sweep_bodies

STIFF = 1e7  # ρ, times 1/W of the row
MOST_WORK = 500_000  # multiplications of an elimination: where more are needed, as in a pile, sweeps go on alone
MOST_BODIES = 300
BURST, LONGEST = 20, 100  # sweeps before Newton's method is tried, the first time and at most
NEWTON, NEARER = 12, 0.1  # its iterations each time, and the part of the tolerance that it goes for
PATIENCE = 5  # iterations that may pass until one is better than the best: what closes and slips must be found first
ROUNDS = 2  # of both, in which the residual may stay above half of what it was; then sweeps go on alone


@kernel
def solve_bodies(
    d, js, jc, jv, ys, yc, yv, W, diagonal, shift, soft, mu, turning, lever, free,
    indptr, indices, A, scale, of, order_of, start, place, p, v, tolerance, most, finish,
):  # fmt: skip
    """Sweeps and, if `finish`, Newton's method in turn, in place as both; sweeps, iterations and residual."""
    count, ends, error, burst, stalled, alone = 0, 0, 1e300, BURST, 0, not finish
    while count < most:
        done, left = sweep_bodies(
            d, js, jc, jv, ys, yc, yv, W, diagonal, shift, soft, mu, turning, lever, free, p, v, tolerance,
            most - count if alone else min(burst, most - count),
        )  # fmt: skip
        count += done
        if left > tolerance and not alone:
            more, left = newton_bodies(
                d, js, jc, jv, ys, yc, yv, W, diagonal, shift, soft, mu, turning, lever, free, indptr, indices, A, scale, of,
                order_of, start, place, p, v, NEARER * tolerance, NEWTON,
            )  # fmt: skip
            stalled = 0 if left < 0.5 * error else stalled + 1
            alone = more == 0 or stalled == ROUNDS
            ends += more
        error = left
        if left <= tolerance or done == 0:
            break
        burst = min(2 * burst, LONGEST)
    return count, ends, error


@kernel
def bodies_that_touch(js, jc, of, node):
    """Number the islands that rows act on, node (islands,), −1 of others; how many there are."""
    count = 0
    for k in range(node.size):
        node[k] = -1
    for s in range(js[js.size - 1]):
        k = of[jc[s]]
        if node[k] < 0:
            node[k] = count
            count += 1
    return count


@kernel
def plan(d, js, jc, of, node, width, turning, order, at):
    """Which blocks the elimination has, and in which order: at (n, n) is where a block begins, −1 without one.

    width: unknowns of each node (n,). Returns the room that blocks need and the multiplications, or −1 of these if too many.
    """
    n = order.size
    m = js.size - 1
    for i in range(n):
        for j in range(n):
            at[i, j] = 0 if i == j else -1
    first = m - _rows_of(turning)
    i = 0
    while i < m:
        last = i + d if i < first else i + 1
        for s in range(js[i], js[last]):  # columns of the rows of a point are the same
            for t in range(js[i], js[i + 1]):
                a, b = node[of[jc[s]]], node[of[jc[t]]]
                at[a, b] = at[b, a] = 0
        i = last
    for t in range(turning.shape[0]):
        normal = d * turning[t, 2]
        for i in range(turning[t, 0], turning[t, 0] + turning[t, 1]):
            for s in range(js[i], js[i + 1]):
                for r in range(js[normal], js[normal + 1]):
                    a, b = node[of[jc[s]]], node[of[jc[r]]]
                    at[a, b] = at[b, a] = 0
    degree, done, near = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_), np.empty(n, dtype=np.int64)
    for i in range(n):
        for j in range(n):
            if at[i, j] == 0 and i != j:
                degree[i] += 1
    room, work = 0, 0
    for s in range(n):
        k = -1
        for i in range(n):
            if not done[i] and (k < 0 or degree[i] < degree[k]):
                k = i
        order[s], done[k], count = k, True, 0
        for i in range(n):
            if not done[i] and at[k, i] == 0:
                near[count] = i
                count += 1
        work += width[k] ** 3
        for p in range(count):
            i = near[p]
            degree[i] -= 1
            for q in range(count):
                j = near[q]
                work += width[i] * width[k] * width[j]
                if at[i, j] < 0:
                    at[i, j] = 0
                    degree[i] += 1
        if work > MOST_WORK:
            return 0, -1
    for i in range(n):
        for j in range(n):
            if at[i, j] == 0:
                at[i, j] = room
                room += width[i] * width[j]
    return room, work


@kernel
def _rows_of(turning):
    total = 0
    for t in range(turning.shape[0]):
        total += turning[t, 1]
    return total


@kernel
def _add(js, jc, jv, i, j, value, of, place, node, width, at, K):
    """K += value J_iᵀ J_j."""
    for s in range(js[i], js[i + 1]):
        a, row = node[of[jc[s]]], place[jc[s]]
        scaled = value * jv[s]
        for t in range(js[j], js[j + 1]):
            b = node[of[jc[t]]]
            K[at[a, b] + row * width[b] + place[jc[t]]] += scaled * jv[t]


@kernel
def _disk(first, count, normal, mu, r, rho, shut, u, p, a, D):
    """a and D of a disk of friction: rows first … first + count; D (count, 4): with the normal, then with each other.

    Sticks: δp = −ρ (u + δu). Slips, with y = p − r u, e = y/|y|, κ = μ p_n/|y|: along e δp = −F + μ δp_n, across
    (1 − κ) δp = −F − κ r δu, F = p − μ p_n e.
    """
    length, bound = 0.0, mu * max(p[normal], 0.0)
    for k in range(count):
        i = first + k
        for j in range(4):
            D[k, j] = 0.0
        a[i] = p[i] - r * u[i]  # y for now
        length += a[i] * a[i]
    length = sqrt(length)
    if not shut or bound == 0.0:
        for k in range(count):
            a[first + k] = -p[first + k]
        return
    if length <= bound:
        for k in range(count):
            i = first + k
            a[i] = -rho[k] * u[i]
            D[k, 1 + k] = rho[k]
        return
    kappa = bound / length
    missed = 0.0
    for k in range(count):
        missed += (a[first + k] / length) * (p[first + k] - bound * a[first + k] / length)
    across = 1.0 / max(1.0 - kappa, 1e-7)
    for k in range(count):
        D[k, 0] = mu * a[first + k] / length  # μ e, for the normal
    for k in range(count):
        e = D[k, 0] / mu
        F = p[first + k] - bound * e
        a[first + k] = -e * missed - across * (F - e * missed)
        for j in range(count):
            D[k, 1 + j] = across * kappa * r * ((1.0 if j == k else 0.0) - e * D[j, 0] / mu)


@kernel
def newton_bodies(
    d, js, jc, jv, ys, yc, yv, W, diagonal, shift, soft, mu, turning, lever, free,
    indptr, indices, A, scale, of, order_of, start, place, p, v, tolerance, most,
):  # fmt: skip
    """Newton's method from p, in place, with v = v_free + Σ Y p on entry and on return; iterations and residual.

    A: matrix of the step in compressed rows, scale · A answers impulses by velocities; of, order_of, start, place: its islands.
    Nothing is done where an elimination would be too much work (iterations 0).
    """
    m, nodes = p.size, np.empty(start.size - 1, dtype=np.int64)
    error = residual_of(d, js, jc, jv, W, diagonal, shift, soft, mu, turning, lever, free, p, v)
    n = bodies_that_touch(js, jc, of, nodes)
    if n == 0 or n > MOST_BODIES:
        return 0, error
    width, first = np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    for k in range(nodes.size):
        if nodes[k] >= 0:
            width[nodes[k]] = start[k + 1] - start[k]
    for k in range(n):
        first[k + 1] = first[k] + width[k]
    order, at = np.empty(n, dtype=np.int64), np.empty((n, n), dtype=np.int64)
    room, work = plan(d, js, jc, of, nodes, width, turning, order, at)
    if work < 0:
        return 0, error
    K, rhs, swap = np.empty(room), np.empty(first[n]), np.empty(2 * width.max(), dtype=np.int64)
    u, a, dp, kept, waits = np.empty(m), np.empty(m), np.empty(m), p.copy(), 0
    D, rho, cross = np.zeros((3, 4)), np.zeros(3), np.empty((m, 4))
    alone = v.copy()
    add_rows(ys, yc, yv, p, -1.0, alone)
    shut, count = np.zeros(mu.size, dtype=np.bool_), 0
    while count < most and error > tolerance:
        for i in range(m):
            u[i] = row_speed(js, jc, jv, v, i) + shift[i] + soft[i] * p[i]
        linearised(d, W, diagonal, soft, mu, turning, lever, u, p, a, cross, shut, D, rho)
        _assemble(
            d, js, jc, jv, a, cross, shut, turning, indptr, indices, A, scale, of, order_of, start, place, nodes, width, first,
            at, K, rhs,
        )  # fmt: skip
        if not eliminate(order, width, first, at, K, rhs, swap):
            break
        count += 1
        _changes(d, js, jc, jv, a, cross, shut, turning, of, place, nodes, first, rhs, dp)
        for i in range(m):
            p[i] += dp[i]
        add_rows(ys, yc, yv, dp, 1.0, v)
        left = residual_of(d, js, jc, jv, W, diagonal, shift, soft, mu, turning, lever, free, p, v)
        if not np.isfinite(left):
            break
        waits = 0 if left < 0.5 * error else waits + 1
        if left < error:
            error = left
            for i in range(m):
                kept[i] = p[i]
        if waits == PATIENCE:
            break
    for i in range(m):
        p[i] = kept[i]
    into_cones(d, mu, turning, lever, p)
    for i in range(v.size):
        v[i] = alone[i]
    add_rows(ys, yc, yv, p, 1.0, v)
    return count, residual_of(d, js, jc, jv, W, diagonal, shift, soft, mu, turning, lever, free, p, v)


@kernel
def into_cones(d, mu, turning, lever, p):
    """What is outside a cone by round-off, or by what is left of the residual, is taken back."""
    for c in range(mu.size):
        p[d * c] = max(p[d * c], 0.0)
        _into_disk(d * c + 1, d - 1, mu[c] * p[d * c], p)
    for t in range(lever.size):
        _into_disk(turning[t, 0], turning[t, 1], lever[t] * p[d * turning[t, 2]], p)


@kernel
def _into_disk(first, count, bound, p):
    length = 0.0
    for i in range(first, first + count):
        length += p[i] * p[i]
    length = sqrt(length)
    if length > bound:
        for i in range(first, first + count):
            p[i] *= bound / length


@kernel
def linearised(d, W, diagonal, soft, mu, turning, lever, u, p, a, cross, shut, D, rho):
    """a (m,), and D by rows, cross (m, 4): of the normal, then of the rows of the disk."""
    for c in range(mu.size):
        i, w = d * c, W[c, 0, 0]
        r = 1.0 / w if w > 0.0 else 0.0
        shut[c] = p[i] - r * u[i] > 0.0
        cross[i, 1] = cross[i, 2] = cross[i, 3] = 0.0
        if shut[c]:
            hold = 1.0 / (soft[i] + w / STIFF)
            a[i], cross[i, 0] = -hold * u[i], hold
        else:
            a[i], cross[i, 0] = -p[i], 0.0
        if d == 1:
            continue
        most = 0.0
        for b in range(1, d):
            most = max(most, W[c, b, b])
        for b in range(1, d):
            rho[b - 1] = 1.0 / (soft[i + b] + most / STIFF) if most > 0.0 else 0.0
        _disk(i + 1, d - 1, i, mu[c], 1.0 / most if most > 0.0 else 0.0, rho, shut[c], u, p, a, D)
        for b in range(1, d):
            for j in range(4):
                cross[i + b, j] = D[b - 1, j]
    for t in range(lever.size):
        i, count, c = turning[t, 0], turning[t, 1], turning[t, 2]
        most = 0.0
        for b in range(count):
            most = max(most, diagonal[i + b])
        for b in range(count):
            rho[b] = STIFF / most if most > 0.0 else 0.0
        _disk(i, count, d * c, lever[t], 1.0 / most if most > 0.0 else 0.0, rho, shut[c], u, p, a, D)
        for b in range(count):
            for j in range(4):
                cross[i + b, j] = D[b, j]


@kernel
def _assemble(
    d, js, jc, jv, a, cross, shut, turning, indptr, indices, A, scale, of, order_of, start, place, nodes, width, first, at, K,
    rhs,
):  # fmt: skip
    """K = scale A + Jᵀ D J and its right side Jᵀ a; a of disks that slip gets what the normal adds to it."""
    K[:] = 0.0
    rhs[:] = 0.0
    for k in range(nodes.size):
        if nodes[k] >= 0:
            b = nodes[k]
            for row in range(width[b]):
                i = order_of[start[k] + row]
                for s in range(indptr[i], indptr[i + 1]):
                    K[at[b, b] + row * width[b] + place[indices[s]]] = scale * A[s]
    for c in range(shut.size):
        if shut[c]:
            _add(js, jc, jv, d * c, d * c, cross[d * c, 0], of, place, nodes, width, at, K)
            _add_disk(js, jc, jv, d * c + 1, d - 1, d * c, a, cross, of, place, nodes, width, at, K)
    for t in range(turning.shape[0]):
        c = turning[t, 2]
        if shut[c]:
            _add_disk(js, jc, jv, turning[t, 0], turning[t, 1], d * c, a, cross, of, place, nodes, width, at, K)
    for i in range(a.size):
        if a[i] != 0.0:
            for s in range(js[i], js[i + 1]):
                rhs[first[nodes[of[jc[s]]]] + place[jc[s]]] += a[i] * jv[s]


@kernel
def _add_disk(js, jc, jv, first, count, normal, a, cross, of, place, nodes, width, at, K):
    for k in range(count):
        i = first + k
        if cross[i, 0] != 0.0:
            a[i] += cross[i, 0] * a[normal]
            _add(js, jc, jv, i, normal, cross[i, 0] * cross[normal, 0], of, place, nodes, width, at, K)
        for j in range(count):
            if cross[i, 1 + j] != 0.0:
                _add(js, jc, jv, i, first + j, cross[i, 1 + j], of, place, nodes, width, at, K)


@kernel
def _changes(d, js, jc, jv, a, cross, shut, turning, of, place, nodes, first, dv, dp):
    """δp = a − D J δv, δv by nodes; a of disks has what the normal adds already."""
    for i in range(a.size):
        total = 0.0
        for s in range(js[i], js[i + 1]):
            total += jv[s] * dv[first[nodes[of[jc[s]]]] + place[jc[s]]]
        dp[i] = total  # J δv for now
    _answer(d, a, cross, shut, turning, dp)


@kernel
def resolve_changes(d, js, jc, jv, a, cross, shut, turning, dv, dp):
    """The same, δv by unknowns."""
    for i in range(a.size):
        dp[i] = row_speed(js, jc, jv, dv, i)
    _answer(d, a, cross, shut, turning, dp)


@kernel
def _answer(d, a, cross, shut, turning, dp):
    k = shut.size
    for t in range(turning.shape[0] - 1, -1, -1):
        _change_disk(turning[t, 0], turning[t, 1], d * turning[t, 2], a, cross, dp)
    for c in range(k - 1, -1, -1):
        if d > 1:
            _change_disk(d * c + 1, d - 1, d * c, a, cross, dp)
        dp[d * c] = a[d * c] - cross[d * c, 0] * dp[d * c]


@kernel
def _change_disk(first, count, normal, a, cross, dp):
    s0, s1, s2 = dp[first], 0.0, 0.0
    if count > 1:
        s1 = dp[first + 1]
    if count > 2:
        s2 = dp[first + 2]
    for k in range(count):
        i = first + k
        dp[i] = (
            a[i] - cross[i, 0] * cross[normal, 0] * dp[normal] - cross[i, 1] * s0 - cross[i, 2] * s1 - cross[i, 3] * s2
        )


@kernel
def eliminate(order, width, first, at, K, b, swap):
    """b = K⁻¹ b by elimination in blocks; False if a block is singular."""
    n = order.size
    later, near = np.ones(n, dtype=np.bool_), np.empty(n, dtype=np.int64)
    most = 0
    for k in range(n):
        most = max(most, width[k])
    row = np.empty(most)
    for s in range(n):
        k = order[s]
        later[k] = False
        nk, kk = width[k], at[k, k]
        if not invert_block(K, kk, nk, swap):
            return False
        count = 0
        for i in range(n):
            if later[i] and at[k, i] >= 0:
                near[count] = i
                count += 1
        for p in range(count):
            i = near[p]
            ni, ik = width[i], at[i, k]
            for r in range(ni):  # L = K_ik K_kk⁻¹, in place
                for c in range(nk):
                    total = 0.0
                    for t in range(nk):
                        total += K[ik + r * nk + t] * K[kk + t * nk + c]
                    row[c] = total
                for c in range(nk):
                    K[ik + r * nk + c] = row[c]
                total = 0.0
                for c in range(nk):
                    total += row[c] * b[first[k] + c]
                b[first[i] + r] -= total
            for q in range(count):
                j = near[q]
                nj, kj, ij = width[j], at[k, j], at[i, j]
                for r in range(ni):
                    for t in range(nk):
                        f = K[ik + r * nk + t]
                        for c in range(nj):
                            K[ij + r * nj + c] -= f * K[kj + t * nj + c]
    for back in range(n):
        k = order[n - 1 - back]
        nk, kk = width[k], at[k, k]
        for j in range(n):
            if later[j] and at[k, j] >= 0:
                nj, kj = width[j], at[k, j]
                for r in range(nk):
                    total = 0.0
                    for c in range(nj):
                        total += K[kj + r * nj + c] * b[first[j] + c]
                    b[first[k] + r] -= total
        for r in range(nk):
            total = 0.0
            for c in range(nk):
                total += K[kk + r * nk + c] * b[first[k] + c]
            row[r] = total
        for r in range(nk):
            b[first[k] + r] = row[r]
        later[k] = True
    return True


@kernel
def invert_block(K, first, n, swap):
    """The inverse of a block in place, with exchange of rows; False if it is singular."""
    for c in range(n):
        pivot = c
        for i in range(c + 1, n):
            if abs(K[first + i * n + c]) > abs(K[first + pivot * n + c]):
                pivot = i
        swap[c] = pivot
        found = K[first + pivot * n + c]
        if not abs(found) > 1e-300:
            return False
        if pivot != c:
            for j in range(n):
                x, y = K[first + c * n + j], K[first + pivot * n + j]
                K[first + c * n + j], K[first + pivot * n + j] = y, x
        one = 1.0 / found
        K[first + c * n + c] = 1.0
        for j in range(n):
            K[first + c * n + j] *= one
        for i in range(n):
            f = K[first + i * n + c]
            if i != c and f != 0.0:
                K[first + i * n + c] = 0.0
                for j in range(n):
                    K[first + i * n + j] -= f * K[first + c * n + j]
    for back in range(n):
        c = n - 1 - back
        if swap[c] != c:
            for i in range(n):
                x, y = K[first + i * n + c], K[first + i * n + swap[c]]
                K[first + i * n + c], K[first + i * n + swap[c]] = y, x
    return True
