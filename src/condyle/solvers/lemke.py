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
    if not n or q.min() >= 0.0:
        return LcpSolution(np.zeros(n), q.copy(), 0, "")
    # One size for all rows: the covering vector is 1 in rows of equal scale.
    scale = 1.0 / np.maximum(np.abs(M).max(axis=1), np.finfo(float).tiny)
    table = np.concatenate((np.eye(n), -scale[:, None] * M, -np.ones((n, 1)), (scale * q)[:, None]), axis=1)
    basis = np.arange(n)
    status, count = _pivot(table, basis, 50 * n + 100 if most is None else most)
    z = np.zeros(n)
    inside = (basis >= n) & (basis < 2 * n)
    z[basis[inside] - n] = np.maximum(table[inside, -1], 0.0)
    w = M @ z + q
    # Round-off can leave a trace of the covering variable in the basis, with which no pivot is left: judge what was found.
    error, size = np.abs(np.minimum(scale * w, z)).max(), max(np.abs(scale * q).max(), z.max())
    return LcpSolution(z, w, int(count), "" if error <= GOOD * size else MESSAGES[max(status, RAY)])


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
    pivot = table[row, column]
    for j in range(width):
        table[row, j] /= pivot
    for i in range(n):
        factor = table[i, column]
        if i != row and factor != 0.0:
            for j in range(width):
                table[i, j] -= factor * table[row, j]
            table[i, column] = 0.0
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
