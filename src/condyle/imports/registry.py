"""Readers of foreign model files by the endings of their names, and `import_model`, which chooses one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from condyle.errors import InputError, unknown_name
from condyle.imports.imported import Imported

__all__ = ["READERS", "import_model"]

# A format is a line here: the ending of its files -> module of this room. The module has `read(path, **options) -> Imported`.
# A module of files that end in .xml also has `claims(root) -> bool`: is an XML file with this root element its own?
READERS: dict[str, str] = {
    ".osim": "opensim",
}


def import_model(path: str | Path, **options: Any) -> Imported:
    """Read a model file of another program; `.model` is the model, `.left_out` lists what could not be taken.

    Options belong to the reader of the format and are listed on the page of imports.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file '{file}'")
    ending = file.suffix.lower()
    if ending not in READERS:
        raise unknown_name("format of model files", ending or file.name, READERS, where=f"'{file}'")
    reader = import_module(f"condyle.imports.{READERS[ending]}")
    imported: Imported = reader.read(file, **options)
    return imported
