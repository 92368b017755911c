"""The gallery: a page for each study with its pictures, its claims, and the command that computes them."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from condyle import studies
from condyle.bibliography import REFERENCES
from condyle.claims import Verdict, counted, expected, shown
from condyle.study import Study
from condyle.verification import StudyReport, load_reports

# Groups of the gallery: title, and how the names of its studies begin.
GROUPS = {
    "Hip": ("hip", "imported-hip", "hovey-liner", "hovey-bartel"),
    "Knee": ("knee", "walking-knee"),
    "Walking, muscles and limbs": ("gait", "hovey-walk", "hovey-gait", "hovey-muscles", "limb", "hovey-moment", "spicka-arm"),
    "Impact and injury": ("helmet", "legform", "spicka", "impact"),
    "Contact and friction": ("contact", "friction", "gripper", "hovey-hertz", "hovey-indentor", "box", "rattleback", "painleve",
                             "rolling", "hewlett-friction", "hewlett-cylinders", "hewlett-rolling"),
    "Cables, ropes and chains": ("capstan", "crane", "hitch", "net", "rope", "long", "hewlett", "ancf-cables"),
    "Beams, plates and solids": ("ancf", "solid", "pseudo", "tumbling", "flexible", "warped"),
    "Mechanisms and rigid bodies": ("",),
}  # fmt: skip


def write_pages(folder: Path, docs: Path) -> list[Any]:
    """Write all pages of the gallery; returns their places in the navigation."""
    reports = load_reports([docs / "claims.json"])
    drawn = json.loads((docs / "gallery" / "pictures.json").read_text(encoding="utf-8"))
    grouped: dict[str, list[Study]] = {title: [] for title in GROUPS}
    for study in studies.all_studies():
        group = next(title for title, starts in GROUPS.items() if study.name.startswith(starts))
        grouped[group].append(study)
        text = _page(study, reports.get(study.name), drawn.get(study.name, {}))
        (folder / f"{study.name}.md").write_text(text, encoding="utf-8")
    (folder / "index.md").write_text(_index(grouped, reports, drawn), encoding="utf-8")
    places = [
        {title: [{study.name: f"gallery/{study.name}.md"} for study in found]}
        for title, found in grouped.items()
        if found
    ]
    return ["gallery/index.md", *places]


def _index(
    grouped: Mapping[str, list[Study]], reports: Mapping[str, StudyReport], drawn: Mapping[str, Mapping[str, Any]]
) -> str:
    lines = [
        "# Gallery",
        "",
        "Every study is a model with numbers that were published, or that are known in closed form. Its page shows what was",
        "published beside what Condyle computes, and the command that repeats it. The pictures are made by `make gallery`.",
    ]
    for title, found in grouped.items():
        if found:
            lines += ["", f"## {title}", "", '<div class="gallery">']
            lines += [_card(study, reports.get(study.name), drawn.get(study.name, {})) for study in found]
            lines.append("</div>")
    return "\n".join(lines) + "\n"


def _card(study: Study, report: StudyReport | None, drawn: Mapping[str, Any]) -> str:
    picture = next(iter(drawn.get("pictures", [])), None)
    image = f'<img src="{picture["file"]}" alt="" loading="lazy">' if picture else ""
    counts = counted(report.verdicts) if report else ""
    name, title = study.name, html.escape(study.title)
    return f'<a href="{name}.html">{image}<strong>{name}</strong><span>{title}</span><span>{counts}</span></a>'


def _page(study: Study, report: StudyReport | None, drawn: Mapping[str, Any]) -> str:
    source = REFERENCES.get(study.source)
    lines = [f"# {study.title}", "", study.summary, ""]
    lines += [
        f"**Source:** {source} ([{study.source}](../bibliography.md))"
        if source
        else "**Source:** none; this goes beyond what was published.",
        "",
    ]
    lines += [
        "```sh",
        f"condyle run {study.name}          # all of it, with a page to look at",
        f"condyle run {study.name} --quick  # a short form",
        "```",
        "",
    ]
    for picture in drawn.get("pictures", []):
        size = f'width="900" height="{picture["height"]}"'
        lines += [
            f'<img class="study" src="{picture["file"]}" alt="{html.escape(picture["title"])}" loading="lazy" {size}>',
            "",
        ]
    if drawn:
        form = "the quick form" if drawn["quick"] else "the full run"
        lines += [f"The pictures are from {form}.", ""]
    if report:
        lines += ["## Published beside computed", ""]
        kind = "quick form" if report.quick else "full run"
        lines += [
            f"From a {kind}, which took {report.seconds:.0f} s of one processor.",
            "[Kinds of claims](../files.md#claims) says what the second column means.",
            "",
        ]
        lines += ["| quantity | kind | expected | computed | verdict |", "|---|---|---|---|---|"]
        lines += [_row(verdict) for verdict in report.verdicts]
        lines += _reasons(report)
    lines += ["", "## Parameters", "", "| name | meaning | default | unit |", "|---|---|---|---|"]
    lines += [
        f"| `{name}` | {_cell(p.doc)} | {_cell(str(p.default))} | {_cell(p.unit)} |"
        for name, p in study.parameters.items()
    ]
    lines += ["", "Set one with `--set name=value`, vary one with [`condyle sweep`](../sweeps.md)."]
    return "\n".join(lines) + "\n"


def _row(verdict: Verdict) -> str:
    wanted = expected(verdict.reference, verdict.tolerance, verdict.sense, verdict.unit)
    computed = "–" if verdict.computed is None else shown(verdict.computed, verdict.tolerance)
    cells = (verdict.quantity, verdict.kind, wanted, f"{computed} {verdict.unit}", verdict.outcome)
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _reasons(report: StudyReport) -> list[str]:
    found = [
        verdict for verdict in report.verdicts if verdict.outcome != "holds" and (verdict.reason or verdict.problem)
    ]
    if not found:
        return []
    return [
        "",
        "What differs, and why:",
        "",
        *(f"- {_cell(v.quantity)}: {_cell(v.reason or v.problem)}" for v in found),
    ]


def _cell(text: Any) -> str:
    return (
        html.escape(" ".join(str(text).split()), quote=False)
        .replace("|", "\\|")
        .replace("*", "\\*")
        .replace("_", "\\_")
    )
