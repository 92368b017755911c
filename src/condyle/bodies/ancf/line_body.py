"""What cables and beams have in common: elements along a line, and a section."""

from __future__ import annotations

from typing import Any

from condyle.bodies.ancf.body import AncfBody


class LineBody(AncfBody, abstract=True):
    """An ANCF body along a line whose energy is written in strains of its sections, unless it says otherwise."""

    elements: int
    section: Any

    def in_short(self) -> str:
        return f"{self.elements} elements"

    def half_thickness(self) -> float:
        sizes = self.section.half_sizes  # None of a section without a shape
        return 0.0 if sizes is None else float(sizes[0])

    @property
    def has_sections(self) -> bool:
        return True
