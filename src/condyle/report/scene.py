"""What is seen of a run: surfaces and lines of all parts, where they are in each frame, and the fields that colour them.

Every point of a body is a combination of rows, so that the places of all of them are one sparse product per frame. Lines of
muscles have another number of points in each frame; they are filled up with their last one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.capabilities import Shown
from condyle.bodies.rigid import RigidBody
from condyle.contact import Plane
from condyle.contact.surface import Surface
from condyle.errors import InputError
from condyle.geometry.drawing import triangulated
from condyle.geometry.shape import Shape
from condyle.joints.joint import Joint
from condyle.model.point import Point
from condyle.results.figure import COLOURS
from condyle.results.shapes import (
    ACTUATOR,
    LIGAMENT,
    MUSCLE,
    connections,
    contact_planes,
    contact_shapes,
    gathered,
    lines_to_joints,
    path_lines,
    plane_line,
)  # fmt: skip

if TYPE_CHECKING:
    from condyle.results.result import Result
    from condyle.system.weights import Weights

__all__ = ["Item", "Scene"]

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
PATHS = {MUSCLE: ("muscle", "#A50026"), LIGAMENT: ("ligament", "#8C6D31"), ACTUATOR: ("actuator", "#6B7280")}
GREY = "#8a8f98"
JOINT = "#B5179E"  # no body has it
MOST_POINTS = 300  # named points that are drawn


@dataclass
class Item:
    """One thing that can be seen, picked and hidden.

    kind: 'body', 'shape' (what a contact meets), 'connection', 'joint', 'point', 'muscle', 'ligament', 'actuator' or 'plane'.
    triangles (m, 3) and edges (k, 2) count its points. points: combinations of rows, unless `moved` makes the places.
    """

    name: str
    kind: str
    colour: str
    triangles: Numbers
    edges: Numbers
    dots: Numbers
    points: list[Weights] = field(default_factory=list)
    nodes: Numbers | None = None  # of a meshed body: which node each point is


class Scene:
    """All items of a result, and their places in chosen frames. points: named points of bodies, too."""

    def __init__(self, result: Result, *, points: bool = False) -> None:
        self.result = result
        system = result.system
        self.items = [*self._bodies(), *self._shapes(), *self._connections()]
        x = self.rows(0)
        places = np.array([point.at(x) for item in self.items for point in item.points])
        size = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
        self.items += self._joints(0.08 * size)
        self.items += self._points() if points else []
        self._gather = [gathered(item.points, system.n) for item in self.items]
        self._paths = path_lines(system)
        self._planes = contact_planes(system)

    def rows(self, frame: int) -> Array:
        """Rows of the state in a frame, shape (n, d)."""
        return np.asarray(self.result._store.frame("x", int(self.result._frames[frame])))

    def places(self, frames: list[int]) -> Iterator[tuple[Item, Array]]:
        """Each item with its places [m] in the frames, shape (frames, points, 3)."""
        rows = [self.rows(frame) for frame in frames]
        corners: list[Array] = []
        for item, gather in zip(self.items, self._gather, strict=True):
            places = _in_space(np.stack([gather @ x for x in rows]))
            corners += [places.min(axis=(0, 1)), places.max(axis=(0, 1))]
            yield item, places
        for path, kind in self._paths:
            item, places = _path_item(path, PATHS[kind], rows)
            corners += [places.min(axis=(0, 1)), places.max(axis=(0, 1))]
            yield item, places
        if not corners:
            raise InputError(f"result '{self.result.name}': nothing to draw; give the bodies an outline or points")
        yield from self._plane_items(np.min(corners, axis=0), np.max(corners, axis=0), rows)

    def _plane_items(self, low: Array, high: Array, rows: list[Array]) -> Iterator[tuple[Item, Array]]:
        """Planes that contacts meet, as large as the rest."""
        d = self.result.dimension
        size = 0.6 * float((high - low).max()) or 1.0
        for k, (place, normal) in enumerate(self._planes):
            middle = 0.5 * (low + high)
            lines = np.stack(
                [plane_line(place.at(x), normal.at(x), middle[:d] - size, middle[:d] + size) for x in rows]
            )
            count = lines.shape[1]
            triangles = np.array([[0, 1, 2], [0, 2, 3]]) if d == 3 else np.zeros((0, 3), dtype=int)
            yield _item(f"plane {k + 1}", "plane", GREY, triangles, _chain(count)), _in_space(lines)

    def _bodies(self) -> Iterator[Item]:
        result, system = self.result, self.result.system
        for number, body in enumerate(result.model.bodies):
            anchor: Any = system.anchors[body.name]
            corners, cells = anchor.polygons() if isinstance(anchor, Shown) else ([], [])
            used = sorted({k for cell in cells for k in cell})
            place = {k: n for n, k in enumerate(used)}
            points = [corners[k] for k in used]
            triangles = [[place[c[0]], place[c[k]], place[c[k + 1]]] for c in cells for k in range(1, len(c) - 1)]
            edges: list[Any] = []
            dots: list[int] = []
            known = {id(point): k for k, point in enumerate(points)}  # edges of faces run through their nodes
            for line in anchor.outline() or lines_to_joints(system, body.name):
                numbers = []
                for point in line:
                    numbers.append(known.get(id(point), len(points)))
                    points += [point] if numbers[-1] == len(points) else []
                edges += pairwise(numbers)
                dots += numbers if len(line) == 1 else []
            if points:
                item = _item(body.name, "body", COLOURS[number % len(COLOURS)], triangles, edges, dots, points)
                item.nodes = np.array(used) if used else None
                yield item

    def _shapes(self) -> Iterator[Item]:
        """Shapes that rigid bodies have for contacts."""
        system, d = self.result.system, self.result.dimension
        bodies = [body.name for body in self.result.model.bodies]
        for body, shape in contact_shapes(system, Shape):
            if not isinstance(shape, Plane):
                colour = COLOURS[bodies.index(body) % len(COLOURS)] if body in bodies else GREY
                yield from _shape_item(system, body, shape, d, colour)

    def _connections(self) -> Iterator[Item]:
        for part, ends in connections(self.result.system):
            yield _item(part.name, "connection", GREY, [], [[0, 1]], [], ends)

    def _joints(self, reach: float) -> list[Item]:
        """A dot where each joint is, and its axis so far to both sides [m] if it has one."""
        system, found = self.result.system, []
        for part in system.model:
            if not isinstance(part, Joint):
                continue
            place = system.position(part.a)
            points, edges = [place], []
            axis = getattr(part, "axis", None)
            if axis is not None and np.size(axis) == system.d:
                along = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
                with contextlib.suppress(InputError):  # its body has no directions
                    half = reach * part.on(system.points, part.a, along)
                    points, edges = [place, place - half, place + half], [[1, 2]]
            found.append(_item(part.name, "joint", JOINT, [], edges, [0], points))
        return found

    def _points(self) -> list[Item]:
        """A dot at each named point of a body."""
        system = self.result.system
        rigid = [body for body in system.model if isinstance(body, RigidBody)]
        named = [(body, name) for body in rigid for name in body.points]
        return [
            _item(f"{body.name}.{name}", "point", GREY, [], [], [0], [system.position(body.point(name))])
            for body, name in named[:MOST_POINTS]
        ]


def _shape_item(system: Any, body: str, shape: Any, d: int, colour: str) -> Iterator[Item]:
    made = None
    if d == 3:
        try:
            made = triangulated(shape if isinstance(shape, Shape) else shape.solid(d))
        except InputError:  # a cavity, or a surface that bounds nothing: its lines show it
            made = None
    if made is not None:
        places, triangles, edges = made[0], made[1], np.zeros((0, 2), dtype=int)
    elif isinstance(shape, Surface):
        lines = [np.asarray(line, dtype=float) for line in shape.outline(d)]
        starts = np.cumsum([0, *(len(line) for line in lines)])
        edges = np.vstack([_chain(len(line)) + s for line, s in zip(lines, starts, strict=False)] or [np.zeros((0, 2))])
        places, triangles = np.vstack(lines or [np.zeros((0, d))]), np.zeros((0, 3), dtype=int)
    else:
        return
    points = [system.position(Point(body, tuple(map(float, p)))) for p in places]
    if points:
        yield _item(f"{body}: {type(shape).__name__}", "shape", colour, triangles, edges, [], points)


def _path_item(path: Any, look: tuple[str, str], rows: list[Array]) -> tuple[Item, Array]:
    lines = [_in_space(path.at(x)[None])[0] for x in rows]
    most = max(map(len, lines))
    places = np.stack([np.vstack((line, np.repeat(line[-1:], most - len(line), axis=0))) for line in lines])
    return _item(path.part.name, look[0], look[1], [], _chain(most)), places


def _item(
    name: str,
    kind: str,
    colour: str,
    triangles: ArrayLike,
    edges: ArrayLike,
    dots: ArrayLike = (),
    points: list[Weights] | None = None,
) -> Item:
    t, e, o = (np.asarray(v, dtype=np.int64) for v in (triangles, edges, dots))
    return Item(name, kind, colour, t.reshape(-1, 3), e.reshape(-1, 2), o, points or [])


def _chain(count: int) -> Numbers:
    """Edges of a line through so many points."""
    return np.column_stack((np.arange(count - 1), np.arange(1, count)))


def _in_space(places: Array) -> Array:
    """Places (…, d) in space."""
    return places if places.shape[-1] == 3 else np.concatenate((places, np.zeros((*places.shape[:-1], 1))), axis=-1)
