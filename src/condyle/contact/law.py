"""The condition between points and a surface, in the coordinates ξ of the body that carries the surface.

    gap ≥ 0, pressure ≥ 0, one of them 0;   |friction| ≤ μ pressure, against the slip

Everything is a function of ξ at both ends of the step and of the multipliers: the force F that works on δξ, the
residual c of the multipliers, and their derivatives. A multiplier is negative in compression, λ = F·n, as that of the
constraint gap = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.surface import Array, Distance, Surface

OPEN, STICK, SLIP = 0, 1, 2  # a closed point without friction counts as slipping
FREE, SHUT = -1, 3  # what a point is taken for: what its forces say; closed, and the rest as its forces say
Status = NDArray[np.int8]
# Where a method takes forces: at the end of the step; as energy–momentum does, with the discrete gradient between both
# ends; penalties alone as means over the step, in a method that balances its end (`Mean`).
END, CONSERVING, MEAN = "end", "conserving", "mean"


class Recent(NamedTuple):
    """What penalties carry on from the last step."""

    slip: Array  # elastic slip (n, d) [m]
    change: Array  # of the gap while it was closed (n,) [m]
    press: Array  # mean normal force (n,) [N], negative in compression
    damping: float = 0.0  # η, see `mean_press`


class Mean(NamedTuple):
    """Forces of penalties over a step, for methods whose velocities and places do not move by the same force."""

    force: Array  # F (n, d) [N]: h F is the impulse, ½ h² (force of the response) moves the place
    end: Array  # at the end of the step (n, d) [N]
    change: Array  # as of `Recent`
    press: Array


class Response(NamedTuple):
    """Of n points with m multipliers each, m = 1 without friction, d with it, 0 for a penalty."""

    force: Array  # F [N] (n, d)
    by_place: Array  # ∂F/∂ξ1 (n, d, d)
    by_multiplier: Array  # ∂F/∂λ (n, d, m)
    residual: Array  # c [m] (n, m)
    residual_by_place: Array  # (n, m, d)
    residual_by_multiplier: Array  # (n, m, m)
    status: Status  # OPEN, STICK or SLIP
    gap: Array  # at the end of the step (n,) [m]
    slip: Array  # friction over stiffness (n, d) [m]: the elastic slip that a penalty carries on
    mean: Mean | None = None  # of penalties


class Approach(NamedTuple):
    """How the gap changes over the step: its value to be held, the direction D of the force, and their derivatives."""

    gap: Array  # at n+1
    held: Array  # what is kept from becoming negative
    normal: Array  # at n+1
    hessian: Array
    direction: Array  # D: the normal, or the discrete gradient between n and n+1
    turning: Array  # ∂D/∂ξ1
    before: Array  # gap at n


def approach(shape: Surface, radius: float, xi0: Array, xi1: Array, start: Distance | None, allowed: Array) -> Approach:
    """The gap at ξ1 and the direction in which it is held open; allowed: overlap that is still allowed (n,) [m].

    start: the distance at ξ0, where forces belong to the whole step. There D·(ξ1 − ξ0) = g1 − g0 exactly
    (Gonzalez's discrete gradient), so that the work of a force λ D is λ (g1 − g0); and what is held is g1 ≥ min(g0, 0): a
    closed contact does no work,
    one that closes takes energy out, and none puts energy in.
    """
    end: Distance = shape.distance(xi1)
    gap = end.gap - radius
    if start is None:
        return Approach(gap, gap + allowed, end.normal, end.hessian, end.normal, end.hessian, gap)
    before = start.gap - radius
    D, turning = discrete_gradient(start, end, xi1 - xi0, np.abs(xi1).max(axis=1))
    held = hold_open(gap, before, allowed)
    return Approach(gap, held, end.normal, end.hessian, D, turning, before)


def hold_open(gap: Array, before: Array, allowed: Array) -> Array:
    """What energy–momentum steps keep from becoming negative: g1 − min(g0, 0), or g1 + allowed where overlap is resolved."""
    return np.where(allowed > 0.0, gap + allowed, gap - np.minimum(before, 0.0))


def discrete_gradient(start: Distance, end: Distance, step: Array, size: Array) -> tuple[Array, Array]:
    """D = mean normal + (Δg − mean normal·Δξ) Δξ/|Δξ|², and ∂D/∂ξ1; size: of ξ, for round-off."""
    d = step.shape[1]
    mean = 0.5 * (start.normal + end.normal)
    turning = 0.5 * end.hessian
    square = np.sum(step * step, axis=1)
    miss = end.gap - start.gap - np.sum(mean * step, axis=1)
    # What is missing is of third order in the step: in a short one it is round-off, and so would be the correction.
    bends = (np.abs(miss) > 1e-14 * (np.abs(end.gap) + np.abs(start.gap) + size)) & (square > 1e-10 * size**2)
    safe = np.where(bends & (square > 0.0), square, np.inf)[:, None]
    D = mean + miss[:, None] * step / safe
    by_miss = end.normal - mean - 0.5 * np.einsum("nij,nj->ni", end.hessian, step)
    turning = turning + (step / safe)[:, :, None] * by_miss[:, None, :]
    square_turn = np.eye(d) - 2.0 * step[:, :, None] * (step / safe)[:, None, :]
    return D, turning + (miss[:, None] / safe)[:, :, None] * square_turn


def on_pieces(where: str) -> str:
    """Where forces of a penalty between surfaces that deform are taken: there gaps have no exact discrete gradient.

    A force at the end of the step can only take energy out, which energy–momentum prefers to one that nearly keeps it.
    """
    return END if where == CONSERVING else where


def _closed(sigma: Array, taken: Status) -> NDArray[np.bool_]:
    return ((sigma < 0.0) & (taken != OPEN)) | (taken > OPEN)


def _slips(closed: NDArray[np.bool_], size: Array, bound: Array, taken: Status) -> NDArray[np.bool_]:
    return closed & (taken != STICK) & ((size > bound) | (taken == SLIP))


def _outer(a: Array, b: Array) -> Array:
    return a[:, :, None] * b[:, None, :]


def _times(scale: Array, a: Array) -> Array:
    return scale.reshape(scale.shape + (1,) * (a.ndim - 1)) * a


def augmented(near: Approach, lam: Array, r: Array, taken: Status) -> Response:
    """Without friction: F = (λ + r g) D and g = 0 where λ + r g < 0, else F = 0 and λ = 0 (Hovey 2000, eqs. 2.102–2.110).

    taken: what each point is taken for, whatever its forces say; FREE where these decide.
    """
    n, d = near.normal.shape
    sigma = lam[:, 0] + r * near.held
    closed = _closed(sigma, taken)
    on = closed.astype(float)
    force = _times(on * sigma, near.direction)
    by_place = _times(on * sigma, near.turning) + _times(on * r, _outer(near.direction, near.normal))
    return Response(
        force,
        by_place,
        _times(on, near.direction)[:, :, None],
        np.where(closed, near.held, -lam[:, 0] / r)[:, None],
        _times(on, near.normal)[:, None, :],
        np.where(closed, 0.0, -1.0 / r)[:, None, None],
        np.where(closed, SLIP, OPEN).astype(np.int8),
        near.gap,
        np.zeros((n, d)),
    )


def augmented_friction(
    near: Approach, step: Array, lam: Array, r: Array, along: Array, mu: float, taken: Status
) -> Response:
    """With Coulomb friction; λ is the whole force vector. T = 1 − n nᵀ, s = ξ1 − ξ0, e = τ/|τ|.

    σ = n·λ + r g, τ = T (λ + ρ s), b = −μ σ
    open   σ ≥ 0:    F = 0,          c = −λ/r
    stick  |τ| ≤ b:  F = σ D + τ,    c = g n + T s
    slip   |τ| > b:  F = σ D + b e,  c = g n − (T λ − b e)/ρ

    along: ρ, which says what a slip counts against the friction that there is. If it is small, a point that slips fast
    but whose λ is not yet up to the bound counts as sticking, and Newton's method goes to and fro.
    """
    n_, H, g, D = near.normal, near.hessian, near.held, near.direction
    d = n_.shape[1]
    unit = np.eye(d)
    T = unit - _outer(n_, n_)
    w = lam + along[:, None] * step
    normal_force = np.sum(n_ * lam, axis=1)
    sigma = normal_force + r * g
    tau = np.einsum("nij,nj->ni", T, w)
    size = np.linalg.norm(tau, axis=1)
    bound = -mu * sigma
    closed = _closed(sigma, taken)
    slips = _slips(closed, size, bound, taken)
    stick = closed & ~slips
    Hl = np.einsum("nij,nj->ni", H, lam)
    d_sigma = Hl + r[:, None] * n_  # by ξ; by λ it is n

    def turned(v: Array) -> Array:
        """∂(T v)/∂ξ at constant v: −(n·v) H − n (H v)ᵀ."""
        return -_times(np.sum(n_ * v, axis=1), H) - _outer(n_, np.einsum("nij,nj->ni", H, v))

    d_tau = _times(along, T) + turned(w)
    safe = np.where(size > 0.0, size, np.inf)[:, None]
    e = tau / safe
    across = (unit - _outer(e, e)) / safe[:, :, None]
    de_xi, de_lam = across @ d_tau, across @ T
    # Tangential part f and its derivatives: τ if it sticks, b e if it slips.
    f = np.where(slips[:, None], bound[:, None] * e, tau)
    slipping = slips[:, None, None]
    f_xi = np.where(slipping, _times(bound, de_xi) - mu * _outer(e, d_sigma), d_tau)
    f_lam = np.where(slipping, _times(bound, de_lam) - mu * _outer(e, n_), T)
    on = closed.astype(float)
    force = _times(on, _times(sigma, D) + f)
    by_place = _times(on, _times(sigma, near.turning) + _outer(D, d_sigma) + f_xi)
    by_lam = _times(on, _outer(D, n_) + f_lam)

    normal_c, normal_xi = _times(g, n_), _outer(n_, n_) + _times(g, H)
    Tl = np.einsum("nij,nj->ni", T, lam)
    Ts = np.einsum("nij,nj->ni", T, step)
    inverse = 1.0 / along
    c = np.where(slips[:, None], normal_c - _times(inverse, Tl - f), normal_c + Ts)
    c_xi = np.where(slipping, normal_xi - _times(inverse, turned(lam) - f_xi), normal_xi + T + turned(step))
    c_lam = np.where(slipping, -_times(inverse, T - f_lam), 0.0)
    shut = closed[:, None]
    inverse = 1.0 / r
    c = np.where(shut, c, -_times(inverse, lam))
    c_xi = np.where(shut[:, :, None], c_xi, 0.0)
    c_lam = np.where(shut[:, :, None], c_lam, -_times(inverse, np.broadcast_to(unit, T.shape)))
    status = np.where(stick, STICK, np.where(slips, SLIP, OPEN)).astype(np.int8)
    return Response(force, by_place, by_lam, c, c_xi, c_lam, status, near.gap, _times(on / along, f))


def penalty(near: Approach, step: Array, k: Array, mu: float, recent: Recent, where: str, taken: Status) -> Response:
    """F = k g D while g < 0; over a step, the mean of `mean_press` in place of k g.

    Friction: a tangential spring of the same stiffness, stretched by the elastic slip carried on from the last step,
    returned to the cone |τ| ≤ μ pressure.
    """
    n_, H, D = near.normal, near.hessian, near.direction
    n, d = n_.shape
    g1 = np.minimum(near.gap, 0.0)
    sigma, slope = k * g1, k * ((near.gap < 0.0) | (taken > OPEN))  # ∂σ/∂g
    share, by_gap = np.ones(n), np.zeros(n)
    if where != END:
        sigma, slope, share, by_gap = mean_press(near, k, recent, taken)
    closed = (sigma < 0.0) | (taken > OPEN)
    status = np.where(closed, SLIP, OPEN).astype(np.int8)
    force = _times(sigma, D)
    by_place = _times(sigma, near.turning) + _times(slope, _outer(D, n_))
    friction = np.zeros((n, d))
    if mu > 0.0:
        T = np.eye(d) - _outer(n_, n_)
        v = recent.slip + step
        tau = _times(k, np.einsum("nij,nj->ni", T, v))
        d_tau = _times(k, T - _times(np.sum(n_ * v, axis=1), H) - _outer(n_, np.einsum("nij,nj->ni", H, v)))
        size, bound = np.linalg.norm(tau, axis=1), -mu * sigma
        slips = _slips(closed, size, bound, taken)
        safe = np.where(size > 0.0, size, np.inf)[:, None]
        e = tau / safe
        across = (np.eye(d) - _outer(e, e)) / safe[:, :, None]
        d_slip = _times(bound, across @ d_tau) - mu * _outer(e, _times(slope, n_))
        on = closed.astype(float)
        friction = _times(on, np.where(slips[:, None], bound[:, None] * e, tau))
        force = force + friction
        by_place = by_place + _times(on, np.where(slips[:, None, None], d_slip, d_tau))
        status = np.where(slips, SLIP, np.where(closed, STICK, OPEN)).astype(np.int8)
    inside = near.gap < 0.0
    change = np.where(inside, g1 - np.minimum(near.before, 0.0), 0.0)
    mean = Mean(force, _times(k * g1, n_) + friction, change, np.where(inside, sigma, 0.0))
    if where == MEAN and recent.damping:
        # What moves the place: (1 + η) F − η (share of the step in contact) F of the last step.
        eta: Array = np.where(recent.press < 0.0, recent.damping, 0.0)
        last = _times(recent.press, D) + _times(k, recent.slip)
        by_last = _times(share * recent.press, near.turning) + _times(by_gap, _outer(last, n_))
        force = _times(1.0 + eta, force) - _times(eta * share, last)
        by_place = _times(1.0 + eta, by_place) - _times(eta, by_last)
    none = np.zeros((n, 0, d))
    return Response(
        force, by_place, np.zeros((n, d, 0)), np.zeros((n, 0)), none, np.zeros((n, 0, 0)), status, near.gap,
        _times(1.0 / k, friction), mean,
    )  # fmt: skip


def mean_press(near: Approach, k: Array, recent: Recent, taken: Status) -> tuple[Array, Array, Array, Array]:
    """Mean normal force of a penalty over the step, ∂/∂g1; the share φ of the step that is spent in contact, ∂/∂g1.

        σ = k φ [½ (g0⁻ + g1⁻) + ½ η (Δ − Δ₋)],   φ = Δ/(g1 − g0),   Δ = g1⁻ − g0⁻,   g⁻ = min(g, 0)

    Δ₋ is the Δ of the last step. Without damping, σ (g1 − g0) is the change of ½ k g⁻²: energy is kept whenever a point
    closes or opens within the step. The damping is of second order in the step, and its work is

        ½ k η Δ (Δ − Δ₋) ≥ ¼ k η (Δ² − Δ₋²):

    energy plus ¼ k η Δ² never grows, and energy never above that of the start. The force that moves the place has the
    same damping, with F for Δ, from the second step in contact on (`penalty`): in the first there is no F to go on from.
    With η = ½ δ (1 − δ), δ = γ − ½, both give the oscillation of a contact that the step does not resolve the spectral
    radius (1 − δ)/(1 + δ), which is that of the method itself.
    """
    g0, g1 = np.minimum(near.before, 0.0), np.minimum(near.gap, 0.0)
    inside = (near.gap <= 0.0) | (taken > OPEN)
    both = inside & (near.before <= 0.0)
    change, whole = g1 - g0, near.gap - near.before
    rest = np.where(both | (whole == 0.0), np.inf, whole)
    share = np.where(both, 1.0, change / rest)
    by_gap = (inside - share) / rest
    eta = recent.damping
    level = 0.5 * (g0 + g1) + 0.5 * eta * (change - recent.change)
    by_level = 0.5 * (1.0 + eta) * inside
    return k * share * level, k * (share * by_level + by_gap * level), share, by_gap
