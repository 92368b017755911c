"""Bilinear quadrilateral of 4 nodes, 2 × 2 integration points."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import cube

EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))

QUAD4 = Element(
    "quad4",
    [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    [(0, 0), (1, 0), (0, 1), (1, 1)],
    rule=cube(2, 2),
    mass_rule=cube(2, 2),
    faces=EDGES,
    facet="line2",
    edges=EDGES,
)
