"""Five models of friction on four published cables: time per step, iterations, residual, times real time; and how the time of a
cable on cylinders grows with its contact points.

python benchmarks/friction_models.py            80 steps of each, up to 1000 points
python benchmarks/friction_models.py --quick    15 steps of each, up to 100 points
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from goals import Goal

import condyle as cd
from condyle.studies import hewlett_bent_cable, hewlett_cylinders, hewlett_friction, hewlett_rolling

REAL_TIME = 0.1  # processor time over simulated time: ten times faster than real time
WHOLE, FEW = (20, 60), (5, 10)  # steps before those that are measured, and these
POINTS = (10, 100, 1000)
GROWTH = 1.5  # of the time per point


class Paid(NamedTuple):
    """What a step takes."""

    seconds: float  # processor time
    iterations: float  # mean
    residual: float  # largest


def cases() -> dict[str, tuple[Callable[[Any], cd.Model], Callable[[Any, str], cd.Nonsmooth], Any]]:
    """Models of the studies, their methods and parameters."""
    slope, cylinders = hewlett_friction, hewlett_cylinders
    return {
        "cable on a slope": (lambda p: slope.cable_model(p, 10.0), slope.method, slope),
        "cable on cylinders": (lambda p: cylinders.cable_model(p, 0.0), cylinders.method, cylinders),
        "beam that rolls": (hewlett_rolling.beam_model, slope.method, hewlett_rolling),
        "bent cable": (hewlett_bent_cable.cable_model, slope.method, hewlett_bent_cable),
    }


def paid(model: cd.Model, method: cd.Nonsmooth, dt: float, warm: int, steps: int) -> Paid:
    """Steps taken one by one, once the model touches; they end where a model of friction does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = cd.Simulation(model, dt=dt, integrator=method)
        taken, iterations, residual = 0.0, [], 0.0
        for k in range(warm + steps):
            start = time.process_time()
            try:
                info = sim.step()
            except cd.ConvergenceError:
                break
            if k >= warm:
                taken += time.process_time() - start
                iterations.append(info.iterations)
                residual = max(residual, info.residuals[-1])
    return Paid(taken / max(len(iterations), 1), float(np.mean(iterations or [0])), residual)


def measured(warm: int = WHOLE[0], steps: int = WHOLE[1]) -> Iterator[Goal]:
    """Every case with every model."""
    for what, (build, method, study) in cases().items():
        p = SimpleNamespace(**{name: given.default for name, given in study.PARAMETERS.items()})
        if hasattr(p, "drop"):
            p.drop = 1e-3  # else the cable is in the air for most of it
        for name in hewlett_friction.MODELS:
            own = paid(build(p), method(p, name), p.dt, warm, steps)
            note = (
                f"{1e3 * own.seconds:.2f} ms a step, {own.iterations:.0f} iterations, residual {own.residual:.0e}, "
                f"{p.dt / own.seconds:.0f} times real time"
            )
            yield Goal(f"{what}, {name}: processor time over simulated time", own.seconds / p.dt, REAL_TIME, note=note)


def lying(points: int) -> cd.Model:
    """A cable that lies along the top of a cylinder, with one contact point in each of its elements."""
    model = cd.Model("cylinder", dimension=3, gravity=(0.5, 0.0, -9.81))
    section = cd.RoundSection(0.02, cd.StVenantKirchhoff(1e8, 0.0, 1000.0))
    cable = model.add(cd.Cable("cable", [(0.0, 0.0, 0.0), (0.5 * points, 0.0, 0.0)], points, section, damping=0.01))
    shape = cd.Cylinder(1.0, (1.0, 0.0, 0.0), centre=(0.0, 0.0, -1.0))
    model.add(cd.Contact("top", cable, None, model.ground, shape, friction=0.3, points="integration", per_element=1))
    return model


def growth(points: tuple[int, ...] = POINTS) -> Iterator[Goal]:
    """Time per step and point of a longer and longer cable."""
    own = {n: paid(lying(n), cd.Nonsmooth(tolerance=1e-8), 0.005, *((5, 10) if n < 1000 else (1, 2))) for n in points}
    few = min(points)
    for n in points:
        note = (
            f"{1e3 * own[n].seconds:.2f} ms a step, {own[n].iterations:.0f} iterations, residual {own[n].residual:.0e}"
        )
        found = own[n].seconds / n / (own[few].seconds / few)
        yield Goal(
            f"cable on a cylinder, {n} contact points: time per step and point, of that at {few}",
            found,
            GROWTH,
            note=note,
        )


if __name__ == "__main__":
    quick = "--quick" in sys.argv[1:]
    for goal in chain(measured(*FEW if quick else WHOLE), growth(POINTS[:2] if quick else POINTS)):
        print(f"{goal.what}: {goal.measured:.3g} ({goal.note})", flush=True)
