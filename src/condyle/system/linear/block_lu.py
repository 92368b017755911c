"""LU factorisation in blocks of 3 × 3, in place, in an order that was scheduled once (`system/blocks.py`).

No rows are exchanged between blocks: bodies have positive definite blocks, and a multiplier is eliminated when the bodies
before it give it a pivot. Every pivot block is checked for cancellation; where that takes all digits the caller turns to a
solver that exchanges rows.
"""

import numpy as np

from condyle.laws.kernel import kernel

LOST = 1e-13  # a pivot over the sum of the sizes of its terms: all digits are lost
SMALL = 1e-6  # determinant of a block over the sum of the sizes of its terms, below which it is inverted with pivoting


@kernel
def invert_block(A, at, inverse, to):
    """inverse[to:to+9] = A[at:at+9]⁻¹; returns the least of its pivots over the sum of the sizes of its terms."""
    a, b, c = A[at], A[at + 1], A[at + 2]
    d, e, f = A[at + 3], A[at + 4], A[at + 5]
    g, h, i = A[at + 6], A[at + 7], A[at + 8]
    det = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    size = abs(a) * (abs(e * i) + abs(f * h)) + abs(b) * (abs(f * g) + abs(d * i)) + abs(c) * (abs(d * h) + abs(e * g))
    if not abs(det) > SMALL * size:
        return invert_pivoted(A, at, inverse, to)
    s = 1.0 / det
    inverse[to], inverse[to + 1], inverse[to + 2] = s * (e * i - f * h), s * (c * h - b * i), s * (b * f - c * e)
    inverse[to + 3], inverse[to + 4], inverse[to + 5] = s * (f * g - d * i), s * (a * i - c * g), s * (c * d - a * f)
    inverse[to + 6], inverse[to + 7], inverse[to + 8] = s * (d * h - e * g), s * (b * g - a * h), s * (a * e - b * d)
    return abs(det) / size


@kernel
def invert_pivoted(A, at, inverse, to):
    """Invert a block by Gauss and Jordan, with the largest entry (of rows and columns scaled to 1) as the next pivot.

    A block of redundant constraints has pivots of size 1 and of size ε; in its determinant all digits of the latter are lost.
    """
    m, size = (
        np.zeros((3, 6)),
        np.zeros((3, 3)),
    )  # [A 1], and the sum of the sizes of the terms that each entry is made of
    row_scale, column_scale = np.zeros(3), np.zeros(3)
    for i in range(3):
        for j in range(3):
            m[i, j] = A[at + 3 * i + j]
            size[i, j] = abs(m[i, j])
            row_scale[i] = max(row_scale[i], size[i, j])
        m[i, 3 + i] = 1.0
    for j in range(3):
        for i in range(3):
            column_scale[j] = max(column_scale[j], size[i, j] / row_scale[i])
    row_of, column_of = np.full(3, -1), np.full(3, -1)  # row of each column that is done, and the other way round
    least = 1.0
    for _ in range(3):
        row, column, best = 0, 0, -1.0
        for i in range(3):
            for j in range(3):
                if column_of[i] < 0 and row_of[j] < 0 and abs(m[i, j]) / (row_scale[i] * column_scale[j]) > best:
                    row, column, best = i, j, abs(m[i, j]) / (row_scale[i] * column_scale[j])
        pivot = m[row, column]
        kept = abs(pivot) / size[row, column]
        if not kept > LOST:
            return 0.0
        least = min(least, kept)
        row_of[column], column_of[row] = row, column
        for k in range(6):
            m[row, k] /= pivot
        for i in range(3):
            factor = m[i, column]
            if i != row:
                for k in range(6):
                    m[i, k] -= factor * m[row, k]
                    if k < 3:
                        size[i, k] += abs(factor * m[row, k])
    for j in range(3):
        for k in range(3):
            inverse[to + 3 * j + k] = m[row_of[j], 3 + k]
    return least


@kernel
def all_of_two(schedule):
    """Has every block two unknowns, as rows in the plane have? Its third row and column are then those of the identity."""
    blocks = schedule.pivot.size
    found = schedule.padded.size == blocks
    for at in schedule.padded:
        found = found and at % 9 == 8
    return found


@kernel
def _factor_two(schedule, A, inverse):
    """`factor_blocks` where all blocks have two unknowns: a third of the products."""
    lower, upper, target = schedule.lower, schedule.upper, schedule.target
    for k in range(schedule.pivot.size):
        at, o = schedule.pivot[k] * 9, schedule.diagonal[k]
        a, b, c, d = A[o], A[o + 1], A[o + 3], A[o + 4]
        det, size = a * d - b * c, abs(a * d) + abs(b * c)
        if abs(det) > SMALL * size:
            s = 1.0 / det
            inverse[at], inverse[at + 1], inverse[at + 3], inverse[at + 4] = s * d, -s * b, -s * c, s * a
        elif not invert_pivoted(A, o, inverse, at) > LOST:
            return False
        p0, p1, p2, p3 = inverse[at], inverse[at + 1], inverse[at + 3], inverse[at + 4]
        first, last = schedule.start[k], schedule.start[k + 1]
        to = schedule.pair_start[k]
        for m in range(first, last):
            i = lower[m]
            u, v, x, y = A[i], A[i + 1], A[i + 3], A[i + 4]
            l0, l1, l2, l3 = u * p0 + v * p2, u * p1 + v * p3, x * p0 + y * p2, x * p1 + y * p3  # L = A_ik A_kk⁻¹
            A[i], A[i + 1], A[i + 3], A[i + 4] = l0, l1, l2, l3
            for n in range(first, last):
                j, t = upper[n], target[to]
                to += 1
                u, v, x, y = A[j], A[j + 1], A[j + 3], A[j + 4]
                A[t] -= l0 * u + l1 * x  # A_ij −= L A_kj
                A[t + 1] -= l0 * v + l1 * y
                A[t + 3] -= l2 * u + l3 * x
                A[t + 4] -= l2 * v + l3 * y
    return True


