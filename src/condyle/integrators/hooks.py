"""What a run calls while it goes on: hooks, and a user's own functions, whose mistakes are reported with their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from condyle.errors import CondyleError, InputError
from condyle.integrators.newton import StepInfo
from condyle.system.running import RunningSystem
from condyle.system.state import Batch, State


class Hook(Protocol):
    """What a run tells about itself, each at its own moment. The recorder and the progress bar are hooks like any other.

    scalars: energies, momenta and counts of a step by name, as `Simulation.scalars` gives them. number: of the last step,
    counted from the start of the run.
    """

    def begun(self, state: State, scalars: Mapping[str, Any]) -> None:
        """The run starts at this state; a run that is resumed does not call this."""

    def stepped(self, state: State, scalars: Mapping[str, Any], info: StepInfo, number: int) -> None:
        """One step was accepted."""

    def advanced(self, batch: Batch, number: int) -> None:
        """Compiled code took many steps at once."""


@runtime_checkable
class Watcher(Protocol):
    """A hook that also wants to know how the steps are taken, and when they are over."""

    def of_run(self, integrator: Mapping[str, Any]) -> None:
        """The run is about to begin, with this method as results describe it."""

    def ended(self, status: str) -> None:
        """The run is over, however it ended: 'completed', 'stopped', 'failed' …"""


class EachStep:
    """A user's function of (system, state, info) as a hook: it is called after every single step."""

    def __init__(self, function: Callable[[RunningSystem, State, StepInfo], None], system: RunningSystem) -> None:
        self._function, self._system = function, system

    def begun(self, state: State, scalars: Mapping[str, Any]) -> None:
        """Nothing: the function is called after steps only."""

    def stepped(self, state: State, scalars: Mapping[str, Any], info: StepInfo, number: int) -> None:
        """Call the function."""
        called("hook", self._function, self._system, state, info)

    def advanced(self, batch: Batch, number: int) -> None:
        """A run with such a function takes its steps one by one."""
        raise TypeError(f"the hook '{name_of(self._function)}' wants every step")


def name_of(function: Any) -> str:
    """How messages call a function."""
    return str(getattr(function, "__name__", type(function).__name__))


def called(kind: str, function: Callable[..., Any], *given: Any) -> Any:
    """What a function returns; an exception in it becomes an InputError that names it, with its own as the cause."""
    try:
        return function(*given)
    except CondyleError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise InputError(f"{kind} '{name_of(function)}' failed: {said}") from error


def value_of(event: Callable[..., Any], sim: Any) -> float:
    """The number that an event returns."""
    value = called("event", event, sim)
    is_number = isinstance(value, int | float | np.number) or getattr(value, "shape", None) == ()
    if not is_number or not math.isfinite(value):
        raise InputError(f"event '{name_of(event)}' must return a finite number, not {value!r} (at t = {sim.time:g})")
    return float(value)


def inputs_of(controller: Callable[..., Any], sim: object) -> dict[str, Any]:
    """The inputs that a controller sets; none if it returns None."""
    values = called("controller", controller, sim)
    if values is not None and not isinstance(values, dict):
        raise InputError(
            f"controller '{name_of(controller)}' must return a dict of input names and numbers, not {values!r}"
        )
    return values or {}


def check_functions(**given: Any) -> None:
    """InputError unless each of these is a list of functions."""
    for name, functions in given.items():
        if not _is_list(functions, callable):
            raise InputError(f"{name} must be a list of functions: {name}=[…], not {functions!r}")


def check_hooks(hooks: object) -> None:
    """InputError unless these are functions, or objects with the methods of `Hook`."""
    methods = ("begun", "stepped", "advanced")
    if not _is_list(hooks, lambda hook: callable(hook) or all(callable(getattr(hook, m, None)) for m in methods)):
        raise InputError(f"hooks must be a list of functions: hooks=[…], not {hooks!r}")


def _is_list(given: object, sound: Callable[[Any], bool]) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str) and all(map(sound, given))
