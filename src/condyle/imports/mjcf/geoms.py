"""Geoms of MJCF: what they weigh and the shapes that they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from condyle.bodies import inertia
from condyle.bodies.inertia import MassProperties
from condyle.contact.facets import FacetSurface
from condyle.contact.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere
from condyle.errors import InputError, unknown_name
from condyle.imports.frames import Frame, moved, turn_to
from condyle.imports.mjcf.document import Document, Record
from condyle.imports.surfaces import Surface, read_surface
from condyle.model.rotations import rotation

__all__ = ["Geom", "Meshes", "geom_of"]

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
WATER = 1000.0  # kg/m³, the density of geoms that give none


@dataclass
class Geom:
    """kind, sizes [m] as in the file, place in its body, what it weighs there, and what it says about contact."""

    record: Record
    kind: str
    size: Any
    frame: Frame
    mass: MassProperties
    surface: Surface | None = None

    @property
    def name(self) -> str:
        """Its name, or its kind and line."""
        return self.record.name or f"{self.kind} of line {self.record.element.line}"

    @property
    def touches(self) -> tuple[int, int]:
        """contype and conaffinity."""
        return int(self.record.number("contype", 1)), int(self.record.number("conaffinity", 1))

    def shape(self, frame: Frame | None = None) -> Any:
        """The shape in the axes of the body, or of those that the body has the given frame in; None if there is none."""
        at = self.frame if frame is None else frame @ self.frame
        place, s = at.place.tolist(), self.size
        if self.kind == "sphere":
            return Sphere(s[0], centre=place)
        if self.kind == "capsule":
            return Capsule(at.at((0, 0, -s[1])).tolist(), at.at((0, 0, s[1])).tolist(), s[0])
        if self.kind == "cylinder":
            return Cylinder(s[0], axis=at.turn[:, 2].tolist(), centre=place, length=2.0 * s[1])
        if self.kind == "box":
            return Box((2.0 * s).tolist(), centre=place, rotation=at.turn.tolist())
        if self.kind == "ellipsoid":
            return Ellipsoid(s.tolist(), centre=place, rotation=at.turn.tolist())
        if self.kind == "plane":
            return Plane(at.turn[:, 2].tolist(), point=place)
        if self.surface is None or self.surface.is_flat():
            return None
        # As in MuJoCo, what touches is the convex hull.
        hull = self.surface.hull()
        return FacetSurface((hull.points @ at.turn.T + at.place).tolist(), hull.triangles.tolist())


class Meshes:
    """Mesh assets by name, read when first asked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._records: dict[str, Record] = {}
        self._read: dict[str, Surface] = {}
        for element in document.listed("asset"):
            if element.tag == "mesh":
                record = document.record(element)
                name = record.name or record.word("file").rpartition("/")[2].rpartition(".")[0]
                self._records[name] = record

    def inertia_of(self, name: str) -> str:
        """'exact', 'convex', 'legacy' or 'shell': how MuJoCo weighs it."""
        record = self._records.get(name)
        return record.word("inertia", "exact") if record else "exact"

    def find(self, name: str, wanted_by: Record) -> Surface:
        """The triangles of a mesh in its own axes [m]."""
        if name not in self._records:
            raise unknown_name("mesh", name, self._records, where=wanted_by.where)
        if name not in self._read:
            self._read[name] = self._made(self._records[name])
        return self._read[name]

    def _made(self, record: Record) -> Surface:
        if "vertex" in record:
            points, faces = record.array("vertex").reshape(-1, 3), record.array("face")
            label = f"the mesh of {record.where}"
            triangles = np.zeros((0, 3), dtype=np.int64) if faces is None else faces.reshape(-1, 3).astype(np.int64)
            surface = Surface(points, triangles, label)
            surface = surface.hull() if faces is None else surface
        elif "file" in record:
            surface = read_surface(self.document.asset("mesh", record))
        else:
            raise InputError(f"{record.where}: a mesh needs a file or vertices; others are not read")
        surface = surface.scaled(record.array("scale", 3, (1.0, 1.0, 1.0)))
        quat = record.array("refquat", 4, (1.0, 0.0, 0.0, 0.0))
        reference = Frame(record.array("refpos", 3, (0.0, 0.0, 0.0)), rotation(quaternion=quat / np.linalg.norm(quat)))
        back = reference.inverse()
        return Surface(surface.points @ back.turn.T + back.place, surface.triangles, surface.label)


