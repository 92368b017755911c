"""The nodes of a mesh in a matrix: products with their part of it, and multigrid cycles that are nearly its inverse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from condyle.system.linear.coarsening import Blocks
from condyle.system.linear.directions import as_double, as_single, dot
from condyle.system.linear.hierarchy import Hierarchy, each_domain, split
from condyle.system.linear.lines import with_room
from condyle.system.linear.mesh_rows import asymmetry, block_product, is_blocked, node_graph, take_blocks
from condyle.system.pattern import Pattern

__all__ = ["MeshPart"]

Vector = NDArray[np.float64]

WORN = 1.7  # a hierarchy is made anew when it needs this many times the iterations of its first use
SAMPLE = 500  # rows of nodes that are compared with their columns
SYMMETRIC = 1e-10  # by which they may differ, relative to the largest entry


class MeshPart:
    """Entries that couple nodes of a mesh with each other, `block` unknowns each, and coarser systems made of them.

    pattern: of these entries, which are whole blocks (`MeshPart.fits`); modes() gives motions that cost no energy, (n, 3 or 6).
    """

    @staticmethod
    def fits(pattern: Pattern, block: int) -> bool:
        """Are the entries whole blocks?"""
        return bool(is_blocked(pattern.indptr, pattern.indices, block))

    def __init__(self, pattern: Pattern, block: int, modes: Callable[[], Vector]) -> None:
        ptr, col = node_graph(pattern.indptr, pattern.indices, block)
        self.pattern, self.block, self.modes = pattern, block, modes
        self.fine = Blocks(ptr, col, with_room((len(col), block, block), np.float32))
        self.values = np.zeros(0)
        self._shape = ((0,) * block, (0,) * block)
        self.hierarchy: Hierarchy | None = None
        self._domains = split(self.fine)
        self._unit = 1.0  # of the entries in single precision
        self._single = np.empty((self.fine.nodes, block), dtype=np.float32)
        self._first = self._last = 0  # iterations with the present coarser systems: of their first use, of the last one

    def refresh(self, values: Vector, diagonal: Vector) -> bool:
        """Take these entries (kept, not copied). The finest system always has them; worn coarser ones are made anew.

        False if no coarser systems can be made of them.
        """
        self.values, self._unit = values, 1.0 / float(np.abs(diagonal).max())
        fine = self.fine
        each_domain(self._domains, lambda low, high: take_blocks(
            self._shape, values, self._unit, low, high, fine.ptr, fine.val
        ))  # fmt: skip
        if self.hierarchy is None or self._last > WORN * self._first + 5:
            modes = self.modes().reshape(fine.nodes, self.block, -1).astype(np.float32)
            self.hierarchy = Hierarchy(fine, modes, self._domains)
            self._first = self._last = 0
        else:
            self.hierarchy.levels[0].set_up()
        return self.hierarchy.is_complete

    def took(self, iterations: int) -> None:
        """Note how many iterations a solution took: the measure of wear."""
        self._first, self._last = self._first or iterations, iterations

    def cycle(self, r: Vector) -> Vector:
        """Nearly A⁻¹ r."""
        assert self.hierarchy is not None
        size, z = np.sqrt(dot(r, r)), np.zeros_like(r)
        if size > 0.0:
            as_single(r, 1.0 / size, self._single)
            as_double(self.hierarchy.cycle(self._single), size * self._unit, z)
        return z

    def times(self, x: Vector, y: Vector) -> None:
        """y = A x."""
        fine = self.fine
        each_domain(self._domains, lambda low, high: block_product(
            self._shape, self.values, fine.ptr, fine.col, x, low, high, y
        ))  # fmt: skip

    @property
    def inverse_diagonal(self) -> Vector:
        """Inverses of the diagonal blocks, shape (nodes, b, b)."""
        assert self.hierarchy is not None
        return self._unit * self.hierarchy.levels[0].columns.transpose(0, 2, 1).astype(np.float64)

    @property
    def looks_symmetric(self) -> bool:
        """Is the matrix its transpose, at some of its rows?"""
        return self._asymmetry(max(1, self.fine.nodes // SAMPLE)) <= SYMMETRIC

    @property
    def is_symmetric(self) -> bool:
        """Is the matrix its transpose, at all of its rows?"""
        return self._asymmetry(1) <= SYMMETRIC

    def _asymmetry(self, every: int) -> float:
        fine = self.fine
        return float(asymmetry(self.pattern.indptr, self.values, fine.ptr, fine.col, self.block, every))
