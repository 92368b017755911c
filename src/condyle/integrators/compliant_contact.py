"""Contact in first-order steps: the step's linear equations, and the conditions of contact at its end.

    A u + Σ f_c(x1) = b,   gap(x1) ≥ 0 ⊥ λ ≥ 0,   friction by return mapping

A and b are those of the step without contact: elasticity stays linearised, as the method wants it. What contact adds is found
at the end of the step by a semismooth Newton iteration (`contact/step.py`), so that a gap is held as a place, not as a
velocity, and a soft law is stable however stiff it is (hewlett-2020, section 6.4.2, has the same rows with a box of friction
in place of the cone).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.balance import EnergyWarning
from condyle.integrators.first_order_contact import FORCE, ITERATIONS, LENGTH
from condyle.integrators.newton import ROUND_OFF, StepFailed
from condyle.system import assembly
from condyle.system.linear import SingularMatrixError
from condyle.system.running import RunningSystem
from condyle.system.start import RowProblem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]
CREATED = 0.5  # of the largest energy: a landing with h ω = 0.7 creates that much


def solve_with_contact(
    system: RunningSystem, contact: ContactStep, A: Array, rhs: Array, x: Array
) -> tuple[Array, Array, int]:
    """The motion u (unknowns,) of the step, rows at its end (n, d), and how many iterations it took.

    A, rhs: the step without contact; x: rows from which it moves.
    """
    first: StepFailed | None = None
    iterations = 0
    while True:
        try:
            u, x1, count = _iterate(system, contact, A, rhs, x)
            return u, x1, iterations + count
        except StepFailed as failure:
            first, iterations = first or failure, iterations + ITERATIONS
            if not contact.guess():  # of what sticks
                raise first from None


def after_impacts(system: RunningSystem, contact: ContactStep, state: State, h: float) -> None:
    """Velocities of a state at the end of a step after its impacts, with restitution and the friction that belongs to them."""
    problem = RowProblem(system)
    problem.system.set_turns(state.turns)
    contact.stop(problem, state, h)


class ExplicitPush:
    """The energy that forces of soft contacts, taken at the start of a step, create where it does not resolve them."""

    def __init__(self) -> None:
        self.created, self.most, self.warned = 0.0, 0.0, False  # [J]

    def account(self, system: RunningSystem, before: State, after: State, push: Array) -> None:
        """Work of the forces on rows (n, d) over a step, less what the contacts give back; EnergyWarning if it is much."""
        contact = system.contact
        assert contact is not None
        self.created += float(np.sum(push * (after.x - before.x))) + contact.stored(after) - contact.stored(before)
        self.most = max(self.most, contact.kinetic(before.v), contact.stored(after))
        if self.created > CREATED * self.most and not self.warned:
            self.warned = True
            warnings.warn(
                f"contact at the start of the step has created {self.created:.3g} J by t = {after.t:.4g}, "
                f"{self.created / self.most:.2g} of the largest energy: its laws are too stiff for the step; take a smaller "
                "dt, or Compliant(contact='implicit')",
                EnergyWarning,
                stacklevel=2,
            )


def _iterate(system: RunningSystem, contact: ContactStep, A: Array, rhs: Array, x: Array) -> tuple[Array, Array, int]:
    out, n = system.buffers(), system.motion_unknowns
    pattern = system.pattern
    rows, x1, u = pattern.rows(), x.copy(), np.zeros(system.unknowns)
    unit, levers = system.unit_of_unknown, system.levers[:n]
    for iteration in range(1, ITERATIONS + 1):
        for array in out:
            array[:] = 0.0
        contact.evaluate(contact.x0, x1, True, out)
        linear = np.bincount(rows, weights=A * u[pattern.indices], minlength=system.unknowns)
        left = rhs - linear
        left[:n] -= out.r[:n]
        size = np.abs(rhs[:n]) + np.abs(linear[:n]) + out.r_scale[:n]
        level = np.array([size[unit == k].max(initial=0.0) for k in range(int(unit.max(initial=0)) + 1)])
        noise = out.r_noise[:n] + levers * (size / levers).max(initial=0.0)  # of moments, that of forces times levers
        allowed = FORCE * level[unit] + ROUND_OFF * noise
        within = bool((np.abs(left[:n]) <= allowed).all()) and contact.merit(LENGTH)[0] <= 1.0
        if within and iteration > 1:
            return u, x1, iteration - 1
        try:
            contact.factor(A + out.A)
            du = contact.correction(left)
        except SingularMatrixError as error:
            if contact.pull_together():
                continue
            part = contact.problem.owner(error.unknown) if error.unknown is not None else ""
            raise StepFailed("the equations are singular", part) from None
        message = contact.watch()
        if message:
            raise StepFailed(message)
        factor = contact.damping
        contact.remember()
        contact.apply(du, factor)
        u += factor * du[: system.unknowns]
        assembly.move(system.rows, factor * du[: system.unknowns], x1)
        if not np.isfinite(x1).all():
            raise StepFailed("contact pushes a body out of reach")
    raise StepFailed(f"the conditions of contact were not met in {ITERATIONS} iterations")
