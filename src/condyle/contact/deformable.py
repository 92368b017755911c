"""Points against pieces of a surface that deforms: straight facets of solids, curved elements of ANCF bodies.

A piece is y(u) = Σ N_k(u) x_k. The foot of a point p on it has weights that depend on where it is; they are found inside
the law, and their change is in the tangent (`contact/foot.py`).

Friction works on the slip z_α = e_α·(p − ȳ) in a frame n, e_α of the piece; ȳ is where the material point is now that the
point stood over when the step began. Its force acts at the foot, on e_α·w + g e_α·t^β ν_β, which no rigid motion changes:
force and opposite force have no moment, and what sticks goes along with the target wherever it turns.

A point slides from piece to piece without limit. The matrix has room for those near each point; where a point leaves
them, its pattern is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.basis import Basis, Monomials, project
from condyle.contact.foot import Foot, Variation
from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.pair import ContactPair, Held, Terms
from condyle.contact.response import END, STICK, UNDECIDED, Approach, Recent, Response, Status, hold_open, on_pieces
from condyle.contact.summing import Sharing, summed
from condyle.contact.surface import Array
from condyle.system.tables import DIRECTOR, FREE
from condyle.system.touching.feet import find_feet
from condyle.system.touching.near import nearest_facets
from condyle.system.touching.nearest import NEAR_FACES, NEAR_LINES, TRIED
from condyle.system.touching.pieces import BEYOND, OUTSIDE
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem

NEAR = {2: NEAR_LINES, 3: NEAR_FACES}  # pieces near a point that are looked at, and that the matrix has room for


class Pieces(NamedTuple):
    """The pieces of a target: y(u) = Σ_j m_j(u) Σ_k C_jk x_k."""

    basis: Basis
    vectors: Sequence[Weights]  # positions and gradients x_k of the target
    cells: NDArray[np.int64]  # (f, K) into vectors
    coefficients: Array  # C (f, J, K)
    side: float = 1.0  # −1: the outside is against t_1 × t_2 (in the plane, on the left of t)
    offset: float = 0.0  # [m] of the outer surface from the pieces: half of the thickness of a plate


@dataclass
class FacetPair(ContactPair):
    """One contact, compiled: `points` against the pieces of a surface that deforms."""

    name: str
    points: Sequence[Weights]
    areas: Array
    labels: Sequence[str]
    pieces: Pieces
    excluded: Sequence[NDArray[np.int64]]  # pieces that each point does not see: those it belongs to
    law: ContactLaw
    rub: FrictionLaw | None
    stiffness: Array | None
    depth: float  # [m] further inside than this a point is not held to be in contact
    d: int
    body: str = ""
    target: str = ""
    nodes: NDArray[np.int64] | None = None
    radius: float = 0.0
    overlap: str = "report"
    dynamic = True
    elastic = True
    kernels = True  # False: the formulas in Python, for comparison

    def __post_init__(self) -> None:
        self._now: Foot | None = None
        self._start: Foot | None = None
        self._before: tuple[Array, Foot] | None = None  # see `foot_before`
        self.turn = np.zeros(
            (0, self.d, self.d)
        )  # of the frames, where a point has come to another piece within a step
        self.allowed = np.zeros(len(self.points))
        self.point_rows, self.point_weights = padded(self.points)
        self.vector_rows, self.vector_weights = padded(self.pieces.vectors)
        self.cells = self.pieces.cells
        basis = self.pieces.basis
        self.flat = isinstance(basis, Monomials) and basis.linear
        self.triangles = np.ascontiguousarray(np.broadcast_to(basis.triangle, len(self.cells)))
        self.coefficients = np.ascontiguousarray(self.pieces.coefficients, dtype=float)
        most = max((len(e) for e in self.excluded), default=0)
        self.excluded_pieces = np.full((len(self.points), most), -1, dtype=np.int64)
        for k, e in enumerate(self.excluded):
            self.excluded_pieces[k, : len(e)] = e

    count = property(lambda self: len(self.point_rows))

    def prepare(self, system: RunningSystem) -> None:
        """Remember where the unknowns are."""
        self.table = system.rows

    def take(self, rows: NDArray[np.int64], weights: Array, excluded: NDArray[np.int64] | None = None) -> None:
        """Other points: their rows and weights (n, k), and pieces that they do not see (n, e), −1 for none."""
        self.point_rows, self.point_weights = rows, weights
        self.excluded_pieces = np.full((len(rows), 0), -1, dtype=np.int64) if excluded is None else excluded
        self._now = self._start = self._before = None

    def start(self, foot: Foot) -> None:
        """Where the points are as a step begins."""
        self._now, self._start, self._before = foot, foot, None
        self.turn = np.tile(np.eye(self.d), (self.count, 1, 1))

    @property
    def began(self) -> Foot | None:
        """Where the points were as the step began."""
        return self._start

    # --- kinematics -----------------------------------------------------------------------------------------------------

    def places(self, x: Array) -> Array:
        """Places of the points in the world [m], (n, d)."""
        return np.asarray(np.einsum("nr,nra->na", self.point_weights, x[self.point_rows]))

    def vector_values(self, x: Array) -> Array:
        """The vectors of the target: nodes [m], gradients."""
        return np.asarray(np.einsum("nr,nra->na", self.vector_weights, x[self.vector_rows]))

    def nearest(self, x: Array) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
        """The nearest piece of each point (n,), where on it (n, p), and all that are near it (n, k)."""
        V, p = self.vector_values(x)[self.cells], self.places(x)
        return self._nearest_flat(V, p) if self.flat else self._nearest_curved(V, p)

    def _nearest_flat(self, V: Array, p: Array) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
        from scipy.spatial import cKDTree

        k = min(NEAR[self.d], len(V))
        near = np.reshape(cKDTree(V.mean(axis=1)).query(p, k=k)[1], (len(p), k)).astype(np.int64)
        best = np.empty(len(p), dtype=np.int64)
        nearest_facets(np.ascontiguousarray(V).ravel(), np.ascontiguousarray(p), near, self.excluded_pieces, best)
        return best, np.zeros((len(p), self.d - 1)), near

    def _nearest_curved(self, V: Array, p: Array) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
        """From the nearest of samples spread over all pieces: the projection starts from several of them."""
        from scipy.spatial import cKDTree

        basis = self.pieces.basis
        c = self.pieces.coefficients @ V
        sampled, parameters = basis.sampled(c)
        places, samples = sampled.reshape(-1, self.d), parameters.reshape(-1, self.d - 1)
        k = min(2 * NEAR[self.d], len(places))
        near = np.reshape(cKDTree(places).query(p, k=k)[1], (len(p), k))
        facets = near // sampled.shape[1]
        best, at, least = facets[:, 0].copy(), samples[near[:, 0]], np.full(len(p), np.inf)
        for column in near[:, :TRIED].T:
            facet = column // sampled.shape[1]
            u, _ = project(basis.some(facet), c[facet], p, samples[column])
            far = np.linalg.norm(p - np.einsum("nj,njd->nd", basis.at(u)[0], c[facet]), axis=1)
            far[(self.excluded_pieces == facet[:, None]).any(axis=1)] = np.inf
            closer = far < least * (1.0 - 1e-12)
            best[closer], at[closer], least[closer] = facet[closer], u[closer], far[closer]
        return best, at, facets

    def foot(self, x: Array, facet: NDArray[np.int64], start: Array) -> Foot:
        """The foot of each point on a given piece, or a little beyond its edge; start: parameters near it (n, p)."""
        basis, d = self.pieces.basis.some(facet), self.d
        if self.kernels and isinstance(basis, Monomials):
            return self._foot_by_kernel(x, facet, start)
        V, p = self.vector_values(x)[self.cells[facet]], self.places(x)
        C = self.pieces.coefficients[facet]
        c = C @ V
        if self.flat:
            t = c[:, 1:]
            u = np.linalg.solve(t @ np.swapaxes(t, 1, 2), np.einsum("nai,ni->na", t, p - c[:, 0])[:, :, None])[:, :, 0]
        else:
            u, _ = project(basis, c, p, start, OUTSIDE)
        m, first, second = basis.at(u)
        N, slopes = np.einsum("nj,njk->nk", m, C), first @ C
        bends = np.zeros((len(p), d - 1, d - 1, 0)) if self.flat else second @ C[:, None]
        curving = np.zeros((len(p), d - 1, d - 1, d)) if self.flat else second @ c[:, None]
        t = slopes @ V
        along = t[:, 0] / np.maximum(np.linalg.norm(t[:, 0], axis=1, keepdims=True), 1e-300)
        if d == 2:
            n = self.pieces.side * np.stack((along[:, 1], -along[:, 0]), axis=1)
            frame = np.stack((n, along), axis=1)
        else:
            n = np.cross(t[:, 0], t[:, 1])
            n = self.pieces.side * n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
            frame = np.stack((n, along, np.cross(n, along)), axis=1)
        distance = np.sum((p - np.einsum("nk,nkd->nd", N, V)) * n, axis=1)
        inverse: Array = np.linalg.inv(t @ np.swapaxes(t, 1, 2)).astype(float)
        return Foot(facet, u, N, slopes, bends, frame, distance, t, curving, inverse)

    def _foot_by_kernel(self, x: Array, facet: NDArray[np.int64], start: Array) -> Foot:
        """The same in compiled code, which knows monomials."""
        basis, n, d, K = self.pieces.basis, self.count, self.d, self.cells.shape[1]
        assert isinstance(basis, Monomials)
        p, curved = d - 1, 0 if self.flat else K
        shapes = ((n, p), (n, K), (n, p, K), (n, p, p, curved), (n, d, d), (n,), (n, p, d), (n, p, p, d), (n, p, p))
        found = tuple(map(np.empty, shapes))
        find_feet(
            basis.powers, self.triangles, self.coefficients, self.vector_values(x), self.cells, self.places(x), facet,
            start, self.flat, self.pieces.side, OUTSIDE, found,
        )  # fmt: skip
        return Foot(facet, *found)

    def nearest_foot(self, x: Array) -> Foot:
        """The foot of each point on the piece nearest to it."""
        facet, u, _ = self.nearest(x)
        return self.foot(x, facet, u)

    def gap_of(self, foot: Foot) -> Array:
        """Distance from the outer surface, less the radius of balls [m]."""
        return foot.distance - self.pieces.offset - self.radius

    def _margin(self, foot: Foot) -> Array:
        """How far the foot is inside its piece, in parameters; negative beyond an edge."""
        inside = foot.u.min(axis=1)
        triangle = self.pieces.basis.some(foot.facet).triangle
        return np.minimum(inside, 1.0 - np.where(triangle, foot.u.sum(axis=1), foot.u.max(axis=1)))

    def reachable(self, foot: Foot) -> NDArray[np.bool_]:
        """Over its piece, or hardly beyond, and not on the far side of the body."""
        return (self._margin(foot) > -OUTSIDE * (1.0 - 1e-9)) & (self.gap_of(foot) > -self.depth)

    def gaps_at(self, foot: Foot) -> Array:
        """Gaps of points from their feet; of those that no piece faces, the distance to the nearest one."""
        gap = self.gap_of(foot)
        return np.where(self.reachable(foot), gap, np.abs(gap) + foot.length)

    def gaps(self, x: Array) -> Array:
        """Gap of each point [m]; of those that no piece faces, the distance to the nearest one."""
        return self.gaps_at(self.nearest_foot(x))

    def normals(self, x: Array) -> Array:
        """Outward normals of the target (n, d)."""
        return self.nearest_foot(x).normal

    def slide(self, before: Array, after: Array) -> Array:
        """Tangential motion of the points over the target between two configurations (n, d)."""
        foot = self.nearest_foot(before)
        move = self.places(after) - self.places(before)
        there = (self.vector_values(after) - self.vector_values(before))[self.cells[foot.facet]]
        move = move - np.einsum("nk,nka->na", foot.N, there)
        return np.asarray(move - np.sum(move * foot.normal, axis=1, keepdims=True) * foot.normal)

    # --- rows and unknowns ----------------------------------------------------------------------------------------------

    def layout(self, *facets: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array, list[Array]]:
        """Rows (n, nr), weights on them of the point (n, nr), and of the vectors of given pieces (n, K, nr) each."""
        cells = [self.cells[f] for f in facets]
        own, each = self.point_rows.shape[1], self.vector_rows.shape[1]
        wide = (self.count, self.cells.shape[1] * each)
        rows = np.concatenate((self.point_rows, *(self.vector_rows[c].reshape(wide) for c in cells)), axis=1)
        point = np.zeros(rows.shape)
        point[:, :own] = self.point_weights
        out = []
        at = own
        for cell in cells:
            W = np.zeros((self.count, cell.shape[1], rows.shape[1]))
            for k in range(cell.shape[1]):
                W[:, k, at : at + each] = self.vector_weights[cell[:, k]]
                at += each
            out.append(W)
        return rows, point, out

    def columns_of(self, rows: NDArray[np.int64], real: Any) -> NDArray[np.int64]:
        kind, unknown = self.table.kind[rows], self.table.unknown[rows]
        moves = ((kind == FREE) | (kind == DIRECTOR)) & real
        columns = np.where(moves[:, :, None], unknown[:, :, None] + np.arange(self.d), -1)
        if self.d == 2:
            columns[(kind == DIRECTOR) & real, 1] = -1
        return np.asarray(columns.reshape(len(rows), -1))

    def reserve(self, x: Array) -> NDArray[np.int64]:
        """Columns that the matrix must have room for: the point and the vectors of the pieces near it."""
        near = self.nearest(x)[2]
        in_use = [f.facet[:, None] for f in (self._start, self._now) if f is not None]
        near = np.concatenate((near, *in_use), axis=1)
        vectors = _unique_rows(self.cells[near].reshape(self.count, -1))
        rows = np.concatenate((self.point_rows, self.vector_rows[vectors].reshape(self.count, -1)), axis=1)
        there = (vectors >= 0)[:, :, None] & (self.vector_weights[vectors] != 0.0)
        return self.columns_of(rows, np.concatenate((self.point_weights != 0.0, there.reshape(self.count, -1)), axis=1))

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
        foot = self.nearest_foot(x)
        rows, point, (W,) = self.layout(foot.facet)
        vary = Variation(foot, point, W)
        return self.columns_of(rows, vary.real), vary.lift(foot.normal, vary.weights, self.maps(x, rows))

    # --- equations ------------------------------------------------------------------------------------------------------

    def begin(self, x: Array, force: Array, slip: Array) -> tuple[Array, Array]:
        """A new step from x: the nearest pieces are looked for again, and stuck points are held where they stand now.

        force, slip: as the memory has them, in the world; returned in the frames of the pieces, where they are unknowns.
        """
        self.start(self.nearest_foot(x))
        if self.friction == 0.0:
            return force, slip
        assert self._start is not None
        Q = self._start.frame
        return np.einsum("nij,nj->ni", Q, force), np.einsum("nij,nj->ni", Q, slip)

    def end(self, force: Array, response: Response) -> tuple[Array, Array]:
        """The unknowns `force` and the elastic slip of the response as the memory has them: in the world."""
        assert self._now is not None
        if self.soft:
            force = response.force[:, : self.reported]
        if self.friction == 0.0:
            return force, np.zeros((self.count, self.d))
        Q = self._now.frame
        if not self.soft:
            force = np.einsum("nij,nj->ni", self.turn, force)
        return np.einsum("nij,ni->nj", Q, force), np.einsum("nij,ni->nj", Q, response.slip)

    def respond(
        self, x0: Array, x1: Array, lam: Array, r: Array, recent: Recent, where: str, taken: Status
    ) -> Response:
        """The condition at the iterate x1, as on a plane: its coordinates are the gap and, with friction, the slip z."""
        foot = self.follow(x1)
        faces = self.reachable(foot)
        gap = self.gaps_at(foot)
        n, width = self.count, self.reported
        start = self.foot_before(x0, foot)
        before = np.where(self.reachable(start), self.gap_of(start), gap if self.soft else np.inf)
        held = gap + self.allowed if where == END else hold_open(gap, before, self.allowed)
        out = np.tile(np.eye(width)[0], (n, 1))
        none = np.zeros((n, width, width))
        near = Approach(gap, held, out, none, out, none, before)
        taken = np.where(faces, taken, UNDECIDED)
        if self.soft:
            where, recent = on_pieces(where), recent._replace(slip=recent.slip[:, :width])
        step = self.slip_of(foot, x1) if self.rub is not None else np.zeros((n, 1))
        if self.soft or self.rub is None:
            return self.answer(near, step, lam, r, recent, where, taken)
        turned = np.einsum("nij,nj->ni", self.turn, lam)
        found = self.answer(near, step, turned, r, recent, where, taken)
        return found._replace(
            by_multiplier=found.by_multiplier @ self.turn,
            residual_by_multiplier=found.residual_by_multiplier @ self.turn,
        )

    def foot_before(self, x0: Array, foot: Foot) -> Foot:
        """Of the points on these pieces as the step began, at x0; found once, as long as they stay on their pieces."""
        kept = self._before
        if kept is None or kept[0] is not x0 or kept[1].facet is not foot.facet:
            kept = self._before = (x0, self.foot(x0, foot.facet, foot.u))
        return kept[1]

    def slip_of(self, foot: Foot, x: Array) -> Array:
        """z in the frames of the pieces (n, d), without its part along the normal."""
        z = np.einsum("nij,nj->ni", foot.frame, self.away(x))
        z[:, 0] = 0.0
        return np.asarray(z)

    def away(self, x: Array) -> Array:
        """p − ȳ: from where the material point is that the point stood over when the step began (n, d)."""
        start = self._start
        assert start is not None
        there = np.einsum("nk,nkd->nd", start.N, self.vector_values(x)[self.cells[start.facet]])
        return self.places(x) - there

    def follow(self, x: Array) -> Foot:
        """Within a step a point stays on its piece until it is clearly beyond its edge, or it could go to and fro.

        The projection starts from where the foot was; where that does not lead to a minimum, or off the piece, all pieces
        are looked at again.
        """
        old = self._now
        if old is None:
            self._now = self.nearest_foot(x)
            return self._now
        foot = self.foot(x, old.facet, old.u)
        beyond = (self._margin(foot) < -BEYOND) | (self.gap_of(foot) <= -self.depth)
        if beyond.any():
            facet, u, _ = self.nearest(x)
            stays = self.foot(x, np.where(beyond, facet, old.facet), np.where(beyond[:, None], u, foot.u))
            if self.friction > 0.0:  # the unknowns stay what they were, in frames that have turned with the piece
                turn = np.einsum("nij,nkj->nik", stays.frame, foot.frame) @ self.turn
                self.turn = np.where((stays.facet != foot.facet)[:, None, None], turn, self.turn)
            foot = stays
        self._now = foot
        return foot

    def anchored(self, end: Foot) -> tuple[NDArray[np.int64], Array, Array, Array]:
        """Rows (n, nr), weights on them of the point (n, nr), of the vectors of its piece (n, K, nr), and of p − ȳ (n, nr)."""
        start = self._start
        if self.friction == 0.0 or start is None:
            rows, point, (W,) = self.layout(end.facet)
            return rows, point, W, point
        rows, point, (W, Wbar) = self.layout(end.facet, start.facet)
        return rows, point, W, point - np.einsum("nk,nkr->nr", start.N, Wbar)

    def terms(
        self, response: Response, xt: Array, x1: Array, kappa: float, r: Array, size: float, tangent: bool
    ) -> Terms:
        """Forces on rows with the geometry of the test configuration and (if `tangent`) the matrix.

        With foot and normal of the test configuration, force and opposite force act along one line: both momenta are
        kept.
        """
        end = self._now
        assert end is not None
        test = self.foot(xt, end.facet, end.u) if xt is not x1 else end
        n, F = self.count, response.force
        places = (test, end, xt, x1)
        if self.kernels:
            rows, real, weight = self.rows_at(end)
            sharing = Sharing.alone(n, rows.shape[1], self.d)
            G, B1, bend = summed(self, rows, places, sharing, F, kappa, tangent, (n, rows.shape[1]))
        else:
            rows, real, weight, G, B1, bend = self._varied(places, F, kappa, tangent)
        force = np.einsum("ni,nira->nra", F, G)
        noise = weight * (r * (response.status > 0))[:, None] * size
        columns = self.columns_of(rows, real)
        if not tangent:
            none = np.zeros((n, 0, 0))
            return Terms(response, rows, force, noise, columns, none, none, none)
        Bt = np.einsum("nira,nrak->nirk", G, self.maps(xt, rows)).reshape(n, len(G[0]), -1)
        K = np.swapaxes(Bt, 1, 2) @ (response.by_place @ B1) + bend
        column = np.swapaxes(Bt, 1, 2) @ response.by_multiplier
        return Terms(response, rows, force, noise, columns, K, column, response.residual_by_place @ B1)

    def rows_at(self, end: Foot) -> tuple[NDArray[np.int64], NDArray[np.bool_], Array]:
        """Rows of the points and of their pieces, with friction of those as the step began, too; which count; their weights.

        All (n, nr). The weights tell how large the terms of a force are.
        """
        feet = [end] if self.friction == 0.0 or self._start is None else [end, self._start]
        cells = [self.cells[foot.facet] for foot in feet]
        wide = (self.count, cells[0].shape[1] * self.vector_rows.shape[1])
        rows = np.concatenate((self.point_rows, *(self.vector_rows[c].reshape(wide) for c in cells)), axis=1)
        weights = [self.vector_weights[c] for c in cells]
        weights[1:] = [foot.N[:, :, None] * w for foot, w in zip(feet[1:], weights[1:], strict=True)]
        real = np.concatenate((self.point_weights != 0.0, *(w.reshape(wide) != 0.0 for w in weights)), axis=1)
        size = np.zeros(rows.shape)
        own = self.point_rows.shape[1]
        size[:, :own], size[:, own : own + wide[1]] = np.abs(self.point_weights), np.abs(weights[0]).reshape(wide)
        return rows, real, size

    def _varied(
        self, places: tuple[Foot, Foot, Array, Array], F: Array, kappa: float, tangent: bool
    ) -> tuple[Any, ...]:
        """Rows, which count, their weights, gradients on rows and by unknowns, what they bend by: `summed` in Python."""
        test, end, xt, x1 = places
        rubs = self.friction > 0.0
        rows, point, W, anchor = self.anchored(end)
        vary = Variation(test, point, W)
        G, real = vary.row_gradients(rubs), vary.real | (anchor != 0.0)
        weight = np.abs(point) + np.abs(W).sum(axis=1)
        if not tangent:
            return rows, real, weight, G, G[:, :, :0], np.zeros((self.count, 0, 0))
        Mt = self.maps(xt, rows)
        M1 = Mt if xt is x1 else self.maps(x1, rows)
        vary1 = Variation(end, point, W)
        B1 = vary1.lift(end.normal, vary1.weights, M1)[:, None]
        if rubs:
            B1 = np.concatenate((B1, vary1.slip_gradients(self.away(x1), anchor, M1)), axis=1)
        return rows, real, weight, G, B1, kappa * vary.bend(F, Mt, M1)

    # --- what is read and held ------------------------------------------------------------------------------------------

    def held(self, status: NDArray[np.int8], x: Array, v: Array, rub: Array | None = None) -> Held:
        """The gap of closed points and the slip of those that stick, as rates that are held."""
        foot = self.nearest_foot(x)
        rows, point, (W,) = self.layout(foot.facet)
        G = Variation(foot, point, W).row_gradients(self.friction > 0.0)
        closed, sticks = np.flatnonzero(status), np.flatnonzero(status == STICK)
        bend = np.zeros((self.count, self.d))
        size, speed = float(foot.length.min()), float(np.abs(v).max(initial=0.0))
        if speed > 1e-100 * size:  # at rest nothing bends
            h = 1e-4 * size / speed
            ahead, behind = (self._coordinates(x + s * h * v, foot) for s in (1.0, -1.0))
            bend = (ahead - 2.0 * self._coordinates(x, foot) + behind) / h**2
        axes = [(closed, 0)] + [(sticks, a) for a in range(1, self.d) if len(sticks)]
        points = np.concatenate([at for at, _ in axes])
        gradients = np.concatenate([G[at, a] for at, a in axes])
        return Held(
            rows[points],
            gradients,
            gradients,
            np.concatenate([bend[at, a] for at, a in axes]),
            points,
            np.concatenate([foot.frame[at, a] for at, a in axes]),
            foot.normal,
        )

    def directions(self, x: Array, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array, Array]:
        foot = self.nearest_foot(x)
        rows, point, (W,) = self.layout(foot.facet)
        return rows[points], Variation(foot, point, W).row_gradients(True)[points], foot.frame[points]

    def _coordinates(self, x: Array, start: Foot) -> Array:
        """Gap and slip away from a given foot (n, d)."""
        foot = self.foot(x, start.facet, start.u)
        there = np.einsum("nk,nkd->nd", start.N, self.vector_values(x)[self.cells[start.facet]])
        z = np.einsum("nij,nj->ni", foot.frame, self.places(x) - there)
        z[:, 0] = foot.distance
        return np.asarray(z)

    def approach_rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Rate of the gap (n,) and tangential rate (n, d)."""
        foot = self.nearest_foot(x)
        rate = self.places(v) - np.einsum("nk,nka->na", foot.N, self.vector_values(v)[self.cells[foot.facet]])
        leaving = np.sum(rate * foot.normal, axis=1)
        return leaving, rate - leaving[:, None] * foot.normal


def _unique_rows(a: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each row sorted, with −1 where an entry comes again; as narrow as can be."""
    a = np.sort(a, axis=1)
    a[:, 1:][a[:, 1:] == a[:, :-1]] = -1
    a = np.sort(a, axis=1)
    return a[:, int((a >= 0).any(axis=0).argmax()) :]


def padded(vectors: Sequence[Weights]) -> tuple[NDArray[np.int64], Array]:
    """Rows and weights of gathered vectors, filled up to the same number."""
    most = max(v.rows.size for v in vectors)
    rows, weights = np.zeros((len(vectors), most), dtype=np.int64), np.zeros((len(vectors), most))
    for k, v in enumerate(vectors):
        rows[k, : v.rows.size], weights[k, : v.rows.size] = v.rows, v.values
    return rows, weights
