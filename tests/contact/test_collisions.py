"""Groups of bodies against each other: piles, stacks, chains; contacts that come and go."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd

G = 9.81
FLOOR = cd.Plane((0, 0, 1))
METHODS = [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT(), cd.BDF()]
FIRST_ORDER = [cd.Compliant(), cd.Nonsmooth()]


def stack(count: int, law, friction: float = 0.5, size: float = 0.2) -> cd.Model:
    model = cd.Model("stack", dimension=3, gravity=(0, 0, -G))
    boxes = [
        model.add(cd.RigidBody.box(f"box {k}", (size,) * 3, 500.0, position=(0.01 * (k % 2), 0, size * (k + 0.5))))
        for k in range(count)
    ]
    model.add(cd.Collisions("stack", boxes, FLOOR, law=law, friction=friction))
    return model


def check_stack(model: cd.Model, count: int, method, within: float = 1e-6) -> None:
    result = cd.simulate(model, end=0.04, dt=0.01, integrator=method)
    for k in range(count):
        assert result.position(f"box {k}")[-1] == pytest.approx((0.01 * (k % 2), 0, 0.2 * (k + 0.5)), abs=within)
    weight, contact, top = 4.0 * G, result.contact("stack"), count - 1
    assert contact.between("box 0", "ground")[-1, 2] == pytest.approx(count * weight, rel=1e-3)
    assert contact.between(f"box {top}", f"box {top - 1}")[-1, 2] == pytest.approx(weight, rel=1e-3)
    assert contact.between(f"box {top - 1}", f"box {top}")[-1, 2] == pytest.approx(-weight, rel=1e-3)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_stack_of_boxes_stands(method):
    check_stack(stack(4, cd.Hard()), 4, method)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_stack_of_ten_boxes_stands(method):
    check_stack(stack(10, cd.Hard()), 10, method, within=1e-12)


PILES = {
    "pyramid": [((j - 0.5 * (2 - i)) * 0.22, 0, 0.2 * (i + 0.5)) for i in range(3) for j in range(3 - i)],
    "bricks": [(0.06 * k, 0.02 * k, 0.2 * (k + 0.5)) for k in range(3)],
    "two on one": [(0, 0, 0.1), (-0.09, 0.11, 0.3), (0.09, -0.11, 0.3), (0, 0, 0.5)],
}


@pytest.mark.parametrize("method", [cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT()], ids=lambda m: type(m).__name__)
def test_a_pile_at_rest_presses_with_its_weight_from_the_first_step_on_and_strikes_nothing(method):
    """More points hold than can move: some press with nothing, and that they press in the next step is no blow."""
    model = cd.Model("pile", dimension=3, gravity=(0, 0, -G))
    places = PILES["two on one"]
    for k, place in enumerate(places):
        model.add(cd.RigidBody.box(f"box {k}", (0.2,) * 3, 500.0, position=place))
    model.add(cd.Collisions("pile", [f"box {k}" for k in range(len(places))], FLOOR, friction=0.5))
    contact = cd.simulate(model, end=0.06, dt=0.01, integrator=method).contact("pile")
    floor = sum(contact.between(f"box {k}", "ground") for k in range(len(places)))
    assert floor[1:] == pytest.approx(np.tile((0, 0, 4.0 * G * len(places)), (len(floor) - 1, 1)), abs=1e-6)
    assert abs(contact.impulse).max() == 0.0


@pytest.mark.parametrize("method", [*METHODS, *FIRST_ORDER], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("name", PILES)
def test_piles_of_boxes_stand_and_the_floor_carries_them(name, method):
    model = cd.Model("pile", dimension=3, gravity=(0, 0, -G))
    places = PILES[name]
    boxes = [model.add(cd.RigidBody.box(f"box {k}", (0.2,) * 3, 500.0, position=p)) for k, p in enumerate(places)]
    model.add(cd.Collisions("pile", boxes, FLOOR, friction=0.5))
    result = cd.simulate(model, end=0.03, dt=0.01, integrator=method)
    for k, place in enumerate(places):
        assert result.position(f"box {k}")[-1] == pytest.approx(place, abs=1e-12)
    floor = sum(result.contact("pile").between(f"box {k}", "ground")[-1] for k in range(len(places)))
    assert floor == pytest.approx((0, 0, 4.0 * G * len(places)), abs=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_points_that_share_a_weight_share_it_evenly(method):
    """Equal boxes without shift: a quarter of the weight above at each corner, and no friction."""
    model = stack(3, cd.Hard())
    for k in range(3):
        model[f"box {k}"].position = (0, 0, 0.2 * (k + 0.5))
    contact = cd.simulate(model, end=0.03, dt=0.01, integrator=method).contact("stack")
    carried = np.sort(contact.normal_force[-1][contact.normal_force[-1] > 0.0])
    assert carried == pytest.approx(G * np.repeat(np.arange(1, 4), 4), rel=1e-6)


@pytest.mark.parametrize("method", (cd.EnergyMomentum(), cd.GeneralizedAlpha()), ids=lambda m: type(m).__name__)
def test_a_soft_stack_of_ten_boxes_stands(method):
    result = cd.simulate(stack(10, cd.SpringDashpot(1e6, ratio=0.7)), end=0.1, dt=0.01, integrator=method)
    for k in range(10):
        assert result.position(f"box {k}")[-1] == pytest.approx((0.01 * (k % 2), 0, 0.2 * (k + 0.5)), abs=2e-3)


def test_boxes_that_fall_on_each_other_come_to_rest_in_steps_of_velocities():
    model = stack(3, cd.Impact(0.0))
    for k in range(3):
        model[f"box {k}"].position = (0.01 * (k % 2), 0, 0.2 * (k + 0.5) + 0.02 * (k + 1))
    result = cd.simulate(model, end=0.3, dt=0.005, integrator=cd.Nonsmooth())
    for k in range(3):
        assert result.position(f"box {k}")[-1] == pytest.approx((0.01 * (k % 2), 0, 0.2 * (k + 0.5)), abs=1e-3)
    assert result.contact("stack").between("box 0", "ground")[-1, 2] == pytest.approx(3 * 4.0 * G, rel=1e-3)


def test_a_soft_stack_sinks_by_its_weight_over_its_stiffness():
    k = 2e5
    result = cd.simulate(stack(3, cd.SpringDashpot(k, ratio=1.0)), end=0.6, dt=0.01, integrator=cd.GeneralizedAlpha())
    weight = 4.0 * G
    sunk = [0.2 * (i + 0.5) - result.position(f"box {i}")[-1, 2] for i in range(3)]
    expected = np.cumsum(np.array([3, 2, 1]) * weight / (4 * k))
    assert sunk == pytest.approx(expected, rel=0.02)


def test_balls_fall_into_a_pile_and_their_contacts_come_and_go():
    model = cd.Model("pile", dimension=3, gravity=(0, 0, -G))
    places = [(0.11 * (k % 2), 0.05 * (k // 2 % 2), 0.1 + 0.21 * k) for k in range(8)]
    balls = [model.add(cd.RigidBody.ball(f"ball {k}", 0.1, 1000.0, position=p)) for k, p in enumerate(places)]
    walls = [FLOOR, cd.Plane((1, 0, 0), (-0.11, 0, 0)), cd.Plane((-1, 0, 0), (0.22, 0, 0))]
    walls += [cd.Plane((0, 1, 0), (0, -0.11, 0)), cd.Plane((0, -1, 0), (0, 0.16, 0))]
    model.add(cd.Collisions("pile", balls, walls, law=cd.SpringDashpot(2e5, ratio=0.3), friction=0.3))
    result = cd.simulate(model, end=0.6, dt=0.004)
    places = np.array([result.position(ball)[-1] for ball in balls])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(8)
    assert apart.min() > 0.195 and places[:, 2].min() > 0.095
    assert places[:, 0].min() > -0.02 and places[:, 0].max() < 0.13
    energy = result.energy["total"]
    assert energy[-1] < 0.8 * energy[0] and np.diff(energy).max() < 1e-6 * energy[0]


def test_bodies_that_a_joint_connects_do_not_meet_unless_asked():
    def chain(**options) -> cd.Model:
        model = cd.Model("chain", dimension=3)
        links = [
            model.add(cd.RigidBody.ball(f"link {k}", 0.1, 1000.0, position=(0.15 * k, 0, 0), velocity=(0, 0, 0.0)))
            for k in range(3)
        ]
        for k in range(2):
            model.add(cd.Spherical(f"joint {k}", links[k], links[k + 1], at=(0.15 * k + 0.075, 0, 0)))
        model.add(cd.Collisions("chain", links, law=cd.SpringDashpot(1e4), overlap="resolve", **options))
        return model

    quiet = cd.simulate(chain(), end=0.02, dt=0.005)
    assert not quiet.contact("chain").active.any()
    loud = cd.simulate(chain(neighbours=True, apart=[("link 0", "link 1")]), end=0.02, dt=0.005).contact("chain")
    assert loud.between("link 2", "link 1")[1:, 0].min() > 0.0 and not loud.between("link 0", "link 1").any()


def test_newtons_cradle_of_disks_in_the_plane():
    model = cd.Model("cradle", dimension=2)
    disks = [
        model.add(
            cd.RigidBody.disk(
                f"disk {k}", 0.1, 1000.0, position=(0.2 * k + (k > 0) * 0.05, 0), velocity=((k == 0) * 1.0, 0)
            )
        )
        for k in range(5)
    ]
    model.add(cd.Collisions("cradle", disks, law=cd.Impact(1.0)))
    result = cd.simulate(model, end=0.1, dt=0.01)
    speeds = [result.velocity(disk)[-1, 0] for disk in disks]
    assert speeds == pytest.approx((0, 0, 0, 0, 1.0), abs=1e-9)


def test_a_run_of_collisions_goes_on_bit_for_bit(tmp_path):
    whole = cd.simulate(stack(3, cd.SpringDashpot(1e5)), end=0.1, dt=0.005)
    cd.simulate(stack(3, cd.SpringDashpot(1e5)), end=0.05, dt=0.005, file=tmp_path / "part.h5")
    again = cd.resume(tmp_path / "part.h5", end=0.1)
    assert np.array_equal(again.position("box 2"), whole.position("box 2"))
    assert np.array_equal(again.contact("stack").force, whole.contact("stack").force)


def test_wrong_groups_say_what_is_wrong():
    body = cd.RigidBody("lump", 1.0, inertia=(1, 1, 1))
    with pytest.raises(cd.InputError, match="needs two bodies"):
        cd.Collisions("c", [body])
    with pytest.raises(cd.InputError, match="must have a shape such as"):
        cd.Collisions("c", {"lump": 3.0}, FLOOR)
    with pytest.raises(cd.InputError, match="soft contacts"):
        cd.Collisions("c", [body], FLOOR, friction=cd.Bristle(0.3, 1e5))
    model = cd.Model("wrong", dimension=3)
    model.add(body)
    model.add(cd.Collisions("c", [body], FLOOR))
    with pytest.raises(cd.InputError, match="has no shape"):
        cd.compile(model)


def test_a_group_of_which_none_is_near_another_begins_its_run():
    model = cd.Model("apart", dimension=3, gravity=(0, 0, -9.81))
    balls = [model.add(cd.RigidBody.ball(f"ball {k}", 0.1, 500.0, position=(k, 0, 2.0))) for k in range(14)]
    model.add(cd.Collisions("group", balls, cd.Plane((0, 0, 1)), law=cd.SpringDashpot(1e5)))
    result = cd.simulate(model, end=0.02, dt=0.01)
    assert result.velocity("ball 3")[-1] == pytest.approx((0, 0, -9.81 * 0.02), abs=1e-9)
