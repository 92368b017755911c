"""Bodies that slide along a line in the plane without turning against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from condyle.joints.joint import Joint
from condyle.model.given import Vector
from condyle.model.part import fits
from condyle.model.quantities import declared, quantity
from condyle.system.coordinate import Coordinate

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@declared
class Slider(Joint):
    """Body b slides along `axis` (world direction at the start, carried by body a) and keeps its angle to a (2D)."""

    axis: Vector = quantity(default=(1.0, 0.0), vector=True, nonzero=True)
    dimensions = (2,)
    elsewhere = "Prismatic"

    def __post_init__(self) -> None:
        super().__post_init__()

    def validate(self, model: Model) -> None:
        super().validate(model)
        fits(self, "axis", 2)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("position",)

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        return {"position": self.sliding(builder, np.asarray(self.axis) / np.linalg.norm(self.axis))}

    def compile(self, builder: Builder) -> None:
        """A translation across the axis and a rotation are held."""
        along = np.asarray(self.axis) / np.linalg.norm(self.axis)
        across = self.on(builder, self.a, (-along[1], along[0]))
        self.stay_level(builder, across, "across", 0.0)
        self.stay_square(builder, across, self.on(builder, self.b, along), "rotation")
