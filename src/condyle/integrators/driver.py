"""The one loop over the time steps of a whole run: events, error control, stopping, and hooks that are told of each step."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import ConvergenceError, InputError
from condyle.integrators.compiled import compiled_steps
from condyle.integrators.hooks import EachStep, Hook, inputs_of, name_of, value_of
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.simulation import Simulation
from condyle.system.state import Batch, State, Times

MOST_STEPS = 10_000  # largest number of compiled steps in one batch
# Fewest steps of the first batch; how long it may take if a row takes so long in a step, as those of rigid bodies do [s].
FEWEST_STEPS, FIRST_BATCH, ROW = 10, 0.1, 2e-6
MOST_OF_A_RUN = 1e10  # steps, for which the fastest model would take a day
Controller = Callable[[Simulation], dict[str, float] | None]
Event = Callable[[Simulation], float]
RunSteps = Callable[[State, Times, int, int, float], Batch]  # of compiled code


class Run:
    """The loop over the steps of a run, from the state of a simulation on.

    hooks: called in this order. every: compiled code keeps the state of every n-th step for them. resumed: the state is that of
    an earlier run, so that the hooks have begun already. length: compiled steps of the first batch, before it is known how long
    they take; by default as many as a model of so many rows does in about a tenth of a second.
    """

    def __init__(self, sim: Simulation, hooks: Sequence[Hook], *, controllers: Sequence[Controller] = (),
                 events: Sequence[Event] = (), step_error: float | None = None, every: int = 1,
                 resumed: bool = False, length: int | None = None) -> None:  # fmt: skip
        self.sim, self.hooks, self.every = sim, hooks, every
        self.controllers, self.events, self.step_error = controllers, events, step_error
        self.resumed, self.begin = resumed, sim.time
        first = max(FEWEST_STEPS, int(FIRST_BATCH / (ROW * sim.system.n))) if length is None else length
        self._length, self._failed = first, False  # of the next batch of compiled steps; whether the last one failed

    def to(self, end: float) -> tuple[str, str, str]:
        """Status, message and the part at fault."""
        sim = self.sim
        if not self.resumed:
            if self.step_error is not None:
                sim.memory["next step"] = sim.dt
            scalars = sim.scalars(StepInfo(), sim.dt)
            for hook in self.hooks:
                hook.begun(sim.state, scalars)
        signs = [value_of(event, sim) for event in self.events]
        count = sim.steps
        each = any(isinstance(hook, EachStep) for hook in self.hooks)
        one_by_one = bool(self.controllers or self.events or each or self.step_error is not None)
        compiled = None if one_by_one else compiled_steps(sim.method, sim.system, in_rows=True)
        stop_asked = _StopAsked()
        try:
            while sim.time < end - 1e-9 * sim.dt:
                if compiled is not None:
                    count = self._batch(compiled.run, count, end)
                    if stop_asked.yes:
                        raise KeyboardInterrupt
                    if not self._failed:
                        continue  # otherwise this one step is tried below in Python, which can cut it
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

    def _planned_steps(self, count: int, end: float) -> NDArray[np.float64]:
        """The times at which the steps of the next batch end [s], each as `_planned` has it; the last is at most `end`."""
        length = min(self._length, int((end - self.sim.time) / self.sim.dt) + 2)
        times = self.begin + np.arange(count + 1, count + 1 + length, dtype=np.float64) * self.sim.dt
        last = int(np.searchsorted(times, end - 1e-9 * self.sim.dt, side="right"))
        if last < times.size:
            times[last] = end
        return times[: last + 1]

    def _batch(self, run: RunSteps, count: int, end: float) -> int:
        """Take as many compiled steps as fit into about a fifth of a second, and return the number of the last one."""
        sim = self.sim
        times = self._planned_steps(count, end)
        began = time.perf_counter()
        sim.watch.expect(sim.state, sim.stiffness, sim.work)
        done = run(sim.state, times, count + 1, self.every, sim.work)
        taken = time.perf_counter() - began
        sim.state, sim.work, self._failed = done.state, done.work, done.failed
        steps = len(done.scalars)
        sim.steps += steps
        for hook in self.hooks:
            hook.advanced(done, sim.steps)
        sim.watch.add(done.state, done.scalars, done.times)
        if not done.failed:
            self._length = max(1, min(4 * self._length, MOST_STEPS, int(0.2 * self._length / max(taken, 1e-6))))
        return count + steps

    def _accept(self, info: StepInfo, used: float) -> None:
        sim = self.sim
        scalars = sim.scalars(info, used)
        sim.watch.take(sim.state, scalars, sim.work, info)
        for hook in self.hooks:
            hook.stepped(sim.state, scalars, info, sim.steps)

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
        """Where an event changed its sign within the step, go back to that instant (regula falsi on the step length).

        The run ends where it has just changed, so that one which goes on from there does not stop at it again.
        """
        sim, number = self.sim, self.sim.steps - 1

        def reached(h: float) -> float:
            sim.state, sim.work = before
            sim.steps = number
            sim.advance(h)
            return value_of(event, sim)

        for k, event in enumerate(self.events):
            value = value_of(event, sim)
            if signs[k] * value >= 0.0 or signs[k] == 0.0:
                signs[k] = value
                continue
            low, high, at_low, at_high = 0.0, used, signs[k], value
            for _ in range(40):
                h = (low * at_high - high * at_low) / (at_high - at_low)
                h = min(max(h, low + 0.05 * (high - low)), high - 0.05 * (high - low))
                now = reached(h)
                if abs(high - low) < 1e-9 * used or now == 0.0:
                    break
                if now * at_low > 0.0:
                    low, at_low = h, now
                else:
                    high, at_high = h, now
            if now * at_low > 0.0:
                reached(high)
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
        """Let the signal of an interruption do again what it did before the run."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def describe(method: object) -> dict[str, Any]:
    """Name and options of an integrator, as plain data."""
    options = asdict(method) if is_dataclass(method) and not isinstance(method, type) else {}
    return {"name": type(method).__name__, **options, "multiplier_time": getattr(method, "multiplier_time", 1.0)}


def check_options(end: float, dt: float, every: int, step_error: float | None, on_failure: str) -> None:
    """InputError if an option of a run makes no sense."""
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
