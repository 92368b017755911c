"""What all figures share: one look, labels with units, and no need of a display."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from condyle.errors import unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from condyle.model.given import Option

# Okabe and Ito: colours that stay apart for colour-blind readers and in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666")
LINES = ("-", "--", "-.", ":")
# Settings of matplotlib for figures that are printed: one column of a journal page, readable when printed.
_LOOK: dict[str, Any] = {
    "figure.constrained_layout.use": True,
    "font.size": 9.0,
    "axes.titlesize": "medium",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
}


def new_figure(
    size: tuple[float, float] = (6.4, 3.8),
    *,
    show: bool = False,
    layout: Literal["constrained", "compressed"] = "constrained",
) -> Figure:
    """An empty figure [inch]. Only with `show` is it known to pyplot, which opens windows."""
    if show:
        import matplotlib.pyplot as plt

        return plt.figure(figsize=size, layout=layout)
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout=layout)


def figure_style(**others: Option) -> AbstractContextManager[None]:
    """The style of the studies' figures for figures of your own: ``with figure_style(): …``.

    others: settings of matplotlib that are taken instead, with _ in place of the point: ``font_size=8``.
    """
    from cycler import cycler
    from matplotlib import rc_context, rcParams

    known = {name.replace(".", "_"): name for name in rcParams}
    for name in others:
        if name not in known:
            raise unknown_name("setting of matplotlib", name, known)
    look: Any = {**_LOOK, "axes.prop_cycle": cycler(color=COLOURS), **{known[n]: v for n, v in others.items()}}
    return rc_context(look)


def new_axes(ax: Axes | None, *, show: bool = False, size: tuple[float, float] = (6.4, 3.8)) -> Axes:
    """The given axes, or those of a new figure."""
    return ax if ax is not None else new_figure(size, show=show).add_subplot()


def finished(ax: Axes, x: str, y: str, *, show: bool = False, legend: bool = True, calm: bool = True) -> Figure:
    """Label the axes, give them their look and return the figure; with `show`, open it in a window."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True, color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.margins(x=0.02)
    if calm:
        keep_calm(ax)
    if legend and ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), borderaxespad=0.4, handlelength=1.8)
    return shown(ax, show)


def shown(ax: Any, show: bool) -> Figure:
    """The figure of the axes, opened in a window if asked for."""
    if show:
        import matplotlib.pyplot as plt

        plt.show()
    figure: Figure = ax.get_figure(root=True) if hasattr(ax, "get_figure") else ax
    return figure


def keep_calm(ax: Axes) -> None:
    """Do not magnify round-off: what is constant to 1e-6 is drawn as a flat line."""
    values = [np.asarray(line.get_ydata(), dtype=float) for line in ax.get_lines()]
    values = [v for v in values if v.size]
    if not values:
        return
    low, high = min(v.min() for v in values), max(v.max() for v in values)
    size = max(abs(low), abs(high))
    if size == 0.0:
        ax.set_ylim(-1.0, 1.0)
    elif high - low <= 1e-6 * size:
        middle = 0.5 * (low + high)
        ax.set_ylim(middle - 0.1 * size, middle + 0.1 * size)


def labelled(quantity: str, unit: str) -> str:
    """'energy [J]', or only 'energy' for a model without units (unit='')."""
    return f"{quantity} [{unit}]" if unit else quantity


def components(wanted: str | int | Sequence[str | int] | None, d: int) -> list[str]:
    """Names of the wanted components among x, y, z and norm; None means all of x, y, z."""
    names = [*"xyz"[:d], "norm"]
    if wanted is None:
        return names[:d]
    given: Sequence[Any] = wanted if isinstance(wanted, list | tuple) else [wanted]
    chosen = [names[c] if isinstance(c, int) and 0 <= c < d else str(c) for c in given]
    for name in chosen:
        if name not in names:
            raise unknown_name("component", name, names)
    return chosen


def component(values: np.ndarray, name: str) -> np.ndarray:
    """One component, or the magnitude, of vectors of shape (times, d)."""
    return np.linalg.norm(values, axis=1) if name == "norm" else values[:, "xyz".index(name)]
