"""How long it takes to reach an error: processor time over the error of positions after a second, each engine at its best.

python benchmarks/work_precision.py --figure docs/images/work-precision.png --page docs/benchmarks.md
python benchmarks/work_precision.py --workloads "revolute chain of 10,human"

The first draws the figure and writes the tables of the page anew.

A run is repeated with twice as many steps until its error is below the smallest that is asked for or it takes too long. The
error is the largest distance of a body, or of the free end, from where a converged run has it [m]. The time is that of the
steps alone, as processor time, which other work on the machine changes little; short runs are timed over several seconds of
motion. Between two runs the time for an error in between is interpolated in logarithms.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import dynamic_block
import numpy as np
import report
import workloads
from goals import Goal
from workloads import Line, Mechanism

from condyle import ConvergenceError, EnergyWarning

END = 1.0  # [s]
ERRORS = (1e-2, 1e-4, 1e-6)  # [m]
LONGEST = 0.6  # [s] of processor time: a method that takes more for a run is not tried with smaller steps
ENOUGH, LONGER = 0.03, 10  # [s] of processor time that is enough to be measured; so many times longer a run is at most
COLUMNS = ("workload", "engine and method", *(f"{error:g} m" for error in ERRORS))


@dataclass
class Curve:
    """Processor seconds and errors [m] of runs of one method, from the coarsest on."""

    workload: str
    engine: str
    method: str
    steps: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)

    def seconds_to(self, error: float) -> float:
        """Processor seconds to reach an error; infinite if no run has."""
        for k, found in enumerate(self.errors):
            if found > error:
                continue
            if k == 0 or not self.errors[k - 1] > found:
                return self.seconds[k]
            share = math.log(self.errors[k - 1] / error) / math.log(self.errors[k - 1] / found)
            return float(self.seconds[k - 1] * (self.seconds[k] / self.seconds[k - 1]) ** share)
        return math.inf


# For steps of so many to the end: a function that takes so many of them, and one that says where all is at the end [m].
Runs = Callable[[int], tuple[Callable[[int], Any], Callable[[], np.ndarray]]]


def traced(curve: Curve, runs: Runs, exact: np.ndarray, first: int, most: int = 20_000) -> Curve:
    """The curve of a method, from `first` steps on."""
    steps = first
    while steps <= most:
        try:
            run, ends = runs(steps)
            error = float(np.linalg.norm(ends() - exact, axis=-1).max())
            seconds = step_seconds(run, steps)
        except Exception as failure:  # a step that is too long: say so, and try shorter ones
            print(f"  {curve.engine}, {curve.method}: {steps} steps: {type(failure).__name__}", flush=True)
            steps *= 2
            continue
        if np.isfinite(error) and seconds > 0.0:  # otherwise it is lost in what it takes to begin a run
            curve.steps.append(steps)
            curve.seconds.append(seconds)
            curve.errors.append(error)
        if error <= 0.3 * ERRORS[-1] or seconds > LONGEST:
            break
        steps *= 2
    return curve


def step_seconds(run: Callable[[int], Any], steps: int) -> float:
    """Processor seconds of all steps of a run, without what it takes to begin one."""
    begin = spent(run, 1)
    seconds = spent(run, steps) - begin
    more = min(LONGER, math.ceil(ENOUGH / max(seconds, 1e-3)))
    if more == 1:
        return seconds
    try:
        return (spent(run, more * steps) - begin) / more
    except ConvergenceError:  # steps that were just short enough for a second
        return seconds


def spent(run: Callable[[int], Any], steps: int) -> float:
    """Least processor seconds of a few runs."""
    found = math.inf
    for _ in range(3):
        began = time.process_time()
        run(steps)
        found = min(found, time.process_time() - began)
        if found > 0.3:
            break
    return found


# --- mechanisms -------------------------------------------------------------------------------------------------------


def of_engine(engine: ModuleType, mechanism: Mechanism, variant: str) -> Runs:
    """Runs of an engine whose steps follow from their number."""

    def runs(steps: int) -> tuple[Callable[[int], Any], Callable[[], np.ndarray]]:
        made = engine.Run(mechanism, variant, END / steps)
        return made.run, lambda: np.asarray(made.run(steps, 1)[1][-1].position)

    return runs


FINE = {"human": 16_000}  # steps of the converged run, where 4000 are not enough


def mechanism_curves(mechanism: Mechanism, found: dict[str, ModuleType]) -> Iterator[Curve]:
    """A tree of rigid bodies on all engines, against Runge–Kutta of order 8 with many steps."""
    fine = FINE.get(mechanism.name, 4000)
    exact, nearly = (of_engine(found["condyle"], mechanism, "Runge–Kutta 8")(n)[1]() for n in (fine, fine // 2))
    print(f"  reference: {np.linalg.norm(nearly - exact, axis=-1).max():.1e} m from steps twice as long", flush=True)
    methods = {
        "condyle": [name for name in found["condyle"].METHODS if "modified" not in name],
        "mujoco": ["Euler", "implicitfast", "RK4"],
        "exudyn": found["exudyn"].variants(mechanism)[-1:] if "exudyn" in found else [],
    }
    for name, engine in found.items():
        for variant in methods.get(name, []):
            yield traced(Curve(mechanism.name, name, variant), of_engine(engine, mechanism, variant), exact, 25)


# --- flexible bodies --------------------------------------------------------------------------------------------------


def line_curves(line: Line, found: dict[str, ModuleType]) -> Iterator[Curve]:
    """A cable on Condyle and exudyn; each against its own converged run, because elements are not the same to 1e-6."""

    def of(engine: ModuleType, variant: str) -> Runs:
        def runs(steps: int) -> tuple[Callable[[int], Any], Callable[[], np.ndarray]]:
            made = engine.LineRun(line, variant, END / steps)
            return made.run, lambda: np.asarray(made.run(steps)[1])[None]

        return runs

    exact = of(found["condyle"], "energy–momentum 6")(4000)[1]()
    for variant in found["condyle"].METHODS:
        if "Runge" not in variant and "modified" not in variant:
            yield traced(Curve(line.name, "condyle", variant), of(found["condyle"], variant), exact, 25)
    if "exudyn" in found:
        its = of(found["exudyn"], "dense")(64_000)[1]()
        yield traced(Curve(line.name, "exudyn", "dense"), of(found["exudyn"], "dense"), its, 25)


def model_curves(name: str, make: Callable[[], Any], point: Any, methods: dict[str, Any], fine: tuple[str, int],
                 first: int = 25) -> Iterator[Curve]:  # fmt: skip
    """A model of Condyle's alone."""
    import condyle as cd

    system = cd.compile(make())

    def of(method: Any) -> Runs:
        def runs(steps: int) -> tuple[Callable[[int], Any], Callable[[], np.ndarray]]:
            dt = END / steps

            def run(count: int) -> Any:
                return cd.simulate(
                    system, end=count * dt, dt=dt, integrator=method, every=count, energy_tolerance=math.inf
                )

            return run, lambda: run(steps).position(point)[-1][None]

        return runs

    exact = of(methods[fine[0]])(fine[1])[1]()
    for label, method in methods.items():
        yield traced(Curve(name, "condyle", label), of(method), exact, first)


