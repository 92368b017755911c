"""An MJCF file as a whole: files it includes, settings of the compiler, and attributes with the defaults of their classes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from condyle.errors import InputError, unknown_name
from condyle.imports.frames import Frame, turn_to
from condyle.imports.xml import Element, numbers, parse, place
from condyle.model.rotations import rotation

__all__ = ["ACTUATORS", "Document", "Record"]

ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion")
TURNS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
MAIN = "main"


class Record:
    """An element with the attributes of its default class: texts, read as numbers, words or switches."""

    def __init__(self, document: Document, element: Element, attributes: dict[str, str]) -> None:
        self.document, self.element, self.attributes = document, element, attributes

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    @property
    def name(self) -> str | None:
        """Its name in the file."""
        return self.attributes.get("name")

    @property
    def where(self) -> str:
        """Where it stands, for messages."""
        return self.document.place(self.element)

    def word(self, name: str, default: str = "") -> str:
        """A word."""
        return self.attributes.get(name, default)

    def array(self, name: str, count: int | None = None, default: object = None) -> Any:
        """Numbers, as an array; the default where there are none."""
        if name not in self.attributes:
            return None if default is None else np.array(default, dtype=float)
        return np.array(numbers(self.attributes[name], count, f"{self.where}: {name}"))

    def number(self, name: str, default: float) -> float:
        """One number; the first of several."""
        values = self.array(name)
        return default if values is None or not len(values) else float(values[0])

    def switch(self, name: str, default: bool) -> bool:
        """true or false; 'auto' is the default."""
        word = self.word(name, "auto")
        return default if word == "auto" else word == "true"

    def angle(self, value: object) -> Any:
        """An angle of the file in radians."""
        return np.asarray(value) * (math.pi / 180.0 if self.document.degrees else 1.0)

    def frame(self) -> Frame:
        """pos and one of the ways to give an orientation."""
        return Frame(self.array("pos", 3, (0.0, 0.0, 0.0)), self.turn())

    def turn(self) -> Any:
        """A rotation matrix from quat, axisangle, xyaxes, zaxis or euler."""
        given = [name for name in TURNS if name in self.attributes]
        if not given:
            return np.eye(3)
        kind = given[-1]
        if kind == "quat":
            q = self.array("quat", 4)
            return rotation(quaternion=(q / self._size(q, kind)).tolist())
        if kind == "axisangle":
            v = self.array("axisangle", 4)
            self._size(v[:3], kind)
            return rotation(axis=v[:3].tolist(), angle=float(self.angle(v[3])))
        if kind == "zaxis":
            return turn_to(self.array("zaxis", 3) / self._size(self.array("zaxis", 3), kind))
        if kind == "xyaxes":
            v = self.array("xyaxes", 6)
            x = v[:3] / self._size(v[:3], kind)
            y = v[3:] - (v[3:] @ x) * x
            y = y / self._size(y, kind)
            return np.column_stack((x, y, np.cross(x, y)))
        angles = self.angle(self.array("euler", 3))
        return _euler(self.document.eulerseq, angles)

    def _size(self, vector: Any, name: str) -> float:
        size = float(np.linalg.norm(vector))
        if size < 1e-12:
            raise InputError(f"{self.where}: {name} must not be 0")
        return size


def _euler(sequence: str, angles: Any) -> Any:
    """Small letters turn about the turned axes, capital ones about the fixed axes."""
    out = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        one = rotation(axis=np.eye(3)["xyz".index(letter.lower())].tolist(), angle=float(angle))
        out = out @ one if letter.islower() else one @ out
    return out


class Document:
    """The root element with includes put in, the settings of the compiler and the classes of defaults."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.folder = file.parent
        self._files: dict[int, Path] = {}  # of elements from included files
        self._included: list[Element] = []  # ids of elements stay theirs while these live
        self.root = self._read(file, [])
        if self.root.tag != "mujoco":
            raise InputError(f"{self.place(self.root)}: an MJCF file has the root element 'mujoco'")
        self.compiler = Record(self, self.root, {k: v for e in self.sections("compiler") for k, v in e.attrib.items()})
        self.option = Record(self, self.root, {k: v for e in self.sections("option") for k, v in e.attrib.items()})
        self.degrees = self.compiler.word("angle", "degree") != "radian"
        self.eulerseq = self.compiler.word("eulerseq", "xyz")
        if len(self.eulerseq) != 3 or set(self.eulerseq.lower()) - set("xyz"):
            raise InputError(f"'{file}': eulerseq must be three letters such as xyz or ZYX, not '{self.eulerseq}'")
        if self.compiler.word("coordinate", "local") == "global":
            raise InputError(
                f"'{file}' has global coordinates, which MuJoCo itself no longer reads; save it in local ones first"
            )
        self._classes: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        for element in self.sections("default"):
            self._learn(element, MAIN, {})

    def place(self, element: Element) -> str:
        """Where an element stands, for messages."""
        return place(self._files.get(id(element), self.file), element)

    def sections(self, tag: str) -> list[Element]:
        """All top elements of a kind; a file may have several."""
        return [element for element in self.root if element.tag == tag]  # type: ignore[misc]

    def listed(self, section: str) -> Iterator[Element]:
        """The elements in all sections of a kind."""
        for element in self.sections(section):
            yield from element  # type: ignore[misc]

    def record(self, element: Element, inherited: str | None = None, kind: str | None = None) -> Record:
        """An element with its defaults; inherited: the class that bodies around it give."""
        named = element.get("class") or inherited or MAIN
        if named not in self._classes:
            raise unknown_name("default class", named, self._classes, where=self.place(element))
        kind = kind or ("actuator" if element.tag in ACTUATORS else str(element.tag))
        return Record(self, element, {**self._classes[named].get(kind, {}), **element.attrib})

    def asset(self, kind: str, record: Record) -> Path:
        """The file of an asset, from the folders that the compiler names."""
        name = record.word("file")
        folder = self.compiler.word(f"{kind}dir") or self.compiler.word("assetdir")
        return self.folder / folder / name

    def _learn(self, element: Element, own: str, parent: dict[str, dict[str, str]]) -> None:
        name = element.get("class") or own
        mine = {kind: dict(values) for kind, values in {**parent, **self._classes.get(name, {})}.items()}
        for child in element:
            if child.tag != "default":
                kind = "actuator" if child.tag in ACTUATORS else str(child.tag)
                mine.setdefault(kind, {}).update(child.attrib)
        self._classes[name] = mine
        for child in element:
            if child.tag == "default":
                if not child.get("class"):
                    raise InputError(f"{self.place(child)}: a default inside another one needs a class")  # type: ignore[arg-type]
                self._learn(child, "", mine)  # type: ignore[arg-type]

    def _read(self, file: Path, above: list[Path]) -> Element:
        if file in above:
            raise InputError(f"'{file}' includes itself, by way of {' and '.join(f'{str(p)!r}' for p in above)}")
        if not file.is_file():
            raise InputError(
                f"there is no file '{file}'{', which ' + repr(str(above[-1])) + ' includes' if above else ''}"
            )
        root = parse(file)
        if above:
            for element in root.iter():
                self._files[id(element)] = file
        self._put_in(root, file, above)
        return root

    def _put_in(self, element: Element, file: Path, above: list[Path]) -> None:
        """Elements of included files in the place of `include`."""
        k = 0
        while k < len(element):
            child: Any = element[k]
            if child.tag == "include":
                inner = self._read(self.folder / child.get("file", "").replace("\\", "/"), [*above, file])
                element[k : k + 1] = list(inner)
                self._included.append(inner)
                k += len(inner)
            else:
                self._put_in(child, file, above)
                k += 1
