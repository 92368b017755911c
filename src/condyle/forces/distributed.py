"""Loads spread over lines and surfaces of ANCF bodies, and moments on their sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.capabilities import Extended, Graded, able
from condyle.errors import InputError
from condyle.laws.codes import DEAD_LOAD, SECTION_MOMENT, STRETCHED_LOAD
from condyle.model.functions import as_function
from condyle.model.given import Numbers, OnBody, OnPoint, OverTime, Vector
from condyle.model.part import Part, couple, fits
from condyle.model.point import as_point
from condyle.model.quantities import choice, declared, given, in_mirror, quantity
from condyle.system.weights import combination

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class DistributedLoad(Part):
    """A force [N/m] along a cable or beam, or [Pa] on a plate or shell, that keeps its direction.

    per: 'reference' counts it per length or area at rest (weight, a coating), 'deformed' per present length or area
    (wind, snow). scale: function of time.
    """

    name: str
    body: OnBody
    force: Vector = quantity("(N/m, or Pa)", vector=True)
    per: str = choice("reference", "deformed", default="reference")
    scale: OverTime = given(default=1.0)

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.scale = as_function(self.scale, self.label)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        fits(self, "force", model.dimension)

    def compile(self, builder: Builder) -> None:
        places = spread(self, builder)
        if self.per == "reference":
            total = combination((measure, vectors[0]) for measure, vectors, _ in places)
            builder.add_force(self.name, DEAD_LOAD, [total], self.force, self.scale)
            return
        for measure, vectors, tangents in places:
            per_reference = measure / float(np.sqrt(np.linalg.det(tangents @ tangents.T)))
            force = [per_reference * f for f in self.force]
            builder.add_force(self.name, STRETCHED_LOAD, vectors, force, self.scale)


@declared
class Moment(Part):
    """A moment [N m] on a point of a cable, beam, plate or shell: a number in 2D, 3 components in 3D.

    It keeps its direction and acts on the gradients there; of the tangent of a cable it can only turn what lies across it.
    """

    name: str
    point: OnPoint
    moment: Numbers = quantity("N m")
    scale: OverTime = given(default=1.0)
    mirror = in_mirror(moment="axis")

    def __post_init__(self) -> None:
        self.point = as_point(self.point)
        self.scale = as_function(self.scale, self.label)
        couple(self, "moment")

    def validate(self, model: Model) -> None:
        model.body(self.point.body, self)
        couple(self, "moment", model.dimension)

    def compile(self, builder: Builder) -> None:
        body = self.point.body
        anchor = able(builder.anchor(body, self), Graded, body, self.label, "use a Torque on a rigid body")
        gradients, _ = anchor.section_gradients(self.point, self)
        builder.add_force(
            self.name, SECTION_MOMENT, gradients, np.atleast_1d(self.moment).tolist(), self.scale
        )  # fmt: skip


def spread(part: Any, builder: Builder) -> Any:
    """Places over a line or surface: measure, vectors (point, tangents), tangents at rest."""
    anchor = able(builder.anchor(part.body, part), Extended, part.body, part.label, "use a Traction or BodyForce")
    places = anchor.spread()
    if len(places[0][1]) > 3:
        raise InputError(f"{part.label}: '{part.body}' fills space; use a Traction or Pressure on a face, or gravity")
    return places
