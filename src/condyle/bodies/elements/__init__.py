"""Finite elements: reference cells (`cell`), bases on them (`linear`, `quadratic`), and the cells of meshes (`blocks`)."""

from condyle.bodies.elements.blocks import MIXED, Block, Facets, blocks_of, check_nodes_of_cells, outer_facets, torn
from condyle.bodies.elements.cell import CELLS, Cell
from condyle.bodies.elements.element import Element
from condyle.bodies.elements.registry import ELEMENTS, LINES, element, quadratic_of, register_element

__all__ = [
    "CELLS", "ELEMENTS", "LINES", "MIXED", "Block", "Cell", "Element", "Facets", "blocks_of", "check_nodes_of_cells", "element",
    "outer_facets", "quadratic_of", "register_element", "torn",
]  # fmt: skip
