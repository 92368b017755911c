"""What pulls along a path does not push, whatever its rate, and its damping brakes; the sources' formulas are options."""

import numpy as np
import pytest

import condyle as cd
from condyle.laws import muscles as laws
from condyle.laws.coordinates import held_back

METHODS = [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.8)]


def bob(part, position=(0.0, -1.1), velocity=(0.0, 0.0), mass=1.0, gravity=(0.0, 0.0)):
    """A mass on something that goes from the ground to it."""
    m = cd.Model("bob", dimension=2, gravity=gravity)
    m.add(cd.PointMass("bob", mass, position=position, velocity=velocity))
    m.add(part)
    return m


# --- ligaments --------------------------------------------------------------------------------------------------------


def ligament(**options):
    return cd.Ligament("l", ["ground", "bob"], 500.0, slack_length=1.0, toe=0.03, damping=60.0, **options)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_damped_ligament_that_snaps_back_never_pushes(method):
    run = cd.simulate(bob(ligament(), velocity=(0.0, 1.0)), end=0.3, dt=0.002, integrator=method)
    path = run.path("l")
    assert path["tension"].min() >= 0.0 and path["tension"].max() > 1.0
    speed = run.velocity("bob")[:, 1]
    assert np.diff(speed).min() > -1e-9  # pulled to the ground, where it goes, and never back
    pushed = cd.simulate(bob(ligament(tension_only=False), velocity=(0.0, 1.0)), end=0.3, dt=0.002, integrator=method)
    assert pushed.path("l")["tension"].min() < -5.0  # spring and dashpot side by side


def test_damping_of_a_ligament_only_takes_energy_away():
    for velocity in ((0.3, 1.5), (0.3, -1.5), (2.0, 0.0)):
        run = cd.simulate(bob(ligament(), velocity=velocity), end=2.0, dt=0.01)
        total = run.energy["total"]
        assert np.diff(total).max() < 1e-10 * total[0] and total[-1] < 0.999 * total[0]
        assert np.ptp(total - run.energy["work"]) < 1e-10 * total[0]
        assert run.iterations.max() <= 12


def test_a_ligament_pulls_with_elasticity_and_damping_side_by_side_when_slow():
    length, slack, k, toe, c = 1.08, 1.0, 500.0, 0.03, 60.0
    elastic = k * (length - slack - toe)
    for rate in (0.3, -0.1, -0.4 * elastic / c):
        assert laws.ligament_damping(length, rate, c, k, slack, toe)[0] == pytest.approx(c * rate, rel=1e-14)
    within = laws.ligament_damping(1.03, 0.3, c, k, slack, toe)[0]
    assert within == pytest.approx(0.5 * c * 0.3)  # half of the fibres are taut in the middle of the toe region


