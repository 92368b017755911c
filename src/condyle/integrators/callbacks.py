"""Functions of the user's own that a run calls: what goes wrong in them is reported with their name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from condyle.errors import CondyleError, InputError


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


def inputs_of(controller: Callable[..., Any], sim: Any) -> dict[str, Any]:
    """The inputs that a controller sets; none if it returns None."""
    values = called("controller", controller, sim)
    if values is not None and not isinstance(values, dict):
        raise InputError(
            f"controller '{name_of(controller)}' must return a dict of input names and numbers, not {values!r}"
        )
    return values or {}


def check_functions(**given: Any) -> None:
    """Each is a list of functions."""
    for name, functions in given.items():
        is_list = isinstance(functions, Sequence) and not isinstance(functions, str)
        if not is_list or not all(callable(function) for function in functions):
            raise InputError(f"{name} must be a list of functions: {name}=[…], not {functions!r}")


hooked = partial(called, "hook")
