"""Drifts and kicks of asynchronous steps in compiled code; apart from the method, as kernels depend on all that is imported.

Elements are stored energies, then links, then constraints; the latter two are ½ k c² with a stiffness k each. The next one to
act stands on top of a heap; of several at one instant the first in number.
"""

# Kernels are compiled for the types that they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Integers, Numbers, table
from condyle.laws.gram import gram_law
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.compliant import add_strains
from condyle.system.assembly.places import family, gather, gram, most_of
from condyle.system.signatures import WHOLE_SYSTEM, count, f2, f3


@table
class Inverse(NamedTuple):
    """The inverse of the mass matrix, row by row."""

    start: Integers  # (n + 1,)
    row: Integers  # (entries,)
    value: Numbers  # [1/kg]


@kernel
def run_events(whole, inverse, stiffness, steps, times, weight, t, end, x, v, impulse):
    """From t to `end`: drifts and kicks in the order of their times; returns how many elements acted.

    stiffness, steps, times: of all elements. impulse (m,) [N s]: that of each constraint is added to it.
    """
    n, d = x.shape
    q, held, acted = np.zeros((2, n, d)), np.zeros(impulse.size), 0
    rows, room = np.zeros(n, dtype=np.int64), element_room(whole, d)
    heap, there = np.arange(times.size), np.full(n, t)  # there: the instant that each row is at
    for k in range(times.size // 2 - 1, -1, -1):
        _sink(heap, times, k)
    while times.size and times[heap[0]] < end:
        k = heap[0]
        for r in range(_rows_of_element(whole, k, rows)):
            for e in range(inverse.start[rows[r]], inverse.start[rows[r] + 1]):
                _drift(inverse.row[e], times[k], there, weight, x, v)
        _kick(whole, k, inverse, stiffness[k], steps[k], x, q, held, rows, room, v, impulse)
        times[k] += steps[k]
        _sink(heap, times, 0)
        acted += 1
    for i in range(n):
        _drift(i, end, there, weight, x, v)
    return acted


@kernel
def _drift(i, t, there, weight, x, v):
    """Row i moves on to t, as a stone that is thrown."""
    dt = t - there[i]
    if dt > 0.0:
        for a in range(x.shape[1]):
            x[i, a] += dt * (v[i, a] + 0.5 * dt * weight[i, a])
            v[i, a] += dt * weight[i, a]
        there[i] = t


@kernel
def _sink(heap, times, at):
    """Move the element at a place of the heap down until none below it acts earlier."""
    while True:
        low, left = at, 2 * at + 1
        for other in range(left, min(left + 2, heap.size)):
            a, b = heap[other], heap[low]
            if times[a] < times[b] or (times[a] == times[b] and a < b):
                low = other
        if low == at:
            return
        heap[at], heap[low] = heap[low], heap[at]
        at = low


@kernel
def kick_all(whole, inverse, stiffness, durations, x, v):
    """Impulses of all elements at x, each over a duration of its own [s]."""
    m = 0
    for k in range(whole.laws.channel.size):
        m = max(m, whole.laws.channel[k] + x.shape[1])
    q, held, impulse = np.zeros((2, *x.shape)), np.zeros(m), np.zeros(m)
    rows, room = np.zeros(x.shape[0], dtype=np.int64), element_room(whole, x.shape[1])
    for k in range(durations.size):
        _kick(whole, k, inverse, stiffness[k], durations[k], x, q, held, rows, room, v, impulse)


@kernel
def element_room(whole, d):
    """Arrays to evaluate constraints in."""
    most, _ = most_of(family(whole.laws, whole.spans, 3))
    return np.zeros((most, d)), np.zeros((most, most)), np.zeros((most, most)), np.zeros((most, most, most, most))


@kernel
def stiffness_of(whole, number, x, away, q, held, rows, room, K):
    """∂²V/∂x∂x of one element, a penalty having the stiffness 1, by differences [m] into K; returns the number of its rows.

    Where its constraint is met, that of a penalty is the square of its gradient. q, held, rows, room: as of `slope`.
    """
    d = x.shape[1]
    many, _, _ = slope(whole, number, 1.0, x, q, held, rows, room)
    for column in range(many * d):
        i, b = rows[column // d], column % d
        there = x[i, b]
        for line in range(many * d):
            K[line, column] = 0.0
        for sign in (1.0, -1.0):
            for r in range(many):
                for a in range(d):
                    q[0, rows[r], a] = 0.0
            x[i, b] = there + sign * away
            slope(whole, number, 1.0, x, q, held, rows, room)
            for r in range(many):
                for a in range(d):
                    K[r * d + a, column] += sign * q[0, rows[r], a] / (2.0 * away)
        x[i, b] = there
    for r in range(many):
        for a in range(d):
            q[0, rows[r], a] = q[1, rows[r], a] = 0.0
    return many


@kernel
def slope(whole, number, stiffness, x, q, held, rows, room):
    """Add ∇V of one element to q[0]; returns the number of its rows and of its multipliers, and the first of these.

    q: (2, n, d), of which the rows of the element are zero. held: (m,), gets its forces. rows: gets its rows.
    """
    energies, links = family(whole.laws, whole.spans, 0), family(whole.laws, whole.spans, 2)
    constraints = family(whole.laws, whole.spans, 3)
    if number < energies.law.size:
        _strain_forces(whole, number, x, q)
        return _rows_of(energies, number, rows), 0, -1
    number -= energies.law.size
    if number < links.law.size:
        return _link(links, number, stiffness, x, q[0], held, rows)
    return _constraint(constraints, number - links.law.size, stiffness, x, q[0], held, rows, room)


@separate(count(WHOLE_SYSTEM, count, f2, f3))
def _strain_forces(whole, number, x, q):
    """Add ∇V of one stored energy to q[0]; compiled once, whoever calls it."""
    span = np.zeros(2, dtype=np.int64)
    span[0], span[1] = number, number + 1
    element = family(family(whole.laws, whole.spans, 0), span, 0)
    add_strains(element, whole.rows, x, 1.0, False, q[0], q[1], np.zeros(0))
    return 0


@kernel
def _rows_of_element(whole, number, rows):
    """Put the rows of an element into `rows`; returns how many."""
    energies, links = family(whole.laws, whole.spans, 0), family(whole.laws, whole.spans, 2)
    if number < energies.law.size:
        return _rows_of(energies, number, rows)
    if number < energies.law.size + links.law.size:
        return _rows_of(links, number - energies.law.size, rows)
    return _rows_of(family(whole.laws, whole.spans, 3), number - energies.law.size - links.law.size, rows)


@kernel
def _rows_of(table, i, rows):
    first = table.row_start[i]
    for r in range(table.row_start[i + 1] - first):
        rows[r] = table.rows[first + r]
    return table.row_start[i + 1] - first


@kernel
def _link(table, i, stiffness, x, q, held, rows):
    """k c = k (Σ w x − offset), on each row with its weight."""
    d, count = x.shape[1], _rows_of(table, i, rows)
    at, index = table.weight_start[table.point_start[i]], table.channel[i]
    for a in range(d):
        value = -table.params[table.param_start[i] + a]
        for r in range(count):
            value += table.weights[at + r] * x[rows[r], a]
        held[index + a] = stiffness * value
        for r in range(count):
            q[rows[r], a] += table.weights[at + r] * held[index + a]
    return count, d, index


@kernel
def _constraint(table, i, stiffness, x, q, held, rows, room):
    """k c ∂c/∂y = 2 k c S y of a scalar constraint c(G)."""
    y, G, S, H = room
    d, ny, count = x.shape[1], table.vectors[i], _rows_of(table, i, rows)
    at, index = table.weight_start[table.point_start[i]], table.channel[i]
    gather(table, i, table.point_start[i], x, y)
    gram(ny, d, y, G)
    p = table.params[table.param_start[i] : table.param_start[i + 1]]
    held[index] = stiffness * gram_law(table.law[i], ny, G, p, S, H)
    for k in range(ny):
        for a in range(d):
            force = 0.0
            for j in range(ny):
                force += 2.0 * held[index] * S[k, j] * y[j, a]
            for r in range(count):
                q[rows[r], a] += table.weights[at + k * count + r] * force
    return count, 1, index


@kernel
def _kick(whole, number, inverse, stiffness, duration, x, q, held, rows, room, v, impulse):
    """v −= duration m⁻¹ ∇V of one element; q: room, zero before and after."""
    count, many, first = slope(whole, number, stiffness, x, q, held, rows, room)
    for k in range(first, first + many):
        impulse[k] += duration * held[k]
    for r in range(count):
        row = rows[r]
        for e in range(inverse.start[row], inverse.start[row + 1]):
            i, m = inverse.row[e], inverse.value[e]
            for a in range(v.shape[1]):
                v[i, a] -= duration * m * q[0, row, a]
        for a in range(v.shape[1]):
            q[0, row, a] = q[1, row, a] = 0.0
