# mypy: allow-untyped-defs, no-check-untyped-defs
"""Models of friction on full matrices, compiled: what steps in compiled code call, and the solvers of this room where they can.

u = W p + q,   rows of contacts one after the other: one across and d − 1 along the surface each
"""

from math import sqrt

import numpy as np

from condyle.laws.dense import eliminate
from condyle.laws.kernel import kernel
from condyle.solvers.cone_newton import law_error, newton_steps, times
from condyle.solvers.gauss_seidel import sweeps
from condyle.solvers.lemke import lemke

FREE, LOWER, UPPER = 0, 1, 2
ROUND_OFF = 1e-12
PATIENCE = 10  # rounds in which exchanging all at once may fail to make the contradictions fewer
LOST = -1  # a pivot is lost: more is held than can move
SOFT = 1e-11  # of W, added to the diagonal for Newton's method, as of `cone.py`
WORSE = 0.1  # of the tolerance: an error that a sweep may leave
GIVEN, NONE, SWEPT = 0, 1, 2  # impulses that an attempt of Newton's method begins with
GROWTHS = 100  # steps in which friction grows
FAILED, TIRED, DIVERGED = 1, 2, 3


@kernel
def rows_of_contacts(k, d):
    """normal (k,), of (k,) and rows (k, 3) of contacts that stand one after the other."""
    normal, of, rows = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64), np.full((k, 3), -1)
    for i in range(k):
        normal[i], of[i] = d * i, i
        for a in range(1, d):
            rows[i, a - 1] = d * i + a
    return normal, of, rows


@kernel
def projection_factors(W, rows):
    """r of the projections (n,) [kg]: 1/W_ii, and of a disk the smallest of its rows."""
    n, largest = W.shape[0], 0.0
    for i in range(n):
        largest = max(largest, W[i, i])
    least = 1e-14 * largest if largest > 0.0 else 1.0
    r = np.empty(n)
    for i in range(n):
        r[i] = 1.0 / max(W[i, i], least)
    for k in range(rows.shape[0]):
        smallest = np.inf
        for a in range(3):
            if rows[k, a] >= 0:
                smallest = min(smallest, r[rows[k, a]])
        for a in range(3):
            if rows[k, a] >= 0:
                r[rows[k, a]] = smallest
    return r


# --- the exact cone ---------------------------------------------------------------------------------------------------


@kernel
def cone_steps(W, q, normal, of, rows, mu, r, attempts, p, tolerance):
    """Impulses p (n,) by Coulomb's law, in place; sweeps and iterations, and the error left.

    attempts (a, 5): where they begin, sweeps before them, steps at most, factors of every third step and of the projections;
    made until one is good enough. Where there are no impulses to begin with, sweeps come first; at last friction grows.
    """
    n = q.size
    soft, u, started = np.empty(n), np.empty(n), False
    for i in range(n):
        soft[i] = r[i] * SOFT * W[i, i]
        started = started or p[i] != 0.0
    count, least, best, given, swept = 0, np.inf, p.copy(), p.copy(), p.copy()
    if not started:
        count, least = _in_turn(W, q, normal, of, rows, mu, r, soft, p, tolerance)
        best[:] = p
        given[:] = p
    for attempt in range(attempts.shape[0]):
        if least <= tolerance:
            break
        begins, before, most = int(attempts[attempt, 0]), int(attempts[attempt, 1]), int(attempts[attempt, 2])
        third, shorter = attempts[attempt, 3], attempts[attempt, 4]
        if begins == GIVEN:
            p[:] = given
        elif begins == NONE:
            p[:] = 0.0
        else:
            p[:] = swept
        if before > 0:
            count += _sweep(W, q, normal, of, rows, mu, p, before)
            swept[:] = p
        done, _ = newton_steps(
            W, q, normal, of, rows, mu, shorter * r, shorter * soft, p, tolerance, most, third
        )  # fmt: skip
        times(W, q, p, u)
        error = law_error(q, u, normal, of, rows, mu, r, p)
        count += done
        if error < least:
            least = error
            best[:] = p
    p[:] = best
    if least > tolerance:
        done, error = _growing(W, q, normal, of, rows, mu, r, soft, p, tolerance)
        count += done
        if error < least:
            return count, error
        p[:] = best
    return count, least


