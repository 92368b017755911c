"""The cells of a mesh by their kind: blocks of cells of one element each, and the facets on the outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.registry import element
from condyle.errors import InputError

Numbers = NDArray[np.int64]

MIXED = "mixed"  # what stands for the element of a mesh of several kinds of cells


class Block(NamedTuple):
    """Cells of one kind; first: number of the first one in the mesh."""

    kind: Element
    cells: Numbers  # (m, nodes)
    first: int

    @property
    def own(self) -> slice:
        """Where its cells stand among all cells of the mesh."""
        return slice(self.first, self.first + len(self.cells))


class Facets(NamedTuple):
    """Facets of one kind, their nodes as seen from outside (2D: the cell on the left)."""

    kind: Element
    nodes: Numbers  # (f, nodes)


def blocks_of(cells: ArrayLike, name: str, label: str) -> list[Block]:
    """The blocks of a mesh: cells of the element `name`, or, where that is 'mixed', {element: cells}."""
    if isinstance(cells, Mapping) != (name == MIXED):
        raise InputError(
            f"{label}: cells of several kinds are given as {{'hex8': …, 'wedge6': …}} with element='{MIXED}', those of one "
            f"kind as rows of node numbers with the name of the element"
        )
    found: list[Block] = []
    for kind, members in cells.items() if isinstance(cells, Mapping) else [(name, cells)]:
        one = element(kind, label)
        rows = np.asarray(members, dtype=np.int64)
        if rows.ndim != 2 or rows.shape[1] != one.nodes:
            raise InputError(f"{label}: {kind} cells need {one.nodes} nodes each, got shape {rows.shape}")
        if found and (one.dimension, one.middles) != (found[0].kind.dimension, found[0].kind.middles):
            raise InputError(f"{label}: {kind} and {found[0].kind.name} have no facets in common; use other elements")
        found.append(Block(one, rows, sum(len(b.cells) for b in found)))
    return found


def check_nodes_of_cells(cells: NDArray[np.int64], count: int, label: str) -> None:
    """Cells name nodes that there are, and every node belongs to one."""
    if cells.min() < 0 or cells.max() >= count:
        wrong = cells.min() if cells.min() < 0 else cells.max()
        raise InputError(f"{label}: a cell refers to node {wrong}, but there are {count} nodes")
    unused = np.setdiff1d(np.arange(count), cells)
    if unused.size:
        raise InputError(f"{label}: node {unused[0]} belongs to no cell; remove it")


def outer_facets(blocks: Sequence[Block]) -> list[Facets]:
    """Facets that belong to one cell only, by their kinds."""
    every: dict[str, tuple[Element, list[Numbers]]] = {}
    for block in blocks:
        for kind, nodes in block.kind.facets:
            every.setdefault(kind.name, (kind, []))[1].append(block.cells[:, list(nodes)])
    found = []
    for kind, pieces in every.values():
        faces = np.concatenate(pieces)
        alike = np.sort(faces, axis=1)
        order = np.lexsort(alike.T)
        alike = alike[order]
        parted = np.ones(len(faces) + 1, dtype=np.bool_)  # from the facet before
        parted[1:-1] = (alike[1:] != alike[:-1]).any(axis=1)
        alone = parted[1:] & parted[:-1]
        if alone.any():
            found.append(Facets(kind, faces[np.sort(order[alone])]))
    return found


def torn(facets: Sequence[Facets]) -> list[int] | None:
    """Corners of an outer quadrilateral of which an outer triangle has three: cells that meet there do not fit."""
    corners = {f.kind.corners: f.nodes[:, : f.kind.corners] for f in facets if f.kind.dimension == 2}
    if len(corners) < 2:
        return None
    triangles = {tuple(t) for t in np.sort(corners[3], axis=1).tolist()}
    for quad in corners[4].tolist():
        if any(tuple(sorted(quad[:i] + quad[i + 1 :])) in triangles for i in range(4)):
            return quad
    return None
