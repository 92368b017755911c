"""The hinge: points stay together and an axis is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.joints.coordinate import Coordinate
from condyle.joints.joint import Joint, triad
from condyle.model.fields import Numbers
from condyle.model.part import fits, vector

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class Revolute(Joint):
    """x^(a) = x^(b), v1^(a)·v3^(b) = 0, v2^(a)·v3^(b) = 0 (Taylor 2000, eqs 102, 103).

    axis: direction of the hinge in world axes at the start (3D); in 2D it is out of the plane and not given.
    """

    name: str
    a: Any
    b: Any
    at: Numbers = None
    axis: Numbers = None
    enforcement: Any = "multiplier"
    assemble: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        vector(self, "axis", none_ok=True, nonzero=True)

    def validate(self, model: Model) -> None:
        super().validate(model)
        if model.dimension == 3 and self.axis is None:
            raise InputError(f"{self.label}: give the axis of the hinge, for example axis=(0, 0, 1)")
        if model.dimension == 3:
            fits(self, "axis", 3)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("angle",)

    def coordinates(self, builder: Builder) -> dict[str, Coordinate]:
        return {"angle": self.turning(builder, triad(self.axis) if builder.d == 3 else np.eye(2))}

    def compile(self, builder: Builder) -> None:
        """One vector and, in 3D, two scalar constraints."""
        self.meet(builder)
        if builder.d == 3:
            v1, v2, v3 = triad(self.axis)
            shared = self.on(builder, self.b, v3)
            self.stay_square(builder, self.on(builder, self.a, v1), shared, "axis 1")
            self.stay_square(builder, self.on(builder, self.a, v2), shared, "axis 2")
