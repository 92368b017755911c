"""Asynchronous variational integration: every element has a step of its own (lew-2003; Hewlett 2020, §4.2.2).

    between two events    x moves with v, in gravity as a stone that is thrown
    event of element K    v ← v − h_K m⁻¹ ∇V_K(x),   next at t + h_K

Each of the two is the exact flow of a part of the Hamiltonian, so their composition is symplectic and keeps momenta, whatever
the steps are. The mass matrix need not be diagonal: an element kicks what the inverse of it couples to its rows.

A constraint is an element, too: a penalty ½ k c² with a step of its own. All of it is in rows, so those that keep a body rigid
are among them (`System.row_form`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.events import Inverse, element_room, kick_all, run_events, stiffness_of
from condyle.integrators.lie import spins
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.quasi_static import refuse_memory
from condyle.model.part import Declared
from condyle.model.quantities import quantity
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.tables import FREE, PENALTY

Array = NDArray[np.float64]
NEXT = "next events"  # in the memory of a state: when each element acts next [s]
RAW = "velocity between events"  # of which that of the state is what belongs to its instant
ROWS = "rows between events"  # with directors as penalties leave them, nearly orthonormal
MOST_ROWS = 3000  # whose mass matrix is inverted
LIGHT = 1e-10  # of the largest: eigenvalues of the mass matrix below have no inertia to speak of


class _Tables(NamedTuple):
    """What does not change in a run."""

    rows: RunningSystem  # the system in row form
    stiffness: Array  # of elements; 0 of stored energies
    steps: Array  # of elements [s]
    inverse: Inverse  # of the mass matrix
    weight: Array  # accelerations by gravity (n, d)
    shown: NDArray[np.int64]  # which multiplier of the row form each of the system is


@dataclass
class AsynchronousVariational(metaclass=Declared):
    """Second order where all steps are equal, explicit, symplectic: each element steps as often as its own stiffness asks.

    safety: share of its limit 2/ω that the step of an element has; no step is longer than dt. Joints and rigid bodies are held
    by penalties, as stiff as `substeps` steps of their own in each dt allow (a joint with a penalty of its own keeps that); the
    multipliers are their mean forces over a step. For models without contact, drives, constraints of velocities, and forces
    other than gravity; supports may be fixed.
    """

    safety: float = quantity(default=0.5, above=0.0, at_most=1.0)
    substeps: int = quantity(default=20, at_least=1)
    multiplier_time = 0.5
    start_correction = 0.0
    takes_loads = False
    unwatched = "energies of elements are known at different instants"  # why the balance of energy is not watched

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Steps of all elements, and their first events."""
        name = type(self).__name__
        refuse_memory(system, name)
        reasons = {
            "constraints of velocities": bool(system.rates.law.size),
            "drives": bool(system.has_drives),
            "forces other than gravity": bool(system.forces.law.size or system.user_forces),
            "contact": system.contact is not None,
            "moving supports": bool(system.driven),
            f"more than {MOST_ROWS} rows": system.n > MOST_ROWS,
            "a natural_stretch that changes": bool(system.swelling),
        }
        found = next((what for what, there in reasons.items() if there), "")
        if found:
            other = "Compliant" if found == "contact" else "methods.VariationalPenalty"
            raise InputError(f"{name} does not take {found}; use {other} or EnergyMomentum")
        of = self._tables(system)
        if NEXT not in state.memory:
            raw = state.v.copy()  # a first kick of half a step makes them leapfrog
            kick_all(of.rows.whole, of.inverse, of.stiffness, 0.5 * of.steps, state.x, raw)
            state.memory |= {NEXT: state.t + of.steps, RAW: raw, ROWS: state.x.copy()}

    def _tables(self, system: RunningSystem) -> _Tables:
        key = type(self), self.safety, self.substeps, system.step
        return system.keep(key, lambda: self._made(system))

    def _made(self, system: RunningSystem) -> _Tables:
        plain = system.plain
        inverse = _inverse_mass(system, plain)
        stiffness, limits = _elements(plain, inverse, self.safety, system.step / self.substeps)
        steps = np.minimum(system.step, self.safety * limits)
        weight = np.ascontiguousarray(inverse @ system.gravity(0.0))
        place = {(m.part, m.component): k for k, m in enumerate(plain.multipliers)}
        shown = np.array([place.get((m.part, m.component), -1) for m in system.multipliers], dtype=np.int64)
        row, column = np.nonzero(inverse)
        start = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=plain.n))))
        by_rows = Inverse(start.astype(np.int64), column.astype(np.int64), np.ascontiguousarray(inverse[row, column]))
        return _Tables(plain, stiffness, steps, by_rows, weight, shown)

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """All events of a time h [s]."""
        of = self._tables(system)
        x, raw, times = (state.memory[name].copy() for name in (ROWS, RAW, NEXT))
        impulse = np.zeros(len(of.rows.multipliers))
        count = run_events(
            of.rows.whole, of.inverse, of.stiffness, of.steps, times, of.weight, state.t, state.t + h, x, raw, impulse
        )
        if not np.isfinite(x).all() or (np.abs(x) / system.rows.size[:, None]).max() > 1e6:
            raise StepFailed("AsynchronousVariational is unstable; take a smaller safety")
        # a kick stands for the time around its event, half of it before: what of it is still to come is not in v yet
        v = raw.copy()
        kick_all(of.rows.whole, of.inverse, of.stiffness, (state.t + h) - (times - 0.5 * of.steps), x, v)
        memory = {NEXT: times, RAW: raw, ROWS: x.copy()}
        system.clean_directors(x)
        _turn(system, x, v)
        multipliers = np.where(of.shown >= 0, impulse[of.shown] / h, 0.0) if len(of.shown) else np.zeros(0)
        after = State(state.t + h, x, v, multipliers, memory, system.turns_at(x, state.turns))
        return after, StepInfo(iterations=count, residuals=[0.0])


