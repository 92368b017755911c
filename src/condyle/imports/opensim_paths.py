"""Paths of muscles and ligaments in OpenSim files: points that are fixed, move or act at times, and surfaces to wrap over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.imports.opensim_build import Import
from condyle.imports.opensim_file import Transform, body_fixed_xyz
from condyle.imports.opensim_functions import Function, read_function
from condyle.imports.xml import Element, numbers
from condyle.model.point import Point
from condyle.muscles import ConditionalPoint, CylinderWrap, EllipsoidWrap, MovingPoint, SphereWrap, TorusWrap
from condyle.muscles.path import path_terms
from condyle.muscles.surfaces import SURFACES

if TYPE_CHECKING:
    from condyle.system.points import Points

__all__ = ["Paths"]

Array = NDArray[np.float64]
BLEND = 0.01  # [rad or m] within which a conditional point comes in; OpenSim switches it
POSES = 40  # in which segments are looked for that a surface touches


@dataclass
class _Surface:
    """A wrap object: on which body, where, of which kind and size [m], and on which side a path passes."""

    name: str
    body: str
    stands: Transform
    kind: str
    sizes: tuple[float, ...]
    quadrant: str

    def depth(self, p: Array, q: Array) -> float:
        """How far the line from p to q (in the frame of the surface) goes below it, over its size; negative: it does not."""
        t = np.linspace(0.02, 0.98, 49)[:, None]
        x = p + t * (q - p)
        if self.kind == "WrapCylinder":
            radius, length = self.sizes
            inside = 1.0 - np.hypot(x[:, 0], x[:, 1]) / radius
            return float(np.where(np.abs(x[:, 2]) <= 0.5 * length, inside, -1.0).max())
        if self.kind == "WrapTorus":
            tube, ring = self.sizes
            if p[2] * q[2] >= 0.0:
                return -1.0  # it does not go through the ring
            crossing = p + p[2] / (p[2] - q[2]) * (q - p)
            return float(1.0 - np.hypot(crossing[0], crossing[1]) / (ring + tube))
        return float((1.0 - np.linalg.norm(x / np.array(self.sizes), axis=1)).max())

    def missed(self, p: Array, q: Array) -> bool:
        """Would a path from p to q, on its side of an endless cylinder, touch it beyond the ends of this one only?

        OpenSim lets a path go straight where both points at which it would leave the cylinder lie beyond its ends.
        """
        radius, length = self.sizes
        across = np.array([np.hypot(*p[:2]), np.hypot(*q[:2])])
        if across.min() <= radius:
            return False
        t = np.clip(-(p[:2] @ (q - p)[:2]) / max(float((q - p)[:2] @ (q - p)[:2]), 1e-300), 0.0, 1.0)
        side = p[:2] + t * (q - p)[:2]
        if self.quadrant in ("x", "y", "-x", "-y"):
            side = (-1.0 if self.quadrant.startswith("-") else 1.0) * np.eye(2)["xy".index(self.quadrant[-1])]
        angles = [np.arctan2(side[0] * a[1] - side[1] * a[0], side @ a[:2]) for a in (p, q)]  # from the side on
        wrapped = abs(angles[1] - angles[0]) - float(np.arccos(radius / across).sum())
        if wrapped <= 0.0:
            return False
        free = np.sqrt(across**2 - radius**2)  # unrolled, the path is straight and climbs evenly
        climb = (q[2] - p[2]) / (free.sum() + radius * wrapped)
        return bool(min(abs(p[2] + climb * free[0]), abs(q[2] - climb * free[1])) > 0.5 * length)

    def holds(self, p: Array) -> bool:
        """Does a point (in the frame of the surface) lie inside?"""
        if self.kind == "WrapCylinder":
            return bool(np.hypot(p[0], p[1]) <= self.sizes[0])
        if self.kind == "WrapTorus":
            return bool(np.hypot(np.hypot(p[0], p[1]) - self.sizes[1], p[2]) <= self.sizes[0])
        return bool(np.linalg.norm(p / np.array(self.sizes)) <= 1.0)


class Paths:
    """Reads the paths of a file, which share its wrap objects."""

    def __init__(self, work: Import) -> None:
        self.work = work
        # Names in the file of bodies that have another one here.
        self.in_file = {own: said.removeprefix("body ") for said, own in work.names.items() if said.startswith("body ")}
        self.surfaces = {surface.name: surface for surface in self._wrap_objects()}
        rng = np.random.default_rng(1)
        self.poses = [work.skeleton.poses(work.skeleton.values(self._somewhere(rng))) for _ in range(POSES)]

    def _somewhere(self, rng: np.random.Generator) -> dict[str, float]:
        out = {}
        for name, q in self.work.skeleton.coordinates.items():
            low, high = q.range
            if q.name == name and not q.locked and np.isfinite([low, high]).all() and high - low < 10.0:
                out[name] = low + (high - low) * rng.random()
        return out

    def _wrap_objects(self) -> Iterator[_Surface]:
        file = self.work.file
        bodies = {**self.work.skeleton.bodies}
        ground = file.model.find("Ground")
        if ground is None:
            ground = next((e for e in file.objects("BodySet") if e.get("name") == "ground"), None)
        for name, body in [*bodies.items(), ("ground", ground)]:
            for element in file.objects("WrapObjectSet", body) if body is not None else ():  # type: ignore[arg-type]
                if not file.flag(element, "active", True):
                    continue
                stands = Transform(
                    body_fixed_xyz(file.vector(element, "xyz_body_rotation").tolist()),
                    file.vector(element, "translation"),
                )
                yield _Surface(
                    str(element.get("name")), name, stands, element.tag, self._sizes(element),
                    file.text(element, "quadrant", "all").lower().lstrip("+"),
                )  # fmt: skip

    def _sizes(self, element: Element) -> tuple[float, ...]:
        file = self.work.file
        if element.tag == "WrapCylinder":
            return file.number(element, "radius", 0.0), file.number(element, "length", 1.0)
        if element.tag == "WrapSphere":
            return (file.number(element, "radius", 0.0),) * 3
        if element.tag == "WrapTorus":
            return file.number(element, "inner_radius", 0.0), file.number(element, "outer_radius", 0.0)
        return tuple(file.vector(element, "dimensions", (0.0, 0.0, 0.0)).tolist())

    # --- a path -------------------------------------------------------------------------------------------------------

    def path(self, part: Element) -> list[Any] | None:
        """The entries of a part's path; None if it has no path."""
        found = next(part.iter("GeometryPath"), None)
        if not isinstance(found, Element):
            return None
        owner = str(part.get("name"))
        elements = [e for e in self.work.file.objects("PathPointSet", found)]
        entries = [self._point(e, owner) for e in elements]
        entries = self._allowed(entries, owner)
        wraps: dict[int, list[tuple[float, Any]]] = {}
        for element in self.work.file.objects("PathWrapSet", found):
            placed = self._wrap(element, entries, elements, owner)
            if placed is not None:
                wraps.setdefault(placed[0], []).append(placed[1:])
        if any(len(several) > 1 for several in wraps.values()):
            self.work.left_out(
                "PathWrap", owner, "surfaces between the same points are passed by one shortest way over all of them; OpenSim "
                "passes one after the other, which can be some mm longer",
            )  # fmt: skip
        out: list[Any] = []
        for k, entry in enumerate(entries):
            if entry is not None:
                out.append(entry)
                out += [wrap for _, wrap in sorted(wraps.get(k, []), key=lambda placed: placed[0])]
        return out

    def _point(self, element: Element, owner: str) -> Any:
        work, file = self.work, self.work.file
        if element.tag == "MovingPathPoint":
            return self._moving(element, owner)
        point = work.on_body(*file.frame_of(element))
        if element.tag != "ConditionalPathPoint":
            return point
        name = (file.socket(element, "coordinate") or file.text(element, "coordinate")).rpartition("/")[2]
        low, high = sorted(file.vector(element, "range", (-np.pi, np.pi)).tolist())
        reference = work.coordinates.get(name)
        if reference is None or not low < high:
            holds = low <= work.values.get(name, 0.0) <= high
            work.left_out(
                "ConditionalPathPoint", str(element.get("name")),
                f"its coordinate '{name}' is none of the model's; it {'always' if holds else 'never'} holds the path",
            )  # fmt: skip
            return point if holds else None
        return ConditionalPoint(point, reference, low, high, blend=BLEND)

    def _moving(self, element: Element, owner: str) -> Any:
        work, file = self.work, self.work.file
        body, stands = file.frame(file.socket(element, "parent_frame") or file.text(element, "body"))
        functions: list[Function] = []
        followed: list[str] = []  # coordinate of each component, empty where it is a number
        for letter in "xyz":
            function = read_function(file, file.child(element, f"{letter}_location")) or Function()
            said = file.socket(element, f"{letter}_coordinate") or file.text(element, f"{letter}_coordinate")
            name = said.rpartition("/")[2]
            found = work.function_of([name], function) if not function.is_constant else ([], function)
            if found is None:
                found = [], Function(constant=function(work.values.get(name, 0.0)))
                work.left_out("MovingPathPoint", str(element.get("name")), f"it does not follow '{name}'")
            followed.append(found[0][0] if found[0] else "")
            functions.append(found[1])
        first = next((name for name in followed if name), "")
        for k, name in enumerate(followed):
            if name and name != first:
                functions[k] = Function(constant=functions[k](work.values.get(name.rpartition(".")[2], 0.0)))
                work.left_out("MovingPathPoint", str(element.get("name")), f"it follows '{first}' alone")
        knots = sorted({x for f in functions for x in f.x}) or [-np.pi, np.pi]
        places = np.array([[f(x) for f in functions] for x in knots])
        slopes = np.array([[f.slope(x) for f in functions] for x in knots])
        carrier, outer = work.carriers.get(body, (body, Transform(np.eye(3), np.zeros(3))))
        stands = outer.then(stands)
        places, slopes = stands.place + places @ stands.turn.T, slopes @ stands.turn.T
        own = work.names.get(f"body {carrier}", carrier)
        if not first:
            return Point(own, tuple(places[0].tolist()))
        return MovingPoint(own, first, knots, places.tolist(), slopes=slopes.tolist())

    def _allowed(self, entries: list[Any], owner: str) -> list[Any]:
        """Without neighbours that a path cannot have here; each change is noted."""
        out = list(entries)

        def neighbour(k: int, step: int) -> Any:
            while 0 <= k + step < len(out):
                k += step
                if out[k] is not None:
                    return out[k]
            return None

        for k, entry in enumerate(entries):
            before = neighbour(k, -1)
            if isinstance(entry, MovingPoint) and isinstance(before, MovingPoint):
                out[k] = self._standing(entry, owner, "a moving point before it")
            elif isinstance(entry, ConditionalPoint) and isinstance(before, ConditionalPoint):
                self.work.left_out("ConditionalPathPoint", owner, "two follow each other; the second is left out")
                out[k] = None
            elif isinstance(entry, ConditionalPoint) and (before is None or neighbour(k, 1) is None):
                self.work.left_out("ConditionalPathPoint", owner, "it is the end of the path and always there")
                out[k] = entry.point
            elif isinstance(entry, ConditionalPoint) and all(
                isinstance(neighbour(k, step), MovingPoint) for step in (-1, 1)
            ):
                self.work.left_out("ConditionalPathPoint", owner, "it stands between two moving points and is left out")
                out[k] = None
        return out

    def _standing(self, moving: MovingPoint, owner: str, why: str) -> Point:
        """A moving point where it is in the declared pose."""
        name = moving.coordinate.rpartition(".")[2]
        q = self.work.values.get(name, 0.0)
        columns = np.transpose(moving.places), np.transpose(moving.slopes)
        place = [
            Function(x=tuple(moving.values), y=tuple(y), slopes=tuple(m))(q) for y, m in zip(*columns, strict=True)
        ]
        self.work.left_out("MovingPathPoint", owner, f"it stands still, since the path has {why}")
        return Point(moving.body, tuple(place))

    # --- surfaces -----------------------------------------------------------------------------------------------------

    def _wrap(
        self, element: Element, entries: list[Any], elements: list[Element], owner: str
    ) -> tuple[int, float, Any] | None:
        """After which entry of the path a surface comes, at which share of the way to the next, and the surface.

        None if it is not taken.
        """
        file = self.work.file
        name = file.text(element, "wrap_object")
        surface = self.surfaces.get(name)
        if surface is None:
            self.work.left_out("PathWrap", owner, f"there is no active wrap object '{name}'")
            return None
        said = file.text(element, "range", "-1 -1")
        first, last = (int(v) for v in numbers(said, 2, file.where(element)))
        low, high = max(first - 1, 0) if first > 0 else 0, (last - 1) if last > 0 else len(entries) - 1
        segments = [
            (k, self._next(entries, k))
            for k in range(low, high)
            if isinstance(entries[k], Point) and isinstance(self._next(entries, k)[1], Point)
        ]
        hits = [self._touched(surface, entries[k], following[1]) for k, following in segments]
        if not hits or not max(hits):
            self.work.left_out(
                "PathWrap", owner, f"'{name}' is not touched between fixed points in {POSES} poses, and is left out"
            )
            return None
        k, (_, after) = segments[int(np.argmax(hits))]
        if sum(1 for h in hits if h) > 1:
            self.work.left_out(
                "PathWrap", owner, f"'{name}' touches several segments; it acts on the one it touches most"
            )
        placed = self._placed(surface, entries[k], after, owner)
        return None if placed is None else (k, self._passed_at(surface, entries[k], after), placed)

    def checked(self, part: Any, points: Points) -> Any:
        """The part, without surfaces that its path has no way over in the declared pose."""
        try:
            path_terms(part.path, points, part)
        except InputError as error:
            part.path = tuple(entry for entry in part.path if not isinstance(entry, SURFACES))
            self.work.left_out("PathWrap", part.name, f"its path does not wrap over anything: {error}")
        return part

    def _next(self, entries: list[Any], k: int) -> tuple[int, Any]:
        for j in range(k + 1, len(entries)):
            if entries[j] is not None:
                return j, entries[j]
        return k, None

    def _seen(self, surface: _Surface, point: Point, poses: dict[str, Transform]) -> Array:
        """A point in the frame of a surface."""
        body = poses[self.in_file.get(point.body, point.body)]
        at = body.place + body.turn @ np.array(point.at)
        frame = poses[surface.body].then(surface.stands)
        return np.asarray(frame.turn.T @ (at - frame.place))

    def _touched(self, surface: _Surface, one: Point, two: Point) -> int:
        """In how many poses the straight line goes through the surface."""
        return sum(
            surface.depth(self._seen(surface, one, poses), self._seen(surface, two, poses)) > 0.0
            for poses in self.poses
        )

    def _passed_at(self, surface: _Surface, one: Point, two: Point) -> float:
        """The share of the way between two points at which a path passes a surface, in the mean of the poses where it does."""
        shares = []
        for poses in self.poses:
            p, q = self._seen(surface, one, poses), self._seen(surface, two, poses)
            if surface.depth(p, q) > 0.0:
                shares.append(float(-(p @ (q - p)) / max(float((q - p) @ (q - p)), 1e-300)))
        return float(np.mean(shares)) if shares else 0.5

    def _placed(self, surface: _Surface, one: Point, two: Point, owner: str) -> Any:
        work = self.work
        ends = [self._seen(surface, p, work.poses) for p in (one, two)]
        if any(surface.holds(p) for p in ends):
            work.left_out("PathWrap", owner, f"an end of the path lies inside '{surface.name}', which is left out")
            return None
        within = sum(any(surface.holds(self._seen(surface, p, poses)) for p in (one, two)) for poses in self.poses)
        if within:
            work.left_out(
                "PathWrap", owner,
                f"an end of the path lies inside '{surface.name}' in {within} of {POSES} poses within the ranges of "
                "coordinates; OpenSim lets the path go straight there, here a run stops with an error",
            )  # fmt: skip
        centre = work.on_body(surface.body, surface.stands.place)
        turn = (work.poses[surface.body].turn) @ surface.stands.turn
        side = None
        if surface.quadrant in ("x", "y", "z", "-x", "-y", "-z"):
            sign = -1.0 if surface.quadrant.startswith("-") else 1.0
            side = tuple((sign * turn[:, "xyz".index(surface.quadrant[-1])]).tolist())
        if surface.kind == "WrapCylinder":
            beyond = sum(surface.missed(*(self._seen(surface, p, poses) for p in (one, two))) for poses in self.poses)
            if beyond:
                work.left_out(
                    "PathWrap", owner,
                    f"it touches the cylinder '{surface.name}' beyond its ends in {beyond} of {POSES} poses; OpenSim lets "
                    "the path go straight there, here a cylinder has no ends",
                )  # fmt: skip
            if side is None:
                side = self._passing(ends, turn)
            return CylinderWrap(centre, surface.sizes[0], axis=tuple(turn[:, 2].tolist()), side=side)
        once = f"{surface.kind[4:].lower()}s are passed the shortest way, along exact geodesics"
        if surface.kind != "WrapTorus" and not any(item.why == once for item in work.imported.left_out):
            work.left_out(surface.kind, "all", once)
        if surface.kind == "WrapSphere":
            return SphereWrap(centre, surface.sizes[0])
        if surface.kind == "WrapTorus":
            tube, ring = surface.sizes
            return TorusWrap(centre, ring, tube, axis=tuple(turn[:, 2].tolist()))
        return EllipsoidWrap(centre, surface.sizes, axes=turn.tolist())

    def _passing(self, ends: list[Array], turn: Array) -> tuple[float, ...]:
        """The side of a cylinder on which the straight line passes as declared (in the world)."""
        p, q = (np.array([e[0], e[1], 0.0]) for e in ends)
        t = np.clip(-(p @ (q - p)) / max(float((q - p) @ (q - p)), 1e-300), 0.0, 1.0)
        near = p + t * (q - p)
        if np.linalg.norm(near) < 1e-9:
            near = np.array([p[1] - q[1], q[0] - p[0], 0.0])
        return tuple((turn @ near).tolist())
