"""Steps at the level of velocities of bodies in a group, whose contact is a few kernels (`nonsmooth_groups.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import CollisionPair
from condyle.contact.laws.coulomb import Coulomb
from condyle.contact.memory import DEPTH, FEATURES, FORCE, HELD, IMPULSE, MEAN_FORCE, RESIDUAL, UNSOLVED
from condyle.contact.neighbours import AHEAD, LEAST, MOST
from condyle.contact.passing import thickness
from condyle.geometry.broad import boxes_of_shapes
from condyle.geometry.touching import WIDTH, touch_pairs
from condyle.integrators import nonsmooth_groups as kernels
from condyle.integrators.islands import Islands
from condyle.integrators.nonsmooth_rigid import hold
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.integrators.nonsmooth import Nonsmooth

Array = NDArray[np.float64]


class Met(NamedTuple):
    """What contact does in a step."""

    v: Array  # velocities of unknowns with contact (n,)
    motion: Array  # by which overlaps are moved out (n,) [m]
    iterations: int
    residual: float
    memory: dict[str, Any]


def why_not(system: RunningSystem, method: Nonsmooth, islands: Islands) -> str:
    """Why contact is gone through in Python; empty if it is left to these kernels."""
    pairs: list[Any] = [] if system.contact is None else list(system.contact.pairs)
    if len(pairs) != 1 or not isinstance(pairs[0], CollisionPair):
        return "contacts are not one group of rigid bodies (Collisions)"
    pair = pairs[0]
    rub = pair.rub
    reasons = {
        "friction has another model than 'cone'": (pair.model or method.friction) != "cone",
        "friction is not Coulomb's with one coefficient": rub is not None and (type(rub) is not Coulomb or rub.varies),
        "only points that touch take part (reach=0)": method.reach == 0.0,
        "forces are those of a part of the step (theta)": method.theta != 1.0,
        "contacts give way elastically": method.contact_compliance > 0.0,
        "directors have unknowns of their own": pair.whole,
        "bodies are connected to large islands": not islands.all_small,
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def held_after(force: Array, held: Array, features: Array) -> Array:
    """What points hold on to after a step, from their forces in it and from what they held before."""
    out = np.empty_like(force)
    hold(force, held, features, out)
    return out


class GroupContact:
    """The one group of a system, for kernels."""

    def __init__(self, system: RunningSystem, method: Nonsmooth, islands: Islands, least: float) -> None:
        assert system.contact is not None
        self.system, self.problem, self.islands = system, system.contact, islands
        self.pair: Any = system.contact.pairs[0]
        pair: Any = self.pair
        mu = 0.0 if pair.rub is None else float(pair.rub.mu)
        numbers = np.array([-1.0, pair.skin, pair.ahead, mu, pair.law.restitution, method.reach, least, pair.size])
        self.group = kernels.Group(
            pair.shapes.on.astype(np.int64), pair.rows_of_bodies, pair.kind, pair.body_columns,
            np.zeros((0, 2), dtype=np.int64), np.zeros((len(pair.shapes.on), 4, 3)), numbers,
        )  # fmt: skip
        table = pair.shapes.table
        self.lever = table.reach + np.linalg.norm(table.placed[:, 0], axis=1)
        self.thinnest = min(thickness(shape) for shape in pair.shapes.shapes)
        self.translation = system.translation.astype(float)

    def survey(self, x: Array, v: Array, h: float) -> None:
        """Look for couples with a margin for some steps."""
        pair, fastest = self.pair, self.pair.fastest(v)
        within = pair.skin + pair.ahead * fastest * h
        more = 2.0 * AHEAD * fastest * h
        margin = within + min(max(more, LEAST * pair.radius), max(MOST * pair.radius, 2.0 * within))
        numbers = self.group.numbers.copy()
        numbers[0] = margin
        couples = np.ascontiguousarray(pair.near_pairs(x, margin), dtype=np.int64)
        self.group = self.group._replace(couples=couples, surveyed=pair._placed(x)[1], numbers=numbers)

    def meet(
        self, method: Nonsmooth, state: State, x: Array, free: Array, driven: Array, h: float, few: int,
        outside: tuple[tuple[float, int], tuple[float, int]], many: int,
    ) -> Met | None:  # fmt: skip
        """Contact in a step of h [s]; None where it has so few rows that Python shares their impulses.

        few: rows; outside: part of overlaps that may be left, and sweeps to move them out, of up to `many` points and of more.
        """
        pair, problem, s = self.pair, self.problem, self.islands
        before = problem.memory_of(state, h)
        busy = int(np.count_nonzero(before[FEATURES][:, 0]))
        if pair.d * busy <= few:
            return None
        part, sweeps = outside[busy > many]
        features = before[FEATURES].copy()
        kept = before.get(HELD, np.zeros_like(before[FORCE]))
        force, held = (array.reshape(pair.count, pair.reported) for array in (before[FORCE], kept))
        impulse, v, motion, out = np.zeros_like(force), np.empty_like(free), np.zeros_like(free), np.zeros(4)
        small = kernels.Small(
            s.indptr, s.indices, s.values, s.of, s.order, s.start, s.place, s.small, s.block, s.inverse
        )  # fmt: skip
        within = pair.skin + pair.ahead * h * kernels.fastest_body(pair.rows_of_bodies, pair.size, state.v)
        frames, placed, (poses, _) = pair._placed(x)
        boxes, table = np.empty((len(pair.shapes), 6)), pair.shapes.table
        boxes_of_shapes(pair.work, table, placed, boxes)
        for _ in range(2):
            most = len(self.group.couples)
            blocks, slot = np.zeros((most, pair.each, kernels.KNOWN)), np.full((most, pair.each), -1)
            pairs = np.empty((most, 2), dtype=np.int64)
            m = kernels.couples_near(
                self.group, table.kind, table.reach, placed, boxes, within, features, blocks, slot, pairs
            )
            if m >= 0:
                break
            self.survey(x, state.v, h)
        assert m >= 0
        pairs, blocks, slot = pairs[:m], blocks[:m], slot[:m]
        there, points = np.zeros((m, pair.each), dtype=bool), np.zeros((m, pair.each, WIDTH))
        touch_pairs(
            pair.work, table, self.group.on, placed, frames, poses, pairs, within, pair.d == 2, False, blocks, there,
            points,
        )  # fmt: skip
        found = kernels.meet(
            self.group, small, x, state.v, driven, free, self.translation, pairs, blocks, slot, there, points, features, force,
            held, h, (method.theta * h) ** 2, method.tolerance, method.sweeps, method.finish, method.give, few,
            method.stabilise, sweeps, part, impulse, v, motion, out,
        )  # fmt: skip
        if found == kernels.FULL:
            raise pair.too_many()
        if found != kernels.DONE:
            return None
        solved = bool(out[1] <= method.tolerance)
        pair.adopt_later(features, within)
        flat = impulse.ravel()
        now = flat / h
        memory = before | {
            FORCE: now, IMPULSE: flat, MEAN_FORCE: 0.5 * (before[FORCE] + now),
            DEPTH: np.maximum(before.get(DEPTH, np.zeros(1)), out[2]), RESIDUAL: out[1:2].copy(), FEATURES: features,
            UNSOLVED: before.get(UNSOLVED, np.zeros(1)) + (not solved), HELD: held_after(now, kept, features),
        }  # fmt: skip
        return Met(v, motion, int(out[0]), float(out[1]), memory)

    def is_slow(self, before: Array, after: Array, part: float) -> bool:
        """Does nothing go farther in a step than a part of the thinnest shape?"""
        way = kernels.farthest_way(self.pair.rows_of_bodies, self.group.on, self.lever, before, after)
        return bool(2.0 * way <= part * self.thinnest)

    def recall(self, x: Array) -> None:
        """Put the pair into the state of the step that began at x, for those who look closer."""
        self.pair._arrange(self.pair.near_pairs(x, self.pair.within))
