"""What can be asked of many shapes at once: closest points, contact points, and which of them are near each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.geometry.kinds import CANDIDATES, HALF_SPACE, MESH, NONE, PARAMETERS, Table, make_work
from condyle.geometry.mesh_shape import normals_of_features, tree_of_balls
from condyle.geometry.shape import Array, Shape


class ClosestPoints(NamedTuple):
    """Of m pairs: gap [m] (m,), negative where they overlap; closest points on A and on B [m] (m, 3); normal from A
    to B (m, 3).

    point_b − point_a = gap · normal. The gap is the distance of shapes that are apart, and minus the shortest way
    that separates those
    that are not; where it is smooth it changes with normal · (velocity of point_b − velocity of point_a).
    """

    gap: Array
    point_a: Array
    point_b: Array
    normal: Array


class Manifolds(NamedTuple):
    """Contact points of m pairs, at most p each, the deepest first: number (m,), and as of `ClosestPoints` (m, p) and
    (m, p, 3).

    Entries beyond `number` are 0.
    """

    number: NDArray[np.int64]
    gap: Array
    point_a: Array
    point_b: Array
    normal: Array


class Shapes:
    """A table of shapes, made once and asked often.

    shapes: the shapes, in any order. on: the row of `poses` that carries each of them, by default its own number.
    """

    def __init__(self, shapes: Sequence[Shape], on: ArrayLike | None = None) -> None:
        # Surfaces of contacts, such as condyle.Sphere, know the shape that they bound.
        made = [
            shape.solid() if hasattr(shape, "solid") and not isinstance(shape, Shape) else shape for shape in shapes
        ]
        for number, shape in enumerate(made):
            if not isinstance(shape, Shape):
                raise InputError(f"shapes[{number}] must be a shape of condyle.geometry, not {type(shape).__name__}")
        self.shapes: tuple[Shape, ...] = tuple(made)
        self.on = np.arange(len(self.shapes)) if on is None else np.asarray(on, dtype=np.int64)
        if self.on.shape != (len(self.shapes),) or (self.on < 0).any():
            raise InputError(f"on must name a pose for each of the {len(self.shapes)} shapes, not {on!r}")
        self.table = _packed(self.shapes)

    def __len__(self) -> int:
        return len(self.shapes)

    def placed(self, poses: ArrayLike) -> Array:
        """Positions and axes of the shapes, (n, 4, 3), from those of their bodies."""
        from condyle.geometry.batch import place_shapes

        given = np.ascontiguousarray(poses, dtype=float)
        if given.ndim != 3 or given.shape[1:] != (4, 3) or len(given) <= self.on.max(initial=-1):
            need = self.on.max(initial=-1) + 1
            raise InputError(
                f"poses must have shape ({need}, 4, 3), position and three directors for each body, not {given.shape}"
            )
        if not np.isfinite(given).all():
            raise InputError("poses must be finite numbers")
        result = np.empty((len(self), 4, 3))
        place_shapes(self.table, self.on, given, result)
        return result


def pose(position: ArrayLike = (0.0, 0.0, 0.0), rotation: ArrayLike | None = None) -> Array:
    """A pose, shape (4, 3): position [m], then the directors, the columns of a rotation matrix."""
    turned = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
    return np.vstack((np.asarray(position, dtype=float), turned.T))


def closest_points(
    shapes: Shapes | Sequence[Shape], poses: ArrayLike, pairs: ArrayLike, normals: ArrayLike | None = None
) -> ClosestPoints:
    """Gap, closest points and normal of pairs of shapes.

    poses: shape (n, 4, 3), position [m] and three directors of each body. pairs: numbers of shapes (m, 2). normals:
    where to look first
    (m, 3), such as the normals of the last step.
    """
    from condyle.geometry.batch import closest_of_pairs

    table, placed, which, guess = _prepared(shapes, poses, pairs, normals)
    answers = np.empty((len(which), 10))
    closest_of_pairs(make_work(), table, placed, which, guess, answers)
    return ClosestPoints(answers[:, 0], answers[:, 1:4], answers[:, 4:7], answers[:, 7:])


def manifolds(
    shapes: Shapes | Sequence[Shape],
    poses: ArrayLike,
    pairs: ArrayLike,
    normals: ArrayLike | None = None,
    *,
    most: int = 4,
    within: float = np.inf,
) -> Manifolds:
    """Contact points of pairs of shapes: where flat sides or edges face each other, several; otherwise the closest points.

    most: points of a pair. within: leave out points with a larger gap [m]. Else as `closest_points`.
    """
    from condyle.geometry.batch import manifolds_of_pairs

    if not 1 <= most <= CANDIDATES:
        raise InputError(f"most must be from 1 to {CANDIDATES} points of a pair, not {most}")
    table, placed, which, guess = _prepared(shapes, poses, pairs, normals)
    count, points = np.zeros(len(which), dtype=np.int64), np.zeros((len(which), most, 10))
    manifolds_of_pairs(make_work(), table, placed, which, guess, float(within), count, points)
    return Manifolds(count, points[..., 0], points[..., 1:4], points[..., 4:7], points[..., 7:])


def near_pairs(shapes: Shapes | Sequence[Shape], poses: ArrayLike, within: float = 0.0) -> NDArray[np.int64]:
    """Pairs (m, 2) of shapes whose boxes along the world axes are not farther apart than `within` [m], in order.

    Shapes on the same body are no pair, nor are two half-spaces.
    """
    from condyle.geometry.broad import boxes_of_shapes, pairs_that_meet

    made = shapes if isinstance(shapes, Shapes) else Shapes(shapes)
    boxes = np.empty((len(made), 6))
    boxes_of_shapes(make_work(), made.table, made.placed(poses), boxes)
    boxes += 0.5 * within * np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
    extent = (boxes[:, 3:] - boxes[:, :3]).max(axis=1)
    finite = extent[np.isfinite(extent)]
    cell = max(float(np.median(finite)), 0.1 * float(finite.max())) if finite.size else 1.0
    pairs = pairs_that_meet(boxes, cell)
    planes = made.table.kind[pairs] == HALF_SPACE
    pairs = pairs[(made.on[pairs[:, 0]] != made.on[pairs[:, 1]]) & ~planes.all(axis=1)]
    return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


def _prepared(
    shapes: Shapes | Sequence[Shape], poses: ArrayLike, pairs: ArrayLike, normals: ArrayLike | None
) -> tuple[Table, Array, NDArray[np.int64], Array]:
    made = shapes if isinstance(shapes, Shapes) else Shapes(shapes)
    which = np.ascontiguousarray(np.reshape(np.asarray(pairs, dtype=np.int64), (-1, 2)))
    if which.size and (which.min() < 0 or which.max() >= len(made)):
        raise InputError(
            f"pairs name shapes from 0 to {len(made) - 1}, not {which.max() if which.min() >= 0 else which.min()}"
        )
    planes = (made.table.kind[which] == HALF_SPACE).all(axis=1)
    if planes.any():
        raise InputError(
            f"pair {which[planes][0].tolist()}: two half-spaces have no closest points; leave such pairs out"
        )
    guess = np.zeros((len(which), 3)) if normals is None else np.ascontiguousarray(normals, dtype=float)
    if guess.shape != (len(which), 3):
        raise InputError(f"normals must have shape ({len(which)}, 3), one for each pair, not {guess.shape}")
    return made.table, made.placed(poses), which, guess


def _packed(shapes: Sequence[Shape]) -> Table:
    """The arrays that kernels read."""
    n = len(shapes)
    sizes, placed = np.zeros((n, PARAMETERS)), np.zeros((n, 4, 3))
    span, inside = np.zeros((n, 6), dtype=np.int64), np.full(n, NONE, dtype=np.int64)
    lists: dict[str, list[Any]] = {name: [] for name in ("vertices", "triangles", "turned", "balls", "tree")}
    known: dict[int, Any] = {}  # a shape that is used many times is stored once
    length = dict.fromkeys(lists, 0)
    for i, shape in enumerate(shapes):
        core = shape.core()
        sizes[i, : len(core)] = core
        placed[i] = pose(shape.origin, shape.axes)
        made = shape.facets()
        if made is None:
            continue
        corners, triangles = made
        if shape.kind == MESH:
            inside[i] = shape.inside  # type: ignore[attr-defined]
        if id(shape) in known:
            span[i] = known[id(shape)]
            continue
        parts: dict[str, NDArray[Any]] = {"vertices": corners}
        if shape.kind == MESH:
            balls, tree, order = tree_of_balls(corners, triangles)
            leaf = tree[:, :1] < 0
            first, node = length["triangles"], length["tree"]
            tree = tree + np.where(leaf, np.array([0, first, first]), np.array([node, node, 0]))
            turned = normals_of_features(corners, triangles)
            parts |= {
                "triangles": triangles[order] + length["vertices"],
                "turned": turned[order],
                "balls": balls,
                "tree": tree,
            }
        span[i, 0], span[i, 2], span[i, 4] = length["vertices"], length["triangles"], length["tree"]
        for name, values in parts.items():
            lists[name].append(values)
            length[name] += len(values)
        span[i, 1], span[i, 3], span[i, 5] = length["vertices"], length["triangles"], length["tree"]
        known[id(shape)] = span[i].copy()
    width = {"vertices": (3,), "triangles": (3,), "turned": (7, 3), "balls": (4,), "tree": (3,)}
    stacked = {
        name: np.ascontiguousarray(
            np.concatenate([np.zeros((0, *width[name])), *rows]),
            dtype=np.int64 if name in ("triangles", "tree") else float,
        )
        for name, rows in lists.items()
    }
    return Table(
        kind=np.array([shape.kind for shape in shapes], dtype=np.int64),
        sizes=sizes,
        margin=np.array([shape.margin for shape in shapes], dtype=float),
        placed=placed,
        span=span,
        inside=inside,
        reach=np.array([shape.reach() for shape in shapes], dtype=float),
        **stacked,
    )
