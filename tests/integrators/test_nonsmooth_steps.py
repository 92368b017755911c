"""Piles, fast bodies, unsolved problems, stabilisation, the θ-rule: steps at the level of velocities under strain."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.contact.stiffness import ContactWarning

G = 9.81


def stack(count: int, mu: float = 0.5, **options) -> cd.Model:
    model = cd.Model("stack", dimension=3, gravity=(0.0, 0.0, -G))
    boxes = [
        model.add(cd.RigidBody.box(f"box {k}", (0.2, 0.2, 0.2), 1000.0, position=(0.0, 0.0, 0.1 + 0.2 * k)))
        for k in range(count)
    ]
    model.add(cd.Collisions("all", boxes, cd.Plane((0, 0, 1)), friction=mu, **options))
    return model


def test_a_stack_of_ten_boxes_stands_and_each_box_carries_those_above():
    result = cd.simulate(stack(10), end=0.1, dt=0.005, integrator=cd.Nonsmooth())
    for k in range(10):
        assert np.abs(result.velocity(f"box {k}")).max() < 1e-8
        below = "ground" if k == 0 else f"box {k - 1}"
        force = result.contact("all").between(f"box {k}", below)[-1]
        assert force == pytest.approx([0.0, 0.0, (10 - k) * 8.0 * G], abs=1e-5)
    assert result.contact_residual.max() <= 1e-10 and result.unsolved_steps == 0
    contact = result.contact("all")
    assert contact.cone_margin.min() > -1e-9
    assert contact.slip_speed.max() < 1e-9


def test_a_step_that_stays_unsolved_says_so():
    hurried = cd.Nonsmooth(sweeps=1, finish=False)
    result = cd.simulate(stack(10), end=0.02, dt=0.005, integrator=hurried)
    assert result.unsolved_steps > 0
    assert "not solved" in result.summary()
    assert result.contact_residual.max() > 1e-10
    sim = cd.Simulation(stack(10), dt=0.005, integrator=hurried)
    assert "is left after 1 sweeps" in sim.step().unsolved


def test_a_run_with_a_group_is_resumed_bit_for_bit(tmp_path):
    def tumbling():
        model = stack(3, 0.3)
        model["box 2"].velocity = (0.5, 0.1, 0.0)
        return model

    whole = cd.simulate(tumbling(), end=0.12, dt=0.004, integrator=cd.Nonsmooth())
    cd.simulate(tumbling(), end=0.06, dt=0.004, integrator=cd.Nonsmooth(), file=tmp_path / "run.h5")
    rest = cd.resume(tmp_path / "run.h5", end=0.12)
    for k in range(3):
        assert np.array_equal(rest.position(f"box {k}")[-1], whole.position(f"box {k}")[-1])
    sim = cd.Simulation(tumbling(), dt=0.004, integrator=cd.Nonsmooth())
    sim.run(0.12)
    assert sim.position("box 2") == pytest.approx(whole.position("box 2")[-1], abs=1e-12)


def test_stabilisation_moves_bodies_apart_without_giving_them_energy():
    model = cd.Model("overlap", dimension=3)
    balls = [
        model.add(cd.RigidBody.ball(f"ball {k}", 0.1, 1000.0, position=(0.1996 * k, 0.0005 * k, 0.0))) for k in range(4)
    ]
    model.add(cd.Collisions("all", balls, friction=0.3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = cd.simulate(model, end=0.05, dt=0.005, integrator=cd.Nonsmooth())
        stays = cd.simulate(model, end=0.05, dt=0.005, integrator=cd.Nonsmooth(stabilise=False))
    assert np.abs(result.energy["kinetic"]).max() == 0.0
    gap = [np.linalg.norm(result.position(f"ball {k + 1}")[-1] - result.position(f"ball {k}")[-1]) for k in range(3)]
    assert np.min(gap) > 0.2 - 1e-7
    assert np.array_equal(stays.position("ball 3")[-1], stays.position("ball 3")[0])


def test_a_ball_in_a_drum_gains_no_energy_from_being_held_on_the_curve():
    model = cd.Model("drum", dimension=2, gravity=(0.0, -G))
    ball = model.add(cd.PointMass("ball", 1.0, (1.0, 0.0)))
    model.add(cd.Contact("drum", ball, "nodes", model.ground, cd.Sphere(1.0, (0.0, 0.0), inside=True)))
    result = cd.simulate(model, end=3.0, dt=0.005, integrator=cd.Nonsmooth())
    total = result.energy["total"]
    assert total.max() < total[0] + 1e-3 * G
    assert np.abs(np.linalg.norm(result.position("ball"), axis=1) - 1.0).max() < 1e-3


def shot(method, dt=0.005):
    """A ball of 5 cm at 200 m/s against a plate of 1 cm."""
    model = cd.Model("shot", dimension=3)
    ball = model.add(cd.RigidBody.ball("ball", 0.05, 1000.0, position=(-0.33, 0.0, 0.0), velocity=(200.0, 0.0, 0.0)))
    plate = cd.Box((0.01, 2.0, 2.0))
    model.add(cd.Contact("plate", ball, cd.Sphere(0.05), model.ground, plate))
    return cd.simulate(model, end=4 * dt, dt=dt, integrator=method)


def test_a_fast_ball_is_stopped_by_a_thin_plate():
    result = shot(cd.Nonsmooth())
    assert result.position("ball")[-1, 0] == pytest.approx(-0.055, abs=1e-9)
    assert result.passed_steps == 0


def test_bodies_that_pass_through_each_other_are_named_and_continuous_detection_stops_them():
    soft = dict(friction="penalty", contact_compliance=1e-9)
    with pytest.warns(ContactWarning, match="'ground' and 'ball' pass through each other in the step to t = 0.005"):
        result = shot(cd.Nonsmooth(**soft))
    assert result.passed_steps == 1
    assert "went through each other in 1 steps" in result.summary()
    held = shot(cd.Nonsmooth(continuous=True, **soft))
    assert held.position("ball")[-1, 0] < 0.0
    assert held.passed_steps == 0


def test_continuous_detection_lets_balls_pass_that_do_not_meet_and_stops_those_that_do():
    def flight(offset, continuous):
        model = cd.Model("flight", dimension=3)
        at = (-0.5, offset, 0.0)
        first = model.add(cd.RigidBody.ball("first", 0.1, 1000.0, position=at, velocity=(100.0, 0.0, 0.0)))
        second = model.add(cd.RigidBody.ball("second", 0.1, 1000.0))
        model.add(cd.Collisions("both", [first, second], law=cd.Impact(1.0)))
        method = cd.Nonsmooth(continuous=continuous)
        return cd.simulate(model, end=0.02, dt=0.01, integrator=method)

    past = flight(0.25, True)
    assert past.velocity("first")[-1] == pytest.approx([100.0, 0.0, 0.0], abs=1e-9)
    assert past.velocity("second")[-1] == pytest.approx(np.zeros(3), abs=1e-9)
    assert (
        np.abs(flight(0.25, False).velocity("second")[-1]).max() > 1.0
    )  # at this step, without it, they are taken to meet
    head_on = flight(0.0, True)
    assert head_on.velocity("second")[-1] == pytest.approx([100.0, 0.0, 0.0], abs=1e-6)
    # Equal balls at an offset b part along the line of centres: sin of its angle is b over the sum of the radii.
    angle = np.arcsin(0.5)
    glancing = flight(0.1, True)
    line = np.array([np.cos(angle), -np.sin(angle), 0.0])
    assert glancing.velocity("second")[-1] == pytest.approx(100.0 * np.cos(angle) * line, abs=1.5)


def test_theta_of_one_half_keeps_the_energy_of_a_spring_that_one_loses():
    def swing(theta):
        model = cd.Model("spring", dimension=2)
        mass = model.add(cd.PointMass("mass", 1.0, (1.1, 0.0)))
        model.add(cd.Spring("spring", model.ground, mass, stiffness=100.0, rest_length=1.0))
        model.add(cd.Contact("far", mass, "nodes", model.ground, cd.Plane((0, 1), (0.0, -5.0))))
        return cd.simulate(model, end=2.0, dt=0.01, integrator=cd.Nonsmooth(theta=theta)).energy["total"]

    half, whole = swing(0.5), swing(1.0)
    assert half[-1] == pytest.approx(half[0], rel=1e-3)
    assert whole[-1] < 0.5 * whole[0]


@pytest.mark.parametrize("theta", [0.5, 0.75, 1.0])
def test_a_block_sticks_and_slides_exactly_at_every_theta(theta):
    def block(angle):
        model = cd.Model("slope", dimension=3, gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
        body = model.add(cd.RigidBody.box("block", (0.2, 0.2, 0.2), 1000.0, position=(0.0, 0.0, 0.1)))
        model.add(cd.Contact("floor", body, cd.Box((0.2, 0.2, 0.2)), model.ground, cd.Plane((0, 0, 1)), friction=0.3))
        return cd.simulate(model, end=0.1, dt=0.01, integrator=cd.Nonsmooth(theta=theta)).velocity("block")

    assert np.abs(block(0.25)).max() < 1e-9
    expected = G * (np.sin(0.5) - 0.3 * np.cos(0.5)) * 0.1
    assert block(0.5)[-1, 0] == pytest.approx(expected, rel=1e-7)


def test_a_moving_support_drags_what_lies_on_it():
    model = cd.Model("tray", dimension=2, gravity=(0.0, -G))
    tray = model.add(cd.Frame("tray", shift=(lambda t: 0.5 * t, 0.0)))
    mass = model.add(cd.PointMass("mass", 1.0, (0.0, 0.0)))
    model.add(cd.Contact("tray top", mass, "nodes", tray, cd.Plane((0, 1)), friction=0.2))
    result = cd.simulate(model, end=0.5, dt=0.01, integrator=cd.Nonsmooth())
    assert result.velocity("mass")[:, 0] == pytest.approx(np.minimum(0.2 * G * result.times, 0.5), abs=1e-8)


def test_the_kernels_of_a_group_take_the_step_that_python_takes(monkeypatch):
    model = cd.Model("heap", dimension=3, gravity=(0.0, 0.0, -G))
    rng = np.random.default_rng(2)
    at = [(0.21 * i, 0.21 * j, 0.11 + 0.21 * k) for k in range(3) for i in range(2) for j in range(2)]
    boxes = [
        model.add(
            cd.RigidBody.box(f"box {n}", (0.2,) * 3, 1000.0, position=np.array(place) + 0.004 * rng.uniform(-1, 1, 3))
        )
        for n, place in enumerate(at)
    ]
    model.add(cd.Collisions("all", boxes, cd.Plane((0, 0, 1)), friction=0.3))
    method = cd.Nonsmooth()
    sim = cd.Simulation(model, dt=0.004, integrator=method)
    while sim.steps < 30:
        sim.step()
    before = sim.state.copy()
    by_kernels, info = method.step(sim.system, before, 0.004)
    assert not info.unsolved and np.count_nonzero(by_kernels.memory["contact force"]) > 60
    monkeypatch.setattr(cd.Nonsmooth, "_group_of", lambda *given: None)
    in_python, info = method.step(sim.system, before, 0.004)
    assert not info.unsolved
    assert np.abs(by_kernels.x - in_python.x).max() < 1e-10
    assert np.abs(by_kernels.v - in_python.v).max() < 1e-8
