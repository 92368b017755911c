"""Models as YAML that a person can read, and that gives the same model again, bit for bit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from condyle.errors import InputError
from condyle.files.values import is_plain_text
from condyle.model.model import Model

__all__ = ["model_text", "write_model"]

WIDTH = 110


def write_model(model: Model, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a model as a YAML file, which `read_model` turns back into the same model; returns its path."""
    file = Path(path)
    text = model_text(model)
    if file.exists() and not overwrite:
        raise InputError(f"'{file}' is there already; give overwrite=True to replace it")
    file.write_text(text, encoding="utf-8")
    return file


def model_text(model: Model) -> str:
    """The model as YAML: numbers in SI units, with all digits."""
    data = model.to_dict()
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


def _entry(key: str, value: Any, level: int) -> list[str]:
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


def _scalar(value: Any) -> str:
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
