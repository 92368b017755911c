"""Which rigid shapes are near each other, for kernels: couples that hold for many steps, and the places of their points.

Couples of a group are looked for with a margin, so that they stay the same until shapes have moved so far that others could be
near: until then the matrix keeps its pattern. Which of them count within a step follows from the state alone (`meeting.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import KNOWN, CollisionPair
from condyle.contact.shape_pair import ShapePair, Touch, columns_of_bodies
from condyle.contact.surface import Array
from condyle.geometry import kinds
from condyle.geometry.batch import place_shapes
from condyle.geometry.queries import Shapes
from condyle.geometry.touching import FEATURES, WIDTH, frames_of_bodies
from condyle.system.touching import coupled, tables
from condyle.system.touching.joint_surfaces import joint_surfaces
from condyle.system.touching.shapes import make_sides

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem

Index = NDArray[np.int64]
# Where products of unknowns (m, p) with others (m, q), −1 for none, stand in a matrix (m, p q).
Entries = Callable[[Index, Index], Index]
FEW = 12  # shapes of a group of which all couples are known from the start
AHEAD = 25.0  # steps of motion for which couples of a larger group are looked for,
LEAST, MOST = 0.05, 0.4  # but at least and at most so much of the size of its shapes


class Neighbours:
    """The rigid shapes of all contacts of a run. `changed` counts how often couples were found anew."""

    def __init__(self, system: RunningSystem, pairs: Sequence[Any], point_start: Index) -> None:
        self.pairs = {k: pair for k, pair in enumerate(pairs) if isinstance(pair, ShapePair)}
        self.count, self.point_start = len(pairs), point_start
        own, self.first_shape, self.first_body = list(self.pairs.values()), {}, {}
        shapes, on = 0, list[Index]()
        bodies = 0
        for k, pair in self.pairs.items():
            self.first_shape[k], self.first_body[k] = shapes, bodies
            on.append(pair.shapes.on + bodies)
            shapes, bodies = shapes + len(pair.shapes), bodies + len(pair.rows_of_bodies)
        made = own[0].shapes if len(own) == 1 else Shapes([s for pair in own for s in pair.shapes.shapes])
        self.table, self.on = made.table, np.concatenate(on)
        self.rows = np.concatenate([pair.rows_of_bodies for pair in own])
        self.kind = np.concatenate([pair.kind for pair in own])
        self.whole = any(pair.whole for pair in own)
        self.columns = columns_of_bodies(self.rows, self.kind, system.rows.unknown, self.whole)
        self.changed, self.fits = 0, True
        self._groups = any(isinstance(pair, CollisionPair) for pair in own)
        self._within = dict.fromkeys(self.pairs, np.inf)
        self.surveyed = np.zeros((len(self.on), 4, 3))

    # --- couples ------------------------------------------------------------------------------------------------------

    def gather(self, x: Array, v: Array, h: float | None, features: Array) -> bool:
        """Make sure that all couples are known that may be near in a step of h [s] from x and v; are there other ones now?

        features: which point is in which place (points, KEPT).
        """
        if self.changed and not self._groups:  # two shapes each: their couples never change
            return False
        placed = self._placed(x)
        if self.changed and not self._is_stale(placed, v, h) and self._settled(features):
            return False
        self.surveyed = placed
        found, self._within = {}, {}
        self.fits = True
        for k, pair in self.pairs.items():
            if isinstance(pair, CollisionPair):
                self._within[k], found[k] = self._near(pair, x, v, h or 0.0)
            else:
                self._within[k], found[k] = np.inf, pair.pairs
        self.found = found
        self._give_homes(features)
        self.changed += 1
        return True

    def _placed(self, x: Array) -> Array:
        bodies = len(self.rows)
        frames, poses, turning = np.empty((bodies, 4, 3)), np.empty((bodies, 4, 3)), np.empty((bodies, 3, 3))
        frames_of_bodies(x, self.rows, frames, poses, turning)
        placed = np.empty((len(self.on), 4, 3))
        place_shapes(self.table, self.on, poses, placed)
        return placed

    def _is_stale(self, placed: Array, v: Array, h: float | None) -> bool:
        """May other couples be near than those that are known? As `meeting.py:begin_meeting`."""
        way = placed - self.surveyed
        moved = np.linalg.norm(way[:, 0], axis=1) + self.table.reach * np.linalg.norm(way[:, 1:], axis=(1, 2))
        for k, pair in self.pairs.items():
            if isinstance(pair, CollisionPair):
                first = self.first_shape[k]
                within = pair.skin + pair.ahead * pair.fastest(v) * (h or 0.0)
                if 2.0 * float(moved[first : first + len(pair.shapes)].max()) + within > self._within[k]:
                    return True
        return False

    def _near(self, pair: CollisionPair, x: Array, v: Array, h: float) -> tuple[float, Index]:
        """Couples of a group, and the gap [m] up to which all of them are known."""
        fastest = pair.fastest(v)
        within = pair.skin + pair.ahead * fastest * h
        if pair.soft and len(pair.shapes) <= FEW:
            return np.inf, pair.near_pairs(x, np.inf)
        more = 2.0 * AHEAD * fastest * h
        margin = within + min(max(more, LEAST * pair.radius), max(MOST * pair.radius, 2.0 * within))
        found = pair.near_pairs(x, margin)
        if not pair.soft and len(found) * pair.each > pair.count:
            margin, found = within, pair.near_pairs(x, within)
            self.fits = self.fits and len(found) * pair.each <= pair.count
        return margin, found

    # --- places -------------------------------------------------------------------------------------------------------

    def _give_homes(self, features: Array) -> None:
        """Couples of all pairs in a row; of fixed pairs, and with multipliers, each point has its place until the next time."""
        self.span = np.zeros((self.count, tables.SPAN), dtype=np.int64)
        self.each = max(pair.each for pair in self.pairs.values())
        n = int(self.point_start[-1])
        self.home = np.full((n, 2), -1, dtype=np.int64)
        couples, slots = [np.zeros((0, 2), dtype=np.int64)], [np.zeros((0, self.each), dtype=np.int64)]
        at = 0
        for k, pair in self.pairs.items():
            found, first = self.found[k], self.first_shape[k]
            group = pair if isinstance(pair, CollisionPair) else None
            moves = group is not None
            settled = not moves or not pair.soft
            self.span[k] = (at, at + len(found), pair.each, first, first + len(pair.shapes), moves, settled, 0)
            slot = np.full((len(found), self.each), -1, dtype=np.int64)
            if group is None:
                slot[:, : pair.each] = self.point_start[k] + np.arange(pair.count).reshape(-1, pair.each)
            elif settled and self.fits:
                slot[:, : pair.each] = self._reserved(k, group, found, features)
            if settled:
                block, place = np.nonzero(slot >= 0)
                self.home[slot[block, place]] = np.stack((at + block, place), axis=1)
            couples.append(found + first)
            slots.append(slot)
            at += len(found)
        self.couple = np.ascontiguousarray(np.concatenate(couples))
        self.slot = np.ascontiguousarray(np.concatenate(slots))
        self.bodies = np.zeros((n, 2), dtype=np.int64)
        has = self.home[:, 0] >= 0
        self.bodies[has] = self.on[self.couple[self.home[has, 0]]]

    def _reserved(self, k: int, pair: CollisionPair, found: Index, features: Array) -> Index:
        """Places (couples, K) for all points that couples may have; those that have a point keep theirs."""
        slot, n = np.full((len(found), pair.each), -1, dtype=np.int64), len(pair.shapes)
        key = found @ (n, 1)
        mine = features[self.point_start[k] : self.point_start[k + 1]]
        filled = np.zeros(len(found), dtype=np.int64)
        free = np.ones(pair.count, dtype=bool)
        for place in np.flatnonzero(mine[:, 0] > 0.0):
            wanted = int((mine[place, KNOWN:].astype(np.int64) - 1) @ (n, 1))
            at = int(np.searchsorted(key, wanted))
            if at < len(key) and key[at] == wanted and filled[at] < pair.each:
                slot[at, filled[at]], free[place] = place, False
                filled[at] += 1
        rest = slot < 0
        slot[rest] = np.flatnonzero(free)[: int(rest.sum())]
        return slot + self.point_start[k]

    def _settled(self, features: Array) -> bool:
        """Are points of groups with multipliers in the places that are kept for them?"""
        for k, pair in self.pairs.items():
            if isinstance(pair, CollisionPair) and not pair.soft:
                here = slice(*self.point_start[k : k + 2])
                used = features[here, 0] > 0.0
                home = self.home[here, 0][used]
                shapes = features[here][used, KNOWN:].astype(np.int64) - 1 + self.first_shape[k]
                if (home < 0).any() or (self.couple[home] != shapes).any():
                    return False
        return True

    def columns_of_places(self, k: int) -> Index:
        """Unknowns of B and A of the places of a pair (n, nu), −1 where there is none or no point can be."""
        here = slice(*self.point_start[k : k + 2])
        a, b = self.bodies[here].T
        found = np.concatenate((self.columns[b], self.columns[a]), axis=1)
        return np.where(self.home[here, :1] >= 0, found, -1)

    def columns_of_couples(self) -> Index:
        """Unknowns of B and A of all couples (m, nu)."""
        a, b = self.on[self.couple].T
        return np.concatenate((self.columns[b], self.columns[a]), axis=1)

    # --- tables -------------------------------------------------------------------------------------------------------

    def meeting(self, place: Index, entries: Entries, apart: int | None = None) -> tables.Meeting:
        """For kernels. place: of each unknown in a vector; entries: where products stand in the matrix.

        apart: numbers of a vector, where products of one body with another stand apart from the matrix (`touching/coupled.py`).
        """
        zeros, room = np.zeros, 0 if apart is None else coupled.ROOM
        shapes, bodies, n = len(self.on), len(self.rows), len(self.home)
        column = np.where(self.columns >= 0, place[np.maximum(self.columns, 0)], -1)
        return tables.Meeting(
            shapes=self.table, work=kinds.make_work(), on=self.on, rows=self.rows, kind=self.kind, column=column,
            whole=int(self.whole), own=entries(self.columns, self.columns), apart=int(room > 0),
            basis=zeros((room, apart or 0)), there=zeros((3, n), dtype=np.int64),
            points=zeros((3, n, WIDTH)), frames=zeros((3, bodies, 4, 3)), poses=zeros((3, bodies, 4, 3)),
            turning=zeros((3, bodies, 3, 3)), placed=zeros((shapes, 4, 3)), begun=zeros((shapes, 4, 3)),
            boxes=zeros((shapes, 6)), found=zeros((self.each, WIDTH)), taken=zeros((self.each, FEATURES)),
            is_there=zeros(self.each, dtype=bool), sides=make_sides(2 * column.shape[1]),
            surfaces=joint_surfaces([self.pairs[k].surface_tables if k in self.pairs else None for k in range(self.count)]),
            **self._of_couples(entries, room > 0),
        )  # fmt: skip

    def renewed(self, meeting: tables.Meeting, entries: Entries) -> tables.Meeting:
        """The same tables with the couples that there are now, whose products stand apart from the matrix."""
        return meeting._replace(**self._of_couples(entries, True))

    def _of_couples(self, entries: Entries, apart: bool) -> dict[str, Any]:
        """The columns that follow from which shapes are near each other."""
        m, nc = len(self.couple), self.columns.shape[1]
        reach = np.zeros((self.count, tables.REACH))
        for k, pair in self.pairs.items():
            skin, ahead = (pair.skin, pair.ahead) if isinstance(pair, CollisionPair) else (0.0, 0.0)
            reach[k] = (np.inf, skin, ahead, pair.size, self._within[k])
        if apart:
            entry, blocks = np.zeros((0, 2 * nc * nc), dtype=np.int64), min(m, len(self.home))
        else:
            a, b = (self.columns[side] for side in self.on[self.couple].T)
            entry, blocks = np.concatenate((entries(b, a), entries(a, b)), axis=1), 0
        return {
            "span": self.span.copy(), "reach": reach, "couple": self.couple, "slot": self.slot.copy(),
            "features": np.zeros((m, self.each, FEATURES)), "entry": entry, "near": np.zeros(m, dtype=np.int64),
            "near_count": np.zeros(self.count, dtype=np.int64), "is_near": np.zeros(m, dtype=np.int64),
            "least": np.zeros(m), "meets": np.zeros(m, dtype=np.int64), "product": np.zeros((blocks, 2 * nc * nc)),
            "block": np.full(m, -1, dtype=np.int64), "coupled": np.zeros(blocks, dtype=np.int64), "home": self.home.copy(),
            "bodies": self.bodies.copy(), "surveyed": self.surveyed,
        }  # fmt: skip

    def found_by(self, meeting: tables.Meeting, k: int, which: int) -> Touch:
        """Where kernels have found the points of a pair, in one of the configurations of `tables.py`."""
        pair, first = self.pairs[k], self.first_body[k]
        here, own = slice(*self.point_start[k : k + 2]), slice(first, first + len(self.pairs[k].rows_of_bodies))
        there = meeting.there[which, here] > 0
        points = pair.no_points()
        points[there] = meeting.points[which, here][there]
        return Touch(
            there, points, meeting.frames[which, own].copy(), meeting.poses[which, own].copy(),
            meeting.turning[which, own].copy(),
        )  # fmt: skip


def no_meeting(pairs: int) -> tables.Meeting:
    """Of a model without rigid shapes against each other."""
    none, empty = (lambda *shape: np.zeros(shape)), (lambda *shape: np.zeros(shape, dtype=np.int64))
    return tables.Meeting(
        Shapes([]).table, kinds.make_work(), empty(0), empty(0, 4), empty(0, 4), empty(0, 6), 0, empty(0, 36),
        empty(pairs, tables.SPAN), none(pairs, tables.REACH), empty(0, 2), empty(0, 1), none(0, 1, FEATURES), empty(0, 72),
        empty(0), empty(pairs), empty(0), none(0), empty(0), 0, none(0, 72), empty(0), empty(0), none(0, 0), empty(0, 2),
        empty(0, 2), empty(3, 0), none(3, 0, WIDTH), none(3, 0, 4, 3), none(3, 0, 4, 3), none(3, 0, 3, 3), none(0, 4, 3),
        none(0, 6), none(0, 4, 3), none(0, 4, 3), none(1, WIDTH), none(1, FEATURES), np.zeros(1, dtype=bool),
        make_sides(12), joint_surfaces([None] * pairs),
    )  # fmt: skip
