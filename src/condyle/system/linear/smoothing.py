"""The loops of a multigrid cycle over blocks of nodes: Gauss–Seidel, residuals, the way to and from a coarser system.

A range of rows is a *domain*: Gauss–Seidel goes through the rows of a domain in turn, each with the newest values of the
others in it, and takes values of other domains as they were before. So domains can be done at once in several threads, and the
result does not depend on how many threads there are. Where a row touches another domain, the sizes of these entries are
added to its diagonal (ℓ1, baker-2011), which keeps the cycle symmetric and positive definite.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.linear.coarsening import invert
from condyle.system.touching.entries import place_of


@kernel(nogil=True)
def set_up(ptr, col, val, low, high, diagonal, extra, inverse):
    """Of rows low to high: the place of the diagonal block, what is added to the diagonal, and the inverse of the sum."""
    b = val.shape[1]
    work, block = np.zeros((b, 2 * b)), np.zeros((b, b))
    for i in range(low, high):
        for p in range(b):
            extra[i, p] = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            if j == i:
                diagonal[i] = k
            elif j < low or j >= high:
                for p in range(b):
                    for q in range(b):
                        extra[i, p] += abs(val[k, p, q])
        for p in range(b):
            for q in range(b):
                block[p, q] = val[diagonal[i], p, q]
            block[p, p] += extra[i, p]
        invert(block, work)
        for p in range(b):
            for q in range(b):
                inverse[i, p, q] = work[p, b + q]


@kernel(nogil=True)
def forward(ptr, col, val, inverse, diagonal, rhs, low, high, x):
    """Gauss–Seidel from x = 0, from the first row of a domain to the last."""
    b = val.shape[1]
    t = np.zeros(b, np.float32)
    for i in range(low, high):
        for p in range(b):
            t[p] = rhs[i, p]
        for k in range(ptr[i], diagonal[i]):
            j = col[k]
            if j >= low:
                for p in range(b):
                    s = t[p]
                    for q in range(b):
                        s -= val[k, p, q] * x[j, q]
                    t[p] = s
        for p in range(b):
            s = np.float32(0.0)
            for q in range(b):
                s += inverse[i, p, q] * t[q]
            x[i, p] = s


@kernel(nogil=True)
def residual(ptr, col, val, diagonal, extra, x, low, high, r):
    """b − A x after `forward`: rows there had a zero residual, with the values that they saw; what they did not see is left."""
    b = val.shape[1]
    for i in range(low, high):
        for p in range(b):
            r[i, p] = extra[i, p] * x[i, p]
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            if j < low or j > i:
                for p in range(b):
                    s = r[i, p]
                    for q in range(b):
                        s -= val[k, p, q] * x[j, q]
                    r[i, p] = s


@kernel(nogil=True)
def backward(ptr, col, val, inverse, rhs, old, low, high, x):
    """Gauss–Seidel from the last row of a domain to the first; old: x before it, which is what other domains have."""
    b = val.shape[1]
    t = np.zeros(b, np.float32)
    for i in range(high - 1, low - 1, -1):
        for p in range(b):
            t[p] = rhs[i, p]
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            seen = x if low <= j < high else old
            for p in range(b):
                s = t[p]
                for q in range(b):
                    s -= val[k, p, q] * seen[j, q]
                t[p] = s
        for p in range(b):
            s = x[i, p]
            for q in range(b):
                s += inverse[i, p, q] * t[q]
            x[i, p] = s


@kernel(nogil=True)
def forward_3(ptr, col, val, inverse, diagonal, rhs, low, high, x):
    """`forward` for three unknowns at a node, written out."""
    for i in range(low, high):
        t0, t1, t2 = rhs[i, 0], rhs[i, 1], rhs[i, 2]
        for k in range(ptr[i], diagonal[i]):
            j = col[k]
            if j >= low:
                u0, u1, u2 = x[j, 0], x[j, 1], x[j, 2]
                t0 -= val[k, 0, 0] * u0 + val[k, 0, 1] * u1 + val[k, 0, 2] * u2
                t1 -= val[k, 1, 0] * u0 + val[k, 1, 1] * u1 + val[k, 1, 2] * u2
                t2 -= val[k, 2, 0] * u0 + val[k, 2, 1] * u1 + val[k, 2, 2] * u2
        x[i, 0] = inverse[i, 0, 0] * t0 + inverse[i, 0, 1] * t1 + inverse[i, 0, 2] * t2
        x[i, 1] = inverse[i, 1, 0] * t0 + inverse[i, 1, 1] * t1 + inverse[i, 1, 2] * t2
        x[i, 2] = inverse[i, 2, 0] * t0 + inverse[i, 2, 1] * t1 + inverse[i, 2, 2] * t2


@kernel(nogil=True)
def residual_3(ptr, col, val, diagonal, extra, x, low, high, r):
    """`residual` for three unknowns at a node, written out."""
    for i in range(low, high):
        t0, t1, t2 = extra[i, 0] * x[i, 0], extra[i, 1] * x[i, 1], extra[i, 2] * x[i, 2]
        k = ptr[i]
        while True:
            if k < diagonal[i] and col[k] >= low:
                k = diagonal[i] + 1  # what `forward` has seen
            if k == diagonal[i]:
                k += 1
            if k >= ptr[i + 1]:
                break
            j = col[k]
            u0, u1, u2 = x[j, 0], x[j, 1], x[j, 2]
            t0 -= val[k, 0, 0] * u0 + val[k, 0, 1] * u1 + val[k, 0, 2] * u2
            t1 -= val[k, 1, 0] * u0 + val[k, 1, 1] * u1 + val[k, 1, 2] * u2
            t2 -= val[k, 2, 0] * u0 + val[k, 2, 1] * u1 + val[k, 2, 2] * u2
            k += 1
        r[i, 0], r[i, 1], r[i, 2] = t0, t1, t2


@kernel(nogil=True)
def backward_3(ptr, col, val, inverse, rhs, old, low, high, x):
    """`backward` for three unknowns at a node, written out."""
    for i in range(high - 1, low - 1, -1):
        t0, t1, t2 = rhs[i, 0], rhs[i, 1], rhs[i, 2]
        for k in range(ptr[i], ptr[i + 1]):
            j = col[k]
            if low <= j < high:
                u0, u1, u2 = x[j, 0], x[j, 1], x[j, 2]
            else:
                u0, u1, u2 = old[j, 0], old[j, 1], old[j, 2]
            t0 -= val[k, 0, 0] * u0 + val[k, 0, 1] * u1 + val[k, 0, 2] * u2
            t1 -= val[k, 1, 0] * u0 + val[k, 1, 1] * u1 + val[k, 1, 2] * u2
            t2 -= val[k, 2, 0] * u0 + val[k, 2, 1] * u1 + val[k, 2, 2] * u2
        x[i, 0] += inverse[i, 0, 0] * t0 + inverse[i, 0, 1] * t1 + inverse[i, 0, 2] * t2
        x[i, 1] += inverse[i, 1, 0] * t0 + inverse[i, 1, 1] * t1 + inverse[i, 1, 2] * t2
        x[i, 2] += inverse[i, 2, 0] * t0 + inverse[i, 2, 1] * t1 + inverse[i, 2, 2] * t2


@kernel(nogil=True)
def restrict(ptr, col, val, r, coarse):
    """coarse = Pᵀ r."""
    b, c = val.shape[1], val.shape[2]
    coarse[:] = 0.0
    for i in range(ptr.size - 1):
        for k in range(ptr[i], ptr[i + 1]):
            g = col[k]
            for p in range(b):
                u = r[i, p]
                for q in range(c):
                    coarse[g, q] += val[k, p, q] * u


@kernel(nogil=True)
def prolong(ptr, col, val, coarse, low, high, x, old):
    """x += P coarse on rows low to high; old gets a copy."""
    b, c = val.shape[1], val.shape[2]
    for i in range(low, high):
        for k in range(ptr[i], ptr[i + 1]):
            g = col[k]
            for p in range(b):
                s = x[i, p]
                for q in range(c):
                    s += val[k, p, q] * coarse[g, q]
                x[i, p] = s
        for p in range(b):
            old[i, p] = x[i, p]


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
def take_blocks(indptr, values, scale, low, high, ptr, val):
    """Single-precision blocks of rows low to high of nodes, from the stored entries times a scale."""
    b = val.shape[1]
    for i in range(low, high):
        for k in range(ptr[i], ptr[i + 1]):
            for p in range(b):
                first = indptr[b * i + p] + b * (k - ptr[i])
                for q in range(b):
                    val[k, p, q] = scale * values[first + q]


@kernel(nogil=True)
def block_product(indptr, values, ptr, col, b, x, low, high, y):
    """y = A x on rows low to high of nodes, in double precision, from the stored entries."""
    for i in range(low, high):
        for p in range(b):
            s, first = 0.0, indptr[b * i + p]
            for k in range(ptr[i], ptr[i + 1]):
                j = b * col[k]
                for q in range(b):
                    s += values[first + q] * x[j + q]
                first += b
            y[b * i + p] = s


@kernel(nogil=True)
def block_product_3(indptr, values, ptr, col, x, low, high, y):
    """`block_product` for three unknowns at a node, written out."""
    for i in range(low, high):
        k0, k1, k2 = indptr[3 * i], indptr[3 * i + 1], indptr[3 * i + 2]
        s0 = s1 = s2 = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            j = 3 * col[k]
            u0, u1, u2 = x[j], x[j + 1], x[j + 2]
            s0 += values[k0] * u0 + values[k0 + 1] * u1 + values[k0 + 2] * u2
            s1 += values[k1] * u0 + values[k1 + 1] * u1 + values[k1 + 2] * u2
            s2 += values[k2] * u0 + values[k2 + 1] * u1 + values[k2 + 2] * u2
            k0 += 3
            k1 += 3
            k2 += 3
        y[3 * i], y[3 * i + 1], y[3 * i + 2] = s0, s1, s2


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


@kernel(nogil=True)
def full_product(A, x, y):
    """y = A x for a full matrix and vectors of blocks."""
    c = x.shape[1]
    for i in range(A.shape[0]):
        s = A.dtype.type(0.0)
        for j in range(A.shape[1]):
            s += A[i, j] * x[j // c, j % c]
        y[i // c, i % c] = s


@kernel(nogil=True)
def dot(x, y):
    """x · y. A loop: the threads of a BLAS wait for each other by spinning, which costs more on a busy machine."""
    s = 0.0
    for i in range(x.size):
        s += x[i] * y[i]
    return s


@kernel(nogil=True)
def as_single(r, scale, out):
    """r times a scale in single precision, by blocks."""
    b = out.shape[1]
    for i in range(out.shape[0]):
        for p in range(b):
            out[i, p] = scale * r[b * i + p]


@kernel(nogil=True)
def as_double(z, scale, out):
    """Blocks in single precision times a scale, one after the other."""
    b = z.shape[1]
    for i in range(z.shape[0]):
        for p in range(b):
            out[b * i + p] = scale * z[i, p]


@kernel(nogil=True)
def turn_direction(z, r, before, passed, p):
    """p = z + β p with β = z·(r − before) / passed (0 if that is 0); returns z · r."""
    along = change = 0.0
    for i in range(z.size):
        along += z[i] * r[i]
        change += z[i] * (r[i] - before[i])
    beta = change / passed if passed > 0.0 else 0.0
    for i in range(z.size):
        p[i] = z[i] + beta * p[i]
    return along


@kernel(nogil=True)
def go(length, p, Ap, x, r, before):
    """x += length p, r −= length A p, with r before it kept; returns |r|²."""
    size = 0.0
    for i in range(x.size):
        x[i] += length * p[i]
        before[i] = r[i]
        r[i] -= length * Ap[i]
        size += r[i] * r[i]
    return size


@kernel(nogil=True)
def orthogonalise(V, k, h):
    """Take the parts along V[0] … V[k] out of V[k + 1], put them into h, and the length that is left, which becomes 1."""
    n, w = V.shape[1], V[k + 1]
    for j in range(k + 1):
        along = 0.0
        for i in range(n):
            along += w[i] * V[j, i]
        h[j] = along
        for i in range(n):
            w[i] -= along * V[j, i]
    left = 0.0
    for i in range(n):
        left += w[i] * w[i]
    h[k + 1] = np.sqrt(left)
    if left > 0.0:
        for i in range(n):
            w[i] /= h[k + 1]


@kernel(nogil=True)
def add_directions(y, Z, x):
    """x += Σ y_k Z[k]."""
    for k in range(y.size):
        for i in range(x.size):
            x[i] += y[k] * Z[k, i]
