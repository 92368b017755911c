"""What cables and beams have in common: elements along a line, and a section."""

from __future__ import annotations

import numpy as np

from condyle.bodies.ancf.body import AncfBody
from condyle.bodies.ancf.sections import Rope, SectionPart, checked_section
from condyle.model.given import Numbers, NumbersOrNone, VectorOrNone
from condyle.model.part import rows
from condyle.model.point import Point
from condyle.model.quantities import declared, given, quantity


class LineBody(AncfBody, abstract=True):
    """An ANCF body along a line whose energy is written in strains of its sections, unless it says otherwise."""

    elements: int
    section: SectionPart
    damping: float

    def in_short(self) -> str:
        return f"{self.elements} elements"

    def half_thickness(self) -> float:
        sizes = self.section.half_sizes  # None of a section without a shape
        return 0.0 if sizes is None else float(sizes[0])

    @property
    def viscosity(self) -> float:
        """Time of Kelvin–Voigt damping [s]: its own or that of its rope, whichever is longer."""
        own = self.section.damping if isinstance(self.section, Rope) else 0.0
        return float(max(self.damping, own))

    @property
    def has_sections(self) -> bool:
        return True


@declared
class BeamBody(LineBody, abstract=True):
    """A body along a smooth curve that carries sections, each with its own axes."""

    name: str
    line: Numbers = quantity("m")
    elements: int = quantity(at_least=1)
    section: SectionPart
    tangents: NumbersOrNone = given(default=None)
    normal: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    prestrain: float = quantity(default=0.0, at_least=-0.5)
    curve = "spline"
    edges = None

    def check_beam_fields(self) -> None:
        """Check the line, its elements and section."""
        rows(self, "line")
        if self.tangents is not None:
            rows(self, "tangents")
        checked_section(self)

    def at(self, *coordinates: float) -> Point:
        """The point at arc length s and place y, z in the section [m]."""
        flat = np.ravel(coordinates).tolist()
        return Point(self.name, tuple(flat + [0.0] * (len(self.line[0]) - len(flat))))
