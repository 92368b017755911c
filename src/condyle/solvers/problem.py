"""What a frictional contact problem is, and how far a set of impulses is from solving it.

    u = W p + q,   0 ≤ p_n ⊥ u_n ≥ 0,   p_t = Π(p_t − r u_t) for any r > 0

with the projection Π onto the disk |p_t| ≤ μ p_n: friction is at most μ p_n, against the slip, and what it holds does not move.
Rows of no contact are joints: u = 0. A contact may have several disks: two rows of slip, two of rolling, one of spinning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError

Array = NDArray[np.float64]
Index = NDArray[np.int64]

MOST_ROWS = 3  # of one disk of friction


Matrix: TypeAlias = (
    Any  # rows and columns of numbers, or a sparse matrix of SciPy; kept as an array or as compressed rows
)


def is_sparse(W: Any) -> bool:
    return bool(sp.issparse(W))


@dataclass
class FrictionProblem:
    """Impulses p of `n` rows that meet contact and friction.

    W: change of the velocities of the rows by impulses, (n, n) [1/kg], symmetric and not negative definite; dense or sparse.
    q: velocities without impulses (n,) [m/s].
    normal: the row of each contact across the surface (c,). Its impulse presses and is never negative.
    disks: rows of each disk of friction, one to three; they may be of different length.
    of: the contact each disk belongs to (k,).
    mu: the coefficient of each disk (k,); of rolling and spinning resistance it is a length [m].

    Friction that is not the same in all directions, |p_1/μ_1|² + |p_2/μ_2|² ≤ p_n², is a disk in rows that are scaled by
    μ_i/μ (`anisotropic`). A friction surface that runs at a speed of its own is in q.
    """

    W: Matrix
    q: Array
    normal: Index
    disks: Sequence[Sequence[int]]
    of: Index
    mu: Array
    rows: Index = field(init=False)  # of disks, padded with −1 (k, 3)
    joints: Index = field(init=False)  # rows of no contact

    def __post_init__(self) -> None:
        self.q = np.asarray(self.q, dtype=float).ravel()
        n = self.q.size
        self.W = sp.csr_array(self.W) if is_sparse(self.W) else np.asarray(self.W, dtype=float)
        if self.W.shape != (n, n):
            raise InputError(f"FrictionProblem: W is {self.W.shape}, but q has {n} rows; W must be ({n}, {n})")
        self.normal, self.of = (np.asarray(a, dtype=np.int64).ravel() for a in (self.normal, self.of))
        self.mu = np.asarray(self.mu, dtype=float).ravel()
        disks = [list(d) for d in self.disks]
        if not len(disks) == self.of.size == self.mu.size:
            raise InputError(
                f"FrictionProblem: {len(disks)} disks, {self.of.size} contacts they belong to and {self.mu.size} "
                "coefficients; give one of each for every disk"
            )
        if any(not 1 <= len(d) <= MOST_ROWS for d in disks):
            raise InputError(f"FrictionProblem: a disk of friction has one to {MOST_ROWS} rows")
        self.rows = np.full((len(disks), MOST_ROWS), -1, dtype=np.int64)
        for k, d in enumerate(disks):
            self.rows[k, : len(d)] = d
        used = np.concatenate((self.normal, self.rows[self.rows >= 0]))
        if used.size and not 0 <= used.min() <= used.max() < n:
            raise InputError(f"FrictionProblem: rows are numbered from 0 to {n - 1}, not {used.min()} to {used.max()}")
        if np.unique(used).size != used.size:
            twice = np.flatnonzero(np.bincount(used) > 1)
            raise InputError(
                f"FrictionProblem: row {twice[0]} belongs to two contacts or disks; every row has one meaning"
            )
        if self.of.size and not 0 <= self.of.min() <= self.of.max() < self.normal.size:
            raise InputError(
                f"FrictionProblem: disks belong to contacts 0 to {self.normal.size - 1}, not {self.of.max()}"
            )
        if not (self.mu >= 0.0).all():
            raise InputError(
                f"FrictionProblem: the coefficient of disk {int(np.argmin(self.mu))} is {self.mu.min():g}; it must not be "
                "negative"
            )
        if not np.isfinite(self.q).all() or not np.isfinite(self.W.data if is_sparse(self.W) else self.W).all():
            raise InputError("FrictionProblem: W and q must be finite")
        self.joints = np.setdiff1d(np.arange(n), used)

    @classmethod
    def coulomb(cls, W: Matrix, q: ArrayLike, mu: ArrayLike, dimension: int = 3) -> FrictionProblem:
        """Contacts one after the other, each a row across and one (2D) or two (3D) along the surface; mu: one, or (c,)."""
        q = np.asarray(q, dtype=float).ravel()
        count, left = divmod(q.size, dimension)
        if left:
            raise InputError(
                f"FrictionProblem: {q.size} rows are not a whole number of contacts with {dimension} rows; give dimension="
            )
        first = dimension * np.arange(count)
        disks = [list(range(f + 1, f + dimension)) for f in first.tolist()]
        return cls(W, q, first, disks, np.arange(count), np.broadcast_to(np.asarray(mu, dtype=float), (count,)))

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.q.size

    @cached_property
    def sparse(self) -> Any:
        """W in compressed rows."""
        W = sp.csr_array(self.W)
        W.sort_indices()
        return W

    @property
    def dense(self) -> Array:
        """W as a full matrix."""
        return np.asarray(self.W.toarray() if is_sparse(self.W) else self.W)

    @property
    def diagonal(self) -> Array:
        """Of W (n,)."""
        return np.asarray(self.W.diagonal() if is_sparse(self.W) else np.diag(self.W)).astype(float)

    def velocities(self, p: Array) -> Array:
        """u = W p + q [m/s]."""
        return np.asarray(self.W @ p + self.q)

    @cached_property
    def factors(self) -> Array:
        """r of the projections (n,) [kg]: 1/W_ii, and of a disk the smallest of its rows."""
        diagonal = self.diagonal
        least = 1e-14 * float(diagonal.max(initial=0.0)) or 1.0
        r = 1.0 / np.maximum(diagonal, least)
        there = self.rows >= 0
        smallest = np.where(there, r[self.rows], np.inf).min(axis=1, initial=np.inf)
        r[self.rows[there]] = np.broadcast_to(smallest[:, None], there.shape)[there]
        return r

    def projected(self, p: Array, u: Array, r: Array, *, at_once: bool = False) -> Array:
        """What p would be by its laws, with the velocities u; at_once: bounds of friction from the new normal impulses."""
        out = p - r * u
        out[self.normal] = np.maximum(out[self.normal], 0.0)
        y = np.where(self.rows >= 0, out[self.rows], 0.0)
        length = np.sqrt(np.sum(y * y, axis=1))
        bound = self.mu * np.maximum((out if at_once else p)[self.normal[self.of]], 0.0)
        scale = np.where(length > bound, bound / np.where(length > 0.0, length, 1.0), 1.0)
        there = self.rows >= 0
        out[self.rows[there]] = (scale[:, None] * y)[there]
        return out

    def residual(self, p: Array) -> float:
        """How far p is from its laws, relative to the impulses at hand; 0 if it solves the problem."""
        r = self.factors
        error = p - self.projected(p, self.velocities(p), r)
        size = max(float(np.linalg.norm(p)), float(np.linalg.norm(r * self.q)))
        if not np.isfinite(size):
            return np.inf
        return float(np.linalg.norm(error)) / size if size > 0.0 else 0.0

    def cone_margin(self, p: Array) -> Array:
        """μ p_n − |p_t| of each disk (k,) [N s]; negative where friction is outside its cone."""
        y = np.where(self.rows >= 0, p[self.rows], 0.0)
        return np.asarray(self.mu * p[self.normal[self.of]] - np.sqrt(np.sum(y * y, axis=1)))

    def solution(self, p: Array, iterations: int, tolerance: float, message: str = "") -> FrictionSolution:
        """Impulses with all that is said of them."""
        residual = self.residual(p)
        return FrictionSolution(p, self.velocities(p), iterations, residual, residual <= tolerance, message)


def anisotropic(W: Any, q: ArrayLike, mu: ArrayLike) -> tuple[FrictionProblem, Array]:
    """Coulomb contacts in space with two coefficients each, mu (c, 2), by scaled rows, and the scale of the rows (n,).

    Impulses are those of the scaled problem times the scale.
    """
    mu = np.asarray(mu, dtype=float)
    if mu.ndim != 2 or mu.shape[1] != 2 or not (mu > 0.0).all():
        raise InputError("anisotropic: give two positive coefficients for each contact, mu of shape (c, 2)")
    one = np.sqrt(mu[:, 0] * mu[:, 1])
    scale = np.ones(3 * len(mu))
    scale.reshape(-1, 3)[:, 1:] = mu / one[:, None]
    scaled = (
        sp.diags_array(scale) @ W @ sp.diags_array(scale) if is_sparse(W) else scale[:, None] * np.asarray(W) * scale
    )
    return FrictionProblem.coulomb(scaled, scale * np.asarray(q, dtype=float).ravel(), one), scale


@dataclass(frozen=True)
class FrictionSolution:
    """What a solver has found, and how good it is by the exact law, whatever law the solver has."""

    impulses: Array  # p (n,) [N s]
    velocities: Array  # u (n,) [m/s]
    iterations: int
    residual: float  # of the exact law of Coulomb, relative to the impulses
    converged: bool
    message: str = ""  # what went wrong, if something did
