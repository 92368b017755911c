"""Joints and coordinates of OpenSim files: what they are, how bodies stand at given coordinates, and as parts of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError, unknown_name
from condyle.imports.opensim_file import IDENTITY, OpenSimFile, Transform, body_fixed_xyz
from condyle.imports.opensim_functions import Function, read_function
from condyle.imports.xml import Element
from condyle.model.rotations import rotation

__all__ = ["OsimCoordinate", "OsimJoint", "OsimMotion", "Skeleton", "read_skeleton"]

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)
# Rotations and translations of the simple joints, in the order in which they act and in which their coordinates stand.
SIMPLE: dict[str, tuple[tuple[str, Array], ...]] = {
    "WeldJoint": (),
    "PinJoint": (("rotation", Z),),
    "SliderJoint": (("translation", X),),
    "UniversalJoint": (("rotation", X), ("rotation", Y)),
    "BallJoint": (("rotation", X), ("rotation", Y), ("rotation", Z)),
    "GimbalJoint": (("rotation", X), ("rotation", Y), ("rotation", Z)),
    "EllipsoidJoint": (("rotation", X), ("rotation", Y), ("rotation", Z)),
    "PlanarJoint": (("rotation", Z), ("translation", X), ("translation", Y)),
    "FreeJoint": (
        ("rotation", X), ("rotation", Y), ("rotation", Z), ("translation", X), ("translation", Y), ("translation", Z),
    ),
}  # fmt: skip


@dataclass
class OsimCoordinate:
    """A coordinate as the file has it [rad or m]; coupled: what it is a function of, and how."""

    name: str
    joint: str
    element: Element
    default: float = 0.0
    speed: float = 0.0
    range: tuple[float, float] = (-np.inf, np.inf)
    clamped: bool = False
    locked: bool = False
    prescribed: bool = False
    turning: bool = True
    coupled: tuple[list[str], Function] | None = None


@dataclass
class OsimMotion:
    """A rotation about or translation along an axis (of unit length), by a function of coordinates."""

    kind: str
    axis: Array
    function: Function
    coordinates: list[str]


@dataclass
class OsimJoint:
    """A joint: parent and child bodies, where its frames stand in them, and its motions in the order in which they act."""

    name: str
    kind: str
    parent: str
    child: str
    in_parent: Transform
    in_child: Transform
    motions: list[OsimMotion]
    coordinates: list[str]
    element: Element
    radii: Array | None = None

    def transform(self, values: Mapping[str, float]) -> Transform:
        """The child's joint frame, seen from the parent's."""
        turn, shift = np.eye(3), np.zeros(3)
        for motion in self.motions:
            amount = motion.function(*(values[name] for name in motion.coordinates))
            if motion.kind == "rotation":
                turn = turn @ rotation(axis=motion.axis.tolist(), angle=amount)
            else:
                shift = shift + amount * motion.axis
        if self.radii is not None:
            shift = shift + self.radii * turn[:, 2]
        return Transform(turn, shift)


@dataclass
class Skeleton:
    """Bodies by name (without the ground), joints in the order of a tree, coordinates."""

    bodies: dict[str, Element]
    joints: list[OsimJoint]
    coordinates: dict[str, OsimCoordinate] = field(default_factory=dict)

    def values(self, given: Mapping[str, float] | None = None) -> dict[str, float]:
        """All coordinates: those given, others at their defaults, coupled ones by their functions."""
        wanted = {name: q.default for name, q in self.coordinates.items()} | dict(given or {})
        for name in given or ():
            if name not in self.coordinates:
                raise unknown_name("coordinate", name, self.coordinates, where="pose")
        for _ in range(4):  # a coupled coordinate may depend on a coupled one
            for name, q in self.coordinates.items():
                if q.coupled is not None:
                    names, function = q.coupled
                    wanted[name] = function(*(wanted[other] for other in names))
        return wanted

    def poses(self, values: Mapping[str, float]) -> dict[str, Transform]:
        """Where each body stands in the ground."""
        found = {"ground": IDENTITY}
        for joint in self.joints:
            frame = found[joint.parent].then(joint.in_parent).then(joint.transform(values))
            found[joint.child] = frame.then(joint.in_child.inverse())
        return found


def read_skeleton(file: OpenSimFile) -> Skeleton:
    """Bodies, joints and coordinates, of files of all versions."""
    bodies = {str(e.get("name")): e for e in file.objects("BodySet") if e.get("name") != "ground"}
    for name, body in bodies.items():
        file.add_frames(body, name)
    ground = file.model.find("Ground")
    if isinstance(ground, Element):
        file.add_frames(ground, "ground")
    listed = file.model.find("components")
    if listed is not None:
        file.add_frames(file.model, "")
    joints = [_joint_of_body(file, name, body) for name, body in bodies.items() if body.find("Joint") is not None]
    found = [*(j for j in joints if j is not None), *(_joint(file, e) for e in file.objects("JointSet"))]
    skeleton = Skeleton(bodies, _in_order(file, bodies, found))
    for joint in skeleton.joints:
        for element in _coordinate_elements(joint.element):
            q = _coordinate(file, element, joint)
            skeleton.coordinates[q.name] = q
    for constraint in file.objects("ConstraintSet"):
        if constraint.tag == "CoordinateCouplerConstraint" and enforced(file, constraint):
            _couple(file, skeleton, constraint)
    return skeleton


def enforced(file: OpenSimFile, constraint: Element) -> bool:
    """Does a constraint act?"""
    if file.child(constraint, "isEnforced") is not None:
        return file.flag(constraint, "isEnforced", True)
    return not file.flag(constraint, "isDisabled", False)


def _couple(file: OpenSimFile, skeleton: Skeleton, constraint: Element) -> None:
    name = file.text(constraint, "dependent_coordinate_name")
    others = file.text(constraint, "independent_coordinate_names").split()
    function = read_function(file, constraint.find("coupled_coordinates_function"))  # type: ignore[arg-type]
    for other in (name, *others):
        if other not in skeleton.coordinates:
            raise InputError(f"{file.where(constraint)}: there is no coordinate '{other}'")
    if function is None or not others:
        raise InputError(f"{file.where(constraint)}: it has no function of other coordinates")
    skeleton.coordinates[name].coupled = (others, function.times(file.number(constraint, "scale_factor", 1.0)))


def _joint_of_body(file: OpenSimFile, name: str, body: Element) -> OsimJoint | None:
    """The joint that stands inside a body, in files before version 4."""
    holder = body.find("Joint")
    for element in holder if holder is not None else ():
        if not isinstance(element, Element):
            continue
        if file.flag(element, "reverse"):
            raise InputError(
                f"{file.where(element)}: reversed joints are not read; open the file with OpenSim 4 and save it"
            )
        parent = file.text(element, "parent_body") or file.text(element, "parent_name")
        in_parent = Transform(
            body_fixed_xyz(file.vector(element, "orientation_in_parent").tolist()),
            file.vector(element, "location_in_parent"),
        )
        in_child = Transform(
            body_fixed_xyz(file.vector(element, "orientation").tolist()), file.vector(element, "location")
        )
        return _make(file, element, parent, name, in_parent, in_child)
    return None


def _joint(file: OpenSimFile, element: Element) -> OsimJoint:
    """A joint of a JointSet, whose frames are named by sockets."""
    owner = str(element.get("name"))
    file.add_frames(element, owner)
    parent, in_parent = file.frame(file.socket(element, "parent_frame"), owner)
    child, in_child = file.frame(file.socket(element, "child_frame"), owner)
    return _make(file, element, parent, child, in_parent, in_child)


def _make(
    file: OpenSimFile, element: Element, parent: str, child: str, in_parent: Transform, in_child: Transform
) -> OsimJoint:
    names = [str(e.get("name")) for e in _coordinate_elements(element)]
    radii = None
    if element.tag == "CustomJoint":
        motions = _spatial_transform(file, element, names)
    elif element.tag in SIMPLE:
        given = SIMPLE[element.tag]
        if len(names) < len(given):
            names += [f"{element.get('name')}_coord_{k}" for k in range(len(names), len(given))]
        by = Function((1.0,))
        motions = [OsimMotion(kind, axis, by, [name]) for (kind, axis), name in zip(given, names, strict=False)]
        if element.tag == "EllipsoidJoint":
            radii = file.vector(element, "radii_x_y_z", (1.0, 1.0, 1.0))
    else:
        raise InputError(
            f"{file.where(element)}: joints of the kind {element.tag} are not read; these are: CustomJoint, "
            f"{', '.join(SIMPLE)}"
        )
    name = str(element.get("name") or f"{parent}_{child}")
    return OsimJoint(name, element.tag, parent, child, in_parent, in_child, motions, names, element, radii)


def _coordinate_elements(joint: Element) -> list[Element]:
    listed = joint.find("coordinates")
    if listed is None:
        listed = joint.find("CoordinateSet/objects")
    return [e for e in listed if e.tag == "Coordinate" and isinstance(e, Element)] if listed is not None else []


def _coordinate(file: OpenSimFile, element: Element, joint: OsimJoint) -> OsimCoordinate:
    name = str(element.get("name"))
    limits = file.vector(element, "range", (-np.inf, np.inf))
    has_function = read_function(file, file.child(element, "prescribed_function")) is not None
    kinds = {m.kind for m in joint.motions if name in m.coordinates and m.function.is_linear}
    return OsimCoordinate(
        name, joint.name, element, file.number(element, "default_value", 0.0),
        file.number(element, "default_speed_value", 0.0), (float(limits[0]), float(limits[1])),
        file.flag(element, "clamped"), file.flag(element, "locked"),
        has_function and file.flag(element, "prescribed"), "rotation" in kinds or not kinds,
    )  # fmt: skip


def _spatial_transform(file: OpenSimFile, element: Element, names: list[str]) -> list[OsimMotion]:
    """The six motions of a CustomJoint."""
    holder = element.find("SpatialTransform")
    motions = []
    for k, given in enumerate(e for e in holder if e.tag == "TransformAxis") if holder is not None else ():
        if not isinstance(given, Element):
            continue
        kind = str(given.get("name") or ("rotation" if k < 3 else "translation"))[:-1].rstrip("123") or "rotation"
        kind = "translation" if kind.startswith("trans") else "rotation"
        axis = file.vector(given, "axis", (1.0, 0.0, 0.0))
        if not axis.any():
            axis = np.eye(3)[k % 3]
        of = file.text(given, "coordinates").split()
        for name in of:
            if name not in names:
                raise InputError(f"{file.where(given)}: joint '{element.get('name')}' has no coordinate '{name}'")
        function = read_function(file, given) or Function()
        if not of:
            function = Function(constant=function(0.0))
        elif not function.is_linear and len(of) > 1:
            raise InputError(f"{file.where(given)}: splines of several coordinates are not read")
        motions.append(OsimMotion(kind, axis / np.linalg.norm(axis), function, of))
    return motions


def _in_order(file: OpenSimFile, bodies: dict[str, Element], joints: list[OsimJoint]) -> list[OsimJoint]:
    """Parents before children; bodies without a joint are an error that names them."""
    placed, ordered, left = {"ground"}, [], list(joints)
    while left:
        ready = [j for j in left if j.parent in placed and j.child not in placed]
        if not ready:
            names = ", ".join(f"'{j.name}'" for j in left)
            raise InputError(
                f"'{file.path}': the joints {names} do not make a tree from the ground; close loops by constraints instead"
            )
        ordered.append(ready[0])
        placed.add(ready[0].child)
        left.remove(ready[0])
    for name in bodies:
        if name not in placed:  # it is free, as in OpenSim
            element = Element("FreeJoint", {"name": f"{name}_free"})
            ordered.append(_make(file, element, "ground", name, IDENTITY, IDENTITY))
    return ordered
