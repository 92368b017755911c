"""Points that stay together: the spherical joint, in 2D a pin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from condyle.joints.cardan import angle_names, relative_angles, triad_of
from condyle.joints.joint import Joint
from condyle.model.given import NumbersOrNone
from condyle.model.part import plain
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.system.coordinate import Coordinate

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@declared
class Spherical(Joint):
    """Two points stay together (Taylor 2000, eqs 87–89); the multiplier is the joint force [N] on body b.

    Its coordinates are Cardan angles [rad] of b: 'angle 1' about the first axis that a carries, 'angle 2' about the floating
    axis, 'angle 3' about the third axis that b carries; in 2D 'angle'. axes, axes_b: rotations of these axes of a and of b
    against the world at the start (as for RigidBody.rotation; axes_b: the same unless given). Zero is where both coincide.
    """

    axes: NumbersOrNone = quantity("rad", default=None, kw_only=True)
    axes_b: NumbersOrNone = quantity("rad", default=None, kw_only=True)
    mirror = in_mirror(axes="triad", axes_b="triad")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.axes, self.axes_b = plain(self.axes), plain(self.axes_b)

    def validate(self, model: Model) -> None:
        super().validate(model)
        for axes in (self.axes, self.axes_b):
            triad_of(axes, model.dimension, self.label)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return angle_names(dimension)

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        a = triad_of(self.axes, builder.d, self.label)
        b = a if self.axes_b is None else triad_of(self.axes_b, builder.d, self.label)
        return relative_angles(builder, self, self.a, self.b, a, b)

    def compile(self, builder: Builder) -> None:
        """One vector constraint."""
        self.meet(builder)


@dataclass
class Pin(Spherical):
    """A hinge in the plane: the spherical joint of 2D models."""

    dimensions = (2,)
    elsewhere = "Revolute or Spherical"
