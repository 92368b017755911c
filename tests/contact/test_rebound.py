"""What a law makes of a blow, without a model: restitution over speed and coefficient of every law, and closed forms."""

import numpy as np
import pytest

import condyle as cd
from condyle.contact import laws
from condyle.contact.laws.impact_family import restitution_of
from published_restitution import FACTORS, TABLE, left_by, restitution

FAMILY = [kind for kind in vars(laws).values() if isinstance(kind, type) and issubclass(kind, cd.HuntCrossley)]


@pytest.mark.parametrize("kind", FAMILY, ids=lambda kind: kind.__name__)
def test_each_law_has_the_factor_of_its_authors_and_the_restitution_of_the_table(kind):
    name = kind.__name__
    for e, printed in zip((0.9, 0.5), TABLE[name], strict=True):
        factor = kind(1e6, e=e).factor
        if name in FACTORS:
            assert factor == pytest.approx(FACTORS[name](e), rel=1e-14)
        assert restitution_of(factor) == pytest.approx(restitution(name, e), abs=1e-9)
        assert cd.rebound(kind(1e6, e=e), 1.0, 2.0).restitution == pytest.approx(printed, abs=5.1e-4)


@pytest.mark.parametrize("kind", FAMILY, ids=lambda kind: kind.__name__)
def test_the_restitution_of_the_family_follows_from_its_factor_at_every_speed_and_coefficient(kind):
    for e, speed, mass, exponent in ((0.3, 0.1, 2.0, 1.5), (0.6, 8.0, 0.1, 1.0), (0.9, 1.0, 5.0, 1.5)):
        law = kind(1e6, exponent, e=e)
        found = cd.rebound(law, mass, speed)
        assert found.restitution == pytest.approx(restitution(kind.__name__, e), abs=1e-6)
        lost = 0.5 * mass * speed**2 * (1.0 - found.restitution**2)
        assert found.dissipated == pytest.approx(lost)
        area = np.trapezoid(found.force, found.depth)  # what the force took, by its own curve
        assert area == pytest.approx(lost, rel=2e-3)
        assert np.trapezoid(found.force, found.times) == pytest.approx(mass * speed * (1 + found.restitution), rel=1e-3)


def test_an_elastic_blow_has_the_depth_duration_and_peak_of_hertz():
    """½ m v² = K s^2.5/2.5; it lasts 2.9432 s/v."""
    found = cd.rebound(cd.Hertz(1e6), 2.0, 3.0)
    deepest = (2.5 * 0.5 * 2.0 * 9.0 / 1e6) ** 0.4
    assert found.restitution == pytest.approx(1.0, abs=1e-8)
    assert found.deepest == pytest.approx(deepest, rel=1e-6)
    assert found.peak == pytest.approx(1e6 * deepest**1.5, rel=1e-3)
    assert found.duration == pytest.approx(2.9432 * deepest / 3.0, rel=1e-4)


def test_laws_whose_restitution_does_and_does_not_depend_on_the_speed():
    dashpot = cd.SpringDashpot(1e5, ratio=0.1)
    w = np.sqrt(1.0 - 0.01)
    released = np.exp(-0.1 / w * np.arctan2(0.2 * w, 0.02 - 1.0))  # let go where the force is 0
    table = cd.ContactTable((0, 0.005, 0.01), (0, 500.0, 1e3), (0, 250.0, 1e3))
    for speed in (0.2, 1.0):
        assert cd.rebound(dashpot, 1.0, speed).restitution == pytest.approx(released, abs=1e-5)
        assert cd.rebound(cd.HertzHysteresis(1e6, dent=0.36), 1.0, speed).restitution == pytest.approx(0.8, abs=1e-6)
        growing = cd.rebound(cd.NonlinearDashpot(1e6, 3e5), 1.0, speed).restitution
        assert growing == pytest.approx(left_by(0.3 * speed), abs=1e-6)
        assert cd.rebound(table, 1.0, speed).restitution == pytest.approx(np.sqrt(0.75), abs=1e-5)


@pytest.mark.parametrize(("mass", "speed"), [(1.0, 1.0), (2.5, 3.0), (1.5, 0.3)])
def test_a_dashpot_of_another_exponent_than_the_spring_has_its_closed_form(mass, speed):
    """K s³ + χ s ṡ: with y = s² it is the linear dashpot of a mass 2 m, v dv/dy 2 m = −K y − χ v, at every speed alike."""
    stiffness, zeta = 1e9, 0.15
    inertia = 2.0 * mass
    law = cd.NonlinearDashpot(stiffness, 2.0 * zeta * np.sqrt(stiffness * inertia), 3.0, 1.0)
    found = cd.rebound(law, mass, speed)
    w = np.sqrt(1.0 - zeta**2)
    assert found.restitution == pytest.approx(
        np.exp(-zeta / w * np.arctan2(2.0 * zeta * w, 2.0 * zeta**2 - 1.0)), abs=1e-6
    )
    turn = np.arctan2(w, zeta) / w  # where v = 0, in units of √(2 m/K)
    square = speed * np.sqrt(inertia / stiffness) * np.exp(-zeta * turn) * np.sin(w * turn) / w
    assert found.deepest == pytest.approx(np.sqrt(square), rel=1e-6)


def test_a_measured_way_out_never_gives_back_more_than_went_in():
    """Where the way in is soft first and stiff then, the scaled way out would lie above it."""
    table = cd.ContactTable((0, 0.01, 0.02), (0, 300.0, 3000.0), (0, 100.0, 3000.0))
    found = [cd.rebound(table, 1.0, speed).restitution for speed in (1.0, 2.5, 3.0, 4.0, 8.0)]
    assert max(found) < 1.0
    assert cd.rebound(cd.ContactTable((0, 0.01, 0.02), (0, 300.0, 3000.0)), 1.0, 3.0).restitution == pytest.approx(1.0)


def test_a_model_finds_the_same_as_the_equation():
    law, mass, speed = cd.LankaraniNikravesh(1e6, e=0.7), 1.5, 2.0
    found = cd.rebound(law, mass, speed)
    model = cd.Model("blow", dimension=2)
    ball = model.add(cd.PointMass("ball", mass, (0.0, 1e-9), (0.0, -speed)))
    model.add(cd.Contact("wall", ball, "nodes", model.ground, cd.Plane((0.0, 1.0)), law=law))
    result = cd.simulate(model, end=1.1 * found.duration, dt=found.duration / 100)
    assert result.velocity("ball")[-1, 1] / speed == pytest.approx(found.restitution, abs=1e-4)
    assert result.contact("wall").normal_force.max() == pytest.approx(found.peak, rel=1e-3)
    assert -result.contact("wall").gap.min() == pytest.approx(found.deepest, rel=1e-3)


def test_what_cannot_be_answered_is_refused():
    for law in (cd.Hard(), "penalty", cd.SmoothSwitch(cd.Hertz(1e6))):
        with pytest.raises(cd.InputError, match="soft law of contact that begins at the surface"):
            cd.rebound(law, 1.0, 1.0)
    with pytest.raises(cd.InputError, match=r"speed \[m/s\] must be a positive number, not 0"):
        cd.rebound(cd.Hertz(1e6), 1.0, 0)
    with pytest.raises(cd.InputError, match="SpringDashpot needs a stiffness"):
        cd.rebound(cd.SpringDashpot(), 1.0, 1.0)
