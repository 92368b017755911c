"""Who compiles says so: how long this process has compiled kernels, and how many are left, when it takes long.

Numba announces every pass of its compiler, and none when machine code is read from disk. From the first long wait on a bar on
standard error shows how many of the kernels that the model needs are not on disk yet; where standard error is no terminal one
line says so, once. With the environment variable CONDYLE_QUIET=1 nothing is said.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO

__all__ = ["CompileBar", "Compiling", "Stopwatch", "seconds", "watch"]

FIRST = 2.0  # [s] of compiling before a word is said
AGAIN = 0.25  # [s] between two looks at what is left, after that
INNER = "<locals>"  # in the names of Numba's own pieces, which say nothing to a user
LONGEST = 16  # letters of a name beside the bar, which needs the room


class Compiling:
    """Counts the time of the outermost passes, and says how far it is.

    show: is told how many kernels are left, of how many, after how long [s], and which one is compiled now.
    """

    def __init__(
        self,
        show: Callable[[int, int, float, str], None] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.show, self.clock = show, clock
        self.seconds = 0.0
        self.total = 0  # kernels that had to be compiled when it was first asked
        self.left: Callable[[], int] | None = None  # how many kernels of the plan are not on disk
        self._depth = threading.local()
        self._name = ""  # the kernel that is compiled now
        self._began = 0.0
        self._next = FIRST

    def expect(self, left: Callable[[], int]) -> None:
        """The plan of a model: a function that counts the kernels that it needs and that are not on disk."""
        self.left, self.total = left, 0

    def start(self, name: str) -> None:
        """A pass for a function begins."""
        depth = getattr(self._depth, "now", 0)
        self._depth.now = depth + 1
        if depth == 0:
            self._began = self.clock()
        if INNER not in name:
            self._name = name
        self._report(self.seconds + self.clock() - self._began, self._name)

    def end(self) -> None:
        """The last pass that began ends."""
        self._depth.now -= 1
        if self._depth.now == 0:
            self.seconds += self.clock() - self._began

    def waited(self, name: str, seconds: float) -> None:
        """Another process compiles a function for so long already."""
        self._report(self.seconds + seconds, name)

    def announce(self) -> None:
        """Say now that this will take a while: nothing is on disk."""
        if self._next == FIRST:
            self._next = self.seconds
            self._report(self.seconds, "")

    def _report(self, now: float, name: str) -> None:
        if now < self._next or self.show is None:
            return
        self._next = now + AGAIN
        left = self.left() if self.left is not None else 0
        self.total = max(self.total, left)
        self.show(left, self.total, now, name)


class CompileBar:
    """Shows on standard error how many kernels are left; on a terminal a bar, elsewhere one line."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._live: Any = None
        self._said = False
        atexit.register(self.close)

    def show(self, left: int, total: int, seconds: float, name: str) -> None:
        """So many kernels are left of so many after so long [s]; `name` is compiled now."""
        stream = sys.stderr if self._stream is None else self._stream
        if stream is None or os.environ.get("CONDYLE_QUIET", "") not in ("", "0"):
            return
        many = f"{total} kernels" if total else "kernels"
        if not stream.isatty():
            if not self._said:
                stream.write(
                    f"condyle: compiling {many} for this kind of model; they are kept, only the first run waits\n"
                )
                stream.flush()
            self._said = True
            return
        if self._live is None and (left or not self._said):
            self._open(stream, f"compiling {many}, which are kept")
        self._said = True
        if self._live is None:
            return
        done = total - left
        rest = f", about {seconds * left / done:.0f} s" if 3 <= done < total else ""
        state = f"{left} left{rest}; now {name[:LONGEST]}" if name else f"{left} left"
        self._live.update(self._live.task_ids[0], completed=done, total=max(total, 1), state=state)
        self._live.refresh()
        if total and left == 0:
            self.close()

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _open(self, stream: TextIO, title: str) -> None:
        """It is drawn from the passes of the compiler alone, without a thread."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._live = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=16),
            TextColumn("{task.fields[state]}", markup=False),
            console=Console(file=stream),
            auto_refresh=False,
            transient=True,
            redirect_stdout=sys.stdout.isatty(),
        )
        self._live.add_task(title, total=1, state="")
        self._live.start()


_process = Compiling()
_watching = False
_bar = CompileBar()
_speaker: list[Callable[[str], bool]] = []


def watch() -> Compiling:
    """What this process compiles, counted from the first call on."""
    global _watching
    if not _watching:
        _watching = True
        _process.show = _show
        _listen(_process)
    return _process


def seconds() -> float:
    """How long this process has compiled since it is watched [s]."""
    return watch().seconds


class Stopwatch:
    """How long a run takes, and how much of that is compiling.

    speaker: a bar that stands on the same screen until `stop`; it is told what is compiled, and says whether it shows it.
    """

    def __init__(self, speaker: Callable[[str], bool] | None = None) -> None:
        self.began, self.compiled = time.perf_counter(), seconds()
        _speaker[:] = [speaker] if speaker is not None else []

    def read(self, wall: float = 0.0, compiled: float = 0.0) -> tuple[float, float]:
        """Wall time without compiling, and compile time [s], each added to that of an earlier part of the run."""
        own = seconds() - self.compiled
        return wall + time.perf_counter() - self.began - own, compiled + own

    def make_room(self) -> None:
        """Another bar is about to stand on the screen."""
        _bar.close()

    def stop(self) -> None:
        """Take the line of the compiler away: there is nothing more to say."""
        _speaker.clear()
        _bar.close()


def _show(left: int, total: int, seconds: float, name: str) -> None:
    if not (_speaker and _speaker[-1](f"compiling {name}, {left} of {total} kernels left")):
        _bar.show(left, total, seconds, name)


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
