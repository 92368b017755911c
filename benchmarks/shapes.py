"""Closest points of pairs of ellipsoids, many from one call, beside coal."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import numpy as np
from goals import Goal

import condyle as cd

PAIRS = 10_000
LIMIT = 2.0  # µs a pair
RADII = ((1.0, 0.6, 0.3), (0.7, 0.5, 0.9))


def random_poses(n: int, spread: float) -> np.ndarray:
    """Poses of n bodies, positions normal about the origin [m], rotations at random."""
    rng = np.random.default_rng(1)
    poses = np.empty((n, 4, 3))
    poses[:, 0] = spread * rng.normal(size=(n, 3))
    axes, _ = np.linalg.qr(rng.normal(size=(n, 3, 3)))
    axes[:, :, 2] *= np.sign(np.linalg.det(axes))[:, None]
    poses[:, 1:] = axes.transpose(0, 2, 1)
    return poses


def microseconds(call: Callable[[], object], pairs: int, repeats: int) -> float:
    """Median time of a pair [µs]."""
    call()
    spans = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        spans.append(time.perf_counter() - start)
    return 1e6 * statistics.median(spans) / pairs


def measured(repeats: int) -> Iterator[Goal]:
    """Ellipsoids mostly apart, and ellipsoids that mostly overlap."""
    shapes = cd.geometry.Shapes([cd.geometry.Ellipsoid(RADII[0])] * PAIRS + [cd.geometry.Ellipsoid(RADII[1])] * PAIRS)
    pairs = np.column_stack((np.arange(PAIRS), PAIRS + np.arange(PAIRS)))
    for what, spread in (("apart", 2.0), ("overlapping", 0.4)):
        poses = random_poses(2 * PAIRS, spread)
        own = microseconds(lambda poses=poses: cd.geometry.closest_points(shapes, poses, pairs), PAIRS, repeats)
        note = beside_coal(poses, repeats)
        yield Goal(f"closest points of ellipsoids, mostly {what}", own, LIMIT, "µs a pair", note)


def beside_coal(poses: np.ndarray, repeats: int) -> str:
    """What coal takes for the same pairs, one call each as its Python offers it."""
    try:
        import coal
    except ImportError:
        return "coal is not installed"
    a, b = (coal.Ellipsoid(*radii) for radii in RADII)
    places = [coal.Transform3s(np.ascontiguousarray(pose[1:].T), pose[0]) for pose in poses]
    request = coal.DistanceRequest()

    def all_pairs() -> None:
        for k in range(PAIRS):
            coal.distance(a, places[k], b, places[PAIRS + k], request, coal.DistanceResult())

    return f"coal: {microseconds(all_pairs, PAIRS, repeats):.1f} µs a pair, its Python calls included"


if __name__ == "__main__":
    for goal in measured(5):
        print(f"{goal.what}: {goal.measured:.2f} {goal.unit} ({goal.note})")
