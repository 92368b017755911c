"""Reading a results file, which may come from a stranger, be cut off or damaged: it is sound, or an InputError says why not.

Whatever stands in it is data: names are compared with those that are known, nothing is called, imported or opened by a name
from the file. Its layout is on the page docs/files.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.readers import said_of
from condyle.results.layout import FORMAT, VERSION, Header, Outcome, digest, step_type
from condyle.results.probe import Probe, is_hdf5, open_for_reading

Opened = AbstractContextManager[Any]
UNFINISHED = "the run did not come to its end; the file holds what was written until then"
STATUSES = ("completed", "stopped", "failed", "interrupted", "unfinished")
DAMAGE = (OSError, KeyError, ValueError, TypeError, AttributeError, OverflowError, RuntimeError, MemoryError)


def damaged(path: Path | str, what: object) -> InputError:
    """The one message about a file that is not sound."""
    return InputError(f"'{path}' cannot be read, it is damaged or incomplete: {what}")


def check_sound(path: Path) -> None:
    """Have another process look at a file first, see `condyle.results.probe`; meanwhile this one loads its libraries."""
    check_kind(path)
    probe = Probe(path)
    import h5py  # noqa: F401

    problem = probe.problem()
    if problem:
        raise damaged(path, problem)


def check_kind(path: Path) -> None:
    """There is a file of this name, and it is HDF5."""
    if not path.exists():
        raise InputError(f"there is no file '{path}'; give the path of a results file (.h5)")
    if path.is_dir():
        inside = sorted(p.name for p in path.glob("*.h5"))
        hint = f"it contains {', '.join(inside[:8])}" if inside else "it contains no .h5 file"
        raise InputError(f"'{path}' is a folder; give one results file ({hint})")
    if not is_hdf5(path):
        hint = said_of(path, "give a file written by condyle.simulate", own=(".h5", ".hdf5"))
        raise InputError(f"'{path}' is not a Condyle result (no HDF5 file); {hint}")


@contextmanager
def opened(path: Path, run: str = "") -> Iterator[Any]:
    """A results file opened for reading, also one whose writer was killed or still runs. run: the run it must hold."""
    path = Path(path)
    check_kind(path)
    try:
        with open_for_reading(path) as file:
            if run and file.attrs.get("run") != run:
                raise InputError(f"'{path}' has been overwritten by another run since it was loaded; load it again")
            yield file
    except InputError:
        raise
    except DAMAGE as error:
        raise damaged(path, getattr(error, "strerror", None) or error) from None


def read_header(file: Any, path: Path) -> Header:
    """The header of an open results file."""
    if file.attrs.get("format") != FORMAT:
        raise InputError(f"'{path}' is an HDF5 file, but not a Condyle result; give a file written by condyle.simulate")
    read = _Reader(file, path)
    version = read.whole("format_version", 0)
    if version > VERSION:
        raise InputError(
            f"'{path}' was written by Condyle {read.text('condyle_version')} in a newer format ({version}); "
            "update with: pip install --upgrade condyle"
        )
    model, multipliers = read.long_text("model"), read.long_text("multipliers")
    if file.attrs.get("digest", "") not in ("", digest(model, multipliers)):
        raise damaged(path, "its model is not the one that was written")
    return Header(
        run=read.text("run"),
        shape=read.shape(),
        multipliers=read.multipliers(multipliers),
        formulation=read.one_of("formulation", ("tangent", "rows")),
        multiplier_time=read.number("multiplier_time", 0.0, 1.0),
        every=read.whole("every", 1),
        integrator=read.table("integrator"),
        options=read.table("options"),
        model_name=read.text("model_name"),
        model=model,
        model_note=read.text("model_note"),
        condyle_version=read.text("condyle_version"),
    )


class _Reader:
    """Attributes of a file by name, each of the kind that it must be."""

    def __init__(self, file: Any, path: Path) -> None:
        self.file, self.path = file, path

    def wrong(self, name: str, wanted: str, found: object) -> InputError:
        return damaged(self.path, f"its '{name}' must be {wanted}, not {_short(found)}")

    def _attribute(self, name: str) -> Any:
        if name not in self.file.attrs:
            raise damaged(self.path, f"it has no '{name}'")
        return self.file.attrs[name]

    def text(self, name: str) -> str:
        value = self._attribute(name)
        if not isinstance(value, str):
            raise self.wrong(name, "a text", value)
        return value

    def one_of(self, name: str, choices: tuple[str, ...]) -> str:
        value = self.text(name)
        if value not in choices:
            raise self.wrong(name, " or ".join(choices), value)
        return value

    def number(self, name: str, low: float, high: float) -> float:
        value = self._attribute(name)
        if not isinstance(value, int | float | np.number) or not low <= value <= high:
            raise self.wrong(name, f"a number from {low:g} to {high:g}", value)
        return float(value)

    def whole(self, name: str, low: int) -> int:
        value = self._attribute(name)
        if not isinstance(value, int | np.integer) or not low <= value < 2**53:
            raise self.wrong(name, f"a whole number, at least {low}", value)
        return int(value)

    def json(self, name: str, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise damaged(self.path, f"its '{name}' is no JSON ({error})") from None

    def table(self, name: str) -> dict[str, Any]:
        found = self.json(name, self.text(name))
        if not isinstance(found, dict):
            raise self.wrong(name, "a JSON object", found)
        return found

    def shape(self) -> tuple[int, int]:
        found = self.json("shape", self.text("shape"))
        if not (isinstance(found, list) and len(found) == 2 and all(type(k) is int for k in found)):
            raise self.wrong("shape", "two whole numbers", found)
        n, d = found
        if n < 1 or d not in (2, 3):
            raise self.wrong("shape", "(rows, 2 or 3)", found)
        return n, d

    def long_text(self, name: str) -> str:
        data = self.file.get(name)
        if getattr(data, "shape", None) != () or data.dtype.kind != "O":
            raise damaged(self.path, f"it has no text '{name}'")
        try:
            return str(data.asstr()[()])
        except (TypeError, UnicodeDecodeError):
            raise damaged(self.path, f"its '{name}' is no text") from None

    def multipliers(self, text: str) -> list[tuple[str, str, bool]]:
        found = self.json("multipliers", text)
        if not isinstance(found, list) or not all(_is_multiplier(entry) for entry in found):
            raise self.wrong("multipliers", "a list of [part, component, internal]", found)
        return [(part, component, bool(internal)) for part, component, internal in found]


def _is_multiplier(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) != 3:
        return False
    part, component, internal = entry
    return isinstance(part, str) and isinstance(component, str) and isinstance(internal, bool | int)


def read_outcome(file: Any, path: Path) -> Outcome:
    """How the run ended; a run that was killed, or still goes on, is 'unfinished'."""
    data = file.get("outcome")
    # Older files do not have the last ones.
    names = ("status", "message", "wall_time", "compile_time", "in_python", "solver")
    if getattr(data, "shape", None) != (1,) or data.dtype.names not in (names, names[:5], names[:3]):
        raise damaged(path, "it does not say how its run ended ('outcome')")
    given = data[0].tolist()
    row = [*given, *(0.0, b"{}", b"")[len(given) - 3 :]]
    status, message, times, counts, solver = row[0], row[1], row[2:4], _counts(row[4], path), row[5]
    texts = all(isinstance(text, bytes) for text in (status, message, solver))
    if not texts or not all(map(math.isfinite, times)):
        raise damaged(path, "it does not say how its run ended ('outcome')")
    rest = float(times[0]), float(times[1]), counts, solver.decode(errors="ignore")
    if status == b"running":
        return Outcome("unfinished", UNFINISHED, *rest)
    if status.decode(errors="replace") not in STATUSES:
        raise damaged(path, f"the status of its run is {status!r}")
    return Outcome(status.decode(), message.decode(errors="ignore"), *rest)


def _counts(text: object, path: Path) -> dict[str, int]:
    """Numbers of steps by a reason, written as JSON."""
    try:
        counts = json.loads(text or b"{}") if isinstance(text, bytes) else None
    except (ValueError, RecursionError):
        counts = None
    if not isinstance(counts, dict) or not all(type(value) is int for value in counts.values()):
        raise damaged(path, "it does not say which of its steps were compiled ('outcome')")
    return counts


def read_steps(file: Any, path: Path, header: Header) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The table of steps and the step of each frame, both as far as they are complete."""
    table, wanted = file.get("steps"), step_type(header.shape[1])
    if getattr(table, "ndim", None) != 1 or table.dtype != wanted:
        raise damaged(path, "its table 'steps' does not have the columns of a run")
    steps = table[:]
    if len(steps) == 0:
        raise InputError(f"'{path}' holds no step: its run ended before the first one was written")
    for name in wanted.names or ():
        if not np.isfinite(steps[name]).all():
            raise damaged(path, f"'{name}' in its table of steps is not finite")
    if (steps["step"] < 0).any() or (steps["iterations"] < 0).any() or (steps["cuts"] < 0).any():
        raise damaged(path, "its table of steps has negative counts or lengths")
    return steps, _read_frame_steps(file, path, header, len(steps))


