"""Rigid shapes that meet: rolling, standing, falling, striking, against closed forms, with every kind of method."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.integrators.compiled import CompiledMethod

METHODS = [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT(), cd.BDF()]
G = 9.81


def name_of(method: object) -> str:
    return type(method).__name__


def on_floor(body: cd.RigidBody, shape: cd.Surface, d: int = 3, normal: tuple[float, ...] = (), **options) -> cd.Model:
    """A body over the plane through the origin, under gravity."""
    up = tuple(np.eye(d)[d - 1])
    model = cd.Model("floor", dimension=d, gravity=tuple(-G * np.eye(d)[d - 1]))
    model.add(body)
    model.add(cd.Contact("floor", body, shape, model.ground, cd.Plane(normal or up), **options))
    return model


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_a_ball_rolls_down_a_slope_with_five_sevenths_of_its_weight(method):
    slope = 0.3
    n = (-np.sin(slope), 0.0, np.cos(slope))
    ball = cd.RigidBody.ball("ball", 0.1, 1000.0, position=tuple(0.1 * np.array(n)))
    model = on_floor(ball, cd.Sphere(0.1), normal=n, friction=0.5)
    result = cd.simulate(model, end=0.3, dt=0.01, integrator=method)
    speed = np.linalg.norm(result.velocity("ball")[-1])
    assert speed == pytest.approx(5.0 / 7.0 * G * np.sin(slope) * 0.3, rel=2e-3)
    assert np.linalg.norm(result.angular_velocity("ball")[-1]) == pytest.approx(speed / 0.1, rel=2e-3)


def test_a_sliding_ball_ends_rolling_with_five_sevenths_of_its_speed():
    ball = cd.RigidBody.ball("ball", 0.1, 1000.0, position=(0, 0, 0.1), velocity=(1.0, 0, 0))
    for law in (cd.Hard(), cd.SpringDashpot(1e6)):
        result = cd.simulate(on_floor(ball, cd.Sphere(0.1), friction=0.3, law=law), end=0.2, dt=0.005)
        assert result.velocity("ball")[-1, 0] == pytest.approx(5.0 / 7.0, abs=2e-3)
        # It slips until μ g t = 2/7 of the speed.
        moving = result.velocity("ball")[:, 0]
        at = np.interp(0.05, result.times, moving)
        assert at == pytest.approx(1.0 - 0.3 * G * 0.05, abs=5e-3)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("height", (0.05, 0.0523))
def test_a_ball_that_lands_with_friction_rolls_with_five_sevenths_of_its_speed(method, height):
    """Friction has no moment about the ground, in the impact too: wherever in a step it lands, however large the step is."""
    ball = cd.RigidBody.ball("ball", 0.1, 500.0, position=(0, 0, 0.1 + height), velocity=(1.0, 0, 0))
    model = on_floor(ball, cd.Sphere(0.1), friction=0.5)
    result = cd.simulate(model, end=0.15, dt=0.005, integrator=method)
    assert result.velocity("ball")[-1, 0] == pytest.approx(5.0 / 7.0, abs=1e-9)
    assert result.angular_velocity("ball")[-1, 1] == pytest.approx(50.0 / 7.0, abs=1e-8)


def test_an_ellipsoid_that_rolls_takes_compiled_energy_momentum_steps():
    a = (0.1, 0.06, 0.05)
    inertia = tuple(0.2 * (a[i] ** 2 + a[j] ** 2) for i, j in ((1, 2), (0, 2), (0, 1)))
    body = cd.RigidBody(
        "body", 1.0, inertia, position=(0, 0, a[2]), velocity=(0, 0.5, 0), angular_velocity=(-10, 0, 0.1)
    )
    model = on_floor(body, cd.Ellipsoid(a), friction=1.0)
    result = cd.simulate(model, end=0.1, dt=1e-3, integrator=cd.EnergyMomentum(), every=1)
    # Only the first step, in which it comes down, is Python's: what slips at the end of a step is of second order.
    assert sum(result.in_python.values()) <= 2
    energy = result.energy["total"]
    assert abs(energy[-1] - energy[0]) < 1e-4 * energy[0]
    # The place that touches does not slip, p = r − n h over the support h of the ellipsoid: v + ω × (p − r) = 0.
    R, v, spin = result.rotation_matrix("body")[-1], result.velocity("body")[-1], result.angular_velocity("body")[-1]
    down = R.T @ np.array([0.0, 0.0, -1.0])
    arm = R @ (np.square(a) * down / np.linalg.norm(np.asarray(a) * down))
    assert np.linalg.norm(v + np.cross(spin, arm)) < 1e-4 * np.linalg.norm(v)


def test_an_ellipsoid_rocks_on_a_plane_with_the_period_of_its_curvature():
    a, c, m = 0.2, 0.1, 1.0
    inertia = 0.2 * m * (a * a + c * c)
    body = cd.RigidBody("egg", m, inertia=(1.0, inertia, 1.0), position=(0, 0, c), rotation=(0, 0.01, 0))
    depth = np.sqrt((a * np.sin(0.01)) ** 2 + (c * np.cos(0.01)) ** 2)
    body.position = (0.0, 0.0, float(depth))
    model = on_floor(body, cd.Ellipsoid((a, 0.1, c)), friction=1.0)
    # m g (R − c) θ = (J + m c²) θ¨, with the radius of curvature R = a²/c at the lowest point.
    period = 2 * np.pi * np.sqrt((inertia + m * c * c) / (m * G * (a * a / c - c)))
    result = cd.simulate(model, end=period, dt=period / 100)
    angle = np.array([np.arctan2(R[0, 2], R[2, 2]) for R in result.directors("egg")])
    crossing = np.flatnonzero(np.diff(np.sign(angle)))
    assert len(crossing) == 2
    assert result.times[crossing[1]] - result.times[crossing[0]] == pytest.approx(0.5 * period, rel=0.02)
    assert angle[-1] == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("law", (cd.Hard(), cd.SpringDashpot(5e5, ratio=0.7)), ids=name_of)
def test_a_box_stands_on_four_corners(method, law):
    box = cd.RigidBody.box("box", (0.4, 0.3, 0.2), 500.0, position=(0, 0, 0.1))
    result = cd.simulate(
        on_floor(box, cd.Box((0.4, 0.3, 0.2)), friction=0.5, law=law), end=0.2, dt=0.01, integrator=method
    )
    contact = result.contact("floor")
    assert contact.active[-1].sum() == 4
    assert contact.resultant[-1, 2] == pytest.approx(12.0 * G, rel=0.02)
    assert np.abs(result.position("box")[-1] - (0, 0, 0.1)).max() < 1e-4
    assert np.abs(result.directors("box")[-1] - np.eye(3)).max() < 1e-4


@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("shift", ((0.0, 0.0), (0.03, 0.05)))
def test_equal_boxes_stand_on_each_other_however_they_are_shifted(method, shift):
    size = (0.2, 0.2, 0.2)
    model = cd.Model("two", dimension=3, gravity=(0, 0, -G))
    low = model.add(cd.RigidBody.box("low", size, 500.0, position=(0, 0, 0.1)))
    high = model.add(cd.RigidBody.box("high", size, 500.0, position=(*shift, 0.3)))
    model.add(cd.Contact("floor", low, cd.Box(size), model.ground, cd.Plane((0, 0, 1)), friction=0.4))
    model.add(cd.Contact("between", high, cd.Box(size), low, cd.Box(size), friction=0.4))
    result = cd.simulate(model, end=0.2, dt=0.01, integrator=method)
    assert np.abs(result.position("high")[-1] - (*shift, 0.3)).max() < 1e-6
    between = result.contact("between")
    assert between.resultant[-1, 2] == pytest.approx(4.0 * G, rel=1e-6)
    assert between.centre_of_pressure[-1, :2] == pytest.approx(shift, abs=1e-6)


@pytest.mark.covering(2)
@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("exponents", [(0.2, 0.2), (0.5, 0.5), (0.3, 1.0)])
@pytest.mark.parametrize("metre", (1.0, 1000.0))
def test_a_stone_with_flat_sides_comes_to_rest_on_them(metre, exponents, method):
    """Newton's method found no solution: the one point of a flat side runs from end to end as the stone leans."""
    model = cd.Model("stone", dimension=3, gravity=(0, 0, -G * metre))
    inertia = tuple(i * metre**2 for i in (0.02, 0.03, 0.04))
    start = {"position": (0, 0, 0.12 * metre), "rotation": (0.05, 0.02, 0.0), "velocity": (0.2 * metre, 0, 0)}
    stone = model.add(cd.RigidBody("stone", 2.0, inertia=inertia, **start))
    shape = cd.geometry.Superellipsoid((0.3 * metre, 0.2 * metre, 0.1 * metre), exponents)
    model.add(cd.Contact("floor", stone, shape, model.ground, cd.Plane((0, 0, 1)), friction=0.4))
    result = cd.simulate(model, end=0.4, dt=5e-3, integrator=method)
    assert result.position("stone")[-1, 2] == pytest.approx(0.1 * metre, abs=0.004 * 0.3 * metre)
    assert np.abs(result.velocity("stone")[-5:]).max() < 1e-6 * metre
    assert np.abs(result.angular_velocity("stone")[-5:]).max() < 1e-5
    assert result.contact("floor").resultant[-1, 2] == pytest.approx(2.0 * G * metre, rel=1e-6)
    assert np.diff(result.energy["total"]).max() < 1e-3 * result.energy["kinetic"].max()


