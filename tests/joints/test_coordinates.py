"""Joint coordinates: unwrapped over many turns, driven, stopped, started, and pushed, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import condyle as cd

J = 0.3


def rotor(dimension=3, *, inertia=J, spin=0.0, gravity=None):
    """A body that turns about z through its centre; coordinate 'hub.angle'."""
    m = cd.Model("rotor", dimension=dimension, gravity=gravity)
    if dimension == 3:
        body = m.add(cd.RigidBody("disk", 1.0, inertia=(0.2, 0.2, inertia), angular_velocity=(0, 0, spin)))
        m.add(cd.Revolute("hub", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1)))
    else:
        body = m.add(cd.RigidBody("disk", 1.0, inertia=inertia, angular_velocity=spin))
        m.add(cd.Pin("hub", m.ground, body, at=(0, 0)))
    return m


def pendulum():
    """A bar of 2 kg, 0.6 m from the hinge to the centre, that hangs along −z and turns about y."""
    m = cd.Model("pendulum", dimension=3, gravity=(0, 0, -9.81))
    bar = m.add(cd.RigidBody("bar", 2.0, inertia=(0.2, 0.24, 0.1), position=(0, 0, -0.6)))
    m.add(cd.Revolute("hinge", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


def sledge(mass=2.0, *, velocity=0.0):
    m = cd.Model("sledge", dimension=3)
    body = m.add(cd.RigidBody("body", mass, inertia=(0.1, 0.1, 0.1), velocity=(velocity, 0, 0)))
    m.add(cd.Prismatic("rail", m.ground, body, at=(0, 0, 0), axis=(1, 0, 0)))
    return m


METHODS = {"energy–momentum": cd.EnergyMomentum(), "generalized-α": cd.GeneralizedAlpha(spectral_radius=1.0)}
# A step of energy–momentum turns a body by 2 tan⁻¹(ωh/2), one of generalized-α by ωh: at 0.26 rad per step, 6e-3 less.
TURNING = {"energy–momentum": 1e-2, "generalized-α": 1e-5}


@pytest.mark.filterwarnings("ignore::condyle.InputWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_torsion_spring_wound_by_ten_turns_unwinds_as_a_harmonic(dimension, method):
    m = rotor(dimension)
    stiffness, wound = 1.2, 20 * np.pi
    m.add(cd.CoordinateSpring("spring", "hub.angle", stiffness))
    m.add(cd.Initial("wound", "hub", value=wound))
    frequency = np.sqrt(stiffness / J)
    end = np.pi / frequency  # half a period: through all turns and as many to the other side
    result = cd.simulate(m, end=end, dt=end / 750, integrator=METHODS[method])
    exact = wound * np.cos(frequency * result.times)
    assert np.abs(result.coordinate("hub.angle") - exact).max() < TURNING[method] * wound
    assert np.isclose(result.energy["stored"][0], 0.5 * stiffness * wound**2, rtol=1e-12)
    if method == "energy–momentum":
        assert np.ptp(result.energy["total"]) < 1e-10 * result.energy["total"][0]


def test_a_result_reads_an_angle_on_the_turn_on_which_it_was_started():
    m = rotor()
    m.add(cd.Initial("wound", "hub", value=10.0, rate=2.0))
    result = cd.simulate(m, end=0.5, dt=0.01)
    assert np.abs(result.coordinate("hub.angle") - 10.0 - 2.0 * result.times).max() < 1e-4
    assert np.abs(result[20:].coordinate("hub")[0] - 10.4) < 1e-4


@pytest.mark.parametrize("method", METHODS)
def test_a_rotor_under_a_motor_counts_its_turns(method):
    m = rotor()
    m.add(cd.CoordinateForce("motor", "hub.angle", 3.0))
    result = cd.simulate(m, end=4.0, dt=0.005, integrator=METHODS[method])
    exact = 0.5 * 3.0 / J * result.times**2
    assert exact[-1] > 24 * np.pi
    assert np.abs(result.coordinate("hub.angle") - exact).max() < TURNING[method] * exact[-1]
    if method == "energy–momentum":
        assert np.allclose(result.energy["kinetic"], result.energy["work"], atol=1e-9 * result.energy["work"][-1])


@pytest.mark.parametrize("method", METHODS)
def test_the_multiplier_of_a_drive_is_the_torque_of_inverse_dynamics(method):
    m = pendulum()
    amplitude, frequency = 0.8, 1.5
    m.add(cd.Drive("drive", "hinge.angle", motion=cd.Harmonic(amplitude, frequency)))
    errors = []
    for dt in (0.002, 0.001):
        result = cd.simulate(m, end=0.3, dt=dt, integrator=METHODS[method])
        angle = amplitude * np.sin(2 * np.pi * frequency * result.times)
        assert np.abs(result.coordinate("hinge.angle") - angle).max() < 1e-10
        rate = 2 * np.pi * frequency * amplitude * np.cos(2 * np.pi * frequency * result.times)
        assert np.abs(result.coordinate_rate("hinge.angle") - rate).max() < 1e-3 * np.abs(rate).max()
        t = result.multiplier_times
        there = amplitude * np.sin(2 * np.pi * frequency * t)
        bend = -((2 * np.pi * frequency) ** 2) * there
        torque = (0.24 + 2.0 * 0.36) * bend + 2.0 * 9.81 * 0.6 * np.sin(there)
        errors.append(np.abs(-result.multipliers("drive")["drive"] - torque).max() / np.abs(torque).max())
    assert errors[1] < 1e-4
    assert errors[1] < max(0.3 * errors[0], 1e-9)  # of second order, or exact


def test_a_drive_by_rate_follows_its_integral_from_the_start_value():
    m = pendulum()
    m.add(cd.Drive("drive", "hinge.angle", rate=lambda t: 3.0 + 2.0 * np.cos(5.0 * t), start=0.0))
    result = cd.simulate(m, end=3.0, dt=0.01)
    exact = 3.0 * result.times + 0.4 * np.sin(5.0 * result.times)
    assert exact[-1] > 2 * np.pi
    assert np.abs(result.coordinate("hinge.angle") - exact).max() < 1e-9


def test_a_drive_by_a_table_follows_straight_lines_between_its_values():
    m = sledge()
    times, values = (0.0, 0.5, 1.0, 1.5), (0.0, 0.5, 0.2, 0.2)
    m.add(cd.Drive("drive", "rail.position", motion=cd.Table(times, values)))
    result = cd.simulate(m, end=1.5, dt=0.01, integrator=cd.GeneralizedAlpha(spectral_radius=0.5))
    assert np.abs(result.coordinate("rail") - np.interp(result.times, times, values)).max() < 1e-10


def test_a_drive_of_translation_needs_the_force_of_newtons_law():
    m = sledge(mass=2.0)
    m.add(cd.Drive("drive", "rail.position", motion=cd.Ramp(0.0, 1.0, 0.0, 0.5)))
    result = cd.simulate(m, end=1.0, dt=0.001, integrator=METHODS["generalized-α"])
    s = result.multiplier_times
    acceleration = 0.5 * (60 * s - 180 * s**2 + 120 * s**3)
    error = np.abs(-result.multipliers("drive")["drive"] - 2.0 * acceleration)
    inside = (s > 0.01) & (s < 0.99)  # the third derivative jumps at the ends of a ramp
    assert error[inside].max() < 1e-6
    assert error.max() < 0.02


@pytest.mark.parametrize("method", METHODS)
def test_a_stop_without_damping_gives_the_speed_back(method):
    m = sledge(velocity=1.0)
    m.add(cd.Limit("stop", "rail.position", lower=-1.0, upper=0.3, stiffness=2e4))
    result = cd.simulate(m, end=0.45, dt=0.0005, integrator=METHODS[method])
    assert result.velocity("body")[-1, 0] == pytest.approx(-1.0, rel=2e-3)
    depth = np.sqrt(2.0 / 2e4)  # ½ m v² = ½ k δ²
    assert result.coordinate("rail").max() == pytest.approx(0.3 + depth, abs=0.02 * depth)


def test_a_stop_with_damping_takes_energy_and_never_gives_any():
    m = sledge(velocity=1.0)
    zeta = 0.3
    m.add(cd.Limit("stop", "rail.position", -1.0, 0.3, stiffness=2e4, damping=2 * zeta * np.sqrt(2e4 * 2.0)))
    result = cd.simulate(m, end=0.4, dt=0.0002)
    total = result.energy["total"]
    assert (np.diff(total) < 1e-10).all()
    assert -result.velocity("body")[-1, 0] == pytest.approx(speed_after_a_stop(2.0, 2e4, zeta), rel=2e-3)
    # Work is right but for the step in which the stop is met, where the damper begins with a jump.
    assert np.abs(total - total[0] - result.energy["work"]).max() < 1e-5


def speed_after_a_stop(mass, stiffness, zeta):
    """Of a body that comes in at 1 m/s; on its way back the damper V takes no more than the spring E gives (`Limit`)."""
    damping = 2 * zeta * np.sqrt(stiffness * mass)

    def slopes(t, y):
        spring, damper = stiffness * max(y[0], 0.0), damping * y[1] * (y[0] > 0.0)
        force = spring + damper if damper >= -0.5 * spring else spring**2 / (-4.0 * damper)
        return y[1], -force / mass

    found = solve_ivp(slopes, (0.0, 0.2), (0.0, 1.0), rtol=1e-9, atol=1e-12, max_step=1e-4)
    return -found.y[1, -1]


@pytest.mark.filterwarnings("ignore::condyle.InputWarning")
@pytest.mark.parametrize("value", [0.5, -3.0, 10.0, -40.0])
def test_a_coordinate_starts_where_and_as_fast_as_it_is_told(value):
    m = pendulum()
    m.add(cd.Initial("start", "hinge.angle", value=value, rate=2.0))
    m.add(cd.CoordinateSpring("spring", "hinge.angle", 1.0))
    result = cd.simulate(m, end=0.01, dt=0.005)
    place = np.array([-0.6 * np.sin(value), 0.0, -0.6 * np.cos(value)])
    assert np.abs(result.position("bar")[0] - place).max() < 1e-12
    assert result.coordinate_rate("hinge.angle")[0] == pytest.approx(2.0, abs=1e-3)
    assert result.energy["stored"][0] == pytest.approx(0.5 * value**2, rel=1e-10)


def test_a_damper_on_a_coordinate_slows_a_rotor_exponentially():
    m = rotor(spin=10.0)
    m.add(cd.CoordinateDamper("brake", "hub.angle", 0.6))
    result = cd.simulate(m, end=2.0, dt=0.005)
    exact = 10.0 * np.exp(-0.6 / J * result.times)
    assert np.abs(result.coordinate_rate("hub.angle") - exact).max() < 1e-3
    assert np.allclose(np.diff(result.energy["total"]), np.diff(result.energy["work"]), atol=1e-10)


def test_a_motor_that_is_a_function_of_time_gives_its_momentum():
    m = rotor()
    m.add(cd.CoordinateForce("motor", "hub.angle", 2.0, scale=cd.Harmonic(frequency=0.7)))
    result = cd.simulate(m, end=2.0, dt=0.002)
    w = 2 * np.pi * 0.7
    exact = 2.0 / w * (1 - np.cos(w * result.times))
    assert np.abs(J * result.coordinate_rate("hub.angle") - exact).max() < 1e-5
