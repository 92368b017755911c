"""Constraints of velocities: rolling, blades, driven rates; against closed forms, in every implicit method."""

from itertools import pairwise

import numpy as np
import pytest

import condyle as cd
from condyle.studies import rolling_and_gliding

METHODS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(0.8),
    "generalized-α, positions": cd.GeneralizedAlpha(0.8, hold="positions"),
    "Newmark": cd.Newmark(),
    "HHT": cd.HHT(),
    "BDF": cd.BDF(),
}
FIRST_ORDER = {
    "compliant": cd.Compliant(),
    "linearised": cd.methods.LinearisedImplicit(),
    "semi-implicit": cd.methods.SemiImplicit(),
    "BDF(1)": cd.BDF(1),
}
SLOPE = 0.3


def wheel_on_slope(radius=0.2):
    m = cd.Model("slope", dimension=2, gravity=(9.81 * np.sin(SLOPE), -9.81 * np.cos(SLOPE)))
    wheel = m.add(cd.RigidBody.disk("wheel", radius, 7.0, position=(0.0, radius)))
    m.add(cd.Rolling("roll", m.ground, wheel, radius=radius))
    return m


def wobbling_disk(lean=1.1, **options):
    """A thin disk of radius 0.3 m on its edge, thrown so that it wobbles; its axis is the third axis of the body."""
    m = cd.Model("disk", gravity=(0.0, 0.0, -9.81))
    radius, axis = 0.3, (np.sin(lean), 0.0, np.cos(lean))
    disk = cd.RigidBody("disk", 2.0, inertia=(0.045, 0.045, 0.09), position=(0.0, 0.0, radius * np.sin(lean)),
                        rotation=(0.0, lean, 0.0), **options)  # fmt: skip
    m.add(disk)
    m.add(cd.Rolling("roll", m.ground, disk, radius=radius, axis=axis))
    return m


def skate(arm=0.0, gravity=(0.0, 0.0), **options):
    """A body of 2 kg and 0.3 kg m² in the plane with a blade along x, `arm` behind its centre of mass."""
    m = cd.Model("skate", dimension=2, gravity=gravity)
    body = m.add(cd.RigidBody("body", 2.0, inertia=0.3, position=(arm, 0.0), **options))
    m.add(cd.KnifeEdge("blade", m.ground, body, at=(0.0, 0.0), across=(0.0, 1.0)))
    return m


@pytest.mark.parametrize("name", METHODS)
def test_a_wheel_rolls_down_a_slope_with_two_thirds_of_the_acceleration_of_a_slide(name):
    result = cd.simulate(wheel_on_slope(), end=1.0, dt=0.005, integrator=METHODS[name])
    a = 2.0 / 3.0 * 9.81 * np.sin(SLOPE)
    loose = 3e-4 if name == "BDF" else 1e-9
    np.testing.assert_allclose(result.velocity("wheel")[-1], (a, 0.0), atol=loose)
    # Positions of energy–momentum follow 2 tan(Δθ/2), its velocities are exact for a constant acceleration.
    np.testing.assert_allclose(result.position("wheel")[-1], (0.5 * a, 0.2), atol=loose)
    mass = 7.0 * np.pi * 0.2**2
    grip = mass * (9.81 * np.sin(SLOPE) - a)
    wanted = np.tile((-grip, mass * 9.81 * np.cos(SLOPE)), (195, 1))
    np.testing.assert_allclose(result.joint_force("roll")[5:], wanted, rtol=1e-3 if loose > 1e-6 else 1e-8)


@pytest.mark.parametrize("name", METHODS)
def test_a_blade_on_an_incline_follows_a_cycloid(name):
    """ẍ along the turning blade: x = g/(2 ω²) sin² ωt, y = g/(2 ω²) (ωt − ½ sin 2ωt)."""
    pull, spin = 3.0, 2.0
    errors = []
    for dt in (0.02, 0.01):
        result = cd.simulate(skate(0.0, (pull, 0.0), angular_velocity=spin), end=2.0, dt=dt, integrator=METHODS[name])
        t = result.times
        wanted = (
            pull / (2.0 * spin**2) * np.stack((np.sin(spin * t) ** 2, spin * t - 0.5 * np.sin(2.0 * spin * t)), axis=1)
        )
        errors.append(np.abs(result.position("body") - wanted).max())
    assert errors[1] < 4e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize("name", FIRST_ORDER)
