"""The clinical description of motion of one bone against another (grood-1983)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError
from condyle.joints.cardan import SPACE, relative_angles
from condyle.joints.joint import Joint
from condyle.model.given import Vector
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.system.coordinate import Coordinate, slide

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points

ANGLES = ("flexion", "abduction", "rotation")


@declared
class ClinicalJoint(Joint):
    """Angles and shifts of body b, such as the tibia, against body a, such as the femur; it holds nothing.

    Coordinates [rad, m]: 'flexion' about the medio-lateral `axis` that a carries, 'abduction' about the floating axis, which is
    square to the other two, 'rotation' about the `shaft` that b carries; 'shift' of b's point from a's along the axis, and
    'distraction' along the shaft. All angles are zero at the start, and positive by the right hand about these axes. `Drive`,
    `Limit`, `CoordinateSpring` and their like take them, `result.coordinate` reads them; `clinical_motion(result, joint)` has
    all of them, with the 'drawer' along the floating axis.
    axis, shaft: in the world at the start, square to each other.
    """

    axis: Vector = quantity(default=(0.0, 1.0, 0.0), kw_only=True, vector=True, nonzero=True)
    shaft: Vector = quantity(default=(0.0, 0.0, 1.0), kw_only=True, vector=True, nonzero=True)
    dimensions = (3,)
    mirror = in_mirror(axis="axis", shaft="axis")
    flips = ("shift", "distraction")

    def __post_init__(self) -> None:
        super().__post_init__()

    def validate(self, model: Model) -> None:
        super().validate(model)
        a, s = np.array(self.axis), np.array(self.shaft)
        if abs(a @ s) > 1e-6 * np.linalg.norm(a) * np.linalg.norm(s):
            raise InputError(f"{self.label}: axis and shaft must be perpendicular to each other at the start")

    def triad(self) -> np.ndarray:
        """Medio-lateral axis, floating axis and shaft at the start, as rows."""
        a, s = (np.array(v) / np.linalg.norm(v) for v in (self.axis, self.shaft))
        return np.array([a, np.cross(s, a), s])

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return (*ANGLES, "shift", "distraction")

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        e = self.triad()
        found = relative_angles(builder, self, self.a, self.b, e, e)
        gap = builder.position(self.b, self) - builder.position(self.a, self)
        shifts = {
            "shift": slide(self.on(builder, self.a, e[0]), gap),
            "distraction": slide(self.on(builder, self.b, e[2]), gap),
        }
        return {name: found[known] for name, known in zip(ANGLES, SPACE, strict=True)} | shifts

    def compile(self, builder: Builder) -> None:
        """It holds nothing."""
