"""Joints with any of six coordinates free, fixed, or a spline of another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.cardan import angle_names, relative_angles, triad_of
from condyle.joints.joint import Joint
from condyle.model.given import Given, Json, NumbersOrNone
from condyle.model.part import did_you_mean, plain
from condyle.model.quantities import declared, given, in_mirror, quantity
from condyle.system.coordinate import Coordinate, Term, spline_table

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@declared
class CustomJoint(Joint):
    """Body b relative to body a by named coordinates, as in OpenSim's CustomJoint.

    3D: 'x', 'y', 'z' [m] of b's point along the axes of a, and the Cardan angles 'angle 1', 'angle 2', 'angle 3' [rad] about
    the first axis of a, the floating axis and the third axis of b; 2D: 'x', 'y', 'angle'. functions: coordinate -> a number
    (held there) or {'of': coordinate, 'x': […], 'y': […]} (natural cubic spline through points); coordinates not listed are
    free. axes: rotation of the joint's axes against the world at the start (as for RigidBody.rotation); axes_b: of the axes
    that b carries, where they are not the same. Angles are zero where both coincide.
    """

    functions: Given[Mapping[str, float | Mapping[str, Json]], dict[str, Json]] = given(default_factory=dict)
    axes: NumbersOrNone = quantity("rad", default=None)
    axes_b: NumbersOrNone = quantity("rad", default=None)
    mirror = in_mirror(functions="none")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.functions = plain(self.functions)
        self.axes, self.axes_b = plain(self.axes), plain(self.axes_b)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return (*"xyz"[:dimension], *angle_names(dimension))

    def validate(self, model: Model) -> None:
        super().validate(model)
        names = self.coordinate_names(model.dimension)
        for axes in (self.axes, self.axes_b):
            triad_of(axes, model.dimension, self.label)
        for name, function in self.functions.items():
            if name not in names:
                raise InputError(f"{self.label}: there is no coordinate '{name}'{did_you_mean(name, names)}")
            if isinstance(function, dict):
                other = function.get("of")
                if other not in names or other in self.functions:
                    raise InputError(
                        f"{self.label}: '{name}' must be a function of a free coordinate, not of {other!r}"
                    )
                spline_table(function.get("x", ()), function.get("y", ()), f"{self.label}, '{name}'")
            elif not isinstance(function, int | float) or not np.isfinite(function):
                raise InputError(f"{self.label}: '{name}' must be a finite number or a spline, not {function!r}")

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        e = triad_of(self.axes, builder.d, self.label)
        own = e if self.axes_b is None else triad_of(self.axes_b, builder.d, self.label)
        out = {name: self.sliding(builder, e[k]) for k, name in enumerate("xyz"[: builder.d])}
        return out | relative_angles(builder, self, self.a, self.b, e, own)

    def compile(self, builder: Builder) -> None:
        """One constraint for each coordinate that is not free."""
        own = self.coordinates(builder)
        hold = held(self.enforcement, self)
        for name, function in self.functions.items():
            if isinstance(function, dict):
                knots, coefficients = spline_table(function["x"], function["y"], self.label)
                follows = Term(own[function["of"]], knots=knots, coefficients=-coefficients)
                builder.add_coordinate_constraint(self.name, [Term(own[name]), follows], 0.0, *hold, name)
            else:
                builder.add_coordinate_constraint(self.name, [Term(own[name])], float(function), *hold, name)
