"""Each kernel is compiled once, however many processes need it: the others wait, and read its machine code from disk."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from condyle.laws import compiling

__all__ = ["do_meanwhile", "one_process_at_a_time"]

PAUSE = 0.05  # [s] between two looks whether the other process is done

_meanwhile: list[Callable[[], bool]] = []


def do_meanwhile(job: Callable[[], bool]) -> None:
    """What this process does, again and again, while it waits for another; the job says whether there was anything to do."""
    _meanwhile[:] = [job]


def _did_something() -> bool:
    if not _meanwhile:
        return False
    job = _meanwhile.pop()  # which may have to wait itself
    done = job()
    if done:
        do_meanwhile(job)
    return done


@contextlib.contextmanager
def one_process_at_a_time(folder: Path, name: str, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of a kernel; gives False if another process has it and `wait` is false.

    A process that ends lets go of its locks. Where files cannot be locked, two processes may do the same work.
    """
    try:
        import fcntl

        file = (folder / f"{name}.lock").open("w")
    except (ImportError, OSError):
        yield True
        return
    with file:
        held = _lock(file.fileno(), fcntl, wait, name)
        try:
            yield held
        finally:
            if held:
                fcntl.flock(file, fcntl.LOCK_UN)


def _lock(number: int, fcntl: object, wait: bool, name: str) -> bool:
    flock, how = fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB  # type: ignore[attr-defined]
    began, before = time.perf_counter(), compiling.watch().seconds
    while True:
        try:
            flock(number, how)
        except BlockingIOError:
            if not wait:
                return False
            compiling.watch().waited(name, time.perf_counter() - began)
            if not _did_something():
                time.sleep(PAUSE)
        except OSError:  # a file system without locks
            return True
        else:
            compiling.watch().seconds = before + time.perf_counter() - began
            return True
