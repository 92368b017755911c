"""Compile large kernels in other processes while the first run is under way.

Kernels that are compiled on their own (`kernel.separate`) call each other by addresses, so none has to wait for another. A run
that needs one which is being compiled waits for it; one that nobody has begun it compiles itself (`once.py`).
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from importlib import import_module

from condyle.laws import compiling
from condyle.laws import kernel as kernels

__all__ = ["JOBS", "compile_jobs", "start"]

# Kernel and the module to import for it: those that a run needs last, and that take long, first.
JOBS = {
    "run_steps": "condyle.integrators.loop",
    "_add_others": "condyle.system.assembly",
    "_force_on_coordinates": "condyle.laws.forces",
    "_stored_energy": "condyle.system.assembly",
    "_add_forces": "condyle.system.assembly",
    "_finish": "condyle.system.assembly",
    "_law_of_coordinates": "condyle.laws.gram",
    "_force_law": "condyle.laws.forces",
    "_add_energies": "condyle.system.assembly",
    "_separately": "condyle.laws.hyperelastic",
    "_gram_law": "condyle.laws.gram",
}

_running: list[subprocess.Popen[bytes]] = []


def start() -> None:
    """Begin, once, with all processors but one; nothing happens where there is no other, or where kernels are on disk."""
    others = min((os.cpu_count() or 1) - 1, 3)
    if _running or others < 1 or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or kernels.is_warm():
        return
    compiling.watch().announce()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    quiet = subprocess.DEVNULL  # what fails is compiled, and reported, by the process that needs it
    for first in range(others):
        program = f"from {__name__} import compile_jobs; compile_jobs({first}, {others})"
        _running.append(subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=quiet, stderr=quiet))
    atexit.register(stop)


def stop() -> None:
    """End all of it."""
    for process in _running:
        process.kill()


def compile_jobs(first: int = 0, processes: int = 1) -> None:
    """What one of so many processes does: its share of the jobs first, then what is left of the others'."""
    names = list(JOBS)
    for name in names[first::processes] + names:
        import_module(JOBS[name])
        kernels.compile_ahead(name, wait=False)
