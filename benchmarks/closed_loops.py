"""Closed loops of rigid bodies: planar ladders of pinned four-bars, and loops in space whose hinges are redundant.

    python benchmarks/closed_loops.py

Prints microseconds per step of energy–momentum, the shortest of repeated runs. All steps must be taken in compiled code.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from goals import Goal

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

STEPS, DT = 2000, 1e-3
PER_BODY = 12.0  # [µs] per step and body of a planar loop
REDUNDANT = 100.0  # [µs] per step of a loop in space of three to five bodies


def measured(repeats: int = 3) -> Iterator[Goal]:
    """Goals of all loops; one that falls back to Python fails."""
    from loops import bricard, four_bar, planar_four_bar, planar_ladder

    for name, model, bodies in (
        ("planar four-bar", planar_four_bar(), 3),
        ("planar ladder of 3 loops", planar_ladder(3), 9),
        ("planar ladder of 10 loops", planar_ladder(10), 30),
    ):
        step, note = _step(model, repeats)
        yield Goal(f"{name}: time per step and body", step / bodies, PER_BODY, "µs", note)
    for name, model in (("four-bar of four hinges in space", four_bar()), ("Bricard's loop", bricard())):
        step, note = _step(model, repeats)
        yield Goal(f"{name}, redundant: time per step", step, REDUNDANT, "µs", note)


def _step(model: object, repeats: int) -> tuple[float, str]:
    """Microseconds per step, infinite if a step was not compiled, and what there is to say."""
    import condyle as cd

    shortest = np.inf
    for _ in range(repeats):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cd.RedundancyWarning)
            result = cd.simulate(model, end=STEPS * DT, dt=DT, every=STEPS)
        if result.in_python:
            return np.inf, "; ".join(result.in_python)
        shortest = min(shortest, 1e6 * result.wall_time / STEPS)
    return shortest, f"{shortest:.1f} µs per step, {result.iterations.mean():.1f} iterations"


if __name__ == "__main__":
    for goal in measured():
        print(f"{goal.what:<55} {goal.measured:8.2f} {goal.unit}, wanted {goal.limit:g}: {goal.note}")
