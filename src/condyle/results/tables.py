"""Results as tables: pandas, xarray, and a few lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.results.layout import ENERGIES, PATH_UNITS, UNITS, WITHOUT_WORK

if TYPE_CHECKING:
    import pandas
    import xarray

    from condyle.model.given import PartLike, PointLike
    from condyle.results.result import Result

_ALWAYS = (*ENERGIES, "constraint_error")
ROUND_OFF = 1e-13  # of the largest energy: less is printed as none


def to_pandas(result: Result, points: PointLike | Sequence[PointLike] = (), *, coordinates: Sequence[str] | str = (),
              paths: PartLike | Sequence[PartLike] = ()) -> pandas.DataFrame:  # fmt: skip
    """A table with the time [s] as index: energies, momenta, constraint error, iterations, cuts; units in `attrs`.

    One row for each step. With points (one or several), their positions [m] are added and the rows are the frames; so with
    coordinates ('joint.angle', and 'joint.angle rate') and paths ('biceps tension' and all else that `result.path` gives).
    """
    pandas = _import("pandas")
    d = result.dimension
    columns: dict[str, Any] = {name: result._column(name) for name in (*_ALWAYS, "iterations", "cuts", "step")}
    for name, axes in (("linear_momentum", "xyz"[:d]), ("angular_momentum", "xyz" if d == 3 else "z")):
        for axis in axes:
            columns[f"{name} {axis}"] = result._column(name)[:, "xyz".index(axis)]
    units = {name: UNITS[name.split(" ")[0]] for name in columns}
    index = result.step_times
    wanted, joints, muscles = listed(points), listed(coordinates), listed(paths)
    if wanted or joints or muscles:
        rows = np.searchsorted(index, result.times)
        columns = {name: values[rows] for name, values in columns.items()}
        index = result.times
        for point in wanted:
            for axis, values in zip("xyz", result.position(point).T, strict=False):
                columns[f"{point_name(point)} {axis}"] = values
                units[f"{point_name(point)} {axis}"] = "m"
        for name in joints:
            columns[name], columns[f"{name} rate"] = result.coordinate(name), result.coordinate_rate(name)
            unit = "rad" if result.system.coordinate(name).is_angle else "m"
            units |= {name: unit, f"{name} rate": f"{unit}/s"}
        for part in muscles:
            for name, values in result.path(part).items():
                columns[f"{point_name(part)} {name}"] = values
                units[f"{point_name(part)} {name}"] = PATH_UNITS[name]
    table = pandas.DataFrame(columns, index=pandas.Index(index, name="time"))
    table.attrs["units"] = units
    return table


def to_xarray(result: Result, points: PointLike | Sequence[PointLike] = ()) -> xarray.Dataset:
    """A Dataset: rows x and their rates v by frame (`time`), energies and momenta by step (`step_time`).

    With points (one or several), their positions [m] are added as `position` by `point`, `time` and `axis`.
    """
    xarray = _import("xarray")
    d = result.dimension
    store, frames = result._store, result._frames
    data: dict[str, Any] = {}
    for name, unit in (("x", "m"), ("v", "m/s")):
        data[name] = (("time", "row", "axis"), store.array(name)[frames], {"units": unit})
    for name in (*_ALWAYS, "iterations", "cuts", "step"):
        data[name] = ("step_time", result._column(name), {"units": UNITS[name]})
    data["linear_momentum"] = (("step_time", "axis"), result.linear_momentum, {"units": UNITS["linear_momentum"]})
    data["angular_momentum"] = (("step_time", "space"), result.angular_momentum, {"units": UNITS["angular_momentum"]})
    if store.header.multipliers:
        values = store.array("multipliers")[result._loaded]
        data["multipliers"] = (("multiplier_time", "multiplier"), values)
    coordinates: dict[str, Any] = {
        "time": ("time", result.times, {"units": "s"}),
        "step_time": ("step_time", result.step_times, {"units": "s"}),
        "axis": list("xyz"[:d]),
        "space": list("xyz"),
    }
    if store.header.multipliers:
        coordinates["multiplier_time"] = ("multiplier_time", result.multiplier_times, {"units": "s"})
        coordinates["multiplier"] = [f"{part} {component}" for part, component, _ in store.header.multipliers]
    wanted = listed(points)
    if wanted:
        places = np.stack([result.position(point) for point in wanted])
        data["position"] = (("point", "time", "axis"), places, {"units": "m"})
        coordinates["point"] = [point_name(point) for point in wanted]
    attributes = {"model": result.name, "status": result.status, "condyle_version": store.header.condyle_version}
    return xarray.Dataset(data, coordinates, attributes)


def summary(result: Result) -> str:
    """A few lines about the run."""
    energy, clock = result.energy, result.clock
    unit = " s" if clock == "time" else ""
    largest = max(float(np.abs(values).max()) for values in energy.values())
    # Round-off of the largest is no energy.
    first, last = (value if abs(value) > ROUND_OFF * largest else 0.0 for value in energy["total"][[0, -1]])
    lines = [
        f"{result.name}: {result.status}" + (f" ({result.message})" if result.message else ""),
        f"  {clock:<16} {result.times[0]:g} to {result.times[-1]:g}{unit}, {result.steps} steps, {len(result)} frames",
        f"  wall time        {result.wall_time:.3g} s" + _compiled(result.compile_time),
        f"  energy           {first:.6g} J at the start, {last:.6g} J at the end",
        f"  constraint error {result.constraint_error.max():.2e} at most",
    ]
    if balance := energy_balance(result):
        lines.insert(-1, f"  energy balance   {balance}")
    if result.steps:
        counts = result.iterations
        lines.insert(
            3, f"  iterations       {counts.mean():.2f} on average, {counts.max()} at most; {result.cuts.sum()} cuts"
        )
    lines += contact_lines(result) + unsolved_lines(result)
    lines += [f"  linear solver    {result.linear_solver}"] if result.linear_solver else []
    lines += [f"  in Python        {text}" for text in python_steps(result)]
    if result.file is not None:
        lines.append(f"  file             {result.file}")
    return "\n".join(lines)


def energy_balance(result: Result) -> str:
    """What has become of the energy, apart from work that was done; empty where that is not known."""
    if result.clock != "time" or result.integrator.get("name") in WITHOUT_WORK:
        return ""
    energy = result.energy
    largest = max(float(np.abs(values).max()) for values in energy.values())
    balance = energy["total"] - energy["work"]
    change = (balance - balance[0]) / (largest or 1.0)
    standing = result.options.get("energy_balance")
    kept = f"kept to {float(np.abs(change).max()):.2e} of the largest energy"
    if _touches(result) and -change.min() > change.max():  # contacts take energy out, as they should
        kept = f"{-change.min():.2e} of the largest energy taken out, by contacts too, {change.max():.2e} gained"
    return kept + (f" ({standing})" if standing else "")


def _compiled(seconds: float) -> str:
    return f", and {seconds:.3g} s to compile kernels, which are kept" if seconds >= 0.1 else ""


def _touches(result: Result) -> bool:
    """Does the model have contacts?"""
    return "contact depth" in result._store.memory_names() and len(result) > 0


def contact_lines(result: Result) -> list[str]:
    """Of each contact the depth reached, and the stiffness of a penalty, given or chosen, or the law's name."""
    if not _touches(result):
        return []
    depths = np.asarray(result._store.array("memory/contact depth"))[result._frames][-1]
    problem = result._running().contact
    names = [pair.name for pair in problem.pairs] if problem is not None else []
    lines = []
    for name, depth in zip(names, depths, strict=True):
        part = result.model[name]
        line = f"  contact          '{name}': {depth:.2e} m deep at most"
        if type(part).__name__ not in ("Contact", "Collisions"):  # a joint surface: its law comes from its curvature
            lines.append(line)
            continue
        law = part.normal_law
        if not (law.by_multipliers or law.linear or law.layer or law.own_stiffness):
            line += f", law {type(law).__name__}"  # no single number is its stiffness
        elif not law.by_multipliers:
            k = result.contact(part.name).stiffness
            given = "of its layer" if law.layer else "given" if law.own_stiffness else "chosen"
            line += f", stiffness {float(np.median(k)):.3g} N/m per point ({given})"
        lines.append(line)
    return lines


def unsolved_lines(result: Result) -> list[str]:
    """Steps whose contact problem stayed unsolved, and those in which bodies passed through each other; nothing if none did."""
    lines = []
    if result.unsolved_steps:
        worst = float(result.contact_residual.max())
        lines.append(f"  not solved       contact in {result.unsolved_steps} steps, residual {worst:.1e} at most")
    if result.passed_steps:
        lines.append(f"  passed           bodies went through each other in {result.passed_steps} steps")
    return lines


def python_steps(result: Result) -> list[str]:
    """How many steps were not taken in compiled code, and why; nothing where all were, or where the method has none."""
    return [f"{count} of {result.steps} steps, slowly: {reason}" for reason, count in result.in_python.items()]


def listed(points: Sequence[Any] | Any) -> list[Any]:
    """One point or several as a list."""
    return list(points) if isinstance(points, list | tuple) else [points]


def point_name(point: object) -> str:
    """How a point, body or joint is called in tables and legends."""
    name = getattr(point, "name", None)
    return str(name if isinstance(name, str) else point)


def _import(library: str) -> Any:
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError:
        raise InputError(f"{library} is not installed; install it with: pip install condyle[tables]") from None
