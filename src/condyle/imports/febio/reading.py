"""A .feb file as a model: solids and rigid bodies, what holds them, what loads them, where they touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.rigid import RigidBody
from condyle.bodies.solid import Solid
from condyle.contact.contact import Contact
from condyle.contact.facets import FacetSurface
from condyle.errors import InputError, unknown_name
from condyle.forces.loads import Load, Traction
from condyle.forces.pressure import Pressure
from condyle.imports.febio.materials import KNOWN, RIGID, UNCOUPLED, material_of
from condyle.imports.febio.rigid import add_rigid
from condyle.imports.febio.spec import Domain, Spec, Units, flag
from condyle.imports.frames import Names
from condyle.imports.imported import Imported
from condyle.joints.hold import Hold
from condyle.joints.tie import Tie
from condyle.model.functions import Constant, Spline, Table, TimeFunction
from condyle.model.point import Point
from condyle.parts import Model

__all__ = ["Reader", "read"]

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
LARGE = 5.0  # [m]: so large is hardly a model of a body part
QUIET = {"Module", "Globals", "Control", "Material", "Mesh", "MeshDomains", "LoadData", "Output", "Step"}
TAKEN = {"Boundary", "Loads", "Contact", "Rigid"}


@dataclass
class Member:
    """A body with the nodes of the file that it has; number: of a node of the file -> its own."""

    name: str
    nodes: list[int]
    rigid: bool
    centre: Any = None
    number: dict[int, int] = field(default_factory=dict)
    surfaces: dict[str, list[list[int]]] = field(default_factory=dict)


def read(path: str | Path, *, length: float = 1.0, force: float = 1.0) -> Imported:
    """Read a FEBio file of version 3 or 4.

    length [m], force [N]: units of the file; in mm and N, so MPa, give length=0.001.
    """
    if not length > 0.0 or not force > 0.0:
        raise InputError(f"'{path}': length and force are the units of the file in m and N, above 0")
    reader = Reader(Spec(Path(path), Units(length, force)))
    reader.build()
    return reader.imported


class Reader:
    """Puts the model together."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.model = Model(spec.file.stem, dimension=3)
        self.imported = Imported(self.model, spec.file, f"FEBio {spec.version}")
        self.names = Names()
        self.members: list[Member] = []
        self.materials = {str(e.get("name") or e.get("id")): e for e in spec.root.iter("material")}
        self.by_id = {str(e.get("id")): str(e.get("name") or e.get("id")) for e in spec.root.iter("material")}
        self.rigid: dict[str, Member] = {}  # by material
        self.tied: dict[str, set[int]] = {}

    def build(self) -> None:
        """Bodies first, then all that refers to them."""
        span = float(np.ptp(self.spec.nodes, axis=0).max())
        if span > LARGE and self.spec.units.length == 1.0:
            self.leave_out(
                "units", self.spec.file.name, f"the mesh is {span:.3g} m large; if it is in mm, give length=0.001"
            )
        rigid = [d for d in self.spec.domains if self._material(d.material).get("type") == RIGID]
        for name in dict.fromkeys(d.material for d in rigid):
            self._add_rigid_body(name, [d for d in rigid if d.material == name])
        for group in _connected([d for d in self.spec.domains if d not in rigid]):
            self._add_solid(group)
        self._join_rigid()
        for element in self.section("Boundary"):
            self._boundary(element)
        for element in self.section("Loads"):
            self._load(element)
        add_rigid(self)
        for element in self.section("Contact"):
            self._contact(element)
        self._note_the_rest()
        self.imported.names = self.names.changed

    # --- what others ask ----------------------------------------------------------------------------------------------

    def leave_out(self, what: str, name: str, why: str) -> None:
        """Note something that the model does not have."""
        self.imported.leave_out(what, name, why)

    def section(self, tag: str) -> Iterator[Any]:
        """Elements of a section, and of the same section of the first step."""
        steps = self.spec.root.findall("Step/step")
        for parent in [self.spec.root, *steps[:1]]:
            for section in parent.findall(tag):
                yield from section

    def parts_of(self, nodes: list[int]) -> list[tuple[Member, list[int]]]:
        """Solids that have some of these nodes, with their own numbers of them."""
        found = [(m, [m.number[k] for k in nodes if k in m.number]) for m in self.members if not m.rigid]
        return [(member, own) for member, own in found if own]

    def rigid_member(self, name: str, wanted_by: object) -> Member:
        """A rigid body by the name or number of its material."""
        own = name if name in self.rigid else self.by_id.get(name, name)
        if own not in self.rigid:
            raise unknown_name("rigid body", name, self.rigid, where=self.spec.place(wanted_by))
        return self.rigid[own]

    # --- bodies -------------------------------------------------------------------------------------------------------

    def _material(self, name: str) -> Any:
        if name not in self.materials:
            raise unknown_name("material", name, self.materials, where=f"'{self.spec.file}'")
        return self.materials[name]

    def _member(self, name: str, cells: list[Any], rigid: bool) -> Member:
        used = sorted({int(k) for block in cells for k in np.ravel(block)})
        member = Member(name, used, rigid, number={k: n for n, k in enumerate(used)})
        for title, facets in self.spec.surfaces.items():
            if all(k in member.number for facet in facets for k in facet):
                member.surfaces[title] = [[member.number[k] for k in facet] for facet in facets]
        self.members.append(member)
        return member

    def _add_rigid_body(self, material: str, domains: list[Domain]) -> None:
        element = self._material(material)
        member = self._member(self.names.take("body", material), [d.cells for d in domains], True)
        density = self.spec.number_of(element, "density", 1.0) * self.spec.units.density
        places, kinds = self.spec.nodes[member.nodes], {d.kind for d in domains}
        cells = {
            kind: np.vstack([_own(d, member) for d in domains if d.kind == kind]).tolist() for kind in sorted(kinds)
        }
        single = next(iter(cells)) if len(cells) == 1 else None

        def made(X: NDArray[np.float64], **options: Any) -> RigidBody:
            form: Any = cells[single] if single else cells
            return RigidBody.from_mesh(member.name, X.tolist(), form, density, element=single or "mixed", **options)

        given = element.find("center_of_mass")
        middle = np.array(made(places).centre_of_mass or np.zeros(3))
        # The origin is the centre of mass: what FEBio says of the motion of a rigid body is meant there.
        member.centre = middle if given is None else np.array(self.spec.values(given, 3)) * self.spec.units.length
        self.model.add(made(places - member.centre, position=member.centre.tolist()))
        self.rigid[material] = member
        if given is not None and np.abs(member.centre - middle).max() > 1e-6 * float(np.ptp(places, axis=0).max()):
            self.leave_out("center_of_mass", material, "is the origin of the body; its mass is where its mesh is")

    def _add_solid(self, domains: list[Domain]) -> None:
        name = self.names.take("body", domains[0].name)
        member = self._member(name, [d.cells for d in domains], False)
        domains = sorted(domains, key=lambda d: d.kind)  # cells are numbered kind by kind
        kinds = list(dict.fromkeys(d.kind for d in domains))
        cells = {kind: np.vstack([_own(d, member) for d in domains if d.kind == kind]).tolist() for kind in kinds}
        starts = np.cumsum([0, *(len(d.cells) for d in domains)])
        materials = {}
        regions = {}
        for domain, start in zip(domains, starts, strict=False):
            element = self._material(domain.material)
            made = material_of(self.spec, element)
            if made is None:
                kind = element.get("type")
                raise InputError(
                    f"{self.spec.place(element)}: materials of type '{kind}' are not read; known: {', '.join(KNOWN)}"
                )
            materials[domain.name], regions[domain.name] = made, list(range(int(start), int(start) + len(domain.cells)))
        sets = {
            title: [member.number[k] for k in nodes if k in member.number] for title, nodes in self.spec.sets.items()
        }
        sets = {title: nodes for title, nodes in sets.items() if nodes}
        for title, facets in member.surfaces.items():
            sets.setdefault(title, sorted({k for facet in facets for k in facet}))
        one = len(set(materials.values())) == 1
        self.model.add(
            Solid(
                name,
                self.spec.nodes[member.nodes].tolist(),
                cells if len(kinds) > 1 else cells[kinds[0]],
                kinds[0] if len(kinds) == 1 else "mixed",
                next(iter(materials.values())) if one else materials,
                sets=sets,
                surfaces=member.surfaces,
                regions=regions,
            )
        )

    def _join_rigid(self) -> None:
        """Nodes that a solid and a rigid body both have follow the rigid body."""
        for rigid in self.rigid.values():
            for member, own in self.parts_of(rigid.nodes):
                self.tie(f"{member.name} on {rigid.name}", member, own, rigid.name)

    def tie(self, name: str, member: Member, nodes: list[int], to: str) -> None:
        """Nodes of a solid follow a body; those that follow one already stay with it."""
        known = self.tied.setdefault(member.name, set())
        new = [k for k in nodes if k not in known]
        known.update(new)
        if new:
            self.model.add(Tie(self.names.take("tie", name), member.name, new, to))

    # --- what holds and loads them ------------------------------------------------------------------------------------

    def _boundary(self, element: Any) -> None:
        kind, name = element.get("type", ""), element.get("name") or self.spec.place(element)
        if element.tag != "bc":
            self.leave_out("boundary condition", name, f"'{element.tag}' is not read")
            return
        nodes = self.spec.node_set(element.get("node_set", ""), element)
        if kind in ("zero displacement", "fix"):
            listed = self.spec.text(element, "dofs").replace(" ", "").split(",")
            dofs = [d for d in "xyz" if d in listed or flag(self.spec.text(element, f"{d}_dof", "0"))]
            for member, own in self.parts_of(nodes):
                if len(dofs) == 3:
                    self.tie(name, member, own, "ground")
                    continue
                for dof in dofs:
                    self._hold(f"{name} {dof}", member, own, dof, Constant(0.0))
        elif kind in ("prescribed displacement", "prescribe"):
            dof = self.spec.text(element, "dof")
            child = element.find("value") if element.find("value") is not None else element.find("scale")
            if dof not in AXES or child is None:
                self.leave_out("boundary condition", name, f"prescribes '{dof}', which is not read")
                return
            (value, *_), curve = self.spec.scaled(child)
            for member, own in self.parts_of(nodes):
                self._hold(name, member, own, dof, times(curve, value * self.spec.units.length))
        elif kind == "rigid":
            body = self.rigid_member(self.spec.text(element, "rb"), element)
            for member, own in self.parts_of(nodes):
                self.tie(name, member, own, body.name)
        else:
            self.leave_out("boundary condition", name, f"'{kind}' is not read")

    def _hold(self, name: str, member: Member, nodes: list[int], dof: str, motion: TimeFunction) -> None:
        free = [k for k in nodes if k not in self.tied.get(member.name, ())]
        if free:
            self.model.add(Hold(self.names.take("support", name), member.name, free, AXES[dof], displacement=motion))

    def _load(self, element: Any) -> None:
        kind, name = element.get("type", ""), element.get("name") or self.spec.place(element)
        if element.tag == "nodal_load":
            self._nodal_load(element, kind, name)
        elif element.tag == "surface_load" and kind in ("pressure", "traction"):
            title = element.get("surface", "")
            self.spec.surface(title, element)
            owner = next((m for m in self.members if title in m.surfaces and not m.rigid), None)
            if owner is None:
                self.leave_out("surface load", name, "its surface is not that of one solid")
            elif kind == "pressure":
                (p, *_), curve = self._scaled(element, "pressure")
                part = Pressure(
                    self.names.take("pressure", name), owner.name, p * self.spec.units.stress, curve, surface=title
                )
                self.model.add(part)
            else:
                vector, curve = self._scaled(element, "traction")
                (scale, *_), more = (
                    self._scaled(element, "scale") if element.find("scale") is not None else ([1.0], Constant(1.0))
                )
                force = (np.array(vector) * scale * self.spec.units.stress).tolist()
                both = product(curve, more)
                self.model.add(Traction(self.names.take("traction", name), owner.name, title, force, both))
        elif element.tag == "body_load":
            self.leave_out("body load", name, "is not read; set model.gravity, or add a BodyForce")
        else:
            self.leave_out("load", name, f"'{kind or element.tag}' is not read")

    def _nodal_load(self, element: Any, kind: str, name: str) -> None:
        nodes = self.spec.node_set(element.get("node_set", ""), element)
        child = element.find("value") if element.find("value") is not None else element.find("scale")
        dof = self.spec.text(element, "dof")
        if child is None or (kind != "nodal_force" and dof not in AXES):
            self.leave_out("nodal load", name, f"'{kind}' on '{dof}' is not read")
            return
        values, curve = self.spec.scaled(child)
        if len(values) != 3 and dof not in AXES:
            self.leave_out("nodal load", name, f"its direction '{dof}' is not known")
            return
        force = np.array(values) if len(values) == 3 else values[0] * np.array(AXES[dof])
        for member, own in self.parts_of(nodes):
            for k in own:
                title = self.names.take("load", f"{name} {k}")
                self.model.add(Load(title, Point(member.name, k), (force * self.spec.units.force).tolist(), curve))

    def _scaled(self, element: Any, tag: str) -> tuple[list[float], TimeFunction]:
        child = element.find(tag)
        if child is None:
            raise InputError(f"{self.spec.place(element)}: it needs {tag}")
        return self.spec.scaled(child)

    # --- contact ------------------------------------------------------------------------------------------------------

    def _contact(self, element: Any) -> None:
        kind, name = element.get("type", ""), element.get("name") or self.spec.place(element)
        pair = element.get("surface_pair", "")
        if not kind.startswith(("sliding", "tied")) or pair not in self.spec.pairs:
            self.leave_out("contact", name, f"'{kind}' is not read")
            return
        ends = [(t, next((m for m in self.members if t in m.surfaces), None)) for t in self.spec.pairs[pair]]
        ends.sort(key=lambda end: end[1] is not None and end[1].rigid)  # a rigid body is the target
        (first, body), (second, target) = ends
        if body is None or target is None or body.rigid:
            self.leave_out("contact", name, "its surfaces are not those of a solid and another body")
        elif kind.startswith("tied"):
            if target.rigid:
                self.tie(name, body, sorted({k for f in body.surfaces[first] for k in f}), target.name)
            else:
                self.model.add(Tie(self.names.take("tie", name), body.name, first, target.name, surface=second))
        else:
            shape: Any = second
            if target.rigid:
                shape = FacetSurface(
                    (self.spec.nodes[target.nodes] - target.centre).tolist(), _flat(target.surfaces[second])
                )
            friction = self.spec.number_of(element, "fric_coeff", 0.0)
            part = Contact(self.names.take("contact", name), body.name, first, target.name, shape, friction=friction)
            self.model.add(part)
            self.leave_out("contact", name, "is held by multipliers; penalty, tolerances and both passes are not taken")

    def _note_the_rest(self) -> None:
        spec = self.spec
        for element in spec.root:
            if element.tag not in QUIET | TAKEN:
                self.leave_out("section", str(element.tag), "is not read")
        steps = spec.root.findall("Step/step")
        for step in steps[1:]:
            self.leave_out("step", str(step.get("name") or step.get("id")), "only the first step is read")
        for parent in (spec.root, *steps[:1]):
            control = parent.find("Control")
            if control is not None:
                kind = spec.text(control, "analysis", "STATIC").upper()
                count, size = (spec.number_of(control, tag, 0.0) for tag in ("time_steps", "step_size"))
                how = "with QuasiStatic()" if kind in ("STATIC", "STEADY-STATE", "") else "in time"
                self.leave_out("Control", spec.file.name, f"run it {how}: end={count * size:g}, dt={size:g}")
        for element in spec.root.iter("load_controller"):
            if spec.text(element, "interpolate").upper() == "STEP":
                self.leave_out("load curve", str(element.get("id")), "its steps are straight lines here")
            if spec.text(element, "extend", "CONSTANT").upper() != "CONSTANT":
                self.leave_out("load curve", str(element.get("id")), "how it goes on beyond its ends is not read")
        used = {d.material for d in spec.domains}
        for name, element in self.materials.items():
            special = spec.text(element, "pressure_model").lower().replace("default", "")
            if name in used and element.get("type") in UNCOUPLED and special != "nike3d":
                self.leave_out("material", name, "its U(J) is ¼ k (J² − 1 − 2 ln J) in place of ½ k (ln J)²")


