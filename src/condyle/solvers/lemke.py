"""The linear complementarity problem w = M z + q, w, z ≥ 0, w·z = 0, by Lemke's method.

Ties in the ratio test are broken by the order of the rows of the inverse basis (the lexicographic rule), so that degenerate
problems, of which friction has many, cannot make it go round in circles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.laws.kernel import kernel

Array = NDArray[np.float64]

SOLVED, RAY, TIRED = 0, 1, 2
MESSAGES = (
    "",
    "Lemke's method ends in a ray: there may be no solution",
    "Lemke's method did not end in the rounds allowed",
)
SMALL = 1e-11  # of the largest entry: no pivot
GOOD = 1e-9  # error of a solution, relative to it


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
    least = 0.0
    for i in range(n):
        least = min(least, q[i])
    if least >= 0.0:
        return SOLVED, 0
    # One size for all rows: the covering vector is 1 in rows of equal scale.
    scale, table, basis = np.empty(n), np.zeros((n, 2 * n + 2)), np.arange(n)
    for i in range(n):
        largest = 2.3e-308
        for j in range(n):
            largest = max(largest, abs(M[i, j]))
        scale[i] = 1.0 / largest
        table[i, i], table[i, 2 * n], table[i, 2 * n + 1] = 1.0, -1.0, scale[i] * q[i]
        for j in range(n):
            table[i, n + j] = -scale[i] * M[i, j]
    status, count = _pivot(table, basis, most)
    for i in range(n):
        if n <= basis[i] < 2 * n:
            z[basis[i] - n] = max(table[i, 2 * n + 1], 0.0)
    # Round-off can leave a trace of the covering variable in the basis, with which no pivot is left: judge what was found.
    error, size = 0.0, 0.0
    for i in range(n):
        w = q[i]
        for j in range(n):
            w += M[i, j] * z[j]
        error, size = max(error, abs(min(scale[i] * w, z[i]))), max(size, abs(scale[i] * q[i]), z[i])
    return (SOLVED if error <= GOOD * size else max(status, RAY)), count


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
