"""Models as YAML that a person can read, and that gives the same model again, bit for bit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from condyle.bodies.mesh import Mesh
from condyle.errors import InputError
from condyle.files.values import is_plain_text
from condyle.model.model import Model

__all__ = ["model_text", "write_model"]

WIDTH = 110
MOST_NODES = 200  # of a solid that stands in the file itself


def write_model(model: Model, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a model as a YAML file, which `read_model` turns back into the same model; returns its path.

    Meshes of large solids go into files beside it, MODEL-solid.vtu, where meshio is installed.
    """
    file = Path(path)
    data = model.to_dict()
    meshes = _apart(data, file.stem)
    text = _text(data)
    for place in (file, *(file.parent / name for name in meshes)):
        if place.exists() and not overwrite:
            raise InputError(f"'{place}' is there already; give overwrite=True to replace it")
    for name, mesh in meshes.items():
        mesh.write(file.parent / name)
    file.write_text(text, encoding="utf-8")
    return file


def model_text(model: Model) -> str:
    """The model as YAML: numbers in SI units, with all digits."""
    return _text(model.to_dict())


def _apart(data: dict[str, Any], stem: str) -> dict[str, Mesh]:
    """Large meshes of solids by the names of their files, which stand in their place in the data."""
    found: dict[str, Mesh] = {}
    if find_spec("meshio") is None:
        return found
    for k, part in enumerate(data["parts"]):
        if part["type"] != "Solid" or len(part["nodes"]) <= MOST_NODES:
            continue
        mesh = Mesh(part["nodes"], part["cells"], part["element"])
        if sum(len(np.unique(block.cells)) for block in mesh.blocks) < len(mesh.nodes):
            continue  # a file would lose nodes that no cell has
        plain = "".join(c if c.isalnum() and c.isascii() else "-" for c in part["name"])
        name = next(n for n in (f"{stem}-{plain}.vtu", f"{stem}-{plain}-{k}.vtu") if n not in found)
        found[name] = mesh
        rest = {field: value for field, value in part.items() if field not in ("type", "nodes", "cells", "element")}
        data["parts"][k] = {"type": "Solid.from_mesh", "mesh": {"file": name}, **rest}
    return found


def _text(data: dict[str, Any]) -> str:
    lines = [
        "condyle: 1", f"name: {_scalar(data['name'])}", f"dimension: {data['dimension']}",
        f"gravity: {_flow(data['gravity'])}  # m/s²", "", "parts:",
    ]  # fmt: skip
    for part in data["parts"]:
        fields = {key: value for key, value in part.items() if key != "name"}
        lines += _entry(part["name"], fields, 1)
    if not data["parts"]:
        lines[-1] = "parts: {}"
    return "\n".join(lines) + "\n"


def _entry(key: str, value: object, level: int) -> list[str]:
    """``key: value`` in one line, or its parts in lines below."""
    head = f"{'  ' * level}{_scalar(key)}:"
    if level > 1 or not isinstance(value, Mapping):
        flow = _flow(value)
        if len(head) + len(flow) < WIDTH or not isinstance(value, Mapping | list) or not value:
            return [f"{head} {flow}"]
    if isinstance(value, Mapping):
        return [head, *(line for name, entry in value.items() for line in _entry(name, entry, level + 1))]
    return [head, *_items(value, level + 1)]


def _items(values: list[Any], level: int) -> list[str]:
    """A long list: rows each in its line, numbers as many as fit."""
    pad = "  " * level
    if any(isinstance(value, Mapping | list) for value in values):
        return [f"{pad}- {_flow(value)}" for value in values]
    words, lines, line = [_scalar(value) for value in values], [], ""
    for word in words:
        if line and len(line) + len(word) > WIDTH:
            lines.append(f"{pad}  {line}")
            line = ""
        line += f"{word}, "
    return [f"{pad}[", *lines, f"{pad}  {line.rstrip(', ')}", f"{pad}]"]


def _flow(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _scalar(value: float | str | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "-.inf" if value < 0 else ".inf"
    if isinstance(value, str):
        return value if is_plain_text(value) else json.dumps(value, ensure_ascii=False)
    raise InputError(f"a value of type {type(value).__name__} cannot be written to a model file: {value!r}")
