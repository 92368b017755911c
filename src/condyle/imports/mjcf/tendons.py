"""Tendons of MJCF: sums of joint values, and paths over sites and wrapping geoms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.enforcement import Penalty
from condyle.errors import unknown_name
from condyle.forces.springs import Damper, Spring
from condyle.imports.mjcf.document import Record
from condyle.joints.couplings import Coupling
from condyle.muscles.ligament import Ligament
from condyle.muscles.surfaces import CylinderWrap, SphereWrap

if TYPE_CHECKING:
    from condyle.imports.mjcf.reading import Reader
    from condyle.imports.xml import Element

__all__ = ["Tendons", "add_tendons"]

TOE = 1e-3  # strain over which the tension of a cord comes in


@dataclass
class Tendons:
    """By name: factors of joints, or entries of a path; and those that cannot be taken, with the reason."""

    fixed: dict[str, dict[str, float]] = field(default_factory=dict)
    paths: dict[str, list[Any]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def add_tendons(reader: Reader) -> None:
    """All tendons, with their springs and dampers; what pulls on them comes with the actuators."""
    for element in reader.document.listed("tendon"):
        record = reader.document.record(element, kind="tendon")
        name = record.name or f"tendon of line {element.line}"
        if element.tag == "fixed":
            _add_fixed(reader, element, record, name)
        elif element.tag == "spatial":
            _add_path(reader, element, record, name)
        if record.number("frictionloss", 0.0):
            reader.leave_out("frictionloss of tendon", name, "dry friction in tendons is not carried")
        if record.number("armature", 0.0):
            reader.leave_out("armature of tendon", name, "is not carried")
        if "range" in record and record.switch("limited", reader.document.compiler.switch("autolimits", True)):
            reader.leave_out("range of tendon", name, "limits of the length of tendons are not carried")


def _add_fixed(reader: Reader, element: Element, record: Record, name: str) -> None:
    factors: dict[str, float] = {}
    for child in element:
        joint = child.get("joint", "")
        if joint not in reader.coordinates:
            reader.tendons.refused[name] = f"'{joint}' is no hinge or slide"
            reader.leave_out("tendon", name, reader.tendons.refused[name])
            return
        factors[joint] = factors.get(joint, 0.0) + float(child.get("coef", 1.0))
    reader.tendons.fixed[name] = factors
    stiffness = record.number("stiffness", 0.0)
    if stiffness > 0.0:
        q = reader.coordinates
        rest = record.array("springlength", None, (-1.0,))
        zero = sum(c * q[joint].zero for joint, c in factors.items())
        at_rest = sum(c * reader.tree.joints[j][1].ref for j, c in factors.items()) if rest[0] < 0.0 else float(rest[0])
        if len(rest) > 1 and rest[1] != rest[0]:
            reader.leave_out(
                "springlength of tendon", name, "its dead band is not carried; the spring acts about its lower end"
            )
        reader.model.add(
            Coupling(
                reader.names.take("spring", f"{name} spring"),
                {q[joint].name: c * q[joint].sign for joint, c in factors.items()},
                constant=at_rest - zero,
                enforcement=Penalty(stiffness),
            )
        )
    if record.number("damping", 0.0):
        reader.leave_out("damping of tendon", name, "is not carried for a sum of joint values")


def _add_path(reader: Reader, element: Element, record: Record, name: str) -> None:
    entries: list[Any] = []
    for child in element:
        if child.tag == "site":
            link, frame = reader.site(child.get("site", ""), record)
            entries.append(reader.point(link, frame.place))
        elif child.tag == "geom":
            entries.append(_wrap(reader, record, child))  # type: ignore[arg-type]
        else:
            reader.tendons.refused[name] = "pulleys are not carried"
        if entries and isinstance(entries[-1], str):
            reader.tendons.refused[name] = entries[-1]
        if name in reader.tendons.refused:
            reader.leave_out("tendon", name, reader.tendons.refused[name])
            return
    reader.tendons.paths[name] = entries
    _add_spring(reader, record, name, entries)


def _wrap(reader: Reader, record: Record, element: Element) -> Any:
    """The sphere or cylinder of a geom; a text that says why there is none."""
    found = element.get("geom", "")
    if found not in reader.tree.geoms:
        raise unknown_name("geom", found, reader.tree.geoms, where=record.where)
    link, geom = reader.tree.geoms[found]
    centre = reader.point(link, geom.frame.place)
    at = link.world @ geom.frame
    side = None
    if element.get("sidesite"):
        carrier, frame = reader.site(element.get("sidesite", ""), record)
        towards = carrier.world.at(frame.place) - at.place
        flat = towards if geom.kind == "sphere" else towards - (towards @ at.turn[:, 2]) * at.turn[:, 2]
        if float(np.linalg.norm(flat)) < geom.size[0]:
            return f"its path goes through the inside of '{found}', which is not carried"
        side = towards.tolist()
    if geom.kind == "sphere":
        return SphereWrap(centre, geom.size[0], side=side)
    if geom.kind == "cylinder":
        return CylinderWrap(centre, geom.size[0], axis=at.turn[:, 2].tolist(), side=side)
    return f"it wraps over the {geom.kind} '{found}'; paths wrap over spheres and cylinders"


def _add_spring(reader: Reader, record: Record, name: str, entries: list[Any]) -> None:
    stiffness, damping = record.number("stiffness", 0.0), record.number("damping", 0.0)
    if not stiffness and not damping:
        return
    rest = record.array("springlength", None, (-1.0,))
    cord = len(rest) > 1 and rest[0] == 0.0
    length = float(rest[-1]) if rest[-1] >= 0.0 else None
    if len(entries) == 2:
        a, b = entries
        if stiffness:
            spring = reader.names.take("spring", name)
            reader.model.add(Spring(spring, a, b, stiffness, rest_length=length, tension_only=cord))
        if damping:
            reader.model.add(Damper(reader.names.take("damper", f"{name} damper"), a, b, damping))
        if reader.tree.qpos is not None and length is None:
            reader.leave_out("springlength of tendon", name, "is that of the start, not of the reference")
        return
    if not stiffness:
        reader.leave_out("damping of tendon", name, "is not carried for a path over several points without stiffness")
        return
    if length is None:
        reader.leave_out(
            "tendon", name, "give springlength [m]; of a path over several points it is not known before the start"
        )
        return
    reader.model.add(
        Ligament(
            reader.names.take("tendon", name),
            entries,
            stiffness * length,
            slack_length=length,
            toe=TOE,
            damping=damping,
        )
    )
    if not cord:
        reader.leave_out("tendon", name, "it pulls and does not push; its tension comes in over a strain of 0.001")
