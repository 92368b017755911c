"""Compiled steps of backward differences: what they carry from step to step beside what contacts remember."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import differences
from condyle.integrators.compiled import CompiledSteps, Names
from condyle.integrators.step_tables import Frames, Motion
from condyle.system.state import State

Array = NDArray[np.float64]


class DifferenceSteps(CompiledSteps):
    """The compiled form of one system under `BDF`."""

    def _carries(self) -> Names:
        return differences.CARRIED

    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        *others, (touch,) = super()._shapes()
        return (*others, (touch + 1,))

    def _begin(self, state: State) -> Motion:
        now = super()._begin(state)
        now.touch[-1] = state.memory["previous step"][0]
        return now

    def _memory(self, motion: Motion | Frames, axis: int = 0) -> dict[str, Array]:
        return super()._memory(motion, axis) | {"previous step": motion.touch[..., -1:]}
