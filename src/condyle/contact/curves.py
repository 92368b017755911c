"""Smooth curves through points, as surfaces in the plane and as profiles of surfaces of revolution."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from condyle.contact.surface import Array, Distance, Surface, half_plane, revolved, turned_inside_out
from condyle.errors import InputError
from condyle.model.given import Numbers, NumbersLike, Vector, VectorOrNone
from condyle.model.part import rows
from condyle.model.quantities import declared, quantity

SAMPLES = 12  # of each piece, among which the closest one is looked for first
STARTS = 3  # closest samples from which the projection starts


class _Cubics(Surface, abstract=True):
    """Pieces y(s) = a0 + a1 s + a2 s² + a3 s³, 0 ≤ s ≤ 1, one after another, with a common tangent where they meet.

    The material is on the left of the curve: a closed curve runs counter-clockwise around it. An open curve goes on
    straight beyond its ends.
    """

    dimensions: ClassVar[tuple[int, ...]] = (2,)
    _pieces: Array  # (m, 4, 2)
    closed: bool

    def _prepare(self, pieces: Array) -> None:
        from scipy.spatial import cKDTree

        self._pieces = pieces
        s = np.arange(SAMPLES) / SAMPLES
        places = self._at(np.repeat(np.arange(float(len(pieces))), SAMPLES) + np.tile(s, len(pieces)))[0]
        if not self.closed:
            places = np.vstack((places, self._at(np.array([float(len(pieces))]))[0]))
        speed = np.linalg.norm(np.diff(places, axis=0), axis=1)
        if speed.min(initial=np.inf) <= 1e-9 * np.ptp(places, axis=0).max():
            raise InputError(f"{self.label}: two points that follow each other coincide; remove one")
        self._tree = cKDTree(places)
        if self.closed:
            area = 0.5 * np.sum(places[:, 0] * np.roll(places[:, 1], -1) - places[:, 1] * np.roll(places[:, 0], -1))
            if area < 0.0:
                raise InputError(
                    f"{self.label}: the points must run counter-clockwise around the material; reverse them"
                )

    def _at(self, s: Array) -> tuple[Array, Array, Array]:
        """Place, tangent ∂y/∂s and its derivative at parameters s (k,), counted in pieces."""
        m = len(self._pieces)
        if self.closed:
            s = np.mod(s, m)
        piece = np.clip(np.floor(s).astype(np.int64), 0, m - 1)
        u = s - piece
        over = np.where(u < 0.0, u, np.maximum(u - 1.0, 0.0)) * (0.0 if self.closed else 1.0)  # beyond an open end
        u = (u - over)[:, None]
        a0, a1, a2, a3 = (self._pieces[piece, k] for k in range(4))
        y = a0 + u * (a1 + u * (a2 + u * a3))
        t = a1 + u * (2.0 * a2 + 3.0 * u * a3)
        bend = 2.0 * a2 + 6.0 * u * a3
        return y + over[:, None] * t, t, np.where(over[:, None] != 0.0, 0.0, bend)

    def distance(self, points: Array) -> Distance:
        s = self._project(points)
        y, t, bend = self._at(s)
        size = np.linalg.norm(t, axis=1)
        n = np.stack((t[:, 1], -t[:, 0]), axis=1) / size[:, None]
        gap = np.sum((points - y) * n, axis=1)
        kappa = -np.sum(bend * n, axis=1) / size**2
        along = t / size[:, None]
        stretch = 1.0 + kappa * gap
        H = (
            (kappa / np.where(np.abs(stretch) > 1e-12, stretch, 1e-12))[:, None, None]
            * along[:, :, None]
            * along[:, None]
        )
        return Distance(gap, n, H)

    def _project(self, points: Array) -> Array:
        """Parameter of the closest point: from the nearest samples by Newton's method within a bracket.

        Between two neighbours of a nearest sample, (y − p)·t goes from negative to positive, which is a minimum of the
        distance, and Newton's steps that leave the bracket are replaced by bisection: a maximum cannot be returned.
        """
        k = min(STARTS, self._tree.n)
        _, near = self._tree.query(points, k=k)
        best, least = np.zeros(len(points)), np.full(len(points), np.inf)
        for column in np.reshape(near, (len(points), k)).T:
            s = self._newton(points, column / SAMPLES)
            distance = np.linalg.norm(self._at(s)[0] - points, axis=1)
            closer = distance < least
            best[closer], least[closer] = s[closer], distance[closer]
        return best

    def _newton(self, points: Array, s: Array) -> Array:
        step = 1.0 / SAMPLES
        low, high = s - step, s + step
        if not self.closed:  # an end piece goes on as far as it needs to
            last = float(len(self._pieces))
            reach = 1.0 + 4.0 * (np.abs(points).max() + np.abs(self._pieces).max()) / np.linalg.norm(
                self._pieces[:, 1], axis=1
            ).min(initial=1.0)
            low, high = np.where(s <= 0.0, -reach, low), np.where(s >= last, last + reach, high)
        for _ in range(60):
            y, t, bend = self._at(s)
            miss = y - points
            f = np.sum(miss * t, axis=1)
            slope = np.sum(bend * miss, axis=1) + np.sum(t * t, axis=1)
            low, high = np.where(f < 0.0, s, low), np.where(f < 0.0, high, s)
            new = s - f / np.where(slope > 0.0, slope, 1.0)
            good = (slope > 0.0) & (new >= low) & (new <= high)
            new = np.where(good, new, 0.5 * (low + high))
            done = np.abs(new - s) <= 4e-16 * (1.0 + np.abs(s))
            s = new
            if done.all():
                break
        return s

    def outline(self, dimension: int) -> list[NumbersLike]:
        m = len(self._pieces)
        return [self._at(np.linspace(0.0, m - (1e-9 if self.closed else 0.0), 12 * m + 1))[0]]


@declared
class HermiteCurve(_Cubics):
    """A C¹ curve of cubic Hermite pieces (Hovey 2000, eqs. 3.121–3.127) with tangents α (p_{i+1} − p_{i−1}).

    points [m] (k, 2), counter-clockwise around the material. alpha: 0 < α ≤ 1, ½ is Catmull and Rom's. closed: the last
    point is joined to the first; else the first and the last point only give the tangents at the ends.
    """

    points: Numbers
    alpha: float = quantity(default=0.5, above=0.0, at_most=1.0)
    closed: bool = True
    inside: bool = False

    def __post_init__(self) -> None:
        rows(self, "points")
        P = np.array(self.points)
        least = 3 if self.closed else 4
        if P.ndim != 2 or P.shape[1] != 2 or len(P) < least:
            raise InputError(
                f"{self.label}: give at least {least} points in the plane, not an array of shape {P.shape}"
            )
        a = self.alpha
        if self.closed:
            p0, p1, p2, p3 = (np.roll(P, k, axis=0) for k in (1, 0, -1, -2))
        else:
            p0, p1, p2, p3 = P[:-3], P[1:-2], P[2:-1], P[3:]
        # Eq. (3.126)
        a1 = a * (p2 - p0)
        a2 = 2.0 * a * p0 + (a - 3.0) * p1 + (3.0 - 2.0 * a) * p2 - a * p3
        a3 = -a * p0 + (2.0 - a) * p1 + (a - 2.0) * p2 + a * p3
        self._prepare(np.stack((p1, a1, a2, a3), axis=1))

    def distance(self, points: Array) -> Distance:
        return turned_inside_out(super().distance(points), self.inside)


@declared
class SplineCurve(_Cubics):
    """The C² cubic spline through points [m] (k, 2), counter-clockwise around the material; closed or with free ends."""

    points: Numbers
    closed: bool = True
    inside: bool = False

    def __post_init__(self) -> None:
        from scipy.interpolate import CubicSpline

        rows(self, "points")
        P = np.array(self.points)
        if P.ndim != 2 or P.shape[1] != 2 or len(P) < 3:
            raise InputError(f"{self.label}: give at least 3 points in the plane, not an array of shape {P.shape}")
        Q = np.vstack((P, P[:1])) if self.closed else P
        steps = np.linalg.norm(np.diff(Q, axis=0), axis=1)
        if steps.min() <= 1e-9 * np.ptp(P, axis=0).max():
            raise InputError(f"{self.label}: two points that follow each other coincide; remove one")
        spline = CubicSpline(
            np.concatenate(([0.0], np.cumsum(steps))), Q, bc_type="periodic" if self.closed else "natural"
        )
        powers = steps[:, None, None] ** np.arange(4)[None, :, None]
        self._prepare(np.moveaxis(spline.c[::-1], 0, 1) * powers)

    def distance(self, points: Array) -> Distance:
        return turned_inside_out(super().distance(points), self.inside)


@declared
class Revolution(Surface):
    """A profile turned about `axis` through `centre` [m]: a surface in the plane whose coordinates are radius and height.

    profile: a HermiteCurve, SplineCurve, FacetSurface or any other surface in 2D, at radii of at least 0.
    """

    profile: Surface
    axis: Vector = quantity(vector=True, nonzero=True)
    centre: VectorOrNone = quantity("m", default=None, vector=True)
    dimensions: ClassVar[tuple[int, ...]] = (3,)

    def __post_init__(self) -> None:
        if not isinstance(self.profile, Surface) or 2 not in self.profile.dimensions:
            raise InputError(f"{self.label}: profile must be a surface in the plane, such as a HermiteCurve")

    def distance(self, points: Array) -> Distance:
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        centre = np.zeros(3) if self.centre is None else np.array(self.centre)
        flat, rho, radial = half_plane(points, centre, axis)
        return revolved(self.profile.distance(flat), rho, radial, axis)
