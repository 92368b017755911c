"""The explicit reference: classical Runge–Kutta of order 4 on the accelerations of the constrained system.

In row form: m a + Gᵀ λ = f, G a = −γ, solved at every stage; after each step positions and velocities are put back onto the
constraints. It is slow, but accurate enough to judge the other methods by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.newton import StepFailed, StepInfo, refuse_inverted
from condyle.integrators.quasi_static import refuse_memory
from condyle.model.part import Declared
from condyle.model.quantities import quantity
from condyle.system.assembly import row_form
from condyle.system.linear import SingularMatrixError
from condyle.system.rates import courses
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]


@dataclass
class RungeKutta(metaclass=Declared):
    """Order 4, explicit: the step must resolve the fastest oscillation of the model."""

    order = 4
    explicit = True
    multiplier_time = 1.0
    start_correction = 0.0

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Make the one saddle-point problem that is factorised at every stage."""
        system.refuse_states("RungeKutta")
        refuse_memory(system, "RungeKutta")
        self._contact: ContactStep | None = None
        if system.contact is not None:
            system.contact.without_multipliers(type(self).__name__)
        self._problem = RowProblem(system)

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], in compiled code where that is possible."""
        problem = self._problem
        x, v, t = state.x, state.v, state.t
        self._begin(system, state, h)
        done = _compiled(problem, state, h) if self._contact is None else None
        if done is not None and _is_sound(system, done[0]):
            return self._finished(system, state, h, *done)  # otherwise Python finds out what has gone wrong
        a1 = self._acceleration(system, t, x, v)[0]
        a2 = self._acceleration(system, t + 0.5 * h, x + 0.5 * h * v, v + 0.5 * h * a1)[0]
        a3 = self._acceleration(system, t + 0.5 * h, x + 0.5 * h * v + 0.25 * h * h * a1, v + 0.5 * h * a2)[0]
        a4 = self._acceleration(system, t + h, x + h * v + 0.5 * h * h * a2, v + h * a3)[0]
        x1 = x + h * v + h * h / 6.0 * (a1 + a2 + a3)
        v1 = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if not _is_sound(system, x1):
            raise StepFailed("the explicit method is unstable at this step; take a smaller dt")
        system.place_driven(t + h, x1)
        system.driven_velocity(t + h, v1)
        problem.project_position(x1, t + h)
        problem.project_velocity(x1, v1, t + h)
        return self._finished(system, state, h, x1, v1, *self._acceleration(system, t + h, x1, v1))

    def _begin(self, system: RunningSystem, state: State, h: float) -> None:
        """What stays the same within a step: angles to count turns from, and what contacts remember."""
        self._turns = state.turns
        self._contact = system.contact.step(state, h) if system.contact is not None else None

    def _finished(
        self, system: RunningSystem, state: State, h: float, x: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[State, StepInfo]:
        turns, reactions = system.turns_at(x, state.turns), self._problem.shared(multipliers)
        memory = {"acceleration": acceleration} | ({} if self._contact is None else self._contact.memory(x))
        return State(state.t + h, x, v, reactions, memory, turns), StepInfo(iterations=0)

    def _acceleration(self, system: RunningSystem, t: float, x: Array, v: Array) -> tuple[Array, Array]:
        state = State(t, x.copy(), v.copy(), np.zeros(0), turns=self._turns)
        system.place_driven(t, state.x)
        system.driven_velocity(t, state.v)
        try:
            push = None if self._contact is None else self._contact.force_at(state.x, state.v)
            acceleration, multipliers = self._problem.acceleration(state, push)
            found = bool(np.isfinite(acceleration).all())
        except SingularMatrixError:
            found = False
        if not found:
            refuse_inverted(system, state.x, state.x)
            raise StepFailed("the accelerations are not determined; take a smaller dt")
        return acceleration, multipliers


def _is_sound(system: RunningSystem, x: Array) -> bool:
    """Are rows finite and not far beyond the model?"""
    return bool(np.isfinite(x).all() and (np.abs(x) / system.rows.size[:, None]).max() < 1e6)


def _compiled(problem: RowProblem, state: State, h: float) -> tuple[Array, Array, Array, Array] | None:
    """Rows, their rates, accelerations and multipliers after a step and its projection, in compiled code.

    None where Python has to do it: large models, forces that are Python functions, a step that fails.
    """
    outer, s, x = problem.outer, problem.system, state.x
    if problem.factors is None or outer.quasi_static.size or s.user_forces:
        return None
    times = [state.t + share * h for share in (0.0, 0.5, 1.0)]
    _, _, held = problem.of_motion(state)
    applied, functions = np.array([s.gravity(t) for t in times]), np.array([s.targets(t, t) for t in times])
    rates = np.zeros((3, 3, functions.shape[2]))
    if s.has_drives:
        rates[:] = [courses(s.amplitudes, t, outer.step) for t in times]
    driven = np.zeros((3, 3, *x.shape))  # places, rates and accelerations of rows that move as prescribed
    for k, t in enumerate(times) if outer.driven else ():
        outer.place_driven(t, driven[0, k])
        outer.driven_velocity(t, driven[1, k])
        outer.driven_acceleration(t, driven[2, k])
    prescribed = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in outer.driven)])
    x1, v1, a1 = (np.zeros_like(x) for _ in range(3))
    mu = np.zeros(len(s.multipliers))
    done = row_form.runge_kutta(
        s.whole, x, state.v, h, (applied, functions), held, (prescribed, *driven), rates, problem.layout,
        problem.factors, problem.out, x1, v1, a1, mu,
    )  # fmt: skip
    problem.factored_at(x1, dense=bool(done))
    return (x1, v1, a1, mu) if done else None


@dataclass
class ExplicitEuler(RungeKutta):
    """Euler's forward method, x1 = x0 + h v0, v1 = v0 + h a0, with positions and velocities put back onto the constraints.

    Of first order, and what oscillates gains energy at every step, however small. A comparator only.
    """

    order = 1

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        self._begin(system, state, h)
        before, _ = self._acceleration(system, state.t, state.x, state.v)
        return self._moved(system, state, h, state.x + h * state.v, state.v + h * before)

    def _moved(self, system: RunningSystem, state: State, h: float, x1: Array, v1: Array) -> tuple[State, StepInfo]:
        """The end of a step at x1, v1, which are put onto the constraints; accelerations and multipliers there."""
        self._settle(system, state.t + h, x1, v1)
        found = self._acceleration(system, state.t + h, x1, v1)
        return self._finished(system, state, h, x1, v1, *found)

    def _settle(self, system: RunningSystem, t: float, x1: Array, v1: Array) -> None:
        if not _is_sound(system, x1):
            raise StepFailed("the explicit method is unstable at this step; take a smaller dt")
        system.place_driven(t, x1)
        system.driven_velocity(t, v1)
        self._problem.project_position(x1, t)
        self._problem.project_velocity(x1, v1, t)


@dataclass
class CentralDifference(ExplicitEuler):
    """Newmark's formulas with β = 0 (`Newmark(beta=0)`), explicit in the places:

        x1 = x0 + h v0 + ½ h² a0,   v1 = v0 + h ((1 − γ) a0 + γ a1)

    Velocity-dependent forces are taken at v0 + h a0, then at v1.
    """

    gamma: float = 0.5
    order = 2

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        self._begin(system, state, h)
        t1, before = state.t + h, state.memory["acceleration"]
        x1, v1 = state.x + h * state.v + 0.5 * h * h * before, state.v + h * before
        self._settle(system, t1, x1, v1)
        for _ in range(2):
            after, _ = self._acceleration(system, t1, x1, v1)
            v1 = state.v + h * ((1.0 - self.gamma) * before + self.gamma * after)
            system.driven_velocity(t1, v1)
            self._problem.project_velocity(x1, v1, t1)
        return self._moved(system, state, h, x1, v1)

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        self._begin(system, state, h)
        state.memory = {"acceleration": self._acceleration(system, state.t, state.x, state.v)[0]}


@dataclass
class IteratedNewmark(RungeKutta):
    """Newmark's method with β = ¼, γ = ½, its equations solved by functional iteration instead of Newton's method.

    a1 ← M⁻¹ f(x1(a1)) contracts by (ω h/2)² per iteration: it converges for steps below 2/ω_max, like an explicit method,
    which is what a comparison with the implicit ones shows. A comparator only; `Newmark` has no such limit.
    tolerance: change of positions per iteration, relative to the model.
    """

    tolerance: float = quantity(default=1e-9, above=0.0)
    iterations: int = quantity(default=200, at_least=1)
    order = 2

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        self._begin(system, state, h)
        state.memory = {"acceleration": self._acceleration(system, state.t, state.x, state.v)[0]}

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        x, v, t1 = state.x, state.v, state.t + h
        self._begin(system, state, h)
        before = state.memory["acceleration"]
        after, reach = before, self.tolerance * system.size
        last = np.inf
        for count in range(1, self.iterations + 1):
            x1, v1 = x + h * v + 0.25 * h * h * (before + after), v + 0.5 * h * (before + after)
            found, multipliers = self._acceleration(system, t1, x1, v1)
            change = 0.25 * h * h * float(np.abs(found - after).max())
            after = found
            if change <= reach:
                break
            if count > 10 and not change < 1e3 * last:
                raise StepFailed("functional iteration diverges at this step; take a smaller dt")
            last = min(last, change)
        else:
            raise StepFailed(
                f"functional iteration did not converge in {self.iterations} iterations; take a smaller dt"
            )
        system.place_driven(t1, x1)
        system.driven_velocity(t1, v1)
        self._problem.project_position(x1, t1)
        self._problem.project_velocity(x1, v1, t1)
        memory = {"acceleration": after} | ({} if self._contact is None else self._contact.memory(x1))
        new = State(t1, x1, v1, self._problem.shared(multipliers), memory, system.turns_at(x1, state.turns))
        return new, StepInfo(iterations=count)
