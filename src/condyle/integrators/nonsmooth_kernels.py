"""Kernels of steps at the level of velocities: islands of the matrix, rows of contacts in unknowns, rates of rows."""

import numpy as np

from condyle.laws.dense import exchange_rows, pivot_row
from condyle.laws.kernel import kernel
from condyle.system.tables import DIRECTOR, FREE


@kernel
def invert(indptr, indices, A, order, start, place, small, block, inverse):
    """Inverses of all small islands, by elimination with pivots; an unknown that cannot be solved for, or −1."""
    most = 1
    for k in range(small.size):
        if small[k]:
            most = max(most, start[k + 1] - start[k])
    D, swap = np.zeros((most, most)), np.zeros(most, dtype=np.int64)
    for k in range(small.size):
        if not small[k]:
            continue
        n = start[k + 1] - start[k]
        size = 0.0
        for i in range(n):
            for j in range(n):
                D[i, j] = 0.0
            row = order[start[k] + i]
            for s in range(indptr[row], indptr[row + 1]):
                D[i, place[indices[s]]] = A[s]
                size = max(size, abs(A[s]))
        for c in range(n):
            swap[c] = pivot_row(n, D, c)
            if not abs(D[swap[c], c]) > 1e-300 * size:
                return order[start[k] + c]
            exchange_rows(n, D, c, swap[c])
            one = 1.0 / D[c, c]
            D[c, c] = 1.0
            for j in range(n):
                D[c, j] *= one
            for i in range(n):
                if i != c and D[i, c] != 0.0:
                    f = D[i, c]
                    D[i, c] = 0.0
                    for j in range(n):
                        D[i, j] -= f * D[c, j]
        for back in range(n):
            c = n - 1 - back
            if swap[c] != c:
                for i in range(n):
                    D[i, c], D[i, swap[c]] = D[i, swap[c]], D[i, c]
        for i in range(n):
            for j in range(n):
                inverse[block[k] + n * i + j] = D[i, j]
    return -1


@kernel
def solve_islands(b, order, start, small, block, inverse, out):
    """out = A⁻¹ b of all small islands."""
    for k in range(small.size):
        if small[k]:
            n = start[k + 1] - start[k]
            for i in range(n):
                total = 0.0
                for j in range(n):
                    total += inverse[block[k] + n * i + j] * b[order[start[k] + j]]
                out[order[start[k] + i]] = total


@kernel
def count_answers(start, column, of, island):
    """Where the answer of each row of J begins (m + 1,): it has all unknowns of the islands that the row acts on."""
    m = start.size - 1
    out = np.zeros(m + 1, dtype=np.int64)
    for i in range(m):
        total = 0
        for s in range(start[i], start[i + 1]):
            k, first = of[column[s]], True
            for t in range(start[i], s):
                if of[column[t]] == k:
                    first = False
                    break
            if first:
                total += island[k + 1] - island[k]
        out[i + 1] = out[i] + total
    return out


@kernel
def fill_answers(start, column, value, of, order, island, place, small, block, inverse, factor, ys, yc, yv):
    """Columns of all answers, in order, and the values of those of small islands; the others are 0."""
    for i in range(start.size - 1):
        at, s, in_order = ys[i], start[i], True
        while s < start[i + 1]:  # entries of an island stand one after the other, or are gathered by the first of them
            k, last, again = of[column[s]], s, False
            while last < start[i + 1] and of[column[last]] == k:
                last += 1
            for t in range(start[i], s):
                again = again or of[column[t]] == k
            if not again:
                more = False
                for t in range(last, start[i + 1]):
                    more = more or of[column[t]] == k
                n, b = island[k + 1] - island[k], block[k]
                for j in range(n):
                    total = 0.0
                    if small[k]:
                        for t in range(s, start[i + 1] if more else last):
                            if of[column[t]] == k:
                                total += inverse[b + n * j + place[column[t]]] * value[t]
                    yc[at], yv[at] = order[island[k] + j], factor * total
                    in_order = in_order and (at == ys[i] or yc[at] > yc[at - 1])
                    at += 1
            s = last
        if not in_order:
            _sort(yc, yv, ys[i], at)


@kernel
def _sort(column, value, first, last):
    """Entries of a row by their columns; they nearly are."""
    for i in range(first + 1, last):
        c, x, j = column[i], value[i], i - 1
        while j >= first and column[j] > c:
            column[j + 1], value[j + 1] = column[j], value[j]
            j -= 1
        column[j + 1], value[j + 1] = c, x


