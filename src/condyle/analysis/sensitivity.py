"""Sensitivities of a motion to parameters of its model, by differentiating the steps themselves.

A step solves R(z; s, p) = 0 for its unknowns z, from the state s before it and with the parameters p; what follows from z is
the state after it. With s + ε δs and p + ε in place of s and p, Newton's corrections with the one matrix A = ∂R/∂z of the step,

    z(ε) ← z(ε) − A⁻¹ R(z(ε); s + ε δs, p + ε),

move z along δz = −A⁻¹ (∂R/∂s δs + ∂R/∂p), which the direct method solves for; the first correction has it, two more remove
what A is regularised by. So nothing is differentiated by hand, whatever laws a model has: residuals and the end of a step are
smooth functions of ε, and their slopes at 0 are taken by a formula of fourth order from four small ε, to about ten digits. Runs
are never compared with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.tie_forces import tie_force
from condyle.errors import ConvergenceError, InputError, unknown_name
from condyle.integrators.driver import check_options, describe
from condyle.integrators.newton import Iterate, StepFailed, StepInfo
from condyle.integrators.simulation import Integrator, Simulation
from condyle.model.model import Model
from condyle.results.recorder import Recorder
from condyle.results.result import Result
from condyle.system.assembly.maps import place
from condyle.system.linear import SingularMatrixError
from condyle.system.state import State
from condyle.system.tables import UZAWA

__all__ = ["SensitiveRun"]

Array = NDArray[np.float64]
Curves = Mapping[str, tuple[Any, Any]]

EPSILON = 3e-4  # of a parameter: far above rounding, and the fourth power of it far below
PLACES = (-2, -1, 1, 2)
CORRECTIONS = 3


@dataclass
class SensitiveRun:
    """A simulation as a function of parameters, whose derivatives are known: for `identify`, or to be called.

    `run(**parameters)` gives curves, `run.derivatives(**parameters)` gives them with their derivatives.

    Parameters
    ----------
    build : ``build(**parameters) -> Model``
    read : ``read(result) -> {curve: (times, values)}``
    end, dt, integrator, start : as for `simulate`. The integrator is one whose steps are implicit and balance a residual:
        EnergyMomentum, GeneralizedAlpha, Newmark or HHT
    """

    build: Callable[..., Model]
    read: Callable[[Result], Curves]
    end: float
    dt: float
    integrator: Integrator | str | None = None
    start: str = "consistent"

    def __post_init__(self) -> None:
        check_options(self.end, self.dt, 1, None, "raise")

    def __call__(self, **parameters: Any) -> Curves:
        """The curves, from an ordinary simulation."""
        from condyle.analysis.dynamics import simulate

        model = self.build(**parameters)
        return self.read(simulate(model, end=self.end, dt=self.dt, integrator=self.integrator, start=self.start))

    def derivatives(
        self, by: Sequence[str] | None = None, **parameters: Any
    ) -> dict[str, tuple[Array, Array, dict[str, Array]]]:
        """Curve → (times, values, {parameter: derivative of the values}), by these parameters or by all that are numbers.

        InputError where the integrator or the model does not allow it: contact, Uzawa's loop, methods that are explicit.
        """
        if by is None:
            by = [name for name, value in parameters.items() if _is_number(value)]
        for name in by:
            if name not in parameters:
                raise unknown_name("parameter", name, parameters, where="sensitivities")
            if not _is_number(parameters[name]):
                raise InputError(f"sensitivities: {name!r} is {parameters[name]!r}; only numbers have derivatives")
        base = self._simulation(parameters)
        _check(base)
        lines = [_Direction(self, base, parameters, name) for name in by]
        recorder = _recorder(base, self)
        for step in range(1, round((self.end - base.time) / self.dt) + 2):
            begin = base.time
            target = min(step * self.dt, self.end)
            if target <= begin + 1e-9 * self.dt:
                break
            _advance(base, lines, target)
            _record(recorder, base, target - begin)
        found = self.read(recorder.finish("completed", "", 0.0))
        slopes = {line.name: line.slopes(self.read) for line in lines}
        return {
            curve: (np.asarray(times), np.asarray(values), {name: slope[curve] for name, slope in slopes.items()})
            for curve, (times, values) in found.items()
        }

    def _simulation(self, parameters: Mapping[str, Any]) -> Simulation:
        sim = Simulation(self.build(**parameters), dt=self.dt, integrator=self.integrator, start=self.start)
        sim.watch.on = False  # no step is taken by it
        return sim


class _Direction:
    """One parameter: four neighbours of the model, and how the state changes with the parameter."""

    def __init__(self, run: SensitiveRun, base: Simulation, parameters: Mapping[str, Any], name: str) -> None:
        self.name, value = name, float(parameters[name])
        self.epsilon = EPSILON * abs(value) or EPSILON
        self.sims = {k: run._simulation({**parameters, name: value + k * self.epsilon}) for k in PLACES}
        for k, sim in self.sims.items():
            if sim.state.x.shape != base.state.x.shape or sim.system.unknowns != base.system.unknowns:
                raise InputError(
                    f"sensitivities: the model has other unknowns with {name} = {value + k * self.epsilon:.6g}; derivatives "
                    "exist by what changes numbers only"
                )
        self.slope = _slope({k: _arrays(sim.state) for k, sim in self.sims.items()}, self.epsilon)
        self.recorders = {k: _recorder(sim, run, self.shifted(base.state, k)) for k, sim in self.sims.items()}

    def shifted(self, state: State, k: int) -> State:
        """The state with the parameter k ε further."""
        sim = self.sims[k]
        made = _with_arrays(state, {n: a + k * self.epsilon * self.slope[n] for n, a in _arrays(state).items()})
        sim.system.clean_directors(made.x)
        return made

    def slopes(self, read: Callable[[Result], Curves]) -> dict[str, Array]:
        """Of all curves."""
        found = {k: read(recorder.finish("completed", "", 0.0)) for k, recorder in self.recorders.items()}
        curves = {k: {curve: np.asarray(pair[1], dtype=float) for curve, pair in f.items()} for k, f in found.items()}
        return _slope(curves, self.epsilon)


def _advance(base: Simulation, lines: Sequence[_Direction], target: float) -> None:
    """One step of the model and, with its matrix, of all its neighbours."""
    before, h = base.state, target - base.time
    try:
        step = _iterate(base, before, h)
        step.begin()
        step.balance(StepInfo())
        z = step.step.copy(), step.turn.copy(), step.multipliers.copy()
        after = step.close()
        matrix = _placed(_iterate(base, before, h), z)
        matrix.remember()  # the tangent of elements at the very iterate
        matrix.evaluate(True)
        base.system.regularise(matrix.out.A)
        base.system.solver.factor(matrix.out.A)
    except (StepFailed, SingularMatrixError) as failure:
        raise ConvergenceError(
            f"sensitivities: {failure}, at t = {base.time:.6g}; steps are not cut here, take a smaller dt",
            time=base.time,
        ) from None
    for line in lines:
        ends = {k: _arrays(_corrected(base, sim, line.shifted(before, k), h, z)) for k, sim in line.sims.items()}
        line.slope = _slope(ends, line.epsilon)
    base.state = after
    base.state.t = target
    base.steps += 1
    for line in lines:
        for k, sim in line.sims.items():
            sim.state = line.shifted(after, k)
            _record(line.recorders[k], sim, h)


def _corrected(base: Simulation, sim: Simulation, before: State, h: float, z: tuple[Array, ...]) -> State:
    """The end of a neighbour's step: from the unknowns of the model, by corrections with the matrix of the model."""
    step, system = _placed(_iterate(sim, before, h), z), sim.system
    for _ in range(CORRECTIONS):
        step.remember()
        step.evaluate(False)
        rhs = np.zeros(system.unknowns)
        rhs[: system.motion_unknowns] = -step.out.r[: system.motion_unknowns]
        system.held_unknowns(step.out.c, rhs)
        step.apply(base.system.solver.solve(rhs), 1.0)
    step.evaluate(False)
    system.clean_directors(step.x1)
    if base.system.redundant:
        step.share_reactions()
    return step.close()


