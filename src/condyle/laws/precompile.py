"""Compile large kernels in other processes while the first run is under way.

Kernels that are compiled on their own (`kernel.separate`) call each other by addresses, so none has to wait for another. A run
that needs one which is being compiled waits for it; one that nobody has begun it compiles itself.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections import deque
from importlib import import_module

from condyle.laws import compiling
from condyle.laws import kernel as kernels

__all__ = ["JOBS", "Background", "compile_alone", "start"]

# Kernel and the module to import for it: those that take long and are not needed at once first.
JOBS = {
    "_add_energies": "condyle.system.assembly",
    "_add_others": "condyle.system.assembly",
    "_finish": "condyle.system.assembly",
    "_stored_energy": "condyle.system.assembly",
    "_add_forces": "condyle.system.assembly",
}


def start() -> Background | None:
    """Begin, with all processors but one; None where there is no other, or nothing is compiled."""
    others = min((os.cpu_count() or 1) - 1, 3)
    if others < 1 or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return None
    compiling.watch().announce()
    return Background(list(JOBS), others)


class Background:
    """Processes that compile kernels, one after the other, until this process ends."""

    def __init__(self, names: list[str], processes: int) -> None:
        self._waiting = deque(names)
        self._done = {name: threading.Event() for name in names}
        self._running: set[subprocess.Popen[bytes]] = set()
        kernels.compile_elsewhere(self.take)
        atexit.register(self.stop)
        for _ in range(processes):
            threading.Thread(target=self._work, daemon=True).start()

    def take(self, name: str) -> None:
        """Called when a kernel is needed here: wait for it if it is being compiled, or see that no other process does it."""
        try:
            self._waiting.remove(name)
        except ValueError:  # begun, or none of these
            if name in self._done:
                compiling.watch().wait(self._done[name], name)

    def stop(self) -> None:
        """End all of it."""
        self._waiting.clear()
        for process in list(self._running):
            process.kill()

    def _work(self) -> None:
        while self._waiting:
            try:
                name = self._waiting.popleft()
            except IndexError:
                return
            program = f"from {__name__} import compile_alone; compile_alone({name!r})"
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
            quiet = subprocess.DEVNULL  # what fails is compiled, and reported, by the process that needs it
            process = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=quiet, stderr=quiet)
            self._running.add(process)
            process.wait()
            self._running.discard(process)
            self._done[name].set()


def compile_alone(name: str) -> None:
    """What a process has to do for one kernel."""
    import_module(JOBS[name])
    kernels.compile_separately(name)
