"""The convex relative of Coulomb's law: minimise ½ p·W p + p·(q + s) over the cones |p_t| ≤ μ p_n (anitescu-2006).

With s = 0 this is the law that several engines use: what slips also lifts off by μ |u_t|. With s = μ |u_t| across the surface
its solution obeys Coulomb's law (acary-2011), and s can be found by repetition: each problem has a solution, however much
contacts feel each other. It is solved by accelerated projected gradients (mazhar-2015), which start anew where they turn back.
"""

from __future__ import annotations

import numpy as np

from condyle.solvers.problem import Array, FrictionProblem, FrictionSolution

POWER = 30  # iterations for the norm of W


def solve_relaxed(
    problem: FrictionProblem, *, lift: Array | float = 0.0, start: Array | None = None, most: int = 2000,
    tolerance: float = 1e-10,
) -> FrictionSolution:  # fmt: skip
    """Impulses of the convex problem, of which `converged` and `message` speak; lift: s of each contact (c,) [m/s]."""
    q = problem.q.copy()
    q[problem.normal] += lift
    step = 1.0 / max(_norm(problem), np.finfo(float).tiny)
    p = np.zeros(problem.size) if start is None else np.array(start, dtype=float)
    y, theta = p, 1.0
    size = max(float(np.linalg.norm(step * q)), np.finfo(float).tiny)
    for count in range(1, most + 1):
        gradient = problem.W @ y + q
        new = project(problem, y - step * gradient)
        moved = new - p
        if float(np.linalg.norm(new - y)) <= tolerance * max(size, float(np.linalg.norm(new))):
            return FrictionSolution(new, problem.velocities(new), count, problem.residual(new), True)
        if (y - new) @ moved > 0.0:  # the way turns back
            theta, y = 1.0, new
        else:
            after = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * theta * theta))
            y, theta = new + (theta - 1.0) / after * moved, after
        p = new
    return FrictionSolution(
        p, problem.velocities(p), most, problem.residual(p), False, f"not at rest after {most} steps"
    )


def slip_lift(problem: FrictionProblem, u: Array) -> Array:
    """Σ μ |u_t| of the disks of each contact (c,) [m/s]."""
    v = np.where(problem.rows >= 0, u[problem.rows], 0.0)
    lifts = problem.mu * np.sqrt(np.sum(v * v, axis=1))
    return np.bincount(problem.of, lifts, minlength=problem.normal.size).astype(float)


def project(problem: FrictionProblem, y: Array) -> Array:
    """The nearest impulses in all cones |p_t| ≤ μ p_n; joints are free.

    p_n is the root of p_n − y_n = Σ μ (|y_t| − μ p_n)₊, convex and piecewise straight: Newton's method ends in a few rounds.
    """
    out = y.copy()
    there = problem.rows >= 0
    v = np.where(there, y[problem.rows], 0.0)
    length = np.sqrt(np.sum(v * v, axis=1))
    mu, of, c = problem.mu, problem.of, problem.normal.size
    top = y[problem.normal]
    press = np.maximum(top, 0.0)
    for _ in range(20):
        outside = length > mu * press[of]
        weight = np.bincount(of, np.where(outside, mu * mu, 0.0), minlength=c)
        pull = np.bincount(of, np.where(outside, mu * length, 0.0), minlength=c)
        new = np.maximum((top + pull) / (1.0 + weight), 0.0)
        if np.array_equal(new, press):
            break
        press = new
    out[problem.normal] = press
    bound = mu * press[of]
    scale = np.where(length > bound, bound / np.where(length > 0.0, length, 1.0), 1.0)
    out[problem.rows[there]] = (scale[:, None] * v)[there]
    return out


def _norm(problem: FrictionProblem) -> float:
    """A bound for the largest eigenvalue of W."""
    v = np.sqrt(np.maximum(problem.diagonal, 0.0)) + np.finfo(float).tiny
    value = 0.0
    for _ in range(POWER):
        w = problem.W @ v
        value = float(np.linalg.norm(w) / np.linalg.norm(v))
        if value == 0.0:
            return 0.0
        v = w / value
    return 1.1 * value
