"""What patches lie on: a shape that a rigid body carries, a surface that deforms, another line or the same one.

A target says how far points are from it and which of its material points is where they touch: one that moves with it at the
place of the point itself, so that force and opposite force act along one line and both momenta are kept. Where a line has no
sections, what would twist it is left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from condyle.contact.as_numbers import surface_numbers
from condyle.contact.deformable import FacetPair, Foot
from condyle.contact.material import Index, Material
from condyle.contact.shapes import Box
from condyle.contact.surface import Array, Surface
from condyle.system.touching.patches import shape_gaps

SAMPLES = 9  # places of each cell of a line from which the closest point is looked for
STEPS = 12  # of Newton's method at most, on a smooth curve


class Meeting(NamedTuple):
    """Of n points: distance from the target's surface [m], its outward normal, and the motion ẏ = Σ_r G_r ẋ_r of the target."""

    gap: Array  # (n,)
    normal: Array  # (n, d)
    rows: Index  # (n, r)
    G: Array  # (n, r, d, d)


class Own(NamedTuple):
    """Where n points are on the body that they belong to, which a target that is the same body must know."""

    cell: Index  # (n,)
    u: Array  # (n, p)
    s: Array  # along a line [m] (n,)


class Target(ABC):
    """What points meet."""

    name: str
    size: float  # [m] below which a point inside is held to be in contact

    @abstractmethod
    def meet(self, x: Array, p: Array, own: Own) -> Meeting:
        """Of points in the world p (n, d); own: where they are on their body."""

    def to_world(self, vector: Array, x: Array) -> Array:
        """A vector in the coordinates of the target; those of what deforms are the world's."""
        return np.asarray(vector)

    def approach(self, x: Array, v: Array, p: Array, rate: Array, own: Own, h: float) -> tuple[Array, Array]:
        """Gap (n,) and its rate (n,), of points that move with `rate` (n, d), as far as they can meet within h [s]."""
        met = self.meet(x, p, own)
        there = np.einsum("nrij,nrj->ni", met.G, v[met.rows])
        return met.gap, np.asarray(np.sum((rate - there) * met.normal, axis=1))


