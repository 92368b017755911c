"""Readers of foreign model files by the endings of their names, and `import_model`, which chooses one."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condyle.errors import InputError, unknown_name
from condyle.imports.imported import Imported
from condyle.imports.xml import parse

if TYPE_CHECKING:
    from condyle.model.given import Option

__all__ = ["READERS", "import_model"]

# A format is a line here: the ending of its files -> module of this room. The module has `read(path, **options) -> Imported`.
# A module of files that end in .xml also has `claims(root) -> bool`: is an XML file with this root element its own?
READERS: dict[str, str] = {
    ".osim": "opensim",
    ".feb": "febio",
    ".urdf": "urdf",
    **dict.fromkeys((".stl", ".ply", ".obj", ".off"), "meshes"),
    **dict.fromkeys((".msh", ".vtu", ".vtk", ".inp"), "meshes"),
}

# Files that end in .xml, told apart by their root elements.
XML_READERS: tuple[str, ...] = ("mjcf",)


def import_model(path: str | Path, **options: Option) -> Imported:
    """Read a model file of another program; `.model` is the model, `.left_out` lists what could not be taken.

    Options belong to the reader of the format and are listed on the page of imports.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file '{file}'")
    reader = _reader_of(file)
    known = dict(list(signature(reader.read).parameters.items())[1:])
    for name, value in options.items():
        if name not in known:
            raise unknown_name("option", name, known, where=f"'{file}'")
        _check_kind(file, name, value, str(known[name].annotation).removesuffix(" | None"))
    imported: Imported = reader.read(file, **options)
    return imported


def _check_kind(file: Path, name: str, value: object, wanted: str) -> None:
    """Switches are true or false, sizes are numbers: a word from the command line is neither."""
    fits = {
        "bool": isinstance(value, bool),
        "float": isinstance(value, Real) and not isinstance(value, bool),
    }.get(wanted, True)
    if value is not None and not fits:
        kind = "true or false" if wanted == "bool" else "a number"
        raise InputError(f"'{file}': the option {name} is {kind}, not {value!r}")


def _reader_of(file: Path) -> Any:
    """The module that reads a file."""
    ending = file.suffix.lower()
    if ending == ".xml":
        root = parse(file)
        for name in XML_READERS:
            reader = import_module(f"condyle.imports.{name}")
            if reader.claims(root):
                return reader
        if root.tag == "mujocoinclude":
            raise InputError(f"'{file}' is a piece that MJCF files include; import the file that includes it")
        raise InputError(
            f"'{file}': its root element is '{root.tag}', which no reader knows; MJCF files have 'mujoco', and URDF, FEBio and "
            "OpenSim files end in .urdf, .feb and .osim"
        )
    if ending not in READERS:
        raise unknown_name("format of model files", ending or file.name, [*READERS, ".xml"], where=f"'{file}'")
    return import_module(f"condyle.imports.{READERS[ending]}")
