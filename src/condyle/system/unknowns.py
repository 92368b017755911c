"""What the unknowns of a system are: their groups, levers, rigid motions, and the numbers of multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.system.contributions import Instance
from condyle.system.tables import AUGMENTED, FREE, MULTIPLIER, LawTable

if TYPE_CHECKING:
    from condyle.system.system import System

Array = NDArray[np.float64]


class Multiplier(NamedTuple):
    """What a multiplier belongs to: the part, the component, and whether it only keeps a rigid body rigid."""

    part: str
    component: str
    internal: bool


def name_multipliers(links: list[Instance], constraints: list[Instance], d: int) -> list[Multiplier]:
    """The multipliers of all constraints, in their order."""
    names = [Multiplier(i.part, f"{i.component} {'xyz'[a]}".strip(), i.internal) for i in links for a in range(d)]
    return names + [Multiplier(i.part, i.component, i.internal) for i in constraints]


def number_multipliers(tables: Sequence[tuple[LawTable, int]], first: int) -> NDArray[np.int64]:
    """The unknown of each multiplier from `first` on, −1 where it is not iterated with the motion; shape (m,).

    tables: those of all constraints, each with the number of multipliers of one of its laws.
    """
    out = []
    for table, width in tables:
        iterated = np.repeat(np.isin(table.hold, (MULTIPLIER, AUGMENTED)), width)
        out.append(np.where(iterated, first + np.cumsum(iterated) - 1, -1))
        first += int(np.count_nonzero(iterated))
    return np.concatenate(out).astype(np.int64)


def unknown_groups(system: System) -> list[NDArray[np.int64]]:
    """Unknowns whose residuals have the same unit: of lengths (also half thicknesses), of unit vectors, of turning."""
    rows, d = system.rows, system.d
    unit = np.zeros(system.n, dtype=bool)
    unit[list(system.contributions.unit_vectors)] = True
    free = rows.kind == FREE
    groups = [rows.unknown[which][:, None] + np.arange(d) for which in (free & ~unit, free & unit)]
    groups.append(rows.unknown[rows.bodies[:, 0]][:, None] + np.arange(3 if d == 3 else 1))
    return [members.ravel().astype(np.int64) for members in groups if members.size]


def levers(system: System) -> Array:
    """[m] of each unknown: 1 for a place, the extent of the model for a direction or turning, 0 for multipliers."""
    out = np.zeros(system.unknowns)
    out[: system.motion_unknowns] = system.size
    places = system.rows.unknown[(system.rows.kind == FREE) & (system.translation > 0)]
    out[places[:, None] + np.arange(system.d)] = 1.0
    return out


def rigid_motions(system: System, rows: NDArray[np.int64]) -> Array:
    """Motions of free rows without strain as vectors of the unknowns, shape (3 or 6, unknowns)."""
    d = system.d
    place = system.x_start[rows] - system.x_start[rows].mean(axis=0)
    motions = [np.broadcast_to(axis, place.shape) for axis in np.eye(d)]
    if d == 2:
        motions.append(np.stack((-place[:, 1], place[:, 0]), axis=1))
    else:
        motions += [np.cross(axis, place) for axis in np.eye(3)]
    out = np.zeros((len(motions), system.unknowns))
    at = system.rows.unknown[rows][:, None] + np.arange(d)
    for k, motion in enumerate(motions):
        out[k, at] = motion
    return out
