"""Which rows, multipliers and entries of a system belong to its quasi-static bodies, for compiled steps (`still.py`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.still import Still
from condyle.system.blocks import Blocks
from condyle.system.running import RunningSystem


def still_of(system: RunningSystem, blocks: Blocks, touching: NDArray[np.int64]) -> Still:
    """The table of a system in blocks; touching: numbers of the multipliers of contacts that press quasi-static bodies."""
    if not system.quasi_static.size:
        return Still(*(np.zeros(0, dtype=np.int64) for _ in Still._fields))
    own = (system.rows.unknown[system.quasi_static][:, None] + np.arange(system.d)).ravel()
    end = np.flatnonzero(system.end_multipliers)
    held = system.multiplier_unknowns[end]
    frozen = np.zeros(system.unknowns, dtype=bool)
    frozen[own], frozen[held[held >= 0]] = True, True
    pattern, contact = system.pattern, blocks.unknown[system.unknowns + touching - len(system.multipliers)]
    places = np.concatenate((blocks.unknown[: system.unknowns][frozen], contact))
    size = blocks.schedule.size
    first = np.zeros(blocks.size // size, dtype=np.int64)
    first[blocks.schedule.pivot] = blocks.schedule.diagonal
    return Still(
        system.quasi_static.astype(np.int64), places, np.concatenate((end, touching)),
        blocks.place[frozen[pattern.rows()] | frozen[pattern.indices]], first[places // size] + (size + 1) * (places % size),
    )  # fmt: skip
