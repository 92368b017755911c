"""Newton's method for contacts of one large part, on its velocities: the matrix keeps the band of the part.

    δp = a − D J δv,   (A + Jᵀ D J) δv = Jᵀ a

as in `body_newton.py`. A cable on a cylinder touches it in many points, and A⁻¹ between all of them is full; but a point acts
on the unknowns of its own element, which A connects already. So Jᵀ D J fits into the pattern of A, and an iteration costs one
factorisation of a matrix with the band of the cable, however many points there are. Where points bring parts together that A
does not connect, such as those of a sheet that folds, the pattern gets room for them (`with_room`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from condyle.laws.kernel import kernel
from condyle.solvers.body_newton import into_cones, invert_block, linearised, resolve_changes
from condyle.solvers.body_sweeps import SparseRows, residual_of, times_rows

Array = NDArray[np.float64]
Index = NDArray[np.int64]
MOST = 30  # iterations
PATIENCE = 8  # of them that may pass without one that is better than the best: what closes and slips is found first
ROUNDS = 4  # in which velocities are made anew from the impulses
NO_DISKS, NO_LEVERS = np.zeros((0, 3), dtype=np.int64), np.zeros(0)


class Matrix(NamedTuple):
    """A matrix in compressed rows, that answers impulses by velocities."""

    indptr: Index
    indices: Index
    values: Array


class Found(NamedTuple):
    """Impulses, the velocities of the unknowns with them, and what is left of the residual."""

    p: Array
    v: Array
    iterations: int
    residual: float


def fits(d: int, J: SparseRows, matrix: Matrix) -> bool:
    """Do the unknowns of each contact meet in the pattern of the matrix?"""
    return bool(_fits(d, J.start, J.column, matrix.indptr, matrix.indices))


def with_room(d: int, J: SparseRows, matrix: Matrix) -> Matrix:
    """The matrix with entries of 0 where contacts bring unknowns together that it does not connect."""
    first = J.start[:-1:d]
    count = J.start[1::d] - first
    i, j, n = [], [], matrix.indptr.size - 1
    for size in np.unique(count):
        at = J.column[first[count == size, None] + np.arange(size)]  # unknowns of each contact
        i.append(np.repeat(at, size, axis=1).ravel())
        j.append(np.tile(at, (1, size)).ravel())
    rows = np.concatenate((np.repeat(np.arange(n), np.diff(matrix.indptr)), *i))
    columns = np.concatenate((matrix.indices, *j))
    values = np.concatenate((matrix.values, np.zeros(rows.size - matrix.values.size)))
    made = sp.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
    made.sort_indices()
    return Matrix(made.indptr.astype(np.int64), made.indices.astype(np.int64), made.data)


def solver_of(matrix: Matrix) -> Callable[[Array, Array], Array]:
    """Solutions with values in the pattern of a matrix that no solver of the system knows."""
    n = matrix.indptr.size - 1

    def solve(values: Array, b: Array) -> Array:
        # Compressed rows of a matrix are compressed columns of its transpose.
        turned = sp.csc_array((values, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)), shape=(n, n))
        try:
            factors: Any = splu(turned)
            return np.asarray(factors.solve(b, trans="T"))
        except RuntimeError:  # singular: the caller sees that nothing has come of it
            return np.full(n, np.nan)

    return solve


def newton_on_velocities(
    d: int, J: SparseRows, matrix: Matrix, solve: Callable[[Array, Array], Array], shift: Array, soft: Array, mu: Array,
    free: Array, start: Array, tolerance: float,
) -> Found:  # fmt: skip
    """Impulses of contacts with d rows each from `start` on, u = J v + shift + soft p.

    solve(values, b): the solution with other values of the matrix; free: velocities of unknowns without contact (n,).
    """
    m, n, k = shift.size, free.size, mu.size
    rows = (J.start, J.column, J.value)
    W, none = np.empty((k, d, d)), np.zeros(m)
    _own_answers(d, *rows, *matrix, soft, W)
    rates, u, a, dp = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    times_rows(*rows, free, rates)
    rates += shift
    whole = (d, *rows, W, none, shift, soft, mu, NO_DISKS, NO_LEVERS, rates)
    p = start.copy()
    v = free + solve(matrix.values, _force(rows, p, n)) if p.any() else free.copy()
    best = Found(p, v, 0, float(residual_of(*whole, p, v)))
    cross, shut, D, rho = np.empty((m, 4)), np.zeros(k, dtype=np.bool_), np.zeros((3, 4)), np.zeros(3)
    taken = 0
    for _ in range(ROUNDS):
        waits, near = 0, best
        p, v = best.p, best.v
        while near.residual > tolerance and waits < PATIENCE and taken < MOST:
            times_rows(*rows, v, u)
            u += shift + soft * p
            linearised(d, W, none, soft, mu, NO_DISKS, NO_LEVERS, u, p, a, cross, shut, D, rho)
            values = matrix.values.copy()
            _add_contacts(d, *rows, a, cross, shut, matrix.indptr, matrix.indices, values)
            dv = solve(values, _force(rows, a, n))
            resolve_changes(d, *rows, a, cross, shut, NO_DISKS, dv, dp)
            p, v, taken = p + dp, v + dv, taken + 1
            left = float(residual_of(*whole, p, v))
            if not np.isfinite(left):
                break
            waits = 0 if left < 0.5 * near.residual else waits + 1
            if left < near.residual:
                near = Found(p, v, taken, left)
        if near is best:
            break
        # Stiff contacts leave round-off in v, which belongs to p only as far as that; what is left goes into the next round.
        p = near.p.copy()
        into_cones(d, mu, NO_DISKS, NO_LEVERS, p)
        v = free + solve(matrix.values, _force(rows, p, n))
        left = float(residual_of(*whole, p, v))
        if not left < best.residual:
            break
        best = Found(p, v, taken, left)
    return best._replace(iterations=taken)


def _force(rows: tuple[Index, Index, Array], p: Array, n: int) -> Array:
    """Jᵀ p (n,)."""
    out = np.zeros(n)
    add_forces(*rows, p, out)
    return out


@kernel
def add_forces(js, jc, jv, p, out):
    """out += Jᵀ p."""
    for i in range(js.size - 1):
        if p[i] != 0.0:
            for s in range(js[i], js[i + 1]):
                out[jc[s]] += p[i] * jv[s]


@kernel
def _slot(indptr, indices, row, column):
    """Where an entry is, −1 if it is not there; columns stand in order."""
    low, high = indptr[row], indptr[row + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < column:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[row + 1] and indices[low] == column else -1


@kernel
def _fits(d, js, jc, indptr, indices):
    for c in range((js.size - 1) // d):
        first, last = js[d * c], js[d * c + 1]
        for a in range(d):  # rows of a contact act on the same unknowns
            if js[d * c + a + 1] - js[d * c + a] != last - first:
                return False
        for s in range(first, last):
            for t in range(first, last):
                if _slot(indptr, indices, jc[s], jc[t]) < 0:
                    return False
    return True


@kernel
def _own_answers(d, js, jc, jv, indptr, indices, A, soft, W):
    """J A⁻¹ Jᵀ of each contact (k, d, d) with all unknowns but its own held: less than they answer, and no solution of all."""
    most = 0
    for c in range(W.shape[0]):
        most = max(most, js[d * c + 1] - js[d * c])
    K, swap = np.empty(most * most), np.empty(max(most, 1), dtype=np.int64)
    for c in range(W.shape[0]):
        first, n = js[d * c], js[d * c + 1] - js[d * c]
        for s in range(n):
            for t in range(n):
                K[s * n + t] = A[_slot(indptr, indices, jc[first + s], jc[first + t])]
        good = invert_block(K, 0, n, swap)
        for a in range(d):
            for b in range(d):
                total = 0.0
                for s in range(n):
                    for t in range(n):
                        total += jv[js[d * c + a] + s] * K[s * n + t] * jv[js[d * c + b] + t]
                W[c, a, b] = total if good else 0.0
            W[c, a, a] += soft[d * c + a]


@kernel
def _add_contacts(d, js, jc, jv, a, cross, shut, indptr, indices, K):
    """K += Jᵀ D J; a of disks that slip gets what the normal adds to it."""
    most = 0
    for c in range(shut.size):
        most = max(most, js[d * c + 1] - js[d * c])
    D = np.zeros((d, d))
    for c in range(shut.size):
        if not shut[c]:
            continue
        i = d * c
        first, n = js[i], js[i + 1] - js[i]
        for b in range(d):
            for e in range(d):
                D[b, e] = 0.0
        D[0, 0] = cross[i, 0]
        for b in range(1, d):
            a[i + b] += cross[i + b, 0] * a[i]
            D[b, 0] = cross[i + b, 0] * cross[i, 0]
            for e in range(1, d):
                D[b, e] = cross[i + b, e]
        for s in range(n):
            for t in range(n):
                total = 0.0
                for b in range(d):
                    for e in range(d):
                        total += jv[js[i + b] + s] * D[b, e] * jv[js[i + e] + t]
                if total != 0.0:
                    K[_slot(indptr, indices, jc[first + s], jc[first + t])] += total
