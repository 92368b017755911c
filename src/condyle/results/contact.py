"""What a contact did over a run: pressure, traction, gap, slip, resultant, area, wear; figures and files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import CollisionPair
from condyle.contact.memory import FEATURES, FORCE, IMPULSE, MEAN_FORCE, STIFFNESS
from condyle.contact.patch_pair import PatchPair
from condyle.contact.shape_pair import ShapePair
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.results.contact_line import IMPULSES, ContactLine

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.results.result import Result


class IndexSets(NamedTuple):
    """Numbers of points at one frame, each set within the one before: all, closed, closed and not parting, and sticking."""

    every: NDArray[np.int64]
    closed: NDArray[np.int64]
    staying: NDArray[np.int64]
    sticking: NDArray[np.int64]


class ContactHistory:
    """One contact over the frames of a result. Arrays have the shape (frames, points, …).

    Forces act on the points of the contact's body. `force` and what follows from it: of energy–momentum stepping the mean over
    the last step (its middle), of the other methods those at the frame; `force_times` says it. `mean_force` is smoother,
    `impulse` that of impacts.
    Areas and pressures refer to the surface at rest.
    """

    def __init__(self, result: Result, name: str) -> None:
        problem = result._running().contact
        if problem is None:
            raise InputError(f"the model '{result.model.name}' has no contact")
        k = problem.pair(name)
        if FORCE not in result._store.memory_names():  # a model that has not run, states that were given
            raise InputError(f"contact '{name}': this result holds no contact forces; they come with a run")
        self.pair = problem.pairs[k]
        self.name = name
        self._result = result
        self._x = np.asarray(result._store.array("x"))[result._frames]
        force = np.asarray(result._store.array(f"memory/{FORCE}"))[result._frames]
        self._force = force[:, problem.force_start[k] : problem.force_start[k + 1]].reshape(
            len(force), self.pair.count, self.pair.reported
        )
        self._other = {
            name: np.asarray(result._store.array(f"memory/{name}"))[result._frames][
                :, problem.force_start[k] : problem.force_start[k + 1]
            ].reshape(self._force.shape)
            for name in (IMPULSE, MEAN_FORCE)
            if name in result._store.memory_names()
        }
        self._features = None
        if FEATURES in result._store.memory_names():
            features = np.asarray(result._store.array(f"memory/{FEATURES}"))[result._frames]
            self._features = features[:, problem.point_start[k] : problem.point_start[k + 1]]
        stiffness = np.asarray(result._store.array(f"memory/{STIFFNESS}"))[result._frames]
        self.stiffness: Array = stiffness[-1, problem.point_start[k] : problem.point_start[k + 1]]
        """Stiffness of penalty or regularisation of each point [N/m], shape (points,): as given or as chosen."""

    @property
    def times(self) -> Array:
        """Times of the frames [s]; in statics load factors."""
        return np.asarray(self._result.times)

    @property
    def labels(self) -> list[str]:
        """What the points are called."""
        return list(self.pair.labels)

    @property
    def nodes(self) -> NDArray[np.int64] | None:
        """Node numbers of the points, if they are nodes."""
        return self.pair.nodes

    @property
    def areas(self) -> Array:
        """Area (of lines length) that belongs to each point at rest [m²], shape (points,); zero for single points.

        Of patches, whose points are put anew in every step, shape (frames, points).
        """
        if isinstance(self.pair, PatchPair):
            return np.array([pair.areas for pair, _ in self._frames()])
        return self.pair.areas

    @cached_property
    def places(self) -> Array:
        """Positions of the points [m], shape (frames, points, d)."""
        return np.array([pair.places(x) for pair, x in self._frames()])

    @cached_property
    def gap(self) -> Array:
        """Distance of the points from the surface [m], shape (frames, points)."""
        return np.array([pair.gaps(x) for pair, x in self._frames()])

    @property
    def force_times(self) -> Array:
        """Times that `force` belongs to [s], one for each frame: middles of steps, or those of the frames themselves.

        Energy–momentum takes forces in the middle of a step; those that press a quasi-static body are of its end.
        """
        problem = self._result._running().contact
        if problem is None or problem.presses_still(self.pair):
            return self.times
        later = self._result.multiplier_times
        return np.concatenate((self.times[: len(self.times) - len(later)], later))

    @cached_property
    def normal_force(self) -> Array:
        """Pressing force of each point [N], shape (frames, points)."""
        return np.array([pair.normal_force(f, x) for f, (pair, x) in zip(self._force, self._frames(), strict=True)])

    @cached_property
    def force(self) -> Array:
        """Force on each point [N], shape (frames, points, d)."""
        return np.array([pair.vector_force(f, x) for f, (pair, x) in zip(self._force, self._frames(), strict=True)])

    def _frames(self) -> Iterator[tuple[Any, Array]]:
        """The pair at each frame, with its points in their places, and the rows of the state."""
        for f, x in enumerate(self._x):
            if self._features is not None and isinstance(self.pair, ShapePair | PatchPair):
                self.pair.recall(self._features[f])
            yield self.pair, x

    @property
    def mean_force(self) -> Array:
        """Force on each point, mean over the last two steps [N], shape (frames, points, d).

        Multipliers of energy–momentum steps alternate about this mean, which belongs to the start of the last step.
        """
        return self._vectors(MEAN_FORCE)

    @property
    def impulse(self) -> Array:
        """Of impacts in the last step, on each point [N s], shape (frames, points, d); 0 where there was none."""
        return self._vectors(IMPULSE)

    @property
    def normal_impulse(self) -> Array:
        """The part of `impulse` that presses [N s], shape (frames, points)."""
        normal = np.array([pair.normals(x) for pair, x in self._frames()])
        return np.asarray(np.sum(self.impulse * normal, axis=2))

    @cached_property
    def gap_rate(self) -> Array:
        """How fast the gap of each point opens at each frame [m/s], shape (frames, points)."""
        v = np.asarray(self._result._store.array("v"))[self._result._frames]
        return np.array([pair.approach_rates(x, v[f])[0] for f, (pair, x) in enumerate(self._frames())])

    def _vectors(self, name: str) -> Array:
        if name not in self._other:
            raise InputError(f"contact '{self.name}': this result has no '{name}'; run it again")
        both = zip(self._other[name], self._frames(), strict=True)
        return np.array([pair.vector_force(f, x) for f, (pair, x) in both])

    @cached_property
    def line(self) -> ContactLine:
        """Of patches: impulses across, along and sideways, slip, cone margin, and maps of them over length and time."""
        return ContactLine(self)

    @property
    def friction_force(self) -> Array:
        """The tangential part of the force on each point [N], shape (frames, points, d)."""
        normal = np.array([pair.normals(x) for pair, x in self._frames()])
        return self.force - np.sum(self.force * normal, axis=2, keepdims=True) * normal

    @property
    def active(self) -> NDArray[np.bool_]:
        """Which points press, shape (frames, points)."""
        return self.normal_force > 0.0

    @property
    def pressure(self) -> Array:
        """Pressing force per area at rest [Pa], shape (frames, points)."""
        return self.normal_force / self._areas()

    @property
    def traction(self) -> Array:
        """Force per area at rest [Pa], shape (frames, points, d)."""
        return self.force / self._areas()[..., None]

    @property
    def resultant(self) -> Array:
        """Force on the body of the points [N], shape (frames, d); the target has its opposite."""
        return np.asarray(self.force.sum(axis=1))

    def signs(self, body: str) -> Array:
        """+1 of points whose `force` acts on that body, −1 of those whose opposite does, else 0; shape (frames, points)."""
        if isinstance(self.pair, CollisionPair) and self._features is not None:
            return np.array([self.pair.signs(features, body) for features in self._features])
        sign = float(self.pair.body == body) - float(self.pair.target == body)
        return np.full(self._force.shape[:2], sign)

    def between(self, one: str, other: str) -> Array:
        """Of a group of bodies: force on the body `one` by `other` [N], shape (frames, d)."""
        if not isinstance(self.pair, CollisionPair) or self._features is None:
            raise InputError(f"contact '{self.name}' is between two bodies only; use resultant")
        names = [str(getattr(body, "name", body)) for body in (one, other)]
        for name in names:
            if name not in self.pair.names:
                raise InputError(f"contact '{self.name}' has no body '{name}'; it has {', '.join(self.pair.names)}")
        signs = np.array([self.pair.between(features, *names) for features in self._features])
        return np.asarray(np.einsum("fn,fnd->fd", signs, self.force))

    @property
    def centre_of_pressure(self) -> Array:
        """Mean of the points weighted by their pressing force [m], shape (frames, d); NaN where nothing presses."""
        total = self.normal_force.sum(axis=1)
        weighted = np.einsum("fn,fnd->fd", self.normal_force, self.places)
        return np.asarray(weighted / np.where(total > 0.0, total, np.nan)[:, None])

    @property
    def area(self) -> Array:
        """Area in contact [m²], shape (frames,)."""
        return np.asarray(np.sum(self.active * self._areas(), axis=1))

    @cached_property
    def slip_steps(self) -> Array:
        """How far each point has slid over the surface since the frame before while it pressed [m], shape (frames, points)."""
        out = np.zeros(self.active.shape)
        for f, (pair, x) in enumerate(self._frames()):
            if f > 0:
                out[f] = np.linalg.norm(pair.slide(self._x[f - 1], x), axis=1) * self.active[f]
        return out

    @property
    def slip(self) -> Array:
        """Length of the way that each point has slid so far [m], shape (frames, points)."""
        return np.cumsum(self.slip_steps, axis=0)

    @cached_property
    def slip_speed(self) -> Array:
        """How fast each point slides over the target at each frame [m/s], shape (frames, points); 0 where it does not press."""
        v = np.asarray(self._result._store.array("v"))[self._result._frames]
        speeds = [np.linalg.norm(pair.approach_rates(x, v[f])[1], axis=1) for f, (pair, x) in enumerate(self._frames())]
        return np.array(speeds) * self.active

    def index_sets(self, frame: int = -1, *, slow: float | None = None) -> IndexSets:
        """Which points are closed, which of these do not part, and which of those stick, after the frame's impacts.

        slow [m/s]: a speed that counts as rest, a millionth of the largest of the run if not given. A gap counts as none
        below a billionth of the size of the model; points that are pressed in are closed.
        """
        if slow is not None and not (np.isfinite(slow) and slow >= 0.0):
            raise InputError(f"index_sets: slow must be a speed of at least 0 [m/s], not {slow!r}")
        system = self._result._running()
        speeds = np.asarray(self._result._store.array("v"))[self._result._frames]
        if self._features is not None and isinstance(self.pair, ShapePair | PatchPair):
            self.pair.recall(self._features[frame])
        rest = slow if slow is not None else 1e-6 * float(np.abs(speeds[:, system.translation > 0]).max(initial=0.0))
        leaving, along = self.pair.approach_rates(self._x[frame], speeds[frame])
        closed = self.pair.gaps(self._x[frame]) <= 1e-9 * system.size
        staying = closed & (np.abs(leaving) <= rest)
        sticking = staying & (np.linalg.norm(along, axis=1) <= rest)
        return IndexSets(np.arange(self.pair.count), *map(np.flatnonzero, (closed, staying, sticking)))

    @property
    def cone_margin(self) -> Array:
        """μ times the pressing force less friction [N], (frames, points): 0 of points that slip, more of those that stick.

        Negative where a model of friction leaves the cone.
        """
        return self.pair.friction * self.normal_force - np.linalg.norm(self.friction_force, axis=2)

    def wear(self, coefficient: float) -> Array:
        """Depth of wear by Archard's law [m], shape (frames, points): coefficient [1/Pa] × ∫ pressure d(slip).

        Summed over the frames: keep every step where it matters.
        """
        if not (np.isfinite(coefficient) and coefficient >= 0.0):
            raise InputError(f"wear: the coefficient must be at least 0 [1/Pa], not {coefficient!r}")
        return coefficient * np.cumsum(self.pressure * self.slip_steps, axis=0)

    def _areas(self) -> Array:
        if isinstance(self.pair, PatchPair):
            return np.where(self.areas > 0.0, self.areas, 1.0)  # places without a point carry nothing
        if not (self.pair.areas > 0.0).all():
            raise InputError(f"contact '{self.name}' is between single points, which have no area; use normal_force")
        return self.pair.areas

    # --- presenting -----------------------------------------------------------------------------------------------------

    def plot(self, frame: int = -1, *, unit: str = "Pa", scale: float = 1.0) -> Figure:
        """Pressure over the surface at one frame: along it in the plane, as colours of its points in space.

        unit, scale: pressures are multiplied by `scale` and labelled with `unit` (1e-6 and 'MPa').
        """
        from condyle.results.figure import COLOURS, finished, labelled, new_axes, new_figure
        from condyle.results.shapes import label_space

        x, p = self.places[frame], scale * self.pressure[frame]
        if x.shape[1] == 2:
            ax = new_axes(None)
            along = _along(x)
            order = np.argsort(along)
            ax.plot(along[order], p[order], "o-", color=COLOURS[0], linewidth=1.5, markersize=3)
            return finished(ax, labelled("along the surface", "m"), labelled("pressure", unit))
        figure = new_figure((6.4, 4.8))
        space: Any = figure.add_subplot(projection="3d")
        shown = space.scatter(*x.T, c=p, cmap="viridis", s=12)
        figure.colorbar(shown, ax=space, label=labelled("pressure", unit), shrink=0.7, pad=0.12)
        extent = np.ptp(x, axis=0)
        extent = np.maximum(extent, 0.3 * (extent.max() or 1.0))  # nowhere flat
        for name, centre, size in zip("xyz", 0.5 * (x.min(axis=0) + x.max(axis=0)), extent, strict=True):
            getattr(space, f"set_{name}lim")(centre - 0.55 * size, centre + 0.55 * size)
            space.locator_params(axis=name, nbins=max(2, round(6 * size / extent.max())))
        space.set_box_aspect(extent, zoom=0.82)
        return label_space(space, "m")

    def plot_history(self) -> Figure:
        """Resultant and number of points that press, over time."""
        from matplotlib.ticker import MaxNLocator

        from condyle.results.figure import COLOURS, finished, labelled, new_figure
        from condyle.results.plots import time_label

        top, bottom = new_figure((6.4, 4.8)).subplots(2, 1, sharex=True)
        for k, component in enumerate(self.resultant.T):
            top.plot(self.times, component, color=COLOURS[k], linewidth=1.5, label="xyz"[k])
        finished(top, "", labelled("resultant", "N"))
        bottom.step(self.times, self.active.sum(axis=1), where="post", color="0.3", linewidth=1.2)
        bottom.yaxis.set_major_locator(MaxNLocator(integer=True))
        return finished(bottom, time_label(self._result, "s"), "points that press")

    def write_vtk(self, folder: str | Path, *, every: int = 1) -> list[Path]:
        """Points with force, gap, slip and margin to the cone of friction, one .vtk file per frame.

        Points that have an area have pressure and traction, those of patches the impulses of `line` and their densities, too.
        """
        import meshio

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        patches = isinstance(self.pair, PatchPair)
        has_area = patches or bool((self.pair.areas > 0.0).all())
        for f in range(0, len(self._x), every):
            data: dict[str, Any] = {
                "force": _in_space(self.force[f]),
                "normal_force": self.normal_force[f],
                "gap": self.gap[f],
                "slip": self.slip[f],
                "slip_speed": self.slip_speed[f],
                "cone_margin": self.cone_margin[f],
            }
            if patches:
                data |= {name: np.nan_to_num(getattr(self.line, name)[f]) for name in IMPULSES}
                data |= {f"{name}_density": np.nan_to_num(self.line.density(name)[f]) for name in IMPULSES}
            if has_area:
                data |= {"pressure": self.pressure[f], "traction": _in_space(self.traction[f])}
            path = folder / f"{self.name}_{f:05d}.vtk"
            there = np.arange(self.pair.count)
            if patches:  # where nothing touches, one point without a force stands in the file
                there = np.flatnonzero(np.isfinite(self.line.lengths[f])) if self.areas[f].any() else there[:1]
            data = {name: values[there] for name, values in data.items()}
            cells = [("vertex", np.arange(len(there))[:, None])]
            meshio.Mesh(_in_space(self.places[f][there]), cells, point_data=data).write(path, file_format="vtk")
            written.append(path)
        return written


def _along(x: Array) -> Array:
    """A coordinate along points that lie near a line."""
    centre = x.mean(axis=0)
    _, _, axes = np.linalg.svd(x - centre, full_matrices=False)
    return np.asarray((x - centre) @ axes[0])


def _in_space(values: Array) -> Array:
    return np.pad(values, ((0, 0), (0, 3 - values.shape[1])))
