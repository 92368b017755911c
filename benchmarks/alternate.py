"""Two states of Condyle's sources, step by step in turn: is any workload slower than it was?

python benchmarks/alternate.py OLD/src src                                      all workloads, 15 rounds
python benchmarks/alternate.py OLD/src src --only chains,cable --rounds 5
python benchmarks/alternate.py OLD/src src --quick                              small models, to see that it works

Both trees stay loaded in a process of their own, with their own kernels on disk. In each round each of them runs every workload
once, the other one first in every second round. Shown are the medians of the times per step and of the ratios within a round,
with the middle half of these ratios: noise of the machine is wider than a real change as long as that half holds 1.
The exit code is 1 if a median ratio is above the limit and the middle half lies above 1 altogether.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LIMIT = 1.05  # new time per step over the old one
METHODS = ("energy–momentum", "generalized-α")


def workloads(only: list[str], quick: bool) -> dict[str, Callable[[], float]]:
    """Names, and functions that build a workload when first called and return seconds per step (of a static: iteration)."""
    import condyle as cd
    import condyle.system.compile as compiling

    if not hasattr(compiling, "running"):  # trees from before a compiled system could be shared
        compiling.running = cd.compile
    from engines import condyle as engine
    from measure import DT
    from workloads import Line, chain, human

    def wanted(family: str) -> bool:
        return not only or any(word in family for word in only)

    found: dict[str, Callable[[], float]] = {}
    families: dict[str, list[Any]] = {
        "chains": [chain(10), chain(100), chain(100, hinges=True)][: 1 if quick else 3],
        "human": [human()],
        "cable": [Line(32, damping=1e-3), Line(128, damping=1e-3)][: 1 if quick else 2],
        "mixed": [engine.mixed(10)],
    }
    for family, members in families.items():
        for member in members if wanted(family) else ():
            for method in METHODS:
                make = engine.LineRun if isinstance(member, Line) else engine.Run
                found[f"{member.name}, {method}"] = _stepping(make, member, method, DT)
    if wanted("solids"):
        for n in (4,) if quick else (6, 12):
            found[f"block of {n}³ hex8, statics"] = _static(cd, n)
    return found


def _stepping(make: Any, member: Any, method: str, dt: float) -> Callable[[], float]:
    """A run of about a tenth of a second, without its start: of a long run, what a short one lacks."""
    made: list[Any] = []

    def seconds() -> float:
        if not made:
            run = make(member, method, dt)
            run.run(2)
            single = max(run.run(40)[0] - run.run(10)[0], 1e-6) / 30
            made.extend((run, max(20, min(2000, int(0.1 / single)))))
        run, steps = made
        return (run.run(steps + 5)[0] - run.run(5)[0]) / steps

    return seconds


def _static(cd: Any, n: int) -> Callable[[], float]:
    """A rubber block that is pulled: seconds per Newton iteration, with all that belongs to it."""

    def seconds() -> float:
        m = cd.Model("block", dimension=3)
        block = m.add(cd.Solid.block("block", (1, 1, 1), (n, n, n), cd.NeoHookean(1e6, 0.3, 1.0)))
        m.add(cd.Tie("wall", block, "left", m.ground))
        m.add(cd.Traction("pull", block, "right", (1e5, 0.0, 0.0)))
        system = cd.compile(m)
        began = time.perf_counter()
        result = cd.solve_static(system, steps=2)
        return (time.perf_counter() - began) / max(1, int(result.iterations.sum()))

    return seconds


class Tree:
    """A process that has loaded one state of the sources and runs what it is asked for."""

    def __init__(self, source: Path, only: str, quick: bool) -> None:
        if not (source / "condyle" / "__init__.py").exists():
            raise SystemExit(f"{source} holds no package condyle; name the src folder of a checkout")
        environment = os.environ | {"PYTHONPATH": str(source.resolve()), "CONDYLE_QUIET": "1"}
        command = [sys.executable, __file__, "--worker", "--only", only, *(["--quick"] if quick else [])]
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent,
        )
        self.names = self._answer().split("\t")

    def _answer(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("> "):
                return line[2:].rstrip("\n")
        raise SystemExit(f"a tree stopped with exit code {self.process.wait()}")

    def seconds(self, name: str) -> float:
        """Time per step of a workload; infinite if this tree cannot run it."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self._answer())


def work(only: str, quick: bool) -> None:
    """What the process of a tree does: a line with a name in, a line with a time out."""
    known = workloads([word for word in only.split(",") if word], quick)
    print("> " + "\t".join(known), flush=True)
    for line in sys.stdin:
        try:
            taken = known[line.rstrip("\n")]()
        except Exception as failure:  # an older tree may not know it: the others are compared all the same
            print(f"{type(failure).__name__}: {failure}", file=sys.stderr, flush=True)
            taken = float("inf")
        print(f"> {taken!r}", flush=True)


def compared(old: Any, new: Any, rounds: int) -> Iterator[tuple[str, float, float, list[float]]]:
    """Name, median seconds of both, and the ratios of all rounds, in order."""
    names = [name for name in new.names if name in old.names]
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for tree in (old, new):  # builds, loads and, where that is still to be done, compiles
        for name in names:
            tree.seconds(name)
    for k in range(rounds):
        for name in names:
            if k % 2:
                after = new.seconds(name)
                times[name].append((old.seconds(name), after))
            else:
                times[name].append((old.seconds(name), new.seconds(name)))
    for name, pairs in times.items():
        before, after = (statistics.median(values) for values in zip(*pairs, strict=True))
        yield name, before, after, sorted(b / a for a, b in pairs)


def verdict(ratios: list[float]) -> tuple[float, float, float, bool]:
    """Median of the ratios, the ends of their middle half, and whether the new tree is slower."""
    n = len(ratios)
    low, high = ratios[n // 4], ratios[n - 1 - n // 4]
    middle = statistics.median(ratios)
    return middle, low, high, not (middle <= LIMIT or low <= 1.0)


def main() -> None:
    """Compare, show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, nargs="?")
    parser.add_argument("new", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="of chains, human, cable, mixed, solids")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        work(asked.only, asked.quick)
        return
    if asked.old is None or asked.new is None:
        parser.error("name two src folders: the old one and the new one")
    trees = [Tree(source, asked.only, asked.quick) for source in (asked.old, asked.new)]
    slower = []
    print(f"{'workload':<50}{'old µs':>10}{'new µs':>10}{'ratio':>8}  middle half")
    for name, before, after, ratios in compared(*trees, asked.rounds):
        middle, low, high, worse = verdict(ratios)
        print(f"{name:<50}{1e6 * before:10.1f}{1e6 * after:10.1f}{middle:8.3f}  {low:.3f} … {high:.3f}", flush=True)
        slower += [name] if worse else []
    print(f"slower by more than {100 * (LIMIT - 1):.0f} %: {', '.join(slower) or 'none'}")
    raise SystemExit(1 if slower else 0)


if __name__ == "__main__":
    main()