@kernel
def sweep_after(W, q, normal, of, rows, mu, r, p, tolerance):
    """One sweep from impulses that are good enough, in place; the error then. Undone where it makes a difference for the worse.

    What is left of the law after a step would add up over a run: Newton's method does not better it, since it ends at the
    round-off of its matrix, nor would anybody else until it is more than the tolerance.
    """
    before, u = p.copy(), np.empty(q.size)
    times(W, q, p, u)
    error = law_error(q, u, normal, of, rows, mu, r, p)
    _sweep(W, q, normal, of, rows, mu, p, 1)
    times(W, q, p, u)
    left = law_error(q, u, normal, of, rows, mu, r, p)
    if not left <= max(error, WORSE * tolerance):
        p[:] = before
        return error
    return left


@kernel
def _sweep(W, q, normal, of, rows, mu, p, most):
    """Sweeps of Gauss–Seidel with a full matrix."""
    n = q.size
    start, column = np.empty(n + 1, dtype=np.int64), np.empty(n * n, dtype=np.int64)
    for i in range(n):
        start[i] = n * i
        for j in range(n):
            column[n * i + j] = j
    start[n] = n * n
    return sweeps(start, column, W.ravel(), q, normal, of, rows, mu, np.zeros(0, dtype=np.int64), p, most)


@kernel
def _in_turn(W, q, normal, of, rows, mu, r, soft, p, tolerance):
    """Sweeps and Newton's method in turn, in place."""
    count, burst, least, best, stalled = 0, 20, np.inf, p.copy(), 0
    while count < 200 and stalled < 4 and least > tolerance:
        count += _sweep(W, q, normal, of, rows, mu, p, burst)
        kept = p.copy()
        done, error = newton_steps(W, q, normal, of, rows, mu, r, soft, p, tolerance, 12, 1.0)
        count += done
        stalled = 0 if error < 0.5 * least else stalled + 1
        if error < least:
            least = error
            best[:] = p
        p[:] = kept
        burst = min(2 * burst, 100)
    p[:] = best
    return count, least


@kernel
def _growing(W, q, normal, of, rows, mu, r, soft, p, tolerance):
    """The solution without friction, followed while the coefficients grow to what they are; in place."""
    largest = mu.max()
    easier = np.zeros(mu.size)
    p[:] = 0.0
    count, error = _in_turn(W, q, normal, of, rows, easier, r, soft, p, tolerance)
    if largest == 0.0:
        return count, error
    share, step, at = 0.0, 0.1 * min(1.0, 1.0 / largest), p.copy()
    for _ in range(GROWTHS):
        reach = min(share + step, 1.0)
        for i in range(mu.size):
            easier[i] = reach * mu[i]
        p[:] = at
        count += _sweep(W, q, normal, of, rows, easier, p, 5)
        done, error = newton_steps(W, q, normal, of, rows, easier, r, soft, p, tolerance, 12, 1.0)
        count += done
        if error > tolerance:
            p[:] = at
            done, error = newton_steps(W, q, normal, of, rows, easier, r, soft, p, tolerance, 12, 1.0)
            count += done
        if error <= tolerance:
            at[:] = p
            share, step = reach, 2.0 * step
        else:
            step *= 0.5
        if share == 1.0 or step < 1e-6 * max(share, 1e-3):
            break
    p[:] = at
    u = np.empty(q.size)
    times(W, q, p, u)
    return count, law_error(q, u, normal, of, rows, mu, r, p)


# --- the box ----------------------------------------------------------------------------------------------------------


