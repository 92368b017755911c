"""Contacts of free rigid bodies in islands: those that share no body which moves are solved each by themselves.

A heap is one island; boxes that stand in towers beside each other are one island for each. An island is solved to its own
tolerance, relative to its own impulses. So one tower that still sways does not ask for sweeps over all others, sweeps that are
combined are those of one tower, and its contacts stay in the fastest memory until they are done.
"""

from __future__ import annotations

import numpy as np

from condyle.integrators.nonsmooth_rigid import KNOWN, room_for, sweep_all, take_over_impulses
from condyle.laws.kernel import kernel

SMALL = 128  # contacts of an island that is swept on beyond the tolerance: that takes little,
FURTHER, FARTHEST = 1e-3, 1e-10  # to this part of it and not below this residual, so that what sways comes to rest


@kernel
def part_islands(group, features, chosen):
    """Sorts places `chosen` (k,) by islands, each as it was; returns

    - start (islands + 1,): where contacts of an island begin,
    - rows (islands + 1,): where its bodies begin; the last one of each is what does not move,
    - column: unknowns of these bodies, −1 of what does not move,
    - place (bodies,): of a body among those of its island.
    """
    bodies, k = group.rows.shape[0], chosen.size
    root, pair = np.arange(bodies), np.empty((k, 2), dtype=np.int64)
    for c in range(k):
        for side in range(2):
            body = group.on[np.int64(features[chosen[c], KNOWN + side]) - 1]
            pair[c, side] = body if group.column[body, 0] >= 0 else -1
        if pair[c, 0] >= 0 and pair[c, 1] >= 0:
            a, b = _root(root, pair[c, 0]), _root(root, pair[c, 1])
            root[max(a, b)] = min(a, b)
    island, of, count = np.full(bodies, -1), np.empty(k, dtype=np.int64), 0
    for c in range(k):
        one = _root(root, pair[c, 0] if pair[c, 0] >= 0 else max(pair[c, 1], 0))
        if island[one] < 0:
            island[one] = count
            count += 1
        of[c] = island[one]
    start, rows = np.zeros(count + 1, dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    place = np.zeros(bodies, dtype=np.int64)
    for c in range(k):
        start[of[c] + 1] += 1
    for b in range(bodies):
        one = island[_root(root, b)]
        if one >= 0 and group.column[b, 0] >= 0:
            place[b] = rows[one + 1]
            rows[one + 1] += 1
    for i in range(count):
        start[i + 1] += start[i]
        rows[i + 1] += rows[i] + 1
    column = np.full((rows[count], group.column.shape[1]), -1)
    for b in range(bodies):
        one = island[_root(root, b)]
        if one >= 0 and group.column[b, 0] >= 0:
            column[rows[one] + place[b]] = group.column[b]
    unsorted, at = chosen.copy(), start[:count].copy()
    for c in range(k):
        chosen[at[of[c]]] = unsorted[c]
        at[of[c]] += 1
    return start, rows, column, place


@kernel
def _root(root, b):
    """The body that stands for the island of b."""
    while root[b] != b:
        root[b] = root[root[b]]
        b = root[b]
    return b


@kernel
def sweep_islands(
    group, start, rows, column, place, x, v0, driven, free, features, force, held, flat, chosen, answer, h, give, tolerance,
    most, stabilise, sweeps_out, nearly_out, impulse, v, motion, out,
):  # fmt: skip
    """Impulses of all islands by sweeps, what they do to the unknowns v, and the motion by which overlaps are moved out.

    out: the most sweeps of an island, the largest residual, the deepest overlap. The other arguments are those of
    `part_islands` and of `nonsmooth_groups.meet`.
    """
    largest, wide = 0, 0
    for i in range(start.size - 1):
        largest, wide = max(largest, start[i + 1] - start[i]), max(wide, rows[i + 1] - rows[i])
    first, second, contacts, gap, p, speed = room_for(largest, wide)
    own = np.zeros(3)
    for i in range(start.size - 1):
        own[:] = 0.0
        k, n, here = start[i + 1] - start[i], rows[i + 1] - rows[i], chosen[start[i] : start[i + 1]]
        columns, answers = column[rows[i] : rows[i + 1]], answer[rows[i] : rows[i + 1]]
        sweep_all(
            group, columns, place, x, v0, driven, free, features, force, held, flat, here, answers, h, give, tolerance,
            min(tolerance, max(FURTHER * tolerance, FARTHEST)) if k <= SMALL else tolerance, most, first[:k], second[:k],
            contacts[:k], gap[:k], p[:k], speed[:n], own,
        )  # fmt: skip
        take_over_impulses(
            group, columns, free, flat, here, answers, first[:k], second[:k], contacts[:k], gap[:k], p[:k], stabilise,
            sweeps_out, nearly_out, speed[:n], impulse, v, motion, own,
        )  # fmt: skip
        for j in range(3):
            out[j] = max(out[j], own[j])