def _inverse_mass(system: RunningSystem, plain: RunningSystem) -> Array:
    """Of the mass matrix of rows that move (n, n); InputError if a body has no inertia about a line."""
    free = np.flatnonzero(plain.rows.kind == FREE)
    m, inverse = np.zeros((plain.n, plain.n)), np.zeros((plain.n, plain.n))
    np.add.at(m, (plain.mass.first, plain.mass.second), plain.mass.value)
    m = m[np.ix_(free, free)]
    size = np.sqrt(np.maximum(np.diag(m), 1e-300))
    light = np.linalg.eigvalsh(m / np.outer(size, size)).min(initial=1.0)
    smallest = int(np.argmin(np.diag(m) / system.rows.size[free] ** 2)) if len(free) else 0
    if light < LIGHT or (np.diag(m) <= LIGHT * np.diag(m).max(initial=0.0)).any():
        raise InputError(
            f"AsynchronousVariational: '{system.row_owner[free[smallest]]}' has no inertia about a line; give it some, or use "
            "methods.VariationalPenalty"
        )
    inverse[np.ix_(free, free)] = np.linalg.inv(m)
    return inverse


def _elements(plain: RunningSystem, inverse: Array, safety: float, short: float) -> tuple[Array, Array]:
    """Stiffness of each element as a penalty, and the limit 2/ω [s] of its own step with the masses that it moves.

    short [s]: the step that the penalties of constraints are made for.
    """
    links, energies, d, x = plain.links.law.size, plain.energies.law.size, plain.d, plain.x_start.copy()
    total = energies + links + plain.constraints.law.size
    stiffness, limits = np.zeros(total), np.full(total, np.inf)
    given = np.concatenate(plain.stiffness(plain.step))
    hold = np.concatenate((plain.links.hold, plain.constraints.hold))
    q, held = np.zeros((2, *x.shape)), np.zeros(len(plain.multipliers))
    rows, room = np.zeros(plain.n, dtype=np.int64), element_room(plain.whole, d)
    away = 1e-6 * plain.size
    most = d * max(int(np.diff(t.row_start).max(initial=1)) for t in (plain.energies, plain.links, plain.constraints))
    whole = np.zeros((most, most))
    for k in range(total):
        count = int(stiffness_of(plain.whole, k, x, away, q, held, rows, room, whole))
        at, K = rows[:count], whole[: count * d, : count * d]
        top = float(np.max(np.linalg.eigvals(np.kron(inverse[np.ix_(at, at)], np.eye(d)) @ K).real, initial=0.0))
        if top <= 0.0:
            continue
        if k >= energies:
            own = hold[k - energies] == PENALTY
            stiffness[k] = given[k - energies] if own else (2.0 * safety / short) ** 2 / top
        limits[k] = 2.0 / np.sqrt(top * (stiffness[k] if k >= energies else 1.0))
    return stiffness, limits


def _turn(system: RunningSystem, x: Array, v: Array) -> None:
    """Velocities of directors as those of rigid bodies, in place."""
    omega = np.zeros((len(system.rows.bodies), 3))
    spins(system.rows, x, v, omega)
    for rows, w in zip(system.rows.bodies, omega, strict=True):
        d = x[rows[: system.d]]
        v[rows[: system.d]] = np.cross(w, d) if system.d == 3 else w[2] * np.column_stack((-d[:, 1], d[:, 0]))
