"""Pressure on the surface of a mesh that follows it as it moves and stretches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.laws.codes import PRESSURE
from condyle.model.functions import as_function
from condyle.model.part import Part, number

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class SurfacePressure(Part):
    """A pressure [Pa] on a surface of a solid, times a function of time: against its outward normal as it is now.

    surface: a named surface, or a set of nodes whose facets are meant. The force of a facet is −p n da of the deformed
    facet, so that the pressure on a closed surface moves nothing.
    """

    name: str
    body: Any
    surface: str
    pressure: float
    scale: Any = 1.0

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        number(self, "pressure")
        self.scale = as_function(self.scale)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)

    def compile(self, builder: Builder) -> None:
        anchor: Any = builder.anchor(self.body, self)
        if not hasattr(anchor, "facets"):
            raise InputError(f"{self.label}: '{self.body}' has no surface of facets; pressures act on a Solid")
        facet = anchor.facet_element
        N, dN = facet.shape(facet.points), facet.gradient(facet.points)
        about_axis = anchor.depth is None
        for face in anchor.facets(self.surface, self):
            for q, weight in enumerate(facet.weights):
                place = anchor.weighted(N[q], face)
                tangents = [anchor.weighted(np.ascontiguousarray(dN[q, :, i]), face) for i in range(facet.dimension)]
                size = self.pressure * weight * (1.0 if about_axis else anchor.depth)
                builder.add_force(self.name, PRESSURE, [place, *tangents], (size, float(about_axis)), self.scale)
