"""Shapes of triangles: convex hulls, meshes, height fields, and the trees in which kernels look for their triangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.geometry import kinds
from condyle.geometry.shape import Array, Shape, Triangles
from condyle.model.given import Numbers, Vector, Wholes
from condyle.model.quantities import declared, in_mirror, quantity

LEAF = 4  # triangles in a leaf of the tree


@declared
class ConvexMesh(Shape):
    """The convex hull of `vertices` [m], shape (n, 3)."""

    kind = kinds.CONVEX
    vertices: Numbers = quantity("m", shape=(-1, 3))
    mirror = in_mirror(vertices="place")

    def __post_init__(self) -> None:
        super().__post_init__()
        points = np.array(self.vertices)
        from scipy.spatial import ConvexHull, QhullError

        try:
            hull = ConvexHull(points)
        except (QhullError, ValueError):
            raise InputError(
                f"{self.label}: {len(points)} vertices in one plane or line are a shape without inside; give at least four "
                "that span a volume, or a TriangleMesh with solid=False for a sheet"
            ) from None
        corners = points[np.sort(hull.vertices)]
        # The origin of the shape goes inside, where the kernels look for it.
        self._middle = corners.mean(axis=0)
        self._corners = corners - self._middle

    @property
    def origin(self) -> Array:
        return np.asarray(super().origin + self.axes @ self._middle)

    def facets(self) -> tuple[Array, Triangles]:
        return self._corners, np.zeros((0, 3), dtype=np.int64)

    def reach(self) -> float:
        return _farthest(self._corners)


@declared
class TriangleMesh(Shape):
    """A surface of `triangles`, shape (t, 3), numbers of `vertices` [m], shape (n, 3), counter-clockwise seen from outside.

    solid: the surface is closed and the shape is what it encloses. solid=False is a sheet, touched from either side.
    """

    kind = kinds.MESH
    vertices: Numbers = quantity("m", shape=(-1, 3))
    triangles: Wholes = quantity(shape=(-1, 3), at_least=0)
    solid: bool = True
    mirror = in_mirror(vertices="place", triangles="around")

    def __post_init__(self) -> None:
        super().__post_init__()
        points, triangles = np.array(self.vertices), np.array(self.triangles, dtype=np.int64)
        if not len(triangles):
            raise InputError(f"{self.label}: triangles is empty; give at least one triangle")
        if triangles.min() < 0 or triangles.max() >= len(points):
            raise InputError(
                f"{self.label}: triangles name vertices from 0 to {len(points) - 1}, not {triangles.max()}"
            )
        areas = np.linalg.norm(_crossed(points, triangles), axis=1)
        if areas.min() <= 1e-14 * areas.max():
            raise InputError(f"{self.label}: triangle {int(areas.argmin())} has no area; leave it out")
        if self.solid:
            self._check_closed(points, triangles)
        self._facets = points, triangles

    def _check_closed(self, points: Array, triangles: NDArray[np.int64]) -> None:
        edges = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        there, back = ({tuple(e) for e in pairs.tolist()} for pairs in (edges, edges[:, ::-1]))
        if there != back or len(there) != len(edges):
            open_edges = len(there ^ back) // 2 or len(edges) - len(there)
            raise InputError(
                f"{self.label}: a shape without inside: {open_edges} edges do not have exactly one triangle on each "
                "side; close the surface, turn all triangles the same way, or give solid=False for a sheet"
            )
        volume = float(np.einsum("ti,ti->", points[triangles[:, 0]], _crossed(points, triangles))) / 6.0
        if volume <= 0.0:
            raise InputError(f"{self.label}: its normals point inwards; give the triangles the other way round")

    @property
    def inside(self) -> int:
        return kinds.SOLID if self.solid else kinds.SHEET

    def facets(self) -> tuple[Array, Triangles]:
        return self._facets

    def reach(self) -> float:
        return _farthest(self._facets[0])


@declared
class HeightField(Shape):
    """Ground of `heights` [m], shape (n, m), over a grid of steps `spacing` [m], (dx, dy), whose first corner is the centre.

    Material is below. The field ends at its border.
    """

    kind = kinds.MESH
    heights: Numbers = quantity("m", shape=(-1, -1))
    spacing: Vector = quantity("m", default=(1.0, 1.0), shape=(2,), above=0.0)
    mirror = in_mirror(heights="none", spacing="same")

    def __post_init__(self) -> None:
        super().__post_init__()
        heights, spacing = np.array(self.heights), self.spacing
        if min(heights.shape) < 2:
            raise InputError(f"{self.label}: heights need two rows and two columns, not {heights.shape}")
        n, m = heights.shape
        x, y = np.meshgrid(np.arange(n) * spacing[0], np.arange(m) * spacing[1], indexing="ij")
        at = np.arange(n * m).reshape(n, m)
        a, b, c, d = (at[i : n - 1 + i, j : m - 1 + j].ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
        corners = np.column_stack((x.ravel(), y.ravel(), heights.ravel()))
        self._facets = corners, np.vstack((np.column_stack((a, b, c)), np.column_stack((a, c, d))))

    @property
    def inside(self) -> int:
        return kinds.SOLID

    def facets(self) -> tuple[Array, Triangles]:
        return self._facets

    def reach(self) -> float:
        return _farthest(self._facets[0])


def _farthest(corners: Array) -> float:
    """Distance of the farthest corner from the origin [m]."""
    return float(np.linalg.norm(corners, axis=1).max())


def _crossed(points: Array, triangles: NDArray[np.int64]) -> Array:
    """Twice the area of each triangle along its normal."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def normals_of_features(points: Array, triangles: NDArray[np.int64]) -> Array:
    """Normals of triangles, of their edges (sums of both sides) and corners (sums by angle), shape (t, 7, 3)."""
    face = _crossed(points, triangles)
    face = face / np.linalg.norm(face, axis=1)[:, None]
    normals = np.empty((len(triangles), 7, 3))
    normals[:, 0] = face
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, which = np.unique(edges, axis=0, return_inverse=True)
    total = np.zeros((which.max() + 1, 3))
    np.add.at(total, which.ravel(), np.repeat(face, 3, axis=0))
    normals[:, 1:4] = total[which.reshape(-1, 3)]
    corner = np.zeros_like(points)
    for k in range(3):
        u, v = (points[triangles[:, (k + j) % 3]] - points[triangles[:, k]] for j in (1, 2))
        angle = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ti,ti->t", u, v))
        np.add.at(corner, triangles[:, k], angle[:, None] * face)
    normals[:, 4:] = corner[triangles]
    size = np.linalg.norm(normals, axis=2, keepdims=True)
    return np.where(size > 1e-12, normals / np.maximum(size, 1e-300), face[:, None, :])


def tree_of_balls(points: Array, triangles: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Balls (b, 4), tree (b, 3) and the order in which triangles stand in its leaves.

    A node has two children, or −1 and its range of triangles.
    """
    middle = points[triangles].mean(axis=1)
    order = np.arange(len(triangles))
    balls: list[list[float]] = []
    tree: list[list[int]] = []
    waiting = [(0, len(triangles), -1, 0)]
    while waiting:
        first, last, parent, child = waiting.pop()
        node, mine = len(tree), order[first:last]
        corners = points[triangles[mine]].reshape(-1, 3)
        ball = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        balls.append([*ball, float(np.linalg.norm(corners - ball, axis=1).max())])
        tree.append([-1, first, last])
        if parent >= 0:
            tree[parent][child] = node
        if last - first > LEAF:
            where = middle[mine]
            axis = int(np.ptp(where, axis=0).argmax())
            half = (last - first) // 2
            order[first:last] = mine[np.argpartition(where[:, axis], half)]
            waiting += [(first, first + half, node, 0), (first + half, last, node, 1)]
            tree[node] = [-2, -2, 0]
    return np.array(balls), np.array(tree, dtype=np.int64), order
