"""Elements whose nodes are the corners of their cell."""

from condyle.bodies.elements import cell
from condyle.bodies.elements.cell import Cell
from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import Rule


def linear(name: str, on: Cell, rule: Rule, mass_rule: Rule, *facets: Element) -> Element:
    """The functions of the corners."""
    return Element(name, on, on.monomials, rule, mass_rule, facets)


LINE2 = linear("line2", cell.LINE, cell.LINE.rule(3), cell.LINE.rule(3))
TRI3 = linear("tri3", cell.TRIANGLE, cell.TRIANGLE.rule(1), cell.TRIANGLE.rule(2), LINE2)
QUAD4 = linear("quad4", cell.QUADRILATERAL, cell.QUADRILATERAL.rule(3), cell.QUADRILATERAL.rule(3), LINE2)
TET4 = linear("tet4", cell.TETRAHEDRON, cell.TETRAHEDRON.rule(1), cell.TETRAHEDRON.rule(2), TRI3)
HEX8 = linear("hex8", cell.HEXAHEDRON, cell.HEXAHEDRON.rule(3), cell.HEXAHEDRON.rule(3), QUAD4)
WEDGE6 = linear("wedge6", cell.WEDGE, cell.WEDGE.rule(2, 3), cell.WEDGE.rule(2, 3), TRI3, QUAD4)
PYRAMID5 = linear("pyramid5", cell.PYRAMID, cell.PYRAMID.rule(3), cell.PYRAMID.rule(3), TRI3, QUAD4)
