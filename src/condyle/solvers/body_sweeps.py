"""Contacts of bodies that answer each for itself: Gauss–Seidel on velocities, without the matrix between contacts.

    u = J v + s + c p,   v = v_free + Σ Y_i p_i,   Y = A⁻¹ Jᵀ row by row

A contact reads the velocities of the few unknowns that it acts on, is solved exactly, and changes them. A sweep costs as much
as there are contacts, however many there are on one body. Sweeps are combined (`acceleration.py`): pressure then gets through
tall stacks in tens of them.
"""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.laws.kernel import kernel
from condyle.solvers.acceleration import combine, make_room
from condyle.solvers.gauss_seidel import solve_plane, solve_space

Array = NDArray[np.float64]
Index = NDArray[np.int64]
CHECK = 5  # sweeps between two looks at the residual
STALLED = 100  # sweeps in which the residual must become smaller


class SparseRows(NamedTuple):
    """Rows of a matrix with few entries each (compressed rows)."""

    start: Index  # (m + 1,)
    column: Index
    value: Array


@kernel
def times_rows(start, column, value, v, out):
    """out = J v."""
    for i in range(start.size - 1):
        total = 0.0
        for s in range(start[i], start[i + 1]):
            total += value[s] * v[column[s]]
        out[i] = total


@kernel
def add_rows(start, column, value, p, factor, v):
    """v += factor Σ p_i Y_i."""
    for i in range(start.size - 1):
        if p[i] != 0.0:
            for s in range(start[i], start[i + 1]):
                v[column[s]] += factor * p[i] * value[s]


@kernel
def own_blocks(d, k, js, jc, jv, ys, yc, yv, soft, out):
    """W between the rows of each contact, out (k, d, d): entries of J_a with those of Y_b."""
    for c in range(k):
        for a in range(d):
            i = d * c + a
            for b in range(d):
                out[c, a, b] = _product(js, jc, jv, i, ys, yc, yv, d * c + b)
            out[c, a, a] += soft[i]


@kernel
def _product(js, jc, jv, i, ys, yc, yv, j):
    """J_i · Y_j; columns of both stand in order."""
    s, t, total = js[i], ys[j], 0.0
    while s < js[i + 1] and t < ys[j + 1]:
        if jc[s] == yc[t]:
            total += jv[s] * yv[t]
            s, t = s + 1, t + 1
        elif jc[s] < yc[t]:
            s += 1
        else:
            t += 1
    return total


@kernel
def full_product(js, jc, jv, ys, yc, yv, n, W):
    """W = J Yᵀ as a full matrix (m, m), which is made symmetric."""
    m = js.size - 1
    line = np.zeros(n)
    for i in range(m):
        for s in range(ys[i], ys[i + 1]):
            line[yc[s]] = yv[s]
        for j in range(m):
            total = 0.0
            for s in range(js[j], js[j + 1]):
                total += jv[s] * line[jc[s]]
            W[j, i] = total
        for s in range(ys[i], ys[i + 1]):
            line[yc[s]] = 0.0
    for i in range(m):
        for j in range(i):
            W[i, j] = W[j, i] = 0.5 * (W[i, j] + W[j, i])


@kernel
def diagonals(first, js, jc, jv, ys, yc, yv, soft, out):
    """W_ii of the rows from `first` on."""
    for i in range(first, js.size - 1):
        out[i] = _product(js, jc, jv, i, ys, yc, yv, i) + soft[i]


@kernel
def row_speed(js, jc, jv, v, i):
    total = 0.0
    for s in range(js[i], js[i + 1]):
        total += jv[s] * v[jc[s]]
    return total


@kernel
def _sweep(d, js, jc, jv, ys, yc, yv, W, diagonal, shift, soft, mu, turning, lever, p, v):
    """One sweep over all contacts, in place."""
    k = mu.size
    local, answer, before = np.zeros(3), np.zeros(3), np.zeros(3)
    for c in range(k):
        i = d * c
        normal = row_speed(js, jc, jv, v, i) + shift[i] + soft[i] * p[i]
        if p[i] == 0.0 and normal >= 0.0 and (d == 1 or p[i + 1] == 0.0):
            continue
        local[0] = normal
        for a in range(1, d):
            local[a] = row_speed(js, jc, jv, v, i + a) + shift[i + a] + soft[i + a] * p[i + a]
        for a in range(d):
            before[a] = p[i + a]
        for a in range(d):
            for b in range(d):
                local[a] -= W[c, a, b] * before[b]
        _one(d, W[c], local, mu[c], before, answer)
        for a in range(d):
            p[i + a] = answer[a]
            change = answer[a] - before[a]
            if change != 0.0:
                for s in range(ys[i + a], ys[i + a + 1]):
                    v[yc[s]] += change * yv[s]
    for t in range(lever.size):
        _turn(
            turning[t, 0], turning[t, 1], lever[t] * p[d * turning[t, 2]], js, jc, jv, ys, yc, yv, diagonal, shift, p, v
        )


