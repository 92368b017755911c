"""Smooth surfaces in space made of curved pieces: splines, Hermite (ANCF) patches, smoothed meshes of triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from condyle.contact.basis import Basis, Monomials, project
from condyle.contact.surface import TINY, Array, Distance, Surface, turned_inside_out
from condyle.errors import InputError
from condyle.model.given import Given, Numbers, NumbersLike, NumbersOrNone, Wholes
from condyle.model.part import rows
from condyle.model.quantities import declared, given, quantity

SQUARE = 1e-7  # of the size of the surface: sideways part of p − y, below which p stands square over y

EDGE = 1e-9  # nearer to its edge than this a foot is at the end of its piece


class Patches:
    """Pieces y(u) = Σ m_j(u) c_j, c (f, J, 3), that make one surface: closest points and how the surface curves there."""

    def __init__(self, basis: Basis, c: Array) -> None:
        from scipy.spatial import cKDTree

        self.basis, self.c = basis, c
        samples = basis.samples
        places = np.einsum("sj,fjd->fsd", basis.at(samples)[0], c)
        self.tree = cKDTree(places.reshape(-1, 3))
        self.size = float(np.ptp(places.reshape(-1, 3), axis=0).max())
        # No place of a piece is further than this from a sample of the same piece.
        fine = basis.clipped(np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 13)] * 2), axis=-1).reshape(-1, 2))
        dense = np.einsum("sj,fjd->fsd", basis.at(fine)[0], c)
        apart = np.linalg.norm(dense[:, :, None] - places[:, None], axis=3).min(axis=2)
        self.spacing = 1.2 * float(apart.max())
        self.outward: tuple[Array, Array] | None = None  # of edges (that opposite to each corner) and corners (f, 3, 3)
        self._last: tuple[NDArray[np.int64], Array] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A copy has not followed any points yet."""
        return self.__dict__ | {"_last": None}

    def distance(self, points: Array) -> Distance:
        """Signed distance from the surface, positive on the side of t_1 × t_2."""
        piece, u = self.nearest(points)
        m, first, second = self.basis.at(u)
        c = self.c[piece]
        y, t = np.einsum("nj,njd->nd", m, c), first @ c
        n = np.cross(t[:, 0], t[:, 1])
        n = n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), TINY)
        v = points - y
        gap = np.sum(v * n, axis=1)
        bend = second @ c[:, None]
        A = t @ np.swapaxes(t, 1, 2)
        b = np.einsum("nabd,nd->nab", bend, n)
        # δn = −A⁻¹ b δu · t with (A − g b) δu = t·δp
        middle = np.linalg.solve(A, b) @ np.linalg.pinv(A - gap[:, None, None] * b)
        H = -np.swapaxes(t, 1, 2) @ middle @ t
        off = np.linalg.norm(v - gap[:, None] * n, axis=1) > SQUARE * self.size
        if off.any():
            gap[off], n[off], H[off] = self._from_edge(piece[off], u[off], v[off], n[off], t[off], bend[off])
        return Distance(gap, n, 0.5 * (H + np.swapaxes(H, 1, 2)))

    def _from_edge(
        self, piece: NDArray[np.int64], u: Array, v: Array, n: Array, t: Array, bend: Array
    ) -> tuple[Array, Array, Array]:
        """Distance from an edge or a corner, where the surface ends or has a crease: normals turn about it."""
        far = np.linalg.norm(v, axis=1)
        if self.outward is not None:
            n = self._outward(piece, u)
        sign = np.where(np.sum(v * n, axis=1) < 0.0, -1.0, 1.0)
        out = v * (sign / far)[:, None]
        ends = (u <= EDGE) | ((u >= 1.0 - EDGE) & (not self.basis.triangle))
        along = np.zeros_like(u)  # direction of the edge, none at corners
        along[ends[:, 0] & ~ends[:, 1], 1] = 1.0
        along[ends[:, 1] & ~ends[:, 0], 0] = 1.0
        if self.basis.triangle:
            third = u.sum(axis=1) >= 1.0 - EDGE
            along[third] = 0.0
            along[third & ~ends.any(axis=1)] = (1.0, -1.0)
        e = np.einsum("na,nad->nd", along, t)
        stiff = np.sum(e * e, axis=1) - np.einsum("na,nb,nabd,nd->n", along, along, bend, v, optimize=True)
        tt = e[:, :, None] * e[:, None, :] / np.where(stiff > 0.0, stiff, np.inf)[:, None, None]
        H = (sign / far)[:, None, None] * (np.eye(3) - out[:, :, None] * out[:, None, :] - tt)
        return sign * far, out, H

    def _outward(self, piece: NDArray[np.int64], u: Array) -> Array:
        """Mean normals of all pieces that meet in the edge or corner where u is, of triangles; they tell the side."""
        assert self.outward is not None
        inner = np.stack((1.0 - u.sum(axis=1), u[:, 0], u[:, 1]), axis=1)
        edges, corners = self.outward
        out = edges[piece, inner.argmin(axis=1)]
        at = inner.max(axis=1) >= 1.0 - EDGE
        out[at] = corners[piece[at], inner[at].argmax(axis=1)]
        return np.asarray(out)

    def nearest(self, points: Array) -> tuple[NDArray[np.int64], Array]:
        """The piece of the closest point and where on it.

        The projection starts from where it ended for the same points the last time. That is kept where it has found a
        minimum inside the piece that is not further away than the nearest of all samples; all other points are projected on
        every piece that could be nearer than what has been found, starting from the nearest samples of it.
        """
        n = len(points)
        piece, u, least = np.zeros(n, dtype=np.int64), np.zeros((n, 2)), np.full(n, np.inf)
        waiting = np.arange(n)
        if self._last is not None and len(self._last[0]) == n:
            piece, start = self._last
            u, good = project(self.basis, self.c[piece], points, start)
            least = self._far(points, piece, u)
            edge = np.minimum(u.min(axis=1), 1.0 - (u.sum(axis=1) if self.basis.triangle else u.max(axis=1)))
            kept = good & (edge > EDGE) & (least <= self.tree.query(points)[0])
            piece, waiting = piece.copy(), np.flatnonzero(~kept)
            least[waiting] = np.inf
        samples = self.basis.samples
        tried, k = 0, min(8, self.tree.n)
        while waiting.size:
            far, near = (np.reshape(a, (len(waiting), k)) for a in self.tree.query(points[waiting], k=k))
            owner = near // len(samples)
            for column in range(tried, k):
                again = (owner[:, :column] == owner[:, column : column + 1]).any(axis=1)
                now = np.flatnonzero(~again & (far[:, column] - self.spacing <= least[waiting]))
                if not now.size:
                    continue
                here, own = waiting[now], owner[now, column]
                some, start = self._starts(points[here], own, near[now, column] % len(samples))
                new, _ = project(self.basis, self.c[own[some]], points[here[some]], start)
                away = self._far(points[here[some]], own[some], new)
                closer = np.flatnonzero(away < least[here[some]] * (1.0 - 1e-14) - TINY)
                closer = closer[
                    np.argsort(-away[closer], kind="stable")
                ]  # of several starts of a point the best comes last
                at = here[some][closer]
                piece[at], u[at], least[at] = own[some][closer], new[closer], away[closer]
            if k == self.tree.n:
                break
            waiting = waiting[far[:, -1] - self.spacing <= least[waiting]]
            tried, k = k, min(2 * k, self.tree.n)
        self._last = (piece, u.copy())
        return piece, u

    def _starts(
        self, points: Array, piece: NDArray[np.int64], nearest: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], Array]:
        """Which points to start from where on their piece: its nearest sample, and others nearer than those beside them.

        Beside, not across: of a narrow valley askew to the samples, the lowest one may have a lower neighbour across. From an
        edge the way down may lead off the piece, while there is a minimum inside: then the nearest sample inside, too.
        """
        samples = self.basis.samples
        side = round(len(samples) ** 0.5)
        if self.basis.triangle or side * side != len(samples):
            return np.arange(len(points)), samples[nearest]
        far = np.linalg.norm(self.tree.data.reshape(-1, len(samples), 3)[piece] - points[:, None], axis=2)
        grid = np.pad(far.reshape(-1, side, side), ((0, 0), (1, 1), (1, 1)), constant_values=np.inf)
        around = [grid[:, a : a + side, b : b + side] for a, b in ((0, 1), (2, 1), (1, 0), (1, 2))]
        low = (grid[:, 1:-1, 1:-1] < np.min(around, axis=0)).reshape(len(points), -1)
        inside = np.zeros((side, side), dtype=bool)
        inside[1:-1, 1:-1] = True
        within = np.where(inside.ravel(), far, np.inf).argmin(axis=1)
        low[np.arange(len(points)), within] |= ~inside.ravel()[nearest]
        low[np.arange(len(points)), nearest] = True
        some, sample = np.nonzero(low)
        return some, samples[sample]

    def _far(self, points: Array, piece: NDArray[np.int64], u: Array) -> Array:
        y = np.einsum("nj,njd->nd", self.basis.at(u)[0], self.c[piece])
        return np.asarray(np.linalg.norm(points - y, axis=1))

    def outline(self) -> list[NumbersLike]:
        """The edges of all pieces."""
        s = np.linspace(0.0, 1.0, 7)
        zero = np.zeros_like(s)
        edges = [np.stack((s, zero), axis=1), np.stack((zero, s), axis=1)]
        if self.basis.triangle:
            edges.append(np.stack((s, 1.0 - s), axis=1))
        else:
            edges += [np.stack((s, zero + 1.0), axis=1), np.stack((zero + 1.0, s), axis=1)]
        return [self.basis.at(e)[0] @ c for c in self.c for e in edges]


