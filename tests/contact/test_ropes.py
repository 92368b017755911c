"""Ropes, drums and ligaments in contact: no method makes energy of it, every method gets through, every tangent is exact."""

import numpy as np
import pytest
from test_contact_tangent import METHODS as TANGENTS
from test_contact_tangent import check

import condyle as cd
from condyle.contact.problem import ContactWarning
from condyle.system.compile import running
from zoo_contact import ROPES, knee, sunk_rope

# Those whose steps differ in more than numbers: HHT is a generalized-α, and a run by BDF 2 begins with BDF 1.
METHODS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(0.5),
    "Newmark": cd.Newmark(),
    "BDF 2": cd.BDF(2),
}


@pytest.mark.covering
@pytest.mark.filterwarnings("ignore::condyle.contact.stiffness.ContactWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ROPES)
def test_energy_does_not_grow_and_steps_converge(name, method):
    result = cd.simulate(ROPES[name](), end=0.1, dt=0.01, integrator=METHODS[method])
    energy, kinetic = result.energy["total"], result.energy["kinetic"]
    assert kinetic.max() > 0.01
    largest = max(kinetic.max(), 1e-2 * np.abs(energy).max())
    assert energy.max() - energy[0] < (1e-9 if method == "energy–momentum" else 0.02) * largest
    assert name == "sunk rope" or result.iterations.mean() < 25.0


def test_a_rope_drawn_through_its_pulley_is_not_pushed_out_within_a_step():
    """It was, and 5 kJ came from nowhere."""
    with pytest.warns(ContactWarning, match=r"starts 0.008\d* m inside the target and stays inside"):
        result = cd.simulate(sunk_rope(), end=0.02, dt=0.01, integrator=cd.GeneralizedAlpha(0.5))
    gap = result.contact("groove").gap
    assert gap[0].min() < -0.007 and (gap[-1] > np.minimum(gap[0], 0.0) - 1e-9).all()
    assert result.energy["total"].max() < result.energy["total"][0] + 1e-2


@pytest.mark.covering
@pytest.mark.parametrize("method", TANGENTS)
@pytest.mark.parametrize("name", ["pulley, friction", "pulley, penalty", "drum", "knee", "knee, penalty"])
def test_the_tangent_is_exact(name, method):
    model = ROPES[name]()
    for part in model:
        if isinstance(part, cd.Contact):
            part.stiffness = 300.0
    # One unknown at a time: a rope that is moved along all of them stretches by much, and strongly nonlinearly.
    assert check(running(model), method, 1, far=0.002, h=1e-5, singly=True)


@pytest.mark.parametrize("ligaments", ["cables", "springs"])
def test_a_penalty_is_as_stiff_as_what_there_is_to_press_whatever_the_step(ligaments):
    chosen = []
    for dt in (0.04, 0.01, 0.001):
        sim = cd.Simulation(knee("penalty", ligaments=ligaments), dt=dt)
        chosen.append(sim.state.memory["contact stiffness"])
    assert np.array_equal(chosen[0], chosen[1]) and np.array_equal(chosen[0], chosen[2])
    ligament = 2 * 5e3 / 0.0653  # both of them
    assert 5.0 * ligament < chosen[0].min() and chosen[0].max() < 30.0 * ligament


def test_weight_alone_presses_a_thousandth_of_the_size_deep():
    m = cd.Model("box", dimension=2, gravity=(0.0, -10.0))
    box = m.add(cd.RigidBody.box("box", (0.4, 0.3), 100.0, position=(0.0, 0.15)))
    feet = cd.Contact("floor", box, [(-0.2, -0.15), (0.2, -0.15)], m.ground, cd.Plane((0.0, 1.0)), law="penalty")
    m.add(feet)
    sim = cd.Simulation(m, dt=0.01)
    size = np.hypot(0.4, 0.15)
    np.testing.assert_allclose(sim.state.memory["contact stiffness"], 120.0 / (1e-3 * size), rtol=1e-6)


def test_a_penalty_that_is_far_too_soft_is_a_warning_with_the_depth_and_the_remedy():
    with pytest.warns(ContactWarning, match=r"Contact 'plateau': with a stiffness of 41 N/m .* stiffness=\d") as found:
        result = cd.simulate(knee("penalty", 41.0), end=0.3, dt=0.01)
    depth = -result.contact("plateau").gap.min()
    summary = result.summary()
    assert f"'plateau': {depth:.2e} m deep at most, stiffness 41 N/m per point (given)" in summary
    assert len(found) >= 1


def test_a_body_that_sinks_in_is_reported_when_it_does():
    """It falls from high: its weight alone would not press that deep."""
    m = cd.Model("fall", dimension=2, gravity=(0.0, -10.0))
    box = m.add(cd.RigidBody.box("box", (0.4, 0.3), 100.0, position=(0.0, 1.0)))
    feet = [(-0.2, -0.15), (0.2, -0.15)]
    m.add(cd.Contact("floor", box, feet, m.ground, cd.Plane((0.0, 1.0)), law="penalty", stiffness=5e3))
    with pytest.warns(
        ContactWarning, match=r"Contact 'floor': at t = 0\.\d+ s point .* m inside 'ground', .*augmented"
    ):
        cd.simulate(m, end=0.6, dt=0.01)
