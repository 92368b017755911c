"""Figures of crash tests, a line each, with limits drawn in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from condyle.results.crash.curves import STANDARD_GRAVITY, resultant
from condyle.results.crash.head import clip_3ms, hic
from condyle.results.crash.impacts import contact_impacts, impacts, pressing
from condyle.results.crash.legform import Legform
from condyle.results.crash.rating import INNER, OUTER, iso_18571
from condyle.results.figure import COLOURS, finished, labelled, new_axes, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from condyle.results.result import Result


NAMED = 6  # blows of a figure that its legend tells of


def plot_hic(
    times: ArrayLike, acceleration: ArrayLike, window: float = 0.015, ax: Axes | None = None, *, show: bool = False
) -> Figure:
    """Acceleration of the head in g, with the interval of its HIC and its 3 ms clip."""
    t, a = resultant(times, acceleration, "plot_hic")
    worst, clip = hic(t, a, window), clip_3ms(t, a)
    ax = new_axes(ax, show=show)
    ax.plot(1e3 * t, a / STANDARD_GRAVITY, color=COLOURS[0], linewidth=1.5, label="resultant")
    name = f"HIC{1e3 * window:.0f} = {worst.value:.0f}"
    ax.axvspan(1e3 * worst.start, 1e3 * worst.end, color=COLOURS[1], alpha=0.2, label=name)
    ax.axhline(
        clip / STANDARD_GRAVITY,
        color="0.4",
        linestyle="--",
        linewidth=1.2,
        label=f"3 ms: {clip / STANDARD_GRAVITY:.0f} g",
    )
    return finished(ax, labelled("time", "ms"), labelled("acceleration", "g"), show=show)


def plot_legform(values: Legform, *, show: bool = False) -> Figure:
    """Bending, shear and acceleration over time, each with its limit."""
    figure = new_figure((6.4, 6.4), show=show)
    looks = (("bending", "knee bending", "°", np.degrees(1.0)), ("shear", "knee shear", "mm", 1e3),
             ("acceleration", "tibia acceleration", "g", 1.0 / STANDARD_GRAVITY))  # fmt: skip
    for ax, (name, label, unit, scale) in zip(figure.subplots(3, 1, sharex=True), looks, strict=True):
        ax.plot(1e3 * values.times, scale * getattr(values, name), color=COLOURS[0], linewidth=1.5, label=label)
        ax.axhline(scale * values.limits[name], color=COLOURS[1], linestyle="--", linewidth=1.2, label="limit")
        finished(ax, labelled("time", "ms") if name == "acceleration" else "", labelled(label, unit), show=False)
    if show:
        import matplotlib.pyplot as plt

        plt.show()
    return figure


def plot_rating(times: ArrayLike, values: ArrayLike, reference: ArrayLike, ax: Axes | None = None, *, unit: str = "",
                show: bool = False) -> Figure:  # fmt: skip
    """A curve and its reference with both corridors, and what they are rated."""
    rating = iso_18571(times, values, reference)
    t, r = 1e3 * np.asarray(times, dtype=float), np.asarray(reference, dtype=float)
    ax = new_axes(ax, show=show)
    for width, depth in ((OUTER, 0.12), (INNER, 0.3)):
        half = width * np.abs(r).max()
        ax.fill_between(t, r - half, r + half, color=COLOURS[2], alpha=depth, linewidth=0.0)
    ax.plot(t, r, color="black", linewidth=1.5, label="reference")
    ax.plot(
        t,
        np.asarray(values, dtype=float),
        color=COLOURS[0],
        linewidth=1.5,
        label=f"{rating.overall:.2f}, {rating.grade}",
    )
    return finished(ax, labelled("time", "ms"), labelled("value", unit), show=show)


def plot_impacts(
    times: ArrayLike, force: ArrayLike, ax: Axes | None = None, *, threshold: float = 0.0, show: bool = False
) -> Figure:
    """A contact force over time, with peak, impulse and duration of the blows; of many, of the hardest six."""
    t, f = np.asarray(times, dtype=float), np.asarray(force, dtype=float)
    ax = new_axes(ax, show=show)
    ax.plot(1e3 * t, f, color=COLOURS[0], linewidth=1.5)
    blows = impacts(t, f, threshold=threshold)
    least = sorted((blow.peak for blow in blows), reverse=True)[:NAMED][-1:]
    for k, blow in enumerate(blows):
        text = f"{_newtons(blow.peak)}, {blow.impulse:.3g} N s, {1e3 * blow.duration:.3g} ms"
        name = text if blow.peak >= least[0] else None
        ax.plot([1e3 * blow.peak_time], [blow.peak], "o", color=COLOURS[1 + k % NAMED], markersize=4, label=name)
    return finished(ax, labelled("time", "ms"), labelled("force", "N"), show=show)


def _newtons(force: float) -> str:
    return f"{force:.4g} N" if force < 1e4 else f"{1e-3 * force:.4g} kN"


def plot_contact(
    result: Result, contact: str, *, threshold: float = 0.0, allowed: float | None = None, show: bool = False
) -> Figure:
    """Force and depth of a contact of a run over time, with its blows, and the depth that is allowed [m] drawn in."""
    history: Any = result.contact(contact)
    blows = contact_impacts(result, contact, threshold=threshold, allowed=allowed)
    figure = new_figure((8.0, 5.0), show=show)
    top, bottom = figure.subplots(2, 1, sharex=True)
    plot_impacts(history.times, pressing(result, history), top, threshold=threshold)
    top.set_xlabel("")
    depth = np.maximum(-np.nan_to_num(history.gap, nan=np.inf), 0.0).max(axis=1)
    bottom.plot(1e3 * history.times, 1e3 * depth, color=COLOURS[0], linewidth=1.5, label="deepest point")
    limit = next((blow.allowed for blow in blows if blow.allowed), allowed)
    if limit:
        bottom.axhline(1e3 * limit, color=COLOURS[1], linestyle="--", linewidth=1.2, label="allowed")
    finished(bottom, labelled("time", "ms"), labelled("depth", "mm"), show=show)
    return figure
