"""Triangle of 6 nodes: corners, then the middles of the edges 01, 12, 20. Linear strain; edges may be curved."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import simplex

EDGES = ((0, 1, 3), (1, 2, 4), (2, 0, 5))

TRI6 = Element(
    "tri6",
    [(0, 0), (1, 0), (0, 1), (0.5, 0), (0.5, 0.5), (0, 0.5)],
    [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)],
    rule=simplex(2, 2),
    mass_rule=simplex(2, 4),
    faces=EDGES,
    facet="line3",
    simplex=True,
    edges=EDGES,
)