def kratos_block() -> Curve:
    """The block in KratosMultiphysics; its errors are those from its own converged run, extrapolated from the last two."""
    curve = Curve("block", "kratos", "Bossak")
    curve.steps = [50, 100, 200, 400, 800]
    found = [dynamic_block.swung(steps, END) for steps in curve.steps]
    (_, nearly), (_, last) = found[-2:]
    exact = last + (last - nearly) / 3.0  # errors of second order
    curve.seconds = [seconds for seconds, _ in found]
    curve.errors = [float(np.linalg.norm(place - exact)) for _, place in found]
    return curve


def plate() -> Any:
    """A square plate of 16 cells that is clamped at one edge and swings down; soft, so that it bends by its own size."""
    import condyle as cd

    made = cd.Model("plate", gravity=(0, 0, -9.81))
    soft = cd.StVenantKirchhoff(young=1e6, poisson=0.3, density=1000)
    body = made.add(cd.Plate.rectangle("plate", (0.5, 0.5), (4, 4), soft, 0.01))
    made.add(cd.Tie("clamp", body, "left", "ground"))
    return made


def block() -> Any:
    """A block of hex8 that is clamped at one end and swings down."""
    import condyle as cd

    made = cd.Model("block", gravity=(0, 0, -9.81))
    rubber = cd.NeoHookean(young=1e5, poisson=0.3, density=1000)
    body = made.add(cd.Solid.block("block", (0.5, 0.1, 0.1), (10, 2, 2), rubber))
    made.add(cd.Tie("clamp", body, "left", "ground"))
    return made


