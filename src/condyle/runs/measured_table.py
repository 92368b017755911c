"""Tables of measured curves as people and instruments write them: CSV with commas, semicolons or tabs, and units."""

from __future__ import annotations

import csv
import difflib
import math
import re
from pathlib import Path
from typing import NamedTuple

from condyle.errors import InputError
from condyle.units import base, factor

__all__ = ["Samples", "in_unit", "read_samples"]

TIMES = ("t", "time", "times", "zeit")  # headings of a column of times, where none is named
NO_UNIT = ("", "-", "–", "1")
# As they are written in laboratories, and as Pint knows them; "g" is an acceleration where one is wanted.
ALIASES = {"Nm": "N m", "Nmm": "N mm", "kNm": "kN m", "Nm/rad": "N m/rad", "Nm/deg": "N m/deg"}
_HEADING = re.compile(r"(.*?)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))\s*\Z", re.DOTALL)
_POWER = re.compile(r"([A-Za-zµμ])([2-4])(?![\d.])")
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?|[+-]?\d+,(?:[eE][+-]?\d+)?")


class Samples(NamedTuple):
    """Two columns of a table, and the units that stand in it; empty where there are none."""

    times: list[float]
    values: list[float]
    time_unit: str
    unit: str


class _Row(NamedTuple):
    line: int  # of the file, from 1
    cells: list[str]


class _Column(NamedTuple):
    place: int
    heading: str
    unit: str


def read_samples(file: str | Path, time: str | None, wanted: str) -> Samples:
    """The columns `time` (by default t or time) and `wanted` of a table, in the units of the file.

    InputError names the file, the line and the fix. Lines without a value, or with NaN, are left out.
    """
    headings, rows = _split(Path(file))
    first = _column(file, headings, time)
    second = _column(file, headings, wanted)
    if rows and (units := _units_below(rows[0], len(headings))):
        rows = rows[1:]
        first = first._replace(unit=first.unit or units[first.place])
        second = second._replace(unit=second.unit or units[second.place])
    times: list[float] = []
    values: list[float] = []
    for row in rows:
        if any(row.cells[len(headings) :]):
            raise InputError(
                f"'{file}', line {row.line}: {len(row.cells)} cells below {len(headings)} headings; where numbers have "
                "decimal commas, separate the columns by semicolons or tabs"
            )
        if second.place >= len(row.cells) or row.cells[second.place].lower() in ("", "nan"):
            continue
        value, when = _number(file, row, second), _number(file, row, first)
        if times and not when > times[-1]:
            raise InputError(
                f"'{file}', line {row.line}: its times do not ascend, {when:g} comes after {times[-1]:g}; sort the lines by "
                f"{first.heading!r}, and keep one of those with the same time"
            )
        times.append(when)
        values.append(value)
    if not times:
        raise InputError(f"'{file}' has no samples of {wanted!r}")
    return Samples(times, values, first.unit, second.unit)


def in_unit(written: str, unit: str, where: str) -> float:
    """How many of `unit` one of the written unit is; of SI units, where `unit` is empty."""
    name = _as_pint_writes(written)
    if name in NO_UNIT:
        return factor("1", unit, where)
    if not unit:
        return base(name, where)[0]
    if name in ("g", "G") and base(unit, where)[1] == base("m/s^2", where)[1]:
        name = "g_0"
    return factor(name, unit, where)


