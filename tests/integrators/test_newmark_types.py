"""Newmark's method by its unknowns, its explicit form, and Euler's forward method (Hovey 2000, box 3.1 and table 3.1)."""

import numpy as np
import pytest

import condyle as cd


def oscillator(stiffness=100.0, damping=0.0):
    m = cd.Model("oscillator", dimension=2)
    mass = m.add(cd.PointMass("m", 1.0, (1.2, 0.0)))
    m.add(cd.Spring("s", m.ground, mass, stiffness, rest_length=1.0))
    if damping:
        m.add(cd.Damper("d", m.ground, mass, damping))
    return m


def double_pendulum():
    m = cd.Model("double pendulum", dimension=2, gravity=(0.0, -9.81))
    a = m.add(cd.RigidBody("a", 1.0, inertia=0.1, position=(0.5, 0.0)))
    b = m.add(cd.RigidBody("b", 1.0, inertia=0.1, position=(1.5, 0.0)))
    m.add(cd.Revolute("first", m.ground, a, at=(0.0, 0.0)))
    m.add(cd.Revolute("second", a, b, at=(1.0, 0.0)))
    m.add(cd.Spring("cord", m.ground, b, 30.0, rest_length=1.0))
    return m


@pytest.mark.parametrize("make", [oscillator, double_pendulum])
@pytest.mark.parametrize("gamma, beta", [(0.5, 0.25), (0.6, 0.3025)])
def test_displacements_velocities_and_accelerations_as_unknowns_give_the_same_step(make, beta, gamma):
    runs = [
        cd.simulate(make(), end=0.5, dt=0.01, integrator=cd.Newmark(beta=beta, gamma=gamma, unknown=unknown))
        for unknown in ("displacement", "velocity", "acceleration")
    ]
    for run in runs[1:]:
        for what in ("x", "v", "multipliers"):
            one, other = getattr(runs[0].state(-1), what), getattr(run.state(-1), what)
            np.testing.assert_allclose(other, one, atol=1e-9 * max(1.0, np.abs(one).max(initial=0.0)))


@pytest.mark.parametrize("make", [oscillator, double_pendulum, lambda: oscillator(damping=2.0)])
@pytest.mark.parametrize("method, order", [
    (cd.Newmark(beta=0.0, unknown="acceleration"), 2), (cd.Newmark(beta=0.0, unknown="velocity"), 2),
    (cd.methods.ExplicitEuler(), 1),
])  # fmt: skip
def test_explicit_methods_have_their_order(make, method, order):
    exact = cd.simulate(make(), end=0.4, dt=0.001, integrator=cd.RungeKutta()).state(-1)
    steps = (0.004, 0.002) if order == 2 else (0.001, 0.0005)
    errors = []
    for dt in steps:
        state = cd.simulate(make(), end=0.4, dt=dt, integrator=method).state(-1)
        errors.append(max(np.abs(state.x - exact.x).max(), np.abs(state.v - exact.v).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def test_central_differences_are_stable_up_to_two_over_the_frequency():
    """ω² = k/m along the spring: the limit is h = 2/ω = 0.2 s."""
    method = cd.Newmark(beta=0.0, unknown="acceleration")
    below = cd.simulate(oscillator(), end=50.0, dt=0.199, integrator=method)
    assert np.abs(below.position("m")[:, 0] - 1.0).max() < 5.0
    with pytest.raises(cd.InputError, match=r"2/ω_max = 0\.2 s"):
        cd.simulate(oscillator(), end=50.0, dt=0.201, integrator=method)
    # Beyond it the recursion itself grows: x1 − (2 − ω² h²) x0 + x₋₁ = 0.
    roots = np.abs(np.roots((1.0, 100.0 * 0.201**2 - 2.0, 1.0)))
    assert roots.max() > 1.0


def test_central_differences_give_their_recursion():
    """Without damping x_{n+1} − 2 x_n + x_{n−1} = h² a_n, exactly."""
    dt = 0.05
    x = cd.simulate(oscillator(), end=1.0, dt=dt, integrator=cd.Newmark(beta=0.0, unknown="acceleration")).position(
        "m"
    )[:, 0]
    np.testing.assert_allclose(x[2:] - 2.0 * x[1:-1] + x[:-2], -(dt**2) * 100.0 * (x[1:-1] - 1.0), atol=1e-13)


def test_eulers_forward_method_gains_energy():
    E = cd.simulate(oscillator(), end=1.0, dt=0.001, integrator=cd.methods.ExplicitEuler()).energy["total"]
    assert (np.diff(E) > 0.0).all() and E[-1] == pytest.approx(E[0] * (1.0 + 100.0 * 0.001**2) ** 1000, rel=1e-2)


def test_displacements_are_no_unknowns_of_an_explicit_method():
    with pytest.raises(cd.InputError, match="take unknown='acceleration'"):
        cd.Newmark(beta=0.0)
    with pytest.raises(cd.InputError, match="choose one of displacement"):
        cd.Newmark(unknown="jerk")
    with pytest.raises(cd.InputError, match="not stable"):
        cd.Newmark(beta=0.1)


def test_what_stands_first_in_a_method_is_its_own_parameter():
    """`HHT(0.05)` once set a spectral radius that it has no use for, and left alpha alone."""
    assert cd.HHT(0.05).coefficients == cd.HHT(alpha=0.05).coefficients != cd.HHT().coefficients
    assert cd.Newmark(0.3025, 0.6).coefficients == (0.0, 0.0, 0.3025, 0.6)
    for method in (cd.HHT, cd.Newmark):
        with pytest.raises(cd.InputError, match="takes no 'spectral_radius'"):
            method(spectral_radius=0.5)
