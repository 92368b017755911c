"""Joints of MJCF bodies as joints of Condyle, and what acts on them: limits, springs, dampers, rotors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.inertia import inertia_from_second_moment
from condyle.bodies.rigid import RigidBody
from condyle.forces.springs import Bushing
from condyle.imports.mjcf.chains import FREE, JointOf, axes_of
from condyle.imports.mjcf.tree import Link
from condyle.joints.axial import Prismatic, Universal
from condyle.joints.couplings import CoordinateDamper, CoordinateSpring, Coupling, Limit
from condyle.joints.custom import CustomJoint
from condyle.joints.revolute import Revolute
from condyle.joints.spherical import Spherical
from condyle.model.point import Point

if TYPE_CHECKING:
    from condyle.imports.mjcf.reading import Reader

__all__ = ["Coordinate", "add_joint", "add_joint_forces"]

ANGLES = ("angle 1", "angle 2", "angle 3")


@dataclass(frozen=True)
class Coordinate:
    """A joint value of the file as a coordinate of the model: here = sign · (value − zero)."""

    name: str
    sign: float = 1.0
    zero: float = 0.0

    def here(self, value: float) -> float:
        """A value of the file as one of the model."""
        return self.sign * (value - self.zero)


def add_joint(reader: Reader, link: Link) -> None:
    """The joint that carries a link, with its coordinates by the names of the file."""
    joints = link.joints
    if joints[0].kind == FREE:
        return
    assert link.parent is not None
    parent, local = link.parent, link.parent.world.inverse()
    anchor = joints[-1].anchor  # all hinges have the same one, and slides do not mind
    a = Point(parent.name, tuple(local.at(link.zero.at(anchor)).tolist()))
    b = Point(link.name, tuple(anchor.tolist()))
    kinds = [joint.kind for joint in joints]
    single = len(joints) == 1
    name = reader.names.take("joint", joints[0].name if single else f"{link.name} joint")
    if kinds == ["hinge"]:
        part: Any = Revolute(name, a, b, axis=link.zero.along(joints[0].axis).tolist())
        reader.coordinate(joints[0], Coordinate(f"{name}.angle", 1.0, joints[0].ref + joints[0].moved))
    elif kinds == ["slide"]:
        part = Prismatic(name, a, b, axis=link.zero.along(joints[0].axis).tolist())
        reader.coordinate(joints[0], Coordinate(f"{name}.position", 1.0, joints[0].ref))
    elif kinds == ["hinge", "hinge"]:
        first, second = link.zero.along(joints[0].axis), link.world.along(joints[1].axis)
        part = Universal(name, a, b, axis=first.tolist(), second_axis=second.tolist())
        for joint, angle in zip(joints, ANGLES, strict=False):
            reader.coordinate(joint, Coordinate(f"{name}.{angle}", 1.0, joint.ref + joint.moved))
    else:
        part = _cardan(reader, name, a, b, link)
    reader.model.add(part)


def _cardan(reader: Reader, name: str, a: Point, b: Point, link: Link) -> Any:
    """Slides and three angles: a ball, hinges about three axes, or slides with hinges."""
    joints = link.joints
    triad = axes_of(joints)
    assert triad is not None  # joints are grouped by this
    axes = {"axes": (link.zero.turn @ triad.T).tolist(), "axes_b": (link.world.turn @ triad.T).tolist()}
    hinges, slides = ([joint for joint in joints if joint.kind == kind] for kind in ("hinge", "slide"))
    for k, joint in enumerate(hinges):
        reader.coordinate(joint, Coordinate(f"{name}.{ANGLES[k]}", float(np.sign(joint.axis @ triad[k])), joint.ref))
    if not slides:
        return Spherical(name, a, b, **axes)
    free = set(ANGLES[: len(hinges)]) if joints[-1].kind != "ball" else set(ANGLES)
    for joint in slides:
        k = int(np.argmax(np.abs(triad @ joint.axis)))
        free.add("xyz"[k])
        reader.coordinate(joint, Coordinate(f"{name}.{'xyz'[k]}", float(np.sign(triad[k] @ joint.axis)), joint.ref))
    held = {coordinate: 0.0 for coordinate in (*"xyz", *ANGLES) if coordinate not in free}
    return CustomJoint(name, a, b, functions=held, **axes)


# --- what acts on joint values ------------------------------------------------------------------------------------------


def add_joint_forces(reader: Reader, link: Link, joint: JointOf) -> None:
    """Limits, springs, dampers and rotors of one joint."""
    record = joint.record
    if record.number("frictionloss", 0.0):
        reader.leave_out("frictionloss of joint", joint.name, "dry friction in joints is not carried")
    if "springdamper" in record:
        reader.leave_out("springdamper of joint", joint.name, "is not read; give stiffness and damping")
    stiffness, damping = record.number("stiffness", 0.0), record.number("damping", 0.0)
    armature = record.number("armature", 0.0)
    if joint.kind in (FREE, "ball"):
        _turning_forces(reader, link, joint, stiffness, damping, armature)
        return
    q = reader.coordinates[joint.name]
    rest = record.number("springref", 0.0)
    rest = float(record.angle(rest)) if joint.kind == "hinge" else rest
    if stiffness > 0.0:
        name = reader.names.take("spring", f"{joint.name} spring")
        reader.model.add(CoordinateSpring(name, q.name, stiffness, rest=q.here(rest)))
    if damping > 0.0:
        reader.model.add(CoordinateDamper(reader.names.take("damper", f"{joint.name} damper"), q.name, damping))
    if armature > 0.0:
        _add_rotor(reader, joint, q, armature)
    given = record.array("range", 2)
    if given is not None and reader.limits and record.switch("limited", _autolimits(record)):
        low, high = (q.here(float(record.angle(v)) if joint.kind == "hinge" else float(v)) for v in given)
        stiff, damp = _limit_law(record, _inertia_at(link, joint))
        name = reader.names.take("limit", f"{joint.name} limit")
        reader.model.add(Limit(name, q.name, min(low, high), max(low, high), stiff, damp))


def _turning_forces(
    reader: Reader, link: Link, joint: JointOf, stiffness: float, damping: float, armature: float
) -> None:
    """Of a ball joint; those of a free joint act against the world."""
    if armature > 0.0:
        reader.leave_out("armature of joint", joint.name, f"is not carried for a {joint.kind} joint")
    if joint.kind == "ball" and joint.record.switch("limited", "range" in joint.record and _autolimits(joint.record)):
        reader.leave_out("limit of joint", joint.name, "the cone of a ball joint is not carried")
    if not stiffness and not damping:
        return
    if joint.kind == FREE:
        reader.leave_out("stiffness or damping of joint", joint.name, "is not carried for a free joint")
        return
    assert link.parent is not None
    at = link.world.at(joint.anchor).tolist()
    name = reader.names.take("spring", f"{joint.name} spring")
    reader.model.add(
        Bushing(name, link.parent.name, link.name, at=at, turning_stiffness=stiffness, turning_damping=damping)
    )
    reader.leave_out(
        "stiffness or damping of joint", joint.name, "is carried by a bushing, the same for small angles only"
    )


def _add_rotor(reader: Reader, joint: JointOf, q: Coordinate, armature: float) -> None:
    """A wheel on the ground that turns with the joint: its kinetic energy is ½ armature q̇², and its weight does nothing."""
    if not reader.rotors:
        reader.leave_out("armature of joint", joint.name, "was left out, as asked for")
        return
    wheel = reader.names.take("rotor", f"{joint.name} rotor")
    shaft = reader.names.take("shaft", f"{joint.name} shaft")
    rate = q.sign * joint.rate
    spin = [0.0, 0.0, rate] if rate else None
    reader.model.add(RigidBody(wheel, armature, inertia=[armature] * 3, angular_velocity=spin))
    reader.model.add(Revolute(shaft, Point("ground", (0.0, 0.0, 0.0)), Point(wheel), axis=(0.0, 0.0, 1.0)))
    reader.model.add(Coupling(reader.names.take("gear", f"{joint.name} gear"), {f"{shaft}.angle": 1.0, q.name: -1.0}))


def _autolimits(record: Any) -> bool:
    return bool(record.document.compiler.switch("autolimits", True))


def _inertia_at(link: Link, joint: JointOf) -> float:
    """What the joint moves if all joints beyond it are stiff: a mass, or an inertia about its axis."""
    whole = link.whole()
    if joint.kind == "slide":
        return whole.mass
    axis, arm = link.world.along(joint.axis), whole.centre - link.world.at(joint.anchor)
    J = inertia_from_second_moment(whole.second_moment)
    off = np.cross(axis, arm)
    return float(axis @ J @ axis + whole.mass * (off @ off))


def _limit_law(record: Any, inertia: float) -> tuple[float, float]:
    """Stiffness and damping of a stop whose motion has MuJoCo's time constant and damping ratio (solreflimit)."""
    time, ratio = record.array("solreflimit", None, (0.02, 1.0))[:2]
    if time < 0.0:
        return float(-time), float(-ratio)
    share = record.array("solimplimit", None, (0.9, 0.95))
    width = float(share[1]) if len(share) > 1 else 0.95
    return inertia / (width * time * ratio) ** 2, 2.0 * inertia / (width * time)
