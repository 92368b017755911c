"""What is shown of all parts that are stored: tables on the terminal, and a page of the documentation."""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import found
from goals import Goal
from measure import DT, Row
from rich.console import Console
from rich.table import Table
from store import Stored, goals_of

MARKS = {name: (f"<!-- {name}: begin -->", f"<!-- {name}: end -->") for name in ("goals", "measured")}
PACKAGES = {"condyle": "condyle", "exudyn": "exudyn", "mujoco": "mujoco", "pinocchio": "pin",
            "felupe": "felupe", "kratos": "KratosMultiphysics", "coal": "coal"}  # fmt: skip
BUSY = 0.1  # cores that others keep at work, from which on it is said
COLUMNS = ("workload", "engine", "variant", "µs per step", "± %", "÷ condyle", "steps", "energy", "gap", "set-up s")


def facts(quick: bool, repeats: int) -> dict[str, Any]:
    """What is to be known of a measurement that begins now."""
    return {"quick": quick, "repeats": repeats, "machine": machine(), "versions": versions(), "step": DT}


def versions() -> dict[str, str]:
    """Of the engines that are installed."""
    known = {}
    for name, package in PACKAGES.items():
        try:
            known[name] = version(package)
        except PackageNotFoundError:
            continue
    return known


def machine() -> dict[str, str]:
    """The processor and the system, without names of hosts, and how many cores others keep busy."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        name = found[0] if found else name
    return {"processor": name, "cores": str(os.cpu_count()), "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(), "others": f"{others():.2f}"}  # fmt: skip


def others(seconds: float = 0.5) -> float:
    """Cores that other programs keep busy while this one sleeps; 0 where the system does not tell."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0

    def idle() -> float:
        ticks = stat.read_text().split("\n", 1)[0].split()[1:]
        return (int(ticks[3]) + int(ticks[4])) / os.sysconf("SC_CLK_TCK")

    begun, was = time.perf_counter(), idle()
    time.sleep(seconds)
    return max(0.0, (os.cpu_count() or 1) - (idle() - was) / (time.perf_counter() - begun))


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
         f"≤ {goal.limit:g} {goal.unit}".strip() if goal.judged else "–",
         ("met" if goal.met else "NOT MET") if goal.judged else "–", goal.note)
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
    console.print(f"{counted(goals)} goals met")


def counted(goals: list[Goal]) -> str:
    """How many of those with a limit are met."""
    judged = [goal for goal in goals if goal.judged]
    return f"{sum(goal.met for goal in judged)} of {len(judged)}"


def write_page(path: Path, stored: list[Stored], topics: Mapping[str, str]) -> None:
    """Put the goals and the tables between their marks of the page; the text around them stays.

    topics : the heading under which a part stands, by the name of the part
    """
    text = path.read_text(encoding="utf-8")
    for name, lines in (("goals", glance(stored, topics)), ("measured", details(stored, topics))):
        begin, end = MARKS[name]
        before, rest = text.split(begin)
        text = before + "\n".join([begin, "", *lines, "", end]) + rest.split(end)[1]
    path.write_text(text, encoding="utf-8")


def glance(stored: list[Stored], topics: Mapping[str, str]) -> list[str]:
    """All goals, met or not, by topic."""
    lines = [f"**{counted(goals_of(stored))} goals met.**"]
    for topic, members in by_topic(stored, topics).items():
        found = [goal for part in members for goal in part_goals(part, stored)]
        if found:
            lines += ["", f"**{topic}**, {counted(found)}:", ""]
            lines += markdown(("goal", "measured", "wanted", "met"), [line[:4] for line in goal_cells(found)])
    return lines


def details(stored: list[Stored], topics: Mapping[str, str]) -> list[str]:
    """What stands behind the goals: notes, times of all engines, tables; and when each part was measured."""
    lines = [*when(stored)]
    for topic, members in by_topic(stored, topics).items():
        lines += ["", f"### {topic}: measured"]
        told = [goal for part in members for goal in part_goals(part, stored) if goal.note]
        if told:
            lines += ["", *markdown(("goal", "with"), [(goal.what, goal.note) for goal in told])]
        rows = [row for part in members for row in part.found.rows]
        if rows:
            lines += ["", *markdown(COLUMNS, cells(rows))]
        for table in (table for part in members for table in part.found.tables if table.lines):
            lines += ["", f"{table.title[0].upper()}{table.title[1:]}:", "", *markdown(table.columns, table.lines)]
    return lines


def by_topic(stored: list[Stored], topics: Mapping[str, str]) -> dict[str, list[Stored]]:
    """Parts under their headings, in the order in which headings first come."""
    found: dict[str, list[Stored]] = {}
    for part in stored:
        found.setdefault(topics[part.name], []).append(part)
    return found


def part_goals(part: Stored, stored: list[Stored]) -> Iterable[Goal]:
    """The goals of a part: those that it judged itself, and those of its mechanisms."""
    own = {row.workload for row in part.found.rows}
    yield from (goal for goal in goals_of(stored) if goal.row and goal.row.workload in own)
    yield from part.found.goals


def when(stored: list[Stored]) -> list[str]:
    """On which machine, with which versions, when, and how busy the machine was when a part began."""
    versions: dict[str, str] = {}
    machines: dict[str, list[str]] = {}
    for part in stored:
        versions |= part.facts["versions"]
        m = part.facts["machine"]
        name = f"{m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}"
        quick = ", quick form" if part.facts["quick"] else ""
        busy = f", other work on {m['others']} cores" if float(m["others"]) >= BUSY else ""
        machines.setdefault(name, []).append(f"{part.name} ({part.facts['day']}{quick}{busy})")
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    lines = [f"Versions: {told}."]
    for name, parts in machines.items():
        lines += ["", f"{name}: {'; '.join(parts)}."]
    return lines


def markdown(columns: tuple[str, ...], lines: list[tuple[str, ...]]) -> list[str]:
    """A table in Markdown."""
    return [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), *(f"| {' | '.join(line)} |" for line in lines)]
