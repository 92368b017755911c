"""The one gate for what a user declares: every field is checked against its annotation before anything is done with it.

| annotation | what may stand there |
|---|---|
| `float` | one finite number |
| `int` | one whole number of reasonable size |
| `bool`, `str` | True or False; a text, or a part in place of its name |
| `OnBody` | a body, or its name |
| `Vector` | finite numbers: 2 or 3 components |
| `Numbers` | finite numbers: one, a list, rows of them, … |
| `Wholes` | the same, all of them whole |
| `Cells` | the same, or a dict of several of them by name |
| `Places`, `Sets`, `Facets`, `Groups` | a dict with names |
| `dict[str, float]` | a dict with names and finite numbers |

A field that is declared with `quantity` or `choice` (`quantities.py`) is also held against its bounds or words.

The types that are no Python types stand in `given.py`. With `| None` or `OrNone`, or where None is the default, None may stand
there too. All other fields are checked by their parts. Text,
None, True and False are no numbers: '3' is a mistake in a file, not three.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import CondyleError, InputError
from condyle.model.given import bare, takes_none
from condyle.model.quantities import checker

MOST = 10**7  # elements, points, …: more is a mistake that would fill the memory before it is noticed
RAW = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError, RecursionError)


class _Wrong(Exception):
    """What a value must be, in words."""


def check_fields(made: Any, label: str) -> None:
    """InputError if a field of a declared thing holds what its annotation does not allow."""
    for name, none_ok, check, keep in _checks(made.__class__):
        value = getattr(made, name)
        if value is None and none_ok:
            continue
        try:
            if check is not None:
                check(value)
        except _Wrong as wrong:
            raise InputError(f"{label}: {name} must be {wrong}, not {shown(value)}") from None
        if keep is not None:
            object.__setattr__(made, name, keep(value, f"{label}: {name}"))


class blamed:
    """Errors name what they are about. An exception that nobody has foreseen becomes an InputError; its cause is kept."""

    __slots__ = ("label",)

    def __init__(self, label: str) -> None:
        self.label = label

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            begin = self.label.split()[0]
            if not str(error).startswith((self.label, f"{begin} ", f"{begin}:")):
                raise type(error)(f"{self.label}: {error}") from None
        elif isinstance(error, RAW) and not isinstance(error, CondyleError):
            said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise InputError(f"{self.label}: something given to it is not what it can be ({said})") from error


def shown(value: object) -> str:
    """A value in a message, in short."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def numbers(
    value: object, what: str, *, shape: tuple[int, ...] | None = None, above: float | None = None, unit: str = ""
) -> NDArray[np.float64]:
    """`value` as an array of finite numbers of that shape, all `above` a bound; `what` names it in an error."""
    count = f"{shape[0]} " if shape is not None and len(shape) == 1 else ""
    wanted = f"{count}finite numbers{unit}" if shape != () else f"a finite number{unit}"
    try:
        _is_numbers(value)
        array = np.asarray(value, dtype=float)
    except (_Wrong, *RAW):
        raise InputError(f"{what} must be {wanted}, not {shown(value)}") from None
    if shape is not None and array.shape != shape:
        raise InputError(
            f"{what} must be {wanted}{'' if count or not shape else f' of shape {shape}'}, not {shown(value)}"
        )
    if above is not None and not (array > above).all():
        raise InputError(f"{what} must be above {above:g}, not {shown(value)}")
    return array


def _is_number(value: object) -> None:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        raise _Wrong("a number")
    if isinstance(value, complex | np.complexfloating):
        raise _Wrong("a number")
    if not math.isfinite(value):
        raise _Wrong("finite")


def _is_whole(value: object) -> None:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise _Wrong("a whole number")
    if abs(int(value)) > MOST:
        raise _Wrong(f"a whole number of at most {MOST:g}")


def _is_text(value: object) -> None:
    if not isinstance(value, str) and not isinstance(getattr(value, "name", None), str):
        raise _Wrong("a text")


def _is_body(value: object) -> None:
    if not isinstance(value, str) and not isinstance(getattr(value, "name", None), str):
        raise _Wrong("a body or the name of one")


def _is_truth(value: object) -> None:
    if not isinstance(value, bool | np.bool_):
        raise _Wrong("True or False")


def _is_numbers(value: object, depth: int = 0) -> None:
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iuf":
            raise _Wrong("numbers")
        finite = np.isfinite(value)
        if not finite.all():
            bad = np.argwhere(~finite)[0]
            raise _Wrong(f"finite (entry {', '.join(map(str, bad))} is {value[tuple(bad)]})")
    elif isinstance(value, list | tuple | range):
        if _are_plain(value):
            return
        flat = _as_array(value)
        if flat is not None:
            _is_numbers(flat)
        elif depth > 8:
            raise _Wrong("numbers")
        else:
            for entry in value:
                _is_numbers(entry, depth + 1)
    else:
        try:
            _is_number(value)
        except _Wrong as wrong:
            raise _Wrong("finite" if str(wrong) == "finite" else "numbers") from None


def _are_plain(value: Any, depth: int = 0) -> bool:
    """Is it made of nothing but finite floats and whole numbers of reasonable size, in lists? (Most is; no array is made.)"""
    for entry in value:
        kind = type(entry)
        if kind is float:
            if not math.isfinite(entry):
                return False
        elif kind is int:
            if not -MOST <= entry <= MOST:
                return False
        elif (kind is not list and kind is not tuple) or depth > 8 or not _are_plain(entry, depth + 1):
            return False
    return True


def _as_array(value: object) -> np.ndarray | None:
    """A list of numbers at once; None where it is ragged or holds something else, which is then looked at one by one."""
    try:
        array = np.array(value)
    except ValueError:
        return None
    return array if array.dtype.kind in "iuf" and array.size else None


def _is_wholes(value: object) -> None:
    _is_numbers(value)
    flat = _as_array(value) if isinstance(value, list | tuple | range) else np.asarray(value)
    if flat is not None and not (flat == np.floor(flat)).all():
        raise _Wrong("whole numbers")


def _are_cells(value: object) -> None:
    for rows in value.values() if isinstance(value, Mapping) else [value]:
        _is_wholes(rows)


def _is_named(value: object) -> None:
    if not isinstance(value, Mapping):
        raise _Wrong("a dict with names")


def _is_named_numbers(value: Any) -> None:
    _is_named(value)
    for entry in value.values():
        try:
            _is_number(entry)
        except _Wrong:
            raise _Wrong("a dict of names and finite numbers") from None


_CHECKS: dict[str, Callable[[Any], None]] = {
    "float": _is_number,
    "int": _is_whole,
    "str": _is_text,
    "bool": _is_truth,
    "OnBody": _is_body,
    "Vector": _is_numbers,
    "Numbers": _is_numbers,
    "Wholes": _is_wholes,
    "Cells": _are_cells,
    "Places": _is_named,
    "Sets": _is_named,
    "Facets": _is_named,
    "Groups": _is_named,
    "dict[str, Any]": _is_named,
    "dict[str, float]": _is_named_numbers,
}


@cache
def _checks(kind: Any) -> list[tuple[str, bool, Callable[[Any], None] | None, Callable[[Any, str], Any] | None]]:
    """Of each field that is checked here: its name, whether None is allowed, the check, and what makes of it what is kept."""
    found = []
    for field in dataclasses.fields(kind):
        annotation = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
        kind_of = bare(annotation)
        check, keep = _CHECKS.get(kind_of), checker(field, kind_of)
        if field.init and (check is not None or keep is not None):
            found.append((field.name, field.default is None or takes_none(annotation), check, keep))
    return found
