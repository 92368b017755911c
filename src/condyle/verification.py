"""Verification of studies one by one: their verdicts kept in files, and the page that sums them up.

``condyle verify NAME --save claims.json`` adds the verdicts on one study to a file, or replaces those that it holds;
``condyle verify --from claims.json --page docs/claims.md`` writes the page from what files hold, without a run. So the full
forms of all studies, which together take hours, need not be run at one go. Imports only the standard library.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condyle.claims import KINDS, Verdict, counted
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
    text = json.dumps([report.to_json() for report in kept.values()], indent=2, ensure_ascii=False, allow_nan=False)
    draft = file.with_name(f"{file.name}.part")  # a run that is killed here leaves the file as it was
    draft.write_text(text + "\n", encoding="utf-8")
    draft.replace(file)


def page(studies: Sequence[Study], reports: Mapping[str, StudyReport]) -> str:
    """The page of claims in Markdown: counts per kind and study, what differs and why, what fails."""
    known = [reports[study.name] for study in studies if study.name in reports]
    verdicts = [verdict for report in known for verdict in report.verdicts]
    lines = [
        "# Claims",
        "",
        "What the studies assert, counted by [what stands behind it](files.md#claims). This page is written by",
        "`condyle verify --page docs/claims.md`; `condyle list STUDY` shows the claims of a study in full, and",
        "`condyle run STUDY` computes them.",
        "",
        f"{counted(verdicts)}." if verdicts else "Nothing has been run yet.",
        "",
        *_markdown(count_rows(known)),
        "",
        *_misses(verdicts),
    ]
    failed = [verdict for verdict in verdicts if verdict.outcome == "fails"]
    if failed:
        lines += ["## What fails", ""]
        lines += [f"- `{v.study}`, {v.quantity}: {v.problem or _value(v)} beside {_reference(v)}" for v in failed]
        lines += [""]
    notes = {
        "Not run": [study.name for study in studies if study.name not in reports],
        "In the reduced form only": [report.study for report in known if report.quick],
    }
    lines += [f"{note}: {', '.join(names)}.\n" for note, names in notes.items() if names]
    return "\n".join(lines).rstrip() + "\n"


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
    """What differs from its source for a known reason."""
    missed = [verdict for verdict in verdicts if verdict.outcome == "differs"]
    lines = ["## What differs, and why", ""]
    if not missed:
        return [*lines, "Nothing.", ""]
    lines += ["| study | quantity | source | computed | from | reason |", "|---|---|---|---|---|---|"]
    for v in missed:
        cells = (f"`{v.study}`", v.quantity, _reference(v), _value(v), v.origin, v.reason)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, ""]


def _reference(verdict: Verdict) -> str:
    reference = verdict.reference
    if isinstance(reference, str):
        return reference
    if isinstance(reference, tuple):
        return f"{reference[0]:.6g} to {reference[1]:.6g} {verdict.unit}".strip()
    return f"{reference:.6g} ± {verdict.tolerance:.3g} {verdict.unit}".strip()


def _value(verdict: Verdict) -> str:
    return "no number" if verdict.computed is None else f"{verdict.computed:.4g} {verdict.unit}".strip()