@kernel
def _one(d, W, local, mu, before, answer):
    """The impulse of one contact, with the others as they are."""
    for a in range(d):
        answer[a] = 0.0
    if local[0] >= 0.0 or W[0, 0] <= 0.0:
        return
    if mu == 0.0:
        answer[0] = -local[0] / W[0, 0]
    elif d == 2:
        solve_plane(W, local, mu, answer)
    else:
        solve_space(W, local, mu, atan2(before[2], before[1]), answer)


@kernel
def _turn(first, count, bound, js, jc, jv, ys, yc, yv, diagonal, shift, p, v):
    """A disk of resistance to turning, by one projection."""
    largest, length = 0.0, 0.0
    for i in range(first, first + count):
        largest = max(largest, diagonal[i])
    if largest <= 0.0:
        return
    trial = np.zeros(3)
    for a in range(count):
        i = first + a
        trial[a] = p[i] - (row_speed(js, jc, jv, v, i) + shift[i]) / largest
        length += trial[a] * trial[a]
    length = sqrt(length)
    scale = bound / length if length > bound else 1.0
    for a in range(count):
        i = first + a
        change = scale * trial[a] - p[i]
        p[i] += change
        if change != 0.0:
            for s in range(ys[i], ys[i + 1]):
                v[yc[s]] += change * yv[s]


@kernel
def residual_of(d, js, jc, jv, W, diagonal, shift, soft, mu, turning, lever, free, p, v):
    """How far p is from Coulomb's law, relative to the impulses at hand, as of `FrictionProblem.residual`."""
    error, size, drive = 0.0, 0.0, 0.0
    trial = np.zeros(3)
    for c in range(mu.size):
        i = d * c
        u = row_speed(js, jc, jv, v, i) + shift[i] + soft[i] * p[i]
        r = 1.0 / W[c, 0, 0] if W[c, 0, 0] > 0.0 else 0.0
        wanted = max(p[i] - r * u, 0.0)
        error += (p[i] - wanted) ** 2
        size += p[i] * p[i]
        drive += (r * free[i]) ** 2
        if mu[c] == 0.0:
            continue
        most = 0.0
        for a in range(1, d):
            most = max(most, W[c, a, a])
        r, length = (1.0 / most if most > 0.0 else 0.0), 0.0
        for a in range(1, d):
            u = row_speed(js, jc, jv, v, i + a) + shift[i + a] + soft[i + a] * p[i + a]
            trial[a - 1] = p[i + a] - r * u
            length += trial[a - 1] * trial[a - 1]
            size += p[i + a] ** 2
            drive += (r * free[i + a]) ** 2
        length, bound = sqrt(length), mu[c] * max(p[i], 0.0)
        scale = bound / length if length > bound else 1.0
        for a in range(1, d):
            error += (p[i + a] - scale * trial[a - 1]) ** 2
    for t in range(lever.size):
        first, count = turning[t, 0], turning[t, 1]
        most, length = 0.0, 0.0
        for i in range(first, first + count):
            most = max(most, diagonal[i])
        r = 1.0 / most if most > 0.0 else 0.0
        for a in range(count):
            i = first + a
            trial[a] = p[i] - r * (row_speed(js, jc, jv, v, i) + shift[i])
            length += trial[a] * trial[a]
        length, bound = sqrt(length), lever[t] * max(p[d * turning[t, 2]], 0.0)
        scale = bound / length if length > bound else 1.0
        for a in range(count):
            error += (p[first + a] - scale * trial[a]) ** 2
            size += p[first + a] ** 2
    level = max(size, drive)
    return sqrt(error / level) if level > 0.0 else 0.0


@kernel
def sweep_bodies(d, js, jc, jv, ys, yc, yv, W, diagonal, shift, soft, mu, turning, lever, free, p, v, tolerance, most):
    """Sweeps from p, in place, with v = v_free + Σ Y p on entry and on return; how many, and the residual that is left.

    free: u without impulses (m,).
    """
    m, n = p.size, v.size
    residual = residual_of(d, js, jc, jv, W, diagonal, shift, soft, mu, turning, lever, free, p, v)
    if residual <= tolerance:
        return 0, residual
    alone = v.copy()
    add_rows(ys, yc, yv, p, -1.0, alone)
    best, lately, kept, count = residual, residual, p.copy(), 0
    room = make_room(m, n)
    before = room[0]
    while count < most:
        count += 1
        for i in range(m):
            before[i] = p[i]
        _sweep(d, js, jc, jv, ys, yc, yv, W, diagonal, shift, soft, mu, turning, lever, p, v)
        size = 0.0
        for i in range(m):
            size += (p[i] - before[i]) ** 2
        if count % CHECK == 0 or count == most or size == 0.0:
            residual = residual_of(d, js, jc, jv, W, diagonal, shift, soft, mu, turning, lever, free, p, v)
            if residual < best:
                best = residual
                for i in range(m):
                    kept[i] = p[i]
            if residual <= tolerance or size == 0.0:
                break
            if count % STALLED == 0:
                if best > 0.9 * lately:
                    break
                lately = best
        combine(room, size, p, v)
    for i in range(m):
        p[i] = kept[i]
    for i in range(n):
        v[i] = alone[i]
    add_rows(ys, yc, yv, p, 1.0, v)
    return count, best
