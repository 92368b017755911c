"""One model, many integrators and steps: errors against a reference, orders, cost and what is conserved.

comparison = cd.compare(model, end=1.0, steps=(0.02, 0.01, 0.005), integrators=("EnergyMomentum", "BDF2"))
print(comparison)
comparison.plot().savefig("work-precision.png")
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.comparison import Comparison, Run
from condyle.errors import ConvergenceError, InputError, unknown_name
from condyle.integrators.registry import make_integrator
from condyle.integrators.simulation import Simulation
from condyle.model.model import Model
from condyle.system.compile import running
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.integrators.simulation import Integrator

Array = NDArray[np.float64]
DEFAULT_INTEGRATORS = ("EnergyMomentum", "GeneralizedAlpha", "Newmark", "HHT", "BDF1", "BDF2", "RungeKutta")
FINER = 10  # steps of a reference that does not choose its own, between two times that are compared
CONSERVED = 1e-7  # a momentum that the reference changes by less, relative to its size, counts as conserved


def compare(
    model: Model | System,
    end: float,
    *,
    steps: Sequence[float] = (0.02, 0.01, 0.005),
    integrators: Sequence[Integrator | str] | None = None,
    reference: Integrator | str | None = None,
    formulation: str = "tangent",
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Simulate a model from 0 to `end` [s] with every integrator and every step [s], and measure all against a reference.

    integrators: names, with options as in 'HHT(alpha=0.2)', or objects; also a user's own, see `register_integrator`. By
    default all second-order methods and some others that the model allows. reference: an integrator that is more exact than
    all others; its states are computed at the times of the runs. By default SciPy's DOP853; where muscles carry states,
    EnergyMomentum with ten steps between every two of these times.
    progress: called with a line of text before every run.

    Errors are the largest over all rows and all steps: of positions relative to the size of the model (of directions, to
    1), of velocities and multipliers relative to the largest of their kind in the reference. Multipliers are compared at
    the time they belong to (of the energy–momentum method: mid-step). A run that fails has no errors but a message.
    """
    system = running(model, formulation=formulation)
    if integrators is None:
        integrators = [name for name in DEFAULT_INTEGRATORS if name != "RungeKutta" or not system.has_states]
    reference = reference or ("EnergyMomentum" if system.has_states else "DOP853")
    _check(end, steps, integrators)
    methods = _named(integrators)
    ((reference_label, exact),) = _named([reference])
    tell = progress or (lambda line: None)
    paths = []
    for label, method in methods:
        for h in sorted(set(map(float, steps)), reverse=True):
            tell(f"{label}, step {h:g} s")
            paths.append((label, method, _follow(system, method, float(end), h)))
    tell(f"reference: {reference_label}")
    wanted = np.unique(np.concatenate([np.concatenate((p.times, p.multiplier_times)) for _, _, p in paths]).round(13))
    truth = _reference_at(system, exact, wanted)
    runs = [_measured(system, label, method, path, truth) for label, method, path in paths]
    return Comparison(
        model=system.model.name,
        end=float(end),
        reference=reference_label,
        floor=30.0 * float(getattr(exact, "rtol", 1e-12)),
        runs=runs,
    )


def named_model(name: str, *, allow: Sequence[Path] = (), allow_code: bool = False) -> Model:
    """A model file as `Model.load` reads it, or one of the small built-in models."""
    from condyle.analysis.examples import EXAMPLES

    if name in EXAMPLES:
        return EXAMPLES[name]()
    if Path(name).suffix or Path(name).exists():
        return Model.load(name, allow=allow, allow_code=allow_code)
    raise unknown_name("model", name, EXAMPLES, where="compare (give a model file, or a name)")


def split_names(text: str) -> list[str]:
    """Names at the commas that stand outside brackets: 'BDF2,HHT(alpha=0.1,hold="all")'."""
    names, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            names.append("")
        else:
            names[-1] += letter
    return [name.strip() for name in names if name.strip()]


