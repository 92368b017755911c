"""Many shapes against each other: which of them are near is looked for at every step, and their points share one pool of
places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.pair import Terms
from condyle.contact.shape_pair import Carried, ShapePair, Touch, places_of_pair
from condyle.contact.surface import Array
from condyle.errors import CondyleError
from condyle.geometry import kinds
from condyle.geometry.broad import boxes_of_shapes, pairs_that_meet
from condyle.geometry.touching import GAP
from condyle.system.touching import shapes as kernels
from condyle.system.touching.places import attach_places, put_points, take_places

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem
    from condyle.system.running import RunningSystem

KNOWN = 10  # first columns of the features: see shape_pair.py; then the numbers of the two shapes, from 1
AHEAD = 3.0  # times the way that bodies go in a step: nearer shapes are looked at, and have room in the matrix
SKIN = 0.02  # of the size of a shape, and at least so much nearer


class CollisionPair(ShapePair):
    """One group, compiled: all of its shapes against all others, but for pairs of bodies that are left out."""

    dynamic = True

    def __init__(
        self, name: str, carried: Carried, names: list[str], apart: NDArray[np.int64], law: ContactLaw,
        rub: FrictionLaw | None, stiffness: Array | None, overlap: str, most: int | None,
    ) -> None:  # fmt: skip
        """apart: pairs of bodies that do not meet (p, 2), by their numbers; most: contact points at the same time."""
        self.name, self.shapes, self.rows_of_bodies = name, carried.shapes, carried.rows
        self.law, self.rub, self.stiffness, self.overlap = law, rub, stiffness, overlap
        self.names, self.d = names, carried.rows.shape[1] - 1
        table, bodies = self.shapes.table, len(names)
        present = sorted({int(kind) for kind in table.kind})
        met = [(a, b) for a in present for b in present if not a == b == kinds.HALF_SPACE]
        self.each = max(places_of_pair(a, b, self.d) for a, b in met)
        self._apart = np.unique(np.concatenate((apart @ (bodies, 1), apart[:, ::-1] @ (bodies, 1))))
        finite = table.reach[(table.kind != kinds.HALF_SPACE)]
        self.size, self.radius = 2.0 * float(finite.max()), float(np.median(finite))
        per_body = 6 if self.each == 1 else 12 if self.d == 3 else 6
        self.count = most if most is not None else max(self.each, per_body * len(self.shapes))
        self.labels = [f"point {k}" for k in range(self.count)]
        self.areas, self.allowed = np.zeros(self.count), np.zeros(self.count)
        self.within, self.work = np.inf, kinds.make_work()
        self._known: dict[bytes, Touch] = {}
        self.body = self.target = names[-1]
        self.features = np.zeros((self.count, KNOWN + 2))
        self._adopted = False  # from kernels, which have pairs of their own

    def prepare(self, system: RunningSystem) -> None:
        """Find the unknowns of all bodies; places without a point stand for the body that moves and has the most mass."""
        self.bodies = np.zeros((self.count, 2), dtype=np.int64)
        self.rows = np.zeros((self.count, 2 * (self.d + 1)), dtype=np.int64)
        super().prepare(system)
        self.moves: NDArray[np.bool_] = np.asarray((self.kind < 2).any(axis=1))
        mass = np.zeros(system.n)
        on_diagonal = system.mass.first == system.mass.second
        mass[system.mass.first[on_diagonal]] = system.mass.value[on_diagonal]
        self._idle = int(np.argmax(np.where(self.moves, mass[self.rows_of_bodies[:, 0]], -1.0)))
        self.body = self.names[self._idle]
        fixed = np.flatnonzero(~self.moves)
        self._other = int(fixed[0]) if fixed.size else (self._idle + 1) % len(self.names)
        self.target = self.names[self._other]
        self.recall(self.features)

    # --- which pairs ----------------------------------------------------------------------------------------------------

    def recall(self, features: Array) -> None:
        """Which point was in which place (n, …); pairs that have one are the near ones, until `survey` looks around."""
        if self._adopted and np.array_equal(features, self.features):
            return
        self.features = np.array(features)
        used = self.features[:, 0] > 0.0
        self._arrange(np.unique(self.features[used, KNOWN:].astype(np.int64) - 1, axis=0))
        self.within = np.inf

    def adopt(self, features: Array, within: float) -> None:
        """Take over from kernels which point is in which place, and how near points count."""
        self.features, self.within = np.array(features), within
        self._known.clear()
        self._attach()
        self._adopted = True

    def adopt_later(self, features: Array, within: float) -> None:
        """As `adopt`, but what follows from it is made when it is asked for."""
        self.features, self.within, self._adopted = np.array(features), within, True
        self._known.clear()

    def _arrange(self, pairs: NDArray[np.int64]) -> None:
        """Blocks of K points for pairs of shapes, in order, with what places remember of them."""
        self._adopted = False
        self.pairs, m, K = pairs, len(pairs), self.each
        self._blocks, self._slot = np.zeros((m, K, KNOWN)), np.full((m, K), -1, dtype=np.int64)
        key = pairs @ (len(self.shapes), 1)
        take_places(self.features, KNOWN, pairs, key, len(self.shapes), self._blocks, self._slot)
        self._attach()
        self._known.clear()

    def _attach(self) -> None:
        """Bodies, rows and unknowns of all places; idle ones have none."""
        n, idle = self.count, np.array([self._other, self._idle])
        self.bodies, self._busy = np.empty((n, 2), dtype=np.int64), np.empty(n, dtype=np.bool_)
        self.rows = np.empty((n, 2 * self.rows_of_bodies.shape[1]), dtype=np.int64)
        self.columns = np.empty((n, 2 * self.body_columns.shape[1]), dtype=np.int64)
        attach_places(
            self.features, KNOWN, self.shapes.on, idle, self.rows_of_bodies, self.body_columns, self.bodies, self.rows,
            self.columns, self._busy,
        )  # fmt: skip

    def begin_step(self, features: Array, x: Array, v: Array, h: float | None) -> None:
        """`recall` and `survey` at once."""
        self.features = np.array(features)
        self.survey(x, v, h)

    def survey(self, x: Array, v: Array, h: float | None) -> None:
        """Look for shapes that are near at x; those that move with v may come nearer in a step of h [s]."""
        self.within = self.skin + self.ahead * self.fastest(v) * (h or 0.0)
        self._arrange(self.near_pairs(x, self.within))
        self.follow(x)

    @property
    def skin(self) -> float:
        """Points of shapes at rest count up to this gap [m]."""
        return SKIN * self.radius

    @property
    def ahead(self) -> float:
        """And of shapes that move farther, by so many times the way of the fastest over a step."""
        return AHEAD

    def fastest(self, v: Array) -> float:
        """The largest velocity of points of bodies, about [m/s]."""
        rates = np.abs(v[self.rows_of_bodies])
        turning = rates[:, 1:].max(axis=(1, 2), initial=0.0)  # [1/s]
        return float((rates[:, 0].max(axis=1) + self.size * turning).max(initial=0.0))

    def near_pairs(self, x: Array, margin: float) -> NDArray[np.int64]:
        """Pairs of shapes, in order, whose boxes are not farther apart than `margin` [m] and that may meet."""
        if np.isfinite(margin):
            _, placed, _ = self._placed(x)
            boxes = np.empty((len(self.shapes), 6))
            boxes_of_shapes(self.work, self.shapes.table, placed, boxes)
            boxes += 0.5 * margin * np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
            pairs = pairs_that_meet(boxes, 2.0 * self.radius + margin)
        else:
            pairs = np.stack(np.triu_indices(len(self.shapes), 1), axis=1)
        bodies = self.shapes.on[pairs]
        key = bodies @ (len(self.names), 1)
        meet = (bodies[:, 0] != bodies[:, 1]) & self.moves[bodies].any(axis=1) & ~np.isin(key, self._apart)
        flat = self.shapes.table.kind[pairs] == kinds.HALF_SPACE
        meet &= ~flat.all(axis=1)
        walls = np.flatnonzero(meet & flat.any(axis=1))  # whose boxes are everywhere
        if walls.size and np.isfinite(margin):
            plane, other = pairs[walls, 0], pairs[walls, 1]
            plane, other = np.where(flat[walls, 0], plane, other), np.where(flat[walls, 0], other, plane)
            n, low, high = placed[plane, 3], boxes[other, :3], boxes[other, 3:]
            height = np.sum(n * (0.5 * (low + high) - placed[plane, 0]), axis=1) - 0.5 * np.sum(
                np.abs(n) * (high - low), axis=1
            )
            meet[walls] = height <= 0.5 * margin
        pairs = pairs[meet]
        return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])

    def meets(self, one: str, other: str) -> bool:
        """Are two bodies in the group, and not left out?"""
        if one not in self.names or other not in self.names:
            return False
        key = self.names.index(one) * len(self.names) + self.names.index(other)
        return not bool(np.isin(key, self._apart))

    def couplings(self) -> NDArray[np.int64]:
        """Unknowns of pairs that touch or may do so soon, (m, nu): room for them in the matrix."""
        pairs = self.pairs[:0] if self._adopted else self.pairs[(self._slot >= 0).any(axis=1)]
        a, b = self.shapes.on[pairs].T
        return np.concatenate((self.body_columns[b], self.body_columns[a]), axis=1)

    def reserve(self, x: Array) -> NDArray[np.int64]:
        """Unknowns of the points that have places (n, nu)."""
        return np.where(self._busy[:, None], self.columns, -1)

    # --- points ---------------------------------------------------------------------------------------------------------

    def _touch(self, x: Array) -> tuple[Touch, Array]:
        if self._adopted:
            self._arrange(self.near_pairs(x, self.within))
        frames, placed, (poses, turning) = self._placed(x)
        there, points, _ = self._meet(placed, frames, poses, self._blocks)
        flat, on = self._open(self.count), np.zeros(self.count, dtype=bool)
        has = there & (self._slot >= 0)
        slots = self._slot[has]
        flat[slots], on[slots] = points[has], True
        return Touch(on, flat, frames, poses, turning), self.features

    def follow(self, x: Array) -> Touch:
        """The points at an iterate, which keep their places from now on; new ones get places of the pool."""
        if self._adopted:
            self._arrange(self.near_pairs(x, self.within))
        frames, placed, (poses, turning) = self._placed(x)
        there, points, now = self._meet(placed, frames, poses, self._blocks)
        self._blocks = now
        new = there & (self._slot < 0)
        if new.any():
            self._release(new, there)
            self._give_places(new, points[:, :, GAP])
            self._known.clear()
            self._attach()
        flat, on = self._open(self.count), np.zeros(self.count, dtype=bool)
        put_points(there, self._slot, points, now, flat, on, self.features, KNOWN)
        found = Touch(on, flat, frames, poses, turning)
        self._known[x[self.rows_of_bodies].tobytes()] = found
        return found

    def _release(self, new: NDArray[np.bool_], there: NDArray[np.bool_]) -> None:
        """Where places run short, take back those that wait for a point that has gone."""
        if new.sum() <= np.count_nonzero(self.features[:, 0] == 0.0):
            return
        waiting = (self._slot >= 0) & ~there
        self.features[self._slot[waiting]] = 0.0
        self._blocks[waiting] = 0.0
        self._slot[waiting] = -1

    def _give_places(self, new: NDArray[np.bool_], gaps: Array) -> None:
        """Places for new points; where there are not enough, the nearest first: those that are still apart can wait."""
        free, (block, place) = np.flatnonzero(self.features[:, 0] == 0.0), np.nonzero(new)
        order = np.arange(len(block)) if len(block) <= len(free) else np.argsort(gaps[block, place], kind="stable")
        left = order[len(free) :]
        block, place = block[order[: len(free)]], place[order[: len(free)]]
        if len(left) and gaps[new][left].min() <= 0.0:
            raise self.too_many()
        slots = free[: len(block)]
        self._slot[block, place] = slots
        self.features[slots, 0] = 1.0
        self.features[slots, KNOWN:] = self.pairs[block] + 1

    def too_many(self) -> CondyleError:
        """There are more points than places."""
        return CondyleError(
            f"Collisions '{self.name}': more than {self.count} contact points at the same time; give most=… with a larger "
            "number"
        )

    # --- the matrix -----------------------------------------------------------------------------------------------------

    def scatter(self, terms: Terms, problem: ContactProblem, k: int, values: Array) -> bool:
        """Add its blocks to the values of the matrix; False if an entry has no room there."""
        m = terms.column.shape[2]
        on = np.flatnonzero(terms.response.status)
        busy = np.flatnonzero(self._busy) if m else on
        first = int(problem.unknown_start[k])
        pattern = problem.pattern
        if m:
            own = first + np.arange(self.count * m).reshape(self.count, m)
            at = problem.diagonal[own]
            values[at] += np.einsum("nii->ni", terms.response.residual_by_multiplier)
        return bool(
            kernels.scatter_blocks(
                pattern.indptr, pattern.indices, values, terms.columns, first, busy, terms.stiffness, terms.column, terms.line,
                terms.response.residual_by_multiplier,
            )
        )  # fmt: skip

    def between(self, features: Array, one: str, other: str) -> Array:
        """Which places have a point of two bodies: +1 where the force acts on `one`, −1 on `other`, else 0 (n,)."""
        return self.signs(features, one) * (self.signs(features, other) != 0.0)

    def signs(self, features: Array, body: str) -> Array:
        """Which places have a point of a body: +1 where the force acts on it, −1 where its opposite does, else 0 (n,)."""
        used, shapes = features[:, 0] > 0.0, np.maximum(features[:, KNOWN:].astype(np.int64) - 1, 0)
        bodies: Any = np.array(self.names)[self.shapes.on[shapes]]
        return used * ((bodies[:, 1] == body) * 1.0 - (bodies[:, 0] == body))
