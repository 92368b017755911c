"""Model files as models: every mistake is found in one go, with its line and column and what to do."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from condyle.errors import InputError, nearest, unknown_name
from condyle.files.code import run_code
from condyle.files.forms import UNITS, form_of, form_parameters, forms, mesh_of
from condyle.files.tree import FileError, Mistake, Node, read_tree
from condyle.files.values import Folder, Scope
from condyle.model.fields import blamed
from condyle.model.given import bare, takes_none
from condyle.model.part import Part, did_you_mean, load_part_types, part_types, plain_data
from condyle.model.quantities import quantities
from condyle.parts import Model

__all__ = ["SECTIONS", "ModelFile", "read_model"]

SECTIONS = (
    "condyle", "name", "title", "summary", "source", "dimension", "gravity", "units", "parameters", "code", "include", "parts",
    "run", "curves", "outputs", "claims", "figures",
)  # fmt: skip
MOST_INCLUDES = 50  # files within files and copies, in all
_NUMERIC = (
    "float",
    "int",
    "Vector",
    "Numbers",
    "Wholes",
    "Cells",
    "dict[str, float]",
    "tuple[float, ...]",
    "float | None",
)


def read_model(
    path: str | Path,
    parameters: Mapping[str, float] | None = None,
    *,
    allow: Sequence[str | Path] = (),
    allow_code: bool = False,
) -> Model:
    """The model of a YAML file.

    parameters: other values than the file gives, in SI units, by the name of a parameter or ``part.field``. allow: folders
    that the file may read besides its own. allow_code: import functions that it names as 'module:name'. FileError (an
    InputError) lists all mistakes.
    """
    return ModelFile.read(path, parameters, allow=allow, allow_code=allow_code).model


class ModelFile:
    """A file that was read: its tree, its parameters, its model."""

    def __init__(self, path: Path, root: Node, folder: Folder, given: Mapping[str, Any], allow_code: bool) -> None:
        self.path, self.root, self.folder, self.allow_code = path, root, folder, allow_code
        self.mistakes: list[Mistake] = []
        self.given = {name: value for name, value in given.items() if "." not in name}
        self.changes = {name: value for name, value in given.items() if "." in name}
        self.places: dict[str, Node] = {}
        self.can_be_whole, self.is_whole = True, False
        self.numbers: dict[str, tuple[Any, str, str]] = {}  # part.field: value, unit and type of the part

    @classmethod
    def read(
        cls, path: str | Path, parameters: Mapping[str, Any] | None = None, *, allow: Sequence[str | Path] = (),
        allow_code: bool = False, text: str | None = None, go_on: bool = False,
    ) -> ModelFile:  # fmt: skip
        """Read a file (or its text, if that is at hand) and make its model; FileError with all mistakes.

        go_on: leave the mistakes in `mistakes`, for somebody who looks for more of them in other sections.
        """
        file = Path(path)
        root = read_tree(_text(file) if text is None else text, str(path))
        folder = Folder(file.parent, [Path(place) for place in allow])
        made = cls(file, root, folder, parameters or {}, allow_code)
        made.build((), [0])
        if made.mistakes and not go_on:
            raise FileError(in_order(made.mistakes))
        return made

    @property
    def digest(self) -> str:
        """Of what stands in the file and in all files that it names: another one if any of them was changed."""
        found = sha256(self.path.read_bytes())
        for path in sorted(self.folder.read):
            found.update(path.read_bytes())
        return found.hexdigest()[:16]

    def build(self, above: tuple[Path, ...], count: list[int]) -> None:
        """Make scope and model; mistakes are collected."""
        load_part_types()
        if not self.root.is_map:
            raise self.root.error("a model file begins with names such as dimension: 2 and parts:")
        for key, node in list(self.root.items()):
            if key not in SECTIONS:
                self.mistakes.append(self.root.keys[key].mistake(str(unknown_name("section", key, SECTIONS))))
                self.can_be_whole = False  # it may be where the parts stand
            elif key in ("units", "parameters", "parts", "run", "curves", "outputs", "claims", "figures") and not (
                node.is_map or node.is_null
            ):
                self.mistakes.append(node.mistake(f"{key} holds names and what they stand for: {key}: {{name: …}}"))
                del self.root.value[key]  # type: ignore[union-attr, arg-type]
        version = self.root.get("condyle")
        if version is not None and version.text != "1":
            self.mistakes.append(version.mistake("this version reads files of format 1; write condyle: 1"))
        self._load_code()
        self.scope = Scope(self.root, self.folder, self.given, self.mistakes)
        for name in self.given:
            if name not in self.scope.nodes:
                raise unknown_name("parameter", name, self.scope.nodes, where=str(self.path))
        self.model = self._empty()
        parts = self.root.get("parts")
        for name, node in parts.items() if parts is not None else ():
            with self._noted(node):
                self.places[name] = node
                self._add(name, node, parts.keys[name])  # type: ignore[union-attr]
        before = len(self.mistakes)
        self._include(above, count)
        all_included = len(self.mistakes) == before
        for name in self.changes:
            if name.partition(".")[0] not in self.places:
                raise unknown_name("part", name.partition(".")[0], self.places, where=f"{self.path}: '{name}'")
        self.is_whole = all_included and self.can_be_whole
        if self.is_whole:
            self._validate()

    def _load_code(self) -> None:
        """Parts, laws and integrators of one's own, by the Python files or modules that define them; only if it is allowed."""
        section = self.root.get("code")
        if section is None or section.is_null:
            return
        for node in section.entries() if section.is_list else [section]:
            with self._noted(node):
                if not self.allow_code:
                    raise node.error(
                        f"'{node.text}' is Python code, which is run only with --allow-code (allow_code=True); allow it "
                        "if you trust who wrote it"
                    )
                run_code(node, self.folder)

    def _empty(self) -> Model:
        dimension, gravity, name = (self.root.get(key) for key in ("dimension", "gravity", "name"))
        given: dict[str, Any] = {"name": self.path.stem if name is None else name.text, "dimension": 3, "gravity": None}
        if dimension is not None:
            given["dimension"] = self.scope.value(dimension)
            if given["dimension"] not in (2, 3):
                self.mistakes.append(dimension.mistake(f"dimension must be 2 or 3, not {dimension.text}"))
                given["dimension"] = 3
                self.can_be_whole = False
        with self._noted(gravity or self.root):
            if gravity is not None and self.can_be_whole:
                given["gravity"] = self.scope.value(gravity, unit="m/s²", numeric=True)
                count = len(given["gravity"]) if isinstance(given["gravity"], list) else 1
                if count != given["dimension"]:
                    self.can_be_whole = dimension is not None  # all that follows is about the plane
                    hint = "; write dimension: 2 for a model in the plane" if count == 2 and dimension is None else ""
                    raise gravity.error(
                        f"gravity has {given['dimension']} components [m/s²] in {given['dimension']}D, such as "
                        f"{[0, -9.81, 0][: given['dimension']]}{hint}"
                    )
            return Model(given["name"], dimension=given["dimension"], gravity=given["gravity"])
        return Model(given["name"], dimension=given["dimension"])

    def _include(self, above: tuple[Path, ...], count: list[int]) -> None:
        section = self.root.get("include")
        if section is None or section.is_null:
            return
        for node in section.entries() if section.is_list else [section]:
            with self._noted(node):
                self._include_one(node, (*above, self.path.resolve()), count)

    def _include_one(self, node: Node, above: tuple[Path, ...], count: list[int]) -> None:
        file = node.get("file")
        if file is None:
            raise node.error(
                "write which file is included, and how its parts are called: {file: leg.yaml, prefix: left_}"
            )
        node.check_names(("file", "prefix", "shared", "mirror", "parameters"), "include")
        path = self.folder.file(file)
        if path in above:
            chain = " → ".join(p.name for p in (*above, path))
            raise file.error(f"files that include each other in a circle: {chain}")
        count[0] += 1
        if count[0] > MOST_INCLUDES:
            raise file.error(f"more than {MOST_INCLUDES} files are included")
        given = {}
        parameters = node.get("parameters")
        for name, entry in parameters.items() if parameters is not None else ():
            made = self.scope.measure(entry, None)
            if not hasattr(made, "value"):
                raise entry.error(f"the parameter '{name}' must be one number")
            given[name] = made.value
        other = ModelFile(path, read_tree(_text(path), str(path)), self.folder, given, self.allow_code)
        other.build(above, count)
        self.mistakes += other.mistakes
        if other.mistakes:
            return
        prefix, shared, mirror = node.get("prefix"), node.get("shared"), node.get("mirror")
        names = [] if shared is None else self.scope.value(shared, text=True)
        names = names if isinstance(names, list) else [names]
        before = "" if prefix is None else prefix.text
        across = None if mirror is None or mirror.is_null else mirror.text
        taken = [] if before else sorted({part.name for part in other.model} & set(self.places) - set(names))
        if taken:
            raise node.error(
                f"'{taken[0]}' is in both files; give the copies a prefix, {{file: {file.text}, prefix: left_}}, or list "
                "what both have in common under shared"
            )
        for name in self.model.include(other.model, prefix=before, shared=names, mirror=across):
            self.places.setdefault(before + name, node)

    def _add(self, name: str, node: Node, key: Node) -> None:
        if not node.is_map:
            raise node.error(f"'{name}' is described by its type and fields: {{type: RigidBody, mass: 3 kg}}")
        if node.has("name"):
            raise node.keys["name"].error(f"the name of this part is '{name}', where it begins; remove this line")
        with plain_data(allow_code=self.allow_code):
            part = self.part(node, name)
        with self._noted(key):
            self.model.add(part)

    def part(self, node: Node, name: str | None = None) -> Part:
        """The part that a node describes, by its fields or by another form."""
        kind = node.get("type")
        if kind is None:
            raise node.error("it has no type; write, for example, type: RigidBody")
        form, cls = form_of(kind.text), part_types().get(kind.text)
        if form is None and (cls is None or not dataclasses.is_dataclass(cls)):
            raise kind.error(f"unknown type {kind.text!r}{_type_meant(kind.text)}")
        base = part_types()[kind.text.partition(".")[0]] if form is not None or cls is None else cls
        own = {f.name: str(f.type) for f in dataclasses.fields(base) if f.init}  # type: ignore[arg-type]
        wanted, more = form_parameters(form) if form is not None else (_required(base), True)
        names = dict.fromkeys([*wanted, *(own if more else ())])
        given: dict[str, Any] = {} if name is None or "name" not in names else {"name": name}
        if name is not None and "name" not in names:
            raise kind.error(f"a {kind.text} is no part of a model by itself; it stands within another one")
        failed = False  # for a reason that is said elsewhere, such as a parameter without a value
        wrong = node.unknown(["type", *(n for n in names if n != "name" or name is None)], kind.text)
        for field, entry in node.items():
            if field != "type" and field in names:
                if entry.is_null and wanted.get(field) and not takes_none(own.get(field, "")):
                    wrong.append(entry.mistake(f"{field} of {kind.text}: nothing stands here; write what it is"))
                    continue
                try:
                    given[field] = self.field(
                        base, field, entry, own.get(field, "Numbers" if field in UNITS else "Any")
                    )
                except FileError as error:
                    failed = True
                    where = f"{field} of {kind.text}" + (f" '{name}'" if name else "")
                    wrong += error.mistakes if entry.is_map else [_about(m, where) for m in error.mistakes]
        if wrong or failed:
            raise FileError(wrong)
        for path, value in self.changes.items():
            part, _, field = path.partition(".")
            if part == name:
                if field not in names:
                    raise node.error(str(unknown_name("field", field, names, where=kind.text)))
                given[field] = value
        if name is not None:
            self._note_numbers(name, kind.text, base, given)
        missing = [field for field, needed in wanted.items() if needed and field not in given]
        if missing:
            raise node.error(f"a {kind.text} needs {', '.join(missing)}")
        make: Any = cls if form is None else form
        label = base.__name__
        with self._blamed(node, name), blamed(f"{label} '{name}'" if name else label):
            return make(**given)

    def _note_numbers(self, name: str, kind: str, base: type[Part], given: Mapping[str, Any]) -> None:
        """The numbers of a part that a sweep or an identification can change."""
        whole = {f.name for f in dataclasses.fields(base) if str(f.type).startswith("int")}  # type: ignore[arg-type]
        for field, value in given.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                about = quantities(base).get(field)
                unit = about.unit if about is not None else UNITS.get(field, "")
                kept = value if field in whole else float(value)
                self.numbers[f"{name}.{field}"] = (kept, "" if unit.startswith("(") else unit, kind)

    def field(self, base: type[Part], name: str, node: Node, annotation: str) -> Any:
        """The value of a field: parts within it are made, numbers are in its unit."""
        about = quantities(base).get(name)
        kind = bare(annotation)
        if name == "mesh" and not hasattr(base, name):
            return mesh_of(node, self.scope)
        unit = about.unit if about is not None else UNITS.get(name)
        numeric = kind in _NUMERIC or (about is not None and not about.words)
        if about is None and not numeric:
            unit = None
        if numeric and about is None and kind not in ("Vector", "Numbers", "tuple[float, ...]"):
            unit = "" if kind in ("int", "Wholes", "Cells") else UNITS.get(name)
        if numeric and node.quoted and node.text.lstrip()[:1] not in ("(", "="):
            instead = f"[{node.text}]" if "," in node.text else node.text
            raise node.error(f"numbers stand without quotes: {name}: {instead}")
        return self.value(node, unit, numeric, kind == "str")

    def value(self, node: Node, unit: str | None, numeric: bool, text: bool) -> Any:
        """Plain values; what has a type becomes a part."""
        if node.is_map and node.get("type") is not None and not node.has("file"):
            return self.part(node)
        if node.is_map and not node.has("file"):
            return {key: self.value(entry, unit, numeric, text) for key, entry in node.items()}
        if node.is_list:
            return [self.value(entry, unit, numeric, text) for entry in node.entries()]
        return self.scope.value(node, unit=unit, numeric=numeric, text=text)

    def _validate(self) -> None:
        """What needs the whole model. Parts that could not be made are not there, and others may name them all the same."""
        not_made, before = {name for name in self.places if name not in self.model}, len(self.mistakes)
        for part in self.model:
            node = self.places.get(part.name, self.root)
            with self._noted(node), self._blamed(node, part.name), blamed(part.label):
                part.check_changes()
                part.validate(self.model)
        found = self.mistakes[before:]
        self.mistakes[before:] = [
            m for m in found if not not_made & {name.partition(".")[0] for name in _quoted(m.problem)}
        ]

    @contextmanager
    def _noted(self, node: Node) -> Any:
        """Mistakes are noted, and reading goes on."""
        try:
            yield
        except FileError as error:
            self.mistakes += error.mistakes
        except InputError as error:
            self.mistakes.append(node.mistake(str(error)))

    @contextmanager
    def _blamed(self, node: Node, name: str | None) -> Any:
        """An error of a part is about the field that it names, or the value that it quotes."""
        try:
            yield
        except FileError:
            raise
        except InputError as error:
            raise blamed_node(node, str(error)).error(str(error)) from None


