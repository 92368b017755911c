"""The explicit reference: classical Runge–Kutta of order 4 on the accelerations of the constrained system.

In row form: m a + Gᵀ λ = f, G a = −γ, solved at every stage; after each step positions and velocities are put back onto the
constraints. Slow and exact enough to judge the others by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.newton import StepFailed, StepInfo
from condyle.system.start import RowProblem
from condyle.system.state import State
from condyle.system.system import System

Array = NDArray[np.float64]


@dataclass
class RungeKutta:
    """Order 4, explicit: the step must resolve the fastest oscillation of the model."""

    order = 4
    multiplier_time = 1.0
    start_correction = 0.0

    def prepare(self, system: System, state: State, h: float) -> None:
        """One saddle-point problem is factorised again and again."""
        system.refuse_states("RungeKutta")
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
        return self._problem.acceleration(state)
