"""HHT and backward differences: their order, their damping, and what they keep."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.examples import double_pendulum
from condyle.errors import InputError
from condyle.system.compile import running
from stepping import walk


@pytest.fixture(scope="module")
def comparison():
    """Every integrator with a fixed step on the double pendulum in space."""
    return cd.compare(
        double_pendulum(), 0.4, steps=(0.02, 0.01, 0.005),
        integrators=("EnergyMomentum", "GeneralizedAlpha", "Newmark", "HHT(alpha=0.2)", "BDF1", "BDF2", "RungeKutta"),
    )  # fmt: skip


ORDERS = {
    "EnergyMomentum": 2, "GeneralizedAlpha": 2, "Newmark": 2, "HHT(alpha=0.2)": 2, "BDF1": 1, "BDF2": 2, "RungeKutta": 4,
}  # fmt: skip


@pytest.mark.parametrize("quantity", ["position", "velocity", "multiplier"])
@pytest.mark.parametrize("name", ORDERS)
def test_order_of_positions_velocities_and_multipliers(comparison, name, quantity):
    measured = comparison.order(name, quantity)
    assert abs(measured - ORDERS[name]) < 0.25, measured


def test_joints_stay_closed_and_newton_needs_few_iterations(comparison):
    for run in comparison.runs:
        assert run.constraint_error < 1e-13
        assert run.iterations <= 3.0
        assert run.message == ""


def oscillator(stiffness):
    """A mass of 1 kg on a spring along x; its frequency is the square root of the stiffness."""
    m = cd.Model("oscillator", dimension=2)
    mass = m.add(cd.PointMass("mass", 1.0, (1.0, 0.0)))
    m.add(cd.Spring("spring", m.ground, mass, stiffness, rest_length=0.0))
    return m


@pytest.mark.parametrize(("alpha", "radius"), [(0.0, 1.0), (0.1, 9 / 11), (1 / 3, 0.5)])
def test_hht_damps_the_highest_frequency_by_its_spectral_radius(alpha, radius):
    path = walk(oscillator(1e12), 0.1, 62, cd.HHT(alpha=alpha))
    amplitude = np.abs(path.point("mass")[:, 0])
    decay = amplitude[60:62].max() / amplitude[40:42].max()  # n ρⁿ to n² ρⁿ: the roots coincide
    assert abs(decay ** (1 / 20) - radius) < 0.04


@pytest.mark.parametrize("order", [1, 2])
def test_backward_differences_remove_stiff_oscillations_at_once(order):
    path = walk(oscillator(1e10), 0.1, 6, cd.BDF(order=order))
    assert np.abs(path.point("mass")[-1, 0]) < 1e-6


def test_second_order_differences_stay_second_order_when_steps_vary():
    """Steps of h and h/2 in turn, against a fine solution."""
    exact = np.cos(2.0)

    def error(h):
        sim = cd.Simulation(oscillator(1.0), dt=h, integrator=cd.BDF())
        while sim.time < 2.0 - 1e-9:
            sim.step(min(h if sim.steps % 2 else 0.5 * h, 2.0 - sim.time))
        return abs(sim.position("mass")[0] - exact)

    errors = [error(h) for h in (0.04, 0.02, 0.01)]
    assert 1.8 < np.log2(errors[0] / errors[2]) / 2 < 2.3


def test_a_free_body_keeps_spinning_in_both_formulations():
    """Differences of rotation vectors need no small angle between steps; rows give the same motion as h → 0."""
    m = cd.Model("spinning", dimension=3)
    m.add(cd.RigidBody("body", 1.0, inertia=(0.2, 0.3, 0.4), angular_velocity=(0.1, 3.0, 0.2)))
    tangent = walk(m, 0.01, 50, cd.BDF())
    rows = walk(m, 0.01, 50, cd.BDF(), formulation="rows")
    momentum = tangent.momenta()[1]
    assert np.linalg.norm(momentum - momentum[0], axis=1).max() < 2e-2 * np.linalg.norm(momentum[0])
    assert np.abs(tangent.last.x - rows.last.x).max() < 2e-2


def test_a_run_goes_on_from_a_saved_state():
    """To the tolerance of a step, which may be guessed from those before it."""
    system = running(double_pendulum())
    for method in (cd.BDF(), cd.HHT()):
        through = cd.simulate(system, end=0.1, dt=0.01, integrator=method)
        sim = cd.Simulation(system, dt=0.01, integrator=method, state=through.state(5).copy())
        for k in range(6, 11):
            sim.step(through.times[k] - sim.time)
            sim.state.t = float(through.times[k])
        np.testing.assert_allclose(sim.state.x, through.state(10).x, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(sim.state.multipliers, through.state(10).multipliers, rtol=1e-8)


@pytest.mark.parametrize("make", [
    lambda: cd.HHT(alpha=0.5), lambda: cd.HHT(alpha=-0.1), lambda: cd.BDF(order=3), lambda: cd.BDF(hold="some"),
])  # fmt: skip
def test_options_outside_their_range_are_refused(make):
    with pytest.raises(InputError, match=r"HHT|BDF"):
        make()


@pytest.mark.parametrize("gravity", [0.0, -9.81])
@pytest.mark.parametrize("dt", [1e-2, 5e-3, 1e-3, 1e-4])
def test_a_body_that_does_not_spin_falls_however_it_is_turned(dt, gravity):
    """The round-off of its directors was judged against forces that were not there, and no step was good enough."""
    for rotation in ((0.05, 0.02, 0.0), (0.5, 0.2, 0.3), (-1.0, 2.0, 0.7)):
        model = cd.Model("stone", gravity=(0.0, 0.0, gravity))
        start = {"rotation": rotation, "velocity": (0.2, 0.0, 0.0)}
        model.add(cd.RigidBody("stone", 2.0, inertia=(0.02, 0.03, 0.04), **start))
        result = cd.simulate(model, end=30 * dt, dt=dt, integrator=cd.BDF(), every=1)
        assert result.iterations.max() <= 3 and len(result.times) == 31
        assert np.abs(result.angular_velocity("stone")).max() < 1e-9
        assert result.position("stone")[-1, 0] == pytest.approx(0.2 * 30 * dt)
