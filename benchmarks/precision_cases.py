"""What is run to measure the time to an error: workloads, engines, and curves of one engine on one workload."""

from __future__ import annotations

import importlib.util
import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import dynamic_block
import numpy as np
import workloads
from workloads import Line, Mechanism

END = 1.0  # [s]
ERRORS = (1e-2, 1e-4, 1e-6)  # [m]
LONGEST = 0.6  # [s] of processor time: a method that takes more for a run is not tried with smaller steps
SLOW = {"revolute chain of 100": 1.5, "human": 1.5}  # the same of workloads that take longer
PATIENCE = 60.0  # [s] of processor time for all runs of a method, those that fail too
HOPELESS = 20.0  # [s] of processor time of the longest steps that are tried: such a method is left out
ENOUGH, LONGER = 0.03, 10  # [s] of processor time that is enough to be measured; so many times longer a run is at most
FINE = {"human": 16_000}  # steps of the converged run of a tree, where 4000 are not enough


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
# Curves of one engine; the converged run of Condyle is left in the file, or is there.
Curves = Callable[[Path], Iterator[Curve]]


def traced(curve: Curve, runs: Runs, exact: np.ndarray, first: int = 25, most: int = 20_000) -> Curve:
    """The curve of a method, from `first` steps on."""
    steps, began = first, time.process_time()
    while steps <= most and time.process_time() - began < PATIENCE:
        try:
            run, ends = runs(steps)
            if steps == first and spent(run, 1) * steps > HOPELESS:
                print(f"  {curve.engine}, {curve.method}: left out, a step takes {spent(run, 1):.2g} s", flush=True)
                break
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
        if error <= 0.3 * ERRORS[-1] or seconds > SLOW.get(curve.workload, LONGEST):
            break
        steps *= 2
    return curve


def step_seconds(run: Callable[[int], Any], steps: int) -> float:
    """Processor seconds of all steps of a run, without what it takes to begin one."""
    from condyle import ConvergenceError

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


def engine_of(name: str) -> ModuleType:
    """The adapter of an engine, quiet about steps that are tried although they are too long."""
    from condyle import EnergyWarning

    warnings.simplefilter("ignore", EnergyWarning)
    made = import_module(f"engines.{name}")
    if name == "mujoco":
        made.mj.set_mju_user_warning(lambda text: None)
    return made


# --- mechanisms -------------------------------------------------------------------------------------------------------


