"""Patches of a line or surface on a target, found as each step begins: contact points at Gauss points of each patch.

Points have no places of their own on the body: they are put anew in every step (hewlett-2020, section 6.2.2), into a pool of
places of fixed size. What remembers them between steps and for results are `features`: cell and parameters of each point,
its length or area, its patch, and the normal along which it was pressed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.material import Index, Material
from condyle.contact.pair import ContactPair
from condyle.contact.patch_finding import Found, LineSamples, find_on_line, find_on_shape, find_on_surface
from condyle.contact.patch_targets import Meeting, Own, ShapeTarget, Target
from condyle.contact.surface import Array
from condyle.errors import CondyleError
from condyle.system.touching.patches import axes_along

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem

USED, CELL, U, AREA, PATCH, NORMAL = 0, 1, 2, 5, 6, 7  # columns of the features; u and the normal have three each
FAR = 1e200  # [m] the gap of places that have no point


class Options:
    """How patches are made."""

    def __init__(self, count: int, longest: float, margin: float, most: int, radius: float) -> None:
        self.count = count  # points of a patch, of a surface in each direction of a cell
        self.longest = longest  # [m] longer patches of lines are cut in equal pieces
        self.margin = margin  # [m] up to which a gap belongs to a patch
        self.most = most  # points at the same time
        self.radius = radius  # [m] of the line, or half of the thickness


class PatchPair(ContactPair):
    """One contact, compiled: a line or surface of `body` against a target."""

    dynamic = True
    elastic = True
    nodes = None

    def __init__(
        self, name: str, material: Material, target: Target, options: Options, law: ContactLaw, rub: FrictionLaw | None,
        body: str, overlap: str, model: str | None = None,
    ) -> None:  # fmt: skip
        self.name, self.material, self.meets, self.options = name, material, target, options
        self.law, self.rub, self.body, self.target, self.overlap = law, rub, body, target.name, overlap
        self.d, self.model = material.d, model
        self.count = options.most
        self.points: list[int] = []
        self.labels = [f"patch point {k}" for k in range(self.count)]
        self.stiffness = np.ones(self.count)
        self.radius = options.radius
        self.allowed = np.zeros(self.count)
        self.columns = np.full((self.count, 1), -1, dtype=np.int64)
        self.samples = LineSamples(material) if material.along == 1 else None
        self.recall(np.zeros((self.count, NORMAL + 3)))

    def prepare(self, system: RunningSystem) -> None:
        """Nothing to prepare: rows of points are found with them."""

    def gap_gradient(self, x: Array) -> tuple[Index, Array]:
        """None: points have no unknowns that are always the same."""
        return self.columns, np.zeros((self.count, 1))

    # --- where ----------------------------------------------------------------------------------------------------------

    def recall(self, features: Array) -> None:
        """Put points where they were (n, …)."""
        self.features = np.array(features[:, : NORMAL + 3])
        self.busy = np.flatnonzero(self.features[:, USED] > 0.0)
        on = self.features[self.busy]
        self.cell = on[:, CELL].astype(np.int64)
        self.u = on[:, U : U + self.material.powers.shape[1]]
        self.areas = self.features[:, AREA]
        self._lay()

    def _lay(self) -> None:
        """Weights of the points on rows, and on vectors of their cells."""
        self._met: tuple[bytes, Meeting] | None = None
        self.N = self.material.shape_functions(self.cell, self.u)
        self.rows, self.weights = self.material.on_rows(self.cell, self.N)
        order = [1] + [0] * (self.u.shape[1] - 1)
        self._slope = self.material.shape_functions(self.cell, self.u, *order)

    @property
    def own(self) -> Own:
        """Where the points are on the body (k,)."""
        return self._own(self.cell, self.u)

    def _own(self, cell: Index, u: Array) -> Own:
        s = cell.astype(float)
        if self.material.along == 1:
            s = self.material.starts[cell] + u[:, 0] * self.material.lengths[cell]
        return Own(cell, u, s)

    def look(self, x: Array, v: Array, h: float) -> None:
        """Find patches as a step of h [s] begins, and put points into them."""
        material, options = self.material, self.options
        X, V = material.values(x)[material.cells], material.values(v)[material.cells]

        def near(cell: Index, u: Array) -> Array:
            N = material.shape_functions(cell, u)
            p, rate = (np.einsum("nk,nkd->nd", N, a[cell]) for a in (X, V))
            gap, comes = self.meets.approach(x, v, p, rate, self._own(cell, u), h)
            gap = np.where(gap < -self.meets.size, FAR, gap)
            return np.asarray(gap + h * np.minimum(comes, 0.0) - self.radius)

        target = self.meets
        if self.samples is not None and isinstance(target, ShapeTarget) and target.numbers is not None:
            found = find_on_shape(
                material, self.samples, target.numbers, (x[target.rows], v[target.rows]), (X, V), self.radius, h,
                options.margin, options.count, options.longest,
            )  # fmt: skip
        elif self.samples is not None:
            found = find_on_line(material, self.samples, near, options.margin, options.count, options.longest)
        else:
            found = find_on_surface(material, near, options.margin, options.count)
        self._take(found, x)

    def _take(self, found: Found, x: Array) -> None:
        k = len(found.cell)
        if k > self.count:
            raise CondyleError(
                f"PatchContact '{self.name}': {k} contact points at the same time, and there is room for {self.count}; give "
                "most=… with a larger number, or fewer points per patch"
            )
        features = np.zeros_like(self.features)
        features[:k, USED], features[:k, CELL] = 1.0, found.cell
        features[:k, U : U + found.u.shape[1]] = found.u
        features[:k, AREA], features[:k, PATCH] = found.area, found.patch
        self.recall(features)
        if not k:
            return
        if self.material.round:
            self._face(x)
        self.features[:k, NORMAL : NORMAL + self.d] = self.meeting(x).normal

    def _face(self, x: Array) -> None:
        """Put points of a round section to where it faces the target."""
        material, p = self.material, self.u.shape[1]
        normal = self.meets.meet(x, self._places(x), self.own).normal
        sides = [
            material.at(x, self.cell, material.shape_functions(self.cell, self.u, *[int(a == b) for b in range(p)]))
            for a in range(1, p)
        ]
        down = -np.stack([np.sum(normal * side, axis=1) for side in sides], axis=1)
        self.u[:, 1:] = self.radius * down / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-300)
        self.features[self.busy, U : U + p] = self.u
        self._lay()

    # --- kinematics -----------------------------------------------------------------------------------------------------

    @property
    def around(self) -> float:
        """Radius of balls about the points [m]: none where they lie on the outside of a section."""
        return 0.0 if self.material.round else self.radius

    def _places(self, x: Array) -> Array:
        return np.asarray(np.einsum("nr,nra->na", self.weights, x[self.rows]))

    def meeting(self, x: Array) -> Meeting:
        """Of the points that there are."""
        key = x.tobytes()
        if self._met is None or self._met[0] != key:
            self._met = key, self.meets.meet(x, self._places(x), self.own)
        return self._met[1]

    def _filled(self, values: Array, otherwise: float = 0.0) -> Array:
        out = np.full((self.count, *values.shape[1:]), otherwise)
        out[self.busy] = values
        return out

    def places(self, x: Array) -> Array:
        """Of all places (n, d) [m]; those without a point are in the middle of the body."""
        out = np.tile(self.material.values(x)[self.material.cells[0, 0]], (self.count, 1))
        out[self.busy] = self._places(x)
        return out

    def gaps(self, x: Array) -> Array:
        if not len(self.busy):
            return np.full(self.count, FAR)
        met = self.meeting(x)
        gap = np.where(met.gap < -self.meets.size, FAR, met.gap - self.around)
        return self._filled(gap, FAR)

    def normals(self, x: Array) -> Array:
        """Along which points were pressed in the step (n, d)."""
        return np.asarray(self.features[:, NORMAL : NORMAL + self.d])

    def tangents(self, x: Array) -> Array:
        """Along the body at the points that there are, of unit length (k, d)."""
        t = self.material.at(x, self.cell, self._slope)
        return np.asarray(t / np.maximum(np.linalg.norm(t, axis=1, keepdims=True), 1e-300))

    def axes(self, x: Array, normal: Array) -> Array:
        """Normal, along the body, sideways (k, d, d)."""
        out = np.empty((len(normal), self.d, self.d))
        axes_along(normal, self.tangents(x), out)
        return out

    def directions(self, x: Array, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array, Array]:
        at = np.searchsorted(self.busy, points)
        met = self.meeting(x)
        axes = self.axes(x, met.normal)[at]
        rows = np.concatenate((self.rows[at], met.rows[at]), axis=1)
        own = np.einsum("kia,kr->kira", axes, self.weights[at])
        other = -np.einsum("kib,krba->kira", axes, met.G[at])
        gradients = np.concatenate((own, other), axis=2)
        return rows, gradients, axes

    def approach_rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        rate = self.relative(x, v)
        normal = self.meeting(x).normal if len(self.busy) else np.zeros((0, self.d))
        leaving = np.sum(rate * normal, axis=1)
        return self._filled(leaving), self._filled(rate - leaving[:, None] * normal)

    def relative(self, x: Array, v: Array) -> Array:
        """Velocity of the points over the target (k, d)."""
        if not len(self.busy):
            return np.zeros((0, self.d))
        met = self.meeting(x)
        there = np.einsum("nrij,nrj->ni", met.G, v[met.rows])
        return np.asarray(np.einsum("nr,nra->na", self.weights, v[self.rows]) - there)

    def slide(self, before: Array, after: Array) -> Array:
        """Tangential motion of the points over the target between two configurations (n, d)."""
        if not len(self.busy):
            return np.zeros((self.count, self.d))
        move, normal = self.relative(before, after - before), self.features[self.busy, NORMAL : NORMAL + self.d]
        return self._filled(move - np.sum(move * normal, axis=1, keepdims=True) * normal)

    def lengths(self) -> Array:
        """Place of each point along the body [m] (n,); NaN where there is none."""
        return self._filled(self.own.s, np.nan)
