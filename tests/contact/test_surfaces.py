"""Every surface: distance, normal and curvature belong together, and the closest point is the closest one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

import condyle as cd
from condyle.contact.as_numbers import surface_numbers
from condyle.contact.surface import Surface
from condyle.system.touching.surfaces import distance

RNG = np.random.default_rng(7)
CURVE = [(1.0, 0.0), (0.8, 0.9), (0.0, 1.1), (-0.9, 0.7), (-1.2, -0.2), (-0.3, -0.9), (0.6, -0.8)]
PROFILE = [(0.4, -0.6), (0.9, -0.5), (1.1, 0.1), (0.8, 0.7), (0.4, 0.6), (0.3, 0.0)]
CUBE = [(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
QUADS = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
TETRA = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
TILT = (0.3, -0.2, 0.5)
_TURN, _HEIGHT = 2 * np.pi * np.arange(9) / 9, np.linspace(-0.9, 0.9, 5)
TUBE = [[((0.8 + 0.2 * z * z) * np.cos(a), (0.8 + 0.2 * z * z) * np.sin(a), z) for z in _HEIGHT] for a in _TURN]
RING = [
    [((1.0 + 0.4 * np.cos(b)) * np.cos(a), (1.0 + 0.4 * np.cos(b)) * np.sin(a), 0.4 * np.sin(b)) for b in _TURN]
    for a in _TURN
]
WAVE = (
    np.array([(x, y, 0.2 * x * y) for y in (-1.0, 1.0) for x in (-1.0, 0.0, 1.0)]),
    np.array([((1.0, 0.0, 0.3 * x), (0.0, 2.0, 0.2 * x + 0.1)) for y in (-1.0, 1.0) for x in (-1.0, 0.0, 1.0)]),
)


def ball(divisions: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and triangles on the unit sphere: an octahedron whose triangles are divided in four again and again."""
    X = [tuple(v) for v in np.vstack((np.eye(3), -np.eye(3)))]
    F = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    known: dict[tuple[int, int], int] = {}

    def middle(i: int, j: int) -> int:
        key = (min(i, j), max(i, j))
        if key not in known:
            v = np.array(X[i]) + np.array(X[j])
            X.append(tuple(v / np.linalg.norm(v)))
            known[key] = len(X) - 1
        return known[key]

    for _ in range(divisions):
        new: list[tuple[int, int, int]] = []
        for a, b, c in F:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            new += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        F = new
    return np.array(X), np.array(F)


