"""Which shapes are near each other, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from condyle import InputError
from condyle import geometry as g
from rigid_shapes import ALL, CUBE, CUBE_TRIANGLES, random_poses


def brute_force(shapes: list[g.Shape], poses: np.ndarray, within: float) -> set[tuple[int, int]]:
    pairs = [(i, j) for i in range(len(shapes)) for j in range(i + 1, len(shapes))]
    pairs = [p for p in pairs if not all(isinstance(shapes[k], g.HalfSpace) for k in p)]
    gap = g.closest_points(shapes, poses, pairs).gap
    field = [any(isinstance(shapes[k], g.HeightField) for k in p) for p in pairs]  # its ground goes down for ever
    gap = np.where(field, np.inf, gap)
    return {p for p, near in zip(pairs, gap <= within, strict=True) if near}


def test_no_pair_that_touches_is_missed_and_none_is_named_twice():
    rng = np.random.default_rng(1)
    shapes = [*ALL.values()] * 4
    poses = random_poses(rng, len(shapes), 2.0)
    for within in (0.0, 0.3):
        pairs = [tuple(p) for p in g.near_pairs(shapes, poses, within).tolist()]
        assert len(set(pairs)) == len(pairs) and all(i < j for i, j in pairs)
        assert brute_force(shapes, poses, within) <= set(pairs)


def test_ten_thousand_bodies_and_a_floor():
    """A lattice of balls of diameter 1 at 0.9: each has 6 neighbours, those at the floor touch it too."""
    n = 22
    at = 0.9 * np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) + (0.0, 0.0, 0.45)
    poses = np.tile(g.pose(), (len(at) + 1, 1, 1))
    poses[:-1, 0] = at
    shapes = g.Shapes([*[g.Sphere(0.5)] * len(at), g.HalfSpace()])
    assert len(shapes) > 10000
    pairs = g.near_pairs(shapes, poses)
    ball = len(at)
    found = g.closest_points(shapes, poses, pairs)
    touching = pairs[found.gap < 0.0]
    assert (touching[:, 1] == ball).sum() == n * n
    assert (touching[:, 1] < ball).sum() == 3 * n * n * (n - 1)
    assert len(pairs) < 20 * len(at)


def test_shapes_on_one_body_are_no_pair():
    shapes = g.Shapes([g.Sphere(1.0), g.Sphere(1.0), g.Sphere(1.0)], on=[0, 0, 1])
    assert g.near_pairs(shapes, np.tile(g.pose(), (2, 1, 1))).tolist() == [[0, 2], [1, 2]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: g.Ellipsoid((1.0, 0.0, 1.0)), "Ellipsoid: radii must all be above 0, not 0 m; for a disc"),
        (lambda: g.Sphere(-1.0), "Sphere: radius must be above 0, not -1 m"),
        (lambda: g.Sphere("wide"), "Sphere: radius must be a number"),
        (lambda: g.Cone(1.0, 0.0), "Cone: height must be above 0"),
        (lambda: g.Capsule(1.0, 0.0), "Capsule: length must be above 0"),
        (lambda: g.Box((1.0, 1.0)), "Box: size must be 3 numbers"),
        (lambda: g.Box((1.0, 1.0, 1.0), 0.6), "at least twice the rounding"),
        (
            lambda: g.Superellipsoid((1, 1, 1), (2.5, 1.0)),
            "exponents must all be at least 0.1 and at most 1.9, not 2.5",
        ),
        (lambda: g.HalfSpace((0, 0, 0)), "normal must not be the zero vector"),
        (lambda: g.Sphere(1.0, rotation=2 * np.eye(3)), "rotation matrix is not a proper rotation"),
        (lambda: g.ConvexMesh(CUBE[:4]), "a shape without inside"),
        (lambda: g.TriangleMesh(CUBE, CUBE_TRIANGLES[:-1]), "a shape without inside"),
        (lambda: g.TriangleMesh(CUBE, CUBE_TRIANGLES[:, ::-1]), "normals point inwards"),
        (lambda: g.TriangleMesh(CUBE, CUBE_TRIANGLES + 1), "name vertices from 0 to 7"),
        (lambda: g.TriangleMesh(CUBE, [(0, 0, 1)], solid=False), "has no area"),
        (lambda: g.HeightField(np.zeros((1, 5))), "two rows and two columns"),
        (lambda: g.Shapes([1]), r"shapes\[0\] must be a shape"),
        (lambda: g.closest_points([g.Sphere(1.0)], [g.pose()], [(0, 1)]), "pairs name shapes from 0 to 0"),
        (lambda: g.closest_points([g.HalfSpace()] * 2, [g.pose()] * 2, [(0, 1)]), "two half-spaces"),
        (lambda: g.closest_points([g.Sphere(1.0)] * 2, [g.pose()], [(0, 1)]), r"poses must have shape \(2, 4, 3\)"),
        (lambda: g.closest_points([g.Sphere(1.0)] * 2, [g.pose((np.nan, 0, 0))] * 2, [(0, 1)]), "poses must be finite"),
        (lambda: g.closest_points([g.Sphere(1.0)] * 2, [g.pose()] * 2, [(0, 1)], [(0, 0)]), "normals must have shape"),
    ],
)
def test_bad_input_is_named_with_its_fix(make, message: str):
    with pytest.raises(InputError, match=message):
        make()