def tree(name: str, engine: str, make: Callable[[], Mechanism]) -> Curves:
    """A tree of rigid bodies, against Runge–Kutta of order 8 with many steps."""

    def curves(file: Path) -> Iterator[Curve]:
        mechanism, its = make(), engine_of(engine)

        def of(variant: str) -> Runs:
            def runs(steps: int) -> tuple[Callable[[int], Any], Callable[[], np.ndarray]]:
                made = its.Run(mechanism, variant, END / steps)
                return made.run, lambda: np.asarray(made.run(steps, 1)[1][-1].position)

            return runs

        if engine == "condyle":
            fine = FINE.get(name, 4000)
            exact, nearly = (of("Runge–Kutta 8")(n)[1]() for n in (fine, fine // 2))
            np.save(file, exact)
            print(f"  reference: {np.linalg.norm(nearly - exact, axis=-1).max():.1e} m from steps twice as long")
        exact = np.load(file)
        variants = {
            "condyle": lambda: [method for method in its.METHODS if "modified" not in method],
            "mujoco": lambda: ["Euler", "implicitfast", "RK4"],
            "exudyn": lambda: its.variants(mechanism)[-1:],
        }
        for variant in variants[engine]():
            yield traced(Curve(name, engine, variant), of(variant), exact)

    return curves


# --- flexible bodies --------------------------------------------------------------------------------------------------


def cable(engine: str) -> Curves:
    """A cable of 8 elements, against its own converged run, because elements of two engines are not the same to 1e-6."""

    def curves(file: Path) -> Iterator[Curve]:
        line, its = Line(8), engine_of(engine)

        def of(variant: str) -> Runs:
            def runs(steps: int) -> tuple[Callable[[int], Any], Callable[[], np.ndarray]]:
                made = its.LineRun(line, variant, END / steps)
                return made.run, lambda: np.asarray(made.run(steps)[1])[None]

            return runs

        own = engine == "condyle"
        exact = of("energy–momentum 6")(4000)[1]() if own else of("dense")(64_000)[1]()
        for variant in implicit(its) if own else ["dense"]:
            yield traced(Curve(CABLE, engine, variant), of(variant), exact)

    return curves


def implicit(condyle: ModuleType) -> dict[str, Any]:
    """The methods of Condyle for stiff parts, by name; collocation, which solves all its stages at once, takes too long."""
    return {
        name: made
        for name, made in condyle.METHODS.items()
        if not any(w in name for w in ("Runge", "modified", "Gauss"))
    }


def of_model(
    name: str,
    make: Callable[[], Any],
    point: Callable[[], Any],
    fine: tuple[str, int],
    methods: Callable[[], dict[str, Any]],
    first: int = 25,
) -> Curves:
    """A model of Condyle's."""

    def curves(file: Path) -> Iterator[Curve]:
        import condyle as cd

        engine_of("condyle")
        system, where, chosen = cd.compile(make()), point(), methods()

        def of(method: Any) -> Runs:
            def runs(steps: int) -> tuple[Callable[[int], Any], Callable[[], np.ndarray]]:
                dt = END / steps

                def run(count: int) -> Any:
                    return cd.simulate(
                        system, end=count * dt, dt=dt, integrator=method, every=count, energy_tolerance=math.inf
                    )

                return run, lambda: run(steps).position(where)[-1][None]

            return runs

        exact, nearly = (of(chosen[fine[0]])(steps)[1]() for steps in (fine[1], fine[1] // 2))
        print(f"  reference: {np.linalg.norm(nearly - exact):.1e} m from steps twice as long", flush=True)
        for label, method in chosen.items():
            yield traced(Curve(name, "condyle", label), of(method), exact, first)

    return curves


def kratos_block(file: Path) -> Iterator[Curve]:
    """The block in KratosMultiphysics; its errors are those from its own converged run, extrapolated from the last two."""
    curve = Curve("block", "kratos", "Bossak")
    curve.steps = [50, 100, 200, 400, 800]
    found = [dynamic_block.swung(steps, END) for steps in curve.steps]
    (_, nearly), (_, last) = found[-2:]
    exact = last + (last - nearly) / 3.0  # errors of second order
    curve.seconds = [seconds for seconds, _ in found]
    curve.errors = [float(np.linalg.norm(place - exact)) for _, place in found]
    yield curve


def plate() -> Any:
    """A square plate of 16 cells that is clamped at one edge and swings down; soft, so that it bends by its own size."""
    import condyle as cd

    made = cd.Model("plate", gravity=(0, 0, -9.81))
    soft = cd.StVenantKirchhoff(young=1e6, poisson=0.3, density=1000)
    body = made.add(cd.Plate.rectangle("plate", (0.5, 0.5), (4, 4), soft, 0.01))
    made.add(cd.Tie("clamp", body, "left", "ground"))
    return made


def plate_corner() -> Any:
    """The free corner of the plate."""
    import condyle as cd

    return cd.Point("plate", (0.5, 0.5))


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


def of_solids() -> dict[str, Any]:
    """Methods for plates and solids."""
    return implicit(import_module("engines.condyle"))


def of_contact() -> dict[str, Any]:
    """Methods for a law of contact that is smooth but short."""
    import condyle as cd

    with_contact = {name: m for name, m in of_solids().items() if not isinstance(m, cd.ComposedEnergyMomentum)}
    return with_contact | {"Runge–Kutta 4": cd.RungeKutta()}


CABLE = Line(8).name
ENGINES = ("condyle", "mujoco", "exudyn", "kratos")
PACKAGES = {"kratos": "KratosMultiphysics"}  # where the module of an engine has another name
TREES: dict[str, Callable[[], Mechanism]] = {
    "spherical chain of 10": lambda: workloads.chain(10),
    "revolute chain of 10": lambda: workloads.chain(10, hinges=True),
    "revolute chain of 100": lambda: workloads.chain(100, hinges=True),
    "human": workloads.human,
}
# By workload and engine. Engines stand in the order in which they run.
CASES: dict[str, dict[str, Curves]] = {
    **{name: {e: tree(name, e, make) for e in ("condyle", "mujoco", "exudyn")} for name, make in TREES.items()},
    CABLE: {engine: cable(engine) for engine in ("condyle", "exudyn")},
    "plate": {"condyle": of_model("plate", plate, plate_corner, ("energy–momentum 6", 800), of_solids)},
    "block": {
        "condyle": of_model("block", block, lambda: "block.right", ("energy–momentum 6", 800), of_solids),
        "kratos": kratos_block,
    },
    "bouncing ball": {
        "condyle": of_model("bouncing ball", ball, lambda: "ball", ("Runge–Kutta 4", 40_000), of_contact, 100)
    },
}


def installed(engine: str) -> bool:
    """Whether an engine is there."""
    return importlib.util.find_spec(PACKAGES.get(engine, engine)) is not None
