"""Eigenvalues s and vectors u of (s² M + s D + K) u + Gᵀ λ = 0, G u = 0: dense on the null space of G, or sparse.

Singular mass is no obstacle: motion without inertia follows the rest (static condensation), or is left out where
nothing determines it. Vectors have unit modal mass, uᴴ M u = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.saddle import factorised
from condyle.errors import ConvergenceError
from condyle.system.linear import SingularMatrixError

if TYPE_CHECKING:
    from condyle.analysis.linearise import Linearised

Array = NDArray[np.float64]
Pairs = tuple[NDArray[np.complex128], NDArray[Any]]

RANK = 1e-10  # constraints and inertia below this, relative to the largest in their unit, do not count
SYMMETRIC = 1e-8
ZERO = 1e5 * np.finfo(float).eps  # s² below this, against the stiffness and forces added up, is zero
STEADY = 1e3 * np.finfo(float).eps  # |s| Re s below this likewise


def dense_pairs(linear: Linearised, *, damped: bool) -> Pairs:
    """All finite eigenvalues s [1/s] with their vectors (n, k)."""
    M, D, K, G = linear.dense()
    unit = _mass_scale(linear, M)
    Z = unit[:, None] * _null_space(G * unit)
    mass, damping, stiffness = (Z.T @ A @ Z for A in (M, D, K))
    s, w = _second_order(mass, damping, stiffness) if damped else _first_order(mass, stiffness)
    return s, Z @ w


def sparse_pairs(linear: Linearised, count: int, *, damped: bool) -> Pairs:
    """The `count` eigenvalues nearest to zero, by inverse iteration (Arnoldi, Lanczos) with the system's own solver."""
    K = linear.K
    symmetric = not damped and abs(K - K.T).max() <= SYMMETRIC * abs(K).max()
    # A shift off zero keeps rigid-body modes regular; it is small against the highest frequency, and of no other meaning.
    reference = max(float(np.abs(K.diagonal()).max()), 1e-300) / max(float(linear.M.diagonal().max()), 1e-300)
    return _lanczos(linear, count, 1e-8 * reference) if symmetric else _arnoldi(linear, count, reference, damped)


def cleaned(linear: Linearised, pairs: Pairs, undamped: Pairs) -> Pairs:
    """The pairs without round-off: rigid-body modes have s = 0 exactly and appear once, undamped ones Re s = 0.

    s² is judged against |u|ᵀ |K| |u| and the moments that were added up in it. Rigid-body modes are taken from the undamped
    pairs: in the quadratic problem they are double (displacement and speed), and their vectors lose half their digits.
    """
    s, u = pairs
    scale = _stiffness_scale(linear, u)
    square = np.abs(s) ** 2  # of a free spinning body there is no stiffness to compare with, only the frequencies
    steady = np.abs(s.real * s) <= STEADY * (scale + square)
    moving = square > np.maximum(ZERO * scale, 1e-14 * square.max(initial=0.0))
    rigid = np.abs(undamped[0]) ** 2 <= ZERO * _stiffness_scale(linear, undamped[1])
    clean = np.where(steady, 1j * s.imag, s)[moving] + 0.0
    zeros = np.zeros(int(rigid.sum()), dtype=complex)
    return np.concatenate((zeros, clean)), np.hstack((undamped[1][:, rigid], u[:, moving]))


def _stiffness_scale(linear: Linearised, u: NDArray[Any]) -> Array:
    """|u|ᵀ |K| |u|, with the moments on rigid bodies as stiffness [1/s² for unit modal mass], shape (k,)."""
    size = np.abs(u)
    turning = np.zeros(linear.size)
    for directors in linear.system.rows.bodies:
        first = int(linear.system.rows.unknown[directors[0]])
        turning[first : first + (3 if linear.system.d == 3 else 1)] = 1.0
    return np.asarray(np.einsum("ik,ik->k", size, abs(linear.K) @ size) + (turning * linear.residual_scale) @ size**2)


# --- dense --------------------------------------------------------------------------------------------------------------


def _mass_scale(linear: Linearised, M: Array) -> Array:
    """1/√mass of each unknown, so that metres and radians can be compared; shape (n,)."""
    diagonal = np.diag(M).copy()
    for group in linear.system.unknown_groups:
        largest = diagonal[group].max(initial=0.0)
        light = group[diagonal[group] <= RANK * largest]
        diagonal[light] = largest if largest > 0 else 1.0
    return 1.0 / np.sqrt(diagonal)


def _null_space(G: Array) -> Array:
    """An orthonormal basis of the motions that the constraints allow, shape (n, k); redundant lines are harmless."""
    from scipy.linalg import svd

    n = G.shape[1]
    size = np.linalg.norm(G, axis=1)
    lines = G[size > 0] / size[size > 0, None]
    if not len(lines):
        return np.eye(n)
    _, sigma, V = svd(lines, full_matrices=True)
    rank = int(np.sum(sigma > RANK * sigma[0]))
    return V[rank:].T


def _first_order(M: Array, K: Array) -> Pairs:
    """s = ±√(−ω²) of K w = ω² M w, one of each pair: i ω, or the growing one of an instability."""
    from scipy.linalg import eig, eigh

    mass, axes = eigh(M)
    heavy = mass > RANK * mass.max(initial=0.0)
    light, V = axes[:, ~heavy], axes[:, heavy] / np.sqrt(mass[heavy])
    follow = np.zeros((light.shape[1], V.shape[1]))
    if light.shape[1]:  # K_ll w_l + K_lh w_h = 0
        follow = -np.linalg.pinv(light.T @ K @ light, rcond=RANK) @ (light.T @ K @ V)
    basis = V + light @ follow
    A = V.T @ K @ basis
    if np.abs(A - A.T).max(initial=0.0) <= SYMMETRIC * np.abs(A).max(initial=1e-300):
        square, w = eigh(0.5 * (A + A.T))
        return _root(square), basis @ w
    square, w = eig(A)
    return _root(square), basis @ w