def can(n: int, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """A cylinder of radius 1 and height 1 about z, its wall in n × levels quadrilaterals, with end caps: all in triangles."""
    a = 2.0 * np.pi * np.arange(n) / n
    rings = [np.column_stack((np.cos(a), np.sin(a), np.full(n, z))) for z in np.linspace(-0.5, 0.5, levels + 1)]
    X = np.vstack((*rings, (0.0, 0.0, -0.5), (0.0, 0.0, 0.5)))
    F, top = [], n * levels
    for i in range(n):
        j = (i + 1) % n
        for k in range(0, top, n):
            F += [(k + i, k + j, k + n + j), (k + i, k + n + j, k + n + i)]
        F += [(j, i, len(X) - 2), (top + i, top + j, len(X) - 1)]
    return X, np.array(F)


SURFACES: dict[str, tuple[Surface, int]] = {
    "line": (cd.Plane((1.0, 2.0), (0.3, 0.1)), 2),
    "plane": (cd.Plane((1.0, 2.0, -0.5)), 3),
    "circle": (cd.Sphere(0.8, (0.1, 0.2)), 2),
    "sphere": (cd.Sphere(0.8), 3),
    "socket": (cd.Sphere(1.5, inside=True), 3),
    "long cylinder": (cd.Cylinder(0.7, (1.0, 1.0, 0.2)), 3),
    "cylinder": (cd.Cylinder(0.7, (0.0, 1.0, 0.2), length=1.2), 3),
    "bore": (cd.Cylinder(1.4, (0.0, 0.0, 1.0), inside=True), 3),
    "stadium": (cd.Capsule((-0.5, 0.0), (0.5, 0.3), 0.4), 2),
    "capsule": (cd.Capsule((-0.5, 0.0, 0.1), (0.5, 0.3, 0.0), 0.4), 3),
    "rectangle": (cd.Box((1.0, 1.4), rotation=0.4), 2),
    "box": (cd.Box((1.0, 1.4, 0.8), (0.1, 0.0, 0.0), TILT), 3),
    "round box": (cd.Box((1.0, 1.4, 0.8), rounding=0.2), 3),
    "ellipse": (cd.Ellipsoid((1.2, 0.6), rotation=0.5), 2),
    "ellipsoid": (cd.Ellipsoid((1.2, 0.6, 0.9), rotation=TILT), 3),
    "cone": (cd.Cone(0.9, 1.2, (0.0, 0.3, 1.0)), 3),
    "blunt cone": (cd.Cone(0.9, 1.2, (0.0, 0.3, 1.0), top=0.4), 3),
    "torus": (cd.Torus(1.0, 0.35, (0.2, 0.0, 1.0)), 3),
    "Hermite curve": (cd.HermiteCurve(CURVE), 2),
    "Hermite facet of figure 3.12": (cd.HermiteCurve([(3.5, 3), (2.5, 1), (1.5, 1), (0.5, 2)], 0.5, closed=False), 2),
    "spline": (cd.SplineCurve(CURVE), 2),
    "open spline": (cd.SplineCurve([(1.0, 0.2), (0.4, 0.0), (-0.3, 0.1), (-1.0, 0.0)], closed=False), 2),
    "vase": (cd.Revolution(cd.HermiteCurve(PROFILE), (0.1, 0.2, 1.0), (0.0, 0.1, 0.0)), 3),
    "polygon": (cd.FacetSurface(CURVE, [(k, (k + 1) % 7) for k in range(7)]), 2),
    "tetrahedron": (cd.FacetSurface(TETRA, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]), 3),
    "cube of quadrilaterals": (cd.FacetSurface(CUBE, QUADS), 3),
    "smooth can": (cd.FacetSurface(*can(8, 1), smooth=1.0), 3),
    "smooth egg": (cd.FacetSurface(ball(1)[0] * (1.2, 0.8, 0.9), ball(1)[1], smooth=True), 3),
    "spline tube": (cd.SplineSurface(TUBE, closed=(True, False)), 3),
    "spline ring": (cd.SplineSurface(RING, closed=(True, True)), 3),
    "barrel of a joint": (
        cd.ArticularSurface(
            cd.RevolvedSurface((0.9, 0.1, -0.4), (0, 1, 0), (0, 0, -1), half_width=0.9, angles=(-2.2, 2.2))
        ),
        3,
    ),
    "Hermite patches": (cd.HermiteSurface(WAVE[0], [(0, 1, 4, 3), (1, 2, 5, 4)], WAVE[1]), 3),
}


def away_from_edges(surface: Surface, d: int, count: int = 300) -> np.ndarray:
    """Random points where φ is smooth: its derivatives hardly change over a small step."""
    points = np.random.default_rng(7).uniform(-1.8, 1.8, (count, d))
    here = surface.distance(points)
    keep = np.ones(count, dtype=bool)
    for a in range(d):
        for s in (-1e-2, -1e-4, 1e-4, 1e-2):
            there = surface.distance(points + s * np.eye(d)[a])
            size = 1.0 + np.abs(here.hessian).max(axis=(1, 2))
            keep &= np.abs(there.normal - here.normal).max(axis=1) < 2.0 * abs(s) * size
            keep &= np.abs(there.hessian - here.hessian).max(axis=(1, 2)) < 15.0 * abs(s) * size**2
    keep &= np.abs(here.hessian).max(axis=(1, 2)) < 20.0
    assert keep.sum() > count // 4
    return points[keep]


@pytest.mark.parametrize("name", SURFACES)
def test_the_normal_is_the_gradient_of_the_gap_and_the_hessian_that_of_the_normal(name: str):
    surface, d = SURFACES[name]
    points = away_from_edges(surface, d)
    near = surface.distance(points)
    assert np.allclose(np.linalg.norm(near.normal, axis=1), 1.0, atol=1e-12)
    assert np.abs(near.hessian - np.swapaxes(near.hessian, 1, 2)).max() < 1e-9
    h = 1e-4
    for a in range(d):
        e = h * np.eye(d)[a]
        far, back = surface.distance(points + e), surface.distance(points - e)
        assert np.abs((far.gap - back.gap) / (2 * h) - near.normal[:, a]).max() < 2e-5
        assert np.abs((far.normal - back.normal) / (2 * h) - near.hessian[:, :, a]).max() < 2e-3


