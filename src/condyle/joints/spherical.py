"""Points that stay together: the spherical joint, in 2D a pin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from condyle.joints.joint import Joint
from condyle.system.coordinate import Coordinate

if TYPE_CHECKING:
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@dataclass
class Spherical(Joint):
    """Two points stay together (Taylor 2000, eqs 87–89); the multiplier is the joint force [N] on body b."""

    def compile(self, builder: Builder) -> None:
        """One vector constraint."""
        self.meet(builder)


@dataclass
class Pin(Spherical):
    """A hinge in the plane: the spherical joint of 2D models."""

    dimensions = (2,)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("angle",)

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        return {"angle": self.turning(builder, np.eye(2))}
