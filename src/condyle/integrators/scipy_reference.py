"""SciPy's solvers as references: explicit, implicit and multistep methods with error control, on the index-1 form."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import ConvergenceError, InputError
from condyle.integrators.index_one import PartitionedForm, RowForm
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.quasi_static import refuse_memory
from condyle.model.part import Declared
from condyle.model.quantities import choice, quantity
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.velocity_rows import refuse_rates

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]
SCIPY, OWN = "scipy.integrate", "condyle.integrators.stiff_solvers"
# The modules of the solvers, which take long to load, so that only a run by one of them does so.
SOLVERS = dict.fromkeys(("RK45", "DOP853", "Radau", "BDF", "LSODA"), SCIPY)
SOLVERS |= dict.fromkeys(("Rosenbrock23", "Trapezoidal", "TRBDF2"), OWN)
METHODS = (*SOLVERS, "VODE-Adams")
STABILISATIONS = ("projection", "baumgarte", "partitioning")
SPENT = "evaluations"  # among what a run keeps
MOST_STEPS = 200_000  # of the solver within one step of the run


@dataclass
class ScipyReference(metaclass=Declared):
    """A solver of SciPy with error control; the step of the run only says where states are wanted.

    method: 'RK45', 'DOP853' (explicit Runge–Kutta, orders 5 and 8), 'Radau', 'BDF' (implicit), 'LSODA' (switches by
    itself), 'VODE-Adams', or one of the stiff solvers that SciPy lacks (`stiff_solvers`), all of order 2: 'Rosenbrock23'
    (linearly implicit), 'Trapezoidal' (undamped), 'TRBDF2' (damped). rtol, atol: local error of each coordinate and rate;
    atol is by default rtol times the size of the model [m] (1 for directions), rates per second.

    stabilisation: 'projection' puts positions and velocities back onto the constraints at the end of every step of the
    run; 'baumgarte' adds 2 alpha ċ + beta² c (alpha, beta [1/s]) to the acceleration constraints; 'partitioning'
    integrates independent coordinates, finds the others from the constraints, and chooses anew when it must. evaluations: of
    the accelerations, at most in one run; a run that would need more ends with an error.

    Contacts press by soft laws only. Those with friction, and laws that remember an impact, need 'projection'.

    A State is complete: going on from a saved one starts a new solver there and gives the same motion within the
    tolerance, though not bit for bit, because an uninterrupted run keeps its solver (with its order, step and history)
    from step to step. Only with 'projection' every step starts a new solver, and a restart is exact.
    """

    method: str = choice(*METHODS, default="DOP853")
    rtol: float = quantity(default=1e-10, above=1e-14, below=1.0)
    atol: float | None = quantity(default=None, above=0.0)
    stabilisation: str = choice(*STABILISATIONS, default="projection")
    alpha: float = quantity("1/s", default=10.0, at_least=0.0)
    beta: float = quantity("1/s", default=10.0, at_least=0.0)
    evaluations: int = quantity(default=5_000_000, at_least=1)
    multiplier_time = 1.0
    start_correction = 0.0
    adaptive = True  # the error does not depend on the step of the run

    def __post_init__(self) -> None:
        self._spent = 0

    @property
    def explicit(self) -> bool:
        """Do its steps follow the fastest oscillation?"""
        return self.method in ("RK45", "DOP853", "VODE-Adams")

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """A new run."""
        system.refuse_states("ScipyReference")
        refuse_memory(system, "ScipyReference")
        if system.contact is not None:
            system.contact.without_multipliers(f"ScipyReference('{self.method}')")
            self._refuse_past(system.contact)
        if self.stabilisation == "partitioning":
            refuse_rates(system, "ScipyReference with stabilisation='partitioning'")
        system.kept.pop(_Running, None)
        system.kept[SPENT] = self._spent = 0
        acceleration = state.memory.get("acceleration", np.zeros_like(state.x))
        state.memory = {"acceleration": acceleration, "internal step": np.zeros(1)}

    def _refuse_past(self, contact: ContactProblem) -> None:
        """A solver that runs ahead of the steps of the run must not meet laws that remember where those steps ended."""
        for pair in contact.pairs if self.stabilisation != "projection" else ():
            if pair.rub is not None or pair.law.remembers:
                what = type(pair.law if pair.rub is None else pair.rub).__name__
                raise InputError(
                    f"ScipyReference: {what} of contact '{pair.name}' remembers what happened in earlier steps; use "
                    "stabilisation='projection', whose solvers end with each step"
                )

    @property
    def spent(self) -> int:
        """Evaluations of the accelerations so far, of the run that was stepped last."""
        return self._spent

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], in as many of the solver as it needs."""
        running: _Running | None = system.kept.pop(_Running, None)  # lost if the step fails
        contact = None if system.contact is None else system.contact.step(state, h)
        if running is None or not running.goes_on(system, state):
            running = _Running(self, system, state, h, contact)
        running.touching(contact)
        t = state.t + h
        running.counted = running.form.evaluations
        z = running.reach(t)
        system.kept[SPENT] = self._spent = running.spent
        form = running.form  # may be another one than before
        x, v = form.unpack(t, z)
        if self.stabilisation == "projection":
            form.plain.set_turns(form.turns)
            form.problem.project_position(x, t)
            form.problem.project_velocity(x, v, t)
        turns = system.turns_at(x, form.turns)
        acceleration, multipliers = form.acceleration(t, x, v)
        memory = {"acceleration": acceleration, "internal step": np.array([running.last_step])}
        memory |= {} if contact is None else contact.memory(x)
        shared = system.reported_multipliers(form.problem.shared(multipliers), system.stiffness(1e-3), (x, x), (t, t))
        after = State(t, x, v, shared, memory, turns)
        if self.stabilisation != "projection":
            system.kept[_Running] = running.until(after)
        return after, StepInfo()


