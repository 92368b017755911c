"""Equilibrium of rigid bodies that nothing but contact carries: exact forces, shared where more points carry than need to."""

import numpy as np
import pytest

import condyle as cd

WEIGHT = 4.0 * 9.81  # of a cube of 0.2 m and 500 kg/m³
CORNERS = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]


def cube(friction: float, *, shape=None, slope: float = 0.0, above: float = 0.0) -> cd.Model:
    """A cube on a plane that falls along y by an angle."""
    model = cd.Model("cube", dimension=3, gravity=(0, 0, -9.81))
    c, s = np.cos(slope), np.sin(slope)
    turn = np.array([[1, 0, 0], [0, c, s], [0, -s, c]])
    body = model.add(cd.RigidBody.box("cube", (0.2,) * 3, 500.0, position=turn @ (0, 0, 0.1 + above), rotation=turn))
    plane = cd.Plane(tuple(turn @ (0, 0, 1)))
    model.add(
        cd.Contact(
            "floor", body, cd.Box((0.2,) * 3) if shape is None else shape, model.ground, plane, friction=friction
        )
    )
    return model


@pytest.mark.parametrize("friction", (0.0, 0.5))
@pytest.mark.parametrize("shape", (None, CORNERS), ids=["box", "corners"])
@pytest.mark.parametrize("above", (0.0, 1e-3))
def test_a_cube_presses_with_a_quarter_of_its_weight_at_each_corner(friction, shape, above):
    result = cd.solve_static(cube(friction, shape=shape, above=above), steps=1)
    assert result.position("cube")[-1] == pytest.approx((0, 0, 0.1), abs=1e-12)
    assert result.contact("floor").normal_force[-1] == pytest.approx([WEIGHT / 4] * 4, rel=1e-6)


def test_on_a_slope_the_lower_corners_carry_more():
    """Moments about the middle of the base: (N₂ − N₁) a/2 = friction · a/2, with friction = W sin α."""
    slope = 0.3
    contact = cd.solve_static(cube(0.5, slope=slope), steps=2).contact("floor")
    force = np.sort(contact.normal_force[-1])
    assert force.sum() == pytest.approx(WEIGHT * np.cos(slope), rel=1e-9)
    assert force[2:].sum() - force[:2].sum() == pytest.approx(WEIGHT * np.sin(slope), rel=1e-9)
    assert contact.resultant[-1] == pytest.approx((0, 0, WEIGHT), abs=1e-8)


def test_a_stack_of_three_carries_what_is_above():
    model = cd.Model("stack", dimension=3, gravity=(0, 0, -9.81))
    boxes = [
        model.add(cd.RigidBody.box(f"b{k}", (0.2,) * 3, 500.0, position=(0.01 * k, 0, 0.2 * k + 0.1))) for k in range(3)
    ]
    model.add(cd.Collisions("stack", boxes, cd.Plane((0, 0, 1)), friction=0.5))
    contact = cd.solve_static(model, steps=1).contact("stack")
    assert contact.between("b0", "ground")[-1] == pytest.approx((0, 0, 3 * WEIGHT), abs=1e-8)
    assert contact.between("b2", "b1")[-1] == pytest.approx((0, 0, WEIGHT), abs=1e-8)


def test_a_ball_on_a_plane_may_roll_and_rests():
    model = cd.Model("ball", dimension=3, gravity=(0, 0, -9.81))
    ball = model.add(cd.RigidBody.ball("ball", 0.1, 500.0, position=(0, 0, 0.1)))
    model.add(cd.Contact("floor", ball, cd.Sphere(0.1), model.ground, cd.Plane((0, 0, 1)), friction=0.5))
    result = cd.solve_static(model, steps=1)
    assert result.contact("floor").normal_force[-1].sum() == pytest.approx(
        500.0 * 4 / 3 * np.pi * 1e-3 * 9.81, rel=1e-9
    )


@pytest.mark.parametrize("friction", (0.0, 0.2))
def test_what_slides_has_no_equilibrium_and_is_told_so(friction):
    with pytest.raises(cd.ConvergenceError, match="slides or tips"):
        cd.solve_static(cube(friction, slope=0.3), steps=1)
