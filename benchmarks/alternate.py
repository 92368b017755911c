"""Two states of Condyle's sources, step by step in turn: is any workload slower than it was?

python benchmarks/alternate.py OLD/src src                                      all workloads, 60 rounds
python benchmarks/alternate.py OLD/src src --only chains,cable --rounds 200
python benchmarks/alternate.py OLD/src src --quick                              small models, to see that it works

Both trees stay loaded in a process of their own, with their own kernels on disk. In each round each of them runs every workload
in a short burst, the other one first in every second round. Times are those of the processor, and of all bursts the shortest
counts: other work on the machine makes a burst longer and never shorter, so that the shortest of many is the step itself.
Where code lies in memory differs from process to process and changes a step by a few percent; `--processes` starts the pair
anew, and the shortest of all counts. Shown beside it is the middle half of the ratios within a round.
The exit code is 1 if the shortest burst of a workload takes more than 5 % longer than that of the old tree.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LIMIT = 1.05  # new time per step over the old one
BURST = 0.03  # seconds of the old tree in one burst
SHORT = 5  # steps of the run that is taken off, which is a start and little else
TRIED = 20  # steps of the first runs, which say how many a burst has
METHODS = ("energy–momentum", "generalized-α")


def workloads(only: list[str], quick: bool) -> dict[str, Callable[[int], float]]:
    """Names, and functions that take a number of steps, build a workload when first called and return seconds per step.

    Of a static, an iteration takes the place of a step.
    """
    import condyle as cd
    import condyle.system.compile as compiling

    if not hasattr(compiling, "running"):  # trees from before a compiled system could be shared
        compiling.running = cd.compile
    from engines import condyle as engine
    from measure import DT
    from workloads import Line, chain, human

    def wanted(family: str) -> bool:
        return not only or any(word in family for word in only)

    found: dict[str, Callable[[int], float]] = {}
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


def _stepping(make: Any, member: Any, method: str, dt: float) -> Callable[[int], float]:
    """A run without its start: of a long run, what the shortest of all short ones lacks."""
    made: list[Any] = []
    short = [math.inf]

    def seconds(steps: int) -> float:
        if not made:
            made.append(make(member, method, dt))
            made[0].run(2)

        def taken(count: int) -> float:
            began = time.process_time()
            made[0].run(count)
            return time.process_time() - began

        short[0] = min(short[0], taken(SHORT))
        return (taken(SHORT + steps) - short[0]) / steps

    return seconds


def _static(cd: Any, n: int) -> Callable[[int], float]:
    """A rubber block that is pulled: seconds per Newton iteration, with all that belongs to it."""

    def seconds(_steps: int) -> float:
        m = cd.Model("block", dimension=3)
        block = m.add(cd.Solid.block("block", (1, 1, 1), (n, n, n), cd.NeoHookean(1e6, 0.3, 1.0)))
        m.add(cd.Tie("wall", block, "left", m.ground))
        m.add(cd.Traction("pull", block, "right", (1e5, 0.0, 0.0)))
        system = cd.compile(m)
        began = time.process_time()
        result = cd.solve_static(system, steps=2)
        return (time.process_time() - began) / max(1, int(result.iterations.sum()))

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

    def end(self) -> None:
        """The process ends when nothing more can be asked."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("> "):
                return line[2:].rstrip("\n")
        raise SystemExit(f"a tree stopped with exit code {self.process.wait()}")

    def seconds(self, name: str, steps: int) -> float:
        """Time per step of a burst of a workload; infinite if this tree cannot run it."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name}\t{steps}\n")
        self.process.stdin.flush()
        return float(self._answer())


def work(only: str, quick: bool) -> None:
    """What the process of a tree does: a line with a name and a number of steps in, a line with a time out."""
    known = workloads([word for word in only.split(",") if word], quick)
    print("> " + "\t".join(known), flush=True)
    for line in sys.stdin:
        try:
            name, steps = line.rstrip("\n").split("\t")
            taken = known[name](int(steps))
        except Exception as failure:  # an older tree may not know it: the others are compared all the same
            print(f"{type(failure).__name__}: {failure}", file=sys.stderr, flush=True)
            taken = float("inf")
        print(f"> {taken!r}", flush=True)


def compared(old: Any, new: Any, rounds: int) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """Name, and seconds per step of both trees in every round; bursts of both have the same steps."""
    names = [name for name in new.names if name in old.names]
    lengths: dict[str, int] = {}
    for name in names:  # builds, loads and, where that is still to be done, compiles
        new.seconds(name, TRIED)
        old.seconds(name, TRIED)
        once = old.seconds(name, TRIED)
        lengths[name] = int(min(max(BURST / max(once, 1e-7), TRIED), 2000)) if math.isfinite(once) else TRIED
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for k in range(rounds):
        for name, steps in lengths.items():
            if k % 2:
                after = new.seconds(name, steps)
                times[name].append((old.seconds(name, steps), after))
            else:
                times[name].append((old.seconds(name, steps), new.seconds(name, steps)))
    yield from times.items()


def verdict(pairs: list[tuple[float, float]]) -> tuple[float, float, float, float, float, bool]:
    """Shortest burst of both trees, their ratio, the middle half of the ratios of rounds, and whether the new one is slower."""
    ratios = sorted(b / a for a, b in pairs)
    n = len(ratios)
    before, after = (min(values) for values in zip(*pairs, strict=True))
    return before, after, after / before, ratios[n // 4], ratios[n - 1 - n // 4], after > LIMIT * before


def main() -> None:
    """Compare, show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, nargs="?")
    parser.add_argument("new", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="of chains, human, cable, mixed, solids")
    parser.add_argument(
        "--rounds", type=int, default=60, help="bursts of each workload and tree, in each pair of processes"
    )
    parser.add_argument("--processes", type=int, default=1, help="pairs of processes, one after the other")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        work(asked.only, asked.quick)
        return
    if asked.old is None or asked.new is None:
        parser.error("name two src folders: the old one and the new one")
    times: dict[str, list[tuple[float, float]]] = {}
    for _ in range(asked.processes):
        old, new = (Tree(source, asked.only, asked.quick) for source in (asked.old, asked.new))
        for name, pairs in compared(old, new, asked.rounds):
            times.setdefault(name, []).extend(pairs)
        old.end()
        new.end()
    slower = []
    print(f"{'workload':<50}{'old µs':>10}{'new µs':>10}{'ratio':>8}  middle half")
    for name, pairs in times.items():
        before, after, ratio, low, high, worse = verdict(pairs)
        print(f"{name:<50}{1e6 * before:10.2f}{1e6 * after:10.2f}{ratio:8.3f}  {low:.3f} … {high:.3f}", flush=True)
        slower += [name] if worse else []
    print(f"slower by more than {100 * (LIMIT - 1):.0f} %: {', '.join(slower) or 'none'}")
    raise SystemExit(1 if slower else 0)


if __name__ == "__main__":
    main()
