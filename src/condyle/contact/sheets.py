"""A plate or shell that meets itself: its mid-surface with half of its thickness on either side.

Of itself a sheet does not see what is nearer than `apart` along it. That way is the shortest one at rest over a net of
samples, so that a shell which is rolled up from the start has layers that meet; between samples the straight distance at rest
decides. A foot beyond an edge counts: edges are round, with half of the thickness as their radius.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.basis import Monomials, project
from condyle.contact.material import Index, Material
from condyle.contact.patch_targets import Meeting, Own, Target
from condyle.contact.surface import Array

SIDE = 5  # samples of a cell in each direction
STARTS = 4  # samples near a point from which its foot is looked for: at a corner four cells meet
STRETCHED = 1.2  # samples may be further apart than at rest by this
FAR = 1e200  # [m] the gap of points that nothing is near
BATCH = 256  # samples at a time whose ways along the sheet are measured
# From a sample of a cell to others: straight, across, and as a knight goes, which keeps ways within 3 % of the shortest.
MOVES = ((1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (2, -1), (1, 2), (1, -2))


class SheetTarget(Target):
    """The mid-surface of a plate or shell, met from either side by points of itself."""

    def __init__(self, name: str, sheet: Material, radius: float, apart: float, margin: float) -> None:
        self.margin = margin  # [m] gaps that are looked for
        self.name, self.sheet, self.radius, self.apart, self.size = name, sheet, radius, apart, np.inf
        kept = (sheet.powers[:, sheet.along :] == 0).all(axis=1)  # what is not zero on the mid-surface
        self.basis = Monomials(sheet.powers[kept][:, : sheet.along])
        self._coefficients = sheet.coefficients[:, kept]
        line = np.linspace(0.0, 1.0, SIDE)
        grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
        f = len(sheet.cells)
        self._cell, self._u = np.repeat(np.arange(f), SIDE * SIDE), np.tile(grid, (f, 1))
        self._m = self.basis.at(grid)[0]
        rest = self._c(sheet.rest[sheet.cells])
        self._rest_c = rest
        self._rest = self._sampled(rest)
        net, longest = _net(self._rest, f)
        self._cover = STRETCHED * longest  # no place of the sheet is further from a sample [m]
        self._beside = _beside(net, apart + 2.0 * longest)

    def _c(self, V: Array) -> Array:
        """Coefficients of the powers (f, J, d), of vectors of the cells (f, K, d)."""
        return np.asarray(np.einsum("fjk,fkd->fjd", self._coefficients, V))

    def _sampled(self, c: Array) -> Array:
        return np.einsum("sj,fjd->fsd", self._m, c).reshape(-1, c.shape[2])

    def meet(self, x: Array, p: Array, own: Own) -> Meeting:
        # Points that have been found stay within reach for as long as they are looked at.
        return self._meet(x, p, own, 2.0 * self._cover + 4.0 * self.radius + self.margin)

    def approach(self, x: Array, v: Array, p: Array, rate: Array, own: Own, h: float) -> tuple[Array, Array]:
        # Two places come nearer by no more than both of them move.
        way = 2.0 * h * float(np.linalg.norm(rate, axis=1).max(initial=0.0))
        met = self._meet(x, p, own, self._cover + 4.0 * self.radius + self.margin + way)
        there = np.einsum("nrij,nrj->ni", met.G, v[met.rows])
        return met.gap, np.asarray(np.sum((rate - there) * met.normal, axis=1))

    def _meet(self, x: Array, p: Array, own: Own, reach: float) -> Meeting:
        sheet, n, d = self.sheet, *p.shape
        c = self._c(sheet.values(x)[sheet.cells])
        cell, u, near = self._closest(c, p, own, reach)
        full = np.zeros((n, sheet.powers.shape[1]))
        full[:, :2] = u
        rest = [0] * (full.shape[1] - 2)
        N = sheet.shape_functions(cell, full)
        slopes = np.stack([sheet.shape_functions(cell, full, *o, *rest) for o in ((1, 0), (0, 1))], axis=1)
        V = sheet.values(x)[sheet.cells[cell]]
        away = p - np.einsum("nk,nkd->nd", N, V)
        far = np.linalg.norm(away, axis=1)
        t = slopes @ V
        across = np.cross(t[:, 0], t[:, 1])
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
        dual = np.linalg.solve(t @ np.swapaxes(t, 1, 2), t)
        # The point goes along with the sheet as if it were part of it: beyond an edge as that goes on, and above it with
        # the normal m, which turns by −t^β m·ẏ_,β.
        above = np.sum(away * across, axis=1)
        beyond = np.einsum("nbd,nd->nb", dual, away)
        turn = np.einsum("n,nbi,nj,nbk->nkij", above, dual, across, slopes)
        by_vector = (N + np.einsum("nb,nbk->nk", beyond, slopes))[:, :, None, None] * np.eye(d) - turn
        G = (sheet.weights[sheet.cells[cell]][:, :, :, None, None] * by_vector[:, :, None]).reshape(n, -1, d, d)
        normal = np.where((far > 1e-12 * self._cover)[:, None], away / np.maximum(far, 1e-300)[:, None], across)
        gap = np.where(near, far - self.radius, FAR)
        return Meeting(gap, normal, sheet.rows[sheet.cells[cell]].reshape(n, -1), G)

    def _closest(self, c: Array, p: Array, own: Own, reach: float) -> tuple[Index, Array, NDArray[np.bool_]]:
        """Cell and parameters of the closest place that a point may meet, and whether there is one within reach."""
        from scipy.spatial import cKDTree

        n = len(p)
        cell, u, least = np.zeros(n, dtype=np.int64), np.zeros((n, 2)), np.full(n, np.inf)
        found = cKDTree(p).sparse_distance_matrix(cKDTree(self._sampled(c)), reach, output_type="ndarray")
        point, sample, away = found["i"], found["j"], found["v"]
        here = self._number(own.cell, own.u), self._at_rest(own.cell, own.u)
        seen = self._seen(here, point, sample, self._rest[sample])
        point, sample, away = point[seen], sample[seen], away[seen]
        if not len(point):
            return cell, u, np.isfinite(least)
        order = np.lexsort((sample, away, point))
        point, sample = point[order], sample[order]
        first = np.flatnonzero(np.append(True, point[1:] != point[:-1]))
        rank = np.arange(len(point)) - np.repeat(first, np.diff(np.append(first, len(point))))
        point, sample = point[rank < STARTS], sample[rank < STARTS]
        there = self._cell[sample]
        foot, _ = project(self.basis, c[there], p[point], self._u[sample])
        far = np.linalg.norm(np.einsum("nj,njd->nd", self.basis.at(foot)[0], c[there]) - p[point], axis=1)
        far = np.where(self._seen(here, point, self._number(there, foot), self._at_rest(there, foot)), far, np.inf)
        order = np.argsort(-far, kind="stable")  # the nearest comes last, and stays
        order = order[far[order] < np.inf]
        cell[point[order]], u[point[order]], least[point[order]] = there[order], foot[order], far[order]
        return cell, u, np.isfinite(least)

    def _number(self, cell: Index, u: Array) -> Index:
        """The nearest sample in its cell (n,)."""
        return cell * SIDE**2 + (np.rint(u[:, :2] * (SIDE - 1)) @ (SIDE, 1)).astype(np.int64)

    def _at_rest(self, cell: Index, u: Array) -> Array:
        """Places at rest (n, 3) [m]."""
        m = np.prod(u[:, None, :2] ** self.basis.powers, axis=2)
        return np.asarray(np.einsum("nj,njd->nd", m, self._rest_c[cell]))

    def _seen(self, here: tuple[Index, Array], point: Index, sample: Index, place: Array) -> NDArray[np.bool_]:
        """Are places of the sheet, at rest at `place`, `apart` at least from the point, along the sheet?"""
        key = here[0][point] * len(self._cell) + sample
        at = np.minimum(np.searchsorted(self._beside, key), len(self._beside) - 1)
        beside = self._beside[at] == key
        return np.asarray(~beside | (np.linalg.norm(here[1][point] - place, axis=1) >= self.apart))


def _net(places: Array, cells: int) -> tuple[Any, float]:
    """Ways between samples at rest as a sparse matrix [m], and the longest diagonal between four of them [m]."""
    from scipy.sparse import coo_matrix
    from scipy.spatial import cKDTree

    number = np.arange(cells * SIDE * SIDE).reshape(cells, SIDE, SIDE)
    one, two = [], []
    for down, side in MOVES:
        a = number[:, : SIDE - down, max(0, -side) : SIDE - max(0, side)]
        b = number[:, down:, max(0, side) : SIDE + min(0, side)]
        one.append(a.ravel())
        two.append(b.ravel())
    i, j = np.concatenate(one), np.concatenate(two)
    way = np.linalg.norm(places[i] - places[j], axis=1)
    across = number[:, 1:, 1:].ravel(), number[:, :-1, :-1].ravel()
    longest = float(np.linalg.norm(places[across[0]] - places[across[1]], axis=1).max())
    same = cKDTree(places).query_pairs(1e-6 * longest, output_type="ndarray")  # where cells meet
    i, j = np.concatenate((i, same[:, 0])), np.concatenate((j, same[:, 1]))
    way = np.concatenate((way, np.full(len(same), 1e-9 * longest)))
    return coo_matrix((way, (i, j)), shape=(number.size, number.size)).tocsr(), longest


def _beside(net: Any, way: float) -> Index:
    """Couples of samples that are no further than `way` apart, sorted: first · number of samples + second."""
    from scipy.sparse.csgraph import dijkstra

    n = net.shape[0]
    out = []
    for begin in range(0, n, BATCH):
        some = np.arange(begin, min(begin + BATCH, n))
        far = dijkstra(net, directed=False, indices=some, limit=way)
        i, j = np.nonzero(np.isfinite(far))
        out.append(some[i] * n + j)
    return np.concatenate(out)
