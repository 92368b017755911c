"""Static equilibrium with load stepping: Σ f(x) + G(x)ᵀ λ = factor · applied forces, c(x) = 0."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.analysis.stability import StabilityWarning, unstable_directions
from condyle.analysis.tie_forces import tie_force
from condyle.errors import ConvergenceError, InputError
from condyle.integrators.newton import Iterate, StepFailed, StepInfo, Tolerance
from condyle.laws.codes import DEAD_LOAD
from condyle.laws.compiling import Stopwatch
from condyle.model.model import Model
from condyle.results.recorder import Recorder
from condyle.system import assembly
from condyle.system.compile import running
from condyle.system.redundancy import redundancy_notes
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state
from condyle.system.state import LOAD_FACTOR, LOAD_TIME, State
from condyle.system.system import System
from condyle.system.tables import PENALTY
from condyle.system.velocity_rows import refuse_rates

if TYPE_CHECKING:
    from condyle.results.result import Result

SETTLING = 200  # steps of pseudo-time at most
SLIGHT = 1e-12  # [1/s²] of the mass and the size of the model


@dataclass
class Statics:
    """Equilibrium as an 'integrator' whose time is the load factor: gravity and loads grow from 0 to 1.

    Functions of time of the loads are taken at `at` [s]; prescribed motion of frames goes along with the factor, and
    so do the displacements of a `Hold`, like loads, and drives from where they are at time 0 to where they are at `at`.
    """

    at: float = 0.0
    tolerance: Tolerance = field(default_factory=lambda: Tolerance(iterations=40))
    multiplier_time = 1.0
    start_correction = 0.0

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """No memory."""

    def step(self, system: RunningSystem, state: State, h: float, *, search: bool = False) -> tuple[State, StepInfo]:
        """From one load factor to the next; search: with a line search in Newton's method."""
        step = _Step(self, system, state, h)
        step.search = search
        return step.run()


def solve_static(
    model: Model | System,
    *,
    steps: int = 10,
    at: float = 0.0,
    formulation: str = "tangent",
    solver: str = "auto",
    file: str | Path | None = None,
    overwrite: bool = False,
    tolerance: Tolerance | None = None,
    on_failure: str = "raise",
) -> Result:
    """Find the equilibrium under all loads and gravity, in `steps` equal increments of the load factor.

    at [s]: the time at which functions of loads and drives are taken; a drive goes there with the load factor, from where it is
    at time 0. An increment that does not converge is tried again with a line search, then halved, up to 2⁻¹⁰. The result's
    `times` are load factors from 0 to 1. Where the first increment fails of a model that has stress as it is drawn (stretched
    ligaments), it settles with its masses, from rest again and again, and then comes into balance.
    A load that is too large ends with ConvergenceError, or with on_failure='return' with a result of status 'failed': it
    holds all equilibria up to the last one, its message says where and why it stopped.

    An equilibrium at the end that is unstable (a straight column above its buckling load) is a `StabilityWarning`, and the
    result's message says so. Materials need no density.
    """
    if not isinstance(steps, int) or steps < 1:
        raise InputError(f"solve_static: steps must be a whole number of at least 1, not {steps!r}")
    clock = Stopwatch()
    system = running(model, formulation=formulation, solver=solver, massless=True)
    refuse_rates(system, "solve_static")
    if system.identity and system.rigid:
        raise InputError(
            "solve_static: rigid bodies need formulation='tangent'; in 'rows' their directors are unknowns that nothing "
            "holds before the multipliers are known"
        )
    state = _unloaded(system)
    notes = redundancy_notes(system, state)
    system.redundant = bool(notes)
    method = Statics(at) if tolerance is None else Statics(at, tolerance)
    described = {"name": "Statics", "at": at, "multiplier_time": 1.0}
    options = {"steps": steps, "notes": notes}
    recorder = Recorder(
        system, file=Path(file) if file else None, overwrite=overwrite, every=1, integrator=described, options=options,
        tie_force=tie_force,
    )  # fmt: skip
    status, message, part = "completed", "", ""

    state.memory = load_memory(0.0, at)
    if system.contact is not None:
        state.memory |= system.contact.start(state, None)
    recorder.start(state, static_scalars(system, state, StepInfo(), at, 0.0) | _constraint_error(system, state, at))
    state.multipliers = first_reactions(system, state, at) / steps
    increment, finest = 1.0 / steps, 1.0 / steps / 1024
    before = state
    while state.t < 1.0 - 1e-12:
        target = min(state.t + increment, 1.0)
        try:
            after, info = _past(method, system, (state, before), target)
        except StepFailed as failure:
            settled = _settled(method, system, state, target) if state.t == 0.0 and increment == 1.0 / steps else None
            if settled is not None:
                state = settled
                continue
            increment *= 0.5
            if increment < finest:
                status, part = "failed", failure.part
                message = f"{failure} at load factor {state.t:.4g}" + (f" ('{part}')" if part else "")
                if _is_loose(system, part):
                    message += "; nothing holds it: add a joint or a support"
                elif any(not pair.elastic for pair in system.contacts):
                    message += (
                        "; a body that slides or tips has no equilibrium: hold it, raise the friction, or use relax"
                    )
                elif "singular" in message:
                    message += "; it is free to move, or about to buckle: hold it, or use relax"
                break
            continue
        before, state = state, after
        state.t = target
        recorder.record(
            state, static_scalars(system, state, info, at, 1.0 / steps) | _constraint_error(system, state, at)
        )
        increment = min(1.0 / steps, 2.0 * increment)
    if status == "completed":
        message = _doubt(method, system, state)
    result = recorder.finish(status, message, *clock.read())
    if status == "failed" and on_failure == "raise":
        raise ConvergenceError(f"statics: {message}; all before is kept", result=result, time=state.t, part=part)
    return result


