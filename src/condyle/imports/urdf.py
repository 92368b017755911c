"""URDF, the robot descriptions of ROS: links and joints (.urdf).

The axes of a link are those of the joint that carries it. The root link stands on the ground unless base='free'. Links that a
fixed joint connects are one body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from condyle.bodies.inertia import MassProperties, second_moment_from_inertia
from condyle.bodies.rigid import RigidBody
from condyle.contact.collisions import Collisions
from condyle.contact.facets import FacetSurface
from condyle.contact.shapes import Box, Cylinder, Plane, Sphere
from condyle.errors import InputError, unknown_name
from condyle.imports.frames import Frame, Names, balanced, moved, taken_together
from condyle.imports.imported import Imported
from condyle.imports.looks import faces_of
from condyle.imports.surfaces import read_surface
from condyle.imports.xml import Element, numbers, parse, place
from condyle.joints.axial import Planar, Prismatic
from condyle.joints.couplings import CoordinateDamper, Coupling, Limit
from condyle.joints.initial import Initial
from condyle.joints.revolute import Revolute
from condyle.model.point import Point
from condyle.model.rotations import rotation
from condyle.parts import Model

__all__ = ["read"]

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
STOP = 0.02  # [s], of the motion at the stop of a joint
READ = {"link", "joint", "material", "gazebo", "transmission"}


@dataclass(eq=False)
class _Link:
    """A body: all links that fixed joints connect; mass, shapes and names of links in its axes."""

    name: str
    world: Frame
    masses: list[MassProperties] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)
    touching: list[Any] = field(default_factory=list)
    places: dict[str, Frame] = field(default_factory=dict)


def read(
    path: str | Path,
    *,
    base: str = "fixed",
    contacts: bool = False,
    limits: bool = True,
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    values: dict[str, float] | None = None,
    friction: float = 0.8,
    balance_inertia: bool = False,
) -> Imported:
    """Read a URDF file.

    base: 'fixed' (the root link stands on the ground) or 'free'. contacts: collision shapes meet each other and the plane
    z = 0, with `friction`. limits: limits of joints are stops. gravity [m/s²]. values: joint -> value at the start [rad or m];
    0 of joints that are not named. balance_inertia: moments of inertia that no body can have become the mean of the three.
    """
    file = Path(path)
    root = parse(file)
    if root.tag != "robot":
        raise InputError(f"'{file}': a URDF file has the root element 'robot', this one has '{root.tag}'")
    if base not in ("fixed", "free"):
        raise InputError(f"'{file}': base is 'fixed' or 'free', not {base!r}")
    if b"xacro:" in file.read_bytes():
        raise InputError(f"'{file}' is a template; write the file itself by xacro first: xacro FILE > robot.urdf")
    reader = _Reader(file, root, base, limits, gravity)
    reader.balance_inertia = balance_inertia
    reader.build()
    reader.start(values or {})
    if contacts:
        reader.add_contacts(friction)
    return reader.imported


class _Reader:
    """Puts the model together, link by link from the root on."""

    balance_inertia = False

    def __init__(self, file: Path, root: Element, base: str, limits: bool, gravity: Any) -> None:
        self.file, self.limits, self.base = file, limits, base
        self.model = Model(root.get("name") or file.stem, dimension=3, gravity=gravity)
        self.imported = Imported(self.model, file, "URDF")
        self.names = Names()
        self.coordinates: dict[str, str] = {}
        self.elements = {e.get("name", ""): e for e in root if e.tag == "link"}
        self.joints: list[Any] = [e for e in root if e.tag == "joint"]
        self.bodies: dict[str, _Link] = {}
        self.following: set[str] = set()  # joints that mimic another one
        for tag in sorted({str(e.tag) for e in root} - READ):
            self.imported.leave_out("element", tag, "is not read")

    def build(self) -> None:
        """Bodies, then joints and what acts on them."""
        children = [self._end(joint, "child") for joint in self.joints]
        roots = [name for name in self.elements if name not in children]
        if len(roots) != 1:
            found = ", ".join(repr(name) for name in roots) or "none"
            raise InputError(f"'{self.file}': one link must be the root, the child of no joint; there are: {found}")
        twice = next((name for name in children if children.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"'{self.file}': the link '{twice}' is the child of two joints; a URDF file is a tree")
        ground = _Link("ground", Frame())
        fixed = self.base == "fixed"
        root = ground if fixed else _Link(self.names.take("body", roots[0]), Frame())
        self._take(roots[0], root, Frame())
        carried: list[tuple[Any, _Link, Frame, _Link]] = []
        self._follow(roots[0], carried)
        loose = next((name for name in self.elements if name not in self.bodies), None)
        if loose is not None:
            raise InputError(f"'{self.file}': the link '{loose}' does not hang on the root; a URDF file is a tree")
        for link in dict.fromkeys(self.bodies.values()):
            if link is not ground:
                self._add_body(link)
        for joint, parent, at, child in carried:
            self._add_joint(joint, parent, at, child)
        for joint in self.joints:
            self._add_mimic(joint)
        self.imported.coordinates, self.imported.names = self.coordinates, self.names.changed

    def start(self, values: dict[str, float]) -> None:
        """Joints begin at these values; of those that are not named, at zero."""
        known = {name: q for name, q in self.coordinates.items() if name not in self.following}
        for name in values:
            if name not in known:
                raise unknown_name("joint", name, known, where=f"'{self.file}'")
        for name, reference in known.items() if values else ():
            start = self.names.take("start", f"{name} start")
            self.model.add(Initial(start, reference, float(values.get(name, 0.0))))

    def _end(self, joint: Element, which: str) -> str:
        found = joint.find(which)
        name = found.get("link", "") if found is not None else ""
        if name not in self.elements:
            raise unknown_name("link", name, self.elements, where=place(self.file, joint))
        return name

    def _follow(self, name: str, carried: list[tuple[Any, _Link, Frame, _Link]]) -> None:
        """The links beyond one."""
        for joint in self.joints:
            if self._end(joint, "parent") != name:
                continue
            kind, child = joint.get("type", ""), self._end(joint, "child")
            if kind not in KINDS:
                raise InputError(f"{place(self.file, joint)}: its type is '{kind}'; known: {', '.join(KINDS)}")
            parent = self.bodies[name]
            at = parent.places[name] @ self._origin(joint)
            if kind == "fixed":
                self._take(child, parent, at)
                if parent.name != "ground":
                    self.imported.leave_out("link", child, f"is fixed, so it is a part of '{parent.name}'")
            else:
                link = _Link(self.names.take("body", child), parent.world @ at)
                self._take(child, link, Frame())
                carried.append((joint, parent, at, link))
            self._follow(child, carried)

    def _take(self, name: str, link: _Link, at: Frame) -> None:
        """A link of the file into a body; at: its axes there."""
        element = self.elements[name]
        self.bodies[name], link.places[name] = link, at
        inertial = element.find("inertial")
        if inertial is not None:
            link.masses.append(moved(self._mass(inertial, name), at))  # type: ignore[arg-type]
        for tag, into in (("visual", link.seen), ("collision", link.touching)):
            for item in element.findall(tag):
                shape = self._shape(item, at, tag == "visual")  # type: ignore[arg-type]
                if shape is not None:
                    into.append(shape)

    def _mass(self, element: Element, link: str) -> MassProperties:
        where = f"'{self.file}', line {element.line} (inertial of link '{link}')"
        mass, inertia = element.find("mass"), element.find("inertia")
        if mass is None or inertia is None:
            raise InputError(f"{where}: inertial needs mass and inertia")
        m = numbers(mass.get("value"), 1, f"{where}: mass")[0]
        xx, xy, xz, yy, yz, zz = (
            numbers(inertia.get(k, "0"), 1, f"{where}: {k}")[0] for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        )
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return moved(MassProperties(m, np.zeros(3), self._second_moment(J, link, where)), self._origin(element))

    def _second_moment(self, J: Any, link: str, where: str) -> Any:
        even = balanced(J)
        if self.balance_inertia and even is not J:
            self.imported.leave_out("inertia", link, "no body can have it; balance_inertia made its moments equal")
            J = even
        try:
            return second_moment_from_inertia(J, 3, where)
        except InputError as error:
            if "triangle" not in str(error):
                raise
            raise InputError(f"{error}; balance_inertia=True makes the moments of such links equal") from None

    def _origin(self, element: Element) -> Frame:
        """xyz and rpy: turns about the fixed axes x, y, z."""
        found = element.find("origin")
        if found is None:
            return Frame()
        where = place(self.file, element)
        xyz = numbers(found.get("xyz", "0 0 0"), 3, f"{where}: xyz")
        roll, pitch, yaw = numbers(found.get("rpy", "0 0 0"), 3, f"{where}: rpy")
        return Frame(np.array(xyz), rotation(euler="zyx", angles=(yaw, pitch, roll)))

    def _shape(self, element: Element, at: Frame, shown: bool) -> Any:
        """The shape of a visual or collision element in the axes of the body; None if it cannot be read."""
        geometry, where = element.find("geometry"), place(self.file, element)
        kind: Any = next(iter(geometry), None) if geometry is not None else None
        if kind is None:
            raise InputError(f"{where}: it has no geometry")
        here = at @ self._origin(element)
        sizes = [kind.get(key) for key in ("size", "radius", "length") if kind.get(key) is not None]
        if any(0.0 in numbers(size, None, where) for size in sizes):
            self.imported.leave_out(str(element.tag), str(kind.tag), f"has no size (line {element.line})")
            return None
        if kind.tag == "box":
            size = numbers(kind.get("size"), 3, f"{where}: size")
            return Box(size, centre=here.place.tolist(), rotation=here.turn.tolist())
        if kind.tag == "sphere":
            return Sphere(numbers(kind.get("radius"), 1, f"{where}: radius")[0], centre=here.place.tolist())
        if kind.tag == "cylinder":
            radius, length = (numbers(kind.get(k), 1, f"{where}: {k}")[0] for k in ("radius", "length"))
            return Cylinder(radius, axis=here.turn[:, 2].tolist(), centre=here.place.tolist(), length=length)
        return self._mesh(element, kind, here, shown)

    def _mesh(self, element: Element, kind: Any, here: Frame, shown: bool) -> Any:
        name = (kind.get("filename") or "").removeprefix("file://")
        if kind.tag != "mesh" or name.startswith("package://"):
            why = (
                "packages of ROS are not looked up; write paths relative to the file"
                if kind.tag == "mesh"
                else "is not read"
            )
            self.imported.leave_out(str(element.tag), name or str(kind.tag), why)
            return None
        try:
            surface = read_surface(self.file.parent / name, scale=numbers(kind.get("scale", "1 1 1"), 3, name))
        except InputError as error:
            self.imported.leave_out(str(element.tag), name, str(error))
            return None
        for hint in surface.hints() if shown else ():
            self.imported.leave_out(str(element.tag), name, hint)
        return FacetSurface((surface.points @ here.turn.T + here.place).tolist(), surface.triangles.tolist())

    def _add_body(self, link: _Link) -> None:
        m = taken_together(link.masses)
        if not m.mass > 0.0:
            raise InputError(f"'{self.file}': the link '{link.name}' moves, so it needs an inertial element with mass")
        points = {n.replace(".", "-"): f.place.tolist() for n, f in link.places.items() if n != link.name}
        self.model.add(
            RigidBody(
                link.name,
                m.mass,
                second_moment=m.second_moment.tolist(),
                centre_of_mass=m.centre.tolist(),
                position=link.world.place.tolist(),
                rotation=link.world.turn.tolist(),
                points=points,
                faces=faces_of(link.seen or link.touching, link.name),
            )
        )

    def _add_joint(self, joint: Element, parent: _Link, at: Frame, child: _Link) -> None:
        kind, name = joint.get("type", ""), joint.get("name") or ""
        if kind == "floating":
            return
        where, found = place(self.file, joint), joint.find("axis")
        axis = numbers(found.get("xyz"), 3, f"{where}: axis") if found is not None else [1.0, 0.0, 0.0]
        if not any(axis):
            raise InputError(f"{where}: axis must not be 0")
        a, b = Point(parent.name, tuple(at.place.tolist())), Point(child.name)
        types: dict[str, Any] = {"prismatic": Prismatic, "planar": Planar}
        part = types.get(kind, Revolute)(self.names.take("joint", name), a, b, axis=child.world.along(axis).tolist())
        self.model.add(part)
        own = {"prismatic": "position", "planar": None}.get(kind, "angle")
        if own is None:
            for each in ("x", "y", "angle"):
                self.coordinates[f"{name} {each}"] = f"{part.name}.{each}"
            return
        self.coordinates[name] = f"{part.name}.{own}"
        self._add_forces(joint, name, kind, child)

    def _add_forces(self, joint: Element, name: str, kind: str, child: _Link) -> None:
        where, dynamics, limit = place(self.file, joint), joint.find("dynamics"), joint.find("limit")
        reference = self.coordinates[name]
        if dynamics is not None:
            damping = numbers(dynamics.get("damping", "0"), 1, f"{where}: damping")[0]
            if damping > 0.0:
                self.model.add(CoordinateDamper(self.names.take("damper", f"{name} damper"), reference, damping))
            if numbers(dynamics.get("friction", "0"), 1, f"{where}: friction")[0]:
                self.imported.leave_out("friction of joint", name, "dry friction in joints is not carried")
        if limit is None or kind == "continuous" or not self.limits:
            return
        low, high = (numbers(limit.get(k, "0"), 1, f"{where}: {k}")[0] for k in ("lower", "upper"))
        if low < high:
            m = taken_together(child.masses)
            inertia = (
                m.mass if kind == "prismatic" else float(np.trace(m.second_moment) + m.mass * (m.centre @ m.centre))
            )
            # A stop at which the link alone comes back within a known time, without ringing.
            rate = 2.0 * math.pi / STOP
            stop = Limit(
                self.names.take("limit", f"{name} limit"), reference, low, high, inertia * rate**2, 2.0 * inertia * rate
            )
            self.model.add(stop)

    def _add_mimic(self, joint: Element) -> None:
        """This joint = multiplier · other + offset."""
        found, name = joint.find("mimic"), joint.get("name") or ""
        if found is None:
            return
        where, other = place(self.file, joint), found.get("joint", "")
        if name not in self.coordinates or other not in self.coordinates:
            self.imported.leave_out("mimic of joint", name, f"'{other}' has no single value to follow")
            return
        factor, offset = (
            numbers(found.get(k, d), 1, f"{where}: {k}")[0] for k, d in (("multiplier", "1"), ("offset", "0"))
        )
        factors = {self.coordinates[name]: 1.0, self.coordinates[other]: -factor}
        self.following.add(name)
        self.model.add(Coupling(self.names.take("mimic", f"{name} mimic"), factors, constant=offset))

    def add_contacts(self, friction: float) -> None:
        """Collision shapes of all bodies, with the ground as the plane z = 0."""
        links = dict.fromkeys(self.bodies.values())
        shapes = {link.name: link.touching for link in links if link.touching and link.name != "ground"}
        ground = [Plane((0.0, 0.0, 1.0)), *(s for link in links if link.name == "ground" for s in link.touching)]
        if not shapes:
            self.imported.leave_out("contact", self.model.name, "no link has a collision shape that can be read")
            return
        self.model.add(Collisions(self.names.take("contact", "contacts"), shapes, ground=ground, friction=friction))
