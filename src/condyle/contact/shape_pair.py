"""A rigid shape against a rigid shape: contact points that move over both bodies (`system/touching/shapes.py` has the
equations)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.pair import ContactPair, Held, RigidPair, Terms
from condyle.contact.response import END, SLIP, STICK, Approach, Recent, Response, Status, hold_open
from condyle.contact.surface import Array
from condyle.geometry import kinds
from condyle.geometry.batch import place_shapes
from condyle.geometry.queries import Shapes
from condyle.geometry.touching import FEATURES, FIRST, GAP, NORMAL, POINT, WIDTH, frames_of_bodies, touch_pairs
from condyle.system.tables import DIRECTOR, FREE
from condyle.system.touching import shapes as kernels

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem

CORNERS = {kinds.SPHERE: 1, kinds.ELLIPSOID: 1, kinds.CAPSULE: 2, kinds.BOX: 4}
MANY = 12  # corners of other flat sides, of round ends
MOST = 16  # contact points of a pair
OF_MESH = 8  # contact points of a mesh
OPEN_GAP = 1e3  # sizes of the pair: the gap of places without a point


class Touch(NamedTuple):
    """All places of a pair at one configuration."""

    there: NDArray[np.bool_]  # (n,) is there a point?
    points: Array  # (n, WIDTH), columns of geometry/touching.py
    frames: Array  # of all bodies (b, 4, 3)
    poses: Array
    turning: Array  # (b, 3, 3)

    @property
    def axes(self) -> Array:
        """n, e₁, e₂ (n, 3, 3)."""
        return self.points[:, NORMAL : NORMAL + 9].reshape(-1, 3, 3)


class Carried(NamedTuple):
    """Shapes that rigid bodies carry: the shapes, and of each body its rows (b, d + 1)."""

    shapes: Shapes
    rows: NDArray[np.int64]


class ShapePair(ContactPair):
    """One contact, compiled: all shapes of `carried` but the first, of the contact's body, against the first, of its target."""

    of_shapes = True  # are both sides shapes, not parametric surfaces?
    surface_tables: Any = None  # of two parametric surfaces that kernels know
    dynamic = False
    elastic = False
    nodes = None
    points: Sequence[Any] = ()
    thin: Array | None = None  # the smallest extent of each shape [m], once it was asked for

    def __init__(
        self, name: str, carried: Carried, law: ContactLaw, rub: FrictionLaw | None, stiffness: Array | None,
        body: str, target: str, overlap: str,
    ) -> None:  # fmt: skip
        self.name, self.shapes, self.rows_of_bodies = name, carried.shapes, carried.rows
        self.law, self.rub, self.stiffness = law, rub, stiffness
        self.body, self.target, self.overlap = body, target, overlap
        self.d = carried.rows.shape[1] - 1
        target_kind, *others = (int(kind) for kind in carried.shapes.table.kind)
        self.pairs = np.array([(0, 1 + k) for k in range(len(others))], dtype=np.int64)
        self.each = max(places_of_pair(target_kind, kind, self.d) for kind in others)
        self.within = np.inf
        self._lay_out()

    def _lay_out(self) -> None:
        """What follows from the pairs."""
        self.count = len(self.pairs) * self.each
        on = self.shapes.on
        self.bodies = np.repeat(on[self.pairs], self.each, axis=0)  # A and B of each place
        self.rows = np.concatenate(
            (self.rows_of_bodies[self.bodies[:, 1]], self.rows_of_bodies[self.bodies[:, 0]]), axis=1
        )
        self.labels = [f"point {k}" for k in range(self.count)]
        self.areas, self.allowed = np.zeros(self.count), np.zeros(self.count)
        reach = self.shapes.table.reach
        self.size = float(reach.sum())
        self.radius = float(reach[reach > 0.0].min())
        self.features = np.zeros((self.count, FEATURES))
        self.work = kinds.make_work()
        self._known: dict[bytes, Touch] = {}

    def prepare(self, system: RunningSystem) -> None:
        """Find the unknowns of all bodies."""
        kind = system.rows.kind[self.rows_of_bodies]
        self.kind = np.where(kind == FREE, 0, np.where(kind == DIRECTOR, 1, 2)).astype(np.int64)
        self.whole = bool((self.kind[:, 1:] == 0).any())  # directors with unknowns of their own
        self.body_columns = columns_of_bodies(self.rows_of_bodies, self.kind, system.rows.unknown, self.whole)
        self.columns = np.concatenate(
            (self.body_columns[self.bodies[:, 1]], self.body_columns[self.bodies[:, 0]]), axis=1
        )
        self.sides = kernels.make_sides(2 * self.body_columns.shape[1])

    # --- kinematics -----------------------------------------------------------------------------------------------------

    def recall(self, features: Array) -> None:
        """Which point was in which place, as the memory has it (n, FEATURES)."""
        self.features = np.array(features[:, :FEATURES])
        self._known.clear()

    def touch(self, x: Array) -> Touch:
        """Where the shapes meet at x, each point in its place."""
        key = x[self.rows_of_bodies].tobytes()
        found = self._known.get(key)
        if found is None:
            if len(self._known) > 6:
                self._known.clear()
            found = self._known[key] = self._touch(x)[0]
        return found

    def _placed(self, x: Array) -> tuple[Array, Array, tuple[Array, Array]]:
        """Frames of all bodies, places of all shapes, and of the bodies poses and what turns them."""
        bodies = len(self.rows_of_bodies)
        frames, poses, turning = np.empty((bodies, 4, 3)), np.empty((bodies, 4, 3)), np.empty((bodies, 3, 3))
        frames_of_bodies(x, self.rows_of_bodies, frames, poses, turning)
        placed = np.empty((len(self.shapes), 4, 3))
        place_shapes(self.shapes.table, self.shapes.on, poses, placed)
        return frames, placed, (poses, turning)

    def _meet(
        self, placed: Array, frames: Array, poses: Array, blocks: Array
    ) -> tuple[NDArray[np.bool_], Array, Array]:
        """Points of all pairs in their blocks: whether there is one (m, K), (m, K, WIDTH), and how `blocks` remember them."""
        m, K = len(self.pairs), self.each
        now = np.array(blocks[:, :, :FEATURES])
        there, points = np.zeros((m, K), dtype=bool), self._open(m * K).reshape(m, K, WIDTH)
        touch_pairs(
            self.work, self.shapes.table, self.shapes.on, placed, frames, poses, self.pairs, self.within, self.d == 2, True,
            now, there, points,
        )  # fmt: skip
        return there, points, now

    def no_points(self) -> Array:
        """All places without a point (n, WIDTH)."""
        return self._open(self.count)

    def _open(self, n: int) -> Array:
        """Places without a point (n, WIDTH)."""
        out = np.zeros((n, WIDTH))
        out[:, GAP] = OPEN_GAP * self.size
        out[:, [NORMAL, FIRST + 1, FIRST + 5]] = 1.0
        return out

    def _touch(self, x: Array) -> tuple[Touch, Array]:
        """As `touch`, and the features of the points that are there now."""
        frames, placed, (poses, turning) = self._placed(x)
        there, points, now = self._meet(placed, frames, poses, self.features.reshape(-1, self.each, FEATURES))
        return Touch(there.ravel(), points.reshape(-1, WIDTH), frames, poses, turning), now.reshape(-1, FEATURES)

    def adopt(self, features: Array, within: float) -> None:
        """Take over from kernels which point is in which place."""
        self.features = np.array(features[:, :FEATURES])
        self._known.clear()

    def show(self, x: Array, found: Touch) -> None:
        """Take over from kernels where points are at x."""
        self._known[x[self.rows_of_bodies].tobytes()] = found

    def follow(self, x: Array) -> Touch:
        """The points at an iterate, which keep their places from now on."""
        found, now = self._touch(x)
        if not np.array_equal(now[:, 0], self.features[:, 0]):
            self._known.clear()
        self.features = now
        self._known[x[self.rows_of_bodies].tobytes()] = found
        return found

    def places(self, x: Array) -> Array:
        """Common points of both shapes in the world [m], (n, d)."""
        return self.touch(x).points[:, POINT : POINT + self.d]

    def gaps(self, x: Array) -> Array:
        """Gap of each place [m]; large where there is no point."""
        return self.touch(x).points[:, GAP]

    def normals(self, x: Array) -> Array:
        """Outward normals of the target (n, d)."""
        return self.touch(x).points[:, NORMAL : NORMAL + self.d]

    def kept_normals(self, x: Array) -> Array:
        """The same in the coordinates in which forces are kept: along n, e₁, e₂."""
        return np.tile(np.eye(self.d)[0], (self.count, 1))

    def _ways(self, at: Touch, before: Array, after: Array) -> Array:
        """How the material points at the places move apart between two configurations, along n, e₁, e₂ (n, d)."""
        out = np.empty((self.count, 3))
        kernels.ways(at.points, self.bodies, before, after, out)
        return np.einsum("nij,nj->ni", at.axes, out)[:, : self.d]

    def slide(self, before: Array, after: Array) -> Array:
        """Tangential motion of the points over the target between two configurations, along n, e₁, e₂ (n, d)."""
        there = self.touch(after)
        out = self._ways(there, self.touch(before).frames, there.frames)
        out[:, 0] = 0.0
        return out

    def _speeds(self, v: Array) -> Array:
        """Velocities of the rows of all bodies in space (b, 4, 3)."""
        out = np.zeros((len(self.rows_of_bodies), 4, 3))
        out[:, : self.d + 1, : self.d] = v[self.rows_of_bodies]
        return out

    def rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Rates along n, e₁, e₂ (n, d), and how they change at constant velocities of the rows."""
        at = self.touch(x)
        rate, bend = np.zeros((self.count, self.d)), np.zeros((self.count, self.d))
        kernels.rates_of_points(
            self.d,
            np.flatnonzero(at.there),
            self.bodies,
            at.points,
            at.frames,
            at.poses,
            at.turning,
            self._speeds(v),
            self.sides,
            rate,
            bend,
        )
        return rate, bend

    def approach_rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Rate of the gap (n,) and tangential rate (n, d) along n, e₁, e₂."""
        rate = self.rates(x, v)[0]
        along = rate.copy()
        along[:, 0] = 0.0
        return rate[:, 0], along

    def row_gradients(self, x: Array) -> Array:
        """What works on the forces along n, e₁, e₂, on rows (n, d, 2 (d + 1), d)."""
        at, d, n = self.touch(x), self.d, self.count
        out = np.zeros((n, d, 2 * (d + 1), d))
        for j in range(d):
            force = np.tile(np.eye(d)[j], (n, 1))
            kernels.forces_on_rows(d, at.points, force, out[:, j])
        return out

    def directions(self, x: Array, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array, Array]:
        k, d = len(points), self.d
        axes, at = np.tile(np.eye(d), (k, 1, 1)), self.touch(x).points[points]
        out = np.zeros((k, d, 2 * (d + 1), d))
        for j in range(d):
            kernels.forces_on_rows(d, at, axes[:, j], out[:, j])
        return self.rows[points], out, axes

    def gap_gradient(self, x: Array) -> tuple[NDArray[np.int64], Array]:
        """Columns and ∂g/∂(unknowns), both (n, nu)."""
        at = self.touch(x)
        return self.columns, self._lifts(at, self._changes(x))[:, 0]

    def _changes(self, x: Array) -> Array:
        out = np.empty((len(self.rows_of_bodies), 4, 3, self.body_columns.shape[1]))
        kernels.row_changes(x, self.rows_of_bodies, self.kind, self.whole, out)
        return out

    def _lifts(self, at: Touch, changes: Array) -> Array:
        out = np.zeros((self.count, self.d, self.columns.shape[1]))
        kernels.lifts(self.d, self.bodies, at.points, changes, out)
        return out

    def held(self, status: NDArray[np.int8], x: Array, v: Array, rub: Array | None = None) -> Held:
        """As of `RigidPair.held`, along n, e₁, e₂."""
        slips, sticks = np.flatnonzero(status == SLIP), np.flatnonzero(status == STICK)
        if not len(slips) and not len(sticks):
            none, rows = np.zeros((0, self.rows.shape[1], self.d)), self.rows[:0]
            return Held(rows, none, none, np.zeros(0), slips, np.zeros((0, self.d)), self.kept_normals(x))
        axis = np.concatenate((np.zeros(len(slips), dtype=int), *(np.full(len(sticks), j) for j in range(self.d))))
        points = np.concatenate((slips, *([sticks] * self.d)))
        directions = np.eye(self.d)[axis]
        by_row = self.row_gradients(x)[points]
        works = gradients = by_row[np.arange(len(points)), axis]
        bend = self.rates(x, v)[1][points, axis]
        if rub is not None:
            directions[: len(slips)] -= rub[slips]
            works = np.einsum("kjra,kj->kra", by_row, directions)
        return Held(self.rows[points], gradients, works, bend, points, directions, self.kept_normals(x))

    # --- equations ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A new step."""
        self._known.clear()

    def respond(
        self, x0: Array, x1: Array, lam: Array, r: Array, recent: Recent, where: str, taken: Status
    ) -> Response:
        """The condition at the iterate x1, as on a plane: its coordinates are the gap and the slip along e₁, e₂."""
        self.touch(x0)  # points are in the places that they had as the step began
        self._now = now = self.follow(x1)
        self._test = test = now if where == END else self.touch(0.5 * (x0 + x1))
        start = self.touch(x0)
        self._back = start.frames
        way = self._ways(test, start.frames, now.frames)
        gap = now.points[:, GAP]
        there = now.there & test.there
        gap = np.where(there, gap, OPEN_GAP * self.size)
        before = np.where(there & start.there, start.points[:, GAP], gap - way[:, 0])
        before = np.where(there, before, gap)
        held = gap + self.allowed if where == END else hold_open(gap, before, self.allowed)
        out, none = self.kept_normals(x1), np.zeros((self.count, self.d, self.d))
        near = Approach(gap, held, out, none, out, none, before)
        taken = np.where(there, taken, -1).astype(np.int8)
        step = np.where(there[:, None], way, 0.0)
        step[:, 0] = 0.0
        found = self.answer(near, step, lam, r, recent, where, taken)
        self._base, self._bent = found.force, np.zeros(self.count)
        return found if where == END else self._conserving(found, gap - before, np.where(there[:, None], way, 0.0))

    def _conserving(self, found: Response, change: Array, way: Array) -> Response:
        """Forces σ (n + κ w) whose work is σ (g1 − g0), with κ = (g1 − g0 − n·w)/|w|² (Gonzalez)."""
        square, miss = np.sum(way * way, axis=1), change - way[:, 0]
        bends = (np.abs(miss) > 1e-14 * self.size) & (square > 1e-10 * self.size**2) & (found.status > 0)
        self._bent = np.where(bends, miss / np.where(bends, square, 1.0), 0.0)
        more = self._bent[:, None] * way
        mean = found.mean
        if mean is not None:
            mean = mean._replace(force=mean.force + more * mean.force[:, :1])
        return found._replace(
            force=found.force + more * found.force[:, :1],
            by_place=found.by_place + more[:, :, None] * found.by_place[:, :1],
            by_multiplier=found.by_multiplier + more[:, :, None] * found.by_multiplier[:, :1],
            mean=mean,
        )

    def terms(
        self, response: Response, xt: Array, x1: Array, kappa: float, r: Array, size: float, tangent: bool
    ) -> Terms:
        """Forces on rows at the test configuration and (if `tangent`) the matrix."""
        d, n, F = self.d, self.count, np.ascontiguousarray(response.force)
        at = self.touch(xt)
        force = np.zeros((n, 2 * (d + 1), d))
        kernels.forces_on_rows(d, at.points, F, force)
        noise = np.zeros((n, 2 * (d + 1)))
        noise[:] = (r * (response.status > 0) * size)[:, None]
        if not tangent:
            none = np.zeros((n, 0, 0))
            return Terms(response, self.rows, force, noise, self.columns, none, none, none)
        right = self._changes(x1)
        left = right if xt is x1 else self._changes(xt)
        nu = self.columns.shape[1]
        K, B1 = np.zeros((n, nu, nu)), np.zeros((n, d, nu))
        on = np.flatnonzero(response.status)
        now = self._now
        kernels.stiffness_of_points(
            d, self.bodies, at.points, now.points, at.frames, at.poses, at.turning, self._back, now.frames, left, right,
            kappa, self._base, response.by_place, self._base[:, 0].copy(), self._bent, on, self.sides, B1, K,
        )  # fmt: skip
        column = np.swapaxes(self._lifts(at, left), 1, 2) @ response.by_multiplier
        return Terms(response, self.rows, force, noise, self.columns, K, column, response.residual_by_place @ B1)

    def renew(self, lam: Array, closed: NDArray[np.int8], forces: Array, x: Array) -> None:
        """Replace multipliers, in place, by forces F (n, d) found for closed points."""
        if self.friction == 0.0:
            lam[:] = np.where(closed > 0, forces[:, 0], 0.0)[:, None]
            return
        press, tangential = -forces[:, 0], np.linalg.norm(forces[:, 1:], axis=1)
        if (tangential <= self.friction * press * (1.0 + 1e-9)).all():  # else friction is shared out otherwise
            lam[:] = forces

    def to_report(self, response: Response, x1: Array) -> Array:
        """What is kept of the force, (n, reported)."""
        return response.force[:, : self.reported]

    def normal_force(self, force: Array, x: Array) -> Array:
        return -force[:, 0]

    def vector_force(self, force: Array, x: Array) -> Array:
        return -np.einsum("nj,nja->na", force, self.touch(x).axes[:, : force.shape[1], : self.d])