def test_what_is_left_of_a_sum_that_is_held_back_is_positive_and_goes_on_without_a_kink():
    for elastic in (1e-8, 1.0, 1e8):
        rates = -elastic * np.geomspace(1e-3, 1e6, 4000)
        held = np.array([held_back(elastic, 1.0, v, 0.0, 1.0) for v in rates])
        left = elastic + held[:, 0]
        assert (left > 0.0).all() and (np.diff(left) < 0.0).all() and (held[:, 0] < 0.0).all()
    for by in (0.0, 1.0):  # at the change of branches
        below, above = (held_back(1.0, 2.0, v, by, 1.0) for v in (-0.5 - 1e-12, -0.5 + 1e-12))
        assert below == pytest.approx(above, abs=1e-10)
    assert held_back(0.0, 0.0, 0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert held_back(0.0, 1.0, -1.0, 0.0, 1.0) == (0.0, -1.0, 0.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_stop_pushes_and_does_not_stick(side):
    m = cd.Model("stop", dimension=2)
    m.add(cd.RigidBody("slider", 1.0, inertia=1.0, velocity=(2.0 * side, 0.0)))
    m.add(cd.Slider("rail", m.ground, "slider", at=(0.0, 0.0), axis=(1.0, 0.0)))
    m.add(cd.Limit("stop", "rail.position", -0.1, 0.1, stiffness=1000.0, damping=40.0))
    run = cd.simulate(m, end=0.3, dt=0.001)
    speed = side * run.velocity("slider")[:, 0]
    assert np.diff(speed).max() < 1e-9 and speed[-1] < -0.1  # only ever pushed back
    assert np.diff(run.energy["total"]).max() < 1e-12


# --- muscles ----------------------------------------------------------------------------------------------------------


def muscle(**options):
    given = {"excitation": 0.05} | options
    return cd.Muscle("m", ["ground", "bob"], 500.0, 0.1, 0.2, **given)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
def test_a_muscle_that_is_shortened_fast_goes_slack_and_comes_back_taut(tendon, method):
    """A mass is thrown at the origin of its muscle, which is loose then, and falls back into it."""
    model = bob(muscle(tendon=tendon), (0.0, -0.3), (0.0, 2.0), mass=2.0, gravity=(0.0, -9.81))
    run = cd.simulate(model, end=0.6, dt=0.002, integrator=method)
    path = run.path("m")
    assert np.isfinite(path["fibre length"]).all() and path["tension"].min() >= 0.0
    loose = path["tension"] == 0.0
    assert loose.sum() > 20 and path["tension"][-1] > 1.0
    free = run.velocity("bob")[loose][:, 1]
    times = run.times[loose]
    within = np.diff(times) < 0.003
    fall = (np.diff(free) / np.diff(times))[within][1:-1]
    rtol = 1e-6 if isinstance(method, cd.EnergyMomentum) else 0.02  # the other forgets what acted before step by step
    np.testing.assert_allclose(fall, -9.81, rtol=rtol)  # nothing but gravity acts while it is slack
    assert run.iterations.max() <= 15


def test_the_source_s_curves_push_where_they_are_asked_for():
    runs = [
        cd.simulate(bob(muscle(tension_only=only), (0.0, -0.3), (0.0, 3.0), mass=2.0), end=0.02, dt=0.001).path("m")
        for only in (True, False)
    ]
    assert runs[0]["tension"].min() == 0.0 and -0.2 * 500.0 < runs[1]["tension"].min() < -0.1 * 500.0


def test_a_taut_muscle_is_the_same_with_either_curve():
    model = bob(muscle(excitation=0.4), (0.0, -0.31), mass=5.0, gravity=(0.0, -9.81))
    one = cd.simulate(model, end=0.1, dt=0.002)
    model["m"].tension_only = False
    two = cd.simulate(model, end=0.1, dt=0.002)
    assert one.path("m")["tension"].min() > 0.0
    np.testing.assert_array_equal(one.position("bob"), two.position("bob"))


def test_fibres_of_a_slack_tendon_have_no_force():
    p = np.array([*muscle(pennation=0.3).parameters()])
    p[laws.PACE], p[laws.FIBRE], p[laws.RISE] = 2.0 / 0.002, 1.0, 0.0  # activation at once
    for path in (0.29, 0.25, 0.19, 0.05, 1e-6):
        for activation in (0.0, 0.02, 0.3, 1.0):
            tension, by_path, by_rate, _, fibre = laws.muscle_tension(path, 0.0, activation, p)
            force = laws.fibre_force(fibre, activation, p[laws.FIBRE], p)[0]
            assert np.isfinite([by_path, by_rate]).all() and by_path >= 0.0
            assert tension / 500.0 == pytest.approx(force, abs=1e-11) and tension >= 0.0


def test_a_muscle_without_a_load_and_without_activation_rests_slack():
    p = np.array(muscle().parameters())
    p[laws.PACE] = 0.0
    for path in (0.28, 0.22, 0.21):
        tension, by_path, _, _, fibre = laws.muscle_tension(path, 0.0, 0.0, p)
        assert 0.0 <= tension < 5.0 and np.isfinite(by_path) and 0.19 < fibre < 0.9


def test_the_tension_over_a_rigid_tendon_goes_to_zero_with_the_length_of_the_fibres():
    p = np.array(muscle(tendon="rigid", activation_time=None).parameters())
    lengths = 0.2 + np.geomspace(1e-9, 0.03, 200)
    tension = np.array([laws.muscle_tension(now, 0.0, 1.0, p)[0] for now in lengths])
    assert tension[0] < 1e-9 and laws.muscle_tension(0.15, 0.0, 1.0, p)[:3] == (0.0, 0.0, 0.0)
    assert (np.diff(tension) > 0.0).all()
