"""Energy–momentum stepping (Taylor 2000, §3; Simo and Wong 1991; Gonzalez 2000).

    m (v1 − v0)/h + Σ f^dg(x0, x1) + G(x_mid)ᵀ λ = f(t_mid),   x1 = x0 + ½ h (v0 + v1),   c(x1) = 0

acting on rows. Stored energies enter through the discrete gradient on the Gram matrix, rigid bodies through the map
δd = δθ × d at the mid configuration: total energy and both momenta are kept exactly, for any step that converges.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from condyle.errors import InputError
from condyle.integrators.balance import conserving_model, refuse_unbalanced
from condyle.integrators.compiled import CompiledMethod, CompiledSteps
from condyle.integrators.newton import Iterate, StepInfo, Tolerance
from condyle.integrators.step_tables import Scheme
from condyle.integrators.strategy import FullNewton, ModifiedNewton, given_strategy, newton_strategy
from condyle.integrators.tree_steps import TreeSteps, refuse_rows, rows_are_cheaper, why_not_in_joints
from condyle.model.part import Declared
from condyle.model.quantities import choice
from condyle.system import assembly
from condyle.system.fading import STRESS_MEMORY
from condyle.system.quasi_static import end_forces
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State

PRESSING = "pressing"  # forces on rows by contacts that press quasi-static bodies, at the end of the last step


@dataclass
class EnergyMomentum(CompiledMethod, metaclass=Declared):
    """Second order, conserves energy and momenta exactly.

    placement: where constraints and their gradients are taken (Taylor 2000, §7.1). 'conserving' (a) is the method;
    'midpoint' (b) and 'endpoint' (c) are the failing variants, for comparison only: (b) gains energy without bound, (c)
    loses momentum. They need the 'rows' formulation, where rigidity is a constraint too.

    coordinates: 'joints' steps trees of rigid bodies in the coordinates of their joints, without multipliers: the same motion
    and the same forces to round-off, two to three times faster; 'rows' solves for all bodies and multipliers; 'auto' takes
    joints where it can (`tree_steps.why_not_in_joints`) and where that is faster (`tree_steps.rows_are_cheaper`).

    newton: 'full' (`FullNewton`) factorises the tangent in every iteration; 'modified' (`ModifiedNewton`) keeps the factors
    of a step while the residual falls fast (not where there is contact).

    What is left of the residual in a step is what energy and momenta drift by, so a converged step is corrected once more
    with the factors at hand.
    """

    placement: str = choice("conserving", "midpoint", "endpoint", default="conserving")
    coordinates: str = choice("auto", "joints", "rows", default="auto")
    newton: str | FullNewton | ModifiedNewton = "full"
    tolerance: Tolerance = field(default_factory=Tolerance)
    multiplier_time = 0.5  # multipliers belong to mid-step
    start_correction = -1.0 / 12.0
    rate_start_correction = 1.0 / 8.0  # of constraints of velocities, which hold at mid-step

    @property
    def conserves(self) -> bool:
        """Is energy kept exactly, where the model allows it?"""
        return self.placement == "conserving"

    @property
    def label(self) -> str:
        return type(self).__name__

    def __post_init__(self) -> None:
        self.newton = given_strategy(self.newton)

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """x and v are all that matters; the mean velocity of the last step only makes a better first guess."""
        if self.placement != "conserving" and not system.identity:
            raise InputError(f"placement='{self.placement}' needs simulate(…, formulation='rows')")
        refuse_rows(self, system)
        state.memory = {"mean velocity": state.v.copy()}
        if system.contact is not None and system.contact.still:
            push = -system.contact.given_force(state, still=True)
            push[system.quasi_static] = 0.0
            state.memory[PRESSING] = push

    @property
    def scheme(self) -> Scheme:
        """Everything at mid-step: ∂ẍ/∂x1 = 2/h², ∂x/∂x1 = ½, ∂ẋ/∂x1 = 1/h."""
        return Scheme(assembly.CONSERVING, 0.5, 2.0, 1.0, 0.0, polished=True, exact=True)

    def why_in_python(self, system: RunningSystem) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        if self.placement != "conserving":
            return f"placement='{self.placement}' is for comparison"
        return "" if self.in_joints(system) else super().why_in_python(system)

    def in_joints(self, system: RunningSystem) -> bool:
        """Are steps taken in joint coordinates?"""
        if self.placement != "conserving" or self.coordinates == "rows" or why_not_in_joints(system):
            return False
        return self.coordinates == "joints" or not rows_are_cheaper(system)

    def steps_of(self, system: RunningSystem) -> type[CompiledSteps]:
        """The form in which steps of this system are compiled."""
        return TreeSteps if self.in_joints(system) else CompiledSteps

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s] in Python."""
        return self.iterate(system, state, h).run()

    def iterate(self, system: RunningSystem, state: State, h: float) -> _Step:
        """The unknowns of one step of length h [s], as sensitivities need them."""
        return _Step(self, system, state, h)


