"""``condyle identify FILE``: an identification written down in a file, its options and what it does."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condyle.errors import InputError, unknown_name
from condyle.files.command import add_allow_options
from condyle.files.tree import FileError, Node, read_tree

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from condyle.files.experiment import FileSimulation
    from condyle.runs.identification import Identification
    from condyle.runs.measured import Measured, Unknown

__all__ = ["add_identify_options", "run_identify"]

KEYS = ("model", "unknowns", "measured", "method", "starts", "seed", "step", "most_runs")
OF_UNKNOWN = ("low", "high", "start", "log", "prior")
OF_CURVE = ("file", "curve", "time", "column", "sigma", "weight", "experiment", "shift", "filter")
COUNTS = ("starts", "seed", "most_runs")


def add_identify_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="identification (.yaml): model, unknowns, measured curves")
    add("--method", metavar="NAME", help="local, starts, evolution or cma (default: as the file says, else local)")
    add("--out", type=Path, metavar="DIR", help="folder (default: results/FILE-identified); goes on if it was killed")
    add("--workers", type=int, metavar="N", help="processes (default: one per core; 0: this one)")
    add("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786, instead of processes")
    add(
        "--profile",
        action="append",
        default=[],
        metavar="UNKNOWN",
        help="draw the profile likelihood of this unknown, too",
    )
    add("--json", action="store_true", help="the values as JSON")
    add_allow_options(parser)


def run_identify(options: argparse.Namespace) -> int:
    """Exit code 1 if the search ended before it had converged."""
    import warnings

    from condyle.runs.identification import IdentificationWarning
    from condyle.runs.identification_figures import profile_curve
    from condyle.runs.identify import identify
    from condyle.runs.problem import Problem

    task = read_task(options.file, options.allow, options.allow_code)
    if options.method:
        task["method"] = options.method
    names = Problem(task["simulate"], task["unknowns"], task["data"]).names  # with those of shifts
    for name in options.profile:
        if name not in names:
            raise unknown_name("quantity", name, names, where=str(options.file))
    out = options.out or Path("results") / f"{options.file.stem}-identified"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentificationWarning)  # its sentences are printed below
        try:
            found = identify(
                **task, workers=options.workers, scheduler=options.scheduler, out=out, progress=not options.json
            )
        except KeyboardInterrupt:
            runs = len(file.read_bytes().splitlines()) if (file := out / "evaluations.jsonl").is_file() else 0
            raise KeyboardInterrupt(f"{runs} runs are kept in '{out}'; the same command goes on from there") from None
    table, files = _numbers(found), [out / "values.json"]
    for name in options.profile:
        profile = found.profile(name)
        ends = [end if math.isfinite(end) else None for end in profile.interval]  # None: beyond what was looked at
        table[found.problem.names.index(name)]["profile"] = ends
        files.append(out / f"profile-{name}.png")
        _save(profile_curve(found, profile), files[-1])
    (out / "values.json").write_text(
        json.dumps(table, indent=2, ensure_ascii=False, default=_plain) + "\n", encoding="utf-8"
    )
    if options.json:
        print(json.dumps(table, indent=2, ensure_ascii=False, default=_plain))
        print(*(f"condyle: {doubt}\n" for doubt in found.doubts), sep="", end="", file=sys.stderr)
        return 0 if found.ended == "converged" else 1
    from condyle.tables import print_identification

    print_identification(found)
    for row in table:
        if "profile" in row:
            low, high = ("beyond the profile" if end is None else f"{end:.6g}" for end in row["profile"])
            print(f"{row['name']}: {low} to {high} by its profile likelihood (95 %)")
    files.append(out / "fit.png")
    _save(found.plot(), files[-1])
    print("written:", *files, sep="\n  ")
    return 0 if found.ended == "converged" else 1


def _numbers(found: Identification) -> list[dict[str, Any]]:
    """A row per unknown: value, unit, interval, and its correlations with the others."""
    names, between = found.problem.names, found.correlations
    rows = found.table()
    for k, row in enumerate(rows):
        row["correlations"] = {name: float(between[k, j]) for j, name in enumerate(names) if j != k}
    return rows


def _save(figure: Figure, file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    figure.savefig(file, dpi=160, bbox_inches="tight")


def read_task(file: Path, allow: Sequence[Path] = (), allow_code: bool = False) -> dict[str, Any]:
    """The arguments of `identify` that a file gives; FileError with the place of what is wrong."""
    from condyle.files.experiment import file_simulation

    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read '{file}': {error.strerror or error}") from None
    root = read_tree(text, str(file))
    root.check_names(KEYS, "identification")
    for key in KEYS[:3]:
        if root.get(key) is None:
            raise root.error(f"an identification has '{key}'; see docs/identification.md")
    simulation = file_simulation(_inside(_given(root, "model"), file, allow), allow=allow, allow_code=allow_code)
    unknowns = {name: _unknown(name, node, simulation) for name, node in _given(root, "unknowns").items()}
    if not unknowns:
        raise _given(root, "unknowns").error(
            "give each unknown by its name in the model file: 'name: {low: 1, high: 5}'"
        )
    measured = _given(root, "measured")
    curves = [measured] if measured.is_map else measured.entries()
    if not curves:
        raise measured.error("give each measured curve by its file and its name: '- {file: test.csv, curve: angle}'")
    task: dict[str, Any] = {
        "simulate": simulation,
        "unknowns": unknowns,
        "data": [_measured(node, file, allow, simulation) for node in curves],
    }
    method = root.get("method")
    if method is not None:
        from condyle.runs.identify import METHODS

        if method.text not in METHODS:
            raise method.error(str(unknown_name("method", method.text, METHODS)))
        task["method"] = method.text
    for key in ("starts", "seed", "step", "most_runs"):
        node = root.get(key)
        if node is not None:
            task[key] = _whole(node) if key in COUNTS else _number(node)
    return task


def _given(root: Node, key: str) -> Node:
    node = root.get(key)
    assert node is not None  # looked for before
    return node


def _unknown(name: str, node: Node, simulation: FileSimulation) -> Unknown:
    """An unknown with the bounds of the file, else those that its field or parameter declares."""
    from condyle.runs.measured import Unknown

    try:
        low, high, start, unit = simulation.bounds(name)
    except InputError as error:
        raise node.error(str(error)) from None
    if not (node.is_map or node.is_null):
        raise node.error(f"'{name}' has bounds: {{low: 1, high: 5}}, or nothing for those that are declared")
    node.check_names(OF_UNKNOWN, f"unknown '{name}'")
    given: dict[str, Any] = {"low": low, "high": high, "start": start}
    for key in ("low", "high", "start"):
        entry = node.get(key)
        if entry is not None:
            given[key] = _number(entry, unit, key)
    if node.get("start") is None and not given["low"] <= start <= given["high"]:
        given["start"] = None
    log, prior = node.get("log"), node.get("prior")
    if log is not None:
        if log.text not in ("true", "false"):
            raise log.error(f"log is 'true' or 'false', not '{log.text}'")
        given["log"] = log.text == "true"
    if prior is not None:
        given["prior"] = _pair(prior, "a mean and a standard deviation", "" if given.get("log") else unit)
    try:
        return Unknown(**given, unit=unit)
    except InputError as error:
        raise node.error(f"'{name}': {error}") from None


def _measured(node: Node, file: Path, allow: Sequence[Path], simulation: FileSimulation) -> Measured:
    from condyle.runs.measured import Measured

    node.check_names(OF_CURVE, "measured curve")
    for key in ("file", "curve"):
        if node.get(key) is None:
            raise node.error(f"a measured curve has '{key}': '- {{file: test.csv, curve: angle}}'")
    given: dict[str, Any] = {key: _given(node, key).text for key in ("time", "column") if node.get(key) is not None}
    curve = _given(node, "curve")
    try:
        given["unit"], given["time_unit"] = simulation.curve_unit(curve.text), simulation.clock_unit
    except InputError as error:
        raise curve.error(str(error)) from None
    for key, unit in (("sigma", given["unit"]), ("weight", "")):
        entry = node.get(key)
        if entry is not None:
            given[key] = _number(entry, unit, key)
    experiment, shift = node.get("experiment"), node.get("shift")
    if experiment is not None:
        given["experiment"] = {name: _of_experiment(name, entry, simulation) for name, entry in experiment.items()}
    if shift is not None:
        given["shift"] = _pair(shift, "a lower and an upper bound [s]", "s")
    if node.get("filter") is not None:
        given["process"] = _filter(_given(node, "filter"))
    try:
        read = Measured.from_csv(_inside(_given(node, "file"), file, allow), curve.text, **given)
        return read if given["unit"] else read.converted("")
    except FileError:
        raise
    except OSError as error:
        raise node.error(f"cannot read '{_given(node, 'file').text}': {error.strerror or error}") from None
    except InputError as error:
        raise node.error(str(error)) from None


def _of_experiment(name: str, node: Node, simulation: FileSimulation) -> float:
    """A parameter of the model in one experiment, in the unit that it has there."""
    try:
        unit = simulation.bounds(name)[3]
    except InputError as error:
        raise node.error(str(error)) from None
    return _number(node, unit, name)


def _filter(node: Node) -> Callable[..., NDArray[np.float64]]:
    """A channel class, 'CFC 180', which the simulated curve is filtered by, as the measured one was."""
    from condyle.results.crash.filters import CLASSES, cfc_filter

    known = {f"CFC {number}": number for number in CLASSES}
    if node.text not in known:
        raise node.error(f"filter is '{node.text}'; choose one of {', '.join(known)}")
    return partial(cfc_filter, channel_class=known[node.text])


def _inside(node: Node, file: Path, allow: Sequence[Path]) -> Path:
    """A path beside the file or below, or in a folder that was allowed."""
    path = (file.parent / node.text).resolve()
    folders = [file.parent.resolve(), *(Path(folder).resolve() for folder in allow)]
    if not any(path.is_relative_to(folder) for folder in folders):
        raise node.error(f"'{node.text}' lies outside of the folder of this file; allow it with --allow {path.parent}")
    if not path.is_file():
        raise node.error(f"there is no file '{node.text}' beside this one")
    return path


def _number(node: Node, unit: str = "", name: str = "value") -> float:
    from condyle.units import number_in

    try:
        value = number_in(node.text, unit, name)
    except InputError as error:
        raise node.error(str(error)) from None
    if not math.isfinite(value):
        raise node.error(f"'{node.text}' is no finite number")
    return value


def _whole(node: Node) -> int:
    value = _number(node)
    if value != int(value):
        raise node.error(f"'{node.text}' is no whole number")
    return int(value)


def _pair(node: Node, what: str, unit: str) -> tuple[float, float]:
    values = [_number(entry, unit) for entry in node.entries()]
    if len(values) != 2:
        raise node.error(f"give two numbers, {what}: [0.1, 0.2]")
    return values[0], values[1]


def _plain(value: object) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
