"""B-splines, Bézier and NURBS curves and surfaces as ANCF elements.

Between its knots a spline of degree three or less is a cubic, which its end points and derivatives determine: the elements
are the spline itself. Curves of higher degree or with weights are met at the nodes, between them up to a tolerance: the
elements are halved until it is kept, and the distance that is left is stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.ancf.meshes import grid_cells
from condyle.bodies.spline_pieces import checked_knots, homogeneous, pieces_of, sheet_of
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.bodies.ancf.sections import SectionPart
    from condyle.model.given import NumbersLike, Option

Array = NDArray[np.float64]
MOST = 7  # times that elements are halved
SAMPLES = np.linspace(0.0, 1.0, 9)


class SplineLine(NamedTuple):
    """Nodes, r_x and the extents of the elements between them: what `Cable(…, tangents, extents)` takes; error: distance
    from the spline that is left [m]."""

    points: Array  # (n, d)
    tangents: Array  # (n, d)
    extents: Array  # (n − 1,)
    error: float


class SplineSheet(NamedTuple):
    """Fields of a bicubic `Plate`, and the distance from the spline that is left [m]."""

    nodes: Array  # (n, 3)
    cells: NDArray[np.int64]
    gradients: Array  # (n, 3, 3): r_x, r_y, r_xy
    extents: Array
    starts: Array
    sets: dict[str, list[int]]
    error: float


def spline_line(
    control: ArrayLike, *, degree: int = 3, knots: ArrayLike | None = None, weights: ArrayLike | None = None,
    tolerance: float = 1e-6,
) -> SplineLine:  # fmt: skip
    """A B-spline, Bézier or NURBS curve as a chain of cubic (ANCF) elements.

    control: its control points [m] (n, d); knots: n + degree + 1, by default even ones that make it start and end at the first
    and last point (degree + 1 points: a Bézier curve); weights: those of a NURBS curve. A polynomial of degree three or less
    is met exactly. tolerance: distance from other curves, of their size. The parameter of the elements is that of the spline,
    scaled to the length of the curve; where only the directions of two pieces agree, that of the next is scaled to the last.
    """
    label, P = "spline_line", np.asarray(control, dtype=float)
    if P.ndim != 2 or P.shape[1] not in (2, 3):
        raise InputError(f"{label}: control points are (n, 2) or (n, 3), not {P.shape}")
    t = checked_knots(knots, len(P), degree, label)
    H = homogeneous(P, weights, label)
    breaks, c = pieces_of(H, degree, t)
    exact = degree <= 3 and H.shape[1] == P.shape[1]
    size = float(np.ptp(P, axis=0).max())
    parts, error = 1, 0.0
    while True:
        ends, error = _hermite_pieces(breaks, c, P.shape[1], parts)
        if exact or error <= tolerance * size:
            return _chained(*ends, 0.0 if exact else error, label)
        if parts >= 2**MOST:
            raise InputError(
                f"{label}: {len(ends[0])} elements still miss the curve by {error:g} m, more than {tolerance * size:g}; take a "
                "larger tolerance"
            )
        parts *= 2


def _hermite_pieces(breaks: Array, c: Array, d: int, parts: int) -> tuple[tuple[Array, Array, Array], float]:
    """Of each element both ends (m, 2, d), slopes there (m, 2, d) and its extent (m,); and the largest distance."""
    places, slopes, extents, worst = [], [], [], 0.0
    for k, coefficients in enumerate(c):
        step = (breaks[k + 1] - breaks[k]) / parts
        for j in range(parts):
            ends = step * np.array([j, j + 1.0])
            x, v = _values(coefficients, ends, d)
            places.append(x)
            slopes.append(v)
            extents.append(step)
            true = _values(coefficients, ends[0] + step * SAMPLES, d)[0]
            worst = max(worst, float(np.linalg.norm(_hermite(x, step * v, SAMPLES) - true, axis=1).max()))
    return (np.array(places), np.array(slopes), np.array(extents)), worst


def _values(coefficients: Array, local: Array, d: int) -> tuple[Array, Array]:
    """Points and derivatives of one piece, rational if it has a component more than d."""
    P = np.polynomial.polynomial
    x, v = P.polyval(local, coefficients).T, P.polyval(local, P.polyder(coefficients)).T
    if coefficients.shape[1] == d:
        return np.asarray(x, dtype=float), np.asarray(v, dtype=float)
    w, slope = x[:, d:], v[:, d:]
    return np.asarray(x[:, :d] / w), np.asarray((v[:, :d] - slope * x[:, :d] / w) / w)


def _hermite(x: Array, v: Array, s: Array) -> Array:
    """The cubic between two points with two slopes by a parameter from 0 to 1, at s."""
    s = s[:, None]
    H = np.hstack((1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2))
    return np.asarray(H @ np.array([x[0], v[0], x[1], v[1]]))


def _chained(places: Array, slopes: Array, extents: Array, error: float, label: str) -> SplineLine:
    """The elements one after the other, with one slope per node."""
    q, w = np.polynomial.legendre.leggauss(12)
    length = 0.0
    for x, v, h in zip(places, slopes, extents, strict=True):
        near, far = _hermite(x, h * v, 0.5 * (1 + q) - 1e-4), _hermite(x, h * v, 0.5 * (1 + q) + 1e-4)
        length += float(0.5 * w @ np.linalg.norm(far - near, axis=1)) / 2e-4
    speed = length / float(extents.sum())  # metres of the curve per parameter
    nodes, tangents, sizes = [places[0, 0]], [slopes[0, 0] / speed], []
    for x, v, h in zip(places, slopes, extents, strict=True):
        own, before = np.linalg.norm(v[0]), np.linalg.norm(tangents[-1])
        if not min(own, np.linalg.norm(v[1])) > 1e-9 * speed:
            raise InputError(f"{label}: the curve has a point without a tangent; no elements are drawn through it")
        scale = float(own / before)  # of the parameter: the node keeps the slope that it has from the last element
        if np.linalg.norm(v[0] / scale - tangents[-1]) > 1e-8 * before:
            raise InputError(
                f"{label}: the curve has a corner at {np.round(x[0], 6).tolist()}; make two bodies and join them there"
            )
        nodes.append(x[1])
        tangents.append(v[1] / scale)
        sizes.append(h * scale)
    return SplineLine(np.array(nodes), np.array(tangents), np.array(sizes), error)


def spline_sheet(
    control: ArrayLike, *, degree: Sequence[int] = (3, 3), knots: Sequence[ArrayLike | None] = (None, None),
    weights: ArrayLike | None = None, tolerance: float = 1e-6,
) -> SplineSheet:  # fmt: skip
    """A B-spline, Bézier or NURBS surface as a grid of bicubic plates: `Plate(name, s.nodes, s.cells, …)` or `Plate.of_spline`.

    control: control points [m] (k, l, 3); degree, knots: of both parameters, as of `spline_line`. A polynomial of degree three
    or less that is smooth is met exactly; tolerance: distance from other surfaces, of their size.
    """
    label, P = "spline_sheet", np.asarray(control, dtype=float)
    if P.ndim != 3 or P.shape[2] != 3:
        raise InputError(f"{label}: control points are (k, l, 3), not {P.shape}")
    t = [checked_knots(knots[i], P.shape[i], degree[i], label) for i in (0, 1)]
    H = homogeneous(P, weights, label)
    first, second, c = sheet_of(H, degree, t)
    exact = max(degree) <= 3 and H.shape[2] == 3
    size = float(np.ptp(P.reshape(-1, 3), axis=0).max())
    parts = 1
    while True:
        corners, (u, v) = _corners(first, second, c, parts)
        error = 0.0 if exact else _missed(first, second, c, corners, parts)
        if error <= tolerance * size:
            return _sheet(corners, u, v, error, label)
        if parts >= 2**MOST or len(u) * len(v) > 40_000:
            raise InputError(
                f"{label}: {corners.shape[0] * corners.shape[1]} elements still miss the surface by {error:g} m, more than "
                f"{tolerance * size:g}; take a larger tolerance"
            )
        parts *= 2


def _jets(coefficients: Array, x: Array, y: Array) -> Array:
    """r, r_x, r_y, r_xy of one piece at x (k,) × y (l,), shape (k, l, 4, 3)."""
    P = np.polynomial.polynomial
    out = []
    for i, j in ((0, 0), (1, 0), (0, 1), (1, 1)):
        own = P.polyder(coefficients, i, axis=0) if i else coefficients
        own = P.polyder(own, j, axis=1) if j else own
        out.append(np.moveaxis(P.polygrid2d(x, y, own), 0, -1))
    jet = np.stack(out, axis=2)
    if coefficients.shape[2] == 3:
        return np.asarray(jet)
    w, w1, w2, w12 = (jet[:, :, k, 3:] for k in range(4))
    r = jet[:, :, 0, :3] / w
    r1, r2 = (jet[:, :, 1, :3] - w1 * r) / w, (jet[:, :, 2, :3] - w2 * r) / w
    return np.stack((r, r1, r2, (jet[:, :, 3, :3] - w1 * r2 - w2 * r1 - w12 * r) / w), axis=2)


def _corners(first: Array, second: Array, c: Array, parts: int) -> tuple[Array, tuple[Array, Array]]:
    """r, r_x, r_y, r_xy at the corners of all elements (m, n, 2, 2, 4, 3), and the breaks along both parameters."""
    m, n = c.shape[0] * parts, c.shape[1] * parts
    out = np.empty((m, n, 2, 2, 4, 3))
    for i in range(m):
        h = (first[i // parts + 1] - first[i // parts]) / parts
        for j in range(n):
            k = (second[j // parts + 1] - second[j // parts]) / parts
            at = np.array([i % parts, i % parts + 1.0]) * h, np.array([j % parts, j % parts + 1.0]) * k
            out[i, j] = _jets(c[i // parts, j // parts], *at)
    return out, tuple(_divided(b, parts) for b in (first, second))  # type: ignore[return-value]


def _divided(breaks: Array, parts: int) -> Array:
    pieces = [np.linspace(a, b, parts, endpoint=False) for a, b in pairwise(breaks)]
    return np.append(np.concatenate(pieces), breaks[-1])


def _missed(first: Array, second: Array, c: Array, corners: Array, parts: int) -> float:
    """Largest distance of the bicubic elements from the surface."""
    s = np.linspace(0.0, 1.0, 5)
    H = np.stack((1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2), axis=1)
    worst = 0.0
    for i in range(corners.shape[0]):
        h = (first[i // parts + 1] - first[i // parts]) / parts
        for j in range(corners.shape[1]):
            k = (second[j // parts + 1] - second[j // parts]) / parts
            J = corners[i, j]
            G = np.empty((4, 4, 3))  # values and slopes at both ends, of both parameters
            G[0::2, 0::2], G[1::2, 0::2] = J[:, :, 0], h * J[:, :, 1]
            G[0::2, 1::2], G[1::2, 1::2] = k * J[:, :, 2], h * k * J[:, :, 3]
            own = np.einsum("ap,bq,pqd->abd", H, H, G)
            true = _jets(c[i // parts, j // parts], (i % parts + s) * h, (j % parts + s) * k)[:, :, 0]
            worst = max(worst, float(np.linalg.norm(own - true, axis=2).max()))
    return worst


def _sheet(corners: Array, u: Array, v: Array, error: float, label: str) -> SplineSheet:
    """One node per corner; along u and v the parameters go on at their mean size in metres."""
    m, n = len(u) - 1, len(v) - 1
    nodal = np.empty((m + 1, n + 1, 4, 3))
    nodal[:-1, :-1], nodal[-1, :-1] = corners[:, :, 0, 0], corners[-1, :, 1, 0]
    nodal[:-1, -1], nodal[-1, -1] = corners[:, -1, 0, 1], corners[-1, -1, 1, 1]
    around = [nodal[a : m + a, b : n + b] for a in (0, 1) for b in (0, 1)]
    apart = np.array([np.abs(corners[:, :, a, b] - own) for (a, b), own in zip(np.ndindex(2, 2), around, strict=True)])
    if (apart.max(axis=(0, 1, 2, 4)) > 1e-8 * np.abs(nodal).max(axis=(0, 1, 3)).clip(1e-300)).any():
        raise InputError(f"{label}: the surface has a crease inside; make one sheet on each side of it")
    speeds = [float(np.mean(np.linalg.norm(nodal[:, :, k], axis=2))) for k in (1, 2)]
    nodal = nodal / np.array([1.0, speeds[0], speeds[1], speeds[0] * speeds[1]])[:, None]
    x, y = (u - u[0]) * speeds[0], (v - v[0]) * speeds[1]
    cells, corner, sets = grid_cells((m, n))
    return SplineSheet(
        nodal[:, :, 0].reshape(-1, 3), cells, nodal[:, :, 1:].reshape(-1, 3, 3),
        np.column_stack((np.diff(x)[corner[:, 0]], np.diff(y)[corner[:, 1]])),
        np.column_stack((x[corner[:, 0]], y[corner[:, 1]])), sets, error,
    )  # fmt: skip


class AlongSpline:
    """Bodies along a line that can be given as a spline."""

    @classmethod
    def of_spline(
        cls,
        name: str,
        control: NumbersLike,
        elements: int,
        section: SectionPart,
        *,
        degree: int = 3,
        knots: NumbersLike | None = None,
        weights: NumbersLike | None = None,
        tolerance: float = 1e-6,
        **options: Option,
    ) -> Self:
        """Its axis along a B-spline, Bézier or NURBS curve (see `spline_line`), each piece divided into `elements`."""
        line = spline_line(control, degree=degree, knots=knots, weights=weights, tolerance=tolerance)
        make: Any = cls
        made: Self = make(name, line.points, elements, section, tangents=line.tangents, extents=line.extents, **options)
        return made
