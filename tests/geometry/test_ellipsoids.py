"""Ellipsoids against independent methods: sampling, the overlap test of quadrics, the gradient walk, line geometry,
Bézout's resultant."""

from __future__ import annotations

import numpy as np
import pytest

from condyle import geometry as g
from rigid_shapes import directions, ellipsoid_matrix, ellipsoid_quadric, many, random_poses

RADII = (np.array([1.0, 0.6, 0.3]), np.array([0.7, 0.5, 0.9]))


def pairs_of_ellipsoids(n: int, spread: float, radii=RADII, seed: int = 1):
    shapes, pairs = many(g.Ellipsoid(radii[0]), g.Ellipsoid(radii[1]), n)
    poses = random_poses(np.random.default_rng(seed), 2 * n, spread)
    return poses, g.closest_points(shapes, poses, pairs)


def best_of_directions(poses, n: int, k: int, radii=RADII, count: int = 20000) -> float:
    """max over sampled n of n·d − h_A − h_B."""
    N = directions(count)
    A, B = ellipsoid_matrix(poses[k], radii[0]), ellipsoid_matrix(poses[n + k], radii[1])
    d = poses[n + k, 0] - poses[k, 0]
    heights = sum(np.sqrt(np.einsum("ni,ij,nj->n", N, M, N)) for M in (A, B))
    return float((N @ d - heights).max())


@pytest.mark.parametrize("spread", [2.0, 0.5, 0.05])
@pytest.mark.parametrize(
    "radii",
    [
        RADII,
        (np.array([1.0, 1.0, 1.0]), np.array([0.5, 0.5, 0.5 + 1e-9])),
        (np.array([1.0, 0.8, 0.01]), np.array([0.02, 1.0, 1.5])),
    ],
    ids=["general", "sphere-like", "flat"],
)
def test_no_direction_has_a_larger_gap(spread: float, radii):
    poses, found = pairs_of_ellipsoids(40, spread, radii)
    for k in range(40):
        sampled = best_of_directions(poses, 40, k, radii)
        assert found.gap[k] >= sampled - 1e-9
        assert found.gap[k] <= sampled + 2e-2  # the sample is 1° dense


def test_the_characteristic_polynomial_tells_which_overlap():
    """f(λ) = det(λ A + B) has two positive roots if and only if the two are apart."""
    poses, found = pairs_of_ellipsoids(200, 0.9)
    assert 20 < (found.gap > 0).sum() < 180
    for k in range(200):
        A, B = (ellipsoid_quadric(poses[i], r) for i, r in ((k, RADII[0]), (200 + k, RADII[1])))
        roots = np.linalg.eigvals(-np.linalg.solve(A, B))
        positive = ((roots.real > 0.0) & (np.abs(roots.imag) < 1e-9 * np.abs(roots.real))).sum()
        if abs(found.gap[k]) > 1e-6:
            assert (positive == 2) == (found.gap[k] > 0.0)


def test_the_points_lie_on_both_surfaces_and_share_a_normal():
    """Line geometry: the line of the closest points is a normal of both."""
    poses, found = pairs_of_ellipsoids(100, 1.0)
    for points, start, radii, sign in ((found.point_a, 0, RADII[0], 1.0), (found.point_b, 100, RADII[1], -1.0)):
        for k in range(100):
            Q = ellipsoid_quadric(poses[start + k], radii)
            X = np.append(points[k], 1.0)
            assert pytest.approx(0.0, abs=1e-9) == X @ Q @ X
            normal = (Q @ X)[:3]
            assert normal / np.linalg.norm(normal) == pytest.approx(sign * found.normal[k], abs=1e-7)


def test_a_separating_plane_from_an_affine_map_separates_but_has_another_distance():
    """Where one ellipsoid is a sphere, the plane square to its nearest point is between both, and so it is mapped back; but
    the map changes lengths, so that the room on both sides of that plane is less than the gap."""
    poses, found = pairs_of_ellipsoids(40, 2.0, seed=3)
    apart = np.flatnonzero(found.gap > 0.05)
    assert apart.size > 10
    less = 0
    for k in apart:
        A, B = ellipsoid_matrix(poses[k], RADII[0]), ellipsoid_matrix(poses[40 + k], RADII[1])
        root = np.linalg.cholesky(A)  # x = c + root y: A is the unit sphere of y
        inward = np.linalg.inv(root)
        offset = inward @ (poses[40 + k, 0] - poses[k, 0])
        mapped = inward @ B @ inward.T
        radii, axes = np.linalg.eigh(mapped)
        other = g.closest_points(
            [g.Sphere(1.0), g.Ellipsoid(np.sqrt(radii), rotation=axes * np.sign(np.linalg.det(axes)))],
            np.stack((g.pose((0, 0, 0)), g.pose(offset))), [(0, 1)],
        )  # fmt: skip
        assert other.gap[0] > 0.0  # what is apart stays apart
        normal = inward.T @ other.normal[0]
        normal /= np.linalg.norm(normal)
        room = normal @ (poses[40 + k, 0] - poses[k, 0]) - sum(np.sqrt(normal @ M @ normal) for M in (A, B))
        assert 0.0 < room <= found.gap[k] + 1e-9
        less += room < 0.99 * found.gap[k]
    assert less > 0.5 * apart.size


