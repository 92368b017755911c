"""Matrices of statics in any unit, with stiffnesses that are only round-off, and what their errors say."""

import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.system.linear import SingularMatrixError, make_solver
from condyle.system.pattern import build_pattern
from loops import planar_four_bar


def press(young, length, held_by, driven):
    """A block on the ground under a plate in a straight guide, which is pressed or driven down."""
    m = cd.Model("press", dimension=2)
    block = m.add(cd.Solid.block("block", (length, 0.5 * length), (4, 2), cd.NeoHookean(young, 0.3)))
    m.add(cd.Tie("base", block, "bottom", m.ground))
    plate = m.add(cd.RigidBody("plate", 100.0, inertia=1.0, position=(0.5 * length, 0.5 * length)))
    m.add(cd.Slider("guide", m.ground, plate, at=plate.position, axis=(0, 1)))
    if held_by == "contact":
        m.add(cd.Contact("contact", block, "top", plate, cd.Plane((0.0, -1.0))))
    else:
        m.add(cd.Tie("cap", block, "top", plate, enforcement=held_by))
    if driven:
        m.add(cd.Drive("drive", "guide.position", -1e-3 * length))
    else:
        m.add(cd.Load("load", plate, (0.0, -1e-3 * young * length)))
    return m


@pytest.mark.parametrize("driven", [False, True], ids=["pressed", "driven"])
@pytest.mark.parametrize("held_by", ["eliminate", "multiplier", "contact"])
def test_a_guided_body_sinks_as_far_whatever_the_stiffness_and_the_unit_of_length(held_by, driven):
    sunk = []
    for young in (1e-3, 1.0, 1e4, 1e9, 1e13):
        for length in (1e-3, 1.0, 1e3):
            result = cd.solve_static(press(young, length, held_by, driven), steps=1)
            sunk.append(
                result.displacement("plate")[-1, 1] / length if not driven else result.position("plate")[-1, 1] / length
            )
    assert np.ptp(sunk) < 1e-9 * np.abs(sunk).max()


@pytest.mark.parametrize("motion", [0.3, lambda t: 0.3 * t])
def test_a_driven_mechanism_without_loads_is_in_balance(motion):
    """Nothing has a stiffness but round-off; the drive alone says where everything is."""
    result = cd.solve_static(planar_four_bar(gravity=(0.0, 0.0), drive=motion), steps=2, at=1.0)
    assert result.status == "completed" and result.message == ""
    assert result.coordinate("A.angle")[-1] == pytest.approx(0.3, abs=1e-12)
    assert result.constraint_error[1:].max() < 1e-12  # before, the drive has not moved it yet
    assert max(np.abs(result.joint_force(name)).max() for name in "ABCD") < 1e-6


def test_its_balance_under_gravity_is_that_of_virtual_work():
    """The torque of the drive times the change of the crank's angle is the change of the potential energy."""
    torque = float(np.ravel(cd.solve_static(planar_four_bar(drive=0.3), steps=1).multipliers("drive")["drive"])[-1])
    energy = [cd.solve_static(planar_four_bar(drive=0.3 + da), steps=1).energy["gravity"][-1] for da in (-1e-4, 1e-4)]
    assert -torque == pytest.approx((energy[1] - energy[0]) / 2e-4, rel=1e-6)


def thin_bar(axis):
    """A bar without inertia about its line, on two hinges on one axis across or along it."""
    m = cd.Model("bar", dimension=3, gravity=(0.0, 0.0, -9.81))
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=(0.0, 1 / 12, 1 / 12), position=(0.5, 0.0, 0.0)))
    for name, place in (("one", -0.1), ("two", 0.1)):
        m.add(cd.Revolute(name, m.ground, bar, at=place * np.asarray(axis), axis=axis))
    return m


@pytest.mark.parametrize("solver", ["auto", "dense"])
@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9)], ids=["momentum", "alpha"])
def test_a_thin_bar_on_two_hinges_moves_as_on_one(method, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.RedundancyWarning)
        result = cd.simulate(thin_bar((0.0, 1.0, 0.0)), end=0.2, dt=0.005, integrator=method, solver=solver)
    assert result.status == "completed"
    forces = result.joint_force("one"), result.joint_force("two")
    np.testing.assert_allclose(forces[0], forces[1], atol=1e-5 * 9.81)  # half each
    single = thin_bar((0.0, 1.0, 0.0))
    single._parts.pop("two")
    one = cd.simulate(single, end=0.2, dt=0.005, integrator=method, solver=solver)
    np.testing.assert_allclose(result.position("bar"), one.position("bar"), atol=1e-9)
    np.testing.assert_allclose(forces[0] + forces[1], one.joint_force("one"), atol=1e-5 * 9.81)


@pytest.mark.parametrize("kind", ["dense", "band", "sparse"])
def test_an_error_names_the_part_and_no_index(kind):
    pattern = build_pattern([0], [1], [0, 2], [2, 1], 3).pattern
    solver = make_solver(pattern, kind)
    solver.owner = lambda unknown: "crank" if unknown < 2 else "pin (x)"
    with pytest.raises(SingularMatrixError, match=r"'(crank|pin \(x\))'") as caught:
        solver.factor([1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    assert caught.value.unknown in (0, 1)
