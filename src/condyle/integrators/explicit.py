"""Explicit Runge–Kutta methods on the accelerations of the constrained system.

Trees of rigid bodies are stepped in the coordinates of their joints (`joint_steps.py`). All others are in row form:
m a + Gᵀ λ = f, G a = −γ, solved at every stage; after each step positions and velocities are put back onto the constraints.
That is slow, but accurate enough to judge the other methods by.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.errors import AssemblyError, InputError
from condyle.integrators.explicit_steps import ExplicitSteps
from condyle.integrators.joint_kernels import MOST_SWEEPS, stands_still
from condyle.integrators.joint_steps import JointSteps
from condyle.integrators.newton import StepFailed, StepInfo, refuse_inverted
from condyle.integrators.quasi_static import refuse_memory
from condyle.integrators.row_steps import RowSteps, why_in_python
from condyle.model.part import Declared
from condyle.model.quantities import choice, quantity
from condyle.system.linear import SingularMatrixError
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]
NO_SWEEPS = "the sweeps over the stages of a step do not converge; take a smaller dt"
MOST_CONDITIONS = 200  # of loops, which are solved for with a full matrix
UNSTABLE = "the explicit method is unstable at this step; take a smaller dt"


CLASSICAL = (
    np.array([[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
    np.array([1.0, 2.0, 2.0, 1.0]) / 6.0,
    np.array([0.0, 0.5, 0.5, 1.0]),
)


def butcher(order: int) -> tuple[Array, Array, Array]:
    """Coefficients, weights and nodes: the classical method of order 4, Dormand and Prince's of order 8 (hairer-1993)."""
    if order == 4:
        return CLASSICAL
    from scipy.integrate import DOP853

    return DOP853.A[:12, :12], DOP853.B, DOP853.C[:12]


def gauss(stages: int) -> tuple[Array, Array, Array]:
    """Coefficients, weights and nodes of collocation at the points of Gauss, of order 2 · stages (hairer-2006)."""
    at, weights = np.polynomial.legendre.leggauss(stages)
    nodes, powers = 0.5 * (1.0 + at), np.arange(stages)
    # Integrals from 0 to the nodes of the polynomials that are one at one node and zero at the others.
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    return integrals @ np.linalg.inv(nodes[:, None] ** powers), 0.5 * weights, nodes


EXPLICIT = "explicit steps"  # among what a run keeps


@dataclass
class _Run:
    """The data of one run: the saddle-point problem of all stages, and what stays the same within a step."""

    problem: RowProblem
    turns: Array = field(default_factory=lambda: np.zeros(0))
    contact: ContactStep | None = None
    rows: dict[tuple[str, int], RowSteps] = field(default_factory=dict)  # compiled ones by method and order