def test_a_gradient_walk_ends_at_the_same_distance():
    """Step by step over one surface towards the other, whose distance a sphere of radius 0 measures."""
    poses, found = pairs_of_ellipsoids(5, 2.5, seed=4)
    for k in np.flatnonzero(found.gap > 0.1):
        M = ellipsoid_matrix(poses[k], RADII[0])
        c, x = poses[k, 0], poses[5 + k, 0] - poses[k, 0]
        gap = np.inf
        for _ in range(400):
            point = c + x / np.sqrt(x @ np.linalg.solve(M, x))
            other = g.closest_points(
                [g.Ellipsoid(RADII[1]), g.Sphere(1e-9)], np.stack((poses[5 + k], g.pose(point))), [(0, 1)]
            )
            gap = other.gap[0]
            out = np.linalg.solve(M, point - c)
            out /= np.linalg.norm(out)
            along = other.normal[0] - (other.normal[0] @ out) * out
            x = point - c - 0.1 * along
        assert gap == pytest.approx(found.gap[k], abs=1e-6)


def test_bezout_finds_the_touching_point():
    """Moved until they touch, the quadrics share one point: the resultant of two quadratics in z vanishes there."""
    poses, found = pairs_of_ellipsoids(20, 1.0, seed=6)
    poses[20:, 0] -= found.gap[:, None] * found.normal
    for k in range(20):
        x, y, z = found.point_a[k]
        a, b = (
            (Q[2, 2], 2 * (Q[0, 2] * x + Q[1, 2] * y + Q[2, 3]), np.array([x, y, 0, 1]) @ Q @ np.array([x, y, 0, 1]))
            for Q in (ellipsoid_quadric(poses[k], RADII[0]), ellipsoid_quadric(poses[20 + k], RADII[1]))
        )
        resultant = (a[0] * b[1] - a[1] * b[0]) * (a[1] * b[2] - a[2] * b[1]) - (a[0] * b[2] - a[2] * b[0]) ** 2
        size = max(np.abs(a).max(), np.abs(b).max()) ** 4
        assert resultant == pytest.approx(0.0, abs=1e-9 * size)
        if abs(a[1] * b[0] - a[0] * b[1]) > 1e-3 * size**0.5:
            assert (a[0] * b[2] - a[2] * b[0]) / (a[1] * b[0] - a[0] * b[1]) == pytest.approx(z, abs=1e-5)


def test_an_ellipsoid_over_a_plane_has_the_corrected_closed_form():
    """d = (n·c + n₀ − √(Σ a² k̃²)) / |k| with the plane in body axes."""
    rng = np.random.default_rng(3)
    plane = np.array([0.3, -0.5, 0.8])
    poses = random_poses(rng, 51, 2.0)
    poses[50] = g.pose()
    shapes = [g.Ellipsoid(RADII[0])] * 50 + [g.HalfSpace(plane, centre=(0.0, 0.0, 0.25))]
    found = g.closest_points(shapes, poses, [(k, 50) for k in range(50)])
    local = np.einsum("nki,i->nk", poses[:50, 1:], plane)
    n0 = -0.25 * plane[2]
    wanted = (poses[:50, 0] @ plane + n0 - np.sqrt((RADII[0] ** 2 * local**2).sum(axis=1))) / np.linalg.norm(plane)
    assert found.gap == pytest.approx(wanted, abs=1e-12)
    assert found.normal == pytest.approx(np.tile(-plane / np.linalg.norm(plane), (50, 1)))


@pytest.mark.parametrize("radii", [(1.0, 1.0, 1.0), (1.0, 0.6, 0.3), (1.0, 1.0, 1e-3)])
def test_concentric_contained_and_touching(radii):
    a = g.Ellipsoid(radii)
    small = g.Ellipsoid(np.multiply(radii, 0.1))
    at = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.1 * radii[2]), (1.1 * radii[0], 0.0, 0.0)]
    poses = np.stack([g.pose(), *map(g.pose, at)])
    found = g.closest_points([a, small, small, small], poses, [(0, 1), (0, 2), (0, 3)])
    assert found.gap[0] == pytest.approx(-1.1 * min(radii))
    assert found.gap[1:] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_many_pairs_take_the_same_answers_from_their_normals():
    shapes, pairs = many(g.Ellipsoid(RADII[0]), g.Ellipsoid(RADII[1]), 500)
    poses = random_poses(np.random.default_rng(9), 1000, 0.8)
    cold = g.closest_points(shapes, poses, pairs)
    assert g.closest_points(shapes, poses, pairs, cold.normal).gap == pytest.approx(cold.gap, abs=1e-12)
