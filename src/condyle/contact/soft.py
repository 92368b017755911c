"""Soft conditions: the force follows from places and rates, by a normal law and one of friction (`contact/laws`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws.law import ContactLaw, FrictionLaw, Slid
from condyle.contact.response import (
    END,
    MEAN,
    OPEN,
    SLIP,
    STICK,
    Approach,
    Mean,
    Recent,
    Response,
    Status,
    outer,
    times,
)  # fmt: skip
from condyle.contact.surface import Array


def soft(
    near: Approach, step: Array, law: ContactLaw, rub: FrictionLaw | None, recent: Recent, where: str, taken: Status
) -> Response:
    """F = σ D with the force σ of the law at the end of the step, or its mean over it, and friction along the surface.

    step: how ξ has changed (n, d) [m].
    """
    n_, D = near.normal, near.direction
    n, d = n_.shape
    at_end, slope = end_press(near, law, recent, taken)
    sigma, share, by_gap = at_end, np.ones(n), np.zeros(n)
    if where != END:
        sigma, slope, share, by_gap = mean_press(near, law, recent, taken)
    closed = (sigma < 0.0) | (taken > OPEN) if not law.pulls else (sigma != 0.0) | (taken > OPEN)
    status = np.where(closed, SLIP, OPEN).astype(np.int8)
    force = times(sigma, D)
    by_place = times(sigma, near.turning) + times(slope, outer(D, n_))
    rubbed, slip = np.zeros((n, d)), np.zeros((n, d))
    if rub is not None:
        rubbed, by_rub, slip, slips = _friction(near, step, rub, recent, sigma, slope, closed, taken)
        force, by_place = force + rubbed, by_place + by_rub
        status = np.where(slips, SLIP, np.where(closed, STICK, OPEN)).astype(np.int8)
    g1, inside = np.minimum(near.gap, 0.0), near.gap < 0.0
    change = np.where(inside, g1 - np.minimum(near.before, 0.0), 0.0)
    mean = Mean(force, times(at_end, n_) + rubbed, change, np.where(inside, sigma, 0.0))
    if where == MEAN and recent.damping and law.linear:
        # What moves the place: (1 + η) F − η (share of the step in contact) F of the last step.
        eta: Array = np.where((recent.press < 0.0) & closed, recent.damping, 0.0)  # what is open has no force
        last = times(recent.press, D) + (times(rub.stiffness(recent.chosen.stiffness), recent.slip) if rub else 0.0)
        by_last = times(share * recent.press, near.turning) + times(by_gap, outer(last, n_))
        force = times(1.0 + eta, force) - times(eta * share, last)
        by_place = times(1.0 + eta, by_place) - times(eta, by_last)
    none = np.zeros((n, 0, d))
    return Response(
        force, by_place, np.zeros((n, d, 0)), np.zeros((n, 0)), none, np.zeros((n, 0, 0)), status, near.gap, slip, mean
    )


def end_press(near: Approach, law: ContactLaw, recent: Recent, taken: Status) -> tuple[Array, Array]:
    """σ ≤ 0 at the end of the step (n,) and ∂σ/∂g1: F + c ṡ |ṡ|^(q − 1) with the rate of the step, or that which is known."""
    s = -near.gap
    F, c = (curve(s, recent.past, recent.chosen) for curve in (law.elastic_curve, law.damping_curve))
    press, slope = F.value, np.where((taken > OPEN) & law.linear, recent.chosen.stiffness, F.slope)
    if recent.rate is not None:
        press = press - c.value * recent.rate * law.of_rate(recent.rate)[0]
    elif recent.h is not None:
        rate = -(near.gap - near.before) / recent.h
        grown, by_rate = law.of_rate(rate)
        press = press + c.value * grown * rate
        slope = slope + c.slope * grown * rate + c.value * (grown + by_rate * rate) / recent.h
    if not law.pulls:
        slope, press = np.where((press > 0.0) | (taken > OPEN), slope, 0.0), np.maximum(press, 0.0)
    return -press, slope


def mean_press(near: Approach, law: ContactLaw, recent: Recent, taken: Status) -> tuple[Array, Array, Array, Array]:
    """Mean σ over the step and ∂σ/∂g1; the share of the step that is spent in contact, and its ∂/∂g1 (of linear laws)."""
    if law.linear:
        sigma, slope, share, by_gap = damped_mean(near, recent.chosen.stiffness, recent, taken)
    else:
        press, by_depth = law.mean(-near.before, -near.gap, recent.past, recent.chosen)
        sigma, slope = -press, by_depth
        share, by_gap = np.ones_like(sigma), np.zeros_like(sigma)
    if recent.h is not None:
        first, last = (law.damping_curve(-g, recent.past, recent.chosen) for g in (near.before, near.gap))
        grown, by_rate = law.of_rate((near.before - near.gap) / recent.h)
        mean = (last.whole - first.whole) / recent.h
        sigma, slope = sigma - mean * grown, slope + (last.value * grown + mean * by_rate) / recent.h
    if not law.pulls:
        slope, sigma = np.where((sigma < 0.0) | (taken > OPEN), slope, 0.0), np.minimum(sigma, 0.0)
    return sigma, slope, share, by_gap


def damped_mean(near: Approach, k: Array, recent: Recent, taken: Status) -> tuple[Array, Array, Array, Array]:
    """Mean normal force of F = k s over the step, ∂/∂g1; the share φ of the step that is spent in contact, ∂/∂g1.

        σ = k φ [½ (g0⁻ + g1⁻) + ½ η (Δ − Δ₋)],   φ = Δ/(g1 − g0),   Δ = g1⁻ − g0⁻,   g⁻ = min(g, 0)

    Δ₋ is the Δ of the last step. Without damping, σ (g1 − g0) is the change of ½ k g⁻²: energy is kept whenever a point
    closes or opens within the step. The damping is of second order in the step, and its work is

        ½ k η Δ (Δ − Δ₋) ≥ ¼ k η (Δ² − Δ₋²):

    energy plus ¼ k η Δ² never grows, and energy never above that of the start. The force that moves the place has the
    same damping, with F for Δ, from the second step in contact on (`soft`): in the first there is no F to go on from.
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


def _friction(
    near: Approach, step: Array, rub: FrictionLaw, recent: Recent, sigma: Array, slope: Array, closed: NDArray[np.bool_],
    taken: Status
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:  # fmt: skip
    """Friction (n, d), its derivative by ξ1, the elastic slip after the step, and which points slip."""
    n_, H = near.normal, near.hessian
    d = n_.shape[1]
    T = np.eye(d) - outer(n_, n_)

    def turned(v: Array) -> Array:
        """∂(T v)/∂ξ at constant v: −(n·v) H − n (H v)ᵀ."""
        return -times(np.sum(n_ * v, axis=1), H) - outer(n_, np.einsum("nij,nj->ni", H, v))

    along, elastic = (np.einsum("nij,nj->ni", T, v) for v in (step, recent.slip))
    k = rub.stiffness(recent.chosen.stiffness)
    slid = Slid(along, elastic, -sigma, k, recent.h, recent.speed, taken == STICK, taken == SLIP)
    found = rub.traction(slid)
    on = closed.astype(float)
    by_place = found.by_step @ (T + turned(step)) + found.by_elastic @ turned(recent.slip)
    by_place = by_place - outer(found.by_press, times(slope, n_))
    return times(on, found.force), times(on, by_place), times(on, found.elastic), closed & found.slips
