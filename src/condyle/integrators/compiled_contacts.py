"""Contacts of a run in compiled steps: their tables, and what they remember as the state and as kernels have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.touching.curves import ALONG, LIMIT
from condyle.system.touching.tables import COUPLED, KEPT, SIZE_AT, Touching

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem

Array = NDArray[np.float64]


class CompiledContacts:
    """The contacts of one run, with the table that kernels take; methods without a matrix need no places in one."""

    def __init__(self, problem: ContactProblem, table: Touching, in_matrix: bool = True) -> None:
        from condyle.contact import memory, stiffness

        self._names, self._stiffness = memory, stiffness
        self.problem, self.table, self._in_matrix = problem, table, in_matrix
        self.made = 0 if problem.neighbours is None else problem.neighbours.changed
        points, d, kept = problem.points, problem.system.d, int(problem.force_start[-1])
        self.columns = {
            memory.FORCE: (kept,), memory.ELASTIC_SLIP: (points, d), memory.RECENT: (points, 2), memory.PAST: (points, 2),
            memory.DEPTH: (len(problem.pairs),), memory.MEAN_FORCE: (kept,),
            **({} if problem.neighbours is None else {memory.FEATURES: (points, KEPT)}),
        }  # fmt: skip
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self.columns.values())]).tolist()
        self._places = {
            name: (slice(ends[k], ends[k + 1]), shape) for k, (name, shape) in enumerate(self.columns.items())
        }
        self._unlimited = list(
            enumerate(problem.pairs)
        )  # those whose depth to be doubted is not known, or not for long
        self.kept: list[str] = list(self.columns)  # those that the memory of the state has
        self.quiet = {memory.IMPULSE: np.zeros(kept), memory.TOUCHING: np.ones(points)}  # after a step without impacts

    @classmethod
    def without_matrix(cls, problem: ContactProblem) -> CompiledContacts:
        """As explicit methods take them, all of which are soft and known to kernels."""
        table = problem.table_without_matrix()
        assert table is not None  # else `ContactProblem.why_not_compiled` says so
        return cls(problem, table, in_matrix=False)

    @property
    def size(self) -> int:
        """Numbers that are remembered."""
        return int(self.table.start[SIZE_AT])

    def gather(self, state: State, sizes: Array) -> bool:
        """Make sure that rigid shapes that may meet in the next step are known; are tables out of date?"""
        near = self.problem.neighbours
        if near is None or not sizes.size:
            return False
        self.problem.gather(state, float(sizes[0]))
        if self._in_matrix and self.made != near.changed and self.problem.iterated:  # the matrix stays as it is
            self.table = self.table._replace(meeting=near.renewed(self.table.meeting, self.problem.entries))
            self.table.flags[COUPLED], self.made = 0, near.changed
        return self.made != near.changed

    def goes_on(self, state: State) -> bool:
        """May compiled steps go on from a state? Not after points have left in an impact, nor while overlap is resolved."""
        names = self._names
        left, overlap = state.memory.get(names.TOUCHING), state.memory.get(names.OVERLAP)
        apart = (left is None or bool(left.all())) and (overlap is None or not overlap.any())
        return names.FORCE in state.memory and apart

    def begin(self, state: State, system: RunningSystem, touch: Array, multipliers: Array) -> None:
        """Put what a state remembers of contact into the arrays of a compiled step, and what is chosen into the table."""
        names, given, p = self._names, state.memory, self.problem
        if names.FORCE not in given:
            return
        self.kept = [name for name in self.columns if name in given]
        if len(self.kept) == len(self.columns):
            np.concatenate([given[name].ravel() for name in self.kept], out=touch[: self.size])
        else:
            for name in self.kept:
                touch[self._places[name][0]] = given[name].ravel()
        if multipliers.size:
            multipliers[:] = given[names.FORCE][p.held]
        self.table.stiffness[:] = given[names.STIFFNESS]
        self.table.damping[:] = given.get(names.DAMPING, 0.0)
        if self._unlimited:
            for k, pair in self._unlimited:
                self.table.pairs[k, ALONG] = self._stiffness.rubbing_ratio(p, pair, system.step)
                stand_in = pair.soft and (pair.law.linear or pair.layer is not None)
                self.table.pairs[k, LIMIT] = (
                    self._stiffness.largest_depth(system, pair, state.x) if stand_in else np.inf
                )
            self._unlimited = [(k, pair) for k, pair in self._unlimited if pair.elastic]  # rigid bodies keep their size

    def memory(self, touch: Array) -> dict[str, Array]:
        """By name, of a state (numbers,) or of many (frames, numbers)."""
        first = touch.shape[:-1]
        return {
            name: touch[..., here].reshape(first + shape) for name in self.kept for here, shape in (self._places[name],)
        }
