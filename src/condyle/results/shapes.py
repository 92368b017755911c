"""Deformed shapes: the outlines of all bodies at chosen times, in the plane or in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.results.figure import COLOURS, finished, labelled, new_figure, shown
from condyle.results.tables import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from condyle.model.given import BodyLike, PointLike
    from condyle.results.path_lines import PathLine
    from condyle.results.result import Result
    from condyle.system.system import System
    from condyle.system.weights import Weights

Array = NDArray[np.float64]

# What is drawn but is no body: number of the "body" of a line -> name in the legend, colour, width.
CONNECTION, MUSCLE, LIGAMENT, ACTUATOR, SURFACE = -1, -2, -3, -4, -5
LOOKS = {
    CONNECTION: ("", "0.45", 0.9),
    MUSCLE: ("muscles", "#A50026", 1.1),
    LIGAMENT: ("ligaments", "#8C6D31", 1.1),
    ACTUATOR: ("actuators", "0.25", 0.9),
    SURFACE: ("", "0.6", 0.6),
}


def plot_shapes(
    result: Result,
    times: Sequence[float] | None = None,
    *,
    count: int = 6,
    ax: Axes | None = None,
    bodies: Sequence[BodyLike] | None = None,
    trace: PointLike | Sequence[PointLike] = (),
    unit: str = "m",
    time_unit: str = "s",
    show: bool = False,
) -> Figure:
    """The shapes of the bodies at some times [s] (by default `count` evenly spread ones), older shapes lighter.

    Muscles, ligaments and actuators are drawn along their paths; surfaces that paths wrap over or contacts meet as thin lines.
    bodies: draw only these. trace: points whose ways are drawn.
    """
    drawing = Drawing(result, bodies)
    frames = chosen_frames(result, times, count)
    ax = drawing.space(frames, trace, ax=ax, show=show)
    drawing.trace(ax, trace, result.times[frames[-1]])
    for k, frame in enumerate(frames):
        drawing.draw(ax, frame, 0.25 + 0.75 * (k + 1) / len(frames), fill=0.3 / (1 + len(frames)))
    span = ", ".join(f"{result.times[f]:.3g}" for f in frames)
    if len(frames) > 8:
        span = f"{result.times[frames[0]]:.3g} … {result.times[frames[-1]]:.3g}"
    order = ", later is darker" if len(frames) > 1 else ""
    ax.set_title(f"t = {span}{f' {time_unit}' if time_unit else ''}{order}", fontsize="small")
    return label_space(ax, unit, show=show)


def label_space(ax: Any, unit: str, *, show: bool = False) -> Figure:
    """Label the axes of a picture of shapes."""
    if ax.name != "3d":
        return finished(ax, labelled("x", unit), labelled("y", unit), show=show, legend=False, calm=False)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("white")
        axis.pane.set_edgecolor("0.8")
        axis._axinfo["grid"].update(color="0.9", linewidth=0.6)
    ax.tick_params(labelsize="small", pad=0)
    ax.set_xlabel(labelled("x", unit))
    ax.set_ylabel(labelled("y", unit))
    ax.set_zlabel(labelled("z", unit))
    return shown(ax, show)


def chosen_frames(result: Result, times: Sequence[float] | None, count: int) -> list[int]:
    """Numbers of the frames nearest to the times, or of `count` frames evenly spread in time; in order, each once."""
    if times is None:
        if count < 1:
            raise InputError(f"count must be at least 1, not {count}")
        times = np.linspace(result.times[0], result.times[-1], count).tolist() if count > 1 else [result.times[-1]]
    frames = sorted({result.at(float(t)) for t in np.atleast_1d(np.asarray(times, dtype=float))})
    if not frames:
        raise InputError("times is empty; give at least one time to draw")
    return frames


class Drawing:
    """The outlines of a model, gathered once: every line is a range of points, every point a combination of rows."""

    def __init__(self, result: Result, bodies: Sequence[Any] | None = None) -> None:
        self.result = result
        self.d = result.dimension
        system = result.system
        chosen = (
            [getattr(b, "name", b) for b in bodies] if bodies is not None else [b.name for b in result.model.bodies]
        )
        points: list[Weights] = []
        self._lines: list[tuple[int, int, int]] = []  # first, last + 1, number of the body (−1: none)
        self._names: list[str] = []
        for name in chosen:
            result.model.body(name)
            outline = system.anchors[name].outline() or lines_to_joints(system, name)
            for line in outline:
                self._lines.append((len(points), len(points) + len(line), len(self._names)))
                points += line
            if outline:
                self._names.append(name)
        for _, ends in connections(system) if bodies is None else []:
            self._lines.append((len(points), len(points) + 2, -1))
            points += ends
        for line in contact_outlines(system) if bodies is None else []:
            self._lines.append((len(points), len(points) + len(line), SURFACE))
            points += line
        self._gather = gathered(points, system.n)
        self._paths = path_lines(system) if bodies is None else []
        self._planes = contact_planes(system) if bodies is None else []
        self._view: tuple[Array, Array] | None = None  # corners of what is shown: planes fill it

    def lines(self, frame: int) -> list[tuple[Array, int]]:
        """The lines at a frame, shape (points, d), with the number of their body."""
        result = self.result
        x = np.asarray(result._store.frame("x", int(result._frames[frame])))
        places = self._gather @ x
        lines = [(places[first:last], body) for first, last, body in self._lines]
        for path, kind in self._paths:
            lines += [(path.at(x), kind), *((line, SURFACE) for line in path.surfaces(x))]
        if self._view is not None:
            lines += [(plane_line(place.at(x), normal.at(x), *self._view), SURFACE) for place, normal in self._planes]
        return lines

    def draw(self, ax: Any, frame: int, strength: float = 1.0, fill: float = 0.15) -> list[Any]:
        """Draw the shapes at a frame; strength: 1 full colour, 0 white; fill: opacity of areas. Returns what was drawn."""
        lines = self.lines(frame)
        drawn: list[Any] = []
        for body in (*sorted(LOOKS), *range(len(self._names))):
            own = [line for line, owner in lines if owner == body]
            colour = _faded(LOOKS[body][1] if body < 0 else COLOURS[body % len(COLOURS)], strength)
            dots = [line for line in own if len(line) == 1]
            if dots:
                drawn += ax.plot(*np.concatenate(dots).T, "o", color=colour, markersize=5)
            drawn += self._draw_lines(ax, [line for line in own if len(line) > 1], colour, body, fill)
        return drawn

    def _draw_lines(self, ax: Any, lines: list[Array], colour: Any, body: int, fill: float) -> list[Any]:
        from matplotlib.collections import LineCollection, PolyCollection
        from mpl_toolkits.mplot3d.art3d import Line3DCollection  # type: ignore[import-untyped]

        if not lines:
            return []
        style: dict[str, Any] = {
            "colors": [colour],
            "linewidths": LOOKS[body][2] if body < 0 else 1.4,
            "capstyle": "round",
        }
        if self.d == 3:
            return [ax.add_collection3d(Line3DCollection(lines, **style), autolim=False)]
        closed = [line for line in lines if body >= 0 and _is_closed(line)]
        filled = [PolyCollection(closed, facecolors=[(*colour, fill)], edgecolors="none")] if closed else []
        return [ax.add_collection(c, autolim=False) for c in (*filled, LineCollection(lines, **style))]

    def trace(self, ax: Any, points: Any, until: float) -> list[Any]:
        """Draw the paths of points up to a time [s]."""
        keep = self.result.times <= until
        return [
            ax.plot(*self.result.position(point)[keep].T, color="0.55", linewidth=0.8, linestyle=(0, (4, 2)))[0]
            for point in listed(points)
        ]

    def space(
        self, frames: Sequence[int], trace: Any, *, ax: Any = None, show: bool = False, width: float = 6.4
    ) -> Any:
        """Axes that hold the shapes at all these frames, with equal scales; of a new figure, unless axes are given."""
        self._view = None
        low, high = self._view = self.extent(frames, trace)
        middle, extent = 0.5 * (low + high), high - low
        if ax is None:
            height = (
                0.8 * width if self.d == 3 else float(np.clip(0.8 * width * extent[1] / extent[0] + 0.8, 2.2, width))
            )
            figure = new_figure((width, height), show=show, layout="constrained" if self.d == 3 else "compressed")
            ax = figure.add_subplot(projection="3d" if self.d == 3 else None)
            self._legend(figure, {"loc": "outside right center"})
        else:
            self._legend(ax, {"loc": "best"})
        for name, centre, size in zip("xyz", middle, extent, strict=False):
            getattr(ax, f"set_{name}lim")(centre - 0.5 * size, centre + 0.5 * size)
            if self.d == 3:
                ax.locator_params(axis=name, nbins=max(2, round(6 * size / extent.max())))
        if self.d == 3:
            ax.set_box_aspect(extent, zoom=0.82)
        else:
            ax.set_aspect("equal")
        return ax

    def extent(self, frames: Sequence[int], trace: ArrayLike = ()) -> tuple[Array, Array]:
        """Lower and upper corner of what is drawn, with some margin; nowhere flat."""
        places = [line for frame in frames for line, _ in self.lines(frame)]
        places += [self.result.position(point) for point in listed(trace)]
        if not places:
            name = self.result.name
            raise InputError(f"result '{name}': nothing to draw; give the bodies an outline or points")
        cloud = np.concatenate(places)
        middle, size = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0)), float(np.ptp(cloud, axis=0).max())
        x = np.asarray(self.result._store.frame("x", int(self.result._frames[frames[0]])))
        for place, normal in self._planes:  # what lies near is shown, what is far away would make all else small
            foot = _foot(place.at(x), normal.at(x), middle)
            if np.linalg.norm(foot - middle) <= 2.0 * size:
                cloud = np.vstack((cloud, foot))
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        size = float((high - low).max()) or 1.0
        half = 0.5 * np.maximum(high - low, (0.3 if self.d == 3 else 0.1) * size) + 0.05 * size
        middle = 0.5 * (low + high)
        return middle - half, middle + half

    def _legend(self, place: Any, where: dict[str, str]) -> None:
        """Name the bodies, if there are a few, and what pulls on them by their colours."""
        from matplotlib.lines import Line2D

        looks = (
            [(name, COLOURS[k], 2.0) for k, name in enumerate(self._names)] if len(self._names) <= len(COLOURS) else []
        )
        looks += [LOOKS[kind] for kind in sorted({kind for _, kind in self._paths}, reverse=True)]
        if len(looks) > 1:
            handles = [Line2D([], [], color=colour, linewidth=width) for _, colour, width in looks]
            names = [name for name, _, _ in looks]
            place.legend(handles, names, frameon=False, fontsize="small", handlelength=1.4, **where)


def connections(system: System) -> list[tuple[Any, list[Weights]]]:
    """Springs, dampers and whatever else connects two points without being a joint, with both ends."""
    from condyle.joints.joint import Joint
    from condyle.model.point import Point

    found = []
    for part in system.model:
        ends = (getattr(part, "a", None), getattr(part, "b", None))
        if not isinstance(part, Joint) and all(isinstance(end, Point) for end in ends):
            found.append((part, [system.position(end) for end in ends]))
    return found


def lines_to_joints(system: System, name: str) -> list[list[Weights]]:
    """Lines from the centre of mass of a body to its joints, for one without an outline of its own: a foot or a trunk that has
    one joint, at its origin, is seen as well."""
    from condyle.joints.joint import Joint
    from condyle.model.point import Point

    if name == "ground":
        return []
    ends = [end for part in system.model if isinstance(part, Joint) for end in (part.a, part.b) if end.body == name]
    centre = getattr(system.model[name], "centre_of_mass", None)
    middle = system.position(name if centre is None else Point(name, tuple(map(float, centre))))
    return [[middle, system.position(end)] for end in ends]


def path_lines(system: System) -> list[tuple[PathLine, int]]:
    """Lines of muscles, ligaments and actuators, with the kind of each."""
    from condyle.muscles.actuators import ForceActuator
    from condyle.muscles.hill import Muscle
    from condyle.muscles.ligament import Ligament
    from condyle.results.path_lines import PathLine

    kinds = {Muscle: MUSCLE, Ligament: LIGAMENT, ForceActuator: ACTUATOR}
    found = [(part, next((k for t, k in kinds.items() if isinstance(part, t)), None)) for part in system.model]
    return [(PathLine(part, system), kind) for part, kind in found if kind is not None]


def contact_outlines(system: System) -> list[list[Weights]]:
    """Outlines of the surfaces that contacts meet, without planes."""
    from condyle.contact import Plane
    from condyle.model.point import Point

    lines = []
    for target, shape in contact_shapes(system):
        for line in [] if isinstance(shape, Plane) else shape.outline(system.d):
            lines.append([system.position(Point(target, tuple(map(float, p)))) for p in line])
    return lines


def contact_planes(system: System) -> list[tuple[Weights, Weights]]:
    """A point and the normal of each plane that contacts meet."""
    from condyle.contact import Plane
    from condyle.model.point import Point

    found = []
    for target, shape in contact_shapes(system):
        if isinstance(shape, Plane):
            place = np.zeros(system.d) if shape.point is None else np.asarray(shape.point)
            ends = [
                system.position(Point(target, tuple(map(float, p)))) for p in (place, place + np.asarray(shape.normal))
            ]
            found.append((ends[0], ends[1] - ends[0]))
    return found


def contact_shapes(system: System, *others: type) -> list[tuple[str, Any]]:
    """Rigid bodies with the surfaces that they have for contacts, each once; others: further kinds of shapes that count."""
    from condyle.bodies.body import FrameAnchor
    from condyle.contact import Collisions, Contact
    from condyle.contact.surface import Surface

    carried = []
    for part in system.model:
        if isinstance(part, Contact):
            carried += [(part.target, part.shape), (part.body, part.surface)]
        elif isinstance(part, Collisions):
            carried += part.given_shapes(system.model.ground.name)
    found = {
        (body, id(shape)): shape
        for body, shape in carried
        if isinstance(shape, (Surface, *others)) and isinstance(system.anchors[body], FrameAnchor)
    }
    return [(body, shape) for (body, _), shape in found.items()]


def _foot(place: Array, normal: Array, point: Array) -> Array:
    """The point of a plane that is nearest to another."""
    n = normal / np.linalg.norm(normal)
    return np.asarray(point - ((point - place) @ n) * n)


def plane_line(place: Array, normal: Array, low: Array, high: Array) -> Array:
    """A line (2D) or square (3D) of a plane, as large as what is shown."""
    n = normal / np.linalg.norm(normal)
    foot, half = _foot(place, n, 0.5 * (low + high)), 0.5 * float((high - low).max())
    if len(n) == 2:
        along = 2.0 * half * np.array([-n[1], n[0]])
        return np.array([foot - along, foot + along])
    u = np.linalg.svd(n[None])[2][1:]
    return np.array([foot + half * (a * u[0] + b * u[1]) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))])


def gathered(points: list[Weights], n: int) -> Any:
    """Weights of many points as one sparse matrix, shape (points, n)."""
    from scipy.sparse import csr_matrix

    counts = [0, *np.cumsum([len(p.rows) for p in points]).tolist()]
    if not points:
        return csr_matrix((0, n))
    values, rows = (np.concatenate([getattr(p, name) for p in points]) for name in ("values", "rows"))
    return csr_matrix((values, rows, counts), shape=(len(points), n))


def _is_closed(line: Array) -> bool:
    return len(line) > 3 and bool(np.abs(line[0] - line[-1]).max() <= 1e-9 * np.ptp(line, axis=0).max())


def _faded(colour: Any, strength: float) -> tuple[float, ...]:
    """The colour mixed with white."""
    from matplotlib.colors import to_rgb

    return tuple(1.0 - strength * (1.0 - c) for c in to_rgb(colour))
