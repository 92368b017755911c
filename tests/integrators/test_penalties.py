"""Rescaled penalties, asynchronous steps and other ways to hold constraints: recursion, selection, order, energy, errors."""

import numpy as np
import pytest
from test_stabilised import cable_on_a_bar, double_pendulum

import condyle as cd
from condyle.integrators.rescaling import largest_stiffness, rescale, select_penalty, stable_ranges, turn


@pytest.mark.parametrize(("stiffness", "damping"), [(3e3, 0.0), (2e5, 0.0), (2e5, 3.0), (50.0, 0.4)])
def test_the_recursion_is_what_small_steps_do(stiffness, damping):
    """March the oscillator on the short step, forced at main instants, and compare three main instants with the long law."""
    h, levels, mass = 0.01, 5, 0.7
    law = rescale(stiffness, mass, h, levels, damping)
    n, short = 2**levels, h / 2**levels
    a, c = 0.5 * damping / short, -0.5 * damping / short
    rng = np.random.default_rng(0)
    force = rng.normal()
    z = [0.3, 0.3 + 0.01 * rng.normal()]
    for i in range(1, 2 * n):  # z[i + 1]; the force of the long step acts at its instant, i = n
        push = -(h / short) * force if i == n else 0.0
        z.append(
            (push + mass / short**2 * (2.0 * z[i] - z[i - 1]) - stiffness * z[i] - c * z[i - 1]) / (mass / short**2 + a)
        )
    before, now, after = z[0], z[n], z[2 * n]
    found = mass / h**2 * (after + before - 2.0 * now) + law.a * after + law.b * now + law.c * before
    assert found == pytest.approx(-law.delta * force, rel=1e-7)


def test_the_closed_form_of_an_undamped_penalty():
    h, levels, mass, stiffness = 0.01, 8, 1.0, 7.3e6
    law, angle = rescale(stiffness, mass, h, levels), turn(stiffness, mass, h, levels)
    assert law.b == pytest.approx(2.0 * mass / h**2 * (1.0 - np.cos(angle)), rel=1e-6)
    assert law.delta == pytest.approx(np.sin(angle) / (2**levels * np.sin(angle / 2**levels)), rel=1e-6)
    assert 0.0 <= law.b <= 4.0 * mass / h**2
    assert law.effective_mass == pytest.approx(mass / law.delta)
    assert law.effective_stiffness == pytest.approx(law.b / law.delta)


def test_an_unstable_pair_is_nudged_or_refused_with_the_stable_ranges():
    published = rescale(1e10, 0.01, 0.01, 20)
    assert published.delta < 0.0 and not published.is_stable
    near = select_penalty(1e10, 0.01, 0.01, 20)
    assert near.delta > 0.0 and abs(near.stiffness / 1e10 - 1.0) < 1e-3
    for low, high in stable_ranges(1e10, 0.01, 0.01, 20):
        assert rescale(0.5 * (low + high), 0.01, 0.01, 20).is_stable
    with pytest.raises(cd.InputError, match=r"stable are stiffnesses of .* or .* N/m"):
        select_penalty(1e10, 0.01, 0.01, 20, nudge=False)
    with pytest.raises(cd.InputError, match="linear limit"):
        select_penalty(2.0 * largest_stiffness(1.0, 0.01, 2), 1.0, 0.01, 2)
    with pytest.raises(cd.InputError, match="linear limit"):
        cd.simulate(double_pendulum(), end=0.1, dt=0.01, integrator=cd.methods.VariationalPenalty(levels=0))


