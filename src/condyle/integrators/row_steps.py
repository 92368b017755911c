"""Runge–Kutta steps in row form, each in compiled code: of models that are small enough for a full matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.compiled import FAILURES
from condyle.integrators.compiled_contacts import CompiledContacts
from condyle.integrators.contact_steps import no_contacts
from condyle.integrators.convergence import CONVERGED, SURVEY, TOUCHED
from condyle.integrators.row_kernels import Courses, Tableau, step_in_rows
from condyle.system.row_problem import DENSE, RowProblem
from condyle.system.state import State

Array = NDArray[np.float64]
ACCELERATION = "acceleration"  # in a state's memory


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


class RowSteps:
    """The compiled form of one system in row form under one Runge–Kutta method, with its table of coefficients."""

    def __init__(self, problem: RowProblem, coefficients: Array, weights: Array, nodes: Array) -> None:
        self.problem, self.outer, self.system = problem, problem.outer, problem.system
        sweeps = np.array([bool(coefficients[0].any())])
        self.tableau = Tableau(np.ascontiguousarray(coefficients), np.ascontiguousarray(weights), sweeps)
        self.instants = np.concatenate((nodes, (1.0, 0.0)))  # of a step: stages, end, start
        rows = [np.zeros(0, np.int64), *(rows for rows, _ in self.outer.driven)]
        self.prescribed = np.concatenate(rows)
        self._still = np.zeros((3, self.instants.size, self.outer.n, self.outer.d))
        contact = self.outer.contact
        self.touch = None if contact is None else CompiledContacts.without_matrix(contact)
        self.failure = CONVERGED

    @property
    def why_in_python(self) -> str:
        """Why Python has to take a step that failed."""
        return FAILURES[self.failure] if self.failure in (TOUCHED, SURVEY) else "a compiled step in row form failed"

    def step(self, state: State, h: float) -> State | None:
        """The state after one step of length h [s]; None if it fails."""
        before, after = self._begin_contacts(state, h)
        s, problem = self.system, self.problem
        _, _, held = problem.of_motion(state)
        x1, v1, a1 = np.zeros((3, *state.x.shape))
        mu = np.zeros(len(s.multipliers))
        table = no_contacts() if self.touch is None else self.touch.table
        self.failure = self.outer.call(step_in_rows)(
            (s.whole, held, problem.layout, problem.factors), self.tableau, table, self._courses(state.t, h), state.x, state.v,
            h, before, problem.out, x1, v1, a1, mu, after,
        )  # fmt: skip
        problem.factored_at(x1, dense=self.failure == CONVERGED)
        if self.failure != CONVERGED:
            return None
        memory = dict(state.memory)
        if self.touch is not None:
            memory |= self.touch.quiet | self.touch.memory(after)
        memory[ACCELERATION] = a1
        return State(state.t + h, x1, v1, problem.shared(mu), memory, self.outer.turns_at(x1, state.turns))

    def _begin_contacts(self, state: State, h: float) -> tuple[Array, Array]:
        """What contacts remember as a step begins, and room for what they do after it."""
        if self.touch is None:
            return np.zeros(0), np.zeros(0)
        if self.touch.gather(state, np.array([h])):
            self.touch = CompiledContacts.without_matrix(self.touch.problem)
        before, after = np.zeros((2, self.touch.size))
        self.touch.begin(state, self.outer, before, np.zeros(0))
        return before, after

    def _courses(self, t: float, h: float) -> Courses:
        """Forces, functions of time and prescribed rows at the instants of a step from t [s] on."""
        s, outer, driven = self.system, self.outer, self._still
        times = [t + share * h for share in self.instants]
        functions = np.array([s.targets(t, t) for t in times])
        rates = np.zeros((len(times), 3, functions.shape[2]))
        if s.has_drives:
            rates[:] = [s.amplitude_courses(t, outer.step) for t in times]
        for k, t in enumerate(times) if outer.driven else ():
            outer.place_driven(t, driven[0, k])
            outer.driven_velocity(t, driven[1, k])
            outer.driven_acceleration(t, driven[2, k])
        return Courses(np.array([s.gravity(t) for t in times]), functions, rates, self.prescribed, driven)
