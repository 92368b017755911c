"""Muscles and ligaments that are declared wrongly: an error or a warning that names the muscle and the fix."""

import warnings

import pytest

import condyle as cd


def weight(length=0.31, **options):
    """A mass that hangs on a muscle with fibres of 0.1 m and a tendon of 0.2 m, if not said otherwise."""
    m = cd.Model("weight", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.PointMass("mass", 20.0, position=(0.0, -length)))
    given = {"max_force": 900.0, "fibre_length": 0.1, "tendon_length": 0.2} | options
    m.add(cd.Muscle("b", ["ground", "mass"], **given))
    return m


def start(model):
    return cd.Simulation(model, dt=1e-3)


@pytest.mark.parametrize(
    ("excitation", "said"),
    [
        (5.0, r"Muscle 'b': excitation is 5 at t = 0; it must be between 0 and 1 \(percent\?\)"),
        (-0.1, r"Muscle 'b': excitation is -0.1 at t = 0; it must be between 0 and 1$"),
        (cd.Table((0, 0.1), (0, 60)), r"Muscle 'b': excitation is 60 at t = 0.1"),
        (cd.Ramp(0.0, 0.5, 0.0, 2.0), r"Muscle 'b': excitation is 2 at t = 0.5"),
        (lambda t: 30.0, r"Muscle 'b': excitation is 30 at t = 0"),
        ("0.5", r"Muscle 'b': .*'0.5' is no 'module:name'.*without quotes"),
    ],
)
def test_an_excitation_that_is_not_between_0_and_1_is_refused(excitation, said):
    with pytest.raises(cd.InputError, match=said):
        start(weight(excitation=excitation))


def test_a_function_that_returns_no_number_is_named_with_its_part():
    m = weight()
    m.add(cd.Load("push", "mass", (1.0, 0.0), scale=lambda t: None))
    with pytest.raises(
        cd.InputError, match=r"Load 'push': Function: '.*<lambda>' returned None at t = 0; it must return"
    ):
        start(m)


def test_a_tendon_of_the_wrong_length_is_questioned():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start(weight())
    with pytest.warns(
        cd.InputWarning, match=r"Muscle 'b'.* of their optimal length.*tendon is too short by about 0.11 m"
    ):
        sim = start(weight(0.41, excitation=0.5))
    assert any("too short" in line for line in sim.start_report.lines(1.0))
    with pytest.warns(cd.InputWarning, match=r"Muscle 'b'.*tendon is too long by about 0.08 m"):
        start(weight(0.22, tendon="rigid"))


def test_a_path_far_too_long_or_too_short_is_refused():
    with pytest.raises(cd.InputError, match=r"Muscle 'b': its path is 3 m long.*too short by about 2.8 m"):
        start(weight(3.0, tendon_length=0.1))
    with pytest.raises(
        cd.InputError, match=r"Muscle 'b': its path is 0.15 m long at the start, not longer than its tendon"
    ):
        start(weight(0.15))


def test_lengths_are_judged_where_the_run_starts():
    m = cd.Model("arm", dimension=2)
    m.add(cd.RigidBody("arm", 1.0, inertia=0.01, position=(0.0, -0.1)))
    m.add(cd.Pin("elbow", "ground", "arm", at=(0.0, 0.0)))
    m.add(cd.Muscle("b", [cd.Point("ground", (0.0, -0.3)), cd.Point("arm", (0.0, 0.0))], 100.0, 0.1, 0.2))
    with pytest.raises(cd.InputError, match=r"Muscle 'b': its path is 0.2 m long at the start"):
        start(m)
    m.add(cd.Initial("bent", "elbow.angle", 1.0))
    start(m)


def test_a_ligament_has_one_slack_length():
    with pytest.raises(cd.InputError, match=r"Ligament 'l': slack_length and reference_strain both.*give one"):
        cd.Ligament("l", ["ground", "mass"], 1e3, slack_length=0.1, reference_strain=0.05)
