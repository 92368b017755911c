"""Contact in compiled steps of first order: the motion, forces and energies of steps in Python."""

from typing import Any

import numpy as np
import pytest

import bouncing
import condyle as cd
from condyle.integrators.compliant import Compliant
from condyle.integrators.newton import StepInfo

METHODS = {
    "Compliant": cd.Compliant(),
    "Stabilised": cd.Stabilised(alpha=0.5),
    "Stabilised, monitored": cd.Stabilised(monitor="tanh"),
}


def slider(law: Any, friction: Any = 0.0) -> cd.Model:
    """A box in the plane that slides on two corners until friction stops it."""
    m = cd.Model("slider", dimension=2, gravity=(0, -9.81))
    box = m.add(cd.RigidBody.box("box", (0.2, 0.1), 10.0, position=(0, 0.05), velocity=(0.4, 0)))
    corners = [(0.1, -0.05), (-0.1, -0.05)]
    m.add(cd.Contact("touch", box, corners, m.ground, cd.Plane((0, 1)), law=law, friction=friction))
    return m


def cable(law: Any, friction: Any = 0.0) -> cd.Model:
    """A cable that falls on an incline."""
    m = cd.Model("incline", dimension=2, gravity=(-1.0, -9.6))
    section = cd.RoundSection(0.1, cd.StVenantKirchhoff(young=5e9, density=7750.0))
    c = m.add(cd.Cable("cable", [(0.0, 0.002), (10.0, 0.002)], 2, section))
    places = [(float(s), 0.0) for s in 5.0 + 5.0 * np.polynomial.legendre.leggauss(4)[0]]
    m.add(cd.Contact("touch", c, places, m.ground, cd.Plane((0, 1)), law=law, friction=friction))
    return m


HARD = {
    "slider": lambda: slider(cd.Hard(), 0.3),
    "slider without friction": lambda: slider(cd.Hard()),
    "ball that rebounds": lambda: bouncing.ball(cd.Impact(0.5), 0.3),
    "cable": lambda: cable(cd.Hard(), 0.3),
    "boxes": lambda: bouncing.boxes(cd.Hard(), 0.4),
}
SOFT = bouncing.TREES | bouncing.OTHERS | {
    "cable": lambda: cable(cd.SpringDashpot(1e7), 1.0),
    "slider, regularised friction": lambda: slider(cd.SpringDashpot(1e5, ratio=0.2), cd.Regularised(0.3, creep=1e-3)),
    "slider, LuGre": lambda: slider(cd.SpringDashpot(1e5, ratio=0.2), cd.LuGre(0.3, 0.4, speed=0.01, bristles=1e4)),
}  # fmt: skip


def both(make: Any, method: Any, count: int, h: float = 2e-3) -> tuple[list[Any], dict[str, int]]:
    """States after steps in Python and compiled, each from the same state, and how often Python took a compiled step."""
    sim, found, python = cd.Simulation(make(), dt=h, integrator=method), [], dict[str, int]()
    other = cd.Simulation(make(), dt=h, integrator=method)
    for _ in range(count):
        expected, _ = type(method).step_in_python(method, other.system, sim.state.copy(), h)
        info = sim.step()
        python[info.in_python] = python.get(info.in_python, 0) + 1
        found.append((expected, sim.state))
        assert sim.energy()["total"] == pytest.approx(sim.scalars(StepInfo(), h)["total"], rel=1e-12, abs=1e-12)
    return found, python


def compare(found: list[Any], names: tuple[str, ...]) -> None:
    """Rows, velocities and what contacts remember.

    In Python multipliers of joints have the slight diagonal that lets redundant ones share their reactions.
    """
    force = max(np.abs(python.memory["contact force"]).max() for python, _ in found)
    for python, compiled in found:
        for key in ("x", "v"):
            one, other = getattr(compiled, key), getattr(python, key)
            np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-7 * max(1.0, np.abs(other).max()))
        for key in names:
            size = force if "force" in key else np.abs(python.memory[key]).max(initial=1e-6)
            np.testing.assert_allclose(
                compiled.memory[key], python.memory[key], rtol=0.0, atol=1e-6 * size, err_msg=key
            )


@pytest.mark.covering(1)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SOFT)
def test_steps_with_soft_contact_are_those_of_python(name, method):
    found, python = both(SOFT[name], METHODS[method], 60)
    assert set(python) == {""}
    names = ("contact force", "contact mean force", "contact recent", "contact past", "contact depth")
    compare(found, names + (("energy monitor",) if method == "Stabilised, monitored" else ()))
    assert any(compiled.memory["contact force"].any() for _, compiled in found)


@pytest.mark.covering(1)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", HARD)
def test_steps_with_hard_contact_are_those_of_python_which_takes_impacts(name, method):
    found, python = both(HARD[name], METHODS[method], 60)
    compare(found, ())
    assert set(python) <= {"", "points meet, come to rest or part"}
    if name != "ball that rebounds":  # it rolls, and its slip is ended step by step
        assert python[""] > 50


def test_a_box_that_rests_on_more_points_than_it_needs_presses_all_corners_alike():
    model = cd.Model("box", gravity=(0, 0, -9.81))
    box = model.add(cd.RigidBody.box("box", (0.2, 0.2, 0.2), 1000.0, position=(0, 0, 0.1)))
    model.add(cd.Contact("touch", box, cd.Box((0.2, 0.2, 0.2)), model.ground, cd.Plane((0, 0, 1)), friction=0.4))
    run = cd.simulate(model, end=0.1, dt=2e-3, integrator=cd.Compliant())
    np.testing.assert_allclose(run.contact("touch").normal_force[-1], 78.48 / 4, rtol=1e-9)
    assert sum(run.in_python.values()) < 4


