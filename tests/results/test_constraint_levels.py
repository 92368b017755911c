"""Constraints at the levels of places, velocities and accelerations."""

import numpy as np
import pytest

import condyle as cd


def pendulum():
    m = cd.Model("pendulum", gravity=(0, 0, -9.81))
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=(0.02, 0.03, 0.01), position=(0.5, 0, 0)))
    m.add(cd.Revolute("pin", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    other = m.add(cd.RigidBody("other", 0.5, inertia=(0.01, 0.02, 0.01), position=(1.5, 0, 0)))
    m.add(cd.Revolute("elbow", bar, other, at=(1, 0, 0), axis=(0, 1, 0)))
    m.add(cd.Drive("turn", "elbow.angle", motion=cd.Harmonic(amplitude=0.3, frequency=1.0)))
    return m


# What is held at places, velocities and accelerations, relative to the motion, with steps of 2 ms.
METHODS = {
    "GeneralizedAlpha(spectral_radius=0.8)": (1e-11, 1e-10, 1e-9),
    "GeneralizedAlpha(hold='positions')": (1e-11, 1e-3, 3e-2),
    "EnergyMomentum()": (1e-11, 1e-3, 1e-2),
    "BDF2": (1e-11, 1e-2, 1e-1),
    "RungeKutta()": (1e-9, 1e-9, 1e-9),
}


@pytest.mark.parametrize("method", METHODS)
def test_levels_that_a_method_holds_are_held(method):
    result = cd.simulate(pendulum(), end=0.2, dt=2e-3, integrator=method, energy_tolerance=np.inf)
    levels = result.constraint_levels()
    relative = levels.relative
    for level, bound in zip(("position", "velocity", "acceleration"), METHODS[method], strict=True):
        assert relative[level] < bound, (level, relative)
    assert set(levels.parts) == {"pin", "elbow", "turn"}
    assert levels.of("turn").position.shape == (len(result), 1)
    np.testing.assert_allclose(np.abs(levels.position).max(axis=1), result.constraint_error, atol=1e-15)
    assert levels.by_slopes == (method == "EnergyMomentum()")


def test_the_levels_of_a_partitioned_adams_run_are_all_closed():
    adams = cd.methods.ScipyReference("VODE-Adams", rtol=1e-8, stabilisation="partitioning")
    levels = cd.simulate(pendulum(), end=0.05, dt=5e-3, integrator=adams).constraint_levels()
    assert levels.relative["position"] < 1e-9
    assert levels.relative["velocity"] < 1e-9
    assert levels.relative["acceleration"] < 1e-9


def test_velocities_that_are_not_held_come_back_with_the_square_of_the_step():
    found = []
    for dt in (4e-3, 2e-3):
        result = cd.simulate(pendulum(), end=0.2, dt=dt, integrator="EnergyMomentum()", energy_tolerance=np.inf)
        found.append(result.constraint_levels().largest["velocity"])
    assert 3.0 < found[0] / found[1] < 5.5


def test_hard_contact_counts_as_a_constraint_while_it_presses():
    m = cd.Model("ball", gravity=(0, 0, -9.81))
    ball = m.add(cd.RigidBody.ball("ball", 0.1, 1000.0, position=(0, 0, 0.1), velocity=(0.5, 0, 0)))
    m.add(cd.Contact("floor", ball, cd.Sphere(0.1), m.ground, cd.Plane((0, 0, 1))))
    levels = cd.simulate(m, end=0.05, dt=5e-3, integrator="GeneralizedAlpha()").constraint_levels()
    floor = levels.of("floor")
    assert floor.largest["position"] < 1e-9
    assert floor.largest["velocity"] < 1e-8
    assert floor.largest["acceleration"] < 1e-6
    figure = levels.plot()
    assert len(figure.axes[0].get_lines()) == 3
    with pytest.raises(cd.InputError, match="roof"):
        levels.of("roof")


def test_statics_has_no_rates():
    m = cd.Model("weight", gravity=(0, 0, -9.81))
    body = m.add(cd.RigidBody("body", 1.0, inertia=(1, 1, 1)))
    m.add(cd.Fixed("held", m.ground, body, at=(0, 0, 0)))
    with pytest.raises(cd.InputError, match="not simulated in time"):
        cd.solve_static(m).constraint_levels()