def _is_loose(system: RunningSystem, body: str) -> bool:
    """Is there nothing but loads on that body, no joint or spring? (A body that is tied has rows in common with another.)"""
    owner = system.row_owner
    if body not in owner or system.contacts:
        return False
    _, forces, *_ = system.instances
    loads = {id(instance) for instance in forces if instance.law == DEAD_LOAD}
    for instance in chain(*system.instances):
        owners = {owner[row] for row in instance.rows}
        if body in owners and id(instance) not in loads and (instance.part != body or len(owners) > 1):
            return False
    return True


def _unloaded(system: RunningSystem) -> State:
    """The model as it is before the first increment: at rest, nothing displaced."""
    system.overrides.update(dict.fromkeys(system.displacements.tolist(), 0.0))
    state, _ = consistent_state(system, "zero-acceleration")
    for function in system.displacements.tolist():
        del system.overrides[function]
    state.v[:] = 0.0
    return state


def _doubt(method: Statics, system: RunningSystem, state: State) -> str:
    """A sentence if the equilibrium is unstable, also raised as a warning. (The stiffness of contact is not counted.)"""
    if system.contact is not None:
        return ""
    step = _Step(method, system, state, 0.0)
    step.evaluate(True)
    count = unstable_directions(system, step.out.A)
    if not count:
        return ""
    message = (
        f"the equilibrium is unstable in {count} direction{'s' if count > 1 else ''} (negative stiffness): a small load "
        "across it leads to another branch, trace_equilibrium follows the path past limit points"
    )
    warnings.warn(f"solve_static: {message}", StabilityWarning, stacklevel=3)
    return message


def _past(method: Statics, system: RunningSystem, last: tuple[State, State], target: float) -> tuple[State, StepInfo]:
    """An increment from the last equilibrium; if that one is a singular point, from the one before it and beyond it."""
    state, before = last
    try:
        return _increment(method, system, state, target - state.t)
    except StepFailed as failure:
        if "singular" not in str(failure) or before.t == state.t:
            raise
        return _increment(method, system, before, target - before.t)


