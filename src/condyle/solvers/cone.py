"""The exact cone of Coulomb: block Gauss–Seidel until it is clear what sticks, slips and opens, then semismooth Newton.

Gauss–Seidel (jean-1999) solves one contact after the other exactly, with the others as they are; its last digits come slowly.
Newton's method (alart-1991) takes all contacts at once and ends in a few iterations where the guess is near; each is taken only
if it makes the error smaller. So both are tried in turn, from the impulses of the step before. Where strong friction makes
contacts feel each other so much that Gauss–Seidel goes round in circles, the convex problems of `relaxed.py` are solved, each
with the slip of the one before, and friction is made to grow from none.

Problems with few rows begin with whole steps of Newton's method (`cone_newton.py`) from the impulses of the step before, from a
shorter projection, and from none: a rope on a pulley then takes ten of them. Their convex problems are solved by an
interior-point method (`interior.py`): a knot that is drawn tight takes one or two, and a few steps of Newton's method after.
A sheet that folds onto itself, with far more contacts than can be told apart, takes tens of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import splu

from condyle.solvers.acceleration import combine, make_room
from condyle.solvers.cone_newton import newton_steps
from condyle.solvers.gauss_seidel import sweeps
from condyle.solvers.interior import ConvexProblem
from condyle.solvers.problem import MOST_ROWS, Array, FrictionProblem, FrictionSolution
from condyle.solvers.relaxed import slip_lift, solve_relaxed

ROUNDS = 30  # convex problems,
PLAIN = (10, 50)  # where an interior-point method solves them: from which on they are not combined, and how many
SETTLING = 60  # sweeps before Newton's method after each of these
GROWTHS = 100  # steps in which friction grows
STALLED = 4  # rounds in which the error may stay above half of what it was
NEWTON = 12  # iterations of Newton's method in a round
SOFT = (
    1e-11  # of W, added to the diagonal for Newton's method: contacts that hold more than can move share their impulses
)
DENSE = 400  # rows up to which full matrices are faster
FULL = 1000  # rows up to which convex problems are solved with full matrices
FEW = 180  # rows up to which whole steps of Newton's method come first
WHOLE, BROKEN = 25, 60  # of these steps at most, from each start; and if every third is a short one
ANEW = 200  # sweeps before them where there are no impulses to begin with
THIRD = 0.3  # of such a step
SHORTER = 0.1  # factors of the projections, of a second attempt


def solve_cone(
    problem: FrictionProblem, *, start: Array | None = None, tolerance: float = 1e-10, sweeps_first: int = 20,
    most: int = 2000,
) -> FrictionSolution:  # fmt: skip
    """Impulses that meet Coulomb's law to `tolerance`, relative to the impulses at hand.

    start: impulses to begin with (n,) [N s], such as those of the step before. most: sweeps of Gauss–Seidel before it gives up
    and returns the best it has, with `converged` False and the residual reached. Redundant contacts share their impulses.
    """
    p = np.zeros(problem.size) if start is None else np.array(start, dtype=float)
    best = Best(p, problem.residual(p), 0)
    # Without impulses to begin with, sweeps come first: they put no impulses into what nothing moves.
    few, anew, rubs = problem.size <= FEW, not p.any(), bool(problem.mu.any())
    if best.error > tolerance and few and not anew:
        best = _by_few_rows(problem, best, tolerance, most)
    if best.error > tolerance:
        best = _in_turn(problem, best, tolerance, sweeps_first, min(most, ANEW) if few and anew else most)
    if best.error > tolerance and few and anew:
        best = _by_few_rows(problem, best, tolerance, most)
    if best.error > tolerance and not few:
        best = best.better(_by_convex_problems(problem, best.p, tolerance, most))
    if best.error > tolerance and rubs:
        best = best.better(_by_growing_friction(problem, tolerance))
    message = "" if best.error <= tolerance else f"an error of {best.error:.1e} is left after {best.work} sweeps"
    return problem.solution(best.p, best.work, tolerance, message)


class Best(NamedTuple):
    """The best impulses so far, their residual, and the sweeps and iterations that it took."""

    p: Array
    error: float
    work: int

    def better(self, other: Best) -> Best:
        """The better of two, with the work of both."""
        return (other if other.error < self.error else self)._replace(work=self.work + other.work)


def _by_few_rows(problem: FrictionProblem, best: Best, tolerance: float, most: int) -> Best:
    """Whole steps of Newton's method from three starts, convex problems, and Newton's method with short steps in between."""
    r, none = problem.factors, np.zeros(problem.size)
    starts = ((best.p, r, WHOLE, 1.0), (best.p, SHORTER * r, WHOLE, 1.0), (none, r, WHOLE, 1.0))
    last = ((best.p, r, BROKEN, THIRD), (none, SHORTER * r, BROKEN, THIRD))
    best = _by_whole_steps(problem, best, starts, tolerance)
    if best.error > tolerance:
        best = best.better(_by_convex_problems(problem, best.p, tolerance, most))
    return _by_whole_steps(problem, best, last, tolerance)


def _by_whole_steps(
    problem: FrictionProblem, best: Best, attempts: Sequence[tuple[Array, Array, int, float]], tolerance: float
) -> Best:
    """The best of Newton's method from several starts: impulses, factors of the projections, steps, length of every third."""
    for p, factors, most, third in attempts:
        if best.error <= tolerance:
            break
        best = best.better(_whole_steps(problem, p, factors, tolerance, most, third))
    return best


