"""The benchmark: every workload on every engine, the goals, met or not met.

python benchmarks/run.py                                        everything, most of an hour
python benchmarks/run.py --quick                                small models, about a minute
python benchmarks/run.py --only spherical,human --sizes 10,100 --engines condyle,exudyn
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import ball
import closed_loops
import contact
import contact_steps
import engines
import facets
import first_run
import friction_models
import hip
import knee
import many_runs
import nonsmooth_piles
import numpy as np
import pendulum_tables
import piles
import plain_wheels
import processes
import real_time
import report
import shapes
import solids
import stiff_chains
import work_precision
import workloads
from goals import Goal, judge
from lines import judge_lines
from measure import DT, Row, measure

SIZES = (10, 100, 1000, 10_000)
MIXED = (10, 100)  # cells
MEMORY = (1000, 10_000)
FAMILIES: dict[str, Callable[[int], Any]] = {
    "spherical chains": workloads.chain,
    "revolute chains": lambda n: workloads.chain(n, hinges=True),
    "trees": workloads.tree,
    "rings": workloads.ring,
    "ladders": workloads.ladder,
}
PACKAGES = {"condyle": "condyle", "exudyn": "exudyn", "mujoco": "mujoco", "pinocchio": "pin"}
OTHERS = (
    "human",
    "copies",
    "mixed",
    "lines",
    "ball",
    "stiff chains",
    "shapes",
    "piles",
    "resting piles",
    "friction models",
    "real time",
    "many runs",
    "solids",
    "contact",
    "hip",
    "knee",
    "tables",
    "work precision",
    "start",
    "first run",
    "memory",
)


def planned(wanted: Callable[[str], bool], sizes: list[int], found: dict[str, ModuleType]) -> Iterator[tuple[str, Any]]:
    """Family and workload, one after the other."""
    if wanted("human"):
        yield "human", workloads.human()
    if wanted("copies"):
        yield "copies", workloads.chain(10, copies=100 if max(sizes) >= 100 else 10)
    if wanted("mixed") and "condyle" in found:
        for cells in MIXED:
            if cells <= max(sizes):
                yield "mixed", found["condyle"].mixed(cells)
    for family, make in FAMILIES.items():
        for size in sizes if wanted(family) else ():
            yield family, make(size)


def explain(goals: list[Goal], made: dict[str, Any], condyle: ModuleType) -> None:
    """Add to each goal that is not met what the time of a step is made of."""
    known: dict[tuple[str, str], str] = {}
    for goal in goals:
        if goal.met or goal.row is None or goal.row.failure:
            continue
        key = (goal.row.workload, goal.row.variant)
        if key not in known:
            known[key] = condyle.why(made[key[0]], key[1], DT, goal.row.steps, goal.row.step)
        goal.note += f"; {known[key]}"


def measure_alone(asked: argparse.Namespace, name: str) -> list[Row]:
    """The rows of an engine that gets a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        command = [sys.executable, __file__, "--engines", name, "--json", str(path)]
        command += ["--quick"] if asked.quick else []
        for option in ("only", "sizes", "repeats"):
            command += [f"--{option}", str(getattr(asked, option))] if getattr(asked, option) else []
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{name} is left out: {done.stderr.strip().splitlines()[-1]}")
            return []
        return [Row.from_dict(row) for row in json.loads(path.read_text(encoding="utf-8"))["rows"]]


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="sizes 10 and 100, fewer repeats, shorter runs")
    parser.add_argument("--only", help="families that contain one of these words: " + ", ".join((*FAMILIES, *OTHERS)))
    parser.add_argument("--sizes", help="numbers of bodies, such as 10,100")
    parser.add_argument("--engines", default=",".join(engines.NAMES))
    parser.add_argument("--up-to", default="", help="leave engines out of larger models, such as mujoco=100")
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--json", type=Path, default=Path("results/bench.json"))
    parser.add_argument("--page", type=Path, help="the page whose measured part is written anew")
    return parser.parse_args()


