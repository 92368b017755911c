"""The recorder: takes every accepted step, keeps blocks of them in prepared arrays, hands full blocks on."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import ConvergenceError, InputError
from condyle.results.files import FileWriter
from condyle.results.history import TieForce
from condyle.results.layout import COUNTS, NUMBERS, Block, Outcome, make_header, step_table
from condyle.results.result import Result
from condyle.results.stores import MemoryStore

if TYPE_CHECKING:
    from condyle.system.state import Batch, State
    from condyle.system.system import System

FLUSH_SECONDS = 2.0  # a killed run leaves a file that is older by no more
BUFFER_BYTES = 2**24
_SCALARS = (*NUMBERS, *COUNTS)  # of a step, in the order in which they stand in the buffer; the first is the time


class Recorder:
    """Records a run in memory or, with `file`, on disk while it goes.

    Energies, momenta, constraint error and iteration counts are kept at every step; frames (t, x, v, multipliers and
    the memory of the integrator) at every `every`-th step, and always the first and the last one. Blocks of `block`
    steps are written together, at least every 2 s. overwrite: replace a results file of that name. integrator, options:
    descriptions that are stored with the run; integrator['multiplier_time'] is the place of a multiplier in its step (1: end,
    0.5: middle). tie_force: finds the force of an eliminated tie by solving the steps of the result again.
    """

    def __init__(
        self,
        system: System,
        *,
        file: Path | str | None = None,
        every: int = 1,
        block: int = 1000,
        overwrite: bool = False,
        integrator: Mapping[str, Any],
        options: Mapping[str, Any],
        tie_force: TieForce | None = None,
    ) -> None:
        for name, value in (("every", every), ("block", block)):
            if int(value) != value or value < 1:
                raise InputError(f"recorder: {name} must be a whole number of steps, at least 1, not {value!r}")
        self._system, self._tie_force = system, tie_force
        self._every, self._block = int(every), int(block)
        header = make_header(system, every=self._every, integrator=dict(integrator), options=dict(options))
        if file is None:
            self._target: MemoryStore | FileWriter = MemoryStore(header)
        else:
            self._target = FileWriter(Path(file), header.with_model(system.model), overwrite=overwrite)
        self._steps = -1  # number of the last step; the start is 0
        self._in_python: dict[str, int] = {}  # steps by the reason why they were not compiled

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file, also after an exception; what has not come to a first block leaves none behind."""
        if isinstance(self._target, FileWriter):
            self._target.discard()

    @property
    def every(self) -> int:
        """Every so many steps a frame is kept."""
        return self._every

    def start(self, state: State, scalars: Mapping[str, Any]) -> None:
        """Record the initial state as frame 0; with a file, make it now so that a wrong path is noticed at once."""
        frame = {"x": state.x, "v": state.v, "multipliers": state.multipliers, "turns": state.turns}
        self._memory = {f"memory/{name}": name for name in state.memory}
        frame |= {name: np.asarray(state.memory[key]) for name, key in self._memory.items()}
        self._frame_arrays = list(frame)
        self._buffer, self._columns = _make_buffer(self._system.d, frame, self._block)
        self._rows = 0  # how many are filled
        self._started = self._flushed = time.monotonic()
        self._target.open()
        self.record(state, {**scalars, "step": 0.0, "iterations": 0, "cuts": 0})
        self._flushed = -math.inf  # the first step is written at once

    def proceed(self, history: Result, frame: int) -> None:
        """Go on with an earlier run from one of its frames (a multiple of `every`): what came before is copied first.

        An earlier file of the same name stays as it is until this one has come further, so that nothing is lost if this
        process is killed or fails meanwhile.
        """
        store = history._store
        names = ("x", "v", "multipliers", "turns", *(f"memory/{m}" for m in store.memory_names()))
        arrays = {name: store.array(name)[: frame + 1] for name in names}
        step = int(store.frame_steps[frame])
        self._memory = {f"memory/{m}": m for m in store.memory_names()}
        self._frame_arrays = list(names)
        self._buffer, self._columns = _make_buffer(self._system.d, {k: a[0] for k, a in arrays.items()}, self._block)
        self._rows = 0
        self._steps = step
        self._in_python = dict(history.in_python)
        self._started = self._flushed = time.monotonic()
        block = {"frames/step": store.frame_steps[: frame + 1], "steps": store.steps[: step + 1]}
        block |= {f"frames/{name}": values for name, values in arrays.items()}
        outcome = Outcome("running", "", 0.0)
        if isinstance(self._target, FileWriter):
            self._target.replace(block, outcome, len(store.steps))
        else:
            self._target.append(block, 0, 0, outcome)

    def record(self, state: State, scalars: Mapping[str, Any]) -> None:
        """Record an accepted step. The arrays of the state are copied."""
        k, columns = self._rows, self._columns
        columns["scalars"][k] = (state.t, *[scalars[name] for name in _SCALARS[1:]])
        columns["linear_momentum"][k] = scalars["linear_momentum"]
        columns["angular_momentum"][k] = scalars["angular_momentum"]
        columns["x"][k] = state.x
        columns["v"][k] = state.v
        columns["multipliers"][k] = state.multipliers
        columns["turns"][k] = state.turns
        if self._steps == 0 and state.memory.keys() != self._memory.values():
            self._forget(state)
        for name, key in self._memory.items():
            columns[name][k] = state.memory[key]
        if not math.isfinite(np.add.reduce(self._buffer[k])):
            raise ConvergenceError(f"the state at t = {state.t:g} s is not finite and was not recorded", time=state.t)
        self._steps += 1
        self._rows += 1
        if self._rows == len(self._buffer) or time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._flush()

    # --- as a hook of a run -------------------------------------------------------------------------------------------

    def begun(self, state: State, scalars: Mapping[str, Any]) -> None:
        """The run starts at this state."""
        self.start(state, scalars)

    def stepped(self, state: State, scalars: Mapping[str, Any], info: Any, number: int) -> None:
        """Record the step, and why it was not compiled if that is so."""
        self.record(state, scalars)
        self.count_python(info.in_python)

    def advanced(self, batch: Batch, number: int) -> None:
        """Record all steps of a batch."""
        self.record_batch(batch)

    def count_python(self, reason: str) -> None:
        """The step just recorded was taken in Python for this reason; nothing if that is empty."""
        if reason:
            self._in_python[reason] = self._in_python.get(reason, 0) + 1

    def record_batch(self, batch: Batch) -> None:
        """Record many steps at once, as they come from compiled code."""
        count, state = len(batch.scalars), batch.state
        if not count:
            return
        if self._steps == 0 and state.memory.keys() != self._memory.values():
            self._forget(state)  # before the start is handed on
        self._flush()
        rows, d, energies = np.zeros((count, 13 + self._system.d)), self._system.d, batch.scalars[:, :7]
        rows[:, 0], rows[:, 1] = batch.times, batch.sizes
        rows[:, 2:9] = energies  # with the work, the error of constraints and iterations
        rows[:, 10 : 10 + d], rows[:, 10 + d :] = batch.linear, batch.angular
        table = step_table(d, rows)
        block: Block = {"steps": table}
        first = self._steps + 1
        if batch.frames.size:
            block |= {f"frames/{name}": batch.kept[name] for name in self._frame_arrays}
            block["frames/step"] = batch.frames
        outcome = self._outcome("running", "", time.monotonic() - self._started)
        self._target.append(block, first, -(-first // self._every), outcome)
        self._steps += count
        self._keep_latest(state, rows[-1])

    def _keep_latest(self, state: State, row: NDArray[np.float64]) -> None:
        """The latest step stands in row 0 of the buffer: it may become the last frame."""
        columns = self._columns
        self._buffer[0, : row.size] = row
        columns["x"][0], columns["v"][0] = state.x, state.v
        columns["multipliers"][0], columns["turns"][0] = state.multipliers, state.turns
        for name, key in self._memory.items():
            columns[name][0] = state.memory[key]

    def finish(self, status: str, message: str, wall_time: float, compile_time: float = 0.0) -> Result:
        """Write what is left and return the result; wall_time (without compiling) and compile_time [s]."""
        if self._steps < 0:
            raise InputError("recorder: there is nothing to finish; call start first")
        self._flush(last=True)
        store = self._target.finish(self._outcome(status, message, wall_time, compile_time))
        return Result(store, system=self._system.shared, tie_force=self._tie_force)

    def _outcome(self, status: str, message: str, wall_time: float, compile_time: float = 0.0) -> Outcome:
        times = float(wall_time), float(compile_time)
        return Outcome(status, message, *times, dict(self._in_python), self._system.solver_used)

    def _forget(self, state: State) -> None:
        """Leave out what only the start has in its memory: it is not carried from step to step."""
        for name in [name for name, key in self._memory.items() if key not in state.memory]:
            del self._memory[name]
            self._frame_arrays.remove(name)

    def _flush(self, *, last: bool = False) -> None:
        """Hand on what is in the buffer. Afterwards its row 0 holds the latest step, which may become the last frame."""
        now = time.monotonic()
        first = self._steps + 1 - max(self._rows, 1)  # step in row 0
        frames = np.flatnonzero((first + np.arange(self._rows)) % self._every == 0)
        if last and self._steps % self._every:
            frames = np.append(frames, self._steps - first)
        if self._rows or frames.size:
            arrays = {f"frames/{name}": self._columns[name][frames] for name in self._frame_arrays}
            block = {
                "frames/step": first + frames,
                **arrays,
                "steps": step_table(self._system.d, self._buffer[: self._rows]),
            }
            # Where a block belongs is told, so that one cut short by Ctrl-C can be handed on again.
            places = (self._steps + 1 - self._rows, -(-first // self._every))
            self._target.append(block, *places, self._outcome("running", "", now - self._started))
            self._buffer[0] = self._buffer[self._rows - 1]
            self._rows = 0
        self._flushed = now


def _make_buffer(d: int, frame: Mapping[str, Any], most: int) -> tuple[NDArray[np.float64], Block]:
    """A buffer with a row per step, and views of it by name: numbers as in the table of steps, then the arrays of a frame."""
    shapes = {"scalars": (len(_SCALARS),), "linear_momentum": (d,), "angular_momentum": (3,)}
    shapes |= {name: np.shape(values) for name, values in frame.items()}
    sizes = [math.prod(shape) for shape in shapes.values()]
    rows = min(most, max(1, BUFFER_BYTES // (8 * sum(sizes))))
    buffer = np.zeros((rows, sum(sizes)))
    ends = list(itertools.accumulate(sizes))
    views = {
        name: buffer[:, end - size : end].reshape(rows, *shape)
        for (name, shape), size, end in zip(shapes.items(), sizes, ends, strict=True)
    }
    return buffer, views
