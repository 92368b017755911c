"""Impulses of one instant between points that touch, by Newton's method on all of them at once.

    u = W p + q,   p_n ≥ least, u_n ≥ target, one of them equal;   |p_t| ≤ μ p_n against the slip u_t

Gauss–Seidel (`impulses.py`) is done first, and is enough for a few points. It takes thousands of sweeps where bodies stand on
each other, because what happens at the top goes down one contact in a sweep. Newton's method goes on from there. Where points
hold more than can move, W is singular, and the smallest impulses are taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.solvers.impulses import impulses

Array = NDArray[np.float64]

FEW_SWEEPS = 60
SWEEPS = 4000
ITERATIONS = 20
SINGULAR = 1e-11  # of the largest entry: what counts as 0 in W
MOST = 1500  # rows up to which full matrices are taken


def solve_instant(
    W: Array, q: Array, mu: Array, target: Array, least: Array, *, slide: Array | None = None, solved: float = 1e-13
) -> Array:
    """p (k, d) [N s]; W: (k, d, k, d) [1/kg]; q: rates before (k, d) [m/s], normal first; mu, target, least: (k,).

    slide: of points that slip already, μ times the direction of their friction (k, d − 1), 0 of others: there p_t = p_n slide.
    solved: error of rates that is accepted, relative to the largest. Points that can share their impulses do so evenly.
    """
    k, d = q.shape
    if not k:
        return np.zeros((0, d))
    law = _Law(W, q, mu, target, least, np.zeros((k, d - 1)) if slide is None else slide)
    accepted = solved * max(np.abs(q).max(initial=0.0), np.abs(target).max(initial=0.0), 1e-300)
    many = k * d > MOST
    slides = bool(law.slides.any())
    p = law.newton(np.zeros((k, d)), accepted) if slides else law.swept(SWEEPS if many else FEW_SWEEPS, accepted)
    best, error = p, law.error(p)
    if error > accepted and not many:
        for start in (law.all_held(), p):
            found = law.newton(start, accepted)
            left = law.error(found)
            best, error = (found, left) if left < error else (best, error)
            if error <= 100.0 * accepted:
                break
        sweeps = 2 * FEW_SWEEPS
        while error > 100.0 * accepted and sweeps <= SWEEPS and not slides:
            found = law.newton(law.swept(sweeps, accepted), accepted)
            left, sweeps = law.error(found), 4 * sweeps
            best, error = (found, left) if left < error else (best, error)
    return best if many else law.shared(best, max(error, 100.0 * accepted))


class _Law:
    """The conditions of points that touch, with what tells how far impulses are from meeting them."""

    def __init__(self, W: Array, q: Array, mu: Array, target: Array, least: Array, slide: Array) -> None:
        k, d = self.shape = q.shape
        self.W, self.full, self.q, self.mu, self.target, self.least = W, W.reshape(k * d, k * d), q, mu, target, least
        self.slide, self.slides = slide, slide.any(axis=1)
        own = W[np.arange(k), :, np.arange(k), :]
        largest = float(np.abs(np.einsum("kii->ki", own)).max(initial=0.0)) or 1.0
        self.steepest = np.maximum(np.linalg.eigvalsh(own[:, 1:, 1:]).max(axis=1, initial=0.0), 1e-300)
        self.r = np.empty((k, d))  # of the projections [kg]
        self.r[:, 0] = 1.0 / np.maximum(own[:, 0, 0], 1e-14 * largest)
        self.r[:, 1:] = 1.0 / np.maximum(self.steepest, 1e-14 * largest)[:, None]

    def swept(self, most: int, accepted: float) -> Array:
        points = np.arange(self.shape[0])
        return np.asarray(
            impulses(self.W, self.q, self.mu, points, self.target, self.least, self.steepest, most, accepted)
        )

    def all_held(self) -> Array:
        """The smallest impulses after which no point moves but as its target says."""
        wanted = -self.q.copy()
        wanted[:, 0] += self.target
        return _smallest(self.full, wanted.ravel()).reshape(self.shape)

    def rates(self, p: Array) -> Array:
        return np.asarray(self.q + (self.full @ p.ravel()).reshape(self.shape))

    def error(self, p: Array) -> float:
        """The largest rate that is not as the conditions say [m/s]."""
        return float(np.abs(self.linearised(p, False)[0] / self.r).max(initial=0.0))

    def linearised(self, p: Array, matrix: bool = True) -> tuple[Array, Array]:
        """F(p) = p − P(p − r (u − target)) with the projection P onto what is allowed, and its derivative."""
        k, d = self.shape
        u, r = self.rates(p), self.r
        u[:, 0] -= self.target
        held = p[:, 0] - r[:, 0] * u[:, 0] > self.least
        press = np.where(held, p[:, 0], self.least)
        bound = self.mu * np.maximum(press, 0.0)
        y = p[:, 1:] - r[:, 1:] * u[:, 1:]
        size = np.linalg.norm(y, axis=1)
        slips = (size > bound) & ~self.slides
        e = y / np.where(size > 0.0, size, 1.0)[:, None]
        F = r * u
        F[~held, 0] = (p[:, 0] - self.least)[~held]
        F[slips, 1:] = (p[:, 1:] - bound[:, None] * e)[slips]
        F[self.slides, 1:] = (p[:, 1:] - p[:, :1] * self.slide)[self.slides]
        if not matrix:
            return F, np.zeros((0, 0))
        rW = (r.ravel()[:, None] * self.full).reshape(k, d, k * d)
        A = rW.copy()
        unit = np.eye(k * d).reshape(k, d, k * d)
        A[~held, 0] = unit[~held, 0]
        by_press = np.where(held[:, None], unit[:, 0], 0.0)
        ratio = np.where(slips, bound / np.where(size > 0.0, size, 1.0), 0.0)
        across = ratio[:, None, None] * (np.eye(d - 1) - e[:, :, None] * e[:, None, :])
        slip = unit[:, 1:] - across @ (unit[:, 1:] - rW[:, 1:]) - (self.mu[:, None] * e)[:, :, None] * by_press[:, None]
        A[slips, 1:] = slip[slips]
        along = unit[:, 1:] - self.slide[:, :, None] * unit[:, None, 0]
        A[self.slides, 1:] = along[self.slides]
        return F, A.reshape(k * d, k * d)

    def newton(self, p: Array, accepted: float) -> Array:
        """Newton's method from p; the best that it finds."""
        best, error = p, self.error(p)
        for _ in range(ITERATIONS):
            if error <= accepted:
                break
            F, A = self.linearised(best)
            step = _smallest(A, F.ravel()).reshape(self.shape)
            for factor in (1.0, 0.5, 0.25, 0.0625, 0.0):
                there = best - factor * step
                left = self.error(there) if factor else error
                if left < error:
                    break
            if not left < error:
                break
            best, error = there, left
        return best

    def shared(self, p: Array, error: float) -> Array:
        """Impulses of the same motion with the least Σ p² among points that hold or stick; as given where laws would notice."""
        u = self.rates(p)
        still = self.r * np.abs(u - np.pad(self.target[:, None], ((0, 0), (0, self.shape[1] - 1))))
        small = 1e-9 * np.abs(p).max(initial=0.0)
        free = still <= small  # rows that could have another impulse
        bound = self.mu * np.maximum(p[:, 0], 0.0)
        free[:, 0] &= ~self.slides & (p[:, 0] >= self.least)
        free[:, 1:] &= (free[:, 0] & (bound > 0.0))[:, None]
        slipping = (self.mu > 0.0) & ~free[:, 1:].all(axis=1)  # friction follows the force that presses
        free[slipping] = False
        on = free.ravel()
        if on.sum() <= 1:
            return p
        own = self.full[np.ix_(on, on)]
        better = p.ravel().copy()
        better[on] = _smallest(own, own @ better[on])
        found = better.reshape(self.shape)
        return found if self.error(found) <= 10.0 * error else p


def _smallest(A: Array, b: Array) -> Array:
    """The shortest x of those that make |A x − b| smallest."""
    from scipy.linalg import lstsq

    return np.asarray(lstsq(A, b, cond=SINGULAR, lapack_driver="gelsy", check_finite=False)[0])
