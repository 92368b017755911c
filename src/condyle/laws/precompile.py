"""Compile the large kernels side by side, each in a process of its own, before the engine is loaded for the first time.

Kernels that are compiled on their own (`kernel.separate`) call each other by symbols, so none has to wait for another: a
process that compiles one gives all others an address that is never called.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from condyle.laws import kernel as kernels

__all__ = ["JOBS", "job", "precompile"]

# Kernel and the module to import for it, those that take longest first.
JOBS = {
    "_add_energies": "condyle.system.assembly",
    "_finish": "condyle.system.assembly",
    "_segment": "condyle.laws.paths",
    "_gram_law": "condyle.laws.gram",
    "_force_law": "condyle.laws.forces",
    "_separately": "condyle.laws.hyperelastic",
    "solid_element": "condyle.system.assembly",
    "_next_state": "condyle.laws.muscles",
    "_start": "condyle.system.assembly",
}


def precompile() -> Iterator[kernels.WarmupReport]:
    """Compile all of them on all processors, and yield a report as each is done; nothing if there is nothing to gain."""
    if (os.cpu_count() or 1) > 1 and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        yield from kernels.warmup([f"{__name__}:job({name!r})" for name in JOBS])


def job(name: str) -> Callable[[], None]:
    """What a fresh process has to do for one kernel."""

    def compile_one() -> None:
        kernels.separate = _only(name)  # type: ignore[assignment]
        with contextlib.suppress(_Done):
            import_module(JOBS[name])

    return compile_one


class _Done(Exception):
    """The kernel is compiled; the rest of its module need not be loaded."""


def _only(wanted: str) -> Callable[[Any], Any]:
    """In place of `separate`: compile the kernel of that name, and only declare the others."""
    separate = kernels.separate

    def chosen(signature: Any) -> Any:
        def declared(function: Any) -> Any:
            if function.__name__ == wanted:
                separate(signature)(function)
                raise _Done
            import llvmlite.binding
            import numba.core.typing as typing
            from numba.core import sigutils

            arguments, result = sigutils.normalize_signature(signature)
            name = f"condyle_{function.__name__}"
            never_called: Any = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value
            llvmlite.binding.add_symbol(name, never_called)
            return kernels._by_symbol(name, typing.signature(result, *arguments))

        return declared

    return chosen
