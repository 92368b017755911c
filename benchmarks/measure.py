"""How it is measured: engines side by side on one workload, time per step and errors.

The time of a step is the difference of a long and a short run, divided by the steps between, so that neither building a
model nor its start is in it. Engines take turns within each repeat, so that a ratio compares neighbours in time.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from workloads import Mechanism, at_start, energies, joint_gap

DT = 1e-3  # [s]
FRAMES = 20  # snapshots in which errors are measured
STABLE = 1.0  # largest change of energy, by the largest kinetic energy, of a run that counts as stable
HOPELESS = 3.0  # times slower than the best so far after three steps: a variant that is not tried further


@dataclass
class Row:
    """An engine on a workload.

    times: seconds per step, one for each repeat; setup: seconds to build it and do the first step; steps: of the run in
    which errors were measured; energy and gap: the largest so far in its snapshots, as in `errors`; shift: how far its
    energy at the start is from the described one; tried: seconds per step of all variants in a first trial. failure:
    why Condyle could not do it; its time is then infinite.
    """

    workload: str
    family: str
    bodies: int
    engine: str
    variant: str
    times: list[float]
    setup: float = 0.0
    steps: int = 0
    energy: list[float] = field(default_factory=lambda: [math.inf])
    gap: list[float] = field(default_factory=lambda: [math.inf])
    shift: float = 0.0
    tried: dict[str, float] = field(default_factory=dict)
    failure: str = ""

    @property
    def step(self) -> float:
        """Median seconds per step."""
        return statistics.median(self.times)

    def errors_after(self, steps: int) -> tuple[float, float]:
        """Energy and gap after this many steps of the run."""
        k = min(len(self.energy) - 1, max(0, steps * (len(self.energy) - 1) // max(self.steps, 1)))
        return self.energy[k], self.gap[k]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "step": self.step}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Row:
        """From JSON."""
        return cls(**{key: value for key, value in values.items() if key != "step"})


def ratio(one: Row, other: Row) -> float:
    """Median of the ratios of two engines, each within one repeat."""
    return statistics.median(a / b for a, b in zip(one.times, other.times, strict=True))


@dataclass
class Contender:
    """One engine with one setting, ready to run `last` steps."""

    engine: str
    variant: str
    run: Any
    setup: float
    last: int
    tried: dict[str, float]

    def time(self) -> float:
        """Seconds per step: of the steps of a long run that a short one lacks; of all where the clock was disturbed."""
        first = max(1, self.last // 5)
        short, _ = self.run.run(first)
        long, _ = self.run.run(self.last)
        return (long - short) / (self.last - first) if long > short else long / self.last


def steps_of(bodies: int) -> int:
    """Steps of a run: a second of motion of small models, less of large ones."""
    return int(np.clip(100_000 / bodies, 40, 1000))


def measure(workload: Any, family: str, engines: dict[str, ModuleType], repeats: int, limit: float) -> list[Row]:
    """All engines on one workload; limit [s] bounds one run, so that the slowest ones do fewer steps."""
    bodies = workload.size if isinstance(workload, Mechanism) else len(workload.bodies)
    rows: list[Row] = []
    contenders: list[Contender] = []
    for name, engine in engines.items():
        chosen, failures = choose(workload, name, engine, steps_of(bodies), limit)
        contenders += chosen
        for variant, failure in failures.items():
            print(f"  {name}, {variant}: {failure}")
            if name == "condyle":
                rows.append(Row(workload.name, family, bodies, name, variant, [math.inf] * repeats, failure=failure))
    times: list[list[float]] = [[] for _ in contenders]
    for _ in range(repeats):
        for contender, found in zip(contenders, times, strict=True):
            found.append(contender.time())
    for contender, found in zip(contenders, times, strict=True):
        energy, gap, shift = errors(workload, contender.run, contender.last)
        rows.append(
            Row(workload.name, family, bodies, contender.engine, contender.variant, found, contender.setup,
                contender.last, energy, gap, shift, contender.tried)
        )  # fmt: skip
    return rows


def choose(
    workload: Any, name: str, engine: ModuleType, wanted: int, limit: float
) -> tuple[list[Contender], dict[str, str]]:
    """Condyle with each of its integrators; of any other engine the fastest variant that is stable. And what failed."""
    found, failures = [], {}
    hopeless: dict[str, float] = {}
    for variant in engine.variants(workload):
        try:
            run = engine.Run(workload, variant, DT)
            setup = run.setup + run.run(1, 1)[0]
            single = run.run(1)[0]
            step = max(run.run(4)[0] - single, 3e-7) / 3 if single < limit else single
            if name != "condyle" and step > HOPELESS * min((s for s, _ in found), default=np.inf):
                hopeless[variant] = step
                continue
            if step < 0.1 * limit:
                trial = int(np.clip(0.1 * limit / step, 2, wanted // 3))
                spans = [run.run(3 * trial)[0] - run.run(trial)[0] for _ in range(3)]
                step = max(statistics.median(spans), 2e-7) / (2 * trial)
            last = int(min(wanted, max(3, limit / step)))
            if name == "condyle":
                run.run(last)
        except Exception as failure:
            failures[variant] = str(failure) or type(failure).__name__
            continue
        found.append((step, Contender(name, variant, run, setup, last, {})))
    tried = hopeless | {contender.variant: step for step, contender in found}
    for _, contender in found:
        contender.tried = tried
    if name == "condyle":
        return [contender for _, contender in found], failures
    for _, contender in sorted(found, key=lambda pair: pair[0]):
        try:
            if errors(workload, contender.run, contender.last)[0][-1] < STABLE:
                return [contender], failures
            failures[contender.variant] = "is not stable at this step"
        except Exception as failure:
            failures[contender.variant] = str(failure) or type(failure).__name__
    return [], failures


def errors(workload: Any, run: Any, steps: int) -> tuple[list[float], list[float], float]:
    """Change of energy and joint gap, the largest until each snapshot; how far the energy starts from the described one.

    Energies are divided by the largest kinetic energy, gaps by the length of a link.
    """
    if not isinstance(workload, Mechanism):
        energy, gap = run.own_errors(steps)
        return [energy], [gap], 0.0
    frames = min(FRAMES, steps)
    _, taken = run.run(steps - steps % frames, frames)
    kinetic, total = np.array([energies(workload, now) for now in taken]).T
    largest = np.maximum.accumulate(kinetic)
    change = np.maximum.accumulate(np.abs(total - total[0])) / largest
    gap = np.maximum.accumulate([joint_gap(workload, now) for now in taken])
    shift = total[0] - energies(workload, at_start(workload))[1]
    return change.tolist(), gap.tolist(), float(shift / largest[-1])