def _split(file: Path) -> tuple[list[str], list[_Row]]:
    """Headings, and the rows below; comments and empty lines are left out."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        comments = [line.lstrip("# \t") for line in lines if line.lstrip().startswith("#")]
        kept = [(k, line) for k, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]
        mark = next((mark for mark in "\t;" if kept and mark in kept[0][1]), ",")
        reader = csv.reader([line for _, line in kept], delimiter=mark)
        rows = [_Row(kept[reader.line_num - 1][0], [cell.strip() for cell in cells]) for cells in reader]
        top = rows[0]
    except (ValueError, IndexError, csv.Error):  # no text in UTF-8, not even a line of headings, or no table
        raise InputError(f"'{file}' is no table: write CSV in UTF-8, a line of headings and numbers below") from None
    if not all(_value(cell) is not None for cell in top.cells):
        return top.cells, rows[1:]
    # As numpy.savetxt writes them: in the last comment.
    above = [cell.strip() for cell in next(csv.reader(comments[-1:], delimiter=mark), [])]
    if len(above) == len(top.cells):
        return above, rows
    raise InputError(
        f"'{file}' has no headings: line {top.line} has numbers already; write the names of its columns above, as in "
        f"'time [s]{mark}angle [deg]'"
    )


def _column(file: str | Path, headings: list[str], wanted: str | None) -> _Column:
    """The column of a heading, with its unit or without; None for that of the times."""
    split = [_heading(heading) for heading in headings]
    names = TIMES if wanted is None else (wanted,)
    for same in (str, str.lower):
        for whole in (True, False):
            found = [
                k
                for k, (heading, (name, _)) in enumerate(zip(headings, split, strict=True))
                if same(heading if whole else name) in [same(one) for one in names]
            ]
            if len(found) > 1:
                both = " and ".join(repr(headings[k]) for k in found[:2])
                raise InputError(
                    f"'{file}' has several columns for {wanted or 'time'!r}: {both}; name one of them whole"
                )
            if found:
                place, unit = found[0], split[found[0]][1]
                if unit and not whole and not _is_unit(unit):
                    raise InputError(
                        f"'{file}', column {headings[place]!r}: there is no unit {unit!r}; write it as in mm, MPa or deg"
                    )
                return _Column(place, headings[place], unit if _is_unit(unit) else "")
    known = [name for name, _ in split]
    near = difflib.get_close_matches((wanted or "time").lower(), [name.lower() for name in known], n=1)
    hint = f"; did you mean {known[[name.lower() for name in known].index(near[0])]!r}?" if near else ";"
    what = f"no column {wanted!r}" if wanted else "no column of times, 't' or 'time'"
    raise InputError(
        f"'{file}' has {what}{hint} it has {', '.join(headings)}, as commas, semicolons or tabs separate them; name it with "
        f"{'column' if wanted else 'time'}"
    )


def _heading(text: str) -> tuple[str, str]:
    """``angle [deg]`` or ``angle (deg)`` as its name and unit."""
    match = _HEADING.match(text)
    if match is None or not match[1]:
        return text, ""
    unit = (match[2] if match[2] is not None else match[3]).strip()
    return match[1].strip(), "" if unit in ("-", "–") else unit


def _is_unit(text: str) -> bool:
    try:
        return text in NO_UNIT or bool(base(_as_pint_writes(text), ""))
    except InputError:
        return False


def _as_pint_writes(unit: str) -> str:
    """``Nm`` as N m, ``m/s2`` as m/s^2."""
    return _POWER.sub(r"\1^\2", ALIASES.get(unit, unit))


def _units_below(row: _Row, columns: int) -> list[str]:
    """The units of a line that holds nothing else; empty if it is none."""
    cells = [cell.strip("[]() ") for cell in row.cells]
    if any(_value(cell) is not None for cell in row.cells) or not any(cells) or not all(map(_is_unit, cells)):
        return []
    units = ["" if cell in NO_UNIT else cell for cell in cells]
    return units + [""] * (columns - len(units))


def _number(file: str | Path, row: _Row, column: _Column) -> float:
    text = row.cells[column.place] if column.place < len(row.cells) else ""
    value = _value(text)
    if value is None or not math.isfinite(value):
        raise InputError(
            f"'{file}', line {row.line}: {text!r} in the column {column.heading!r} is no number; write one, or remove it"
        )
    return value


def _value(text: str) -> float | None:
    """A number, with a decimal point or a decimal comma."""
    try:
        return float(text.replace(",", ".") if _COMMA.fullmatch(text) else text)
    except ValueError:
        return None
