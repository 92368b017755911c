"""The linear complementarity problem w = M z + q, w, z ≥ 0, w·z = 0, by Lemke's method.

Ties in the ratio test are broken by the order of the rows of the inverse basis (the lexicographic rule), so that degenerate
problems, of which friction has many, cannot make it go round in circles. Round-off can: it makes ties look like differences,
and grows from pivot to pivot. So the last basis is solved anew with M and q as they were given, and what that gives is judged.
If it is no solution, q is moved by a little, by another amount in each row, which leaves no ties, and pivoting starts again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.laws.dense import eliminate
from condyle.laws.kernel import kernel

Array = NDArray[np.float64]

SOLVED, RAY, TIRED = 0, 1, 2
MESSAGES = (
    "",
    "Lemke's method ends in a ray: there may be no solution",
    "Lemke's method did not end in the rounds allowed",
)
SMALL = 1e-9  # of the largest entry: no pivot
GOOD = 1e-9  # error of a solution, relative to q
TRIES = 6
NUDGE = 1e-12  # of the largest entry of q: how far it is moved at the second try; ten times farther at each other
GOLDEN = 0.6180339887498949


class LcpSolution(NamedTuple):
    """z and w of `solve_lcp`, the number of pivots, and what went wrong, if something did."""

    z: Array
    w: Array
    iterations: int
    message: str


def solve_lcp(M: ArrayLike, q: ArrayLike, *, most: int | None = None) -> LcpSolution:
    """Solve the complementarity problem; M (n, n) copositive plus, as those of contact are, or any for which it ends."""
    M, q = np.asarray(M, dtype=float), np.asarray(q, dtype=float)
    n = q.size
    M = np.ascontiguousarray(M)
    z = np.zeros(n)
    status, count = lemke(M, q, 50 * n + 100 if most is None else most, z)
    return LcpSolution(z, M @ z + q, int(count), MESSAGES[status])


@kernel
def lemke(M, q, most, z):
    """z (n,) ≥ 0 with w = M z + q ≥ 0 and w·z = 0, in place; how it ended and pivots."""
    n = q.size
    z[:] = 0.0
    # One size for all rows: the covering vector is 1 in rows of equal scale.
    scale, least, size = np.empty(n), 0.0, 0.0
    for i in range(n):
        largest = 2.3e-308
        for j in range(n):
            largest = max(largest, abs(M[i, j]))
        scale[i] = 1.0 / largest
        least, size = min(least, q[i]), max(size, abs(scale[i] * q[i]))
    if least >= 0.0:
        return SOLVED, 0
    table, basis, found = np.empty((n, 2 * n + 2)), np.empty(n, dtype=np.int64), np.empty(n)
    ended, total, best = RAY, 0, np.inf
    for trial in range(TRIES):
        nudge = 0.0 if trial == 0 else NUDGE * 10.0 ** (trial - 1) * size
        _start(M, q, scale, nudge, table, basis)
        status, count = _pivot(table, basis, most)
        total += count
        if not _solve_basis(M, q, scale, basis, found):
            continue
        error = _error(M, q, scale, found)
        if error < best:
            best = error
            z[:] = found
            ended = SOLVED if error <= GOOD * size else max(status, RAY)
        if ended == SOLVED:
            break
    return ended, total


@kernel
def _start(M, q, scale, nudge, table, basis):
    """The table [1 | −M | −1 | q] of the first basis, which is w; q is moved by up to 2 `nudge`."""
    n, part = q.size, 0.0
    table[:] = 0.0
    for i in range(n):
        part = (part + GOLDEN) % 1.0
        basis[i], table[i, i], table[i, 2 * n] = i, 1.0, -1.0
        table[i, 2 * n + 1] = scale[i] * q[i] + nudge * (1.0 + part)
        for j in range(n):
            table[i, n + j] = -scale[i] * M[i, j]


@kernel
def _solve_basis(M, q, scale, basis, z):
    """z of a basis, from M and q themselves; False where the basis is singular."""
    n = q.size
    B, y = np.zeros((n, n)), np.empty(n)
    for i in range(n):
        y[i] = scale[i] * q[i]
        for j in range(n):
            if basis[j] == i:
                B[i, j] = 1.0
            elif basis[j] == 2 * n:
                B[i, j] = -1.0
            elif basis[j] >= n:
                B[i, j] = -scale[i] * M[i, basis[j] - n]
    z[:] = 0.0
    if not eliminate(n, B, y):
        return False
    for i in range(n):
        if n <= basis[i] < 2 * n:
            z[basis[i] - n] = max(y[i], 0.0)
    return True


@kernel
def _error(M, q, scale, z):
    """How far z is from a solution, in rows of equal scale."""
    error = 0.0
    for i in range(q.size):
        w = q[i]
        for j in range(q.size):
            w += M[i, j] * z[j]
        error = max(error, abs(min(scale[i] * w, z[i])))
    return error


@kernel
def _pivot(table, basis, most):
    """Complementary pivots on a table [B⁻¹ | −M | −1 | q] (n, 2n + 2); basis: the variable of each row, 2n the covering one."""
    n = basis.size
    last = 2 * n + 1
    row = 0
    for i in range(n):
        if table[i, last] < table[row, last]:
            row = i
    entering = 2 * n
    for count in range(most):
        leaving = basis[row]
        _exchange(table, row, entering)
        basis[row] = entering
        if leaving == 2 * n:
            return SOLVED, count + 1
        entering = leaving + n if leaving < n else leaving - n
        row = _leaves(table, basis, entering)
        if row < 0:
            return RAY, count + 1
    return TIRED, most


@kernel
def _exchange(table, row, column):
    """Make a column the unit vector of a row."""
    n, width = table.shape
    pivot, line = table[row, column], np.empty(width)  # a line of its own, so that rows are known to be different ones
    for j in range(width):
        table[row, j] /= pivot
        line[j] = table[row, j]
    for i in range(n):
        factor, own = table[i, column], table[i]
        if i != row and factor != 0.0:
            for j in range(width):
                own[j] -= factor * line[j]
            own[column] = 0.0
    table[row, column] = 1.0


@kernel
def _leaves(table, basis, column):
    """The row whose variable leaves the basis, by the lexicographic rule; the covering variable first; −1 if there is none."""
    n = basis.size
    last = 2 * n + 1
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(table[i, column]))
    best = -1
    for i in range(n):
        d = table[i, column]
        if d <= SMALL * largest:
            continue
        if best < 0:
            best = i
            continue
        e = table[best, column]
        first, other = table[i, last] / d, table[best, last] / e
        reach = 1e-13 * max(abs(first), abs(other), 1e-300)
        better = first < other - reach
        if abs(first - other) <= reach:
            if basis[i] == 2 * n:
                better = True
            elif basis[best] == 2 * n:
                better = False
            else:
                for j in range(n):
                    first, other = table[i, j] / d, table[best, j] / e
                    if abs(first - other) > 1e-13 * max(abs(first), abs(other), 1e-300):
                        better = first < other
                        break
        if better:
            best = i
    return best
