"""Trilinear hexahedron of 8 nodes, 2 × 2 × 2 integration points."""

from itertools import product

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.quad4 import EDGES as RING
from condyle.bodies.elements.quad4 import QUAD4
from condyle.bodies.elements.rules import cube

EDGES = (*RING, *((a + 4, b + 4) for a, b in RING), (0, 4), (1, 5), (2, 6), (3, 7))
FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
CORNERS = [(*c, z) for z in (-1, 1) for c in QUAD4.reference_nodes.tolist()]

HEX8 = Element(
    "hex8",
    CORNERS,
    list(product((0, 1), repeat=3)),
    rule=cube(3, 2),
    mass_rule=cube(3, 2),
    faces=FACES,
    facet="quad4",
    edges=EDGES,
)
