"""Measured motions and forces: tables of columns over time, from CSV files, OpenSim's .mot and .sto, and motion capture."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError, unknown_name
from condyle.model.functions import Spline
from condyle.model.motion_files import read_c3d, read_trc
from condyle.model.readers import said_of

Array = NDArray[np.float64]
OWN = (".csv", ".mot", ".sto", ".txt", ".trc", ".c3d")
TIME = ("time", "t", "Time", "TIME", "time (s)", "Time (s)")


class MotionTable:
    """Columns of numbers over time; `table['knee']` is a column, `table.function('knee')` a smooth function of time.

    times [s], strictly increasing; columns: name -> values, shape (times,). degrees: which columns are angles in degrees,
    True for all; they are turned into radians when a function is asked for with angle=True.
    """

    def __init__(
        self, times: ArrayLike, columns: Mapping[str, ArrayLike], *, degrees: bool = False, source: str = "motion table"
    ) -> None:
        self.source, self.degrees = source, bool(degrees)
        try:
            self.times = np.asarray(times, dtype=float)
            self.columns = {str(name): np.asarray(values, dtype=float) for name, values in columns.items()}
        except (TypeError, ValueError, AttributeError):
            raise InputError(f"{source}: times and columns (a dict of names and values) must be numbers") from None
        t = self.times
        if t.ndim != 1 or t.size < 2:
            raise InputError(f"{source}: a motion needs at least two times, not {t.size}")
        for name, values in {"time": t, **self.columns}.items():
            if values.shape != t.shape:
                raise InputError(f"{source}: column '{name}' has {values.size} values for {t.size} times")
            bad = np.flatnonzero(~np.isfinite(values))
            if bad.size:
                raise InputError(
                    f"{source}: column '{name}' has no number at t = {t[bad[0]]:g} s (row {bad[0] + 1}); fill the gap, "
                    f"or leave these rows out"
                )
        bad = np.flatnonzero(np.diff(t) <= 0)
        if bad.size:
            raise InputError(f"{source}: times must increase, but {t[bad[0] + 1]:g} s comes after {t[bad[0]]:g} s")
        step = np.diff(t)
        wide = int(np.argmax(step))
        if step[wide] > 10.0 * np.median(step):
            raise InputError(
                f"{source}: there is a gap of {step[wide]:.4g} s after t = {t[wide]:g} s (others: {np.median(step):.4g} s); "
                "fill it, or cut the table there"
            )

    def __repr__(self) -> str:
        names = list(self.columns)
        shown = ", ".join(names[:4]) + (f", … ({len(names)} columns)" if len(names) > 4 else "")
        span = f"{self.times[0]:g} … {self.times[-1]:g} s in {self.times.size} rows"
        return f"MotionTable('{self.source}', {span}: {shown}{', degrees' if self.degrees else ''})"

    def __getitem__(self, name: str) -> Array:
        if name not in self.columns:
            raise unknown_name("column", name, self.columns, where=self.source)
        return self.columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def names(self) -> list[str]:
        """All columns."""
        return list(self.columns)

    def function(self, name: str, *, angle: bool = False, sign: float = 1.0, offset: float = 0.0) -> Spline:
        """A cubic spline through a column times `sign` plus `offset`; angle=True: in radians, if the file has degrees."""
        scale = np.pi / 180.0 if angle and self.degrees else 1.0
        return Spline(tuple(self.times), tuple(offset + sign * scale * self[name]))

    def between(self, start: float, end: float) -> MotionTable:
        """The rows from start to end [s], with times counted from start."""
        keep = (self.times >= start - 1e-12) & (self.times <= end + 1e-12)
        if keep.sum() < 2:
            raise InputError(
                f"{self.source}: it has fewer than two rows between {start:g} and {end:g} s; it goes from {self.times[0]:g} "
                f"to {self.times[-1]:g} s"
            )
        columns = {name: values[keep] for name, values in self.columns.items()}
        return MotionTable(self.times[keep] - start, columns, degrees=self.degrees, source=self.source)

    def markers(self, names: Sequence[str] | None = None, dimension: int = 3) -> dict[str, Array]:
        """Places of markers, name -> (times, dimension), from columns 'name_x', 'name_y'(, 'name_z') or 'name_tx', …."""
        found: dict[str, Array] = {}
        endings = {
            e: k
            for k, letter in enumerate("xyz"[:dimension])
            for e in (f"_{letter}", f"_t{letter}", f".{letter}", f" {letter}")
        }
        stems: dict[str, list[Array | None]] = {}
        for column, values in self.columns.items():
            for ending, k in endings.items():
                if column.lower().endswith(ending):
                    stems.setdefault(column[: -len(ending)], [None] * dimension)[k] = values
                    break
        for stem, parts in stems.items():
            if all(part is not None for part in parts):
                found[stem] = np.stack([p for p in parts if p is not None], axis=1)
        for name in names or ():
            if name in stems and name not in found:
                missing = [f"{name}_{'xyz'[k]}" for k, part in enumerate(stems[name]) if part is None]
                raise InputError(
                    f"{self.source}: marker '{name}' is not complete; there is no column {', '.join(missing)}"
                )
            if name not in found:
                raise unknown_name("marker", name, found, where=self.source)
        return found if names is None else {name: found[name] for name in names}


def read_motion(path: str | Path, *, degrees: bool | None = None) -> MotionTable:
    """A motion from a .csv file (names in the first line), an OpenSim .mot or .sto file, or markers of a .trc or .c3d file.

    Markers are in metres, in columns 'name_x', 'name_y', 'name_z' (`MotionTable.markers`), with force plates of a .c3d file
    beside them (extra 'c3d'). In other files one column is called time [s]. degrees: whether angles are in degrees; by default
    what the header of a .mot or .sto file says (inDegrees=yes), no for others.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no motion file '{file}'")
    if file.suffix.lower() not in OWN:
        raise InputError(f"'{file}' is no motion file: {said_of(file, 'give .csv, .mot, .sto, .trc or .c3d', own=OWN)}")
    if file.suffix.lower() in (".trc", ".c3d"):
        times, markers = (read_trc if file.suffix.lower() == ".trc" else read_c3d)(file)
        return MotionTable(times, markers, degrees=bool(degrees), source=file.name)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the motion file '{file}' cannot be read: {error}") from None
    lines = [line for line in text.splitlines() if line.strip()]
    in_degrees = False
    if file.suffix.lower() in (".mot", ".sto"):
        end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
        if end is None:
            raise InputError(f"{file.name}: its header does not end with 'endheader'; is it an OpenSim file?")
        header = [line.replace(" ", "").lower() for line in lines[:end]]
        in_degrees = "indegrees=yes" in header
        rows = [line.split() for line in lines[end + 1 :]]
    else:
        rows = [[c.strip() for c in row] for row in csv.reader([line for line in lines if not line.startswith("#")])]
    if len(rows) < 3:
        raise InputError(f"{file.name}: it has no table: a line of names and at least two lines of numbers")
    names = rows[0]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError(f"{file.name}: column '{twice}' stands there twice")
    time = next((names.index(name) for name in TIME if name in names), None)
    if time is None:
        raise InputError(f"{file.name}: no column is called 'time'; there are: {', '.join(names)}")
    numbers = np.array(
        [[_number(c, file.name, k) for c in _row(row, names, file.name, k)] for k, row in enumerate(rows[1:], 1)]
    )
    columns: dict[str, Any] = {name: numbers[:, k] for k, name in enumerate(names) if k != time}
    return MotionTable(numbers[:, time], columns, degrees=in_degrees if degrees is None else degrees, source=file.name)


def _row(row: list[str], names: list[str], file: str, k: int) -> list[str]:
    if len(row) != len(names):
        raise InputError(f"{file}: row {k} has {len(row)} entries for {len(names)} columns")
    return row


def _number(text: str, file: str, k: int) -> float:
    if not text:
        return np.nan
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{file}: '{text}' in row {k} is no number") from None
