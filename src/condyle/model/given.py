"""Types of fields: what may be given for a field, and what the part keeps of it.

`a: OnPoint` says both. An editor shows that ``Spring("spring", …)`` takes a point, a body or a name there, and that
``spring.a`` is a `Point`. Names that end in ``Like`` are what may be given; the others are types of fields. They are read by
people, editors and type checkers. The gate (`fields.py`), the page of fields and the schema of model files know them by their
names, too. A field with a default that is turned into something else says so by `quantities.given`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

Taken = TypeVar("Taken", contravariant=True)
Kept = TypeVar("Kept", covariant=True)


class Given(Generic[Taken, Kept]):
    """The type of a field that takes one type and keeps another; the part's `__post_init__` makes one of the other.

    It stands in annotations only: type checkers read it as a descriptor, and nothing of it is left in a run.
    """

    if TYPE_CHECKING:

        def __get__(self, part: object, kind: type | None = None) -> Kept: ...

        def __set__(self, part: object, value: Taken) -> None: ...


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from condyle.model.body import Body
    from condyle.model.functions import TimeFunction
    from condyle.model.part import Part
    from condyle.model.point import Point

# Plain data as JSON has them: None, True or False, a number, a text, or lists and dicts (with texts as keys) of these.
Json: TypeAlias = Any
# Arguments by name that are handed on to what the docstring names, and are checked there.
Option: TypeAlias = Any

# What may be given.
PartLike: TypeAlias = "Part | str"  # a part of a model, or its name
BodyLike: TypeAlias = "Body | str"  # a body, or its name
PointLike: TypeAlias = "Point | Body | str"  # a point, a body for its origin, 'body' or 'body.name'
TimeLike: TypeAlias = "float | TimeFunction | Callable[[float], float] | str"  # of time [s]; a text is 'module:name'
VectorLike: TypeAlias = "Sequence[float] | NDArray[np.floating | np.integer]"  # 2 or 3 components
NumbersLike: TypeAlias = "ArrayLike"  # one number, a list, rows of them, …
NodesLike: TypeAlias = (
    "str | int | Sequence[str | int] | NDArray[np.integer]"  # name of a set, 'nodes', numbers, or several
)
NamesLike: TypeAlias = "str | Sequence[str]"  # one name or several
FacesLike: TypeAlias = (
    "Mapping[str, ArrayLike | Sequence[Sequence[int]]]"  # {'points': [m], 'cells': numbers of points}
)

ShownFaces: TypeAlias = "dict[str, list[Any]]"  # the same as plain lists: what `Body.shown_faces` gives

# Types of fields.
OnBody: TypeAlias = "Given[BodyLike, str]"  # kept: the name of the body
OnPoint: TypeAlias = "Given[PointLike, Point]"
OnPoints: TypeAlias = "Given[PointLike | Sequence[PointLike], tuple[Point, ...]]"
OverTime: TypeAlias = "Given[TimeLike, TimeFunction]"
OverTimeOrNone: TypeAlias = "Given[TimeLike | None, TimeFunction | None]"
Vector: TypeAlias = "Given[VectorLike, tuple[float, ...]]"
VectorOrNone: TypeAlias = "Given[VectorLike | None, tuple[float, ...] | None]"
Numbers: TypeAlias = (
    "Given[NumbersLike, Any]"  # kept: a number, a tuple, nested lists or an array, as its part needs it
)
NumbersOrNone: TypeAlias = "Given[NumbersLike | None, Any]"
Wholes: TypeAlias = "Given[NumbersLike, Any]"  # whole numbers, kept as nested lists or as an array
Cells: TypeAlias = (
    "Given[NumbersLike | Mapping[str, NumbersLike], Any]"  # whole numbers; of several kinds: by their names
)
Swelling: TypeAlias = (
    "Given[TimeLike | NumbersLike | None, Any]"  # a stretch, over time or of each element; kept as such
)
Names: TypeAlias = "Given[NamesLike, tuple[str, ...]]"
Nodes: TypeAlias = "Given[NodesLike, str | int | list[str | int]]"
Curve: TypeAlias = "Given[NumbersLike | None, list[list[float]] | None]"  # two lists: places, and values there
Places: TypeAlias = "Given[Mapping[str, VectorLike], dict[str, tuple[float, ...]]]"  # points [m] by name
Sets: TypeAlias = "Given[Mapping[str, Sequence[int] | NDArray[np.integer]], dict[str, list[int]]]"  # numbers by name
Groups: TypeAlias = "Given[Mapping[str, NumbersLike], dict[str, Any]]"  # whole numbers by name, kept as they are given
Facets: TypeAlias = "Given[Mapping[str, NumbersLike], dict[str, list[list[int]]]]"  # rows of numbers of nodes, by name
ShapeOfBody: TypeAlias = "Given[Part | Sequence[Part] | Mapping[str, Json] | None, Any]"  # shapes, or plain data
Faces: TypeAlias = "Given[FacesLike | None, dict[str, list[Any]] | None]"  # polygons that show a body

# What a word of an annotation means: in words, and as types of JSON (none where any may stand).
_ONE, _MANY = ("number", "string"), ("number", "string", "array", "object")
_WORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "float": ("a number", _ONE),
    "int": ("a whole number", ("integer", "string")),
    "bool": ("true or false", ("boolean",)),
    "str": ("a text", ("string", "number")),
    "None": ("", ("null",)),
    "tuple[float, ...]": ("numbers", _MANY),
    "dict[str, float]": ("numbers by name", ("object",)),
    "BodyLike": ("a body", ("string", "number")),
    "PointLike": ("a point", ("string", "number", "object")),
    "TimeLike": ("a number or a function of time", ("number", "string", "object")),
    "NumbersLike": ("numbers", _MANY),
    "NodesLike": ("nodes", ("string", "number", "array", "object")),
    "NamesLike": ("names", ("string", "array")),
    "OnBody": ("a body", ("string", "number")),
    "OnPoint": ("a point", ("string", "number", "object")),
    "OnPoints": ("points", ("string", "number", "object", "array")),
    "OverTime": ("a number or a function of time", ("number", "string", "object")),
    "Vector": ("2 or 3 numbers", _MANY),
    "Numbers": ("numbers", _MANY),
    "Wholes": ("whole numbers", _MANY),
    "Cells": ("whole numbers", _MANY),
    "Swelling": ("a number, a function of time, or numbers", ("number", "string", "array", "object", "null")),
    "Names": ("names", ("string", "array")),
    "Nodes": ("nodes", ("string", "number", "array", "object")),
    "Curve": ("two lists of numbers", ("array", "object")),
    "Places": ("points by name", ("object",)),
    "Sets": ("whole numbers by name", ("object",)),
    "Groups": ("whole numbers by name", ("object",)),
    "ShapeOfBody": ("a shape", ("object", "array")),
    "Facets": ("facets by name", ("object",)),
    "Faces": ("points and cells", ("object",)),
}
_PART = re.compile(r"[A-Z]\w+\Z")


def means(name: str, words: str, *json: str) -> None:
    """Say what a type of fields of another room means: in words, and which types of JSON may stand there."""
    _WORDS[name] = words, json


def bare(annotation: str) -> str:
    """An annotation without the None that may stand there too."""
    return annotation.removesuffix(" | None").removesuffix("OrNone")


def takes_none(annotation: str) -> bool:
    """Does the annotation say that None may stand there?"""
    return annotation.endswith("None") or taken(annotation).endswith("None") or "null" in json_types(annotation)


def taken(annotation: str) -> str:
    """What may be given for a field: of ``Given[A, B]`` it is A."""
    if not annotation.startswith("Given["):
        return annotation
    depth = 0
    for k, sign in enumerate(annotation):
        depth += (sign == "[") - (sign == "]")
        if sign == "," and depth == 1:
            return annotation[len("Given[") : k]
    return annotation


def in_words(annotation: str) -> str:
    """In words what may be given for a field; a type of part by its name."""
    return " or ".join(dict.fromkeys(filter(None, map(_said, _alternatives(annotation)))))


def json_types(annotation: str) -> tuple[str, ...]:
    """The types of JSON that may stand in a field; none where that is not known."""
    found = [_json(word) for word in _alternatives(annotation)]
    return tuple(dict.fromkeys(kind for kinds in found for kind in kinds)) if all(found) else ()


def _alternatives(annotation: str) -> list[str]:
    """The members of a union, and None by itself."""
    text = taken(annotation)
    if bare(text) in _WORDS:
        return [bare(text), "None"] if bare(text) != text else [text]
    found, depth, start = [], 0, 0
    for k, sign in enumerate(text):
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and depth == 0:
            found.append(text[start:k].strip())
            start = k + 1
    return [*found, text[start:].strip()]


def _said(word: str) -> str:
    if word in _WORDS:
        return _WORDS[word][0]
    several = re.fullmatch(r"(?:Sequence|list)\[(\w+)\]", word)
    if several is not None and _said(several[1]):
        return f"a list, each {_said(several[1])}"
    by_name = re.fullmatch(r"(?:Mapping|dict)\[str, (\w+)\]", word)
    if by_name is not None and _said(by_name[1]):
        return f"a dict with names, each {_said(by_name[1])}"
    for begin, said in (("Mapping[", "a dict with names"), ("dict[", "a dict with names"), ("Sequence[", "a list")):
        if word.startswith(begin):
            return said
    return "a Python function" if word.startswith("Callable[") else word if _PART.match(word) else ""


def _json(word: str) -> tuple[str, ...]:
    if word in _WORDS:
        return _WORDS[word][1]
    return ("object",) if word.startswith(("Mapping[", "dict[")) else ()
