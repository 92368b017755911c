"""Steps with contact: one point on a rigid body in compiled steps, beside the same steps in Python, and the coupled walk.

python benchmarks/contact_steps.py              all of it, and single steps from Python

The point slides over the ground (hard, with and without friction) or lies on it (soft), and so does a box on the shape of the
ground, four points that move over both; 2000 steps in a row. The steps in Python are those that compiled code falls back to; of
the box those by the formulas in Python. The walk is that of `hip-gait`, 686 unknowns, without start and output.
Before contact was compiled, one of its steps took 54 ms, and one of a single point 1.4 ms (energy–momentum) to 8 ms
(generalized-α).
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any
from unittest import mock

from goals import Goal

STEPS, DT = 2000, 1e-3
SHARE = 0.02  # of the same step in Python
WALK_BEFORE, WALK_SHARE = 54.0, 0.2  # [ms]
SINGLE = 100.0  # [µs] that one step from Python takes


@dataclass
class StepRow:
    """One method and law: microseconds of a step, compiled and in Python."""

    method: str
    law: str
    compiled: float
    python: float
    what: str = "one contact point"


def sliding(law: Any, friction: float) -> Any:
    """A body that slides on one point."""
    import condyle as cd

    m = cd.Model("sledge", gravity=(0, 0, -9.81))
    body = m.add(cd.RigidBody("sledge", 1.0, inertia=(0.1, 0.1, 0.1), velocity=(100.0, 0, 0)))
    m.add(cd.Contact("floor", body, [(0, 0, 0)], m.ground, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def sliding_box(law: Any, friction: float) -> Any:
    """A box that slides on the ground, shape against shape."""
    import condyle as cd

    m = cd.Model("box", gravity=(0, 0, -9.81))
    size = (0.4, 0.4, 0.2)
    body = m.add(cd.RigidBody.box("box", size, 100.0, position=(0, 0, 0.1), velocity=(100.0, 0, 0)))
    m.add(cd.Contact("floor", body, cd.Box(size), m.ground, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def rows() -> list[StepRow]:
    """Both methods, hard and soft, with friction and without."""
    return [
        *_rows(sliding, "one contact point", (("hard", "soft"), (0.0, 0.3))),
        *_rows(sliding_box, "a box on the ground, shape on shape", (("hard", "soft"), (0.0, 0.3))),
    ]


def _rows(model: Any, what: str, cases: tuple[tuple[str, ...], tuple[float, ...]]) -> list[StepRow]:
    import condyle as cd
    from condyle.integrators.compiled import CompiledMethod

    laws = {"hard": cd.Hard(), "soft": cd.SpringDashpot(1e5)}
    made = []
    for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha()):
        for name in cases[0]:
            law = laws[name]
            for friction in cases[1]:
                sim = cd.Simulation(model(law, friction), dt=DT, integrator=method)
                for _ in range(20):
                    sim.step()
                steps: Any = method.compiled(sim.system)
                times = [sim.state.t + DT * (k + 1) for k in range(STEPS)]
                best = min(_seconds(steps.run, sim.state, times, 21, STEPS, sim.work) for _ in range(3))
                contact: Any = sim.system.contact
                if contact.neighbours is not None:
                    contact.kernels = False
                    contact.build(sim.state.x)
                with mock.patch.object(CompiledMethod, "why_in_python", lambda self, system: "asked for"):
                    python = min(_seconds(sim.step) for _ in range(20))
                with_friction = f"{name}, friction" if friction else name
                made.append(StepRow(type(method).__name__, with_friction, 1e6 * best / STEPS, 1e6 * python, what))
    return made


def walk(steps: int = 30) -> float:
    """Milliseconds of a step of the coupled walk."""
    import condyle as cd
    from condyle.studies import hip_gait

    p = hip_gait.STUDY.values()
    method = cd.Newmark(beta=0.3025, gamma=0.6, hold="positions")
    best = []
    for _ in range(3):
        sim = cd.Simulation(hip_gait.coupled(p), dt=p.dt, integrator=method, start="zero-acceleration")
        sim.step()
        best.append(1e3 * _seconds(sim.run, sim.time + steps * p.dt) / steps)
    return min(best)


def whole_walk() -> float:
    """Time of the whole coupled walk (model M2), start included, of the time simulated."""
    import condyle as cd
    from condyle.studies import hip_gait

    p = hip_gait.STUDY.values()
    method = cd.Newmark(beta=0.3025, gamma=0.6, hold="positions")

    def run() -> None:
        sim = cd.Simulation(hip_gait.coupled(p), dt=p.dt, integrator=method, start="zero-acceleration")
        sim.run(p.end)

    return min(_seconds(run) for _ in range(3)) / float(p.end)


def judge_walk(share: float) -> list[Goal]:
    """The walk in real time."""
    return [
        Goal("the coupled walk: time, of the time simulated", share, 1.0, note=f"{1.0 / share:.3g} times real time")
    ]


def pendulum() -> Any:
    """A box on a ball joint, without contact."""
    import condyle as cd

    m = cd.Model("pendulum", gravity=(0, 0, -9.81))
    body = m.add(cd.RigidBody.box("bar", (0.1, 0.1, 1.0), 1000.0, position=(0.5, 0, 0)))
    m.add(cd.Spherical("pivot", m.ground, body, at=(0, 0, 0)))
    return m


def single() -> dict[str, float]:
    """Microseconds of one call of `Simulation.step`, the shortest of many bursts."""
    import condyle as cd

    models = {"a pendulum": pendulum(), "one contact point": sliding(cd.SpringDashpot(1e5), 0.3)}
    found = {}
    for name, model in models.items():
        for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha()):
            sim = cd.Simulation(model, dt=DT, integrator=method)

            def burst(sim: Any = sim) -> None:
                for _ in range(25):
                    sim.step()

            burst()
            found[f"{name}, {type(method).__name__}"] = 1e6 / 25 * min(_seconds(burst) for _ in range(40))
    return found


def judge_single(found: dict[str, float]) -> list[Goal]:
    """A step from Python."""
    return [Goal(f"{name}: one step from Python", taken, SINGLE, "µs") for name, taken in found.items()]


def _seconds(action: Any, *given: Any) -> float:
    began = time.process_time()
    action(*given)
    return time.process_time() - began


def judge(found: list[StepRow], step: float) -> list[Goal]:
    """Compiled over Python, and the walk over what it took."""
    goals = [
        Goal(f"{row.what}, {row.method}, {row.law}: a compiled step, of one in Python", row.compiled / row.python,
             SHARE, note=f"{row.compiled:.3g} µs beside {row.python:.4g} µs")
        for row in found
    ]  # fmt: skip
    goals.append(Goal(f"a step of the coupled walk, of the {WALK_BEFORE:g} ms it took", step / WALK_BEFORE, WALK_SHARE,
                      note=f"{step:.3g} ms"))  # fmt: skip
    return goals


def main() -> None:
    """All goals as lines."""
    warnings.simplefilter("ignore")
    for goal in judge(rows(), walk()) + judge_walk(whole_walk()) + judge_single(single()):
        print(
            f"{'met   ' if goal.met else 'missed'} {goal.what}: {goal.measured:.3g} (at most {goal.limit:g}); {goal.note}"
        )


if __name__ == "__main__":
    main()
