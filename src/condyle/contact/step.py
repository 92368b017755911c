"""The contacts during one step: multipliers while Newton's method works on them, the matrix, and what the step leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.chatter import Chatter
from condyle.contact.ending import at_end, memory, settle_end, stop
from condyle.contact.laws.law import Chosen, Past
from condyle.contact.matrix import add_terms, freeze, keep_regular, tidy
from condyle.contact.memory import DAMPING, ELASTIC_SLIP, FEATURES, FORCE, OVERLAP, RECENT, STIFFNESS, TOUCHING
from condyle.contact.pair import FEW, Terms
from condyle.contact.response import CONSERVING, END, MEAN, SHUT, SLIP, STICK, UNDECIDED, Mean, Recent, Response, Status
from condyle.contact.shape_pair import RIGID
from condyle.contact.starting import first_touch, slip_speeds
from condyle.contact.stiffness import rubbing_ratio
from condyle.contact.surface import Array
from condyle.system import assembly
from condyle.system.linear import SingularMatrixError
from condyle.system.touching import conditions
from condyle.system.touching.curves import ALONG
from condyle.system.touching.meeting_places import keep_features
from condyle.system.touching.points import add_touching, begin_touching, keep_iterate
from condyle.system.touching.tables import FORCED, FRESH, FULL, KEPT, LATER, START, TEST, WITHIN

if TYPE_CHECKING:
    from condyle.contact.layout import Pair
    from condyle.contact.problem import ContactProblem
    from condyle.system.running import Buffers
    from condyle.system.start import RowProblem
    from condyle.system.state import State
    from condyle.system.touching.tables import Touching

FAR = 10.0  # sizes of the model: further away, a target is out of reach
NEUTRAL = 1e-6  # of the stiffness of contact: that of motions which nothing resists, in statics
LAG = 0.125  # η, see `ContactStep.pressing_still`
TOUCH = 1e-9  # of the size of the model: a gap that counts as none at the start


class ContactStep:
    """The contacts during one step: multipliers while Newton's method works on them, status of the points, the matrix."""

    def __init__(self, problem: ContactProblem, state: State, h: float | None) -> None:
        self.problem, self.system, self.x0 = problem, problem.system, state.x
        self.t, self.h, self.v0 = state.t + (h or 0.0), h, state.v
        memory = self.before = problem.memory_of(state, h)
        self._told = False  # what kernels need to know of this step
        problem.gather(state, h)
        if problem.touching is None or problem.neighbours is None:
            problem.recall(memory)
            problem.survey(state, h)
        else:
            self._take_over(problem.touching)
        self.overlap = memory.get(OVERLAP, np.zeros(problem.points)).copy()
        for k, pair in enumerate(problem.pairs):
            pair.allowed = self.overlap[problem.point_start[k] : problem.point_start[k + 1]]
            pair.along = rubbing_ratio(problem, pair, h)
            if pair.overlap == "resolve":  # half of it goes in each step, and after ten or so all of it
                pair.allowed *= 0.5
                pair.allowed[pair.allowed < 1e-4 * self.system.size] = 0.0
            elif pair.allowed.any():  # what has come out does not go in again
                pair.allowed[:] = np.minimum(pair.allowed, np.maximum(-pair.gaps(state.x), 0.0))
        self.r = memory[STIFFNESS]
        # Nothing is closed yet, nor has anything just left: what touches counts as closed once.
        self.fresh = not memory[FORCE].any() and bool(memory.get(TOUCHING, np.ones(1)).all())
        self.pulling = False  # and so do the nearest points, where a body is held by nothing else
        self.c = np.zeros(problem.unknowns - problem.system.unknowns)
        self.A = np.zeros(0)
        self._frozen = np.zeros(problem.unknowns, dtype=bool)
        self._guesses: Iterator[Status] | None = None
        self.velocities: Array | None = None  # at which soft laws take their rates, where a method knows them
        self.past, self._speeds, self._x = first_touch(problem, memory, state), slip_speeds(problem, state), state.x
        self.struck = False  # has there been an impact?
        self.restarted = False  # has a slip ended with an impact, so that accelerations before it are of no use?
        self.settled = False  # do its forces belong to accelerations at the end?
        self.impulses = np.zeros_like(memory[FORCE])
        self.touching = np.ones(problem.points)
        self.rubbing = np.zeros((problem.points, self.system.d))  # directions in which points slip after an impact
        self.conserving, self.by_kernels = False, problem.touching is not None
        self._scales = np.zeros_like(self.c)
        self._begin()

    @property
    def touch(self) -> Touching | None:
        """The tables of kernels, with what they need to know of this step; None where they do not know all contacts."""
        p = self.problem
        if p.touching is None:
            return None
        if p.stepping is not self:
            self._take_over(p.touching)
        if not self._told:
            self._tell(p.touching)
        return p.touching

    def _take_over(self, touch: Touching) -> None:
        """Let kernels work on this step: where points are as it begins."""
        p = self.problem
        if p.stepping is not None:
            _ = p.stepping.terms  # of another step, as long as they are there
        p.stepping, self._told = self, False
        kept = self.before[FEATURES].ravel() if FEATURES in self.before else np.zeros(0)
        self.system.call(begin_touching)(touch, self.x0, self.v0, self.h or 0.0, np.ascontiguousarray(kept))
        if touch.flags[FULL]:
            p.out_of_places()
        self._show(touch, ((START, self.x0),))

    def _show(self, touch: Touching, where: tuple[tuple[int, Array], ...]) -> None:
        """Tell pairs of rigid shapes which points kernels have found, and where."""
        near, points = self.problem.neighbours, self.problem.point_start
        if near is None:
            return
        kept = self.features = np.zeros((self.problem.points, KEPT))
        keep_features(touch, kept.reshape(-1), 0)
        for k, pair in near.pairs.items():
            pair.adopt(kept[points[k] : points[k + 1]], float(touch.meeting.reach[k, WITHIN]))
            for which, x in where:
                pair.show(x, near.found_by(touch.meeting, k, which))

    def _tell(self, touch: Touching) -> None:
        memory, points, self._told = self.before, self.problem.points, True
        touch.stiffness[:] = self.r
        touch.damping[:] = memory.get(DAMPING, 0.0)
        touch.allowed[:] = np.concatenate([pair.allowed for pair in self.problem.pairs])
        touch.pairs[:, ALONG] = [pair.along for pair in self.problem.pairs]
        touch.speed[:] = self._speeds
        touch.past[:] = self.past if len(self.past) else 0.0
        nothing = np.zeros((points, self.system.d))
        parts = (memory[FORCE], memory.get(ELASTIC_SLIP, nothing), memory.get(RECENT, np.zeros((points, 2))))
        self._memory = np.concatenate([a.ravel() for a in parts])

    def _begin(self) -> None:
        """Multipliers and slip as the step begins."""
        p = self.problem
        self.force = self.before[FORCE].copy()
        left = self.before.get(TOUCHING, np.ones(p.points)) == 0.0
        for k in range(len(p.pairs)) if left.any() else ():
            self.lam(k)[left[p.point_start[k] : p.point_start[k + 1]]] = 0.0
        self.slip = self.before.get(ELASTIC_SLIP, np.zeros((0, self.system.d))).copy()
        for k, pair in enumerate(p.pairs):
            if isinstance(pair, RIGID):
                pair.begin()
            else:
                lam, slip = self.lam(k), self._slip(k)
                lam[:], slip[:] = pair.begin(self.x0, lam, slip)
        self._remembered, self.reports_end = self.force, True
        self._terms: list[Terms] | None = []
        self.status = np.zeros(p.points, dtype=np.int8)
        self._guess: Status | None = None  # what points are taken for in the first iteration
        self._forced = False  # is a point taken for what its forces do not say?
        self._slid = np.zeros((p.points, self.system.d))  # friction of what slipped in the last iterate, over stiffness
        self.chatter = Chatter(p.points)
        if p.stepping is self and self._told:
            p.stepping = None  # kernels are told anew

    def hold_still(self, frozen: NDArray[np.bool_]) -> None:
        """Leave the unknowns in `frozen` (those of the system) as they are, and contacts without a quasi-static body open."""
        self._frozen[: frozen.size] = frozen
        for pair in self.problem.pairs:
            if not self.problem.presses_still(pair):
                pair.allowed = np.full(pair.count, FAR * self.system.size)
        if self.problem.stepping is self:
            self.problem.stepping = None

    def lam(self, k: int) -> Array:
        p, pair = self.problem, self.problem.pairs[k]
        return self.force[p.force_start[k] : p.force_start[k + 1]].reshape(pair.count, pair.reported)

    def _slip(self, k: int) -> Array:
        p, pair = self.problem, self.problem.pairs[k]
        if not len(self.slip):
            return np.zeros((pair.count, pair.d))
        return self.slip[p.point_start[k] : p.point_start[k + 1]]

    def recent(self, k: int, damping: float = 0.0) -> Recent:
        """What the points of pair k bring along into the step."""
        p, pair = self.problem, self.problem.pairs[k]
        here, nothing = slice(*p.point_start[k : k + 2]), np.zeros(pair.count)
        change, press = self.before.get(RECENT, np.zeros((p.points, 2)))[here].T
        chosen = Chosen(self.r[here], self.before[DAMPING][here] if DAMPING in self.before else nothing)
        past = Past(*self.past[here].T) if len(self.past) else Past(nothing, nothing)
        rate, speed = None, self._speeds[here]
        if self.velocities is not None:
            rate, along = pair.approach_rates(self._x, self.velocities)
            speed = np.linalg.norm(along, axis=1)
        return Recent(self._slip(k), change, press, past, chosen, speed, self.h, damping, rate)

    def evaluate(
        self, x0: Array, x1: Array, tangent: bool, out: Buffers, where: str = END, weight: float = 1.0,
        damping: float = 0.0,
    ) -> None:  # fmt: skip
        """Add the contacts to residual, scales and (if `tangent`) matrix of an iterate.

        where: the method takes forces, `END` or `CONSERVING`; with `MEAN` those of penalties of bodies with
        inertia, which count with a weight in its balance and have the damping of `soft.damped_mean`, the others at the end.
        With `CONSERVING`, forces on quasi-static bodies are those of the end too (`pressing_still`).
        """
        p, s = self.problem, self.system
        self._terms, self._x, self._forced = [], x1, self._guess is not None
        self.conserving = where == CONSERVING
        self.reports_end = not self.conserving
        mid = 0.5 * (x0 + x1)
        touch = None if self.conserving and p.still else self.touch
        self.by_kernels = touch is not None
        if touch is not None:
            self._evaluate_compiled(touch, (x0, x1, mid), tangent, out, where, weight, damping)
            return
        sums = {at: np.zeros((3, s.n, s.d)) for at in (END, where)}  # forces, their sizes, their noise
        for k, pair in enumerate(p.pairs):
            here = slice(p.point_start[k], p.point_start[k + 1])
            implicit = self.conserving and p.presses_still(pair)
            means = (self.conserving and not implicit) or (where == MEAN and p.strikes(pair))
            at, xt, kappa = (where, mid, 0.5) if means else (END, x1, 1.0)
            response = self._respond(k, pair, x0, x1, at, damping)
            terms = pair.terms(response, xt, x1, kappa, self.r[here], s.size, tangent)
            if means and weight != 1.0:
                terms = terms.weighed(weight)
            if implicit:
                terms = terms.in_rows(p.implicit_rows, p.implicit_unknowns)
            self._terms.append(terms)
            self.status[here] = response.status
            first = p.unknown_start[k] - s.unknowns
            self.c[first : first + response.residual.size] = response.residual.ravel()
            on: Any = slice(None) if pair.count <= FEW else np.flatnonzero(response.status)  # open ones have no force
            rows, force = terms.rows[on], terms.force[on]
            q, scale, noise = sums[at]
            np.add.at(q, rows, force)
            np.add.at(scale, rows, np.abs(force))
            np.add.at(noise, rows, np.broadcast_to(terms.noise[on, :, None], force.shape))
        for at, (q, scale, noise) in sums.items():
            xt, kappa = (x1, 1.0) if at == END else (mid, 0.5)
            out.q[:] += q if at == END else q / weight
            assembly.project(s.rows, xt, q, scale, noise, out.r, out.r_scale, out.r_noise)
            if tangent:
                assembly.add_curvature(s.rows, q, x1, kappa, out.A)
        if tangent:
            tidy(out.A, s.diagonal_slots[: s.motion_unknowns])

    def _evaluate_compiled(
        self, touch: Touching, places: tuple[Array, Array, Array], tangent: bool, out: Buffers, where: str, weight: float,
        damping: float,
    ) -> None:  # fmt: skip
        """All points in one kernel."""
        p, s = self.problem, self.system
        x0, x1, mid = places
        self._terms, self._taken = None, (where, weight, mid)
        touch.flags[FRESH] = self.fresh and not self.pulling
        touch.taken[:] = UNDECIDED if self._guess is None else self._guess
        if self.pulling:
            touch.taken[:] = np.concatenate([self._touching(k, x0, x1) for k in range(len(p.pairs))])
        B = self._own = np.zeros(p.pattern.nnz if tangent else 0)
        rates = x1[:0] if self.velocities is None else self.velocities
        at = {END: conditions.END, CONSERVING: conditions.CONSERVING, MEAN: conditions.MEAN}[where]
        s.call(add_touching)(
            touch, s.rows, x0, x1, mid, rates, self.h or 0.0, at, weight, damping, tangent, self._memory,
            self.force[p.held], self.c, self._scales, tuple(out), B,
        )  # fmt: skip
        if touch.flags[FULL]:
            p.out_of_places()
        self.status[:] = touch.status
        self._forced = self._forced or bool(touch.flags[FORCED])
        if tangent:
            tidy(out.A, s.diagonal_slots[: s.motion_unknowns])

    @property
    def terms(self) -> list[Terms]:
        """What each pair adds to the equations in the last iterate; without its matrix where kernels have that."""
        if self._terms is None:
            touch = self.touch
            assert touch is not None
            self._show(touch, ((START, self.x0), (TEST, self._taken[2]), (LATER, self._x))[:: 1 if self._means else 2])
            self._terms = [self._terms_of(k) for k in range(len(self.problem.pairs))]
        return self._terms

    @property
    def _means(self) -> bool:
        """Are forces of the last iterate, or some of them, taken as means over the step?"""
        where = self._taken[0]
        return where == CONSERVING or (where == MEAN and self.strikes)

    def _terms_of(self, k: int) -> Terms:
        """Of a pair that kernels have evaluated."""
        p, pair, touch = self.problem, self.problem.pairs[k], self.touch
        assert touch is not None and isinstance(pair, RIGID)
        where, weight, mid = self._taken
        here, x1 = slice(*p.point_start[k : k + 2]), self._x
        means = where == CONSERVING or (where == MEAN and p.strikes(pair))
        F, slip, mean, end = (touch.found[i, here].copy() for i in (0, 1, 2, 3))
        none, recent = np.zeros((pair.count, 0, 0)), touch.recent[here].copy()
        found = Mean(mean, end, recent[:, 0], recent[:, 1]) if pair.soft else None
        response = Response(
            F, none, none, np.zeros((pair.count, 0)), none, none, touch.status[here].astype(np.int8),
            touch.gap[here].copy(), slip, found,
        )  # fmt: skip
        terms = pair.terms(
            response, mid if means else x1, x1, 0.5 if means else 1.0, self.r[here], self.system.size, False
        )
        return terms.weighed(weight) if means and weight != 1.0 else terms

    def _touching(self, k: int, x0: Array, x1: Array) -> Status:
        """What points that touch as a step begins are taken for, where nothing is closed yet."""
        p, s, pair = self.problem, self.system, self.problem.pairs[k]
        here = slice(p.point_start[k], p.point_start[k + 1])
        taken = np.full(pair.count, UNDECIDED, dtype=np.int8) if self._guess is None else self._guess[here].copy()
        if self.fresh:
            gaps = pair.gaps(x1)
            touching = np.abs(gaps + pair.allowed) <= TOUCH * s.size
            if self.pulling and not touching.any():
                touching[np.argsort(gaps, kind="stable")[: pair.d]] = True
            taken[touching] = SHUT
            if pair.friction > 0.0 and touching.any():  # without a force yet, round-off must not tell what slips
                still = np.linalg.norm(pair.slide(x0, x1), axis=1) <= TOUCH * s.size
                taken[touching & still] = STICK
        return taken

    def _respond(self, k: int, pair: Pair, x0: Array, x1: Array, where: str, damping: float) -> Response:
        """The condition of pair k at the iterate x1, with some points taken for what their forces do not say (yet)."""
        p, taken = self.problem, self._touching(k, x0, x1)
        here = slice(p.point_start[k], p.point_start[k + 1])
        known = (self.lam(k), self.r[here], self.recent(k, damping), where)
        response = pair.respond(x0, x1, *known, taken)
        if pair.friction > 0.0:
            # What slipped to one side and now slips to the other has passed where it sticks: friction of a penalty
            # does not change while it slips, and Newton's method would jump from one side to the other for ever.
            back = (response.status == SLIP) & (np.sum(response.slip * self._slid[here], axis=1) < 0.0)
            if back.any():
                taken[back], self._forced = STICK, True
                response = pair.respond(x0, x1, *known, taken)
        return response

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
        """Put the matrix together and factorise it.

        In statics a rigid body may be free to slide or to spin on what carries it: such motions get a slight stiffness, which
        has no force, because the residual knows nothing of it.
        """
        p, n = self.problem, self.system.motion_unknowns
        self.assemble(A)
        try:
            p.solver.factor(self.A)
        except SingularMatrixError:
            if self.h is not None or not self.status.any():
                raise
            self.A[p.diagonal[:n]] += NEUTRAL * float(np.median(self.r)) * p.levers[:n] ** 2
            p.solver.factor(self.A)

    def assemble(self, A: Array) -> None:
        """The matrix of system and contact; facets that have no room in it get room first."""
        p = self.problem
        if self._terms is None:
            values = self._own
        else:
            values = np.zeros(p.pattern.nnz)
            if not add_terms(p, self.terms, values):
                p.build(self._x)
                values = np.zeros(p.pattern.nnz)
                add_terms(p, self.terms, values)
        values[p.system_at] += A
        freeze(p, self._frozen, values)
        keep_regular(p, self.chatter.cycles > 0, values)
        self.A = values

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
        if self._terms is None and self.touch is not None:
            self.system.call(keep_iterate)(self.touch)
            return
        for k, terms in enumerate(self.terms):
            if self.problem.pairs[k].friction > 0.0:
                slips = terms.response.status == SLIP
                here = slice(self.problem.point_start[k], self.problem.point_start[k + 1])
                self._slid[here] = slips[:, None] * terms.response.slip

    def apply(self, du: Array, factor: float) -> None:
        """The multipliers that were remembered, moved by factor · du."""
        p = self.problem
        self.force = self._remembered.copy()
        for k, pair in enumerate(p.pairs):
            if pair.width:
                change = du[p.unknown_start[k] : p.unknown_start[k + 1]]
                self.force[p.force_start[k] : p.force_start[k + 1]] += factor * change

    def force_at(self, x: Array, v: Array) -> Array:
        """Forces of soft laws on all rows (n, d) [N] at places and velocities within the step."""
        self.velocities, self._x = v, x
        self.evaluate(self.x0, x, False, self.system.scratch)
        return self.acting()

    def acting(self) -> Array:
        """Forces on all rows (n, d) [N] in the last iterate, of methods that take them at the end of the step."""
        if self.by_kernels and self.touch is not None:
            return np.asarray(-self.touch.forces[0])
        out = np.zeros_like(self._x)
        for terms in self.terms:
            np.subtract.at(out, terms.rows, terms.force)
        return out

    @property
    def soft(self) -> bool:
        """Do bodies that deform take part, without friction, which has no potential?"""
        pairs = self.problem.pairs
        return any(pair.elastic for pair in pairs) and all(pair.friction == 0.0 for pair in pairs)

    @property
    def strikes(self) -> bool:
        """Are there penalties between bodies with inertia?"""
        return any(map(self.problem.strikes, self.problem.pairs))

    def push(self, what: str, xt: Array, x1: Array) -> Array:
        """Forces on rows (n, d) [N] at x1, the last iterate, of the penalties that `strikes` means, with the geometry of xt.

        They have the moment on each body that they had at xt, as in the balance of the step.
        what: 'force', which moves places in the step, 'mean', which moves velocities, or 'end', that at its end.
        """
        p, out = self.problem, np.zeros((self.system.n, self.system.d))
        for k, (pair, terms) in enumerate(zip(p.pairs, self.terms, strict=True)):
            mean = terms.response.mean
            if not p.strikes(pair) or mean is None:
                continue
            force = {"force": terms.response.force, "mean": mean.force, "end": mean.end}[what]
            here, response = slice(*p.point_start[k : k + 2]), terms.response._replace(force=force)
            found = pair.terms(response, x1 if xt is x1 else xt, x1, 1.0, self.r[here], self.system.size, False)
            np.add.at(out, found.rows, found.force)
        return out if xt is x1 else at_end(self.system.rows.bodies, out, xt, x1)

    lag = LAG

    def pressing_still(self) -> Array:
        """Forces on rows with inertia (n, d) [N] of contacts that press quasi-static bodies, in an energy–momentum step.

        These bodies are balanced at the end of the step, and with them the force F1 there. Velocities of what has inertia
        change by h m⁻¹ F1, places by ½ h² m⁻¹ (F1 + η (F1 − F0)) with F0 of the last step, η = `LAG`. Without η a body on a
        stiff one would have v1 = 2 Δx/h − v0 = −v0 for ever; with ⅛ such a velocity is a third of itself after each step.
        """
        p = self.problem
        out = np.zeros((self.system.n, self.system.d))
        for pair, terms in zip(p.pairs, self.terms, strict=True):
            if p.presses_still(pair):
                np.add.at(out, terms.rows, terms.force / (1.0 + LAG))
        out[self.system.quasi_static] = 0.0
        return out

    @property
    def freed(self) -> bool:
        """Did all points open in this step?"""
        return not self.status.any() and bool(self.before[FORCE].any())

    @property
    def damping(self) -> float:
        """Shorter corrections where points open and close in turn."""
        return self.chatter.damping

    def watch(self) -> str:
        """Note the status of all points; a message if they chatter."""
        points = self.chatter.watch(self.status)
        return "" if points is None else f"contact chatters: {self.problem.names(points)} open and close in turn"

    def guess(self) -> bool:
        """Begin the step anew, with another guess of what points are that rub and kept changing; False if none is left.

        From open to slipping and back, Newton's method can miss that a point sticks: where it slips, the more it is
        pressed the deeper it may go (Painlevé), and then nothing but sticking is left.
        """
        if self._guesses is None:
            rubs = [np.full(pair.count, pair.friction > 0.0) for pair in self.problem.pairs]
            self._guesses = self.chatter.guesses(np.concatenate(rubs))
        found = next(self._guesses, None)
        if found is None:
            return False
        self._begin()
        self._guess, self.fresh = found, False
        return True

    def again(self) -> None:
        """Begin the step anew."""
        self._begin()

    def settle(self, rows: RowProblem, state: State, reach: float) -> tuple[Array, Array]:
        """Velocities and accelerations at the end of a step that balances its end: see `ending.settle_end`."""
        return settle_end(self, rows, state, reach)

    def stop(self, rows: RowProblem, state: State, reach: float) -> bool:
        """Velocities after the impacts of an energy–momentum step: see `ending.stop`."""
        return stop(self, rows, state, reach)

    def memory(self, x1: Array) -> dict[str, Array]:
        """What the next step needs: see `ending.memory`."""
        return memory(self, x1)