class _Patched(Surface, abstract=True):
    """A surface that is made of patches."""

    dimensions: ClassVar[tuple[int, ...]] = (3,)
    inside: bool
    _made: Any

    def distance(self, points: Array) -> Distance:
        return turned_inside_out(self._made.distance(points), self.inside)

    def outline(self, dimension: int) -> list[NumbersLike]:
        return list(self._made.outline())


_BICUBIC = Monomials([(i, j) for i in range(4) for j in range(4)])
# Powers of a cubic on 0 … 1 from its value and slope at 0, and at 1.
_HERMITE = np.array([(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (-3.0, -2.0, 3.0, -1.0), (2.0, 1.0, -2.0, 1.0)])


@declared
class SplineSurface(_Patched):
    """The C² bicubic spline through a grid of points [m], shape (k, l, 3); its outside is where ∂y/∂k × ∂y/∂l points.

    closed: which of the two directions come back to their start (the first point is not given twice). inside: the material
    is on the other side. Beyond open edges, distances are those from the edge.
    """

    points: Numbers
    closed: Given[Sequence[bool], tuple[bool, ...]] = given(default=(False, False))
    inside: bool = False
    _made: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        from scipy.interpolate import CubicSpline

        P = np.array(self.points, dtype=float)
        self.points = P.tolist()
        self.closed = tuple(bool(c) for c in self.closed)
        if P.ndim != 3 or P.shape[2] != 3 or min(P.shape[:2]) < 3 or len(self.closed) != 2:
            raise InputError(
                f"{self.label}: give at least 3 × 3 points in space and two values for closed, not {P.shape}"
            )
        if not np.isfinite(P).all():
            raise InputError(f"{self.label}: its points must be finite numbers")
        for axis in (0, 1):
            steps = np.linalg.norm(np.diff(P, axis=axis), axis=2)
            if steps.max(axis=axis).min() <= 1e-9 * np.ptp(P, axis=(0, 1)).max():
                raise InputError(f"{self.label}: points that follow each other coincide; remove them")
            P = np.concatenate((P, np.take(P, [0], axis=axis)), axis=axis) if self.closed[axis] else P
        ends: list[Any] = ["periodic" if c else "natural" for c in self.closed]
        c = CubicSpline(np.arange(P.shape[0]), P, axis=0, bc_type=ends[0]).c[::-1]  # (4, k, l, 3)
        c = CubicSpline(np.arange(P.shape[1]), np.moveaxis(c, 2, 0), axis=0, bc_type=ends[1]).c[::-1]  # (4, l, 4, k, 3)
        self._made = Patches(_BICUBIC, np.transpose(c, (3, 1, 2, 0, 4)).reshape(-1, 16, 3))


@declared
class HermiteSurface(_Patched):
    """Bicubic patches between nodes with slopes: what a bicubic Plate is, as a surface that a rigid body carries.

    nodes [m] (n, 3); cells: 4 node numbers each, in turn; gradients r_x, r_y(, r_xy) of the nodes, (n, 2 or 3, 3);
    extents: lengths of the cells in x and y [m] (m, 2), 1 if not given. The outside is where r_x × r_y points; inside: the
    other side.
    """

    nodes: Numbers = quantity("m")
    cells: Wholes
    gradients: Numbers = quantity("m")
    extents: NumbersOrNone = quantity("m", default=None)
    inside: bool = False
    _made: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("nodes", "gradients", *(("extents",) if self.extents is not None else ())):
            rows(self, name)
        rows(self, "cells", whole=True)
        X, F, G = np.array(self.nodes), np.array(self.cells), np.array(self.gradients)
        if X.ndim != 2 or X.shape[1] != 3 or F.ndim != 2 or F.shape[1] != 4:
            raise InputError(f"{self.label}: nodes must be (n, 3) and cells rows of 4 node numbers")
        if F.min() < 0 or F.max() >= len(X):
            raise InputError(f"{self.label}: a cell refers to node {F.max()}, but there are {len(X)} nodes")
        if G.shape not in ((len(X), 2, 3), (len(X), 3, 3)):
            raise InputError(f"{self.label}: gradients must have the shape ({len(X)}, 2 or 3, 3), not {G.shape}")
        L = np.ones((len(F), 2)) if self.extents is None else np.array(self.extents)
        if L.shape != (len(F), 2) or L.min() <= 0.0:
            raise InputError(f"{self.label}: extents must be two positive lengths for each of the {len(F)} cells")
        values = np.zeros((len(F), 4, 4, 3))
        for corner, (i, j) in enumerate(((0, 0), (2, 0), (2, 2), (0, 2))):
            at = F[:, corner]
            values[:, i, j] = X[at]
            values[:, i + 1, j] = L[:, :1] * G[at, 0]
            values[:, i, j + 1] = L[:, 1:] * G[at, 1]
            if G.shape[1] == 3:
                values[:, i + 1, j + 1] = L[:, :1] * L[:, 1:] * G[at, 2]
        c = np.einsum("ip,jq,fpqd->fijd", _HERMITE, _HERMITE, values)
        self._made = Patches(_BICUBIC, c.reshape(-1, 16, 3))


class _Gregory(Basis):
    """Quartic Bézier triangle whose inner points are blended, (1 − u − v, u, v) = (a, b, c) (Walton and Meek 1996).

    Functions: a⁴ 4a³b 6a²b² 4ab³, the same from b to c and from c to a, then 12a²bc times b and c over b + c, and in turn.
    """

    triangle = True
    count = 18
    parameters = 2

    def __init__(self) -> None:
        self._powers = Monomials([(i, j) for i in range(5) for j in range(5 - i)], triangle=True)
        edges, inner = [], []
        for k in range(3):
            edges += [_bezier({k: 4 - j, (k + 1) % 3: j}, (1, 4, 6, 4)[j]) for j in range(4)]
            inner.append(_bezier({k: 2, (k + 1) % 3: 1, (k + 2) % 3: 1}, 12))
        self.of_powers = np.array([[p[tuple(q)] for p in edges + inner] for q in self._powers.powers])

    def at(self, u: Array) -> tuple[Array, Array, Array]:
        m, first, second = (part @ self.of_powers for part in self._powers.at(u))
        n = len(u)
        all_jets = np.stack((m, first[:, 0], first[:, 1], second[:, 0, 0], second[:, 0, 1], second[:, 1, 1]))
        out = np.empty((6, n, 18))
        out[:, :, :12] = all_jets[:, :, :12]
        linear = np.zeros((3, 6, n))  # a, b, c
        linear[:, 0] = 1.0 - u[:, 0] - u[:, 1], u[:, 0], u[:, 1]
        linear[0, 1:3], linear[1, 1], linear[2, 2] = -1.0, 1.0, 1.0
        for k in range(3):
            b, c = linear[(k + 1) % 3], linear[(k + 2) % 3]
            common = _jet(all_jets[:, :, 12 + k], _inverse_jet(b + c))
            out[:, :, 12 + 2 * k], out[:, :, 13 + 2 * k] = _jet(common, b), _jet(common, c)
        second = np.stack((out[3], out[4], out[4], out[5]), axis=1).reshape(n, 2, 2, self.count)
        return out[0], np.stack((out[1], out[2]), axis=1), second


def _bezier(exponents: dict[int, int], factor: int) -> dict[tuple[int, int], float]:
    """factor · Π of powers of a = 1 − u − v, b = u, c = v, as coefficients of powers of u and v up to 4."""
    out = np.zeros((5, 5))
    i, j, k = exponents.get(1, 0), exponents.get(2, 0), exponents.get(0, 0)
    for p in range(k + 1):
        for q in range(k + 1 - p):
            ways = math.factorial(k) // (math.factorial(p) * math.factorial(q) * math.factorial(k - p - q))
            out[i + p, j + q] += factor * (-1.0) ** (p + q) * ways
    return {(p, q): float(out[p, q]) for p in range(5) for q in range(5)}


def _jet(f: Array, g: Array) -> Array:
    """Product of two functions given by value, ∂u, ∂v, ∂uu, ∂uv, ∂vv (6, n)."""
    out = f * g[0] + f[0] * g
    out[0] = f[0] * g[0]
    out[3] += 2.0 * f[1] * g[1]
    out[4] += f[1] * g[2] + f[2] * g[1]
    out[5] += 2.0 * f[2] * g[2]
    return np.asarray(out)


def _inverse_jet(f: Array) -> Array:
    """1/f of a linear function f ≥ 0; where it is 0, at a corner, what it is multiplied with is 0 twice."""
    r = 1.0 / np.maximum(f[0], 1e-9)
    return np.stack(
        (r, -f[1] * r**2, -f[2] * r**2, 2.0 * f[1] ** 2 * r**3, 2.0 * f[1] * f[2] * r**3, 2.0 * f[2] ** 2 * r**3)
    )


def smoothed(V: Array, N: Array, across: Array | None = None) -> Patches:
    """A surface with continuous normals through the corners V of triangles (f, 3, 3), with normals N there.

    It is that of Walton and Meek (1996). across: normals of the neighbours at the ends of the three edges (f, 3, 2, 3);
    where they differ, the edge stays sharp.
    """
    edge = []
    for k in range(3):
        P, Q, own = V[:, k], V[:, (k + 1) % 3], (N[:, k], N[:, (k + 1) % 3])
        made = _edge(P, Q, *own)
        if across is not None:
            others = across[:, k, 0], across[:, k, 1]
            sharp = np.any((own[0] != others[0]) | (own[1] != others[1]), axis=1)[:, None]
            made = [np.where(sharp, s, e) for s, e in zip(_crease(P, Q, own, others), made, strict=True)]
        edge.append(made)
    # Quartic control points along the edges, the last one left out
    L = [_raised(e) for e in edge]
    boundary = [L[k][j] for k in range(3) for j in range(4)]
    ribbon = [_ribbon(k, edge, L, N) for k in range(3)]
    # Inner point opposite to the edge b–c, near corner k: at the edge k → k+1 the first of its ribbon, at k−1 → k the second
    inner = [point for k in range(3) for point in (ribbon[k][0], ribbon[(k + 2) % 3][1])]
    return Patches(_Gregory(), np.stack(boundary + inner, axis=1))


def _edge(P: Array, Q: Array, N: Array, M: Array) -> list[Array]:
    """Control points of a cubic from P to Q that is square to normals N and M at its ends."""
    d = np.linalg.norm(Q - P, axis=1, keepdims=True)
    g = (Q - P) / d
    a = np.sum(N * M, axis=1, keepdims=True)
    n, m = np.sum(N * g, axis=1, keepdims=True), np.sum(M * g, axis=1, keepdims=True)
    rho, sigma = 6.0 * (2.0 * n + a * m) / (4.0 - a * a), 6.0 * (2.0 * m + a * n) / (4.0 - a * a)
    return [
        P,
        P + d * (6.0 * g - 2.0 * rho * N + sigma * M) / 18.0,
        Q - d * (6.0 * g + rho * N - 2.0 * sigma * M) / 18.0,
        Q,
    ]


def _crease(P: Array, Q: Array, own: tuple[Array, Array], others: tuple[Array, Array]) -> list[Array]:
    """Control points of a cubic from P to Q that is square to the normals of both sides at its ends, nearly an arc."""
    g = Q - P
    d = np.linalg.norm(g, axis=1, keepdims=True)
    g = g / d
    out = [P]
    for at, sign, a, b in ((P, 1.0, own[0], others[0]), (Q, -1.0, own[1], others[1])):
        t = np.cross(a, b)
        t = t * np.where(np.sum(t * g, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        mean = (a + b) / np.maximum(np.linalg.norm(a + b, axis=1, keepdims=True), TINY)
        plain = g - np.sum(g * mean, axis=1, keepdims=True) * mean  # where the crease ends, both normals are the same
        t = np.where(np.linalg.norm(t, axis=1, keepdims=True) > 0.05, t, plain)
        t = t / np.linalg.norm(t, axis=1, keepdims=True)
        out.append(at + sign * t * 2.0 * d / (3.0 * (1.0 + np.sum(t * g, axis=1, keepdims=True))))
    return [*out, Q]


def _raised(c: list[Array]) -> list[Array]:
    """The same cubic as a quartic."""
    return [c[0], 0.25 * c[0] + 0.75 * c[1], 0.5 * c[1] + 0.5 * c[2], 0.75 * c[2] + 0.25 * c[3], c[3]]


def _ribbon(k: int, edge: list[list[Array]], L: list[list[Array]], N: Array) -> tuple[Array, Array]:
    """The two inner points that make the tangent plane along edge k → k + 1 the same for both of its triangles.

    Across the edge, D(t) = λ(t) W(t) + μ(t) A(t): W along the edge, A square to it and to the normal, λ and μ linear,
    as the other two edges have them at its ends.
    """
    W = [edge[k][j + 1] - edge[k][j] for j in range(3)]
    first, last = np.cross(N[:, k], W[0]), np.cross(N[:, (k + 1) % 3], W[2])
    A = [first / np.linalg.norm(first, axis=1, keepdims=True), last / np.linalg.norm(last, axis=1, keepdims=True)]
    mean = A[0] + A[1]
    A = [A[0], mean / np.linalg.norm(mean, axis=1, keepdims=True), A[1]]
    own = L[k]
    start = L[(k + 2) % 3][3] - 0.5 * (own[0] + own[1])  # the neighbour of corner k on the edge that comes to it
    end = L[(k + 1) % 3][1] - 0.5 * (own[3] + own[4])

    def along(D: Array, of: Array) -> Array:
        return np.asarray(np.sum(D * of, axis=1, keepdims=True) / np.sum(of * of, axis=1, keepdims=True))

    lam, mu = (along(start, W[0]), along(end, W[2])), (along(start, A[0]), along(end, A[2]))
    one = (2.0 * lam[0] * W[1] + lam[1] * W[0] + 2.0 * mu[0] * A[1] + mu[1] * A[0]) / 3.0
    two = (lam[0] * W[2] + 2.0 * lam[1] * W[1] + mu[0] * A[2] + 2.0 * mu[1] * A[1]) / 3.0
    return 0.5 * (own[1] + own[2]) + one, 0.5 * (own[2] + own[3]) + two
