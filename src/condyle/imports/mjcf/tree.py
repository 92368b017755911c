"""The bodies of an MJCF file: a tree of links with their joints, placed and moving as joint values say.

A body without joints belongs to its parent; what it carries goes there. A chain is placed as MuJoCo places it: each joint in
turn moves the axes that come after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from condyle.bodies.inertia import MassProperties, second_moment_from_inertia
from condyle.errors import InputError
from condyle.imports.frames import Array, Frame, balanced, moved, taken_together
from condyle.imports.mjcf.chains import FREE, WIDTHS, JointOf, in_groups
from condyle.imports.mjcf.document import Document, Record
from condyle.imports.mjcf.geoms import Geom, Meshes, geom_of
from condyle.imports.xml import Element
from condyle.model.rotations import rotation

__all__ = ["Link", "Tree"]

LIGHT = 1e-6  # share of the mass of a link that the light bodies before it have
NOT_READ = ("composite", "flexcomp", "replicate", "attach", "plugin")


@dataclass
class Link:
    """A body that can move by itself; parent: None for the ground.

    zero: its axes in the world while its own joints are at their reference; world: as it stands; both at the chosen state.
    velocity [m/s] of its origin, spin [rad/s] in the world.
    """

    name: str
    parent: Link | None = None
    record: Record | None = None
    zero: Frame = field(default_factory=Frame)
    world: Frame = field(default_factory=Frame)
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    spin: Array = field(default_factory=lambda: np.zeros(3))
    joints: list[JointOf] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: dict[str, Frame] = field(default_factory=dict)
    masses: list[MassProperties] = field(default_factory=list)
    children: list[Link] = field(default_factory=list)

    @property
    def mass(self) -> MassProperties:
        """Of all that belongs to it, in its axes."""
        return taken_together(self.masses)

    def whole(self) -> MassProperties:
        """With all links that hang on it, in the world."""
        return taken_together([moved(self.mass, self.world), *(child.whole() for child in self.children)])


class Tree:
    """All links with bodies and sites by their names in the file; qpos, qvel: the state, else the reference."""

    def __init__(self, document: Document, imported: Any, qpos: Any = None, qvel: Any = None) -> None:
        self.document, self.imported = document, imported
        self.meshes = Meshes(document)
        self.qpos, self.qvel = qpos, qvel
        self.ground = Link("ground")
        self.links: list[Link] = []
        self.joints: dict[str, tuple[Link, JointOf]] = {}
        self.bodies: dict[str, tuple[Link, Frame]] = {"world": (self.ground, Frame())}
        self.sites: dict[str, tuple[Link, Frame]] = {}
        self.geoms: dict[str, tuple[Link, Geom]] = {}
        self.sizes = [0, 0]  # of qpos and qvel
        for element in document.sections("worldbody"):
            self._contents(element, self.ground, Frame(), None)
        for given, name, count in ((qpos, "qpos", self.sizes[0]), (qvel, "qvel", self.sizes[1])):
            if given is not None and len(given) != count:
                raise InputError(f"'{document.file}': {name} has {count} numbers in this model, not {len(given)}")

    def _contents(self, element: Element, link: Link, offset: Frame, inherited: str | None) -> list[Geom]:
        """What stands in a body or frame; offset: its axes in those of the link that carries it. Returns its geoms."""
        inherited = element.get("childclass") or inherited
        geoms: list[Geom] = []
        for child in element:
            record = self.document.record(child, inherited)  # type: ignore[arg-type]
            if child.tag == "body":
                self._body(child, link, offset, inherited)  # type: ignore[arg-type]
            elif child.tag == "frame":
                geoms += self._contents(child, link, offset @ record.frame(), inherited)  # type: ignore[arg-type]
            elif child.tag == "geom":
                geoms.append(self._geom(record, link, offset))
            elif child.tag == "site":
                self._site(record, link, offset)
            elif child.tag in NOT_READ:
                self.imported.leave_out(str(child.tag), record.name or record.where, "is not read")
        return geoms

    def _body(self, element: Element, link: Link, offset: Frame, inherited: str | None) -> None:
        record = self.document.record(element, None, kind="body")
        own = element.get("childclass") or inherited
        found = [child for child in element if child.tag in ("joint", "freejoint")]
        at = offset @ record.frame()
        name = record.name
        if not found:
            self._unjointed(record, link)
            if name:
                self.bodies[name] = (link, at)
            link.masses += self._weighed(element, self._contents(element, link, at, inherited), at)
            return
        title = name or f"body of line {element.line}"
        joints = [self._joint(self.document.record(child, own, kind=str(child.tag)), link) for child in found]  # type: ignore[arg-type]
        if len(joints) > 1 and any(joint.kind == FREE for joint in joints):
            raise InputError(f"{record.where}: a free joint is the only joint of a body")
        groups, light = in_groups(joints), []
        for k, group in enumerate(groups):
            last = k == len(groups) - 1
            new = Link(title if last else f"{title} {k + 1}", link, record, link.world @ at, joints=group)
            self.joints.update({joint.name: (new, joint) for joint in group})
            self._place(new)
            self.links.append(new)
            link.children.append(new)
            if not last:
                light.append(new)
                link, at = new, Frame()
        if name:
            self.bodies[name] = (new, Frame())
        new.masses += self._weighed(element, self._contents(element, new, Frame(), inherited), Frame())
        if light:
            self._make_light(light, new)

    def _make_light(self, light: list[Link], link: Link) -> None:
        """Bodies between joints that Condyle has no single joint for."""
        m = link.mass
        for one in light:
            one.masses.append(MassProperties(LIGHT * m.mass, m.centre, LIGHT * m.second_moment))
        self.imported.leave_out(
            "joints of body", link.name,
            f"are joined over {len(light)} light bodies, each with {LIGHT:g} of its mass, because their axes are not "
            "perpendicular to each other or do not meet",
        )  # fmt: skip

    def _unjointed(self, record: Record, link: Link) -> None:
        if record.switch("mocap", False):
            self.imported.leave_out(
                "mocap body", record.name or record.where, "is a part of the ground, which stands still"
            )
        elif record.name and link is not self.ground:
            self.imported.leave_out("body", record.name, f"has no joint, so it is a part of '{link.name}'")

    def _joint(self, record: Record, link: Link) -> JointOf:
        kind = FREE if record.element.tag == "freejoint" else record.word("type", "hinge")
        if kind not in WIDTHS:
            raise InputError(f"{record.where}: the type of a joint is free, ball, hinge or slide, not '{kind}'")
        if kind == FREE and link is not self.ground:
            raise InputError(f"{record.where}: only a body that stands in the world itself can have a free joint")
        axis = record.array("axis", 3, (0.0, 0.0, 1.0))
        if not np.linalg.norm(axis) > 0.0:
            raise InputError(f"{record.where}: axis must not be 0")
        ref = record.number("ref", 0.0)
        joint = JointOf(
            record,
            kind,
            record.name or f"{kind} of line {record.element.line}",
            axis / np.linalg.norm(axis),
            record.array("pos", 3, (0.0, 0.0, 0.0)),
            float(record.angle(ref)) if kind == "hinge" else ref,
            (self.sizes[0], self.sizes[1]),
        )
        self.sizes = [a + b for a, b in zip(self.sizes, WIDTHS[kind], strict=True)]
        self._state(joint)
        return joint

    def _state(self, joint: JointOf) -> None:
        """What qpos and qvel say of it."""
        (p, v), (wide, moves) = joint.places, WIDTHS[joint.kind]
        q = None if self.qpos is None else np.asarray(self.qpos, dtype=float)[p : p + wide]
        w = np.zeros(moves) if self.qvel is None else np.asarray(self.qvel, dtype=float)[v : v + moves]
        if (q is not None and len(q) < wide) or len(w) < moves:
            return  # the lengths are wrong, which is said in the end
        if joint.kind in ("hinge", "slide"):
            joint.moved, joint.rate = (0.0 if q is None else float(q[0]) - joint.ref), float(w[0])
        elif joint.kind == "ball":
            joint.moved, joint.rate = (np.eye(3) if q is None else _turn(q)), w
        else:
            joint.moved, joint.rate = (None if q is None else Frame(q[:3], _turn(q[3:]))), w

    def _place(self, link: Link) -> None:
        """Its axes and velocities, one joint after the other."""
        assert link.parent is not None
        above = link.parent
        at, spin = link.zero, above.spin
        v = above.velocity + np.cross(spin, at.place - above.world.place)
        for joint in link.joints:
            if joint.kind == FREE:
                at = joint.moved or at
                link.zero = at
                v, spin = joint.rate[:3], at.turn @ joint.rate[3:]
                continue
            axis, anchor = at.along(joint.axis), at.at(joint.anchor)
            if joint.kind == "slide":
                shift = axis * joint.moved
                v = v + np.cross(spin, shift) + axis * joint.rate
                at = Frame(at.place + shift, at.turn)
                continue
            v = v + np.cross(spin, anchor - at.place)
            own = rotation(axis=joint.axis.tolist(), angle=joint.moved) if joint.kind == "hinge" else joint.moved
            turn = at.turn @ own
            at = Frame(anchor - turn @ joint.anchor, turn)
            spin = spin + (axis * joint.rate if joint.kind == "hinge" else turn @ joint.rate)
            v = v + np.cross(spin, at.place - anchor)
        link.world, link.velocity, link.spin = at, v, spin

    def _geom(self, record: Record, link: Link, offset: Frame) -> Geom:
        geom = geom_of(record, self.meshes)
        here = Geom(record, geom.kind, geom.size, offset @ geom.frame, moved(geom.mass, offset), geom.surface)
        link.geoms.append(here)
        asked = record.word("type", "sphere")
        if geom.kind == "mesh" != asked:
            self.imported.leave_out(
                "geom", record.name or record.where, f"a {asked} fitted to a mesh: it is the mesh itself"
            )
        if record.name:
            self.geoms[record.name] = (link, here)
        return here

    def _site(self, record: Record, link: Link, offset: Frame) -> None:
        name = record.name or f"site of line {record.element.line}"
        link.sites[name] = offset @ record.frame()
        self.sites[name] = (link, link.sites[name])

    def _weighed(self, element: Element, geoms: list[Geom], offset: Frame) -> list[MassProperties]:
        """From the inertial element or from the geoms, as the compiler is told."""
        given = next((child for child in element if child.tag == "inertial"), None)
        rule = self.document.compiler.word("inertiafromgeom", "auto")
        low, high = self.document.compiler.array("inertiagrouprange", 2, (0, 5))
        if given is not None and rule != "true":
            balance = self.document.compiler.word("balanceinertia", "false") == "true"
            return [moved(_inertial(self.document.record(given), balance), offset)]  # type: ignore[arg-type]
        if rule == "false":
            return []
        return [g.mass for g in geoms if low <= g.record.number("group", 0) <= high and g.mass.mass > 0.0]


def _turn(quaternion: Any) -> Array:
    size = float(np.linalg.norm(quaternion))
    return rotation(quaternion=(quaternion / size).tolist()) if size > 1e-12 else np.eye(3)


def _inertial(record: Record, balance: bool) -> MassProperties:
    """mass, pos and diaginertia or fullinertia; balance: moments that no body can have become their mean."""
    mass, frame = record.number("mass", 0.0), record.frame()
    full, principal = record.array("fullinertia", 6), record.array("diaginertia", 3)
    if full is not None:
        xx, yy, zz, xy, xz, yz = full
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    elif principal is not None:
        inertia = np.diag(principal)
    else:
        raise InputError(f"{record.where}: give diaginertia or fullinertia")
    inertia = balanced(inertia) if balance else inertia
    return moved(MassProperties(mass, np.zeros(3), second_moment_from_inertia(inertia, 3, record.where)), frame)
