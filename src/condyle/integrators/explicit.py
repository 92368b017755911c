"""The explicit reference: classical Runge–Kutta of order 4 on the accelerations of the constrained system.

In row form: m a + Gᵀ λ = f, G a = −γ, solved at every stage; after each step positions and velocities are put back onto the
constraints. Slow and exact enough to judge the others by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.newton import StepFailed, StepInfo, refuse_turned
from condyle.integrators.quasi_static import refuse_memory
from condyle.model.part import Declared, number
from condyle.system.linear import SingularMatrixError
from condyle.system.start import RowProblem
from condyle.system.state import State
from condyle.system.system import System

Array = NDArray[np.float64]


@dataclass
class RungeKutta(metaclass=Declared):
    """Order 4, explicit: the step must resolve the fastest oscillation of the model."""

    order = 4
    explicit = True
    multiplier_time = 1.0
    start_correction = 0.0

    def prepare(self, system: System, state: State, h: float) -> None:
        """One saddle-point problem is factorised again and again."""
        system.refuse_states("RungeKutta")
        refuse_memory(system, "RungeKutta")
        system.without_contact(type(self).__name__)
        self._problem = RowProblem(system)

    def step(self, system: System, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        problem = self._problem
        x, v, t = state.x, state.v, state.t
        self._turns = state.turns
        a1 = self._acceleration(system, t, x, v)[0]
        a2 = self._acceleration(system, t + 0.5 * h, x + 0.5 * h * v, v + 0.5 * h * a1)[0]
        a3 = self._acceleration(system, t + 0.5 * h, x + 0.5 * h * v + 0.25 * h * h * a1, v + 0.5 * h * a2)[0]
        a4 = self._acceleration(system, t + h, x + h * v + 0.5 * h * h * a2, v + h * a3)[0]
        x1 = x + h * v + h * h / 6.0 * (a1 + a2 + a3)
        v1 = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if not (np.isfinite(x1).all() and np.abs(x1).max() < 1e6 * max(system.size, 1.0)):
            raise StepFailed("the explicit method is unstable at this step; take a smaller dt")
        system.place_driven(t + h, x1)
        system.driven_velocity(t + h, v1)
        problem.project_position(x1, t + h)
        problem.project_velocity(x1, v1, t + h)
        acceleration, multipliers = self._acceleration(system, t + h, x1, v1)
        new = State(t + h, x1, v1, problem.shared(multipliers), {"acceleration": acceleration},
                    system.turns_at(x1, state.turns))  # fmt: skip
        return new, StepInfo(iterations=0)

    def _acceleration(self, system: System, t: float, x: Array, v: Array) -> tuple[Array, Array]:
        state = State(t, x.copy(), v.copy(), np.zeros(0), turns=self._turns)
        system.place_driven(t, state.x)
        system.driven_velocity(t, state.v)
        try:
            return self._problem.acceleration(state)
        except SingularMatrixError:
            refuse_turned(system, state.x, state.x)
            raise StepFailed("the accelerations are not determined; take a smaller dt") from None


@dataclass
class IteratedNewmark(RungeKutta):
    """Newmark's method with β = ¼, γ = ½, its equations solved by functional iteration instead of Newton's method.

    a1 ← M⁻¹ f(x1(a1)) contracts by (ω h/2)² per iteration: it converges for steps below 2/ω_max, like an explicit method,
    which is what a comparison with the implicit ones shows. A comparator only; `Newmark` has no such limit.
    tolerance: change of positions per iteration, relative to the model.
    """

    tolerance: float = 1e-9
    iterations: int = 200
    order = 2

    def __post_init__(self) -> None:
        number(self, "tolerance", low=0.0, strict=True)  # type: ignore[arg-type]

    def prepare(self, system: System, state: State, h: float) -> None:
        super().prepare(system, state, h)
        self._turns = state.turns
        state.memory = {"acceleration": self._acceleration(system, state.t, state.x, state.v)[0]}

    def step(self, system: System, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        x, v, t1 = state.x, state.v, state.t + h
        self._turns = state.turns
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
        new = State(t1, x1, v1, self._problem.shared(multipliers), {"acceleration": after},
                    system.turns_at(x1, state.turns))  # fmt: skip
        return new, StepInfo(iterations=count)
