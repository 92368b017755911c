"""What is shown: tables on the terminal, JSON, and a page of the documentation."""

from __future__ import annotations

import json
import math
import os
import platform
from pathlib import Path
from typing import Any

from goals import Goal
from measure import DT, Row
from rich.console import Console
from rich.table import Table

Tables = list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]  # title, columns, lines
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
COLUMNS = ("workload", "engine", "variant", "µs per step", "± %", "÷ condyle", "steps", "energy", "gap", "set-up s")


def machine() -> dict[str, str]:
    """The processor and the system, without names of hosts, and how busy it is."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        name = found[0] if found else name
    return {"processor": name, "cores": str(os.cpu_count()), "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(), "load": f"{os.getloadavg()[0]:.1f}"}  # fmt: skip


def cells(rows: list[Row]) -> list[tuple[str, ...]]:
    """The rows of the table of times."""
    best: dict[str, float] = {}
    for row in rows:
        if row.engine == "condyle":
            best[row.workload] = min(best.get(row.workload, row.step), row.step)
    made, last = [], ""
    for row in rows:
        who = ("" if row.workload == last else row.workload, row.engine, row.variant)
        last = row.workload
        if row.failure:
            made.append((*who, "failed", "", "", "", "", "", ""))
            continue
        spread = 100 * (max(row.times) - min(row.times)) / 2 / row.step
        relative = f"{row.step / best[row.workload]:.3g}" if best.get(row.workload, math.inf) < math.inf else "–"
        made.append(
            (*who, f"{1e6 * row.step:.4g}", f"{spread:.0f}", relative, f"{row.steps}",
             f"{row.energy[-1]:.1e}", f"{row.gap[-1]:.1e}",
             f"{row.setup:.2g}")
        )  # fmt: skip
    return made


def goal_cells(goals: list[Goal]) -> list[tuple[str, ...]]:
    """The rows of the table of goals."""
    return [
        (goal.what, f"{goal.measured:.3g} {goal.unit}".strip() if goal.measured < math.inf else "–",
         f"≤ {goal.limit:g} {goal.unit}".strip(),
         "met" if goal.met else "NOT MET", goal.note)
        for goal in goals
    ]  # fmt: skip


GOAL_COLUMNS = ("goal", "measured", "wanted", "", "")


def show(rows: list[Row], goals: list[Goal], memory: list[tuple[str, int, float]], others: Tables) -> None:
    """All tables on the terminal."""
    console = Console()
    if not console.is_terminal:
        console.width = 150
    for title, columns, lines in (
        (f"steps of {1e3 * DT:g} ms; energy: largest change by largest kinetic energy; gap: by a link's length", COLUMNS,
         cells(rows)),
        *others,
        ("goals", GOAL_COLUMNS, goal_cells(goals)),
        ("peak memory of a process", ("engine", "bodies", "MB"), [(e, f"{n:,}", f"{mb:.0f}") for e, n, mb in memory]),
    ):  # fmt: skip
        if not lines:
            continue
        table = Table(*columns, title=title, title_justify="left")
        for line in lines:
            table.add_row(*line, style="red" if "NOT MET" in line else None)
        console.print(table)
    missed = sum(not goal.met for goal in goals)
    console.print(f"{len(goals) - missed} of {len(goals)} goals met")


def write_json(path: Path, facts: dict[str, Any], rows: list[Row], goals: list[Goal],
               memory: list[tuple[str, int, float]], others: dict[str, Any]) -> None:  # fmt: skip
    """Everything measured, with all repeats."""
    path.parent.mkdir(parents=True, exist_ok=True)
    judged = [
        {"what": g.what, "measured": finite(g.measured), "limit": g.limit, "unit": g.unit,
         "met": g.met, "note": g.note}
        for g in goals
    ]  # fmt: skip
    content = {**facts, "rows": [finite(row.as_dict()) for row in rows], "goals": judged,
               "memory": [{"engine": e, "bodies": n, "MB": mb} for e, n, mb in memory],
               **finite(others)}  # fmt: skip
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def finite(value: Any) -> Any:
    """JSON has no infinity: None in its place, also within lists and dictionaries."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_page(path: Path, facts: dict[str, Any], rows: list[Row], goals: list[Goal],
               memory: list[tuple[str, int, float]], others: Tables) -> None:  # fmt: skip
    """Put the measured part between the two marks of the page; the text around it stays."""
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    m = facts["machine"]
    lines = [
        BEGIN,
        "",
        f"Measured on {m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}; "
        + ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
        + f". {facts['kind'].capitalize()}, {facts['repeats']} repeats.",
        "",
        *busy(m),
        f"**{sum(goal.met for goal in goals)} of {len(goals)} goals met.**",
        "",
        *markdown(("goal", "measured", "wanted", "met", "with"), goal_cells(goals)),
        "",
        *markdown(COLUMNS, cells(rows)),
    ]
    for _, columns, table in others:
        lines += ["", *markdown(columns, table)] if table else []
    if memory:
        lines += [
            "",
            *markdown(("engine", "bodies", "peak memory MB"), [(e, f"{n}", f"{mb:.0f}") for e, n, mb in memory]),
        ]
    path.write_text(before + "\n".join(lines) + "\n\n" + END + after, encoding="utf-8")


def busy(m: dict[str, str]) -> list[str]:
    """A warning, where other work was going on as the benchmark began."""
    if float(m["load"]) < 0.5:
        return []
    return [
        f"**Other work was running at the same time (load {m['load']}): times are too long, ratios uncertain.**",
        "",
    ]


def markdown(columns: tuple[str, ...], lines: list[tuple[str, ...]]) -> list[str]:
    """A table in Markdown."""
    return [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *(f"| {' | '.join(line)} |" for line in lines)]
