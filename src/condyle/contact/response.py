"""Words that pairs, laws and solver share: the status of a point, how its gap changes over a step, what a condition answers.

Everything is a function of the coordinates ξ of points in the body that carries the surface, at both ends of the step, and of
the multipliers: the force F that works on δξ, the residual c of the multipliers, and their derivatives. A multiplier is
negative in compression, λ = F·n, as that of the constraint gap = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws.law import Chosen, Past
from condyle.contact.surface import Array, Distance

OPEN, STICK, SLIP = 0, 1, 2  # a closed point without friction counts as slipping
UNDECIDED, SHUT = -1, 3  # what a point is taken for: what its forces say; closed, and the rest as its forces say
Status = NDArray[np.int8]
# Where a method takes forces: at the end of the step; as energy–momentum does, with the discrete gradient between both
# ends; penalties alone as means over the step, in a method that balances its end (`Mean`).
END, CONSERVING, MEAN = "end", "conserving", "mean"


class Recent(NamedTuple):
    """What points bring along as a step begins."""

    slip: Array  # elastic slip (n, d) [m]
    change: Array  # of the gap while it was closed in the last step (n,) [m]
    press: Array  # mean normal force in the last step (n,) [N], negative in compression
    past: Past  # what laws remember of an impact
    chosen: Chosen  # stiffness and damping
    speed: Array  # of slip (n,) [m/s]
    h: float | None = None  # length of the step [s], None in statics
    damping: float = 0.0  # η, see `soft.damped_mean`
    rate: Array | None = None  # of the gap (n,) [m/s], where it is known: explicit methods


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


def approach(
    end: Distance, radius: float, xi0: Array, xi1: Array, start: Distance, allowed: Array, whole: bool
) -> Approach:
    """The gap at ξ1 and the direction in which it is held open; allowed: overlap that is still allowed (n,) [m].

    start, end: the distance at ξ0 and ξ1. whole: forces belong to the whole step. There D·(ξ1 − ξ0) = g1 − g0 exactly
    (Gonzalez's discrete gradient), so that the work of a force λ D is λ (g1 − g0); and what is held is g1 ≥ min(g0, 0): a
    closed contact does no work, one that closes takes energy out, and none puts energy in.
    """
    gap, before = end.gap - radius, start.gap - radius
    if not whole:
        return Approach(gap, gap + allowed, end.normal, end.hessian, end.normal, end.hessian, before)
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


def closed_points(sigma: Array, taken: Status) -> NDArray[np.bool_]:
    return ((sigma < 0.0) & (taken != OPEN)) | (taken > OPEN)


def slipping(closed: NDArray[np.bool_], size: Array, bound: Array, taken: Status) -> NDArray[np.bool_]:
    return closed & (taken != STICK) & ((size > bound) | (taken == SLIP))


def outer(a: Array, b: Array) -> Array:
    return a[:, :, None] * b[:, None, :]


def times(scale: Array, a: Array) -> Array:
    return scale.reshape(scale.shape + (1,) * (a.ndim - 1)) * a
