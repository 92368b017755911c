"""How the time and the memory of a model grow: described, compiled, started, stepped.

    python benchmarks/growth.py                     chains of 1000 to 100,000 bodies, blocks of up to 1,000,000 tetrahedra
    python benchmarks/growth.py chain 10000         one size, in this process
    python benchmarks/growth.py hinges 10000        the same with hinges
    python benchmarks/growth.py hex8 70             a block of 70 × 70 × 70 hexahedra: a million unknowns
    python benchmarks/growth.py joined 20           40 × 20 × 20 hexahedra, held by multipliers, with a weight on a ball joint

Each size has a process of its own, so that its peak memory is its own. Steps are the second and the third; the first also
finds the order of elimination or the levels of the multigrid, and counts as part of the start. Kernels are compiled before,
by a small model of the same kind. Tables have times of the clock, and in brackets of the processor.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from processes import own_peak

SIZES = (
    ("chain", 1000),
    ("chain", 10_000),
    ("chain", 100_000),
    ("hinges", 10_000),
    ("tet4", 12),
    ("tet4", 26),
    ("tet4", 55),
    ("hex8", 40),
    ("hex8", 70),
    ("joined", 20),
)
STEP = {"chain": 1e-3, "hinges": 1e-3, "tet4": 1e-2, "hex8": 1e-2, "joined": 1e-2}  # [s]


@dataclass
class Growth:
    """One size: parts (bodies or elements), unknowns; seconds of describing, compiling, starting, of a step; memory [MB].

    processor: the same four as seconds of a processor, of all threads together; other work on the machine changes them less.
    """

    kind: str
    parts: int
    unknowns: int
    described: float
    compiled: float
    started: float
    step: float
    memory: float
    processor: list[float]


def chain(bodies: int, *, hinges: bool = False) -> Any:
    """A hanging chain of rigid links on ball joints or hinges, which falls from the horizontal."""
    import condyle as cd

    model = cd.Model("chain", gravity=(0, 0, -9.81))
    before: Any = model.ground
    for k in range(bodies):
        link = model.add(cd.RigidBody.box(f"link {k}", (0.2, 0.04, 0.02), 1000.0, position=(0.2 * k + 0.1, 0, 0)))
        place = (0.2 * k, 0, 0)
        if hinges:
            model.add(cd.Revolute(f"joint {k}", before, link, at=place, axis=(0, 1, 0)))
        else:
            model.add(cd.Spherical(f"joint {k}", before, link, at=place))
        before = link
    return model


def block(element: str, cells: int) -> Any:
    """A rubber cube of these cells along each side, held at a face, under its weight."""
    import condyle as cd

    model = cd.Model("block", gravity=(0, 0, -9.81))
    material = cd.NeoHookean(1e6, 0.3, 1e3)
    cube = model.add(cd.Solid.block("cube", (1, 1, 1), (cells,) * 3, material, element=element))
    model.add(cd.Tie("wall", cube, "left", model.ground))
    return model


def joined(cells: int) -> Any:
    """A rubber bar of 2 × 1 × 1 times these cells: a tie and a ball joint hold it and its weight by multipliers."""
    import condyle as cd

    model = cd.Model("bar", gravity=(0, 0, -9.81))
    bar = cd.Solid.block("bar", (2, 1, 1), (2 * cells, cells, cells), cd.NeoHookean(1e6, 0.3, 1e3), element="hex8")
    model.add(bar)
    model.add(cd.Tie("wall", bar, "left", model.ground, enforcement="multiplier"))
    weight = model.add(cd.RigidBody("weight", 20.0, inertia=(1, 1, 1), position=(2, 1, 1)))
    model.add(cd.Spherical("joint", weight, bar.point(len(bar.nodes) - 1)))
    return model


def grown(kind: str, size: int) -> Growth:
    """Everything that one size takes, in this process."""
    import condyle as cd
    from condyle.system.compile import compile

    def described(n: int) -> Any:
        rigid = kind in ("chain", "hinges")
        return chain(n, hinges=kind == "hinges") if rigid else joined(n) if kind == "joined" else block(kind, n)

    warm = cd.Simulation(compile(described(min(size, 12 if kind == "joined" else 20))), dt=STEP[kind])
    warm.step()
    describing, model = timed(lambda: described(size))
    compiling, system = timed(lambda: compile(model))

    def begun() -> Any:
        simulation = cd.Simulation(system, dt=STEP[kind])
        simulation.step()
        return simulation

    starting, simulation = timed(begun)
    spans = [describing, compiling, starting, min(timed(simulation.step)[0] for _ in range(2))]
    clock, processor = [span[0] for span in spans], [span[1] for span in spans]
    parts = system.energies.law.size or size
    return Growth(kind, parts, system.unknowns, *clock, own_peak(), processor)


def timed(action: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Time of the clock and of the processor [s], and what the action gives."""
    began, used = time.perf_counter(), time.process_time()
    made = action()
    return (time.perf_counter() - began, time.process_time() - used), made


def in_own_process(kind: str, size: int) -> Growth | None:
    """The same in a process of its own; None if that fails."""
    done = subprocess.run([sys.executable, __file__, kind, str(size)], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr[-400:], file=sys.stderr)
        return None
    return Growth(**json.loads(done.stdout.splitlines()[-1]))


COLUMNS = ("kind", "parts", "unknowns", "described s", "compiled s", "started s", "a step s", "memory MB")


def measured(sizes: tuple[tuple[str, int], ...] = SIZES) -> list[Growth]:
    """All sizes, one after the other; those that fail are left out."""
    return [row for kind, size in sizes if (row := in_own_process(kind, size))]


def cells(rows: list[Growth]) -> list[tuple[str, ...]]:
    """Rows of the table."""
    return [
        (row.kind, f"{row.parts:,}", f"{row.unknowns:,}",
         *(f"{t:.3g} ({own:.3g})" for t, own in zip(
             (row.described, row.compiled, row.started, row.step), row.processor, strict=True)), f"{row.memory:.0f}")
        for row in rows
    ]  # fmt: skip


def main() -> None:
    """A table on paper, or a line of JSON of one size."""
    if len(sys.argv) == 3:
        print(json.dumps(asdict(grown(sys.argv[1], int(sys.argv[2])))))
        return
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for size in SIZES:
        for row in cells(measured((size,))):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
