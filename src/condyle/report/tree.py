"""A model as a tree of its parts: kinds with counts, parts with the values that were given, with units."""

from __future__ import annotations

import dataclasses
import re
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.model.quantities import quantities

if TYPE_CHECKING:
    from condyle.model.model import Model

__all__ = ["model_html", "model_tree"]

LONGEST = 60  # letters of a value
DIGITS = re.compile(r"(?<![\w.])-?\d+\.\d{6,}(e[-+]?\d+)?")  # numbers with more digits than a reader wants
MOST_PARTS = 200  # of a kind


def model_tree(model: Model) -> list[dict[str, Any]]:
    """Kinds of parts in the order in which they first appear, each with its parts and their values."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for part in model:
        if part is not model.ground:
            kinds.setdefault(type(part).__name__, []).append({"name": part.name, "values": _values(part)})
    return [
        {"kind": kind, "count": len(parts), "parts": parts[:MOST_PARTS]} for kind, parts in kinds.items()
    ]  # fmt: skip


def _values(part: Any) -> list[list[str]]:
    """Fields that are not as they would be anyway: name, value and unit."""
    units = quantities(part)
    found = []
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name == "name" or not field.init or not field.repr or _is_default(field, value):
            continue
        about = units.get(field.name)
        found.append([field.name, _written(value), about.unit if about is not None else ""])
    return found


def _is_default(field: Any, value: Any) -> bool:
    if field.default is not dataclasses.MISSING:
        default = field.default
    elif field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    else:
        return value is None
    try:
        return bool(np.all(value == default)) if type(value) is type(default) else value is default
    except (TypeError, ValueError):
        return False


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray) and value.size > 9:
        return f"array of shape {value.shape}"
    if isinstance(value, list | tuple) and len(value) > 9:
        return f"{len(value)} entries"
    text = " ".join(str(value.tolist() if isinstance(value, np.ndarray) else value).split())
    text = DIGITS.sub(lambda number: f"{float(number[0]):.6g}", text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def model_html(model: Model) -> str:
    """The tree as HTML, for notebooks."""
    kinds = "".join(
        f"<details><summary>{escape(k['kind'])} ({k['count']})</summary><ul>"
        + "".join(_part_html(part) for part in k["parts"])
        + ("<li>…</li>" if k["count"] > len(k["parts"]) else "")
        + "</ul></details>"
        for k in model_tree(model)
    )
    head = f"<strong>{escape(model.name)}</strong>: {len(model) - 1} parts in {model.dimension}D"
    return f"<div class='condyle-model'>{head}{kinds}</div>"


def _part_html(part: dict[str, Any]) -> str:
    values = ", ".join(f"{escape(n)} = {escape(v)}{' ' + escape(u) if u else ''}" for n, v, u in part["values"])
    return f"<li><code>{escape(part['name'])}</code> {values}</li>"
