"""A simulation that is stepped by hand: inputs are changed and outputs are read between steps.

    sim = cd.Simulation(model, dt=0.001)
    while sim.time < 2.0:
        sim.inputs["motor"] = 10.0 * (target - sim.coordinate("hinge.angle"))
        sim.step()

`condyle.simulate` is a loop around it. For use beside a clock, `sim.run(until, pace=1.0)` waits for real time and counts
the steps that came too late.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from condyle.errors import ConvergenceError, InputError
from condyle.integrators.callbacks import called
from condyle.integrators.energy_momentum import EnergyMomentum
from condyle.integrators.newton import StepFailed, StepInfo, refuse_turned
from condyle.integrators.quasi_static import accelerate, quasi_static_notes, settle
from condyle.model.model import Model
from condyle.model.part import did_you_mean
from condyle.system import assembly
from condyle.system.compile import compile
from condyle.system.fading import STRESS_MEMORY
from condyle.system.redundancy import find_redundant, redundancy_notes
from condyle.system.start import RowProblem, StartReport, consistent_state, correct_velocity
from condyle.system.state import State
from condyle.system.system import System

Array = NDArray[np.float64]
RUN = "run "  # names in a state's memory that belong to the run, not to the integrator
DEEPEST_CUT = 10  # a failed step is halved at most this often


class Integrator(Protocol):
    """Advances a state by one step. multiplier_time: where in the step multipliers belong (1: its end)."""

    @property
    def multiplier_time(self) -> float: ...

    @property
    def start_correction(self) -> float: ...

    def prepare(self, system: System, state: State, h: float) -> None: ...

    def step(self, system: System, state: State, h: float) -> tuple[State, StepInfo]: ...


class Inputs(MutableMapping[str, float]):
    """Values of loads, torques, motors and drives by the name of the part, in place of its function of time.

    Setting one holds it until it is changed; deleting it gives the function of time back.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self._channel = {name: k for k, name in enumerate(system.builder.function_owner)}

    def __setitem__(self, name: str, value: float) -> None:
        try:
            number = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            number = np.asarray(np.nan)
        if number.ndim or not np.isfinite(number):
            raise InputError(f"input '{name}' must be one finite number, not {value!r}")
        self._system.overrides[self._of(name)] = float(number)

    def __getitem__(self, name: str) -> float:
        channel = self._of(name)
        if channel not in self._system.overrides:
            raise KeyError(name)
        return self._system.overrides[channel]

    def __delitem__(self, name: str) -> None:
        del self._system.overrides[self._of(name)]

    def __iter__(self) -> Iterator[str]:
        return (name for name, channel in self._channel.items() if channel in self._system.overrides)

    def __len__(self) -> int:
        return len(self._system.overrides)

    def names(self) -> list[str]:
        """All parts whose value can be set."""
        return list(self._channel)

    def _of(self, name: str) -> int:
        if name not in self._channel:
            raise InputError(f"there is no input '{name}'{did_you_mean(name, self._channel)}")
        return self._channel[name]


