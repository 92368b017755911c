"""A variational integrator whose joints are penalties with a step of their own (Hewlett 2020, chapter 4).

    Pᵀ(x0) [ m (x1 − 2 x0 + x₋₁)/h² − f(x0) + J(x0)ᵀ λ ] = 0
    Δ λ = (m_p/h²)(c1 − 2 c0 + c₋₁) + a c1 + b c0 + c c₋₁

The first line is the discrete Euler–Lagrange equation of L_d = h L(x0, (x1 − x0)/h), in rows, tested by the tangent maps at
x0; the second the law of the penalties on the long step (`rescaling.py`). Together they are nonlinear in x1 through c1 = c(x1)
and are solved by Newton's method with a line search. Constraints of velocities are held exactly, a(x0)·(x1 − x0) = h b.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.compiled import why_not
from condyle.integrators.compliant import stiffest
from condyle.integrators.lie import spins
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.quasi_static import refuse_memory
from condyle.integrators.rescaling import Rescaled, select_penalty
from condyle.integrators.variational_kernels import SAME, SHORTEST, TOLERANCE
from condyle.integrators.variational_steps import (
    ROWS_BEFORE,
    STEP_BEFORE,
    VALUES_BEFORE,
    VariationalSteps,
    own_penalties,
)
from condyle.model.part import Declared
from condyle.model.quantities import quantity
from condyle.system import assembly
from condyle.system.linear import SingularMatrixError
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.tables import FREE

Array = NDArray[np.float64]


@dataclass
class VariationalPenalty(metaclass=Declared):
    """Second order, variational; joints are penalties on a step 2^levels times shorter, rescaled to the step of the run.

    stiffness [N/m], mass [kg] and damping [N s/m] of the penalty of each constraint; levels=0: plain penalties. nudge: a pair
    that is unstable on this step is replaced by the nearest stable one (`rescaled` has what was taken), else it is an error.
    line_search: of Newton's method. Stored energies and forces are explicit: a step beyond 2/ω_max of elastic parts is an
    error.
    """

    stiffness: float = quantity(default=1e8, above=0.0)
    mass: float = quantity(default=0.01, above=0.0)
    levels: int = quantity(default=20, at_least=0, at_most=40)
    damping: float = quantity(default=0.0, at_least=0.0)
    nudge: bool = True
    line_search: bool = True
    iterations: int = quantity(default=60, at_least=1)
    multiplier_time = 0.0
    start_correction = 0.0
    unwatched = "penalties exchange energy with the model"  # why the balance of energy is not watched

    def __post_init__(self) -> None:
        self.rescaled: Rescaled | None = None

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """The penalties on this step, and memory for the first one."""
        name = type(self).__name__
        refuse_memory(system, name)
        if system.contact is not None or system.swelling:
            what = "contact" if system.contact is not None else "a natural_stretch that changes"
            raise InputError(f"{name} does not take {what}; use Compliant, EnergyMomentum or GeneralizedAlpha")
        self.rescaled = select_penalty(self.stiffness, self.mass, h, self.levels, self.damping, nudge=self.nudge)
        if system.energies.law.size:
            limit, part = stiffest(system, state)
            if h > limit:
                raise InputError(
                    f"{name}: the step {h:g} s is too large for the forces of '{part}', which are explicit; take dt below "
                    f"2/ω_max = {limit:.3g} s"
                )
        if ROWS_BEFORE not in state.memory:
            state.memory |= {
                ROWS_BEFORE: np.zeros_like(state.x), STEP_BEFORE: np.zeros(1),
                VALUES_BEFORE: np.zeros(len(system.multipliers)),
            }  # fmt: skip

    def law_of(self, h: float) -> Rescaled:
        """The penalties on a step of length h [s], which is another than that of the run where it was cut or is the last."""
        law = self.rescaled
        if law is None or abs(law.step - h) > SAME * h:
            law = select_penalty(self.stiffness, self.mass, h, self.levels, self.damping, nudge=True)
        return law

    def why_in_python(self, system: RunningSystem) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        return why_not(system)

    def compiled(self, system: RunningSystem, *, in_rows: bool = False) -> VariationalSteps | None:
        """The compiled form of its steps; None where they are taken in Python."""
        return None if self.why_in_python(system) else VariationalSteps.of(system, self)

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], in compiled code where that is possible."""
        compiled = self.compiled(system)
        done = None if compiled is None else compiled.step(state, h)
        if done is not None:
            return done
        if compiled is not None and compiled.is_unsolved:  # Newton's method is the same in Python
            raise StepFailed("the equations of a step of VariationalPenalty were not solved; take a smaller dt")
        after, info = self.step_in_python(system, state, h)
        info.in_python = self.why_in_python(system) if compiled is None else compiled.failure
        return after, info

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], with a solver that exchanges rows."""
        step = _Step(system, state, h, self.law_of(h))
        residuals = step.solve(self.iterations, self.line_search)
        t1, x1 = state.t + h, step.x1
        system.clean_directors(x1)
        v1 = step.velocity()
        system.driven_velocity(t1, v1)
        turns = system.turns_at(x1, state.turns)
        system.advance_states(state.x, system.amplitudes(state.t), 1.0, turns)
        memory = {ROWS_BEFORE: state.x.copy(), STEP_BEFORE: np.array([h]), VALUES_BEFORE: step.c0}
        held = system.reported_multipliers(step.held, system.stiffness(h, system.step), (x1, x1), (t1, t1))
        return State(t1, x1, v1, held, memory, turns), StepInfo(len(residuals) - 1, residuals)


class _Step:
    """The equations of one step."""

    def __init__(self, system: RunningSystem, state: State, h: float, law: Rescaled) -> None:
        self.system, self.state, self.h = system, state, h
        p, n = system.pattern, system.motion_unknowns
        line, column = p.rows(), p.indices
        self.columns, self.own = (line < n) & (column >= n), system.diagonal_slots[n:]
        self.goes_on = abs(float(state.memory[STEP_BEFORE][0]) - h) <= SAME * h
        self.before = state.memory[ROWS_BEFORE] if self.goes_on else state.x
        system.set_turns(state.turns)
        system.set_pace(1.0 / h)
        self.out = system.buffers()
        still = np.zeros_like(state.x)
        self.own_penalties = own_penalties(system, h)
        held = (np.zeros(len(system.multipliers)), *(np.zeros_like(k) for k in self.own_penalties))
        x0 = state.x
        loads = (system.applied(state.t, x0, state.v), system.amplitudes(state.t), system.targets(state.t, state.t))
        maps = (assembly.NO_MAP, assembly.NO_MAP)
        assembly.assemble(
            system.whole, (x0, x0, x0, state.v, still, x0), loads, held, assembly.END, assembly.END, (0.0, 1.0, 1.0 / h),
            maps, True, self.out,
        )  # fmt: skip
        self.force, self.gradients = self.out.q.copy(), self.out.A[self.columns].copy()
        self.c0 = c0 = system.constraint_values(x0, state.t)
        c_before = state.memory[VALUES_BEFORE] if self.goes_on else c0
        inertia = law.mass / h**2
        self.rigidity = (inertia + law.a) / law.delta  # ∂λ/∂c1 [N/m]
        self.known = ((law.b - 2.0 * inertia) * c0 + (law.c + inertia) * c_before) / law.delta
        self.soft = np.ones(len(system.multipliers), dtype=bool)
        self.soft[system.rates.channel] = False
        links, constraints, rates, end = (int(s) for s in system.spans[2:6])
        self.whole = system.whole._replace(
            spans=np.array([links, links, links, constraints, rates, end], dtype=np.int64)
        )
        self.x1 = x0.copy()
        self.held = np.where(self.soft, state.multipliers, 0.0)
        system.place_driven(state.t + h, self.x1)

    def residual(self, x1: Array, held: Array) -> tuple[Array, Array]:
        """Of all unknowns, and the sizes of its terms; the matrix is in `out.A`."""
        system, h, x0, n = self.system, self.h, self.state.x, self.system.motion_unknowns
        twice = 1.0 if self.goes_on else 2.0  # the first step begins with the velocity, in its middle
        change = x1 - x0 - (x0 - self.before if self.goes_on else h * self.state.v)
        t1, out = self.state.t + h, self.out
        assembly.assemble(
            self.whole, (x1, x1, x0, (x1 - x0) / h, twice * change / h**2, x1),
            (-self.force, system.amplitudes(t1), system.targets(t1, t1)),
            (np.zeros_like(held), *self.own_penalties), assembly.END, assembly.END,
            (twice / h**2, 0.0, 1.0 / h), (assembly.NO_MAP, assembly.NO_MAP), True, out,
        )  # fmt: skip
        out.A[self.columns] = self.gradients
        live = system.multiplier_unknowns >= 0
        lam = np.zeros(system.unknowns)
        lam[system.multiplier_unknowns[live]] = held[live]
        only = np.where(self.columns, out.A, 0.0)
        r, size = out.r.copy(), out.r_scale.copy()
        push = system.matvec(only, lam)
        r[:n] += push[:n]
        size[:n] += system.matvec(np.abs(only), np.abs(lam))[:n]
        r[n:], size[n:] = 0.0, 1.0
        at = system.multiplier_unknowns[live]
        gap = np.where(self.soft, out.c - (held - self.known) / self.rigidity, out.c)
        r[at] = gap[live]
        size[at] = np.maximum(out.c_scale, np.abs(held / self.rigidity))[live]
        diagonal = np.where(self.soft, -1.0 / self.rigidity, 0.0)[live]
        out.A[self.own] += diagonal
        unit = system.unit_of_unknown
        for k in range(int(unit.max(initial=-1)) + 1):
            size[:n][unit == k] = size[:n][unit == k].max(initial=1e-300)
        return r, np.maximum(size, 1e-300)

    def solve(self, most: int, search: bool) -> list[float]:
        """Newton's method from where the motion leads; residuals relative to the tolerance."""
        system = self.system
        guess = np.zeros(system.unknowns)
        self._guess(guess)
        assembly.move(system.rows, guess, self.x1)
        r, size = self.residual(self.x1, self.held)
        history, live = [self._level(r, size)], system.multiplier_unknowns >= 0
        while history[-1] > 1.0:
            if len(history) > most:
                raise StepFailed(f"the step of VariationalPenalty was not solved in {len(history) - 1} iterations")
            try:
                system.solver.factor(self.out.A)
                du = system.solver.solve(-r)
            except SingularMatrixError as error:
                raise StepFailed("the equations are singular", system.owner(error.unknown or 0)) from None
            share, best = 1.0, history[-1]
            while True:
                x1, held = self.x1.copy(), self.held.copy()
                assembly.move(system.rows, share * du, x1)
                held[live] += share * du[system.multiplier_unknowns[live]]
                r, size = self.residual(x1, held)
                level = self._level(r, size)
                if not search or level < best or share <= SHORTEST:
                    break
                share *= 0.5
            if not np.isfinite(level):
                raise StepFailed("VariationalPenalty is unstable at this step")
            self.x1, self.held = x1, held
            history.append(level)
            if len(history) > 4 and level <= 100.0 and level >= 0.5 * min(history[:-1]):
                break  # round-off
        return history

    @staticmethod
    def _level(r: Array, size: Array) -> float:
        return float(np.abs(r / size).max(initial=0.0)) / TOLERANCE

    def _guess(self, du: Array) -> None:
        """Motion goes on as in the step before."""
        system, state, h = self.system, self.state, self.h
        v = (state.x - self.before) / h if self.goes_on else state.v
        for row in np.flatnonzero(system.rows.kind == FREE):
            u = int(system.rows.unknown[row])
            du[u : u + system.d] = h * v[row]
        omega = np.zeros((len(system.rows.bodies), 3))
        spins(system.rows, state.x, v, omega)
        for rows, w in zip(system.rows.bodies, omega, strict=True):
            u = int(system.rows.unknown[rows[0]])
            du[u : u + (3 if system.d == 3 else 1)] = h * (w if system.d == 3 else w[2:])

    def velocity(self) -> Array:
        """At the end of the step, by backward differences of second order; directors turn as rigid bodies do."""
        x0, x1, h, system = self.state.x, self.x1, self.h, self.system
        v = 2.0 * (x1 - x0) / h - self.state.v
        if self.goes_on:
            v = (3.0 * x1 - 4.0 * x0 + self.before) / (2.0 * h)
        omega = np.zeros((len(system.rows.bodies), 3))
        spins(system.rows, x1, v, omega)
        for rows, w in zip(system.rows.bodies, omega, strict=True):
            d = x1[rows]
            v[rows] = np.cross(w, d) if system.d == 3 else w[2] * np.column_stack((-d[:, 1], d[:, 0]))
        return np.asarray(v)


__all__: list[Any] = ["VariationalPenalty"]
