"""Everything a user declares is a `Part`: a dataclass that checks itself and turns into plain data and back.

`to_dict`/`from_dict` work for every part through its dataclass fields, so a new part needs no code for them.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError, nearest
from condyle.model.fields import blamed, check_fields, numbers
from condyle.model.quantities import Quantity

if TYPE_CHECKING:
    from condyle.model.given import Json, PartLike
    from condyle.model.model import Model
    from condyle.system.points import Points

_TYPES: dict[str, type[Part]] = {}
_LOADERS: list[Callable[[], None]] = []
_LISTS = (list, tuple)
_PLAIN = frozenset((float, int, str, bool, type(None)))
_CODE_ALLOWED: ContextVar[bool] = ContextVar("code_allowed", default=True)


@contextmanager
def plain_data(*, allow_code: bool) -> Iterator[None]:
    """While parts are made of plain data, which may come from a stranger: may it name Python code to be imported?"""
    before = _CODE_ALLOWED.set(allow_code)
    try:
        yield
    finally:
        _CODE_ALLOWED.reset(before)


def code_allowed() -> bool:
    """May a text be taken as the name of Python code? Where a user's own program gives it, yes."""
    return _CODE_ALLOWED.get()


def part_types() -> dict[str, type[Part]]:
    """All part types by name that are loaded, built-in and user-defined (a subclass registers itself)."""
    return dict(_TYPES)


def loads_part_types(load: Callable[[], None]) -> Callable[[], None]:
    """Register a function that loads part types which nobody may have imported yet; usable as a decorator."""
    _LOADERS.append(load)
    return load


def load_part_types() -> None:
    """Load all part types of the package, so that those of a model file are found by their names."""
    for load in _LOADERS:
        load()


def _gated(check: Callable[[Any], None] | None) -> Callable[[Any], None]:
    """`__post_init__` of a declared thing, behind the gate for all fields."""
    if getattr(check, "gated", False):
        assert check is not None
        return check

    def __post_init__(self: Any) -> None:
        label = getattr(self, "label", type(self).__name__)
        if dataclasses.is_dataclass(self):
            check_fields(self, label)
        if check is not None:
            with blamed(label):
                check(self)

    __post_init__.gated = True  # type: ignore[attr-defined]
    return __post_init__


def _is_ours(kind: type) -> bool:
    """Is it a class of Condyle?"""
    return kind.__module__.partition(".")[0] == "condyle"


