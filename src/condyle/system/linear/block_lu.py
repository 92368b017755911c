"""LU factorisation in blocks of 3 × 3, in place, in an order that was scheduled once (`system/blocks.py`).

No rows are exchanged between blocks: bodies have positive definite blocks, and a multiplier is eliminated after a body it
acts on. Every pivot block is checked for cancellation; where that takes all digits the caller turns to a solver that
exchanges rows.
"""

from condyle.laws.kernel import kernel

LOST = 1e-13  # determinant of a pivot block over the sum of the sizes of its terms: all digits are lost


@kernel
def invert_block(A, at, inverse, to):
    """inverse[to:to+9] = A[at:at+9]⁻¹; returns |det| over the sum of the sizes of its terms, whatever the units."""
    a, b, c = A[at], A[at + 1], A[at + 2]
    d, e, f = A[at + 3], A[at + 4], A[at + 5]
    g, h, i = A[at + 6], A[at + 7], A[at + 8]
    det = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    size = abs(a) * (abs(e * i) + abs(f * h)) + abs(b) * (abs(f * g) + abs(d * i)) + abs(c) * (abs(d * h) + abs(e * g))
    s = 1.0 / det
    inverse[to], inverse[to + 1], inverse[to + 2] = s * (e * i - f * h), s * (c * h - b * i), s * (b * f - c * e)
    inverse[to + 3], inverse[to + 4], inverse[to + 5] = s * (f * g - d * i), s * (a * i - c * g), s * (c * d - a * f)
    inverse[to + 6], inverse[to + 7], inverse[to + 8] = s * (d * h - e * g), s * (b * g - a * h), s * (a * e - b * d)
    return abs(det) / size


@kernel
def factor_blocks(schedule, A, inverse):
    """A → L U in place, pivot blocks inverted into `inverse`, shape (9 blocks,). False if a pivot is lost."""
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
def solve_blocks(schedule, A, inverse, b):
    """b → the solution, in place."""
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