@dataclass
class _Path:
    """States of a run and what was measured on the way."""

    step: float
    states: list[State]
    multiplier_times: Array
    wall_time: float
    iterations: float
    energy_drift: float
    momenta: Array
    constraint_error: float
    message: str = ""

    @property
    def times(self) -> Array:
        return np.array([state.t for state in self.states])


def _follow(system: RunningSystem, method: Any, end: float, h: float) -> _Path:
    """Run one integrator with one step; only the steps themselves are timed."""
    wall, iterations, message = 0.0, [], ""
    _warm_up(system, method, h)
    sim = Simulation(system, dt=h, integrator=method)
    states, energies, momenta, work = [sim.state], [sim.energy()], [_momenta(sim)], [0.0]
    gap = system.constraint_error(sim.state.x, sim.state.t)
    count = max(1, math.ceil(end / h - 1e-9))
    for k in range(1, count + 1):
        target = end if k == count else k * h
        began = time.perf_counter()
        try:
            info = sim.step(target - sim.time)
        except ConvergenceError as error:
            message = str(error)
            break
        wall += time.perf_counter() - began
        sim.state.t = target
        iterations.append(info.iterations)
        states.append(sim.state)
        energies.append(sim.energy())
        momenta.append(_momenta(sim))
        work.append(sim.work)
        gap = max(gap, system.constraint_error(sim.state.x, sim.state.t))
    times = np.array([state.t for state in states])
    balance = np.array([e["total"] for e in energies]) - np.array(work)
    size = max(max(abs(value) for value in e.values()) for e in energies)
    return _Path(
        step=h,
        states=states,
        multiplier_times=times[1:] - (1.0 - method.multiplier_time) * np.diff(times),
        wall_time=wall / max(times[-1], h),
        iterations=float(np.mean(iterations)) if iterations else 0.0,
        energy_drift=float(np.abs(balance - balance[0]).max() / (size if size > 0.0 else 1.0)),
        momenta=np.array(momenta),
        constraint_error=gap,
        message=message,
    )


def _warm_up(system: RunningSystem, method: Any, h: float) -> None:
    """One step that nobody times: kernels are loaded and symbolic factorisations made."""
    with contextlib.suppress(ConvergenceError):
        Simulation(system, dt=h, integrator=method).step()


def _momenta(sim: Simulation) -> Array:
    return np.concatenate(sim.system.momentum(sim.state))


def _reference_at(system: RunningSystem, method: Any, times: Array) -> dict[float, tuple[State, Array]]:
    """States of the reference and their momenta at the wanted times."""
    sim = Simulation(system, dt=float(times[-1]), integrator=method)
    truth = {}
    for t in times:
        if t > sim.time:
            between = 1 if getattr(method, "adaptive", False) else FINER
            for k in range(between, 0, -1):
                sim.step((float(t) - sim.time) / k)
            sim.state.t = float(t)
        truth[float(t)] = (sim.state, _momenta(sim))
    return truth


def _measured(
    system: RunningSystem, label: str, method: object, path: _Path, truth: dict[float, tuple[State, Array]]
) -> Run:
    """A row of the table."""
    run = Run(
        integrator=label,
        step=path.step,
        steps=len(path.states) - 1,
        wall_time=path.wall_time,
        iterations=path.iterations,
        energy_drift=path.energy_drift,
        momentum_drift=_momentum_drift(system, path, truth),
        constraint_error=path.constraint_error,
        adaptive=bool(getattr(method, "adaptive", False)),
        message=path.message,
    )
    if path.message:
        return run
    exact = [truth[t][0] for t in path.times.round(13)]
    kinds = system.translation > 0
    rows = [kinds & system.moving, ~kinds & system.moving]
    x, x_exact = (np.array([s.x for s in states]) for states in (path.states, exact))
    v, v_exact = (np.array([s.v for s in states]) for states in (path.states, exact))
    run.position_error = max(
        _largest(x[:, k] - x_exact[:, k]) / size for k, size in zip(rows, (system.size, 1.0), strict=True)
    )
    run.velocity_error = _relative([(v[:, k], v_exact[:, k]) for k in rows])
    if system.multipliers and len(path.states) > 1:
        force = np.array([s.multipliers for s in path.states[1:]])
        force_exact = np.array([truth[t][0].multipliers for t in path.multiplier_times.round(13)])
        links = np.arange(len(system.multipliers)) < system.d * system.links.law.size
        run.multiplier_error = _relative([(force[:, k], force_exact[:, k]) for k in (links, ~links)])
    return run


