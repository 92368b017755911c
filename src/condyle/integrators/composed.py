"""Energy–momentum steps of higher order: a step is a row of smaller ones, some of them backwards in time.

A symmetric method whose parts γ_k h satisfy Σ γ = 1, Σ γ³ = 0 is of order 4 (suzuki-1990), with Σ γ⁵ = 0 and its like of order
6 (kahan-1997). Each part keeps energy and momenta exactly, and so does the whole.

Joints ask for one thing more. Over an energy–momentum step the part of the velocity across a constraint changes its sign,
w1 = −w0 + O(h²), so that a single step does not tend to the identity as h → 0, and compositions of it lose their order in
velocities and in all that follows from them. Two steps of the same length do, and they are what is composed here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators import account
from condyle.integrators.compiled import NONE_KEPT, CompiledMethod, CompiledSteps
from condyle.integrators.energy_momentum import EnergyMomentum
from condyle.integrators.newton import StepInfo, Tolerance
from condyle.integrators.quasi_static import refuse_memory
from condyle.integrators.step_tables import Scheme
from condyle.integrators.strategy import FullNewton, ModifiedNewton, given_strategy
from condyle.integrators.tree_steps import TreeSteps, refuse_rows
from condyle.model.part import Declared
from condyle.model.quantities import choice
from condyle.system.dissipation import first_dissipating
from condyle.system.running import RunningSystem
from condyle.system.state import Batch, State, Times

Array = NDArray[np.float64]

PART = "multipliers of the last part"  # in a state's memory: from which Newton's method of the next part starts
CHUNK = 2**22  # numbers of frames of parts that are kept at once
_S = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
_K = (0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.082213596293550800230)
# Shares of a step by order, each taken as two halves.
PAIRS = {4: (_S, _S, 1.0 - 4.0 * _S, _S, _S), 6: (*_K, 1.0 - 2.0 * sum(_K), *_K[::-1])}


@dataclass
class ComposedEnergyMomentum(CompiledMethod, metaclass=Declared):
    """Energy–momentum of order 4 or 6: energy and momenta are kept exactly, and errors fall with the fourth or sixth power.

    A step is 10 (order 4) or 18 (order 6) steps of `EnergyMomentum`, some of them backwards in time, so that a step of the same
    cost is as many times longer. What dissipates, contact and quasi-static bodies are refused: backwards they would drive.
    order: 4 or 6. coordinates, newton, tolerance: as of `EnergyMomentum`. Multipliers belong to the middle of a step, and are
    of order 4.
    """

    order: int = 4
    coordinates: str = choice("auto", "joints", "rows", default="auto")
    newton: str | FullNewton | ModifiedNewton = "full"
    tolerance: Tolerance = field(default_factory=Tolerance)
    multiplier_time = 0.5
    start_correction = 0.0  # velocities start on the constraints
    conserves = True

    def __post_init__(self) -> None:
        if self.order not in PAIRS:
            raise InputError(f"ComposedEnergyMomentum: order must be 4 or 6, not {self.order!r}; 2 is EnergyMomentum()")
        self.newton = given_strategy(self.newton)

    @property
    def label(self) -> str:
        return type(self).__name__

    @property
    def shares(self) -> Array:
        """Lengths of the parts of a step, as shares of it; they sum up to 1."""
        return np.repeat(0.5 * np.array(PAIRS[self.order]), 2)

    @property
    def multiplier_shares(self) -> Array:
        """What each part's multipliers count for that of the middle of the step.

        Those of a pair, in the mean, miss λ at its middle c by a multiple of its length squared; those before and after the
        middle of the step miss it by opposite amounts. So the weights sum up to 1, and to 0 with (c − ½)² and with γ².
        """
        pairs = np.array(PAIRS[self.order])
        middle = np.cumsum(pairs) - 0.5 * pairs - 0.5
        weights = np.linalg.lstsq(np.stack((np.ones_like(pairs), middle**2, pairs**2)), np.array([1.0, 0.0, 0.0]))[0]
        return np.repeat(0.5 * weights, 2)

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """What one part hands to the next: the mean velocity in it and its multipliers."""
        self._refuse(system, state)
        refuse_rows(self, system)
        self.part.prepare(system, state, h)
        state.memory[PART] = state.multipliers.copy()

    @property
    def part(self) -> EnergyMomentum:
        """The method of the parts."""
        return EnergyMomentum(coordinates=self.coordinates, newton=self.newton, tolerance=self.tolerance)

    @property
    def scheme(self) -> Scheme:
        return self.part.scheme

    def why_in_python(self, system: RunningSystem) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        return self.part.why_in_python(system)

    def steps_of(self, system: RunningSystem) -> type[CompiledSteps]:
        """The form in which steps of this system are compiled."""
        return ComposedTreeSteps if self.part.in_joints(system) else ComposedSteps

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s] in Python, part by part."""
        part, whole, work, t = self.part, StepInfo(level=0.0), 0.0, state.t
        now = _inner(state)
        mean = np.zeros_like(state.multipliers)
        for share, counts in zip(self.shares, self.multiplier_shares, strict=True):
            now, info = part.step_in_python(system, now, share * h)
            work += info.work or 0.0
            mean += counts * now.multipliers
            whole = whole.followed_by(info)
        whole.work = work
        memory = now.memory | {PART: now.multipliers}
        return State(t + h, now.x, now.v, mean, memory, now.turns), whole

    def _refuse(self, system: RunningSystem, state: State) -> None:
        """InputError for what cannot go back in time."""
        name = f"{type(self).__name__}(order={self.order})"
        back = f"{name} takes parts of its steps backwards in time"
        if system.contacts:
            raise InputError(f"{back}, which contact '{system.contacts[0].name}' cannot; take EnergyMomentum()")
        if system.identity:
            raise InputError(f"{name} steps rigid bodies with tangent maps; leave out formulation='rows'")
        system.refuse_states(name)
        refuse_memory(system, name)
        part = first_dissipating(system, state)
        if part:
            raise InputError(
                f"{back}, where '{part}', which depends on velocities, would put energy in that it should take out; take "
                "EnergyMomentum() or RungeKutta()"
            )


