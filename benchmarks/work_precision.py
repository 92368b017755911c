"""How long it takes to reach an error: processor time over the error of positions after a second, each engine at its best.

python benchmarks/work_precision.py
python benchmarks/work_precision.py --workloads "revolute chain of 10,human" --engines condyle,mujoco

The first measures all, as `make bench OPTIONS="--only precision"` does. Curves are kept as they are measured, as a part of the
benchmark. So the second replaces these two workloads and leaves the others.

A run is repeated with twice as many steps until its error is below the smallest that is asked for or it takes too long. The
error is the largest distance of a body, or of the free end, from where a converged run has it [m]. The time is that of the
steps alone, as processor time, which other work on the machine changes little; short runs are timed over several seconds of
motion. Between two runs the time for an error in between is interpolated in logarithms.

Each engine runs each workload in a process of its own: libraries of threads that two engines bring along do not meet, and an
engine that fails, even by a crash, leaves the others alone.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import precision_page
import report
import store
from found import Found, Table
from goals import Goal
from precision_cases import CASES, ENGINES, Curve, installed

PART = "work precision"
COLUMNS, ERRORS, cells = precision_page.COLUMNS, precision_page.ERRORS, precision_page.cells


def measured(names: list[str], engines: list[str]) -> list[Curve]:
    """All curves of these workloads, each engine in a process of its own."""
    curves: list[Curve] = []
    for name in names:
        print(name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            exact = (
                Path(folder) / "exact.npy"
            )  # Condyle, which comes first, leaves its converged run there for the others
            for engine in (e for e in ENGINES if e in engines and e in CASES[name] and installed(e)):
                curves += in_own_process(name, engine, exact)
    return curves


def in_own_process(name: str, engine: str, exact: Path) -> list[Curve]:
    """Curves of one engine; none if its process fails. What else it says is passed on."""
    command = [sys.executable, __file__, "--one", name, engine, str(exact)]
    curves = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                curves.append(Curve(**json.loads(line)))
            else:
                print(line, end="", flush=True)
    if process.returncode:
        print(f"  {engine} is left out of {name}: its process ended with {process.returncode}", flush=True)
        return []
    return curves


def one(name: str, engine: str, exact: Path) -> None:
    """Measure here, and print each curve in words and as JSON."""
    for curve in CASES[name][engine](exact):
        times = ", ".join(f"{1e3 * curve.seconds_to(error):.3g}" for error in ERRORS)
        print(f"  {engine}, {curve.method}: {times} ms to {', '.join(map(str, ERRORS))} m", flush=True)
        print(json.dumps(asdict(curve)), flush=True)


def judge(curves: list[Curve]) -> list[Goal]:
    """Condyle's best method against the best of all others, at every error."""
    goals = []
    for workload in dict.fromkeys(curve.workload for curve in curves):
        mine, others = (
            [c for c in curves if c.workload == workload and (c.engine == "condyle") is own] for own in (True, False)
        )
        for error in ERRORS if others else ():
            best, peer = (min(these, key=lambda c: c.seconds_to(error)) for these in (mine, others))
            own, its = best.seconds_to(error), peer.seconds_to(error)
            note = f"{best.method} {1e3 * own:.3g} ms; " if math.isfinite(own) else "not reached; "
            note += f"{peer.engine} {peer.method} {1e3 * its:.3g} ms" if math.isfinite(its) else "by no other engine"
            what = f"{workload}: processor time to an error of {error:g} m, of the fastest other engine's"
            goals.append(Goal(what, own / its if math.isfinite(own) else math.inf, 1.0, note=note))
    return goals


def found(curves: list[Curve]) -> Found:
    """As a part of the benchmark."""
    table = Table("milliseconds of processor time to an error after 1 s", COLUMNS, cells(curves))
    return Found(judge(curves), [table], facts={precision_page.FACT: [asdict(curve) for curve in curves]})


def kept(folder: Path) -> list[Curve]:
    """What was measured before."""
    return [curve for part in store.read(folder, [PART]) for curve in precision_page.curves_of(part)]


def main() -> None:
    """Measure what is asked for; print and draw all that is kept."""
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", default="", help="names that contain one of these, separated by commas")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--folder", type=Path, default=store.FOLDER, help="where curves are kept")
    parser.add_argument("--figure", type=Path, help="draw time over error here")
    asked = parser.parse_args()
    words = [word for word in asked.workloads.split(",") if word]
    names = [name for name in CASES if not words or any(word in name for word in words)]
    facts = report.facts(False, 1)
    for name in names:
        new = measured([name], asked.engines.split(","))
        curves = [curve for curve in kept(asked.folder) if curve.workload != name] + new
        curves.sort(key=lambda curve: list(CASES).index(curve.workload))
        store.write(asked.folder, PART, facts, found(curves))
    stored = store.read(asked.folder, [PART])
    report.show(stored)
    if asked.figure:
        precision_page.draw(stored, asked.figure)


if __name__ == "__main__":
    main()
