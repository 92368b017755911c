"""Places and turns of one set of axes in another, which readers put together along chains of bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.inertia import MassProperties
from condyle.model.rotations import rotation

__all__ = ["Frame", "Names", "balanced", "moved", "taken_together", "turn_to"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Frame:
    """Axes in other axes: place [m] of the origin (3,), turn (3, 3) with the axes as columns."""

    place: Array = field(default_factory=lambda: np.zeros(3))
    turn: Array = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, other: Frame) -> Frame:
        """A frame that is given in this one, in the axes that this one is given in."""
        return Frame(self.at(other.place), self.turn @ other.turn)

    def at(self, point: ArrayLike) -> Array:
        """A point of this frame in the outer axes."""
        return self.place + self.turn @ np.asarray(point, dtype=float)

    def along(self, direction: ArrayLike) -> Array:
        """A direction of this frame in the outer axes."""
        return self.turn @ np.asarray(direction, dtype=float)

    def inverse(self) -> Frame:
        """The outer axes in this frame."""
        return Frame(-self.turn.T @ self.place, self.turn.T)


def turn_to(direction: NDArray[np.float64]) -> Array:
    """The smallest rotation that turns z to a direction, shape (3, 3)."""
    z = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    axis = np.cross([0.0, 0.0, 1.0], z)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        return np.eye(3) if z[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return rotation(axis=axis.tolist(), angle=float(np.arctan2(size, z[2])))


def moved(mass: MassProperties, frame: Frame) -> MassProperties:
    """Mass properties in the outer axes."""
    return MassProperties(mass.mass, frame.at(mass.centre), frame.turn @ mass.second_moment @ frame.turn.T)


def balanced(inertia: Array) -> Array:
    """An inertia (3, 3) whose moments break the triangle inequality, with their mean for all three, as MuJoCo balances it."""
    least, middle, largest = np.linalg.eigvalsh(inertia)
    return float(np.trace(inertia)) / 3.0 * np.eye(3) if largest > least + middle > middle else inertia


def taken_together(masses: list[MassProperties]) -> MassProperties:
    """Of several bodies as one; all in the same axes."""
    total = sum(m.mass for m in masses)
    if not total:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = sum((m.mass * m.centre for m in masses), np.zeros(3)) / total
    second = sum(
        (m.second_moment + m.mass * np.outer(m.centre - centre, m.centre - centre) for m in masses), np.zeros((3, 3))
    )
    return MassProperties(float(total), centre, second)


class Names:
    """Names of parts in a file as names of parts of a model: each once, without dots and slashes."""

    def __init__(self) -> None:
        self.used = {"ground"}
        self.changed: dict[str, str] = {}  # "joint hip" -> "hip joint"

    def take(self, kind: str, name: str | None) -> str:
        """A name that no other part has: the one in the file, else with its kind behind it, else with a number."""
        plain = (name or "").replace(".", "-").replace("/", "-")
        found = plain or f"{kind} 1"
        if found in self.used and plain:
            found = f"{plain} {kind}"
        stem, number = found.rstrip("0123456789 ") if not plain else found, 2
        while found in self.used:
            found, number = f"{stem} {number}", number + 1
        self.used.add(found)
        if name and found != name:
            self.changed[f"{kind} {name}"] = found
        return found
