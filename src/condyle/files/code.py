"""Python code that a model file names: parts, laws and integrators of one's own. It is run only for a user who allows it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from condyle.analysis.loading import load_parts
from condyle.errors import InputError
from condyle.files.tree import Node
from condyle.files.values import Folder

__all__ = ["run_code"]

_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
_done: dict[Path, int] = {}  # files by the time of their last change: a sweep reads its model file again and again


def run_code(node: Node, folder: Folder) -> None:
    """Run a Python file beside the model file, or import a module, by what a text names; what it defines registers itself."""
    if node.text.endswith(".py"):
        path = folder.file(node)
        changed = path.stat().st_mtime_ns
        if _done.get(path) != changed:
            load_parts(path)
            _done[path] = changed
        return
    if not _MODULE.match(node.text):
        raise node.error("write a Python file beside this one, my_parts.py, or the name of a module, my_package.parts")
    try:
        importlib.import_module(node.text)
    except ImportError as error:
        raise node.error(f"the module cannot be imported: {error}") from None
    except Exception as error:
        raise InputError(f"the module '{node.text}' cannot be loaded: {type(error).__name__}: {error}") from error
