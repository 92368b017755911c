"""``condyle sweep``: its options and what it does. Imports what is slow only when it runs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condyle.errors import InputError
from condyle.files.command import add_allow_options, study_with_options

if TYPE_CHECKING:
    from condyle.runs.sweep_result import SweepResult
    from condyle.study import Study


def add_sweep_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("study", metavar="STUDY", help="as in condyle list, a model file (.yaml), or a Python file with one")
    add(
        "--vary", action="append", default=[], required=True, metavar="NAME=VALUES",
        help="low:high:count, 'log 1:100:3', low:high (samples) or a list a,b,c, with a unit at the end: outer=18:26:5mm",
    )  # fmt: skip
    add("--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="the same in all cases")
    add(
        "--design",
        default="grid",
        help="grid (default), list (first values, second values, …), latin, sobol, or saltelli for indices of sensitivity",
    )
    add("--samples", type=int, metavar="N", help="how many, for designs that take samples")
    add("--seed", type=int, default=0, help="of the samples (default: 0)")
    add("--show", action="append", metavar="QUANTITY", help="outputs to draw (default: all that change)")
    add(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the sweep (default: results/STUDY-sweep); goes on if it was killed",
    )
    add("--overwrite", action="store_true", help="begin anew although the folder holds another sweep")
    add("--keep-results", action="store_true", help="keep the results files of every case")
    add("--workers", type=int, metavar="N", help="processes (default: one per core; 0: this one)")
    add("--scheduler", metavar="ADDRESS", help="Dask scheduler, such as tcp://host:8786, instead of processes")
    add("--quick", action="store_true", help="the reduced form that the tests run")
    add("--json", action="store_true", help="the table as JSON")
    add("--parquet", action="store_true", help="write table.parquet, too (needs condyle[parquet])")
    add_allow_options(parser)


def run_sweep(options: argparse.Namespace) -> int:
    """Exit code 1 if a case failed."""
    study = study_with_options(options)
    vary = dict(_split(assignment) for assignment in options.vary)
    out = options.out or Path("results") / f"{study.name}-sweep"
    try:
        found = _swept(options, study, vary, out)
    except KeyboardInterrupt:
        cases = len(list((out / "cases").glob("*.json")))
        raise KeyboardInterrupt(
            f"{cases} finished cases are kept in '{out}'; the same command goes on with the others"
        ) from None
    tables = [out / "table.csv", *([found.save(out / "table.parquet")] if options.parquet else [])]
    if options.json:
        print(json.dumps(found.rows(), indent=2, ensure_ascii=False, allow_nan=False))
        return 1 if found.failed else 0
    _print(found, options.show)
    print("written:", *tables, *_draw(found, options.show, out), sep="\n  ")
    return 1 if found.failed else 0


def _swept(options: argparse.Namespace, study: Study, vary: dict[str, str], out: Path) -> SweepResult:
    from condyle.runs.sweep import sweep

    return sweep(
        options.study, vary, fixed=study.parse(options.set), design=options.design, samples=options.samples,
        seed=options.seed, quick=options.quick, out=out, keep_results=options.keep_results, overwrite=options.overwrite,
        workers=options.workers, scheduler=options.scheduler, allow=options.allow, allow_code=options.allow_code,
        progress=not options.quiet,
    )  # fmt: skip


def _split(assignment: str) -> tuple[str, str]:
    name, equals, values = assignment.partition("=")
    if not equals or not values.strip():
        raise InputError(f"--vary {assignment}: write name=low:high:count or name=a,b,c")
    return name.strip(), values.strip()


def _print(found: SweepResult, chosen: list[str] | None) -> None:
    from condyle.tables import print_sweep

    outputs = chosen or found.changing()
    print_sweep(found, outputs)


def _draw(found: SweepResult, chosen: list[str] | None, out: Path) -> list[Path]:
    """Write the figures that suit what was varied."""
    import matplotlib

    matplotlib.use("Agg")
    outputs = chosen or found.changing()
    if not outputs:
        return []
    figures: dict[str, Any] = {"responses": found.plot(chosen)}
    if len(found.varied) == 2 or (len(found.varied) == 3 and found.design == "grid"):
        figures["map"] = found.plot_map(outputs[0])
    if len(found.varied) > 2:
        figures["parallel"] = found.plot_parallel(outputs[0])
    if found.design == "saltelli" and not found.failed:
        figures["sensitivity"] = found.plot_sensitivity(outputs[0])
    files = []
    for name, figure in figures.items():
        files.append(out / f"{name}.png")
        figure.savefig(files[-1], dpi=160, bbox_inches="tight")
    return files
