"""All contacts of a system over a run: their steps, and what a state remembers of them.

Multipliers, the stiffness of the regularisation and elastic slip are in the memory of the state: a run that is resumed
goes on bit for bit.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import KNOWN, CollisionPair
from condyle.contact.laws.law import Chosen, Past
from condyle.contact.layout import ContactLayout, Pair
from condyle.contact.memory import (
    DAMPING,
    DEPTH,
    ELASTIC_SLIP,
    FEATURES,
    FORCE,
    IMPULSE,
    MEAN_FORCE,
    OVERLAP,
    PAST,
    RECENT,
    STIFFNESS,
    TOUCHING,
)  # fmt: skip
from condyle.contact.patch_pair import PatchPair
from condyle.contact.rates import hold_velocities, settle, unit
from condyle.contact.response import OPEN, SLIP, STICK
from condyle.contact.shape_pair import RIGID, ShapePair
from condyle.contact.step import FAR, TOUCH, ContactStep
from condyle.contact.stiffness import ContactWarning, choose_damping, choose_stiffness, elastic_blows
from condyle.contact.surface import Array
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.system.start import RowProblem
    from condyle.system.state import State

DEEP = 0.01  # of the size of the model: an overlap at the start that is no accident (of penalties ten times as much)
SHALLOW = 1e-4  # of the size of the model: an overlap at the start that is worth a word
# Of the size of the model: an overlap that a start in equilibrium leaves, and what counts as no motion in a step.
ROUND_OFF = 1e-12


class ContactProblem(ContactLayout):
    """The contacts of a system: their steps, forces and memory in a run."""

    def gather(self, state: State, h: float | None) -> bool:
        """Make sure that kernels know the rigid shapes that may meet in a step of h [s] from a state; is the pattern new?

        Where they cannot, or are not to, Python looks for them itself.
        """
        if self.neighbours is None or not self.kernels:
            return False
        features = state.memory[FEATURES] if FEATURES in state.memory else self.features()
        if not self.neighbours.gather(state.x, state.v, h, features):
            return False
        self.build(state.x)
        return True

    def out_of_places(self) -> None:
        """CondyleError: a group has more contact points than places."""
        groups = [pair for pair in self.pairs if isinstance(pair, CollisionPair)]
        free = [int((pair.features[:, 0] == 0.0).sum()) for pair in groups]
        raise groups[int(np.argmin(free))].too_many()

    def pair(self, name: str) -> int:
        """The number of a contact."""
        for k, pair in enumerate(self.pairs):
            if pair.name == name:
                return k
        raise InputError(f"there is no contact '{name}'; there are: {', '.join(p.name for p in self.pairs)}")

    def names(self, points: NDArray[np.int64]) -> str:
        """Some points of all contacts by name, for messages."""
        found = []
        for i in points[:5]:
            k = int(np.searchsorted(self.point_start, i, side="right")) - 1
            found.append(self.pairs[k].owner(int(i - self.point_start[k])))
        return ", ".join(found) + (f" and {len(points) - 5} more" if len(points) > 5 else "")

    def step(self, state: State, h: float | None) -> ContactStep:
        """The contacts in a step of h [s] from a state; None for statics."""
        for pair in self.pairs:
            if pair.rub is not None and pair.rub.of_impulses:
                raise InputError(
                    f"contact '{pair.name}': {type(pair.rub).__name__} is friction of steps at the level of velocities; take "
                    "integrator=Nonsmooth(), or give Coulomb(mu)"
                )
            if isinstance(pair, PatchPair):
                raise InputError(
                    f"PatchContact '{pair.name}': its points are put anew in every step, which only Nonsmooth takes; use "
                    "Contact with points='integration', or integrator=cd.Nonsmooth()"
                )
        return ContactStep(self, state, h)

    # --- memory ---------------------------------------------------------------------------------------------------------

    def start(self, state: State, h: float | None, inertia: bool = True) -> dict[str, Array]:
        """The memory at the start of a run with steps of h [s], None for statics; forces that the state has are kept.

        inertia: does the method know any?
        """
        self.survey(state, h)
        force = state.memory.get(FORCE, np.zeros(int(self.force_start[-1])))
        memory = {FORCE: force, STIFFNESS: choose_stiffness(self, state, h), DEPTH: np.zeros(len(self.pairs))}
        memory |= {IMPULSE: np.zeros_like(force), MEAN_FORCE: force.copy(), TOUCHING: np.ones(self.points)}
        if any(p.soft for p in self.pairs):
            gap = np.concatenate([pair.gaps(state.x) for pair in self.pairs])
            memory[RECENT] = np.stack((np.zeros_like(gap), memory[STIFFNESS] * np.minimum(gap, 0.0)), axis=1)
            memory[DAMPING] = choose_damping(self, state, memory[STIFFNESS])
            memory[PAST] = np.stack((np.zeros_like(gap), np.maximum(-gap, 0.0)), axis=1)
        if any(p.soft and p.friction > 0.0 for p in self.pairs):
            memory[ELASTIC_SLIP] = np.zeros((self.points, self.system.d))
        if any(isinstance(p, ShapePair | PatchPair) for p in self.pairs):
            memory[FEATURES] = self.features()
        overlap = np.concatenate([self._overlap(pair, state.x, inertia and h is not None) for pair in self.pairs])
        overlap[np.abs(overlap) <= ROUND_OFF * self.system.size] = 0.0
        if overlap.any():
            memory[OVERLAP] = overlap
        return memory

    def features(self) -> Array:
        """Which points of rigid shapes are in which places now (points, …)."""
        out = np.zeros((self.points, KNOWN + 2))
        for k, pair in enumerate(self.pairs):
            if isinstance(pair, ShapePair | PatchPair):
                out[self.point_start[k] : self.point_start[k + 1], : pair.features.shape[1]] = pair.features
        return out

    def survey(self, state: State, h: float | None) -> None:
        """Look for shapes that are near each other as a step of h [s] begins."""
        for pair in self.pairs:
            if isinstance(pair, CollisionPair):
                pair.survey(state.x, state.v, h)
            elif isinstance(pair, PatchPair):
                pair.look(state.x, state.v, h or 0.0)

    def look_around(self, state: State, h: float | None) -> None:
        """Put points of rigid shapes into their places as a step begins, where a method makes no `ContactStep` of it."""
        known = state.memory.get(FEATURES)
        for k, pair in enumerate(self.pairs):
            if not isinstance(pair, ShapePair | PatchPair):
                continue
            mine = slice(*self.point_start[k : k + 2])
            if isinstance(pair, CollisionPair):
                pair.begin_step(pair.features if known is None else known[mine], state.x, state.v, h)
                continue
            if isinstance(pair, PatchPair):  # whose points are put anew
                pair.look(state.x, state.v, h or 0.0)
                continue
            if known is not None:
                pair.recall(known[mine])
            pair.follow(state.x)

    def recall(self, memory: dict[str, Array]) -> None:
        """Put points of rigid shapes into the places where they were."""
        for k, pair in enumerate(self.pairs):
            if isinstance(pair, ShapePair | PatchPair) and FEATURES in memory:
                pair.recall(memory[FEATURES][self.point_start[k] : self.point_start[k + 1]])

    def _overlap(self, pair: Pair, x: Array, heavy: bool) -> Array:
        """Overlap at the start that is allowed for (n,) [m]; an error where it is deep and not to be resolved.

        Resolved, it goes step by step. Else heavy points stay as deep as they are, until they come out by themselves:
        to push them out within a step would be work from nowhere. Statics and quasi-static bodies know no work, and close.
        """
        gap = pair.gaps(x)
        if not np.isfinite(gap).all():
            raise InputError(
                f"Contact '{pair.name}': the gap of {pair.labels[int(np.argmin(np.isfinite(gap)))]} is not finite"
            )
        if pair.overlap == "resolve":  # the force of a soft law is what pushes out
            return np.maximum(-gap, 0.0) * (not pair.soft)
        size = self.system.size
        deepest = int(np.argmin(gap))
        if gap[deepest] < -DEEP * size * (10.0 if pair.soft else 1.0):
            raise InputError(
                f"Contact '{pair.name}': {pair.labels[deepest]} starts {-gap[deepest]:.3g} m inside the target; "
                "move the bodies apart, turn the surface if its outside is wrong, or set overlap='resolve'"
            )
        stays = heavy and not (pair.soft or isinstance(pair, PatchPair)) and not self.presses_still(pair)
        if stays and gap[deepest] < -SHALLOW * size:
            warnings.warn(
                f"Contact '{pair.name}': {pair.labels[deepest]} starts {-gap[deepest]:.3g} m inside the target and stays "
                "inside until it comes out by itself; draw it outside, or set overlap='resolve' to have it pushed out",
                ContactWarning,
                stacklevel=2,
            )
        if gap.min() > FAR * size and not isinstance(pair, CollisionPair | PatchPair):
            warnings.warn(
                f"Contact '{pair.name}': no point is nearer to the target than {gap.min():.3g} m, "
                f"{gap.min() / size:.0f} times the size of the model; is it in the right place?",
                ContactWarning,
                stacklevel=2,
            )
        return np.where(stays & (gap < -TOUCH * size), -gap, 0.0)

    def without_multipliers(self, who: str) -> None:
        """InputError if an explicit method would have to hold a gap, or friction that depends on the slip of a whole step."""
        for pair in self.pairs:
            if not pair.soft:
                raise InputError(
                    f"{who} cannot hold the gap of contact '{pair.name}', whose law is {type(pair.law).__name__}; give it a "
                    "soft law such as SpringDashpot or Hertz, or use EnergyMomentum, GeneralizedAlpha, BDF or Compliant"
                )
            if pair.rub is not None and pair.rub.rates:
                raise InputError(
                    f"{who} cannot take {type(pair.rub).__name__} of contact '{pair.name}', which needs the slip of a "
                    "whole step; use Coulomb, Bristle or Stronge, or an implicit method"
                )

    def given(self, pair: Pair) -> bool:
        """Do its forces follow from positions alone? Those of penalties, and those on quasi-static bodies."""
        return pair.soft or self.presses_still(pair)

    @cached_property
    def still(self) -> bool:
        """Does a contact press a quasi-static body?"""
        return any(map(self.presses_still, self.pairs))

    def elastic_blows(self, state: State, h: float) -> str:
        """The first contact that throws back within a step of h [s] and dissipates nothing; '' if there is none."""
        return elastic_blows(self, state, h)

    def given_force(self, state: State, striking: bool = False, still: bool = False) -> Array:
        """Forces on all rows (n, d) [N] of contacts whose forces follow from positions, at the start of a run.

        striking: only those of penalties that `strikes` means; still: only those on quasi-static bodies.
        """
        out = np.zeros_like(state.x)
        if any(isinstance(pair, PatchPair) for pair in self.pairs):
            return out
        meant = self.strikes if striking else self.presses_still if still else self.given
        if not any(map(meant, self.pairs)):  # a step of a large pile is not made for nothing
            return out
        step = ContactStep(self, state, self.system.step)
        step.evaluate(state.x, state.x, False, self.system.scratch)
        for pair, terms in zip(self.pairs, step.terms, strict=True):
            if meant(pair):
                np.subtract.at(out, terms.rows, terms.force)
        return out

    def settled(self, rows: RowProblem, state: State, acceleration: Array, h: float) -> Array:
        """Accelerations at the start with the points that touch and do not part held by the surface, friction included.

        A point that friction stops within the first step of h [s] has none: its force would act on as if there still were slip.
        The step ends with its impact.
        """
        if any(isinstance(pair, PatchPair) for pair in self.pairs):  # whose steps begin with velocities only
            return acceleration
        closed, sliding = [], []
        # Slower than this is rest: a drive that begins at rest leaves the round-off of its function in all velocities.
        slow = 1e-9 * self.fastest(state.v) + ROUND_OFF * self.system.size / h
        allowed = state.memory.get(OVERLAP, np.zeros(self.points))
        for k, pair in enumerate(self.pairs):
            leaving, along = pair.approach_rates(state.x, state.v)
            gap = pair.gaps(state.x) + allowed[self.point_start[k] : self.point_start[k + 1]]
            touches = (np.abs(gap) <= TOUCH * self.system.size) & (leaving <= slow)
            slides = np.linalg.norm(along, axis=1) > slow
            status = np.where(touches, np.where(slides | (pair.friction == 0.0), SLIP, STICK), OPEN)
            closed.append((status * (not self.given(pair))).astype(np.int8))
            sliding.append(along)
        if not any(status.any() for status in closed):
            return acceleration
        hold_velocities(self, rows, state, closed)
        closed = [np.zeros_like(c) if pair.elastic else c for pair, c in zip(self.pairs, closed, strict=True)]
        found = acceleration.copy()
        none = np.zeros(len(self.system.plain.multipliers))
        rubs = [pair.friction * unit(along) for pair, along in zip(self.pairs, sliding, strict=True)]
        forces = settle(self, rows, state, closed, found, none.copy(), rubs)
        for k, pair in enumerate(self.pairs):  # what cannot stick slips
            if isinstance(pair, RIGID) and pair.friction > 0.0 and closed[k].any():
                normal = pair.kept_normals(state.x)
                press = -np.sum(forces[k] * normal, axis=1)
                tau = forces[k] + press[:, None] * normal
                slips = (closed[k] == STICK) & (np.linalg.norm(tau, axis=1) > pair.friction * press)
                rubs[k][slips] = pair.friction * unit(tau[slips])
                closed[k][slips] = SLIP
        for _ in range(2):
            found, _ = rows.acceleration(state, self.given_force(state))
            settle(self, rows, state, closed, found, none.copy(), rubs)
            stops = [self._stops(k, state, found, h) & (status == SLIP) for k, status in enumerate(closed)]
            if not any(stop.any() for stop in stops):
                break
            for status, stop in zip(closed, stops, strict=True):
                status[stop] = OPEN
        return found

    def _stops(self, k: int, state: State, acceleration: Array, h: float) -> NDArray[np.bool_]:
        """Which points of a pair come to rest along the surface within h [s] if their accelerations stay as they are."""
        along, change = (self.pairs[k].approach_rates(state.x, rates)[1] for rates in (state.v, acceleration))
        return (self.pairs[k].friction > 0.0) & (np.sum(along * (along + h * change), axis=1) < 0.0)

    def memory_of(self, state: State, h: float | None) -> dict[str, Array]:
        """The contact's part of the memory of a state, made now if it has none."""
        if FORCE not in state.memory:
            return self.start(state, h)
        return {name: array for name, array in state.memory.items() if name.startswith("contact ")}

    def fastest(self, v: Array) -> float:
        """The largest velocity of a place [m/s]; rates of directions have another unit."""
        return float(np.abs(v[self.system.translation > 0]).max(initial=0.0))

    def kinetic(self, v: Array) -> float:
        """Kinetic energy of velocities [J]."""
        mass = self.system.mass
        return float(0.5 * np.sum(mass.value * np.sum(v[mass.first] * v[mass.second], axis=1)))

    def stored(self, state: State) -> float:
        """Energy of penalties [J]."""
        if STIFFNESS not in state.memory or not any(pair.soft for pair in self.pairs):
            return 0.0
        self.recall(state.memory)
        memory, total, nothing = state.memory, 0.0, np.zeros((self.points, self.system.d))
        past, slip = memory.get(PAST, nothing), memory.get(ELASTIC_SLIP, nothing)
        for k, pair in enumerate(self.pairs):
            here = slice(*self.point_start[k : k + 2])
            if pair.soft:
                chosen = Chosen(memory[STIFFNESS][here], memory[DAMPING][here])
                total += pair.stored(state.x, Past(*past[here].T), chosen, slip[here])
        return total
