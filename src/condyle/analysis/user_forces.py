"""Derivatives of forces that are Python functions: by central differences, because nothing is known about the function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Array = NDArray[np.float64]
STEP = 1e-5  # relative to the size of the model and to its speed


def user_derivatives(system: RunningSystem, state: State) -> tuple[csr_matrix, csr_matrix]:
    """∂f/∂x [N/m] and ∂f/∂ẋ [N s/m] of all forces of Python functions, each (rows · d, rows · d)."""
    h = STEP * system.size
    speed = float(np.abs(state.v).max(initial=0.0))
    by_x = _differences(system, state, h, 0.0)
    by_v = _differences(system, state, 0.0, STEP * max(speed, system.size))
    return by_x, by_v


def _differences(system: RunningSystem, state: State, hx: float, hv: float) -> csr_matrix:
    from scipy.sparse import csr_matrix

    lines, columns, values = [], [], []
    d = system.d
    for law in system.user_forces:
        touched = np.unique(np.concatenate([rows for rows, _ in law(state.t, state.x, state.v)]))
        for row in touched:
            for a in range(d):
                change = np.zeros_like(state.x)
                change[row, a] = 1.0
                ahead = law(state.t, state.x + hx * change, state.v + hv * change)
                behind = law(state.t, state.x - hx * change, state.v - hv * change)
                for (rows, plus), (_, minus) in zip(ahead, behind, strict=True):
                    slope = (plus - minus) / (2.0 * (hx + hv))
                    lines.append((rows[:, None] * d + np.arange(d)).ravel())
                    columns.append(np.full(slope.size, row * d + a))
                    values.append(slope.ravel())
    entries = (np.concatenate(values), (np.concatenate(lines), np.concatenate(columns)))
    return csr_matrix(entries, shape=(system.n * d, system.n * d))
