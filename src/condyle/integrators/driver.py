"""The one driver: output, progress, events, error control, stopping. Nothing else loops over time steps of a whole run."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import ConvergenceError, InputError
from condyle.integrators import warmup
from condyle.integrators.account import ITERATIONS
from condyle.integrators.affordable import check_affordable
from condyle.integrators.callbacks import check_functions, hooked, inputs_of, name_of, value_of
from condyle.integrators.compiled import compiled_steps
from condyle.integrators.extrapolation import RESTART
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.simulation import Integrator, Simulation, as_integrator
from condyle.integrators.stored import (
    StoredRun,
    check_next_step,
    check_same_method,
    check_same_model,
    check_state,
    stored_run,
)
from condyle.laws.compiling import Stopwatch
from condyle.model.fields import blamed
from condyle.model.model import Model
from condyle.progress import ProgressBar
from condyle.system.compile import compile
from condyle.system.state import State, Stretch
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.results.result import Result

MOST_STEPS = 10_000  # in one stretch of compiled steps
MOST_OF_A_RUN = 1e10  # steps: the fastest model would take a day
_ = warmup  # imported so that its task is known to `condyle warmup`
Hook = Callable[[System, State, StepInfo], None]
Controller = Callable[[Simulation], dict[str, float] | None]
Event = Callable[[Simulation], float]
RunSteps = Callable[[State, Sequence[float], int, int, float], Stretch]  # of compiled code


def simulate(
    model: Model | System,
    *,
    end: float,
    dt: float,
    integrator: Integrator | str | None = None,
    formulation: str = "tangent",
    start: str = "consistent",
    state: Any = None,
    solver: str = "auto",
    step_error: float | None = None,
    file: str | Path | None = None,
    overwrite: bool = False,
    every: int = 1,
    progress: bool = False,
    memory: Mapping[str, Any] | None = None,
    controllers: Sequence[Controller] = (),
    events: Sequence[Event] = (),
    hooks: Sequence[Hook] = (),
    on_failure: str = "raise",
    energy_tolerance: float | None = None,
) -> Result:
    """Simulate a model from t = 0 (or the time of `state`) to `end` [s] in steps of `dt` [s].

    integrator: EnergyMomentum() by default; also a name, as in 'HHT(alpha=0.2)'. formulation, solver: see `compile`. start:
    'consistent', 'zero-acceleration' or 'as-given'. state: where to start instead of the places and velocities that the parts
    declare: a Result (its last state), (result, frame), or a State, such as `result.state(k)` or that of a `Simulation`; of
    the same method it goes on exactly, of another one, or of statics, it is made consistent as a start is.

    step_error: local error of positions per step, relative to the size of the model; the step is then chosen by it and `dt` is
    the largest. file: HDF5 written while the run goes on; a results file that exists is replaced with overwrite=True only.
    every: store every n-th state (energies and the like are stored at every step).

    controllers: functions of the Simulation called before every step; a returned dict sets inputs by part name. events:
    functions of the Simulation; the run stops where one changes its sign. hooks: called with (system, state, info) after
    every step. memory: numbers that controllers keep in `sim.memory`; they are part of the state and of the file.

    energy_tolerance: by how much of the largest energy so far the balance of energy may be off. By default 1e-6 where
    method and model conserve, and the run stops as after a step that failed; where they do not, 0.1 may appear before an
    EnergyWarning says so. inf: it is not watched.

    A step that does not converge is halved, up to 2⁻¹⁰; if that fails too, ConvergenceError is raised with everything
    computed so far in `error.result`, or with on_failure='return' the result is returned with status 'failed'. Ctrl-C
    ends the run with status 'interrupted' and keeps what was computed; `condyle.resume(file)` goes on with it.
    """
    from condyle.results.recorder import Recorder

    _check(end, dt, every, step_error, on_failure)
    check_functions(controllers=controllers, events=events, hooks=hooks)
    bar = ProgressBar() if progress else None
    clock = Stopwatch(bar.note if bar else None)
    status = "failed"
    try:
        sim = Simulation(model, dt=dt, integrator=integrator, formulation=formulation, start=start, solver=solver,
                         state=state, energy_tolerance=energy_tolerance)  # fmt: skip
        begin = sim.time
        if end <= begin:
            raise InputError(f"simulate: the end time must come after the start t = {begin:g}, not {end:g}")
        check_affordable(sim, end)
        notes = sim.start_report.lines(sim.system.size)
        if bar:
            for line in notes:
                bar.note(line)
            bar.start(begin, end, sim.system.model.name)
        sim.memory.pop("next step", None)
        sim.memory.update(memory or {})
        options = {
            "begin": begin, "end": end, "dt": dt, "start": start, "step_error": step_error, "solver": solver,
            "notes": notes, "energy_tolerance": energy_tolerance, "energy_balance": sim.watch.standing,
        }  # fmt: skip
        recorder = Recorder(
            sim.system, file=file, every=every, overwrite=overwrite, integrator=describe(sim.method), options=options
        )
        with recorder:
            run = _Run(sim, recorder, bar, controllers, events, hooks, step_error)
            status, message, part = run.to(end)
            result = recorder.finish(status, message, *clock.read())
    finally:
        clock.stop()
        if bar:
            bar.end(status)
    if status == "failed" and on_failure == "raise":
        raise ConvergenceError(message, result=result, time=sim.time, part=part)
    return result


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
    hooks: Sequence[Hook] = (),
    on_failure: str = "raise",
) -> Result:
    """Go on with a run that was killed, interrupted or is to be longer, in the same file.

    It continues from the last state in the file (or one some steps before it), bit for bit as if it had never stopped (on
    the same machine). model and integrator are only needed where the file could not hold them (Python functions, an
    integrator of one's own); controllers, events and hooks are given again. end [s]: by default that of the first run. A run
    that an event has stopped goes on from before that event: leave it out to go past it. allow_code: see `Model.load`.

    The file stays as it is until the run has come further than it did: one that cannot be gone on with is not touched.
    """
    from condyle.results.recorder import Recorder
    from condyle.results.result import load

    check_functions(controllers=controllers, events=events, hooks=hooks)
    bar = ProgressBar() if progress else None
    clock = Stopwatch(bar.note if bar else None)
    old = load(file, model, allow_code=allow_code)
    with blamed(f"'{file}' cannot be gone on with"):
        stored = stored_run(old)
        until = stored.end if end is None else end
        _check(until, stored.dt, 1, None, on_failure)
        reached = float(old._store.steps["time"][-1])
        if reached >= until - 1e-9 * stored.dt and (old.status == "completed" or until < stored.end):
            return old
        sim, frame = _reached(old, stored, integrator)
        check_affordable(sim, until)
    status, header = "failed", old._store.header
    try:
        if bar:
            bar.note(f"resumed at t = {sim.time:g}")
            bar.start(sim.time, until, sim.system.model.name)
        options = {**header.options, "end": until}
        recorder = Recorder(
            sim.system, file=file, every=header.every, overwrite=True, integrator=header.integrator, options=options
        )
        with recorder:
            recorder.proceed(old, frame)
            run = _Run(sim, recorder, bar, controllers, events, hooks, stored.step_error, resumed=True)
            run.begin = stored.begin
            with blamed(f"'{file}' cannot be gone on with"):
                status, message, part = run.to(until)
            result = recorder.finish(status, message, *clock.read(old.wall_time, old.compile_time))
    finally:
        clock.stop()
        if bar:
            bar.end(status)
    if status == "failed" and on_failure == "raise":
        raise ConvergenceError(message, result=result, time=sim.time, part=part)
    return result


def _reached(old: Result, stored: StoredRun, integrator: Integrator | None) -> tuple[Simulation, int]:
    """The simulation at the last state of a file that a run can go on from, and the frame of that state."""
    from condyle.integrators.registry import integrator_of
    from condyle.results.layout import writable

    header, steps = old._store.header, old._store.frame_steps
    method = integrator_of(header.integrator) if integrator is None else as_integrator(integrator)
    if integrator is not None:
        check_same_method(old, writable(describe(method)))
    try:
        known = old.model
    except InputError as error:
        raise InputError(str(error).replace("condyle.load(", "condyle.resume(")) from None
    check_same_model(old, known)
    system = compile(known, formulation=header.formulation, solver=stored.solver)
    old._check_fits(system)
    system.step = stored.dt
    first = _with_empty(old.state(0), method, system)
    check_state(old, 0, first, method, system)
    sim = Simulation(system, dt=stored.dt, integrator=method, start="as-given", state=first,
                     energy_tolerance=stored.energy_tolerance)  # fmt: skip
    if stored.start == "as-given":
        system.redundant = False  # as in the run itself, which did not look
    if system.solver.name == "pardiso" and len(old._store.steps) > 1:
        sim.advance(float(old._store.steps["step"][1]))  # its ordering follows from the first matrix of the run
    frame = int(np.flatnonzero(steps % header.every == 0)[-1])
    sim.state = _with_empty(old.state(frame), method, system)
    if (
        compiled_steps(method, system) is not None
    ):  # they are guessed from those before, and these are forgotten now and then
        frame = int(np.flatnonzero(steps % math.lcm(header.every, RESTART) == 0)[-1])
        sim.state = _with_empty(old.state(frame), method, system)
    check_state(old, frame, sim.state, method, system)
    if stored.step_error is not None:
        check_next_step(old, sim)
    sim.work, sim.steps = float(old._store.steps[int(steps[frame])]["work"]), int(steps[frame])
    return sim, frame


def _with_empty(state: State, method: Integrator, system: System) -> State:
    """The state with those arrays of its memory that have no entries, which a file does not hold."""
    whole = state.copy()
    method.prepare(system, whole, system.step)
    state.memory = {name: array for name, array in whole.memory.items() if not array.size} | state.memory
    return state


class _Run:
    """The loop over steps."""

    def __init__(self, sim: Simulation, recorder: Any, bar: ProgressBar | None, controllers: Sequence[Controller],
                 events: Sequence[Event], hooks: Sequence[Hook], step_error: float | None,
                 resumed: bool = False) -> None:  # fmt: skip
        self.sim, self.recorder, self.bar = sim, recorder, bar
        self.controllers, self.events, self.hooks, self.step_error = controllers, events, hooks, step_error
        self.resumed, self.begin = resumed, sim.time
        self._length, self._failed = 10, False  # of the next stretch of compiled steps; whether the last one failed

    def to(self, end: float) -> tuple[str, str, str]:
        """Status, message and the part at fault."""
        sim = self.sim
        if not self.resumed:
            if self.step_error is not None:
                sim.memory["next step"] = sim.dt
            self.recorder.start(sim.state, sim.scalars(StepInfo(), sim.dt))
        signs = [value_of(event, sim) for event in self.events]
        count = sim.steps
        one_by_one = bool(self.controllers or self.events or self.hooks or self.step_error is not None)
        compiled = None if one_by_one else compiled_steps(sim.method, sim.system, in_rows=True)
        stop_asked = _StopAsked()
        try:
            while sim.time < end - 1e-9 * sim.dt:
                if compiled is not None:
                    count = self._stretch(compiled.run, count, end)
                    if stop_asked.yes:
                        raise KeyboardInterrupt
                    if not self._failed:
                        continue  # else this one step is tried below, with all that Python can do about it
                self._control()
                sim.watch.expect(sim.state, sim.stiffness, sim.work)
                before = sim.state, sim.work
                if self.step_error is None:
                    count += 1
                    target = self._planned(count, end)
                    info = sim.advance(target - sim.time)
                    sim.state.t = target  # no accumulation of round-off in time
                    used = target - before[0].t
                else:
                    info, used = self._controlled_step(min(sim.memory["next step"], end - sim.time))
                stop = self._event(before, signs, used) if self.events else ""
                self._accept(info, used)
                if stop:
                    return "stopped", "; ".join(filter(None, (stop, sim.watch.note))), ""
                if stop_asked.yes:
                    raise KeyboardInterrupt
        except StepFailed as failure:
            return "failed", f"{sim.explain(failure, sim.dt)}; all before is kept", failure.part
        except KeyboardInterrupt:
            return "interrupted", f"stopped by the user at t = {sim.time:.6g}", ""
        except ConvergenceError as failure:
            return "failed", str(failure), failure.part or ""
        finally:
            stop_asked.restore()
        return "completed", sim.watch.note, ""

    def _planned(self, k: int, end: float) -> float:
        """The time at which step k ends [s]: no accumulation of round-off, and no tiny step at the end."""
        t = self.begin + k * self.sim.dt
        return end if t > end - 1e-9 * self.sim.dt else t

    def _stretch(self, run: RunSteps, count: int, end: float) -> int:
        """As many compiled steps as take about a fifth of a second; returns the number of the last one."""
        sim = self.sim
        times = []
        for k in range(count + 1, count + 1 + self._length):
            times.append(self._planned(k, end))
            if times[-1] == end:
                break
        began = time.perf_counter()
        sim.watch.expect(sim.state, sim.stiffness, sim.work)
        done = run(sim.state, times, count + 1, self.recorder.every, sim.work)
        taken = time.perf_counter() - began
        sim.state, sim.work, self._failed = done.state, done.work, done.failed
        steps = len(done.scalars)
        sim.steps += steps
        self.recorder.record_stretch(done)
        sim.watch.add(done.state, done.scalars, done.times)
        if self.bar and steps:
            self.bar.step(sim.time, sim.steps, int(done.scalars[-1, ITERATIONS]))
        if not done.failed:
            self._length = max(1, min(4 * self._length, MOST_STEPS, int(0.2 * self._length / max(taken, 1e-6))))
        return count + steps

    def _accept(self, info: StepInfo, used: float) -> None:
        sim = self.sim
        scalars = sim.scalars(info, used)
        sim.watch.take(sim.state, scalars, sim.work, info)
        self.recorder.record(sim.state, scalars)
        self.recorder.count_python(info.in_python)
        for hook in self.hooks:
            hooked(hook, sim.system, sim.state, info)
        if self.bar:
            self.bar.step(sim.time, sim.steps, info.iterations)

    def _control(self) -> None:
        for controller in self.controllers:
            for part, value in inputs_of(controller, self.sim).items():
                self.sim.inputs[part] = value

    def _controlled_step(self, h: float) -> tuple[StepInfo, float]:
        """A step whose error, by comparison with two half steps, is within the tolerance; and the next step's length.

        For a method of order p the error of the two half steps is the difference over 2ᵖ − 1.
        """
        sim, tolerance = self.sim, float(self.step_error or 0.0)
        order = float(getattr(sim.method, "order", 2))
        state, work, number = sim.state, sim.work, sim.steps
        while True:
            sim.advance(h)
            whole = sim.state
            sim.state, sim.work, sim.steps = state, work, number
            first = sim.advance(0.5 * h)
            sim.steps = number  # both halves are one step of the run
            second = sim.advance(0.5 * h)
            error = float(np.abs(whole.x - sim.state.x).max()) / (2.0**order - 1.0) / sim.system.size
            factor = min(4.0, max(0.2, 0.9 * (tolerance / max(error, 1e-300)) ** (1.0 / (order + 1.0))))
            if error <= tolerance or h <= 1e-9 * sim.dt:
                info = first.followed_by(second)
                sim.memory["next step"] = min(sim.dt, h * factor)
                return info, h
            sim.state, sim.work, sim.steps = state, work, number
            h *= factor

    def _event(self, before: tuple[State, float], signs: list[float], used: float) -> str:
        """Where an event changed its sign within the step, go back to that instant (regula falsi on the step length)."""
        sim = self.sim
        for k, event in enumerate(self.events):
            value = value_of(event, sim)
            if signs[k] * value >= 0.0 or signs[k] == 0.0:
                signs[k] = value
                continue
            low, high, at_low, at_high = 0.0, used, signs[k], value
            for _ in range(40):
                h = (low * at_high - high * at_low) / (at_high - at_low)
                h = min(max(h, low + 0.05 * (high - low)), high - 0.05 * (high - low))
                sim.state, sim.work = before
                sim.advance(h)
                now = value_of(event, sim)
                if abs(high - low) < 1e-9 * used or now == 0.0:
                    break
                if now * at_low > 0.0:
                    low, at_low = h, now
                else:
                    high, at_high = h, now
            return f"stopped by the event '{name_of(event)}' at t = {sim.time:.9g}"
        return ""


class _StopAsked:
    """Ctrl-C ends a run between two steps, so that a step is recorded whole or not at all; a second one ends it at once."""

    def __init__(self) -> None:
        self.yes = False
        self._before: Any = None
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._ask)

    def _ask(self, number: int, frame: Any) -> None:
        if self.yes:
            raise KeyboardInterrupt
        self.yes = True

    def restore(self) -> None:
        """Give the signal back."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def describe(method: Any) -> dict[str, Any]:
    """Name and options of an integrator, as plain data."""
    options = asdict(method) if is_dataclass(method) and not isinstance(method, type) else {}
    return {"name": type(method).__name__, **options, "multiplier_time": getattr(method, "multiplier_time", 1.0)}


def _check(end: float, dt: float, every: int, step_error: float | None, on_failure: str) -> None:
    for name, value in (("end", end), ("dt", dt)):
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            raise InputError(f"simulate: {name} must be a finite number [s], not {value!r}")
    if dt <= 0:
        raise InputError(f"simulate: the step dt must be positive, not {dt:g}; give for example dt=0.01")
    if end / dt > MOST_OF_A_RUN:
        raise InputError(f"simulate: until {end:g} s there are {end / dt:.3g} steps of {dt:g} s; check their units")
    if not isinstance(every, int | np.integer) or isinstance(every, bool) or every < 1:
        raise InputError(f"simulate: every must be a whole number of at least 1, not {every!r}")
    if step_error is not None and not (isinstance(step_error, float | np.floating) and 0.0 < step_error < 1.0):
        raise InputError(f"simulate: step_error must be between 0 and 1 (relative to the model), not {step_error!r}")
    if on_failure not in ("raise", "return"):
        raise InputError(f"simulate: on_failure is {on_failure!r}; choose 'raise' or 'return'")