@kernel
def convert(kind, unknown, x, v, rows, gradients, start, column, value, drive):
    """`in_unknowns`, in order of the unknowns; returns the number of entries."""
    k, na, nr, d = gradients.shape
    base, used = np.empty(nr, dtype=np.int64), 0
    total = np.zeros((nr, na, 3))
    turns = 1 if d == 2 else 3
    for i in range(k):
        blocks = 0
        for r in range(nr):
            row = rows[i, r]
            if kind[row] != FREE and kind[row] != DIRECTOR:
                for a in range(na):
                    for b in range(d):
                        drive[na * i + a] += gradients[i, a, r, b] * v[row, b]
                continue
            nothing = True
            for a in range(na):
                for b in range(d):
                    nothing = nothing and gradients[i, a, r, b] == 0.0
            if nothing:
                continue
            at = -1
            for j in range(blocks):
                if base[j] == unknown[row]:
                    at = j
            if at < 0:
                at = blocks
                blocks += 1
                while at > 0 and base[at - 1] > unknown[row]:
                    base[at] = base[at - 1]
                    for a in range(na):
                        for b in range(3):
                            total[at, a, b] = total[at - 1, a, b]
                    at -= 1
                base[at] = unknown[row]
                for a in range(na):
                    for b in range(3):
                        total[at, a, b] = 0.0
            for a in range(na):
                g = gradients[i, a, r]
                if kind[row] == FREE:
                    for b in range(d):
                        total[at, a, b] += g[b]
                elif d == 2:
                    total[at, a, 0] += x[row, 0] * g[1] - x[row, 1] * g[0]
                else:
                    total[at, a, 0] += x[row, 1] * g[2] - x[row, 2] * g[1]
                    total[at, a, 1] += x[row, 2] * g[0] - x[row, 0] * g[2]
                    total[at, a, 2] += x[row, 0] * g[1] - x[row, 1] * g[0]
        for a in range(na):
            for j in range(blocks):
                # A block of d unknowns moves a place, one of `turns` unknowns turns directors.
                width = d
                if d == 2:
                    width = 1
                    for r in range(nr):
                        if unknown[rows[i, r]] == base[j] and kind[rows[i, r]] == FREE:
                            width = 2
                for b in range(max(width, turns) if d == 3 else width):
                    column[used], value[used] = base[j] + b, total[j, a, b]
                    used += 1
            start[na * i + a + 1] = used
    return used


@kernel
def rates_of(rows, gradients, v, out):
    """Rates (k, a) of the rows of J with velocities v of the rows of the state."""
    k, na, nr, d = gradients.shape
    for i in range(k):
        for a in range(na):
            total = 0.0
            for r in range(nr):
                for b in range(d):
                    total += gradients[i, a, r, b] * v[rows[i, r], b]
            out[i, a] = total


@kernel
def unknown_velocities(rows, x, v, out):
    """Rates of the unknowns (n,) from those of the rows: ṙ, and ω = ½ Σ d × ḋ."""
    d = x.shape[1]
    for row in range(x.shape[0]):
        if rows.kind[row] == FREE:
            for a in range(d):
                out[rows.unknown[row] + a] = v[row, a]
    for body in range(rows.bodies.shape[0]):
        u = rows.unknown[rows.bodies[body, 0]]
        for k in range(d):
            y, w = x[rows.bodies[body, k]], v[rows.bodies[body, k]]
            if d == 3:
                out[u] += 0.5 * (y[1] * w[2] - y[2] * w[1])
                out[u + 1] += 0.5 * (y[2] * w[0] - y[0] * w[2])
                out[u + 2] += 0.5 * (y[0] * w[1] - y[1] * w[0])
            else:
                out[u] += 0.5 * (y[0] * w[1] - y[1] * w[0])


@kernel
def fastest_place(rows, rate):
    """The largest rate of an unknown of a place [m/s]."""
    out, d = 0.0, rows.bodies.shape[1]
    for row in range(rows.kind.size):
        if rows.kind[row] == FREE:
            for a in range(d):
                out = max(out, abs(rate[rows.unknown[row] + a]))
    return out


@kernel
def turned(rows, omega, y, out):
    """ω × y of the directors of all bodies, in place; omega (nb, 3)."""
    d = y.shape[1]
    for body in range(rows.bodies.shape[0]):
        w = omega[body]
        for k in range(d):
            row = rows.bodies[body, k]
            if d == 3:
                out[row, 0] = w[1] * y[row, 2] - w[2] * y[row, 1]
                out[row, 1] = w[2] * y[row, 0] - w[0] * y[row, 2]
                out[row, 2] = w[0] * y[row, 1] - w[1] * y[row, 0]
            else:
                out[row, 0], out[row, 1] = -w[2] * y[row, 1], w[2] * y[row, 0]
