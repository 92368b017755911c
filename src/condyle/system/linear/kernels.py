"""The loops over the stored entries of a matrix: scaling, placing, multiplying. All take a pattern's CSR arrays."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import math

import numpy as np

from condyle.laws.kernel import kernel

NOT_FINITE, EMPTY_ROW, EMPTY_COLUMN = 1, 2, 3


@kernel
def inverse_power_of_two(x):
    """The power of two between 1/x and 2/x (x > 0 and finite), so that scaling makes no rounding error.

    A float64 keeps its exponent, plus 1023, in the bits from 52 on: 2^e has (e + 1023) << 52.
    """
    biased = 2046 - (np.float64(x).view(np.int64) >> 52)
    biased = max(biased, np.int64(1))  # x may be near the largest number there is
    return np.int64(biased << 52).view(np.float64)


@kernel
def scale_columns(indptr, indices, values, diagonal, weight, scale):
    """Scales that do not depend on the units of unknowns and equations. Returns (status, unknown).

    w_i = 1/√a_ii,  c_j = 1 / max_i w_i |a_ij|,  over the rows i with a_ii > 0

    A positive definite matrix has |a_ij| ≤ √(a_ii a_jj), so its c_j is 1/√a_jj and its scaled diagonal is 1.
    Multipliers have no positive diagonal, and get the scale that makes their column as large as the others.
    """
    n = indptr.size - 1
    for i in range(n):
        a = values[diagonal[i]]
        weight[i] = 1.0 / math.sqrt(a) if a > 0.0 else 0.0
    scale[:] = 0.0
    for i in range(n):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            size = abs(values[k])
            total += size  # inf or nan stays in the sum
            scale[j] = max(scale[j], weight[i] * size)
        if not total < np.inf:
            return NOT_FINITE, i
        if total == 0.0:
            return EMPTY_ROW, i
    for j in range(n):
        if scale[j] == 0.0:  # no row with a positive diagonal is in this column: take its largest entry
            for k in range(indptr[j], indptr[j + 1]):  # the pattern is symmetric: row j tells the rows of column j
                i = indices[k]
                for m in range(indptr[i], indptr[i + 1]):
                    if indices[m] == j:
                        scale[j] = max(scale[j], abs(values[m]))
            if scale[j] == 0.0:
                return EMPTY_COLUMN, j
        scale[j] = inverse_power_of_two(scale[j])
    return 0, -1


@kernel
def scale_rows(indptr, indices, values, column_scale, scale):
    """r_i = 1 / max_j |a_ij| c_j"""
    for i in range(indptr.size - 1):
        top = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            top = max(top, abs(values[k]) * column_scale[indices[k]])
        scale[i] = inverse_power_of_two(top)


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
