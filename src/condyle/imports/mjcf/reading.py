"""An MJCF file as a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from condyle.bodies.rigid import RigidBody
from condyle.errors import InputError, unknown_name
from condyle.imports.frames import Frame, Names
from condyle.imports.imported import Imported
from condyle.imports.looks import faces_of
from condyle.imports.mjcf.actuators import add_actuators
from condyle.imports.mjcf.chains import JointOf
from condyle.imports.mjcf.contacts import add_contacts
from condyle.imports.mjcf.document import Document
from condyle.imports.mjcf.equalities import add_equalities
from condyle.imports.mjcf.joints import Coordinate, add_joint, add_joint_forces
from condyle.imports.mjcf.tendons import Tendons, add_tendons
from condyle.imports.mjcf.tree import Link, Tree
from condyle.imports.xml import Element
from condyle.model.point import Point
from condyle.parts import Model

__all__ = ["Reader", "claims", "read"]

SILENT = {
    "compiler", "option", "default", "worldbody", "asset", "equality", "tendon", "actuator", "contact", "keyframe", "visual",
    "statistic", "size", "custom", "include",
}  # fmt: skip


def claims(root: Element) -> bool:
    """Is an XML file with this root element an MJCF file?"""
    return root.tag == "mujoco"


def read(
    path: str | Path,
    *,
    contacts: bool = False,
    limits: bool = True,
    rotors: bool = True,
    equalities: bool = True,
    keyframe: str | int | None = None,
    qpos: Sequence[float] | None = None,
    qvel: Sequence[float] | None = None,
    controls: Mapping[str, Any] | None = None,
) -> Imported:
    """Read an MJCF file.

    contacts: geoms meet each other. limits: ranges of joints are stops. rotors: armature is carried by wheels that turn with
    the joints. equalities: constraints of the section of that name. keyframe: name or number of the keyframe to start from; or
    qpos and qvel, as MuJoCo has them. controls: name of an actuator -> number or function of time.
    """
    reader = Reader(
        Path(path),
        contacts=contacts,
        limits=limits,
        rotors=rotors,
        equalities=equalities,
        controls=dict(controls or {}),
    )
    reader.start(keyframe, qpos, qvel)
    return reader.made()


class Reader:
    """Puts the parts of a model together; the modules beside this one add theirs to it."""

    def __init__(
        self, file: Path, *, contacts: bool, limits: bool, rotors: bool, equalities: bool, controls: dict[str, Any]
    ) -> None:
        self.document = Document(file)
        name = self.document.root.get("model") or file.stem
        flags = {
            k: v for e in self.document.sections("option") for f in e if f.tag == "flag" for k, v in f.attrib.items()
        }
        gravity = self.document.option.array("gravity", 3, (0.0, 0.0, -9.81))
        still = flags.get("gravity") == "disable"
        self.model = Model(name, dimension=3, gravity=[0.0] * 3 if still else gravity.tolist())
        self.imported = Imported(self.model, file, "MJCF")
        self.contacts, self.rotors, self.controls = contacts, rotors, controls
        self.equalities = equalities and flags.get("equality") != "disable"
        self.limits = limits and flags.get("limit") != "disable"
        self.names = Names()
        self.coordinates: dict[str, Coordinate] = {}
        self.tendons = Tendons()
        self.key_controls: Any = None
        self._check_options()

    def start(self, keyframe: str | int | None, qpos: ArrayLike | None, qvel: ArrayLike | None) -> None:
        """The state to start from: that of a keyframe, a given one, or the reference."""
        keys = [self.document.record(element) for element in self.document.listed("keyframe")]
        if keyframe is not None:
            if qpos is not None or qvel is not None:
                raise InputError(f"'{self.document.file}': give a keyframe, or qpos and qvel, not both")
            names = [key.name or str(k) for k, key in enumerate(keys)]
            number = names.index(str(keyframe)) if str(keyframe) in names else keyframe
            if not isinstance(number, int) or not 0 <= number < len(keys):
                raise unknown_name("keyframe", keyframe, names, where=f"'{self.document.file}'")
            key = keys[number]
            qpos, qvel, self.key_controls = key.array("qpos"), key.array("qvel"), key.array("ctrl")
        elif keys and qpos is None:
            named = ", ".join(repr(key.name or k) for k, key in enumerate(keys))
            self.leave_out("keyframes", named, "the model starts from the reference; choose one by keyframe=…")
        self.tree = Tree(self.document, self.imported, qpos, qvel)

    def made(self) -> Imported:
        """The model, with everything in it."""
        for link in self.tree.links:
            taken = self.names.take("body", link.name)
            link.name = taken
        total = self.document.compiler.number("settotalmass", -1.0)
        self.scale = total / sum(link.mass.mass for link in self.tree.links) if total > 0.0 else 1.0
        for link in self.tree.links:
            self._add_body(link)
        for link in self.tree.links:
            add_joint(self, link)
        for link in self.tree.links:
            for joint in link.joints:
                add_joint_forces(self, link, joint)
        add_tendons(self)
        if self.equalities:
            add_equalities(self)
        add_actuators(self)
        if self.contacts:
            add_contacts(self)
        self._note_the_rest()
        self.imported.coordinates = {name: q.name for name, q in self.coordinates.items()}
        self.imported.conversions = {
            name: (q.sign, -q.sign * q.zero) for name, q in self.coordinates.items() if q.sign != 1.0 or q.zero
        }
        self.imported.names = self.names.changed
        return self.imported

    def _add_body(self, link: Link) -> None:
        m = link.mass
        if not m.mass > 0.0:
            where = link.record.where if link.record is not None else link.name
            raise InputError(f"{where}: a body that moves needs mass; give it a geom with mass, or an inertial element")
        drawn = [geom.shape() for geom in link.geoms if geom.kind != "plane" and geom.record.number("group", 0) < 3]
        shapes = [shape for shape in drawn if shape is not None]
        points = {name.replace(".", "-"): frame.place.tolist() for name, frame in link.sites.items()}
        self.model.add(
            RigidBody(
                link.name,
                self.scale * m.mass,
                second_moment=(self.scale * m.second_moment).tolist(),
                centre_of_mass=_given(m.centre),
                position=_given(link.world.place),
                rotation=None if np.array_equal(link.world.turn, np.eye(3)) else link.world.turn.tolist(),
                velocity=_given(link.velocity),
                angular_velocity=_given(link.spin),
                points=points,
                faces=faces_of(shapes, link.name),
            )
        )

    # --- for the modules beside this one ------------------------------------------------------------------------------

    def leave_out(self, what: str, name: str, why: str) -> None:
        """Note something that the model does not have."""
        self.imported.leave_out(what, name, why)

    def coordinate(self, joint: JointOf, q: Coordinate) -> None:
        """Know a joint of the file by its coordinate."""
        self.coordinates[joint.name] = q

    def site(self, name: str, wanted_by: Any) -> tuple[Link, Frame]:
        """The link that carries a site, and its axes there."""
        if name not in self.tree.sites:
            raise unknown_name("site", name, self.tree.sites, where=wanted_by.where)
        return self.tree.sites[name]

    def body(self, name: str, wanted_by: Any) -> tuple[Link, Frame]:
        """The link that a body of the file belongs to, and the axes of the body there."""
        if name not in self.tree.bodies:
            raise unknown_name("body", name, self.tree.bodies, where=wanted_by.where)
        return self.tree.bodies[name]

    def point(self, link: Link, place: ArrayLike) -> Point:
        """A point of a link, by its place there."""
        return Point(link.name, tuple(np.asarray(place, dtype=float).tolist()))

    # --- what is not read ---------------------------------------------------------------------------------------------

    def _check_options(self) -> None:
        option = self.document.option
        for name in ("density", "viscosity"):
            if option.number(name, 0.0):
                self.leave_out("option", name, "a medium that bodies move through is not carried")
        if "wind" in option and option.array("wind").any():
            self.leave_out("option", "wind", "is not carried")
        for name in ("boundmass", "boundinertia"):
            if self.document.compiler.word(name, "0") not in ("0", "false"):
                self.leave_out("compiler", name, "is not read; masses are taken as they stand")

    def _note_the_rest(self) -> None:
        counts: dict[str, int] = {}
        for element in self.document.root:
            if element.tag not in SILENT:
                counts[str(element.tag)] = counts.get(str(element.tag), 0) + max(len(element), 1)
        for tag, count in counts.items():
            self.leave_out("section", tag, f"{count} elements are not read")
        for link in (self.tree.ground, *self.tree.links):
            for geom in link.geoms:
                faults = geom.surface.faults() if geom.surface is not None and geom.mass.mass > 0.0 else []
                if faults:
                    self.leave_out("mesh of geom", geom.name, f"{faults[0]}; it is weighed as it stands")
                if geom.kind == "hfield":
                    self.leave_out("geom", geom.name, "height fields are not read")
                elif geom.record.word("shellinertia") == "true" or "fluidshape" in geom.record:
                    self.leave_out("geom", geom.name, "shells and forces of fluids are not carried")


def _given(vector: Any) -> list[float] | None:
    """A vector as a list, None for nothing but zeros."""
    return vector.tolist() if vector.any() else None
