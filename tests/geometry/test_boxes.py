"""Two boxes have a routine of their own: against convex meshes with the same corners, brute force and what can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from condyle import geometry as g
from rigid_shapes import CUBE, many, random_poses

SIZES = [((1.0, 0.8, 0.6), (0.5, 0.9, 1.1)), ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)), ((2.0, 0.1, 0.5), (0.3, 1.5, 0.2))]


def corners_of(pose: np.ndarray, size: tuple[float, float, float]) -> np.ndarray:
    """Corners of a box in space (8, 3) [m]."""
    return pose[0] + (CUBE * size) @ pose[1:]


def along(axis: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """How far apart corners a and b are along an axis, on the side where they are farther [m]."""
    heights = [np.sort(points @ axis) for points in (a, b)]
    return float(max(heights[1][0] - heights[0][-1], heights[0][0] - heights[1][-1]))


def separation(a: np.ndarray, b: np.ndarray, poses: tuple[np.ndarray, np.ndarray]) -> float:
    """The largest over all fifteen axes [m]: of boxes that overlap the gap, of others a bound of it from below."""
    u, v = poses[0][1:], poses[1][1:]
    axes = [*u, *v, *(np.cross(p, q) for p in u for q in v)]
    lengths = [np.linalg.norm(axis) for axis in axes]
    return max(along(axis / length, a, b) for axis, length in zip(axes, lengths, strict=True) if length > 1e-6)


def asked(size: tuple, poses: np.ndarray) -> tuple[g.ClosestPoints, g.ClosestPoints]:
    """Closest points of pairs of boxes by their own routine, and by that of all convex shapes; poses (2 n, 4, 3)."""
    kinds = ([g.Box(s) for s in size], [g.ConvexMesh(CUBE * s) for s in size])
    first, second = (g.closest_points(*_pairs(*two, poses)) for two in kinds)
    return first, second


def _pairs(a: g.Shape, b: g.Shape, poses: np.ndarray) -> tuple[g.Shapes, np.ndarray, np.ndarray]:
    shapes, pairs = many(a, b, len(poses) // 2)
    return shapes, poses, pairs


def check(own: g.ClosestPoints, k: int, size: tuple, poses: tuple[np.ndarray, np.ndarray]) -> None:
    """Points on both surfaces, a normal along which the boxes are as far apart as is said, no shorter way out."""
    a, b = corners_of(poses[0], size[0]), corners_of(poses[1], size[1])
    assert along(own.normal[k], a, b) == pytest.approx(own.gap[k], abs=1e-8)
    least = separation(a, b, poses)
    assert own.gap[k] >= least - 1e-8
    if own.gap[k] < 0.0:
        assert own.gap[k] == pytest.approx(least, abs=1e-8)
    np.testing.assert_allclose(own.point_b[k] - own.point_a[k], own.gap[k] * own.normal[k], atol=1e-8)
    for pose, half, point in zip(poses, 0.5 * np.array(size), (own.point_a[k], own.point_b[k]), strict=True):
        assert (np.abs(pose[1:] @ (point - pose[0])) - half).max() == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("size", SIZES)
def test_gaps_and_normals_are_those_of_convex_meshes_and_of_brute_force(size: tuple):
    count = 200
    poses = random_poses(np.random.default_rng(3), 2 * count, 0.4)
    own, general = asked(size, poses)
    assert (own.gap < 0.0).sum() > count // 10 and (own.gap > 0.0).sum() > count // 10
    np.testing.assert_allclose(own.gap, general.gap, atol=1e-8)
    for k in range(count):
        check(own, k, size, (poses[k], poses[count + k]))


def turned(axis: int, angle: float) -> np.ndarray:
    """A rotation about an axis of the world."""
    c, s, R = np.cos(angle), np.sin(angle), np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


# The second of two cubes of 1 m, the first of which is at the origin: its place, its rotation, the gap between them.
HALF = np.sqrt(0.5)
MEETING = {
    "corner to corner": ((1.1, 1.2, 1.3), np.eye(3), np.sqrt(0.01 + 0.04 + 0.09)),
    "parallel edges": ((1.3, 0.2, 1.4), np.eye(3), 0.5),
    "parallel edges on edge": ((0.0, 0.3, HALF + 0.6), turned(1, np.pi / 4), 0.1),
    "edge on edge": ((0.1, 0.2, 2 * HALF - 0.01), turned(1, np.pi / 4), None),
    "corner to edge": ((1.2, 0.5 + 1.5 * HALF, 1.1), turned(2, np.pi / 4), None),
    "contained": ((0.05, -0.1, 0.2), turned(2, 0.3), None),
    "in one place": ((0.0, 0.0, 0.0), np.eye(3), -1.0),
    "touching faces": ((0.3, 0.4, 1.0), turned(2, 0.7), 0.0),
    "touching edges": ((1.0, 0.0, 1.0), np.eye(3), 0.0),
    "touching corners": ((1.0, 1.0, 1.0), np.eye(3), 0.0),
    "nearly parallel edges": ((0.0, 0.3, HALF + 0.49), turned(0, 1e-7) @ turned(1, np.pi / 4), -0.01),
}


@pytest.mark.parametrize("name", MEETING)
def test_corners_edges_and_faces_meet_where_they_are(name: str):
    place, rotation, gap = MEETING[name]
    poses = np.stack((g.pose(), g.pose(place, rotation)))
    own, general = asked(((1.0, 1.0, 1.0),) * 2, poses)
    assert own.gap[0] == pytest.approx(general.gap[0], abs=1e-7)
    if gap is not None:
        assert own.gap[0] == pytest.approx(gap, abs=1e-7)
    check(own, 0, ((1.0, 1.0, 1.0),) * 2, (poses[0], poses[1]))


def manifold(a: g.Shape, b: g.Shape, poses: np.ndarray, within: float) -> np.ndarray:
    """Gap, points and normals of two shapes, in the order of their places (k, 10)."""
    found = g.manifolds([a, b], poses, [(0, 1)], within=within, most=8)
    k = found.number[0]
    rows = np.column_stack((found.gap[0, :k], found.point_a[0, :k], found.point_b[0, :k], found.normal[0, :k]))
    return rows[np.lexsort(np.round(rows[:, 1:4], 5).T)]


@pytest.mark.parametrize("gap", [-1e-3, -1e-9, 0.0, 1e-9, 1e-3])
@pytest.mark.parametrize("lean", [0.0, 1e-10, 1e-6, 1e-2])
@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.4, 0.3), (0.7, -0.6)])
def test_a_box_stands_on_the_points_on_which_a_convex_mesh_stands(shift: tuple[float, float], lean: float, gap: float):
    size = (1.0, 1.0, 1.0)
    high = 1.0 + gap + 0.5 * np.sin(lean)
    poses = np.stack((g.pose(), g.pose((*shift, high), turned(2, 0.2) @ turned(0, lean))))
    own, general = (
        manifold(a, b, poses, 0.05) for a, b in ((g.Box(size),) * 2, (g.ConvexMesh(CUBE * np.array(size)),) * 2)
    )
    assert len(own) == len(general) >= 3
    # Which of the two flat sides the points are corners of may differ where they lean towards each other.
    assert np.abs(own - general).max() <= 1e-6 + 2.0 * lean * (1e-3 + lean)


def test_boxes_apart_have_no_points_and_rounded_ones_meet_by_their_margin():
    poses = np.stack((g.pose(), g.pose((0.0, 0.0, 1.2))))
    assert len(manifold(g.Box((1, 1, 1)), g.Box((1, 1, 1)), poses, 0.1)) == 0
    round_ones = manifold(g.Box((1, 1, 1), 0.1), g.Box((1, 1, 1), 0.1), poses, 0.3)
    assert len(round_ones) == 4
    assert round_ones[:, 0] == pytest.approx(0.2)
