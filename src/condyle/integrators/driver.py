"""The one driver: output, progress, step cutting, stopping. Nothing else loops over time steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from condyle.errors import ConvergenceError, InputError
from condyle.integrators.energy_momentum import EnergyMomentum
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.laws.kernel import is_warm
from condyle.model.model import Model
from condyle.progress import ProgressBar
from condyle.system import assembly
from condyle.system.compile import compile
from condyle.system.start import consistent_state, correct_velocity
from condyle.system.state import State
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.results.result import Result

DEEPEST_CUT = 10  # a failed step is halved at most this often


class Integrator(Protocol):
    """Advances a state by one step. multiplier_time: where in the step multipliers belong (1: its end)."""

    multiplier_time: float
    start_correction: float

    def prepare(self, system: System, state: State, h: float) -> None: ...

    def step(self, system: System, state: State, h: float) -> tuple[State, StepInfo]: ...


class Hook(Protocol):
    """Anything that watches a run (live plot, controller log): called after every accepted step."""

    def __call__(self, system: System, state: State, info: StepInfo) -> None: ...


def simulate(
    model: Model | System,
    *,
    end: float,
    dt: float,
    integrator: Integrator | None = None,
    formulation: str = "tangent",
    start: str = "consistent",
    solver: str = "auto",
    file: str | Path | None = None,
    every: int = 1,
    progress: bool = False,
    hooks: Sequence[Callable[[System, State, StepInfo], None]] = (),
    on_failure: str = "raise",
) -> Result:
    """Simulate a model from t = 0 to `end` [s] in steps of `dt` [s].

    integrator: EnergyMomentum() by default. formulation, solver: see `compile`. start: 'consistent', 'zero-acceleration'
    or 'as-given'. file: HDF5 written while the run goes on. every: store every n-th state (energies and the like are stored
    at every step). A step that does not converge is halved, up to 2⁻¹⁰; if that fails too, ConvergenceError is raised
    with everything computed so far in `error.result`, or with on_failure='return' the result is returned with
    status 'failed'. Ctrl-C ends the run with status 'interrupted' and keeps what was computed.
    """
    from condyle.results.recorder import Recorder

    steps = _count_steps(end, dt, every, on_failure)
    method: Integrator = EnergyMomentum() if integrator is None else integrator
    bar = ProgressBar() if progress else None
    began = time.perf_counter()
    try:
        if bar and not is_warm():
            bar.note("compiling kernels, first run only (about half a minute)")
        system = model if isinstance(model, System) else compile(model, formulation=formulation, solver=solver)
        state, report = consistent_state(system, start)
        if bar:
            for line in report.lines(system.size):
                bar.note(line)
        correction = method.start_correction if start == "consistent" else 0.0
        correct_velocity(system, state, dt, correction)
        method.prepare(system, state, dt)
        if bar:
            bar.start(0.0, end, system.model.name)
        options = {"end": end, "dt": dt, "start": start, "start_report": report.lines(system.size)}
        recorder = Recorder(system, file=Path(file) if file else None, every=every, integrator=describe(method),
                            options=options)  # fmt: skip
        run = _Run(system, method, recorder, bar, hooks)
        status, message, failure = run.to(state, end, dt, steps)
        result = recorder.finish(status, message, time.perf_counter() - began)
    finally:
        if bar:
            bar.end(locals().get("status", "failed"))
    if status == "failed" and on_failure == "raise":
        raise ConvergenceError(message, result=result, time=run.state.t, part=failure)
    return result


class _Run:
    """The loop over steps."""

    def __init__(
        self,
        system: System,
        method: Integrator,
        recorder: Any,
        bar: ProgressBar | None,
        hooks: Sequence[Callable[[System, State, StepInfo], None]],
    ) -> None:
        self.system, self.method, self.recorder, self.bar, self.hooks = system, method, recorder, bar, hooks
        self.work = 0.0
        self.state: State

    def to(self, state: State, end: float, dt: float, steps: int) -> tuple[str, str, str]:
        """Status, message and the part at fault."""
        self.state = state
        self.stiffness = self.system.stiffness(dt)
        self.recorder.start(state, self.scalars(state, StepInfo(), dt))
        try:
            for k in range(1, steps + 1):
                target = end if k == steps else k * dt
                info = self.advance(target - self.state.t, 0)
                self.state.t = target  # no accumulation of round-off in time
                self.recorder.record(self.state, self.scalars(self.state, info, dt))
                for hook in self.hooks:
                    hook(self.system, self.state, info)
                if self.bar:
                    self.bar.step(self.state.t, k, info.iterations)
        except StepFailed as failure:
            where = f" at '{failure.part}'" if failure.part and failure.part not in str(failure) else ""
            return "failed", f"{failure}{where}, at t = {self.state.t:.6g}, even with the step cut to " \
                             f"{dt / 2**DEEPEST_CUT:.3g}; all before is kept", failure.part  # fmt: skip
        except KeyboardInterrupt:
            return "interrupted", f"stopped by the user at t = {self.state.t:.6g}", ""
        return "completed", "", ""

    def advance(self, h: float, depth: int) -> StepInfo:
        """One step of length h, or two of half the length if it fails."""
        before = self.state
        try:
            after, info = self.method.step(self.system, before, h)
        except StepFailed:
            if depth == DEEPEST_CUT:
                raise
            first = self.advance(0.5 * h, depth + 1)
            second = self.advance(0.5 * h, depth + 1)
            return StepInfo(first.iterations + second.iterations, second.residuals, first.cuts + second.cuts + 1)
        self.work += external_work(self.system, before, after, h)
        self.state = after
        return info

    def scalars(self, state: State, info: StepInfo, dt: float) -> dict[str, Any]:
        """What is recorded at every step."""
        linear, angular = self.system.momentum(state)
        return {
            **self.system.energy(state, self.stiffness),
            "work": self.work,
            "linear_momentum": linear,
            "angular_momentum": angular,
            "constraint_error": self.system.constraint_error(state.x, state.t),
            "iterations": info.iterations,
            "cuts": info.cuts,
            "step": dt,
        }


def external_work(system: System, before: State, after: State, h: float) -> float:
    """Work [J] of loads, torques and dampers over a step, with forces at its middle (exact for energy–momentum)."""
    if not system.forces.law.size:
        return 0.0
    mid = 0.5 * (before.x + after.x)
    change = after.x - before.x
    q, scale = np.zeros_like(mid), np.zeros_like(mid)
    amplitudes = system.amplitudes(before.t + 0.5 * h)
    assembly.add_forces(
        system.forces, system.rows, mid, change / h, after.x, amplitudes, 0.5, 1.0 / h, assembly.NO_MAP, False, q,
        scale, system.scratch.A,
    )  # fmt: skip
    return -float(np.sum(q * change))


def describe(method: Any) -> dict[str, Any]:
    """Name and options of an integrator, as plain data."""
    options = asdict(method) if is_dataclass(method) and not isinstance(method, type) else {}
    return {"name": type(method).__name__, **options, "multiplier_time": getattr(method, "multiplier_time", 1.0)}


def _count_steps(end: float, dt: float, every: int, on_failure: str) -> int:
    for name, value in (("end", end), ("dt", dt)):
        if not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise InputError(f"simulate: {name} must be a finite number [s], not {value!r}")
    if dt <= 0:
        raise InputError(f"simulate: the step dt must be positive, not {dt:g}; give for example dt=0.01")
    if end <= 0:
        raise InputError(f"simulate: the end time must come after the start t = 0, not {end:g}")
    if not isinstance(every, int | np.integer) or every < 1:
        raise InputError(f"simulate: every must be a whole number of at least 1, not {every!r}")
    if on_failure not in ("raise", "return"):
        raise InputError(f"simulate: on_failure is {on_failure!r}; choose 'raise' or 'return'")
    return max(1, math.ceil(end / dt - 1e-9))
