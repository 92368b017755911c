"""Measured orders of convergence on a double pendulum in space, against Runge–Kutta with a small step."""

import numpy as np
import pytest

import condyle as cd
from stepping import walk

END = 0.8
FINE = 0.0025


def pendulum():
    m = cd.Model("double pendulum", dimension=3, gravity=(0.0, 0.0, -9.81))
    a = m.add(cd.RigidBody("a", 1.2, inertia=(0.02, 0.09, 0.1), position=(0.3, 0, 0), angular_velocity=(0.5, 0, 1.0)))
    b = m.add(
        cd.RigidBody("b", 0.8, inertia=(0.01, 0.06, 0.05), position=(0.6, 0.2, 0), rotation=(0.3, 0.2, 0),
                     angular_velocity=(0, 1, 0.5))
    )  # fmt: skip
    m.add(cd.Spherical("hook", m.ground, a, at=(0, 0, 0)))
    m.add(cd.Revolute("hinge", a, b, at=(0.6, 0, 0), axis=(0.2, 0, 1)))
    return m


@pytest.fixture(scope="module")
def reference():
    return walk(pendulum(), FINE, round(END / FINE), cd.RungeKutta())


def errors(reference, method, h, **options):
    """Largest errors of position, velocity and joint multipliers over the run, each at the time it belongs to."""
    path = walk(pendulum(), h, round(END / h), method, **options)
    every = round(h / FINE)
    x = path.point("b") - reference.point("b")[::every]
    v = path.velocity("b") - reference.velocity("b")[::every]
    out = [np.abs(x).max(), np.abs(v).max()]
    lag = round((1.0 - method.multiplier_time) * h / FINE)
    for joint in ("hook", "hinge"):
        exact = reference.multipliers(joint)[every - lag :: every]
        out.append(np.abs(path.multipliers(joint)[1:] - exact).max())
    return np.array(out)


def orders(reference, method, steps, **options):
    """Orders of position, velocity and multipliers of both joints between the two steps."""
    coarse, fine = (errors(reference, method, h, **options) for h in steps)
    return np.log2(coarse / fine) / np.log2(steps[0] / steps[1])


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
def test_energy_momentum_is_of_order_2_in_positions_velocities_and_multipliers(reference, formulation):
    found = orders(reference, cd.EnergyMomentum(), (0.02, 0.01), formulation=formulation)
    np.testing.assert_allclose(found, 2.0, atol=0.08)


def test_multipliers_of_energy_momentum_belong_to_mid_step(reference):
    """Taken at the end of the step they are of order 1 only."""
    late = cd.EnergyMomentum()
    late.multiplier_time = 1.0
    position, velocity, hook, hinge = orders(reference, late, (0.02, 0.01))
    assert position > 1.9
    assert velocity > 1.9
    assert hook < 1.3
    assert hinge < 1.3


SECOND_ORDER = {"Newmark": cd.Newmark(), "light damping": cd.GeneralizedAlpha(0.8), "damping": cd.GeneralizedAlpha(0.0)}


@pytest.mark.parametrize("method", SECOND_ORDER)
def test_newmark_and_generalized_alpha_are_of_order_2(reference, method):
    found = orders(reference, SECOND_ORDER[method], (0.01, 0.005))
    np.testing.assert_allclose(found, 2.0, atol=0.15)


def test_newmark_with_damping_is_of_order_1(reference):
    position, velocity, *_ = orders(reference, cd.Newmark(beta=0.36, gamma=0.7), (0.02, 0.01))
    assert 0.8 < position < 1.3
    assert 0.8 < velocity < 1.3


def test_the_plain_index_3_form_has_the_order_2_of_the_method(reference):
    found = orders(reference, cd.GeneralizedAlpha(0.5, hold="positions"), (0.02, 0.01))
    np.testing.assert_allclose(found[:2], 2.0, atol=0.1)


def test_runge_kutta_is_of_order_4(reference):
    found = orders(reference, cd.RungeKutta(), (0.04, 0.02))
    assert found.min() > 3.7


def swing():
    """A pendulum that passes the horizontal fast: the jerk along its rod is large."""
    m = cd.Model("pendulum", dimension=2, gravity=(0.0, -9.81))
    bob = m.add(cd.RigidBody("bob", 1.0, inertia=0.1, position=(1.0, 0.0), velocity=(0.0, -4.0), angular_velocity=-4.0))
    m.add(cd.Pin("pin", m.ground, bob, at=(0.0, 0.0)))
    return m


def ripple(h, method, start="consistent"):
    """The part of the joint force that changes its sign from step to step, at the start of the run [N]."""
    force = walk(swing(), h, 8, method, start=start).multipliers("pin")[1:]
    third = force[3:] - 3 * force[2:-1] + 3 * force[1:-2] - force[:-3]
    return np.abs(third).max() / 8.0


def test_without_the_start_correction_multipliers_ripple_at_first_order():
    plain = cd.EnergyMomentum()
    plain.start_correction = 0.0
    for start in ("consistent", "as-given"):  # the velocities given are on the constraints already
        coarse, fine = (ripple(h, plain, start) for h in (0.01, 0.005))
        assert coarse / fine == pytest.approx(2.0, rel=0.1)
    corrected = [ripple(h, cd.EnergyMomentum()) for h in (0.01, 0.005)]
    assert corrected[0] < 0.05 * coarse
    assert corrected[0] / corrected[1] > 6.0  # third differences of a smooth force
