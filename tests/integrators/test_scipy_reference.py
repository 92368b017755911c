"""SciPy's solvers on the index-1 form: all methods and stabilisations agree, joints stay closed."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.examples import double_pendulum, slider_crank
from condyle.errors import InputError
from condyle.integrators import scipy_reference
from condyle.integrators.index_one import partition
from condyle.integrators.scipy_reference import METHODS, STABILISATIONS
from condyle.system.compile import running

END = 0.1


@pytest.fixture(scope="module")
def system():
    return running(double_pendulum())


@pytest.fixture(scope="module")
def exact(system):
    return cd.simulate(system, end=END, dt=0.002, integrator=cd.RungeKutta()).state(-1)


def distance(a, b):
    """Largest difference of positions, velocities and multipliers, relative to the largest value."""
    pairs = ((a.x, b.x), (a.v, b.v), (a.multipliers, b.multipliers))
    return max(np.abs(p - q).max() / np.abs(q).max() for p, q in pairs)


@pytest.mark.covering
@pytest.mark.parametrize("stabilisation", STABILISATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_methods_and_stabilisations_agree(system, exact, method, stabilisation):
    reference = cd.methods.ScipyReference(method, rtol=1e-7, stabilisation=stabilisation)
    result = cd.simulate(system, end=END, dt=0.05, integrator=reference)
    assert distance(result.state(-1), exact) < 2e-5
    assert result.constraint_error.max() < (1e-6 if stabilisation == "baumgarte" else 1e-14)


def test_the_error_follows_the_tolerance(system, exact):
    loose, tight = (
        distance(
            cd.simulate(system, end=END, dt=END, integrator=cd.methods.ScipyReference("RK45", rtol=r)).state(-1), exact
        )
        for r in (1e-6, 1e-10)
    )
    assert tight < 1e-9
    assert loose > 100 * tight


def test_baumgarte_pulls_a_broken_joint_together():
    """Without stabilisation the joint stays open; with it the gap decays like (1 + α t) e^(−α t)."""
    gaps = {}
    for alpha in (0.0, 20.0):
        m = cd.Model("pendulum", dimension=2, gravity=(0.0, -9.81))
        body = m.add(cd.RigidBody("body", 1.0, inertia=0.1, position=(0.5, 0.0)))
        m.add(cd.Pin("pin", m.ground, body, at=(0.0, 0.0)))
        reference = cd.methods.ScipyReference("LSODA", rtol=1e-9, stabilisation="baumgarte", alpha=alpha, beta=alpha)
        sim = cd.Simulation(m, dt=0.25, integrator=reference)
        sim.state.x[np.argmax(sim.system.moving)] += (1e-3, 0.0)
        sim.step()
        gaps[alpha] = sim.system.constraint_error(sim.state.x)
    assert 0.9e-3 < gaps[0.0] < 1.1e-3
    assert gaps[20.0] == pytest.approx(1e-3 * 6.0 * np.exp(-5.0), rel=0.1)


@pytest.mark.parametrize("stabilisation", STABILISATIONS)
def test_a_restart_from_a_state_gives_the_same_motion_within_the_tolerance(system, stabilisation):
    reference = cd.methods.ScipyReference(rtol=1e-8, stabilisation=stabilisation)
    through = cd.simulate(system, end=END, dt=0.02, integrator=reference)
    fresh = cd.methods.ScipyReference(rtol=1e-8, stabilisation=stabilisation)
    sim = cd.Simulation(system, dt=0.02, integrator=fresh, state=through.state(2).copy())
    while sim.time < END - 1e-9:
        sim.step()
    assert distance(sim.state, through.state(-1)) < (1e-15 if stabilisation == "projection" else 1e-6)


def test_the_solver_goes_on_from_step_to_step_unless_inputs_change(monkeypatch):
    opened = []
    original = scipy_reference._Running._open
    monkeypatch.setattr(scipy_reference._Running, "_open", lambda s, state: opened.append(1) or original(s, state))
    m = cd.Model("pushed", dimension=2)
    mass = m.add(cd.PointMass("mass", 2.0, (0.0, 0.0)))
    m.add(cd.Load("push", mass, (1.0, 0.0), scale=cd.Constant(0.0)))
    sim = cd.Simulation(m, dt=0.1, integrator=cd.methods.ScipyReference(stabilisation="baumgarte"))
    for _ in range(5):
        sim.step()
    assert len(opened) == 1
    sim.inputs["push"] = 4.0
    sim.step()
    assert len(opened) == 2
    assert sim.velocity("mass")[0] == pytest.approx(0.1 * 4.0 / 2.0, rel=1e-9)


def test_inputs_set_by_hand_reach_all_integrators():
    for method in (cd.GeneralizedAlpha(), cd.RungeKutta(), cd.BDF(), cd.methods.ScipyReference()):
        m = cd.Model("wheel", dimension=2)
        wheel = m.add(cd.RigidBody("wheel", 1.0, inertia=0.5))
        m.add(cd.Pin("axle", m.ground, wheel, at=(0.0, 0.0)))
        m.add(cd.Torque("motor", wheel, 1.0, scale=cd.Constant(0.0)))
        sim = cd.Simulation(m, dt=0.01, integrator=method)
        sim.inputs["motor"] = 3.0
        for _ in range(10):
            sim.step()
        spin = sim.system.momentum(sim.state)[1][2] / 0.5
        assert spin == pytest.approx(0.1 * 3.0 / 0.5, rel=0.06), method


def test_independent_coordinates_are_chosen_anew_when_a_crank_goes_round(monkeypatch):
    count = []
    original = scipy_reference._Running._reopen
    monkeypatch.setattr(scipy_reference._Running, "_reopen", lambda s, t, z: count.append(t) or original(s, t, z))
    system = running(slider_crank())
    result = cd.simulate(
        system, end=0.6, dt=0.1, integrator=cd.methods.ScipyReference("LSODA", rtol=1e-8, stabilisation="partitioning")
    )
    other = cd.simulate(system, end=0.6, dt=0.1, integrator=cd.methods.ScipyReference("LSODA", rtol=1e-8))
    assert count
    assert distance(result.state(-1), other.state(-1)) < 1e-5
    assert result.constraint_error.max() < 1e-14
    assert np.ptp(result.energy["total"]) < 1e-5 * result.energy["kinetic"].max()


def test_dependent_coordinates_are_those_the_constraints_determine_best():
    gradients = np.array([[0.0, 1e-3, 2.0, 0.1], [0.0, 2e-3, 4.0, 0.2]])  # the second constraint is redundant
    dependent, independent = partition(gradients)
    assert dependent.tolist() == [2]
    assert independent.tolist() == [0, 1, 3]


def test_a_support_that_accelerates_carries_its_acceleration_into_the_joint():
    """A pendulum on a shaken table: all methods, and all stabilisations, agree with each other."""
    m = cd.Model("shaken", dimension=2, gravity=(0.0, -9.81))
    table = m.add(cd.Frame("table", shift=(cd.Harmonic(amplitude=0.3, frequency=1.0), 0.0)))
    body = m.add(cd.RigidBody("body", 1.0, inertia=0.1, position=(0.0, -0.5)))
    m.add(cd.Pin("pin", table, body, at=(0.0, 0.0)))
    system = running(m)
    states = {
        s: cd.simulate(system, end=0.3, dt=0.1, integrator=cd.methods.ScipyReference(stabilisation=s)).state(-1)
        for s in STABILISATIONS
    }
    for state in states.values():
        assert distance(state, states["projection"]) < 1e-7
    errors = [
        distance(cd.simulate(system, end=0.3, dt=h, integrator=cd.RungeKutta()).state(-1), states["projection"])
        for h in (0.02, 0.01)
    ]
    assert np.log2(errors[0] / errors[1]) > 3.5


@pytest.mark.parametrize("options", [
    {"method": "Euler"}, {"stabilisation": "none"}, {"rtol": 0.0}, {"rtol": 2.0}, {"atol": -1.0}, {"alpha": -1.0},
])  # fmt: skip
def test_wrong_options_are_refused(options):
    with pytest.raises(InputError, match="ScipyReference"):
        cd.methods.ScipyReference(**options)


def test_a_solver_that_gives_up_fails_with_its_name(system, monkeypatch):
    monkeypatch.setattr(scipy_reference, "MOST_STEPS", 2)
    with pytest.raises(cd.ConvergenceError, match="RK45"):
        cd.simulate(system, end=50.0, dt=50.0, integrator=cd.methods.ScipyReference("RK45", rtol=1e-12))