def _increment(method: Statics, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
    """One increment, with full steps of Newton's method, which slender bodies need; if they fail, with a line search."""
    try:
        return method.step(system, state, h)
    except StepFailed:
        return method.step(system, state, h, search=True)


def _settled(method: Statics, system: RunningSystem, state: State, factor: float) -> State | None:
    """A model that is not balanced as it is drawn, moved near to its balance under `factor` of the loads; None if it is.

    Steps of pseudo-time h by implicit Euler, each from rest: r(x1) + m (x1 − x0)/h² = 0. Inertia holds what folds in Newton's
    method alone; as h grows the steps become those of statics.
    """
    start = _Step(method, system, state, -state.t)
    start.contact = None
    start.evaluate(False)
    q, r, scale = start.out.q, start.out.r[: system.motion_unknowns], start.out.r_scale[: system.motion_unknowns]
    force = float(np.abs(q[system.moving & (system.translation > 0)]).sum())
    if not (np.abs(r) > 1e-9 * scale.max(initial=0.0)).any() or not force > 0.0:
        return None
    mass = float(np.sum(system.row_mass * system.translation)) or 1.0
    first = h = 0.05 * float(np.sqrt(system.size * mass / force))
    at = replace(state, multipliers=np.zeros_like(state.multipliers))
    for _ in range(SETTLING):
        step = _Step(method, system, at, factor - at.t, 1.0 / h**2)
        try:
            after, info = step.run()
        except StepFailed:
            h *= 0.25
            if h < 1e-6 * first:
                return None
            continue
        after.t, at = at.t, after
        if info.iterations <= 1 and h > first:
            return at
        h *= 2.0 if info.iterations <= 8 else 1.0
    return None


def first_reactions(system: RunningSystem, state: State, at: float) -> np.ndarray:
    """Multipliers under all loads at the moment of release: a first guess, without which a hanging body is singular."""
    if not len(system.multipliers):
        return state.multipliers
    problem = RowProblem(system)
    _, multipliers = problem.acceleration(
        State(at, state.x, np.zeros_like(state.x), state.multipliers, turns=state.turns)
    )
    return problem.shared(multipliers)


def static_scalars(system: RunningSystem, state: State, info: StepInfo, at: float, step: float) -> dict[str, Any]:
    """What is recorded of an equilibrium; at [s]: the time of its loads."""
    there = State(at, state.x, np.zeros_like(state.x), state.multipliers, state.memory)
    return {
        **system.energy(there, system.stiffness(1.0), float(state.memory[LOAD_FACTOR][0])),
        "work": 0.0,
        "linear_momentum": np.zeros(system.d),
        "angular_momentum": np.zeros(3),
        "constraint_error": system.constraint_error(state.x, at),
        "iterations": info.iterations,
        "cuts": info.cuts,
        "step": step,
    }


def _constraint_error(system: RunningSystem, state: State, at: float) -> dict[str, float]:
    """Largest violation, with drives and displacements as far as they are under the load factor of the state."""
    c = np.zeros(len(system.multipliers))
    factor = float(state.memory[LOAD_FACTOR][0])
    assembly.constraint_values(system.links, system.constraints, state.x, targets_under(system, factor, at), c)
    return {"constraint_error": float(np.abs(c[system.hold != PENALTY]).max(initial=0.0))}


def targets_under(system: RunningSystem, factor: float, at: float) -> np.ndarray:
    """What constraints follow under a load factor: drives go from where they are at time 0, displacements from none."""
    targets = system.amplitudes(at)
    driven = np.unique(system.constraints.drive[system.constraints.drive >= 0])
    start = system.amplitudes(0.0)
    targets[driven] = start[driven] + factor * (targets[driven] - start[driven])
    targets[system.displacements] = factor * system.amplitudes(at)[system.displacements]
    return targets


def load_memory(factor: float, at: float) -> dict[str, np.ndarray]:
    """The memory of an equilibrium under `factor` times the loads at time `at` [s]."""
    return {LOAD_FACTOR: np.array([factor]), LOAD_TIME: np.array([at])}


class _Step(Iterate):
    """One increment of the load; where a body would turn by more than two radians, it is cut."""

    bounded = True

    def __init__(self, method: Statics, system: RunningSystem, state: State, h: float, inertia: float = 0.0) -> None:
        # Without any load there is no force to compare with: one that moves the model by its own size in 10⁶ s counts as none.
        least = SLIGHT * system.heaviest * system.size * system.levers[: system.motion_unknowns]
        super().__init__(system, state, system.stiffness(1.0), least, method.tolerance)
        system.set_pace(0.0)
        self.at, self.factor, self.inertia = method.at, state.t + h, inertia
        targets = targets_under(system, self.factor, method.at)
        self.loads = (self.factor * system.amplitudes(method.at), np.array([targets, targets]))
        self.still = np.zeros_like(state.x)
        system.swell(method.at, self.factor)

    def run(self) -> tuple[State, StepInfo]:
        info = StepInfo()
        self.system.place_driven(self.factor, self.x1)
        self.balance(info, passes=200)
        memory = load_memory(self.factor, self.at)
        return self.finished(self.factor, np.zeros_like(self.x1), memory, (self.at, self.at)), info

    def share_reactions(self) -> None:
        """With the masses: the stiffness alone may be singular where joints hold everything."""
        self.multipliers = RowProblem(self.system).share_reactions(self.x1, self.at, self.multipliers)

    def evaluate(self, tangent: bool) -> None:
        s = self.system
        loads = (self.factor * s.applied(self.at, self.x1, self.still), *self.loads)
        motion = (self.state.x, self.x1, self.x1, self.still, self.inertia * (self.x1 - self.x0), self.x_old)
        assembly.assemble(
            s.whole, motion, loads, (self.multipliers, *self.stiffness), assembly.END, assembly.END,
            (self.inertia, 1.0, 0.0), (assembly.NO_MAP, assembly.NO_MAP), tangent, self.out,
        )  # fmt: skip
        self.add_contact(tangent)