class Memory(MutableMapping[str, Any]):
    """Numbers that a controller carries from step to step: part of the state, so that a resumed run has them too.

    Names are declared with `simulate(…, memory={'integral': 0.0})` or set before the first step.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    def __setitem__(self, name: str, value: Any) -> None:
        self._sim.state.memory[RUN + name] = np.asarray(value, dtype=float)

    def __getitem__(self, name: str) -> Any:
        value = self._sim.state.memory[RUN + name]
        return float(value) if value.ndim == 0 else value

    def __delitem__(self, name: str) -> None:
        del self._sim.state.memory[RUN + name]

    def __iter__(self) -> Iterator[str]:
        return (name.removeprefix(RUN) for name in self._sim.state.memory if name.startswith(RUN))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def positive(value: Any, what: str) -> float:
    """A positive number of seconds."""
    if not (_is_number(value) and value > 0):
        raise InputError(f"{what} must be a positive number [s], not {value!r}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))


def as_integrator(given: Any) -> Integrator:
    """An integrator, or the one of this name, as in 'HHT(alpha=0.2)'."""
    if isinstance(given, str):
        from condyle.integrators.registry import make_integrator

        made: Integrator = make_integrator(given)
        return made
    if isinstance(given, type):
        raise InputError(f"integrator is the class {given.__name__}; give one with its options: {given.__name__}()")
    if not (callable(getattr(given, "step", None)) and callable(getattr(given, "prepare", None))):
        raise InputError(f"integrator must be one such as GeneralizedAlpha(), or its name, not {given!r}")
    method: Integrator = given
    return method


class Simulation:
    """A model on its way through time. Parameters as for `condyle.simulate`; dt [s] is the default step."""

    def __init__(self, model: Model | System, *, dt: float, integrator: Integrator | str | None = None,
                 formulation: str = "tangent", start: str = "consistent", solver: str = "auto",
                 state: State | None = None) -> None:  # fmt: skip
        self.dt = positive(dt, "the step dt")
        self.method: Integrator = EnergyMomentum() if integrator is None else as_integrator(integrator)
        self.system = model if isinstance(model, System) else compile(model, formulation=formulation, solver=solver)
        self.system.overrides.clear()
        self.inputs = Inputs(self.system)
        self.start_report = StartReport()
        self.work = 0.0
        self.steps = 0
        if self.system.compiled.get("steps") is not None:
            self.system.compiled["steps"].reached = None  # nothing led here
        self.late_steps = 0
        self.system.step = self.dt
        self.stiffness = self.system.stiffness(self.dt)
        if state is None:
            state, self.start_report = consistent_state(self.system, start)
            if self.system.quasi_static.size:
                self.start_report.quasi_static = quasi_static_notes(self.system, self.method.multiplier_time)
                if start != "as-given":
                    settle(self.system, state)
            if start != "as-given":
                self.start_report.redundancy = redundancy_notes(self.system, state)
                self.system.redundant = bool(self.start_report.redundancy)
            touch = self._touch(state)
            if start == "consistent":
                if self.system.quasi_static.size or touch:
                    accelerate(self.system, state)
                if self.system.redundant:
                    state.multipliers = RowProblem(self.system).share(state.x, state.t, state.multipliers)
                correct_velocity(self.system, state, self.dt, self.method.start_correction)
            self.method.prepare(self.system, state, self.dt)
            if self.system.fading:
                state.memory[STRESS_MEMORY] = self.system.fading.empty(state.x)
            state.memory |= touch
        else:
            self.system.redundant = bool(find_redundant(self.system, state))
            self.method.prepare(self.system, state.copy(), self.dt)  # the integrator's own tables, not the state
        self.state = state
        self._angles: dict[str, float] = {}  # those that were read, as they were last
        self._paths: dict[str, Any] = {}  # readers of those that were read
        self.memory = Memory(self)

    def _touch(self, state: State) -> dict[str, Array]:
        """Put the memory of contacts into that of the start: what presses quasi-static bodies does so already."""
        if self.system.contact is None:
            return {}
        touch = self.system.contact.start(state, self.dt)
        state.memory |= touch
        return touch

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.state.t

    # --- stepping -----------------------------------------------------------------------------------------------------

    def step(self, dt: float | None = None) -> StepInfo:
        """One step; a step that does not converge is halved. ConvergenceError if that does not help."""
        h = self.dt if dt is None else positive(dt, "step: dt")
        try:
            info = self.advance(h)
        except StepFailed as failure:
            raise ConvergenceError(self.explain(failure, h), time=self.time, part=failure.part) from None
        return info

    def advance(self, h: float, depth: int = 0) -> StepInfo:
        """One step of length h, or two of half the length if it fails; StepFailed leaves the last good state."""
        if depth == 0:
            h = positive(h, "advance: h")
        before = self.state
        self.system.step_number = self.steps + 1
        try:
            after, info = self.method.step(self.system, before, h)
            refuse_turned(self.system, before.x, after.x)
        except StepFailed:
            if depth == DEEPEST_CUT:
                raise
            first = self.advance(0.5 * h, depth + 1)
            second = self.advance(0.5 * h, depth + 1)
            if depth == 0:
                self.steps += 1
            return StepInfo(first.iterations + second.iterations, second.residuals, first.cuts + second.cuts + 1)
        if info.work is None:
            info.work = external_work(self.system, before, after, h, self.method.multiplier_time)
        self.work += info.work
        after.memory |= {name: value for name, value in before.memory.items() if name.startswith(RUN)}
        self.state = after
        for name in self._angles:
            self.coordinate(name)
        for reader in self._paths.values():
            reader.at(after.x)
        if depth == 0:
            self.steps += 1
        return info

    def run(self, until: float, *, pace: float | None = None, each: Callable[[Simulation], Any] | None = None) -> None:
        """Step to `until` [s]; `each(sim)` is called after every step. pace: simulated seconds per second of the clock."""
        if not (_is_number(until) and until >= self.time):
            raise InputError(f"run: until must be a time [s] not before t = {self.time:g}, not {until!r}")
        if pace is not None:
            positive(pace, "run: pace")
        began, t0 = time.perf_counter(), self.time
        while self.time < until - 1e-9 * self.dt:
            self.step(min(self.dt, until - self.time))
            if each is not None:
                called("each", each, self)
            if pace is not None:
                ahead = (self.time - t0) / pace - (time.perf_counter() - began)
                if ahead > 0:
                    time.sleep(ahead)
                else:
                    self.late_steps += 1

    def explain(self, failure: StepFailed, h: float) -> str:
        """A failed step in a sentence."""
        where = f" at '{failure.part}'" if failure.part and failure.part not in str(failure) else ""
        return f"{failure}{where}, at t = {self.time:.6g}, even with the step cut to {h / 2**DEEPEST_CUT:.3g}"

    # --- reading ------------------------------------------------------------------------------------------------------

    def position(self, point: Any) -> Array:
        """Position of a point [m], shape (d,)."""
        return self.system.position(point).at(self.state.x)

    def velocity(self, point: Any) -> Array:
        """Velocity of a point [m/s], shape (d,)."""
        return self.system.position(point).at(self.state.v)

    def coordinate(self, name: str) -> float:
        """A joint coordinate [rad or m]; an angle is followed over full turns from its first reading on."""
        from condyle.laws.codes import ANGLE

        coordinate = self.system.coordinate(name)
        value = float(coordinate.at(self.state.x))
        if coordinate.kind == ANGLE:
            value += 2.0 * np.pi * round((self._angles.get(name, value) - value) / (2.0 * np.pi))
            self._angles[name] = value
        return value

    def coordinate_rate(self, name: str) -> float:
        """The rate of a joint coordinate [rad/s or m/s]."""
        return self.system.coordinate(name).rate(self.state.x, self.state.v)

    def path(self, part: Any) -> dict[str, float]:
        """Length, rate, tension and more of a muscle, ligament or force actuator now; by the names of `Result.path`."""
        from condyle.muscles.reading import PathReader, path_now, with_path

        found = with_path(self.system.model, part)
        if found.name not in self._paths:
            self._paths[found.name] = PathReader(found.terms(self.system.builder))
        return path_now(self.system, found, self._paths[found.name], self.state)

    def joint_force(self, name: str) -> Array:
        """The joint force on body b [N], shape (d,), from the last step."""
        at = [k for k, m in enumerate(self.system.multipliers) if m.part == name and m.component in ("x", "y", "z")]
        if len(at) != self.system.d:
            raise InputError(f"'{name}' has no joint force; see the multipliers of the result for what it has")
        return self.state.multipliers[at]

    def energy(self) -> dict[str, float]:
        """Kinetic, stored, gravity and total energy [J]."""
        return self.system.energy(self.state, self.stiffness)

    def scalars(self, info: StepInfo, h: float) -> dict[str, Any]:
        """What is recorded at every step."""
        self.system.set_turns(self.state.turns)
        linear, angular = self.system.momentum(self.state)
        return {
            **self.energy(),
            "work": self.work,
            "linear_momentum": linear,
            "angular_momentum": angular,
            "constraint_error": self.system.constraint_error(self.state.x, self.state.t),
            "iterations": info.iterations,
            "cuts": info.cuts,
            "step": h,
        }


def swelling_work(system: System, before: State, after: State) -> float:
    """Work [J] of the change of stress-free shapes over a step, which was taken with those that the table holds now."""
    energies = system.energies
    work = float(assembly.stored_energy(energies, before.x) - assembly.stored_energy(energies, after.x))
    for state, sign in ((after, 1.0), (before, -1.0)):
        system.swell(state.t)
        work += sign * float(assembly.stored_energy(energies, state.x))
    return work


def external_work(system: System, before: State, after: State, h: float, share: float) -> float:
    """Work [J] of loads, torques, dampers, drives and moving supports over a step.

    Forces are taken at its middle; exact for energy–momentum. To be called right after the step.
    """
    mid = 0.5 * (before.x + after.x)
    change = after.x - before.x
    work = -float(assembly.viscous_work(system.energies, before.x, after.x, h)) - system.drag_work(change, h)
    work += system.driving_work(before, after, change, share)
    if system.swelling:
        work += swelling_work(system, before, after)
    if system.builder.user_forces:
        t_mid = before.t + 0.5 * h
        work += float(np.sum((system.applied(t_mid, mid, change / h) - system.gravity(t_mid)) * change))
    if not system.forces.law.size:
        return work
    if system.has_states:
        system.set_turns(before.turns)
        system.set_pace(2.0 / h)
    q, scale = np.zeros_like(mid), np.zeros_like(mid)
    amplitudes = system.amplitudes(before.t + 0.5 * h)
    assembly.add_forces(
        system.forces, system.rows, mid, change / h, after.x, amplitudes, 0.5, 1.0 / h, assembly.NO_MAP, False, q,
        scale, system.scratch.A,
    )  # fmt: skip
    return work - float(np.sum(q * change))