def _root(square: NDArray[Any]) -> NDArray[np.complex128]:
    """s with s² = −square and no negative real part; of a pair i ω, −i ω the upper one."""
    s = np.sqrt(-square.astype(complex))
    flip = (s.real < 0) | ((s.real == 0) & (s.imag < 0))
    return np.where(flip, -s, s)


def _second_order(M: Array, D: Array, K: Array) -> Pairs:
    """All finite s with Im s ≥ 0 of (s² M + s D + K) w = 0."""
    from scipy.linalg import eig

    n = len(M)
    if not n:
        return np.zeros(0, dtype=complex), np.zeros((0, 0), dtype=complex)
    # Time is measured in units of the fastest motion, so that both halves of the companion matrix are of one size.
    fastest = np.sqrt(np.abs(K).max() / np.abs(M).max()) or np.abs(D).max() / np.abs(M).max() or 1.0
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K / fastest**2, -D / fastest]])
    B = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), M]])
    (alpha, beta), vectors = eig(A, B, homogeneous_eigvals=True)
    finite = np.abs(beta) > RANK * np.maximum(np.abs(alpha), np.finfo(float).tiny)
    s = fastest * alpha[finite] / beta[finite]
    w = vectors[:n, finite]
    return _upper(s, w, M)


def _upper(s: NDArray[np.complex128], w: NDArray[Any], M: Any) -> Pairs:
    """Of conjugate pairs the upper one, with vectors of unit modal mass."""
    keep = s.imag >= 0
    s, w = s[keep], w[:, keep]
    mass = np.real(np.einsum("ik,ik->k", w.conj(), M @ w))
    return s[mass > 0], w[:, mass > 0] / np.sqrt(mass[mass > 0])


# --- sparse -------------------------------------------------------------------------------------------------------------


def _inverse(linear: Linearised, values: Array) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """f → u with A u + Gᵀ λ = f, G u = 0, where A and G are `values` in the pattern; refined against regularisation."""
    system, n = linear.system, linear.size
    exact = linear.saddle(values)
    try:
        inverse = factorised(system, values)
    except SingularMatrixError as error:
        part = system.owner(error.unknown) if error.unknown is not None else ""
        where = f" at '{part}'" if part else ""
        raise ConvergenceError(f"eigenmodes: the shifted equations are singular{where}", part=part) from None

    def solve(force: NDArray[Any]) -> NDArray[Any]:
        wanted = np.zeros(system.unknowns)
        wanted[:n] = force
        u = inverse(wanted)
        for _ in range(2):
            u = u + inverse(wanted - exact @ u)
        return np.asarray(u[:n])

    return solve


def _lanczos(linear: Linearised, count: int, shift: float) -> Pairs:
    """ω² nearest to −shift of the symmetric problem."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    n, M = linear.size, linear.M
    solve = _inverse(linear, linear.stiffness_values + shift * linear.mass_values)
    start = solve(M @ np.random.default_rng(0).standard_normal(n))
    operator = LinearOperator((n, n), matvec=solve, dtype=float)
    try:
        square, u = eigsh(linear.K, k=count, M=M, sigma=-shift, OPinv=operator, v0=start)
    except ArpackNoConvergence as error:
        raise ConvergenceError(f"eigenmodes: only {len(error.eigenvalues)} of {count} modes converged") from None
    mass = np.einsum("ik,ik->k", u, M @ u)
    return _root(square), u / np.sqrt(mass)


def _arnoldi(linear: Linearised, count: int, reference: float, damped: bool) -> Pairs:
    """s nearest to a small shift σ, from the companion form: (K + σ D + σ² M) u = −(M (w + σ u_0) + D u_0), w = u_0 + σ u."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    n, M, D = linear.size, linear.M, linear.D * float(damped)
    sigma = 1e-4 * np.sqrt(reference)
    values = linear.stiffness_values + sigma**2 * linear.mass_values
    solve = _inverse(linear, values + sigma * linear.damping_values if damped else values)

    def apply(y: NDArray[Any]) -> NDArray[Any]:
        u0, w0 = y[:n], y[n:]
        u = solve(-(M @ w0 + D @ u0 + sigma * (M @ u0)))
        return np.concatenate((u, u0 + sigma * u))

    # Only motions that the constraints allow, in position and in velocity, take part.
    start = apply(apply(np.random.default_rng(0).standard_normal(2 * n)))
    operator = LinearOperator((2 * n, 2 * n), matvec=apply, dtype=float)
    wanted = min(2 * count + 14, 2 * n - 2)  # both of each pair, and rigid-body modes twice
    try:
        inverse, y = eigs(operator, k=wanted, v0=start, ncv=min(max(3 * wanted, 40), 2 * n))
    except ArpackNoConvergence as error:
        raise ConvergenceError(f"eigenmodes: only {len(error.eigenvalues) // 2} of {count} modes converged") from None
    s, u = _upper(sigma + 1.0 / inverse, y[:n], M)
    if damped:
        return s, u
    upper = s.real >= 0  # of ±s
    return s[upper], u[:, upper]
