"""What a model is made of, as a short table: `print(model)`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from condyle.model.point import Point

if TYPE_CHECKING:
    from condyle.model.model import Model

SHOWN = 12  # parts of one kind that are named one by one
ROOMS = ("bodies", "joints", "forces", "muscles", "contact")


def listing(model: Model) -> str:
    """Kinds and names of all parts, and for each what it connects or acts on."""
    groups: dict[str, list[Any]] = {room: [] for room in ROOMS}
    for part in model:
        if part is not model.ground:
            groups.setdefault(_room(part), []).append(part)
    kinds = [kind.__name__ for part in model for kind in [type(part)]]
    width = max((len(kind) for kind in kinds), default=0)
    names = max((len(part.name) for part in model), default=0)
    counts = ", ".join(_counted(room, len(parts)) for room, parts in groups.items() if parts) or "empty"
    gravity = ", ".join(f"{g:g}" for g in model.gravity)
    lines = [f"Model '{model.name}', {model.dimension}D, gravity ({gravity}): {counts}"]
    for parts in groups.values():
        by_kind: dict[str, list[Any]] = {}
        for part in parts:
            by_kind.setdefault(type(part).__name__, []).append(part)
        for kind, same in by_kind.items():
            shown = same if len(same) <= SHOWN else same[: SHOWN - 2]
            lines += [f"  {kind:<{width}}  {p.name:<{names}}  {about(p, model)}".rstrip() for p in shown]
            if len(shown) < len(same):
                lines.append(f"  {kind:<{width}}  … and {len(same) - len(shown)} more")
    return "\n".join(lines)


def about(part: Any, model: Model) -> str:
    """What a part connects or acts on; of a body its mass or its size."""
    others = [name for name in dict.fromkeys(_references(part, model)) if name != part.name]
    if others:
        return " – ".join(others[:6]) + (" – …" if len(others) > 6 else "")
    return str(part.in_short())


def _references(value: object, model: Model) -> Iterator[str]:
    """Names of parts that a part refers to, in the order of its fields: points, bodies and joint coordinates."""
    if isinstance(value, Point):
        yield str(value) if isinstance(value.at, str | int) else value.body
    elif isinstance(value, str):
        if value.partition(".")[0] in model:
            yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _references(key, model)
            yield from _references(item, model)
    elif isinstance(value, list | tuple):
        for item in value[:50]:
            if isinstance(item, str | tuple | list | Mapping) or dataclasses.is_dataclass(item):
                yield from _references(item, model)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            if field.name not in ("name", "points", "outline", "nodes", "cells"):
                yield from _references(getattr(value, field.name), model)


def _room(part: object) -> str:
    """Bodies, joints, forces, muscles, contact; a part of one's own goes with the first of these that it is made from."""
    for kind in type(part).__mro__:
        words = kind.__module__.split(".")
        if words[0] == "condyle" and len(words) > 1 and words[1] in ROOMS:
            return words[1]
    return "others"


def _counted(room: str, count: int) -> str:
    one = {"bodies": "body", "joints": "joint or coupling", "forces": "force", "muscles": "muscle or path"}
    many = {"joints": "joints and couplings", "muscles": "muscles and paths", "contact": "contacts and surfaces"}
    if count == 1:
        return f"1 {one.get(room, 'contact or surface' if room == 'contact' else 'other')}"
    return f"{count} {many.get(room, room)}"
