"""Serendipity hexahedron of 20 nodes: corners, then the middles of the edges below, above, and upright; 3 × 3 × 3 points."""

from itertools import product

import numpy as np

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.hex8 import CORNERS, FACES
from condyle.bodies.elements.hex8 import EDGES as STRAIGHT
from condyle.bodies.elements.rules import cube

EDGES = tuple((a, b, 8 + k) for k, (a, b) in enumerate(STRAIGHT))
MIDDLE = {frozenset((a, b)): m for a, b, m in EDGES}

HEX20 = Element(
    "hex20",
    [*CORNERS, *(0.5 * (np.array(CORNERS[a]) + np.array(CORNERS[b])) for a, b, _ in EDGES)],
    # Trilinear times at most one square: the superlinear degree is 2 at most.
    [m for m in product((0, 1, 2), repeat=3) if m.count(2) <= 1],
    rule=cube(3, 3),
    mass_rule=cube(3, 3),
    faces=tuple((*f, *(MIDDLE[frozenset((f[i], f[(i + 1) % 4]))] for i in range(4))) for f in FACES),
    facet="quad8",
    edges=EDGES,
)
