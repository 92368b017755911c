"""A field of a part, declared once: ``stiffness: float = quantity("N/m", at_least=0.0)``.

From that one line follow the check and its message, the unit in model files, the table of docs/fields.md, the schema for
editors, the bounds of an identification, and the type that an editor shows. The words for bounds are those of laws' parameters.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, cast, dataclass_transform

import numpy as np

from condyle.bounds import Bounded
from condyle.errors import InputError

__all__ = ["Quantity", "choice", "declared", "in_mirror", "quantities", "quantity"]

Kind = TypeVar("Kind", bound=type)
_KEY = "quantity"


@dataclasses.dataclass(frozen=True)
class Quantity(Bounded):
    """What may stand in a field: its unit, bounds (of numbers), whether it is a vector, or the words to choose from."""

    unit: str = ""
    meaning: str = ""
    vector: bool = False
    nonzero: bool = False
    words: tuple[str, ...] = ()
    hint: str = ""

    @property
    def low(self) -> float:
        """Lower bound; -inf where there is none."""
        return max(self.above, self.at_least)

    @property
    def high(self) -> float:
        """Upper bound; inf where there is none."""
        return min(self.below, self.at_most)

    def number(self, value: Any, what: str) -> float:
        """A finite number as a float within the bounds; `what` begins the message."""
        result = float(value)
        if not self.allows(result):
            unit = f" {self.unit}" if self.unit else ""
            hint = f"; {self.hint}" if self.hint else ""
            raise InputError(f"{what} must be {self.bounds}, not {result:g}{unit}{hint}")
        return result

    def whole(self, value: Any, what: str) -> int:
        """A whole number within the bounds."""
        return int(self.number(value, what))

    def components(self, value: Any, what: str) -> tuple[float, ...]:
        """2 or 3 finite components as floats (whether they fit the dimension, only the model knows)."""
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{what} must be a vector of numbers, not {value!r}") from None
        if array.ndim != 1 or array.size not in (2, 3):
            raise InputError(f"{what} must have 2 or 3 components, got shape {array.shape}")
        if not np.isfinite(array).all():
            raise InputError(f"{what} must be finite, not {tuple(array.tolist())}")
        if self.nonzero and not array.any():
            raise InputError(f"{what} must not be the zero vector")
        return tuple(array.tolist())

    def word(self, value: Any, what: str) -> Any:
        """One of the words."""
        if value not in self.words:
            raise InputError(f"{what} is {value!r}; choose one of {', '.join(self.words)}")
        return value


def quantity(
    unit: str = "",
    *,
    default: Any = dataclasses.MISSING,
    default_factory: Any = dataclasses.MISSING,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
    vector: bool = False,
    nonzero: bool = False,
    kw_only: Any = dataclasses.MISSING,
    meaning: str = "",
    hint: str = "",
) -> Any:
    """A field that holds numbers in an SI `unit`.

    Annotated as `float` it is one number within the bounds; as `Numbers` it is whatever its part takes, with `vector` 2 or
    3 components, with `nonzero` not all of them zero. hint: what to do about a number beyond the bounds.
    """
    about = Quantity(
        unit, meaning, vector, nonzero, hint=hint, above=above, at_least=at_least, below=below, at_most=at_most
    )
    return dataclasses.field(default=default, default_factory=default_factory, kw_only=kw_only, metadata={_KEY: about})


def choice(*words: str, default: Any = dataclasses.MISSING, meaning: str = "") -> Any:
    """A field that holds one of some words."""
    return dataclasses.field(default=default, metadata={_KEY: Quantity(words=words, meaning=meaning)})


@dataclass_transform(field_specifiers=(quantity, choice, dataclasses.field))
def declared(kind: Kind | None = None, *, frozen: bool = False) -> Any:
    """`dataclasses.dataclass` for what a user declares: type checkers see which fields have to be given."""

    def made(kind: Kind) -> Kind:
        return cast(Kind, dataclasses.dataclass(frozen=frozen)(kind))

    return made if kind is None else made(kind)


def in_mirror(**rules: str) -> Mapping[str, str]:
    """How fields of a part behave in a mirror where they are no vectors like a place or a force; see `model.mirroring`."""
    return rules


def checker(field: dataclasses.Field, annotation: str) -> Callable[[Any, str], Any] | None:
    """What makes of a value that passed the gate the value that the part keeps; None where it is kept as it is."""
    about = field.metadata.get(_KEY)
    if about is None:
        return None
    if about.words:
        return about.word
    if annotation in ("float", "int"):
        return about.number if annotation == "float" else about.whole
    return about.components if about.vector else None


@cache
def _declared_quantities(kind: Any) -> dict[str, Quantity]:
    found: dict[str, Quantity] = {}
    for field in dataclasses.fields(kind):
        about = field.metadata.get(_KEY)
        if about is not None:
            found[field.name] = about
    return found


def quantities(kind: Any) -> Mapping[str, Quantity]:
    """Of a type of part (or a part): the quantities of its fields by name, with those that its law declares."""
    cls = kind if isinstance(kind, type) else type(kind)
    found = dict(_declared_quantities(cls)) if dataclasses.is_dataclass(cls) else {}
    names = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    for parameter in getattr(getattr(cls, "law", None), "parameters", ()):  # of a material: its law knows them
        if parameter.name in names and parameter.name not in found:
            p = parameter
            found[p.name] = Quantity(p.unit, p.meaning, **p.limits)
    return found
