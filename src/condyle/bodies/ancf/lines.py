"""Lines that cables and beams are made along: two points, a polyline, a spline, points with tangents, a net of edges."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.model.part import Part

Array = NDArray[np.float64]


class Line(NamedTuple):
    """Nodes along one or several lines. place: node whose position a node shares (itself, but at hinges and crossings)."""

    nodes: Array  # (n, d) [m]
    tangents: Array  # (n, d), derivatives by the parameter of the elements
    place: NDArray[np.int64]  # (n,)
    cells: NDArray[np.int64]  # (m, 2)
    lengths: Array  # (m,) [m]
    starts: Array  # (m,) parameter (arc length) at the start of each element [m]


def check_line(part: Any, d: int) -> None:
    """The points of `part.line`, and what goes with them, fit a model of dimension d."""
    X = np.array(part.line)
    if X.ndim != 2 or X.shape[1] != d or len(X) < 2:
        raise InputError(f"{part.label}: line must be at least two points with {d} coordinates, got shape {X.shape}")
    if not np.isfinite(X).all():
        raise InputError(f"{part.label}: the points of its line must be finite")
    for a, b in pairs(part):
        if not (0 <= a < len(X) and 0 <= b < len(X)):
            raise InputError(f"{part.label}: edge ({a}, {b}) refers to points 0 … {len(X) - 1} only")
        if not np.linalg.norm(X[b] - X[a]) > 1e-12 * max(1e-300, float(np.ptp(X))):
            raise InputError(f"{part.label}: points {a} and {b} of its line coincide; an element needs a length")
    if part.tangents is not None:
        T = np.array(part.tangents)
        if T.shape != X.shape or not np.isfinite(T).all() or (np.linalg.norm(T, axis=1) == 0).any():
            raise InputError(f"{part.label}: tangents must be {len(X)} vectors other than zero, like the points")
    _check_extents(part, len(X) - 1)


def _check_extents(part: Any, pieces: int) -> None:
    extents = getattr(part, "extents", None)
    if extents is None:
        return
    if part.tangents is None or part.edges is not None or part.curve != "spline":
        raise InputError(f"{part.label}: extents go with the tangents of one smooth line")
    L = np.asarray(extents, dtype=float)
    if L.shape != (pieces,) or not np.isfinite(L).all() or not (L > 0).all():
        raise InputError(f"{part.label}: extents must be {pieces} positive lengths, one per piece of its line")


def pairs(part: Any) -> list[tuple[int, int]]:
    """Numbers of the points that pieces of the line connect."""
    if part.edges is not None:
        return [(int(a), int(b)) for a, b in part.edges]
    return [(k, k + 1) for k in range(len(part.line) - 1)]


def make_line(part: Any) -> Line:
    """The nodes of `part.line`, each piece divided into `part.elements`."""
    X = np.array(part.line)
    if part.edges is not None or part.curve == "polyline":
        return _net(X, pairs(part), part.elements)
    if len(X) == 2 and part.tangents is None:
        return _net(X, [(0, 1)], part.elements)
    if getattr(part, "extents", None) is not None:
        return _cubics(part, X)
    return _curve(part, X)


def _cubics(part: Any, X: Array) -> Line:
    """Exactly the cubics of given points, derivatives and extents, each divided into elements."""
    from scipy.interpolate import CubicHermiteSpline

    ends = np.concatenate(([0.0], np.cumsum(part.extents)))
    curve = CubicHermiteSpline(ends, X, np.array(part.tangents))
    x = np.append(
        np.concatenate([np.linspace(a, b, part.elements, endpoint=False) for a, b in pairwise(ends)]), ends[-1]
    )
    n = len(x)
    cells = np.column_stack((np.arange(n - 1), np.arange(1, n)))
    return Line(curve(x), curve.derivative()(x), np.arange(n), cells, np.diff(x), x[:-1])


def _net(X: Array, edges: list[tuple[int, int]], elements: int) -> Line:
    """Straight pieces; where they meet they share a point and turn freely."""
    nodes: list[Array] = []
    tangents, place, cells, lengths, starts = [], [], [], [], []
    at: dict[int, int] = {}  # point -> first node there
    arc = 0.0
    for a, b in edges:
        span = float(np.linalg.norm(X[b] - X[a]))
        direction = (X[b] - X[a]) / span
        for k in range(elements + 1):
            number = len(nodes)
            owner = number
            if k in (0, elements):
                owner = at.setdefault(a if k == 0 else b, number)
            nodes.append(X[a] + k / elements * (X[b] - X[a]))
            tangents.append(direction)
            place.append(owner)
            if k < elements:
                cells.append((number, number + 1))
                lengths.append(span / elements)
                starts.append(arc + k * span / elements)
        arc += span
    return Line(
        np.array(nodes), np.array(tangents), np.array(place), np.array(cells), np.array(lengths), np.array(starts)
    )


def _curve(part: Any, X: Array) -> Line:
    """A smooth curve: a cubic spline through the points, or Hermite pieces where tangents are given."""
    from scipy.interpolate import CubicHermiteSpline, CubicSpline

    chord = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(X, axis=0), axis=1))))
    if part.tangents is None:
        curve: Any = CubicSpline(chord, X, bc_type="natural")
    else:
        T = np.array(part.tangents)
        curve = CubicHermiteSpline(chord, X, T / np.linalg.norm(T, axis=1)[:, None])
    slope = curve.derivative()
    points, weights = np.polynomial.legendre.leggauss(8)
    nodes, tangents, lengths = [], [], []
    for a, b in pairwise(chord):
        for k in range(part.elements):
            u, v = a + (b - a) * k / part.elements, a + (b - a) * (k + 1) / part.elements
            speed = np.linalg.norm(slope(0.5 * (u + v) + 0.5 * (v - u) * points), axis=1)
            lengths.append(0.5 * (v - u) * float(weights @ speed))
            nodes.append(curve(u))
            tangents.append(slope(u))
    nodes.append(X[-1])
    tangents.append(slope(chord[-1]))
    t = np.array(tangents)
    size = np.linalg.norm(t, axis=1)
    if size.min() < 1e-9:
        raise InputError(f"{part.label}: its line has a point without a tangent; give tangents or curve='polyline'")
    n = len(nodes)
    L = np.array(lengths)
    cells = np.column_stack((np.arange(n - 1), np.arange(1, n)))
    starts = np.concatenate(([0.0], np.cumsum(L)[:-1]))
    return Line(np.array(nodes), t / size[:, None], np.arange(n), cells, L, starts)


def frames_along(line: Line, normal: ArrayLike | None, label: str) -> Array:
    """Tangent and section vectors y(, z) of all nodes, shape (n, d, d); they turn as little as possible from node to node."""
    given = line.tangents
    t = given / np.linalg.norm(given, axis=1)[:, None]
    if t.shape[1] == 2:
        return np.stack((given, np.column_stack((-t[:, 1], t[:, 0]))), axis=1)
    y = np.zeros_like(t)
    up = np.eye(3)[int(np.argmin(np.abs(t[0])))] if normal is None else np.array(normal, dtype=float)
    for k in range(len(t)):
        before = up if k == 0 else y[k - 1]
        across = before - (before @ t[k]) * t[k]
        size = np.linalg.norm(across)
        if size < 1e-6 * np.linalg.norm(before):
            raise InputError(f"{label}: normal {up.tolist()} is parallel to the line; give another normal")
        y[k] = across / size
    return np.stack((given, y, np.cross(t, y)), axis=1)


__all__ = ["Line", "Part", "check_line", "frames_along", "make_line", "pairs"]