def test_methods_of_first_order_hold_velocities_too(name):
    """The wheel rolls without slip, the blade follows its cycloid with an error of first order, a driven rate is driven."""
    rolled = cd.simulate(wheel_on_slope(), end=0.5, dt=0.01, integrator=FIRST_ORDER[name])
    slip = rolled.velocity("wheel")[:, 0] + 0.2 * rolled.angular_velocity("wheel")
    assert np.abs(slip).max() < 1e-9
    assert rolled.velocity("wheel")[-1, 0] == pytest.approx(2.0 / 3.0 * 9.81 * np.sin(SLOPE) * 0.5, rel=0.015)
    pull, spin, errors = 3.0, 2.0, []
    for dt in (0.01, 0.005):
        model = skate(0.0, (pull, 0.0), angular_velocity=spin)
        run = cd.simulate(model, end=1.0, dt=dt, integrator=FIRST_ORDER[name])
        wanted = pull / (2.0 * spin**2) * np.array((np.sin(spin) ** 2, spin - 0.5 * np.sin(2.0 * spin)))
        errors.append(np.abs(run.position("body")[-1] - wanted).max())
    assert errors[1] < 0.02
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.25)


@pytest.mark.parametrize("name", FIRST_ORDER)
def test_a_moving_frame_takes_along_what_rolls_or_is_damped_against_it(name):
    """Velocities against a `Frame` that moves: 2 m/s, a damper of 3 N s/m and 1.5 kg; a wheel does not slip."""
    m = cd.Model("belt", dimension=2, gravity=(0.0, -9.81))
    belt = m.add(cd.Frame("belt", shift=(cd.Table((-1.0, 10.0), (-2.0, 20.0)), 0.0)))
    sledge = m.add(cd.PointMass("sledge", 1.5, (0.0, 1.0)))
    m.add(cd.Damper("oil", belt, sledge, damping=3.0, along="all"))
    m.add(cd.Hold("level", sledge, "nodes", (0, 1)))
    wheel = m.add(cd.RigidBody.disk("wheel", radius=0.2, density=7.0, position=(0, 0.2)))
    m.add(cd.Rolling("roll", belt, wheel, radius=0.2))
    run = cd.simulate(m, end=0.5, dt=0.002, integrator=FIRST_ORDER[name])
    assert run.velocity("sledge")[-1, 0] == pytest.approx(2.0 * (1.0 - np.exp(-1.0)), rel=0.01)
    slip = run.velocity("wheel")[:, 0] + 0.2 * run.angular_velocity("wheel") - 2.0
    assert np.abs(slip[1:]).max() < 1e-9


@pytest.mark.parametrize("name", ["energy–momentum", "generalized-α", "Newmark"])
def test_chaplygins_sleigh(name):
    """u = U tanh τ, ω = U √(m/J) sech τ, τ = a m U t/J with J = I + m a²: it ends up gliding straight, and keeps its energy."""
    arm, m = 0.25, 2.0
    J = 0.3 + m * arm**2
    spin = 3.0
    U = spin * np.sqrt(J / m)
    model = skate(arm, angular_velocity=spin, velocity=(0.0, spin * arm))
    errors = []
    for dt in (0.02, 0.01):
        result = cd.simulate(model, end=1.5, dt=dt, integrator=METHODS[name])
        errors.append(np.abs(result.angular_velocity("body") - spin / np.cosh(arm * m * U * result.times / J)).max())
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
    if name == "energy–momentum":
        E = result.energy["total"]
        assert np.abs(E - E[0]).max() < 1e-12 * E[0]
        assert not result.in_python


@pytest.mark.parametrize("name", METHODS)
def test_a_leaning_disk_rolls_steadily_on_a_circle(name):
    """Ω sin θ [(C + m R²) ω₃ − A Ω cos θ] + m g R cos θ = 0 with the angle θ of its axis from the vertical."""
    lean, turn, R, mass, A, C = 1.1, 1.5, 0.3, 2.0, 0.045, 0.09
    w3 = (A * turn * np.cos(lean) - mass * 9.81 * R * np.cos(lean) / (turn * np.sin(lean))) / (C + mass * R**2)
    axis, up = np.array((np.sin(lean), 0.0, np.cos(lean))), np.array((0.0, 0.0, 1.0))
    e2 = (up - np.cos(lean) * axis) / np.sin(lean)  # up along the disk
    omega = turn * np.sin(lean) * e2 + w3 * axis
    model = wobbling_disk(lean, angular_velocity=omega, velocity=np.cross(omega, R * e2))
    result = cd.simulate(model, end=1.0, dt=0.005, integrator=METHODS[name])
    places, centre = result.position("disk"), np.cross(up, np.cross(omega, R * e2)) / turn
    loose = {"BDF": 5e-3}.get(name, 1e-3)
    np.testing.assert_allclose(places[:, 2], R * np.sin(lean), atol=loose)
    radius = np.linalg.norm((places - centre)[:, :2], axis=1)
    np.testing.assert_allclose(radius, abs(R * w3) / turn, atol=loose)
    moved = np.angle(((places - centre)[-1, 0] + 1j * (places - centre)[-1, 1]) / (-centre[0] - 1j * centre[1]))
    assert moved == pytest.approx(turn, abs=5.0 * loose)


