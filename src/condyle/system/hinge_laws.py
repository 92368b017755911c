"""Finds the laws that act on nothing but the angle of a hinge of the tree, for steps in joint coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.laws.codes import (
    ANGLE,
    COORDINATE,
    COORDINATE_DAMPER,
    COORDINATE_FORCE,
    COORDINATE_SPRING,
    CURVED_DAMPER,
)
from condyle.system.assembly.hinge_laws import HingeLaws, HingeRoom
from condyle.system.assembly.joint_tree import HINGE, Tree
from condyle.system.tables import LawTable

if TYPE_CHECKING:
    from condyle.system.system import System

Array = NDArray[np.float64]
STORED, FORCED = (COORDINATE_SPRING, COORDINATE), (COORDINATE_FORCE, COORDINATE_DAMPER, CURVED_DAMPER)
LEAD = {COORDINATE: 1, COORDINATE_SPRING: 3, COORDINATE_FORCE: 1, COORDINATE_DAMPER: 4}  # numbers before the coordinate
SQUARE = 1e-12  # largest cosine of directions that are square to each other


class AngleOfHinge(NamedTuple):
    """An angle of a hinge, as one law takes it."""

    body: int
    sense: float
    ends: tuple[int, int]
    directions: Array  # (3, 3)

    def is_that_of(self, other: AngleOfHinge) -> bool:
        same = self.body == other.body and self.ends == other.ends
        return same and bool((self.directions == other.directions).all())


def laws_of_hinges(system: System) -> dict[tuple[int, int], AngleOfHinge]:
    """The angles of all laws, (family, instance), that act on a single angle of a hinge: 0 energies, 1 forces."""
    return {
        (family, k): angle
        for family, known in enumerate((STORED, FORCED))
        for k, instance in enumerate(system.instances[family])
        if instance.law in known and (angle := _angle_of(system, family, k)) is not None
    }


def hinge_laws(system: System) -> HingeLaws:
    """The same as a table."""
    angles: list[AngleOfHinge] = []
    laws: list[list[tuple[int, int]]] = []
    for (family, k), angle in system.laws_of_hinges.items():
        which = next((n for n, known in enumerate(angles) if angle.is_that_of(known)), len(angles))
        if which == len(angles):
            angles.append(angle)
            laws.append([])
        first = len(system.angles[0].instance) if family else 0
        turn = first + int(np.flatnonzero(system.angles[family].instance == k)[0])
        laws[which].append((int(system.spans[family]) + k, turn))
    law = np.array([one for group in laws for one in group], dtype=np.int64).reshape(-1, 2)
    return HingeLaws(
        np.array([a.body for a in angles], dtype=np.int64), np.array([a.sense for a in angles]),
        np.array([a.ends for a in angles], dtype=np.int64).reshape(-1, 2),
        np.array([a.directions for a in angles]).reshape(-1, 3, 3),
        np.cumsum([0, *map(len, laws)]), law[:, 0].copy(), law[:, 1].copy(),
    )  # fmt: skip


def hinge_room(laws: HingeLaws) -> HingeRoom:
    """Room to work in, for one run."""
    return HingeRoom(np.zeros((laws.body.size, 3, 3)), np.zeros((laws.body.size, 2)))


def _angle_of(system: System, family: int, k: int) -> AngleOfHinge | None:
    """The angle of a hinge that a law acts on; None if it acts on something else, or on more."""
    table = (system.energies, system.forces)[family]
    instance = system.instances[family][k]
    at = 5 * int(instance.params[0]) - 3 if instance.law == CURVED_DAMPER else LEAD[instance.law]
    one = instance.params[at : at + 2] == (1.0, float(ANGLE)) and table.vectors[k] == 3
    if not one or instance.damping or instance.viscosity or table.at_end[k]:
        return None
    tree, found = system.tree, [_on_one_body(system, table, k, vector) for vector in range(3)]
    if None in found:
        return None
    (one_end, y), (other, e), (same, g) = (on for on in found if on is not None)
    of = [i for i in (one_end, other) if i >= 0 and tree.kind[i] == HINGE]
    body = next((i for i in of if {one_end, other} == {i, int(tree.parent[i])}), -1)
    if body < 0 or other != same:
        return None
    axes = [_axis_on(system, tree, body, end) for end in (one_end, other)]
    if axes[0] is None or axes[1] is None:
        return None
    off = [y @ axes[0], e @ axes[1], g @ axes[1], e @ g, y @ y - 1.0, e @ e - 1.0, g @ g - 1.0]
    if np.abs(off).max() > SQUARE:
        return None
    turns = float(np.sign(np.cross(e, g) @ axes[1]))
    return AngleOfHinge(body, turns if one_end == body else -turns, (one_end, other), np.array([y, e, g]))


def _on_one_body(system: System, table: LawTable, k: int, vector: int) -> tuple[int, Array] | None:
    """The body that a direction belongs to, −1 for the ground, and its components along the directors there."""
    first, last = int(table.row_start[k]), int(table.row_start[k + 1])
    at = int(table.weight_start[table.point_start[k]]) + vector * (last - first)
    parts = [(int(r), w) for r, w in zip(table.rows[first:last], table.weights[at:], strict=False) if w != 0.0]
    tree, d = system.tree, system.d
    owners = {int(row): (i, place) for i, rows in enumerate(tree.rows.tolist()) for place, row in enumerate(rows)}
    bodies = {owners[row][0] if row in owners else -1 for row, _ in parts}
    if len(bodies) != 1:
        return None
    body, out = bodies.pop(), np.zeros(3)
    for row, weight in parts:
        if body < 0:
            out[:d] += weight * system.x_start[row]
        elif owners[row][1] == 0:
            return None
        else:
            out[owners[row][1] - 1] += weight
    return body, out


def _axis_on(system: System, tree: Tree, body: int, end: int) -> Array | None:
    """The axis of a hinge along the directors of one of its bodies, −1: in space; None if they do not carry it squarely."""
    if tree.square[body, 0] < 0:
        return np.array([0.0, 0.0, 1.0])
    if (end == body) == bool(tree.own[body, 0]):
        return tree.axis[body] / np.linalg.norm(tree.axis[body])
    if np.abs(tree.slant[body]).max() > SQUARE:
        return None
    axis = np.cross(tree.across[body, 0], tree.across[body, 1])
    axis /= np.linalg.norm(axis)
    carrier = int(tree.parent[body]) if end == body else body
    there, seen = _in_space(system, tree, carrier, tree.axis[body]), _in_space(system, tree, end, axis)
    return axis * np.sign(there @ seen)


def _in_space(system: System, tree: Tree, body: int, direction: Array) -> Array:
    return direction if body < 0 else direction[: system.d] @ system.x_start[tree.rows[body, 1:]]