def _relative(pairs: list[tuple[Array, Array]]) -> float:
    """Largest error of each kind relative to the largest value of its kind; a kind that is zero is left out."""
    sizes = [_largest(exact) for _, exact in pairs]
    errors = [
        _largest(value - exact) / size
        for (value, exact), size in zip(pairs, sizes, strict=True)
        if size > 1e-9 * max(sizes) > 0.0
    ]
    return max(errors, default=0.0)


def _momentum_drift(system: RunningSystem, path: _Path, truth: dict[float, tuple[State, Array]]) -> float | None:
    """Change of those components of linear and angular momentum that the reference keeps; None if it keeps none."""
    exact = np.array([momenta for _, momenta in truth.values()])
    drift = None
    for part in (slice(0, system.d), slice(system.d, None) if system.d == 3 else slice(4, 5)):
        size = _largest(exact[:, part])
        kept = np.ptp(exact[:, part], axis=0) <= CONSERVED * size
        change = np.abs(path.momenta[:, part] - path.momenta[0, part])[:, kept]
        if size > 0.0 and kept.any():
            drift = max(drift or 0.0, float(change.max()) / size)
    return drift


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _method(given: object) -> Any:
    if isinstance(given, str):
        return make_integrator(given)
    if isinstance(given, type) or not (hasattr(given, "step") and hasattr(given, "prepare")):
        raise InputError(f"compare: {given!r} is no integrator; give a name or an object such as condyle.HHT()")
    return given


def _label(method: object) -> str:
    """Name and what differs from the default: 'HHT(alpha=0.2)'."""
    text = repr(method)
    kind = type(method).__name__
    try:
        standard = type(method)()
    except TypeError:
        return kind
    changed = [
        f"{k}={value!r}"
        for k, value in vars(method).items()
        if not k.startswith("_") and value != getattr(standard, k, None)
    ]
    return f"{kind}({', '.join(changed)})" if changed and text.startswith(kind) else kind


def _named(integrators: Sequence[Any]) -> list[tuple[str, Any]]:
    out = []
    for given in integrators:
        method = _method(given)
        out.append((given.strip() if isinstance(given, str) else _label(method), method))
    labels = [label for label, _ in out]
    twice = {label for label in labels if labels.count(label) > 1}
    if twice:
        raise InputError(f"compare: the integrator {', '.join(sorted(twice))} is given twice")
    return out


def _check(end: float, steps: Sequence[float], integrators: Sequence[Any]) -> None:
    if not (isinstance(end, int | float | np.number) and math.isfinite(end) and end > 0):
        raise InputError(f"compare: end must be a positive time [s], not {end!r}")
    if isinstance(integrators, str) or not len(integrators):
        raise InputError("compare: give a list of integrators, for example ('EnergyMomentum', 'BDF2')")
    if isinstance(steps, int | float) or not len(steps):
        raise InputError("compare: give a list of steps [s], for example (0.02, 0.01, 0.005)")
    for h in steps:
        if not (isinstance(h, int | float | np.number) and math.isfinite(h) and 0 < h <= end):
            raise InputError(f"compare: a step must be between 0 and the end {end:g} s, not {h!r}")
