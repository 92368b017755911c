"""The rows of nodes in a matrix that is stored number by number: their blocks, in double and in single precision."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.linear.lines import add_block, no_lines, prefetch, put_line, totals
from condyle.system.touching.entries import place_of

__all__ = ["asymmetry", "block_product", "is_blocked", "node_graph", "take_blocks", "take_finite"]

AHEAD = 576  # numbers


@kernel
def is_blocked(indptr, indices, b):
    """Are the entries of a matrix in whole blocks of b rows and b columns?"""
    n = indptr.size - 1
    if n % b:
        return False
    for i in range(0, n, b):
        width = indptr[i + 1] - indptr[i]
        if width % b:
            return False
        for a in range(b):
            if indptr[i + a + 1] - indptr[i + a] != width:
                return False
            for k in range(width):
                j = indices[indptr[i + a] + k]
                if j % b != k % b or j - k % b != indices[indptr[i] + k - k % b]:
                    return False
    return True


@kernel
def node_graph(indptr, indices, b):
    """Rows and columns of blocks: ptr (nodes + 1,), col; for a matrix in whole blocks."""
    nodes = (indptr.size - 1) // b
    ptr = np.zeros(nodes + 1, np.int32)
    col = np.zeros(indices.size // (b * b), np.int32)
    for i in range(nodes):
        ptr[i + 1] = ptr[i] + (indptr[b * i + 1] - indptr[b * i]) // b
        for k in range(ptr[i], ptr[i + 1]):
            col[k] = indices[indptr[b * i] + b * (k - ptr[i])] // b
    return ptr, col


@kernel(nogil=True)
def take_finite(values, low, high, out):
    """Copy entries low to high; the place of the first that is not finite, −1 if all are."""
    found = True
    for e in range(low, high):
        out[e] = values[e]
        found &= abs(values[e]) < np.inf
    if not found:
        for e in range(low, high):
            if not np.isfinite(values[e]):
                return e
    return -1


@kernel(nogil=True)
def take_blocks(shape, values, scale, low, high, ptr, val):
    """Single-precision blocks of rows low to high of nodes, from the stored entries times a scale."""
    b = len(shape[0])
    for i in range(low, high):
        width = b * (ptr[i + 1] - ptr[i])
        first = b * b * ptr[i]
        for k in range(ptr[i], ptr[i + 1]):
            for p in range(b):
                for q in range(b):
                    val[k, p, q] = scale * values[first + p * width + q]
            first += b


@kernel(nogil=True)
def block_product(shape, values, ptr, col, x, low, high, y):
    """y = A x on rows low to high of nodes, in double precision, from the stored entries."""
    b = len(shape[0])
    for i in range(low, high):
        lines = no_lines(shape, values)
        width = b * (ptr[i + 1] - ptr[i])
        at = b * b * ptr[i]
        for k in range(ptr[i], ptr[i + 1]):
            for p in range(b):
                prefetch(values, at + p * width + AHEAD)
            lines = add_block(lines, values, at, width, x, b * col[k])
            at += b
        put_line(y, b * i, totals(lines))


@kernel
def asymmetry(indptr, values, ptr, col, b, every):
    """The largest |a_ij − a_ji| of every so many blocks, relative to the largest |a_ij|."""
    worst = top = 0.0
    n = ptr.size - 1
    for i in range(0, n, every):
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            across = place_of(i, col, ptr[j], ptr[j + 1])
            for p in range(b):
                for q in range(b):
                    one = values[indptr[b * i + p] + b * (k - ptr[i]) + q]
                    other = values[indptr[b * j + q] + b * (across - ptr[j]) + p] if across >= 0 else 0.0
                    worst = max(worst, abs(one - other))
                    top = max(top, abs(one))
    return worst / top if top > 0.0 else 0.0
