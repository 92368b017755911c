"""Steps of a crane one by one, sixty in a second, as a driver at a joystick has them: how many are late, and what a step takes.

The winch pulls in and lets out in turn. A step is late if it takes longer than a sixtieth of a second; late by the processor
are those that would be on an idle machine.

python benchmarks/real_time.py [seconds to simulate, 600 unless given]
"""

from __future__ import annotations

import gc
import sys
import time
import warnings
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
from goals import Goal

import condyle as cd
from condyle.studies import crane_pulleys

SECONDS, WARM, PERIOD = (
    600.0,
    10,
    5.0,
)  # simulated; steps before the first that counts; of pulling in and letting out [s]


def crane_steps(seconds: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Time and processor time of each step [s], and how many were not solved."""
    p = SimpleNamespace(**{name: given.default for name, given in crane_pulleys.PARAMETERS.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = cd.Simulation(crane_pulleys.crane(p), dt=1.0 / p.rate, integrator=cd.Nonsmooth(geometric=True))
        gc.collect()
        gc.freeze()  # as `sim.run(until, pace=1.0)` does: all of Python's objects would be looked through in one step
        clock, processor, unsolved = [], [], 0
        for k in range(WARM + round(seconds * p.rate)):
            sim.inputs["winch speed"] = -p.speed * np.sin(2.0 * np.pi * sim.time / PERIOD)
            start = time.perf_counter(), time.process_time()
            unsolved += bool(sim.step().unsolved)
            if k >= WARM:
                clock.append(time.perf_counter() - start[0])
                processor.append(time.process_time() - start[1])
        gc.unfreeze()
    return np.array(clock), np.array(processor), unsolved


def measured(seconds: float = SECONDS) -> Iterator[Goal]:
    """Late steps, and the mean step over real time."""
    clock, processor, unsolved = crane_steps(seconds)
    limit = 1.0 / crane_pulleys.PARAMETERS["rate"].default
    note = (
        f"{len(clock)} steps; processor time {1e3 * processor.mean():.2f} ms in the mean, "
        f"{1e3 * np.quantile(processor, 0.99):.2f} ms of 99 %, {1e3 * processor.max():.2f} ms at most; {unsolved} not solved"
    )
    yield Goal("crane at 60 Hz: late steps", float(np.sum(clock > limit)), 0.0, note=note)
    yield Goal("crane at 60 Hz: steps late by the processor", float(np.sum(processor > limit)), 0.0, note=note)
    yield Goal("crane at 60 Hz: processor time over simulated time", processor.mean() / limit, 1.0, note=note)


if __name__ == "__main__":
    for goal in measured(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS):
        print(f"{goal.what}: {goal.measured:.3g} ({goal.note})", flush=True)