class ExplicitMethod:
    """What explicit methods share: accelerations at a stage, and the state at the end of a step."""

    explicit = True
    multiplier_time = 1.0
    start_correction = 0.0

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Make the one saddle-point problem that is factorised at every stage."""
        name = type(self).__name__
        system.refuse_states(name)
        refuse_memory(system, name)
        if system.contact is not None:
            system.contact.without_multipliers(name)
        system.kept.pop(EXPLICIT, None)

    def _begin(self, system: RunningSystem, state: State, h: float) -> _Run:
        """What stays the same within a step: angles to count turns from, and what contacts remember."""
        run = system.keep(EXPLICIT, lambda: _Run(RowProblem(system)))
        run.turns = state.turns
        run.contact = system.contact.step(state, h) if system.contact is not None else None
        return run

    def _finished(
        self, run: _Run, state: State, h: float, x: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[State, StepInfo]:
        turns, reactions = run.problem.outer.turns_at(x, state.turns), run.problem.shared(multipliers)
        memory = {"acceleration": acceleration} | ({} if run.contact is None else run.contact.memory(x))
        name = type(self).__name__
        return State(state.t + h, x, v, reactions, memory, turns), StepInfo(
            iterations=0, in_python=f"{name} is not compiled"
        )

    def _settle(self, run: _Run, t: float, x1: Array, v1: Array) -> None:
        system = run.problem.outer
        if not _is_sound(system, x1):
            raise StepFailed(UNSTABLE)
        system.place_driven(t, x1)
        system.driven_velocity(t, v1)
        _close(run, t, x1, v1)

    def _acceleration(self, run: _Run, t: float, x: Array, v: Array) -> tuple[Array, Array]:
        system = run.problem.outer
        state = State(t, x.copy(), v.copy(), np.zeros(0), turns=run.turns)
        system.place_driven(t, state.x)
        system.driven_velocity(t, state.v)
        try:
            push = None if run.contact is None else run.contact.force_at(state.x, state.v)
            acceleration, multipliers = run.problem.acceleration(state, push)
            found = bool(np.isfinite(acceleration).all())
        except SingularMatrixError:
            found = False
        if not found:
            refuse_inverted(system, state.x, state.x)
            raise StepFailed("the accelerations are not determined; take a smaller dt")
        return acceleration, multipliers


@dataclass
class RungeKutta(ExplicitMethod, metaclass=Declared):
    """Order 4 or 8, explicit: the step must resolve the fastest oscillation of the model.

    order: 4, the classical method, or 8, twelve stages of Dormand and Prince. coordinates: 'joints' steps rigid bodies in the
    coordinates of their hinges and ball joints, many times faster, with joints that are closed to round-off; loops and other
    conditions are held by multipliers there; 'rows' solves for all rows and multipliers; 'auto' takes joints where the model
    consists of rigid bodies that are held exactly, with contacts that kernels know if any, and has not too many loops.
    """

    order: int = 4
    coordinates: str = choice("auto", "joints", "rows", default="auto")

    def __post_init__(self) -> None:
        if self.order not in (4, 8):
            raise InputError(f"RungeKutta: order must be 4 or 8, not {self.order!r}")

    @property
    def tableau(self) -> tuple[Array, Array, Array]:
        """Coefficients, weights and nodes of its stages."""
        return butcher(self.order)

    @property
    def label(self) -> str:
        return type(self).__name__

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        why = why_no_joints(system) if self.coordinates == "joints" else ""
        if why:
            raise InputError(f"{self.label}(coordinates='joints'): {why}; take coordinates='auto' or 'rows'")

    def compiled(self, system: RunningSystem, *, in_rows: bool = False) -> ExplicitSteps | None:
        """Compiled steps, in joint coordinates or in rows; None where they are taken in Python.

        in_rows: only if many may be taken at once.
        """
        if in_rows and type(self).step is not RungeKutta.step:
            return None
        joints = self._joints(system)
        if joints is not None:
            return joints
        rows = self._in_rows(system)
        return None if rows is None or (in_rows and not rows.many) else rows

    def _joints(self, system: RunningSystem) -> JointSteps | None:
        """Steps in joint coordinates; None where they are taken in row form."""
        if self.coordinates == "rows" or not self._in_joints(system):
            return None
        return system.compiled(("joints", self.label, self.order), lambda: JointSteps(system, *self.tableau))

    def _in_joints(self, system: RunningSystem) -> bool:
        """Are steps taken in joint coordinates? Where loops are many, rows are cheaper."""
        if why_no_joints(system):
            return False
        return self.coordinates == "joints" or system.closing.channel.size <= MOST_CONDITIONS

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], in compiled code where that is possible."""
        joints = self._joints(system)
        why = ""
        if joints is not None:
            in_joints = joints.step(state, h)
            if in_joints is not None and _is_sound(system, in_joints[0].x):
                return in_joints
            why = joints.why_in_python
            if not why:
                raise StepFailed(NO_SWEEPS if joints.sweeps else UNSTABLE)
        rows = self._in_rows(system)
        if rows is not None:
            in_rows = rows.step(state, h)
            if in_rows is not None and _is_sound(system, in_rows[0].x):
                return in_rows
            why = why or rows.why_in_python  # Python finds out what has gone wrong
        run = self._begin(system, state, h)
        after, info = self._step_in_python(run, state, h)
        info.in_python = why or why_in_python(run.problem)
        return after, info

    def _in_rows(self, system: RunningSystem) -> RowSteps | None:
        """Compiled steps in row form; None where they are taken in Python."""
        run = system.keep(EXPLICIT, lambda: _Run(RowProblem(system)))
        if why_in_python(run.problem):
            return None
        key = self.label, self.order
        if key not in run.rows:
            run.rows[key] = RowSteps(run.problem, *self.tableau)
        return run.rows[key]

    def _step_in_python(self, run: _Run, state: State, h: float) -> tuple[State, StepInfo]:
        """One step in row form, stage by stage."""
        x, v, t = state.x, state.v, state.t
        coefficients, weights, nodes = self.tableau
        speeds, accelerations = np.zeros((2, weights.size, *x.shape))
        sweeps = bool(coefficients[0].any())  # its stages depend on later ones
        if sweeps:
            speeds[:], accelerations[:] = v, self._acceleration(run, t, x, v)[0]
        last = np.inf
        for _ in range(MOST_SWEEPS):
            before = accelerations.copy()
            for k, node in enumerate(nodes):
                known = slice(None) if sweeps else slice(k)
                there = x + h * np.tensordot(coefficients[k, known], speeds[known], 1)
                speeds[k] = v + h * np.tensordot(coefficients[k, known], accelerations[known], 1)
                accelerations[k] = self._acceleration(run, t + node * h, there, speeds[k])[0]
            change, size = np.abs(accelerations - before).sum(), (np.abs(accelerations) + np.abs(speeds) / h).sum()
            if not sweeps or stands_still(change, size, last):
                break
            last = change
        else:
            raise StepFailed(NO_SWEEPS)
        x1, v1 = x + h * np.tensordot(weights, speeds, 1), v + h * np.tensordot(weights, accelerations, 1)
        self._settle(run, t + h, x1, v1)
        return self._finished(run, state, h, x1, v1, *self._acceleration(run, t + h, x1, v1))


