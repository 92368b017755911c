"""The results file: HDF5, written so that a run killed at any moment leaves a file that can be read.

The file is written in HDF5's single-writer–multiple-reader mode: metadata reaches the disk only after what it points
to. All arrays are made at the start; blocks are appended, frames before the steps they belong to, and flushed. So
whatever the table of steps shows is complete. It also means that a file can be read while the run goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import CondyleError, InputError
from condyle.results.layout import UNITS, Block, Header, Outcome

if TYPE_CHECKING:
    from condyle.results.stores import FileStore

FORMAT = "condyle result"
VERSION = 1
CHUNK_BYTES = 2**18
OUTCOME = np.dtype([("status", "S32"), ("message", "S4000"), ("wall_time", "<f8"), ("in_python", "S2000")])
UNFINISHED = "the run did not come to its end; the file holds what was written until then"

LOCKING = "best-effort"  # where the file system has no locks, do without
_WRITTEN = 0b101  # open for writing, in single-writer–multiple-reader mode

Opened = AbstractContextManager[Any]


class FileWriter:
    """Appends blocks of steps and frames to a new results file."""

    def __init__(self, path: Path, header: Header) -> None:
        self.path = Path(path)
        self.header = header
        self._file: Any = None
        self._data: dict[str, Any] = {}
        self._hidden: Path | None = None

    def open(self, *, keep_older: bool = False) -> None:
        """Make the file with its header, so that a wrong path is noticed at once.

        It has another name until its first block is written: a file of the given name can always be read.
        """
        import h5py

        if not keep_older:
            _make_room(self.path)
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
            if self._hidden is not None:
                os.replace(self._hidden, self.path)
                self._hidden = None
        except OSError as error:
            raise CondyleError(
                f"the results file '{self.path}' cannot be written: {_reason(error)}; is the disk full? "
                "What was written before stays readable"
            ) from None

    def replace(self, block: Block, outcome: Outcome) -> None:
        """Start with a first block; an older file of the same name is there until that is written."""
        self.open(keep_older=True)
        self.append(block, 0, 0, outcome)

    def finish(self, outcome: Outcome) -> FileStore:
        """Close the file; it is read again when something is asked for."""
        from condyle.results.stores import FileStore

        self._outcome[0] = _packed(outcome)
        self._file.close()
        return FileStore(self.path)

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
    for name, value in asdict(header).items():
        if name in ("model", "multipliers"):
            file.create_dataset(name, data=value if isinstance(value, str) else json.dumps(value))
        else:
            file.attrs[name] = value if isinstance(value, str | int | float) else json.dumps(value)


def read_header(file: Any, path: Path) -> Header:
    """The header of an open results file."""
    if file.attrs.get("format") != FORMAT:
        raise InputError(f"'{path}' is an HDF5 file, but not a Condyle result; give a file written by condyle.simulate")
    version = int(file.attrs["format_version"])
    if version > VERSION:
        raise InputError(
            f"'{path}' was written by Condyle {file.attrs['condyle_version']} in a newer format ({version}); "
            "update with: pip install --upgrade condyle"
        )
    fields: dict[str, Any] = {name: file.attrs[name] for name in Header.__dataclass_fields__ if name in file.attrs}
    for name in ("shape", "integrator", "options"):
        fields[name] = json.loads(fields[name])
    fields["shape"] = tuple(fields["shape"])
    fields["every"], fields["multiplier_time"] = int(fields["every"]), float(fields["multiplier_time"])
    fields["multipliers"] = [(p, c, bool(i)) for p, c, i in json.loads(file["multipliers"].asstr()[()])]
    return Header(**fields, model=file["model"].asstr()[()])


def read_outcome(file: Any) -> Outcome:
    """How the run ended; a run that was killed, or still goes on, is 'unfinished'."""
    row = file["outcome"][0]
    status, message, wall_time = (row[name] for name in ("status", "message", "wall_time"))
    counts = json.loads(row["in_python"] or "{}") if "in_python" in row.dtype.names else {}  # older files have none
    if status == b"running":
        return Outcome("unfinished", UNFINISHED, float(wall_time), counts)
    return Outcome(status.decode(), message.decode(errors="ignore"), float(wall_time), counts)


def read_steps(file: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The table of steps and the step of each frame, both as far as they are complete."""
    steps = file["steps"][:]
    if len(steps) == 0:
        raise InputError(f"'{file.filename}' holds no step: its run ended before the first one was written")
    frames = min(len(data) for data in _arrays(file["frames"]))
    frame_steps = np.asarray(file["frames/step"][:frames])
    return steps, frame_steps[frame_steps < len(steps)]


def _arrays(group: Any) -> Iterator[Any]:
    for item in group.values():
        if hasattr(item, "shape"):
            yield item
        else:
            yield from _arrays(item)


@contextmanager
def opened(path: Path, run: str = "") -> Iterator[Any]:
    """A results file opened for reading, also one whose writer was killed or still runs. run: the run it must hold."""
    import h5py

    path = Path(path)
    if not path.exists():
        raise InputError(f"there is no file '{path}'; give the path of a results file (.h5)")
    if path.is_dir():
        inside = sorted(p.name for p in path.glob("*.h5"))
        hint = f"it contains {', '.join(inside[:8])}" if inside else "it contains no .h5 file"
        raise InputError(f"'{path}' is a folder; give one results file ({hint})")
    if not h5py.is_hdf5(path):
        raise InputError(f"'{path}' is not a Condyle result (no HDF5 file); give a file written by condyle.simulate")
    try:
        file = _open(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be read, it is damaged or incomplete: {_reason(error)}") from None
    with file:
        if run and file.attrs.get("run") != run:
            raise InputError(f"'{path}' has been overwritten by another run since it was loaded; load it again")
        yield file


def _open(path: Path) -> Any:
    """The file, opened as its superblock asks for (version 3: byte 11 has the mark of a writer, 28 to 35 the end).

    A file that is cut off must not be opened as one that is being written: HDF5 would wait for the rest.
    """
    import h5py

    with path.open("rb") as raw:
        block = raw.read(48)
    mark = block[11] if block[8] == 3 else 0
    if mark == 0b001:
        raise OSError("its run ended before the first step was written")
    being_written = mark & _WRITTEN == _WRITTEN
    if being_written and path.stat().st_size < int.from_bytes(block[28:36], "little"):
        raise OSError("the end of the file is missing")
    return h5py.File(path, "r", swmr=being_written, locking=LOCKING)


def _make_room(path: Path) -> None:
    """Remove an older result of the same name, but nothing else."""
    import h5py

    if not path.parent.is_dir():
        raise InputError(f"cannot write the results file '{path}': there is no folder '{path.parent}'; make it first")
    if path.is_dir():
        raise InputError(f"cannot write the results file '{path}': this is a folder; add a file name such as run.h5")
    if path.exists() and path.stat().st_size > 0 and not h5py.is_hdf5(path):
        raise InputError(f"'{path}' exists and is not a results file; it was left alone, choose another name")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"the older results file '{path}' cannot be replaced: {_reason(error)}") from None


def _packed(outcome: Outcome) -> NDArray[Any]:
    status, message = outcome.status.encode()[:32], outcome.message.encode()[:4000]
    counts = json.dumps(outcome.in_python).encode()
    return np.array((status, message, float(outcome.wall_time), counts if len(counts) <= 2000 else b""), dtype=OUTCOME)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
