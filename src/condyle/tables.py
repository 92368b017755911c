"""What the command line prints: claims, parameters and closing summaries, as tables."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from condyle.claims import KINDS, by_kind, counted, expected, shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from condyle.analysis.check import Check
    from condyle.analysis.comparison import Comparison
    from condyle.analysis.profile import Phase
    from condyle.claims import Verdict
    from condyle.doctor import Finding
    from condyle.runs.identification import Identification
    from condyle.runs.sweep_result import SweepResult
    from condyle.study import Study

__all__ = [
    "describe_study",
    "print_checks",
    "print_claims",
    "print_comparison",
    "print_contents",
    "print_counts",
    "print_identification",
    "print_pairs",
    "print_result",
    "print_sweep",
]

PLAIN_WIDTH = 140  # columns where the output is no terminal
MOST_CASES, MOST_OUTPUTS = 40, 5  # of a sweep, that are printed
WIDE = 120  # columns from which on the origin of a claim has a column of its own


def describe_study(study: Study) -> None:
    """Everything a user may want to know before running a study."""
    from condyle.bibliography import REFERENCES

    console = _console()
    console.print(f"{study.name}: {study.title}", style="bold", markup=False, highlight=False)
    console.print(study.summary, markup=False, highlight=False)
    console.print(f"Source: {REFERENCES.get(study.source, study.source)}\n", markup=False, highlight=False)
    parameters = _table("parameter", "default", "quick", "unit", "meaning")
    for name, parameter in study.parameters.items():
        quick = study.quick.get(name, "")
        _add(parameters, name, _value(parameter.default), _value(quick), parameter.unit, parameter.doc)
    console.print(parameters)
    claims = _table("reference", "claim", "expected", "from")
    for claim in sorted(study.claims, key=lambda claim: KINDS.index(claim.kind)):
        quantity = f"{claim.quantity} (full run only)" if claim.full_only else claim.quantity
        wanted = expected(claim.reference, claim.tolerance, claim.sense, claim.unit)
        origin = claim.origin if claim.differs is None else f"{claim.origin}; differs: {claim.differs.reason}"
        _add(claims, claim.kind, quantity, wanted, origin)
    console.print(claims)


def print_claims(verdicts: Sequence[Verdict]) -> None:
    """What is known from elsewhere beside what is computed, grouped by kind; why some is missed, and the counts, below."""
    console = _console()
    wide = console.width >= WIDE
    table = _table("reference", "quantity", "expected", "computed", "outcome", *(["from"] if wide else []))
    before = ""
    for verdict in by_kind(verdicts):
        if before and verdict.kind != before:
            table.add_section()
        quantity = verdict.quantity if wide else f"{verdict.quantity}\n({verdict.origin})"
        computed = verdict.problem if verdict.computed is None else shown(verdict.computed, verdict.tolerance)
        _add(
            table,
            "" if verdict.kind == before else verdict.kind,
            quantity,
            expected(verdict.reference, verdict.tolerance, verdict.sense, verdict.unit),
            computed,
            "FAILS" if verdict.outcome == "fails" else verdict.outcome,
            *([verdict.origin] if wide else []),
            style={"holds": "", "differs": "yellow", "fails": "red"}[verdict.outcome],
        )
        before = verdict.kind
    console.print(table)
    for (outcome, note), quantities in _notes(verdicts).items():
        one = len(quantities) == 1
        verb = outcome if one else outcome.removesuffix("s")
        console.print(f"{'; '.join(quantities)} {verb}: {note}", markup=False, highlight=False)
    console.print(f"claims that hold: {counted(verdicts)}", markup=False, highlight=False)


def _notes(verdicts: Sequence[Verdict]) -> dict[tuple[str, str], list[str]]:
    """What is to be said about claims that differ or fail: outcome and note → quantities, each note once."""
    notes: dict[tuple[str, str], list[str]] = {}
    for verdict in by_kind(verdicts):
        note = verdict.reason if verdict.outcome == "differs" else verdict.problem
        if verdict.outcome == "holds" or not note or verdict.computed is None:
            continue
        notes.setdefault((verdict.outcome, note), []).append(verdict.quantity)
    return notes


def print_counts(rows: Sequence[Sequence[str]]) -> None:
    """Claims of many studies, counted by kind: a heading, a row for each study, and the sum of all."""
    console = _console()
    if console.width < WIDE:  # without the source
        rows = [[name, *counts] for name, _, *counts in rows]
    heading, *studies, everything = rows
    table = _table(*heading)
    for row in studies:
        _add(table, *row)
    table.add_section()
    _add(table, *everything, style="bold")
    console.print(table)


def print_result(label: str, result: object) -> None:
    """The closing summary of one simulation, from whatever the result knows."""
    print_pairs(label, _summary(result))


def print_contents(label: str, result: Any) -> None:
    """What a results file holds: the model, how it was solved, how it went, and the parts by kind."""
    pairs = {}
    if name := getattr(result, "name", None):
        pairs["model"] = f"{name} ({result.dimension}D)"
    method = getattr(result, "integrator", {})
    if method.get("name"):
        own = {k: v for k, v in method.items() if k not in ("name", "multiplier_time", "tolerance")}
        options = ", ".join(f"{k}={v}" for k, v in own.items() if v is not None)
        pairs["integrator"] = f"{method['name']} ({options})" if options else str(method["name"])
    if dt := getattr(result, "options", {}).get("dt"):
        pairs["dt"] = f"{dt:g} s"
    kinds = {kind: _listed(names) for kind, names in getattr(result, "part_names", {}).items()}
    print_pairs(label, pairs | _summary(result) | kinds)


def contents_of(result: Any) -> dict[str, Any]:
    """The same as numbers and words, for JSON; times in s."""
    iterations = result.iterations
    return {
        "model": result.name,
        "dimension": result.dimension,
        "integrator": {k: v for k, v in result.integrator.items() if isinstance(v, str | int | float | None)},
        "dt": result.options.get("dt"),
        "status": result.status,
        "message": result.message,
        "steps": int(result.steps),
        "frames": len(result),
        result.clock: [float(result.times[0]), float(result.times[-1])],
        "wall time": float(result.wall_time),
        "mean iterations": float(sum(map(float, iterations)) / len(iterations)) if len(iterations) else None,
        "energy drift": _energy_drift(result.energy),
        "parts": {kind: list(names) for kind, names in result.part_names.items()},
        "file": None if result.file is None else str(result.file),
    }


def _listed(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def print_profile(label: str, phases: Sequence[Phase], notes: Sequence[str] = ()) -> None:
    """Time per step of each phase of a run, and its share; notes: sentences below."""
    table = _table("phase of a step", "times", "µs each", "µs per step", "share")
    whole = sum(p.total for p in phases) or 1.0
    for p in phases:
        _add(
            table,
            p.name,
            f"{p.times:.1f}",
            f"{1e6 * p.seconds:.1f}",
            f"{1e6 * p.total:.1f}",
            f"{100 * p.total / whole:.0f} %",
        )
    console = _console()
    console.print(f"{label}: where the time goes", style="bold", markup=False, highlight=False)
    console.print(table)
    for note in notes:
        console.print(f"in Python: {note}", markup=False, highlight=False)


def print_comparison(comparison: Comparison) -> None:
    """Errors, orders and cost of many integrators, and what went wrong."""
    console = _console()
    console.print(comparison.table())
    for line in comparison.problems():
        console.print(line, style="red", markup=False, highlight=False)


def print_checks(checks: Sequence[Check]) -> None:
    """What a user's own laws, parts and integrators have passed or not, and why."""
    table = _table("kind", "name", "check", "outcome", "note")
    for check in checks:
        outcome = {True: "passed", False: "FAILED", None: "left out"}[check.ok]
        _add(table, check.kind, check.name, check.test, outcome, check.note, style="red" if check.ok is False else "")
    _console().print(table)


