"""The surface of a solid against that of another whose mesh does not match: gaps in the mean, over their common pieces.

With the shape functions N_A of the nodes of the first surface, integrated over what both surfaces have in common,

    g_A = ∫ N_A g dA / ∫ N_A dA ≥ 0,   and a force F_A per node, spread as F_A N_A / ∫ N_A dA.

Σ N_A = 1: an even pressure is even on both sides, whatever the meshes (the patch test). Pieces are cut anew at the start of
every step; within it, each of their points keeps its place on the first surface and has its own foot on the second, so
that force and opposite force act along one line.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements.element import Element
from condyle.bodies.overlap import common_pieces
from condyle.contact import law
from condyle.contact.deformable import FacetPair, Foot, Pieces, Variation, padded
from condyle.contact.pair import AUGMENTED, PENALTY, Held, Share
from condyle.contact.surface import Array
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.system import System

DEGREE = 4  # that is integrated exactly: N of a quadrilateral times N of a triangle
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
        found = np.bincount(self.nodes.ravel(), (self.share * values[:, None]).ravel(), len(self.alone))
        return np.where(self.alone, otherwise, found)


class Rows(NamedTuple):
    """The rows of all points that belong to a node."""

    rows: NDArray[np.int64]  # (n, nr), filled up with 0
    real: NDArray[np.bool_]  # (n, nr)
    slots: NDArray[np.int64]  # where the rows of a point stand among those of each of its nodes (q, K, rows)


@dataclass
class MortarPair:
    """One contact, compiled: nodes of a surface, with its facets, against the pieces of another."""

    name: str
    points: Sequence[Weights]
    areas: Array
    labels: Sequence[str]
    faces: NDArray[np.int64]  # (f, K) into points
    element: Element  # of these facets
    pieces: Pieces
    other: Element  # of the pieces
    condition: str
    stiffness: Array | None
    depth: float
    d: int
    body: str = ""
    target: str = ""
    nodes: NDArray[np.int64] | None = None
    overlap: str = "report"
    friction = 0.0
    radius = 0.0
    reported = 1
    dynamic = True
    elastic = True

    def __post_init__(self) -> None:
        n = len(self.points)
        self.allowed = np.zeros(n)
        self.node_rows, self.node_weights = padded(self.points)
        none = [np.zeros(0, dtype=np.int64)] * n
        self.at_nodes = FacetPair(
            self.name, self.points, self.areas, self.labels, self.pieces, none, PENALTY, 0.0, None, self.depth, self.d
        )
        self._cut: Cut | None = None
        self._foot: Foot | None = None
        self._rows: Rows | None = None

    count = property(lambda self: len(self.points))
    width = property(lambda self: 0 if self.condition == PENALTY else 1)

    def prepare(self, system: System) -> None:
        """Remember where the unknowns are."""
        self.at_nodes.prepare(system)

    # --- kinematics -----------------------------------------------------------------------------------------------------

    def places(self, x: Array) -> Array:
        """Places of the nodes [m], (n, d)."""
        return self.at_nodes.places(x)

    def cut(self, x: Array) -> Cut:
        """The common pieces at x."""
        own, n = self.places(x)[self.faces], self.count
        found = common_pieces(
            self.element, own, self.other, self.at_nodes.vector_values(x)[self.pieces.cells], reach=REACH, degree=DEGREE
        )
        points = found.weights.shape[1]
        N = self.element.shape(found.xi).reshape(-1, self.faces.shape[1])
        nodes = np.repeat(self.faces[found.first], points, axis=0)
        raw = N * found.weights.reshape(-1, 1)
        whole = np.bincount(nodes.ravel(), raw.ravel(), n)
        alone = whole <= 1e-6 * whole.max(initial=0.0)
        share = np.where(alone[nodes], 0.0, raw / np.where(alone, 1.0, whole)[nodes])
        pair = copy.copy(self.at_nodes)
        pair.take(
            self.node_rows[nodes].reshape(len(N), -1), (N[:, :, None] * self.node_weights[nodes]).reshape(len(N), -1)
        )
        eta = found.eta.reshape(-1, self.d - 1)
        u = eta if self.other.simplex and self.d == 3 else 0.5 * (1.0 + eta)
        return Cut(pair, np.repeat(found.second, points), u, nodes, share, alone)

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
        normal = self._feet(x, cut).normal
        mean = np.stack([cut.mean(normal[:, k]) for k in range(self.d)], axis=1)
        mean[cut.alone] = self.at_nodes.normals(x)[cut.alone]
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True))

    def slide(self, before: Array, after: Array) -> Array:
        """Tangential motion of the nodes over the target between two configurations (n, d)."""
        return self.at_nodes.slide(before, after)

    # --- rows and unknowns ----------------------------------------------------------------------------------------------

    def _together(self, cut: Cut, rows: NDArray[np.int64], real: NDArray[np.bool_]) -> Rows:
        """The rows of each node out of those of its points (q, nr)."""
        n, most = self.count, int(rows.max(initial=0)) + 1
        there = (cut.share > 0.0)[:, :, None] & real[:, None, :]
        keys = cut.nodes[:, :, None] * most + rows[:, None, :]
        known, where = np.unique(keys[there], return_inverse=True)
        node = known // most
        first = np.searchsorted(node, np.arange(n))
        width = int(np.bincount(node, minlength=n).max(initial=0))
        out, filled = np.zeros((n, width), dtype=np.int64), np.zeros((n, width), dtype=bool)
        slot = np.arange(len(known)) - first[node]
        out[node, slot], filled[node, slot] = known % most, True
        slots = np.full(keys.shape, -1, dtype=np.int64)
        slots[there] = slot[where]
        return Rows(out, filled, slots)

    def _gather(self, cut: Cut, at: Rows, G: Array) -> Array:
        """Gradients of the mean gaps on the rows of the nodes (n, nr, d), from those of the points (q, rows, d)."""
        out = np.zeros((*at.rows.shape, self.d))
        there = at.slots >= 0
        values = (cut.share[:, :, None, None] * G[:, None])[there]
        node = np.broadcast_to(cut.nodes[:, :, None], there.shape)[there]
        np.add.at(out, (node, at.slots[there]), values)
        return out

    def _at(self, x: Array) -> tuple[Rows, Array, Cut, Foot]:
        """Rows and gradients at x, with pieces cut there."""
        cut = self.cut(x)
        foot = self._feet(x, cut)
        rows, point, (W,) = cut.pair.layout(foot.facet)
        vary = Variation(foot, point, W)
        at = self._together(cut, rows, vary.real)
        return at, self._gather(cut, at, vary.row_gradients(False)[:, 0]), cut, foot

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
        self._cut, self._rows = self.cut(x), None
        self._cut.pair.start(self._feet(x, self._cut))
        return force, slip

    def end(self, force: Array, response: law.Response) -> tuple[Array, Array]:
        """Forces as the memory has them, and no slip."""
        kept = response.force if self.condition == PENALTY else force
        return kept, np.zeros((self.count, self.d))

    def respond(
        self, x0: Array, x1: Array, lam: Array, r: Array, slip: Array, conserving: bool, touching: NDArray[np.bool_]
    ) -> law.Response:
        """The condition of the mean gaps at the iterate x1."""
        cut = self._cut
        assert cut is not None
        old = None if self._foot is None else self._foot.facet
        foot = self._foot = cut.pair.follow(x1)
        if old is None or old.shape != foot.facet.shape or (old != foot.facet).any():
            self._rows = None
        gap = self._gaps(cut, foot)
        before, held = gap, gap + self.allowed
        if conserving:
            start = cut.pair.foot(x0, foot.facet, foot.u)
            before = self._gaps(cut, start)
            held = law.hold_open(gap, before, self.allowed)
        one, none = np.ones((self.count, 1)), np.zeros((self.count, 1, 1))
        near = law.Approach(gap, held, one, none, one, none, before)
        touching = touching & ~cut.alone
        if self.condition == AUGMENTED:
            return law.augmented(near, lam, r, touching)
        return law.penalty(near, 0.0 * one, r, 0.0, 0.0 * one, False, touching)

    def share(
        self, response: law.Response, xt: Array, x1: Array, kappa: float, r: Array, size: float, tangent: bool
    ) -> Share:
        """Forces on rows with the geometry of the test configuration and (if `tangent`) the matrix."""
        cut, end, n = self._cut, self._foot, self.count
        assert cut is not None
        assert end is not None
        pair = cut.pair
        test = pair.foot(xt, end.facet, end.u) if xt is not x1 else end
        rows, point, (W,) = pair.layout(end.facet)
        vary = Variation(test, point, W)
        if self._rows is None:
            self._rows = self._together(cut, rows, vary.real)
        at = self._rows
        G = self._gather(cut, at, vary.row_gradients(False)[:, 0])
        F = response.force[:, 0]
        force = F[:, None, None] * G
        noise = np.abs(G).max(axis=2) * (r * (response.status > 0))[:, None] * size
        columns = pair.columns_of(at.rows, at.real)
        if not tangent:
            none = np.zeros((n, 0, 0))
            return Share(response, at.rows, force, noise, columns, none, none, none)
        G1 = G if xt is x1 else self._gather(cut, at, Variation(end, point, W).row_gradients(False)[:, 0])
        Bt = np.einsum("nra,nrak->nrk", G, pair.maps(xt, at.rows)).reshape(n, -1)
        B1 = np.einsum("nra,nrak->nrk", G1, pair.maps(x1, at.rows)).reshape(n, -1)
        K = response.by_place[:, :, 0, None] * Bt[:, :, None] * B1[:, None, :]
        f = np.sum(cut.share * F[cut.nodes], axis=1)
        pressed = np.flatnonzero(f)
        if pressed.size:
            bend = vary.bend(f[:, None], pair.maps(xt, rows), pair.maps(x1, rows))
            self._scatter(K, cut, at, kappa * bend, pressed)
        column = Bt[:, :, None] * response.by_multiplier
        return Share(response, at.rows, force, noise, columns, K, column, response.residual_by_place * B1[:, None, :])

    def _scatter(self, K: Array, cut: Cut, at: Rows, bend: Array, pressed: NDArray[np.int64]) -> None:
        """Add blocks of points to those of one of their nodes, which has all of their rows."""
        heavy = cut.share[pressed].argmax(axis=1)
        node, slots = cut.nodes[pressed, heavy], at.slots[pressed, heavy]
        i = np.where(slots[:, :, None] >= 0, slots[:, :, None] * self.d + np.arange(self.d), -1).reshape(
            len(pressed), -1
        )
        there = (i[:, :, None] >= 0) & (i[:, None, :] >= 0)
        width = K.shape[1]
        flat = (node[:, None, None] * width + i[:, :, None]) * width + i[:, None, :]
        K += np.bincount(flat[there], bend[pressed][there], K.size).reshape(K.shape)

    # --- what is read and held ------------------------------------------------------------------------------------------

    def held(self, status: NDArray[np.int8], x: Array, v: Array) -> Held:
        """The mean gaps of closed nodes, as rates that are held."""
        at, G, cut, foot = self._at(x)
        points = np.flatnonzero(status)
        h = 1e-4 * float(self.depth) / max(float(np.abs(v).max()), 1e-300)
        ahead, behind = (self._gaps(cut, self._feet(x + s * h * v, cut)) for s in (1.0, -1.0))
        bend = (ahead - 2.0 * self._gaps(cut, foot) + behind) / h**2
        normal = self.normals(x)
        return Held(at.rows[points], G[points], bend[points], points, normal[points], normal)

    def approach_rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Rate of the gap (n,) and tangential rate (n, d)."""
        return self.at_nodes.approach_rates(x, v)

    def normal_force(self, force: Array, x: Array) -> Array:
        """Pressing force [N] (n,)."""
        return -force[:, 0]

    def vector_force(self, force: Array, x: Array) -> Array:
        """Force on the nodes [N] in the world (n, d)."""
        return -force * self.normals(x)

    def owner(self, point: int) -> str:
        return f"{self.name} ({self.labels[point]})"

    def stored(self, x: Array, r: Array, slip: Array) -> float:
        """Energy of a penalty [J]."""
        if self.condition != PENALTY:
            return 0.0
        g = np.minimum(self.gaps(x), 0.0)
        return float(0.5 * np.sum(r * g * g))
