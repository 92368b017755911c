"""Pieces of curves and surfaces y(u) = Σ_j m_j(u) c_j: their functions m_j, and the closest point on a piece.

u has one parameter in the plane and two in space. On a square 0 ≤ u ≤ 1; on a triangle u1, u2 ≥ 0 and u1 + u2 ≤ 1.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
STEPS = 40  # of Newton's method at most
ENOUGH = 1e-8  # change of u that is the last one


class Basis(ABC):
    """Functions m_j of the parameters u. triangle: the shape of the pieces, or which of them are triangles (f,)."""

    triangle: bool | NDArray[np.bool_] = False
    count: int  # of functions
    parameters: int

    @abstractmethod
    def at(self, u: Array) -> tuple[Array, Array, Array]:
        """m (n, J), ∂m/∂u_a (n, p, J) and ∂²m/∂u_a∂u_b (n, p, p, J) at parameters u (n, p)."""

    def clipped(self, u: Array, beyond: float = 0.0) -> Array:
        """Parameters brought back to the piece, or to `beyond` its edges."""
        if isinstance(self.triangle, np.ndarray):
            square = np.clip(u, -beyond, 1.0 + beyond)
            return np.where(self.triangle[:, None], _clipped_to_triangle(u, beyond), square)
        return _clipped_to_triangle(u, beyond) if self.triangle else np.clip(u, -beyond, 1.0 + beyond)

    def some(self, pieces: NDArray[np.int64]) -> Basis:
        """The same for some of the pieces, in the order of those."""
        if not isinstance(self.triangle, np.ndarray):
            return self
        made = copy.copy(self)
        made.triangle = self.triangle[pieces]
        return made

    def sampled(self, c: Array) -> tuple[Array, Array]:
        """Places spread over each piece (f, s, d), c (f, J, d), and their parameters (f, s, p)."""
        u = np.broadcast_to(self.samples, (len(c), *self.samples.shape))
        places = np.einsum("sj,fjd->fsd", self.at(self.samples)[0], c)
        if isinstance(self.triangle, np.ndarray):  # samples of a square that lie beyond the triangle are folded into it
            folded = np.where(self.samples.sum(axis=1, keepdims=True) > 1.0, 1.0 - self.samples, self.samples)
            inside = np.einsum("sj,fjd->fsd", self.at(folded)[0], c)
            pick = self.triangle[:, None, None]
            return np.where(pick, inside, places), np.where(pick, folded, u)
        return places, u

    @cached_property
    def samples(self) -> Array:
        """Parameters spread evenly over a piece and its edges (s, p)."""
        line = np.linspace(0.0, 1.0, 7)
        if self.parameters == 1:
            return line[:, None]
        u = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
        return u[u.sum(axis=1) <= 1.0] if self.triangle is True else u


def _clipped_to_triangle(u: Array, beyond: float) -> Array:
    u = np.maximum(u, -beyond)
    over = np.maximum(u.sum(axis=1) - 1.0 - beyond, 0.0)
    low = np.minimum(u.min(axis=1) + beyond, 0.5 * over)  # what the smaller one can give
    first = u[:, 0] <= u[:, 1]
    give = np.stack((np.where(first, low, over - low), np.where(first, over - low, low)), axis=1)
    return np.asarray(np.maximum(u - give, -beyond))


class Monomials(Basis):
    """m_j = Π_a u_a^{k_ja}; powers k (J, p)."""

    def __init__(self, powers: ArrayLike, triangle: bool | NDArray[np.bool_] = False) -> None:
        self.powers = np.asarray(powers, dtype=np.int64)
        self.count, self.parameters = self.powers.shape
        self.triangle = triangle
        k = np.arange(self.powers.max() + 1)
        self._factors = [np.ones(len(k)), k.astype(float), (k * (k - 1)).astype(float)]
        self._exponents = [k, np.maximum(k - 1, 0), np.maximum(k - 2, 0)]

    @property
    def linear(self) -> bool:
        """Are pieces flat?"""
        return bool(self.powers.sum(axis=1).max() <= 1)

    def at(self, u: Array) -> tuple[Array, Array, Array]:
        n, p = u.shape
        # one[order][a]: the derivative of each power of u_a, as each function has it (n, J)
        one = [
            [(f * u[:, a : a + 1] ** e)[:, self.powers[:, a]] for a in range(p)]
            for f, e in zip(self._factors, self._exponents, strict=True)
        ]
        if p == 1:
            return one[0][0], one[1][0][:, None], one[2][0][:, None, None]
        m = one[0][0] * one[0][1]
        first = np.stack((one[1][0] * one[0][1], one[0][0] * one[1][1]), axis=1)
        mixed = one[1][0] * one[1][1]
        second = np.stack((one[2][0] * one[0][1], mixed, mixed, one[0][0] * one[2][1]), axis=1).reshape(
            n, 2, 2, self.count
        )
        return m, first, second


def flat(d: int) -> tuple[Monomials, Array]:
    """Straight lines (d = 2) or flat triangles (d = 3), and the matrix (J, d) that makes c_j of corners."""
    powers = np.vstack((np.zeros((1, d - 1), dtype=np.int64), np.eye(d - 1, dtype=np.int64)))
    corners = np.eye(d)
    corners[1:, 0] = -1.0
    return Monomials(powers, triangle=d == 3), corners


def bilinear(triangle: NDArray[np.bool_]) -> tuple[Monomials, Array]:
    """Quadrilaterals, whose corners need not lie in a plane, and triangles among them; triangle: which those are (f,).

    Returns with it the matrices (f, 4, 4) that make c_j of corners. Triangles have a fourth one that does not count.
    """
    quad = np.array([(1.0, 0.0, 0.0, 0.0), (-1.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 0.0, 1.0), (1.0, -1.0, 1.0, -1.0)])
    half = np.array([(1.0, 0.0, 0.0, 0.0), (-1.0, 1.0, 0.0, 0.0), (-1.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0)])
    shape = triangle if triangle.any() else False
    return Monomials([(0, 0), (1, 0), (0, 1), (1, 1)], shape), np.where(triangle[:, None, None], half, quad)


def project(
    basis: Basis, c: Array, points: Array, start: Array, beyond: float = 0.0
) -> tuple[Array, NDArray[np.bool_]]:
    """The closest points on given pieces, c (n, J, d), from parameters `start` (n, p): u, and which are minima.

    Newton's method on ½ |y − p|² over the piece: where its second derivative is not positive, its absolute value is
    taken, and a step is shortened, at last along the slope, until the distance has become smaller. So it goes downhill, and
    cannot end in a maximum unless it starts there; the second derivative tells. Parameters at the edge of the piece stay
    there as long as the way down leads out of it.
    """
    u = basis.clipped(start, beyond)
    here = _along(basis, c, points, u)
    moving = np.arange(len(u))
    for _ in range(STEPS):
        value, slope, H, A = (part[moving] for part in here)
        own = basis.some(moving)
        step = _newton_step(own, u[moving], slope, H, A, beyond)
        new = own.clipped(u[moving] + step, beyond)
        last = np.abs(new - u[moving]).max(axis=1) < ENOUGH  # what is left after it is the square of this
        size = np.ones(len(moving))
        worse = np.zeros(len(moving), dtype=bool)
        for attempt in range(12):
            there = _along(basis, c[moving], points[moving], new)
            worse = (there[0] > value) & ~last
            if not worse.any():
                break
            size[worse] *= 0.3
            if attempt == 1:  # an edge is in the way: along the slope it goes down for sure
                step = np.where(worse[:, None], -slope / np.trace(A, axis1=1, axis2=2)[:, None], step)
                size[worse] = 1.0
            new[worse] = own.clipped(u[moving] + size[:, None] * step, beyond)[worse]
        good = moving[~worse]
        u[good] = new[~worse]
        for part, fresh in zip(here, there, strict=True):
            part[good] = fresh[~worse]
        moving = moving[~worse & ~last]
        if not moving.size:
            break
    _, slope, H, _ = here
    free = ~_held(basis, u, slope, beyond)
    return u, _positive(np.where(free[:, :, None] & free[:, None, :], H, np.eye(H.shape[1])))


def _along(basis: Basis, c: Array, points: Array, u: Array) -> tuple[Array, Array, Array, Array]:
    """½ |y − p|², its gradient and Hessian by u, and the metric."""
    m, first, second = basis.at(u)
    miss = (m[:, None] @ c)[:, 0] - points
    t = first @ c
    A = t @ np.swapaxes(t, 1, 2)
    bend = (second @ (c @ miss[:, :, None])[:, None])[..., 0]
    return 0.5 * np.sum(miss * miss, axis=1), (t @ miss[:, :, None])[..., 0], A + bend, A


def _held(basis: Basis, u: Array, slope: Array, beyond: float) -> NDArray[np.bool_]:
    """Parameters at an edge of the piece that the way down leads out of (n, p)."""
    held = (u <= 1e-14 - beyond) & (slope > 0.0)
    if basis.triangle is True:
        return held
    far = (u >= 1.0 + beyond - 1e-14) & (slope < 0.0)
    if isinstance(basis.triangle, np.ndarray):
        far &= ~basis.triangle[:, None]
    return np.asarray(held | far)


def _newton_step(basis: Basis, u: Array, slope: Array, H: Array, A: Array, beyond: float) -> Array:
    """The step of Newton within the parameters that are free to move."""
    p = u.shape[1]
    held = _held(basis, u, slope, beyond)
    size = np.maximum(np.trace(A, axis1=1, axis2=2), 1e-300)
    K, free = H.copy(), ~held
    bad = np.flatnonzero(~_positive(H))
    if bad.size:  # away from a maximum or saddle: |H|
        value, vector = np.linalg.eigh(H[bad])
        value = np.maximum(np.abs(value), 1e-3 * size[bad, None])
        K[bad] = (vector * value[:, None, :]) @ np.swapaxes(vector, 1, 2)
    bend = K
    K = np.where(free[:, :, None] & free[:, None, :], K, np.eye(p) * size[:, None, None])
    step = np.linalg.solve(K, np.where(held, 0.0, -slope)[:, :, None])[:, :, 0]
    if basis.triangle is not False and p == 2:  # along the third edge where the step would cross it from on it
        out = basis.triangle & (u.sum(axis=1) >= 1.0 + beyond - 1e-15) & (step.sum(axis=1) > 0.0)
        if out.any():
            e = np.array([1.0, -1.0])
            along = -(slope @ e) / np.einsum("a,nab,b->n", e, bend, e)
            step[out] = (along[:, None] * e)[out]
    return np.asarray(step)


def _positive(H: Array) -> NDArray[np.bool_]:
    """Which symmetric matrices (n, p, p), p ≤ 2, are positive definite."""
    if H.shape[1] == 1:
        return np.asarray(H[:, 0, 0] > 0.0)
    det = H[:, 0, 0] * H[:, 1, 1] - H[:, 0, 1] * H[:, 1, 0]
    return np.asarray((H[:, 0, 0] > 0.0) & (det > 0.0))