def print_sweep(sweep: SweepResult, outputs: Sequence[str]) -> None:
    """The cases of a sweep: its parameters, the outputs that fit, and why some failed; the file has the rest."""
    console = _console()
    some = outputs[:MOST_OUTPUTS]
    table = _table("case", *(_with_unit(name, {name: sweep.shown_unit(name)}) for name in (*sweep.varied, *some)))
    for case in sweep.good[:MOST_CASES]:
        cells = [
            *(sweep.as_shown(name, case.parameters[name]) for name in sweep.varied),
            *(case.outputs.get(name, "") for name in some),
        ]
        _add(table, str(case.number), *(f"{cell:.5g}" if isinstance(cell, float) else str(cell) for cell in cells))
    console.print(table)
    for count, most, what in ((len(sweep.good), MOST_CASES, "cases"), (len(outputs), MOST_OUTPUTS, "outputs")):
        if count > most:
            console.print(f"{count - most} more {what} are in the table that is written", highlight=False)
    for case in sweep.failed:
        values = ", ".join(f"{name} = {_value(case.parameters[name])}" for name in sweep.varied)
        console.print(
            f"case {case.number} failed ({values}): {case.problem}", style="red", markup=False, highlight=False
        )


def print_identification(found: Identification) -> None:
    """Values with their intervals, how well each curve is met, and what there is to doubt."""
    console = _console()
    table = _table("unknown", "value", "interval of 95 %")
    for row in found.table():
        low, high = found.intervals[row["name"]]
        _add(
            table,
            _with_unit(row["name"], {row["name"]: row["unit"]}),
            f"{row['value']:.6g}",
            f"{low:.6g} to {high:.6g}",
        )
    console.print(table)
    for text in found.rating_texts():
        console.print(text, highlight=False, markup=False)
    console.print(f"{found.runs} runs, {found.ended}", highlight=False, markup=False)
    for doubt in found.doubts:
        console.print(doubt, style="yellow", markup=False, highlight=False)


