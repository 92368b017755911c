"""Reference cells: corners, edges, facets and quadrature, whatever functions stand on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.elements.rules import Rule, box, conical, prism, simplex

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cell:
    """A convex reference cell in coordinates ξ; elements are made of it by shape functions.

    corners: ξ, shape (corners, d); edges: pairs of corners; facets: corners of each facet, seen from outside (2D: the cell on
    the left); monomials: exponents of ξ that span the functions of its corners, one for each; rule: quadrature by the degree
    that is integrated exactly; file_name: what mesh files call it. lifted: affine functions (c_0, c_1 … c_d) of ξ that
    monomials take as further coordinates.
    """

    name: str
    file_name: str
    corners: ArrayLike
    edges: tuple[tuple[int, int], ...]
    facets: tuple[tuple[int, ...], ...]
    monomials: tuple[tuple[int, ...], ...]
    rule: Callable[..., Rule]
    lifted: tuple[tuple[float, ...], ...] = ()

    @cached_property
    def places(self) -> Array:
        """ξ of the corners, shape (corners, d)."""
        return np.asarray(self.corners, dtype=float)

    @property
    def count(self) -> int:
        """Number of corners."""
        return len(self.places)

    @property
    def dimension(self) -> int:
        """Of the space of ξ."""
        return int(self.places.shape[1])

    @property
    def simplex(self) -> bool:
        """Is it a line, triangle or tetrahedron with ξ ≥ 0 and Σ ξ ≤ 1?"""
        return self.places.min() == 0.0 and self.count == self.dimension + 1

    @cached_property
    def centre(self) -> Array:
        """The mean of its corners."""
        return np.asarray(self.places.mean(axis=0))

    @cached_property
    def _walls(self) -> tuple[Array, Array]:
        """Planes n·ξ = c of the facets, (f, d) and (f,); the largest component of n is 1."""
        normals = []
        for facet in self.facets:
            P = self.places[list(facet)]
            if self.dimension == 1:
                n = P[0] - self.centre
            elif self.dimension == 2:
                n = np.array([P[1, 1] - P[0, 1], P[0, 0] - P[1, 0]])
            else:
                n = np.cross(P[1] - P[0], P[2] - P[0])
            normals.append(n / np.abs(n).max())
        first = self.places[[facet[0] for facet in self.facets]]
        return np.array(normals), np.sum(np.array(normals) * first, axis=1)

    def inside(self, xi: Array, slack: float = 1e-6) -> bool:
        """Is ξ in the cell?"""
        normals, reach = self._walls
        return bool((normals @ xi <= reach + slack).all())


def _box(d: int) -> Callable[[int], Rule]:
    return partial(box, d)


def _cube(d: int) -> tuple[tuple[int, ...], ...]:
    return tuple(product((0, 1), repeat=d))


_RING = ((0, 1), (1, 2), (2, 3), (3, 0))
_TRIANGLE = ((0, 1), (1, 2), (2, 0))
_SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))

LINE = Cell("line", "line", ((-1,), (1,)), ((0, 1),), ((0,), (1,)), ((0,), (1,)), _box(1))

TRIANGLE = Cell(
    "triangle",
    "triangle",
    ((0, 0), (1, 0), (0, 1)),
    edges=_TRIANGLE,
    facets=_TRIANGLE,
    monomials=((0, 0), (1, 0), (0, 1)),
    rule=partial(simplex, 2),
)

QUADRILATERAL = Cell(
    "quadrilateral",
    "quad",
    _SQUARE,
    edges=_RING,
    facets=_RING,
    monomials=((0, 0), (1, 0), (0, 1), (1, 1)),
    rule=_box(2),
)

TETRAHEDRON = Cell(
    "tetrahedron",
    "tetra",
    ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
    edges=(*_TRIANGLE, (0, 3), (1, 3), (2, 3)),
    facets=((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
    monomials=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
    rule=partial(simplex, 3),
)

HEXAHEDRON = Cell(
    "hexahedron",
    "hexahedron",
    tuple((*corner, z) for z in (-1, 1) for corner in _SQUARE),
    edges=(*_RING, *((a + 4, b + 4) for a, b in _RING), (0, 4), (1, 5), (2, 6), (3, 7)),
    facets=((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    monomials=_cube(3),
    rule=_box(3),
)

# A triangle below, one above: Σ of the first two coordinates at most 1, the third from −1 to 1.
WEDGE = Cell(
    "wedge",
    "wedge",
    tuple((*corner, z) for z in (-1, 1) for corner in ((0, 0), (1, 0), (0, 1))),
    edges=(*_TRIANGLE, *((a + 3, b + 3) for a, b in _TRIANGLE), (0, 3), (1, 4), (2, 5)),
    facets=((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    monomials=tuple((*m, k) for k in (0, 1) for m in ((0, 0), (1, 0), (0, 1))),
    rule=prism,
)

# A square below, an apex at height 1. On a triangle that goes up to the apex a function of the corners must be linear: no
# polynomial does that and tells the four corners below apart, ξη/(1 − ζ) does (bedrosian-1992). It is 0 at the apex.
PYRAMID = Cell(
    "pyramid",
    "pyramid",
    (*((*corner, 0) for corner in _SQUARE), (0, 0, 1)),
    edges=(*_RING, (0, 4), (1, 4), (2, 4), (3, 4)),
    facets=((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
    monomials=((0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 1, 0, -1)),
    rule=conical,
    lifted=((1, 0, 0, -1),),
)

CELLS = {c.name: c for c in (LINE, TRIANGLE, QUADRILATERAL, TETRAHEDRON, HEXAHEDRON, WEDGE, PYRAMID)}