class Declared(type):
    """The type of what a user declares: arguments that it does not have, or lacks, are an InputError.

    All fields pass one gate (`condyle.model.fields`) before `__post_init__` looks at them.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> None:
        super().__init__(name, bases, namespace)
        if "__post_init__" in namespace or not hasattr(cls, "__post_init__"):
            cls.__post_init__ = _gated(namespace.get("__post_init__"))

    if not TYPE_CHECKING:  # tools see the arguments of each class

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            try:
                made = super().__call__(*args, **kwargs)
            except TypeError:
                _check_arguments(cls, args, kwargs)
                raise
            if isinstance(made, Part):
                made.__dict__["_changed"] = False  # from now on changes are noted
            return made

        @property
        def __signature__(cls) -> inspect.Signature:
            own = inspect.signature(cls.__init__)
            return own.replace(parameters=list(own.parameters.values())[1:], return_annotation=own.empty)


class Part(metaclass=Declared):
    """Base of all declared things. Subclasses are dataclasses; those that live in a model have a field `name`."""

    mirror: ClassVar[Mapping[str, str]] = {}  # fields that are no places or forces in a mirror, see `model.mirroring`
    flips: ClassVar[tuple[str, ...]] = ()  # coordinates of a joint that change their sign there
    room: ClassVar[str] = ""  # stands before the name of the type in files, where another room has that name too

    def __setattr__(self, name: str, value: object) -> None:
        if "_changed" in self.__dict__ and not name.startswith("_"):
            self._note_change(name)
        object.__setattr__(self, name, value)

    def _note_change(self, name: str) -> None:
        if name not in self.__dict__ and not hasattr(type(self), name):
            known = [key for key in self.__dict__ if not key.startswith("_")]
            raise InputError(f"{self.label} has no '{name}'{did_you_mean(name, known)}")
        self.__dict__["_changed"] = True

    def check_changes(self) -> None:
        """Check the part again if a field was assigned since it was made; parts that are fields of it, too."""
        for value in tuple(self.__dict__.values()):
            if type(value) not in _PLAIN:
                for part in _parts_in(value):
                    part.check_changes()
        if self.__dict__.get("_changed"):
            self.__post_init__()  # type: ignore[attr-defined]
            self.__dict__["_changed"] = False

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not abstract:
            same = _TYPES.get(cls.type_name())
            if same is not None and _is_ours(same) != _is_ours(cls):
                own, other = (same, cls) if _is_ours(cls) else (cls, same)
                raise InputError(
                    f"{own.__module__} defines a part type '{cls.type_name()}', a name that {other.__module__} has already: a "
                    "model file could not tell them apart; give yours another name"
                )
            _TYPES[cls.type_name()] = cls

    @classmethod
    def type_name(cls) -> str:
        """How files call this type: 'Spring', 'geometry.Sphere'."""
        return f"{cls.room}.{cls.__name__}" if cls.room else cls.__name__

    @property
    def label(self) -> str:
        """How messages call this part, e.g. `RigidBody 'thigh'`."""
        name = getattr(self, "name", "")
        return f"{type(self).__name__} '{name}'" if isinstance(name, str) and name else type(self).__name__

    def in_short(self) -> str:
        """What `print(model)` says of it where it refers to no other part: of a body its mass or its size."""
        return ""

    def obstacle(self, points: Points, x: NDArray[np.float64]) -> str:
        """Why the part has no force at rows x (n, d) that a failed step tried, in a sentence; empty where it has one."""
        return ""

    def to_dict(self) -> dict[str, Json]:
        """Plain data (dicts, lists, numbers, strings) that `from_dict` turns back into an equal part."""
        data: dict[str, Any] = {"type": self.type_name()}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.init and not _is_default(field, value):
                data[field.name] = plain(value)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Json], *, allow_code: bool = False) -> Self:
        """The part described by `data`; `Part.from_dict` finds the type by data['type'].

        allow_code: import Python functions that the data name as 'module:name'. Only for data whose writer you trust.
        """
        with plain_data(allow_code=allow_code):
            return cls._from_plain(data)

    @classmethod
    def _from_plain(cls, data: Mapping[str, Any]) -> Self:
        if not isinstance(data, Mapping):
            raise InputError(f"a part is described by a dict with its 'type' and fields, not by {data!r}")
        fields = dict(data)
        kind = fields.pop("type", cls.type_name())
        if not isinstance(kind, str) or kind not in _TYPES:
            raise InputError(f"unknown part type {kind!r}{did_you_mean(str(kind), _TYPES)}")
        target = _TYPES[kind]
        if not issubclass(target, cls):
            raise InputError(f"a part of type '{kind}' stands where a {cls.__name__} is expected")
        known = {f.name for f in dataclasses.fields(target) if f.init}  # type: ignore[arg-type]
        for key in fields:
            if key not in known:
                raise InputError(f"{kind} '{fields.get('name', '')}' has no field '{key}'{did_you_mean(key, known)}")
        for field in dataclasses.fields(target):  # type: ignore[arg-type]
            needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if field.init and needed and field.name not in fields:
                raise InputError(f"{kind} '{fields.get('name', '')}' needs the field '{field.name}'")
        label = f"{kind} '{fields['name']}'" if isinstance(fields.get("name"), str) else kind
        with blamed(label):
            return target(**{key: _revive(value) for key, value in fields.items()})

    def validate(self, model: Model) -> None:
        """Check what needs the whole model (dimension, names of others). Called before anything is compiled."""


def _parts_in(value: object) -> Iterator[Part]:
    """Parts that a field holds: itself, or those of a list or of a mapping."""
    if isinstance(value, Part):
        yield value
    elif isinstance(value, _LISTS):
        if value and type(value[0]) not in _PLAIN and isinstance(value[0], (Part, Mapping, *_LISTS)):
            for one in value:
                nested = isinstance(one, _LISTS) and one and isinstance(one[0], Part)
                if nested or (type(one) not in _LISTS and isinstance(one, (Part, Mapping))):
                    yield from _parts_in(one)
    elif isinstance(value, Mapping):
        for one in value.values():
            if type(one) not in _PLAIN:
                yield from _parts_in(one)


def _check_arguments(kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Does the type take these arguments? An error that names the part and the argument, if not."""
    signature = inspect.signature(kind)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        name = args[0] if args and "name" in signature.parameters else kwargs.get("name")
        label = f"{kind.__name__} '{name}'" if isinstance(name, str) else kind.__name__
        for key in kwargs:
            if key not in signature.parameters:
                raise InputError(f"{label} takes no '{key}'{did_you_mean(key, signature.parameters)}") from None
        raise InputError(f"{label}: {error}") from None


