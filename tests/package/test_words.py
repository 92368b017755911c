"""The words of the code: one meaning each, and no numbers of a list that readers do not have."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "condyle"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])
FOLDERS = ("src", "tests", "examples", "benchmarks")

WATCHED = ("share", "hold", "turn", "stretch")  # each had four or five meanings once
NUMBERS = {"float", "ClassVar[float]", "Array", "Numbers"}  # what a share may be

# A letter with a number, as lists of requirements, experiments, errata and lines have them.
MARK = re.compile(r"(?<![\w.`/^'′-])[RXAELQYT]\d{1,4}[a-z]?(?![\w′'-])")
SYMBOLS = {
    *("R0", "R1", "R2", "R3", *(f"R{i}{j}" for i in "123" for j in "123")),  # rotation matrices and their entries
    *("A11", "A12", "A21", "A22"),  # blocks of a matrix
    *("E0", "E1", "Q0", "Q1"),  # energies and strains, impulses, at both ends of a step
    *("L2", "Q4"),  # the norm; the element, as the literature has it
}
CITED = re.compile(r"\b\d{4}[a-z]?,? (?:\w+ )?[RXAELQYTMS]\d{1,4}\b")  # of a source, with its year
ALONE = re.compile(r"\([RXAELQYT]\d{1,3}(?:[,–-] ?[RXAELQYT]?\d{1,3})*\)")  # nothing else in parentheses


@functools.cache
def nodes(*kinds: type[ast.AST]) -> list[tuple[Path, Any]]:
    """The nodes of these kinds in all modules; each is parsed once."""
    return [(path, node) for path, tree in trees() for node in tree if isinstance(node, kinds)]


@functools.cache
def trees() -> list[tuple[Path, list[ast.AST]]]:
    wanted = (ast.For, ast.ClassDef, ast.AnnAssign)
    found = [(path, ast.walk(ast.parse(path.read_text(encoding="utf-8")))) for path in sorted(SOURCE.rglob("*.py"))]
    return [(path, [node for node in tree if isinstance(node, wanted)]) for path, tree in found]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of text: of a page all, of code those of comments, docstrings and strings, which may be printed."""
    text = path.read_text(encoding="utf-8")
    if not marks(text):  # what no mark stands in anywhere need not be taken apart
        return
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), start=1)
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds and "noqa" not in token.string:
            yield from enumerate(token.string.splitlines(), start=token.start[0])


def marks(line: str) -> list[str]:
    """What looks like a number of a requirement in a line."""
    found = [mark for mark in MARK.findall(line) if mark not in SYMBOLS]
    return found + CITED.findall(line) + ALONE.findall(line)


@pytest.mark.parametrize(
    "line",
    [
        "nodes with a tangent (Hewlett 2020, R28)",
        "see X9",
        "as E3 says",
        "(R12)",
        "(A1–A3)",
        "the rule of L1505",
        "R29, R37",
    ],
)
def test_numbers_of_requirements_are_noticed(line):
    assert marks(line)


@pytest.mark.parametrize(
    "line",
    ["R_ij = R1(α) R2(β): tan α = −R23/R33", "E1 − E0 − W", "log(R1 R0ᵀ)", "A21 U⁻¹", "the models M1 and M2", "1E3 N"],
)
def test_symbols_are_no_numbers_of_requirements(line):
    assert not marks(line)


def test_no_requirement_numbers_stand_in_code_pages_or_claims():
    files = [
        path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")) if path != Path(__file__).resolve()
    ]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {', '.join(marks(line))}"
        for path in [*files, *PAGES, ROOT / "docs" / "claims.json"]
        for number, line in prose(path)
        if marks(line)
    ]
    assert found == []


def test_each_word_of_the_glossary_is_explained_once():
    rows = re.findall(
        r"^\| ([^|]+) \| [^|]+ \|$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    words = Counter(word.strip() for row in rows for word in row.split(",") if row not in ("word", "---"))
    assert set(WATCHED) <= set(words)
    assert [word for word, count in words.items() if count > 1] == []


def test_watched_words_count_nothing():
    """A turn is a rotation and a stretch a ratio of lengths: none is the number of a pass or of a place."""
    found = []
    for path, node in nodes(ast.For):
        if isinstance(node.iter, ast.Call):
            called = ast.unparse(node.iter.func)
            index = node.target.elts[0] if called == "enumerate" and isinstance(node.target, ast.Tuple) else node.target
            if called in ("range", "enumerate") and isinstance(index, ast.Name) and index.id in WATCHED:
                found.append(f"{path.relative_to(SOURCE)}:{node.lineno}: {index.id}")
    assert found == []


def test_a_share_is_a_number():
    """No class and no list of objects has the name; what a pair in contact adds to the equations are its terms."""
    found = []
    for path, node in nodes(ast.ClassDef, ast.AnnAssign):
        if isinstance(node, ast.ClassDef):
            wrong = node.name if re.search(r"Shares?(?![a-z])", node.name) else ""
        elif ast.unparse(node.annotation) not in NUMBERS:
            name = ast.unparse(node.target)
            wrong = name if re.search(r"(?:^|[._])shares?$", name) else ""
        else:
            continue
        if wrong:
            found.append(f"{path.relative_to(SOURCE)}: {wrong}")
    assert found == []


def test_numbers_do_not_stand_one_to_a_line():
    """Where a comment behind a short list is too long, the formatter breaks the list; the comment belongs above it."""
    alone = re.compile(r"(?:^[ \t]*-?[\d.][\d.e+-]*,[ \t]*\n){4}", re.M)
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    assert [str(path.relative_to(ROOT)) for path in files if alone.search(path.read_text(encoding="utf-8"))] == []
