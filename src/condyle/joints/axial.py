"""Joints with an axis: cylindrical, prismatic, screw, planar, universal, points on lines and planes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.joint import Joint, triad
from condyle.model.given import Vector
from condyle.model.part import fits
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.system.coordinate import Coordinate, Term, angle

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@declared
class AxialJoint(Joint, abstract=True):
    """A joint with `axis`: a world direction at the start, carried by both bodies."""

    axis: Vector = quantity(default=None, vector=True, nonzero=True)

    def __post_init__(self) -> None:
        super().__post_init__()

    def validate(self, model: Model) -> None:
        super().validate(model)
        self.check_direction("axis", model, f"give its axis, for example axis=(1, 0{', 0' * (model.dimension - 2)})")

    def frame(self, d: int) -> NDArray[np.float64]:
        """Orthonormal directions, rows, the last along the axis."""
        if d == 3:
            return triad(self.axis)
        along = np.asarray(self.axis) / np.linalg.norm(self.axis)
        return np.array([[along[1], -along[0]], along])

    def stay_on_axis(self, builder: Builder) -> None:
        """The points stay on a line along the axis of body a."""
        for k, across in enumerate(self.frame(builder.d)[:-1]):
            self.stay_level(builder, self.on(builder, self.a, across), f"across {k + 1}", 0.0)

    def keep_angle(self, builder: Builder) -> None:
        """No turning about the axis (3D), none at all in 2D."""
        frame = self.frame(builder.d)
        self.stay_square(builder, self.on(builder, self.a, frame[0]), self.on(builder, self.b, frame[1]), "rotation")


@dataclass
class Cylindrical(AxialJoint):
    """Body b turns about and slides along an axis (3D): 2 coordinates, 'angle' [rad] and 'position' [m]."""

    dimensions = (3,)
    mirror = in_mirror(axis="axis")
    flips = ("position",)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("angle", "position")

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        frame = self.frame(3)
        return {"angle": self.turning(builder, frame), "position": self.sliding(builder, frame[2])}

    def compile(self, builder: Builder) -> None:
        """Two translations and two rotations are held."""
        self.stay_on_axis(builder)
        self.share_axis(builder, self.frame(3))


@declared
class Screw(Cylindrical):
    """A cylindrical joint whose slide follows its angle: position = pitch · angle / 2π; pitch [m per turn]."""

    pitch: float = quantity("m/rad", default=0.0)
    mirror = in_mirror(pitch="handed")

    def __post_init__(self) -> None:
        super().__post_init__()

    def compile(self, builder: Builder) -> None:
        super().compile(builder)
        own = self.coordinates(builder)
        terms = [Term(own["position"]), Term(own["angle"], -self.pitch / (2.0 * math.pi))]
        builder.add_coordinate_constraint(self.name, terms, 0.0, *held(self.enforcement, self), "thread")


@dataclass
class PointOnLine(AxialJoint):
    """A point of body b stays on the line along `axis` through a's point: coordinate 'position' [m]."""

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("position",)

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        return {"position": self.sliding(builder, self.frame(builder.d)[-1])}

    def compile(self, builder: Builder) -> None:
        """The translations across the line are held."""
        self.stay_on_axis(builder)


@dataclass
class Prismatic(PointOnLine):
    """Body b slides along an axis without turning: 1 coordinate, 'position' [m]."""

    def compile(self, builder: Builder) -> None:
        """All but one translation are held."""
        super().compile(builder)
        if builder.d == 3:
            self.share_axis(builder, self.frame(3))
        self.keep_angle(builder)


@dataclass
class Planar(AxialJoint):
    """Body b moves in the plane normal to `axis` (3D): 'x', 'y' [m] and 'angle' [rad]."""

    dimensions = (3,)
    mirror = in_mirror(axis="axis")
    flips = ("x", "y")  # directions that the joint chooses itself

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("x", "y", "angle")

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        frame = self.frame(3)
        return {
            "x": self.sliding(builder, frame[0]),
            "y": self.sliding(builder, frame[1]),
            "angle": self.turning(builder, frame),
        }

    def compile(self, builder: Builder) -> None:
        """One translation and two rotations are held."""
        self.stay_level(builder, self.on(builder, self.a, self.frame(3)[2]), "normal", 0.0)
        self.share_axis(builder, self.frame(3))


@dataclass
class PointOnPlane(AxialJoint):
    """A point of body b stays in the plane (2D: on the line) through a's point with the normal `axis`."""

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("x", "y")[: dimension - 1]

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        frame = self.frame(builder.d)
        return {name: self.sliding(builder, frame[k]) for k, name in enumerate(self.coordinate_names(builder.d))}

    def compile(self, builder: Builder) -> None:
        """One translation is held."""
        self.stay_level(builder, self.on(builder, self.a, self.frame(builder.d)[-1]), "normal", 0.0)


@declared
class Universal(Joint):
    """Two crossing axes (3D): `axis` is carried by body a, `second_axis` by body b, square to each other at all times.

    Coordinates: 'angle 1' about the axis of a and 'angle 2' about the axis of b [rad].
    """

    axis: Vector = quantity(default=None, vector=True, nonzero=True)
    second_axis: Vector = quantity(default=None, vector=True, nonzero=True)
    dimensions = (3,)
    mirror = in_mirror(axis="axis", second_axis="axis")

    def __post_init__(self) -> None:
        super().__post_init__()

    def validate(self, model: Model) -> None:
        super().validate(model)
        if self.axis is None or self.second_axis is None:
            raise InputError(f"{self.label}: give axis (carried by a) and second_axis (carried by b)")
        fits(self, "axis", 3)
        fits(self, "second_axis", 3)
        cosine = np.dot(self.axis, self.second_axis) / np.linalg.norm(self.axis) / np.linalg.norm(self.second_axis)
        if abs(cosine) > 1e-9:
            raise InputError(
                f"{self.label}: axis and second_axis must be perpendicular to each other (cosine {cosine:.3g})"
            )

    def _frame(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        first = np.asarray(self.axis) / np.linalg.norm(self.axis)
        second = np.asarray(self.second_axis) / np.linalg.norm(self.second_axis)
        return first, second, np.cross(first, second)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("angle 1", "angle 2")

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        first, second, third = self._frame()
        one = angle(self.on(builder, self.b, second), self.on(builder, self.a, second), self.on(builder, self.a, third))
        # The axis of a seen from b turns backwards.
        two = angle(self.on(builder, self.a, first), self.on(builder, self.b, first), self.on(builder, self.b, third))
        return {"angle 1": one, "angle 2": two}

    def compile(self, builder: Builder) -> None:
        """Points meet and the axes stay square."""
        self.meet(builder)
        first, second, _ = self._frame()
        self.stay_square(builder, self.on(builder, self.a, first), self.on(builder, self.b, second), "axes")
