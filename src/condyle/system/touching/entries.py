"""Where products of unknowns stand in a sparse matrix."""

from condyle.laws.kernel import kernel


@kernel
def find_entries(indptr, indices, columns, out):
    """Places (m, nu²) of products of unknowns (m, nu) in a matrix stored by rows, columns in order; −1 if there is none."""
    nu = columns.shape[1]
    for m in range(columns.shape[0]):
        for u in range(nu):
            row = columns[m, u]
            at = -1  # products with neighbours stand beside each other
            for v in range(nu):
                column, found = columns[m, v], -1
                if row >= 0 and column >= 0:
                    if at >= 0 and at + 1 < indptr[row + 1] and indices[at + 1] == column:
                        found = at + 1
                    else:
                        low, high = indptr[row], indptr[row + 1]
                        while low < high:
                            middle = (low + high) // 2
                            if indices[middle] < column:
                                low = middle + 1
                            else:
                                high = middle
                        if low < indptr[row + 1] and indices[low] == column:
                            found = low
                out[m, u * nu + v] = at = found
