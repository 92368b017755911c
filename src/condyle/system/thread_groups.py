"""Elements in two groups that two threads can sum at once, because no row belongs to both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from condyle.system.contributions import Instance

LEAST = 30_000  # rows times integration points from which a second thread pays: about 500 hexahedra
BETWEEN = 0.25  # of all elements: if more lie between the groups, there are none


def in_groups(energies: Sequence[Instance], x: NDArray[np.float64]) -> tuple[list[Instance], list[int]]:
    """The energies of a system in another order: first group, second group, what lies between; and where the groups end.

    x: rows at the start [m], (n, d). The cut is across the axis that leaves least between. Small systems have no groups.
    """
    if sum(i.rows.size * len(i.measure) for i in energies) < LEAST:
        return list(energies), []
    counts = np.array([i.rows.size for i in energies])
    element = np.repeat(np.arange(len(energies)), counts)
    rows = np.concatenate([i.rows for i in energies])
    centres = np.stack([np.bincount(element, x[rows, a]) for a in range(x.shape[1])], axis=1) / counts[:, None]
    best: NDArray[np.int64] | None = None
    for place in centres.T:
        group = np.where(place < np.median(place), 0, 1)
        low = np.zeros(len(x), dtype=bool)
        low[rows[group[element] == 0]] = True
        group[np.unique(element[(group[element] == 1) & low[rows]])] = 2
        if best is None or np.count_nonzero(group == 2) < np.count_nonzero(best == 2):
            best = group
    if best is None or np.count_nonzero(best == 2) > BETWEEN * best.size or not (best == 0).any():
        return list(energies), []
    order = np.argsort(best, kind="stable")
    ends = np.cumsum(np.bincount(best, minlength=3))[:2]
    return [energies[k] for k in order], [int(e) for e in ends]
