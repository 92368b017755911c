"""The saddle-point system of masses and constraints in row form: projections, accelerations, and reactions that are shared.

With identity maps (`System.plain`),

    [m  Gᵀ] [y]   [given ]
    [G  0 ] [μ] = [wanted]

is the mass-weighted projection for positions, velocities and the jerk, and the equation of motion for accelerations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import AssemblyError, InputError
from condyle.system import assembly
from condyle.system.assembly import row_form
from condyle.system.fading import STRESS_MEMORY
from condyle.system.held_rates import hold_rates
from condyle.system.linear import SingularMatrixError
from condyle.system.quasi_static import end_forces
from condyle.system.rates import difference_weights, time_derivative
from condyle.system.reactions import smallest_reactions
from condyle.system.running import Buffers, RunningSystem
from condyle.system.state import State
from condyle.system.tables import PENALTY

Array = NDArray[np.float64]
DENSE = 160  # unknowns of the row form up to which a dense factorisation in compiled code is the fastest


class RowProblem:
    """The saddle-point system of masses and constraint gradients in row form."""

    def __init__(self, system: RunningSystem, plain: RunningSystem | None = None) -> None:
        self.outer = system
        self.system = system.plain if plain is None else plain
        self.out: Buffers = self.system.buffers()
        s, n = self.system, self.system.unknowns
        self._places = s.rows.unknown[s.moving][:, None] + np.arange(s.d)
        self.none = (np.zeros(s.links.law.size), np.zeros(s.constraints.law.size))
        self._pattern = (s.pattern.indptr, s.pattern.indices, s.diagonal_slots)
        self._unknown = np.where(s.moving, s.rows.unknown, -1)
        self.factors = (np.zeros(n), np.zeros((n, n)), np.zeros(n, np.int64)) if 0 < n <= DENSE else None
        self._dense = False  # whether the last matrix was factorised by these
        self._penalties = bool((s.hold == PENALTY).any())
        # Rows without inertia, which no constraint here acts on, get some in their place.
        at = s.rows.unknown[s.quasi_static][:, None] + np.arange(s.d)
        self._stand_ins = (s.diagonal_slots[at.ravel()], max(float(s.row_mass.max(initial=0.0)), 1e-300))
        self._coupled = (s.couplings, s.least_stiffness)
        self.layout = (self._stand_ins, self._pattern, s.motion_unknowns, self._coupled, self._unknown,
                        s.multiplier_unknowns)  # fmt: skip

    def factor(self, x: Array, t: float, *, places: bool = False) -> Array:
        """Factorise at x; returns the constraint values there. places: without constraints of velocities."""
        s, out = self.system, self.out
        self._at = x
        self._matrix(x, t, places)
        self._dense = self.factors is not None and bool(
            row_form.factor_dense(self._pattern, out.A, s.motion_unknowns, *self.factors)
        )
        if self._dense:
            return out.c.copy()
        try:
            s.solver.factor(out.A)
        except SingularMatrixError as error:
            who = s.owner(error.unknown) if error.unknown is not None else "the model"
            raise InputError(
                f"'{who}' has no inertia in some direction and nothing holds it there; give it mass"
            ) from None
        return out.c.copy()

    def _matrix(self, x: Array, t: float, places: bool = False) -> None:
        """The matrix at x, with the values of constraints and their sizes."""
        s = self.system
        whole, stand_ins = s.whole, self._stand_ins
        if places and s.rates.law.size:
            aside = s.diagonal_slots[s.multiplier_unknowns[s.rates.channel]]
            whole = whole._replace(spans=np.append(s.spans[:5], s.spans[4]))
            stand_ins = (np.concatenate((stand_ins[0], aside)), stand_ins[1])
        s.call(row_form.saddle_matrix)(whole, x, s.targets(t, t), stand_ins, self._coupled, self.out)

    def factored_at(self, x: Array, *, dense: bool) -> None:
        """Compiled code has left the matrix at x in `out`, and if `dense` its factors."""
        self._at, self._dense = x, dense

    def solve(self, force: Array, wanted: Array) -> tuple[Array, Array]:
        """Rows y (n, d) and multipliers μ (m,) with m y + Gᵀ μ = force, G y = wanted; refined until it holds.

        The regularised diagonal makes redundant constraints harmless; the refinement removes its effect elsewhere. It
        takes two passes, and more where a body has hardly any inertia about an axis.
        """
        s = self.system
        y, mu = np.zeros_like(force), np.zeros(len(s.multipliers))
        if self._dense:
            row_form.solve_saddle(
                self._pattern, self.out.A, s.motion_unknowns, self._unknown, s.multiplier_unknowns, self.factors,
                self.out.c_scale, force, wanted, y, mu,
            )  # fmt: skip
            return y, mu
        gap, held = force.copy(), wanted.copy()
        size = np.where(self.out.c_scale > 0.0, self.out.c_scale, np.inf)  # constraints have units: lengths, or none
        least = 1e-15 * (np.abs(wanted) / size).max(initial=0.0)
        error = np.inf
        for k in range(60):
            rhs = np.zeros(s.unknowns)
            rhs[self._places] = gap[s.moving]
            s.held_unknowns(-held, rhs)
            u = s.solver.solve(rhs)
            y[s.moving] += u[self._places]
            mu += s.multiplier_increments(u)
            gap, held = self._defect(y, mu, force, wanted)
            before, error = error, float((np.abs(held) / size).max(initial=0.0))
            if k >= 2 and (error <= least or error > 0.9 * before):
                break
        return y, mu

    def _defect(self, y: Array, mu: Array, force: Array, wanted: Array) -> tuple[Array, Array]:
        """What the (unregularised) equations still lack at y, μ."""
        s, out = self.system, self.out
        live = s.exact
        A = out.A.copy()
        A[s.diagonal_slots[s.motion_unknowns :]] = 0.0
        u = np.zeros(s.unknowns)
        u[self._places] = y[s.moving]
        u[s.multiplier_unknowns[live]] = mu[live]
        product = s.matvec(A, u)
        gap = np.zeros_like(force)
        gap[s.moving] = force[s.moving] - product[self._places]
        held = np.zeros_like(wanted)
        held[live] = wanted[live] - product[s.multiplier_unknowns[live]]
        return gap, held

    def project_position(self, x: Array, t: float) -> None:
        """Move x onto the constraints, by as little as possible in the sense of the mass."""
        s = self.system
        if not len(s.multipliers):
            return
        c = self.factor(x, t, places=True)
        for _ in range(50):
            size = np.maximum(self.out.c_scale[s.exact], 1e-300)
            before = (np.abs(c[s.exact]) / size).max(initial=0.0)
            if before <= 4e-15:
                return
            dx, _ = self.solve(np.zeros_like(x), -c)
            x += dx
            c = self.factor(x, t, places=True)
            if (np.abs(c[s.exact]) / size).max() > 0.5 * before and before <= 1e-12:
                return  # at round-off
        order = [
            k
            for k in np.argsort(-np.abs(c) / np.maximum(self.out.c_scale, 1e-300))
            if s.exact[k] and not s.multipliers[k].internal
        ]
        worst = dict.fromkeys(s.multipliers[k].part for k in order)
        names = ", ".join(f"'{n}'" for n in list(worst)[:4])
        raise AssemblyError(f"the model cannot be assembled: the joints {names} cannot be closed together")

    def project_velocity(self, x: Array, v: Array, t: float, rates: Array | None = None) -> None:
        """The velocity nearest to v that the constraints allow; rates: wanted rates of the last constraints."""
        if not len(self.system.multipliers):
            return
        self.factor(x, t)
        rate = self._derivative(x, v, np.zeros_like(x), t, 1)
        self._less(rate, rates)
        dv, _ = self.solve(np.zeros_like(v), -rate)
        v += dv
        self._check_rates(x, v, t, rates)

    def fits(self, x: Array, v: Array, t: float, share: float) -> bool:
        """Are the rates of all constraints within this share of what they would be if nothing were held?"""
        self._matrix(x, t)
        left = self._derivative(x, v, np.zeros_like(x), t, 1) * self.system.exact / np.maximum(self.out.c_scale, 1e-300)
        return bool(np.abs(left).max(initial=0.0) <= share * self._speed(v))

    def _speed(self, v: Array) -> float:
        """The largest rate of a row, of its size [1/s]."""
        return float((np.abs(v) / self.system.rows.size[:, None]).max())

    def hold_rates(
        self, x: Array, v: Array, t: float, rows: NDArray[np.int64], gradients: Array, wanted: Array | None = None,
        works: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Change rates v by as little as possible, so that sums of them are as wanted: see `held_rates.hold_rates`."""
        return hold_rates(self, x, v, t, rows, gradients, wanted, works)

    def _check_rates(self, x: Array, v: Array, t: float, rates: Array | None) -> None:
        """Constraints that ask for different velocities at once contradict each other."""
        left = self._derivative(x, v, np.zeros_like(x), t, 1)
        self._less(left, rates)
        left *= self.system.exact / np.maximum(self.out.c_scale, 1e-300)
        bad = np.abs(left) > max(1e-5 * self._speed(v), 1e-9)
        if bad.any():
            parts = dict.fromkeys(self.system.multipliers[k].part for k in np.argsort(-np.abs(left)) if bad[k])
            names = ", ".join(f"'{n}'" for n in list(parts)[:3])
            raise AssemblyError(f"the constraints {names} ask for velocities that contradict each other; remove one")

    def _less(self, rate: Array, wanted: Array | None) -> None:
        """Take wanted rates of the last constraints of places from the rates of all."""
        if wanted is not None:
            end = rate.size - self.system.rates.law.size
            rate[end - wanted.size : end] -= wanted

    def acceleration(
        self, state: State, more: Array | None = None, damping: tuple[float, float] = (0.0, 0.0)
    ) -> tuple[Array, Array]:
        """Accelerations of all rows and multipliers from m a + Gᵀ λ = f, G a = −(second derivative at constant v).

        more: further forces on rows [N], shape (n, d), those of contact. damping = (2α, β²): Baumgarte's 2α ċ + β² c is added
        to the constraints.
        """
        outer, s, x, v, t = self.outer, self.system, state.x, state.v, state.t
        driven = np.zeros_like(x)
        outer.driven_acceleration(t, driven)
        if self.factors is not None and not outer.quasi_static.size:
            y, mu = np.zeros_like(x), np.zeros(len(s.multipliers))
            arguments = self.of_motion(state)
            rates = np.zeros((3, len(arguments[1][1])))
            if s.has_drives:
                rates[:] = s.amplitude_courses(t, outer.step)
            self._at, more = x, np.zeros_like(x) if more is None else more
            self._dense = bool(
                row_form.row_accelerations(
                    s.whole, *arguments, more, driven, damping, rates, self.layout, self.factors, self.out, y, mu
                )
            )
            if self._dense:
                return y + driven, mu
        force = -self.unbalanced(state)
        if more is not None:
            force += more
        if outer.quasi_static.size:
            force -= end_forces(outer, state, held_only=True)
            force[outer.quasi_static] = 0.0
        c, still = self.factor(x, t), np.zeros_like(x)
        wanted = -self._derivative(x, v, still, t, 2)
        if any(damping):
            wanted -= damping[0] * self._derivative(x, v, still, t, 1) + damping[1] * c
        mass = s.mass  # prescribed rows pull on those that share mass with them
        np.subtract.at(force, mass.first, mass.value[:, None] * driven[mass.second])
        acceleration, multipliers = self.solve(force, wanted)
        return acceleration + driven, multipliers

    def normal_jerk(self, state: State, factor: float = 1.0, of_rates: float = 0.0) -> Array:
        """The part of the jerk normal to the constraints times a factor, shape (n, d); of_rates: see `correct_velocity`."""
        x, v, a, t = state.x, state.v, state.memory["acceleration"], state.t
        self.factor(x, t)
        wanted = -factor * self._derivative(x, v, a, t, 3)
        if of_rates and self.system.rates.law.size:
            wanted += of_rates * self._second_of_rates(x, v, a, t)
        jerk, _ = self.solve(np.zeros_like(x), wanted)
        return jerk

    def _second_of_rates(self, x: Array, v: Array, a: Array, t: float) -> Array:
        """Second derivative of a(y)·ẏ − b of constraints of velocities along the places x + v s and velocities v + a s."""
        s, outer = self.system, self.outer
        size = s.rows.size[:, None]
        speed = max((np.abs(v) / size).max(), np.sqrt((np.abs(a) / size).max()))
        found, rate = np.zeros(len(s.multipliers)), np.zeros(len(s.multipliers))
        if speed > 1e-100:
            h, still = 0.02 / speed, np.zeros(len(s.amplitudes(t)))
            for k, weight in zip(range(-3, 4), difference_weights(False, 2), strict=True):
                assembly.rate_derivatives(s.rates, x + k * h * v, v + k * h * a, a, still, 1, rate)
                found += weight / h**2 * rate
        if outer.driven:  # their mean velocity is (x1 − x0)/h, not that of both ends
            jerk = np.zeros_like(x)
            for rows, motion in outer.driven:
                jerk[rows] = time_derivative(motion, t, 3, outer.step)
            assembly.rate_derivatives(s.rates, x, jerk, a, np.zeros(len(s.amplitudes(t))), 1, rate)
            found += 2.0 / 3.0 * rate
        driven = s.rates.drive >= 0
        if driven.any():
            change = time_derivative(s.amplitudes, t, 2, outer.step)
            found[s.rates.channel[driven]] -= change[s.rates.drive[driven]]
        return found

    def unbalanced(self, state: State) -> Array:
        """Elastic minus applied forces per row, without inertia and constraints, shape (n, d)."""
        assembly.assemble(
            self.system.whole, *self.of_motion(state), assembly.END, assembly.END, (0.0, 1.0, 0.0),
            (assembly.NO_MAP, assembly.NO_MAP), False, self.out,
        )  # fmt: skip
        return self.out.q.copy()

    def of_motion(self, state: State) -> tuple[Any, Any, Any]:
        """What the assembly needs for the forces at a state: motion, loads, multipliers (none) and stiffness of penalties."""
        s = self.system
        s.set_turns(state.turns)
        s.swell(state.t)
        if s.fading:
            s.fading.at_rest(state.memory.get(STRESS_MEMORY))
        amplitudes = s.amplitudes(state.t)
        motion = (state.x, state.x, state.x, state.v, np.zeros_like(state.x), state.x)
        loads = (s.applied(state.t, state.x, state.v), amplitudes, np.array([amplitudes, amplitudes]))
        stiffness = self.none
        if self._penalties:
            stiffness = _plain_stiffness(self.outer, s, self.outer.stiffness(self.outer.step))
        return motion, loads, (np.zeros(len(s.multipliers)), *stiffness)

    def _derivative(self, x: Array, v: Array, a: Array, t: float, order: int) -> Array:
        """Derivative of c along the path x + v s + ½ a s² at time t + s, at s = 0; order 1, 2 or 3.

        Rows that move as prescribed and the functions that drives follow have a time scale of their own, that of the run's
        step.
        """
        outer, s = self.outer, self.system
        path = [v.copy(), a.copy(), np.zeros_like(x)]
        path[order:] = [np.zeros_like(x)] * (3 - order)  # what has no influence on this derivative
        for rows, motion in outer.driven:
            for k in range(order):
                path[k][rows] = time_derivative(motion, t, k + 1, outer.step)
        rate = np.zeros(len(s.multipliers))
        if order < 3:
            change = s.amplitude_courses(t, outer.step) if s.has_drives else np.zeros((3, 1))
            s.call(row_form.constraint_rates)(s.whole, x, path[0], path[1], change, order, rate)
            return rate
        rate += self._third(x, path, t)
        driven = s.constraints.drive >= 0
        if driven.any():
            change = time_derivative(s.amplitudes, t, order, outer.step)
            rate[s.constraints.channel[driven]] -= change[s.constraints.drive[driven]]
        return rate

    def _third(self, x: Array, path: list[Array], t: float) -> Array:
        """Third derivative of g along a path, of c = g(x) − f(t), by central differences.

        Constraints that are quadratic in x are polynomials of degree 4 in s, for which the seven-point formula is exact up to
        round-off; for others the step is small against the size of the model, and the formula is of order 4.
        """
        size = self.system.rows.size[:, None]  # of places the model's, of directions 1
        speed = max((np.abs(p) / size).max() ** (1.0 / (k + 1)) for k, p in enumerate(path))
        rate = np.zeros(len(self.system.multipliers))
        if speed > 1e-100:
            h = (0.1 if self.system.all_quadratic and not self.outer.driven else 0.01) / speed
            for k, weight in zip(range(-3, 4), difference_weights(False, 3), strict=True):
                s = k * h
                there = x + s * path[0] + 0.5 * s * s * path[1] + s**3 / 6.0 * path[2]
                rate += weight / h**3 * self.system.constraint_values(there, t)
        return rate

    def shared(self, multipliers: Array, at_end: Array | None = None) -> Array:
        """Multipliers of the outer system out of those in row form (which also hold rigid bodies together).

        Where constraints are redundant, those of the smallest reactions where the problem was last factorised. at_end: where
        to take those of constraints on quasi-static bodies from, which the row form does not have.
        """
        if self.outer.redundant:
            multipliers = smallest_reactions(self.system, self.out.A, self._at, multipliers)
        own, end = multipliers[self.own], self.outer.end_multipliers
        if not end.any():
            return own
        out = np.zeros(end.size) if at_end is None else at_end.copy()
        out[~end] = own
        return out

    def share_reactions(self, x: Array, t: float, multipliers: Array) -> Array:
        """The smallest reactions with the same forces as the outer system's multipliers at x."""
        self.factor(x, t)
        full = np.zeros(len(self.system.multipliers))
        end = self.outer.end_multipliers
        full[self.own] = multipliers[~end]
        out = multipliers.copy()
        out[~end] = smallest_reactions(self.system, self.out.A, x, full)[self.own]
        return out

    @property
    def own(self) -> list[int]:
        """Multipliers of the row form that the outer system has too."""
        return [k for k, m in enumerate(self.system.multipliers) if self.outer.identity or not m.internal]


def _plain_stiffness(outer: RunningSystem, plain: RunningSystem, stiffness: tuple[Array, Array]) -> tuple[Array, Array]:
    """Stiffness arrays laid out for the row form, which may hold more (internal) constraints than the outer system."""
    if outer is plain or outer.identity:
        return stiffness
    full = np.zeros(plain.constraints.law.size)
    first = plain.d * plain.links.law.size
    external = np.array([not m.internal for m in plain.multipliers[first : first + full.size]], dtype=bool)
    full[external] = stiffness[1] if stiffness[1].size == external.sum() else 0.0
    return stiffness[0], full
