"""The convex relative of Coulomb's law (`relaxed.py`) by an interior-point method: a dozen matrices, however hard it is.

In z = (μ p_n, p_t) and y = (u_n/μ, u_t) each contact is a cone |z_t| ≤ z_0, which is its own dual, and the solution has
z ∘ y = 0. Newton's method follows z ∘ y = κ 1 to κ = 0, in the scaling in which z and y are the same (nesterov-1998), with a
first step that shows how much κ can shrink, and a second one that corrects it (mehrotra-1992). All contacts are arrays (c, 4):
z_0 and up to three rows of friction, zero where there are fewer.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from condyle.solvers.problem import MOST_ROWS, Array, FrictionProblem

MOST = 60  # iterations
NEAR = 0.99  # of the way to the edge of a cone
SHORT = 1e-8  # of a step: no way is left
SMALL = 1e-15  # of z·y at the start: the end
SIGNS = np.array([1.0] + MOST_ROWS * [-1.0])


class ConvexProblem:
    """Contacts with a disk of friction each, or none: minimise ½ p·W p + p·(q + lift) over their cones."""

    def __init__(self, problem: FrictionProblem) -> None:
        self.problem, c = problem, problem.normal.size
        rows = np.full((c, 1 + MOST_ROWS), -1, dtype=np.int64)
        rows[:, 0] = problem.normal
        rubs = problem.mu > 0.0  # rows of others bear nothing
        rows[problem.of[rubs], 1:] = problem.rows[rubs]
        factor = np.ones(problem.size)
        factor[problem.normal[problem.of[rubs]]] = 1.0 / problem.mu[rubs]
        held = problem.joints
        self.there = rows >= 0
        self.rows = np.concatenate((rows[self.there], held))  # of W, in the order of the unknowns
        self.factor = factor[self.rows]
        self.W = self.factor[:, None] * problem.dense[np.ix_(self.rows, self.rows)] * self.factor
        self.at = np.full(rows.shape, -1)
        self.at[self.there] = np.arange(self.there.sum())
        self.count, self.free = c, held.size

    @staticmethod
    def has_cones(problem: FrictionProblem) -> bool:
        """Has every contact one disk at most, as those without rolling and spinning resistance have?"""
        return bool(np.bincount(problem.of, minlength=1).max() <= 1)

    def solve(self, lift: Array) -> tuple[Array, int]:
        """Impulses p (n,) [N s] and iterations; lift: added to the velocities across (c,) [m/s]."""
        q = self.problem.q.copy()
        q[self.problem.normal] += lift
        b = self.factor * q[self.rows]
        size = float(np.abs(b).max(initial=0.0))
        p = np.zeros(self.problem.size)
        if not size:
            return p, 0
        z, y = np.zeros(self.at.shape), np.zeros(self.at.shape)
        z[:, 0], y[:, 0] = size / max(float(self.W.diagonal().max()), np.finfo(float).tiny), size
        more, first = np.zeros(self.free), float(np.sum(z * y))
        done = 0
        while done < MOST:
            x = np.concatenate((z[self.there], more))
            left = self.W @ x + b
            residual = self._cones(left) - y
            gap = float(np.sum(z * y))
            if gap <= SMALL * first or min(_square(z).min(), _square(y).min()) <= 0.0:  # as near as rounding allows
                break
            try:
                step = self._step(z, y, residual, left[left.size - self.free :], gap)
            except LinAlgError:
                break
            if step is None or not all(np.isfinite(change).all() for change in step):
                break
            z, y, more, done = z + step[0], y + step[1], more + step[2], done + 1
        p[self.rows] = self.factor * np.concatenate((z[self.there], more))
        return p, done

    def _cones(self, x: Array) -> Array:
        """Numbers of the unknowns as contacts have them (c, 4)."""
        return np.where(self.there, x[self.at], 0.0)

    def _step(
        self, z: Array, y: Array, residual: Array, of_joints: Array, gap: float
    ) -> tuple[Array, Array, Array] | None:
        """Changes of z, y and the impulses of joints; None where no way is left."""
        scaling, inverse, both = _scaling(z, y)
        matrix = self.W.copy()
        block = inverse @ inverse
        for i in range(1 + MOST_ROWS):
            for j in range(1 + MOST_ROWS):
                on = self.there[:, i] & self.there[:, j]
                matrix[self.at[on, i], self.at[on, j]] += block[on, i, j]
        if not np.isfinite(matrix).all():
            return None
        factors = cho_factor(matrix, check_finite=False)

        def towards(wanted: Array) -> tuple[Array, Array, Array]:
            part = _quotient(both, wanted)
            rhs = np.concatenate(((_times(inverse, part) - residual)[self.there], -of_joints))
            dx = cho_solve(factors, rhs, check_finite=False)
            dz = self._cones(dx)
            return dz, _times(inverse, part - _times(inverse, dz)), dx[dx.size - self.free :]

        square = _product(both, both)
        dz, dy, _ = towards(-square)
        share = (1.0 - min(1.0, _way(z, dz), _way(y, dy))) ** 3
        centre = -square - _product(_times(inverse, dz), _times(scaling, dy))
        centre[:, 0] += share * gap / self.count
        dz, dy, more = towards(centre)
        way = min(1.0, NEAR * min(_way(z, dz), _way(y, dy)))
        if not way > SHORT:
            return None
        return way * dz, way * dy, way * more


def _scaling(z: Array, y: Array) -> tuple[Array, Array, Array]:
    """The matrix of each cone with which z and y are the same vector (c, 4, 4), its inverse, and that vector (c, 4)."""
    long, other = np.sqrt(_square(z)), np.sqrt(_square(y))
    one, two = z / long[:, None], y / other[:, None]
    w = (one + SIGNS * two) / np.sqrt(2.0 * (1.0 + np.sum(one * two, axis=1)))[:, None]
    w[:, 0] += 1.0
    v = w / np.sqrt(2.0 * w[:, :1])
    size = np.sqrt(long / other)[:, None, None]
    scaling = size * (2.0 * v[:, :, None] * v[:, None, :] - np.diag(SIGNS))
    v = SIGNS * v
    inverse = (2.0 * v[:, :, None] * v[:, None, :] - np.diag(SIGNS)) / size
    return scaling, inverse, _times(scaling, y)


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("kij,kj->ki", matrices, vectors))


def _inner(a: Array, b: Array) -> Array:
    """a_0 b_0 − a_t · b_t (c,)."""
    return np.asarray(np.sum(SIGNS * a * b, axis=1))


def _square(a: Array) -> Array:
    """a_0² − a_t · a_t (c,), with all digits near the edge of the cone."""
    length = np.sqrt(np.sum(a[:, 1:] ** 2, axis=1))
    return np.asarray((a[:, 0] - length) * (a[:, 0] + length))


def _product(a: Array, b: Array) -> Array:
    """a ∘ b = (a · b, a_0 b_t + b_0 a_t) of each cone."""
    out = a[:, :1] * b + b[:, :1] * a
    out[:, 0] = np.sum(a * b, axis=1)
    return out


def _quotient(a: Array, d: Array) -> Array:
    """x with a ∘ x = d."""
    size, along = _square(a), np.sum(a[:, 1:] * d[:, 1:], axis=1)
    out = np.empty_like(d)
    with np.errstate(divide="ignore", invalid="ignore"):  # `solve` looks at what comes of it
        out[:, 0] = (a[:, 0] * d[:, 0] - along) / size
        out[:, 1:] = (d[:, 1:] - out[:, :1] * a[:, 1:]) / a[:, :1]
    return out


def _way(x: Array, d: Array) -> float:
    """How far x can go along d until one is at the edge of its cone."""
    a, b, c = _inner(d, d), _inner(x, d), _square(x)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    far = -(b + np.where(b < 0.0, -root, root))
    with np.errstate(divide="ignore", invalid="ignore"):
        ends: Array = np.stack((far / a, c / far, -x[:, 0] / d[:, 0]))
    # The third is where z_0 vanishes, for those that would leave through the tip.
    ends[2] = np.where(d[:, 0] < 0.0, ends[2], np.inf)
    ends[:2] = np.where(b * b - a * c < 0.0, np.inf, ends[:2])
    return float(np.where(ends > 0.0, ends, np.inf).min(initial=np.inf))