LIES = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # what was along z is along y
ROUND = {
    "cone on its base": (cd.Cone(0.1, 0.3, (0, 0, 1), centre=(0, 0, -0.075)), 0.075, np.eye(3)),
    "cylinder on its end": (cd.Cylinder(0.1, (0, 0, 1), length=0.3), 0.15, np.eye(3)),
    "cylinder on its side": (cd.Cylinder(0.1, (0, 0, 1), length=0.3), 0.1, LIES),
    "capsule on its side": (cd.Capsule((0, 0, -0.1), (0, 0, 0.1), 0.1), 0.1, LIES),
}


def round_body(name: str, above: float = 0.0, **motion) -> cd.Model:
    """A body of 5 kg with the inertia of a cylinder, `above` the floor [m]."""
    shape, height, rotation = ROUND[name]
    model = cd.Model(name, dimension=3, gravity=(0, 0, -G))
    inertia = np.diag((5.0 * (3 * 0.01 + 0.09) / 12,) * 2 + (0.025,))
    place = (0.0, 0.0, height + above)
    body = model.add(cd.RigidBody("body", 5.0, inertia=inertia, position=place, rotation=rotation, **motion))
    model.add(cd.Contact("floor", body, shape, model.ground, cd.Plane((0, 0, 1)), friction=0.5))
    return model