def test_a_chain_that_falls_straight_is_balanced_to_round_off():
    """Nothing turns it, so that moments are only the round-off of forces."""
    run = cd.simulate(bouncing.chain(cd.HuntCrossley(2e6, e=0.8)), end=0.02, dt=2e-3, integrator=cd.Compliant())
    assert run.status == "completed"
    assert not run.in_python


def lifted(law: Any, friction: Any = 0.0) -> cd.Model:
    """A box with an arm that hangs loose on it, on a floor that goes up and to and fro."""
    m = cd.Model("lifted", dimension=2, gravity=(0, -9.81))
    shift = (lambda t: 0.02 * np.sin(9.0 * t), lambda t: 0.002 * t + 0.004 * np.sin(12.0 * t))
    floor = m.add(cd.Frame("floor", shift=shift))
    box = m.add(cd.RigidBody.box("box", (0.2, 0.1), 10.0, position=(0, 0.05)))
    arm = m.add(cd.RigidBody("arm", 0.1, inertia=0.001, position=(0.03, 0.2)))
    m.add(cd.Pin("pin", box, arm, at=(0, 0.1)))
    corners = [(0.1, -0.05), (-0.1, -0.05)]
    m.add(cd.Contact("touch", box, corners, floor, cd.Plane((0, 1)), law=law, friction=friction))
    return m


@pytest.mark.parametrize("method", ["Compliant", "Stabilised, monitored"])
@pytest.mark.parametrize(
    ("law", "friction"), [(cd.Hard(), 0.0), (cd.SpringDashpot(1e5), 0.3)], ids=["hard", "soft, friction"]
)
def test_steps_on_a_floor_that_moves_are_those_of_python_and_so_is_its_work(law, friction, method):
    make = lambda: lifted(law, friction)  # noqa: E731
    found, steps = both(make, METHODS[method], 60)
    compare(found, ("contact force",) + (("energy monitor",) if "monitored" in method else ()))
    assert steps[""] > 50
    compiled, python = (
        cd.simulate(make(), end=0.12, dt=2e-3, integrator=METHODS[method], solver=solver)
        for solver in ("auto", "dense")
    )
    assert sum(python.in_python.values()) == 60
    work = python.energy["work"]
    np.testing.assert_allclose(compiled.energy["work"], work, rtol=0.0, atol=1e-6 * np.abs(work).max())


@pytest.mark.parametrize("method", [cd.Compliant(), cd.Compliant(contact="explicit")], ids=["implicit", "explicit"])
def test_what_a_floor_lifts_it_works_for(method):
    """The work of a moving support was that of a step without contact: none."""
    m = cd.Model("lift", dimension=2, gravity=(0, -9.81))
    floor = m.add(cd.Frame("floor", shift=(0.0, lambda t: 0.1 * (t - np.sin(2.0 * np.pi * t) / (2.0 * np.pi)))))
    box = m.add(cd.RigidBody("box", 2.0, inertia=0.1, position=(0, 0.1)))
    m.add(cd.Contact("touch", box, [(-0.1, -0.1), (0.1, -0.1)], floor, cd.Plane((0, 1)), law=cd.SpringDashpot(2e5)))
    run = cd.simulate(m, end=1.0, dt=5e-4 if method.contact == "explicit" else 2e-3, integrator=method)
    assert run.energy["work"][-1] == pytest.approx(2.0 * 9.81 * 0.1, rel=1e-3)
    assert method.contact == "explicit" or not run.in_python


@pytest.mark.parametrize("name", ["heap", "jelly", "cable"])
def test_a_run_resumes_bit_for_bit_and_steps_alone_are_those_in_a_row(name, tmp_path):
    h = 1 / 512
    whole = cd.simulate(SOFT[name](), end=80 * h, dt=h, integrator=cd.Stabilised(monitor="tanh"))
    cd.simulate(SOFT[name](), end=40 * h, dt=h, integrator=cd.Stabilised(monitor="tanh"), file=tmp_path / "run.h5")
    resumed = cd.resume(tmp_path / "run.h5", end=80 * h)
    sim = cd.Simulation(SOFT[name](), dt=h, integrator=cd.Stabilised(monitor="tanh"))
    for _ in range(80):
        sim.step()
    assert not whole.in_python
    for state in (resumed.state(-1), sim.state):
        for key in ("x", "v", "multipliers"):
            assert np.array_equal(getattr(state, key), getattr(whole.state(-1), key)), key
        for key, value in whole.state(-1).memory.items():
            assert np.array_equal(state.memory[key], value), key


def test_a_ball_falls_in_millimetres_as_in_metres():
    runs = []
    for size in (1.0, 1000.0):
        law = cd.HuntCrossley(2e6 / size**0.5, e=0.7, slowest=1e-3 * size)
        run = cd.simulate(bouncing.ball(law, 0.3, size), end=0.1, dt=2e-3, integrator=cd.Compliant())
        runs.append((run.position("ball") / size, run.contact("touch").normal_force / size))
        assert not run.in_python
    for metres, millimetres in zip(*runs, strict=True):
        np.testing.assert_allclose(millimetres, metres, rtol=0.0, atol=1e-8 * np.abs(metres).max())


@pytest.mark.parametrize(
    ("method", "why"),
    [
        (cd.Compliant(contact="explicit"), "contact='explicit' was asked for"),
        (cd.methods.LinearisedImplicit(), "LinearisedImplicit is not compiled"),
    ],
    ids=["explicit", "linearised"],
)
def test_steps_that_python_takes_are_counted(method, why):
    run = cd.simulate(bouncing.particle(cd.SpringDashpot(1e5)), end=0.01, dt=1e-3, integrator=method)
    assert run.in_python == {why: 10}
    assert issubclass(type(method), Compliant)