@kernel
def factor_blocks(schedule, A, inverse):
    """A → L U in place, pivot blocks inverted into `inverse`, shape (9 blocks,). False if a pivot is lost."""
    if all_of_two(schedule):
        return _factor_two(schedule, A, inverse)
    for k in range(schedule.pivot.size):
        at = schedule.pivot[k] * 9
        if not invert_block(A, schedule.diagonal[k], inverse, at) > LOST:
            return False
        p0, p1, p2 = inverse[at], inverse[at + 1], inverse[at + 2]
        p3, p4, p5 = inverse[at + 3], inverse[at + 4], inverse[at + 5]
        p6, p7, p8 = inverse[at + 6], inverse[at + 7], inverse[at + 8]
        first, last = schedule.start[k], schedule.start[k + 1]
        to = schedule.pair_start[k]
        for m in range(first, last):
            i = schedule.lower[m]
            for _ in range(3):  # L = A_ik A_kk⁻¹
                u, v, w = A[i], A[i + 1], A[i + 2]
                A[i] = u * p0 + v * p3 + w * p6
                A[i + 1] = u * p1 + v * p4 + w * p7
                A[i + 2] = u * p2 + v * p5 + w * p8
                i += 3
            i -= 9
            l0, l1, l2 = A[i], A[i + 1], A[i + 2]
            l3, l4, l5 = A[i + 3], A[i + 4], A[i + 5]
            l6, l7, l8 = A[i + 6], A[i + 7], A[i + 8]
            for n in range(first, last):
                j, t = schedule.upper[n], schedule.target[to]
                to += 1
                for b in range(3):  # A_ij −= L A_kj
                    u, v, w = A[j + b], A[j + 3 + b], A[j + 6 + b]
                    A[t + b] -= l0 * u + l1 * v + l2 * w
                    A[t + 3 + b] -= l3 * u + l4 * v + l5 * w
                    A[t + 6 + b] -= l6 * u + l7 * v + l8 * w
    return True


@kernel
def _solve_two(schedule, A, inverse, b):
    """`solve_blocks` where all blocks have two unknowns."""
    start, other, lower, upper = schedule.start, schedule.other, schedule.lower, schedule.upper
    for k in range(schedule.pivot.size):
        at = 3 * schedule.pivot[k]
        u, v = b[at], b[at + 1]
        for m in range(start[k], start[k + 1]):
            i, to = lower[m], 3 * other[m]
            b[to] -= A[i] * u + A[i + 1] * v
            b[to + 1] -= A[i + 3] * u + A[i + 4] * v
    for k in range(schedule.pivot.size - 1, -1, -1):
        at = 3 * schedule.pivot[k]
        u, v = b[at], b[at + 1]
        for m in range(start[k], start[k + 1]):
            i, of = upper[m], 3 * other[m]
            x, y = b[of], b[of + 1]
            u -= A[i] * x + A[i + 1] * y
            v -= A[i + 3] * x + A[i + 4] * y
        i = 3 * at
        b[at], b[at + 1] = inverse[i] * u + inverse[i + 1] * v, inverse[i + 3] * u + inverse[i + 4] * v


@kernel
def solve_blocks(schedule, A, inverse, b):
    """b → the solution, in place."""
    if all_of_two(schedule):
        _solve_two(schedule, A, inverse, b)
        return
    for k in range(schedule.pivot.size):
        at = 3 * schedule.pivot[k]
        u, v, w = b[at], b[at + 1], b[at + 2]
        for m in range(schedule.start[k], schedule.start[k + 1]):
            i, to = schedule.lower[m], 3 * schedule.other[m]
            b[to] -= A[i] * u + A[i + 1] * v + A[i + 2] * w
            b[to + 1] -= A[i + 3] * u + A[i + 4] * v + A[i + 5] * w
            b[to + 2] -= A[i + 6] * u + A[i + 7] * v + A[i + 8] * w
    for k in range(schedule.pivot.size - 1, -1, -1):
        at = 3 * schedule.pivot[k]
        u, v, w = b[at], b[at + 1], b[at + 2]
        for m in range(schedule.start[k], schedule.start[k + 1]):
            i, of = schedule.upper[m], 3 * schedule.other[m]
            x, y, z = b[of], b[of + 1], b[of + 2]
            u -= A[i] * x + A[i + 1] * y + A[i + 2] * z
            v -= A[i + 3] * x + A[i + 4] * y + A[i + 5] * z
            w -= A[i + 6] * x + A[i + 7] * y + A[i + 8] * z
        i = 3 * at
        b[at] = inverse[i] * u + inverse[i + 1] * v + inverse[i + 2] * w
        b[at + 1] = inverse[i + 3] * u + inverse[i + 4] * v + inverse[i + 5] * w
        b[at + 2] = inverse[i + 6] * u + inverse[i + 7] * v + inverse[i + 8] * w


@kernel
def pad_blocks(schedule, A):
    """Ones on the diagonal where a block has no unknown."""
    for at in schedule.padded:
        A[at] = 1.0
