"""Verification of studies one by one: their verdicts kept in files, and the page that sums them up.

``condyle verify NAME --save claims.json`` adds the verdicts on one study to a file, or replaces those that it holds, and with
``--page claims.md`` writes the page of all that the file then holds; ``condyle verify --from claims.json --page claims.md``
does so without a run. So the full forms of all studies need not be run at one go, and after a change only what it concerns.
Imports only the standard library.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condyle.claims import KINDS, Verdict, counted, expected, shown
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.study import Study

__all__ = ["StudyReport", "count_rows", "load_reports", "page", "save_reports", "verify"]


@dataclass(frozen=True)
class StudyReport:
    """The verdicts on one study, in its full or its quick form, and the processor time that they took [s]."""

    study: str
    title: str
    source: str
    quick: bool
    seconds: float
    verdicts: Sequence[Verdict]

    def to_json(self) -> dict[str, Any]:
        return {
            "study": self.study,
            "title": self.title,
            "source": self.source,
            "quick": self.quick,
            "seconds": round(self.seconds, 1),
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> StudyReport:
        return cls(**{**entry, "verdicts": [Verdict.from_json(verdict) for verdict in entry["verdicts"]]})


def verify(study: Study, *, quick: bool = False, debug: bool = False, progress: bool = True) -> StudyReport:
    """The verdicts on one study; if it cannot be run, all its claims have failed."""
    from condyle.study import Context

    start = time.process_time()
    try:
        verdicts = study.verify(quick=quick, context=Context(progress=progress))
    except Exception as error:
        if debug:
            raise
        problem = f"{type(error).__name__}: {error}"
        print(f"condyle: study {study.name}: {problem}", file=sys.stderr)
        verdicts = [claim.failed(study.name, problem) for claim in study.declared(quick)]
    return StudyReport(study.name, study.title, study.source, quick, time.process_time() - start, verdicts)


def load_reports(files: Iterable[Path]) -> dict[str, StudyReport]:
    """Study → report of all files; where several hold a study, the last one counts."""
    reports = {}
    for file in files:
        try:
            entries = json.loads(file.read_text(encoding="utf-8"))
            found = [StudyReport.from_json(entry) for entry in entries]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise InputError(f"{file}: holds no verdicts as condyle verify --save writes them ({error})") from None
        reports.update({report.study: report for report in found})
    return reports


def save_reports(file: Path, reports: Iterable[StudyReport]) -> None:
    """Write reports to a file; what it holds on other studies stays."""
    kept = load_reports([file]) if file.exists() else {}
    kept.update({report.study: report for report in reports})
    text = "[\n" + ",\n".join(map(_lines, kept.values())) + "\n]\n"
    draft = file.with_name(f"{file.name}.part")  # a run that is killed here leaves the file as it was
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


def _lines(report: StudyReport) -> str:
    """A report in JSON with a line for each verdict, so that versions of a file can be compared."""
    entry = report.to_json()
    verdicts = [json.dumps(verdict, ensure_ascii=False, allow_nan=False) for verdict in entry.pop("verdicts")]
    head = json.dumps(entry, ensure_ascii=False, allow_nan=False).removesuffix("}")
    return f'{head}, "verdicts": [\n' + ",\n".join(verdicts) + "\n]}"


def page(studies: Sequence[Study], reports: Mapping[str, StudyReport]) -> str:
    """The page of claims in Markdown: counts per kind and study, what differs and why, what fails."""
    known = [reports[study.name] for study in studies if study.name in reports]
    verdicts = [verdict for report in known for verdict in report.verdicts]
    lines = [
        "# Claims",
        "",
        "What the studies assert, counted by [what stands behind it](files.md#claims). This page is written by",
        "`condyle verify --save docs/claims.json --page docs/claims.md`, of all studies or of some whose names are given;",
        "`condyle list STUDY` shows the claims of a study in full, and `condyle run STUDY` computes them.",
        "",
        f"{counted(verdicts)}. {_taken(known)}".strip() if verdicts else "Nothing has been run yet.",
        "",
        *_markdown(count_rows(known)),
        "",
        *_misses(verdicts),
    ]
    failed = [verdict for verdict in verdicts if verdict.outcome == "fails"]
    if failed:
        lines += ["## What fails", ""]
        lines += [f"- `{v.study}`, {v.quantity}: {v.problem or _value(v)} beside {_expected(v)}" for v in failed]
        lines += [""]
    notes = {
        "Not run": [study.name for study in studies if study.name not in reports],
        "In the reduced form only": [report.study for report in known if report.quick],
    }
    lines += [f"{note}: {', '.join(names)}.\n" for note, names in notes.items() if names]
    return "\n".join(lines).rstrip() + "\n"


def _taken(reports: Sequence[StudyReport]) -> str:
    """How long the studies took, in a sentence."""
    minutes = sum(report.seconds for report in reports) / 60.0
    return f"The runs took {minutes:.0f} min of processor time." if minutes >= 1.0 else ""


def count_rows(reports: Sequence[StudyReport]) -> list[list[str]]:
    """A heading, a row for each study and one for all: how many claims of each kind hold, of how many where some do not."""
    rows = [["study", "source", *KINDS]]
    for report in reports:
        rows.append([report.study, report.source, *(_count(report.verdicts, kind) for kind in KINDS)])
    everything = [verdict for report in reports for verdict in report.verdicts]
    return [*rows, ["all", "", *(_count(everything, kind) or "0" for kind in KINDS)]]


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of which the first row is the heading and the last one, printed bold, the sum."""
    heading, *studies, everything = rows
    studies = [[f"`{name}`", *cells] for name, *cells in studies]
    everything = [f"**{cell}**" if cell else "" for cell in everything]
    return ["| " + " | ".join(row) + " |" for row in (heading, ["---"] * len(heading), *studies, everything)]


def _count(verdicts: Sequence[Verdict], kind: str) -> str:
    outcomes = [verdict.outcome for verdict in verdicts if verdict.kind == kind]
    hold = outcomes.count("holds")
    return "" if not outcomes else str(hold) if hold == len(outcomes) else f"{hold} of {len(outcomes)}"


def _misses(verdicts: Sequence[Verdict]) -> list[str]:
    """What differs from its source for a known reason: a table for each study and reason."""
    lines = ["## What differs, and why", ""]
    tables: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.outcome == "differs":
            tables.setdefault((verdict.study, verdict.reason), []).append(verdict)
    if not tables:
        return [*lines, "Nothing.", ""]
    for (study, reason), missed in tables.items():
        lines += [f"**`{study}`**: {reason}.", "", "| quantity | source | computed | from |", "|---|---|---|---|"]
        for v in missed:
            cells = (v.quantity, _expected(v), _value(v), v.origin)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return lines


def _expected(verdict: Verdict) -> str:
    return expected(verdict.reference, verdict.tolerance, verdict.sense, verdict.unit)


def _value(verdict: Verdict) -> str:
    return (
        "no number"
        if verdict.computed is None
        else f"{shown(verdict.computed, verdict.tolerance)} {verdict.unit}".strip()
    )
