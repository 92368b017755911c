"""Steps of two deformable blocks on each other: nodes on facets that deform, and the mortar in space.

python benchmarks/facets.py              milliseconds of a step, and the shares of contact in it

A block of 4 × 2 × 4 hexahedra is pressed onto one of 5 × 2 × 5 and slides over it: 25 nodes on 25 facets, or the common
pieces of both surfaces. Nodes take compiled steps with energy–momentum. Others are taken in Python around kernels, and only of
those the share of contact is measured. Before feet, gradients and common pieces were kernels, a step took 43 ms with nodes and
1.0 s with the mortar.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

from goals import Goal

DT = 1e-3
BEFORE = {"nodes": 43.0, "mortar": 1000.0}  # [ms]
SHARE = {"nodes": 0.5, "mortar": 0.05}


@dataclass
class FacetRow:
    """One kind of points and one method: milliseconds of a step and of contact in it, iterations."""

    points: str
    method: str
    step: float
    contact: float
    iterations: float


def blocks(points: str, friction: float = 0.0) -> Any:
    """The upper block presses the lower one, whose base is held."""
    import condyle as cd

    m = cd.Model("blocks", gravity=(0, -9.81, 0))
    rubber = cd.NeoHookean(1e6, 0.3, 1000.0)
    low = m.add(cd.Solid.block("low", (1.0, 0.4, 1.0), (5, 2, 5), rubber))
    high = m.add(
        cd.Solid.block("high", (0.8, 0.4, 0.8), (4, 2, 4), rubber, origin=(0.1, 0.4, 0.1), velocity=(0.02, 0.0, 0.01))
    )
    m.add(cd.Traction("load", high, "top", (0.0, -2e4, 0.0), cd.Ramp(0.0, 0.01)))
    m.add(cd.Tie("base", low, "bottom", m.ground))
    m.add(cd.Contact("joint", high, "bottom", low, "top", points=points, friction=friction))
    return m


def rows(steps: int = 10, repeats: int = 3) -> list[FacetRow]:
    """Both kinds of points, with both methods."""
    import condyle as cd

    made = []
    for points in BEFORE:
        for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha()):
            sim = cd.Simulation(blocks(points), dt=DT, integrator=method)
            for _ in range(3):
                sim.step()
            best, count = float("inf"), 0
            for _ in range(repeats):
                began, count = time.process_time(), 0
                for _ in range(steps):
                    count += sim.step().iterations
                best = min(best, (time.process_time() - began) / steps)
            made.append(FacetRow(points, type(method).__name__, 1e3 * best, _contact(sim, steps), count / steps))
    return made


def _contact(sim: Any, steps: int) -> float:
    """Milliseconds of a step in contact: conditions, forces, matrix, and what is found as a step begins."""
    from condyle.contact.problem import ContactProblem
    from condyle.contact.step import ContactStep

    spent, depth = [0.0], [0]
    kept = {(kind, name): getattr(kind, name) for kind, name in _TIMED(ContactStep, ContactProblem)}

    def timed(function: Any) -> Any:
        def run(*args: Any, **named: Any) -> Any:
            depth[0] += 1
            began = time.process_time()
            try:
                return function(*args, **named)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    spent[0] += time.process_time() - began

        return run

    try:
        for (kind, name), function in kept.items():
            setattr(kind, name, timed(function))
        for _ in range(steps):
            sim.step()
    finally:
        for (kind, name), function in kept.items():
            setattr(kind, name, function)
    return 1e3 * spent[0] / steps


def _TIMED(step: Any, problem: Any) -> list[tuple[Any, str]]:
    return [(step, name) for name in ("__init__", "evaluate", "assemble", "memory")] + [(problem, "build")]


def judge(found: list[FacetRow]) -> list[Goal]:
    """A step over what it took."""
    return [
        Goal(f"two blocks, points='{row.points}', {row.method}: a step, of the {BEFORE[row.points]:g} ms it took",
             row.step / BEFORE[row.points], SHARE[row.points],
             note=f"{row.step:.3g} ms, contact {row.contact:.3g} ms, {row.iterations:.1f} iterations")
        for row in found
    ]  # fmt: skip


def main() -> None:
    """All goals as lines."""
    warnings.simplefilter("ignore")
    for goal in judge(rows()):
        print(
            f"{'met   ' if goal.met else 'missed'} {goal.what}: {goal.measured:.3g} (at most {goal.limit:g}); {goal.note}"
        )


if __name__ == "__main__":
    main()
