"""One thread for matrices that are not large.

The threads of OpenBLAS and MKL wait for each other by spinning. On a quiet machine a second one saves little time on a
matrix of a few hundred unknowns; beside other processes (a sweep, a test run) it was seen to cost 300 times the time.

OpenBLAS has one number of threads for the whole process, and sums differently with another number. So one run at a time
factorises with it: simulations in several threads get the same numbers as each alone.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from types import TracebackType

__all__ = ["OneThread", "openblas_of_scipy"]


_openblas = threading.RLock()


class OneThread:
    """A context in which a library works with one thread.

    Parameters
    ----------
    limit : sets the number of threads, 0 meaning the number there was at first; None if the library has no such call
    active : whether to limit at all
    local : the number is that of the calling thread alone; else others wait until the context is left
    """

    __slots__ = ("_limit", "_local")

    def __init__(self, limit: Callable[[int], object] | None, *, active: bool = True, local: bool = False) -> None:
        self._limit, self._local = (limit if active else None), local

    def __enter__(self) -> None:
        if not self._local:
            _openblas.acquire()
        if self._limit is not None:
            self._limit(1)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._limit is not None:
            self._limit(0)
        if not self._local:
            _openblas.release()


@functools.cache
def openblas_of_scipy() -> Callable[[int], object] | None:
    """The call that limits the threads of the OpenBLAS in SciPy's wheels; None with another BLAS."""
    try:
        from scipy.linalg import _flapack

        library = ctypes.CDLL(_flapack.__file__)  # its symbols include those of the OpenBLAS it is linked to
        setter, before = library["scipy_openblas_set_num_threads"], library["scipy_openblas_get_num_threads"]()
    except (ImportError, OSError, AttributeError):
        return None
    return lambda threads: setter(threads or before) if before > 1 else None
