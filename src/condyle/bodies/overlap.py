"""Where two surfaces of facets lie on each other: their common pieces, facet by facet, with points to integrate over.

Every facet of the first surface spans a plane (in 2D a line). Facets of the second one that face it are projected onto that
plane along its normal, cut to what they have in common (lines to an interval, triangles and quadrilaterals to a convex
polygon), and the polygon is divided into triangles. On flat surfaces the pieces are exact, whatever the meshes. Nothing here
knows ties: the mortar (`bodies/mortar.py`) uses it, and so can contact between meshes, with places that change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements.element import Element
from condyle.bodies.elements.rules import cube, simplex, six_points

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

FACING = -0.3  # facets face each other if the product of their normals is below this
SLIVER = 1e-12  # share of a facet below which a piece is left out


class Pieces(NamedTuple):
    """Common pieces of two surfaces, sorted by the facet of the first one; q integration points on each."""

    first: Numbers  # facet of the first surface (n,)
    second: Numbers  # facet of the second surface (n,)
    xi: Array  # reference coordinates in the first facet (n, q, d − 1)
    eta: Array  # reference coordinates in the second facet (n, q, d − 1)
    weights: Array  # area (2D: length) [m²] of each point on the plane of the first facet (n, q)


def common_pieces(
    first: Element, X: Array, second: Element, Y: Array, *, reach: float = 0.5, degree: int = 8
) -> Pieces:
    """The common pieces of facets X [m] (f, nodes, d) of one kind and Y (g, nodes, d) of another.

    reach: facets further apart than this share of their size do not meet. degree: that is integrated exactly.
    """
    a, b, here, there = facing(first, X, second, Y, reach)
    cut = _intervals if X.shape[2] == 2 else _triangles
    piece, points, weights = cut(here[:, : first.corners], there[:, : second.corners], degree)
    a, b = a[piece], b[piece]
    return Pieces(a, b, inverse(first, here[piece], points), inverse(second, there[piece], points), weights)


def facing(first: Element, X: Array, second: Element, Y: Array, reach: float) -> tuple[Numbers, Numbers, Array, Array]:
    """Facets that may have something in common: numbers (n,), and their nodes in the planes of the first (n, nodes, d − 1)."""
    from scipy.spatial import cKDTree  # takes an eighth of a second to import, and few models need it

    centre, normal, tangents, size = frames(first, X)
    others, other_normal, _, other_size = frames(second, Y)
    near = cKDTree(others).query_ball_point(centre, size + other_size.max())
    count = [len(n) for n in near]
    a = np.repeat(np.arange(len(X)), count)
    b = np.concatenate([np.sort(n) for n in near]).astype(np.int64) if sum(count) else np.zeros(0, dtype=np.int64)
    apart = others[b] - centre[a]
    reached = size[a] + other_size[b]
    meet = np.linalg.norm(apart, axis=1) <= reached
    meet &= np.sum(normal[a] * other_normal[b], axis=1) < FACING
    meet &= np.abs(np.sum(apart * normal[a], axis=1)) <= reach * reached
    a, b = a[meet], b[meet]

    def flat(places: Array) -> Array:
        return np.asarray(np.einsum("pnd,pkd->pnk", places - centre[a][:, None], tangents[a]))

    return a, b, flat(X[a]), flat(Y[b])


def frames(kind: Element, X: Array) -> tuple[Array, Array, Array, Array]:
    """Centre (f, d), outward normal (f, d), tangents (f, d − 1, d) and size [m] (f,) of facets X (f, nodes, d).

    Normal and tangents are of unit length and square; size is how far corners are from the centre.
    """
    P = X[:, : kind.corners]
    centre = P.mean(axis=1)
    size = np.linalg.norm(X - centre[:, None], axis=2).max(axis=1)
    along = P[:, 1] - P[:, 0]
    if X.shape[2] == 2:
        t = along / np.linalg.norm(along, axis=1, keepdims=True)
        return centre, np.stack((t[:, 1], -t[:, 0]), axis=1), t[:, None], size
    n = np.cross(along, P[:, 2] - P[:, 0]) if P.shape[1] == 3 else np.cross(P[:, 2] - P[:, 0], P[:, 3] - P[:, 1])
    n = n / np.linalg.norm(n, axis=1, keepdims=True)
    t = along - np.sum(along * n, axis=1, keepdims=True) * n
    t = t / np.linalg.norm(t, axis=1, keepdims=True)
    return centre, n, np.stack((t, np.cross(n, t)), axis=1), size


def inverse(kind: Element, X: Array, places: Array) -> Array:
    """Reference coordinates ξ (n, q, k) of places (n, q, k) in facets with nodes X (n, nodes, k), by Newton's method."""
    xi = np.broadcast_to(kind.cell.centre, places.shape).copy()
    for _ in range(30):
        error = np.einsum("nqa,nak->nqk", kind.shape(xi), X) - places
        step = np.linalg.solve(np.einsum("nqai,nak->nqki", kind.gradient(xi), X), error[..., None])[..., 0]
        xi -= step
        if np.abs(step).max(initial=0.0) < 1e-13:
            break
    return xi


