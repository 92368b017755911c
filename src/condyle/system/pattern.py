"""Where the entries of the system matrix are stored: found once, so that laws can add their values in place.

Unknowns come in blocks (a node, the δr and δθ of a body, the multipliers of a joint). A law that couples blocks I and J
adds a dense ``size[I] × size[J]`` block of values. All rows of a block have the same columns, so one number per
coupling, its ``slot``, and one per block, its ``stride``, locate every entry:

    entry (i, j) of coupling k  is  values[slot[k] + i * stride[I_k] + j]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["BlockPattern", "Pattern", "all_pairs", "any_of_each", "build_pattern", "counted", "distinct"]


@dataclass(frozen=True, eq=False, slots=True)
class Pattern:
    """Positions of the stored entries of a square matrix, in compressed rows (CSR).

    Columns are sorted in each row, the pattern is symmetric, both triangles are stored, and every diagonal entry is
    there (its value may be zero).

    Parameters
    ----------
    n : number of unknowns
    indptr : row i holds the entries ``indptr[i]:indptr[i + 1]``, shape (n + 1,), int32 (int64 above 2³¹ entries)
    indices : column of each entry, shape (nnz,), same type
    """

    n: int
    indptr: NDArray[np.integer]
    indices: NDArray[np.integer]

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return len(self.indices)

    def rows(self) -> NDArray[np.integer]:
        """Row of each entry, shape (nnz,)."""
        return np.repeat(np.arange(self.n, dtype=self.indices.dtype), np.diff(self.indptr))


class BlockPattern(NamedTuple):
    """A pattern, and where each coupling of blocks has its entries in it."""

    pattern: Pattern
    slot: NDArray[np.int64]
    """Position of the first entry of each coupling, shape (m,)."""
    stride: NDArray[np.int64]
    """Stored entries per row of each block, shape (blocks,)."""


def build_pattern(
    pairs_rows: ArrayLike, pairs_cols: ArrayLike, block_offset: ArrayLike, block_size: ArrayLike, n: int
) -> BlockPattern:
    """The pattern that holds the given couplings of blocks, their transposes, and every block with itself.

    Parameters
    ----------
    pairs_rows, pairs_cols : the coupled blocks I_k and J_k, shape (m,); couplings may repeat
    block_offset : first unknown of each block, shape (blocks,), in any order
    block_size : number of unknowns of each block, shape (blocks,); may be 0
    n : number of unknowns; the blocks must fill 0 … n − 1 without gap or overlap
    """
    rows = np.asarray(pairs_rows, dtype=np.int64)
    cols = np.asarray(pairs_cols, dtype=np.int64)
    offset = np.asarray(block_offset, dtype=np.int64)
    size = np.asarray(block_size, dtype=np.int64)
    blocks = len(size)

    # Number the blocks by their place, so that sorted blocks mean sorted columns.
    order = np.lexsort((size, offset))
    rank = np.empty(blocks, dtype=np.int64)
    rank[order] = np.arange(blocks)
    offset_ranked, size_ranked = offset[order], size[order]
    _check_blocks(rows, cols, offset_ranked, size_ranked, n)
    rows, cols = rank[rows], rank[cols]

    # All coupled blocks, once each, sorted by row and column: key = I · blocks + J.
    coupling = rows * blocks + cols
    once = distinct(coupling)
    key = distinct(np.concatenate([once, once % blocks * blocks + once // blocks, np.arange(blocks) * (blocks + 1)]))
    block_row, block_col = key // blocks, key % blocks

    # The columns of one row of each block, row after row of blocks.
    width = size_ranked[block_col]
    start = np.cumsum(width) - width
    first = np.searchsorted(block_row, np.arange(blocks))
    template_start = np.append(start, np.sum(width))[first]
    stride_ranked = np.bincount(block_row, weights=width, minlength=blocks).astype(np.int64)
    template = np.repeat(offset_ranked[block_col] - start, width) + np.arange(np.sum(width))

    # Every row of a block repeats them.
    row_block = np.repeat(np.arange(blocks), size_ranked)
    length = stride_ranked[row_block]
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(length, out=indptr[1:])
    nnz = int(indptr[-1])
    integer = np.int32 if nnz < 2**31 else np.int64
    source: NDArray[np.integer] = np.arange(nnz, dtype=integer)
    source += np.repeat((template_start[row_block] - indptr[:-1]).astype(integer), length)
    indices = template.astype(integer)[source]

    slot = start[np.searchsorted(key, coupling)]
    slot += (indptr[offset_ranked] - template_start)[rows]
    return BlockPattern(Pattern(n, indptr.astype(integer), indices), slot, stride_ranked[rank])


def distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each number once, in increasing order. Sorting what is nearly sorted takes a fraction of the time of `np.unique`."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def _check_blocks(
    rows: NDArray[np.int64], cols: NDArray[np.int64], offset: NDArray[np.int64], size: NDArray[np.int64], n: int
) -> None:
    if np.any(size < 0) or np.any(offset != np.cumsum(size) - size) or np.sum(size) != n:
        raise ValueError(f"the blocks of unknowns do not fill 0 … {n - 1} without gap or overlap")
    if rows.shape != cols.shape:
        raise ValueError("there must be as many block rows as block columns")
    for index in (rows, cols):
        if len(index) and (index.min() < 0 or index.max() >= len(size)):
            raise ValueError(f"a coupling names a block outside 0 … {len(size) - 1}")


def counted(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """0, 1, … within each of some groups, one group after another."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def any_of_each(flags: NDArray[np.bool_], start: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Does any flag of a group hold? Group k has the flags start[k] … start[k + 1]."""
    before = np.concatenate(([0], np.cumsum(flags)))
    return np.asarray(before[start[1:]] > before[start[:-1]])


def all_pairs(groups: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every number of a group with every number of the same group, group after group: first ones, second ones."""
    numbers = np.concatenate([np.zeros(0, dtype=np.int64), *groups])
    counts = np.array([len(g) for g in groups], dtype=np.int64)
    partners = np.repeat(counts, counts)  # of each number
    begin = np.repeat(np.cumsum(counts) - counts, counts)  # of its group
    return np.repeat(numbers, partners), numbers[np.repeat(begin, partners) + counted(partners)]