@kernel
def bounded_pivots(A, b, low, high, state, most, z, w):
    """w = A z + b with l ≤ z ≤ u by block principal pivoting from a guess, in place; rounds, or LOST where a pivot is lost.

    A round number of `most` + 1 says that contradictions are left.
    """
    n, size = b.size, 1e-300
    for i in range(n):
        size = max(size, abs(b[i]))
    fewest, patience = n + 1, PATIENCE
    free, wrong, L, y = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n, n)), np.empty(n)
    for count in range(1, most + 1):
        m = 0
        for i in range(n):
            z[i] = low[i] if state[i] == LOWER else high[i] if state[i] == UPPER else 0.0
            if state[i] == FREE:
                free[m] = i
                m += 1
        for a in range(m):
            total = b[free[a]]
            for j in range(n):
                if state[j] != FREE:
                    total += A[free[a], j] * z[j]
            y[a] = -total
        if not _cholesky(A, free, m, L, y):
            return LOST
        for a in range(m):
            z[free[a]] = y[a]
        reach = 1.0
        for i in range(n):
            reach = max(reach, abs(z[i]))
        reach *= ROUND_OFF
        bad, last = 0, -1
        for i in range(n):
            wrong[i] = -1
            if state[i] == FREE:
                w[i] = 0.0
                if z[i] < low[i] - reach:
                    wrong[i] = LOWER
                if z[i] > high[i] + reach:
                    wrong[i] = UPPER
            else:
                total = b[i]
                for j in range(n):
                    total += A[i, j] * z[j]
                w[i] = total
                pulls = total < -ROUND_OFF * size if state[i] == LOWER else total > ROUND_OFF * size
                if pulls and low[i] < high[i]:
                    wrong[i] = FREE
            if wrong[i] >= 0:
                bad, last = bad + 1, i
        if bad == 0:
            return count
        if bad < fewest:
            fewest, patience = bad, PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            state[last] = wrong[last]
            continue
        for i in range(n):
            if wrong[i] >= 0:
                state[i] = wrong[i]
    return most + 1


