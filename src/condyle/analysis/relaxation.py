"""Dynamic relaxation: equilibrium where the static equations are singular (slack cords, loose chains, mechanisms).

The model moves in a pseudo-time with its own masses and without its dampers, by implicit Euler steps

    Pᵀ (m (x1 − x0 − h v)/h² + Σ f(x1) + G(x1)ᵀ λ) = 0,   c(x1) = 0,

which minimise stored plus potential energy with the kinetic energy of the step as a penalty, so that inertia holds what
nothing else holds. Kinetic damping: when the kinetic energy falls, all velocities are set to zero (Cundall 1976; Barnes 1999).
The step h grows while Newton's method converges easily; in the end it is so long that the steps are those of statics.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.linearise import held_exactly
from condyle.analysis.statics import first_reactions, load_memory, static_scalars
from condyle.errors import ConvergenceError, InputError
from condyle.integrators.newton import StepFailed, StepInfo, Tolerance, merit, solve
from condyle.laws.compiling import Stopwatch
from condyle.model.model import Model
from condyle.system import assembly
from condyle.system.compile import running
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state
from condyle.system.state import State
from condyle.system.system import System
from condyle.system.velocity_rows import refuse_rates

if TYPE_CHECKING:
    from condyle.results.result import Result

Array = NDArray[np.float64]
GROWTH = 1.5
EASY = 8  # Newton iterations up to which the step grows
SHORTEST, LONGEST = 1e-9, 1e6  # step relative to the first one


def relax(
    model: Model | System,
    *,
    damping: str = "kinetic",
    at: float = 0.0,
    tolerance: float = 1e-9,
    steps: int = 1000,
    step: float | None = None,
    formulation: str = "tangent",
    solver: str = "auto",
    file: str | Path | None = None,
    overwrite: bool = False,
    on_failure: str = "raise",
) -> Result:
    """Find a stable equilibrium under all loads and gravity by dynamic relaxation; its last frame is the equilibrium.

    damping: 'kinetic' lets the model gather speed and stops it at every peak of the kinetic energy; 'viscous' starts each
    step from rest. at [s]: time at which functions of time are taken. tolerance: unbalanced force relative to the largest
    force at hand. steps: at most this many. step [s]: the first pseudo-time step, by default a twentieth of the time in
    which the unbalanced forces would move the model by its own size. The result's `times` count the steps.

    A start that is exactly balanced stays where it is, be it stable or not.
    """
    _check(damping, at, tolerance, steps, step, on_failure)
    clock = Stopwatch()
    system = held_exactly(running(model, formulation=formulation, solver=solver))
    system.without_contact("relax")
    refuse_rates(system, "relax")
    work = _Relaxation(system, damping, at, tolerance)
    from condyle.results.recorder import Recorder

    recorder = Recorder(
        system,
        file=file,
        overwrite=overwrite,
        integrator={"name": "Relaxation", "damping": damping, "at": at},
        options={"steps": steps},
    )
    recorder.start(work.state, static_scalars(system, work.state, StepInfo(), at, 0.0))
    first = work.first_step() if step is None else float(step)
    h, done, status, message, part = first, 0, "completed", "balanced from the start", ""
    while work.unbalanced() > 1.0:
        status = "failed"
        if done == steps:
            message = (
                f"not balanced after {steps} steps; unbalanced force {work.unbalanced() * tolerance:.2g} of the largest"
            )
            break
        try:
            info = work.advance(h)
        except StepFailed as failure:
            h *= 0.25
            work.stop()
            if h < SHORTEST * first:
                message, part = f"{failure} in step {done + 1}", failure.part
                break
            continue
        done += 1
        work.state.t = float(done)
        recorder.record(work.state, static_scalars(system, work.state, info, at, 1.0))
        h = min(h * GROWTH, LONGEST * first) if info.iterations <= EASY else h
        status, message = "completed", f"balanced after {done} steps"
    result = recorder.finish(status, message, *clock.read())
    if status == "failed" and on_failure == "raise":
        raise ConvergenceError(f"relax: {message}; all before is kept", result=result, time=work.state.t, part=part)
    return result


def _check(damping: str, at: float, tolerance: float, steps: int, step: float | None, on_failure: str) -> None:
    if damping not in ("kinetic", "viscous"):
        raise InputError(f"relax: damping is {damping!r}; choose 'kinetic' or 'viscous'")
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise InputError(f"relax: steps must be a whole number of at least 1, not {steps!r}")
    if not (np.isfinite(tolerance) and 0 < tolerance < 1):
        raise InputError(f"relax: tolerance must lie between 0 and 1, not {tolerance!r}")
    if step is not None and not (np.isfinite(step) and step > 0):
        raise InputError(f"relax: step must be a positive time [s], not {step!r}")
    if not np.isfinite(at):
        raise InputError(f"relax: at must be a finite time [s], not {at!r}")
    if on_failure not in ("raise", "return"):
        raise InputError(f"relax: on_failure is {on_failure!r}; choose 'raise' or 'return'")


class _Relaxation:
    """The state on its way to equilibrium, and one step while Newton works on it."""

    def __init__(self, system: RunningSystem, damping: str, at: float, tolerance: float) -> None:
        self.system, self.damping, self.at = system, damping, at
        self.tolerance = Tolerance(force=tolerance)
        self.inner = Tolerance(force=max(1e-12, 1e-3 * tolerance))
        self.state, _ = consistent_state(system, "zero-acceleration", at)
        self.state.t = 0.0
        self.state.v[:] = 0.0
        self.state.memory = load_memory(1.0, at)
        self.state.multipliers = first_reactions(system, self.state, at)
        self.still = np.zeros_like(self.state.x)
        self.amplitudes = system.amplitudes(at)
        self.stiffness = system.stiffness(1.0)
        self.x1, self.multipliers = self.state.x.copy(), self.state.multipliers.copy()
        self.aim, self.factor = self.state.x, 0.0  # inertia pulls towards `aim` with 1/h²
        self.x_old = self.state.x
        self._remembered: tuple[Array, Array] = (self.x1, self.multipliers)
        self.stop()

    def stop(self) -> None:
        """All velocities zero."""
        self.velocity, self.kinetic = np.zeros_like(self.state.x), 0.0

    def unbalanced(self) -> float:
        """Largest unbalanced force without inertia, as a multiple of what is tolerated."""
        self.x1, self.multipliers = self.state.x.copy(), self.state.multipliers.copy()
        self.factor = 0.0
        self.evaluate(False)
        return merit(self.system, self.system.scratch, np.zeros(self.system.motion_unknowns), self.tolerance)[0]

    def first_step(self) -> float:
        """A twentieth of √(size · mass / unbalanced force) [s]."""
        self.unbalanced()
        s = self.system
        force = float(np.abs(s.scratch.q[s.moving & (s.translation > 0)]).sum())
        mass = float(np.sum(s.row_mass * s.translation)) or 1.0
        return 0.05 * float(np.sqrt(s.size * mass / force)) if force > 0 else 0.01

    def advance(self, h: float) -> StepInfo:
        """One step of pseudo-time h [s]; StepFailed leaves the state as it was."""
        info, s = StepInfo(), self.system
        s.set_turns(self.state.turns)
        s.set_pace(0.0)
        start = self.state.x
        self.x1, self.multipliers = start.copy(), self.state.multipliers.copy()
        self.aim, self.factor = start + h * self.velocity, 1.0 / h**2
        self.x_old = start
        assembly.first_step(
            s.rows, self.velocity, h, start, self.x1, np.zeros_like(start), np.zeros((len(s.rows.bodies), 3))
        )
        scale = s.inertia_scale(start, h * self.velocity, self.factor)
        solve(s, self.evaluate, self.apply, self.remember, s.scratch, scale, self.inner, info)
        s.clean_directors(self.x1)
        self._let_go((self.x1 - start) / h)
        multipliers = s.reported_multipliers(self.multipliers, self.stiffness, (self.x1, self.x1), (self.at, self.at))
        turns = s.turns_at(self.x1, self.state.turns)
        self.state = State(0.0, self.x1, self.still, multipliers, self.state.memory, turns)
        return info

    def _let_go(self, velocity: Array) -> None:
        """Keep the velocity while the kinetic energy rises, else stop."""
        m = self.system.mass
        kinetic = 0.5 * float(np.sum(m.value * np.sum(velocity[m.first] * velocity[m.second], axis=1)))
        if self.damping == "kinetic" and kinetic > self.kinetic:
            self.velocity, self.kinetic = velocity, kinetic
        else:
            self.stop()

    def evaluate(self, tangent: bool) -> None:
        s = self.system
        acceleration = self.factor * (self.x1 - self.aim)
        motion = (self.state.x, self.x1, self.x1, self.still, acceleration, self.x_old)
        loads: Any = (s.applied(self.at, self.x1, self.still), self.amplitudes, np.array([self.amplitudes] * 2))
        assembly.assemble(
            s.whole, motion, loads, (self.multipliers, *self.stiffness), assembly.END, assembly.END,
            (self.factor, 1.0, 0.0), (assembly.NO_MAP, assembly.NO_MAP), tangent, s.scratch,
        )  # fmt: skip

    def remember(self) -> None:
        self.x_old = self.x1.copy()
        self._remembered = (self.x_old, self.multipliers.copy())

    def apply(self, du: Array, factor: float) -> None:
        x, multipliers = self._remembered
        self.x1[:] = x
        assembly.move(self.system.rows, factor * du, self.x1)
        self.multipliers = multipliers + factor * self.system.multiplier_increments(du)
