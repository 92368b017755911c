"""Models as texts that people write: what reads and writes them stands in a room above and hands itself in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["ModelFiles", "is_model_file", "model_files", "reads_model_files"]

ENDINGS = (".yaml", ".yml")


class ModelFiles(NamedTuple):
    """What is handed in: ``read(path, parameters, allow=…, allow_code=…)`` and ``write(model, path, overwrite=…)``."""

    read: Callable[..., Any]
    write: Callable[..., Path]


_found: list[Callable[[], ModelFiles]] = []


def reads_model_files(find: Callable[[], ModelFiles]) -> Callable[[], ModelFiles]:
    """Decorate the function that finds what reads and writes model files; it is called when a file is first met."""
    _found[:] = [find]
    return find


def model_files() -> ModelFiles:
    """What reads and writes model files."""
    return _found[0]()


def is_model_file(path: str | Path) -> bool:
    """Is it a model file that a person writes (YAML), by its name?"""
    return Path(path).suffix.lower() in ENDINGS
