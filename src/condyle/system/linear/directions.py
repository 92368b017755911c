"""The vectors of Krylov methods: sums over them, and the steps along directions."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import numpy as np

from condyle.laws.kernel import kernel

__all__ = ["add_directions", "as_double", "as_single", "dot", "go", "orthogonalise", "turn_direction"]


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
