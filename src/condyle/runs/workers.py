"""Who runs the cases: this process, processes on its cores, or a Dask cluster. Each yields cases as they are finished."""

from __future__ import annotations

import atexit
import contextlib
import logging
import multiprocessing
import os
import pickle
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from condyle.errors import CondyleError, InputError
from condyle.runs.case import Case, Job, run_case

if TYPE_CHECKING:
    from distributed import Client
    from distributed import Future as DaskFuture

__all__ = ["Crew", "on_cores", "on_dask", "run_here"]

Item = TypeVar("Item")
Done = TypeVar("Done")

# Each worker computes on one core; libraries that would take all of them are told so.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
WORKER_TIME = 4.0  # [s] after which somebody is told that a scheduler has no workers
CONNECT_TIME = 10.0  # [s] to wait for the answer of a scheduler


def run_here(jobs: Sequence[Job]) -> Iterator[Case]:
    """One after the other in this process: for debugging, and for functions that cannot be sent to another process."""
    for job in jobs:
        yield run_case(job)


def on_cores(jobs: Sequence[Job], workers: int) -> Iterator[Case]:
    """On the cores of this machine.

    Each worker is a pool of its own with one case at a time, so that who died is known and no other case is lost. A case
    whose process died runs again at the end, alone (memory may have been short): if it dies again, it has failed.
    """
    with _Hands(workers) as hands:
        for number, case in hands.each(run_case, jobs):
            job = jobs[number]
            yield case or Case(job.number, job.parameters, problem="its process died: out of memory, or a crash")


class _Hands:
    """Processes, each with one item of work at a time."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._idle: list[ProcessPoolExecutor] = []
        self._closing = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self._closing.__exit__(kind, error, where)

    def each(self, work: Callable[[Item], Done], items: Sequence[Item]) -> Iterator[tuple[int, Done | None]]:
        """The place of each item and what was made of it, as they are finished; None if its process died twice."""
        waiting = list(reversed(range(len(items))))
        running: dict[Future[Done], tuple[int, ProcessPoolExecutor]] = {}
        died: list[int] = []
        while running or waiting:
            while waiting and len(running) < self.workers:
                pool, future = self._given(work, items[waiting[-1]])
                running[future] = (waiting.pop(), pool)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                number, pool = running.pop(future)
                try:
                    done = future.result()
                except BrokenProcessPool:
                    died.append(number)
                    continue
                self._idle.append(pool)
                yield number, done
        for number in died:
            yield number, _alone(work, items[number])

    def _given(self, work: Callable[[Item], Done], item: Item) -> tuple[ProcessPoolExecutor, Future[Done]]:
        """The work, given to a process that is there; to a new one if there is none, or if it died idle."""
        while self._idle:
            pool = self._idle.pop()
            with contextlib.suppress(BrokenProcessPool):
                return pool, pool.submit(work, item)
        pool = self._closing.enter_context(_pool(1))
        return pool, pool.submit(work, item)


def _leave_with_parent() -> None:
    """Of a worker: end when the process that started it is killed. Else it would wait for work for ever.

    Ctrl+C reaches all processes of a terminal: the one that started this one ends it. When there is no more work it leaves at
    once: to take down all that Python, Numba and LLVM have loaded takes a good part of a second, and nobody needs it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    atexit.register(_leave_at_once)  # before any other, so that it is the last to be called
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _leave_at_once() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


@contextlib.contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update({name: "1" for name, value in before.items() if value is None})
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_leave_with_parent)
    try:
        yield pool
    except BaseException:  # interrupted: do not wait for what is under way
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


