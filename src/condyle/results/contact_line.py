"""What presses and rubs along a cable or beam over a run: impulses by their directions, and maps over length and time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.patch_pair import PATCH, PatchPair
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.part import did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.results.contact import ContactHistory

IMPULSES = ("normal", "axial", "transverse", "margin", "axial_margin", "transverse_margin")
UNITS = dict.fromkeys(IMPULSES, "N s") | {"gap": "m", "slip": "m/s"}


class ContactLine:
    """Points of the patches of one contact over the frames of a result, shape (frames, points); NaN where there is no point.

    Impulses [N s] are those of the step that ends with the frame, on the body: across the target's surface, along the body, and
    sideways. margin: μ times the normal impulse, less friction; negative where it is outside the cone. axial_margin and
    transverse_margin: less friction in that direction alone, which is what a box of friction bounds. `density(name)` is per
    length [N s/m], of surfaces per area.
    """

    def __init__(self, history: ContactHistory) -> None:
        if not isinstance(history.pair, PatchPair):
            raise InputError(
                f"contact '{history.name}' has no patches along a line or surface; declare it as a PatchContact"
            )
        self._history: ContactHistory = history
        self._pair: PatchPair = history.pair

    @property
    def times(self) -> Array:
        """Of the frames [s]."""
        return self._history.times

    @cached_property
    def lengths(self) -> Array:
        """Place of each point along the body [m]; of surfaces the number of its cell."""
        return np.array([pair.lengths() for pair, _ in self._history._frames()])

    @cached_property
    def patches(self) -> Array:
        """The number of the patch of each point, from 0."""
        found = [
            np.where(pair.features[:, 0] > 0.0, pair.features[:, PATCH], np.nan) for pair, _ in self._history._frames()
        ]
        return np.array(found)

    @cached_property
    def weights(self) -> Array:
        """Length [m] or area [m²] of each point."""
        return np.where(np.isfinite(self.lengths), self._history.areas, np.nan)

    @cached_property
    def _parts(self) -> Array:
        """Impulses along normal, body, sideways (frames, points, 3)."""
        impulse = self._history.impulse
        out = np.full((*impulse.shape[:2], 3), np.nan)
        for f, (pair, x) in enumerate(self._history._frames()):
            axes = pair.axes(x, pair.normals(x)[pair.busy])
            out[f, pair.busy, : pair.d] = np.einsum("kij,kj->ki", axes, impulse[f, pair.busy])
            out[f, pair.busy, pair.d :] = 0.0
        return out

    @property
    def normal(self) -> Array:
        """Impulse across the surface of the target [N s]."""
        return np.asarray(self._parts[:, :, 0])

    @property
    def axial(self) -> Array:
        """Friction impulse along the body [N s]."""
        return np.asarray(self._parts[:, :, 1])

    @property
    def transverse(self) -> Array:
        """Friction impulse sideways [N s]."""
        return np.asarray(self._parts[:, :, 2])

    @property
    def margin(self) -> Array:
        """μ times the normal impulse, less the size of the friction impulse [N s]."""
        return self._pair.friction * self.normal - np.hypot(self.axial, self.transverse)

    @property
    def axial_margin(self) -> Array:
        """μ times the normal impulse, less the size of the friction impulse along the body [N s]."""
        return self._pair.friction * self.normal - np.abs(self.axial)

    @property
    def transverse_margin(self) -> Array:
        """μ times the normal impulse, less the size of the friction impulse sideways [N s]."""
        return self._pair.friction * self.normal - np.abs(self.transverse)

    @property
    def gap(self) -> Array:
        """Distance of the points from the target at the frame [m]."""
        return np.where(np.isfinite(self.lengths), self._history.gap, np.nan)

    @cached_property
    def velocities(self) -> Array:
        """Of the points over the target at the frame: across it, along the body, sideways [m/s], shape (frames, points, 3)."""
        v = np.asarray(self._history._result._store.array("v"))[self._history._result._frames]
        out = np.full((*self.lengths.shape, 3), np.nan)
        for f, (pair, x) in enumerate(self._history._frames()):
            axes = pair.axes(x, pair.normals(x)[pair.busy])
            out[f, pair.busy, : pair.d] = np.einsum("kij,kj->ki", axes, pair.relative(x, v[f]))
            out[f, pair.busy, pair.d :] = 0.0
        return out

    @property
    def slip(self) -> Array:
        """Speed along the surface of the target [m/s]."""
        return np.asarray(np.hypot(self.velocities[:, :, 1], self.velocities[:, :, 2]))

    def density(self, name: str = "normal") -> Array:
        """An impulse per length [N s/m], of surfaces per area: 'normal', 'axial', 'transverse' or one of the margins."""
        if name not in IMPULSES:
            raise InputError(
                f"density: '{name}' is no impulse{did_you_mean(name, IMPULSES)}; there are {', '.join(IMPULSES)}"
            )
        return np.asarray(getattr(self, name) / self.weights)

    def extents(self, frame: int = -1) -> list[tuple[float, float]]:
        """Where patches begin and end at a frame, by their outer points [m]."""
        s, patch = self.lengths[frame], self.patches[frame]
        return [(float(s[patch == k].min()), float(s[patch == k].max())) for k in np.unique(patch[np.isfinite(patch)])]

    def over_length(self, values: Array, places: Array) -> Array:
        """Values of points (frames, points) at places along the body [m] (k,), linear between points of a patch."""
        out = np.full((len(values), len(places)), np.nan)
        for f in range(len(values)):
            for k in np.unique(self.patches[f][np.isfinite(self.patches[f])]):
                mine = np.flatnonzero(self.patches[f] == k)
                order = mine[np.argsort(self.lengths[f, mine])]
                s, half = self.lengths[f, order], 0.5 * self.weights[f, order]
                inside = (places >= s[0] - half[0]) & (places <= s[-1] + half[-1])
                out[f, inside] = np.interp(places[inside], s, values[f, order])
        return out

    # --- presenting -----------------------------------------------------------------------------------------------------

    def plot_map(self, name: str = "normal", *, density: bool = True, across: int = 200) -> Figure:
        """Colours over length and time of an impulse such as 'normal' or 'margin' (density: per length), of 'gap' or 'slip'."""
        from condyle.results.figure import labelled, new_figure

        values, unit = self._chosen(name, density)
        places = np.linspace(0.0, self._pair.material.length, across)
        shown = self.over_length(values, places)
        figure = new_figure((6.4, 4.0))
        ax: Any = figure.add_subplot()
        signed = bool(np.nanmin(shown, initial=0.0) < -1e-9 * np.nanmax(np.abs(shown), initial=0.0))
        top = float(np.nanpercentile(np.abs(shown), 99.0)) if np.isfinite(shown).any() else 1.0
        ax.set_facecolor("0.93")
        drawn = ax.pcolormesh(
            self.times, places, shown.T, shading="nearest", cmap="RdBu_r" if signed else "viridis",
            vmin=-top if signed else 0.0, vmax=top, rasterized=True,
        )  # fmt: skip
        figure.colorbar(drawn, ax=ax, label=labelled(name, unit), extend="max")
        ax.set(xlabel=labelled("time", "s"), ylabel=labelled("along the body", "m"), ylim=(0.0, places[-1]))
        return figure

    def plot_profile(
        self, name: str = "normal", times: Sequence[float] | None = None, *, density: bool = True
    ) -> Figure:
        """A quantity along the body at some times [s] (the last unless given), a marker for each point."""
        from condyle.results.figure import COLOURS, finished, labelled, new_axes

        values, unit = self._chosen(name, density)
        ax = new_axes(None)
        for k, t in enumerate([self.times[-1]] if times is None else times):
            f = int(np.argmin(np.abs(self.times - t)))
            for n, patch in enumerate(np.unique(self.patches[f][np.isfinite(self.patches[f])])):
                mine = np.flatnonzero(self.patches[f] == patch)
                order = mine[np.argsort(self.lengths[f, mine])]
                label = f"t = {self.times[f]:.3g} s" if n == 0 else None
                colour = COLOURS[k % len(COLOURS)]
                ax.plot(self.lengths[f, order], values[f, order], "o-", color=colour, ms=3, lw=1.2, label=label)
        ax.set_xlim(0.0, self._pair.material.length)
        return finished(ax, labelled("along the body", "m"), labelled(name, unit))

    def _chosen(self, name: str, density: bool) -> tuple[Array, str]:
        if self._pair.material.along != 1:
            raise InputError(
                f"contact '{self._history.name}' is on a surface; plot its pressure with plot(), or write_vtk()"
            )
        if name not in UNITS:
            raise InputError(f"plot: there is no '{name}'{did_you_mean(name, UNITS)}; there are {', '.join(UNITS)}")
        if density and name in IMPULSES:
            return self.density(name), "N s/m"
        values: NDArray[np.float64] = getattr(self, name)
        return values, UNITS[name]
