"""Files of motion capture: markers of .trc files, markers and force plates of .c3d files, as columns over time in metres."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError

__all__ = ["read_c3d", "read_trc"]

Array = NDArray[np.float64]
LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


def read_trc(file: Path) -> tuple[Array, dict[str, Array]]:
    """Times [s] and columns 'marker_x', 'marker_y', 'marker_z' [m] of a .trc file."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the motion file '{file}' cannot be read: {error}") from None
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise InputError(f"{file.name}: it does not begin with 'PathFileType'; is it a .trc file?")
    header = dict(zip(lines[1].split(), lines[2].split(), strict=False))
    factor = _metres(header.get("Units", "m"), file.name)
    names = [name for name in (word.strip() for word in lines[3].split("\t")[2:]) if name]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError(f"{file.name}: marker '{twice}' stands there twice")
    if header.get("NumMarkers", "").isdigit() and int(header["NumMarkers"]) != len(names):
        raise InputError(f"{file.name}: its header says {header['NumMarkers']} markers, but it names {len(names)}")
    rows = []
    for k, line in enumerate(lines[5:], 6):
        if not line.strip():
            continue
        words = [word.strip() for word in line.split("\t")]
        words = words if len(words) > 2 else line.split()
        values = [_number(word, file.name, k) for word in words[: 2 + 3 * len(names)]]
        values += [np.nan] * (2 + 3 * len(names) - len(values))  # markers that are not seen at the end of a line
        rows.append(values)
    if len(rows) < 2:
        raise InputError(f"{file.name}: it has no table of markers")
    table = np.array(rows)
    columns = {
        f"{name}_{letter}": factor * table[:, 2 + 3 * k + i]
        for k, name in enumerate(names)
        for i, letter in enumerate("xyz")
    }
    return table[:, 1], columns


def read_c3d(file: Path) -> tuple[Array, dict[str, Array]]:
    """Times [s] and columns of a .c3d file, in the axes of its laboratory.

    'marker_x', … [m]; of force plate k 'ground_force_k_vx', … [N], 'ground_force_k_px', … (centre of pressure [m]) and
    'ground_torque_k_x', … [N m], as OpenSim names them, at the frames of the markers.
    """
    try:
        import ezc3d
    except ImportError:
        raise InputError(f"reading '{file.name}' needs ezc3d: pip install 'condyle[c3d]'") from None
    try:
        data: Any = ezc3d.c3d(str(file), extract_forceplat_data=True)
    except Exception as error:  # its errors are of several kinds
        raise InputError(f"'{file}' cannot be read as a C3D file: {error}") from None
    point = data["parameters"]["POINT"]
    places = np.asarray(data["data"]["points"], dtype=float)[:3]
    frames = places.shape[2]
    rate = float(point["RATE"]["value"][0])
    factor = _metres(str((point.get("UNITS", {}).get("value") or ["m"])[0]) or "m", file.name)
    first = int(data["header"]["points"]["first_frame"])
    times = (first + np.arange(frames)) / rate
    columns: dict[str, Array] = {}
    for k, label in enumerate(point["LABELS"]["value"][: places.shape[1]]):
        for i, letter in enumerate("xyz"):
            columns[f"{str(label).strip()}_{letter}"] = factor * places[i, k]
    for k, plate in enumerate(data["data"].get("platform") or (), 1):
        force = np.asarray(plate["force"], dtype=float)
        every = max(force.shape[1] // max(frames, 1), 1)
        length = _metres(str(plate.get("unit_position", "mm")), file.name)
        moment = 1e-3 if "mm" in str(plate.get("unit_moment", "Nmm")) else 1.0
        taken = slice(0, every * frames, every)
        for i, letter in enumerate("xyz"):
            columns[f"ground_force_{k}_v{letter}"] = force[i, taken]
            centre = np.nan_to_num(np.asarray(plate["center_of_pressure"], dtype=float)[i, taken])
            columns[f"ground_force_{k}_p{letter}"] = length * centre
            columns[f"ground_torque_{k}_{letter}"] = moment * np.asarray(plate["Tz"], dtype=float)[i, taken]
    return times, columns


def _metres(unit: str, file: str) -> float:
    if unit.lower() not in LENGTHS:
        raise InputError(f"{file}: lengths in '{unit}' are not known; they may be in {', '.join(LENGTHS)}")
    return LENGTHS[unit.lower()]


def _number(word: str, file: str, line: int) -> float:
    if not word:
        return float("nan")
    try:
        return float(word)
    except ValueError:
        raise InputError(f"{file}: '{word}' in line {line} is no number") from None
