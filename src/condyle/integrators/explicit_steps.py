"""What compiled explicit steps have in common: tables of a row of steps, contacts, frames, and what goes back to Python."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import account
from condyle.integrators.compiled import FAILURES, NONE_KEPT
from condyle.integrators.compiled_contacts import CompiledContacts
from condyle.integrators.convergence import CONVERGED, SURVEY, TOUCHED
from condyle.integrators.newton import StepInfo
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import Batch, State, Times

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem

Array = NDArray[np.float64]
ACCELERATION = "acceleration"  # in a state's memory


class ExplicitSteps:
    """The compiled form of one system under one Runge–Kutta method, with its table of coefficients."""

    problem: Any  # tables of its kernel, with contacts as `touch`
    work: Any  # arrays of its kernel, with what contacts remember as `touch`

    def __init__(self, system: RunningSystem, coefficients: Array, weights: Array, nodes: Array) -> None:
        self.system = system
        self.coefficients, self.weights = np.ascontiguousarray(coefficients), np.ascontiguousarray(weights)
        self.sweeps = bool(coefficients[0].any())  # stages depend on later ones
        self.instants = np.concatenate((nodes, (0.5, 1.0, 0.0)))  # of a step: stages, middle, end, start
        contact = system.contact
        self.touch = None if contact is None else CompiledContacts.without_matrix(contact)
        self.failure = CONVERGED  # how the last row of steps ended, as of `convergence.py`

    def begin_anew(self) -> None:
        """Another run of the system begins; nothing is carried on but the state."""
        self.failure = CONVERGED

    @property
    def remembered(self) -> Array:
        """Room for what contacts remember as a step begins, and after it."""
        return np.zeros((2, 0 if self.touch is None else self.touch.size))

    def take_contacts(self, contact: ContactProblem) -> None:
        """Contacts as they are laid out now."""
        self.touch = CompiledContacts.without_matrix(contact)
        self.problem = self.problem._replace(touch=self.touch.table)

    @property
    def why_in_python(self) -> str:
        """Why Python has to take a step that failed; empty if it could do no better."""
        return FAILURES[self.failure] if self.failure in (TOUCHED, SURVEY) else ""

    def entry(self, run: Any, every: int) -> Any:
        """A kernel of steps as this run calls it, see `CompiledSteps.entry`."""
        call = self.system.call(run)
        return call if every == NONE_KEPT else call.in_passing

    def call(
        self, tables: tuple[Array, Array, Array], state: tuple[Array, Array, Array], work: float, first: int, every: int,
        record: tuple[Array, Array, Array], frames: tuple[Array, ...],
    ) -> tuple[int, int, int, float]:  # fmt: skip
        """The steps themselves: how they ended, how many were done and kept, and the work until then [J].

        tables: lengths [s], functions of time and factors of gravity; state: rows, rates and turns, which become those reached;
        record: scalars, momenta and angular momenta.
        """
        raise NotImplementedError

    def step(self, state: State, h: float) -> tuple[State, StepInfo] | None:
        """One step of length h [s]; None if it fails."""
        done = self.run(state, [state.t + h], 1, NONE_KEPT, 0.0, size=h)
        if done.failed:
            return None
        return done.state, StepInfo(0, work=done.work, numbers=(done.scalars[0], done.linear[0], done.angular[0]))

    def run(self, state: State, times: Times, first: int, every: int, work: float, size: float | None = None) -> Batch:
        """Steps that end at `times` [s]; every `every`-th, counted from `first`, is kept. size: of a single step."""
        s, count = self.system, len(times)
        at = np.concatenate(([state.t], times))
        sizes = np.diff(at) if size is None else np.array([size])
        steps = first + np.arange(count)
        wanted = np.zeros(count, dtype=bool) if every == NONE_KEPT else steps % every == 0
        room = int(np.count_nonzero(wanted)) + 1
        x, v, turns = state.x.copy(), state.v.copy(), state.turns.copy()
        if self.touch is not None and self.touch.gather(state, sizes[:1]):
            self.take_contacts(self.touch.problem)
        touch = self.touch
        if touch is not None:
            touch.begin(state, s, self.work.touch[0], np.zeros(0))
        shapes = (x.shape, x.shape, x.shape, (len(s.multipliers),), turns.shape, self.work.touch[0].shape)
        frames = tuple(np.zeros((room, *shape)) for shape in shapes)
        scalars, linear, angular = np.zeros((count, account.SCALARS)), np.zeros((count, s.d)), np.zeros((count, 3))
        begun = work
        self.failure, done, kept, work = self.call(
            (sizes, *self._tables(at[:-1], sizes)),
            (x, v, turns),
            work,
            first,
            every,
            (scalars, linear, angular),
            frames,
        )
        if self.failure == SURVEY and done:
            self.failure = CONVERGED  # the rest goes on with other neighbours
        failed = self.failure != CONVERGED
        if s.redundant:
            self._share_reactions(frames, kept, at)
        own = {} if touch is None else touch.memory(self.work.touch[0].copy())
        others = {name: array for name, array in state.memory.items() if name != ACCELERATION and name not in own}
        others |= {} if touch is None else touch.quiet
        reached = state
        if done == count:
            memory = others | own | {ACCELERATION: frames[2][kept - 1].copy()}
            reached = State(float(at[-1]), x, v, frames[3][kept - 1].copy(), memory, turns)
        elif done:  # the state before the step that failed is wanted in full: once more, up to there
            return replace(self.run(state, times[:done], first, every, begun), failed=failed)
        chosen = wanted[:done]
        count_of = int(np.count_nonzero(chosen))
        names = ("x", "v", f"memory/{ACCELERATION}", "multipliers", "turns")
        frames_of = {name: frame[:count_of] for name, frame in zip(names, frames[:5], strict=True)}
        if touch is not None:
            kept_of = touch.memory(frames[5])
            frames_of |= {f"memory/{name}": array[:count_of] for name, array in kept_of.items()}
        frames_of |= {f"memory/{name}": np.broadcast_to(a, (count_of, *np.shape(a))) for name, a in others.items()}
        return Batch(
            reached, scalars[:done], linear[:done], angular[:done], at[1 : done + 1], sizes[:done], steps[:done][chosen],
            frames_of if every != NONE_KEPT else {}, float(work), failed,
        )  # fmt: skip

    def _share_reactions(self, frames: tuple[Array, ...], kept: int, at: Array) -> None:
        """The smallest reactions with the same forces, where conditions depend on each other."""
        problem = self.system.keep("shared reactions", lambda: RowProblem(self.system))
        for k in range(kept):
            frames[3][k] = problem.share_reactions(frames[0][k], float(at[-1]), frames[3][k])

    def _tables(self, starts: Array, sizes: Array) -> tuple[Array, Array]:
        """Functions of time and the factor of gravity at all instants of each step."""
        s, nodes = self.system, self.instants
        count, functions = len(sizes), max(1, len(s.functions))
        values, gravity = np.zeros((count, nodes.size, functions)), np.ones((count, nodes.size))
        if s.functions or s.gravity_scale is not None:
            for k, (t, h) in enumerate(zip(starts, sizes, strict=True)):
                for j, node in enumerate(nodes):
                    if s.functions:
                        values[k, j] = s.amplitudes(float(t + node * h))
                    if s.gravity_scale is not None:
                        gravity[k, j] = s.gravity_scale(float(t + node * h))
        return values, gravity
