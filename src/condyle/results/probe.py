"""A first look at a results file by another process: what is damaged must not hang, crash or fill the one that asked.

HDF5 waits, for hours, for metadata that do not add up in a file that a killed run has left: somebody might still be writing
it. Others of its files end the process that reads them. So a process of its own opens the file, follows every link and
reads all but the arrays. `python -P probe.py FILE MODE` says what is wrong on its standard output, with exit code 3.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SECONDS = 10.0  # for reading all but the arrays, which takes some milliseconds
MEMORY = 2**32  # bytes that the process may ask for
LOCKING = "best-effort"  # where the file system has no locks, do without
_WRITTEN = 0b101  # open for writing, in single-writer–multiple-reader mode
_BAD = 3


class Probe:
    """The process that looks at a file, started at once; `problem` waits for it."""

    def __init__(self, path: Path) -> None:
        self._process: Any = None
        if sys.executable:
            command = [sys.executable, "-P", str(Path(__file__).resolve()), str(path)]
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(command, bufsize=0, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing)

    def problem(self) -> str:
        """What is wrong with the file; empty if nothing is."""
        if self._process is None:
            return ""
        with self._process as process:
            try:
                process.stdout.readline()  # it has loaded its libraries; from now on the file alone decides
                out, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                return f"reading it does not come to an end ({SECONDS:g} s)"
            except BaseException:
                process.kill()
                raise
        if process.returncode == 0:
            return ""
        said = out.decode(errors="replace").strip()
        return said if process.returncode == _BAD and said else "reading it ends the process that does so"


def is_hdf5(path: Path) -> bool:
    """Does a file begin as HDF5 files do?"""
    with path.open("rb") as raw:
        return raw.read(8) == b"\x89HDF\r\n\x1a\n"


def open_for_reading(path: Path) -> Any:
    """The file, opened as its superblock asks for (version 3: byte 11 has the mark of a writer, 28 to 35 the end).

    A file that is cut off must not be opened as one that is being written: HDF5 would wait for the rest.
    """
    import h5py

    with path.open("rb") as raw:
        block = raw.read(48)
    if len(block) < 48:
        raise OSError("the end of the file is missing")
    mark = block[11] if block[8] == 3 else 0
    if mark == 0b001:
        raise OSError("its run ended before the first step was written")
    being_written = mark & _WRITTEN == _WRITTEN
    if being_written and path.stat().st_size < int.from_bytes(block[28:36], "little"):
        raise OSError("the end of the file is missing")
    return h5py.File(path, "r", swmr=being_written, locking=LOCKING)


def look(path: Path) -> None:
    """Read everything of a file but its arrays; an exception if something is wrong with it."""
    size = path.stat().st_size
    with open_for_reading(path) as file:
        _attributes(file)
        for name, data in _datasets(file, set()):
            _attributes(data)
            if data.external or data.is_virtual:
                raise OSError(f"its array '{name}' is kept in another file")
            if data.id.get_create_plist().get_nfilters():
                raise OSError(f"its array '{name}' is packed, which no run writes")
            if data.chunks is not None:
                data.id.get_num_chunks()
            held = data.id.get_storage_size()
            if data.dtype.itemsize * data.size > held or held > size:  # what is not stored is made up when it is read
                raise OSError(f"its array '{name}' claims {data.shape} entries, of which the file holds {held} bytes")


def _datasets(group: Any, seen: set[Any]) -> Iterator[tuple[str, Any]]:
    """All datasets below a group. Links lead nowhere but into the file, and to everything once."""
    import h5py

    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise OSError(f"its entry '{name}' points to another place")
        item = group[name]
        address = h5py.h5o.get_info(item.id).addr
        if address in seen:
            raise OSError(f"its entry '{name}' is there twice")
        seen.add(address)
        if isinstance(item, h5py.Group):
            yield from _datasets(item, seen)
        elif isinstance(item, h5py.Dataset):
            yield item.name.lstrip("/"), item


def _attributes(item: Any) -> None:
    for name in item.attrs:
        if item.attrs.get_id(name).get_storage_size() > 2**24:
            raise OSError(f"its attribute '{name}' is too large")
        item.attrs[name]


def main(path: Path) -> int:
    """Look at a file and say what is wrong."""
    import h5py  # noqa: F401  (before the time counts)

    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    print("reading", flush=True)
    try:
        look(path)
    except Exception as error:  # whatever it is, the file is not one that a run has written
        print(" ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split()))
        return _BAD
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.exit(main(Path(sys.argv[1])))