def _whole_steps(problem: FrictionProblem, p: Array, r: Array, tolerance: float, most: int, third: float = 1.0) -> Best:
    """The best of so many steps of Newton's method from p, with the factors r of the projections."""
    p, W = p.copy(), np.ascontiguousarray(problem.dense)
    count, _ = newton_steps(
        W, problem.q, problem.normal, problem.of, problem.rows, problem.mu, r, r * SOFT * problem.diagonal, p, tolerance,
        most, third,
    )  # fmt: skip
    return Best(p, problem.residual(p), int(count))


def _in_turn(problem: FrictionProblem, best: Best, tolerance: float, burst: int, most: int) -> Best:
    """Sweeps of Gauss–Seidel and Newton's method in turn."""
    p, stalled = best.p.copy(), 0
    while best.error > tolerance and best.work < most and stalled < STALLED:
        done = _sweep(problem, p, burst)
        found = _newton(problem, p, tolerance)
        stalled = 0 if found.error < 0.5 * best.error else stalled + 1
        best = best.better(found._replace(work=found.work + done))
        burst = min(2 * burst, 100)
    return best


def _by_growing_friction(problem: FrictionProblem, tolerance: float) -> Best:
    """The solution without friction, followed while the coefficients grow to what they are."""
    easier = copy(problem)
    easier.mu = np.zeros_like(problem.mu)
    at = _in_turn(easier, Best(np.zeros(problem.size), np.inf, 0), tolerance, 20, 200)
    share, step = 0.0, 0.1 * min(1.0, 1.0 / float(problem.mu.max()))
    for _ in range(GROWTHS):
        reach = min(share + step, 1.0)
        easier.mu = reach * problem.mu
        p = at.p.copy()
        done = _sweep(easier, p, 5)
        found = _newton(easier, p, tolerance)
        if found.error > tolerance:
            found = found.better(_newton(easier, at.p, tolerance))
        count = at.work + done + found.work
        if found.error <= tolerance:
            at, share, step = found, reach, 2.0 * step
        else:
            step *= 0.5
        at = at._replace(work=count)
        if share == 1.0 or step < 1e-6 * max(share, 1e-3):
            break
    return Best(at.p, problem.residual(at.p), at.work)


