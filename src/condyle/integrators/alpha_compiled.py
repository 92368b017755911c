"""Takes generalized-α steps of a system in compiled code where its equations allow it (`alpha_loop.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.integrators import alpha_loop, lie, loop
from condyle.integrators.compiled import CompiledSteps
from condyle.integrators.newton import StepInfo
from condyle.system.rates import difference_weights, time_derivative
from condyle.system.state import State
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.integrators.generalized_alpha import GeneralizedAlpha


class AlphaSteps:
    """The compiled form of one system under generalized-α. `of` says whether there is one."""

    @classmethod
    def of(cls, system: System, method: GeneralizedAlpha) -> AlphaSteps | None:
        """The compiled form, made once; None where `CompiledSteps` has none either, and for muscles with states."""
        compiled = None if system.has_states else CompiledSteps.of(system, method)
        if compiled is None:
            return None
        made: dict[str, Any] = system.compiled
        if made.get("alpha") is None or made["alpha"].compiled is not compiled:
            made["alpha"] = cls(system, compiled)
        return made["alpha"]

    def __init__(self, system: System, compiled: CompiledSteps) -> None:
        self.system, self.compiled = system, compiled
        parts = compiled.problem.parts
        links, constraints, end = (int(s) for s in parts.spans[2:5])
        self.masses = parts._replace(spans=np.array([links, links, links, constraints, end], dtype=np.int64))
        bodies = len(parts.rows.bodies)
        shape = (system.n, system.d, 3)
        weights = np.array([difference_weights(False, 1), difference_weights(False, 2)])
        reach = 0.1 if system.all_quadratic and not system.builder.driven else 0.01
        self.maps = alpha_loop.Maps(np.zeros((bodies, 3, 3)), np.zeros(shape), np.zeros(shape), weights, reach)

    def step(self, method: GeneralizedAlpha, state: State, h: float) -> tuple[State, StepInfo] | None:
        """One step of length h [s]; None if it fails and has to be tried otherwise."""
        s, w, memory = self.system, self.compiled.work, state.memory
        bodies = (len(self.maps.jacobians), 3)
        t1 = state.t + h
        x1, v1, multipliers = state.x.copy(), state.v.copy(), state.multipliers.copy()
        s.place_driven(t1, x1)
        s.driven_velocity(t1, v1)
        driven, spin = np.zeros_like(x1), np.zeros(bodies)
        s.driven_acceleration(t1, driven, h)
        lie.spins(s.rows, state.x, state.v, spin)
        before = alpha_loop.Motion(
            state.v,
            memory["acceleration"],
            memory["algorithmic"],
            spin,
            memory["spin rate"],
            memory["spin algorithmic"],
        )
        after = alpha_loop.Motion(
            v1, np.zeros_like(x1), np.zeros_like(x1), np.zeros(bodies), np.zeros(bodies), np.zeros(bodies)
        )
        drive = alpha_loop.Drive(s.gravity(t1), s.amplitudes(t1), s.targets(state.t, t1), self._rates(t1), driven)
        status, count = alpha_loop.alpha_step(
            self.compiled.problem, self.masses, (h, *method.coefficients), state.x, before, multipliers, state.turns, drive,
            self.maps, x1, after, s.size, method.hold == "all" and len(s.plain.multipliers) > 0, w,
        )  # fmt: skip
        if status != loop.CONVERGED or not np.isfinite(after.acceleration).all():
            return None
        multipliers = s.reported_multipliers(multipliers, s.stiffness(s.step), (x1, x1), (t1, t1))
        carried = {
            "algorithmic": after.algorithmic,
            "acceleration": after.acceleration,
            "spin algorithmic": after.spin_algorithmic,
            "spin rate": after.spin_rate,
        }
        reached = State(t1, x1, v1, multipliers, carried, s.turns_at(x1, state.turns))
        return reached, StepInfo(int(count), w.residuals[: count + 1].tolist())

    def _rates(self, t: float) -> np.ndarray:
        """First and second derivatives of all functions of time, where a constraint follows one; (2, functions)."""
        s = self.system
        if not (s.constraints.drive >= 0).any():
            return np.zeros((2, max(1, len(s.builder.functions))))
        return np.array([time_derivative(s.amplitudes, t, order, s.step) for order in (1, 2)])
