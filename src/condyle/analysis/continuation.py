"""The equations of an equilibrium path and the steps along it; `arc_length.py` is how a path is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.linearise import tangent_map
from condyle.analysis.saddle import factorised
from condyle.analysis.statics import first_reactions, load_memory
from condyle.errors import InputError, unknown_name
from condyle.integrators.convergence import CONTROL, CONVERGED, FACTORISE, begin, decide, go_on
from condyle.integrators.newton import StepFailed, StepInfo, Tolerance, merit
from condyle.system import assembly
from condyle.system.linear import SingularMatrixError
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state
from condyle.system.state import State
from condyle.system.tables import DIRECTOR, FREE

Array = NDArray[np.float64]
NEAR = 1e-6  # of the square of an arc length: by so much a point may be off its sphere


@dataclass(frozen=True)
class ScaledLoads:
    """Which loads the factor scales: of functions of time, shape (functions,), gravity, and Python functions."""

    functions: NDArray[np.bool_]
    gravity: bool
    users: bool

    @property
    def all(self) -> bool:
        """Does every load grow with the factor?"""
        return self.gravity and bool(self.functions.all())


def scaled_loads(system: RunningSystem, loads: Sequence[str] | None) -> ScaledLoads:
    """The loads of these names, or all; InputError names what is not there."""
    owners = system.function_owner
    driven = {int(k) for k in system.constraints.drive if k >= 0}
    names = {owner for k, owner in enumerate(owners) if k not in driven}
    weight = bool(np.any(system.gravity_force))
    if loads is None:
        if not names and not weight:
            raise InputError(
                f"trace_equilibrium: model '{system.model.name}' has no load to scale; add a Load or gravity"
            )
        return ScaledLoads(np.ones(max(len(owners), 1), dtype=bool), True, True)
    if isinstance(loads, str) or not len(loads):
        raise InputError(f"trace_equilibrium: loads must be a list of names, not {loads!r}")
    known = names | ({"gravity"} if weight else set())
    for name in loads:
        if name not in known:
            raise unknown_name("load", name, known, where="trace_equilibrium")
    return ScaledLoads(np.array([owner in loads for owner in owners] or [False]), "gravity" in loads, False)


class Continuation:
    """The equilibrium reached, the direction of the path there, and one step while Newton works on it."""

    def __init__(self, system: RunningSystem, loads: ScaledLoads, at: float, tolerance: Tolerance) -> None:
        self.system, self.loads, self.at, self.tolerance = system, loads, at, tolerance
        self.state, _ = consistent_state(system, "zero-acceleration", at)
        self.state.v[:] = 0.0
        self.still = np.zeros_like(self.state.x)
        self.amplitudes = system.amplitudes(at)
        self.stiffness = system.stiffness(1.0)
        self.total_mass = float(np.sum(system.mass.value * system.translation[system.mass.first]
                                       * system.translation[system.mass.second])) or 1.0  # fmt: skip
        self.factor, self.weight = 0.0, 0.0  # load factor and ψ [m]
        self.direction = (self.still, 1.0)  # of the last step, in x and the factor
        self.x1, self.multipliers, self.x_old = self.state.x.copy(), self.state.multipliers.copy(), self.state.x

    # --- steps --------------------------------------------------------------------------------------------------------

    def find_start(self) -> None:
        """Equilibrium at load factor 0, under the loads that are not scaled."""
        if not self._balanced_unloaded():
            if not self.loads.all:
                self.multipliers = first_reactions(self.system, self.state, self.at)
            self._newton(None, 0.0, StepInfo())
        self._accept(0.0, 0.0)

    def first_arc(self, step: float) -> float:
        """The arc length of a first load increment, which also sets ψ: load and displacement weigh the same there."""
        b, _ = self._tangent()
        size = self._norm(b)
        self.weight = size if size > 0 else self.system.size
        self.direction = (np.sign(step) * b, float(np.sign(step)))
        return abs(step) * float(np.hypot(size, self.weight))

    def advance(self, arc: float) -> StepInfo:
        """The next equilibrium at a distance `arc` [m]; StepFailed leaves everything as it was."""
        info, s = StepInfo(), self.system
        s.set_turns(self.state.turns)
        s.set_pace(0.0)
        self.x1, self.multipliers, self.x_old = self.state.x.copy(), self.state.multipliers.copy(), self.state.x
        b, du = self._tangent()
        length = float(np.hypot(self._norm(b), self.weight))
        ahead = self._dot(b, self.direction[0]) + self.weight**2 * self.direction[1]
        increment = (arc if ahead >= 0 else -arc) / length
        try:
            assembly.move(s.rows, increment * du, self.x1)
            self.multipliers += increment * s.multiplier_increments(du)
            factor = self._newton(arc, self.factor + increment, info)
            change = (self.x1 - self.state.x, factor - self.factor)
            if self._dot(change[0], self.direction[0]) + self.weight**2 * change[1] * self.direction[1] < 0:
                raise StepFailed("the path turned back on itself")
        except StepFailed:
            self.x1, self.multipliers = self.state.x.copy(), self.state.multipliers.copy()
            raise
        self.direction = change
        self._accept(factor, arc)
        return info

    def passed(self, until: Any) -> bool:
        """Has the end that was asked for been reached?"""
        if until is None:
            return False
        if callable(until):
            return bool(until(self.factor, self.state))
        return bool(self.factor >= until if until > 0 else self.factor <= until)

    def _accept(self, factor: float, arc: float) -> None:
        s = self.system
        s.clean_directors(self.x1)
        held = s.reported_multipliers(self.multipliers, self.stiffness, (self.x1, self.x1), (self.at, self.at))
        turns = s.turns_at(self.x1, self.state.turns)
        memory = load_memory(factor, self.at)
        self.state = State(self.state.t + arc, self.x1.copy(), self.still, held, memory, turns)
        self.factor = factor

    # --- equations ----------------------------------------------------------------------------------------------------

    def _newton(self, arc: float | None, factor: float, info: StepInfo) -> float:
        """Balance x1 and the multipliers on the sphere of radius `arc`, or at the given factor; returns the factor."""
        s, none = self.system, np.zeros(self.system.motion_unknowns)
        control = np.zeros(CONTROL)
        begin(control, 0.0, self.tolerance.iterations, False, False, 0.0)
        while True:
            self._evaluate(factor, True)
            value, worst = merit(s, s.scratch, none, self.tolerance)
            change = self.x1 - self.state.x
            gap = 0.0
            if arc is not None:
                gap = self._dot(change, change) + (self.weight * (factor - self.factor)) ** 2 - arc**2
                value = max(value, abs(gap) / (NEAR * arc**2))
            info.residuals.append(value)
            action = decide(control, value)
            if action == CONVERGED:
                return factor
            if action != FACTORISE:
                break
            r, c = s.scratch.r.copy(), s.scratch.c.copy()
            solve = self._factorise()
            du, by_factor = solve(r, c), np.zeros(s.unknowns)
            df = 0.0
            if arc is not None:
                by_factor = solve(self._load(factor, r), np.zeros_like(c))
                slope = self._pulled_back(2.0 * change)
                along = float(slope @ by_factor[: s.motion_unknowns]) + 2.0 * self.weight**2 * (factor - self.factor)
                df = -float(gap + slope @ du[: s.motion_unknowns]) / along if along != 0.0 else np.inf
            if not np.isfinite(df):
                break
            du = du + df * by_factor
            info.iterations += 1
            go_on(control, 1.0)
            self.x_old = self.x1.copy()
            assembly.move(s.rows, du, self.x1)
            self.multipliers = self.multipliers + s.multiplier_increments(du)
            factor += df
            if self._tiny(du):
                return factor
        part = s.owner(worst) if worst < s.motion_unknowns else ""
        raise StepFailed(f"Newton's method did not converge in {info.iterations} iterations", part)

    def _tangent(self) -> tuple[Array, Array]:
        """Change of rows (n, d) and of all unknowns by the load factor, at the equilibrium reached."""
        self.x1, self.multipliers, self.x_old = self.state.x.copy(), self.state.multipliers.copy(), self.state.x
        self._evaluate(self.factor, True)
        s = self.system
        r = s.scratch.r.copy()
        du = self._factorise()(self._load(self.factor, r), np.zeros(len(s.multipliers)))
        return np.asarray(tangent_map(s, self.state.x) @ du[: s.motion_unknowns]).reshape(s.n, s.d), du

    def _load(self, factor: float, r: Array) -> Array:
        """∂r/∂factor: loads are linear in the factor, so a difference is exact."""
        self._evaluate(factor + 1.0, False)
        return self.system.scratch.r - r

    def _factorise(self) -> Callable[[Array, Array], Array]:
        """(r, c) → −A⁻¹ (r, c) with the matrix of the last evaluation."""
        s = self.system
        try:
            inverse = factorised(s, s.scratch.A)
        except SingularMatrixError as error:
            part = s.owner(error.unknown) if error.unknown is not None else ""
            raise StepFailed(f"the equations are singular{f' at {part}' if part else ''}", part) from None

        def solve(r: Array, c: Array) -> Array:
            rhs = np.zeros(s.unknowns)
            rhs[: s.motion_unknowns] = -r[: s.motion_unknowns]
            s.held_unknowns(c, rhs)
            return np.asarray(inverse(rhs))

        return solve

    def _tiny(self, du: Array) -> bool:
        """Is a correction at round-off of the configuration? (What forces of stiff elements cannot tell without loads.)"""
        s = self.system
        units = (s.size, 1.0, 1.0)
        return all(np.abs(du[g]).max(initial=0.0) <= 1e-13 * u for g, u in zip(s.unknown_groups, units, strict=False))

    def _balanced_unloaded(self) -> bool:
        """Is the start an equilibrium without the scaled loads, to round-off of the forces these will cause?"""
        s = self.system
        self._evaluate(1.0, False)
        scale = s.scratch.r_scale[: s.motion_unknowns].copy()
        self._evaluate(0.0, False)
        r = np.abs(s.scratch.r[: s.motion_unknowns])
        return all((r[g] <= 1e-10 * scale[g].max(initial=0.0)).all() for g in s.unknown_groups)

    def _evaluate(self, factor: float, tangent: bool) -> None:
        s, loads = self.system, self.loads
        weight = s.gravity(self.at)
        applied = weight * (factor if loads.gravity else 1.0)
        if s.user_forces:
            users = s.applied(self.at, self.x1, self.still) - weight
            applied = applied + users * (factor if loads.users else 1.0)
        amplitudes = self.amplitudes * np.where(loads.functions, factor, 1.0)
        motion = (self.state.x, self.x1, self.x1, self.still, self.still, self.x_old)
        assembly.assemble(
            s.whole, motion, (applied, amplitudes, np.array([self.amplitudes] * 2)), (self.multipliers, *self.stiffness),
            assembly.END, assembly.END, (0.0, 1.0, 0.0), (assembly.NO_MAP, assembly.NO_MAP), tangent, s.scratch,
        )  # fmt: skip

    # --- the measure of distance ----------------------------------------------------------------------------------------

    def _dot(self, y: Array, z: Array) -> float:
        m = self.system.mass
        return float(np.sum(m.value * np.sum(y[m.first] * z[m.second], axis=1))) / self.total_mass

    def _norm(self, y: Array) -> float:
        return float(np.sqrt(max(self._dot(y, y), 0.0)))

    def _pulled_back(self, y: Array) -> Array:
        """Pᵀ m y / Σ m at x1, shape (n,): the derivative of a distance by the unknowns."""
        s = self.system
        rows = np.zeros_like(y)
        np.add.at(rows, s.mass.first, s.mass.value[:, None] * y[s.mass.second] / self.total_mass)
        out = np.zeros(s.motion_unknowns)
        free = s.rows.kind == FREE
        np.add.at(out, s.rows.unknown[free][:, None] + np.arange(s.d), rows[free])
        turning = s.rows.kind == DIRECTOR
        moment = np.cross(_in_space(self.x1[turning]), _in_space(rows[turning]))
        axes = np.arange(3) if s.d == 3 else np.array([2])
        np.add.at(out, s.rows.unknown[turning][:, None] + np.arange(axes.size), moment[:, axes])
        return out


def _in_space(y: Array) -> Array:
    """Vectors (k, d) as (k, 3)."""
    return np.pad(y, ((0, 0), (0, 3 - y.shape[1])))
