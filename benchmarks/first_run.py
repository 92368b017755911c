"""How long the very first run takes: nothing is compiled, all kernels are made into a folder that is thrown away.

python benchmarks/first_run.py            README's pendulum from nothing, then what each further kind of part adds
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from goals import Goal
from processes import ENVIRONMENT

README = Path(__file__).resolve().parent.parent / "README.md"
FROM_NOTHING = 25.0  # [s]
ADDED = 5.0  # [s] by a further kind of part
WARM = 1.5  # [s] to the first step of a script, with kernels on disk
RUN = "result = cd.simulate(model, end=0.02, dt=0.01)\n"
# What is added to the pendulum: lines of its script before the run.
PARTS = {
    "a spring": "model.add(cd.Spring('spring', model.ground.at(0, 1, 0.5), bar.at(0, 0.5, 0), 100.0))\n",
    "a muscle": (
        "model.add(cd.Muscle('muscle', [cd.Point(model.ground, (0, -0.1, 0.3)), cd.Point(bar, (0, 0, 0.03))], 600, 0.3, 0.2))\n"
    ),
    "a cable": (
        "steel = cd.StVenantKirchhoff(1e7, density=1000.0)\n"
        "model.add(cd.Cable('rope', [(0, 1, 0), (0, 2, 0)], elements=4, section=cd.RoundSection(0.01, steel)))\n"
    ),
    "a solid block": (
        "block = model.add(cd.Solid.block('block', (0.2, 0.2, 0.2), (1, 1, 1), cd.NeoHookean(1e6, 0.3, 1e3)))\n"
        "model.add(cd.Tie('glue', block, 'left', model.ground))\n"
    ),
    "a contact": (
        "model.add(cd.Contact('floor', bar, [(0, 0.5, 0)], model.ground, cd.Plane((0, 0, 1)), law='penalty', stiffness=1e5))\n"
    ),
}


class Taken(NamedTuple):
    """How long a script took: on the wall, and of processors, which tells more where others work on the same machine [s]."""

    wall: float
    processors: float

    @property
    def note(self) -> str:
        """The second, in words."""
        return f"{self.processors:.1f} s of processors"


def pendulum() -> str:
    """The script of the README."""
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)[0]


def with_part(lines: str) -> str:
    """The model of the README with a further part, and two steps of it."""
    return pendulum().split("result =")[0] + lines + RUN


def seconds(script: str, cache: Path) -> Taken:
    """Time of a script with its kernels in `cache`; infinite, and its error is shown, if it fails."""
    environment = ENVIRONMENT | {"CONDYLE_CACHE": str(cache), "CONDYLE_QUIET": "1", "MPLBACKEND": "agg"}
    with tempfile.TemporaryDirectory() as folder:
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, cwd=folder, capture_output=True, text=True
        )
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1], flush=True)
        return Taken(float("inf"), float("inf"))
    return Taken(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measured(
    parts: Iterable[str] = tuple(PARTS), run: Callable[[str, Path], Taken] = seconds
) -> list[Goal]:  # fmt: skip
    """The goals of a first run: the pendulum from nothing, a step of it from then on, and what each of the parts adds."""
    with tempfile.TemporaryDirectory(prefix="condyle-first-run-") as folder:
        cache = Path(folder) / "pendulum"
        first, warm = run(pendulum(), cache), run(with_part(""), cache)
        goals = [
            Goal("README's pendulum, nothing compiled", first.wall, FROM_NOTHING, "s", first.note),
            Goal("its first step, kernels on disk", warm.wall, WARM, "s", warm.note),
        ]
        for name in parts:
            copy = Path(folder) / "more"
            shutil.copytree(cache, copy)
            taken = run(with_part(PARTS[name]), copy)
            longer = Taken(taken.wall - warm.wall, taken.processors - warm.processors)
            goals.append(Goal(f"{name} in it, not compiled yet: longer by", longer.wall, ADDED, "s", longer.note))
            shutil.rmtree(copy)
    return goals


if __name__ == "__main__":
    for goal in measured():
        told = f"{goal.what}: {goal.measured:.1f} {goal.unit} ({goal.note}), at most {goal.limit:g}"
        print(f"{told}: {'' if goal.met else 'not '}met", flush=True)
    print(f"on {os.cpu_count()} processors")