def ball() -> Any:
    """A ball that falls on an elastic floor and bounces, twice in a second."""
    import condyle as cd

    made = cd.Model("ball", dimension=3, gravity=(0, 0, -9.81))
    body = made.add(cd.RigidBody("ball", 1.0, inertia=(0.004, 0.004, 0.004), position=(0, 0, 0.4)))
    floor = (made.ground, cd.Plane((0, 0, 1)))
    made.add(cd.Contact("floor", body, cd.Sphere(0.1), *floor, law=cd.Hertz(stiffness=1e5)))
    return made


def flexible_curves(found: dict[str, ModuleType], wanted: Callable[[str], bool]) -> Iterator[Curve]:
    """Cable, plate, block and ball."""
    import condyle as cd

    methods = {
        name: m for name, m in found["condyle"].METHODS.items() if "Runge" not in name and "modified" not in name
    }
    if wanted("cable"):
        yield from line_curves(Line(8), found)
    if wanted("plate"):
        yield from model_curves("plate", plate, cd.Point("plate", (0.5, 0.5)), methods, ("energy–momentum 6", 800))
    if wanted("block"):
        yield from model_curves("block", block, "block.right", methods, ("energy–momentum 6", 800))
        if importlib.util.find_spec("KratosMultiphysics") is not None:
            yield kratos_block()
    if wanted("bouncing ball"):
        soft = {name: m for name, m in methods.items() if not isinstance(m, cd.ComposedEnergyMomentum)}
        soft |= {"Runge–Kutta 4": cd.RungeKutta()}
        yield from model_curves("bouncing ball", ball, "ball", soft, ("Runge–Kutta 4", 40_000), 100)


TREES: dict[str, Callable[[], Mechanism]] = {
    "spherical chain of 10": lambda: workloads.chain(10),
    "revolute chain of 10": lambda: workloads.chain(10, hinges=True),
    "revolute chain of 100": lambda: workloads.chain(100, hinges=True),
    "human": workloads.human,
}


def measured(found: dict[str, ModuleType], wanted: Callable[[str], bool] = lambda name: True) -> list[Curve]:
    """All curves."""
    curves: list[Curve] = []
    warnings.simplefilter("ignore", EnergyWarning)
    if "mujoco" in found:  # steps that are too long are tried on purpose
        found["mujoco"].mj.set_mju_user_warning(lambda text: None)
    for name, make in TREES.items():
        if wanted(name):
            print(name, flush=True)
            for curve in mechanism_curves(make(), found):
                told(curve)
                curves.append(curve)
    for curve in flexible_curves(found, wanted):
        told(curve)
        curves.append(curve)
    return curves


def told(curve: Curve) -> None:
    """Print one."""
    times = ", ".join(f"{1e3 * curve.seconds_to(error):.3g}" for error in ERRORS)
    print(
        f"  {curve.workload}: {curve.engine}, {curve.method}: {times} ms to {', '.join(map(str, ERRORS))} m", flush=True
    )


