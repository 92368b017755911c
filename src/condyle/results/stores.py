"""Where recorded arrays are kept: in memory, or in a file from which they are read when asked for.

Arrays by name: 'steps' (a table with one row per step, the start included), 'frames/step' (which step a frame is),
'frames/x', 'frames/v', 'frames/multipliers', 'frames/turns', and 'frames/memory/…' with what the integrator carries along.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.results import files, reading
from condyle.results.layout import Block, Header, Outcome

if TYPE_CHECKING:
    from condyle.model.model import Model

KEEP_BYTES = 256 * 2**20  # arrays of a file up to this size are read once and kept


class Store(Protocol):
    """What a Result reads from."""

    header: Header
    outcome: Outcome
    file: Path | None

    @property
    def steps(self) -> NDArray[Any]:
        """The table of steps, see `layout.step_type`; shape (steps + 1,)."""
        ...

    @property
    def frame_steps(self) -> NDArray[np.int64]:
        """Row of the table of steps that each frame belongs to, shape (frames,)."""
        ...

    def array(self, name: str) -> NDArray[np.float64]:
        """All frames of 'x', 'v', 'multipliers', 'turns' or 'memory/…'; shape (frames, …)."""
        ...

    def rows(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Some rows (sorted) of 'x' or 'v' in all frames; shape (frames, len(rows), d)."""
        ...

    def frame(self, name: str, k: int) -> NDArray[np.float64]:
        """One frame of an array."""
        ...

    def memory_names(self) -> list[str]:
        """Names of what the integrator carries from step to step."""
        ...