class _Running:
    """A solver under way. It may be ahead of the state that was last asked for."""

    def __init__(
        self, method: ScipyReference, system: RunningSystem, state: State, h: float, contact: ContactStep | None
    ) -> None:
        self.method, self.system, self.horizon = method, system, state.t + h
        self.inputs = dict(system.overrides)
        self.last_step = float(state.memory.get("internal step", np.zeros(1))[0])
        self.solver: Any = None
        self.counted = 0  # evaluations of the form that belong to earlier steps
        self.contact = contact
        self._open(state)
        self.until(state)

    def _open(self, state: State) -> None:
        """Form and solver that start at a state."""
        method = self.method
        if method.stabilisation == "partitioning":
            self.form: RowForm = PartitionedForm(self.system, state)
        elif method.stabilisation == "baumgarte":
            self.form = RowForm(self.system, state, method.alpha, method.beta)
        else:
            self.form = RowForm(self.system, state)
        self.form.contact = self.contact
        z = self.form.pack(state.x, state.v)
        self.t0, self.z0 = state.t, z
        atol = self.form.tolerances(method.rtol if method.atol is None else method.atol)
        # Where every step of the run ends with a projection, there is nothing to compute beyond it.
        bound = self.horizon if method.stabilisation == "projection" else state.t + 1e6
        first = {"first_step": min(self.last_step, bound - state.t)} if self.last_step > 0.0 else {}
        if not z.size:
            return
        if method.method == "VODE-Adams":
            self.solver = import_module(SCIPY).ode(self.form.rate)
            self.solver.set_integrator("vode", method="adams", rtol=method.rtol, atol=atol, nsteps=MOST_STEPS, **first)
            self.solver.set_initial_value(z, state.t)
            return
        solver: Any = getattr(import_module(SOLVERS[method.method]), method.method)
        self.solver = solver(self.form.rate, state.t, z, bound, rtol=method.rtol, atol=atol, **first)

    def touching(self, contact: ContactStep | None) -> None:
        """The contacts of the step of the run that is to come."""
        self.contact = self.form.contact = contact

    def goes_on(self, system: RunningSystem, state: State) -> bool:
        """Is this the state the solver came to, with the same inputs?"""
        same = system is self.system and state.x is self.reached.x and state.v is self.reached.v
        return same and abs(state.t - self.reached.t) <= 1e-9 and system.overrides == self.inputs

    @property
    def spent(self) -> int:
        """Evaluations of the accelerations in this run so far."""
        before: int = self.system.kept.get(SPENT, 0)
        return before + max(0, self.form.evaluations - self.counted)

    def until(self, state: State) -> _Running:
        """Remember the state that was handed out."""
        self.reached = state
        return self

    def reach(self, t: float) -> Array:
        """z at time t."""
        if self.solver is None:
            return self.z0
        if self.method.method == "VODE-Adams":
            return self._reach_with_vode(t)
        slack = 1e-12 * max(abs(t), 1e-3)
        for _ in range(MOST_STEPS):
            solver = self.solver
            if solver.t >= t - slack:
                break
            message = solver.step()
            self._check_spent(solver.t)
            if solver.status == "failed":
                raise StepFailed(f"{self.method.method} gave up: {message}")
            self.last_step = float(solver.step_size)
            if not self.form.accepted(solver.t, solver.y) and solver.t < t:
                self._reopen(solver.t, solver.y)
        else:
            raise StepFailed(f"{self.method.method} needs more than {MOST_STEPS} steps for one step of the run")
        if abs(self.solver.t - t) <= slack:
            return np.array(self.solver.y)
        return np.array(self.solver.dense_output()(t))

    def _check_spent(self, t: float) -> None:
        method = self.method
        if self.spent > method.evaluations:
            raise ConvergenceError(
                f"{method.method} has taken {method.evaluations:g} evaluations to t = {t:.6g}: the model is stiff for "
                "it; take Radau or an integrator of Condyle, or allow more with evaluations=…",
                time=t,
            )

    def _reach_with_vode(self, t: float) -> Array:
        z = np.array(self.solver.integrate(t))
        self._check_spent(t)
        if not self.solver.successful():
            raise StepFailed(f"VODE-Adams gave up with code {self.solver.get_return_code()}")
        if not self.form.accepted(t, z):
            self._reopen(t, z)
            return self.z0
        return z

    def _reopen(self, t: float, z: Array) -> None:
        """A new solver at the place reached, with what now suits best as independent coordinates."""
        x, v = self.form.unpack(t, z)
        self._open(State(t, x, v, np.zeros(0), turns=self.form.turns))
