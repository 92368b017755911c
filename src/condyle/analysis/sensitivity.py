"""Sensitivities of a motion to parameters of its model, by differentiating the steps themselves (`step_slopes`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.step_slopes import PLACES, Direction, factorise, reach, shift, slope
from condyle.analysis.tie_forces import tie_force
from condyle.errors import ConvergenceError, InputError, unknown_name
from condyle.integrators.driver import check_options, describe
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.simulation import Integrator, Simulation
from condyle.model.model import Model
from condyle.results.recorder import Recorder
from condyle.results.result import Result
from condyle.system.linear import SingularMatrixError
from condyle.system.state import State
from condyle.system.tables import UZAWA

if TYPE_CHECKING:
    from condyle.model.given import Json

__all__ = ["SensitiveRun"]

Array = NDArray[np.float64]
Curves = Mapping[str, tuple[Any, Any]]


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

    Attributes
    ----------
    linear : the parameters of the last `derivatives` that entered the equations of all steps linearly, so that their
        derivatives are exact but for rounding and the curvature of the motion
    """

    build: Callable[..., Model]
    read: Callable[[Result], Curves]
    end: float
    dt: float
    integrator: Integrator | str | None = None
    start: str = "consistent"
    linear: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        check_options(self.end, self.dt, 1, None, "raise")

    def __call__(self, **parameters: Json) -> Curves:
        """The curves, from an ordinary simulation."""
        from condyle.analysis.dynamics import simulate

        model = self.build(**parameters)
        return self.read(simulate(model, end=self.end, dt=self.dt, integrator=self.integrator, start=self.start))

    def derivatives(
        self, by: Sequence[str] | None = None, **parameters: Json
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

        def neighbour(name: str) -> Callable[[float], Simulation]:
            return lambda value: self._simulation({**parameters, name: value})

        lines = [_Line(Direction(name, float(parameters[name]), base, neighbour(name))) for name in by]
        states, lengths = [base.state], [self.dt]
        for line in lines:
            line.slopes.append(line.direction.slope)
        for step in range(1, round((self.end - base.time) / self.dt) + 2):
            begin = base.time
            target = min(step * self.dt, self.end)
            if target <= begin + 1e-9 * self.dt:
                break
            _advance(base, lines, target)
            states.append(base.state)
            lengths.append(target - begin)
        self.linear = tuple(line.direction.name for line in lines if line.direction.linear)
        history = _History(self, self._simulation(parameters), states, lengths)
        times = {curve: np.asarray(pair[0]) for curve, pair in self.read(history.result(states)).items()}
        values = history.curves(states)
        slopes = {line.direction.name: line.of_curves(history) for line in lines}
        return {
            curve: (times[curve], values[curve], {name: found[curve] for name, found in slopes.items()})
            for curve in values
        }

    def _simulation(self, parameters: Mapping[str, Any]) -> Simulation:
        sim = Simulation(self.build(**parameters), dt=self.dt, integrator=self.integrator, start=self.start)
        sim.watch.on = False  # no step is taken by it
        return sim


@dataclass
class _History:
    """What is read of a run: states of a simulation, with the lengths of the steps to them [s]."""

    run: SensitiveRun
    sim: Simulation
    states: Sequence[State]
    lengths: Sequence[float]

    def result(self, states: Sequence[State], sim: Simulation | None = None) -> Result:
        """Other states as a result, of this simulation or another."""
        sim = sim or self.sim
        options = {"begin": states[0].t, "end": self.run.end, "dt": self.run.dt, "start": self.run.start}
        recorder = Recorder(sim.system, integrator=describe(sim.method), options=options, tie_force=tie_force)
        for k, (state, h) in enumerate(zip(states, self.lengths, strict=True)):
            sim.state = state
            note = recorder.record if k else recorder.begun
            note(state, sim.scalars(StepInfo(), h))
        return recorder.finish("completed", "", 0.0)

    def curves(self, states: Sequence[State], sim: Simulation | None = None) -> dict[str, Array]:
        """The curves that are read of them."""
        found = self.run.read(self.result(states, sim))
        return {curve: np.asarray(pair[1], dtype=float) for curve, pair in found.items()}


@dataclass
class _Line:
    """A parameter, with the slopes of all states."""

    direction: Direction
    slopes: list[dict[str, Array]] = field(default_factory=list)

    def of_curves(self, history: _History) -> dict[str, Array]:
        """Slopes of all curves: because the states change, and because what is read of them changes."""
        direction = self.direction
        largest = {
            name: np.array([np.abs(slopes[name]).max(initial=0.0) for slopes in self.slopes]) for name in self.slopes[0]
        }
        epsilon = reach(largest, direction.sizes, direction.epsilon)
        moved = {}
        for k in PLACES:
            pairs = zip(history.states, self.slopes, strict=True)
            moved[k] = history.curves([shift(history.sim, state, slopes, k * epsilon) for state, slopes in pairs])
        own = {k: history.curves(history.states, sim) for k, sim in direction.near.items()}
        by_state, by_parameter = slope(moved, epsilon), slope(own, direction.epsilon)
        return {curve: by_state[curve] + by_parameter[curve] for curve in by_state}


def _advance(base: Simulation, lines: Sequence[_Line], target: float) -> None:
    """One step of the model and, with its matrix, of all slopes."""
    before, h = base.state, target - base.time
    method: Any = base.method
    try:
        step = method.iterate(base.system, before, h)
        step.begin()
        step.balance(StepInfo())
        z = step.step.copy(), step.turn.copy(), step.multipliers.copy()
        after = step.close()
        solved = factorise(base, before, h, z)
    except (StepFailed, SingularMatrixError) as failure:
        raise ConvergenceError(
            f"sensitivities: {failure}, at t = {base.time:.6g}; steps are not cut here, take a smaller dt",
            time=base.time,
        ) from None
    after.t = target
    for line in lines:
        line.direction.step(before, h, z, solved)
        line.slopes.append(line.direction.slope)
    base.state = after
    base.steps += 1


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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
