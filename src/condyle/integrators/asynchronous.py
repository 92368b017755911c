"""Asynchronous variational integration: every element has a step of its own (lew-2003; Hewlett 2020, §4.2.2).

    between two events    x moves with v, in gravity as a stone that is thrown
    event of element K    v ← v − h_K m⁻¹ ∇V_K(x),   next at t + h_K

Each of the two is the exact flow of a part of the Hamiltonian, so their composition is symplectic and keeps momenta, whatever
the steps are. The mass matrix need not be diagonal: an element kicks what the inverse of it couples to its rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.events import kick_all, run_events
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.quasi_static import refuse_memory
from condyle.model.part import Declared, number
from condyle.system.assembly.compliant import add_strains
from condyle.system.assembly.places import family
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.tables import FREE

Array = NDArray[np.float64]
NEXT = "next events"  # in the memory of a state: when each element acts next [s]
RAW = "velocity between events"  # of which that of the state is what belongs to its instant
MOST_ROWS = 3000  # whose mass matrix is inverted


@dataclass
class AsynchronousVariational(metaclass=Declared):
    """Second order where all steps are equal, explicit, symplectic: each element steps as often as its own stiffness asks.

    safety: share of its limit 2/ω that the step of an element has; no step is longer than dt. For masses and elastic elements
    without joints, rigid bodies and forces other than gravity; supports may be fixed.
    """

    safety: float = 0.5
    multiplier_time = 1.0
    start_correction = 0.0
    takes_joints = False
    unwatched = "energies of elements are known at different instants"  # why the balance of energy is not watched

    def __post_init__(self) -> None:
        number(self, "safety", low=0.0, strict=True)  # type: ignore[arg-type]
        if self.safety > 1.0:
            raise InputError(f"AsynchronousVariational: safety must be above 0 and at most 1, not {self.safety:g}")
        self._tables: tuple[RunningSystem, float, Array, Array, Array] | None = None

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Steps of all elements, and their first events."""
        name = type(self).__name__
        refuse_memory(system, name)
        reasons = {
            "joints or other constraints": bool(len(system.multipliers)),
            "rigid bodies": bool(len(system.rows.bodies)),
            "forces other than gravity": bool(system.forces.law.size or system.user_forces),
            "contact": system.contact is not None,
            "moving supports": bool(system.driven),
            f"more than {MOST_ROWS} rows": system.n > MOST_ROWS,
            "a natural_stretch that changes": bool(system.swelling),
        }
        found = next((what for what, there in reasons.items() if there), "")
        if found:
            raise InputError(f"{name} does not take {found}; use methods.VariationalPenalty or EnergyMomentum")
        _, _, steps, _, _ = self._of(system, h)
        if NEXT not in state.memory:
            # a first kick of half a step makes them leapfrog
            inverse, raw = self._of(system, h)[3], state.v.copy()
            kick_all(system.parts, inverse, 0.5 * steps, state.x, raw)
            state.memory |= {NEXT: state.t + steps, RAW: raw}

    def _of(self, system: RunningSystem, h: float) -> tuple[RunningSystem, float, Array, Array, Array]:
        if self._tables is None or self._tables[0] is not system or self._tables[1] != system.step:
            free = np.flatnonzero(system.rows.kind == FREE)
            m = np.zeros((system.n, system.n))
            np.add.at(m, (system.mass.first, system.mass.second), system.mass.value)
            inverse = np.zeros_like(m)
            inverse[np.ix_(free, free)] = np.linalg.inv(m[np.ix_(free, free)])
            limits = element_limits(system, inverse)
            steps = np.minimum(system.step, self.safety * limits)
            weight = inverse @ system.gravity(0.0)
            self._tables = (system, system.step, steps, inverse, np.ascontiguousarray(weight))
        return self._tables

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """All events of a time h [s]."""
        _, _, steps, inverse, weight = self._of(system, h)
        x, raw, times = state.x.copy(), state.memory[RAW].copy(), state.memory[NEXT].copy()
        count = run_events(system.parts, inverse, steps, times, weight, state.t, state.t + h, x, raw)
        # a kick stands for the time around its event, half of it before: what of it is still to come is not in v yet
        v = raw.copy()
        kick_all(system.parts, inverse, (state.t + h) - (times - 0.5 * steps), x, v)
        if not np.isfinite(x).all() or (np.abs(x) / system.rows.size[:, None]).max() > 1e6:
            raise StepFailed("AsynchronousVariational is unstable; take a smaller safety")
        turns = system.turns_at(x, state.turns)
        after = State(state.t + h, x, v, np.zeros(0), {NEXT: times, RAW: raw}, turns)
        return after, StepInfo(iterations=count, residuals=[0.0])


def element_limits(system: RunningSystem, inverse: Array) -> Array:
    """2/ω [s] of each stored energy by itself, with the masses that it moves: the limit of its own step; shape (energies,)."""
    table, d, x = system.energies, system.d, system.x_start
    out = np.full(table.law.size, np.inf)
    q, scale, none = np.zeros_like(x), np.zeros_like(x), np.zeros(0)
    for i in range(table.law.size):
        rows = table.rows[table.row_start[i] : table.row_start[i + 1]]
        one = family(table, np.array([i, i + 1]), 0)
        K = np.zeros((rows.size * d, rows.size * d))
        size = 1e-6 * system.size
        for column in range(rows.size * d):
            for sign in (1.0, -1.0):
                moved = x.copy()
                moved[rows[column // d], column % d] += sign * size
                q[:] = 0.0
                add_strains(one, system.rows, moved, 1.0, False, q, scale, none)
                K[:, column] += sign * q[rows].ravel() / (2.0 * size)
        speed = np.kron(inverse[np.ix_(rows, rows)], np.eye(d)) @ K
        top = float(np.max(np.linalg.eigvals(speed).real, initial=0.0))
        if top > 0.0:
            out[i] = 2.0 / np.sqrt(top)
    return out