def _read_frame_steps(file: Any, path: Path, header: Header, steps: int) -> NDArray[np.int64]:
    """Which step each frame is, for frames that all arrays have; all arrays have the shapes that the header says."""
    frames, n, d = file.get("frames"), *header.shape
    shapes = {"step": (), "x": (n, d), "v": (n, d), "multipliers": (len(header.multipliers),)}
    found = dict(_arrays(frames)) if hasattr(frames, "values") else {}
    for name in ("step", "x", "v"):
        if name not in found:
            raise damaged(path, f"it has no array 'frames/{name}'")
    for name, data in found.items():
        kind = "i" if name == "step" else "f"
        if data.ndim < 1 or data.dtype.kind != kind or data.dtype.itemsize != 8:
            raise damaged(path, f"its array 'frames/{name}' does not hold the numbers of a run")
        if name in shapes and data.shape[1:] != shapes[name]:
            raise damaged(path, f"its array 'frames/{name}' has entries of shape {data.shape[1:]}, not {shapes[name]}")
    count = min(len(data) for data in found.values())
    which = np.asarray(found["step"][:count])
    which = which[which < steps]
    if len(which) == 0 or which[0] != 0 or (np.diff(which) <= 0).any():
        raise damaged(path, "its frames do not follow each other from the start of the run ('frames/step')")
    return which


def _arrays(group: Any, within: str = "") -> Iterator[tuple[str, Any]]:
    for name, item in group.items():
        if hasattr(item, "shape"):
            yield within + name, item
        else:
            yield from _arrays(item, f"{within}{name}/")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
