"""Cells of a mesh cut into others: hexahedra into tetrahedra, wedges or pyramids, everything into simplices.

Neighbours must agree on the diagonals of the quadrilaterals they share. Where all cells are numbered alike, as in a structured
block, one table of cuts does; otherwise a diagonal starts at the node of lowest number of its quadrilateral (dompierre-1999).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements import Block, outer_facets, torn
from condyle.bodies.elements.registry import ELEMENTS
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.bodies.mesh import Mesh

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Cut = tuple[Array, Whole]  # nodes that are added, and cells, the same number of each old one

_TABLES = {
    ("quad4", "tri3"): ((0, 1, 2), (0, 2, 3)),
    ("hex8", "tet4"): ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)),
    ("hex8", "wedge6"): ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)),
}
# Hexahedra turned so that their axis 0, 1 or 2 stands upright.
_UPRIGHT = {0: (0, 3, 7, 4, 1, 2, 6, 5), 1: (0, 4, 5, 1, 3, 7, 6, 2), 2: (0, 1, 2, 3, 4, 5, 6, 7)}
# Wedges turned so that one of their corners comes first.
_FIRST = (
    (0, 1, 2, 3, 4, 5),
    (1, 2, 0, 4, 5, 3),
    (2, 0, 1, 5, 3, 4),
    (3, 5, 4, 0, 2, 1),
    (4, 3, 5, 1, 0, 2),
    (5, 4, 3, 2, 1, 0),
)


def cut(mesh: Mesh, kind: str, axis: int | None = None) -> Mesh:
    """The mesh in cells of another kind; axis: along which wedges stand in a hexahedron (by default one that fits)."""
    from condyle.bodies.mesh import Mesh

    blocks = mesh.blocks
    names = {b.kind.name for b in blocks}
    if (len(blocks) > 1 and kind != "tet4") or any((name, kind) not in _ways() for name in names - {kind}):
        raise _impossible(mesh, kind)
    if names == {"hex8"} and kind == "wedge6":
        return _upright(mesh, (2, 0, 1) if axis is None else (axis,))
    added, cells, owner = [mesh.nodes], [], []
    for block in blocks:
        more, made = _cut_block(mesh, block, kind, sum(map(len, added)), alone=len(blocks) == 1)
        added.append(more)
        cells.append(made)
        owner.append(np.repeat(np.arange(block.first, block.first + len(block.cells)), len(made) // len(block.cells)))
    owners = np.concatenate(owner)
    regions = {name: np.flatnonzero(np.isin(owners, members)) for name, members in mesh.regions.items()}
    return Mesh(np.vstack(added), np.vstack(cells), kind, dict(mesh.sets), {}, regions)


def cut_alike(mesh: Mesh, numbers: Whole) -> Mesh:
    """Hexahedra in twelve tetrahedra each, with diagonals by numbers of the nodes that other meshes beside it share."""
    from condyle.bodies.mesh import Mesh

    more, cells = _from_centres(mesh.nodes, mesh.cells, len(mesh.nodes), apex=False, numbers=numbers)
    return Mesh(np.vstack((mesh.nodes, more)), cells, "tet4")


def _ways() -> set[tuple[str, str]]:
    return {*_TABLES, ("hex8", "pyramid5"), ("wedge6", "tet4"), ("pyramid5", "tet4")}


def _impossible(mesh: Mesh, kind: str) -> InputError:
    if ELEMENTS[kind].cell.simplex and ELEMENTS[kind].dimension == mesh.blocks[0].kind.dimension:
        return InputError(
            f"Mesh: {mesh.element} cannot be cut into simplices; cut quad4, hex8, wedge6 or pyramid5, and add middles then"
        )
    return InputError(f"Mesh: {mesh.element} cannot be converted into {kind}")


def _cut_block(mesh: Mesh, block: Block, kind: str, count: int, *, alone: bool) -> Cut:
    """Cells of one block, in the order of the old ones; count: nodes that there are already."""
    none = np.zeros((0, mesh.nodes.shape[1]))
    name, cells = block.kind.name, block.cells
    if name == kind:
        return none, cells
    if kind == "pyramid5":
        return _from_centres(mesh.nodes, cells, count, apex=True)
    if name == "wedge6":
        return none, _wedges_in_three(cells)
    if name == "pyramid5":
        a, b, c, d = _from_lowest(cells[:, :4])
        top = cells[:, 4]
        return none, np.stack((np.stack((a, b, c, top), 1), np.stack((a, c, d, top), 1)), axis=1).reshape(-1, 4)
    table = np.array(_TABLES[name, kind])
    made = cells[:, table].reshape(-1, table.shape[1])
    if kind == "tri3":
        return none, made
    # Blocks that meet turned against each other: diagonals of faces must not depend on the order of the nodes.
    fits = alone and _outer(made, kind) == 2 * _outer(cells, name)
    return (none, made) if fits else _from_centres(mesh.nodes, cells, count, apex=False)


def _outer(cells: Whole, kind: str) -> int:
    """Number of faces that belong to one cell only."""
    return sum(len(f.nodes) for f in outer_facets([Block(ELEMENTS[kind], cells, 0)]))


def _from_lowest(quads: Whole, numbers: Whole | None = None) -> NDArray[np.int64]:
    """Quadrilaterals begun at their node of lowest number, shape (4, n); numbers: other ones of the nodes."""
    first = (quads if numbers is None else numbers[quads]).argmin(axis=1)[:, None]
    return np.take_along_axis(quads, (first + np.arange(4)) % 4, axis=1).T


def _from_centres(nodes: Array, cells: Whole, count: int, *, apex: bool, numbers: Whole | None = None) -> Cut:
    """Each hexahedron from a node at its centre: six pyramids, or with their bases cut in two twelve tetrahedra."""
    centres = count + np.arange(len(cells))
    made = []
    for _, face in ELEMENTS["hex8"].facets:
        a, b, c, d = cells[:, list(face)].T if apex else _from_lowest(cells[:, list(face)], numbers)
        pieces = [(a, d, c, b)] if apex else [(a, c, b), (a, d, c)]
        made += [np.stack((*piece, centres), axis=1) for piece in pieces]
    return nodes[cells].mean(axis=1), np.stack(made, axis=1).reshape(-1, 5 if apex else 4)


def _wedges_in_three(cells: Whole) -> Whole:
    """Three tetrahedra of each wedge, by the numbers of its nodes."""
    v = np.take_along_axis(cells, np.array(_FIRST)[cells.argmin(axis=1)], axis=1)
    up = np.minimum(v[:, 1], v[:, 5]) < np.minimum(v[:, 2], v[:, 4])
    one = v[:, [(0, 1, 2, 5), (0, 1, 5, 4), (0, 4, 5, 3)]]
    two = v[:, [(0, 1, 2, 4), (0, 4, 2, 5), (0, 4, 5, 3)]]
    return np.where(up[:, None, None], one, two).reshape(-1, 4)


def _upright(mesh: Mesh, axes: tuple[int, ...]) -> Mesh:
    """Two wedges of each hexahedron, along the first of the axes along which neighbours fit."""
    from condyle.bodies.mesh import Mesh

    table = np.array(_TABLES["hex8", "wedge6"])
    whole = outer_facets(mesh.blocks)
    for axis in axes:
        cells = mesh.cells[:, _UPRIGHT[axis]][:, table].reshape(-1, 6)
        made = outer_facets([Block(ELEMENTS["wedge6"], cells, 0)])
        area = sum(len(f.nodes) if f.kind.corners == 4 else 0.5 * len(f.nodes) for f in made)
        if area == sum(len(f.nodes) for f in whole) and torn(made) is None:
            regions = {
                name: (np.asarray(members)[:, None] * 2 + np.arange(2)).ravel()
                for name, members in mesh.regions.items()
            }
            return Mesh(mesh.nodes, cells, "wedge6", dict(mesh.sets), {}, regions)
    raise InputError(
        "Mesh: these hex8 do not all stand upright in one direction, so wedge6 in them would not fit; extrude a plane mesh of "
        "triangles, or convert into tet4 or pyramid5"
    )
