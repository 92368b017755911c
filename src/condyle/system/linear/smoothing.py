"""The loops of a multigrid cycle over blocks of nodes: Gauss–Seidel, residuals, the way to and from a coarser system.

A range of rows is a *domain*: Gauss–Seidel goes through the rows of a domain in turn, each with the newest values of the
others in it, and takes values of other domains as they were before. So domains can be done at once in several threads, and the
result does not depend on how many threads there are. Where a row touches another domain, the sizes of these entries are
added to its diagonal (ℓ1, baker-2011), which keeps the cycle symmetric and positive definite.

shape: the size of blocks, as `lines.py` takes it. Blocks are asked for some way ahead of where they are used, for the
processor's own guesses do not cross the ends of rows.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.linear.coarsening import invert
from condyle.system.linear.lines import (
    add_block,
    add_columns,
    add_product,
    line_at,
    minus,
    no_line,
    no_lines,
    plus,
    prefetch,
    put_line,
    totals,
)

__all__ = ["backward", "forward", "full_product", "prolong", "residual", "restrict", "set_up"]

AHEAD = 4  # rows


@kernel(nogil=True)
def set_up(ptr, col, val, low, high, diagonal, extra, columns):
    """Of rows low to high: the place of the diagonal block, what is added to the diagonal, columns of the inverse of both."""
    b = val.shape[1]
    work, block = np.zeros((b, 2 * b)), np.zeros((b, b))
    for i in range(low, high):
        for p in range(b):
            extra[i, p] = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            if j == i:
                diagonal[i] = k
            elif j < low or j >= high:
                for p in range(b):
                    for q in range(b):
                        extra[i, p] += abs(val[k, p, q])
        for p in range(b):
            for q in range(b):
                block[p, q] = val[diagonal[i], p, q]
            block[p, p] += extra[i, p]
        invert(block, work)
        for p in range(b):
            for q in range(b):
                columns[i, q, p] = work[p, b + q]


@kernel(nogil=True)
def forward(shape, ptr, col, val, columns, diagonal, rhs, low, high, x):
    """Gauss–Seidel from x = 0, from the first row of a domain to the last."""
    b = len(shape[0])
    for i in range(low, high):
        first = ptr[i]
        while col[first] < low:
            first += 1
        lines = no_lines(shape, val)
        ahead = ptr[min(i + AHEAD, high - 1)] - ptr[i]
        for k in range(first, diagonal[i]):
            prefetch(val, b * b * (k + ahead))
            lines = add_block(lines, val, b * b * k, b, x, b * col[k])
        left = minus(line_at(shape[0], rhs, b * i), totals(lines))
        put_line(x, b * i, add_columns(no_line(shape[0], val), left, columns, b * b * i))


@kernel(nogil=True)
def residual(shape, ptr, col, val, diagonal, extra, x, low, high, r):
    """b − A x after `forward`: rows there had a zero residual, with the values that they saw; what they did not see is left."""
    b = len(shape[0])
    for i in range(low, high):
        lines, k = no_lines(shape, val), ptr[i]
        while col[k] < low:
            lines = add_block(lines, val, b * b * k, b, x, b * col[k])
            k += 1
        ahead = diagonal[min(i + AHEAD, high - 1)] - diagonal[i]
        for k in range(diagonal[i] + 1, ptr[i + 1]):
            prefetch(val, b * b * (k + ahead))
            lines = add_block(lines, val, b * b * k, b, x, b * col[k])
        added = add_product(no_line(shape[0], val), line_at(shape[0], extra, b * i), line_at(shape[0], x, b * i))
        put_line(r, b * i, minus(added, totals(lines)))


@kernel(nogil=True)
def backward(shape, ptr, col, val, columns, rhs, old, low, high, x):
    """Gauss–Seidel from the last row of a domain to the first; old: x before it, which is what other domains have."""
    b = len(shape[0])
    for i in range(high - 1, low - 1, -1):
        lines, k = no_lines(shape, val), ptr[i + 1] - 1
        while col[k] >= high:
            lines = add_block(lines, val, b * b * k, b, old, b * col[k])
            k -= 1
        first = ptr[i]
        while col[first] < low:
            lines = add_block(lines, val, b * b * first, b, old, b * col[first])
            first += 1
        ahead = ptr[max(i - AHEAD, low)] - ptr[i]
        while k >= first:
            prefetch(val, b * b * (k + ahead))
            lines = add_block(lines, val, b * b * k, b, x, b * col[k])
            k -= 1
        left = minus(line_at(shape[0], rhs, b * i), totals(lines))
        put_line(x, b * i, add_columns(line_at(shape[0], x, b * i), left, columns, b * b * i))


@kernel(nogil=True)
def restrict(shape, start, row, val, r, low, high, coarse):
    """coarse = Pᵀ r on coarse nodes low to high; blocks of P by coarse nodes, in the rows `row`."""
    b, c = len(shape[0]), len(shape[1])
    for g in range(low, high):
        total = no_line(shape[1], val)
        for e in range(start[g], start[g + 1]):
            total = add_columns(total, line_at(shape[0], r, b * row[e]), val, b * c * e)
        put_line(coarse, c * g, total)


@kernel(nogil=True)
def prolong(shape, ptr, col, val, coarse, low, high, x, old):
    """x += P coarse on rows low to high; old gets a copy."""
    b, c = len(shape[0]), len(shape[1])
    for i in range(low, high):
        lines = no_lines(shape, val)
        for k in range(ptr[i], ptr[i + 1]):
            lines = add_block(lines, val, b * c * k, c, coarse, c * col[k])
        moved = plus(line_at(shape[0], x, b * i), totals(lines))
        put_line(x, b * i, moved)
        put_line(old, b * i, moved)


@kernel(nogil=True)
def full_product(A, x, y):
    """y = A x for a full matrix and vectors of blocks."""
    c = x.shape[1]
    for i in range(A.shape[0]):
        s = A.dtype.type(0.0)
        for j in range(A.shape[1]):
            s += A[i, j] * x[j // c, j % c]
        y[i // c, i % c] = s
