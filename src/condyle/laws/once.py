"""Each kernel is compiled once, however many processes need it: the others wait, and read its machine code from disk."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from condyle.laws import compiling

__all__ = ["one_process_at_a_time"]

PAUSE = 0.05  # [s] between two looks whether the other process is done


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
    began = time.perf_counter()
    while True:
        try:
            flock(number, how)
        except BlockingIOError:
            if not wait:
                return False
            compiling.watch().waited(name, time.perf_counter() - began)
            time.sleep(PAUSE)
        except OSError:  # a file system without locks
            return True
        else:
            compiling.watch().seconds += time.perf_counter() - began
            return True
