"""The time to an error on paper: the table and the figure of the page."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from precision_cases import ERRORS, Curve
from store import Stored, number

COLUMNS = ("workload", "engine and method", *(f"{error:g} m" for error in ERRORS))
FACT = "work precision"  # the name under which curves are stored


def cells(curves: list[Curve]) -> list[tuple[str, ...]]:
    """Rows of the table: milliseconds."""
    rows, last = [], ""
    for curve in curves:
        times = [curve.seconds_to(error) for error in ERRORS]
        shown = (f"{1e3 * t:.3g}" if math.isfinite(t) else "–" for t in times)
        rows.append(("" if curve.workload == last else curve.workload, f"{curve.engine}, {curve.method}", *shown))
        last = curve.workload
    return rows


def draw(stored: list[Stored], path: Path) -> None:
    """The figure of what is stored of the time to an error, if anything is."""
    curves = [curve for part in stored for curve in curves_of(part)]
    if curves:
        figure(curves, path)


def curves_of(part: Stored) -> list[Curve]:
    """The curves that a part has kept."""
    made = [Curve(**curve) for curve in part.found.facts.get(FACT, [])]
    for curve in made:
        curve.errors = [number(error) for error in curve.errors]
    return made


# Colours of Condyle's methods, markers and lines of the others.
COLOURS = {
    "energy–momentum": "#1f77b4",
    "energy–momentum 4": "#17becf",
    "energy–momentum 6": "#2ca02c",
    "generalized-α": "#9467bd",
    "Gauss 6": "#e377c2",
    "Gauss 8": "#8c564b",
    "Runge–Kutta 4": "#ff7f0e",
    "Runge–Kutta 8": "#d62728",
}
OTHERS = {
    "mujoco, RK4": ("k", "--", "s"),
    "mujoco, Euler": ("0.45", "--", "v"),
    "mujoco, implicitfast": ("0.65", "--", "^"),
    "exudyn": ("k", ":", "D"),
    "kratos": ("k", "-.", "P"),
}


def style(curve: Curve) -> tuple[str, dict[str, object]]:
    """The name of a curve in the legend, and how it is drawn."""
    if curve.engine == "condyle":
        return f"Condyle, {curve.method}", {"color": COLOURS[curve.method], "marker": "o", "ms": 3.5, "lw": 1.6}
    key = curve.engine if curve.engine in OTHERS else f"{curve.engine}, {curve.method}"
    colour, line, marker = OTHERS[key]
    label = {"mujoco": f"MuJoCo, {curve.method}", "exudyn": "exudyn, generalized-α", "kratos": "Kratos, Bossak"}
    return label[curve.engine], {"color": colour, "ls": line, "marker": marker, "ms": 4.0, "mfc": "w", "lw": 1.2}


def figure(curves: list[Curve], path: Path) -> None:
    """Time over error, a panel for each workload and one legend for all."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(curve.workload for curve in curves))
    columns = min(4, len(names))
    rows = math.ceil(len(names) / columns)
    made, panels = plt.subplots(
        rows, columns, figsize=(3.4 * columns, 3.0 * rows + 0.9), squeeze=False, layout="constrained"
    )
    shown = {}
    for panel, name in zip(panels.flat, names, strict=False):
        for curve in (c for c in curves if c.workload == name and c.steps):
            label, drawn = style(curve)
            (shown[label],) = panel.loglog(curve.errors, 1e3 * np.array(curve.seconds), **drawn)
        panel.set(title=name, xlim=(1.0, 1e-8))  # more exact to the right
        panel.set_xticks([1e0, 1e-2, 1e-4, 1e-6, 1e-8])
        panel.grid(color="0.9")
        for error in ERRORS:
            panel.axvline(error, color="0.75", lw=0.8, zorder=0)
    for panel in list(panels.flat)[len(names) :]:
        panel.set_visible(False)
    for panel in panels[-1]:
        panel.set_xlabel("error after 1 s [m]")
    made.supylabel("processor time [ms]")
    order = sorted(shown, key=lambda label: (not label.startswith("Condyle"), label))
    made.legend(
        [shown[label] for label in order], order, loc="outside lower center", ncols=5, fontsize=8, frameon=False
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    made.savefig(path, dpi=110)
