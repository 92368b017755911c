"""What points over pieces that deform add to the equations of the nodes they belong to, by a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.foot import Foot
from condyle.contact.surface import Array
from condyle.system.touching.means import sum_up

if TYPE_CHECKING:
    from condyle.contact.deformable import FacetPair


class Sharing(NamedTuple):
    """Which nodes a point belongs to."""

    nodes: NDArray[np.int64]  # (q, M)
    shares: Array  # (q, M)
    places: NDArray[np.int64]  # of the rows of a point among those of each of its nodes (q, M, nr), −1 for none
    turns: Array  # of slips into the frames of the nodes (q, M, p, p)

    @classmethod
    def alone(cls, count: int, rows: int, d: int) -> Sharing:
        """Every point is a node of its own."""
        places = np.broadcast_to(np.arange(rows), (count, 1, rows))
        turns = np.broadcast_to(np.eye(d - 1), (count, 1, d - 1, d - 1))
        return cls(
            np.arange(count)[:, None], np.ones((count, 1)), np.ascontiguousarray(places), np.ascontiguousarray(turns)
        )


def summed(
    pair: FacetPair,
    rows: NDArray[np.int64],
    places: tuple[Foot, Foot, Array, Array],
    sharing: Sharing,
    F: Array,
    kappa: float,
    tangent: bool,
    shape: tuple[int, int],
) -> tuple[Array, Array, Array]:
    """Gradients of gaps and slips of nodes on their rows (n, i, nr, d), by unknowns (n, i, nu), what they bend by (n, nu, nu).

    rows (q, nr) of the points; places: feet at the test configuration and at the end of the step, and both configurations; F of
    the nodes (n, i) [N]; shape: nodes and rows of a node.
    """
    test, end, xt, x1 = places
    n, nr = shape
    d, components = pair.d, F.shape[1]
    start = pair.began if components > 1 else None
    began = (end.facet[:0], end.N[:0]) if start is None else (start.facet, start.N)
    away = np.zeros((0, d)) if start is None else pair.away(x1)
    G = np.zeros((n, components, nr, d))
    B = np.zeros((n, components, nr, d) if tangent else (n, components, 0, d))
    K = np.zeros((n, nr * d, nr * d) if tangent else (n, 0, 0))
    sum_up(
        (pair.table.kind, xt, x1), (rows, pair.point_weights, *began, pair.cells, pair.vector_weights), tuple(test), tuple(end),
        away, tuple(sharing), np.ascontiguousarray(F), kappa, tangent, (G, B, K),
    )  # fmt: skip
    return G, B.reshape(n, components, -1), K
