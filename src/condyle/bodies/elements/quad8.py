"""Serendipity quadrilateral of 8 nodes: corners, then the middles of the edges 01, 12, 23, 30; 3 × 3 points."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import cube

EDGES = ((0, 1, 4), (1, 2, 5), (2, 3, 6), (3, 0, 7))

QUAD8 = Element(
    "quad8",
    [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, -1), (1, 0), (0, 1), (-1, 0)],
    [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2)],
    rule=cube(2, 3),
    mass_rule=cube(2, 3),
    faces=EDGES,
    facet="line3",
    edges=EDGES,
)
