"""Vectors of three numbers that compiled code keeps in registers, out of arrays (bodies, ·, 3) and (bodies, ·, 3, 3)."""

from condyle.laws.kernel import kernel


@kernel(forceinline=True)
def vector(V, i, k):
    """Vector k of body i."""
    return V[i, k, 0], V[i, k, 1], V[i, k, 2]


@kernel(forceinline=True)
def set_vector(V, i, k, a):
    """Vector k of body i becomes a."""
    V[i, k, 0], V[i, k, 1], V[i, k, 2] = a[0], a[1], a[2]


@kernel(forceinline=True)
def line(M, i, k, row):
    """A line of matrix k of body i."""
    return M[i, k, row, 0], M[i, k, row, 1], M[i, k, row, 2]


@kernel(forceinline=True)
def set_line(M, i, k, row, a):
    """A line of matrix k of body i becomes a."""
    M[i, k, row, 0], M[i, k, row, 1], M[i, k, row, 2] = a[0], a[1], a[2]


@kernel(forceinline=True)
def add_line(M, i, k, row, a):
    """Add a to a line of matrix k of body i."""
    M[i, k, row, 0] += a[0]
    M[i, k, row, 1] += a[1]
    M[i, k, row, 2] += a[2]


@kernel(forceinline=True)
def times(M, i, k, a):
    """Matrix k of body i times a."""
    return dot(line(M, i, k, 0), a), dot(line(M, i, k, 1), a), dot(line(M, i, k, 2), a)


@kernel(forceinline=True)
def dot(a, b):
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel(forceinline=True)
def spanned(a, u, v, w):
    """a0 u + a1 v + a2 w."""
    return (
        a[0] * u[0] + a[1] * v[0] + a[2] * w[0],
        a[0] * u[1] + a[1] * v[1] + a[2] * w[1],
        a[0] * u[2] + a[1] * v[2] + a[2] * w[2],
    )


@kernel(forceinline=True)
def cross(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel(forceinline=True)
def plus(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel(forceinline=True)
def minus(a, b):
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel(forceinline=True)
def scaled(s, a):
    """s a."""
    return s * a[0], s * a[1], s * a[2]
