"""Files of the user's own: the laws, parts and integrators that they bring."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from condyle.errors import InputError
from condyle.integrators.registry import is_integrator, known_integrators, register_integrator
from condyle.laws.user import laws
from condyle.model.part import part_types


class Loaded(NamedTuple):
    """Names of what a file brings."""

    laws: list[str]
    parts: list[str]
    integrators: list[str]


def load_parts(path: str | Path) -> Loaded:
    """Run a user's Python file.

    Bodies, joints and forces that it defines register themselves, laws by `condyle.law`, integrators by
    `register_integrator`; a class of the file that has all an integrator needs is registered, too.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no file '{file}' to load parts from")
    before = _known()
    module = _run(file)
    for cls in vars(module).values():
        mine = isinstance(cls, type) and cls.__module__ == module.__name__ and not inspect.isabstract(cls)
        if mine and is_integrator(cls) and cls not in known_integrators().values():
            register_integrator(cls)
    new = ([n for n, made in now.items() if was.get(n) is not made] for was, now in zip(before, _known(), strict=True))
    return Loaded(*new)


def _known() -> tuple[dict[str, Any], ...]:
    return laws(), part_types(), known_integrators()


def _run(file: Path) -> ModuleType:
    """Run a file as the module that `import` would make of it, if the name is free: its own caches hold that name."""
    known = sys.modules.get(file.stem)
    if known is not None and _is(file, getattr(known, "__file__", None)):
        name = file.stem  # loaded before: it is run again
    else:
        name = file.stem if known is None and _free(file) else f"condyle_user_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"'{file}' is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InputError(f"'{file}' cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def _free(file: Path) -> bool:
    """Does no other module have the name of this file?"""
    if not file.stem.isidentifier():
        return False
    found = importlib.util.find_spec(file.stem)
    return found is None or _is(file, found.origin)


def _is(file: Path, other: str | None) -> bool:
    return other is not None and Path(other).exists() and file.samefile(other)
