"""Springs on joint coordinates by a table or a function: smooth, without overshoot, and their energy is exact."""

import numpy as np
import pytest

import condyle as cd
from condyle.joints.curves import energy_table, smooth_torque

TABLE = ([-0.8, -0.2, 0.0, 0.3, 0.9], [-6.0, -0.2, 0.0, 0.4, 11.0])  # a joint with hard ends


def wheel(part, spin=0.0, dimension=3):
    """A wheel of 2 kg m² about the axis of its hinge; its coordinate is the angle."""
    gravity = (0.0,) * dimension
    model = cd.Model(dimension=dimension, gravity=gravity)
    inertia, omega = ((1.0, 1.0, 2.0), (0.0, 0.0, spin)) if dimension == 3 else (2.0, spin)
    body = model.add(cd.RigidBody("wheel", 1.0, inertia=inertia, angular_velocity=omega))
    if dimension == 3:
        model.add(cd.Revolute("hinge", model.ground, body, at=(0, 0, 0), axis=(0, 0, 1)))
    else:
        model.add(cd.Revolute("hinge", model.ground, body, at=(0, 0)))
    model.add(part)
    return model


def value(knots, coefficients, q):
    k = np.clip(np.searchsorted(knots, q, side="right") - 1, 0, len(coefficients) - 1)
    return np.polynomial.polynomial.polyval(q - knots[k], coefficients[k].T, tensor=False)


def test_the_energy_is_the_integral_of_a_smooth_curve_through_the_table():
    knots, coefficients = energy_table(TABLE)
    step = 1e-5
    for q, torque in zip(*TABLE, strict=True):
        slope = (value(knots, coefficients, q + step) - value(knots, coefficients, q - step)) / (2 * step)
        assert slope == pytest.approx(torque, abs=1e-4)
    assert value(knots, coefficients, 0.0) == pytest.approx(0.0, abs=1e-14)
    q = np.linspace(-1.5, 1.5, 3001)
    torque = np.gradient(value(knots, coefficients, q), q)
    assert np.abs(np.diff(torque[2:-2], 2)).max() < 2e-4  # no kink: a jump of slope of 1 would be 1e-3


@pytest.mark.parametrize("values", [[0, 0, 0, 1, 1, 1], [0, 1, 10, 11, 11, 30], [5, 3, 3, 2.9, -4, -4]])
def test_the_curve_rises_and_falls_only_where_the_table_does(values):
    places = np.array([0.0, 0.5, 0.6, 2.0, 2.1, 3.0])
    knots, torques, slopes = smooth_torque(places, np.array(values, dtype=float))
    for k in range(5):
        inside = slopes[(knots >= places[k]) & (knots <= places[k + 1])]
        rise = values[k + 1] - values[k]
        assert (inside * rise >= 0.0).all() and (rise != 0.0 or np.abs(inside).max() < 1e-12)
    assert torques[::2] == pytest.approx(values)


def test_a_straight_curve_is_the_linear_spring():
    runs = [
        cd.simulate(wheel(part, spin=3.0), end=2.0, dt=0.02)
        for part in (
            cd.CoordinateSpring("spring", "hinge.angle", 7.0, rest=0.4),
            cd.CoordinateSpring("spring", "hinge.angle", rest=0.4, curve=([-1.0, 0.0, 0.5], [-7.0, 0.0, 3.5])),
        )
    ]
    assert np.abs(runs[0].coordinate("hinge.angle") - runs[1].coordinate("hinge.angle")).max() < 1e-9
    assert np.ptp(runs[0].energy["stored"] - runs[1].energy["stored"]) < 1e-9


@pytest.mark.parametrize("dimension", [2, 3])
def test_energy_is_kept_on_a_hard_curve_and_beyond_its_ends(dimension):
    run = cd.simulate(wheel(cd.CoordinateSpring("stop", "hinge.angle", curve=TABLE), 6.0, dimension), end=3.0, dt=0.02)
    assert run.coordinate("hinge.angle").max() > 1.3  # beyond the table, where it goes on straight
    total = run.energy["total"]
    assert np.abs(total - total[0]).max() < 1e-11 * total[0]
    assert run.energy["stored"].max() > 0.9 * total[0]


def test_many_turns_are_followed():
    """A table over three turns, wound up from the inside: the spring knows on which turn it is."""
    places = np.linspace(-20.0, 20.0, 41)
    run = cd.simulate(
        wheel(cd.CoordinateSpring("spring", "hinge.angle", curve=(places, 0.5 * places)), 7.0), end=6.0, dt=0.02
    )
    linear = cd.simulate(wheel(cd.CoordinateSpring("spring", "hinge.angle", 0.5), 7.0), end=6.0, dt=0.02)
    assert run.coordinate("hinge.angle").max() > 4.0 * np.pi
    assert np.abs(run.coordinate("hinge.angle") - linear.coordinate("hinge.angle")).max() < 1e-8


