"""Backward differences of order 1 and 2 for the constrained system, on (ṙ, ω).

    Pᵀ m ẍ1 + Σ f(x1, ẋ1) + G(x1)ᵀ λ1 = f(t1),   c(x1) = 0,
    u1 = D x,   u̇1 = D u,   h D y = y1 − y0                                              (order 1)
                            h D y = (1 + 2w)/(1 + w) y1 − (1 + w) y0 + w²/(1 + w) y₋₁     (order 2, w = h/h₋₁)

Rotations are written as rotation vectors from the start of the step, log(R Rᵀ0): its rate is ω at the end up to O(h²),
which is the error of the formula itself (the chart of lie.py). As with generalized-α, velocities, accelerations and
multipliers are made consistent with the constraints at the end of each step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import lie
from condyle.integrators.generalized_alpha import _Step
from condyle.integrators.newton import StepInfo, Tolerance
from condyle.model.part import Declared
from condyle.model.quantities import choice, quantity
from condyle.system import assembly
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]


@dataclass
class BDF(metaclass=Declared):
    """L-stable comparator: all high frequencies die at once, slow ones lose energy too.

    order: 1 (implicit Euler) or 2; the first step is of order 1, which costs no order of the whole. hold: as for
    GeneralizedAlpha. Steps may vary; order 2 is stable while a step is at most 2.4 times the one before.
    """

    order: int = quantity(default=2, at_least=1, at_most=2)
    hold: str = choice("all", "positions", default="all")
    tolerance: Tolerance = field(default_factory=Tolerance)
    multiplier_time = 1.0
    start_correction = 0.0
    coefficients = (0.0, 0.0, 1.0, 1.0)  # αm, αf, β, γ with which Newmark's formulas are plain differences

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """There is no step before the first one: its length is 0."""
        acceleration = state.memory.get("acceleration", np.zeros_like(state.x))
        state.memory = {
            "acceleration": acceleration.copy(),
            "previous x": state.x.copy(),
            "previous v": state.v.copy(),
            "previous step": np.zeros(1),
        }

    def reach(self, h: float) -> float:
        """How far a unit of the unknown moves a place: places are the unknowns."""
        return 1.0

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]; of order 1 where a soft contact closes or opens in it.

        A point that is stopped by a stiff law within a step would have half of its velocity turned round by the place where it
        was a step before the last, and a body that lands on several such points could gain any energy.
        """
        step = _Differences(self, system, state, h, self.order)
        after, info = step.run()
        if step.back != 0.0 and step.contact is not None and _meets_or_parts(step.contact):
            after, info = _Differences(self, system, state, h, 1).run()
        info.in_python = "BDF is not compiled"
        return after, info


class _Differences(_Step):
    """The step of generalized-α with backward differences in place of Newmark's formulas."""

    def __init__(self, method: BDF, system: RunningSystem, state: State, h: float, order: int) -> None:
        super().__init__(method, system, state, h)
        self.pressing = ("end", 1.0, 0.0)
        before = float(state.memory["previous step"][0]) if order == 2 else 0.0
        w = h / before if before > 0.0 else 0.0
        self.now, self.back = (1.0 + 2.0 * w) / (1.0 + w) / h, w * w / (1.0 + w) / h  # factors of y1 − y0 and y₋₁ − y0
        self.rate, self.rate_dot = self.now, self.now**2
        # The last step is found from places, which have round-off also where nothing moves.
        reach = np.abs(h * state.v) + np.finfo(np.float64).eps * np.abs(state.x)
        self.inertia_scale = system.inertia_scale(state.x, reach, self.rate_dot)
        system.driven_velocity(self.t1, self.v1)
        bodies = self.spin0.shape[0]
        self._still, self._no_spin = np.zeros_like(state.x), np.zeros((bodies, 3))
        self._driven = self.v1[~system.moving].copy()
        previous = state.memory["previous x"]
        self.move_back, self.turn_back = np.zeros_like(state.x), np.zeros((bodies, 3))
        turn = np.zeros((bodies, 3))
        assembly.turns_between(system.rows, state.x, previous, turn)
        self._increments(previous - state.x, turn, self.move_back, self.turn_back, np.zeros((bodies, 3, 3)))
        self.spin_before = np.zeros((bodies, 3))
        lie.spins(system.rows, previous, state.memory["previous v"], self.spin_before)

    def _increments(self, step: Array, turn: Array, move: Array, rotation: Array, jacobians: Array) -> None:
        """x − x0 of free rows and log(R Rᵀ0) of bodies: Newmark's formulas from rest with β = γ = h = 1."""
        lie.newmark_rates(
            self.system.rows, step, turn, self._still, self._still, self._no_spin, self._no_spin, 1.0, 1.0, 1.0,
            np.zeros_like(move), move, np.zeros_like(rotation), rotation, jacobians,
        )  # fmt: skip

    def evaluate(self, tangent: bool) -> None:
        """Residual (and tangent) at the current iterate."""
        memory, v0, still = self.state.memory, self.state.v, ~self.system.moving
        self._increments(self.step, self.turn, self.a1, self.spin_a1, self.jacobians)
        self.v1 = self.now * self.a1 + self.back * self.move_back
        self.v1[still] = self._driven
        self.spin1 = self.now * self.spin_a1 + self.back * self.turn_back
        self.acceleration = self.now * (self.v1 - v0) + self.back * (memory["previous v"] - v0)
        self.acceleration[still] = 0.0
        self.spin_dot = self.now * (self.spin1 - self.spin0) + self.back * (self.spin_before - self.spin0)
        self._assemble(tangent)

    def _strikes(self) -> bool:
        """No: forces belong to the end of the step, all of them."""
        return False

    def _rebuild_rates(self, v1: Array) -> None:
        """Nothing but velocities is carried on."""

    def _carried(self, v1: Array) -> dict[str, Array]:
        # What was before an impact is no part of what follows.
        struck = self.contact is not None and (self.contact.struck or _meets_or_parts(self.contact))
        return {
            "acceleration": self.acceleration,
            "previous x": self.x0.copy(),
            "previous v": self.state.v.copy(),
            "previous step": np.array([0.0 if struck else self.h]),
        }


def _meets_or_parts(contact: ContactStep) -> bool:
    """Did points meet or part in the step? Only models with contact load the room of contacts, which is large."""
    from condyle.contact.ending import meets_or_parts

    return meets_or_parts(contact)
