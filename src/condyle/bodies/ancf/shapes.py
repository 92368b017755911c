"""Shape functions from polynomials and nodal vectors, and Gauss points.

An element is a list of monomials of ξ and, at each of its corners, a list of derivatives that are nodal vectors: r, r_x,
r_y, … The shape functions follow by inverting the matrix of the nodal values of the monomials, so that a new element
is two short lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shape:
    """Shape functions of one element on the cell 0 ≤ ξ_i ≤ 1.

    powers: exponents of the monomials, shape (n, p); corners: places of the nodes, shape (nodes, p); slots: derivatives
    that are the vectors of each node, shape (k, p), the first of them (0, …, 0); n = nodes · k. sums: functions that are
    sums of more than n monomials, as their coefficients, shape (n, monomials).
    """

    powers: tuple[tuple[int, ...], ...]
    corners: tuple[tuple[float, ...], ...]
    slots: tuple[tuple[int, ...], ...]
    sums: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        unknowns = len(self.corners) * len(self.slots)
        if (len(self.powers) if self.sums is None else len(self.sums)) != unknowns:
            raise InputError(
                f"shape functions: {len(self.powers)} monomials do not fit {len(self.corners)} nodes with "
                f"{len(self.slots)} vectors each; there must be {unknowns}"
            )
        if np.linalg.matrix_rank(self._nodal, tol=1e-10) < unknowns:
            raise InputError(
                "shape functions: the nodal vectors do not determine the monomials; choose other monomials"
            )

    @property
    def parameters(self) -> int:
        """Number p of parameters ξ."""
        return len(self.powers[0])

    @cached_property
    def _nodal(self) -> Array:
        values = np.array([_monomials(self.powers, c, s) for c in self.corners for s in self.slots])
        return values if self.sums is None else np.asarray(values @ np.array(self.sums).T)

    @cached_property
    def coefficients(self) -> Array:
        """Of the monomials in the shape functions, for cells of unit lengths, shape (monomials, n)."""
        inverse = np.asarray(np.linalg.inv(self._nodal), dtype=float)
        return inverse if self.sums is None else np.asarray(np.array(self.sums).T @ inverse)

    def weights(self, xi: ArrayLike, order: Sequence[int], lengths: ArrayLike) -> Array:
        """∂^order r at ξ as weights on the nodal vectors, shape (nodes · k,); derivatives by x_i = lengths_i ξ_i [m]."""
        L = np.asarray(lengths, dtype=float)
        own = np.prod(L ** np.array(self.slots), axis=1)
        values = _monomials(self.powers, xi, order) @ self.coefficients
        return np.asarray(values * np.tile(own, len(self.corners)) / np.prod(L ** np.array(order)))


def _monomials(powers: Sequence[Sequence[int]], xi: ArrayLike, order: Sequence[int]) -> Array:
    """∂^order of the monomials at ξ."""
    P, times = np.asarray(powers, dtype=float), np.asarray(order)
    out = np.prod(np.asarray(xi, dtype=float) ** np.maximum(P - times, 0.0), axis=1)
    for k in range(int(times.max())):
        out *= np.prod(np.where(times > k, P - k, 1.0), axis=1)
    return out


def _up_to(limits: Sequence[int]) -> list[tuple[int, ...]]:
    return list(product(*(range(n + 1) for n in limits)))


_QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
_HEX = tuple((*c, z) for z in (0.0, 1.0) for c in _QUAD)

CABLE = Shape(tuple(_up_to([3])), ((0.0,), (1.0,)), ((0,), (1,)))
# r = r_c(x) + y r_y(x) + z r_z(x): the axis is cubic, the section vectors are linear along it.
BEAM_2D = Shape(((0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1)), ((0.0, 0.0), (1.0, 0.0)), ((0, 0), (1, 0), (0, 1)))


def warped_beam(warping: float) -> Shape:
    """The same with sections that warp: x²(y − κ y²) and x³y more, κ = `warping` [1/m], and r_xy at the nodes."""
    powers = ((0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (3, 1), (2, 1), (2, 2))
    sums = np.eye(8, 9)
    sums[7, 8] = -warping
    slots = ((0, 0), (1, 0), (0, 1), (1, 1))
    return Shape(powers, ((0.0, 0.0), (1.0, 0.0)), slots, tuple(map(tuple, sums.tolist())))


BEAM = Shape(
    ((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1)),
    ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
)
# The same with a linear axis: frames and nothing else at the nodes.
FRAMES_2D = Shape(((0, 0), (1, 0), (0, 1), (1, 1)), ((0.0, 0.0), (1.0, 0.0)), ((0, 0), (0, 1)))
FRAMES = Shape(
    ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1)),
    ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ((0, 0, 0), (0, 1, 0), (0, 0, 1)),
)
# Complete cubic with x³y and xy³: 12 functions, slopes across edges are not continuous.
THIN_PLATE = Shape(
    tuple([p for p in _up_to([3, 3]) if sum(p) <= 3] + [(3, 1), (1, 3)]), _QUAD, ((0, 0), (1, 0), (0, 1))
)
BICUBIC_PLATE = Shape(tuple(_up_to([3, 3])), _QUAD, ((0, 0), (1, 0), (0, 1), (1, 1)))
SHELL = Shape(tuple(_up_to([1, 1, 1])), tuple((*c, 0.0) for c in _QUAD), ((0, 0, 0), (0, 0, 1)))
# Complete cubic and twelve higher terms, each of which is at most linear in all but one direction or has xyz.
BRICK = Shape(
    tuple(
        [p for p in _up_to([3, 3, 3]) if sum(p) <= 3]
        + [(3, 1, 0), (3, 0, 1), (1, 3, 0), (0, 3, 1), (1, 0, 3), (0, 1, 3)]
        + [(2, 1, 1), (1, 2, 1), (1, 1, 2), (3, 1, 1), (1, 3, 1), (1, 1, 3)]
    ),
    _HEX,
    ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
)


def gauss(count: int) -> tuple[Array, Array]:
    """Gauss–Legendre points and weights on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (1.0 + points), 0.5 * weights


def gauss_product(counts: Sequence[int]) -> tuple[Array, Array]:
    """Product rule on the unit cell: points (n, p), weights (n,)."""
    rules = [gauss(c) for c in counts]
    points = np.array(list(product(*(r[0] for r in rules))))
    weights = np.array([np.prod(w) for w in product(*(r[1] for r in rules))])
    return points, weights
