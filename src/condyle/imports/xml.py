"""XML files with the line of each element, so that errors can name the place."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, cast
from xml.parsers import expat

from condyle.errors import InputError

__all__ = ["Element", "numbers", "parse", "place"]


class Element(ElementTree.Element):
    """An element that knows its line."""

    line: int = 0


class _Builder(ElementTree.TreeBuilder):
    """Builds elements that know their line: the parser is asked where it stands."""

    def __init__(self, parser: Any) -> None:
        super().__init__(element_factory=Element)
        self.parser = parser

    def start(self, tag: str, attributes: Any) -> Any:
        element: Any = super().start(tag, attributes)
        element.line = self.parser.CurrentLineNumber
        return element


def parse(path: str | Path) -> Element:
    """The root element of a file. Entities that a file declares itself are refused: no model needs them."""
    file = Path(path)
    text = file.read_bytes()
    try:
        return _parsed(file, text)
    except expat.ExpatError as error:
        try:
            return _parsed(file, _forgiven(text))
        except expat.ExpatError:
            raise InputError(f"'{file}' is not well-formed XML: {error}{_template(text)}") from None


def _parsed(file: Path, text: bytes) -> Element:
    parser = expat.ParserCreate()
    builder = _Builder(parser)

    def refuse(name: str, *_: Any) -> None:
        raise InputError(f"'{file}' declares the entity '{name}', which is not read; take it out of the file")

    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.Parse(text, True)
    return cast(Element, builder.close())


def _forgiven(text: bytes) -> bytes:
    """The text without what other programs read over; every line stays where it is.

    That is: blanks before the XML declaration, dashes in comments, and control characters after the end.
    """
    text = re.sub(rb"^(\s+)<\?xml[^>]*\?>", rb"\1", text)
    text = re.sub(rb"<!--.*?-->", lambda comment: b"\n" * comment[0].count(b"\n"), text, flags=re.DOTALL)
    return re.sub(rb"[\x00-\x20]+$", b"\n", text)


def _template(text: bytes) -> str:
    return "; it is a template: write the file itself by xacro first" if b"xacro:" in text else ""


def place(file: Path, element: Element) -> str:
    """Where an element stands, for errors: 'gait.osim', line 12 (Body 'pelvis')."""
    name = element.get("name")
    return f"'{file}', line {element.line} ({element.tag}{f' {name!r}' if name else ''})"


def numbers(text: str | None, count: int | None, where: str) -> list[float]:
    """Numbers separated by blanks; count: how many there must be, or None."""
    try:
        values = [float(word) for word in (text or "").split()]
    except ValueError:
        raise InputError(f"{where}: '{text}' should be numbers separated by blanks") from None
    if count is not None and len(values) != count:
        raise InputError(f"{where}: {count} numbers are needed, not {len(values)} ('{text}')")
    return values