class ShapeTarget(Target):
    """A shape in the coordinates of a frame with rows r and directors."""

    def __init__(self, name: str, shape: Surface, r: int, directors: tuple[int, ...]) -> None:
        self.name, self.shape = name, shape
        self.rows = np.array([r, *directors], dtype=np.int64)
        self.size = np.inf
        # Boxes ask at their edges which way the body lies; the others need no more than the place of a point.
        self.numbers = None if isinstance(shape, Box) else surface_numbers(shape, len(directors))

    def to_world(self, vector: Array, x: Array) -> Array:
        return np.asarray(vector @ x[self.rows[1:]])

    def _local(self, x: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        r, D = x[self.rows[0]], x[self.rows[1:]]
        if self.numbers is not None:
            xi, gap, normal = np.empty_like(p), np.empty(len(p)), np.empty_like(p)
            shape_gaps(self.numbers, r, D, p, xi, gap, normal)
            return xi, D, gap, normal
        xi = (p - r) @ D.T
        near = self.shape.distance_towards(xi, xi.mean(axis=0) - xi)
        return xi, D, near.gap, near.normal @ D

    def meet(self, x: Array, p: Array, own: Own) -> Meeting:
        xi, _, gap, normal = self._local(x, p)
        d, n = p.shape[1], len(p)
        weights = np.concatenate((np.ones((n, 1)), xi), axis=1)
        G = weights[:, :, None, None] * np.eye(d)
        return Meeting(gap, normal, np.broadcast_to(self.rows, (n, d + 1)), G)

    def approach(self, x: Array, v: Array, p: Array, rate: Array, own: Own, h: float) -> tuple[Array, Array]:
        xi, _, gap, normal = self._local(x, p)
        there = v[self.rows[0]] + xi @ v[self.rows[1:]]
        return gap, np.asarray(np.sum((rate - there) * normal, axis=1))


class PieceTarget(Target):
    """Pieces of a surface that deforms; of its own surface a body does not see the cells around each point."""

    def __init__(self, name: str, pieces: FacetPair, itself: bool = False) -> None:
        self.name, self.pieces, self.size = name, pieces, pieces.depth
        self._around = _neighbours(pieces.cells) if itself else None

    def meet(self, x: Array, p: Array, own: Own) -> Meeting:
        foot, gap = self._foot(x, p, own)
        pieces = self.pieces
        n, d = p.shape
        cell = pieces.cells[foot.facet]
        rows = pieces.vector_rows[cell].reshape(n, -1)
        w = pieces.vector_weights[cell]  # (n, K, e)
        # The point above the foot goes along with the normal, which turns by −t^β n·ẏ_,β.
        dual = foot.inverse @ foot.tangents
        turn = np.einsum("n,nbi,nj,nbk->nkij", foot.distance, dual, foot.normal, foot.slopes)
        by_vector = foot.N[:, :, None, None] * np.eye(d) - turn
        G = (w[:, :, :, None, None] * by_vector[:, :, None]).reshape(n, -1, d, d)
        return Meeting(gap, foot.normal, rows, G)

    def _foot(self, x: Array, p: Array, own: Own) -> tuple[Foot, Array]:
        """Points are rows of their own here, behind those of the state."""
        n = len(p)
        excluded = None if self._around is None else self._around[own.cell]
        self.pieces.take(len(x) + np.arange(n, dtype=np.int64)[:, None], np.ones((n, 1)), excluded)
        foot = self.pieces.nearest_foot(np.vstack((x, p)))
        return foot, self.pieces.gaps_at(foot)


def _neighbours(cells: Index) -> Index:
    """Of each cell those that share a vector with it or with one of them (f, k), filled up with −1."""
    touch = [set(np.flatnonzero(np.isin(cells, c).any(axis=1)).tolist()) for c in cells]
    wide = [sorted(set().union(*(touch[j] for j in t))) for t in touch]
    out = np.full((len(cells), max(map(len, wide))), -1, dtype=np.int64)
    for k, found in enumerate(wide):
        out[k, : len(found)] = found
    return out


class LineTarget(Target):
    """A line with a radius; of itself a line meets only what comes before each point, `apart` [m] along it at least."""

    def __init__(self, name: str, line: Material, radius: float, apart: float = 0.0) -> None:
        self.name, self.line, self.radius, self.apart = name, line, radius, apart
        self.size = np.inf
        u = np.linspace(0.0, 1.0, SAMPLES)
        cells = len(line.cells)
        self._cell = np.repeat(np.arange(cells), SAMPLES)
        self._u = np.tile(u, cells)
        self._s = line.starts[self._cell] + self._u * line.lengths[self._cell]
        full = np.zeros((len(self._u), line.powers.shape[1]))
        full[:, 0] = self._u
        self._N = line.shape_functions(self._cell, full)
        linked = np.concatenate(([False], line.linked, [False]))
        self._before, self._after = linked[:-1], linked[1:]  # does a cell go on at its start, at its end? (f,)

    def meet(self, x: Array, p: Array, own: Own) -> Meeting:
        line, n, d = self.line, *p.shape
        V = line.values(x)[line.cells]  # (f, K, d)
        sampled = np.einsum("sk,skd->sd", self._N, V[self._cell])
        cell, u = self._closest(sampled, V, p, own)
        full = np.zeros((n, line.powers.shape[1]))
        full[:, 0] = u
        N = line.shape_functions(cell, full)
        order = [1] + [0] * (full.shape[1] - 1)
        slope = line.shape_functions(cell, full, *order)
        y = np.einsum("nk,nkd->nd", N, V[cell])
        t = np.einsum("nk,nkd->nd", slope, V[cell])
        away = p - y
        far = np.linalg.norm(away, axis=1)
        normal = away / np.maximum(far, 1e-300)[:, None]
        if line.round:  # a section goes along: the point keeps its place in it
            place = self._in_section(V[cell], cell, full, away)
            full[:, 1:] = place
            N = line.shape_functions(cell, full)
            by_vector = N[:, :, None, None] * np.eye(d)
        else:
            lever = np.einsum("ni,nj,nk->nkij", t / np.sum(t * t, axis=1)[:, None], away, slope)
            by_vector = N[:, :, None, None] * np.eye(d) - lever
        w = line.weights[line.cells[cell]]
        G = (w[:, :, :, None, None] * by_vector[:, :, None]).reshape(n, -1, d, d)
        gap = far - self.radius
        if self.apart > 0.0:
            none = own.s < self.apart + self._s[0]
            gap = np.where(none, 1e200, gap)
        return Meeting(gap, normal, line.rows[line.cells[cell]].reshape(n, -1), G)

    def _in_section(self, V: Array, cell: Index, u: Array, away: Array) -> Array:
        """Coordinates in the section (n, d − 1) of what lies `away` from its middle."""
        p = u.shape[1]
        sides = [
            np.einsum("nk,nkd->nd", self.line.shape_functions(cell, u, *[int(a == b) for b in range(p)]), V)
            for a in range(1, p)
        ]
        B = np.stack(sides, axis=2)  # (n, d, p − 1)
        return np.asarray(np.linalg.solve(np.swapaxes(B, 1, 2) @ B, np.swapaxes(B, 1, 2) @ away[:, :, None])[:, :, 0])

    def _closest(self, sampled: Array, V: Array, p: Array, own: Own) -> tuple[Index, Array]:
        """Cell and parameter of the closest point of the line."""
        from scipy.spatial import cKDTree

        if self.apart > 0.0:
            far = np.linalg.norm(p[:, None] - sampled[None], axis=2)
            far[self._s[None] > (own.s - self.apart)[:, None]] = np.inf
            near = far.argmin(axis=1)
            most = own.s - self.apart
        else:
            near = np.asarray(cKDTree(sampled).query(p)[1])
            most = np.full(len(p), np.inf)
        cell, u = self._cell[near], self._u[near]
        best, at = cell, self._newton(V, cell, u, p, most)
        least = self._distance(V, best, at, p)
        for step, end, goes in ((-1, 0.0, self._before), (1, 1.0, self._after)):
            edge = (u == end) & goes[cell]  # the sample stands where two cells meet
            if edge.any():
                other = np.where(edge, cell + step, cell)
                there = self._newton(V, other, np.where(edge, 1.0 - end, u), p, most)
                far_ = self._distance(V, other, there, p)
                closer = far_ < least
                best, at, least = np.where(closer, other, best), np.where(closer, there, at), np.minimum(least, far_)
        return best, at

    def _distance(self, V: Array, cell: Index, u: Array, p: Array) -> Array:
        return np.asarray(np.linalg.norm(self._curve(V, cell, u)[0] - p, axis=1))

    def _curve(self, V: Array, cell: Index, u: Array) -> list[Array]:
        line = self.line
        full = np.zeros((len(u), line.powers.shape[1]))
        full[:, 0] = u
        rest = [0] * (full.shape[1] - 1)
        return [np.einsum("nk,nkd->nd", line.shape_functions(cell, full, o, *rest), V[cell]) for o in range(3)]

    def _newton(self, V: Array, cell: Index, u: Array, p: Array, most: Array) -> Array:
        line = self.line
        top = np.clip((most - line.starts[cell]) / line.lengths[cell], 0.0, 1.0)
        low, high = np.maximum(u - 1.0 / (SAMPLES - 1), 0.0), np.minimum(u + 1.0 / (SAMPLES - 1), top)
        u = np.minimum(u, high)
        for _ in range(STEPS):
            y, t, bend = self._curve(V, cell, u)
            f = np.sum((y - p) * t, axis=1)
            slope = np.sum((y - p) * bend, axis=1) + np.sum(t * t, axis=1)
            new = np.clip(u - f / np.where(slope > 0.0, slope, np.sum(t * t, axis=1)), low, high)
            done = np.abs(new - u).max(initial=0.0) < 1e-12
            u = new
            if done:
                break
        return u
