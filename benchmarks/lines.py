"""Cables and beams: against exudyn at equal or smaller error, in real time, and how the cost grows with the elements.

The error of a run is the distance of its free end from where the same elements have it with steps that are ten times finer.
Elements are alike in both engines (stretch |r'| − 1, curvature of the material line), which the fine runs confirm.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from types import ModuleType

import numpy as np
from goals import LINEAR, Goal
from measure import DT
from workloads import Line

CABLES = {8: 0.5, 32: 0.25, 128: 0.25}  # elements -> wanted part of exudyn's time per step
BEAM = 0.1  # wanted part of exudyn's time per step, at equal error of the end
SPAN = 0.3  # [s] of motion over which ends are compared
FRAME = 1.0 / 60.0  # [s] per picture
PUBLISHED = 10.0 / 6.14  # times real time, table 5.1 of hewlett-2020: 16 elements, steps of 0.06 s
SLACK = 1e-9  # of the length: errors below are equal
ALIKE = 1.05  # two methods of second order differ by less in their errors: these are equal, too


def judge_lines(found: dict[str, ModuleType], repeats: int, *, quick: bool) -> Iterator[Goal]:
    """All goals of cables and beams."""
    condyle = found["condyle"]
    if "exudyn" in found:
        for elements, limit in CABLES.items():
            if not (quick and elements > 32):
                yield against(condyle, found["exudyn"], Line(elements, damping=1e-3), limit, repeats)
        yield beam(condyle, found["exudyn"], repeats)
    yield from in_real_time(condyle, quick)
    yield crane()
    yield growth(condyle, 1000 if quick else 10_000, repeats)


def timed(run: object, steps: int, repeats: int) -> float:
    """Median seconds per step, of the steps that a long run has more than a short one."""
    short = max(2, steps // 5)
    run.run(2)  # type: ignore[attr-defined]
    spans = [run.run(steps)[0] - run.run(short)[0] for _ in range(repeats)]  # type: ignore[attr-defined]
    return max(statistics.median(spans), 1e-9) / (steps - short)


def against(condyle: ModuleType, exudyn: ModuleType, line: Line, limit: float, repeats: int) -> Goal:
    """A cable: Condyle's fastest integrator whose error is equal or smaller."""
    steps = round(SPAN / DT)
    fine = condyle.LineRun(line, "energy–momentum", 0.1 * DT).run(10 * steps)[1]
    timing = steps if line.elements < 100 else steps // 5
    peer = [exudyn.LineRun(line, variant, DT) for variant in ("sparse", "dense")[: 1 if line.elements > 32 else 2]]
    its = min(timed(run, timing, repeats) for run in peer)
    its_error = float(np.linalg.norm(peer[0].run(steps)[1] - fine)) / line.length
    own: dict[str, tuple[float, float]] = {}
    for variant in condyle.INTEGRATORS:
        run = condyle.LineRun(line, variant, DT)
        error = float(np.linalg.norm(run.run(steps)[1] - fine)) / line.length
        own[variant] = timed(run, timing, repeats), error
    exact = {name: pair for name, pair in own.items() if pair[1] <= max(ALIKE * its_error, SLACK)}
    best = min(exact or own, key=lambda name: own[name][0])
    ratio = own[best][0] / its
    note = f"{best}: {1e6 * own[best][0]:.0f} µs, error {own[best][1]:.1e}; exudyn {1e6 * its:.0f} µs, {its_error:.1e}"
    others = ", ".join(f"{name} {1e6 * pair[0]:.0f} µs, {pair[1]:.1e}" for name, pair in own.items() if name != best)
    return Goal(f"{line.name}: time per step, of exudyn's", ratio if exact else np.inf, limit, note=f"{note}; {others}")


def beam(condyle: ModuleType, exudyn: ModuleType, repeats: int) -> Goal:
    """A clamped beam that falls: the fewest of Condyle's elements that are as exact as eight of exudyn's, of either kind."""
    steps, thick = 100, {"dimension": 3, "radius": 0.05, "young": 1e7, "length": 1.0}
    fine = condyle.LineRun(Line(32, "beam", **thick), "energy–momentum", 0.25 * DT).run(4 * steps)[1]
    peer = exudyn.LineRun(Line(8, "beam", **thick), "sparse", DT)
    its_error = float(np.linalg.norm(peer.run(steps)[1] - fine))
    its = timed(peer, steps, repeats)
    own: list[tuple[float, str]] = []
    for kind in ("exact beam", "beam"):
        for elements in (1, 2, 4, 8):
            run = condyle.LineRun(Line(elements, kind, **thick), "energy–momentum", DT)
            error = float(np.linalg.norm(run.run(steps)[1] - fine))
            if error <= its_error:
                taken = timed(run, steps, repeats)
                own.append((taken, f"{kind} of {elements}: {1e6 * taken:.0f} µs, error {error:.1e} of the length"))
                break
    best = min(own)[0] / its if own else np.inf
    note = f"{'; '.join(told for _, told in sorted(own))}; exudyn's 8: {1e6 * its:.0f} µs, {its_error:.1e}"
    return Goal("beam: time per step, of exudyn's ObjectANCFBeam", best, BEAM, note=note)


def in_real_time(condyle: ModuleType, quick: bool) -> Iterator[Goal]:
    """The pendulum of table 5.1, and the largest cable whose pictures come in time."""
    steel = {"length": 10.0, "radius": 0.1, "young": 2e11, "density": 7750.0}
    step = condyle.real_time(Line(16, **steel), 0.06, 50)
    yield Goal(
        "pendulum of table 5.1, 16 elements, steps of 0.06 s: time, of the time simulated", step / 0.06, 1 / PUBLISHED,
        note=f"{0.06 / step:.0f} times real time; published {PUBLISHED:.2f}",
    )  # fmt: skip
    largest, step, elements = 0, 0.0, 64
    while elements <= (1024 if quick else 16_384):
        taken = condyle.real_time(Line(elements, **steel), FRAME, 10)
        if taken > FRAME:
            break
        largest, step = elements, taken
        elements *= 2
    yield Goal("longest cable in real time at 60 Hz: time per step", 1e3 * step if largest else np.inf, 1e3 * FRAME, "ms",
               note=f"{largest} elements (numbers are doubled)")  # fmt: skip


def crane() -> Goal:
    """The crane of the study ancf-cables, whose inputs change between steps: time of the clock, of the time simulated."""
    from condyle.studies.ancf_cables import STUDY, drive_crane

    p = STUDY.values({}, True)
    drive_crane(p)  # loads what is compiled
    began = time.perf_counter()
    simulated = drive_crane(p)["path"][-1, 0]
    taken = (time.perf_counter() - began) / simulated
    return Goal(
        "crane through sim.step(): time, of the time simulated", taken, 1.0, note=f"{1.0 / taken:.3g} times real time"
    )


def growth(condyle: ModuleType, largest: int, repeats: int) -> Goal:
    """Time per element of a long cable against that of one of 100 elements."""
    times = {}
    for elements in (100, largest):
        run = condyle.LineRun(Line(elements, length=0.05 * elements), "energy–momentum", DT)
        times[elements] = timed(run, 50 if elements == 100 else 10, repeats) / elements
    note = f"{1e6 * times[largest]:.1f} µs per element and step"
    what = f"cable: time per element at {largest}, of that at 100"
    return Goal(what, times[largest] / times[100], LINEAR, note=note)
