"""Copies of the parts of a model for another one, with other names: two legs from one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from condyle.errors import InputError
from condyle.model.mirroring import Mirror
from condyle.model.part import Part, did_you_mean, load_part_types, part_types, plain_data
from condyle.model.quantities import quantities

if TYPE_CHECKING:
    from condyle.model.model import Model

# Fields whose texts name something else than parts: sets and facets of a mesh, elements, laws, what is held.
_OTHERS = {"sets", "surfaces", "regions", "element", "nodes", "surface", "law", "energy", "released", "also", "enforcement",
           "call", "axes", "angles", "type"}  # fmt: skip


def copies(
    model: Model, other: Model, prefix: str, shared: Sequence[str], mirror: str | None = None
) -> Iterator[tuple[str, Part]]:
    """The parts of `other` under new names, with their names there; mirror: the axis across which they are mirrored."""
    load_part_types()
    if other.dimension != model.dimension:
        raise InputError(
            f"Model '{model.name}' is {model.dimension}D; it cannot include '{other.name}', which is {other.dimension}D"
        )
    for name in shared:
        for one in (other, model):
            if name not in one:
                hint = did_you_mean(name, [part.name for part in one])
                raise InputError(f"Model '{one.name}' has no part '{name}' that could be shared{hint}")
    own = {part.name for part in other} - {"ground"} - set(shared)
    glass = None if mirror is None else Mirror(other, mirror)
    for part in other:
        if part.name in own:
            with plain_data(allow_code=True):  # of a model that exists already
                data = part.to_dict() if glass is None else glass.image(part.to_dict(), part.label)
                yield part.name, Part._from_plain(renamed(data, own, prefix))


def renamed(data: dict[str, Any], names: set[str], prefix: str) -> dict[str, Any]:
    """Plain data of a part with a prefix before all of these names: its own, and those of parts it refers to."""
    kind = part_types().get(str(data.get("type")))
    words = {name for name, about in quantities(kind).items() if about.words} if kind is not None else set()
    known = {field.name for field in dataclasses.fields(kind)} if kind is not None else set()  # type: ignore[arg-type]
    made: dict[str, Any] = {}
    for key, value in data.items():
        if (key in _OTHERS and key in known | {"type"}) or key in words:
            made[key] = value
        else:
            made[key] = _with_prefix(value, names, prefix)
    return made


def _with_prefix(value: object, names: set[str], prefix: str) -> Any:
    if isinstance(value, str):
        head = value.partition(".")[0]
        return prefix + value if head in names else value
    if isinstance(value, Mapping):
        if isinstance(value.get("type"), str):
            return renamed(dict(value), names, prefix)
        return {_with_prefix(key, names, prefix): _with_prefix(entry, names, prefix) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_with_prefix(entry, names, prefix) for entry in value]
    return value