class MemoryStore:
    """Blocks collected in memory."""

    file: Path | None = None

    def __init__(self, header: Header) -> None:
        self.header = header
        self.outcome = Outcome("running", "", 0.0)
        self._blocks: dict[str, dict[int, NDArray[Any]]] = {}  # name -> place of its first entry -> block

    def open(self) -> None:
        """Nothing is needed to start."""

    def append(self, block: Block, step: int, frame: int, outcome: Outcome) -> None:
        """Add copies of a block that starts with this step and this frame."""
        for name, values in block.items():
            self._blocks.setdefault(name, {})[step if name == "steps" else frame] = _joined([values])
        self.outcome = outcome

    def finish(self, outcome: Outcome) -> Store:
        """The run has ended."""
        self.outcome = outcome
        return self

    def _whole(self, name: str) -> NDArray[Any]:
        pieces = self._blocks[name]
        if len(pieces) > 1:
            self._blocks[name] = pieces = {0: _joined(list(pieces.values()))}
        return pieces[0]

    @property
    def steps(self) -> NDArray[Any]:
        return self._whole("steps")

    @property
    def frame_steps(self) -> NDArray[np.int64]:
        return self._whole("frames/step")

    def array(self, name: str) -> NDArray[np.float64]:
        return self._whole(f"frames/{name}")

    def rows(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.array(name)[:, rows]

    def frame(self, name: str, k: int) -> NDArray[np.float64]:
        return self.array(name)[k]

    def memory_names(self) -> list[str]:
        return [name.removeprefix("frames/memory/") for name in self._blocks if name.startswith("frames/memory/")]


def _joined(pieces: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Copies of arrays, one after the other. NumPy copies tables field by field, which takes many times longer."""
    kind = pieces[0].dtype
    if kind.names is None:
        return np.concatenate(pieces)
    return np.concatenate([np.ascontiguousarray(piece).view(np.uint8) for piece in pieces]).view(kind)


class FileStore:
    """Arrays of a results file. The file is open only while something is read, so it never gets in a writer's way."""

    def __init__(self, path: Path, *, known: bool = False, allow_code: bool = False) -> None:
        """known: this process has written the file, so nobody has to look at it first; allow_code: see `Model.load`."""
        self.file: Path | None = path
        self.allow_code = allow_code
        self._path = path
        if not known:
            reading.check_sound(path)
        with reading.opened(path) as file:
            self.header = reading.read_header(file, path)
            self.outcome = reading.read_outcome(file, path)
            self._steps, self._frame_steps = reading.read_steps(file, path, self.header)
        self._kept: dict[str, NDArray[Any]] = {}
        self._looked_at: set[str] = set()  # arrays of which one frame was read by itself

    @property
    def steps(self) -> NDArray[Any]:
        return self._steps

    @property
    def frame_steps(self) -> NDArray[np.int64]:
        return self._frame_steps

    def array(self, name: str) -> NDArray[np.float64]:
        if name in self._kept:
            return self._kept[name]
        values = self._read(name, slice(None))
        if values.nbytes <= KEEP_BYTES:
            self._kept[name] = values
        return values

    def _fits(self, name: str) -> bool:
        """Whether all frames of an array may be kept."""
        with self._checked() as file:
            data = file.get(f"frames/{name}")
            return data is None or data.dtype.itemsize * data.size <= KEEP_BYTES

    def rows(self, name: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        n, d = self.header.shape
        if name in self._kept or 8 * n * d * len(self._frame_steps) <= KEEP_BYTES:
            return self.array(name)[:, rows]
        return self._read(name, slice(None), rows)

    def frame(self, name: str, k: int) -> NDArray[np.float64]:
        """One frame is read by itself; whoever asks for another will ask for more, so then the whole array is read."""
        if name not in self._kept and name in self._looked_at and self._fits(name):
            self.array(name)
        self._looked_at.add(name)
        return self._kept[name][k] if name in self._kept else self._read(name, k)

    def memory_names(self) -> list[str]:
        return self._memory

    @cached_property
    def _memory(self) -> list[str]:
        with self._checked() as file:
            return list(file.get("frames/memory", {}))

    def _read(self, name: str, frame: int | slice, rows: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        count = len(self._frame_steps)
        which: Any = slice(0, count) if isinstance(frame, slice) else int(frame) % count
        with self._checked() as file:
            if f"frames/{name}" not in file:  # arrays without entries are not written
                return np.zeros(0) if isinstance(which, int) else np.zeros((count, 0))
            data = file[f"frames/{name}"]
            values = np.asarray(data[which] if rows is None else data[which, rows])
        if not np.isfinite(values).all():  # no run writes that
            raise reading.damaged(self._path, f"its array 'frames/{name}' is not finite")
        return values

    def _checked(self) -> reading.Opened:
        """The file, if it still holds the run that was loaded."""
        return reading.opened(self._path, run=self.header.run)


def check_names(store: Store, multipliers: list[tuple[str, str, bool]], shape: tuple[int, int], where: str) -> None:
    """A model that is given for a stored run must have the rows and multipliers of that run."""
    if shape != store.header.shape:
        raise InputError(
            f"{where} has {shape[0]} rows in {shape[1]}D, but the run had {store.header.shape[0]} in "
            f"{store.header.shape[1]}D; give the model that was simulated"
        )
    stored = [tuple(m) for m in store.header.multipliers]
    if [tuple(m) for m in multipliers] != stored:
        raise InputError(f"the joints of {where} are not those of the run; give the model that was simulated")


def write_copy(
    store: Store, path: Path, frames: NDArray[np.int64], steps: NDArray[Any], model: Model | None, overwrite: bool
) -> Path:
    """Write some frames and steps of a store to a new results file."""
    header = store.header if store.header.model or model is None else store.header.with_model(model)
    if store.file is not None and path.exists() and path.samefile(store.file):
        raise InputError(f"'{path}' is the file this result is read from; save it under another name")
    first = store.frame_steps[frames[0]]
    block = {"frames/step": store.frame_steps[frames] - first}
    for name in ("x", "v", "multipliers", "turns", *(f"memory/{m}" for m in store.memory_names())):
        block[f"frames/{name}"] = store.array(name)[frames]
    writer = files.FileWriter(path, header, overwrite=overwrite)
    writer.open()
    writer.append({**block, "steps": steps}, 0, 0, store.outcome)
    writer.finish(store.outcome)
    return path
