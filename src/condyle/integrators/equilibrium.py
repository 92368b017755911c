"""Equilibrium at every instant of a run: loads, drives and moving frames as functions of time, nothing with inertia.

Σ f(x1, (x1 − x0)/h) + G(x1)ᵀ λ1 = f(t1),   c(x1) = 0
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from condyle.errors import ConvergenceError
from condyle.integrators.newton import Iterate, StepFailed, StepInfo, Tolerance, refuse_inverted
from condyle.model.part import Declared
from condyle.model.quantities import quantity
from condyle.system import assembly
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.velocity_rows import refuse_rates


@dataclass
class QuasiStatic(metaclass=Declared):
    """For slow processes: bodies are in equilibrium at the end of every step, with dampers and viscosity but without inertia.

    start_steps: increments in which the loads of the start are put on. Every rigid motion must be resisted: by joints,
    drives, springs, contact, dampers.
    """

    start_steps: int = quantity(default=1, at_least=1)
    tolerance: Tolerance = field(default_factory=lambda: Tolerance(iterations=40))
    multiplier_time = 1.0
    unwatched = "inertia plays no part"  # why its balance of energy is not watched
    start_correction = 0.0
    has_inertia = False

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Balance under the loads of the start; increments that fail are halved."""
        refuse_rates(system, "QuasiStatic")
        state.memory.pop("acceleration", None)
        state.v[:] = 0.0
        at, factor, increment = state, 0.0, 1.0 / self.start_steps
        while factor < 1.0 - 1e-12:
            aim = min(factor + increment, 1.0)
            try:
                at, _ = self._balanced(system, at, 0.0, aim)
                factor, increment = aim, min(2.0 * increment, 1.0 / self.start_steps)
            except StepFailed as failure:
                increment *= 0.5
                if increment < 1e-3 / self.start_steps:
                    raise ConvergenceError(
                        f"no balance at the start ({failure}); put its loads on gradually, as with a Ramp",
                        time=state.t,
                        part=failure.part,
                    ) from None
        state.x[:], state.multipliers, state.turns = at.x, at.multipliers, at.turns
        for name in at.memory.keys() & state.memory.keys():
            state.memory[name][:] = at.memory[name]

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        return self._balanced(system, state, h)

    def _balanced(self, system: RunningSystem, state: State, h: float, factor: float = 1.0) -> tuple[State, StepInfo]:
        """With full steps of Newton's method; where they fail, with a line search."""
        try:
            instant = _Instant(self, system, state, h, factor)
            result = instant.run()
            refuse_inverted(system, state.x, result[0].x)
        except StepFailed:
            instant = _Instant(self, system, state, h, factor)
            instant.search = True
            result = instant.run()
            refuse_inverted(system, state.x, result[0].x)
        return result


class _Instant(Iterate):
    """Balance at the end of a step, or under a part of the loads at its start (h = 0)."""

    bounded = True

    def __init__(self, method: QuasiStatic, system: RunningSystem, state: State, h: float, factor: float = 1.0) -> None:
        none = np.zeros(system.motion_unknowns)
        super().__init__(
            system, state, system.stiffness(h or system.step, system.step), none, method.tolerance, h or None
        )
        system.set_pace(1.0 / h if h else 0.0)
        self.t1, self.factor, self.rate = state.t + h, factor, 1.0 / h if h else 0.0
        self.loads = (factor * system.amplitudes(self.t1), system.targets(state.t, self.t1))
        self.still = np.zeros_like(state.x)

    def run(self) -> tuple[State, StepInfo]:
        info = StepInfo()
        self.system.place_driven(self.t1, self.x1)
        self.balance(info)
        v = self.rate * (self.x1 - self.x0)
        return self.finished(self.t1, v, {}, (self.t1, self.t1)), info

    def share_reactions(self) -> None:
        """With the masses: the stiffness alone may be singular where joints hold everything."""
        self.multipliers = RowProblem(self.system).share_reactions(self.x1, self.t1, self.multipliers)

    def evaluate(self, tangent: bool) -> None:
        s = self.system
        v = self.rate * (self.x1 - self.x0)
        motion = (self.x0, self.x1, self.x1, v, self.still, self.x_old)
        loads = (self.factor * s.applied(self.t1, self.x1, v), *self.loads)
        s.assemble(
            motion, loads, (self.multipliers, *self.stiffness), assembly.END, assembly.END,
            (0.0, 1.0, self.rate), (assembly.NO_MAP, assembly.NO_MAP), tangent, self.out,
        )  # fmt: skip
        self.add_contact(tangent)
