"""Examples of extensions, each one file of examples/extensions, and forgetting what they have registered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

from condyle.model import part

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "extensions"


@contextmanager
def extension(file: str) -> Iterator[SimpleNamespace]:
    """The names of a file of the folder; parts that it registers are forgotten afterwards."""
    before = dict(part._TYPES)
    try:
        yield SimpleNamespace(**run_path(str(FOLDER / file)))
    finally:
        part._TYPES.clear()
        part._TYPES.update(before)
