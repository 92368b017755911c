"""Rigid bodies of FEBio: what holds, drives, loads and joins them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.forces.loads import Load, Torque
from condyle.imports.febio.spec import flag
from condyle.joints.axial import Cylindrical, Planar, Prismatic
from condyle.joints.couplings import Drive
from condyle.joints.custom import CustomJoint
from condyle.joints.fixed import Fixed
from condyle.joints.revolute import Revolute
from condyle.joints.spherical import Spherical
from condyle.model.point import Point

if TYPE_CHECKING:
    from condyle.imports.febio.reading import Member, Reader

__all__ = ["add_rigid"]

# Degrees of freedom of a rigid body, in the order of FEBio, and the coordinates of the joint to the ground.
DOFS = {"Rx": "x", "Ry": "y", "Rz": "z", "Ru": "angle 1", "Rv": "angle 2", "Rw": "angle 3"}
JOINTS: dict[str, tuple[Any, str]] = {
    "rigid spherical joint": (Spherical, ""),
    "rigid lock": (Fixed, ""),
    "rigid revolute joint": (Revolute, "rotation_axis"),
    "rigid cylindrical joint": (Cylindrical, "joint_axis"),
    "rigid prismatic joint": (Prismatic, "translation_axis"),
    "rigid planar joint": (Planar, "rotation_axis"),
}


def add_rigid(reader: Reader) -> None:
    """The section Rigid."""
    held: dict[str, dict[str, Any]] = {}
    for element in reader.section("Rigid"):
        kind, name = element.get("type", ""), element.get("name") or reader.spec.place(element)
        if element.tag in ("rigid_bc", "rigid_constraint"):
            body = reader.rigid_member(reader.spec.text(element, "rb"), element)
            why = _condition(reader, element, kind, held.setdefault(body.name, {}))
        elif element.tag == "rigid_load":
            why = _load(reader, element, kind, name)
        elif element.tag == "rigid_connector":
            why = _connector(reader, element, kind, name)
        else:
            why = f"'{element.tag}' is not read"
        if why:
            reader.leave_out("rigid", name, why)
    members = {member.name: member for member in reader.rigid.values()}
    for body_name, motions in held.items():
        _support(reader, members[body_name], motions)


def _condition(reader: Reader, element: Any, kind: str, motions: dict[str, Any]) -> str:
    """Degrees of freedom that are held (None) or driven (a function of time) into `motions`."""
    from condyle.imports.febio.reading import times

    spec = reader.spec
    if kind in ("rigid_fixed", "fix"):
        listed = spec.text(element, "dofs").replace(" ", "").split(",")
        for dof in DOFS:
            if dof in listed or flag(spec.text(element, f"{dof}_dof", "0")):
                motions.setdefault(dof, None)
        return ""
    dof, child = spec.text(element, "dof"), element.find("value")
    # Version 4 names the directions of a displacement or a rotation x, y, z.
    dof = {"rigid_displacement": dict(x="Rx", y="Ry", z="Rz"), "rigid_rotation": dict(x="Ru", y="Rv", z="Rw")}.get(
        kind, {}
    ).get(dof, dof)
    if kind not in ("rigid_displacement", "rigid_rotation", "prescribe") or dof not in DOFS or child is None:
        return f"'{kind}' is not read"
    (value, *_), curve = spec.scaled(child)
    motions[dof] = times(curve, value * (spec.units.length if dof in ("Rx", "Ry", "Rz") else 1.0))
    return ""


def _support(reader: Reader, body: Member, motions: dict[str, Any]) -> None:
    place = tuple(np.asarray(body.centre).tolist())
    ground, own = Point("ground", place), Point(body.name)
    name = reader.names.take("support", f"{body.name} support")
    if len(motions) == 6 and not any(motion is not None for motion in motions.values()):
        reader.model.add(Fixed(name, ground, own))
        return
    fixed = {DOFS[dof]: 0.0 for dof, motion in motions.items() if motion is None}
    reader.model.add(CustomJoint(name, ground, own, functions=fixed))
    driven = {dof: motion for dof, motion in motions.items() if motion is not None}
    for dof, motion in driven.items():
        reader.model.add(Drive(reader.names.take("drive", f"{body.name} {dof}"), f"{name}.{DOFS[dof]}", motion))
    turning = [dof for dof in ("Ru", "Rv", "Rw") if dof not in fixed and motions.get(dof) is not None]
    if len(turning) > 1:
        reader.leave_out(
            "rotation", body.name, "its components are Cardan angles about x, y and z, one after the other"
        )


def _load(reader: Reader, element: Any, kind: str, name: str) -> str:
    spec, dof, child = reader.spec, reader.spec.text(element, "dof"), element.find("value")
    if kind not in ("rigid_force", "rigid_moment") or child is None:
        return f"'{kind}' is not read"
    body = reader.rigid_member(spec.text(element, "rb"), element)
    (value, *_), curve = spec.scaled(child)
    axis = "xyz".find(dof.lower()[-1]) if dof else -1
    moment = kind == "rigid_moment" or dof in ("Ru", "Rv", "Rw")
    if dof in ("Ru", "Rv", "Rw"):
        axis = "uvw".index(dof[-1])
    if axis < 0:
        return f"its direction '{dof}' is not known"
    vector = np.eye(3)[axis] * value * spec.units.force
    if moment:
        couple = (vector * spec.units.length).tolist()
        reader.model.add(Torque(reader.names.take("load", name), body.name, couple, scale=curve))
    else:
        reader.model.add(Load(reader.names.take("load", name), Point(body.name), vector.tolist(), curve))
    return ""


def _connector(reader: Reader, element: Any, kind: str, name: str) -> str:
    spec = reader.spec
    if kind not in JOINTS:
        return f"'{kind}' is not read"
    a, b = (reader.rigid_member(spec.text(element, tag), element).name for tag in ("body_a", "body_b"))
    origin = element.find("joint_origin")
    at = [0.0] * 3 if origin is None else (np.array(spec.values(origin, 3)) * spec.units.length).tolist()
    joint, axis = JOINTS[kind]
    options = {}
    if axis:
        child = element.find(axis) if element.find(axis) is not None else element.find("joint_axis")
        options["axis"] = [0.0, 0.0, 1.0] if child is None else spec.values(child, 3)
    reader.model.add(joint(reader.names.take("joint", name), a, b, at=at, **options))
    prescribed = [t for t in ("prescribed_rotation", "prescribed_translation") if flag(spec.text(element, t, "0"))]
    return f"its {prescribed[0].replace('_', ' ')} is not read; add a Drive" if prescribed else ""
