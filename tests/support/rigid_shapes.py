"""Shapes of every kind, random poses, and answers by brute force, for the tests of condyle.geometry."""

from __future__ import annotations

import numpy as np

from condyle import geometry as g

CUBE = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
CUBE_TRIANGLES = np.array([
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1,
    5, 7), (1, 7, 3),
])  # fmt: skip


def _gem() -> np.ndarray:
    points = np.random.default_rng(8).normal(size=(20, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * [1.0, 0.7, 0.5]


CONVEX = {
    "sphere": g.Sphere(0.6),
    "ellipsoid": g.Ellipsoid((1.0, 0.6, 0.3)),
    "superellipsoid": g.Superellipsoid((1.0, 0.6, 0.3), (0.4, 0.7)),
    "capsule": g.Capsule(0.3, 1.0),
    "cylinder": g.Cylinder(0.5, 1.0),
    "cone": g.Cone(0.5, 1.0),
    "frustum": g.Cone(0.5, 1.0, 0.2, centre=(0.1, 0.0, -0.4)),
    "box": g.Box((1.0, 0.8, 0.6)),
    "rounded box": g.Box((1.0, 0.8, 0.6), 0.1),
    "convex mesh": g.ConvexMesh(_gem()),
}
MESHES = {
    "mesh": g.TriangleMesh(CUBE, CUBE_TRIANGLES),
    "height field": g.HeightField(
        0.1 * np.add.outer(np.sin(np.arange(9)), np.cos(np.arange(7))), (0.5, 0.5), centre=(-2.0, -1.5, 0.0)
    ),
    "sheet": g.TriangleMesh(CUBE, CUBE_TRIANGLES[:2], solid=False),
}
ALL = CONVEX | MESHES | {"half-space": g.HalfSpace((0.2, 0.1, 1.0), centre=(0.0, 0.0, -0.3))}


def random_rotations(rng: np.random.Generator, n: int) -> np.ndarray:
    q = rng.normal(size=(n, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
        np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
        np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1),
    ], 1)  # fmt: skip


def random_poses(rng: np.random.Generator, n: int, spread: float) -> np.ndarray:
    """Poses (n, 4, 3), positions normal about the origin [m]."""
    poses = np.empty((n, 4, 3))
    poses[:, 0] = spread * rng.normal(size=(n, 3))
    poses[:, 1:] = random_rotations(rng, n).transpose(0, 2, 1)
    return poses


def many(a: g.Shape, b: g.Shape, n: int) -> tuple[g.Shapes, np.ndarray]:
    """n pairs of the same two shapes."""
    return g.Shapes([a] * n + [b] * n), np.column_stack((np.arange(n), n + np.arange(n)))


def directions(n: int) -> np.ndarray:
    """Directions spread evenly over a sphere, (n, 3)."""
    k = np.arange(n) + 0.5
    height, angle = 1.0 - 2.0 * k / n, np.pi * (1.0 + np.sqrt(5.0)) * k
    across = np.sqrt(1.0 - height**2)
    return np.column_stack((across * np.cos(angle), across * np.sin(angle), height))


def ellipsoid_matrix(pose: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """M = Σ a² d dᵀ."""
    return np.einsum("k,ki,kj->ij", np.asarray(radii) ** 2, pose[1:], pose[1:])


def ellipsoid_quadric(pose: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """The matrix (4, 4) of XᵀAX < 0 inside, X = (x, 1)."""
    B = np.einsum("k,ki,kj->ij", 1.0 / np.asarray(radii) ** 2, pose[1:], pose[1:])
    c = pose[0]
    return np.block([[B, -(B @ c)[:, None]], [-(B @ c)[None, :], np.array([[c @ B @ c - 1.0]])]])
