"""Runge–Kutta steps in joint coordinates: trees of rigid bodies, each with as many unknowns as its joint leaves free.

Loops are cut open to a spanning tree. Multipliers of what was cut keep them closed, in accelerations at every stage and in
places and velocities at the end of every step.

Coordinates are made of the rows at the start of every step and given back as rows at its end: a state is what it is in every
other method, joints are closed and bodies rigid to round-off without any equation, and a run goes on from any state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import account
from condyle.integrators.compiled import FAILURES, NONE_KEPT, angles_of
from condyle.integrators.compiled_contacts import CompiledContacts
from condyle.integrators.contact_steps import no_contacts
from condyle.integrators.convergence import CONVERGED, SURVEY, TOUCHED
from condyle.integrators.joint_kernels import TreeProblem, TreeWork, run_tree_steps
from condyle.integrators.newton import StepInfo
from condyle.system.joint_tree import closing_room, tree_room
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import Batch, State

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem

Array = NDArray[np.float64]
ACCELERATION = "acceleration"  # in a state's memory


class JointSteps:
    """The compiled form of one system under one Runge–Kutta method, with its table of coefficients."""

    def __init__(self, system: RunningSystem, coefficients: Array, weights: Array, nodes: Array) -> None:
        self.system, self.nodes = system, nodes
        self.sweeps = bool(coefficients[0].any())  # stages depend on later ones
        tree = system.tree
        n, d, stages = system.n, system.d, weights.size
        whole = system.whole
        acts = bool(whole.spans[2] > whole.spans[0]) or bool(np.any(system.rows.drag))
        self.problem = TreeProblem(
            tree, tree_room(tree), system.closing, whole, system.mass, system.gravity_force, system.translation,
            angles_of(system), np.array([acts]), np.ascontiguousarray(coefficients), np.ascontiguousarray(weights),
            np.array([system.size]), np.array([self.sweeps]), no_contacts(),
        )  # fmt: skip
        self.touch: CompiledContacts | None = None
        if system.contact is not None:
            self._take_contacts(system.contact)
        self.failure = 0  # how the last row of steps ended, as of `convergence.py`
        coordinates = {1: 1, 3: 4, 6: 7}
        q = np.zeros((stages + 2, sum(coordinates[int(k)] for k in tree.kind)))
        u = np.zeros((stages + 2, int(tree.kind.sum())))
        self.work = TreeWork(
            np.zeros((7, n, d)),
            q,
            u,
            np.zeros((2, d)),
            np.zeros(len(system.multipliers)),
            np.zeros(system.turn_count),
            np.zeros((2, 0 if self.touch is None else self.touch.size)),
            closing_room(system),
        )

    def _take_contacts(self, contact: ContactProblem) -> None:
        """Contacts as they are laid out now."""
        self.touch = CompiledContacts.without_matrix(contact)
        self.problem = self.problem._replace(touch=self.touch.table)

    @property
    def why_in_python(self) -> str:
        """Why Python has to take a step that failed; empty if it could do no better."""
        return FAILURES[self.failure] if self.failure in (TOUCHED, SURVEY) else ""

    def step(self, state: State, h: float) -> tuple[State, StepInfo] | None:
        """One step of length h [s]; None if it fails."""
        done = self.run(state, [state.t + h], 1, NONE_KEPT, 0.0, size=h)
        if done.failed:
            return None
        return done.state, StepInfo(0, work=done.work, numbers=(done.scalars[0], done.linear[0], done.angular[0]))

    def run(
        self, state: State, times: Sequence[float], first: int, every: int, work: float, size: float | None = None
    ) -> Batch:
        """Steps that end at `times` [s]; every `every`-th, counted from `first`, is kept. size: of a single step."""
        s, count = self.system, len(times)
        at = np.array([state.t, *times])
        sizes = np.diff(at) if size is None else np.array([size])
        steps = first + np.arange(count)
        wanted = np.zeros(count, dtype=bool) if every == NONE_KEPT else steps % every == 0
        room = int(np.count_nonzero(wanted)) + 1
        x, v, turns = state.x.copy(), state.v.copy(), state.turns.copy()
        if self.touch is not None and self.touch.gather(state, sizes[:1]):
            self._take_contacts(self.touch.problem)
        touch = self.touch
        if touch is not None:
            touch.begin(state, s, self.work.touch[0], np.zeros(0))
        shapes = (x.shape, x.shape, x.shape, (len(s.multipliers),), turns.shape, self.work.touch[0].shape)
        frames = tuple(np.zeros((room, *shape)) for shape in shapes)
        scalars, linear, angular = np.zeros((count, account.SCALARS)), np.zeros((count, s.d)), np.zeros((count, 3))
        functions, gravity = self._tables(at[:-1], sizes)
        begun = work
        run = s.call(run_tree_steps) if every == NONE_KEPT else run_tree_steps  # nobody should keep a large record
        self.failure, done, kept, work = run(
            self.problem, sizes, functions, gravity, x, v, turns, work, first, every, scalars, linear, angular, frames,
            s.scratch, self.work,
        )  # fmt: skip
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
        """Functions of time and the factor of gravity at all stages, in the middle and at the end of each step."""
        s, nodes = self.system, np.concatenate((self.nodes, (0.5, 1.0)))
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
