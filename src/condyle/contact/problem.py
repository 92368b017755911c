"""All contacts of a system in its equations: multipliers beside the unknowns of the system, one matrix for both.

The matrix of contact has a pattern of its own that contains the one of the system, so that nothing else knows of it.
Multipliers, the stiffness of the regularisation and elastic slip are in the memory of the state: a run that is resumed
goes on bit for bit.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact import law
from condyle.contact.deformable import FacetPair
from condyle.contact.mortar import MortarPair
from condyle.contact.pair import FEW, PENALTY, Held, RigidPair, Share
from condyle.contact.stiffness import ContactWarning, choose_stiffness, largest_depth, warn_of_depth
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.system import assembly
from condyle.system.couplings import find_couplings
from condyle.system.linear import LinearSolver, make_solver
from condyle.system.linear.sharing import REGULARISATION, regularise
from condyle.system.pattern import Pattern

if TYPE_CHECKING:
    from condyle.system.start import RowProblem
    from condyle.system.state import State
    from condyle.system.system import Buffers, System

# Names in a state's memory.
FORCE, STIFFNESS, SLIP, OVERLAP = "contact force", "contact stiffness", "contact slip", "contact overlap"
DEPTH = "contact depth"  # the largest so far of each contact [m]
DEEP = 0.01  # of the size of the model: an overlap at the start that is no accident (of penalties ten times as much)
SHALLOW = 1e-4  # of the size of the model: an overlap at the start that is worth a word
FAR = 10.0  # sizes of the model: further away, a target is out of reach
TOUCH = 1e-9  # of the size of the model: a gap that counts as none at the start
SOFTER = 1e-3
MOST_CYCLES = 6  # of the status of points within one solve
ALL_TRIED = 3  # points that keep changing: up to this many, all that they can be is tried

Pair = RigidPair | FacetPair | MortarPair
DEFORMS = (FacetPair, MortarPair)  # whose target deforms: rows and unknowns change as points slide


class ContactProblem:
    """What the contacts of a system add to its equations."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.pairs: list[Pair] = list(system.builder.contacts)
        for pair in self.pairs:
            pair.prepare(system)
        counts = np.array([p.count for p in self.pairs])
        self.point_start = np.concatenate(([0], np.cumsum(counts)))
        self.force_start = np.concatenate(([0], np.cumsum([p.count * p.reported for p in self.pairs])))
        self.unknown_start = system.unknowns + np.concatenate(([0], np.cumsum([p.count * p.width for p in self.pairs])))
        self.unknowns = int(self.unknown_start[-1])
        self.build(system.x_start)

    def build(self, x: Array) -> None:
        """The pattern: that of the system, and each point with its rows and multipliers; facets that move as near at x."""
        s, n = self.system.pattern, self.unknowns
        keys = [s.rows().astype(np.int64) * n + s.indices]
        for k, pair in enumerate(self.pairs):
            columns = pair.reserve(x) if isinstance(pair, DEFORMS) else pair.columns
            keys.append(_keys(self.with_multipliers(k, columns), n)[0])
        diagonal = np.arange(n, dtype=np.int64)
        self.keys = np.unique(np.concatenate([*keys, diagonal * (n + 1)]))
        rows = self.keys // n
        integer: type[np.integer] = np.int32 if self.keys.size < 2**31 else np.int64
        indptr: NDArray[np.integer] = np.searchsorted(rows, np.arange(n + 1)).astype(integer)
        indices: NDArray[np.integer] = (self.keys % n).astype(integer)
        self.pattern = Pattern(n, indptr, indices)
        self.system_at = np.searchsorted(self.keys, keys[0])
        self.diagonal = np.searchsorted(self.keys, diagonal * (n + 1)).astype(np.int64)
        self.fixed = [
            None if isinstance(pair, DEFORMS) else self.places(k, pair.columns) for k, pair in enumerate(self.pairs)
        ]
        own = np.arange(self.system.unknowns, n)
        self.levers = np.concatenate((self.system.levers, np.zeros(own.size)))
        self.couplings = find_couplings(rows, indices, np.arange(self.keys.size), own, self.levers)
        self._solver: LinearSolver | None = None

    def with_multipliers(self, k: int, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Columns of the points of pair k and of their multipliers, (n, nu + m)."""
        pair = self.pairs[k]
        own = self.unknown_start[k] + np.arange(pair.count * pair.width).reshape(pair.count, pair.width)
        return np.concatenate((columns, own), axis=1)

    def places(self, k: int, columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
        """Where the entries of the blocks of pair k stand in the matrix, and which there are; None if one has no room."""
        keys, there = _keys(self.with_multipliers(k, columns), self.unknowns)
        at = np.searchsorted(self.keys, keys)
        found = (at < self.keys.size) & (self.keys[np.minimum(at, self.keys.size - 1)] == keys)
        return (at, there) if found.all() else None

    @property
    def solver(self) -> LinearSolver:
        """The solver of the whole matrix."""
        if self._solver is None:
            self._solver = solver = make_solver(self.pattern, self.system.solver_kind, symmetric=False)
            solver.owner, solver.levers = self.owner, self.levers
            solver.least_stiffness = self.system.least_stiffness
        return self._solver

    @property
    def points(self) -> int:
        """Number of points of all contacts."""
        return int(self.point_start[-1])

    def owner(self, unknown: int) -> str:
        """The part an unknown belongs to; of multipliers of contact, the contact and the point."""
        if unknown < self.system.unknowns:
            return self.system.owner(unknown)
        k = int(np.searchsorted(self.unknown_start, unknown, side="right")) - 1
        pair = self.pairs[k]
        return pair.owner((unknown - int(self.unknown_start[k])) // pair.width)

    def pair(self, name: str) -> int:
        """The number of a contact."""
        for k, pair in enumerate(self.pairs):
            if pair.name == name:
                return k
        raise InputError(f"there is no contact '{name}'; there are: {', '.join(p.name for p in self.pairs)}")

    def step(self, state: State, h: float | None) -> ContactStep:
        """The contacts in a step of h [s] from a state; None for statics."""
        return ContactStep(self, state, h)

    # --- memory ---------------------------------------------------------------------------------------------------------

    def start(self, state: State, h: float | None, inertia: bool = True) -> dict[str, Array]:
        """The memory at the start of a run with steps of h [s], None for statics; forces that the state has are kept.

        inertia: does the method know any?
        """
        force = state.memory.get(FORCE, np.zeros(int(self.force_start[-1])))
        memory = {FORCE: force, STIFFNESS: choose_stiffness(self, state, h), DEPTH: np.zeros(len(self.pairs))}
        if any(p.condition == PENALTY and p.friction > 0.0 for p in self.pairs):
            memory[SLIP] = np.zeros((self.points, self.system.d))
        overlap = np.concatenate([self._overlap(pair, state.x, inertia and h is not None) for pair in self.pairs])
        if overlap.any():
            memory[OVERLAP] = overlap
        return memory

    def _overlap(self, pair: Pair, x: Array, heavy: bool) -> Array:
        """Overlap at the start that is allowed for (n,) [m]; an error where it is deep and not to be resolved.

        Resolved, it goes step by step. Else heavy points stay as deep as they are, until they come out by themselves:
        to push them out within a step would be work from nowhere. Statics and quasi-static bodies know no work, and close.
        """
        gap = pair.gaps(x)
        if not np.isfinite(gap).all():
            raise InputError(
                f"Contact '{pair.name}': the gap of {pair.labels[int(np.argmin(np.isfinite(gap)))]} is not finite"
            )
        if pair.overlap == "resolve":
            return np.maximum(-gap, 0.0)
        size = self.system.size
        deepest = int(np.argmin(gap))
        if gap[deepest] < -DEEP * size * (10.0 if pair.condition == PENALTY else 1.0):
            raise InputError(
                f"Contact '{pair.name}': {pair.labels[deepest]} starts {-gap[deepest]:.3g} m inside the target; "
                "move the bodies apart, turn the surface if its outside is wrong, or set overlap='resolve'"
            )
        stays = heavy and pair.condition != PENALTY and not self.presses_still(pair)
        if stays and gap[deepest] < -SHALLOW * size:
            warnings.warn(
                f"Contact '{pair.name}': {pair.labels[deepest]} starts {-gap[deepest]:.3g} m inside the target and stays "
                "inside until it comes out by itself; draw it outside, or set overlap='resolve' to have it pushed out",
                ContactWarning,
                stacklevel=2,
            )
        if gap.min() > FAR * size:
            warnings.warn(
                f"Contact '{pair.name}': no point is nearer to the target than {gap.min():.3g} m, "
                f"{gap.min() / size:.0f} times the size of the model; is it in the right place?",
                ContactWarning,
                stacklevel=2,
            )
        return np.where(stays & (gap < -TOUCH * size), -gap, 0.0)

    def given(self, pair: Pair) -> bool:
        """Do its forces follow from positions alone? Those of penalties, and those on quasi-static bodies."""
        return pair.condition == PENALTY or self.presses_still(pair)

    def presses_still(self, pair: Pair) -> bool:
        """Is one of the two bodies quasi-static?"""
        still = {self.system.builder.owner[row] for row in self.system.quasi_static}
        return not still.isdisjoint((pair.body, pair.target))

    def given_force(self, state: State) -> Array:
        """Forces on all rows (n, d) [N] of contacts whose forces follow from positions, at the start of a run."""
        step = ContactStep(self, state, self.system.step)
        step.evaluate(state.x, state.x, state.x, False, 1.0, False, self.system.scratch)
        out = np.zeros_like(state.x)
        for pair, share in zip(self.pairs, step.shares, strict=True):
            if self.given(pair):
                np.subtract.at(out, share.rows, share.force)
        return out

    def settled(self, rows: RowProblem, state: State, acceleration: Array) -> Array:
        """Accelerations at the start with the points that touch and do not part held by the surface, friction included."""
        closed, sliding = [], []
        fastest = np.abs(state.v).max(initial=0.0)
        allowed = state.memory.get(OVERLAP, np.zeros(self.points))
        for k, pair in enumerate(self.pairs):
            leaving, along = pair.approach_rates(state.x, state.v)
            gap = pair.gaps(state.x) + allowed[self.point_start[k] : self.point_start[k + 1]]
            touches = (np.abs(gap) <= TOUCH * self.system.size) & (leaving <= 1e-9 * fastest)
            slides = np.linalg.norm(along, axis=1) > 1e-9 * fastest
            status = np.where(touches, np.where(slides | (pair.friction == 0.0), law.SLIP, law.STICK), law.OPEN)
            closed.append((status * (not self.given(pair))).astype(np.int8))
            sliding.append(along)
        if not any(status.any() for status in closed):
            return acceleration
        hold_velocities(self, rows, state, closed)
        closed = [np.zeros_like(c) if pair.elastic else c for pair, c in zip(self.pairs, closed, strict=True)]
        found = acceleration.copy()
        none = np.zeros(len(self.system.plain.multipliers))
        rubs = [pair.friction * _unit(along) for pair, along in zip(self.pairs, sliding, strict=True)]
        forces = settle(self, rows, state, closed, found, none.copy(), rubs)
        for k, pair in enumerate(self.pairs):  # what cannot stick slips
            if isinstance(pair, RigidPair) and pair.friction > 0.0 and closed[k].any():
                normal = pair.shape.distance(pair.local(state.x)).normal
                press = -np.sum(forces[k] * normal, axis=1)
                tau = forces[k] + press[:, None] * normal
                slips = (closed[k] == law.STICK) & (np.linalg.norm(tau, axis=1) > pair.friction * press)
                rubs[k][slips] = pair.friction * _unit(tau[slips])
                closed[k][slips] = law.SLIP
        found, _ = rows.acceleration(state, self.given_force(state))
        settle(self, rows, state, closed, found, none, rubs)
        return found

    def memory_of(self, state: State, h: float | None) -> dict[str, Array]:
        """The contact's part of the memory of a state, made now if it has none."""
        if FORCE not in state.memory:
            return self.start(state, h)
        return {name: state.memory[name] for name in (FORCE, STIFFNESS, SLIP, OVERLAP, DEPTH) if name in state.memory}

    def stored(self, state: State) -> float:
        """Energy of penalties [J]."""
        if STIFFNESS not in state.memory:
            return 0.0
        total = 0.0
        for k, pair in enumerate(self.pairs):
            here = slice(self.point_start[k], self.point_start[k + 1])
            slip = state.memory[SLIP][here] if SLIP in state.memory else np.zeros((pair.count, pair.d))
            total += pair.stored(state.x, state.memory[STIFFNESS][here], slip)
        return total


def _unit(vectors: Array) -> Array:
    """Vectors (n, d) of length 1, or 0."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300))


def _tidy(values: Array, diagonal: NDArray[np.integer]) -> None:
    """Round-off on the diagonal becomes 0: it would pass for the stiffness of what only a joint holds."""
    size = np.abs(values[diagonal])
    values[diagonal[size < 1e-20 * size.max(initial=0.0)]] = 0.0


def _keys(columns: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """row · n + column of all entries that couple the columns of each point, and which of the (n, nu, nu) there are."""
    i, j = columns[:, :, None], columns[:, None, :]
    there = (i >= 0) & (j >= 0)
    return (i * n + j)[there], there


def settle(
    problem: ContactProblem,
    rows: RowProblem,
    state: State,
    closed: list[NDArray[np.int8]],
    acceleration: Array,
    multipliers: Array,
    rubs: list[Array],
) -> list[Array]:
    """Hold the points with a status in `closed` at acceleration level, as joints are; returns forces (n, d) in ξ.

    rubs: of each pair, μ times the direction of friction of what slips (n, d); it grows with the force that presses.

    Position-level contact alone would throw massive bodies back with more energy than they came with, and let forces
    ring. A point that would have to be pulled is let go: its status is set to OPEN.
    """
    x, v = state.x, state.v
    out = [np.zeros((pair.count, pair.d)) for pair in problem.pairs]
    for _ in range(8):
        found = [pair.held(status, x, v, rub) for pair, status, rub in zip(problem.pairs, closed, rubs, strict=True)]
        at, gradients, works = _together(found)
        if not len(at):
            break
        trial = acceleration.copy()
        change, forces = rows.hold_rates(
            x, trial, state.t, at, gradients, -np.concatenate([h.bend for h in found]), works
        )
        pulled = False
        for k, h in enumerate(found):
            mine, forces = forces[: len(h.bend)], forces[len(h.bend) :]
            total = np.zeros_like(out[k])
            np.add.at(total, h.points, mine[:, None] * h.directions)
            loose = (np.sum(total * h.normal, axis=1) > 0.0) & (closed[k] > 0) & (not problem.pairs[k].elastic)
            pulled |= bool(loose.any())
            closed[k][loose] = law.OPEN
            out[k] = total
        if not pulled:
            acceleration[:] = trial
            multipliers += change
            break
    for k in range(len(out)):
        out[k][closed[k] == law.OPEN] = 0.0
    return out


def hold_velocities(problem: ContactProblem, rows: RowProblem, state: State, closed: list[NDArray[np.int8]]) -> None:
    """Velocities along the surface for points with a status in `closed`: an impact without rebound."""
    x, v = state.x, state.v
    at, gradients, _ = _together([p.held(status, x, v) for p, status in zip(problem.pairs, closed, strict=True)])
    if len(at):
        rows.hold_rates(x, v, state.t, at, gradients)


def _together(held: list[Held]) -> tuple[NDArray[np.int64], Array, Array]:
    """Rows and both kinds of gradients of all pairs, filled up to the same number of rows."""
    width = max(h.rows.shape[1] for h in held)
    spare = [(0, width - h.rows.shape[1]) for h in held]
    rows = np.concatenate([np.pad(h.rows, ((0, 0), s)) for h, s in zip(held, spare, strict=True)])
    by_row = [
        np.concatenate([np.pad(g, ((0, 0), s, (0, 0))) for g, s in zip(all_, spare, strict=True)])
        for all_ in ([h.gradients for h in held], [h.works for h in held])
    ]
    return rows, by_row[0], by_row[1]


class ContactStep:
    """The contacts during one step: multipliers while Newton's method works on them, status of the points, the matrix."""

    def __init__(self, problem: ContactProblem, state: State, h: float | None) -> None:
        self.problem, self.system, self.x0 = problem, problem.system, state.x
        self.t = state.t + (h or 0.0)
        memory = self._memory = problem.memory_of(state, h)
        self.overlap = memory.get(OVERLAP, np.zeros(problem.points)).copy()
        for k, pair in enumerate(problem.pairs):
            pair.allowed = self.overlap[problem.point_start[k] : problem.point_start[k + 1]]
            if pair.overlap == "resolve":  # half of it goes in each step, and after ten or so all of it
                pair.allowed *= 0.5
                pair.allowed[pair.allowed < 1e-4 * self.system.size] = 0.0
            elif pair.allowed.any():  # what has come out does not go in again
                pair.allowed[:] = np.minimum(pair.allowed, np.maximum(-pair.gaps(state.x), 0.0))
        self._resolving = OVERLAP in memory
        self.r = memory[STIFFNESS]
        self.fresh = not memory[FORCE].any()  # nothing is closed yet: what touches counts as closed once
        self.pulling = False  # and so do the nearest points, where a body is held by nothing else
        self.c = np.zeros(problem.unknowns - problem.system.unknowns)
        self.A = np.zeros(0)
        self.q = np.zeros((self.system.n, self.system.d))
        self._frozen = np.zeros(problem.unknowns, dtype=bool)
        self._guesses: Iterator[law.Status] | None = None
        self._begin()

    def _begin(self) -> None:
        """Multipliers and slip as the step begins."""
        p = self.problem
        self.force = self._memory[FORCE].copy()
        self.slip = self._memory.get(SLIP, np.zeros((0, self.system.d))).copy()
        for k, pair in enumerate(p.pairs):
            if isinstance(pair, RigidPair):
                pair.begin()
            else:
                lam, slip = self._lam(k), self._slip(k)
                lam[:], slip[:] = pair.begin(self.x0, lam, slip)
        self._remembered = self.force
        self.shares: list[Share] = []
        self.status = np.zeros(p.points, dtype=np.int8)
        self._guess: law.Status | None = None  # what points are taken for in the first iteration
        self._forced = False  # is a point taken for what its forces do not say?
        self._slid = np.zeros((p.points, self.system.d))  # friction of what slipped in the last iterate, over stiffness
        self._seen: dict[bytes, int] = {}
        self._cycles, self._changed = 0, False
        self._changes = np.zeros(p.points, dtype=np.int64)  # of the status of each point

    def hold_still(self, frozen: NDArray[np.bool_]) -> None:
        """Leave the unknowns in `frozen` (those of the system) as they are, and contacts without a quasi-static body open."""
        self._frozen[: frozen.size] = frozen
        for pair in self.problem.pairs:
            if not self.problem.presses_still(pair):
                pair.allowed = np.full(pair.count, FAR * self.system.size)

    def _lam(self, k: int) -> Array:
        p, pair = self.problem, self.problem.pairs[k]
        return self.force[p.force_start[k] : p.force_start[k + 1]].reshape(pair.count, pair.reported)

    def _slip(self, k: int) -> Array:
        p, pair = self.problem, self.problem.pairs[k]
        if not len(self.slip):
            return np.zeros((pair.count, pair.d))
        return self.slip[p.point_start[k] : p.point_start[k + 1]]

    def evaluate(
        self, x0: Array, x1: Array, xt: Array, conserving: bool, kappa: float, tangent: bool, out: Buffers
    ) -> None:
        """Add the contacts to residual, scales and (if `tangent`) matrix of an iterate."""
        p, s = self.problem, self.system
        self.shares, self._x, self._forced = [], x1, self._guess is not None
        q, scale, noise = (np.zeros_like(self.q) for _ in range(3))
        for k, pair in enumerate(p.pairs):
            here = slice(p.point_start[k], p.point_start[k + 1])
            taken = np.full(pair.count, law.FREE, dtype=np.int8) if self._guess is None else self._guess[here].copy()
            if self.fresh:
                gaps = pair.gaps(x1)
                touching = np.abs(gaps + pair.allowed) <= TOUCH * s.size
                if self.pulling and not touching.any():
                    touching[np.argsort(gaps, kind="stable")[: pair.d]] = True
                taken[touching] = law.SHUT
                if pair.friction > 0.0 and touching.any():  # without a force yet, round-off must not tell what slips
                    still = np.linalg.norm(pair.slide(x0, x1), axis=1) <= TOUCH * s.size
                    taken[touching & still] = law.STICK
            response = pair.respond(x0, x1, self._lam(k), self.r[here], self._slip(k), conserving, taken)
            if pair.friction > 0.0:
                # What slipped to one side and now slips to the other has passed where it sticks: friction of a penalty
                # does not change while it slips, and Newton's method would jump from one side to the other for ever.
                back = (response.status == law.SLIP) & (np.sum(response.slip * self._slid[here], axis=1) < 0.0)
                if back.any():
                    taken[back], self._forced = law.STICK, True
                    response = pair.respond(x0, x1, self._lam(k), self.r[here], self._slip(k), conserving, taken)
            share = pair.share(response, xt, x1, kappa, self.r[here], s.size, tangent)
            self.shares.append(share)
            self.status[here] = response.status
            first = p.unknown_start[k] - s.unknowns
            self.c[first : first + response.residual.size] = response.residual.ravel()
            on: Any = slice(None) if pair.count <= FEW else np.flatnonzero(response.status)  # open ones have no force
            rows, force = share.rows[on], share.force[on]
            np.add.at(q, rows, force)
            np.add.at(scale, rows, np.abs(force))
            np.add.at(noise, rows, np.broadcast_to(share.noise[on, :, None], force.shape))
        self.q = q
        out.q[:] += q
        assembly.project(s.rows, xt, q, scale, noise, out.r, out.r_scale, out.r_noise)
        if tangent:
            assembly.add_curvature(s.rows, q, x1, kappa, out.A)
            _tidy(out.A, s._diagonal_slots[: s.motion_unknowns])

    def merit(self, length: float) -> tuple[float, int]:
        """The largest residual of a multiplier over what is tolerated, and its unknown.

        Where a point is taken for what its forces do not say, nothing is solved yet.
        """
        least = 1e3 if self._forced else 0.0
        if not self.c.size:
            return least, 0
        worst = int(np.argmax(np.abs(self.c)))
        value = max(least, abs(float(self.c[worst])) / (length * self.system.size))
        return (value if np.isfinite(self.c).all() else np.inf), self.system.unknowns + worst

    def factor(self, A: Array) -> None:
        """Put the matrix together and factorise it."""
        self.assemble(A)
        self.problem.solver.factor(self.A)

    def assemble(self, A: Array) -> None:
        """The matrix of system and contact; facets that have no room in it get room first."""
        p = self.problem
        found = [p.fixed[k] or p.places(k, share.columns) for k, share in enumerate(self.shares)]
        if any(places is None for places in found):
            p.build(self._x)
            found = [p.fixed[k] or p.places(k, share.columns) for k, share in enumerate(self.shares)]
        values = self.A = np.zeros(p.pattern.nnz)
        values[p.system_at] = A
        for share, places in zip(self.shares, found, strict=True):
            assert places is not None
            m = share.column.shape[2]
            n, nu = share.columns.shape
            block = np.zeros((n, nu + m, nu + m))
            block[:, :nu, :nu] = share.stiffness
            block[:, :nu, nu:] = share.column
            block[:, nu:, :nu] = share.line
            block[:, nu:, nu:] = share.response.residual_by_multiplier
            np.add.at(values, places[0], block[places[1]])
        if self._frozen.any():
            values[self._frozen[p.pattern.rows()]] = 0.0
            values[p.diagonal[self._frozen]] = 1.0
        regularise(p.couplings, self._softness(), self.system.least_stiffness, values)

    def _softness(self) -> float:
        """More where rigid bodies rub and the status has come back: if too many points stick, forces grow step by step."""
        rigid = any(pair.friction > 0.0 and not pair.elastic for pair in self.problem.pairs)
        return SOFTER if rigid and self._cycles else REGULARISATION

    def pull_together(self) -> bool:
        """Where bodies are loose because nothing touches yet, count the nearest points as closed; False if that was done."""
        if self.pulling or not self.fresh:
            return False
        self.pulling = True
        return True

    def correction(self, rhs: Array) -> Array:
        """The correction of all unknowns; rhs: right-hand side of those of the system."""
        return self.problem.solver.solve(np.concatenate((rhs, -self.c)))

    def remember(self) -> None:
        """Keep the multipliers: `apply` starts from them."""
        self._remembered = self.force.copy()
        self.fresh, self._guess = False, None
        for k, share in enumerate(self.shares):
            if self.problem.pairs[k].friction > 0.0:
                slips = share.response.status == law.SLIP
                here = slice(self.problem.point_start[k], self.problem.point_start[k + 1])
                self._slid[here] = slips[:, None] * share.response.slip

    def apply(self, du: Array, factor: float) -> None:
        """The multipliers that were remembered, moved by factor · du."""
        p = self.problem
        self.force = self._remembered.copy()
        for k, pair in enumerate(p.pairs):
            if pair.width:
                change = du[p.unknown_start[k] : p.unknown_start[k + 1]]
                self.force[p.force_start[k] : p.force_start[k + 1]] += factor * change

    def settle(self, rows: RowProblem, state: State) -> tuple[Array, Array]:
        """Velocities of closed points along the surface, and accelerations that keep them there; see `settle`.

        Forces become those that belong to these accelerations: smooth, where what solved the step was an impact. Of
        soft bodies, whose nodes may be light, only points that have just closed are held, and forces are left as they
        are.
        """
        p = self.problem
        closed, new = [], []
        for k, pair in enumerate(p.pairs):
            status = self.shares[k].response.status.copy()
            before = self._memory[FORCE][p.force_start[k] : p.force_start[k + 1]].reshape(pair.count, -1).any(axis=1)
            new.append((status > 0) & ~before)
            closed.append(np.zeros_like(status) if p.given(pair) else status)
        known, rubs = np.zeros_like(self.q), []
        for k, (pair, share) in enumerate(zip(p.pairs, self.shares, strict=True)):
            if p.given(pair):
                np.add.at(known, share.rows, share.force)
            elif pair.elastic:
                np.add.at(known, share.rows[~new[k]], share.force[~new[k]])
            rubs.append(pair.friction * _unit(share.response.slip))
        hold_velocities(p, rows, state, closed)
        acceleration, multipliers = rows.acceleration(state, -known)
        closed = [c * n if pair.elastic else c for pair, c, n in zip(p.pairs, closed, new, strict=True)]
        found = settle(p, rows, state, closed, acceleration, multipliers, rubs)
        for k, pair in enumerate(p.pairs):
            if isinstance(pair, RigidPair) and not p.given(pair) and not pair.elastic:
                lam = self._lam(k)
                pair.renew(lam, closed[k], found[k], state.x)
        return acceleration, multipliers

    def stop(self, rows: RowProblem, state: State) -> bool:
        """An impact without rebound: velocities of heavy bodies along the surface where points have just closed.

        A step that ends on the surface says nothing of how fast a body leaves it: the mean velocity of the step, and with it
        twice as much of the rebound, depends on when it got there. Points that were closed before are held too where they
        would go in after the impact. Returns whether there was one.
        """
        p = self.problem
        closed, held = [], []
        for k, pair in enumerate(p.pairs):
            heavy = not pair.elastic and not p.given(pair)
            status = self.shares[k].response.status * heavy
            before = self._memory[FORCE][p.force_start[k] : p.force_start[k + 1]].reshape(pair.count, -1).any(axis=1)
            closed.append(status)
            held.append(np.where(before, law.OPEN, status).astype(np.int8))
        if not any(status.any() for status in held):
            return False
        rows.project_velocity(state.x, state.v, state.t)  # or what joints and rigid bodies leave could become energy
        start, fastest = state.v.copy(), np.abs(state.v).max(initial=0.0)
        for _ in range(8):
            state.v[:] = start
            hold_velocities(p, rows, state, held)
            found = False
            for pair, status, now in zip(p.pairs, closed, held, strict=True):
                if status.any():
                    enters = (
                        (status > 0) & (now == law.OPEN) & (pair.approach_rates(state.x, state.v)[0] < -1e-9 * fastest)
                    )
                    now[enters] = status[enters]
                    found |= bool(enters.any())
            if not found:
                break
        return True

    @property
    def freed(self) -> bool:
        """Did all points open in this step?"""
        return not self.status.any() and bool(self._memory[FORCE].any())

    @property
    def damping(self) -> float:
        """Shorter corrections once the status of points has come back, and has just changed again."""
        return 0.5 if self._cycles > MOST_CYCLES // 2 and self._changed else 1.0

    def watch(self) -> str:
        """Count how often the status of all points comes back; a message if the points chatter."""
        key = self.status.tobytes()
        now = sum(self._seen.values())
        last = next(reversed(self._seen), b"")
        self._changed = key != last
        if self._changed and key in self._seen:
            self._cycles += 1
        if last:
            self._changes += np.frombuffer(last, dtype=np.int8) != self.status
        self._seen.pop(key, None)
        self._seen[key] = now
        if self._cycles <= MOST_CYCLES:
            return ""
        other = np.frombuffer(last, dtype=np.int8)
        moving = np.flatnonzero(other != self.status) if other.size == self.status.size else np.zeros(0, dtype=int)
        return f"contact chatters: {self._name(moving)} open and close in turn"

    def guess(self) -> bool:
        """Begin the step anew, with another guess of what points are that rub and kept changing; False if none is left.

        From open to slipping and back, Newton's method can miss that a point sticks: where it slips, the more it is
        pressed the deeper it may go (Painlevé), and then nothing but sticking is left. Of few points all that they can be
        is tried, of many only that they stick.
        """
        if self._guesses is None:
            self._guesses = self._all_guesses(self._rubbing())
        found = next(self._guesses, None)
        if found is None:
            return False
        self._begin()
        self._guess, self.fresh = found, False
        return True

    def _rubbing(self) -> NDArray[np.int64]:
        """Points with friction that have changed to and fro."""
        rubs = np.concatenate([np.full(pair.count, pair.friction > 0.0) for pair in self.problem.pairs])
        return np.flatnonzero(rubs & (self._changes > 1))

    def _all_guesses(self, points: NDArray[np.int64]) -> Iterator[law.Status]:
        every = [(law.STICK,) * len(points)]
        if len(points) <= ALL_TRIED:  # one that sticks is enough for a rigid body, and two are too many
            every = list(itertools.product((law.STICK, law.SLIP, law.OPEN), repeat=len(points)))
            every.sort(key=lambda guess: (abs(guess.count(law.STICK) - 1), guess.count(law.OPEN)))
        for status in every:
            guess = np.full(self.problem.points, law.FREE, dtype=np.int8)
            guess[points] = status
            if len(points):
                yield guess

    def _name(self, points: NDArray[np.int64]) -> str:
        p = self.problem
        names = []
        for i in points[:5]:
            k = int(np.searchsorted(p.point_start, i, side="right")) - 1
            names.append(p.pairs[k].owner(int(i - p.point_start[k])))
        return ", ".join(names) + (f" and {len(points) - 5} more" if len(points) > 5 else "")

    def memory(self, x1: Array) -> dict[str, Array]:
        """What the next step needs: forces (of penalties as they were), stiffness, elastic slip."""
        p = self.problem
        force, slip = self.force.copy(), self.slip.copy()
        for k, (pair, share) in enumerate(zip(p.pairs, self.shares, strict=True)):
            at, points = slice(*p.force_start[k : k + 2]), slice(*p.point_start[k : k + 2])
            elastic = share.response.slip
            if isinstance(pair, DEFORMS):
                lam, elastic = pair.end(self._lam(k), share.response)
                force[at] = lam.ravel()
            elif pair.condition == PENALTY:
                force[at] = pair.to_report(share.response, x1).ravel()
            if len(slip) and pair.condition == PENALTY:
                slip[points] = elastic
        out = {FORCE: force, STIFFNESS: self.r} | ({SLIP: slip} if len(slip) else {})
        if DEPTH in self._memory:
            out[DEPTH] = self._depths(x1)
        return out | ({OVERLAP: self.overlap} if self._resolving else {})

    def _depths(self, x1: Array) -> Array:
        """The deepest that points have been inside their targets so far, of each contact [m]; a warning where it is deep."""
        p, depths = self.problem, self._memory[DEPTH].copy()
        for k, (pair, share) in enumerate(zip(p.pairs, self.shares, strict=True)):
            deepest = int(np.argmin(share.response.gap))
            depth = max(0.0, -float(share.response.gap[deepest]))
            if depth > depths[k]:
                limit = largest_depth(self.system, pair, x1)
                if depth > limit >= depths[k] and pair.condition == PENALTY:
                    stiffness = float(self.r[p.point_start[k] + deepest])
                    warn_of_depth(pair, deepest, depth, limit, stiffness, self.t)
                depths[k] = depth
        return depths
