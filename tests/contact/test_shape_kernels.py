"""Rigid shapes against each other in kernels: the same numbers as in Python, in one evaluation and in whole runs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import condyle as cd
from condyle.contact.step import ContactStep
from condyle.integrators.compiled import CompiledMethod
from condyle.system import assembly
from contact_answers import answers

TURNED = ((0.96, -0.28, 0.0), (0.28, 0.96, 0.0), (0.0, 0.0, 1.0))
SHAPES: dict[str, tuple[Any, Any, float]] = {  # under, over, height of the upper one
    "boxes": (cd.Box((0.6, 0.5, 0.4)), cd.Box((0.4, 0.6, 0.2), rotation=TURNED), 0.297),
    "balls": (cd.Sphere(0.3), cd.Sphere(0.2), 0.497),
    "ellipsoids": (cd.Ellipsoid((0.3, 0.2, 0.25)), cd.Ellipsoid((0.2, 0.3, 0.15)), 0.396),
    "capsule on box": (cd.Box((0.6, 0.5, 0.4)), cd.Capsule((-0.1, 0, 0), (0.1, 0, 0), 0.1), 0.298),
    "rectangles": (cd.Box((0.6, 0.4)), cd.Box((0.4, 0.2)), 0.297),
}
LAWS = {"hard": cd.Hard(), "spring": cd.SpringDashpot(1e4, damping=3.0), "hunt": cd.HuntCrossley(1e5)}
CASES = [
    *itertools.product(("pair", "group"), SHAPES, ("hard", "spring"), (0.0, 0.3)),
    *itertools.product(("pair", "group"), ("ellipsoids",), ("hunt",), (0.0, cd.Coulomb(0.2, 0.4, 0.1))),
]


def two_bodies(kind: str, shapes: str, law: Any, friction: Any) -> cd.Model:
    """A body a little inside another one."""
    under, over, height = SHAPES[shapes]
    d = 2 if shapes == "rectangles" else 3
    m = cd.Model("two bodies", dimension=d, gravity=(0.0,) * (d - 1) + (-9.81,))
    inertia: Any = (0.01, 0.012, 0.015) if d == 3 else 0.01
    at = (0.03, 0.02, height) if d == 3 else (0.03, height)
    lower = m.add(cd.RigidBody("under", 2.0, inertia=inertia))
    upper = m.add(cd.RigidBody("over", 1.0, inertia=inertia, position=at))
    if kind == "pair":
        m.add(cd.Contact("touch", upper, over, lower, under, law=law, friction=friction, overlap="resolve"))
    else:
        bodies = {lower.name: under, upper.name: over}
        m.add(cd.Collisions("touch", bodies, law=law, friction=friction, overlap="resolve"))
    return m


@pytest.mark.covering(2)
@pytest.mark.parametrize(("kind", "shapes", "law", "friction"), CASES)
def test_kernels_and_python_answer_the_same(kind: str, shapes: str, law: str, friction: Any) -> None:
    rng = np.random.default_rng(3)
    sim = cd.Simulation(two_bodies(kind, shapes, LAWS[law], friction), dt=0.01)
    system, state = sim.system, sim.state.copy()
    problem: Any = system.contact
    memory = state.memory
    state.v = state.v + 0.3 * rng.standard_normal(state.v.shape)
    memory.pop("contact overlap", None)
    sizes = {"contact force": -5.0, "contact recent": -1e-3, "contact slip": 1e-4, "contact past": 0.05}
    for name in sizes.keys() & memory.keys():
        memory[name] = sizes[name] * (0.2 + rng.random(memory[name].shape))
    problem.kernels = False
    problem.build(state.x)
    x1, moved, turn = state.x.copy(), np.zeros_like(state.x), np.zeros((system.rows.bodies.shape[0], 3))
    motion = 0.2 * rng.standard_normal(x1.shape)
    motion[[k for k, part in enumerate(system.row_owner) if part == "over" and system.translation[k]], -1] = -0.5
    assembly.first_step(system.rows, motion, 0.01, state.x, x1, moved, turn)
    state.memory["contact features"] = after_a_look(problem, state)
    closed = 0
    for where in ("end", "conserving", "mean"):
        problem.kernels = False
        problem.build(state.x)
        python = answers(ContactStep(problem, state, 0.01), state.x, x1, where)
        problem.kernels, problem.neighbours.changed = True, 0
        kernels = answers(ContactStep(problem, state, 0.01), state.x, x1, where)
        assert problem.touching is not None
        closed += int((python[5] > 0).sum())
        for one, other in zip(kernels, python, strict=True):
            np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-9 * np.abs(other).max(initial=1e-30))
    assert closed > 0


def after_a_look(problem: Any, state: Any) -> Any:
    """Points in their places at a state."""
    problem.look_around(state, 0.01)
    return problem.features()


# --- whole runs -----------------------------------------------------------------------------------------------------------


def heap(kind: str, law: Any, friction: Any) -> cd.Model:
    """Three bodies that fall on the ground and on each other."""
    m = cd.Model("heap", gravity=(0, 0, -9.81))
    for k, at in enumerate(((0, 0, 0.11), (0.05, 0.02, 0.32), (-0.03, 0.04, 0.54))):
        if kind == "boxes":
            m.add(cd.RigidBody.box(f"body {k}", (0.2, 0.2, 0.2), 1000.0, position=at, velocity=(0.2 * k, 0, 0)))
        else:
            m.add(cd.RigidBody.ball(f"body {k}", 0.1, 1000.0, position=at, velocity=(0.2 * k, 0, 0)))
    bodies = [m[f"body {k}"] for k in range(3)]
    m.add(cd.Collisions("heap", bodies, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def block_on_block(law: Any, friction: Any) -> cd.Model:
    """A block that slides on one that can move."""
    m = cd.Model("blocks", gravity=(0, 0, -9.81))
    under = m.add(cd.RigidBody.box("under", (0.6, 0.6, 0.2), 1000.0))
    m.add(cd.Prismatic("slide", m.ground, under, axis=(1, 0, 0)))
    over = m.add(cd.RigidBody.box("over", (0.2, 0.2, 0.2), 1000.0, position=(0, 0, 0.2), velocity=(0.5, 0.1, 0)))
    m.add(
        cd.Contact("touch", over, cd.Box((0.2, 0.2, 0.2)), under, cd.Box((0.6, 0.6, 0.2)), law=law, friction=friction)
    )
    return m


def steps(sim: cd.Simulation, count: int) -> tuple[np.ndarray, int]:
    """Places after each step, and how many steps were taken in Python."""
    out, python = [], 0
    for _ in range(count):
        python += bool(sim.step().in_python)
        out.append(sim.state.x.ravel().copy())
    return np.array(out), python


RUNS = {
    "boxes, soft": lambda: heap("boxes", cd.SpringDashpot(1e5, ratio=0.3), 0.4),
    "balls, soft": lambda: heap("balls", cd.SpringDashpot(1e5, ratio=0.3), 0.4),
    "block, soft": lambda: block_on_block(cd.SpringDashpot(1e6, ratio=0.3), 0.3),
    "block, hard": lambda: block_on_block(cd.Hard(), 0.3),
    "block, without friction": lambda: block_on_block(cd.Hard(), 0.0),
}


@pytest.mark.parametrize(
    "method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()], ids=["energy-momentum", "generalized-alpha"]
)
@pytest.mark.parametrize("name", RUNS)
def test_compiled_runs_are_those_of_python(name: str, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 60
    compiled, slow = steps(cd.Simulation(RUNS[name](), dt=2e-3, integrator=method), count)
    assert slow < 0.1 * count
    sim = cd.Simulation(RUNS[name](), dt=2e-3, integrator=method)
    contact: Any = sim.system.contact
    contact.kernels = False
    contact.build(sim.state.x)
    monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    python, _ = steps(sim, count)
    np.testing.assert_allclose(compiled, python, rtol=0.0, atol=2e-6)
