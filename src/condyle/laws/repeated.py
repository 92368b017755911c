"""Kernels that Python calls again and again with the same tables.

Before each call Numba finds out the type of every column of every table, to choose machine code by it. For a model of one body
that takes longer than its step. Here an argument that is the very object of the last call is not looked at again, and of all
others only kind, axes and layout of their arrays are compared with those of the last call, or of earlier runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from condyle.laws.kernel import Kernel

__all__ = ["Repeated", "Repetitions"]

# Flags of an array that its type depends on: contiguous, aligned, writeable.
_LAYOUT = 0x0001 | 0x0100 | 0x0400
# Numbers by what machine code takes them for.
_NUMBERS = {bool: bool, np.bool_: bool, int: int, np.int64: int, float: float, np.float64: float}
LARGE = 2**14  # [bytes] an array above it is not kept for its type alone
MOST_FORMS = 16  # of a kernel, by the types of its arguments
Code = Callable[..., Any]
Form = tuple[tuple[Any, ...], Code]  # arguments, or what stands in for them, and the machine code for their types

# Of each kernel, by its identity, the forms in which any run has called it.
_forms: dict[int, deque[Form]] = {}


class Repeated:
    """One kernel, with the arguments of its last call: it keeps these alive, so it belongs to a run and not to a module."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._last: Form | None = None  # as one object: threads may take turns

    def __call__(self, *args: Any) -> Any:
        last = self._last
        if last is not None and len(args) == len(last[0]) and all(map(_is_alike, args, last[0])):
            if any(now is not before for now, before in zip(args, last[0], strict=True)):
                self._last = (args, last[1])
            return last[1](*args)
        return self._first(args, args)

    def in_passing(self, *args: Any) -> Any:
        """The same for arguments of which the large ones, as the record of many steps, are not to be kept alive."""
        last = self._last
        if last is not None and len(args) == len(last[0]) and all(map(_is_alike, args, last[0])):
            return last[1](*args)
        return self._first(args, tuple(_stand_in(value, LARGE) for value in args))

    def _first(self, args: tuple[Any, ...], kept: tuple[Any, ...]) -> Any:
        """A call with arguments that are not those of the last one."""
        for form, code in tuple(_forms.get(id(self._kernel), ())):
            if len(form) == len(args) and all(map(_is_alike, args, form)):
                self._last = (kept, code)
                return code(*args)
        found = self._kernel(*args)  # Numba chooses, and compiles or loads what it needs
        chosen = _machine_code(self._kernel, args)
        self._last = None
        if chosen is not None:
            self._last = (kept, chosen)
            known = _forms.setdefault(id(self._kernel), deque(maxlen=MOST_FORMS))
            known.append((tuple(_stand_in(value, 0) for value in args), chosen))
        return found


class Repetitions:
    """All kernels that a run calls so, each made when it is first called: ``run.call(kernel)(…)``."""

    def __init__(self) -> None:
        self._known: dict[int, Repeated] = {}

    def __call__(self, kernel: Any) -> Repeated:
        """The kernel as this run calls it. Kernels stand in modules, so that their identity tells them apart."""
        known = self._known.get(id(kernel))
        if known is None:
            known = self._known[id(kernel)] = Repeated(kernel)
        return known


def _stand_in(value: Any, size: int) -> Any:
    """What has the type of a value without its numbers, where these take more than so many bytes."""
    kind = type(value)
    if kind is np.ndarray:
        if value.nbytes <= size or not value.flags.c_contiguous or not value.flags.aligned:
            return value
        empty = np.zeros((0,) * value.ndim, value.dtype)
        empty.flags.writeable = value.flags.writeable
        return empty
    if not issubclass(kind, tuple):
        return value
    parts = [_stand_in(part, size) for part in value]
    if all(one is other for one, other in zip(parts, value, strict=True)):
        return value
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


def _is_alike(value: Any, last: Any) -> bool:
    """Has a value the type that the last one had in its place?"""
    if value is last:
        return True
    kind, before = type(value), type(last)
    if kind is not before:
        return kind in _NUMBERS and _NUMBERS[kind] is _NUMBERS.get(before)
    if kind is np.ndarray:
        layout = value.flags.num & _LAYOUT
        return bool(
            value.dtype is last.dtype and value.ndim == last.ndim and layout & 1 and layout == last.flags.num & _LAYOUT
        )
    if issubclass(kind, tuple):
        return len(value) == len(last) and all(map(_is_alike, value, last))
    return kind in _NUMBERS


def _machine_code(kernel: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """What Numba calls for arguments of these types; None where nothing is compiled."""
    if not isinstance(kernel, Kernel):
        return None
    dispatcher = kernel.dispatcher
    types = tuple(dispatcher.typeof_pyval(value) for value in args)
    result = dispatcher.overloads.get(types)
    code: Callable[..., Any] | None = None if result is None else result.entry_point
    return code
