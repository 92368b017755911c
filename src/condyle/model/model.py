"""The Model: a named collection of parts in 2D or 3D."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from condyle.errors import InputError
from condyle.model.body import Body
from condyle.model.fields import blamed, numbers
from condyle.model.model_files import is_model_file, model_files
from condyle.model.part import Part, did_you_mean, load_part_types, part_types, plain, plain_data
from condyle.model.readers import said_of
from condyle.model.showing import Showable

if TYPE_CHECKING:
    from condyle.model.given import Json

P = TypeVar("P", bound=Part)


class Model(Showable):
    """What is simulated: bodies, joints and forces, by name.

    dimension: 2 or 3. gravity [m/s²], shape (dimension,), acts on all bodies. `model.ground` is always there.
    """

    def __init__(self, name: str = "model", *, dimension: int = 3, gravity: Sequence[float] | None = None) -> None:
        if not isinstance(name, str):
            raise InputError(f"Model: its name must be a text, not {name!r}")
        if type(dimension) is bool or not isinstance(dimension, int | np.integer) or dimension not in (2, 3):
            raise InputError(f"Model '{name}': dimension must be 2 or 3, not {dimension!r}")
        self.name = name
        self.dimension = int(dimension)
        self.gravity = gravity
        self._parts: dict[str, Part] = {}
        ground: Any = part_types()["Ground"]  # registered by condyle.parts
        self.ground: Body = self.add(ground("ground"))

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of all bodies [m/s²], shape (dimension,)."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[float] | None) -> None:
        d = self.dimension
        what, given = f"Model '{self.name}': gravity", np.zeros(d) if value is None else value
        self._gravity: tuple[float, ...] = tuple(numbers(given, what, shape=(d,), unit=" [m/s²]").tolist())

    def add(self, part: P) -> P:
        """Add a part and return it. Its name must be new; what it refers to may be added later."""
        name = getattr(part, "name", None)
        if not isinstance(part, Part) or not isinstance(name, str):
            raise InputError(f"Model '{self.name}': {part!r} is no named part of a model")
        if not name or "." in name or "/" in name:
            raise InputError(f"{part.label}: a name must not be empty nor contain '.' or '/'")
        if name in self._parts:
            raise InputError(f"{part.label}: the name is already taken by {self._parts[name].label}; choose another")
        self._parts[name] = part
        return part

    def remove(self, part: str | Part) -> Part:
        """Take a part out, given by its name or itself, and return it: to release a joint, or to exchange it for another.

        What refers to it must be removed or changed too; the next run names what was forgotten.
        """
        name = part if isinstance(part, str) else getattr(part, "name", None)
        found = self[str(name)]
        if name == "ground" or not (isinstance(part, str) or part is found):
            why = "it is part of every model" if name == "ground" else "another part has its name"
            raise InputError(f"Model '{self.name}': {found.label} cannot be removed; {why}")
        return self._parts.pop(str(name))

    def __getitem__(self, name: str) -> Any:
        try:
            return self._parts[name]
        except KeyError:
            raise InputError(f"Model '{self.name}' has no part '{name}'{did_you_mean(name, self._parts)}") from None

    def get(self, name: str) -> Any:
        """The part of that name, or None."""
        return self._parts.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts.values())

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return f"Model('{self.name}', {self.dimension}D, {len(self) - 1} parts)"

    def __str__(self) -> str:
        from condyle.model.listing import listing

        return listing(self)

    @property
    def bodies(self) -> list[Body]:
        """All bodies, ground first."""
        return [part for part in self if isinstance(part, Body)]

    def body(self, name: str, wanted_by: Part | None = None) -> Body:
        """The body of that name; an error that names `wanted_by` when there is none."""
        part = self._parts.get(name)
        if isinstance(part, Body):
            return part
        who = f"{wanted_by.label}: " if wanted_by is not None else ""
        what = f"'{name}' is a {type(part).__name__}, not a body" if part is not None else f"there is no body '{name}'"
        raise InputError(f"{who}{what}{did_you_mean(name, [b.name for b in self.bodies])}")

    def validate(self) -> None:
        """Check all parts against the whole model; the first mistake is raised as an InputError."""
        for name, part in self._parts.items():
            if part.name != name:  # type: ignore[attr-defined]
                raise InputError(
                    f"{part.label} was added as '{name}'; a part keeps its name, by which others refer to it"
                )
            with blamed(part.label):
                part.check_changes()
                part.validate(self)

    def include(
        self, other: Model, *, prefix: str = "", shared: Sequence[str] = (), mirror: str | None = None
    ) -> dict[str, Part]:
        """Add copies of all parts of another model, with `prefix` before their names and in what they refer to.

        shared: names of parts that this model has as well: they are not copied, and copies refer to those here. The ground is
        always shared. mirror: 'x', 'y' or 'z', the axis that changes its sign: the left leg from the right one; angles of
        joints in space keep their meaning. A part without an image is an InputError. Returns the copies by the names that they
        have in the other model.
        """
        from condyle.model.including import copies

        made = {}
        for name, part in copies(self, other, prefix, shared, mirror):
            made[name] = self.add(part)
        return made

    def to_dict(self) -> dict[str, Json]:
        """The whole model as plain data."""
        return {
            "name": self.name,
            "dimension": self.dimension,
            "gravity": list(self.gravity),
            "parts": [plain(part) for part in self if part is not self.ground],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Json], *, allow_code: bool = False) -> Model:
        """The model described by plain data; allow_code: as for `load`."""
        load_part_types()
        parts = data.get("parts", []) if isinstance(data, Mapping) else None
        if not isinstance(parts, list | tuple):
            raise InputError("a model is described by a dict with a list of 'parts', as Model.to_dict gives it")
        model = cls(data.get("name", "model"), dimension=data.get("dimension", 3), gravity=data.get("gravity"))
        with plain_data(allow_code=allow_code):
            for entry in parts:
                model.add(Part._from_plain(entry))
        return model

    def save(self, path: str | Path) -> None:
        """Write the model, by the ending of the file: ``.yaml`` as a person writes it, anything else as JSON."""
        if is_model_file(path):
            model_files().write(self, path, overwrite=True)
        else:
            Path(path).write_text(json.dumps(self.to_dict(), indent=1), encoding="utf-8")

    @classmethod
    def load(
        cls,
        path: str | Path,
        parameters: Mapping[str, float] | None = None,
        *,
        allow: Sequence[str | Path] = (),
        allow_code: bool = False,
    ) -> Model:
        """Read a model: a file that a person has written (``.yaml``), or what `save` wrote as JSON.

        A model file is data: nothing in it is run. allow_code: import the functions and parts of one's own that it names,
        for files whose writer you trust. parameters: other values than a YAML file gives, in SI units, by the name of a
        parameter or ``part.field``; allow: folders that it may read besides its own.
        """
        if is_model_file(path):
            read: Model = model_files().read(path, parameters, allow=allow, allow_code=allow_code)
            return read
        if parameters:
            raise InputError(f"'{path}': only YAML model files take other values of parameters")
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"cannot read a model from '{path}': {error.strerror or error}") from None
        except (ValueError, RecursionError) as error:
            found = said_of(path, f"it is no JSON ({error})", own=(".json",))
            raise InputError(f"cannot read a model from '{path}': {found}") from None
        if not isinstance(data, dict) or "parts" not in data:
            raise InputError(f"cannot read a model from '{path}': it holds no list of 'parts', as Model.save writes it")
        try:
            return cls.from_dict(data, allow_code=allow_code)
        except InputError as error:
            raise type(error)(f"model file '{path}': {error}") from None