def _by_convex_problems(problem: FrictionProblem, p: Array, tolerance: float, most: int) -> Best:
    """Coulomb's law as a row of convex problems, each with the slip of the one before, and Newton's method after each."""
    best = Best(p, problem.residual(p), 0)
    inner = ConvexProblem(problem) if problem.size <= FULL and ConvexProblem.has_cones(problem) else None
    lift = np.zeros(problem.normal.size) if inner is not None else slip_lift(problem, problem.velocities(p))
    room, none = make_room(lift.size, 0), np.zeros(0)
    for k in range(ROUNDS if inner is None else PLAIN[1]):
        plain = inner is not None and k >= PLAIN[0]  # where contacts hold too much, combined ones go round in circles
        if inner is not None:
            p, work = inner.solve(lift)
        else:
            convex = solve_relaxed(problem, lift=lift, start=p, most=max(most // 4, 1), tolerance=1e-9)
            p, work = convex.impulses, convex.iterations
        found = _newton(problem, p, tolerance)
        if found.error > tolerance and problem.size <= FEW:
            found = found.better(_whole_steps(problem, p, problem.factors, tolerance, BROKEN, THIRD))
        if found.error > tolerance and plain:
            near = p.copy()
            done = _sweep(problem, near, SETTLING)
            found = found.better(_newton(problem, near, tolerance)._replace(work=done))
        best = best.better(found._replace(work=found.work + work))
        if best.error <= tolerance:
            break
        before, lift = lift, slip_lift(problem, problem.velocities(p))
        if not plain:
            room[0][:] = before
            combine(room, float(np.sum((lift - before) ** 2)), lift, none)
        lift = np.maximum(lift, 0.0)
    return best


def _sweep(problem: FrictionProblem, p: Array, most: int) -> int:
    """Sweeps of Gauss–Seidel, in place; how many."""
    W = problem.sparse
    return int(
        sweeps(
            W.indptr,
            W.indices,
            W.data,
            problem.q,
            problem.normal,
            problem.of,
            problem.rows,
            problem.mu,
            problem.joints,
            p,
            most,
        )
    )


def _newton(problem: FrictionProblem, p: Array, tolerance: float) -> Best:
    """Semismooth Newton from p, as far as each iteration makes the error smaller; of few rows, the best of whole steps."""
    if problem.size <= FEW:
        return _whole_steps(problem, p, problem.factors, tolerance, NEWTON)
    best, r = Best(p, problem.residual(p), 0), problem.factors
    while best.work < NEWTON and best.error > tolerance:
        F, system = _linearised(problem, best.p, r)
        try:
            step = _solve(system, F)
        except (RuntimeError, np.linalg.LinAlgError):
            break
        tried = best
        for factor in (1.0, 0.5, 0.25, 0.0625) if np.isfinite(step).all() else ():
            there = best.p - factor * step
            tried = Best(there, problem.residual(there), best.work + 1)
            if tried.error < best.error:
                break
        if not tried.error < best.error:
            break
        best = tried
    return best


def _linearised(problem: FrictionProblem, p: Array, r: Array) -> tuple[Array, Any]:
    """F(p) and its derivative, both in the size of impulses.

    F is r u where a contact or a disk holds, p where a contact is open, and p_t − μ p_n e(y) where it slips, y = p_t − r u_t.
    Where a disk slips, ∂F_t = 1 − (μ p_n/|y|) (1 − e eᵀ)(1 − r W) − μ e ∂p_n.
    """
    u, n = problem.velocities(p), problem.size
    normal, rows = problem.normal, problem.rows
    there = rows >= 0
    shut = p[normal] - r[normal] * u[normal] > 0.0
    own = np.zeros(n)  # diagonal of what multiplies δp itself
    held = np.ones(n)  # of what multiplies r W δp
    F = r * u
    open_rows = normal[~shut]
    own[open_rows], held[open_rows], F[open_rows] = 1.0, 0.0, p[open_rows]
    y = np.where(there, p[rows] - r[rows] * u[rows], 0.0)
    length = np.sqrt(np.sum(y * y, axis=1))
    press = np.maximum(p[normal[problem.of]], 0.0)
    bound = problem.mu * press
    slips = (length > bound) | ~shut[problem.of]
    e = y / np.where(length > 0.0, length, 1.0)[:, None]
    ratio = np.where(slips, bound / np.where(length > 0.0, length, 1.0), 0.0)
    ratio[~shut[problem.of]] = 0.0
    entries: list[tuple[Array, Array, Array]] = []
    left: list[tuple[Array, Array, Array]] = []  # what multiplies r W δp of slipping rows
    s = np.flatnonzero(slips)
    for i in range(MOST_ROWS):
        on = s[there[s, i]]
        at = rows[on, i]
        F[at] = p[at] - bound[on] * e[on, i] * shut[problem.of[on]]
        own[at], held[at] = 1.0, 0.0
        entries.append((at, normal[problem.of[on]], -problem.mu[on] * e[on, i] * shut[problem.of[on]]))
        for j in range(MOST_ROWS):
            both = on[there[on, j]]
            T = ratio[both] * ((i == j) - e[both, i] * e[both, j])
            entries.append((rows[both, i], rows[both, j], -T))
            left.append((rows[both, i], rows[both, j], T))
    A = _matrix(entries, n) + sp.diags_array(own)
    B = _matrix(left, n) + sp.diags_array(held)
    soft = sp.diags_array(r * SOFT * problem.diagonal)
    return F, A + B @ (sp.diags_array(r) @ problem.sparse + soft)


def _matrix(entries: list[tuple[Array, Array, Array]], n: int) -> Any:
    """A sparse matrix from its entries."""
    i, j, v = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sp.csr_array((v, (i.astype(np.int64), j.astype(np.int64))), shape=(n, n))


def _solve(A: Any, F: Array) -> Array:
    """A⁻¹ F; small matrices are full."""
    if F.size <= DENSE:
        return np.asarray(lu_solve(lu_factor(A.toarray(), check_finite=False), F, check_finite=False))
    return np.asarray(splu(A.tocsc()).solve(F))
