"""Pressure on a surface that follows it as it moves and stretches: facets of solids, plates and shells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.capabilities import Extended, Faceted, Loaded, lacking
from condyle.errors import InputError
from condyle.forces.distributed import spread
from condyle.laws.codes import PRESSURE
from condyle.model.functions import as_function
from condyle.model.given import OnBody, OverTime
from condyle.model.part import Part
from condyle.model.quantities import declared, given, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Pressure(Part):
    """A pressure [Pa] that stays normal to a surface as it moves and grows with its area, times a function of time.

    On a solid or Brick: against the outward normal of `surface`, a named surface, or a set of nodes whose facets are meant;
    on a closed surface it moves nothing. On a plate or shell (no surface to name): against its normal r_x × r_y; in 2D [N/m]
    against the left side of a cable.
    """

    name: str
    body: OnBody
    pressure: float = quantity("Pa")
    scale: OverTime = given(default=1.0)
    surface: str | None = None

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.scale = as_function(self.scale, self.label)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)

    def compile(self, builder: Builder) -> None:
        anchor: Any = builder.anchor(self.body, self)
        if isinstance(anchor, Faceted):
            self._on_facets(builder, anchor)
        elif isinstance(anchor, Extended) and len(anchor.along()) == 3:
            self._on_faces(builder, anchor)
        elif isinstance(anchor, Extended):
            self._on_shell(builder)
        else:
            raise lacking(Loaded, self.body, self.label, "a pressure needs a solid, plate or shell")

    def _on_facets(self, builder: Builder, anchor: Any) -> None:
        if self.surface is None:
            names = ", ".join(f"'{n}'" for n in [*anchor.body.surfaces, *anchor.body.sets][:6])
            raise InputError(
                f"{self.label}: say on which surface of '{self.body}' it acts, surface=…; there are {names}"
            )
        about_axis = anchor.depth is None
        for facet, faces in anchor.facets(self.surface, self):
            N, dN = facet.shape(facet.points), facet.gradient(facet.points)
            for face in faces:
                for q, weight in enumerate(facet.weights):
                    place = anchor.weighted(N[q], face)
                    along = [np.ascontiguousarray(dN[q, :, i]) for i in range(facet.dimension)]
                    tangents = [anchor.weighted(factors, face) for factors in along]
                    size = self.pressure * weight * (1.0 if about_axis else anchor.depth)
                    builder.add_force(self.name, PRESSURE, [place, *tangents], (size, float(about_axis)), self.scale)

    def _on_faces(self, builder: Builder, anchor: Any) -> None:
        from condyle.bodies.ancf.faces import face_points

        if self.surface is None:
            names = ", ".join(f"'{n}'" for n in list(anchor.mesh.groups)[:6])
            raise InputError(f"{self.label}: say on which face of '{self.body}' it acts, surface=…; there are {names}")
        for point in face_points(anchor, self.surface, self):
            size = self.pressure * point.cell * point.outward
            builder.add_force(self.name, PRESSURE, [point.place, *point.tangents], (size, 0.0), self.scale)

    def _on_shell(self, builder: Builder) -> None:
        if self.surface is not None:
            raise InputError(f"{self.label}: '{self.body}' has no named surfaces; leave out surface")
        sign = -1.0 if builder.d == 2 else 1.0  # the left side of a curve is the other one of a boundary
        for measure, vectors, tangents in spread(self, builder):
            if len(vectors) != builder.d:
                raise InputError(f"{self.label}: '{self.body}' has no surface; a pressure needs a plate or shell")
            per_reference = measure / float(np.sqrt(np.linalg.det(tangents @ tangents.T)))
            builder.add_force(self.name, PRESSURE, vectors, (sign * self.pressure * per_reference, 0.0), self.scale)