class Crew:
    """Workers that stay while one round of work after the other is done, as a search asks for it.

    workers: processes, 0 for this one; scheduler: address of a Dask scheduler instead.
    """

    def __init__(self, workers: int = 0, scheduler: str | None = None) -> None:
        self.workers, self.scheduler = workers, scheduler
        self._closing = contextlib.ExitStack()
        self._hands: _Hands | None = None
        self._client: Client | None = None
        if scheduler is not None:
            self._client = self._closing.enter_context(_connected(scheduler))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self._closing.__exit__(kind, error, where)

    @property
    def many(self) -> bool:
        """Is there anybody but this process?"""
        return self.workers > 0 or self._client is not None

    def do(self, work: Callable[[Item], Done], items: Sequence[Item]) -> list[Done | None]:
        """The work on each item, in their order; None where its process died. `work` can be sent to other processes."""
        if not self.many:
            return [work(item) for item in items]
        try:
            pickle.dumps((work, items))
        except Exception as error:
            raise InputError(
                f"this cannot be sent to other processes ({error}): define functions at the top of a module, or take workers=0"
            ) from None
        if self._client is not None:
            futures = self._client.map(work, items, pure=False)
            return [
                None if future.exception() is not None and _is_death(future) else future.result() for future in futures
            ]
        if self._hands is None:
            self._hands = self._closing.enter_context(_Hands(self.workers))
        found = dict(self._hands.each(work, items))
        return [found[number] for number in range(len(items))]


def _alone(work: Callable[[Item], Done], item: Item) -> Done | None:
    with _pool(1) as alone:
        try:
            return alone.submit(work, item).result()
        except BrokenProcessPool:
            return None


def _is_death(future: DaskFuture[Any]) -> bool:
    from distributed.scheduler import KilledWorker

    return isinstance(future.exception(), KilledWorker)


@contextlib.contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    """The connection to a Dask scheduler; CondyleError if it goes away while there is work."""
    client = _client(scheduler)
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)  # it would tell at length what is said below
    reminder = threading.Timer(WORKER_TIME, _remind, (client, scheduler))
    reminder.daemon = True
    reminder.start()
    try:
        yield client
    except CancelledError:
        raise CondyleError(
            f"the scheduler {scheduler!r} went away; start one and repeat this: in its folder (out=, --out) it goes on "
            "where it was"
        ) from None
    finally:
        reminder.cancel()
        client.close()
        log.setLevel(level)


def _remind(client: Client, scheduler: str) -> None:
    """Say that nothing happens, and why."""
    with contextlib.suppress(Exception):  # the connection may end meanwhile
        if not client.scheduler_info()["workers"]:
            print(
                f"condyle: the scheduler {scheduler!r} has no workers, it waits: start some with 'dask worker {scheduler}'",
                file=sys.stderr,
                flush=True,
            )


def _client(scheduler: str) -> Client:
    """The connection to a Dask scheduler; InputError if nobody answers."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError("a Dask scheduler needs Dask: pip install 'condyle[dask]'") from None
    fix = "start one with 'dask scheduler' and give its address, tcp://host:8786"
    if "://" not in scheduler and not re.fullmatch(r"[^/\s]+:\d+", scheduler):
        raise InputError(f"{scheduler!r} is no address of a scheduler; {fix}")
    try:
        return Client(scheduler, timeout=CONNECT_TIME, set_as_default=False)
    except (OSError, TimeoutError, ValueError):
        raise InputError(f"the scheduler {scheduler!r} does not answer; {fix}") from None


def on_dask(jobs: Sequence[Job], scheduler: str) -> Iterator[Case]:
    """On a Dask cluster, by the address of its scheduler. A case whose worker dies runs again on another one."""
    with _connected(scheduler) as client:
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        by_key = {}
        for job in jobs:
            future = client.submit(run_case, job, pure=False)
            by_key[future.key] = (job, future)
        for done in as_completed([future for _, future in by_key.values()], loop=client.loop):
            job, _ = by_key.pop(done.key)
            try:
                yield done.result()
            except KilledWorker:
                yield Case(
                    job.number, job.parameters, problem="its worker died again and again: out of memory, or a crash"
                )
            done.release()
