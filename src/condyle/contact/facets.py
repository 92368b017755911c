"""Surfaces of flat facets: lines in the plane, triangles and quadrilaterals in space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.patches import Patches, smoothed
from condyle.contact.surface import TINY, Array, Distance, Surface, turned_inside_out
from condyle.errors import InputError
from condyle.model.given import Numbers, NumbersLike, Wholes
from condyle.model.part import Part, number, rows
from condyle.model.quantities import declared, quantity

SHARPEST = 0.65  # cosine between a facet and the mean normal at its corner, below which nothing is smoothed


@declared
class FacetSurface(Surface):
    """Flat facets that a body carries: nodes [m] (n, d); facets: node numbers of lines (2D), triangles and quads (3D).

    Seen from outside, facets run counter-clockwise (2D: the material is on the left). inside: it is on the other side.
    smooth (3D): a curved surface through the nodes with continuous normals, those of the nodes being means of the facets
    around them; for meshes without sharp edges. With an angle [rad] in place of True, edges whose facets turn by more stay
    sharp, and the means are taken on either side of them.
    """

    nodes: Numbers = quantity("m")
    facets: Wholes
    inside: bool = False
    smooth: bool | float = False
    _made: Any = field(default=None, init=False, repr=False, compare=False)
    _curved: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows(self, "nodes")
        X, groups = np.array(self.nodes), self._groups()
        if X.ndim != 2 or X.shape[1] not in (2, 3):
            raise InputError(f"{self.label}: nodes must be (n, 2) or (n, 3) and facets rows of node numbers")
        for F in groups:
            if F.shape[1] not in ((2,) if X.shape[1] == 2 else (3, 4)):
                wanted = "2 nodes" if X.shape[1] == 2 else "3 or 4 nodes"
                raise InputError(f"{self.label}: a facet in {X.shape[1]}D has {wanted}, not {F.shape[1]}")
            if F.min() < 0 or F.max() >= len(X):
                raise InputError(f"{self.label}: a facet refers to node {F.max()}, but there are {len(X)} nodes")
        halves = [F[:, [0, k, k + 1]] for F in groups for k in range(1, F.shape[1] - 1)]
        F = np.vstack(halves) if X.shape[1] == 3 else groups[0]
        self._made = (_Lines if X.shape[1] == 2 else _Triangles)(X, F, self.label)
        if self._made.is_closed() and self._made.volume() < 0.0:
            raise InputError(
                f"{self.label}: its facets are turned inwards; reverse their node order, or set inside=True for a cavity"
            )
        if not isinstance(self.smooth, bool):
            number(self, "smooth", low=0.0, strict=True)
            if self.smooth > np.pi:
                raise InputError(
                    f"{self.label}: smooth must be True or a crease angle up to π rad, not {self.smooth:g}"
                )
        self._curved = self._smoothed(X, F) if self.smooth else None

    def _groups(self) -> list[NDArray[np.int64]]:
        """The facets by their numbers of nodes, fewest first; what was given becomes plain lists."""
        wrong = f"{self.label}: nodes must be (n, 2) or (n, 3) and facets rows of node numbers"
        if len(self.facets) == 0:
            raise InputError(f"{self.label}: there are no facets; give node numbers of at least one")
        try:
            sizes = sorted({len(facet) for facet in self.facets})
        except TypeError:
            raise InputError(wrong) from None
        if len(sizes) == 1:
            rows(self, "facets", whole=True)
            return [np.array(self.facets)]
        self.facets = [[int(i) if i == int(i) else -1 for i in facet] for facet in self.facets]
        return [np.array([f for f in self.facets if len(f) == size], dtype=np.int64) for size in sizes]

    def spread(self) -> tuple[Array, Array, list[str]]:
        """Points [m] spread over the facets: two on each line, three on each triangle, six on a quadrilateral.

        With them the area of each [m²] (2D: length), and what it is called.
        """
        X = np.array(self.nodes)
        places, areas, labels = [], [], []
        for F in self._groups():
            numbers = [k for k, facet in enumerate(self.facets) if len(facet) == F.shape[1]]
            pieces = np.stack((F[:, [0, 1, 2]], F[:, [0, 2, 3]]), axis=1).reshape(-1, 3) if F.shape[1] == 4 else F
            k = pieces.shape[1]
            near = 0.5 * (1.0 + 1.0 / np.sqrt(3.0)) if k == 2 else 2.0 / 3.0
            N = np.full((k, k), (1.0 - near) / (k - 1)) + np.diag(np.full(k, near - (1.0 - near) / (k - 1)))
            places.append((N @ X[pieces]).reshape(-1, X.shape[1]))
            areas.append(np.repeat(_sizes(X[pieces]) / k, k))
            each = len(places[-1]) // len(F)
            labels += [f"facet {number_}, point {i}" for number_ in numbers for i in range(each)]
        return np.vstack(places), np.concatenate(areas), labels

    def nodal_areas(self) -> Array:
        """The share of each node in the facets [m²]; of lines in the plane, per unit of depth."""
        X = np.array(self.nodes)
        out = np.zeros(len(X))
        for F in self._groups():
            size = _sizes(X[F[:, :3]])
            if F.shape[1] == 4:
                size = size + _sizes(X[F[:, [0, 2, 3]]])
            np.add.at(out, F, np.repeat(size[:, None] / F.shape[1], F.shape[1], axis=1))
        return out

    def _smoothed(self, X: Array, F: NDArray[np.int64]) -> Patches:
        if X.shape[1] == 2:
            raise InputError(f"{self.label}: smooth is for surfaces in space; in the plane use a HermiteCurve")
        made = self._made
        normals, across = made.vertex_normals[F], None
        if not isinstance(self.smooth, bool):
            normals, across = made.creased(float(self.smooth))
        askew = np.einsum("fd,fkd->fk", made.normals, normals).min(axis=1)
        if askew.min() < SHARPEST:
            corner = np.round(X[F[int(askew.argmin())]].mean(axis=0), 6).tolist()
            raise InputError(
                f"{self.label}: the facet at {corner} stands at "
                f"{np.degrees(np.arccos(askew.min())):.0f}° to the mean at its corner; a sharp edge cannot be smoothed: "
                "give smooth the angle [rad] above which edges stay sharp, use a finer mesh, or leave smooth=False"
            )
        patches = smoothed(X[F], normals, across)
        patches.outward = made.edge_normals[made.edge_of], made.vertex_normals[F]
        return patches

    def check_dimension(self, dimension: int, wanted_by: Part) -> None:
        if self._made.X.shape[1] != dimension:
            raise InputError(f"{wanted_by.label}: a FacetSurface with nodes in {self._made.X.shape[1]}D does not fit")

    def distance(self, points: Array) -> Distance:
        return turned_inside_out((self._curved or self._made).distance(points), self.inside)

    def outline(self, dimension: int) -> list[NumbersLike]:
        if self._curved is not None:
            return self._curved.outline()
        X = self._made.X
        return [X[list(f) + ([f[0]] if dimension == 3 else [])] for f in self.facets]


class _Facets(ABC):
    """Search and sign, the same for lines and triangles."""

    def __init__(self, X: Array, F: NDArray[np.int64], label: str) -> None:
        from scipy.spatial import cKDTree

        self.X, self.F, self.corners = X, F, X[F]
        centres = self.corners.mean(axis=1)
        self.reach = float(np.linalg.norm(self.corners - centres[:, None], axis=2).max())
        self.tree = cKDTree(centres)
        self.normals = self._normals(label)

    @classmethod
    def bare(cls, corners: Array) -> _Facets:
        """Only what `project` needs, of facets that move."""
        made = cls.__new__(cls)
        made.corners = corners
        return made

    @abstractmethod
    def _normals(self, label: str) -> Array:
        """Outward unit normals (f, d), and those of edges and corners; InputError where a facet has no size."""

    @abstractmethod
    def project(self, points: Array, facets: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        """Closest points on given facets, both of shape (k, …), and the feature they lie on."""

    def distance(self, points: Array) -> Distance:
        facet, foot, feature = self.nearest(points)
        v = points - foot
        dist = np.linalg.norm(v, axis=1)
        pseudo = self.pseudo_normal(facet, feature)
        sign = np.where(np.sum(v * pseudo, axis=1) < 0.0, -1.0, 1.0)
        size = float(np.ptp(self.X, axis=0).max())
        on = dist <= 1e-13 * size
        flat = feature == 0
        n = np.where((on | flat)[:, None], np.where(flat[:, None], self.normals[facet], pseudo), 0.0)
        off = ~(on | flat)
        n[off] = sign[off, None] * v[off] / dist[off, None]
        d = self.X.shape[1]
        H = np.eye(d) - n[:, :, None] * n[:, None, :]
        H -= self.straight(facet, feature)
        H *= np.where(on | flat, 0.0, sign / np.maximum(dist, TINY))[:, None, None]
        gap = np.where(flat, np.sum(v * n, axis=1), sign * dist)
        return Distance(gap, n, H)

    def nearest(self, points: Array) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
        """The nearest facet, the closest point on it and its feature.

        Facets are tried in the order of their centres; none further away than the best one plus the size of a facet can
        be closer.
        """
        n = len(points)
        facet, feature = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        foot, least = np.zeros_like(points), np.full(n, np.inf)
        waiting = np.arange(n)
        k = min(8, len(self.F))
        tried = 0
        while waiting.size:
            far, near = (np.reshape(a, (len(waiting), k)) for a in self.tree.query(points[waiting], k=k))
            for column in range(tried, k):
                y, what = self.project(points[waiting], near[:, column])
                dist = np.linalg.norm(points[waiting] - y, axis=1)
                # Of equally near facets the flat one, then the one with the lower number, so that nothing depends on chance.
                closer = dist < least[waiting] * (1.0 - 1e-14) - TINY
                here = waiting[closer]
                facet[here], foot[here], feature[here] = near[closer, column], y[closer], what[closer]
                least[here] = dist[closer]
            if k == len(self.F):
                break
            waiting = waiting[far[:, -1] - self.reach <= least[waiting]]
            tried, k = k, min(2 * k, len(self.F))
        return facet, foot, feature

    @abstractmethod
    def pseudo_normal(self, facet: NDArray[np.int64], feature: NDArray[np.int64]) -> Array:
        """Normals of facets, edges or corners: those that tell inside from outside (n, d)."""

    @abstractmethod
    def straight(self, facet: NDArray[np.int64], feature: NDArray[np.int64]) -> Array:
        """t ⊗ t of directions along which a feature does not curve."""

    @abstractmethod
    def is_closed(self) -> bool:
        """Does the surface enclose a volume?"""

    @abstractmethod
    def volume(self) -> float:
        """The volume it encloses [m³]; in the plane the area [m²]."""


def _sizes(P: Array) -> Array:
    """Lengths of lines, or areas of triangles, between corners P (f, k, d)."""
    if P.shape[1] == 2:
        return np.asarray(np.linalg.norm(P[:, 1] - P[:, 0], axis=1))
    return np.asarray(0.5 * np.linalg.norm(np.cross(P[:, 1] - P[:, 0], P[:, 2] - P[:, 0]), axis=1))


def _unit_rows(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), TINY))


class _Lines(_Facets):
    """Features: 0 the line, 1 and 2 its ends."""

    def _normals(self, label: str) -> Array:
        t = self.corners[:, 1] - self.corners[:, 0]
        length = np.linalg.norm(t, axis=1)
        if length.min() <= 1e-12 * np.ptp(self.X, axis=0).max():
            raise InputError(f"{label}: facet {int(length.argmin())} has no length; remove it")
        n = np.stack((t[:, 1], -t[:, 0]), axis=1) / length[:, None]
        total = np.zeros_like(self.X)
        np.add.at(total, self.F, n[:, None, :].repeat(2, axis=1))
        self.vertex_normals = _unit_rows(total)
        return n

    def project(self, points: Array, facets: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        a, b = self.corners[facets, 0], self.corners[facets, 1]
        u = b - a
        s = np.sum((points - a) * u, axis=1) / np.sum(u * u, axis=1)
        feature = np.where(s <= 0.0, 1, np.where(s >= 1.0, 2, 0))
        return a + np.clip(s, 0.0, 1.0)[:, None] * u, feature

    def pseudo_normal(self, facet: NDArray[np.int64], feature: NDArray[np.int64]) -> Array:
        end = self.F[facet, np.maximum(feature, 1) - 1]
        return np.where((feature > 0)[:, None], self.vertex_normals[end], self.normals[facet])

    def straight(self, facet: NDArray[np.int64], feature: NDArray[np.int64]) -> Array:
        return np.zeros((len(facet), 2, 2))

    def is_closed(self) -> bool:
        n = len(self.X)
        return bool((np.bincount(self.F[:, 0], minlength=n) == np.bincount(self.F[:, 1], minlength=n)).all())

    def volume(self) -> float:
        a, b = self.corners[:, 0], self.corners[:, 1]
        return float(0.5 * np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))


class _Triangles(_Facets):
    """Features: 0 the face, 1–3 its corners, 4–6 the edges opposite to them."""

    def _normals(self, label: str) -> Array:
        a, b, c = (self.corners[:, k] for k in range(3))
        n = np.cross(b - a, c - a)
        area = np.linalg.norm(n, axis=1)
        if area.min() <= 1e-12 * np.ptp(self.X, axis=0).max() ** 2 * 1e-6:
            raise InputError(f"{label}: facet {int(area.argmin())} has no area; remove it")
        n = n / area[:, None]
        total = np.zeros_like(self.X)
        for k in range(3):  # weighted by the angle (Bærentzen and Aanæs 2005), which makes the sign right everywhere
            np.add.at(total, self.F[:, k], self._corner_angle(k)[:, None] * n)
        self.vertex_normals = _unit_rows(total)
        ends = np.sort(np.stack((self.F[:, [1, 2]], self.F[:, [2, 0]], self.F[:, [0, 1]]), axis=1), axis=2)
        unique, where, count = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True, return_counts=True)
        total = np.zeros((len(unique), 3))
        where = where.reshape(-1, 3)
        np.add.at(total, where, n[:, None, :].repeat(3, axis=1))
        self.edge_normals, self.edge_of = _unit_rows(total), where
        self.edge_along = _unit_rows(self.X[unique[:, 1]] - self.X[unique[:, 0]])
        self.edge_shared = count == 2
        return n

    def _corner_angle(self, k: int) -> Array:
        """Of all facets at their corner k [rad]."""
        e = _unit_rows(self.corners[:, (k + 1) % 3] - self.corners[:, k])
        f = _unit_rows(self.corners[:, (k + 2) % 3] - self.corners[:, k])
        return np.asarray(np.arccos(np.clip(np.sum(e * f, axis=1), -1.0, 1.0)))

    def creased(self, crease: float) -> tuple[Array, Array]:
        """Normals at the corners of facets: means of those that edges which turn by less than `crease` join around a node.

        Returns them (f, 3, 3), and for the edges 0–1, 1–2, 2–0 of each facet those of its neighbour at both ends of the edge
        (f, 3, 2, 3): its own where the edge is smooth.
        """
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        f = len(self.F)
        order = np.argsort(self.edge_of.ravel(), kind="stable")
        shared = np.flatnonzero(self.edge_shared)
        at = np.searchsorted(self.edge_of.ravel()[order], shared)
        one, two = order[at], order[at + 1]  # facet · 3 + corner opposite to the edge
        facets, corners = (np.stack((one, two)) // 3, np.stack((one, two)) % 3)
        # Both ends of an edge, as corners of its two facets; seen from the other facet it runs the other way.
        ends = [facets[0] * 3 + (corners[0] + s) % 3 for s in (1, 2)]
        others = [facets[1] * 3 + (corners[1] + s) % 3 for s in (2, 1)]
        cosine = np.sum(self.normals[facets[0]] * self.normals[facets[1]], axis=1)
        smooth = cosine >= np.cos(crease)
        joined = coo_matrix(
            (
                np.ones(2 * smooth.sum()),
                (np.concatenate([e[smooth] for e in ends]), np.concatenate([o[smooth] for o in others])),
            ),
            shape=(3 * f, 3 * f),
        )
        count, group = connected_components(joined, directed=False)
        total = np.zeros((count, 3))
        for k in range(3):
            np.add.at(total, group[k::3], self._corner_angle(k)[:, None] * self.normals)
        normals = _unit_rows(total)[group]
        across = np.stack([np.stack((normals[k::3], normals[(k + 1) % 3 :: 3]), axis=1) for k in range(3)], axis=1)
        for here, there, first in ((facets[0], corners[0], others), (facets[1], corners[1], ends[::-1])):
            # the edge opposite to corner c runs from c + 1 to c + 2
            across[here, (there + 1) % 3] = np.stack([normals[e] for e in first], axis=1)
        return normals.reshape(f, 3, 3), across

    def project(self, points: Array, facets: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        """Closest points of triangles by the regions of Voronoi."""
        a, b, c = (self.corners[facets, k] for k in range(3))
        ab, ac, ap, bp, cp = b - a, c - a, points - a, points - b, points - c
        d1, d2 = np.sum(ab * ap, axis=1), np.sum(ac * ap, axis=1)
        d3, d4 = np.sum(ab * bp, axis=1), np.sum(ac * bp, axis=1)
        d5, d6 = np.sum(ab * cp, axis=1), np.sum(ac * cp, axis=1)
        va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
        feature = np.zeros(len(points), dtype=np.int64)
        v, w = np.zeros(len(points)), np.zeros(len(points))
        inside = np.maximum(va + vb + vc, TINY)
        v[:], w[:] = vb / inside, vc / inside
        rules = [
            ((va <= 0) & (d4 - d3 >= 0) & (d5 - d6 >= 0), 4),
            ((vb <= 0) & (d2 >= 0) & (d6 <= 0), 5),
            ((vc <= 0) & (d1 >= 0) & (d3 <= 0), 6),
            ((d6 >= 0) & (d5 <= d6), 3),
            ((d3 >= 0) & (d4 <= d3), 2),
            ((d1 <= 0) & (d2 <= 0), 1),
        ]
        for where, code in rules:  # corners win over edges
            feature[where] = code
        s = (d4 - d3) / np.maximum((d4 - d3) + (d5 - d6), TINY)
        one, zero = np.ones(len(points)), np.zeros(len(points))
        edge_b, edge_a = d2 / np.where(d2 - d6 != 0, d2 - d6, 1.0), d1 / np.where(d1 - d3 != 0, d1 - d3, 1.0)
        v = np.choose(feature, [v, zero, one, zero, 1.0 - s, zero, edge_a])
        w = np.choose(feature, [w, zero, zero, one, s, edge_b, zero])
        return a + v[:, None] * ab + w[:, None] * ac, feature

    def pseudo_normal(self, facet: NDArray[np.int64], feature: NDArray[np.int64]) -> Array:
        out = self.normals[facet]
        corner = (feature >= 1) & (feature <= 3)
        out[corner] = self.vertex_normals[self.F[facet[corner], feature[corner] - 1]]
        edge = feature >= 4
        out[edge] = self.edge_normals[self.edge_of[facet[edge], feature[edge] - 4]]
        return out

    def straight(self, facet: NDArray[np.int64], feature: NDArray[np.int64]) -> Array:
        t = np.zeros((len(facet), 3))
        edge = feature >= 4
        t[edge] = self.edge_along[self.edge_of[facet[edge], feature[edge] - 4]]
        return t[:, :, None] * t[:, None, :]

    def is_closed(self) -> bool:
        return bool(self.edge_shared.all())

    def volume(self) -> float:
        a, b, c = (self.corners[:, k] for k in range(3))
        return float(np.sum(a * np.cross(b, c)) / 6.0)
