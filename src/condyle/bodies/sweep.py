"""Plane meshes drawn along a line or turned about an axis into meshes of space."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements import ELEMENTS
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.bodies.mesh import Mesh

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

SWEPT = {"tri3": "tet4", "tri6": "tet10", "quad4": "hex8", "quad8": "hex20"}
# A prism over a triangle, its corners in the order of their numbers, as three tetrahedra: (corner, below 0 or above 1). The
# diagonal of a side goes from the corner of lower number up to the other, so that neighbours agree.
_PRISM = (((0, 0), (1, 0), (2, 0), (2, 1)), ((0, 0), (1, 0), (2, 1), (1, 1)), ((0, 0), (1, 1), (2, 1), (0, 1)))


def swept(mesh: Mesh, layers: int, place: Callable[[Array, float], Array], how: str) -> Mesh:
    """Layers of cells between copies of a plane mesh; place(X, u) puts plane nodes at 0 ≤ u ≤ 1 of the way.

    Triangles become prisms, cut into tetrahedra. A node of space is a node of the plane at a level of half layers: middle nodes
    of quadratic elements are put where `place` says, onto the curve.
    """
    from condyle.bodies.mesh import Mesh

    if mesh.element not in SWEPT:
        raise InputError(f"Mesh.{how}: only plane meshes can be {how}, not {mesh.element}")
    kind = ELEMENTS[SWEPT[mesh.element]]
    flat, level = _cells_of_a_layer(mesh)
    each = len(flat) // len(mesh.cells)
    n = len(mesh.nodes)
    codes = np.vstack([(level + 2 * k) * n + flat for k in range(layers)])
    used, where = np.unique(codes, return_inverse=True)
    cells = where.reshape(codes.shape)
    at_level, plane_node = np.divmod(used, n)
    nodes = np.zeros((len(used), 3))
    for k in range(2 * layers + 1):
        here = at_level == k
        nodes[here] = place(mesh.nodes[plane_node[here]], k / (2 * layers))
    sets = {name: np.flatnonzero(np.isin(plane_node, members)) for name, members in mesh.sets.items()}
    sets |= {"back": np.flatnonzero(at_level == 0), "front": np.flatnonzero(at_level == 2 * layers)}
    regions = {
        name: (
            np.arange(layers)[:, None, None] * len(flat) + np.asarray(members)[:, None] * each + np.arange(each)
        ).ravel()
        for name, members in mesh.regions.items()
    }
    return Mesh(nodes, cells, kind.name, sets, {}, regions)


def _cells_of_a_layer(mesh: Mesh) -> tuple[Whole, Whole]:
    """Plane node and level (0 below, 1 between, 2 above) of the nodes of the cells of one layer, shape (cells, nodes) each."""
    plane, kind = ELEMENTS[mesh.element], ELEMENTS[SWEPT[mesh.element]]
    count = 3 if plane.simplex else 4
    corners = mesh.cells[:, :count]
    middles: dict[frozenset[int], int] = {}
    for cell in mesh.cells if plane.quadratic else ():
        middles |= {frozenset((int(cell[a]), int(cell[b]))): int(cell[m]) for a, b, m in plane.edges}
    if plane.simplex:
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
        level = np.tile(np.repeat((0, 2), 4), (len(corners), 1))
    if not plane.quadratic:
        return flat, level
    ends = np.array([e[:2] for e in kind.edges])
    between = [[int(a) if a == b else middles[frozenset((int(a), int(b)))] for a, b in cell[ends]] for cell in flat]
    return np.hstack((flat, np.array(between))), np.hstack((level, level[:, ends].sum(axis=2) // 2))
