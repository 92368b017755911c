"""Impacts: impulses that points of rigid and flexible bodies give each other in no time, with restitution and friction.

With the rates u = (normal, tangential) of the points that touch and W = J m⁻¹ Jᵀ, joints included, impulses p change them by
W p:

    compression   p ≥ 0, u ≥ 0 across, one of them 0;   |p_t| ≤ μ p_n against the slip
    expansion     Newton     u_n ≥ e (speed of approach)
                  Poisson    p_n ≥ e (p_n of the compression)
                  Stronge    p_n ≥ ε (p_n of the compression), ε such that the normal impulse gives back e² of the work it took

Points that approach are taken together, so that a plank lands on both ends at once; those that they strike in turn come after
them, round by round, as in Newton's cradle. Where a slip may end on the way (Poisson, Stronge), impulses grow stage by stage,
as in Routh's diagram. Newton's rule with friction can create energy (Kane): e is then lowered until it
does not. Points that would be back before the step is over stay (what is left of infinitely many bounces).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.surface import Array
from condyle.solvers.instant import solve_instant

if TYPE_CHECKING:
    from condyle.contact.layout import Pair
    from condyle.system.start import RowProblem

ROUNDS = 200  # of impacts that follow each other within an instant
SOLVED = 1e-13  # of the largest rate
STAGES = 16  # of a compression and of an expansion with friction, and of a stage in which a slip ends
SLOW = 1e-3  # of the largest rate: slower, points do not meet at the same instant as the others
STILL = 1e-9  # of the largest rate: slower is not approaching


class Meeting(NamedTuple):
    """Points that touch: of each its pair, its number there, and what its laws say of it."""

    pair: NDArray[np.int64]
    point: NDArray[np.int64]
    mu: Array
    restitution: Array
    rule: NDArray[np.str_]
    approach: Array  # rate of the gap at the instant of touching, negative [m/s]; 0 of points that touched before
    quiet: Array  # speeds that a step changes anyway [m/s]: slower, points do not rebound


class Blow(NamedTuple):
    """What an impact did."""

    impulse: Array  # normal and tangential (k, d) [N s]
    axes: Array  # these directions (k, d, d)
    after: Array  # rates along them afterwards (k, d) [m/s]
    leaving: NDArray[np.bool_]  # points that part (k,)
    sticking: NDArray[np.bool_]  # points that do not slip (k,)


def collide(pairs: list[Pair], rows: RowProblem, x: Array, v: Array, t: float, meeting: Meeting) -> Blow:
    """Change velocities v in place by the impulses of the points that meet."""
    d, k = x.shape[1], len(meeting.point)
    J, axes = np.zeros((k, d, *x.shape)), np.zeros((k, d, d))
    for number in np.unique(meeting.pair):
        mine = np.flatnonzero(meeting.pair == number)
        at, gradients, axes[mine] = pairs[number].directions(x, meeting.point[mine])
        for i, row, gradient in zip(mine, at, gradients, strict=True):
            for a in range(d):
                np.add.at(J[i, a], row, gradient[a])
    rows.factor(x, t)
    none = np.zeros(len(rows.system.multipliers))
    J = J.reshape(k * d, -1)
    answers = np.array([rows.solve(j.reshape(x.shape), none)[0].ravel() for j in J])
    u, W = (J @ v.ravel()).reshape(k, d), (J @ answers.T).reshape(k, d, k, d)
    p = _rounds(W, u, meeting)
    v += (answers.T @ p.ravel()).reshape(x.shape)
    after = u + np.einsum("iajb,jb->ia", W, p)
    still = STILL * max(np.abs(u).max(initial=0.0), 1e-300)
    return Blow(p, axes, after, after[:, 0] > still, np.linalg.norm(after[:, 1:], axis=1) <= still)


def _rounds(W: Array, u: Array, meeting: Meeting) -> Array:
    """All impulses (k, d): of those that approach, then of those that these strike, and so on."""
    total, u = np.zeros_like(u), u.copy()
    scale = np.abs(u).max(initial=0.0)
    e, reference = meeting.restitution.copy(), np.minimum(meeting.approach, 0.0)
    e[-reference * 2.0 * e <= meeting.quiet] = 0.0
    if e.any():
        for _ in range(ROUNDS):
            now = u[:, 0] < -SLOW * scale  # what creeps together has not met yet: it is struck by these
            if not now.any():
                now = u[:, 0] < -STILL * scale
            if not now.any():
                break
            p = _impact(W, u, meeting, now, e, np.where(reference < 0.0, reference, u[:, 0]))
            total, u = total + p, u + np.einsum("iajb,jb->ia", W, p)
            if not (u[:, 0] < -SLOW * scale).any():  # what is left of bounces of bodies against each other
                break
            reference = np.zeros_like(reference)  # from now on points strike each other as fast as they approach
            e = np.where(-u[:, 0] > meeting.quiet, meeting.restitution, 0.0)
    everything = np.ones(len(u), dtype=bool)
    return total + _impulses(W, u, meeting.mu, everything, np.zeros(len(u)), np.zeros(len(u)))


def _impact(W: Array, u: Array, meeting: Meeting, now: NDArray[np.bool_], e: Array, reference: Array) -> Array:
    """Compression and expansion of the points in `now`."""
    newton, stronge = meeting.rule == "newton", meeting.rule == "stronge"
    by_work = stronge & now & (e > 0.0)
    rubs = (now & ~newton & (e > 0.0) & (meeting.mu > 0.0)).any()
    stages = STAGES if rubs else 1
    nothing = np.zeros(len(u))
    pressed, taken = _in_stages(W, u, meeting.mu, now, nothing, nothing, stages)
    middle = u + np.einsum("iajb,jb->ia", W, pressed)
    # Of points that have just closed: their speed at the instant of touching, over that which the whole step gave them.
    instant = np.clip(np.where(u[:, 0] < 0.0, reference / np.where(u[:, 0] < 0.0, u[:, 0], 1.0), 1.0), 0.0, 1.0)

    def expansion(share: float, more: float) -> tuple[Array, Array]:
        """share: of e of Newton's rule; more: times e, of the impulse of compression by Stronge's."""
        target = np.where(newton, -share * e * reference, 0.0)
        least = np.where(newton, 0.0, np.where(stronge, more, 1.0) * e * instant * pressed[:, 0])
        return _in_stages(W, middle, meeting.mu, now, target, least, stages)

    def expanded(share: float, more: float) -> Array:
        return expansion(share, more)[0]

    def gained(p: Array) -> float:
        after = middle + np.einsum("iajb,jb->ia", W, p)
        return float(0.5 * np.sum(pressed * (u + middle)) + 0.5 * np.sum(p * (middle + after)))

    more = 1.0
    if by_work.any():
        asked = -float(np.sum(((e * instant) ** 2 * taken)[stronge]))
        more = _crossing(lambda times: float(np.sum(expansion(1.0, times)[1][stronge])) - asked)
    back = expanded(1.0, more)
    size = float(np.sum(np.abs(pressed * u))) + 1e-300
    if gained(back) > 1e-12 * size:
        low, high = 0.0, 1.0
        for _ in range(50):
            share = 0.5 * (low + high)
            low, high = (share, high) if gained(expanded(share, share * more)) <= 0.0 else (low, share)
        back = expanded(low, low * more)
    return pressed + back


def _in_stages(
    W: Array, u: Array, mu: Array, now: NDArray[np.bool_], target: Array, least: Array, stages: int, split: bool = True
) -> tuple[Array, Array]:
    """Impulses (k, d) as of `_impulses`, and the work of their normal parts (k,) [J], which is below 0 in compression.

    Stage by stage, because both depend on the way: where a slip ends, impulses grow otherwise from there on. The stage in which
    it does is split into as many again.
    """
    total, work, before = np.zeros_like(u), np.zeros(len(u)), u
    first, still = np.where(now, np.minimum(u[:, 0], target), target), STILL * float(np.abs(u).max(initial=0.0))
    for stage in range(1, stages + 1):
        goal, part = first + (target - first) * (stage / stages), least / stages
        p = _impulses(W, before, mu, now, goal, part)
        after = before + np.einsum("iajb,jb->ia", W, p)
        done = 0.5 * p[:, 0] * (before + after)[:, 0]
        slips = now & (mu > 0.0) & (np.linalg.norm(before[:, 1:], axis=1) > still)
        if stages > 1 and split and (slips & (np.sum(before[:, 1:] * after[:, 1:], axis=1) <= still * still)).any():
            p, done = _in_stages(W, before, mu, now, goal, part, stages, split=False)
            after = before + np.einsum("iajb,jb->ia", W, p)
        total, work, before = total + p, work + done, after
    return total, work


def _crossing(miss: Callable[[float], float]) -> float:
    """Where a function that grows from below 0 passes it."""
    from scipy.optimize import brentq

    low, high = 0.0, 1.0
    while miss(high) < 0.0:
        low, high = high, 2.0 * high
        if high > 1e3:
            return high
    return float(brentq(miss, low, high, xtol=1e-15, rtol=1e-14)) if miss(low) < 0.0 else low


def _impulses(W: Array, u: Array, mu: Array, now: NDArray[np.bool_], target: Array, least: Array) -> Array:
    """p ≥ least, u ≥ target across, one of them equal; |p_t| ≤ μ p_n against the slip; of the points in `now`."""
    p, on = np.zeros_like(u), np.flatnonzero(now)
    p[on] = solve_instant(W[on][:, :, on], u[on], mu[on], target[on], least[on], solved=SOLVED)
    return p
