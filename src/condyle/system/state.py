"""The complete state of a run: save it, load it, go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# What an equilibrium is kept with, in the memory of its state: the load factor, and the time its loads are taken at [s].
LOAD_FACTOR = "load factor"
LOAD_TIME = "load time"
Times = Sequence[float] | NDArray[np.float64]  # [s]


@dataclass
class State:
    """t [s]; x, v: rows of positions and directions and their rates, shape (n, d); multipliers, shape (m,).

    turns: what laws carry from step to step: unwrapped joint angles that springs, limits, drivers and couplings refer to
    [rad], activations and fibre lengths of muscles.
    memory: what an integrator carries from step to step (accelerations, for example), by name.
    """

    t: float
    x: NDArray[np.float64]
    v: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    memory: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    turns: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def copy(self) -> State:
        """A state that shares nothing with this one."""
        memory = {k: a.copy() for k, a in self.memory.items()}
        return State(self.t, self.x.copy(), self.v.copy(), self.multipliers.copy(), memory, self.turns.copy())


@dataclass
class Batch:
    """Steps that compiled code took in a row: the state reached, numbers of every step, frames of some of them, and whether the
    next step failed."""

    state: State
    scalars: NDArray[
        np.float64
    ]  # (steps, 8): kinetic, stored, gravity, total, work [J]; constraint error; iterations; level
    linear: NDArray[np.float64]  # (steps, d) momentum [kg m/s]
    angular: NDArray[np.float64]  # (steps, 3) momentum about the origin [kg m²/s]
    times: NDArray[np.float64]  # (steps,) at which they end [s]
    sizes: NDArray[np.float64]  # (steps,) [s]
    frames: NDArray[np.int64]  # steps that were kept
    kept: dict[str, NDArray[np.float64]]
    work: float
    failed: bool

    @property
    def last_iterations(self) -> int:
        """Newton iterations of the last step."""
        return int(self.scalars[-1, 6])

    @classmethod
    def none(cls, state: State, work: float) -> Batch:
        """No step: the first one failed."""
        empty, numbers = np.zeros(0), np.zeros((0, 8))
        d = state.x.shape[1]
        return cls(
            state, numbers, np.zeros((0, d)), np.zeros((0, 3)), empty, empty, np.zeros(0, np.int64), {}, work, True
        )


def same_bits(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Are two arrays equal bit for bit? Many times faster than `np.array_equal` for those of a small model."""
    return a is b or (a.shape == b.shape and a.tobytes() == b.tobytes())