def judge(curves: list[Curve]) -> list[Goal]:
    """Condyle's best method against the best of all others, at every error."""
    goals = []
    for workload in dict.fromkeys(curve.workload for curve in curves):
        mine, others = (
            [c for c in curves if c.workload == workload and (c.engine == "condyle") is own] for own in (True, False)
        )
        for error in ERRORS if others else ():
            best, peer = (min(these, key=lambda c: c.seconds_to(error)) for these in (mine, others))
            own, its = best.seconds_to(error), peer.seconds_to(error)
            note = f"{best.method} {1e3 * own:.3g} ms; {peer.engine} {peer.method} {1e3 * its:.3g} ms"
            what = f"{workload}: processor time to an error of {error:g} m, of the fastest other engine's"
            goals.append(Goal(what, own / its if math.isfinite(own) else math.inf, 1.0, note=note))
    return goals


def cells(curves: list[Curve]) -> list[tuple[str, ...]]:
    """Rows of the table: milliseconds."""
    rows = []
    for curve in curves:
        times = [curve.seconds_to(error) for error in ERRORS]
        shown = (f"{1e3 * t:.3g}" if math.isfinite(t) else "–" for t in times)
        rows.append((curve.workload, f"{curve.engine}, {curve.method}", *shown))
    return rows


BEGIN, ENDING = "<!-- time to an error: begin -->", "<!-- time to an error: end -->"


def write_page(path: Path, curves: list[Curve], goals: list[Goal], drawn: Path | None) -> None:
    """Put both tables, and the figure if it was drawn, between the two marks of the page."""
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(ENDING)
    place = "" if drawn is None else os.path.relpath(drawn, path.parent)
    lines = [
        *([f"![processor time over the error after a second]({place})", ""] if place else []),
        *report.busy(report.machine()),
        f"**{sum(goal.met for goal in goals)} of {len(goals)} goals met.** Milliseconds of a processor:",
        "",
        *report.markdown(COLUMNS, cells(curves)),
        "",
        *report.markdown(("goal", "measured", "wanted", "met", "with"), report.goal_cells(goals)),
    ]
    path.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + ENDING + after, encoding="utf-8")


LINES = {"mujoco": "--", "exudyn": ":", "kratos": "-."}


def figure(curves: list[Curve], path: Path) -> None:
    """Time over error, a panel for each workload."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(curve.workload for curve in curves))
    columns = min(4, len(names))
    rows = math.ceil(len(names) / columns)
    made, panels = plt.subplots(rows, columns, figsize=(3.6 * columns, 3.4 * rows), squeeze=False)
    methods = sorted({(c.engine, c.method) for c in curves if c.engine == "condyle"})
    colours = {key: f"C{k}" for k, key in enumerate(methods)}
    for panel, name in zip(panels.flat, names, strict=False):
        for curve in (c for c in curves if c.workload == name):
            key = (curve.engine, curve.method)
            style = {"color": colours[key]} if key in colours else {"color": "k", "ls": LINES[curve.engine]}
            panel.loglog(
                curve.errors,
                1e3 * np.array(curve.seconds),
                marker=".",
                label=f"{curve.engine}, {curve.method}",
                **style,
            )
        panel.set(title=name, xlabel="error after 1 s [m]", ylabel="processor time [ms]", xlim=(1e-8, 1.0))
        panel.legend(fontsize=5)
    for panel in list(panels.flat)[len(names) :]:
        panel.set_visible(False)
    made.tight_layout()
    made.savefig(path, dpi=130)


def main() -> None:
    """Measure, print and draw."""
    import engines

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", default="", help="names that contain one of these, separated by commas")
    parser.add_argument("--figure", type=Path, help="draw time over error here")
    parser.add_argument("--page", type=Path, help="write the tables between their marks on this page")
    asked = parser.parse_args()
    words = [word for word in asked.workloads.split(",") if word]
    curves = measured(
        engines.load(["condyle", "mujoco", "exudyn"]), lambda name: not words or any(w in name for w in words)
    )
    goals = judge(curves)
    report.show([], goals, [], [("milliseconds of a processor to an error after 1 s", COLUMNS, cells(curves))])
    if asked.figure:
        figure(curves, asked.figure)
    if asked.page:
        write_page(asked.page, curves, goals, asked.figure)


if __name__ == "__main__":
    main()
