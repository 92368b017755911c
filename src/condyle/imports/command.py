"""`condyle import`: a model file of another program as a model file of Condyle."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from condyle.errors import InputError

__all__ = ["add_import_options", "import_file"]


def add_import_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `condyle import`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="model file of another program")
    parser.add_argument(
        "-o", "--out", type=Path, metavar="MODEL", help="model file to write (default: FILE with .yaml, in this folder)"
    )
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="options of the format, such as contacts=true, keyframe=home, density=1200, length=0.001",
    )  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="replace a model file that exists")
    parser.add_argument("--json", action="store_true", help="what was read and left out as JSON")


def import_file(options: argparse.Namespace) -> int:
    """``condyle import FILE -o model.yaml``"""
    from condyle.files.writing import write_model
    from condyle.imports.registry import import_model

    out = options.out or Path(options.file.stem + ".yaml")
    if out.exists() and not options.overwrite:
        raise InputError(f"'{out}' is there already; give another name by -o, or --overwrite")
    imported = import_model(options.file, **dict(map(_option, options.set)))
    written = write_model(imported.model, out, overwrite=options.overwrite)
    if options.json:
        print(json.dumps({**imported.to_dict(), "written": str(written)}, indent=2, ensure_ascii=False))
    else:
        print(imported.summary(), file=sys.stdout)
        print(f"written: {written}")
    return 0


def _option(text: str) -> tuple[str, Any]:
    """NAME=VALUE, the value as JSON where it is: true, 12.5, [0, 1]; else a word."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InputError(f"--set {text}: write NAME=VALUE, such as contacts=true")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
