"""Friction of steps at the level of velocities beyond one coefficient, and models of friction chosen pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd

G = 9.81
FEET = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]


def box_on(friction, *, pull=(0.0, 0.0), velocity=(0.0, 0.0, 0.0), model=None) -> cd.Model:
    """A box of 8 kg on four feet, weight along pull too."""
    made = cd.Model("box", dimension=3, gravity=(*pull, -G))
    box = made.add(cd.RigidBody.box("box", (0.2, 0.2, 0.2), 1000.0, position=(0.0, 0.0, 0.1), velocity=velocity))
    made.add(cd.Contact("floor", box, FEET, made.ground, cd.Plane((0, 0, 1)), friction=friction, model=model))
    return made


def run(model, end, dt=0.005, **options):
    return cd.simulate(model, end=end, dt=dt, integrator=cd.Nonsmooth(**options))


@pytest.mark.parametrize("friction", ["cone", "box", "polyhedral", "prox"])
def test_a_belt_takes_a_box_along_until_both_have_the_same_speed(friction):
    result = run(box_on(cd.SurfaceFriction(0.3, velocity=(1.0, 0.0, 0.0))), 0.6, friction=friction)
    speed, t = result.velocity("box")[:, 0], result.times
    expected = np.minimum(0.3 * G * t, 1.0)
    assert speed == pytest.approx(expected, abs=1e-8)
    assert np.abs(result.velocity("box")[:, 1:]).max() < 1e-8


def test_friction_with_two_coefficients_holds_along_one_axis_and_lets_go_across():
    law = cd.SurfaceFriction(0.5, across=0.1, axis=(1.0, 0.0, 0.0))
    along = run(box_on(law, pull=(0.4 * G, 0.0)), 0.2)
    assert np.abs(along.velocity("box")).max() < 1e-9
    across = run(box_on(law, pull=(0.0, 0.4 * G)), 0.2)
    assert across.velocity("box")[-1, 1] == pytest.approx(0.3 * G * 0.2, rel=1e-7)
    turned = run(box_on(cd.SurfaceFriction(0.5, across=0.1, axis=(0.0, 1.0, 0.0)), pull=(0.0, 0.4 * G)), 0.2)
    assert np.abs(turned.velocity("box")).max() < 1e-9


def test_what_is_free_sideways_is_held_along():
    law = cd.SurfaceFriction(0.5, across=0.0, axis=(1.0, 0.0, 0.0))
    result = run(box_on(law, pull=(0.3 * G, 0.2 * G)), 0.2)
    assert result.velocity("box")[-1] == pytest.approx([0.0, 0.2 * G * 0.2, 0.0], abs=1e-8)


def ball(friction, *, dimension=3, tilt=0.0, velocity=None, spin=None) -> cd.Model:
    gravity = (G * np.sin(tilt), 0.0, -G * np.cos(tilt)) if dimension == 3 else (G * np.sin(tilt), -G * np.cos(tilt))
    model = cd.Model("ball", dimension=dimension, gravity=gravity)
    at = (0.0, 0.0, 0.1) if dimension == 3 else (0.0, 0.1)
    still = (0.0,) * dimension
    body = cd.RigidBody.ball(
        "ball", 0.1, 1000.0, position=at, velocity=velocity or still, angular_velocity=spin or still
    )
    model.add(body)
    up = (0, 0, 1) if dimension == 3 else (0, 1)
    model.add(cd.Contact("floor", body, cd.Sphere(0.1), model.ground, cd.Plane(up), friction=friction))
    return model


def test_resistance_to_rolling_stops_a_ball_and_holds_it_on_a_slope():
    lever, inertia = 0.002, 0.4
    rolling = run(ball(cd.SurfaceFriction(0.5, rolling=lever), velocity=(0.5, 0, 0), spin=(0.0, 5.0, 0.0)), 0.3)
    slowing = G * lever / 0.1 / (1.0 + inertia)
    assert rolling.velocity("ball")[-1, 0] == pytest.approx(0.5 - slowing * 0.3, rel=1e-6)
    held = run(ball(cd.SurfaceFriction(0.5, rolling=lever), tilt=0.9 * lever / 0.1), 0.2)
    assert np.abs(held.velocity("ball")).max() < 1e-9
    rolls = run(ball(cd.SurfaceFriction(0.5, rolling=lever), tilt=2.0 * lever / 0.1), 0.2)
    assert rolls.velocity("ball")[-1, 0] > 1e-2


def test_resistance_to_spinning_stops_a_ball_that_turns_on_the_spot():
    lever = 0.005
    result = run(ball(cd.SurfaceFriction(0.5, spinning=lever), spin=(0.0, 0.0, 20.0)), 0.5, dt=0.002)
    slowing = lever * G / (0.4 * 0.1**2)
    omega = result.angular_velocity("ball")[:, 2]
    assert omega == pytest.approx(np.maximum(20.0 - slowing * result.times, 0.0), abs=1e-6)


def test_rolling_resistance_in_the_plane():
    model = cd.Model("disk", dimension=2, gravity=(0.0, -G))
    disk = model.add(
        cd.RigidBody("disk", 2.0, inertia=0.01, position=(0.0, 0.1), velocity=(0.5, 0.0), angular_velocity=-5.0)
    )
    law = cd.SurfaceFriction(0.5, rolling=0.004)
    model.add(cd.Contact("floor", disk, cd.Sphere(0.1), model.ground, cd.Plane((0, 1)), friction=law))
    result = run(model, 0.2, dt=0.002)
    assert result.velocity("disk")[-1, 0] == pytest.approx(0.5 - 2.0 * G * 0.04 / (2.0 + 1.0) * 0.2, rel=1e-6)


def test_bodies_on_one_model_may_have_a_friction_model_each():
    """Two boxes on a slope, one by the exact cone and one by the box of friction, as if each were alone."""

    def two(first, second, **kw):
        model = cd.Model("two", dimension=3, gravity=(3.0, 3.0, -G))
        for k, name in enumerate((first, second)):
            box = model.add(cd.RigidBody.box(f"box {k}", (0.2, 0.2, 0.2), 1000.0, position=(k, 0.0, 0.1)))
            model.add(cd.Contact(f"floor {k}", box, FEET, model.ground, cd.Plane((0, 0, 1)), friction=0.35, model=name))
        return run(model, 0.1, **kw)

    mixed, cone, box = two("cone", "box"), two(None, None), two("box", "box")
    assert mixed.velocity("box 0") == pytest.approx(cone.velocity("box 0"), abs=1e-9)
    assert mixed.velocity("box 1") == pytest.approx(box.velocity("box 1"), abs=1e-9)
    # The cone lets go where the box of friction, whose corners are √2 farther out, still holds.
    assert np.abs(mixed.velocity("box 0")[-1]).max() > 0.05 > 1e-6 > np.abs(mixed.velocity("box 1")[-1]).max()
    default = two(None, "cone", friction="box")
    assert default.velocity("box 0") == pytest.approx(box.velocity("box 0"), abs=1e-9)


def test_two_models_on_one_pair_are_refused():
    model = box_on(0.3, model="box")
    feet = [(0.0, 0.0, -0.1)]
    model.add(cd.Contact("more", "box", feet, model.ground, cd.Plane((0, 0, 1)), friction=0.3, model="prox"))
    with pytest.raises(
        cd.InputError, match=r"'floor' and 'more' are both between 'box' and 'ground'.*'box' and 'prox'"
    ):
        run(model, 0.01)
    group = box_on(0.3)
    group.add(cd.Collisions("all", ["box"], cd.Plane((0, 0, 1)), friction=0.3, model="box"))
    with pytest.raises(cd.InputError, match="give both the same model"):
        run(group, 0.01)


@pytest.mark.parametrize(
    "words, make",
    [
        ("model", lambda: box_on(0.3, model="ice")),
        ("mu must be at least 0", lambda: cd.SurfaceFriction(-0.1)),
        ("across needs an axis", lambda: cd.SurfaceFriction(0.1, across=0.2)),
        ("axis is 'up'", lambda: cd.SurfaceFriction(0.1, axis="up")),
        ("velocity must be a vector", lambda: cd.SurfaceFriction(0.1, velocity=1.0)),
        ("friction must be at least 0", lambda: box_on(-0.3)),
        ("restitution must be between 0", lambda: cd.Impact(1.2)),
        ("restitution must be between 0", lambda: cd.Impact(-0.1)),
        ("Collisions 'all': friction must be at least 0", lambda: sunk_boxes(friction=-0.1)),
        ("PatchContact 'floor': friction must be at least 0", lambda: sunk_cable(friction=-0.1)),
        ("theta", lambda: cd.Nonsmooth(theta=0.3)),
        ("prox_factor", lambda: cd.Nonsmooth(prox_factor=0.0)),
        ("prox_decay", lambda: cd.Nonsmooth(prox_decay=1.5)),
        ("either prox_adaptive or prox_decay", lambda: cd.Nonsmooth(prox_adaptive=True, prox_decay=0.9)),
        ("reach", lambda: cd.Nonsmooth(reach=-1.0)),
        ("sweeps", lambda: cd.Nonsmooth(sweeps=0)),
        ("needs shapes on both bodies", lambda: run(box_on(cd.SurfaceFriction(0.3, rolling=0.01)), 0.01)),
        ("axis='along' is that of a cable", lambda: run(box_on(cd.SurfaceFriction(0.3, axis="along")), 0.01)),
        ("must have 3 components", lambda: run(box_on(cd.SurfaceFriction(0.3, velocity=(1.0, 0.0))), 0.01)),
        (
            "take integrator=Nonsmooth",
            lambda: cd.simulate(box_on(cd.SurfaceFriction(0.3)), end=0.01, dt=0.01, integrator=cd.GeneralizedAlpha()),
        ),
        ("starts 0.05 m inside the target", lambda: run(sunk(), 0.01)),
        ("starts 0.08 m inside the target", lambda: run(sunk_boxes(), 0.01)),
        ("starts 0.07 m inside the target", lambda: run(sunk_cable(), 0.01)),
        ("contact_compliance above 0", lambda: run(box_on(0.3, model="penalty"), 0.01)),
    ],
)
def test_bad_input_is_named(words, make):
    with pytest.raises(cd.InputError, match=words):
        make()


def sunk() -> cd.Model:
    model = cd.Model("sunk", dimension=3)
    box = model.add(cd.RigidBody.box("box", (0.2, 0.2, 0.2), 1000.0, position=(0.0, 0.0, 0.05)))
    model.add(cd.Contact("floor", box, FEET, model.ground, cd.Plane((0, 0, 1)), friction=0.3))
    return model


def sunk_boxes(friction: float = 0.3) -> cd.Model:
    model = cd.Model("sunk", dimension=3)
    boxes = [
        model.add(cd.RigidBody.box(f"box {k}", (0.2, 0.2, 0.2), 1000.0, position=(0, 0, 0.12 * k))) for k in range(2)
    ]
    model.add(cd.Collisions("all", boxes, friction=friction))
    return model


def sunk_cable(friction: float = 0.3) -> cd.Model:
    model = cd.Model("sunk", dimension=3)
    section = cd.RoundSection(0.02, cd.StVenantKirchhoff(1e8, 0.0, 2000.0))
    cable = model.add(cd.Cable("cable", [(0.0, 0.0, -0.05), (1.0, 0.0, -0.05)], 2, section))
    model.add(cd.PatchContact("floor", cable, model.ground, cd.Plane((0, 0, 1)), friction=friction))
    return model


def test_a_soft_law_does_not_take_friction_of_impulses():
    with pytest.raises(cd.InputError, match="which know Hard"):
        model = cd.Model("m", dimension=3)
        body = model.add(cd.RigidBody.ball("ball", 0.1, 1000.0))
        cd.Contact(
            "c",
            body,
            cd.Sphere(0.1),
            model.ground,
            cd.Plane((0, 0, 1)),
            law="penalty",
            friction=cd.SurfaceFriction(0.3),
        )
