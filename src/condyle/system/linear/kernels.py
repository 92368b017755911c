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
    biased = np.float64(x).view(np.int64) >> 52
    return np.int64(max(2046 - biased, 1) << 52).view(np.float64)


@kernel
def largest_in_rows(indptr, indices, values, largest):
    """largest_i = max_j |a_ij|. Returns (status, row)."""
    for i in range(indptr.size - 1):
        top = 0.0
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            size = abs(values[k])
            top = max(top, size)
            total += size  # inf or nan stays in the sum
        if not total < np.inf:
            return NOT_FINITE, i
        if top == 0.0:
            return EMPTY_ROW, i
        largest[i] = top
    return 0, -1


@kernel
def scale_rows_and_columns(indptr, indices, values, row_scale, column_scale):
    """r_i = 1 / max_j |a_ij|, then c_j = 1 / max_i r_i |a_ij|."""
    n = indptr.size - 1
    status, unknown = largest_in_rows(indptr, indices, values, row_scale)
    if status != 0:
        return status, unknown
    column_scale[:] = 0.0
    for i in range(n):
        row_scale[i] = inverse_power_of_two(row_scale[i])
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            column_scale[j] = max(column_scale[j], row_scale[i] * abs(values[k]))
    for j in range(n):
        if column_scale[j] == 0.0:
            return EMPTY_COLUMN, j
        column_scale[j] = inverse_power_of_two(column_scale[j])
    return 0, -1


@kernel
def scale_symmetric(indptr, indices, values, row_scale, column_scale):
    """One scale d for rows and columns: d_i = 1 / √max_j |a_ij|, then raised until each row has an entry of about 1.

    Raising d_i to 1 / max_j |a_ij| d_j (j ≠ i) brings no entry above 1, so one sweep settles the multipliers.
    """
    n = indptr.size - 1
    d = column_scale
    status, unknown = largest_in_rows(indptr, indices, values, row_scale)
    if status != 0:
        return status, unknown
    for i in range(n):
        d[i] = inverse_power_of_two(math.sqrt(row_scale[i]))
    for i in range(n):
        beside = 0.0
        diagonal = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j == i:
                diagonal = abs(values[k])
            else:
                beside = max(beside, abs(values[k]) * d[j])
        # the largest d with d² |a_ii| ≤ 1 and d · beside ≤ 1
        limit = max(beside, math.sqrt(diagonal))
        if limit > 0.0:
            d[i] = max(d[i], inverse_power_of_two(limit))
    for i in range(n):
        row_scale[i] = d[i]
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
