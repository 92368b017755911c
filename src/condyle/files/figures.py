"""Figures of the curves of a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from condyle.files.curves import History

__all__ = ["draw"]


def draw(
    curves: Mapping[str, History], names: Sequence[str], title: str = "", against: str = "", along: str = "time [s]"
) -> Any:
    """Curves over what they go along with, or against one of them; those of another unit get an axis of their own."""
    from matplotlib.figure import Figure

    units = list(dict.fromkeys(curves[name].unit for name in names))
    figure = Figure(figsize=(4.8, 1.2 + 1.9 * len(units)))
    axes = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
    for axis, unit in zip(axes, units, strict=True):
        here = [name for name in names if curves[name].unit == unit]
        for name in here:
            places = curves[against].shown if against else curves[name].times
            axis.plot(places, curves[name].shown, label=name)
        label = here[0] if len(here) == 1 else ""
        axis.set_ylabel(f"{label} [{unit}]".strip() if unit else label)
        if len(here) > 1:
            axis.legend()
    axes[-1].set_xlabel(f"{against} [{curves[against].unit}]" if against else along)
    if title:
        axes[0].set_title(title)
    return figure
