# mypy: allow-untyped-defs, no-check-untyped-defs
"""Semismooth Newton on the exact cone (alart-1991), compiled, with a full matrix: for contacts that feel each other strongly.

Whole steps are taken, whether or not the error falls in each: what sticks, slips and opens changes from one to the next, and
the error jumps until it is found. The best of all is kept.
"""

from math import sqrt

import numpy as np

from condyle.laws.kernel import kernel


@kernel
def newton_steps(W, q, normal, of, rows, mu, r, soft, p, tolerance, most, third):
    """At most so many steps from p (n,) [N s], in place, which ends as the best; returns steps and the error left.

    W (n, n); normal (c,), of (k,), rows (k, 3), mu (k,): as of a `FrictionProblem`; r (n,): factors of the projections; soft
    (n,): added to r W on the diagonal. third: factor of every third step, below 1 against going round in circles.
    """
    n = q.size
    u, F, A, best, line = np.empty(n), np.empty(n), np.empty((n, n)), p.copy(), np.empty(n)
    least = np.inf
    count = 0
    while True:
        times(W, q, p, u)
        error = law_error(q, u, normal, of, rows, mu, r, p)
        # Beyond the tolerance, as long as steps make much of a difference: what is left would add up over a run.
        enough = least <= tolerance and error > 0.1 * least
        if error < least:
            least = error
            best[:] = p
        if enough or count == most or least == 0.0:
            break
        _linearise(W, u, normal, of, rows, mu, r, soft, p, F, A)
        if not _eliminate(A, F, line):
            break
        finite, factor = True, third if count % 3 == 0 else 1.0
        for i in range(n):
            p[i] -= factor * F[i]
            finite = finite and abs(p[i]) < 1e300
        count += 1
        if not finite:
            break
    p[:] = best
    return count, least


@kernel
def _eliminate(A, b, line):
    """b becomes A⁻¹ b as `laws.dense.eliminate`, with the pivot row in a line of its own: twice as fast for tens of rows."""
    n = b.size
    for k in range(n):
        top = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[top, k]):
                top = i
        if not abs(A[top, k]) > 0.0:
            return False
        b[k], b[top] = b[top], b[k]
        for j in range(k, n):
            line[j] = A[top, j]
            A[top, j] = A[k, j]
            A[k, j] = line[j]
        for i in range(k + 1, n):
            own = A[i]
            factor = own[k] / line[k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    own[j] -= factor * line[j]
                b[i] -= factor * b[k]
    for k in range(n - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, n):
            total -= A[k, j] * b[j]
        b[k] = total / A[k, k]
    return True


@kernel
def times(W, q, p, u):
    """u = W p + q."""
    for i in range(q.size):
        total = q[i]
        for j in range(q.size):
            total += W[i, j] * p[j]
        u[i] = total


@kernel
def law_error(q, u, normal, of, rows, mu, r, p):
    """How far p is from its laws, relative to the impulses at hand, as `FrictionProblem.residual` has it."""
    size, other = 0.0, 0.0
    off = r * u
    for i in range(q.size):
        size += p[i] ** 2
        other += (r[i] * q[i]) ** 2
    for i in normal:
        off[i] = p[i] - max(p[i] - r[i] * u[i], 0.0)
    for k in range(of.size):
        bound = mu[k] * max(p[normal[of[k]]], 0.0)
        length = 0.0
        for a in range(3):
            i = rows[k, a]
            if i >= 0:
                length += (p[i] - r[i] * u[i]) ** 2
        length = sqrt(length)
        if length > bound:
            for a in range(3):
                i = rows[k, a]
                if i >= 0:
                    off[i] = p[i] - bound / length * (p[i] - r[i] * u[i])
    size = max(sqrt(size), sqrt(other))
    return sqrt(np.sum(off**2)) / size if size > 0.0 else 0.0


@kernel
def _linearise(W, u, normal, of, rows, mu, r, soft, p, F, A):
    """F(p) and its derivative A.

    F is r u where a contact or a disk holds, p where a contact is open, and p_t − μ p_n e(y) where it slips, y = p_t − r u_t.
    Where a disk slips, ∂F_t = 1 − (μ p_n/|y|) (1 − e eᵀ)(1 − r W) − μ e ∂p_n.
    """
    n = u.size
    for i in range(n):
        F[i] = r[i] * u[i]
        for j in range(n):
            A[i, j] = r[i] * W[i, j]
        A[i, i] += soft[i]
    for i in normal:
        if p[i] - r[i] * u[i] <= 0.0:
            F[i] = p[i]
            A[i, :] = 0.0
            A[i, i] = 1.0
    y = np.zeros(3)
    for k in range(of.size):
        front = normal[of[k]]
        shut = p[front] - r[front] * u[front] > 0.0
        bound = mu[k] * max(p[front], 0.0)
        length = 0.0
        for a in range(3):
            i = rows[k, a]
            y[a] = p[i] - r[i] * u[i] if i >= 0 else 0.0
            length += y[a] ** 2
        length = sqrt(length)
        if shut and length <= bound:
            continue
        ratio = bound / length if shut and length > 0.0 else 0.0
        if length > 0.0:
            y /= length
        for a in range(3):
            i = rows[k, a]
            if i < 0:
                continue
            F[i] = p[i] - bound * y[a] if shut else p[i]
            A[i, :] = 0.0
            for b in range(3):
                j = rows[k, b]
                if j < 0 or ratio == 0.0:
                    continue
                T = ratio * ((a == b) - y[a] * y[b])
                for m in range(n):
                    A[i, m] += T * r[j] * W[j, m]
                A[i, j] += T * (soft[j] - 1.0)
            A[i, i] += 1.0
            if shut:
                A[i, front] -= mu[k] * y[a]