@pytest.mark.parametrize("name", SURFACES)
def test_kernels_find_the_same_distance_normal_and_curvature(name: str):
    surface, d = SURFACES[name]
    numbers = surface_numbers(surface, d)
    if numbers is None:
        pytest.skip("left to Python")
    points = away_from_edges(surface, d)
    near = surface.distance(points)
    normal, hessian = np.zeros(d), np.zeros((d, d))
    # The foot on a curved piece is a minimum of the distance, known to the root of round-off, so normals are too.
    curved = d == 3 and any(word in name for word in ("smooth", "spline", "Hermite"))
    turn, bend = (1e-7, 1e-5) if curved else (1e-10, 1e-8)
    for k, point in enumerate(points):
        assert distance(numbers, point, np.zeros(d), normal, hessian) == pytest.approx(near.gap[k], abs=1e-12)
        assert np.abs(normal - near.normal[k]).max() < turn
        assert np.abs(hessian - near.hessian[k]).max() < bend


def test_the_tree_of_facets_finds_the_nearest_of_many():
    nodes, facets = ball(4)
    egg = cd.FacetSurface(nodes * (1.2, 0.8, 0.9), facets)
    numbers = surface_numbers(egg, 3)
    assert numbers is not None
    points = np.random.default_rng(11).uniform(-1.5, 1.5, (300, 3))
    normal, hessian = np.zeros(3), np.zeros((3, 3))
    found = [distance(numbers, point, np.zeros(3), normal, hessian) for point in points]
    np.testing.assert_allclose(found, egg.distance(points).gap, atol=1e-12)


@pytest.mark.parametrize("name", SURFACES)
def test_the_closest_point_lies_on_the_surface_and_no_other_is_closer(name: str):
    surface, d = SURFACES[name]
    rng = np.random.default_rng(3)
    points = rng.uniform(-1.8, 1.8, (120, d))
    gap = surface.distance(points).gap
    feet = surface.closest(points)
    assert np.abs(surface.distance(feet).gap).max() < 1e-9
    assert np.allclose(np.linalg.norm(points - feet, axis=1), np.abs(gap), atol=1e-9)
    others = surface.closest(rng.uniform(-1.8, 1.8, (1500, d)))
    distance = np.linalg.norm(points[:, None] - others[None], axis=2).min(axis=1)
    assert (distance >= np.abs(gap) - 1e-8).all()  # a maximum, or the wrong one of two minima, would be further away
    assert (distance <= np.abs(gap) + 0.5).all()


@pytest.mark.parametrize("name", SURFACES)
def test_the_sign_changes_across_the_surface(name: str):
    surface, d = SURFACES[name]
    points = RNG.uniform(-1.8, 1.8, (300, d))
    feet = surface.closest(points)
    normal = surface.distance(feet).normal
    smooth = np.abs(normal - surface.distance(points).normal).max(axis=1) < 1e-6  # not on an edge
    assert smooth.sum() > 20
    for side in (-1e-6, 1e-6):
        gap = surface.distance(feet + side * normal).gap
        assert np.allclose(gap[smooth], side, rtol=1e-3)


