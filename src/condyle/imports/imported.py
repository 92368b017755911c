"""What a reader of a foreign model file returns: the model, and what was left out or changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from condyle.model.model import Model

__all__ = ["Imported", "LeftOut"]


@dataclass(frozen=True)
class LeftOut:
    """Something of a file that the model does not have, or has in another form.

    what : kind of thing in the words of the file, such as "Coordinate limit force"
    name : its name in the file
    why : why it is missing, or what stands in its place
    """

    what: str
    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.what} '{self.name}': {self.why}"


@dataclass
class Imported:
    """A model that was read from a file of another program.

    model : the model
    source : the file
    format : name of its format, such as "OpenSim 4"
    left_out : what could not be taken, or was taken in another form
    coordinates : name of a coordinate in the file -> its name here, such as {"hip_flexion_r": "hip_r.flexion"}
    names : name of a part in the file -> its name here, where they differ
    conversions : name of a coordinate in the file -> (factor, offset), where value here = factor · value in the file + offset
    """

    model: Model
    source: Path
    format: str
    left_out: list[LeftOut] = field(default_factory=list)
    coordinates: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    conversions: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def leave_out(self, what: str, name: str, why: str) -> None:
        """Note something that the model does not have."""
        self.left_out.append(LeftOut(what, name, why))

    def here(self, coordinate: str, value: Any) -> Any:
        """A value of a coordinate of the file [rad or m] as one of the coordinate of the model."""
        factor, offset = self.conversions.get(coordinate, (1.0, 0.0))
        return factor * value + offset

    def summary(self) -> str:
        """What was read and what was left out, as lines of text."""
        lines = [f"{self.format} file '{self.source}': {self.model}"]
        if self.left_out:
            lines += ["left out or changed:", *(f"  {item}" for item in self.left_out)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data, for JSON."""
        return {
            "source": str(self.source),
            "format": self.format,
            "model": self.model.name,
            "parts": len(self.model),
            "coordinates": dict(self.coordinates),
            "left_out": [vars(item) for item in self.left_out],
        }