@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("name", ROUND)
def test_round_bodies_stand_where_they_are_put_and_where_they_fall(name, method):
    for above in (0.0, 0.005):
        result = cd.simulate(round_body(name, above), end=0.06, dt=0.01, integrator=method)
        assert result.position("body")[-1] == pytest.approx((0, 0, ROUND[name][1]), abs=1e-9)
        assert np.abs(result.velocity("body")[-1]).max() < 1e-9
        assert result.contact("floor").resultant[-1, 2] == pytest.approx(5.0 * G, rel=1e-6)


@pytest.mark.parametrize("method", [cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT()], ids=name_of)
@pytest.mark.parametrize("name", ROUND)
@pytest.mark.parametrize("steps", ["compiled", "in Python"])
def test_round_bodies_press_with_their_weight_in_every_step_after_they_have_landed(name, method, steps, monkeypatch):
    """A dozen points that stick hold three times more than can move; generalized-α rings in the force that solved a step."""
    if steps == "in Python":
        monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    for above in (0.0, 0.005):
        result = cd.simulate(round_body(name, above), end=0.18, dt=0.01, integrator=method)
        if steps == "compiled":
            assert sum(result.in_python.values()) <= 2
        floor = result.contact("floor")
        weight = np.broadcast_to((0.0, 0.0, 5.0 * G), (10, 3))
        assert floor.resultant[-10:] == pytest.approx(weight, abs=1e-8)
        on = floor.active[-1]
        assert floor.normal_force[-10:, on] == pytest.approx(np.full((10, on.sum()), 5.0 * G / on.sum()), rel=5e-3)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
