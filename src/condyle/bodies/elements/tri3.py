"""Triangle of 3 nodes: constant strain."""

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import simplex

EDGES = ((0, 1), (1, 2), (2, 0))

TRI3 = Element(
    "tri3",
    [(0, 0), (1, 0), (0, 1)],
    [(0, 0), (1, 0), (0, 1)],
    rule=simplex(2, 1),
    mass_rule=simplex(2, 2),
    faces=EDGES,
    facet="line2",
    simplex=True,
    edges=EDGES,
)
