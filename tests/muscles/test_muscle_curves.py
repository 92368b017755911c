"""Curves of a muscle as arrays and as a figure."""

import numpy as np
import pytest

import condyle as cd
from condyle.laws.muscles import muscle_tension

SOLEUS = cd.Muscle("soleus", ["a", "b"], 3549.0, 0.05, 0.25, max_speed=8.0, tendon_strain=0.06)
RIGID = cd.Muscle("rigid", ["a", "b"], 900.0, 0.1, 0.2, tendon="rigid", activation_time=None, damping=0.0)


def test_curves_pass_through_their_reference_points():
    curves = cd.muscle_curves(SOLEUS, lengths=(1.0, 1.6), speeds=(-8.0, 0.0), strains=(-0.01, 0.0, 0.06))
    assert curves["active"][1][0] == pytest.approx(3549.0, rel=1e-3)
    assert curves["passive"][1][1] == pytest.approx(3549.0)
    assert curves["velocity"][1] == pytest.approx([0.0, curves["active"][1][0]], abs=1e-5)
    assert curves["tendon"][1] == pytest.approx([0.0, 0.0, 3549.0])


def test_a_tendon_that_may_push_shows_it():
    pushes = cd.Muscle("m", ["a", "b"], 1000.0, 0.1, 0.2, tension_only=False)
    assert cd.muscle_curves(pushes, strains=(-0.2,))["tendon"][1][0] == pytest.approx(-200.0, rel=0.01)


def test_active_and_passive_curves_together_are_what_a_rigid_tendon_is_pulled_with():
    p = np.array(RIGID.parameters())
    curves = cd.muscle_curves(RIGID)
    assert set(curves) == {"active", "passive", "velocity"}
    for k, length in enumerate(curves["active"][0]):
        pull = muscle_tension(0.2 + 0.1 * length, 0.0, 1.0, p)[0]
        assert pull == pytest.approx(curves["active"][1][k] + curves["passive"][1][k], rel=1e-12)
    for speed, force in zip(*curves["velocity"], strict=True):
        passive = cd.muscle_curves(RIGID, lengths=1.0)["passive"][1][0]
        assert muscle_tension(0.3, 0.1 * speed, 1.0, p)[0] == pytest.approx(force + passive, rel=1e-9, abs=1e-9)


def test_muscles_are_drawn_together():
    figure = cd.plot_muscle([SOLEUS, RIGID], unit="kN", scale=1e-3)
    fibres, velocity, tendon = figure.axes
    assert [len(ax.lines) for ax in (fibres, velocity, tendon)] == [4, 2, 2]
    curves = cd.muscle_curves(SOLEUS)
    np.testing.assert_allclose(fibres.lines[0].get_ydata(), 1e-3 * (curves["active"][1] + curves["passive"][1]))
    with pytest.raises(cd.InputError, match="give a Muscle, not 'soleus'"):
        cd.plot_muscle("soleus")
    with pytest.raises(cd.InputError, match="lengths must be positive"):
        cd.muscle_curves(SOLEUS, lengths=(0.0, 1.0))
