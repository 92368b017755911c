"""A massless rod between two points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.joint import Joint
from condyle.laws.codes import DISTANCE, HALF_SQUARE
from condyle.model.quantities import declared, quantity
from condyle.system.coordinate import Coordinate

if TYPE_CHECKING:
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@declared
class Distance(Joint):
    """Two points keep their distance: `length` [m], by default that at the start. The multiplier is force per length."""

    length: float | None = quantity("m", default=None, above=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("distance",)

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        return {"distance": Coordinate(DISTANCE, [self._gap(builder)])}

    def _gap(self, builder: Points) -> Any:
        return builder.position(self.b, self) - builder.position(self.a, self)

    def compile(self, builder: Builder) -> None:
        """½ (|x_b − x_a|² − L²) = 0."""
        gap = self._gap(builder)
        length = float(np.linalg.norm(builder.value(gap))) if self.length is None else self.length
        if length == 0.0:
            raise InputError(f"{self.label}: its points coincide; use Spherical to hold points together")
        builder.add_constraint(self.name, HALF_SQUARE, [gap], [length**2], *held(self.enforcement, self), "distance")
