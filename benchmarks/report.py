"""What is shown of all parts that are stored: tables on the terminal, and a page of the documentation."""

from __future__ import annotations

import math
import os
import platform
from pathlib import Path

import found
from goals import Goal
from measure import DT, Row
from rich.console import Console
from rich.table import Table
from store import Stored, goals_of

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


def show(stored: list[Stored]) -> None:
    """All tables on the terminal."""
    console = Console()
    if not console.is_terminal:
        console.width = 150
    goals = goals_of(stored)
    for table in (
        found.Table(
            f"steps of {1e3 * DT:g} ms; energy: largest change by largest kinetic energy; gap: by a link's length",
            COLUMNS,
            cells([row for part in stored for row in part.found.rows]),
        ),
        *(table for part in stored for table in part.found.tables),
        found.Table("goals", GOAL_COLUMNS, goal_cells(goals)),
    ):
        if not table.lines:
            continue
        shown = Table(*table.columns, title=table.title, title_justify="left")
        for line in table.lines:
            shown.add_row(*line, style="red" if "NOT MET" in line else None)
        console.print(shown)
    missed = sum(not goal.met for goal in goals)
    console.print(f"{len(goals) - missed} of {len(goals)} goals met")


def write_page(path: Path, stored: list[Stored]) -> None:
    """Put the measured part between the two marks of the page; the text around it stays."""
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    goals = goals_of(stored)
    m, versions = stored[-1].facts["machine"], {}
    for part in stored:
        versions |= part.facts["versions"]
    lines = [
        BEGIN,
        "",
        f"Measured on {m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}; "
        + ", ".join(f"{name} {version}" for name, version in versions.items())
        + ".",
        "",
        *disturbed(stored),
        f"**{sum(goal.met for goal in goals)} of {len(goals)} goals met.**",
        "",
        *markdown(("goal", "measured", "wanted", "met", "with"), goal_cells(goals)),
        "",
        "Mechanisms:",
        "",
        *markdown(COLUMNS, cells([row for part in stored for row in part.found.rows])),
    ]
    for table in (table for part in stored for table in part.found.tables if table.lines):
        lines += ["", f"{table.title[0].upper()}{table.title[1:]}:", "", *markdown(table.columns, table.lines)]
    path.write_text(before + "\n".join(lines) + "\n\n" + END + after, encoding="utf-8")


def disturbed(stored: list[Stored]) -> list[str]:
    """Which parts were measured while other work was running, and which in their quick form."""
    busy = [part.name for part in stored if float(part.facts["machine"]["load"]) >= 0.5]
    quick = [part.name for part in stored if part.facts["quick"]]
    lines = []
    if busy:
        lines += [f"**Other work was running during {', '.join(busy)}: times are too long, ratios uncertain.**", ""]
    if quick:
        lines += [f"In their quick form: {', '.join(quick)}.", ""]
    return lines


def markdown(columns: tuple[str, ...], lines: list[tuple[str, ...]]) -> list[str]:
    """A table in Markdown."""
    return [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *(f"| {' | '.join(line)} |" for line in lines)]
