"""Steps of piles in one kernel are those that Python takes call by call, and go on where they were left."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.integrators import nonsmooth

STEP = 2e-3


def heap_model(kind: str = "boxes", bodies: int = 27) -> cd.Model:
    """Bodies of 0.2 m, a little out of line, that fall onto a floor."""
    model = cd.Model("heap", dimension=3, gravity=(0.0, 0.0, -9.81))
    rng, parts = np.random.default_rng(5), []
    for k in range(bodies):
        at = np.array([k % 3, k // 3 % 3, k // 9]) * 0.205 + (0.0, 0.0, 0.102) + 0.002 * rng.uniform(-1, 1, 3)
        make = cd.RigidBody.ball if kind == "spheres" else cd.RigidBody.box
        parts.append(model.add(make(f"body {k}", 0.1 if kind == "spheres" else (0.2,) * 3, 1000.0, position=tuple(at))))
    model.add(cd.Collisions("heap", parts, cd.Plane((0, 0, 1)), friction=0.4))
    return model


def heap(kind: str = "boxes", **more) -> cd.Simulation:
    return cd.Simulation(heap_model(kind), dt=STEP, integrator=cd.Nonsmooth(**{"tolerance": 1e-8, "give": 0.03} | more))


@pytest.mark.parametrize("kind", ["boxes", "spheres"])
def test_one_kernel_takes_the_step_that_python_takes(kind, monkeypatch):
    sim = heap(kind)
    infos = [sim.step() for _ in range(40)]
    assert not infos[-1].in_python  # the first steps, with few points, are Python's
    method, before = sim.method, sim.state.copy()
    in_kernel, info = method.step(sim.system, before, STEP)
    assert not info.unsolved and not info.in_python
    monkeypatch.setattr(nonsmooth, "why_no_pile", lambda *given: "asked for")
    sim.system.kept.clear()
    in_python, info = method.step(sim.system, before, STEP)
    assert not info.unsolved and info.in_python
    assert np.abs(in_kernel.x - in_python.x).max() < 1e-11
    assert np.abs(in_kernel.v - in_python.v).max() < 1e-8
    for name in ("contact force", "contact features", "contact depth"):
        assert in_kernel.memory[name] == pytest.approx(in_python.memory[name], rel=1e-4, abs=1e-4)


def test_a_run_that_goes_on_from_the_middle_is_the_same_bit_for_bit(tmp_path):
    model, file, method = heap_model(), tmp_path / "run.h5", cd.Nonsmooth(tolerance=1e-8, give=0.03)
    whole = cd.simulate(model, end=60 * STEP, dt=STEP, integrator=method)
    cd.simulate(model, end=30 * STEP, dt=STEP, integrator=method, file=file)
    rest = cd.resume(file, end=60 * STEP)
    assert np.array_equal(whole.position("body 20")[-1], rest.position("body 20")[-1])
    assert np.array_equal(whole.contact("heap").force[-1], rest.contact("heap").force[-1])
    assert whole.unsolved_steps == 0


def test_a_step_depends_on_its_state_alone():
    """Not on when couples of shapes were looked for."""
    sim, other = heap(), heap()
    for _ in range(40):
        sim.step()
    other.step()
    here, there = (one.method.step(one.system, sim.state.copy(), STEP)[0] for one in (sim, other))
    assert np.array_equal(here.x, there.x) and np.array_equal(here.v, there.v)


def test_a_step_that_sweeps_do_not_solve_is_solved_with_contacts_that_give_more():
    sim = heap(sweeps=100, give=1e-3, tolerance=1e-6)
    infos = [sim.step() for _ in range(60)]
    assert max(info.iterations for info in infos) > 1 + 100  # some steps took more than one attempt
    assert not any(info.unsolved for info in infos)


def test_why_the_steps_of_a_group_are_taken_in_python_is_said():
    assert "Newton's method ends what sweeps have begun" in heap(give=0.0).step().in_python
    assert "(theta)" in heap(theta=0.75).step().in_python
