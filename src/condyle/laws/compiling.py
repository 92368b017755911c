"""Who compiles says so: how long this process has compiled kernels, and a word to the user when it takes long.

Numba announces every pass of its compiler, and none when machine code is read from disk. From the first long wait on, standard
error says what is compiled and how far it is; with the environment variable CONDYLE_QUIET=1 it does not.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["Compiling", "Stopwatch", "seconds", "watch"]

FIRST = 2.0  # [s] of compiling before a word is said
AGAIN = 10.0  # [s] between two words after that


class Compiling:
    """Counts the time of the outermost passes, and the functions they were for."""

    def __init__(
        self, say: Callable[[str], None] | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.say, self.clock = say, clock
        self.seconds = 0.0
        self.functions: dict[str, None] = {}  # in the order in which they were begun
        self._depth = threading.local()
        self._began = 0.0
        self._next = FIRST

    def start(self, name: str) -> None:
        """A pass for a function begins."""
        depth = getattr(self._depth, "now", 0)
        self._depth.now = depth + 1
        if depth == 0:
            self._began = self.clock()
            self.functions[name] = None
        self._report()

    def end(self) -> None:
        """The last pass that began ends."""
        self._depth.now -= 1
        if self._depth.now == 0:
            self.seconds += self.clock() - self._began

    def waited(self, name: str, seconds: float) -> None:
        """Another process compiles a function for so long already."""
        now = self.seconds + seconds
        if now >= self._next:
            self.announce()
            self._next = now + AGAIN
            self._say(f"compiling: waiting for {name}, {now:.0f} s so far")

    def announce(self) -> None:
        """Say once that this will take a while."""
        if self._next == FIRST:
            self._next = 2.0 * FIRST
            self._say(
                "compiling machine code for this kind of model; it is kept, so only the first run waits (minutes)"
            )

    def _say(self, message: str) -> None:
        if self.say is not None:
            self.say(message)

    def _report(self) -> None:
        now = self.seconds + self.clock() - self._began
        if now < self._next:
            return
        self.announce()
        self._next = now + AGAIN
        latest = next(reversed(self.functions))
        self._say(f"compiling: {len(self.functions)} functions so far in {now:.0f} s, now {latest}")


_process = Compiling()
_watching = False
_speaker: list[Callable[[str], None]] = []


def watch() -> Compiling:
    """What this process compiles, counted from the first call on."""
    global _watching
    if not _watching:
        _watching = True
        _process.say = _speak
        _listen(_process)
    return _process


def seconds() -> float:
    """How long this process has compiled since it is watched [s]."""
    return watch().seconds


class Stopwatch:
    """How long a run takes, and how much of that is compiling.

    speaker: who says what is compiled until `stop`: a progress bar that stands on the same screen; None: standard error.
    """

    def __init__(self, speaker: Callable[[str], None] | None = None) -> None:
        self.began, self.compiled = time.perf_counter(), seconds()
        _speaker[:] = [speaker] if speaker is not None else []

    def read(self, wall: float = 0.0, compiled: float = 0.0) -> tuple[float, float]:
        """Wall time without compiling, and compile time [s], each added to that of an earlier part of the run."""
        own = seconds() - self.compiled
        return wall + time.perf_counter() - self.began - own, compiled + own

    def stop(self) -> None:
        """The speaker has gone."""
        _speaker.clear()


def _speak(message: str) -> None:
    if os.environ.get("CONDYLE_QUIET", "") not in ("", "0"):
        return
    if _speaker:
        _speaker[-1](message)
    elif sys.stderr is not None:
        print(f"condyle: {message}", file=sys.stderr, flush=True)


def _listen(compiling: Compiling) -> None:
    """Be told of every pass of the compiler."""
    try:
        from numba.core import event
    except ImportError:  # a Numba with other insides: nothing is counted, nothing is said
        return

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            compiling.start(str(event.data.get("qualname", "") if event.data else ""))

        def on_end(self, event: Any) -> None:
            compiling.end()

    event.register("numba:run_pass", Listener())