def plain(value: Any) -> Any:
    """`value` as JSON-ready data."""
    kind = type(value)
    if kind in _PLAIN:  # most are
        return value
    if kind is list or kind is tuple:
        return [v if type(v) in _PLAIN else plain(v) for v in value]
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):  # of a type of their own
        return [plain(v) for v in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise InputError(f"a value of type {type(value).__name__} cannot be written to a file: {value!r}")


def _revive(value: object) -> Any:
    if isinstance(value, Mapping):
        if isinstance(value.get("type"), str) and value["type"] in _TYPES:
            return Part._from_plain(value)
        return {k: _revive(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_revive(v) for v in value]
    return value


def _is_default(field: dataclasses.Field[Any], value: object) -> bool:
    if field.default is dataclasses.MISSING:
        return False
    return value is field.default or (type(value) is type(field.default) and bool(np.all(value == field.default)))


def name_of(thing: PartLike) -> str:
    """The name of a part that is given by itself or by its name."""
    return str(getattr(thing, "name", thing))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the closest known ones, or all of them when they are few."""
    choices = sorted(str(k) for k in known)
    close = nearest(name, choices)
    if close:
        return f"; did you mean '{close}'?"
    return f"; there are: {', '.join(choices)}" if 0 < len(choices) <= 12 else ""


# Checks used by the parts. Each names the part, the field and the fix.


def number(part: Part, field: str, *, low: float = -math.inf, strict: bool = False, none_ok: bool = False) -> None:
    """Make `part.field` a finite float, not below `low` (above it if `strict`)."""
    value = getattr(part, field)
    if value is None and none_ok:
        return
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{part.label}: {field} must be a number, not {value!r}") from None
    if not math.isfinite(result):
        raise InputError(f"{part.label}: {field} must be finite, not {result}")
    if result < low or (strict and result == low):
        raise InputError(f"{part.label}: {field} must be {'above' if strict else 'at least'} {low:g}, not {result:g}")
    object.__setattr__(part, field, result)


def rows(part: Part, field: str, *, whole: bool = False) -> None:
    """Make `part.field` rows of numbers, all of one length, as nested lists (a dict: each of its values); `whole`: whole."""

    def listed(value: object) -> Any:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{part.label}: {field} must be rows of numbers, all of one length") from None
        if whole and not (array == np.floor(array)).all():
            raise InputError(f"{part.label}: {field} must be whole numbers")
        return (array.astype(np.int64) if whole else array).tolist()

    value = getattr(part, field)
    made = {str(k): listed(v) for k, v in value.items()} if isinstance(value, Mapping) else listed(value)
    object.__setattr__(part, field, made)


def places(part: Part, field: str) -> None:
    """Make `part.field` a dict of named places, each a tuple of numbers."""
    found = {}
    for name, value in getattr(part, field).items():
        found[str(name)] = tuple(numbers(value, f"{part.label}: '{name}' of its {field}").ravel().tolist())
    object.__setattr__(part, field, found)


def spin(part: Part, dimension: int) -> None:
    """`part.angular_velocity` is None, or finite: one number in 2D, three in 3D."""
    value = part.angular_velocity  # type: ignore[attr-defined]
    if value is not None:
        shape = (3,) if dimension == 3 else ()
        numbers(value, f"{part.label}: angular_velocity", shape=shape, unit=" [rad/s]")


def fits(part: Part, field: str, dimension: int) -> None:
    """The vector `part.field` has as many components as the model has dimensions."""
    value = getattr(part, field)
    if value is not None and len(value) != dimension:
        raise InputError(f"{part.label}: {field} has {len(value)} components, but the model is {dimension}D")


def couple(part: Part, field: str, dimension: int | None = None) -> None:
    """`part.field` is a moment [N m]: a finite number or a vector; of a model of this dimension, one number or 3 components."""
    flat = np.isscalar(getattr(part, field))
    if dimension is None and flat:
        number(part, field)
    elif dimension is None:
        value = Quantity(vector=True).components(getattr(part, field), f"{part.label}: {field}")
        object.__setattr__(part, field, value)
    elif flat != (dimension == 2):
        wanted = "one number" if dimension == 2 else "3 components"
        raise InputError(f"{part.label}: in {dimension}D {field} is {wanted} [N m], not {getattr(part, field)!r}")
    elif not flat:
        fits(part, field, dimension)


def one_of(part: Part, field: str, choices: Iterable[str]) -> None:
    """`part.field` is one of the given words."""
    value = getattr(part, field)
    choices = list(choices)
    if value not in choices:
        raise InputError(f"{part.label}: {field} is {value!r}; choose one of {', '.join(choices)}")