class ComposedSteps(CompiledSteps):
    """Compiled steps, each of which is a row of parts."""

    def __init__(self, system: RunningSystem, method: ComposedEnergyMomentum) -> None:
        super().__init__(system, method)
        self.shares, self.counts = method.shares, method.multiplier_shares

    def run(self, state: State, times: Times, first: int, every: int, work: float, size: float | None = None) -> Batch:
        """Steps that end at `times` [s], see `CompiledSteps.run`."""
        at = np.concatenate(([state.t], times))
        sizes = np.diff(at) if size is None else np.array([size])
        most = max(1, CHUNK // (len(self.shares) * max(1, sum(int(np.prod(shape)) for shape in self.shapes))))
        done: list[Batch] = []
        for begin in range(0, len(sizes), most):
            end = min(begin + most, len(sizes))
            done.append(self._chunk(state, at[begin : end + 1], sizes[begin:end], first + begin, every, work))
            state, work = done[-1].state, done[-1].work
            if done[-1].failed:
                break
        return done[0] if len(done) == 1 else _joined(done)

    def _chunk(self, state: State, at: Array, sizes: Array, first: int, every: int, work: float) -> Batch:
        """As many steps as there is room for all their parts."""
        n, count = len(self.shares), len(sizes)
        ends = at[:-1, None] + np.cumsum(self.shares)[None] * sizes[:, None]
        ends[:, -1] = at[1:]
        parts = super().run(_inner(state), [float(t) for t in ends.ravel()], (first - 1) * n + 1, 1, work)
        whole = len(parts.scalars) // n  # steps that are complete
        last = n * np.arange(1, whole + 1) - 1
        scalars = parts.scalars[last]
        for column, together in ((account.ITERATIONS, np.sum), (account.LEVEL, np.max)):
            scalars[:, column] = together(parts.scalars[: n * whole, column].reshape(whole, n), axis=1)
        kept = {name: array[last] for name, array in parts.kept.items()}
        kept[f"memory/{PART}"] = kept["multipliers"]
        of_parts = parts.kept["multipliers"][: n * whole].reshape(whole, n, parts.kept["multipliers"].shape[1])
        kept["multipliers"] = np.einsum("k,skm->sm", self.counts, of_parts)
        reached = _frame(kept, -1, float(at[whole])) if whole else state
        if whole:
            work = float(scalars[-1, account.WORK])
        steps = first + np.arange(whole)
        chosen = np.zeros(whole, dtype=bool) if every == NONE_KEPT else steps % every == 0
        return Batch(
            reached, scalars, parts.linear[last], parts.angular[last], at[1 : whole + 1], sizes[:whole], steps[chosen],
            {name: array[chosen] for name, array in kept.items()}, work, parts.failed or whole < count,
        )  # fmt: skip


class ComposedTreeSteps(ComposedSteps, TreeSteps):
    """The same with parts in joint coordinates."""


def _inner(state: State) -> State:
    """The state between two steps as their parts know it."""
    memory: dict[str, Any] = {name: array for name, array in state.memory.items() if name != PART}
    return State(state.t, state.x, state.v, state.memory[PART].copy(), memory, state.turns)


def _frame(kept: dict[str, Array], k: int, t: float) -> State:
    """The state in one of the frames."""
    memory = {
        name.removeprefix("memory/"): np.array(array[k]) for name, array in kept.items() if name.startswith("memory/")
    }
    x, v, multipliers, turns = (kept[name][k].copy() for name in ("x", "v", "multipliers", "turns"))
    return State(t, x, v, multipliers, memory, turns)


def _joined(batches: list[Batch]) -> Batch:
    """Batches one after the other as one."""
    last = batches[-1]
    arrays = ("scalars", "linear", "angular", "times", "sizes", "frames")
    together = {name: np.concatenate([getattr(b, name) for b in batches]) for name in arrays}
    kept = {name: np.concatenate([b.kept[name] for b in batches]) for name in batches[0].kept}
    return Batch(last.state, kept=kept, work=last.work, failed=last.failed, **together)