def geom_of(record: Record, meshes: Meshes) -> Geom:
    """A geom with its size and mass in the axes of its body."""
    kind = record.word("type", "sphere")
    frame, size = record.frame(), record.array("size", None, ())
    ends = record.array("fromto", 6)
    if ends is not None:
        if kind not in ("capsule", "cylinder", "ellipsoid", "box"):
            raise InputError(f"{record.where}: fromto is for a capsule, cylinder, ellipsoid or box, not for a {kind}")
        span = ends[:3] - ends[3:]
        length = float(np.linalg.norm(span))
        if length < 1e-12:
            raise InputError(f"{record.where}: the two ends of fromto must not be the same")
        frame = Frame(0.5 * (ends[:3] + ends[3:]), turn_to(span))
        across = size[:1] if kind in ("capsule", "cylinder") else np.repeat(size[:1], 2)
        size = np.append(across, 0.5 * length)
    surface = None
    if kind in ("mesh", "sdf") or "mesh" in record:
        kind = kind if kind in ("mesh", "sdf") else "mesh"  # a shape fitted to a mesh: taken as the mesh itself
        surface = meshes.find(record.word("mesh"), record)
    elif kind in SIZES:
        if len(size) < SIZES[kind] or (size[: SIZES[kind]] <= 0.0).any():
            raise InputError(
                f"{record.where}: a {kind} needs {SIZES[kind]} positive sizes, not '{record.word('size')}'"
            )
        size = size[: SIZES[kind]]
    mass = _weighed(record, kind, size, surface, meshes)
    return Geom(record, kind, size, frame, moved(mass, frame), surface)


def _weighed(record: Record, kind: str, size: ArrayLike, surface: Surface | None, meshes: Meshes) -> MassProperties:
    """Mass properties in its own axes, by its mass or its density."""
    unit = _with_density_one(record, kind, size, surface, meshes)
    if not unit.mass:
        return unit
    given = record.number("mass", -1.0)
    density = given / unit.mass if given >= 0.0 else record.number("density", WATER)
    return MassProperties(density * unit.mass, unit.centre, density * unit.second_moment)


def _with_density_one(record: Record, kind: str, size: Any, surface: Surface | None, meshes: Meshes) -> MassProperties:
    if kind == "sphere":
        return inertia.ball(size[0], 1.0, 3)
    if kind == "capsule":
        return inertia.capsule(size[0], 2.0 * size[1], 1.0)
    if kind == "cylinder":
        return inertia.cylinder(size[0], 2.0 * size[1], 1.0)
    if kind == "ellipsoid":
        return inertia.ellipsoid(size, 1.0)
    if kind == "box":
        return inertia.box(2.0 * size, 1.0)
    if surface is None or (record.number("mass", -1.0) == 0.0 or record.number("density", WATER) == 0.0):
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    if surface.is_flat():  # a picture
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    if meshes.inertia_of(record.word("mesh")) == "convex":
        surface = surface.hull()
    if not surface.faults():
        return surface.mass_properties(1.0)
    # MuJoCo takes surfaces that are not quite closed: by the volume that their triangles add up to.
    whole = inertia.of_surface(surface.points, surface.triangles, 1.0)
    sound = whole.mass > 0.0 and np.linalg.eigvalsh(whole.second_moment).min() > 0.0
    return whole if sound else surface.hull().mass_properties(1.0)
