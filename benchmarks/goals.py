"""The goals, and whether the rows that were measured meet them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from measure import Row, ratio

ROUNDING = 1e-10  # relative errors below this are rounding: equal, whatever they are
EXUDYN = 0.1  # of its time per step
MUJOCO = {10: 1.0, 100: 0.5, 1000: 0.5}  # of its time per step, by number of bodies
BRANCHED = 2.0  # times the time per body of a chain
LINEAR = 1.3  # times the time per body at 100
HUMAN = (1e-5, 2e-5)  # [s] per step of 1 ms: a hundred times faster than real time, as first wanted, and fifty times
CHAINS = ("spherical chains", "revolute chains")


@dataclass
class Goal:
    """What was wanted and what was found; `row` is the row of Condyle that stands for it, `note` what else is to be said."""

    what: str
    measured: float
    limit: float
    unit: str = ""
    note: str = ""
    row: Row | None = None

    @property
    def judged(self) -> bool:
        """Whether there is a limit; without one, a number is shown for information."""
        return math.isfinite(self.limit)

    @property
    def met(self) -> bool:
        """Whether the limit is kept."""
        return bool(self.measured <= self.limit)


def as_exact(row: Row, other: Row) -> bool:
    """Whether both errors of a row are equal to or smaller than those of another, over the time that both ran."""
    steps = min(row.steps, other.steps)
    pairs = zip(row.errors_after(steps), other.errors_after(steps), strict=True)
    return all(own <= max(its, ROUNDING) for own, its in pairs)


def judge(rows: list[Row]) -> list[Goal]:
    """All goals that these rows can tell of."""
    return [*against_peers(rows), *branched(rows), *linear(rows), *human(rows)]


def against_peers(rows: list[Row]) -> Iterator[Goal]:
    """Chains against Exudyn and MuJoCo: Condyle's faster integrator whose errors are equal or smaller."""
    for peer in (row for row in rows if row.family in CHAINS and row.engine in ("exudyn", "mujoco")):
        limit = EXUDYN if peer.engine == "exudyn" else MUJOCO.get(peer.bodies)
        own = [row for row in rows if row.workload == peer.workload and row.engine == "condyle"]
        if limit is None or not own:
            continue
        exact = [row for row in own if as_exact(row, peer)]
        best = min(exact or own, key=lambda row: row.step)
        found, note = ratio(best, peer), best.failure or best.variant
        if not exact and not best.failure:
            note += f", with larger errors than {peer.engine}; the times alone: {found:.3g}"
        measured = found if exact else np.inf
        yield Goal(f"{peer.workload}: time per step, of {peer.engine}'s", measured, limit, note=note, row=best)


def fastest(rows: list[Row], family: str) -> dict[int, Row]:
    """Condyle's faster integrator on a family, by number of bodies as it was asked for."""
    found: dict[int, Row] = {}
    for row in rows:
        size = int(row.workload.rsplit(" ", 1)[-1]) if row.family == family else 0
        if size and row.engine == "condyle" and (size not in found or row.step < found[size].step):
            found[size] = row
    return found


def branched(rows: list[Row]) -> Iterator[Goal]:
    """Trees and loops against chains of the same size, per body."""
    chains = fastest(rows, "spherical chains")
    for family in ("trees", "rings", "ladders"):
        for size, row in fastest(rows, family).items():
            if size in chains:
                found = (row.step / row.bodies) / (chains[size].step / chains[size].bodies)
                note = row.failure or row.variant
                yield Goal(f"{row.workload}: time per body, of a chain's", found, BRANCHED, note=note, row=row)


def linear(rows: list[Row]) -> Iterator[Goal]:
    """The time per body of large models against that at 100 bodies, with the exponent of a fitted power of the size."""
    for family in (*CHAINS, "trees", "rings", "ladders"):
        own = {size: row for size, row in fastest(rows, family).items() if size >= 100 and not row.failure}
        largest = max(own, default=0)
        if 100 not in own or largest == 100:
            continue
        found = (own[largest].step / own[largest].bodies) / (own[100].step / own[100].bodies)
        exponent = np.polyfit(np.log([r.bodies for r in own.values()]), np.log([r.step for r in own.values()]), 1)[0]
        what = f"{family}: time per body at {largest}, of that at 100"
        yield Goal(what, found, LINEAR, note=f"time grows as n^{exponent:.2f}", row=own[largest])


def human(rows: list[Row]) -> Iterator[Goal]:
    """A hundred times and fifty times faster than real time."""
    own = [row for row in rows if row.family == "human" and row.engine == "condyle"]
    if own:
        best = min(own, key=lambda row: row.step)
        note = best.failure or f"{1e-3 / best.step:.3g} times real time, {best.variant}"
        for limit in HUMAN:
            yield Goal("human of 20 segments: time per step of 1 ms", 1e6 * best.step, 1e6 * limit, "µs", note, best)
