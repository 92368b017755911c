"""A chain of stiff bars with a load at its end, at a step of 10 ms: time per step of every stepper, and real-time factors.

python benchmarks/stiff_chains.py

Bars of 0.1 m and 1 kg on ball joints, a load of ten bars, level at the start, in space. Only the steps are timed (processor
time, the shortest of repeated runs); what is not compiled as a loop over steps is timed step by step. MuJoCo has the same
bars as free bodies held together by `connect` equalities.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from goals import Goal

DT, STEPS, LENGTH = 0.01, 200, 0.1
OF_CONSERVING = 0.3  # of the time of an energy–momentum step in rows
INERTIA = (1e-5, LENGTH**2 / 12.0, LENGTH**2 / 12.0)


def measured(repeats: int = 5, sizes: tuple[int, ...] = (18, 100), longest: int = 1000) -> Iterator[Goal]:
    """First-order steps beside energy–momentum's and MuJoCo's, for each length of chain; and the longest in real time."""
    import condyle as cd

    for bars in sizes:
        times = alternating({name: runner(chain(bars), method) for name, method in steppers().items()}, repeats)
        note = ", ".join(f"{name} {1e6 * t:.1f} µs ({DT / t:.0f} × real time)" for name, t in times.items())
        first = max(times["compliant"], times["geometric stiffness"], times["monitor"])
        yield Goal(f"stiff chain of {bars} bars: first-order step over energy–momentum's in rows",
                   first / times["energy–momentum in rows"], OF_CONSERVING, note=note)  # fmt: skip
        peer = mujoco_step(bars, repeats)
        if peer is not None:
            yield Goal(f"stiff chain of {bars} bars: first-order step over MuJoCo's with connect", first / peer, 1.0,
                       note=f"MuJoCo {1e6 * peer:.1f} µs")  # fmt: skip
    long = runner(chain(longest), cd.Stabilised(compliance=1e-8))()
    yield Goal(
        f"stiff chain of {longest} bars: seconds per second", long / DT, 1.0, note=f"{1e6 * long:.0f} µs per step"
    )


def steppers() -> dict[str, Any]:
    """All that is compared."""
    import condyle as cd

    return {
        "compliant": cd.Compliant(compliance=1e-8),
        "geometric stiffness": cd.Stabilised(compliance=1e-8),
        "monitor": cd.Stabilised(compliance=1e-8, monitor="tanh"),
        "generalized-α": cd.GeneralizedAlpha(0.8),
        "energy–momentum": cd.EnergyMomentum(),
        "energy–momentum in rows": cd.EnergyMomentum(coordinates="rows"),  # as first-order steps are
        "variational penalty": cd.methods.VariationalPenalty(stiffness=1e10, mass=1e-3, damping=1.0),
        "Baumgarte": cd.methods.Baumgarte(),
        "augmented Lagrangian": cd.methods.AugmentedLagrangian(),
        "asynchronous": cd.methods.AsynchronousVariational(),
    }


def chain(bars: int) -> Any:
    """The chain as a model."""
    import condyle as cd

    model = cd.Model("chain", dimension=3, gravity=(0.0, 0.0, -9.81))
    last = model.ground
    for k in range(bars):
        bar = model.add(cd.RigidBody(f"bar {k}", 1.0, inertia=INERTIA, position=((k + 0.5) * LENGTH, 0.0, 0.0)))
        model.add(cd.Spherical(f"joint {k}", last, bar, at=(k * LENGTH, 0.0, 0.0)))
        last = bar
    load = model.add(cd.RigidBody("load", 10.0, inertia=(0.01, 0.01, 0.01), position=(bars * LENGTH, 0.0, 0.0)))
    model.add(cd.Spherical("hook", last, load, at=(bars * LENGTH, 0.0, 0.0)))
    return model


def alternating(runs: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """The shortest time of each, all in turn: a machine that is busy for a while is so for all."""
    times = {name: np.inf for name in runs}
    for _ in range(2 * repeats):
        for name, run in runs.items():
            times[name] = min(times[name], run())
    return times


def runner(model: Any, method: Any) -> Callable[[], float]:
    """A function that runs a chain and gives processor seconds per step.

    Of a method that does not get through (rescaled penalties, Baumgarte's equation), up to where it fails.
    """
    import condyle as cd
    from condyle.integrators.compiled import compiled_steps

    sim = cd.Simulation(model, dt=DT, integrator=method)
    steps = compiled_steps(sim.method, sim.system)
    times = [DT * (k + 1) for k in range(STEPS)]

    def run() -> float:
        if steps is None:
            state, began = sim.state.copy(), time.process_time()
            for _ in range(STEPS // 10):
                state, _ = sim.method.step(sim.system, state, DT)
            return (time.process_time() - began) / (STEPS // 10)
        began = time.process_time()
        done = steps.run(sim.state.copy(), times, 1, STEPS, 0.0)
        return (time.process_time() - began) / max(1, len(done.scalars))

    run()
    return run


def mujoco_step(bars: int, repeats: int) -> float | None:
    """The same of MuJoCo, with its fastest solver; None where it is not installed."""
    try:
        import mujoco as mj
    except ImportError:
        return None
    best = np.inf
    for solver in ("NEWTON", "CG"):
        spec = mj.MjSpec()
        spec.option.timestep, spec.option.gravity = DT, (0.0, 0.0, -9.81)
        spec.option.disableflags = mj.mjtDisableBit.mjDSBL_CONTACT
        spec.option.solver = getattr(mj.mjtSolver, f"mjSOL_{solver}")
        spec.option.jacobian = mj.mjtJacobian.mjJAC_SPARSE
        for k in range(bars + 1):
            load = k == bars
            place = bars if load else k + 0.5
            body = spec.worldbody.add_body(name=f"b{k}", pos=(place * LENGTH, 0.0, 0.0))
            body.explicitinertial, body.mass, body.inertia = (
                True,
                10.0 if load else 1.0,
                (0.01,) * 3 if load else INERTIA,
            )
            body.add_freejoint()
            held = spec.add_equality(type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_BODY)
            held.name1, held.name2 = f"b{k}", "world" if k == 0 else f"b{k - 1}"
            held.data[:3] = (0.0 if load else -0.5 * LENGTH, 0.0, 0.0)
        model = spec.compile()
        data = mj.MjData(model)
        for _ in range(repeats):
            mj.mj_resetData(model, data)
            began = time.process_time()
            mj.mj_step(model, data, nstep=STEPS)
            best = min(best, (time.process_time() - began) / STEPS)
    return float(best)


if __name__ == "__main__":
    for goal in measured():
        print(f"{goal.what:<80} {goal.measured:8.3f}, wanted {goal.limit:g}: {goal.note}")
