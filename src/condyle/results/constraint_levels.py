"""How well constraints hold at the levels of places, velocities and accelerations, of any method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError, unknown_name
from condyle.results.figure import COLOURS, finished, labelled, new_axes
from condyle.system.assembly.row_form import constraint_rates
from condyle.system.rates import time_derivative
from condyle.system.tables import PENALTY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from condyle.results.result import Result

Array = NDArray[np.float64]
LEVELS = ("position", "velocity", "acceleration")
UNITS = ("m", "m/s", "m/s²")  # of points; of directions 1, 1/s, 1/s²


@dataclass(frozen=True)
class ConstraintLevels:
    """c, ċ and c̈ of all constraints that are held exactly, and of hard contacts where they press, over the frames of a result.

    parts: whose constraint each column is. position [m] (of directions [–]), velocity, acceleration: shape (frames, columns); a
    contact that is open counts as 0. scale: of each level, what the terms of c, ċ, c̈ amount to, the largest of the run, by
    which a violation can be judged. by_slopes: whether accelerations are slopes of recorded velocities, because the method
    carries none; they are then of second order in the distance of the frames.
    """

    times: Array
    parts: tuple[str, ...]
    position: Array
    velocity: Array
    acceleration: Array
    scale: dict[str, float]
    by_slopes: bool

    def of(self, part: str) -> ConstraintLevels:
        """Those of one part."""
        name = str(getattr(part, "name", part))
        mine = [k for k, own in enumerate(self.parts) if own == name]
        if not mine:
            raise unknown_name("joint", name, sorted(set(self.parts)), where="constraint_levels")
        values = (self.position[:, mine], self.velocity[:, mine], self.acceleration[:, mine])
        return ConstraintLevels(self.times, tuple(self.parts[k] for k in mine), *values, self.scale, self.by_slopes)

    @property
    def largest(self) -> dict[str, float]:
        """Largest violation of the run at each level."""
        return {level: float(np.abs(getattr(self, level)).max(initial=0.0)) for level in LEVELS}

    @property
    def relative(self) -> dict[str, float]:
        """The same over `scale`."""
        return {level: value / self.scale[level] for level, value in self.largest.items()}

    def plot(self, ax: Axes | None = None, *, show: bool = False) -> Figure:
        """The largest violation at each level over time, with a logarithmic axis."""
        ax = new_axes(ax, show=show)
        for level, unit, colour in zip(LEVELS, UNITS, COLOURS, strict=False):
            worst = np.abs(getattr(self, level)).max(axis=1, initial=0.0)
            ax.semilogy(self.times, np.maximum(worst, 1e-18), color=colour, label=labelled(level, unit))
        return finished(ax, "time [s]", "violation of constraints", show=show, calm=False)


def constraint_levels(result: Result) -> ConstraintLevels:
    """c, ċ and c̈ of all exact constraints and hard contacts at the frames of a result, see `ConstraintLevels`."""
    if result.clock != "time":
        raise InputError(f"constraint_levels: '{result.name}' was not simulated in time, so constraints have no rates")
    system, store, frames = result._running(), result._store, result._frames
    exact = system.hold != PENALTY
    parts = [m.part for m in system.multipliers]
    x, v = (np.asarray(store.array(name))[frames] for name in ("x", "v"))
    by_slopes = "acceleration" not in store.memory_names()
    if by_slopes:
        a = result._slope(np.asarray(store.array("v")))[frames]
    else:
        a = np.asarray(store.array("memory/acceleration"))[frames]
    found = np.zeros((3, len(x), len(parts)))
    for f, t in enumerate(result.times):
        system.set_turns(np.asarray(store.frame("turns", int(frames[f]))))
        speed, change = v[f].copy(), a[f].copy()
        for rows, motion in system.driven:
            speed[rows], change[rows] = (time_derivative(motion, t, order, system.step) for order in (1, 2))
        functions = system.amplitude_courses(t, system.step) if system.has_drives else np.zeros((3, 1))
        found[0, f] = system.constraint_values(x[f], t)
        for order in (1, 2):
            constraint_rates(system.whole, x[f], speed, change, functions, order, found[order, f])
        v[f], a[f] = speed, change
    columns, names = [found[:, :, exact]], [name for name, held in zip(parts, exact, strict=True) if held]
    problem = system.contact
    for pair in [] if problem is None else _hard_pairs(problem):
        columns.append(_of_contact(result, pair.name, x, v, a))
        names += [pair.name] * columns[-1].shape[2]
    c = np.concatenate(columns, axis=2)
    fastest = float(np.abs(v[:, system.translation > 0]).max(initial=0.0))
    steepest = float(np.abs(a[:, system.translation > 0]).max(initial=0.0))
    tiny = np.finfo(float).tiny
    scale = {"position": system.size, "velocity": max(fastest, tiny), "acceleration": max(steepest, tiny)}
    return ConstraintLevels(np.asarray(result.times), tuple(names), c[0], c[1], c[2], scale, by_slopes)


def _hard_pairs(problem: Any) -> list[Any]:
    """Contacts that Newton's method holds by multipliers."""
    from condyle.contact.patch_pair import PatchPair  # only of models with contacts

    return [pair for pair in problem.pairs if not (pair.soft or isinstance(pair, PatchPair))]


def _of_contact(result: Result, name: str, x: Array, v: Array, a: Array) -> Array:
    """Gap, its rate and its second derivative of a hard contact, (3, frames, points); 0 where it does not press."""
    from condyle.contact.response import OPEN, SLIP

    seen = result.contact(name)
    pressing = seen.normal_force > 0.0
    out = np.zeros((3, *pressing.shape))
    for f, (pair, at) in enumerate(seen._frames()):
        status = np.where(pressing[f], SLIP, OPEN).astype(np.int8)
        held = pair.held(status, at, v[f])
        rows = held.rows
        out[0, f] = np.where(pressing[f], pair.gaps(at), 0.0)
        out[1, f, held.points] = np.einsum("kra,kra->k", held.gradients, v[f][rows])
        out[2, f, held.points] = np.einsum("kra,kra->k", held.gradients, a[f][rows]) + held.bend
    return out
