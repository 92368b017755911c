"""Writing the results file: HDF5, so that a run killed at any moment leaves a file that can be read.

The file is written in HDF5's single-writer–multiple-reader mode: metadata reaches the disk only after what it points
to. All arrays are made at the start; blocks are appended, frames before the steps they belong to, and flushed. So
whatever the table of steps shows is complete. It also means that a file can be read while the run goes on.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import CondyleError, InputError
from condyle.results.layout import FORMAT, UNITS, VERSION, Block, Header, Outcome, digest
from condyle.results.probe import LOCKING, is_hdf5

if TYPE_CHECKING:
    from condyle.results.stores import FileStore

CHUNK_BYTES = 2**18
OUTCOME = np.dtype([
    ("status", "S32"), ("message", "S4000"), ("wall_time", "<f8"), ("compile_time", "<f8"), ("in_python", "S2000"),
    ("solver", "S200"),
])  # fmt: skip


class FileWriter:
    """Appends blocks of steps and frames to a new results file; one that exists is replaced with `overwrite` only."""

    def __init__(self, path: Path, header: Header, *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.header = header
        self.overwrite = overwrite
        self._until = 0  # it stays hidden as long as it has no more steps than these
        self._file: Any = None
        self._data: dict[str, Any] = {}
        self._hidden: Path | None = None

    def open(self) -> None:
        """Make the file with its header, so that a wrong path is noticed at once.

        It has another name until its first block is written: a file of the given name can always be read.
        """
        import h5py

        _check_place(self.path, self.overwrite)
        self._hidden = self.path.with_name(self.path.name + ".part")
        try:
            # Version 1.10 of the format is the first that can be appended to safely, and the one most programs read.
            self._file = h5py.File(self._hidden, "w", libver=("v110", "v110"), locking=LOCKING)
        except OSError as error:
            raise InputError(f"cannot write the results file '{self.path}': {_reason(error)}") from None
        write_header(self._file, self.header)

    def append(self, block: Block, step: int, frame: int, outcome: Outcome) -> None:
        """Write a block that starts with this step and this frame, and flush it."""
        try:
            if not self._data:
                self._create(block)
            for name, values in block.items():
                if name != "steps" and name in self._data:
                    _extend(self._data[name], frame, values)
            self._file.flush()
            _extend(self._data["steps"], step, block["steps"])
            self._outcome[0] = _packed(outcome)
            self._file.flush()
            if step + len(block["steps"]) > self._until:
                self._show()
        except OSError as error:
            raise CondyleError(
                f"the results file '{self.path}' cannot be written: {_reason(error)}; is the disk full? "
                "What was written before stays readable"
            ) from None

    def replace(self, block: Block, outcome: Outcome, steps: int) -> None:
        """Start with a first block; an older file of the same name, of so many steps, is there until there are more."""
        self._until = steps
        self.open()
        self.append(block, 0, 0, outcome)

    def finish(self, outcome: Outcome) -> FileStore:
        """Close the file; it is read again when something is asked for. One that has come to less than an older one goes."""
        from condyle.results.stores import FileStore

        self._outcome[0] = _packed(outcome)
        self._file.close()
        if outcome.status == "completed":
            self._show()
        self.discard()
        return FileStore(self.path, known=True)

    def discard(self) -> None:
        """Leave no file that has not been shown."""
        if self._file is not None:
            self._file.close()
        if self._hidden is not None:
            self._hidden.unlink(missing_ok=True)
            self._hidden = None

    def _show(self) -> None:
        """Give the file its name."""
        if self._hidden is not None:
            os.replace(self._hidden, self.path)
            self._hidden = None

    def _create(self, block: Block) -> None:
        """Make all arrays; from here on the file can only be appended to."""
        file = self._file
        self._outcome = file.create_dataset("outcome", shape=(1,), dtype=OUTCOME)
        self._outcome[0] = _packed(Outcome("running", "", 0.0))
        made = {}
        for name, values in block.items():
            item = values.dtype.itemsize * int(np.prod(values.shape[1:]))
            if item > 0:
                chunk = (int(np.clip(CHUNK_BYTES // item, 1, 1024)), *values.shape[1:])
                made[name] = file.create_dataset(
                    name, shape=(0, *values.shape[1:]), maxshape=(None, *values.shape[1:]), chunks=chunk,
                    dtype=values.dtype
                )  # fmt: skip
        made["steps"].attrs["units"] = json.dumps(UNITS)
        file.swmr_mode = True
        self._data = made


def _extend(data: Any, first: int, values: NDArray[Any]) -> None:
    data.resize(first + len(values), axis=0)
    data[first:] = values


def write_header(file: Any, header: Header) -> None:
    """Everything about the run but its arrays: short things as attributes, long ones as JSON text."""
    file.attrs["format"] = FORMAT
    file.attrs["format_version"] = VERSION
    long = {"model": header.model, "multipliers": json.dumps(header.multipliers)}
    for name, value in asdict(header).items():
        if name in long:
            file.create_dataset(name, data=long[name])
        else:
            file.attrs[name] = value if isinstance(value, str | int | float) else json.dumps(value)
    file.attrs["digest"] = digest(*long.values())


def _check_place(path: Path, overwrite: bool) -> None:
    """InputError unless a results file can be written there; only an older result is replaced, if that was asked for."""
    if not path.parent.is_dir():
        raise InputError(f"cannot write the results file '{path}': there is no folder '{path.parent}'; make it first")
    if path.is_dir():
        raise InputError(f"cannot write the results file '{path}': this is a folder; add a file name such as run.h5")
    if not path.exists() or path.stat().st_size == 0:
        return
    if not is_hdf5(path):
        raise InputError(f"'{path}' exists and is not a results file; it was left alone, choose another name")
    if not overwrite:
        raise InputError(
            f"'{path}' exists already and was left alone; choose another name, replace it with overwrite=True (--overwrite), "
            "or continue its run by condyle.resume"
        )


def _packed(outcome: Outcome) -> NDArray[Any]:
    status, message = outcome.status.encode()[:32], outcome.message.encode()[:4000]
    counts = json.dumps(outcome.in_python).encode()
    times = float(outcome.wall_time), float(outcome.compile_time)
    solver = outcome.solver.encode()[:200]
    return np.array((status, message, *times, counts if len(counts) <= 2000 else b"", solver), dtype=OUTCOME)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
