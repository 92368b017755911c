"""Figures of identifications: measured and fitted curves, profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from condyle.results.figure import COLOURS, finished, labelled, new_axes, new_figure, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.runs.identification import Identification, Profile

COLUMNS = 2


def fitted_curves(found: Identification, *, show: bool = False) -> Figure:
    """Each measured curve as points, the fitted one as a line."""
    data = found.problem.data
    columns = min(COLUMNS, len(data))
    rows = -(-len(data) // columns)
    figure = new_figure((max(4.8, 3.8 * columns), 2.9 * rows), show=show)
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for ax, m, curve in zip(axes, data, found.fitted(), strict=False):
        ax.plot(m.times, m.values, ".", color="0.55", markersize=3.5, label="measured")
        ax.plot(m.times, curve, color=COLOURS[0], label="fitted")
        ax.set_title(
            ", ".join(
                f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                for name, value in m.experiment.items()
            ),
            fontsize="small",
        )
        finished(ax, "time [s]", labelled(m.curve, m.unit), legend=False)
    axes[0].legend(frameon=False, fontsize="small")
    for ax in axes[len(data) :]:
        ax.set_visible(False)
    return shown(axes[0], show)


def profile_curve(found: Identification, profile: Profile, *, show: bool = False) -> Figure:
    """Twice the cost over its least one, in units of the variance, with the limit of 95 %."""
    from scipy.stats import chi2

    ax = new_axes(None, show=show, size=(4.8, 3.2))
    ax.plot(profile.values, 2.0 * (profile.costs - found.cost) / found.variance, "o-", color=COLOURS[0], markersize=3.5)
    ax.axhline(float(chi2.ppf(0.95, 1)), color="0.4", linestyle=":", label="95 %")
    ax.axvline(found.values[profile.name], color=COLOURS[1], linewidth=1.0, label="found")
    unit = found.problem.unknowns[profile.name].unit
    return finished(ax, labelled(profile.name, unit), "likelihood ratio", show=show)
