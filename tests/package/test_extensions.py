"""What an extension from outside the package costs: the table of the documentation counts the files of examples/extensions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "extensions"


def lines_of_code(path: Path) -> int:
    """Lines with code: without comments, docstrings, empty lines and imports."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, ast.stmt) or isinstance(node, ast.Import | ast.ImportFrom) or text:
            continue
        named = isinstance(node, ast.FunctionDef | ast.ClassDef)
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)]) if named else node.lineno
        lines |= set(range(first, (node.lineno if named else node.end_lineno or node.lineno) + 1))
    return len(lines)


def costs() -> list[tuple[str, str, str, str]]:
    """The table of costs of docs/architecture.md: kind, file, number of files, lines of code."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("### What an extension costs")[2].partition("\n## ")[0]
    return re.findall(r"^\| ([^|]+) \| `([\w/]+\.py)` \| (\d+) \| (\d+) \|$", section, re.M)


def test_the_table_of_costs_counts_every_file_of_the_folder():
    assert {row[1] for row in costs()} == {str(file.relative_to(ROOT)) for file in FOLDER.glob("*.py")}
    kinds = " ".join(row[0] for row in costs())
    for kind in ("law", "element", "joint", "surface", "contact law", "integrator", "study"):
        assert kind in kinds, f"no extension shows what a {kind} costs"
    for kind, file, files, lines in costs():
        assert (files, int(lines)) == ("1", lines_of_code(ROOT / file)), (
            f"{kind}: {file} has {lines_of_code(ROOT / file)}"
        )
