"""Finds the laws that act between bodies of a tree, for steps in joint coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.laws.codes import (
    COORDINATE,
    COORDINATE_DAMPER,
    COORDINATE_FORCE,
    COORDINATE_SPRING,
    CURVED_DAMPER,
    DEAD_LOAD,
    LIGAMENT,
    LIGAMENT_DAMPER,
    SPRING,
)
from condyle.system.assembly.body_laws import ABOUT, ALONG, OWN, BodyLaws, BodyRoom

if TYPE_CHECKING:
    from condyle.system.system import System
    from condyle.system.tables import LawTable

Array = NDArray[np.float64]
ENERGIES = (SPRING, COORDINATE, COORDINATE_SPRING, LIGAMENT)
OF_PRODUCTS = (
    COORDINATE_FORCE,
    COORDINATE_DAMPER,
    CURVED_DAMPER,
    LIGAMENT_DAMPER,
)  # forces that turn with all their vectors


class LawOfBodies(NamedTuple):
    """How the vectors of a law move with the bodies that it acts on."""

    ends: tuple[int, int]
    weight: Array  # (vectors, 2)
    arm: Array  # (vectors, 2, 3)
    form: int

    def shares_columns_with(self, other: LawOfBodies) -> bool:
        """Is it coupled by the same columns?"""
        if self.form != other.form or self.ends != other.ends:
            return False
        return self.form == ABOUT or bool((self.weight == other.weight).all() and (self.arm == other.arm).all())


def laws_of_bodies(system: System) -> dict[tuple[int, int], LawOfBodies]:
    """Laws, (family, instance), that act on one body of a tree or between two; none of those on angles of hinges."""
    return {
        (family, k): law
        for family in (0, 1)
        for k, instance in enumerate(system.instances[family])
        if instance.law != DEAD_LOAD
        and (family, k) not in system.laws_of_hinges
        and (law := _law_of(system, family, k)) is not None
    }


def couplings(system: System) -> list[LawOfBodies]:
    """One law for each three columns that couple bodies."""
    found: list[LawOfBodies] = []
    for law in system.laws_of_bodies.values():
        if law.form != OWN and not any(law.shares_columns_with(other) for other in found):
            found.append(law)
    return found


def body_laws(system: System, angles: NDArray[np.int64]) -> BodyLaws:
    """The same as a table; angles: of all laws of the system."""
    found, coupled = system.laws_of_bodies, couplings(system)
    coupling = [next((c for c, o in enumerate(coupled) if law.shares_columns_with(o)), -1) for law in found.values()]
    laws = [int(system.spans[family]) + k for family, k in found]
    sizes = [len(law.weight) for law in found.values()]
    has_angles = bool(np.isin(angles[:, 0], laws).any())
    return BodyLaws(
        np.array(laws, dtype=np.int64), _integers([law.ends for law in found.values()], 2),
        np.cumsum([0, *sizes], dtype=np.int64),
        np.array([row for law in found.values() for row in law.weight]).reshape(-1, 2),
        np.array([row for law in found.values() for row in law.arm]).reshape(-1, 2, 3),
        np.array([law.form for law in found.values()], dtype=np.int64), np.array(coupling, dtype=np.int64),
        _integers([law.ends for law in coupled], 2), angles if has_angles else angles[:0],
    )  # fmt: skip


def body_room(laws: BodyLaws, bodies: int, d: int) -> BodyRoom:
    """Room to work in, for one run."""
    sizes = np.diff(laws.start)
    most, vectors, couplings = int(sizes.max(initial=1)), int(sizes.sum()), len(laws.coupled)
    n = 3 * couplings
    return BodyRoom(
        np.zeros((vectors, 3)), np.zeros((vectors, 3, 2, 3)), np.zeros((bodies if len(sizes) else 0, 6, 6)),
        np.zeros((couplings, 2, 6, 3)), np.zeros((couplings, 2, 3, 6)), np.zeros((n, n)), np.zeros(n, dtype=np.int64),
        np.zeros(n), np.zeros(len(sizes)), np.zeros(len(sizes)), np.zeros((5, most, d)), np.zeros((5, most, most)),
        np.zeros((most,) * 4), np.zeros((most,) * 4), np.zeros((most, d, most, d)), np.zeros((most, d, most, d)),
    )  # fmt: skip


def _integers(rows: list[tuple[int, int]], width: int) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def _law_of(system: System, family: int, k: int) -> LawOfBodies | None:
    """How a law acts on bodies; None if it does so in a way that only rows know."""
    table, instance = (system.energies, system.forces)[family], system.instances[family][k]
    known = instance.law in ENERGIES if family == 0 else True
    if (
        not known
        or instance.damping
        or instance.viscosity
        or instance.prony
        or table.at_end[k]
        or len(instance.measure) > 1
    ):
        return None
    W, rows = _weights(table, k)
    tree = system.tree
    owners = {int(row): (i, place) for i, on in enumerate(tree.rows.tolist()) for place, row in enumerate(on)}
    if any(row not in owners and system.rows.unknown[row] >= 0 for row in rows):
        return None
    bodies = sorted({owners[row][0] for row in rows if row in owners})
    if len(bodies) not in (1, 2):
        return None
    weight, arm = np.zeros((len(W), 2)), np.zeros((len(W), 2, 3))
    for end, body in enumerate(bodies):
        for column, row in enumerate(rows):
            if owners.get(row, (-1, 0))[0] == body:
                place = owners[row][1]
                if place == 0:
                    weight[:, end] += W[:, column]
                    arm[:, end] -= np.outer(W[:, column], tree.pivot[body])
                else:
                    arm[:, end, place - 1] += W[:, column]
    if len(bodies) == 1:
        return LawOfBodies((bodies[0], -1), weight, arm, OWN)
    if len(W) == 1:
        return LawOfBodies((bodies[0], bodies[1]), weight, arm, ALONG)
    if (family == 0 or instance.law in OF_PRODUCTS) and not weight.any() and _is_free_of_space(W, rows, owners):
        return LawOfBodies((bodies[0], bodies[1]), weight, arm, ABOUT)
    return None


def _is_free_of_space(W: Array, rows: list[int], owners: dict[int, tuple[int, int]]) -> bool:
    """Do all vectors move with bodies? Otherwise the moments on both are not opposite."""
    return not any(row not in owners and W[:, column].any() for column, row in enumerate(rows))


def _weights(table: LawTable, k: int) -> tuple[Array, list[int]]:
    """Weights of the vectors of a law (vectors, rows), and its rows."""
    first, last, ny = int(table.row_start[k]), int(table.row_start[k + 1]), int(table.vectors[k])
    at = int(table.weight_start[table.point_start[k]])
    return table.weights[at : at + ny * (last - first)].reshape(ny, last - first), table.rows[first:last].tolist()
