"""Soft contact in compiled explicit steps: forces, memories and motion are those of the formulas in Python."""

from typing import Any

import numpy as np
import pytest

import bouncing
import condyle as cd
from condyle.contact.step import ContactStep
from condyle.integrators.newton import StepInfo

METHODS = {"RungeKutta(4)": cd.RungeKutta(), "RungeKutta(8)": cd.RungeKutta(order=8), "Gauss(4)": cd.Gauss(order=4)}
MODELS = bouncing.TREES | bouncing.OTHERS


def formulas(name: str) -> Any:
    """The contacts of a model, whose conditions are gone through in Python."""
    contact: Any = cd.Simulation(MODELS[name](), dt=1e-3, integrator=cd.RungeKutta()).system.contact
    contact.kernels = False
    contact.build(contact.system.x_start)
    return contact


@pytest.mark.covering(1)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_what_contacts_remember_of_a_compiled_step_is_what_the_formulas_say(name, method):
    sim, contact = cd.Simulation(MODELS[name](), dt=1e-3, integrator=METHODS[method]), formulas(name)
    before, closed = sim.state, 0
    for _ in range(60):
        assert sim.step().in_python == ""
        after, step = sim.state, ContactStep(contact, before, 1e-3)
        step.force_at(after.x, after.v)
        for key, expected in step.memory(after.x).items():
            if key != "contact features":  # the path of guesses for the next points
                size = np.abs(expected).max(initial=1e-9)
                np.testing.assert_allclose(after.memory[key], expected, rtol=0.0, atol=1e-9 * size, err_msg=key)
        assert sim.energy()["total"] == pytest.approx(sim.scalars(StepInfo(), 1e-3)["total"])
        closed += int(np.count_nonzero(after.memory["contact force"]))
        before = after
    assert closed > 5


@pytest.mark.parametrize("method", METHODS)
def test_a_free_ball_moves_in_joint_coordinates_as_in_rows(method):
    """Without gyroscopic terms both are the same equations."""
    ends = []
    for coordinates in ("joints", "rows"):
        chosen = type(METHODS[method])(order=METHODS[method].order, coordinates=coordinates)
        run = cd.simulate(bouncing.ball(cd.Hertz(2e6)), end=0.1, dt=1e-3, integrator=chosen)
        assert not run.in_python
        ends.append((run.position("ball"), run.contact("touch").normal_force, run.energy["total"]))
    for joints, rows in zip(*ends, strict=True):
        np.testing.assert_allclose(joints, rows, rtol=0.0, atol=1e-10 * np.abs(rows).max())


def test_joints_and_rows_come_together_as_the_step_falls():
    def apart(h):
        ends = [
            cd.simulate(bouncing.egg(cd.HuntCrossley(2e6, e=0.7)), end=0.064, dt=h,
                        integrator=cd.RungeKutta(coordinates=coordinates)).state(-1).x
            for coordinates in ("joints", "rows")
        ]  # fmt: skip
        return np.abs(ends[0] - ends[1]).max()

    assert apart(1e-3) > 2**3 * apart(5e-4) > 1e-13


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["chain", "heap", "particle", "jelly"])
def test_a_run_resumes_bit_for_bit_and_steps_alone_are_those_in_a_row(name, method, tmp_path):
    integrator, h = METHODS[method], 1 / 1024
    whole = cd.simulate(MODELS[name](), end=80 * h, dt=h, integrator=integrator)
    cd.simulate(MODELS[name](), end=40 * h, dt=h, integrator=integrator, file=tmp_path / "run.h5")
    resumed = cd.resume(tmp_path / "run.h5", end=80 * h)
    sim = cd.Simulation(MODELS[name](), dt=h, integrator=integrator)
    for _ in range(80):
        sim.step()
    assert not whole.in_python
    for state in (resumed.state(-1), sim.state):
        for key in ("x", "v", "multipliers"):
            assert np.array_equal(getattr(state, key), getattr(whole.state(-1), key)), key
        for key, value in whole.state(-1).memory.items():
            assert np.array_equal(state.memory[key], value), key


@pytest.mark.parametrize("coordinates", ["joints", "rows"])
def test_a_ball_bounces_in_millimetres_as_in_metres(coordinates):
    """F = K s^1.5 in newtons: K [N/m^1.5] falls by 1000^1.5; masses in kilograms, forces in millinewtons per millimetre."""
    method, runs = cd.RungeKutta(coordinates=coordinates), []
    for size in (1.0, 1000.0):
        law = cd.HuntCrossley(2e6 / size**0.5, e=0.7, slowest=1e-3 * size)
        run = cd.simulate(bouncing.ball(law, 0.3, size), end=0.1, dt=5e-4, integrator=method)
        runs.append((run.position("ball") / size, run.contact("touch").normal_force / size))
        assert not run.in_python
    for metres, millimetres in zip(*runs, strict=True):
        np.testing.assert_allclose(millimetres, metres, rtol=0.0, atol=1e-9 * np.abs(metres).max())


@pytest.mark.parametrize("coordinates", ["joints", "rows"])
def test_a_ball_on_a_spring_of_hertz_loses_no_energy_but_where_a_step_jumps_over_its_touch(coordinates):
    """F ~ s^1.5 has a kink at the touch, where a step h leaves a share of h^2.5, whatever the order of the method."""
    lost = []
    for h in (1e-3, 6.25e-5):
        method = cd.RungeKutta(coordinates=coordinates)
        run = cd.simulate(bouncing.ball(cd.Hertz(2e6)), end=0.15, dt=h, integrator=method)
        total = run.energy["total"]
        lost.append(np.abs(total - total[0]).max() / total[0])
        assert run.contact("touch").normal_force.max() > 100.0
    assert lost[1] < 16**-2.0 * lost[0] < 1e-6


def test_a_box_that_would_go_too_deep_is_stepped_in_python_which_warns():
    model = cd.Model("soft floor", gravity=(0, 0, -9.81))
    box = model.add(cd.RigidBody.box("box", (0.2, 0.2, 0.2), 1000.0, position=(0, 0, 0.101)))
    law = cd.SpringDashpot(200.0, damping=0.0)
    model.add(cd.Contact("touch", box, cd.Box((0.2, 0.2, 0.2)), model.ground, cd.Plane((0, 0, 1)), law=law))
    with pytest.warns(cd.contact.stiffness.ContactWarning, match="inside"):
        run = cd.simulate(model, end=0.15, dt=1e-3, integrator=cd.RungeKutta())
    assert run.in_python == {"points meet, come to rest or part": 1}


@pytest.mark.parametrize("coordinates", ["auto", "rows"])
def test_steps_of_a_law_of_ones_own_are_said_to_be_pythons(coordinates):
    @cd.declared(frozen=True)
    class Foam(cd.SpringDashpot):
        pass

    method = cd.RungeKutta(coordinates=coordinates)
    sim = cd.Simulation(bouncing.ball(Foam(1e5, ratio=0.1)), dt=1e-3, integrator=method)
    assert sim.step().in_python == "Foam of 'touch' is not compiled"
    with pytest.raises(cd.InputError, match="Foam of 'touch' is not compiled; take coordinates='auto'"):
        cd.Simulation(sim.system.model, dt=1e-3, integrator=cd.RungeKutta(coordinates="joints"))
