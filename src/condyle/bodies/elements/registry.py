"""The elements by name: those of Condyle, and those of one's own."""

from __future__ import annotations

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.linear import HEX8, LINE2, PYRAMID5, QUAD4, TET4, TRI3, WEDGE6
from condyle.bodies.elements.quadratic import HEX20, LINE3, QUAD8, TET10, TRI6, WEDGE15
from condyle.errors import InputError
from condyle.model.part import did_you_mean

ELEMENTS = {
    e.name: e for e in (TRI3, TRI6, QUAD4, QUAD8, TET4, TET10, HEX8, HEX20, WEDGE6, WEDGE15, PYRAMID5)
}  # fmt: skip
LINES = {e.name: e for e in (LINE2, LINE3)}


def register_element(made: Element) -> Element:
    """Make an element known by its name: to meshes and their files, to solids, and to the tests of all elements."""
    if made.name in ELEMENTS:
        raise InputError(f"there is an element '{made.name}' already; give yours another name")
    if len(made.monomials) != made.nodes:
        raise InputError(f"element '{made.name}': {made.nodes} nodes need as many monomials, not {len(made.monomials)}")
    kinds = {side.cell.count for side in made.sides}
    if kinds != {len(f) for f in made.cell.facets}:
        raise InputError(f"element '{made.name}': its sides must be the elements of the facets of a {made.cell.name}")
    ELEMENTS[made.name] = made
    return made


def element(kind: str, label: str) -> Element:
    """The element of that name."""
    if kind not in ELEMENTS:
        raise InputError(f"{label}: unknown element '{kind}'{did_you_mean(kind, ELEMENTS)}")
    return ELEMENTS[kind]


def quadratic_of(kind: Element) -> Element | None:
    """The element on the same cell with nodes in the middle of edges."""
    return next((e for e in ELEMENTS.values() if e.cell is kind.cell and e.middles), None)
