"""The parts of the benchmark, each measured by itself: what it is called, and what measures it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
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
import growth
import hip
import knee
import lines
import many_runs
import nonsmooth_piles
import pendulum_tables
import piles
import plain_wheels
import processes
import real_time
import shapes
import solids
import stiff_chains
import work_precision
import workloads
from found import Found, Table
from goals import Goal
from measure import DT, Row, measure

SIZES = (10, 100, 1000, 10_000)
MIXED = (10, 100)  # cells
MEMORY = (1000, 10_000)  # bodies


@dataclass
class Asked:
    """What is wanted of all parts: engines by name, numbers of bodies, repeats, the largest model of an engine."""

    engines: dict[str, ModuleType]
    sizes: tuple[int, ...]
    repeats: int
    quick: bool = False
    up_to: dict[str, int] = field(default_factory=dict)

    def up_to_size(self, sizes: Iterable[int]) -> tuple[int, ...]:
        """Those of a part's sizes that are not above what is wanted."""
        return tuple(n for n in sizes if n <= max(self.sizes))


@dataclass
class Part:
    """A part; `alone`: an engine that needs a process of its own takes part in it."""

    name: str
    measure: Callable[[Asked], Found]
    alone: bool = False


def family(
    name: str,
    make: Callable[[int], Any],
    sizes: Callable[[Asked], Iterable[int]] = lambda asked: asked.sizes,
    only: tuple[str, ...] = engines.NAMES,
) -> Part:
    """Mechanisms of one kind in several sizes, on all engines or only on some."""

    def measured(asked: Asked) -> Found:
        found = Found()
        for size in sizes(asked):
            workload = make(size)
            taking_part = {
                engine: module
                for engine, module in asked.engines.items()
                if engine in only and size <= asked.up_to.get(engine, size)
            }
            rows = measure(workload, name, taking_part, asked.repeats, limit=0.4 if asked.quick else 0.8)
            found.rows += rows
            own = [row for row in rows if row.engine == "condyle" and not row.failure]
            found.shares |= {
                f"{row.workload}, {row.variant}": asked.engines["condyle"].why(
                    workload, row.variant, DT, row.steps, row.step
                )
                for row in own
                if row.step == min(row.step for row in own)
            }
        return found

    return Part(name, measured, alone=only == engines.NAMES)


def of_goals(name: str, measured: Callable[[Asked], Iterable[Goal]]) -> Part:
    """A part that has goals and nothing else."""
    return Part(name, lambda asked: Found(list(measured(asked))))


def _friction_models(asked: Asked) -> list[Goal]:
    few = friction_models.FEW if asked.quick else friction_models.WHOLE
    points = friction_models.POINTS[:2] if asked.quick else friction_models.POINTS
    return [*friction_models.measured(*few), *friction_models.growth(points)]


def _resting_piles(asked: Asked) -> Iterable[Goal]:
    largest = max(asked.sizes) if max(asked.sizes) >= nonsmooth_piles.LARGE else None
    return nonsmooth_piles.measured(asked.up_to_size(nonsmooth_piles.SIZES), largest)


def _blocks(asked: Asked) -> Found:
    rows = solids.measured(solids.SIZES[:2] if asked.quick else solids.SIZES)
    title = "a Newton iteration of a neo-Hookean block of hex8"
    return Found(
        [*plain_wheels.measured(8 if asked.quick else plain_wheels.CELLS), *solids.judge(rows)],
        [Table(title, solids.COLUMNS, solids.cells(rows))],
        facts={"solids": [asdict(row) for row in rows]},
    )


def _contact(asked: Asked) -> Found:
    touching, pressed = contact.measured(contact.SIZES[:2] if asked.quick else contact.SIZES)
    return Found(
        contact.judge(touching, pressed),
        [
            Table("contact of a block of hex8 with an ellipsoid", contact.COLUMNS, contact.cells(touching)),
            Table("an indented block: iterations of a step", contact.PRESS_COLUMNS, contact.press_cells(pressed)),
        ],
        facts={"contact": [asdict(row) for row in [*touching, *pressed]]},
    )


def _contact_steps(asked: Asked) -> list[Goal]:
    return [
        *contact_steps.judge(contact_steps.rows(), contact_steps.walk()),
        *contact_steps.judge_walk(contact_steps.whole_walk()),
        *contact_steps.judge_single(contact_steps.single()),
        *facets.judge(facets.rows()),
    ]


def _hip(asked: Asked) -> Found:
    walk, presses = hip.measured()
    return Found(
        tables=[Table("the walking hip, and its liner pressed (no goal)", hip.COLUMNS, hip.cells(walk, presses))],
        facts={"walk": asdict(walk), "hip": [asdict(row) for row in presses]},
    )


def _knee(asked: Asked) -> Found:
    rows = knee.measured(asked.quick)
    title = "a second of the knee of gantoi-2013, and Adams' method beside it"
    return Found(
        knee.judge(rows), [Table(title, knee.COLUMNS, knee.cells(rows))], facts={"knee": list(map(asdict, rows))}
    )


def _tables(asked: Asked) -> Found:
    rows = pendulum_tables.measured(asked.repeats)
    return Found(
        pendulum_tables.judge(rows),
        [Table("tables 5.1 and 5.2 of hewlett-2020", pendulum_tables.COLUMNS, pendulum_tables.cells(rows))],
        facts={"pendulums": pendulum_tables.facts(rows)},
    )


