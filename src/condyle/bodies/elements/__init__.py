"""Finite elements, one file each: nodes, monomials, quadrature, facets. A new element is a file and an entry here."""

from __future__ import annotations

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.hex8 import HEX8
from condyle.bodies.elements.hex20 import HEX20
from condyle.bodies.elements.line2 import LINE2
from condyle.bodies.elements.line3 import LINE3
from condyle.bodies.elements.quad4 import QUAD4
from condyle.bodies.elements.quad8 import QUAD8
from condyle.bodies.elements.tet4 import TET4
from condyle.bodies.elements.tet10 import TET10
from condyle.bodies.elements.tri3 import TRI3
from condyle.bodies.elements.tri6 import TRI6
from condyle.errors import InputError
from condyle.model.part import did_you_mean

ELEMENTS = {e.name: e for e in (TRI3, TRI6, QUAD4, QUAD8, TET4, TET10, HEX8, HEX20)}
FACETS = {e.name: e for e in (LINE2, LINE3, TRI3, TRI6, QUAD4, QUAD8)}


def element(kind: str, label: str) -> Element:
    """The element of that name."""
    if kind not in ELEMENTS:
        raise InputError(f"{label}: unknown element '{kind}'{did_you_mean(kind, ELEMENTS)}")
    return ELEMENTS[kind]


__all__ = ["ELEMENTS", "FACETS", "Element", "element"]
