"""Runge–Kutta steps in row form in compiled code: of models that are small enough for a full matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.contact_steps import no_contacts
from condyle.integrators.convergence import CONVERGED
from condyle.integrators.explicit_steps import ACCELERATION, ExplicitSteps
from condyle.integrators.newton import StepInfo
from condyle.integrators.row_kernels import Courses, RowSystem, RowWork, Tableau, run_row_steps, step_in_rows
from condyle.system.row_problem import DENSE, RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.tables import MULTIPLIER

Array = NDArray[np.float64]


def why_in_python(problem: RowProblem) -> str:
    """Why steps of a system in row form are taken in Python; empty if they are compiled."""
    outer = problem.outer
    if problem.system.user_forces:
        return "forces are Python functions"
    if outer.quasi_static.size:
        return "bodies are quasi-static, and the method does not balance the end of a step"
    if outer.swells:
        return "bodies swell"
    if problem.factors is None:
        return f"more than {DENSE} unknowns in row form: other solvers are faster"
    return "" if outer.contact is None else outer.contact.why_not_compiled(balances_end=False, consistent=False)


def why_one_by_one(system: RunningSystem) -> str:
    """Why compiled steps in rows are taken one by one, with their account in Python; empty if whole rows of them are."""
    if system.driven or system.has_drives or (system.rates.drive >= 0).any():
        return "bodies or joints are driven"
    if (system.hold != MULTIPLIER).any():
        return "constraints are not held exactly"
    return "laws count turns" if system.turn_count else ""


class RowSteps(ExplicitSteps):
    """Steps in rows, many of them at once where nothing follows a function of time but forces."""

    def __init__(self, problem: RowProblem, coefficients: Array, weights: Array, nodes: Array) -> None:
        outer = problem.outer
        super().__init__(outer, coefficients, weights, nodes)
        self.rows, self.plain = problem, problem.system
        self.tableau = Tableau(self.coefficients, self.weights, np.array([self.sweeps]))
        self.prescribed = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in outer.driven)])
        self.many = not why_one_by_one(outer)
        n, d, instants = outer.n, outer.d, self.instants.size
        functions = max(1, len(outer.functions))
        self.courses = Courses(
            np.zeros((instants, n, d)), np.zeros((instants, 2, functions)), np.zeros((instants, 3, functions)),
            self.prescribed, np.zeros((3, instants, n, d)),
        )  # fmt: skip
        whole = outer.whole
        acts = bool(whole.spans[2] > whole.spans[0]) or bool(np.any(outer.rows.drag))
        self.problem = RowSystem(
            whole, outer.mass, outer.gravity_force, outer.translation, np.array([acts]), self.weights,
            np.array(problem.own, dtype=np.int64), no_contacts() if self.touch is None else self.touch.table,
        )  # fmt: skip
        self.work = RowWork(
            np.zeros((6, n, d)),
            np.zeros(len(self.plain.multipliers)),
            np.zeros(len(outer.multipliers)),
            self.remembered,
        )

    @property
    def why_in_python(self) -> str:
        """Why Python has to take a step that failed."""
        return super().why_in_python or "a compiled step in row form failed"

    def call(
        self, tables: tuple[Array, Array, Array], state: tuple[Array, Array, Array], work: float, first: int, every: int,
        record: tuple[Array, Array, Array], frames: tuple[Array, ...],
    ) -> tuple[int, int, int, float]:  # fmt: skip
        x, v, turns = state
        done: tuple[int, int, int, float] = self.entry(run_row_steps, every)(
            self.problem, self._saddle(State(0.0, x, v, np.zeros(0), turns=turns)), self.tableau, self.courses, *tables, x, v,
            work, first, every, *record, frames, self.rows.out, self.work,
        )  # fmt: skip
        return done

    def step(self, state: State, h: float) -> tuple[State, StepInfo] | None:
        """One step of length h [s]; None if it fails."""
        if self.many:
            return super().step(state, h)
        before, after = self._begin_contacts(state, h)
        x1, v1, a1 = self.work.rows[:3].copy()
        self.failure = self.system.call(step_in_rows)(
            self._saddle(state), self.tableau, self.problem.touch, self._courses(state.t, h), state.x, state.v, h, before,
            self.rows.out, x1, v1, a1, self.work.mu, after,
        )  # fmt: skip
        self.rows.factored_at(x1, dense=self.failure == CONVERGED)
        if self.failure != CONVERGED:
            return None
        memory = dict(state.memory)
        if self.touch is not None:
            memory |= self.touch.quiet | self.touch.memory(after.copy())
        memory[ACCELERATION] = a1
        multipliers, turns = self.rows.shared(self.work.mu), self.system.turns_at(x1, state.turns)
        return State(state.t + h, x1, v1, multipliers, memory, turns), StepInfo(0)

    def _saddle(self, state: State) -> tuple[object, ...]:
        """The row form as kernels take it, with the angles of a state."""
        _, _, held = self.rows.of_motion(state)
        return self.plain.whole, held, self.rows.layout, self.rows.factors

    def _begin_contacts(self, state: State, h: float) -> tuple[Array, Array]:
        """What contacts remember as a step begins, and room for what they do after it."""
        if self.touch is not None:
            if self.touch.gather(state, np.array([h])):
                self.take_contacts(self.touch.problem)
            self.touch.begin(state, self.system, self.work.touch[0], np.zeros(0))
        return self.work.touch[0], self.work.touch[1]

    def _courses(self, t: float, h: float) -> Courses:
        """Forces, functions of time and prescribed rows at the instants of a step from t [s] on."""
        s, outer, courses = self.plain, self.system, self.courses
        for k, at in enumerate(t + share * h for share in self.instants):
            courses.applied[k] = s.gravity(at)
            courses.functions[k] = s.targets(at, at)
            if s.has_drives:
                courses.rates[k] = s.amplitude_courses(at, outer.step)
            if outer.driven:
                outer.place_driven(at, courses.driven[0, k])
                outer.driven_velocity(at, courses.driven[1, k])
                outer.driven_acceleration(at, courses.driven[2, k])
        return courses
