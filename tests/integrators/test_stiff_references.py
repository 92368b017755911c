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


def test_an_angle_that_cannot_be_reached_is_refused_at_once():
    m = cd.Model(dimension=2)
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=0.1, position=(0.5, 0.0)))
    m.add(cd.Revolute("hinge", m.ground, bar, at=(0.0, 0.0)))
    m.add(cd.Initial("start", "hinge.angle", 1e9))
    with pytest.raises(cd.InputError, match=r"Initial 'start': its value 1e\+09 is out of reach"):
        cd.simulate(m, end=0.1, dt=0.1)
