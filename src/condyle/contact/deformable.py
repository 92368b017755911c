"""Points against the facets of a mesh that deforms: lines in the plane, triangles in space.

The foot of a point on a facet is y = Σ N_k x_k with weights that depend on where it is; they are found inside the law,
and their change is in the tangent. With w = δp − Σ N_k δx_k, tangents t_α and their metric A,

    δg = n·w,   Δδg = −A^{αβ} [(n·Δt_β)(t_α·w) + (t_β·W)(n·δt_α) + g (n·Δt_β)(n·δt_α)].

A point slides from facet to facet without limit. The matrix has room for the facets near each point; where a point
leaves them, its pattern is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from condyle.contact import law
from condyle.contact.facets import _Lines, _Triangles
from condyle.contact.pair import AUGMENTED, PENALTY, Held, Share
from condyle.contact.surface import Array
from condyle.system.tables import DIRECTOR, FREE
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.system import System

NEAR = {2: 6, 3: 16}  # facets near a point that are looked at, and that the matrix has room for
BEYOND = 0.02  # of a facet: so far beyond its edge a point stays on it within a step
OUTSIDE = 0.3  # of a facet: so far beyond its edge a point may still be pressed by it


class Foot(NamedTuple):
    """Where points are over their facets."""

    facet: NDArray[np.int64]  # (n,)
    N: Array  # weights of the corners (n, d)
    normal: Array  # (n, d)
    gap: Array  # (n,)
    tangents: Array  # (n, d − 1, d)
    inverse: Array  # A^{αβ} (n, d − 1, d − 1)


@dataclass
class FacetPair:
    """One contact, compiled: `points` against the facets of a mesh, whose corners are `corners` (weights of nodes)."""

    name: str
    points: Sequence[Weights]
    areas: Array
    labels: Sequence[str]
    corners: Sequence[Weights]  # of the target's nodes
    facets: NDArray[np.int64]  # (f, d) into corners
    excluded: Sequence[NDArray[np.int64]]  # facets that each point does not see: those it belongs to
    condition: str
    stiffness: Array | None
    depth: float  # [m] further inside than this a point is not held to be in contact
    d: int
    body: str = ""
    target: str = ""
    nodes: NDArray[np.int64] | None = None
    radius: float = 0.0
    overlap: str = "report"
    friction = 0.0
    dynamic = True
    elastic = True

    def __post_init__(self) -> None:
        self._facet: NDArray[np.int64] | None = None
        self.allowed = np.zeros(len(self.points))
        self.point_rows, self.point_weights = _padded(self.points)
        self.corner_rows, self.corner_weights = _padded(self.corners)
        most = max((len(e) for e in self.excluded), default=0)
        self._excluded = np.full((len(self.points), most), -1, dtype=np.int64)
        for k, e in enumerate(self.excluded):
            self._excluded[k, : len(e)] = e

    count = property(lambda self: len(self.points))
    width = property(lambda self: 0 if self.condition == PENALTY else 1)
    reported = 1

    def prepare(self, system: System) -> None:
        """Remember where the unknowns are."""
        self.table = system.rows

    # --- kinematics -----------------------------------------------------------------------------------------------------

    def places(self, x: Array) -> Array:
        """Places of the points in the world [m], (n, d)."""
        return np.asarray(np.einsum("nr,nra->na", self.point_weights, x[self.point_rows]))

    def corner_places(self, x: Array) -> Array:
        """Places of the target's nodes [m]."""
        return np.asarray(np.einsum("nr,nra->na", self.corner_weights, x[self.corner_rows]))

    def nearest(self, x: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The nearest facet of each point (n,), and all that are near it (n, k)."""
        X, p = self.corner_places(x), self.places(x)
        corners = X[self.facets]
        made = (_Lines if self.d == 2 else _Triangles).bare(corners)
        k = min(NEAR[self.d], len(self.facets))
        tree = cKDTree(corners.mean(axis=1))
        near = np.reshape(tree.query(p, k=k)[1], (len(p), k))
        best, least = near[:, 0].copy(), np.full(len(p), np.inf)
        for column in near.T:
            y, _ = made.project(p, column)
            far = np.linalg.norm(p - y, axis=1)
            far[(self._excluded == column[:, None]).any(axis=1)] = np.inf
            closer = far < least * (1.0 - 1e-12)
            best[closer], least[closer] = column[closer], far[closer]
        return best, near

    def foot(self, x: Array, facet: NDArray[np.int64]) -> Foot:
        """The foot of each point on the plane of a given facet."""
        X, p = self.corner_places(x)[self.facets[facet]], self.places(x)
        t = X[:, 1:] - X[:, :1]
        n = np.stack((t[:, 0, 1], -t[:, 0, 0]), axis=1) if self.d == 2 else np.cross(t[:, 0], t[:, 1])
        n = n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
        A = np.einsum("nai,nbi->nab", t, t)
        inverse = np.linalg.inv(A)
        u = np.einsum("nab,nbi,ni->na", inverse, t, p - X[:, 0])
        N = np.concatenate((1.0 - u.sum(axis=1, keepdims=True), u), axis=1)
        return Foot(facet, N, n, np.sum((p - X[:, 0]) * n, axis=1) - self.radius, t, inverse)

    def reachable(self, foot: Foot) -> NDArray[np.bool_]:
        """Over its facet, or hardly beyond, and not on the far side of the body."""
        return (foot.N.min(axis=1) > -OUTSIDE) & (foot.gap > -self.depth)

    def gaps(self, x: Array) -> Array:
        """Gap of each point [m]; of those that no facet faces, the distance to the nearest one."""
        foot = self.foot(x, self.nearest(x)[0])
        return np.where(self.reachable(foot), foot.gap, np.abs(foot.gap) + np.sqrt(1.0 / foot.inverse[:, 0, 0]))

    def normals(self, x: Array) -> Array:
        """Outward normals of the target (n, d)."""
        return self.foot(x, self.nearest(x)[0]).normal

    def slide(self, before: Array, after: Array) -> Array:
        """Tangential motion of the points over the target between two configurations (n, d)."""
        foot = self.foot(before, self.nearest(before)[0])
        move = self.places(after) - self.places(before)
        there = (self.corner_places(after) - self.corner_places(before))[self.facets[foot.facet]]
        move = move - np.einsum("nk,nka->na", foot.N, there)
        return np.asarray(move - np.sum(move * foot.normal, axis=1, keepdims=True) * foot.normal)

    # --- rows and unknowns ----------------------------------------------------------------------------------------------

    def layout(self, facet: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array]:
        """Rows (n, nr), and weights (n, 1 + d, nr) of the point and the corners of its facet on them."""
        corner = self.facets[facet]
        rows = np.concatenate((self.point_rows, self.corner_rows[corner].reshape(self.count, -1)), axis=1)
        own, each = self.point_rows.shape[1], self.corner_rows.shape[1]
        W = np.zeros((self.count, 1 + self.d, rows.shape[1]))
        W[:, 0, :own] = self.point_weights
        for k in range(self.d):
            at = own + k * each
            W[:, 1 + k, at : at + each] = self.corner_weights[corner[:, k]]
        return rows, W

    def columns_of(self, rows: NDArray[np.int64], real: Any) -> NDArray[np.int64]:
        kind, unknown = self.table.kind[rows], self.table.unknown[rows]
        moves = ((kind == FREE) | (kind == DIRECTOR)) & real
        columns = np.where(moves[:, :, None], unknown[:, :, None] + np.arange(self.d), -1)
        if self.d == 2:
            columns[(kind == DIRECTOR) & real, 1] = -1
        return np.asarray(columns.reshape(len(rows), -1))

    def reserve(self, x: Array) -> NDArray[np.int64]:
        """Columns that the matrix must have room for: the point and all corners of the facets near it."""
        near = self.nearest(x)[1]
        corner = self.facets[near].reshape(self.count, -1)
        rows = np.concatenate((self.point_rows, self.corner_rows[corner].reshape(self.count, -1)), axis=1)
        weights = np.concatenate((self.point_weights, self.corner_weights[corner].reshape(self.count, -1)), axis=1)
        return self.columns_of(rows, weights != 0.0)

    def maps(self, x: Array, rows: NDArray[np.int64]) -> Array:
        """∂(row)/∂(its unknowns), (n, nr, d, d)."""
        d, kind = self.d, self.table.kind[rows]
        M = (kind == FREE)[:, :, None, None] * np.eye(d)
        turning = kind == DIRECTOR
        if turning.any():
            y = x[rows[turning]]
            T = np.zeros((len(y), d, d))
            if d == 2:
                T[:, 0, 0], T[:, 1, 0] = -y[:, 1], y[:, 0]
            else:
                T[:, 0, 1], T[:, 0, 2] = y[:, 2], -y[:, 1]
                T[:, 1, 2], T[:, 1, 0] = y[:, 0], -y[:, 2]
                T[:, 2, 0], T[:, 2, 1] = y[:, 1], -y[:, 0]
            M[turning] = T
        return M

    def gap_gradient(self, x: Array) -> tuple[NDArray[np.int64], Array]:
        """Columns and ∂g/∂(unknowns), both (n, nu)."""
        foot = self.foot(x, self.nearest(x)[0])
        rows, W = self.layout(foot.facet)
        G = self._row_gradient(foot, W)
        B = np.einsum("nra,nrak->nrk", G, self.maps(x, rows)).reshape(self.count, -1)
        return self.columns_of(rows, np.any(W != 0.0, axis=1)), B

    @staticmethod
    def _row_gradient(foot: Foot, W: Array) -> Array:
        """∂g/∂x_r = n (w_p − Σ N_k w_k), (n, nr, d)."""
        share = W[:, 0] - np.einsum("nk,nkr->nr", foot.N, W[:, 1:])
        return np.asarray(share[:, :, None] * foot.normal[:, None, :])

    # --- equations ------------------------------------------------------------------------------------------------------

    def respond(
        self, x0: Array, x1: Array, lam: Array, r: Array, slip: Array, conserving: bool, touching: NDArray[np.bool_]
    ) -> law.Response:
        """The condition at the iterate x1; force and derivatives along the normal only, as for one coordinate, the gap."""
        foot = self._follow(x1)
        faces = self.reachable(foot)
        gap = np.where(faces, foot.gap, np.abs(foot.gap) + np.sqrt(1.0 / foot.inverse[:, 0, 0]))
        one = np.ones((self.count, 1))
        flat = np.zeros((self.count, 1, 1))
        before = gap
        held = gap + self.allowed
        if conserving:
            start = self.foot(x0, foot.facet)
            before = np.where(self.reachable(start), start.gap, np.inf)
            held = law.hold_open(gap, before, self.allowed)
        near = law.Approach(gap, held, one, flat, one, flat, before)
        touching = touching & faces
        if self.condition == AUGMENTED:
            response = law.augmented(near, lam, r, touching)
        else:
            response = law.penalty(near, np.zeros((self.count, 1)), r, 0.0, np.zeros((self.count, 1)), False, touching)
        self._foot = foot
        return response

    def _follow(self, x: Array) -> Foot:
        """Within a step a point stays on its facet until it is clearly beyond its edge, or it could go to and fro."""
        if self._facet is None:
            self._facet = self.nearest(x)[0]
        foot = self.foot(x, self._facet)
        beyond = (foot.N.min(axis=1) < -BEYOND) | (foot.gap <= -self.depth)
        if beyond.any():
            self._facet = np.where(beyond, self.nearest(x)[0], self._facet)
            foot = self.foot(x, self._facet)
        return foot

    def begin(self) -> None:
        """A new step: the nearest facets are looked for again."""
        self._facet = None

    def share(
        self, response: law.Response, xt: Array, x1: Array, kappa: float, r: Array, size: float, tangent: bool
    ) -> Share:
        """Forces on rows with the geometry of the test configuration and (if `tangent`) the matrix.

        With foot and normal of the test configuration, force and opposite force act along one line: both momenta are
        kept.
        """
        facet = self._foot.facet
        foot = self.foot(xt, facet) if xt is not x1 else self._foot
        rows, W = self.layout(facet)
        F = response.force[:, 0]
        G = self._row_gradient(foot, W)
        force = F[:, None, None] * G
        noise = np.abs(W).sum(axis=1) * (r * (response.status > 0))[:, None] * size
        columns = self.columns_of(rows, np.any(W != 0.0, axis=1))
        n = self.count
        if not tangent:
            none = np.zeros((n, 0, 0))
            return Share(response, rows, force, noise, columns, none, none, none)
        Mt, M1 = self.maps(xt, rows), self.maps(x1, rows)
        Bt = np.einsum("nra,nrak->nrk", G, Mt).reshape(n, -1)
        B1 = np.einsum("nra,nrak->nrk", self._row_gradient(self._foot, W), M1).reshape(n, -1)
        K = response.by_place[:, 0, 0][:, None, None] * Bt[:, :, None] * B1[:, None, :]
        K += (kappa * F)[:, None, None] * self._bend(foot, W, Mt, M1)
        column = Bt[:, :, None] * response.by_multiplier
        line = response.residual_by_place * B1[:, None, :]
        return Share(response, rows, force, noise, columns, K, column, line)

    def _bend(self, foot: Foot, W: Array, Mt: Array, M1: Array) -> Array:
        """Second derivative of the gap between unknowns, (n, nu, nu)."""
        n = self.count
        share = W[:, 0] - np.einsum("nk,nkr->nr", foot.N, W[:, 1:])
        edges = W[:, 2:] - W[:, 1:2]  # of t_α on rows (n, α, nr)

        def along(vector: Array, weights: Array, M: Array) -> Array:
            """vector·(Σ weights δx_r) by unknowns: vector (n, d), weights (n, nr)."""
            return np.asarray(np.einsum("na,nr,nrak->nrk", vector, weights, M, optimize=True).reshape(n, -1))

        out = np.zeros((n, Mt.shape[1] * self.d, Mt.shape[1] * self.d))
        count = self.d - 1
        nt = [along(foot.normal, edges[:, a], Mt) for a in range(count)]
        n1 = [along(foot.normal, edges[:, a], M1) for a in range(count)]
        tw = [along(foot.tangents[:, a], share, Mt) for a in range(count)]
        t1 = [along(foot.tangents[:, a], share, M1) for a in range(count)]
        g = foot.gap + self.radius
        for a in range(count):
            for b in range(count):
                factor = -foot.inverse[:, a, b][:, None, None]
                out += factor * (tw[a][:, :, None] * n1[b][:, None, :] + nt[a][:, :, None] * t1[b][:, None, :])
                out += factor * g[:, None, None] * nt[a][:, :, None] * n1[b][:, None, :]
        return out

    # --- what is read and held ------------------------------------------------------------------------------------------

    def held(self, status: NDArray[np.int8], x: Array, v: Array) -> Held:
        """The gap of closed points, as a rate that is held."""
        foot = self.foot(x, self.nearest(x)[0])
        rows, W = self.layout(foot.facet)
        points = np.flatnonzero(status)
        gradients = self._row_gradient(foot, W)[points]
        speed = max(float(np.abs(v).max()), 1e-300)
        h = 1e-4 * float(np.sqrt(1.0 / foot.inverse[:, 0, 0]).min()) / speed
        ahead, behind = self.foot(x + h * v, foot.facet).gap, self.foot(x - h * v, foot.facet).gap
        bend = ((ahead - 2.0 * foot.gap + behind) / h**2)[points]
        return Held(rows[points], gradients, bend, points, foot.normal[points], foot.normal)

    def approach_rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Rate of the gap (n,) and tangential rate (n, d)."""
        foot = self.foot(x, self.nearest(x)[0])
        rate = self.places(v) - np.einsum("nk,nka->na", foot.N, self.corner_places(v)[self.facets[foot.facet]])
        leaving = np.sum(rate * foot.normal, axis=1)
        return leaving, rate - leaving[:, None] * foot.normal

    def normal_force(self, force: Array, x: Array) -> Array:
        """Pressing force [N] (n,)."""
        return -force[:, 0]

    def vector_force(self, force: Array, x: Array) -> Array:
        """Force on the points [N] in the world (n, d)."""
        return -force * self.normals(x)

    def to_report(self, response: law.Response, x1: Array) -> Array:
        """What is kept of the force (n, 1)."""
        return response.force

    def owner(self, point: int) -> str:
        return f"{self.name} ({self.labels[point]})"

    def stored(self, x: Array, r: Array, slip: Array) -> float:
        """Energy of a penalty [J]."""
        if self.condition != PENALTY:
            return 0.0
        g = np.minimum(self.gaps(x), 0.0)
        return float(0.5 * np.sum(r * g * g))


def _padded(vectors: Sequence[Weights]) -> tuple[NDArray[np.int64], Array]:
    """Rows and weights of gathered vectors, filled up to the same number."""
    most = max(v.rows.size for v in vectors)
    rows, weights = np.zeros((len(vectors), most), dtype=np.int64), np.zeros((len(vectors), most))
    for k, v in enumerate(vectors):
        rows[k, : v.rows.size], weights[k, : v.rows.size] = v.rows, v.values
    return rows, weights
