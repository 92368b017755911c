"""The recorder: takes every accepted step, keeps blocks of them in prepared arrays, hands full blocks on."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import ConvergenceError, InputError
from condyle.results.files import FileWriter
from condyle.results.layout import COUNTS, NUMBERS, Block, Outcome, make_header, step_type
from condyle.results.result import Result
from condyle.results.stores import MemoryStore

if TYPE_CHECKING:
    from condyle.system.state import State
    from condyle.system.system import System

FLUSH_SECONDS = 2.0  # a killed run loses at most this much wall time
BUFFER_BYTES = 2**24
_SCALARS = (*NUMBERS, *COUNTS)[1:]  # all but the time, in the order of a row


class Recorder:
    """Records a run in memory or, with `file`, on disk while it goes.

    Energies, momenta, constraint error and iteration counts are kept at every step; frames (t, x, v, multipliers and
    the memory of the integrator) at every `every`-th step, and always the first and the last one. Blocks of `block`
    steps are written together, at least every 2 s. integrator, options: descriptions that are stored with the run;
    integrator['multiplier_time'] is the place of a multiplier in its step (1: end, 0.5: middle).
    """

    def __init__(self, system: System, *, file: Path | str | None = None, every: int = 1, block: int = 100,
                 integrator: Mapping[str, Any], options: Mapping[str, Any]) -> None:  # fmt: skip
        for name, value in (("every", every), ("block", block)):
            if int(value) != value or value < 1:
                raise InputError(f"recorder: {name} must be a whole number of steps, at least 1, not {value!r}")
        self._system = system
        self._every, self._block = int(every), int(block)
        header = make_header(system, every=self._every, integrator=dict(integrator), options=dict(options))
        if file is None:
            self._target: MemoryStore | FileWriter = MemoryStore(header)
        else:
            self._target = FileWriter(Path(file), header.with_model(system.model))
        self._steps = -1  # number of the last step; the start is 0

    def start(self, state: State, scalars: Mapping[str, Any]) -> None:
        """Record the initial state as frame 0; with a file, make it now so that a wrong path is noticed at once."""
        arrays = {"x": state.x, "v": state.v, "multipliers": state.multipliers, "turns": state.turns}
        arrays |= {f"memory/{name}": np.asarray(value, dtype=float) for name, value in state.memory.items()}
        frame_bytes = 8 + sum(a.nbytes for a in arrays.values())
        self._capacity = min(self._block, max(1, BUFFER_BYTES // frame_bytes))
        self._frames = {name: np.zeros((self._capacity, *np.shape(a))) for name, a in arrays.items()}
        self._frame_steps = np.zeros(self._capacity, dtype=np.int64)
        self._d = self._system.d
        self._rows = np.zeros((self._block, 1 + len(_SCALARS) + self._d + 3))
        self._row = self._slot = 0  # next free places
        self._committed = -1  # step of the last frame
        self._started = self._flushed = time.monotonic()
        self.record(state, {**scalars, "step": 0.0, "iterations": 0, "cuts": 0})
        self._flush()

    def record(self, state: State, scalars: Mapping[str, Any]) -> None:
        """Record an accepted step. The arrays of the state are copied."""
        row = self._rows[self._row]
        last = 1 + len(_SCALARS)
        row[:last] = (state.t, *[scalars[name] for name in _SCALARS])
        row[last : last + self._d] = scalars["linear_momentum"]
        row[last + self._d :] = scalars["angular_momentum"]
        slot, frames = self._slot, self._frames
        frames["x"][slot] = state.x
        frames["v"][slot] = state.v
        frames["multipliers"][slot] = state.multipliers
        frames["turns"][slot] = state.turns
        for name, value in state.memory.items():
            if f"memory/{name}" in frames:
                frames[f"memory/{name}"][slot] = value
        if not math.isfinite(row.sum() + sum([a[slot].sum() for a in frames.values()])):
            raise ConvergenceError(f"the state at t = {state.t:g} s is not finite and was not recorded", time=state.t)
        self._steps += 1
        self._row += 1
        if self._steps % self._every == 0:
            self._commit()
        if self._row == self._block or self._slot == self._capacity or time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._flush()

    def finish(self, status: str, message: str, wall_time: float) -> Result:
        """Write what is left and return the result; wall_time [s]."""
        if self._steps < 0:
            raise InputError("recorder: there is nothing to finish; call start first")
        if self._committed < self._steps:
            self._commit()
        self._flush()
        store = self._target.finish(Outcome(status, message, float(wall_time)))
        return Result(store, system=self._system)

    def _commit(self) -> None:
        """The latest state becomes a frame."""
        self._frame_steps[self._slot] = self._committed = self._steps
        self._slot += 1

    def _flush(self) -> None:
        now = time.monotonic()
        if self._row or self._slot:
            self._target.append(self._filled(), Outcome("running", "", now - self._started))
            if self._committed < self._steps:  # the latest state may still become the last frame
                for values in self._frames.values():
                    values[0] = values[self._slot]
            self._row = self._slot = 0
        self._flushed = now

    def _filled(self) -> Block:
        rows, d, last = self._rows[: self._row], self._d, 1 + len(_SCALARS)
        steps: NDArray[Any] = np.zeros(len(rows), dtype=step_type(d))
        for column, name in enumerate((*NUMBERS, *COUNTS)):
            steps[name] = rows[:, column]
        steps["linear_momentum"] = rows[:, last : last + d]
        steps["angular_momentum"] = rows[:, last + d :]
        frames = {f"frames/{name}": values[: self._slot] for name, values in self._frames.items()}
        return {"frames/step": self._frame_steps[: self._slot], **frames, "steps": steps}
