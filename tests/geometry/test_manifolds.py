"""Contact points: on four where a box stands, on two where edges lie, on one where it is round."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from condyle import InputError, rotation
from condyle import geometry as g
from rigid_shapes import ALL, CUBE, CUBE_TRIANGLES, many, random_poses

GROUND = {
    "half-space": g.HalfSpace(),
    "box": g.Box((6.0, 6.0, 1.0), centre=(0.0, 0.0, -0.5)),
    "convex mesh": g.ConvexMesh(CUBE * (6.0, 6.0, 1.0) - (0.0, 0.0, 0.5)),
    "mesh": g.TriangleMesh(CUBE * (6.0, 6.0, 1.0) - (0.0, 0.0, 0.5), CUBE_TRIANGLES),
    "height field": g.HeightField(np.zeros((13, 13)), (0.5, 0.5), centre=(-3.0, -3.0, 0.0)),
}
STANDING = {
    "box": (g.Box((1.0, 0.8, 0.6)), 0.3, 4),
    "rounded box": (g.Box((1.0, 0.8, 0.6), 0.1), 0.3, 4),
    "cylinder": (g.Cylinder(0.5, 1.0), 0.5, 4),
    "cone": (g.Cone(0.5, 1.0), 0.0, 4),
    "cube of triangles": (g.TriangleMesh(CUBE, CUBE_TRIANGLES), 0.5, 4),
    "convex cube": (g.ConvexMesh(CUBE), 0.5, 4),
    "sphere": (g.Sphere(0.4), 0.4, 1),
    "ellipsoid": (g.Ellipsoid((0.5, 0.4, 0.3)), 0.3, 1),
    "superellipsoid": (g.Superellipsoid((0.5, 0.4, 0.3), (1.0, 1.2)), 0.3, 1),
}
LYING = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # z to x


def stand(ground: g.Shape, shape: g.Shape, pose: np.ndarray, **options) -> g.Manifolds:
    return g.manifolds([ground, shape], np.stack((g.pose(), pose)), [(0, 1)], **options)


@pytest.mark.covering(2)
@pytest.mark.parametrize("gap", [-1e-3, 0.0, 1e-3])
@pytest.mark.parametrize("ground", GROUND)
@pytest.mark.parametrize("name", STANDING)
def test_a_shape_stands_on_as_many_points_as_it_has(name: str, ground: str, gap: float):
    shape, low, count = STANDING[name]
    found = stand(GROUND[ground], shape, g.pose((0.11, 0.07, low + gap)))
    assert found.number[0] == count
    assert found.gap[0, :count] == pytest.approx(gap, abs=1e-9)
    assert found.normal[0, :count] == pytest.approx(np.tile((0.0, 0.0, 1.0), (count, 1)), abs=1e-6)
    if count == 4:  # the corners hold the centre between them
        x = found.point_a[0, :4, :2] - (0.11, 0.07)
        assert all((x @ d).max() > 0.1 for d in ((1, 0), (-1, 0), (0, 1), (0, -1)))


@pytest.mark.parametrize("ground", GROUND)
@pytest.mark.parametrize("exponents", [(0.2, 0.2), (0.1, 0.7), (0.5, 0.5), (0.3, 1.0)])
def test_a_superellipsoid_with_flat_sides_stands_on_corners_of_its_own(exponents: tuple[float, float], ground: str):
    """Its closest point would run from one end to the other as it leans by next to nothing, and no step could be solved."""
    shape = g.Superellipsoid((0.5, 0.4, 0.3), exponents)
    found = stand(GROUND[ground], shape, g.pose((0.11, 0.07, 0.3)))
    assert found.number[0] == 4
    x = found.point_b[0, :4] - (0.11, 0.07, 0.3)
    p, r = 2.0 / exponents[1], 2.0 / exponents[0]
    across = (np.abs(x[:, 0] / 0.5) ** p + np.abs(x[:, 1] / 0.4) ** p) ** (r / p)
    if ground not in ("mesh", "height field"):  # whose triangles cut its flat side
        assert across + np.abs(x[:, 2] / 0.3) ** r == pytest.approx(np.ones(4), abs=1e-9)  # all of them on its surface
    assert all((x[:, :2] @ d).max() > 0.03 for d in ((1, 0), (-1, 0), (0, 1), (0, -1)))
    assert (found.gap[0] >= -1e-12).all() and found.gap[0].max() < 0.004 * 0.5


def test_the_least_gap_of_a_superellipsoid_does_not_jump_as_it_leans_off_its_flat_side():
    shape, angles = g.Superellipsoid((0.5, 0.4, 0.3), (0.3, 0.4)), np.linspace(0.0, 0.05, 1001)
    for axis in ((0, 1, 0), (1, 0, 0), (0.6, 0.8, 0)):
        poses = np.stack([g.pose()] + [g.pose((0, 0, 0.3), rotation(axis=axis, angle=float(a))) for a in angles])
        shapes, pairs = [g.HalfSpace()] + [shape] * angles.size, [(0, 1 + k) for k in range(angles.size)]
        found, closest = g.manifolds(shapes, poses, pairs), g.closest_points(shapes, poses, pairs)
        least = np.where(np.arange(4) < found.number[:, None], found.gap, np.inf).min(axis=1)
        assert set(found.number) > {4}
        assert np.abs(np.diff(least)).max() < 0.7 * 5e-5  # an arm of 0.64 m
        assert 0.0 <= (least - closest.gap).max() < 0.004 * 0.5


@pytest.mark.parametrize("ground", GROUND)
def test_capsules_and_cylinders_lie_on_lines(ground: str):
    for shape in (g.Capsule(0.2, 1.0), g.Cylinder(0.2, 1.0)):
        found = stand(GROUND[ground], shape, g.pose((0.11, 0.07, 0.199), LYING))
        assert found.number[0] >= 2
        ends = found.point_a[0, : found.number[0], 0]
        assert (ends.min(), ends.max()) == pytest.approx((-0.39, 0.61), abs=1e-6)


def test_equal_boxes_shifted_on_both_axes_meet_on_their_common_rectangle():
    box = g.Box((1.0, 1.0, 1.0))
    found = stand(box, box, g.pose((0.4, 0.3, 0.999)))
    assert found.number[0] == 4
    assert sorted(map(tuple, np.round(found.point_a[0, :, :2], 6))) == [
        (-0.1, -0.2),
        (-0.1, 0.5),
        (0.5, -0.2),
        (0.5, 0.5),
    ]


def test_edge_against_edge_is_one_point_between_them():
    half = np.sqrt(0.5)
    over_x = np.array([[1.0, 0.0, 0.0], [0.0, half, -half], [0.0, half, half]])
    over_y = np.array([[half, 0.0, half], [0.0, 1.0, 0.0], [-half, 0.0, half]])
    box = g.Box((1.0, 1.0, 1.0))
    for gap in (0.01, -0.01):
        poses = np.stack((g.pose((0, 0, 0), over_x), g.pose((0.1, 0.05, 2 * half + gap), over_y)))
        found = g.manifolds([box, box], poses, [(0, 1)])
        assert found.number[0] == 1 and found.gap[0, 0] == pytest.approx(gap, abs=1e-9)
        assert found.point_a[0, 0, :2] == pytest.approx(
            (0.1, 0.0), abs=1e-6
        )  # on the edge along x, where that along y crosses
        assert found.normal[0, 0] == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


def test_a_box_a_little_askew_has_four_points_with_gaps_of_their_own():
    angle = 0.01
    askew = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    for ground in GROUND.values():
        found = stand(ground, g.Box((1.0, 1.0, 1.0)), g.pose((0, 0, 0.5), askew))
        assert found.number[0] == 4
        assert np.ptp(found.gap[0]) == pytest.approx(np.sin(angle), rel=0.01)


def test_a_ball_in_a_groove_touches_both_sides():
    x = np.linspace(-1.0, 1.0, 9)
    groove = g.HeightField(np.tile(np.abs(x)[:, None], (1, 9)), (0.25, 0.25), centre=(-1.0, -1.0, 0.0))
    found = stand(groove, g.Sphere(0.5), g.pose((0.0, 0.02, 0.5 * np.sqrt(2.0) - 0.001)), within=0.01)
    sides = {round(float(n[0]), 3) for n in found.normal[0, : found.number[0]]}
    assert {-0.707, 0.707} <= sides


def test_within_leaves_out_what_is_farther_and_most_limits_the_number():
    ground, cylinder = g.HalfSpace(), g.Cylinder(0.5, 1.0)
    assert stand(ground, cylinder, g.pose((0, 0, 0.6)), within=0.05).number[0] == 0
    assert stand(ground, cylinder, g.pose((0, 0, 0.5)), most=12).number[0] == 12
    with pytest.raises(InputError, match="most must be from 1"):
        stand(ground, cylinder, g.pose(), most=0)


def test_contact_points_of_every_pair_are_points_of_both():
    rng = np.random.default_rng(2)
    for a, b in itertools.combinations(ALL, 2):
        shapes, pairs = many(ALL[a], ALL[b], 8)
        poses = random_poses(rng, 16, 0.7)
        closest, found = g.closest_points(shapes, poses, pairs), g.manifolds(shapes, poses, pairs)
        assert (found.number >= 1).all()
        used = np.arange(4)[None, :] < found.number[:, None]
        across = found.point_b - found.point_a - found.gap[..., None] * found.normal
        assert np.abs(across[used]).max() < 1e-8, (a, b)
        least = np.where(used, found.gap, np.inf).min(axis=1)
        assert (least <= closest.gap + 1e-6 + 0.06 * np.abs(closest.gap)).all(), (a, b)