RIGID = (RigidPair, ShapePair)  # pairs of rigid sides: forces are kept in axes that go along with the target


def columns_of_bodies(
    rows: NDArray[np.int64], kind: NDArray[np.int64], unknown: NDArray[np.int64], whole: bool
) -> NDArray[np.int64]:
    """Unknowns of bodies (b, nc), −1 where there is none: of the place, then of turning, or of each director (whole)."""
    d = rows.shape[1] - 1
    turns = 1 if d == 2 else 3
    out = np.full((len(rows), (d + 1) * d if whole else d + turns), -1, dtype=np.int64)
    for k in range(d + 1):
        free, turning = kind[:, k] == 0, kind[:, k] == 1
        at, first = k * d if whole or k == 0 else d, unknown[rows[:, k]]
        if k == 0 or whole:
            out[free, at : at + d] = first[free, None] + np.arange(d)
        out[turning, at : at + turns] = first[turning, None] + np.arange(turns)
    return out


def places_of_pair(a: int, b: int, d: int) -> int:
    """How many contact points two kinds of shapes can have."""
    if kinds.MESH in (a, b):
        return OF_MESH
    corners = sorted(CORNERS.get(k, MANY) for k in (a, b) if k != kinds.HALF_SPACE)
    if corners[0] == 1:
        return 1
    if d == 2:
        return 2
    if len(corners) == 1 or corners[0] == 2:  # over a plane; a line has two ends
        return corners[0]
    return min(sum(corners), MOST)
