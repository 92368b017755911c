"""The multifrontal method on a tree of separators: each group of unknowns is a small full matrix (Duff and Reid 1983).

The front of a group holds its own unknowns and its border, all later unknowns that it has to do with by then:

    [A11 A12]    own
    [A21 A22]    border

It is summed up from the entries of the matrix and from what is left of its children. A11 = P L U is factorised, with exchange
of rows among the own unknowns; L⁻¹ P A12 and A21 U⁻¹ are kept, and A22 − A21 A11⁻¹ A12 is left for the parent.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from condyle.laws.kernel import kernel
from condyle.system.linear.dissection import Tree
from condyle.system.linear.threads import OneThread, openblas_of_scipy
from condyle.system.pattern import Pattern

__all__ = ["Factors", "Front", "lay_out"]

Index = NDArray[np.int64]
Array = NDArray[np.float64]

THREADLESS = 2000  # size of a front up to which a second thread gains less than it may cost beside other processes


@dataclass
class Front:
    """Where things stand in one front.

    own, border : unknowns, those of the border in the order of elimination
    entries, places : the stored entries of the matrix that are added here, and where in the blocks A11, A21, A12, one after
        another and each column after column
    children : number of each child, and where its border stands in (own, border), ascending
    """

    own: Index
    border: Index
    entries: Index = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    places: Index = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    children: list[tuple[int, Index]] = field(default_factory=list)


def lay_out(pattern: Pattern, tree: Tree) -> list[Front]:
    """The fronts of a matrix, in the order of elimination."""
    n, count = pattern.n, len(tree.own)
    order = np.concatenate(tree.own) if count else np.zeros(0, dtype=np.int64)
    place = np.empty(n, dtype=np.int64)  # when an unknown is eliminated
    place[order] = np.arange(n)
    sizes = np.array([own.size for own in tree.own], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    group = np.repeat(np.arange(count), sizes)[place]
    row, column = place[pattern.rows()], place[pattern.indices]
    at = np.minimum(group[pattern.rows()], group[pattern.indices])
    by_group = np.argsort(at, kind="stable")
    bounds = np.searchsorted(at[by_group], np.arange(count + 1))
    borders: list[list[Index]] = [[] for _ in range(count)]  # of the children of each group
    fronts: list[Front] = []
    for t in range(count):
        first, last = starts[t], starts[t + 1]
        entries = by_group[bounds[t] : bounds[t + 1]]
        r, c = row[entries], column[entries]
        later = np.unique(np.concatenate([c, *borders[t]]))
        later = later[later >= last]
        front = Front(order[first:last], order[later], entries)
        front.places = _places(_local(r, first, last, later), _local(c, first, last, later), last - first, later.size)
        fronts.append(front)
        if tree.parent[t] >= 0:
            borders[tree.parent[t]].append(later)
    for t, parent in enumerate(tree.parent):
        if parent >= 0:
            later = place[fronts[parent].border]
            mine = _local(place[fronts[t].border], starts[parent], starts[parent + 1], later)
            fronts[parent].children.append((t, mine))
    return fronts


def _local(place: Index, first: int, last: int, later: Index) -> Index:
    """Where unknowns stand in a front, by their place: its own ones first."""
    return np.where(place < last, place - first, last - first + np.searchsorted(later, place))


def _places(i: Index, j: Index, own: int, border: int) -> Index:
    """Where entry (i, j) of a front stands in the blocks A11, A21, A12."""
    left = np.where(i < own, j * own + i, own * own + j * border + i - own)
    return np.where(j < own, left, own * (own + border) + (j - own) * own + i)


@kernel
def add_left(left, at, own, blocks, rest):
    """Add what is left of a child, in (b, b), to the blocks of a front and to what it will leave; `at` ascending."""
    size = left.shape[0]
    border = rest.shape[0]
    inside = 0
    while inside < size and at[inside] < own:
        inside += 1
    for j in range(size):
        if j < inside:
            top, bottom = at[j] * own, own * own + at[j] * border - own
            for i in range(inside):
                blocks[top + at[i]] += left[i, j]
            for i in range(inside, size):
                blocks[bottom + at[i]] += left[i, j]
        else:
            top = own * (own + border) + (at[j] - own) * own
            for i in range(inside):
                blocks[top + at[i]] += left[i, j]
            for i in range(inside, size):
                rest[at[i] - own, at[j] - own] += left[i, j]


class Factors:
    """The factors of a matrix in fronts."""

    def __init__(self, fronts: list[Front], values: Array) -> None:
        """values: the entries of the matrix as they are stored. ZeroDivisionError with an unknown if a pivot is zero."""
        self._fronts = fronts
        self._blocks: list[tuple[Array, Index, Array, Array]] = []  # L and U of A11, rows of A11, A21 U⁻¹, L⁻¹ P A12
        left: dict[int, Array] = {}
        for t, front in enumerate(fronts):
            small = front.own.size + front.border.size < THREADLESS
            with OneThread(openblas_of_scipy(), active=small):
                left[t] = self._eliminate(front, values, left)

    def _eliminate(self, front: Front, values: Array, left: dict[int, Array]) -> Array:
        """Keep the factors of a front; returns what it leaves, out of what its children have left."""
        own, border = front.own.size, front.border.size
        blocks, rest = np.zeros(own * (own + 2 * border)), np.zeros((border, border), order="F")
        blocks[front.places] = values[front.entries]
        for child, at in front.children:
            add_left(left.pop(child), at, own, blocks, rest)
        a11 = blocks[: own * own].reshape((own, own), order="F")
        a21 = blocks[own * own : own * (own + border)].reshape((border, own), order="F")
        a12 = blocks[own * (own + border) :].reshape((own, border), order="F")
        rows = np.arange(own)
        if own:
            a11, pivots, zero = lapack.dgetrf(a11, overwrite_a=True)
            if zero > 0:
                raise ZeroDivisionError(int(front.own[zero - 1]))
            for k, other in enumerate(pivots.tolist()):
                rows[k], rows[other] = rows[other], rows[k]
        if own and border:
            a12 = blas.dtrsm(1.0, a11, np.asfortranarray(a12[rows]), lower=True, diag=True, overwrite_b=True)
            a21 = blas.dtrsm(1.0, a11, a21, side=True, overwrite_b=True)
            rest = blas.dgemm(-1.0, a21, a12, 1.0, rest, overwrite_c=True)
        self._blocks.append((a11, rows, a21, a12))
        return rest

    @property
    def entries(self) -> int:
        """How many entries the factors have."""
        return sum(a11.size + a21.size + a12.size for a11, _, a21, a12 in self._blocks)

    def solve(self, b: Array) -> Array:
        """A⁻¹ b for columns b, shape (n, k)."""
        x = b.copy()
        for front, (a11, rows, a21, _) in zip(self._fronts, self._blocks, strict=True):
            if front.own.size:
                own = blas.dtrsm(1.0, a11, x[front.own[rows]], lower=True, diag=True)
                x[front.own] = own
                x[front.border] -= a21 @ own
        for front, (a11, _, _, a12) in zip(reversed(self._fronts), reversed(self._blocks), strict=True):
            if front.own.size:
                x[front.own] = blas.dtrsm(1.0, a11, x[front.own] - a12 @ x[front.border])
        return x
