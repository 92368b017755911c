"""Backward differences of order 1 and 2 for the constrained system, on (ṙ, ω).

    Pᵀ m ẍ1 + Σ f(x1, ẋ1) + G(x1)ᵀ λ1 = f(t1),   c(x1) = 0,
    u1 = D x,   u̇1 = D u,   h D y = y1 − y0                                              (order 1)
                            h D y = (1 + 2w)/(1 + w) y1 − (1 + w) y0 + w²/(1 + w) y₋₁     (order 2, w = h/h₋₁)

Rotations are written as rotation vectors from the start of the step, log(R Rᵀ0): its rate is ω at the end up to O(h²),
which is the error of the formula itself (the chart of lie.py). As with generalized-α, velocities, accelerations and
multipliers are made consistent with the constraints at the end of each step.

y0 − y₋₁ is kept as a mean velocity and a mean spin of the last step, which have no round-off of places, and u₋₁ as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import lie
from condyle.integrators.bdf_steps import DifferenceSteps
from condyle.integrators.compiled import CompiledMethod, CompiledSteps
from condyle.integrators.generalized_alpha import _Step, holds_rates
from condyle.integrators.newton import StepInfo, Tolerance
from condyle.integrators.step_tables import Scheme
from condyle.model.part import Declared
from condyle.model.quantities import choice, quantity
from condyle.system import assembly
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]


@dataclass
class BDF(CompiledMethod, metaclass=Declared):
    """L-stable comparator: all high frequencies die at once, slow ones lose energy too.

    order: 1 (implicit Euler) or 2; the first step is of order 1, which costs no order of the whole. hold: as for
    GeneralizedAlpha. Steps may vary; order 2 is stable while a step is at most 2.4 times the one before.
    """

    order: int = quantity(default=2, at_least=1, at_most=2)
    hold: str = choice("all", "positions", default="all")
    tolerance: Tolerance = field(default_factory=Tolerance)
    multiplier_time = 1.0
    start_correction = 0.0
    newton = "full"
    coefficients = (0.0, 0.0, 1.0, 1.0)  # αm, αf, β, γ with which Newmark's formulas are plain differences

    @property
    def differences(self) -> int:
        """Their order."""
        return self.order

    @property
    def scheme(self) -> Scheme:
        """Everything at the end, as with generalized-α; ∂ẍ/∂x1 and ∂ẋ/∂x1 are those of a step of order 1."""
        return Scheme(assembly.END, 1.0, 1.0, 1.0, 0.5, polished=False, exact=False)

    def consistent(self, system: RunningSystem) -> bool:
        """Is there anything to make consistent at the end of a step?"""
        return holds_rates(self.hold, system)

    def steps_of(self, system: RunningSystem) -> type[CompiledSteps]:
        """With the length of the last step."""
        return DifferenceSteps

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """There is no step before the first one: its length is 0."""
        acceleration = state.memory.get("acceleration", np.zeros_like(state.x))
        spin = np.zeros((system.rows.bodies.shape[0], 3))
        lie.spins(system.rows, state.x, state.v, spin)
        state.memory = {
            "acceleration": acceleration.copy(),
            "previous v": state.v.copy(),
            "mean velocity": state.v.copy(),
            "spin rate": np.zeros_like(spin),
            "previous spin": spin,
            "mean spin": spin.copy(),
            "previous step": np.zeros(1),
        }

    def reach(self, h: float) -> float:
        """How far a unit of the unknown moves a place: places are the unknowns."""
        return 1.0

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s] in Python; of order 1 where a soft contact closes or opens in it.

        A point that is stopped by a stiff law within a step would have half of its velocity turned round by the place where it
        was a step before the last, and a body that lands on several such points could gain any energy.
        """
        step = _Differences(self, system, state, h, self.order)
        after, info = step.run()
        if step.back != 0.0 and step.contact is not None and _meets_or_parts(step.contact):
            after, info = _Differences(self, system, state, h, 1).run()
        return after, info


class _Differences(_Step):
    """The step of generalized-α with backward differences in place of Newmark's formulas."""

    def __init__(self, method: BDF, system: RunningSystem, state: State, h: float, order: int) -> None:
        super().__init__(method, system, state, h)
        self.pressing = ("end", 1.0, 0.0)
        before = float(state.memory["previous step"][0]) if order == 2 else 0.0
        w = h / before if before > 0.0 else 0.0
        self.now, self.back = (1.0 + 2.0 * w) / (1.0 + w) / h, w * w / (1.0 + w) / h  # factors of y1 − y0 and y₋₁ − y0
        self.means = w / (1.0 + w)  # of (y0 − y₋₁)/h₋₁ in the velocities
        self.rate, self.rate_dot = self.now, self.now**2
        self.inertia_scale = system.inertia_scale(state.x, h * state.v, self.rate_dot)
        system.driven_velocity(self.t1, self.v1)
        self._still, self._no_spin = np.zeros_like(state.x), np.zeros_like(self.spin0)
        self._driven = self.v1[~system.moving].copy()

    def evaluate(self, tangent: bool) -> None:
        """Residual (and tangent) at the current iterate."""
        memory, v0, still = self.state.memory, self.state.v, ~self.system.moving
        # x − x0 of free rows and log(R Rᵀ0) of bodies: Newmark's formulas from rest with β = γ = h = 1.
        lie.newmark_rates(
            self.system.rows, self.step, self.turn, self._still, self._still, self._no_spin, self._no_spin, 1.0, 1.0, 1.0,
            np.zeros_like(v0), self.a1, np.zeros_like(self.spin0), self.spin_a1, self.jacobians,
        )  # fmt: skip
        self.v1 = self.now * self.a1 - self.means * memory["mean velocity"]
        self.v1[still] = self._driven
        self.spin1 = self.now * self.spin_a1 - self.means * memory["mean spin"]
        self.acceleration = self.now * (self.v1 - v0) + self.back * (memory["previous v"] - v0)
        self.acceleration[still] = 0.0
        self.spin_dot = self.now * (self.spin1 - self.spin0) + self.back * (memory["previous spin"] - self.spin0)
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
            "previous v": self.state.v.copy(),
            "mean velocity": self.step / self.h,
            "spin rate": self.spin_dot,
            "previous spin": self.spin0,
            "mean spin": self.spin_a1 / self.h,
            "previous step": np.array([0.0 if struck else self.h]),
        }


def _meets_or_parts(contact: ContactStep) -> bool:
    """Did points meet or part in the step? Only models with contact load the room of contacts, which is large."""
    from condyle.contact.ending import meets_or_parts

    return meets_or_parts(contact)
