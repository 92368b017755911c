"""The stiff solvers that SciPy lacks: their order, their error control, damping, dense output, and a pendulum."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import condyle as cd
from condyle.integrators.stiff_solvers import TRBDF2, Rosenbrock23, Trapezoidal

SOLVERS = [Rosenbrock23, Trapezoidal, TRBDF2]


def forced(t, y):
    return np.array([y[1], -y[0] + np.sin(3.0 * t)])


def forced_exactly(t):
    return np.cos(t) + 0.375 * np.sin(t) - 0.125 * np.sin(3.0 * t)


def with_fixed_steps(solver, fun, y0, end, n):
    run = solver(fun, 0.0, np.array(y0), end, rtol=1e-12, atol=1e30, first_step=end / n, max_step=end / n)
    while run.status == "running":
        run.step()
    return run.y


@pytest.mark.parametrize("solver", SOLVERS)
def test_they_are_of_second_order_also_with_forces_that_depend_on_time(solver):
    errors = [abs(with_fixed_steps(solver, forced, (1.0, 0.0), 2.0, n)[0] - forced_exactly(2.0)) for n in (20, 40, 80)]
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.03)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_error_follows_the_tolerance_everywhere_in_the_run(solver):
    t = np.linspace(0.0, 10.0, 333)
    errors = []
    for rtol in (1e-4, 1e-6, 1e-8):
        found = solve_ivp(forced, (0.0, 10.0), (1.0, 0.0), method=solver, rtol=rtol, atol=rtol, dense_output=True)
        errors.append(np.abs(found.sol(t)[0] - forced_exactly(t)).max())
        assert errors[-1] < 1000.0 * rtol
    assert errors[0] > 5.0 * errors[1] > 25.0 * errors[2]


@pytest.mark.parametrize("solver", SOLVERS)
def test_van_der_pols_oscillator_is_followed_through_its_jumps_with_few_jacobians(solver):
    def fun(t, y):
        return np.array([y[1], 100.0 * (1.0 - y[0] ** 2) * y[1] - y[0]])

    exact = solve_ivp(fun, (0.0, 150.0), (2.0, 0.0), method="Radau", rtol=1e-10, atol=1e-12).y[:, -1]
    found = solve_ivp(fun, (0.0, 150.0), (2.0, 0.0), method=solver, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.y[:, -1], exact, atol=5e-4)
    assert found.t.size < 1200  # an explicit solver takes twenty times as many
    assert solver is Rosenbrock23 or found.njev < 20


def test_only_the_trapezoidal_rule_keeps_a_fast_oscillation():
    """y' = λ y at hλ = −1e4: growth −(1 − ε) per step, against 0 of the two that are L-stable."""
    left = [abs(with_fixed_steps(s, lambda t, y: -1e4 * y, (1.0,), 5.0, 5)[0]) for s in SOLVERS]
    assert left[1] > 0.99 and left[0] < 1e-6 and left[2] < 1e-6


@pytest.mark.parametrize("method", ["Rosenbrock23", "Trapezoidal", "TRBDF2"])
def test_a_pendulum_swings_as_it_does_with_the_other_references(method):
    model = cd.Model("pendulum", dimension=2, gravity=(0.0, -9.81))
    bar = model.add(cd.RigidBody("bar", 1.0, inertia=0.1, position=(0.5, 0.0)))
    model.add(cd.Pin("hinge", model.ground, bar, at=(0.0, 0.0)))
    ends = [
        cd.simulate(model, end=0.4, dt=0.1, integrator=cd.methods.ScipyReference(name, rtol=rtol)).position("bar")[-1]
        for name, rtol in ((method, 1e-7), ("DOP853", 1e-10))
    ]
    np.testing.assert_allclose(*ends, atol=2e-5)
