"""What was measured, kept on disk: a file of JSON for each part of the benchmark."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from found import Found, Table
from goals import Goal, judge
from measure import Row

FOLDER = Path(__file__).with_name("measured")  # of the parts as they were last measured for the page


@dataclass
class Stored:
    """A part as it is on disk; facts: machine, versions and settings of its run, and when it was."""

    name: str
    facts: dict[str, Any]
    found: Found


def write(folder: Path, name: str, facts: dict[str, Any], found: Found) -> None:
    """A part with all its repeats; what was stored of it before is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    goals = [
        {"what": g.what, "measured": g.measured, "limit": g.limit, "unit": g.unit, "met": g.met, "note": g.note}
        for g in found.goals
    ]
    content = {
        **facts,
        "part": name,
        "day": time.strftime("%Y-%m-%d"),
        "goals": goals,
        "rows": [row.as_dict() for row in found.rows],
        "tables": [vars(table) for table in found.tables],
        "shares": found.shares,
        "facts": found.facts,
    }
    text = json.dumps(finite(content), indent=1, ensure_ascii=False)
    (folder / f"{name.replace(' ', '-')}.json").write_text(text + "\n", encoding="utf-8")


def read(folder: Path, names: list[str]) -> list[Stored]:
    """The parts that are stored, in the order of their names as given."""
    found = []
    for name in names:
        path = folder / f"{name.replace(' ', '-')}.json"
        if path.exists():
            content = json.loads(path.read_text(encoding="utf-8"))
            found.append(Stored(name, content, _found(content)))
    return found


def goals_of(stored: list[Stored]) -> list[Goal]:
    """All goals: of mechanisms by the rows of all parts, then those that parts have judged themselves."""
    judged = judge([row for part in stored for row in part.found.rows])
    shares = {key: told for part in stored for key, told in part.found.shares.items()}
    for goal in judged:
        told = shares.get(f"{goal.row.workload}, {goal.row.variant}") if goal.row and not goal.met else None
        goal.note += f"; {told}" if told else ""
    return judged + [goal for part in stored for goal in part.found.goals]


def _found(content: dict[str, Any]) -> Found:
    goals = [Goal(g["what"], *map(number, (g["measured"], g["limit"])), g["unit"], g["note"]) for g in content["goals"]]
    rows = [Row.from_dict(_numbers(row)) for row in content["rows"]]
    tables = [Table(t["title"], tuple(t["columns"]), [tuple(line) for line in t["lines"]]) for t in content["tables"]]
    return Found(goals, tables, rows, content["shares"], content["facts"])


def number(value: float | None) -> float:
    """What `finite` has left out is infinite."""
    return math.inf if value is None else value


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, **{key: [number(value) for value in row[key]] for key in ("times", "energy", "gap")}}


def finite(value: Any) -> Any:
    """JSON has no infinity: None in its place, also within lists and dictionaries."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
