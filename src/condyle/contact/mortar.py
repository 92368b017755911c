"""The surface of a solid against that of another whose mesh does not match: gaps in the mean, over their common pieces.

With the shape functions N_A of the nodes of the first surface, integrated over what both surfaces have in common,

    g_A = ∫ N_A g dA / ∫ N_A dA ≥ 0,   and a force F_A per node, spread as F_A N_A / ∫ N_A dA.

Σ N_A = 1: an even pressure is even on both sides, whatever the meshes (the patch test). Pieces are cut anew at the start of
every step; within it, each of their points keeps its place on the first surface and has its own foot on the second, so
that force and opposite force act along one line.

Friction holds slips in the mean, z_A = ∫ N_A R z dA / ∫ N_A dA: R turns the slip of a point, in the frame of its piece
(`deformable`), into a frame of the node, and goes along with the pieces within a step, so that no rigid motion is felt.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements import Element, Facets
from condyle.bodies.overlap import Pieces as Common
from condyle.bodies.overlap import common_pieces, facing, triangle_rule
from condyle.contact.deformable import FacetPair, Pieces, padded
from condyle.contact.foot import Foot, Variation
from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.pair import ContactPair, Held, Terms
from condyle.contact.response import END, UNDECIDED, Approach, Recent, Response, Status, hold_open, on_pieces
from condyle.contact.summing import Sharing, summed
from condyle.contact.surface import Array
from condyle.system.touching.means import gather_rows
from condyle.system.touching.overlap import CORNERS, cut_pairs
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem

DEGREE = 4  # that is integrated exactly: N of a quadrilateral times N of a triangle
WIDTH = 64  # rows of a node that there is room for at first
REACH = 0.5  # facets further apart than this share of their size do not see each other


class Cut(NamedTuple):
    """Integration points of the common pieces of both surfaces."""

    pair: FacetPair  # of these points and the pieces of the target
    facet: NDArray[np.int64]  # of the target, that each point stands over (q,)
    u: Array  # and where on it (q, d − 1)
    nodes: NDArray[np.int64]  # of the point's own facet, counted as the points of the contact (q, K)
    share: Array  # N_A dA / ∫ N_A dA (q, K)
    alone: NDArray[np.bool_]  # nodes that nothing faces (n,)

    def mean(self, values: Array, otherwise: float = 0.0) -> Array:
        """Of values at the points (q,), for each node (n,)."""
        return np.where(self.alone, otherwise, self.total(self.share * values[:, None]))

    def total(self, values: Array) -> Array:
        """Sum of values of points and their nodes (q, K), for each node (n,)."""
        return np.asarray(np.bincount(self.nodes.ravel(), values.ravel(), len(self.alone)), dtype=float)


class Rows(NamedTuple):
    """The rows of all points that belong to a node."""

    rows: NDArray[np.int64]  # (n, nr), filled up with 0
    real: NDArray[np.bool_]  # (n, nr)
    slots: NDArray[np.int64]  # where the rows of a point stand among those of each of its nodes (q, K, rows)


@dataclass
class MortarPair(ContactPair):
    """One contact, compiled: nodes of a surface, with its facets, against the pieces of another."""

    name: str
    points: Sequence[Weights]
    areas: Array
    labels: Sequence[str]
    faces: Sequence[Facets]  # by their kinds, nodes into points
    pieces: Pieces
    others: Sequence[Facets]  # what the pieces are, in their order, nodes into their vectors
    law: ContactLaw
    rub: FrictionLaw | None
    stiffness: Array | None
    depth: float
    d: int
    body: str = ""
    target: str = ""
    nodes: NDArray[np.int64] | None = None
    overlap: str = "report"
    radius = 0.0
    dynamic = True
    elastic = True

    def __post_init__(self) -> None:
        n = len(self.points)
        self.allowed = np.zeros(n)
        self.node_rows, self.node_weights = padded(self.points)
        none = [np.zeros(0, dtype=np.int64)] * n
        self.at_nodes = FacetPair(
            self.name, self.points, self.areas, self.labels, self.pieces, none, self.law, None, None, self.depth, self.d
        )
        self._cut: Cut | None = None
        self._foot: Foot | None = None
        self._rows: Rows | None = None
        self._known: tuple[Array, tuple[Rows, Array, Cut, Foot]] | None = None  # see `_at`
        self._mix = np.zeros(0)  # from the frames of points into those of their nodes, as the step began (q, K, p, p)

    count = property(lambda self: len(self.points))

    def prepare(self, system: RunningSystem) -> None:
        """Remember where the unknowns are."""
        self.at_nodes.prepare(system)

    # --- kinematics -----------------------------------------------------------------------------------------------------

    def places(self, x: Array) -> Array:
        """Places of the nodes [m], (n, d)."""
        return self.at_nodes.places(x)

    def cut(self, x: Array) -> Cut:
        """The common pieces at x."""
        own, there, n = self.places(x), self.at_nodes.vector_values(x), self.count
        found = []
        for faces in self.faces:
            first = 0
            for other in self.others:
                common = self._common(faces.kind, own[faces.nodes], other.kind, there[other.nodes])
                found.append(self._points(faces, other.kind, first, common))
                first += len(other.nodes)
        N, nodes, weights, facet, u = (np.concatenate(part) for part in zip(*found, strict=True))
        raw = N * weights[:, None]
        whole = np.bincount(nodes.ravel(), raw.ravel(), n)
        alone = whole <= 1e-6 * whole.max(initial=0.0)
        share = np.where(alone[nodes], 0.0, raw / np.where(alone, 1.0, whole)[nodes])
        pair = copy.copy(self.at_nodes)
        pair.rub = self.rub
        shape = (len(N), nodes.shape[1] * self.node_rows.shape[1])  # there may be none
        pair.take(self.node_rows[nodes].reshape(shape), (N[:, :, None] * self.node_weights[nodes]).reshape(shape))
        return Cut(pair, facet, u, nodes, share, alone)

    def _common(self, first: Element, X: Array, second: Element, Y: Array) -> Common:
        """The common pieces of facets; in space those of facets with corners alone are cut by a kernel."""
        straight = first.nodes == first.corners and second.nodes == second.corners
        if self.d == 2 or not straight or not self.at_nodes.kernels:
            return common_pieces(first, X, second, Y, reach=REACH, degree=DEGREE)
        a, b, here, there = facing(first, X, second, Y, REACH)
        rule, weights = _rule()
        most = len(a) * CORNERS
        pair, area = np.zeros(most, dtype=np.int64), np.zeros((most, len(weights)))
        xi, eta = np.zeros((*area.shape, 2)), np.zeros((*area.shape, 2))
        count = cut_pairs(np.ascontiguousarray(here), np.ascontiguousarray(there), rule, weights, pair, xi, eta, area)
        pair = pair[:count]
        return Common(a[pair], b[pair], xi[:count], eta[:count], area[:count])

    def _points(self, faces: Facets, other: Element, first: int, common: Common) -> tuple[Any, ...]:
        """Of the points on common pieces: N and nodes of their own facets (q, K), weights, facets there, and u on them.

        Facets with fewer nodes than others are filled up with a node that has no share. first: number of the first facet there.
        """
        most = max(f.kind.nodes for f in self.faces)
        points, K = common.weights.shape[1], faces.kind.nodes
        fill = ((0, 0), (0, most - K))
        N = np.pad(faces.kind.shape(common.xi).reshape(-1, K), fill)
        nodes = np.pad(np.repeat(faces.nodes[common.first], points, axis=0), fill)
        eta = common.eta.reshape(-1, self.d - 1)
        u = eta if other.cell.simplex else 0.5 * (1.0 + eta)
        return N, nodes, common.weights.ravel(), first + np.repeat(common.second, points), u

    def _feet(self, x: Array, cut: Cut) -> Foot:
        return cut.pair.foot(x, cut.facet, cut.u)

    def _gaps(self, cut: Cut, foot: Foot) -> Array:
        return cut.mean(cut.pair.gap_of(foot), otherwise=10.0 * self.depth)

    def gaps(self, x: Array) -> Array:
        """Mean gap around each node [m]; far where nothing faces it."""
        cut = self.cut(x)
        return self._gaps(cut, self._feet(x, cut))

    def normals(self, x: Array) -> Array:
        """Mean outward normals of the target (n, d); those of the nearest facets where nothing faces a node."""
        cut = self.cut(x)
        return self._normals(x, cut, self._feet(x, cut))

    def _normals(self, x: Array, cut: Cut, foot: Foot) -> Array:
        mean = np.stack([cut.mean(foot.normal[:, k]) for k in range(self.d)], axis=1)
        if cut.alone.any():
            mean[cut.alone] = self.at_nodes.normals(x)[cut.alone]
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True))

    def slide(self, before: Array, after: Array) -> Array:
        """Tangential motion of the nodes over the target between two configurations (n, d)."""
        return self.at_nodes.slide(before, after)

    # --- rows and unknowns ----------------------------------------------------------------------------------------------

    def _together(self, cut: Cut, rows: NDArray[np.int64], real: NDArray[np.bool_]) -> Rows:
        """The rows of each node out of those of its points (q, nr)."""
        n = self.count
        slots = np.full((*cut.share.shape, rows.shape[1]), -1, dtype=np.int64)
        known = np.zeros(n, dtype=np.int64)
        room = WIDTH
        while True:  # as wide as the widest needs
            out = np.zeros((n, room), dtype=np.int64)
            if gather_rows(cut.nodes, cut.share, rows, real, out, known, slots):
                break
            room *= 2
        width = int(known.max(initial=0))
        filled = np.arange(width) < known[:, None]
        return Rows(np.ascontiguousarray(out[:, :width]), filled, slots)

    def _gather(self, cut: Cut, at: Rows, G: Array) -> Array:
        """Gradients of mean gaps and slips on the rows of the nodes (n, i, nr, d), from those of the points (q, i, rows, d)."""
        out = np.zeros((*at.rows.shape, G.shape[1], self.d))
        there = at.slots >= 0
        mixed = np.broadcast_to(G[:, None], (*cut.share.shape, *G.shape[1:]))
        if G.shape[1] > 1:
            slips = np.einsum("qkij,qjra->qkira", self._mixing(cut), G[:, 1:])
            mixed = np.concatenate((mixed[:, :, :1], slips), axis=2)
        values = np.moveaxis(cut.share[:, :, None, None, None] * mixed, 2, 3)[there]
        node = np.broadcast_to(cut.nodes[:, :, None], there.shape)[there]
        np.add.at(out, (node, at.slots[there]), values)
        return np.moveaxis(out, 2, 1)

    def _mixing(self, cut: Cut) -> Array:
        """From the frames of points, as they are now, into those of their nodes (q, K, p, p)."""
        return self._mix @ np.swapaxes(_plane_turn(cut.pair.turn[:, 1:, 1:]), 1, 2)[:, None]

    def _first_mixing(self, cut: Cut, foot: Foot) -> Array:
        """The same as a step begins: the frame of a node is that of its heaviest point."""
        order = np.argsort(cut.share, axis=None, kind="stable")
        heaviest = np.zeros(self.count, dtype=np.int64)
        heaviest[cut.nodes.ravel()[order]] = order // cut.share.shape[1]
        own = foot.frame[heaviest[cut.nodes], 1:]
        return _plane_turn(np.einsum("qkid,qjd->qkij", own, foot.frame[:, 1:]))

    def _frames(self, cut: Cut, foot: Foot) -> Array:
        """Frames of the nodes in the world (n, d, d): normal and tangents, the means of their points made square."""
        along = np.einsum("qkij,qja->qkia", self._mixing(cut), foot.frame[:, 1:])
        all_ = np.concatenate((np.broadcast_to(foot.frame[:, None, :1], (*along.shape[:2], 1, self.d)), along), axis=2)
        mean = np.tile(np.eye(self.d), (self.count, 1, 1))
        for i, a in np.ndindex(self.d, self.d):
            mean[:, i, a] = np.where(cut.alone, mean[:, i, a], cut.total(cut.share * all_[:, :, i, a]))
        U, _, V = np.linalg.svd(mean)
        return np.asarray(U @ V)

    def _at(self, x: Array) -> tuple[Rows, Array, Cut, Foot]:
        """Rows and gradients at x, with pieces cut there; kept, because the end of a step asks for them several times."""
        if self._known is not None and np.array_equal(self._known[0], x):
            return self._known[1]
        cut = self.cut(x)
        foot = self._feet(x, cut)
        rows, real, _ = cut.pair.rows_at(foot)
        at = self._together(cut, rows, real)
        sharing = Sharing(cut.nodes, cut.share, at.slots, np.zeros((*cut.share.shape, 0, 0)))
        nothing, shape = np.zeros((self.count, 1)), (self.count, at.rows.shape[1])
        G, _, _ = summed(cut.pair, rows, (foot, foot, x, x), sharing, nothing, 1.0, False, shape)
        self._known = (x.copy(), (at, G[:, 0], cut, foot))
        return self._known[1]

    def reserve(self, x: Array) -> NDArray[np.int64]:
        """Columns that the matrix must have room for: those in use, and those of the pieces at x."""
        used = [self._at(x)[0]] + ([self._rows] if self._rows is not None else [])
        rows, real = (np.concatenate([getattr(u, name) for u in used], axis=1) for name in ("rows", "real"))
        return self.at_nodes.columns_of(rows, real)

    def gap_gradient(self, x: Array) -> tuple[NDArray[np.int64], Array]:
        """Columns and ∂g/∂(unknowns), both (n, nu)."""
        at, G, _, _ = self._at(x)
        B = np.einsum("nra,nrak->nrk", G, self.at_nodes.maps(x, at.rows)).reshape(self.count, -1)
        return self.at_nodes.columns_of(at.rows, at.real), B

    # --- equations ------------------------------------------------------------------------------------------------------

    def begin(self, x: Array, force: Array, slip: Array) -> tuple[Array, Array]:
        """A new step from x: the surfaces are cut again."""
        cut = self._cut = self.cut(x)
        foot = self._foot = self._feet(x, cut)
        self._rows = None
        cut.pair.start(foot)
        if self.friction == 0.0:
            return force, slip
        self._mix = self._first_mixing(cut, foot)
        Q = self._frames(cut, foot)
        return np.einsum("nij,nj->ni", Q, force), np.einsum("nij,nj->ni", Q, slip)

    def end(self, force: Array, response: Response) -> tuple[Array, Array]:
        """Forces and elastic slip as the memory has them: with friction, in the world."""
        kept = response.force if self.soft else force
        if self.friction == 0.0:
            return kept, np.zeros((self.count, self.d))
        assert self._cut is not None
        assert self._foot is not None
        Q = self._frames(self._cut, self._foot)
        return np.einsum("nij,ni->nj", Q, kept), np.einsum("nij,ni->nj", Q, response.slip)

    def respond(
        self, x0: Array, x1: Array, lam: Array, r: Array, recent: Recent, where: str, taken: Status
    ) -> Response:
        """The condition of the mean gaps, and with friction of the mean slips, at the iterate x1."""
        cut = self._cut
        assert cut is not None
        old = None if self._foot is None else self._foot.facet
        foot = self._foot = cut.pair.follow(x1)
        if old is None or old.shape != foot.facet.shape or (old != foot.facet).any():
            self._rows = None
        gap = self._gaps(cut, foot)
        before = self._gaps(cut, cut.pair.foot_before(x0, foot))
        held = gap + self.allowed if where == END else hold_open(gap, before, self.allowed)
        out = np.tile(np.eye(self.reported)[0], (self.count, 1))
        none = np.zeros((self.count, self.reported, self.reported))
        near = Approach(gap, held, out, none, out, none, before)
        taken = np.where(cut.alone, UNDECIDED, taken)
        step = np.zeros_like(out)
        if self.friction > 0.0:
            z = np.einsum("qkij,qj->qki", self._mixing(cut), cut.pair.slip_of(foot, x1)[:, 1:])
            step[:, 1:] = np.stack([cut.total(cut.share * z[:, :, i]) for i in range(self.d - 1)], axis=1)
        if self.soft:
            where, recent = on_pieces(where), recent._replace(slip=recent.slip[:, : self.reported])
        return self.answer(near, step, lam, r, recent, where, taken)

    def terms(
        self, response: Response, xt: Array, x1: Array, kappa: float, r: Array, size: float, tangent: bool
    ) -> Terms:
        """Forces on rows with the geometry of the test configuration and (if `tangent`) the matrix."""
        cut, end, n = self._cut, self._foot, self.count
        assert cut is not None
        assert end is not None
        pair = cut.pair
        test = pair.foot(xt, end.facet, end.u) if xt is not x1 else end
        F, places = response.force, (test, end, xt, x1)
        if pair.kernels:
            rows, real, _ = pair.rows_at(end)
            at = self._rows = self._rows or self._together(cut, rows, real)
            turns = self._mixing(cut) if self.friction > 0.0 else np.zeros((len(rows), cut.nodes.shape[1], 0, 0))
            sharing = Sharing(cut.nodes, cut.share, at.slots, np.ascontiguousarray(turns))
            G, B1, bend = summed(pair, rows, places, sharing, F, kappa, tangent, (n, at.rows.shape[1]))
        else:
            at, G, B1, bend = self._varied(cut, places, F, kappa, tangent)
        force = np.einsum("ni,nira->nra", F, G)
        noise = np.abs(G).max(axis=(1, 3)) * (r * (response.status > 0))[:, None] * size
        columns = pair.columns_of(at.rows, at.real)
        if not tangent:
            none = np.zeros((n, 0, 0))
            return Terms(response, at.rows, force, noise, columns, none, none, none)
        Bt = np.einsum("nira,nrak->nirk", G, pair.maps(xt, at.rows)).reshape(n, len(G[0]), -1)
        K = np.swapaxes(Bt, 1, 2) @ (response.by_place @ B1) + bend
        column = np.swapaxes(Bt, 1, 2) @ response.by_multiplier
        return Terms(response, at.rows, force, noise, columns, K, column, response.residual_by_place @ B1)

    def _varied(
        self, cut: Cut, places: tuple[Foot, Foot, Array, Array], F: Array, kappa: float, tangent: bool
    ) -> tuple[Rows, Array, Array, Array]:
        """Rows of the nodes, gradients on them and by unknowns, what they bend by: `summed` in Python, for comparison."""
        (test, end, xt, x1), pair, n, rubs = places, cut.pair, self.count, self.friction > 0.0
        rows, point, W, anchor = pair.anchored(end)
        vary = Variation(test, point, W)
        if self._rows is None:
            self._rows = self._together(cut, rows, vary.real | (anchor != 0.0))
        at = self._rows
        G = self._gather(cut, at, vary.row_gradients(rubs))
        if not tangent:
            return at, G, G[:, :, :0, 0], np.zeros((n, 0, 0))
        Mt = pair.maps(xt, rows)
        M1 = Mt if xt is x1 else pair.maps(x1, rows)
        ends = Variation(end, point, W)
        by_point = ends.lift(end.normal, ends.weights, M1)[:, None]
        if rubs:
            by_point = np.concatenate((by_point, ends.slip_gradients(pair.away(x1), anchor, M1)), axis=1)
        by_row = by_point.reshape(len(rows), len(G[0]), rows.shape[1], self.d)
        B1 = self._gather(cut, at, by_row).reshape(n, len(G[0]), -1)
        K = np.zeros((n, B1.shape[2], B1.shape[2]))
        f = np.einsum("qk,qki->qi", cut.share, F[cut.nodes])
        if rubs:
            f[:, 1:] = np.einsum("qk,qkij,qki->qj", cut.share, self._mixing(cut), F[cut.nodes, 1:])
        pressed = np.flatnonzero(f.any(axis=1))
        if pressed.size:
            some = Variation(Foot._make(a[pressed] for a in test), point[pressed], W[pressed])
            left = Mt[pressed]
            bend = some.bend(f[pressed], left, left if M1 is Mt else M1[pressed])
            self._scatter(K, cut, at, kappa * bend, pressed)
        return at, G, B1, K

    def _scatter(self, K: Array, cut: Cut, at: Rows, bend: Array, pressed: NDArray[np.int64]) -> None:
        """Add blocks of the points in `pressed` to those of one of their nodes, which has all of their rows."""
        heavy = cut.share[pressed].argmax(axis=1)
        node, slots = cut.nodes[pressed, heavy], at.slots[pressed, heavy]
        i = np.where(slots[:, :, None] >= 0, slots[:, :, None] * self.d + np.arange(self.d), -1).reshape(
            len(pressed), -1
        )
        there = (i[:, :, None] >= 0) & (i[:, None, :] >= 0)
        width = K.shape[1]
        flat = (node[:, None, None] * width + i[:, :, None]) * width + i[:, None, :]
        K += np.bincount(flat[there], bend[there], K.size).reshape(K.shape)

    # --- what is read and held ------------------------------------------------------------------------------------------

    def held(self, status: NDArray[np.int8], x: Array, v: Array, rub: Array | None = None) -> Held:
        """The mean gaps of closed nodes, as rates that are held."""
        at, G, cut, foot = self._at(x)
        points = np.flatnonzero(status)
        bend = np.zeros(self.count)
        size, speed = float(self.depth), float(np.abs(v).max(initial=0.0))
        if points.size and speed > 1e-100 * size:  # at rest nothing bends
            h = 1e-4 * size / speed
            ahead, behind = (self._gaps(cut, self._feet(x + s * h * v, cut)) for s in (1.0, -1.0))
            bend = (ahead - 2.0 * self._gaps(cut, foot) + behind) / h**2
        normal = self._normals(x, cut, foot)
        return Held(at.rows[points], G[points], G[points], bend[points], points, normal[points], normal)

    def directions(self, x: Array, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array, Array]:
        return self.at_nodes.directions(x, points)

    def approach_rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Rate of the gap (n,) and tangential rate (n, d)."""
        return self.at_nodes.approach_rates(x, v)


@functools.cache
def _rule() -> tuple[Array, Array]:
    """Points and weights on the reference triangle."""
    return triangle_rule(DEGREE)


def _plane_turn(blocks: Array) -> Array:
    """The rotations in the plane nearest to blocks (…, p, p); 1 for p = 1."""
    if blocks.shape[-1] == 1:
        return np.ones_like(blocks)
    c, s = blocks[..., 0, 0] + blocks[..., 1, 1], blocks[..., 1, 0] - blocks[..., 0, 1]
    size = np.maximum(np.hypot(c, s), 1e-300)
    c, s = c / size, s / size
    return np.stack((np.stack((c, -s), axis=-1), np.stack((s, c), axis=-1)), axis=-2)
