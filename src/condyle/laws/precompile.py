"""Compile the large kernels that most runs need side by side, each in a process of its own, before the first run.

Kernels that are compiled on their own (`kernel.separate`) call each other by addresses, so none has to wait for another. Those
that are not listed here are compiled when they are first called.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import import_module

from condyle.laws import kernel as kernels

__all__ = ["JOBS", "job", "precompile"]

# Kernel and the module to import for it, those that take longest first.
JOBS = {
    "_add_energies": "condyle.system.assembly",
    "_finish": "condyle.system.assembly",
    "_gram_law": "condyle.laws.gram",
    "_force_law": "condyle.laws.forces",
    "_start": "condyle.system.assembly",
}


def precompile() -> Iterator[kernels.WarmupReport]:
    """Compile all of them on all processors, and yield a report as each is done; nothing if there is nothing to gain."""
    if (os.cpu_count() or 1) > 1 and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        yield from kernels.warmup([f"{__name__}:job({name!r})" for name in JOBS])


def job(name: str) -> Callable[[], None]:
    """What a fresh process has to do for one kernel."""

    def compile_one() -> None:
        import_module(JOBS[name])
        kernels.compile_separately(name)

    return compile_one
