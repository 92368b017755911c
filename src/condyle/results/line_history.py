"""What a cable or beam does over time, along its length: length, strains, area of its sections, pull."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.laws.section_frames import area_ratio, green_strain
from condyle.model.part import name_of
from condyle.results.figure import COLOURS, finished, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.model.given import BodyLike
    from condyle.results.result import Result

Array = NDArray[np.float64]

COMPONENTS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


class LineHistory:
    """A Cable or AncfBeam, such as a ligament, at stations along its length, over a run.

    s: arc length of the stations at rest [m], shape (k,). All histories have shape (times, k) unless they say otherwise.
    """

    def __init__(self, result: Result, body: BodyLike, stations: int | Array = 17) -> None:
        """stations: how many, evenly along the length, or where: arc length at rest [m]."""
        from condyle.bodies.ancf import AncfBeam, Cable, PlanarBeam

        name = name_of(body)
        self.part = result.model.body(name)
        if not isinstance(self.part, AncfBeam | Cable | PlanarBeam):
            raise InputError(f"LineHistory: {self.part.label} is no Cable, AncfBeam or PlanarBeam")
        self.times = np.asarray(result.times)
        anchors: Any = result.system.anchors
        self._anchor = anchors[name]
        mesh = self._anchor.mesh
        self.whole = float(mesh.starts[-1, 0] + mesh.lengths[-1, 0])  # length at rest [m]
        given = (
            np.linspace(0.0, self.whole, stations) if isinstance(stations, int) else np.asarray(stations, dtype=float)
        )
        if given.min() < -1e-9 * self.whole or given.max() > self.whole * (1.0 + 1e-9):
            raise InputError(f"LineHistory: {self.part.label} is {self.whole:g} m long at rest; choose stations on it")
        self.s = np.clip(given, 0.0, self.whole)
        self._result = result

    def _place(self, s: float, across: tuple[float, ...] = ()) -> tuple[int, Array]:
        """Element and ξ; on a node between two elements the left one."""
        mesh = self._anchor.mesh
        e = int(np.clip(np.searchsorted(mesh.starts[:, 0], s * (1.0 - 1e-12) - 1e-300) - 1, 0, len(mesh.cells) - 1))
        xi = np.zeros(mesh.shape.parameters)
        xi[0] = (s - mesh.starts[e, 0]) / mesh.lengths[e, 0]
        xi[1 : 1 + len(across)] = across
        return e, xi

    def _vectors(self, s: float, *orders: tuple[int, ...], across: tuple[float, ...] = ()) -> Array:
        """Derivatives of r at a station over time, shape (times, orders, d)."""
        found = self._anchor.gathered(*self._place(s, across), *orders)
        kept = self._result._frames
        return np.stack([self._result._history("x", vector)[kept] for vector in found], axis=1)

    def gradients(self, y: float = 0.0, z: float = 0.0) -> Array:
        """r_x(, r_y, r_z) by the coordinates at rest, shape (times, k, p, d), at the place y, z of the sections."""
        p = self._anchor.mesh.shape.parameters
        orders = [tuple(int(i == j) for i in range(p)) for j in range(p)]
        across = (y, z)[: p - 1]
        out = np.stack([self._vectors(s, *orders, across=across) for s in self.s], axis=1)
        out[:, :, 0] /= np.array([self._speed(s, orders[0]) for s in self.s])[None, :, None]
        return out

    def _speed(self, s: float, order: tuple[int, ...]) -> float:
        """Arc length at rest per parameter of the elements, 1 of a straight line."""
        e, xi = self._place(s)
        mesh = self._anchor.mesh
        size = float(np.linalg.norm(mesh.weights(e, xi, order)[0] @ mesh.local(e)))
        return size if abs(size - 1.0) > 1e-12 else 1.0

    @cached_property
    def position(self) -> Array:
        """Places of the stations [m], shape (times, k, d)."""
        none = (0,) * self._anchor.mesh.shape.parameters
        return np.stack([self._vectors(s, none)[:, 0] for s in self.s], axis=1)

    @cached_property
    def length(self) -> Array:
        """Length of the line [m], shape (times,)."""
        from condyle.bodies.ancf.shapes import gauss

        mesh = self._anchor.mesh
        order = (1, *((0,) * (mesh.shape.parameters - 1)))
        total = np.zeros(len(self.times))
        for e in range(len(mesh.cells)):
            for q, w in zip(*gauss(4), strict=True):
                slope = self._vectors(float(mesh.starts[e, 0] + q * mesh.lengths[e, 0]), order)[:, 0]
                total += w * mesh.lengths[e, 0] * np.linalg.norm(slope, axis=1)
        return total

    @cached_property
    def stretch(self) -> Array:
        """|r_x|, the stretch along the line."""
        return np.asarray(np.linalg.norm(self.gradients()[:, :, 0], axis=2))

    @property
    def axial_strain(self) -> Array:
        """Green strain ½ (r_x·r_x − 1)."""
        return 0.5 * (self.stretch**2 - 1.0)

    def strain(self, component: str, y: float = 0.0, z: float = 0.0) -> Array:
        """A component of the Green strain of a beam, 'xx', 'yy', 'zz', 'xy', 'xz' or 'yz' (half of r_x·r_y …)."""
        g = self.gradients(y, z)
        size = g.shape[2]
        if component not in COMPONENTS or max(COMPONENTS[component]) >= size or (size == 1 and g.shape[3] > 1):
            if component == "xx":
                return self.axial_strain
            raise InputError(f"LineHistory: {self.part.label} has no strain '{component}'")
        i, j = COMPONENTS[component]
        return np.asarray(green_strain(g)[..., i, j])

    def area_ratio(self, y: float = 0.0, z: float = 0.0) -> Array:
        """Area of the sections over that at rest; of a cable, that of a line which keeps its volume, 1/|r_x|."""
        g = self.gradients(y, z)
        return 1.0 / self.stretch if g.shape[2] == 1 else area_ratio(g)

    def shear_angle(self, y: float = 0.0) -> Array:
        """α [rad] of a planar beam: by how much the angle from its axis to r_y at a height y is above 90°."""
        g, axis = self.gradients(y), self.gradients()[:, :, 0]
        if g.shape[-2:] != (2, 2):
            raise InputError(f"LineHistory: {self.part.label} has no shear angle; that is of planar beams")
        product = np.sum(axis * g[:, :, 1], axis=2)
        return -np.arcsin(product / (np.linalg.norm(axis, axis=2) * np.linalg.norm(g[:, :, 1], axis=2)))

    @cached_property
    def tension(self) -> Array:
        """Force along the line [N]."""
        from condyle.bodies.ancf.stations import axial_forces

        x = [np.asarray(self._result._store.frame("x", int(i))) for i in self._result._frames]
        return np.array([axial_forces(self._anchor, state, [self._place(s) for s in self.s]) for state in x])

    def plot(self) -> Figure:
        """Length, and in the middle and at both ends strain, area and force over time."""
        figure = new_figure((6.4, 7.2))
        axes = figure.subplots(4, 1, sharex=True)
        axes[0].plot(self.times, 1e3 * self.length, color=COLOURS[0])
        finished(axes[0], "", "length [mm]")
        at = {"start": 0, "middle": len(self.s) // 2, "end": len(self.s) - 1}
        rows = (
            (100.0 * self.axial_strain, "axial strain [%]"), (self.area_ratio(), "area ratio"), (self.tension, "force [N]"),
        )  # fmt: skip
        for ax, (values, label) in zip(axes[1:], rows, strict=True):
            for k, (name, station) in enumerate(at.items()):
                ax.plot(self.times, values[:, station], color=COLOURS[k], linewidth=1.3, label=name)
            finished(ax, "time [s]" if ax is axes[-1] else "", label)
        figure.align_ylabels()
        return figure