def test_a_ball_on_a_turntable_goes_round_with_two_sevenths_of_its_spin():
    m = cd.Model("turntable", gravity=(0.0, 0.0, -9.81))
    table = m.add(cd.Frame("table", angle=cd.Table((-1.0, 10.0), (-7.0, 70.0)), axis=(0.0, 0.0, 1.0)))
    ball = m.add(cd.RigidBody.ball("ball", 0.1, 1000.0, position=(0.5, 0.0, 0.1), velocity=(0.0, 0.3, 0.0)))
    m.add(cd.Rolling("roll", table, ball, radius=0.1))
    for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9)):
        result = cd.simulate(m, end=2.0, dt=0.0025, integrator=method)
        v = result.velocity("ball")[:, :2]
        speed = np.linalg.norm(v, axis=1)
        np.testing.assert_allclose(speed, speed[0], rtol=2e-4)
        turned = np.unwrap(np.arctan2(v[:, 1], v[:, 0]))
        np.testing.assert_allclose(turned - turned[0], 2.0 / 7.0 * 7.0 * result.times, atol=3e-3)


def test_energy_momentum_keeps_the_energy_of_a_wobbling_disk_to_rounding_and_is_of_second_order():
    model = wobbling_disk(angular_velocity=(0.5, 1.0, 6.0))
    runs = [cd.simulate(model, end=0.8, dt=dt) for dt in (0.008, 0.004, 0.002, 0.001)]
    for run in runs:
        E = run.energy
        assert np.abs(E["total"] - E["total"][0]).max() < 1e-12 * E["total"][0]
        assert not run.in_python
    places = [run.position("disk")[-1] for run in runs]
    steps = [np.linalg.norm(a - b) for a, b in pairwise(places)]
    assert np.log2(steps[1] / steps[2]) == pytest.approx(2.0, abs=0.15)
    # Multipliers at the same mid-step of all but the first: without a ripple, of second order too.
    grips = [run.multipliers("roll")["slip 1"] for run in runs]
    rough = [np.abs(np.diff(g[1:], 2)).max() for g in grips[2:]]
    assert rough[1] < 0.35 * rough[0]


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.7), cd.BDF()])
def test_a_driven_rate_takes_the_coordinate_along_and_its_torque_is_the_multiplier(method):
    m = cd.Model("motor", dimension=2)
    arm = m.add(cd.RigidBody("arm", 1.0, inertia=0.5))
    m.add(cd.Revolute("hinge", m.ground, arm, at=(0.0, 0.0)))
    m.add(cd.DrivenRate("motor", "hinge", cd.Harmonic(amplitude=2.0, frequency=0.5, phase=0.4)))
    result = cd.simulate(m, end=2.0, dt=0.0025, integrator=method)
    t, w = result.times, np.pi
    rate = 2.0 * np.sin(w * t + 0.4)
    angle = -2.0 / w * (np.cos(w * t + 0.4) - np.cos(0.4))
    np.testing.assert_allclose(result.coordinate_rate("hinge"), rate, atol=1e-4)
    np.testing.assert_allclose(result.coordinate("hinge"), angle, atol=1e-4)
    at = result.multiplier_times
    np.testing.assert_allclose(-result.multipliers("motor")["rate"], 0.5 * 2.0 * w * np.cos(w * at + 0.4), atol=2e-2)
    balance = result.energy["total"] - result.energy["work"]
    loose = 1e-12 if isinstance(method, cd.EnergyMomentum) else 1e-4
    assert np.abs(balance - balance[0]).max() < loose


def test_velocities_that_do_not_fit_are_projected_and_said_so():
    sim = cd.Simulation(skate(velocity=(1.0, 0.5)), dt=0.01)
    np.testing.assert_allclose(sim.velocity("body"), (1.0, 0.0), atol=1e-12)
    assert any("velocities changed by up to 0.5 m/s ('body')" in line for line in sim.start_report.lines(1.0))