# What people call a type who do not know its name yet, without capitals.
EVERYDAY = {
    "hinge": ("Pin", "Revolute"), "body": ("RigidBody",), "rigid": ("RigidBody",), "mass": ("PointMass",),
    "particle": ("PointMass",), "ball": ("RigidBody.ball",), "box": ("RigidBody.box",), "sphere": ("RigidBody.ball",),
    "balljoint": ("Spherical",), "motor": ("Drive",), "force": ("Load", "FollowerForce"),
    "sine": ("Harmonic",), "cosine": ("Harmonic",),
}  # fmt: skip


def _type_meant(name: str) -> str:
    """The types that are likely meant by a name that is none."""
    known = [*part_types(), *forms()]
    folded = name.casefold().replace("_", "").replace("-", "").replace(" ", "")
    meant = [one for one in EVERYDAY.get(folded, ()) if one in known] or list(filter(None, [nearest(name, known)]))
    if not meant:
        return "; `condyle schema` and docs/fields.md list all types"
    return f"; did you mean {' or '.join(map(repr, meant))}?"


def _about(mistake: Mistake, where: str) -> Mistake:
    return dataclasses.replace(mistake, problem=f"{where}: {mistake.problem}")


def _required(kind: type[Part]) -> dict[str, bool]:
    """Names of the fields of a part, each with whether it must be given."""
    fields = [field for field in dataclasses.fields(kind) if field.init]  # type: ignore[arg-type]
    return {f.name: f.default is f.default_factory is dataclasses.MISSING for f in fields}