def test_triangles_and_quadrilaterals_together_are_the_same_surface():
    first = QUADS[0]
    both = cd.FacetSurface(CUBE, [*QUADS[1:], tuple(first[:3]), (first[0], first[2], first[3])])
    points = np.random.default_rng(8).uniform(-1.8, 1.8, (200, 3))
    for one, other in zip(both.distance(points), cd.FacetSurface(CUBE, QUADS).distance(points), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    with pytest.raises(cd.InputError, match="a facet in 3D has 3 or 4 nodes, not 5"):
        cd.FacetSurface(CUBE, [*QUADS, (0, 1, 2, 3, 4)])


def test_curvatures_are_those_of_the_formulas():
    assert np.allclose(cd.Sphere(0.5).curvatures([(2.0, 1.0, 0.0)]), [[2.0, 2.0]])
    assert np.allclose(cd.Sphere(0.5, inside=True).curvatures([(0.1, 0.2, 0.1)]), [[-2.0, -2.0]])
    assert np.allclose(cd.Cylinder(0.5, (0, 0, 1)).curvatures([(2.0, 1.0, 0.3)]), [[0.0, 2.0]], atol=1e-12)
    assert np.allclose(cd.Ellipsoid((3.0, 1.0)).curvatures([(5.0, 0.0)]), [[3.0]])
    assert np.allclose(cd.Torus(2.0, 0.5, (0, 0, 1)).curvatures([(1.0, 0.0, 0.0)]), [[-1.0 / 1.5, 2.0]])


def test_the_hermite_curve_passes_its_points_with_the_tangents_of_equation_3_126():
    points = np.array([(3.5, 3.0), (2.5, 1.0), (1.5, 1.0), (0.5, 2.0)])
    for alpha in (0.2, 0.5, 1.0):
        curve = cd.HermiteCurve(points, alpha, closed=False)
        assert np.allclose(curve.distance(points[1:3]).gap, 0.0, atol=1e-12)
        tangent = points[2] - points[0]
        normal = np.array([tangent[1], -tangent[0]]) / np.linalg.norm(tangent)
        assert np.allclose(curve.distance(points[1:2]).normal, normal)


def test_a_smoothed_mesh_has_one_normal_on_both_sides_of_its_edges():
    X, F = ball(1)
    flat, smooth = cd.FacetSurface(X, F), cd.FacetSurface(X, F, smooth=True)
    s = RNG.uniform(0.2, 0.8, (len(F), 1))
    edge = (1.0 - s) * X[F[:, 0]] + s * X[F[:, 1]]
    on = smooth.closest(edge)
    across = np.cross(smooth.distance(on).normal, X[F[:, 1]] - X[F[:, 0]])
    sides = [smooth.distance(on + step * across).normal for step in (-1e-5, 1e-5)]
    assert np.abs(sides[1] - sides[0]).max() < 2e-4
    corners = smooth.distance(X)
    assert np.abs(corners.gap).max() < 1e-12
    assert np.abs(corners.normal - X).max() < 1e-6  # by symmetry those of the sphere
    middles = X[F].mean(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    assert np.abs(smooth.distance(middles).gap).max() < 0.25 * np.abs(flat.distance(middles).gap).max()


def test_a_smoothed_cube_with_a_crease_angle_is_the_cube():
    smooth, exact = cd.FacetSurface(CUBE, QUADS, smooth=0.8), cd.FacetSurface(CUBE, QUADS)
    points = RNG.uniform(-1.5, 1.5, (300, 3)) + np.mean(CUBE, axis=0)
    found, wanted = smooth.distance(points), exact.distance(points)
    assert np.allclose(found.gap, wanted.gap, atol=1e-12)
    outside = wanted.gap > 0.0  # inside, where two faces are equally near, either will do
    assert np.allclose(found.normal[outside], wanted.normal[outside], atol=1e-9)


def test_a_smoothed_can_keeps_its_rims_sharp_and_its_wall_round():
    X, F = can(16, 2)
    smooth, flat = cd.FacetSurface(X, F, smooth=np.radians(60.0)), cd.FacetSurface(X, F)
    exact = cd.Cylinder(1.0, (0.0, 0.0, 1.0), length=1.0)
    angle, z = RNG.uniform(-np.pi, np.pi, 400), RNG.uniform(-0.8, 0.8, 400)
    for radius in (0.8, 1.0, 1.3):
        points = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), z))
        wanted = exact.distance(points)
        miss = [np.abs(s.distance(points).gap - wanted.gap).max() for s in (smooth, flat)]
        assert miss[0] < 0.03 * miss[1]
        out = (wanted.gap > 0.05) & (np.abs(np.abs(z) - 0.5) > 0.02)
        assert np.abs(smooth.distance(points[out]).normal - wanted.normal[out]).max(initial=0.0) < 0.02
    top = smooth.distance(np.column_stack((0.9 * np.cos(angle), 0.9 * np.sin(angle), np.full(400, 0.6))))
    assert np.allclose(top.gap, 0.1, atol=1e-12) and np.allclose(top.normal, (0.0, 0.0, 1.0), atol=1e-9)


