"""A field of a part, declared once: ``stiffness: float = quantity("N/m", at_least=0.0)``.

From that one line follow the check and its message, the unit in model files, the table of docs/fields.md, the schema for
editors, the bounds of an identification, and the type that an editor shows. The words for bounds are those of laws' parameters.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from condyle.bounds import Bounded
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.model.part import Part

__all__ = ["Quantity", "choice", "declared", "given", "in_mirror", "quantities", "quantity"]

Kind = TypeVar("Kind", bound=type)
_KEY = "quantity"
_LISTED, _PYTHON = frozenset((list, tuple)), frozenset((float, int))


@dataclasses.dataclass(frozen=True)
class Quantity(Bounded):
    """What may stand in a field: its unit, bounds (of each number), how many numbers, or the words to choose from.

    vector: 2 or 3 components. shape: of an array, −1 for any length.
    """

    unit: str = ""
    meaning: str = ""
    vector: bool = False
    nonzero: bool = False
    words: tuple[str, ...] = ()
    hint: str = ""
    shape: tuple[int, ...] = ()

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
            raise InputError(f"{what} must be {self.bounds}, not {result:g}{self._after}")
        return result

    def whole(self, value: object, what: str) -> int:
        """A whole number within the bounds."""
        return int(self.number(value, what))

    def components(self, value: Any, what: str) -> tuple[float, ...]:
        """2 or 3 finite components as floats (whether they fit the dimension, only the model knows)."""
        if not self.bounds and type(value) in _LISTED and len(value) in (2, 3) and _PYTHON.issuperset(map(type, value)):
            kept = tuple(map(float, value))
            if all(map(math.isfinite, kept)) and (any(kept) or not self.nonzero):
                return kept  # as most are given
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{what} must be a vector of numbers, not {value!r}") from None
        if array.ndim != 1 or array.size not in (2, 3):
            raise InputError(f"{what} must have 2 or 3 components, got shape {array.shape}")
        self._check_entries(array, what)
        return tuple(array.tolist())

    def array(self, value: object, what: str) -> Any:
        """Finite numbers of the declared shape: a tuple of them, or a list of rows."""
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{what} must be {self.in_words}, all rows of one length") from None
        same = array.ndim == len(self.shape) and all(n in (-1, m) for n, m in zip(self.shape, array.shape, strict=True))
        if not same:
            raise InputError(f"{what} must be {self.in_words}, not of shape {array.shape}")
        self._check_entries(array, what)
        return tuple(array.tolist()) if array.ndim == 1 else array.tolist()

    def whole_array(self, value: object, what: str) -> Any:
        """The same, of whole numbers."""
        kept = self.array(value, what)
        if not np.array_equal(kept, np.floor(kept)):
            raise InputError(f"{what} must be whole numbers")
        return np.asarray(kept, dtype=np.int64).reshape(np.shape(kept)).tolist()

    @property
    def in_words(self) -> str:
        """How many numbers: '3 numbers', 'n × 3 numbers', '2 or 3 numbers'; nothing where that is not declared."""
        if self.vector:
            return "2 or 3 numbers"
        free = iter("nmkl")
        return f"{' × '.join(next(free) if n < 0 else str(n) for n in self.shape)} numbers" if self.shape else ""

    @property
    def _after(self) -> str:
        """What follows a number beyond the bounds."""
        return (f" {self.unit}" if self.unit else "") + (f"; {self.hint}" if self.hint else "")

    def _check_entries(self, array: NDArray[np.float64], what: str) -> None:
        if not np.isfinite(array).all():
            raise InputError(f"{what} must be finite, not {tuple(array.tolist())}")
        if self.nonzero and not array.any():
            raise InputError(f"{what} must not be the zero vector")
        if self.bounds:
            for entry in array.flat:
                if not self.allows(float(entry)):
                    raise InputError(f"{what} must all be {self.bounds}, not {entry:g}{self._after}")

    def word(self, value: object, what: str) -> Any:
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
    shape: tuple[int, ...] = (),
    kw_only: Any = dataclasses.MISSING,
    meaning: str = "",
    hint: str = "",
) -> Any:
    """A field that holds numbers in an SI `unit`.

    Annotated as `float` it is one number within the bounds; as `Numbers` it is whatever its part takes, with `vector` 2 or
    3 components, with `shape` so many ((3,) or (-1, 3), −1 for any length), each within the bounds, with `nonzero` not all of
    them zero. hint: what to do about a number beyond the bounds.
    """
    about = Quantity(
        unit,
        meaning,
        vector,
        nonzero,
        hint=hint,
        shape=shape,
        above=above,
        at_least=at_least,
        below=below,
        at_most=at_most,
    )
    return dataclasses.field(default=default, default_factory=default_factory, kw_only=kw_only, metadata={_KEY: about})


def choice(*words: str, default: object = dataclasses.MISSING, meaning: str = "") -> Any:
    """A field that holds one of some words."""
    return dataclasses.field(default=default, metadata={_KEY: Quantity(words=words, meaning=meaning)})


def given(
    *,
    default: Any = dataclasses.MISSING,
    default_factory: Any = dataclasses.MISSING,
    kw_only: Any = dataclasses.MISSING,
) -> Any:
    """A field that is no quantity, with a default that its part makes something of: `scale: OverTime = given(default=1.0)`."""
    return dataclasses.field(default=default, default_factory=default_factory, kw_only=kw_only)


@dataclass_transform(field_specifiers=(quantity, choice, given, dataclasses.field))
def declared(kind: Kind | None = None, *, frozen: bool = False) -> Any:
    """`dataclasses.dataclass` for what a user declares: type checkers see which fields have to be given."""

    def made(kind: Kind) -> Kind:
        return cast(Kind, dataclasses.dataclass(frozen=frozen)(kind))

    return made if kind is None else made(kind)


def in_mirror(**rules: str) -> Mapping[str, str]:
    """How fields of a part behave in a mirror where they are no vectors like a place or a force; see `model.mirroring`."""
    return rules


def checker(field: dataclasses.Field[Any], annotation: str) -> Callable[[Any, str], Any] | None:
    """What makes of a value that passed the gate the value that the part keeps; None where it is kept as it is."""
    about = field.metadata.get(_KEY)
    if about is None:
        return None
    if about.words:
        return about.word
    if annotation in ("float", "int"):
        return about.number if annotation == "float" else about.whole
    if about.shape:
        return about.whole_array if annotation == "Wholes" else about.array
    return about.components if about.vector else None


@cache
def _declared_quantities(kind: Any) -> dict[str, Quantity]:
    found: dict[str, Quantity] = {}
    for field in dataclasses.fields(kind):
        about = field.metadata.get(_KEY)
        if about is not None:
            found[field.name] = about
    return found


def quantities(kind: type | Part) -> Mapping[str, Quantity]:
    """Of a type of part (or a part): the quantities of its fields by name, with those that its law declares."""
    cls = kind if isinstance(kind, type) else type(kind)
    found = dict(_declared_quantities(cls)) if dataclasses.is_dataclass(cls) else {}
    names = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    for parameter in getattr(getattr(cls, "law", None), "parameters", ()):  # of a material: its law knows them
        if parameter.name in names and parameter.name not in found:
            p = parameter
            found[p.name] = Quantity(p.unit, p.meaning, **p.limits)
    return found
