"""Curves over time, or over anything else. Each function takes a Result and returns the Figure, and is also a method of it.

ax: axes to draw into. over: what stands on the horizontal axis instead of the time: a joint coordinate, 'knee.angle' (with
degrees=True angles in degrees), or numbers of shape (frames,). unit, time_unit: what stands in the labels; '' for a model
without units. show: open a window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError, unknown_name
from condyle.results.figure import COLOURS, LINES, component, components, finished, labelled, new_axes, new_figure
from condyle.results.layout import PATH_UNITS
from condyle.results.tables import listed, point_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from condyle.model.given import NumbersLike, PartLike, PointLike
    from condyle.results.result import Result

_ENERGY_LOOK = {
    "total": ("black", "-"),
    "kinetic": (COLOURS[0], "-"),
    "stored": (COLOURS[1], "-"),
    "gravity": (COLOURS[2], "-"),
    "work": (COLOURS[3], "--"),
}


def plot_energy(result: Result, ax: Axes | None = None, *, unit: str = "J", time_unit: str = "s",
                show: bool = False) -> Figure:  # fmt: skip
    """Total, kinetic, stored and gravity energy, and the work done; what is zero throughout is left out."""
    ax = new_axes(ax, show=show)
    energy = result.energy
    largest = max(float(np.abs(values).max()) for values in energy.values())
    for name, (colour, line) in _ENERGY_LOOK.items():
        if name == "total" or np.abs(energy[name]).max() > 1e-12 * largest:
            width = 2.2 if name == "total" else 1.4
            ax.plot(result.step_times, energy[name], line, color=colour, linewidth=width, label=name)
    return finished(ax, time_label(result, time_unit), labelled("energy", unit), show=show)


def plot_momentum(result: Result, ax: Axes | None = None, *, kind: str = "both", unit: str | None = None,
                  time_unit: str = "s", show: bool = False) -> Figure:  # fmt: skip
    """Linear and angular momentum about the origin; kind: 'linear', 'angular' or 'both' (two panels)."""
    if kind == "both":
        if ax is not None:
            raise InputError("plot_momentum: say what belongs into the given axes: kind='linear' or 'angular'")
        figure = new_figure((6.4, 5.4), show=show)
        upper, lower = figure.subplots(2, sharex=True)
        plot_momentum(result, upper, kind="linear", unit=unit, time_unit=time_unit)
        upper.set_xlabel("")
        return plot_momentum(result, lower, kind="angular", unit=unit, time_unit=time_unit, show=show)
    if kind not in ("linear", "angular"):
        raise unknown_name("kind of momentum", kind, ("linear", "angular", "both"))
    ax = new_axes(ax, show=show)
    values = result.linear_momentum if kind == "linear" else result.angular_momentum
    for k, axis in enumerate("xyz"[: values.shape[1]]):
        if kind == "linear" or result.dimension == 3 or axis == "z":
            ax.plot(result.step_times, values[:, k], color=COLOURS[k], linewidth=1.5, label=axis)
    default = "kg m/s" if kind == "linear" else "kg m²/s"
    label = labelled(f"{kind} momentum", default if unit is None else unit)
    return finished(ax, time_label(result, time_unit), label, show=show)


def plot_points(
    result: Result,
    points: PointLike | Sequence[PointLike],
    component: str | int | Sequence[str | int] | None = None,
    ax: Axes | None = None,
    *,
    quantity: str = "position",
    over: str | NumbersLike | None = None,
    degrees: bool = False,
    unit: str | None = None,
    time_unit: str = "s",
    show: bool = False,
) -> Figure:
    """Components of one point or several over time.

    component: 'x', 'y', 'z', 'norm' or a list of them, all of x, y, z by default. quantity: 'position',
    'displacement', 'velocity' or 'acceleration'.
    """
    read: dict[str, tuple[Callable[[Any], np.ndarray], str]] = {
        "position": (result.position, "m"),
        "displacement": (result.displacement, "m"),
        "velocity": (result.velocity, "m/s"),
        "acceleration": (result.acceleration, "m/s²"),
    }
    if quantity not in read:
        raise unknown_name("quantity", quantity, read)
    function, default = read[quantity]
    ax = new_axes(ax, show=show)
    curves = {point_name(point): function(point) for point in listed(points)}
    x, x_label = abscissa(result, over, degrees, time_unit)
    name = _plot_vectors(ax, x, curves, components(component, result.dimension))
    label = labelled(f"{quantity}{name}", default if unit is None else unit)
    return finished(ax, x_label, label, show=show)


def plot_joint_force(
    result: Result,
    joints: PartLike | Sequence[PartLike],
    component: str | int | Sequence[str | int] | None = None,
    ax: Axes | None = None,
    *,
    over: str | NumbersLike | None = None,
    degrees: bool = False,
    unit: str = "N",
    time_unit: str = "s",
    show: bool = False,
) -> Figure:
    """Forces of one joint or several on their body b; of several, their magnitude by default."""
    return _plot_reactions(result, "force", joints, component, ax, over, degrees, unit, time_unit, show)


def plot_joint_torque(
    result: Result,
    joints: PartLike | Sequence[PartLike],
    component: str | int | Sequence[str | int] | None = None,
    ax: Axes | None = None,
    *,
    over: str | NumbersLike | None = None,
    degrees: bool = False,
    unit: str = "N m",
    time_unit: str = "s",
    show: bool = False,
) -> Figure:
    """Torques of one joint or several on their body b; of several, their magnitude by default."""
    return _plot_reactions(result, "torque", joints, component, ax, over, degrees, unit, time_unit, show)


def _plot_reactions(result: Result, what: str, joints: Any, component: Any, ax: Axes | None, over: Any, degrees: bool,
                    unit: str, time_unit: str, show: bool) -> Figure:  # fmt: skip
    """The 'force' or 'torque' of joints, which belongs to `multiplier_times`: over time there, else at the frames."""
    ax = new_axes(ax, show=show)
    read = result.joint_force if what == "force" else result.joint_torque
    curves = {point_name(joint): read(joint) for joint in listed(joints)}
    x, x_label = abscissa(result, over, degrees, time_unit)
    if over is None:
        x = result.multiplier_times
    else:
        curves = {name: result.at_frames(values) for name, values in curves.items()}
    if component is None and len(curves) > 1:
        component = "norm"
    flat = next(iter(curves.values())).ndim == 1  # torques in the plane
    if flat:
        for k, (name, values) in enumerate(curves.items()):
            ax.plot(x, values, color=COLOURS[k % len(COLOURS)], linewidth=1.5, label=name if len(curves) > 1 else None)
    axis = "" if flat else _plot_vectors(ax, x, curves, components(component, result.dimension))
    return finished(ax, x_label, labelled(f"joint {what}{axis}", unit), show=show)


def plot_coordinate(result: Result, coordinates: str | Sequence[str], ax: Axes | None = None, *, quantity: str = "value",
                    over: str | NumbersLike | None = None, degrees: bool = False, unit: str | None = None, time_unit: str = "s",
                    show: bool = False) -> Figure:  # fmt: skip
    """One joint coordinate or several, 'joint.angle', over time; quantity: 'value' or 'rate'; degrees: angles in degrees."""
    if quantity not in ("value", "rate"):
        raise unknown_name("quantity", quantity, ("value", "rate"))
    ax = new_axes(ax, show=show)
    names, units = listed(coordinates), []
    x, x_label = abscissa(result, over, degrees, time_unit)
    for k, name in enumerate(names):
        is_angle = result.system.coordinate(name).is_angle
        values = result.coordinate(name) if quantity == "value" else result.coordinate_rate(name)
        units.append(("°" if degrees else "rad") if is_angle else "m")
        values = np.degrees(values) if is_angle and degrees else values
        label = str(name) if len(names) > 1 else None
        ax.plot(x, values, color=COLOURS[k % len(COLOURS)], linewidth=1.5, label=label)
    default = " or ".join(u + ("/s" if quantity == "rate" else "") for u in dict.fromkeys(units))
    what = str(names[0]) if len(names) == 1 else "joint coordinate"
    what = what if quantity == "value" else f"rate of {what}"
    label = labelled(what, default if unit is None else unit)
    return finished(ax, x_label, label, show=show)


def plot_path(
    result: Result,
    parts: PartLike | Sequence[PartLike],
    ax: Axes | None = None,
    *,
    quantity: str = "tension",
    over: str | NumbersLike | None = None,
    degrees: bool = False,
    unit: str | None = None,
    time_unit: str = "s",
    show: bool = False,
) -> Figure:
    """What `result.path` gives of one muscle, ligament or actuator or of several, over time.

    quantity: 'tension', 'length', 'rate', 'power', 'activation', 'fibre length', … as in `result.path`.
    """
    ax = new_axes(ax, show=show)
    names = listed(parts)
    x, x_label = abscissa(result, over, degrees, time_unit)
    for k, part in enumerate(names):
        values = result.path(part)
        if quantity not in values:
            raise unknown_name("quantity", quantity, values, where=f"the path of '{point_name(part)}'")
        ax.plot(x, values[quantity], color=COLOURS[k % len(COLOURS)], linewidth=1.5, label=point_name(part))
    label = labelled(quantity, PATH_UNITS[quantity] if unit is None else unit)
    return finished(ax, x_label, label, show=show)


def plot_iterations(result: Result, ax: Axes | None = None, *, time_unit: str = "s", show: bool = False) -> Figure:
    """Newton iterations of every step; steps that had to be cut are marked."""
    from matplotlib.ticker import MaxNLocator

    ax = new_axes(ax, show=show, size=(6.4, 2.8))
    times, counts = result.step_times[1:], result.iterations
    ax.plot(times, counts, color=COLOURS[0], linewidth=1.0, drawstyle="steps-pre")
    cut = result.cuts > 0
    if cut.any():
        ax.plot(times[cut], counts[cut], "v", color=COLOURS[1], markersize=5, label="step was cut")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(0, max(3, int(counts.max()) + 1) if counts.size else 3)
    return finished(ax, time_label(result, time_unit), "Newton iterations", show=show, calm=False)


def abscissa(result: Result, over: object, degrees: bool, time_unit: str) -> tuple[np.ndarray, str]:
    """What stands on the horizontal axis at the frames, and its label: the time, a joint coordinate, or given numbers."""
    if over is None:
        return result.times, time_label(result, time_unit)
    if isinstance(over, str):
        values, is_angle = result.coordinate(over), result.system.coordinate(over).is_angle
        unit = ("°" if degrees else "rad") if is_angle else "m"
        return (np.degrees(values) if is_angle and degrees else values), labelled(over, unit)
    values = np.asarray(over, dtype=float)
    if values.shape != result.times.shape:
        raise InputError(
            f"over: give a joint coordinate, 'joint.angle', or numbers of shape {result.times.shape}, one for each frame, "
            f"not {values.shape}; what belongs to multiplier_times is put there by result.at_frames(…)"
        )
    return values, ""


def time_label(result: Result, unit: str) -> str:
    """'time [s]'; in statics 'load factor'."""
    return labelled("time", unit) if result.clock == "time" else result.clock


def _plot_vectors(ax: Axes, times: np.ndarray, curves: dict[str, np.ndarray], names: list[str]) -> str:
    """Draw components of vector histories: one colour per curve, one line style per component (or the other way round).

    Returns the component for the axis label if all curves show the same one.
    """
    for i, (owner, values) in enumerate(curves.items()):
        for j, name in enumerate(names):
            label = owner if len(names) == 1 else (f"{owner} {name}" if len(curves) > 1 else name)
            colour, line = (i, j) if len(curves) > 1 else (j, 0)
            style: dict[str, Any] = {"color": COLOURS[colour % len(COLOURS)], "linestyle": LINES[line % len(LINES)]}
            ax.plot(times, component(values, name), linewidth=1.5, label=label, **style)
    if len(curves) == 1 and len(names) > 1:
        ax.set_title(next(iter(curves)), fontsize="medium")
    if len(names) > 1:
        return ""
    return ", magnitude" if names[0] == "norm" else f" {names[0]}"
