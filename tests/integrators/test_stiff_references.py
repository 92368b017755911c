"""Explicit methods on stiff models end with an estimate or a limit that names the part, not after days."""

import numpy as np
import pytest

import condyle as cd


def chain(stiffness):
    """A soft and a stiff spring in a row."""
    m = cd.Model("chain", dimension=2)
    m.add(cd.PointMass("soft", 1.0, (1.0, 0.0), (0.1, 0.0)))
    m.add(cd.PointMass("stiff", 1e-3, (2.0, 0.0)))
    m.add(cd.Spring("a", m.ground.at(0, 0), "soft", 10.0))
    m.add(cd.Spring("b", "soft", "stiff", stiffness))
    return m


@pytest.mark.parametrize("method", ["RungeKutta", "IteratedNewmark", "RK45", "DOP853", "VODE-Adams"])
def test_the_steps_that_an_explicit_method_needs_are_estimated_before_it_starts(method):
    with pytest.raises(
        cd.InputError, match=rf"{method} is explicit and would need about .* steps to t = 10: with 'stiff'"
    ):
        cd.simulate(chain(1e12), end=10.0, dt=0.01, integrator=method)


def test_the_estimate_is_that_of_the_highest_frequency():
    sim = cd.Simulation(chain(1e6), dt=1e-3)
    assert cd.largest_step(sim.system, sim.state) == pytest.approx(2.0 / np.sqrt(1e6 / 1e-3 * (1 + 1e-3)), rel=1e-6)


def test_soft_models_and_implicit_methods_are_not_refused():
    for method, stiffness in (("RungeKutta", 10.0), ("DOP853", 10.0), ("Radau", 10.0), ("EnergyMomentum", 1e12)):
        assert cd.simulate(chain(stiffness), end=0.02, dt=0.01, integrator=method).status == "completed"


@pytest.mark.parametrize("method", ["DOP853", "VODE-Adams", "LSODA"])
def test_a_reference_ends_at_its_limit_of_evaluations(method):
    reference = cd.methods.ScipyReference(method, evaluations=300)
    result = cd.simulate(chain(1e6), end=1.0, dt=0.01, integrator=reference, on_failure="return")
    assert result.status == "failed" and "has taken 300 evaluations" in result.message


def dropped(law, speed=0.0, **more):
    """With a speed: thrown from 0.1 mm above, without gravity."""
    m = cd.Model("drop", dimension=2, gravity=(0.0, 0.0 if speed else -9.81))
    ball = m.add(cd.PointMass("ball", 1.0, (0.0, 1e-4 if speed else 0.05), (0.0, -speed)))
    m.add(cd.Contact("floor", ball, "nodes", m.ground, cd.Plane((0.0, 1.0)), law=law, **more))
    return m


@pytest.mark.parametrize("method", ["RK45", "BDF", "Rosenbrock23", "Trapezoidal", "TRBDF2"])
def test_references_take_soft_contact(method):
    """A spring alone: up again as far as it fell; and they count what they compute."""
    reference = cd.methods.ScipyReference(method, rtol=1e-7, stabilisation="baumgarte")
    result = cd.simulate(dropped(cd.SpringDashpot(1e4, damping=0.0)), end=0.2, dt=0.02, integrator=reference)
    energy = result.energy["total"]
    assert np.ptp(energy) < 2e-4 * energy[0]
    assert result.velocity("ball")[-1, 1] > 0.0 and 100 < reference.spent < 20_000


def test_references_refuse_contact_that_they_cannot_carry():
    with pytest.raises(cd.InputError, match=r"'BDF'\) cannot hold the gap of contact 'floor', whose law is Hard"):
        cd.simulate(dropped(cd.Hard()), end=0.1, dt=0.01, integrator=cd.methods.ScipyReference("BDF"))
    ahead = cd.methods.ScipyReference("BDF", stabilisation="baumgarte")
    for law, rub, what in ((cd.Flores(1e6), 0.0, "Flores"), (cd.Hertz(1e6), 0.3, "Coulomb")):
        with pytest.raises(cd.InputError, match=rf"{what} of contact 'floor' remembers .*'projection'"):
            cd.simulate(dropped(law, friction=rub), end=0.1, dt=0.01, integrator=ahead)


def test_a_law_that_remembers_goes_with_references_whose_solvers_end_with_each_step():
    reference = cd.methods.ScipyReference("RK45", rtol=1e-6)
    result = cd.simulate(dropped(cd.ZhangSharf(1e6, e=0.6), 1.0), end=0.02, dt=1e-3, integrator=reference)
    assert result.velocity("ball")[-1, 1] == pytest.approx(0.6, rel=1e-4)


def test_an_angle_that_cannot_be_reached_is_refused_at_once():
    m = cd.Model(dimension=2)
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=0.1, position=(0.5, 0.0)))
    m.add(cd.Revolute("hinge", m.ground, bar, at=(0.0, 0.0)))
    m.add(cd.Initial("start", "hinge.angle", 1e9))
    with pytest.raises(cd.InputError, match=r"Initial 'start': its value 1e\+09 is out of reach"):
        cd.simulate(m, end=0.1, dt=0.1)
