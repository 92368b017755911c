"""Straight edge of 2 nodes: the facet of tri3 and quad4."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import cube

LINE2 = Element("line2", [(-1,), (1,)], [(0,), (1,)], cube(1, 2), cube(1, 2))
