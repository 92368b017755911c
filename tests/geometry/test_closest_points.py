"""Closest points of all kinds of shapes: they are points of both, the gap is smooth, its gradient is the normal."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from condyle import geometry as g
from rigid_shapes import ALL, CONVEX, CUBE, CUBE_TRIANGLES, MESHES, many, random_poses, random_rotations

PAIRS = [(a, b) for a, b in itertools.combinations_with_replacement(ALL, 2) if (a, b) != ("half-space", "half-space")]
CONVEX_PAIRS = list(itertools.combinations_with_replacement(CONVEX, 2))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_points_gap_and_normal_belong_together_and_do_not_depend_on_the_order(a: str, b: str):
    rng = np.random.default_rng(1)
    for spread in (2.0, 0.5):
        shapes, pairs = many(ALL[a], ALL[b], 20)
        poses = random_poses(rng, 40, spread)
        found = g.closest_points(shapes, poses, pairs)
        assert np.isfinite(np.column_stack(found)).all()
        assert np.linalg.norm(found.normal, axis=1) == pytest.approx(1.0)
        assert found.point_b - found.point_a == pytest.approx(found.gap[:, None] * found.normal, abs=1e-9)
        swapped = g.closest_points(shapes, poses, pairs[:, ::-1])
        sure = found.gap > 0.0 if {a, b} & set(MESHES) else found.gap < np.inf  # out of a mesh there may be two ways
        assert swapped.gap[sure] == pytest.approx(found.gap[sure], abs=1e-8)


@pytest.mark.parametrize(("a", "b"), CONVEX_PAIRS)
def test_the_gap_changes_with_the_velocity_of_the_closest_points_along_the_normal(a: str, b: str):
    """Also through touching: poses apart and overlapping. At most one of 60 may sit where two ways out are equally long."""
    rng, h = np.random.default_rng(2), 1e-5
    shapes, pairs = many(CONVEX[a], CONVEX[b], 60)
    poses = random_poses(rng, 120, 0.6)
    found = g.closest_points(shapes, poses, pairs)
    velocity, spin = rng.normal(size=(120, 3)), rng.normal(size=(120, 3))
    gaps = []
    for step in (h, -h):
        moved = poses.copy()
        moved[:, 0] += step * velocity
        K = np.cross(spin[:, None, :], np.eye(3)[None], axis=2).transpose(0, 2, 1)  # K v = spin × v
        turn = np.eye(3) + step * K + 0.5 * step * step * K @ K
        moved[:, 1:] = np.einsum("nij,nkj->nki", turn, poses[:, 1:])
        gaps.append(g.closest_points(shapes, moved, pairs).gap)
    slope = (gaps[0] - gaps[1]) / (2 * h)
    va, vb = (
        velocity[k] + np.cross(spin[k], point - poses[k, 0])
        for k, point in ((pairs[:, 0], found.point_a), (pairs[:, 1], found.point_b))
    )
    wrong = np.abs(slope - np.einsum("ni,ni->n", vb - va, found.normal)) > 2e-3
    assert wrong.sum() <= 1


@pytest.mark.parametrize(
    ("a", "b"), [("box", "cylinder"), ("ellipsoid", "ellipsoid"), ("cone", "convex mesh"), ("sphere", "mesh")]
)
def test_the_gap_is_continuous_through_touching(a: str, b: str):
    heights = np.linspace(2.0, 0.3, 300)
    shapes, pairs = many(ALL[a], ALL[b], 300)
    poses = np.tile(g.pose(rotation=random_rotations(np.random.default_rng(3), 1)[0]), (600, 1, 1))
    poses[300:, 0] = np.outer(heights, (0.2, 0.3, 0.9))
    gap = g.closest_points(shapes, poses, pairs).gap
    assert gap[0] > 0.0 > gap[-1]
    step = np.abs(np.diff(heights)).max() * np.linalg.norm((0.2, 0.3, 0.9))
    assert np.abs(np.diff(gap)).max() <= step * (1 + 1e-6)


@pytest.mark.parametrize(("a", "b"), CONVEX_PAIRS)
def test_a_move_by_the_depth_along_the_normal_separates_and_half_of_it_does_not(a: str, b: str):
    rng = np.random.default_rng(4)
    shapes, pairs = many(CONVEX[a], CONVEX[b], 30)
    poses = random_poses(rng, 60, 0.25)
    found = g.closest_points(shapes, poses, pairs)
    for share, low, high in ((1.0, -1e-8, 1e-8), (0.5, -np.inf, -1e-6)):
        moved = poses.copy()
        moved[30:, 0] -= share * np.minimum(found.gap, 0.0)[:, None] * found.normal
        deep = found.gap < -1e-5
        gap = g.closest_points(shapes, moved, pairs).gap[deep]
        assert ((low <= gap) & (gap <= high)).all()


def test_closed_forms():
    def gap(a: g.Shape, b: g.Shape, at: tuple[float, float, float]) -> float:
        return float(g.closest_points([a, b], np.stack((g.pose(), g.pose(at))), [(0, 1)]).gap[0])

    assert gap(g.Sphere(1.0), g.Sphere(2.0), (5.0, 0.0, 0.0)) == pytest.approx(2.0)
    assert gap(g.Sphere(1.0), g.Sphere(2.0), (0.0, 0.0, 0.0)) == pytest.approx(-3.0)  # concentric
    assert gap(g.Capsule(0.5, 2.0), g.Capsule(0.5, 2.0), (3.0, 0.0, 0.5)) == pytest.approx(2.0)  # parallel
    assert gap(g.Capsule(0.5, 2.0), g.Capsule(0.5, 2.0), (0.0, 0.0, 0.0)) == pytest.approx(-1.0)  # the same line
    assert gap(g.Box((2, 2, 2)), g.Box((2, 2, 2)), (0.0, 0.0, 0.0)) == pytest.approx(-2.0)  # coincident centres
    assert gap(g.Box((2, 2, 2)), g.Box((1, 1, 1)), (3.0, 3.0, 0.0)) == pytest.approx(np.hypot(1.5, 1.5))
    assert gap(g.Box((2, 2, 2)), g.Box((2, 2, 2)), (2.0, 0.0, 0.0)) == pytest.approx(0.0, abs=1e-12)  # touching
    assert gap(g.Cylinder(1.0, 2.0), g.Cylinder(1.0, 2.0), (0.0, 0.0, 2.5)) == pytest.approx(0.5)
    assert gap(g.Sphere(0.1), g.Cone(1.0, 2.0), (0.0, 0.0, 1.0)) == pytest.approx(0.9)
    assert gap(g.Cone(1.0, 2.0), g.Sphere(0.1), (2.0, 0.0, 1.0)) == pytest.approx(1.5 * 2.0 / np.sqrt(5.0) - 0.1)
    assert gap(g.Box((2, 2, 2)), g.Sphere(0.2), (0.0, 0.0, 0.7)) == pytest.approx(-0.5)  # the centre is inside
    assert gap(g.TriangleMesh(CUBE, CUBE_TRIANGLES), g.Sphere(0.1), (0.0, 0.0, 0.3)) == pytest.approx(-0.3)
    assert gap(g.TriangleMesh(CUBE, CUBE_TRIANGLES), g.Sphere(0.1), (0.6, 0.6, 0.6)) == pytest.approx(
        np.sqrt(0.03) - 0.1
    )
    assert gap(g.TriangleMesh(CUBE, CUBE_TRIANGLES), g.Box((0.1, 0.1, 0.1)), (0.0, 0.0, 0.3)) == pytest.approx(
        -0.25
    )  # contained


@pytest.mark.parametrize("other", CONVEX)
def test_a_mesh_of_a_cube_is_as_far_as_the_box(other: str):
    rng = np.random.default_rng(5)
    poses = random_poses(rng, 60, 1.0)
    gaps = []
    for cube in (g.Box((1.0, 1.0, 1.0)), MESHES["mesh"]):
        shapes, pairs = many(cube, CONVEX[other], 30)
        gaps.append(g.closest_points(shapes, poses, pairs).gap)
    apart = gaps[0] > 0.0
    assert apart.any() and gaps[1][apart] == pytest.approx(gaps[0][apart], abs=1e-8)
    shallow = (gaps[0] < 0.0) & (gaps[0] > -0.05)
    assert (gaps[1][~apart] < 0.0).all() and gaps[1][shallow] == pytest.approx(gaps[0][shallow], abs=1e-6)


def test_two_meshes_and_a_height_field():
    cube = MESHES["mesh"]
    for height, wanted in ((1.3, 0.3), (1.0 - 1e-3, -1e-3)):
        found = g.closest_points([cube, cube], np.stack((g.pose(), g.pose((0.2, 0.1, height)))), [(0, 1)])
        assert found.gap[0] == pytest.approx(wanted, abs=1e-9) and found.normal[0] == pytest.approx(
            (0.0, 0.0, 1.0), abs=1e-9
        )
    flat = g.HeightField(np.zeros((30, 40)), (0.1, 0.1), centre=(-1.5, -2.0, 0.0))
    for shape, low in ((g.Sphere(0.3), 0.3), (g.Box((0.4, 0.4, 0.4)), 0.2), (cube, 0.5), (g.Capsule(0.1, 1.0), 0.6)):
        for height in (0.9, low - 1e-3 if shape is cube else 0.15):
            found = g.closest_points([flat, shape], np.stack((g.pose(), g.pose((0.03, 0.04, height)))), [(0, 1)])
            assert found.gap[0] == pytest.approx(height - low, abs=1e-9)
            assert found.normal[0] == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


def test_a_guess_changes_no_answer_and_units_no_proportion():
    rng = np.random.default_rng(6)
    shapes, pairs = many(CONVEX["box"], CONVEX["ellipsoid"], 40)
    poses = random_poses(rng, 80, 0.8)
    cold = g.closest_points(shapes, poses, pairs)
    warm = g.closest_points(shapes, poses, pairs, cold.normal)
    assert warm.gap == pytest.approx(cold.gap, abs=1e-9)
    small = poses.copy()
    small[:, 0] *= 1e-3
    tiny, _ = many(g.Box((1e-3, 0.8e-3, 0.6e-3)), g.Ellipsoid((1e-3, 0.6e-3, 0.3e-3)), 40)
    assert 1e3 * g.closest_points(tiny, small, pairs).gap == pytest.approx(cold.gap, abs=1e-9)
    far = poses.copy()
    far[:, 0] += (1e4, -2e4, 3e4)
    assert g.closest_points(shapes, far, pairs).gap == pytest.approx(cold.gap, abs=1e-9)


def test_shapes_of_one_body_share_its_pose():
    shapes = g.Shapes([g.Sphere(0.1, centre=(1.0, 0.0, 0.0)), g.Sphere(0.1)], on=[0, 1])
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = g.closest_points(shapes, np.stack((g.pose((0, 0, 0), turned), g.pose((0.0, 2.0, 0.0)))), [(0, 1)])
    assert found.gap[0] == pytest.approx(0.8)


def test_the_same_as_coal():
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(7)
    peers = {
        "sphere": coal.Sphere(0.6), "ellipsoid": coal.Ellipsoid(1.0, 0.6, 0.3), "capsule": coal.Capsule(0.3, 1.0),
        "cylinder": coal.Cylinder(0.5, 1.0), "box": coal.Box(1.0, 0.8, 0.6),
    }  # fmt: skip
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-10
    for a, b in itertools.combinations_with_replacement(peers, 2):
        shapes, pairs = many(CONVEX[a], CONVEX[b], 20)
        poses = random_poses(rng, 40, 3.0)
        found = g.closest_points(shapes, poses, pairs)
        for k, (i, j) in enumerate(pairs):
            if found.gap[k] > 0.01:
                places = [coal.Transform3s(np.ascontiguousarray(poses[m, 1:].T), poses[m, 0]) for m in (i, j)]
                theirs = coal.distance(peers[a], places[0], peers[b], places[1], request, coal.DistanceResult())
                assert found.gap[k] == pytest.approx(theirs, abs=1e-6)
