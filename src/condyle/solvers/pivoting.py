"""The bounded complementarity problem w = A z + b, l ≤ z ≤ u: w ≥ 0 at the lower bound, ≤ 0 at the upper, 0 in between.

Block principal pivoting (judice-1994): guess of each z whether it is free or at a bound, solve for the free ones, exchange all
that contradict the guess at once; where that does not make them fewer for some rounds, exchange only the last one of them,
which always comes to an end for positive definite A (murty-1974).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lstsq

from condyle.errors import InputError
from condyle.solvers.dense import FREE, LOST, LOWER, PATIENCE, ROUND_OFF, UPPER, bounded_pivots

Array = NDArray[np.float64]


class BoundedSolution(NamedTuple):
    """z and w of `solve_bounded`, how many systems of equations were solved, and whether no contradiction is left."""

    z: Array
    w: Array
    iterations: int
    converged: bool


def solve_bounded(
    A: ArrayLike, b: ArrayLike, lower: ArrayLike, upper: ArrayLike, *, most: int = 1000, start: ArrayLike | None = None
) -> BoundedSolution:
    """Solve the bounded problem; A (n, n) symmetric positive (semi)definite, bounds may be infinite.

    start: z to take the first guess from.
    """
    A, b = np.asarray(A, dtype=float), np.asarray(b, dtype=float)
    low, high = (np.broadcast_to(np.asarray(a, dtype=float), b.shape) for a in (lower, upper))
    if (low > high).any():
        worst = int(np.argmax(low - high))
        raise InputError(
            f"solve_bounded: the lower bound of z[{worst}], {low[worst]:g}, is above the upper, {high[worst]:g}"
        )
    size = max(float(np.abs(b).max(initial=0.0)), np.finfo(float).tiny)
    state = _first(b, low, high, start)
    guess, z, w = state.astype(np.int64), np.zeros_like(b), b.copy()
    count = int(bounded_pivots(np.ascontiguousarray(A), b, low.copy(), high.copy(), guess, most, z, w))
    if count != LOST:
        return BoundedSolution(z if count <= most else np.clip(z, low, high), w, min(count, most), count <= most)
    # More is held than can move: with the shortest of all solutions of each guess.
    fewest, patience, seen = b.size + 1, PATIENCE, 0
    z, w = np.zeros_like(b), b.copy()
    for iteration in range(1, most + 1):
        z, w = _solve(A, b, low, high, state)
        reach = ROUND_OFF * max(1.0, float(np.abs(z).max(initial=0.0)))
        wrong = np.zeros(b.size, dtype=np.int8)
        wrong[(state == FREE) & (z < low - reach)] = 1 + LOWER
        wrong[(state == FREE) & (z > high + reach)] = 1 + UPPER
        pulls = ((state == LOWER) & (w < -ROUND_OFF * size)) | ((state == UPPER) & (w > ROUND_OFF * size))
        wrong[pulls & (low < high)] = 1 + FREE
        bad = np.flatnonzero(wrong)
        if not bad.size:
            return BoundedSolution(z, w, iteration, True)
        if bad.size < fewest:
            fewest, patience = bad.size, PATIENCE
        elif patience:
            patience -= 1
        else:
            bad = bad[-1:]
        state[bad] = wrong[bad] - 1
        seen = iteration
    return BoundedSolution(np.clip(z, low, high), w, seen, False)


def _first(b: Array, low: Array, high: Array, start: ArrayLike | None) -> NDArray[np.int8]:
    """The first guess: free where there is no bound, else from `start`, or by the sign of b."""
    state = np.zeros(b.size, dtype=np.int8)
    if start is not None:
        z = np.asarray(start, dtype=float)
        state[z <= low], state[z >= high] = LOWER, UPPER
    else:
        state[(b >= 0.0) & np.isfinite(low)] = LOWER
        state[(b < 0.0) & np.isfinite(high) & ~np.isfinite(low)] = UPPER
    state[low == high] = LOWER
    return state


def _solve(A: Array, b: Array, low: Array, high: Array, state: NDArray[np.int8]) -> tuple[Array, Array]:
    """z with the guess `state`, and w."""
    z = np.where(state == LOWER, low, np.where(state == UPPER, high, 0.0))
    free = np.flatnonzero(state == FREE)
    if free.size:
        rhs = -(A[free] @ z + b[free])
        block = A[np.ix_(free, free)]
        try:
            z[free] = cho_solve(cho_factor(block, check_finite=False), rhs, check_finite=False)
        except LinAlgError:  # more is held than can move: the shortest of all solutions
            z[free] = lstsq(block, rhs, cond=1e-12, check_finite=False)[0]
    w = A @ z + b
    w[free] = 0.0
    return z, w
