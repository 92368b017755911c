"""Curves of a run for its page: energies, joint coordinates, muscles, ligaments, contacts, and how the steps went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact import Collisions, Contact
from condyle.errors import CondyleError
from condyle.results.columns import coordinates_of
from condyle.results.layout import ENERGIES, WITHOUT_WORK
from condyle.results.shapes import path_lines

if TYPE_CHECKING:
    from condyle.results.result import Result

__all__ = ["Plot", "plots"]

Array = NDArray[np.float64]
MOST_POINTS = 1500  # of a curve: more than the columns of a screen
MOST_SERIES = 24  # in one plot


@dataclass
class Plot:
    """Curves of one unit over common times [s]."""

    title: str
    unit: str
    times: Array
    series: dict[str, Array]

    def thinned(self) -> Plot:
        """With at most so many points that a screen can show; of each stretch the lowest and highest value is kept."""
        count = len(self.times)
        if count <= MOST_POINTS:
            return self
        edges = np.linspace(0, count, MOST_POINTS // 2 + 1).astype(int)
        keep = {0, count - 1}
        for values in self.series.values():
            for first, last in pairwise(edges):
                part = values[first:last]
                keep |= {first + int(part.argmin()), first + int(part.argmax())}
        chosen = sorted(keep)
        if len(chosen) > 4 * MOST_POINTS:
            chosen = [chosen[k] for k in np.linspace(0, len(chosen) - 1, 4 * MOST_POINTS).astype(int)]
        return Plot(self.title, self.unit, self.times[chosen], {n: v[chosen] for n, v in self.series.items()})


def plots(result: Result) -> list[Plot]:
    """What can be drawn of a result over its times, the most asked for first; what is nowhere finite is left out."""
    found = []
    for plot in (*_energies(result), *_coordinates(result), *_paths(result), *_contacts(result), *_steps(result)):
        series = {name: np.nan_to_num(values) for name, values in plot.series.items() if np.isfinite(values).any()}
        if any(map(np.any, series.values())) and len(plot.times) > 1:
            names = list(series)[:MOST_SERIES]
            found.append(Plot(plot.title, plot.unit, plot.times, {name: series[name] for name in names}).thinned())
    return found


def _energies(result: Result) -> Iterator[Plot]:
    if result.integrator.get("name") not in WITHOUT_WORK:
        energy = {name: result.energy[name] for name in ENERGIES if np.any(result.energy[name])}
        yield Plot("energy", "J", result.step_times, energy)


def _coordinates(result: Result) -> Iterator[Plot]:
    angles, lengths = {}, {}
    for reference, values in coordinates_of(result).items():
        if result.system.coordinate(reference).is_angle:
            angles[reference] = np.rad2deg(values)
        else:
            lengths[reference] = values
    yield Plot("joint angles", "deg", result.times, angles)
    yield Plot("joint displacements", "m", result.times, lengths)


def _paths(result: Result) -> Iterator[Plot]:
    values = {line.part.name: result.path(line.part) for line, _ in path_lines(result.system)}
    for quantity, title, unit in (
        ("tension", "tension of muscles and ligaments", "N"),
        ("activation", "activation", ""),
        ("strain", "strain of ligaments", ""),
    ):
        yield Plot(title, unit, result.times, {name: v[quantity] for name, v in values.items() if quantity in v})


def _contacts(result: Result) -> Iterator[Plot]:
    forces: dict[str, Array] = {}
    areas: dict[str, Array] = {}
    for part in result.model:
        if isinstance(part, Contact | Collisions):
            try:
                contact = result.contact(part.name)
                forces[part.name] = contact.normal_force.sum(axis=1)
                if not isinstance(part, Collisions) and np.any(contact.areas):
                    areas[part.name] = 1e6 * contact.area
            except CondyleError:  # this run kept no forces of it
                continue
    yield Plot("contact force", "N", result.times, forces)
    yield Plot("contact area", "mm²", result.times, areas)


def _steps(result: Result) -> Iterator[Plot]:
    if result.steps:
        yield Plot("constraint error", "m or m²", result.step_times, {"largest": result.constraint_error})
        counts: dict[str, Any] = {"iterations": result.iterations.astype(float)}
        if result.cuts.any():
            counts["cuts"] = result.cuts.astype(float)
        yield Plot("Newton iterations per step", "", result.step_times[1:], counts)
