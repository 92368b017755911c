"""The mesh, sets and curves of a .feb file, in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError, unknown_name
from condyle.imports.xml import numbers, parse, place
from condyle.model.functions import Constant, Spline, Table, TimeFunction

__all__ = ["KINDS", "Domain", "Spec", "Units", "flag"]

Array = NDArray[np.float64]
KINDS = {
    "hex8": "hex8", "hex20": "hex20", "tet4": "tet4", "tet10": "tet10", "penta6": "wedge6", "penta15": "wedge15",
    "pyra5": "pyramid5",
}  # fmt: skip
VERSIONS = ("3.0", "4.0")


@dataclass(frozen=True)
class Units:
    """Units of a file in SI units: length [m], force [N]; time is in seconds."""

    length: float = 1.0
    force: float = 1.0

    @property
    def stress(self) -> float:
        return self.force / self.length**2

    @property
    def density(self) -> float:
        return self.force / self.length**4


@dataclass(eq=False)
class Domain:
    """Elements of one kind and material; cells count the nodes of the file from 0."""

    name: str
    kind: str
    cells: NDArray[np.int64]
    material: str


class Spec:
    """A .feb file: what other parts of it refer to, by name."""

    def __init__(self, file: Path, units: Units) -> None:
        self.file, self.units = file, units
        self.root = parse(file)
        version = self.root.get("version", "none")
        if self.root.tag != "febio_spec":
            raise InputError(
                f"'{file}': a FEBio file has the root element 'febio_spec', this one has '{self.root.tag}'"
            )
        if version not in VERSIONS:
            raise InputError(
                f"'{file}' has version {version}; files of versions 3.0 and 4.0 are read: open it in FEBio Studio and save it"
            )
        self.version = int(version[0])
        module = self.root.find("Module")
        if module is not None and module.get("type", "solid") != "solid":
            raise InputError(f"'{file}' is of the module '{module.get('type')}'; solid mechanics is read")
        mesh = self.root.find("Mesh")
        if mesh is None:
            raise InputError(f"'{file}' has no section Mesh")
        self.mesh = mesh
        self.number: dict[int, int] = {}  # id of a node -> its number from 0
        places: list[list[float]] = []
        for node in mesh.iter("node"):
            if node.text and "," in node.text:
                self.number[self._whole(node.get("id", ""), node)] = len(places)
                places.append(self.values(node, 3))
        self.nodes: Array = np.array(places).reshape(-1, 3) * units.length
        self.surfaces = {str(e.get("name")): self._facets(e) for e in mesh.findall("Surface")}
        self.sets = {str(e.get("name")): self._members(e) for e in mesh.findall("NodeSet")}
        self.pairs = {str(e.get("name")): self._pair(e) for e in mesh.findall("SurfacePair")}
        self.domains = self._domains()
        self.curves = self._curves()

    def place(self, element: Any) -> str:
        """Where an element stands, for messages."""
        return place(self.file, element)

    def values(self, element: Any, count: int | None) -> list[float]:
        """Numbers separated by commas."""
        return numbers((element.text or "").replace(",", " "), count, self.place(element))

    def number_of(self, element: Any, tag: str, default: float) -> float:
        """One number in a child element."""
        child = element.find(tag)
        return default if child is None else self.values(child, 1)[0]

    def text(self, element: Any, tag: str, default: str = "") -> str:
        """The text of a child element."""
        child = element.find(tag)
        return default if child is None else (child.text or "").strip()

    def node_set(self, name: str, wanted_by: object) -> list[int]:
        """Nodes by the name of a set, or of a surface as '@surface:name'."""
        kind, _, own = name.rpartition(":")
        if kind == "@surface" or (name in self.surfaces and name not in self.sets):
            return sorted({k for facet in self.surface(own or name, wanted_by) for k in facet})
        if name not in self.sets:
            raise unknown_name("node set", name, self.sets, where=self.place(wanted_by))
        return self.sets[name]

    def surface(self, name: str, wanted_by: object) -> list[list[int]]:
        """Facets by the name of a surface."""
        if name not in self.surfaces:
            raise unknown_name("surface", name, self.surfaces, where=self.place(wanted_by))
        return self.surfaces[name]

    def scaled(self, element: Any) -> tuple[list[float], TimeFunction]:
        """The numbers of an element, and the load curve that it names."""
        curve = element.get("lc")
        if curve is None:
            return self.values(element, None), Constant(1.0)
        if curve not in self.curves:
            raise unknown_name("load curve", curve, self.curves, where=self.place(element))
        return self.values(element, None), self.curves[curve]

    def _node(self, number: int, wanted_by: object) -> int:
        if number not in self.number:
            raise InputError(f"{self.place(wanted_by)}: there is no node {number}")
        return self.number[number]

    def _facets(self, element: Any) -> list[list[int]]:
        return [[self._node(int(v), f) for v in self.values(f, None)] for f in element]

    def _members(self, element: Any) -> list[int]:
        text = (element.text or "").replace(",", " ").split()
        given = [*text, *(child.get("id", "") for child in element)]
        found: list[int] = []
        for word in given:
            first, *more = word.split(":")  # 'first:last' or 'first:last:step' is a range
            if not more:
                found.append(self._node(self._whole(word, element), element))
                continue
            start, end, *by = (self._whole(part, element) for part in (first, *more[:2]))
            if end < start or (by and by[0] < 1) or len(more) > 2:
                raise InputError(
                    f"{self.place(element)}: '{word}' is no range of nodes; write first:last or first:last:step"
                )
            found += [self._node(k, element) for k in range(start, end + 1, *by)]
        return found

    def _whole(self, word: str, element: object) -> int:
        try:
            return int(word)
        except ValueError:
            raise InputError(f"{self.place(element)}: '{word}' should be the number of a node") from None

    def _pair(self, element: Any) -> tuple[str, str]:
        ends = []
        for tag in ("primary", "secondary"):
            child = element.find(tag)
            if child is None:
                raise InputError(f"{self.place(element)}: it needs a primary and a secondary surface")
            ends.append(child.get("surface") or (child.text or "").strip())
        return ends[0], ends[1]

    def _domains(self) -> list[Domain]:
        names = {e.get("id"): e.get("name", e.get("id")) for e in self.root.iter("material")}
        given = {e.get("name"): e.get("mat") for e in self.root.iter("SolidDomain")}
        found = []
        for element in self.mesh.findall("Elements"):
            name, kind = str(element.get("name")), element.get("type", "")
            if kind not in KINDS:
                if name in given:
                    known = ", ".join(KINDS)
                    raise InputError(f"{self.place(element)}: elements of type '{kind}' are not read; known: {known}")
                continue
            cells = [[self._node(int(v), e) for v in self.values(e, None)] for e in element]
            material = given.get(name) or element.get("mat")
            if material is None:
                raise InputError(f"{self.place(element)}: no SolidDomain gives these elements a material")
            found.append(Domain(name, KINDS[kind], np.array(cells, dtype=np.int64), str(names.get(material, material))))
        if not found:
            raise InputError(f"'{self.file}' has no solid elements")
        return found

    def _curves(self) -> dict[str, TimeFunction]:
        found: dict[str, TimeFunction] = {}
        for element in self.root.iter("load_controller"):
            points = element.find("points")
            if element.get("type") != "loadcurve" or points is None:
                continue
            table = np.array([self.values(point, 2) for point in points])
            t, y = tuple(table[:, 0].tolist()), tuple(table[:, 1].tolist())
            smooth = self.text(element, "interpolate").upper() == "SMOOTH" and len(t) > 2
            found[element.get("id", "")] = Spline(t, y) if smooth else Table(t, y)
        return found


def flag(text: str) -> bool:
    """1 or true."""
    return text.strip().lower() in ("1", "true")
