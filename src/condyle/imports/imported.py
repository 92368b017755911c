"""What a reader of a foreign model file returns: the model, and what was left out or changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from condyle.errors import InputError, unknown_name
from condyle.model.model import Model
from condyle.model.motion import MotionTable
from condyle.model.part import name_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from condyle.model.given import Json
    from condyle.model.part import Part
    from condyle.results.result import Result

__all__ = ["Imported", "LeftOut"]


Value = TypeVar("Value", "float", "NDArray[np.float64]")


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
    angles : those coordinates of the file that are angles [rad]; the others are lengths [m]
    conversions : name of a coordinate in the file -> (factor, offset), where value here = factor · value in the file + offset
    """

    model: Model
    source: Path
    format: str
    left_out: list[LeftOut] = field(default_factory=list)
    coordinates: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    angles: frozenset[str] = frozenset()
    conversions: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def leave_out(self, what: str, name: str, why: str) -> None:
        """Note something that the model does not have."""
        self.left_out.append(LeftOut(what, name, why))

    def replace_joint(self, name: str, by: Sequence[Part], *, keep: Sequence[str] = ()) -> None:
        """Let other parts, such as contact between meshes, take the place of a joint.

        name: of the joint in the file or here; by: parts that are added: bodies, ties, contacts. The joint no longer holds
        anything but the components in `keep` (as of `result.multipliers`), but its coordinates stay: they are read, driven
        and limited as before, and paths of muscles that follow them still do.
        """
        own = self.names.get(f"joint {name}", name)
        joint = self.model.get(own)
        known = [part.name for part in self.model if hasattr(part, "components")]
        if own not in known:
            raise unknown_name("joint", name, known, where=f"'{self.source}'")
        unknown = [component for component in keep if component not in joint.components()]
        if unknown:
            raise unknown_name("component", unknown[0], joint.components(), where=joint.label)
        if not by:
            raise InputError(f"{joint.label}: give the parts that take its place, such as a Contact")
        taken = [name_of(part) for part in by if name_of(part) in self.model]
        if taken:
            raise InputError(f"{joint.label}: the model has a part '{taken[0]}' already; give the new one another name")
        for part in by:
            self.model.add(part)
        joint.released = tuple(component for component in joint.components() if component not in keep)

    def drive(self, motion: MotionTable, *, skip: Sequence[str] = ()) -> list[str]:
        """Add a `Drive` for each coordinate of the file that is a column of a motion; returns those names.

        Angles are taken in the unit that the motion says. skip: coordinates that stay free. Drives of locked and of prescribed
        coordinates follow the motion instead.
        """
        from condyle.joints import Drive

        driven = []
        for name, here in self.coordinates.items():
            if name not in motion or name in skip:
                continue
            held = self.model.get(f"{name} locked") or self.model.get(f"{name} motion")
            factor, offset = self.conversions.get(name, (1.0, 0.0))
            function = motion.function(name, angle=name in self.angles, sign=factor, offset=offset)
            if held is not None:
                held.motion = function
            else:
                self.model.add(Drive(f"{name} motion", here, motion=function))
            driven.append(name)
        if not driven:
            raise unknown_name("coordinate", next(iter(motion.names()), ""), self.coordinates, where=motion.source)
        return driven

    def start_as(self, result: Result) -> None:
        """Let all rigid bodies start with the velocities of the first frame of a result, such as `inverse_dynamics`.

        Joints pass on the speed at which a driven model starts. Contact that has taken the place of a joint does not.
        """
        from condyle.bodies import RigidBody

        for body in self.model:
            if isinstance(body, RigidBody):
                body.velocity = tuple(result.velocity(body.name)[0].tolist())
                body.angular_velocity = tuple(result.angular_velocity(body.name)[0].tolist())

    def to_sto(self, result: Result, path: str | Path, *, degrees: bool = False) -> Path:
        """Write the coordinates of a result to a .sto or .mot file, with the names, signs and zeros of the imported file."""
        found: Path = result.to_sto(path, names=self.coordinates, degrees=degrees, conversions=self.conversions)
        return found

    def here(self, coordinate: str, value: Value) -> Value:
        """A value of a coordinate of the file [rad or m] as one of the coordinate of the model."""
        factor, offset = self.conversions.get(coordinate, (1.0, 0.0))
        return factor * value + offset

    def summary(self) -> str:
        """What was read and what was left out, as lines of text."""
        lines = [f"{self.format} file '{self.source}': {self.model}"]
        if self.left_out:
            lines += ["left out or changed:", *(f"  {item}" for item in self.left_out)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Json]:
        """The summary as plain data, for JSON."""
        return {
            "source": str(self.source),
            "format": self.format,
            "model": self.model.name,
            "parts": len(self.model),
            "coordinates": dict(self.coordinates),
            "left_out": [vars(item) for item in self.left_out],
        }
