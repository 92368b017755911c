"""A simulation whose steps a script takes one by one, changing inputs and reading outputs between them.

    sim = cd.Simulation(model, dt=0.001)
    while sim.time < 2.0:
        sim.inputs["motor"] = 10.0 * (target - sim.coordinate("hinge.angle"))
        sim.step()

`condyle.simulate` is a loop around it. For use beside a clock, `sim.run(until, pace=1.0)` waits for real time and counts
the steps that came too late.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from condyle.errors import ConvergenceError, InputError
from condyle.integrators.account import ERROR, GRAVITY, KINETIC, STORED, TOTAL
from condyle.integrators.balance import Watch, level_after
from condyle.integrators.energy_momentum import EnergyMomentum
from condyle.integrators.hooks import called
from condyle.integrators.newton import StepFailed, StepInfo, refuse_inverted, refuse_passed
from condyle.integrators.quasi_static import accelerate, quasi_static_notes, settle
from condyle.integrators.work import external_work
from condyle.laws import precompile
from condyle.model.model import Model
from condyle.model.part import did_you_mean
from condyle.model.point import Point, as_point
from condyle.system.compile import running
from condyle.system.fading import STRESS_MEMORY
from condyle.system.redundancy import find_redundant, redundancy_notes
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.start import StartReport, consistent_state, correct_velocity, picked_state
from condyle.system.state import LOAD_TIME, State
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.model.given import Json, NumbersLike, PartLike, PointLike, VectorLike
    from condyle.results.result import Result

Array = NDArray[np.float64]
# Names in a state's memory that belong to the run, or to contacts, not to the integrator.
RUN, CONTACT = "run ", "contact "
UNFIT = 0.05  # of the speed (of the size): a state whose velocities (places) miss the constraints by more was changed
AT_ONCE = (
    0.01  # of that: so small a miss is seen from the rates of constraints, without solving for velocities that fit
)
DEEPEST_CUT = 10  # a failed step is halved at most this often


class Integrator(Protocol):
    """Advances a state by one step. multiplier_time: where in the step multipliers belong (1: its end).

    A method with compiled steps also has `compiled(system, in_rows=…)`, which gives them (`compiled.CompiledMethod`).
    """

    @property
    def multiplier_time(self) -> float: ...

    @property
    def start_correction(self) -> float: ...

    def prepare(self, system: RunningSystem, state: State, h: float) -> None: ...

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]: ...


class Inputs(MutableMapping[str, float]):
    """Values of loads, torques, motors and drives by the name of the part, in place of its function of time.

    Setting one holds it until it is changed; deleting it gives the function of time back.
    """

    def __init__(self, system: RunningSystem) -> None:
        self._system = system
        self._channel = {name: k for k, name in enumerate(system.function_owner)}

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

    def __setitem__(self, name: str, value: object) -> None:
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


@contextmanager
def objects_set_aside() -> Iterator[None]:
    """Python looks for garbage among new objects alone: to go through all of them takes longer than a step at 60 Hz."""
    ours = gc.get_freeze_count() == 0
    if ours:
        gc.freeze()
    try:
        yield
    finally:
        if ours:
            gc.unfreeze()


def positive(value: Any, what: str) -> float:
    """A positive number of seconds."""
    if not (_is_number(value) and value > 0):
        raise InputError(f"{what} must be a positive number [s], not {value!r}")
    return float(value)


def _is_number(value: object) -> bool:
    if type(value) is float:  # as nearly always, in every step
        return math.isfinite(value)
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
    """A model on its way through time. Parameters as for `condyle.simulate`; dt [s] is the default step.

    model: a Model, or a System (`condyle.compile`), which any number of simulations share. `system` is the system with the
    data of this run.
    """

    def __init__(self, model: Model | System, *, dt: float, integrator: Integrator | str | None = None,
                 formulation: str = "tangent", start: str = "consistent", solver: str = "auto",
                 state: State | Result | None = None, energy_tolerance: float | None = None) -> None:  # fmt: skip
        self.dt = positive(dt, "the step dt")
        self.method: Integrator = EnergyMomentum() if integrator is None else as_integrator(integrator)
        if getattr(self.method, "coefficients", None) is not None:
            precompile.start("run_steps of Newmark")
        self._judges_passing = getattr(self.method, "judges_passing", False)
        compiled = model.shared if isinstance(model, System) else model
        self.system = running(compiled, formulation=formulation, solver=solver)
        self.inputs = Inputs(self.system)
        self.system.step = self.dt
        self.stiffness = self.system.stiffness(self.dt)
        self.memory = Memory(self)
        self._start(start, state, energy_tolerance)

    def begin_anew(self, state: State | Result | None = None, *, start: str = "consistent",
                   energy_tolerance: float | None = None) -> None:  # fmt: skip
        """Another run of the same model, with the same bits as a new Simulation but without laying its steps out again.

        state, start, energy_tolerance: as for a new one. Inputs that were set and what was remembered are gone.
        """
        self.system.renew()
        self._start(start, state, energy_tolerance)

    def _start(self, start: str, state: State | Result | None, energy_tolerance: float | None) -> None:
        self.start_report = StartReport()
        self.work = 0.0
        self.steps = 0
        self.late_steps = 0
        given = None if state is None else picked_state(self.system, state)
        if given is not None and self._goes_on(given, start):
            self.system.redundant = bool(find_redundant(self.system, given))
            self.state = given
        else:
            self.state = self._begin(start, given)
        self.system.begun_at = self.state.x.copy(), self.state.t
        self._angles: dict[str, float] = {}  # those that were read, as they were last
        self._paths: dict[str, Any] = {}  # readers of those that were read
        self.watch = Watch(self.system, self.method, energy_tolerance)

    def _begin(self, start: str, given: State | None) -> State:
        """The state that a run starts with: as declared, or with places, velocities and memory of a given one."""
        system = self.system
        if given is not None and LOAD_TIME in given.memory:  # an equilibrium, whose t is no time
            given.t = float(given.memory[LOAD_TIME][0])
        state, self.start_report = consistent_state(system, start, given=given)
        kept = {} if given is None else given.memory
        state.memory |= {name: array for name, array in kept.items() if name.startswith(CONTACT)}
        if system.quasi_static.size:
            self.start_report.quasi_static = quasi_static_notes(system, self.method.multiplier_time)
            if start != "as-given":
                settle(system, state)
        if start != "as-given":
            self.start_report.redundancy = redundancy_notes(system, state)
            system.redundant = bool(self.start_report.redundancy)
        touch = self._touch(state, kept)
        if start == "consistent":
            if system.quasi_static.size or touch:
                accelerate(system, state)
            if system.redundant:
                state.multipliers = RowProblem(system).share_reactions(state.x, state.t, state.multipliers)
            of_rates = getattr(self.method, "rate_start_correction", 0.0)
            correct_velocity(system, state, self.dt, self.method.start_correction, of_rates)
        self.method.prepare(system, state, self.dt)
        if system.fading:
            state.memory[STRESS_MEMORY] = kept.get(STRESS_MEMORY, system.fading.empty(state.x))
        state.memory |= {name: array for name, array in kept.items() if name.startswith(RUN)} | touch
        return state

    def _goes_on(self, state: State, start: str) -> bool:
        """Is a state complete for this method, so that a run goes on from it bit for bit?

        It is not if it comes from statics, another method or a model with other joints; nor if somebody has changed it so
        that it no longer fits the constraints.
        """
        system = self.system
        if LOAD_TIME in state.memory or state.turns.size != system.turn_count:
            return False
        if state.multipliers.size != len(system.multipliers):
            return False
        prepared = state.copy()
        self.method.prepare(system, prepared, self.dt)
        needed, there = (
            {name for name in s.memory if not name.startswith((RUN, CONTACT, STRESS_MEMORY))} for s in (prepared, state)
        )
        if needed != there:
            return False
        if start != "consistent" or not len(system.multipliers):
            return True
        if system.constraint_error(state.x, state.t) > UNFIT * system.size:
            return False
        problem = self._rows
        problem.system.set_turns(state.turns)
        if problem.fits(state.x, state.v, state.t, AT_ONCE * UNFIT):
            return True
        v = state.v.copy()
        problem.project_velocity(state.x, v, state.t)
        return bool(np.abs(v - state.v).max() <= UNFIT * max(float(np.abs(v).max()), float(np.abs(state.v).max())))

    @cached_property
    def _rows(self) -> RowProblem:
        """The model in row form, by which a start is judged."""
        return RowProblem(self.system)

    def _touch(self, state: State, kept: Mapping[str, Array]) -> dict[str, Array]:
        """Put the memory of contacts into that of the start: what presses quasi-static bodies does so already.

        A given state brings its own (`kept`), with the stiffness that its penetrations belong to.
        """
        if self.system.contact is None:
            return {}
        moves = getattr(self.method, "has_inertia", True)
        touch = self.system.contact.start(state, self.dt, moves)
        touch |= {name: array for name, array in kept.items() if name in touch}
        state.memory |= touch
        return touch

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.state.t

    # --- stepping -----------------------------------------------------------------------------------------------------

    def step(self, dt: float | None = None) -> StepInfo:
        """One step; a step that does not converge is halved. ConvergenceError if that does not help.

        Its energy is watched as in `simulate`.
        """
        h = self.dt if dt is None else positive(dt, "step: dt")
        self.watch.expect(self.state, self.stiffness, self.work)
        try:
            info = self.advance(h)
        except StepFailed as failure:
            raise ConvergenceError(self.explain(failure, h), time=self.time, part=failure.part) from None
        if self.watch.on:
            self.watch.take(self.state, self.scalars(info, h) if info.numbers is None else {}, self.work, info)
        return info

    def advance(self, h: float, depth: int = 0) -> StepInfo:
        """One step of length h, or two of half the length if it fails; StepFailed leaves the last good state."""
        if depth == 0:
            h = positive(h, "advance: h")
        before = self.state
        self.system.step_number = self.steps + 1
        try:
            after, info = self.method.step(self.system, before, h)
            refuse_inverted(self.system, before.x, after.x)
            if not self._judges_passing:
                refuse_passed(self.system, before.x, after.x)
        except StepFailed:
            if depth == DEEPEST_CUT:
                raise
            first = self.advance(0.5 * h, depth + 1)
            second = self.advance(0.5 * h, depth + 1)
            if depth == 0:
                self.steps += 1
            return first.followed_by(second, cuts=1)
        info.level = level_after(self.system, after, info)
        if info.work is None:
            info.work = external_work(self.system, before, after, h, self.method.multiplier_time)
        self.work += info.work
        if info.numbers is None:  # compiled steps hand on all that is not theirs
            after.memory |= {name: value for name, value in before.memory.items() if name.startswith(RUN)}
        self.state = after
        for name in self._angles:
            self.coordinate(name)
        for reader in self._paths.values():
            reader.at(after.x)
        if depth == 0:
            self.steps += 1
        return info

    def run(
        self, until: float, *, pace: float | None = None, each: Callable[[Simulation], object] | None = None
    ) -> None:
        """Step to `until` [s]; `each(sim)` is called after every step. pace: simulated seconds per second of the clock."""
        if not (_is_number(until) and until >= self.time):
            raise InputError(f"run: until must be a time [s] not before t = {self.time:g}, not {until!r}")
        if pace is not None:
            positive(pace, "run: pace")
        with nullcontext() if pace is None else objects_set_aside():
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

    # --- changing velocities ------------------------------------------------------------------------------------------

    def set_velocity(
        self,
        what: PointLike,
        velocity: VectorLike | None,
        angular_velocity: NumbersLike | None = None,
        about: Sequence[float] | Point | str | None = None,
    ) -> None:
        """Give a body, a point or a joint coordinate a new velocity now; constraints are kept.

        what: a body: velocity [m/s] is a vector (d,), one for each node (nodes, d), or a function of the place x [m] that
        returns one; angular_velocity [rad/s] about `about` (a place in the world or a point; by default the body's origin, of
        meshes and ANCF bodies the world's). A point, body.at(…) or 'body.name': it gets this velocity by a blow there. A
        joint coordinate, 'joint.angle': its rate [rad/s or m/s]. The kinetic energy gained counts as work done.
        """
        from condyle.integrators import velocities

        system, state, model = self.system, self.state.copy(), self.system.model
        before = self.energy()["total"]
        joint, _, coordinate = str(getattr(what, "name", what)).partition(".")
        names = getattr(model.get(joint), "coordinate_names", lambda d: ())(system.d)
        if not isinstance(what, Point) and (coordinate in names or (names and joint not in system.anchors)):
            if angular_velocity is not None or about is not None:
                raise InputError("set_velocity: a joint coordinate has a rate and nothing else")
            velocities.strike_coordinate(system, state, str(getattr(what, "name", what)), velocity)
        elif (point := as_point(what)).at is None:
            body = model.body(point.body).name
            velocities.move_body(system, state, body, velocity, angular_velocity, about)
        else:
            if angular_velocity is not None or about is not None:
                raise InputError("set_velocity: a point does not turn; give an angular_velocity to its body")
            velocities.strike_point(system, state, point, velocity)
        report = self.start_report
        self.state = self._begin("consistent", state)
        self.start_report = report
        self.work += self.energy()["total"] - before

    def explain(self, failure: StepFailed, h: float) -> str:
        """A failed step in a sentence."""
        where = f" at '{failure.part}'" if failure.part and failure.part not in str(failure) else ""
        told = f"{failure}{where}, at t = {self.time:.6g}, even with the step cut to {h / 2**DEEPEST_CUT:.3g}"
        tried = self.state.x + h * self.state.v
        obstacles = [part.obstacle(self.system.points, tried) for part in self.system.model]
        return ". ".join([told, *(sentence for sentence in obstacles if sentence)])

    # --- reading ------------------------------------------------------------------------------------------------------

    def position(self, point: PointLike) -> Array:
        """Position of a point [m], shape (d,)."""
        return self.system.position(point).at(self.state.x)

    def velocity(self, point: PointLike) -> Array:
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
        return float(self.system.coordinate(name).rate(self.state.x, self.state.v))

    def path(self, part: PartLike) -> dict[str, float]:
        """Length, rate, tension and more of a muscle, ligament or force actuator now; by the names of `Result.path`."""
        from condyle.muscles.reading import PathReader, path_now, with_path

        found = with_path(self.system.model, part)
        if found.name not in self._paths:
            self._paths[found.name] = PathReader(found.terms(self.system.points))
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

    def scalars(self, info: StepInfo, h: float) -> dict[str, Json]:
        """What is recorded at every step, right after it."""
        solved = {"work": self.work, "iterations": info.iterations, "cuts": info.cuts, "step": h}
        if info.numbers is not None:
            row, linear, angular = info.numbers
            names = {
                "kinetic": KINETIC,
                "stored": STORED,
                "gravity": GRAVITY,
                "total": TOTAL,
                "constraint_error": ERROR,
            }
            solved |= {name: float(row[column]) for name, column in names.items()}
            return solved | {"linear_momentum": linear, "angular_momentum": angular}
        self.system.set_turns(self.state.turns)
        linear, angular = self.system.momentum(self.state)
        error = self.system.constraint_error(self.state.x, self.state.t)
        return {
            **self.energy(),
            **solved,
            "linear_momentum": linear,
            "angular_momentum": angular,
            "constraint_error": error,
        }
