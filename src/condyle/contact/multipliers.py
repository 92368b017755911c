"""Conditions held by multipliers, which are unknowns of the same Newton iteration as the motion.

gap ≥ 0, pressure ≥ 0, one of them 0;   |friction| ≤ μ pressure, against the slip
"""

from __future__ import annotations

import numpy as np

from condyle.contact.response import (
    OPEN,
    SLIP,
    STICK,
    Approach,
    Response,
    Status,
    closed_points,
    outer,
    slipping,
    times,
)  # fmt: skip
from condyle.contact.surface import Array


def augmented(near: Approach, lam: Array, r: Array, taken: Status) -> Response:
    """Without friction: F = (λ + r g) D and g = 0 where λ + r g < 0, else F = 0 and λ = 0 (Hovey 2000, eqs. 2.102–2.110).

    taken: what each point is taken for, whatever its forces say; UNDECIDED where these decide.
    """
    n, d = near.normal.shape
    sigma = lam[:, 0] + r * near.held
    closed = closed_points(sigma, taken)
    on = closed.astype(float)
    force = times(on * sigma, near.direction)
    by_place = times(on * sigma, near.turning) + times(on * r, outer(near.direction, near.normal))
    return Response(
        force,
        by_place,
        times(on, near.direction)[:, :, None],
        np.where(closed, near.held, -lam[:, 0] / r)[:, None],
        times(on, near.normal)[:, None, :],
        np.where(closed, 0.0, -1.0 / r)[:, None, None],
        np.where(closed, SLIP, OPEN).astype(np.int8),
        near.gap,
        np.zeros((n, d)),
    )


def augmented_friction(
    near: Approach, step: Array, lam: Array, r: Array, along: Array, mu: Array, taken: Status
) -> Response:
    """With Coulomb friction; λ is the whole force vector. T = 1 − n nᵀ, s = ξ1 − ξ0, e = τ/|τ|.

    σ = n·λ + r g, τ = T (λ + ρ s), b = −μ σ
    open   σ ≥ 0:    F = 0,          c = −λ/r
    stick  |τ| ≤ b:  F = σ D + τ,    c = g n + T s
    slip   |τ| > b:  F = σ D + b e,  c = g n − (T λ − b e)/ρ

    along: ρ, which says what a slip counts against the friction that there is. If it is small, a point that slips fast
    but whose λ is not yet up to the bound counts as sticking, and Newton's method goes to and fro. mu: of each point (n,).
    """
    n_, H, g, D = near.normal, near.hessian, near.held, near.direction
    d = n_.shape[1]
    unit = np.eye(d)
    T = unit - outer(n_, n_)
    w = lam + along[:, None] * step
    normal_force = np.sum(n_ * lam, axis=1)
    sigma = normal_force + r * g
    tau = np.einsum("nij,nj->ni", T, w)
    size = np.linalg.norm(tau, axis=1)
    bound = -mu * sigma
    closed = closed_points(sigma, taken)
    slips = slipping(closed, size, bound, taken)
    stick = closed & ~slips
    Hl = np.einsum("nij,nj->ni", H, lam)
    d_sigma = Hl + r[:, None] * n_  # by ξ; by λ it is n

    def turned(v: Array) -> Array:
        """∂(T v)/∂ξ at constant v: −(n·v) H − n (H v)ᵀ."""
        return -times(np.sum(n_ * v, axis=1), H) - outer(n_, np.einsum("nij,nj->ni", H, v))

    d_tau = times(along, T) + turned(w)
    safe = np.where(size > 0.0, size, np.inf)[:, None]
    e = tau / safe
    across = (unit - outer(e, e)) / safe[:, :, None]
    de_xi, de_lam = across @ d_tau, across @ T
    # Tangential part f and its derivatives: τ if it sticks, b e if it slips.
    f = np.where(slips[:, None], bound[:, None] * e, tau)
    slides = slips[:, None, None]
    f_xi = np.where(slides, times(bound, de_xi) - times(mu, outer(e, d_sigma)), d_tau)
    f_lam = np.where(slides, times(bound, de_lam) - times(mu, outer(e, n_)), T)
    on = closed.astype(float)
    force = times(on, times(sigma, D) + f)
    by_place = times(on, times(sigma, near.turning) + outer(D, d_sigma) + f_xi)
    by_lam = times(on, outer(D, n_) + f_lam)

    normal_c, normal_xi = times(g, n_), outer(n_, n_) + times(g, H)
    Tl = np.einsum("nij,nj->ni", T, lam)
    Ts = np.einsum("nij,nj->ni", T, step)
    inverse = 1.0 / along
    c = np.where(slips[:, None], normal_c - times(inverse, Tl - f), normal_c + Ts)
    c_xi = np.where(slides, normal_xi - times(inverse, turned(lam) - f_xi), normal_xi + T + turned(step))
    c_lam = np.where(slides, -times(inverse, T - f_lam), 0.0)
    shut = closed[:, None]
    inverse = 1.0 / r
    c = np.where(shut, c, -times(inverse, lam))
    c_xi = np.where(shut[:, :, None], c_xi, 0.0)
    c_lam = np.where(shut[:, :, None], c_lam, -times(inverse, np.broadcast_to(unit, T.shape)))
    status = np.where(stick, STICK, np.where(slips, SLIP, OPEN)).astype(np.int8)
    return Response(force, by_place, by_lam, c, c_xi, c_lam, status, near.gap, times(on / along, f))
