"""Simulation in time from beginning to end: `simulate` and `resume`.

They put together what a run needs, each part from its own room: a `Simulation`, the loop over its steps, and the hooks that
this loop calls, among them the recorder and the progress bar.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

import numpy as np

from condyle.analysis import warmup
from condyle.analysis.stored import (
    StoredRun,
    check_next_step,
    check_same_method,
    check_same_model,
    check_state,
    load,
    stored_run,
)
from condyle.analysis.tie_forces import tie_force
from condyle.errors import ConvergenceError, InputError
from condyle.integrators.affordable import check_affordable
from condyle.integrators.compiled import compiled_steps
from condyle.integrators.driver import Controller, Event, Run, check_options, describe
from condyle.integrators.extrapolation import RESTART
from condyle.integrators.hooks import EachStep, Hook, Watcher, check_functions, check_hooks
from condyle.integrators.newton import StepInfo
from condyle.integrators.simulation import Integrator, Simulation, as_integrator
from condyle.laws.compiling import Stopwatch
from condyle.model.fields import blamed
from condyle.model.model import Model
from condyle.progress import ProgressBar
from condyle.results.layout import writable
from condyle.results.recorder import Recorder
from condyle.results.result import Result
from condyle.system.compile import running
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.model.given import Json

StepFunction = Callable[[System, State, StepInfo], None]
_ = warmup  # imported so that `condyle warmup` knows its tasks


def simulate(
    model: Model | System,
    *,
    end: float,
    dt: float,
    integrator: Integrator | str | None = None,
    formulation: str = "tangent",
    start: str = "consistent",
    state: State | Result | None = None,
    solver: str = "auto",
    step_error: float | None = None,
    file: str | Path | None = None,
    overwrite: bool = False,
    every: int = 1,
    progress: bool = False,
    memory: Mapping[str, Json] | None = None,
    controllers: Sequence[Controller] = (),
    events: Sequence[Event] = (),
    hooks: Sequence[StepFunction | Hook] = (),
    on_failure: str = "raise",
    energy_tolerance: float | None = None,
) -> Result:
    """Simulate a model from t = 0 (or the time of `state`) to `end` [s] in steps of `dt` [s].

    model: a Model, or a System (`compile`), which any number of runs share, also in threads.
    integrator: EnergyMomentum() by default; also a name, as in 'HHT(alpha=0.2)'. formulation, solver: see `compile`. start:
    'consistent', 'zero-acceleration' or 'as-given'. state: where to start instead of the places and velocities that the parts
    declare: a Result (its last state), (result, frame), or a State, such as `result.state(k)` or that of a `Simulation`; of
    the same method it goes on exactly, of another one, or of statics, it is made consistent as a start is.

    step_error: local error of positions per step, relative to the size of the model; the step is then chosen by it and `dt` is
    the largest. file: HDF5 written while the run goes on; a results file that exists is replaced with overwrite=True only.
    every: store every n-th state (energies and the like are stored at every step).

    controllers: functions of the Simulation called before every step; a returned dict sets inputs by part name. events:
    functions of the Simulation; the run stops where one changes its sign. hooks: functions called with (system, state, info)
    after every step, or objects with the methods of `condyle.integrators.hooks.Hook`. memory: numbers that
    controllers keep in `sim.memory`; they are part of the state and of the file.

    energy_tolerance: by how much of the largest energy so far the balance of energy may be off. By default 1e-6 where
    method and model conserve energy: then the run stops as after a step that failed. Where they do not, an EnergyWarning says
    when more than 0.1 has appeared, or 5e-4 where elastic blows are over within a step. inf: the balance is not watched.

    A step that does not converge is halved, up to 2⁻¹⁰; if that fails too, ConvergenceError is raised with everything
    computed so far in `error.result`, or with on_failure='return' the result is returned with status 'failed'. Ctrl-C
    ends the run with status 'interrupted' and keeps what was computed; `condyle.resume(file)` continues it.
    """
    check_options(end, dt, every, step_error, on_failure)
    check_functions(controllers=controllers, events=events)
    check_hooks(hooks)
    with _Attended(progress, on_failure) as run:
        sim = Simulation(model, dt=dt, integrator=integrator, formulation=formulation, start=start, solver=solver,
                         state=state, energy_tolerance=energy_tolerance)  # fmt: skip
        begin = sim.time
        if end <= begin:
            raise InputError(f"simulate: the end time must come after the start t = {begin:g}, not {end:g}")
        check_affordable(sim, end)
        notes = sim.start_report.lines(sim.system.size)
        run.announce(sim, end, notes)
        sim.memory.pop("next step", None)
        sim.memory.update(memory or {})
        options = {
            "begin": begin, "end": end, "dt": dt, "start": start, "step_error": step_error, "solver": solver,
            "notes": notes, "energy_tolerance": energy_tolerance, "energy_balance": sim.watch.standing,
            "controlled": bool(controllers),
        }  # fmt: skip
        recorder = Recorder(
            sim.system, file=file, every=every, overwrite=overwrite, integrator=describe(sim.method), options=options,
            tie_force=tie_force,
        )  # fmt: skip
        with recorder:
            loop = Run(sim, run.hooks(sim, recorder, hooks), controllers=controllers, events=events,
                       step_error=step_error, every=every)  # fmt: skip
            return run.finish(loop, end, recorder)


def resume(
    file: str | Path,
    *,
    model: Model | None = None,
    end: float | None = None,
    integrator: Integrator | None = None,
    allow_code: bool = False,
    progress: bool = False,
    controllers: Sequence[Controller] = (),
    events: Sequence[Event] = (),
    hooks: Sequence[StepFunction | Hook] = (),
    on_failure: str = "raise",
) -> Result:
    """Continue a run that was killed or interrupted, or that is to last longer, in the same file.

    It continues from the last state in the file (or one some steps before it), bit for bit as if it had never stopped (on
    the same machine). model and integrator are only needed where the file could not hold them (Python functions, an
    integrator of one's own); controllers, events and hooks are given again. end [s]: by default that of the first run. A run
    that an event has stopped goes on from before that event: leave it out to go past it. allow_code: see `Model.load`.

    The file stays as it is until the run has come further; a file that cannot be resumed is not touched.
    """
    check_functions(controllers=controllers, events=events)
    check_hooks(hooks)
    with _Attended(progress, on_failure) as run:
        old = load(file, model, allow_code=allow_code)
        with blamed(f"'{file}' cannot be resumed"):
            stored = stored_run(old)
            until = stored.end if end is None else end
            check_options(until, stored.dt, 1, None, on_failure)
            reached = float(old._store.steps["time"][-1])
            if reached >= until - 1e-9 * stored.dt and (old.status == "completed" or until < stored.end):
                return old
            sim, frame = _reached(old, stored, integrator)
            check_affordable(sim, until)
        header = old._store.header
        run.announce(sim, until, [f"resumed at t = {sim.time:g}"])
        recorder = Recorder(
            sim.system, file=file, every=header.every, overwrite=True, integrator=header.integrator,
            options={
                **header.options,
                "end": until,
                "controlled": bool(controllers or header.options.get("controlled")),
            },
            tie_force=tie_force,
        )  # fmt: skip
        with recorder:
            recorder.proceed(old, frame)
            loop = Run(sim, run.hooks(sim, recorder, hooks), controllers=controllers, events=events,
                       step_error=stored.step_error, every=header.every, resumed=True)  # fmt: skip
            loop.begin = stored.begin
            with blamed(f"'{file}' cannot be resumed"):
                return run.finish(loop, until, recorder, old.wall_time, old.compile_time)


def _reached(old: Result, stored: StoredRun, integrator: Integrator | None) -> tuple[Simulation, int]:
    """The simulation at the last state of a file that a run can go on from, and the frame of that state."""
    from condyle.integrators.registry import integrator_of  # it loads all methods, and with them the room of contact

    header, steps = old._store.header, old._store.frame_steps
    method = integrator_of(header.integrator) if integrator is None else as_integrator(integrator)
    if integrator is not None:
        check_same_method(old, writable(describe(method)))
    try:
        known = old.model
    except InputError as error:
        raise InputError(str(error).replace("condyle.load(", "condyle.resume(")) from None
    check_same_model(old, known)
    system = running(known, formulation=header.formulation, solver=stored.solver)
    old._check_fits(system)
    system.step = stored.dt
    first = _with_empty(old.state(0), method, system)
    check_state(old, 0, first, method, system)
    sim = Simulation(system, dt=stored.dt, integrator=method, start="as-given", state=first,
                     energy_tolerance=stored.energy_tolerance)  # fmt: skip
    system = sim.system
    if stored.start == "as-given":
        system.redundant = False  # as in the run itself, which did not look
    if system.solver.name == "pardiso" and len(old._store.steps) > 1:
        sim.advance(float(old._store.steps["step"][1]))  # its ordering follows from the first matrix of the run
    frame = int(np.flatnonzero(steps % header.every == 0)[-1])
    sim.state = _with_empty(old.state(frame), method, system)
    if compiled_steps(method, system) is not None:
        # Their first iterates follow from the steps before, which are forgotten at every RESTART-th step.
        frame = int(np.flatnonzero(steps % math.lcm(header.every, RESTART) == 0)[-1])
        sim.state = _with_empty(old.state(frame), method, system)
    check_state(old, frame, sim.state, method, system)
    if stored.step_error is not None:
        check_next_step(old, sim)
    sim.work, sim.steps = float(old._store.steps[int(steps[frame])]["work"]), int(steps[frame])
    return sim, frame


def _with_empty(state: State, method: Integrator, system: RunningSystem) -> State:
    """The state with those arrays of its memory that have no entries, which a file does not hold."""
    whole = state.copy()
    method.prepare(system, whole, system.step)
    state.memory = {name: array for name, array in whole.memory.items() if not array.size} | state.memory
    return state


class _Attended:
    """A run with its clock and its progress bar, both of which end with it, however it ends."""

    def __init__(self, progress: bool, on_failure: str) -> None:
        self.bar = ProgressBar() if progress else None
        self.clock = Stopwatch(self.bar.show_compiling if self.bar else None)
        self.on_failure, self.status, self.announced = on_failure, "failed", False
        self.watchers: list[Watcher] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.clock.stop()
        if self.bar and self.announced:
            self.bar.end(self.status)
        for watcher in self.watchers:
            watcher.ended(self.status)

    def announce(self, sim: Simulation, end: float, notes: Sequence[str]) -> None:
        """Open the progress bar, below what there is to say about the start."""
        if self.bar:
            for line in notes:
                self.bar.note(line)
            self.clock.make_room()
            self.bar.start(sim.time, end, sim.system.model.name)
            self.announced = True

    def hooks(self, sim: Simulation, recorder: Recorder, given: Sequence[StepFunction | Hook]) -> list[Hook]:
        """All hooks of the run in their order: the recorder, those of the user, the progress bar."""
        self.watchers = [cast(Watcher, hook) for hook in given if isinstance(hook, Watcher)]
        for watcher in self.watchers:
            watcher.of_run(describe(sim.method))
        own: list[Hook] = [EachStep(hook, sim.system) if callable(hook) else hook for hook in given]
        return [recorder, *own, *([self.bar] if self.bar else [])]

    def finish(self, loop: Run, end: float, recorder: Recorder, *before: float) -> Result:
        """Run to the end and return the result; before: wall time and compile time of an earlier part of the run [s]."""
        self.status, message, part = loop.to(end)
        result = recorder.finish(self.status, message, *self.clock.read(*before))
        if self.status == "failed" and self.on_failure == "raise":
            raise ConvergenceError(message, result=result, time=loop.sim.time, part=part)
        return result
