"""The state of the source files that compiled kernels are made of, as a few digits.

Numba alone checks only the file that a kernel stands in. Here a file counts together with all that it imports of Condyle,
so that a change in a called kernel of another file is noticed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

__all__ = ["Source", "all_sources", "kernel_sources", "read_source", "source_hash"]

_MARKED = re.compile(r"@(\w+\.)*kernel\b|\bkernel\(")


class Source(NamedTuple):
    """What is known of a file: a hash of its text, the modules that it imports, with the names, and whether it has kernels."""

    digest: bytes
    imports: list[tuple[str, list[str]]]
    has_kernels: bool


def source_hash(package: Path, source: Path | None = None) -> str:
    """Sixteen digits that change with a source file, all that it imports of Condyle, Numba and Python.

    Without a source: with any file of Condyle that kernels are made of, since somebody else's kernel may call them all.
    """
    folder = str(package)
    digest = hashlib.blake2b(f"numba {_numba_version()}, python {sys.version}".encode(), digest_size=8)
    for file in kernel_sources(folder, None if source is None else str(source)):
        found = read_source(file)
        assert found is not None
        digest.update(file.removeprefix(folder).encode())
        digest.update(found.digest)
    return digest.hexdigest()


@functools.cache
def read_source(file: str) -> Source | None:
    """A file, read once; its text is not kept. None if there is none."""
    if not os.path.isfile(file):
        return None
    text = Path(file).read_text(encoding="utf-8")
    marked = "kernel" in text and _MARKED.search(text) is not None
    return Source(hashlib.blake2b(text.encode(), digest_size=16).digest(), _imports(text), marked)


def all_sources(package: str) -> list[str]:
    """The files below a folder."""
    return [str(path) for path in sorted(Path(package).rglob("*.py"))]


def kernel_sources(package: str, source: str | None = None) -> list[str]:
    """Files with kernels (or one file), and all they import of Condyle: what stands there is in the machine code."""
    wanted = [source] if source else [file for file in all_sources(package) if _has_kernels(file)]
    found: set[str] = set()
    while wanted:
        file = wanted.pop()
        if file not in found and read_source(file) is not None:
            found.add(file)
            wanted += _imported_files(package, file)
    return sorted(found)


def _has_kernels(file: str) -> bool:
    source = read_source(file)
    return source is not None and source.has_kernels


@functools.cache
def _imported_files(package: str, file: str) -> list[str]:
    """Where the modules of Condyle that a file imports may stand: as a file or a folder, and a name as a module or not."""
    files: list[str] = []
    source = read_source(file)
    for module, names in source.imports if source is not None else ():
        folder = package
        if module.startswith("."):  # from . import x, from ..laws import y
            folder = str(Path(file).parents[len(module) - len(module.lstrip(".")) - 1])
        elif not re.match(r"condyle\b", module):
            continue
        base = os.sep.join([folder, *filter(None, module.removeprefix("condyle").strip(".").split("."))])
        for place in (base, *(f"{base}{os.sep}{name}" for name in names)):
            files += [f"{place}.py", f"{place}{os.sep}__init__.py"]
    return files


def _imports(text: str) -> list[tuple[str, list[str]]]:
    """The modules that a source imports, each with the names taken from it."""
    taken = re.findall(r"^[ \t]*from\s+([\w.]+)\s+import\s+(\([^)]*\)|.*)", text, re.M)
    whole = re.findall(r"^[ \t]*import\s+(.*)", text, re.M)
    names = [(module, re.findall(r"\w+", names)) for module, names in taken]
    return names + [(module, []) for modules in whole for module in re.findall(r"[\w.]+", modules)]


def _numba_version() -> str:
    if "numba" in sys.modules:
        return str(sys.modules["numba"].__version__)
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("numba")
    except PackageNotFoundError:
        return "none"