def main() -> None:
    """Measure, judge, show."""
    asked = options()
    words = asked.only.split(",") if asked.only else []
    sizes = [int(n) for n in asked.sizes.split(",")] if asked.sizes else list(SIZES[:2] if asked.quick else SIZES)
    repeats = asked.repeats or (3 if asked.quick else 5)
    machine, names = report.machine(), asked.engines.split(",")
    alone = [name for name in names if name in engines.ALONE and len(names) > 1]
    found = engines.load([name for name in names if name not in alone])

    def wanted(family: str) -> bool:
        return not words or any(word in family for word in words)

    up_to = {name: int(n) for name, _, n in (word.partition("=") for word in asked.up_to.split(",") if word)}

    def takes_part(name: str, family: str, workload: Any) -> bool:
        if family == "mixed":
            return name == "condyle"
        return bool(workload.size <= up_to.get(name, np.inf))

    for name, engine in found.items():  # load what an engine loads at its first use
        small = workloads.chain(2)
        for variant in engine.variants(small):
            engine.Run(small, variant, DT).run(2, 1)
        print(f"{name} is ready", flush=True)
    rows: list[Row] = []
    made: dict[str, Any] = {}
    try:
        for family, workload in planned(wanted, sizes, found):
            began = time.perf_counter()
            taking_part = {name: engine for name, engine in found.items() if takes_part(name, family, workload)}
            rows += measure(workload, family, taking_part, repeats, limit=0.4 if asked.quick else 0.8)
            made[workload.name] = workload
            print(f"{workload.name}: {time.perf_counter() - began:.1f} s", flush=True)
    except KeyboardInterrupt:  # what has been measured is judged and shown
        print("interrupted: going on with what there is", flush=True)
    for name in alone:
        rows += measure_alone(asked, name)
    rows.sort(key=lambda row: list(made).index(row.workload))
    goals = judge(rows)
    if "condyle" in found:
        explain(goals, made, found["condyle"])
    if wanted("lines") and "condyle" in found:
        goals += judge_lines(found, repeats, quick=asked.quick)
    if wanted("loops") and "condyle" in found:
        goals += closed_loops.measured(repeats)
    if wanted("ball") and "condyle" in found:
        goals += ball.measured(repeats)
    if wanted("stiff chains") and "condyle" in found:
        goals += stiff_chains.measured(repeats, *(((18,), 100) if asked.quick else ()))
    if wanted("shapes") and "condyle" in found:
        goals += shapes.measured(repeats)
    if wanted("piles") and "condyle" in found:
        goals += piles.measured(tuple(n for n in piles.SIZES if n <= max(sizes)))
    if wanted("resting piles") and "condyle" in found:
        goals += nonsmooth_piles.measured(tuple(n for n in nonsmooth_piles.SIZES if n <= max(sizes)))
    if wanted("friction models") and "condyle" in found:
        goals += friction_models.measured(*friction_models.FEW if asked.quick else friction_models.WHOLE)
        goals += friction_models.growth(friction_models.POINTS[:2] if asked.quick else friction_models.POINTS)
    if wanted("real time") and "condyle" in found:
        goals += real_time.measured(10.0 if asked.quick else real_time.SECONDS)
    if wanted("many runs") and "condyle" in found:
        goals += many_runs.measured(found, quick=asked.quick)
    if wanted("solids") and "condyle" in found:
        goals += plain_wheels.measured(8 if asked.quick else plain_wheels.CELLS)
    if wanted("start") and "condyle" in found:
        goals += [Goal(what, seconds, limit, "s") for what, seconds, limit in processes.starts(repeats)]
    if wanted("first run") and "condyle" in found:
        goals += first_run.measured(("a spring",) if asked.quick else first_run.PARTS)
    blocks: list[solids.SolidRow] = []
    if wanted("solids") and "condyle" in found:
        blocks = solids.measured(solids.SIZES[:2] if asked.quick else solids.SIZES)
        goals += solids.judge(blocks)
    touching, pressed = [], []
    if wanted("contact") and "condyle" in found:
        touching, pressed = contact.measured(contact.SIZES[:2] if asked.quick else contact.SIZES)
        goals += contact.judge(touching, pressed)
        goals += contact_steps.judge(contact_steps.rows(), contact_steps.walk())
        goals += contact_steps.judge_single(contact_steps.single()) + facets.judge(facets.rows())
    walk, presses = hip.measured() if wanted("hip") and "condyle" in found else (None, [])
    knees = knee.measured(asked.quick) if wanted("knee") and "condyle" in found else []
    goals += knee.judge(knees)
    pendulums = pendulum_tables.measured(repeats) if wanted("tables") and "condyle" in found else []
    goals += pendulum_tables.judge(pendulums)
    precise = work_precision.measured(found) if wanted("work precision") and "condyle" in found else []
    goals += work_precision.judge(precise)
    memory = memory_of(found, max(sizes)) if wanted("memory") else []
    goals += [Goal("memory after two steps", mb, 200.0, "MB") for who, n, mb in memory if (who, n) == ("condyle", 1)]
    versions = {name: version(package) for name, package in PACKAGES.items() if name in names}
    facts = {"kind": "a quick run" if asked.quick else "a full run", "repeats": repeats, "machine": machine,
             "versions": versions, "step": DT}  # fmt: skip
    others = [
        ("a Newton iteration of a neo-Hookean block of hex8", solids.COLUMNS, solids.cells(blocks)),
        ("contact of a block of hex8 with an ellipsoid", contact.COLUMNS, contact.cells(touching)),
        (
            "an indented rubber block: Newton iterations of a load step",
            contact.PRESS_COLUMNS,
            contact.press_cells(pressed),
        ),
        ("the walking hip, and its liner pressed (no goal)", hip.COLUMNS, hip.cells(walk, presses)),
        ("a second of the knee of gantoi-2013, and Adams' method beside it", knee.COLUMNS, knee.cells(knees)),
        ("milliseconds of processor time to an error after 1 s", work_precision.COLUMNS, work_precision.cells(precise)),
        ("tables 5.1 and 5.2 of hewlett-2020", pendulum_tables.COLUMNS, pendulum_tables.cells(pendulums)),
    ]
    report.show(rows, goals, memory, others)
    facts_of_others = {"solids": [asdict(r) for r in blocks], "hip": [asdict(r) for r in presses],
                       "contact": [asdict(r) for r in [*touching, *pressed]],
                       "walk": asdict(walk) if walk else None, "knee": [asdict(r) for r in knees],
                       "pendulums": pendulum_tables.facts(pendulums),
                       "work precision": [asdict(c) for c in precise]}  # fmt: skip
    report.write_json(asked.json, facts, rows, goals, memory, facts_of_others)
    if asked.page:
        report.write_page(asked.page, facts, rows, goals, memory, others)


def memory_of(found: dict[str, Any], most: int) -> list[tuple[str, int, float]]:
    """Engine, number of bodies and peak memory of a process that has done two steps of a chain [MB]."""
    largest = [n for n in MEMORY if n <= most] or [most]
    names = [name for name in ("condyle", "exudyn") if name in found]
    return [(name, n, processes.memory(name, n)) for name in names for n in (1, *largest)]


if __name__ == "__main__":
    main()
