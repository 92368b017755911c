"""Bodies and joints of an OpenSim file as parts of a model, and which coordinates they have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies import RigidBody
from condyle.bodies.inertia import inertia_from_second_moment
from condyle.errors import InputError
from condyle.imports.imported import Imported
from condyle.imports.opensim_file import IDENTITY, OpenSimFile, Transform
from condyle.imports.opensim_functions import Function
from condyle.imports.opensim_joints import OsimJoint, OsimMotion, Skeleton
from condyle.imports.xml import Element, numbers
from condyle.joints import Coupling, Follow, Initial, TransformJoint
from condyle.joints.transform import turning
from condyle.model.point import Point
from condyle.model.rotations import rotation
from condyle.parts import Model

__all__ = ["Import", "add_bodies", "add_couplings", "add_joints", "add_start"]

Array = NDArray[np.float64]
LIGHT = 1e-4  # of a neighbour's mass and inertia: a body that only stands between two joints
SQUARE = 1e-9


@dataclass
class Import:
    """An import under way: the file, what it says, where bodies stand as declared, and what has been made of it."""

    file: OpenSimFile
    skeleton: Skeleton
    imported: Imported
    values: dict[str, float]
    poses: dict[str, Transform]
    coordinates: dict[str, str] = field(default_factory=dict)  # name in the file -> 'joint.coordinate' here
    stand_ins: dict[str, tuple[str, Function]] = field(
        default_factory=dict
    )  # name -> name of another, its function of it
    names: dict[str, str] = field(default_factory=dict)
    joint_names: dict[str, str] = field(default_factory=dict)  # of the joint of a body
    carriers: dict[str, tuple[str, Transform]] = field(
        default_factory=dict
    )  # massless bodies: welded to which, and where

    def on_body(self, body: str, place: Array) -> Point:
        """A point of a body of the file."""
        carrier, stands = self.carriers.get(body, (body, IDENTITY))
        return Point(self.names.get(f"body {carrier}", carrier), tuple((stands.place + stands.turn @ place).tolist()))

    def name_for(self, name: str, kind: str = "part") -> str:
        """A name that is free in the model: that of the file, if it can be."""
        plain = name.replace(".", "_").replace("/", "_").strip() or kind
        free = plain if plain not in self.imported.model else f"{plain} {kind}"
        number = 2
        while free in self.imported.model:
            free, number = f"{plain} {kind} {number}", number + 1
        if free != name:
            self.names[f"{kind} {name}"] = free
        return free

    def reference(self, name: str) -> str | None:
        """The coordinate here that stands for one of the file, if there is one that equals it."""
        return self.coordinates.get(name)

    def function_of(self, names: list[str], function: Function) -> tuple[list[str], Function] | None:
        """A function of coordinates of the file as one of coordinates here."""
        if all(name in self.coordinates for name in names):
            return [self.coordinates[name] for name in names], function
        if len(names) == 1 and names[0] in self.stand_ins:
            other, inner = self.stand_ins[names[0]]
            return self.function_of([other], function.of(inner, *_span(self.skeleton, other)))
        return None

    def bare(self) -> Model:
        """Bodies and joints alone."""
        whole = self.imported.model
        model = Model(whole.name, gravity=whole.gravity)
        for part in whole:
            if isinstance(part, RigidBody | TransformJoint):
                model.add(part)
        return model

    def left_out(self, what: str, name: str, why: str) -> None:
        """Note something."""
        self.imported.leave_out(what, name, why)


def _span(skeleton: Skeleton, name: str) -> tuple[float, float]:
    low, high = skeleton.coordinates[name].range
    if not np.isfinite([low, high]).all() or not low < high:
        return -np.pi, np.pi
    return low - 0.1 * (high - low), high + 0.1 * (high - low)


# --- bodies -----------------------------------------------------------------------------------------------------------


def add_bodies(work: Import) -> None:
    """Rigid bodies where they stand in the declared pose, with the markers of the file as their points."""
    _find_carriers(work)
    total = sum(work.file.number(e, "mass", 0.0) for e in work.skeleton.bodies.values()) or 1.0
    markers: dict[str, dict[str, Any]] = {}
    for element in work.file.objects("MarkerSet"):
        point = work.on_body(*work.file.frame_of(element))
        markers.setdefault(point.body, {})[str(element.get("name")).replace(".", "_")] = point.at
    for name, element in work.skeleton.bodies.items():
        if name in work.carriers:
            continue
        mass, inertia = _inertia(work, name, element, total)
        stands = work.poses[name]
        work.imported.model.add(
            RigidBody(
                work.name_for(name, "body"), mass, inertia=inertia.tolist(),
                centre_of_mass=tuple(work.file.vector(element, "mass_center").tolist()),
                position=tuple(stands.place.tolist()), rotation=stands.turn.tolist(), points=markers.pop(name, {}),
            )
        )  # fmt: skip
    for body, points in markers.items():
        for marker in points:
            work.left_out("Marker", marker, f"it is on '{body}', which is no moving body")


def _find_carriers(work: Import) -> None:
    """Bodies without mass that are welded to another become part of it."""
    for joint in work.skeleton.joints:
        body = work.skeleton.bodies[joint.child]
        fixed = all(m.function.is_constant for m in joint.motions) and joint.radii is None
        if fixed and work.file.number(body, "mass", 0.0) <= 0.0:
            carrier, stands = work.carriers.get(joint.parent, (joint.parent, IDENTITY))
            frame = stands.then(joint.in_parent).then(joint.transform(work.values))
            work.carriers[joint.child] = (carrier, frame.then(joint.in_child.inverse()))
            work.left_out("Body", joint.child, f"it has no mass and is welded: it is a part of '{carrier}'")


def _inertia(work: Import, name: str, element: Element, total: float) -> tuple[float, Array]:
    """Mass [kg] and inertia about the centre of mass [kg m²], lifted where there is too little of it to move."""
    file, mass = work.file, work.file.number(element, "mass", 0.0)
    if file.text(element, "inertia"):
        xx, yy, zz, xy, xz, yz = numbers(file.text(element, "inertia"), 6, file.where(element))
    else:
        xx, yy, zz, xy, xz, yz = (
            file.number(element, f"inertia_{k}", 0.0) for k in ("xx", "yy", "zz", "xy", "xz", "yz")
        )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass <= 0.0:
        mass = LIGHT * LIGHT * total
        work.left_out("Body", name, f"it has no mass; it is given {mass:.3g} kg, since here every body has some")
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    moments, axes = np.linalg.eigh(second)
    least = max(1e-6 * moments.max(initial=0.0), mass * 1e-4**2)
    if moments.min() < least:
        lifted = (axes * np.maximum(moments, least)) @ axes.T
        changed = inertia_from_second_moment(lifted)
        grown = np.abs(changed - inertia).max()
        work.left_out(
            "Body", name, f"a solid body cannot have its moments of inertia; the largest change is {grown:.3g} kg m²"
        )
        inertia = changed
    return mass, inertia


# --- joints -----------------------------------------------------------------------------------------------------------


def add_joints(work: Import) -> None:
    """All joints. A coordinate that no motion equals gets a stand-in first, so that functions of it can be written."""
    for joint in work.skeleton.joints:
        _choose_coordinates(work, joint)
    for joint in work.skeleton.joints:
        if joint.child not in work.carriers:
            _add_joint(work, joint)


def _defines(joint: OsimJoint, name: str) -> OsimMotion | None:
    """The motion that is a coordinate, up to its sign and a constant, or for translations a factor."""
    for motion in joint.motions:
        factors = motion.function.factors
        if motion.coordinates != [name] or not motion.function.is_linear or not any(factors):
            continue
        if motion.kind == "translation" or abs(abs(factors[0]) - 1.0) < 1e-12:
            return motion
    return None


def _choose_coordinates(work: Import, joint: OsimJoint) -> None:
    here = joint_name(work, joint)
    for name in joint.coordinates:
        used = [m for m in joint.motions if name in m.coordinates and not m.function.is_constant]
        if _defines(joint, name) is not None:
            work.coordinates[name] = f"{here}.{name}"
            continue
        coupled = work.skeleton.coordinates[name].coupled
        if not used:
            work.left_out("Coordinate", name, "nothing moves with it")
        elif coupled is not None and len(coupled[0]) == 1:
            work.stand_ins[name] = (coupled[0][0], coupled[1])
        else:
            _invert(work, joint, name, used, here)


def _invert(work: Import, joint: OsimJoint, name: str, used: list[OsimMotion], here: str) -> None:
    """A coordinate that no motion equals: one that grows or falls with it takes its place."""
    low, high = _span(work.skeleton, name)
    q = np.linspace(low, high, 801)
    for motion in used:
        if len(motion.coordinates) > 1:
            continue
        values = np.array([motion.function(v) for v in q])
        rising = np.diff(values) * np.sign(values[-1] - values[0])
        slopes = np.array([motion.function.slope(v) for v in q])
        if (rising > 0.0).all() and (slopes != 0.0).all():
            order = 1 if values[-1] > values[0] else -1
            linear = motion.function.is_linear
            inverse = Function((1.0 / slopes[0],), -motion.function.constant / slopes[0]) if linear else Function(
                x=tuple(values[::order].tolist()), y=tuple(q[::order].tolist()),
                slopes=tuple((1.0 / slopes[::order]).tolist()),
            )  # fmt: skip
            stand_in = f"{name} {motion.kind}"
            motion.coordinates, motion.function = [stand_in], Function((1.0,))
            work.values[stand_in] = float(np.interp(work.values[name], q, values))
            work.skeleton.coordinates[stand_in] = work.skeleton.coordinates[name]
            joint.coordinates.append(stand_in)
            work.coordinates[stand_in] = f"{here}.{stand_in}"
            work.stand_ins[name] = (stand_in, inverse)
            work.left_out(
                "Coordinate", name, f"no motion of its joint equals it; '{here}.{stand_in}' is a function of it instead"
            )
            return
    work.left_out("Coordinate", name, "no motion of its joint is a one-to-one function of it, so that it is not held")


def joint_name(work: Import, joint: OsimJoint) -> str:
    """What a joint is called here; names of joints may stand in a file more than once."""
    if joint.child not in work.joint_names:
        plain = joint.name.replace(".", "_").replace("/", "_")
        taken = {"ground", *work.skeleton.bodies, *work.joint_names.values()}
        free = plain if plain not in taken else f"{plain} joint" if f"{plain} joint" not in taken else ""
        work.joint_names[joint.child] = free or f"{plain} of {joint.child}"
        if free != joint.name:
            work.names[f"joint {joint.name}"] = work.joint_names[joint.child]
    return work.joint_names[joint.child]


def _add_joint(work: Import, joint: OsimJoint) -> None:
    name = joint_name(work, joint)
    model = work.imported.model
    parent, child = work.poses[joint.parent].then(joint.in_parent), work.poses[joint.child].then(joint.in_child)
    rotations = [entry for m in joint.motions if m.kind == "rotation" for entry in _entries(work, joint, m)]
    translations = [entry for m in joint.motions if m.kind == "translation" for entry in _entries(work, joint, m)]
    ends = (work.on_body(joint.parent, joint.in_parent.place), work.on_body(joint.child, joint.in_child.place))
    moving = [k for k, entry in enumerate(rotations) if not isinstance(entry["by"], int | float)]
    if len(moving) == 3 and _skew(rotations):
        cut = moving[1]
        between = _light_body(work, joint, rotations[:cut])
        first = TransformJoint(
            f"{name} first", ends[0], Point(between.name), rotations=rotations[:cut], translations=translations,
            axes=parent.turn.tolist(), axes_b=between.rotation,
        )  # fmt: skip
        for coordinate in first.coordinate_names(3):
            work.coordinates[coordinate] = f"{name} first.{coordinate}"
        model.add(first)
        ends, parent = (Point(between.name), ends[1]), Transform(np.array(between.rotation), parent.place)
        rotations, translations = rotations[cut:], []
        work.left_out(
            "Joint",
            joint.name,
            f"its three axes are not perpendicular, so that the light body '{between.name}' is between them",
        )
    if len(moving) == 3:
        _warn_of_far_turns(work, joint)
    model.add(
        TransformJoint(
            name, *ends, rotations=rotations, translations=translations, axes=parent.turn.tolist(),
            axes_b=child.turn.tolist(), radii=None if joint.radii is None else tuple(joint.radii.tolist()),
        )
    )  # fmt: skip


def _warn_of_far_turns(work: Import, joint: OsimJoint) -> None:
    """Of three rotations in a row the second has to stay within ±90°, where the angles of the joint are unique."""
    second = [m for m in joint.motions if m.kind == "rotation" and not m.function.is_constant][1]
    for name in second.coordinates:
        low, high = work.skeleton.coordinates[name].range
        if low < -0.5 * np.pi or high > 0.5 * np.pi:
            free = high - low > 100.0  # [rad]: OpenSim writes ±99999 where there is no range
            span = "has no range" if free else f"goes from {np.degrees(low):.0f}° to {np.degrees(high):.0f}°"
            work.left_out(
                "Coordinate", name,
                f"it is the second of three rotations and {span} in the "
                "file; here it has to stay within ±90°, beyond which all three angles of the joint are read differently",
            )  # fmt: skip


def _entries(work: Import, joint: OsimJoint, motion: OsimMotion) -> list[dict[str, Any]]:
    """A motion as `TransformJoint` takes it: numbers are left out if zero, a sign goes to the axis, a constant by itself."""
    axis, function = motion.axis, motion.function
    if function.is_constant:
        return [{"axis": tuple(axis.tolist()), "by": function.constant}] if function.constant else []
    for name in motion.coordinates:
        if _defines(joint, name) is motion:
            scaled = function.factors[0] * axis
            fixed = [{"axis": tuple(axis.tolist()), "by": function.constant}] if function.constant else []
            return [*fixed, {"axis": tuple(scaled.tolist()), "by": name}]
    if function.note:
        work.left_out("Function", f"{joint.name}, {motion.kind} by {' '.join(motion.coordinates)}", function.note)
    found = work.function_of(motion.coordinates, function)
    if found is None:
        amount = function(*(work.values[name] for name in motion.coordinates))
        return [{"axis": tuple(axis.tolist()), "by": amount}]
    own = f"{joint_name(work, joint)}."
    return [{"axis": tuple(axis.tolist()), "by": found[1].by([n.removeprefix(own) for n in found[0]])}]


def _skew(rotations: list[dict[str, Any]]) -> bool:
    """Can three rotations not be one joint?"""
    try:
        turning(rotations, "joint")
    except InputError:
        return True
    return False


def _light_body(work: Import, joint: OsimJoint, rotations: list[dict[str, Any]]) -> Any:
    """A body between the first rotation and translations of a joint, and its other rotations."""
    model = work.imported.model
    child = model[work.names.get(f"body {joint.child}", joint.child)]
    frame = work.poses[joint.child].then(joint.in_child)
    motion = next(m for m in joint.motions if not m.function.is_constant and m.kind == "rotation")
    turn = work.poses[joint.parent].then(joint.in_parent).turn
    for entry in rotations:
        by = entry["by"]
        if isinstance(by, dict):
            by = motion.function(*(work.values[n] for n in motion.coordinates))
        elif isinstance(by, str):
            by = work.values[by]
        turn = turn @ rotation(axis=list(entry["axis"]), angle=by)
    size = LIGHT * child.mass
    inertia = LIGHT * max(np.trace(np.asarray(child.inertia)) / 3.0, size * 0.01**2) * np.eye(3)
    return model.add(
        RigidBody(
            work.name_for(f"{joint.name} between"), size, inertia=inertia.tolist(), position=tuple(frame.place.tolist()),
            rotation=turn.tolist(),
        )
    )  # fmt: skip


# --- what couples coordinates, and how they start ---------------------------------------------------------------------


def add_couplings(work: Import) -> None:
    """CoordinateCouplerConstraints between coordinates that the model has."""
    for name, q in work.skeleton.coordinates.items():
        if q.coupled is None or name not in work.coordinates or q.name != name:
            continue
        found = work.function_of(*q.coupled)
        label = work.name_for(f"{name} coupling")
        if found is None:
            work.left_out(
                "CoordinateCouplerConstraint", name, "it depends on a coordinate that the model does not have"
            )
            continue
        others, function = found
        if function.is_linear:
            factors = {work.coordinates[name]: 1.0} | {
                other: -f for other, f in zip(others, function.factors, strict=False) if f
            }
            work.imported.model.add(Coupling(label, factors, constant=function.constant))
        else:
            work.imported.model.add(
                Follow(label, work.coordinates[name], others[0], function.x, function.y, slopes=function.slopes)
            )


def add_start(work: Import) -> None:
    """Default speeds of free coordinates that are not zero, and all of them where another one is prescribed.

    Bodies without a speed would start at rest in the world, and be moved by a prescribed coordinate as by a blow.
    """
    coordinates = work.skeleton.coordinates
    moved = any(q.prescribed and not q.locked for q in coordinates.values())
    for name, q in coordinates.items():
        free = q.name == name and name in work.coordinates and q.coupled is None and not (q.locked or q.prescribed)
        if free and (q.speed or moved):
            work.imported.model.add(Initial(work.name_for(f"{name} start"), work.coordinates[name], rate=q.speed))
