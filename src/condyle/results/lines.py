"""Forces along cables and beams, and their picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.model.part import name_of
from condyle.results.figure import COLOURS, finished, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.bodies.ancf.stations import LineForces
    from condyle.model.given import BodyLike
    from condyle.results.result import Result


def line_forces(result: Result, body: BodyLike, time: float | None = None, *, per_element: int = 5) -> LineForces:
    """Axial force, shear, bending moment, torsion and energy along a Cable, Beam or AncfBeam at a time [s] (default: the last).

    Returns s, position, axial, shear, bending, torsion, energy as named arrays, one entry per station.
    """
    from condyle.bodies.ancf.body import AncfBody
    from condyle.bodies.ancf.stations import line_forces as of_state

    name = name_of(body)
    part = result.model.body(name)
    if not isinstance(part, AncfBody) or not part.has_sections:
        raise InputError(f"line_forces: {part.label} is no cable or beam of sections")
    frame = len(result.times) - 1 if time is None else result.at(float(time))
    x = result._store.frame("x", int(result._frames[frame]))
    anchor: Any = result.system.anchors[name]
    return of_state(anchor, np.asarray(x), per_element, _held(result, part, anchor, float(result.times[frame])))


def _held(result: Result, part: Any, anchor: Any, time: float) -> dict[int, Any]:
    """Forces [N] of the strains that a Beam does not have: the multipliers nearest to a time, per length of an element."""
    from condyle.bodies.ancf.exact import STRAINS, Beam

    held = [n for n in part.held if n < result.model.dimension] if isinstance(part, Beam) else []
    if not held:
        return {}
    nearest = int(np.argmin(np.abs(result.multiplier_times - time)))
    lengths = anchor.mesh.lengths[:, 0]
    return {n: np.atleast_1d(result.multipliers(part)[STRAINS[n]][nearest]) / lengths for n in held}


def plot_line_forces(result: Result, body: BodyLike, time: float | None = None) -> Figure:
    """Axial force, shear, bending moment and energy over the arc length."""
    forces = line_forces(result, body, time)
    figure = new_figure((6.4, 6.4))
    rows = (
        ("axial", "axial force [N]"),
        ("shear", "shear [N]"),
        ("bending", "bending moment [N m]"),
        ("energy", "energy [J/m]"),
    )
    axes = figure.subplots(len(rows), 1, sharex=True)
    both = {"shear": ("along y", "along z"), "bending": ("about z", "about y")}  # of a beam in 3D
    for ax, (field, label) in zip(axes, rows, strict=True):
        values = np.asarray(getattr(forces, field))
        for k, column in enumerate(values.reshape(len(values), -1).T):
            name = both[field][k] if values.ndim == 2 else None
            ax.plot(forces.s, column, color=COLOURS[k], linewidth=1.5, label=name)
        finished(ax, "arc length [m]" if ax is axes[-1] else "", label)
        ax.yaxis.label.set_size("small")
    figure.align_ylabels()
    return figure