def _intervals(here: Array, there: Array, degree: int) -> tuple[Numbers, Array, Array]:
    """Number of the pair, places (n, q, 1) and weights (n, q) on the common intervals of lines."""
    low = np.maximum(here.min(axis=1), there.min(axis=1))[:, 0]
    high = np.minimum(here.max(axis=1), there.max(axis=1))[:, 0]
    keep = np.flatnonzero(high - low > SLIVER * np.ptp(here, axis=1)[:, 0])
    low, high = low[keep, None], high[keep, None]
    x, w = cube(1, degree // 2 + 1)
    return keep, (0.5 * (low + high) + 0.5 * (high - low) * x[:, 0])[..., None], 0.5 * (high - low) * w


def _triangles(here: Array, there: Array, degree: int) -> tuple[Numbers, Array, Array]:
    """The same on the common polygons of triangles and quadrilaterals, which are divided into triangles."""
    piece = there[:, ::-1]  # seen from the other side
    for i in range(here.shape[1]):
        piece = clipped(piece, here[:, i], here[:, (i + 1) % here.shape[1]])
    middle = piece.mean(axis=1, keepdims=True)
    u, v = piece - middle, np.roll(piece, -1, axis=1) - middle
    double = _cross(u, v)
    whole = np.abs(_cross(here, np.roll(here, -1, axis=1)).sum(axis=1))
    pair, corner = np.nonzero(double > SLIVER * whole[:, None])
    u, v, double = u[pair, corner], v[pair, corner], double[pair, corner]
    xi, w = triangle_rule(degree)
    places = middle[pair] + xi[:, :1] * u[:, None] + xi[:, 1:] * v[:, None]
    return pair, places, double[:, None] * w


def triangle_rule(degree: int) -> tuple[Array, Array]:
    """Points (q, 2) and weights (q,) on the reference triangle that integrate this degree exactly."""
    return six_points() if degree == 4 else simplex(2, degree)


def clipped(polygons: Array, start: Array, end: Array) -> Array:
    """What of convex polygons (n, m, 2) lies to the left of lines from start to end (n, 2).

    Polygons with fewer vertices than the array has room for repeat the last one; an empty one is a single point.
    """
    side = _cross((end - start)[:, None], polygons - start[:, None])
    following, side_there = np.roll(polygons, -1, axis=1), np.roll(side, -1, axis=1)
    inside = side >= 0.0
    crosses = inside != (side_there >= 0.0)
    share = side / np.where(crosses, side - side_there, 1.0)
    hit = polygons + share[..., None] * (following - polygons)
    n, m = side.shape
    vertices = np.stack((polygons, hit), axis=2).reshape(n, 2 * m, 2)
    keep = np.stack((inside, crosses), axis=2).reshape(n, 2 * m)
    order = np.argsort(~keep, axis=1, kind="stable")
    count = keep.sum(axis=1)
    slots = np.minimum(np.arange(count.max(initial=1)), np.maximum(count - 1, 0)[:, None])
    return np.take_along_axis(vertices, np.take_along_axis(order, slots, axis=1)[..., None], axis=1)


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
