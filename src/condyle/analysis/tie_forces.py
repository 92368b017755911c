"""Forces of ties that are built into the weights: each step is solved once more with the tie as a constraint.

A tied node has no equation of its own; the force on it is what that equation would lack. The same step of the same
method, from the same state, with the tie held by multipliers, has the same solution, and the multipliers are the forces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.joints import Tie
from condyle.results.reactions import force_on_b
from condyle.system.compile import running
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.system import System
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.results.result import Result

Array = NDArray[np.float64]

SAME = 1e-2  # part of a change of velocity by which a step that is solved again may differ


def tie_force(result: Result, tie: Tie) -> Array:
    """Force of an eliminated tie on the body `to` [N] at `multiplier_times`, shape (times, d)."""
    system = running(
        result.model, formulation=result.formulation, solver=result.options.get("solver", "auto"), release=tie.name
    )
    release = _Release(result.system, system, tie)
    every = type(result)(result._store, model=result._model, system=result._system)
    frames = result._loaded
    static = result.integrator["name"] == "Statics"
    found = _static(every, release, frames) if static else _moving(every, release, frames, tie)
    multipliers = np.array(list(found)).reshape(len(frames), len(system.multipliers))
    return force_on_b(system, tie, multipliers, lambda vector: np.zeros((len(frames), system.d)))


def _moving(result: Result, release: _Release, frames: NDArray[np.int64], tie: Tie) -> Iterator[Array]:
    from condyle.integrators.registry import integrator_of
    from condyle.integrators.simulation import Simulation

    store = result._store
    if (np.diff(store.frame_steps, prepend=-2)[frames] != 1).any():
        raise InputError(
            f"{tie.label}: its force follows from the change over each step, but not every step was recorded; simulate with "
            "every=1, or hold the tie by enforcement='multiplier'"
        )
    start, dt = release.state(result.state(0)), float(result.options["dt"])
    sim = Simulation(release.system, dt=dt, integrator=integrator_of(result.integrator), state=start)
    for frame in frames:
        before, after = (release.state(result.state(int(frame) - k)) for k in (1, 0))
        sim.state = before
        sim.advance(float(store.steps["step"][store.frame_steps[frame]]))
        if not release.same_step(before, after, sim.state):
            raise InputError(
                f"{tie.label}: the step to t = {after.t:g} s does not come out again as it was recorded, as where a controller "
                "or an input changes the model; hold the tie by enforcement='multiplier'"
            )
        yield sim.state.multipliers


def _static(result: Result, release: _Release, frames: NDArray[np.int64]) -> Iterator[Array]:
    """From each equilibrium itself; with contact from the one before, from which points have slid."""
    from condyle.analysis.statics import Statics

    method = Statics(float(result.integrator["at"]))
    for frame in frames:
        reached = float(result.times[frame])
        state = release.state(result.state(int(frame) - (release.system.contact is not None)))
        yield method.step(release.system, state, reached - state.t)[0].multipliers


class _Release:
    """From states of a system to those of the same one with rows for the nodes of a tie."""

    def __init__(self, before: System, system: RunningSystem, tie: Tie) -> None:
        self.system, self.tie = system, tie
        own, old = (list(_vectors(s.anchors[tie.body])) for s in (system, before))
        self.sources: list[Weights | None] = [None] * system.n
        for new, was in zip(own, old, strict=True):
            if new.rows.size == 1:
                self.sources[int(new.rows[0])] = was
        for name in dict.fromkeys(before.row_owner):
            rows, was_at = ([k for k, o in enumerate(s.row_owner) if o == name] for s in (system, before))
            if len(rows) == len(was_at):
                for row, at in zip(rows, was_at, strict=True):
                    self.sources[row] = Weights([at], [1.0])
        if None in self.sources:
            raise InputError(f"{tie.label}: to read its force, hold it by enforcement='multiplier'")
        kept = [k for k, m in enumerate(before.multipliers) if m.part != tie.name]
        self.multipliers = [k for k, m in enumerate(system.multipliers) if m.part != tie.name], kept
        self.kept = np.array([source is not None and source.rows.size == 1 for source in self.sources])

    def same_step(self, before: State, after: State, again: State) -> bool:
        """Do velocities change alike in both steps? (Those of tied nodes depend on the method and are not compared.)"""
        v0, v1, v2 = (state.v[self.kept] for state in (before, after, again))
        allowed = SAME * np.abs(v1 - v0).max(initial=0.0) + 1e-9 * np.abs(v1).max(initial=0.0)
        return bool(np.abs(v2 - v1).max(initial=0.0) <= allowed)

    def state(self, state: State) -> State:
        """The state with the rows of the tied nodes; multipliers of the tie are zero."""
        multipliers = np.zeros(len(self.system.multipliers))
        multipliers[self.multipliers[0]] = state.multipliers[self.multipliers[1]]
        memory = {name: self._spread(a) if a.shape == state.x.shape else a.copy() for name, a in state.memory.items()}
        return State(state.t, self._spread(state.x), self._spread(state.v), multipliers, memory, state.turns.copy())

    def _spread(self, x: Array) -> Array:
        return np.array([vector.at(x) for vector in self.sources if vector is not None])


def _vectors(anchor: Any) -> Iterator[Weights]:
    """Places and directions of all nodes of a body."""
    for own in anchor.nodal():
        yield from own
