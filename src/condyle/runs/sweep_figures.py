"""Figures of sweeps: responses, maps, parallel coordinates, indices of sensitivity."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.results.figure import COLOURS, finished, labelled, new_figure, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from condyle.runs.sweep_result import Sensitivity, SweepResult

COLUMNS = 3
MOST_ROWS = 6  # of panels of samples
DASHES = ("-", "--", ":", "-.")  # so that lines that lie on each other are seen


def responses(sweep: SweepResult, outputs: list[str], *, show: bool = False) -> Figure:
    """Outputs over the first parameter, in panels; a line per value of the second one of a grid.

    Of samples, each output over each parameter: a row of panels per output.
    """
    if sweep.design not in ("grid", "list") and len(sweep.varied) > 1:
        return _clouds(sweep, outputs, show)
    columns = min(COLUMNS, len(outputs))
    rows = -(-len(outputs) // columns)
    figure = new_figure((max(4.6, 3.1 * columns), 2.6 * rows), show=show)
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    x = _places(sweep, sweep.varied[0])
    grid = sweep.design == "grid" and 1 < len(sweep.varied) <= 3
    lines = sweep.column(sweep.varied[1]) if grid else np.zeros(len(x))
    for ax, output in zip(axes, outputs, strict=False):
        y = sweep.column(output)
        for k, value in enumerate(dict.fromkeys(lines.tolist())):
            of = np.flatnonzero(lines == value)
            of = of[np.argsort(x[of], kind="stable")]
            style = f"o{DASHES[k % len(DASHES)]}" if sweep.design == "grid" and len(sweep.varied) <= 2 else "o"
            text = _label(sweep, sweep.varied[1], value) if grid else None
            ax.plot(x[of], y[of], style, color=COLOURS[k % len(COLOURS)], markersize=3.5, linewidth=1.2, label=text)
        ax.set_title("\n".join(textwrap.wrap(labelled(output, sweep.units.get(output, "")), 44)), fontsize="small")
        _name_ticks(ax, sweep, sweep.varied[0])
        finished(ax, _axis(sweep, sweep.varied[0]), "", legend=False)
    for ax in axes[len(outputs) :]:
        ax.set_visible(False)
    if grid:
        handles, texts = axes[0].get_legend_handles_labels()
        figure.legend(handles, texts, loc="outside right upper", fontsize="x-small", frameon=False)
    return shown(axes[0], show)


def _clouds(sweep: SweepResult, outputs: list[str], show: bool) -> Figure:
    """Samples: each output over each parameter."""
    outputs, columns = outputs[:MOST_ROWS], len(sweep.varied)
    figure = new_figure((max(4.6, 2.4 * columns), 0.4 + 2.1 * len(outputs)), show=show)
    axes = figure.subplots(len(outputs), columns, squeeze=False, sharex="col", sharey="row")
    for row, output in zip(axes, outputs, strict=True):
        for ax, name in zip(row, sweep.varied, strict=True):
            ax.plot(_places(sweep, name), sweep.column(output), "o", color=COLOURS[0], markersize=3.0)
            _name_ticks(ax, sweep, name)
            label = "\n".join(textwrap.wrap(labelled(output, sweep.units.get(output, "")), 24))
            finished(ax, _axis(sweep, name), label, legend=False)
            ax.label_outer()
    return shown(axes[0, 0], show)


def response_map(sweep: SweepResult, output: str, *, show: bool = False) -> Figure:
    """An output over the first two parameters; of a grid of three, a map for each value of the third."""
    count = len(sweep.varied)
    if count != 2 and not (count == 3 and sweep.design == "grid"):
        many = "" if count == 3 else f", not {count}"
        raise InputError(
            f"sweep of {sweep.name!r}: a map has two parameters, or three of a grid{many}; take plot() or plot_parallel()"
        )
    third = sweep.column(sweep.varied[2]) if count == 3 else np.zeros(len(sweep.good))
    values = list(dict.fromkeys(third.tolist()))
    columns = min(COLUMNS, len(values))
    rows = -(-len(values) // columns)
    figure = new_figure(
        (5.4 if count == 2 else max(5.4, 3.1 * columns + 1.2), 4.0 if rows == 1 else 3.0 * rows), show=show
    )
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True))
    z = sweep.column(output)
    ends = (float(z.min()), float(z.max())) if len(z) else (0.0, 1.0)
    drawn: Any = None
    for ax, value in zip(axes, values, strict=False):
        drawn = _one_map(ax, sweep, output, np.flatnonzero(third == value), ends)
        if count == 3:
            ax.set_title(_label(sweep, sweep.varied[2], value), fontsize="small")
        finished(ax, _axis(sweep, sweep.varied[0]), _axis(sweep, sweep.varied[1]), legend=False, calm=False)
        ax.label_outer()
        if len(values) > 1 and ax.get_xscale() == "linear" and sweep.column(sweep.varied[0]).dtype.kind in "fiu":
            ax.locator_params(axis="x", nbins=4, prune="both")  # labels of panels side by side do not meet
    for ax in axes[len(values) :]:
        ax.set_visible(False)
    label = "\n".join(textwrap.wrap(labelled(output, sweep.units.get(output, "")), 40))
    figure.colorbar(drawn, ax=axes[: len(values)].tolist(), label=label)
    return shown(axes[0], show)


def _one_map(ax: Axes, sweep: SweepResult, output: str, of: NDArray[np.int64], ends: tuple[float, float]) -> Any:
    """One panel of a map: the cases `of` one value of the third parameter, in colours that all panels share."""
    from matplotlib.ticker import MaxNLocator

    first, second = sweep.varied[:2]
    x, y, z = _places(sweep, first)[of], _places(sweep, second)[of], sweep.column(output)[of]
    xs, ys = np.unique(x), np.unique(y)
    if sweep.design == "grid" and len(z) == len(xs) * len(ys) and min(len(xs), len(ys)) > 1:
        table = z[np.lexsort((y, x))].reshape(len(xs), len(ys)).T
        drawn: Any = (
            ax.contourf(xs, ys, table, MaxNLocator(15).tick_values(*ends), cmap="viridis")
            if ends[1] > ends[0]
            else ax.pcolormesh(xs, ys, table)
        )
        ax.plot(x, y, ".", color="white", markersize=2.5)
    else:
        drawn = ax.scatter(x, y, c=z, cmap="viridis", s=22, vmin=ends[0], vmax=ends[1])
    _name_ticks(ax, sweep, first)
    if second in sweep.logs:
        ax.set_yscale("log")
    return drawn


def parallel_coordinates(sweep: SweepResult, output: str, *, show: bool = False) -> Figure:
    """A line per case through all its parameters and the output, coloured by the output."""
    import matplotlib
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    names = [*sweep.varied, output]
    columns = [*(_places(sweep, name) for name in sweep.varied), sweep.column(output)]
    ax = new_figure((max(5.0, 1.6 * len(names)), 3.8), show=show).add_subplot()
    colours = ScalarMappable(Normalize(columns[-1].min(), columns[-1].max()), matplotlib.colormaps["viridis"])
    scaled = np.array([(c - c.min()) / (np.ptp(c) or 1.0) for c in columns])
    for k, value in enumerate(columns[-1]):
        ax.plot(range(len(names)), scaled[:, k], color=colours.to_rgba(value), linewidth=0.8, alpha=0.8)
    for k, column in enumerate(columns):
        ax.text(k, -0.04, f"{column.min():.4g}", ha="center", va="top", fontsize="x-small")
        ax.text(k, 1.03, f"{column.max():.4g}", ha="center", va="bottom", fontsize="x-small")
    ax.set_xticks(
        range(len(names)), ["\n".join(textwrap.wrap(_axis(sweep, name), 18)) for name in names], fontsize="small"
    )
    ax.tick_params(axis="x", pad=14, length=0)
    ax.set_yticks([])
    ax.spines[["left", "right", "top", "bottom"]].set_visible(False)
    ax.grid(True, axis="x", color="0.7")
    return shown(ax, show)


def sensitivity_bars(found: Sensitivity, *, show: bool = False) -> Figure:
    """First and total index of each parameter, with their intervals."""
    names = list(found.first)
    place = np.arange(len(names))
    ax = new_figure((max(4.0, 1.1 * len(names) + 2.0), 3.4), show=show).add_subplot()
    both = ("by itself", found.first, found.first_interval), ("with interactions", found.total, found.total_interval)
    for k, (label, indices, intervals) in enumerate(both):
        values = np.array([indices[name] for name in names])
        ends = np.array([intervals[name] for name in names]).T
        errors = np.maximum(np.abs(ends - values), 0.0)
        ax.bar(place + 0.38 * k - 0.19, values, 0.36, yerr=errors, capsize=2.5, label=label, color=COLOURS[k])
    ax.set_xticks(place, names)
    return finished(ax, "", f"part of the variance of\n{found.output}", show=show, calm=False)


def _places(sweep: SweepResult, name: str) -> NDArray[np.float64]:
    """Values of a parameter as numbers; of words, their places in a list."""
    values = sweep.column(name)
    if values.ndim > 1:
        raise InputError(f"sweep of {sweep.name!r}: {name!r} has several entries, which no axis can show")
    if values.dtype.kind in "fiu":
        return np.asarray(sweep.as_shown(name, values.astype(float)))
    words = list(dict.fromkeys(values.tolist()))
    return np.array([float(words.index(word)) for word in values.tolist()])


def _name_ticks(ax: Axes, sweep: SweepResult, name: str) -> None:
    values = sweep.column(name)
    if name in sweep.logs:
        ax.set_xscale("log")
    if values.dtype.kind not in "fiu":
        words = list(dict.fromkeys(values.tolist()))
        ax.set_xticks(range(len(words)), [str(word) for word in words])


def _axis(sweep: SweepResult, name: str) -> str:
    return labelled(name.replace("_", " "), sweep.shown_unit(name))


def _label(sweep: SweepResult, name: str, value: float | str) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    shown_value = f"{sweep.as_shown(name, value):.4g}" if number else str(value)
    return f"{name.replace('_', ' ')} {shown_value} {sweep.shown_unit(name)}".rstrip()
