"""What an OpenSim file says, whatever its version: properties with their defaults, frames, sets of objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.imports.xml import Element, numbers, parse, place
from condyle.model.rotations import rotation

__all__ = ["IDENTITY", "OpenSimFile", "Transform", "body_fixed_xyz"]

Array = NDArray[np.float64]


class Transform(NamedTuple):
    """Where a frame stands in another: rotation (3, 3) and place of its origin (3,) [m]."""

    turn: Array
    place: Array

    def then(self, inner: Transform) -> Transform:
        """A frame that stands so in this one."""
        return Transform(self.turn @ inner.turn, self.place + self.turn @ inner.place)

    def inverse(self) -> Transform:
        """The outer frame, seen from the inner."""
        return Transform(self.turn.T, -self.turn.T @ self.place)


IDENTITY = Transform(np.eye(3), np.zeros(3))


def body_fixed_xyz(angles: list[float]) -> Array:
    """Rotations about x, y and z, each about the axes that the ones before have turned [rad]."""
    return rotation(euler="xyz", angles=angles)


@dataclass
class OpenSimFile:
    """A parsed file; `model` is its Model element, `version` the number of its document, such as 20303 or 40000."""

    path: Path
    version: int
    model: Element
    defaults: dict[str, Element] = field(default_factory=dict)
    frames: dict[str, tuple[str, Transform]] = field(
        default_factory=dict
    )  # offset frames of bodies: name -> body, place

    @classmethod
    def open(cls, path: Path) -> OpenSimFile:
        """Read a file; a clear error if it is no OpenSim model or too old."""
        root = parse(path)
        model = root.find("Model") if root.tag == "OpenSimDocument" else root if root.tag == "Model" else None
        if root.tag not in ("OpenSimDocument", "Model") or not isinstance(model, Element):
            raise InputError(f"'{path}' is no OpenSim model: it has <{root.tag}>, not <OpenSimDocument> with a <Model>")
        said = root.get("Version", "0")
        version = int(said) if said.isdigit() else 0
        if version < 10900:
            raise InputError(
                f"'{path}' has version {said} of OpenSim's files, which is not read; open it with OpenSim 2 or later and "
                "save it"
            )
        file = cls(path, version, model)
        given = model.find("defaults")
        for element in given if given is not None else ():
            file.defaults[element.tag] = element  # type: ignore[assignment]
        return file

    # --- properties ---------------------------------------------------------------------------------------------------

    def child(self, element: Element, name: str) -> Element | None:
        """The property of that name: the element's own, or that of the file's defaults for its type."""
        found = element.find(name)
        if found is None and element.tag in self.defaults:
            found = self.defaults[element.tag].find(name)
        return found  # type: ignore[return-value]

    def text(self, element: Element, name: str, default: str = "") -> str:
        """A property as text."""
        found = self.child(element, name)
        return default if found is None or found.text is None else found.text.strip()

    def number(self, element: Element, name: str, default: float) -> float:
        """A property as one number."""
        said = self.text(element, name)
        return numbers(said, 1, f"{self.where(element)}, {name}")[0] if said else default

    def vector(self, element: Element, name: str, default: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Array:
        """A property as numbers, as many as the default has."""
        said = self.text(element, name)
        return np.array(numbers(said, len(default), f"{self.where(element)}, {name}") if said else default)

    def flag(self, element: Element, name: str, default: bool = False) -> bool:
        """A property that is true or false."""
        said = self.text(element, name).lower()
        return said == "true" if said else default

    def where(self, element: Element) -> str:
        """Where an element stands, for errors."""
        return place(self.path, element)

    def objects(self, name: str, within: Element | None = None) -> Iterator[Element]:
        """Objects of a set, such as JointSet."""
        found = (self.model if within is None else within).find(name)
        listed = found.find("objects") if found is not None else None
        yield from listed if listed is not None else ()  # type: ignore[misc]

    # --- frames -------------------------------------------------------------------------------------------------------

    def socket(self, element: Element, name: str) -> str:
        """What a socket is connected to: a path such as /bodyset/femur_r, or a name."""
        for tag in (f"socket_{name}", f"socket_{name}_connectee_name"):
            said = self.text(element, tag)
            if said:
                return said
        connectors = element.find("connectors")
        for connector in connectors if connectors is not None else ():
            if connector.get("name") == name:
                return self.text(connector, "connectee_name")  # type: ignore[arg-type]
        return ""

    def add_frames(self, within: Element, owner: str) -> None:
        """Note the offset frames that a body or a joint has; those of a joint are found by its own name first."""
        for tag in ("frames", "components"):
            listed = within.find(tag)
            for frame in listed if listed is not None else ():
                if frame.tag == "PhysicalOffsetFrame":
                    self._add_frame(frame, owner)  # type: ignore[arg-type]

    def _add_frame(self, frame: Element, owner: str) -> None:
        stands_in = self.socket(frame, "parent")
        stands = Transform(
            body_fixed_xyz(self.vector(frame, "orientation").tolist()), self.vector(frame, "translation")
        )
        body, outer = self.frame(stands_in if stands_in not in ("", "..") else owner, owner)
        name = str(frame.get("name"))
        self.frames[f"{owner}/{name}"] = (body, outer.then(stands))
        self.frames.setdefault(name, (body, outer.then(stands)))

    def frame(self, said: str, owner: str = "") -> tuple[str, Transform]:
        """The body that a frame belongs to, and where it stands in it; said: a path or a name."""
        last = said.rstrip("/").rpartition("/")[2]
        before = said.rstrip("/").rpartition("/")[0].rpartition("/")[2]
        for key in (f"{owner}/{last}" if "/" not in said.lstrip("./") else "", f"{before}/{last}", last):
            if key in self.frames:
                return self.frames[key]
        return last, IDENTITY

    def frame_of(self, element: Element, where: str = "location") -> tuple[str, Array]:
        """Body and place in it [m] of a point: a path point, a marker. The frame may be one that stands in the body."""
        said = self.socket(element, "parent_frame") or self.text(element, "body")
        body, stands = self.frame(said)
        return body, stands.place + stands.turn @ self.vector(element, where)
