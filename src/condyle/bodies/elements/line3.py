"""Curved edge of 3 nodes, the middle one last: the facet of tri6 and quad8."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import cube

LINE3 = Element("line3", [(-1,), (1,), (0,)], [(0,), (1,), (2,)], cube(1, 3), cube(1, 3))
