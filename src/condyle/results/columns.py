"""Everything of a run that is a curve over its frames, as named columns with units: tables for other programs."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import FrameAnchor
from condyle.errors import InputError
from condyle.joints.joint import Joint
from condyle.results.layout import PATH_UNITS
from condyle.results.shapes import path_lines

if TYPE_CHECKING:
    from condyle.results.result import Result

__all__ = ["columns", "to_csv", "to_parquet", "to_sto"]

Array = NDArray[np.float64]
CONTENTS = ("coordinates", "speeds", "forces", "activations", "bodies")


def coordinates_of(result: Result) -> dict[str, Array]:
    """All joint coordinates that can be read, 'joint.angle' -> values [rad or m]."""
    found = {}
    for joint in result.model:
        for name in joint.coordinate_names(result.dimension) if isinstance(joint, Joint) else ():
            try:
                found[f"{joint.name}.{name}"] = result.coordinate(f"{joint.name}.{name}")
            except InputError:  # a body on it has no directions, such as a cable on a pin
                continue
    return found


def columns(result: Result, *contents: str) -> dict[str, tuple[str, Array]]:
    """Name -> unit and values at the frames, shape (frames,).

    contents: 'coordinates', 'speeds' (their rates), 'forces' (tensions of muscles, ligaments and actuators, forces of joints on
    their second body), 'activations', 'bodies' (places and quaternions of rigid bodies, in 2D angles); all of them if none is
    given.
    """
    for name in contents:
        if name not in CONTENTS:
            raise InputError(f"there is no content '{name}' of a table; choose among {', '.join(CONTENTS)}")
    wanted = contents or CONTENTS
    found: dict[str, tuple[str, Array]] = {}
    joints = coordinates_of(result) if {"coordinates", "speeds"} & set(wanted) else {}
    for name, values in joints.items():
        unit = "rad" if result.system.coordinate(name).is_angle else "m"
        if "coordinates" in wanted:
            found[name] = (unit, values)
        if "speeds" in wanted:
            found[f"{name} rate"] = (f"{unit}/s", result.coordinate_rate(name))
    _add_paths(result, wanted, found)
    if "forces" in wanted:
        _add_joint_forces(result, found)
    if "bodies" in wanted:
        _add_bodies(result, found)
    return found


def to_csv(result: Result, path: str | Path, *contents: str) -> Path:
    """Write a table with one row for each frame: time and all `columns`, units in brackets behind their names."""
    file = Path(path)
    found = columns(result, *contents)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["time", *(f"{name} [{unit}]" if unit else name for name, (unit, _) in found.items())])
        for k, t in enumerate(result.times):
            writer.writerow([repr(float(t)), *(repr(float(values[k])) for _, values in found.values())])
    return file


def to_parquet(result: Result, path: str | Path, *contents: str) -> Path:
    """The same table as `to_csv`, as a Parquet file (with pandas and pyarrow: the extra `parquet`)."""
    file = Path(path)
    try:
        import pandas
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"'{file}': {error.name} is not installed; pip install 'condyle[parquet]', or write .csv"
        ) from None
    found = columns(result, *contents)
    data = {"time": result.times, **{f"{n} [{u}]" if u else n: values for n, (u, values) in found.items()}}
    pandas.DataFrame(data).to_parquet(file, index=False)
    return file


def to_sto(
    result: Result,
    path: str | Path,
    contents: str = "coordinates",
    *,
    names: Mapping[str, str] | None = None,
    degrees: bool = False,
    conversions: Mapping[str, tuple[float, float]] | None = None,
) -> Path:
    """Write a storage file of OpenSim (.sto or .mot): time and one column for each curve.

    contents: as of `columns`; one of them. names: name in the file -> name here, such as `imported.coordinates`; then only
    these are written. degrees: angles in degrees, as the header says then. conversions: name in the file -> (factor, offset):
    the coordinate here is factor · value in the file + offset (`Imported.to_sto` gives them). Blanks in names become '_'.
    """
    file = Path(path)
    if file.suffix.lower() not in (".sto", ".mot"):
        raise InputError(f"to_sto: '{file}' must end in .sto or .mot")
    found = columns(result, contents)
    chosen = {own: own for own in found} if names is None else dict(names)
    missing = [own for own in chosen.values() if own not in found]
    if missing:
        raise InputError(f"to_sto: there is no column '{missing[0]}'; there are: {', '.join(found)}")
    table = {}
    for name, own in chosen.items():
        unit, values = found[own]
        factor, offset = (conversions or {}).get(name, (1.0, 0.0))
        values = (values - (offset if contents == "coordinates" else 0.0)) / factor
        turned = degrees and unit.startswith("rad")
        table["_".join(name.split())] = np.degrees(values) if turned else values
    rows = np.column_stack([result.times, *table.values()])
    header = [result.name, "version=1", f"nRows={len(rows)}", f"nColumns={rows.shape[1]}"]
    header += [f"inDegrees={'yes' if degrees else 'no'}", "endheader", "\t".join(["time", *table])]
    lines = ["\t".join(repr(float(value)) for value in row) for row in rows]
    file.write_text("\n".join([*header, *lines]) + "\n", encoding="utf-8")
    return file


def _add_paths(result: Result, wanted: Any, found: dict[str, tuple[str, Array]]) -> None:
    if not {"forces", "activations"} & set(wanted):
        return
    for path, _ in path_lines(result.system):
        values = result.path(path.part)
        for content, name in (("forces", "tension"), ("activations", "activation")):
            if content in wanted and name in values:
                found[f"{path.part.name} {name}"] = (PATH_UNITS[name], np.asarray(values[name]))


def _add_joint_forces(result: Result, found: dict[str, tuple[str, Array]]) -> None:
    for part in result.model:
        if not isinstance(part, Joint) or len(result) < 2:
            continue
        try:
            force = result.at_frames(result.joint_force(part))
        except InputError:  # nothing holds it
            continue
        for axis, values in zip("xyz", force.T, strict=False):
            found[f"{part.name} force {axis}"] = ("N", values)


def _add_bodies(result: Result, found: dict[str, tuple[str, Array]]) -> None:
    for body in result.model.bodies:
        if body is result.model.ground or not isinstance(result.system.anchors[body.name], FrameAnchor):
            continue
        for axis, values in zip("xyz", result.position(body).T, strict=False):
            found[f"{body.name} {axis}"] = ("m", values)
        if result.dimension == 2:
            found[f"{body.name} angle"] = ("rad", result.angle(body))
        else:
            for axis, values in zip("wxyz", result.quaternion(body).T, strict=True):
                found[f"{body.name} q{axis}"] = ("", values)