@pytest.mark.parametrize("name", [name for name in ROUND if "side" in name])
def test_round_bodies_that_slide_on_their_side_end_rolling(name, method):
    """With a third of the mass as inertia over r², as of a solid cylinder, two thirds of the speed are left."""
    result = cd.simulate(round_body(name, velocity=(0.3, 0, 0)), end=0.06, dt=0.005, integrator=method)
    assert result.velocity("body")[-1] == pytest.approx((0.2, 0, 0), abs=2e-3)
    assert result.angular_velocity("body")[-1] == pytest.approx((0, 2.0, 0), abs=2e-2)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_a_cylinder_falls_over_its_rim_beyond_its_corner_and_back_before(method):
    """Its centre is above the rim at an angle of atan(0.1/0.15) = 0.588 rad."""
    for angle, back in ((0.55, True), (0.63, False)):
        c, s = np.cos(angle), np.sin(angle)
        model = round_body("cylinder on its end")
        body = model["body"]
        body.rotation, body.position = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), (0, 0, 0.15 * c + 0.1 * s)
        result = cd.simulate(model, end=0.05, dt=0.01, integrator=method)
        spin = result.angular_velocity("body")[-1, 0]
        assert (spin < -0.01) if back else (spin > 0.01)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_a_cone_that_leans_a_little_falls_back_on_its_base(method):
    """It rocks over corners of its rim that stay with the body: as it gets flat, the matrix must not move them round."""
    for angle, dt in ((0.01, 2e-3), (0.02, 2e-3), (0.02, 0.01), (0.05, 5e-3), (0.05, 0.01)):
        c, s = np.cos(angle), np.sin(angle)
        model = round_body("cone on its base")
        body = model["body"]
        body.rotation, body.position = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), (0, 0, 0.075 * c + 0.1 * s)
        result = cd.simulate(model, end=0.12, dt=dt, integrator=method)
        assert result.position("body")[-1, 2] == pytest.approx(0.075, abs=1e-9)
        assert np.abs(result.velocity("body")[-1]).max() < 1e-9


def test_boxes_that_cross_touch_with_one_edge_each():
    model = cd.Model("cross", dimension=3, gravity=(0, 0, -G))
    edge = 0.1 * np.sqrt(2.0)
    quarter = np.pi / 4
    bar = model.add(
        cd.RigidBody.box("bar", (1.0, 0.2, 0.2), 100.0, position=(0, 0, 2 * edge), rotation=(quarter, 0, 0))
    )
    rail = cd.Box((0.2, 1.0, 0.2), rotation=(0.0, quarter, 0.0))
    model.add(cd.Contact("edges", bar, cd.Box((1.0, 0.2, 0.2)), model.ground, rail))
    model.add(cd.Prismatic("guide", model.ground, bar, axis=(0, 0, 1)))
    result = cd.simulate(model, end=0.1, dt=0.01)
    contact = result.contact("edges")
    assert contact.active[-1].sum() == 1
    assert contact.resultant[-1] == pytest.approx((0, 0, 4.0 * G))
    at = contact.places[-1][contact.active[-1]][0]
    assert at == pytest.approx((0, 0, edge), abs=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_spheres_that_strike_obliquely_leave_as_rigid_impact_says(method):
    e = 0.6
    model = cd.Model("strike", dimension=3)
    centre = np.array([0.2 * np.cos(0.5) + 0.011, 0.2 * np.sin(0.5), 0.0])
    one = model.add(cd.RigidBody.ball("one", 0.1, 1000.0, velocity=(2.0, 0, 0)))
    two = model.add(cd.RigidBody.ball("two", 0.1, 3000.0, position=tuple(centre)))
    model.add(cd.Contact("hit", two, cd.Sphere(0.1), one, cd.Sphere(0.1), law=cd.Impact(e)))
    result = cd.simulate(model, end=0.02, dt=0.002, integrator=method)
    n = np.array([np.cos(0.5), np.sin(0.5), 0.0])
    # The line of centres at the instant of touching: the first ball has come 0.011 m nearer.
    m1, m2 = 1.0, 3.0
    p = (1 + e) * m1 * m2 / (m1 + m2) * 2.0 * n[0]
    scale = 4.0 / 3.0 * np.pi * 0.1**3 * 1000.0
    after = result.velocity("two")[-1]
    assert after == pytest.approx(p * n / m2, rel=0.02, abs=0.01)
    total = scale * (result.velocity("one")[-1] * m1 + after * m2)
    assert total == pytest.approx(scale * np.array([2.0, 0, 0]), abs=1e-9)


def test_energy_is_kept_when_ellipsoids_meet_with_an_elastic_law():
    model = cd.Model("elastic", dimension=3)
    one = model.add(
        cd.RigidBody("one", 1.0, inertia=(0.02, 0.03, 0.04), velocity=(1.0, 0.1, 0), angular_velocity=(1, 2, 3))
    )
    two = model.add(cd.RigidBody("two", 2.0, inertia=(0.06, 0.05, 0.04), position=(0.6, 0.05, 0.02)))
    law = cd.SpringDashpot(2e4, damping=0.0)
    model.add(cd.Contact("hit", two, cd.Ellipsoid((0.3, 0.2, 0.2)), one, cd.Ellipsoid((0.2, 0.25, 0.3)), law=law))
    result = cd.simulate(model, end=0.5, dt=0.002)
    assert result.contact("hit").active.any() and not result.contact("hit").active[-1].any()
    energy = result.energy["total"]
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]
    for name in ("linear_momentum", "angular_momentum"):
        kept = getattr(result, name)
        assert np.abs(kept - kept[0]).max() < 1e-9 * np.abs(kept[0]).max()


