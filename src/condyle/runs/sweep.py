"""Sweeps: one study or function, many values of its parameters, one table of what comes out.

Every case that is finished is kept at once, in a file of its own in the folder of the sweep. A sweep that was killed goes
on where it was when the same sweep is started in the same folder; failed cases are kept with their reason.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condyle.errors import InputError
from condyle.runs.case import Case, Job, plain, write_whole
from condyle.runs.plan import Span, plan_cases
from condyle.runs.sweep_result import SweepResult
from condyle.runs.target import Target
from condyle.runs.workers import on_cores, on_dask, run_here

if TYPE_CHECKING:
    from condyle.model.given import Json
    from condyle.study import Study

__all__ = ["sweep"]


def sweep(
    target: str | Path | Study | Callable[..., object],
    vary: Mapping[str, Span | Sequence[Json] | str],
    *,
    fixed: Mapping[str, Json] | None = None,
    design: str = "grid",
    samples: int | None = None,
    seed: int = 0,
    quick: bool = False,
    out: str | Path | None = None,
    keep_results: bool = False,
    overwrite: bool = False,
    workers: int | None = None,
    scheduler: str | None = None,
    allow: Sequence[str | Path] = (),
    allow_code: bool = False,
    progress: bool | Callable[[int, int, Case], None] = False,
) -> SweepResult:
    """Run a study or a function with many values of its parameters.

    Parameters
    ----------
    target : name of a study, path of a model file or of a Python file with a study, a registered `Study`; or a function of
        the parameters that returns a number or a mapping of numbers (at the top of a module, so that other processes find it)
    vary : name → list of values, `Span`, or a text such as ``"4:12:5 mm"`` or ``"4,6,12 mm"``
    fixed : name → value of parameters that are the same in all cases
    design, samples, seed : see `plan_cases`
    quick : take the quick form of a study
    out : folder of the sweep; None keeps everything in memory
    keep_results : each case of a study also keeps its results files, in a folder of its own in `out`
    overwrite : begin anew although `out` holds another sweep
    workers : processes; None takes one per core, 0 runs in this process
    scheduler : address of a Dask scheduler, ``tcp://host:8786``, instead of processes
    allow, allow_code : folders that a model file may read besides its own, and whether it may name Python code
    progress : show a bar with the time left; or a function of (cases done, cases in all, last case)

    Returns
    -------
    SweepResult : table, failed cases, figures, indices of sensitivity
    """
    what = Target(target, allow, allow_code)
    name, units = what.name, what.units
    what.check_names([*vary, *(fixed or {})])
    ranges = {parameter: _range(what, parameter, values) for parameter, values in vary.items()}
    cases = plan_cases(ranges, design, samples, seed)
    both = set(ranges) & set(fixed or {})
    if both:
        raise InputError(f"sweep of {name!r}: {', '.join(sorted(both))} cannot be varied and fixed at once")
    if workers is not None and workers < 0:
        raise InputError(f"sweep of {name!r}: {workers} workers; give 0 (this process) or more")
    if keep_results and out is None:
        raise InputError(f"sweep of {name!r}: results are kept in a folder; give out=…")
    same = {parameter: plain(value) for parameter, value in (fixed or {}).items()}
    values = [what.checked({**same, **case}, quick) for case in cases]
    plan = _plan(name, ranges, fixed, design, samples, seed, quick)
    if what.digest:
        plan["file"] = what.digest  # cases of a file that was changed since are of another sweep
    folder = None if out is None else Path(out)
    done = {} if folder is None else _open(folder, plan, values, overwrite)
    jobs = [
        Job(number, what.sent, case, quick, _results(folder, number, keep_results))
        for number, case in enumerate(values)
        if number not in done
    ]
    for case in _finished(jobs, workers, scheduler, name, len(cases), progress):
        done[case.number] = case
        if folder is not None:
            case.write(folder / "cases")
    ordered = [done[number] for number in sorted(done)]
    logs = [parameter for parameter, values in ranges.items() if isinstance(values, Span) and values.log]
    written = {
        parameter: unit for parameter, values in vary.items() if (unit := _written_unit(values, units.get(parameter)))
    }
    found = SweepResult(
        name, tuple(ranges), ordered, design=design, samples=samples, units=units, logs=logs, written=written
    )
    if folder is not None:
        found.save(folder / "table.csv")
    return found


def _finished(
    jobs: Sequence[Job],
    workers: int | None,
    scheduler: str | None,
    name: str,
    total: int,
    progress: bool | Callable[[int, int, Case], None],
) -> Iterator[Case]:
    """The cases as they are finished, by whoever runs them, with progress shown."""
    if not jobs:
        return
    if scheduler is not None:
        source = on_dask(jobs, scheduler)
    elif workers == 0:
        source = run_here(jobs)
    else:
        source = on_cores(jobs, min(workers or os.cpu_count() or 1, len(jobs)))
    before = total - len(jobs)
    if callable(progress):
        for count, case in enumerate(source, before + 1):
            progress(count, total, case)
            yield case
    elif progress:
        from condyle.runs.sweep_progress import shown

        yield from shown(source, name, before, total)
    else:
        yield from source


# --- what is varied -------------------------------------------------------------------------------------------------


def parse_range(text: str, unit: str, where: str) -> Span | list[str]:
    """``4:12:5 mm`` as a range in `unit`, with a count or without; ``log 1:100:3`` spaced by ratios; else words at commas.

    The unit at the end holds for everything before it that has none of its own.
    """
    from condyle.units import factor, number_in, split_unit

    log = text.startswith("log ")
    words = text.removeprefix("log ").split(":")
    if len(words) == 1:
        return _with_last_unit([word.strip() for word in text.split(",")])
    if len(words) > 3:
        raise InputError(f"{where}: {text!r} is no range; write low:high or low:high:count, with a unit at the end")
    count = None
    try:
        number, written = split_unit(words[-1])
        if len(words) == 3:
            count = int(number)
        scale = factor(written, unit, where) if written else 1.0
        parts = [(word, *split_unit(word)) for word in words[:2]]
    except InputError as error:
        message = str(error).removeprefix(f"{where}: ")
        raise InputError(f"{where}: {text!r} is no range: {message}") from None
    if count is not None and count != number:
        raise InputError(f"{where}: the count of {text!r} is no whole number; write low:high:count")
    low, high = (number_in(word, unit, where) if own else value * scale for word, value, own in parts)
    try:
        return Span(low, high, count, log)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _with_last_unit(words: list[str]) -> list[str]:
    """``4, 6, 12 mm`` as 4 mm, 6 mm, 12 mm: only where all of them begin with a number."""
    from condyle.units import split_unit

    try:
        parts = [split_unit(word) for word in words]
    except InputError:
        return words
    last = parts[-1][1]
    return [word if own else f"{word} {last}".rstrip() for word, (_, own) in zip(words, parts, strict=True)]


def _range(target: Target, parameter: str, values: Any) -> Span | Sequence[Any]:
    if not isinstance(values, str):
        return values if isinstance(values, Span) else [plain(value) for value in values]
    where = f"sweep: parameter {parameter!r}"
    found = parse_range(values, target.units.get(parameter, ""), where)
    return found if isinstance(found, Span) else [target.parsed(parameter, word, where) for word in found]


def _written_unit(values: Any, unit: str | None) -> str:
    """The unit at the end of a range or list, in which figures show the parameter; empty if there is none."""
    from condyle.units import split_unit

    if not isinstance(values, str) or not unit:
        return ""
    try:
        return split_unit(values.replace(",", ":").split(":")[-1])[1]
    except InputError:
        return ""


# --- the folder -----------------------------------------------------------------------------------------------------


def _plan(
    name: str,
    ranges: Mapping[str, Span | Sequence[Any]],
    fixed: Mapping[str, Any] | None,
    design: str,
    samples: int | None,
    seed: int,
    quick: bool,
) -> dict[str, Any]:
    """What makes two sweeps the same, as it is kept in the folder."""
    varied = {key: asdict(value) if isinstance(value, Span) else list(value) for key, value in ranges.items()}
    plan = {
        "target": name, "vary": varied, "fixed": dict(fixed or {}), "design": design, "samples": samples, "seed": seed,
        "quick": quick,
    }  # fmt: skip
    found: dict[str, Any] = json.loads(json.dumps(plan, default=str))
    return found


def _open(folder: Path, plan: dict[str, Any], values: Sequence[dict[str, Any]], overwrite: bool) -> dict[int, Case]:
    """Make the folder ready; the cases that an earlier start of the same sweep has finished.

    A case whose file is damaged, or which has other values than planned, runs again; of the former somebody is told.
    """
    file, cases = folder / "sweep.json", folder / "cases"
    cases.mkdir(parents=True, exist_ok=True)
    kept = sorted(cases.glob("*.json"))
    if overwrite:
        for old in kept:
            old.unlink()
        kept = []
    elif file.is_file() and _read_plan(file) != plan:
        raise InputError(
            f"folder '{folder}' holds another sweep, or one of a file that was changed; give another one, or overwrite it"
        )
    write_whole(file, json.dumps(plan, indent=2, ensure_ascii=False) + "\n")
    read = [Case.read(one) for one in kept]
    damaged = [one.name for one, case in zip(kept, read, strict=True) if case is None]
    if damaged:
        more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
        warnings.warn(f"'{cases / damaged[0]}'{more} is damaged: this case runs again", RuntimeWarning, stacklevel=3)
    planned = json.loads(json.dumps(values, default=str))
    found = [case for case in read if case is not None and case.number < len(values)]
    return {case.number: case for case in found if case.parameters == planned[case.number]}


def _read_plan(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise InputError(
            f"'{file}' is damaged: if its folder holds the cases of this very sweep, delete this file and repeat the command; "
            "else give another folder, or overwrite it"
        ) from None


def _results(folder: Path | None, number: int, keep: bool) -> str | None:
    return str(folder / "results" / f"{number:06d}") if keep and folder is not None else None