def test_a_cubic_spring_swings_with_its_exact_period():
    """q̈ = −c q³ has the period 7.4162987 / (√c A), whatever is between."""
    c, amplitude = 3.0, 1.2
    spring = cd.CoordinateSpring.of_function("spring", "hinge.angle", lambda q: 2.0 * c * q**3, -1.5, 1.5)
    model = wheel(spring)
    model.add(cd.Initial("start", "hinge.angle", amplitude))
    period = 7.416298709205487 / (np.sqrt(c) * amplitude)
    angle = cd.simulate(model, end=period, dt=period / 800).coordinate("hinge.angle")
    assert angle[400] == pytest.approx(-amplitude, abs=2e-4) and angle[-1] == pytest.approx(amplitude, abs=2e-4)
    again = cd.Model.from_dict(model.to_dict())  # a function becomes a table, which can be written
    assert again["spring"].curve == model["spring"].curve


@pytest.mark.parametrize(
    "method", [cd.GeneralizedAlpha(), cd.BDF(), cd.RungeKutta(), cd.Compliant(), cd.methods.ScipyReference()]
)
def test_other_methods_follow_the_curve_too(method):
    model = wheel(cd.CoordinateSpring("spring", "hinge.angle", curve=TABLE), 3.0)
    exact = cd.simulate(model, end=0.5, dt=0.0005).coordinate("hinge.angle")[-1]
    found = cd.simulate(model, end=0.5, dt=0.001, integrator=method).coordinate("hinge.angle")[-1]
    assert found == pytest.approx(exact, abs=3e-3 if isinstance(method, cd.Compliant) else 1e-4)


@pytest.mark.parametrize(
    "options, message",
    [
        ({}, "either a stiffness or a curve"),
        (dict(stiffness=1.0, curve=TABLE), "either a stiffness or a curve"),
        (dict(curve=([0.0], [1.0])), "two lists of equal length"),
        (dict(curve=([0.0, 1.0], [1.0])), "two lists of equal length"),
        (dict(curve=([0.0, 0.0], [1.0, 2.0])), "must increase"),
        (dict(curve=([0.0, 1.0], [1.0, np.nan])), "two lists of equal length"),
        (dict(curve="steep"), "two lists of equal length"),
    ],
)
def test_a_curve_that_is_none_is_refused(options, message):
    with pytest.raises(cd.InputError, match=rf"CoordinateSpring 's': .*{message}"):
        cd.CoordinateSpring("s", "hinge.angle", **options)


# --- dampers ----------------------------------------------------------------------------------------------------------------


def test_a_straight_curve_is_the_linear_damper():
    runs = [
        cd.simulate(wheel(part, spin=3.0), end=1.0, dt=0.02)
        for part in (
            cd.CoordinateDamper("damper", "hinge.angle", 0.7),
            cd.CoordinateDamper("damper", "hinge.angle", curve=([-1.0, 0.0, 0.5], [-0.7, 0.0, 0.35])),
        )
    ]
    assert np.abs(runs[0].coordinate("hinge.angle") - runs[1].coordinate("hinge.angle")).max() < 1e-10
    assert np.abs(runs[0].energy["work"] - runs[1].energy["work"]).max() < 1e-10


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9)], ids=["momentum", "alpha"])
def test_a_wheel_in_water_slows_down_as_the_square_of_its_speed_says(method, dimension):
    """2 ω̇ = −c ω |ω|, so ω = ω0/(1 + ½ c ω0 t); what it loses is the work of the damper."""
    c, spin, end = 0.3, 5.0, 2.0
    damper = cd.CoordinateDamper.of_function("water", "hinge.angle", lambda w: c * w * abs(w), -6.0, 6.0)
    run = cd.simulate(wheel(damper, spin, dimension), end=end, dt=0.01, integrator=method)
    kinetic, work = run.energy["kinetic"], run.energy["work"]
    assert np.sqrt(kinetic[-1]) == pytest.approx(spin / (1.0 + 0.5 * c * spin * end), rel=1e-4)
    assert (np.diff(work) < 0.0).all()
    if isinstance(method, cd.EnergyMomentum):
        assert np.abs(kinetic - kinetic[0] - work).max() < 1e-12 * kinetic[0]


def test_a_falling_curve_goes_on_level_and_never_drives():
    """Friction that falls with speed (Stribeck); beyond the table it stays as it is."""
    curve = ([-2.0, -0.1, 0.0, 0.1, 2.0], [-0.5, -1.0, 0.0, 1.0, 0.5])
    run = cd.simulate(wheel(cd.CoordinateDamper("seal", "hinge.angle", curve=curve), 10.0), end=2.0, dt=0.01)
    speed = np.sqrt(run.energy["kinetic"])
    assert speed[0] - speed[-1] == pytest.approx(0.5 / 2.0 * 2.0, rel=1e-9)  # a torque of 0.5 N m on 2 kg m²


@pytest.mark.parametrize(
    "curve, message",
    [
        (([-1.0, 1.0], [-1.0, 2.0]), r"go through \(0, 0\)"),
        (([1.0, 2.0], [1.0, 2.0]), r"go through \(0, 0\)"),
        (([-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]), "sign of the rates"),
        (([-1.0, 0.0, 0.0], [1.0, 0.0, 1.0]), "must increase"),
        (None, "either a damping or a curve"),
    ],
)
def test_a_damper_that_would_drive_is_refused(curve, message):
    with pytest.raises(cd.InputError, match=message):
        cd.CoordinateDamper("damper", "hinge.angle", curve=curve)
