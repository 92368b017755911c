"""Plane meshes drawn along a line or turned about an axis into meshes of space."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements import ELEMENTS, Block, Element
from condyle.bodies.elements.cell import HEXAHEDRON, QUADRILATERAL, TRIANGLE, WEDGE
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.bodies.mesh import Mesh

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

SWEPT = {TRIANGLE.name: WEDGE, QUADRILATERAL.name: HEXAHEDRON}
# A prism over a triangle, its corners in the order of their numbers, as three tetrahedra: (corner, below 0 or above 1). The
# diagonal of a side goes from the corner of lower number up to the other, so that neighbours agree.
_PRISM = (((0, 0), (1, 0), (2, 0), (2, 1)), ((0, 0), (1, 0), (2, 1), (1, 1)), ((0, 0), (1, 1), (2, 1), (0, 1)))


def swept(mesh: Mesh, layers: int, place: Callable[[Array, float], Array], how: str, wanted: str | None = None) -> Mesh:
    """Layers of cells between copies of a plane mesh; place(X, u) puts plane nodes at 0 ≤ u ≤ 1 of the way.

    Triangles become wedges, quadrilaterals hexahedra; wanted: 'tet4' or 'tet10', wedges cut into tetrahedra. A node of space
    is a node of the plane at a level of half layers: middle nodes of quadratic elements are put where `place` says, onto the
    curve.
    """
    from condyle.bodies.mesh import Mesh

    n = len(mesh.nodes)
    parts: dict[str, Whole] = {}
    numbers: list[Whole] = []  # of the cells made of each plane cell, by blocks
    count = 0
    for block in mesh.blocks:
        kind = _becomes(block.kind, how, wanted)
        flat, level = _cells_of_a_layer(block, kind)
        parts[kind.name] = np.vstack([(level + 2 * k) * n + flat for k in range(layers)])
        each = len(flat) // len(block.cells)
        own = np.arange(len(block.cells))[:, None, None] * each + np.arange(each)
        numbers.append((count + own + len(flat) * np.arange(layers)[:, None]).reshape(len(block.cells), -1))
        count += layers * len(flat)
    used, where = np.unique(np.concatenate([codes.ravel() for codes in parts.values()]), return_inverse=True)
    ends = np.cumsum([codes.size for codes in parts.values()])[:-1]
    cells = {
        name: found.reshape(codes.shape)
        for (name, codes), found in zip(parts.items(), np.split(where.ravel(), ends), strict=True)
    }
    at_level, plane_node = np.divmod(used, n)
    nodes = np.zeros((len(used), 3))
    for k in range(2 * layers + 1):
        here = at_level == k
        nodes[here] = place(mesh.nodes[plane_node[here]], k / (2 * layers))
    sets = {name: np.flatnonzero(np.isin(plane_node, members)) for name, members in mesh.sets.items()}
    sets |= {"back": np.flatnonzero(at_level == 0), "front": np.flatnonzero(at_level == 2 * layers)}
    made_of = [row for rows in numbers for row in rows]
    regions = {
        name: np.sort(np.concatenate([made_of[int(e)] for e in members])) for name, members in mesh.regions.items()
    }
    return Mesh.of_blocks(nodes, cells, sets, {}, regions)


def _becomes(plane: Element, how: str, wanted: str | None) -> Element:
    """What an element of the plane is drawn into."""
    solid = SWEPT.get(plane.cell.name)
    found = next((e for e in ELEMENTS.values() if e.cell is solid and e.middles == plane.middles), None)
    if found is None or plane.inner:
        raise InputError(f"Mesh.{how}: only plane meshes can be {how}, not {plane.name}")
    if wanted is None or wanted == found.name:
        return found
    if wanted != ("tet10" if plane.middles else "tet4") or solid is not WEDGE:
        raise InputError(f"Mesh.{how}: {plane.name} is {how} into {found.name}, not into {wanted}")
    return ELEMENTS[wanted]


def _cells_of_a_layer(block: Block, kind: Element) -> tuple[Whole, Whole]:
    """Plane node and level (0 below, 1 between, 2 above) of the nodes of the cells of one layer, shape (cells, nodes) each."""
    plane = block.kind
    corners = block.cells[:, : plane.corners]
    if kind.cell.simplex:
        order = np.argsort(corners, axis=1)
        odd = (order[:, 1] - order[:, 0]) % 3 == 2  # turned round by sorting
        ranked = np.take_along_axis(corners, order, axis=1)
        prism = np.array(_PRISM)
        flat = ranked[:, prism[:, :, 0]].reshape(-1, 4)
        level = np.tile(2 * prism[:, :, 1], (len(corners), 1, 1)).reshape(-1, 4)
        swap = np.repeat(odd, 3)
        flat[swap] = flat[swap][:, [1, 0, 2, 3]]
        level[swap] = level[swap][:, [1, 0, 2, 3]]
    else:
        flat = np.hstack((corners, corners))
        level = np.tile(np.repeat((0, 2), plane.corners), (len(corners), 1))
    if not plane.quadratic:
        return flat, level
    middles: dict[frozenset[int], int] = {}
    for cell in block.cells:
        middles |= {frozenset((int(cell[a]), int(cell[b]))): int(cell[m]) for a, b, m in plane.edges}
    ends = np.array([e[:2] for e in kind.edges])
    between = [[int(a) if a == b else middles[frozenset((int(a), int(b)))] for a, b in cell[ends]] for cell in flat]
    return np.hstack((flat, np.array(between))), np.hstack((level, level[:, ends].sum(axis=2) // 2))
