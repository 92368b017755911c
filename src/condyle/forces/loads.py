"""Dead loads, torques, distributed loads and gravity, each times a function of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from condyle.bodies.capabilities import Filled, Loaded, able
from condyle.errors import InputError
from condyle.laws.codes import BODY_TORQUE, DEAD_LOAD, FOLLOWER, TORQUE
from condyle.model.functions import as_function, value_at
from condyle.model.given import Numbers, OnBody, OnPoint, OverTime, Vector
from condyle.model.part import Part, couple, fits
from condyle.model.point import Point, as_point
from condyle.model.quantities import choice, declared, given, in_mirror, quantity

if TYPE_CHECKING:
    from condyle.bodies.body import Anchor
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.weights import Weights


@declared
class _OnPoint(Part, abstract=True):
    """A force [N] on a point of a body, times a function of time."""

    name: str
    point: OnPoint
    force: Vector = quantity("N", vector=True)
    scale: OverTime = given(default=1.0)

    def __post_init__(self) -> None:
        self.point = as_point(self.point)
        self.scale = as_function(self.scale, self.label)

    def validate(self, model: Model) -> None:
        model.body(self.point.body, self)
        fits(self, "force", model.dimension)


class _Spread(Part, abstract=True):
    """A force that is spread over a body and keeps its direction, times a function of time."""

    name: str
    body: OnBody
    scale: OverTime
    density: ClassVar[str]  # the field with its components

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.scale = as_function(self.scale, self.label)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        fits(self, self.density, model.dimension)

    def spread(self, anchor: Anchor) -> Weights:
        """What the density acts on: its integral over the surface or the volume, per density."""
        raise NotImplementedError

    def compile(self, builder: Builder) -> None:
        spread = self.spread(builder.anchor(self.body, self))
        builder.add_force(self.name, DEAD_LOAD, [spread], getattr(self, self.density), self.scale)


@dataclass
class Load(_OnPoint):
    """A force [N] that keeps its direction, on a point of a body, times a function of time."""

    def compile(self, builder: Builder) -> None:
        builder.add_force(self.name, DEAD_LOAD, [builder.position(self.point, self)], self.force, self.scale)


@dataclass
class FollowerForce(_OnPoint):
    """A force [N] on a point of a rigid body that turns with the body, times a function of time.

    force: components in body axes, such as the thrust of a nozzle or the resultant of a pressure on a tool.
    """

    def compile(self, builder: Builder) -> None:
        axes = builder.axes(self.point, self)
        if not axes:
            raise InputError(f"{self.label}: '{self.point.body}' has no axes to follow; use a Load")
        place = builder.position(self.point, self)
        builder.add_force(self.name, FOLLOWER, [place, *axes], self.force, self.scale)


@declared
class Torque(Part):
    """A couple [N m] on a rigid body times a function of time: a number in 2D, 3 components in 3D.

    frame: 'world' keeps its direction, 'body' turns with the body.
    """

    name: str
    body: OnBody
    torque: Numbers = quantity("N m")
    scale: OverTime = given(default=1.0)
    frame: str = choice("world", "body", default="world")
    mirror = in_mirror(torque="axis")

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.scale = as_function(self.scale, self.label)
        couple(self, "torque")

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        couple(self, "torque", model.dimension)

    def compile(self, builder: Builder) -> None:
        axes = builder.axes(Point(self.body), self)
        start = np.array([builder.value(a) for a in axes])
        if len(axes) != builder.d or np.abs(start @ start.T - np.eye(builder.d)).max() > 1e-9:
            raise InputError(f"{self.label}: '{self.body}' is no rigid body; apply a pair of Loads instead")
        law = TORQUE if self.frame == "world" else BODY_TORQUE
        builder.add_force(self.name, law, axes, np.atleast_1d(self.torque).tolist(), self.scale)


@declared
class Traction(_Spread):
    """A dead traction [Pa] on the facets of a solid (the faces of a Brick) whose nodes all lie in the set `surface`.

    On a plate or shell a line load [N/m] on the edge that the set names. It counts per length or area at rest.
    """

    name: str
    body: OnBody
    surface: str
    traction: Vector = quantity("(Pa, or N/m)", vector=True)
    scale: OverTime = given(default=1.0)
    density = "traction"

    def spread(self, anchor: Anchor) -> Weights:
        return able(anchor, Loaded, self.body, self.label, "use a Load").surface_vector(self.surface, self)


@declared
class BodyForce(_Spread):
    """A force per volume [N/m³] on a solid that keeps its direction."""

    name: str
    body: OnBody
    force: Vector = quantity("N/m³", vector=True)
    scale: OverTime = given(default=1.0)
    density = "force"

    def spread(self, anchor: Anchor) -> Weights:
        return able(anchor, Filled, self.body, self.label, "use a Load or gravity").volume_vector()


@declared
class Gravity(Part):
    """The model's gravity times a function of time, for example a Ramp that switches it on."""

    name: str
    scale: OverTime = given(default=1.0)

    def __post_init__(self) -> None:
        self.scale = as_function(self.scale, self.label)

    def validate(self, model: Model) -> None:
        if not any(model.gravity):
            raise InputError(f"{self.label}: the model has no gravity to scale; give Model(gravity=…)")

    def compile(self, builder: Builder) -> None:
        if builder.gravity_scale is not None:
            raise InputError(f"{self.label}: gravity is scaled twice; keep one Gravity part")
        builder.gravity_scale = lambda t: value_at(self.scale, t, self)


__all__ = ["BodyForce", "FollowerForce", "Gravity", "Load", "Torque", "Traction"]