def _work_precision(asked: Asked) -> Found:
    return work_precision.found(work_precision.measured(list(work_precision.CASES), [*asked.engines, "kratos"]))


def _growth(asked: Asked) -> Found:
    rows = growth.measured(growth.SIZES[:1] if asked.quick else growth.SIZES)
    return Found(
        tables=[Table("large models: seconds, and peak memory", growth.COLUMNS, growth.cells(rows))],
        facts={"growth": [asdict(row) for row in rows]},
    )


def _start(asked: Asked) -> list[Goal]:
    return [Goal(what, seconds, limit, "s") for what, seconds, limit in processes.starts(asked.repeats)]


def _memory(asked: Asked) -> Found:
    """Peak memory of a process that has done two steps of a chain [MB]."""
    largest = asked.up_to_size(MEMORY) or (max(asked.sizes),)
    names = [name for name in ("condyle", "exudyn") if name in asked.engines]
    found = [(name, n, processes.memory(name, n)) for name in names for n in (1, *largest)]
    return Found(
        [Goal("memory after two steps", mb, 200.0, "MB") for who, n, mb in found if (who, n) == ("condyle", 1)],
        [
            Table(
                "peak memory of a process",
                ("engine", "bodies", "peak memory MB"),
                [(e, f"{n:,}", f"{mb:.0f}") for e, n, mb in found],
            )
        ],
        facts={"memory": [{"engine": e, "bodies": n, "MB": mb} for e, n, mb in found]},
    )


def _mixed(cells: int) -> Any:
    return engines.load(["condyle"])["condyle"].mixed(cells)


BY_TOPIC: dict[str, tuple[Part, ...]] = {
    "Mechanisms": (
        family("human", lambda n: workloads.human(), lambda asked: (20,)),
        family("copies", lambda n: workloads.chain(10, copies=n), lambda a: (100 if max(a.sizes) >= 100 else 10,)),
        family("mixed", _mixed, lambda asked: asked.up_to_size(MIXED), only=("condyle",)),
        family("spherical chains", workloads.chain),
        family("revolute chains", lambda n: workloads.chain(n, hinges=True)),
        family("trees", workloads.tree),
        family("rings", workloads.ring),
        family("ladders", workloads.ladder),
        of_goals("closed loops", lambda a: closed_loops.measured(a.repeats)),
        of_goals("stiff chains", lambda a: stiff_chains.measured(a.repeats, *(((18,), 100) if a.quick else ()))),
    ),
    "Time to an error": (Part("work precision", _work_precision),),
    "Cables and beams": (
        of_goals("lines", lambda a: lines.judge_lines(a.engines, a.repeats, quick=a.quick)),
        Part("tables", _tables),
    ),
    "Solids and large models": (Part("solids", _blocks), Part("growth", _growth)),
    "Contact and piles": (
        Part("contact", _contact),
        of_goals("contact steps", _contact_steps),
        of_goals("shapes", lambda a: shapes.measured(a.repeats)),
        of_goals("ball", lambda a: ball.measured(a.repeats)),
        of_goals("falling piles", lambda a: piles.measured(a.up_to_size(piles.SIZES))),
        of_goals("resting piles", _resting_piles),
    ),
    "Friction models": (
        of_goals("friction models", _friction_models),
        of_goals("real time", lambda a: real_time.measured(10.0 if a.quick else real_time.SECONDS)),
    ),
    "Hip and knee": (Part("hip", _hip), Part("knee", _knee)),
    "Many runs": (of_goals("many runs", lambda a: many_runs.measured(a.engines, quick=a.quick)),),
    "First run and start": (
        of_goals("start", _start),
        of_goals("first run", lambda a: first_run.measured(("a spring",) if a.quick else first_run.PARTS)),
        Part("memory", _memory),
    ),
}
PARTS = tuple(part for parts in BY_TOPIC.values() for part in parts)
TOPICS = {part.name: topic for topic, parts in BY_TOPIC.items() for part in parts}


def measured(part: Part, asked: Asked, alone: list[str]) -> Found:
    """What a part finds; engines `alone` measure their rows in processes of their own."""
    found = part.measure(asked)
    for name in alone if part.alone else ():
        found.rows += _in_own_process(part, asked, name)
    return found


def _in_own_process(part: Part, asked: Asked, engine: str) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(__file__).with_name("run.py")
        command = [sys.executable, str(run), "--engines", engine, "--only", part.name, "--folder", folder]
        command += ["--sizes", ",".join(map(str, asked.sizes)), "--repeats", str(asked.repeats)]
        done = subprocess.run([*command, *(["--quick"] if asked.quick else [])], capture_output=True, text=True)
        if done.returncode:
            print(f"{engine} is left out: {done.stderr.strip().splitlines()[-1]}")
            return []
        stored = [json.loads(path.read_text(encoding="utf-8")) for path in Path(folder).glob("*.json")]
        return [Row.from_dict(row) for part in stored for row in part["rows"]]


def chosen(words: list[str]) -> list[Part]:
    """The parts whose name contains one of the words; all without words."""
    return [part for part in PARTS if not words or any(word in part.name for word in words)]
