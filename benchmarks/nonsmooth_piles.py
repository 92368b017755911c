"""Piles in a bin that come to rest: steps at the level of velocities beside MuJoCo with the elliptic cone, Newton and CG.

Time per step, penetration and speed of the bodies at rest, and how the time grows with the number of bodies.

python benchmarks/nonsmooth_piles.py [100,1000] [10000]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from goals import Goal
from piles import DENSITY, FRICTION, HALF, places

import condyle as cd
from condyle.contact.memory import UNSOLVED

SIZES = (100, 1000)
LARGE = 10_000  # bodies from which on the growth of the time is measured as they fall, too
STEP, STEPS = 2e-3, 50
SETTLED = {"boxes": 500, "spheres": 2000}  # steps until a pile of 100 rests; spheres roll for seconds
HIGHER = {"boxes": 1500, "spheres": 2000}  # and of 1000
TOLERANCE = 1e-6
# Towers of boxes sway on soft springs; spheres, which roll, need more sweeps on stiff ones.
GIVE = {"boxes": 1e-3, "spheres": 1e-2}
TIME, CREEP, GROWTH = 1.0, 1e-3, 1.5  # wanted: of MuJoCo's time and speed; of the time per body at 100


class Rest(NamedTuple):
    """A pile at rest."""

    step: float  # processor time of a step [s]
    deepest: float  # [m]
    speed: float  # median of the bodies [m/s]
    unsolved: int = 0  # steps above the tolerance, since the start


def until_rest(n: int, kind: str) -> int:
    """Steps until a pile rests."""
    return SETTLED[kind] if n < 1000 else HIGHER[kind]


def walls(n: int) -> list[tuple[tuple[int, int, int], tuple[float, float, float]]]:
    """Normals and points of the floor and four walls of a bin."""
    at = places(n)
    low, high = at.min(axis=0) - 1.2 * HALF, at.max(axis=0) + 1.2 * HALF
    sides = [((1, 0, 0), low), ((0, 1, 0), low), ((-1, 0, 0), high), ((0, -1, 0), high)]
    return [((0, 0, 1), (0.0, 0.0, 0.0)), *((normal, (float(p[0]), float(p[1]), 0.0)) for normal, p in sides)]


def condyle_rest(n: int, kind: str, settled: int | None = None) -> Rest:
    """Condyle's pile, and what a step of it takes."""
    model = cd.Model("pile", dimension=3, gravity=(0, 0, -9.81))
    bodies = []
    for k, at in enumerate(places(n)):
        if kind == "spheres":
            bodies.append(model.add(cd.RigidBody.ball(f"body {k}", HALF, DENSITY, position=tuple(at))))
        else:
            bodies.append(model.add(cd.RigidBody.box(f"body {k}", (2 * HALF,) * 3, DENSITY, position=tuple(at))))
    bin_ = [cd.Plane(normal, point) for normal, point in walls(n)]
    model.add(cd.Collisions("pile", bodies, bin_, friction=FRICTION))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = cd.Simulation(model, dt=STEP, integrator=cd.Nonsmooth(tolerance=TOLERANCE, give=GIVE[kind], sweeps=200))
        for _ in range(until_rest(n, kind) if settled is None else settled):
            sim.step()
        start = time.process_time()
        for _ in range(STEPS):
            sim.step()
        taken = (time.process_time() - start) / STEPS
    contact = sim.system.contact
    assert contact is not None
    speeds = [float(np.linalg.norm(sim.velocity(body.name))) for body in bodies]
    deepest = max(0.0, -float(contact.pairs[0].gaps(sim.state.x).min()))
    return Rest(taken, deepest, float(np.median(speeds)), int(sim.state.memory[UNSOLVED][0]))


def mujoco_rest(n: int, kind: str, solver: str, settled: int | None = None) -> Rest:
    """MuJoCo's pile."""
    import mujoco

    size = f'type="sphere" size="{HALF}"' if kind == "spheres" else f'type="box" size="{HALF} {HALF} {HALF}"'
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom {size} density="{DENSITY}"/></body>' for x, y, z in places(n)
    )
    planes = "".join(
        f'<geom type="plane" size="0 0 1" pos="{p[0]} {p[1]} {p[2]}" zaxis="{v[0]} {v[1]} {v[2]}"/>'
        for v, p in walls(n)
    )
    options = f'<option timestep="{STEP}" cone="elliptic" solver="{solver}"/>'
    options += f'<default><geom friction="{FRICTION}"/></default><size memory="2G"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{options}<worldbody>{planes}{bodies}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    for _ in range(until_rest(n, kind) if settled is None else settled):
        mujoco.mj_step(model, data)
    start = time.process_time()
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    taken = (time.process_time() - start) / STEPS
    speeds = np.linalg.norm(data.qvel.reshape(-1, 6)[:, :3], axis=1)
    return Rest(taken, max(0.0, -float(min(data.contact.dist, default=0.0))), float(np.median(speeds)))


def measured(sizes: tuple[int, ...] = SIZES, largest: int | None = None) -> Iterator[Goal]:
    """Piles of all sizes, of spheres and of boxes; largest: a number of bodies for the growth alone, as they fall."""
    for kind in ("spheres", "boxes"):
        own = {n: condyle_rest(n, kind) for n in sizes}
        for n in sizes:
            mine = own[n]
            note = (
                f"{1e3 * mine.step:.2f} ms, {mine.deepest:.1e} m deep, {mine.speed:.1e} m/s, {mine.unsolved} unsolved"
            )
            try:
                # With Newton's method 1000 spheres take seconds a step.
                solvers = ("Newton", "CG") if n < 1000 or kind == "boxes" else ("CG",)
                its = {solver: mujoco_rest(n, kind, solver) for solver in solvers}
            except ImportError:
                yield Goal(f"pile of {n} {kind} at rest", np.nan, np.inf, note=f"{note}; MuJoCo is not installed")
                continue
            best = min(its.values(), key=lambda rest: rest.step)
            said = ", ".join(f"{k} {1e3 * r.step:.2f} ms, {r.deepest:.1e} m, {r.speed:.1e} m/s" for k, r in its.items())
            both = f"{note}; MuJoCo {said}"
            yield Goal(
                f"pile of {n} {kind} at rest: time per step, of MuJoCo's", mine.step / best.step, TIME, note=both
            )
            yield Goal(f"pile of {n} {kind}: penetration, of MuJoCo's", mine.deepest / best.deepest, 1.0, note=both)
            yield Goal(f"pile of {n} {kind}: speed at rest, of MuJoCo's", mine.speed / best.speed, CREEP, note=both)
        if len(sizes) > 1:
            few, many = min(sizes), max(sizes)
            found = own[many].step / many / (own[few].step / few)
            yield Goal(f"{kind}: time per step and body, {many} over {few}", found, GROWTH)
    for kind in ("spheres", "boxes") if largest else ():
        few, many = condyle_rest(1000, kind, 20), condyle_rest(largest, kind, 20)
        found = many.step / largest / (few.step / 1000)
        note = f"{1e3 * few.step:.1f} and {1e3 * many.step:.1f} ms"
        yield Goal(f"{kind} that fall: time per step and body, {largest} over 1000", found, GROWTH, note=note)


if __name__ == "__main__":
    chosen = tuple(int(n) for n in sys.argv[1].split(",")) if len(sys.argv) > 1 else SIZES
    for goal in measured(chosen, int(sys.argv[2]) if len(sys.argv) > 2 else None):
        print(f"{goal.what}: {goal.measured:.3g} ({goal.note})", flush=True)
