"""Where constraint gradients stand in a stored matrix: found once, for any storage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.system.tables import Couplings

Index = NDArray[np.int64]
Places = NDArray[np.integer]


def find_couplings(
    row: Places, column: Places, place: Index, multipliers: Index, lever: NDArray[np.float64]
) -> Couplings:
    """The entries of these multipliers out of all entries (row, column) of a matrix with a symmetric pattern.

    place: where each entry is stored; multipliers: their places in a vector; lever [m]: of each number of a vector, 1 for a
    place, the extent of the model for a direction or turning, 0 for what is not motion.
    """
    number = np.full(lever.size, -1, dtype=np.int64)
    number[multipliers] = np.arange(multipliers.size)
    diagonal = np.full(lever.size, -1, dtype=np.int64)
    diagonal[row[row == column]] = place[row == column]
    moving = np.flatnonzero((lever > 0.0) & (diagonal >= 0))

    def entries(of: Places, on: Places) -> tuple[Index, Index, Index]:
        """Numbers of multipliers, unknowns and places of all entries of multipliers `of` with unknowns `on`, in order."""
        held = np.flatnonzero((number[of] >= 0) & (lever[on] > 0.0))
        held = held[np.lexsort((on[held], number[of[held]]))]
        return number[of[held]], on[held].astype(np.int64), place[held]

    owner, unknown, line = entries(row, column)
    counts = np.bincount(owner, minlength=multipliers.size)
    return Couplings(
        multipliers, diagonal[multipliers], np.concatenate(([0], np.cumsum(counts))), line, entries(column, row)[2],
        unknown, diagonal[unknown], lever[unknown], diagonal[moving], lever[moving],
    )  # fmt: skip


def no_couplings() -> Couplings:
    """The couplings of a matrix in which no constraint depends on others: there are none."""
    none = np.zeros(0, dtype=np.int64)
    return find_couplings(none, none, none, none, np.zeros(0))
