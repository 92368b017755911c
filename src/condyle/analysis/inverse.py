"""Inverse problems: which forces belong to a motion, and which muscles can give them.

All work on the saddle-point system m a + Gᵀ λ = f, G a = b at a state. A tension of 1 N along a path changes the
multipliers of all constraints by a fixed amount each; the tensions that make some of these multipliers vanish can take the
place of these constraints (Hovey 2000, 4.12–4.14, with the reactions on all bodies).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import ConvergenceError, InputError, unknown_name
from condyle.laws.compiling import Stopwatch
from condyle.model.model import Model
from condyle.muscles.hill import Muscle
from condyle.muscles.reading import PathReader
from condyle.system.compile import running
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state
from condyle.system.state import State
from condyle.system.system import System
from condyle.system.velocity_rows import refuse_rates

if TYPE_CHECKING:
    from condyle.muscles.path import AlongPath
    from condyle.results.result import Result

Array = NDArray[np.float64]


def inverse_dynamics(model: Model | System, times: ArrayLike) -> Result:
    """The forces of a motion that is prescribed completely, at given times [s]: a `Result` of these moments.

    Drives, and frames that move as prescribed, must leave nothing free. The multiplier 'drive' of a Drive is minus the torque
    or force that the motion needs; joint forces are those of the result. Motions must be smooth twice over: use `Spline`.
    """
    system = running(model)
    refuse_rates(system, "inverse_dynamics")
    t = as_times(times)
    system.step = float(np.diff(t).min()) if len(t) > 1 else 1e-3
    state, _ = consistent_state(system, "zero-acceleration")
    problem = RowProblem(system)
    x, v = state.x.copy(), state.v.copy()
    x, turns = _reach(system, problem, x, state.turns, 0.0, t[0])
    states, recorded = [], t[0]
    for k, now in enumerate(t):
        if k:
            x, turns = _reach(system, problem, x, turns, recorded, now)
        recorded = now
        problem.system.set_turns(turns)
        v = np.zeros_like(x)
        system.driven_velocity(now, v)
        problem.project_velocity(x, v, now)
        if k == 0:
            _nothing_free(system, problem, x, now)
        there = State(now, x.copy(), v, np.zeros(len(system.multipliers)), turns=turns.copy())
        acceleration, multipliers = problem.acceleration(there)
        there.multipliers = problem.shared(multipliers)
        there.memory = {"acceleration": acceleration}
        states.append(there)
    return as_result(system, states, "InverseDynamics")


def inverse_forces(result: Result, actuators: Sequence[AlongPath], holding: Sequence[str] | str) -> dict[str, Array]:
    """The tensions [N] along paths that take the place of constraints, in every frame of a run; shape (frames,) each.

    actuators: ForceActuators, Muscles or Ligaments, which need not be in the model; holding: names of joints, drives or other
    parts whose multipliers shall vanish. Negative tensions are possible; of several solutions the smallest is given.
    """
    system = result.system
    readers = _readers(system, actuators)
    columns = _held_columns(system, holding)
    problem = RowProblem(result._running())
    out = np.zeros((len(result), len(readers)))
    for k in range(len(result)):
        needed, response = _balance(problem, result.state(k), readers, columns)
        out[k] = np.linalg.lstsq(response, needed, rcond=1e-10)[0]
        if np.abs(response @ out[k] - needed).max() > 1e-6 * max(np.abs(needed).max(), 1e-12):
            raise InputError(
                f"inverse_forces: {', '.join(a.name for a in actuators)} cannot take the place of {_words(holding)} at "
                f"t = {result.times[k]:g} s; add actuators that act there"
            )
    return {a.name: out[:, i] for i, a in enumerate(actuators)}


def static_optimisation(
    result: Result, muscles: Sequence[AlongPath], holding: Sequence[str] | str, *, power: float = 2.0
) -> dict[str, dict[str, Array]]:
    """Muscle forces that take the place of drives, with the least Σ activation^power, in every frame of a run.

    muscles: Muscles (bounded by their force at their length and speed there, tendon rigid, fibres undamped) or ForceActuators
    (between 0 and their `force`); holding: names of the drives that they replace, as in `inverse_forces`. Returns
    'activation' and 'tension' [N] by name of the muscle, shape (frames,) each. Where they are too weak,
    ConvergenceError says when, and has the best attempt in its `result`.
    """
    system = result.system
    readers = _readers(system, muscles)
    columns = _held_columns(system, holding)
    problem = RowProblem(result._running())
    if not power >= 1.0:
        raise InputError(f"static_optimisation: power must be at least 1, not {power!r}")
    a, tension = np.zeros((len(result), len(muscles))), np.zeros((len(result), len(muscles)))
    weak, guess = (0.0, 0), np.full(len(muscles), 0.1)
    for k in range(len(result)):
        state = result.state(k)
        needed, response = _balance(problem, state, readers, columns)
        bounds = np.array([_strength(m, r, state) for m, r in zip(muscles, readers, strict=True)])
        active, passive = bounds.T
        guess, lack = _least_effort(response * active, needed - response @ passive, guess, power)
        a[k], tension[k] = guess, passive + guess * active
        if lack > weak[0]:
            weak = (lack, k)
    out = {m.name: {"activation": a[:, i], "tension": tension[:, i]} for i, m in enumerate(muscles)}
    if weak[0] > 1e-6:
        raise ConvergenceError(
            f"static_optimisation: the muscles are too weak to take the place of {_words(holding)} at "
            f"t = {result.times[weak[1]]:g} s, where {100 * weak[0]:.3g} % is missing; the best attempt is kept",
            result=out, time=float(result.times[weak[1]]),
        )  # fmt: skip
    return out


# --- what they share --------------------------------------------------------------------------------------------------


def as_times(times: ArrayLike) -> Array:
    """Increasing finite times [s]."""
    t = np.atleast_1d(np.asarray(times, dtype=float))
    if t.ndim != 1 or not t.size or not np.isfinite(t).all() or (np.diff(t) <= 0).any():
        raise InputError("times must be a list of finite numbers that increase [s]")
    return t


def as_result(
    system: RunningSystem,
    states: list[State],
    name: str,
    told: Sequence[Mapping[str, Any]] = (),
    status: str = "completed",
    integrator: Mapping[str, Any] | None = None,
) -> Result:
    """A result that has these states as its frames.

    told: energies and the like of each, found here if not given. integrator: the method that made them, if one did; it says
    at which times the multipliers belong.
    """
    from condyle.results.recorder import Recorder

    made_by = {"name": name, "multiplier_time": 1.0} if integrator is None else dict(integrator)
    recorder = Recorder(system, every=1, integrator=made_by, options={})
    clock = Stopwatch()
    for k, state in enumerate(states):
        scalars = told[k] if told else _numbers(system, state, states[k - 1].t)
        (recorder.start if k == 0 else recorder.record)(state, scalars)
    return recorder.finish(status, "", *clock.read())


def _numbers(system: RunningSystem, state: State, before: float) -> dict[str, Any]:
    """What is recorded of a step: energies, momenta, constraint error; before: the time at which it began [s]."""
    linear, angular = system.momentum(state)
    return {
        **system.energy(state), "work": 0.0, "linear_momentum": linear, "angular_momentum": angular,
        "constraint_error": system.constraint_error(state.x, state.t), "iterations": 0, "cuts": 0,
        "step": max(state.t - before, 0.0),
    }  # fmt: skip


def _reach(
    system: RunningSystem, problem: RowProblem, x: Array, turns: Array, t0: float, t1: float
) -> tuple[Array, Array]:
    """The configuration at t1 from that at t0, in pieces where angles move far."""
    followed = system.constraints.drive[system.constraints.drive >= 0]  # loads may change as they like
    change = np.abs(system.amplitudes(t1) - system.amplitudes(t0))[followed].max(initial=0.0)
    for t in np.linspace(t0, t1, max(1, int(np.ceil(change / 0.3))) + 1)[1:]:
        problem.system.set_turns(turns)
        system.place_driven(t, x)
        problem.project_position(x, t)
        turns = system.turns_at(x, turns)
    return x, turns


def _nothing_free(system: RunningSystem, problem: RowProblem, x: Array, t: float) -> None:
    """With everything prescribed no force can accelerate anything."""
    problem.factor(x, t)
    push = np.where(system.moving[:, None], np.random.default_rng(0).normal(size=x.shape), 0.0)
    y, _ = problem.solve(push, np.zeros(len(problem.system.multipliers)))
    free = np.linalg.norm(y, axis=1) * np.sqrt(np.maximum(system.row_mass, 0.0))
    if free.max() > 1e-6 * np.linalg.norm(push) / np.sqrt(max(system.row_mass.max(), 1e-300)):
        body = system.row_owner[int(np.argmax(free))]
        raise InputError(
            f"inverse_dynamics: the motion of '{body}' is not prescribed completely; add a Drive for each free coordinate"
        )


def _balance(
    problem: RowProblem, state: State, readers: list[PathReader], columns: NDArray[np.int64]
) -> tuple[Array, Array]:
    """What the chosen constraints now hold, and how much of it each unit tension takes over: response · F = needed."""
    _, multipliers = problem.acceleration(state)
    nothing = np.zeros(len(problem.system.multipliers))
    response = np.array([problem.solve(reader.pull(state.x), nothing)[1] for reader in readers]).T
    own = problem.own
    return multipliers[own][columns], -response[own][columns]


def _readers(system: System, parts: Sequence[Any]) -> list[PathReader]:
    if not parts:
        raise InputError("give at least one actuator or muscle")
    for part in parts:
        if not hasattr(part, "terms"):
            raise InputError(f"{getattr(part, 'label', part)} has no path; give Muscles, Ligaments or ForceActuators")
        part.validate(system.model)
        if part.name in system.model and isinstance(part, Muscle):
            raise InputError(
                f"{part.label} acts in the model already; take it out of the model, its force is what is sought"
            )
    return [PathReader(part.terms(system.points)) for part in parts]


def _held_columns(system: System, holding: Sequence[str] | str) -> NDArray[np.int64]:
    names = [holding] if isinstance(holding, str) else list(holding)
    owners = {m.part for m in system.multipliers}
    for name in names:
        if name not in owners:
            raise unknown_name("joint or drive", name, owners, where=f"model '{system.model.name}'")
    return np.array([k for k, m in enumerate(system.multipliers) if m.part in names], dtype=np.int64)


def _strength(part: object, reader: PathReader, state: State) -> tuple[float, float]:
    """Tension at full activation, less that of none, and that of none [N]."""
    if not isinstance(part, Muscle):
        return float(getattr(part, "force", 1.0)), 0.0
    from condyle.laws.muscle_places import ACTIVATION, DAMPING, RIGID
    from condyle.laws.muscles import muscle_tension

    p = np.array(part.parameters())
    p[RIGID], p[DAMPING] = 1.0, 0.0  # damping would push at low activation
    length, rate = reader.at(state.x)[0], reader.rate(state.x, state.v)
    if length <= part.tendon_length:
        raise InputError(
            f"{part.label}: at t = {state.t:g} s its path is {length:.4g} m long, not longer than its tendon "
            f"({part.tendon_length:.4g} m)"
        )
    forces = []
    for activation in (0.0, 1.0):
        p[ACTIVATION] = activation
        forces.append(float(muscle_tension(length, rate, activation, p)[0]))
    return forces[1] - forces[0], forces[0]


def _least_effort(R: Array, needed: Array, guess: Array, power: float) -> tuple[Array, float]:
    """a in [0, 1] with R a = needed and the least Σ a^power; and the share of `needed` that is missing."""
    from scipy.optimize import lsq_linear, minimize

    size = max(float(np.abs(needed).max()), 1e-9 * float(np.abs(R).max()), 1e-300)
    found: Any = minimize(  # type: ignore[call-overload]
        lambda a: float(np.sum(a**power)), np.clip(guess, 0.01, 1.0), jac=lambda a: power * a ** (power - 1.0),
        bounds=[(0.0, 1.0)] * R.shape[1], method="SLSQP", options={"ftol": 1e-14, "maxiter": 300},
        constraints={"type": "eq", "fun": lambda a: (R @ a - needed) / size, "jac": lambda a: R / size},
    )  # fmt: skip
    a = np.clip(found.x, 0.0, 1.0)
    lack = float(np.abs(R @ a - needed).max()) / size
    if lack > 1e-6:
        near = lsq_linear(R / size, needed / size, (0.0, 1.0)).x
        other = float(np.abs(R @ near - needed).max()) / size
        if other < lack:
            return np.asarray(near), other
    return a, lack


def _words(holding: Sequence[str] | str) -> str:
    return f"'{holding}'" if isinstance(holding, str) else ", ".join(f"'{h}'" for h in holding)