def test_a_disk_and_a_rectangle_roll_and_stand_in_the_plane():
    model = cd.Model("flat", dimension=2, gravity=(0, -G))
    block = model.add(cd.RigidBody.box("block", (0.4, 0.2), 500.0, position=(0, 0.1)))
    disk = model.add(cd.RigidBody.disk("disk", 0.1, 500.0, position=(-0.1, 0.3), velocity=(0.1, 0)))
    model.add(cd.Contact("floor", block, cd.Box((0.4, 0.2)), model.ground, cd.Plane((0, 1)), friction=0.8))
    model.add(cd.Contact("roll", disk, cd.Sphere(0.1), block, cd.Box((0.4, 0.2)), friction=0.8))
    result = cd.simulate(model, end=0.5, dt=0.005)
    assert result.contact("floor").active[-1].sum() == 2
    assert result.velocity("disk")[-1, 0] == pytest.approx(0.1 * 2.0 / 3.0, abs=1e-3)
    assert np.abs(result.position("block")[-1] - (0, 0.1)).max() < 1e-9


def test_the_same_in_millimetres():
    def run(mm: float) -> np.ndarray:
        body = cd.RigidBody(
            "egg",
            1.0,
            inertia=tuple(mm * mm * np.array([0.01, 0.02, 0.03])),
            position=(0, 0, 0.3 * mm),
            rotation=(0.3, 0.2, 0),
        )
        model = cd.Model("drop", dimension=3, gravity=(0, 0, -G * mm))
        model.add(body)
        shape = cd.Ellipsoid((0.2 * mm, 0.15 * mm, 0.1 * mm))
        model.add(cd.Contact("floor", body, shape, model.ground, cd.Plane((0, 0, 1)), law=cd.Impact(0.4), friction=0.3))
        return cd.simulate(model, end=0.4, dt=0.004).position("egg") / mm

    assert run(1000.0) == pytest.approx(run(1.0), abs=1e-7)


