"""What is wrong with a text that is no YAML, in words for a person who has never heard of its grammar, and where it is.

A parser stumbles where it cannot go on, often a line below the mistake. What people get wrong is known: the indentation, a
colon, a bracket, a quote. So these are looked for around the place.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["in_plain_words"]

_NO_SPACE = re.compile(r"(?P<name>[^\s:#'\"\[\]{}][^:#'\"\[\]{}]*):(?P<value>[^\s:/].*)\Z")
_CLOSES = {"{": "}", "[": "]"}
Place = tuple[int, int, str]  # line and column from 1, what is wrong there


def in_plain_words(text: str, error: Any) -> Place:
    """Line, column (from 1) and problem of an error of the parser."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = str(getattr(error, "problem", None) or str(error).splitlines()[0])
    context = str(getattr(error, "context", None) or "")
    if mark is None:
        return 1, 1, f"this is no YAML: {said}"
    lines = text.splitlines() or [""]
    begin = getattr(error, "context_mark", None) or mark
    slip = _Slip(lines, min(mark.line, len(lines) - 1), mark.column, min(begin.line, len(lines) - 1), begin.column)
    found = slip.spaces() or slip.of(context, said)
    if found is not None:
        line, column, problem = found
        return line, column, f"this is no YAML: {problem}"
    return mark.line + 1, mark.column + 1, f"this is no YAML: {context}{': ' if context else ''}{said}{_hint(said)}"


def _hint(said: str) -> str:
    if "expected a single document" in said:
        return "; remove '---'"
    if "undefined alias" in said:
        return "; define it before with &name, or put quotes around a text that begins with *"
    return ""


class _Slip:
    """Lines, the place where the parser stopped, and where the thing begins that it was reading; all from 0."""

    def __init__(self, lines: list[str], row: int, column: int, first: int, start: int) -> None:
        self.lines, self.row, self.column, self.first, self.start = lines, row, column, first, start
        self.line = lines[row]

    def of(self, context: str, said: str) -> Place | None:
        """The mistake that is behind what the parser says."""
        if "cannot start any token" in said:
            sign = self.line[self.column : self.column + 1]
            return self.row + 1, self.column + 1, f"a text that begins with {sign!r} needs quotes around it"
        if "quoted scalar" in context:
            return self.first + 1, self.start + 1, "the quote that begins here is not closed"
        if "flow" in context:
            return self.bracket()
        if "simple key" in context:
            return self.no_colon(self.first)
        if "mapping values are not allowed" in said:
            return self.colon()
        if "block mapping" in context:
            return self.beside_names()
        if "block collection" in context or "block sequence" in context:
            problem = (
                "the entries of this list begin with '- ', and this line does not; names of parts stand without '-'"
            )
            return self.row + 1, self.column + 1, problem
        return None

    def spaces(self) -> Place | None:
        """A tab, or a space that only looks like one, in front of a line up to here."""
        for number in range(max(min(self.first, self.row) - 1, 0), min(self.row + 1, len(self.lines) - 1) + 1):
            before = re.match(r"\s*", self.lines[number])[0]  # type: ignore[index]
            for column, sign in enumerate(before, 1):
                if sign != " " and self.lines[number].strip():
                    what = "a tab" if sign == "\t" else f"another kind of space (U+{ord(sign):04X})"
                    return number + 1, column, f"{what} stands in front of this line; indent with spaces, not with tabs"
        return None

    def bracket(self) -> Place:
        """Within { } or [ ]: a comma is missing, or the end."""
        opened = self.lines[self.first][self.start : self.start + 1]
        closing = _CLOSES.get(opened, "}")
        rest = [self.lines[self.first][self.start :], *self.lines[self.first + 1 :]]
        if _is_closed(rest):
            return self.row + 1, self.column + 1, f"a comma is missing before this, or '{closing}'"
        return (
            self.first + 1,
            self.start + 1,
            f"the '{opened}' that opens here is not closed; write '{closing}' at its end",
        )

    def no_colon(self, row: int) -> Place:
        """A line without a colon that ends a name."""
        line = self.lines[row]
        at = len(line) - len(line.lstrip()) + 1
        content = line.strip()
        if match := _NO_SPACE.match(content):
            return row + 1, at, f"a space belongs after the colon: {match['name']}: {match['value']}"
        name, _, value = content.partition(" ")
        return row + 1, at, f"a name has a colon after it: {f'{name}: {value}'.strip()}"

    def colon(self) -> Place:
        """A colon where none can be."""
        above = next((k for k in range(self.row - 1, -1, -1) if _content(self.lines[k])), None)
        if re.search(r"\S:\s", self.line[: self.column]) or above is None:
            return self.row + 1, self.column + 1, "a text with a colon and a space needs quotes around it"
        indent, over = _indent(self.line), _indent(self.lines[above])
        if indent > over and not re.search(r":(\s|$)", _content(self.lines[above])):
            return self.no_colon(above)
        if indent > over:
            return self.row + 1, indent + 1, _uneven(indent, over, above)
        return self.row + 1, self.column + 1, "a text with a colon and a space needs quotes around it"

    def beside_names(self) -> Place | None:
        """Something that is no name beside others."""
        indent = _indent(self.line)
        if self.column > indent:
            before = self.line[: self.column].rstrip()[-1:]
            if before in "]}\"'":
                ending = (
                    '; a unit stands behind each number, or quotes around all: "(1, 2) mm"' if before == "]" else ""
                )
                return self.row + 1, self.column + 1, f"nothing can follow {before!r} in this line{ending}"
            return None
        if self.line.lstrip().startswith("- "):
            return self.row + 1, indent + 1, "an entry of a list stands among names; names of parts stand without '-'"
        if indent != self.start:
            return self.row + 1, indent + 1, _uneven(indent, self.start, self.first)
        return None


def _uneven(indent: int, other: int, row: int) -> str:
    return (
        f"this line is indented by {indent}, line {row + 1} by {other} space{'' if other == 1 else 's'}; what belongs together "
        "begins in the same column"
    )


def _content(line: str) -> str:
    """A line without its comment."""
    return re.sub(r"(^|\s)#.*", "", line).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_closed(rest: list[str]) -> bool:
    """Is the bracket closed with which these lines begin?"""
    depth = 0
    for line in rest:
        for sign in re.sub(r"\"[^\"]*\"|'[^']*'", "", line).partition(" #")[0]:
            depth += (sign in "[{") - (sign in "]}")
            if depth == 0:
                return True
    return False