@kernel
def _cholesky(A, free, m, L, y):
    """y becomes A_ff⁻¹ y; False where a pivot is lost."""
    for i in range(m):
        for j in range(i + 1):
            total = A[free[i], free[j]]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if not total > 1e-14 * A[free[i], free[i]]:
                    return False
                L[i, i] = sqrt(total)
            else:
                L[i, j] = total / L[j, j]
    for i in range(m):
        for k in range(i):
            y[i] -= L[i, k] * y[k]
        y[i] /= L[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            y[i] -= L[k, i] * y[k]
        y[i] /= L[i, i]
    return True


@kernel
def box_pivots(W, q, normal, of, rows, mu, p):
    """Impulses of the box model with one pass, in place; rounds and what came of them, as `box.solve_box`."""
    n, most = q.size, 1000
    low, high, state, w = np.zeros(n), np.zeros(n), np.full(n, LOWER), np.empty(n)
    for i in normal:
        high[i] = np.inf
        state[i] = LOWER if q[i] >= 0.0 else FREE
    first = bounded_pivots(W, q, low, high, state, most, p, w)
    if first == LOST:
        return 0, FAILED
    for k in range(of.size):
        bound = mu[k] * max(p[normal[of[k]]], 0.0)
        for a in range(3):
            if rows[k, a] >= 0:
                low[rows[k, a]], high[rows[k, a]] = -bound, bound
    for i in range(n):
        state[i] = LOWER if p[i] <= low[i] else UPPER if p[i] >= high[i] else FREE
    second = bounded_pivots(W, q, low, high, state, most, p, w)
    if second == LOST:
        return 0, FAILED
    return min(first, most) + min(second, most), TIRED if second > most else 0


# --- projections ------------------------------------------------------------------------------------------------------


@kernel
def project(normal, of, rows, mu, p, u, r, out):
    """What p would be by its laws with the velocities u, friction with the new normal impulses; out (n,)."""
    for i in range(p.size):
        out[i] = p[i] - r[i] * u[i]
    for i in normal:
        out[i] = max(out[i], 0.0)
    for k in range(of.size):
        bound, length = mu[k] * out[normal[of[k]]], 0.0
        for a in range(3):
            if rows[k, a] >= 0:
                length += out[rows[k, a]] ** 2
        length = sqrt(length)
        if length > bound:
            for a in range(3):
                if rows[k, a] >= 0:
                    out[rows[k, a]] *= bound / length


@kernel
def prox_sweeps(W, q, normal, of, rows, mu, base, zeta, decay, most, tolerance, p):
    """Projections of all contacts at once until p changes by less than `tolerance`, in place; sweeps and what came of them.

    decay: of the factor ζ from sweep to sweep, 0: it adapts itself. A factor that has become small is no sign of a solution, so
    what changes is measured as if it had not.
    """
    n, last, factor = q.size, np.inf, zeta
    u, new, r = np.empty(n), np.empty(n), np.empty(n)
    for count in range(1, most + 1):
        times(W, q, p, u)
        for i in range(n):
            r[i] = factor * base[i]
        project(normal, of, rows, mu, p, u, r, new)
        change, size = 0.0, 0.0
        for i in range(n):
            change += (new[i] - p[i]) ** 2
            size += new[i] ** 2
        change = sqrt(change) / factor
        if not change < np.inf:
            return count, DIVERGED
        scale = zeta
        if decay > 0.0:
            factor *= decay
        else:
            factor = max(0.5 * factor, 1e-4 * zeta) if change > last else min(1.05 * factor, 4.0 * zeta)
            scale = factor
        p[:] = new
        last = change
        if change * scale <= tolerance * max(sqrt(size), 2.3e-308):
            return count, 0
    return most, TIRED


# --- facets -----------------------------------------------------------------------------------------------------------


@kernel
def polyhedral_pivots(W, q, normal, of, rows, mu, directions, p):
    """Impulses of a cone with facets by Lemke's method, as `polyhedral.solve_polyhedral`; pivots and what came of them."""
    c, k = normal.size, of.size
    each = np.empty(k, dtype=np.int64)
    for j in range(k):
        each[j] = 2 if rows[j, 1] < 0 else directions
    m = int(np.sum(each))
    # A column has one or two entries: the row of a normal, or both rows of a disk.
    first, second, cosine, sine = np.full(c + m, -1), np.full(c + m, -1), np.ones(c + m), np.zeros(c + m)
    disk, at = np.full(c + m, -1), c
    for i in range(c):
        first[i] = normal[i]
    for j in range(k):
        for a in range(each[j]):
            angle = 2.0 * np.pi * a / each[j]
            first[at], cosine[at], disk[at] = rows[j, 0], np.cos(angle), j
            if each[j] > 2 or rows[j, 1] >= 0:
                second[at], sine[at] = rows[j, 1], np.sin(angle)
            at += 1
    n = c + m + k
    M, b = np.zeros((n, n)), np.zeros(n)
    half = np.empty(q.size)
    size = 2.3e-308
    for j in range(c + m):
        b[j] = cosine[j] * q[first[j]]
        for i in range(q.size):
            half[i] = cosine[j] * W[i, first[j]]
        if second[j] >= 0:
            b[j] += sine[j] * q[second[j]]
            for i in range(q.size):
                half[i] += sine[j] * W[i, second[j]]
        for i in range(c + m):
            M[i, j] = cosine[i] * half[first[i]]
            if second[i] >= 0:
                M[i, j] += sine[i] * half[second[i]]
            size = max(size, abs(M[i, j]))
    # Multipliers of slip are velocities and impulses are not: one size for both keeps the pivots of a size.
    for j in range(c, c + m):
        M[j, c + m + disk[j]] = size
        M[c + m + disk[j], j] = -size
    for j in range(k):
        M[c + m + j, of[j]] = size * mu[j]
    z = np.zeros(n)
    status, count = lemke(M, b, 50 * n + 100, z)
    p[:] = 0.0
    for j in range(c + m):
        p[first[j]] += cosine[j] * z[j]
        if second[j] >= 0:
            p[second[j]] += sine[j] * z[j]
    return count, status


# --- springs ----------------------------------------------------------------------------------------------------------


@kernel
def penalty_impulses(W, q, d, gap, slip, mu, weight, h, compliance, creep, p):
    """Points that are inside are held by springs, friction is known beforehand; False where that has no solution."""
    k = gap.size
    p[:] = 0.0
    inside, m = np.empty(k, dtype=np.int64), 0
    for i in range(k):
        press, speed = h * max(-gap[i], 0.0) * weight[i] / compliance, 0.0
        for a in range(d - 1):
            speed += slip[i, a] ** 2
        for a in range(d - 1):
            p[d * i + 1 + a] = -mu[i] * press / max(sqrt(speed), creep) * slip[i, a]
        if gap[i] < 0.0:
            inside[m] = d * i
            m += 1
    A, y = np.empty((m, m)), np.empty(m)
    for a in range(m):
        total = q[inside[a]]
        for j in range(q.size):
            total += W[inside[a], j] * p[j]
        y[a] = -total
        for b in range(m):
            A[a, b] = W[inside[a], inside[b]]
    if not eliminate(m, A, y):
        return False
    for a in range(m):
        p[inside[a]] = y[a]
    return True
