"""What a part of the benchmark has measured, and the tables that show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from goals import Goal
from measure import Row


@dataclass
class Table:
    """A table of the page."""

    title: str
    columns: tuple[str, ...]
    lines: list[tuple[str, ...]]


@dataclass
class Found:
    """What a part has measured.

    Goals of mechanisms are judged of the rows of all parts (`goals.py:judge`). shares: what the time of a step is made of, by
    workload and variant.
    """

    goals: list[Goal] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    shares: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
