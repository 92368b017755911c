"""Boxes and spheres that fall into a pile: time per step with soft laws, beside MuJoCo and exudyn where these are installed.

python benchmarks/piles.py [10,100,1000]

The last line is a run of 10,000 spheres, which has to work.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np
from goals import Goal

import condyle as cd

SIZES = (10, 100, 1000)
HALF = 0.1  # [m] radius of the spheres, half a side of the boxes
DENSITY, STIFFNESS, RATIO, FRICTION = 1000.0, 1e5, 0.3, 0.4
STEP, STEPS = 2e-3, 50
LARGE, STEPS_OF_LARGE = 10_000, 10
MUJOCO = 1.0  # wanted part of its time per step


def places(n: int) -> np.ndarray:
    """Places of n bodies in layers above the ground [m] (n, 3), a little out of line."""
    rng, side = np.random.default_rng(1), max(2, round((n / 2) ** (1 / 3)))
    k = np.arange(n)
    grid = np.stack((k % side, k // side % side, k // side**2), axis=1)
    return (
        grid * (2.2 * HALF, 2.2 * HALF, 2.1 * HALF) + (0.0, 0.0, 1.2 * HALF) + 0.1 * HALF * rng.uniform(-1, 1, (n, 3))
    )


def pile(n: int, kind: str) -> cd.Model:
    """The pile as a model."""
    model = cd.Model("pile", dimension=3, gravity=(0, 0, -9.81))
    made = {
        "spheres": lambda name, at: cd.RigidBody.ball(name, HALF, DENSITY, position=at),
        "boxes": lambda name, at: cd.RigidBody.box(name, (2 * HALF,) * 3, DENSITY, position=at),
    }[kind]
    bodies = [model.add(made(f"body {k}", tuple(at))) for k, at in enumerate(places(n))]
    law = cd.SpringDashpot(STIFFNESS, ratio=RATIO)
    model.add(cd.Collisions("pile", bodies, cd.Plane((0, 0, 1)), law=law, friction=FRICTION))
    return model


def condyle_step(n: int, kind: str, steps: int = STEPS) -> float:
    """Processor time of a step [s], kernels compiled, the start of the run left out as it is for the others."""
    system = cd.compile(pile(n, kind))
    spent = []
    for count in (2 + steps, 2, 2 + steps):  # in the first, kernels are read from disk, also those of bodies that touch
        start = time.process_time()
        cd.simulate(system, end=count * STEP, dt=STEP, every=count)
        spent.append(time.process_time() - start)
    return (spent[2] - spent[1]) / steps


def mujoco_step(n: int, kind: str) -> float:
    """The same of MuJoCo, whose contacts are soft too; [s]."""
    import mujoco

    size = f'type="sphere" size="{HALF}"' if kind == "spheres" else f'type="box" size="{HALF} {HALF} {HALF}"'
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom {size} density="{DENSITY}"/></body>' for x, y, z in places(n)
    )
    scene = f'<worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody>'
    options = f'<option timestep="{STEP}"/><default><geom friction="{FRICTION}"/></default><size memory="2G"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{options}{scene}</mujoco>")
    data = mujoco.MjData(model)
    start = time.process_time()
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    return (time.process_time() - start) / STEPS


def exudyn_step(n: int) -> float:
    """The same of exudyn, spheres only, which its general contact knows; [s]."""
    import exudyn as exu
    from exudyn import itemInterface as items
    from exudyn.utilities import InertiaSphere

    system = exu.SystemContainer().AddSystem()
    contact = system.AddGeneralContact()
    contact.SetFrictionPairings(np.array([[FRICTION]]))
    contact.SetSearchTreeCellSize(numberOfCells=[10, 10, 10])
    mass = DENSITY * 4.0 / 3.0 * np.pi * HALF**3
    damping = 2.0 * RATIO * np.sqrt(STIFFNESS * mass)
    for at in places(n):
        made = system.CreateRigidBody(
            referencePosition=list(at),
            inertia=InertiaSphere(mass=mass, radius=HALF),
            gravity=[0, 0, -9.81],
            returnDict=True,
        )
        marker = system.AddMarker(items.MarkerNodeRigid(nodeNumber=made["nodeNumber"]))
        contact.AddSphereWithMarker(
            marker, radius=HALF, contactStiffness=STIFFNESS, contactDamping=damping, frictionMaterialIndex=0
        )
    ground = system.AddObject(items.ObjectGround())
    floor = system.AddMarker(items.MarkerBodyRigid(bodyNumber=ground))
    L = 1e3
    contact.AddTrianglesRigidBodyBased(
        rigidBodyMarkerIndex=floor, contactStiffness=STIFFNESS, contactDamping=damping, frictionMaterialIndex=0,
        pointList=[[-L, -L, 0], [L, -L, 0], [L, L, 0], [-L, L, 0]], triangleList=[[0, 1, 2], [0, 2, 3]],
    )  # fmt: skip
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = STEPS, STEPS * STEP
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    start = time.process_time()
    system.SolveDynamic(settings)
    return (time.process_time() - start) / STEPS


def measured(sizes: tuple[int, ...] = SIZES) -> Iterator[Goal]:
    """Piles of all sizes, of spheres and of boxes."""
    for kind in ("spheres", "boxes"):
        for n in sizes:
            own = condyle_step(n, kind)
            notes, limit = [f"{1e3 * own:.2f} ms"], np.inf
            peers = {"MuJoCo": lambda n=n, kind=kind: mujoco_step(n, kind)}
            if kind == "spheres":
                peers["exudyn"] = lambda n=n: exudyn_step(n)
            ratio = np.nan
            for name, step in peers.items():
                try:
                    its = step()
                except ImportError:
                    notes.append(f"{name} is not installed")
                    continue
                notes.append(f"{name} {1e3 * its:.2f} ms")
                if name == "MuJoCo":
                    ratio, limit = own / its, MUJOCO
            yield Goal(f"pile of {n} {kind}: time per step, of MuJoCo's", ratio, limit, note=", ".join(notes))
    if max(sizes) >= max(SIZES):
        own = condyle_step(LARGE, "spheres", STEPS_OF_LARGE)
        yield Goal(f"pile of {LARGE} spheres: time per step", own, np.inf, "s")


if __name__ == "__main__":
    chosen = tuple(int(n) for n in sys.argv[1].split(",")) if len(sys.argv) > 1 else SIZES
    for goal in measured(chosen):
        print(f"{goal.what}: {goal.measured:.3g} ({goal.note})")
