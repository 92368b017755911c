"""Joints with any of six coordinates free, fixed, or a spline of another one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.joint import Joint
from condyle.laws.codes import TILT
from condyle.model.fields import Numbers
from condyle.model.part import did_you_mean, plain
from condyle.model.rotations import as_rotation_matrix
from condyle.system.coordinate import Coordinate, Term, angle, spline_table

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points

SPACE = ("x", "y", "z", "angle 1", "angle 2", "angle 3")
PLANE = ("x", "y", "angle")


@dataclass
class CustomJoint(Joint):
    """Body b relative to body a by named coordinates, as in OpenSim's CustomJoint.

    3D: 'x', 'y', 'z' [m] of b's point along the axes of a, and the Cardan angles 'angle 1', 'angle 2', 'angle 3' [rad] about
    the first axis of a, the floating axis and the third axis of b; 2D: 'x', 'y', 'angle'. functions: coordinate -> a number
    (held there) or {'of': coordinate, 'x': […], 'y': […]} (natural cubic spline through points); coordinates not listed are
    free. axes: rotation of the joint's axes against the world at the start (as for RigidBody.rotation).
    """

    functions: dict[str, Any] = field(default_factory=dict)
    axes: Numbers = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.functions = plain(self.functions)
        self.axes = plain(self.axes)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return SPACE if dimension == 3 else PLANE

    def validate(self, model: Model) -> None:
        super().validate(model)
        names = self.coordinate_names(model.dimension)
        as_rotation_matrix(self.axes, model.dimension, self.label)
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
        e = as_rotation_matrix(self.axes, builder.d, self.label).T
        out = {name: self.sliding(builder, e[k]) for k, name in enumerate("xyz"[: builder.d])}
        if builder.d == 2:
            return out | {"angle": self.turning(builder, e)}
        a = [self.on(builder, self.a, e[k]) for k in range(3)]
        b = [self.on(builder, self.b, e[k]) for k in range(3)]
        # R_ij = a_i·b_j = R1(α) R2(β) R3(γ): tan α = −R23/R33, sin β = R13, tan γ = −R12/R11.
        return out | {
            "angle 1": angle(b[2], a[2], -1.0 * a[1]),
            "angle 2": Coordinate(TILT, [a[0], b[2]]),
            "angle 3": angle(a[0], b[0], -1.0 * b[1]),
        }

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