def test_linear_stability_is_that_of_the_oscillator():
    """A mass on a penalty: bounded exactly where the rule says so."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        h, levels, m, mu = 0.01, 6, 0.5, float(rng.uniform(0.1, 10.0))
        law = rescale(float(10 ** rng.uniform(3.0, 7.5)), m, h, levels)
        # (m_p/Δ)(x₊ − 2x + x₋)/h² + (b/Δ) x + μ (x₊ − 2x + x₋)/h² = 0
        inertia = (law.mass / law.delta + mu) / h**2
        roots = np.roots([inertia, law.b / law.delta - 2.0 * inertia, inertia])
        assert (np.abs(roots).max() < 1.0 + 1e-9) == law.is_stable_with(mu)
        assert not law.is_stable or law.is_stable_with(mu)


def end_of(model, dt, method, until=0.5, point="b"):
    return cd.simulate(model, end=until, dt=dt, integrator=method).position(point)[-1]


def test_the_variational_penalty_is_of_second_order_and_keeps_energy():
    exact = end_of(double_pendulum(), 1e-3, cd.EnergyMomentum())
    method = cd.methods.VariationalPenalty(stiffness=1e9, mass=1e-3)
    errors = [np.linalg.norm(end_of(double_pendulum(), dt, method) - exact) for dt in (0.02, 0.01)]
    assert errors[0] / errors[1] > 3.0 and errors[1] < 2e-3
    long = cd.simulate(double_pendulum(), end=10.0, dt=0.01, integrator=method)
    E = long.energy["total"]
    assert np.abs(E - E[0]).max() < 0.3 and long.iterations.max() <= 6


def test_the_variational_penalty_takes_bodies_in_space_cables_and_drives():
    m = driven_arm()
    exact = end_of(m, 4e-4, cd.EnergyMomentum(), 0.04, "c.end")
    found = end_of(m, 4e-4, cd.methods.VariationalPenalty(stiffness=1e9), 0.04, "c.end")
    np.testing.assert_allclose(found, exact, atol=2e-3)
    with pytest.raises(cd.InputError, match="too large for the forces of 'c'"):
        cd.simulate(m, end=0.1, dt=0.05, integrator=cd.methods.VariationalPenalty())


def driven_arm():
    m = cable_on_a_bar()
    m.add(cd.Drive("motor", "hinge.angle", motion=cd.Ramp(0.0, 0.3, 0.0, 0.2)))
    return m


def shaken_pendulum(held=None):
    """On a support that moves as prescribed, with a spring, a damper, and a joint that the model holds by a penalty itself."""
    m = cd.Model("shaken", dimension=2, gravity=(0.0, -9.81))
    cart = m.add(cd.Frame("cart", (0.0, 0.0), shift=(cd.Harmonic(0.1, 0.8), 0.0)))
    a = m.add(cd.RigidBody("a", 1.0, inertia=0.1, position=(0.5, 0.0)))
    m.add(cd.Revolute("j1", cart, a, at=(0.0, 0.0)))
    b = m.add(cd.PointMass("b", 0.5, (1.0, 0.0)))
    m.add(cd.Pin("j2", b, a, at=(1.0, 0.0), enforcement=held or cd.Penalty(2e3)))
    m.add(cd.Spring("spring", m.ground.at(0.5, 1.0), b, 20.0, rest_length=0.8))
    m.add(cd.CoordinateDamper("grease", "j1.angle", 0.3))
    return m


@pytest.mark.parametrize(("model", "dt", "until"), [
    (lambda: double_pendulum(0.3), 0.01, 0.205), (driven_arm, 4e-4, 0.0082), (shaken_pendulum, 0.004, 0.2),
])  # fmt: skip
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_compiled_variational_steps_do_what_python_does(model, dt, until, damping):
    method = cd.methods.VariationalPenalty(stiffness=1e9, mass=1e-3, damping=damping)
    runs = [cd.simulate(model(), end=until, dt=dt, integrator=method, solver=solver) for solver in ("auto", "dense")]
    assert not runs[0].in_python and runs[1].in_python
    np.testing.assert_allclose(runs[0].state(-1).x, runs[1].state(-1).x, atol=1e-10)
    np.testing.assert_allclose(runs[0].state(-1).v, runs[1].state(-1).v, atol=1e-7)
    np.testing.assert_allclose(runs[0].state(-1).multipliers, runs[1].state(-1).multipliers, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(runs[0].energy["work"], runs[1].energy["work"], atol=1e-9)
    np.testing.assert_array_equal(
        runs[0].iterations[:-1], runs[1].iterations[:-1]
    )  # the last step is another, by round-off


def test_a_run_with_variational_penalties_goes_on_bit_for_bit(tmp_path):
    method = cd.methods.VariationalPenalty(damping=0.5)
    whole = cd.simulate(driven_arm(), end=0.012, dt=4e-4, integrator=method)
    cd.simulate(driven_arm(), end=0.006, dt=4e-4, integrator=method, file=tmp_path / "half.h5")
    both = cd.resume(tmp_path / "half.h5", end=0.012)
    np.testing.assert_array_equal(both.state(-1).x, whole.state(-1).x)


def test_the_work_of_a_support_that_moves_is_in_the_balance_of_a_variational_step():
    method = cd.methods.VariationalPenalty(stiffness=1e9)
    E = cd.simulate(shaken_pendulum("multiplier"), end=1.0, dt=0.002, integrator=method).energy
    assert np.abs(E["total"] - E["work"] - E["total"][0]).max() < 0.02 * np.ptp(E["kinetic"])
    assert np.ptp(E["work"]) > 0.2 * np.ptp(E["kinetic"])


@pytest.mark.parametrize("method", [
    cd.methods.Baumgarte(), cd.methods.AugmentedLagrangian(), cd.Stabilised(alpha=0.5), cd.methods.VariationalPenalty()
])  # fmt: skip
def test_constraints_of_velocities_are_held_by_all_of_them(method):
    """A ball that rolls down a slope without slipping: x = ½ (5/7) g sin θ t²."""
    theta, radius = 0.3, 0.1
    m = cd.Model("ball", dimension=3, gravity=(9.81 * np.sin(theta), 0.0, -9.81 * np.cos(theta)))
    ball = m.add(cd.RigidBody("ball", 1.0, inertia=(0.4 * radius**2,) * 3, position=(0, 0, radius)))
    m.add(cd.Rolling("roll", "ground", ball, radius=radius, normal=(0, 0, 1)))
    x = end_of(m, 0.002, method, 0.6, "ball")
    expected = 0.5 * 5.0 / 7.0 * 9.81 * np.sin(theta) * 0.6**2
    assert x[0] == pytest.approx(expected, rel=0.01)
    assert abs(x[1]) < 1e-9


def test_comparators_converge_and_say_their_limits():
    exact = end_of(double_pendulum(), 1e-3, cd.EnergyMomentum())
    for method in (cd.methods.Baumgarte(), cd.methods.AugmentedLagrangian(sweeps=8)):
        errors = [np.linalg.norm(end_of(double_pendulum(), dt, method) - exact) for dt in (0.004, 0.002)]
        assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.3)
    with pytest.raises(cd.InputError, match=r"from 0 to 82\.84 1/s"):
        cd.simulate(double_pendulum(), end=0.1, dt=0.01, integrator=cd.methods.Baumgarte(rate=100.0))
    kept = cd.simulate(double_pendulum(), end=5.0, dt=0.01, integrator=cd.methods.Baumgarte(rate=20.0))
    drifts = cd.simulate(double_pendulum(), end=5.0, dt=0.01, integrator=cd.methods.Baumgarte(rate=0.0))
    assert kept.constraint_error.max() < 0.1 * drifts.constraint_error.max()


@pytest.mark.parametrize("method", [
    cd.methods.Baumgarte(), cd.methods.Baumgarte(rate=15.0, ratio=0.7), cd.methods.AugmentedLagrangian(),
    cd.methods.AugmentedLagrangian(penalty=1e5, sweeps=3), cd.methods.AugmentedLagrangian(damping=0.0, inertia=1e-4),
])  # fmt: skip
def test_compiled_comparators_do_what_python_does(method):
    runs = [
        cd.simulate(double_pendulum(), end=0.2, dt=0.005, integrator=method, solver=solver)
        for solver in ("auto", "dense")
    ]
    assert not runs[0].in_python and sum(runs[1].in_python.values()) == 40
    for name in ("a", "b"):
        np.testing.assert_allclose(runs[0].position(name), runs[1].position(name), atol=1e-8)
    assert runs[0].constraint_error[-1] == pytest.approx(runs[1].constraint_error[-1], rel=1e-3, abs=1e-12)


def test_rates_and_accelerations_let_iterated_multipliers_converge_on_a_long_chain():
    """λ ← λ + r c alone swings up over the steps, the more the shorter they are (the wrong form keeps failing here)."""
    m = cd.Model("chain", dimension=2, gravity=(0.0, -9.81))
    last = m.ground
    for k in range(12):
        bar = m.add(cd.RigidBody(f"bar {k}", 1.0, inertia=1e-3, position=(0.1 * k + 0.05, 0.0)))
        m.add(cd.Revolute(f"hinge {k}", last, bar, at=(0.1 * k, 0.0)))
        last = bar
    m.add(cd.PointMass("load", 10.0, (1.2, 0.0)))
    m.add(cd.Pin("hook", "load", last, at=(1.2, 0.0)))
    exact = end_of(m, 1e-3, cd.EnergyMomentum(), 0.2, "load")
    errors = {
        (form, dt): np.linalg.norm(end_of(m, dt, cd.methods.AugmentedLagrangian(**options), 0.2, "load") - exact)
        for form, options in (("whole", {}), ("places", {"damping": 0.0, "inertia": 0.0}))
        for dt in (0.005, 0.00125)
    }
    assert errors["whole", 0.00125] < 0.5 * errors["whole", 0.005] < 0.02
    assert errors["places", 0.00125] > errors["places", 0.005]
    with pytest.raises(cd.InputError, match="damping"):
        cd.methods.AugmentedLagrangian(damping=-1.0)


def springs(stiff=1e4):
    """Masses in a row on springs, one of them a hundred times stiffer."""
    m = cd.Model("springs", dimension=2, gravity=(0.0, -9.81))
    last = m.ground.at(0.0, 0.0)
    for k in range(5):
        mass = m.add(cd.PointMass(f"p{k}", 1.0, (1.0 + k, 0.0)))
        m.add(cd.Spring(f"s{k}", last, mass, stiff if k == 2 else 0.01 * stiff, rest_length=1.0))
        last = mass
    return m


def test_asynchronous_steps_keep_energy_and_each_element_steps_at_its_own_pace():
    method = cd.methods.AsynchronousVariational(safety=0.2)
    result = cd.simulate(springs(), end=5.0, dt=0.05, integrator=method)
    exact = cd.simulate(springs(), end=5.0, dt=5e-4, integrator=cd.EnergyMomentum())
    E = result.energy["total"]
    assert np.abs(E - E[0]).max() < 0.03 * np.ptp(result.energy["gravity"])
    assert np.abs(result.position("p4")[:20] - exact.position("p4")[:2000:100]).max() < 0.05
    events = result.iterations[1:].mean()
    stiffest = 0.05 / (0.2 * cd.largest_step(*running_at_start(springs())))
    assert events < 0.6 * 5 * stiffest  # five elements, all at the pace of the stiffest one
    finer = cd.simulate(springs(), end=5.0, dt=0.05, integrator=cd.methods.AsynchronousVariational(safety=0.1))
    F = finer.energy["total"]
    assert np.abs(F - F[0]).max() < 0.6 * np.abs(E - E[0]).max()


def test_asynchronous_steps_hold_joints_and_rigid_bodies_by_penalties_with_steps_of_their_own():
    exact = cd.simulate(double_pendulum(), end=0.5, dt=1e-3, integrator=cd.EnergyMomentum())
    errors = []
    for substeps in (20, 40):
        method = cd.methods.AsynchronousVariational(substeps=substeps)
        found = cd.simulate(double_pendulum(), end=0.5, dt=0.01, integrator=method)
        errors.append(np.abs(found.position("b") - exact.position("b")[::10]).max())
        E = found.energy["total"]
        assert np.abs(E - E[0]).max() < 2e-3 and found.constraint_error.max() < 1e-4
        assert 8 * substeps - 1 < found.iterations[1:].mean() < 8 * substeps + 1  # 4 of joints, 3 and 1 of rigid bodies
    assert errors[1] < 1e-4 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)
    at = (exact.multiplier_times > 0.44) & (exact.multiplier_times < 0.46)
    mean = exact.joint_force("j1")[at].mean(axis=0)
    np.testing.assert_allclose(found.joint_force("j1")[44:46].mean(axis=0), mean, rtol=0.05)


def test_asynchronous_steps_take_bodies_in_space_and_cables_together():
    m = cable_on_a_bar()
    exact = end_of(m, 2e-4, cd.EnergyMomentum(), 0.02, "c.end")
    found = end_of(m, 2e-4, cd.methods.AsynchronousVariational(safety=0.3), 0.02, "c.end")
    np.testing.assert_allclose(found, exact, atol=1e-3)


def test_what_asynchronous_steps_do_not_take_is_said():
    driven = double_pendulum()
    driven.add(cd.Drive("motor", "j1.angle", motion=cd.Ramp(0.0, 0.3, 0.0, 0.2)))
    thin = cd.Model("thin", dimension=3, gravity=(0, 0, -9.81))
    bar = thin.add(cd.RigidBody("bar", 1.0, inertia=(0.0, 0.1, 0.1), position=(0.5, 0, 0)))
    thin.add(cd.Spherical("end", thin.ground, bar, at=(0, 0, 0)))
    blade = cd.Model("blade", dimension=2)
    edge = blade.add(cd.RigidBody("blade", 1.0, inertia=0.1))
    blade.add(cd.KnifeEdge("edge", blade.ground.at(0.0, -1.0), edge, across=(0, 1)))
    for model, what in (
        (driven, "does not take drives"), (thin, "'bar' has no inertia about a line"),
        (blade, "does not take constraints of velocities"),
    ):  # fmt: skip
        with pytest.raises(cd.InputError, match=what):
            cd.simulate(model, end=0.1, dt=0.01, integrator=cd.methods.AsynchronousVariational())
    with pytest.raises(cd.InputError, match="substeps must be at least 1"):
        cd.methods.AsynchronousVariational(substeps=0)


def running_at_start(model):
    sim = cd.Simulation(model, dt=1e-3)
    return sim.system, sim.state
