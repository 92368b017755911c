"""Many runs: copies of a small model beside MuJoCo's rollouts, what a case of a sweep costs, 722 runs of the ball.

python benchmarks/many_runs.py

Copies start from other states, as rollouts do; throughput is steps of all copies over the time of the clock, on all cores, with
what is prepared for each copy. The overhead of a case is what a worker that has run one already takes for it beyond the run
itself; nine cases of `hip-gait` are compared with their own runs over the cores.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from goals import Goal

COPIES, STEPS, DT = 200, 1000, 1e-3
OVERHEAD = 50.0  # [ms] per case on a warm worker
RUNS, MINUTE = 722, 60.0  # of the ball's identification (spicka-2013), and the seconds they may take
SWEEP = 1.2  # times the runs over the cores
BATCH = 1.0  # of the throughput of MuJoCo's rollouts: a comparison, no limit was set


def measured(found: dict[str, Any], *, quick: bool = False) -> Iterator[Goal]:
    """All lines; quick: fewer copies and runs, and no sweep of the hip."""
    copies = COPIES // 10 if quick else COPIES
    for links in (1, 10):  # small models are where the start of a copy counts most
        # Compliant is of first order, as rollouts are; RungeKutta of fourth order, in joint coordinates, as rollouts are.
        for method in ("EnergyMomentum", "Compliant", "RungeKutta"):
            yield batch(found, links, copies, method)
    yield overhead(10 if quick else 40)
    yield ball(RUNS // 10 if quick else RUNS)
    if not quick:
        yield hip()


def batch(found: dict[str, Any], links: int, copies: int, method: str) -> Goal:
    """Copies of a chain from other speeds."""
    import workloads

    import condyle as cd

    chain = workloads.chain(links)
    system = found["condyle"].Run(chain, "energy–momentum", DT).system.shared
    states = []
    for k in range(copies):
        state = cd.Simulation(system, dt=DT).state
        state.v = state.v * (1.0 + 1e-3 * k)
        states.append(state)
    options: dict[str, Any] = {"end": STEPS * DT, "dt": DT, "every": STEPS, "integrator": method}
    cd.batch(system, states=states[:2], **options)  # loads what is compiled
    own, spent = {}, time.process_time()
    for threads in (1, None):
        own[threads] = cd.batch(system, states=states, threads=threads, **options).steps_per_second
    spent = (time.process_time() - spent) / (2 * copies * STEPS)
    note = f"{own[None]:.3g} steps/s, {own[None] / own[1]:.2g} times one thread, {1e6 * spent:.2g} µs of a processor per step"
    peer = np.inf
    if "mujoco" in found:
        import mujoco
        from mujoco import rollout

        run = found["mujoco"].Run(chain, "Euler", DT)
        cores = os.cpu_count() or 1
        size = mujoco.mj_stateSize(run.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start = np.zeros((copies, size))
        mujoco.mj_resetData(run.model, run.data)
        for k in range(copies):
            run.data.qvel[:] = run.velocity * (1.0 + 1e-3 * k)
            mujoco.mj_getState(run.model, run.data, start[k], mujoco.mjtState.mjSTATE_FULLPHYSICS)
        data = [mujoco.MjData(run.model) for _ in range(cores)]
        rollout.rollout(run.model, data, start[:2], nstep=10)
        began, spent = time.perf_counter(), time.process_time()
        rollout.rollout(run.model, data, start, nstep=STEPS)
        peer = copies * STEPS / (time.perf_counter() - began)
        spent = (time.process_time() - spent) / (copies * STEPS)
        note += f"; MuJoCo's rollouts (Euler, first order) {peer:.3g} steps/s, {1e6 * spent:.2g} µs"
    ratio = peer / own[None] if np.isfinite(peer) else np.nan
    return Goal(
        f"batch of {copies} chains of {links}, {method}: time per step, of MuJoCo's rollout threads",
        ratio,
        BATCH,
        note=note,
    )


def pendulum(damping: float) -> float:
    """The angle of a pendulum after 50 steps: a run of a millisecond."""
    import condyle as cd

    model = cd.Model("pendulum", dimension=2, gravity=(0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", size=(1.0, 0.05), density=7800, position=(0.5, 0)))
    model.add(cd.Pin("hinge", model.ground, bar, at=(0, 0)))
    model.add(cd.CoordinateDamper("grease", "hinge.angle", damping=damping))
    return float(cd.simulate(model, end=0.05, dt=1e-3).coordinate("hinge.angle")[-1])


def overhead(cases: int) -> Goal:
    """What a case takes beyond its steps: building, compiling the system, the start, the way to the worker and back."""
    import condyle as cd

    clock: list[float] = []
    values = np.linspace(1.0, 50.0, cases + 2)
    cd.sweep(pendulum, {"damping": values}, workers=1, progress=lambda *seen: clock.append(time.perf_counter()))
    per_case = float(np.median(np.diff(clock[2:])))
    note = "the whole case, of which 50 compiled steps are a millisecond"
    return Goal("sweep: time of a small case on a warm worker", 1e3 * per_case, OVERHEAD, "ms", note)


def bounced(k: float, b: float) -> dict[str, tuple[Any, Any]]:
    """The heights of the ball of the study `spicka-identification`."""
    from condyle.studies import spicka_identification as study

    p = study.STUDY.values({}, True)
    return study.bounce(p, study.LAWS["spring and dashpot"](k, b), p.dt)


def one_bounce(k: float, b: float) -> float:
    """One run of the identification, as a case."""
    return float(bounced(k, b)["height"][1][-1])


def ball(runs: int) -> Goal:
    """As many runs as the source needed, on all cores."""
    import condyle as cd

    random = np.random.default_rng(0)
    began = time.perf_counter()
    listed = np.exp(random.uniform(np.log(2e4), np.log(2e6), runs))
    done = cd.sweep(partial(one_bounce, b=60.0), {"k": listed})
    taken = (time.perf_counter() - began) * RUNS / runs
    note = f"{len(done.failed)} of {runs} failed" + ("" if runs == RUNS else f"; from {runs} runs")
    return Goal("722 runs of the ball's identification, on all cores", taken, MINUTE, "s", note)


def hip() -> Goal:
    """Nine cases of hip-gait on all cores, against the sum of what the cases took."""
    import condyle as cd

    began = time.perf_counter()
    found = cd.sweep("hip-gait", {"outer": "20:26:3 mm", "young": "500:1500:3 MPa"}, quick=True)
    taken = time.perf_counter() - began
    alone = sum(case.seconds for case in found.good) / (os.cpu_count() or 1)
    note = f"{taken:.0f} s, the runs over the cores {alone:.0f} s; {len(found.failed)} failed"
    return Goal("nine cases of hip-gait: time, of that of the runs over the cores", taken / alone, SWEEP, note=note)


def main() -> None:
    """One line each."""
    import engines

    for goal in measured(engines.load(["condyle", "mujoco"])):
        print(f"{goal.what}: {goal.measured:.3g} {goal.unit} (wanted {goal.limit:g}); {goal.note}", flush=True)


if __name__ == "__main__":
    main()
