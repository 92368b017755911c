"""Tables 5.1 and 5.2 of hewlett-2020: how long 10 s of a flexible pendulum take, three schemes at their published steps.

The machine of the source is not known, so times are compared as ratios: of each scheme to the one that the source proposes.

python benchmarks/pendulum_tables.py        the table alone, about a minute
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from goals import Goal

SPAN = 10.0  # [s] simulated
STEPS = {"semi-implicit": 2000, "Newmark": 60, "proposed": 100}  # that are timed
# Tables 5.1 and 5.2: (elements, stiff or soft) -> elapsed time of the three schemes [s].
ELAPSED = {
    (16, "stiff"): (2680.2, 5791.2, 6.14),
    (16, "soft"): (66.9, 322.7, 6.15),
    (5, "stiff"): (102.613, 378.124, 0.429),
    (5, "soft"): (4.251, 9.672, 0.396),
}
COLUMNS = ("pendulum", "scheme", "step", "10 s take", "of the proposed scheme's time", "published", "published ratio")


@dataclass
class TableRow:
    """One scheme on one pendulum: step, elapsed time of 10 s here and as published, all [s]."""

    case: str
    scheme: str
    step: float
    elapsed: float
    published: float
    ratio: float = 1.0  # to the proposed scheme, here
    published_ratio: float = 1.0


def seconds_per_step(case: tuple[int, str], scheme: str, step: float, repeats: int) -> float:
    """Shortest processor time of a step, of those that a long run has more than a short one: without compiling and start."""
    import condyle as cd
    from condyle.studies.ancf_pendulum import STUDY, cable_model, method

    system = cd.compile(cable_model(STUDY.values(), case[1], case[0], clamped=False))
    long = STEPS[scheme]
    short = long // 5

    def run(steps: int) -> float:
        began = time.process_time()
        cd.simulate(system, end=steps * step, dt=step, integrator=method(scheme), every=steps)
        return time.process_time() - began

    run(short)  # loads what is compiled
    long_one, short_one = (min(run(steps) for _ in range(repeats)) for steps in (long, short))
    return max(long_one - short_one, 0.0) / (long - short)


def measured(repeats: int) -> list[TableRow]:
    """All schemes in all four cases."""
    from condyle.studies.ancf_pendulum import PUBLISHED, SCHEMES

    rows = []
    for case, times in ELAPSED.items():
        found = [
            SPAN / step * seconds_per_step(case, scheme, step, repeats)
            for scheme, step in zip(SCHEMES, PUBLISHED[case], strict=True)
        ]
        name = f"{case[0]} elements, {case[1]}"
        rows += [
            TableRow(name, scheme, step, own, its, own / found[-1], its / times[-1])
            for scheme, step, own, its in zip(SCHEMES, PUBLISHED[case], found, times, strict=True)
        ]
    return rows


def judge(rows: list[TableRow]) -> list[Goal]:
    """No scheme takes longer here than was published."""
    return [
        Goal(f"pendulum of {row.case}, {row.scheme}, 10 s in steps of {row.step:g} s: time, of the published", measured=
             row.elapsed / row.published, limit=1.0, note=f"{row.elapsed:.3g} s; published {row.published:g} s")
        for row in rows
    ]  # fmt: skip


def cells(rows: list[TableRow]) -> list[tuple[str, ...]]:
    """The table."""
    return [
        (r.case, r.scheme, f"{r.step:g} s", f"{r.elapsed:.3g} s", f"{r.ratio:.0f}", f"{r.published:g} s",
         f"{r.published_ratio:.0f}")
        for r in rows
    ]  # fmt: skip


def facts(rows: list[TableRow]) -> list[dict[str, Any]]:
    """For the JSON of the benchmark."""
    return [asdict(row) for row in rows]


if __name__ == "__main__":
    from report import markdown

    found = measured(repeats=3)
    print("\n".join(markdown(COLUMNS, cells(found))))
    print(f"geometric mean of the ratios over the published ones: "
          f"{np.exp(np.mean([np.log(r.ratio / r.published_ratio) for r in found if r.scheme != 'proposed'])):.2g}")  # fmt: skip
