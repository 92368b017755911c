"""The loops over the stored entries of a matrix: scaling, placing, multiplying. All take a pattern's CSR arrays."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import math

import numpy as np

from condyle.laws.kernel import kernel

NOT_FINITE, EMPTY_ROW, EMPTY_COLUMN = 1, 2, 3
MOST_PASSES = 12  # of scaling


@kernel
def inverse_power_of_two(x):
    """The power of two between 1/x and 2/x (x > 0 and finite), so that scaling makes no rounding error.

    A float64 keeps its exponent, plus 1023, in the bits from 52 on: 2^e has (e + 1023) << 52.
    """
    biased = 2046 - (np.float64(x).view(np.int64) >> 52)
    biased = max(biased, np.int64(1))  # x may be near the largest number there is
    return np.int64(biased << 52).view(np.float64)


@kernel
def equilibrate(indptr, indices, values, symmetric, row_scale, column_scale):
    """Scales r, c that make the largest |r_i a_ij c_j| of every row and column 1, up to powers of two (Ruiz 2001).

    r_i and c_j are divided by the square roots of the largest entries until these are between ½ and 2; this halves the digits
    that are missing each time. For a positive definite matrix the result is unique, a diagonal of ones, whatever the units of
    unknowns and equations. Multipliers, and what only they hold, get scales that make the gradients of the constraints 1: a
    stiffness that is nothing but round-off has no part in it. Returns (status, unknown).
    """
    n = indptr.size - 1
    row_scale[:] = 1.0
    column_scale[:] = 1.0
    row_top, column_top = np.zeros(n), np.zeros(n)
    for _ in range(MOST_PASSES):
        row_top[:] = 0.0
        column_top[:] = 0.0
        for i in range(n):
            total = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                size = row_scale[i] * abs(values[k]) * column_scale[j]
                total += size  # inf or nan stays in the sum
                row_top[i] = max(row_top[i], size)
                column_top[j] = max(column_top[j], size)
            if not total < np.inf:
                return NOT_FINITE, i
            if row_top[i] == 0.0:
                return EMPTY_ROW, i
        done = True
        for i in range(n):
            if column_top[i] == 0.0:
                return EMPTY_COLUMN, i
            if symmetric:
                row_top[i] = column_top[i] = max(row_top[i], column_top[i])
            done = done and 0.5 <= row_top[i] <= 2.0 and 0.5 <= column_top[i] <= 2.0
            row_scale[i] /= math.sqrt(row_top[i])
            column_scale[i] /= math.sqrt(column_top[i])
        if done:
            break
    for i in range(n):
        row_scale[i] = inverse_power_of_two(1.0 / row_scale[i])
        column_scale[i] = inverse_power_of_two(1.0 / column_scale[i])
    return 0, -1


@kernel
def scatter_scaled(indptr, indices, values, row_scale, column_scale, place, out):
    """out[place_k] = r_i a_k c_j for each entry k in row i and column j; entries with a negative place are left out."""
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            if place[k] >= 0:
                out[place[k]] = row_scale[i] * values[k] * column_scale[indices[k]]


@kernel
def product(indptr, indices, values, x):
    """y = A x, column by column."""
    y = np.zeros_like(x)
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            for m in range(x.shape[1]):
                y[i, m] += values[k] * x[indices[k], m]
    return y


@kernel
def row_not_finite(x):
    for i in range(x.shape[0]):
        for m in range(x.shape[1]):
            if not abs(x[i, m]) < np.inf:
                return i
    return -1
