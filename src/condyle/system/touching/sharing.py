"""Points of rigid bodies that hold more than can move, in compiled code: their forces are shared as in `contact/sharing.py`."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.touching.curves import ELASTIC, MU, RUB, SLIP, SOFT, STICK
from condyle.system.touching.points import gradients
from condyle.system.touching.tables import NORMAL, F

MOST = 200  # multipliers up to which they are shared here
DEPENDS = 1e-11  # of the largest line: what is left of a line that depends on others


@kernel
def share_held(touch, x, multipliers):
    """Replace the multipliers of points that are closed and do not slip, in place, by those with the least Σ λ² and the same
    forces, unless a point would have to pull or to stick with more than friction can do."""
    d = x.shape[1]
    count = 0
    for i in range(touch.pair.size):
        count += _held(touch, i, d)
    if count <= d or count > MOST:
        return
    forces, given = _forces_on_unknowns(touch, x, multipliers, count)
    shared = np.zeros(count)
    if _project(forces, given, shared) < count and _can_be(touch, d, shared):
        k = 0
        for i in range(touch.pair.size):
            for j in range(_held(touch, i, d)):
                multipliers[touch.multiplier[i] + j] = shared[k]
                k += 1


@kernel
def _held(touch, i, d):
    """How many multipliers of a point hold it fast: those of a point that slips follow from what presses it."""
    p = touch.pairs[touch.pair[i]]
    if p[SOFT] > 0.0 or p[ELASTIC] > 0.0:
        return 0
    if touch.status[i] == STICK:
        return d
    return 1 if touch.status[i] == SLIP and p[RUB] == 0.0 else 0


@kernel
def _forces_on_unknowns(touch, x, multipliers, count):
    """Forces of all these multipliers on the unknowns that they act on (unknowns, count), and their values (count,)."""
    d, maps = x.shape[1], touch.maps
    line, lines = np.full(touch.column.max() + 1, -1, dtype=np.int64), 0
    for column in touch.column:
        if line[column] < 0:
            line[column] = lines
            lines += 1
    forces, given, k = np.zeros((lines, count)), np.zeros(count), 0
    for i in range(touch.pair.size):
        many = _held(touch, i, d)
        if many == 0:
            continue
        n = gradients(touch, i, x, touch.found[F, i], maps[0], maps[1], maps[2])
        for u in range(n):
            at = line[touch.column[touch.column_start[i] + u]]
            for j in range(d):
                if many == d:
                    forces[at, k + j] += maps[2][j, u]
                else:
                    forces[at, k] += touch.found[NORMAL, i, j] * maps[2][j, u]
        for j in range(many):
            given[k + j] = multipliers[touch.multiplier[i] + j]
        k += many
    return forces, given


@kernel
def _project(lines, given, shared):
    """shared = the part of `given` within the space of the lines, by Gram and Schmidt; returns the dimension of that."""
    count, rank, largest = given.size, 0, 0.0
    found = np.zeros((count, count))
    while rank < count:
        best, most = 0, 0.0
        for i in range(lines.shape[0]):
            square = 0.0
            for k in range(count):
                square += lines[i, k] ** 2
            if square > most:
                best, most = i, square
        if rank == 0:
            largest = most
        if not most > DEPENDS**2 * largest:
            break
        q = found[rank]
        for k in range(count):
            q[k] = lines[best, k]
        for _ in range(2):  # what round-off has left of those before
            for r in range(rank):
                _less(q, found[r])
        size = 0.0
        for k in range(count):
            size += q[k] ** 2
        for k in range(count):
            q[k] /= np.sqrt(size)
        for i in range(lines.shape[0]):
            _less(lines[i], q)
        along = 0.0
        for k in range(count):
            along += q[k] * given[k]
        for k in range(count):
            shared[k] += along * q[k]
        rank += 1
    return rank


@kernel
def _less(a, q):
    """Take from a its part along the unit vector q."""
    along = 0.0
    for k in range(q.size):
        along += a[k] * q[k]
    for k in range(q.size):
        a[k] -= along * q[k]


@kernel
def _can_be(touch, d, shared):
    """Does no point pull, and none stick with more than friction can do?"""
    k = 0
    for i in range(touch.pair.size):
        many = _held(touch, i, d)
        if many == 1 and shared[k] > 0.0:
            return False
        if many == d:
            press = square = 0.0
            for j in range(d):
                press -= shared[k + j] * touch.found[NORMAL, i, j]
            for j in range(d):
                square += (shared[k + j] + press * touch.found[NORMAL, i, j]) ** 2
            if square**0.5 > touch.pairs[touch.pair[i], MU] * press:
                return False
        k += many
    return True
