"""How far a sweep is: a bar with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import perf_counter

from condyle.runs.case import Case

PLAIN_LINES = 10  # in a log file, over the whole sweep


def shown(source: Iterator[Case], name: str, before: int, total: int) -> Iterator[Case]:
    """Hand the cases on, and say on standard error how many are done, how many failed and how long the rest will take."""
    if sys.stderr.isatty():
        yield from _bar(source, name, before, total)
        return
    begun, failed = perf_counter(), 0
    for count, case in enumerate(source, before + 1):
        failed += bool(case.problem)
        if count == total or (count * PLAIN_LINES) // total > ((count - 1) * PLAIN_LINES) // total:
            left = (perf_counter() - begun) / (count - before) * (total - count)
            bad = f", {failed} failed" if failed else ""
            print(f"{name}: case {count} of {total}{bad}, {left:.0f} s left", file=sys.stderr, flush=True)
        yield case


def _bar(source: Iterator[Case], name: str, before: int, total: int) -> Iterator[Case]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    failed = 0
    with Progress(*columns, console=Console(file=sys.stderr)) as bar:
        task = bar.add_task(name, total=total, completed=before)
        for case in source:
            failed += bool(case.problem)
            bar.update(task, advance=1, description=f"{name}, {failed} failed" if failed else name)
            yield case
