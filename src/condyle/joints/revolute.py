"""The hinge: points stay together and an axis is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError
from condyle.joints.axial import AxialJoint
from condyle.joints.joint import Joint, triad
from condyle.model.quantities import in_mirror
from condyle.system.coordinate import Coordinate

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@dataclass
class Revolute(AxialJoint):
    """x^(a) = x^(b), v1^(a)·v3^(b) = 0, v2^(a)·v3^(b) = 0 (Taylor 2000, eqs 102, 103).

    axis: direction of the hinge in world axes at the start (3D); in 2D it is out of the plane and not given.
    """

    mirror = in_mirror(axis="axis")

    def validate(self, model: Model) -> None:
        if model.dimension == 2:
            Joint.validate(self, model)
            return
        if self.axis is None:
            raise InputError(f"{self.label}: give the axis of the hinge, for example axis=(0, 0, 1)")
        super().validate(model)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("angle",)

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        return {"angle": self.turning(builder, triad(self.axis) if builder.d == 3 else np.eye(2))}

    def compile(self, builder: Builder) -> None:
        """One vector and, in 3D, two scalar constraints."""
        self.meet(builder)
        if builder.d == 3:
            self.share_axis(builder, triad(self.axis))
