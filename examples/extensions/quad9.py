"""A Lagrange quadrilateral of nine nodes: corners, middles of the edges 01, 12, 23, 30, and the centre; 3 × 3 points."""

from itertools import product

import condyle as cd
from condyle.bodies.elements import Element
from condyle.bodies.elements.cell import QUADRILATERAL
from condyle.bodies.elements.quadratic import LINE3

QUAD9 = Element(
    "quad9",
    QUADRILATERAL,
    monomials=tuple(product((0, 1, 2), repeat=2)),
    rule=QUADRILATERAL.rule(5),
    mass_rule=QUADRILATERAL.rule(5),
    sides=(LINE3,),
    middles=True,
    inner=((0.0, 0.0),),
)
cd.register_element(QUAD9)
