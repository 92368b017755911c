"""Tetrahedron of 4 nodes: constant strain."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import simplex

TET4 = Element(
    "tet4",
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    rule=simplex(3, 1),
    mass_rule=simplex(3, 2),
    faces=((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
    facet="tri3",
    simplex=True,
    edges=((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)),
)
