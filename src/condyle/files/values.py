"""What stands in a model file as plain data: numbers with units, parameters, columns of tables, meshes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from condyle.errors import InputError, unknown_name
from condyle.files.expressions import Measure, Vector, dimension_of, evaluate, in_words
from condyle.files.tree import FileError, Mistake, Node

__all__ = ["Folder", "Scope", "is_plain_text"]

MOST_TABLE = 64 * 2**20  # bytes of a table or mesh
_INT = re.compile(r"[-+]?\d+\Z")
_FLOAT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)\Z")
_TRUTH = {"true": True, "True": True, "false": False, "False": False}
_BEGINS = re.compile(r"[-+\s−]*(?:\.?\d|\()|=")
_WORD = re.compile(r"[^\W\d][\w .'-]*\Z")


def is_plain_text(text: str) -> bool:
    """Is a text read as that text where it stands without quotes?"""
    return bool(_WORD.match(text)) and text not in (*_TRUTH, "null", "none", "None") and text == text.strip()


class Folder:
    """Where a model file stands, and what it may read: its own folder and what the user allows."""

    def __init__(self, folder: Path, allow: Sequence[Path] = ()) -> None:
        self.folder = folder.resolve()
        self.allowed = [self.folder, *(Path(path).resolve() for path in allow)]
        self.read: set[Path] = set()  # files that were asked for, besides the model file itself

    def file(self, node: Node) -> Path:
        """The file that a text names."""
        text = node.text
        if not text or "\0" in text:
            raise node.error("write the path of a file, relative to this one")
        try:
            path = (self.folder / text).resolve()
            inside = any(path == place or place in path.parents for place in self.allowed)
            exists = inside and path.is_file()
        except (OSError, ValueError, RuntimeError):
            raise node.error(f"'{text[:80]}' is no path of a file") from None
        if not inside:
            raise node.error(f"'{text}' is outside the folder of this file; it is read only with --allow {path.parent}")
        if not exists:
            names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
            hint = (
                str(unknown_name("file", path.name, names[:200]))
                if 0 < len(names) <= 40
                else f"there is no file '{text}'"
            )
            raise node.error(hint)
        if path.stat().st_size > MOST_TABLE:
            raise node.error(f"'{text}' is larger than {MOST_TABLE >> 20} MB")
        self.read.add(path)
        return path


class Scope:
    """Parameters and units of one file, and what its values mean with them."""

    def __init__(self, root: Node, folder: Folder, given: Mapping[str, Any], mistakes: list[Mistake]) -> None:
        self.folder, self.mistakes = folder, mistakes
        self.nodes: dict[str, Node] = {}
        self.about: dict[str, dict[str, Node]] = {}
        self.units: dict[str, Measure] = {}
        self._known: dict[str, Measure] = {}
        self._open: list[str] = []
        self._failed: set[str] = set()  # parameters without a value: what is wrong with them is said once
        self.given = dict(given)
        self._declare(root.get("parameters"))
        units = root.get("units")
        for name, node in units.items() if units is not None else ():
            made = self._try(lambda node=node: self.measure(node, None))
            if isinstance(made, Measure):
                self.units[name] = made
        for name, node in self.nodes.items():
            self._try(lambda name=name, node=node: self._look_up(name, node))
        for name in self.about:
            self._try(lambda name=name: self._check_bounds(name))

    def _declare(self, section: Node | None) -> None:
        if section is None:
            return
        for name, node in section.items():
            if not name.isidentifier():
                said = f"'{name}' is no name for a parameter; write letters, digits and _"
                self.mistakes.append(section.keys[name].mistake(said))
                continue
            if node.is_map:
                self.about[name] = dict(node.items())
                self.mistakes += node.unknown(("value", "meaning", "low", "high", "quick"), f"parameter '{name}'")
                if not node.has("value"):
                    self.mistakes.append(node.mistake(f"parameter '{name}' has no value; write value: 3 mm"))
                    continue
                node = self.about[name]["value"]
            self.nodes[name] = node

    def _try(self, make: Any) -> Any:
        try:
            return make()
        except FileError as error:
            self.mistakes += [m for m in error.mistakes if m not in self.mistakes]
        return None

    def _look_up(self, name: str, where: Node) -> Measure | None:
        if name in self._known:
            return self._known[name]
        node = self.nodes.get(name)
        if node is None:
            return None
        if name in self._failed:
            raise FileError([])
        if name in self._open:
            chain = [*self._open[self._open.index(name) :], name]
            self._failed.update(chain)
            raise node.error(f"the parameter '{name}' depends on itself: {' → '.join(chain)}")
        self._open.append(name)
        try:
            made = self.measure(node, None)
            if not isinstance(made, Measure):
                raise node.error(f"the parameter '{name}' must be one number")
        except FileError:
            self._failed.add(name)
            raise
        finally:
            self._open.remove(name)
        if name in self.given:
            made = made._replace(value=float(self.given[name]))
        self._known[name] = made
        return made

    @property
    def parameters(self) -> dict[str, Measure]:
        """All parameters that have a value."""
        return dict(self._known)

    def measure(self, node: Node, unit: str | None) -> Measure | Vector:
        """A text as a number or numbers with their dimension, in the unit of a field if that has one."""
        if not isinstance(node.value, str):
            raise node.error("write a number, a quantity such as 3 mm, or an expression of parameters")
        text = node.value.strip().removeprefix("=")
        if match := _INFINITE.match(text.strip()):
            return Measure(-math.inf if match[1] == "-" else math.inf)
        try:
            made = evaluate(text, _Names(self, node), self.units)
            self._check(made, unit)
        except FileError:
            raise
        except InputError as error:
            raise node.error(str(error)) from None
        return made

    def bounds(self, name: str) -> tuple[float, float]:
        """What the file says a parameter is between: low and high, infinite where it does not say."""
        low, high = (self._bound(name, key) for key in ("low", "high"))
        return low, high

    def _check_bounds(self, name: str) -> None:
        """Bounds are numbers of the same unit, low below high, and the value is between them."""
        made = self._known.get(name)
        for key in ("low", "high", "quick") if made is not None else ():
            entry = self.about.get(name, {}).get(key)
            if entry is not None and made is not None:
                bound = self.measure(entry, None)
                if not isinstance(bound, Measure):
                    raise entry.error(f"{key} of the parameter '{name}' must be one number")
                if bound.dimension and made.dimension and bound.dimension != made.dimension:
                    raise entry.error(
                        f"{key} of the parameter '{name}' is {in_words(bound.dimension)}, its value {in_words(made.dimension)}"
                    )
        if made is None or name not in self.about:
            return
        low, high = self.bounds(name)
        if low >= high:
            raise (self.about[name].get("low") or self.nodes[name]).error(
                f"low of the parameter '{name}' must be below high"
            )
        if not low <= made.value <= high and name not in self.given:
            said = [self.about[name][key].text if key in self.about[name] else "any" for key in ("low", "high")]
            raise self.nodes[name].error(
                f"the value of the parameter '{name}' is not between its bounds, {said[0]} to {said[1]}; change one of them"
            )

    def _bound(self, name: str, key: str) -> float:
        entry = self.about.get(name, {}).get(key)
        made = None if entry is None else self.measure(entry, None)
        return made.value if isinstance(made, Measure) else math.inf if key == "high" else -math.inf

    def _check(self, made: Measure | Vector, unit: str | None) -> None:
        if isinstance(made, Vector):
            for entry in made.entries:
                self._check(entry, unit)
        elif unit is not None and made.dimension:
            wanted = dimension_of(unit, "")
            if wanted is not None and wanted != made.dimension:
                should = f"in {unit} or the like" if unit else "a pure number"
                raise InputError(f"it is {in_words(made.dimension)}, a unit of another dimension; write it {should}")
        elif unit and made.angle and dimension_of(unit, ""):
            raise InputError(f"it is an angle; write it in {unit} or the like")

    def value(self, node: Node, *, unit: str | None = None, numeric: bool = False, text: bool = False) -> Any:
        """Plain data of a node. numeric: numbers are expected, so that a word is a parameter; text: a text is."""
        if isinstance(node.value, dict):
            return self.table(node, unit) if "file" in node.value else self.mapped(node, unit=unit, numeric=numeric)
        if isinstance(node.value, list):
            return [self.value(entry, unit=unit, numeric=numeric, text=text) for entry in node.value]
        return self._scalar(node, unit, numeric, text)

    def mapped(self, node: Node, *, unit: str | None = None, numeric: bool = False) -> dict[str, Any]:
        """Values by name."""
        return {name: self.value(entry, unit=unit, numeric=numeric) for name, entry in node.items()}

    def _scalar(self, node: Node, unit: str | None, numeric: bool, text: bool) -> Any:
        raw = node.text
        if numeric and node.quoted and raw.lstrip()[:1] in ("(", "="):  # quotes keep the commas of a vector together
            return _numbers(self.measure(node, unit))
        if node.quoted or (text and not raw.startswith("=")):
            return None if node.is_null else raw
        if node.is_null:
            return None
        if raw in _TRUTH:
            return _TRUTH[raw]
        if _INT.match(raw) and len(raw) < 300:
            return int(raw)
        if _FLOAT.match(raw):
            return float(raw)
        if numeric or _BEGINS.match(raw) or _INFINITE.match(raw):
            return _numbers(self.measure(node, unit))
        return raw

    def table(self, node: Node, unit: str | None) -> Any:
        """Numbers of a file: a column by its name or number (from 1), or all rows."""
        node.check_names(("file", "column", "unit", "skip"), "a table by its file")
        path = self.folder.file(node.get("file") or node)
        column, written, skip = node.get("column"), node.get("unit"), node.get("skip")
        rows, names = _read_table(path, node, int(skip.text) if skip is not None and _INT.match(skip.text) else 0)
        factor = 1.0
        if written is not None:
            try:
                made = evaluate(f"1 {written.text}", {}, self.units)
                self._check(made, unit)
            except InputError as error:
                raise written.error(str(error)) from None
            assert isinstance(made, Measure)
            factor = made.value
        if column is None:
            return (factor * rows).tolist()
        if column.text in names:
            return (factor * rows[:, names.index(column.text)]).tolist()
        if _INT.match(column.text) and 1 <= int(column.text) <= rows.shape[1]:
            return (factor * rows[:, int(column.text) - 1]).tolist()
        raise column.error(
            str(unknown_name("column", column.text, names or [f"1 to {rows.shape[1]}"], where=path.name))
        )


class _Names:
    """The parameters as the expressions ask for them."""

    def __init__(self, scope: Scope, node: Node) -> None:
        self.scope, self.node = scope, node

    def __call__(self, name: str) -> Measure | None:
        return self.scope._look_up(name, self.node)

    def __iter__(self) -> Any:
        return iter(self.scope.nodes)


def _numbers(made: Measure | Vector) -> Any:
    return [_numbers(entry) for entry in made.entries] if isinstance(made, Vector) else made.value


def _read_table(path: Path, node: Node, skip: int) -> tuple[np.ndarray, list[str]]:
    """Rows of numbers and the names of columns of a text file with commas, semicolons, tabs or spaces."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()[skip:]
    except (UnicodeDecodeError, OSError):
        raise node.error(f"'{path.name}' is no table of text") from None
    lines = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise node.error(f"'{path.name}' holds no numbers")
    mark = next((m for m in (",", ";", "\t") if m in lines[0]), None)
    first = [cell.strip().strip('"') for cell in lines[0].split(mark)]
    names = [] if all(_FLOAT.match(cell) for cell in first) else first
    try:
        rows = np.array([[float(cell) for cell in line.split(mark)] for line in lines[bool(names) :]])
    except ValueError as error:
        raise node.error(f"'{path.name}' holds something that is no number: {error}") from None
    if rows.ndim != 2 or not rows.size:
        raise node.error(f"'{path.name}': its rows must have the same number of columns")
    if not np.isfinite(rows).all():
        bad = int(np.argwhere(~np.isfinite(rows))[0, 0]) + 1
        raise node.error(f"'{path.name}': row {bad} has no finite number; fill the gap, or leave the row out")
    return rows, names
