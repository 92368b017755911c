"""How it is measured: engines side by side on one workload, time per step and errors.

The time of a step is the difference of a long and a short run, divided by the steps between, so that neither building a
model nor its start is in it. Engines take turns within each repeat, so that a ratio compares neighbours in time.
"""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

import numpy as np
from workloads import Mechanism, at_start, energies, joint_gap

DT = 1e-3  # [s]
FRAMES = 20  # snapshots in which errors are measured
STABLE = 0.5  # largest change of energy, by the kinetic energy, of a run that counts as stable


@dataclass
class Row:
    """An engine on a workload. times: seconds per step, one for each repeat; energy, gap and shift as in `errors`.

    setup: seconds to build it; steps: of the run in which errors were measured; tried: seconds per step of all variants
    in a first trial.
    """

    workload: str
    family: str
    bodies: int
    engine: str
    variant: str
    times: list[float]
    setup: float
    steps: int
    energy: float
    gap: float
    shift: float
    tried: dict[str, float]

    @property
    def step(self) -> float:
        """Median seconds per step."""
        return statistics.median(self.times)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "step": self.step}


def ratio(one: Row, other: Row) -> float:
    """Median of the ratios of two engines, each within one repeat."""
    return statistics.median(a / b for a, b in zip(one.times, other.times, strict=True))


@dataclass
class Contender:
    """One engine with one setting, ready to run `last` steps."""

    engine: str
    variant: str
    run: Any
    last: int
    tried: dict[str, float]

    @property
    def first(self) -> int:
        """Steps of the short run."""
        return max(1, self.last // 5)

    def time(self) -> float:
        """Seconds per step."""
        short, _ = self.run.run(self.first)
        long, _ = self.run.run(self.last)
        return max(long - short, 1e-9) / (self.last - self.first)


def steps_of(bodies: int) -> int:
    """Steps of a run: a second of motion of small models, less of large ones."""
    return int(np.clip(100_000 / bodies, 40, 1000))


def measure(workload: Any, family: str, engines: dict[str, ModuleType], repeats: int, limit: float) -> list[Row]:
    """All engines on one workload; limit [s] bounds one run, so that the slowest ones do fewer steps."""
    bodies = workload.size if isinstance(workload, Mechanism) else len(workload.bodies)
    field: list[Contender] = []
    for name, engine in engines.items():
        field += choose(workload, name, engine, bodies, limit)
    if not field:
        return []
    times: list[list[float]] = [[] for _ in field]
    for _ in range(repeats):
        for contender, found in zip(field, times, strict=True):
            found.append(contender.time())
    # Errors grow with time: those that are compared are taken over the same time.
    compared = min([c.last for c in field if c.engine in ("condyle", "exudyn")], default=steps_of(bodies))
    rows = []
    for contender, found in zip(field, times, strict=True):
        energy, gap, shift = errors(workload, contender.run, min(contender.last, compared))
        rows.append(
            Row(workload.name, family, bodies, contender.engine, contender.variant, found, contender.run.setup,
                min(contender.last, compared), energy, gap, shift, contender.tried)
        )  # fmt: skip
    return rows


def choose(workload: Any, name: str, engine: ModuleType, bodies: int, limit: float) -> list[Contender]:
    """Condyle with each of its integrators; of any other engine the fastest variant that is stable."""
    wanted, trial = steps_of(bodies), int(np.clip(3000 / bodies, 2, 50))
    found = []
    for variant in engine.variants(workload):
        try:
            run = engine.Run(workload, variant, DT)
            run.run(1)
            step = max((run.run(2 * trial)[0] - run.run(trial)[0]) / trial, 1e-7)
        except Exception as failure:
            print(f"  {name}, {variant}: {failure}")
            continue
        last = int(min(wanted, max(5, limit / step)))
        found.append((step, Contender(name, variant, run, last, {})))
    tried = {contender.variant: step for step, contender in found}
    for _, contender in found:
        contender.tried = tried
    if name == "condyle":
        return [contender for _, contender in found]
    for _, contender in sorted(found, key=lambda pair: pair[0]):
        try:
            if errors(workload, contender.run, contender.last)[0] < STABLE:
                return [contender]
        except Exception as failure:
            print(f"  {name}, {contender.variant}: {failure}")
    return []


def errors(workload: Any, run: Any, steps: int) -> tuple[float, float, float]:
    """Largest change of energy and largest joint gap in a run, and how far its energy at the start is from the described one.

    Energies are divided by the largest kinetic energy, gaps by the length of a link.
    """
    if not isinstance(workload, Mechanism):
        return (*run.own_errors(steps), 0.0)
    frames = min(FRAMES, steps)
    _, taken = run.run(steps - steps % frames, frames)
    kinetic, total = np.array([energies(workload, now) for now in taken]).T
    shift = total[0] - energies(workload, at_start(workload))[1]
    gap = max(joint_gap(workload, now) for now in taken)
    return float(np.abs(total - total[0]).max() / kinetic.max()), gap, float(shift / kinetic.max())
