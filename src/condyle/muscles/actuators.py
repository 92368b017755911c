"""Actuators: a tension, or a moment about a hinge, given as a function of time (Hovey 2000, §3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError
from condyle.laws.codes import COORDINATE_FORCE, MOMENT_ACTUATOR
from condyle.model.functions import as_function
from condyle.model.given import OnPoint, OverTime, Vector
from condyle.model.part import Part, fits
from condyle.model.point import as_point
from condyle.model.quantities import declared, given, in_mirror, quantity
from condyle.muscles.path import AlongPath, OnPath

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class ForceActuator(AlongPath):
    """A tension [N] along a path, times a function of time: positive pulls its ends together."""

    name: str
    path: OnPath
    force: float = quantity("N", default=1.0)
    scale: OverTime = given(default=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.scale = as_function(self.scale, self.label)

    def compile(self, builder: Builder) -> None:
        builder.add_path_force(self.name, COORDINATE_FORCE, self.terms(builder), (-self.force,), self.scale)


@declared
class MomentActuator(Part):
    """A tension between points a and b whose moment about a hinge is given [N m], times a function of time.

    moment: on the body of b, about `axis` (3D: a world direction at the start, carried by the hinge's body; 2D: out of the
    plane); the body of a gets the opposite one. hinge: a point. The tension is moment over arm. The derivative has all terms,
    also that of the arm, which Hovey leaves out. smallest_arm [m]: where the arm is smaller, the step fails.
    """

    name: str
    a: OnPoint
    b: OnPoint
    hinge: OnPoint
    moment: float = quantity("N m", default=1.0)
    scale: OverTime = given(default=1.0)
    axis: Vector = quantity(default=None, vector=True, nonzero=True)
    smallest_arm: float = quantity("m", default=1e-6, above=0.0)
    mirror = in_mirror(axis="axis", moment="axis")

    def __post_init__(self) -> None:
        self.a, self.b, self.hinge = as_point(self.a), as_point(self.b), as_point(self.hinge)
        self.scale = as_function(self.scale, self.label)

    def validate(self, model: Model) -> None:
        for point in (self.a, self.b, self.hinge):
            model.body(point.body, self)
        if model.dimension == 3 and self.axis is None:
            raise InputError(f"{self.label}: in 3D it needs the axis of its hinge")
        if model.dimension == 3:
            fits(self, "axis", 3)

    def compile(self, builder: Builder) -> None:
        first = builder.position(self.a, self)
        span = (builder.position(self.b, self) - first).pruned()
        lever = (first - builder.position(self.hinge, self)).pruned()
        vectors = [span, lever]
        normal = np.array([0.0, 0.0, 1.0])
        if builder.d == 3:
            normal = np.asarray(self.axis) / np.linalg.norm(self.axis)
            vectors.append(builder.direction(self.hinge, normal, self))
        pull, h = np.zeros(3), np.zeros(3)
        pull[: builder.d], h[: builder.d] = builder.value(span), builder.value(lever)
        length = float(np.linalg.norm(pull))
        if not length > 0.0:
            raise InputError(f"{self.label}: its ends coincide at the start, so its direction is unknown; move one end")
        arm = abs(float(np.cross(pull / length, h) @ normal))
        if arm < self.smallest_arm:
            raise InputError(
                f"{self.label}: its line passes the hinge at {arm:.3g} m, so no tension gives a moment; move an end"
            )
        builder.add_force(self.name, MOMENT_ACTUATOR, vectors, [self.smallest_arm, self.moment], self.scale)
