"""Takes generalized-α steps of a system in compiled code where its equations allow it (`alpha_loop.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import account, alpha_loop, loop
from condyle.integrators.compiled import FAILURES, CompiledSteps
from condyle.integrators.newton import StepInfo
from condyle.system.rates import difference_weights, time_derivative
from condyle.system.state import State, Stretch
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.integrators.generalized_alpha import GeneralizedAlpha


CARRIED = ("acceleration", "algorithmic", "spin rate", "spin algorithmic")  # from step to step


def _motion(rows: tuple[int, ...], bodies: tuple[int, ...]) -> Any:
    made = alpha_loop.Motion if len(rows) == 2 else alpha_loop.Frames
    return made(*(np.zeros(rows) for _ in range(3)), *(np.zeros(bodies) for _ in range(3)))


class AlphaSteps:
    """The compiled form of one system under generalized-α. `of` says whether there is one."""

    @classmethod
    def of(cls, system: System, method: GeneralizedAlpha) -> AlphaSteps | None:
        """The compiled form, made once; None where `CompiledSteps` has none either, and for muscles with states."""
        compiled = None if cls.why_not(system, method) else CompiledSteps.of(system, method)
        if compiled is None:
            return None
        made: dict[str, Any] = system.compiled
        if made.get("alpha") is None or made["alpha"].compiled is not compiled:
            made["alpha"] = cls(system, compiled)
        return made["alpha"]

    @classmethod
    def why_not(cls, system: System, method: GeneralizedAlpha) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        return "muscles have states" if system.has_states else CompiledSteps.why_not(system, method)

    def __init__(self, system: System, compiled: CompiledSteps) -> None:
        self.system, self.compiled = system, compiled
        parts = compiled.problem.parts
        links, constraints, end = (int(s) for s in parts.spans[2:5])
        self.masses = parts._replace(spans=np.array([links, links, links, constraints, end], dtype=np.int64))
        bodies = len(parts.rows.bodies)
        shape = (system.n, system.d, 3)
        exact = system.all_quadratic and not system.builder.driven  # of polynomials, by few points far apart
        counts, reach = ((3, 5), 0.3) if exact else ((7, 7), 0.01)
        weights = np.zeros((2, 7))
        for order, count in enumerate(counts):
            weights[order, 3 - count // 2 : 4 + count // 2] = difference_weights(False, order + 1, count)
        weights[0, 3] = 0.0
        self.maps = alpha_loop.Maps(np.zeros((bodies, 3, 3)), np.zeros(shape), np.zeros(shape), weights, reach)

    def step(self, method: GeneralizedAlpha, state: State, h: float) -> tuple[State, StepInfo] | None:
        """One step of length h [s]; None if it fails and has to be tried otherwise."""
        done = self.run(method, state, [state.t + h], self.system.step_number, 1, 0.0, size=h)
        if done.failed:
            return None
        count = int(done.scalars[0, account.ITERATIONS])
        work = done.work + self.system.support_work(state, done.state, h)
        residuals = self.compiled.work.residuals[: count + 1].tolist()
        return done.state, StepInfo(count, residuals, work=work, scalars=done.scalars[0])

    def run(
        self, method: GeneralizedAlpha, state: State, times: Sequence[float], first: int, every: int, work: float,
        size: float | None = None,
    ) -> Stretch:  # fmt: skip
        """Steps that end at `times` [s], as `CompiledSteps.run`; without the work of supports that move as prescribed."""
        s, w, memory = self.system, self.compiled.work, state.memory
        bodies = (len(self.maps.jacobians), 3)
        at, tables = self.compiled.tables(state.t, times, size)
        count = len(tables.sizes)
        driven = tables.driven
        velocity, acceleration = np.zeros((2, count if driven.size else 0, *state.x.shape))
        for k in range(len(velocity)):
            s.driven_velocity(at[k + 1], velocity[k])
            s.driven_acceleration(at[k + 1], acceleration[k], tables.sizes[k])
        rates = alpha_loop.Rates(self._rates(at[1:]), velocity[:, driven].copy(), acceleration[:, driven].copy())
        x, multipliers, turns = state.x.copy(), state.multipliers.copy(), state.turns.copy()
        now = _motion(x.shape, bodies)
        for array, name in zip(now[1:3] + now[4:], CARRIED, strict=True):
            array[:] = memory[name]
        now.v[:] = state.v
        steps = first + np.arange(count)
        frames = int(np.count_nonzero(steps % every == 0))
        kept = _motion((frames, *x.shape), (frames, *bodies))
        record = loop.Record(
            np.zeros((count, account.SCALARS)), np.zeros((count, s.d)), np.zeros((count, 3)), np.empty(kept.v.shape),
            kept.v, kept.acceleration, np.empty((frames, len(multipliers))), np.empty((frames, len(turns))),
        )  # fmt: skip
        self.compiled.go_on_from(x, now.v)
        begun = work
        status, done, _, reached, work = alpha_loop.run_alpha(
            self.compiled.problem, self.masses, method.coefficients, tables, rates, x, now, multipliers, turns, self.maps,
            method.hold == "all" and len(s.plain.multipliers) > 0, work, first, every,
            record, kept,
            np.zeros_like(x), _motion(x.shape, bodies), w,
        )  # fmt: skip
        self.compiled.failure = FAILURES[status]
        if status == loop.OVERFLOWN:
            return Stretch.none(state, begun)
        self.compiled.reached = x.copy(), now.v.copy()
        carried = dict(zip(CARRIED, now[1:3] + now[4:], strict=True))
        arrays = {"x": record.x, "v": kept.v, "multipliers": record.multipliers, "turns": record.turns} | {
            f"memory/{name}": array for name, array in zip(CARRIED, kept[1:3] + kept[4:], strict=True)
        }
        return Stretch(
            State(float(at[done]), x, now.v, multipliers, carried, turns), record.scalars[:done],
            record.linear[:done], record.angular[:done], at[1 : done + 1], tables.sizes[:done],
            steps[:done][steps[:done] % every == 0], {name: a[:reached] for name, a in arrays.items()}, float(work),
            status != loop.CONVERGED,
        )  # fmt: skip

    def _rates(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """First and second derivatives of all functions of time, where a constraint follows one; (times, 2, functions)."""
        s = self.system
        if not (s.constraints.drive >= 0).any():
            return np.zeros((len(times), 2, max(1, len(s.builder.functions))))
        return np.array([[time_derivative(s.amplitudes, t, order, s.step) for order in (1, 2)] for t in times])