def test_no_second_nearest_minimum_is_returned_for_6000_points():
    surface, _ = SURFACES["Hermite patches"]
    points = np.random.default_rng(5).uniform(-1.8, 1.8, (6000, 3))
    made = surface._made
    made._last = None
    u = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 90)] * 2), axis=-1).reshape(-1, 2)
    places = np.einsum("sj,fjd->fsd", made.basis.at(u)[0], made.c).reshape(-1, 3)
    assert (np.abs(surface.distance(points).gap) <= cKDTree(places).query(points)[0] + 1e-9).all()


def test_a_projection_that_starts_from_the_last_one_follows_points_to_the_other_side():
    """From where the foot was, the far side of a ball is a maximum of the distance."""
    surface = cd.FacetSurface(*ball(1), smooth=True)
    points = 1.1 * ball(2)[0] + 1e-3
    fresh = [cd.FacetSurface(*ball(1), smooth=True).distance(p).gap for p in (points, -points)]
    for p, gap in ((points, fresh[0]), (-points, fresh[1]), (points, fresh[0])):
        assert np.allclose(surface.distance(p).gap, gap, atol=1e-12)


def test_hermite_patches_are_the_surface_of_a_bicubic_plate():
    steel = cd.StVenantKirchhoff(1e9, 0.3, 1000.0)
    plate = cd.Plate.surface("p", lambda u, v: (u, v, 0.2 * u * v + 0.3 * u**2), (1.0, 1.0), (2, 2), steel, 0.01)
    surface = cd.HermiteSurface(plate.nodes, plate.cells, plate.gradients, plate.extents)
    u = RNG.uniform(0.1, 0.9, (20, 2))
    on = np.column_stack((u, 0.2 * u[:, 0] * u[:, 1] + 0.3 * u[:, 0] ** 2))
    assert np.abs(surface.distance(on).gap).max() < 1e-6


def test_bad_surfaces_are_refused_with_the_fix():
    for make, words in (
        (lambda: cd.FacetSurface(TETRA, np.zeros((0, 3))), "no facets"),
        (lambda: cd.FacetSurface(TETRA, [(0, 1, 2), (0, 3, 1), (1, 3, 2), (0, 2, 3)]), "turned inwards"),
        (lambda: cd.HermiteCurve(CURVE[::-1]), "counter-clockwise"),
        (lambda: cd.HermiteCurve(CURVE, 1.5), "alpha"),
        (lambda: cd.HermiteCurve(CURVE[:3], closed=False), "at least 4"),
        (lambda: cd.Sphere(-1.0), "radius"),
        (lambda: cd.Box((1.0, 1.0), rounding=0.6), "rounding"),
        (lambda: cd.Torus(0.3, 0.5, (0, 0, 1)), "major"),
        (lambda: cd.Capsule((0, 0), (0, 0), 1.0), "two different points"),
        (lambda: cd.Revolution(cd.Torus(1.0, 0.3, (0, 0, 1)), (0, 0, 1)), "profile"),
        (lambda: cd.SplineCurve([(0, 0), (0, 0), (1, 1)]), "coincide"),
        (lambda: cd.FacetSurface(CUBE, QUADS, smooth=True), "sharp edge"),
        (lambda: cd.FacetSurface(CUBE, QUADS, smooth=2.0), "sharp edge"),
        (lambda: cd.FacetSurface(CUBE, QUADS, smooth=-0.1), "smooth must be above 0"),
        (lambda: cd.FacetSurface(CUBE, QUADS, smooth=4.0), "crease angle up to π"),
        (lambda: cd.FacetSurface(CURVE, [(k, (k + 1) % 7) for k in range(7)], smooth=True), "HermiteCurve"),
        (lambda: cd.SplineSurface(np.zeros((2, 4, 3))), "at least 3 × 3"),
        (lambda: cd.SplineSurface(np.zeros((4, 4, 3))), "coincide"),
        (lambda: cd.HermiteSurface(WAVE[0], [(0, 1, 4, 9)], WAVE[1]), "refers to node 9"),
        (lambda: cd.HermiteSurface(WAVE[0], [(0, 1, 4, 3)], WAVE[1][:, :1]), "gradients"),
    ):
        with pytest.raises(cd.InputError, match=words):
            make()
