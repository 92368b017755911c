"""Every public name says what it takes, what it gives and what it holds, so that an editor can show it."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
from collections.abc import Iterator

import condyle as cd
from condyle.model import given
from condyle.model.part import load_part_types, part_types
from condyle.model.quantities import quantities

ANY = re.compile(r"\bAny\b")

# What is of any type, and why.
EXCEPTIONS = {
    "Model.__getitem__": "which kind of part has a name is known only when the model runs",
    "Model.get": "the same",
    "Model.__iter__": "the same",
    "quantity": "a default and the field that it makes are of the type that stands before it",
    "choice": "the same",
    "declared": "it gives back the class that it is given",
    "Showable.show": "a page, of a room that the model does not know",
    "Showable.export": "what the writer of that format gives back",
    "SweepResult.column": "numbers, words or truths, as the column holds them",
    "SweepResult.as_shown": "numbers, words or truths, as a parameter or an output has them",
}


def _public() -> Iterator[object]:
    for module in (cd, cd.methods, cd.geometry, cd.solvers):
        for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
            yield getattr(module, name)


def _classes() -> set[type]:
    found = {kind for thing in _public() if isinstance(thing, type) for kind in thing.__mro__}
    return {kind for kind in found if kind.__module__.startswith("condyle.")}


def _text(annotation: object) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _annotations(function: types.FunctionType) -> Iterator[tuple[str, str]]:
    """Where it stands, and what: of each parameter and of what is returned."""
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.name not in ("self", "cls"):
            yield f"{function.__qualname__}({parameter.name})", _text(parameter.annotation)
    if not function.__name__.startswith("__init"):
        yield f"{function.__qualname__} ->", _text(signature.return_annotation)


def _functions() -> Iterator[types.FunctionType]:
    for thing in _public():
        if isinstance(thing, types.FunctionType):
            yield inspect.unwrap(thing)
    for kind in _classes():
        for name, member in vars(kind).items():
            if name.startswith("_") and name not in ("__call__", "__getitem__", "__iter__"):
                own = (
                    name == "__init__" and not dataclasses.is_dataclass(kind) and isinstance(member, types.FunctionType)
                )
                if not own:
                    continue
            function = getattr(member, "fget", None) or getattr(member, "__func__", member)
            if isinstance(function, types.FunctionType):
                yield inspect.unwrap(function)


def test_every_parameter_and_result_of_a_public_name_has_a_type() -> None:
    wrong = [
        where
        for function in _functions()
        if function.__module__.startswith("condyle.") and function.__qualname__ not in EXCEPTIONS
        for where, text in _annotations(function)
        if not text or ANY.search(text)
    ]
    assert not sorted(set(wrong))


def test_every_field_of_a_public_class_has_a_type() -> None:
    wrong = [
        f"{kind.__name__}.{field.name}: {field.type}"
        for kind in _classes()
        if dataclasses.is_dataclass(kind)
        for field in dataclasses.fields(kind)
        if not field.name.startswith("_") and ANY.search(_text(field.type))
    ]
    assert not sorted(set(wrong))


def test_exceptions_are_needed() -> None:
    bare = {
        function.__qualname__
        for function in _functions()
        if any(not text or ANY.search(text) for _, text in _annotations(function))
    }
    assert set(EXCEPTIONS) <= bare


def test_every_field_of_a_part_is_said_in_words() -> None:
    """The page of fields and the schema know what each annotation means."""
    load_part_types()
    silent = []
    for kind in part_types().values():
        if kind.__module__.startswith("condyle.") and dataclasses.is_dataclass(kind):
            known = quantities(kind)
            for field in dataclasses.fields(kind):
                about = known.get(field.name)
                said = given.in_words(str(field.type)) or (about is not None and (about.words or about.in_words))
                if field.init and not said:
                    silent.append(f"{kind.__name__}.{field.name}: {field.type}")
    assert not silent


def test_what_a_field_takes_is_read_from_its_annotation() -> None:
    assert given.taken("Given[PointLike | None, Point | None]") == "PointLike | None"
    assert given.takes_none("VectorOrNone") and given.takes_none("Given[TimeLike | None, Any]")
    assert not given.takes_none("OnPoint")
    assert given.in_words("Material | dict[str, Material]") == "a material or a dict with names, each a material"
    assert given.json_types("OverTimeOrNone") == ("number", "string", "object", "null")
    assert given.json_types("Callable[[float], float] | str") == ()