@dataclass
class Gauss(RungeKutta):
    """Collocation at the points of Gauss, of order 4, 6 or 8: symmetric in time, so that energy does not drift away.

    The equations of a step are solved by sweeps over its stages until nothing changes any more, not by Newton's method. So the
    step must resolve the fastest oscillation of the model as with `RungeKutta`, whose order 8 takes fewer evaluations for the
    same error; over many periods this method keeps the energy better. coordinates: as there.
    """

    def __post_init__(self) -> None:
        if self.order not in (4, 6, 8):
            raise InputError(f"Gauss: order must be 4, 6 or 8, not {self.order!r}")

    @property
    def tableau(self) -> tuple[Array, Array, Array]:
        return gauss(self.order // 2)


def why_no_joints(system: RunningSystem) -> str:
    """Why steps of a system are not taken in joint coordinates; empty if they can be."""
    if system.why_no_tree or system.contact is None:
        return system.why_no_tree
    return system.contact.why_not_compiled(balances_end=False, consistent=False)


def _close(run: _Run, t: float, x: Array, v: Array) -> None:
    """Put a state at the end of a step back onto the constraints; a step that went too far for that has failed."""
    try:
        run.problem.project_position(x, t)
        run.problem.project_velocity(x, v, t)
    except AssemblyError as error:
        raise StepFailed(f"{UNSTABLE} ({str(error).rpartition(': ')[2]})") from None


def _is_sound(system: RunningSystem, x: Array) -> bool:
    """Are rows finite and not far beyond the model?"""
    return bool(np.isfinite(x).all() and (np.abs(x) / system.rows.size[:, None]).max() < 1e6)


@dataclass
class ExplicitEuler(ExplicitMethod, metaclass=Declared):
    """Euler's forward method, x1 = x0 + h v0, v1 = v0 + h a0, with positions and velocities put back onto the constraints.

    Of first order, and what oscillates gains energy at every step, however small. A comparator only.
    """

    order = 1

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        run = self._begin(system, state, h)
        before, _ = self._acceleration(run, state.t, state.x, state.v)
        return self._moved(run, state, h, state.x + h * state.v, state.v + h * before)

    def _moved(self, run: _Run, state: State, h: float, x1: Array, v1: Array) -> tuple[State, StepInfo]:
        """The end of a step at x1, v1, which are put onto the constraints; accelerations and multipliers there."""
        self._settle(run, state.t + h, x1, v1)
        found = self._acceleration(run, state.t + h, x1, v1)
        return self._finished(run, state, h, x1, v1, *found)


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
        run = self._begin(system, state, h)
        t1, before = state.t + h, state.memory["acceleration"]
        x1, v1 = state.x + h * state.v + 0.5 * h * h * before, state.v + h * before
        self._settle(run, t1, x1, v1)
        for _ in range(2):
            after, _ = self._acceleration(run, t1, x1, v1)
            v1 = state.v + h * ((1.0 - self.gamma) * before + self.gamma * after)
            system.driven_velocity(t1, v1)
            run.problem.project_velocity(x1, v1, t1)
        return self._moved(run, state, h, x1, v1)

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        run = self._begin(system, state, h)
        state.memory = {"acceleration": self._acceleration(run, state.t, state.x, state.v)[0]}


@dataclass
class IteratedNewmark(ExplicitMethod, metaclass=Declared):
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
        run = self._begin(system, state, h)
        state.memory = {"acceleration": self._acceleration(run, state.t, state.x, state.v)[0]}

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        x, v, t1 = state.x, state.v, state.t + h
        run = self._begin(system, state, h)
        before = state.memory["acceleration"]
        after, reach = before, self.tolerance * system.size
        last = np.inf
        for count in range(1, self.iterations + 1):
            x1, v1 = x + h * v + 0.25 * h * h * (before + after), v + 0.5 * h * (before + after)
            found, multipliers = self._acceleration(run, t1, x1, v1)
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
        _close(run, t1, x1, v1)
        memory = {"acceleration": after} | ({} if run.contact is None else run.contact.memory(x1))
        new = State(t1, x1, v1, run.problem.shared(multipliers), memory, system.turns_at(x1, state.turns))
        return new, StepInfo(iterations=count)