def times(curve: TimeFunction, factor: float) -> TimeFunction:
    """A load curve times a number."""
    if isinstance(curve, Table | Spline):
        return type(curve)(curve.times, tuple(factor * y for y in curve.values))
    return Constant(factor * curve(0.0))


def product(one: TimeFunction, two: TimeFunction) -> TimeFunction:
    """Two load curves times each other; of two that both change, straight lines between ten points for each of their pieces."""
    if isinstance(two, Constant):
        return times(one, two.value)
    if isinstance(one, Constant):
        return times(two, one.value)
    knots = sorted({t for curve in (one, two) for t in getattr(curve, "times", ())})
    fine = [a + (b - a) * k / 10.0 for a, b in pairwise(knots) for k in range(10)] + knots[-1:]
    return Table(tuple(fine), tuple(one(t) * two(t) for t in fine))


def _own(domain: Domain, member: Member) -> NDArray[np.int64]:
    """Cells of a domain with the numbers of its body."""
    return np.array([[member.number[int(k)] for k in cell] for cell in domain.cells], dtype=np.int64)


def _flat(facets: list[list[int]]) -> list[list[int]]:
    """Facets by their corners: triangles and quadrilaterals as triangles."""
    corners = {3: 3, 6: 3, 7: 3, 4: 4, 8: 4, 9: 4}
    rings = [facet[: corners[len(facet)]] for facet in facets]
    return [[ring[0], ring[k], ring[k + 1]] for ring in rings for k in range(1, len(ring) - 1)]


def _connected(domains: list[Domain]) -> list[list[Domain]]:
    """Domains that share nodes, together."""
    groups: list[tuple[list[Domain], set[int]]] = []
    for domain in domains:
        nodes = set(domain.cells.ravel().tolist())
        touching = [g for g in groups if g[1] & nodes]
        groups = [g for g in groups if g not in touching]
        groups.append(([d for g in touching for d in g[0]] + [domain], nodes.union(*(g[1] for g in touching))))
    return [group for group, _ in groups]
