"""Tetrahedron of 10 nodes: corners, then the middles of the edges 01, 12, 20, 03, 13, 23. Linear strain."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import simplex

EDGES = ((0, 1, 4), (1, 2, 5), (2, 0, 6), (0, 3, 7), (1, 3, 8), (2, 3, 9))
CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))

TET10 = Element(
    "tet10",
    [*CORNERS, *(tuple(0.5 * (p + q) for p, q in zip(CORNERS[a], CORNERS[b], strict=True)) for a, b, _ in EDGES)],
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1), (1, 0, 1)],
    rule=simplex(3, 2),
    mass_rule=simplex(3, 4),
    faces=((0, 2, 1, 6, 5, 4), (0, 1, 3, 4, 8, 7), (1, 2, 3, 5, 9, 8), (0, 3, 2, 7, 9, 6)),
    facet="tri6",
    simplex=True,
    edges=EDGES,
)
