"""Time of contact beside the linear solve: a block of hex8 pressed by a rigid ellipsoid.

python benchmarks/contact.py [cells along a side of the surface …]

Each line: points of the surface, unknowns, milliseconds of search and assembly of contact and of factorising and solving the
whole matrix, and the ratio of the two, which should stay below a quarter.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIDES = (31, 99)  # about 1,000 and 10,000 points; 315 makes 100,000
LAYERS = 3


def best(action: Callable[[], Any], least: float = 0.3) -> float:
    """Shortest time of an action [ms], repeated for at least `least` seconds."""
    shortest, began = np.inf, time.perf_counter()
    while True:
        start = time.perf_counter()
        action()
        shortest = min(shortest, time.perf_counter() - start)
        if time.perf_counter() - began > least:
            return 1e3 * shortest


def measure(n: int) -> tuple[int, int, float, float]:
    """Points, unknowns, contact and solve [ms] of one Newton iteration."""
    import condyle as cd
    from condyle.analysis import statics

    m = cd.Model("press", dimension=3)
    block = m.add(cd.Solid.block("block", (1.0, 1.0, 0.1), (n, n, LAYERS), cd.NeoHookean(1e6, 0.3, 1.0)))
    m.add(cd.Tie("base", block, "back", m.ground))
    die = m.add(cd.Frame("die", position=(0.5, 0.5, 1.095)))
    m.add(cd.Contact("contact", block, "front", die, cd.Ellipsoid((1.5, 1.2, 1.0))))
    system = cd.compile(m)
    state = cd.State(0.0, system.x_start.copy(), np.zeros_like(system.x_start), np.zeros(len(system.multipliers)))
    assert system.contact is not None
    state.memory = system.contact.start(state, None)
    step = statics._Step(statics.Statics(), system, state, 1.0)
    step.evaluate(True)
    contact = step.contact
    assert contact is not None
    evaluate = best(lambda: contact.evaluate(step.x0, step.x1, step.x1, False, 1.0, True, step.out))
    matrix = best(lambda: contact.assemble(step.out.A))
    solver, rhs = system.contact.solver, np.zeros(system.contact.unknowns)

    def solve() -> None:
        solver.factor(contact.A)
        solver.solve(rhs)

    return system.contact.points, system.contact.unknowns, evaluate + matrix, best(solve)


def main(sides: list[int]) -> None:
    """Print a line per size."""
    print(f"{'points':>8} {'unknowns':>9} {'contact ms':>11} {'solve ms':>9} {'ratio':>6}")
    for n in sides:
        points, unknowns, contact, solve = measure(n)
        print(f"{points:8d} {unknowns:9d} {contact:11.1f} {solve:9.1f} {contact / solve:6.3f}")


if __name__ == "__main__":
    main([int(a) for a in sys.argv[1:]] or list(SIDES))
