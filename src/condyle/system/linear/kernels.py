"""The loops over the stored entries of a matrix: scaling, placing, multiplying. All take a pattern's CSR arrays."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import math

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.linear.sharing import SOFTEST

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
def expected_scales(indptr, indices, values, levers, least, row_scale, column_scale):
    """Scales to begin with: 1/√k of motions, and of multipliers what makes the largest entry of their gradient 1.

    k is the stiffness |a_jj| of an unknown, but at least a hundredth of the largest one of the model (as in `regularise`): what
    joints alone hold has none, or the round-off of forces that cancel. levers [m]: of each unknown, 0 for multipliers; without
    any, all scales are 1. least [N/m]: a stiffness that the model has at any rate.
    """
    n = indptr.size - 1
    row_scale[:] = 1.0
    column_scale[:] = 1.0
    if not levers.max() > 0.0:
        return
    stiffness, largest = np.zeros(n), least
    for i in range(n):
        if levers[i] > 0.0:
            for k in range(indptr[i], indptr[i + 1]):
                if indices[k] == i:
                    stiffness[i] = abs(values[k])
            largest = max(largest, stiffness[i] / levers[i] ** 2)
    if not 0.0 < largest < np.inf:
        return
    for i in range(n):
        if levers[i] > 0.0:
            row_scale[i] = column_scale[i] = 1.0 / math.sqrt(max(stiffness[i], SOFTEST * largest * levers[i] ** 2))
    row_top, column_top = np.zeros(n), np.zeros(n)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if levers[i] == 0.0 and levers[j] > 0.0:
                row_top[i] = max(row_top[i], abs(values[k]) * column_scale[j])
            elif levers[i] > 0.0 and levers[j] == 0.0:
                column_top[j] = max(column_top[j], row_scale[i] * abs(values[k]))
    for i in range(n):
        if row_top[i] > 0.0 and column_top[i] > 0.0:
            row_scale[i], column_scale[i] = 1.0 / row_top[i], 1.0 / column_top[i]


@kernel
def equilibrate(indptr, indices, values, symmetric, levers, least, row_scale, column_scale):
    """Scales r, c that make the largest |r_i a_ij c_j| of every row and column 1, up to powers of two (Ruiz 2001).

    r_i and c_j are divided by the square roots of the largest entries until these are between ½ and 2; this halves the digits
    that are missing each time. For a positive definite matrix the result is unique, a diagonal of ones, whatever the units of
    unknowns and equations. For a saddle point it depends on where one begins, which is at `expected_scales`: begun with ones,
    a body without a stiffness that is tied to a stiff one would leave the tie no part in the equations of the latter. Returns
    (status, unknown).
    """
    n = indptr.size - 1
    expected_scales(indptr, indices, values, levers, least, row_scale, column_scale)
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
