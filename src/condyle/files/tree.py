"""A YAML text as a tree of nodes with their places, of bounded size. Tags mean nothing here: a file can only hold data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from condyle.errors import InputError, unknown_name
from condyle.files.plain_words import in_plain_words

__all__ = ["FileError", "Mistake", "Node", "read_tree"]

MOST_BYTES = 16 * 2**20  # of a file; larger tables and meshes are files of their own
MOST_NODES = 2_000_000  # with aliases counted as often as they are used
MOST_DEPTH, MOST_INDENT = 60, 400
_PLAIN = ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge", "value", "!", "None")


@dataclass(frozen=True)
class Mistake:
    """Something wrong in a file, and where: lines and columns from 1."""

    file: str
    line: int
    column: int
    problem: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.problem}"


class FileError(InputError):
    """Everything that is wrong in a model file; `mistakes` has each with its place."""

    def __init__(self, mistakes: list[Mistake] | str) -> None:
        self.mistakes = mistakes if isinstance(mistakes, list) else []
        super().__init__("\n".join(map(str, mistakes)) if isinstance(mistakes, list) else mistakes)


@dataclass(eq=False)
class Node:
    """A text, a list of nodes, or nodes by name; where it begins (from 1), and whether a text stands in quotes."""

    value: str | list[Node] | dict[str, Node]
    file: str
    line: int
    column: int
    quoted: bool = False
    keys: dict[str, Node] = field(default_factory=dict)  # where the names stand

    @property
    def is_map(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    @property
    def text(self) -> str:
        """The text of a scalar; empty of others."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def is_null(self) -> bool:
        return not self.quoted and self.value in ("", "~", "null", "none", "None")

    def items(self) -> Iterator[tuple[str, Node]]:
        """Names and what stands under them."""
        return iter(self.value.items() if isinstance(self.value, dict) else ())

    def entries(self) -> list[Node]:
        """What stands in a list."""
        return self.value if isinstance(self.value, list) else []

    def get(self, name: str) -> Node | None:
        """What stands under a name."""
        return self.value.get(name) if isinstance(self.value, dict) else None

    def has(self, name: str) -> bool:
        """Does something stand under that name?"""
        return isinstance(self.value, dict) and name in self.value

    def unknown(self, known: Sequence[str], where: str) -> list[Mistake]:
        """A mistake for each name that is not known here, with the nearest one."""
        wrong = [(name, node) for name, node in self.items() if name not in known]
        return [
            self.keys[name].mistake(
                f"{where}: {name!r} stands after a comma; decimals are written with a point, 2.5, and vectors as [2, 5]"
                if node.is_null and name[:1].isdigit()
                else str(unknown_name("field", name, known, where=where))
            )
            for name, node in wrong
        ]

    def check_names(self, known: Sequence[str], where: str) -> None:
        """FileError if there are names that are not known here."""
        if wrong := self.unknown(known, where):
            raise FileError(wrong)

    def mistake(self, problem: str) -> Mistake:
        """A mistake at this place."""
        return Mistake(self.file, self.line, self.column, " ".join(problem.split()))

    def error(self, problem: str) -> FileError:
        """The same as an error."""
        return FileError([self.mistake(problem)])


def read_tree(text: str, file: str) -> Node:
    """The tree of a text; FileError with the place of what is no YAML, or too much."""
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        most = f"the file is larger than {MOST_BYTES >> 20} MB; put tables and meshes into files of their own"
        raise FileError([Mistake(file, 1, 1, most)])
    _check_nesting(text, file)
    composed = _composed(text, file)
    if composed is None:
        raise FileError([Mistake(file, 1, 1, "the file is empty; `condyle new pendulum` writes one to begin with")])
    return _Maker(file).node(composed)[0]


def _check_nesting(text: str, file: str) -> None:
    """Before anything is parsed: a parser goes as deep as the brackets do."""
    depth = 0
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip(" "))
        if indent > MOST_INDENT or len(re.match(r"(?:[-?:][ \t]+)*", line.lstrip())[0]) > MOST_INDENT:  # type: ignore[index]
            raise FileError([Mistake(file, number, 1, f"it is indented by more than {MOST_INDENT} columns")])
        for column, character in enumerate(line.partition(" #")[0], 1):
            if character in "[{":
                depth += 1
                if depth > MOST_DEPTH:
                    raise FileError([Mistake(file, number, column, f"more than {MOST_DEPTH} brackets are open here")])
            elif character in "]}":
                depth = max(depth - 1, 0)


def _composed(text: str, file: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe").compose(text)
    except YAMLError as error:
        raise FileError([Mistake(file, *in_plain_words(text, error))]) from None
    except RecursionError:
        raise FileError([Mistake(file, 1, 1, "it is nested too deeply")]) from None
    except (ValueError, UnicodeError, AttributeError, TypeError, NotImplementedError) as error:
        raise FileError([Mistake(file, 1, 1, f"this is no YAML: {error}")]) from None


class _Maker:
    """Nodes of what the parser made; aliases are counted as often as they are used."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.made: dict[int, tuple[Node, int]] = {}
        self.open: set[int] = set()

    def node(self, given: Any, depth: int = 0) -> tuple[Node, int]:
        """The node, and how many there are in it."""
        key = id(given)
        if key in self.made:
            return self.made[key]
        place = self.file, given.start_mark.line + 1, given.start_mark.column + 1
        if key in self.open:
            raise FileError([Mistake(*place, "it contains itself by an alias")])
        if str(given.tag).removeprefix("tag:yaml.org,2002:") not in _PLAIN:
            raise FileError([Mistake(*place, f"tags such as {given.tag} mean nothing in a model file; remove it")])
        if depth > MOST_DEPTH:
            raise FileError([Mistake(*place, f"it is nested deeper than {MOST_DEPTH} levels")])
        self.open.add(key)
        count = 1
        if isinstance(given.value, str):
            node = Node(given.value, *place, quoted=(given.style or "") in ("'", '"', "|", ">"))
        elif given.id == "sequence":
            pairs = [self.node(entry, depth + 1) for entry in given.value]
            count += sum(size for _, size in pairs)
            node = Node([entry for entry, _ in pairs], *place)
        else:
            node = Node({}, *place)
            count += self._fill(node, given, depth)
        if count > MOST_NODES:
            raise FileError(
                [Mistake(*place, f"it holds more than {MOST_NODES:,} entries, aliases counted as often as used")]
            )
        self.open.discard(key)
        self.made[key] = node, count
        return node, count

    def _fill(self, node: Node, given: Any, depth: int) -> int:
        count = 0
        assert isinstance(node.value, dict)
        for key, value in given.value:
            name, _ = self.node(key, depth + 1)
            made, size = self.node(value, depth + 1)
            count += size
            if not isinstance(name.value, str):
                raise name.error("a name must be a text, not a list or a map")
            if name.value == "<<" and made.is_map:  # YAML's merge: what is given here wins
                for other, entry in made.items():
                    node.value.setdefault(other, entry)
                    node.keys.setdefault(other, name)
                count += size
                continue
            if name.value in node.value and node.keys[name.value].value != "<<":
                first = node.keys[name.value].line
                raise name.error(f"'{name.value}' is there twice, first in line {first}; give each its own name")
            node.value[name.value], node.keys[name.value] = made, name
        return count
