"""Where products of unknowns stand in a sparse matrix."""

import numpy as np

from condyle.laws.kernel import kernel


@kernel
def place_of(wanted, values, begin, end):
    """Where a number stands among values[begin:end], which are in order; −1 if it does not."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and values[low] == wanted else -1


@kernel
def find_entries(indptr, indices, rows, columns, out):
    """Places (m, p q) of products of unknowns (m, p) with others (m, q) in a matrix stored by rows, columns in order.

    −1 if there is none.
    """
    nu = columns.shape[1]
    for m in range(columns.shape[0]):
        for u in range(rows.shape[1]):
            row = rows[m, u]
            at = -1  # products with neighbours stand beside each other
            for v in range(nu):
                column, found = columns[m, v], -1
                if row >= 0 and column >= 0:
                    if at >= 0 and at + 1 < indptr[row + 1] and indices[at + 1] == column:
                        found = at + 1
                    else:
                        found = place_of(column, indices, indptr[row], indptr[row + 1])
                out[m, u * nu + v] = at = found


@kernel
def with_couples(indptr, indices, columns):
    """The pattern of a matrix stored by rows, with room for all products of unknowns that are coupled (m, nu), −1 for none."""
    n, nu = indptr.size - 1, columns.shape[1]
    start = np.zeros(n + 1, dtype=np.int64)
    for m in range(columns.shape[0]):
        for u in range(nu):
            if columns[m, u] >= 0:
                start[columns[m, u] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    of, filled = np.empty(start[n], dtype=np.int64), start[:-1].copy()
    for m in range(columns.shape[0]):
        for u in range(nu):
            i = columns[m, u]
            if i >= 0:
                of[filled[i]] = m
                filled[i] += 1
    pointer, seen = np.zeros(n + 1, dtype=indptr.dtype), np.full(n, -1, dtype=np.int64)
    found = np.empty(0, dtype=indices.dtype)
    for fill in (False, True):  # first they are counted, then written
        for i in range(n):
            seen[i] = -1
        if fill:
            found = np.empty(pointer[n], dtype=indices.dtype)
        at = 0
        for i in range(n):
            first = at
            for e in range(indptr[i], indptr[i + 1]):
                if fill:
                    found[at] = indices[e]
                seen[indices[e]] = i
                at += 1
            for e in range(start[i], start[i + 1]):
                for u in range(nu):
                    j = columns[of[e], u]
                    if j >= 0 and seen[j] != i:
                        if fill:
                            found[at] = j
                        seen[j] = i
                        at += 1
            if not fill:
                pointer[i + 1] = at
            else:
                found[first:at].sort()
    return pointer, found
