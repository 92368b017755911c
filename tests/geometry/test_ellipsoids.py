"""Ellipsoids against independent methods: sampling, the overlap test of quadrics, the gradient walk, line geometry,
Bézout's resultant."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import root
from scipy.spatial import cKDTree

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


def quadrics(poses, n: int, k: int):
    """Both quadrics of a pair (4, 4), less than 0 inside."""
    return ellipsoid_quadric(poses[k], RADII[0]), ellipsoid_quadric(poses[n + k], RADII[1])


def centre_of(Q) -> np.ndarray:
    return np.linalg.solve(Q[:3, :3], -Q[:3, 3])


def on_surface(Q, ways) -> np.ndarray:
    """Where rays (n, 3) from the centre of a quadric meet it, by its equation alone."""
    c = centre_of(Q)
    level = -(c @ Q[:3, :3] @ c + 2.0 * c @ Q[:3, 3] + Q[3, 3])
    return c + ways * np.sqrt(level / np.einsum("ni,ij,nj->n", ways, Q[:3, :3], ways))[:, None]


def value_of(Q, points) -> np.ndarray:
    X = np.column_stack((points, np.ones(len(points))))
    return np.einsum("ni,ij,nj->n", X, Q, X)


def test_no_two_points_of_the_surfaces_are_closer_and_no_shorter_way_leads_out():
    """Points of both surfaces in pairs: the nearest two where they are apart; where they overlap, the least extent
    of both clouds along any direction."""
    poses, found = pairs_of_ellipsoids(30, 0.7, seed=8)
    assert min((found.gap > 0.05).sum(), (found.gap < -0.05).sum()) > 8
    ways = directions(4000)
    for k in range(30):
        clouds = [on_surface(Q, ways) for Q in quadrics(poses, 30, k)]
        if found.gap[k] > 0.0:
            nearest = cKDTree(clouds[0]).query(clouds[1])[0].min()
            assert found.gap[k] - 1e-9 <= nearest <= found.gap[k] + 5e-3 / max(found.gap[k], 0.1)
        else:
            inside = value_of(quadrics(poses, 30, k)[1], clouds[0]).min()
            assert inside < 0.0 or found.gap[k] > -1e-3
            out = min(float((clouds[0] @ n).max() - (clouds[1] @ n).min()) for n in directions(1500))
            assert -found.gap[k] - 5e-3 <= out <= -found.gap[k] + 2e-2


def lowest_on(Q0, Q1, start) -> tuple[np.ndarray, float]:
    """Where Q1 is least on Q0 = 0, and that value.

    dX/dt = −[∇Q1 − (∇Q1·∇Q0)/|∇Q0|² ∇Q0], in steps put back onto the surface along the ray from its centre.
    """
    A, c = Q0[:3, :3], centre_of(Q0)  # of both, as they are made here, Q = (x − c)ᵀ A (x − c) − 1
    B, d = Q1[:3, :3], centre_of(Q1) - c

    def put_back(x: np.ndarray) -> tuple[np.ndarray, float]:
        x = x / np.sqrt(x @ A @ x)
        return x, (x - d) @ B @ (x - d) - 1.0

    pace = 0.1
    x, level = put_back(start)
    for _ in range(2000):
        across, slope = A @ x, 2.0 * B @ (x - d)
        along = slope - (slope @ across) / (across @ across) * across
        if along @ along < 1e-16:
            break
        after, lower = put_back(x - pace * along)
        if lower <= level:
            x, level, pace = after, lower, 1.2 * pace
        else:
            pace *= 0.5
    return x + c, float(level)


def test_a_gradient_walk_tells_overlap_and_where_a_grown_ellipsoid_touches():
    """The walk over one surface down the other quadric ends at the point at which the other, grown or shrunk to that
    level, would touch; it is above 0 if and only if both are apart."""
    n = 20
    poses, found = pairs_of_ellipsoids(n, 0.7, seed=4)
    assert 5 < (found.gap > 0.0).sum() < 15
    touched = 0
    for k in range(n):
        Q0, Q1 = quadrics(poses, n, k)
        x, level = min(
            (lowest_on(Q0, Q1, way) for way in (centre_of(Q1) - centre_of(Q0), *directions(4))), key=lambda end: end[1]
        )
        assert abs(value_of(Q0, x[None])[0]) < 1e-9 and value_of(Q1, x[None])[0] == pytest.approx(level, abs=1e-9)
        assert (level > 0.0) == (found.gap[k] > 0.0)
        if value_of(Q0, centre_of(Q1)[None])[0] > 0.0:  # the centre is outside: shrunk, it touches from there
            touched += found.gap[k] < 0.0
            grown = g.Ellipsoid(RADII[1] * np.sqrt(1.0 + level))
            touching = g.closest_points([g.Ellipsoid(RADII[0]), grown], poses[[k, n + k]], [(0, 1)])
            assert touching.gap[0] == pytest.approx(0.0, abs=1e-9)
            assert touching.point_a[0] == pytest.approx(x, abs=1e-5)
    assert touched > 3


def test_the_common_normal_of_line_geometry_is_the_normal():
    """Two equations in the two angles of n: the points with the normals n and −n lie above each other along n."""
    n = 40
    poses, found = pairs_of_ellipsoids(n, 0.7, seed=5)
    assert 8 < (found.gap > 0.0).sum() < 32
    for k in range(n):
        (Q0, c0), (Q1, c1) = ((np.linalg.inv(Q[:3, :3]), centre_of(Q)) for Q in quadrics(poses, n, k))

        def lines(angles, Q0=Q0, Q1=Q1, c0=c0, c1=c1):
            (t, f) = angles
            normal = np.array((np.sin(t) * np.cos(f), np.sin(t) * np.sin(f), np.cos(t)))
            ways = np.array(((np.cos(t) * np.cos(f), np.cos(t) * np.sin(f), -np.sin(t)), (-np.sin(f), np.cos(f), 0.0)))
            places = [c + s * Q @ normal / np.sqrt(normal @ Q @ normal) for Q, c, s in ((Q0, c0, 1.0), (Q1, c1, -1.0))]
            return ways @ (places[1] - places[0]), normal, places

        best = None
        for start in directions(30):
            solved = root(lambda a: lines(a)[0], (np.arccos(start[2]), np.arctan2(start[1], start[0])), tol=1e-12)
            _, normal, places = lines(solved.x)
            gap = normal @ (places[1] - places[0])
            if np.abs(solved.fun).max() < 1e-9 and (best is None or gap > best[0]):
                best = gap, normal, places
        assert best is not None
        assert found.gap[k] == pytest.approx(best[0], abs=1e-9)
        assert found.normal[k] == pytest.approx(best[1], abs=1e-6)
        assert found.point_a[k] == pytest.approx(best[2][0], abs=1e-6)
        assert found.point_b[k] == pytest.approx(best[2][1], abs=1e-6)


def resultant_of(quadrics, x: float, y: float):
    """Bézout's resultant of both quadrics as quadratics in z over a place (x, y), and their common root."""
    at = np.array([x, y, 0.0, 1.0])
    a, b = ((Q[2, 2], 2.0 * Q[2] @ at, at @ Q @ at) for Q in quadrics)
    ends = a[0] * b[2] - a[2] * b[0]
    middle = a[1] * b[0] - a[0] * b[1]
    return -middle * (a[1] * b[2] - a[2] * b[1]) - ends**2, ends / middle


def test_bezout_finds_the_one_point_that_touching_quadrics_share():
    """Moved until they touch, the quadrics share one point: over it, and nowhere around it, the resultant vanishes."""
    poses, found = pairs_of_ellipsoids(20, 1.0, seed=6)
    poses[20:, 0] -= found.gap[:, None] * found.normal
    ring = 1e-2 * np.column_stack((np.cos(np.arange(24) * np.pi / 12), np.sin(np.arange(24) * np.pi / 12)))
    for k in range(20):
        both = quadrics(poses, 20, k)
        x, y, z = found.point_a[k]
        here, root_here = resultant_of(both, x, y)
        around = np.array([resultant_of(both, x + u, y + v)[0] for u, v in ring])
        assert (around > 0.0).all() or (around < 0.0).all()
        assert abs(here) < 1e-9 * np.abs(around).min()
        assert root_here == pytest.approx(z, abs=1e-6)


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