def _iterate(sim: Simulation, state: State, h: float) -> Any:
    method: Any = sim.method
    return method.iterate(sim.system, state, h)


def _placed(step: Iterate, z: tuple[Array, ...]) -> Any:
    """A step whose iterate has the unknowns z: steps of rows, turns of bodies, multipliers."""
    step.step[:], step.turn[:], step.multipliers = z[0], z[1], z[2].copy()
    step.system.place_driven(step.state.t + step.h, step.x1)
    place(step.system.rows, step.x0, step.x1, step.step, step.turn)
    return step


def _check(sim: Simulation) -> None:
    """InputError where steps cannot be differentiated."""
    system, method = sim.system, sim.method
    name, why = type(method).__name__, ""
    if not callable(getattr(method, "iterate", None)) or getattr(method, "explicit", False):
        why = f"steps of {name} are no balance that one matrix solves; take EnergyMomentum, GeneralizedAlpha, Newmark or HHT"
    elif system.contact is not None:
        why = "contact opens and closes, where derivatives jump; identify with differences (gradients='differences')"
    elif (system.hold == UZAWA).any():
        why = "constraints held by Uzawa's outer loop are not iterated with the motion; take enforcement='multiplier'"
    if why:
        raise InputError(f"sensitivities of model '{system.model.name}': {why}")


def _recorder(sim: Simulation, run: SensitiveRun, state: State | None = None) -> Recorder:
    options = {"begin": sim.time, "end": run.end, "dt": run.dt, "start": run.start}
    recorder = Recorder(sim.system, integrator=describe(sim.method), options=options, tie_force=tie_force)
    sim.state = sim.state if state is None else state
    recorder.begun(sim.state, sim.scalars(StepInfo(), run.dt))
    return recorder


def _record(recorder: Recorder, sim: Simulation, h: float) -> None:
    recorder.record(sim.state, sim.scalars(StepInfo(), h))


def _arrays(state: State) -> dict[str, Array]:
    """All numbers of a state by name."""
    own = {"x": state.x, "v": state.v, "multipliers": state.multipliers, "turns": state.turns}
    return own | {f"memory/{name}": array for name, array in state.memory.items()}


def _with_arrays(state: State, arrays: Mapping[str, Array]) -> State:
    memory = {name.removeprefix("memory/"): a for name, a in arrays.items() if name.startswith("memory/")}
    return State(state.t, arrays["x"], arrays["v"], arrays["multipliers"], memory, arrays["turns"])


def _slope(values: Mapping[int, Mapping[str, Array]], epsilon: float) -> dict[str, Array]:
    """Derivatives by the parameter, of fourth order in ε: (8 (f₁ − f₋₁) − (f₂ − f₋₂)) / 12 ε."""
    names = values[1].keys()
    return {
        name: (8.0 * (values[1][name] - values[-1][name]) - (values[2][name] - values[-2][name])) / (12.0 * epsilon)
        for name in names
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