def test_constraints_that_say_the_same_are_named_and_those_that_contradict_are_refused():
    model = skate(velocity=(1.0, 0.0))
    model.add(cd.KnifeEdge("second", model.ground, "body", at=(0.0, 0.0), across=(0.0, 2.0)))
    with pytest.warns(cd.RedundancyWarning, match="'blade', 'second'"):
        result = cd.simulate(model, end=0.1, dt=0.01)
    np.testing.assert_allclose(result.position("body")[-1], (0.1, 0.0), atol=1e-12)
    m = cd.Model("motors", dimension=2)
    arm = m.add(cd.RigidBody("arm", 1.0, inertia=0.5))
    m.add(cd.Revolute("hinge", m.ground, arm, at=(0.0, 0.0)))
    m.add(cd.DrivenRate("motor", "hinge", 1.0))
    m.add(cd.Revolute("copy", m.ground, arm, at=(0.0, 0.0)))
    m.add(cd.DrivenRate("other", "copy", 2.0))
    with pytest.raises(cd.AssemblyError, match=r"'motor', 'other'|'other', 'motor'"):
        cd.simulate(m, end=0.1, dt=0.01)


@pytest.mark.parametrize("name", ["energy–momentum", "generalized-α", "BDF"])
def test_two_wheels_on_one_axle_roll_along_a_tractrix(name):
    """They are kept from slipping along the axle twice, by different turns; each step must have a solution all the same."""
    p, dt = rolling_and_gliding.STUDY.values(), 0.01
    model = rolling_and_gliding.trailer(p, p.turned, 1.0, wheels=True)
    with pytest.warns(cd.RedundancyWarning, match="1 redundant constraint among .*'left tyre', 'right tyre'"):
        result = cd.simulate(model, end=0.3, dt=dt, integrator=METHODS[name])
    assert result.iterations.max() <= 3 and not result.cuts.any()
    exact = 2.0 * np.arctan(np.tan(0.5 * p.turned) * np.exp(-p.speed * result.times / p.bar))
    np.testing.assert_allclose(rolling_and_gliding.angle_of(result), exact, atol=2e-6 if name != "BDF" else 1e-4)
    # The wheels stay upright and as far from each other as the axle is long.
    apart = result.position("left") - result.position("right")
    np.testing.assert_allclose(np.linalg.norm(apart, axis=1), 0.8, atol=1e-12)
    np.testing.assert_allclose(apart[:, 2], 0.0, atol=1e-12)


def test_a_rate_and_an_initial_value_of_one_coordinate_go_together():
    m = cd.Model("motor", dimension=2)
    arm = m.add(cd.RigidBody("arm", 1.0, inertia=0.5))
    m.add(cd.Revolute("hinge", m.ground, arm, at=(0.0, 0.0)))
    m.add(cd.DrivenRate("motor", "hinge", 1.0))
    m.add(cd.Initial("start", "hinge", value=0.7))
    result = cd.simulate(m, end=0.5, dt=0.01)
    np.testing.assert_allclose(result.coordinate("hinge"), 0.7 + result.times, atol=1e-5)


@pytest.mark.parametrize("build, message", [
    (lambda m, b: cd.Rolling("r", m.ground, b, radius=0.0), "radius must be above 0"),
    (lambda m, b: cd.Rolling("r", m.ground, b, radius=0.3, axis=(0, 0, 1)), "lies flat"),
    (lambda m, b: cd.Rolling("r", m.ground, b, radius=0.2), "apart"),
    (lambda m, b: cd.Rolling("r", m.ground, b, radius=0.3, normal=(0, 1)), "2 components"),
    (lambda m, b: cd.KnifeEdge("k", m.ground, b), "across the blade"),
    (lambda m, b: cd.DrivenRate("d", "nothing", 1.0), "no joint with coordinates 'nothing'"),
])  # fmt: skip
def test_bad_input_is_refused(build, message):
    m = cd.Model("bad")
    body = m.add(cd.RigidBody("body", 1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.3)))
    with pytest.raises((cd.InputError, cd.AssemblyError), match=message):
        m.add(build(m, body))
        cd.compile(m)


def test_what_is_not_rigid_does_not_roll_and_statics_knows_no_velocities():
    m = cd.Model("soft", dimension=2)
    soft = m.add(
        cd.PseudoRigidBody.box("soft", (0.4, 0.4), 15.0, position=(0.0, 0.2), material=cd.NeoHookean(3e4, 0.3, 15.0))
    )
    m.add(cd.Rolling("r", m.ground, soft, radius=0.2))
    with pytest.raises(cd.InputError, match="'soft' is not rigid"):
        cd.compile(m)
    with pytest.raises(cd.InputError, match="solve_static knows places and no velocities"):
        cd.solve_static(wheel_on_slope())
