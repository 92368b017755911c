"""Solids in space with nothing installed but SciPy: the multifrontal solver beside SuperLU and, where there is one, PARDISO.

    python benchmarks/plain_wheels.py [cells per side of hex8]

Prints milliseconds of a later factorisation and solution, the shortest of three, on real matrices: a block that is clamped by
elimination, and one that multipliers tie to the ground and to a guided plate (a saddle point).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from goals import Goal

CELLS = 16  # per side of hex8, half as many of tet10: 4,913 nodes
LIMIT = 2000.0  # [ms]
AGAINST_SUPERLU = 0.5  # of its time


def block(element: str, cells: int, held_by: str) -> Any:
    """A cube on the ground, with multipliers also under a plate."""
    import condyle as cd

    m = cd.Model(f"{element} {held_by}", dimension=3)
    cube = m.add(
        cd.Solid.block("block", (1.0, 1.0, 1.0), (cells,) * 3, cd.NeoHookean(1e6, 0.3, 1000.0), element=element)
    )
    m.add(cd.Tie("base", cube, "bottom", m.ground, enforcement=held_by))
    if held_by == "multiplier":
        plate = m.add(cd.RigidBody("plate", 100.0, inertia=(1.0, 1.0, 1.0), position=(0.5, 0.5, 1.0)))
        m.add(cd.Prismatic("guide", m.ground, plate, at=plate.position, axis=(0, 0, 1)))
        m.add(cd.Tie("cap", cube, "top", plate, enforcement=held_by))
    return m


def measured(cells: int = CELLS) -> Iterator[Goal]:
    """Goals of both elements, clamped and tied."""
    from condyle.analysis import statics
    from condyle.system.compile import running
    from condyle.system.linear import available_solvers, make_solver
    from condyle.system.start import consistent_state

    for element, n in (("hex8", cells), ("tet10", cells // 2)):
        for held_by in ("eliminate", "multiplier"):
            system = running(block(element, n, held_by))
            state, _ = consistent_state(system)
            step = statics._Step(statics.Statics(), system, state, 0.1)
            step.evaluate(True)
            values = step.out.A.copy()
            system.regularise(values)
            times = {}
            for kind in ("multifrontal", "sparse", *(["pardiso"] if "pardiso" in available_solvers() else [])):
                solver = make_solver(system.pattern, kind).told(system.solver)
                times[kind] = _milliseconds(solver, values)
            what = f"{element} block of {system.unknowns:,} unknowns, {'clamped' if held_by == 'eliminate' else 'tied'}"
            note = ", ".join(f"{kind} {ms:.0f} ms" for kind, ms in times.items())
            yield Goal(f"{what}, without PARDISO", times["multifrontal"], LIMIT, "ms", note)
            yield Goal(
                f"{what}: of SuperLU's time", times["multifrontal"] / times["sparse"], AGAINST_SUPERLU, note=note
            )


def _milliseconds(solver: Any, values: np.ndarray) -> float:
    solver.factor(values)
    rhs, shortest = np.linspace(-1.0, 1.0, solver.pattern.n), np.inf
    for _ in range(3):
        start = time.perf_counter()
        solver.factor(values)
        solver.solve(rhs)
        shortest = min(shortest, time.perf_counter() - start)
    return 1e3 * shortest


if __name__ == "__main__":
    for goal in measured(int(sys.argv[1]) if len(sys.argv) > 1 else CELLS):
        print(f"{goal.what:<70} {goal.measured:8.3g} {goal.unit}, wanted {goal.limit:g}: {goal.note}", flush=True)
