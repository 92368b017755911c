"""Elimination in small full matrices, with rows exchanged."""

from condyle.laws.kernel import kernel


@kernel
def pivot_row(n, A, k):
    """The row from k on with the largest entry in column k."""
    best = k
    for i in range(k + 1, n):
        if abs(A[i, k]) > abs(A[best, k]):
            best = i
    return best


@kernel
def exchange_rows(n, A, i, j):
    """Exchange two rows of the first n columns."""
    if i != j:
        for k in range(n):
            A[i, k], A[j, k] = A[j, k], A[i, k]


@kernel
def eliminate(n, A, b):
    """b becomes A⁻¹ b; A is overwritten. False where A is singular."""
    for k in range(n):
        top = pivot_row(n, A, k)
        if not abs(A[top, k]) > 0.0:
            return False
        exchange_rows(n, A, k, top)
        b[k], b[top] = b[top], b[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
                b[i] -= factor * b[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= A[k, j] * b[j]
        b[k] /= A[k, k]
    return True


@kernel
def factor(n, A, order):
    """A becomes its factors, rows exchanged as `order` says. False where A is singular."""
    for k in range(n):
        order[k] = pivot_row(n, A, k)
        if not abs(A[order[k], k]) > 0.0:
            return False
        exchange_rows(n, A, k, order[k])
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            if A[i, k] != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= A[i, k] * A[k, j]
    return True


@kernel
def solve(n, A, order, b):
    """b becomes A⁻¹ b, by the factors of A."""
    for k in range(n):
        b[k], b[order[k]] = b[order[k]], b[k]
    for i in range(n):
        for j in range(i):
            b[i] -= A[i, j] * b[j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= A[k, j] * b[j]
        b[k] /= A[k, k]


@kernel
def sign_of_determinant(n, A):
    """−1, 0 or 1; A is overwritten."""
    sign = 1.0
    for k in range(n):
        top = pivot_row(n, A, k)
        if not abs(A[top, k]) > 0.0:
            return 0.0
        if top != k:
            exchange_rows(n, A, k, top)
            sign = -sign
        if A[k, k] < 0.0:
            sign = -sign
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]
    return sign