def test_a_run_of_shapes_goes_on_bit_for_bit(tmp_path):
    box = cd.RigidBody.box("box", (0.4, 0.3, 0.2), 500.0, position=(0, 0, 0.2), rotation=(0.1, 0.2, 0.0))
    model = on_floor(box, cd.Box((0.4, 0.3, 0.2)), friction=0.5, law=cd.Impact(0.3))
    whole = cd.simulate(model, end=0.3, dt=0.005)
    cd.simulate(model, end=0.15, dt=0.005, file=tmp_path / "part.h5")
    again = cd.resume(tmp_path / "part.h5", end=0.3)
    assert np.array_equal(again.position("box"), whole.position("box"))
    assert np.array_equal(again.contact("floor").force, whole.contact("floor").force)


def test_friction_turns_balls_around_points():
    def rolled(surface, **options) -> cd.Result:
        body = cd.RigidBody.ball("ball", 0.1, 1000.0, position=(0, 0, 0.1), velocity=(1.0, 0, 0))
        model = cd.Model("balls", dimension=3, gravity=(0, 0, -G))
        model.add(body)
        model.add(cd.Contact("floor", body, surface, model.ground, cd.Plane((0, 0, 1)), friction=0.3, **options))
        return cd.simulate(model, end=0.15, dt=0.005)

    ball, shape = rolled([(0, 0, 0)], radius=0.1), rolled(cd.Sphere(0.1))
    assert np.array_equal(ball.velocity("ball"), shape.velocity("ball"))
    assert ball.velocity("ball")[-1, 0] == pytest.approx(5.0 / 7.0, abs=1e-3)
    model = cd.Model("particle", dimension=3)
    particle = model.add(cd.PointMass("particle", 1.0, (0, 0, 0.1)))
    model.add(cd.Contact("floor", particle, "nodes", model.ground, cd.Plane((0, 0, 1)), friction=0.3, radius=0.1))
    with pytest.raises(cd.InputError, match="which cannot turn"):
        cd.compile(model)


def test_a_dumbbell_of_two_spheres_stands_on_both():
    body = cd.RigidBody("dumbbell", 2.0, inertia=(0.01, 0.1, 0.1), position=(0, 0, 0.1))
    spheres = [cd.Sphere(0.1, (-0.3, 0, 0)), cd.Sphere(0.1, (0.3, 0, 0))]
    result = cd.simulate(on_floor(body, spheres, friction=0.3), end=0.1, dt=0.01)
    assert result.contact("floor").normal_force[-1] == pytest.approx((G, G))


@pytest.mark.parametrize(
    ("surface", "shape", "words"),
    [
        (cd.Torus(0.3, 0.1, (0, 0, 1)), cd.Plane((0, 0, 1)), "Torus cannot meet another shape"),
        (cd.Sphere(0.1), cd.Sphere(1.0, inside=True), "cavity"),
        (cd.Cylinder(0.1, (0, 0, 1)), cd.Plane((0, 0, 1)), "without length"),
        (cd.Plane((0, 0, -1)), cd.Plane((0, 0, 1)), "two planes"),
    ],
)
def test_shapes_that_cannot_meet_say_why(surface, shape, words):
    model = cd.Model("wrong", dimension=3)
    body = model.add(cd.RigidBody("body", 1.0, inertia=(1, 1, 1)))
    model.add(cd.Contact("touch", body, surface, model.ground, shape))
    with pytest.raises(cd.InputError, match=words):
        cd.compile(model)


def test_a_ball_rolls_over_the_edge_of_a_mesh_as_over_that_of_a_box():
    """A mesh counts as flat in the matrix, over its edges too: more iterations there, and the same motion."""
    corners = np.array([(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    found = []
    for shape in (cd.Box((0.6, 0.6, 0.6)), cd.FacetSurface(corners, triangles)):
        model = cd.Model("edge", dimension=3, gravity=(0, 0, -G))
        start = {"position": (0.18, 0.02, 0.4), "velocity": (1.0, 0.1, 0.0)}
        ball = model.add(cd.RigidBody.ball("ball", 0.1, 1000.0, **start))
        model.add(cd.Contact("edge", ball, cd.Sphere(0.1), model.ground, shape, friction=0.4))
        result = cd.simulate(model, end=0.3, dt=5e-3)
        found.append((result.position("ball")[-1], int(result.iterations.sum())))
    (there, least), (here, most) = found
    assert here == pytest.approx(there, abs=1e-3)
    assert most < 1.3 * least