def _with_unit(name: str, units: Mapping[str, str]) -> str:
    return f"{name} ({units[name]})" if units.get(name) else name


def print_findings(title: str, found: Sequence[Finding]) -> None:
    """What `condyle doctor` has found, with the command that helps."""
    table = _table("", "", "found", "to do")
    for finding in found:
        mark, style = {True: ("ok", ""), False: ("MISSING", "red"), None: ("–", "dim")}[finding.ok]
        _add(table, finding.name, mark, finding.found, finding.fix, style=style)
    console = _console()
    console.print(title, style="bold", markup=False, highlight=False)
    console.print(table)


def print_pairs(title: str, pairs: Mapping[str, str]) -> None:
    """A title and lines of name and value."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for name, value in pairs.items():
        _add(table, f"  {name}", value)
    console = _console()
    console.print(title, style="bold", markup=False, highlight=False)
    console.print(table)


def _summary(result: Any) -> dict[str, str]:
    pairs = {}
    status = getattr(result, "status", None)
    message = getattr(result, "message", "")
    if status is not None:
        pairs["status"] = f"{status}: {message}" if message and message != status else str(status)
    if (steps := getattr(result, "steps", None)) is not None:
        pairs["steps"] = str(steps)
    times = getattr(result, "times", None)
    if times is not None and len(times) > 0:
        clock = getattr(result, "clock", "time")
        name, unit = ("time simulated", " s") if clock == "time" else (clock, "")
        pairs[name] = f"{float(times[0]):.6g} to {float(times[-1]):.6g}{unit}"
    if (wall_time := getattr(result, "wall_time", None)) is not None:
        pairs["wall time"] = f"{wall_time:.3g} s"
    iterations = getattr(result, "iterations", None)
    if iterations is not None and len(iterations) > 0:
        pairs["Newton iterations"] = f"mean {sum(map(float, iterations)) / len(iterations):.2f}, most {max(iterations)}"
    if balance := _energy_balance(result):
        pairs["energy balance"] = balance
    if getattr(result, "file", None):
        pairs["file"] = str(result.file)
    return pairs


def _energy_balance(result: Any) -> str:
    """What a summary says of the energy; of what a study returns instead of a result, how far it is kept."""
    from condyle.results.result import Result
    from condyle.results.tables import energy_balance

    if isinstance(result, Result):
        return energy_balance(result)
    drift = _energy_drift(getattr(result, "energy", None))
    return "" if drift is None else f"kept to {drift:.2e} of the largest energy"


def _energy_drift(energy: Any) -> float | None:
    """Largest change of total energy minus work done, relative to the largest energy (the total itself may be zero)."""
    import numpy as np

    try:
        parts = [np.asarray(energy[name], dtype=float) for name in energy]
        total = np.asarray(energy["total"], dtype=float)
        total = total - np.asarray(energy["work"], dtype=float) if "work" in energy else total
    except (KeyError, TypeError, ValueError):
        return None
    if total.size == 0:
        return None
    largest = max(float(np.max(np.abs(part))) for part in parts if part.size)
    change = float(np.max(np.abs(total - total[0])))
    return change / largest if largest > 0.0 else change


def _console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column)
    return table


def _add(table: Table, *texts: str, style: str = "") -> None:
    from rich.text import Text

    table.add_row(*map(Text, texts), style=style)  # as Text: what stands in brackets is no markup


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
