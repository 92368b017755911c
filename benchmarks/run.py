"""The benchmark: every workload on every engine, the goals, met or not met.

python benchmarks/run.py                                        everything, more than an hour
python benchmarks/run.py --quick                                small models, a few minutes
python benchmarks/run.py --only spherical,human --sizes 10,100 --engines condyle,exudyn
python benchmarks/run.py --only nothing --page docs/benchmarks.md   measure nothing, write the page of what there is

Each part is stored when it has been measured, in a file of its own in --folder. Tables and goals are shown of all parts
that are stored there. So a run that is stopped loses nothing, and parts can be measured again one by one. Of several parts
each has a process of its own: a part in which an engine crashes is a goal that is not met, and the others go on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import engines
import precision_page
import report
import store
import workloads
from found import Found
from goals import Goal
from measure import DT
from parts import PARTS, SIZES, TOPICS, Asked, Part, chosen, measured

QUICK = Path("results/bench-quick")


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="sizes 10 and 100, fewer repeats, shorter runs")
    parser.add_argument(
        "--only", help="parts that contain one of these words: " + ", ".join(part.name for part in PARTS)
    )
    parser.add_argument("--part", help="measure this part in this process and store it, nothing else")
    parser.add_argument("--sizes", help="numbers of bodies, such as 10,100")
    parser.add_argument("--engines", default=",".join(engines.NAMES))
    parser.add_argument("--up-to", default="", help="leave engines out of larger models, such as mujoco=100")
    parser.add_argument("--repeats", type=int)
    parser.add_argument(
        "--folder", type=Path, help=f"where each part is stored; benchmarks/measured, {QUICK} with --quick"
    )
    parser.add_argument("--page", type=Path, help="the page whose measured part is written anew")
    asked = parser.parse_args()
    asked.folder = asked.folder or (QUICK if asked.quick else store.FOLDER)
    return asked


def main() -> None:
    """Measure, store, judge, show."""
    asked = options()
    names = asked.engines.split(",")
    alone = [name for name in names if name in engines.ALONE and len(names) > 1]
    parts = [part for part in chosen(asked.only.split(",") if asked.only else []) if asked.part in (None, part.name)]
    sizes = tuple(map(int, asked.sizes.split(","))) if asked.sizes else SIZES[:2] if asked.quick else SIZES
    up_to = {name: int(n) for name, _, n in (word.partition("=") for word in asked.up_to.split(",") if word)}
    repeats = asked.repeats or (3 if asked.quick else 5)
    facts = report.facts(asked.quick, repeats)
    own = asked.part is not None or len(parts) == 1
    found = engines.load([name for name in names if name not in alone] if own else [])
    if own:
        warm(found)
    wanted = Asked(found, sizes, repeats, asked.quick, up_to)
    try:
        for part in parts if not own or "condyle" in found or len(names) == 1 else ():
            began = time.perf_counter()
            done = tried(part, wanted, alone) if own else apart(part, asked)
            if done is not None:
                store.write(asked.folder, part.name, facts, done)
            print(f"{part.name}: {time.perf_counter() - began:.0f} s", flush=True)
    except KeyboardInterrupt:
        print("interrupted: going on with what there is", flush=True)
    if asked.part is not None:
        return
    stored = store.read(asked.folder, [part.name for part in PARTS])
    report.show(stored)
    if asked.page:
        report.write_page(asked.page, stored, TOPICS)
        precision_page.draw(stored, asked.page.parent / "images" / "work-precision.png")


def tried(part: Part, wanted: Asked, alone: list[str]) -> Found:
    """What a part finds. One that fails is a goal that is not met, and the others go on."""
    try:
        return measured(part, wanted, alone)
    except Exception as failure:
        return failed(part, str(failure) or type(failure).__name__)


def apart(part: Part, asked: argparse.Namespace) -> Found | None:
    """A part in a process of its own, which stores it; what is to be stored instead if that process crashes."""
    command = [sys.executable, __file__, "--part", part.name, "--engines", asked.engines, "--folder", str(asked.folder)]
    command += ["--up-to", asked.up_to] + (["--sizes", asked.sizes] if asked.sizes else [])
    command += (["--repeats", str(asked.repeats)] if asked.repeats else []) + (["--quick"] if asked.quick else [])
    ended = subprocess.run(command).returncode
    return failed(part, f"its process ended with {ended}") if ended else None


def failed(part: Part, why: str) -> Found:
    """A part that could not be measured: a goal that is not met."""
    print(f"{part.name} failed: {why}", flush=True)
    return Found([Goal(f"{part.name}: runs", float("inf"), 0.0, note=why)])


def warm(found: dict[str, ModuleType]) -> None:
    """Let each engine load what it loads at its first use."""
    small = workloads.chain(2)
    for name, engine in found.items():
        for variant in engine.variants(small):
            engine.Run(small, variant, DT).run(2, 1)
        print(f"{name} is ready", flush=True)


if __name__ == "__main__":
    main()
