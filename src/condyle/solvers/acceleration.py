"""Sweeps that are combined: of what the last ones have changed, so much that the next one would change least.

Anderson's acceleration (walker-2011) of a sweep p → p + g(p): with the last changes of p, of g and of the velocities that
follow from p, the least squares problem |g − Σ w_a Δg_a| → min says how much of each to take back.
"""

from __future__ import annotations

import numpy as np

from condyle.laws.kernel import kernel

PAST = 5  # sweeps that are remembered
KNOWN, SLOT, LENGTH, BEGUN = range(
    4
)  # of `state`: sweeps that are known, place of the next, size of the last change, was there one
OTHER = (
    4.0  # times the last change: then contacts have opened, closed or begun to slip, and what was before means little
)


@kernel
def make_room(m, n):
    """Room for sweeps of m impulses and n velocities: before a sweep, and what `combine` remembers."""
    return (
        np.empty(m), np.empty((PAST, m)), np.empty((PAST, m)), np.empty((PAST, n)), np.zeros((PAST, PAST)), np.zeros((2, PAST)),
        np.empty((2, m)), np.empty(n), np.zeros(4),
    )  # fmt: skip


@kernel
def forget(room):
    """The next sweep is the first one."""
    room[-1][:] = 0.0


@kernel
def combine(room, size, p, v):
    """p (m,) and v (n,) after a sweep from `room[0]` that has changed p by `size` (a sum of squares) become better ones."""
    before, by, change, speed, gram, pair, last, v_last, state = room
    m, n, side, weight, after, step = p.size, v.size, pair[0], pair[1], last[0], last[1]
    known, slot = int(state[KNOWN]), int(state[SLOT])
    begun = state[BEGUN] > 0.0
    if begun and size > OTHER * state[LENGTH]:
        known, begun = 0, False
    state[BEGUN], state[LENGTH] = 1.0, size
    if begun:
        for i in range(m):
            by[slot, i] = p[i] - after[i]
            change[slot, i] = p[i] - before[i] - step[i]
        for i in range(n):
            speed[slot, i] = v[i] - v_last[i]
        known = min(known + 1, PAST)
        for a in range(known):
            total = 0.0
            for i in range(m):
                total += change[a, i] * change[slot, i]
            gram[a, slot], gram[slot, a] = total, total
        slot = (slot + 1) % PAST
    elif known == 0:
        slot = 0
    state[KNOWN], state[SLOT] = known, slot
    for i in range(m):
        after[i], step[i] = p[i], p[i] - before[i]
    for i in range(n):
        v_last[i] = v[i]
    for a in range(known):
        total = 0.0
        for i in range(m):
            total += change[a, i] * step[i]
        side[a] = total
    if known > 0 and _mixture(gram, side, known, weight):
        for a in range(known):
            w = weight[a]
            for i in range(m):
                p[i] -= w * by[a, i]
            for i in range(n):
                v[i] -= w * speed[a, i]


@kernel
def _mixture(gram, side, n, out):
    """The least squares problem of the last sweeps, a little regularised, by elimination; False if it is singular."""
    A, trace = np.empty((n, n + 1)), 0.0
    for i in range(n):
        trace += gram[i, i]
    for i in range(n):
        for j in range(n):
            A[i, j] = gram[i, j]
        A[i, i] += 1e-10 * trace
        A[i, n] = side[i]
    for c in range(n):
        if not A[c, c] > 0.0:
            return False
        for i in range(c + 1, n):
            f = A[i, c] / A[c, c]
            for j in range(c, n + 1):
                A[i, j] -= f * A[c, j]
    for back in range(n):
        c = n - 1 - back
        total = A[c, n]
        for j in range(c + 1, n):
            total -= A[c, j] * out[j]
        out[c] = total / A[c, c]
    return True
