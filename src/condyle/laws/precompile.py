"""Compile large kernels in other processes while the first run is under way.

Kernels that are compiled on their own (`kernel.separate`) call each other by addresses, so none has to wait for another. A run
that needs one which is being compiled compiles others meanwhile that it will need, and then waits; one that nobody has begun it
compiles itself (`once.py`).
"""

from __future__ import annotations

import atexit
import functools
import os
import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from condyle.laws import compiling
from condyle.laws import kernel as kernels
from condyle.laws.once import do_meanwhile
from condyle.laws.record import numbered

__all__ = ["JOBS", "STEPS", "compile_jobs", "expect", "start"]

# Kernels and the module to import for them: those that a run needs last, and that take long, first. The steps of the method
# of a run come before them: those with mean velocities, or those with Newmark's formulas.
STEPS = {"run_steps": "condyle.integrators.loop", "run_steps of Newmark": "condyle.integrators.loop"}
JOBS = {
    "_add_forces": "condyle.system.assembly",
    "_finish": "condyle.system.assembly",
    "_add_others": "condyle.system.assembly",
    "_stored_energy": "condyle.system.assembly",
    "add_springs": "condyle.system.assembly",
    "add_general": "condyle.system.assembly",
}

# What every run by compiled steps needs, by file; and what only models with energies, forces or other constraints do.
EVERY_RUN: dict[str, tuple[str, ...]] = {
    "integrators/account": ("open_account",),
    "integrators/audit": ("first_failure",),
    "integrators/extrapolation": ("forget",),
    "integrators/loop": ("run_steps",),
    "laws/constraints": ("half_square",),
    "system/assembly/constraints": ("_constraint_values", "constraint_values"),
    "system/assembly/energies": ("stored_energy",),
    "system/assembly/inertia": ("momenta",),
    "system/assembly/places": ("find_turns",),
    "system/assembly/row_form": (
        "_constraint_rates", "_saddle_matrix", "_solve_saddle", "constraint_rates", "factor_dense", "row_accelerations",
        "saddle_matrix", "solve_saddle",
    ),
    "system/assembly/whole": ("_finish", "_start"),
}  # fmt: skip
SOME_RUNS: dict[str, dict[str, tuple[str, ...]]] = {
    "energies": {
        "system/assembly/energies": ("_add_energies", "_stored_energy"),
        "system/assembly/weighing": ("scatter_element",),
    },
    "springs": {"system/assembly/springs": ("add_springs",)},
    "general": {"system/assembly/general": ("add_general",)},
    "sections": {"system/assembly/sections": ("add_sections", "section_energies")},
    "frames": {"system/assembly/frames": ("add_frames", "frame_energies")},
    "slender": {"system/assembly/slender": ("add_slender", "slender_energies")},
    "plane solids": {"system/assembly/planes": ("add_planes",), "laws/solids": ("_solid_gram", "_six_law")},
    "solids in space": {"system/assembly/solids": ("add_solids",), "laws/solids": ("_solid_gram", "_six_law")},
    "forces": {"system/assembly/forces": ("_add_forces",)},
    "constraints": {"system/assembly/constraints": ("_add_others",)},
}

PACKAGE = Path(__file__).resolve().parent.parent

_running: list[subprocess.Popen[bytes]] = []


def expect(families: Iterable[str], laws: Iterable[int]) -> None:
    """Say what a model is going to need, so that who waits for the compiler sees how much is left.

    families: of its laws, and kinds of elements, as in `SOME_RUNS`; laws: their numbers.
    """
    wanted = [EVERY_RUN, *(SOME_RUNS[name] for name in families)]
    plan = [(PACKAGE / f"{file}.py", name) for files in wanted for file, names in files.items() for name in names]
    numbers = set(laws)

    @functools.cache
    def of_laws() -> list[tuple[Path, str]]:
        functions = [law.python() for law in map(numbered, numbers) if not law.own and law.kind != "solid"]
        return [(Path(function.__code__.co_filename).resolve(), function.__name__) for function in functions]

    def left() -> int:
        return sum(not kernels.is_on_disk(source, name) for source, name in plan + of_laws())

    later, laws_later = iter(plan), iter(sorted(numbers))

    def one_more() -> bool:
        for source, name in later:
            if kernels.can_compile_ahead(name) and not kernels.is_on_disk(source, name):
                kernels.compile_ahead(name, wait=False)
                return True
        from condyle.laws.table import compile_law

        for number in laws_later:
            if not numbered(number).own:  # those of the user say what is wrong with them where they are called
                compile_law(number)
                return True
        return False

    do_meanwhile(one_more)
    watched = compiling.watch()
    watched.expect(left)
    if _running and watched.seconds == 0.0:
        watched.announce()


def start(steps: str = "run_steps") -> None:
    """Begin, once, with all processors but one; nothing happens where there is no other, or where kernels are on disk.

    steps: one of `STEPS`, which the run is going to need.
    """
    others = min((os.cpu_count() or 1) - 1, 3)
    if _running or others < 1 or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or kernels.is_warm():
        return
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    quiet = subprocess.DEVNULL  # what fails is compiled, and reported, by the process that needs it
    for first in range(others):
        program = f"from {__name__} import compile_jobs; compile_jobs({steps!r}, {first}, {others})"
        _running.append(subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=quiet, stderr=quiet))
    atexit.register(stop)


def stop() -> None:
    """End all processes that compile ahead."""
    for process in _running:
        process.kill()


def compile_jobs(steps: str = "run_steps", first: int = 0, processes: int = 1) -> None:
    """What one of so many processes does: its share of the jobs first, then what is left of the others'."""
    jobs = {steps: STEPS[steps]} | JOBS
    names = list(jobs)
    for name in names[first::processes] + names:
        import_module(jobs[name])
        kernels.compile_ahead(name, wait=False)
