"""A particle: one row, its position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import Anchor
from condyle.errors import InputError
from condyle.model.body import Body
from condyle.model.given import Vector, VectorOrNone
from condyle.model.part import Part, fits
from condyle.model.point import Point
from condyle.model.quantities import declared, quantity
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class PointMass(Body):
    """mass [kg] at position [m], moving with velocity [m/s]."""

    name: str
    mass: float = quantity("kg", above=0.0)
    position: Vector = quantity("m", vector=True)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)

    def in_short(self) -> str:
        return f"{self.mass:.6g} kg"

    def validate(self, model: Model) -> None:
        fits(self, "position", model.dimension)
        fits(self, "velocity", model.dimension)

    def compile(self, builder: Builder) -> PointAnchor:
        velocity = np.zeros(builder.d) if self.velocity is None else self.velocity
        row = builder.row(self.name, self.position, velocity)
        builder.add_mass([Weights([row], [1.0])], [[self.mass]])
        return PointAnchor(self, row)


class PointAnchor(Anchor):
    """The only point of a particle."""

    def __init__(self, body: PointMass, row: int) -> None:
        self.body = body
        self.row = row

    def position(self, point: Point, wanted_by: Part) -> Weights:
        if point.at is not None and not (point.frame == "world" and np.allclose(point.at, self.body.position)):
            raise InputError(f"{wanted_by.label}: {self.body.label} has no points but itself; refer to it by its name")
        return Weights([self.row], [1.0])

    def direction(self, point: Point, vector: NDArray[np.float64], frame: str, wanted_by: Part) -> Weights:
        raise InputError(f"{wanted_by.label}: {self.body.label} is a point and has no directions; use a RigidBody")

    def outline(self) -> list[list[Weights]]:
        return [[Weights([self.row], [1.0])]]

    def axes(self) -> list[Weights]:
        return []

    def nodal(self) -> list[list[Weights]]:
        return self.outline()
