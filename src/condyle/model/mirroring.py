"""A part as it is in a mirror: the left leg from the right one.

The mirror is the plane x = 0, y = 0 or z = 0 of the world, S = 1 − 2 n nᵀ with its normal n. Frames of bodies are mirrored so
that they stay right-handed (R → S R S), so places within a body are mirrored as places in the world are. Fields follow by what
they are, which a part declares in `Part.mirror` where they are no vectors like a place or a force:

    place    v → S v, also lists of them and by name (all vectors that are declared as such)
    axis     v → −S v: axes of rotation, moments, angular velocities; a number in the plane changes its sign
    triad    three axes of rotation as a matrix: R → −S R
    turn     a rotation: R → S R S
    round    a rotation of what is round about its z: R → S R diag(1, −1, 1)
    tensor   J → S J S; principal values stay
    faces    polygons: their points mirrored, and the other way round
    around   polygons as numbers of points: the other way round
    shape    of a rigid body: as it is, but a polygon
    same     as it is: sizes, tables of numbers
    handed   a number whose sign says which hand it is of: the pitch of a screw
    spatial  as it is in space; no image in the plane
    none     no image

and of parts that act on a coordinate, where that changes its sign: `odd` is a number that does so too, `curve` two lists of
which both do, `end` one of the fields lower and upper.

With axes mirrored so, an angle of a joint in space has the sign in the mirror that it has before it: flexion stays flexion.
`flips` of a joint names coordinates of which that is not so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.model.part import Part, part_types, plain
from condyle.model.quantities import quantities
from condyle.model.rotations import as_rotation_matrix

if TYPE_CHECKING:
    from condyle.model.model import Model

__all__ = ["Mirror"]

AXES = "xyz"
FLIPPING = ("odd", "curve", "end")
WITH_AXES = ("axis", "triad", "round")  # the last two have an image where they are not given, too


class Mirror:
    """The mirror of a model whose normal is an axis of the world, 'x', 'y' or 'z'."""

    def __init__(self, model: Model, axis: str) -> None:
        if not isinstance(axis, str) or axis not in AXES[: model.dimension] or len(axis) != 1:
            known = ", ".join(AXES[: model.dimension])
            raise InputError(f"Model '{model.name}': a mirror is normal to one of the axes {known}, not {axis!r}")
        self.model, self.d = model, model.dimension
        self.S = np.eye(self.d)
        self.S[AXES.index(axis), AXES.index(axis)] = -1.0

    def image(self, data: Mapping[str, Any], label: str) -> dict[str, Any]:
        """Plain data of a part in the mirror; InputError where it has no image that can be written so."""
        kind = part_types()[str(data["type"])]
        rules = _rules(kind)
        filled = dict(data)
        for field in dataclasses.fields(kind):  # type: ignore[arg-type]
            if field.init and field.name not in filled and rules.get(field.name) in ("place", *WITH_AXES):
                filled[field.name] = None if field.default is dataclasses.MISSING else plain(field.default)
        flips = self._flips(filled)
        made = {}
        for name, value in filled.items():
            rule = rules.get(name, "")
            if name == "type" or (value is None and rule not in WITH_AXES[1:]):
                made[name] = value
            elif rule in FLIPPING:
                made[name] = _flipped(name, rule, filled) if flips else value
            else:
                made[name] = self._value(value, rule, f"{label}: {name}")
        if flips and not set(FLIPPING) & set(rules.values()):
            raise InputError(
                f"{label}: its coordinate has the other sign in the mirror, and the {kind.__name__} has no image; leave it out "
                "of the model that is included, and add it to both"
            )
        return {name: value for name, value in made.items() if value is not None or data.get(name, value) is None}

    def _flips(self, data: Mapping[str, Any]) -> bool:
        """Does the part act on a coordinate that changes its sign?"""
        for text in _texts(data):
            joint, dot, coordinate = text.partition(".")
            part = self.model.get(joint) if dot else None
            names = getattr(part, "coordinate_names", None)
            turned = (*getattr(part, "flips", ()), *(("angle",) if self.d == 2 else ()))
            if callable(names) and coordinate in names(self.d) and coordinate in turned:
                return True
        return False

    def _value(self, value: object, rule: str, what: str) -> Any:
        if isinstance(value, Mapping) and isinstance(value.get("type"), str) and value["type"] in part_types():
            return self.image(value, what)
        if rule == "place" and isinstance(value, Mapping):
            return {name: self._value(entry, rule, what) for name, entry in value.items()}
        if rule == "none" or (rule == "spatial" and self.d == 2):
            raise InputError(f"{what} has no image in a mirror; build the mirrored part, and leave this one out")
        rule = "same" if rule == "spatial" else rule
        if rule and rule != "same" and not isinstance(value, str):
            try:
                return getattr(self, f"_{rule}")(value)
            except (ValueError, TypeError, KeyError):
                raise InputError(f"{what} is of a form that has no image in a mirror: {value!r}") from None
        if isinstance(value, Mapping):
            return {name: self._value(entry, rule, f"{what} '{name}'") for name, entry in value.items()}
        if isinstance(value, list | tuple):
            if rule != "same" and value and all(isinstance(entry, int | float) for entry in value):
                raise InputError(f"{what} has no image in a mirror; build the mirrored part, and leave this one out")
            return [self._value(entry, rule, what) for entry in value]
        return value

    def _place(self, value: Any) -> Any:
        if isinstance(value, int):  # the number of a node
            return value
        if value and isinstance(value[0], list | tuple):
            return [self._place(entry) for entry in value]
        return _tidy(self.S @ np.asarray(value, dtype=float))

    def _axis(self, value: Any) -> Any:
        if np.ndim(value) == 0:
            return -value if self.d == 2 else value
        return _tidy(-self.S @ np.asarray(value, dtype=float))

    def _handed(self, value: float) -> float:
        return -value

    def _triad(self, value: object) -> Any:
        return None if self.d == 2 else _tidy(-self.S @ as_rotation_matrix(value, self.d, "mirror"))

    def _turn(self, value: object) -> Any:
        array = np.asarray(value, dtype=float)
        if array.ndim == 0:
            return -float(array)
        if array.shape == (3,):
            return self._axis(value)
        if array.shape == (4,):
            return [float(array[0]), *self._axis(array[1:])]
        return _tidy(self.S @ array @ self.S)

    def _round(self, value: object) -> Any:
        return _tidy(self.S @ as_rotation_matrix(value, self.d, "mirror") @ np.diag([1.0, -1.0, 1.0]))

    def _tensor(self, value: object) -> Any:
        array = np.asarray(value, dtype=float)
        return value if array.ndim < 2 else _tidy(self.S @ array @ self.S)

    def _faces(self, value: Mapping[str, Any]) -> Any:
        return {"points": self._place(value["points"]), "cells": self._around(value["cells"])}

    def _around(self, value: Any) -> Any:
        return [list(reversed(cell)) for cell in value]

    def _shape(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(entry, "shape", "shape") for entry in value]
        if "polygon" in value:
            return {"polygon": list(reversed(self._place(value["polygon"])))}
        if set(value) - {"box", "ball", "cylinder"}:
            raise KeyError
        return value


def _texts(data: Mapping[str, Any]) -> Iterator[str]:
    """Texts in which a part may name a coordinate: fields, and names within fields."""
    for value in data.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping) and "type" not in value:
            yield from map(str, value)


def _flipped(name: str, rule: str, data: Mapping[str, Any]) -> Any:
    """A field of a part that acts on a coordinate which changes its sign."""
    if rule == "end":
        return -data["upper" if name == "lower" else "lower"]
    value = data[name]
    return [[-x for x in reversed(column)] for column in value] if rule == "curve" else -value


def _rules(kind: type[Part]) -> dict[str, str]:
    """How each field behaves, those of bases among them."""
    found = {name: "place" for name, about in quantities(kind).items() if about.vector}
    for base in reversed(kind.__mro__):
        found.update(vars(base).get("mirror", {}))
    return found


def _tidy(array: Any) -> Any:
    """As lists, without minus zeros."""
    return (array + 0.0).tolist()
