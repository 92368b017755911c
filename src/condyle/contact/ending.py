"""The end of a step: impacts, velocities and accelerations of closed points, and what is carried on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact import memory as kept
from condyle.contact.impact import Blow, Meeting, collide
from condyle.contact.rates import hold_velocities, settle, unit
from condyle.contact.response import OPEN, SLIP, STICK
from condyle.contact.shape_pair import RIGID
from condyle.contact.sharing import share_forces
from condyle.contact.stiffness import largest_depth, warn_of_depth
from condyle.contact.surface import Array
from condyle.system.tables import DIRECTOR
from condyle.system.touching.steps import ROLLS, SLOW

if TYPE_CHECKING:
    from condyle.contact.pair import RigidPair, Terms
    from condyle.contact.shape_pair import ShapePair
    from condyle.contact.step import ContactStep
    from condyle.system.start import RowProblem
    from condyle.system.state import State

Statuses = list[NDArray[np.int8]]
AT_REST = 1e-12  # of the size of a model: gaps, and ways across in a step, of points that lie on their target


def settle_end(step: ContactStep, rows: RowProblem, state: State, reach: float) -> tuple[Array, Array]:
    """Velocities after impacts and of closed points along the surface, and accelerations that keep them there (`rates.settle`).

    Forces become those that belong to these accelerations: smooth, where what solved the step was an impact. Of
    soft bodies, whose nodes may be light, only points that have just closed are held, and forces are left as they
    are. reach [s]: velocities that a force has changed in this step, over the accelerations by it.
    """
    p = step.problem
    closed, new = _statuses(step)
    known, rubs = step.push("end", state.x, state.x), []
    for k, (pair, terms) in enumerate(zip(p.pairs, step.terms, strict=True)):
        if p.given(pair) and not p.strikes(pair):
            np.add.at(known, terms.rows, terms.force)
        elif pair.elastic and not p.given(pair):
            np.add.at(known, terms.rows[~new[k]], terms.force[~new[k]])
        rubs.append(pair.friction * unit(terms.response.slip))
    strike(step, rows, state, reach, closed, new)
    ended = _come_to_rest(step, state, closed, new)
    hold_velocities(p, rows, state, closed)
    if any(points.any() for points in ended):
        _end_slip(step, rows, state, reach, (closed, new, ended), known)
    for k, pair in enumerate(p.pairs):  # what slips after an impact
        after = step.rubbing[p.point_start[k] : p.point_start[k + 1]]
        rubs[k] = np.where(after.any(axis=1, keepdims=True), pair.friction * after, rubs[k])
    acceleration, multipliers = rows.acceleration(state, -known)
    closed = [c * n if pair.elastic else c for pair, c, n in zip(p.pairs, closed, new, strict=True)]
    found = settle(p, rows, state, closed, acceleration, multipliers, rubs)
    for k, pair in enumerate(p.pairs):
        if isinstance(pair, RIGID) and not p.given(pair) and not pair.elastic:
            pair.renew(step.lam(k), closed[k], found[k], state.x)
    step.settled = True
    return acceleration, multipliers


def _come_to_rest(
    step: ContactStep, state: State, closed: Statuses, new: list[NDArray[np.bool_]]
) -> list[NDArray[np.bool_]]:
    """Points that slipped one way in the step and move the other way at its end have been at rest in between: they stick.

    As where points came to stick in the solution itself, velocities have changed at once (`ContactStep.struck`).

    Friction has acted against the slip for the whole step, longer than there was any, and would drive them from now on. To hold
    them takes only energy out. What cannot stick slips in the next step, the right way. Returns whose slip has ended, of each
    pair.
    """
    p, fastest = step.problem, step.problem.fastest(step.v0)
    ended = [np.zeros(pair.count, dtype=bool) for pair in p.pairs]
    for k, pair in enumerate(p.pairs):
        if pair.elastic or pair.friction == 0.0 or not isinstance(pair, RIGID):
            continue
        slips, sticks = (closed[k] == SLIP) & ~new[k], (closed[k] == STICK) & ~new[k]
        if not (slips.any() or sticks.any()):
            continue
        before, along = (pair.approach_rates(*at)[1] for at in ((step.x0, step.v0), (state.x, state.v)))
        slid = np.linalg.norm(before, axis=1) > 1e-9 * fastest
        ended[k] = sticks & slid
        rest = slips & (np.sum(along * step.terms[k].response.slip, axis=1) < 0.0)
        closed[k][rest] = STICK
        ended[k] |= rest
        step.struck |= bool(ended[k].any())
        ended[k] |= slips & slid & (np.sum(along * before, axis=1) < 0.0)
    return ended


def _end_slip(
    step: ContactStep, rows: RowProblem, state: State, reach: float,
    known: tuple[Statuses, list[NDArray[np.bool_]], list[NDArray[np.bool_]]], forces: Array,
) -> None:  # fmt: skip
    """End a slip with an impact where the forces of the step have put energy in.

    Near the friction at which a point cannot slip any more (Painlevé), the force of slipping is a hundred times the weight, and
    acts for the whole of the step in which the slip ends, by the acceleration that the step began with too. Contact with what
    is at rest only takes energy out of the motion without it; an impact from that motion on does so whatever the step.
    forces: of other contacts, on rows (n, d) [N].
    """
    p, (closed, new, ended), h = step.problem, known, float(step.h or 0.0)
    before = replace(state, t=state.t - h, x=step.x0, v=step.v0)
    free = step.v0 + h * rows.acceleration(before, -forces)[0]
    rows.project_velocity(state.x, free, state.t)
    if p.kinetic(state.v) > p.kinetic(free):
        step.restarted = strike(step, rows, state, reach, closed, new, (ended, free))


def stop(step: ContactStep, rows: RowProblem, state: State, reach: float) -> bool:
    """Velocities after the impacts of an energy–momentum step, and of points that have come to stick; were there any?

    A step that ends on the surface says nothing of how fast a body leaves it: its mean velocity, and with it
    twice as much of the rebound, depends on when it got there.
    """
    closed, new = _statuses(step)
    struck = strike(step, rows, state, reach, closed, new)
    return _still(step, rows, state, closed) or struck


def _statuses(step: ContactStep) -> tuple[Statuses, list[NDArray[np.bool_]]]:
    """Of each pair the status of points that multipliers hold, and which of them have just closed."""
    p = step.problem
    closed, new = [], []
    for k, pair in enumerate(p.pairs):
        status = step.terms[k].response.status.copy()
        before = step.before[kept.FORCE][p.force_start[k] : p.force_start[k + 1]].reshape(pair.count, -1).any(axis=1)
        if kept.TOUCHING in step.before:
            before &= step.before[kept.TOUCHING][p.point_start[k] : p.point_start[k + 1]] > 0.0
        if isinstance(pair, RIGID) and not (pair.elastic or step.fresh or step.conserving):
            before |= _rests(step, pair)
        closed.append(np.zeros_like(status) if p.given(pair) else status)
        new.append((status > 0) & ~before)
    return closed, new


def _rests(step: ContactStep, pair: RigidPair | ShapePair) -> NDArray[np.bool_]:
    """Points that lay on their target as the step began and did not move across: where more points hold than can move, some
    press with nothing, and take a part of the force in another step without a blow. Of
    energy–momentum, whose forces are means over a step, this is not asked: its forces would scatter.
    """
    near = AT_REST * step.system.size
    rates = pair.approach_rates(step.x0, step.v0)[0]
    return (np.abs(pair.gaps(step.x0)) <= near) & (np.abs(rates) * float(step.h or 0.0) <= near)


def meets_or_parts(step: ContactStep) -> bool:
    """Has a point of a soft law, or of a body that deforms, closed or opened in the step, without an impact that is known?"""
    for k, (pair, terms) in enumerate(zip(step.problem.pairs, step.terms, strict=True)):
        at = slice(*step.problem.force_start[k : k + 2])
        before = step.before[kept.FORCE][at].reshape(pair.count, -1).any(axis=1)
        if (pair.soft or pair.elastic) and bool((before != (terms.response.status > 0)).any()):
            return True
    return False


def strike(
    step: ContactStep, rows: RowProblem, state: State, reach: float, closed: Statuses, new: list[NDArray[np.bool_]],
    ended: tuple[list[NDArray[np.bool_]], Array] | None = None,
) -> bool:  # fmt: skip
    """The impact of points that have just closed: velocities as they are without the contact forces of the step, and after it.

    ended: points whose slip has ended, which meet without restitution, and velocities without contact. Takes points that part
    out of `closed`.
    """
    p, strikes = step.problem, _striking(step)
    meets = [fresh if ended is None else fresh | ended[0][k] for k, fresh in enumerate(new)]
    if not any(on and (status[fresh] > 0).any() for on, status, fresh in zip(strikes, closed, meets, strict=True)):
        return False
    acted, given = _given(step, rows, state, strikes)
    solved = state.v.copy()
    state.v[:] = state.v - reach * given if ended is None else ended[1]
    meeting = _meeting(step, state, closed, new, strikes)
    blow = collide(p.pairs, rows, state.x, state.v, state.t, meeting)
    rows.project_velocity(state.x, state.v, state.t)
    if step.conserving:
        available = p.kinetic(solved) + float(np.sum(acted * (state.x - step.x0)))
        _limit(step, rows, state, solved, closed, available)
    _note(step, meeting, blow, closed)
    step.struck = True
    return True


def _striking(step: ContactStep) -> list[bool]:
    """Which pairs take part in impacts: of bodies that deform, whose nodes may be light, only those with restitution."""
    p = step.problem
    return [
        (not pair.elastic or pair.law.restitution > 0.0) and not p.given(pair) and not hasattr(pair, "at_nodes")
        for pair in p.pairs
    ]


def _given(step: ContactStep, rows: RowProblem, state: State, strikes: list[bool]) -> tuple[Array, Array]:
    """Forces on rows that these pairs had in the step (n, d) [N], and the accelerations by them (n, d) [m/s²]."""
    acted = np.zeros_like(state.x)
    for on, terms in zip(strikes, step.terms, strict=True):
        if on:
            np.add.at(acted, terms.rows, terms.force)
    push = acted
    if step.conserving:
        push = at_end(step.system.rows.bodies, acted, 0.5 * (step.x0 + state.x), state.x)
        for on, terms in zip(strikes, step.terms, strict=True):
            if on:
                _without_moment(step, terms, state.x, push)
    rows.project_velocity(state.x, state.v, state.t)  # or what joints and rigid bodies leave could become energy
    rows.factor(state.x, state.t)
    return acted, rows.solve(-push, np.zeros(len(rows.system.multipliers)))[0]


def at_end(bodies: NDArray[np.int64], acted: Array, before: Array, x1: Array) -> Array:
    """Forces on rows at x1 with the force and the moment on each body that `acted` had where its directors were `before`.

    Forces f_i on directors d_i have the moment Σ d_i × f_i. What is missing of it after the directors have turned, Δ, is added
    as ½ Δ × d_i, because Σ d_i × (½ Δ × d_i) = Δ. bodies: directors of each rigid body, (nb, 3).
    """
    out, d = acted.copy(), x1.shape[1]
    for triad in bodies:
        directors = triad[:d]
        force, now = np.zeros((d, 3)), np.zeros((d, 3))
        force[:, :d], now[:, :d] = acted[directors], x1[directors]
        if force.any():
            back = np.zeros_like(now)
            back[:, :d] = before[directors] - x1[directors]
            missing = np.cross(back, force).sum(axis=0)
            out[directors] += 0.5 * np.cross(missing, now)[:, :d]
    return out


def _without_moment(step: ContactStep, terms: Terms, x1: Array, push: Array) -> None:
    """Take the moment out of the forces of a contact at the end of a step, where both of its bodies are free to turn.

    The two forces at a point were on one line at mid-step; the bodies have moved apart since then. Each gets half of the
    couple that is missing, as in `at_end`.
    """
    d, turns = x1.shape[1], step.system.rows.bodies
    owner = np.full(len(x1), -1)
    for k, triad in enumerate(turns):
        owner[triad[:d]] = k
    for rows, force in zip(terms.rows, terms.force, strict=True):
        free = np.unique(owner[rows[force.any(axis=-1)]])
        free = free[free >= 0]
        if len(free) < 2:
            continue
        place, given = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
        place[:, :d] = np.where(owner[rows, None] >= 0, 0.5 * (step.x0[rows] + x1[rows]), x1[rows])
        given[:, :d] = force
        moment = np.cross(place, given).sum(axis=0) / len(free)
        for triad in turns[free]:
            now = np.zeros((d, 3))
            now[:, :d] = x1[triad[:d]]
            push[triad[:d]] -= 0.5 * np.cross(moment, now)[:, :d]


def _meeting(
    step: ContactStep, state: State, closed: Statuses, new: list[NDArray[np.bool_]], strikes: list[bool]
) -> Meeting:
    """All points that touch, and how fast those that have just closed came.

    A gap g0 with the rate γ0 as the step began, which changes by a in a second, closes with −√(γ0² − 2 a g0).
    """
    p, h = step.problem, float(step.h or 1.0)
    found = []
    for k, (pair, on) in enumerate(zip(p.pairs, strikes, strict=True)):
        points = np.flatnonzero(closed[k]) if on else np.zeros(0, dtype=np.int64)
        if not points.size:
            continue
        start = pair.approach_rates(step.x0, step.v0)[0][points]
        end, along = pair.approach_rates(state.x, state.v)
        a = (end[points] - start) / h
        square = start**2 - 2.0 * a * np.maximum(pair.gaps(step.x0)[points], 0.0)
        touch = np.where(square > 0.0, -np.sqrt(np.maximum(square, 0.0)), np.minimum(end[points], 0.0))
        speed = np.linalg.norm(along, axis=1)[points]
        mu = np.zeros(points.size) if pair.rub is None else pair.rub.coefficient(speed)
        e, rule = np.full(points.size, pair.law.restitution), np.full(points.size, pair.law.rule)
        fresh = new[k][points] & (end[points] < 0.0)
        which = np.full(points.size, k)
        found.append((which, points, mu, e, rule, np.where(fresh, touch, 0.0), np.maximum(-a * h, 0.0)))
    return Meeting(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _limit(
    step: ContactStep, rows: RowProblem, state: State, solved: Array, closed: Statuses, available: float
) -> None:
    """Let no more kinetic energy [J] than there is come out of an impact: the rest of the rebound is left out.

    The step has been solved with another impulse than that of the impact, so what it says of velocities without any is exact
    only to first order; velocities `solved`, held along the surface, never have more than there is.
    """
    p = step.problem
    if p.kinetic(state.v) <= available:
        return
    more, state.v[:] = state.v.copy(), solved
    hold_velocities(p, rows, state, [status * (not pair.elastic) for pair, status in zip(p.pairs, closed, strict=True)])
    rows.project_velocity(state.x, state.v, state.t)
    change = more - state.v
    a, b, c = p.kinetic(change), p.kinetic(state.v + change) - p.kinetic(state.v) - p.kinetic(change), 0.0
    c = p.kinetic(state.v) - available
    share = (-b + np.sqrt(max(b * b - 4.0 * a * c, 0.0))) / (2.0 * a) if a > 0.0 else 0.0
    state.v += min(max(share, 0.0), 1.0) * change


def _note(step: ContactStep, meeting: Meeting, blow: Blow, closed: Statuses) -> None:
    """Impulses for the results, mean forces over the step, and what points do after the impact."""
    p, h = step.problem, float(step.h or 1.0)
    for k, pair in enumerate(p.pairs):
        mine = np.flatnonzero(meeting.pair == k)
        if not mine.size:
            continue
        points = meeting.point[mine]
        here = slice(*p.force_start[k : k + 2])
        impulse = np.zeros((pair.count, pair.reported))
        vector = np.einsum("kij,ki->kj", blow.axes[mine], blow.impulse[mine])
        impulse[points] = -vector if pair.reported > 1 else -blow.impulse[mine, :1]
        step.impulses[here] = impulse.ravel()
        if isinstance(pair, RIGID):
            step.lam(k)[points] = impulse[points] / h
        closed[k][points] = np.where(blow.sticking[mine] & (pair.friction > 0.0), STICK, SLIP)
        closed[k][points[blow.leaving[mine]]] = OPEN
        step.touching[p.point_start[k] + points[blow.leaving[mine]]] = 0.0
        step.rubbing[p.point_start[k] + points] = np.einsum(
            "kij,ki->kj", blow.axes[mine, 1:], unit(blow.after[mine, 1:])
        )


def _still(step: ContactStep, rows: RowProblem, state: State, closed: Statuses) -> bool:
    """Stop points that have come to stick: a step in which they have not moved turns their velocity round, for ever.

    Bodies that roll are left alone: in an energy–momentum step their slip at its end is of second order in the turn φ of
    the step, some percent of φ² of the largest velocity (`system/touching/steps.py:slides_to_rest`).
    """
    p, fastest = step.problem, step.problem.fastest(state.v)
    held, found = [], False
    ways = np.linalg.norm(state.x - step.x0, axis=1) * (step.system.rows.kind == DIRECTOR) * step.conserving
    for pair, terms, status in zip(p.pairs, step.terms, closed, strict=True):
        sticks = (status == STICK) & isinstance(pair, RIGID)
        if sticks.any():
            slow = np.maximum(SLOW, ROLLS * ways[terms.rows].max(axis=1) ** 2) * fastest
            sticks &= np.linalg.norm(pair.approach_rates(state.x, state.v)[1], axis=1) > slow
        held.append(np.where(sticks, STICK, OPEN).astype(np.int8))
        found |= bool(sticks.any())
    if found:
        hold_velocities(p, rows, state, held)
        rows.project_velocity(state.x, state.v, state.t)
    return found


def memory(step: ContactStep, x1: Array) -> dict[str, Array]:
    """What the next step needs: forces (of soft laws as they were), stiffness, elastic slip."""
    p = step.problem
    if not step.settled:
        share_forces(step, 0.5 * (step.x0 + x1) if step.conserving else x1)
    force, slip = step.force.copy(), step.slip.copy()
    recent, past = step.before.get(kept.RECENT, np.zeros((0, 2))).copy(), step.past.copy()
    for k, (pair, terms) in enumerate(zip(p.pairs, step.terms, strict=True)):
        pair.after_step(x1, step.t)
        at, points = slice(*p.force_start[k : k + 2]), slice(*p.point_start[k : k + 2])
        response, mean = terms.response, terms.response.mean
        if mean is not None:
            recent[points] = np.stack((mean.change, mean.press), axis=1)
            inside, deepest = response.gap < 0.0, np.maximum(past[points, 1], -response.gap)
            past[points] = np.where(inside, (past[points, 0], deepest), 0.0).T
            response = response._replace(force=mean.end if step.reports_end else mean.force)
        elastic = response.slip
        if not isinstance(pair, RIGID):
            lam, elastic = pair.end(step.lam(k), response)
            force[at] = lam.ravel()
        elif pair.soft:
            force[at] = pair.to_report(response, x1).ravel()
        if len(slip) and pair.soft:
            slip[points] = elastic
    out = step.before | {kept.FORCE: force, kept.STIFFNESS: step.r}
    out |= {
        kept.MEAN_FORCE: 0.5 * (step.before[kept.FORCE] + force),
        kept.IMPULSE: step.impulses,
        kept.TOUCHING: step.touching,
    }
    out |= {kept.ELASTIC_SLIP: slip} if len(slip) else {}
    out |= {kept.RECENT: recent, kept.PAST: past} if len(recent) else {}
    if kept.FEATURES in step.before:
        out[kept.FEATURES] = step.features if step.by_kernels else p.features()
    if kept.DEPTH in step.before:
        out[kept.DEPTH] = _depths(step, x1)
    return out | ({kept.OVERLAP: step.overlap} if kept.OVERLAP in step.before else {})


def _depths(step: ContactStep, x1: Array) -> Array:
    """The deepest that points have been inside their targets so far, of each contact [m]; a warning where it is deep."""
    p, depths = step.problem, step.before[kept.DEPTH].copy()
    for k, (pair, terms) in enumerate(zip(p.pairs, step.terms, strict=True)):
        deepest = int(np.argmin(terms.response.gap))
        depth = max(0.0, -float(terms.response.gap[deepest]))
        if depth > depths[k]:
            limit = largest_depth(step.system, pair, x1)
            stand_in = (
                pair.law.linear or pair.layer is not None
            )  # other soft laws give way as deep as they were asked to
            if depth > limit >= depths[k] and pair.soft and stand_in:
                stiffness = float(step.r[p.point_start[k] + deepest])
                warn_of_depth(pair, deepest, depth, limit, stiffness, step.t)
            depths[k] = depth
    return depths
