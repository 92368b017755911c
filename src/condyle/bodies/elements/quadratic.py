"""Serendipity elements: the corners of their cell, then the middles of its edges; edges may be curved."""

from itertools import product

from condyle.bodies.elements import cell
from condyle.bodies.elements.cell import Cell
from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import Rule

Monomials = tuple[tuple[int, ...], ...]

# All of second degree in a triangle, and in the order of its functions.
_SECOND = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))


def quadratic(name: str, on: Cell, monomials: Monomials, rule: Rule, mass_rule: Rule, *facets: Element) -> Element:
    """Corners and middles of edges."""
    return Element(name, on, monomials, rule, mass_rule, facets, middles=True)


LINE3 = quadratic("line3", cell.LINE, ((0,), (1,), (2,)), cell.LINE.rule(5), cell.LINE.rule(5))

TRI6 = quadratic("tri6", cell.TRIANGLE, _SECOND, cell.TRIANGLE.rule(2), cell.TRIANGLE.rule(4), LINE3)

QUAD8 = quadratic(
    "quad8", cell.QUADRILATERAL, ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2)),
    cell.QUADRILATERAL.rule(5), cell.QUADRILATERAL.rule(5), LINE3,
)  # fmt: skip

TET10 = quadratic(
    "tet10", cell.TETRAHEDRON,
    ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1), (1, 0, 1)),
    cell.TETRAHEDRON.rule(2), cell.TETRAHEDRON.rule(4), TRI6,
)  # fmt: skip

HEX20 = quadratic(
    # Trilinear times at most one square: the superlinear degree is 2 at most.
    "hex20", cell.HEXAHEDRON, tuple(m for m in product((0, 1, 2), repeat=3) if m.count(2) <= 1),
    cell.HEXAHEDRON.rule(5), cell.HEXAHEDRON.rule(5), QUAD8,
)  # fmt: skip

WEDGE15 = quadratic(
    # Quadratic in the triangle and linear along, linear in the triangle and quadratic along. Nine points hold all strains.
    "wedge15", cell.WEDGE, (*((*m, k) for k in (0, 1) for m in _SECOND), *((*m, 2) for m in cell.TRIANGLE.monomials)),
    cell.WEDGE.rule(2, 5), cell.WEDGE.rule(4, 5), TRI6, QUAD8,
)  # fmt: skip