def _quoted(message: str) -> list[str]:
    """Names that a message quotes."""
    return re.findall(r"'([^']+)'", message)


def in_order(mistakes: Iterable[Mistake]) -> list[Mistake]:
    """Each mistake once, in the order of the file."""
    return sorted(set(mistakes), key=lambda m: (m.file, m.line, m.column))


def blamed_node(node: Node, message: str) -> Node:
    """Where in a part the thing stands that a message is about."""
    quoted = _quoted(message)
    words = re.findall(r"[A-Za-z_]\w*", message.partition(": ")[2])
    best = node
    missing = re.search(r"\bno [^':;]*'([^']+)'", message)
    for place, _ in _fields(node):
        if missing and place.text == missing[1]:
            return place
    for place, field in _fields(node):
        if field in words[:6]:
            return place
        if best is node and place.text and place.text.partition(".")[0] in quoted:
            best = place
    return best


def _fields(node: Node, depth: int = 0) -> list[tuple[Node, str]]:
    found = []
    for key, entry in node.items():
        if key != "type":
            found.append((entry, key))
            if depth < 4:
                found += _fields(entry, depth + 1)
    return found


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > 32 * 2**20:
            raise InputError(f"'{path}' is too large for a model file")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        problem = f"the file is no text in UTF-8 (byte {error.object[error.start]:#x}); save it in this encoding"
        raise FileError([Mistake(str(path), line, column, problem)]) from None
    except (OSError, ValueError) as error:
        near = did_you_mean(path.name, _neighbours(path)) if isinstance(error, FileNotFoundError) else ""
        said = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read the model file '{path}': {said}{near}") from None


def _neighbours(path: Path) -> list[str]:
    """Names of model files in the same folder."""
    return sorted(file.name for file in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