class _Step(Iterate):
    """One step: what is balanced is the mid configuration."""

    polished, bounded = True, True

    def __init__(self, method: EnergyMomentum, system: RunningSystem, state: State, h: float) -> None:
        scale = system.inertia_scale(state.x, h * state.v, 2.0 / h**2)
        super().__init__(
            system, state, system.stiffness(h, system.step), scale, method.tolerance, h, assembly.CONSERVING
        )
        self.share = newton_strategy(method.newton).share
        self.v0 = state.v
        self.t_mid = state.t + 0.5 * h
        self.loads = (system.amplitudes(self.t_mid), system.targets(state.t, state.t + h))
        self.quasi = system.quasi_static
        if self.quasi.size:
            self._begin_quasi_static()
        system.set_pace(2.0 / h)
        self.held_where = {"conserving": assembly.CONSERVING, "midpoint": assembly.MIDPOINT, "endpoint": assembly.END}[
            method.placement
        ]

    def run(self) -> tuple[State, StepInfo]:
        info = StepInfo()
        self.begin()
        self.balance(info)
        after = self.close()
        if self.contact is not None:
            self._stop(after)
        if self.held_where == assembly.CONSERVING and conserving_model(self.system):
            refuse_unbalanced(self.system, self.state, after, self.h, 0.5, info)
        return after, info

    def begin(self) -> None:
        """The first iterate."""
        # Go on with the acceleration of the last step; but velocities of stiff parts alternate about their mean from step to
        # step, so the mean predicts better there.
        mean, elastic = self.state.memory.get("mean velocity", self.v0), self.system.elastic_rows[:, None]
        self.predict(np.where(elastic, mean, 2.0 * self.v0 - mean), self.h, self.state.t + self.h)

    def close(self) -> State:
        """The state at the end of the balanced step."""
        h, t1 = self.h, self.state.t + self.h
        v1 = 2.0 / h * self.step - self.v0
        v1[self.quasi] = self.step[self.quasi] / h
        carried = {"mean velocity": self.step / h}
        if self.contact is not None and self.contact.problem.still:
            push, problem = self.contact.pressing_still(), RowProblem(self.system)
            problem.factor(self.x1, t1)
            more = self.contact.lag * (push - self.pressing)
            v1 -= h * problem.solve(-more, np.zeros(len(problem.system.multipliers)))[0]
            carried[PRESSING] = push
        return self.finished(t1, v1, carried, (self.state.t, t1))

    def _stop(self, state: State) -> None:
        """Where heavy bodies have met, they stay together; the next step is guessed from their velocities after that."""
        problem = RowProblem(self.system)
        problem.system.set_turns(state.turns)
        if self.contact is not None and self.contact.stop(problem, state, self.h):
            state.memory |= self.contact.memory(state.x)
            elastic, memory = self.system.elastic_rows[:, None], state.memory
            memory["mean velocity"] = np.where(elastic, memory["mean velocity"], state.v)

    def turns_after(self) -> np.ndarray:
        turns = self.system.turns_at(self.x1, self.state.turns)
        self.system.advance_states(0.5 * (self.x0 + self.x1), self.loads[0], 0.5, turns)
        return turns

    def _begin_quasi_static(self) -> None:
        """Quasi-static bodies are balanced at the end; rows with inertia feel the mean of their forces at both ends."""
        system = self.system
        end = system.end_channels
        self.loads[0][end] = self.loads[1][1][end]
        if system.fading:
            system.fading.at_rest(self.state.memory.get(STRESS_MEMORY))
        self.before = 0.5 * end_forces(system, self.state)  # at the start; then back to this step
        self.pressing = self.state.memory.get(PRESSING, np.zeros_like(self.x0))
        system.begin_step(self.state, self.h, assembly.CONSERVING)

    def evaluate(self, tangent: bool) -> None:
        """Residual (and tangent) at the current iterate."""
        h = self.h
        mid = 0.5 * (self.x0 + self.x1)
        rate = self.step / h
        acceleration = 2.0 / h * (rate - self.v0)
        applied = self.system.applied(self.t_mid, mid, rate)
        if self.quasi.size:
            end = self.system.applied(self.state.t + h, self.x1, rate)
            applied = applied - self.before
            if self.contact is not None:
                applied = applied + self.contact.lag * self.pressing
            applied[self.quasi] = end[self.quasi]
            acceleration[self.quasi] = 0.0
        loads = (applied, *self.loads)
        motion = (self.x0, self.x1, mid, rate, acceleration, self.x_old)
        held = (self.multipliers, *self.stiffness)
        factors = (2.0 / h**2, 0.5, 1.0 / h)
        self.system.assemble(
            motion, loads, held, assembly.CONSERVING, self.held_where, factors,
            (assembly.NO_MAP, assembly.NO_MAP), tangent, self.out,
        )  # fmt: skip
        self.add_contact(tangent, "conserving")
