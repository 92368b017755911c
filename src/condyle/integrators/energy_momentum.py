"""Energy–momentum stepping (Taylor 2000, §3; Simo and Wong 1991; Gonzalez 2000).

    m (v1 − v0)/h + Σ f^dg(x0, x1) + G(x_mid)ᵀ λ = f(t_mid),   x1 = x0 + ½ h (v0 + v1),   c(x1) = 0

acting on rows. Stored energies enter through the discrete gradient on the Gram matrix, rigid bodies through the map
δd = δθ × d at the mid configuration: total energy and both momenta are kept exactly, for any step that converges.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from condyle.errors import InputError
from condyle.integrators.newton import StepFailed, StepInfo, Tolerance, solve
from condyle.model.part import one_of
from condyle.system import assembly
from condyle.system.state import State
from condyle.system.system import Buffers, System


@dataclass
class EnergyMomentum:
    """Second order, conserves energy and momenta exactly.

    placement: where constraints and their gradients are taken (Taylor 2000, §7.1). 'conserving' (a) is the method;
    'midpoint' (b) and 'endpoint' (c) are the failing variants, for comparison only: (b) gains energy without bound, (c)
    loses momentum. They need the 'rows' formulation, where rigidity is a constraint too.
    """

    placement: str = "conserving"
    tolerance: Tolerance = field(default_factory=Tolerance)
    multiplier_time = 0.5  # multipliers belong to mid-step
    start_correction = -1.0 / 12.0

    @property
    def label(self) -> str:
        return type(self).__name__

    def __post_init__(self) -> None:
        one_of(self, "placement", ("conserving", "midpoint", "endpoint"))  # type: ignore[arg-type]

    def prepare(self, system: System, state: State, h: float) -> None:
        """x and v are all that matters; the mean velocity of the last step only makes a better first guess."""
        if self.placement != "conserving" and not system.identity:
            raise InputError(f"placement='{self.placement}' needs simulate(…, formulation='rows')")
        state.memory = {"mean velocity": state.v.copy()}

    def step(self, system: System, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        work = _Step(self, system, state, h)
        return work.run()


class _Step:
    """The unknowns of one step while Newton works on them."""

    def __init__(self, method: EnergyMomentum, system: System, state: State, h: float) -> None:
        self.method, self.system, self.state, self.h = method, system, state, h
        system.set_turns(state.turns)
        self.out: Buffers = system.scratch
        self.x0, self.v0 = state.x, state.v
        self.x1 = state.x.copy()
        self.multipliers = state.multipliers.copy()
        t_mid = state.t + 0.5 * h
        self.t_mid = t_mid
        self.loads = (system.amplitudes(t_mid), system.targets(state.t, state.t + h))
        self.stiffness = system.stiffness(h)
        self.held_where = {"conserving": assembly.CONSERVING, "midpoint": assembly.MIDPOINT, "endpoint": assembly.END}[
            method.placement
        ]
        self.inertia_scale = system.inertia_scale(state.x, h * state.v, 2.0 / h**2)
        self.x_old = state.x
        self._remembered: tuple = ()

    def run(self) -> tuple[State, StepInfo]:
        info = StepInfo()
        system, h = self.system, self.h
        # Velocities of stiff parts alternate about their mean from step to step, so the mean predicts better there.
        mean = self.state.memory.get("mean velocity", self.v0)
        assembly.predict(system.rows, np.where(system.elastic_rows[:, None], mean, self.v0), h, self.x1)
        system.place_driven(self.state.t + h, self.x1)
        eta = system.uzawa_stiffness(self.stiffness)
        for outer in range(60):
            info.outer = outer + 1
            solve(
                system,
                self.evaluate,
                self.apply,
                self.remember,
                self.out,
                self.inertia_scale,
                self.method.tolerance,
                info,
            )
            if not eta.any():
                break
            update = eta * self.out.c
            self.multipliers += update
            if system.uzawa_done(self.out, eta, self.method.tolerance):
                break
        else:
            raise StepFailed("Uzawa's outer loop did not converge; raise the stiffness of the augmented constraints")
        system.clean_directors(self.x1)
        v1 = 2.0 / h * (self.x1 - self.x0) - self.v0
        v1[~system.moving] = np.where(np.abs(v1[~system.moving]) > 0, v1[~system.moving], 0.0)
        multipliers = system.reported_multipliers(
            self.multipliers, self.stiffness, (self.x0, self.x1), (self.state.t, self.state.t + h)
        )
        memory = {"mean velocity": (self.x1 - self.x0) / h}
        turns = system.turns_at(self.x1, self.state.turns)
        return State(self.state.t + h, self.x1, v1, multipliers, memory, turns), info

    def evaluate(self, tangent: bool) -> None:
        """Residual (and tangent) at the current iterate."""
        h = self.h
        v1 = 2.0 / h * (self.x1 - self.x0) - self.v0
        mid = 0.5 * (self.x0 + self.x1)
        rate = (self.x1 - self.x0) / h
        loads = (self.system.applied(self.t_mid, mid, rate), *self.loads)
        motion = (self.x0, self.x1, mid, rate, (v1 - self.v0) / h, self.x_old)
        held = (self.multipliers, *self.stiffness)
        factors = (2.0 / h**2, 0.5, 1.0 / h)
        assembly.assemble(
            self.system.parts, motion, loads, held, assembly.CONSERVING, self.held_where, factors,
            (assembly.NO_MAP, assembly.NO_MAP), tangent, self.out,
        )  # fmt: skip

    def remember(self) -> None:
        self.x_old = self.x1.copy()
        self._remembered = (self.x_old, self.multipliers.copy())

    def apply(self, du: np.ndarray, factor: float) -> None:
        x, multipliers = self._remembered
        self.x1[:] = x
        assembly.move(self.system.rows, factor * du, self.x1)
        self.multipliers = multipliers + factor * self.system.multiplier_increments(du)
